/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside: asking the owners of direct calls before an IPMODIFY ops gets their
 * sites; see share.c.
 */
#ifndef _TRACE_HOOKS_SHARE_H
#define _TRACE_HOOKS_SHARE_H

#include <linux/mutex.h>

#include "hooks/hash.h"

/*
 * The direct calls on the sites of an IPMODIFY ops that gets or leaves some, and
 * whose owners have agreed to that. It belongs to the task that holds ftrace_direct_mutex.
 */
struct ftrace_share {
	struct ftrace_share_peer {
		struct ftrace_ops	*ops;
		bool			joins;	/* its sites are among the new ones */
		bool			shares;	/* its owner was asked, now or before */
	}			*peers;
	unsigned int		nr;
};

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
extern struct mutex ftrace_direct_mutex;

void ftrace_share_begin(struct ftrace_share *share);
void ftrace_share_leave(struct ftrace_share *share, struct ftrace_ops *ops);
int ftrace_share_join(struct ftrace_share *share, struct ftrace_ops *ops,
		      const struct ftrace_hash *hash);
void ftrace_share_end(struct ftrace_share *share);
bool ftrace_share_again(int ret, unsigned int *tries);
#else
static inline void ftrace_share_begin(struct ftrace_share *share) { }
static inline void ftrace_share_leave(struct ftrace_share *share, struct ftrace_ops *ops) { }
static inline int ftrace_share_join(struct ftrace_share *share, struct ftrace_ops *ops,
				    const struct ftrace_hash *hash)
{
	return 0;
}

static inline void ftrace_share_end(struct ftrace_share *share) { }
static inline bool ftrace_share_again(int ret, unsigned int *tries) { return false; }
#endif

#endif /* _TRACE_HOOKS_SHARE_H */
