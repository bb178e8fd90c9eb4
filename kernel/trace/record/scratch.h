/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/scratch.h: memory per CPU for work that is done in any context and may be
 * interrupted by the same work in another one: unwinding a stack, formatting text,
 * filling in a record that a filter has to see first.
 *
 * The places of a CPU are a stack. A task takes the first; an interrupt that
 * comes meanwhile takes the next, and has given it back when it returns. So a
 * count is all that is needed, and there is no lock. Four contexts can interrupt
 * each other, so four places are enough for work that does not recurse. Work that
 * does, by a fault or an event of its own, may find none left and then does without.
 *
 * A scratch is any struct, per CPU and zeroed, that begins
 *
 *	struct my_scratch {
 *		unsigned int	used;			// own CPU
 *		struct my_place	place[TRACE_CONTEXTS];
 *	};
 *
 * A scratch of one place also keeps work from recursing.
 *
 * "own CPU": this CPU only, with preemption off.
 */
#ifndef _TRACE_RECORD_SCRATCH_H
#define _TRACE_RECORD_SCRATCH_H

#include <linux/array_size.h>
#include <linux/compiler.h>
#include <linux/percpu.h>

/* Task, softirq, interrupt and NMI. */
#define TRACE_CONTEXTS	4

/*
 * Take a place; *index tells which. False: all are taken. An interrupt between the load
 * of @used and the store takes places too, but gives all of them back before it returns.
 */
static __always_inline bool trace_scratch_take(unsigned int *used, unsigned int places,
					       unsigned int *index)
{
	*index = *used;
	if (unlikely(*index >= places))
		return false;
	WRITE_ONCE(*used, *index + 1);
	/* SC: an interrupt that comes while the place is used finds it taken. */
	barrier();
	return true;
}

/* Undo trace_scratch_take(). */
static __always_inline void trace_scratch_leave(unsigned int *used)
{
	/* SC: the last use of the place comes before others may take it. */
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

/*
 * trace_scratch_get() for a scratch that is a variable per CPU, for hot paths: its name is given,
 * and the index of the place is told.
 */
#define trace_scratch_take_cpu(scratch, index) ({				\
	*(index) = raw_cpu_read((scratch).used);				\
	bool __taken = *(index) < ARRAY_SIZE((scratch).place);			\
										\
	if (likely(__taken))							\
		raw_cpu_inc((scratch).used);					\
	/* SC: as in trace_scratch_take() */					\
	barrier();								\
	__taken; })

#define trace_scratch_leave_cpu(scratch) do {					\
	/* SC: as in trace_scratch_leave() */					\
	barrier();								\
	raw_cpu_dec((scratch).used);						\
} while (0)

#endif /* _TRACE_RECORD_SCRATCH_H */
