// SPDX-License-Identifier: GPL-2.0
/* Makes synthetic events of their definitions, finds them and removes them. */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/synth/event.h"
#include "instance/instance.h"

static struct trace_synth_event *synth_event_of(const struct trace_dyn_event *event)
{
	return container_of((struct trace_dyn_event *)event, struct trace_synth_event, dyn);
}

/* Is an event of the list the synthetic one of this name? */
static bool synth_event_is_named(const struct trace_dyn_event *event, const void *name)
{
	return event->kind == &trace_synth_kind && !strcmp(synth_event_of(event)->tp.name, name);
}

/**
 * trace_synth_event_find - find a synthetic event
 * @name: its name
 *
 * Context: task; the events mutex is held, and keeps the event until it is released.
 * Return: the event; NULL: there is none.
 */
struct trace_synth_event *trace_synth_event_find(const char *name)
{
	struct trace_event_call *call = trace_event_call_find(TRACE_SYNTH_SYSTEM, name);

	/* Another kind of dynamic events may have one in our system. */
	if (!call || call->event.funcs != &trace_synth_print_functions)
		return NULL;
	return container_of(call, struct trace_synth_event, call);
}

/**
 * trace_synth_event_call - the event, to be kept
 * @event: the synthetic event
 *
 * Context: any.
 * Return: the event.
 */
struct trace_event_call *trace_synth_event_call(struct trace_synth_event *event)
{
	return &event->call;
}

/**
 * trace_synth_event_fields - how many fields an event has
 * @event: the event
 *
 * Context: any; the events mutex is held, or the event is kept.
 * Return: the number.
 */
unsigned int trace_synth_event_fields(const struct trace_synth_event *event)
{
	return event->nr;
}

/**
 * trace_synth_event_field - a field of an event
 * @event: the event
 * @i: which, from 0
 *
 * Context: any; the events mutex is held, or the event is kept.
 * Return: the field; NULL behind the last one.
 */
const struct trace_synth_field *
trace_synth_event_field(const struct trace_synth_event *event, unsigned int i)
{
	return i < event->nr ? &event->field[i] : NULL;
}

static int synth_event_define(struct trace_event_call *call)
{
	struct trace_synth_event *event = container_of(call, struct trace_synth_event, call);
	int ret = 0;

	for (unsigned int i = 0; i < event->nr && !ret; i++) {
		const struct trace_synth_field *f = &event->field[i];

		ret = trace_define_field(call, f->shown, f->name, f->offset, f->size,
					 f->is_signed, FILTER_OTHER);
	}
	return ret;
}

static void synth_event_free(struct trace_synth_event *event)
{
	if (!event)
		return;
	trace_synth_fields_free(event->field, event->nr);
	kfree(event->call.print_fmt);
	kfree(event->tp.name);
	kfree(event);
}

/* Do some bytes of the fixed part of a record belong to no field? */
static bool synth_event_has_gaps(const struct trace_synth_definition *def)
{
	unsigned int used = sizeof(struct trace_entry);

	for (unsigned int i = 0; i < def->nr; i++)
		used += def->field[i].size;
	return used < def->fixed;
}

/* Make an event of a definition, whose name and fields become the event's. NULL: no memory. */
static struct trace_synth_event *synth_event_make(struct trace_synth_definition *def,
						  struct module *owner)
{
	struct trace_synth_event *event = kzalloc(struct_size(event, field, def->nr), GFP_KERNEL);

	if (!event)
		return NULL;
	event->has_gaps = synth_event_has_gaps(def);
	event->nr = def->nr;
	memcpy(event->field, def->field, array_size(def->nr, sizeof(def->field[0])));
	event->tp.name = def->name;
	def->name = NULL;
	def->nr = 0;
	event->fixed = def->fixed;
	event->nr_dynamic = def->nr_dynamic;
	event->owner = owner;
	event->dyn.kind = &trace_synth_kind;
	event->dyn.call = &event->call;
	event->description[0].type = TRACE_FUNCTION_TYPE;
	event->description[0].define_fields = synth_event_define;
	INIT_LIST_HEAD(&event->class.fields);
	event->class.system = TRACE_SYNTH_SYSTEM;
	event->class.fields_array = event->description;
	trace_synth_record_init(&event->class);
	event->call.class = &event->class;
	event->call.tp = &event->tp;
	event->call.event.funcs = &trace_synth_print_functions;
	event->call.flags = TRACE_EVENT_FL_TRACEPOINT | TRACE_EVENT_FL_DYNAMIC;
	event->call.print_fmt = trace_synth_print_format(event);
	if (!event->call.print_fmt) {
		synth_event_free(event);
		return NULL;
	}
	return event;
}

