// SPDX-License-Identifier: GPL-2.0
/*
 * The lock of everything about call sites and their hooks, and ftrace_kill(). A kernel without
 * sites has both, too.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "sites/sites.h"

static DEFINE_MUTEX(ftrace_mutex);

/* Set once, from any context. */
static bool sites_dead;

/* Callbacks may be called. ftrace_kill() and kexec clear it without a lock. */
int ftrace_enabled __read_mostly = 1;

/**
 * ftrace_lock - lock the records, dispatches, ops and filters
 *
 * Context: task. After event and instance locks and cpus_read_lock(), before
 * module_mutex and text_mutex.
 */
void ftrace_lock(void)
{
	mutex_lock(&ftrace_mutex);
}

/**
 * ftrace_unlock - undo ftrace_lock()
 *
 * Context: task.
 */
void ftrace_unlock(void)
{
	mutex_unlock(&ftrace_mutex);
}

/**
 * ftrace_assert_locked - warn when ftrace_lock() is not held
 *
 * Context: any. It is code only with CONFIG_LOCKDEP.
 */
void ftrace_assert_locked(void)
{
	lockdep_assert_held(&ftrace_mutex);
}

/**
 * ftrace_sites_dead - has patching stopped for good?
 *
 * Context: any.
 */
bool ftrace_sites_dead(void)
{
	return READ_ONCE(sites_dead);
}

/**
 * ftrace_kill - stop patching for good
 *
 * For the moment something is known to be wrong with the text. The sites that are patched stay
 * so; no site is changed after a transaction that is under way.
 *
 * Context: any, NMI included.
 */
void ftrace_kill(void)
{
	WRITE_ONCE(sites_dead, true);
	ftrace_enabled = 0;
	kprobe_ftrace_kill();
}
