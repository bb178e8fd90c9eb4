// SPDX-License-Identifier: GPL-2.0
/*
 * The context of records, places per CPU, the records of stacks, on a ring buffer of the
 * tests' own, and the numbers of events.
 */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>

#include "lib/one_cpu.h"
#include "record/context.h"
#include "record/internal.h"
#include "record/scratch.h"

/* context */

static void context_parts(struct kunit *test)
{
	unsigned int outside, inside, flags;

	migrate_disable();
	outside = tracing_gen_ctx();
	preempt_disable();
	local_bh_disable();
	inside = tracing_gen_ctx();
	local_bh_enable();
	preempt_enable();
	migrate_enable();

	if (IS_ENABLED(CONFIG_PREEMPT_COUNT) && !IS_ENABLED(CONFIG_PREEMPT_RT))
		KUNIT_EXPECT_EQ(test, (inside & 0xf) - (outside & 0xf), 1);
	flags = inside >> 16;
	KUNIT_EXPECT_TRUE(test, flags & TRACE_FLAG_BH_OFF);
	KUNIT_EXPECT_FALSE(test, flags & (TRACE_FLAG_SOFTIRQ | TRACE_FLAG_HARDIRQ |
					  TRACE_FLAG_NMI | TRACE_FLAG_IRQS_OFF));
	KUNIT_EXPECT_FALSE(test, outside >> 16 & TRACE_FLAG_BH_OFF);

	local_irq_disable();
	flags = tracing_gen_ctx() >> 16;
	local_irq_enable();
	if (IS_ENABLED(CONFIG_TRACE_IRQFLAGS_SUPPORT))
		KUNIT_EXPECT_TRUE(test, flags & TRACE_FLAG_IRQS_OFF);
}

/*
 * The short functions must return the same context as tracing_gen_ctx(). A tick may set
 * TIF_NEED_RESCHED between two of the calls, so all are read again if the context changed.
 */
static void expect_short_ways(struct kunit *test)
{
	struct trace_entry want = { };
	unsigned int context, less, probe;
	struct trace_entry entry = { };
	bool usual;

	do {
		context = tracing_gen_ctx();
		less = tracing_gen_ctx_dec();
		probe = trace_probe_context();
		usual = trace_task_usual(PREEMPT_DISABLE_OFFSET);
		if (usual)
			trace_entry_fill(&entry, trace_task_head(TRACE_FN));
	} while (context != tracing_gen_ctx());

	KUNIT_EXPECT_EQ(test, probe, less);
	if (!usual)
		return;
	tracing_generic_entry_update(&want, TRACE_FN, context - PREEMPT_DISABLE_OFFSET);
	KUNIT_EXPECT_MEMEQ(test, &entry, &want, sizeof(want));
}

static void context_short_ways(struct kunit *test)
{
	preempt_disable();
	expect_short_ways(test);
	local_bh_disable();
	expect_short_ways(test);
	local_bh_enable();
	local_irq_disable();
	expect_short_ways(test);
	local_irq_enable();
	migrate_disable();
	expect_short_ways(test);
	migrate_enable();
	for (int i = 0; i < 20; i++) {
		preempt_disable();
		/* At 16 the long way takes one off the 15 that a header holds. */
		if ((preempt_count() & PREEMPT_MASK) != 16 * PREEMPT_OFFSET)
			expect_short_ways(test);
	}
	for (int i = 0; i < 20; i++)
		preempt_enable();
	preempt_enable();
}

struct irq_context {
	struct irq_work	work;
	struct kunit	*test;
	bool		done;
};

static void irq_context_func(struct irq_work *work)
{
	struct irq_context *irq = container_of(work, struct irq_context, work);

	expect_short_ways(irq->test);
	if (in_hardirq())
		KUNIT_EXPECT_TRUE(irq->test, tracing_gen_ctx() >> 16 & TRACE_FLAG_HARDIRQ);
	irq->done = true;
}

static void context_in_interrupt(struct kunit *test)
{
	struct irq_context irq = { .test = test };

	init_irq_work(&irq.work, irq_context_func);
	irq_work_queue(&irq.work);
	irq_work_sync(&irq.work);
	KUNIT_EXPECT_TRUE(test, irq.done);
}

