// SPDX-License-Identifier: GPL-2.0
/* Triggers as users write them: their texts, what they do, and how they end. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/trace.h>
#include <linux/tracepoint.h>

#include "actions/action.h"
#include "events/tests/pretend.h"
#include "events/trigger/delay.h"
#include "events/trigger/internal.h"
#include "instance/buffers.h"
#include "instance/snapshot.h"
#include "lib/long_hit.h"

struct written_env {
	struct trace_array	*tr;
	struct pretended	*event;
	struct trace_event_file	*file;
	struct pretended	*other;
	struct trace_event_file	*other_file;
	char			text[1024];
};

/* The text that the event's file shows. */
static const char *written_shown(struct written_env *env, struct trace_event_file *file)
{
	struct seq_file m = { .buf = env->text, .size = sizeof(env->text) - 1 };

	guard(trace_events)();
	memset(env->text, 0, sizeof(env->text));
	trace_triggers_show(&m, file);
	return env->text;
}

static int written_all_fail(struct written_env *env, const char * const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (trace_trigger_write(env->file, texts[i]) != -EINVAL)
			return i + 1;
	}
	return 0;
}

/* All triggers that a test may leave. */
static void written_clean(void *data)
{
	static const char * const texts[] = {
		"!traceon", "!stacktrace", "!snapshot",
		"!enable_event:kunit_written:one", "!enable_event:kunit_written:two",
		"!enable_event:kunit_written:three",
	};
	struct written_env *env = data;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		trace_trigger_write(env->file, texts[i]);
	trace_array_on(env->tr);
	pretended_switch(env->event, false);
	pretended_switch(env->other, false);
}

static int written_init(struct kunit *test)
{
	struct written_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->tr = trace_top_instance();
	KUNIT_ASSERT_NOT_NULL(test, env->tr);
	KUNIT_ASSERT_EQ(test, trace_array_expand(env->tr), 0);
	trace_array_on(env->tr);
	trace_array_reset(env->tr);
	env->event = pretend_added(test, "kunit_written", "one");
	env->file = pretended_file(env->tr, env->event);
	env->other = pretend_added(test, "kunit_written", "two");
	env->other_file = pretended_file(env->tr, env->other);
	test->priv = env;
	return kunit_add_action_or_reset(test, written_clean, env);
}

static bool written_is_soft(struct trace_event_file *file)
{
	return file->flags & EVENT_FILE_FL_SOFT_MODE;
}

/* Forms that 6.12 refuses, each with EINVAL, change nothing. */
static void refused_texts(struct kunit *test)
{
	static const char * const texts[] = {
		"", "!", "nosuch", "!nosuch", "traceoff+0", "traceoff:bad", "traceoff:3bad",
		"traceoff:-1", "traceoff if", "traceoff:3 if",
		"traceoff:3 foo", "traceoff foo if num == 1", "traceoff if nofield == 1",
		"traceoff if num", "dump", "enable_event", "!enable_event", "enable_event:",
		"enable_event:kunit_written", "enable_event:kunit_written:",
		"enable_event::two", "enable_event:kunit_written:nosuch",
		"enable_event:kunit_written:two:", "enable_event:kunit_written:two:x",
		"enable_event:ftrace:print", "stacktrace:foo",
		"!enable_event:kunit_written:nosuch", "!disable_event:nosuch:two:3",
	};
	struct written_env *env = test->priv;
	int at = written_all_fail(env, texts, ARRAY_SIZE(texts));

	KUNIT_EXPECT_EQ_MSG(test, at, 0, "'%s' is not refused", texts[at - !!at]);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), "");
	KUNIT_EXPECT_FALSE(test, written_is_soft(env->file));
	KUNIT_EXPECT_FALSE(test, written_is_soft(env->other_file));
	KUNIT_EXPECT_EQ(test, env->event->on, 0);
}

