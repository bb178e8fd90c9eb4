// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is half there for as long as a test wants: it has events, names for their
 * numbers, functions and formats of trace_printk(), and its init function waits until
 * test.d/events/late_fail.tc writes to parameters/answer. 0: the module becomes live; 1:
 * the init function fails, and the module goes.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/wait.h>

#define CREATE_TRACE_POINTS
#include "events/tests/late_fail_events.h"

static DECLARE_WAIT_QUEUE_HEAD(late_fail_wait);
static int late_fail_answer = -1;

noinline void late_fail_target(int step);

noinline void late_fail_target(int step)
{
	trace_late_fail_step(step);
	trace_printk("late_fail is at step %d\n", step);
}

/* Each answer is a step. */
static int late_fail_answer_set(const char *text, const struct kernel_param *kp)
{
	int answer, ret = kstrtoint(text, 0, &answer);

	if (ret)
		return ret;
	late_fail_target(LATE_FAIL_LATER);
	WRITE_ONCE(late_fail_answer, answer);
	wake_up_all(&late_fail_wait);
	return 0;
}

static const struct kernel_param_ops late_fail_answer_ops = {
	.set = late_fail_answer_set,
	.get = param_get_int,
};
module_param_cb(answer, &late_fail_answer_ops, &late_fail_answer, 0644);
MODULE_PARM_DESC(answer, "0: the init function returns, 1: it fails");

static int __init late_fail_init(void)
{
	int ret;

	late_fail_target(LATE_FAIL_FIRST);
	ret = wait_event_killable(late_fail_wait, READ_ONCE(late_fail_answer) >= 0);
	return ret ?: READ_ONCE(late_fail_answer) ? -ENODEV : 0;
}
module_init(late_fail_init);

static void __exit late_fail_exit(void)
{
}
module_exit(late_fail_exit);

MODULE_DESCRIPTION("A module that tests of tracing meet while its init function runs");
MODULE_LICENSE("GPL");
