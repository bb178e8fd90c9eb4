/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: how a call knows the fprobes that await its return. For fprobe_call.c, whose
 * entries write it down, and fprobe_frame.c, which finds it in the frame.
 */
#ifndef _TRACE_GRAPH_FPROBE_H
#define _TRACE_GRAPH_FPROBE_H

#include <linux/fprobe.h>
#include <linux/kprobes.h>

#include "graph/data.h"
#include "graph/enter.h"
#include "graph/internal.h"
#include "hooks/hooks.h"

/**
 * struct fprobe_hook - what calls know of a probe
 * @fp: RCU; the probe, NULL when it has gone
 * @active: calls that await their return, if there is a limit
 * @max_active: the limit, 0: there is none
 * @retired: until no call can be looking at the probe
 * @list: ftrace_lock(); in hooks_free, when nobody has it
 */
struct fprobe_hook {
	struct fprobe		*fp;
	atomic_t		active;
	int			max_active;
	struct ftrace_retired	retired;
	struct list_head	list;
};

/* In the data of a frame. */
struct fprobe_call {
	struct fprobe_hook	*hook;
	u64			epoch;
	char			data[];
};

/* fprobe_disabled() of a probe that is known to be one. */
static __always_inline bool probe_is_disabled(const struct fprobe *fp)
{
	return READ_ONCE(fp->flags) & FPROBE_FL_DISABLED;
}

static inline void fprobe_miss(struct fprobe *fp, int reason)
{
	atomic_long_inc(&fp->missed[reason]);
	atomic_long_inc(&fp->missed_all);
}

/* For return_to_handler(). */
extern int graph_fprobes;

/*
 * The probe that owned @hook when a call was made in @epoch. NULL: that probe was unregistered,
 * whether or not the hook has another owner now.
 */
static __always_inline struct fprobe *hook_probe(const struct fprobe_hook *hook, u32 epoch)
{
	struct fprobe *fp = READ_ONCE(hook->fp);

	return fp && (s32)(epoch - fp->since) >= 0 ? fp : NULL;
}

/* The hook that a probe has written into a frame of its own. */
static __always_inline struct fprobe_hook *own_hook(const struct ftrace_ret_stack *frame)
{
	return (struct fprobe_hook *)(unsigned long)frame->calltime;
}

static __always_inline void hook_end(struct fprobe_hook *hook)
{
	if (unlikely(hook->max_active))
		atomic_dec(&hook->active);
}

/*
 * A probe's calls in a frame, or in several of them, those that came last first: the one
 * behind @call, or the first.
 */
static __always_inline struct fprobe_call *next_call(struct graph_stack *stack, u32 end,
						     const struct fprobe_call *call)
{
	struct graph_data *data = call ? graph_data_behind(call) : graph_data_first(stack);

	data = graph_data_find(stack, GRAPH_USER_FPROBE, data, end);
	return data ? (struct fprobe_call *)(data + 1) : NULL;
}

/* real_return() of a call that others have hooked before. */
static noinline unsigned long real_return_hooked(const struct graph_stack *stack,
						 const struct ftrace_ret_stack *frame)
{
	return graph_real_return(frame->retp, frame->ret, frame - stack->frames, NULL);
}

NOKPROBE_SYMBOL(real_return_hooked);

/* Where does the call of @frame really return to? */
static __always_inline unsigned long real_return(const struct graph_stack *stack,
						 const struct ftrace_ret_stack *frame)
{
	if (unlikely(ftrace_is_return_handler(frame->ret)))
		return real_return_hooked(stack, frame);
	return frame->ret;
}

#endif /* _TRACE_GRAPH_FPROBE_H */
