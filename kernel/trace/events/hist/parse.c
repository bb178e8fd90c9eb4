// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a histogram:
 *
 *	keys=FIELD[.MODIFIER],...[:values=FIELD,...][:sort=FIELD[.descending],...][:size=N]
 *	[:name=NAME][:clock=CLOCK][:pause][:continue][:clear][:nohitcount]
 *
 * in any order. A parameter that is given twice counts as it is given last.
 */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/hist/internal.h"
#include "instance/error.h"
#include "instance/instance.h"

static const char * const parse_errors[] = {
	[HIST_ERR_NONE]		= "No error",
	[HIST_ERR_MALFORMED]	= "Malformed assignment",
	[HIST_ERR_MISMATCH]	=
		"Named hist trigger doesn't match existing named trigger (includes variables)",
	[HIST_ERR_EXISTS]	= "Hist trigger already exists",
	[HIST_ERR_NO_TRIGGER]	= "Can't clear or continue a nonexistent hist trigger",
	[HIST_ERR_CLOCK]	= "Couldn't set trace_clock",
	[HIST_ERR_MODIFIER]	= "Invalid field modifier",
	[HIST_ERR_NO_FIELD]	= "Couldn't find field",
	[HIST_ERR_EMPTY]	= "Empty assignment",
	[HIST_ERR_SORT_MODIFIER] = "Invalid sort modifier",
	[HIST_ERR_SORT_EMPTY]	= "Empty sort field",
	[HIST_ERR_SORT_MANY]	= "Too many sort fields (Max = 2)",
	[HIST_ERR_SORT_FIELD]	= "Sort field must be a key or a val",
	[HIST_ERR_STRING]	= "String type can not be an operand in expression",
	[HIST_ERR_NEED_VALUE]	= "Non-hitcount value is required for 'nohitcount'",
};

static const char * const parse_modifiers[] = {
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
};

/* The word of a modifier. */
const char *trace_hist_modifier(enum hist_modifier modifier)
{
	return parse_modifiers[modifier];
}

/* A text that is being parsed, and its pieces. */
struct parse {
	struct hist_spec		*spec;
	struct trace_event_file		*file;
	const struct trace_trigger_text	*text;
	char				*keys;
	char				*values;
	char				*sort;
	char				*size;
	bool				no_hitcount;
};

/**
 * trace_hist_fail - tell in the error log why a text is refused
 * @file: the event
 * @text: what was written
 * @error: what is wrong
 * @pos: where in the text
 *
 * Context: task, may sleep.
 * Return: the errno.
 */
int trace_hist_fail(struct trace_event_file *file, const struct trace_trigger_text *text,
		    enum hist_error error, unsigned int pos)
{
	char loc[128];

	snprintf(loc, sizeof(loc), "hist:%s:%s", file->event_call->class->system,
		 trace_event_name(file->event_call));
	trace_error_log(file->tr, loc, text->text, parse_errors, error, pos);
	return error == HIST_ERR_EXISTS ? -EEXIST :
	       error == HIST_ERR_NO_TRIGGER ? -ENOENT : -EINVAL;
}

/* @at: in the copy of the parameters, which is as long as they are. */
static int parse_fail(const struct parse *p, enum hist_error error, const char *at)
{
	const char *param = strstr(p->text->text, p->text->param);

	return trace_hist_fail(p->file, p->text, error,
			       param ? param - p->text->text + (at - p->spec->text) : 0);
}

/* The modifier behind a '.'; @f gets it. */
static int parse_modifier(const struct parse *p, struct hist_field *f, char *word)
{
	char *width = strchr(word, '=');
	int i = HIST_BUCKETS;

	if (width) {
		size_t len = width - word;

		if ((len != 6 && len != 7) || strncmp(word, "buckets", len) ||
		    kstrtou64(width + 1, 0, &f->width) || !f->width)
			return parse_fail(p, HIST_ERR_MODIFIER, word);
	} else {
		i = match_string(parse_modifiers, ARRAY_SIZE(parse_modifiers), word);
		if (i <= HIST_PLAIN || i == HIST_BUCKETS)
			return parse_fail(p, HIST_ERR_MODIFIER, word);
	}
	f->modifier = i;
	return 0;
}

/* Find the source that a name stands for. Returns 0 or an errno. */
static int parse_source(const struct parse *p, struct hist_field *f, char *name)
{
	const struct trace_event_field *field;

	f->name = name;
	field = trace_event_field_find(p->file->event_call, name, strlen(name));
	if (!strcmp(name, "hitcount") && !field) {
		f->source = HIST_HITS;
	} else if (!strcmp(name, "common_timestamp") && !field) {
		f->source = HIST_TIME;
		p->spec->stamps = true;
	} else if (field && field->filter_type == FILTER_CPU) {
		f->source = HIST_CPU;
		f->name = "common_cpu";
	} else if (field ? field->filter_type == FILTER_STACKTRACE :
			   !strcmp(name, "common_stacktrace")) {
		f->source = HIST_STACKTRACE;
		f->name = "common_stacktrace";
	} else if (field) {
		f->field = *field;
		f->is_string = trace_event_field_is_string(field);
	} else {
		return parse_fail(p, HIST_ERR_NO_FIELD, name);
	}
	return 0;
}

