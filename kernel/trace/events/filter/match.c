// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a filter over a record, in any context, NMI included, with preemption disabled. It
 * takes no lock and allocates nothing. A pointer in the record that leads nowhere does not
 * fault: its string matches nothing.
 */
#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "events/filter/program.h"
#include "events/value.h"
#include "record/scratch.h"

/* A string behind a pointer is copied before it is compared; so much of it counts. */
#define FILTER_STRING_COPY	1024

struct filter_string {
	char	text[FILTER_STRING_COPY];
};

struct filter_strings {
	unsigned int		used;		/* own CPU */
	struct filter_string	place[TRACE_CONTEXTS];
};

/* Allocated once, by trace_filter_strings_init(), and never freed. */
static struct filter_strings __percpu *filter_strings;

/* To be called before a filter that follows pointers is put into force. 0 or -ENOMEM. */
int trace_filter_strings_init(void)
{
	static DEFINE_MUTEX(filter_strings_mutex);	/* of filter_strings becoming valid */

	guard(mutex)(&filter_strings_mutex);
	if (!filter_strings)
		filter_strings = alloc_percpu(struct filter_strings);
	return filter_strings ? 0 : -ENOMEM;
}

static bool filter_match_number_matches(const struct filter_step *s, u64 val)
{
	switch (s->op) {
	case FILTER_OP_EQ:
		return val == s->number;
	case FILTER_OP_NE:
		return val != s->number;
	case FILTER_OP_AND:
		return val & s->number;
	case FILTER_OP_LT:
		return s->is_signed ? (s64)val < (s64)s->number : val < s->number;
	case FILTER_OP_LE:
		return s->is_signed ? (s64)val <= (s64)s->number : val <= s->number;
	case FILTER_OP_GT:
		return s->is_signed ? (s64)val > (s64)s->number : val > s->number;
	default:
		return s->is_signed ? (s64)val >= (s64)s->number : val >= s->number;
	}
}

static bool filter_match_string_matches(const struct filter_step *s, const char *text, size_t max)
{
	bool match = trace_glob_match(&s->glob, text, strnlen(text, max));

	return match != (s->op == FILTER_OP_NE || s->glob.negate);
}

/* Compare the string behind a pointer, in a copy, since user memory may change meanwhile. */
static bool filter_match_pointed_matches(const struct filter_step *s, const void *field)
{
	struct filter_string *place = trace_scratch_get(this_cpu_ptr(filter_strings));
	const void *p = *(const void **)field;
	bool match = false;

	/* Reading user memory may fault, and an event of the fault come here again. */
	if (!place)
		return false;
	if (trace_value_copy_string(place->text, FILTER_STRING_COPY, p, s->user) >= 0)
		match = filter_match_string_matches(s, place->text, FILTER_STRING_COPY);
	trace_scratch_put(this_cpu_ptr(filter_strings));
	return match;
}

static bool filter_match_cpu_matches(const struct filter_step *s, u64 cpu)
{
	bool in;

	/*
	 * A number that is no CPU matches no comparison with a set, != included. But a set of
	 * one CPU is that CPU, and a number that is no CPU is another number.
	 */
	if (cpu >= nr_cpu_ids)
		return s->op == FILTER_OP_NE && cpumask_weight(s->cpus) == 1;
	in = cpumask_test_cpu(cpu, s->cpus);
	if (s->op == FILTER_OP_AND)
		return in;
	/* Equal to the set that holds this CPU alone? */
	return (in && cpumask_weight(s->cpus) == 1) == (s->op == FILTER_OP_EQ);
}

static bool filter_match_cpus(const struct filter_step *s, const unsigned long *bits,
			      unsigned int len)
{
	if (len * BITS_PER_BYTE < nr_cpumask_bits)
		return false;
	if (s->op == FILTER_OP_AND)
		return bitmap_intersects(bits, cpumask_bits(s->cpus), nr_cpumask_bits);
	return bitmap_equal(bits, cpumask_bits(s->cpus), nr_cpumask_bits) ==
	       (s->op == FILTER_OP_EQ);
}

static bool filter_match_step_matches(const struct filter_step *s, const void *rec)
{
	const void *field = rec + s->offset, *data;
	unsigned long addr;
	unsigned int len;
	u64 number;

	switch (s->kind) {
	case FILTER_NUM:
		number = trace_value_number_at(field, s->size, s->is_signed);
		return filter_match_number_matches(s, number);
	case FILTER_NUM_CPU:
		return filter_match_number_matches(s, raw_smp_processor_id());
	case FILTER_VALUE:
		/* An element that the array does not have is neither equal nor different. */
		return trace_event_value_number(s->field, rec, &number) &&
		       filter_match_number_matches(s, number);
	case FILTER_FUNC:
		addr = *(const unsigned long *)field;
		return (addr >= s->func.start && addr < s->func.end) == (s->op == FILTER_OP_EQ);
	case FILTER_STR:
		return filter_match_string_matches(s, field, s->len);
	case FILTER_STR_LOC:
		data = trace_value_located(rec, field, &len);
		return filter_match_string_matches(s, data, len);
	case FILTER_STR_REL:
		data = trace_value_located(field + sizeof(u32), field, &len);
		return filter_match_string_matches(s, data, len);
	case FILTER_STR_PTR:
		return filter_match_pointed_matches(s, field);
	case FILTER_STR_COMM:
		return filter_match_string_matches(s, current->comm, TASK_COMM_LEN);
	case FILTER_CPUS:
		number = trace_value_number_at(field, s->size, s->is_signed);
		return filter_match_cpu_matches(s, number);
	case FILTER_CPUS_CPU:
		return filter_match_cpu_matches(s, raw_smp_processor_id());
	case FILTER_CPUS_LOC:
		data = trace_value_located(rec, field, &len);
		return filter_match_cpus(s, data, len);
	case FILTER_CPUS_REL:
		data = trace_value_located(field + sizeof(u32), field, &len);
		return filter_match_cpus(s, data, len);
	case FILTER_CPUS_MASK:
		return filter_match_cpus(s, field, s->len);
	}
	return false;
}

/**
 * filter_match_preds - does a record pass a filter?
 * @filter: the filter; NULL: everything passes
 * @rec: the record of the event that the filter was made for
 *
 * Context: any, NMI included, with preemption disabled, which keeps the filter.
 * Return: 1: it does; 0.
 */
int filter_match_preds(struct event_filter *filter, void *rec)
{
	unsigned int at = 0;

	if (!filter)
		return 1;
	while (at < filter->nr) {
		const struct filter_step *s = &filter->steps[at];

		at = filter_match_step_matches(s, rec) ? s->on_true : s->on_false;
	}
	return at != FILTER_NO;
}
EXPORT_SYMBOL_GPL(filter_match_preds);
