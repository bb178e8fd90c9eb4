// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of elements of arrays, with minima, maxima and percentiles, and by interval, of events
 * that the test raises.
 */
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/hist/internal.h"
#include "events/hist/poll.h"
#include "events/hist/ring.h"
#include "events/hist/tests/shown.h"
#include "events/synth/synth.h"
#include "events/tests/pretend.h"
#include "instance/buffers.h"

#define SYNTH	"kunit_more_synth"

struct more_record {
	struct trace_entry	ent;
	u32			fixed[3];
	s32			num;
	u32			list;		/* __data_loc u16[] */
	u16			data[4];
};

struct more_env {
	struct trace_event_file	*file;
	struct trace_event_file	*other;
	struct trace_event_file	*synth;		/* of an event of an u16 and an u32 */
	char			text[16384];
};

static int more_define(struct trace_event_call *call)
{
	int ret;

	ret = trace_define_field(call, "u32[3]", "fixed", offsetof(struct more_record, fixed),
				 sizeof_field(struct more_record, fixed), false, FILTER_OTHER);
	ret = ret ?: trace_define_field(call, "int", "num", offsetof(struct more_record, num),
					sizeof(s32), true, FILTER_OTHER);
	return ret ?: trace_define_field(call, "__data_loc u16[]", "list",
					 offsetof(struct more_record, list), sizeof(u32), false,
					 FILTER_OTHER);
}

static struct trace_event_fields more_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = more_define },
	{ }
};

/* A hit with the numbers @num, @num + 1, ... in the first array, and their tens in the second. */
static void more_hit(struct trace_event_file *file, int num, unsigned int nr)
{
	struct trace_event_buffer fbuffer;
	struct more_record *rec;

	guard(preempt_notrace)();
	rec = trace_event_buffer_reserve(&fbuffer, file, sizeof(*rec));
	if (!rec)
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(rec->fixed); i++)
		rec->fixed[i] = num + i;
	rec->num = num;
	rec->list = nr * sizeof(u16) << 16 | offsetof(struct more_record, data);
	for (unsigned int i = 0; i < ARRAY_SIZE(rec->data); i++)
		rec->data[i] = i < nr ? 10 * (num + i) : 77;
	trace_event_buffer_commit(&fbuffer);
}

static const char *more_hist(struct more_env *env, struct trace_event_file *file)
{
	return shown_hist(file, env->text, sizeof(env->text));
}

static const char *more_texts(struct more_env *env, struct trace_event_file *file)
{
	return shown_triggers(file, env->text, sizeof(env->text));
}

#define MORE_WRITE(_file, _text) \
	KUNIT_ASSERT_EQ(test, trace_trigger_write(_file, _text), 0)
#define MORE_HAS(_file, _text) \
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(more_hist(env, _file), _text), "%s", env->text)

/* A text comes back, can be written again, and removes the trigger. */
static void more_round_trip(struct kunit *test, const char *text, const char *shown)
{
	struct more_env *env = test->priv;
	char *copy;

	MORE_WRITE(env->file, text);
	KUNIT_EXPECT_STREQ(test, more_texts(env, env->file), shown);
	copy = kunit_kzalloc(test, strlen(shown) + 2, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	copy[0] = '!';
	memcpy(copy + 1, shown, strstr(shown, " [active]") - shown);
	MORE_WRITE(env->file, copy);
	KUNIT_EXPECT_STREQ(test, more_texts(env, env->file), "");
	MORE_WRITE(env->file, copy + 1);
	KUNIT_EXPECT_STREQ(test, more_texts(env, env->file), shown);
	trace_trigger_truncate(env->file);
}

static void more_clean(void *data)
{
	struct more_env *env = data;

	/* Triggers that refer to others go first. */
	trace_trigger_truncate(env->synth);
	trace_trigger_truncate(env->file);
	trace_trigger_truncate(env->other);
	trace_put_event_file(env->synth);
	synth_event_delete(SYNTH);
	trace_array_set_clock(trace_top_instance(), "local");
}

static void more_remove(void *data)
{
	pretend_remove(data);
}

static struct trace_event_file *more_event(struct kunit *test, const char *name)
{
	struct pretended *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	pretend(p, "kunit_more", name);
	p->class.fields_array = more_fields;
	KUNIT_ASSERT_EQ(test, pretend_add(p), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, more_remove, p), 0);
	return pretended_file(trace_top_instance(), p);
}

