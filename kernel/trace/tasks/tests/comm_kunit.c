// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the names of tasks: the table, whose names come in, and its size.
 * They use the kernel's own table, and pids that no task has here.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "tasks/internal.h"

static unsigned int comm_size;

static int comm_test_init(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	test->priv = task;
	comm_size = trace_comm_size();
	return trace_comm_resize(4);
}

static void comm_test_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, trace_comm_resize(comm_size), 0);
}

/* A task with this pid and name was seen. */
static void comm_seen(struct kunit *test, int pid, const char *comm)
{
	struct task_struct *task = test->priv;

	task->pid = pid;
	task->tgid = pid / 10;
	memset(task->comm, 0, sizeof(task->comm));
	strscpy(task->comm, comm, sizeof(task->comm));
	tracing_record_taskinfo(task, TRACE_RECORD_CMDLINE | TRACE_RECORD_TGID);
}

static void expect_comm(struct kunit *test, int pid, const char *comm)
{
	char found[TASK_COMM_LEN];

	trace_find_cmdline(pid, found);
	KUNIT_EXPECT_STREQ(test, found, comm);
}

static void comm_find(struct kunit *test)
{
	expect_comm(test, 0, "<idle>");
	expect_comm(test, 100001, "<...>");
	comm_seen(test, 100001, "one");
	expect_comm(test, 100001, "one");
	comm_seen(test, 100001, "uno");
	expect_comm(test, 100001, "uno");
	/* The idle tasks have no entry to lose. */
	comm_seen(test, 0, "swapper/0");
	expect_comm(test, 0, "<idle>");
	/* A name that fills its place. */
	comm_seen(test, 100002, "fifteen-letters");
	expect_comm(test, 100002, "fifteen-letters");
}

static void comm_oldest_goes(struct kunit *test)
{
	char name[8];
	int i;

	for (i = 1; i <= 6; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		comm_seen(test, 100000 + i, name);
	}
	expect_comm(test, 100001, "<...>");
	expect_comm(test, 100002, "<...>");
	expect_comm(test, 100003, "t3");
	expect_comm(test, 100006, "t6");
}

static void comm_resized(struct kunit *test)
{
	char comm[TASK_COMM_LEN];
	int pid;

	comm_seen(test, 100001, "t1");
	comm_seen(test, 100002, "t2");
	comm_seen(test, 100003, "t3");
	KUNIT_EXPECT_EQ(test, trace_comm_resize(2), 0);
	KUNIT_EXPECT_EQ(test, trace_comm_size(), 2);
	expect_comm(test, 100003, "t3");
	KUNIT_EXPECT_EQ(test, trace_comm_resize(1000), 0);
	expect_comm(test, 100003, "t3");
	comm_seen(test, 100004, "t4");
	expect_comm(test, 100003, "t3");
	expect_comm(test, 100004, "t4");
	KUNIT_EXPECT_TRUE(test, trace_comm_entry(999, &pid, comm));
	KUNIT_EXPECT_EQ(test, pid, 100004);
	KUNIT_EXPECT_STREQ(test, comm, "t4");
	KUNIT_EXPECT_FALSE(test, trace_comm_entry(1000, &pid, comm));
}

/* Many names in a table with long chains: all of the youngest are there. */
static void comm_many(struct kunit *test)
{
	char name[TASK_COMM_LEN];
	int i;

	KUNIT_ASSERT_EQ(test, trace_comm_resize(300), 0);
	for (i = 1; i <= 5000; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		comm_seen(test, i * 7, name);
	}
	for (i = 4701; i <= 5000; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		expect_comm(test, i * 7, name);
	}
	expect_comm(test, 4700 * 7, "<...>");
}

static void comm_tgid(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, trace_tgid_enable(), 0);
	comm_seen(test, 320, "thread");
	KUNIT_EXPECT_EQ(test, trace_find_tgid(320), 32);
	KUNIT_EXPECT_EQ(test, trace_find_tgid(0), 0);
	KUNIT_EXPECT_EQ(test, trace_find_tgid(-1), 0);
	KUNIT_EXPECT_EQ(test, trace_find_tgid(INT_MAX), 0);
}

/* A source of records decides for which tasks a name is kept. */

static unsigned long written;

static unsigned long fake_written(struct trace_comm_source *source)
{
	return written;
}

static struct trace_comm_source fake_source = {
	.kinds		= TRACE_RECORD_CMDLINE,
	.written	= fake_written,
};

static void make_task(struct task_struct *task, int pid, const char *comm)
{
	task->pid = pid;
	task->tgid = pid - 1;
	memset(task->comm, 0, sizeof(task->comm));
	strscpy(task->comm, comm, sizeof(task->comm));
}

/* @pid runs on this CPU, leaves @records behind, and init has the CPU again. */
static void comm_runs(struct kunit *test, int pid, const char *comm, unsigned int records)
{
	struct task_struct *task = test->priv;
	unsigned long flags;

	make_task(task, pid, comm);
	local_irq_save(flags);
	trace_comm_switch(current, task);
	written += records;
	trace_comm_switch(task, current);
	local_irq_restore(flags);
}

static void source_begin(struct kunit *test, unsigned int kinds)
{
	fake_source.kinds = kinds;
	trace_comm_source_add(&fake_source);
	trace_comm_get();
}

static void source_end(struct kunit *test)
{
	trace_comm_put();
	trace_comm_source_remove(&fake_source);
	synchronize_rcu();
}

