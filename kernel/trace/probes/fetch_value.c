// SPDX-License-Identifier: GPL-2.0
/*
 * Parses a value, without its type: "%REG", "$VARIABLE", "@ADDRESS", "\IMMEDIATE", a name that
 * BTF knows, "(STRUCT)VALUE->MEMBER", and "+OFFSET(...)" and "this_cpu_read(...)" around them.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/thread_info.h>

#include "events/field.h"
#include "lib/btf.h"
#include "probes/fetch_btf.h"
#include "probes/fetch_parse.h"
#include "probes/fetch_regs.h"

/* More words are on no kernel stack. */
#define STACK_WORDS_MAX		(THREAD_SIZE / sizeof(long))
/* "+0(" has three letters. */
#define LEVELS_MAX		(FETCH_TEXT_MAX / 3)
/* Casts within each other */
#define CASTS_MAX		3

/* A part of the text, which is what errors are about. */
struct fetch_part {
	const char	*text;
	const char	*end;
};

static bool fetch_value_is(const struct fetch_part *part, const char *word)
{
	size_t len = strlen(word);

	return part->end - part->text == len && !memcmp(part->text, word, len);
}

/* Does a part begin with @word? @rest is set to the text behind it. */
static bool fetch_value_begins(const struct fetch_part *part, const char *word,
			       struct fetch_part *rest)
{
	size_t len = strlen(word);

	if (part->end - part->text < len || memcmp(part->text, word, len))
		return false;
	*rest = (struct fetch_part){ part->text + len, part->end };
	return true;
}

/* A number in any base; a sign may be in front if @is_signed. */
static int fetch_value_number(const struct fetch_part *part, bool is_signed, long *number)
{
	char digits[FETCH_TEXT_MAX + 1];
	size_t len = part->end - part->text;

	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, part->text, len);
	digits[len] = '\0';
	return is_signed ? kstrtol(digits, 0, number) :
			   kstrtoul(digits, 0, (unsigned long *)number);
}

/* Log that a number is none. Users know -ERANGE for one that is too large. */
static int fetch_value_no_number(struct fetch_parser *p, const char *at,
				 enum trace_probe_error error, int why)
{
	int ret = fetch_refuse(p, at, error);

	return why == -ERANGE ? why : ret;
}

/* An index in decimal: digits and nothing else. */
static bool fetch_value_index(const struct fetch_part *part, unsigned long *index)
{
	char digits[FETCH_TEXT_MAX + 1];
	size_t len = part->end - part->text;

	if (!len || len >= sizeof(digits) || !isdigit(*part->text))
		return false;
	memcpy(digits, part->text, len);
	digits[len] = '\0';
	return !kstrtoul(digits, 10, index);
}

/* Add a step to a value. 0, or the error is logged for the place @at. */
static int fetch_value_push(struct fetch_parser *p, struct fetch_value *value, const char *at,
			    enum fetch_op op, long n)
{
	if (value->nr == FETCH_STEPS_MAX)
		return fetch_refuse(p, at, PROBE_TOO_MANY_OPS);
	value->step[value->nr++] = (struct fetch_insn){ .op = op, .n = n };
	return 0;
}

/* The value becomes what is @offset bytes behind the address that it is. */
int fetch_value_deref(struct fetch_parser *p, struct fetch_value *value, const char *at,
		      long offset, u8 flags)
{
	if (value->kind == FETCH_KIND_MEMORY) {
		int ret = fetch_value_push(p, value, at, FETCH_READ, value->offset);

		if (ret)
			return ret;
		value->step[value->nr - 1].flags = value->flags;
	} else if (value->nr == FETCH_STEPS_MAX) {
		return fetch_refuse(p, at, PROBE_TOO_MANY_OPS);
	}
	value->kind = FETCH_KIND_MEMORY;
	value->offset = offset;
	value->flags = fetch_at_user(p->ctx) ? FETCH_USER : flags;
	value->is_immediate = false;
	value->type = NULL;
	value->bits = 0;
	value->chars = FETCH_CHARS_UNKNOWN;
	return 0;
}

