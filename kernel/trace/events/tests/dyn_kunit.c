// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are built at run time, as files of dynamic events will do it: in transactions,
 * with fields that belong to an event, kept by users, and with parts of layers above. All from
 * public headers.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/trace.h>

#include "events/dyn/dyn.h"
#include "events/field.h"
#include "events/tests/pretend.h"
#include "events/user.h"

#define BATCH	100

struct batch {
	struct pretended	event[BATCH];
	char			name[BATCH][16];
};

static struct batch *batch_make(struct kunit *test)
{
	struct batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, batch);
	for (int i = 0; i < BATCH; i++) {
		snprintf(batch->name[i], sizeof(batch->name[i]), "batch%d", i);
		pretend(&batch->event[i], "kunit_batch", batch->name[i]);
	}
	return batch;
}

static const char batch_system[] = "kunit_batch";

static bool batch_goes(struct trace_event_call *call, void *data)
{
	return !strcmp(call->class->system, batch_system);
}

/* All events of the batch, or none if one of them is busy. */
static int batch_remove(void)
{
	struct trace_event_removal removal;
	struct trace_event_call *call;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		for_each_trace_event_call(call) {
			if (batch_goes(call, NULL) && trace_event_call_is_busy(call))
				return -EBUSY;
		}
		trace_event_calls_take(&removal, batch_goes, NULL);
	}
	trace_event_calls_drop(&removal);
	return 0;
}

static unsigned int batch_count(void)
{
	struct trace_event_call *call;
	unsigned int nr = 0;

	guard(trace_events)();
	for_each_trace_event_call(call)
		nr += batch_goes(call, NULL);
	return nr;
}

/* A hundred definitions of one write() come together, and go together or not at all. */
static void batch_is_a_transaction(struct kunit *test)
{
	struct batch *batch = batch_make(test);
	struct trace_event_file *file = NULL;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		for (int i = 0; i < BATCH; i++) {
			KUNIT_EXPECT_NULL(test,
					  trace_event_call_find(batch_system, batch->name[i]));
			KUNIT_EXPECT_EQ(test, trace_event_call_add(&batch->event[i].call), 0);
		}
		/* The events of the transaction are there for the rest of it. */
		KUNIT_EXPECT_PTR_EQ(test, trace_event_call_find(batch_system, "batch7"),
				    &batch->event[7].call);
		file = trace_event_pin(trace_top_instance(), batch_system, "batch7");
	}
	KUNIT_EXPECT_EQ(test, batch_count(), BATCH);
	KUNIT_EXPECT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, pretend_add(&batch->event[7]), -EEXIST);
	if (!IS_ERR(file)) {
		KUNIT_EXPECT_EQ(test, batch_remove(), -EBUSY);
		KUNIT_EXPECT_EQ(test, batch_count(), BATCH);
		scoped_guard(trace_events)
			trace_event_unpin(file);
	}
	KUNIT_EXPECT_EQ(test, batch_remove(), 0);
	KUNIT_EXPECT_EQ(test, batch_count(), 0);
}

/* An event that is on is busy, and so is an event that is kept, as the source of a probe. */
static void used_events_are_busy(struct kunit *test)
{
	struct pretended *p = pretend_added(test, "kunit_dyn", "busy");

	KUNIT_EXPECT_EQ(test, pretended_switch(p, true), 0);
	KUNIT_EXPECT_EQ(test, pretend_remove(p), -EBUSY);
	KUNIT_EXPECT_EQ(test, pretended_switch(p, false), 0);
	for (int i = 0; i < 2; i++) {
		scoped_guard(trace_events)
			KUNIT_EXPECT_EQ(test, trace_event_call_keep(&p->call), 0);
	}
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, pretend_remove(p), -EBUSY);
		KUNIT_EXPECT_EQ(test, trace_remove_event_call(&p->call), -EBUSY);
		scoped_guard(trace_events)
			trace_event_call_unkeep(&p->call);
	}
	KUNIT_EXPECT_EQ(test, pretend_remove(p), 0);
	KUNIT_EXPECT_EQ(test, pretend_remove(p), -ENOENT);
}

