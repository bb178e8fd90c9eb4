// SPDX-License-Identifier: GPL-2.0
/*
 * Where a frame returns to that a rethook has hooked: for unwinders, and for those who hook a
 * call after others. It stands below unwind.c, and rethook.c above that.
 */
#include <linux/bug.h>
#include <linux/sched.h>

#include "graph/rethook.h"

/**
 * rethook_find_ret_addr - where does a hooked frame return to?
 * @tsk: current, or another task; nothing is found of one that runs or is ready to
 * @frame: the frame, as arch_rethook_prepare() names it
 * @cur: NULL before the first question; remembers where the next one goes on
 *
 * For unwinders, which ask for frame after frame.
 *
 * Context: any.
 * Return: the address, or 0 when the frame is not hooked.
 */
unsigned long rethook_find_ret_addr(struct task_struct *tsk, unsigned long frame,
				    struct llist_node **cur)
{
	struct rethook_node *bottom;

	if (WARN_ON_ONCE(!cur))
		return 0;
	/* Its list may change at any time, so it is not read. Unwinders ask about any task. */
	if (tsk != current && task_is_running(tsk))
		return 0;
	bottom = rethook_bottom_of(*cur ? (*cur)->next : tsk->rethooks.first, frame);
	if (!bottom)
		return 0;
	*cur = &bottom->llist;
	return bottom->ret_addr;
}

NOKPROBE_SYMBOL(rethook_find_ret_addr);
