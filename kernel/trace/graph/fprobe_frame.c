// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of calls whose return fprobes await: the call returns, or never will. fprobe_call.c
 * tells how a frame knows its probes.
 */
#include <linux/preempt.h>

#include "graph/fprobe.h"
#include "graph/regs.h"

/* The return of a call for which the probe has a frame of its own. */
static __always_inline void fprobe_frame_leave_own(const struct ftrace_ret_stack *frame,
						   unsigned long ret, struct pt_regs *regs)
{
	struct fprobe_hook *hook = own_hook(frame);
	struct fprobe *fp = hook_probe(hook, frame->epoch);

	if (unlikely(!fp))
		return;
	if (likely(!probe_is_disabled(fp)))
		fp->exit_handler(fp, frame->func, ret, regs, NULL);
	hook_end(hook);
}

/* A call with fprobes returns. Each has its exit_handler called, the last one first. */
void graph_fprobe_leave(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
			struct ftrace_regs *fregs)
{
	unsigned long ret = real_return(stack, frame);
	struct fprobe_call *call = NULL;
	struct probe_regs room;
	struct pt_regs *regs;
	struct fprobe *fp;

	regs = probe_return_regs(fregs, ret, &room);
	if (likely(graph_is_fprobes_own(frame))) {
		fprobe_frame_leave_own(frame, ret, regs);
		return;
	}
	while ((call = next_call(stack, frame->data, call))) {
		fp = hook_probe(call->hook, call->epoch);
		if (unlikely(!fp))
			continue;
		if (likely(!probe_is_disabled(fp)))
			fp->exit_handler(fp, frame->func, ret, regs,
					 fp->entry_data_size ? call->data : NULL);
		hook_end(call->hook);
	}
}

NOKPROBE_SYMBOL(graph_fprobe_leave);

static void fprobe_frame_hook_missed(struct fprobe_hook *hook, u32 epoch, enum fgraph_miss reason)
{
	struct fprobe *fp = hook_probe(hook, epoch);

	if (!fp)
		return;
	fprobe_miss(fp, reason);
	hook_end(hook);
}

/* A call with fprobes, the innermost, returns or has returned, and handlers do not run. */
void graph_fprobe_missed(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
			 enum fgraph_miss reason)
{
	struct fprobe_call *call = NULL;

	if (graph_is_fprobes_own(frame))
		fprobe_frame_hook_missed(own_hook(frame), frame->epoch, reason);
	while ((call = next_call(stack, frame->data, call)))
		fprobe_frame_hook_missed(call->hook, call->epoch, reason);
}

/* A task is no more, and its calls will not return. */
void graph_fprobe_forget(struct graph_stack *stack)
{
	const struct ftrace_ret_stack *frame;
	struct fprobe_call *call = NULL;

	/* A hook gets no other owner before every CPU has scheduled. */
	preempt_disable_notrace();
	for (frame = stack->frames; frame < &stack->frames[stack->nr]; frame++) {
		if (graph_is_fprobes_own(frame) && hook_probe(own_hook(frame), frame->epoch))
			hook_end(own_hook(frame));
	}
	while ((call = next_call(stack, GRAPH_STACK_SIZE, call))) {
		if (hook_probe(call->hook, call->epoch))
			hook_end(call->hook);
	}
	preempt_enable_notrace();
}
