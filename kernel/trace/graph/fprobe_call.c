// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of functions that have fprobes. Each probe has an ftrace_ops. Its callback stands at
 * the end of this file, and is chosen by what the probe wants: entries only, which keep
 * nothing, or returns as well.
 *
 * For the latter, there are two ways to know at the return who awaits it:
 *
 * - A probe without data that is the first to hook the call pushes a frame of its own. This
 *   has no users, and the hook of the probe in place of the time of the call. When another
 *   hook wants the call's return, too, graph_fprobe_share() makes it a frame of the second kind.
 * - All other fprobes have one bit among the users of returns. The frame of a call, which
 *   another user may have pushed, has data of that user for each probe that awaits the return:
 *
 *	struct fprobe_call	whose it is
 *	entry_data_size bytes	for the handlers
 *
 * A probe may go, and its memory with it, while a task sleeps in one of its functions. So a
 * call refers to a hook, which stays for good: it is free for another probe once nobody can be
 * in the midst of looking at it. A hook's next owner is told of the calls since then only, as
 * it begins another epoch, like a user of user.c.
 */
#include <linux/bug.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/trace_recursion.h>

#include "graph/enter.h"
#include "graph/fprobe.h"
#include "graph/internal.h"
#include "graph/regs.h"
#include "hooks/hooks.h"

static LIST_HEAD(hooks_free);		/* ftrace_lock() */

/*
 * Fprobes whose returns are awaited, under ftrace_lock(). An architecture's return_to_handler()
 * may look at it without: it is not 0 before a function is hooked, and not 0 until no handler
 * is called any more.
 */
int graph_fprobes;

static void fprobe_call_hook_free(struct ftrace_retired *retired)
{
	struct fprobe_hook *hook = container_of(retired, struct fprobe_hook, retired);

	guard(ftrace_lock)();
	list_add(&hook->list, &hooks_free);
}

/* Let the returns of @fp be awaited. Return: 0; -ENODEV: they cannot be; -ENOMEM. */
int graph_fprobe_get(struct fprobe *fp)
{
	struct fprobe_hook *hook;

	guard(ftrace_lock)();
	if (ftrace_graph_is_dead())
		return -ENODEV;
	hook = list_first_entry_or_null(&hooks_free, struct fprobe_hook, list);
	if (hook)
		list_del(&hook->list);
	else
		hook = kzalloc(sizeof(*hook), GFP_KERNEL);
	if (!hook)
		return -ENOMEM;
	if (graph_ahead_want()) {
		list_add(&hook->list, &hooks_free);
		return -ENOMEM;
	}
	hook->max_active = fp->nr_maxactive;
	atomic_set(&hook->active, 0);
	fp->hook = hook;
	fp->since = graph_state.epoch + 1;
	WRITE_ONCE(graph_fprobes, graph_fprobes + 1);
	WRITE_ONCE(graph_state.epoch, graph_state.epoch + 1);
	/*
	 * Release: a CPU that sees the new pointer also sees its ->since, which was written
	 * before.
	 */
	smp_store_release(&hook->fp, fp);
	return 0;
}

/* Call @fp at returns no more. Callbacks may still look at it, for a grace period. */
void graph_fprobe_put(struct fprobe *fp)
{
	struct fprobe_hook *hook = fp->hook;

	guard(ftrace_lock)();
	WRITE_ONCE(hook->fp, NULL);
	/* A return that finds none left finds no probe in its hook: see graph_fprobes. */
	smp_store_release(&graph_fprobes, graph_fprobes - 1);
	hook->retired.free = fprobe_call_hook_free;
	ftrace_retire(&hook->retired);
	graph_spares_unwant();
}

/**
 * graph_fprobe_share - let others join a frame that is one fprobe's own
 * @stack: of current
 * @frame: the innermost
 *
 * Context: an entry of the same call, not to be preempted. Only this context looks at who awaits
 * the return, so what interrupts it may find the change half done.
 * Return: false if there is no room for the hook among the data.
 */
noinline bool graph_fprobe_share(struct graph_stack *stack, struct ftrace_ret_stack *frame)
{
	struct fprobe_call *call;

	call = graph_data_reserve(stack, GRAPH_USER_FPROBE, sizeof(*call));
	if (!call)
		return false;
	call->hook = own_hook(frame);
	call->epoch = frame->epoch;
	frame->calltime = 0;
	frame->users = BIT(GRAPH_USER_FPROBE);
	return true;
}

NOKPROBE_SYMBOL(graph_fprobe_share);

static __always_inline bool fprobe_call_hook_begin(struct fprobe_hook *hook)
{
	if (likely(!hook->max_active) || atomic_inc_return(&hook->active) <= hook->max_active)
		return true;
	atomic_dec(&hook->active);
	return false;
}

/*
 * Is this call of @hook in the frame already? Then the function has been jumped to from
 * its own end.
 */
static noinline bool fprobe_call_frame_has(struct graph_stack *stack,
					   const struct ftrace_ret_stack *frame,
					   const struct fprobe_hook *hook)
{
	const struct fprobe_call *call = NULL;

	while ((call = next_call(stack, frame->data, call))) {
		if (call->hook == hook)
			return true;
	}
	return false;
}

