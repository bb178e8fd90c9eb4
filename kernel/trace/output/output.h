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

#define TRACE_COLUMNS_MAX	64
#define TRACE_SECOND_MAX	24

/*
 * The columns of the last record, as the next one is probably by the same task on the same
 * CPU, and of the same second. The name of the task is looked up again after
 * trace_print_state_renew().
 */
struct trace_columns {
	int	pid;				/* file's lock */
	u32	where;				/* file's lock; flags, preemption count and CPU */
	u32	opts;				/* file's lock; that change the columns */
	u32	len;				/* file's lock; of @text; 0: there is none */
	u32	second_len;			/* file's lock; of @second; 0: there is none */
	u64	second_us;			/* file's lock; where that second begins */
	char	text[TRACE_COLUMNS_MAX];	/* file's lock; what is before the time */
	char	second[TRACE_SECOND_MAX];	/* file's lock; the time up to its point */
};

/**
 * struct trace_print_state - what printing keeps for one open file
 * @symbols:	cache of formatted addresses; NULL: none
 * @columns:	for the next record, see struct trace_columns
 * @next_ts:	time of the record after the current one, the time of the
 *		current one if there is none; NULL: nobody knows. May move
 *		@iter->ent to a copy.
 * @left_out:	how many records of a CPU are not shown, because they are older than the
 *		trace; NULL: none
 * @lost_since:	with iter->lost_events: time of the record before them; 0: none
 * @tracer_data: belongs to the tracer that prints
 * @dump:	printing may run in NMI: no allocation, no user memory
 *
 * Where struct trace_iterator::private points. An iterator without it prints
 * the same, without the cache.
 *
 * A dump, which has no file and so no file's lock, is alone (reader/dump.c).
 */
struct trace_print_state {
	struct trace_symbols	*symbols;					/* file's lock */
	struct trace_columns	columns;					/* file's lock */
	u64			(*next_ts)(struct trace_iterator *iter);	/* constant */
	unsigned long		(*left_out)(struct trace_iterator *iter, int cpu); /* constant */
	u64			lost_since;					/* file's lock */
	void			*tracer_data;					/* file's lock */
	bool			dump;						/* constant */
};

void trace_print_state_init(struct trace_print_state *state);
void trace_print_state_free(struct trace_print_state *state);

/**
 * trace_print_state_renew - look names of tasks up again
 * @state: of an open file that begins another part of its listing, or of a dump
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 */
static inline void trace_print_state_renew(struct trace_print_state *state)
{
	state->columns.len = 0;
}

enum print_line_t trace_print_record(struct trace_iterator *iter);

/* Parts of a line, for tracers and events that print their records themselves. */
void trace_print_ip(struct trace_iterator *iter, unsigned long ip);
void trace_print_ip_offset(struct trace_iterator *iter, unsigned long ip);
void trace_print_ip_name(struct trace_iterator *iter, unsigned long ip);
void trace_print_function(struct trace_iterator *iter, unsigned long ip);
#ifdef CONFIG_FUNCTION_TRACE_ARGS
void trace_print_args(struct trace_iterator *iter, unsigned long func,
		      const unsigned long *regs, unsigned int nr);
#endif
enum print_line_t trace_print_message(struct trace_iterator *iter);
char trace_time_mark(u64 ns);
void trace_print_context(struct trace_iterator *iter);
void trace_print_lat_context(struct trace_iterator *iter);
void trace_print_time(struct trace_iterator *iter, u64 ts);
void trace_print_flags_letters(struct trace_seq *s, const struct trace_entry *ent);

/* Is there no record in what @iter reads: one CPU's buffer, or those of all? */
static inline bool trace_iter_is_empty(const struct trace_iterator *iter)
{
	struct trace_buffer *buffer = READ_ONCE(iter->array_buffer->buffer);

	if (iter->cpu_file == RING_BUFFER_ALL_CPUS)
		return ring_buffer_empty(buffer);
	return ring_buffer_empty_cpu(buffer, iter->cpu_file);
}

void trace_print_header(struct seq_file *m, struct trace_iterator *iter);
void trace_print_latency_header(struct seq_file *m, struct trace_iterator *iter);

/**
 * struct trace_fields_ops - what output/ asks of the layer that knows fields
 * @print:	the record in the mode "fields"; @event is NULL for a record of a
 *		kind. UNHANDLED: its fields are not known
 * @refuse:	true: the record must not be formatted, because a string pointer in
 *		it does not point to memory that stays, or because another boot left
 *		it and it does not fit the event; it printed why
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 */
struct trace_fields_ops {
	enum print_line_t	(*print)(struct trace_iterator *iter, struct trace_event *event);
	bool			(*refuse)(struct trace_iterator *iter, struct trace_event *event);
};

void trace_output_set_fields(const struct trace_fields_ops *ops);

int trace_output_init(void);

#endif /* _TRACE_OUTPUT_H */
