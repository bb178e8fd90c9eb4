// SPDX-License-Identifier: GPL-2.0
/* KUnit tests: records that users inject. */
#include <kunit/test.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/filter/apply.h"
#include "events/tests/fake_event.h"
#include "events/trigger.h"
#include "events/user.h"
#include "events/value.h"

struct inject_env {
	struct trace_array		*tr;
	struct fake_event		*fake;
	struct trace_event_file		*file;
	struct trace_event_trigger	trigger;
	struct trace_event_user		user;
	unsigned int			hits;	/* of the trigger */
	int				num;	/* of the record that it saw last */
};

static int inject_init(struct kunit *test)
{
	struct inject_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->tr = fake_instance(test);
	env->fake = fake_add(test, "kunit_inject", "one");
	scoped_guard(trace_events)
		env->file = trace_event_file_of(env->tr, &env->fake->call);
	KUNIT_ASSERT_NOT_NULL(test, env->file);
	test->priv = env;
	return 0;
}

static int inject(struct kunit *test, const char *text)
{
	struct inject_env *env = test->priv;
	char copy[512];

	strscpy(copy, text);
	guard(trace_events)();
	return trace_event_inject(env->file, copy);
}

/* The next record; NULL: there is none. */
static struct fake_record *injected(struct kunit *test)
{
	struct inject_env *env = test->priv;
	struct ring_buffer_event *event = NULL;
	u64 ts;

	for (int cpu = 0; cpu < nr_cpu_ids && !event; cpu++)
		event = ring_buffer_consume(env->tr->array_buffer.buffer, cpu, &ts, NULL);
	return event ? ring_buffer_event_data(event) : NULL;
}

/* The string that a field of a record has. */
static const char *injected_string(struct kunit *test, const struct fake_record *rec,
				   const char *name)
{
	struct inject_env *env = test->priv;
	const struct trace_event_field *f;
	static char text[300];

	f = trace_event_field_find(&env->fake->call, name, strlen(name));
	trace_event_value_string(f, rec, text, sizeof(text), false);
	return text;
}

/* Numbers of each size stand in their fields, and all that is not named is zero or empty. */
static void numbers_are_set(struct kunit *test)
{
	struct inject_env *env = test->priv;
	struct fake_record *rec;

	KUNIT_ASSERT_EQ(test, 0, inject(test, " a=255 d = 7  num=-5 wide=0x123456789a ip=010"));
	rec = injected(test);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->ent.type, env->fake->call.event.type);
	KUNIT_EXPECT_EQ(test, rec->ent.pid, current->pid);
	KUNIT_EXPECT_EQ(test, rec->a, 255);
	KUNIT_EXPECT_EQ(test, rec->b, 0);
	KUNIT_EXPECT_EQ(test, rec->c, 0);
	KUNIT_EXPECT_EQ(test, rec->d, 7);
	KUNIT_EXPECT_EQ(test, rec->num, -5);
	KUNIT_EXPECT_EQ(test, rec->wide, 0x123456789aULL);
	KUNIT_EXPECT_EQ(test, rec->ip, 8);
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "name"), "");
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "str"), "");
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "loc"), "");
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "rel"), "");
	KUNIT_EXPECT_NULL(test, injected(test));

	/* No text is a record, too. */
	KUNIT_ASSERT_EQ(test, 0, inject(test, "\n"));
	rec = injected(test);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->num, 0);
}

/* Strings are put where each kind of field has them. */
static void strings_are_set(struct kunit *test)
{
	static const char text[] =
		"name=\"abc\" loc='a \"b\" c' rel=\"d'\\\"e\"num=3 str=\"anything\"";
	struct fake_record *rec;

	KUNIT_ASSERT_EQ(test, 0, inject(test, text));
	rec = injected(test);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "name"), "abc");
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "loc"), "a \"b\" c");
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "rel"), "d'\\\"e");
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "str"),
			   "STATIC STRING CAN NOT BE INJECTED");
	KUNIT_EXPECT_EQ(test, rec->num, 3);

	/* Too long for its field: it is cut, and ends. The last of two strings counts. */
	KUNIT_ASSERT_EQ(test, 0, inject(test, "name='0123456789abcdefghi' loc='x' loc='yz'"));
	rec = injected(test);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "name"), "0123456789abcde");
	KUNIT_EXPECT_STREQ(test, injected_string(test, rec, "loc"), "yz");
}

