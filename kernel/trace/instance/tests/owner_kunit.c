// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: instances that go with their owner, used by others or not, removed by others meanwhile;
 * and instances that are made as mkdir() makes them.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/trace.h>
#include <linux/workqueue.h>

#include "instance/file.h"
#include "instance/instance.h"
#include "lib/long_hit.h"

static const char owner_one[] = "one", owner_two[] = "two";

static struct trace_array *owner_find(const char *name)
{
	guard(trace_instances)();
	return trace_instance_find(name);
}

static int owner_make(const char *name)
{
	guard(trace_instances)();
	return PTR_ERR_OR_ZERO(trace_instance_create(name, NULL));
}

static int owner_remove(const char *name)
{
	guard(trace_instances)();
	return trace_instance_remove(name);
}

/* Make an instance that @owner has. */
static struct trace_array *owner_made(struct kunit *test, const char *name, const void *owner)
{
	KUNIT_ASSERT_EQ(test, owner_make(name), 0);
	trace_instance_own(name, owner);
	return owner_find(name);
}

/* Wait until an instance has gone; two minutes at most. */
static void owner_wait(const char *name)
{
	for (int i = 0; owner_find(name) && i < 12000; i++)
		fsleep(10000);
}

/* The list of what an owner has. */
static const char *owner_list(struct kunit *test, const void *owner)
{
	struct seq_file m = { .size = PAGE_SIZE };

	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	trace_instances_print(&m, "i:", owner);
	return m.buf;
}

/* The instances of an owner go with it, and no others. */
static void owner_ends(struct kunit *test)
{
	owner_made(test, "kunit_a", owner_one);
	owner_made(test, "kunit_b", owner_two);
	KUNIT_ASSERT_EQ(test, owner_make("kunit_c"), 0);
	owner_made(test, "kunit_d", owner_one);
	KUNIT_EXPECT_STREQ(test, owner_list(test, owner_one), "i:kunit_a\ni:kunit_d\n");
	trace_instances_end(owner_one);
	KUNIT_EXPECT_NULL(test, owner_find("kunit_a"));
	KUNIT_EXPECT_NULL(test, owner_find("kunit_d"));
	KUNIT_EXPECT_NOT_NULL(test, owner_find("kunit_b"));
	KUNIT_EXPECT_NOT_NULL(test, owner_find("kunit_c"));
	/* An owner may have nothing, and may give away what it has. */
	trace_instances_end(owner_one);
	KUNIT_EXPECT_FALSE(test, trace_instances_own(owner_one, owner_two));
	KUNIT_EXPECT_TRUE(test, trace_instances_own(owner_two, owner_one));
	trace_instances_end(owner_two);
	KUNIT_EXPECT_NOT_NULL(test, owner_find("kunit_b"));
	trace_instances_end(owner_one);
	KUNIT_EXPECT_NULL(test, owner_find("kunit_b"));
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_c"), 0);
}

/* An instance that is used stays as it is, keeps its name, and goes with its last user. */
static void owner_ends_while_used(struct kunit *test)
{
	struct trace_array *tr = owner_made(test, "kunit_a", owner_one);

	KUNIT_ASSERT_EQ(test, trace_array_get(tr), 0);
	trace_instances_end(owner_one);
	KUNIT_EXPECT_PTR_EQ(test, owner_find("kunit_a"), tr);
	KUNIT_EXPECT_STREQ(test, owner_list(test, owner_one), "");
	KUNIT_EXPECT_EQ(test, owner_make("kunit_a"), -EEXIST);
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_a"), -EBUSY);
	/* There may be more users. */
	KUNIT_EXPECT_EQ(test, trace_array_get(tr), 0);
	trace_array_put(tr);
	KUNIT_EXPECT_PTR_EQ(test, owner_find("kunit_a"), tr);
	trace_array_put(tr);
	owner_wait("kunit_a");
	KUNIT_EXPECT_NULL(test, owner_find("kunit_a"));
	/* The next one of the name has no owner. */
	KUNIT_EXPECT_EQ(test, owner_make("kunit_a"), 0);
	trace_instances_end(owner_one);
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_a"), 0);
}

/* A new user comes before the work item does that removes what the last one has left. */
static void owner_ends_and_used_again(struct kunit *test)
{
	struct trace_array *tr = owner_made(test, "kunit_a", owner_one);
	struct trace_array *other = owner_made(test, "kunit_b", owner_one);

	KUNIT_ASSERT_EQ(test, trace_array_get(tr), 0);
	KUNIT_ASSERT_EQ(test, trace_array_get(other), 0);
	trace_instances_end(owner_one);
	scoped_guard(trace_instances) {
		trace_array_put(tr);
		KUNIT_EXPECT_EQ(test, trace_array_get(tr), 0);
	}
	/* The work item that removes this one sees the first one behind that. */
	trace_array_put(other);
	owner_wait("kunit_b");
	KUNIT_EXPECT_NULL(test, owner_find("kunit_b"));
	KUNIT_EXPECT_PTR_EQ(test, owner_find("kunit_a"), tr);
	trace_array_put(tr);
	owner_wait("kunit_a");
	KUNIT_EXPECT_NULL(test, owner_find("kunit_a"));
}

static void owner_made_by_other(struct work_struct *work)
{
	owner_make("kunit_a");
}

