// SPDX-License-Identifier: GPL-2.0
/*
 * Entries and returns of functions.
 *
 *	f:	call trampoline		graph_hook_entry() of each user pushes a frame with
 *					the return address, or joins that of the user before,
 *					and lets the stack say return_to_handler() instead
 *		...
 *		ret			to return_to_handler(), the architecture's
 *					ftrace_return_to_handler() calls the users, and puts
 *					the return address back
 *
 * A frame is pushed before the stack is written to, and popped when the return address
 * is back on the stack, so whoever finds return_to_handler() there finds a frame. Users
 * are called with preemption off. One level of nesting is allowed: early in an interrupt,
 * before preempt_count shows it, a hit looks like recursion in the interrupted context.
 *
 * All frames are those of current: a function that is entered by one task and left by
 * another is __notrace_funcgraph. Calls return in the order of the stack, so the frame
 * of a return is the innermost one, and its place tells whether it is. If it is not, the calls
 * of the frames within were left without a return.
 */
#include <kunit/visibility.h>

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/trace_recursion.h>

#include "graph/enter.h"
#include "graph/graph.h"
#include "graph/internal.h"
#include "hooks/hooks.h"
#include "lib/clock.h"

/*
 * entryfunc has said that the user of @frame awaits the return. The epoch is read behind what
 * entryfunc has gone by: if that was written with fgraph_forget_calls(), the frame belongs to the
 * epoch that this has begun.
 */
static __always_inline u32 graph_epoch_entered(void)
{
	/* Pairs with the release of what entryfunc has gone by. */
	smp_acquire__after_ctrl_dep();
	return READ_ONCE(graph_state.epoch);
}

/*
 * @frame, which others have hooked, gets a newer epoch. Users that have gone since, or have
 * forgotten the call, must not be told of it then, and neither must a new user with the number of
 * one that has gone. A task that sees the new epoch sees the time since when a user is told, too.
 */
static noinline void graph_redate(struct ftrace_ret_stack *frame, u32 epoch)
{
	unsigned long bits = frame->users & GENMASK(GRAPH_OTHER_USERS - 1, 0);

	for (; bits; bits &= bits - 1) {
		if (!graph_frame_user(frame, bits))
			frame->users &= ~BIT(__ffs(bits));
	}
	frame->epoch = epoch;
}

NOKPROBE_SYMBOL(graph_redate);

static __always_inline void graph_enter(unsigned long ip, struct fgraph_ops *gops,
					struct ftrace_regs *fregs)
{
	unsigned long *retp = arch_ftrace_retp(fregs), *place = arch_ftrace_place(fregs);
	struct fgraph_call call __uninitialized;
	struct ftrace_ret_stack *top, *frame;
	int why __uninitialized;
	struct graph_stack *stack;
	u16 user = gops->bit, data;
	u32 epoch;
	unsigned long ret;
	int depth;

	stack = graph_enter_stack(&why);
	if (unlikely(!stack)) {
		if (why != FGRAPH_MISS_NR)
			graph_miss(gops, why);
		return;
	}
	call.ent.func = ip;
	ret = READ_ONCE(*retp);
	top = graph_enter_shares(stack, ret, place, ip);
	if (unlikely(top && !(top->users & user))) {
		if (!top->calltime)
			top->calltime = trace_clock_quick();
		call.calltime = top->calltime;
		call.ent.depth = stack->nr - 1;
		data = stack->data;
		if (gops->entryfunc(&call.ent, gops)) {
			epoch = graph_epoch_entered();
			if (unlikely(epoch != top->epoch))
				graph_redate(top, epoch);
			top->users |= user;
		} else if (stack->data != data) {
			graph_stack_drop_data(stack, data);
		}
		return;
	}
	call.calltime = trace_clock_quick();
	if (unlikely(!graph_enter_push(stack, ip, place, ret, call.calltime, user, &frame,
				       &depth))) {
		graph_miss(gops, FGRAPH_MISS_FULL);
		return;
	}
	call.ent.depth = depth;
	if (!gops->entryfunc(&call.ent, gops)) {
		graph_stack_pop_frame(stack, frame);
		return;
	}
	frame->epoch = graph_epoch_entered();
	graph_set_handler(retp);
}