static int fetch_value_register(struct fetch_parser *p, const struct fetch_part *part,
				struct fetch_value *value)
{
	enum trace_fetch_at at = p->ctx->at;
	char name[FETCH_TEXT_MAX + 1];
	int place;

	if (at == TRACE_FETCH_FPROBE_ENTRY || at == TRACE_FETCH_FPROBE_RETURN ||
	    at == TRACE_FETCH_TRACEPOINT || at == TRACE_FETCH_EVENT)
		return fetch_refuse(p, part->text, PROBE_BAD_VAR);
	strscpy(name, part->text + 1,
		min_t(size_t, sizeof(name), part->end - part->text));
	place = fetch_regs_named(name);
	if (place < 0)
		return fetch_refuse(p, part->text, PROBE_BAD_REG_NAME);
	return fetch_value_push(p, value, part->text, FETCH_SOURCE, place);
}

/* "@ADDRESS", "@SYMBOL[+|-OFFSET]" or "@+OFFSET" of a file */
static int fetch_value_address(struct fetch_parser *p, const struct fetch_part *part,
			       struct fetch_value *value)
{
	struct fetch_part rest = { part->text + 1, part->end };
	const char *sign;
	long offset = 0;
	int ret;

	if (rest.text < rest.end && isdigit(*rest.text)) {
		ret = fetch_value_number(&rest, false, &offset);
		if (ret)
			return fetch_value_no_number(p, part->text, PROBE_BAD_MEM_ADDR, ret);
		ret = fetch_value_push(p, value, part->text, FETCH_VALUE, offset);
	} else if (rest.text < rest.end && *rest.text == '+') {
		if (!fetch_at_user(p->ctx))
			return fetch_refuse(p, part->text, PROBE_FILE_ON_KPROBE);
		rest.text++;
		ret = fetch_value_number(&rest, true, &offset);
		if (ret)
			return fetch_value_no_number(p, part->text, PROBE_BAD_FILE_OFFS, ret);
		ret = fetch_value_push(p, value, part->text, FETCH_BASE, offset);
	} else {
		if (fetch_at_user(p->ctx))
			return fetch_refuse(p, part->text, PROBE_SYM_ON_UPROBE);
		for (sign = rest.text; sign < rest.end; sign++) {
			if (!isalnum(*sign) && !strchr("_.$", *sign))
				break;
		}
		value->symbol = rest.text;
		value->symbol_len = sign - rest.text;
		rest.text = sign + (sign < rest.end && *sign == '+');
		if (!value->symbol_len || (sign < rest.end && !strchr("+-", *sign)))
			return fetch_refuse(p, part->text, PROBE_BAD_MEM_ADDR);
		ret = sign < rest.end ? fetch_value_number(&rest, true, &offset) : 0;
		if (ret)
			return fetch_value_no_number(p, part->text, PROBE_BAD_MEM_ADDR, ret);
		ret = fetch_value_push(p, value, part->text, FETCH_SYMBOL, offset);
	}
	return ret ?: fetch_value_deref(p, value, part->text, 0, 0);
}

/* "\NUMBER" or "\"STRING"" */
static int fetch_value_immediate(struct fetch_parser *p, const struct fetch_part *part,
				 struct fetch_value *value)
{
	struct fetch_part rest = { part->text + 1, part->end };
	size_t len = rest.end - rest.text;
	bool is_signed;
	long number;
	int ret;

