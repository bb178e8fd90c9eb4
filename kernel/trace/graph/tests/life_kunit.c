// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: tasks and users that come and go while returns are awaited.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/poison.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "graph/graph.h"
#include "graph/internal.h"
#include "graph/tests/targets.h"
#include "graph/tests/watch.h"
#include "hooks/hooks.h"

/* A task that goes into hooked functions. */
struct walker {
	struct task_struct	*task;
	struct completion	inside;		/* it is */
	struct completion	go_on;		/* it may */
	long			(*func)(void *arg);
	long			result;
};

static long walker_wait(void *arg)
{
	struct walker *walker = arg;

	complete(&walker->inside);
	wait_for_completion(&walker->go_on);
	return 40;
}

/* For a task that does not wait. */
static long walker_none(void *arg)
{
	return 0;
}

static long walker_exit(void *arg)
{
	struct walker *walker = arg;

	complete(&walker->inside);
	kthread_exit(42);
}

static long walker_deeper(void *arg)
{
	struct walker *walker = arg;

	return graph_target_call(walker->func, walker);
}

static int walker_main(void *arg)
{
	struct walker *walker = arg;

	walker->result = graph_target_call(walker_deeper, walker);
	return 0;
}

/* Two calls of graph_target_call(), and @func in the inner one. */
static void walker_start(struct kunit *test, struct walker *walker, long (*func)(void *arg))
{
	init_completion(&walker->inside);
	init_completion(&walker->go_on);
	walker->func = func;
	walker->task = kthread_create(walker_main, walker, "graph_walker");
	KUNIT_ASSERT_FALSE(test, IS_ERR(walker->task));
	get_task_struct(walker->task);
	wake_up_process(walker->task);
	wait_for_completion(&walker->inside);
}

/* It is not inside any more. */
static int walker_stop(struct walker *walker)
{
	complete(&walker->go_on);
	return kthread_stop(walker->task);
}

static void test_sleep(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_call, NULL);
	struct walker walker;

	graph_watch_begin(test, watch);
	walker_start(test, &walker, walker_wait);
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
	/* Others call hooked functions meanwhile, with stacks of their own. */
	KUNIT_EXPECT_EQ(test, 1, graph_target_call(walker_none, NULL));
	KUNIT_EXPECT_EQ(test, 0, walker_stop(&walker));
	put_task_struct(walker.task);
	KUNIT_EXPECT_EQ(test, 42, walker.result);
	KUNIT_ASSERT_EQ(test, 6, watch->nr);
	graph_watch_expect(test, watch, 1, graph_target_call, false, 1);
	graph_watch_expect(test, watch, 2, graph_target_call, false, 0);
	graph_watch_expect(test, watch, 3, graph_target_call, true, 0);
	graph_watch_expect(test, watch, 4, graph_target_call, true, 1);
	graph_watch_expect(test, watch, 5, graph_target_call, true, 0);
}

/* A user goes while its returns are awaited, and another one gets its number. */
static void test_unregister(struct kunit *test)
{
	struct graph_watch *first = graph_watch_alloc(test, graph_target_call, NULL);
	struct graph_watch *stays = graph_watch_alloc(test, graph_target_call, NULL);
	struct graph_watch *second = graph_watch_alloc(test, graph_target_call, NULL);
	struct walker walker;

	graph_watch_begin(test, first);
	graph_watch_begin(test, stays);
	walker_start(test, &walker, walker_wait);
	graph_watch_end(first);
	ftrace_hooks_drain();
	graph_watch_begin(test, second);
	KUNIT_EXPECT_EQ(test, first->gops.idx, second->gops.idx);
	KUNIT_EXPECT_EQ(test, 0, walker_stop(&walker));
	put_task_struct(walker.task);
	KUNIT_EXPECT_EQ(test, 42, walker.result);
	KUNIT_EXPECT_EQ(test, 2, first->nr);
	KUNIT_EXPECT_EQ(test, 4, stays->nr);
	KUNIT_EXPECT_EQ(test, 0, second->nr);
	KUNIT_EXPECT_EQ(test, 1, graph_target_call(walker_none, NULL));
	KUNIT_EXPECT_EQ(test, 2, second->nr);
}

/* All users are gone when the functions return. */
static void test_nobody(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_call, NULL);
	struct walker walker;

	graph_watch_begin(test, watch);
	walker_start(test, &walker, walker_wait);
	graph_watch_end(watch);
	KUNIT_EXPECT_EQ(test, 0, walker_stop(&walker));
	put_task_struct(walker.task);
	KUNIT_EXPECT_EQ(test, 42, walker.result);
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
}

