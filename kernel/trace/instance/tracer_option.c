// SPDX-License-Identifier: GPL-2.0
/*
 * Options of tracers: each instance has those of every tracer that can run in it.
 */
#include <linux/init.h>
#include <linux/string.h>

#include "instance/internal.h"
#include "instance/option.h"
#include "instance/tracer.h"

/**
 * trace_tracer_option_set - switch a tracer's own option
 * @tr: the instance
 * @state: the tracer in @tr, the current one or not; it is asked
 * @bit: the option
 * @on: on or off; no change is no error
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, or the errno with which the tracer refuses; then nothing was changed.
 */
int trace_tracer_option_set(struct trace_array *tr, struct tracer_state *state,
			    u32 bit, bool on)
{
	const struct tracer *tracer = state->tracer;
	int ret;

	trace_instances_assert_locked();
	if (!!(state->options & bit) == on)
		return 0;
	ret = tracer->set_option ? tracer->set_option(tr, bit, on) : 0;
	if (ret)
		return ret;
	state->options = on ? state->options | bit : state->options & ~bit;
	if (tr->current_trace == tracer)
		WRITE_ONCE(tr->tracer_options, state->options);
	return 0;
}

static int tracer_option_set_word(struct trace_array *tr, struct tracer_state *state,
				  const char *word)
{
	const struct tracer_option *opt = state->tracer->options;
	const char *name;
	bool on;

	name = trace_option_strip_no(word, &on);
	for (; opt && opt->name; opt++) {
		if (!strcmp(opt->name, name))
			return trace_tracer_option_set(tr, state, opt->bit, on);
	}
	return -EINVAL;
}

/**
 * trace_option_parse - switch an option of the instance or its current tracer
 * @tr: the instance
 * @text: "NAME" or "noNAME", white space around it is dropped
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -EINVAL for an unknown name, or the errno of who refuses it.
 */
int trace_option_parse(struct trace_array *tr, char *text)
{
	const char *word = strstrip(text);
	int ret = trace_option_set_word(tr, word);

	if (ret != -ENOENT)
		return ret;
	if (!tr->current_trace)
		return -EINVAL;
	return tracer_option_set_word(tr, trace_tracer_state(tr, tr->current_trace), word);
}

/**
 * trace_tracer_options_boot - a tracer takes its options from the command line
 * @tr: the top instance
 * @state: the tracer there
 *
 * Context: boot; trace_instances_lock() is held.
 */
void __init trace_tracer_options_boot(struct trace_array *tr, struct tracer_state *state)
{
	const char *pos = NULL;
	char text[64], *word;

	/* Most words are not for this tracer. */
	while ((word = trace_option_next_boot(&pos, text, sizeof(text))))
		tracer_option_set_word(tr, state, word);
}
