// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of instance/: the error log, options, clocks, text records.
 * They run on the top instance and leave it as it was.
 */
#include <kunit/test.h>
#include <linux/dcache.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/panic_notifier.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>

#include "instance/buffers.h"
#include "instance/error.h"
#include "instance/internal.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "lib/one_cpu.h"
#include "record/text.h"

/* files that are one text: made here by hand */

static void make_seq_file(struct kunit *test, struct seq_file *m)
{
	memset(m, 0, sizeof(*m));
	m->size = PAGE_SIZE;
	m->buf = kunit_kzalloc(test, m->size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->buf);
}

/* error log */

static const char * const texts[] = { "Bad aaa", "Bad bbb" };

static int error_test_init(struct kunit *test)
{
	KUNIT_ASSERT_NOT_NULL(test, trace_top_instance());
	trace_error_log_clear(trace_top_instance());
	return 0;
}

static void error_test_exit(struct kunit *test)
{
	trace_error_log_clear(trace_top_instance());
}

static void error_format(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct seq_file m;
	char *line;

	trace_error_log(tr, "here", "one two", texts, 1, 4);
	make_seq_file(test, &m);
	trace_error_log_show(&m, tr);

	KUNIT_EXPECT_EQ(test, m.buf[0], '[');
	line = strchr(m.buf, ']');
	KUNIT_ASSERT_NOT_NULL(test, line);
	/* Microseconds before the bracket. */
	KUNIT_EXPECT_EQ(test, line[-7], '.');
	KUNIT_EXPECT_STREQ(test, line,
			   "] here: error: Bad bbb\n"
			   "  Command: one two\n"
			   "               ^\n");
}

/* "hist:SYSTEM:EVENT" is told whole: names of events have up to 63 letters. */
static void error_long_place(struct kunit *test)
{
	static const char place[] =
		"hist:a_system_whose_name_is_long:an_event_whose_name_is_by_no_means_shorter";
	struct trace_array *tr = trace_top_instance();
	struct seq_file m;

	trace_error_log(tr, place, "one", texts, 0, 0);
	make_seq_file(test, &m);
	trace_error_log_show(&m, tr);
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, place));
}

static void error_eight(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct seq_file m;
	char cmd[8];
	int i;

	for (i = 1; i <= 11; i++) {
		snprintf(cmd, sizeof(cmd), "cmd-%d", i);
		trace_error_log(tr, "here", cmd, texts, 0, 0);
	}
	make_seq_file(test, &m);
	trace_error_log_show(&m, tr);
	KUNIT_EXPECT_NULL(test, strstr(m.buf, "cmd-3\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, "cmd-4\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, "cmd-11\n"));
	KUNIT_EXPECT_TRUE(test, strstr(m.buf, "cmd-4\n") < strstr(m.buf, "cmd-5\n"));

	trace_error_log_clear(tr);
	make_seq_file(test, &m);
	trace_error_log_show(&m, tr);
	KUNIT_EXPECT_EQ(test, m.count, 0);
}

static struct kunit_case error_cases[] = {
	KUNIT_CASE(error_format),
	KUNIT_CASE(error_long_place),
	KUNIT_CASE(error_eight),
	{}
};

static struct kunit_suite error_suite = {
	.name		= "trace-instance-error",
	.init		= error_test_init,
	.exit		= error_test_exit,
	.test_cases	= error_cases,
};

/* options */

static u32 options_before;

static int option_test_init(struct kunit *test)
{
	KUNIT_ASSERT_NOT_NULL(test, trace_top_instance());
	options_before = trace_top_instance()->options;
	return 0;
}

static void option_test_exit(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	int i;

	guard(trace_instances)();
	for (i = 0; i < TRACE_OPT_COUNT; i++)
		trace_option_set(tr, 1U << i, options_before & 1U << i);
	KUNIT_EXPECT_EQ(test, tr->options, options_before);
}

static int parse(const char *text)
{
	char copy[64];

	strscpy(copy, text);
	return trace_option_parse(trace_top_instance(), copy);
}

