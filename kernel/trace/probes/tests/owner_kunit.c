// SPDX-License-Identifier: GPL-2.0
/* KUnit: dynamic events that go with their owner, on, used by others, or neither. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/ring_buffer.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/trace.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "instance/instance.h"
#include "lib/long_hit.h"
#include "probes/tests/found.h"
#include "probes/tests/targets.h"
#include "sites/sites.h"

static const char owner_one[] = "one", owner_two[] = "two";

/* Make an event that an owner has. */
static void owner_run(struct kunit *test, const void *owner, const char *line)
{
	u64 before = trace_dyn_events_number();

	KUNIT_ASSERT_EQ_MSG(test, found_run(line), 0, "%s", line);
	trace_dyn_events_own(before, owner);
}

static bool owner_hooked(void *func)
{
	struct dyn_ftrace *site;

	guard(ftrace_lock)();
	site = ftrace_site_of_symbol((unsigned long)func);
	return site && ftrace_site_dispatch(site);
}

/* Another task removes what users have left, when it comes to run. */
static void owner_wait(const char *event)
{
	for (int i = 0; found_call(event) && i < 12000; i++)
		fsleep(10000);
}

/* The events of an owner go with it, and no others. */
static void owner_ends(struct kunit *test)
{
	owner_run(test, owner_one, "f:kunit/a kunit_probe_sum");
	owner_run(test, owner_two, "f:kunit/b kunit_probe_sum");
	KUNIT_ASSERT_EQ(test, found_run("f:kunit/c kunit_probe_sum"), 0);
	owner_run(test, owner_one, "f:kunit/d kunit_probe_sum");
	trace_dyn_owner_end(owner_one);
	KUNIT_EXPECT_NULL(test, found_call("a"));
	KUNIT_EXPECT_NULL(test, found_call("d"));
	KUNIT_EXPECT_NOT_NULL(test, found_call("b"));
	KUNIT_EXPECT_NOT_NULL(test, found_call("c"));
	trace_dyn_owner_end(owner_two);
	KUNIT_EXPECT_NULL(test, found_call("b"));
	KUNIT_EXPECT_NOT_NULL(test, found_call("c"));
	/* An owner may have nothing. */
	trace_dyn_owner_end(owner_two);
}

/* Events that are on in two instances. */
static void owner_ends_while_on(struct kunit *test)
{
	struct trace_array *tr = found_instance(test);

	owner_run(test, owner_one, "f:kunit/a kunit_probe_sum");
	owner_run(test, owner_one, "f:kunit/b kunit_probe_sum%return $arg1");
	KUNIT_ASSERT_EQ(test, found_switch(trace_top_instance(), NULL, true), 0);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "a", true), 0);
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "a")->nr, 1);
	KUNIT_EXPECT_TRUE(test, owner_hooked(kunit_probe_sum));
	trace_dyn_owner_end(owner_one);
	KUNIT_EXPECT_NULL(test, found_call("a"));
	KUNIT_EXPECT_NULL(test, found_call("b"));
	KUNIT_EXPECT_FALSE(test, owner_hooked(kunit_probe_sum));
	kunit_probe_sum(1, 2);
	/* The name is free again. */
	KUNIT_EXPECT_EQ(test, found_run("f:kunit/a kunit_probe_other"), 0);
}

/* An event that another one keeps goes when that has gone, and the others go at once. */
static void owner_ends_while_kept(struct kunit *test)
{
	owner_run(test, owner_one, "f:kunit/a kunit_probe_sum");
	owner_run(test, owner_one, "f:kunit/b kunit_probe_sum");
	owner_run(test, owner_one, "e:kunit/mine kunit.b");
	KUNIT_ASSERT_EQ(test, found_run("e:kunit/other kunit.a"), 0);
	trace_dyn_owner_end(owner_one);
	KUNIT_EXPECT_NOT_NULL(test, found_call("a"));
	KUNIT_EXPECT_NULL(test, found_call("b"));
	KUNIT_EXPECT_NULL(test, found_call("mine"));
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/other"), 0);
	owner_wait("a");
	KUNIT_EXPECT_NULL(test, found_call("a"));
}

/* Two probes of an event, one of which has an owner. It goes alone, though the event is on. */
static void owner_shares(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, found_run("f:kunit/a kunit_probe_sum"), 0);
	owner_run(test, owner_one, "f:kunit/a kunit_probe_other");
	KUNIT_ASSERT_EQ(test, found_switch(trace_top_instance(), "a", true), 0);
	KUNIT_EXPECT_TRUE(test, owner_hooked(kunit_probe_other));
	trace_dyn_owner_end(owner_one);
	KUNIT_EXPECT_TRUE(test, owner_hooked(kunit_probe_sum));
	KUNIT_EXPECT_FALSE(test, owner_hooked(kunit_probe_other));
	KUNIT_EXPECT_STREQ(test, found_line(test, "a"), "f:kunit/a kunit_probe_sum\n");
}

/* A kill ends the wait of the owner, which another one may have the address of then. */
static void owner_ends_while_hit(struct kunit *test)
{
	owner_run(test, owner_one, "f:kunit/a kunit_probe_sum");
	KUNIT_ASSERT_EQ(test, found_switch(trace_top_instance(), "a", true), 0);
	long_hit_begin(test);
	sigaddset(&current->pending.signal, SIGKILL);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	trace_dyn_owner_end(owner_one);
	sigdelset(&current->pending.signal, SIGKILL);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	KUNIT_EXPECT_TRUE(test, long_hit_goes_on());
	owner_run(test, owner_one, "f:kunit/b kunit_probe_sum");
	long_hit_end();
	owner_wait("a");
	KUNIT_EXPECT_NULL(test, found_call("a"));
	KUNIT_EXPECT_NOT_NULL(test, found_call("b"));
	trace_dyn_owner_end(owner_one);
	KUNIT_EXPECT_NULL(test, found_call("b"));
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(owner_ends),
	KUNIT_CASE(owner_ends_while_on),
	KUNIT_CASE(owner_ends_while_kept),
	KUNIT_CASE(owner_shares),
	KUNIT_CASE(owner_ends_while_hit),
	{}
};

static int owner_init(struct kunit *test)
{
	if (!trace_top_instance())
		kunit_skip(test, "there is no tracing");
	ring_buffer_reset(trace_top_instance()->array_buffer.buffer);
	return 0;
}

static void owner_exit(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, found_clear(), -EBUSY);
}

static struct kunit_suite owner_suite = {
	.name		= "trace_probe_owner",
	.init		= owner_init,
	.exit		= owner_exit,
	.test_cases	= owner_cases,
};

kunit_test_suite(owner_suite);
