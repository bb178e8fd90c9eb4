/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside: changes of what sites call; see update.c.
 */
#ifndef _TRACE_HOOKS_CHANGE_H
#define _TRACE_HOOKS_CHANGE_H

#include "hooks/dispatch.h"
#include "hooks/hash.h"
#include "sites/sites.h"

/* So many calls of a set are looked for without an allocation. */
#define FTRACE_CHANGE_FEW	8

/**
 * struct ftrace_change - one change of what sites call; lives on the stack
 * @ops:	whose sites change, NULL: those of any
 * @from:	the sites of @ops before
 * @to:		and after
 * @patching:	the second pass: text is written, and no dispatch can be made, as
 *		its trampoline would need text_mutex
 * @patch:	the transaction meanwhile
 * @idle:	dispatches that may have lost their last site
 * @noted:	dispatches with entries in their memo, to be cleared before another ops
 *		changes and when this change ends
 * @calls:	room for the calls of a set that is looked for; NULL: no memory for
 *		that, sites with more than one ops get a list
 * @few:	@calls, when few ops are registered
 *
 * Between ftrace_change_begin() and ftrace_change_end(), under ftrace_lock().
 */
struct ftrace_change {
	struct ftrace_ops		*ops;
	const struct ftrace_scope	*from;
	const struct ftrace_scope	*to;
	bool				patching;
	struct ftrace_patch		patch;
	struct list_head		idle;
	struct list_head		noted;
	struct ftrace_call		*calls;
	struct ftrace_call		few[FTRACE_CHANGE_FEW];
};

void ftrace_change_begin(struct ftrace_change *change);
void ftrace_change_end(struct ftrace_change *change);

/* Sites whose @ops comes or goes between two scopes; 0, or why patching stopped. */
int ftrace_update_ops(struct ftrace_change *change, struct ftrace_ops *ops,
		      const struct ftrace_scope *from, const struct ftrace_scope *to);
int ftrace_update_new_ops(struct ftrace_change *change, struct ftrace_ops *ops,
			  const struct ftrace_scope *to, bool *stuck);
int ftrace_update_ip(struct ftrace_ops *ops, unsigned long ip, bool with);
int ftrace_update_all(bool on);
void ftrace_update_gone(struct dyn_ftrace *first, unsigned long count);
int ftrace_update_replace(struct ftrace_change *change, struct ftrace_ops *ops,
			  struct ftrace_dispatch *old, struct ftrace_dispatch *new);

#endif /* _TRACE_HOOKS_CHANGE_H */
