// SPDX-License-Identifier: GPL-2.0
/* For the tests of probes, whose events are of the group "kunit". */
#include <linux/err.h>
#include <linux/ring_buffer.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "events/field.h"
#include "events/value.h"
#include "instance/buffers.h"
#include "instance/instance.h"
#include "probes/tests/found.h"

#define FOUND_GROUP	"kunit"
#define FOUND_TEXT	512

int found_run(const char *line)
{
	char *text = kstrdup(line, GFP_KERNEL);
	int ret = text ? trace_dyn_run(text) : -ENOMEM;

	kfree(text);
	return ret;
}

int found_switch(struct trace_array *tr, const char *event, bool on)
{
	return trace_array_set_clr_event(tr, FOUND_GROUP, event, on);
}

/* NULL: there is no such event. */
struct trace_event_call *found_call(const char *event)
{
	guard(trace_events)();
	return trace_event_call_find(FOUND_GROUP, event);
}

static struct trace_dyn_event *found_dyn(const char *event)
{
	struct trace_dyn_event *dyn;

	for (loff_t i = 0; (dyn = trace_dyn_event_nth(NULL, i)); i++) {
		if (!strcmp(dyn->call->class->system, FOUND_GROUP) &&
		    !strcmp(trace_event_name(dyn->call), event))
			return dyn;
	}
	return NULL;
}

/* The first probe of an event. */
struct trace_probe *found_probe(struct kunit *test, const char *event)
{
	struct trace_dyn_event *dyn;

	scoped_guard(trace_events)
		dyn = found_dyn(event);
	KUNIT_ASSERT_NOT_NULL(test, dyn);
	return container_of(dyn, struct trace_probe, dyn);
}

/* The records of an event that an instance has, which has none after this. */
struct found *found_records(struct kunit *test, struct trace_array *tr, const char *event)
{
	struct found *found = kunit_kzalloc(test, sizeof(*found), GFP_KERNEL);
	struct trace_event_call *call = found_call(event);
	struct ring_buffer_event *data;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, found);
	KUNIT_ASSERT_NOT_NULL(test, call);
	for_each_online_cpu(cpu) {
		while ((data = ring_buffer_consume(tr->array_buffer.buffer, cpu, NULL, NULL))) {
			const struct trace_entry *entry = ring_buffer_event_data(data);

			if (entry->type != call->event.type)
				continue;
			memcpy(found->record, entry,
			       min_t(size_t, FOUND_RECORD, ring_buffer_event_length(data)));
			found->nr++;
		}
	}
	return found;
}

/* Have two records the same but for flags, which tell whether the task is to be scheduled? */
void found_are_equal(struct kunit *test, const struct found *found, const struct found *other)
{
	KUNIT_EXPECT_EQ(test, found->head.type, other->head.type);
	KUNIT_EXPECT_EQ(test, found->head.preempt_count, other->head.preempt_count);
	KUNIT_EXPECT_EQ(test, found->head.pid, other->head.pid);
	KUNIT_EXPECT_MEMEQ(test, found->record + sizeof(found->head),
			   other->record + sizeof(found->head),
			   FOUND_RECORD - sizeof(found->head));
}

u64 found_value(struct kunit *test, const struct found *found, const char *event,
		const char *field)
{
	const struct trace_event_field *f;
	u64 val = 0;

	f = trace_event_field_find(found_call(event), field, strlen(field));
	KUNIT_ASSERT_NOT_NULL_MSG(test, f, "no field %s", field);
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(f, found->record, &val));
	return val;
}

/* A string of a record, with the NUL that it has to have. */
const char *found_text(struct kunit *test, const struct found *found, const char *event,
		       const char *field)
{
	const struct trace_event_field *f;
	const char *text;
	unsigned int len;

	f = trace_event_field_find(found_call(event), field, strlen(field));
	KUNIT_ASSERT_NOT_NULL_MSG(test, f, "no field %s", field);
	text = trace_event_value_bytes(f, found->record, FOUND_RECORD, &len);
	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_ASSERT_EQ(test, text[len - 1], 0);
	return text;
}

/* The line of an event's first probe, as dynamic_events has it. */
char *found_line(struct kunit *test, const char *event)
{
	char *text = kunit_kzalloc(test, FOUND_TEXT, GFP_KERNEL);
	struct seq_file m = { .buf = text, .size = FOUND_TEXT };
	struct trace_dyn_event *dyn;

	KUNIT_ASSERT_NOT_NULL(test, text);
	guard(trace_events)();
	dyn = found_dyn(event);
	if (dyn)
		dyn->kind->show(&m, dyn);
	return text;
}

unsigned long found_missed(struct trace_probe *probe, enum trace_probe_miss why)
{
	struct trace_probe_counts counts;

	guard(trace_events)();
	trace_probe_count(probe, &counts);
	return counts.missed[why];
}

static void found_instance_end(void *data)
{
	struct trace_array *tr = data;

	trace_array_put(tr);
	trace_array_destroy(tr);
}

/* An instance that goes when the test ends. */
struct trace_array *found_instance(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_found", NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, found_instance_end, tr), 0);
	return tr;
}

static bool found_is_ours(const struct trace_dyn_event *event, const void *data)
{
	return !strcmp(event->call->class->system, FOUND_GROUP);
}

/* Switch off and remove all events of the tests. 0, -ENOENT: there is none, or -EBUSY. */
int found_clear(void)
{
	trace_array_set_clr_event(trace_top_instance(), FOUND_GROUP, NULL, false);
	return trace_dyn_events_remove(found_is_ours, NULL);
}
