// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of function commands: one is removed while it does what it is for on another CPU.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "actions/action.h"
#include "functions/internal.h"
#include "functions/tests/command_targets.h"

static unsigned int hold_hits, hold_puts;
static bool hold_inside, hold_inside_at_put, hold_release;
static int hold_removed;
static DECLARE_COMPLETION(hold_called);
static DECLARE_COMPLETION(hold_is_removed);

static int hold_get(struct trace_action_use *use, char *param)
{
	return 0;
}

/* The memory that hits use may be freed from now on. */
static void hold_put(struct trace_action_use *use)
{
	WRITE_ONCE(hold_inside_at_put, READ_ONCE(hold_inside));
	WRITE_ONCE(hold_puts, hold_puts + 1);
}

/* The hit lasts until the test lets it end, with preemption off and interrupts on. */
static void hold_hit(const struct trace_action_use *use, const struct trace_action_hit *hit)
{
	WRITE_ONCE(hold_hits, hold_hits + 1);
	WRITE_ONCE(hold_inside, true);
	while (!READ_ONCE(hold_release))
		cpu_relax();
	WRITE_ONCE(hold_inside, false);
}

static struct trace_action hold_action = {
	.name	= "kunit_hold",
	.where	= TRACE_ACTION_AT_FUNCTION,
	.get	= hold_get,
	.put	= hold_put,
	.hit	= hold_hit,
};

static int command_apply(const char *pattern)
{
	struct trace_functions *fns = trace_functions_of(trace_top_instance());
	enum trace_filter_error error;
	char function[32], action[16];

	strscpy(function, pattern);
	strscpy(action, "kunit_hold");
	return trace_func_command_apply(fns, function, action, &error);
}

static bool command_is_listed(void)
{
	struct trace_functions *fns = trace_functions_of(trace_top_instance());
	bool listed;

	trace_func_commands_lock();
	listed = trace_func_probe_nth(fns, 0);
	trace_func_commands_unlock();
	return listed;
}

static int call_main(void *unused)
{
	command_target();
	complete(&hold_called);
	return 0;
}

static int remove_main(void *unused)
{
	hold_removed = command_apply("!command_target");
	complete(&hold_is_removed);
	return 0;
}

/* Start it on @cpu, and yield until @begun says that it has come that far. */
static int command_start(int (*main)(void *), int cpu, bool (*begun)(void))
{
	struct task_struct *task = kthread_run_on_cpu(main, NULL, cpu, "command/%u");

	if (IS_ERR(task))
		return PTR_ERR(task);
	while (!begun())
		schedule_timeout_uninterruptible(1);
	return 0;
}

static bool command_is_hit(void)
{
	return READ_ONCE(hold_inside);
}

static bool command_is_gone(void)
{
	return !command_is_listed();
}

/*
 * From when nobody finds the command any more, the removal has nothing to do but to wait for the
 * hit, and then to free. It must not free before the hit has ended, however long that takes.
 */
static void command_remove(struct kunit *test, int cpu)
{
	int ret = command_start(remove_main, cpu, command_is_gone);

	KUNIT_EXPECT_EQ(test, 0, ret);
	if (!ret) {
		schedule_timeout_uninterruptible(HZ / 10);
		KUNIT_EXPECT_EQ(test, 0, READ_ONCE(hold_puts));
		KUNIT_EXPECT_FALSE(test, completion_done(&hold_is_removed));
	}
	WRITE_ONCE(hold_release, true);
	wait_for_completion(&hold_called);
	if (ret)
		remove_main(NULL);
	wait_for_completion(&hold_is_removed);
	KUNIT_EXPECT_EQ(test, 0, hold_removed);
}

static void removed_while_hit(struct kunit *test)
{
	int cpu, other;

	if (num_online_cpus() < 2)
		kunit_skip(test, "there is one CPU");
	if (command_is_listed())
		kunit_skip(test, "function commands are in use");
	cpu = cpumask_first(cpu_online_mask);
	other = cpumask_next(cpu, cpu_online_mask);

	KUNIT_ASSERT_EQ(test, 0, command_apply("command_target"));
	if (command_start(call_main, other, command_is_hit)) {
		command_apply("!command_target");
		KUNIT_FAIL_AND_ABORT(test, "no task");
	}
	command_remove(test, cpu);
	KUNIT_EXPECT_EQ(test, 1, hold_puts);
	KUNIT_EXPECT_FALSE(test, hold_inside_at_put);
	command_target();
	KUNIT_EXPECT_EQ(test, 1, hold_hits);
}

static int command_init(struct kunit *test)
{
	hold_hits = 0;
	hold_puts = 0;
	hold_inside = false;
	hold_release = false;
	reinit_completion(&hold_called);
	reinit_completion(&hold_is_removed);
	return trace_action_register(&hold_action);
}

static void command_exit(struct kunit *test)
{
	trace_action_unregister(&hold_action);
}

static struct kunit_case command_cases[] = {
	KUNIT_CASE(removed_while_hit),
	{}
};

static struct kunit_suite command_suite = {
	.name		= "trace_functions_command",
	.init		= command_init,
	.exit		= command_exit,
	.test_cases	= command_cases,
};

kunit_test_suite(command_suite);
