// SPDX-License-Identifier: GPL-2.0
/*
 * Users of events: when the probe is in place, when it records, what the file
 * "enable" shows, what is left when a soft user goes, and what a pin keeps.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/ring_buffer.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/trace.h>

#include "actions/action.h"
#include "events/tests/fake_event.h"
#include "events/user.h"
#include "lib/long_hit.h"
#include "record/text.h"

#define USERS_MOST	2

struct users_env {
	struct fake_event	*fake;
	struct trace_event_file	*file;
	struct trace_event_user	user[TRACE_EVENT_USERS][USERS_MOST];
	unsigned int		nr[TRACE_EVENT_USERS];
};

static struct trace_event_file *event_pin(void)
{
	guard(trace_events)();
	return trace_event_pin(trace_top_instance(), "kunit_users", "one");
}

static void event_unpin(struct trace_event_file *file)
{
	guard(trace_events)();
	trace_event_unpin(file);
}

static int users_init(struct kunit *test)
{
	struct users_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	fake_instance(test);
	env->fake = fake_add(test, "kunit_users", "one");
	env->file = event_pin();
	KUNIT_ASSERT_FALSE(test, IS_ERR(env->file));
	test->priv = env;
	return 0;
}

static void users_exit(struct kunit *test)
{
	struct users_env *env = test->priv;

	if (env && !IS_ERR_OR_NULL(env->file))
		event_unpin(env->file);
}

static int user_get(struct users_env *env, enum trace_event_use use)
{
	struct trace_event_user *user = &env->user[use][env->nr[use]];
	int ret;

	user->use = use;
	guard(trace_instances)();
	guard(trace_events)();
	ret = trace_event_user_join(user, env->file);
	if (!ret)
		env->nr[use]++;
	return ret;
}

static void user_put(struct users_env *env, enum trace_event_use use)
{
	guard(trace_instances)();
	guard(trace_events)();
	trace_event_user_leave(&env->user[use][--env->nr[use]]);
}

static void user_switch(struct kunit *test, bool on)
{
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_users", "one", on), 0);
}

/* @text: the file "enable"; a record is made if and only if that begins with '1'. */
static void expect_state(struct kunit *test, int line, const char *text, bool probe)
{
	struct users_env *env = test->priv;
	char state[TRACE_EVENT_STATE_LEN];

	scoped_guard(trace_events)
		trace_event_file_state(env->file, state);
	KUNIT_EXPECT_STREQ_MSG(test, state, text, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, env->fake->on, probe ? 1U : 0U, "line %d", line);
	if (probe)
		KUNIT_EXPECT_EQ_MSG(test, fake_record(env->file, 1), text[0] == '1',
				    "line %d", line);
}

#define EXPECT_STATE(test, text, probe) expect_state(test, __LINE__, text, probe)

static void hard_users_are_counted(struct kunit *test)
{
	struct users_env *env = test->priv;

	EXPECT_STATE(test, "0", false);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_HARD), 0);
	EXPECT_STATE(test, "1", true);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_HARD), 0);
	user_put(env, TRACE_EVENT_USER_HARD);
	EXPECT_STATE(test, "1", true);
	/* The user's switch is one of them, however often it is thrown. */
	user_switch(test, true);
	user_switch(test, true);
	user_switch(test, false);
	EXPECT_STATE(test, "1", true);
	user_put(env, TRACE_EVENT_USER_HARD);
	EXPECT_STATE(test, "0", false);
	user_switch(test, true);
	user_switch(test, true);
	EXPECT_STATE(test, "1", true);
	user_switch(test, false);
	EXPECT_STATE(test, "0", false);
}

static void soft_user_records_nothing(struct kunit *test)
{
	struct users_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	EXPECT_STATE(test, "0*", true);
	KUNIT_EXPECT_FALSE(test, trace_event_soft_is_on(env->file));
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	user_put(env, TRACE_EVENT_USER_SOFT);
	EXPECT_STATE(test, "0*", true);
	user_put(env, TRACE_EVENT_USER_SOFT);
	EXPECT_STATE(test, "0", false);
}