static void texts_are_shown(struct kunit *test)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "traceoff", "traceoff:unlimited\n" },
		{ "traceoff:", "traceoff:unlimited\n" },
		{ "traceon:3", "traceon:count=3\n" },
		{ "traceoff:0", "traceoff:count=0\n" },
		{ "traceoff:0x10", "traceoff:count=16\n" },
		{ "traceoff if num == 3", "traceoff:unlimited if num == 3\n" },
		{ "traceoff:if num == 3", "traceoff:unlimited if num == 3\n" },
		{ "traceoff 3 if  num == 3", "traceoff:count=3 if num == 3\n" },
		{ "traceoff:4\tif num == 3 ", "traceoff:count=4 if num == 3\n" },
	};
	struct written_env *env = test->priv;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->file, cases[i].text), 0,
				    "%s", cases[i].text);
		KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), cases[i].shown);
		KUNIT_EXPECT_TRUE(test, written_is_soft(env->file));
		KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!traceoff"), 0);
		KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), "");
		KUNIT_EXPECT_FALSE(test, written_is_soft(env->file));
	}
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:99999999999999999999"),
			-ERANGE);
	/* The oldest comes first. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "stacktrace:5 if num > 1"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "enable_event:kunit_written:two:7"),
			0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "stacktrace:count=5 if num > 1\n"
			   "traceoff:unlimited\n"
			   "enable_event:kunit_written:two:count=7\n");
}

/* One of a pair, and one for each event that is switched. A removal heeds no count or filter. */
static void pairs_exclude_each_other(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct trace_event_file *file = env->file;

	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "traceoff:3"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "traceoff"), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "traceon"), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "traceoff if num == 1"), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "stacktrace"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "stacktrace:1"), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "enable_event:kunit_written:two"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "enable_event:kunit_written:two:1"),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "disable_event:kunit_written:two"),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "disable_event:kunit_written:one"), 0);

	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "!snapshot"),
			IS_ENABLED(CONFIG_TRACER_SNAPSHOT) ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "!traceon:count=9 if nonsense"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "!stacktrace:unlimited"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "!stacktrace"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "!enable_event:kunit_written:one:5"), 0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, file),
			   "enable_event:kunit_written:two:unlimited\n");
}

/* Two switches that change something, and no more; hits that change nothing do not count. */
static void counts_end_at_zero(struct kunit *test)
{
	struct written_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:2 if num == 3"), 0);
	for (int round = 0; round < 3; round++) {
		trace_array_on(env->tr);
		pretended_hit(env->file, 2, 0);
		KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
		for (int i = 0; i < 3; i++)
			pretended_hit(env->file, 3, 0);
		KUNIT_EXPECT_EQ(test, trace_array_is_on(env->tr), round == 2);
	}
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), "traceoff:count=0 if num == 3\n");
}

/* Two of the hits behind the first, and of these each third. A removal heeds no pace. */
static void paces_choose_hits(struct kunit *test)
{
	struct written_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:2:after=1:every=3"), 0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "traceoff:count=2:after=1:every=3\n");
	for (int i = 0; i < 10; i++) {
		trace_array_on(env->tr);
		pretended_hit(env->file, i, 0);
		KUNIT_EXPECT_EQ_MSG(test, trace_array_is_on(env->tr), i != 1 && i != 4, "hit %d",
				    i);
	}
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "traceoff:count=0:after=1:every=3\n");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:every=3"), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!traceoff:count=0:after=1:every=3"),
			0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:ratelimit=1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "stacktrace:ratelimit=1000s"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file,
						  "enable_event:kunit_written:two:ratelimit=1s"),
			0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "stacktrace:unlimited:ratelimit=1000s\n"
			   "enable_event:kunit_written:two:unlimited:ratelimit=1s\n");
}