/*
 * The frame of the call at @ip: that which others have pushed, or a new one. False: no room.
 */
static __always_inline bool
fprobe_call_frame(struct graph_stack *stack, unsigned long ip, struct ftrace_regs *fregs,
		  const struct fprobe_hook *hook, struct ftrace_ret_stack **frame, bool *shared)
{
	unsigned long ret = READ_ONCE(*arch_ftrace_retp(fregs));
	unsigned long *place = arch_ftrace_place(fregs);
	int depth;

	*frame = graph_enter_shares(stack, ret, place, ip);
	*shared = unlikely(*frame) && !fprobe_call_frame_has(stack, *frame, hook);
	return *shared ||
	       graph_enter_push(stack, ip, place, ret, 0, BIT(GRAPH_USER_FPROBE), frame, &depth);
}

/* Room for what is known of this call of @fp. NULL: there is none. */
static __always_inline struct fprobe_call *fprobe_call_reserve(struct graph_stack *stack,
							       struct fprobe *fp)
{
	struct fprobe_call *call;

	call = graph_data_reserve(stack, GRAPH_USER_FPROBE, sizeof(*call) + fp->entry_data_size);
	if (call) {
		call->hook = fp->hook;
		call->epoch = READ_ONCE(graph_state.epoch);
	}
	return call;
}

/* An entry of a probe with data, or of one that is not the first to hook the call. */
static noinline void fprobe_call_entry(struct fprobe *fp, struct graph_stack *stack,
				       unsigned long ip,
				       struct ftrace_regs *fregs)
{
	struct ftrace_ret_stack *frame;
	struct fprobe_call *call;
	struct probe_regs room;
	bool shared, framed;
	int decline = 0;

	framed = fprobe_call_frame(stack, ip, fregs, fp->hook, &frame, &shared);
	call = likely(framed) ? fprobe_call_reserve(stack, fp) : NULL;
	if (unlikely(!call))
		fprobe_miss(fp, FGRAPH_MISS_FULL);
	else if (fp->entry_handler)
		decline = fp->entry_handler(fp, ip, real_return(stack, frame),
					    probe_entry_regs(fregs, &room),
					    fp->entry_data_size ? call->data : NULL);
	if (likely(call && !decline)) {
		if (shared)
			frame->users |= BIT(GRAPH_USER_FPROBE);
		else
			graph_set_handler(arch_ftrace_retp(fregs));
		return;
	}
	if (framed && !shared)
		graph_stack_pop_frame(stack, frame);
	else if (call)
		graph_stack_unreserve(stack, call);
	hook_end(fp->hook);
}

NOKPROBE_SYMBOL(fprobe_call_entry);

/* An entry for which the probe has a frame of its own. @ret is no address of graph/'s. */
static __always_inline void fprobe_call_entry_own(struct fprobe *fp, struct graph_stack *stack,
						  unsigned long ip, unsigned long ret,
						  struct ftrace_regs *fregs)
{
	unsigned long *place = arch_ftrace_place(fregs);
	struct ftrace_ret_stack *frame;
	struct probe_regs room;
	int depth;

	if (unlikely(!graph_enter_push(stack, ip, place, ret, (unsigned long)fp->hook, 0,
				       &frame, &depth))) {
		fprobe_miss(fp, FGRAPH_MISS_FULL);
		hook_end(fp->hook);
		return;
	}
	if (unlikely(fp->entry_handler &&
		     fp->entry_handler(fp, ip, real_return(stack, frame),
				       probe_entry_regs(fregs, &room), NULL))) {
		graph_stack_pop_frame(stack, frame);
		hook_end(fp->hook);
		return;
	}
	graph_set_handler(arch_ftrace_retp(fregs));
}

/* An entry of a function whose return is wanted. */
static __always_inline void fprobe_call_enter_call(struct fprobe *fp, unsigned long ip,
						   struct ftrace_regs *fregs)
{
	int why __uninitialized;
	unsigned long ret = READ_ONCE(*arch_ftrace_retp(fregs));
	struct graph_stack *stack;

	stack = graph_enter_stack(&why);
	if (unlikely(!stack)) {
		if (why != FGRAPH_MISS_NR)
			fprobe_miss(fp, why);
		return;
	}
	if (unlikely(!fprobe_call_hook_begin(fp->hook))) {
		fprobe_miss(fp, FPROBE_MISS_ACTIVE);
		return;
	}
	if (likely(!fp->entry_data_size && ret != graph_handler()))
		fprobe_call_entry_own(fp, stack, ip, ret, fregs);
	else
		fprobe_call_entry(fp, stack, ip, fregs);
}

/*
 * Without @returns, @parent_ip has to be the address of the function's caller. With it, the
 * frame of the call tells that.
 */
static __always_inline void fprobe_call_enter(struct fprobe *fp, unsigned long ip,
					      unsigned long parent_ip, struct ftrace_regs *fregs,
					      bool returns)
{
	struct probe_regs room;

	if (returns)
		fprobe_call_enter_call(fp, ip, fregs);
	else
		fp->entry_handler(fp, ip, parent_ip, probe_entry_regs(fregs, &room), NULL);
}

