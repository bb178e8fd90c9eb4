/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: values that one hit stores at a key and another hit reads, as one record.
 *
 * A cell is a word of state, some numbers, and some bytes for strings and stacks. The numbers
 * have bits: a set bit says that the number, and its bytes, have been stored and not taken. The
 * state holds the bits, a count of stores, and BUSY while a hit stores.
 *
 *	STORE				READ, and TAKE some numbers
 *	s = state, is not BUSY	(1)	s = state: not BUSY, all bits are set	(4) acquire
 *	s -> count + 1, BUSY	(2)	copy the numbers and the bytes		(5)
 *	numbers and bytes		s -> without the bits to be taken	(6)
 *	state = count, bits	(3)
 *
 * (2) and (6) are compare-and-exchange and full barriers; (3) is a release that pairs with (4). If
 * a store has begun between (4) and (6), the count has changed, and (6) fails: the copy is dropped.
 * So a copy is of one store, and a number that is taken is taken by one reader, together with the
 * other numbers of its store. If nothing is to be taken, (6) looks at the count only, behind an
 * smp_rmb() that pairs with the full barrier of (2).
 *
 * Nobody waits. A hit that finds a cell BUSY has interrupted a store, or runs beside one on
 * another CPU. It tries again a few times, and then gives up, and the caller counts that.
 *
 * Cells are zeroed before they are used. Preemption is off in all functions, which are inlined into
 * hits.
 */
#ifndef _TRACE_EVENTS_HIST_CELL_H
#define _TRACE_EVENTS_HIST_CELL_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/processor.h>
#include <linux/types.h>

#define HIST_CELL_BUSY	BIT_ULL(63)
#define HIST_CELL_BITS	GENMASK_ULL(31, 0)
#define HIST_CELL_MAX	32	/* numbers */
#define HIST_CELL_TRIES	8
#define HIST_CELL_COUNT	BIT_ULL(32)
#define HIST_CELL_COUNTS	GENMASK_ULL(62, 32)

/* @value: numbers, and behind them the bytes of strings and stacks. */
struct hist_cell {
	atomic64_t	state;
	u64		value[];
};

/* Results of an attempt. */
enum hist_cell_result {
	HIST_CELL_DONE,
	HIST_CELL_UNSET,	/* a number has not been stored, or has been taken */
	HIST_CELL_IN_USE,	/* others were in the way each time */
};

/**
 * hist_cell_read - copy the numbers of a cell, and take some
 * @cell: the cell
 * @to: for the numbers and the bytes
 * @size: of both, a multiple of 8
 * @wanted: bits of the numbers that have to be there
 * @taken: bits of those that are taken, which @wanted has as well
 *
 * Context: any, NMI included, preemption is off.
 * Return: HIST_CELL_DONE, and @to has one store; otherwise @to has nothing of use.
 */
static __always_inline enum hist_cell_result
hist_cell_read(struct hist_cell *cell, u64 *to, unsigned int size, u32 wanted, u32 taken)
{
	for (unsigned int i = 0; i < HIST_CELL_TRIES; i++) {
		/* (4) Pairs with (3). */
		u64 state = atomic64_read_acquire(&cell->state);

		if (state & HIST_CELL_BUSY) {
			cpu_relax();
			continue;
		}
		if ((state & wanted) != wanted)
			return HIST_CELL_UNSET;
		/* (5) A copy that a store disturbs is dropped. */
		for (unsigned int j = 0; j < size / sizeof(u64); j++)
			to[j] = READ_ONCE(cell->value[j]);
		if (taken) {
			/* (6) */
			if (atomic64_cmpxchg(&cell->state, state, state & ~(u64)taken) == state)
				return HIST_CELL_DONE;
		} else {
			/* Pairs with (2). */
			smp_rmb();
			if (!((atomic64_read(&cell->state) ^ state) &
			      (HIST_CELL_COUNTS | HIST_CELL_BUSY)))
				return HIST_CELL_DONE;
		}
	}
	return HIST_CELL_IN_USE;
}

/**
 * hist_cell_write - write numbers and bytes between hist_cell_begin() and hist_cell_end()
 * @cell: the cell
 * @from: the numbers and bytes
 * @size: of both, a multiple of 8
 *
 * Context: that of hist_cell_begin().
 */
static __always_inline void hist_cell_write(struct hist_cell *cell, const u64 *from,
					    unsigned int size)
{
	for (unsigned int i = 0; i < size / sizeof(u64); i++)
		WRITE_ONCE(cell->value[i], from[i]);
}

/**
 * hist_cell_begin - begin a store
 * @cell: the cell
 * @state: for hist_cell_end()
 *
 * The caller may read and write the cell's numbers and bytes if @state has their bits, and write
 * them in any case.
 *
 * Context: any, NMI included; preemption is off until hist_cell_end().
 * Return: false: others were in the way each time, and nothing has begun.
 */
static __always_inline bool hist_cell_begin(struct hist_cell *cell, u64 *state)
{
	for (unsigned int i = 0; i < HIST_CELL_TRIES; i++) {
		u64 old = atomic64_read(&cell->state), new;		/* (1) */

		if (old & HIST_CELL_BUSY) {
			cpu_relax();
			continue;
		}
		/* A count that wraps goes into BUSY, which is set anyway. */
		new = (old + HIST_CELL_COUNT) | HIST_CELL_BUSY;
		/* (2) */
		if (atomic64_cmpxchg(&cell->state, old, new) == old) {
			*state = new;
			return true;
		}
	}
	return false;
}

/**
 * hist_cell_end - end a store
 * @cell: the cell
 * @state: of hist_cell_begin()
 * @bits: of the numbers that are there from now on
 *
 * Context: that of hist_cell_begin().
 * Return: the bits of the numbers that were there before.
 */
static __always_inline u32 hist_cell_end(struct hist_cell *cell, u64 state, u32 bits)
{
	/* (3) Pairs with (4). */
	atomic64_set_release(&cell->state, (state & HIST_CELL_COUNTS) | bits);
	return state & HIST_CELL_BITS;
}

/* Are all numbers there, or is a store under way that may bring them? */
static inline bool hist_cell_has(const struct hist_cell *cell, u32 wanted)
{
	u64 state = atomic64_read(&cell->state);

	return (state & HIST_CELL_BUSY) || (state & wanted) == wanted;
}

#endif /* _TRACE_EVENTS_HIST_CELL_H */
