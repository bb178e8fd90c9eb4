// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose functions call each other in known shapes, for the cases in
 * tools/testing/selftests/ftrace/test.d/graph: writing the name of a shape to
 * parameters/run makes its calls.
 *
 * All that is named shape_* can be traced, and nothing else here. A barrier behind a call
 * keeps the compiler from making a jump of it. Where a jump is wanted, there is none, and
 * the Makefile asks for jumps, as configurations with frame pointers avoid them.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/trace_clock.h>
#include <linux/uaccess.h>

#include "graph/frames.h"
#include "lib/one_cpu.h"

/*
 * Sleep by the trace clock. msleep() counts ticks, and a CPU that was stalled handles several
 * late ones at once.
 */
static notrace void sleep_40ms(void)
{
	migrate_disable();
	test_sleep(40);
	migrate_enable();
}

static noinline __noclone void shape_leaf(void)
{
	barrier();
}

static noinline __noclone void shape_mid(void)
{
	shape_leaf();
	shape_leaf();
	barrier();
}

static noinline __noclone long shape_nest(void)
{
	shape_leaf();
	shape_mid();
	shape_mid();
	barrier();
	return 0;
}

static noinline __noclone long shape_recurse(long depth)
{
	long calls = depth > 1 ? shape_recurse(depth - 1) : 0;

	barrier();
	return calls + 1;
}

/* Where the end of a chain of jumps returns to. */
static unsigned long jump_returns_to;

static noinline __noclone void shape_jump_end(void)
{
	jump_returns_to = _RET_IP_;
	barrier();
}

static noinline __noclone void shape_jump_next(void)
{
	barrier();
	shape_jump_end();
}

static noinline __noclone void shape_jump(void)
{
	barrier();
	shape_jump_next();
}

static noinline __noclone void shape_jumps(void)
{
	shape_leaf();
	shape_jump();
	shape_jump_next();
	barrier();
}

static noinline __noclone void shape_sleep(void)
{
	shape_leaf();
	sleep_40ms();
	shape_leaf();
	barrier();
}

static noinline __noclone void shape_irq(struct irq_work *work)
{
	shape_mid();
	barrier();
}

/* The interrupt comes between the two leaves, as no other task does, and waits for none. */
static noinline __noclone void shape_interrupted(void)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(shape_irq);

	shape_leaf();
	preempt_disable_notrace();
	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
	preempt_enable_notrace();
	shape_leaf();
	barrier();
}

/* The page of error pointers is nobody's. */
static noinline __noclone long shape_fault_kernel(void)
{
	long word, ret;

	ret = copy_from_kernel_nofault(&word, (void *)-PAGE_SIZE, sizeof(word));
	barrier();
	return ret;
}

static noinline __noclone long shape_fault_user(void)
{
	u32 __user *nothing = (u32 __user *)sizeof(u32);
	long ret;
	u32 word;

	ret = get_user(word, nothing);
	barrier();
	return ret ?: word;
}

static noinline __noclone long shape_fault(void)
{
	long ret;

	shape_leaf();
	ret = shape_fault_kernel() == -EFAULT && shape_fault_user() == -EFAULT ? 0 : -EIO;
	shape_leaf();
	barrier();
	return ret;
}

static noinline __noclone void shape_stack_inner(void)
{
	dump_stack();
	barrier();
}

static noinline __noclone void shape_stack(void)
{
	shape_stack_inner();
	barrier();
}

static noinline __noclone void shape_warn_inner(void)
{
	WARN(1, "graph_shapes: it was asked for\n");
	barrier();
}

static noinline __noclone void shape_warn_mid(void)
{
	shape_warn_inner();
	barrier();
}

static noinline __noclone void shape_warn_jump(void)
{
	barrier();
	shape_warn_mid();
}

static noinline __noclone void shape_warn(void)
{
	shape_leaf();
	shape_warn_jump();
	barrier();
}

/* No tracer can hook this function, so no trace shows calls of it. */
static noinline __noclone notrace void shape_unseen(void)
{
	barrier();
}