/* Fields that all events have can be set, but for the one that says how to read the record. */
static void common_fields_are_set(struct kunit *test)
{
	struct inject_env *env = test->priv;
	struct fake_record *rec;

	KUNIT_ASSERT_EQ(test, 0, inject(test, "common_pid=4711 common_flags=0x10"));
	rec = injected(test);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->ent.type, env->fake->call.event.type);
	KUNIT_EXPECT_EQ(test, rec->ent.pid, 4711);
	KUNIT_EXPECT_EQ(test, rec->ent.flags, 0x10);
}

static void errors_inject_nothing(struct kunit *test)
{
	static const struct {
		const char	*text;
		int		error;
	} wrong[] = {
		{ "nofield=1", -ENOENT },	{ "num=1 nofield=2", -ENOENT },
		{ "num", -EINVAL },		{ "num=", -EINVAL },
		{ "num 1", -EINVAL },		{ "=1", -EINVAL },
		{ "num==1", -EINVAL },		{ "num=x", -EINVAL },
		{ "num=1x", -EINVAL },		{ "num=1;", -EINVAL },
		{ "num=-", -EINVAL },		{ "num=1 2", -ENOENT },
		{ "num=\"1\"", -EINVAL },	{ "name=1", -EINVAL },
		{ "str=1", -EINVAL },		{ "loc=1", -EINVAL },
		{ "name=\"a", -EINVAL },	{ "name=\"a'", -EINVAL },
		{ "name=\"a\\\"", -EINVAL },	{ "name=a", -EINVAL },
		{ "wide=-1", -EINVAL },		{ "wide=0x10000000000000000", -ERANGE },
		{ "num=9223372036854775808", -ERANGE },
		/* These decide how the record is read. */
		{ "cpus=65536", -EINVAL },	{ "common_type=1", -EINVAL },
		/* No record holds these. */
		{ "CPU=1", -EINVAL },		{ "common_cpu=1", -EINVAL },
		{ "COMM=\"a\"", -EINVAL },	{ "stacktrace=1", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		KUNIT_EXPECT_EQ_MSG(test, wrong[i].error, inject(test, wrong[i].text), "%s",
				    wrong[i].text);
		KUNIT_EXPECT_NULL_MSG(test, injected(test), "%s", wrong[i].text);
	}
}

/* A string has as many characters as one of a filter. */
static void long_strings_are_refused(struct kunit *test)
{
	struct fake_record *rec;
	char text[300];

	snprintf(text, sizeof(text), "loc='%0255d'", 1);
	KUNIT_EXPECT_EQ(test, 0, inject(test, text));
	rec = injected(test);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, strlen(injected_string(test, rec, "loc")), 255);

	snprintf(text, sizeof(text), "loc='%0256d'", 1);
	KUNIT_EXPECT_EQ(test, -EINVAL, inject(test, text));
	KUNIT_EXPECT_NULL(test, injected(test));
}

static void filters_see_injected_records(struct kunit *test)
{
	struct inject_env *env = test->priv;
	struct fake_record *rec;
	char filter[] = "num > 3 && loc ~ \"a*\"", none[] = "0";

	scoped_guard(trace_events)
		KUNIT_ASSERT_EQ(test, 0, trace_event_filter_set(env->file, filter));
	KUNIT_EXPECT_EQ(test, 0, inject(test, "num=3 loc='ab'"));
	KUNIT_EXPECT_EQ(test, 0, inject(test, "num=4 loc='b'"));
	KUNIT_EXPECT_NULL(test, injected(test));
	KUNIT_EXPECT_EQ(test, 0, inject(test, "num=4 loc='ab'"));
	rec = injected(test);
	KUNIT_EXPECT_NOT_NULL(test, rec);
	if (rec)
		KUNIT_EXPECT_EQ(test, rec->num, 4);
	scoped_guard(trace_events)
		KUNIT_EXPECT_EQ(test, 0, trace_event_filter_set(env->file, none));
}

