// SPDX-License-Identifier: GPL-2.0
/*
 * Users of events: when the probe is in place, when it records, what the file
 * "enable" shows, what is left when a soft user goes, and what a pin keeps.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/module.h>

#include "actions/action.h"
#include "events/tests/fake_event.h"
#include "events/user.h"

struct users_env {
	struct fake_event	*fake;
	struct trace_event_file	*file;
};

static int users_init(struct kunit *test)
{
	struct users_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	fake_instance(test);
	env->fake = fake_add(test, "kunit_users", "one");
	env->file = trace_event_pin(trace_top_instance(), "kunit_users", "one");
	KUNIT_ASSERT_FALSE(test, IS_ERR(env->file));
	test->priv = env;
	return 0;
}

static void users_exit(struct kunit *test)
{
	struct users_env *env = test->priv;

	if (env && !IS_ERR_OR_NULL(env->file))
		trace_event_unpin(env->file);
}

static int user_get(struct users_env *env, enum trace_event_user kind)
{
	guard(trace_instances)();
	return trace_event_user_get(env->file, kind);
}

static void user_put(struct users_env *env, enum trace_event_user kind)
{
	guard(trace_instances)();
	trace_event_user_put(env->file, kind);
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
	ret = trace_action_parse(&what, buf);
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
		use->action->hit(use, 0);
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
	guard(trace_instances)();
	guard(trace_events)();
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
		file = trace_event_pin(trace_top_instance(), "kunit_users", "one");
		KUNIT_EXPECT_EQ(test, PTR_ERR(file), -EBUSY);
		file = trace_get_event_file(NULL, "kunit_users", "one");
		KUNIT_EXPECT_EQ(test, PTR_ERR(file), -EBUSY);
		KUNIT_EXPECT_EQ(test, action_get(&on, "enable_event:kunit_users:one"), -EBUSY);
		KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 1);
	}
	users_module_becomes(env, MODULE_STATE_LIVE);
	file = trace_event_pin(trace_top_instance(), "kunit_users", "one");
	KUNIT_EXPECT_PTR_EQ(test, file, env->file);
	KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 2);
	if (!IS_ERR(file))
		trace_event_unpin(file);
	KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 1);
	env->fake->call.module = NULL;
}

/* The event of a module that went nevertheless has no module to be put. */
static void unpin_leaves_a_dead_module(struct kunit *test)
{
	struct users_env *env = test->priv;
	struct trace_event_file *file;

	users_module_becomes(env, MODULE_STATE_LIVE);
	file = trace_event_pin(trace_top_instance(), "kunit_users", "one");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	event_remove(env);
	trace_event_unpin(file);
	KUNIT_EXPECT_EQ(test, atomic_read(&users_module.refcnt), 2);
}
#endif

static struct kunit_case users_cases[] = {
	KUNIT_CASE(hard_users_are_counted),
	KUNIT_CASE(soft_user_records_nothing),
	KUNIT_CASE(soft_switch_and_user_switch),
	KUNIT_CASE(last_soft_user_leaves_what_it_said),
	KUNIT_CASE(failing_probe_leaves_no_user),
	KUNIT_CASE(soft_switch_in_interrupt),
	KUNIT_CASE(used_events_stay),
	KUNIT_CASE(pin_keeps_the_file),
	KUNIT_CASE(actions_switch_events),
	KUNIT_CASE(users_outlive_the_event),
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
