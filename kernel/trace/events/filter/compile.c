// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles the text of a filter to a program (program.h). An operator waits on a stack until
 * one that binds less follows; "!" binds most, "&&" more than "||".
 *
 * A part of the expression has two lists of exits: the targets of its steps for "true" and
 * those for "false" that are not known yet. A list is chained through the targets
 * themselves. "!" swaps the two lists; "&&" sets the true exits of its left side to the
 * first step of its right side, and joins the false exits of both.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/filter/program.h"

/* A link of a list of exits is the number of a step times 2, plus 1 for its on_false. */
#define EXITS_END	0xffff

struct exits {
	u16	first, last;
};

struct part {
	u16		start;		/* its first step */
	struct exits	yes, no;
};

struct compiler {
	struct filter_text	*t;
	struct event_filter	*filter;
	struct part		*parts;		/* operands */
	unsigned int		nr_parts;
	char			*ops;		/* '!', '(', '&' or '|' */
	const char		**ops_at;
	unsigned int		nr_ops;
	unsigned int		nr_words;	/* places for comparisons in the text */
};

/*
 * No field name begins at @p, but a comparison must: at the start, behind an operator or '('.
 * The error depends on whether the text has a word left that could be the comparison.
 */
static int compile_missing_operand(struct compiler *c, const char *p)
{
	if (!*p)
		return trace_filter_fail(c->t, c->nr_parts ? FILTER_ERR_INVALID_FILTER :
							     FILTER_ERR_NO_FILTER, p);
	if (c->nr_parts >= c->nr_words)
		return trace_filter_fail(c->t, FILTER_ERR_TOO_MANY_PREDS, p);
	trace_filter_fail(c->t, FILTER_ERR_OTHER, c->t->text);
	return -EPERM;
}

static u16 *compile_target(struct compiler *c, u16 link)
{
	struct filter_step *s = &c->filter->steps[link / 2];

	return link & 1 ? &s->on_false : &s->on_true;
}

static void compile_lead(struct compiler *c, struct exits from, u16 to)
{
	for (u16 link = from.first, next; link != EXITS_END; link = next) {
		next = *compile_target(c, link);
		*compile_target(c, link) = to;
	}
}

static struct exits compile_join(struct compiler *c, struct exits a, struct exits b)
{
	*compile_target(c, a.last) = b.first;
	return (struct exits){ a.first, b.last };
}

static void compile_reduce(struct compiler *c)
{
	char op = c->ops[--c->nr_ops];
	struct part *right = &c->parts[c->nr_parts - 1], *left = right - 1;

	if (op == '!') {
		swap(right->yes, right->no);
		return;
	}
	c->nr_parts--;
	if (op == '&') {
		compile_lead(c, left->yes, right->start);
		left->yes = right->yes;
		left->no = compile_join(c, left->no, right->no);
	} else {
		compile_lead(c, left->no, right->start);
		left->no = right->no;
		left->yes = compile_join(c, left->yes, right->yes);
	}
}

static void compile_push(struct compiler *c, char op, const char *at)
{
	c->ops[c->nr_ops] = op;
	c->ops_at[c->nr_ops++] = at;
}

static char compile_top(struct compiler *c)
{
	return c->nr_ops ? c->ops[c->nr_ops - 1] : 0;
}

static int compile_step(struct compiler *c, const char **p)
{
	unsigned int i = c->filter->nr;
	struct filter_step *s = &c->filter->steps[i];
	int ret = trace_filter_step_parse(c->t, p, s);

	if (ret)
		return ret;
	/* A step that was parsed may own memory, which trace_filter_free() frees. */
	c->filter->nr++;
	s->on_true = EXITS_END;
	s->on_false = EXITS_END;
	c->parts[c->nr_parts++] = (struct part){
		.start = i,
		.yes = { 2 * i, 2 * i },
		.no = { 2 * i + 1, 2 * i + 1 },
	};
	return 0;
}

/* "!", "(" and the comparison that must follow them. */
static int compile_operand(struct compiler *c, const char **p)
{
	int ret;

	for (;; ++*p) {
		*p = skip_spaces(*p);
		if (**p != '!' && **p != '(')
			break;
		compile_push(c, **p, *p);
	}
	if (!isalnum(**p) && **p != '_' && !(**p == '$' && c->t->fields->dollars))
		return compile_missing_operand(c, *p);
	ret = compile_step(c, p);
	while (!ret && compile_top(c) == '!')
		compile_reduce(c);
	return ret;
}