	value->is_immediate = true;
	if (len && *rest.text == '"') {
		if (len < 2 || rest.end[-1] != '"')
			return fetch_refuse(p, rest.end, PROBE_IMMSTR_NO_CLOSE);
		value->string = kmemdup_nul(rest.text + 1, len - 2, GFP_KERNEL);
		if (!value->string)
			return -ENOMEM;
		value->kind = FETCH_KIND_STRING;
		value->is_final = true;
		return fetch_value_push(p, value, part->text, FETCH_TEXT, (long)value->string);
	}
	is_signed = len && (*rest.text == '-' || *rest.text == '+');
	if (len && *rest.text == '+')
		rest.text++;
	ret = fetch_value_number(&rest, is_signed, &number);
	if (ret)
		return fetch_value_no_number(p, part->text + 1, PROBE_BAD_IMM, ret);
	return fetch_value_push(p, value, part->text, FETCH_VALUE, number);
}

/* "$FIELD" of an event */
static int fetch_value_field(struct fetch_parser *p, const struct fetch_part *part,
			     const struct trace_event_field *f, struct fetch_value *value)
{
	struct fetch_insn *step = &value->step[0];

	if (fetch_value_push(p, value, part->text, FETCH_FIELD_ADDRESS, f->offset))
		return -EINVAL;
	if (trace_event_field_is_located(f)) {
		step->op = FETCH_FIELD_LOCATED;
		step->flags = f->location == TRACE_FIELD_REL_LOC ? FETCH_RELATIVE : 0;
		value->kind = trace_event_field_is_string(f) ? FETCH_KIND_STRING :
							       FETCH_KIND_MEMORY;
	} else if (f->filter_type == FILTER_STATIC_STRING) {
		step->bytes = f->size;
		value->kind = FETCH_KIND_STRING;
	} else if (!f->elem_size && (f->size == 1 || f->size == 2 || f->size == 4 ||
				     f->size == 8)) {
		step->op = FETCH_FIELD;
		step->size = f->size;
		step->flags = f->is_signed ? FETCH_SIGNED : 0;
		/* It may be the address of a string. */
		value->chars = FETCH_CHARS_POINTER;
	} else {
		step->bytes = f->size ?: sizeof(long);
		value->kind = FETCH_KIND_MEMORY;
	}
	return 0;
}

static int fetch_value_comm(struct fetch_parser *p, const struct fetch_part *part,
			    struct fetch_value *value)
{
	value->kind = FETCH_KIND_STRING;
	value->is_final = true;
	return fetch_value_push(p, value, part->text, FETCH_COMM, 0);
}

static int fetch_value_event(struct fetch_parser *p, const struct fetch_part *part,
			     const struct fetch_part *name, struct fetch_value *value)
{
	struct trace_event_call *call = p->ctx->event;
	size_t len = name->end - name->text;
	const struct trace_event_field *f;

	for_each_trace_event_field(f, call) {
		if (strlen(f->name) == len && !memcmp(f->name, name->text, len))
			return fetch_value_field(p, part, f, value);
	}
	if (fetch_value_is(name, "comm") || fetch_value_is(name, "COMM"))
		return fetch_value_comm(p, part, value);
	return fetch_refuse(p, part->text, PROBE_BAD_ATTACH_ARG);
}

/*
 * The step that makes argument @n, from 0, at the entry of a function: a word of the source, or
 * FETCH_STACK behind a step that makes the stack pointer. False: nobody knows where it is.
 */
static bool fetch_value_argument_step(const struct trace_fetch_context *ctx, unsigned int n,
				      struct fetch_insn *step)
{
	unsigned int registers = fetch_regs_arguments(ctx->partial);
	struct trace_btf_place place = { .at = n };
	int at;

	if (ctx->at == TRACE_FETCH_TRACEPOINT) {
		*step = (struct fetch_insn){ .op = FETCH_SOURCE, .n = n * sizeof(long) };
		return n < TRACE_FETCH_WORDS;
	}
	if (!fetch_btf_place(ctx, n, &place) && n >= registers) {
		place.on_stack = true;
		place.at = (n - registers) * sizeof(long);
	}
	if (place.on_stack) {
		at = fetch_regs_stack_arguments();
		*step = (struct fetch_insn){ .op = FETCH_STACK, .n = at + place.at };
	} else {
		at = fetch_regs_argument(ctx->partial, place.at);
		*step = (struct fetch_insn){ .op = FETCH_SOURCE, .n = at };
	}
	return at >= 0;
}