/* Has @gops made the call itself?  @bit is what ftrace_test_recursion_trylock() has returned. */
static bool graph_hook_is_own(const struct fgraph_ops *gops, int bit)
{
	return bit == TRACE_FTRACE_TRANSITION_BIT && gops->way && gops->way->is_busy(gops);
}

/*
 * graph_hook() in an interrupt, or called from within a callback. A call that the callback of
 * @gops has made itself is not counted as missed.
 */
static noinline void graph_hook_any(unsigned long ip, unsigned long parent_ip,
				    struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (unlikely(bit < 0)) {
		graph_miss(gops, FGRAPH_MISS_RECURSION);
		return;
	}
	if (likely(!graph_hook_is_own(gops, bit)))
		graph_enter(ip, gops, fregs);
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(graph_hook_any);

/*
 * At the entry of a function, for one user. An entry in an NMI, or in another interrupt,
 * nests in between any two instructions of this.
 */
static __always_inline void graph_hook(unsigned long ip, unsigned long parent_ip,
				       struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	if (unlikely(!graph_task_begin())) {
		graph_hook_any(ip, parent_ip, gops, fregs);
		return;
	}
	graph_enter(ip, gops, fregs);
	graph_task_end();
}

/**
 * graph_hook_held - graph_hook_entry() for a caller that has disabled preemption
 * @ip: the function's address
 * @ops: of a struct fgraph_ops
 * @fregs: what it was called with
 *
 * Context: any, NMI included. Preemption is enabled again, once.
 */
void graph_hook_held(unsigned long ip, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct fgraph_ops *gops = container_of(ops, struct fgraph_ops, ops);

	if (unlikely(!graph_task_begin_held())) {
		/* It disables preemption itself, as often as a record's count leaves out. */
		preempt_enable_notrace();
		graph_hook_any(ip, READ_ONCE(*arch_ftrace_retp(fregs)), gops, fregs);
		return;
	}
	graph_enter(ip, gops, fregs);
	graph_task_end();
}

NOKPROBE_SYMBOL(graph_hook_held);

/**
 * graph_hook_entry - the callback of a user's ops
 * @ip: the function's address
 * @parent_ip: where it returns to
 * @ops: of a struct fgraph_ops
 * @fregs: what it was called with
 *
 * Context: any, NMI included.
 */
void graph_hook_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	graph_hook(ip, parent_ip, container_of(ops, struct fgraph_ops, ops), fregs);
}

NOKPROBE_SYMBOL(graph_hook_entry);

static __always_inline bool graph_is_inside(const struct fgraph_ops *gops)
{
	return READ_ONCE(current->graph_inside) & gops->bit;
}

/*
 * As graph_hook_entry(), for a user with roots: functions other than the roots count for tasks
 * inside only.
 */
void graph_hook_inside(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		       struct ftrace_regs *fregs)
{
	struct fgraph_ops *gops = container_of(ops, struct fgraph_ops, ops);

	if (graph_is_inside(gops))
		graph_hook(ip, parent_ip, gops, fregs);
}

NOKPROBE_SYMBOL(graph_hook_inside);

/*
 * The callback of the roots. It comes after graph_hook_inside() at the same site, which was
 * registered after it: a call in a task that is inside now has been seen by that one.
 */
void graph_hook_root(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *fregs)
{
	struct fgraph_ops *gops = ops->private;

	if (!graph_is_inside(gops) && ftrace_ops_traces(&gops->ops, ip))
		graph_hook(ip, parent_ip, gops, fregs);
}

NOKPROBE_SYMBOL(graph_hook_root);

/**
 * fgraph_set_inside - current enters or leaves a root of a user
 * @gops: the user, registered by fgraph_register_as()
 * @inside: it is in a root, so what it calls is to be known
 *
 * An interrupt in the middle of this changes other bits, or restores this one.
 *
 * Context: entryfunc, retfunc.
 */
void fgraph_set_inside(const struct fgraph_ops *gops, bool inside)
{
	u16 was = READ_ONCE(current->graph_inside);

	if (inside)
		WRITE_ONCE(current->graph_inside, was | gops->bit);
	else if (was & gops->bit)
		WRITE_ONCE(current->graph_inside, was & ~gops->bit);
}

