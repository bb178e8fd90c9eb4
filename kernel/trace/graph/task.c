// SPDX-License-Identifier: GPL-2.0
/*
 * Which task has which shadow stack. A task gets one at its first call whose return is
 * wanted and keeps it until it is freed itself, as returns may be awaited for long after
 * nobody is interested in them.
 *
 * That first call may be in an NMI, so the stack is one of some that were allocated
 * before. Each of them has one owner at any time: a slot, or who has taken it from there
 * with xchg(). A work item fills the slots again, by way of an irq_work, as a queue's
 * lock may be held here.
 *
 * There are spares only while somebody wants returns. Whoever fills slots looks for that
 * afterwards, and who does not want them any more empties the slots after having said
 * so: one of the two sees the other.
 */
#include <linux/bug.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "graph/internal.h"
#include "lib/irq_work.h"

#define GRAPH_SPARES	64
/*
 * When this many slots have been emptied, the work item is queued and fills all of them.
 * Until it runs, tasks take stacks from the slots that are left.
 */
#define GRAPH_SPARES_FEW	16

static struct graph_stack *graph_spares[GRAPH_SPARES];
static unsigned int spares_wanted;	/* by so many */
static atomic_t spares_taken;		/* since the slots were filled */

/* Taken, and not used after all. The work item frees them. */
static LLIST_HEAD(spares_unused);

static void spares_free_unused(void)
{
	struct llist_node *node, *next;

	llist_for_each_safe(node, next, llist_del_all(&spares_unused))
		kfree(node);
}

static void spares_drain(void)
{
	int i;

	for (i = 0; i < GRAPH_SPARES; i++)
		kfree(xchg(&graph_spares[i], NULL));
	spares_free_unused();
}

static int spares_fill(void)
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
		stack = kzalloc(GRAPH_STACK_SIZE, GFP_KERNEL);
		if (!stack) {
			ret = -ENOMEM;
			/* The next task that takes a stack queues the work item again. */
			atomic_set(&spares_taken, GRAPH_SPARES_FEW);
			break;
		}
		graph_stack_init(stack);
		if (cmpxchg(&graph_spares[i], NULL, stack))
			kfree(stack);
	}
	/* Pairs with that in graph_spares_unwant(). */
	smp_mb();
	if (!READ_ONCE(spares_wanted))
		spares_drain();
	return ret;
}

static void spares_work_fn(struct work_struct *work)
{
	spares_free_unused();
	spares_fill();
}

static DECLARE_WORK(spares_work, spares_work_fn);

static void spares_irq_fn(struct irq_work *irq)
{
	queue_work(system_highpri_wq, &spares_work);
}

static DEFINE_IRQ_WORK(spares_irq, spares_irq_fn);

/* A user comes. Under ftrace_lock(). Return: 0 or -ENOMEM. */
int graph_spares_want(void)
{
	int ret;

	WRITE_ONCE(spares_wanted, spares_wanted + 1);
	ret = spares_fill();
	if (ret)
		graph_spares_unwant();
	return ret;
}

/* One has gone; the last one needs them no more. Under ftrace_lock(). */
void graph_spares_unwant(void)
{
	WRITE_ONCE(spares_wanted, spares_wanted - 1);
	if (spares_wanted)
		return;
	/* Pairs with that in spares_fill(). */
	smp_mb();
	spares_drain();
}

static struct graph_stack *spare_take(void)
{
	/* CPUs begin at different places. */
	unsigned int first = raw_smp_processor_id() * 8, i;
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
	struct graph_stack *stack = spare_take(), *given;

	/* If it cannot be queued, tasks take what is left in the slots. */
	if (atomic_inc_return(&spares_taken) >= GRAPH_SPARES_FEW)
		trace_irq_work_queue(&spares_irq);
	if (!stack)
		return NULL;
	/* An interrupt may have given it one since it was looked at. */
	given = cmpxchg(&current->graph_stack, NULL, stack);
	if (!given)
		return stack;
	llist_add((struct llist_node *)stack, &spares_unused);
	return given;
}

/**
 * ftrace_graph_init_task - a task is being made, as a copy of another
 * @t: the task
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
