// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers as they will be attached to events: soft users that are told of each hit, some of the
 * record, some after it. All from public headers.
 */
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/ring_buffer.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/tracepoint.h>

#include "actions/action.h"
#include "events/filter/filter.h"
#include "events/record.h"
#include "events/tests/pretend.h"
#include "events/trigger.h"
#include "events/user.h"
#include "instance/buffers.h"

/* A trigger, and what it saw. */
struct attached {
	struct trace_event_user		user;
	struct trace_event_trigger	trigger;
	struct event_filter		*filter;	/* NULL: every record */
	void				(*action)(struct attached *at);
	struct trace_event_file		*other;		/* for an action */
	unsigned int			hits;
	unsigned int			afters;
	unsigned int			recorded;	/* afters whose record is in the buffer */
	int				num;		/* of the last record */
	unsigned int			len;
	unsigned long			records_at_hit;
	unsigned long			records_at_after;
	bool				preemptible;
	u64				time;
};

static bool attached_hit(struct trace_event_trigger *trigger, struct trace_event_hit *hit)
{
	struct attached *at = container_of(trigger, struct attached, trigger);
	const struct pretended_record *record = hit->record;

	if (at->filter && !filter_match_preds(at->filter, (void *)record))
		return false;
	at->hits++;
	at->preemptible |= preemptible();
	at->time = trace_event_hit_time(hit);
	if (trigger->needs_record) {
		at->num = record->num;
		at->len = hit->len;
	}
	at->records_at_hit = pretended_records(hit->file->tr);
	if (at->action)
		at->action(at);
	return trigger->after;
}

static void attached_after(struct trace_event_trigger *trigger, struct trace_event_hit *hit)
{
	struct attached *at = container_of(trigger, struct attached, trigger);

	at->afters++;
	at->recorded += hit->recorded;
	at->records_at_after = pretended_records(hit->file->tr);
}

static void attached_gone(struct trace_event_user *user)
{
	struct attached *at = container_of(user, struct attached, user);

	trace_event_trigger_del(&at->trigger, user->file);
	trace_event_user_leave(user);
}

static int attach(struct attached *at, struct trace_event_file *file)
{
	int ret;

	at->user.use = TRACE_EVENT_USER_SOFT;
	at->user.gone = attached_gone;
	at->trigger.hit = attached_hit;
	guard(trace_instances)();
	guard(trace_events)();
	ret = trace_event_user_join(&at->user, file);
	if (ret)
		return ret;
	ret = trace_event_trigger_add(&at->trigger, file);
	if (ret)
		trace_event_user_leave(&at->user);
	return ret;
}

static void detach(void *data)
{
	struct attached *at = data;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		if (at->user.file)
			attached_gone(&at->user);
	}
	tracepoint_synchronize_unregister();
}

/* A trigger that is detached when the test ends. */
static struct attached *attached(struct kunit *test, struct trace_event_file *file, bool record,
				 bool after)
{
	struct attached *at = kunit_kzalloc(test, sizeof(*at), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, at);
	at->trigger.needs_record = record;
	at->trigger.after = after ? attached_after : NULL;
	KUNIT_ASSERT_EQ(test, attach(at, file), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, detach, at), 0);
	return at;
}

struct trigger_env {
	struct trace_array	*tr;
	struct pretended	*event;
	struct trace_event_file	*file;
};

static void tracing_on_again(void *tr)
{
	trace_array_on(tr);
}

static int trigger_init(struct kunit *test)
{
	struct trigger_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->tr = trace_top_instance();
	KUNIT_ASSERT_NOT_NULL(test, env->tr);
	KUNIT_ASSERT_EQ(test, trace_array_expand(env->tr), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, tracing_on_again, env->tr), 0);
	trace_array_reset(env->tr);
	env->event = pretend_added(test, "kunit_trigger", "one");
	env->file = pretended_file(env->tr, env->event);
	test->priv = env;
	return 0;
}

