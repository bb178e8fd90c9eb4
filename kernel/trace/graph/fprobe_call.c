// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of functions that have fprobes. Each probe has an ftrace_ops. Its callback stands at
 * the end of this file, and is chosen by what the probe wants: entries only, which keep
 * nothing, or returns as well.
 *
 * For the latter, there are two ways to know at the return who awaits it:
 *
 * - A probe without data and without a limit that is the first to hook the call pushes a frame
 *   of its own. This has no users, no data, and the hook of the probe in place of the time of the
 *   call; its return address is the real one. When another hook wants the call's return, too,
 *   graph_fprobe_share() makes it a frame of the second kind.
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
#include "graph/graph.h"
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

/* An entry that gets data in a frame. */
static __always_inline void fprobe_call_entry(struct fprobe *fp, struct graph_stack *stack,
					      unsigned long ip, struct ftrace_regs *fregs)
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

/* A function of its own, so that CONFIG_INIT_STACK_ALL_* does not clear the frame beforehand. */
static __always_inline void
fprobe_call_push_own(const struct fprobe *fp, struct graph_stack *stack,
		     const struct graph_stack_room *at, unsigned long ip, unsigned long ret,
		     struct ftrace_regs *fregs)
{
	const struct ftrace_ret_stack call =
		graph_frame(ip, arch_ftrace_place(fregs), ret, (unsigned long)fp->hook, 0,
			    READ_ONCE(graph_state.epoch));

	graph_stack_add(stack, at, &call);
}

/*
 * An entry for which the probe gets a frame of its own. Return false if there cannot be one: then
 * nothing is done.
 */
static __always_inline bool fprobe_call_enter_own(struct fprobe *fp, unsigned long ip,
						  struct ftrace_regs *fregs)
{
	struct graph_stack *stack = READ_ONCE(current->graph_stack);
	unsigned long ret = READ_ONCE(*arch_ftrace_retp(fregs));
	struct graph_stack_room at;
	struct probe_regs room;

	/* data_race: as in graph_enter_stack(). */
	if (unlikely(!stack || data_race((u32)current->graph_pause) | data_race(graph_state.dead)))
		return false;
	if (unlikely(ftrace_is_return_handler(ret) || !graph_stack_has_room(stack, &at)))
		return false;
	fprobe_call_push_own(fp, stack, &at, ip, ret, fregs);
	if (unlikely(fp->entry_handler &&
		     fp->entry_handler(fp, ip, ret, probe_entry_regs(fregs, &room), NULL)))
		graph_stack_drop_last(stack, at.frame);
	else
		graph_set_handler(arch_ftrace_retp(fregs));
	return true;
}

/* An entry of a function whose return is wanted, in any other case. */
static noinline void fprobe_call_enter_data(struct fprobe *fp, unsigned long ip,
					    struct ftrace_regs *fregs)
{
	int why __uninitialized;
	struct graph_stack *stack;

	stack = graph_enter_stack(&why);
	if (unlikely(!stack)) {
		if (why != FGRAPH_MISS_NR)
			fprobe_miss(fp, why);
		else if (fp->entered)
			fprobe_miss(fp, FGRAPH_MISS_PAUSED);
		return;
	}
	if (unlikely(!fprobe_call_hook_begin(fp->hook))) {
		fprobe_miss(fp, FPROBE_MISS_ACTIVE);
		return;
	}
	fprobe_call_entry(fp, stack, ip, fregs);
}

NOKPROBE_SYMBOL(fprobe_call_enter_data);

/* Things that a probe keeps of a call. */
enum fprobe_call_way {
	FPROBE_CALL_ENTRY,	/* nothing: the return is not wanted */
	FPROBE_CALL_DATA,	/* data in a frame */
	FPROBE_CALL_OWN,	/* a frame of its own, if the probe is the first */
};

/*
 * If the return is not wanted, @parent_ip has to be the address of the function's caller. If it
 * is, the frame of the call tells that.
 */
static __always_inline void fprobe_call_enter(struct fprobe *fp, unsigned long ip,
					      unsigned long parent_ip, struct ftrace_regs *fregs,
					      enum fprobe_call_way way)
{
	struct probe_regs room;

	if (way == FPROBE_CALL_ENTRY)
		fp->entry_handler(fp, ip, parent_ip, probe_entry_regs(fregs, &room), NULL);
	else if (way == FPROBE_CALL_DATA || unlikely(!fprobe_call_enter_own(fp, ip, fregs)))
		fprobe_call_enter_data(fp, ip, fregs);
}

/* No kprobe's handler runs, and none will run until the end of this one. */
static __always_inline void fprobe_call_enter_shared(struct fprobe *fp, unsigned long ip,
						     unsigned long parent_ip,
						     struct ftrace_regs *fregs,
						     enum fprobe_call_way way)
{
	if (unlikely(kprobe_running())) {
		fprobe_miss(fp, FPROBE_MISS_KPROBE);
		return;
	}
	kprobe_busy_begin();
	fprobe_call_enter(fp, ip, parent_ip, fregs, way);
	kprobe_busy_end();
}

static __always_inline void fprobe_call_enter_as(struct fprobe *fp, unsigned long ip,
						 unsigned long parent_ip, struct ftrace_regs *fregs,
						 enum fprobe_call_way way, bool shared)
{
	if (shared)
		fprobe_call_enter_shared(fp, ip, parent_ip, fregs, way);
	else
		fprobe_call_enter(fp, ip, parent_ip, fregs, way);
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
					 enum fprobe_call_way way, bool shared)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (unlikely(bit < 0)) {
		fprobe_miss(fp, FGRAPH_MISS_RECURSION);
		return;
	}
	if (way == FPROBE_CALL_ENTRY)
		parent_ip = fprobe_call_entry_parent(fregs, parent_ip);
	fprobe_call_enter_as(fp, ip, parent_ip, fregs, way, shared);
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fprobe_call_hit_any);