static void option_words(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	u32 before;

	guard(trace_instances)();
	KUNIT_EXPECT_EQ(test, parse("raw"), 0);
	KUNIT_EXPECT_TRUE(test, trace_option(tr, TRACE_OPT_RAW));
	KUNIT_EXPECT_EQ(test, parse(" noraw\n"), 0);
	KUNIT_EXPECT_FALSE(test, trace_option(tr, TRACE_OPT_RAW));

	before = tr->options;
	KUNIT_EXPECT_EQ(test, parse("nonoraw"), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse("ra"), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse("raw x"), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse(""), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse("no"), -EINVAL);
	/* The top instance is the last place for trace_printk(). */
	KUNIT_EXPECT_EQ(test, parse("notrace_printk_dest"), -EINVAL);
	KUNIT_EXPECT_EQ(test, tr->options, before);
}

static void option_each(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	char text[64];
	int i;

	guard(trace_instances)();
	for (i = 0; i < TRACE_OPT_COUNT; i++) {
		if (1U << i == TRACE_OPT_PRINTK_DEST)
			continue;
		snprintf(text, sizeof(text), "no%s", trace_option_names[i]);
		KUNIT_EXPECT_EQ_MSG(test, parse(text), 0, "%s", text);
		KUNIT_EXPECT_FALSE_MSG(test, trace_option(tr, 1U << i), "%s", text);
		KUNIT_EXPECT_EQ_MSG(test, parse(text + 2), 0, "%s", text);
		KUNIT_EXPECT_TRUE_MSG(test, trace_option(tr, 1U << i), "%s", text);
	}
}

static int refusals;

static int refuse_b(struct trace_array *tr, u32 bit, bool on)
{
	refusals++;
	return bit == 2 ? -EBUSY : 0;
}

/* A tracer is asked about its own options, also while it is not the current one. */
static void option_of_tracer(struct kunit *test)
{
	static const struct tracer tracer = { .name = "kunit", .set_option = refuse_b };
	struct tracer_state state = { .tracer = &tracer };
	struct trace_array *tr = trace_top_instance();
	const struct tracer *current_before;
	u32 tracer_options_before;

	guard(trace_instances)();
	refusals = 0;
	current_before = tr->current_trace;
	tracer_options_before = tr->tracer_options;
	KUNIT_EXPECT_EQ(test, trace_tracer_option_set(tr, &state, 2, true), -EBUSY);
	KUNIT_EXPECT_EQ(test, state.options, 0);
	KUNIT_EXPECT_EQ(test, trace_tracer_option_set(tr, &state, 1, true), 0);
	KUNIT_EXPECT_EQ(test, state.options, 1);
	KUNIT_EXPECT_EQ(test, tr->tracer_options, tracer_options_before);
	KUNIT_EXPECT_EQ(test, refusals, 2);
	state.options = 0;
	refusals = 0;

	tr->current_trace = &tracer;
	tr->tracer_options = 0;
	KUNIT_EXPECT_EQ(test, trace_tracer_option_set(tr, &state, 1, true), 0);
	KUNIT_EXPECT_EQ(test, tr->tracer_options, 1);
	KUNIT_EXPECT_EQ(test, trace_tracer_option_set(tr, &state, 2, true), -EBUSY);
	KUNIT_EXPECT_EQ(test, tr->tracer_options, 1);
	KUNIT_EXPECT_EQ(test, state.options, 1);
	KUNIT_EXPECT_EQ(test, refusals, 2);
	tr->current_trace = current_before;
	tr->tracer_options = tracer_options_before;
}

static struct kunit_case option_cases[] = {
	KUNIT_CASE(option_words),
	KUNIT_CASE(option_each),
	KUNIT_CASE(option_of_tracer),
	{}
};

static struct kunit_suite option_suite = {
	.name		= "trace-instance-option",
	.init		= option_test_init,
	.exit		= option_test_exit,
	.test_cases	= option_cases,
};

/* more instances */

static void array_life(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_life", NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_PTR_EQ(test, trace_array_get_by_name("kunit_life", NULL), tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -EBUSY);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -EBUSY);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -ENODEV);
	KUNIT_EXPECT_EQ(test, trace_array_get(tr), -ENODEV);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(trace_top_instance()), -EBUSY);
}

