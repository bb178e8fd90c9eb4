// SPDX-License-Identifier: GPL-2.0
/*
 * Variables, expressions, references and actions of histograms, as users write them, of events
 * that the test raises.
 */
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/trace_clock.h>
#include <linux/trace_events.h>

#include "events/hist/handler.h"
#include "events/hist/poll.h"
#include "events/hist/tests/shown.h"
#include "events/synth/synth.h"
#include "events/tests/pretend.h"
#include "instance/buffers.h"
#include "record/quick.h"

#define SYNTH	"kunit_vars_synth"

struct vars_env {
	struct trace_event_file	*start;
	struct trace_event_file	*end;
	struct trace_event_file	*synth;		/* of an event of two numbers, an u64 and an s32 */
	char			text[16384];
};

static const char *vars_hist(struct vars_env *env, struct trace_event_file *file)
{
	return shown_hist(file, env->text, sizeof(env->text));
}

static const char *vars_texts(struct vars_env *env, struct trace_event_file *file)
{
	return shown_triggers(file, env->text, sizeof(env->text));
}

static void vars_clean(void *data)
{
	struct vars_env *env = data;

	/* Triggers that refer to others go first. */
	trace_trigger_truncate(env->synth);
	trace_trigger_truncate(env->end);
	trace_trigger_truncate(env->start);
	trace_put_event_file(env->synth);
	synth_event_delete(SYNTH);
}

static int vars_init(struct kunit *test)
{
	struct vars_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);
	struct synth_field_desc fields[] = { { "u64", "lat" }, { "s32", "num" } };
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_NOT_NULL(test, env);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, trace_array_expand(tr), 0);
	env->start = pretended_file(tr, pretend_added(test, "kunit_vars", "start"));
	env->end = pretended_file(tr, pretend_added(test, "kunit_vars", "end"));
	KUNIT_ASSERT_EQ(test, synth_event_create(SYNTH, fields, ARRAY_SIZE(fields), NULL), 0);
	env->synth = trace_get_event_file(NULL, TRACE_SYNTH_SYSTEM, SYNTH);
	KUNIT_ASSERT_FALSE(test, IS_ERR(env->synth));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, vars_clean, env), 0);
	test->priv = env;
	return 0;
}

#define VARS_WRITE(_file, _text) \
	KUNIT_ASSERT_EQ(test, trace_trigger_write(_file, _text), 0)
#define VARS_HAS(_file, _text) \
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(vars_hist(env, _file), _text), "%s", env->text)

#define VARS_ON	"hist:keys=num:onmatch(kunit_vars.start)."

/* Expressions of numbers are computed at once, as their text shows. */
static void numbers_are_folded(struct kunit *test)
{
	static const char * const cases[][2] = {
		{ "123", "x=123:" }, { "16-8-4-2", "x=2:" }, { "64/8/4/2", "x=1:" },
		{ "16-8+4+2", "x=14:" }, { "4*3/2*2", "x=12:" }, { "4+3*2-2", "x=8:" },
		{ "4+6/2-2", "x=5:" }, { "-(5)", "x=18446744073709551611:" },
		{ "-(2)", "x=18446744073709551614:" }, { "0x10*2", "x=32:" },
		{ "-5+6", "x=1:" }, { "-(7-5)", "x=18446744073709551614:" },
	};
	struct vars_env *env = test->priv;
	char text[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "hist:keys=num:x=%s", cases[i][0]);
		VARS_WRITE(env->start, text);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(vars_texts(env, env->start), cases[i][1]),
					  "%s", env->text);
		trace_trigger_truncate(env->start);
	}
}

/* The hit of a text, with 5 as its number, is shown so. */
static void vars_of_five(struct kunit *test, const char *text, const char *shown)
{
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, text);
	pretended_hit(env->start, 5, 0);
	VARS_HAS(env->start, shown);
}

/* Hits compute expressions of fields. */
static void expressions_are_computed(struct kunit *test)
{
	vars_of_five(test, "hist:keys=num:x=num+1,y=$x*10-num/2,w=num-num:"
			   "vals=$x,$y,num*num,-(num),num/$w",
		     "{ num:          5 } hitcount:          1  x:          6"
		     "  y:         58  num*num:         25  -(num): 18446744073709551611"
		     "  num/$w: 18446744073709551615\n");
}

/* Either operand of an operator, or both, may be what other operators have computed. */
static void operands_are_computed(struct kunit *test)
{
	vars_of_five(test, "hist:keys=num:x=num-2,y=num*10:"
			   "vals=$y-$x*num,$y-$x*num/2,$x*num-$y/$x,$y/$x-num-2,-($y-$x*num)",
		     "{ num:          5 } hitcount:          1  $y-$x*num:         35"
		     "  $y-$x*num/2:         43  $x*num-$y/$x: 18446744073709551615"
		     "  $y/$x-num-2:          9  -($y-$x*num): 18446744073709551581\n");
}

