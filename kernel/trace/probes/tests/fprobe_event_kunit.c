// SPDX-License-Identifier: GPL-2.0
/* KUnit: fprobe events, on functions of the tests. */
#include <kunit/test.h>
#include <linux/context_tracking.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/ring_buffer.h>
#include <linux/string.h>

#include "instance/instance.h"
#include "probes/tests/found.h"
#include "probes/tests/targets.h"
#include "sites/sites.h"

#define FPROBE_DEPTH	4

/* Is the function hooked? */
static bool fprobe_event_hooked(void *func)
{
	struct dyn_ftrace *site;

	guard(ftrace_lock)();
	site = ftrace_site_of_symbol((unsigned long)func);
	return site && ftrace_site_dispatch(site);
}

/* Arguments at the entry, and at the return with those that were kept. */
static void fprobe_event_fetches(struct kunit *test)
{
	static const char back[] =
		"f:kunit/out kunit_probe_sum%return a=$arg1:s64 b=$arg2:s64 sum=$retval:s64";
	struct trace_array *tr = trace_top_instance();
	struct found *in, *out;

	KUNIT_ASSERT_EQ(test, found_run("f:kunit/in kunit_probe_sum a=$arg1:s64 b=$arg2:s64"), 0);
	KUNIT_ASSERT_EQ(test, found_run(back), 0);
	KUNIT_EXPECT_FALSE(test, fprobe_event_hooked(kunit_probe_sum));
	KUNIT_ASSERT_EQ(test, found_switch(tr, "in", true), 0);
	KUNIT_EXPECT_TRUE(test, fprobe_event_hooked(kunit_probe_sum));
	kunit_probe_sum(-30, 4);
	in = found_records(test, tr, "in");
	KUNIT_ASSERT_EQ(test, found_switch(tr, "in", false), 0);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "out", true), 0);
	kunit_probe_sum(-30, 5);
	out = found_records(test, tr, "out");
	KUNIT_ASSERT_EQ(test, found_switch(tr, "out", false), 0);
	KUNIT_EXPECT_FALSE(test, fprobe_event_hooked(kunit_probe_sum));
	kunit_probe_sum(1, 1);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/in kunit_probe_sum%return"), -ENOENT);

	KUNIT_ASSERT_EQ(test, in->nr, 1);
	KUNIT_EXPECT_EQ(test, (long)found_value(test, in, "in", "a"), -30);
	KUNIT_EXPECT_EQ(test, (long)found_value(test, in, "in", "b"), 4);
	KUNIT_ASSERT_EQ(test, out->nr, 1);
	KUNIT_EXPECT_EQ(test, (long)found_value(test, out, "out", "a"), -30);
	KUNIT_EXPECT_EQ(test, (long)found_value(test, out, "out", "b"), 5);
	KUNIT_EXPECT_EQ(test, (long)found_value(test, out, "out", "sum"), -25);
	KUNIT_EXPECT_EQ(test, found_value(test, in, "in", "__probe_ip"),
			found_value(test, out, "out", "__probe_func"));
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "out")->nr, 0);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/out kunit_probe_other"), -ENOENT);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/out kunit_probe_sum a=$arg1:s64"), 0);
}

/* A hit on the short way, and one on the long way, which two instances take. */
static void fprobe_event_both_ways(struct kunit *test, struct trace_array *other,
				   const long args[2], struct found *found[2])
{
	struct trace_array *tr = trace_top_instance();

	for (int is_long = 0; is_long < 2; is_long++) {
		KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
		if (is_long)
			KUNIT_ASSERT_EQ(test, found_switch(other, "ev", true), 0);
		kunit_probe_sum(args[0], args[1]);
		KUNIT_ASSERT_EQ(test, found_switch(other, "ev", false), 0);
		KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
		found[is_long] = found_records(test, tr, "ev");
		KUNIT_ASSERT_EQ(test, found[is_long]->nr, 1);
	}
	found_are_equal(test, found[0], found[1]);
}

