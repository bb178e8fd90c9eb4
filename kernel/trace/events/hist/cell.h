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
 * Cells are zeroed before they are used. Preemption is off in all functions.
 */
#ifndef _TRACE_EVENTS_HIST_CELL_H
#define _TRACE_EVENTS_HIST_CELL_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/types.h>

#define HIST_CELL_BUSY	BIT_ULL(63)
#define HIST_CELL_BITS	GENMASK_ULL(31, 0)
#define HIST_CELL_MAX	32	/* numbers */

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

enum hist_cell_result hist_cell_read(struct hist_cell *cell, u64 *to, unsigned int size,
				     u32 wanted, u32 taken);
bool hist_cell_begin(struct hist_cell *cell, u64 *state);
void hist_cell_write(struct hist_cell *cell, const u64 *from, unsigned int size);
u32 hist_cell_end(struct hist_cell *cell, u64 state, u32 bits);

/* Are all numbers there, or is a store under way that may bring them? */
static inline bool hist_cell_has(const struct hist_cell *cell, u32 wanted)
{
	u64 state = atomic64_read(&cell->state);

	return (state & HIST_CELL_BUSY) || (state & wanted) == wanted;
}

#endif /* _TRACE_EVENTS_HIST_CELL_H */
