// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: matches, errors and their places in the text, and random expressions against a plain
 * evaluation of the same expression.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/mman.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "events/filter/apply.h"
#include "events/filter/program.h"
#include "events/tests/fake_event.h"
#include "lib/one_cpu.h"

struct filter_env {
	struct trace_event_class	class;
	struct trace_event_call		call;
	struct fake_record		*rec;
};

#define LOC(at, len)	((len) << 16 | (at))
#define HALF_AT		12			/* in the data: a number of 16 bits */
#define RCPUS_AT	28			/* in the data: __rel_loc cpumask_t */

static void put_data(struct fake_record *rec)
{
	unsigned int base = offsetof(struct fake_record, data);
	unsigned long *cpus = (void *)rec + ALIGN(base + 32, sizeof(long));
	unsigned long *rcpus = (void *)cpus + cpumask_size();
	void *word = rec->data + RCPUS_AT;

	strscpy(rec->data, "located", 16);
	memset(rec->data + HALF_AT, 0xff, sizeof(s16));
	rec->loc = LOC(base, 8);
	strscpy(rec->data + 16, "relative", 16);
	rec->rel = LOC(base + 16 - offsetofend(struct fake_record, rel), 9);
	*cpus = 1;
	rec->cpus = LOC((void *)cpus - (void *)rec, (unsigned int)cpumask_size());
	*rcpus = 2;
	*(u32 *)word = LOC((void *)rcpus - word - sizeof(u32), (unsigned int)cpumask_size());
}

/* Behind the data: a cpumask_t in the record, and a pointer to one. */
#define MASK_AT		ALIGN(sizeof(struct fake_record) + 64 + 2 * cpumask_size(), sizeof(long))
#define MASKP_AT	(MASK_AT + sizeof(cpumask_t))

/*
 * Arrays of characters behind all the others, without a NUL: "full" ends where the
 * memory does, "front" is the first part of it.
 */
#define FULL_AT		(MASKP_AT + sizeof(void *))
#define FULL_LEN	200
#define FRONT_LEN	100

static void field_add(struct kunit *test, struct filter_env *env, const char *type,
		      const char *name, int offset, int size)
{
	bool is_signed = *type == 's';

	KUNIT_ASSERT_EQ(test, trace_define_field(&env->call, type, name, offset, size, is_signed,
						 FILTER_OTHER), 0);
}

static int filter_init(struct kunit *test)
{
	struct filter_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->class.system = "kunit_filter";
	env->class.fields_array = fake_fields;
	INIT_LIST_HEAD(&env->class.fields);
	env->call.class = &env->class;
	env->call.name = "record";
	scoped_guard(trace_events)
		KUNIT_ASSERT_EQ(test, trace_event_fields_create(&env->call), 0);

	field_add(test, env, "u8[3]", "odd", offsetof(struct fake_record, a), 3);
	field_add(test, env, "__data_loc unsigned char[]", "uloc",
		  offsetof(struct fake_record, loc), 4);
	field_add(test, env, "__rel_loc unsigned char[]", "urel",
		  offsetof(struct fake_record, rel), 4);
	field_add(test, env, "__data_loc u8[]", "bloc", offsetof(struct fake_record, loc), 4);
	field_add(test, env, "__rel_loc cpumask_t", "rcpus",
		  offsetof(struct fake_record, data) + RCPUS_AT, 4);
	field_add(test, env, "s8", "byte", offsetof(struct fake_record, b), 1);
	field_add(test, env, "s16", "half", offsetof(struct fake_record, data) + HALF_AT, 2);
	field_add(test, env, "s64", "swide", offsetof(struct fake_record, wide), 8);
	field_add(test, env, "u8[16]", "bytes", offsetof(struct fake_record, name), 16);
	field_add(test, env, "char[200]", "full", FULL_AT, FULL_LEN);
	field_add(test, env, "char[100]", "front", FULL_AT, FRONT_LEN);
	field_add(test, env, "cpumask_t", "mask", MASK_AT, sizeof(cpumask_t));
	field_add(test, env, "struct cpumask", "smask", MASK_AT, sizeof(cpumask_t));
	field_add(test, env, "const cpumask_t *", "maskp", MASKP_AT, sizeof(void *));

	env->rec = kunit_kzalloc(test, FULL_AT + FULL_LEN, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->rec);
	env->rec->ent.pid = 42;
	strscpy(env->rec->name, "swapper/0");
	env->rec->a = 1;
	env->rec->b = 200;
	env->rec->num = -5;
	env->rec->wide = 1ULL << 40;
	env->rec->ip = (unsigned long)filter_match_preds + 1;
	env->rec->str = "pointed";
	memset((void *)env->rec + FULL_AT, 'f', FULL_LEN - 2);
	memset((void *)env->rec + FULL_AT + FULL_LEN - 2, 'l', 2);
	cpumask_copy((void *)env->rec + MASK_AT, cpumask_of(0));
	put_data(env->rec);
	test->priv = env;
	return 0;
}

