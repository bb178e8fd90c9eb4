/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instance/ inside, but for instance.h: the state of the exchange of an instance's two
 * buffers, see exchange.c. Code outside of instance/ uses buffers.h and snapshot.h.
 */
#ifndef _TRACE_INSTANCE_EXCHANGE_H
#define _TRACE_INSTANCE_EXCHANGE_H

#include <linux/spinlock_types.h>
#include <linux/types.h>

#include "lib/request.h"

/* The caller that asks for an exchange of the buffers, see exchange.c. */
enum trace_exchange_by {
	TRACE_EXCHANGE_USER,	/* a snapshot, from anywhere */
	TRACE_EXCHANGE_HOLDER,	/* a snapshot, by the task that holds the buffers */
	TRACE_EXCHANGE_MAX,	/* the tracer whose maximum it is */
};

/**
 * struct trace_exchange - the exchange of an instance's buffers
 * @lock:	covers the members below
 * @count:	how many exchanges there were
 * @pins:	how many mappings of a buffer there are; while there is one, exchanges are
 *		refused
 * @users:	how many users need exchanges; while there is one, pins are refused
 * @has_max:	the current tracer needs exchanges, and nobody else may ask for one
 * @held:	the holder of buffers_mutex works on the buffers: exchanges are refused, but its own
 * @allowed:	the second buffer is as large as the first, and stays so while there are @users, or
 *		the tracer has its maximum there; the holder of buffers_mutex sets it
 * @wake:	wakes those who wait for records after an exchange
 *
 * A member with "and buffers_mutex" is changed under both locks, and read under either.
 */
struct trace_exchange {
	arch_spinlock_t		lock;
	unsigned int		count;		/* @lock, READ_ONCE() */
	unsigned int		pins;		/* @lock, READ_ONCE() */
	unsigned int		users;		/* @lock, READ_ONCE() */
	bool			has_max;	/* @lock, READ_ONCE() */
	bool			held;		/* @lock and buffers_mutex */
	bool			allowed;	/* @lock, READ_ONCE() */
	struct trace_request	wake;
};

#endif /* _TRACE_INSTANCE_EXCHANGE_H */