static void array_folder(struct kunit *test)
{
	guard(trace_instances)();
	KUNIT_EXPECT_FALSE(test, IS_ERR(trace_instance_create("kunit_folder", NULL)));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(trace_instance_create("kunit_folder", NULL)),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, trace_instance_remove("kunit_folder"), 0);
	KUNIT_EXPECT_EQ(test, trace_instance_remove("kunit_folder"), -ENODEV);
}

static void array_is_apart(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_apart", NULL);
	struct trace_array *top = trace_top_instance();
	const char *clock = trace_clock_name(top);
	unsigned long before;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_option_set(tr, TRACE_OPT_RAW, true), 0);
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "mono"), 0);
	KUNIT_EXPECT_FALSE(test, trace_option(top, TRACE_OPT_RAW));
	KUNIT_EXPECT_STREQ(test, trace_clock_name(top), clock);

	before = ring_buffer_entries(top->array_buffer.buffer);
	KUNIT_EXPECT_EQ(test, trace_array_init_printk(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_array_printk(tr, _THIS_IP_, "%d\n", 42), 3);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1UL);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(top->array_buffer.buffer), before);

	/* trace_printk() goes where the option says, and comes back. */
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_option_set(tr, TRACE_OPT_PRINTK_DEST, true), 0);
	KUNIT_EXPECT_FALSE(test, trace_option(top, TRACE_OPT_PRINTK_DEST));
	KUNIT_EXPECT_EQ(test, __trace_puts(_THIS_IP_, "text", 4), 4);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 2UL);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_TRUE(test, trace_option(top, TRACE_OPT_PRINTK_DEST));
}

static void array_systems(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_systems", "irq,sched vmscan, net");

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_TRUE(test, trace_array_has_system(tr, "irq"));
	KUNIT_EXPECT_TRUE(test, trace_array_has_system(tr, "sched"));
	KUNIT_EXPECT_TRUE(test, trace_array_has_system(tr, "vmscan"));
	KUNIT_EXPECT_TRUE(test, trace_array_has_system(tr, "net"));
	KUNIT_EXPECT_FALSE(test, trace_array_has_system(tr, "sch"));
	KUNIT_EXPECT_FALSE(test, trace_array_has_system(tr, ""));
	KUNIT_EXPECT_FALSE(test, trace_array_has_system(tr, "timer"));
	KUNIT_EXPECT_TRUE(test, trace_array_has_system(trace_top_instance(), "timer"));
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_switch", false), 0);
	KUNIT_EXPECT_NE(test, trace_array_set_clr_event(tr, "timer", "timer_start", false), 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

static bool array_has_option_file(struct dentry *options, const char *name)
{
	struct dentry *dentry = lookup_positive_unlocked(name, options, strlen(name));

	if (IS_ERR(dentry))
		return false;
	dput(dentry);
	return true;
}

static void array_option_files(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_options", NULL);
	struct dentry *options;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	options = lookup_positive_unlocked("options", tr->dir, strlen("options"));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, options);
	KUNIT_EXPECT_TRUE(test, array_has_option_file(options, "overwrite"));
	KUNIT_EXPECT_TRUE(test, array_has_option_file(options, "record-tgid"));
	KUNIT_EXPECT_TRUE(test, array_has_option_file(options, "function-trace"));
	KUNIT_EXPECT_TRUE(test, array_has_option_file(options, "trace_printk_dest"));
	KUNIT_EXPECT_FALSE(test, array_has_option_file(options, "trace_printk"));
	KUNIT_EXPECT_FALSE(test, array_has_option_file(options, "printk-msg-only"));
	KUNIT_EXPECT_FALSE(test, array_has_option_file(options, "record-cmd"));
	dput(options);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

/* Is a notifier called in a panic? */
static bool kept_is_notified(const struct notifier_block *wanted)
{
	const struct notifier_block *nb;

	guard(rcu)();
	for (nb = rcu_dereference(panic_notifier_list.head); nb; nb = rcu_dereference(nb->next)) {
		if (nb == wanted)
			return true;
	}
	return false;
}

/* A panic ends recording into memory that is kept, and leaves other buffers alone. */
static void array_kept(struct kunit *test)
{
	struct trace_array *tr, *top = trace_top_instance();
	const size_t size = PAGE_SIZE * (1 + 8 * nr_cpu_ids);
	struct trace_memory memory = { .size = size };
	bool top_on = ring_buffer_record_is_on(top->array_buffer.buffer);
	void *pages;

	if (!IS_ENABLED(CONFIG_HAS_IOMEM) || IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "no memory can be mapped");
	pages = alloc_pages_exact(size, GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	memory.start = virt_to_phys(pages);
	scoped_guard(trace_instances)
		tr = trace_instance_create("kunit_kept", &memory);
	if (IS_ERR(tr)) {
		KUNIT_FAIL(test, "no instance: %ld", PTR_ERR(tr));
		goto free;
	}
	KUNIT_EXPECT_TRUE(test, kept_is_notified(&tr->memory_panic));
	KUNIT_EXPECT_FALSE(test, kept_is_notified(&top->memory_panic));
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(tr->array_buffer.buffer));
	KUNIT_EXPECT_EQ(test, NOTIFY_DONE,
			tr->memory_panic.notifier_call(&tr->memory_panic, 0, NULL));
	KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_on(tr->array_buffer.buffer));
	KUNIT_EXPECT_EQ(test, top_on, ring_buffer_record_is_on(top->array_buffer.buffer));
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_instance_remove("kunit_kept"), 0);
	KUNIT_EXPECT_FALSE(test, kept_is_notified(&tr->memory_panic));
free:
	free_pages_exact(pages, size);
}