/* A task dies inside of hooked functions. */
static void test_exit(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_call, NULL);
	struct walker walker;

	graph_watch_begin(test, watch);
	walker_start(test, &walker, walker_exit);
	KUNIT_EXPECT_EQ(test, 42, walker_stop(&walker));
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
	KUNIT_ASSERT_NOT_NULL(test, walker.task->graph_stack);
	KUNIT_EXPECT_EQ(test, 2, walker.task->graph_stack->nr);
	put_task_struct(walker.task);
}

/* The stacks that a child of this task has. */
struct child {
	struct graph_stack	*before, *after;
	struct completion	done;
};

static int child_main(void *arg)
{
	struct child *child = arg;

	child->before = current->graph_stack;
	graph_target_add(1);
	child->after = current->graph_stack;
	complete(&child->done);
	do_exit(0);
}

/* While returns are wanted, a task has a stack before it runs, and its child another one. */
static void test_child(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);
	struct child child = { };

	init_completion(&child.done);
	graph_watch_begin(test, watch);
	KUNIT_ASSERT_NOT_NULL(test, current->graph_stack);
	graph_target_add(1);
	KUNIT_ASSERT_GT(test, kernel_thread(child_main, &child, "graph_child", SIGCHLD), 0);
	wait_for_completion(&child.done);
	KUNIT_EXPECT_NOT_NULL(test, child.before);
	KUNIT_EXPECT_PTR_EQ(test, child.before, child.after);
	KUNIT_EXPECT_PTR_NE(test, child.after, current->graph_stack);
	KUNIT_EXPECT_EQ(test, 4, watch->nr);
	KUNIT_EXPECT_EQ(test, 0, fgraph_missed(&watch->gops, FGRAPH_MISS_NO_STACK));
}

static unsigned int tasks_without_stack(void)
{
	struct task_struct *process, *task;
	unsigned int without = 0;

	guard(rcu)();
	for_each_process_thread(process, task)
		without += !READ_ONCE(task->graph_stack);
	return without;
}

/*
 * When a user comes, all tasks get stacks, sleeping ones and idle tasks included, so that no
 * hit of theirs needs a work item.
 */
static void test_all_tasks(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);
	unsigned int i, cpu, without;

	graph_watch_begin(test, watch);
	/* A task that is being made is there for a moment without one. */
	for (i = 0; (without = tasks_without_stack()) && i < 100; i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 0, without);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_NOT_NULL(test, idle_task(cpu)->graph_stack);
}

/*
 * A user that is switched off and on many times has its number back each time. So it needs no
 * grace period, which a busy CPU may put off for as long as it likes.
 */
static void test_number_again(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);
	unsigned int i, idx;

	KUNIT_ASSERT_EQ(test, 0, fgraph_register_as(&watch->gops, NULL, NULL));
	idx = watch->gops.idx;
	for (i = 0; i < 3 * GRAPH_USERS; i++) {
		KUNIT_ASSERT_TRUE(test, fgraph_unregister_nowait(&watch->gops));
		KUNIT_ASSERT_EQ(test, 0, fgraph_register_as(&watch->gops, NULL, NULL));
		KUNIT_ASSERT_EQ(test, idx, watch->gops.idx);
	}
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
	unregister_ftrace_graph(&watch->gops);
	/* Others may have it in the end. */
	ftrace_hooks_drain();
	graph_watch_begin(test, watch);
}

/*
 * Tasks that have no stack when the slots are empty, as without memory: the work item is asked
 * for once, whatever its handler calls, and fills the slots.
 */
static void test_spares(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);
	struct graph_stack *own, **taken;
	unsigned int i, nr = 0;

	taken = kunit_kcalloc(test, 100, sizeof(*taken), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, taken);
	graph_watch_begin(test, watch);
	own = current->graph_stack;
	KUNIT_ASSERT_NOT_NULL(test, own);
	/* The handler of the irq_work would run here. */
	local_irq_disable();
	for (i = 0; i < 100; i++) {
		WRITE_ONCE(current->graph_stack, NULL);
		graph_target_add(1);
		if (current->graph_stack)
			taken[nr++] = current->graph_stack;
	}
	WRITE_ONCE(current->graph_stack, own);
	local_irq_enable();
	KUNIT_EXPECT_GT(test, nr, 0);
	KUNIT_EXPECT_EQ(test, 100 - nr, fgraph_missed(&watch->gops, FGRAPH_MISS_NO_STACK));
	while (nr)
		kfree(taken[--nr]);
	/* They are filled again. */
	for (i = 0; i < 500 && !nr; i++) {
		msleep(20);
		local_irq_disable();
		WRITE_ONCE(current->graph_stack, NULL);
		graph_target_add(1);
		if (current->graph_stack)
			taken[nr++] = current->graph_stack;
		WRITE_ONCE(current->graph_stack, own);
		local_irq_enable();
	}
	KUNIT_EXPECT_EQ(test, nr, 1);
	while (nr)
		kfree(taken[--nr]);
}

