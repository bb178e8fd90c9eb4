/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of the stress share: stress_write.c has the CPUs that write,
 * stress_read.c those that read, and stress.c changes what can be changed, and does the sums.
 */
#ifndef _RING_BUFFER_STRESS_H
#define _RING_BUFFER_STRESS_H

#include "test.h"

#define WRITERS		2
#define LEVELS		3
#define LONGEST		200

/* In all but a rough round the reader takes every event, or is told of its loss. */
enum stress_kind {
	STRESS_EVENTS,		/* it consumes by events and by pages */
	STRESS_MAPPED,		/* it reads in the mapped memory */
	STRESS_ITERATED,	/* it iterates, and nobody consumes */
	STRESS_ROUGH,		/* resets, orders and exchanges come in between */
	STRESS_KINDS
};

/* The data of an event. */
struct item {
	u32	cpu;
	u32	level;
	u32	number;
	u32	length;
	u64	time;		/* 0: its writer was not told */
	u8	data[];
} __packed __aligned(4);

/* By CPU and level, so each has one writer. */
struct counts {
	unsigned long	written;
	unsigned long	refused;
	u32		number;
	u64		random;
};

/**
 * struct stress - a round
 * @buffer: is written
 * @spare: the other ring buffer of the same instance
 * @kind: of the round
 * @stop_writers: they come to their end
 * @stop_readers: the others do, too
 * @counts: what was written
 * @found: events that the reader has found, by CPU
 * @lost: events that the reader was told of as lost
 */
struct stress {
	struct trace_buffer	*buffer, *spare;
	enum stress_kind	kind;
	bool			stop_writers, stop_readers;
	struct counts		counts[WRITERS][LEVELS];
	unsigned long		found[WRITERS], lost[WRITERS];
};

extern struct stress stress;

/* Clocks jump back by less than this. */
#define STRESS_JUMP_BACK	262144

/*
 * May an event of time @ts stand behind one of time @before? On 32 bits a stamp may be read in
 * two parts. So a writer does not trust what it finds there when it interrupts another one.
 */
static inline bool stress_in_order(u64 before, u64 ts)
{
	return BITS_PER_LONG == 32 || ts >= before;
}

static inline bool stress_is_rough(void)
{
	return stress.kind == STRESS_ROUGH;
}

static inline u32 stress_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* stress_write.c */
void *stress_writer(void *arg);
void stress_write_hook(void);

/* stress_read.c */
void *stress_reader(void *arg);
void *stress_looker(void *arg);
void stress_read_begin(void);
bool stress_read(int cpu);
void stress_read_end(void);

#endif /* _RING_BUFFER_STRESS_H */
