/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Meets hooks_module while it is MODULE_STATE_COMING, right before ftrace_module_enable():
 * user space cannot do that.
 */
#ifndef _TRACE_HOOKS_TESTS_COMING_H
#define _TRACE_HOOKS_TESTS_COMING_H

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/string.h>

/* ftrace_module_enable(), which the function given to coming_watch() calls at its end. */
static void (*coming_enable)(struct module *mod);
static void (*coming_meet)(struct module *mod);
static bool coming_met;

/* Does a function whose first argument is a module work on hooks_module? */
static bool coming_is_module(struct pt_regs *regs)
{
	const struct module *mod = (void *)regs_get_kernel_argument(regs, 0);

	return !strcmp(mod->name, "hooks_module");
}

/* Send the first call for the module elsewhere, as if that had been called. */
static int coming_hit(struct kprobe *kp, struct pt_regs *regs)
{
	if (coming_met || !coming_is_module(regs))
		return 0;
	coming_met = true;
	instruction_pointer_set(regs, (unsigned long)coming_meet);
	return 1;
}

/* A kprobe with a post_handler is never optimized: coming_hit() could not change where it goes. */
static void coming_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe coming_probe = {
	.symbol_name = "ftrace_module_enable",
	.pre_handler = coming_hit,
	.post_handler = coming_post,
};

/* Call @meet, in the task that loads the module, in place of the first ftrace_module_enable(). */
static int coming_watch(void (*meet)(struct module *mod))
{
	int ret;

	coming_meet = meet;
	ret = register_kprobe(&coming_probe);
	if (!ret)
		coming_enable = (void (*)(struct module *))coming_probe.addr;
	return ret;
}

#endif /* _TRACE_HOOKS_TESTS_COMING_H */