static void record_is_the_last(struct kunit *test)
{
	struct written_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff"), 0);
	pretended_hit(env->file, 1, 0);
	pretended_hit(env->file, 2, 0);
	KUNIT_EXPECT_FALSE(test, trace_array_is_on(env->tr));
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!traceoff"), 0);

	/* Tracing comes on before its record. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceon if num == 5"), 0);
	pretended_hit(env->file, 4, 0);
	pretended_hit(env->file, 5, 0);
	KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 2);
}

#ifdef CONFIG_TRACER_SNAPSHOT
static void snapshot_has_the_record(struct kunit *test)
{
	struct written_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "snapshot:1 if num == 2"), 0);
	KUNIT_EXPECT_TRUE(test, trace_snapshot_is_allocated(env->tr));
	pretended_hit(env->file, 1, 0);
	pretended_hit(env->file, 2, 0);
	pretended_hit(env->file, 2, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(env->tr->snapshot.buffer), 2);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), "snapshot:count=0 if num == 2\n");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!snapshot"), 0);
	/* Nobody keeps the memory when the removal returns. */
	KUNIT_EXPECT_EQ(test, trace_snapshot_free(env->tr), 0);
}

static struct completion written_done, written_locked;

static int written_snapshot(void *data)
{
	struct written_env *env = data;
	int ret = trace_trigger_write(env->file, "snapshot");

	complete(&written_done);
	return ret;
}

/* Take the lock of all instances, and give it back. */
static int written_lock(void *unused)
{
	scoped_guard(trace_instances)
		complete_all(&written_locked);
	return 0;
}

/*
 * Another task changes the buffers, and waits for a CPU that stands still. A trigger that needs
 * memory for snapshots waits for it, but others take the lock of all instances meanwhile.
 */
static void snapshot_waits_without_lock(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct task_struct *writer;

	KUNIT_ASSERT_EQ(test, trace_snapshot_free(env->tr), 0);
	init_completion(&written_done);
	init_completion(&written_locked);
	writer = kthread_create(written_snapshot, env, "kunit_snapshot");
	KUNIT_ASSERT_FALSE(test, IS_ERR(writer));
	get_task_struct(writer);
	mutex_lock(&env->tr->buffers_mutex);
	wake_up_process(writer);
	while (!(READ_ONCE(writer->__state) & TASK_UNINTERRUPTIBLE))
		msleep(20);
	KUNIT_EXPECT_FALSE(test, IS_ERR(kthread_run(written_lock, NULL, "kunit_lock")));
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&written_locked, 30 * HZ));
	KUNIT_EXPECT_FALSE(test, completion_done(&written_done));
	mutex_unlock(&env->tr->buffers_mutex);
	wait_for_completion(&written_done);
	wait_for_completion(&written_locked);
	KUNIT_EXPECT_EQ(test, kthread_stop(writer), 0);
	put_task_struct(writer);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), "snapshot:unlimited\n");
	KUNIT_EXPECT_TRUE(test, trace_snapshot_is_allocated(env->tr));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!snapshot"), 0);
	KUNIT_EXPECT_EQ(test, trace_snapshot_free(env->tr), 0);
}
#endif

static int written_refuses(struct trace_event_call *call, enum trace_reg type, void *data)
{
	return -EAGAIN;
}

/* An event that says -EAGAIN is no instance that needs memory for snapshots. */
static void event_says_again(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct trace_event_class *class = env->file->event_call->class;
	int (*reg)(struct trace_event_call *call, enum trace_reg type, void *data) = class->reg;
	bool allocated = trace_snapshot_is_allocated(env->tr);

	class->reg = written_refuses;
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceon"), -EAGAIN);
	class->reg = reg;
	KUNIT_EXPECT_EQ(test, trace_snapshot_is_allocated(env->tr), allocated);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), "");
}

/* The stack of a hit comes whether there is a record or not, and follows it. */
static void stacks_of_discarded_records(struct kunit *test)
{
	struct written_env *env = test->priv;

	if (!IS_ENABLED(CONFIG_STACKTRACE))
		kunit_skip(test, "no stacks");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "stacktrace:3 if num != 4"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	pretended_hit(env->file, 2, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 3);
	pretended_hit(env->file, 4, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 4);
	/* With tracing off there is no stack to be counted. */
	trace_array_off(env->tr);
	pretended_hit(env->file, 5, 0);
	trace_array_on(env->tr);
	pretended_hit(env->file, 6, 0);
	pretended_hit(env->file, 7, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 7);
}

