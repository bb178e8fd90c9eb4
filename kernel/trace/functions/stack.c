// SPDX-License-Identifier: GPL-2.0
/*
 * The stack tracer: which calls have taken the most of a kernel stack so far.
 *
 * The functions of stack_trace_filter call stack_call(), which compares how much of its
 * task's stack is in use with the most until now. Only if it is more, the stack is unwound
 * and the record written. Stacks of interrupts and exceptions do not count.
 *
 * The record and its limit change under stack_lock, with interrupts off. The limit is
 * read without it in front of that; who holds the lock looks again. An NMI does not record,
 * as it may have interrupted the holder.
 */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/spinlock.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <asm/setup.h>

#include "functions/internal.h"
#include "lib/lib.h"

/* How often stack_tracer_disable() was called on this CPU, and one while it records. Own CPU. */
DEFINE_PER_CPU(int, disable_stack_tracer);

/* kernel.stack_tracer_enabled, and whether the hook is in place. */
static DEFINE_MUTEX(stack_mutex);
int stack_tracer_enabled;

static arch_spinlock_t stack_lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
static struct trace_stack_record stack_deepest;		/* under stack_lock */
static unsigned long stack_limit;			/* stack_lock, READ_ONCE() */

/* The caller has interrupts off from here to stack_record_unlock(). */
static unsigned long stack_record_lock(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	/*
	 * Functions called from here on are not recorded: their callbacks would wait for the
	 * lock.
	 */
	__this_cpu_inc(disable_stack_tracer);
	arch_spin_lock(&stack_lock);
	return flags;
}

static void stack_record_unlock(unsigned long flags)
{
	arch_spin_unlock(&stack_lock);
	__this_cpu_dec(disable_stack_tracer);
	raw_local_irq_restore(flags);
}

/* The place of the first call from @p on that returns to @ip; NULL: there is none. */
static const unsigned long *stack_find_call(const unsigned long *p, const unsigned long *top,
					    unsigned long ip)
{
	for (; p < top; p++) {
		unsigned long *place = arch_ftrace_saved_place(p);

		if (place < p || place >= top)
			continue;
		/* The address may be kept elsewhere while the return is awaited. */
		if (ftrace_graph_ret_addr(current, NULL, arch_ftrace_saved_return(p), place) == ip)
			return place;
	}
	return NULL;
}

static void stack_add(struct trace_stack_record *rec, unsigned long ip,
		      const unsigned long *sp, const unsigned long *top)
{
	rec->ips[rec->nr] = ip;
	rec->depths[rec->nr++] = (top - sp) * sizeof(*sp);
}

/*
 * Record the stack. @ip: the site of the function; @sp: where it stands when the function
 * begins.
 *
 * A function has its frame, and what the call of it took: all from there to its caller's,
 * whose end is known from where that has saved its own return address. A call that the
 * unwinder knows of and that cannot be found belongs to its caller's frame.
 */
static void func_stack_record(unsigned long ip, const unsigned long *sp, const unsigned long *top)
{
	struct trace_stack_record *rec = &stack_deepest;
	unsigned int nr, first = 0, i;

	nr = stack_trace_save(rec->ips, ARRAY_SIZE(rec->ips), 0);
	/* Leave out what is between the function and here. */
	while (first < nr && rec->ips[first] != ip + MCOUNT_INSN_SIZE)
		first++;
	rec->nr = 0;
	stack_add(rec, ip + MCOUNT_INSN_SIZE, sp, top);
	for (i = first + 1; i < nr; i++) {
		/*
		 * The traced function has saved nothing yet: the stack of its caller ends at
		 * @sp.
		 */
		const unsigned long *place = i == first + 1 ? sp :
					     stack_find_call(sp, top, rec->ips[i]);

		if (!place)
			continue;
		sp = (void *)place + ARCH_FTRACE_CALL_SIZE;
		stack_add(rec, rec->ips[i], sp, top);
	}
}

/* The stack has run over its end, and what was there is lost. */
static void stack_overrun(const struct trace_stack_record *rec)
{
	unsigned int i;

	for (i = 0; i < rec->nr; i++)
		pr_emerg("%8u %pS\n", rec->depths[i], (void *)rec->ips[i]);
	panic("ftrace: %s[%d] has overrun its stack\n", current->comm, task_pid_nr(current));
}

static noinline void stack_exceeded(unsigned long ip, const unsigned long *sp,
				    const unsigned long *top)
{
	unsigned long used = (top - sp) * sizeof(*sp);
	unsigned long flags;

	/* The unwinder looks up modules under RCU. */
	if (in_nmi() || !rcu_is_watching() || __this_cpu_read(disable_stack_tracer))
		return;
	flags = stack_record_lock();
	if (used > stack_limit) {
		WRITE_ONCE(stack_limit, used);
		func_stack_record(ip, sp, top);
		if (unlikely(task_stack_end_corrupted(current)))
			stack_overrun(&stack_deepest);
	}
	stack_record_unlock(flags);
}

