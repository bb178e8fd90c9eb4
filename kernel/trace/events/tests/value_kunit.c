// SPDX-License-Identifier: GPL-2.0
/*
 * Values of fields, as keys of histograms, arguments of event probes and the file inject will
 * take them, and filters over fields that are no event's. All from public headers.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/field.h"
#include "events/filter/filter.h"
#include "events/tests/pretend.h"
#include "events/value.h"

struct value_record {
	struct trace_entry	ent;
	s8			tiny;
	u16			mid;
	s64			big;
	const char		*str;
	s16			fixed[3];
	char			name[8];
	u32			loc;		/* __data_loc char[] */
	u32			rel;		/* __rel_loc char[] */
	u32			nums;		/* __data_loc s32[] */
	u32			odd;		/* __data_loc struct odd[] */
	s32			list[4];
	char			text[8];
	char			more[8];
};

#define VALUE_FIELD(_type, _member, _signed) {					\
	.type = _type, .name = #_member, .is_signed = _signed, .align = 1,	\
	.size = sizeof_field(struct value_record, _member) }

static const struct trace_event_fields value_fields[] = {
	VALUE_FIELD("s8", tiny, true),
	VALUE_FIELD("u16", mid, false),
	VALUE_FIELD("s64", big, true),
	VALUE_FIELD("const char *", str, false),
	VALUE_FIELD("s16[3]", fixed, true),
	VALUE_FIELD("char[8]", name, false),
	VALUE_FIELD("__data_loc char[]", loc, false),
	VALUE_FIELD("__rel_loc char[]", rel, false),
	VALUE_FIELD("__data_loc s32[]", nums, true),
	VALUE_FIELD("__data_loc struct odd[]", odd, false),
};

static const int value_offsets[] = {
	offsetof(struct value_record, tiny), offsetof(struct value_record, mid),
	offsetof(struct value_record, big), offsetof(struct value_record, str),
	offsetof(struct value_record, fixed), offsetof(struct value_record, name),
	offsetof(struct value_record, loc), offsetof(struct value_record, rel),
	offsetof(struct value_record, nums), offsetof(struct value_record, odd),
};

static int value_define(struct trace_event_call *call)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(value_fields) && !ret; i++)
		ret = trace_define_field(call, value_fields[i].type, value_fields[i].name,
					 value_offsets[i], value_fields[i].size,
					 value_fields[i].is_signed, FILTER_OTHER);
	return ret;
}

static struct trace_event_fields value_fields_array[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = value_define },
	{ }
};

struct value_env {
	struct pretended	*event;
	struct value_record	rec;
};

static void value_end(void *data)
{
	pretend_remove(data);
}

static int value_init(struct kunit *test)
{
	struct value_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);
	struct value_record *rec;

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->event = kunit_kzalloc(test, sizeof(*env->event), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->event);
	pretend(env->event, "kunit_value", "one");
	env->event->class.fields_array = value_fields_array;
	KUNIT_ASSERT_EQ(test, pretend_add(env->event), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, value_end, env->event), 0);

	rec = &env->rec;
	rec->ent.pid = 77;
	rec->tiny = -3;
	rec->mid = 0xffee;
	rec->big = -(1LL << 40);
	rec->str = "pointed";
	rec->fixed[2] = -300;
	memcpy(rec->name, "unended!", 8);
	rec->loc = 5 << 16 | offsetof(struct value_record, text);
	strscpy(rec->text, "text");
	rec->rel = 5 << 16 | (offsetof(struct value_record, more) -
			      offsetof(struct value_record, nums));
	strscpy(rec->more, "more");
	rec->nums = sizeof(rec->list) << 16 | offsetof(struct value_record, list);
	rec->odd = rec->nums;
	rec->list[1] = -7;
	rec->list[3] = 1000;
	test->priv = env;
	return 0;
}

static const struct trace_event_field *value_field(struct kunit *test, const char *name)
{
	struct value_env *env = test->priv;
	const struct trace_event_field *f;

	f = trace_event_field_find(&env->event->call, name, strlen(name));
	KUNIT_ASSERT_NOT_NULL_MSG(test, f, "%s", name);
	return f;
}

