// SPDX-License-Identifier: GPL-2.0
/*
 * Errors in the arguments of a probe, each with a caret under its place, and the limits up to
 * which arguments are right.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "events/field.h"
#include "probes/fetch.h"
#include "probes/fetch_program.h"

#define HEADER	16

/* @words have a '^' in front of the place. No '^': they are right. */
struct fetch_error_case {
	enum trace_fetch_at	at;
	const char		*words;
	enum trace_probe_error	error;
};

struct fetch_error_kunit {
	struct trace_probe_log		log;
	struct trace_fetch_context	ctx;
	char				line[8192];
};

/* Parse the words of a case, which are the end of a line. */
static struct trace_fetch *fetch_error_parse(struct kunit *test, enum trace_fetch_at at,
					     const char *words, int *place)
{
	struct fetch_error_kunit *k = test->priv;
	char *caret, *args;

	snprintf(k->line, sizeof(k->line), "t:ev point %s", words);
	args = k->line + strlen("t:ev point ");
	caret = strchr(args, '^');
	*place = caret ? caret - k->line : -1;
	if (caret)
		memmove(caret, caret + 1, strlen(caret));
	k->ctx.at = at;
	k->log.pos = UINT_MAX;
	return trace_fetch_parse(&k->ctx, args, args + strlen(args));
}

static void fetch_error_expect(struct kunit *test, const struct fetch_error_case *c)
{
	struct fetch_error_kunit *k = test->priv;
	struct trace_fetch *fetch;
	int place;

	fetch = fetch_error_parse(test, c->at, c->words, &place);
	if (place < 0) {
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(fetch), "%s: error %d at %u", c->words,
				       k->log.error, k->log.pos);
	} else {
		KUNIT_EXPECT_TRUE_MSG(test, IS_ERR(fetch), "%s", c->words);
		KUNIT_EXPECT_EQ_MSG(test, k->log.error, c->error, "%s", c->words);
		KUNIT_EXPECT_EQ_MSG(test, k->log.pos, place, "%s", c->words);
	}
	if (!IS_ERR(fetch))
		trace_fetch_put(fetch);
}

/* A name, where BTF knows none of the place */
#define NAMELESS	(IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) ? PROBE_NO_BTF_ENTRY :	\
								    PROBE_NOSUP_BTFARG)

#define POINT	TRACE_FETCH_TRACEPOINT
#define EVENT	TRACE_FETCH_EVENT
#define USER	TRACE_FETCH_UPROBE
#define BACK	TRACE_FETCH_UPROBE_RETURN
#define INSN	TRACE_FETCH_KPROBE
#define ENTRY	TRACE_FETCH_FPROBE_ENTRY
#define RETURN	TRACE_FETCH_FPROBE_RETURN