static void soft_switch_and_user_switch(struct kunit *test)
{
	struct users_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	trace_event_soft_switch(env->file, true);
	EXPECT_STATE(test, "1*", true);
	KUNIT_EXPECT_TRUE(test, trace_event_soft_is_on(env->file));
	/* The last change counts, first one by the file, then one by the soft switch. */
	user_switch(test, false);
	EXPECT_STATE(test, "0*", true);
	trace_event_soft_switch(env->file, true);
	trace_event_soft_switch(env->file, true);
	EXPECT_STATE(test, "1*", true);
	user_switch(test, true);
	trace_event_soft_switch(env->file, false);
	EXPECT_STATE(test, "0*", true);
	user_switch(test, true);
	EXPECT_STATE(test, "1*", true);
	user_switch(test, false);
	EXPECT_STATE(test, "0*", true);
	user_put(env, TRACE_EVENT_USER_SOFT);
	EXPECT_STATE(test, "0", false);
}

/* As with "enable_event" that ran and was taken back: the event stays on. */
static void last_soft_user_leaves_what_it_said(struct kunit *test)
{
	struct users_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	trace_event_soft_switch(env->file, true);
	user_put(env, TRACE_EVENT_USER_SOFT);
	EXPECT_STATE(test, "1", true);

	/* And with "disable_event": it is off. */
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	EXPECT_STATE(test, "1*", true);
	trace_event_soft_switch(env->file, false);
	EXPECT_STATE(test, "0*", true);
	user_put(env, TRACE_EVENT_USER_SOFT);
	EXPECT_STATE(test, "0", false);

	/* A hard user of the kernel keeps its records, and the user's switch does not change. */
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_HARD), 0);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	EXPECT_STATE(test, "1*", true);
	trace_event_soft_switch(env->file, false);
	user_put(env, TRACE_EVENT_USER_SOFT);
	EXPECT_STATE(test, "1", true);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	user_put(env, TRACE_EVENT_USER_SOFT);
	user_put(env, TRACE_EVENT_USER_HARD);
	EXPECT_STATE(test, "0", false);
}

static void failing_probe_leaves_no_user(struct kunit *test)
{
	struct users_env *env = test->priv;

	env->fake->error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), -ENOSPC);
	EXPECT_STATE(test, "0", false);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_HARD), -ENOSPC);
	EXPECT_STATE(test, "0", false);
	env->fake->error = 0;
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_HARD), 0);
	EXPECT_STATE(test, "1", true);
	user_put(env, TRACE_EVENT_USER_HARD);
}

/* A group is switched at one point, and then it is as if each event had been switched. */
static void group_is_switched_at_once(struct kunit *test)
{
	struct fake_event *two = fake_add(test, "kunit_users", "two");
	struct trace_array *tr = trace_top_instance();
	struct users_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, trace_events_switch_at_once(tr, "kunit_no_users", true), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", true), 0);
	EXPECT_STATE(test, "1", true);
	KUNIT_EXPECT_EQ(test, two->on, 1);
	KUNIT_EXPECT_TRUE(test, fake_record(two->file, 1));
	/* Once more, and with another user. */
	KUNIT_EXPECT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", true), 0);
	EXPECT_STATE(test, "1", true);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	KUNIT_EXPECT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", false), 0);
	EXPECT_STATE(test, "0*", true);
	KUNIT_EXPECT_EQ(test, two->on, 0);
	user_put(env, TRACE_EVENT_USER_SOFT);
	EXPECT_STATE(test, "0", false);
	KUNIT_EXPECT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", false), 0);
	EXPECT_STATE(test, "0", false);
}

/* If an event cannot be switched on, none is. */
static void group_is_switched_whole(struct kunit *test)
{
	struct fake_event *two = fake_add(test, "kunit_users", "two");
	struct trace_array *tr = trace_top_instance();

	two->error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", true), -ENOSPC);
	EXPECT_STATE(test, "0", false);
	KUNIT_EXPECT_EQ(test, two->on, 0);
}

/* The event comes to be in a state. */
static void users_wait(const struct users_env *env, const char *text)
{
	char state[TRACE_EVENT_STATE_LEN];

	do {
		msleep(20);
		guard(trace_events)();
		trace_event_file_state(env->file, state);
	} while (strcmp(state, text));
}