static void target_is_switched_and_kept(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct trace_event_file *file = env->file;

	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "enable_event:kunit_written:two:1"), 0);
	KUNIT_EXPECT_TRUE(test, written_is_soft(env->other_file));
	KUNIT_EXPECT_EQ(test, pretend_remove(env->other), -EBUSY);
	pretended_hit(env->other_file, 1, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 0);
	pretended_hit(file, 1, 0);
	pretended_hit(env->other_file, 1, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
	/* Once only. */
	KUNIT_EXPECT_EQ(test, pretended_switch(env->other, false), 0);
	pretended_hit(file, 1, 0);
	pretended_hit(env->other_file, 1, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "!enable_event:kunit_written:two"), 0);
	KUNIT_EXPECT_FALSE(test, written_is_soft(env->other_file));
	KUNIT_EXPECT_EQ(test, env->other->on, 0);

	/* A circle of two, and an event that switches itself. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "enable_event:kunit_written:two"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other_file,
						  "disable_event:kunit_written:one"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "enable_event:kunit_written:one"), 0);
	pretended_hit(file, 1, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 2);
	pretended_hit(env->other_file, 1, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 3);
	KUNIT_EXPECT_FALSE(test, file->flags & EVENT_FILE_FL_ENABLED &&
			   !(file->flags & EVENT_FILE_FL_SOFT_DISABLED));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other_file,
						  "!disable_event:kunit_written:one"), 0);
	written_clean(env);
	KUNIT_EXPECT_EQ(test, env->event->on, 0);
	KUNIT_EXPECT_EQ(test, env->other->on, 0);
}

/* Removing an instance takes the triggers of its events along, and what they keep. */
static void triggers_end_with_the_instance(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct trace_array *tr = trace_array_get_by_name("kunit_written", NULL);
	struct trace_event_file *file;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	file = pretended_file(tr, env->event);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "traceoff"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "stacktrace"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "!stacktrace"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "enable_event:kunit_written:two"), 0);
	pretended_hit(file, 1, 0);
	KUNIT_EXPECT_FALSE(test, trace_array_is_on(tr));
	KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_EQ(test, env->event->on, 0);
	KUNIT_EXPECT_EQ(test, env->other->on, 0);
	scoped_guard(trace_events)
		KUNIT_EXPECT_FALSE(test, trace_event_call_is_kept(&env->other->call));
}

/* A hit for whose record there is no place is counted, and the file tells of it. */
static void missed_hits_are_shown(struct kunit *test)
{
	struct written_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceon:3 if num == 1"), 0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "traceon:count=3 if num == 1\n");
	pretended_hit(env->file, 1, 4096);
	pretended_hit(env->file, 1, 4096);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "traceon:count=3 if num == 1\n#   missed 2 hits\n");
}

/* The action comes some time after the hit. A hit does not count until it has come. */
static void actions_are_delayed(struct kunit *test)
{
	static const char * const refused[] = {
		"stacktrace:delay=1s", "traceoff:delay=0s", "traceoff:delay=1", "traceoff:delay=",
		"traceoff:delay=1s:delay=1s",
	};
	struct written_env *env = test->priv;
	unsigned int waits = 0;

	KUNIT_EXPECT_EQ(test, written_all_fail(env, refused, ARRAY_SIZE(refused)), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:5:every=1:delay=20ms"), 0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "traceoff:count=5:every=1:delay=20ms\n");
	pretended_hit(env->file, 1, 0);
	while (trace_array_is_on(env->tr) && waits++ < 1000)
		msleep(20);
	KUNIT_EXPECT_FALSE(test, trace_array_is_on(env->tr));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!traceoff"), 0);
	trace_array_on(env->tr);

	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:5:delay=3000s"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "traceoff:count=4:delay=3000s\n");
	/* It goes with the trigger, and nobody waits for it. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!traceoff"), 0);
	KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
}

/* A trigger that was removed does nothing, also if a hit elsewhere goes on for long. */
static void removed_actions_are_not_done(struct kunit *test)
{
	struct written_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:delay=50ms"), 0);
	pretended_hit(env->file, 1, 0);
	long_hit_begin(test);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!traceoff"), 0);
	/* Before the removal, the action may have been done. */
	trace_array_on(env->tr);
	msleep(150);
	KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
	long_hit_end();
}

/* Hits that come while an action is under way take no count, whatever their CPU. */
static void delays_count_once(struct kunit *test)
{
	struct written_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceoff:2:every=2:delay=3000s"), 0);
	/* The first hit is not the second one that has to be. */
	for (int i = 0; i < 6; i++)
		pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "traceoff:count=1:every=2:delay=3000s\n");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!traceoff"), 0);
}

/* An instance goes while an action of it is under way, which switches an event elsewhere. */
static void delays_end_with_the_instance(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct trace_array *tr = trace_array_get_by_name("kunit_written", NULL);
	struct trace_event_file *file;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	file = pretended_file(tr, env->event);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file,
						  "enable_event:kunit_written:two:delay=30ms"), 0);
	pretended_hit(file, 1, 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	msleep(60);
	KUNIT_EXPECT_EQ(test, env->other->on, 0);
}

