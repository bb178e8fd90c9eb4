// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions: fields, numbers and variables, with + - * / between them. * and / bind tighter, and
 * operators of the same kind are taken from the left. A minus may stand before a name or a number,
 * or before an expression in parentheses which is all that there is. An expression of
 * numbers only is computed at once.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "events/hist/load.h"
#include "events/hist/parse.h"

/* An expression that is being compiled, and the unit of the part that was compiled last. */
struct expr_build {
	struct hist_expr	expr;
	enum hist_unit		unit;
};

static int expr_compile(struct hist_parse *p, struct expr_build *b, char *word);

/* A '-' may be part of a modifier's name. */
static bool expr_is_operator(const char *word, const char *at)
{
	const size_t len = strlen(".sym");

	return !(*at == '-' && at - word >= len && !strncmp(at - len, ".sym-offset", 11));
}

/* The last operator of two letters that are operators; NULL: there is none. */
static char *expr_last(char *word, char one, char other)
{
	for (char *at = word + strlen(word); at > word; at--) {
		if ((*at == one || *at == other) && expr_is_operator(word, at))
			return at;
	}
	return NULL;
}

/* The operator that is computed last. NULL: there is none, but perhaps a minus at the start. */
static char *expr_root(char *word)
{
	return expr_last(word, '+', '-') ?: expr_last(word, '*', '/');
}

static enum hist_op expr_op(char letter)
{
	switch (letter) {
	case '+':
		return HIST_OP_ADD;
	case '-':
		return HIST_OP_SUB;
	case '*':
		return HIST_OP_MUL;
	default:
		return HIST_OP_DIV;
	}
}

/* A part of an expression without operators; @once: references take what they read. */
static int expr_atom(struct hist_parse *p, struct hist_field *f, char *word, bool once)
{
	if (trace_hist_is_ref(word))
		return trace_hist_ref(p, f, word, once);
	if (!isdigit(*word))
		return trace_hist_operand(p, f, word);
	f->source = HIST_CONST;
	f->bytes = sizeof(u64);
	f->name = word;
	if (kstrtou64(word, 0, &f->width))
		return trace_hist_parse_fail(p, HIST_ERR_NUMBER, word);
	return 0;
}

static int expr_leaf(struct hist_parse *p, struct expr_build *b, char *word)
{
	struct hist_step *step = &b->expr.step[b->expr.nr];
	int ret;

	if (WARN_ON_ONCE(b->expr.nr == ARRAY_SIZE(b->expr.step)))
		return -EINVAL;
	memset(step, 0, sizeof(*step));
	step->loads = true;
	ret = expr_atom(p, &step->load, word, true);
	if (ret)
		return ret;
	if (step->load.kind != HIST_NUMBER)
		return trace_hist_parse_fail(p, HIST_ERR_STRING, word);
	b->expr.nr++;
	b->unit = step->load.unit;
	return 0;
}

static struct hist_field *expr_const(struct expr_build *b, unsigned int back)
{
	struct hist_step *step = &b->expr.step[b->expr.nr - back];

	return b->expr.nr >= back && step->op == HIST_OP_LOAD &&
	       step->load.source == HIST_CONST ? &step->load : NULL;
}

/* Put an operator behind its operands or to its right one, or compute it. */
static void expr_add(struct expr_build *b, enum hist_op op)
{
	bool one = op == HIST_OP_NEG;
	struct hist_field *right = expr_const(b, 1), *left = one ? right : expr_const(b, 2);
	struct hist_step *last;

	if (left && right) {
		left->width = trace_hist_compute(op, left->width, right->width);
		b->expr.nr -= !one;
		return;
	}
	last = &b->expr.step[b->expr.nr - 1];
	if (!one && last->op == HIST_OP_LOAD)
		last->op = op;
	else
		b->expr.step[b->expr.nr++] = (struct hist_step){ .op = op };
}

static int expr_unary(struct hist_parse *p, struct expr_build *b, char *word)
{
	char *inner = word + 1, *end;
	int ret;

	if (*inner == '(') {
		inner++;
		end = strrchr(inner, ')');
		if (!end)
			return trace_hist_parse_fail(p, HIST_ERR_NO_FIELD, inner);
		if (end[1])
			return trace_hist_parse_fail(p, HIST_ERR_MINUS, inner);
		*end = '\0';
	}
	ret = expr_compile(p, b, inner);
	if (!ret)
		expr_add(b, HIST_OP_NEG);
	return ret;
}

static int expr_binary(struct hist_parse *p, struct expr_build *b, char *word, char *at)
{
	enum hist_op op = expr_op(*at);
	struct hist_field *right;
	enum hist_unit unit;
	int ret;

	*at = '\0';
	ret = expr_compile(p, b, word);
	unit = b->unit;
	ret = ret ?: expr_compile(p, b, at + 1);
	if (ret)
		return ret;
	if (unit && b->unit && unit != b->unit)
		return trace_hist_parse_fail(p, HIST_ERR_UNITS, NULL);
	right = expr_const(b, 1);
	if (op == HIST_OP_DIV && right && !right->width)
		return trace_hist_parse_fail(p, HIST_ERR_DIVISION, at + 1);
	b->unit = unit ?: b->unit;
	expr_add(b, op);
	return 0;
}

