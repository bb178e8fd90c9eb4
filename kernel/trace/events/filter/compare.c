// SPDX-License-Identifier: GPL-2.0
/*
 * One comparison of a filter, "FIELD OPERATOR VALUE", from its text to a
 * step: which operators and values go with which field is decided here, once,
 * so that running a step has nothing left to check.
 */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/filter/program.h"

/* In the order in which they are tried: "<=" before "<", which it begins with. */
static const char * const filter_op_text[FILTER_OPS] = {
	[FILTER_OP_EQ]		= "==",
	[FILTER_OP_NE]		= "!=",
	[FILTER_OP_LE]		= "<=",
	[FILTER_OP_GE]		= ">=",
	[FILTER_OP_LT]		= "<",
	[FILTER_OP_GT]		= ">",
	[FILTER_OP_GLOB]	= "~",
	[FILTER_OP_AND]		= "&",
};

#define FILTER_STRING_OPS	(BIT(FILTER_OP_EQ) | BIT(FILTER_OP_NE) | BIT(FILTER_OP_GLOB))
#define FILTER_CPUS_OPS	(BIT(FILTER_OP_EQ) | BIT(FILTER_OP_NE) | BIT(FILTER_OP_AND))
#define FILTER_FUNC_OPS	(BIT(FILTER_OP_EQ) | BIT(FILTER_OP_NE))

/* Where a comparison stands while it is parsed. */
struct compare {
	struct filter_text		*t;
	const struct trace_event_field	*field;
	struct trace_event_field	elem;		/* the field, if it is an element */
	struct filter_step		*step;
	bool				function;	/* FIELD.function */
};

/* The caret of the error log stands one column behind @at, as users know it. */
static int compare_fail(struct compare *c, enum trace_filter_code error, const char *at)
{
	return trace_filter_fail(c->t, error, at + 1);
}

static bool compare_allows(struct compare *c, unsigned long ops)
{
	return ops & BIT(c->step->op);
}

static const char *compare_word_end(const char *p)
{
	while (isalnum(*p) || *p == '_')
		p++;
	return p;
}

/* "[INDEX]" of an array at *p, which moves behind it. */
static int compare_parse_index(struct compare *c, const char **p)
{
	const char *end = trace_event_field_index(&c->elem, c->field, *p);

	if (!end)
		return compare_fail(c, FILTER_ERR_INVALID_INDEX, *p + 1);
	c->field = &c->elem;
	*p = end;
	return 0;
}

/* "FIELD", "FIELD[INDEX]", "FIELD.ustring", "FIELD.function" or both, and the operator. */
static int compare_parse_field(struct compare *c, const char **p)
{
	const char *name = *p, *end = compare_word_end(name + (*name == '$'));
	const char *at = end;
	int ret;

	c->field = c->t->fields->find(c->t->fields, name, end - name);
	if (c->field && *at == '[') {
		ret = compare_parse_index(c, &at);
		if (ret)
			return ret;
	}
	if (str_has_prefix(at, ".ustring")) {
		c->step->user = true;
		at += strlen(".ustring");
	}
	if (str_has_prefix(at, ".function")) {
		c->function = true;
		at += strlen(".function");
	}
	at = skip_spaces(at);
	if (!c->field)
		return compare_fail(c, FILTER_ERR_FIELD_NOT_FOUND, end);
	c->step->offset = c->field->offset;

	for (int op = 0; op < FILTER_OPS; op++) {
		if (!str_has_prefix(at, filter_op_text[op]))
			continue;
		c->step->op = op;
		*p = skip_spaces(at + strlen(filter_op_text[op]));
		return 0;
	}
	return compare_fail(c, FILTER_ERR_INVALID_OP, at);
}

/* Is the value of a field that is no string in the record, at the field's offset? */
static bool compare_in_record(const struct trace_event_field *f)
{
	return f->filter_type != TRACE_FILTER_CONTEXT && !f->element;
}

