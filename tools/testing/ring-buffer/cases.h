/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of cases share.
 */
#ifndef _RING_BUFFER_CASES_H
#define _RING_BUFFER_CASES_H

#include "test.h"

/* Events of 16 bytes: 20 in the buffer, so 204 fill a sub-buffer exactly. */
#define BYTES	16
#define PER_SUB	((PAGE_SIZE - RB_HDR) / (BYTES + RB_EVENT_HDR))

static inline struct rb_cpu *cpu0(struct trace_buffer *buffer)
{
	return rb_cpu_at(buffer, 0);
}

/* As @cpu, which need not be online. */
static inline int put_on(int cpu, struct trace_buffer *buffer)
{
	int ret;

	shim_cpu_id = cpu;
	ret = test_put(buffer, BYTES);
	shim_cpu_id = 0;
	return ret;
}

static inline void tick_on(int cpu)
{
	shim_cpu_id = cpu;
	shim_tick();
	shim_cpu_id = 0;
}

/* cases_trap.c: each interrupt of CPU 1 comes in the midst of a write, until @is_done. */
void trapped_begin(struct trace_buffer *buffer, bool (*is_done)(struct trace_buffer *buffer));
void trapped_end(void);

/* Cases of a subject, up to one without a name. */
extern const struct test_case hotplug_cases[], persist_cases[], read_cases[], size_cases[],
			      swap_cases[], wait_cases[], write_cases[];

#endif /* _RING_BUFFER_CASES_H */
