// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU whose clock traps into a hypervisor, which lets interrupts in then. So each call from
 * another CPU comes in the midst of a write, as long as there are writes.
 */
#include "cases.h"

static struct trace_buffer *written;
static bool (*is_done)(struct trace_buffer *buffer);
static pthread_t thread;
static int writer_state;	/* 1: it is about to write; 2: it is to end */

static void take_call(void)
{
	if (!shim_call_pending())
		return;
	shim_interrupt();
	local_irq_disable();
}

static u64 trapping_clock(void)
{
	static u64 now;

	while (!shim_call_pending() && smp_load_acquire(&writer_state) == 1)
		shim_wait();
	take_call();
	return now++;
}

/* Time that jumps does not count. */
static unsigned long trap_time(void)
{
	return jiffies - READ_ONCE(shim_jiffies_ahead);
}

/*
 * CPU 1 writes until what is tried has been done, and is idle when it is turned away. It gives up
 * later than who tries: a grace period comes to its end, and the case fails.
 */
static void *trapped_writer(void *unused)
{
	unsigned long end = trap_time() + 3 * RB_QUIESCE_TICKS;

	shim_become(1);
	local_irq_disable();
	smp_store_release(&writer_state, 1);
	while (smp_load_acquire(&writer_state) == 1) {
		if (is_done(written) || time_after(trap_time(), end) || test_put(written, BYTES))
			take_call();
	}
	local_irq_enable();
	return unused;
}

void trapped_begin(struct trace_buffer *buffer, bool (*done)(struct trace_buffer *buffer))
{
	written = buffer;
	is_done = done;
	writer_state = 0;
	ring_buffer_set_clock(written, trapping_clock);
	pthread_create(&thread, NULL, trapped_writer, NULL);
	while (!smp_load_acquire(&writer_state))
		shim_wait();
}

void trapped_end(void)
{
	smp_store_release(&writer_state, 2);
	pthread_join(thread, NULL);
}
