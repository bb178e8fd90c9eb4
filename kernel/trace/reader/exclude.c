// SPDX-License-Identifier: GPL-2.0
/*
 * Which readers of an instance may be there at the same time. A CPU has at most one open
 * trace_pipe, as two would each get a part of the records. trace_reader_lock() excludes
 * consumers while one of them needs the records to stay where they are.
 */
#include <linux/cpumask.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "instance/tracer.h"
#include "reader/internal.h"

DEFINE_TRACE_SLOT(trace_reader_slot);

static DEFINE_SPINLOCK(pipe_cpus_lock);

/**
 * trace_readers_init - prepare what an instance's readers share
 * @readers: zeroed
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_readers_init(struct trace_readers *readers)
{
	int cpu;

	readers->cpu_locks = kcalloc(nr_cpu_ids, sizeof(*readers->cpu_locks), GFP_KERNEL);
	if (!readers->cpu_locks)
		return -ENOMEM;
	if (!zalloc_cpumask_var(&readers->pipe_cpus, GFP_KERNEL)) {
		kfree(readers->cpu_locks);
		return -ENOMEM;
	}
	init_rwsem(&readers->all_lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		mutex_init(&readers->cpu_locks[cpu]);
	return 0;
}

/**
 * trace_readers_exit - undo trace_readers_init()
 * @readers: of an instance that nobody reads any more
 *
 * Context: task.
 */
void trace_readers_exit(struct trace_readers *readers)
{
	free_cpumask_var(readers->pipe_cpus);
	kfree(readers->cpu_locks);
}

/**
 * trace_reader_lock - keep other consumers out
 * @tr: the instance
 * @cpu: of which CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep.
 */
void trace_reader_lock(struct trace_array *tr, int cpu)
{
	struct trace_readers *readers = trace_readers_of(tr);

	if (cpu == RING_BUFFER_ALL_CPUS) {
		down_write(&readers->all_lock);
	} else {
		down_read(&readers->all_lock);
		mutex_lock(&readers->cpu_locks[cpu]);
	}
}

/**
 * trace_reader_unlock - undo trace_reader_lock()
 * @tr: the instance
 * @cpu: as there
 *
 * Context: the task that locked.
 */
void trace_reader_unlock(struct trace_array *tr, int cpu)
{
	struct trace_readers *readers = trace_readers_of(tr);

	if (cpu == RING_BUFFER_ALL_CPUS) {
		up_write(&readers->all_lock);
	} else {
		mutex_unlock(&readers->cpu_locks[cpu]);
		up_read(&readers->all_lock);
	}
}

static int exclude_pipe_claim_cpu(struct cpumask *open, int cpu)
{
	guard(spinlock)(&pipe_cpus_lock);
	if (cpu != RING_BUFFER_ALL_CPUS)
		return cpumask_test_and_set_cpu(cpu, open) ? -EBUSY : 0;
	if (!cpumask_empty(open))
		return -EBUSY;
	cpumask_setall(open);
	return 0;
}

/**
 * trace_reader_claim_pipe - become the trace_pipe of a CPU, or of all
 * @tr: the instance, whose current tracer stays the current one
 * @cpu: which CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep; does not wait for trace_instances_lock().
 * Return: 0, trace_reader_release_pipe() must follow; -EBUSY if there is one.
 */
int trace_reader_claim_pipe(struct trace_array *tr, int cpu)
{
	int ret = exclude_pipe_claim_cpu(trace_readers_of(tr)->pipe_cpus, cpu);

	if (!ret)
		trace_tracer_pin(tr);
	return ret;
}

/**
 * trace_reader_release_pipe - undo trace_reader_claim_pipe()
 * @tr: the instance
 * @cpu: as there
 *
 * Context: as there.
 */
void trace_reader_release_pipe(struct trace_array *tr, int cpu)
{
	struct cpumask *open = trace_readers_of(tr)->pipe_cpus;

	trace_tracer_unpin(tr);
	guard(spinlock)(&pipe_cpus_lock);
	if (cpu == RING_BUFFER_ALL_CPUS)
		cpumask_clear(open);
	else
		cpumask_clear_cpu(cpu, open);
}
