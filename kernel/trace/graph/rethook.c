// SPDX-License-Identifier: GPL-2.0
/*
 * rethook: hooks on the return of a function. The return address on the stack is
 * replaced by the address of the architecture's trampoline, and a node that knows
 * the real one is pushed on the task's list. The trampoline asks
 * rethook_trampoline_handler() where to go on. The users that hook an entry (kretprobes) are
 * elsewhere.
 *
 * Nodes on the list of a task, the top first:
 *
 *	node of B	found the trampoline's address on the stack
 *	node of A	found the real address: the *bottom* of its frame
 *	node of A	bottom of the next frame, that of a caller
 *
 * A and B hooked the same call; both stand on one frame, of which only the bottom
 * can tell the real address.
 *
 * A call that is left without a return (bpf_throw() goes on in a function further out, for one)
 * leaves its nodes behind. The return of a call further out finds its own bottom by the frame,
 * and puts back the nodes above it without calling their handlers.
 *
 * Only the task itself and the interrupts on top of it push and pop, and an
 * interrupt pops what it has pushed before it returns: the list needs no atomics.
 * Nodes come from the hook's pool, with preemption disabled. A hook that was
 * stopped takes none back; its nodes are dropped one by one after a grace period,
 * as the last of them frees the memory, which cannot be done in NMI. Neither can RCU be
 * asked for one in NMI, nor where it may be at work itself, so an interrupt asks. A CPU that is
 * offline takes none: then it is asked for when that CPU is dead, or online.
 */
#define pr_fmt(fmt) "rethook: " fmt

#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/preempt.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "graph/real.h"
#include "graph/rethook.h"
#include "lib/irq_work.h"

/* NULL once the hook is stopped. Functions are hooked where RCU does not watch, too. */
static rethook_handler_t rethook_handler_of(struct rethook *rh)
{
	return (rethook_handler_t)rcu_dereference_check(rh->handler, true);
}

NOKPROBE_SYMBOL(rethook_handler_of);

/* The pool has lost its last node. */
static int rethook_release(struct objpool_head *pool, void *rh)
{
	kfree(rh);
	return 0;
}

/**
 * rethook_alloc - make a hook
 * @data: for the handler
 * @handler: called at each return, preemption off
 * @size: of a node with what its user adds to it
 * @num: how many returns can be awaited at a time
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: the hook, or ERR_PTR() of -EINVAL or -ENOMEM.
 */
struct rethook *rethook_alloc(void *data, rethook_handler_t handler, int size, int num)
{
	struct rethook *rh __free(kfree) = NULL;
	int ret = -EINVAL;

	if (handler && num > 0 && size >= (int)sizeof(struct rethook_node)) {
		rh = kzalloc(sizeof(*rh), GFP_KERNEL);
		ret = rh ? objpool_init(&rh->pool, num, size, GFP_KERNEL, rh, NULL,
					rethook_release) : -ENOMEM;
	}
	if (ret)
		return ERR_PTR(ret == -EINVAL ? -EINVAL : -ENOMEM);
	rh->data = data;
	/* Nobody knows the hook yet. */
	RCU_INIT_POINTER(rh->handler, handler);
	ftrace_returns_hooked(true);
	return_ptr(rh);
}

/**
 * rethook_stop - call the handler no more
 * @rh: the hook; returns that are awaited stay so, silently
 *
 * Context: any.
 */
void rethook_stop(struct rethook *rh)
{
	RCU_INIT_POINTER(rh->handler, NULL);
}

static void rethook_fini_rcu(struct rcu_head *rcu)
{
	struct rethook *rh = container_of(rcu, struct rethook, rcu);

	objpool_fini(&rh->pool);
}

/**
 * rethook_free - give up a hook
 * @rh: the hook; its memory goes with the last return that is awaited
 *
 * The handler may still run for a grace period.
 *
 * Context: task, may sleep; takes ftrace_lock().
 */
void rethook_free(struct rethook *rh)
{
	rethook_stop(rh);
	ftrace_returns_hooked(false);
	/* By the end of the grace period, a CPU that still saw a handler has put its node back. */
	call_rcu(&rh->rcu, rethook_fini_rcu);
}

/**
 * rethook_try_get - get a node, to await a return
 * @rh: the hook
 *
 * Context: preemption off; NMI included.
 * Return: the node, for rethook_hook() or rethook_recycle(); NULL when none is
 * left, the hook was stopped, or RCU does not watch.
 */
