// SPDX-License-Identifier: GPL-2.0
/* The tracer "exits": a record for each task that exits, with its code. */
#include <linux/trace_events.h>
#include <trace/events/sched.h>

#include "record/kind.h"
#include "record/record.h"
#include "tracers/tracers.h"

struct exits_entry {
	struct trace_entry	ent;
	int			code;
};

/* Runs in the task that exits, with preemption off. */
static void exits_probe(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct exits_entry *entry;

	entry = trace_record_reserve(buffer, TRACE_EXITS, sizeof(*entry), tracing_gen_ctx(),
				     &event);
	if (!entry)
		return;
	entry->code = task->exit_code;
	trace_record_commit(buffer);
}

static enum print_line_t exits_text(struct trace_iterator *iter,
				    const struct trace_printer *printer)
{
	const struct exits_entry *entry = trace_kind_record(iter, struct exits_entry);

	trace_seq_printf(&iter->seq, "exit code %d\n", entry->code);
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field exits_fields[] = {
	TRACE_KIND_FIELD(struct exits_entry, int, code),
	{ }
};

static const struct trace_kind exits_kind = {
	.type		= TRACE_EXITS,
	.size		= sizeof(struct exits_entry),
	.name		= "exits",
	.fields		= exits_fields,
	.print_fmt	= "\"exit code %d\", REC->code",
	.print		= { [TRACE_MODE_TEXT] = exits_text },
};

static const struct trace_kind * const exits_kinds[] = { &exits_kind, NULL };

static int exits_init(struct trace_array *tr)
{
	return register_trace_sched_process_exit(exits_probe, tr);
}

static void exits_reset(struct trace_array *tr)
{
	unregister_trace_sched_process_exit(exits_probe, tr);
	tracepoint_synchronize_unregister();
}

DEFINE_TRACER(exits) = {
	.name			= "exits",
	.init			= exits_init,
	.reset			= exits_reset,
	.kinds			= exits_kinds,
	.allow_instances	= true,
};