static void filter_exit(struct kunit *test)
{
	struct filter_env *env = test->priv;

	trace_event_fields_destroy(&env->call);
}

static struct event_filter *filter_compile(struct filter_env *env, const char *text,
					   struct trace_filter_error *error)
{
	return trace_filter_compile(&env->call, text, error);
}

static int filter_match(struct event_filter *filter, void *rec)
{
	guard(preempt)();
	return filter_match_preds(filter, rec);
}

struct match_case {
	const char	*text;
	bool		match;
};

static void expect_matches(struct kunit *test, const struct match_case *cases, int nr)
{
	struct filter_env *env = test->priv;
	struct trace_filter_error error;

	for (int i = 0; i < nr; i++) {
		struct event_filter *filter = filter_compile(env, cases[i].text, &error);

		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(filter), "%s: error %u at %u",
				       cases[i].text, error.code, error.pos);
		if (IS_ERR(filter))
			continue;
		KUNIT_EXPECT_EQ_MSG(test, filter_match(filter, env->rec), cases[i].match,
				    "%s", cases[i].text);
		trace_filter_free(filter);
	}
}

static void filter_matches(struct kunit *test)
{
	static const struct match_case cases[] = {
		{ "num == -5", true }, { "num < 0", true }, { "num >= -4", false },
		{ "num<=-5", true }, { "num > -6", true }, { "num != 0x5", true },
		{ "b > 100", true }, { "b < 0xc8", false }, { "b & 8", true }, { "b & 4", false },
		/* A number is compared as the field's bits. */
		{ "num == 0xfffffffb", true }, { "num != 0xfffffffb", false },
		{ "num == 4294967291", true }, { "num < 0xfffffffc", true },
		{ "num > 0x80000000", true }, { "num & 0x80000000", true },
		{ "byte == 0xc8", true }, { "byte == -56", true }, { "byte < 0x7f", true },
		{ "half == 0xffff", true }, { "half == -1", true }, { "half > 0x7fff", false },
		/* A number that has more bits than the field equals none of its values. */
		{ "num == 0x1fffffffb", false }, { "num < 0x1fffffffb", true },
		{ "b == 0x1c8", false }, { "swide == 0x10000000000", true },
		{ "wide == 1099511627776", true }, { "wide > 1", true },
		{ "common_pid == 42", true }, { "common_type != 0", false },
		{ "name == \"swapper/0\"", true }, { "name == 'swapper'", false },
		{ "name != \"swapper\"", true }, { "name ~ \"swap*\"", true },
		{ "name ~ \"*er/0\"", true }, { "name ~ \"*app*\"", true },
		{ "name ~ \"s?apper/[0-9]\"", true }, { "name ~ \"s?apper/[1-9]\"", false },
		{ "name ~ \"!swap*\"", false }, { "name ~ \"swapper\"", false },
		{ "loc == \"located\"", true }, { "loc ~ \"*ted\"", true },
		{ "loc == \"locate\"", false },
		{ "rel == \"relative\"", true }, { "rel != \"relative\"", false },
		{ "uloc == \"located\"", true }, { "uloc ~ \"*ocat*\"", true },
		{ "urel == \"relative\"", true }, { "urel != \"relative\"", false },
		/* Bytes are no text: the word that tells where they are is a number. */
		{ "bloc != 0", true },
		{ "str == \"pointed\"", true }, { "str ~ \"*oin*\"", true },
		{ "str == \"pointe\"", false },
		{ "COMM != \"no such task\"", true }, { "comm ~ \"*\"", true },
		{ "CPU >= 0", true }, { "cpu == 4095", false }, { "common_cpu < 4096", true },
		{ "CPU >= -1", true }, { "cpu < 0", false }, { "cpu != 0xffffffff", true },
		/* CPU 0 alone, so that it works on machines that have no other. */
		{ "cpus & CPUS{0}", true }, { "cpus == CPUS{0}", true },
		{ "cpus != CPUS{0}", false }, { "c & CPUS{0}", true }, { "c == CPUS{0}", true },
		{ "c != CPUS{0}", false }, { "b & CPUS{0}", false }, { "b == CPUS{0}", false },
		/* A set in the record itself, and a pointer to one, which is a number. */
		{ "mask & CPUS{0}", true }, { "mask == CPUS{0}", true },
		{ "mask != CPUS{0}", false }, { "smask == CPUS{0}", true },
		{ "maskp == 0", true }, { "maskp & CPUS{0}", true },
		/* A negative number is no CPU, so it is not the one that a set has. */
		{ "num != CPUS{0}", true }, { "half != CPUS{0}", true },
		{ "num == CPUS{0}", false }, { "num & CPUS{0}", false },
		{ "ip.function == filter_match_preds", true },
		{ "ip.function != filter_match_preds", false },
		{ "ip.function == trace_filter_compile", false },
		/* An array that is full has no NUL. */
		{ "full ~ \"f*l[l]\"", true }, { "full ~ \"f*l[m]\"", false },
		{ "full ~ \"?*l\"", true }, { "full ~ \"f*m?l*\"", false },
		{ "full == \"full\"", false },
		/* A match does not look behind the end of an array. */
		{ "front ~ \"f*[f]\"", true }, { "front ~ \"f*[l]\"", false },
		{ "front ~ \"*l*\"", false }, { "front ~ \"*fl\"", false },
		{ "a == 1 && b == 200", true }, { "a == 1 && b == 2", false },
		{ "a == 2 || b == 200", true }, { "a == 2 || b == 2 && a == 1", false },
		{ "a == 1 || b == 2 && a == 2", true }, { "(a == 1 || b == 2) && a == 2", false },
		{ "!(a == 1)", false }, { "!!(a == 1)", true }, { "!a == 2", true },
		{ "  ( ( a==1 ) )  ", true }, { "!(a == 2 || b == 2) && !(num > 0)", true },
	};

	expect_matches(test, cases, ARRAY_SIZE(cases));
}