static struct kunit_case array_cases[] = {
	KUNIT_CASE(array_option_files),
	KUNIT_CASE(array_systems),
	KUNIT_CASE(array_life),
	KUNIT_CASE(array_folder),
	KUNIT_CASE(array_is_apart),
	KUNIT_CASE(array_kept),
	{}
};

static struct kunit_suite array_suite = {
	.name		= "trace-instance-array",
	.test_cases	= array_cases,
};

/* clocks, switches, records */

static void clock_choice(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct seq_file m;

	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "mono"), 0);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "mono");
	KUNIT_EXPECT_TRUE(test, trace_clock_in_ns(tr));
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "nomono"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "mono");
	make_seq_file(test, &m);
	trace_clocks_show(&m, tr);
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, "local global counter uptime perf [mono] "));
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "counter"), 0);
	KUNIT_EXPECT_FALSE(test, trace_clock_in_ns(tr));
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "local"), 0);
}

/* The entry of the next record of @type on any CPU; others are consumed. */
static struct trace_entry *consume(struct trace_array *tr, int type, unsigned int *len)
{
	struct ring_buffer_event *event;
	struct trace_entry *entry;
	int cpu;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(tr->array_buffer.buffer, cpu, NULL, NULL))) {
			entry = ring_buffer_event_body(event);
			*len = ring_buffer_event_length(event);
			if (entry->type == type)
				return entry;
		}
	}
	return NULL;
}

static bool write_record(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;

	if (!trace_record_reserve(buffer, TRACE_PRINT, sizeof(struct trace_entry),
				  tracing_gen_ctx(), &event))
		return false;
	trace_record_commit(buffer);
	return true;
}

static const struct trace_clock_entry promises[] = {
	{ trace_clock_jiffies, "uptime" },
	{ trace_clock_counter, "counter" },
	{ ktime_get_tai_fast_ns, "tai", true },
	{ ktime_get_boot_fast_ns, "boot", true },
	{ ktime_get_raw_fast_ns, "mono_raw", true },
	{ ktime_get_mono_fast_ns, "mono", true },
	{ trace_clock, "perf", true },
	{ trace_clock_global, "global", true },
	{ trace_clock_local, "local", true },
	ARCH_TRACE_CLOCKS
};

/*
 * A record is written between two readings of the clock that it is stamped by. The ring buffer
 * computes the local clock from a copy of it, and the others are slowed down and sped up while
 * they are read. Both can move a time by some nanoseconds.
 */
