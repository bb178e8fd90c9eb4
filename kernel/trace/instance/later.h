/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instance/ inside, but for instance.h: changes of an instance's buffers that a task needs which
 * must not wait for them, see later.c.
 */
#ifndef _TRACE_INSTANCE_LATER_H
#define _TRACE_INSTANCE_LATER_H

#include <linux/list.h>

struct trace_array;

/**
 * struct trace_later - a change of an instance's buffers that can be made later
 * @node:	while it is to be made; later_lock
 * @tr:		the instance; a reference while @node is used
 * @make:	makes it, without a lock
 */
struct trace_later {
	struct list_head	node;
	struct trace_array	*tr;				/* constant */
	void			(*make)(struct trace_array *tr);	/* constant */
};

void trace_later_init(struct trace_later *later, struct trace_array *tr,
		      void (*make)(struct trace_array *tr));
void trace_later_ask(struct trace_later *later);

#endif /* _TRACE_INSTANCE_LATER_H */