static struct kunit_case context_cases[] = {
	KUNIT_CASE(context_parts),
	KUNIT_CASE(context_short_ways),
	KUNIT_CASE(context_in_interrupt),
	{}
};

static struct kunit_suite context_suite = {
	.name		= "trace_record_context",
	.test_cases	= context_cases,
};

/* scratch */

struct kunit_place {
	u64	word;
};

struct kunit_scratch {
	unsigned int		used;
	struct kunit_place	place[3];
};

static DEFINE_PER_CPU(struct kunit_scratch, kunit_scratch);

static void scratch_places(struct kunit *test)
{
	struct kunit_place *places[3];
	struct kunit_scratch *mine;

	preempt_disable();
	mine = this_cpu_ptr(&kunit_scratch);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 3; i++) {
			places[i] = trace_scratch_get(mine);
			KUNIT_EXPECT_PTR_EQ(test, places[i], &mine->place[i]);
		}
		KUNIT_EXPECT_NULL(test, trace_scratch_get(mine));
		/* A get that fails takes nothing, so one put makes room for one get. */
		trace_scratch_put(mine);
		KUNIT_EXPECT_PTR_EQ(test, trace_scratch_get(mine), places[2]);
		for (int i = 0; i < 3; i++)
			trace_scratch_put(mine);
		KUNIT_EXPECT_EQ(test, mine->used, 0);
	}
	preempt_enable();
}

struct scratch_irq {
	struct irq_work		work;
	struct kunit_place	*place;
};

static void scratch_irq_func(struct irq_work *work)
{
	struct scratch_irq *irq = container_of(work, struct scratch_irq, work);

	irq->place = trace_scratch_get(this_cpu_ptr(&kunit_scratch));
	trace_scratch_put(this_cpu_ptr(&kunit_scratch));
}

/* An interrupt gets a place of its own; the one of the task is not touched. */
static void scratch_in_interrupt(struct kunit *test)
{
	struct kunit_place *place;
	struct scratch_irq irq = { };
	unsigned long end;

	init_irq_work(&irq.work, scratch_irq_func);
	preempt_disable();
	place = trace_scratch_get(this_cpu_ptr(&kunit_scratch));
	irq_work_queue(&irq.work);
	/* The irq_work runs at once, or with the next tick. */
	end = jiffies + HZ;
	while (irq_work_is_busy(&irq.work) && time_before(jiffies, end))
		cpu_relax();
	trace_scratch_put(this_cpu_ptr(&kunit_scratch));
	preempt_enable();
	irq_work_sync(&irq.work);
	KUNIT_ASSERT_NOT_NULL(test, place);
	KUNIT_EXPECT_PTR_EQ(test, irq.place, place + 1);
}

static struct kunit_case scratch_cases[] = {
	KUNIT_CASE(scratch_places),
	KUNIT_CASE(scratch_in_interrupt),
	{}
};

static struct kunit_suite scratch_suite = {
	.name		= "trace_record_scratch",
	.test_cases	= scratch_cases,
};

/* stacks */

static struct trace_buffer *stack_buffer;

static int stack_test_init(struct kunit *test)
{
	test_on_one_cpu(test);
	stack_buffer = ring_buffer_alloc(PAGE_SIZE, RB_FL_OVERWRITE);
	return stack_buffer ? 0 : -ENOMEM;
}

static void stack_test_exit(struct kunit *test)
{
	if (stack_buffer)
		ring_buffer_free(stack_buffer);
}

static void *record_consume(unsigned int type, unsigned int *len)
{
	struct ring_buffer_event *event;
	struct trace_entry *entry;
	int cpu;

	for_each_online_cpu(cpu) {
		event = ring_buffer_consume(stack_buffer, cpu, NULL, NULL);
		if (!event)
			continue;
		entry = ring_buffer_event_body(event);
		*len = ring_buffer_event_length(event);
		return entry->type == type ? entry : NULL;
	}
	return NULL;
}

static void stack_written(struct kunit *test)
{
	struct trace_stack_entry *entry;
	unsigned long calls[4];
	unsigned int len;

	/* UML knows no caller for certain without frame pointers. */
	if (!stack_trace_save(calls, ARRAY_SIZE(calls), 0))
		kunit_skip(test, "no callers known");
	trace_stack_write(stack_buffer, tracing_gen_ctx(), 0, NULL);
	entry = record_consume(TRACE_STACK, &len);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_GT(test, entry->size, 1);
	KUNIT_EXPECT_GE(test, len, struct_size(entry, caller, entry->size));
	/* The first caller that is shown is this function. */
	KUNIT_EXPECT_LT(test, entry->caller[0] - (unsigned long)stack_written, 4096UL);
}

