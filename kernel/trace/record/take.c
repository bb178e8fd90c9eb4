// SPDX-License-Identifier: GPL-2.0
/*
 * For the startup tests: consume all records of a buffer, and see that they are
 * records.
 */
#include <linux/cpumask.h>
#include <linux/ring_buffer.h>
#include <linux/trace_events.h>

#include "record/take.h"

static int records_take_cpu(struct trace_buffer *buffer, int cpu, unsigned int type,
			    struct trace_records *records)
{
	/* Bound the loop, in case the reader returns the same records again. */
	unsigned long limit = ring_buffer_entries_cpu(buffer, cpu);
	struct ring_buffer_event *event;
	const struct trace_entry *entry;
	u64 ts, last = 0;

	while ((event = ring_buffer_consume(buffer, cpu, &ts, NULL))) {
		entry = ring_buffer_event_data(event);
		if (!limit-- || ring_buffer_event_length(event) < sizeof(*entry) ||
		    !entry->type || ts < last)
			return -EBADMSG;
		last = ts;
		if (entry->type == type)
			records->wanted++;
		else
			records->others++;
	}
	return 0;
}

/**
 * trace_records_take - consume and count the records of a buffer
 * @buffer: nobody writes to it
 * @type: what is counted apart; 0: nothing
 * @records: the counts
 *
 * Context: task.
 * Return: 0; -EBADMSG when there is something that is no record, there are more of them
 * than the buffer has, or time runs backwards.
 */
int trace_records_take(struct trace_buffer *buffer, unsigned int type,
		       struct trace_records *records)
{
	int cpu, ret = 0;

	*records = (struct trace_records) { };
	for_each_online_cpu(cpu)
		ret = ret ?: records_take_cpu(buffer, cpu, type, records);
	return ret;
}
