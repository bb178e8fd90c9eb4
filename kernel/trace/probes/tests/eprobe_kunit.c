// SPDX-License-Identifier: GPL-2.0
/* KUnit: event probes, on a synthetic event that the test raises. */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/calls.h"
#include "events/draft.h"
#include "events/file.h"
#include "events/synth/synth.h"
#include "events/trigger.h"
#include "instance/instance.h"
#include "probes/tests/found.h"

#define EPROBE_SOURCE	"kunit_source"

static void eprobe_source_end(void *unused)
{
	found_clear();
	found_run("-:synthetic/" EPROBE_SOURCE);
}

/* The event that is probed, which goes when the test ends. */
static struct trace_synth_event *eprobe_source(struct kunit *test)
{
	struct trace_synth_event *source;

	KUNIT_ASSERT_EQ(test, found_run("s:" EPROBE_SOURCE " s32 num; char[] text"), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, eprobe_source_end, NULL), 0);
	guard(trace_events)();
	source = trace_synth_event_find(EPROBE_SOURCE);
	KUNIT_ASSERT_NOT_NULL(test, source);
	return source;
}

static void eprobe_hit(struct trace_synth_event *source, int num)
{
	const u64 vals[] = { num, (unsigned long)"text" };

	guard(preempt)();
	if (trace_synth_event_is_on(source))
		trace_synth_record(source, vals);
}

/* Is the event that is probed on in an instance? */
static bool eprobe_source_is_on(struct trace_array *tr, struct trace_synth_event *source)
{
	guard(trace_events)();
	return trace_event_file_of(tr, trace_synth_event_call(source))->flags &
	       EVENT_FILE_FL_ENABLED;
}

/* Fields of the probed event, as numbers and as a string; it is not recorded itself. */
static void eprobe_fetches(struct kunit *test)
{
	struct trace_synth_event *source = eprobe_source(test);
	struct trace_array *tr = trace_top_instance();
	struct found *found;

	KUNIT_ASSERT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE
					" n=$num:s64 w=$num:s16 t=$text:string"), 0);
	eprobe_hit(source, 1);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_TRUE(test, trace_synth_event_is_on(source));
	eprobe_hit(source, -5);
	KUNIT_EXPECT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_FALSE(test, trace_synth_event_is_on(source));
	eprobe_hit(source, 2);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1);
	found = found_records(test, tr, "ev");
	KUNIT_ASSERT_EQ(test, found->nr, 1);
	KUNIT_EXPECT_EQ(test, (s64)found_value(test, found, "ev", "n"), -5);
	KUNIT_EXPECT_EQ(test, (s16)found_value(test, found, "ev", "w"), -5);
	KUNIT_EXPECT_STREQ(test, found_text(test, found, "ev", "t"), "text");
}

/* The filter behind "if" is one of the probed event; the list has it. */
static void eprobe_filters(struct kunit *test)
{
	struct trace_synth_event *source = eprobe_source(test);
	struct trace_array *tr = trace_top_instance();
	struct found *found;

	KUNIT_EXPECT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE " if"), -EINVAL);
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE " if other > 3"),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE " n=$num if n > 3"),
			-EINVAL);
	KUNIT_ASSERT_EQ(test, found_run("e:kunit/ev synthetic/" EPROBE_SOURCE
					" n=$num if num > 3 && num < 9"), 0);
	KUNIT_EXPECT_STREQ(test, found_line(test, "ev"), "e:kunit/ev synthetic." EPROBE_SOURCE
			   " n=$num if num > 3 && num < 9\n");
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	for (int i = 0; i < 12; i++)
		eprobe_hit(source, i);
	found = found_records(test, tr, "ev");
	KUNIT_EXPECT_EQ(test, found->nr, 5);
	KUNIT_EXPECT_EQ(test, found_value(test, found, "ev", "n"), 8);
}

/* Each instance has its own trigger, and its own records. */
static void eprobe_in_instances(struct kunit *test)
{
	struct trace_array *tr = found_instance(test), *top = trace_top_instance();
	struct trace_synth_event *source = eprobe_source(test);

	KUNIT_ASSERT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE " n=$num"), 0);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_TRUE(test, eprobe_source_is_on(tr, source));
	KUNIT_EXPECT_FALSE(test, eprobe_source_is_on(top, source));
	eprobe_hit(source, 1);
	KUNIT_ASSERT_EQ(test, found_switch(top, "ev", true), 0);
	eprobe_hit(source, 2);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_FALSE(test, eprobe_source_is_on(tr, source));
	KUNIT_EXPECT_TRUE(test, eprobe_source_is_on(top, source));
	eprobe_hit(source, 3);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 2);
	KUNIT_EXPECT_EQ(test, found_records(test, top, "ev")->nr, 2);
	/* It is on in the top instance. */
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev"), -EBUSY);
}

