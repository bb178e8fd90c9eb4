// SPDX-License-Identifier: GPL-2.0
/*
 * The text that defines a synthetic event, "NAME FIELD[; FIELD]...", with fields such as
 * "u64 lat", "unsigned int prio", "char comm[16]", "char path[]" and "unsigned long[] stack".
 * Between fields of which none is dynamic, the semicolons may be missing.
 *
 * The text stays as it is, so that the place of an error is the place in the user's line.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/synth/event.h"
#include "instance/error.h"

static const char * const synth_errors[] = {
	[SYNTH_ERR_BAD_NAME]		= "Illegal name",
	[SYNTH_ERR_INVALID_CMD]		=
		"Command must be of the form: <name> field[;field] ...",
	[SYNTH_ERR_INVALID_DYN_CMD]	=
		"Command must be of the form: s or -:[synthetic/]<name> field[;field] ...",
	[SYNTH_ERR_EVENT_EXISTS]	= "Event already exists",
	[SYNTH_ERR_TOO_MANY_FIELDS]	= "Too many fields",
	[SYNTH_ERR_INCOMPLETE_TYPE]	= "Incomplete type",
	[SYNTH_ERR_INVALID_TYPE]	= "Invalid type",
	[SYNTH_ERR_INVALID_FIELD]	= "Invalid field",
	[SYNTH_ERR_INVALID_ARRAY_SPEC]	= "Invalid array specification",
	[SYNTH_ERR_TOO_LONG]		= "Records would be too long",
};

/**
 * trace_synth_refuse - tell the error log why a line was refused
 * @line: the line
 * @error: what is wrong
 * @at: where in @line
 *
 * Context: task, may sleep.
 * Return: -EEXIST for an event that is there already, -EINVAL for all else.
 */
int trace_synth_refuse(const char *line, enum trace_synth_error error, const char *at)
{
	trace_error_log(NULL, "synthetic_events", line, synth_errors, error, at - line);
	return error == SYNTH_ERR_EVENT_EXISTS ? -EEXIST : -EINVAL;
}

/**
 * trace_synth_fields_free - free the names and types of fields
 * @field: the fields
 * @nr: how many
 *
 * Context: task.
 */
void trace_synth_fields_free(struct trace_synth_field *field, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		kfree(field[i].name);
		kfree(field[i].type);
		kfree(field[i].shown);
	}
}

/* A word of the text. */
struct synth_word {
	const char	*at;
	size_t		len;
};

/* The next word before @end; *@p moves behind it. False: there is none. */
static bool synth_parse_word(const char **p, const char *end, struct synth_word *word)
{
	while (*p < end && isspace(**p))
		++*p;
	word->at = *p;
	while (*p < end && !isspace(**p))
		++*p;
	word->len = *p - word->at;
	return word->len;
}

static bool synth_parse_is_name(const char *text, size_t len)
{
	if (!len || len > NAME_MAX || isdigit(*text))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum(text[i]) && text[i] != '_')
			return false;
	}
	return true;
}

#define SYNTH_NUMBER(_type, _size, _fmt) \
	{ .type = _type, .fmt = _fmt, .size = _size }

/* The numbers, as users spell them, and how they are printed. */
static const struct trace_synth_field synth_numbers[] = {
	SYNTH_NUMBER("s64", 8, "%lld"), SYNTH_NUMBER("u64", 8, "%llu"),
	SYNTH_NUMBER("s32", 4, "%d"), SYNTH_NUMBER("u32", 4, "%u"),
	SYNTH_NUMBER("s16", 2, "%d"), SYNTH_NUMBER("u16", 2, "%u"),
	SYNTH_NUMBER("s8", 1, "%d"), SYNTH_NUMBER("u8", 1, "%u"),
	SYNTH_NUMBER("char", 1, "%d"), SYNTH_NUMBER("unsigned char", 1, "%u"),
	SYNTH_NUMBER("int", sizeof(int), "%d"),
	SYNTH_NUMBER("unsigned int", sizeof(int), "%u"),
	SYNTH_NUMBER("long", sizeof(long), "%ld"),
	SYNTH_NUMBER("unsigned long", sizeof(long), "%lu"),
	SYNTH_NUMBER("bool", sizeof(bool), "%d"),
	SYNTH_NUMBER("pid_t", sizeof(pid_t), "%d"),
	SYNTH_NUMBER("gfp_t", sizeof(gfp_t), "%x"),
};

