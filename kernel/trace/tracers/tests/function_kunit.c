// SPDX-License-Identifier: GPL-2.0
/*
 * The function tracer's callbacks: each of them records a call in its way, and exports get
 * their copies only while they are registered.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "functions/functions.h"
#include "instance/instance.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "output/output.h"
#include "record/kind.h"
#include "tracers/function.h"
#include "tracers/tests/targets.h"

/* Nobody else calls it, not even an interrupt of this task. */
#define TARGET	kunit_function_target
#define CALLS	3

static struct trace_array *tr;
static struct task_struct *caller;
static unsigned long target_ip;
static unsigned int exported;

static bool is_ours(const struct trace_function_entry *entry)
{
	return entry->ent.type == TRACE_FN && entry->ent.pid == caller->pid &&
	       entry->ip == target_ip;
}

static void export_write(struct trace_export *export, const void *data, unsigned int len)
{
	if (current == caller && is_ours(data))
		exported++;
}

static struct trace_export export = {
	.write	= export_write,
	.flags	= TRACE_EXPORT_FUNCTION,
};

/* Nothing else may be between the calls: the count has to be that of these calls. */
static noinline void call(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		TARGET();
}

/* Records of call() since the last time; @header is that of the last. */
static unsigned int records(struct trace_entry *header)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	unsigned int found = 0;
	int cpu;

	/* All functions are recorded, those that read as well. */
	ring_buffer_record_off(buffer);
	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(buffer, cpu, NULL, NULL))) {
			struct trace_function_entry *entry = ring_buffer_event_data(event);

			if (!is_ours(entry))
				continue;
			*header = entry->ent;
			found++;
		}
	}
	ring_buffer_record_on(buffer);
	return found;
}

static int set_tracer(const char *name)
{
	guard(trace_instances)();
	return trace_set_tracer(tr, name);
}

static int set_option(const char *name)
{
	char text[32];

	strscpy(text, name);
	guard(trace_instances)();
	return trace_option_parse(tr, text);
}

static void exports_follow(struct kunit *test)
{
	struct trace_entry header;

	call();
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_EQ(test, exported, 0);

	KUNIT_ASSERT_EQ(test, register_ftrace_export(&export), 0);
	call();
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_EQ(test, exported, CALLS);

	/* A tracer that starts later exports, too. */
	KUNIT_EXPECT_EQ(test, set_tracer("nop"), 0);
	KUNIT_EXPECT_EQ(test, set_tracer("function"), 0);
	call();
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_EQ(test, exported, 2 * CALLS);

	KUNIT_EXPECT_EQ(test, unregister_ftrace_export(&export), 0);
	call();
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_EQ(test, exported, 2 * CALLS);
}

struct stack_record {
	struct trace_entry	ent;
	int			size;
	unsigned long		caller[];
};

/* Each of our calls has its stack behind it, which begins with the function itself. */
static void stacks_follow(struct kunit *test)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	unsigned long parent_ip = 0;
	unsigned int found = 0;
	unsigned long flags;
	int cpu;

	KUNIT_ASSERT_EQ(test, set_option("func_stack_trace"), 0);
	/* An interrupt may have records between that of a call and its stack. */
	local_irq_save(flags);
	call();
	local_irq_restore(flags);
	ring_buffer_record_off(buffer);
	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(buffer, cpu, NULL, NULL))) {
			struct stack_record *stack = ring_buffer_event_data(event);

			if (parent_ip) {
				KUNIT_EXPECT_EQ(test, stack->ent.type, TRACE_STACK);
				KUNIT_EXPECT_GT(test, stack->size, 2);
				KUNIT_EXPECT_EQ(test, stack->caller[0],
						target_ip + MCOUNT_INSN_SIZE);
				KUNIT_EXPECT_EQ(test, stack->caller[1], parent_ip);
				found++;
			}
			parent_ip = is_ours((void *)stack) ?
				    ((struct trace_function_entry *)stack)->parent_ip : 0;
		}
	}
	ring_buffer_record_on(buffer);
	KUNIT_EXPECT_EQ(test, found, CALLS);
	KUNIT_EXPECT_EQ(test, set_option("nofunc_stack_trace"), 0);
}

/* All calls of it come from one place. */
static noinline notrace void call_from_here(void)
{
	TARGET();
	barrier();
}

/* The counts that the records of calls of the target add up to. */
struct seen {
	unsigned int	calls, repeats, left_out;
};

static void see(struct seen *seen)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_func_repeats_entry *repeats;
	struct ring_buffer_event *event;
	int cpu;

	*seen = (struct seen) { };
	ring_buffer_record_off(buffer);
	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(buffer, cpu, NULL, NULL))) {
			repeats = ring_buffer_event_data(event);
			seen->calls += is_ours((void *)repeats);
			if (repeats->ent.type != TRACE_FUNC_REPEATS || repeats->ip != target_ip)
				continue;
			seen->repeats++;
			seen->left_out += repeats->count;
		}
	}
	ring_buffer_record_on(buffer);
}

