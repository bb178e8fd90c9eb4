// SPDX-License-Identifier: GPL-2.0
/*
 * Owners of dynamic events and of instances. Their events go with them: if they are on, they are
 * switched off in all instances, and their triggers go, too. Perf, and those who keep an event,
 * such as another event or a histogram that refers to it, cannot lose it. So an event that they
 * have is left behind as an orphan, as it is, and a work item looks each second whether it can go.
 *
 * An owner's instances go before its events: they may have such histograms. Somebody may have
 * files of an instance open; then it is left as an orphan, see trace_instances_end().
 *
 * An owner may end in any task that may sleep. Each removal waits without a lock until the events
 * are in no hit, as always. A busy CPU may keep it waiting for long, so the task goes on when it
 * is killed, or exits (lib/wait.h).
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "instance/instance.h"
#include "lib/wait.h"

/* The owner of orphans. */
static const char owner_none[] = "none";

static void owner_work_fn(struct work_struct *work);

static DECLARE_DELAYED_WORK(owner_work, owner_work_fn);

/* The events of an owner that are meant: all, or the one of a number. */
struct owner_choice {
	const void	*owner;
	u64		number;		/* 0: all */
};

static bool owner_chooses(const struct trace_dyn_event *event, const void *data)
{
	const struct owner_choice *choice = data;

	return event->owner == choice->owner &&
	       (!choice->number || event->number == choice->number);
}

/* The number of the first event of an owner behind that of @number; 0: there is none. */
static u64 owner_next(const void *owner, u64 number)
{
	struct trace_dyn_event *event = NULL;

	guard(trace_events)();
	while ((event = trace_dyn_event_next(NULL, event))) {
		if (event->owner == owner && event->number > number)
			return event->number;
	}
	return 0;
}

/* Remove the events of an owner one by one. True: some of them went. */
static bool owner_end_each(const void *owner)
{
	struct owner_choice choice = { .owner = owner };
	bool some = false;

	while ((choice.number = owner_next(owner, choice.number)))
		some |= !trace_dyn_events_end(owner_chooses, &choice);
	return some;
}

/* Remove the events of an owner. False: users have some of them, or memory is short. */
static bool owner_end(const void *owner)
{
	const struct owner_choice all = { .owner = owner };
	int ret = trace_dyn_events_end(owner_chooses, &all);

	if (!ret || ret == -ENOENT)
		return true;
	/* An event may keep another one that comes before it. */
	while (owner_end_each(owner))
		;
	return !owner_next(owner, 0);
}

/* All events of an owner become those of another one, if @number is before theirs. */
static void owner_change(const void *owner, u64 number, const struct task_struct *maker,
			 const void *next)
{
	struct trace_dyn_event *event = NULL;

	guard(trace_events)();
	while ((event = trace_dyn_event_next(NULL, event))) {
		if (event->owner == owner && event->number > number &&
		    (!maker || event->maker == maker))
			event->owner = next;
	}
}

static void owner_work_fn(struct work_struct *work)
{
	if (!owner_end(owner_none))
		queue_delayed_work(system_unbound_wq, &owner_work, HZ);
}

/**
 * trace_dyn_events_own - have an owner for what this task has added
 * @number: of trace_dyn_events_number(): for events that were added since
 * @owner: an address that nobody else has until trace_dyn_owner_end()
 *
 * Context: task, may sleep; takes the events mutex.
 */
void trace_dyn_events_own(u64 number, const void *owner)
{
	owner_change(NULL, number, current, owner);
}

/* Remove the instances and events of an owner, but for orphans. */
static void owner_finish(void *owner)
{
	trace_instances_end(owner);
	if (!owner_next(owner, 0) || owner_end(owner))
		return;
	owner_change(owner, 0, NULL, owner_none);
	queue_delayed_work(system_unbound_wq, &owner_work, HZ);
}

static void owner_free(void *gone)
{
	kfree(gone);
}

/**
 * trace_dyn_owner_end - an owner goes, and its instances and events with it
 * @owner: the owner, whose address may be that of another one when this returns
 *
 * Users do not find the events any more, but for orphans. If the task is killed, or exits, they may
 * be freed a while later, and events of an owner that has instances go with these then.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex, and waits without.
 */
void trace_dyn_owner_end(const void *owner)
{
	void *gone = kmalloc(sizeof(long), GFP_KERNEL);

	if (gone && trace_instances_own(owner, gone)) {
		owner_change(owner, 0, NULL, gone);
		trace_wait_call(owner_finish, owner_free, gone, TASK_KILLABLE);
		return;
	}
	kfree(gone);
	owner_finish((void *)owner);
}