NOKPROBE_SYMBOL(stack_exceeded);

/* The callback: any context. Until stack_record_lock(), nothing protects it against recursion. */
static void stack_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
	const unsigned long *sp = (void *)ftrace_regs_get_stack_pointer(fregs);
	const void *top = task_stack_page(current) + THREAD_SIZE;
	unsigned long used = top - (const void *)sp;

	/* On another stack, the difference is no size. */
	if (likely(used <= READ_ONCE(stack_limit)) || used >= THREAD_SIZE)
		return;
	preempt_disable_notrace();
	stack_exceeded(ip, sp, top);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(stack_call);

static struct trace_functions stack_functions = {
	.ops		= { .func = stack_call },
	.no_commands	= true,
	.probes		= LIST_HEAD_INIT(stack_functions.probes),
};

/**
 * trace_stack_functions - the functions that call the stack tracer
 *
 * Context: any.
 * Return: the functions that stack_trace_filter shows and changes.
 */
struct trace_functions *trace_stack_functions(void)
{
	return &stack_functions;
}

/**
 * trace_stack_copy - what is known of the deepest stack
 * @copy: is filled
 *
 * Context: task.
 */
void trace_stack_copy(struct trace_stack_record *copy)
{
	unsigned long flags = stack_record_lock();

	memcpy(copy, &stack_deepest, sizeof(*copy));
	stack_record_unlock(flags);
}

/**
 * trace_stack_limit - bytes that were in use at most
 *
 * Context: any.
 */
unsigned long trace_stack_limit(void)
{
	return READ_ONCE(stack_limit);
}

/**
 * trace_stack_set_limit - record stacks of which more is in use
 * @limit: bytes; 0 begins anew
 *
 * The record stays until the next one.
 *
 * Context: task.
 */
void trace_stack_set_limit(unsigned long limit)
{
	unsigned long flags = stack_record_lock();

	WRITE_ONCE(stack_limit, limit);
	stack_record_unlock(flags);
}

/* Let the hook be in place or not. Return: 0, or the errno of register_ftrace_function(). */
static int stack_hook(bool on)
{
	lockdep_assert_held(&stack_mutex);
	if (stack_functions.running == on)
		return 0;
	if (on) {
		int ret = register_ftrace_function(&stack_functions.ops);

		if (ret)
			return ret;
	} else {
		/* A callback that is under way only uses what stays. */
		ftrace_ops_unregister_nowait(&stack_functions.ops);
	}
	stack_functions.running = on;
	return 0;
}

/**
 * stack_trace_sysctl - kernel.stack_tracer_enabled is read or written
 * @table: its table, for stack_tracer_enabled
 * @write: whether it is written
 * @buffer: the text
 * @lenp: its length
 * @ppos: the position in the file
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: 0, or an errno, when nothing has changed.
 */
int stack_trace_sysctl(const struct ctl_table *table, int write, void *buffer, size_t *lenp,
		       loff_t *ppos)
{
	int was, ret;

	guard(mutex)(&stack_mutex);
	was = stack_tracer_enabled;
	ret = proc_dointvec(table, write, buffer, lenp, ppos);
	if (!ret && write)
		ret = stack_hook(stack_tracer_enabled);
	if (ret)
		stack_tracer_enabled = was;
	return ret;
}

static char boot_filter[COMMAND_LINE_SIZE] __initdata;

static int __init stack_boot_filter_setup(char *text)
{
	trace_words_append(boot_filter, sizeof(boot_filter), text);
	stack_tracer_enabled = 1;
	return 1;
}
__setup("stacktrace_filter=", stack_boot_filter_setup);

static int __init stack_boot_setup(char *rest)
{
	/* Another parameter that begins with the same letters. */
	if (*rest)
		return 0;
	stack_tracer_enabled = 1;
	return 1;
}
__setup("stacktrace", stack_boot_setup);

/**
 * trace_stack_init - get the filter ready, and do what the command line says
 *
 * Context: boot, once, may sleep; before the files of the top instance.
 */
void __init trace_stack_init(void)
{
	int ret;

	stack_functions.tr = trace_top_instance();
	trace_filter_init(&stack_functions);
	ret = *boot_filter ? trace_filter_set_text(&stack_functions, boot_filter, false) : 0;
	if (ret < 0)
		pr_warn("ftrace: stacktrace_filter= is not in force: error %d\n", ret);
	else if (ret)
		pr_warn("ftrace: no function matches a pattern of stacktrace_filter=\n");
	guard(mutex)(&stack_mutex);
	ret = stack_hook(stack_tracer_enabled);
	if (ret) {
		pr_warn("ftrace: stacktrace: error %d\n", ret);
		stack_tracer_enabled = 0;
	}
}
