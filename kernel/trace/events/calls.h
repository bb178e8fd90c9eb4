/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of all events, and the events mutex, which covers it: find an event, keep it, add
 * events and remove them.
 *
 * A layer that makes events at run time takes trace_instances_lock() and the events mutex once,
 * and does in between all that belongs together: it looks up, asks which are busy, adds and
 * takes away. So a file of a thousand definitions is one transaction.
 *
 *	guard(trace_instances)();
 *	guard(trace_events)();
 *	if (trace_event_call_find("kprobes", name))
 *		return -EEXIST;
 *	return trace_event_call_add(&probe->call);
 */
#ifndef _TRACE_EVENTS_CALLS_H
#define _TRACE_EVENTS_CALLS_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/cleanup.h>
#include <linux/list.h>
#include <linux/trace_events.h>

/* lock.c. setup.c tells the mutex' place among the others. */
void trace_events_lock(void);
void trace_events_unlock(void);
void trace_events_assert_locked(void);
bool trace_events_locked(void);
struct list_head *trace_event_calls(void);

DEFINE_LOCK_GUARD_0(trace_events, trace_events_lock(), trace_events_unlock())

/* All events; the events mutex is held. */
#define for_each_trace_event_call(call)					\
	list_for_each_entry(call, trace_event_calls(), list)

/*
 * A flag of a trace_event_call, above those of <linux/trace_events.h>: the event is of the tracer
 * itself, and all events do without it. Users switch it on by its name or that of its system.
 */
#define TRACE_EVENT_OWN_BIT	24
#define TRACE_EVENT_OWN		BIT(TRACE_EVENT_OWN_BIT)
static_assert(TRACE_EVENT_OWN_BIT > TRACE_EVENT_FL_TEST_STR_BIT);

/* Another one: get_fields() of the class gives fields of many events, which stay for good. */
#define TRACE_EVENT_SHARES_FIELDS	BIT(TRACE_EVENT_OWN_BIT + 1)

/* Can users switch the event on? It needs a name and a function to register its probe. */
static inline bool trace_event_usable(struct trace_event_call *call)
{
	return call->class && call->class->reg && trace_event_name(call) &&
	       !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

/* files.c: may it have triggers? */
bool trace_event_has_triggers(struct trace_event_call *call);

/* names.c; the events mutex is held. */
struct trace_event_call *trace_event_call_find(const char *system, const char *name);

/* keep.c; the events mutex is held. */
int trace_event_call_keep(struct trace_event_call *call);
void trace_event_call_unkeep(struct trace_event_call *call);
bool trace_event_call_is_kept(struct trace_event_call *call);

/**
 * typedef event_chooser_t - choose events to be removed
 * @call: an event; the events mutex is held
 * @data: from the caller
 *
 * It is asked more than once, and has to answer the same each time.
 *
 * Return: true if the event goes.
 */
typedef bool (*event_chooser_t)(struct trace_event_call *call, void *data);

/**
 * struct trace_event_removal - events that go
 * @calls:	the events
 * @files:	the events of instances
 * @number:	of the removal
 * @were_on:	one of them was on since boot, so there may be records
 * @waits:	a probe may still run
 */
struct trace_event_removal {
	struct list_head	calls;
	struct list_head	files;
	unsigned long		number;
	bool			were_on;
	bool			waits;
};

/* calls.c */
void trace_event_calls_drop(struct trace_event_removal *removal);
void trace_event_calls_remove(event_chooser_t goes, void *data);
bool trace_event_call_has_regfunc(const struct trace_event_call *call);

/* calls.c; trace_instances_lock() and the events mutex are held. */
int trace_event_call_add(struct trace_event_call *call);
bool trace_event_call_is_busy(struct trace_event_call *call);
bool trace_event_call_is_held(struct trace_event_call *call);
void trace_event_calls_take(struct trace_event_removal *removal, event_chooser_t goes, void *data);

#endif /* _TRACE_EVENTS_CALLS_H */
