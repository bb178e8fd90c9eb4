// SPDX-License-Identifier: GPL-2.0
/*
 * Exports: modules that get a copy of each record of the kinds they ask for,
 * called between reserve and commit. The copy's way out is theirs.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "instance/internal.h"

DEFINE_STATIC_KEY_FALSE(trace_export_function_key);
DEFINE_STATIC_KEY_FALSE(trace_export_event_key);
DEFINE_STATIC_KEY_FALSE(trace_export_marker_key);

static DEFINE_MUTEX(exports_mutex);
static struct trace_export __rcu *exports;	/* written under the mutex */

static void count_keys(int flags, bool up)
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

/* A tracer may have a callback of its own for exports. */
static void tell_tracers(int flags)
{
	struct trace_array *tr;

	if (!(flags & TRACE_EXPORT_FUNCTION))
		return;
	trace_instances_lock();
	for_each_trace_array(tr) {
		if (tr->current_trace->exports_changed)
			tr->current_trace->exports_changed(tr);
	}
	trace_instances_unlock();
}

/**
 * __trace_export - hand a record to who asked for it; see trace_export()
 * @event: the record, reserved and filled
 * @flag: one TRACE_EXPORT_*
 *
 * Context: any; nothing is exported where RCU is not watching.
 */
void __trace_export(struct ring_buffer_event *event, int flag)
{
	struct trace_export *export;

	/* unregister_ftrace_export() could not wait for us. */
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
 * @export: ->write is called in any context, with preemption off
 *
 * Context: task, may sleep.
 * Return: 0, -1 without a ->write.
 */
int register_ftrace_export(struct trace_export *export)
{
	if (WARN_ON_ONCE(!export->write))
		return -1;

	guard(mutex)(&exports_mutex);
	count_keys(export->flags, true);
	RCU_INIT_POINTER(export->next, rcu_dereference_protected(exports, true));
	rcu_assign_pointer(exports, export);
	tell_tracers(export->flags);
	return 0;
}
EXPORT_SYMBOL_GPL(register_ftrace_export);

/**
 * unregister_ftrace_export - ask for no more
 * @export: ->write is not called any more after this
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
	count_keys(export->flags, false);
	tell_tracers(export->flags);
	synchronize_rcu();
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_export);