/* Whether it is recorded or not, and without a record that nobody wants. */
static void told_of_each_hit(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, false, false);

	KUNIT_EXPECT_EQ(test, env->event->on, 1);
	KUNIT_EXPECT_FALSE(test, pretended_hit(env->file, 1, 0));
	KUNIT_EXPECT_FALSE(test, pretended_hit(env->file, 2, 0));
	KUNIT_EXPECT_EQ(test, at->hits, 2);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 0);
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	KUNIT_EXPECT_TRUE(test, pretended_hit(env->file, 3, 0));
	KUNIT_EXPECT_EQ(test, at->hits, 3);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
	KUNIT_EXPECT_EQ(test, at->records_at_hit, 0);
	KUNIT_EXPECT_FALSE(test, at->preemptible);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&at->trigger.missed), 0);
}

/* A trigger that needs the record sees it even if the event is off, or filtered out. */
static void record_is_seen_in_any_case(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *all = attached(test, env->file, true, false);
	struct attached *some = attached(test, env->file, true, false);
	struct attached *blind = attached(test, env->file, false, false);
	struct trace_filter_error error;

	some->filter = trace_filter_compile(&env->event->call, "num > 5", &error);
	KUNIT_ASSERT_FALSE(test, IS_ERR(some->filter));
	pretended_hit(env->file, 5, 10);
	pretended_hit(env->file, 6, 10);
	KUNIT_EXPECT_EQ(test, all->hits, 2);
	KUNIT_EXPECT_EQ(test, blind->hits, 2);
	KUNIT_EXPECT_EQ(test, some->hits, 1);
	KUNIT_EXPECT_EQ(test, some->num, 6);
	KUNIT_EXPECT_EQ(test, some->len, sizeof(struct pretended_record) + 10);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 0);
	/* On, the event records all of them. */
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	pretended_hit(env->file, 4, 0);
	pretended_hit(env->file, 7, 0);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 2);
	KUNIT_EXPECT_EQ(test, all->hits, 4);
	KUNIT_EXPECT_EQ(test, some->hits, 2);
	detach(some);
	trace_filter_free(some->filter);
	pretended_hit(env->file, 8, 0);
	KUNIT_EXPECT_EQ(test, some->hits, 2);
	KUNIT_EXPECT_EQ(test, all->hits, 5);
}

static void action_tracing_on(struct attached *at)
{
	trace_array_on(at->user.file->tr);
}

/* "traceon if num == 3", with tracing off, at a record of any length. */
static void tracing_comes_on_with_the_record(struct kunit *test)
{
	static const size_t sizes[] = { 0, 100, 1500, 3500 };
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, true, false);
	struct trace_filter_error error;

	at->action = action_tracing_on;
	at->filter = trace_filter_compile(&env->event->call, "num == 3", &error);
	KUNIT_ASSERT_FALSE(test, IS_ERR(at->filter));
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		trace_array_reset(env->tr);
		trace_array_off(env->tr);
		pretended_hit(env->file, 2, sizes[i]);
		KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 0);
		KUNIT_EXPECT_FALSE(test, trace_array_is_on(env->tr));
		pretended_hit(env->file, 3, sizes[i]);
		KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
		KUNIT_EXPECT_EQ_MSG(test, pretended_records(env->tr), 1, "%zu bytes", sizes[i]);
	}
	KUNIT_EXPECT_EQ(test, at->hits, ARRAY_SIZE(sizes));
	detach(at);
	trace_filter_free(at->filter);
}

/* A record that is longer than any place: the trigger is told that it missed a hit. */
static void too_long_records_are_counted(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, true, false);
	struct trace_buffer *buffer = env->tr->array_buffer.buffer;
	size_t most = ring_buffer_max_event_size(buffer);

	if (most < 4096)
		KUNIT_ASSERT_EQ(test, ring_buffer_subbuf_order_set(buffer, 1), 0);
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	pretended_hit(env->file, 1, 4096);
	KUNIT_EXPECT_EQ(test, at->hits, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&at->trigger.missed), 1);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
	/* Without a record there is nothing to be made. */
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, false), 0);
	KUNIT_EXPECT_FALSE(test, pretended_hit(env->file, 1, 4096));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&at->trigger.missed), 2);
	if (most < 4096)
		KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 0), 0);
}

