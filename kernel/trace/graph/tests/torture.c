// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks on returns that come and go at random, for test.d/graph/torture.tc: fprobes with and
 * without handlers of returns, kretprobes, and users of graph/ with and without data of each
 * call, beside whatever tracers the case switches.
 * They come to functions in which no task stays for long, so once the last one has gone,
 * parameters/left tells whether a task has a frame that nobody pops.
 *
 * Each worker has a table of hooks. It picks a place, and registers what it makes there, or
 * unregisters what it finds there and frees it, full of nonsense. Its choices depend on the
 * seed alone; a refused hook (the function's module has gone) is counted. Handlers check that
 * the data of the entry are there at the return.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/poison.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "graph/stack.h"
#include "graph/tests/torture.h"

#define TORTURE_WORKERS		2
#define TORTURE_SLEEPERS	3
#define TORTURE_PLACES		12	/* of each worker */

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "of the random numbers");

static atomic_t done = ATOMIC_INIT(0), refused = ATOMIC_INIT(0), hits = ATOMIC_INIT(0);
static atomic_t graph_hits = ATOMIC_INIT(0), wrong = ATOMIC_INIT(0);
module_param_named(done, done.counter, int, 0444);
MODULE_PARM_DESC(done, "hooks that were registered");
module_param_named(refused, refused.counter, int, 0444);
MODULE_PARM_DESC(refused, "hooks that were not");
module_param_named(hits, hits.counter, int, 0444);
MODULE_PARM_DESC(hits, "returns that handlers were told of");
module_param_named(graph_hits, graph_hits.counter, int, 0444);
MODULE_PARM_DESC(graph_hits, "those of them that users of graph/ were told of");
module_param_named(wrong, wrong.counter, int, 0444);
MODULE_PARM_DESC(wrong, "calls whose data were those of another, or whose result was wrong");

/*
 * Functions that tasks come out of: of here, of graph_shapes, of fork, exec, exit and open.
 * No task comes out of do_exit() and of shape_exit(), and their frames go with the task.
 */
static const char * const functions[] = {
	"torture_call", "torture_jump",
	"shape_leaf", "shape_mid", "shape_nest", "shape_recurse", "shape_sleep",
	"shape_jump", "shape_jump_next", "shape_irq", "shape_interrupted", "shape_fault",
	"shape_fault_user", "shape_exit", "shape_thread",
	"kernel_clone", "wake_up_new_task", "begin_new_exec", "do_exit", "do_filp_open",
	"handle_mm_fault",
};

/* Patterns of several functions, for fprobes and users of graph/. */
static const char * const patterns[] = { "torture_*", "shape_*", "shape_[j-m]*" };

enum torture_kind { TORTURE_FPROBE, TORTURE_KRETPROBE, TORTURE_GRAPH };

/**
 * struct torture_hook - one hook
 * @fp: an fprobe
 * @rp: a kretprobe
 * @gops: a user of graph/
 * @kind: which of them it is
 * @words: of data that a user of graph/ keeps for each call
 * @declines: one of so many entries is refused; 0: none
 * @entries: counted for this
 */
struct torture_hook {
	union {
		struct fprobe		fp;
		struct kretprobe	rp;
		struct fgraph_ops	gops;
	};
	enum torture_kind	kind;
	unsigned int		words;
	unsigned int		declines;
	atomic_t		entries;
};

struct torture_worker {
	struct task_struct	*task;
	struct rnd_state	random;
	struct torture_hook	*places[TORTURE_PLACES];
};

static struct torture_worker workers[TORTURE_WORKERS];
static struct task_struct *sleepers[TORTURE_SLEEPERS];
static struct rnd_state sleeper_random[TORTURE_SLEEPERS];

/* The data of a call: they differ from those of any other hook, function or task. */
static u64 cookie(const struct torture_hook *hook, unsigned long ip)
{
	return (unsigned long)hook ^ ip ^ (unsigned long)current << 1;
}

static bool declines(struct torture_hook *hook)
{
	return hook->declines && !(atomic_inc_return(&hook->entries) % hook->declines);
}

static int fprobe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret,
			struct pt_regs *regs, void *data)
{
	struct torture_hook *hook = container_of(fp, struct torture_hook, fp);

	if (data)
		*(u64 *)data = cookie(hook, ip);
	return declines(hook);
}

static void fprobe_exit(struct fprobe *fp, unsigned long ip, unsigned long ret,
			struct pt_regs *regs, void *data)
{
	struct torture_hook *hook = container_of(fp, struct torture_hook, fp);

	if (data && *(u64 *)data != cookie(hook, ip))
		atomic_inc(&wrong);
	atomic_inc(&hits);
}

