// SPDX-License-Identifier: GPL-2.0
/*
 * The triggers of the events of instances, and how record.c calls them. trigger.h tells the
 * rules.
 *
 * The list of an event's triggers changes under the events mutex. Probes walk it with preemption
 * off, which is a read side of RCU. Flags of the trace_event_file say what the probe has to do:
 * TRIGGER_MODE, there is a trigger; TRIGGER_COND, one needs the record; TRACE_EVENT_COUNTED, see
 * draft.h.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/sizes.h>
#include <linux/thread_info.h>

#include "events/calls.h"
#include "events/draft.h"
#include "events/file.h"
#include "events/hit.h"
#include "events/internal.h"
#include "instance/instance.h"
#include "record/scratch.h"

/*
 * Records for triggers that are longer than record.c's own places have room for, and those of
 * nested hits. The most that a probe makes is a page of 4096 bytes.
 */
#define TRIGGER_LONG_LEN	(4096 - sizeof(struct trace_event_place))
#define TRIGGER_LONG_PLACES	6

struct trigger_long {
	struct trace_event_place	place;
	u8				record[TRIGGER_LONG_LEN] __aligned(8);
};

struct trigger_longs {
	unsigned int		used;		/* this CPU only, preemption off */
	struct trigger_long	place[TRIGGER_LONG_PLACES];
};

/* Allocated with the first trigger that needs records, under the events mutex; never freed. */
static struct trigger_longs __percpu *trigger_longs;

/* NULL: @len is too long, or there is no place left. Preemption is off. */
struct trace_event_place *trace_event_long_get(unsigned long len)
{
	struct trigger_longs __percpu *longs = READ_ONCE(trigger_longs);
	struct trigger_long *place;

	if (!longs || len > TRIGGER_LONG_LEN)
		return NULL;
	place = trace_scratch_get(this_cpu_ptr(longs));
	return place ? &place->place : NULL;
}

void trace_event_long_put(void)
{
	trace_scratch_put(this_cpu_ptr(trigger_longs));
}

/*
 * The triggers that this CPU is calling, in all contexts. A trigger that raises its own event is
 * found here, and one that is called in an interrupt while the interrupted code calls it is not
 * the same call.
 */
#define TRIGGER_DEPTH	16

/*
 * So many of them may be of one context. Each takes about a kilobyte of its stack, and that of an
 * NMI has 8 kilobytes; softirqs, interrupts and some NMIs may share one.
 */
#define TRIGGER_DEPTH_TASK	MIN(8, THREAD_SIZE / SZ_2K)
#define TRIGGER_DEPTH_INTERRUPT	4

struct trace_event_trigger_call {
	struct trace_event_trigger	*trigger;	/* NULL: the place is not filled in */
	unsigned int			level;
};

struct trigger_calls {
	unsigned int		used;		/* this CPU only, preemption off */
	struct trace_event_trigger_call	place[TRIGGER_DEPTH];
};

static DEFINE_PER_CPU(struct trigger_calls, trigger_calls);

/* A place for the trigger in this context; NULL: it is under way there, or there are too many. */
static __always_inline struct trace_event_trigger_call *
trigger_place(struct trigger_calls *calls, const struct trace_event_trigger *trigger,
	      unsigned int level)
{
	unsigned int room = level ? TRIGGER_DEPTH_INTERRUPT : TRIGGER_DEPTH_TASK;

	for (unsigned int i = 0; i < calls->used; i++) {
		const struct trace_event_trigger_call *call = &calls->place[i];

		if (!call->trigger || call->level != level)
			continue;
		if (call->trigger == trigger || !--room)
			return NULL;
	}
	return trace_scratch_get(calls);
}

/**
 * trace_event_trigger_enter - may a trigger be called here?
 * @trigger: the trigger; if it may not, that is counted
 *
 * Context: any, with preemption off until trace_event_trigger_leave().
 * Return: for trace_event_trigger_leave(); NULL: it may not.
 */
struct trace_event_trigger_call *trace_event_trigger_enter(struct trace_event_trigger *trigger)
{
	struct trigger_calls *calls = this_cpu_ptr(&trigger_calls);
	unsigned int level = interrupt_context_level();
	struct trace_event_trigger_call *call = trigger_place(calls, trigger, level);

	if (unlikely(!call)) {
		atomic_long_inc(&trigger->missed);
		return NULL;
	}
	call->level = level;
	/* An interrupt that comes before this finds NULL. */
	WRITE_ONCE(call->trigger, trigger);
	return call;
}

/**
 * trace_event_trigger_leave - undo trace_event_trigger_enter()
 * @call: what it returned
 *
 * Context: that of trace_event_trigger_enter().
 */
void trace_event_trigger_leave(struct trace_event_trigger_call *call)
{
	WRITE_ONCE(call->trigger, NULL);
	trace_scratch_put(this_cpu_ptr(&trigger_calls));
}