/* Memory in the stack of the task, elsewhere in the kernel, and nowhere. */
static void fprobe_event_memory(struct kunit *test)
{
	static const unsigned long data[] = { 0x1122334455667788UL, 3, 5 };
	static const char * const lines[] = {
		"f:kunit/ev kunit_probe_sum v=+8(+8($arg1)):x64 b=+16($arg1):s64 a=+0($arg1)",
		"f:kunit/ev kunit_probe_sum v=+8(+8($arg1)) c=+17($arg1) u=+8($arg1):u32 p=$arg1",
		"f:kunit/ev kunit_probe_sum v=+8(+8($arg1)) n=+0($arg2) m=+8(+0($arg2)) l=+3($arg2)",
	};
	const unsigned long own[] = { (unsigned long)data, (unsigned long)&data[1], 7, 9 };
	const long from[] = { (long)data, (long)(data + 1), (long)own, 16, -4096, 1L << 62 };
	struct trace_array *other = found_instance(test);
	struct found *found[2];

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		KUNIT_ASSERT_EQ(test, found_run(lines[i]), 0);
		for (unsigned int k = 0; k < ARRAY_SIZE(from); k++) {
			fprobe_event_both_ways(test, other, (long[]){ (long)own, from[k] }, found);
			KUNIT_EXPECT_EQ(test, found_value(test, found[0], "ev", "v"), data[2]);
		}
		KUNIT_ASSERT_EQ(test, found_run("-:kunit/ev"), 0);
	}
}

/* Of calls inside of each other, as many are seen as may await their return. */
static void fprobe_event_limit(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct trace_probe *probe;

	KUNIT_ASSERT_EQ(test, found_run("f2:kunit/ev kunit_probe_deep%return $retval"), 0);
	KUNIT_EXPECT_STREQ(test, found_line(test, "ev"),
			   "f2:kunit/ev kunit_probe_deep%return arg1=$retval\n");
	probe = found_probe(test, "ev");
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_EQ(test, kunit_probe_deep(FPROBE_DEPTH - 1), FPROBE_DEPTH);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 2);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_RETURN), FPROBE_DEPTH - 2);
	/* The counts stay when the event is off, and go on when it is on again. */
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_RETURN), FPROBE_DEPTH - 2);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	kunit_probe_deep(FPROBE_DEPTH - 1);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_RETURN),
			2 * (FPROBE_DEPTH - 2));
}

/* A glob, and two probes of one event. */
static void fprobe_event_several(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_EQ(test, found_run("f:kunit/ev kunit_probe_s?m"), 0);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_ASSERT_EQ(test, found_run("f:kunit/ev kunit_probe_other"), 0);
	KUNIT_EXPECT_EQ(test, found_run("f:kunit/ev kunit_probe_other"), -EEXIST);
	KUNIT_EXPECT_EQ(test, found_run("f:kunit/ev kunit_probe_other%return"), -EEXIST);
	kunit_probe_sum(1, 2);
	kunit_probe_other(3);
	kunit_probe_nested(4);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 2);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev kunit_probe_s?m"), 0);
	KUNIT_EXPECT_STREQ(test, found_line(test, "ev"), "f:kunit/ev kunit_probe_other\n");
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev"), 0);
}

/* Made and removed again and again, while what was switched off may still hit. */
static void fprobe_event_again(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();

	for (int i = 0; i < 8; i++) {
		KUNIT_ASSERT_EQ(test, found_run("f:kunit/ev kunit_probe_sum%return $arg1"), 0);
		KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
		kunit_probe_sum(i, i);
		KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
		KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
		kunit_probe_sum(i, i);
		KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 2);
		KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
		KUNIT_ASSERT_EQ(test, found_run("-:kunit/ev"), 0);
	}
	KUNIT_EXPECT_FALSE(test, fprobe_event_hooked(kunit_probe_sum));
}

/* A probe that names its module waits for it, on and off. */
static void fprobe_event_waits(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	int ret = found_run("f:kunit/ev no_such_module:function $arg1");

	KUNIT_ASSERT_EQ(test, ret, IS_ENABLED(CONFIG_MODULES) ? 0 : -EINVAL);
	if (ret)
		return;
	KUNIT_EXPECT_STREQ(test, found_line(test, "ev"),
			   "f:kunit/ev no_such_module:function arg1=$arg1\n");
	KUNIT_EXPECT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev"), 0);
}