static int parse_field(const struct parse *p, struct hist_field *f, char *word)
{
	char *name = strsep(&word, ".");
	int ret = word ? parse_modifier(p, f, word) : 0;

	ret = ret ?: parse_source(p, f, name);
	if (ret || f->modifier == HIST_PLAIN)
		return ret;
	if ((f->modifier == HIST_EXECNAME && strcmp(name, "common_pid")) || f->is_string)
		return parse_fail(p, HIST_ERR_MODIFIER, word);
	/* A stack has one form. */
	if (f->source == HIST_STACKTRACE)
		f->modifier = HIST_PLAIN;
	return 0;
}

/* How many bytes of all keys a key takes. */
static unsigned int parse_key_size(const struct hist_field *f)
{
	if (f->source == HIST_STACKTRACE)
		return HIST_STACK * sizeof(long);
	if (!f->is_string)
		return sizeof(u64);
	if (f->field.filter_type == FILTER_STATIC_STRING || f->field.filter_type == FILTER_COMM)
		return ALIGN(min_t(unsigned int, f->field.size + 1, HIST_STRING), sizeof(u64));
	return HIST_STRING;
}

static int parse_key(const struct parse *p, char *word)
{
	struct hist_spec *spec = p->spec;
	struct hist_field *f = &spec->keys[spec->nr_keys];
	int ret;

	if (spec->nr_keys == HIST_KEYS)
		return -EINVAL;
	ret = parse_field(p, f, word);
	if (ret)
		return ret;
	if (f->modifier == HIST_PERCENT || f->modifier == HIST_GRAPH)
		return parse_fail(p, HIST_ERR_MODIFIER, word + strlen(word) + 1);
	if (f->source == HIST_HITS || (f->source == HIST_FIELD && !f->is_string &&
				       !trace_event_field_is_number(&f->field)))
		return parse_fail(p, HIST_ERR_NO_FIELD, word);
	f->offset = spec->key_size;
	f->size = parse_key_size(f);
	spec->key_size += f->size;
	spec->noted |= f->modifier == HIST_EXECNAME;
	spec->nr_keys++;
	return spec->key_size > HIST_KEY_MAX ? -EINVAL : 0;
}

static int parse_value(const struct parse *p, char *word)
{
	struct hist_spec *spec = p->spec;
	struct hist_field f = {};
	int ret = parse_field(p, &f, word);

	if (ret)
		return ret;
	/* The number of hits is there in any case. */
	if (f.source == HIST_HITS && f.modifier == HIST_PLAIN)
		return 0;
	if (f.modifier && f.modifier != HIST_HEX && f.modifier != HIST_PERCENT &&
	    f.modifier != HIST_GRAPH && f.modifier != HIST_USECS)
		return parse_fail(p, HIST_ERR_MODIFIER, word);
	if (f.is_string)
		return parse_fail(p, HIST_ERR_STRING, word);
	if (f.source == HIST_STACKTRACE ||
	    (f.source == HIST_FIELD && !trace_event_field_is_number(&f.field)))
		return parse_fail(p, HIST_ERR_NO_FIELD, word);
	if (spec->nr_values == HIST_VALUES)
		return -EINVAL;
	f.sum = f.source == HIST_HITS ? 0 : spec->nr_values + 1;
	spec->values[spec->nr_values++] = f;
	return 0;
}

static int parse_each(const struct parse *p, char *list,
		      int (*each)(const struct parse *p, char *word))
{
	char *word;
	int ret = 0;

	while (!ret && (word = strsep(&list, ",")))
		ret = *word ? each(p, word) : -EINVAL;
	return ret;
}

/* The key or the value that has a name; *field stays NULL for the number of hits. */
static bool parse_sort_field(const struct hist_spec *spec, const char *name,
			     const struct hist_field **field)
{
	if (!strcmp(name, "hitcount"))
		return true;
	for (unsigned int i = 0; i < spec->nr_keys; i++) {
		if (!strcmp(spec->keys[i].name, name))
			*field = &spec->keys[i];
	}
	for (unsigned int i = 0; i < spec->nr_values && !*field; i++) {
		if (!strcmp(spec->values[i].name, name))
			*field = &spec->values[i];
	}
	return *field;
}

static int parse_sort(const struct parse *p, char *list)
{
	struct hist_spec *spec = p->spec;
	char *token = list - strlen("sort="), *word;
	unsigned int nr = 1;

	for (const char *c = list; *c; c++)
		nr += *c == ',';
	if (nr > HIST_SORTS)
		return parse_fail(p, HIST_ERR_SORT_MANY, token);
	while ((word = strsep(&list, ","))) {
		struct hist_sort *sort = &spec->sorts[spec->nr_sorts++];
		char *name = strsep(&word, ".");

		if (!*name)
			return parse_fail(p, HIST_ERR_SORT_EMPTY, token);
		if (!parse_sort_field(spec, name, &sort->field))
			return parse_fail(p, HIST_ERR_SORT_FIELD, name);
		if (!word)
			continue;
		sort->descending = !strcmp(word, "descending");
		if (!sort->descending && strcmp(word, "ascending"))
			return parse_fail(p, HIST_ERR_SORT_MODIFIER, word);
	}
	return 0;
}