#define APART_ACTIONS	10

static struct {
	unsigned int	nr;
	u64		at;	/* the last action */
	u64		gap;	/* the least between two actions */
} apart;

static void apart_hit(const struct trace_action_use *use, const struct trace_action_hit *hit)
{
	u64 now = ktime_get_mono_fast_ns();

	if (apart.nr)
		apart.gap = min(apart.gap, now - apart.at);
	apart.at = now;
	WRITE_ONCE(apart.nr, apart.nr + 1);
}

/*
 * A hit as soon as the action of the one before is done, as the interrupt of the action itself may
 * be. The next action is done a tick later at the earliest, however short the delay.
 */
static void delays_are_apart(struct kunit *test)
{
	static const struct trace_action action = { .name = "kunit_apart", .hit = apart_hit };
	const struct trace_action_use use = { .action = &action };
	struct trace_delay *delay = trace_delay_create(&use, 1);
	unsigned long end = jiffies + 60 * HZ;

	KUNIT_ASSERT_NOT_NULL(test, delay);
	apart.nr = 0;
	apart.gap = U64_MAX;
	while (READ_ONCE(apart.nr) < APART_ACTIONS && time_before(jiffies, end)) {
		guard(preempt)();
		if (trace_delay_take(delay))
			trace_delay_arm(delay);
	}
	trace_delay_destroy(delay);
	KUNIT_EXPECT_EQ(test, apart.nr, APART_ACTIONS);
	/* The clock may be adjusted by some 500 ppm. */
	KUNIT_EXPECT_GE(test, apart.gap, TICK_NSEC - TICK_NSEC / 100);
}

static atomic_t written_times;

