/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of an architecture's contract, see arch.h, that is about what sites call.
 *
 * A site calls a *target*. How the text says so is the architecture's choice:
 *
 * - The call leads to a trampoline that belongs to the target and knows @func
 *   and @ops. arch_ftrace_target_init() makes it. Where no trampoline is in reach or
 *   free, an entry may call arch_ftrace_ops_list_func() instead, which finds the target
 *   by the site's address.
 * - The call leads to one entry that all targets share, and the target's address
 *   is a literal beside the function: the entry loads @func and @ops from the
 *   target. Then @size is 0, @entry may be where the shared entry goes on, and
 *   arch_ftrace_patch() writes the literal before the call can reach the entry. A CPU
 *   may still read the old literal after it was replaced: that target is valid until
 *   the grace period ends. The literal of a site that becomes a NOP is made to lead to a
 *   target that does nothing and stays. No CPU should read it; but a CPU that executes the
 *   new call of a later patch with the literal from before would jump to freed memory otherwise.
 *
 * Generic code fills a target with plain stores and has no barrier behind them. The
 * architecture publishes the target: there is a write barrier before it writes a word by which
 * CPUs find the target, or the word is text that CPUs see only after all of them were
 * synchronized.
 */
#ifndef _TRACE_SITES_TARGET_H
#define _TRACE_SITES_TARGET_H

#include <linux/ftrace.h>

/**
 * struct ftrace_call - a callback and its ops
 * @func:	what is called for @ops; another one at any time
 * @ops:	its third argument; immutable
 */
struct ftrace_call {
	ftrace_func_t		func;
	struct ftrace_ops	*ops;
};

/**
 * struct ftrace_target - what a site calls
 * @entry:	where the call of a site leads, unless the architecture finds a way
 *		around that (a module's PLT). Set by arch_ftrace_target_init()
 * @size:	bytes of code at @entry that belong to this target alone; 0: none
 * @func:	what the entry calls, with @ops as the third argument; NULL for a
 *		direct call. hooks/ changes it under ftrace_lock(); a shared entry
 *		reads it at each call
 * @ops:	see @func
 * @direct:	the owner's code that sites call; 0: this is no direct call
 * @flags:	FTRACE_OPS_FL_SAVE_REGS, _NO_FREGS, _INSIDE, _VIEW; _DIRECT: a callback may
 *		ask for a direct call; _PAIR: there is a @pair
 * @pair:	the two calls that @func makes; NULL: @func does something else. An entry
 *		may make them itself, one after the other, each with its own ops.
 *		hooks/ changes their functions at any time, and calls
 *		arch_ftrace_target_retarget() then
 *
 * All but @func are immutable between arch_ftrace_target_init() and
 * arch_ftrace_target_exit().
 */
struct ftrace_target {
	unsigned long		entry;
	unsigned long		size;
	ftrace_func_t		func;
	struct ftrace_ops	*ops;
	unsigned long		direct;
	unsigned long		flags;
	const struct ftrace_call *pair;
};

/**
 * arch_ftrace_target_init - decide where the calls of a target lead
 * @target: @func, @ops, @direct and @flags are set; @entry and @size become so
 *
 * A direct call that not every site can reach by a branch needs another way (the
 * shared entry goes on to @direct), or is refused here. This is the only place for that:
 * -ERANGE of arch_ftrace_patch() says that the site has lost the way that all sites have.
 *
 * Context: task, ftrace_lock(); may sleep and take text_mutex.
 * Return: 0; -ENOMEM; -ERANGE when @func or @direct is too far away.
 */
int arch_ftrace_target_init(struct ftrace_target *target);

/**
 * arch_ftrace_target_retarget - let a target call something else
 * @target: its @func is new, or that of a call of its @pair
 *
 * A CPU that is between the entry and the old function still calls the old one.
 *
 * Context: task, ftrace_lock(); may sleep and take text_mutex.
 */
void arch_ftrace_target_retarget(struct ftrace_target *target);

/**
 * arch_ftrace_target_exit - undo arch_ftrace_target_init()
 * @target: no site calls it, and nobody has been inside since
 *
 * Context: task, may sleep and take text_mutex.
 */
void arch_ftrace_target_exit(struct ftrace_target *target);

#endif /* _TRACE_SITES_TARGET_H */