/* A pair: the second event reads once what the first has stored. */
static void one_reader_gets_it(struct kunit *test)
{
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=common_pid:x=num,kept=num");
	VARS_WRITE(env->end, "hist:keys=common_pid:vals=num-$x,$kept");
	pretended_hit(env->end, 10, 0);
	VARS_HAS(env->end, "    Hits: 0\n    Entries: 0\n    Dropped: 0\n    Unmatched: 1\n");
	pretended_hit(env->start, 3, 0);
	pretended_hit(env->end, 10, 0);
	VARS_HAS(env->end, "hitcount:          1  num-$x:          7  kept:          3\n");
	pretended_hit(env->end, 10, 0);
	VARS_HAS(env->end, "    Hits: 1\n    Entries: 1\n    Dropped: 0\n    Unmatched: 2\n");
	pretended_hit(env->start, 4, 0);
	pretended_hit(env->start, 5, 0);
	pretended_hit(env->end, 10, 0);
	VARS_HAS(env->end, "hitcount:          2  num-$x:         12  kept:          8\n");
	/* There is an account of the variable that only one reader gets. */
	VARS_HAS(env->start, "    Pairs of x: 3 opened, 2 matched, 1 overwritten, 0 open\n");
	KUNIT_EXPECT_NULL(test, strstr(env->text, "Pairs of kept"));
	pretended_hit(env->start, 6, 0);
	VARS_HAS(env->start, "    Pairs of x: 4 opened, 2 matched, 1 overwritten, 1 open\n");
}

/* A variable that is read keeps its trigger and its event. */
static void owners_stay(struct kunit *test)
{
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	VARS_WRITE(env->end, "hist:keys=num:y=$x");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->start, "!hist:keys=num:x=num"), -EBUSY);
	trace_trigger_truncate(env->start);
	KUNIT_EXPECT_NOT_NULL(test, strstr(vars_texts(env, env->start), "x=num"));
	scoped_guard(trace_events)
		KUNIT_EXPECT_TRUE(test, trace_event_call_is_kept(env->start->event_call));
	/* A trigger of the same text in the wrong place does not free it. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->end, "!hist:keys=num:y=num"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->start, "!hist:keys=num:x=num"), -EBUSY);
	VARS_WRITE(env->end, "!hist:keys=num:y=$x");
	scoped_guard(trace_events)
		KUNIT_EXPECT_FALSE(test, trace_event_call_is_kept(env->start->event_call));
	VARS_WRITE(env->start, "!hist:keys=num:x=num");
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->start), "");
}

static const char vars_match[] = "hist:keys=num:lat=num*100-$x:onmatch(kunit_vars.start)."
				 "trace(" SYNTH ",$lat,kunit_vars.start.num)";

/* A write that fails leaves nothing of what it had begun. */
static void failures_leave_nothing(struct kunit *test)
{
	struct vars_env *env = test->priv;
	char text[160];

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	snprintf(text, sizeof(text), "%s if foo == 1", vars_match);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->end, text), -EINVAL);
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->end), "");
	KUNIT_EXPECT_NULL(test, strstr(vars_texts(env, env->start), "synthetic_"));
	scoped_guard(trace_events)
		KUNIT_EXPECT_FALSE(test, trace_event_call_is_kept(env->start->event_call));
	VARS_WRITE(env->start, "!hist:keys=num:x=num");
}

/* As it is shown. */
static const char vars_matched[] =
	"hist:keys=num:vals=hitcount:lat=num*100-$x:sort=hitcount:size=2048:onmatch(kunit_vars.start)."
	"trace(" SYNTH ",$lat,kunit_vars.start.num) [active]\n";

/* onmatch() records a synthetic event, with a field of the other event. */
static void matches_are_traced(struct kunit *test)
{
	struct vars_env *env = test->priv;
	char text[256];

	VARS_WRITE(env->start, "hist:keys=num:x=num*2 if num > 1");
	VARS_WRITE(env->end, vars_match);
	vars_texts(env, env->start);
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, ":vals=hitcount:synthetic_num=num:sort="));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "size=2048 if num > 1 [active]\n"));
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->end), vars_matched);
	VARS_WRITE(env->synth, "hist:keys=lat,num");
	for (int i = 0; i < 4; i++)
		pretended_hit(env->start, i, 0);
	for (int i = 0; i < 4; i++)
		pretended_hit(env->end, i, 0);
	VARS_HAS(env->synth, "{ lat:        294, num:          3 } hitcount:          1\n");
	VARS_HAS(env->synth, "{ lat:        196, num:          2 } hitcount:          1\n");
	VARS_HAS(env->synth, "    Hits: 2\n");
	KUNIT_EXPECT_EQ(test, synth_event_delete(SYNTH), -EBUSY);
	/* The text that is shown removes the trigger. */
	snprintf(text, sizeof(text), "!%.*s", (int)strcspn(vars_matched, "["), vars_matched);
	VARS_WRITE(env->end, strim(text));
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->end), "");
	KUNIT_EXPECT_NULL(test, strstr(vars_texts(env, env->start), "synthetic_"));
}

/*
 * An expression has the size of its first operand, as clients declare the field that gets it, and
 * is computed in 64 bits, so that a field of this size gets it as well.
 */
