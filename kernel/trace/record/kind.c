// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers in the headers of records, and whom they belong to. Those below
 * TRACE_FIRST_EVENT are fixed, one for each struct trace_kind; the others are handed
 * out to trace events.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rwsem.h>
#include <linux/xarray.h>

#include "record/kind.h"

/*
 * A reader of the trace holds types_sem for reading while it prints a record, so that
 * a module does not take its printers away in the middle of a line. ftrace_dump()
 * cannot sleep, so it prints without; it is for machines that are about to stop.
 */
static DECLARE_RWSEM(types_sem);
static DEFINE_XARRAY_ALLOC(event_types);		/* written under types_sem */
static const struct trace_kind *kinds[TRACE_FIRST_EVENT];	/* written under types_sem */

/*
 * Kinds come and go one at a time: kinds_mutex is held while the listener is told. The
 * listener takes locks of the layers above, so kinds_mutex comes before those.
 */
static DEFINE_MUTEX(kinds_mutex);
static const struct trace_kind_listener *kinds_listener;	/* under kinds_mutex */

/**
 * trace_types_read_lock - keep the printers of all records
 *
 * Context: task, may sleep.
 */
void trace_types_read_lock(void)
{
	down_read(&types_sem);
}

/**
 * trace_types_read_unlock - let printers go again
 *
 * Context: task.
 */
void trace_types_read_unlock(void)
{
	up_read(&types_sem);
}

/**
 * trace_kind_by_type - the kind of a record
 * @type: number in the record's header
 *
 * Context: any; the caller holds trace_types_read_lock(), or is ftrace_dump().
 * Return: the kind, NULL when it is not registered or @type is an event's.
 */
const struct trace_kind *trace_kind_by_type(unsigned int type)
{
	return type < TRACE_FIRST_EVENT ? READ_ONCE(kinds[type]) : NULL;
}

/**
 * trace_event_by_type - the trace event of a record
 * @type: number in the record's header
 *
 * Context: any; the caller holds trace_types_read_lock(), or is ftrace_dump().
 * Return: the event, NULL when it is not registered or @type is a kind's.
 */
struct trace_event *trace_event_by_type(unsigned int type)
{
	return xa_load(&event_types, type);
}

static void kind_set(unsigned int type, const struct trace_kind *kind)
{
	guard(rwsem_write)(&types_sem);
	WRITE_ONCE(kinds[type], kind);
}

/**
 * trace_kind_register - make the records of a kind readable
 * @kind: the kind; it stays until trace_kind_unregister()
 *
 * Context: task, may sleep; no lock of tracing is held, as the listener takes
 * trace_instances_lock().
 * Return: 0; -EINVAL for a kind that lacks something, -EBUSY when its number is
 * taken, or what the listener says.
 */
int trace_kind_register(const struct trace_kind *kind)
{
	int ret;

	if (!kind->type || kind->type >= TRACE_FIRST_EVENT || !kind->name || !kind->fields ||
	    !kind->print_fmt || !kind->print[TRACE_MODE_TEXT] ||
	    kind->size < sizeof(struct trace_entry))
		return -EINVAL;

	guard(mutex)(&kinds_mutex);
	if (kinds[kind->type])
		return -EBUSY;
	kind_set(kind->type, kind);
	ret = kinds_listener ? kinds_listener->added(kind) : 0;
	if (ret)
		kind_set(kind->type, NULL);
	return ret;
}

/**
 * trace_kind_unregister - undo trace_kind_register()
 * @kind: as registered; nobody writes records of it any more
 *
 * Records of the kind that are still in a buffer are printed as of an unknown type.
 *
 * Context: task, may sleep; no lock of tracing is held. No record of the kind is
 * being printed when it returns.
 */
void trace_kind_unregister(const struct trace_kind *kind)
{
	guard(mutex)(&kinds_mutex);
	if (WARN_ON(kind->type >= TRACE_FIRST_EVENT || kinds[kind->type] != kind))
		return;
	kind_set(kind->type, NULL);
	if (kinds_listener)
		kinds_listener->removed(kind);
}

/**
 * trace_kinds_listen - hear of all kinds, those that are registered already first
 * @listener: there is one, and it stays
 *
 * A kind that is registered already stays so, even if the listener refuses it.
 *
 * Context: boot, may sleep; no lock of tracing is held.
 */
void trace_kinds_listen(const struct trace_kind_listener *listener)
{
	guard(mutex)(&kinds_mutex);
	if (WARN_ON(kinds_listener))
		return;
	kinds_listener = listener;
	for (int i = 0; i < TRACE_FIRST_EVENT; i++) {
		if (kinds[i] && listener->added(kinds[i]))
			pr_warn("tracing: records of kind %s have no format\n", kinds[i]->name);
	}
}

/**
 * register_trace_event - give a trace event a number and make it printable
 * @event: its printers; it is the member of a struct trace_event_call
 *
 * Numbers that are fixed are those of kinds: @event->type is 0.
 *
 * Context: task, may sleep.
 * Return: the number, which is in @event->type now; 0 when none is left.
 */
int register_trace_event(struct trace_event *event)
{
	/*
	 * The number of an event that has gone is used again as late as possible: a
	 * program may still hold pages with its records. Written under types_sem.
	 */
	static u32 next_type = TRACE_FIRST_EVENT;
	u32 type;

	if (WARN_ON(!event || !event->funcs) || event->type)
		return 0;

	guard(rwsem_write)(&types_sem);
	if (xa_alloc_cyclic(&event_types, &type, event,
			    XA_LIMIT(TRACE_FIRST_EVENT, TRACE_EVENT_TYPE_MAX),
			    &next_type, GFP_KERNEL) < 0)
		return 0;
	event->type = type;
	return type;
}
EXPORT_SYMBOL_GPL(register_trace_event);

/**
 * unregister_trace_event - undo register_trace_event()
 * @event: as registered
 *
 * Its records that are still in a buffer are printed as of an unknown type.
 *
 * Context: task, may sleep. No record of the event is being printed when it
 * returns.
 * Return: 0.
 */
int unregister_trace_event(struct trace_event *event)
{
	guard(rwsem_write)(&types_sem);
	if (xa_load(&event_types, event->type) == event)
		xa_erase(&event_types, event->type);
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_trace_event);

/**
 * trace_handle_return - what a printer returns in the end
 * @s: what it wrote to
 *
 * Context: any.
 * Return: TRACE_TYPE_PARTIAL_LINE if something did not fit, else
 * TRACE_TYPE_HANDLED.
 */
enum print_line_t trace_handle_return(struct trace_seq *s)
{
	return trace_seq_has_overflowed(s) ? TRACE_TYPE_PARTIAL_LINE : TRACE_TYPE_HANDLED;
}
EXPORT_SYMBOL_GPL(trace_handle_return);