/* Tell @users, who are not fprobes. */
static __always_inline void graph_leave_users(struct graph_stack *stack,
					      const struct ftrace_ret_stack *frame,
					      struct ftrace_regs *fregs, unsigned long users)
{
	struct ftrace_graph_ret ret = {
		.func		= frame->func,
		.retval		= ftrace_regs_get_return_value(fregs),
		.depth		= stack->nr - 1,
		.overrun	= stack->overrun,
		.calltime	= frame->calltime,
		.rettime	= trace_clock_quick(),
	};
	struct fgraph_ops *gops;

	do {
		gops = graph_frame_user(frame, users);
		if (likely(gops))
			gops->retfunc(&ret, gops);
		users &= users - 1;
	} while (users);
}

/* As graph_leave_users(), for a frame that fprobes share. */
static noinline void graph_leave_others(struct graph_stack *stack,
					const struct ftrace_ret_stack *frame,
					struct ftrace_regs *fregs)
{
	graph_leave_users(stack, frame, fregs,
			  frame->users & GENMASK(GRAPH_OTHER_USERS - 1, 0));
}

NOKPROBE_SYMBOL(graph_leave_others);

static __always_inline void graph_leave(struct graph_stack *stack,
					const struct ftrace_ret_stack *frame,
					struct ftrace_regs *fregs)
{
	if (likely(!graph_has_fprobes(frame))) {
		graph_leave_users(stack, frame, fregs, frame->users);
		return;
	}
	/* They are called last. */
	if (unlikely(frame->users & GENMASK(GRAPH_OTHER_USERS - 1, 0)))
		graph_leave_others(stack, frame, fregs);
	graph_fprobe_leave(stack, frame, fregs);
}

/* The users of a call that returns in an interrupt, or within a callback. */
static noinline void graph_leave_any(struct graph_stack *stack,
				     const struct ftrace_ret_stack *frame,
				     struct ftrace_regs *fregs)
{
	int bit = ftrace_test_recursion_trylock(frame->func, frame->ret);

	/* A callback is already running in this context, which was not so at the entry. */
	if (unlikely(bit < 0)) {
		graph_miss_return(stack, frame, FGRAPH_MISS_RECURSION);
		return;
	}
	graph_leave(stack, frame, fregs);
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(graph_leave_any);

/* The call returns to its caller, by the address at @retp. */
static __always_inline void graph_go_back(struct graph_stack *stack,
					  struct ftrace_ret_stack *frame, unsigned long *retp)
{
	/* An unwinder finds the frame until it finds the address. */
	WRITE_ONCE(*retp, frame->ret);
	barrier();
	graph_stack_pop_frame(stack, frame);
}

/* Tell the users of the call that returns, and let it. */
static __always_inline void graph_return(struct ftrace_regs *fregs, struct graph_stack *stack,
					 struct ftrace_ret_stack *frame)
{
	/* Handlers of kretprobes are shown other registers. */
	unsigned long *retp = arch_ftrace_retp(fregs);

