/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside: the words of a ring, and the bits that close it.
 *
 * SLOTS
 * -----
 * The ring is an array of slots.  The sub-buffer at base position B has the
 * slot behind that of the sub-buffer before it.  A slot is one word: which
 * descriptor (and with it which memory) it holds, whether that holds data, and
 * the low bits of the sub-buffer's sequence number, its generation:
 *
 *	EMPTY(d)	d is free for the next sub-buffer of this slot
 *	DATA(d, g)	d holds sub-buffer g, being written or complete
 *
 *	EMPTY(d)   -> DATA(d, g)	writer opens g
 *	DATA(d, g) -> DATA(d, g + nr)	writer overwrites the oldest; its
 *					events are counted as lost here
 *	DATA(d, g) -> EMPTY(spare)	reader takes g and leaves its spare
 *
 * Each is one cmpxchg on the slot, so the CPU's writers and a reader
 * elsewhere agree who has g.  The reader takes what holds committed data
 * only, in order, and may take the sub-buffer that is still being written:
 * the writer stays in the memory it is in, and finds the spare when it comes
 * around. The sub-buffer that the reader has taken is its own until it takes the next; then it
 * is the spare.
 */
#ifndef _TRACE_BUFFER_SLOTS_H
#define _TRACE_BUFFER_SLOTS_H

#include <linux/bits.h>

/* A slot's word: descriptor's index, generation, DATA or EMPTY. */
#define RB_SLOT_DATA		BIT(BITS_PER_LONG / 2 - 1)
#define RB_SLOT_ID		(RB_SLOT_DATA - 1)
#define RB_SLOT_GEN_SHIFT	(BITS_PER_LONG / 2)

#define RB_MIN_SUBS	2

/* As many as a pipe takes: the pages that one splice() has freed serve the next one. */
#define RB_FREE_PAGES		16

/*
 * In rb_writer::disabled beside its count.  RB_CPU_QUIESCED: a change of structure is going on;
 * several add up.  RB_CPU_FOLLOW: rb_writer::follow is set; this closes the short way, and does
 * not disable recording.
 *
 * RB_CPU_DEAD: the CPU is dead, from trace_rb_cpu_dead() until trace_rb_cpu_prepare().  Some
 * architectures do not wait for the last instruction of a CPU: x86 calls a CPU dead that has
 * said so, and that CPU still calls some functions before it halts.  They are not recorded, and
 * not counted.  A writer that sets its bit in rb_writer::context keeps rb_quiesced_call() waiting,
 * as everywhere.  So nothing is left but a writer that has found the bit RB_CPU_DEAD clear and
 * has not set its own bit, which are two instructions.
 */
#define RB_CPU_QUIESCED		BIT(20)
#define RB_CPU_DEAD		BIT(29)
#define RB_CPU_FOLLOW		BIT(30)

#endif /* _TRACE_BUFFER_SLOTS_H */