/* A stack is to follow the record, and to be taken without one as well. */
static void after_comes_behind_the_record(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, false, true);

	KUNIT_EXPECT_TRUE(test, at->trigger.needs_record);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_EQ(test, at->afters, 1);
	KUNIT_EXPECT_EQ(test, at->recorded, 0);
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	pretended_hit(env->file, 2, 0);
	KUNIT_EXPECT_EQ(test, at->afters, 2);
	KUNIT_EXPECT_EQ(test, at->recorded, 1);
	KUNIT_EXPECT_EQ(test, at->records_at_hit, 0);
	KUNIT_EXPECT_EQ(test, at->records_at_after, 1);
}

static void no_more_afters_than_fit(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached one_more = { };

	for (int i = 0; i < TRACE_EVENT_AFTERS; i++)
		attached(test, env->file, true, true);
	one_more.trigger.after = attached_after;
	KUNIT_EXPECT_EQ(test, attach(&one_more, env->file), -ENOSPC);
	/* Others find their place. */
	attached(test, env->file, true, false);
	pretended_hit(env->file, 1, 0);
}

/* As a histogram with onmatch() writes a synthetic event, which may have one as well. */
static void action_hit_other(struct attached *at)
{
	pretended_hit(at->other, at->num + 1, 0);
}

#define CHAIN	8

/* Events, each of which has a trigger that raises the next one. */
static void chain_make(struct kunit *test, struct attached *at[CHAIN])
{
	static const char * const names[CHAIN] = { "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7" };
	struct trigger_env *env = test->priv;
	struct trace_event_file *file[CHAIN];

	for (int i = 0; i < CHAIN; i++) {
		struct pretended *p = pretend_added(test, "kunit_trigger", names[i]);

		KUNIT_EXPECT_EQ(test, pretended_switch(p, true), 0);
		file[i] = pretended_file(env->tr, p);
		at[i] = attached(test, file[i], true, false);
	}
	for (int i = 0; i < CHAIN - 1; i++) {
		at[i]->other = file[i + 1];
		at[i]->action = action_hit_other;
	}
}

static void chains_are_whole(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at[CHAIN];

	chain_make(test, at);
	pretended_hit(at[0]->user.file, 1, 0);
	for (int i = 0; i < CHAIN; i++) {
		KUNIT_EXPECT_EQ(test, at[i]->hits, 1);
		KUNIT_EXPECT_EQ(test, at[i]->num, i + 1);
		KUNIT_EXPECT_EQ(test, atomic_long_read(&at[i]->trigger.missed), 0);
	}
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), CHAIN);
}

/* A trigger that raises its own event, alone or by way of another one, is not called for it. */
static void circles_end_and_are_counted(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct pretended *other = pretend_added(test, "kunit_trigger", "two");
	struct attached *one = attached(test, env->file, true, false), *two;

	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	one->other = env->file;
	one->action = action_hit_other;
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_EQ(test, one->hits, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&one->trigger.missed), 1);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 2);

	two = attached(test, pretended_file(env->tr, other), false, false);
	one->other = pretended_file(env->tr, other);
	two->other = env->file;
	two->action = action_hit_other;
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_EQ(test, one->hits, 2);
	KUNIT_EXPECT_EQ(test, two->hits, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&one->trigger.missed), 2);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&two->trigger.missed), 0);
}

static void action_interrupt(struct attached *at)
{
	if (in_hardirq())
		return;
	__irq_enter_raw();
	pretended_hit(at->other, 100, 0);
	__irq_exit_raw();
}

