// SPDX-License-Identifier: GPL-2.0
/*
 * perf's use of calls of functions: the trace event ftrace:function, which only perf can
 * switch on. Each perf event has an ftrace_ops of its own, which is registered as long as the
 * perf event is open, and counts the calls on the CPU that the perf event is active on.
 * The ops may have a filter, see filter/perf_filter.c.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/security.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "events/internal.h"
#include "hooks/hooks.h"
#include "record/function.h"

/* Four bytes before it, with which perf tells its size, make it a multiple of eight. */
#define FUNCTION_PERF_SIZE						\
	(ALIGN(sizeof(struct trace_function_entry) + sizeof(u32), sizeof(u64)) - sizeof(u32))

static_assert(FUNCTION_PERF_SIZE <= PERF_MAX_TRACE_SIZE);

/* ops->private is the CPU on which the perf event is active; this one stands for none. */
#define FUNCTION_NO_CPU	((void *)(unsigned long)NR_CPUS)

static bool perf_function_is_active(const struct ftrace_ops *ops)
{
	return READ_ONCE(ops->private) == (void *)(unsigned long)smp_processor_id();
}

static void perf_function_set_cpu(struct perf_event *event, void *cpu)
{
	/* A call that interrupts this on the same CPU reads it in perf_function_is_active(). */
	WRITE_ONCE(event->ftrace_ops.private, cpu);
}

/*
 * Called with each call of a function, in any context in which RCU is watching. The flags of
 * the ops have preemption disabled, and calls that perf itself makes left out.
 */
static void perf_function_called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				 struct ftrace_regs *fregs)
{
	struct perf_event *event = container_of(ops, struct perf_event, ftrace_ops);
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
	alone.first = &event->hlist_entry;
	perf_trace_buf_submit(entry, FUNCTION_PERF_SIZE, context, TRACE_FN, 1, regs, &alone, NULL);
}

static int perf_function_open(struct perf_event *event)
{
	struct ftrace_ops *ops = &event->ftrace_ops;

	ops->func = perf_function_called;
	ops->flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_PARENT;
	perf_function_set_cpu(event, FUNCTION_NO_CPU);
	/* An inherited event uses its parent's filters, which stay as long as the event does. */
	if (event->parent)
		ftrace_ops_share_filters(ops, &event->parent->ftrace_ops);
	return register_ftrace_function(ops);
}

/* Waits for the last callers: perf frees the ops with the perf event. */
static void perf_function_close(struct perf_event *event)
{
	unregister_ftrace_function(&event->ftrace_ops);
	ftrace_free_filter(&event->ftrace_ops);
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
		perf_function_set_cpu(data, (void *)(unsigned long)smp_processor_id());
		return 1;
	case TRACE_REG_PERF_DEL:
		perf_function_set_cpu(data, FUNCTION_NO_CPU);
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
