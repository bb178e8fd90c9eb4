// SPDX-License-Identifier: GPL-2.0
/* Cells, as cell.h explains them. */
#include <linux/compiler.h>
#include <linux/processor.h>

#include "events/hist/cell.h"

#define CELL_TRIES	8
#define CELL_COUNT	BIT_ULL(32)
#define CELL_COUNTS	GENMASK_ULL(62, 32)

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
enum hist_cell_result hist_cell_read(struct hist_cell *cell, u64 *to, unsigned int size,
				     u32 wanted, u32 taken)
{
	for (unsigned int i = 0; i < CELL_TRIES; i++) {
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
			      (CELL_COUNTS | HIST_CELL_BUSY)))
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
void hist_cell_write(struct hist_cell *cell, const u64 *from, unsigned int size)
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
bool hist_cell_begin(struct hist_cell *cell, u64 *state)
{
	for (unsigned int i = 0; i < CELL_TRIES; i++) {
		u64 old = atomic64_read(&cell->state);			/* (1) */
		u64 new = ((old + CELL_COUNT) & CELL_COUNTS) | HIST_CELL_BUSY |
			  (old & HIST_CELL_BITS);

		if (old & HIST_CELL_BUSY) {
			cpu_relax();
			continue;
		}
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
u32 hist_cell_end(struct hist_cell *cell, u64 state, u32 bits)
{
	/* (3) Pairs with (4). */
	atomic64_set_release(&cell->state, (state & CELL_COUNTS) | bits);
	return state & HIST_CELL_BITS;
}