static void numbers_are_extended(struct kunit *test)
{
	static const struct {
		const char	*name;
		u64		val;
	} numbers[] = {
		{ "tiny",	-3 },
		{ "mid",	0xffee },
		{ "big",	-(1LL << 40) },
		{ "common_pid",	77 },
	};
	static const char * const others[] = { "str", "fixed", "name", "loc", "nums", "COMM" };
	struct value_env *env = test->priv;
	const struct trace_event_field *f;
	u64 val;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		f = value_field(test, numbers[i].name);
		val = 0;
		KUNIT_EXPECT_TRUE(test, trace_event_value_number(f, &env->rec, &val));
		KUNIT_EXPECT_EQ_MSG(test, val, numbers[i].val, "%s", numbers[i].name);
	}
	scoped_guard(preempt) {
		KUNIT_EXPECT_TRUE(test, trace_event_value_number(value_field(test, "cpu"),
								 &env->rec, &val));
		KUNIT_EXPECT_EQ(test, val, smp_processor_id());
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_FALSE_MSG(test, trace_event_value_number(value_field(test, others[i]),
								      &env->rec, &val),
				       "%s", others[i]);
	}
}

static void strings_are_copied(struct kunit *test)
{
	static const struct {
		const char	*name;
		const char	*text;
	} strings[] = {
		{ "str",	"pointed" },
		{ "name",	"unended!" },
		{ "loc",	"text" },
		{ "rel",	"more" },
	};
	struct value_env *env = test->priv;
	char text[16], cut[4];

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		const struct trace_event_field *f = value_field(test, strings[i].name);

		KUNIT_EXPECT_EQ(test, trace_event_value_string(f, &env->rec, text, sizeof(text),
							       false),
				(long)strlen(strings[i].text));
		KUNIT_EXPECT_STREQ(test, text, strings[i].text);
		KUNIT_EXPECT_EQ(test, trace_event_value_string(f, &env->rec, cut, sizeof(cut),
							       false), 3);
		KUNIT_EXPECT_EQ(test, memcmp(cut, strings[i].text, 3), 0);
		KUNIT_EXPECT_EQ(test, cut[3], '\0');
	}
	KUNIT_EXPECT_EQ(test, trace_event_value_string(value_field(test, "comm"), &env->rec, text,
						       sizeof(text), false),
			(long)strlen(current->comm));
	KUNIT_EXPECT_STREQ(test, text, current->comm);
	KUNIT_EXPECT_EQ(test, trace_event_value_string(value_field(test, "tiny"), &env->rec, text,
						       sizeof(text), false), -EINVAL);
	KUNIT_EXPECT_STREQ(test, text, "");
	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "UML has no fault handler for kernel pointers");
	env->rec.str = (const char *)8;
	KUNIT_EXPECT_EQ(test, trace_event_value_string(value_field(test, "str"), &env->rec, text,
						       sizeof(text), false), -EFAULT);
	KUNIT_EXPECT_STREQ(test, text, "");
}

static void arrays_have_elements(struct kunit *test)
{
	struct value_env *env = test->priv;
	const struct trace_event_field *f;
	u64 val;

	f = value_field(test, "fixed");
	KUNIT_EXPECT_EQ(test, trace_event_value_elements(f, &env->rec), 3);
	KUNIT_EXPECT_TRUE(test, trace_event_value_element(f, &env->rec, 2, &val));
	KUNIT_EXPECT_EQ(test, (s64)val, -300);
	KUNIT_EXPECT_FALSE(test, trace_event_value_element(f, &env->rec, 3, &val));

	f = value_field(test, "nums");
	KUNIT_EXPECT_EQ(test, trace_event_value_elements(f, &env->rec), 4);
	KUNIT_EXPECT_TRUE(test, trace_event_value_element(f, &env->rec, 1, &val));
	KUNIT_EXPECT_EQ(test, (s64)val, -7);
	KUNIT_EXPECT_TRUE(test, trace_event_value_element(f, &env->rec, 3, &val));
	KUNIT_EXPECT_EQ(test, val, 1000);
	KUNIT_EXPECT_FALSE(test, trace_event_value_element(f, &env->rec, 4, &val));
	/* The record says how many there are. */
	env->rec.nums = sizeof(s32) << 16 | offsetof(struct value_record, list);
	KUNIT_EXPECT_EQ(test, trace_event_value_elements(f, &env->rec), 1);
	KUNIT_EXPECT_FALSE(test, trace_event_value_element(f, &env->rec, 1, &val));

	KUNIT_EXPECT_EQ(test, trace_event_value_elements(value_field(test, "loc"), &env->rec), 5);
	KUNIT_EXPECT_EQ(test, trace_event_value_elements(value_field(test, "odd"), &env->rec), 0);
	KUNIT_EXPECT_EQ(test, trace_event_value_elements(value_field(test, "tiny"), &env->rec), 0);
}