/* A function between the test and what it writes, with a frame or without. */
static noinline void stack_write_within(unsigned long from)
{
	trace_stack_write_from(stack_buffer, tracing_gen_ctx(), from);
}

/* Write a stack for which the unwinder begins here, and one for which it begins where it is. */
static noinline void stack_write_at_place(unsigned long from)
{
	struct trace_stack_place place;

	trace_stack_here(&place);
	trace_stack_write_at(stack_buffer, tracing_gen_ctx(), from, &place);
	trace_stack_write_at(stack_buffer, tracing_gen_ctx(), from, NULL);
	/* This is no tail call, so the frame that the place is in stays. */
	barrier();
}

/* The next stack, a copy. */
static struct trace_stack_entry *stack_consume(struct kunit *test)
{
	struct trace_stack_entry *entry;
	unsigned int len;
	void *copy;

	entry = record_consume(TRACE_STACK, &len);
	copy = entry ? kunit_kmalloc(test, len, GFP_KERNEL) : NULL;
	return copy ? memcpy(copy, entry, len) : NULL;
}

/* A place to begin at changes nothing of what is written. */
static void stack_written_at(struct kunit *test)
{
	struct trace_stack_entry *all, *quick, *whole;
	unsigned long from;

	/* Nothing is left out. */
	stack_write_at_place(0);
	KUNIT_ASSERT_NOT_NULL(test, stack_consume(test));
	all = stack_consume(test);
	KUNIT_ASSERT_NOT_NULL(test, all);
	if (all->size < 4)
		kunit_skip(test, "no callers known");
	for (int i = 1; i < all->size; i++) {
		from = all->caller[i];
		stack_write_at_place(from);
		quick = stack_consume(test);
		whole = stack_consume(test);
		KUNIT_ASSERT_NOT_NULL(test, quick);
		KUNIT_ASSERT_NOT_NULL(test, whole);
		/* The call of this loop is another one. */
		if (whole->caller[0] != from)
			continue;
		KUNIT_ASSERT_EQ(test, quick->size, whole->size);
		KUNIT_EXPECT_MEMEQ(test, quick->caller, whole->caller,
				   whole->size * sizeof(*whole->caller));
	}
}

static void stack_written_from(struct kunit *test)
{
	struct trace_stack_entry *entry;
	unsigned int len, all;
	unsigned long from;

	stack_write_within(0);
	entry = record_consume(TRACE_STACK, &len);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	all = entry->size;
	if (all < 4)
		kunit_skip(test, "no callers known");
	/* A caller of this function goes on at the same place the next time, too. */
	from = entry->caller[3];
	stack_write_within(from);
	entry = record_consume(TRACE_STACK, &len);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->size, all - 3);
	KUNIT_EXPECT_EQ(test, entry->caller[0], from);
	KUNIT_EXPECT_GE(test, len, struct_size(entry, caller, entry->size));
	/* Nobody returns to the first byte of a function. */
	stack_write_within((unsigned long)stack_written_from);
	entry = record_consume(TRACE_STACK, &len);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->size, all);
}

static struct trace_buffer *stack_nested_in;
static bool stack_nested_as_irq;

/* The clock of a buffer: while the record of a stack is written, another one is asked for. */
static u64 clock_writes_stack(void)
{
	if (stack_nested_as_irq)
		preempt_count_add(HARDIRQ_OFFSET);
	trace_stack_write(stack_nested_in, tracing_gen_ctx(), 0, NULL);
	if (stack_nested_as_irq)
		preempt_count_sub(HARDIRQ_OFFSET);
	return 1;
}

