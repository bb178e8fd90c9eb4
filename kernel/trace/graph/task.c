// SPDX-License-Identifier: GPL-2.0
/*
 * Which task has which shadow stack. A task keeps its stack until it is freed itself, as returns
 * may be awaited for long after nobody is interested in them.
 *
 * While a user wants returns, every task has a stack before it runs, see ahead.c. A task can be
 * without one all the same, if there was no memory. The first call of such a task may be in an
 * NMI, so its stack is one of a few spare ones. Each of them has one owner at any time: a slot,
 * or the task that has taken it from there with xchg(). A work item fills the slots again, by
 * way of an irq_work, as a queue's lock may be held here.
 *
 * The work item is asked for once: the task that sets @spares_asked queues the irq_work, and the
 * work item clears it behind its last look at the slots. The handler of the irq_work and the
 * work item run hooked functions. They find @spares_asked set, so a request never leads to
 * another one that comes before it. Without memory the work item keeps it set, and looks again
 * after SPARES_RETRY.
 *
 * There are spares only while somebody wants returns. The code that fills slots looks for that
 * afterwards. A user that leaves says so first and empties the slots then: one of the two sees
 * the other.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "graph/internal.h"
#include "lib/irq_work.h"

#define GRAPH_SPARES	16
/*
 * When this many slots have been emptied, the work item is queued and fills all of them.
 * Until it runs, tasks take stacks from the slots that are left.
 */
#define GRAPH_SPARES_FEW	4
#define SPARES_RETRY	HZ

static struct graph_stack *graph_spares[GRAPH_SPARES];
static unsigned int spares_wanted;	/* by so many */
static atomic_t spares_taken;		/* since the slots were filled */
static atomic_t spares_asked;		/* 1: the work item is asked for, and has not looked */

/* Taken, and not used after all. The work item frees them. */
static LLIST_HEAD(spares_unused);

/* Return: an empty stack, or NULL without memory. */
static struct graph_stack *task_stack_alloc(void)
{
	struct graph_stack *stack = kzalloc(GRAPH_STACK_SIZE, GFP_KERNEL);

	if (stack)
		graph_stack_init(stack);
	return stack;
}

static void task_spares_free_unused(void)
{
	struct llist_node *node, *next;

	llist_for_each_safe(node, next, llist_del_all(&spares_unused))
		kfree(node);
}

static void task_spares_drain(void)
{
	int i;

	for (i = 0; i < GRAPH_SPARES; i++)
		kfree(xchg(&graph_spares[i], NULL));
	task_spares_free_unused();
}

static int task_spares_fill(void)
{
	struct graph_stack *stack;
	int i, ret = 0;

	/*
	 * A task empties a slot before it counts. If its count is lost here, the loop below
	 * sees the empty slot, since the xchg is a full barrier.
	 */
	atomic_xchg(&spares_taken, 0);
	for (i = 0; i < GRAPH_SPARES; i++) {
		if (READ_ONCE(graph_spares[i]))
			continue;
		stack = task_stack_alloc();
		if (!stack) {
			ret = -ENOMEM;
			break;
		}
		if (cmpxchg(&graph_spares[i], NULL, stack))
			kfree(stack);
	}
	/* Pairs with that in graph_spares_unwant(). */
	smp_mb();
	if (!READ_ONCE(spares_wanted))
		task_spares_drain();
	return ret;
}

static void task_spares_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(spares_work, task_spares_work_fn);

/* Any CPU may run it: the one that asks may be busy for long. */
static void task_spares_queue(unsigned long delay)
{
	queue_delayed_work(system_unbound_wq, &spares_work, delay);
}

static void task_spares_work_fn(struct work_struct *work)
{
	task_spares_free_unused();
	if (task_spares_fill() && READ_ONCE(spares_wanted)) {
		task_spares_queue(SPARES_RETRY);
		return;
	}
	/*
	 * A task that took a stack since the look, and found this set, did not ask. The next
	 * one does.
	 */
	atomic_set(&spares_asked, 0);
}

static void task_spares_irq_fn(struct irq_work *irq)
{
	task_spares_queue(0);
}

static DEFINE_TRACE_IRQ_WORK(spares_irq, task_spares_irq_fn);

