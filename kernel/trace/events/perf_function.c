// SPDX-License-Identifier: GPL-2.0
/*
 * perf's use of calls of functions: the trace event ftrace:function, which only perf can
 * switch on. Each perf event has an ftrace_ops of its own, which is registered as long as the
 * perf event is open, and counts the calls on the CPU that the perf event is active on. It is not
 * the one in struct perf_event, whose private member points to it.
 * The ops may have a filter, see filter/perf_filter.c.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "events/internal.h"
#include "events/perf.h"
#include "hooks/hooks.h"
#include "record/function.h"

/* Four bytes before it, with which perf tells its size, make it a multiple of eight. */
#define FUNCTION_PERF_SIZE						\
	(ALIGN(sizeof(struct trace_function_entry) + sizeof(u32), sizeof(u64)) - sizeof(u32))

static_assert(FUNCTION_PERF_SIZE <= PERF_MAX_TRACE_SIZE);

/* ops->private is the CPU on which the perf event is active; this one stands for none. */
#define FUNCTION_NO_CPU	((void *)(unsigned long)NR_CPUS)

/**
 * struct perf_function - what functions call for a perf event
 * @ops:	with the filters of the perf event
 * @event:	the perf event; used by calls on the CPU that it is active on, with preemption off:
 *		perf frees it after a grace period of RCU
 * @retired:	it outlives the perf event, whose task must not wait for the last callers: it may
 *		hold the mmap_lock of its memory, and what they wait for may need that
 */
struct perf_function {
	struct ftrace_ops	ops;
	struct perf_event	*event;
	struct ftrace_retired	retired;
};

static struct perf_function *perf_function_of(struct perf_event *event)
{
	return event->ftrace_ops.private;
}

/**
 * trace_event_perf_function_ops - the ops of a perf event of ftrace:function
 * @event: the perf event, which is open
 *
 * Context: any.
 * Return: the ops.
 */
struct ftrace_ops *trace_event_perf_function_ops(struct perf_event *event)
{
	return &perf_function_of(event)->ops;
}

static bool perf_function_is_active(const struct ftrace_ops *ops)
{
	return READ_ONCE(ops->private) == (void *)(unsigned long)smp_processor_id();
}

static void perf_function_set_cpu(struct perf_function *function, void *cpu)
{
	/* A call that interrupts this on the same CPU reads it in perf_function_is_active(). */
	WRITE_ONCE(function->ops.private, cpu);
}

/*
 * Called with each call of a function, in any context in which RCU is watching. The flags of
 * the ops have preemption disabled, and calls that perf itself makes left out.
 */
static void perf_function_called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				 struct ftrace_regs *fregs)
{
	struct trace_function_entry *entry;
	struct hlist_head alone;
	struct pt_regs *regs;
	int context;

	if (!perf_function_is_active(ops))
		return;
	entry = perf_trace_buf_alloc(FUNCTION_PERF_SIZE, &regs, &context);
	if (!entry)
		return;
	perf_fetch_caller_regs(regs);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	/* The perf event is on no list, and perf only walks this one. */
	alone.first = &container_of(ops, struct perf_function, ops)->event->hlist_entry;
	perf_trace_buf_submit(entry, FUNCTION_PERF_SIZE, context, TRACE_FN, 1, regs, &alone, NULL);
}

static void perf_function_free(struct ftrace_retired *retired)
{
	struct perf_function *function = container_of(retired, struct perf_function, retired);

	ftrace_free_filter(&function->ops);
	kfree(function);
}

static int perf_function_open(struct perf_event *event)
{
	struct perf_function *function = kzalloc(sizeof(*function), GFP_KERNEL);
	int ret;

	if (!function)
		return -ENOMEM;
	function->event = event;
	function->retired.free = perf_function_free;
	function->ops.func = perf_function_called;
	function->ops.flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_PARENT;
	perf_function_set_cpu(function, FUNCTION_NO_CPU);
	/*
	 * An inherited event uses its parent's filters, which stay as long as the event does: the
	 * parent closes later, so its ops is freed later as well.
	 */
	if (event->parent)
		ftrace_ops_share_filters(&function->ops,
					 trace_event_perf_function_ops(event->parent));
	ret = register_ftrace_function(&function->ops);
	if (ret)
		perf_function_free(&function->retired);
	else
		event->ftrace_ops.private = function;
	return ret;
}

/* The perf event is active nowhere. mmap_lock may be held, so this does not wait. */
static void perf_function_close(struct perf_event *event)
{
	struct perf_function *function = perf_function_of(event);

	ftrace_ops_unregister_nowait(&function->ops);
	event->ftrace_ops.private = NULL;
	guard(ftrace_lock)();
	ftrace_retire(&function->retired);
}

/* The reg() of the class of ftrace:function. 1: the perf event is not to be put on a list. */
static int perf_function_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	switch (type) {
	case TRACE_REG_PERF_REGISTER:
	case TRACE_REG_PERF_UNREGISTER:
		return 0;
	case TRACE_REG_PERF_OPEN:
		return perf_function_open(data);
	case TRACE_REG_PERF_CLOSE:
		perf_function_close(data);
		return 0;
	case TRACE_REG_PERF_ADD:
		perf_function_set_cpu(perf_function_of(data),
				      (void *)(unsigned long)smp_processor_id());
		return 1;
	case TRACE_REG_PERF_DEL:
		perf_function_set_cpu(perf_function_of(data), FUNCTION_NO_CPU);
		return 1;
	default:
		return -EINVAL;
	}
}

/*
 * May a user open ftrace:function? Even the number of calls tells what the kernel does, so it
 * needs the permission to trace. A sample must not read the user's stack: the function may be
 * called by the page fault handler.
 */
static int perf_function_perm(struct trace_event_call *call, struct perf_event *event)
{
	bool user_stack = !event->attr.exclude_callchain_user ||
			  event->attr.sample_type & PERF_SAMPLE_STACK_USER;
	int ret;

	if (event->parent)
		return 0;
	ret = perf_allow_tracepoint();
	if (!ret && is_sampling_event(event) && user_stack)
		ret = -EINVAL;
	return ret;
}

/* Make @call, which has the fields of calls of functions, one that perf can open. */
void trace_event_perf_function_offer(struct trace_event_call *call)
{
	call->class->reg = perf_function_reg;
	call->perf_perm = perf_function_perm;
}
