/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/: write records into a ring buffer: the common header, reserve and commit, the records
 * of stacks. It knows buffers, but no instance: the layers above decide everything that depends
 * on an instance's options.
 *
 * Other headers: kind.h (kinds of records, and whom a number belongs to),
 * context.h (where a record was written), quick.h (the short way, for hot paths),
 * export.h (copies for modules), scratch.h (memory per CPU and context).
 */
#ifndef _TRACE_RECORD_H
#define _TRACE_RECORD_H

#include <linux/ftrace.h>
#include <linux/trace_events.h>

#include "buffer/buffer.h"

struct pt_regs;

/**
 * trace_record_reserve - reserve a record and fill in its common header
 * @buffer: the buffer
 * @type: number of the record's kind
 * @size: bytes, the common header included
 * @trace_ctx: context, from tracing_gen_ctx()
 * @event: set to the event, for trace_export() and ring_buffer_discard_commit()
 *
 * Context: any. trace_record_commit() must follow on the same CPU; preemption
 * is off until then.
 * Return: the record; NULL when the buffer is switched off or full, or when
 * this context is inside the buffer already.
 */
static __always_inline void *
trace_record_reserve(struct trace_buffer *buffer, unsigned int type, unsigned long size,
		     unsigned int trace_ctx, struct ring_buffer_event **event)
{
	void *record;

	*event = ring_buffer_lock_reserve(buffer, size);
	if (unlikely(!*event))
		return NULL;
	record = ring_buffer_event_body(*event);
	tracing_generic_entry_update(record, type, trace_ctx);
	return record;
}

/**
 * trace_record_commit - the record is complete: readers may see it
 * @buffer: where it was reserved
 *
 * Context: that of trace_record_reserve().
 */
static __always_inline void trace_record_commit(struct trace_buffer *buffer)
{
	ring_buffer_unlock_commit(buffer);
}

/**
 * struct trace_stack_place - a place in code that runs, where the unwinder can begin
 * @ip:		the place; 0: the unwinder begins in its caller only
 * @sp:		the stack pointer
 * @bp:		the frame pointer, or what is in its register
 */
struct trace_stack_place {
	unsigned long	ip;
	unsigned long	sp;
	unsigned long	bp;
};

/* This place. It is of use until the function that this is inlined into returns. */
static __always_inline void trace_stack_here(struct trace_stack_place *place)
{
#ifdef arch_ftrace_here
	arch_ftrace_here(&place->ip, &place->sp, &place->bp);
#else
	*place = (struct trace_stack_place) { };
#endif
}

void trace_stack_write(struct trace_buffer *buffer, unsigned int trace_ctx, int skip,
		       struct pt_regs *regs);
void trace_stack_write_from(struct trace_buffer *buffer, unsigned int trace_ctx,
			    unsigned long from);
void trace_stack_write_at(struct trace_buffer *buffer, unsigned int trace_ctx,
			  unsigned long from, const struct trace_stack_place *place);
void trace_user_stack_write(struct trace_buffer *buffer, unsigned int trace_ctx);

void trace_record_init(void);

#endif /* _TRACE_RECORD_H */