/* Writing a stack does not write another one, but in an interrupt that comes meanwhile. */
static void stack_not_nested(struct kunit *test)
{
	stack_nested_in = ring_buffer_alloc(PAGE_SIZE, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, stack_nested_in);
	ring_buffer_set_clock(stack_buffer, clock_writes_stack);
	for (int irq = 0; irq < 2; irq++) {
		unsigned long before = ring_buffer_entries(stack_nested_in);

		stack_nested_as_irq = irq;
		trace_stack_write(stack_buffer, tracing_gen_ctx(), 0, NULL);
		KUNIT_EXPECT_EQ(test, ring_buffer_entries(stack_buffer), irq + 1UL);
		if (irq)
			KUNIT_EXPECT_GT(test, ring_buffer_entries(stack_nested_in), before);
		else
			KUNIT_EXPECT_EQ(test, ring_buffer_entries(stack_nested_in), before);
	}
	ring_buffer_free(stack_nested_in);
}

static void user_stack_written(struct kunit *test)
{
	struct trace_userstack_entry *entry;
	unsigned int len;

	trace_user_stack_write(stack_buffer, tracing_gen_ctx());
	entry = record_consume(TRACE_USER_STACK, &len);
	if (!IS_ENABLED(CONFIG_USER_STACKTRACE_SUPPORT)) {
		KUNIT_EXPECT_NULL(test, entry);
		return;
	}
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->tgid, (unsigned int)current->tgid);
	/* A thread of the kernel has no user stack. */
	for (int i = 0; i < TRACE_USER_STACK_DEPTH; i++)
		KUNIT_EXPECT_EQ(test, entry->caller[i], 0);
	KUNIT_EXPECT_NULL(test, record_consume(TRACE_USER_STACK, &len));
}

static void print_number(struct trace_iterator *iter, unsigned long ip)
{
	trace_seq_printf(&iter->seq, "%lu", ip);
}

static void print_user_numbers(struct trace_iterator *iter, unsigned int tgid,
			       const unsigned long *ips, unsigned int nr)
{
	trace_seq_printf(&iter->seq, "%u:", tgid);
	while (nr--)
		trace_seq_printf(&iter->seq, " %lu", *ips++);
}

static const struct trace_printer number_printer = {
	.ip		= print_number,
	.user_ips	= print_user_numbers,
};

static const char *text_of(struct trace_iterator *iter, const struct trace_kind *kind)
{
	trace_seq_init(&iter->seq);
	if (kind->print[TRACE_MODE_TEXT](iter, &number_printer) != TRACE_TYPE_HANDLED)
		return "not handled";
	iter->seq.buffer[trace_seq_used(&iter->seq)] = '\0';
	return iter->seq.buffer;
}

static void stack_printed(struct kunit *test)
{
	struct trace_iterator *iter = kunit_kzalloc(test, sizeof(*iter), GFP_KERNEL);
	struct trace_stack_entry *stack;

	KUNIT_ASSERT_NOT_NULL(test, iter);
	stack = kunit_kzalloc(test, struct_size(stack, caller, 3), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, stack);
	iter->ent = &stack->ent;
	iter->ent_size = struct_size(stack, caller, 3);
	stack->size = 3;
	stack->caller[0] = 11;
	stack->caller[1] = 22;
	stack->caller[2] = ULONG_MAX;
	KUNIT_EXPECT_STREQ(test, text_of(iter, &trace_stack_kind),
			   "<stack trace>\n => 11\n => 22\n");
	/* Of a size that is larger than the record, only the record is read. */
	iter->ent_size = struct_size(stack, caller, 1);
	KUNIT_EXPECT_STREQ(test, text_of(iter, &trace_stack_kind), "<stack trace>\n => 11\n");
	iter->ent_size = trace_stack_kind.size;
	KUNIT_EXPECT_STREQ(test, text_of(iter, &trace_stack_kind), "<stack trace>\n");
}

static void user_stack_printed(struct kunit *test)
{
	struct trace_iterator *iter = kunit_kzalloc(test, sizeof(*iter), GFP_KERNEL);
	struct trace_userstack_entry stack = { .tgid = 7, .caller = { 1, 2, 0, 4 } };

	KUNIT_ASSERT_NOT_NULL(test, iter);
	iter->ent = &stack.ent;
	iter->ent_size = sizeof(stack);
	KUNIT_EXPECT_STREQ(test, text_of(iter, &trace_user_stack_kind),
			   "<user stack trace>\n7: 1 2");
	for (int i = 0; i < TRACE_USER_STACK_DEPTH; i++)
		stack.caller[i] = i + 1;
	KUNIT_EXPECT_STREQ(test, text_of(iter, &trace_user_stack_kind),
			   "<user stack trace>\n7: 1 2 3 4 5 6 7 8");
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(stack_written),
	KUNIT_CASE(stack_written_from),
	KUNIT_CASE(stack_written_at),
	KUNIT_CASE(stack_not_nested),
	KUNIT_CASE(user_stack_written),
	KUNIT_CASE(stack_printed),
	KUNIT_CASE(user_stack_printed),
	{}
};