static const struct fetch_error_case fetch_error_cases[] = {
	/* Names */
	{ POINT, "abc_1=\\1 _=\\2" },
	{ POINT, "^=\\1", PROBE_NO_ARG_NAME },
	{ POINT, "^var.1=\\1", PROBE_BAD_ARG_NAME },
	{ POINT, "^1a=\\1", PROBE_BAD_ARG_NAME },
	{ POINT, "a=\\1 ^a=\\2", PROBE_USED_ARG_NAME },
	{ POINT, "\\1 ^arg1=\\2", PROBE_USED_ARG_NAME },
	{ POINT, "arg2=\\1 ^\\2", PROBE_USED_ARG_NAME },
	{ POINT, "^common_pid=\\2", PROBE_USED_ARG_NAME },
	{ POINT, "^__probe_ip=\\2", PROBE_USED_ARG_NAME },
	{ POINT, "^__probe_func=\\2", PROBE_USED_ARG_NAME },
	{ POINT, "abcdefghijklmnopqrstuvwxyz123456=\\1" },
	{ POINT, "^abcdefghijklmnopqrstuvwxyz1234567=\\1", PROBE_ARG_NAME_TOO_LONG },
	{ POINT, "a=^", PROBE_NO_ARG_BODY },
	{ POINT, "a=^ b=\\1", PROBE_NO_ARG_BODY },
	{ POINT, "a=^b=\\1", NAMELESS },
	{ POINT, "a=^+123456(+123456(+123456(+123456(+123456(+123456(+12($arg1)))))))",
	  PROBE_ARG_TOO_LONG },
	{ POINT, "a=+123456(+123456(+123456(+123456(+123456(+123456(+1($arg1)))))))" },
	/* Values */
	{ POINT, "^&1", PROBE_BAD_FETCH_ARG },
	{ POINT, "(\\1)^", PROBE_TYPECAST_REQ_FIELD },
	{ USER, "^(file)$stack->f_mode", PROBE_NOSUP_BTFARG },
	{ USER, "^this_cpu_read($stack)", PROBE_NOSUP_PERCPU },
	{ EVENT, "^this_cpu_ptr($number)", PROBE_NOSUP_PERCPU },
	{ POINT, "+0(^)", PROBE_BAD_FETCH_ARG },
	{ POINT, "+0(^&)", PROBE_BAD_FETCH_ARG },
	{ POINT, "+0($arg1)^+10", PROBE_BAD_FETCH_ARG },
	{ POINT, "^$none", PROBE_BAD_VAR },
	{ POINT, "+0(^$none)", PROBE_BAD_VAR },
	{ POINT, "^$", PROBE_BAD_VAR },
	{ POINT, "^$comms", PROBE_BAD_VAR },
	{ POINT, "^$arg", PROBE_BAD_VAR },
	{ POINT, "a=^$argx", PROBE_BAD_VAR },
	{ POINT, "^$arg1x", PROBE_BAD_VAR },
	{ POINT, "^$argx", PROBE_BAD_VAR },
	{ POINT, "^$arg0", PROBE_BAD_ARG_NUM },
	{ POINT, "a=^$arg0", PROBE_BAD_ARG_NUM },
	{ POINT, "$arg12" },
	{ POINT, "^$arg13", PROBE_BAD_ARG_NUM },
	{ POINT, "+0(^$arg10000)", PROBE_BAD_ARG_NUM },
	{ POINT, "a=^$arg99999999999999999999", PROBE_BAD_VAR },
	{ POINT, "^$arg99999999999999999999", PROBE_BAD_VAR },
	{ POINT, "a=^$arg*", PROBE_BAD_VAR_ARGS },
	{ POINT, "+0(^$arg*)", PROBE_BAD_VAR_ARGS },
	{ POINT, "^$arg*:u8", PROBE_BAD_VAR_ARGS },
	{ POINT, "^$arg*", PROBE_NOSUP_BTFARG },
	{ INSN, "^$arg*", PROBE_NOFENTRY_ARGS },
	{ INSN, "^$arg1", PROBE_NOFENTRY_ARGS },
	{ INSN, "a=^$arg1", PROBE_NOFENTRY_ARGS },
	{ USER, "+0(^$arg1)", PROBE_NOFENTRY_ARGS },
	{ INSN, "^hoge", PROBE_NOSUP_BTFARG },
	{ USER, "^hoge", PROBE_NOSUP_BTFARG },
	{ EVENT, "a=^hoge", PROBE_NOSUP_BTFARG },
	{ POINT, "^$retval", PROBE_RETVAL_ON_PROBE },
	{ INSN, "a=+0(^$retval)", PROBE_RETVAL_ON_PROBE },
	{ USER, "^$retval", PROBE_RETVAL_ON_PROBE },
	{ RETURN, "^$retvalue", PROBE_BAD_VAR },
	{ RETURN, "$retval^->foo", PROBE_NO_BTF_ENTRY },
	{ POINT, "^$stack10000", PROBE_BAD_STACK_NUM },
	{ POINT, "^%ax", PROBE_BAD_VAR },
	{ ENTRY, "^%ax", PROBE_BAD_VAR },
	{ EVENT, "a=^%ax", PROBE_BAD_VAR },
	{ INSN, "^%none_reg", PROBE_BAD_REG_NAME },
	{ USER, "+0(^%)", PROBE_BAD_REG_NAME },
	{ POINT, "@12 @0x12 @sym @sym+1 @sym-0x10 @a.b.0$c" },
	{ POINT, "^@", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@12345678abcde", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@0x1234567890abcdef1", PROBE_BAD_MEM_ADDR },
	{ POINT, "+0(^@12x)", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@sym*10", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@sym+", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@sym+x", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@sym+1-1", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@-1", PROBE_BAD_MEM_ADDR },
	{ POINT, "^@+10", PROBE_FILE_ON_KPROBE },
	{ POINT, "+0(^@+10)", PROBE_FILE_ON_KPROBE },
	{ USER, "@+10 @+0x10 @10" },
	{ USER, "^@+ab", PROBE_BAD_FILE_OFFS },
	{ USER, "^@+", PROBE_BAD_FILE_OFFS },
	{ USER, "^@symbol", PROBE_SYM_ON_UPROBE },
	{ USER, "^@", PROBE_SYM_ON_UPROBE },
	{ POINT, "\\^x", PROBE_BAD_IMM },
	{ POINT, "\\^", PROBE_BAD_IMM },
	{ POINT, "a=\\^-", PROBE_BAD_IMM },
	{ POINT, "a=\\^1x", PROBE_BAD_IMM },
	{ POINT, "a=\\\"abcd^", PROBE_IMMSTR_NO_CLOSE },
	{ POINT, "a=\\\"^", PROBE_IMMSTR_NO_CLOSE },
	{ POINT, "a=\\\"a^ b\"", PROBE_IMMSTR_NO_CLOSE },
	{ POINT, "a=\\\"a\"b^", PROBE_IMMSTR_NO_CLOSE },
	/* Memory */
	{ POINT, "^+0@0)", PROBE_DEREF_NEED_BRACE },
	{ POINT, "+0(^+0@0)", PROBE_DEREF_NEED_BRACE },
	{ POINT, "^+", PROBE_DEREF_NEED_BRACE },
	{ POINT, "^+0ab1(@0)", PROBE_BAD_DEREF_OFFS },
	{ POINT, "^+($arg1)", PROBE_BAD_DEREF_OFFS },
	{ POINT, "^-($arg1)", PROBE_BAD_DEREF_OFFS },
	{ POINT, "^--1($arg1)", PROBE_BAD_DEREF_OFFS },
	{ POINT, "+0(^+u($arg1))", PROBE_BAD_DEREF_OFFS },
	{ POINT, "+0(+0(@0^)", PROBE_DEREF_OPEN_BRACE },
	{ POINT, "+0(+0(@0^", PROBE_DEREF_OPEN_BRACE },
	{ POINT, "+0(@0^:u8", PROBE_DEREF_OPEN_BRACE },
	{ POINT, "+0(^$comm)", PROBE_COMM_CANT_DEREF },
	{ POINT, "+0(+0(^$comm))", PROBE_COMM_CANT_DEREF },
	{ POINT, "+0(^\\\"text\")", PROBE_COMM_CANT_DEREF },
	{ POINT, "+0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0))))))))))))))",
	  PROBE_TOO_MANY_OPS },
	{ POINT, "+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0)))))))))))))" },
	/* Types */
	{ POINT, "@11:^unknown_type", PROBE_BAD_TYPE },
	{ POINT, "@11:^", PROBE_BAD_TYPE },
	{ POINT, "@11:^:u8", PROBE_BAD_TYPE },
	{ POINT, "@11:^u9", PROBE_BAD_TYPE },
	{ POINT, "@11:^u8u", PROBE_BAD_TYPE },
	{ POINT, "@11:^[2]", PROBE_BAD_TYPE },
	{ POINT, "@11:^b10", PROBE_BAD_TYPE },
	{ POINT, "@11:^b1@1/12", PROBE_BAD_TYPE },
	{ POINT, "@11:^b1@1/128", PROBE_BAD_TYPE },
	{ POINT, "@11:^%px", PROBE_BAD_TYPE },
	{ POINT, "@11:^%pd[2]", PROBE_BAD_TYPE },
	{ USER, "@11:^symstr", PROBE_BAD_TYPE },
	{ USER, "@11:^symbol", PROBE_BAD_TYPE },
	{ USER, "@11:^%pd", PROBE_BAD_TYPE },
	{ POINT, "@11:^b10@a/16", PROBE_BAD_BITFIELD },
	{ POINT, "@11:^b0@1/16", PROBE_BAD_BITFIELD },
	{ POINT, "@11:^b@1/16", PROBE_BAD_BITFIELD },
	{ POINT, "@11:^b16@1/16", PROBE_BAD_BITFIELD },
	{ POINT, "@11:^b4294967295@2/16", PROBE_BAD_BITFIELD },
	{ POINT, "@11:^b1@4294967295/16", PROBE_BAD_BITFIELD },
	{ POINT, "@11:^b1/16", PROBE_BAD_BITFIELD },
	{ POINT, "@11:u8[10^", PROBE_ARRAY_NO_CLOSE },
	{ POINT, "@11:u8[10]^a", PROBE_BAD_ARRAY_SUFFIX },
	{ POINT, "@11:u8[^10a]", PROBE_BAD_ARRAY_NUM },
	{ POINT, "@11:u8[^]", PROBE_BAD_ARRAY_NUM },
	{ POINT, "@11:u8[^0]", PROBE_BAD_ARRAY_NUM },
	{ POINT, "@11:u8[^-1]", PROBE_BAD_ARRAY_NUM },
	{ POINT, "@11:u8[64]" },
	{ POINT, "@11:u8[^65]", PROBE_ARRAY_TOO_BIG },
	{ POINT, "@11:u8[^256]", PROBE_ARRAY_TOO_BIG },
	{ POINT, "$arg1:^string", PROBE_BAD_STRING },
	{ POINT, "$arg1:^ustring", PROBE_BAD_STRING },
	{ POINT, "$arg1:^u8[2]", PROBE_BAD_STRING },
	{ POINT, "\\1:^u8[2]", PROBE_BAD_STRING },
	{ POINT, "\\1:^string[2]", PROBE_BAD_STRING },
	{ POINT, "@1:^symstr[2]", PROBE_BAD_STRING },
	{ POINT, "\\1:string \\1:ustring @1:string @1:ustring[64]" },
	{ POINT, "\\1:^symstr", PROBE_BAD_SYMSTRING },
	{ POINT, "+u0($arg1):^symstr", PROBE_BAD_SYMSTRING },
	{ POINT, "$comm:^u8", PROBE_NEED_STRING_TYPE },
	{ POINT, "$COMM:^ustring", PROBE_NEED_STRING_TYPE },
	{ POINT, "$comm:^string[2]", PROBE_NEED_STRING_TYPE },
	{ POINT, "$comm:^none", PROBE_NEED_STRING_TYPE },
	{ POINT, "\\\"text\":^x64", PROBE_NEED_STRING_TYPE },
	{ EVENT, "$name:^x64", PROBE_NEED_STRING_TYPE },
	/* Events */
	{ EVENT, "$name $comm $COMM $number:symstr $number:string" },
	{ EVENT, "a=^$foo", PROBE_BAD_ATTACH_ARG },
	{ EVENT, "^$nam", PROBE_BAD_ATTACH_ARG },
	{ EVENT, "^$names", PROBE_BAD_ATTACH_ARG },
	{ EVENT, "^$retval", PROBE_BAD_ATTACH_ARG },
	{ EVENT, "^$arg1", PROBE_BAD_ATTACH_ARG },
};

static void fetch_error_has_its_place(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fetch_error_cases); i++)
		fetch_error_expect(test, &fetch_error_cases[i]);
}

