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

struct trace_symbols;

/**
 * struct trace_print_state - what printing keeps for one open file
 * @symbols:	cache of formatted addresses; NULL: none
 * @next_ts:	time of the record after the current one, the time of the
 *		current one if there is none; NULL: nobody knows. May move
 *		@iter->ent to a copy.
 * @lost_since:	with iter->lost_events: time of the record before them; 0: none
 * @tracer_data: belongs to the tracer that prints
 * @dump:	printing may run in NMI: no allocation, no user memory
 *
 * Where struct trace_iterator::private points. An iterator without it prints
 * the same, without the cache.
 */
struct trace_print_state {
	struct trace_symbols	*symbols;
	u64			(*next_ts)(struct trace_iterator *iter);
	u64			lost_since;
	void			*tracer_data;
	bool			dump;
};

void trace_print_state_init(struct trace_print_state *state);
void trace_print_state_free(struct trace_print_state *state);

/*
 * Print the record @iter->ent as the options of @iter->tr say, and before it a
 * line about records lost. Reader's context, with trace_types_read_lock() held,
 * or ftrace_dump() from NMI: never sleeps and takes no lock when @dump is set.
 * PARTIAL_LINE: no room.
 */
enum print_line_t trace_print_record(struct trace_iterator *iter);

/* Symbol as the options sym-offset and sym-addr say, through a small cache. */
void trace_print_ip(struct trace_iterator *iter, unsigned long ip);
/* Task, CPU, flags, time: the columns before a record's text. */
void trace_print_context(struct trace_iterator *iter);
void trace_print_lat_context(struct trace_iterator *iter);
/* @ts in the unit of the instance's clock, as the time column has it. */
void trace_print_time(struct trace_iterator *iter, u64 ts);
/* irqs-off etc. letters; also used by events. */
void trace_print_flags_letters(struct trace_seq *s, const struct trace_entry *ent);

/* Header lines of the trace file. */
void trace_print_header(struct seq_file *m, struct trace_iterator *iter);

/**
 * struct trace_fields_ops - what only the layer that knows fields can do
 * @print:	the record in the mode "fields"; @event is NULL for a record of a
 *		kind. UNHANDLED: its fields are not known
 * @refuse:	true: the record must not be formatted because a string pointer
 *		in it does not point to memory that stays; it printed why
 *
 * Reader's context, ftrace_dump() from NMI included.
 */
struct trace_fields_ops {
	enum print_line_t	(*print)(struct trace_iterator *iter, struct trace_event *event);
	bool			(*refuse)(struct trace_iterator *iter, struct trace_event *event);
};

/* Once, at init. */
void trace_output_set_fields(const struct trace_fields_ops *ops);

int trace_output_init(void);

#endif /* _TRACE_OUTPUT_H */