static void expect_stamp(struct kunit *test, const struct trace_clock_entry *promise)
{
	const u64 slack = promise->in_ns ? NSEC_PER_USEC : 0;
	struct trace_array *tr = trace_top_instance();
	u64 before, after, ts = 0;

	before = promise->func();
	KUNIT_EXPECT_TRUE(test, write_record(tr));
	after = promise->func();
	KUNIT_EXPECT_NOT_NULL(test, ring_buffer_consume(tr->array_buffer.buffer,
							raw_smp_processor_id(), &ts, NULL));
	KUNIT_EXPECT_GE_MSG(test, ts + slack, before, "%s", promise->name);
	KUNIT_EXPECT_LE_MSG(test, ts, after + slack, "%s", promise->name);
}

/* Each name means the clock that users know by it, and there are no other names. */
static void clock_promised(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	int i, names = 0;
	struct seq_file m;

	test_on_one_cpu(test);
	for (i = 0; i < ARRAY_SIZE(promises); i++) {
		const char *name = promises[i].name;

		KUNIT_EXPECT_EQ_MSG(test, trace_array_set_clock(tr, name), 0, "%s", name);
		/* Times cannot tell mono from boot before a suspend, so compare the functions. */
		KUNIT_EXPECT_PTR_EQ_MSG(test, trace_clock_in_use(tr)->func, promises[i].func,
					"%s", name);
		KUNIT_EXPECT_EQ_MSG(test, trace_clock_in_ns(tr), promises[i].in_ns, "%s", name);
		expect_stamp(test, &promises[i]);
	}
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "local"), 0);
	make_seq_file(test, &m);
	trace_clocks_show(&m, tr);
	for (i = 0; m.buf[i]; i++)
		names += m.buf[i] == ' ' || m.buf[i] == '\n';
	KUNIT_EXPECT_EQ(test, names, ARRAY_SIZE(promises));
}

/* A note is a line of text, unless the option trace_printk is off. */
static void record_note(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct trace_print_entry *entry;
	unsigned int len;

	trace_array_reset(tr);
	trace_array_note(tr, _THIS_IP_, "a note");
	entry = (void *)consume(tr, TRACE_PRINT, &len);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_STREQ(test, entry->buf, "a note\n");
	guard(trace_instances)();
	KUNIT_EXPECT_EQ(test, trace_option_set(tr, TRACE_OPT_PRINTK, false), 0);
	trace_array_note(tr, _THIS_IP_, "not written");
	KUNIT_EXPECT_EQ(test, trace_option_set(tr, TRACE_OPT_PRINTK, true), 0);
	KUNIT_EXPECT_NULL(test, consume(tr, TRACE_PRINT, &len));
}

static void record_off(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	unsigned int len;

	trace_array_reset(tr);
	tracing_off();
	KUNIT_EXPECT_FALSE(test, tracing_is_on());
	KUNIT_EXPECT_FALSE(test, write_record(tr));
	tracing_on();
	KUNIT_EXPECT_TRUE(test, tracing_is_on());

	/* A pause is not seen in tracing_on. */
	trace_array_stop(tr);
	trace_array_stop(tr);
	trace_array_start(tr);
	KUNIT_EXPECT_TRUE(test, tracing_is_on());
	KUNIT_EXPECT_FALSE(test, write_record(tr));
	trace_array_start(tr);
	KUNIT_EXPECT_TRUE(test, write_record(tr));
	KUNIT_EXPECT_NOT_NULL(test, consume(tr, TRACE_PRINT, &len));
	KUNIT_EXPECT_NULL(test, consume(tr, TRACE_PRINT, &len));
}

static struct kunit_case record_cases[] = {
	KUNIT_CASE(clock_choice),
	KUNIT_CASE(clock_promised),
	KUNIT_CASE(record_note),
	KUNIT_CASE(record_off),
	{}
};

static struct kunit_suite record_suite = {
	.name		= "trace-instance-record",
	.test_cases	= record_cases,
};

kunit_test_suites(&error_suite, &option_suite, &array_suite, &record_suite);

MODULE_DESCRIPTION("KUnit tests of trace instances");
MODULE_LICENSE("GPL");