static int more_init(struct kunit *test)
{
	struct more_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);
	struct synth_field_desc fields[] = { { "u16", "element" }, { "u32", "other" } };
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_NOT_NULL(test, env);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, trace_array_expand(tr), 0);
	env->file = more_event(test, "one");
	env->other = more_event(test, "two");
	KUNIT_ASSERT_EQ(test, synth_event_create(SYNTH, fields, ARRAY_SIZE(fields), NULL), 0);
	env->synth = trace_get_event_file(NULL, TRACE_SYNTH_SYSTEM, SYNTH);
	KUNIT_ASSERT_FALSE(test, IS_ERR(env->synth));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, more_clean, env), 0);
	test->priv = env;
	return 0;
}

/* An element is a key, a value, an operand and a variable, as any field is. */
static void elements_are_fields(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->file, "hist:keys=fixed[1],list[2].hex:vals=fixed[0],list[1]*2+fixed[2],$x:"
			      "x=list[0]:sort=fixed[1].descending");
	more_hit(env->file, 3, 4);
	more_hit(env->file, 5, 3);
	MORE_HAS(env->file, "{ fixed[1]:          6, list[2]: 46 } hitcount:          1"
		 "  fixed[0]:          5  list[1]*2+fixed[2]:        127  x:         50\n"
		 "{ fixed[1]:          4, list[2]: 32 } hitcount:          1"
		 "  fixed[0]:          3  list[1]*2+fixed[2]:         85  x:         30\n");
	trace_trigger_truncate(env->file);
	/* One number as the key is counted on a way of its own. */
	MORE_WRITE(env->file, "hist:keys=fixed[2]:vals=fixed[1]");
	more_hit(env->file, 7, 0);
	MORE_HAS(env->file, "{ fixed[2]:          9 } hitcount:          1"
		 "  fixed[1]:          8\n");
}

/* A hit without an element that the text names is not counted, wherever it is named. */
static void elements_that_are_not_there(struct kunit *test)
{
	static const char * const texts[] = {
		"hist:keys=list[1]", "hist:keys=num:vals=list[1]", "hist:keys=num:x=list[1]",
		"hist:keys=num:vals=num+list[1]", "hist:keys=num:x=1:onmax($x).save(list[1])",
		"hist:keys=num:x=1:onmax($x)." SYNTH "(list[1],fixed[0])",
	};
	struct more_env *env = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		MORE_WRITE(env->file, texts[i]);
		more_hit(env->file, 1, 1);
		more_hit(env->file, 1, 2);
		more_hit(env->file, 1, 0);
		MORE_HAS(env->file, "    Hits: 1\n    Entries: 1\n    Dropped: 0\n"
			 "    Without an element: 2\n");
		trace_trigger_truncate(env->file);
	}
}

static void elements_are_passed_on(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->other, "hist:keys=num:x=fixed[1]");
	MORE_WRITE(env->file, "hist:keys=num:y=$x:onmatch(kunit_more.two)."
			      SYNTH "(list[1],kunit_more.two.fixed[2]):onmax($y).save(list[0])");
	KUNIT_EXPECT_NOT_NULL(test, strstr(more_texts(env, env->other),
					   "synthetic_fixed[2]=fixed[2]"));
	MORE_WRITE(env->synth, "hist:keys=element,other");
	more_hit(env->other, 20, 1);
	more_hit(env->file, 20, 2);
	MORE_HAS(env->synth, "{ element:        210, other:         22 } hitcount:          1\n");
	MORE_HAS(env->file, "\tmax:         21  list[0]:        200\n");
}

/* Fields of the other event are kept with the keys that it has, and not without them. */
static void elements_of_the_other_event(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->other, "hist:keys=list[1]:x=fixed[1]");
	MORE_WRITE(env->file, "hist:keys=list[1]:onmatch(kunit_more.two)."
			      SYNTH "(list[1],kunit_more.two.fixed[2])");
	MORE_WRITE(env->synth, "hist:keys=element,other");
	/* The record has no such element, and so no key. The other one's key is 0. */
	more_hit(env->other, 20, 1);
	more_hit(env->file, -1, 2);
	MORE_HAS(env->synth, "    Hits: 0\n");
	more_hit(env->other, -1, 2);
	more_hit(env->file, -1, 2);
	MORE_HAS(env->synth, "{ element:          0, other:          1 } hitcount:          1\n");
}