static int kretprobe_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct torture_hook *hook = container_of(get_kretprobe(ri), struct torture_hook, rp);

	*(u64 *)ri->data = cookie(hook, (unsigned long)hook->rp.kp.addr);
	return declines(hook);
}

static int kretprobe_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct torture_hook *hook;

	if (!rp)
		return 0;
	hook = container_of(rp, struct torture_hook, rp);
	if (*(u64 *)ri->data != cookie(hook, (unsigned long)hook->rp.kp.addr))
		atomic_inc(&wrong);
	atomic_inc(&hits);
	return 0;
}

static int graph_entry(struct ftrace_graph_ent *call, struct fgraph_ops *gops)
{
	struct torture_hook *hook = container_of(gops, struct torture_hook, gops);
	unsigned int i;
	u64 *data;

	if (hook->words) {
		data = fgraph_reserve_data(gops->idx, hook->words * sizeof(*data));
		/* The stack is full. */
		if (!data)
			return 0;
		for (i = 0; i < hook->words; i++)
			data[i] = cookie(hook, call->func) + i;
	}
	return !declines(hook);
}

static void graph_return(struct ftrace_graph_ret *call, struct fgraph_ops *gops)
{
	struct torture_hook *hook = container_of(gops, struct torture_hook, gops);
	unsigned int i;
	int size = 0;
	bool good;
	u64 *data;

	data = fgraph_retrieve_data(gops->idx, &size);
	if (!data)
		size = 0;
	good = size == hook->words * sizeof(*data);
	for (i = 0; good && i < hook->words; i++)
		good = data[i] == cookie(hook, call->func) + i;
	if (!good)
		atomic_inc(&wrong);
	atomic_inc(&hits);
	atomic_inc(&graph_hits);
}

static u32 torture_random(struct rnd_state *random, u32 below)
{
	return prandom_u32_state(random) % below;
}

static const char *random_function(struct rnd_state *random)
{
	return functions[torture_random(random, ARRAY_SIZE(functions))];
}

/* At a pattern, or at some functions by their names. */
static int hook_fprobe(struct torture_hook *hook, struct rnd_state *random)
{
	u32 kind = torture_random(random, 4), nr = 1 + torture_random(random, 3), i;
	const char *names[3];

	if (kind) {
		hook->fp.entry_handler = fprobe_entry;
		hook->fp.exit_handler = fprobe_exit;
		hook->fp.entry_data_size = kind > 1 ? sizeof(u64) * kind : 0;
	} else {
		hook->fp.entry_handler = fprobe_entry;
	}
	if (!torture_random(random, 4))
		hook->fp.nr_maxactive = 1 + torture_random(random, 4);
	if (!torture_random(random, 4))
		hook->fp.flags = FPROBE_FL_KPROBE_SHARED;
	if (!torture_random(random, 3))
		return register_fprobe(&hook->fp,
				       patterns[torture_random(random, ARRAY_SIZE(patterns))],
				       NULL);
	for (i = 0; i < nr; i++)
		names[i] = random_function(random);
	return register_fprobe_syms(&hook->fp, names, nr);
}

static int hook_kretprobe_at(struct torture_hook *hook, const char *function, int maxactive)
{
	hook->rp.kp.symbol_name = function;
	hook->rp.entry_handler = kretprobe_entry;
	hook->rp.handler = kretprobe_exit;
	hook->rp.data_size = sizeof(u64);
	hook->rp.maxactive = maxactive;
	return register_kretprobe(&hook->rp);
}

static int hook_kretprobe(struct torture_hook *hook, struct rnd_state *random)
{
	const char *function = random_function(random);

	return hook_kretprobe_at(hook, function, 1 + torture_random(random, 16));
}

/* If the filter cannot be set, nothing is hooked: without one it would be all functions. */
static int hook_graph_at(struct torture_hook *hook, const char *pattern)
{
	char text[KSYM_NAME_LEN];
	int ret;

	strscpy(text, pattern);
	hook->gops.entryfunc = graph_entry;
	hook->gops.retfunc = graph_return;
	ret = ftrace_set_filter(&hook->gops.ops, text, strlen(text), 1);
	ret = ret ?: register_ftrace_graph(&hook->gops);
	if (ret)
		ftrace_free_filter(&hook->gops.ops);
	return ret;
}

/* Hook the functions that a pattern of several matches, or one function. */
static int hook_graph(struct torture_hook *hook, struct rnd_state *random)
{
	const char *pattern = random_function(random);

	if (!torture_random(random, 3))
		pattern = patterns[torture_random(random, ARRAY_SIZE(patterns))];
	hook->words = torture_random(random, FGRAPH_MAX_DATA_SIZE / sizeof(u64) + 1);
	return hook_graph_at(hook, pattern);
}

