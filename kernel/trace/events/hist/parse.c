// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a histogram:
 *
 *	keys=FIELD[.MODIFIER],...[:values=EXPRESSION[.FOLD],...][:VARIABLE=EXPRESSION,...]
 *	[:sort=FIELD[.MODIFIER][.descending],...][:size=N][:name=NAME][:clock=CLOCK]
 *	[:interval=T[:keep=N]]
 *	[:pause][:continue][:clear][:nohitcount][:HANDLER.ACTION]...
 *
 * in any order. A parameter that is given twice counts as it is given last.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/hist/fold.h"
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
		if (f->expr->step[i].loads && f->expr->step[i].load.source == HIST_VAR)
			return true;
	}
	return false;
}

/*
 * A key is made before the variables of others are found by it. A variable of the trigger itself
 * stands for the text that it gets. The text means what it meant when it was compiled: it knows
 * the variables before its own only, so there is an end.
 */
static int parse_key_field(struct hist_parse *p, struct hist_field *f, char *word)
{
	const struct hist_var *own = NULL, *next;
	struct hist_spec *spec = p->spec;
	unsigned int nr = spec->nr_vars;
	int ret;

	while ((next = trace_hist_own_ref(p, own ? own->text : word))) {
		own = next;
		while (spec->vars[--spec->nr_vars] != own)
			;
	}
	if (own)
		word = (char *)trace_hist_strndup(spec, own->text, strlen(own->text));
	ret = word ? trace_hist_expr(p, f, word) : -ENOMEM;
	spec->nr_vars = nr;
	return ret;
}

static int parse_key(struct hist_parse *p, char *word)
{
	struct hist_spec *spec = p->spec;
	struct hist_field *f = &spec->keys[spec->nr_keys];
	int ret;

	if (spec->nr_keys == HIST_KEYS)
		return -EINVAL;
	ret = parse_key_field(p, f, word);
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
	int ret = trace_hist_fold_read(p, &f, word);

	ret = ret ?: trace_hist_expr(p, &f, word);
	ret = ret ?: trace_hist_fold_made(p, &f, word);
	if (ret)
		return ret;
	/* The number of hits is there in any case. */
	if (f.source == HIST_HITS && !f.modifier)
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
		ret = *word ? each(p, word) : trace_hist_parse_fail(p, HIST_ERR_NO_FIELD, word);
	return ret;
}

/*
 * Does a sort begin with a field, as it is shown, or without its modifier? Behind it is the end or
 * a '.'. How many letters it has; 0: it does not.
 */
static size_t parse_sort_match(const struct hist_field *f, const char *word)
{
	size_t len = strlen(f->name), prefix = f->source == HIST_VAR && *word == '$';
	char modifier[40];

	if (strncmp(word + prefix, f->name, len))
		return 0;
	len += prefix;
	if (word[len] && word[len] != '.')
		return 0;
	trace_hist_modifier_text(f, modifier, sizeof(modifier));
	if (*modifier && !strncmp(word + len, modifier, strlen(modifier)) &&
	    (!word[len + strlen(modifier)] || word[len + strlen(modifier)] == '.'))
		len += strlen(modifier);
	return len;
}

/* The field that the longest part of a sort means; @len: the longest part so far. */
static void parse_sort_best(const struct hist_field *fields, unsigned int nr, const char *word,
			    const struct hist_field **best, size_t *len)
{
	for (unsigned int i = 0; i < nr; i++) {
		size_t match = parse_sort_match(&fields[i], word);

		if (match <= *len)
			continue;
		*len = match;
		*best = &fields[i];
	}
}

/*
 * The value or the key that a sort means; *field stays NULL for the number of hits. A name that
 * both a value and a key have is that of the value. Its length in the text; 0: there is none.
 */
static size_t parse_sort_field(const struct hist_spec *spec, const char *word,
			       const struct hist_field **field)
{
	size_t len = str_has_prefix(word, "hitcount");

	if (len && (!word[len] || word[len] == '.'))
		return len;
	len = 0;
	parse_sort_best(spec->values, spec->nr_values, word, field, &len);
	parse_sort_best(spec->keys, spec->nr_keys, word, field, &len);
	return len;
}

