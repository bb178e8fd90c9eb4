/* SPDX-License-Identifier: GPL-2.0 */
/* buffer/ inside: the levels of the writers of a CPU, and the words of their stamps. */
#ifndef _TRACE_BUFFER_STAMP_H
#define _TRACE_BUFFER_STAMP_H

#include <linux/bits.h>
#include <linux/types.h>

/*
 * Levels of writers, innermost first: bits of rb_writer::context, which moves up
 * by RB_LEVELS in ring_buffer_nest_start().
 */
enum rb_level {
	RB_LEVEL_TRANSITION,	/* irq that preempt_count does not know yet */
	RB_LEVEL_NMI,
	RB_LEVEL_IRQ,
	RB_LEVEL_SOFTIRQ,
	RB_LEVEL_TASK,
	RB_LEVELS
};

#define RB_NEST_MAX		4

/* So many writers of a CPU may be active, each of which has interrupted the one before. */
#define RB_DEPTHS		(RB_LEVELS * (RB_NEST_MAX + 1))

#define RB_LEVEL_BITS		3
#define RB_LEVEL_SHIFT		(64 - RB_LEVEL_BITS)

/*
 * The word in before_stamp and write_stamp. The level tells the stamp of a writer that was
 * interrupted from an equal stamp of the writer that interrupted it: a clock may tell both the
 * same time. It stands above the time, and RB_LEVEL_TASK, the level of most writers, is 0 there,
 * so that their words are times. A clock that tells 61 bits or more (the local one does after 73
 * years) has each event stamped in full, off the short way.
 */
static __always_inline u64 rb_stamp_word(u64 ts, unsigned int level)
{
	return ts | (u64)(RB_LEVEL_TASK - level) << RB_LEVEL_SHIFT;
}

static __always_inline u64 rb_stamp_time(u64 word)
{
	return word & ((u64)-1 >> RB_LEVEL_BITS);
}

/* In the place of the level: a time that before_stamp or write_stamp has got from the other. */
#define RB_MARK_WRITE		(BIT(RB_LEVEL_BITS) - 2)
#define RB_MARK_BEFORE		(BIT(RB_LEVEL_BITS) - 1)

static_assert(RB_MARK_WRITE >= RB_LEVELS);

static __always_inline u64 rb_stamp_mark(u64 word, unsigned int mark)
{
	return rb_stamp_time(word) | (u64)mark << RB_LEVEL_SHIFT;
}

#endif /* _TRACE_BUFFER_STAMP_H */