static void hook_free(struct torture_hook *hook)
{
	memset(hook, POISON_FREE, sizeof(*hook));
	kfree(hook);
}

static int hook_begin(struct torture_hook *hook, struct rnd_state *random)
{
	switch (hook->kind) {
	case TORTURE_KRETPROBE:
		return hook_kretprobe(hook, random);
	case TORTURE_GRAPH:
		return hook_graph(hook, random);
	default:
		return hook_fprobe(hook, random);
	}
}

static struct torture_hook *hook_make(struct rnd_state *random)
{
	struct torture_hook *hook = kzalloc(sizeof(*hook), GFP_KERNEL);
	u32 kind = torture_random(random, 4);
	int ret;

	if (!hook)
		return NULL;
	hook->kind = kind ? kind - 1 : TORTURE_FPROBE;
	hook->declines = torture_random(random, 4) ? 0 : 2 + torture_random(random, 5);
	ret = hook_begin(hook, random);
	atomic_inc(ret ? &refused : &done);
	if (!ret)
		return hook;
	hook_free(hook);
	return NULL;
}

static void hook_end(struct torture_hook *hook)
{
	if (!hook)
		return;
	switch (hook->kind) {
	case TORTURE_KRETPROBE:
		unregister_kretprobe(&hook->rp);
		break;
	case TORTURE_GRAPH:
		unregister_ftrace_graph(&hook->gops);
		ftrace_free_filter(&hook->gops.ops);
		break;
	default:
		if (unregister_fprobe(&hook->fp))
			atomic_inc(&wrong);
	}
	hook_free(hook);
}

/* Hooks of each kind on one function, whose name is written to parameters/hold. */
static struct torture_hook *held[TORTURE_GRAPH + 1];
static char held_function[KSYM_NAME_LEN];

static int hook_held(struct torture_hook *hook)
{
	switch (hook->kind) {
	case TORTURE_KRETPROBE:
		return hook_kretprobe_at(hook, held_function, 1);
	case TORTURE_GRAPH:
		hook->words = 2;
		return hook_graph_at(hook, held_function);
	default:
		hook->fp.entry_handler = fprobe_entry;
		hook->fp.exit_handler = fprobe_exit;
		hook->fp.entry_data_size = sizeof(u64);
		return register_fprobe(&hook->fp, held_function, NULL);
	}
}

static void torture_let_go(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(held); i++) {
		hook_end(held[i]);
		held[i] = NULL;
	}
}

static int torture_hold(void)
{
	struct torture_hook *hook;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(held); i++) {
		hook = kzalloc(sizeof(*hook), GFP_KERNEL);
		if (!hook)
			return -ENOMEM;
		hook->kind = i;
		ret = hook_held(hook);
		if (ret) {
			hook_free(hook);
			return ret;
		}
		held[i] = hook;
	}
	return 0;
}

static int torture_set_hold(const char *text, const struct kernel_param *kp)
{
	int ret;

	torture_let_go();
	strscpy(held_function, text);
	strim(held_function);
	if (!*held_function)
		return 0;
	ret = torture_hold();
	if (ret)
		torture_let_go();
	return ret;
}

static const struct kernel_param_ops torture_hold_ops = {
	.set = torture_set_hold,
};
module_param_cb(hold, &torture_hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "a function that has a hook of each kind; nothing: none has");

static int worker_main(void *arg)
{
	struct torture_worker *worker = arg;
	struct torture_hook **place;
	int i;

	while (!kthread_should_stop()) {
		place = &worker->places[torture_random(&worker->random, TORTURE_PLACES)];
		if (*place) {
			hook_end(*place);
			*place = NULL;
		} else {
			*place = hook_make(&worker->random);
		}
		msleep(torture_random(&worker->random, 8));
	}
	for (i = 0; i < TORTURE_PLACES; i++) {
		hook_end(worker->places[i]);
		worker->places[i] = NULL;
	}
	return 0;
}

/* Is in hooked functions most of the time. */
static int sleeper_main(void *arg)
{
	struct rnd_state *random = arg;
	u32 depth, ms;

	while (!kthread_should_stop()) {
		depth = 1 + torture_random(random, 40);
		ms = torture_random(random, 100);
		if (torture_call(depth, ms) != depth || torture_jump(depth, 0) != depth)
			atomic_inc(&wrong);
	}
	return 0;
}

static void torture_stop(struct task_struct **task)
{
	if (!IS_ERR_OR_NULL(*task))
		kthread_stop(*task);
	*task = NULL;
}

static void torture_end(void)
{
	int i;

	/* The tasks that sleep in functions outlive the tasks that hook them. */
	for (i = 0; i < TORTURE_WORKERS; i++)
		torture_stop(&workers[i].task);
	for (i = 0; i < TORTURE_SLEEPERS; i++)
		torture_stop(&sleepers[i]);
}

