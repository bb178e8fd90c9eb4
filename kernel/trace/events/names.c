// SPDX-License-Identifier: GPL-2.0
/*
 * Finds events by their names, of which there may be thousands: a table of the events on the list,
 * each at the hash of its name or behind it. At least half of the places are free. An event that
 * goes leaves a mark, so that those behind it are found, and a larger table has no marks.
 *
 * Without memory for a larger table, the events are looked for on the list.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "events/calls.h"
#include "events/internal.h"

#define NAMES_MIN	1024	/* places of the first table */

/* An event was here. */
#define NAMES_GONE	((struct trace_event_call *)1UL)

/* All of them: events mutex */
static struct trace_event_call **names;
static unsigned int names_bits;
static unsigned int names_used;		/* places that are not free */
static bool names_lost;			/* the table lacks an event */

static unsigned int names_at(const char *name)
{
	return full_name_hash(NULL, name, strlen(name)) >> (32 - names_bits);
}

/* Put an event into the table, which has room. */
static void names_put(struct trace_event_call *call)
{
	unsigned int at = names_at(trace_event_name(call));

	while (names[at])
		at = (at + 1) & (BIT(names_bits) - 1);
	names[at] = call;
	names_used++;
}

/* Make a table for all events that are on the list, and as many again. */
static bool names_grow(void)
{
	struct trace_event_call *call, **table;
	unsigned int nr = 1, bits;

	for_each_trace_event_call(call)
		nr++;
	bits = ilog2(roundup_pow_of_two(max(4 * nr, NAMES_MIN)));
	table = kvcalloc(BIT(bits), sizeof(*table), GFP_KERNEL);
	if (!table)
		return false;
	kvfree(names);
	names = table;
	names_bits = bits;
	names_used = 0;
	for_each_trace_event_call(call)
		names_put(call);
	return true;
}

/**
 * trace_event_names_add - let an event be found
 * @call: the event, which is on the list of events already
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_event_names_add(struct trace_event_call *call)
{
	trace_events_assert_locked();

	if (names && !names_lost && 2 * names_used < BIT(names_bits))
		names_put(call);
	else
		names_lost = !names_grow();
}

/**
 * trace_event_names_del - let an event be found no more
 * @call: the event
 *
 * Context: task; the events mutex is held.
 */
void trace_event_names_del(const struct trace_event_call *call)
{
	unsigned int at;

	trace_events_assert_locked();

	if (!names)
		return;
	for (at = names_at(trace_event_name((struct trace_event_call *)call)); names[at];
	     at = (at + 1) & (BIT(names_bits) - 1)) {
		if (names[at] == call) {
			names[at] = NAMES_GONE;
			return;
		}
	}
}

static bool names_is(struct trace_event_call *call, const char *system, const char *name)
{
	return !strcmp(trace_event_name(call), name) && !strcmp(call->class->system, system);
}

static struct trace_event_call *names_find_on_list(const char *system, const char *name)
{
	struct trace_event_call *call;

	for_each_trace_event_call(call) {
		if (names_is(call, system, name))
			return call;
	}
	return NULL;
}

/**
 * trace_event_call_find - find an event
 * @system: name of its system
 * @name: its name
 *
 * Context: task; the events mutex is held, and keeps the event until it is released.
 * Return: the event; NULL: there is none.
 */
struct trace_event_call *trace_event_call_find(const char *system, const char *name)
{
	unsigned int at;

	trace_events_assert_locked();

	if (!names || names_lost)
		return names_find_on_list(system, name);
	for (at = names_at(name); names[at]; at = (at + 1) & (BIT(names_bits) - 1)) {
		if (names[at] != NAMES_GONE && names_is(names[at], system, name))
			return names[at];
	}
	return NULL;
}