/* A chain ends before the stack of an interrupt or of an NMI does, and that is counted. */
static void chains_fit_the_stack(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at[CHAIN], *first;
	const int whole = 4;

	chain_make(test, at);
	first = attached(test, env->file, true, false);
	first->other = at[0]->user.file;
	first->action = action_interrupt;
	scoped_guard(irqsave)
		pretended_hit(env->file, 1, 0);
	for (int i = 0; i < CHAIN; i++) {
		KUNIT_EXPECT_EQ(test, at[i]->hits, i < whole);
		KUNIT_EXPECT_EQ(test, atomic_long_read(&at[i]->trigger.missed), i == whole);
	}
	/* The task's own calls do not count there. */
	first->action = action_hit_other;
	pretended_hit(env->file, 1, 0);
	for (int i = 0; i < CHAIN; i++)
		KUNIT_EXPECT_EQ(test, at[i]->hits, (i < whole) + (i < CHAIN - 1));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&at[CHAIN - 1]->trigger.missed), 1);
}

/* An interrupt's hit is another call of the trigger. */
static void interrupts_are_called_too(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, true, false);

	at->other = env->file;
	at->action = action_interrupt;
	scoped_guard(irqsave)
		pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_EQ(test, at->hits, 2);
	KUNIT_EXPECT_EQ(test, at->num, 100);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&at->trigger.missed), 0);
}

/* All triggers of a hit agree on its time. */
static void time_is_of_the_hit(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *one = attached(test, env->file, false, false);
	struct attached *two = attached(test, env->file, false, false);
	struct trace_buffer *buffer = env->tr->array_buffer.buffer;
	u64 before, after;

	scoped_guard(preempt) {
		before = ring_buffer_time_stamp(buffer);
		pretended_hit(env->file, 1, 0);
		after = ring_buffer_time_stamp(buffer);
	}
	KUNIT_EXPECT_EQ(test, one->time, two->time);
	KUNIT_EXPECT_GE(test, one->time, before);
	KUNIT_EXPECT_LE(test, one->time, after);
}

/* Write the stack of a hit twice: the unwinder begins at the hit's place, and here. */
static bool stack_hit(struct trace_event_trigger *trigger, struct trace_event_hit *hit)
{
	struct trace_buffer *buffer = hit->file->tr->array_buffer.buffer;

	trace_stack_write_at(buffer, hit->trace_ctx, hit->from, &hit->place);
	trace_stack_write_at(buffer, hit->trace_ctx, hit->from, NULL);
	return false;
}

/* A record of a stack: its head, the number of addresses, and the addresses. */
struct stack_record {
	struct trace_entry	ent;
	int			size;
	unsigned long		caller[];
};

/* The next stack in the buffer, a copy. */
static struct stack_record *stack_consume(struct kunit *test, struct trace_buffer *buffer)
{
	struct ring_buffer_event *event;
	unsigned int len;
	void *copy;
	int cpu;

	for_each_online_cpu(cpu) {
		event = ring_buffer_consume(buffer, cpu, NULL, NULL);
		if (!event)
			continue;
		len = ring_buffer_event_length(event);
		copy = kunit_kmalloc(test, len, GFP_KERNEL);
		return copy ? memcpy(copy, ring_buffer_event_data(event), len) : NULL;
	}
	return NULL;
}

static void stacks_are_equal(struct kunit *test, struct trace_buffer *buffer)
{
	struct stack_record *quick = stack_consume(test, buffer);
	struct stack_record *whole = stack_consume(test, buffer);

	KUNIT_ASSERT_NOT_NULL(test, quick);
	KUNIT_ASSERT_NOT_NULL(test, whole);
	KUNIT_ASSERT_GT(test, whole->size, 1);
	KUNIT_ASSERT_EQ(test, quick->size, whole->size);
	for (int i = 0; i < whole->size; i++)
		KUNIT_EXPECT_EQ(test, quick->caller[i], whole->caller[i]);
}