/* A probe keeps its event, and gives it back. */
static void eprobe_keeps_source(struct kunit *test)
{
	const char *remove = "-:synthetic/" EPROBE_SOURCE;

	eprobe_source(test);
	KUNIT_ASSERT_EQ(test, found_run("e:kunit/one synthetic." EPROBE_SOURCE), 0);
	KUNIT_ASSERT_EQ(test, found_run("e:kunit/two synthetic." EPROBE_SOURCE), 0);
	KUNIT_EXPECT_EQ(test, found_run(remove), -EBUSY);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/one"), 0);
	KUNIT_EXPECT_EQ(test, found_run(remove), -EBUSY);
	/* Nothing that is refused keeps it. */
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/two synthetic." EPROBE_SOURCE), -EEXIST);
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE " $none"), -EINVAL);
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE " if none"),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/two synthetic/" EPROBE_SOURCE), 0);
	KUNIT_EXPECT_EQ(test, found_run(remove), 0);
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE), -ENODEV);
}

/* Probes of probes: hit through all of them, kept one by the other, and removed together. */
static void eprobe_chain(struct kunit *test)
{
	struct trace_synth_event *source = eprobe_source(test);
	struct trace_array *tr = trace_top_instance();
	struct found *found;

	KUNIT_ASSERT_EQ(test, found_run("e:kunit/c1 synthetic." EPROBE_SOURCE " a=$num"), 0);
	KUNIT_ASSERT_EQ(test, found_run("e:kunit/c2 kunit.c1 b=$a"), 0);
	KUNIT_ASSERT_EQ(test, found_run("e:kunit/c3 kunit.c2 c=$b"), 0);
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/c1 kunit.c3 a=$c"), -EEXIST);
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/c4 kunit.c4"), -ENODEV);
	KUNIT_ASSERT_EQ(test, found_run("e:kunit/c4 kunit.c3 d=$c"), 0);
	/* As many as may stand on each other. */
	KUNIT_EXPECT_EQ(test, found_run("e:kunit/c5 kunit.c4"), -EINVAL);
	KUNIT_ASSERT_EQ(test, found_run("-:kunit/c4"), 0);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "c3", true), 0);
	eprobe_hit(source, 7);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1);
	found = found_records(test, tr, "c3");
	KUNIT_EXPECT_EQ(test, found->nr, 1);
	KUNIT_EXPECT_EQ(test, found_value(test, found, "c3", "c"), 7);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "c3", false), 0);
	KUNIT_EXPECT_FALSE(test, trace_synth_event_is_on(source));
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/c1"), -EBUSY);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/c2"), -EBUSY);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/"), 0);
	KUNIT_EXPECT_EQ(test, found_run("-:synthetic/" EPROBE_SOURCE), 0);
}

static void eprobe_refused(struct kunit *test)
{
	static const struct {
		const char	*line;
		int		ret;
	} tries[] = {
		{ "e", -EINVAL },
		{ "e ", -EINVAL },
		{ "e .", -EINVAL },
		{ "e synthetic", -EINVAL },
		{ "e synthetic.", -EINVAL },
		{ "e ." EPROBE_SOURCE, -EINVAL },
		{ "e synth." EPROBE_SOURCE, -ENODEV },
		{ "e synthetic.kunit_sourc", -ENODEV },
		{ "e synthetic." EPROBE_SOURCE ".x", -ENODEV },
		{ "e:/ev synthetic." EPROBE_SOURCE, -EINVAL },
		{ "e: synthetic." EPROBE_SOURCE, -EINVAL },
		{ "ex:kunit/ev synthetic." EPROBE_SOURCE, -EINVAL },
		{ "e:kunit/ev ftrace.bprint", -ENODEV },
		{ "e:synthetic/" EPROBE_SOURCE " synthetic." EPROBE_SOURCE, -EEXIST },
		{ "e:kunit/ev synthetic." EPROBE_SOURCE " %ax", -EINVAL },
		{ "e:kunit/ev synthetic." EPROBE_SOURCE " $arg1", -EINVAL },
		{ "e:kunit/ev synthetic." EPROBE_SOURCE " $retval", -EINVAL },
		{ "e:kunit/ev synthetic." EPROBE_SOURCE " n=num", -EINVAL },
	};

	eprobe_source(test);
	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++)
		KUNIT_EXPECT_EQ_MSG(test, found_run(tries[i].line), tries[i].ret, "%s",
				    tries[i].line);
	KUNIT_EXPECT_EQ(test, found_run("-:synthetic/" EPROBE_SOURCE), 0);
}

static struct trace_event_file *eprobe_file(struct trace_array *tr, struct trace_event_call *call)
{
	guard(trace_events)();
	return trace_event_file_of(tr, call);
}

/* A trigger of the test, which has no count(): the records of its event are no drafts. */
struct eprobe_beside {
	struct trace_event_trigger	trigger;
	struct trace_event_file		*file;
	struct trace_synth_event	*raises;	/* at a hit, or NULL */
};