static void expressions_have_sizes(struct kunit *test)
{
	static const struct {
		const char	*expr;
		int		ret;
	} tries[] = {
		{ "common_timestamp-$x", -EINVAL }, { "10-num", -EINVAL }, { "num+$x", 0 },
	};
	struct vars_env *env = test->priv;
	char text[128];

	VARS_WRITE(env->start, "hist:keys=num:x=num*2");
	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++) {
		snprintf(text, sizeof(text), "hist:keys=num:y=%s:%s.trace(%s,$y,$y)",
			 tries[i].expr, "onmatch(kunit_vars.start)", SYNTH);
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->end, text), tries[i].ret,
				    "%s", text);
	}
	VARS_WRITE(env->synth, "hist:keys=lat,num");
	pretended_hit(env->start, 3, 0);
	pretended_hit(env->end, 3, 0);
	VARS_HAS(env->synth, "{ lat:          9, num:          9 } hitcount:          1\n");
	VARS_HAS(env->synth, "    Hits: 1\n");
}

/* Two histograms at one event, each removed with what it has made. */
static void truncation_takes_all(struct kunit *test)
{
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	VARS_WRITE(env->start, "hist:keys=num:lat=num*100-$x:onmatch(kunit_vars.start)."
			       SYNTH "($lat,kunit_vars.start.num)");
	trace_trigger_truncate(env->start);
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->start), "");
	scoped_guard(trace_events)
		KUNIT_EXPECT_FALSE(test, trace_event_call_is_kept(env->start->event_call));
}

/* A maximum of each key, and what was saved with it. */
static void maxima_are_saved(struct kunit *test)
{
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=common_cpu:x=num+0:onmax($x).save(num,text,common_pid):"
			       "onchange($x)." SYNTH "($x,num)");
	VARS_WRITE(env->synth, "hist:keys=lat");
	pretended_hit(env->start, 5, 0);
	pretended_hit(env->start, 9, 0);
	pretended_hit(env->start, 7, 0);
	pretended_hit(env->start, 7, 0);
	VARS_HAS(env->start, "} hitcount:          4\n\tmax:          9  num:          9  text: ");
	VARS_HAS(env->start, "\n\tchanged:          7\n");
	VARS_HAS(env->synth, "    Hits: 3\n    Entries: 3\n");
}

/* Strings are stored, copied by another variable, and passed on. */
static void strings_are_passed_on(struct kunit *test)
{
	struct synth_field_desc fields[] = { { "char[]", "text" } };
	struct trace_event_file *file;
	struct vars_env *env = test->priv;
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_EQ(test, synth_event_create("kunit_vars_text", fields, 1, NULL), 0);
	file = trace_get_event_file(NULL, TRACE_SYNTH_SYSTEM, "kunit_vars_text");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_ASSERT_NOT_NULL(test, tr);
	VARS_WRITE(env->start, "hist:keys=num:s=text,c=comm,n=num");
	VARS_WRITE(env->end, "hist:keys=num:t=$s,d=$c:onmax($n).kunit_vars_text($d)");
	VARS_WRITE(file, "hist:keys=text");
	pretended_hit(env->start, 1, 0);
	pretended_hit(env->end, 1, 0);
	VARS_HAS(file, current->comm);
	VARS_HAS(file, "    Hits: 1\n");
	trace_trigger_truncate(file);
	trace_trigger_truncate(env->end);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_vars_text"), 0);
}

/* A shorter key is found by the begin of a longer one, and the other way round. */
static void keys_of_other_lengths(struct kunit *test)
{
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	VARS_WRITE(env->end, "hist:keys=num,common_pid:vals=$x");
	pretended_hit(env->start, 4, 0);
	pretended_hit(env->end, 4, 0);
	pretended_hit(env->end, 5, 0);
	VARS_HAS(env->end, "    Hits: 1\n    Entries: 1\n    Dropped: 0\n    Unmatched: 1\n");
}

/* A synthetic event of a test, with its event of the top instance. */
static struct trace_event_file *vars_synth(struct kunit *test, const char *name,
					   struct synth_field_desc *fields, unsigned int nr)
{
	struct trace_event_file *file;

	KUNIT_ASSERT_EQ(test, synth_event_create(name, fields, nr, NULL), 0);
	file = trace_get_event_file(NULL, TRACE_SYNTH_SYSTEM, name);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	return file;
}

/* Of the oldest trigger of an event, which stays. */
static const struct hist_spec *vars_spec(struct trace_event_file *file)
{
	guard(trace_events)();
	return &hist_trigger_of(trace_trigger_next(file, NULL))->spec;
}

/* The places that hits of a trigger read and write do not overlap, and are all in the room. */
static void vars_check_room(struct kunit *test, const struct hist_spec *spec)
{
	DECLARE_BITMAP(words, HIST_ROOM / sizeof(u64)) = {};

	KUNIT_ASSERT_LE(test, spec->room, HIST_ROOM);
	bitmap_set(words, 0, HIST_OWN / sizeof(u64));
	for (unsigned int i = 0; i < spec->nr_groups; i++) {
		const struct hist_group *group = &spec->groups[i];
		unsigned int at = group->room / sizeof(u64), nr = group->size / sizeof(u64);

		KUNIT_EXPECT_LE(test, group->size, group->owner->spec.cell_size);
		KUNIT_ASSERT_LE(test, group->room + group->size, spec->room);
		KUNIT_EXPECT_GE(test, find_next_bit(words, at + nr, at), at + nr);
		bitmap_set(words, at, nr);
	}
	for (unsigned int i = 0; i < spec->nr_actions; i++) {
		for (unsigned int j = 0; j < spec->actions[i]->nr_args; j++) {
			const struct hist_field *f = &spec->actions[i]->args[j];
			unsigned int at = f->room / sizeof(u64);
			unsigned int nr = DIV_ROUND_UP(f->bytes, sizeof(u64));

			if (f->kind == HIST_NUMBER || f->source == HIST_VAR)
				continue;
			KUNIT_ASSERT_LE(test, f->room + f->bytes, spec->room);
			KUNIT_EXPECT_GE(test, find_next_bit(words, at + nr, at), at + nr);
			bitmap_set(words, at, nr);
		}
	}
}

