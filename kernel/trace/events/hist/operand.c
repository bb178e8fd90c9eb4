// SPDX-License-Identifier: GPL-2.0
/* A field of the event, or what has a name beside the fields, with a modifier: "bytes_req.hex". */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <linux/syscalls.h>

#include "events/hist/parse.h"

static const char * const operand_modifiers[] = {
	[HIST_PLAIN]		= "",
	[HIST_HEX]		= "hex",
	[HIST_SYM]		= "sym",
	[HIST_SYM_OFFSET]	= "sym-offset",
	[HIST_EXECNAME]		= "execname",
	[HIST_SYSCALL]		= "syscall",
	[HIST_LOG2]		= "log2",
	[HIST_BUCKETS]		= "buckets",
	[HIST_USECS]		= "usecs",
	[HIST_PERCENT]		= "percent",
	[HIST_GRAPH]		= "graph",
	[HIST_STACK_FIELD]	= "stacktrace",
};

/* The word of a modifier. */
const char *trace_hist_modifier(enum hist_modifier modifier)
{
	return operand_modifiers[modifier];
}

/* The modifier behind a '.'; @f gets it. */
static int operand_modifier(const struct hist_parse *p, struct hist_field *f, char *word)
{
	char *width = strchr(word, '=');
	int i = HIST_BUCKETS;

	if (width) {
		size_t len = width - word;

		if ((len != 6 && len != 7) || strncmp(word, "buckets", len) ||
		    kstrtou64(width + 1, 0, &f->width) || !f->width)
			return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
	} else {
		i = match_string(operand_modifiers, ARRAY_SIZE(operand_modifiers), word);
		if (i <= HIST_PLAIN || i == HIST_BUCKETS)
			return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
	}
	f->modifier = i;
	return 0;
}

/*
 * @call is the event of @field. False: it is neither a number nor a string.
 *
 * A string of a system call lies in user space, where a hit could not read it: such an argument is
 * the address that it is, for a synthetic event and a probe of it that reads the string. The text
 * that the event itself has read stands in another field.
 */
static bool operand_field(struct hist_field *f, struct trace_event_call *call,
			  const struct trace_event_field *field)
{
	f->field = *field;
	if (field->filter_type == FILTER_PTR_STRING && is_syscall_trace_event(call))
		f->field.filter_type = FILTER_OTHER;
	field = &f->field;
	f->bytes = field->size;
	f->is_signed = field->is_signed;
	if (f->modifier == HIST_STACK_FIELD) {
		f->kind = HIST_ADDRESSES;
		f->bytes = HIST_STACK_SIZE;
		return true;
	}
	if (!trace_event_field_is_string(field))
		return trace_event_field_is_number(field);
	f->kind = HIST_TEXT;
	f->bytes = HIST_STRING;
	/* Without a size, it is the rest of the record. */
	if (field->size && (field->filter_type == FILTER_STATIC_STRING ||
			    field->filter_type == FILTER_COMM))
		f->bytes = min_t(unsigned int, field->size + 1, HIST_STRING);
	return true;
}

/* Can ".stacktrace" stand behind a field? It has addresses, as those of synthetic events. */
static bool operand_is_stack(const struct trace_event_field *field)
{
	return field && field->elem_size == sizeof(long) && trace_event_field_is_located(field) &&
	       !trace_event_field_is_string(field);
}

/* Find the source that a name stands for. */
static int operand_source(const struct hist_parse *p, struct hist_field *f, char *name)
{
	const struct trace_event_field *field;

	f->bytes = sizeof(u64);
	field = trace_event_field_find(p->file->event_call, name, strlen(name));
	if (f->modifier == HIST_STACK_FIELD && !operand_is_stack(field))
		return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, name + strlen(name) + 1);
	if (!strcmp(name, "hitcount") && !field) {
		f->source = HIST_HITS;
	} else if (!strcmp(name, "common_timestamp") && !field) {
		f->source = HIST_TIME;
		f->unit = f->modifier == HIST_USECS ? HIST_USECS_UNIT : HIST_NSECS;
		p->spec->stamps = true;
	} else if (field && field->filter_type == FILTER_CPU) {
		f->source = HIST_CPU;
		f->bytes = sizeof(int);
		f->name = "common_cpu";
	} else if (field ? field->filter_type == FILTER_STACKTRACE :
			   !strcmp(name, "common_stacktrace")) {
		f->source = HIST_STACKTRACE;
		f->kind = HIST_ADDRESSES;
		f->bytes = HIST_STACK_SIZE;
		f->name = "common_stacktrace";
	} else if (!field || !operand_field(f, p->file->event_call, field)) {
		return trace_hist_parse_fail(p, HIST_ERR_NO_FIELD, name);
	}
	return 0;
}

/* @word is cut. */
int trace_hist_operand(const struct hist_parse *p, struct hist_field *f, char *word)
{
	char *name = strsep(&word, ".");
	int ret = word ? operand_modifier(p, f, word) : 0;

	f->name = name;
	ret = ret ?: operand_source(p, f, name);
	if (ret || f->modifier == HIST_PLAIN)
		return ret;
	if ((f->modifier == HIST_EXECNAME && strcmp(name, "common_pid")) || f->kind == HIST_TEXT)
		return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
	/* A stack has one form. */
	if (f->source == HIST_STACKTRACE)
		f->modifier = HIST_PLAIN;
	return 0;
}

/* Give a string or a stack that is no variable its place in the room of a hit. */
int trace_hist_place(struct hist_spec *spec, struct hist_field *f)
{
	if (f->kind == HIST_NUMBER || f->source == HIST_VAR)
		return 0;
	f->room = trace_hist_room(spec, f->bytes);
	return f->room ? 0 : -ENOSPC;
}
