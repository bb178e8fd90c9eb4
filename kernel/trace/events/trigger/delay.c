// SPDX-License-Identifier: GPL-2.0
/* Actions that are done some time after the hit; delay.h tells the rules. */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "actions/action.h"
#include "events/trigger/delay.h"
#include "lib/irq_work.h"

/**
 * struct trace_delay - the delayed action of a trigger
 * @use:	the action; NULL: the trigger is gone
 * @ns:		from the hit to the action
 * @at:		when the action is to be done, by the monotonic clock
 * @rests:	until then no other action is done
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
	u64				rests;		/* the timer, before it clears armed */
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
	/* Pairs with atomic_cmpxchg() in trace_delay_take(); delay->at is written behind that. */
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
	delay->rests = ktime_get_mono_fast_ns() + TICK_NSEC;
	delay_disarm(delay);
	return HRTIMER_NORESTART;
}

static void delay_start(struct irq_work *work)
{
	struct trace_delay *delay = container_of(work, struct trace_delay, work);

	scoped_guard(raw_spinlock_irqsave, &delay->lock) {
		if (delay->use) {
			hrtimer_start(&delay->timer, ns_to_ktime(delay->at),
				      HRTIMER_MODE_ABS_HARD);
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
	trace_irq_work_init(&delay->work, delay_start);
	/* On PREEMPT_RT, too, a real-time task that keeps the CPU does not put the action off. */
	hrtimer_init(&delay->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	delay->timer.function = delay_do;
	return delay;
}

/**
 * trace_delay_end - have the action done no more
 * @delay: the delay, which hits that have begun may still arm; NULL is nothing to end
 *
 * Users expect nothing of a trigger that they have removed, and its hits may go on for long. When
 * this returns, the action is neither being done nor done any more.
 *
 * Context: task; nothing that the action takes is held.
 */
void trace_delay_end(struct trace_delay *delay)
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
}

/**
 * trace_delay_destroy - undo trace_delay_create()
 * @delay: the delay, which nobody arms any more; NULL is nothing to undo
 *
 * The action's use may be put behind this.
 *
 * Context: task.
 */
void trace_delay_destroy(struct trace_delay *delay)
{
	if (!delay)
		return;
	trace_delay_end(delay);
	delay_put(delay);
}

/**
 * trace_delay_take - begin with an action, unless one is under way
 * @delay: the delay
 *
 * Early in boot and on a CPU that is offline nothing would start the timer.
 *
 * Context: any, NMI included, with preemption off; the trigger is being hit.
 * Return: true: trace_delay_arm() or trace_delay_give() is to follow. False: a hit does nothing.
 */
bool trace_delay_take(struct trace_delay *delay)
{
	if (!trace_irq_work_runs_here() || atomic_cmpxchg(&delay->armed, 0, 1))
		return false;
	refcount_inc(&delay->ref);
	return true;
}

/**
 * trace_delay_give - undo trace_delay_take()
 * @delay: the delay
 *
 * Context: that of trace_delay_take(). The trigger has a reference, so this one is not the last.
 */
void trace_delay_give(struct trace_delay *delay)
{
	delay_disarm(delay);
}

/**
 * trace_delay_arm - have the action done later
 * @delay: the delay; trace_delay_take() has taken it
 *
 * The timer and its interrupt may hit the trigger themselves. An action is done a tick after the
 * one before at the earliest, with one irq_work, so these hits leave the CPU to others.
 *
 * Context: that of trace_delay_take().
 */
void trace_delay_arm(struct trace_delay *delay)
{
	delay->at = max(ktime_get_mono_fast_ns() + delay->ns, delay->rests);
	/* It runs on this CPU, behind this. */
	if (!trace_irq_work_queue(&delay->work))
		delay_disarm(delay);
}
