// SPDX-License-Identifier: GPL-2.0
/*
 * Events of modules to come, which an instance switches on as soon as the module is there:
 *
 *	echo 'sched*:mod:MODULE' >> set_event
 *
 * set_event lists such a wish behind the events that are on. module.c fulfills it when the module
 * comes, and it is gone then: the events themselves are in set_event, and the user may switch
 * them off before the module comes again.
 *
 * The names of modules are those that the kernel has, with '_' where users may write '-'.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/internal.h"

struct event_pending {
	struct list_head	list;		/* events mutex; of trace_events.pending */
	const char		*module;	/* constant, behind @text */
	char			text[];		/* constant, what stands before ":mod:" */
};

static struct event_pending *event_pending_find(struct trace_events *events, const char *text,
						const char *module)
{
	struct event_pending *p;

	trace_events_assert_locked();
	list_for_each_entry(p, &events->pending, list) {
		if (!strcmp(p->module, module) && !strcmp(p->text, text))
			return p;
	}
	return NULL;
}

static void event_pending_del(struct event_pending *p)
{
	list_del(&p->list);
	kfree(p);
}

/**
 * trace_event_pending_set - wish, or do not wish any more, for events of a module to come
 * @events: of the instance
 * @text: names the events as a word of set_event does; "": all
 * @module: the name of the module
 * @on: wish
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0; -EINVAL: there is no such wish to be taken back; -ENOMEM.
 */
int trace_event_pending_set(struct trace_events *events, const char *text, const char *module,
			    bool on)
{
	size_t len, module_len = strlen(module) + 1;
	struct event_pending *p;

	text = *text ? text : "*:*";
	len = strlen(text) + 1;
	p = event_pending_find(events, text, module);
	if (!on && p)
		event_pending_del(p);
	if (!on)
		return p ? 0 : -EINVAL;
	if (p)
		return 0;
	p = kmalloc(struct_size(p, text, len + module_len), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	memcpy(p->text, text, len);
	p->module = memcpy(p->text + len, module, module_len);
	list_add_tail(&p->list, &events->pending);
	return 0;
}

/**
 * trace_event_pending_take - take the first wish for events of a module
 * @events: of the instance
 * @module: the name of the module, which has come
 *
 * Context: task; the events mutex is held.
 * Return: the text that names the events, which the caller frees by kfree(); NULL: there is no
 * wish left; ERR_PTR(-ENOMEM), and the wish is gone, too.
 */
char *trace_event_pending_take(struct trace_events *events, const char *module)
{
	struct event_pending *p;
	char *text;

	trace_events_assert_locked();
	list_for_each_entry(p, &events->pending, list) {
		if (strcmp(p->module, module))
			continue;
		text = kstrdup(p->text, GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
		event_pending_del(p);
		return text;
	}
	return NULL;
}

/* Forget the wishes of an instance. The events mutex is held. */
void trace_event_pending_clear(struct trace_events *events)
{
	struct event_pending *p, *next;

	trace_events_assert_locked();
	list_for_each_entry_safe(p, next, &events->pending, list)
		event_pending_del(p);
}

/* Print a wish, @entry of the list of an instance, as it can be written. */
void trace_event_pending_show(struct seq_file *m, const struct list_head *entry)
{
	const struct event_pending *p = list_entry(entry, struct event_pending, list);

	seq_printf(m, "%s:mod:%s\n", p->text, p->module);
}