/* Switch the group off, and be killed meanwhile. */
static void group_off_killed(struct kunit *test)
{
	int ret;

	sigaddset(&current->pending.signal, SIGKILL);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	ret = trace_events_switch_at_once(trace_top_instance(), "kunit_users", false);
	sigdelset(&current->pending.signal, SIGKILL);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, ret, 0);
}

/* A task that is killed does not wait for hits. The events are off, and the rest follows. */
static void group_is_switched_off_later(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	struct users_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", true), 0);
	long_hit_begin(test);
	group_off_killed(test);
	KUNIT_EXPECT_TRUE(test, long_hit_goes_on());
	EXPECT_STATE(test, "0*", true);
	KUNIT_EXPECT_FALSE(test, fake_record(env->file, 1));
	long_hit_end();
	users_wait(env, "0");
	EXPECT_STATE(test, "0", false);
}

/* The next texts of the trace on one CPU are these. */
static void expect_marks(struct kunit *test, const char *const *marks, unsigned int nr)
{
	struct trace_buffer *buffer = trace_top_instance()->array_buffer.buffer;
	int cpu = cpumask_first(cpu_online_mask);
	struct ring_buffer_event *event;
	unsigned int i = 0;

	while ((event = ring_buffer_consume(buffer, cpu, NULL, NULL))) {
		const struct trace_print_entry *entry = ring_buffer_event_data(event);

		if (entry->ent.type != TRACE_PRINT)
			continue;
		if (i < nr)
			KUNIT_EXPECT_STREQ(test, entry->buf, marks[i]);
		i++;
	}
	KUNIT_EXPECT_EQ(test, i, nr);
}

#define MARK(what) "events of kunit_users: " what "\n"

/* The marks are in the order of the changes, also if one change waits longer than the next. */
static void marks_are_in_order(struct kunit *test)
{
	static const char *const again[] = {
		MARK("begin"), MARK("are on"), MARK("end"), MARK("begin"), MARK("are on"),
	};
	static const char *const off[] = { MARK("end"), MARK("end"), MARK("are off") };
	struct trace_array *tr = trace_top_instance();
	struct users_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", true), 0);
	long_hit_begin(test);
	group_off_killed(test);
	KUNIT_EXPECT_EQ(test, trace_events_switch_at_once(tr, "kunit_users", true), 0);
	EXPECT_STATE(test, "1*", true);
	long_hit_end();
	users_wait(env, "1");
	EXPECT_STATE(test, "1", true);
	expect_marks(test, again, ARRAY_SIZE(again));

	/* The mark of an end is written once for all that asked for it. */
	long_hit_begin(test);
	group_off_killed(test);
	group_off_killed(test);
	long_hit_end();
	users_wait(env, "0");
	expect_marks(test, off, ARRAY_SIZE(off));
}

static struct users_env *switch_env;

static void switch_in_irq(struct irq_work *work)
{
	trace_event_soft_switch(switch_env->file, true);
}

static DEFINE_IRQ_WORK(switch_work, switch_in_irq);

static void soft_switch_in_interrupt(struct kunit *test)
{
	struct users_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	switch_env = env;
	irq_work_queue(&switch_work);
	irq_work_sync(&switch_work);
	EXPECT_STATE(test, "1*", true);
	user_switch(test, false);
	user_put(env, TRACE_EVENT_USER_SOFT);
}

static void used_events_stay(struct kunit *test)
{
	struct users_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	KUNIT_EXPECT_EQ(test, trace_remove_event_call(&env->fake->call), -EBUSY);
	user_put(env, TRACE_EVENT_USER_SOFT);
}

/* The file outlives its event for whoever has it pinned. */
static void pin_keeps_the_file(struct kunit *test)
{
	struct users_env *env = test->priv;
	unsigned int refs = refcount_read(&env->file->ref);
	struct trace_event_file *file;

	file = trace_get_event_file(NULL, "kunit_users", "one");
	KUNIT_ASSERT_PTR_EQ(test, file, env->file);
	KUNIT_EXPECT_EQ(test, refcount_read(&file->ref), refs + 1);
	/* No module has the fake, so nothing keeps the event itself. */
	kunit_release_action(test, fake_remove, env->fake);
	KUNIT_EXPECT_TRUE(test, file->flags & EVENT_FILE_FL_FREED);
	trace_put_event_file(file);
}