/* Strings of both events are passed on, in any order. */
static void strings_of_both_events(struct kunit *test)
{
	static const char * const cases[][2] = {
		{ "kunit_vars.start.num,kunit_vars.start.text,text,kunit_vars.start.text",
		  "num:          7, a: xxxxx " },
		{ "num,text,kunit_vars.start.text,text", "num:          7, a: xx " },
		{ "kunit_vars.start.num,kunit_vars.start.text,kunit_vars.start.text,text",
		  "num:          7, a: xxxxx " },
	};
	struct synth_field_desc fields[] = {
		{ "s32", "num" }, { "char[]", "a" }, { "char[]", "b" }, { "char[]", "c" },
	};
	struct trace_event_file *file = vars_synth(test, "kunit_vars_both", fields, 4);
	static const char * const others[] = { "b: xx ", "b: xxxxx ", "b: xxxxx " };
	struct vars_env *env = test->priv;
	char text[192];

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), VARS_ON "kunit_vars_both(%s)", cases[i][0]);
		VARS_WRITE(env->end, text);
		vars_check_room(test, vars_spec(env->end));
		VARS_WRITE(file, "hist:keys=num,a:sort=num");
		VARS_WRITE(file, "hist:keys=num,b:sort=num");
		pretended_hit(env->start, 7, 6);
		pretended_hit(env->end, 7, 3);
		VARS_HAS(file, cases[i][1]);
		VARS_HAS(file, others[i]);
		trace_trigger_truncate(file);
		trace_trigger_truncate(env->end);
	}
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_vars_both"), 0);
}

/* A text is refused whose hits would need more room than they have. */
static void room_is_limited(struct kunit *test)
{
	struct synth_field_desc fields[] = {
		{ "char[]", "a" }, { "char[]", "b" }, { "char[]", "c" }, { "char[]", "d" },
	};
	static const char much[] = VARS_ON
		"kunit_vars_four($g,$n,kunit_vars.start.text,kunit_vars.start.text)";
	struct trace_event_file *file = vars_synth(test, "kunit_vars_four", fields, 4);
	struct trace_event_file *third;
	struct vars_env *env = test->priv;

	third = pretended_file(trace_top_instance(), pretend_added(test, "kunit_vars", "third"));
	VARS_WRITE(env->start, "hist:keys=num:a=text,b=text,c=text,d=text,e=text,f=text,g=text");
	VARS_WRITE(third, "hist:keys=num:h=text,i=text,j=text,k=text,l=text,m=text,n=text");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->end, much), -EINVAL);
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->end), "");
	VARS_WRITE(env->end, VARS_ON "kunit_vars_four($g,$g,kunit_vars.start.text,text)");
	vars_check_room(test, vars_spec(env->end));
	trace_trigger_truncate(env->end);
	trace_trigger_truncate(third);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_vars_four"), 0);
}

/* A trigger has all that its hits read before it is attached. */
static void parts_come_before_hits(struct kunit *test)
{
	const struct trace_trigger_text texts[] = {
		{ .text = vars_match, .param = vars_match + strlen("hist:") },
		{ .text = "hist:keys=num:y=num:onmax($y).snapshot()",
		  .param = "keys=num:y=num:onmax($y).snapshot()" },
	};
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		struct trace_trigger *trigger;
		struct hist_trigger *ht;

		scoped_guard(trace_instances)
			trigger = trace_hist_command.make(env->end, &texts[i]);
		KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(trigger));
		ht = hist_trigger_of(trigger);
		KUNIT_EXPECT_NOT_NULL(test, ht->hist);
		for (unsigned int j = 0; j < ht->spec.nr_groups; j++)
			KUNIT_EXPECT_NOT_NULL(test, ht->spec.groups[j].owner->hist);
		KUNIT_EXPECT_EQ(test, ht->spec.nr_actions, 1);
		KUNIT_EXPECT_PTR_EQ(test, ht->spec.actions[0]->shot.tr, i ? env->end->tr : NULL);
		guard(trace_instances)();
		trace_hist_command.free(trigger);
	}
}

#ifdef CONFIG_TRACER_SNAPSHOT
/* A trigger that is refused when it is bound keeps nothing when the write returns. */
static void refused_keep_nothing(struct kunit *test)
{
	static const char two[] =
		"hist:keys=num:y=num+0:onchange($y)." SYNTH "($y,num):onmax($y).snapshot()";
	struct vars_env *env = test->priv;
	/* The environment keeps it. */
	int kept = atomic_read(&env->synth->event_call->refcnt);

	VARS_WRITE(env->start, "hist:keys=num:x=num:onmax($x).snapshot()");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->end, two), -EBUSY);
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->end), "");
	KUNIT_EXPECT_EQ(test, atomic_read(&env->synth->event_call->refcnt), kept);
}
#endif

