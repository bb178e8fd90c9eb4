// SPDX-License-Identifier: GPL-2.0
/*
 * Exports: modules that see each record of the kinds they have asked for, between its
 * reservation and its commit, and carry a copy out of the machine.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "buffer/buffer.h"
#include "lib/wait.h"
#include "record/export.h"

DEFINE_STATIC_KEY_FALSE(trace_export_function_key);
DEFINE_STATIC_KEY_FALSE(trace_export_event_key);
DEFINE_STATIC_KEY_FALSE(trace_export_marker_key);

/*
 * exports_mutex covers registration. It comes before trace_instances_lock(), which
 * function_listener takes. The list is written under the mutex and read under RCU.
 */
static DEFINE_MUTEX(exports_mutex);
static struct trace_export __rcu *exports;
static void (*function_listener)(void);		/* written under exports_mutex */

static void export_count_keys(int flags, bool up)
{
	static const struct {
		int				flag;
		struct static_key_false		*key;
	} keys[] = {
		{ TRACE_EXPORT_FUNCTION,	&trace_export_function_key },
		{ TRACE_EXPORT_EVENT,		&trace_export_event_key },
		{ TRACE_EXPORT_MARKER,		&trace_export_marker_key },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!(flags & keys[i].flag))
			continue;
		if (up)
			static_key_slow_inc(&keys[i].key->key);
		else
			static_key_slow_dec(&keys[i].key->key);
	}
}

static void export_changed(int flags)
{
	lockdep_assert_held(&exports_mutex);
	if (flags & TRACE_EXPORT_FUNCTION && function_listener)
		function_listener();
}

/**
 * trace_export_listen - hear when exports of functions begin or end
 * @function_changed: called when trace_export_function_key may have changed, in a
 *	task that may sleep, before anybody relies on the change; there is one
 *
 * Context: boot, may sleep.
 */
void trace_export_listen(void (*function_changed)(void))
{
	guard(mutex)(&exports_mutex);
	function_listener = function_changed;
}

/**
 * trace_export_record - the slow half of trace_export()
 * @event: the record, reserved and filled
 * @flag: one TRACE_EXPORT_*
 *
 * Context: any; nothing is exported where RCU is not watching, as
 * unregister_ftrace_export() could not wait for it.
 */
void trace_export_record(struct ring_buffer_event *event, int flag)
{
	struct trace_export *export;

	if (!rcu_is_watching())
		return;

	preempt_disable_notrace();
	for (export = rcu_dereference_raw_check(exports); export;
	     export = rcu_dereference_raw_check(export->next)) {
		if (export->flags & flag)
			export->write(export, ring_buffer_event_body(event),
				      ring_buffer_event_length(event));
	}
	preempt_enable_notrace();
}

/**
 * register_ftrace_export - ask for records
 * @export: its @write is called with each record, in any context, with preemption off
 *
 * Context: task, may sleep.
 * Return: 0, -1 when @export has no @write.
 */
int register_ftrace_export(struct trace_export *export)
{
	if (WARN_ON_ONCE(!export->write))
		return -1;

	guard(mutex)(&exports_mutex);
	export_count_keys(export->flags, true);
	RCU_INIT_POINTER(export->next, rcu_dereference_protected(exports, true));
	rcu_assign_pointer(exports, export);
	export_changed(export->flags);
	return 0;
}
EXPORT_SYMBOL_GPL(register_ftrace_export);

/**
 * unregister_ftrace_export - undo register_ftrace_export()
 * @export: its @write is not called any more after this
 *
 * Context: task, may sleep; waits for a grace period.
 * Return: 0, -1 when it is not registered.
 */
int unregister_ftrace_export(struct trace_export *export)
{
	struct trace_export __rcu **link;
	struct trace_export *entry;

	guard(mutex)(&exports_mutex);
	for (link = &exports; ; link = &entry->next) {
		entry = rcu_dereference_protected(*link, true);
		if (!entry)
			return -1;
		if (entry == export)
			break;
	}
	rcu_assign_pointer(*link, rcu_dereference_protected(export->next, true));
	export_count_keys(export->flags, false);
	export_changed(export->flags);
	trace_wait_rcu();
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_export);