static int parse_size(struct hist_spec *spec, const char *text)
{
	unsigned long size;
	int ret = kstrtoul(text, 0, &size);

	if (ret)
		return ret;
	if (size <= HIST_SIZE_MIN / 2 || size > HIST_SIZE_MAX)
		return -EINVAL;
	spec->size = roundup_pow_of_two(size);
	return 0;
}

/* A word without '='. */
static int parse_flag(struct parse *p, const char *word)
{
	struct hist_spec *spec = p->spec;

	if (!strcmp(word, "pause"))
		spec->pause = true;
	else if (!strcmp(word, "cont") || !strcmp(word, "continue"))
		spec->cont = true;
	else if (!strcmp(word, "clear"))
		spec->clear = true;
	else if (!strcmp(word, "nohitcount") || !strcmp(word, "NOHC"))
		spec->no_hitcount = true;
	else
		return -EINVAL;
	return 0;
}

static int parse_assignment(struct parse *p, char *word)
{
	char *name = word, *text;

	text = strchr(word, '=');
	if (!text)
		return parse_flag(p, word);
	*text++ = '\0';
	if (!*text)
		return parse_fail(p, HIST_ERR_EMPTY, word);
	if (!strcmp(name, "keys") || !strcmp(name, "key"))
		p->keys = text;
	else if (!strcmp(name, "values") || !strcmp(name, "vals") || !strcmp(name, "val"))
		p->values = text;
	else if (!strcmp(name, "sort"))
		p->sort = text;
	else if (!strcmp(name, "size"))
		p->size = text;
	else if (!strcmp(name, "name"))
		p->spec->name = text;
	else if (!strcmp(name, "clock"))
		p->spec->clock = text;
	else
		return parse_fail(p, HIST_ERR_MALFORMED, name);
	return 0;
}

/* Parse the pieces that were found, in the order in which they need each other. */
static int parse_pieces(const struct parse *p)
{
	struct hist_spec *spec = p->spec;
	int ret;

	if (!p->keys)
		return -EINVAL;
	ret = parse_each(p, p->keys, parse_key);
	if (!ret && p->values)
		ret = parse_each(p, p->values, parse_value);
	if (!ret && p->sort)
		ret = parse_sort(p, p->sort);
	if (!ret && p->size)
		ret = parse_size(spec, p->size);
	if (!ret && spec->no_hitcount && !spec->nr_values)
		ret = parse_fail(p, HIST_ERR_NEED_VALUE, spec->text);
	return ret;
}

/**
 * trace_hist_parse - parse what was written
 * @spec: gets it; zeroed. The caller frees its text in any case
 * @file: the event
 * @text: what was written
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL or -ENOMEM, the error log tells why where users expect that.
 */
int trace_hist_parse(struct hist_spec *spec, struct trace_event_file *file,
		     const struct trace_trigger_text *text)
{
	struct parse p = { .spec = spec, .file = file, .text = text };
	char *rest, *word;
	int ret = 0;

	if (!text->param)
		return -EINVAL;
	spec->text = kstrdup(text->param, GFP_KERNEL);
	if (!spec->text)
		return -ENOMEM;
	spec->size = HIST_SIZE;
	spec->clock = "global";
	rest = spec->text;
	while (!ret && (word = strsep(&rest, ":")))
		ret = parse_assignment(&p, word);
	return ret ?: parse_pieces(&p);
}

static bool parse_field_same(const struct hist_field *a, const struct hist_field *b)
{
	return a->source == b->source && a->modifier == b->modifier && a->width == b->width &&
	       a->size == b->size && !strcmp(a->name, b->name);
}

/**
 * trace_hist_same - do two texts have the same keys, values and order?
 * @a: a text
 * @b: another
 *
 * Context: any.
 * Return: true if they do.
 */
bool trace_hist_same(const struct hist_spec *a, const struct hist_spec *b)
{
	if (a->nr_keys != b->nr_keys || a->nr_values != b->nr_values ||
	    a->nr_sorts != b->nr_sorts)
		return false;
	for (unsigned int i = 0; i < a->nr_keys; i++) {
		if (!parse_field_same(&a->keys[i], &b->keys[i]))
			return false;
	}
	for (unsigned int i = 0; i < a->nr_values; i++) {
		if (!parse_field_same(&a->values[i], &b->values[i]))
			return false;
	}
	for (unsigned int i = 0; i < a->nr_sorts; i++) {
		const struct hist_field *x = a->sorts[i].field, *y = b->sorts[i].field;

		if (a->sorts[i].descending != b->sorts[i].descending || !x != !y ||
		    (x && !parse_field_same(x, y)))
			return false;
	}
	return true;
}