static int action_get(struct trace_action_use *use, const char *text)
{
	struct trace_action_text what;
	char buf[64];
	int ret;

	strscpy(buf, text, sizeof(buf));
	ret = trace_action_parse(&what, buf, TRACE_ACTION_AT_EVENT);
	guard(trace_instances)();
	return ret ?: trace_action_get(use, trace_top_instance(), &what);
}

static void action_put(struct trace_action_use *use)
{
	guard(trace_instances)();
	trace_action_put(use);
}

static void action_hit(struct trace_action_use *use)
{
	if (trace_action_due(use))
		use->action->hit(use, &(struct trace_action_hit){ });
}

static void actions_switch_events(struct kunit *test)
{
	struct users_env *env = test->priv;
	struct trace_action_use on, off, none;

	KUNIT_EXPECT_EQ(test, action_get(&none, "enable_event:kunit_users:two"), -EINVAL);
	KUNIT_EXPECT_EQ(test, action_get(&none, "enable_event:kunit:one"), -EINVAL);
	KUNIT_EXPECT_EQ(test, action_get(&none, "enable_event:kunit_users"), -EINVAL);
	EXPECT_STATE(test, "0", false);

	KUNIT_ASSERT_EQ(test, action_get(&on, "enable_event:kunit_users:one:2"), 0);
	EXPECT_STATE(test, "0*", true);
	KUNIT_EXPECT_TRUE(test, trace_action_due(&on));
	action_hit(&on);
	EXPECT_STATE(test, "1*", true);
	KUNIT_EXPECT_FALSE(test, trace_action_due(&on));

	KUNIT_ASSERT_EQ(test, action_get(&off, "disable_event:kunit_users:one"), 0);
	KUNIT_EXPECT_TRUE(test, trace_action_due(&off));
	action_hit(&off);
	EXPECT_STATE(test, "0*", true);
	KUNIT_EXPECT_FALSE(test, trace_action_due(&off));
	KUNIT_EXPECT_TRUE(test, trace_action_due(&on));

	action_put(&on);
	EXPECT_STATE(test, "0*", true);
	action_put(&off);
	EXPECT_STATE(test, "0", false);

	/* An event whose probe cannot be registered has no user. */
	env->fake->error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, action_get(&none, "enable_event:kunit_users:one"), -ENOSPC);
	env->fake->error = 0;
	EXPECT_STATE(test, "0", false);
}

static bool event_is(struct trace_event_call *call, void *data)
{
	return call == data;
}

/* Remove the event, whoever uses it, as when a module is forced out. */
static void event_remove(struct users_env *env)
{
	trace_event_calls_remove(event_is, &env->fake->call);
}

/* Users that are left when the event goes have nothing, and may be put back. */
static void users_outlive_the_event(struct kunit *test)
{
	struct users_env *env = test->priv;
	struct trace_action_use on;

	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_SOFT), 0);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_HARD), 0);
	KUNIT_ASSERT_EQ(test, action_get(&on, "enable_event:kunit_users:one"), 0);
	EXPECT_STATE(test, "1*", true);
	event_remove(env);
	EXPECT_STATE(test, "0", false);
	KUNIT_EXPECT_TRUE(test, env->file->flags & EVENT_FILE_FL_FREED);
	/* The memory of the event may be used for something else. */
	memset(&env->fake->call, 0x6b, sizeof(env->fake->call));
	action_hit(&on);
	trace_event_soft_switch(env->file, true);
	trace_event_soft_switch(env->file, false);
	KUNIT_EXPECT_EQ(test, user_get(env, TRACE_EVENT_USER_HARD), -ENODEV);
	user_put(env, TRACE_EVENT_USER_SOFT);
	user_put(env, TRACE_EVENT_USER_HARD);
	action_put(&on);
	EXPECT_STATE(test, "0", false);
}

/*
 * A trigger as it will be: a soft user of its own event, which does not pin that event but the
 * one that it switches, of which it is a user as well.
 */
struct pretended_trigger {
	struct trace_event_user	own;
	struct trace_event_user	target;
	struct trace_event_file	*had;	/* its event when gone() was called */
	unsigned int		gone;
};

static void trigger_gone(struct trace_event_user *user)
{
	struct pretended_trigger *trigger = container_of(user, struct pretended_trigger, own);

	trigger->gone++;
	trigger->had = user->file;
	trace_event_user_leave(&trigger->target);
	trace_event_user_leave(user);
}