static int compare_parse_quoted(struct compare *c, const char **p)
{
	static const u8 kind[] = {
		[FILTER_STATIC_STRING]	= FILTER_STR,
		[FILTER_DYN_STRING]	= FILTER_STR_LOC,
		[FILTER_RDYN_STRING]	= FILTER_STR_REL,
		[FILTER_PTR_STRING]	= FILTER_STR_PTR,
		[FILTER_COMM]		= FILTER_STR_COMM,
	};
	const char *start = *p + 1, *end = strchr(start, **p);
	struct trace_glob *glob = &c->step->glob;
	char *text;

	if (!compare_allows(c, FILTER_STRING_OPS))
		return compare_fail(c, FILTER_ERR_ILLEGAL_FIELD_OP, *p);
	if (trace_event_field_is_string(c->field))
		c->step->kind = kind[c->field->filter_type];
	else if (c->step->user && c->field->size == sizeof(void *) && compare_in_record(c->field))
		c->step->kind = FILTER_STR_PTR;
	else
		return compare_fail(c, FILTER_ERR_EXPECT_DIGIT, *p);
	if (!end)
		return trace_filter_fail(c->t, FILTER_ERR_MISSING_QUOTE, *p);
	if (end - start >= MAX_FILTER_STR_VAL)
		return compare_fail(c, FILTER_ERR_OPERAND_TOO_LONG, *p);
	if (c->step->kind == FILTER_STR_PTR && trace_filter_strings_init())
		return -ENOMEM;

	text = kmemdup_nul(start, end - start, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	/* The text that is the rest of a record print ends with a NUL. */
	c->step->len = c->field->size ?: U16_MAX;
	glob->text = text;
	glob->len = end - start;
	glob->type = TRACE_GLOB_EXACT;
	if (c->step->op == FILTER_OP_GLOB) {
		/* It may point behind a leading '!'; keep what is to be freed. */
		trace_glob_parse(glob, text);
		if (glob->text != text) {
			size_t shift = glob->text - text;

			memmove(text, glob->text, strlen(glob->text) + 1);
			glob->text -= shift;
		}
	}
	*p = end + 1;
	return 0;
}

/* Where is the value of a field that is compared with a set of CPUs? False: it cannot be. */
static bool compare_place_cpus(struct compare *c)
{
	const struct trace_event_field *f = c->field;

	if (f->filter_type == FILTER_CPU) {
		c->step->kind = FILTER_CPUS_CPU;
	} else if (!compare_in_record(f)) {
		return false;
	} else if (trace_event_field_is_number(f)) {
		c->step->kind = FILTER_CPUS;
	} else if (f->filter_type != FILTER_CPUMASK) {
		return false;
	} else if (!trace_event_field_is_located(f)) {
		c->step->kind = FILTER_CPUS_MASK;
		c->step->len = f->size;
	} else {
		c->step->kind = f->location == TRACE_FIELD_REL_LOC ?
				FILTER_CPUS_REL : FILTER_CPUS_LOC;
	}
	return true;
}

static int compare_parse_cpus(struct compare *c, const char **p)
{
	const char *start = *p + strlen("CPUS"), *end;
	char *text;
	int ret;

	if (!compare_place_cpus(c) || !compare_allows(c, FILTER_CPUS_OPS))
		return compare_fail(c, FILTER_ERR_ILLEGAL_FIELD_OP, *p);
	if (*start++ != '{')
		return compare_fail(c, FILTER_ERR_MISSING_BRACE_OPEN, start);
	end = strchr(start, '}');
	if (!end)
		return compare_fail(c, FILTER_ERR_MISSING_BRACE_CLOSE, start + strlen(start));

	text = kmemdup_nul(start, end - start, GFP_KERNEL);
	c->step->cpus = kzalloc(cpumask_size(), GFP_KERNEL);
	if (!text || !c->step->cpus) {
		kfree(text);
		kfree(c->step->cpus);
		return -ENOMEM;
	}
	ret = cpulist_parse(text, c->step->cpus);
	kfree(text);
	if (ret || cpumask_empty(c->step->cpus)) {
		kfree(c->step->cpus);
		return compare_fail(c, FILTER_ERR_INVALID_CPULIST, end);
	}
	*p = end + 1;
	return 0;
}

/* The longest number, with its NUL. */
#define COMPARE_NUMBER_MAX	24

static const char *compare_number_end(const char *p)
{
	p += *p == '-';
	while (isalnum(*p))
		p++;
	return p;
}

/* An address, which may be within a function. */
static int compare_parse_address(struct compare *c, const char *p, const char **end,
				 unsigned long *addr)
{
	char text[COMPARE_NUMBER_MAX];

	*end = compare_number_end(p);
	if (*end - p >= sizeof(text))
		return compare_fail(c, FILTER_ERR_OPERAND_TOO_LONG, *end);
	strscpy(text, p, *end - p + 1);
	if (kstrtoul(text, 0, addr))
		return compare_fail(c, FILTER_ERR_INVALID_VALUE, *end);
	return 0;
}

/* "FUNCTION" or "MODULE:FUNCTION". *addr is 0 if there is none of that name. */
static int compare_parse_symbol(const char *p, const char **end, unsigned long *addr)
{
	char *name;

	*end = p;
	while (isalnum(**end) || **end == '_' || **end == '.' || **end == ':')
		++*end;
	name = kmemdup_nul(p, *end - p, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	*addr = kallsyms_lookup_name(name);
	kfree(name);
	return 0;
}

/* A name or an address in it stands for the whole function. */
static int compare_parse_function(struct compare *c, const char **p)
{
	unsigned long addr, size, offset;
	const char *end;
	int ret;

	if (c->field->size != sizeof(long) || c->field->filter_type != FILTER_OTHER ||
	    !compare_in_record(c->field))
		return compare_fail(c, FILTER_ERR_ILLEGAL_FIELD_OP, *p);
	if (!compare_allows(c, FILTER_FUNC_OPS))
		return compare_fail(c, FILTER_ERR_INVALID_OP, *p);
	ret = isdigit(**p) ? compare_parse_address(c, *p, &end, &addr) :
			     compare_parse_symbol(*p, &end, &addr);
	if (ret)
		return ret;
	if (!addr || !kallsyms_lookup_size_offset(addr, &size, &offset))
		return compare_fail(c, FILTER_ERR_NO_FUNCTION, end);
	c->step->kind = FILTER_FUNC;
	c->step->func.start = addr - offset;
	c->step->func.end = addr - offset + size;
	*p = end;
	return 0;
}

/*
 * Of calls of functions, "ip" is compared with names of functions. They need no quotes, since a
 * word of the expression ends them.
 */
static int compare_parse_names(struct compare *c, const char **p)
{
	bool quoted = **p == '"' || **p == '\'';
	const char *start = *p + quoted, *end;
	char *text;

	if (strcmp(c->field->name, "ip") || !compare_allows(c, FILTER_FUNC_OPS))
		return compare_fail(c, FILTER_ERR_ILLEGAL_FIELD_OP, *p);
	end = quoted ? strchr(start, **p) : start + strcspn(start, ")&|");
	if (!end)
		return trace_filter_fail(c->t, FILTER_ERR_MISSING_QUOTE, *p);
	if (end - start >= MAX_FILTER_STR_VAL)
		return compare_fail(c, FILTER_ERR_OPERAND_TOO_LONG, *p);
	text = kmemdup_nul(start, end - start, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	c->step->kind = FILTER_NAMES;
	c->step->glob.text = text;
	*p = end + quoted;
	return 0;
}

/*
 * A number that has the sign bit of a signed field, and no bit above it, is a negative value
 * of the field: 0xfffffff4 is -12 for an int.
 */
static u64 compare_number_of(const struct trace_event_field *f, u64 num)
{
	unsigned int bits = f->size * BITS_PER_BYTE;

	if (!f->is_signed || bits >= BITS_PER_LONG_LONG || num >> bits)
		return num;
	return sign_extend64(num, bits - 1);
}

/* Where is the number that is compared? 0 or -ENOMEM. */
static int compare_place_number(struct compare *c)
{
	if (compare_in_record(c->field)) {
		c->step->kind = c->field->filter_type == FILTER_CPU ? FILTER_NUM_CPU : FILTER_NUM;
		return 0;
	}
	c->step->field = kmemdup(c->field, sizeof(*c->field), GFP_KERNEL);
	c->step->kind = FILTER_VALUE;
	return c->step->field ? 0 : -ENOMEM;
}

static int compare_parse_number(struct compare *c, const char **p)
{
	const char *end = compare_number_end(*p);
	char text[COMPARE_NUMBER_MAX];
	long long num;
	int ret;

	if (trace_event_field_is_string(c->field))
		return compare_fail(c, FILTER_ERR_EXPECT_STRING, *p);
	if (!trace_event_field_is_number(c->field) || c->step->op == FILTER_OP_GLOB)
		return compare_fail(c, FILTER_ERR_ILLEGAL_FIELD_OP, *p);
	if (end - *p >= sizeof(text))
		return compare_fail(c, FILTER_ERR_OPERAND_TOO_LONG, end);
	strscpy(text, *p, end - *p + 1);
	if (c->field->is_signed)
		ret = kstrtoll(text, 0, &num);
	else
		ret = kstrtoull(text, 0, (unsigned long long *)&num);
	if (ret)
		return compare_fail(c, FILTER_ERR_ILLEGAL_INTVAL, *p);
	c->step->number = compare_number_of(c->field, num);
	*p = end;
	return compare_place_number(c);
}

/*
 * Parse the comparison at *p, which moves behind it. -ENOMEM or an error of
 * trace_filter_fail(); nothing is left to free then.
 */
int trace_filter_step_parse(struct filter_text *t, const char **p, struct filter_step *step)
{
	struct compare c = { .t = t, .step = step };
	int ret = compare_parse_field(&c, p);

	if (ret)
		return ret;
	step->size = c.field->size;
	step->is_signed = c.field->is_signed;
	if (c.function)
		return compare_parse_function(&c, p);
	if (t->fields->functions)
		return compare_parse_names(&c, p);
	if (**p == '"' || **p == '\'')
		return compare_parse_quoted(&c, p);
	if (str_has_prefix(*p, "CPUS"))
		return compare_parse_cpus(&c, p);
	if (isdigit(**p) || **p == '-')
		return compare_parse_number(&c, p);
	return compare_fail(&c, FILTER_ERR_INVALID_VALUE, *p);
}

/*
 * The numbers for which a comparison is true: *first to *last, where 0 comes behind U64_MAX. False:
 * there are none, or all of them, or the comparison is of another kind.
 */
static bool compare_range(const struct filter_step *step, u64 *first, u64 *last)
{
	u64 least = step->is_signed ? S64_MIN : 0, most = least - 1;

	*first = least;
	*last = most;
	switch (step->op) {
	case FILTER_OP_EQ:
		*first = step->number;
		*last = step->number;
		return true;
	case FILTER_OP_NE:
		*first = step->number + 1;
		*last = step->number - 1;
		return true;
	case FILTER_OP_LT:
		*last = step->number - 1;
		return step->number != least;
	case FILTER_OP_LE:
		*last = step->number;
		return step->number != most;
	case FILTER_OP_GT:
		*first = step->number + 1;
		return step->number != most;
	case FILTER_OP_GE:
		*first = step->number;
		return step->number != least;
	default:
		return false;
	}
}

/* See whether a filter is but one comparison of a number that a draft has, see draft.h. */
void trace_filter_range_set(struct event_filter *filter)
{
	const struct filter_step *step = filter->steps;
	struct trace_filter_range *range = &filter->range;
	u64 first, last;

	range->span = U64_MAX;
	if (filter->nr != 1 || step->kind != FILTER_NUM || step->offset < TRACE_DRAFT_WITHOUT ||
	    !compare_range(step, &first, &last))
		return;
	trace_value_place_set(&range->place, step->offset, step->size, step->is_signed);
	/* Where the comparison was negated, the other numbers pass. */
	if (step->on_true == FILTER_NO) {
		swap(first, last);
		first++;
		last--;
	}
	range->low = first + range->place.sign;
	range->span = last - first;
}

void trace_filter_step_free(struct filter_step *step)
{
	switch (step->kind) {
	case FILTER_STR:
	case FILTER_STR_LOC:
	case FILTER_STR_REL:
	case FILTER_STR_PTR:
	case FILTER_STR_COMM:
	case FILTER_NAMES:
		kfree(step->glob.text);
		break;
	case FILTER_VALUE:
		kfree(step->field);
		break;
	case FILTER_CPUS:
	case FILTER_CPUS_CPU:
	case FILTER_CPUS_LOC:
	case FILTER_CPUS_REL:
	case FILTER_CPUS_MASK:
		kfree(step->cpus);
		break;
	}
}
