// SPDX-License-Identifier: GPL-2.0
/*
 * The names that /proc/kallsyms shows behind the symbols of modules. This file stands above all
 * files that know some.
 */
#include "sites/internal.h"

/**
 * ftrace_mod_get_kallsym - what ftrace adds to /proc/kallsyms
 * @symnum: number of the symbol, from 0
 * @value: is set to its address
 * @type: is set to its type
 * @name: buffer of KSYM_NAME_LEN bytes for its name
 * @module_name: buffer of MODULE_NAME_LEN bytes for its module
 * @exported: is set to 0
 *
 * The freed init functions of modules, then trampolines.
 *
 * Context: task.
 * Return: 0, or -ERANGE past the last symbol.
 */
int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
			   char *name, char *module_name, int *exported)
{
	*exported = 0;
	if (!freed_get_kallsym(&symnum, value, type, name, module_name))
		return 0;
	return sites_asks()->kallsym(symnum, value, type, name, module_name, exported);
}