struct stack_work {
	struct irq_work		work;
	struct trace_event_file	*file;
};

static void stack_work_run(struct irq_work *work)
{
	pretended_hit(container_of(work, struct stack_work, work)->file, 2, 0);
}

/* The stack of a task and that of an interrupt are those of the long way. */
static void stack_begins_at_the_place(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, true, false);
	struct trace_buffer *buffer = env->tr->array_buffer.buffer;
	struct stack_work work = { .file = env->file };
	unsigned long calls[4];

	if (!stack_trace_save(calls, ARRAY_SIZE(calls), 0))
		kunit_skip(test, "no callers known");
	at->trigger.hit = stack_hit;
	pretended_hit(env->file, 1, 0);
	stacks_are_equal(test, buffer);
	init_irq_work(&work.work, stack_work_run);
	irq_work_queue(&work.work);
	irq_work_sync(&work.work);
	stacks_are_equal(test, buffer);
}

static void action_switch_on(struct attached *at)
{
	trace_event_soft_switch(at->user.file, true);
}

/* A trigger that switches its own event on has the hit recorded. */
static void own_event_may_be_switched(struct kunit *test)
{
	struct trigger_env *env = test->priv;

	for (int record = 0; record < 2; record++) {
		struct attached *at = attached(test, env->file, record, false);

		trace_array_reset(env->tr);
		at->action = action_switch_on;
		pretended_hit(env->file, 1, 0);
		KUNIT_EXPECT_EQ(test, at->hits, 1);
		KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);
		KUNIT_EXPECT_EQ(test, pretended_switch(env->event, false), 0);
		detach(at);
	}
}

/* A line that is written to a file of triggers. */
struct line {
	struct trace_action_use		use;
	struct trace_action_count	count;
};

static struct line line;

static void action_of_line(struct attached *at)
{
	const struct trace_action_hit hit = { .file = at->user.file };

	if (trace_action_due(&line.use) && trace_action_take(&line.count))
		line.use.action->hit(&line.use, &hit);
}

static void actions_are_done_at_hits(struct kunit *test)
{
	char text[] = "traceoff:2 if num == 3";
	struct trigger_env *env = test->priv;
	struct trace_filter_error error;
	struct trace_action_text what;
	struct attached *at;
	long count;

	KUNIT_ASSERT_EQ(test, trace_action_parse(&what, text, TRACE_ACTION_AT_EVENT), 0);
	KUNIT_ASSERT_EQ(test, trace_action_parse_count(&what, &count), 0);
	trace_action_count_set(&line.count, count);
	scoped_guard(trace_instances)
		KUNIT_ASSERT_EQ(test, trace_action_get(&line.use, env->tr, &what), 0);
	at = attached(test, env->file, true, false);
	at->filter = trace_filter_compile(&env->event->call, what.filter, &error);
	KUNIT_ASSERT_FALSE(test, IS_ERR(at->filter));
	at->action = action_of_line;
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	for (int round = 0; round < 3; round++) {
		trace_array_on(env->tr);
		pretended_hit(env->file, 2, 0);
		KUNIT_EXPECT_TRUE(test, trace_array_is_on(env->tr));
		pretended_hit(env->file, 3, 0);
		/* The count says twice, and only what changes something counts. */
		KUNIT_EXPECT_EQ(test, trace_array_is_on(env->tr), round == 2);
		pretended_hit(env->file, 3, 0);
	}
	detach(at);
	trace_filter_free(at->filter);
	scoped_guard(trace_instances)
		trace_action_put(&line.use);
}

