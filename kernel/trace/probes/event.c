// SPDX-License-Identifier: GPL-2.0
/* The event of probes: a trace event that has the fields of their arguments. */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "probes/internal.h"

static const char * const event_address_names[] = { "__probe_ip" };
static const char * const event_return_names[] = { "__probe_func", "__probe_ret_ip" };

static int event_define_addresses(struct trace_event_call *call, const char * const *names,
				  unsigned int nr)
{
	int ret = 0;

	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = trace_define_field(call, "unsigned long", names[i],
					 sizeof(struct trace_entry) + i * sizeof(long),
					 sizeof(long), 0, FILTER_OTHER);
	return ret;
}

static int event_define(struct trace_event_call *call)
{
	struct trace_probe_event *event = trace_probe_event_of(call);
	int ret = 0;

	if (event->shape == TRACE_PROBE_AT)
		ret = event_define_addresses(call, event_address_names,
					     ARRAY_SIZE(event_address_names));
	else if (event->shape == TRACE_PROBE_RETURN)
		ret = event_define_addresses(call, event_return_names,
					     ARRAY_SIZE(event_return_names));
	return ret ?: trace_fetch_define_fields(event->fields, call);
}

/**
 * trace_probe_event_of - the event of probes that a trace event is part of
 * @call: the trace event
 *
 * Context: any.
 * Return: the event; NULL: it is none of probes.
 */
struct trace_probe_event *trace_probe_event_of(struct trace_event_call *call)
{
	return call->class->reg == trace_probe_reg ?
	       container_of(call, struct trace_probe_event, call) : NULL;
}

/**
 * trace_probe_event_free - free an event
 * @event: the event, which has no probe and no user; NULL: nothing is done
 *
 * Context: task; no hit uses it any more.
 */
void trace_probe_event_free(struct trace_probe_event *event)
{
	if (!event)
		return;
	WARN_ON_ONCE(!list_empty(&event->probes) || rcu_access_pointer(event->users));
	if (event->fields)
		trace_fetch_put(event->fields);
	kfree_const(event->call.print_fmt);
	kfree(event);
}

static void event_fill(struct trace_probe_event *event)
{
	struct trace_event_class *class = &event->class;
	struct trace_event_call *call = &event->call;

	INIT_LIST_HEAD(&event->probes);
	rwlock_init(&event->scope_lock);
	INIT_LIST_HEAD(&event->targets);
	event->description[0].type = TRACE_FUNCTION_TYPE;
	event->description[0].define_fields = event_define;
	INIT_LIST_HEAD(&class->fields);
	class->fields_array = event->description;
	class->raw_init = trace_event_raw_init;
	class->reg = trace_probe_reg;
	call->class = class;
	call->flags = event->kind->flags | TRACE_EVENT_FL_DYNAMIC;
	call->event.funcs = &trace_probe_print_functions;
}

/**
 * trace_probe_event_make - make an event
 * @first: its first probe, which is not put on the event's list yet
 * @group: its group
 * @name: its name
 *
 * Context: task, may sleep.
 * Return: the event; NULL: no memory.
 */
struct trace_probe_event *trace_probe_event_make(struct trace_probe *first, const char *group,
						 const char *name)
{
	size_t group_len = strlen(group) + 1, name_len = strlen(name) + 1;
	struct trace_probe_event *event;

	event = kzalloc(struct_size(event, names, group_len + name_len), GFP_KERNEL);
	if (!event)
		return NULL;
	event->kind = first->kind;
	event->shape = first->shape;
	event->fields = trace_fetch_get(first->args);
	event_fill(event);
	event->class.system = memcpy(event->names, group, group_len);
	event->call.name = memcpy(event->names + group_len, name, name_len);
	event->call.print_fmt = (char *)trace_probe_print_format(event);
	if (event->call.print_fmt)
		return event;
	trace_probe_event_free(event);
	return NULL;
}

/*
 * The fields of events whose probes have no arguments, by their shape. The first such event
 * defines them. Events mutex.
 */
static struct list_head event_bare_fields[] = {
	[TRACE_PROBE_NOWHERE]	= LIST_HEAD_INIT(event_bare_fields[TRACE_PROBE_NOWHERE]),
	[TRACE_PROBE_AT]	= LIST_HEAD_INIT(event_bare_fields[TRACE_PROBE_AT]),
	[TRACE_PROBE_RETURN]	= LIST_HEAD_INIT(event_bare_fields[TRACE_PROBE_RETURN]),
};

static struct list_head *event_get_bare_fields(struct trace_event_call *call)
{
	return &event_bare_fields[container_of(call, struct trace_probe_event, call)->shape];
}

/**
 * trace_probe_event_share - let an event have the fields that others have, too
 * @event: the event, which is about to be published
 *
 * Context: task; the events mutex is held.
 */
void trace_probe_event_share(struct trace_probe_event *event)
{
	trace_events_assert_locked();

	if (event->fields->nr)
		return;
	event->class.get_fields = event_get_bare_fields;
	event->call.flags |= TRACE_EVENT_SHARES_FIELDS;
}