static int trigger_add(struct pretended_trigger *trigger, struct trace_event_file *own,
		       struct trace_event_file *target)
{
	int ret;

	*trigger = (struct pretended_trigger){
		.own = { .use = TRACE_EVENT_USER_SOFT, .gone = trigger_gone },
		.target = { .use = TRACE_EVENT_USER_SOFT },
	};
	guard(trace_instances)();
	guard(trace_events)();
	ret = trace_event_user_join(&trigger->own, own);
	if (ret)
		return ret;
	ret = trace_event_user_join(&trigger->target, target);
	if (ret)
		trace_event_user_leave(&trigger->own);
	return ret;
}

static struct trace_event_file *event_file(struct trace_array *tr, struct fake_event *fake)
{
	guard(trace_events)();
	return trace_event_file_of(tr, &fake->call);
}

/* The triggers on an event go with it, and what they have of other events as well. */
static void triggers_go_with_their_event(struct kunit *test)
{
	struct users_env *env = test->priv;
	struct fake_event *other = fake_add(test, "kunit_users", "two");
	struct trace_event_file *target = event_file(trace_top_instance(), other);
	struct pretended_trigger first, second, self;
	unsigned int refs = refcount_read(&target->ref);

	KUNIT_ASSERT_EQ(test, trigger_add(&first, env->file, target), 0);
	KUNIT_ASSERT_EQ(test, trigger_add(&second, env->file, target), 0);
	KUNIT_ASSERT_EQ(test, trigger_add(&self, env->file, env->file), 0);
	EXPECT_STATE(test, "0*", true);
	KUNIT_EXPECT_EQ(test, other->on, 1);
	event_remove(env);
	KUNIT_EXPECT_EQ(test, first.gone, 1);
	KUNIT_EXPECT_EQ(test, second.gone, 1);
	KUNIT_EXPECT_EQ(test, self.gone, 1);
	KUNIT_EXPECT_PTR_EQ(test, first.had, env->file);
	KUNIT_EXPECT_EQ(test, other->on, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&target->ref), refs);
	/* The pin of the suite is the last reference. */
	KUNIT_EXPECT_EQ(test, refcount_read(&env->file->ref), 1);
}

static void triggers_go_with_their_instance(struct kunit *test)
{
	struct users_env *env = test->priv;
	struct trace_array *tr = trace_array_get_by_name("kunit_users", NULL);
	struct pretended_trigger trigger;
	struct trace_event_file *file;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	file = event_file(tr, env->fake);
	KUNIT_EXPECT_NOT_NULL(test, file);
	if (file) {
		KUNIT_EXPECT_EQ(test, trigger_add(&trigger, file, env->file), 0);
		/* Its own event has it in the new instance, the target in the first. */
		KUNIT_EXPECT_EQ(test, env->fake->on, 2);
	}
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_EQ(test, trigger.gone, 1);
	EXPECT_STATE(test, "0", false);
}

/* A trigger whose own probe cannot be registered leaves nothing behind. */
static void refused_trigger_leaves_nothing(struct kunit *test)
{
	struct users_env *env = test->priv;
	struct fake_event *other = fake_add(test, "kunit_users", "two");
	struct trace_event_file *target = event_file(trace_top_instance(), other);
	unsigned int refs = refcount_read(&env->file->ref);
	struct pretended_trigger trigger;

	other->error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, trigger_add(&trigger, env->file, target), -ENOSPC);
	other->error = 0;
	EXPECT_STATE(test, "0", false);
	KUNIT_EXPECT_EQ(test, refcount_read(&env->file->ref), refs);
	KUNIT_EXPECT_EQ(test, trigger.gone, 0);
}

#ifdef CONFIG_MODULE_UNLOAD
static struct module users_module = { .name = "kunit_users" };

static void users_module_becomes(struct users_env *env, enum module_state state)
{
	users_module.state = state;
	atomic_set(&users_module.refcnt, 1);
	env->fake->call.module = &users_module;
}

