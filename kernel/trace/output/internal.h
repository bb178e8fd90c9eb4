/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of output/ need of each other. */
#ifndef _TRACE_OUTPUT_INTERNAL_H
#define _TRACE_OUTPUT_INTERNAL_H

#include "output/output.h"
#ifdef CONFIG_FUNCTION_TRACER
#include "sites/sites.h"
#endif

struct mm_struct;

int trace_symbols_init(void);
void trace_print_user_ip(struct trace_iterator *iter, struct mm_struct *mm, unsigned long ip);

/* Text of a trace_printk() record alone, without columns and symbol. */
enum print_line_t trace_print_message(struct trace_iterator *iter);
int trace_own_records_init(void);

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