static void elements_come_back(struct kunit *test)
{
	more_round_trip(test, "hist:key=list[1].log2,fixed[0]:val=list[0]:x=fixed[2]:"
			"sort=fixed[0],list[0].descending if fixed[1] == 3",
			"hist:keys=list[1].log2,fixed[0]:vals=hitcount,list[0]:x=fixed[2]:"
			"sort=fixed[0],list[0].descending:size=2048 if fixed[1] == 3 [active]\n");
	more_round_trip(test, "hist:keys=list[1].log2,num.bucket=16:sort=num.buckets=16,list[1].log2."
			"descending",
			"hist:keys=list[1].log2,num.buckets=16:vals=hitcount:"
			"sort=num.buckets=16,list[1].log2.descending:size=2048 [active]\n");
	more_round_trip(test, "hist:keys=num:x=fixed[0]:vals=$x:sort=x",
			"hist:keys=num:vals=hitcount,$x:x=fixed[0]:sort=$x:size=2048 [active]\n");
}

static void elements_that_are_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"hist:keys=fixed[3]", "hist:keys=fixed[]", "hist:keys=fixed[x]", "hist:keys=fixed[1",
		"hist:keys=fixed[-1]", "hist:keys=fixed[1]]", "hist:keys=fixed[1][0]",
		"hist:keys=num[0]", "hist:keys=nope[0]", "hist:keys=list[65536]",
		"hist:keys=list[1].stacktrace", "hist:keys=fixed[0].execname",
		"hist:keys=common_timestamp[0]", "hist:keys=hitcount[0]",
		"hist:keys=num:x=fixed[3]", "hist:keys=num:vals=fixed[3]",
		"hist:keys=num:x=1:onmax($x).save(fixed[3])",
		"hist:keys=num:x=1:onmax($x)." SYNTH "(fixed[3],fixed[0])",
		"hist:keys=num:x=1:onmax($x)." SYNTH "(fixed[0],fixed[0])",
	};
	struct more_env *env = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->file, texts[i]), -EINVAL,
				    "%s", texts[i]);
	KUNIT_EXPECT_STREQ(test, more_texts(env, env->file), "");
}

#define MORE_FOLDED	"hist:keys=fixed[0].buckets=1000:vals=num.p50,num,num.max,num.p99,num.min," \
			"num.p999,num.p05:sort=num.p99.descending"

/* Percentiles, maxima and minima of a value beside its sum, in the order of one of them. */
static void values_are_folded(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->file, MORE_FOLDED);
	for (int i = 0; i < 20; i++) {
		more_hit(env->file, i, 0);
		more_hit(env->file, 1024 + i, 0);
	}
	MORE_HAS(env->file, "{ fixed[0]: ~ 1000-1999 } hitcount:         20  num.p50:       1056"
		 "  num:      20670  num.max:       1043  num.p99:       1056  num.min:       1024"
		 "  num.p999:       1056  num.p05:       1056\n"
		 "{ fixed[0]: ~ 0-999 } hitcount:         20  num.p50:          9"
		 "  num:        190  num.max:         19  num.p99:         19  num.min:          0"
		 "  num.p999:         19  num.p05:          0\n");
	/* There is one spread, and the two keys have two groups and one of it. */
	MORE_HAS(env->file, "    Buckets: 3 of 8192 groups, ");
	KUNIT_EXPECT_NULL(test, strstr(env->text, "without"));
	MORE_WRITE(env->file, MORE_FOLDED ":clear");
	MORE_HAS(env->file, "    Buckets: 0 of 8192 groups, ");
	more_hit(env->file, 5, 0);
	MORE_HAS(env->file, "num.p50:          5");
	MORE_HAS(env->file, "num.max:          5");
}

/* Numbers with a sign keep it; variables and expressions are folded as fields are. */
static void folded_of_all_kinds(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->file, "hist:keys=common_type:vals=num.max,num.min,num.p50,$x.p50,"
		   "fixed[1]-fixed[0].max,list[0].hex.max,fixed[2].min:x=num+0:nohitcount");
	more_hit(env->file, -3, 1);
	more_hit(env->file, -20, 1);
	more_hit(env->file, -7, 1);
	MORE_HAS(env->file, " num.max: 18446744073709551613  num.min: 18446744073709551596"
		 "  num.p50: 18446744073709551609  x.p50: 18158513697557839872"
		 "  fixed[1]-fixed[0].max: ");
	trace_trigger_truncate(env->file);
	MORE_WRITE(env->file, "hist:keys=num:vals=$x.p50,fixed[1]-fixed[0].max,list[0].hex.max:x=num+0");
	more_hit(env->file, 17, 1);
	MORE_HAS(env->file, "  x.p50:         17  fixed[1]-fixed[0].max:          1"
		 "  list[0].max:         aa\n");
}