/* Elements of arrays, those of a length that the record tells among them. */
static void elements_of_arrays(struct kunit *test)
{
	static const struct match_case cases[] = {
		{ "bytes[0] == 0x73", true }, { "bytes[1] == 0x77", true },
		{ "bytes[1] != 0x77", false }, { "bytes[15]==0", true },
		{ "odd[2] == 0 || odd[0] == 1", true }, { "odd[1] & 8", true },
		{ "full[199] == 108 && full[0] == 102", true }, { "full[198] < 108", false },
		{ "bloc[0] == 0x6c", true }, { "bloc[7] == 0", true },
		{ "uloc[2] == 0x63", true }, { "urel[0] == 0x72", true },
		{ "loc[1] == 111", true }, { "rel[7] == 101", true },
		/* An element that is not there matches nothing, and "!" tells so. */
		{ "bloc[8] == 0", false }, { "bloc[8] != 0", false },
		{ "!(bloc[8] == 0)", true }, { "bloc[65535] < 0xff", false },
	};

	expect_matches(test, cases, ARRAY_SIZE(cases));
}

/* Numbers of the running task, which no record holds. */
static void contexts_of_tasks(struct kunit *test)
{
	char texts[4][64];
	struct match_case cases[] = {
		{ texts[0], true }, { texts[1], true }, { texts[2], true }, { texts[3], true },
		{ "common_nsecs > 1", true }, { "common_nsecs < 1", false },
		{ "common_prio < 0", false }, { "common_comm ~ \"*\"", true },
		{ "common_comm == \"no such task\"", false }, { "common_tgid <= 0", false },
	};

	snprintf(texts[0], sizeof(texts[0]), "common_prio == %d", current->prio);
	snprintf(texts[1], sizeof(texts[1]), "common_tgid == %d", task_tgid_nr(current));
	snprintf(texts[2], sizeof(texts[2]), "common_vpid == %d", task_pid_vnr(current));
	snprintf(texts[3], sizeof(texts[3]), "common_uid == %u && common_comm == '%s'",
		 from_kuid(&init_user_ns, current_uid()), current->comm);
	expect_matches(test, cases, ARRAY_SIZE(cases));
}