/**
 * fetch_value_place - where an argument of a function is at its entry
 * @ctx: where hits are
 * @n: the argument, from 0
 * @step: one step, or two, that make it
 *
 * Return: how many steps; 0: nobody knows where it is.
 */
int fetch_value_place(const struct trace_fetch_context *ctx, unsigned int n,
		      struct fetch_insn *step)
{
	if (!fetch_value_argument_step(ctx, n, step))
		return 0;
	if (step->op != FETCH_STACK)
		return 1;
	step[1] = step[0];
	step[0] = (struct fetch_insn){
		.op = FETCH_SOURCE, .n = fetch_regs_stack(ctx->partial),
	};
	return 2;
}

/* Argument @n, from 0. At a return, the entry has to store it. */
static int fetch_value_argument(struct fetch_parser *p, const struct fetch_part *part,
				unsigned long n, struct fetch_value *value)
{
	struct fetch_insn step[2];
	unsigned int i;

	value->nr = n < STACK_WORDS_MAX ? fetch_value_place(p->ctx, n, step) : 0;
	if (!value->nr)
		return fetch_refuse(p, part->text, PROBE_BAD_ARG_NUM);
	memcpy(value->step, step, value->nr * sizeof(step[0]));
	if (!fetch_at_return(p->ctx))
		return 0;
	for (i = 0; i < p->entries && p->entry[i] != n; i++)
		;
	if (i == TRACE_FETCH_ARGS_MAX)
		return fetch_refuse(p, part->text, PROBE_TOO_MANY_ARGS);
	p->entry[i] = n;
	p->entries = max(p->entries, i + 1);
	value->nr = 0;
	return fetch_value_push(p, value, part->text, FETCH_ENTRY, i);
}

static int fetch_value_result(struct fetch_parser *p, const struct fetch_part *part,
			      struct fetch_value *value)
{
	int place = fetch_regs_result(p->ctx->partial);

	if (place < 0)
		return fetch_refuse(p, part->text, PROBE_BAD_VAR);
	return fetch_value_push(p, value, part->text, FETCH_SOURCE, place);
}

/* Follow the members that BTF has found behind a value, and keep what it says of the last one. */
static int fetch_value_members(struct fetch_parser *p, const struct fetch_btf *found,
			       struct fetch_value *value)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < found->nr; i++)
		ret = fetch_value_deref(p, value, found->place, found->offset[i], 0);
	value->type = found->type;
	value->bits = found->bits;
	value->shift = found->shift;
	value->chars = found->chars;
	value->place = found->place;
	return ret;
}

/* The value that BTF has found, and what it says of its type. */
static int fetch_value_found(struct fetch_parser *p, const struct fetch_part *part,
			     const struct fetch_btf *found, struct fetch_value *value)
{
	int ret;

	if (found->argument < 0)
		ret = fetch_value_result(p, part, value);
	else
		ret = fetch_value_argument(p, part, found->argument, value);
	return ret ?: fetch_value_members(p, found, value);
}

/* The members that a cast wants, behind its value */
static int fetch_value_of_cast(struct fetch_parser *p, const struct fetch_cast *cast,
			       struct fetch_value *value)
{
	struct fetch_btf found = { .place = cast->name, .error = PROBE_NOSUP_BTFARG };

	if (!fetch_btf_cast(p->ctx, cast, &found))
		return fetch_refuse(p, found.place, found.error);
	return fetch_value_members(p, &found, value);
}

/* "$current", with @rest behind it: members of the task */
static int fetch_value_current(struct fetch_parser *p, const struct fetch_part *part,
			       const struct fetch_part *rest, struct fetch_value *value)
{
	static const char task[] = "task_struct";
	const struct fetch_cast cast = {
		.name = task, .name_end = task + strlen(task),
		.arrow = rest->text, .end = rest->end,
	};
	int ret = fetch_value_push(p, value, part->text, FETCH_CURRENT, 0);

	if (ret || rest->text == rest->end)
		return ret;
	if (*rest->text != '-')
		return fetch_refuse(p, part->text, PROBE_BAD_VAR);
	if (rest->end - rest->text < 2 || rest->text[1] != '>')
		return fetch_refuse(p, rest->text, PROBE_BAD_HYPHEN);
	return fetch_value_of_cast(p, &cast, value);
}

