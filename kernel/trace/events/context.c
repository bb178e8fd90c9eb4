// SPDX-License-Identifier: GPL-2.0
/* Numbers of the running task that events have as fields; context.h tells which. */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "events/context.h"

static u64 context_cgroup(void)
{
#ifdef CONFIG_CGROUPS
	const struct cgroup *cgroup;

	/* The task may move to another cgroup meanwhile, and the old one go. */
	guard(rcu)();
	cgroup = task_dfl_cgroup(current);
	/* Events of boot are there before the first cgroup gets its number. */
	return likely(cgroup->kn) ? cgroup_id(cgroup) : 0;
#else
	return 0;
#endif
}

/**
 * trace_context_number - a number of the running task
 * @context: which
 *
 * Nothing here takes a lock or sleeps.
 *
 * Context: any where RCU is watching, NMI included.
 * Return: the number, extended with its sign if it has one.
 */
u64 trace_context_number(enum trace_context context)
{
	switch (context) {
	case TRACE_CONTEXT_PRIO:
		return (s64)current->prio;
	case TRACE_CONTEXT_TGID:
		return (s64)task_tgid_nr(current);
	case TRACE_CONTEXT_VPID:
		return (s64)task_pid_vnr(current);
	case TRACE_CONTEXT_UID:
		return from_kuid(&init_user_ns, current_uid());
	case TRACE_CONTEXT_CGROUP:
		return context_cgroup();
	case TRACE_CONTEXT_NSECS:
		return ktime_get_mono_fast_ns();
	}
	return 0;
}