/* @n times @word in a line. */
static char *fetch_error_repeat(struct kunit *test, const char *word, unsigned int n)
{
	size_t len = strlen(word);
	char *words = kunit_kzalloc(test, n * len + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, words);
	for (unsigned int i = 0; i < n; i++)
		memcpy(words + i * len, word, len);
	return words;
}

static void fetch_error_of_number(struct kunit *test)
{
	struct fetch_error_kunit *k = test->priv;
	struct trace_fetch *fetch;
	int place;

	fetch = fetch_error_parse(test, POINT, fetch_error_repeat(test, "\\1 ", 128), &place);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fetch));
	KUNIT_EXPECT_EQ(test, fetch->nr, 128);
	trace_fetch_put(fetch);
	fetch = fetch_error_parse(test, POINT, fetch_error_repeat(test, "\\1 ", 129), &place);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fetch), -E2BIG);
	KUNIT_EXPECT_EQ(test, k->log.error, PROBE_TOO_MANY_ARGS);
	KUNIT_EXPECT_EQ(test, k->log.pos, strlen("t:ev point ") + 3 * 128);
}

static void fetch_error_of_size(struct kunit *test)
{
	struct fetch_error_kunit *k = test->priv;
	struct trace_fetch *fetch;
	int place;

	/* 6 arrays of 512 bytes */
	fetch = fetch_error_parse(test, POINT, fetch_error_repeat(test, "@1:u64[64] ", 6), &place);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fetch));
	KUNIT_EXPECT_EQ(test, fetch->fixed, HEADER + 3072);
	trace_fetch_put(fetch);
	snprintf(k->line, sizeof(k->line), "%s@1:u8",
		 fetch_error_repeat(test, "@1:u64[64] ", 6));
	fetch = fetch_error_parse(test, POINT, kunit_kstrdup(test, k->line, GFP_KERNEL), &place);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fetch), -E2BIG);
	KUNIT_EXPECT_EQ(test, k->log.error, PROBE_EVENT_TOO_BIG);
	KUNIT_EXPECT_EQ(test, k->log.pos, strlen("t:ev point ") + 6 * 11);
	/* Its strings are not counted. */
	fetch = fetch_error_parse(test, POINT, fetch_error_repeat(test, "@1:string[64] ", 12),
				  &place);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fetch));
	KUNIT_EXPECT_EQ(test, fetch->max, HEADER + 3072 + 12 * 64 * PATH_MAX);
	trace_fetch_put(fetch);
}