/* A name that BTF knows, or "$retval", with or without members behind it */
static int fetch_value_name(struct fetch_parser *p, const struct fetch_part *part,
			    struct fetch_value *value)
{
	struct fetch_btf found = { .place = part->text, .error = PROBE_NOSUP_BTFARG };

	if (!fetch_at_entry(p->ctx) && !fetch_at_return(p->ctx)) {
		/* No kernel would support it: the errno is another one. */
		fetch_refuse(p, found.place, found.error);
		return -EINVAL;
	}
	if (fetch_btf_find(p->ctx, part->text, part->end, &found))
		return fetch_value_found(p, part, &found, value);
	return fetch_refuse(p, found.place, found.error);
}

/* "$retval", with @rest behind it */
static int fetch_value_retval(struct fetch_parser *p, const struct fetch_part *part,
			      const struct fetch_part *rest, struct fetch_value *value)
{
	if (!fetch_at_return(p->ctx) && p->ctx->at != TRACE_FETCH_UPROBE_RETURN)
		return fetch_refuse(p, part->text, PROBE_RETVAL_ON_PROBE);
	if (rest->text < rest->end && *rest->text != '-' && *rest->text != '.')
		return fetch_refuse(p, part->text, PROBE_BAD_VAR);
	if (fetch_at_return(p->ctx) && fetch_btf_params(p->ctx) >= 0)
		return fetch_value_name(p, part, value);
	if (rest->text < rest->end)
		return fetch_refuse(p, rest->text, PROBE_NO_BTF_ENTRY);
	return fetch_value_result(p, part, value);
}

/* "$stack", with @rest behind it */
static int fetch_value_stack(struct fetch_parser *p, const struct fetch_part *part,
			     const struct fetch_part *rest, struct fetch_value *value)
{
	bool is_point = p->ctx->at == TRACE_FETCH_TRACEPOINT;
	int ret, place = is_point ? TRACE_FETCH_WORDS * (int)sizeof(long) :
				    fetch_regs_stack(p->ctx->partial);
	bool is_user = fetch_at_user(p->ctx);
	unsigned long n;

	if (place < 0)
		return fetch_refuse(p, part->text, PROBE_BAD_VAR);
	ret = fetch_value_push(p, value, part->text, FETCH_SOURCE, place);
	if (ret || rest->text == rest->end)
		return ret;
	if (!fetch_value_index(rest, &n))
		return fetch_refuse(p, part->text, PROBE_BAD_VAR);
	if (n > (is_user ? LONG_MAX / sizeof(long) : STACK_WORDS_MAX))
		return fetch_refuse(p, part->text, PROBE_BAD_STACK_NUM);
	ret = fetch_value_push(p, value, part->text, is_user ? FETCH_READ : FETCH_STACK,
			       n * sizeof(long));
	if (!ret && is_user)
		value->step[value->nr - 1].flags = FETCH_USER;
	return ret;
}

/* "$arg", with @rest behind it */
static int fetch_value_arg(struct fetch_parser *p, const struct fetch_part *part,
			   const struct fetch_part *rest, struct fetch_value *value)
{
	unsigned long n;

	if (fetch_value_is(rest, "*"))
		return fetch_refuse(p, part->text, PROBE_BAD_VAR_ARGS);
	if (!fetch_value_index(rest, &n))
		return fetch_refuse(p, part->text, PROBE_BAD_VAR);
	if (!n)
		return fetch_refuse(p, part->text, PROBE_BAD_ARG_NUM);
	if (!fetch_at_entry(p->ctx) && !fetch_at_return(p->ctx))
		return fetch_refuse(p, part->text, PROBE_NOFENTRY_ARGS);
	return fetch_value_argument(p, part, n - 1, value);
}

