// SPDX-License-Identifier: GPL-2.0
/*
 * How long tasks are interrupted: the other part, beside sleep.c, of the time between a
 * function's entry and its return in which it did not run.
 *
 * A hardware interrupt lasts from irq_enter_rcu() to irq_exit_rcu(), whose entries are
 * hooked, and a softirq from its one tracepoint to the other. The time goes to the task
 * that was interrupted, if it has a shadow stack, when the interrupt ends: calls within the
 * interrupt do not see it. A hardware interrupt may come within a softirq, and that one's sum
 * then replaces what the inner one has added.
 *
 * NMIs are not told apart, nor are the interrupts that only ask to reschedule. With
 * PREEMPT_RT softirqs are work that tasks do, and sleep in.
 *
 * All of this runs with interrupts off, or is the softirq itself, so a CPU's own data need
 * no lock. The hooks are registered while there is a user; each such period is a run, with a
 * number. The hooks at the end of interrupts are registered first and removed last, so an
 * interrupt whose beginning was seen has its end seen, too. One whose end was missed all the
 * same has the number of an earlier run, and is ignored: it was going on when the run ended, or
 * when kernel.ftrace_enabled was turned off, since turning that on begins another run, too.
 */
#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <trace/events/irq.h>

#include "graph/graph.h"
#include "graph/internal.h"
#include "hooks/hooks.h"
#include "lib/clock.h"

enum {
	INTERRUPT_SOFT,
	INTERRUPT_HARD,
	INTERRUPT_LEVELS
};

/**
 * struct interrupt_cpu - the interrupts that a CPU is in
 * @began: when, by level
 * @before: how long the task had been interrupted then
 * @run: during which run; 0: it is in none
 */
struct interrupt_cpu {
	u64	began[INTERRUPT_LEVELS];	/* own CPU */
	u64	before[INTERRUPT_LEVELS];	/* own CPU */
	u32	run[INTERRUPT_LEVELS];		/* own CPU */
};

static DEFINE_PER_CPU(struct interrupt_cpu, interrupt_cpus);

/**
 * struct interrupt_hooks - the hooks of a run
 * @enter: at the beginning of a hardware interrupt
 * @exit: at its end
 * @run: the run's number
 * @retired: frees this when the hooks have ended
 *
 * A hook or probe may still run when it is unregistered. It notes the number of its own run, so
 * the next run does not wait for it.
 */
struct interrupt_hooks {
	struct ftrace_ops	enter;
	struct ftrace_ops	exit;
	unsigned long		run;
	struct ftrace_retired	retired;
};

static DEFINE_MUTEX(graph_interrupt_mutex);
static unsigned int interrupt_users;		/* under graph_interrupt_mutex */
static unsigned long interrupt_run;		/* under the mutex, READ_ONCE() */
static struct interrupt_hooks *interrupt_hooks;	/* under the mutex */

/* The number of a run as CPUs note it. Both parts of the sum only grow. 0 is of no run. */
static u32 interrupt_run_noted(u32 run)
{
	return run + READ_ONCE(ftrace_hooks_resumed) ?: 1;
}

static void interrupt_begin(unsigned int level, u32 run)
{
	struct interrupt_cpu *cpu = this_cpu_ptr(&interrupt_cpus);
	const struct graph_stack *stack = READ_ONCE(current->graph_stack);

	cpu->before[level] = stack ? READ_ONCE(stack->interrupted) : 0;
	cpu->began[level] = trace_clock_called();
	WRITE_ONCE(cpu->run[level], interrupt_run_noted(run));
}

static void interrupt_end(unsigned int level, u32 run)
{
	struct interrupt_cpu *cpu = this_cpu_ptr(&interrupt_cpus);
	struct graph_stack *stack = READ_ONCE(current->graph_stack);
	u64 now = trace_clock_called();
	s64 took = now - cpu->began[level];

	if (stack && took > 0 && cpu->run[level] == interrupt_run_noted(run)) {
		WRITE_ONCE(stack->interrupted, cpu->before[level] + took);
		WRITE_ONCE(stack->interrupted_until, now);
	}
	WRITE_ONCE(cpu->run[level], 0);
}

/* At the entry of irq_enter_rcu(), which is about to count the interrupt. */
static void interrupt_hook_enter(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (!in_hardirq())
		interrupt_begin(INTERRUPT_HARD,
				container_of(ops, struct interrupt_hooks, enter)->run);
}

/* At the entry of irq_exit_rcu(), which has not yet counted it out. */
static void interrupt_hook_exit(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (hardirq_count() == HARDIRQ_OFFSET)
		interrupt_end(INTERRUPT_HARD,
			      container_of(ops, struct interrupt_hooks, exit)->run);
}

/* @run: the number of the run. */
static void interrupt_probe_soft_entry(void *run, unsigned int vec_nr)
{
	interrupt_begin(INTERRUPT_SOFT, (unsigned long)run);
}

static void interrupt_probe_soft_exit(void *run, unsigned int vec_nr)
{
	interrupt_end(INTERRUPT_SOFT, (unsigned long)run);
}

static int interrupt_hook_add(struct ftrace_ops *ops, ftrace_func_t hook, void (*func)(void))
{
	int ret;

	/* The callbacks call nothing that could be hooked. */
	ops->func = hook;
	ops->flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_NO_FREGS;
	ret = ftrace_set_filter_ip(ops, (unsigned long)func, 0, 1);
	return ret ?: register_ftrace_function(ops);
}

static int interrupt_probes_add(void *run)
{
	int ret;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return 0;
	ret = register_trace_softirq_exit(interrupt_probe_soft_exit, run);
	if (ret)
		return ret;
	ret = register_trace_softirq_entry(interrupt_probe_soft_entry, run);
	if (ret)
		unregister_trace_softirq_exit(interrupt_probe_soft_exit, run);
	return ret;
}

