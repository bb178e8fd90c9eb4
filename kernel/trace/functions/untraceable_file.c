// SPDX-License-Identifier: GPL-2.0
/*
 * untraceable_functions: the kernel's symbols in text that stays after boot at
 * which there is no call site, and why. Modules are not listed.
 *
 * The reason comes from the address: code that must not be instrumented lies in sections of
 * its own. All other code was compiled without the call (it is notrace, or its file is
 * compiled so), or is assembly.
 */
#include <linux/kallsyms.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/tracefs.h>

#include <asm/sections.h>

#include "functions/internal.h"

static const char *untraceable_reason(unsigned long addr)
{
	if (addr >= (unsigned long)__entry_text_start && addr < (unsigned long)__entry_text_end)
		return "entry";
	if (addr >= (unsigned long)__noinstr_text_start &&
	    addr < (unsigned long)__noinstr_text_end)
		return "noinstr";
	return "notrace";
}

static int untraceable_show_symbol(void *data, const char *name, unsigned long addr)
{
	struct seq_file *m = data;

	if (addr < (unsigned long)_stext || addr >= (unsigned long)_etext ||
	    ftrace_site_of_symbol(addr))
		return 0;
	seq_printf(m, "%s %s\n", name, untraceable_reason(addr));
	/* If the text does not fit, end here: the seq_file calls again with more room. */
	return seq_has_overflowed(m);
}

static int untraceable_show(struct seq_file *m, void *v)
{
	int ret = kallsyms_on_each_symbol(untraceable_show_symbol, m);

	return ret < 0 ? ret : 0;
}

static int untraceable_open(struct inode *inode, struct file *file)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	return ret ?: single_open_size(file, untraceable_show, NULL, SZ_256K);
}

static const struct file_operations untraceable_fops = {
	.open		= untraceable_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/**
 * trace_untraceable_create_file - make untraceable_functions
 * @dir: the folder of the top instance
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_untraceable_create_file(struct dentry *dir)
{
	if (!tracefs_create_file("untraceable_functions", 0440, dir, NULL, &untraceable_fops))
		return -ENOMEM;
	return 0;
}
