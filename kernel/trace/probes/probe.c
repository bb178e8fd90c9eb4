// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the list of dynamic events: adding one to an event that is there or to a new one,
 * showing the line that makes it, and removing a set of them.
 *
 * Members of struct trace_probe that change do so under the events mutex, and so do events.
 */
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "instance/instance.h"
#include "lib/wait.h"
#include "probes/hit.h"
#include "probes/internal.h"
#include "probes/use.h"

/* The longest line that is compared with one that removes it. */
#define PROBE_LINE_MAX	4096

static const struct trace_probe_kind *probe_kind_of(const struct trace_dyn_kind *kind)
{
	return container_of(kind, struct trace_probe_kind, dyn);
}

/* The line, without the names of group and event. */
static void probe_show_body(struct seq_file *m, const struct trace_probe *probe)
{
	seq_puts(m, probe->place);
	trace_fetch_show(probe->args, m);
	if (probe->filter)
		seq_printf(m, " if %s", probe->filter);
}

static void probe_show(struct seq_file *m, const struct trace_dyn_event *dyn)
{
	const struct trace_probe *probe = trace_probe_of(dyn);

	seq_printf(m, "%s:%s/%s ", probe->head, probe->event->class.system,
		   probe->event->call.name);
	probe_show_body(m, probe);
	seq_putc(m, '\n');
}

/* The next word of *@text, which moves behind it; its length is 0 at the end. */
static size_t probe_next_word(const char **text, const char **word)
{
	size_t len;

	*word = skip_spaces(*text);
	len = strcspn(*word, " \t\n");
	*text = *word + len;
	return len;
}

/* Does @all, a line, begin with the words of @some? */
static bool probe_begins_with(const char *all, const char *some)
{
	const char *word, *other;
	size_t len;

	while ((len = probe_next_word(&some, &word))) {
		if (probe_next_word(&all, &other) != len || strncmp(word, other, len))
			return false;
	}
	return true;
}

/**
 * trace_probe_has_args - is a probe meant by the rest of a line that removes it?
 * @dyn: the probe
 * @args: the place, and perhaps the first arguments
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: true if it is.
 */
bool trace_probe_has_args(const struct trace_dyn_event *dyn, const char *args)
{
	char *text __free(kfree) = kmalloc(PROBE_LINE_MAX, GFP_KERNEL);
	struct seq_file m = { .buf = text, .size = PROBE_LINE_MAX };

	if (!text)
		return false;
	probe_show_body(&m, trace_probe_of(dyn));
	if (seq_has_overflowed(&m))
		return false;
	text[m.count] = '\0';
	return probe_begins_with(text, args);
}

/* The set of a list of dynamic events that are removed together: those of a kind. */
static void probe_collect(const struct trace_dyn_kind *kind, struct list_head *gone,
			  struct list_head *probes)
{
	struct trace_dyn_event *dyn;

	list_for_each_entry(dyn, gone, list) {
		if (dyn->kind == kind)
			list_add_tail(&trace_probe_of(dyn)->set, probes);
	}
}

/* The probes of a set go. Users of their events do not arm them any more. */
static void probe_leave_set(const struct trace_probe_kind *kind, struct list_head *probes)
{
	struct trace_probe *probe;

	trace_events_assert_locked();

	for_each_trace_probe(probe, probes)
		probe->left = true;
	if (kind->leave)
		kind->leave(probes);
}

static void probe_leave(const struct trace_dyn_kind *kind, struct list_head *gone)
{
	LIST_HEAD(probes);

	probe_collect(kind, gone, &probes);
	probe_leave_set(probe_kind_of(kind), &probes);
}

/* Probes of one kind that go: none of them hits when this returns. */
static void probe_settle_set(const struct trace_probe_kind *kind, struct list_head *probes)
{
	trace_may_wait();
	if (kind->settle)
		kind->settle(probes);
	else
		trace_wait_probes();
}