static int parse_sort_word(struct hist_parse *p, struct hist_sort *sort, char *word)
{
	size_t len = parse_sort_field(p->spec, word, &sort->field);

	if (!len)
		return trace_hist_parse_fail(p, HIST_ERR_SORT_FIELD, word);
	if (!word[len])
		return 0;
	word += len + 1;
	sort->descending = !strcmp(word, "descending");
	if (!sort->descending && strcmp(word, "ascending"))
		return trace_hist_parse_fail(p, HIST_ERR_SORT_MODIFIER, word);
	return 0;
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
		int ret;

		if (!*word || *word == '.')
			return trace_hist_parse_fail(p, HIST_ERR_SORT_EMPTY, token);
		ret = parse_sort_word(p, &spec->sorts[spec->nr_sorts++], word);
		if (ret)
			return ret;
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

/*
 * Is a name before '=' one that has a meaning? Others are variables. A variable may be called
 * "interval" or "keep", if it gets no number.
 */
static bool parse_is_part(const char *name, size_t len)
{
	static const char * const parts[] = {
		"keys", "key", "values", "vals", "val", "sort", "size", "name", "clock",
		"interval", "keep",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strlen(parts[i]) == len && !strncmp(parts[i], name, len))
			return i < 9 || isdigit(name[len + 1]);
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
	else if (!strcmp(name, "interval"))
		p->interval = text;
	else if (!strcmp(name, "keep"))
		p->keep = text;
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
		ret = parse_each(p, p->values, parse_value) ?: trace_hist_folds_plan(spec);
	if (!ret && p->sort)
		ret = parse_sort(p, p->sort);
	/* By the number of hits, if nothing is said. */
	spec->nr_sorts = max(spec->nr_sorts, 1U);
	if (!ret && p->size)
		ret = parse_size(spec, p->size);
	ret = ret ?: trace_hist_interval(p);
	if (!ret && spec->no_hitcount && !spec->nr_values)
		ret = trace_hist_parse_fail(p, HIST_ERR_NEED_VALUE, NULL);
	return ret;
}

/* Parse all but what the actions do. */
static int parse_text(struct hist_parse *p)
{
	struct hist_spec *spec = p->spec;
	char *rest, *word;
	int ret = 0;

	if (!p->text->param)
		return -EINVAL;
	spec->text = kstrdup(p->text->param, GFP_KERNEL);
	if (!spec->text)
		return -ENOMEM;
	spec->size = HIST_SIZE;
	spec->room = HIST_OWN;
	spec->clock = "global";
	rest = spec->text;
	while (!ret && (word = strsep(&rest, ":")))
		ret = parse_assignment(p, word);
	return ret ?: parse_pieces(p);
}

/**
 * trace_hist_parse - parse what was written
 * @spec: gets it; zeroed. The caller frees its parts in any case
 * @file: the event
 * @text: what was written
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL, -ENOENT or -ENOMEM, the error log tells why where users expect that.
 */
int trace_hist_parse(struct hist_spec *spec, struct trace_event_file *file,
		     const struct trace_trigger_text *text)
{
	struct hist_parse p = { .spec = spec, .file = file, .text = text };

	return parse_text(&p) ?: trace_hist_actions_make(&p);
}

/**
 * trace_hist_parse_known - parse what was written of a histogram that is there
 * @spec: gets it; zeroed. The caller frees its parts in any case
 * @file: the event
 * @text: what was written
 *
 * Context: task, may sleep.
 * Return: 0; 1: no histogram has such actions, as what they refer to is not there; or an errno as
 * trace_hist_parse() has it.
 */
int trace_hist_parse_known(struct hist_spec *spec, struct trace_event_file *file,
			   const struct trace_trigger_text *text)
{
	struct hist_parse p = { .spec = spec, .file = file, .text = text };
	int ret = parse_text(&p);

	if (ret)
		return ret;
	p.quiet = true;
	ret = trace_hist_actions_make(&p);
	return ret == -ENOMEM ? ret : !!ret;
}

static bool parse_field_same(const struct hist_field *a, const struct hist_field *b)
{
	return a->source == b->source && a->kind == b->kind &&
	       a->modifier == b->modifier && a->width == b->width &&
	       a->fold == b->fold &&
	       (!a->fold || (a->ppm == b->ppm && a->is_signed == b->is_signed)) &&
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
 * trace_hist_same - do two texts have the same keys, values, order, variables, actions, intervals?
 * @a: a text
 * @b: another
 *
 * Context: any.
 * Return: true if they do.
 */
bool trace_hist_same(const struct hist_spec *a, const struct hist_spec *b)
{
	if (a->interval != b->interval || a->keep != b->keep ||
	    (a->interval && strcmp(a->clock, b->clock)))
		return false;
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