/* Sets with CPU 1. The field a is 1, c is 0, cpus has CPU 0, and rcpus has CPU 1. */
static void cpu_lists(struct kunit *test)
{
	static const struct match_case cases[] = {
		{ "a & CPUS{0-1}", true }, { "a & CPUS{0,1}", true }, { "a & CPUS{1}", true },
		{ "a & CPUS{0}", false }, { "c & CPUS{1}", false }, { "b & CPUS{0-1}", false },
		{ "a == CPUS{1}", true }, { "a != CPUS{1}", false },
		{ "a == CPUS{0-1}", false }, { "a != CPUS{0-1}", true },
		{ "cpus & CPUS{0-1}", true }, { "cpus & CPUS{1}", false },
		{ "cpus == CPUS{0,1}", false }, { "cpus != CPUS{0,1}", true },
		{ "rcpus & CPUS{0-1}", true }, { "rcpus & CPUS{1}", true },
		{ "rcpus & CPUS{0}", false }, { "rcpus == CPUS{1}", true },
		{ "rcpus != CPUS{1}", false }, { "rcpus == CPUS{0-1}", false },
		{ "mask & CPUS{0-1}", true }, { "mask & CPUS{1}", false },
		{ "mask == CPUS{0-1}", false }, { "mask != CPUS{0-1}", true },
		/* A negative number is no CPU: no comparison with several matches it. */
		{ "num != CPUS{0-1}", false }, { "num == CPUS{0-1}", false },
		{ "num != CPUS{1}", true }, { "CPU & CPUS{0-N}", true },
	};
	struct match_case here[] = {
		{ "CPU & CPUS{0}" }, { "CPU & CPUS{1}" }, { "CPU & CPUS{0,1}" },
		{ "CPU == CPUS{0}" }, { "CPU == CPUS{0-1}", false }, { "CPU != CPUS{0-1}", true },
	};
	int cpu;

	if (nr_cpu_ids < 2)
		kunit_skip(test, "there is one CPU");
	expect_matches(test, cases, ARRAY_SIZE(cases));

	test_on_one_cpu(test);
	cpu = raw_smp_processor_id();
	here[0].match = !cpu;
	here[1].match = cpu == 1;
	here[2].match = cpu < 2;
	here[3].match = !cpu;
	expect_matches(test, here, ARRAY_SIZE(here));
}

/* Strings in user memory. A kernel address is not read there, so it matches nothing. */
static void user_strings(struct kunit *test)
{
	static const struct match_case cases[] = {
		{ "str.ustring == \"of a user\"", true }, { "str.ustring ~ \"*user\"", true },
		{ "str.ustring != \"of a user\"", false }, { "str.ustring == \"of a\"", false },
		/* A number that is as wide as a pointer. */
		{ "ip.ustring == \"of a user\"", true }, { "ip.ustring ~ \"user*\"", false },
	};
	static const struct match_case nowhere[] = {
		{ "str.ustring == \"pointed\"", false }, { "str.ustring != \"pointed\"", false },
		{ "ip.ustring ~ \"*\"", false },
	};
	static const char text[] = "of a user";
	struct filter_env *env = test->priv;
	unsigned long addr;

	addr = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, addr, 0UL);
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)addr, text, sizeof(text)), 0UL);
	env->rec->ip = addr;
	env->rec->str = (const char *)addr;
	expect_matches(test, cases, ARRAY_SIZE(cases));

	env->rec->ip = 0;
	env->rec->str = "pointed";
	expect_matches(test, nowhere, ARRAY_SIZE(nowhere));
}