static int written_again_and_again(void *file)
{
	for (int i = 0; i < 200; i++) {
		trace_trigger_write(file, "traceon if num == 100");
		trace_trigger_write(file, "!traceon");
		atomic_inc(&written_times);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* While a hit goes on somewhere, not all memory becomes triggers that were removed. */
static void removing_has_a_bound(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct task_struct *task;

	atomic_set(&written_times, 0);
	long_hit_begin(test);
	task = kthread_run(written_again_and_again, env->file, "kunit_written");
	if (!IS_ERR(task))
		msleep(300);
	KUNIT_EXPECT_LT(test, atomic_read(&written_times), 100);
	long_hit_end();
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (atomic_read(&written_times) < 200)
		msleep(20);
	kthread_stop(task);
}

/* A command of another layer, whose triggers have one more on another event. */
struct fake_trigger {
	struct trace_trigger	trigger;
	struct trace_trigger	part;
};

static struct {
	unsigned int		made, attached, detached, freed, hits, part_freed;
	bool			part_first;
	int			busy;
	struct trace_event_file	*part_file;
} fake;

static bool fake_hit(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	fake.hits += trace_trigger_wants(trace_trigger_of(hook), hit);
	return false;
}

static void fake_part_free(struct trace_trigger *part)
{
	fake.part_freed++;
	fake.part_first |= !fake.freed;
}

static const struct trace_trigger_command fake_part_command = {
	.free	= fake_part_free,
};

static struct trace_trigger *fake_make(struct trace_event_file *file,
				       const struct trace_trigger_text *text)
{
	struct fake_trigger *ft;

	if (text->param && !strcmp(text->param, "change"))
		return NULL;
	if (text->param && !strcmp(text->param, "refuse"))
		return ERR_PTR(-ENOENT);
	ft = kzalloc(sizeof(*ft), GFP_KERNEL);
	if (!ft)
		return ERR_PTR(-ENOMEM);
	ft->trigger.hook.hit = fake_hit;
	ft->part.hook.hit = fake_hit;
	ft->part.command = &fake_part_command;
	fake.made++;
	return &ft->trigger;
}

static void fake_attached(struct trace_trigger *trigger)
{
	struct fake_trigger *ft = container_of(trigger, struct fake_trigger, trigger);

	fake.attached++;
	if (fake.part_file && trace_trigger_attach(&ft->part, fake.part_file))
		ft->part.command = NULL;
}

static void fake_detached(struct trace_trigger *trigger)
{
	struct fake_trigger *ft = container_of(trigger, struct fake_trigger, trigger);

	fake.detached++;
	if (ft->part.user.file)
		trace_trigger_detach(&ft->part);
}

static struct trace_trigger *fake_find(struct trace_event_file *file,
				       const struct trace_trigger_text *text)
{
	struct trace_trigger *trigger;

	for_each_trace_trigger(trigger, file) {
		if (trigger->command == text->command)
			return trigger;
	}
	return text->param ? ERR_PTR(-ENOENT) : NULL;
}

static int fake_busy(const struct trace_trigger *trigger)
{
	return fake.busy;
}

static void fake_show(struct seq_file *m, const struct trace_trigger *trigger)
{
	seq_puts(m, "kunit_fake");
}

static void fake_free(struct trace_trigger *trigger)
{
	fake.freed++;
	kfree(container_of(trigger, struct fake_trigger, trigger));
}

static struct trace_trigger_command fake_command = {
	.name		= "kunit_fake",
	.truncated	= true,
	.make		= fake_make,
	.find		= fake_find,
	.busy		= fake_busy,
	.attached	= fake_attached,
	.detached	= fake_detached,
	.show		= fake_show,
	.free		= fake_free,
};

static void fake_remove(void *data)
{
	guard(trace_events)();
	trace_trigger_command_del(&fake_command);
}

static void fake_add(struct kunit *test)
{
	memset(&fake, 0, sizeof(fake));
	scoped_guard(trace_events) {
		KUNIT_ASSERT_EQ(test, trace_trigger_command_add(&fake_command), 0);
		KUNIT_EXPECT_EQ(test, trace_trigger_command_add(&fake_command), -EEXIST);
	}
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fake_remove, NULL), 0);
}

/* Triggers that nobody waits for are freed by a work, in this time at the latest. */
static bool fake_freed(unsigned int nr)
{
	for (int tries = 0; tries < 3000; tries++) {
		scoped_guard(trace_instances) {
			if (fake.freed == nr)
				return true;
		}
		msleep(20);
	}
	return false;
}