static void probe_settle(const struct trace_dyn_kind *kind, struct list_head *gone)
{
	LIST_HEAD(probes);

	probe_collect(kind, gone, &probes);
	probe_settle_set(probe_kind_of(kind), &probes);
}

/* Take a probe that has left from its event, which goes with the last one. */
static void probe_part(struct trace_probe *probe)
{
	struct trace_probe_event *event = probe->event;

	trace_events_assert_locked();

	list_del(&probe->sibling);
	if (list_empty(&event->probes))
		trace_probe_event_free(event);
	probe->event = NULL;
}

static void probe_dyn_free(struct trace_dyn_event *dyn)
{
	struct trace_probe *probe = trace_probe_of(dyn);

	probe_part(probe);
	trace_probe_free(probe);
}

/**
 * trace_probe_kind_init - complete a kind of probes
 * @kind: the kind, whose create() is set
 *
 * Context: any.
 */
void trace_probe_kind_init(struct trace_probe_kind *kind)
{
	kind->dyn.show = probe_show;
	if (!kind->dyn.has_args)
		kind->dyn.has_args = trace_probe_has_args;
	kind->dyn.leave = probe_leave;
	kind->dyn.settle = probe_settle;
	kind->dyn.free = probe_dyn_free;
}

/**
 * trace_probe_kind_register - have a kind of probes
 * @kind: the kind
 *
 * Context: boot, before there are files.
 */
void __init trace_probe_kind_register(struct trace_probe_kind *kind)
{
	trace_probe_kind_init(kind);
	trace_dyn_kind_register(&kind->dyn);
}

/**
 * trace_probe_init - begin a probe
 * @probe: the probe, zeroed
 * @kind: its kind
 * @shape: its shape
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM; trace_probe_free() has to follow in either case.
 */
int trace_probe_init(struct trace_probe *probe, const struct trace_probe_kind *kind,
		     enum trace_probe_shape shape)
{
	probe->dyn.kind = &kind->dyn;
	probe->kind = kind;
	probe->shape = shape;
	INIT_LIST_HEAD(&probe->sibling);
	INIT_LIST_HEAD(&probe->uses);
	probe->counts = trace_probe_counts_alloc();
	return probe->counts ? 0 : -ENOMEM;
}

/*
 * A symbol that an argument names is there, unless the probe may wait for a module, which may
 * bring it. 0, or -ENOENT, and the error is logged.
 */
static int probe_check_symbols(const struct trace_fetch *args, struct trace_probe_line *line,
			       const struct trace_fetch_context *ctx)
{
	const char *missing = ctx->module ? NULL : trace_fetch_missing_symbol(args);

	if (!missing)
		return 0;
	trace_probe_error(&line->log, strstr(line->args, missing) ?: line->args,
			  PROBE_BAD_MEM_ADDR);
	return -ENOENT;
}

/**
 * trace_probe_parse_args - read the arguments of a probe
 * @probe: the probe
 * @line: its line
 * @ctx: where it hits; @log and @header are set here
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or another errno, and the error is logged.
 */
int trace_probe_parse_args(struct trace_probe *probe, struct trace_probe_line *line,
			   struct trace_fetch_context *ctx)
{
	static const unsigned int addresses[] = {
		[TRACE_PROBE_NOWHERE]	= 0,
		[TRACE_PROBE_AT]	= 1,
		[TRACE_PROBE_RETURN]	= 2,
	};
	struct trace_fetch *args;

	ctx->log = &line->log;
	ctx->header = sizeof(struct trace_entry) + addresses[probe->shape] * sizeof(long);
	args = trace_fetch_parse(ctx, line->args, line->end);
	if (IS_ERR(args))
		return PTR_ERR(args);
	probe->args = args;
	return probe_check_symbols(args, line, ctx) ?: trace_probe_hit_prepare(args);
}

/**
 * trace_probe_free - free a probe that is no part of an event, with all that it has
 * @probe: the probe
 *
 * Context: task; no hit uses it any more.
 */
