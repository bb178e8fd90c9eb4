// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for records of an instance. A snapshot may exchange its two buffers during the
 * wait, which then has to go on at the buffer that new records are written to.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>

#include "instance/buffers.h"
#include "instance/option.h"
#include "reader/internal.h"

/**
 * trace_wait_prepare - begin one round of looking for records and waiting
 * @wait: of the caller alone
 *
 * If the buffers are exchanged from now on, trace_wait_for_records() returns.
 *
 * Context: task.
 */
void trace_wait_prepare(struct trace_wait *wait)
{
	wait->exchanges = trace_exchange_count(wait->from->tr);
}

static bool wait_is_over(void *data)
{
	const struct trace_wait *wait = data;

	return wait->stop(wait->data) ||
	       trace_exchange_count(wait->from->tr) != wait->exchanges;
}

/**
 * trace_wait_for_records - wait until there is something to read
 * @wait: prepared before the caller found nothing
 * @full: how much of the buffer has to be there in percent; 0: any record
 *
 * Context: task, sleeps.
 * Return: 0: look again, there may be records; -ERESTARTSYS for a signal, -ENODEV if
 * the CPU has no buffer.
 */
int trace_wait_for_records(struct trace_wait *wait, int full)
{
	return ring_buffer_wait(READ_ONCE(wait->from->buffer), wait->cpu, full,
				wait_is_over, wait);
}

/**
 * trace_wait_poll - poll a file that consumes records
 * @from: which buffer of the instance it consumes from
 * @cpu: of which CPU, or RING_BUFFER_ALL_CPUS
 * @file: the file
 * @poll: for poll_wait()
 *
 * The files of a CPU are readable when buffer_percent of its buffer is there.
 *
 * Context: poll().
 * Return: the mask for poll().
 */
__poll_t trace_wait_poll(struct array_buffer *from, int cpu, struct file *file,
			 poll_table *poll)
{
	int full = READ_ONCE(from->tr->buffer_percent);
	struct trace_buffer **buffer;
	__poll_t mask = 0, ready;

	/* The option block: a read waits, poll does not. */
	if (trace_option(from->tr, TRACE_OPT_BLOCK))
		return EPOLLIN | EPOLLRDNORM;
	/* A snapshot may exchange the buffers meanwhile: be woken by either. */
	for_each_trace_buffer(from->tr, buffer) {
		ready = ring_buffer_poll_wait(*buffer, cpu, file, poll, full);
		if (*buffer == READ_ONCE(from->buffer))
			mask = ready;
	}
	return mask;
}
