/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots: the records of an instance, put aside. Code that takes one where it cannot
 * sleep calls trace_snapshot_get() before, where it can. If it has the lock of all instances then,
 * and there is no memory yet, it gets -EPROBE_DEFER: it gives the lock back, calls
 * trace_snapshot_prepare(), and begins anew. tracing_snapshot() and its kin in
 * <linux/kernel.h> are for the top instance.
 */
#ifndef _TRACE_INSTANCE_SNAPSHOT_H
#define _TRACE_INSTANCE_SNAPSHOT_H

#include "instance/instance.h"

#ifdef CONFIG_TRACER_SNAPSHOT
int trace_snapshot_prepare(struct trace_array *tr);
int trace_snapshot_get(struct trace_array *tr);
void trace_snapshot_put(struct trace_array *tr);
void trace_snapshot_take(struct trace_array *tr);
int trace_snapshot_max(struct trace_array *tr, bool this_cpu);
int trace_snapshot_get_max(struct trace_array *tr);
void trace_snapshot_put_max(struct trace_array *tr);
int trace_snapshot_take_cpu(struct trace_array *tr, int cpu);
int trace_snapshot_free(struct trace_array *tr);
int trace_snapshot_clear(struct trace_array *tr, int cpu);
void trace_snapshot_clear_max(struct trace_array *tr, int cpu);
void trace_snapshots_boot_alloc(void);

/**
 * trace_snapshot_is_allocated - can a snapshot be taken from anywhere?
 * @tr: the instance
 *
 * Context: any.
 * Return: true if the second buffer is as large as the first.
 */
static inline bool trace_snapshot_is_allocated(const struct trace_array *tr)
{
	return READ_ONCE(tr->exchange.allowed);
}

/**
 * trace_snapshot_has_max - does the current tracer keep its maximum there?
 * @tr: the instance
 *
 * Context: any.
 * Return: true if it does; then the snapshot is nobody else's.
 */
static inline bool trace_snapshot_has_max(const struct trace_array *tr)
{
	return READ_ONCE(tr->exchange.has_max);
}
#else
static inline int trace_snapshot_prepare(struct trace_array *tr) { return -ENODEV; }
static inline int trace_snapshot_get_max(struct trace_array *tr) { return -ENODEV; }
static inline void trace_snapshot_put_max(struct trace_array *tr) { }
static inline int trace_snapshot_clear(struct trace_array *tr, int cpu) { return 0; }
static inline void trace_snapshot_clear_max(struct trace_array *tr, int cpu) { }
static inline int trace_snapshot_max(struct trace_array *tr, bool this_cpu) { return -ENODEV; }
static inline void trace_snapshots_boot_alloc(void) { }
static inline bool trace_snapshot_is_allocated(const struct trace_array *tr) { return false; }
static inline bool trace_snapshot_has_max(const struct trace_array *tr) { return false; }
#endif

/* A snapshot is taken when @update says so. */
typedef bool (*trace_snapshot_cond_t)(struct trace_array *tr, void *cond_data);

int tracing_alloc_snapshot(void);
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 trace_snapshot_cond_t update);
int tracing_snapshot_cond_disable(struct trace_array *tr);
#ifdef CONFIG_TRACER_SNAPSHOT
void trace_snapshot_forget_condition(struct trace_array *tr);
#else
static inline void trace_snapshot_forget_condition(struct trace_array *tr) { }
#endif
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data);
void *tracing_cond_snapshot_data(struct trace_array *tr);

#endif /* _TRACE_INSTANCE_SNAPSHOT_H */
