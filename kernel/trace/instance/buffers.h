/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffers of an instance: their size, emptying them, switching recording on
 * and off, the clock. See buffers.c for the two buffers and their locks.
 */
#ifndef _TRACE_INSTANCE_BUFFERS_H
#define _TRACE_INSTANCE_BUFFERS_H

#include "instance/instance.h"

struct cpumask;

/* Each buffer of an instance, for a setting that both must share. Any context. */
#define for_each_trace_buffer(tr, p)					\
	for ((p) = (tr)->buffers; (p) < (tr)->buffers + 2 && *(p); (p)++)

int trace_buffers_init(void);
unsigned long trace_buffer_full_size(void);
int trace_array_resize(struct trace_array *tr, unsigned long bytes, int cpu);
void trace_array_shrink(struct trace_array *tr);
int trace_array_expand(struct trace_array *tr);
int trace_array_set_order(struct trace_array *tr, int order);
void trace_array_clear(struct trace_array *tr);
int trace_array_clear_killable(struct trace_array *tr);
void trace_array_clear_all(struct trace_array *tr);
void trace_array_reset(struct trace_array *tr);
void trace_array_restamp(struct trace_array *tr, u64 (*clock)(void));
bool trace_array_is_empty(struct trace_array *tr);
int trace_array_reset_cpu(struct trace_array *tr, int cpu);

/* The switch tracing_on, and pauses, which nest, for pause-on-trace and dumps. Any context. */
void trace_array_on(struct trace_array *tr);
void trace_array_off(struct trace_array *tr);
bool trace_array_is_on(struct trace_array *tr);
void trace_array_stop(struct trace_array *tr);
void trace_array_start(struct trace_array *tr);

const char *trace_clock_name(struct trace_array *tr);
bool trace_clock_in_ns(struct trace_array *tr);
bool trace_clock_is_known(const char *name);
int trace_array_set_clock(struct trace_array *tr, const char *name);
void trace_clock_use(struct trace_array *tr, const char *name);
void trace_clock_unuse(struct trace_array *tr);
int trace_array_empty(struct trace_array *tr);
void trace_clock_boot(void);

/* Wait for what a task has asked for that had the lock of all instances. */
void trace_buffers_settle(void);

/* A mapping of a buffer pins both: no snapshot exchanges them then. Any context but NMI. */
#ifdef CONFIG_TRACER_SNAPSHOT
int trace_buffers_pin(struct trace_array *tr);
void trace_buffers_unpin(struct trace_array *tr);
#else
static inline int trace_buffers_pin(struct trace_array *tr) { return 0; }
static inline void trace_buffers_unpin(struct trace_array *tr) { }
#endif

/**
 * trace_exchange_count - how often snapshots have exchanged the buffers
 * @tr: the instance
 *
 * A reader that waits for records compares the numbers before and after.
 *
 * Context: any.
 * Return: a number that changes with each exchange.
 */
static inline unsigned int trace_exchange_count(const struct trace_array *tr)
{
	return READ_ONCE(tr->exchange.count);
}

/* Takes buffers_mutex. */
void trace_second_buffer_reader_left(struct trace_array *tr);

#endif /* _TRACE_INSTANCE_BUFFERS_H */