/* fprobe_call_hit() of a probe without an exit handler, where somebody has hooked the return. */
static noinline void fprobe_call_hit_hooked(struct fprobe *fp, unsigned long ip,
					    unsigned long parent_ip, struct ftrace_regs *fregs,
					    bool shared)
{
	if (unlikely(!graph_task_begin())) {
		fprobe_call_hit_any(fp, ip, parent_ip, fregs, FPROBE_CALL_ENTRY, shared);
		return;
	}
	fprobe_call_enter_as(fp, ip, fprobe_call_entry_parent(fregs, parent_ip), fregs,
			     FPROBE_CALL_ENTRY, shared);
	graph_task_end();
}

NOKPROBE_SYMBOL(fprobe_call_hit_hooked);

/* @counted: the owner has the entries counted, before anything else is known of them. */
static __always_inline void fprobe_call_hit(struct ftrace_ops *ops, unsigned long ip,
					    unsigned long parent_ip, struct ftrace_regs *fregs,
					    enum fprobe_call_way way, bool shared, bool counted)
{
	struct fprobe *fp = container_of(ops, struct fprobe, ops);

	if (unlikely(probe_is_disabled(fp)))
		return;
	if (counted)
		this_cpu_inc(*fp->entered);
	if (way == FPROBE_CALL_ENTRY && unlikely(ftrace_is_return_handler(parent_ip))) {
		fprobe_call_hit_hooked(fp, ip, parent_ip, fregs, shared);
		return;
	}
	if (unlikely(!graph_task_begin())) {
		fprobe_call_hit_any(fp, ip, parent_ip, fregs, way, shared);
		return;
	}
	fprobe_call_enter_as(fp, ip, parent_ip, fregs, way, shared);
	graph_task_end();
}

/*
 * May the probe have a frame of its own? If its calls are counted, or have data, it has none, so
 * the short ways need not look for these.
 */
static __always_inline bool fprobe_call_has_frame(const struct fprobe *fp)
{
	return !fp->entry_data_size && !fp->nr_maxactive;
}

#define FPROBE_CALL_HIT(name, way, shared, counted)					\
static void name(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,	\
		 struct ftrace_regs *fregs)						\
{											\
	fprobe_call_hit(ops, ip, parent_ip, fregs, way, shared, counted);		\
}

FPROBE_CALL_HIT(fprobe_call_hit_entry, FPROBE_CALL_ENTRY, false, false)
NOKPROBE_SYMBOL(fprobe_call_hit_entry);
FPROBE_CALL_HIT(fprobe_call_hit_entry_shared, FPROBE_CALL_ENTRY, true, false)
NOKPROBE_SYMBOL(fprobe_call_hit_entry_shared);
FPROBE_CALL_HIT(fprobe_call_hit_call, FPROBE_CALL_OWN, false, false)
NOKPROBE_SYMBOL(fprobe_call_hit_call);
FPROBE_CALL_HIT(fprobe_call_hit_data, FPROBE_CALL_DATA, false, false)
NOKPROBE_SYMBOL(fprobe_call_hit_data);
FPROBE_CALL_HIT(fprobe_call_hit_data_shared, FPROBE_CALL_DATA, true, false)
NOKPROBE_SYMBOL(fprobe_call_hit_data_shared);
FPROBE_CALL_HIT(fprobe_call_hit_counted, FPROBE_CALL_OWN, false, true)
NOKPROBE_SYMBOL(fprobe_call_hit_counted);
FPROBE_CALL_HIT(fprobe_call_hit_data_counted, FPROBE_CALL_DATA, false, true)
NOKPROBE_SYMBOL(fprobe_call_hit_data_counted);

/**
 * fprobe_hit_alone - a function is called whose return a probe awaits
 * @fp: the probe, of fprobe_begin_alone()
 * @ip: the function's site
 * @parent_ip: where the function returns to, or a handler of returns
 * @fregs: all registers, as its ops would have them
 *
 * Context: the callback of an ops, with preemption disabled.
 */
void fprobe_hit_alone(struct fprobe *fp, unsigned long ip, unsigned long parent_ip,
		      struct ftrace_regs *fregs)
{
	if (fprobe_call_has_frame(fp))
		fprobe_call_hit(&fp->ops, ip, parent_ip, fregs, FPROBE_CALL_OWN, false, true);
	else
		fprobe_call_hit_data_counted(ip, parent_ip, &fp->ops, fregs);
}

NOKPROBE_SYMBOL(fprobe_hit_alone);

/* The callback of the ops of @fp. */
ftrace_func_t graph_fprobe_func(const struct fprobe *fp)
{
	bool shared = fp->flags & FPROBE_FL_KPROBE_SHARED;

	if (fp->entered)
		return fprobe_call_has_frame(fp) ? fprobe_call_hit_counted :
						   fprobe_call_hit_data_counted;
	if (fp->exit_handler && !shared && fprobe_call_has_frame(fp))
		return fprobe_call_hit_call;
	if (fp->exit_handler)
		return shared ? fprobe_call_hit_data_shared : fprobe_call_hit_data;
	if (fp->entry_handler)
		return shared ? fprobe_call_hit_entry_shared : fprobe_call_hit_entry;
	return ftrace_stub;
}