static void interrupt_probes_del(void *run)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	unregister_trace_softirq_entry(interrupt_probe_soft_entry, run);
	unregister_trace_softirq_exit(interrupt_probe_soft_exit, run);
}

static void interrupt_hooks_free(struct ftrace_retired *retired)
{
	struct interrupt_hooks *hooks = container_of(retired, struct interrupt_hooks, retired);

	ftrace_free_filter(&hooks->enter);
	ftrace_free_filter(&hooks->exit);
	kfree(hooks);
}

static void interrupt_hooks_retire(struct interrupt_hooks *hooks)
{
	guard(ftrace_lock)();
	ftrace_retire(&hooks->retired);
}

/* Register all of a run, or nothing. */
static int interrupt_hooks_add(struct interrupt_hooks *hooks)
{
	int ret = interrupt_probes_add((void *)hooks->run);

	if (ret)
		return ret;
	ret = interrupt_hook_add(&hooks->exit, interrupt_hook_exit, irq_exit_rcu);
	if (ret)
		goto err_probes;
	ret = interrupt_hook_add(&hooks->enter, interrupt_hook_enter, irq_enter_rcu);
	if (!ret)
		return 0;
	ftrace_ops_unregister_nowait(&hooks->exit);
err_probes:
	interrupt_probes_del((void *)hooks->run);
	return ret;
}

static int interrupt_watch(void)
{
	struct interrupt_hooks *hooks = kzalloc(sizeof(*hooks), GFP_KERNEL);
	int ret;

	if (!hooks)
		return -ENOMEM;
	WRITE_ONCE(interrupt_run, interrupt_run + 1);
	hooks->run = interrupt_run;
	hooks->retired.free = interrupt_hooks_free;
	ret = interrupt_hooks_add(hooks);
	if (ret)
		interrupt_hooks_retire(hooks);
	else
		interrupt_hooks = hooks;
	return ret;
}

/**
 * fgraph_interrupts_get - add up how long tasks are interrupted, from now on
 *
 * Context: task, may sleep; takes graph_interrupt_mutex, and ftrace_lock() within.
 * Return: 0, fgraph_interrupts_put() must follow; or the errno of registering a hook.
 */
int fgraph_interrupts_get(void)
{
	int ret = 0;

	guard(mutex)(&graph_interrupt_mutex);
	if (!interrupt_users)
		ret = interrupt_watch();
	if (!ret)
		interrupt_users++;
	return ret;
}

/**
 * fgraph_interrupts_put - undo one fgraph_interrupts_get()
 *
 * Context: task, may sleep; takes graph_interrupt_mutex, and ftrace_lock() within.
 */
void fgraph_interrupts_put(void)
{
	guard(mutex)(&graph_interrupt_mutex);
	if (--interrupt_users)
		return;
	ftrace_ops_unregister_nowait(&interrupt_hooks->enter);
	ftrace_ops_unregister_nowait(&interrupt_hooks->exit);
	interrupt_probes_del((void *)interrupt_hooks->run);
	interrupt_hooks_retire(interrupt_hooks);
}

/**
 * fgraph_interrupted - how long current was interrupted, for a difference of two
 * @until: a time that has just been read, of trace_clock_called(). It is read again if an
 *	interrupt has come since, so that it and what is returned belong together
 *
 * Context: a callback of a user of returns; preemption is off.
 * Return: nanoseconds.
 */
u64 fgraph_interrupted(u64 *until)
{
	const struct graph_stack *stack = READ_ONCE(current->graph_stack);
	u64 interrupted;

	if (!stack)
		return 0;
	interrupted = READ_ONCE(stack->interrupted);
	/* Read after the sum: an interrupt that came before this is in it, or seen here. */
	barrier();
	if (likely(READ_ONCE(stack->interrupted_until) <= *until))
		return interrupted;
	/* Not until it is behind: another CPU's clock may be ahead. */
	do {
		interrupted = READ_ONCE(stack->interrupted);
		barrier();
		*until = trace_clock_called();
		barrier();
	} while (READ_ONCE(stack->interrupted) != interrupted);
	return interrupted;
}

/**
 * fgraph_interrupted_at_entry - how long current was interrupted when this call began
 *
 * If an interrupt has come since then, all the time since counts as interrupt of the call.
 *
 * Context: struct fgraph_ops::entryfunc.
 * Return: nanoseconds, to be taken from what fgraph_interrupted() tells at the return.
 */
u64 fgraph_interrupted_at_entry(void)
{
	const struct ftrace_ret_stack *frame = graph_stack_top(current->graph_stack);
	u64 now = frame->calltime;
	u64 interrupted = fgraph_interrupted(&now);

	return interrupted - (now - frame->calltime);
}

/**
 * fgraph_interrupt_level - in which interrupts is this call?
 *
 * Two calls of a task with the same answer, one within the other: the time of the inner
 * one is not part of fgraph_interrupted(). An NMI has the level of what it interrupts.
 *
 * Context: a callback of a user of returns; preemption is off.
 * Return: a bit for each of the interrupts that are measured; 0: none.
 */
unsigned int fgraph_interrupt_level(void)
{
	const struct interrupt_cpu *cpu = this_cpu_ptr(&interrupt_cpus);
	u32 run = interrupt_run_noted(READ_ONCE(interrupt_run));
	unsigned int level, in = 0;

	for (level = 0; level < INTERRUPT_LEVELS; level++)
		in |= (READ_ONCE(cpu->run[level]) == run) << level;
	return in;
}