static void comm_who_only_ran(struct kunit *test)
{
	char name[TASK_COMM_LEN];
	int i;

	source_begin(test, TRACE_RECORD_CMDLINE);
	comm_runs(test, 100001, "traced", 3);
	expect_comm(test, 100001, "traced");
	/* The table has room for four. */
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "ran-%d", i);
		comm_runs(test, 100010 + i, name, 0);
		expect_comm(test, 100010 + i, "<...>");
	}
	expect_comm(test, 100001, "traced");
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "also-%d", i);
		comm_runs(test, 100040 + i, name, 1);
		expect_comm(test, 100040 + i, name);
	}
	expect_comm(test, 100001, "<...>");
	/* A task has the name that it leaves with. */
	comm_runs(test, 100041, "exec", 1);
	expect_comm(test, 100041, "exec");
	expect_comm(test, 100040, "also-0");
	source_end(test);
}

static void comm_who_runs(struct kunit *test)
{
	struct task_struct *task = test->priv;
	unsigned long flags;

	source_begin(test, TRACE_RECORD_CMDLINE);
	make_task(task, 100001, "running");
	/* No other switch comes between. */
	local_irq_save(flags);
	trace_comm_switch(current, task);
	expect_comm(test, 100001, "running");
	trace_comm_switch(task, current);
	expect_comm(test, 100001, "<...>");
	expect_comm(test, current->pid, current->comm);
	local_irq_restore(flags);
	source_end(test);
}

/*
 * Records that were in the buffers before names were kept do not count; records that are there
 * at the end do.
 */
static void comm_begin_and_end(struct kunit *test)
{
	written += 100;
	source_begin(test, TRACE_RECORD_CMDLINE);
	comm_runs(test, 100001, "one", 0);
	expect_comm(test, 100001, "<...>");
	written++;
	source_end(test);
	expect_comm(test, current->pid, current->comm);
	/* Nobody records: a switch changes nothing. */
	comm_runs(test, 100002, "two", 1);
	expect_comm(test, 100002, "<...>");
}

static void comm_source_kinds(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, trace_tgid_enable(), 0);
	source_begin(test, TRACE_RECORD_TGID);
	comm_runs(test, 321, "thread", 1);
	expect_comm(test, 321, "<...>");
	KUNIT_EXPECT_EQ(test, trace_find_tgid(321), 320);
	trace_comm_source_set(&fake_source, TRACE_RECORD_CMDLINE);
	comm_runs(test, 324, "named", 1);
	expect_comm(test, 324, "named");
	KUNIT_EXPECT_EQ(test, trace_find_tgid(324), 0);
	source_end(test);
}

/* A new size, step by step, while names come: interrupts are never off for all names. */
static void comm_resize_steps(struct kunit *test)
{
	char name[TASK_COMM_LEN], comm[TASK_COMM_LEN];
	unsigned int steps = 0, i;
	int pid;

	KUNIT_ASSERT_EQ(test, trace_comm_resize(1000), 0);
	for (i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		comm_seen(test, 100000 + i, name);
	}
	/* The youngest 500 of 1000 have a place. */
	KUNIT_ASSERT_EQ(test, trace_comm_resize_begin(500), 0);
	expect_comm(test, 100501, "t501");
	expect_comm(test, 101000, "t1000");
	comm_seen(test, 102000, "new");
	comm_seen(test, 100900, "renamed");
	do {
		expect_comm(test, 102000, "new");
		expect_comm(test, 100900, "renamed");
		expect_comm(test, 100899, "t899");
		expect_comm(test, 101000, "t1000");
		steps++;
	} while (trace_comm_resize_step());
	trace_comm_resize_end();
	KUNIT_EXPECT_GT(test, steps, 10);

	KUNIT_EXPECT_EQ(test, trace_comm_size(), 500);
	/* Two came, so the two oldest went, and the name that moved on left a hole. */
	expect_comm(test, 100501, "<...>");
	expect_comm(test, 100502, "<...>");
	expect_comm(test, 100503, "t503");
	expect_comm(test, 102000, "new");
	expect_comm(test, 100900, "renamed");
	KUNIT_EXPECT_TRUE(test, trace_comm_entry(0, &pid, comm));
	KUNIT_EXPECT_EQ(test, pid, 100503);
	KUNIT_EXPECT_TRUE(test, trace_comm_entry(499, &pid, comm));
	KUNIT_EXPECT_EQ(test, pid, 100900);
	KUNIT_EXPECT_STREQ(test, comm, "renamed");
}

static void comm_bad_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, trace_comm_resize(0), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_comm_resize(PID_MAX_LIMIT + 1UL), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_comm_resize(ULONG_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_comm_size(), 4);
}

static struct kunit_case comm_cases[] = {
	KUNIT_CASE(comm_find),
	KUNIT_CASE(comm_oldest_goes),
	KUNIT_CASE(comm_resized),
	KUNIT_CASE(comm_many),
	KUNIT_CASE(comm_tgid),
	KUNIT_CASE(comm_who_only_ran),
	KUNIT_CASE(comm_who_runs),
	KUNIT_CASE(comm_begin_and_end),
	KUNIT_CASE(comm_source_kinds),
	KUNIT_CASE(comm_resize_steps),
	KUNIT_CASE(comm_bad_sizes),
	{}
};

static struct kunit_suite comm_suite = {
	.name		= "trace-tasks-comm",
	.init		= comm_test_init,
	.exit		= comm_test_exit,
	.test_cases	= comm_cases,
};

kunit_test_suite(comm_suite);