/* A number that is too large has an errno of its own. */
static void fetch_error_of_range(struct kunit *test)
{
	static const struct fetch_error_case cases[] = {
		{ POINT, "^@99999999999999999999", PROBE_BAD_MEM_ADDR },
		{ POINT, "a=^@0xfffffffff81000000", PROBE_BAD_MEM_ADDR },
		{ POINT, "^@sym-99999999999999999999", PROBE_BAD_MEM_ADDR },
		{ USER, "^@99999999999999999999", PROBE_BAD_MEM_ADDR },
		{ USER, "^@+99999999999999999999", PROBE_BAD_FILE_OFFS },
		{ POINT, "\\^99999999999999999999", PROBE_BAD_IMM },
		{ POINT, "^+99999999999999999999(@1)", PROBE_BAD_DEREF_OFFS },
		{ POINT, "^-99999999999999999999(@1)", PROBE_BAD_DEREF_OFFS },
	};
	struct fetch_error_kunit *k = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct fetch_error_case *c = &cases[i];
		struct trace_fetch *fetch;
		int place;

		fetch = fetch_error_parse(test, c->at, c->words, &place);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(fetch), -ERANGE, "%s", c->words);
		KUNIT_EXPECT_EQ_MSG(test, k->log.error, c->error, "%s", c->words);
		KUNIT_EXPECT_EQ_MSG(test, k->log.pos, place, "%s", c->words);
	}
}

