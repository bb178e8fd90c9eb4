// SPDX-License-Identifier: GPL-2.0
/*
 * Which struct trace_event prints which record type: numbers below
 * TRACE_FIRST_EVENT are fixed and belong to the tracing core and its tracers,
 * the others are handed out. It does not print.
 */
#include <linux/export.h>
#include <linux/rwsem.h>
#include <linux/xarray.h>

#include "output/output.h"

/*
 * Readers of the trace hold it, so that a module cannot take its printers
 * away in the middle of a line; ftrace_dump() has to do without.
 */
static DECLARE_RWSEM(types_sem);
static DEFINE_XARRAY_ALLOC(event_types);
static struct trace_event *own_types[TRACE_FIRST_EVENT];

void trace_output_read_lock(void)
{
	down_read(&types_sem);
}

void trace_output_read_unlock(void)
{
	up_read(&types_sem);
}

/**
 * trace_event_by_type - the printer of a record type
 * @type: of the record
 *
 * Constant time. Any context; the caller holds trace_output_read_lock() or
 * stopped the machine's other work, as ftrace_dump() does.
 *
 * Return: the printer, NULL if nobody registered the type
 */
struct trace_event *trace_event_by_type(int type)
{
	if (likely((unsigned int)type < TRACE_FIRST_EVENT))
		return READ_ONCE(own_types[type]);
	return xa_load(&event_types, type);
}

static int register_own(struct trace_event *event)
{
	if (WARN_ON(event->type < 0 || event->type >= TRACE_FIRST_EVENT))
		return 0;
	if (own_types[event->type])
		return 0;
	WRITE_ONCE(own_types[event->type], event);
	return event->type;
}

/**
 * register_trace_event - make a record type printable
 * @event: its printers; a NULL one prints the bare type. A @type other than 0
 *	is one of the fixed numbers, 0 asks for a free one; then @event must
 *	be the member of a struct trace_event_call
 *
 * Task context, may sleep.
 *
 * Return: the type, 0 if there is none left or the fixed one is taken
 */
int register_trace_event(struct trace_event *event)
{
	u32 type;
	int ret;

	if (WARN_ON(!event) || WARN_ON(!event->funcs))
		return 0;

	down_write(&types_sem);
	if (event->type) {
		ret = register_own(event);
	} else {
		ret = xa_alloc(&event_types, &type, event,
			       XA_LIMIT(TRACE_FIRST_EVENT, TRACE_EVENT_TYPE_MAX),
			       GFP_KERNEL);
		if (!ret)
			event->type = type;
		ret = event->type;
	}
	up_write(&types_sem);
	return ret;
}
EXPORT_SYMBOL_GPL(register_trace_event);

/**
 * unregister_trace_event - its records print as an unknown type from now on
 * @event: as registered
 *
 * Task context, may sleep; no reader is inside @event's printers afterwards.
 *
 * Return: 0
 */
int unregister_trace_event(struct trace_event *event)
{
	down_write(&types_sem);
	if ((unsigned int)event->type < TRACE_FIRST_EVENT) {
		if (own_types[event->type] == event)
			WRITE_ONCE(own_types[event->type], NULL);
	} else if (xa_load(&event_types, event->type) == event) {
		xa_erase(&event_types, event->type);
	}
	up_write(&types_sem);
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_trace_event);