/* Where RCU does not watch, nothing keeps the users of an event, and a hit touches none. */
static void fprobe_event_unwatched(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct trace_probe_counts counts;
	struct trace_probe *probe;
	unsigned long flags;

	KUNIT_ASSERT_EQ(test, found_run("f:kunit/ev kunit_probe_sum"), 0);
	probe = found_probe(test, "ev");
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	local_irq_save(flags);
	ct_idle_enter();
	kunit_probe_sum(1, 2);
	ct_idle_exit();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 0);
	trace_probe_count(probe, &counts);
	KUNIT_EXPECT_EQ(test, counts.hits, 0);
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 1);
}

/* Each record of a chain with strings has its place, beside those of the probes below. */
static void fprobe_event_chain(struct kunit *test)
{
	static const char * const lines[] = {
		"f:kunit/c0 kunit_probe_sum t=$comm:string",
		"e:kunit/c1 kunit.c0 t=$comm:string",
		"e:kunit/c2 kunit.c1 t=$comm:string",
		"e:kunit/c3 kunit.c2 t=$comm:string",
		"e:kunit/c4 kunit.c3 t=$comm:string",
	};
	static const char * const names[] = { "c0", "c1", "c2", "c3", "c4" };
	struct trace_array *tr = trace_top_instance();

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++)
		KUNIT_ASSERT_EQ_MSG(test, found_run(lines[i]), 0, "%s", lines[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		KUNIT_ASSERT_EQ(test, found_switch(tr, names[i], true), 0);
	for (int i = 0; i < 10; i++)
		kunit_probe_sum(i, 1);
	KUNIT_EXPECT_EQ(test, found_missed(found_probe(test, "c4"), TRACE_PROBE_MISS_ROOM), 0);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "c4")->nr, 10);
}

static void fprobe_event_refused(struct kunit *test)
{
	static const char * const lines[] = {
		"f", "f:kunit/ev", "f: kunit_probe_sum", "f:/ev kunit_probe_sum",
		"f2:kunit/ev kunit_probe_sum", "f0:kunit/ev kunit_probe_sum%return",
		"f4097:kunit/ev kunit_probe_sum%return", "f1x:kunit/ev kunit_probe_sum%return",
		"fx:kunit/ev kunit_probe_sum", "f:kunit/ev kunit_probe_sum%entry",
		"f:kunit/ev kunit_probe_sum+4", "f:kunit/ev no_such_function", "f:kunit/ev 1",
		"f:kunit/ev !kunit_probe_sum", "f:kunit/ev :kunit_probe_sum", "f:kunit/ev module:",
		"f:kunit/ev *:kunit_probe_sum",
		"f:kunit/ev kunit_probe_sum a=%ax", "f:kunit/ev kunit_probe_sum a=$field",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++)
		KUNIT_EXPECT_EQ_MSG(test, found_run(lines[i]), -EINVAL, "%s", lines[i]);
	KUNIT_EXPECT_NULL(test, found_call("ev"));
}

static struct kunit_case fprobe_event_cases[] = {
	KUNIT_CASE(fprobe_event_fetches),
	KUNIT_CASE(fprobe_event_memory),
	KUNIT_CASE(fprobe_event_limit),
	KUNIT_CASE(fprobe_event_several),
	KUNIT_CASE(fprobe_event_again),
	KUNIT_CASE(fprobe_event_waits),
	KUNIT_CASE(fprobe_event_unwatched),
	KUNIT_CASE(fprobe_event_chain),
	KUNIT_CASE(fprobe_event_refused),
	{}
};

static int fprobe_event_init(struct kunit *test)
{
	if (!trace_top_instance())
		kunit_skip(test, "there is no tracing");
	ring_buffer_reset(trace_top_instance()->array_buffer.buffer);
	return 0;
}

static void fprobe_event_exit(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, found_clear(), -EBUSY);
}

static struct kunit_suite fprobe_event_suite = {
	.name		= "trace_fprobe_events",
	.init		= fprobe_event_init,
	.exit		= fprobe_event_exit,
	.test_cases	= fprobe_event_cases,
};

kunit_test_suite(fprobe_event_suite);
