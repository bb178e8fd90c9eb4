/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/clock.h: the local clock for code that reads it at each call of a function.
 *
 * On some architectures sched_clock() is a counter of the CPU and two factors. Where
 * it is, a reader can keep a copy of the factors beside its own data of that CPU, and
 * needs no call: it compares the generation of its copy with that of the CPU's factors,
 * and computes the same. Where the copy is not valid, since the factors have changed,
 * or sched_clock() is something else (a hypervisor's clock, jiffies), the reader goes
 * another way, on which it calls trace_clock_copy_update() and trace_clock_called().
 *
 * A copy belongs to one CPU. The code that updates a copy keeps off all other code that updates
 * or reads it: in the ring buffer, the outermost writer does so. Code that has no copy of its
 * own calls trace_clock_quick(), which uses one copy for each CPU and needs no protection.
 */
#ifndef _TRACE_LIB_CLOCK_H
#define _TRACE_LIB_CLOCK_H

#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/types.h>

#ifdef CONFIG_TRACE_CLOCK_FACTORS

#include <asm/clock_factors.h>

/* No generation of factors. */
#define TRACE_CLOCK_NO_COPY	(~0U)

/**
 * struct trace_clock_copy - a CPU's factors of the local clock
 * @generation: of the factors that it was copied from, or TRACE_CLOCK_NO_COPY
 * @mul: nanoseconds in 2^32 cycles
 * @epoch: the cycle from which on they are counted
 * @offset: nanoseconds to be added
 */
struct trace_clock_copy {
	u32	generation;
	u64	mul;
	u64	epoch;
	u64	offset;
};

void trace_clock_copy_update(struct trace_clock_copy *copy);

/* From now on, until it is updated, it is not valid. */
static inline void trace_clock_copy_init(struct trace_clock_copy *copy)
{
	WRITE_ONCE(copy->generation, TRACE_CLOCK_NO_COPY);
}

/* Is trace_clock_copied() not to be called?  0: it may be.  With preemption off. */
static __always_inline u32 trace_clock_copy_stale(const struct trace_clock_copy *copy)
{
	return copy->generation ^ arch_clock_generation();
}

static __always_inline bool trace_clock_copy_valid(const struct trace_clock_copy *copy)
{
	return !trace_clock_copy_stale(copy);
}

/*
 * Return the local clock, the same value as sched_clock(). @copy is passed by value, since a
 * pointer would make the compiler compute an address.
 */
static __always_inline u64 trace_clock_copied(const struct trace_clock_copy copy)
{
	return arch_clock_scaled(copy.mul, copy.epoch) + copy.offset;
}

DECLARE_PER_CPU(struct trace_clock_copy, trace_clock_cpu_copy);

u64 trace_clock_not_copied(void);

/* The local clock.  In any context, with preemption off. */
static __always_inline u64 trace_clock_quick(void)
{
	if (unlikely(raw_cpu_read(trace_clock_cpu_copy.generation) != arch_clock_generation()))
		return trace_clock_not_copied();
	barrier();
	return arch_clock_scaled(raw_cpu_read(trace_clock_cpu_copy.mul),
				 raw_cpu_read(trace_clock_cpu_copy.epoch)) +
	       raw_cpu_read(trace_clock_cpu_copy.offset);
}

#else /* !CONFIG_TRACE_CLOCK_FACTORS */

struct trace_clock_copy { };

static inline void trace_clock_copy_init(struct trace_clock_copy *copy) { }
static inline void trace_clock_copy_update(struct trace_clock_copy *copy) { }

static __always_inline u32 trace_clock_copy_stale(const struct trace_clock_copy *copy)
{
	return 0;
}

/* There is nothing to be copied, and no other way: reading the clock is a call. */
static __always_inline bool trace_clock_copy_valid(const struct trace_clock_copy *copy)
{
	return true;
}

static __always_inline u64 trace_clock_copied(const struct trace_clock_copy copy)
{
	return sched_clock_noinstr();
}

static __always_inline u64 trace_clock_quick(void)
{
	return sched_clock_noinstr();
}

#endif /* CONFIG_TRACE_CLOCK_FACTORS */

/* The local clock, whatever it is.  With preemption off. */
static __always_inline u64 trace_clock_called(void)
{
	return sched_clock_noinstr();
}

#endif /* _TRACE_LIB_CLOCK_H */
