// SPDX-License-Identifier: GPL-2.0
/*
 * Registering tracers: every instance gets their options, and the one that ftrace=
 * names starts when it appears.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "instance/internal.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "lib/wait.h"
#include "record/kind.h"

static char boot_tracer[MAX_TRACER_SIZE] __initdata;

static int __init tracer_register_boot_tracer_setup(char *text)
{
	strscpy(boot_tracer, text, sizeof(boot_tracer));
	return 1;
}
__setup("ftrace=", tracer_register_boot_tracer_setup);

static void tracer_register_forget(const struct tracer *tracer)
{
	struct tracer_state *state;
	struct trace_array *tr;

	for_each_trace_array(tr) {
		state = trace_tracer_state(tr, tracer);
		if (!state)
			continue;
		trace_option_remove_tracer_files(tr, state);
		trace_tracer_remove_files(state);
		trace_tracer_remove_state(tr, tracer);
	}
}

static int tracer_register_introduce(const struct tracer *tracer)
{
	struct tracer_state *state;
	struct trace_array *tr;
	int ret;

	for_each_trace_array(tr) {
		ret = trace_tracer_add_state(tr, tracer);
		if (ret)
			return ret;
		state = trace_tracer_state(tr, tracer);
		if (!state)
			continue;
		trace_option_create_tracer_files(tr, state);
		trace_tracer_create_files(tr, state);
	}
	return trace_tracer_list(tracer);
}

static int tracer_register_offer(const struct tracer *tracer)
{
	int ret;

	guard(trace_instances)();
	if (trace_tracer_find(tracer->name))
		return -EEXIST;
	ret = tracer_register_introduce(tracer);
	if (ret)
		tracer_register_forget(tracer);
	return ret;
}

/* Unregister the first @nr kinds of a tracer. Their records are not printed any more. */
static void tracer_register_unregister_kinds(const struct tracer *tracer, unsigned int nr)
{
	while (nr--)
		trace_kind_unregister(tracer->kinds[nr]);
}

static unsigned int tracer_register_nr_kinds(const struct tracer *tracer)
{
	unsigned int nr = 0;

	while (tracer->kinds && tracer->kinds[nr])
		nr++;
	return nr;
}

static int tracer_register_kinds(const struct tracer *tracer)
{
	unsigned int i, nr = tracer_register_nr_kinds(tracer);
	int ret;

	for (i = 0; i < nr; i++) {
		ret = trace_kind_register(tracer->kinds[i]);
		if (ret) {
			tracer_register_unregister_kinds(tracer, i);
			return ret;
		}
	}
	return 0;
}

/**
 * trace_tracer_register - offer a tracer
 * @tracer: stays as it is until it is unregistered
 *
 * Context: task, may sleep; after the top instance was made; takes
 * trace_instances_lock().
 * Return: 0; -EINVAL for a name that is missing or too long, -EEXIST, -ENOMEM,
 * -ENODEV without a top instance, or what trace_kind_register() says of its kinds
 * of records.
 */
int trace_tracer_register(const struct tracer *tracer)
{
	int ret;

	if (!tracer->name || strlen(tracer->name) >= MAX_TRACER_SIZE)
		return -EINVAL;
	if (trace_disabled_for_good() || !trace_top_instance())
		return -ENODEV;

	scoped_guard(trace_instances) {
		if (trace_tracer_find(tracer->name))
			return -EEXIST;
	}
	/* The mutex of kinds comes before the lock of instances. */
	ret = tracer_register_kinds(tracer);
	if (ret)
		return ret;
	ret = tracer_register_offer(tracer);
	if (ret)
		tracer_register_unregister_kinds(tracer, tracer_register_nr_kinds(tracer));
	return ret;
}

/**
 * trace_tracer_unregister - take a tracer back
 * @tracer: it was registered
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0; -EBUSY while it is the current tracer of an instance or somebody
 * reads what it prints; -ENODEV when it is not registered.
 */
int trace_tracer_unregister(const struct tracer *tracer)
{
	struct trace_array *tr;
	int ret;

	scoped_guard(trace_instances) {
		for_each_trace_array(tr) {
			if (tr->current_trace == tracer)
				return -EBUSY;
		}
		ret = trace_tracer_unlist(tracer);
		if (ret)
			return ret;
		tracer_register_forget(tracer);
	}
	/* A dump uses the tracer without a lock and with interrupts off. It ends before this. */
	trace_wait_rcu();
	tracer_register_unregister_kinds(tracer, tracer_register_nr_kinds(tracer));
	return 0;
}

/**
 * trace_tracer_register_boot - offer a tracer that is built in
 * @tracer: stays registered for good
 *
 * The first one, "nop", becomes the current tracer of the top instance; the one
 * that ftrace= names starts.
 *
 * Context: boot, after the top instance was made; takes trace_instances_lock().
 * Return: as trace_tracer_register().
 */
int __init trace_tracer_register_boot(const struct tracer *tracer)
{
	struct trace_array *top = trace_top_instance();
	int ret = trace_tracer_register(tracer);

	if (ret)
		return ret;
	guard(trace_instances)();
	trace_tracer_options_boot(top, trace_tracer_state(top, tracer));
	if (!top->current_trace)
		trace_tracer_start_nop(top);
	if (!strcmp(boot_tracer, tracer->name)) {
		pr_info("Starting tracer '%s'\n", tracer->name);
		ret = trace_set_tracer(top, tracer->name);
		if (ret)
			pr_warn("tracing: ftrace=%s: error %d\n", tracer->name, ret);
		*boot_tracer = '\0';
	}
	return 0;
}

/* Runs after all built-in tracers were registered: the one of ftrace= was none of them. */
static int __init tracer_register_boot_tracer_missing(void)
{
	if (*boot_tracer)
		pr_info("ftrace bootup tracer '%s' not registered.\n", boot_tracer);
	return 0;
}
late_initcall(tracer_register_boot_tracer_missing);
