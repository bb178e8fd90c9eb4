// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a histogram:
 *
 *	keys=FIELD[.MODIFIER],...[:values=EXPRESSION,...][:VARIABLE=EXPRESSION,...]
 *	[:sort=FIELD[.descending],...][:size=N][:name=NAME][:clock=CLOCK]
 *	[:pause][:continue][:clear][:nohitcount][:HANDLER.ACTION]...
 *
 * in any order. A parameter that is given twice counts as it is given last.
 */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/hist/handler.h"
#include "instance/instance.h"

/* How many bytes of all keys a key takes. */
static unsigned int parse_key_size(const struct hist_field *f)
{
	if (f->kind == HIST_ADDRESSES)
		return HIST_STACK * sizeof(long);
	return f->kind == HIST_TEXT ? ALIGN(f->bytes, sizeof(u64)) : sizeof(u64);
}

/* Is it a variable, or computed of one? */
static bool parse_has_ref(const struct hist_field *f)
{
	if (f->source != HIST_EXPR)
		return f->source == HIST_VAR;
	for (unsigned int i = 0; i < f->expr->nr; i++) {
		if (f->expr->step[i].load.source == HIST_VAR)
			return true;
	}
	return false;
}

static int parse_key(struct hist_parse *p, char *word)
{
	struct hist_spec *spec = p->spec;
	struct hist_field *f = &spec->keys[spec->nr_keys];
	int ret;

	if (spec->nr_keys == HIST_KEYS)
		return -EINVAL;
	ret = trace_hist_expr(p, f, word);
	if (ret)
		return ret;
	if (parse_has_ref(f))
		return trace_hist_parse_fail(p, HIST_ERR_REF_KEY, word);
	if (f->modifier == HIST_PERCENT || f->modifier == HIST_GRAPH)
		return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word + strlen(word) + 1);
	if (f->source == HIST_HITS)
		return trace_hist_parse_fail(p, HIST_ERR_NO_FIELD, word);
	f->offset = spec->key_size;
	f->size = parse_key_size(f);
	spec->key_size += f->size;
	spec->noted |= f->modifier == HIST_EXECNAME;
	spec->nr_keys++;
	return spec->key_size > HIST_KEY_MAX ? -EINVAL : 0;
}

static int parse_value(struct hist_parse *p, char *word)
{
	struct hist_spec *spec = p->spec;
	struct hist_field f = {};
	int ret = trace_hist_expr(p, &f, word);

	if (ret)
		return ret;
	/* The number of hits is there in any case. */
	if (f.source == HIST_HITS && f.modifier == HIST_PLAIN)
		return 0;
	if (f.modifier && f.modifier != HIST_HEX && f.modifier != HIST_PERCENT &&
	    f.modifier != HIST_GRAPH && f.modifier != HIST_USECS)
		return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
	if (f.kind == HIST_TEXT)
		return trace_hist_parse_fail(p, HIST_ERR_STRING, word);
	if (f.kind != HIST_NUMBER)
		return trace_hist_parse_fail(p, HIST_ERR_NO_FIELD, word);
	if (spec->nr_values == HIST_VALUES)
		return -EINVAL;
	f.sum = f.source == HIST_HITS ? 0 : spec->nr_values + 1;
	spec->values[spec->nr_values++] = f;
	return 0;
}

static int parse_each(struct hist_parse *p, char *list,
		      int (*each)(struct hist_parse *p, char *word))
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

