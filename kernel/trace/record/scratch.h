/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/scratch.h: places per CPU for work that any context may be in the
 * middle of when it is interrupted by another: unwinding a stack, formatting
 * text, filling in a record that a filter has to see first.
 *
 * The places of a CPU are a stack. A task takes the first; an interrupt that
 * comes meanwhile takes the next, and has given it back when it returns. So a
 * count is all that is needed, and there is no lock. Four contexts can interrupt
 * each other; when one of them needs several places, as it comes out of its own
 * work again, there may be none for the last, which has to do without.
 *
 * A scratch is any struct, per CPU and zeroed, that begins
 *
 *	struct my_scratch {
 *		unsigned int	used;			// C
 *		struct my_place	place[TRACE_CONTEXTS];
 *	};
 *
 * With one place, it also keeps work from coming out of itself.
 *
 * Letters: C this CPU only, with preemption off.
 */
#ifndef _TRACE_RECORD_SCRATCH_H
#define _TRACE_RECORD_SCRATCH_H

#include <linux/array_size.h>
#include <linux/compiler.h>

/* Task, softirq, interrupt and NMI. */
#define TRACE_CONTEXTS	4

/*
 * True, and *index tells which: a place was taken. An interrupt between the load
 * and the store of @used has put back what was loaded.
 */
static __always_inline bool trace_scratch_take(unsigned int *used, unsigned int places,
					       unsigned int *index)
{
	*index = *used;
	if (unlikely(*index >= places))
		return false;
	WRITE_ONCE(*used, *index + 1);
	/* What interrupts the use of the place finds it taken. */
	barrier();
	return true;
}

static __always_inline void trace_scratch_leave(unsigned int *used)
{
	/* The place is not used any more when others may take it. */
	barrier();
	WRITE_ONCE(*used, *used - 1);
}

/**
 * trace_scratch_get - take a place
 * @scratch: this CPU's
 *
 * Context: any, with preemption off until trace_scratch_put().
 * Return: the address of the place, NULL when all are taken.
 */
#define trace_scratch_get(scratch) ({						\
	typeof(scratch) __scratch = (scratch);					\
	unsigned int __index;							\
										\
	trace_scratch_take(&__scratch->used, ARRAY_SIZE(__scratch->place), &__index) ? \
		&__scratch->place[__index] : NULL; })

/**
 * trace_scratch_put - give back the place that was taken last
 * @scratch: this CPU's
 *
 * Context: that of trace_scratch_get().
 */
#define trace_scratch_put(scratch)	trace_scratch_leave(&(scratch)->used)

#endif /* _TRACE_RECORD_SCRATCH_H */
