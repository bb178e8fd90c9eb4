// SPDX-License-Identifier: GPL-2.0
/* Actions that are done some time after the hit; delay.h tells the rules. */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "actions/action.h"
#include "events/trigger/delay.h"

/**
 * struct trace_delay - the delayed action of a trigger
 * @use:	the action; NULL: the trigger is gone
 * @ns:		from the hit to the action
 * @at:		when the action is to be done, by the monotonic clock
 * @armed:	1: an action is under way, from the hit until the timer has done it
 * @ref:	the trigger's, and one while @armed
 * @lock:	the action is done, or the timer started, or @use is taken away
 * @work:	starts the timer
 * @timer:	does the action
 * @rcu:	frees it when the interrupt that has dropped the last reference has ended
 */
struct trace_delay {
	const struct trace_action_use	*use;		/* lock */
	u64				ns;		/* constant */
	u64				at;		/* the hit that has set armed */
	atomic_t			armed;		/* atomic */
	refcount_t			ref;		/* atomic */
	raw_spinlock_t			lock;
	struct irq_work			work;
	struct hrtimer			timer;
	struct rcu_head			rcu;
};

static void delay_put(struct trace_delay *delay)
{
	if (refcount_dec_and_test(&delay->ref))
		kfree_rcu(delay, rcu);
}

/* The action has been done, or never will be: the next hit may arm. */
static void delay_disarm(struct trace_delay *delay)
{
	/* Pairs with atomic_cmpxchg() in trace_delay_arm(), which writes delay->at behind it. */
	atomic_set_release(&delay->armed, 0);
	delay_put(delay);
}

static enum hrtimer_restart delay_do(struct hrtimer *timer)
{
	static const struct trace_action_hit nothing;
	struct trace_delay *delay = container_of(timer, struct trace_delay, timer);

	scoped_guard(raw_spinlock_irqsave, &delay->lock) {
		/* Another user may have changed the state since the hit. */
		if (delay->use && trace_action_due(delay->use))
			delay->use->action->hit(delay->use, &nothing);
	}
	delay_disarm(delay);
	return HRTIMER_NORESTART;
}

static void delay_start(struct irq_work *work)
{
	struct trace_delay *delay = container_of(work, struct trace_delay, work);

	scoped_guard(raw_spinlock_irqsave, &delay->lock) {
		if (delay->use) {
			hrtimer_start(&delay->timer, ns_to_ktime(delay->at), HRTIMER_MODE_ABS);
			return;
		}
	}
	delay_disarm(delay);
}

/**
 * trace_delay_create - prepare an action to be done later than it is due
 * @use: the action; it stays until trace_delay_destroy()
 * @ns: how much later
 *
 * Context: task, may sleep.
 * Return: the delay; NULL: no memory.
 */
struct trace_delay *trace_delay_create(const struct trace_action_use *use, u64 ns)
{
	struct trace_delay *delay = kzalloc(sizeof(*delay), GFP_KERNEL);

	if (!delay)
		return NULL;
	delay->use = use;
	delay->ns = ns;
	refcount_set(&delay->ref, 1);
	raw_spin_lock_init(&delay->lock);
	delay->work = IRQ_WORK_INIT_HARD(delay_start);
	hrtimer_init(&delay->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	delay->timer.function = delay_do;
	return delay;
}

/**
 * trace_delay_destroy - undo trace_delay_create()
 * @delay: the delay, which nobody arms any more; NULL is nothing to undo
 *
 * When it returns, the action is not done any more, and its use may be put.
 *
 * Context: task.
 */
void trace_delay_destroy(struct trace_delay *delay)
{
	bool cancelled;

	if (!delay)
		return;
	scoped_guard(raw_spinlock_irqsave, &delay->lock) {
		delay->use = NULL;
		/* A timer that runs now has its reference, and finds no use behind the lock. */
		cancelled = hrtimer_try_to_cancel(&delay->timer) > 0;
	}
	if (cancelled)
		delay_disarm(delay);
	delay_put(delay);
}

/**
 * trace_delay_is_armed - is an action under way?
 * @delay: the delay
 *
 * Context: any.
 * Return: true if it is: then a hit does not count.
 */
bool trace_delay_is_armed(const struct trace_delay *delay)
{
	return atomic_read(&delay->armed);
}

/**
 * trace_delay_arm - have the action done later
 * @delay: the delay
 *
 * Nothing happens if one is under way.
 *
 * Context: any, NMI included, with preemption off; the trigger is being hit.
 */
void trace_delay_arm(struct trace_delay *delay)
{
	if (atomic_cmpxchg(&delay->armed, 0, 1))
		return;
	refcount_inc(&delay->ref);
	delay->at = ktime_get_mono_fast_ns() + delay->ns;
	/* It runs on this CPU, behind this. */
	irq_work_queue(&delay->work);
}