void trace_probe_free(struct trace_probe *probe)
{
	trace_probe_uses_forget(probe);
	if (probe->args)
		trace_fetch_put(probe->args);
	trace_probe_counts_free(probe->counts);
	kfree_const(probe->head);
	kfree(probe->place);
	kfree(probe->filter);
	probe->kind->free(probe);
}

/* May a probe have an event that others have? 0, or -EEXIST, and the error is logged. */
static int probe_check_event(const struct trace_probe *probe, struct trace_probe_line *line,
			     const struct trace_probe_event *event)
{
	const struct trace_probe *other;
	int differ;

	/* Users know kinds that log under one name as one. */
	if (!event || strcmp(event->kind->log, probe->kind->log))
		return trace_probe_error(&line->log, line->log.line, PROBE_EVENT_EXIST);
	if (event->kind != probe->kind || event->shape != probe->shape)
		return trace_probe_error(&line->log, line->log.line, PROBE_DIFF_PROBE_TYPE);
	differ = trace_fetch_differ(probe->args, event->fields);
	if (differ)
		return trace_probe_error(&line->log,
					 trace_fetch_place(probe->args, line->args, line->end,
							   differ - 1),
					 PROBE_DIFF_ARG_TYPE);
	list_for_each_entry(other, &event->probes, sibling) {
		if (!other->left && !strcmp(other->place, probe->place) &&
		    trace_fetch_is_same(other->args, probe->args))
			return trace_probe_error(&line->log, line->log.line, PROBE_SAME_PROBE);
	}
	return 0;
}

/* The event that a line means, or a new one; ERR_PTR: none, and the error is logged. */
static struct trace_probe_event *probe_event(struct trace_probe *probe,
					     struct trace_probe_line *line)
{
	struct trace_event_call *call = trace_event_call_find(line->group, line->event);
	struct trace_probe_event *event;
	int ret;

	if (!call) {
		event = trace_probe_event_make(probe, line->group, line->event);
		if (!event)
			return ERR_PTR(-ENOMEM);
		trace_probe_event_share(event);
		return event;
	}
	event = trace_probe_event_of(call);
	ret = probe_check_event(probe, line, event);
	return ret ? ERR_PTR(ret) : event;
}

/* A set of one probe. */
static void probe_leave_one(struct trace_probe *probe)
{
	LIST_HEAD(probes);

	list_add(&probe->set, &probes);
	probe_leave_set(probe->kind, &probes);
}

static void probe_settle_one(struct trace_probe *probe)
{
	LIST_HEAD(probes);

	list_add(&probe->set, &probes);
	probe_settle_set(probe->kind, &probes);
}

/**
 * trace_probe_arm - arm a probe if its event is on
 * @probe: the probe
 *
 * The core arms the probes of an event that is switched on. A probe that comes into its place
 * later is armed by this.
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or what the kind's arm() says.
 */
int trace_probe_arm(struct trace_probe *probe)
{
	LIST_HEAD(probes);

	trace_events_assert_locked();

	if (!rcu_access_pointer(probe->event->users))
		return 0;
	list_add(&probe->set, &probes);
	return probe->kind->arm(&probes);
}

/**
 * trace_probes_start - arm the probes of a set one by one, all of them or none
 * @probes: the probes
 * @start: lets one hit; or an errno, and it does not
 * @stop: undoes that
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or the first errno of @start.
 */
int trace_probes_start(struct list_head *probes, int (*start)(struct trace_probe *probe),
		       void (*stop)(struct trace_probe *probe))
{
	struct trace_probe *probe;
	int ret;

	trace_events_assert_locked();

	for_each_trace_probe(probe, probes) {
		ret = start(probe);
		if (!ret)
			continue;
		list_for_each_entry_continue_reverse(probe, probes, set)
			stop(probe);
		return ret;
	}
	return 0;
}

