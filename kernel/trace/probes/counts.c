// SPDX-License-Identifier: GPL-2.0
/*
 * The counts of probes. Memory that each CPU has of its own costs more to allocate than all else
 * that a probe has, so it is allocated for many probes at once.
 */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probes/counts.h"

#define COUNTS_BLOCK	BITS_PER_LONG

/**
 * struct counts_block - the counts of some probes
 * @list: of all blocks, those with room first; counts_mutex
 * @used: which of @counts probes have; counts_mutex
 * @counts: COUNTS_BLOCK of them
 */
struct counts_block {
	struct list_head			list;
	unsigned long				used;
	struct trace_probe_counts __percpu	*counts;
};

static DEFINE_MUTEX(counts_mutex);
static LIST_HEAD(counts_blocks);	/* counts_mutex */

static struct counts_block *counts_block_make(void)
{
	struct counts_block *block = kzalloc(sizeof(*block), GFP_KERNEL);

	if (!block)
		return NULL;
	block->counts = __alloc_percpu(COUNTS_BLOCK * sizeof(*block->counts),
				       __alignof__(struct trace_probe_counts));
	if (!block->counts) {
		kfree(block);
		return NULL;
	}
	list_add(&block->list, &counts_blocks);
	return block;
}

/**
 * trace_probe_counts_alloc - allocate the counts of a probe
 *
 * Context: task, may sleep; takes counts_mutex.
 * Return: the counts, which are 0; NULL: no memory.
 */
struct trace_probe_counts __percpu *trace_probe_counts_alloc(void)
{
	struct counts_block *block;
	unsigned int i;
	int cpu;

	guard(mutex)(&counts_mutex);
	block = list_first_entry_or_null(&counts_blocks, struct counts_block, list);
	if (!block || !~block->used)
		block = counts_block_make();
	if (!block)
		return NULL;
	i = ffz(block->used);
	__set_bit(i, &block->used);
	if (!~block->used)
		list_move_tail(&block->list, &counts_blocks);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&block->counts[i], cpu), 0, sizeof(*block->counts));
	return &block->counts[i];
}

/**
 * trace_probe_counts_free - undo trace_probe_counts_alloc()
 * @counts: the counts, which nobody uses any more; NULL: nothing is done
 *
 * Context: task, may sleep; takes counts_mutex.
 */
void trace_probe_counts_free(struct trace_probe_counts __percpu *counts)
{
	struct counts_block *block;

	if (!counts)
		return;
	guard(mutex)(&counts_mutex);
	list_for_each_entry(block, &counts_blocks, list) {
		if (counts < block->counts || counts >= block->counts + COUNTS_BLOCK)
			continue;
		__clear_bit(counts - block->counts, &block->used);
		list_move(&block->list, &counts_blocks);
		if (!block->used) {
			list_del(&block->list);
			free_percpu(block->counts);
			kfree(block);
		}
		return;
	}
	WARN_ON_ONCE(1);
}

/**
 * trace_probe_counts_fold - add counts to others
 * @sum: the others
 * @part: the counts
 *
 * Context: any.
 */
void trace_probe_counts_fold(struct trace_probe_counts *sum,
			     const struct trace_probe_counts *part)
{
	sum->entered += part->entered;
	sum->hits += part->hits;
	for (int i = 0; i < TRACE_PROBE_MISSES; i++)
		sum->missed[i] += part->missed[i];
}

/**
 * trace_probe_counts_add - add the counts of all CPUs
 * @sum: where to
 * @counts: the counts, which may change meanwhile
 *
 * Context: any.
 */
void trace_probe_counts_add(struct trace_probe_counts *sum,
			    const struct trace_probe_counts __percpu *counts)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct trace_probe_counts *own = per_cpu_ptr(counts, cpu);

		/* data_race: the CPU may count meanwhile. */
		sum->hits += data_race(own->hits);
		for (int i = 0; i < TRACE_PROBE_MISSES; i++)
			/* data_race: as above */
			sum->missed[i] += data_race(own->missed[i]);
	}
	/*
	 * The entry of each call that was counted above is seen. Pairs with the barrier of a task
	 * that has been moved to another CPU between the entry and the return.
	 */
	smp_rmb();
	for_each_possible_cpu(cpu)
		/* data_race: as above */
		sum->entered += data_race(per_cpu_ptr(counts, cpu)->entered);
}

/**
 * trace_probe_counts_missed - the misses of a probe, whatever the reason
 * @counts: of all CPUs
 *
 * Context: any.
 * Return: how many.
 */
unsigned long trace_probe_counts_missed(const struct trace_probe_counts *counts)
{
	unsigned long sum = 0;

	for (int i = 0; i < TRACE_PROBE_MISSES; i++)
		sum += counts->missed[i];
	return sum;
}

/**
 * trace_probe_counts_flying - calls that have been entered, and neither hit nor missed yet
 * @counts: of all CPUs, of a probe of returns
 *
 * Context: any.
 * Return: how many.
 */
unsigned long trace_probe_counts_flying(const struct trace_probe_counts *counts)
{
	long flying = counts->entered - counts->hits - trace_probe_counts_missed(counts);

	/* A miss at an entry may have been seen before the entry. */
	return max(flying, 0L);
}
