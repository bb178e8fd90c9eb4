// SPDX-License-Identifier: GPL-2.0
/*
 * The task whose calls are hooked, and what other files of the kernel have for the hooks on
 * returns.
 */
#include "test.h"

int shim_level;
bool shim_irqs_off;
unsigned int shim_irq_works;

static struct task_struct the_task = { .comm = "task" };

struct task_struct *current = &the_task;

unsigned long test_failures, test_checks;

/* Counts in one instruction: an NMI before or behind it counts as well. */
bool test_expect(bool ok, const char *file, int line, const char *what)
{
	__atomic_fetch_add(&test_checks, 1, __ATOMIC_RELAXED);
	if (!ok) {
		__atomic_fetch_add(&test_failures, 1, __ATOMIC_RELAXED);
		fprintf(stderr, "FAIL %s:%d: not so: %s\n", file, line, what);
	}
	return ok;
}

void return_to_handler(void)
{
	abort();
}

/* A task without a stack takes a spare one at its first hit, as without memory. */
int graph_ahead_want(void)
{
	return graph_spares_want() < 0 ? -ENOMEM : 0;
}

void test_task_anew(void)
{
	current = NULL;
	ftrace_graph_exit_task(&the_task);
	current = &the_task;
	ftrace_graph_init_task(current);
}