/* Each text has an error, the column that the error log points to, and an errno. */
static void filter_refused(struct kunit *test)
{
	static const struct {
		const char		*text;
		enum trace_filter_code	code;
		unsigned int		pos;
		int			ret;
	} cases[] = {
		{ "", FILTER_ERR_OTHER, 0, -EINVAL },
		{ "()", FILTER_ERR_OTHER, 0, -EINVAL },
		{ " (())", FILTER_ERR_OTHER, 0, -EINVAL },
		{ "!", FILTER_ERR_NO_FILTER, 1, -EINVAL },
		{ " ! !", FILTER_ERR_NO_FILTER, 4, -EINVAL },
		{ "(!)", FILTER_ERR_OTHER, 0, -EPERM },
		{ "() == 1", FILTER_ERR_OTHER, 0, -EPERM },
		{ "!= 1", FILTER_ERR_OTHER, 0, -EPERM },
		{ "\"x\" == name", FILTER_ERR_OTHER, 0, -EPERM },
		{ "(a == 1 &&)", FILTER_ERR_TOO_MANY_PREDS, 10, -EPERM },
		{ "a == 1 && ()", FILTER_ERR_TOO_MANY_PREDS, 11, -EPERM },
		{ "!!(a == 1 &&)", FILTER_ERR_OTHER, 0, -EPERM },
		{ "a == 1 &&&& b == 1", FILTER_ERR_OTHER, 0, -EPERM },
		{ "&& num == 1", FILTER_ERR_OTHER, 0, -EPERM },
		{ "((a >= 10 && a < 15) || dsig == 17) && comm != bash",
		  FILTER_ERR_FIELD_NOT_FOUND, 29, -EINVAL },
		{ "x.b == 1", FILTER_ERR_FIELD_NOT_FOUND, 2, -EINVAL },
		{ "  nosuch = 1", FILTER_ERR_FIELD_NOT_FOUND, 9, -EINVAL },
		{ " num = 1", FILTER_ERR_INVALID_OP, 6, -EINVAL },
		{ "num .ustring == 1", FILTER_ERR_INVALID_OP, 5, -EINVAL },
		{ "num.function.ustring == 1", FILTER_ERR_INVALID_OP, 13, -EINVAL },
		{ "num.ustring.function | 1", FILTER_ERR_INVALID_OP, 22, -EINVAL },
		{ "num.ustring.function == 1", FILTER_ERR_ILLEGAL_FIELD_OP, 25, -EINVAL },
		{ "num = 1", FILTER_ERR_INVALID_OP, 5, -EINVAL },
		{ "num", FILTER_ERR_INVALID_OP, 4, -EINVAL },
		{ "ip.function > schedule", FILTER_ERR_INVALID_OP, 15, -EINVAL },
		{ "(num == 1", FILTER_ERR_TOO_MANY_OPEN, 0, -ENOENT },
		{ "num == 1)", FILTER_ERR_TOO_MANY_CLOSE, 8, -EPERM },
		{ "name == \"swap", FILTER_ERR_MISSING_QUOTE, 8, -ESRCH },
		/* These errors are found first, even if the text has others. */
		{ "((((", FILTER_ERR_TOO_MANY_OPEN, 3, -ENOENT },
		{ "(nosuch == 1 && (num", FILTER_ERR_TOO_MANY_OPEN, 16, -ENOENT },
		{ "nosuch) == 1", FILTER_ERR_TOO_MANY_CLOSE, 6, -EPERM },
		{ "name == \"a\"\"", FILTER_ERR_MISSING_QUOTE, 11, -ESRCH },
		{ "(nosuch == \"(", FILTER_ERR_MISSING_QUOTE, 11, -ESRCH },
		{ "CPU & CPUS", FILTER_ERR_MISSING_BRACE_OPEN, 12, -EINVAL },
		{ "CPU & CPUS{0", FILTER_ERR_MISSING_BRACE_CLOSE, 13, -EINVAL },
		{ "CPU & CPUS{x}", FILTER_ERR_INVALID_CPULIST, 13, -EINVAL },
		{ "CPU & CPUS{}", FILTER_ERR_INVALID_CPULIST, 12, -EINVAL },
		{ "name & CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 8, -EINVAL },
		{ "name & CPUS(0)", FILTER_ERR_ILLEGAL_FIELD_OP, 8, -EINVAL },
		{ "num > CPUS{0", FILTER_ERR_ILLEGAL_FIELD_OP, 7, -EINVAL },
		{ "odd & CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 7, -EINVAL },
		{ "bytes == CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 10, -EINVAL },
		{ "bytes == 0", FILTER_ERR_ILLEGAL_FIELD_OP, 10, -EINVAL },
		{ "num == 1111111111111111111111111", FILTER_ERR_OPERAND_TOO_LONG, 33, -EINVAL },
		{ "name == 1", FILTER_ERR_EXPECT_STRING, 9, -EINVAL },
		{ "num == \"x\"", FILTER_ERR_EXPECT_DIGIT, 8, -EINVAL },
		{ "num > \"x\"", FILTER_ERR_ILLEGAL_FIELD_OP, 7, -EINVAL },
		/* Names that histograms know, and that a filter cannot compare. */
		{ "STACKTRACE == \"x\"", FILTER_ERR_EXPECT_DIGIT, 15, -EINVAL },
		{ "stacktrace == 1", FILTER_ERR_ILLEGAL_FIELD_OP, 15, -EINVAL },
		{ "stacktrace == x", FILTER_ERR_INVALID_VALUE, 15, -EINVAL },
		{ "STACKTRACE & CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 14, -EINVAL },
		{ "num ~ 1", FILTER_ERR_ILLEGAL_FIELD_OP, 7, -EINVAL },
		{ "name > \"x\"", FILTER_ERR_ILLEGAL_FIELD_OP, 8, -EINVAL },
		{ "num.function == schedule", FILTER_ERR_ILLEGAL_FIELD_OP, 17, -EINVAL },
		{ "ip.function == nosuch", FILTER_ERR_NO_FUNCTION, 22, -EINVAL },
		{ "ip.function == nosuch:schedule", FILTER_ERR_NO_FUNCTION, 31, -EINVAL },
		{ "mask == 1", FILTER_ERR_ILLEGAL_FIELD_OP, 9, -EINVAL },
		{ "mask > CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 8, -EINVAL },
		{ "ip.function == 0x", FILTER_ERR_INVALID_VALUE, 18, -EINVAL },
		{ "ip.function == 1.5", FILTER_ERR_NO_FUNCTION, 17, -EINVAL },
		{ "ip.function == 1111111111111111111111111", FILTER_ERR_OPERAND_TOO_LONG, 41,
		  -EINVAL },
		{ "a == -1", FILTER_ERR_ILLEGAL_INTVAL, 6, -EINVAL },
		{ "num == 1x", FILTER_ERR_ILLEGAL_INTVAL, 8, -EINVAL },
		{ "name == foo", FILTER_ERR_INVALID_VALUE, 9, -EINVAL },
		{ "num==", FILTER_ERR_INVALID_VALUE, 6, -EINVAL },
		{ "num == 1 a == 2", FILTER_ERR_TOO_MANY_PREDS, 9, -EPERM },
		{ "num == 1 & a == 2", FILTER_ERR_TOO_MANY_PREDS, 9, -EPERM },
		{ "bytes[16] == 1", FILTER_ERR_INVALID_INDEX, 7, -EINVAL },
		{ "num[0] == 1", FILTER_ERR_INVALID_INDEX, 5, -EINVAL },
		{ "bytes[] == 1", FILTER_ERR_INVALID_INDEX, 7, -EINVAL },
		{ "bytes[-1] == 1", FILTER_ERR_INVALID_INDEX, 7, -EINVAL },
		{ "bytes[1 == 1", FILTER_ERR_INVALID_INDEX, 7, -EINVAL },
		{ "bytes[0][0] == 1", FILTER_ERR_INVALID_OP, 9, -EINVAL },
		{ "bloc[70000] == 1", FILTER_ERR_INVALID_INDEX, 6, -EINVAL },
		{ "bloc[0] == \"x\"", FILTER_ERR_EXPECT_DIGIT, 12, -EINVAL },
		{ "bloc[0] & CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 11, -EINVAL },
		{ "nosuch[0] == 1", FILTER_ERR_FIELD_NOT_FOUND, 7, -EINVAL },
		{ "common_prio & CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 15, -EINVAL },
		{ "common_nsecs.function == schedule", FILTER_ERR_ILLEGAL_FIELD_OP, 26, -EINVAL },
		{ "common_nsecs.ustring == \"x\"", FILTER_ERR_EXPECT_DIGIT, 25, -EINVAL },
		{ "common_uid == -1", FILTER_ERR_ILLEGAL_INTVAL, 15, -EINVAL },
		{ "num == 1 &&", FILTER_ERR_INVALID_FILTER, 11, -EINVAL },
		{ "num == 1 || !!", FILTER_ERR_INVALID_FILTER, 14, -EINVAL },
	};
	struct filter_env *env = test->priv;

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_filter_error error;
		int ret = PTR_ERR_OR_ZERO(filter_compile(env, cases[i].text, &error));

		KUNIT_EXPECT_EQ_MSG(test, ret, cases[i].ret, "%s", cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, error.code, cases[i].code, "%s", cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, error.pos, cases[i].pos, "%s", cases[i].text);
	}
}

/* A pointer that leads nowhere matches nothing and harms nothing. */
static void bad_pointer(struct kunit *test)
{
	struct filter_env *env = test->priv;
	struct event_filter *filter;
	struct trace_filter_error error;

	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "UML has no fault handler for kernel pointers");
	env->rec->str = NULL;
	filter = filter_compile(env, "str != \"x\"", &error);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	KUNIT_EXPECT_EQ(test, filter_match(filter, env->rec), 0);
	trace_filter_free(filter);
}

/* Random expressions over a, b, c and d, written and evaluated side by side. */
struct expr {
	struct rnd_state	rnd;
	char			*text;
	size_t			len, size;
	const struct fake_record *rec;
};

static void expr_put(struct expr *e, const char *text)
{
	e->len += scnprintf(e->text + e->len, e->size - e->len, "%s", text);
}

static unsigned int expr_pick(struct expr *e, unsigned int n)
{
	return prandom_u32_state(&e->rnd) % n;
}

static bool random_compare(struct expr *e)
{
	static const char * const ops[] = { " == ", "!=", " < ", ">=" };
	const u8 vals[] = { e->rec->a, e->rec->b, e->rec->c, e->rec->d };
	unsigned int field = expr_pick(e, 4), op = expr_pick(e, 4), num = expr_pick(e, 3);
	char text[16];

	snprintf(text, sizeof(text), "%c%s%u", 'a' + field, ops[op], num);
	expr_put(e, text);
	switch (op) {
	case 0:
		return vals[field] == num;
	case 1:
		return vals[field] != num;
	case 2:
		return vals[field] < num;
	default:
		return vals[field] >= num;
	}
}

/* @level: 0: || may stand here, 1: && may stand here, 2: neither may. */
static bool random_expr(struct expr *e, int level, int depth)
{
	bool val, other;

	if (level < 2) {
		val = random_expr(e, level + 1, depth);
		while (depth && !expr_pick(e, 3)) {
			expr_put(e, level ? " && " : "||");
			other = random_expr(e, level + 1, depth - 1);
			val = level ? val && other : val || other;
		}
		return val;
	}
	if (!expr_pick(e, 4)) {
		expr_put(e, "!");
		return !random_expr(e, 2, depth);
	}
	if (!depth || expr_pick(e, 2))
		return random_compare(e);
	expr_put(e, "(");
	val = random_expr(e, 0, depth - 1);
	expr_put(e, ")");
	return val;
}

static void random_expressions(struct kunit *test)
{
	struct filter_env *env = test->priv;
	struct expr e = { .size = 65536, .rec = env->rec };
	unsigned int done = 0;

	e.text = kunit_kmalloc(test, e.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, e.text);
	for (u64 seed = 1; seed <= 3000; seed++) {
		struct event_filter *filter;
		struct trace_filter_error error;
		bool want;

		prandom_seed_state(&e.rnd, seed);
		env->rec->a = expr_pick(&e, 3);
		env->rec->b = expr_pick(&e, 3);
		env->rec->c = expr_pick(&e, 3);
		env->rec->d = expr_pick(&e, 3);
		e.len = 0;
		want = random_expr(&e, 0, 5);
		if (e.len >= PAGE_SIZE)
			continue;
		done++;
		filter = filter_compile(env, e.text, &error);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(filter), "seed %llu: %s", seed, e.text);
		KUNIT_EXPECT_EQ_MSG(test, filter_match(filter, env->rec), want, "seed %llu: %s",
				    seed, e.text);
		trace_filter_free(filter);
	}
	KUNIT_EXPECT_GT(test, done, 2500U);
}

/* The compiler's attributes are no part of a type that users see. */
static void attributes_go(struct kunit *test)
{
	static const struct {
		const char *type, *want;
	} cases[] = {
		{ "char *", "char *" },
		{ "const char __attribute__((btf_type_tag(\"user\"))) *", "const char *" },
		{ "int __attribute__((a)) __attribute__((b(1), c(2))) *", "int *" },
		{ "char * __attribute__((a))", "char *" },
		{ "__attribute__((a)) char[8]", "char[8]" },
		{ "long __attribute__ *", "long __attribute__ *" },
		{ "int __attribute__((a)", "int __attribute__((a)" },
	};
	struct filter_env *env = test->priv;

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct trace_event_field *f;

		field_add(test, env, cases[i].type, "attr", 0, sizeof(void *));
		f = list_last_entry(&env->class.fields, struct trace_event_field, list);
		KUNIT_EXPECT_STREQ(test, f->type, cases[i].want);
		if (!strcmp(cases[i].want, "const char *"))
			KUNIT_EXPECT_EQ(test, f->filter_type, FILTER_PTR_STRING);
	}
}

/* The numbers in a field of the records, and those that it is compared with. */
static const char * const range_numbers[] = {
	"0", "1", "2", "42", "127", "128", "199", "200", "201", "255", "256", "32767", "65535",
	"2147483647", "0x80000000", "0xfffffffb", "1099511627775", "1099511627776",
	"0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "-1", "-5", "-6", "-128",
	"-2147483648", "-9223372036854775808",
};

/* A comparison that has been made a range passes the same records as the filter. */
static void range_check(struct kunit *test, struct filter_env *env, const char *text)
{
	const struct trace_filter_range *range;
	struct trace_filter_error error;
	struct event_filter *filter = filter_compile(env, text, &error);

	/* The field cannot have such a number. */
	if (IS_ERR(filter))
		return;
	range = &filter->range;
	for (unsigned int i = 0; i < 64; i++) {
		/* All ones, one bit, and all bits below it, in each field. */
		u64 number = i % 3 ? BIT_ULL(i) : GENMASK_ULL(i, 0);

		env->rec->b = number;
		env->rec->num = number;
		env->rec->wide = number;
		put_unaligned((s16)number, (s16 *)(env->rec->data + HALF_AT));
		if (range->span == U64_MAX)
			KUNIT_EXPECT_TRUE(test, trace_filter_range_passes(range, env->rec));
		else
			KUNIT_EXPECT_EQ_MSG(test, trace_filter_range_passes(range, env->rec),
					    filter_match(filter, env->rec), "%s, %llx", text,
					    number);
	}
	trace_filter_free(filter);
}

static void ranges_of_numbers(struct kunit *test)
{
	static const char * const fields[] = { "b", "byte", "half", "num", "wide", "swide" };
	static const char * const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	struct filter_env *env = test->priv;
	char text[64];

	for (unsigned int f = 0; f < ARRAY_SIZE(fields); f++) {
		for (unsigned int op = 0; op < ARRAY_SIZE(ops); op++) {
			for (unsigned int n = 0; n < ARRAY_SIZE(range_numbers); n++) {
				sprintf(text, "%s %s %s", fields[f], ops[op], range_numbers[n]);
				range_check(test, env, text);
				sprintf(text, "!(%s %s %s)", fields[f], ops[op],
					range_numbers[n]);
				range_check(test, env, text);
			}
		}
	}
}

/* Which filters are ranges: a draft (draft.h) has what they compare, and nothing else counts. */
static void filters_that_are_ranges(struct kunit *test)
{
	static const struct {
		const char	*text;
		bool		range;
	} cases[] = {
		{ "num == 1", true },
		{ "!(num == 1)", true },
		{ "num != 1", true },
		{ "num >= -1", true },
		{ "common_pid == 42", true },
		{ "common_type == 1", false },
		{ "common_preempt_count == 0", false },
		{ "num & 1", false },
		{ "num == 1 || num == 2", false },
		{ "num == 1 && b == 200", false },
		{ "name == \"swapper/0\"", false },
		{ "cpu == 0", false },
		{ "common_tgid == 1", false },
		/* None of all numbers, or each of them. */
		{ "wide < 0", false },
		{ "wide >= 0", false },
	};
	struct filter_env *env = test->priv;
	struct trace_filter_error error;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_filter *filter = filter_compile(env, cases[i].text, &error);

		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(filter), "%s", cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, filter->range.span != U64_MAX, cases[i].range, "%s",
				    cases[i].text);
		trace_filter_free(filter);
	}
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(ranges_of_numbers),
	KUNIT_CASE(filters_that_are_ranges),
	KUNIT_CASE(attributes_go),
	KUNIT_CASE(filter_matches),
	KUNIT_CASE(elements_of_arrays),
	KUNIT_CASE(contexts_of_tasks),
	KUNIT_CASE(cpu_lists),
	KUNIT_CASE(user_strings),
	KUNIT_CASE(filter_refused),
	KUNIT_CASE(bad_pointer),
	KUNIT_CASE(random_expressions),
	{ }
};

static struct kunit_suite filter_suite = {
	.name		= "trace-event-filter",
	.init		= filter_init,
	.exit		= filter_exit,
	.test_cases	= filter_cases,
};

kunit_test_suite(filter_suite);
