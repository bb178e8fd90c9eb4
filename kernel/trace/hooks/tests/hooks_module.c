// SPDX-License-Identifier: GPL-2.0
/*
 * A module that tests hook, with call sites: test.d/sites/module_windows.tc calls
 * its function by writing a number to parameters/call.
 */
#include <linux/compiler.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

noinline int hooks_module_target(int x);

noinline int hooks_module_target(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

static int result;

static int hooks_module_call(const char *text, const struct kernel_param *kp)
{
	int x, ret = kstrtoint(text, 0, &x);

	if (!ret)
		result = hooks_module_target(x);
	return ret;
}

static const struct kernel_param_ops hooks_module_call_ops = {
	.set = hooks_module_call,
	.get = param_get_int,
};
module_param_cb(call, &hooks_module_call_ops, &result, 0644);
MODULE_PARM_DESC(call, "argument of hooks_module_target(); reads its result");

static int __init hooks_module_init(void)
{
	return 0;
}
module_init(hooks_module_init);

static void __exit hooks_module_exit(void)
{
}
module_exit(hooks_module_exit);

MODULE_DESCRIPTION("Functions that tests of ftrace hook in a module");
MODULE_LICENSE("GPL");