/* The definition is on the heap, as it is too large for a stack. */
static struct trace_synth_event *synth_event_read(const char *line, const char *text,
						  struct module *owner)
{
	struct trace_synth_definition *def = kmalloc(sizeof(*def), GFP_KERNEL);
	struct trace_synth_event *event = NULL;
	int ret;

	if (!def)
		return ERR_PTR(-ENOMEM);
	ret = trace_synth_parse(line, text, def);
	if (!ret)
		event = synth_event_make(def, owner);
	kfree(def->name);
	trace_synth_fields_free(def->field, def->nr);
	kfree(def);
	return event ?: ERR_PTR(ret ?: -ENOMEM);
}

/**
 * trace_synth_event_create - make a synthetic event
 * @line: the user's line, for the error log
 * @text: the definition in it
 * @owner: the module that makes it; NULL: the user or the kernel
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EINVAL or -EEXIST, and the error log says why; -ENOMEM; -ENODEV: no number is
 * left.
 */
int trace_synth_event_create(const char *line, const char *text, struct module *owner)
{
	struct trace_synth_event *event = synth_event_read(line, text, owner);
	int ret;

	if (IS_ERR(event))
		return PTR_ERR(event);
	scoped_guard(trace_instances) {
		guard(trace_events)();
		ret = trace_dyn_event_add(&event->dyn);
	}
	if (ret)
		synth_event_free(event);
	if (ret == -EEXIST)
		return trace_synth_refuse(line, SYNTH_ERR_EVENT_EXISTS, skip_spaces(text));
	return ret;
}

/**
 * trace_synth_event_remove - remove a synthetic event
 * @name: its name
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -ENOENT: there is none; -EBUSY: somebody uses it.
 */
int trace_synth_event_remove(const char *name)
{
	return trace_dyn_events_remove(synth_event_is_named, name);
}

static bool synth_event_is_owned(const struct trace_dyn_event *event, const void *owner)
{
	return event->kind == &trace_synth_kind && synth_event_of(event)->owner == owner;
}

/**
 * trace_synth_owner_gone - a module goes
 * @owner: the module; its functions do not run any more
 *
 * Events that it has left go as well, or stay without an owner as long as somebody uses them.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 */
void trace_synth_owner_gone(const struct module *owner)
{
	struct trace_dyn_event *event = NULL;

	if (trace_dyn_events_remove(synth_event_is_owned, owner) != -EBUSY)
		return;
	guard(trace_events)();
	while ((event = trace_dyn_event_next(&trace_synth_kind, event))) {
		if (synth_event_is_owned(event, owner))
			synth_event_of(event)->owner = NULL;
	}
}

/**
 * trace_synth_event_show_fields - print an event as a line of synthetic_events
 * @m: where to
 * @event: the event
 *
 * Context: task; the events mutex is held.
 */
void trace_synth_event_show_fields(struct seq_file *m, const struct trace_dyn_event *event)
{
	const struct trace_synth_event *synth = synth_event_of(event);

	seq_printf(m, "%s\t", synth->tp.name);
	for (unsigned int i = 0; i < synth->nr; i++)
		seq_printf(m, "%s%s %s", i ? "; " : "", synth->field[i].type,
			   synth->field[i].name);
	seq_putc(m, '\n');
}

/* As a line of dynamic_events. */
static void synth_event_show(struct seq_file *m, const struct trace_dyn_event *event)
{
	seq_puts(m, "s:" TRACE_SYNTH_SYSTEM "/");
	trace_synth_event_show_fields(m, event);
}

/* A line of dynamic_events, "s:[synthetic/]NAME FIELD[; FIELD]...". */
static int synth_event_create_line(const char *line)
{
	const size_t len = strlen(TRACE_SYNTH_SYSTEM);
	const char *text, *slash;

	if (!str_has_prefix(line, "s:"))
		return -ECANCELED;
	text = line + strlen("s:");
	slash = text + strcspn(text, "/ \t;");
	if (*slash == '/') {
		if (slash - text != len || strncmp(text, TRACE_SYNTH_SYSTEM, len))
			return trace_synth_refuse(line, SYNTH_ERR_INVALID_DYN_CMD, line);
		text = slash + 1;
	}
	return trace_synth_event_create(line, text, NULL);
}

static void synth_event_dyn_free(struct trace_dyn_event *event)
{
	synth_event_free(synth_event_of(event));
}

struct trace_dyn_kind trace_synth_kind = {
	.create	= synth_event_create_line,
	.show	= synth_event_show,
	.free	= synth_event_dyn_free,
};
