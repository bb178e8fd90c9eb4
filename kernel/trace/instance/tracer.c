// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of tracers and the current tracer of each instance. What a
 * tracer does is its own affair; "nop" is the one that does nothing.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "instance/internal.h"

/* A registered tracer; the newest is first, as available_tracers shows it. */
struct registered {
	struct list_head	list;
	const struct tracer	*tracer;
};

static LIST_HEAD(registry);	/* T */

static char boot_tracer[MAX_TRACER_SIZE] __initdata;
static bool boot_tracer_open = true;	/* T: the one of ftrace= may start yet */

static int __init boot_tracer_setup(char *text)
{
	strscpy(boot_tracer, text, sizeof(boot_tracer));
	return 1;
}
__setup("ftrace=", boot_tracer_setup);

static bool is_allowed(const struct trace_array *tr, const struct tracer *tracer)
{
	return !tr->name || tracer->allow_instances;
}

/**
 * trace_tracer_state - what an instance knows of a tracer
 * @tr: the instance
 * @tracer: the tracer
 *
 * Context: trace_instances_lock() is held.
 * Return: the state, NULL when the tracer cannot run in @tr.
 */
struct tracer_state *trace_tracer_state(struct trace_array *tr, const struct tracer *tracer)
{
	struct tracer_state *state;

	trace_instances_assert_locked();
	list_for_each_entry(state, &tr->tracer_states, list) {
		if (state->tracer == tracer)
			return state;
	}
	return NULL;
}

static int add_state(struct trace_array *tr, const struct tracer *tracer)
{
	struct tracer_state *state;

	if (!is_allowed(tr, tracer))
		return 0;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	state->tracer = tracer;
	state->options = tracer->default_options;
	list_add_tail(&state->list, &tr->tracer_states);
	if (tr->files)
		trace_option_create_tracer_files(tr, state);
	return 0;
}

static void free_state(struct tracer_state *state)
{
	list_del(&state->list);
	if (state->data)
		state->tracer->free_data(state->data);
	kfree(state);
}

static void remove_state(struct trace_array *tr, const struct tracer *tracer)
{
	struct tracer_state *state = trace_tracer_state(tr, tracer);

	if (state)
		free_state(state);
}

/* A new instance learns of all tracers. */
int trace_tracers_create(struct trace_array *tr)
{
	struct registered *entry;
	int ret;

	trace_instances_assert_locked();
	list_for_each_entry_reverse(entry, &registry, list) {
		ret = add_state(tr, entry->tracer);
		if (ret)
			return ret;
	}
	return 0;
}

void trace_tracers_destroy(struct trace_array *tr)
{
	struct tracer_state *state, *next;

	list_for_each_entry_safe(state, next, &tr->tracer_states, list)
		free_state(state);
}

/**
 * trace_tracer_set_data - give a tracer data of its own in an instance
 * @tr: the instance
 * @tracer: the tracer, which may run in @tr and has a free_data callback
 * @data: tr->tracer_data whenever @tracer is the current one; it stays until
 *	the instance goes
 *
 * Context: a callback of @tracer; trace_instances_lock() is held.
 */
void trace_tracer_set_data(struct trace_array *tr, const struct tracer *tracer, void *data)
{
	struct tracer_state *state = trace_tracer_state(tr, tracer);

	if (WARN_ON_ONCE(!state || !tracer->free_data || state->data))
		return;
	state->data = data;
	/* What the tracer has attached finds *data set up. */
	if (tr->current_trace == tracer)
		smp_store_release(&tr->tracer_data, data);
}

void trace_tracers_show(struct seq_file *m, struct trace_array *tr)
{
	struct registered *entry;
	bool first = true;

	trace_instances_assert_locked();
	list_for_each_entry(entry, &registry, list) {
		if (!is_allowed(tr, entry->tracer))
			continue;
		seq_printf(m, "%s%s", first ? "" : " ", entry->tracer->name);
		first = false;
	}
	seq_putc(m, '\n');
}

static const struct tracer *find_tracer(const char *name)
{
	struct registered *entry;

	list_for_each_entry(entry, &registry, list) {
		if (!strcmp(entry->tracer->name, name))
			return entry->tracer;
	}
	return NULL;
}

static void set_current(struct trace_array *tr, const struct tracer_state *state)
{
	WRITE_ONCE(tr->tracer_options, state ? state->options : 0);
	WRITE_ONCE(tr->tracer_data, state ? state->data : NULL);
	WRITE_ONCE(tr->current_trace, state ? state->tracer : NULL);
}

static void stop_tracer(struct trace_array *tr)
{
	const struct tracer *old = tr->current_trace;

	if (!old)
		return;
	if (old->reset)
		old->reset(tr);
	if (tr->comm_held)
		trace_comm_put();
	tr->comm_held = false;
	if (old->use_max)
		trace_snapshot_put_max(tr);
	set_current(tr, NULL);
}

static int start_tracer(struct trace_array *tr, const struct tracer *tracer)
{
	int ret = tracer->use_max ? trace_snapshot_get_max(tr) : 0;

	if (ret)
		return ret;
	set_current(tr, trace_tracer_state(tr, tracer));
	if (!tracer->init)
		return 0;

	trace_comm_get();
	tr->comm_held = true;
	ret = tracer->init(tr);
	if (ret) {
		trace_comm_put();
		tr->comm_held = false;
		if (tracer->use_max)
			trace_snapshot_put_max(tr);
		set_current(tr, NULL);
	}
	return ret;
}