static void folded_come_back(struct kunit *test)
{
	more_round_trip(test, "hist:keys=num:vals=num.p50,$x.p99,num.hex.max,num+1.min,num.p999,num.p05:"
			"x=num:sort=$x.p99,num.p999.descending:size=128",
			"hist:keys=num:vals=hitcount,num.p50,$x.p99,num.hex.max,num+1.min,num.p999,"
			"num.p05:x=num:sort=$x.p99,num.p999.descending:size=128 [active]\n");
}

/* Triggers that share a histogram by its name have the same percentiles. */
static void folded_are_shared(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->file, "hist:name=more:keys=fixed[0]:vals=num.p50,num.max");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other,
		"hist:name=more:keys=fixed[0]:vals=num.p51,num.max"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other,
		"hist:name=more:keys=fixed[0]:vals=num.p50,num.min"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other,
		"hist:name=more:keys=fixed[0]:vals=num.p50,num"), -EINVAL);
	MORE_WRITE(env->other, "hist:name=more:keys=fixed[0]:vals=num.p50,num.max");
	more_hit(env->file, 4, 0);
	more_hit(env->other, 4, 0);
	MORE_WRITE(env->other, "hist:name=more:keys=fixed[0]:vals=num.p50,num.max:pause");
	more_hit(env->other, 4, 0);
	MORE_HAS(env->file, "hitcount:          2  num.p50:          4  num.max:          4\n");
	trace_trigger_truncate(env->other);
	MORE_HAS(env->file, "hitcount:          2  num.p50:          4  num.max:          4\n");
}

static void folded_that_are_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"num.p5", "num.p100", "num.p990", "num.p00", "num.p1234567", "num.p", "num.p9x",
		"num.percent.p50", "num.graph.max", "hitcount.max", "text.max", "num.p50.p99",
		"num.log2.p50", "num.p50.hex", "$x.p50", "list[9].stacktrace.max",
	};
	struct more_env *env = test->priv;
	char text[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(text, sizeof(text), "hist:keys=num:vals=%s", texts[i]);
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->file, text), -EINVAL,
				    "%s", text);
	}
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num.p50"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:x=num.max"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num:vals=num.p50:sort=num.p99"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, more_texts(env, env->file), "");
}

#define MORE_INTERVAL	"hist:keys=fixed[0]:vals=num.max:clock=counter:interval=1000000000000"

/* A table has its interval, and the books of all tables stand at the end. */
static void intervals_are_shown(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->file, MORE_INTERVAL);
	MORE_HAS(env->file, "keep=8 [active]\n#\n\n# interval: none yet\n\nTotals:\n    Hits: 0\n");
	more_hit(env->file, 3, 0);
	more_hit(env->file, 4, 0);
	MORE_HAS(env->file, "#\n\n# interval 0 to 1000000000000 (open)\n{ fixed[0]:          3 }");
	MORE_HAS(env->file, "All intervals:\n    Hits: 2\n    Tables: 0 closed, 0 gone, ");
	MORE_WRITE(env->file, MORE_INTERVAL ":pause");
	more_hit(env->file, 4, 0);
	MORE_HAS(env->file, "All intervals:\n    Hits: 2\n");
	MORE_WRITE(env->file, MORE_INTERVAL ":cont");
	MORE_WRITE(env->file, MORE_INTERVAL ":clear");
	MORE_HAS(env->file, "# interval: none yet\n\nTotals:\n    Hits: 0\n");
	more_hit(env->file, 4, 0);
	MORE_HAS(env->file, "All intervals:\n    Hits: 1\n");
	/* Each tick of the counter is an interval. */
	trace_trigger_truncate(env->file);
	MORE_WRITE(env->file, "hist:keys=num:clock=counter:interval=1:keep=2:x=list[0]:"
			      "onmax($x).save(num)");
	for (int i = 0; i < 6; i++) {
		more_hit(env->file, i, 1);
		more_hist(env, env->file);
		trace_hist_rings_flush();
	}
	more_hit(env->file, 6, 0);
	/* The last one belongs to an interval, although it is not counted. */
	MORE_HAS(env->file, "All intervals:\n    Hits: 6\n    Tables: 2 closed, 5 gone, ");
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "    Without an element: 1\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "\tmax:         50  num:          5\n"));
	KUNIT_EXPECT_NULL(test, strstr(env->text, "\tmax:         40"));
}