/* Call all triggers of the event, and note in @afters the ones that want to be called again. */
void trace_event_triggers_hit(struct trace_event_hit *hit, struct trace_event_afters *afters)
{
	struct trace_event_trigger *trigger;
	struct trace_event_trigger_call *call;
	bool again;

	afters->nr = 0;
	for_each_trace_event_trigger(trigger, hit->file) {
		/* A trigger that came after the probe had begun without a record. */
		if (trigger->needs_record && !hit->record)
			continue;
		call = trace_event_trigger_enter(trigger);
		if (!call)
			continue;
		again = trigger->hit(trigger, hit);
		trace_event_trigger_leave(call);
		if (again && !WARN_ON_ONCE(!trigger->after || afters->nr == TRACE_EVENT_AFTERS))
			afters->trigger[afters->nr++] = trigger;
	}
}

/* The triggers stay as long as preemption is off, which it was since trace_event_triggers_hit(). */
void trace_event_triggers_after(struct trace_event_hit *hit,
				const struct trace_event_afters *afters)
{
	struct trace_event_trigger_call *call;

	hit->record = NULL;
	for (unsigned int i = 0; i < afters->nr; i++) {
		struct trace_event_trigger *trigger = afters->trigger[i];

		call = trace_event_trigger_enter(trigger);
		/* hit() had a place here, so this is for a future that takes places. */
		if (!call)
			continue;
		trigger->after(trigger, hit);
		trace_event_trigger_leave(call);
	}
}

/* There is no place for the record of a hit. */
void trace_event_triggers_missed(struct trace_event_file *file)
{
	struct trace_event_trigger *trigger;

	for_each_trace_event_trigger(trigger, file)
		atomic_long_inc(&trigger->missed);
}

/**
 * trace_event_hit_time - when the event was raised
 * @hit: the hit
 *
 * All triggers of a hit get the same time, which is no later than that of its record.
 *
 * Context: any, in a trigger's hit() or after().
 * Return: the time by the clock of the instance.
 */
u64 trace_event_hit_time(struct trace_event_hit *hit)
{
	if (!hit->timed) {
		hit->time = ring_buffer_time_stamp(hit->file->tr->array_buffer.buffer);
		hit->timed = true;
	}
	return hit->time;
}

static void trigger_set_flags(struct trace_event_file *file)
{
	bool some = !list_empty(&file->triggers), needs = false, counted = some;
	struct trace_event_trigger *trigger;

	list_for_each_entry(trigger, &file->triggers, list) {
		needs |= trigger->needs_record;
		counted &= trigger->needs_record && trigger->count;
	}
	trigger = list_first_entry_or_null(&file->triggers, struct trace_event_trigger, list);
	if (!counted || !list_is_singular(&file->triggers))
		trigger = NULL;
	/* Pairs with the dependency of a probe, which is waited for before the trigger is freed. */
	smp_store_release(&container_of(file, struct trace_event_state, file)->counter, trigger);
	assign_bit(TRACE_EVENT_COUNTED_BIT, &file->flags, counted);
	assign_bit(EVENT_FILE_FL_TRIGGER_COND_BIT, &file->flags, needs);
	assign_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags, some);
}

/* Is there room for one more trigger with an after()? */
static bool trigger_fits(struct trace_event_file *file)
{
	struct trace_event_trigger *trigger;
	unsigned int nr = 0;

	list_for_each_entry(trigger, &file->triggers, list)
		nr += !!trigger->after;
	return nr < TRACE_EVENT_AFTERS;
}

/**
 * trace_event_trigger_add - have a trigger told of an event's hits
 * @trigger: the trigger, at the end of the event's
 * @file: the event
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0; -ENODEV: the event is gone; -ENOSPC: TRACE_EVENT_AFTERS triggers have an after();
 * -ENOMEM.
 */
int trace_event_trigger_add(struct trace_event_trigger *trigger, struct trace_event_file *file)
{
	if (trace_event_file_is_gone(file))
		return -ENODEV;
	if (trigger->after) {
		trigger->needs_record = true;
		if (!trigger_fits(file))
			return -ENOSPC;
	}
	if (trigger->needs_record && !trigger_longs) {
		struct trigger_longs __percpu *longs = alloc_percpu(struct trigger_longs);

		if (!longs)
			return -ENOMEM;
		WRITE_ONCE(trigger_longs, longs);
	}
	list_add_tail_rcu(&trigger->list, &file->triggers);
	trigger_set_flags(file);
	return 0;
}

/**
 * trace_event_trigger_del - undo trace_event_trigger_add()
 * @trigger: the trigger
 * @file: the event, which may be going
 *
 * It may be called until tracepoint_synchronize_unregister() has returned, and is freed after
 * that.
 *
 * Context: task; the events mutex is held.
 */
void trace_event_trigger_del(struct trace_event_trigger *trigger, struct trace_event_file *file)
{
	trace_events_assert_locked();

	list_del_rcu(&trigger->list);
	trigger_set_flags(file);
}
