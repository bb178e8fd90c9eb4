/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sites/: the names of sites. The name of a module's function is "name [module]"
 * in listings only; patterns match the bare name.
 *
 * Names come from an index that is made on first use, by a walk over all symbols
 * of the kernel. Nobody may walk them under ftrace_lock(), so whoever is about to
 * ask for names calls ftrace_names_prepare() before taking it.
 */
#ifndef _TRACE_SITES_NAMES_H
#define _TRACE_SITES_NAMES_H

#include "lib/lib.h"
#include "sites/sites.h"

void ftrace_names_expect(unsigned long names);
int ftrace_names_prepare(const struct trace_glob *glob);

const char *ftrace_site_text(const struct dyn_ftrace *site, size_t *len, const char **module);
const char *ftrace_site_name(const struct dyn_ftrace *site, const char **module);
const char *ftrace_site_source(const struct dyn_ftrace *site);

typedef int (*ftrace_site_fn)(struct dyn_ftrace *site, void *data);
long ftrace_sites_match(const struct trace_glob *glob, const struct trace_glob *module,
			const struct trace_glob *source, ftrace_site_fn fn, void *data);

#endif /* _TRACE_SITES_NAMES_H */
