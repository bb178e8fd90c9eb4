/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of output/ need of each other. */
#ifndef _TRACE_OUTPUT_INTERNAL_H
#define _TRACE_OUTPUT_INTERNAL_H

#include "output/output.h"
#ifdef CONFIG_FUNCTION_TRACER
#include "sites/sites.h"
#endif

int trace_symbols_init(void);
void trace_print_user_ips(struct trace_iterator *iter, unsigned int tgid,
			  const unsigned long *ips, unsigned int nr);

/* Did patching of call sites fail? Function records may be missing then. */
static inline bool function_tracing_is_dead(void)
{
#ifdef CONFIG_FUNCTION_TRACER
	return ftrace_sites_dead();
#else
	return false;
#endif
}

#endif /* _TRACE_OUTPUT_INTERNAL_H */
