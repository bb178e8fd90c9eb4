/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile/ inside: where the profiler counts. It knows functions by an address, and
 * neither hooks nor instances.
 *
 * Each possible CPU has a table of functions, an open hash of numbers of records, and
 * the records in chunks. Only the CPU itself puts a function in, with preemption off,
 * and never takes one out. Interrupts and NMIs do so in between any two instructions:
 *
 * - A number is taken by one local operation on @used. A nested context takes the next one.
 * - The record gets its address before the table gets its number, by one local
 *   compare-and-exchange. A context that finds the place taken looks there again, and if it is
 *   the same function by now, the record that was prepared stays without an address.
 * - A counter is changed by one local operation.
 *
 * A hook cannot allocate. Chunks are allocated before they are needed, by a work item
 * that the hook starts when few records are left. When none is left, the call is counted
 * as lost.
 *
 * Readers are other tasks, while all this goes on. They see a record when it has an
 * address, and counters of one call that may not be from the same moment.
 *
 * "own CPU" beside a member: changed by that CPU only, as above, and read by anybody; "by the
 * work item": that one publishes it with smp_store_release().
 */
#ifndef _TRACE_PROFILE_STORE_H
#define _TRACE_PROFILE_STORE_H

#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <asm/local.h>
#include <asm/local64.h>

/*
 * Classes of durations: four for each power of two, so that a duration is less than a
 * quarter shorter than the longest of its class. Those below 64 ns are in classes of
 * 16 ns, those from 2^34 ns, 17 seconds, are in the last class.
 */
#define PROFILE_CLASS_LINEAR	6
#define PROFILE_CLASS_END	34
#define PROFILE_CLASSES		(4 * (PROFILE_CLASS_END - PROFILE_CLASS_LINEAR + 1) + 1)

/**
 * struct profile_times - what is known of the calls of a function that have returned
 * @calls: how many
 * @time: what trace_stat/functionN shows, as the options want it
 * @square_low: the sum of squares of what was added to @time, 128 bits
 * @square_high: the upper ones of them
 * @total: from entry to return
 * @self: running, and not in a function that is counted for itself
 * @slept: asleep
 * @interrupted: in interrupts
 * @longest: of what was added to @total
 * @classes: how many calls by the time from entry to return
 */
struct profile_times {
	local64_t	calls;				/* own CPU */
	local64_t	time;				/* own CPU */
	local64_t	square_low;			/* own CPU */
	local64_t	square_high;			/* own CPU */
	local64_t	total;				/* own CPU */
	local64_t	self;				/* own CPU */
	local64_t	slept;				/* own CPU */
	local64_t	interrupted;			/* own CPU */
	local64_t	longest;			/* own CPU */
	local64_t	classes[PROFILE_CLASSES];	/* own CPU */
};

/**
 * struct profile_record - a function on a CPU
 * @ip: its address; 0: the record is not used
 * @hits: calls that have begun
 * @times: of those that have returned
 */
struct profile_record {
	unsigned long		ip;	/* own CPU */
	local64_t		hits;	/* own CPU */
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	struct profile_times	times;
#endif
};

#define PROFILE_CHUNK	64		/* records */
#define PROFILE_SPARES	512		/* so many are there for functions to come */

/**
 * struct profile_cpu - the functions of a CPU
 * @slots: the table: 1 + the number of a record, 0: none
 * @chunks: of records
 * @room: there are so many records
 * @used: so many of them were taken
 * @lost: calls that found none
 * @untimed: calls that were counted, but whose return is not awaited, as the task's
 *	shadow stack had no room for their data
 */
struct profile_cpu {
	u32			*slots;		/* own CPU */
	struct profile_record	**chunks;	/* by the work item */
	u32			room;		/* by the work item */
	local_t			used;		/* own CPU */
	local_t			lost;		/* own CPU */
	local_t			untimed;	/* own CPU */
};

/**
 * struct profile_store - the functions of all CPUs
 * @bits: a table has 2^@bits slots
 * @max: records that a CPU can have; less than that, so there is an end to looking for one
 * @cpus: of each possible CPU
 * @asked: 1: @work is asked for, and has not looked yet
 * @irq: starts @work
 * @work: allocates chunks, and clears @asked
 * @retired: frees the store after a grace period
 */
struct profile_store {
	unsigned int			bits;	/* constant */
	u32				max;	/* constant */
	struct profile_cpu __percpu	*cpus;	/* constant */
	atomic_t			asked;
	struct irq_work			irq;
	struct delayed_work		work;
	struct rcu_work			retired;
};

struct profile_store *trace_profile_store_alloc(unsigned long functions);
void trace_profile_store_free(struct profile_store *store);
void trace_profile_store_retire(struct profile_store *store);
struct profile_record *trace_profile_store_add(struct profile_store *store,
					       struct profile_cpu *cpu, unsigned long ip);
u32 trace_profile_store_count(const struct profile_cpu *cpu);
void trace_profile_store_missed(const struct profile_store *store, u64 *lost, u64 *untimed);

/* A record that is there. */
static __always_inline struct profile_record *
trace_profile_record(const struct profile_cpu *cpu, u32 nr)
{
	return &cpu->chunks[nr / PROFILE_CHUNK][nr % PROFILE_CHUNK];
}

/**
 * trace_profile_store_find - the record of a function on this CPU
 * @store: the store
 * @ip: the function
 *
 * Context: any, NMI included; preemption is off.
 * Return: the record, which stays as long as @store, or NULL: a call was lost.
 */
static __always_inline struct profile_record *
trace_profile_store_find(struct profile_store *store, unsigned long ip)
{
	struct profile_cpu *cpu = this_cpu_ptr(store->cpus);
	u32 at = hash_long(ip, store->bits), nr;
	struct profile_record *rec;

	for (; (nr = READ_ONCE(cpu->slots[at])); at = (at + 1) & (BIT(store->bits) - 1)) {
		rec = trace_profile_record(cpu, nr - 1);
		if (rec->ip == ip)
			return rec;
	}
	return trace_profile_store_add(store, cpu, ip);
}

/* The class of a duration of @ns nanoseconds. */
static __always_inline unsigned int trace_profile_class(u64 ns)
{
	unsigned int log;

	if (ns < BIT_ULL(PROFILE_CLASS_LINEAR))
		return ns >> (PROFILE_CLASS_LINEAR - 2);
	if (ns >= BIT_ULL(PROFILE_CLASS_END))
		return PROFILE_CLASSES - 1;
	log = ilog2(ns);
	return 4 * (log - PROFILE_CLASS_LINEAR + 1) + ((ns >> (log - 2)) & 3);
}

/**
 * struct profile_call - what a call took, for trace_profile_times_add()
 * @time: as the options want it
 * @total: from entry to return
 * @self: see struct profile_times
 * @slept: the same
 * @interrupted: the same
 */
struct profile_call {
	u64	time;
	u64	total;
	u64	self;
	u64	slept;
	u64	interrupted;
};

void trace_profile_times_add(struct profile_times *times, const struct profile_call *call);

#endif /* _TRACE_PROFILE_STORE_H */
