// SPDX-License-Identifier: GPL-2.0
/*
 * Options of an instance and of its tracers: what setting one means and how
 * words name them. Their files are in option_file.c.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "instance/internal.h"

const char * const trace_option_names[TRACE_OPT_COUNT] = {
#define X(bit, name)	name,
	TRACE_OPTIONS(X)
#undef X
};

/* The options of the command line: read again for each tracer that appears. */
static char boot_options[COMMAND_LINE_SIZE] __initdata;

static int __init boot_options_setup(char *text)
{
	strscpy(boot_options, text, sizeof(boot_options));
	return 1;
}
__setup("trace_options=", boot_options_setup);

/* What an option switches besides its bit; an errno refuses it. */
static int prepare(struct trace_array *tr, u32 opt, bool on)
{
	const struct tracer *tracer = tr->current_trace;
	int ret = 0;

	if (tracer && tracer->option_changing)
		ret = tracer->option_changing(tr, opt, on);
	if (ret)
		return ret;
	if (opt == TRACE_OPT_RECORD_TGID && on)
		return trace_tgid_enable();
	/* trace_printk() must go somewhere: another instance takes it over. */
	if (opt == TRACE_OPT_PRINTK_DEST && !on && !tr->name)
		return -EINVAL;
	return 0;
}

static void follow(struct trace_array *tr, u32 opt, bool on)
{
	struct trace_buffer **buffer;

	if (opt == TRACE_OPT_OVERWRITE) {
		for_each_trace_buffer(tr, buffer)
			ring_buffer_change_overwrite(*buffer, on);
	}
	/* Components of an instance that is being made look for themselves. */
	if (!list_empty(&tr->list))
		trace_components_option_changed(tr, opt, on);
}

/**
 * trace_option_set - switch an option of an instance
 * @tr: the instance
 * @opt: one TRACE_OPT_*
 * @on: on or off; no change is no error
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -ENOMEM, or the errno with which the current tracer refuses; then
 * nothing was changed.
 */
int trace_option_set(struct trace_array *tr, u32 opt, bool on)
{
	int ret;

	trace_instances_assert_locked();
	if (trace_option(tr, opt) == on)
		return 0;
	ret = prepare(tr, opt, on);
	if (ret)
		return ret;
	WRITE_ONCE(tr->options, on ? tr->options | opt : tr->options & ~opt);
	follow(tr, opt, on);
	return 0;
}

/* Switch a tracer's own option; the tracer is asked when it is running. */
int trace_tracer_option_set(struct trace_array *tr, struct tracer_state *state,
			    u32 bit, bool on)
{
	const struct tracer *tracer = state->tracer;
	bool current_one = tr->current_trace == tracer;
	int ret;

	trace_instances_assert_locked();
	if (!!(state->options & bit) == on)
		return 0;
	if (current_one && tracer->set_option) {
		ret = tracer->set_option(tr, bit, on);
		if (ret)
			return ret;
	}
	state->options = on ? state->options | bit : state->options & ~bit;
	if (current_one)
		WRITE_ONCE(tr->tracer_options, state->options);
	return 0;
}

static int parse_tracer_option(struct trace_array *tr, struct tracer_state *state,
			       const char *name, bool on)
{
	const struct tracer_option *opt = state->tracer->options;

	for (; opt && opt->name; opt++) {
		if (!strcmp(opt->name, name))
			return trace_tracer_option_set(tr, state, opt->bit, on);
	}
	return -EINVAL;
}

/* "noNAME" means off, for every name. */
static const char *strip_no(const char *text, bool *on)
{
	*on = strncmp(text, "no", 2);
	return *on ? text : text + 2;
}

/**
 * trace_option_parse - switch an option of the instance or its current tracer
 * @tr: the instance
 * @text: "NAME" or "noNAME", white space around it is dropped
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -EINVAL for an unknown name, or as trace_option_set().
 */
int trace_option_parse(struct trace_array *tr, char *text)
{
	struct tracer_state *state;
	const char *name;
	bool on;
	int bit;

	trace_instances_assert_locked();
	name = strip_no(strstrip(text), &on);
	bit = match_string(trace_option_names, TRACE_OPT_COUNT, name);
	if (bit >= 0)
		return trace_option_set(tr, 1U << bit, on);
	if (!tr->current_trace)
		return -EINVAL;
	state = trace_tracer_state(tr, tr->current_trace);
	return parse_tracer_option(tr, state, name, on);
}

/* The words of trace_options=, one by one; the text is left as it was. */
static bool __init next_boot_option(const char **pos, char *word, size_t size)
{
	const char *start = *pos + strspn(*pos, ", ");
	size_t len = strcspn(start, ",");

	if (!len)
		return false;
	strscpy(word, start, min(size, len + 1));
	*pos = start + len;
	return true;
}

/* The top instance takes its options from the command line. */
void __init trace_options_apply_boot(struct trace_array *tr)
{
	const char *pos = boot_options;
	char word[64];

	/* Words that are no options now may be options of a tracer to come. */
	while (next_boot_option(&pos, word, sizeof(word)))
		trace_option_parse(tr, word);
}

/* A tracer appeared: its options on the command line. */
void __init trace_options_apply_boot_tracer(struct trace_array *tr, struct tracer_state *state)
{
	const char *pos = boot_options;
	const char *name;
	char word[64];
	bool on;

	while (state && next_boot_option(&pos, word, sizeof(word))) {
		name = strip_no(strstrip(word), &on);
		parse_tracer_option(tr, state, name, on);
	}
}
