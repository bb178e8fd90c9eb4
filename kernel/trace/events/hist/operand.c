// SPDX-License-Identifier: GPL-2.0
/* A field of the event, or what has a name beside the fields, with a modifier: "bytes_req.hex". */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <linux/syscalls.h>

#include "events/hist/fold.h"
#include "events/hist/load.h"
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

/* The modifier behind the name of a field, with the '.', as it can be written. */
void trace_hist_modifier_text(const struct hist_field *f, char *text, size_t size)
{
	size_t len;

	if (f->modifier == HIST_BUCKETS)
		len = scnprintf(text, size, ".%s=%llu", operand_modifiers[f->modifier], f->width);
	else
		len = scnprintf(text, size, "%s%s", f->modifier ? "." : "",
				operand_modifiers[f->modifier]);
	trace_hist_fold_text(f, text + len, size - len);
}

/* The modifier behind a '.'; @f gets it. */
static int operand_modifier(const struct hist_parse *p, struct hist_field *f, char *word)
{
	char *width = strchr(word, '=');
	int i = HIST_BUCKETS;

	if (width) {
		size_t len = width - word;

		if ((len != 6 && len != 7) || strncmp(word, "buckets", len))
			return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
		if (kstrtou64(width + 1, 0, &f->width) || !f->width)
			return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, width + 1);
	} else {
		i = match_string(operand_modifiers, ARRAY_SIZE(operand_modifiers), word);
		if (i <= HIST_PLAIN || i == HIST_BUCKETS)
			return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
	}
	f->modifier = i;
	return 0;
}

/* Has the record the number, and is that all of the field? */
static bool operand_is_placed(const struct trace_event_field *field)
{
	return (field->filter_type == FILTER_OTHER || field->filter_type == FILTER_TRACE_FN) &&
	       !field->element && !field->elem_size && !trace_event_field_is_located(field) &&
	       trace_event_field_is_number(field);
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
	if (!trace_event_field_is_string(field)) {
		f->placed = operand_is_placed(field);
		return trace_event_field_is_number(field);
	}
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
	       !field->element && !trace_event_field_is_string(field);
}

/*
 * Find the field that "NAME" or "NAME[INDEX]" stands for. *@field is @elem for an element, and NULL
 * if the event has no field of that name. False: the field has no such element.
 */
bool trace_hist_find(struct trace_event_call *call, const char *name,
		     struct trace_event_field *elem, const struct trace_event_field **field)
{
	size_t len = strcspn(name, "[");
	const char *end;

	*field = trace_event_field_find(call, name, len);
	if (!*field || !name[len])
		return true;
	end = trace_event_field_index(elem, *field, name + len);
	*field = elem;
	return end && !*end;
}

/*
 * An element of an array whose length the record tells may not be there. Hits without it are not
 * counted, whatever the text does with it. 0 or -ENOMEM.
 */
int trace_hist_element(struct hist_spec *spec, const struct trace_event_field *field)
{
	struct hist_element *element;

	if (!field->element)
		return 0;
	element = trace_hist_alloc(spec, sizeof(*element));
	if (!element)
		return -ENOMEM;
	element->field = *field;
	element->next = spec->elements;
	spec->elements = element;
	return 0;
}

/* Find the source that a name stands for. */
static int operand_source(const struct hist_parse *p, struct hist_field *f, char *name)
{
	const struct trace_event_field *field;
	struct trace_event_field elem;

	f->bytes = sizeof(u64);
	if (!trace_hist_find(p->file->event_call, name, &elem, &field))
		return trace_hist_parse_fail(p, HIST_ERR_NO_ELEMENT, strchr(name, '[') + 1);
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
	} else {
		return trace_hist_element(p->spec, field);
	}
	return 0;
}

/* Does the source take the modifier @word of @name? 0 or an errno. */
static int operand_modify(const struct hist_parse *p, struct hist_field *f, const char *name,
			  char *word)
{
	if (f->modifier == HIST_PLAIN)
		return 0;
	if ((f->modifier == HIST_EXECNAME && strcmp(name, "common_pid")) || f->kind == HIST_TEXT)
		return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
	/* A stack has one form, whatever was written. */
	if (f->source == HIST_STACKTRACE) {
		f->modifier = HIST_PLAIN;
		f->width = 0;
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
	ret = ret ?: operand_modify(p, f, name, word);
	if (!ret)
		trace_hist_load_set(f);
	return ret;
}

/* Give a string or a stack that is no variable its place in the room of a hit. */
int trace_hist_place(struct hist_spec *spec, struct hist_field *f)
{
	if (f->kind == HIST_NUMBER || f->source == HIST_VAR)
		return 0;
	f->room = trace_hist_room(spec, f->bytes);
	return f->room ? 0 : -ENOSPC;
}