/* @word is cut. The depth is bounded by the number of operators. */
static int expr_compile(struct hist_parse *p, struct expr_build *b, char *word)
{
	char *at = *word == '-' && word[1] == '(' ? NULL : expr_root(word);

	if (!at && *word != '-')
		return expr_leaf(p, b, word);
	if (++p->nr_operators > HIST_OPERATORS)
		return trace_hist_parse_fail(p, HIST_ERR_MANY_SUBEXPR, word);
	return at ? expr_binary(p, b, word, at) : expr_unary(p, b, word);
}

/* An expression of numbers is shown as the result. */
static int expr_number(struct hist_parse *p, struct hist_field *f)
{
	char text[24];

	f->name = trace_hist_strndup(p->spec, text, sprintf(text, "%llu", f->width));
	return f->name ? 0 : -ENOMEM;
}

/**
 * trace_hist_expr - compile an expression, which may be a single field
 * @p: the text
 * @f: gets it
 * @word: the expression, which is cut
 *
 * A reference that is all of the expression reads a variable and leaves it; those in larger
 * expressions take what they read.
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0 or an errno.
 */
int trace_hist_expr(struct hist_parse *p, struct hist_field *f, char *word)
{
	struct expr_build *b;
	int ret;

	p->nr_operators = 0;
	if (*word != '-' && !expr_root(word))
		return expr_atom(p, f, word, false) ?:
		       (f->source == HIST_CONST ? expr_number(p, f) : 0);
	b = trace_hist_alloc(p->spec, sizeof(*b));
	f->name = trace_hist_strndup(p->spec, word, strlen(word));
	if (!b || !f->name)
		return -ENOMEM;
	ret = expr_compile(p, b, word);
	if (ret)
		return ret;
	f->source = HIST_EXPR;
	f->expr = &b->expr;
	f->unit = b->unit;
	f->computed = true;
	f->bytes = b->expr.step[0].load.bytes;
	trace_hist_load_set(f);
	if (b->expr.nr > 1 || !expr_const(b, 1))
		return 0;
	f->source = HIST_CONST;
	trace_hist_load_set(f);
	f->width = expr_const(b, 1)->width;
	return expr_number(p, f);
}

/* Give a variable its place in the cell: a number its own, others the first free bytes. */
static int expr_var_place(struct hist_parse *p, struct hist_var *var, unsigned int i)
{
	struct hist_spec *spec = p->spec;

	var->at = i * sizeof(u64);
	if (var->value.kind == HIST_NUMBER)
		return 0;
	var->at = spec->cell_size;
	spec->cell_size += ALIGN(var->value.bytes, sizeof(u64));
	if (spec->cell_size > HIST_OWN)
		return trace_hist_parse_fail(p, HIST_ERR_MANY_VARS, NULL);
	if (var->value.source != HIST_VAR)
		var->value.room = var->at;
	return 0;
}

static int expr_var(struct hist_parse *p, char *word)
{
	struct hist_spec *spec = p->spec;
	char *expr = strchr(word, '=');
	struct hist_var *var;
	int ret;

	if (!expr || expr == word)
		return trace_hist_parse_fail(p, HIST_ERR_MALFORMED, word);
	if (!expr[1])
		return trace_hist_parse_fail(p, HIST_ERR_EMPTY, word);
	*expr++ = '\0';
	if (trace_hist_own_var(spec, word))
		return trace_hist_parse_fail(p, HIST_ERR_DUPLICATE_VAR, word);
	var = trace_hist_alloc(spec, sizeof(*var));
	if (!var)
		return -ENOMEM;
	var->name = word;
	var->text = trace_hist_strndup(spec, expr, strlen(expr));
	if (!var->text)
		return -ENOMEM;
	ret = trace_hist_expr(p, &var->value, expr);
	/* These show a part of a sum. The word was cut in front of it. */
	if (!ret && (var->value.modifier == HIST_PERCENT || var->value.modifier == HIST_GRAPH))
		return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, expr + strlen(expr) + 1);
	ret = ret ?: expr_var_place(p, var, spec->nr_vars);
	if (ret)
		return ret;
	if (var->value.source == HIST_CONST) {
		ret = trace_hist_interval_var(p, word, expr);
		if (ret)
			return ret;
		var->text = var->value.name;
	}
	spec->vars[spec->nr_vars++] = var;
	return 0;
}

/* The variables of all assignments, in their order. */
int trace_hist_vars(struct hist_parse *p)
{
	unsigned int nr = 0;
	int ret = 0;

	for (unsigned int i = 0; i < p->nr_vars; i++) {
		nr++;
		for (const char *c = p->vars[i]; *c; c++)
			nr += *c == ',';
	}
	if (nr > HIST_VARS)
		return trace_hist_parse_fail(p, HIST_ERR_MANY_VARS, p->vars[0]);
	p->spec->cell_size = nr * sizeof(u64);
	for (unsigned int i = 0; i < p->nr_vars && !ret; i++) {
		char *list = p->vars[i], *word;

		while (!ret && (word = strsep(&list, ",")))
			ret = expr_var(p, word);
	}
	return ret;
}
