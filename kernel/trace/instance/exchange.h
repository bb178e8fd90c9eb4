/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instance/ inside, but for instance.h: the state of the exchange of an instance's two
 * buffers, see exchange.c. Code outside of instance/ uses buffers.h and snapshot.h.
 */
#ifndef _TRACE_INSTANCE_EXCHANGE_H
#define _TRACE_INSTANCE_EXCHANGE_H

#include <linux/irq_work_types.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

/* The caller that asks for an exchange of the buffers, see exchange.c. */
enum trace_exchange_by {
	TRACE_EXCHANGE_USER,	/* a snapshot, from anywhere */
	TRACE_EXCHANGE_HOLDER,	/* a snapshot, by the task that holds the buffers */
	TRACE_EXCHANGE_MAX,	/* the tracer whose maximum it is */
};

/**
 * struct trace_exchange - the exchange of an instance's buffers
 * @lock:	the lock X
 * @count:	how many exchanges there were
 * @pins:	how many mappings of a buffer there are; while there is one, exchanges are
 *		refused
 * @users:	how many users need exchanges; while there is one, pins are refused
 * @has_max:	the current tracer needs exchanges, and nobody else may ask for one
 * @held:	the holder of S works on the buffers: exchanges are refused, but its own
 * @allowed:	the second buffer is as large as the first
 * @wake:	wakes those who wait for records after an exchange
 *
 * Letters: X under @lock, S under buffers_mutex, O changed with WRITE_ONCE() under the
 * lock beside it, read at any time with READ_ONCE().
 */
struct trace_exchange {
	arch_spinlock_t		lock;
	unsigned int		count;		/* X, O */
	unsigned int		pins;		/* X, O */
	unsigned int		users;		/* X, to change S as well */
	bool			has_max;	/* X, O, to change S as well */
	bool			held;		/* X, to change S as well */
	bool			allowed;	/* X, O, to change S as well */
	struct irq_work		wake;
};

#endif /* _TRACE_INSTANCE_EXCHANGE_H */
