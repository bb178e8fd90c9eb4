// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at hooks_module at two moments that user space cannot meet:
 *
 * - It is MODULE_STATE_COMING, and ftrace_module_enable() has not run: a kprobe is
 *   put on its function.
 * - ftrace_release_mod() has run, and its text is still there: does the function
 *   begin as it did before it was hooked?
 *
 * The results are in the parameters, which test.d/sites/module_windows.tc reads.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "hooks/tests/coming.h"

#define FUNCTION	"hooks_module_target"

static int probed = -1;
module_param(probed, int, 0444);
MODULE_PARM_DESC(probed, "what register_kprobe() said while the module was coming");

static bool on_site;
module_param(on_site, bool, 0444);
MODULE_PARM_DESC(on_site, "the kprobe is a hook of a call site");

static unsigned int hits;
module_param(hits, uint, 0444);
MODULE_PARM_DESC(hits, "of the kprobe");

static bool gone;
module_param(gone, bool, 0444);
MODULE_PARM_DESC(gone, "the module was met when it went");

static bool calls_nothing;
module_param(calls_nothing, bool, 0444);
MODULE_PARM_DESC(calls_nothing, "its function began as when it was not hooked");

/* The function's bytes before it is hooked, without the kprobe's breakpoint. */
static u8 unhooked[16];

static int function_hit(struct kprobe *kp, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static struct kprobe function_probe = {
	.symbol_name = FUNCTION,
	.pre_handler = function_hit,
};

static void *function_bytes(void)
{
	return function_probe.addr + !on_site;
}

/* See coming_watch(). */
static void meet_coming(struct module *mod)
{
	probed = register_kprobe(&function_probe);
	if (!probed) {
		on_site = kprobe_ftrace(&function_probe);
		/* Without a breakpoint in it, should the kprobe be one. */
		disable_kprobe(&function_probe);
		memcpy(unhooked, function_bytes(), sizeof(unhooked));
		enable_kprobe(&function_probe);
	}
	coming_enable(mod);
}

/* Called by free_module(), first of what it does with the module itself. */
static int teardown_hit(struct kprobe *kp, struct pt_regs *regs)
{
	if (!coming_is_module(regs) || gone || !function_probe.addr)
		return 0;
	calls_nothing = !memcmp(unhooked, function_bytes(), sizeof(unhooked));
	gone = true;
	return 0;
}

static struct kprobe teardown_probe = {
	.symbol_name = "mod_sysfs_teardown",
	.pre_handler = teardown_hit,
};

static int __init hooks_module_watch_init(void)
{
	int ret = coming_watch(meet_coming);

	if (ret)
		return ret;
	ret = register_kprobe(&teardown_probe);
	if (ret)
		unregister_kprobe(&coming_probe);
	return ret;
}
module_init(hooks_module_watch_init);

static void __exit hooks_module_watch_exit(void)
{
	unregister_kprobe(&teardown_probe);
	unregister_kprobe(&coming_probe);
	if (!probed)
		unregister_kprobe(&function_probe);
}
module_exit(hooks_module_watch_exit);

MODULE_DESCRIPTION("Watches a module come and go, for tests of ftrace");
MODULE_LICENSE("GPL");
