// SPDX-License-Identifier: GPL-2.0
/*
 * The trace clocks that every architecture has.  Each may be read in any
 * context, NMI included, and none may be traced.
 *
 *	local	nanoseconds of this CPU; the fastest; CPUs may disagree
 *	medium	nanoseconds, CPUs agree to about a jiffy
 *	global	nanoseconds; never runs back, whichever CPU looks
 *	jiffies	what the name says, since boot
 *	counter	counts its own readings, so it gives order but no time
 */
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>
#include <linux/trace_clock.h>

/**
 * trace_clock_local - nanoseconds of this CPU
 *
 * Context: any, NMI included.
 * Return: the time; that of another CPU may differ.
 */
u64 notrace trace_clock_local(void)
{
	u64 now;

	/* The noinstr reading wants to stay on its CPU, and is not traced. */
	preempt_disable_notrace();
	now = sched_clock_noinstr();
	preempt_enable_notrace();
	return now;
}
EXPORT_SYMBOL_GPL(trace_clock_local);

/**
 * trace_clock - nanoseconds, about the same on all CPUs
 *
 * Context: any, NMI included.
 * Return: the time; CPUs agree to about a jiffy.
 */
u64 notrace trace_clock(void)
{
	u64 now;

	/* local_clock() may be traced, and a clock must not be: this one is not. */
	preempt_disable_notrace();
	now = local_clock_noinstr();
	preempt_enable_notrace();
	return now;
}
EXPORT_SYMBOL_GPL(trace_clock);

/**
 * trace_clock_jiffies - jiffies since boot, in the unit of user space
 *
 * A 32-bit machine reads the 64 bits in two parts, and the tick may come in
 * between: taking a lock against that is not possible in every context.
 *
 * Context: any, NMI included.
 * Return: the time as clock_t.
 */
u64 notrace trace_clock_jiffies(void)
{
	return jiffies_64_to_clock_t(jiffies_64 - INITIAL_JIFFIES);
}
EXPORT_SYMBOL_GPL(trace_clock_jiffies);

/* The latest time that trace_clock_global() gave to anybody. */
static atomic64_t trace_clock_last ____cacheline_aligned_in_smp;

/**
 * trace_clock_global - nanoseconds that never run back
 *
 * A reader that loses the race against another one gets a time that is not
 * before what that one was given.
 *
 * Context: any, NMI included.
 * Return: the time, the same or later on whichever CPU it is read next.
 */
u64 notrace trace_clock_global(void)
{
	s64 now, last;

	/* As in trace_clock(). */
	preempt_disable_notrace();
	now = local_clock_noinstr();
	last = atomic64_read(&trace_clock_last);
	do {
		if (now - last <= 0) {
			now = last;
			break;
		}
	} while (!atomic64_try_cmpxchg(&trace_clock_last, &last, now));
	preempt_enable_notrace();
	return now;
}
EXPORT_SYMBOL_GPL(trace_clock_global);

static atomic64_t trace_clock_readings;

/**
 * trace_clock_counter - count the readings of this clock
 *
 * Context: any, NMI included.
 * Return: one more than the last reading, whoever made it.
 */
u64 notrace trace_clock_counter(void)
{
	return atomic64_inc_return(&trace_clock_readings);
}
