/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trigger is told of each hit of an event of an instance, whether the event is recorded or
 * not. It has its own filter, count and action.
 *
 * A trigger that needs the record is called when the probe has filled it in, outside of the ring
 * buffer, and before anything decides whether it is recorded: a trigger may switch tracing on,
 * or write a record of another event, and that event's triggers may do so again. Others are
 * called before the probe does anything, unless one of the event's triggers needs the record.
 *
 * A trigger is not called while it is being called in the same context of this CPU, and not if
 * there is no place for its record. These hits are counted.
 *
 *	hits of the event = calls of hit() + missed
 *
 * A hit() that was called is followed by its after(): in between nothing takes its place.
 *
 * A trigger needs the event's probe in place: its owner is a soft user of the event as well
 * (user.h), and takes the trigger off in the user's gone().
 */
#ifndef _TRACE_EVENTS_TRIGGER_H
#define _TRACE_EVENTS_TRIGGER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/trace_events.h>

#include "record/record.h"

/* The most triggers of an event that have an after(). */
#define TRACE_EVENT_AFTERS	8

/**
 * struct trace_event_hit - a hit of an event of an instance
 * @file:	the event
 * @record:	the record with its common fields; NULL if no trigger of the event needs it, and in
 *		after(): by then it may have been overwritten
 * @len:	its bytes
 * @trace_ctx:	flags and preemption count where the event was raised, see tracing_gen_ctx();
 *		0 without a record
 * @regs:	the registers of an event that has some, or NULL
 * @from:	an address in the probe, whose caller raised the event; 0 without a record
 * @place:	a place that the probe has called, where the unwinder can begin (record/record.h)
 * @recorded:	in after(): the record is in the buffer
 * @timed:	@time has been read
 * @time:	by trace_event_hit_time()
 */
struct trace_event_hit {
	struct trace_event_file	*file;
	const void		*record;
	unsigned int		len;
	unsigned int		trace_ctx;
	struct pt_regs		*regs;
	unsigned long		from;
	struct trace_stack_place place;
	bool			recorded;
	bool			timed;
	u64			time;
};

u64 trace_event_hit_time(struct trace_event_hit *hit);

/**
 * struct trace_event_trigger - is told of the hits of an event of an instance
 * @needs_record: hit() wants the record, or there is an after()
 * @hit:	called at each hit. Return: true to be called again after the commit
 * @after:	called after the record was committed or dropped, so that what it writes comes
 *		behind the record. NULL: never; then @hit returns false
 * @count:	does the work of @hit if nobody wants the record but triggers that have a count().
 *		Of the hit it uses the record and the time, and of the record's header nothing is
 *		there but the pid; TRACE_VALUE_SLACK bytes behind the record may be read. If it
 *		raises an event, it calls trace_event_trigger_enter() before. NULL: there is none
 * @missed:	hits at which it could not be called
 * @has_command: it is part of a struct trace_trigger (trigger/trigger.h)
 * @list:	of the event's triggers; E to change, read under RCU
 *
 * Context of @hit, @after and @count: any, NMI included, with preemption off.
 */
struct trace_event_trigger {
	bool			needs_record;
	bool			has_command;
	bool			(*hit)(struct trace_event_trigger *trigger,
				       struct trace_event_hit *hit);
	void			(*after)(struct trace_event_trigger *trigger,
					 struct trace_event_hit *hit);
	void			(*count)(struct trace_event_trigger *trigger,
					 struct trace_event_hit *hit);
	atomic_long_t		missed;
	struct list_head	list;
};

struct trace_event_trigger_call;

/* In count(), around what raises events. NULL: the trigger is in use here, or too many are. */
struct trace_event_trigger_call *trace_event_trigger_enter(struct trace_event_trigger *trigger);
void trace_event_trigger_leave(struct trace_event_trigger_call *call);

/* Task context; the events mutex is held. */
int trace_event_trigger_add(struct trace_event_trigger *trigger, struct trace_event_file *file);
void trace_event_trigger_del(struct trace_event_trigger *trigger, struct trace_event_file *file);

#endif /* _TRACE_EVENTS_TRIGGER_H */