static void vars_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"hist:keys=num:y=$nope", "hist:keys=num:y=1+2+3+4+5",
		"hist:keys=num:y=32+10*3/20-4",
		"hist:keys=num:y=-(1)+2", "hist:keys=num:y=text+1",
		"hist:keys=num:y=5x", "hist:keys=$x", "hist:keys=num+$x", "hist:keys=num:y=num,y=1",
		"hist:keys=num:y", "hist:keys=num:y=", "hist:keys=num:=5", "hist:keys=num:y=foo",
		"hist:keys=num:y=common_timestamp-common_timestamp.usecs",
		"hist:keys=num:onmatch(kunit_vars.start",
		"hist:keys=num:onmatch(kunit_vars).x(num)",
		"hist:keys=num:onmatch(kunit_vars.nope).x(num)",
		"hist:keys=num:onmatch(kunit_vars.start)", VARS_ON "x",
		VARS_ON "nope(num)",
		VARS_ON "save(num)",
		VARS_ON "snapshot()",
		VARS_ON SYNTH "($x)",
		VARS_ON SYNTH "($x,num,num)",
		VARS_ON SYNTH "(num,$x)",
		VARS_ON SYNTH "(text,num)",
		VARS_ON SYNTH "($nope,num)",
		VARS_ON SYNTH "(nope,num)",
		"hist:keys=num:onmax(num).save(num)", "hist:keys=num:onmax($nope).save(num)",
		"hist:keys=num:y=num:onmax($y).save()", "hist:keys=num:y=num:onmax($y).save(nope)",
		"hist:keys=num:y=num:onmax($y)", "hist:keys=num:y=num:onmax($y.save(num)",
		"hist:keys=num:y=num:onmax($y).save(num",
		"hist:keys=num:y=text:onmax($y).save(num)",
	};
	static const char twice[] =
		"hist:keys=num:y=num:onmax($y).save(num):onchange($y).save(num)";
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->end, texts[i]), -EINVAL,
				    "%s", texts[i]);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->end, "hist:keys=num:y=3/0"), -EDOM);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->end, twice), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->start, "hist:keys=common_pid:x=num"),
			-EINVAL);
	KUNIT_EXPECT_STREQ(test, vars_texts(env, env->end), "");
	VARS_WRITE(env->start, "!hist:keys=num:x=num");
}

/* A name that two events have is refused, unless it is qualified. */
static void names_are_unique(struct kunit *test)
{
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	VARS_WRITE(env->synth, "hist:keys=num:x=num");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->end, "hist:keys=num:y=$x"), -EINVAL);
	VARS_WRITE(env->end, "hist:keys=num:y=kunit_vars.start.$x");
	VARS_WRITE(env->end, "!hist:keys=num:y=kunit_vars.start.$x");
	/* The event of an onmatch() comes first. */
	VARS_WRITE(env->end, "hist:keys=num:y=num-$x:onmatch(kunit_vars.start)." SYNTH "($y,num)");
}

/* A variable of the trigger itself, as a key, is what the variable gets. */
static void variables_are_keys(struct kunit *test)
{
	static const char * const texts[][2] = {
		{ "hist:x=num:keys=$x", "hist:keys=num:vals=hitcount:x=num:" },
		{ "hist:keys=$x.hex:x=num", NULL },
		{ "hist:keys=$x:x=num.log2", "hist:keys=num.log2:vals=hitcount:x=num.log2:" },
		{ "hist:keys=$x,text:x=num+1", "hist:keys=num+1,text:vals=hitcount:x=num+1:" },
		{ "hist:keys=$y:x=text:y=$x", "hist:keys=text:vals=hitcount:x=text,y=$x:" },
		{ "hist:keys=kunit_vars.end.$x:x=num", "hist:keys=num:vals=hitcount:x=num:" },
		{ "hist:keys=kunit_vars.start.$x:x=num", NULL },
		{ "hist:keys=$other:x=num", NULL },
		{ "hist:keys=$x:x=$other", NULL },
		{ "hist:keys=$x:x=num-$other", NULL },
		{ "hist:keys=$x:x=hitcount", NULL },
		/* A text knows the variables before its own. */
		{ "hist:keys=$other:other=$other", NULL },
		{ "hist:keys=$x:x=$other:other=num", NULL },
		{ "hist:keys=$x:x=$other:other=$x", NULL },
	};
	struct vars_env *env = test->priv;
	const char *shown;
	char text[128];

	VARS_WRITE(env->start, "hist:keys=num:other=num");
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->end, texts[i][0]),
				    texts[i][1] ? 0 : -EINVAL, "%s", texts[i][0]);
		shown = vars_texts(env, env->end);
		if (!texts[i][1]) {
			KUNIT_EXPECT_STREQ_MSG(test, shown, "", "%s", texts[i][0]);
			continue;
		}
		KUNIT_EXPECT_TRUE_MSG(test, strstarts(shown, texts[i][1]), "%s", shown);
		/* The text that was written names it, and so does the one that is shown. */
		snprintf(text, sizeof(text), "!%s", texts[i][0]);
		VARS_WRITE(env->end, text);
		KUNIT_EXPECT_STREQ(test, vars_texts(env, env->end), "");
	}
	VARS_WRITE(env->end, "hist:keys=$x,$y:x=num*2:y=text");
	pretended_hit(env->end, 21, 3);
	VARS_HAS(env->end, "{ num*2:         42, text: ");
	VARS_HAS(env->end, "hitcount:          1");
}