/* An element is a field, which histograms and others can have as well. */
static void elements_are_fields(struct kunit *test)
{
	struct value_env *env = test->priv;
	struct trace_event_field elem;
	u64 val;

	KUNIT_EXPECT_TRUE(test, trace_event_field_element(&elem, value_field(test, "fixed"), 2));
	KUNIT_EXPECT_TRUE(test, trace_event_field_is_number(&elem));
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(&elem, &env->rec, &val));
	KUNIT_EXPECT_EQ(test, (s64)val, -300);
	KUNIT_EXPECT_FALSE(test, trace_event_field_element(&elem, value_field(test, "fixed"), 3));

	KUNIT_EXPECT_TRUE(test, trace_event_field_element(&elem, value_field(test, "nums"), 3));
	KUNIT_EXPECT_TRUE(test, trace_event_field_is_number(&elem));
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(&elem, &env->rec, &val));
	KUNIT_EXPECT_EQ(test, val, 1000);
	KUNIT_EXPECT_TRUE(test, trace_event_field_element(&elem, value_field(test, "nums"), 4));
	KUNIT_EXPECT_FALSE(test, trace_event_value_number(&elem, &env->rec, &val));

	KUNIT_EXPECT_TRUE(test, trace_event_field_element(&elem, value_field(test, "loc"), 1));
	KUNIT_EXPECT_FALSE(test, trace_event_field_is_string(&elem));
	KUNIT_EXPECT_FALSE(test, trace_event_field_element(&elem, &elem, 0));
	KUNIT_EXPECT_FALSE(test, trace_event_field_element(&elem, value_field(test, "tiny"), 0));
	KUNIT_EXPECT_FALSE(test, trace_event_field_element(&elem, value_field(test, "odd"), 0));
	KUNIT_EXPECT_FALSE(test, trace_event_field_element(&elem, value_field(test, "CPU"), 0));
}

/* Numbers of the running task are fields of every event, and no bytes of a record. */
static void contexts_are_fields(struct kunit *test)
{
	static const char * const names[] = {
		"common_prio", "common_tgid", "common_vpid", "common_uid", "common_nsecs",
	};
	struct value_env *env = test->priv;
	unsigned int len;
	u64 val;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct trace_event_field *f = value_field(test, names[i]);

		KUNIT_EXPECT_TRUE_MSG(test, trace_event_field_is_number(f), "%s", names[i]);
		KUNIT_EXPECT_TRUE(test, trace_event_value_number(f, &env->rec, &val));
		KUNIT_EXPECT_NULL(test, trace_event_value_bytes(f, &env->rec, 8, &len));
		KUNIT_EXPECT_EQ(test, trace_event_value_elements(f, &env->rec), 0);
	}
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(value_field(test, "common_tgid"),
							 &env->rec, &val));
	KUNIT_EXPECT_EQ(test, val, task_tgid_nr(current));
}

static void bytes_are_found(struct kunit *test)
{
	struct value_env *env = test->priv;
	struct trace_event_field rest = {
		.name = "rest", .type = "char[]", .offset = offsetof(struct value_record, text),
	};
	unsigned int len;

	KUNIT_EXPECT_PTR_EQ(test, trace_event_value_bytes(value_field(test, "mid"), &env->rec,
							  sizeof(env->rec), &len),
			    (const void *)&env->rec.mid);
	KUNIT_EXPECT_EQ(test, len, 2);
	KUNIT_EXPECT_PTR_EQ(test, trace_event_value_bytes(value_field(test, "odd"), &env->rec,
							  sizeof(env->rec), &len),
			    (const void *)env->rec.list);
	KUNIT_EXPECT_EQ(test, len, sizeof(env->rec.list));
	KUNIT_EXPECT_PTR_EQ(test, trace_event_value_bytes(&rest, &env->rec, sizeof(env->rec),
							  &len),
			    (const void *)env->rec.text);
	KUNIT_EXPECT_EQ(test, len, sizeof(env->rec) - offsetof(struct value_record, text));
	KUNIT_EXPECT_NULL(test, trace_event_value_bytes(value_field(test, "COMM"), &env->rec,
							sizeof(env->rec), &len));
}