/*
 * The call after the store makes the compiler build a stack frame. Without one, the unwinder of
 * arm64 cannot find the caller of a function that oopses.
 */
static noinline __noclone void shape_oops_inner(void)
{
	int *nowhere = NULL;

	OPTIMIZER_HIDE_VAR(nowhere);
	WRITE_ONCE(*nowhere, 0);
	shape_unseen();
	barrier();
}

static noinline __noclone void shape_oops_mid(void)
{
	shape_oops_inner();
	barrier();
}

static noinline __noclone void shape_oops_jump(void)
{
	barrier();
	shape_oops_mid();
}

/* A thread runs this. It dies in shape_oops_inner(), where it holds no lock. */
static noinline __noclone int shape_oops(void *done)
{
	complete(done);
	shape_oops_jump();
	barrier();
	return 0;
}

/* Until a signal comes. */
static noinline __noclone long shape_wait_inner(void)
{
	DECLARE_COMPLETION_ONSTACK(never);
	long ret = wait_for_completion_interruptible(&never);

	barrier();
	return ret;
}

static noinline __noclone long shape_wait(void)
{
	long ret = shape_wait_inner();

	barrier();
	return ret;
}

static noinline __noclone int shape_thread(void *done)
{
	shape_leaf();
	complete(done);
	return 0;
}

static noinline __noclone void __noreturn shape_exit(struct completion *done)
{
	shape_leaf();
	kthread_complete_and_exit(done, 0);
}

static noinline __noclone int shape_exiting(void *done)
{
	shape_mid();
	shape_exit(done);
}

enum shape_hue { SHAPE_RED, SHAPE_BLUE = 7 };

struct shape_pair {
	long	one, two;
};

/* Each takes a register for each word, and looks at it, so the caller has to fill it. */
static noinline __noclone void shape_numbers(int a, unsigned int b, s8 c, u16 d, bool e, char f)
{
	asm volatile("" : : "r" (a), "r" (b), "r" ((int)c), "r" ((int)d), "r" ((int)e));
	asm volatile("" : : "r" ((int)f));
}

static noinline __noclone void shape_others(const void *nowhere, enum shape_hue hue,
					    enum shape_hue none, struct shape_pair pair)
{
	asm volatile("" : : "r" (nowhere), "r" (hue), "r" (none), "r" (pair.one), "r" (pair.two));
}

static noinline __noclone long shape_many(long a, long b, long c, long d, long e, long f,
					  long g, long h, long i)
{
	long sum = a + b + c + d + e + f + g + h + i;

	OPTIMIZER_HIDE_VAR(sum);
	return sum;
}

static noinline __noclone long shape_args(void)
{
	const struct shape_pair pair = { 1, -1 };
	long sum;

	shape_numbers(-5, 5, -128, 0xffff, true, 'x');
	shape_others(NULL, SHAPE_BLUE, 5, pair);
	sum = shape_many(1, 2, 3, 4, 5, 6, 7, 8, -36);
	barrier();
	return sum;
}

/*
 * Nanoseconds that shape_busy() and what belongs to it took, measured within a function,
 * so that the function takes longer, or around it, so that it takes less.
 */
static unsigned long busy_within, busy_around, busy_child_within, busy_child_around;
static unsigned long busy_irq_within, busy_sleep_around;
module_param(busy_within, ulong, 0444);
module_param(busy_around, ulong, 0444);
module_param(busy_child_within, ulong, 0444);
module_param(busy_child_around, ulong, 0444);
module_param(busy_irq_within, ulong, 0444);
module_param(busy_sleep_around, ulong, 0444);

/* Run, for so many milliseconds. */
static __always_inline unsigned long busy_spin(unsigned int ms)
{
	u64 begin = trace_clock_local();

	while (trace_clock_local() - begin < ms * NSEC_PER_MSEC)
		cpu_relax();
	return trace_clock_local() - begin;
}

static noinline __noclone void shape_busy_child(void)
{
	busy_child_within = busy_spin(5);
}

