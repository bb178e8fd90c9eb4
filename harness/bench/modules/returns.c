// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of an empty function with a hook on its entry or its return, counted while the
 * module loads. That ends with an error, and nothing is loaded. Built against the base
 * tree and ours alike.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/timekeeping.h>

static unsigned int calls = 20000;
module_param(calls, uint, 0);

static char *hook = "none";
module_param(hook, charp, 0);
MODULE_PARM_DESC(hook, "none, fprobe-entry, fprobe-exit or kretprobe");

static unsigned int entries, exits;

static noinline void returns_target(void)
{
	barrier();
}

static int count_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	entries++;
	return 0;
}

static void count_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	exits++;
}

static int count_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	exits++;
	return 0;
}

static struct fprobe fprobe = { .entry_handler = count_entry };

static struct kretprobe kretprobe = {
	.handler	= count_return,
	.kp.addr	= (void *)returns_target,
};

static void count_calls(unsigned int want_entries, unsigned int want_exits)
{
	unsigned int i;
	u64 time;

	/* Do before the count everything that is done only once. */
	returns_target();
	entries = 0;
	exits = 0;
	time = ktime_get_ns();
	for (i = 0; i < calls; i++)
		returns_target();
	time = ktime_get_ns() - time;
	if (entries != want_entries * calls || exits != want_exits * calls)
		pr_err("returns: %u entries and %u exits\n", entries, exits);
	else
		pr_info("returns: %u calls in %llu ns\n", calls, time);
}

static int __init returns_init(void)
{
	unsigned long addr = (unsigned long)returns_target;
	int ret;

	if (!strcmp(hook, "none")) {
		count_calls(0, 0);
	} else if (!strcmp(hook, "kretprobe")) {
		ret = register_kretprobe(&kretprobe);
		if (ret)
			return ret;
		count_calls(0, 1);
		unregister_kretprobe(&kretprobe);
	} else {
		bool exit = !strcmp(hook, "fprobe-exit");

		if (exit)
			fprobe.exit_handler = count_exit;
		ret = register_fprobe_ips(&fprobe, &addr, 1);
		if (ret)
			return ret;
		count_calls(1, exit);
		unregister_fprobe(&fprobe);
	}
	return -EINVAL;
}
module_init(returns_init);

MODULE_DESCRIPTION("Count what hooks on returns cost");
MODULE_LICENSE("GPL");