/* ")" as often as it comes. */
static int compile_closing(struct compiler *c, const char **p)
{
	for (*p = skip_spaces(*p); **p == ')'; *p = skip_spaces(*p + 1)) {
		while (compile_top(c) == '&' || compile_top(c) == '|')
			compile_reduce(c);
		if (compile_top(c) != '(')
			return trace_filter_fail(c->t, FILTER_ERR_TOO_MANY_CLOSE, *p);
		c->nr_ops--;
		while (compile_top(c) == '!')
			compile_reduce(c);
	}
	return 0;
}

/* Does "&&" or "||" stand at @p? */
static bool compile_combines(const char *p)
{
	return (*p == '&' || *p == '|') && p[1] == *p;
}

/*
 * How many words there are outside of quotes, whatever they are, that parentheses and
 * operators stand between.
 */
static unsigned int compile_count_words(const char *p)
{
	unsigned int nr = 0;
	bool inside = false;

	while (*p) {
		if (*p == '(' || *p == ')' || compile_combines(p)) {
			inside = false;
			p += compile_combines(p) ? 2 : 1;
			continue;
		}
		if (!isspace(*p) && !inside) {
			inside = true;
			nr++;
		}
		if (*p == '"' || *p == '\'')
			p = strchr(p + 1, *p);
		p++;
	}
	return nr;
}

/*
 * Quotes and parentheses are looked at first: a missing one is reported even if the text has
 * other errors.
 */
static int compile_balance(struct compiler *c)
{
	const char *quote = NULL;
	unsigned int open = 0;

	for (const char *p = c->t->text; *p; p++) {
		if (quote) {
			if (*p == *quote)
				quote = NULL;
		} else if (*p == '"' || *p == '\'') {
			quote = p;
		} else if (*p == '(') {
			c->ops_at[open++] = p;
		} else if (*p == ')' && !open--) {
			return trace_filter_fail(c->t, FILTER_ERR_TOO_MANY_CLOSE, p);
		}
	}
	if (quote)
		return trace_filter_fail(c->t, FILTER_ERR_MISSING_QUOTE, quote);
	if (open)
		return trace_filter_fail(c->t, FILTER_ERR_TOO_MANY_OPEN, c->ops_at[open - 1]);
	return 0;
}

static int compile_expression(struct compiler *c)
{
	const char *p = c->t->text;
	int ret;

	c->nr_words = compile_count_words(p);
	if (!c->nr_words)
		return trace_filter_fail(c->t, FILTER_ERR_OTHER, p);
	for (;;) {
		ret = compile_operand(c, &p);
		if (!ret)
			ret = compile_closing(c, &p);
		if (ret)
			return ret;
		if (!*p)
			break;
		if (!compile_combines(p))
			return trace_filter_fail(c->t, FILTER_ERR_TOO_MANY_PREDS, p);
		while (compile_top(c) == '&' || (*p == '|' && compile_top(c) == '|'))
			compile_reduce(c);
		compile_push(c, *p, p);
		p += 2;
	}
	while (c->nr_ops && compile_top(c) != '(')
		compile_reduce(c);
	if (c->nr_ops)
		return trace_filter_fail(c->t, FILTER_ERR_TOO_MANY_OPEN, c->ops_at[c->nr_ops - 1]);
	compile_lead(c, c->parts[0].yes, FILTER_YES);
	compile_lead(c, c->parts[0].no, FILTER_NO);
	return 0;
}

/**
 * trace_filter_free - free a filter
 * @filter: the filter, which nobody asks any more; NULL is nothing to free
 *
 * Context: task.
 */
void trace_filter_free(struct event_filter *filter)
{
	if (!filter)
		return;
	for (unsigned int i = 0; i < filter->nr; i++)
		trace_filter_step_free(&filter->steps[i]);
	kfree(filter->text);
	kvfree(filter);
}

static void compile_free_rcu(struct rcu_head *head)
{
	trace_filter_free(container_of(head, struct event_filter, rcu));
}

static void compile_free_srcu(struct rcu_head *head)
{
	call_rcu(head, compile_free_rcu);
}

/**
 * trace_filter_free_later - free a filter that probes of tracepoints may be asking
 * @filter: the filter, which no probe finds any more; NULL is nothing to free
 *
 * It does what trace_filter_free() does after tracepoint_synchronize_unregister(), and does not
 * wait: first for the probes that run where RCU does not watch, under SRCU, then for RCU.
 *
 * Context: any but NMI; nothing sleeps.
 */