/* The length between the brackets at @array; 0 if there is none. False: it is no length. */
static bool synth_parse_array(const char *array, unsigned int *len)
{
	char digits[8] = "";
	size_t n = strcspn(array + 1, "]");

	*len = 0;
	if (array[1 + n] != ']' || array[2 + n] || n >= sizeof(digits))
		return false;
	memcpy(digits, array + 1, n);
	return !n || !kstrtouint(digits, 10, len);
}

/*
 * Set what the type of a field says. Returns 0, -ENOENT if there is no such type, or -ERANGE if
 * it is no such array.
 */
static int synth_parse_type(struct trace_synth_field *f)
{
	const char *array = strchr(f->type, '['), *base = f->type;
	unsigned int len;

	f->is_signed = *f->type != 'u' && strcmp(f->type, "gfp_t");
	if (!array) {
		for (unsigned int i = 0; i < ARRAY_SIZE(synth_numbers); i++) {
			if (strcmp(f->type, synth_numbers[i].type))
				continue;
			f->fmt = synth_numbers[i].fmt;
			f->size = synth_numbers[i].size;
			f->value = TRACE_SYNTH_NUMBER;
			return 0;
		}
		return -ENOENT;
	}
	base += str_has_prefix(base, "unsigned ");
	if (str_has_prefix(base, "char["))
		f->value = TRACE_SYNTH_STRING;
	else if (str_has_prefix(base, "long["))
		f->value = TRACE_SYNTH_STACK;
	else
		return -ENOENT;
	if (!synth_parse_array(array, &len) ||
	    (f->value == TRACE_SYNTH_STRING && len > TRACE_SYNTH_STRING_MAX))
		return -ERANGE;
	f->fmt = "%s";
	/* The length of a stack is that of the stack, whatever stands there. */
	f->is_dynamic = !len || f->value == TRACE_SYNTH_STACK;
	/* As users know it of what has a location word. */
	if (f->is_dynamic)
		f->is_signed = true;
	f->size = f->is_dynamic ? sizeof(u32) : len;
	return 0;
}

/* Put a field behind those that are there, at an offset that suits its type. */
static void synth_parse_place(struct trace_synth_definition *def, struct trace_synth_field *f)
{
	unsigned int align = f->value == TRACE_SYNTH_STRING && !f->is_dynamic ? 1 : f->size;

	f->offset = ALIGN(def->fixed, align);
	def->fixed = f->offset + f->size;
	def->nr_dynamic += f->is_dynamic;
}

/* Can there be a record, with at least a word of data in each dynamic field? */
static bool synth_parse_fits(const struct trace_synth_definition *def)
{
	return ALIGN(def->fixed, sizeof(long)) + def->nr_dynamic * sizeof(long) <=
	       TRACE_SYNTH_RECORD_MAX;
}

/* A field at *@p, which moves behind it. */
static int synth_parse_field(const char *line, const char **p, const char *end,
			     struct trace_synth_definition *def)
{
	struct trace_synth_field *f = &def->field[def->nr];
	struct synth_word first, type, name;
	const char *array;
	bool is_unsigned;
	size_t len;
	int ret;

	synth_parse_word(p, end, &first);
	type = first;
	is_unsigned = first.len == strlen("unsigned") && !strncmp(first.at, "unsigned", first.len);
	if (is_unsigned && !synth_parse_word(p, end, &type))
		return trace_synth_refuse(line, SYNTH_ERR_INCOMPLETE_TYPE, first.at);
	if (!synth_parse_word(p, end, &name))
		return trace_synth_refuse(line, is_unsigned ? SYNTH_ERR_INCOMPLETE_TYPE :
					  SYNTH_ERR_INVALID_FIELD, first.at);
	array = memchr(name.at, '[', name.len);
	len = array ? array - name.at : name.len;
	if (!synth_parse_is_name(name.at, len))
		return trace_synth_refuse(line, SYNTH_ERR_BAD_NAME, name.at);

