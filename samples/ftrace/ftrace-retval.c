// SPDX-License-Identifier: GPL-2.0
/*
 * Hook a function of the kernel and change what it returns: getppid() tells
 * everybody the same parent. The callback of the ops sends the function's
 * caller to another function, with the same arguments, which returns to it.
 *
 *	# modprobe ftrace-retval ppid=4242
 *	# sh -c 'echo $PPID'
 *	4242
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

static int ppid = 4242;
module_param(ppid, int, 0644);
MODULE_PARM_DESC(ppid, "What getppid() returns");

/* The names that the entry of a system call without arguments may have. */
static const char * const names[] = {
	"__x64_sys_getppid", "__arm64_sys_getppid", "__do_sys_getppid", "sys_getppid",
};

static long my_getppid(void)
{
	int real;

	rcu_read_lock();
	real = task_tgid_vnr(rcu_dereference(current->real_parent));
	rcu_read_unlock();
	trace_printk("%d instead of %d\n", ppid, real);
	return ppid;
}

/* Runs before the first instruction of getppid(). */
static void my_callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)my_getppid);
}

static struct ftrace_ops my_ops = {
	.func	= my_callback,
	/* Only one ops of a function may change where it goes on. */
	.flags	= FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED,
};

static int __init ftrace_retval_init(void)
{
	unsigned char name[32];
	int i, len, ret = -ENOENT;

	for (i = 0; ret && i < ARRAY_SIZE(names); i++) {
		/* The pattern may be changed while it is read. */
		len = strscpy(name, names[i]);
		ret = ftrace_set_filter(&my_ops, name, len, 1);
	}
	if (!ret)
		ret = register_ftrace_function(&my_ops);
	if (ret)
		ftrace_free_filter(&my_ops);
	return ret;
}

static void __exit ftrace_retval_exit(void)
{
	/* Waits until nobody is in the callback, nor in my_getppid(). */
	unregister_ftrace_function(&my_ops);
	ftrace_free_filter(&my_ops);
}

module_init(ftrace_retval_init);
module_exit(ftrace_retval_exit);

MODULE_DESCRIPTION("Change what a function returns, with ftrace_ops");
MODULE_LICENSE("GPL");
