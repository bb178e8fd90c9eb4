// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of calls whose return fprobes await: the call returns, or never will. fprobe_call.c
 * tells how a frame knows its probes.
 */
#include <linux/preempt.h>

#include "graph/fprobe.h"
#include "graph/regs.h"

/* The return of a call for which the probe has a frame of its own. The probe has no limit. */
static __always_inline void fprobe_frame_leave_own(const struct ftrace_ret_stack *frame,
						   unsigned long ret, struct pt_regs *regs)
{
	struct fprobe *fp = hook_probe(own_hook(frame), frame->epoch);

	if (likely(fp && !probe_is_disabled(fp)))
		fp->exit_handler(fp, frame->func, ret, regs, NULL);
}

/**
 * graph_fprobe_return - a return that one fprobe awaits, by a frame of its own
 * @fregs: as for ftrace_return_to_handler()
 * @stack: of current
 * @frame: the innermost, without users. Such a frame has no data, and its @ret is the real one
 *
 * Context: in place of a user's short way, behind graph_task_begin(), which this ends.
 */
void graph_fprobe_return(struct ftrace_regs *fregs, struct graph_stack *stack,
			 struct ftrace_ret_stack *frame)
{
	/* The handler is shown other registers. */
	unsigned long *retp = arch_ftrace_retp(fregs), ret = frame->ret;
	struct probe_regs room;

	fprobe_frame_leave_own(frame, ret, probe_return_regs(fregs, ret, &room));
	graph_task_end();
	/* An unwinder finds the frame until it finds the address. */
	WRITE_ONCE(*retp, frame->ret);
	barrier();
	graph_stack_drop_last(stack, frame);
}

NOKPROBE_SYMBOL(graph_fprobe_return);

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
	if (graph_is_fprobes_own(frame)) {
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
	struct fprobe_call *call = NULL;

	/* A hook gets no other owner before every CPU has scheduled. */
	preempt_disable_notrace();
	for (u32 i = 0; i < stack->nr; i++) {
		const struct ftrace_ret_stack *frame = &stack->frames[i];

		/* A CPU that died may have been about to push or pop its idle task's last one. */
		if (frame->retp && graph_is_fprobes_own(frame))
			fprobe_frame_hook_missed(own_hook(frame), frame->epoch, FGRAPH_MISS_LEFT);
	}
	while ((call = next_call(stack, GRAPH_STACK_SIZE, call)))
		fprobe_frame_hook_missed(call->hook, call->epoch, FGRAPH_MISS_LEFT);
	preempt_enable_notrace();
}