	if (likely(graph_task_begin())) {
		graph_leave(stack, frame, fregs);
		graph_task_end();
	} else {
		graph_leave_any(stack, frame, fregs);
	}
	graph_go_back(stack, frame, retp);
}

/**
 * graph_return_long - a return that cannot take the short way
 * @fregs: as for ftrace_return_to_handler()
 * @stack: of current
 * @frame: the innermost
 *
 * Context: in place of a short way, with preemption disabled, which this enables.
 */
void graph_return_long(struct ftrace_regs *fregs, struct graph_stack *stack,
		       struct ftrace_ret_stack *frame)
{
	preempt_enable_notrace();
	graph_return(fregs, stack, frame);
}

NOKPROBE_SYMBOL(graph_return_long);

/* A return that one fprobe awaits, by a frame of its own. */
static noinline void graph_return_fprobe(struct ftrace_regs *fregs, struct graph_stack *stack,
					 struct ftrace_ret_stack *frame)
{
	if (unlikely(!graph_task_begin()))
		return graph_return(fregs, stack, frame);
	return graph_fprobe_return(fregs, stack, frame);
}

NOKPROBE_SYMBOL(graph_return_fprobe);

/**
 * graph_return_user - a return that a user without a short way awaits alone
 * @fregs: as for ftrace_return_to_handler()
 * @stack: of current
 * @gops: the user
 * @frame: the innermost
 *
 * Context: as graph_return_long().
 */
void graph_return_user(struct ftrace_regs *fregs, struct graph_stack *stack,
		       struct fgraph_ops *gops, struct ftrace_ret_stack *frame)
{
	graph_return_long(fregs, stack, frame);
}

NOKPROBE_SYMBOL(graph_return_user);

/* There is no frame for the return at @place, so nobody knows where to go on. */
static noinline void __noreturn graph_return_nowhere(struct graph_stack *stack,
						     unsigned long *place)
{
	struct ftrace_ret_stack *top = stack ? graph_stack_top(stack) : NULL;

	ftrace_graph_stop();
	if (top)
		pr_crit("ftrace: %s[%d] awaits the return of %pS at %p\n",
			current->comm, task_pid_nr(current), (void *)top->func, top->retp);
	pr_crit("ftrace: %s[%d] returns at %p from a function that nobody hooked\n",
		current->comm, task_pid_nr(current), place);
	BUG();
}

/*
 * The innermost frame is not that of the return. If a frame further out is, the calls within
 * were left without a return: bpf_throw() goes on in a function outside of them, for one. Their
 * frames are dropped, and all is as it was before these calls.
 */
static noinline void graph_return_astray(struct ftrace_regs *fregs, struct graph_stack *stack)
{
	unsigned long *place = arch_ftrace_place(fregs);
	struct ftrace_ret_stack *frame = stack ? graph_stack_find(stack, place) : NULL, *top;

	if (!frame)
		graph_return_nowhere(stack, place);
	while ((top = graph_stack_top(stack)) != frame) {
		if (READ_ONCE(top->retp))
			graph_drop_left(stack, top);
		else
			graph_stack_drop_last(stack, top);
	}
	graph_return(fregs, stack, frame);
}

NOKPROBE_SYMBOL(graph_return_astray);

/**
 * ftrace_return_to_handler - a hooked function has returned
 * @fregs: what it returns, and where its return address was
 *
 * It ends with a jump, so that a short way saves no registers for calls.
 *
 * Context: return_to_handler(), in any context. The address to go on at is on the stack
 * when it returns.
 */
void ftrace_return_to_handler(struct ftrace_regs *fregs)
{
	struct graph_stack *stack = current->graph_stack;
	struct ftrace_ret_stack *frame;
	struct fgraph_ops *gops;
	unsigned long users;

	if (unlikely(!stack))
		return graph_return_astray(fregs, stack);
	/* If the stack is empty, this is graph_stack.none, whose retp is NULL. */
	frame = graph_stack_last(stack, stack->nr);
	if (unlikely(frame->retp != arch_ftrace_place(fregs)))
		return graph_return_astray(fregs, stack);
	users = frame->users;
	if (IS_ENABLED(CONFIG_FPROBE) && unlikely(!users))
		return graph_return_fprobe(fregs, stack, frame);
	/* A user's memory stays until every CPU has scheduled. */
	preempt_disable_notrace();
	gops = READ_ONCE(graph_users[__ffs(users)]);
	/* By graph_frame_user(). A bit that nobody has, or several of them, are nobody's bit. */
	if (likely((s32)(frame->epoch - gops->since) >= 0 && gops->bit == users))
		return gops->sole_return(fregs, stack, gops, frame);
	return graph_return_long(fregs, stack, frame);
}

NOKPROBE_SYMBOL(ftrace_return_to_handler);

/*
 * For callbacks
 */

/**
 * fgraph_reserve_data - keep data for a call until it returns
 * @idx: the user's number, from its fgraph_ops
 * @size_bytes: how many, FGRAPH_MAX_DATA_SIZE at most
 *
 * Context: entryfunc.
 * Return: room for them, aligned for a u64, with anything in it; or NULL.
 */
void *fgraph_reserve_data(int idx, int size_bytes)
{
	struct graph_stack *stack = current->graph_stack;

	if (!stack || size_bytes > FGRAPH_MAX_DATA_SIZE)
		return NULL;
	return graph_stack_reserve(stack, idx, size_bytes);
}
EXPORT_SYMBOL_IF_KUNIT(fgraph_reserve_data);

/**
 * fgraph_retrieve_data - the data of a call
 * @idx: the user's number
 * @size_bytes: is set to what was asked for, if there are data; may be NULL
 *
 * Context: retfunc, or entryfunc after fgraph_reserve_data().
 * Return: the data that the user has reserved for this call, or NULL.
 */
void *fgraph_retrieve_data(int idx, int *size_bytes)
{
	struct graph_stack *stack = current->graph_stack;
	int size;

	return stack ? graph_stack_retrieve(stack, idx, size_bytes ?: &size) : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(fgraph_retrieve_data);

/**
 * fgraph_data_around - the data of a call around another one
 * @gops: the user
 * @data: of the inner call
 * @size_bytes: what the user reserves for each call
 *
 * The outer call may be one that was begun when the user was registered before, or when
 * its number was another one's: then nobody will look at the data any more.
 *
 * Context: retfunc, or entryfunc after fgraph_reserve_data().
 * Return: the data of the nearest call around it that has any, or NULL.
 */
void *fgraph_data_around(const struct fgraph_ops *gops, const void *data, int size_bytes)
{
	int size;
	void *around = graph_stack_next_data(current->graph_stack, gops->idx, data,
					     GRAPH_STACK_SIZE, &size);

	return around && size == size_bytes ? around : NULL;
}

/**
 * fgraph_get_task_var - a word of current for a user
 * @gops: the user
 *
 * Context: any, not to be preempted; it may be that of another context of the same task.
 * Return: the word, which began as 0; NULL: current has no shadow stack.
 */
unsigned long *fgraph_get_task_var(struct fgraph_ops *gops)
{
	struct graph_stack *stack = current->graph_stack;

	if (!stack)
		return NULL;
	if (unlikely(stack->var_since[gops->idx] != gops->since)) {
		/* It was that of the number's last owner. */
		WRITE_ONCE(stack->vars[gops->idx], 0);
		barrier();
		WRITE_ONCE(stack->var_since[gops->idx], gops->since);
	}
	return &stack->vars[gops->idx];
}

/**
 * fgraph_caller - where a call goes on when it returns
 * @call: what entryfunc was told
 *
 * Context: entryfunc.
 * Return: an address in its caller. A function that was jumped to from the end of a hooked
 * one has the caller of that. 0: it is not known, as the frame of that one is gone.
 */
unsigned long fgraph_caller(const struct ftrace_graph_ent *call)
{
	const struct graph_stack *stack = current->graph_stack;
	const struct ftrace_ret_stack *frame = &stack->frames[call->depth];
	unsigned long ret = frame->ret;

	if (likely(!ftrace_is_return_handler(ret)))
		return ret;
	ret = graph_real_return(frame->retp, ret, call->depth, NULL);
	return ftrace_is_return_handler(ret) ? 0 : ret;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/**
 * fgraph_call_regs - what a call was made with
 * @call: what entryfunc was told
 *
 * The entry has saved them on the stack, where the architecture finds them by the call's place.
 * A user that does not ask for them does not pay for them.
 *
 * Context: entryfunc.
 * Return: the registers, of which the arguments and the stack pointer are known.
 */
struct ftrace_regs *fgraph_call_regs(const struct ftrace_graph_ent *call)
{
	return arch_ftrace_entry_regs(current->graph_stack->frames[call->depth].retp);
}
#endif

/**
 * fgraph_calls_around - how many calls around the present one await a return for a user
 * @gops: the user
 * @depth: of the present call
 * @max: to count up to
 *
 * The depth that a callback is told counts the calls of all users.
 *
 * Context: entryfunc.
 * Return: the number of calls; @max: so many or more.
 */
unsigned int fgraph_calls_around(const struct fgraph_ops *gops, int depth, unsigned int max)
{
	const struct graph_stack *stack = current->graph_stack;
	const struct ftrace_ret_stack *frame;
	unsigned int calls = 0;

	for (frame = &stack->frames[depth]; frame-- > stack->frames && calls < max;)
		calls += frame->users & gops->bit && (s32)(frame->epoch - gops->since) >= 0;
	return calls;
}