/* Is it "$current"? An event may have a field of this name. */
static bool fetch_value_is_current(const struct fetch_parser *p, const struct fetch_part *name,
				   struct fetch_part *rest)
{
	if (fetch_at_user(p->ctx) || !fetch_value_begins(name, "current", rest) ||
	    (rest->text < rest->end && *rest->text != '-'))
		return false;
	return p->ctx->at != TRACE_FETCH_EVENT ||
	       !trace_event_field_find(p->ctx->event, "current", strlen("current"));
}

static int fetch_value_variable(struct fetch_parser *p, const struct fetch_part *part,
				struct fetch_value *value)
{
	const struct fetch_part name = { part->text + 1, part->end };
	struct fetch_part rest;

	if (fetch_value_is_current(p, &name, &rest))
		return fetch_value_current(p, part, &rest, value);
	if (p->ctx->at == TRACE_FETCH_EVENT)
		return fetch_value_event(p, part, &name, value);
	if (fetch_value_begins(&name, "retval", &rest))
		return fetch_value_retval(p, part, &rest, value);
	if (fetch_value_begins(&name, "stack", &rest))
		return fetch_value_stack(p, part, &rest, value);
	if (fetch_value_begins(&name, "arg", &rest))
		return fetch_value_arg(p, part, &rest, value);
	if (fetch_value_is(&name, "comm") || fetch_value_is(&name, "COMM"))
		return fetch_value_comm(p, part, value);
	return fetch_refuse(p, part->text, PROBE_BAD_VAR);
}

/* A word, without casts and without braces around it */
static int fetch_value_word(struct fetch_parser *p, const struct fetch_part *part,
			    struct fetch_value *value)
{
	char first = part->text < part->end ? *part->text : '\0';

	if (first == '$')
		return fetch_value_variable(p, part, value);
	if (first == '%')
		return fetch_value_register(p, part, value);
	if (first == '@')
		return fetch_value_address(p, part, value);
	if (first == '\\')
		return fetch_value_immediate(p, part, value);
	if (!isalpha(first) && first != '_')
		return fetch_refuse(p, part->text, PROBE_BAD_FETCH_ARG);
	/* In a cast, a field of an event needs no "$". */
	if (p->casts && p->ctx->at == TRACE_FETCH_EVENT)
		return fetch_value_event(p, part, part, value);
	return fetch_value_name(p, part, value);
}

/* "+OFFSET(" or "-OFFSET(", with an 'u' or without; or a variable of this CPU */
struct fetch_level {
	const char	*inside;
	long		offset;
	u8		flags;
	bool		percpu;
	bool		read;
};

/* Does @part begin with "this_cpu_read(" or "this_cpu_ptr("? */
static bool fetch_value_percpu(const struct fetch_part *part, struct fetch_level *level)
{
	struct fetch_part rest = { };

	level->read = fetch_value_begins(part, "this_cpu_read(", &rest);
	level->percpu = level->read || fetch_value_begins(part, "this_cpu_ptr(", &rest);
	level->inside = rest.text;
	return level->percpu;
}

static bool fetch_value_is_level(const struct fetch_part *part, struct fetch_level *level)
{
	return part->text < part->end &&
	       (*part->text == '+' || *part->text == '-' || fetch_value_percpu(part, level));
}

/* The level that begins at @part, which moves behind its brace. */
static int fetch_value_level(struct fetch_parser *p, struct fetch_part *part,
			     struct fetch_level *level)
{
	const char *brace = memchr(part->text, '(', part->end - part->text);
	bool is_user = part->text + 1 < part->end && part->text[1] == 'u';
	struct fetch_part offset = { part->text + 1 + is_user, brace };
	int ret;

