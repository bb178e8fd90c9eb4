/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: the nodes on a task's list of rethooks; see rethook.c.
 */
#ifndef _TRACE_GRAPH_RETHOOK_H
#define _TRACE_GRAPH_RETHOOK_H

#include <linux/kprobes.h>
#include <linux/rethook.h>

#define rethook_node_of(item)	container_of(item, struct rethook_node, llist)

/* The bottom of the frame that @item stands on. NULL: there is none. */
static nokprobe_inline struct rethook_node *rethook_bottom(struct llist_node *item)
{
	struct rethook_node *node;

	for (; item; item = item->next) {
		node = rethook_node_of(item);
		if (!is_rethook_trampoline(node->ret_addr))
			return node;
	}
	return NULL;
}

/* The innermost bottom from @item on that belongs to @frame. NULL: there is none. */
static nokprobe_inline struct rethook_node *rethook_bottom_of(struct llist_node *item,
							      unsigned long frame)
{
	struct rethook_node *bottom = rethook_bottom(item);

	while (bottom && bottom->frame != frame)
		bottom = rethook_bottom(bottom->llist.next);
	return bottom;
}

#endif /* _TRACE_GRAPH_RETHOOK_H */