/* The event takes its triggers along. */
static void triggers_end_with_the_event(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, true, true);
	struct trace_array *tr = trace_array_get_by_name("kunit_trigger", NULL);
	struct trace_event_file *file;
	struct attached *in_tr;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	file = pretended_file(tr, env->event);
	in_tr = attached(test, file, true, false);
	pretended_hit(file, 1, 0);
	KUNIT_EXPECT_EQ(test, in_tr->hits, 1);
	KUNIT_EXPECT_EQ(test, at->hits, 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_NULL(test, in_tr->user.file);
	KUNIT_EXPECT_PTR_EQ(test, at->user.file, env->file);
	detach(at);
	KUNIT_EXPECT_EQ(test, pretend_remove(env->event), 0);
}

/* A breakpoint in user space: a task that may be preempted, even by another probe. */
static void preemptible_callers_record(struct kunit *test)
{
	struct trigger_env *env = test->priv;
	struct attached *at = attached(test, env->file, true, false);
	struct trace_event_buffer fbuffer;
	struct pretended_record *rec;

	KUNIT_EXPECT_NOT_NULL(test, env->file);
	for (int on = 0; on < 2; on++) {
		KUNIT_EXPECT_EQ(test, pretended_switch(env->event, on), 0);
		rec = trace_event_reserve_preemptible(&fbuffer, env->file, sizeof(*rec));
		KUNIT_EXPECT_NOT_NULL(test, rec);
		if (!rec)
			continue;
		KUNIT_EXPECT_FALSE(test, preemptible());
		rec->num = 41 + on;
		rec->text = 0;
		KUNIT_EXPECT_EQ(test, rec->ent.preempt_count & 0xf,
				IS_ENABLED(CONFIG_PREEMPT_COUNT) &&
				!IS_ENABLED(CONFIG_PREEMPTION));
		trace_event_commit_preemptible(&fbuffer);
		KUNIT_EXPECT_EQ(test, preempt_count(), 0);
	}
	KUNIT_EXPECT_EQ(test, at->hits, 2);
	KUNIT_EXPECT_FALSE(test, at->preemptible);
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 1);

	/* Without triggers, on the short way; and what is off gives no record. */
	detach(at);
	KUNIT_EXPECT_EQ(test, pretended_switch(env->event, true), 0);
	rec = trace_event_reserve_preemptible(&fbuffer, env->file, sizeof(*rec));
	KUNIT_EXPECT_NOT_NULL(test, rec);
	if (rec) {
		KUNIT_EXPECT_EQ(test, rec->ent.preempt_count & 0xf,
				IS_ENABLED(CONFIG_PREEMPT_COUNT) &&
				!IS_ENABLED(CONFIG_PREEMPTION));
		trace_event_commit_preemptible(&fbuffer);
	}
	KUNIT_EXPECT_EQ(test, pretended_records(env->tr), 2);
	trace_array_off(env->tr);
	KUNIT_EXPECT_NULL(test, trace_event_reserve_preemptible(&fbuffer, env->file,
								sizeof(*rec)));
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
}

static struct kunit_case trigger_cases[] = {
	KUNIT_CASE(told_of_each_hit),
	KUNIT_CASE(record_is_seen_in_any_case),
	KUNIT_CASE(tracing_comes_on_with_the_record),
	KUNIT_CASE(too_long_records_are_counted),
	KUNIT_CASE(after_comes_behind_the_record),
	KUNIT_CASE(no_more_afters_than_fit),
	KUNIT_CASE(chains_are_whole),
	KUNIT_CASE(circles_end_and_are_counted),
	KUNIT_CASE(chains_fit_the_stack),
	KUNIT_CASE(interrupts_are_called_too),
	KUNIT_CASE(time_is_of_the_hit),
	KUNIT_CASE(stack_begins_at_the_place),
	KUNIT_CASE(own_event_may_be_switched),
	KUNIT_CASE(actions_are_done_at_hits),
	KUNIT_CASE(triggers_end_with_the_event),
	KUNIT_CASE(preemptible_callers_record),
	{ }
};

static struct kunit_suite trigger_suite = {
	.name		= "trace-event-trigger",
	.init		= trigger_init,
	.test_cases	= trigger_cases,
};

kunit_test_suite(trigger_suite);
