// SPDX-License-Identifier: GPL-2.0
/*
 * Cells of variables: a hit interrupts a store, or is interrupted by one, or by another reader.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "events/hist/cell.h"

#define CELL_SIZE	(3 * sizeof(u64))

struct cell_env {
	struct hist_cell	*cell;
	u64			to[3];
};

static int cell_init(struct kunit *test)
{
	struct cell_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->cell = kunit_kzalloc(test, sizeof(*env->cell) + CELL_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->cell);
	test->priv = env;
	return 0;
}

static void cell_store(struct hist_cell *cell, u64 value)
{
	u64 state;

	if (!hist_cell_begin(cell, &state))
		return;
	for (int i = 0; i < 3; i++)
		cell->value[i] = value + i;
	hist_cell_end(cell, state, 7);
}

static int cell_get(struct cell_env *env, u32 wanted, u32 taken)
{
	return hist_cell_read(env->cell, env->to, CELL_SIZE, wanted, taken);
}

static void stored_and_taken(struct kunit *test)
{
	struct cell_env *env = test->priv;

	KUNIT_EXPECT_FALSE(test, hist_cell_has(env->cell, 1));
	KUNIT_EXPECT_EQ(test, cell_get(env, 1, 1), HIST_CELL_UNSET);
	cell_store(env->cell, 10);
	KUNIT_EXPECT_TRUE(test, hist_cell_has(env->cell, 7));
	KUNIT_EXPECT_EQ(test, cell_get(env, 7, 0), HIST_CELL_DONE);
	KUNIT_EXPECT_EQ(test, env->to[2], 12);
	KUNIT_EXPECT_EQ(test, cell_get(env, 3, 1), HIST_CELL_DONE);
	KUNIT_EXPECT_EQ(test, cell_get(env, 3, 1), HIST_CELL_UNSET);
	KUNIT_EXPECT_EQ(test, cell_get(env, 6, 2), HIST_CELL_DONE);
	KUNIT_EXPECT_FALSE(test, hist_cell_has(env->cell, 2));
	KUNIT_EXPECT_TRUE(test, hist_cell_has(env->cell, 4));
	cell_store(env->cell, 20);
	KUNIT_EXPECT_EQ(test, cell_get(env, 7, 7), HIST_CELL_DONE);
	KUNIT_EXPECT_EQ(test, env->to[0], 20);
}

/* A hit that interrupts a store can neither read nor store, and does not wait. */
static void interrupted_store(struct kunit *test)
{
	struct cell_env *env = test->priv;
	u64 state, other;

	cell_store(env->cell, 10);
	KUNIT_ASSERT_TRUE(test, hist_cell_begin(env->cell, &state));
	env->cell->value[0] = 99;
	KUNIT_EXPECT_EQ(test, cell_get(env, 7, 0), HIST_CELL_IN_USE);
	KUNIT_EXPECT_EQ(test, cell_get(env, 1, 1), HIST_CELL_IN_USE);
	KUNIT_EXPECT_FALSE(test, hist_cell_begin(env->cell, &other));
	/* The number may be about to come. */
	KUNIT_EXPECT_TRUE(test, hist_cell_has(env->cell, 8));
	KUNIT_EXPECT_EQ(test, hist_cell_end(env->cell, state, 7), 7);
	KUNIT_EXPECT_EQ(test, cell_get(env, 7, 7), HIST_CELL_DONE);
	KUNIT_EXPECT_EQ(test, env->to[0], 99);
}

/* The count of stores passes its end without touching the other bits. */
static void count_wraps(struct kunit *test)
{
	struct cell_env *env = test->priv;

	atomic64_set(&env->cell->state, GENMASK_ULL(62, 32) | 5);
	KUNIT_EXPECT_EQ(test, cell_get(env, 5, 4), HIST_CELL_DONE);
	cell_store(env->cell, 10);
	KUNIT_EXPECT_EQ(test, atomic64_read(&env->cell->state), 7);
	KUNIT_EXPECT_EQ(test, cell_get(env, 7, 7), HIST_CELL_DONE);
}

#define CELL_STORES	20000

static int cell_writer(void *data)
{
	struct hist_cell *cell = data;

	for (u64 i = 1; i <= CELL_STORES; i++) {
		scoped_guard(preempt)
			cell_store(cell, 10 * i);
		if (!(i % 100))
			cond_resched();
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* A store that is taken while others go on is taken as a whole, and once. */
static void whole_stores_are_taken(struct kunit *test)
{
	struct cell_env *env = test->priv;
	struct task_struct *task = kthread_run(cell_writer, env->cell, "kunit_cell");
	unsigned int torn = 0, again = 0;
	u64 last = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (READ_ONCE(env->cell->value[2]) != 10 * CELL_STORES + 2 ||
	       hist_cell_has(env->cell, 7)) {
		int ret;

		scoped_guard(preempt)
			ret = cell_get(env, 7, 7);
		if (ret != HIST_CELL_DONE) {
			schedule();
			continue;
		}
		torn += env->to[1] != env->to[0] + 1 || env->to[2] != env->to[0] + 2;
		again += env->to[0] <= last;
		last = env->to[0];
	}
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, torn, 0);
	KUNIT_EXPECT_EQ(test, again, 0);
	KUNIT_EXPECT_EQ(test, last, 10 * CELL_STORES);
}

static struct kunit_case cell_cases[] = {
	KUNIT_CASE(stored_and_taken),
	KUNIT_CASE(interrupted_store),
	KUNIT_CASE(count_wraps),
	KUNIT_CASE(whole_stores_are_taken),
	{}
};

static struct kunit_suite cell_suite = {
	.name		= "trace-event-hist-cell",
	.init		= cell_init,
	.test_cases	= cell_cases,
};

kunit_test_suite(cell_suite);