static void intervals_come_back(struct kunit *test)
{
	more_round_trip(test, "hist:keys=num:vals=num.p50:interval=1500ms:clock=global",
			"hist:keys=num:vals=hitcount,num.p50:sort=hitcount:size=2048:clock=global:"
			"interval=1500ms:keep=8 [active]\n");
	more_round_trip(test, "hist:keep=3:interval=70:keys=num:clock=counter:x=1:interval=60s",
			"hist:keys=num:vals=hitcount:x=1:sort=hitcount:size=2048:clock=counter:"
			"interval=60s:keep=3 [active]\n");
	/* These are names of variables as well. */
	more_round_trip(test, "hist:keys=num:interval=num,keep=fixed[0]:vals=$keep",
			"hist:keys=num:vals=hitcount,$keep:interval=num,keep=fixed[0]:sort=hitcount:"
			"size=2048 [active]\n");
	more_round_trip(test, "hist:keys=num:x=1,interval=-1,keep=2+3",
			"hist:keys=num:vals=hitcount:x=1,interval=18446744073709551615,keep=5:"
			"sort=hitcount:size=2048 [active]\n");
}

static void intervals_are_shared(struct kunit *test)
{
	struct more_env *env = test->priv;

	MORE_WRITE(env->file, "hist:name=ring:keys=num:clock=counter:interval=1000000000000");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other,
		"hist:name=ring:keys=num:clock=counter:interval=1000000000001"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other,
		"hist:name=ring:keys=num:clock=counter:interval=1000000000000:keep=9"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other,
		"hist:name=ring:keys=num:clock=global:interval=1000000000000"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other, "hist:name=ring:keys=num"), -EINVAL);
	MORE_WRITE(env->other, "hist:name=ring:keys=num:clock=counter:interval=1000000000000");
	more_hit(env->file, 1, 0);
	more_hit(env->other, 1, 0);
	MORE_HAS(env->other, "{ num:          1 } hitcount:          2\n");
}

static void intervals_that_are_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"interval=0", "interval=1h", "interval=1 s", "interval=12345678901234567890",
		"interval=9999999999s", "interval=1s:keep=0", "interval=1s:keep=1025",
		"interval=1s:keep=2x", "keep=5", "interval=", "interval=1s:clock=nope",
		/* The numbers would be shown without a sign, as those of an interval. */
		"interval=-1", "interval=-1+5", "keep=-(1+2)", "interval=-1,x=num",
	};
	struct more_env *env = test->priv;
	char text[80];

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(text, sizeof(text), "hist:keys=num:%s", texts[i]);
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->file, text), -EINVAL,
				    "%s", text);
	}
	/* A table that is closed cannot tell a variable. */
	MORE_WRITE(env->other, "hist:keys=num:y=num:interval=1s");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:x=$y"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, more_texts(env, env->file), "");
}

static struct kunit_case more_cases[] = {
	KUNIT_CASE(elements_are_fields),
	KUNIT_CASE(elements_that_are_not_there),
	KUNIT_CASE(elements_are_passed_on),
	KUNIT_CASE(elements_of_the_other_event),
	KUNIT_CASE(elements_come_back),
	KUNIT_CASE(elements_that_are_refused),
	KUNIT_CASE(values_are_folded),
	KUNIT_CASE(folded_of_all_kinds),
	KUNIT_CASE(folded_come_back),
	KUNIT_CASE(folded_are_shared),
	KUNIT_CASE(folded_that_are_refused),
	KUNIT_CASE(intervals_are_shown),
	KUNIT_CASE(intervals_come_back),
	KUNIT_CASE(intervals_are_shared),
	KUNIT_CASE(intervals_that_are_refused),
	{}
};

static struct kunit_suite more_suite = {
	.name		= "trace-event-hist-more",
	.init		= more_init,
	.test_cases	= more_cases,
};

kunit_test_suite(more_suite);
