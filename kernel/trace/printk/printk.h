/* SPDX-License-Identifier: GPL-2.0 */
/*
 * printk/: text and bytes that the kernel (trace_printk() and its kin, declared in
 * <linux/kernel.h>) and user space (trace_marker, trace_marker_raw) put into the
 * trace of an instance.
 */
#ifndef _TRACE_PRINTK_H
#define _TRACE_PRINTK_H

#include <linux/stdarg.h>

#include "instance/component.h"
#include "instance/instance.h"

extern struct trace_component trace_printk_component;

struct trace_print_entry;

/**
 * struct trace_marker_text - a text that a task writes into trace_marker
 * @entry:	the record, with a NUL behind the text where trace shows a newline
 * @count:	bytes of the text
 * @trace_ctx:	of the record, see tracing_gen_ctx()
 * @from:	where tracing_mark_write() goes on
 */
struct trace_marker_text {
	const struct trace_print_entry	*entry;
	size_t				count;
	unsigned int			trace_ctx;
	unsigned long			from;
};

/* Returns what trace_marker_record() did. Context: task, preemption is off. */
typedef bool (*trace_marker_probe_t)(void *data, const struct trace_marker_text *text);

void trace_marker_set_probe(struct trace_array *tr, trace_marker_probe_t probe, void *data);
bool trace_marker_record(struct trace_array *tr, const struct trace_marker_text *text);

/* trace_printk() with its arguments in a va_list; declared nowhere else. */
__printf(2, 0) int trace_vbprintk(unsigned long ip, const char *fmt, va_list args);
__printf(2, 0) int trace_vprintk(unsigned long ip, const char *fmt, va_list args);

void trace_printk_early_init(void);
int trace_printk_init(void);

#endif /* _TRACE_PRINTK_H */