	*f = (struct trace_synth_field){
		.name = kstrndup(name.at, len, GFP_KERNEL),
		.type = kasprintf(GFP_KERNEL, "%s%.*s%.*s", is_unsigned ? "unsigned " : "",
				  (int)type.len, type.at, (int)(name.len - len), name.at + len),
	};
	def->nr++;
	if (!f->name || !f->type)
		return -ENOMEM;
	ret = synth_parse_type(f);
	if (ret == -ERANGE && array)
		return trace_synth_refuse(line, SYNTH_ERR_INVALID_ARRAY_SPEC, name.at);
	if (ret)
		return trace_synth_refuse(line, SYNTH_ERR_INVALID_TYPE, type.at);
	f->shown = kasprintf(GFP_KERNEL, "%s%s", f->is_dynamic ? "__data_loc " : "", f->type);
	if (!f->shown)
		return -ENOMEM;
	synth_parse_place(def, f);
	return synth_parse_fits(def) ? 0 :
	       trace_synth_refuse(line, SYNTH_ERR_TOO_LONG, name.at);
}

/*
 * The fields up to the next semicolon. Since there are dynamic fields, there is one between
 * semicolons; @strict: there was a dynamic one before.
 */
static int synth_parse_fields(const char *line, const char *p, const char *end,
			      struct trace_synth_definition *def, bool *strict)
{
	const char *start;
	unsigned int nr = 0;
	int ret;

	for (;; nr++) {
		while (p < end && isspace(*p))
			p++;
		if (p == end)
			return 0;
		if (!nr)
			start = p;
		if (def->nr == TRACE_SYNTH_FIELDS_MAX)
			return trace_synth_refuse(line, SYNTH_ERR_TOO_MANY_FIELDS, line);
		ret = synth_parse_field(line, &p, end, def);
		if (ret)
			return ret;
		*strict |= def->field[def->nr - 1].is_dynamic;
		if (*strict && nr)
			return trace_synth_refuse(line, SYNTH_ERR_INVALID_CMD, start);
	}
}

/* The name, and then at least a type and a field's name before the first semicolon. */
static int synth_parse_name(const char *line, const char **p, const char *end,
			    struct trace_synth_definition *def)
{
	struct synth_word name, word;
	const char *q = *p;

	if (!synth_parse_word(&q, end, &name) || !synth_parse_word(&q, end, &word) ||
	    !synth_parse_word(&q, end, &word))
		return trace_synth_refuse(line, SYNTH_ERR_INVALID_CMD, line);
	if (!synth_parse_is_name(name.at, name.len))
		return trace_synth_refuse(line, SYNTH_ERR_BAD_NAME, name.at);
	*p = name.at + name.len;
	def->name = kstrndup(name.at, name.len, GFP_KERNEL);
	return def->name ? 0 : -ENOMEM;
}

/**
 * trace_synth_parse - read the definition of an event
 * @line: the user's line, for the error log
 * @text: the definition in it
 * @def: filled in; whatever is returned, the caller frees its name and fields
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL, and the error log says why; -ENOMEM.
 */
int trace_synth_parse(const char *line, const char *text, struct trace_synth_definition *def)
{
	const char *end = strchrnul(text, ';');
	bool strict = false;
	int ret;

	def->name = NULL;
	def->nr = 0;
	def->nr_dynamic = 0;
	def->fixed = sizeof(struct trace_entry);
	ret = synth_parse_name(line, &text, end, def);
	while (!ret) {
		ret = synth_parse_fields(line, text, end, def, &strict);
		if (!*end)
			break;
		text = end + 1;
		end = strchrnul(text, ';');
	}
	/* Data of dynamic fields begin at an address that suits all of them. */
	def->fixed = ALIGN(def->fixed, sizeof(long));
	return ret;
}
