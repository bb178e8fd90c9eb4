// SPDX-License-Identifier: GPL-2.0
/*
 * events/ftrace/: descriptions by which user space decodes the records that tracing itself
 * writes. Each kind of them (record/kind.h) gets an event with fields and a print format. The
 * event cannot be switched on, since tracers and options decide when such records are written.
 * perf can count calls of functions all the same, see perf_function.c.
 */
#include <linux/init.h>
#include <linux/slab.h>

#include "events/internal.h"
#include "printk/printk.h"
#include "record/kind.h"

/* The event of a kind. It is freed when the kind is unregistered. */
struct kind_event {
	struct trace_event_class	class;
	struct trace_event_call		call;
	const struct trace_kind		*kind;
};

/*
 * The events by number. kinds_mutex of record/kind.c is held whenever they are written. A
 * reader that prints a record of a kind keeps the kind, and with it the event here.
 */
static struct kind_event *kind_events[TRACE_FIRST_EVENT];

/**
 * trace_event_of_kind - the event that has the fields of a kind
 * @type: the kind's number
 *
 * Context: any; the caller keeps the kind, see trace_kind_by_type().
 * Return: the event, NULL when there is none.
 */
struct trace_event_call *trace_event_of_kind(unsigned int type)
{
	struct kind_event *event = READ_ONCE(kind_events[type]);

	return event ? &event->call : NULL;
}

static int kind_define_fields(struct trace_event_call *call)
{
	const struct kind_event *event = container_of(call, struct kind_event, call);
	const struct trace_kind_field *f;
	int ret = 0;

	for (f = event->kind->fields; f->name && !ret; f++)
		ret = trace_define_field(call, f->type, f->name, f->offset, f->size,
					 f->is_signed, f->filter_type);
	return ret;
}

static struct trace_event_fields kind_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = kind_define_fields },
	{ }
};

/*
 * ftrace:print has triggers, so that texts that user space writes into trace_marker are hits of
 * it. perf may open it, as users expect, but nobody passes its records to perf.
 */
static int kind_print_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_event_file *file = data;

	if (type == TRACE_REG_REGISTER)
		trace_marker_set_probe(file->tr, trace_event_marker, file);
	else if (type == TRACE_REG_UNREGISTER)
		trace_marker_set_probe(file->tr, trace_event_marker, NULL);
	return 0;
}

/* Let perf open the events of two kinds: calls of functions and, as ever, printed texts. */
static void kind_offer_to_perf(struct kind_event *event)
{
	if (event->kind->type == TRACE_FN)
		trace_event_perf_function_offer(&event->call);
	if (event->kind->type == TRACE_PRINT)
		event->class.reg = kind_print_reg;
}

static int kind_added(const struct trace_kind *kind)
{
	struct kind_event *event = kzalloc(sizeof(*event), GFP_KERNEL);
	int ret;

	if (!event)
		return -ENOMEM;
	event->kind = kind;
	event->class.system = "ftrace";
	event->class.fields_array = kind_fields;
	INIT_LIST_HEAD(&event->class.fields);
	event->call.class = &event->class;
	event->call.name = (char *)kind->name;
	event->call.event.type = kind->type;
	event->call.print_fmt = (char *)kind->print_fmt;
	event->call.flags = TRACE_EVENT_FL_IGNORE_ENABLE;
	kind_offer_to_perf(event);
	ret = trace_add_event_call(&event->call);
	if (ret) {
		kfree(event);
		return ret;
	}
	WRITE_ONCE(kind_events[kind->type], event);
	return 0;
}

static void kind_removed(const struct trace_kind *kind)
{
	struct kind_event *event = kind_events[kind->type];

	if (!event)
		return;
	WRITE_ONCE(kind_events[kind->type], NULL);
	/* It cannot be on, so this is not refused. */
	if (!WARN_ON(trace_remove_event_call(&event->call)))
		kfree(event);
}

static const struct trace_kind_listener kind_listener = {
	.added		= kind_added,
	.removed	= kind_removed,
};

/* Boot, once; no lock is held, as kinds_mutex comes before those of events. */
void __init trace_event_kinds_init(void)
{
	trace_kinds_listen(&kind_listener);
}