/* A module is kept from the end of its init function to its end, and not before or behind. */
static void pin_wants_a_live_module(struct kunit *test)
{
	static const enum module_state others[] = {
		MODULE_STATE_COMING, MODULE_STATE_GOING, MODULE_STATE_UNFORMED,
	};
	struct users_env *env = test->priv;
	struct trace_action_use on;
	struct trace_event_file *file;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		users_module_becomes(env, others[i]);
		file = event_pin();
		KUNIT_EXPECT_EQ(test, PTR_ERR(file), -EBUSY);
		file = trace_get_event_file(NULL, "kunit_users", "one");
		KUNIT_EXPECT_EQ(test, PTR_ERR(file), -EBUSY);
		KUNIT_EXPECT_EQ(test, action_get(&on, "enable_event:kunit_users:one"), -EBUSY);
		KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 1);
	}
	users_module_becomes(env, MODULE_STATE_LIVE);
	file = event_pin();
	KUNIT_EXPECT_PTR_EQ(test, file, env->file);
	KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 2);
	if (!IS_ERR(file))
		event_unpin(file);
	KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 1);
	env->fake->call.module = NULL;
}

/* The event of a module that went nevertheless has no module to be put. */
static void unpin_leaves_a_dead_module(struct kunit *test)
{
	struct users_env *env = test->priv;
	struct trace_event_file *file;

	users_module_becomes(env, MODULE_STATE_LIVE);
	file = event_pin();
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	event_remove(env);
	event_unpin(file);
	KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 2);
}
#endif

/*
 * An instance that is being removed is on the list until its callbacks have ended. A user that
 * asks for one of its events meanwhile finds no such instance.
 */
static void going_instance_has_no_files(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_going", NULL);
	struct trace_event_file *file;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	file = trace_get_event_file("kunit_going", "kunit_users", "one");
	KUNIT_EXPECT_FALSE(test, IS_ERR(file));
	if (!IS_ERR(file))
		trace_put_event_file(file);
	trace_array_put(tr);

	/* Nobody else knows it, so this is as if trace_array_destroy() waited for callbacks. */
	scoped_guard(trace_instances)
		tr->ref = INSTANCE_GOES;
	KUNIT_EXPECT_EQ(test, -ENOENT,
			PTR_ERR(trace_get_event_file("kunit_going", "kunit_users", "one")));
	KUNIT_EXPECT_EQ(test, -ENODEV, trace_array_open(tr));
	KUNIT_EXPECT_PTR_EQ(test, NULL, trace_array_get_by_name("kunit_going", NULL));
	KUNIT_EXPECT_EQ(test, -EBUSY, trace_array_destroy(tr));
	KUNIT_EXPECT_EQ(test, INSTANCE_GOES, tr->ref);
	scoped_guard(trace_instances)
		tr->ref = 0;
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			PTR_ERR(trace_get_event_file("kunit_going", "kunit_users", "one")));
}

static struct kunit_case users_cases[] = {
	KUNIT_CASE(hard_users_are_counted),
	KUNIT_CASE(soft_user_records_nothing),
	KUNIT_CASE(soft_switch_and_user_switch),
	KUNIT_CASE(last_soft_user_leaves_what_it_said),
	KUNIT_CASE(failing_probe_leaves_no_user),
	KUNIT_CASE(group_is_switched_at_once),
	KUNIT_CASE(group_is_switched_whole),
	KUNIT_CASE(group_is_switched_off_later),
	KUNIT_CASE(marks_are_in_order),
	KUNIT_CASE(soft_switch_in_interrupt),
	KUNIT_CASE(used_events_stay),
	KUNIT_CASE(pin_keeps_the_file),
	KUNIT_CASE(actions_switch_events),
	KUNIT_CASE(users_outlive_the_event),
	KUNIT_CASE(triggers_go_with_their_event),
	KUNIT_CASE(triggers_go_with_their_instance),
	KUNIT_CASE(refused_trigger_leaves_nothing),
	KUNIT_CASE(going_instance_has_no_files),
#ifdef CONFIG_MODULE_UNLOAD
	KUNIT_CASE(pin_wants_a_live_module),
	KUNIT_CASE(unpin_leaves_a_dead_module),
#endif
	{ }
};

static struct kunit_suite users_suite = {
	.name		= "trace-event-users",
	.init		= users_init,
	.exit		= users_exit,
	.test_cases	= users_cases,
};

kunit_test_suite(users_suite);
