/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording an event where preemption is enabled. Probes of tracepoints use
 * trace_event_buffer_reserve() and trace_event_buffer_commit() of <linux/trace_events.h>, which
 * want it disabled, as do triggers and filters. A breakpoint in user space, or a system call
 * whose tracepoint may fault, has it enabled, and uses these:
 *
 *	record = trace_event_reserve_preemptible(&fbuffer, file, len);
 *	if (!record)
 *		return;
 *	memcpy(record + 1, args, len - sizeof(*record));
 *	trace_event_commit_preemptible(&fbuffer);
 *
 * The caller keeps @file until the commit. In between it does not sleep: memory of user space is
 * read before.
 */
#ifndef _TRACE_EVENTS_RECORD_H
#define _TRACE_EVENTS_RECORD_H

#include <linux/preempt.h>
#include <linux/trace_events.h>

/**
 * trace_event_reserve_preemptible - reserve a record in a task that may be preempted
 * @fbuffer: state for trace_event_commit_preemptible()
 * @file: the event of an instance
 * @len: bytes of the record
 *
 * It asks trace_trigger_soft_disabled(), so the caller does not. The record tells of the caller
 * that preemption was enabled.
 *
 * Context: task, preemption enabled.
 * Return: the record, and preemption is disabled until the commit; NULL when nothing is
 * recorded.
 */
static inline void *trace_event_reserve_preemptible(struct trace_event_buffer *fbuffer,
						    struct trace_event_file *file,
						    unsigned long len)
{
	void *record = NULL;

	/* The record leaves out this one, as it does that of a tracepoint. */
	preempt_disable_notrace();
	if (!trace_trigger_soft_disabled(file))
		record = trace_event_buffer_reserve(fbuffer, file, len);
	if (!record)
		preempt_enable_notrace();
	return record;
}

/**
 * trace_event_commit_preemptible - commit a record of trace_event_reserve_preemptible()
 * @fbuffer: its state
 *
 * Context: as before.
 */
static inline void trace_event_commit_preemptible(struct trace_event_buffer *fbuffer)
{
	trace_event_buffer_commit(fbuffer);
	preempt_enable_notrace();
}

#endif /* _TRACE_EVENTS_RECORD_H */