/* No kprobe's handler runs, and none will run until the end of this one. */
static __always_inline void fprobe_call_enter_shared(struct fprobe *fp, unsigned long ip,
						     unsigned long parent_ip,
						     struct ftrace_regs *fregs, bool returns)
{
	if (unlikely(kprobe_running())) {
		fprobe_miss(fp, FPROBE_MISS_KPROBE);
		return;
	}
	kprobe_busy_begin();
	fprobe_call_enter(fp, ip, parent_ip, fregs, returns);
	kprobe_busy_end();
}

static __always_inline void fprobe_call_enter_as(struct fprobe *fp, unsigned long ip,
						 unsigned long parent_ip, struct ftrace_regs *fregs,
						 bool returns, bool shared)
{
	if (shared)
		fprobe_call_enter_shared(fp, ip, parent_ip, fregs, returns);
	else
		fprobe_call_enter(fp, ip, parent_ip, fregs, returns);
}

/*
 * The caller of a function. @parent_ip is a handler's if the return was hooked when the function
 * was entered. It may have been hooked again since, so the hooks are followed from the last one.
 */
static __always_inline unsigned long fprobe_call_entry_parent(struct ftrace_regs *fregs,
							      unsigned long parent_ip)
{
	if (unlikely(ftrace_is_return_handler(parent_ip)))
		return graph_real_return(arch_ftrace_place(fregs),
					 READ_ONCE(*arch_ftrace_retp(fregs)), 0, NULL);
	return parent_ip;
}

/* fprobe_call_hit() in an interrupt, or called from within a callback. */
static noinline void fprobe_call_hit_any(struct fprobe *fp, unsigned long ip,
					 unsigned long parent_ip, struct ftrace_regs *fregs,
					 bool returns, bool shared)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (unlikely(bit < 0)) {
		fprobe_miss(fp, FGRAPH_MISS_RECURSION);
		return;
	}
	if (!returns)
		parent_ip = fprobe_call_entry_parent(fregs, parent_ip);
	fprobe_call_enter_as(fp, ip, parent_ip, fregs, returns, shared);
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fprobe_call_hit_any);

/* fprobe_call_hit() of a probe without an exit handler, where somebody has hooked the return. */
static noinline void fprobe_call_hit_hooked(struct fprobe *fp, unsigned long ip,
					    unsigned long parent_ip, struct ftrace_regs *fregs,
					    bool shared)
{
	if (unlikely(!graph_task_begin())) {
		fprobe_call_hit_any(fp, ip, parent_ip, fregs, false, shared);
		return;
	}
	fprobe_call_enter_as(fp, ip, fprobe_call_entry_parent(fregs, parent_ip), fregs, false,
			     shared);
	graph_task_end();
}

NOKPROBE_SYMBOL(fprobe_call_hit_hooked);

static __always_inline void fprobe_call_hit(struct ftrace_ops *ops, unsigned long ip,
					    unsigned long parent_ip, struct ftrace_regs *fregs,
					    bool returns, bool shared)
{
	struct fprobe *fp = container_of(ops, struct fprobe, ops);

	if (unlikely(probe_is_disabled(fp)))
		return;
	if (!returns && unlikely(ftrace_is_return_handler(parent_ip))) {
		fprobe_call_hit_hooked(fp, ip, parent_ip, fregs, shared);
		return;
	}
	if (unlikely(!graph_task_begin())) {
		fprobe_call_hit_any(fp, ip, parent_ip, fregs, returns, shared);
		return;
	}
	fprobe_call_enter_as(fp, ip, parent_ip, fregs, returns, shared);
	graph_task_end();
}

static void fprobe_call_hit_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	fprobe_call_hit(ops, ip, parent_ip, fregs, false, false);
}

NOKPROBE_SYMBOL(fprobe_call_hit_entry);

static void fprobe_call_hit_entry_shared(unsigned long ip, unsigned long parent_ip,
					 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	fprobe_call_hit(ops, ip, parent_ip, fregs, false, true);
}

NOKPROBE_SYMBOL(fprobe_call_hit_entry_shared);

static void fprobe_call_hit_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				 struct ftrace_regs *fregs)
{
	fprobe_call_hit(ops, ip, parent_ip, fregs, true, false);
}

NOKPROBE_SYMBOL(fprobe_call_hit_call);

static void fprobe_call_hit_call_shared(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	fprobe_call_hit(ops, ip, parent_ip, fregs, true, true);
}

NOKPROBE_SYMBOL(fprobe_call_hit_call_shared);

/* The callback of the ops of @fp. */
ftrace_func_t graph_fprobe_func(const struct fprobe *fp)
{
	bool shared = fp->flags & FPROBE_FL_KPROBE_SHARED;

	if (fp->exit_handler)
		return shared ? fprobe_call_hit_call_shared : fprobe_call_hit_call;
	if (fp->entry_handler)
		return shared ? fprobe_call_hit_entry_shared : fprobe_call_hit_entry;
	return ftrace_stub;
}
