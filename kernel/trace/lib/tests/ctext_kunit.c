// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner of C text: tokens, members, brackets, arguments, and that the
 * tokens of any text make up the text.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "lib/ctext.h"

struct ctext_token {
	const char		*text;
	enum trace_ctext_kind	kind;
	bool			member;
	int			depth;
};

static void expect_tokens(struct kunit *test, const char *text,
			  const struct ctext_token *tokens, unsigned int nr)
{
	struct trace_ctext t;

	trace_ctext_start(&t, text);
	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ_MSG(test, trace_ctext_next(&t), tokens[i].kind, "%u", i);
		KUNIT_EXPECT_TRUE_MSG(test, trace_ctext_is(&t, tokens[i].text),
				      "%u: '%.*s'", i, (int)t.len, t.token);
		KUNIT_EXPECT_EQ_MSG(test, t.member, tokens[i].member, "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, t.depth, tokens[i].depth, "%u", i);
	}
	KUNIT_EXPECT_EQ(test, trace_ctext_next(&t), TRACE_CTEXT_END);
	KUNIT_EXPECT_EQ(test, trace_ctext_next(&t), TRACE_CTEXT_END);
}

static void ctext_tokens(struct kunit *test)
{
	static const struct ctext_token format[] = {
		{ "\"%d \\\"A\\\"\"", TRACE_CTEXT_STRING },
		{ ",", TRACE_CTEXT_PUNCT },
		{ " ", TRACE_CTEXT_SPACE },
		{ "f_1", TRACE_CTEXT_NAME },
		{ "(", TRACE_CTEXT_PUNCT, false, 1 },
		{ "REC", TRACE_CTEXT_NAME, false, 1 },
		{ "->", TRACE_CTEXT_PUNCT, false, 1 },
		{ "A", TRACE_CTEXT_NAME, true, 1 },
		{ "[", TRACE_CTEXT_PUNCT, false, 2 },
		{ "0x1fUL", TRACE_CTEXT_NUMBER, false, 2 },
		{ "]", TRACE_CTEXT_PUNCT, false, 1 },
		{ "-", TRACE_CTEXT_PUNCT, false, 1 },
		{ "B", TRACE_CTEXT_NAME, false, 1 },
		{ ")", TRACE_CTEXT_PUNCT },
		{ "\t ", TRACE_CTEXT_SPACE },
		{ ".", TRACE_CTEXT_PUNCT },
		{ " ", TRACE_CTEXT_SPACE },
		{ "c", TRACE_CTEXT_NAME, true },
		{ " ", TRACE_CTEXT_SPACE },
		{ "d", TRACE_CTEXT_NAME },
		{ "1.5", TRACE_CTEXT_NUMBER },
	};
	static const struct ctext_token open[] = {
		{ ")", TRACE_CTEXT_PUNCT, false, -1 },
		{ "','", TRACE_CTEXT_STRING, false, -1 },
		{ "\"never \\", TRACE_CTEXT_STRING, false, -1 },
	};

	expect_tokens(test, "\"%d \\\"A\\\"\", f_1(REC->A[0x1fUL]-B)\t . c d",
		      format, ARRAY_SIZE(format) - 1);
	expect_tokens(test, "1.5", &format[ARRAY_SIZE(format) - 1], 1);
	expect_tokens(test, ")','\"never \\", open, ARRAY_SIZE(open));
	expect_tokens(test, "", NULL, 0);
}

static void ctext_arguments(struct kunit *test)
{
	static const struct {
		const char	*text;
		const char	*argument;
		char		behind;
	} cases[] = {
		{ "a, b", "a", ',' }, { "  a  , b", "a", ' ' }, { "a", "a", 0 },
		{ "f(a, b) + c, d", "f(a, b) + c", ',' },
		{ "{ 1, \"a\" }, { 2, \"b\" }", "{ 1, \"a\" }", ',' },
		{ "\"a,b\" \"c\", d", "\"a,b\" \"c\"", ',' },
		{ "',', d", "','", ',' }, { "a) b", "a", ')' }, { ", b", "", ',' }, { "", "", 0 },
		{ "f(a, b", "f(a, b", 0 }, { "\"a, b", "\"a, b", 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len;
		const char *argument = trace_ctext_argument(cases[i].text, &len);

		KUNIT_EXPECT_EQ_MSG(test, len, strlen(cases[i].argument), "%s", cases[i].text);
		KUNIT_EXPECT_FALSE_MSG(test, strncmp(argument, cases[i].argument, len),
				       "%s", cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, argument[len], cases[i].behind, "%s", cases[i].text);
	}
}

/* The tokens of any text follow one another, and none is empty. */
static void tokens_make_up_the_text(struct kunit *test)
{
	static const char letters[] = "aZ_09 \t.->\"'\\()[]{},;+*";
	struct rnd_state rnd;
	char text[24];

	prandom_seed_state(&rnd, 1);
	for (int i = 0; i < 50000; i++) {
		size_t len = prandom_u32_state(&rnd) % sizeof(text);
		const char *at = text;
		struct trace_ctext t;

		for (size_t j = 0; j < len; j++)
			text[j] = letters[prandom_u32_state(&rnd) % (sizeof(letters) - 1)];
		text[len] = '\0';
		trace_ctext_start(&t, text);
		while (trace_ctext_next(&t)) {
			KUNIT_ASSERT_PTR_EQ_MSG(test, t.token, at, "%s", text);
			KUNIT_ASSERT_GT_MSG(test, t.len, (size_t)0, "%s", text);
			at += t.len;
		}
		KUNIT_ASSERT_PTR_EQ_MSG(test, at, text + len, "%s", text);
	}
}

static struct kunit_case ctext_cases[] = {
	KUNIT_CASE(ctext_tokens),
	KUNIT_CASE(ctext_arguments),
	KUNIT_CASE(tokens_make_up_the_text),
	{}
};

static struct kunit_suite ctext_suite = {
	.name		= "trace-lib-ctext",
	.test_cases	= ctext_cases,
};

kunit_test_suite(ctext_suite);
