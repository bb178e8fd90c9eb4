// SPDX-License-Identifier: GPL-2.0
/*
 * perf's use of trace events: kernel/events/core.c calls these for events of
 * type PERF_TYPE_TRACEPOINT. The first perf event of a trace event registers
 * the perf probe, each CPU has a list of the perf events that are active on it.
 *
 * Records do not go through the ring buffer of tracing: a probe builds its
 * record in a per-CPU page of its context and perf copies it. Setup is under
 * the events mutex; the probes run with preemption disabled, in any context.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/security.h>
#include <linux/tracepoint.h>

#include "events/internal.h"

struct perf_record {
	u64	words[PERF_MAX_TRACE_SIZE / sizeof(u64)];
};

/* One for each context that perf tells apart: task, softirq, irq, NMI. */
static struct perf_record __percpu *records[PERF_NR_CONTEXTS];
static DEFINE_PER_CPU(struct pt_regs, caller_regs[PERF_NR_CONTEXTS]);

static unsigned int nr_registered;	/* calls with a perf probe; E */

static void records_free(void)
{
	for (int i = 0; i < PERF_NR_CONTEXTS; i++) {
		free_percpu(records[i]);
		records[i] = NULL;
	}
}

static int records_alloc(void)
{
	for (int i = 0; i < PERF_NR_CONTEXTS; i++) {
		records[i] = alloc_percpu(struct perf_record);
		if (!records[i]) {
			records_free();
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * May this user have the event? Counting is harmless, records are not, as they
 * hold what the kernel works with; the paranoid level decides about them. Some
 * events show only what a task knows of itself: those are free in a task.
 */
static int perf_permitted(struct trace_event_call *call, struct perf_event *event)
{
	int ret;

	if (call->perf_perm) {
		ret = call->perf_perm(call, event);
		if (ret)
			return ret;
	}
	/* A child inherits what was checked for its parent. */
	if (event->parent)
		return 0;
	if (!(event->attr.sample_type & PERF_SAMPLE_RAW))
		return 0;
	if (event->attach_state == PERF_ATTACH_TASK && (call->flags & TRACE_EVENT_FL_CAP_ANY))
		return 0;
	return perf_allow_tracepoint();
}

static int call_register(struct trace_event_call *call)
{
	struct hlist_head __percpu *heads;
	int cpu, ret = 0;

	trace_events_assert_locked();

	if (call->perf_refcount) {
		call->perf_refcount++;
		return 0;
	}
	heads = alloc_percpu(struct hlist_head);
	if (!heads)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		INIT_HLIST_HEAD(per_cpu_ptr(heads, cpu));
	if (!nr_registered)
		ret = records_alloc();
	if (ret)
		goto free_heads;
	call->perf_events = heads;
	ret = call->class->reg(call, TRACE_REG_PERF_REGISTER, NULL);
	if (ret)
		goto free_records;
	call->perf_refcount = 1;
	nr_registered++;
	return 0;

free_records:
	call->perf_events = NULL;
	if (!nr_registered)
		records_free();
free_heads:
	free_percpu(heads);
	return ret;
}

static void call_unregister(struct trace_event_call *call)
{
	trace_events_assert_locked();

	if (--call->perf_refcount)
		return;
	call->class->reg(call, TRACE_REG_PERF_UNREGISTER, NULL);
	/* Probes that still run use the lists and the records. */
	tracepoint_synchronize_unregister();
	free_percpu(call->perf_events);
	call->perf_events = NULL;
	if (!--nr_registered)
		records_free();
}

static int perf_attach(struct trace_event_call *call, struct perf_event *event)
{
	int ret = perf_permitted(call, event);

	if (!ret)
		ret = call_register(call);
	if (ret)
		return ret;
	event->tp_event = call;
	ret = call->class->reg(call, TRACE_REG_PERF_OPEN, event);
	if (ret)
		call_unregister(call);
	return ret;
}

/**
 * perf_trace_init - bind a perf event to the trace event it names
 * @event: attr.config is the number in the event's file "id"
 *
 * Task context, may sleep. Return: 0, -EINVAL: no such event, -EPERM or
 * -EACCES: not for this user, -ENOMEM, or what the event's reg() says.
 */
int perf_trace_init(struct perf_event *event)
{
	struct trace_event_call *call;
	int ret;

	guard(trace_events)();
	for_each_trace_event_call(call) {
		if (call->event.type != event->attr.config || !call->class->reg ||
		    !trace_event_try_get_ref(call))
			continue;
		ret = perf_attach(call, event);
		if (ret)
			trace_event_put_ref(call);
		return ret;
	}
	return -EINVAL;
}

/**
 * perf_trace_destroy - undo perf_trace_init()
 * @event: the perf event, active nowhere
 *
 * Task context, may sleep; mmap_lock may be held.
 */
void perf_trace_destroy(struct perf_event *event)
{
	struct trace_event_call *call = event->tp_event;

	guard(trace_events)();
	call->class->reg(call, TRACE_REG_PERF_CLOSE, event);
	call_unregister(call);
	trace_event_put_ref(call);
}

/**
 * perf_trace_add - a perf event becomes active on this CPU
 * @event: the perf event
 * @flags: PERF_EF_START: it counts from now on
 *
 * Interrupts disabled. Return: 0 or what the event's reg() says.
 */
int perf_trace_add(struct perf_event *event, int flags)
{
	struct trace_event_call *call = event->tp_event;

	if (!(flags & PERF_EF_START))
		event->hw.state = PERF_HES_STOPPED;
	if (call->class->reg(call, TRACE_REG_PERF_ADD, event))
		return 0;
	if (WARN_ON_ONCE(!call->perf_events))
		return -EINVAL;
	hlist_add_head_rcu(&event->hlist_entry, this_cpu_ptr(call->perf_events));
	return 0;
}

/**
 * perf_trace_del - a perf event is no longer active on this CPU
 * @event: the perf event
 * @flags: unused
 *
 * Interrupts disabled.
 */
void perf_trace_del(struct perf_event *event, int flags)
{
	struct trace_event_call *call = event->tp_event;

	if (!call->class->reg(call, TRACE_REG_PERF_DEL, event))
		hlist_del_rcu(&event->hlist_entry);
}

/**
 * perf_trace_buf_alloc - memory for one record
 * @size: bytes, a multiple of 8 less the 4 that perf puts before it
 * @regs: set to where the probe puts the registers; may be NULL
 * @rctxp: set to the recursion context, for perf_tp_event() to put
 *
 * Any context, preemption disabled. Return: the record, or NULL: too long, or
 * perf is already at work in this context.
 */
void *perf_trace_buf_alloc(int size, struct pt_regs **regs, int *rctxp)
{
	struct perf_record *record;
	int rctx;

	if (WARN_ONCE(size > PERF_MAX_TRACE_SIZE, "perf: record of %d bytes is too long\n", size))
		return NULL;
	rctx = perf_swevent_get_recursion_context();
	*rctxp = rctx;
	if (rctx < 0)
		return NULL;
	if (regs)
		*regs = this_cpu_ptr(&caller_regs[rctx]);
	record = this_cpu_ptr(records[rctx]);
	/* The padding behind the last field goes to user space, too. */
	memset((char *)record + size - sizeof(u64), 0, sizeof(u64));
	return record;
}
EXPORT_SYMBOL_GPL(perf_trace_buf_alloc);
NOKPROBE_SYMBOL(perf_trace_buf_alloc);

/**
 * perf_trace_buf_update - fill in the common fields
 * @record: from perf_trace_buf_alloc()
 * @type: the event's number
 *
 * Any context, preemption disabled.
 */
void perf_trace_buf_update(void *record, u16 type)
{
	tracing_generic_entry_update(record, type, tracing_gen_ctx());
}

NOKPROBE_SYMBOL(perf_trace_buf_update);