static void commands_of_other_layers(struct kunit *test)
{
	struct written_env *env = test->priv;

	fake_add(test);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "kunit_fake:change"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "kunit_fake:refuse"), -ENOENT);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!kunit_fake:x"), -ENOENT);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!kunit_fake"), 0);
	KUNIT_EXPECT_EQ(test, fake.made, 0);
	/* A filter that is wrong, and a trigger that was never hit. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "kunit_fake if x == 1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake.freed, 1);
	KUNIT_EXPECT_EQ(test, fake.attached, 0);
	KUNIT_EXPECT_EQ(test, fake.detached, 0);

	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "kunit_fake:x if num > 1"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "kunit_fake"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "traceon"), 0);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file),
			   "kunit_fake if num > 1\nkunit_fake\ntraceon:unlimited\n");
	pretended_hit(env->file, 1, 0);
	pretended_hit(env->file, 2, 0);
	KUNIT_EXPECT_EQ(test, fake.hits, 3);
	fake.busy = -EBUSY;
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!kunit_fake"), -EBUSY);
	trace_trigger_truncate(env->file);
	KUNIT_EXPECT_EQ(test, fake.detached, 0);
	fake.busy = 0;
	trace_trigger_truncate(env->file);
	KUNIT_EXPECT_EQ(test, fake.attached, 2);
	KUNIT_EXPECT_EQ(test, fake.detached, 2);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->file), "traceon:unlimited\n");
	KUNIT_EXPECT_TRUE(test, fake_freed(3));
}

static void parts_end_with_their_triggers(struct kunit *test)
{
	struct written_env *env = test->priv;

	fake_add(test);
	fake.part_file = env->other_file;
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "kunit_fake"), 0);
	KUNIT_EXPECT_EQ(test, env->other->on, 1);
	KUNIT_EXPECT_STREQ(test, written_shown(env, env->other_file), "");
	pretended_hit(env->other_file, 1, 0);
	KUNIT_EXPECT_EQ(test, fake.hits, 1);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!kunit_fake"), 0);
	KUNIT_EXPECT_EQ(test, env->other->on, 0);
	KUNIT_EXPECT_TRUE(test, fake_freed(1));
	KUNIT_EXPECT_EQ(test, fake.part_freed, 1);
	KUNIT_EXPECT_TRUE(test, fake.part_first);
}

static void triggers_end_with_the_event(struct kunit *test)
{
	struct written_env *env = test->priv;
	struct pretended *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	fake_add(test);
	pretend(event, "kunit_written", "gone");
	KUNIT_ASSERT_EQ(test, pretend_add(event), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(pretended_file(env->tr, event), "kunit_fake"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(pretended_file(env->tr, event),
						  "enable_event:kunit_written:two"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(pretended_file(env->tr, event), "snapshot"),
			IS_ENABLED(CONFIG_TRACER_SNAPSHOT) ? 0 : -EINVAL);
	/* As the event of a module, it is not asked. */
	trace_event_calls_remove(pretended_goes, &event->call);
	KUNIT_EXPECT_EQ(test, fake.detached, 1);
	KUNIT_EXPECT_EQ(test, event->on, 0);
	KUNIT_EXPECT_TRUE(test, fake_freed(1));
	/* All went together. */
	KUNIT_EXPECT_EQ(test, env->other->on, 0);
	scoped_guard(trace_events)
		KUNIT_EXPECT_FALSE(test, trace_event_call_is_kept(&env->other->call));
}

static struct kunit_case written_cases[] = {
	KUNIT_CASE(refused_texts),
	KUNIT_CASE(texts_are_shown),
	KUNIT_CASE(pairs_exclude_each_other),
	KUNIT_CASE(counts_end_at_zero),
	KUNIT_CASE(paces_choose_hits),
	KUNIT_CASE(record_is_the_last),
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_CASE(snapshot_has_the_record),
	KUNIT_CASE_SLOW(snapshot_waits_without_lock),
#endif
	KUNIT_CASE(event_says_again),
	KUNIT_CASE(stacks_of_discarded_records),
	KUNIT_CASE(target_is_switched_and_kept),
	KUNIT_CASE(triggers_end_with_the_instance),
	KUNIT_CASE(missed_hits_are_shown),
	KUNIT_CASE(actions_are_delayed),
	KUNIT_CASE(removed_actions_are_not_done),
	KUNIT_CASE(removing_has_a_bound),
	KUNIT_CASE(delays_count_once),
	KUNIT_CASE(delays_end_with_the_instance),
	KUNIT_CASE(delays_are_apart),
	KUNIT_CASE(commands_of_other_layers),
	KUNIT_CASE(parts_end_with_their_triggers),
	KUNIT_CASE(triggers_end_with_the_event),
	{ }
};

static struct kunit_suite written_suite = {
	.name		= "trace-event-written",
	.init		= written_init,
	.test_cases	= written_cases,
};

kunit_test_suite(written_suite);
