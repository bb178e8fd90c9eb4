// SPDX-License-Identifier: GPL-2.0
/*
 * perf's use of trace events: kernel/events/core.c calls these for events of
 * type PERF_TYPE_TRACEPOINT. The first perf event of a trace event registers
 * the perf probe, each CPU has a list of the perf events that are active on it.
 *
 * Records do not go through the ring buffer of tracing: a probe builds its
 * record in a per-CPU page of its context and perf copies it. Setup is under
 * the events mutex; the probes run with preemption disabled, in any context.
 * An event on the list of events may be a probe of another event, for which
 * it becomes a user of that one in the top instance: so trace_instances_lock()
 * is held as well for these.
 *
 * perf may destroy a perf event under mmap_lock, when it unmaps the last page of a ring buffer.
 * The reg() of a class may take mmap_lock, as that of uprobes does, and is called with the events
 * mutex held. So the events mutex must not be taken under mmap_lock: the call of a perf event
 * that has gone is put when the task returns to user space, as fput() does it. When the task's
 * close() returns, the event has no probe of perf, and its module may go.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "events/internal.h"
#include "events/perf.h"
#include "lib/wait.h"
#include "record/context.h"

/*
 * Where a probe builds its record and puts the registers that go with it. A CPU has one
 * for each context that perf tells apart: task, softirq, irq and NMI. perf's recursion
 * context keeps a second probe of the same context out. They are allocated as long as a
 * call has a perf probe.
 */
struct perf_scratch {
	struct pt_regs	regs;
	u64		record[PERF_MAX_TRACE_SIZE / sizeof(u64)];
};

static struct perf_scratch __percpu *perf_scratch[PERF_NR_CONTEXTS];	/* events mutex */
static unsigned int perf_nr_calls;	/* events mutex, calls that have a perf probe */

static void perf_scratch_free(void)
{
	for (int i = 0; i < PERF_NR_CONTEXTS; i++) {
		free_percpu(perf_scratch[i]);
		perf_scratch[i] = NULL;
	}
}