/* @one has the class of both. @flags: of the second one, which comes and goes. */
static void second_has_own_fields(struct kunit *test, struct pretended *one, int flags)
{
	struct pretended two;

	pretend(&two, "kunit_dyn", "two");
	two.call.class = &one->class;
	two.call.flags = flags;
	/* Fields are made before raw_init(), and go if that fails. */
	two.init_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, pretend_add(&two), -ENOMEM);
	KUNIT_EXPECT_TRUE(test, list_empty(&two.fields));
	two.init_error = 0;
	KUNIT_ASSERT_EQ(test, pretend_add(&two), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&two.fields));
	KUNIT_EXPECT_NOT_NULL(test, trace_event_field_find(&two.call, "num", 3));
	KUNIT_EXPECT_EQ(test, pretend_remove(&two), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&two.fields));
	KUNIT_EXPECT_FALSE(test, list_empty(&one->fields));
	KUNIT_EXPECT_NOT_NULL(test, trace_event_field_find(&one->call, "num", 3));
}

/* Events share a class with get_fields(), and each has its own fields, as those of system calls. */
static void fields_belong_to_the_event(struct kunit *test)
{
	struct pretended *one = pretend_added(test, "kunit_dyn", "one");

	second_has_own_fields(test, one, TRACE_EVENT_FL_DYNAMIC);
	second_has_own_fields(test, one, 0);
}

/* The event of a system call that has no number. */
static void no_number_is_no_event(struct kunit *test)
{
	struct pretended p;

	pretend(&p, "kunit_dyn", "none");
	p.init_error = -ENOSYS;
	KUNIT_EXPECT_EQ(test, pretend_add(&p), -ENOSYS);
	KUNIT_EXPECT_TRUE(test, list_empty(&p.fields));
	scoped_guard(trace_events)
		KUNIT_EXPECT_NULL(test, trace_event_call_find("kunit_dyn", "none"));
}

/* A layer above that wants to know of events: trace_trigger= of a module's event, say. */
static struct {
	unsigned int		came;
	unsigned int		gone;
	struct trace_event_file	*file;
} part_seen;

static void part_came(struct trace_event_file *file)
{
	if (strcmp(file->event_call->class->system, "kunit_part"))
		return;
	part_seen.came++;
	part_seen.file = file;
}

static void part_goes(struct trace_event_file *file)
{
	if (strcmp(file->event_call->class->system, "kunit_part"))
		return;
	part_seen.gone += !trace_event_file_is_gone(file);
}

static struct trace_event_part part = {
	.came	= part_came,
	.goes	= part_goes,
};

static void part_end(void *data)
{
	guard(trace_events)();
	trace_event_part_del(&part);
}

static void parts_see_events_come_and_go(struct kunit *test)
{
	struct trace_array *tr;
	struct pretended *p;

	memset(&part_seen, 0, sizeof(part_seen));
	scoped_guard(trace_events)
		trace_event_part_add(&part);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, part_end, NULL), 0);
	p = pretend_added(test, "kunit_part", "one");
	KUNIT_EXPECT_EQ(test, part_seen.came, 1);
	KUNIT_EXPECT_PTR_EQ(test, part_seen.file, pretended_file(trace_top_instance(), p));

	tr = trace_array_get_by_name("kunit_part", NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, part_seen.came, 2);
	KUNIT_EXPECT_PTR_EQ(test, part_seen.file, pretended_file(tr, p));
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_EQ(test, part_seen.gone, 1);

	KUNIT_EXPECT_EQ(test, pretend_remove(p), 0);
	KUNIT_EXPECT_EQ(test, part_seen.gone, 2);
}

/* A dynamic event with a hit that goes on until the test ends it. */
struct hit_event {
	struct trace_dyn_event	dyn;
	struct pretended	p;
	int			ret;		/* of its removal */
	struct completion	settles;	/* the hit is waited for */
	struct completion	ends;		/* the hit */
	struct completion	freed;
	struct completion	returned;	/* from the removal */
};

static struct hit_event *hit_event_of(const struct trace_dyn_event *dyn)
{
	return container_of((struct trace_dyn_event *)dyn, struct hit_event, dyn);
}

static void hit_settle(const struct trace_dyn_kind *kind, struct list_head *gone)
{
	struct hit_event *event = hit_event_of(list_first_entry(gone, struct trace_dyn_event,
								list));

	complete(&event->settles);
	wait_for_completion(&event->ends);
}

static void hit_free(struct trace_dyn_event *dyn)
{
	complete(&hit_event_of(dyn)->freed);
}

static const struct trace_dyn_kind hit_kind = { .settle = hit_settle, .free = hit_free };

static bool hit_is_meant(const struct trace_dyn_event *dyn, const void *meant)
{
	return dyn == meant;
}

static int hit_remove(void *data)
{
	struct hit_event *event = data;

	allow_signal(SIGKILL);
	event->ret = trace_dyn_events_remove(hit_is_meant, &event->dyn);
	complete(&event->returned);
	return 0;
}

