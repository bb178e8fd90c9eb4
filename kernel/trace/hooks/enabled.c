// SPDX-License-Identifier: GPL-2.0
/*
 * kernel.ftrace_enabled: all sites call what the filters say, or nothing. While
 * they call nothing, ops can be registered and get filters as before; sites follow
 * when it is turned on again.
 */
#include <linux/init.h>
#include <linux/sysctl.h>

#include "hooks/change.h"
#include "hooks/internal.h"

u32 ftrace_hooks_resumed;

/**
 * ftrace_hooks_set_enabled - let sites call their ops, or nothing
 * @on: which
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -EBUSY: a permanent ops is registered; -ENODEV: ftrace is dead.
 */
int ftrace_hooks_set_enabled(bool on)
{
	int ret;

	guard(ftrace_lock)();
	if (ftrace_sites_dead())
		return -ENODEV;
	if (on == ftrace_hooks_on)
		return 0;
	if (!on && ftrace_dispatch_permanent())
		return -EBUSY;
	if (on)
		WRITE_ONCE(ftrace_hooks_resumed, ftrace_hooks_resumed + 1);
	ret = ftrace_update_all(on);
	if (!ret)
		ftrace_enabled = on;
	return ret;
}

/**
 * ftrace_hooks_enabled - do sites call their ops?
 *
 * Context: any.
 */
bool ftrace_hooks_enabled(void)
{
	return READ_ONCE(ftrace_hooks_on) && ftrace_enabled;
}

static int ftrace_enabled_sysctl(const struct ctl_table *table, int write, void *buffer,
				 size_t *lenp, loff_t *ppos)
{
	struct ctl_table copy = *table;
	int value = ftrace_enabled, ret;

	copy.data = &value;
	ret = proc_dointvec(&copy, write, buffer, lenp, ppos);
	if (ret || !write)
		return ret;
	return ftrace_hooks_set_enabled(value);
}

static struct ctl_table ftrace_sysctls[] = {
	{
		.procname	= "ftrace_enabled",
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= ftrace_enabled_sysctl,
	},
};

static int __init ftrace_enabled_init(void)
{
	register_sysctl_init("kernel", ftrace_sysctls);
	return 0;
}
late_initcall(ftrace_enabled_init);