/* Each hit is one, wherever an action names "hitcount", of either event. */
static void hits_are_passed_on(struct kunit *test)
{
	static const char * const texts[] = {
		VARS_ON SYNTH "(hitcount,num)", VARS_ON SYNTH "(kunit_vars.end.hitcount,num)",
		VARS_ON SYNTH "(kunit_vars.start.hitcount,num)",
		VARS_ON "trace(" SYNTH ",hitcount,num)",
		"hist:keys=num:y=num:onchange($y)." SYNTH "(hitcount,num)",
	};
	struct vars_env *env = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		VARS_WRITE(env->start, "hist:keys=num:x=num");
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->end, texts[i]), 0, "%s",
				    texts[i]);
		VARS_WRITE(env->synth, "hist:keys=num:vals=lat");
		for (int hit = 0; hit < 3; hit++) {
			pretended_hit(env->start, 7, 0);
			pretended_hit(env->end, 7, 0);
		}
		if (strstr(texts[i], "onmatch"))
			VARS_HAS(env->synth, "{ num:          7 } hitcount:          3  "
				 "lat:          3\n");
		else
			VARS_HAS(env->synth, "{ num:          7 } hitcount:          1  "
				 "lat:          1\n");
		trace_trigger_truncate(env->synth);
		trace_trigger_truncate(env->end);
		trace_trigger_truncate(env->start);
	}
	VARS_WRITE(env->end, "hist:keys=num:y=num:onmax($y).save(hitcount)");
	pretended_hit(env->end, 7, 0);
	VARS_HAS(env->end, "hitcount:          1\n");
}

/* A stamp and a stack of the other event are fields of it, too. */
static void stamps_of_the_other_event(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct vars_env *env = test->priv;

	VARS_WRITE(env->start, "hist:keys=num");
	VARS_WRITE(env->end, VARS_ON SYNTH "(kunit_vars.start.common_timestamp,num)"
		   ":clock=counter");
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "counter");
	VARS_WRITE(env->synth, "hist:keys=lat");
	pretended_hit(env->start, 7, 0);
	pretended_hit(env->end, 7, 0);
	KUNIT_EXPECT_NULL(test, strstr(vars_hist(env, env->synth), "lat:          0"));
	VARS_HAS(env->synth, "    Hits: 1\n");
	trace_array_set_clock(tr, "local");
}

/* A clock is set by a text that is right, and only by it. */
static void clock_is_set_last(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct vars_env *env = test->priv;
	char was[32];

	strscpy(was, trace_clock_name(tr));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->start,
		"hist:keys=num:t=common_timestamp:clock=counter if nope > 1"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), was);
	VARS_WRITE(env->start, "hist:keys=num:t=common_timestamp:clock=counter");
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "counter");
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, was), 0);
}

/* The clock of an instance goes back with the last histogram that has stamps of another one. */
static void clock_goes_back(struct kunit *test)
{
	static const char start[] = "hist:keys=num:t=common_timestamp:clock=counter";
	static const char end[] = "hist:keys=num:u=common_timestamp:clock=counter";
	static const char mono[] = "hist:keys=num:v=common_timestamp:clock=mono";
	struct trace_array *tr = trace_top_instance();
	struct vars_env *env = test->priv;
	unsigned int state;

	KUNIT_ASSERT_EQ(test, trace_array_set_clock(tr, "local"), 0);
	state = atomic_read(&tr->array_buffer.buffer->state);
	VARS_WRITE(env->start, start);
	VARS_WRITE(env->end, end);
	KUNIT_EXPECT_NE(test, atomic_read(&tr->array_buffer.buffer->state), state);
	trace_trigger_truncate(env->start);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "counter");
	VARS_WRITE(env->start, mono);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "mono");
	trace_trigger_truncate(env->start);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "mono");
	trace_trigger_truncate(env->end);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "local");
	KUNIT_EXPECT_EQ(test, atomic_read(&tr->array_buffer.buffer->state), state);

	/* A choice of the user stays. */
	VARS_WRITE(env->start, start);
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "mono"), 0);
	VARS_WRITE(env->end, end);
	trace_trigger_truncate(env->start);
	trace_trigger_truncate(env->end);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "mono");
	/* So it does if a histogram needs no other one, and the next one does. */
	VARS_WRITE(env->start, mono);
	VARS_WRITE(env->end, end);
	trace_trigger_truncate(env->start);
	trace_trigger_truncate(env->end);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "mono");
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "local"), 0);
}