static struct hit_event *hit_event_added(struct kunit *test)
{
	struct hit_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	init_completion(&event->settles);
	init_completion(&event->ends);
	init_completion(&event->freed);
	init_completion(&event->returned);
	pretend(&event->p, "kunit_dyn", "hit");
	event->dyn.kind = &hit_kind;
	event->dyn.call = &event->p.call;
	scoped_guard(trace_instances) {
		guard(trace_events)();
		KUNIT_EXPECT_EQ(test, trace_dyn_event_add(&event->dyn), 0);
	}
	return event;
}

/* A hit may take long. Meanwhile the event is gone, and a task that is killed does not wait. */
static void removal_can_be_killed(struct kunit *test)
{
	struct hit_event *event = hit_event_added(test);
	struct task_struct *task = kthread_create(hit_remove, event, "kunit_remove");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&event->settles);
	scoped_guard(trace_events)
		KUNIT_EXPECT_NULL(test, trace_event_call_find("kunit_dyn", "hit"));
	KUNIT_EXPECT_FALSE(test, completion_done(&event->returned));
	send_sig(SIGKILL, task, 1);
	/* Where the signal ends nothing, the hit does. */
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&event->returned, 120 * HZ), 0);
	KUNIT_EXPECT_FALSE(test, completion_done(&event->freed));
	complete(&event->ends);
	wait_for_completion(&event->freed);
	kthread_stop_put(task);
	KUNIT_EXPECT_EQ(test, event->ret, 0);
	/* It is freed under the locks, by a task that uses it no more when it has released them. */
	scoped_guard(trace_instances)
		KUNIT_EXPECT_TRUE(test, list_empty(&event->p.fields));
}

static int hit_owner_end(void *data)
{
	struct hit_event *event = data;

	trace_dyn_owner_end(event);
	complete(&event->returned);
	return 0;
}

/* A close waits until the events of an owner are in no hit, also if it has an instance. */
static void end_of_instance_and_event(struct kunit *test)
{
	u64 before = trace_dyn_events_number();
	struct hit_event *event = hit_event_added(test);
	struct task_struct *task;

	trace_dyn_events_own(before, event);
	scoped_guard(trace_instances)
		KUNIT_ASSERT_FALSE(test, IS_ERR(trace_instance_create("kunit_hit", NULL)));
	trace_instance_own("kunit_hit", event);
	task = kthread_create(hit_owner_end, event, "kunit_end");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&event->settles);
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&event->returned, HZ / 2), 0);
	KUNIT_EXPECT_FALSE(test, completion_done(&event->freed));
	complete(&event->ends);
	kthread_stop_put(task);
	wait_for_completion(&event->freed);
	guard(trace_instances)();
	KUNIT_EXPECT_NULL(test, trace_instance_find("kunit_hit"));
	KUNIT_EXPECT_TRUE(test, list_empty(&event->p.fields));
}

static bool owned_is_there(void)
{
	guard(trace_events)();
	return trace_event_call_find("synthetic", "kunit_owned");
}

/* Events go with their owner, also if a signal ends the wait for their hits. */
static void events_go_with_their_owner(struct kunit *test)
{
	enum { NONE, ANY, KILL, NR };

	if (!IS_ENABLED(CONFIG_SYNTH_EVENTS))
		kunit_skip(test, "there are no synthetic events");
	for (int signal = NONE; signal < NR; signal++) {
		char line[] = "s:kunit_owned int a";
		u64 before = trace_dyn_events_number();

		KUNIT_ASSERT_EQ(test, trace_dyn_run(line), 0);
		trace_dyn_events_own(before, test);
		if (signal == KILL)
			sigaddset(&current->pending.signal, SIGKILL);
		if (signal)
			set_tsk_thread_flag(current, TIF_SIGPENDING);
		trace_dyn_owner_end(test);
		sigdelset(&current->pending.signal, SIGKILL);
		clear_tsk_thread_flag(current, TIF_SIGPENDING);
		KUNIT_EXPECT_FALSE(test, owned_is_there());
	}
}

static struct kunit_case dyn_cases[] = {
	KUNIT_CASE(batch_is_a_transaction),
	KUNIT_CASE(used_events_are_busy),
	KUNIT_CASE(fields_belong_to_the_event),
	KUNIT_CASE(no_number_is_no_event),
	KUNIT_CASE(parts_see_events_come_and_go),
	KUNIT_CASE(removal_can_be_killed),
	KUNIT_CASE(end_of_instance_and_event),
	KUNIT_CASE(events_go_with_their_owner),
	{ }
};

static struct kunit_suite dyn_suite = {
	.name		= "trace-event-dyn",
	.test_cases	= dyn_cases,
};

kunit_test_suite(dyn_suite);