/* Somebody has removed it, and another one has made one of this name. */
static void owner_finds_other(struct kunit *test)
{
	struct work_struct work;

	owner_made(test, "kunit_a", owner_one);
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_a"), 0);
	trace_instance_own("kunit_a", owner_one);
	INIT_WORK_ONSTACK(&work, owner_made_by_other);
	schedule_work(&work);
	flush_work(&work);
	destroy_work_on_stack(&work);
	KUNIT_ASSERT_NOT_NULL(test, owner_find("kunit_a"));
	trace_instance_own("kunit_a", owner_one);
	trace_instances_end(owner_one);
	KUNIT_ASSERT_NOT_NULL(test, owner_find("kunit_a"));
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_a"), 0);
}

/* Somebody removes the instance when its owner goes. Each is removed once. */
static void owner_ends_while_removed(struct kunit *test)
{
	owner_made(test, "kunit_a", owner_one);
	long_hit_begin(test);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_a"), -EINTR);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	/* Its name is taken, and it has no owner any more. */
	KUNIT_EXPECT_EQ(test, owner_make("kunit_a"), -EEXIST);
	trace_instance_own("kunit_a", owner_one);
	KUNIT_EXPECT_STREQ(test, owner_list(test, owner_one), "");
	trace_instances_end(owner_one);
	KUNIT_EXPECT_TRUE(test, long_hit_goes_on());
	long_hit_end();
	owner_wait("kunit_a");
	KUNIT_EXPECT_NULL(test, owner_find("kunit_a"));
}

static struct completion owner_end_done;

static int owner_end_fn(void *owner)
{
	trace_instances_end(owner);
	complete(&owner_end_done);
	return 0;
}

static bool owner_may_be_got(struct trace_array *tr)
{
	if (trace_array_get(tr))
		return false;
	trace_array_put(tr);
	return true;
}

/* The instance goes when no hit goes on in it; meanwhile nobody uses or removes it. */
static void owner_ends_while_hit(struct kunit *test)
{
	struct trace_array *tr = owner_made(test, "kunit_a", owner_one);

	init_completion(&owner_end_done);
	long_hit_begin(test);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(owner_end_fn, (void *)owner_one,
						    "kunit_owner_end")));
	while (owner_may_be_got(tr))
		fsleep(10000);
	KUNIT_EXPECT_PTR_EQ(test, owner_find("kunit_a"), tr);
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_a"), -EBUSY);
	/* Other instances may be made and removed. */
	KUNIT_EXPECT_EQ(test, owner_make("kunit_b"), 0);
	KUNIT_EXPECT_FALSE(test, completion_done(&owner_end_done));
	long_hit_end();
	wait_for_completion(&owner_end_done);
	KUNIT_EXPECT_NULL(test, owner_find("kunit_a"));
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_b"), 0);
}

/* Have no rights until revert_creds(). */
static const struct cred *owner_be_nobody(struct kunit *test)
{
	struct cred *cred = prepare_creds();
	const struct cred *before;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->fsuid = KUIDT_INIT(1000);
	cred->fsgid = KGIDT_INIT(1000);
	cap_clear(cred->cap_effective);
	before = override_creds(cred);
	put_cred(cred);
	return before;
}

/* An instance is made as mkdir() makes it, with the rights of the task. */
static void owner_makes_folder(struct kunit *test)
{
	char *name = kunit_kzalloc(test, NAME_MAX + 2, GFP_KERNEL);
	const struct cred *before;

	KUNIT_ASSERT_NOT_NULL(test, name);
	KUNIT_EXPECT_EQ(test, trace_instance_mkdir("kunit_a"), 0);
	KUNIT_EXPECT_NOT_NULL(test, owner_find("kunit_a"));
	KUNIT_EXPECT_EQ(test, trace_instance_mkdir("kunit_a"), -EEXIST);
	KUNIT_EXPECT_EQ(test, owner_remove("kunit_a"), 0);
	memset(name, 'n', NAME_MAX + 1);
	KUNIT_EXPECT_EQ(test, trace_instance_mkdir(name), -ENAMETOOLONG);
	name[NAME_MAX] = '\0';
	KUNIT_EXPECT_EQ(test, trace_instance_mkdir(name), 0);
	KUNIT_EXPECT_EQ(test, owner_remove(name), 0);
	before = owner_be_nobody(test);
	KUNIT_EXPECT_EQ(test, trace_instance_mkdir("kunit_a"), -EACCES);
	revert_creds(before);
	KUNIT_EXPECT_NULL(test, owner_find("kunit_a"));
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(owner_ends),
	KUNIT_CASE(owner_ends_while_used),
	KUNIT_CASE(owner_ends_and_used_again),
	KUNIT_CASE(owner_finds_other),
	KUNIT_CASE(owner_ends_while_removed),
	KUNIT_CASE(owner_ends_while_hit),
	KUNIT_CASE(owner_makes_folder),
	{}
};

static int owner_init(struct kunit *test)
{
	if (!trace_top_instance())
		kunit_skip(test, "there is no tracing");
	return 0;
}

static struct kunit_suite owner_suite = {
	.name		= "trace-instance-owner",
	.init		= owner_init,
	.test_cases	= owner_cases,
};

kunit_test_suite(owner_suite);