/* Ask for the work item, unless that was done before. Any context; not to be preempted. */
static void task_spares_ask(void)
{
	if (atomic_read(&spares_asked) || atomic_cmpxchg(&spares_asked, 0, 1))
		return;
	/* Otherwise tasks take what is left in the slots. */
	if (!trace_irq_work_queue(&spares_irq))
		atomic_set(&spares_asked, 0);
}

/**
 * graph_spares_want - a user comes
 *
 * Context: task, may sleep; ftrace_lock() is held.
 * Return: 1: it is the first user; 0: there are others; -ENOMEM: it has not come.
 */
int graph_spares_want(void)
{
	bool first = !spares_wanted;
	int ret;

	if (first)
		ftrace_parents_hide(&graph_parent_ops);
	WRITE_ONCE(spares_wanted, spares_wanted + 1);
	ret = task_spares_fill();
	if (ret)
		graph_spares_unwant();
	return ret ?: first;
}

/**
 * graph_spares_unwant - a user has gone; the last one needs no spares any more
 *
 * Context: task, may sleep; ftrace_lock() is held.
 */
void graph_spares_unwant(void)
{
	WRITE_ONCE(spares_wanted, spares_wanted - 1);
	if (spares_wanted)
		return;
	/* Pairs with that in task_spares_fill(). */
	smp_mb();
	task_spares_drain();
	ftrace_parents_show();
}

static struct graph_stack *task_spare_take(void)
{
	/* CPUs begin at different places. */
	unsigned int first = raw_smp_processor_id() * 2, i;
	struct graph_stack *stack;

	for (i = 0; i < GRAPH_SPARES; i++) {
		struct graph_stack **slot = &graph_spares[(first + i) % GRAPH_SPARES];

		stack = READ_ONCE(*slot) ? xchg(slot, NULL) : NULL;
		if (stack)
			return stack;
	}
	return NULL;
}

/*
 * Give current a shadow stack. Any context, NMI included; not to be preempted. Return: its
 * stack, NULL: there is no spare one.
 */
struct graph_stack *graph_task_give(void)
{
	struct graph_stack *stack = task_spare_take(), *given;

	if (!stack) {
		task_spares_ask();
		return NULL;
	}
	if (atomic_inc_return(&spares_taken) >= GRAPH_SPARES_FEW)
		task_spares_ask();
	/* An interrupt may have given it one since it was looked at. */
	given = cmpxchg(&current->graph_stack, NULL, stack);
	if (!given)
		return stack;
	llist_add((struct llist_node *)stack, &spares_unused);
	return given;
}

/**
 * graph_task_give_ahead - give a task a shadow stack before it needs one, if a user wants returns
 * @task: the task, which stays; it may be running
 *
 * The caller has made the task visible to graph_ahead_want() before: that one says that returns
 * are wanted before it looks for tasks, so one of the two sees the other.
 *
 * Context: task, may sleep.
 * Return: 0; -ENOMEM: the task takes a spare one at its first call.
 */
int graph_task_give_ahead(struct task_struct *task)
{
	struct graph_stack *stack;

	/* Pairs with that in graph_ahead_want(). */
	smp_mb();
	if (!READ_ONCE(spares_wanted) || READ_ONCE(task->graph_stack))
		return 0;
	stack = task_stack_alloc();
	if (!stack)
		return -ENOMEM;
	/* The task's own first call may have been faster. */
	if (cmpxchg(&task->graph_stack, NULL, stack))
		kfree(stack);
	return 0;
}

/**
 * ftrace_graph_init_task - a task is being made, as a copy of another
 * @t: the task, which gets its stack in ftrace_graph_new_task()
 *
 * Context: fork, before the task runs.
 */
void ftrace_graph_init_task(struct task_struct *t)
{
	t->graph_stack = NULL;
	t->graph_pause = 0;
	t->graph_inside = 0;
}

/**
 * ftrace_graph_exit_task - a task is being freed
 * @t: the task, which runs no more and which nobody refers to
 *
 * It may have died inside of functions whose returns were awaited: nobody is told.
 *
 * Context: any that may free memory.
 */
void ftrace_graph_exit_task(struct task_struct *t)
{
	WARN_ON_ONCE(t == current);
	if (t->graph_stack)
		graph_fprobe_forget(t->graph_stack);
	kfree(t->graph_stack);
	t->graph_stack = NULL;
}