struct rethook_node *rethook_try_get(struct rethook *rh)
{
	struct rethook_node *node = NULL;

	lockdep_assert_preemption_disabled();
	if (rcu_is_watching() && rethook_handler_of(rh))
		node = objpool_pop(&rh->pool);
	if (node)
		node->rethook = rh;
	return node;
}

NOKPROBE_SYMBOL(rethook_try_get);

static void rethook_drop_rcu(struct rcu_head *rcu)
{
	struct rethook_node *node = container_of(rcu, struct rethook_node, rcu);

	objpool_drop(node, &node->rethook->pool);
}

/* Nodes of stopped hooks that RCU has not been asked for yet; atomic */
static LLIST_HEAD(rethook_orphans);

static void rethook_ask(void)
{
	struct llist_node *item = llist_del_all(&rethook_orphans);

	while (item) {
		struct rethook_node *node = rethook_node_of(item);

		item = item->next;
		call_rcu(&node->rcu, rethook_drop_rcu);
	}
}

static void rethook_ask_irq(struct irq_work *work)
{
	rethook_ask();
}

static DEFINE_TRACE_IRQ_WORK(rethook_orphans_work, rethook_ask_irq);

/* A CPU was offline, and is dead now, or online. Called on another CPU, or on itself. */
static int rethook_cpu_was_offline(unsigned int cpu)
{
	rethook_ask();
	return 0;
}

static int __init rethook_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/rethook:dead", NULL,
					    rethook_cpu_was_offline);

	if (ret >= 0)
		ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/rethook:online",
						rethook_cpu_was_offline, NULL);
	return ret < 0 ? ret : 0;
}
early_initcall(rethook_init);

/*
 * The hook of @node was stopped. With interrupts disabled, the function that returns may be one
 * that call_rcu() calls, with its locks held. Then an interrupt follows, at most as often as there
 * are nodes, or what rethook_init() has registered.
 */
static noinline void rethook_drop(struct rethook_node *node)
{
	if (!in_nmi() && !irqs_disabled()) {
		call_rcu(&node->rcu, rethook_drop_rcu);
		return;
	}
	llist_add(&node->llist, &rethook_orphans);
	trace_irq_work_queue(&rethook_orphans_work);
}

NOKPROBE_SYMBOL(rethook_drop);

/*
 * Put @node back into its pool if @rh had a handler a moment ago: preemption is off since then,
 * so the pool is still there.
 */
static __always_inline void
rethook_put(struct rethook_node *node, struct rethook *rh, rethook_handler_t handler)
{
	lockdep_assert_preemption_disabled();
	if (likely(handler))
		objpool_push(node, &rh->pool);
	else
		rethook_drop(node);
}

/**
 * rethook_recycle - put a node back
 * @node: it
 *
 * Context: preemption off.
 */
void rethook_recycle(struct rethook_node *node)
{
	rethook_put(node, node->rethook, rethook_handler_of(node->rethook));
}

NOKPROBE_SYMBOL(rethook_recycle);

/* Has a user of graph/ hooked the call before? */
static __always_inline bool rethook_is_behind(unsigned long ret_addr)
{
	return IS_ENABLED(CONFIG_FTRACE_GRAPH) && ret_addr == (unsigned long)return_to_handler;
}

/*
 * Does the entry of @call prove that the call of @top, the innermost, was left without a return?
 * graph_was_left() has the rule. It needs frames that are places on the stack, which are those of
 * the architectures that have graph/.
 */
static bool rethook_was_left(const struct rethook_node *top, const struct rethook_node *call)
{
	unsigned long from = (unsigned long)task_stack_page(current);

	if (!IS_ENABLED(CONFIG_FTRACE_GRAPH) || top->frame - from >= THREAD_SIZE ||
	    call->frame - from >= THREAD_SIZE)
		return false;
	return call->frame > top->frame ||
	       (call->frame == top->frame && !is_rethook_trampoline(call->ret_addr) &&
		!rethook_is_behind(call->ret_addr));
}

NOKPROBE_SYMBOL(rethook_was_left);

/*
 * Put back the nodes of calls that the entry of @call proves to be left: a task in which nothing
 * around them is hooked would keep them until it exits. An interrupted context may be about to
 * push, with the first node that it has seen, so an interrupt puts back none. Until
 * preempt_count() shows an interrupt, it has interrupts disabled.
 */