/* Call the target five times from one place and once from another, with interrupts off. */
static void see_repeats(struct seen *seen)
{
	unsigned long flags;

	see(seen);
	local_irq_save(flags);
	for (int i = 0; i < 5; i++)
		call_from_here();
	TARGET();
	local_irq_restore(flags);
	see(seen);
}

/* The option func-no-repeats drops a call that repeats the previous one, and counts it. */
static void repeats_left_out(struct kunit *test)
{
	static const char * const options[] = { "func_stack_trace", "nofunc_stack_trace" };
	unsigned long flags;
	struct seen seen;

	see_repeats(&seen);
	KUNIT_EXPECT_EQ(test, seen.calls, 6);
	KUNIT_EXPECT_EQ(test, seen.repeats, 0);
	KUNIT_ASSERT_EQ(test, set_option("func-no-repeats"), 0);
	for (int i = 0; i < ARRAY_SIZE(options); i++) {
		KUNIT_ASSERT_EQ(test, set_option(options[i]), 0);
		see_repeats(&seen);
		KUNIT_EXPECT_EQ(test, seen.calls, 2);
		KUNIT_EXPECT_EQ(test, seen.repeats, 1);
		KUNIT_EXPECT_EQ(test, seen.left_out, 4);
	}
	/* The place that calls counts as well. */
	local_irq_save(flags);
	for (int i = 0; i < 3; i++) {
		call_from_here();
		TARGET();
	}
	local_irq_restore(flags);
	see(&seen);
	KUNIT_EXPECT_EQ(test, seen.calls, 6);
	KUNIT_EXPECT_EQ(test, seen.repeats, 0);

	KUNIT_EXPECT_EQ(test, set_option("nofunc-no-repeats"), 0);
	see_repeats(&seen);
	KUNIT_EXPECT_EQ(test, seen.calls, 6);
	KUNIT_EXPECT_EQ(test, seen.repeats, 0);
}

/* Make a call with func-no-repeats whose task has come to look for its data just now. */
static void late_calls(struct kunit *test)
{
	ftrace_func_t late = (ftrace_func_t)kallsyms_lookup_name("function_once_call");
	struct ftrace_ops op = { .private = tr };
	struct seen seen;

	KUNIT_ASSERT_NOT_NULL(test, late);
	see(&seen);
	for (int i = 0; i < 2; i++)
		late(target_ip, _THIS_IP_, &op, NULL);
	see(&seen);
	KUNIT_EXPECT_EQ(test, seen.calls, 2);
	KUNIT_EXPECT_EQ(test, seen.repeats, 0);
}

/*
 * A task that is preempted in the callback before that looks for its data may go on when another
 * tracer runs. It records the call, and counts none as repeated.
 */
static void late_call_has_no_data(struct kunit *test)
{
	/* This tracer has data from here on, and they are those of the call before. */
	KUNIT_ASSERT_EQ(test, set_option("func-no-repeats"), 0);
	call_from_here();
	KUNIT_EXPECT_EQ(test, set_tracer("nop"), 0);
	late_calls(test);

	KUNIT_EXPECT_EQ(test, set_tracer("function"), 0);
	KUNIT_EXPECT_EQ(test, set_option("nofunc-no-repeats"), 0);
}

/* The short header of the plain callback is what tracing_gen_ctx() says. */
static void header_agrees(struct kunit *test)
{
	struct trace_entry header = { }, want = { };
	unsigned long flags;
	unsigned int ctx;

	ctx = tracing_gen_ctx();
	call();
	KUNIT_ASSERT_EQ(test, records(&header), CALLS);
	tracing_generic_entry_update(&want, TRACE_FN, ctx);
	/* Whether somebody else wants the CPU may change in between. */
	want.flags &= ~(TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED);
	header.flags &= ~(TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED);
	KUNIT_EXPECT_MEMEQ(test, &header, &want, sizeof(want));

	local_irq_save(flags);
	call();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_TRUE(test, header.flags & TRACE_FLAG_IRQS_OFF);

	local_bh_disable();
	call();
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_FALSE(test, header.flags & TRACE_FLAG_IRQS_OFF);
	KUNIT_EXPECT_TRUE(test, header.flags & TRACE_FLAG_BH_OFF);

	migrate_disable();
	call();
	migrate_enable();
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_EQ(test, header.preempt_count >> 4, IS_ENABLED(CONFIG_SMP));

	preempt_disable();
	call();
	preempt_enable();
	KUNIT_EXPECT_EQ(test, records(&header), CALLS);
	KUNIT_EXPECT_EQ(test, header.preempt_count & 0xf, PREEMPT_DISABLE_OFFSET);
}