static int perf_scratch_alloc(void)
{
	for (int i = 0; i < PERF_NR_CONTEXTS; i++) {
		perf_scratch[i] = alloc_percpu(struct perf_scratch);
		if (!perf_scratch[i]) {
			perf_scratch_free();
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * May this user have the event? The event's own perf_perm() may refuse. A user who only
 * counts needs no permission. Records show data of the kernel, so they need the permission
 * to trace, unless the event shows a task nothing but what the task does itself. An event
 * that a child inherits was permitted to its parent.
 */
static int perf_permission(struct trace_event_call *call, struct perf_event *event)
{
	bool records = event->attr.sample_type & PERF_SAMPLE_RAW;
	bool of_itself = event->attach_state == PERF_ATTACH_TASK &&
			 call->flags & TRACE_EVENT_FL_CAP_ANY;
	int ret = call->perf_perm ? call->perf_perm(call, event) : 0;

	if (!ret && records && !of_itself && !event->parent)
		ret = perf_allow_tracepoint();
	return ret;
}

/*
 * The lists of a call whose last perf event has gone. Its probe is unregistered, and may still
 * run for a grace period of the tracepoints, so the lists and the records stay that long. The task
 * that closes does not wait: it may have many perf events to close. Nobody else waits either: if
 * the call is opened again meanwhile, it goes on with its lists, and if it is removed, its owner
 * waits. A work item frees all lists that have gone since its last grace period.
 */
struct perf_drained {
	struct list_head	list;	/* events mutex; of perf_drained_list */
	struct trace_event_call	*call;	/* constant; NULL: it is on no list, and goes at any time */
	struct hlist_head __percpu *heads;	/* constant; its lists */
	unsigned long		round;	/* constant; the work's round that frees it */
};

static LIST_HEAD(perf_drained_list);	/* events mutex */
static unsigned long perf_round;	/* events mutex; of the next run of the work */

static void perf_lists_free(struct trace_event_call *call, struct hlist_head __percpu *heads)
{
	free_percpu(heads);
	if (call)
		call->perf_events = NULL;
	if (!--perf_nr_calls)
		perf_scratch_free();
}

static void perf_drained_free(struct perf_drained *d)
{
	list_del(&d->list);
	perf_lists_free(d->call, d->heads);
	kfree(d);
}

static void perf_drain(struct work_struct *work)
{
	struct perf_drained *d, *next;
	unsigned long round;

	scoped_guard(trace_events)
		round = perf_round++;
	trace_wait_probes();
	guard(trace_events)();
	list_for_each_entry_safe(d, next, &perf_drained_list, list) {
		if (!time_after(d->round, round))
			perf_drained_free(d);
	}
}

static DECLARE_WORK(perf_drain_work, perf_drain);

static struct perf_drained *perf_drained_find(const struct trace_event_call *call)
{
	struct perf_drained *d;

	list_for_each_entry(d, &perf_drained_list, list) {
		if (d->call == call)
			return d;
	}
	return NULL;
}

/**
 * trace_event_perf_had - may a probe still run that perf had put in place?
 * @call: the event; perf does not have it any more
 *
 * Context: task; the events mutex is held.
 * Return: true if it may. Then a grace period of the tracepoints is to pass before
 * trace_event_perf_forget().
 */
bool trace_event_perf_had(const struct trace_event_call *call)
{
	trace_events_assert_locked();
	return perf_drained_find(call);
}

/**
 * trace_event_perf_forget - an event goes, which perf may have had until a moment ago
 * @call: the event; no probe runs any more
 *
 * Context: task; the events mutex is held.
 */
void trace_event_perf_forget(struct trace_event_call *call)
{
	struct perf_drained *d = perf_drained_find(call);

	trace_events_assert_locked();
	if (d)
		perf_drained_free(d);
}

/* Give the call lists for its perf events, empty ones. 0 or -ENOMEM. */
static int perf_lists_get(struct trace_event_call *call)
{
	struct perf_drained *d = perf_drained_find(call);
	struct hlist_head __percpu *heads;
	int cpu, ret = 0;

	if (d) {
		list_del(&d->list);
		kfree(d);
		return 0;
	}
	heads = alloc_percpu(struct hlist_head);
	if (!heads)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		INIT_HLIST_HEAD(per_cpu_ptr(heads, cpu));
	if (!perf_nr_calls)
		ret = perf_scratch_alloc();
	if (ret) {
		free_percpu(heads);
		return ret;
	}
	call->perf_events = heads;
	perf_nr_calls++;
	return 0;
}

/*
 * Free the lists of a call whose probe is unregistered, some time later. The owner of a @local
 * call frees it behind this, when its last hit has ended.
 */
static void perf_lists_put(struct trace_event_call *call, bool local)
{
	/* It is small, and there is no other way to be had without waiting. */
	struct perf_drained *d = kmalloc(sizeof(*d), GFP_KERNEL | __GFP_NOFAIL);

	d->call = local ? NULL : call;
	d->heads = call->perf_events;
	d->round = perf_round;
	list_add_tail(&d->list, &perf_drained_list);
	trace_wait_queue(&perf_drain_work);
}

/* Count a perf event that uses the call. The first one registers the probe. 0 or errno. */
static int perf_call_get(struct trace_event_call *call, bool local)
{
	int ret;

	trace_events_assert_locked();

	if (call->perf_refcount) {
		call->perf_refcount++;
		return 0;
	}
	ret = perf_lists_get(call);
	if (ret)
		return ret;
	ret = call->class->reg(call, TRACE_REG_PERF_REGISTER, NULL);
	if (!ret)
		call->perf_refcount = 1;
	else
		/* Parts of the probe may have hit, and may still do. */
		perf_lists_put(call, local);
	return ret;
}

/* Undo perf_call_get(). */
static void perf_call_put(struct trace_event_call *call, bool local)
{
	trace_events_assert_locked();

	if (--call->perf_refcount)
		return;
	call->class->reg(call, TRACE_REG_PERF_UNREGISTER, NULL);
	perf_lists_put(call, local);
}

static int perf_event_attach(struct trace_event_call *call, struct perf_event *event, bool local)
{
	int ret = perf_permission(call, event);

	if (!ret)
		ret = perf_call_get(call, local);
	if (ret)
		return ret;
	event->tp_event = call;
	ret = call->class->reg(call, TRACE_REG_PERF_OPEN, event);
	if (ret)
		perf_call_put(call, local);
	return ret;
}

/**
 * perf_trace_init - bind a perf event to the trace event it names
 * @event: attr.config is the number in the event's file "id"
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0, -EINVAL: no such event, -EBUSY: its module is not ready or going, -EPERM or
 * -EACCES: not for this user, -ENOMEM, or what the event's reg() says.
 */
int perf_trace_init(struct perf_event *event)
{
	struct trace_event_call *call;
	int ret;

	guard(trace_instances)();
	guard(trace_events)();
	for_each_trace_event_call(call) {
		if (call->event.type != event->attr.config || !call->class->reg)
			continue;
		ret = trace_event_call_keep(call);
		if (ret)
			return ret;
		ret = perf_event_attach(call, event, false);
		if (ret)
			trace_event_call_unkeep(call);
		return ret;
	}
	return -EINVAL;
}

/**
 * trace_event_perf_attach - bind a perf event to a call that is on no list
 * @call: the call; its owner keeps it until trace_event_perf_detach() releases it
 * @event: the perf event
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0, -EPERM or -EACCES: not for this user, -ENOMEM, or what the call's reg() says.
 */
int trace_event_perf_attach(struct trace_event_call *call, struct perf_event *event)
{
	guard(trace_events)();
	return perf_event_attach(call, event, true);
}

/* A call whose perf event has gone. One of @work and @later puts it. */
struct perf_put {
	union {
		struct callback_head	work;
		struct work_struct	later;
	};
	struct trace_event_call	*call;
	void			(*release)(struct trace_event_call *call);
};

static void perf_put_call(struct trace_event_call *call,
			  void (*release)(struct trace_event_call *call))
{
	if (release) {
		scoped_guard(trace_events)
			perf_call_put(call, true);
		release(call);
		return;
	}
	guard(trace_instances)();
	guard(trace_events)();
	perf_call_put(call, false);
	trace_event_call_unkeep(call);
}

static void perf_put_free(struct perf_put *put)
{
	perf_put_call(put->call, put->release);
	kfree(put);
}

static void perf_put_work(struct callback_head *work)
{
	perf_put_free(container_of(work, struct perf_put, work));
}

static void perf_put_later(struct work_struct *work)
{
	perf_put_free(container_of(work, struct perf_put, later));
}

/* Have the call put where no mmap_lock is held. False: that is here. */
static bool perf_put_elsewhere(struct perf_put *put)
{
	/* It may be in mmput_async(), taking apart the memory of a task that has gone. */
	if (current->flags & PF_WQ_WORKER) {
		INIT_WORK(&put->later, perf_put_later);
		queue_work(system_unbound_wq, &put->later);
		return true;
	}
	if (current->flags & PF_KTHREAD)
		return false;
	init_task_work(&put->work, perf_put_work);
	return !task_work_add(current, &put->work, TWA_RESUME);
}

/**
 * trace_event_perf_detach - undo trace_event_perf_attach()
 * @event: the perf event, active nowhere
 * @release: called when nothing uses its call any more, without a lock; it may be freed then.
 *	NULL: the call is that of perf_trace_init()
 *
 * The call may be released after this has returned. A task does that before it returns to user
 * space, a worker leaves it to another work item. An exiting task has given up its memory, so it
 * need not wait. Other kernel threads need not either: if one of them has the mmap_lock of memory
 * that it takes apart, nobody uses that memory any more, and uprobes leave it alone.
 *
 * Context: task, may sleep; mmap_lock may be held.
 */
void trace_event_perf_detach(struct perf_event *event,
			     void (*release)(struct trace_event_call *call))
{
	struct trace_event_call *call = event->tp_event;
	struct perf_put *put;

	/* It takes no mmap_lock, and waits for nobody who might. */
	call->class->reg(call, TRACE_REG_PERF_CLOSE, event);
	put = kmalloc(sizeof(*put), GFP_KERNEL | __GFP_NOFAIL);
	put->call = call;
	put->release = release;
	if (!perf_put_elsewhere(put))
		perf_put_free(put);
}

/**
 * perf_trace_destroy - undo perf_trace_init()
 * @event: the perf event, active nowhere
 *
 * Context: task, may sleep; mmap_lock may be held.
 */
void perf_trace_destroy(struct perf_event *event)
{
	/* The call stays until it is put, as perf_trace_init() keeps its module. */
	trace_event_perf_detach(event, NULL);
}

/*
 * The list of this CPU's active perf events that the probe goes through. NULL:
 * the class keeps its active events itself, and has done so with this one.
 */
static struct hlist_head *perf_active_list(struct perf_event *event, enum trace_reg change)
{
	struct trace_event_call *call = event->tp_event;

	lockdep_assert_irqs_disabled();

	return call->class->reg(call, change, event) ? NULL : this_cpu_ptr(call->perf_events);
}

/**
 * perf_trace_add - a perf event becomes active on this CPU
 * @event: the perf event, bound by perf_trace_init()
 * @flags: PERF_EF_START: it counts from now on
 *
 * Context: interrupts disabled.
 * Return: 0
 */
int perf_trace_add(struct perf_event *event, int flags)
{
	struct hlist_head *active;

	/* perf_tp_event() passes over what has stopped. */
	if (!(flags & PERF_EF_START))
		event->hw.state = PERF_HES_STOPPED;
	/* Without this the first sample would come before a whole period has passed. */
	if (is_sampling_event(event)) {
		event->hw.last_period = event->hw.sample_period;
		perf_swevent_set_period(event);
	}
	active = perf_active_list(event, TRACE_REG_PERF_ADD);
	if (active)
		hlist_add_head_rcu(&event->hlist_entry, active);
	return 0;
}

/**
 * perf_trace_del - a perf event is no longer active on this CPU
 * @event: the perf event
 * @flags: unused
 *
 * The list's readers are probes; the event is freed after they have left.
 *
 * Context: interrupts disabled.
 */
void perf_trace_del(struct perf_event *event, int flags)
{
	if (perf_active_list(event, TRACE_REG_PERF_DEL))
		hlist_del_rcu(&event->hlist_entry);
}

/**
 * perf_trace_buf_alloc - memory for one record
 * @size: bytes, a multiple of 8 less the 4 that perf puts before it
 * @regs: set to where the probe puts the registers; may be NULL
 * @rctxp: set to the recursion context, which perf_tp_event() gives back
 *
 * Context: any, preemption disabled.
 * Return: the record, or NULL: too long, or perf is already at work in this
 * context.
 */
void *perf_trace_buf_alloc(int size, struct pt_regs **regs, int *rctxp)
{
	struct perf_scratch *scratch;

	*rctxp = -1;
	if (!WARN_ONCE(size > PERF_MAX_TRACE_SIZE, "perf: record of %d bytes is too long\n", size))
		*rctxp = perf_swevent_get_recursion_context();
	if (*rctxp < 0)
		return NULL;
	scratch = this_cpu_ptr(perf_scratch[*rctxp]);
	if (regs)
		*regs = &scratch->regs;
	/* The last field may end before the record does; user space sees all of it. */
	memset((void *)scratch->record + size - sizeof(u64), 0, sizeof(u64));
	return scratch->record;
}
EXPORT_SYMBOL_GPL(perf_trace_buf_alloc);
NOKPROBE_SYMBOL(perf_trace_buf_alloc);

/**
 * perf_trace_buf_update - fill in the common fields
 * @record: from perf_trace_buf_alloc()
 * @type: the event's number
 *
 * Context: any, preemption disabled.
 */
void perf_trace_buf_update(void *record, u16 type)
{
	unsigned int trace_ctx;

	trace_ctx = likely(trace_task_usual(0)) ? trace_task_context(0, 16, 0) : tracing_gen_ctx();
	tracing_generic_entry_update(record, type, trace_ctx);
}

NOKPROBE_SYMBOL(perf_trace_buf_update);