static noinline void rethook_drop_left(struct llist_head *list, const struct rethook_node *call)
{
	struct rethook_node *top;

	if (interrupt_context_level() || irqs_disabled())
		return;
	while (list->first) {
		top = rethook_node_of(list->first);
		if (!rethook_was_left(top, call))
			break;
		list->first = top->llist.next;
		rethook_recycle(top);
	}
}

NOKPROBE_SYMBOL(rethook_drop_left);

/**
 * rethook_hook - await the return of the function that is being entered
 * @node: from rethook_try_get()
 * @regs: at its first instruction
 * @mcount: they are from the call at the entry, not from a breakpoint
 *
 * Context: preemption off.
 */
void rethook_hook(struct rethook_node *node, struct pt_regs *regs, bool mcount)
{
	struct llist_head *list = &current->rethooks;

	arch_rethook_prepare(node, regs, mcount);
	/* Calls within others are further in. */
	if (unlikely(list->first && rethook_node_of(list->first)->frame <= node->frame))
		rethook_drop_left(list, node);
	__llist_add(&node->llist, list);
}

NOKPROBE_SYMBOL(rethook_hook);

/* Where the call of @bottom really returns to. */
static noinline unsigned long rethook_real(struct rethook_node *bottom)
{
	return graph_real_return((unsigned long *)bottom->frame, bottom->ret_addr, 0,
				 &bottom->llist);
}

NOKPROBE_SYMBOL(rethook_real);

/* The kernel cannot go on: nobody knows where to. */
static void __noreturn rethook_no_address(struct pt_regs *regs, unsigned long frame)
{
	pr_crit("%s[%d] returned at %pS, frame %#lx, from a function that nobody hooked\n",
		current->comm, task_pid_nr(current), (void *)instruction_pointer(regs), frame);
	BUG();
}

NOKPROBE_SYMBOL(rethook_no_address);

/* An architecture without need for it has none. */
void __weak arch_rethook_fixup_return(struct pt_regs *regs, unsigned long correct_ret_addr)
{
}

/**
 * rethook_trampoline_handler - a hooked function has returned
 * @regs: after the return
 * @frame: as arch_rethook_prepare() named it
 *
 * Nodes leave the list as soon as their handlers have run, but for the bottom: an
 * unwinder that a handler calls finds the address there. An unwinder that begins with @regs has
 * no place to look for, so handlers and @regs have the real address. Nodes of calls that were left
 * without a return go first, and nobody is told of them.
 *
 * Context: the architecture's trampoline.
 * Return: where to go on.
 */
unsigned long rethook_trampoline_handler(struct pt_regs *regs, unsigned long frame)
{
	struct llist_head *list = &current->rethooks;
	struct rethook_node *bottom = rethook_bottom_of(list->first, frame), *node;
	unsigned long ret_addr, real;
	rethook_handler_t handler;
	struct rethook *rh;

	if (!bottom)
		rethook_no_address(regs, frame);
	ret_addr = bottom->ret_addr;
	real = unlikely(rethook_is_behind(ret_addr)) ? rethook_real(bottom) : ret_addr;
	instruction_pointer_set(regs, real);

	preempt_disable_notrace();
	do {
		node = rethook_node_of(list->first);
		rh = node->rethook;
		handler = rethook_handler_of(rh);
		if (likely(handler && node->frame == frame))
			handler(node, rh->data, real, regs);
		if (node == bottom)
			arch_rethook_fixup_return(regs, ret_addr);
		list->first = node->llist.next;
		rethook_put(node, rh, handler);
	} while (node != bottom);
	preempt_enable_notrace();
	return ret_addr;
}

NOKPROBE_SYMBOL(rethook_trampoline_handler);

/**
 * rethook_flush_task - put back the nodes of a task that will not return
 * @tk: the task, dead
 *
 * Context: any that may free memory; usually a callback of RCU.
 */
void rethook_flush_task(struct task_struct *tk)
{
	struct llist_node *item = tk->rethooks.first;

	tk->rethooks.first = NULL;
	guard(preempt)();
	while (item) {
		struct rethook_node *node = rethook_node_of(item);

		/* Once it is back, it may be on another list. */
		item = item->next;
		rethook_recycle(node);
	}
}
