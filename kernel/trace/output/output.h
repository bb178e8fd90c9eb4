/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output/: one record -> one line, in every output mode; the helpers that
 * TRACE_EVENT's print formats use (declared in <linux/trace_events.h>).
 * It does not know where records come from nor in which order.
 */
#ifndef _TRACE_OUTPUT_H
#define _TRACE_OUTPUT_H

#include <linux/seq_file.h>

#include "instance/instance.h"

/*
 * Print the record @iter->ent as the options of @iter->tr say. Reader's
 * context, ftrace_dump() from NMI included: never sleeps, takes no lock.
 */
enum print_line_t trace_print_record(struct trace_iterator *iter);

/* Symbol as the options sym-offset and sym-addr say, through a small cache. */
void trace_print_ip(struct trace_iterator *iter, unsigned long ip);
/* Task, CPU, flags, time: the columns before a record's text. */
void trace_print_context(struct trace_iterator *iter);
void trace_print_lat_context(struct trace_iterator *iter);
/* irqs-off etc. letters; also used by events. */
void trace_print_flags_letters(struct trace_seq *s, const struct trace_entry *ent);

/* Header lines of the trace file. */
void trace_print_header(struct seq_file *m, struct trace_iterator *iter);

/* Registered printers by record type, for ftrace's own records and events. */
struct trace_event *trace_event_by_type(int type);
int trace_output_init(void);

#endif /* _TRACE_OUTPUT_H */