void trace_filter_free_later(struct event_filter *filter)
{
	if (filter)
		call_srcu(&tracepoint_srcu, &filter->rcu, compile_free_srcu);
}

/**
 * trace_filter_text - the text of a filter
 * @filter: the filter
 *
 * Context: any.
 * Return: the text as it was compiled; it lives as long as the filter.
 */
const char *trace_filter_text(const struct event_filter *filter)
{
	return filter->text;
}

/*
 * A filter that lets everything pass, for an event that @text does not fit: its
 * text tells the user so. ERR_PTR(-ENOMEM).
 */
struct event_filter *trace_filter_refused(const char *text, enum trace_filter_code code)
{
	struct event_filter *filter = kvzalloc(struct_size(filter, steps, 0), GFP_KERNEL);
	const struct trace_filter_error error = { .code = code };

	if (!filter)
		return ERR_PTR(-ENOMEM);
	filter->text = trace_filter_refusal_text(text, &error);
	if (!filter->text) {
		trace_filter_free(filter);
		return ERR_PTR(-ENOMEM);
	}
	trace_filter_range_set(filter);
	return filter;
}

/* Room for the steps and for what parsing keeps. */
static int compile_alloc(struct compiler *c, const char *text)
{
	size_t most = 1, ops = 1;

	/* At most one comparison more than there are '&' and '|'. */
	for (const char *p = text; *p; p++) {
		most += *p == '&' || *p == '|';
		ops += *p == '&' || *p == '|' || *p == '!' || *p == '(';
	}
	if (2 * most >= FILTER_YES)
		return trace_filter_fail(c->t, FILTER_ERR_TOO_MANY_PREDS, text);

	c->filter = kvzalloc(struct_size(c->filter, steps, most), GFP_KERNEL);
	c->parts = kvmalloc_array(most, sizeof(*c->parts), GFP_KERNEL);
	c->ops = kvmalloc(ops, GFP_KERNEL);
	c->ops_at = kvmalloc_array(ops, sizeof(*c->ops_at), GFP_KERNEL);
	return c->filter && c->parts && c->ops && c->ops_at ? 0 : -ENOMEM;
}

/**
 * trace_filter_compile_of - make a filter of a text
 * @fields: the names that it may use
 * @text: the text; it is copied
 * @error: what is wrong and where, for any error but -ENOMEM
 *
 * Context: task, may sleep.
 * Return: the filter, to be freed with trace_filter_free(); ERR_PTR: -ENOMEM, or
 * -EINVAL, -ENOENT, -EPERM or -ESRCH for a wrong text.
 */
struct event_filter *trace_filter_compile_of(const struct trace_filter_fields *fields,
					     const char *text, struct trace_filter_error *error)
{
	struct filter_text t = { .text = text, .fields = fields, .error = error };
	struct compiler c = { .t = &t };
	int ret = compile_alloc(&c, text);

	if (!ret)
		ret = compile_balance(&c);
	if (!ret)
		ret = compile_expression(&c);
	if (!ret) {
		c.filter->text = kstrdup(text, GFP_KERNEL);
		if (!c.filter->text)
			ret = -ENOMEM;
	}
	kvfree(c.parts);
	kvfree(c.ops);
	kvfree(c.ops_at);
	if (!ret) {
		trace_filter_range_set(c.filter);
		return c.filter;
	}
	trace_filter_free(c.filter);
	return ERR_PTR(ret);
}

/* The fields of an event, and those that all events have. */
struct compile_call {
	struct trace_filter_fields	fields;
	struct trace_event_call		*call;
};

static const struct trace_event_field *compile_find_field(const struct trace_filter_fields *fields,
							  const char *name, size_t len)
{
	const struct compile_call *of = container_of(fields, struct compile_call, fields);

	return trace_event_field_find(of->call, name, len);
}

/**
 * trace_filter_compile - make a filter for the records of an event
 * @call: the event; the caller keeps it from going as long as the filter is asked
 * @text: the text; it is copied
 * @error: what is wrong and where, for any error but -ENOMEM
 *
 * Context: task, may sleep.
 * Return: as trace_filter_compile_of().
 */
struct event_filter *trace_filter_compile(struct trace_event_call *call, const char *text,
					  struct trace_filter_error *error)
{
	struct compile_call of = {
		.fields = {
			.find		= compile_find_field,
			.functions	= trace_event_is_function(call),
		},
		.call = call,
	};

	return trace_filter_compile_of(&of.fields, text, error);
}