static noinline __noclone void shape_busy_irq(struct irq_work *work)
{
	busy_irq_within = busy_spin(3);
}

static noinline __noclone void shape_busy(void)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(shape_busy_irq);
	u64 begin = trace_clock_local(), then;

	busy_spin(5);
	then = trace_clock_local();
	shape_busy_child();
	busy_child_around = trace_clock_local() - then;
	preempt_disable_notrace();
	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
	preempt_enable_notrace();
	then = trace_clock_local();
	sleep_40ms();
	busy_sleep_around = trace_clock_local() - then;
	busy_within = trace_clock_local() - begin;
}

static notrace int run_nest(void)
{
	return shape_nest();
}

static notrace int run_recurse(void)
{
	return shape_recurse(60) == 60 ? 0 : -EIO;
}

/* More calls within each other than a shadow stack has room for. */
static long deep = GRAPH_FRAMES + 10;
module_param(deep, long, 0444);
MODULE_PARM_DESC(deep, "the calls of the shape of that name");

static notrace int run_deep(void)
{
	return shape_recurse(deep) == deep ? 0 : -EIO;
}

static notrace int run_jumps(void)
{
	shape_jumps();
	return 0;
}

static notrace int run_sleep(void)
{
	shape_sleep();
	return 0;
}

static notrace int run_interrupted(void)
{
	shape_interrupted();
	return 0;
}

static notrace int run_fault(void)
{
	return shape_fault();
}

static notrace int run_stack(void)
{
	shape_stack();
	return 0;
}

static notrace int run_warn(void)
{
	shape_warn();
	return 0;
}

static notrace int run_wait(void)
{
	return shape_wait();
}

static notrace int run_args(void)
{
	return shape_args();
}

static notrace int run_busy(void)
{
	u64 begin = trace_clock_local();

	shape_busy();
	busy_around = trace_clock_local() - begin;
	return 0;
}

/* A kernel thread on this CPU, so that all are in its buffer. */
static notrace int run_in_thread(int (*func)(void *done))
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;

	task = kthread_create(func, &done, "graph_shapes");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, raw_smp_processor_id());
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&done);
	/* It is about to end by itself. */
	return kthread_stop_put(task);
}

static notrace int run_thread(void)
{
	return run_in_thread(shape_thread);
}

static notrace int run_exit(void)
{
	return run_in_thread(shape_exiting);
}

static notrace int run_oops(void)
{
	return run_in_thread(shape_oops);
}

static const struct {
	const char	*name;
	int		(*run)(void);
} shapes[] = {
	{ "nest", run_nest },
	{ "recurse", run_recurse },
	{ "deep", run_deep },
	{ "jumps", run_jumps },
	{ "sleep", run_sleep },
	{ "interrupted", run_interrupted },
	{ "fault", run_fault },
	{ "stack", run_stack },
	{ "warn", run_warn },
	{ "oops", run_oops },
	{ "wait", run_wait },
	{ "busy", run_busy },
	{ "args", run_args },
	{ "thread", run_thread },
	{ "exit", run_exit },
};

static notrace int shapes_set_run(const char *text, const struct kernel_param *kp)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (sysfs_streq(text, shapes[i].name))
			return shapes[i].run();
	}
	return -EINVAL;
}

static const struct kernel_param_ops shapes_run_ops = {
	.set = shapes_set_run,
};
module_param_cb(run, &shapes_run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "name of a shape, whose calls are made; an error: they went wrong");

static bool jumps;
module_param(jumps, bool, 0444);
MODULE_PARM_DESC(jumps, "calls were jumps while the module was loaded");

static int __init notrace graph_shapes_init(void)
{
	shape_jump();
	barrier();
	/* The end of the chain returned to here, not to one of the chain's. */
	jumps = within_module_init(jump_returns_to, THIS_MODULE);
	return 0;
}
module_init(graph_shapes_init);

static void __exit notrace graph_shapes_exit(void)
{
}
module_exit(graph_shapes_exit);

MODULE_DESCRIPTION("Calls of known shape, for tests of function_graph");
MODULE_LICENSE("GPL");