static struct kunit_suite stack_suite = {
	.name		= "trace_record_stack",
	.init		= stack_test_init,
	.exit		= stack_test_exit,
	.test_cases	= stack_cases,
};

/* numbers */

static struct trace_event_functions number_funcs;

static bool number_is_used(unsigned int type)
{
	bool used;

	trace_types_read_lock();
	used = trace_event_by_type(type);
	trace_types_read_unlock();
	return used;
}

/* The lowest free number that is not below @type, or TRACE_EVENT_TYPE_MAX + 1. */
static unsigned int number_free_from(unsigned int type)
{
	while (type <= TRACE_EVENT_TYPE_MAX && number_is_used(type))
		type++;
	return type;
}

/* A number that was freed is given out again after all other free numbers. */
static void numbers_wrap(struct kunit *test)
{
	struct trace_event held = { .funcs = &number_funcs }, event = { .funcs = &number_funcs };
	unsigned int type, next, wraps = 0, left = TRACE_EVENT_TYPE_MAX;

	type = register_trace_event(&held);
	KUNIT_ASSERT_NE(test, type, 0U);
	do {
		next = number_free_from(type + 1);
		if (next > TRACE_EVENT_TYPE_MAX) {
			next = number_free_from(TRACE_FIRST_EVENT);
			wraps++;
		}
		event.type = 0;
		type = register_trace_event(&event);
		KUNIT_EXPECT_EQ(test, type, next);
		KUNIT_EXPECT_EQ(test, event.type, type);
		unregister_trace_event(&event);
		KUNIT_EXPECT_FALSE(test, number_is_used(type));
	} while (type == next && !(wraps && type > held.type) && left--);
	KUNIT_EXPECT_EQ(test, wraps, 1U);
	KUNIT_EXPECT_TRUE(test, number_is_used(held.type));
	unregister_trace_event(&held);
}

static void numbers_run_out(struct kunit *test)
{
	const unsigned int most = TRACE_EVENT_TYPE_MAX + 1 - TRACE_FIRST_EVENT;
	struct trace_event late = { .funcs = &number_funcs };
	struct trace_event *events = kvcalloc(most, sizeof(*events), GFP_KERNEL);
	unsigned int nr = 0, type;

	KUNIT_ASSERT_NOT_NULL(test, events);
	for (; nr < most; nr++) {
		events[nr].funcs = &number_funcs;
		if (!register_trace_event(&events[nr]))
			break;
	}
	KUNIT_EXPECT_EQ(test, number_free_from(TRACE_FIRST_EVENT), TRACE_EVENT_TYPE_MAX + 1U);
	KUNIT_EXPECT_EQ(test, register_trace_event(&late), 0);
	KUNIT_EXPECT_EQ(test, late.type, 0);

	/* One number is free now. The search wraps around and finds it. */
	type = events[nr / 2].type;
	unregister_trace_event(&events[nr / 2]);
	KUNIT_EXPECT_EQ(test, register_trace_event(&late), type);
	events[nr / 2].type = 0;
	KUNIT_EXPECT_EQ(test, register_trace_event(&events[nr / 2]), 0);

	unregister_trace_event(&late);
	while (nr--)
		if (events[nr].type)
			unregister_trace_event(&events[nr]);
	kvfree(events);
}

static struct kunit_case number_cases[] = {
	KUNIT_CASE(numbers_wrap),
	KUNIT_CASE(numbers_run_out),
	{}
};

static struct kunit_suite number_suite = {
	.name		= "trace_record_numbers",
	.test_cases	= number_cases,
};

kunit_test_suites(&context_suite, &scratch_suite, &stack_suite, &number_suite);

MODULE_DESCRIPTION("KUnit tests of records");
MODULE_LICENSE("GPL");