/* Records that have stamps of a clock keep it, until the user empties the trace. */
static void clock_stays_with_records(struct kunit *test)
{
	static const char text[] = "hist:keys=num:t=common_timestamp:clock=counter";
	struct trace_array *tr = trace_top_instance();
	struct vars_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_array_set_clock(tr, "local"), 0);
	for (int emptied = 0; emptied < 2; emptied++) {
		VARS_WRITE(env->start, text);
		KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_vars", "start", true),
				0);
		KUNIT_EXPECT_TRUE(test, pretended_hit(env->start, 7, 0));
		KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_vars", "start", false),
				0);
		/* As long as it is needed, emptying the trace does not end it. */
		if (emptied)
			trace_array_empty(tr);
		KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "counter");
		KUNIT_EXPECT_EQ(test, pretended_records(tr), emptied ? 0UL : 1UL);
		trace_trigger_truncate(env->start);
		KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), emptied ? "local" : "counter");
		trace_array_empty(tr);
		KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "local");
		KUNIT_EXPECT_EQ(test, pretended_records(tr), 0UL);
	}
}

static DECLARE_COMPLETION(clock_emptied);

static int clock_empties(void *tr)
{
	trace_array_empty(tr);
	complete(&clock_emptied);
	return 0;
}

/* As long as the trace has records of a clock, the instance has no other one. */
static void clock_goes_with_records(struct kunit *test)
{
	static const char text[] = "hist:keys=num:t=common_timestamp:clock=counter";
	struct trace_array *tr = trace_top_instance();
	struct vars_env *env = test->priv;
	struct task_struct *task;

	KUNIT_ASSERT_EQ(test, trace_array_set_clock(tr, "local"), 0);
	VARS_WRITE(env->start, text);
	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_vars", "start", true), 0);
	KUNIT_EXPECT_TRUE(test, pretended_hit(env->start, 7, 0));
	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_vars", "start", false), 0);
	trace_trigger_truncate(env->start);
	reinit_completion(&clock_emptied);
	task = kthread_create(clock_empties, tr, "kunit_clock");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	scoped_guard(mutex, &tr->buffers_mutex) {
		wake_up_process(task);
		/* It waits for the mutex, without which it empties nothing. */
		while (!(READ_ONCE(task->__state) & TASK_UNINTERRUPTIBLE) &&
		       !completion_done(&clock_emptied))
			msleep(20);
		KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "counter");
		KUNIT_EXPECT_TRUE(test, tr->array_buffer.buffer->clock == trace_clock_counter);
		KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1UL);
	}
	wait_for_completion(&clock_emptied);
	kthread_stop_put(task);
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "local");
	KUNIT_EXPECT_EQ(test, pretended_records(tr), 0UL);
}

/* Histograms feed each other through synthetic events, as many as there are. */
static void chains(struct kunit *test)
{
	struct synth_field_desc fields[] = { { "s32", "num" } };
	struct trace_event_file *file[8], *last;
	struct vars_env *env = test->priv;
	char name[24], text[96];

	last = env->start;
	for (int i = 0; i < 8; i++) {
		sprintf(name, "kunit_chain%d", i);
		KUNIT_ASSERT_EQ(test, synth_event_create(name, fields, 1, NULL), 0);
		file[i] = trace_get_event_file(NULL, TRACE_SYNTH_SYSTEM, name);
		KUNIT_ASSERT_FALSE(test, IS_ERR(file[i]));
		snprintf(text, sizeof(text), "hist:keys=num:v%d=num:onchange($v%d).%s(num)", i, i,
			 name);
		VARS_WRITE(last, text);
		last = file[i];
	}
	VARS_WRITE(last, "hist:keys=num");
	for (int i = 1; i <= 10; i++)
		pretended_hit(env->start, i, 0);
	/* Hits that are not counted are told. */
	if (!strstr(vars_hist(env, last), "    Hits: 10\n"))
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(env->text, "nested: "), "%s", env->text);
	trace_trigger_truncate(last);
	for (int i = 7; i >= 0; i--) {
		trace_trigger_truncate(i ? file[i - 1] : env->start);
		trace_put_event_file(file[i]);
		sprintf(name, "kunit_chain%d", i);
		KUNIT_EXPECT_EQ(test, synth_event_delete(name), 0);
	}
}

/* A cell that hits store all the time is told, and the table ends. */
static void busy_cells(struct kunit *test)
{
	struct vars_env *env = test->priv;
	struct hist_trigger *ht = NULL;
	struct trace_trigger *trigger;
	struct hist_cell *cell;
	u64 key = 1, state;

	VARS_WRITE(env->start, "hist:keys=num:x=num:onmax($x).save(num)");
	pretended_hit(env->start, key, 0);
	scoped_guard(trace_instances) {
		for_each_trace_trigger(trigger, env->start)
			ht = hist_trigger_of(trigger);
	}
	KUNIT_ASSERT_NOT_NULL(test, ht);
	cell = trace_map_find(ht->hist->map, &key) + ht->spec.actions[0]->at;
	KUNIT_ASSERT_TRUE(test, hist_cell_begin(cell, &state));
	vars_hist(env, env->start);
	hist_cell_end(cell, state, state & 1);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(env->text, "max:          0 (busy)  num:"), "%s",
				  env->text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "Totals:"));
}