/* Arguments of a function, of which a predicate will be made. */
struct pretended_args {
	struct trace_filter_fields	fields;
	struct trace_event_field	arg[2];
};

static const struct trace_event_field *args_find(const struct trace_filter_fields *fields,
						 const char *name, size_t len)
{
	const struct pretended_args *args = container_of(fields, struct pretended_args, fields);

	for (size_t i = 0; i < ARRAY_SIZE(args->arg); i++) {
		if (strlen(args->arg[i].name) == len && !strncmp(args->arg[i].name, name, len))
			return &args->arg[i];
	}
	return NULL;
}

static void filters_take_any_fields(struct kunit *test)
{
	struct pretended_args *args = kunit_kzalloc(test, sizeof(*args), GFP_KERNEL);
	unsigned long regs[2] = { -22, 4096 };
	struct trace_filter_error error;
	struct event_filter *filter;

	KUNIT_ASSERT_NOT_NULL(test, args);
	args->fields.find = args_find;
	args->arg[0] = (struct trace_event_field){
		.name = "ret", .type = "long", .size = sizeof(long), .is_signed = true,
	};
	args->arg[1] = (struct trace_event_field){
		.name = "len", .type = "unsigned long", .size = sizeof(long),
		.offset = sizeof(long),
	};
	filter = trace_filter_compile_of(&args->fields, "ret < 0 && len >= 4096", &error);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	/* Nothing of the fields is needed any more. */
	memset(args->arg, 0x6b, sizeof(args->arg));
	KUNIT_EXPECT_EQ(test, filter_match_preds(filter, regs), 1);
	regs[1]--;
	KUNIT_EXPECT_EQ(test, filter_match_preds(filter, regs), 0);
	KUNIT_EXPECT_STREQ(test, trace_filter_text(filter), "ret < 0 && len >= 4096");
	trace_filter_free_later(filter);
	args->arg[0].name = "ret";
	args->arg[1].name = "len";
	filter = trace_filter_compile_of(&args->fields, "common_pid == 1", &error);
	KUNIT_EXPECT_EQ(test, PTR_ERR(filter), -EINVAL);
}

/* Many triggers may go at once, and nobody waits for the filter of each. */
static void filters_go_without_waiting(struct kunit *test)
{
	struct value_env *env = test->priv;
	struct event_filter *filter[20];
	struct trace_filter_error error;

	for (size_t i = 0; i < ARRAY_SIZE(filter); i++) {
		filter[i] = trace_filter_compile(&env->event->call, "name ~ \"un*\" || mid == 3",
						 &error);
		KUNIT_EXPECT_FALSE(test, IS_ERR(filter[i]));
	}
	scoped_guard(preempt) {
		/* A probe that has found one may ask it until the end. */
		for (size_t i = 0; i < ARRAY_SIZE(filter); i++) {
			if (IS_ERR(filter[i]))
				continue;
			trace_filter_free_later(filter[i]);
			KUNIT_EXPECT_EQ(test, filter_match_preds(filter[i], &env->rec), 1);
		}
	}
	trace_filter_free_later(NULL);
	srcu_barrier(&tracepoint_srcu);
	rcu_barrier();
}

static struct kunit_case value_cases[] = {
	KUNIT_CASE(numbers_are_extended),
	KUNIT_CASE(strings_are_copied),
	KUNIT_CASE(arrays_have_elements),
	KUNIT_CASE(elements_are_fields),
	KUNIT_CASE(contexts_are_fields),
	KUNIT_CASE(bytes_are_found),
	KUNIT_CASE(filters_take_any_fields),
	KUNIT_CASE(filters_go_without_waiting),
	{ }
};

static struct kunit_suite value_suite = {
	.name		= "trace-event-value",
	.init		= value_init,
	.test_cases	= value_cases,
};

kunit_test_suite(value_suite);
