// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks on the return of a function: the return address on the stack is
 * replaced by the architecture's trampoline, and the node that knows the real
 * one is pushed on the task's list until the function returns. Who decides to
 * hook an entry (kretprobes) is not told here.
 *
 * Only the task itself and the interrupts on top of it push and pop, and what
 * an interrupt pushes it pops: the list needs no atomics.
 */
#define pr_fmt(fmt) "rethook: " fmt

#include <linux/bug.h>
#include <linux/kprobes.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/slab.h>

static struct rethook_node *node_of(struct llist_node *llist)
{
	return container_of(llist, struct rethook_node, llist);
}

NOKPROBE_SYMBOL(node_of);

static rethook_handler_t rethook_get_handler(struct rethook *rh)
{
	/* Hooked functions may run where RCU does not watch, but not preempted. */
	return (rethook_handler_t)rcu_dereference_check(rh->handler, true);
}

NOKPROBE_SYMBOL(rethook_get_handler);

static int node_init(void *obj, void *rh)
{
	((struct rethook_node *)obj)->rethook = rh;
	return 0;
}

/* The last node is back. */
static int pool_release(struct objpool_head *pool, void *rh)
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
 * Context: task.
 * Return: the hook, or ERR_PTR() of -EINVAL or -ENOMEM.
 */
struct rethook *rethook_alloc(void *data, rethook_handler_t handler, int size, int num)
{
	struct rethook *rh;

	if (!handler || num <= 0 || size < (int)sizeof(struct rethook_node))
		return ERR_PTR(-EINVAL);
	rh = kzalloc(sizeof(*rh), GFP_KERNEL);
	if (!rh)
		return ERR_PTR(-ENOMEM);
	rh->data = data;
	rcu_assign_pointer(rh->handler, handler);
	if (objpool_init(&rh->pool, num, size, GFP_KERNEL, rh, node_init, pool_release)) {
		kfree(rh);
		return ERR_PTR(-ENOMEM);
	}
	return rh;
}

/**
 * rethook_stop - call the handler no more
 * @rh: the hook; returns that are awaited stay so, silently
 *
 * Context: any.
 */
void rethook_stop(struct rethook *rh)
{
	rcu_assign_pointer(rh->handler, NULL);
}

static void rethook_free_rcu(struct rcu_head *rcu)
{
	objpool_fini(&container_of(rcu, struct rethook, rcu)->pool);
}

/**
 * rethook_free - give up a hook
 * @rh: the hook; its memory goes with the last return that is awaited
 *
 * The handler may still run for a grace period.
 *
 * Context: any.
 */
void rethook_free(struct rethook *rh)
{
	rethook_stop(rh);
	/* Whoever saw a handler has put its node back to the pool by then. */
	call_rcu(&rh->rcu, rethook_free_rcu);
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
	lockdep_assert_preemption_disabled();
	if (!rethook_get_handler(rh) || !rcu_is_watching())
		return NULL;
	return objpool_pop(&rh->pool);
}

NOKPROBE_SYMBOL(rethook_try_get);

static void node_drop_rcu(struct rcu_head *rcu)
{
	struct rethook_node *node = container_of(rcu, struct rethook_node, rcu);

	objpool_drop(node, &node->rethook->pool);
}

/**
 * rethook_recycle - put a node back
 * @node: it
 *
 * Context: preemption off.
 */
void rethook_recycle(struct rethook_node *node)
{
	lockdep_assert_preemption_disabled();
	if (likely(rethook_get_handler(node->rethook)))
		objpool_push(node, &node->rethook->pool);
	else
		call_rcu(&node->rcu, node_drop_rcu);
}

NOKPROBE_SYMBOL(rethook_recycle);

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
	arch_rethook_prepare(node, regs, mcount);
	__llist_add(&node->llist, &current->rethooks);
}

NOKPROBE_SYMBOL(rethook_hook);

/* Of several nodes on one frame, the oldest has the address; the others found the trampoline. */
static struct llist_node *skip_hooked(struct llist_node *llist)
{
	while (llist && is_rethook_trampoline(node_of(llist)->ret_addr))
		llist = llist->next;
	return llist;
}

NOKPROBE_SYMBOL(skip_hooked);

/**
 * rethook_find_ret_addr - where does a hooked frame return to?
 * @tsk: current, or a task that does not run
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
	struct llist_node *llist;

	if (WARN_ON_ONCE(!cur) || WARN_ON_ONCE(tsk != current && task_is_running(tsk)))
		return 0;
	llist = *cur ? (*cur)->next : tsk->rethooks.first;
	for (; (llist = skip_hooked(llist)); llist = llist->next) {
		*cur = llist;
		if (node_of(llist)->frame == frame)
			return node_of(llist)->ret_addr;
	}
	return 0;
}

NOKPROBE_SYMBOL(rethook_find_ret_addr);

/* The kernel cannot go on: nobody knows where to. */
static void __noreturn no_return_address(struct pt_regs *regs, unsigned long frame)
{
	pr_crit("%s[%d] returned at %pS, frame %#lx, from a function that nobody hooked\n",
		current->comm, task_pid_nr(current), (void *)instruction_pointer(regs), frame);
	BUG();
}

NOKPROBE_SYMBOL(no_return_address);

/* An architecture without need for it has none. */
void __weak arch_rethook_fixup_return(struct pt_regs *regs, unsigned long correct_ret_addr)
{
}

/**
 * rethook_trampoline_handler - a hooked function has returned
 * @regs: after the return
 * @frame: as arch_rethook_prepare() named it
 *
 * Context: the architecture's trampoline.
 * Return: where to go on.
 */
unsigned long rethook_trampoline_handler(struct pt_regs *regs, unsigned long frame)
{
	struct llist_node *first = current->rethooks.first, *last = skip_hooked(first);
	struct llist_node *llist, *end;
	rethook_handler_t handler;
	unsigned long ret_addr;

	if (!last)
		no_return_address(regs, frame);
	ret_addr = node_of(last)->ret_addr;
	end = last->next;
	instruction_pointer_set(regs, ret_addr);

	/* The nodes stay on the list meanwhile: a handler may unwind the stack. */
	preempt_disable_notrace();
	for (llist = first; llist != end; llist = llist->next) {
		if (WARN_ON_ONCE(node_of(llist)->frame != frame))
			break;
		handler = rethook_get_handler(node_of(llist)->rethook);
		if (handler)
			handler(node_of(llist), node_of(llist)->rethook->data, ret_addr, regs);
	}
	arch_rethook_fixup_return(regs, ret_addr);

	current->rethooks.first = end;
	while (first != end) {
		llist = first;
		first = first->next;
		rethook_recycle(node_of(llist));
	}
	preempt_enable_notrace();
	return ret_addr;
}

NOKPROBE_SYMBOL(rethook_trampoline_handler);

/**
 * rethook_flush_task - put back the nodes of a task that will not return
 * @tk: the task, dead
 *
 * Context: task.
 */
void rethook_flush_task(struct task_struct *tk)
{
	struct llist_node *llist = __llist_del_all(&tk->rethooks), *next;

	preempt_disable();
	for (; llist; llist = next) {
		next = llist->next;
		rethook_recycle(node_of(llist));
	}
	preempt_enable();
}