	*level = (struct fetch_level){ };
	if (fetch_value_percpu(part, level)) {
		if (fetch_at_user(p->ctx) || p->ctx->at == TRACE_FETCH_EVENT)
			return fetch_refuse(p, part->text, PROBE_NOSUP_PERCPU);
		part->text = level->inside;
		return 0;
	}
	if (!brace)
		return fetch_refuse(p, part->text, PROBE_DEREF_NEED_BRACE);
	ret = fetch_value_number(&offset, true, &level->offset);
	if (ret || (*part->text == '-' && !isdigit(*offset.text)))
		return fetch_value_no_number(p, part->text, PROBE_BAD_DEREF_OFFS, ret);
	if (*part->text == '-')
		level->offset = -level->offset;
	level->flags = is_user ? FETCH_USER : 0;
	level->inside = brace + 1;
	part->text = level->inside;
	return 0;
}

/* The brace that closes what is open at @text, or @end. */
static const char *fetch_value_closing(const char *text, const char *end)
{
	unsigned int open = 0;

	for (; text < end && (*text != ')' || open); text++) {
		open += *text == '(';
		open -= *text == ')';
	}
	return text;
}

/* @part loses the braces that close @nr levels. */
static int fetch_value_close(struct fetch_parser *p, struct fetch_part *part, unsigned int nr)
{
	const char *close = fetch_value_closing(part->text, part->end);

	for (unsigned int i = 0; i < nr; i++) {
		if (close + i == part->end || close[i] != ')')
			return fetch_refuse(p, close, PROBE_DEREF_OPEN_BRACE);
	}
	if (close + nr != part->end)
		return fetch_refuse(p, close + nr, PROBE_BAD_FETCH_ARG);
	part->end = close;
	return 0;
}

/* The value becomes where the variable is on this CPU whose address it is. */
static int fetch_value_this_cpu(struct fetch_parser *p, const struct fetch_level *level,
				struct fetch_value *value)
{
	int ret = 0;

	/* Of a symbol that is the address, and not what is there. */
	if (*level->inside == '@' && value->nr == 1)
		value->kind = FETCH_KIND_NUMBER;
	if (value->kind == FETCH_KIND_MEMORY)
		ret = fetch_value_deref(p, value, level->inside, 0, 0);
	value->kind = FETCH_KIND_NUMBER;
	value->type = NULL;
	value->bits = 0;
	value->chars = FETCH_CHARS_UNKNOWN;
	value->is_immediate = false;
	ret = ret ?: fetch_value_push(p, value, level->inside, FETCH_PERCPU, 0);
	if (ret || !level->read)
		return ret;
	return fetch_value_deref(p, value, level->inside, 0, 0);
}

/* Follow a level outwards. */
static int fetch_value_follow(struct fetch_parser *p, const struct fetch_level *level,
			      struct fetch_value *value)
{
	if (value->is_final)
		return fetch_refuse(p, level->inside, PROBE_COMM_CANT_DEREF);
	if (level->percpu)
		return fetch_value_this_cpu(p, level, value);
	return fetch_value_deref(p, value, level->inside, level->offset, level->flags);
}

static bool fetch_value_has_sign(const char *text, const char *end)
{
	return memchr(text, '+', end - text) || memchr(text, '-', end - text);
}

/* Where the arrow behind the value of a cast is, or the end of the text */
static const char *fetch_value_arrow(const struct fetch_part *part)
{
	const char *c = part->text;

	while (c < part->end && (*c != '-' || c + 1 == part->end || c[1] != '>'))
		c++;
	return c;
}

/* Split what stands behind the brace of a cast into a value and an arrow with members. */
static int fetch_value_cast_value(struct fetch_parser *p, struct fetch_part *inner,
				  struct fetch_cast *cast)
{
	bool braced = inner->text < inner->end && *inner->text == '(';
	struct fetch_level level;
	const char *open = NULL;

