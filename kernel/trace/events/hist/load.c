// SPDX-License-Identifier: GPL-2.0
/* A hit makes its keys, values, variables and arguments, of fields of its record mostly. */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "events/hist/load.h"
#include "events/value.h"

/* The stack from the caller of the event's probe on, with zeros behind it, @nr addresses. */
static void load_stack(struct hist_place *place, const struct trace_event_hit *hit,
		       unsigned long *to, unsigned int nr)
{
	unsigned int found = 0, first = 0;

	if (rcu_is_watching())
		found = stack_trace_save(place->frames, HIST_FRAMES, 0);
	for (unsigned int i = 0; i < found; i++) {
		if (place->frames[i] == hit->from)
			first = i + 1;
	}
	for (unsigned int i = 0; i < nr; i++)
		to[i] = i < HIST_STACK && first + i < found ? place->frames[first + i] : 0;
}

/* A field that has addresses, as many as fit, with zeros behind them. */
static void load_addresses(const struct hist_field *f, const struct trace_event_hit *hit,
			   unsigned long *to, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		u64 address = 0;

		if (i < HIST_STACK)
			trace_event_value_element(&f->field, hit->record, i, &address);
		to[i] = address;
	}
}

/* A string field, with zeros behind it. */
static void load_string(const struct hist_field *f, const struct trace_event_hit *hit, char *to,
			unsigned int size)
{
	long len = trace_event_value_string(&f->field, hit->record, to, size, false);

	len = max(len, 0L);
	memset(to + len, 0, size - len);
}

static __always_inline u64 load_compute(enum hist_op op, u64 a, u64 b)
{
	/* Most expressions tell how long something took. */
	if (likely(op == HIST_OP_SUB))
		return a - b;
	switch (op) {
	case HIST_OP_ADD:
		return a + b;
	case HIST_OP_MUL:
		return a * b;
	case HIST_OP_DIV:
		return b ? div64_u64(a, b) : U64_MAX;
	case HIST_OP_NEG:
		return -b;
	default:
		return b;
	}
}

/**
 * trace_hist_compute - what an operator makes of two numbers
 * @op: the operator
 * @a: the number on its left
 * @b: the number on its right, or the only one
 *
 * Context: any.
 * Return: the result; all bits set for a division by 0.
 */
u64 trace_hist_compute(enum hist_op op, u64 a, u64 b)
{
	return load_compute(op, a, b);
}

/**
 * trace_hist_load_set - choose how hits get a field
 * @f: the field, a number of which all else is set but where its room is, or no number
 *
 * Context: any.
 */
void trace_hist_load_set(struct hist_field *f)
{
	f->load = HIST_LOAD_ANY;
	if (f->kind != HIST_NUMBER || f->modifier == HIST_LOG2 || f->modifier == HIST_BUCKETS)
		return;
	if (f->source == HIST_VAR)
		f->load = HIST_LOAD_VAR;
	else if (f->source == HIST_EXPR)
		f->load = HIST_LOAD_EXPR;
	else if (f->source == HIST_TIME && f->modifier == HIST_USECS)
		f->load = HIST_LOAD_USECS;
	else if (f->placed && f->field.size == sizeof(u64))
		f->load = HIST_LOAD_LONG;
	else if (f->placed && f->field.size == sizeof(s32) && f->field.is_signed)
		f->load = HIST_LOAD_INT;
}

static __always_inline u64 load_simple(struct hist_place *place, const struct hist_field *f,
				       struct trace_event_hit *hit)
{
	u64 number = 0;

	switch (f->source) {
	case HIST_CPU:
		return raw_smp_processor_id();
	case HIST_TIME:
		number = trace_event_hit_time(hit);
		return f->modifier == HIST_USECS ? div_u64(number, 1000) : number;
	case HIST_FIELD:
		if (f->placed)
			return trace_value_number_at(hit->record + f->field.offset, f->field.size,
						     f->field.is_signed);
		trace_event_value_number(&f->field, hit->record, &number);
		return number;
	case HIST_CONST:
		return f->width;
	case HIST_HITS:
		return 1;
	case HIST_VAR:
		return *hist_room(place, f->room);
	default:
		return 0;
	}
}

static __always_inline u64 load_modified(u64 number, const struct hist_field *f)
{
	switch (f->modifier) {
	case HIST_LOG2:
		return number > 1 ? fls64(number - 1) : 0;
	case HIST_BUCKETS:
		return div64_u64(number, f->width) * f->width;
	default:
		return number;
	}
}

/**
 * trace_hist_load_expr - compute an expression
 * @place: the memory of the hit
 * @expr: the expression
 * @hit: the hit
 *
 * Context: any, preemption is off.
 * Return: the result.
 */
u64 trace_hist_load_expr(struct hist_place *place, const struct hist_expr *expr,
			 struct trace_event_hit *hit)
{
	/* The last result is at hand, and those before it are on the stack. */
	u64 stack[HIST_OPERATORS] __uninitialized, *top = stack, number;
	const struct hist_step *step = expr->step, *end = step + expr->nr;

	number = hist_load(place, &step->load, hit);
	while (++step < end) {
		if (step->loads) {
			if (step->op == HIST_OP_LOAD)
				*top++ = number;
			number = load_compute(step->op, number,
					      hist_load(place, &step->load, hit));
		} else if (step->op == HIST_OP_NEG) {
			number = -number;
		} else {
			top--;
			number = load_compute(step->op, *top, number);
		}
	}
	return number;
}

static u64 load_number(struct hist_place *place, const struct hist_field *f,
		       struct trace_event_hit *hit)
{
	u64 number = f->source == HIST_EXPR ? trace_hist_load_expr(place, f->expr, hit) :
					      load_simple(place, f, hit);

	return load_modified(number, f);
}

/**
 * trace_hist_load_key - make a key
 * @place: the memory of the hit
 * @f: the key
 * @hit: the hit
 *
 * Context: any, preemption is off.
 */
void trace_hist_load_key(struct hist_place *place, const struct hist_field *f,
			 struct trace_event_hit *hit)
{
	u64 *key = &place->key[f->offset / sizeof(u64)];

	if (f->kind == HIST_ADDRESSES && f->source == HIST_FIELD)
		load_addresses(f, hit, (unsigned long *)key, HIST_STACK);
	else if (f->kind == HIST_ADDRESSES)
		load_stack(place, hit, (unsigned long *)key, HIST_STACK);
	else if (f->kind == HIST_TEXT)
		load_string(f, hit, (char *)key, f->size);
	else
		*key = load_number(place, f, hit);
}

/**
 * trace_hist_load - get a field that is no key
 * @place: the memory of the hit; a string or a stack is put at @f's room
 * @f: the field
 * @hit: the hit
 *
 * Context: any, preemption is off.
 * Return: the number, or the address of the string or the stack.
 */
u64 trace_hist_load(struct hist_place *place, const struct hist_field *f,
		    struct trace_event_hit *hit)
{
	void *room;

	if (f->kind == HIST_NUMBER)
		return load_number(place, f, hit);
	room = hist_room(place, f->room);
	if (f->source != HIST_VAR) {
		if (f->kind == HIST_ADDRESSES && f->source == HIST_FIELD)
			load_addresses(f, hit, room, HIST_STACK + 1);
		else if (f->kind == HIST_ADDRESSES)
			load_stack(place, hit, room, HIST_STACK + 1);
		else
			load_string(f, hit, room, f->bytes);
	}
	return (unsigned long)room;
}
