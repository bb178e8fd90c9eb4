/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of steps share: steps_ops.c has the operations and the contexts
 * that come in between, the others run some of them at each instruction of others.
 */
#ifndef _RING_BUFFER_STEPS_H
#define _RING_BUFFER_STEPS_H

#include "test.h"

#define BYTES	16
#define PER_SUB	((PAGE_SIZE - RB_HDR) / (BYTES + RB_EVENT_HDR))
#define SUBS	4

/**
 * struct steps - what all steps work on, and the sums
 * @stride: from one instruction to the next that something comes behind
 * @fine: the same for races that go wrong at one instruction only
 * @buffer: the ring buffer of the case
 * @written: events that were committed
 * @refused: events for which there was no place
 * @read: events that a consumer has taken
 * @lost: events that a consumer was told of as lost
 * @changed: changes of structure that were made
 * @number: of the next event
 */
extern struct steps {
	unsigned long		stride;
	unsigned long		fine;
	struct trace_buffer	*buffer;
	unsigned long		written;
	unsigned long		refused;
	unsigned long		read;
	unsigned long		lost;
	unsigned long		changed;
	u32			number;
} steps;

/* Operations of CPU 0. */
void op_write(void *unused);
void op_words(void *unused);
void op_discard(void *unused);
void op_late(void *unused);
void op_long(void *unused);

/* Contexts that come in between: an NMI, or another CPU. */
void in_nmi_write(void *unused);
void in_nmi_words(void *unused);
void in_nmi_discard(void *unused);
void in_nmi_many(void *unused);
void in_nmi_flood(void *unused);
void hook_consume(void *unused);
void hook_consume_all(void *unused);
void hook_iterate(void *unused);
void hook_write(void *unused);
void other_consumes(void *unused);
void other_consumes_all(void *unused);

void steps_write(u32 level);
bool steps_consume(void);
void steps_on_other(void (*func)(void *unused));
void steps_begin(void);
void steps_end(void);
void steps_forget(void);
void steps_settle(void);
void steps_at_each(void (*op)(void *), void (*hook)(void *), bool reset);

/* steps_change.c: the change that a hook has asked for comes to its end. */
void steps_finish_ask(void);

#define STEPS_CASE(name)	{ #name, name }

extern const struct test_case change_steps[], map_steps[], read_steps[], swap_steps[],
			      wait_steps[], write_steps[];

#endif /* _RING_BUFFER_STEPS_H */