/* A new instance begins with "nop". */
int trace_tracers_start(struct trace_array *tr)
{
	const struct tracer *nop = find_tracer("nop");

	trace_instances_assert_locked();
	return nop ? start_tracer(tr, nop) : 0;
}

/* An instance ends with none. */
void trace_tracers_stop(struct trace_array *tr)
{
	trace_instances_assert_locked();
	stop_tracer(tr);
}

/* trace_export_function_key may have changed: a tracer may have two callbacks. */
void trace_tracers_exports_changed(void)
{
	struct trace_array *tr;

	guard(trace_instances)();
	for_each_trace_array(tr) {
		if (tr->current_trace && tr->current_trace->exports_changed)
			tr->current_trace->exports_changed(tr);
	}
}

/**
 * trace_set_tracer - change the current tracer
 * @tr: the instance
 * @name: as in available_tracers
 *
 * When the new tracer fails to start, "nop" is the current one.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0; -EINVAL when @tr has no such tracer, -EBUSY while a trace_pipe of
 * it is open, or what the tracer's init() gives.
 */
int trace_set_tracer(struct trace_array *tr, const char *name)
{
	const struct tracer *tracer = find_tracer(name);
	int ret;

	trace_instances_assert_locked();

	ret = trace_array_expand(tr);
	if (ret)
		return ret;
	if (!tracer)
		return -EINVAL;
	if (tracer == tr->current_trace)
		return 0;
	if (!is_allowed(tr, tracer))
		return -EINVAL;
	if (tracer->noboot && system_state < SYSTEM_RUNNING) {
		pr_warn("tracing: tracer '%s' cannot start at boot\n", name);
		return -EINVAL;
	}
	if (tr->pipe_readers)
		return -EBUSY;

	stop_tracer(tr);
	/* What the last one recorded is not what the next will be understood with. */
	trace_array_clear(tr);
	trace_snapshot_clear(tr, RING_BUFFER_ALL_CPUS);
	ret = start_tracer(tr, tracer);
	if (ret)
		trace_tracers_start(tr);
	return ret;
}

/* A new tracer may be the one that the command line wants. */
static void __init start_boot_tracer(const struct tracer *tracer)
{
	struct trace_array *tr = trace_top_instance();
	int ret;

	if (!tr || !boot_tracer_open || strcmp(boot_tracer, tracer->name))
		return;
	boot_tracer_open = false;
	ret = trace_set_tracer(tr, tracer->name);
	if (ret)
		pr_warn("tracing: ftrace=%s: error %d\n", tracer->name, ret);
}

static int add_tracer(const struct tracer *tracer, struct registered *entry)
{
	struct trace_array *tr;
	int ret;

	list_for_each_entry(tr, trace_instances(), list) {
		ret = add_state(tr, tracer);
		if (ret)
			goto undo;
	}
	entry->tracer = tracer;
	list_add(&entry->list, &registry);
	return 0;
undo:
	list_for_each_entry_continue_reverse(tr, trace_instances(), list)
		remove_state(tr, tracer);
	return ret;
}

static int offer_tracer(const struct tracer *tracer)
{
	struct trace_array *top = trace_top_instance();
	struct registered *entry;
	int ret;

	guard(trace_instances)();
	if (find_tracer(tracer->name))
		return -EEXIST;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	ret = add_tracer(tracer, entry);
	if (ret) {
		kfree(entry);
		return ret;
	}
	trace_options_apply_boot_tracer(top, trace_tracer_state(top, tracer));
	if (!top->current_trace)
		start_tracer(top, tracer);
	start_boot_tracer(tracer);
	return 0;
}

/* The first @nr kinds of a tracer; its records are not printed any more. */
static void unregister_kinds(const struct tracer *tracer, unsigned int nr)
{
	while (nr--)
		trace_kind_unregister(tracer->kinds[nr]);
}

/* *nr: how many there are. */
static int register_kinds(const struct tracer *tracer, unsigned int *nr)
{
	int ret;

	for (*nr = 0; tracer->kinds && tracer->kinds[*nr]; ++*nr) {
		ret = trace_kind_register(tracer->kinds[*nr]);
		if (ret) {
			unregister_kinds(tracer, *nr);
			return ret;
		}
	}
	return 0;
}

/**
 * trace_tracer_register - offer a tracer
 * @tracer: stays registered for good; its options must be constant
 *
 * The first tracer, "nop", becomes the current one of the top instance, and
 * the one that ftrace= names starts here.
 *
 * Context: boot, after trace_instance_early_init(); may sleep.
 * Return: 0; -EINVAL for a name that is missing or too long, -EEXIST, -ENOMEM,
 * or what trace_kind_register() says of its kinds of records.
 */
int __init trace_tracer_register(const struct tracer *tracer)
{
	unsigned int nr;
	int ret;

	if (!tracer->name || strlen(tracer->name) >= MAX_TRACER_SIZE)
		return -EINVAL;
	if (trace_disabled_for_good() || !trace_top_instance())
		return -ENODEV;

	ret = register_kinds(tracer, &nr);
	if (ret)
		return ret;
	ret = offer_tracer(tracer);
	if (ret)
		unregister_kinds(tracer, nr);
	return ret;
}