/* poll() tells of hits that were not read, and once of those that have come since it looked. */
static void polled(struct kunit *test)
{
	struct vars_env *env = test->priv;
	struct hist_open_file open = { .file = env->start };

	VARS_WRITE(env->start, "hist:keys=num");
	trace_hist_file_told(&open, false);
	KUNIT_EXPECT_EQ(test, trace_hist_file_poll(&open, NULL, NULL), 0);
	pretended_hit(env->start, 1, 0);
	KUNIT_EXPECT_EQ(test, trace_hist_file_poll(&open, NULL, NULL),
			EPOLLIN | EPOLLRDNORM | EPOLLPRI);
	KUNIT_EXPECT_EQ(test, trace_hist_file_poll(&open, NULL, NULL), EPOLLIN | EPOLLRDNORM);
	pretended_hit(env->start, 1, 0);
	KUNIT_EXPECT_EQ(test, trace_hist_file_poll(&open, NULL, NULL),
			EPOLLIN | EPOLLRDNORM | EPOLLPRI);
	trace_hist_file_told(&open, true);
	KUNIT_EXPECT_EQ(test, trace_hist_file_poll(&open, NULL, NULL), 0);
	KUNIT_EXPECT_TRUE(test, open.polled);
	atomic_dec(&trace_hist_polled);
}

/* An interrupt raises the events of a pair between any two instructions of the task's hits. */
struct vars_interrupt {
	struct hrtimer	timer;
	struct vars_env	*env;
	unsigned long	raised;
};

static enum hrtimer_restart vars_interrupt(struct hrtimer *timer)
{
	struct vars_interrupt *i = container_of(timer, struct vars_interrupt, timer);

	pretended_hit(i->env->start, 1, 0);
	pretended_hit(i->env->end, 1, 0);
	i->raised++;
	hrtimer_forward_now(timer, ns_to_ktime(50 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

/* The number behind a word of a table; 0: it is not there. */
static unsigned long vars_number(const char *text, const char *word)
{
	const char *at = strstr(text, word);
	unsigned long number;

	return at && sscanf(at + strlen(word), "%lu", &number) == 1 ? number : 0;
}

/* Each hit is counted, whatever it interrupts. */
static void interrupted_pairs(struct kunit *test)
{
	struct vars_env *env = test->priv;
	struct vars_interrupt i = { .env = env };
	unsigned long hits = 0, seen, matched;

	VARS_WRITE(env->start, "hist:keys=num:x=num");
	VARS_WRITE(env->end, "hist:keys=num:vals=num-$x");
	hrtimer_init_on_stack(&i.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	i.timer.function = vars_interrupt;
	hrtimer_start(&i.timer, ns_to_ktime(50 * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
	while (READ_ONCE(i.raised) < 200 && hits < 1000000) {
		pretended_hit(env->start, 1, 0);
		pretended_hit(env->end, 1, 0);
		hits++;
	}
	hrtimer_cancel(&i.timer);
	destroy_hrtimer_on_stack(&i.timer);
	vars_hist(env, env->end);
	matched = vars_number(env->text, "    Hits: ");
	seen = matched + vars_number(env->text, "    Dropped: ") +
	       vars_number(env->text, "    Unmatched: ") + vars_number(env->text, "    Busy: ");
	KUNIT_EXPECT_EQ_MSG(test, seen, hits + i.raised, "%s", env->text);
	vars_hist(env, env->start);
	seen = vars_number(env->text, "    Hits: ") + vars_number(env->text, "    Dropped: ");
	KUNIT_EXPECT_EQ_MSG(test, seen, hits + i.raised, "%s", env->text);
	KUNIT_EXPECT_EQ_MSG(test, vars_number(env->text, "opened, "), matched, "%s", env->text);
}

static struct kunit_case vars_cases[] = {
	KUNIT_CASE(numbers_are_folded),
	KUNIT_CASE(expressions_are_computed),
	KUNIT_CASE(operands_are_computed),
	KUNIT_CASE(one_reader_gets_it),
	KUNIT_CASE(owners_stay),
	KUNIT_CASE(failures_leave_nothing),
	KUNIT_CASE(matches_are_traced),
	KUNIT_CASE(expressions_have_sizes),
	KUNIT_CASE(truncation_takes_all),
	KUNIT_CASE(maxima_are_saved),
	KUNIT_CASE(strings_are_passed_on),
	KUNIT_CASE(keys_of_other_lengths),
	KUNIT_CASE(strings_of_both_events),
	KUNIT_CASE(room_is_limited),
	KUNIT_CASE(parts_come_before_hits),
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_CASE(refused_keep_nothing),
#endif
	KUNIT_CASE(vars_refused),
	KUNIT_CASE(names_are_unique),
	KUNIT_CASE(variables_are_keys),
	KUNIT_CASE(hits_are_passed_on),
	KUNIT_CASE(stamps_of_the_other_event),
	KUNIT_CASE(clock_is_set_last),
	KUNIT_CASE(clock_goes_back),
	KUNIT_CASE(clock_stays_with_records),
	KUNIT_CASE(clock_goes_with_records),
	KUNIT_CASE(chains),
	KUNIT_CASE(busy_cells),
	KUNIT_CASE(polled),
	KUNIT_CASE(interrupted_pairs),
	{}
};

static struct kunit_suite vars_suite = {
	.name		= "trace-event-hist-vars",
	.init		= vars_init,
	.test_cases	= vars_cases,
};

kunit_test_suite(vars_suite);