static bool eprobe_beside_hit(struct trace_event_trigger *trigger, struct trace_event_hit *hit)
{
	struct eprobe_beside *beside = container_of(trigger, struct eprobe_beside, trigger);

	if (beside->raises)
		eprobe_hit(beside->raises, 99);
	return false;
}

static void eprobe_beside_end(void *data)
{
	struct eprobe_beside *beside = data;

	if (!beside->file)
		return;
	scoped_guard(trace_events)
		trace_event_trigger_del(&beside->trigger, beside->file);
	beside->file = NULL;
	tracepoint_synchronize_unregister();
}

static struct eprobe_beside *eprobe_beside(struct kunit *test, struct trace_event_file *file)
{
	struct eprobe_beside *beside = kunit_kzalloc(test, sizeof(*beside), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, beside);
	beside->trigger.hit = eprobe_beside_hit;
	beside->trigger.needs_record = true;
	scoped_guard(trace_events)
		KUNIT_ASSERT_EQ(test, trace_event_trigger_add(&beside->trigger, file), 0);
	beside->file = file;
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, eprobe_beside_end, beside), 0);
	return beside;
}

/* The record of a probe is the same if that of its event is a draft, and if it is whole. */
static void eprobe_of_draft(struct kunit *test, const char *args, bool draft)
{
	struct trace_synth_event *source = eprobe_source(test);
	struct trace_array *tr = trace_top_instance();
	struct trace_event_file *file = eprobe_file(tr, trace_synth_event_call(source));
	struct eprobe_beside *beside;
	struct found *quick, *whole;
	char line[160];

	snprintf(line, sizeof(line), "e:kunit/ev synthetic." EPROBE_SOURCE " %s", args);
	KUNIT_ASSERT_EQ_MSG(test, found_run(line), 0, "%s", args);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_EQ_MSG(test, !!(file->flags & TRACE_EVENT_COUNTED), draft, "%s", args);
	eprobe_hit(source, -7);
	quick = found_records(test, tr, "ev");
	beside = eprobe_beside(test, file);
	KUNIT_EXPECT_FALSE(test, file->flags & TRACE_EVENT_COUNTED);
	eprobe_hit(source, -7);
	whole = found_records(test, tr, "ev");
	KUNIT_EXPECT_EQ(test, quick->nr, 1);
	KUNIT_EXPECT_EQ(test, whole->nr, 1);
	found_are_equal(test, quick, whole);
	eprobe_beside_end(beside);
	kunit_release_action(test, eprobe_source_end, NULL);
}

static void eprobe_of_drafts(struct kunit *test)
{
	static const struct {
		const char	*args;
		bool		draft;
	} tries[] = {
		{ "n=$num", true },
		{ "n=$num:s64 w=$num:s16 b=$num:s8 t=$text:string", true },
		{ "c=$comm:string n=$num", true },
		{ "", true },
		/* A filter may ask for what a draft does not have. */
		{ "n=$num if num < 0", false },
		{ "n=$num if common_type > 0", false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++)
		eprobe_of_draft(test, tries[i].args, tries[i].draft);
}

/* A hit that a hit of the same probe causes is missed, and counted. */
static void eprobe_circle(struct kunit *test)
{
	struct trace_synth_event *source = eprobe_source(test);
	struct trace_array *tr = trace_top_instance();
	struct eprobe_beside *beside;

	KUNIT_ASSERT_EQ(test, found_run("e:kunit/ev synthetic." EPROBE_SOURCE " n=$num:s64"), 0);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_TRUE(test, eprobe_file(tr, trace_synth_event_call(source))->flags &
				TRACE_EVENT_COUNTED);
	beside = eprobe_beside(test, eprobe_file(tr, found_call("ev")));
	beside->raises = source;
	eprobe_hit(source, 1);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 1);
	KUNIT_EXPECT_EQ(test, found_missed(found_probe(test, "ev"), TRACE_PROBE_MISS_NESTED), 1);
	eprobe_beside_end(beside);
}

static struct kunit_case eprobe_cases[] = {
	KUNIT_CASE(eprobe_fetches),
	KUNIT_CASE(eprobe_filters),
	KUNIT_CASE(eprobe_in_instances),
	KUNIT_CASE(eprobe_keeps_source),
	KUNIT_CASE(eprobe_chain),
	KUNIT_CASE(eprobe_refused),
	KUNIT_CASE(eprobe_of_drafts),
	KUNIT_CASE(eprobe_circle),
	{}
};

static int eprobe_init(struct kunit *test)
{
	if (!trace_top_instance())
		kunit_skip(test, "there is no tracing");
	ring_buffer_reset(trace_top_instance()->array_buffer.buffer);
	return 0;
}

static struct kunit_suite eprobe_suite = {
	.name		= "trace_eprobes",
	.init		= eprobe_init,
	.test_cases	= eprobe_cases,
};

kunit_test_suite(eprobe_suite);