/* Both kinds of records as lines, in every mode. */
struct line {
	struct trace_iterator		iter;
	union {
		struct trace_function_entry	call;
		struct trace_func_repeats_entry	repeats;
	} rec;
	char				want[256];
};

static __printf(4, 5) void expect_line(struct kunit *test, struct line *line, u32 opts,
				       const char *fmt, ...)
{
	struct trace_seq *s = &line->iter.seq;
	va_list args;

	va_start(args, fmt);
	vsnprintf(line->want, sizeof(line->want), fmt, args);
	va_end(args);
	tr->options = opts;
	trace_seq_init(s);
	KUNIT_EXPECT_EQ(test, trace_print_record(&line->iter), TRACE_TYPE_HANDLED);
	s->buffer[trace_seq_used(s)] = '\0';
	KUNIT_EXPECT_STREQ(test, s->buffer, line->want);
}

static void lines(struct kunit *test)
{
	struct line *line = kunit_kzalloc(test, sizeof(*line), GFP_KERNEL);
	unsigned long ips[2] = { (unsigned long)schedule, (unsigned long)kfree };
	u32 options = tr->options;

	KUNIT_ASSERT_NOT_NULL(test, line);
	line->iter.tr = tr;
	line->iter.array_buffer = &tr->array_buffer;
	line->iter.iter_flags = TRACE_FILE_TIME_IN_NS;
	line->iter.ts = 17284993652000ULL;
	line->iter.ent = &line->rec.call.ent;
	line->iter.ent_size = sizeof(line->rec.call);
	line->rec.call.ent.type = TRACE_FN;
	line->rec.call.ip = ips[0];
	line->rec.call.parent_ip = ips[1];
	expect_line(test, line, 0, "schedule\n");
	expect_line(test, line, TRACE_OPT_PRINT_PARENT, "schedule <-kfree\n");
	expect_line(test, line, TRACE_OPT_RAW, "%lx %lx\n", ips[0], ips[1]);
	/* Most significant digit first, whatever the order in memory. */
	expect_line(test, line, TRACE_OPT_HEX, "%016lx %016lx%c\n", ips[0], ips[1], ' ');
	tr->options = TRACE_OPT_BIN;
	trace_seq_init(&line->iter.seq);
	trace_print_record(&line->iter);
	KUNIT_EXPECT_EQ(test, trace_seq_used(&line->iter.seq), (int)sizeof(ips));
	KUNIT_EXPECT_MEMEQ(test, line->iter.seq.buffer, (char *)ips, sizeof(ips));
	line->iter.ent_size--;
	expect_line(test, line, 0, "[function of 23 bytes, not of 24]\n");

	line->iter.ent_size = sizeof(line->rec.repeats);
	line->rec.repeats.ent.type = TRACE_FUNC_REPEATS;
	line->rec.repeats.count = 7;
	line->rec.repeats.top_delta_ts = 1;
	line->rec.repeats.bottom_delta_ts = 5000000;
	/* 2^32 + 5,000,000 ns are 4.299967296 s. */
	expect_line(test, line, TRACE_OPT_PRINT_PARENT,
		    "schedule <-kfree (repeats: 7, last_ts: 17280.693685)\n");
	expect_line(test, line, TRACE_OPT_RAW, "%lu %lu 7 4299967296\n", ips[0], ips[1]);
	tr->options = options;
}

static int function_init(struct kunit *test)
{
	int ret;

	caller = current;
	exported = 0;
	target_ip = ftrace_location((unsigned long)TARGET);
	if (!target_ip)
		return -ENOENT;
	tr = trace_array_get_by_name("kunit_function", NULL);
	if (!tr)
		return -ENOMEM;
	ret = set_tracer("function");
	if (ret) {
		trace_array_put(tr);
		trace_array_destroy(tr);
		tr = NULL;
	}
	return ret;
}

static void function_exit(struct kunit *test)
{
	if (!tr)
		return;
	KUNIT_EXPECT_EQ(test, set_tracer("nop"), 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

static struct kunit_case function_cases[] = {
	KUNIT_CASE(exports_follow),
	KUNIT_CASE(stacks_follow),
	KUNIT_CASE(repeats_left_out),
	KUNIT_CASE(late_call_has_no_data),
	KUNIT_CASE(header_agrees),
	KUNIT_CASE(lines),
	{}
};

static struct kunit_suite function_suite = {
	.name		= "trace_function",
	.init		= function_init,
	.exit		= function_exit,
	.test_cases	= function_cases,
};

kunit_test_suite(function_suite);