	if (braced || fetch_value_is_level(inner, &level)) {
		open = memchr(inner->text, '(', inner->end - inner->text);
		if (!open)
			return fetch_refuse(p, inner->text, PROBE_DEREF_NEED_BRACE);
		cast->arrow = fetch_value_closing(open + 1, inner->end);
		if (cast->arrow == inner->end)
			return fetch_refuse(p, inner->end, PROBE_DEREF_OPEN_BRACE);
		cast->arrow++;
	} else {
		cast->arrow = fetch_value_arrow(inner);
		if (inner->text < inner->end && *inner->text == '@' &&
		    fetch_value_has_sign(inner->text, cast->arrow))
			return fetch_refuse(p, inner->text, PROBE_TYPECAST_SYM_OFFSET);
	}
	if (inner->end - cast->arrow < 2 || cast->arrow[0] != '-' || cast->arrow[1] != '>')
		return fetch_refuse(p, cast->arrow, PROBE_TYPECAST_REQ_FIELD);
	inner->text += braced;
	inner->end = cast->arrow - braced;
	return 0;
}

static int fetch_value_text(struct fetch_parser *p, const struct fetch_part *text,
			    struct fetch_value *value);

/* "(STRUCT[,FIELD])VALUE->MEMBER": the value is the address of a structure, or of its field. */
static int fetch_value_cast(struct fetch_parser *p, const struct fetch_part *part,
			    struct fetch_value *value)
{
	const char *close = memchr(part->text, ')', part->end - part->text), *comma;
	struct fetch_cast cast = { .name = part->text + 1, .name_end = close, .end = part->end };
	struct fetch_part inner;
	int ret;

	if (fetch_at_user(p->ctx))
		return fetch_refuse(p, part->text, PROBE_NOSUP_BTFARG);
	if (!close)
		return fetch_refuse(p, part->end, PROBE_DEREF_OPEN_BRACE);
	if (p->casts == CASTS_MAX)
		return fetch_refuse(p, part->text, PROBE_TOO_MANY_NESTED);
	comma = memchr(part->text, ',', close - part->text);
	if (comma) {
		cast.name_end = comma;
		cast.field = comma + 1;
		cast.field_end = close;
	}
	inner = (struct fetch_part){ close + 1, part->end };
	ret = fetch_value_cast_value(p, &inner, &cast);
	if (ret)
		return ret;
	p->casts++;
	ret = fetch_value_text(p, &inner, value);
	p->casts--;
	if (!ret && value->is_final)
		return fetch_refuse(p, inner.text, PROBE_COMM_CANT_DEREF);
	return ret ?: fetch_value_of_cast(p, &cast, value);
}

/* A value with all that is around it. Each cast within calls this once more, up to CASTS_MAX. */
static int fetch_value_text(struct fetch_parser *p, const struct fetch_part *text,
			    struct fetch_value *value)
{
	struct fetch_level level[LEVELS_MAX];
	struct fetch_part part = *text;
	unsigned int nr = 0;
	int ret = 0;

	while (fetch_value_is_level(&part, &level[nr])) {
		ret = fetch_value_level(p, &part, &level[nr++]);
		if (ret)
			return ret;
	}
	if (nr)
		ret = fetch_value_close(p, &part, nr);
	if (!ret && part.text < part.end && *part.text == '(')
		ret = fetch_value_cast(p, &part, value);
	else if (!ret)
		ret = fetch_value_word(p, &part, value);
	while (!ret && nr--)
		ret = fetch_value_follow(p, &level[nr], value);
	return ret;
}

/**
 * fetch_value_parse - make steps of what is fetched
 * @p: the parser
 * @text: what is fetched
 * @end: of it
 * @value: filled; its string is to be freed whatever is returned
 *
 * Return: 0; or an errno, and the error is logged unless it is -ENOMEM.
 */
int fetch_value_parse(struct fetch_parser *p, const char *text, const char *end,
		      struct fetch_value *value)
{
	const struct fetch_part part = { text, end };

	*value = (struct fetch_value){ .kind = FETCH_KIND_NUMBER, .place = text };
	return fetch_value_text(p, &part, value);
}