static int torture_begin(void)
{
	int i;

	for (i = 0; i < TORTURE_SLEEPERS; i++) {
		prandom_seed_state(&sleeper_random[i], seed * 64ULL + i);
		sleepers[i] = kthread_run(sleeper_main, &sleeper_random[i], "torture_sleep/%d", i);
		if (IS_ERR(sleepers[i]))
			return PTR_ERR(sleepers[i]);
	}
	for (i = 0; i < TORTURE_WORKERS; i++) {
		prandom_seed_state(&workers[i].random, seed * 64ULL + 32 + i);
		workers[i].task = kthread_run(worker_main, &workers[i], "torture_hook/%d", i);
		if (IS_ERR(workers[i].task))
			return PTR_ERR(workers[i].task);
	}
	return 0;
}

static bool running;

static int torture_set_run(const char *text, const struct kernel_param *kp)
{
	bool was = running;
	int ret = param_set_bool(text, kp);

	if (ret || was == running)
		return ret;
	if (running)
		ret = torture_begin();
	if (ret || !running) {
		torture_end();
		running = false;
	}
	return ret;
}

static const struct kernel_param_ops torture_run_ops = {
	.set = torture_set_run,
	.get = param_get_bool,
};
module_param_cb(run, &torture_run_ops, &running, 0644);
MODULE_PARM_DESC(run, "hooks come and go; 0: all have gone");

/**
 * struct torture_left - what is left when nobody hooks anything
 * @frames: of functions that were hooked here
 * @rethooks: tasks with a return that a kretprobe awaits
 * @astray: tasks whose shadow stack has something where nothing can be
 * @idle: CPUs whose idle task was not to be seen
 * @pid: one of these tasks
 */
struct torture_left {
	unsigned int	frames;
	unsigned int	rethooks;
	unsigned int	astray;
	unsigned int	idle;
	pid_t		pid;
};

static bool is_ours(unsigned long func)
{
	char name[KSYM_SYMBOL_LEN];
	int i;

	sprint_symbol_no_offset(name, func);
	if (strstarts(name, "torture_") || strstarts(name, "shape_"))
		return true;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!strcmp(name, functions[i]))
			return true;
	}
	return false;
}

/* Does a kretprobe await a return of @task? */
static bool kretprobe_awaits(const struct task_struct *task)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return READ_ONCE(task->rethooks.first);
#else
	return READ_ONCE(task->kretprobe_instances.first);
#endif
}

/* @task is current in an interrupt, or sleeps, or calls no function that is hooked. */
static void look_at(struct torture_left *left, struct task_struct *task)
{
	const struct graph_stack *stack = READ_ONCE(task->graph_stack);
	u32 nr = stack ? READ_ONCE(stack->nr) : 0, i;
	unsigned int before = left->frames + left->rethooks + left->astray;

	left->rethooks += kretprobe_awaits(task);
	for (i = 0; i < min_t(u32, nr, GRAPH_FRAMES); i++)
		left->frames += is_ours(READ_ONCE(stack->frames[i].func));
	left->astray += stack && (nr > GRAPH_FRAMES || (!nr && stack->data != GRAPH_STACK_SIZE));
	if (left->frames + left->rethooks + left->astray != before)
		left->pid = task->pid;
}

/* On the CPU, in its interrupt. Idle tasks are in no list. */
static void look_at_idle(void *arg)
{
	struct torture_left *left = arg;

	if (is_idle_task(current))
		look_at(left, current);
	else
		left->idle++;
}

/* A task that reads this on one CPU sees the idle tasks of the others. */
static int torture_get_left(char *text, const struct kernel_param *kp)
{
	struct torture_left left = { };
	struct task_struct *process, *task;
	int cpu;

	scoped_guard(rcu) {
		for_each_process_thread(process, task)
			look_at(&left, task);
	}
	for_each_online_cpu(cpu) {
		if (cpu != raw_smp_processor_id())
			smp_call_function_single(cpu, look_at_idle, &left, 1);
	}
	return sysfs_emit(text, "frames %u rethooks %u astray %u busy %u pid %d\n", left.frames,
			  left.rethooks, left.astray, left.idle, left.pid);
}

static const struct kernel_param_ops torture_left_ops = {
	.get = torture_get_left,
};
module_param_cb(left, &torture_left_ops, NULL, 0444);
MODULE_PARM_DESC(left, "frames of tasks in functions that were hooked, when nobody hooks any");

static int __init graph_torture_init(void)
{
	return 0;
}
module_init(graph_torture_init);

static void __exit graph_torture_exit(void)
{
	torture_end();
	torture_let_go();
}
module_exit(graph_torture_exit);

MODULE_DESCRIPTION("Hooks on returns that come and go, for tests of ftrace");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