static bool inject_hit(struct trace_event_trigger *trigger, struct trace_event_hit *hit)
{
	struct inject_env *env = container_of(trigger, struct inject_env, trigger);

	env->hits++;
	if (hit->record)
		env->num = ((const struct fake_record *)hit->record)->num;
	return false;
}

/* An event that had a soft user, and has none any more, takes records. */
static void soft_users_leave_nothing(struct kunit *test)
{
	struct inject_env *env = test->priv;

	env->user.use = TRACE_EVENT_USER_SOFT;
	scoped_guard(trace_instances) {
		guard(trace_events)();
		KUNIT_ASSERT_EQ(test, 0, trace_event_user_join(&env->user, env->file));
		trace_event_user_leave(&env->user);
	}
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_EQ(test, 0, inject(test, "num=19"));
	KUNIT_EXPECT_NOT_NULL(test, injected(test));
}

/*
 * Triggers are called as for any other hit of the event: a soft user does not record it, and the
 * switch of the user does.
 */
static void triggers_see_injected_records(struct kunit *test)
{
	struct inject_env *env = test->priv;

	env->trigger.needs_record = true;
	env->trigger.hit = inject_hit;
	env->user.use = TRACE_EVENT_USER_SOFT;
	scoped_guard(trace_instances) {
		guard(trace_events)();
		KUNIT_ASSERT_EQ(test, 0, trace_event_user_join(&env->user, env->file));
		KUNIT_EXPECT_EQ(test, 0, trace_event_trigger_add(&env->trigger, env->file));
	}
	KUNIT_EXPECT_EQ(test, 0, inject(test, "num=17"));
	KUNIT_EXPECT_EQ(test, env->hits, 1);
	KUNIT_EXPECT_EQ(test, env->num, 17);
	KUNIT_EXPECT_NULL(test, injected(test));

	trace_array_set_clr_event(env->tr, "kunit_inject", "one", true);
	KUNIT_EXPECT_EQ(test, 0, inject(test, "num=18"));
	KUNIT_EXPECT_EQ(test, env->num, 18);
	KUNIT_EXPECT_NOT_NULL(test, injected(test));

	scoped_guard(trace_instances) {
		guard(trace_events)();
		trace_event_trigger_del(&env->trigger, env->file);
		trace_event_user_leave(&env->user);
	}
	tracepoint_synchronize_unregister();
}

/* An event that was never on takes the records along that were injected. */
static void injected_records_go_with_their_event(struct kunit *test)
{
	struct inject_env *env = test->priv;
	struct trace_buffer *buffer = env->tr->array_buffer.buffer;

	KUNIT_EXPECT_EQ(test, 0, inject(test, "num=20"));
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 1UL);
	KUNIT_EXPECT_EQ(test, trace_remove_event_call(&env->fake->call), 0);
	kunit_remove_action(test, fake_remove, env->fake);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 0UL);
}

static struct kunit_case inject_cases[] = {
	KUNIT_CASE(numbers_are_set),
	KUNIT_CASE(strings_are_set),
	KUNIT_CASE(common_fields_are_set),
	KUNIT_CASE(errors_inject_nothing),
	KUNIT_CASE(long_strings_are_refused),
	KUNIT_CASE(filters_see_injected_records),
	KUNIT_CASE(soft_users_leave_nothing),
	KUNIT_CASE(triggers_see_injected_records),
	KUNIT_CASE(injected_records_go_with_their_event),
	{ }
};

static struct kunit_suite inject_suite = {
	.name		= "trace-event-inject",
	.init		= inject_init,
	.test_cases	= inject_cases,
};

kunit_test_suite(inject_suite);
