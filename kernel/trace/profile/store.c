// SPDX-License-Identifier: GPL-2.0
/*
 * The profiler's tables of functions and their records, see store.h.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "lib/irq_work.h"
#include "profile/store.h"

/* Functions that modules may bring after the store was made. */
#define STORE_MORE	1024
/* Without memory the work item looks again after this. */
#define STORE_RETRY	HZ

/* Allocate chunks until there is room for @wanted records, as far as there can be. */
static int store_cpu_grow(const struct profile_store *store, int nr, u32 wanted)
{
	struct profile_cpu *cpu = per_cpu_ptr(store->cpus, nr);
	struct profile_record *chunk;

	while (cpu->room < min(wanted, store->max)) {
		chunk = kvcalloc_node(PROFILE_CHUNK, sizeof(*chunk), GFP_KERNEL, cpu_to_node(nr));
		if (!chunk)
			return -ENOMEM;
		cpu->chunks[cpu->room / PROFILE_CHUNK] = chunk;
		/* Pairs with the loads in store_take() and trace_profile_store_count(). */
		smp_store_release(&cpu->room, cpu->room + PROFILE_CHUNK);
	}
	return 0;
}

/* Any CPU may run it: the one that asks may be busy for long. */
static void store_queue(struct profile_store *store, unsigned long delay)
{
	queue_delayed_work(system_unbound_wq, &store->work, delay);
}

static void store_work_fn(struct work_struct *work)
{
	struct profile_store *store = container_of(work, struct profile_store, work.work);
	struct profile_cpu *cpu;
	int nr, ret = 0;

	for_each_possible_cpu(nr) {
		cpu = per_cpu_ptr(store->cpus, nr);
		ret = store_cpu_grow(store, nr, local_read(&cpu->used) + PROFILE_SPARES) ?: ret;
	}
	if (ret) {
		store_queue(store, STORE_RETRY);
		return;
	}
	/* A function that came since and found this set did not ask. The next one does. */
	atomic_set(&store->asked, 0);
}

/* The hook may have interrupted a holder of a work queue's lock, so the work is queued here. */
static void store_irq_fn(struct irq_work *irq)
{
	store_queue(container_of(irq, struct profile_store, irq), 0);
}

static int store_cpu_init(const struct profile_store *store, int nr)
{
	struct profile_cpu *cpu = per_cpu_ptr(store->cpus, nr);
	int node = cpu_to_node(nr);

	cpu->slots = kvcalloc_node(BIT(store->bits), sizeof(*cpu->slots), GFP_KERNEL, node);
	cpu->chunks = kvcalloc_node(store->max / PROFILE_CHUNK, sizeof(*cpu->chunks), GFP_KERNEL,
				    node);
	if (!cpu->slots || !cpu->chunks)
		return -ENOMEM;
	return store_cpu_grow(store, nr, PROFILE_SPARES);
}

/**
 * trace_profile_store_alloc - make an empty store
 * @functions: so many can be called; there is room for some more
 *
 * CPUs that are not online have theirs, too, so a CPU that comes finds it.
 *
 * Context: task, may sleep.
 * Return: the store, or NULL without memory.
 */
struct profile_store *trace_profile_store_alloc(unsigned long functions)
{
	struct profile_store *store = kzalloc(sizeof(*store), GFP_KERNEL);
	int nr;

	if (!store)
		return NULL;
	store->max = round_up(functions + STORE_MORE, PROFILE_CHUNK);
	store->bits = order_base_2(store->max + store->max / 2);
	trace_irq_work_init(&store->irq, store_irq_fn);
	INIT_DELAYED_WORK(&store->work, store_work_fn);
	store->cpus = alloc_percpu(struct profile_cpu);
	if (!store->cpus) {
		kfree(store);
		return NULL;
	}
	for_each_possible_cpu(nr) {
		if (store_cpu_init(store, nr)) {
			trace_profile_store_free(store);
			return NULL;
		}
	}
	return store;
}

static void store_cpu_free(struct profile_cpu *cpu)
{
	u32 i;

	for (i = 0; i < cpu->room / PROFILE_CHUNK; i++)
		kvfree(cpu->chunks[i]);
	kvfree(cpu->chunks);
	kvfree(cpu->slots);
}

/**
 * trace_profile_store_free - free a store
 * @store: nobody counts in it any more, or reads it; may be NULL
 *
 * Context: task, may sleep.
 */
void trace_profile_store_free(struct profile_store *store)
{
	int nr;

	if (!store)
		return;
	/* The irq_work may queue the work, so wait for the irq_work first. */
	trace_irq_work_end(&store->irq);
	cancel_delayed_work_sync(&store->work);
	for_each_possible_cpu(nr)
		store_cpu_free(per_cpu_ptr(store->cpus, nr));
	free_percpu(store->cpus);
	kfree(store);
}

static void store_retired_fn(struct work_struct *work)
{
	trace_profile_store_free(container_of(to_rcu_work(work), struct profile_store, retired));
}