static int busy_main(void *arg)
{
	unsigned long *wrong = arg;

	while (!kthread_should_stop()) {
		if (graph_target_recurse(20) != 21)
			++*wrong;
		/* Unregistering waits until each task reports that it is outside. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* Users' memory goes, full of nonsense, as soon as they are unregistered. */
static void test_free(struct kunit *test)
{
	struct task_struct *tasks[4];
	unsigned long wrong[4] = { };
	struct graph_watch *watch;
	unsigned int i, round;

	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kthread_run(busy_main, &wrong[i], "graph_busy/%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
	}
	for (round = 0; round < 20; round++) {
		watch = kzalloc(sizeof(*watch), GFP_KERNEL);
		if (!watch)
			break;
		graph_watch_make(watch);
		KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&watch->gops.ops,
							      (unsigned long)graph_target_recurse,
							      0, 0));
		KUNIT_EXPECT_EQ(test, 0, register_ftrace_graph(&watch->gops));
		KUNIT_EXPECT_EQ(test, 21, graph_target_recurse(20));
		unregister_ftrace_graph(&watch->gops);
		KUNIT_EXPECT_GE(test, watch->nr, 42);
		ftrace_free_filter(&watch->gops.ops);
		memset(watch, POISON_FREE, sizeof(*watch));
		kfree(watch);
	}
	KUNIT_EXPECT_EQ(test, 20, round);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		kthread_stop(tasks[i]);
		KUNIT_EXPECT_EQ(test, 0, wrong[i]);
	}
}

#ifdef CONFIG_HOTPLUG_CPU

static u32 returning_frames;

/* Called behind what graph/idle.c has to do before a CPU is started. */
static int returning_prepare(unsigned int cpu)
{
	returning_frames = idle_task(cpu)->graph_stack->nr;
	return 0;
}

/*
 * The idle task of a CPU that comes back is in none of the calls that it has died in. Until the
 * CPU is started it may be on its way to its end still, so its frames stay.
 */
static void test_cpu_returns(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, arch_cpu_idle_dead, NULL);
	int first = cpumask_first(cpu_online_mask), cpu = cpumask_last(cpu_online_mask);
	const struct graph_stack *stack;
	int state, ret;

	/* The first one stays: some machines cannot do without. */
	if (cpu == first)
		kunit_skip(test, "there is one CPU");
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(first)));
	graph_watch_begin(test, watch);
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 1, watch->nr);
	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/graph:kunit",
					  returning_prepare, NULL);
	KUNIT_EXPECT_GT(test, state, 0);
	ret = add_cpu(cpu);
	if (state > 0)
		cpuhp_remove_state_nocalls(state);
	KUNIT_ASSERT_EQ(test, 0, ret);
	KUNIT_EXPECT_EQ(test, 1, returning_frames);
	stack = idle_task(cpu)->graph_stack;
	KUNIT_ASSERT_NOT_NULL(test, stack);
	KUNIT_EXPECT_EQ(test, 0, stack->nr);
	KUNIT_EXPECT_EQ(test, GRAPH_STACK_SIZE, stack->data);
}

#else

static void test_cpu_returns(struct kunit *test)
{
	kunit_skip(test, "CPUs do not go");
}

#endif

static struct kunit_case graph_life_cases[] = {
	KUNIT_CASE(test_sleep),
	KUNIT_CASE(test_unregister),
	KUNIT_CASE(test_nobody),
	KUNIT_CASE(test_exit),
	KUNIT_CASE(test_child),
	KUNIT_CASE(test_all_tasks),
	KUNIT_CASE(test_spares),
	KUNIT_CASE(test_number_again),
	KUNIT_CASE(test_free),
	KUNIT_CASE_SLOW(test_cpu_returns),
	{}
};

static struct kunit_suite graph_life_suite = {
	.name = "ftrace_graph_life",
	.init = graph_watch_init,
	.test_cases = graph_life_cases,
};

kunit_test_suite(graph_life_suite);