/* A place outside of the line is logged as its begin, or as that of a word behind it. */
static void fetch_error_stays_in_line(struct kunit *test)
{
	struct trace_probe_log log = { .subsystem = "fetch_kunit", .line = "abc" };

	KUNIT_EXPECT_EQ(test, trace_probe_error(&log, log.line - 1, PROBE_BAD_VAR), -EINVAL);
	KUNIT_EXPECT_EQ(test, log.pos, 0);
	KUNIT_EXPECT_EQ(test, log.error, PROBE_BAD_VAR);
	KUNIT_EXPECT_EQ(test, trace_probe_error(&log, log.line + 5, PROBE_ARG_TOO_LONG), -E2BIG);
	KUNIT_EXPECT_EQ(test, log.pos, 4);
	KUNIT_EXPECT_EQ(test, trace_probe_error(&log, log.line + 3, PROBE_SAME_PROBE), -EEXIST);
	KUNIT_EXPECT_EQ(test, log.pos, 3);
	log.line = NULL;
	KUNIT_EXPECT_EQ(test, trace_probe_error(&log, NULL, PROBE_NO_BTFARG), -ENOENT);
	KUNIT_EXPECT_EQ(test, log.error, PROBE_NO_BTFARG);
}

static void fetch_error_free_fields(void *data)
{
	struct trace_event_call *call = data;
	struct trace_event_field *f, *next;

	list_for_each_entry_safe(f, next, &call->class->fields, list) {
		list_del(&f->list);
		kfree(f);
	}
}

static int fetch_error_init(struct kunit *test)
{
	struct fetch_error_kunit *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	struct trace_event_call *call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	KUNIT_ASSERT_NOT_NULL(test, call);
	call->class = kunit_kzalloc(test, sizeof(*call->class), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, call->class);
	INIT_LIST_HEAD(&call->class->fields);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fetch_error_free_fields, call), 0);
	KUNIT_ASSERT_EQ(test, trace_define_field(call, "char[8]", "name", 8, 8, 0,
						 FILTER_OTHER), 0);
	KUNIT_ASSERT_EQ(test, trace_define_field(call, "u64", "number", 16, 8, 0,
						 FILTER_OTHER), 0);
	k->ctx.log = &k->log;
	k->ctx.event = call;
	k->ctx.header = HEADER;
	k->log.subsystem = "fetch_kunit";
	k->log.line = k->line;
	test->priv = k;
	return 0;
}

static struct kunit_case fetch_error_kunit_cases[] = {
	KUNIT_CASE(fetch_error_has_its_place),
	KUNIT_CASE(fetch_error_of_number),
	KUNIT_CASE(fetch_error_of_size),
	KUNIT_CASE(fetch_error_of_range),
	KUNIT_CASE(fetch_error_stays_in_line),
	{}
};

static struct kunit_suite fetch_error_suite = {
	.name		= "trace_fetch_error",
	.init		= fetch_error_init,
	.test_cases	= fetch_error_kunit_cases,
};

kunit_test_suite(fetch_error_suite);