/**
 * trace_profile_store_retire - free a store when RCU's readers that have it have ended
 * @store: no hook finds it any more; may be NULL
 *
 * Context: task.
 */
void trace_profile_store_retire(struct profile_store *store)
{
	if (!store)
		return;
	INIT_RCU_WORK(&store->retired, store_retired_fn);
	queue_rcu_work(system_unbound_wq, &store->retired);
}

/*
 * Ask for more records, since few of them are left. That is done once until the work item has
 * looked: its handler and itself call functions that may be new, too, and must not ask again.
 */
static void store_ask(struct profile_store *store)
{
	if (atomic_read(&store->asked) || atomic_cmpxchg(&store->asked, 0, 1))
		return;
	if (!trace_irq_work_queue(&store->irq))
		atomic_set(&store->asked, 0);
}

/* Take a record. Return: 1 + its number, 0: there is none. */
static u32 store_take(struct profile_store *store, struct profile_cpu *cpu)
{
	/* Pairs with the store in store_cpu_grow(). */
	u32 room = smp_load_acquire(&cpu->room);
	long used;

	do {
		used = local_read(&cpu->used);
		if (room - used < PROFILE_SPARES / 2 && room < store->max)
			store_ask(store);
		if (used >= room) {
			local_inc(&cpu->lost);
			return 0;
		}
	} while (local_cmpxchg(&cpu->used, used, used + 1) != used);
	return used + 1;
}

/**
 * trace_profile_store_add - make a record for a function
 * @store: the store
 * @cpu: what it has of this CPU
 * @ip: the function, which was not found
 *
 * Context: as trace_profile_store_find().
 * Return: as trace_profile_store_find().
 */
struct profile_record *trace_profile_store_add(struct profile_store *store,
					       struct profile_cpu *cpu, unsigned long ip)
{
	u32 mask = BIT(store->bits) - 1, at = hash_long(ip, store->bits), mine, nr;
	struct profile_record *rec, *found;

	mine = store_take(store, cpu);
	if (!mine)
		return NULL;
	rec = trace_profile_record(cpu, mine - 1);
	WRITE_ONCE(rec->ip, ip);
	/* An interrupt that finds the number in the table finds the address in the record. */
	barrier();
	for (;; at = (at + 1) & mask) {
		nr = READ_ONCE(cpu->slots[at]);
		if (!nr)
			nr = cmpxchg_local(&cpu->slots[at], 0, mine);
		if (!nr)
			return rec;
		found = trace_profile_record(cpu, nr - 1);
		if (found->ip == ip)
			break;
	}
	/* An interrupt that came in between has put a record of this function into the table. */
	WRITE_ONCE(rec->ip, 0);
	return found;
}

/**
 * trace_profile_store_count - how many records of a CPU there are to be read
 * @cpu: the CPU
 *
 * Context: any.
 * Return: the number; those whose ip is 0 are none.
 */
u32 trace_profile_store_count(const struct profile_cpu *cpu)
{
	/* Pairs with the store in store_cpu_grow(): their chunks are there. */
	u32 room = smp_load_acquire(&cpu->room);

	return min_t(u32, local_read(&cpu->used), room);
}

/**
 * trace_profile_store_missed - what was not counted
 * @store: the store
 * @lost: is set to the number of calls that found no record
 * @untimed: is set to the number of calls that were counted, but not how long they took
 *
 * Context: any.
 */
void trace_profile_store_missed(const struct profile_store *store, u64 *lost, u64 *untimed)
{
	int nr;

	*lost = 0;
	*untimed = 0;
	for_each_possible_cpu(nr) {
		const struct profile_cpu *cpu = per_cpu_ptr(store->cpus, nr);

		*lost += local_read(&cpu->lost);
		*untimed += local_read(&cpu->untimed);
	}
}

/**
 * trace_profile_times_add - a call has returned
 * @times: of its function on this CPU
 * @call: what it took
 *
 * Context: any, NMI included; preemption is off.
 */
void trace_profile_times_add(struct profile_times *times, const struct profile_call *call)
{
	u64 square = call->time * call->time, longest;
	u64 high = mul_u64_u64_shr(call->time, call->time, 64);

	local64_inc(&times->calls);
	local64_add(call->time, &times->time);
	/* The sum is less than what was added if there is a carry, whoever else adds. */
	high += (u64)local64_add_return(square, &times->square_low) < square;
	if (high)
		local64_add(high, &times->square_high);
	local64_add(call->total, &times->total);
	local64_add(call->self, &times->self);
	if (call->slept)
		local64_add(call->slept, &times->slept);
	if (call->interrupted)
		local64_add(call->interrupted, &times->interrupted);
	local64_inc(&times->classes[trace_profile_class(call->total)]);
	do {
		longest = local64_read(&times->longest);
	} while (call->total > longest &&
		 local64_cmpxchg(&times->longest, longest, call->total) != longest);
}