static int parse_sort(struct hist_parse *p, char *list)
{
	struct hist_spec *spec = p->spec;
	char *token = list - strlen("sort="), *word;
	unsigned int nr = 1;

	for (const char *c = list; *c; c++)
		nr += *c == ',';
	if (nr > HIST_SORTS)
		return trace_hist_parse_fail(p, HIST_ERR_SORT_MANY, token);
	while ((word = strsep(&list, ","))) {
		struct hist_sort *sort = &spec->sorts[spec->nr_sorts++];
		char *name = strsep(&word, ".");

		if (!*name)
			return trace_hist_parse_fail(p, HIST_ERR_SORT_EMPTY, token);
		if (!parse_sort_field(spec, name, &sort->field))
			return trace_hist_parse_fail(p, HIST_ERR_SORT_FIELD, name);
		if (!word)
			continue;
		sort->descending = !strcmp(word, "descending");
		if (!sort->descending && strcmp(word, "ascending"))
			return trace_hist_parse_fail(p, HIST_ERR_SORT_MODIFIER, word);
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
static int parse_flag(struct hist_parse *p, const char *word)
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

/* Is a name before '=' one that has a meaning? Others are variables. */
static bool parse_is_part(const char *name, size_t len)
{
	static const char * const parts[] = {
		"keys", "key", "values", "vals", "val", "sort", "size", "name", "clock",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strlen(parts[i]) == len && !strncmp(parts[i], name, len))
			return true;
	}
	return false;
}

static int parse_variables(struct hist_parse *p, char *word)
{
	if (p->nr_vars == HIST_VARS)
		return trace_hist_parse_fail(p, HIST_ERR_MANY_VARS, word);
	p->vars[p->nr_vars++] = word;
	return 0;
}

static int parse_assignment(struct hist_parse *p, char *word)
{
	char *name = word, *text;

	if (trace_hist_is_action(word))
		return trace_hist_action_read(p, word);
	text = strchr(word, '=');
	if (!text)
		return parse_flag(p, word);
	if (!parse_is_part(word, text - word))
		return parse_variables(p, word);
	*text++ = '\0';
	if (!*text)
		return trace_hist_parse_fail(p, HIST_ERR_EMPTY, word);
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
	else
		p->spec->clock = text;
	return 0;
}

/* Parse the pieces that were found, in the order in which they need each other. */
static int parse_pieces(struct hist_parse *p)
{
	struct hist_spec *spec = p->spec;
	int ret;

	if (!p->keys)
		return -EINVAL;
	ret = trace_hist_vars(p);
	if (spec->nr_vars)
		spec->data_size = sizeof(struct hist_cell) + spec->cell_size;
	ret = ret ?: parse_each(p, p->keys, parse_key);
	if (!ret && p->values)
		ret = parse_each(p, p->values, parse_value);
	if (!ret && p->sort)
		ret = parse_sort(p, p->sort);
	/* By the number of hits, if nothing is said. */
	spec->nr_sorts = max(spec->nr_sorts, 1U);
	if (!ret && p->size)
		ret = parse_size(spec, p->size);
	if (!ret && spec->no_hitcount && !spec->nr_values)
		ret = trace_hist_parse_fail(p, HIST_ERR_NEED_VALUE, NULL);
	return ret ?: trace_hist_actions_make(p);
}

/**
 * trace_hist_parse - parse what was written
 * @spec: gets it; zeroed. The caller frees its parts in any case
 * @file: the event
 * @text: what was written
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL or -ENOMEM, the error log tells why where users expect that.
 */
int trace_hist_parse(struct hist_spec *spec, struct trace_event_file *file,
		     const struct trace_trigger_text *text)
{
	struct hist_parse p = { .spec = spec, .file = file, .text = text };
	char *rest, *word;
	int ret = 0;

	if (!text->param)
		return -EINVAL;
	spec->text = kstrdup(text->param, GFP_KERNEL);
	if (!spec->text)
		return -ENOMEM;
	spec->size = HIST_SIZE;
	spec->room = HIST_OWN;
	spec->clock = "global";
	rest = spec->text;
	while (!ret && (word = strsep(&rest, ":")))
		ret = parse_assignment(&p, word);
	return ret ?: parse_pieces(&p);
}

static bool parse_field_same(const struct hist_field *a, const struct hist_field *b)
{
	return a->source == b->source && a->kind == b->kind &&
	       a->modifier == b->modifier && a->width == b->width &&
	       a->size == b->size && !strcmp(a->name, b->name);
}

/* Triggers that share a histogram read each other's cells. */
static bool parse_action_same(const struct hist_action *a, const struct hist_action *b)
{
	if (strcmp(a->text, b->text) || a->at != b->at || a->size != b->size ||
	    a->nr_args != b->nr_args)
		return false;
	for (unsigned int i = 0; i < a->nr_args; i++) {
		if (a->args[i].kind != b->args[i].kind || a->args[i].offset != b->args[i].offset)
			return false;
	}
	return true;
}

static bool parse_var_same(const struct hist_var *a, const struct hist_var *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->text, b->text) && a->at == b->at &&
	       a->value.kind == b->value.kind && a->value.bytes == b->value.bytes;
}

static bool parse_vars_same(const struct hist_spec *a, const struct hist_spec *b)
{
	if (a->nr_vars != b->nr_vars || a->nr_actions != b->nr_actions ||
	    a->data_size != b->data_size)
		return false;
	for (unsigned int i = 0; i < a->nr_vars; i++) {
		if (!parse_var_same(a->vars[i], b->vars[i]))
			return false;
	}
	for (unsigned int i = 0; i < a->nr_actions; i++) {
		if (!parse_action_same(a->actions[i], b->actions[i]))
			return false;
	}
	return true;
}

/**
 * trace_hist_same - do two texts have the same keys, values, order, variables and actions?
 * @a: a text
 * @b: another
 *
 * Context: any.
 * Return: true if they do.
 */
bool trace_hist_same(const struct hist_spec *a, const struct hist_spec *b)
{
	if (a->nr_keys != b->nr_keys || a->nr_values != b->nr_values ||
	    a->nr_sorts != b->nr_sorts || !parse_vars_same(a, b))
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