/* Disarm the probes of a set one by one. */
void trace_probes_stop(struct list_head *probes, void (*stop)(struct trace_probe *probe))
{
	struct trace_probe *probe;

	trace_events_assert_locked();

	for_each_trace_probe(probe, probes)
		stop(probe);
}

/* Arm a probe, which is in its place already, and put it on the list. */
static int probe_publish(struct trace_probe *probe, struct trace_probe_line *line)
{
	int ret;

	probe->dyn.call = &probe->event->call;
	ret = trace_probe_arm(probe);
	if (ret)
		trace_probe_error(&line->log, line->place, PROBE_FAIL_REG_PROBE);
	else
		ret = trace_dyn_event_add(&probe->dyn);
	if (ret)
		probe_leave_one(probe);
	return ret;
}

/* Put a probe into its place. If that fails, it is of no event. */
static int probe_enter(struct trace_probe *probe, struct trace_probe_event *event,
		       struct trace_probe_line *line)
{
	int ret = 0;

	probe->event = event;
	list_add_tail(&probe->sibling, &event->probes);
	if (probe->kind->join)
		ret = probe->kind->join(probe, line);
	if (ret)
		probe_part(probe);
	return ret;
}

/**
 * trace_probe_add - put a probe into place, and its event on the list
 * @probe: the probe, complete
 * @line: its line, with the names of group and event
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0: it is removed by the list of dynamic events; or an errno, and the caller frees it.
 */
int trace_probe_add(struct trace_probe *probe, struct trace_probe_line *line)
{
	struct trace_probe_event *event;
	int ret;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		event = probe_event(probe, line);
		if (IS_ERR(event))
			return PTR_ERR(event);
		ret = probe_enter(probe, event, line);
		if (ret)
			return ret;
		ret = probe_publish(probe, line);
	}
	if (!ret)
		return 0;
	/* It may have hit. */
	probe_settle_one(probe);
	guard(trace_events)();
	probe_part(probe);
	return ret;
}

/**
 * trace_probe_add_alone - put a probe into place whose event is on no list
 * @probe: the probe, complete
 * @line: its line, with the names of group and event
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0: trace_probe_remove_alone() removes it; or an errno, and the caller frees it.
 */
int trace_probe_add_alone(struct trace_probe *probe, struct trace_probe_line *line)
{
	struct trace_probe_event *event;

	guard(trace_events)();
	event = trace_probe_event_make(probe, line->group, line->event);
	return event ? probe_enter(probe, event, line) : -ENOMEM;
}

static void probe_settle_alone(void *probe)
{
	probe_settle_one(probe);
}

static void probe_free_alone(void *data)
{
	struct trace_probe *probe = data;

	scoped_guard(trace_events)
		probe_part(probe);
	trace_probe_free(probe);
}

/**
 * trace_probe_remove_alone - remove a probe whose event is on no list, and free it
 * @call: the event, which has no user
 *
 * A task that is being killed does not wait for hits; the probe is freed later then.
 *
 * Context: task, may sleep; takes the events mutex, and waits for hits.
 */
void trace_probe_remove_alone(struct trace_event_call *call)
{
	struct trace_probe_event *event = container_of(call, struct trace_probe_event, call);
	struct trace_probe *probe;

	scoped_guard(trace_events) {
		probe = list_first_entry(&event->probes, struct trace_probe, sibling);
		probe_leave_one(probe);
	}
	trace_wait_call(probe_settle_alone, probe_free_alone, probe, TASK_KILLABLE);
}

/**
 * trace_probe_count - add up the hits and misses of a probe
 * @probe: the probe
 * @counts: is set
 *
 * Context: task; the events mutex is held.
 */
void trace_probe_count(const struct trace_probe *probe, struct trace_probe_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	if (probe->kind->missed)
		probe->kind->missed(probe, counts);
	trace_probe_uses_count(probe, counts);
	trace_probe_counts_add(counts, probe->counts);
}
