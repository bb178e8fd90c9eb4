// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of lib/: words, patterns, sets of ids, sequences, the clock.
 */
#include <kunit/test.h>
#include <linux/glob.h>
#include <linux/irqflags.h>
#include <linux/mman.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/uaccess.h>

#include "lib/clock.h"
#include "lib/lib.h"

/* words */

struct words_ctx {
	struct trace_words	words;
	char __user		*ubuf;
};

#define UBUF_SIZE	PAGE_SIZE
#define WORD_MAX	16

static int words_init(struct kunit *test)
{
	struct words_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	unsigned long addr;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_EQ(test, trace_words_init(&ctx->words, WORD_MAX), 0);
	test->priv = ctx;
	addr = kunit_vm_mmap(test, NULL, 0, UBUF_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, addr, 0UL);
	KUNIT_ASSERT_LT(test, addr, (unsigned long)TASK_SIZE);
	ctx->ubuf = (char __user *)addr;
	return 0;
}

static void words_exit(struct kunit *test)
{
	struct words_ctx *ctx = test->priv;

	if (ctx)
		trace_words_free(&ctx->words);
}

/* Puts @text where user space would have it and reads on. */
static ssize_t words_feed(struct kunit *test, const char *text, size_t len, bool *complete)
{
	struct words_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, copy_to_user(ctx->ubuf, text, len), 0UL);
	return trace_words_next(&ctx->words, ctx->ubuf, len, complete);
}

static void words_one_write(struct kunit *test)
{
	struct words_ctx *ctx = test->priv;
	const char *text = "  one\ttwo\n";
	bool complete;

	KUNIT_EXPECT_EQ(test, words_feed(test, text, 10, &complete), 6);
	KUNIT_EXPECT_TRUE(test, complete);
	KUNIT_EXPECT_STREQ(test, ctx->words.word, "one");
	KUNIT_EXPECT_FALSE(test, ctx->words.open);

	trace_words_clear(&ctx->words);
	KUNIT_EXPECT_EQ(test, words_feed(test, text + 6, 4, &complete), 4);
	KUNIT_EXPECT_TRUE(test, complete);
	KUNIT_EXPECT_STREQ(test, ctx->words.word, "two");
	KUNIT_EXPECT_EQ(test, ctx->words.len, 3);
}

static void words_in_pieces(struct kunit *test)
{
	struct words_ctx *ctx = test->priv;
	bool complete;

	KUNIT_EXPECT_EQ(test, words_feed(test, " ab", 3, &complete), 3);
	KUNIT_EXPECT_FALSE(test, complete);
	KUNIT_EXPECT_TRUE(test, ctx->words.open);
	KUNIT_EXPECT_EQ(test, words_feed(test, "cd", 2, &complete), 2);
	KUNIT_EXPECT_FALSE(test, complete);
	KUNIT_EXPECT_STREQ(test, ctx->words.word, "abcd");
	/* White space alone ends it. */
	KUNIT_EXPECT_EQ(test, words_feed(test, "\n", 1, &complete), 1);
	KUNIT_EXPECT_TRUE(test, complete);
	KUNIT_EXPECT_STREQ(test, ctx->words.word, "abcd");
}

static void words_space_only(struct kunit *test)
{
	struct words_ctx *ctx = test->priv;
	bool complete;

	KUNIT_EXPECT_EQ(test, words_feed(test, " \t\n\0", 4, &complete), 4);
	KUNIT_EXPECT_FALSE(test, complete);
	KUNIT_EXPECT_FALSE(test, ctx->words.open);
	KUNIT_EXPECT_EQ(test, ctx->words.len, 0);
	KUNIT_EXPECT_EQ(test, words_feed(test, "", 0, &complete), 0);
	KUNIT_EXPECT_FALSE(test, complete);
}

static void words_length(struct kunit *test)
{
	struct words_ctx *ctx = test->priv;
	bool complete;

	KUNIT_EXPECT_EQ(test, words_feed(test, "0123456789abcdef ", 17, &complete), 17);
	KUNIT_EXPECT_TRUE(test, complete);
	KUNIT_EXPECT_EQ(test, ctx->words.len, WORD_MAX);

	trace_words_clear(&ctx->words);
	KUNIT_EXPECT_EQ(test, words_feed(test, "0123456789abcdefg ", 18, &complete), -EINVAL);
	KUNIT_EXPECT_FALSE(test, complete);
	KUNIT_EXPECT_EQ(test, ctx->words.len, 0);

	/* In pieces as well. */
	KUNIT_EXPECT_EQ(test, words_feed(test, "0123456789abcdef", 16, &complete), 16);
	KUNIT_EXPECT_EQ(test, words_feed(test, "g", 1, &complete), -EINVAL);
	KUNIT_EXPECT_FALSE(test, ctx->words.open);
}

static void words_fault(struct kunit *test)
{
	struct words_ctx *ctx = test->priv;
	bool complete;

	KUNIT_EXPECT_EQ(test, words_feed(test, "ab", 2, &complete), 2);
	/* Nothing is mapped at the first page. */
	KUNIT_EXPECT_EQ(test, trace_words_next(&ctx->words, (char __user *)8, 4, &complete),
			-EFAULT);
	KUNIT_EXPECT_FALSE(test, complete);
	KUNIT_EXPECT_FALSE(test, ctx->words.open);
	KUNIT_EXPECT_EQ(test, ctx->words.len, 0);
}

/* The words that words_note() was given, and the one that it refuses. */
struct words_noted {
	char		text[64];
	const char	*refused;
};

static int words_note(char *word, void *data)
{
	struct words_noted *noted = data;

	if (!strcmp(word, noted->refused))
		return -ENOENT;
	strlcat(noted->text, word, sizeof(noted->text));
	strlcat(noted->text, ".", sizeof(noted->text));
	return 0;
}

static int words_put(struct kunit *test, struct words_noted *noted, const char *text,
		     size_t *taken)
{
	struct words_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, copy_to_user(ctx->ubuf, text, strlen(text)), 0UL);
	return trace_words_write(&ctx->words, ctx->ubuf, strlen(text), taken, words_note, noted);
}

/* With a clause, a word that it follows in the same line ends with the line. */
static void words_with_clause(struct kunit *test)
{
	struct words_noted noted = { .refused = "no" };
	struct words_ctx *ctx = test->priv;
	size_t taken;

	ctx->words.clause = "if";
	KUNIT_EXPECT_EQ(test, 0, words_put(test, &noted, "a b \t if x > 1\nc\nif y\n", &taken));
	KUNIT_EXPECT_STREQ(test, noted.text, "a.b \t if x > 1.c.if.y.");
	noted.text[0] = '\0';
	/* Other words that begin like it, or end a line or the write. */
	KUNIT_EXPECT_EQ(test, 0, words_put(test, &noted, "a iff b if\nc\n if d\ne if", &taken));
	KUNIT_EXPECT_STREQ(test, noted.text, "a.iff.b.if.c.if.d.e.");
	trace_words_clear(&ctx->words);
	noted.text[0] = '\0';
	/* A line may come in pieces, and a NUL or the end of the file end it as well. */
	KUNIT_EXPECT_EQ(test, 0, words_put(test, &noted, "a if b ", &taken));
	KUNIT_EXPECT_EQ(test, 0, words_put(test, &noted, "c\nd if  e", &taken));
	KUNIT_EXPECT_STREQ(test, noted.text, "a if b c.");
	KUNIT_EXPECT_EQ(test, 0, trace_words_end(&ctx->words, words_note, &noted));
	KUNIT_EXPECT_STREQ(test, noted.text, "a if b c.d if  e.");
	KUNIT_EXPECT_EQ(test, -EINVAL, words_put(test, &noted, "a if 0123456789ab\n", &taken));
	ctx->words.clause = NULL;
	noted.text[0] = '\0';
	KUNIT_EXPECT_EQ(test, 0, words_put(test, &noted, "a if b\n", &taken));
	KUNIT_EXPECT_STREQ(test, noted.text, "a.if.b.");
}

/* A write is taken up to the word that is refused, and the end of the file ends a word. */
static void words_taken(struct kunit *test)
{
	struct words_noted noted = { .refused = "no" };
	struct words_ctx *ctx = test->priv;
	size_t taken;

	KUNIT_EXPECT_EQ(test, words_put(test, &noted, " a b\n c", &taken), 0);
	KUNIT_EXPECT_EQ(test, taken, 7);
	KUNIT_EXPECT_STREQ(test, noted.text, "a.b.");
	KUNIT_EXPECT_EQ(test, words_put(test, &noted, "d e no f ", &taken), -ENOENT);
	KUNIT_EXPECT_EQ(test, taken, 4);
	KUNIT_EXPECT_STREQ(test, noted.text, "a.b.cd.e.");
	KUNIT_EXPECT_EQ(test, words_put(test, &noted, "g 0123456789abcdefg ", &taken), -EINVAL);
	KUNIT_EXPECT_EQ(test, taken, 2);
	KUNIT_EXPECT_EQ(test, trace_words_end(&ctx->words, words_note, &noted), 0);
	KUNIT_EXPECT_STREQ(test, noted.text, "a.b.cd.e.g.");
	KUNIT_EXPECT_EQ(test, words_put(test, &noted, "h", &taken), 0);
	KUNIT_EXPECT_EQ(test, trace_words_end(&ctx->words, words_note, &noted), 0);
	KUNIT_EXPECT_STREQ(test, noted.text, "a.b.cd.e.g.h.");
	KUNIT_EXPECT_EQ(test, ctx->words.good, 6);
	KUNIT_EXPECT_EQ(test, ctx->words.bad, 2);
}

/* A task that is killed takes no more words. */
static void words_killed(struct kunit *test)
{
	struct words_noted noted = { .refused = "" };
	struct words_ctx *ctx = test->priv;
	size_t taken;
	int ret;

	KUNIT_EXPECT_EQ(test, words_put(test, &noted, "a b ", &taken), 0);
	/* As if SIGKILL had come. The task is that of this case alone. */
	sigaddset(&current->pending.signal, SIGKILL);
	set_thread_flag(TIF_SIGPENDING);
	ret = trace_words_write(&ctx->words, ctx->ubuf, 4, &taken, words_note, &noted);
	sigdelset(&current->pending.signal, SIGKILL);
	clear_thread_flag(TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, ret, -EINTR);
	KUNIT_EXPECT_EQ(test, taken, 0);
	KUNIT_EXPECT_STREQ(test, noted.text, "a.b.");
}

/* Boot parameters that are given more than once add up. */
static void words_appended(struct kunit *test)
{
	char words[8] = "";

	KUNIT_EXPECT_TRUE(test, trace_words_append(words, sizeof(words), "a,b"));
	KUNIT_EXPECT_STREQ(test, words, "a,b");
	KUNIT_EXPECT_FALSE(test, trace_words_append(words, sizeof(words), "long"));
	KUNIT_EXPECT_STREQ(test, words, "a,b");
	KUNIT_EXPECT_TRUE(test, trace_words_append(words, sizeof(words), "cde"));
	KUNIT_EXPECT_STREQ(test, words, "a,b,cde");
	KUNIT_EXPECT_FALSE(test, trace_words_append(words, sizeof(words), ""));
	*words = '\0';
	KUNIT_EXPECT_TRUE(test, trace_words_join(words, sizeof(words), ';', "a,b"));
	KUNIT_EXPECT_TRUE(test, trace_words_join(words, sizeof(words), ';', "c"));
	KUNIT_EXPECT_STREQ(test, words, "a,b;c");
}

static struct kunit_case words_cases[] = {
	KUNIT_CASE(words_one_write),
	KUNIT_CASE(words_in_pieces),
	KUNIT_CASE(words_space_only),
	KUNIT_CASE(words_length),
	KUNIT_CASE(words_fault),
	KUNIT_CASE(words_taken),
	KUNIT_CASE(words_with_clause),
	KUNIT_CASE(words_killed),
	KUNIT_CASE(words_appended),
	{}
};

static struct kunit_suite words_suite = {
	.name		= "trace-lib-words",
	.init		= words_init,
	.exit		= words_exit,
	.test_cases	= words_cases,
};

/* patterns */

struct glob_case {
	const char		*pattern;
	enum trace_glob_type	type;
	bool			negate;
	const char		*yes[3];
	const char		*no[3];
};

static const struct glob_case glob_list[] = {
	{ "*", TRACE_GLOB_ALL, false, { "a", "", "abc" }, {} },
	{ "**", TRACE_GLOB_ALL, false, { "a", "" }, {} },
	{ "!*", TRACE_GLOB_ALL, true, { "a" }, {} },
	{ "foo", TRACE_GLOB_EXACT, false, { "foo" }, { "fo", "fooo", "Foo" } },
	{ "!foo", TRACE_GLOB_EXACT, true, { "foo" }, { "!foo" } },
	{ "", TRACE_GLOB_EXACT, false, { "" }, { "a" } },
	{ "foo*", TRACE_GLOB_FRONT, false, { "foo", "foobar" }, { "fo", "afoo", "barfoo" } },
	{ "*foo", TRACE_GLOB_END, false, { "foo", "barfoo" }, { "foob", "fo", "oo" } },
	{ "*foo*", TRACE_GLOB_MIDDLE, false, { "foo", "afoob", "foob" }, { "fo", "f.oo", "" } },
	{ "!*foo*", TRACE_GLOB_MIDDLE, true, { "afoo" }, { "bar" } },
	{ "f*o", TRACE_GLOB_FULL, false, { "fo", "foo", "f_o" }, { "f", "of", "fob" } },
	{ "*f*o*", TRACE_GLOB_FULL, false, { "fo", "afbod" }, { "of", "" } },
	{ "f?o", TRACE_GLOB_FULL, false, { "foo", "fao" }, { "fo", "fooo" } },
	{ "?*", TRACE_GLOB_FULL, false, { "f", "foo" }, { "" } },
	{ "f[ab]o", TRACE_GLOB_FULL, false, { "fao", "fbo" }, { "fco", "f[ab]o" } },
	{ "f*o*", TRACE_GLOB_FULL, false, { "fo", "faob" }, { "afo", "f" } },
	{ "*f*o", TRACE_GLOB_FULL, false, { "fo", "afbo" }, { "fob", "o" } },
	{ "f\\oo", TRACE_GLOB_FULL, false, { "foo" }, { "f\\oo", "fo" } },
	{ "f\\*o", TRACE_GLOB_FULL, false, { "f*o" }, { "foo", "fo", "f\\*o" } },
	{ "foo\\*", TRACE_GLOB_FULL, false, { "foo*" }, { "foo", "foobar", "foo\\" } },
	{ "*\\?", TRACE_GLOB_FULL, false, { "a?", "?" }, { "a", "ab" } },
	{ "!\\*", TRACE_GLOB_FULL, true, { "*" }, { "a", "" } },
};

static void glob_forms(struct kunit *test)
{
	struct trace_glob glob;
	char text[16];
	int i, j;

	for (i = 0; i < ARRAY_SIZE(glob_list); i++) {
		const struct glob_case *c = &glob_list[i];

		strscpy(text, c->pattern);
		trace_glob_parse(&glob, text);
		KUNIT_EXPECT_EQ_MSG(test, glob.type, c->type, "'%s'", c->pattern);
		KUNIT_EXPECT_EQ_MSG(test, glob.negate, c->negate, "'%s'", c->pattern);
		for (j = 0; j < ARRAY_SIZE(c->yes) && c->yes[j]; j++)
			KUNIT_EXPECT_TRUE_MSG(test, trace_glob_match(&glob, c->yes[j],
								     strlen(c->yes[j])),
					      "'%s' '%s'", c->pattern, c->yes[j]);
		for (j = 0; j < ARRAY_SIZE(c->no) && c->no[j]; j++)
			KUNIT_EXPECT_FALSE_MSG(test, trace_glob_match(&glob, c->no[j],
								      strlen(c->no[j])),
					       "'%s' '%s'", c->pattern, c->no[j]);
	}
}

static void glob_random(struct rnd_state *rnd, const char *letters, char *text, size_t size)
{
	size_t len = prandom_u32_state(rnd) % size;

	for (size_t i = 0; i < len; i++)
		text[i] = letters[prandom_u32_state(rnd) % strlen(letters)];
	text[len] = '\0';
}

/* Any pattern, against lib/glob.c, and against text that does not end with a NUL. */
static void glob_like_the_kernels(struct kunit *test)
{
	struct trace_glob glob = { .type = TRACE_GLOB_FULL };
	char pattern[9], name[9];
	struct rnd_state rnd;
	unsigned int yes = 0;
	bool want;

	prandom_seed_state(&rnd, 1);
	for (int i = 0; i < 200000; i++) {
		size_t len;

		glob_random(&rnd, "aab[]*?!-\\", pattern, sizeof(pattern));
		glob_random(&rnd, "aab[]!-", name, sizeof(name));
		len = strlen(pattern);
		/* A backslash that nothing follows is one here, and nothing there. */
		if (len && pattern[len - 1] == '\\')
			continue;
		glob.text = pattern;
		glob.len = len;
		want = glob_match(pattern, name);
		yes += want;
		len = strlen(name);
		/* The match must not look behind the end of the name. */
		name[len] = 'a';
		KUNIT_EXPECT_EQ_MSG(test, trace_glob_match(&glob, name, len), want,
				    "'%s' '%.*s'", pattern, (int)len, name);
	}
	KUNIT_EXPECT_GT(test, yes, 1000U);
}

static struct kunit_case glob_cases[] = {
	KUNIT_CASE(glob_forms),
	KUNIT_CASE(glob_like_the_kernels),
	{}
};

static struct kunit_suite glob_suite = {
	.name		= "trace-lib-glob",
	.test_cases	= glob_cases,
};

/* sets of ids */

static void pids_members(struct kunit *test)
{
	struct trace_pid_list *list = trace_pid_list_alloc();
	unsigned int next = 0;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, 5));
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, 0, &next), -ENOENT);

	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, 5), 0);
	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, 5), 0);
	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, 0), 0);
	KUNIT_EXPECT_TRUE(test, trace_pid_list_is_set(list, 5));
	KUNIT_EXPECT_TRUE(test, trace_pid_list_is_set(list, 0));
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, 4));
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, 6));

	KUNIT_EXPECT_EQ(test, trace_pid_list_clear(list, 5), 0);
	KUNIT_EXPECT_EQ(test, trace_pid_list_clear(list, 5), 0);
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, 5));
	KUNIT_EXPECT_TRUE(test, trace_pid_list_is_set(list, 0));
	trace_pid_list_free(list);
}

static void pids_limits(struct kunit *test)
{
	struct trace_pid_list *list = trace_pid_list_alloc();
	unsigned int next = 0;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, PID_MAX_LIMIT), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, UINT_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_pid_list_clear(list, PID_MAX_LIMIT), -EINVAL);
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, UINT_MAX));
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, UINT_MAX, &next), -ENOENT);

	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, PID_MAX_LIMIT - 1), 0);
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, 0, &next), 0);
	KUNIT_EXPECT_EQ(test, next, PID_MAX_LIMIT - 1);
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, PID_MAX_LIMIT, &next), -ENOENT);
	trace_pid_list_free(list);
	trace_pid_list_free(NULL);
}

/* Over the borders of pages, walked in order. */
static void pids_walk(struct kunit *test)
{
	static const unsigned int pids[] = { 1, 63, 64, 4095, 32767 };
	struct trace_pid_list *list = trace_pid_list_alloc();
	unsigned int pid = 0, next = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, list);
	for (i = ARRAY_SIZE(pids) - 1; i >= 0; i--)
		KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, pids[i]), 0);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		KUNIT_ASSERT_EQ(test, trace_pid_list_next(list, pid, &next), 0);
		KUNIT_EXPECT_EQ(test, next, pids[i]);
		/* A member is its own next. */
		KUNIT_ASSERT_EQ(test, trace_pid_list_next(list, next, &next), 0);
		KUNIT_EXPECT_EQ(test, next, pids[i]);
		pid = next + 1;
	}
	KUNIT_EXPECT_EQ(test, trace_pid_list_next(list, pid, &next), -ENOENT);
	trace_pid_list_free(list);
}

/* Spare pages come back: more pages than there are spares. */
static void pids_refill(struct kunit *test)
{
	struct trace_pid_list *list = trace_pid_list_alloc();
	unsigned int step = PAGE_SIZE * BITS_PER_BYTE;
	unsigned int pid;
	int tries, ret = 0;

	KUNIT_ASSERT_NOT_NULL(test, list);
	for (pid = 0; pid < min(PID_MAX_LIMIT, 16 * step); pid += step) {
		for (tries = 0; tries < 1000; tries++) {
			ret = trace_pid_list_set(list, pid);
			if (ret != -ENOMEM)
				break;
			schedule_timeout_uninterruptible(1);
		}
		KUNIT_EXPECT_EQ(test, ret, 0);
		KUNIT_EXPECT_TRUE(test, trace_pid_list_is_set(list, pid));
	}
	trace_pid_list_free(list);
}

/*
 * A caller that may sleep gets memory for ids all over the range, without waiting for spares.
 */
static void pids_prepared(struct kunit *test)
{
	struct trace_pid_list *list = trace_pid_list_alloc();
	unsigned int step = PAGE_SIZE * BITS_PER_BYTE;
	unsigned int pid, nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, list);
	for (pid = 7; pid < PID_MAX_LIMIT; pid += step, nr++) {
		KUNIT_EXPECT_EQ(test, trace_pid_list_prepare(list, pid), 0);
		KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, pid));
		KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, pid), 0);
		KUNIT_EXPECT_TRUE(test, trace_pid_list_is_set(list, pid));
	}
	KUNIT_EXPECT_GE(test, nr, PID_MAX_LIMIT / step);
	KUNIT_EXPECT_EQ(test, trace_pid_list_prepare(list, PID_MAX_LIMIT), -EINVAL);
	/* An id that is set stays set. */
	KUNIT_EXPECT_EQ(test, trace_pid_list_prepare(list, 7), 0);
	KUNIT_EXPECT_TRUE(test, trace_pid_list_is_set(list, 7));
	trace_pid_list_free(list);
}

/*
 * Two forks have taken the spares for the same ids, and the work item has made new ones. The page
 * of the second one cannot be freed in the fork, as that may sleep on PREEMPT_RT.
 */
static void pids_unused(struct kunit *test)
{
	struct trace_pid_list *list = trace_pid_list_alloc();
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	int count;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, trace_pid_list_prepare(list, 7), 0);
	get_page(page);
	preempt_disable();
	KUNIT_EXPECT_PTR_NE(test, trace_pid_page_give(list, 8, page_address(page)),
			    (unsigned long *)page_address(page));
	count = page_count(page);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, count, 2);
	KUNIT_EXPECT_EQ(test, trace_pid_list_set(list, 8), 0);
	KUNIT_EXPECT_FALSE(test, trace_pid_list_is_set(list, 7));
	trace_pid_list_free(list);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	put_page(page);
}

static struct kunit_case pids_cases[] = {
	KUNIT_CASE(pids_members),
	KUNIT_CASE(pids_limits),
	KUNIT_CASE(pids_walk),
	KUNIT_CASE(pids_refill),
	KUNIT_CASE(pids_prepared),
	KUNIT_CASE(pids_unused),
	{}
};

static struct kunit_suite pids_suite = {
	.name		= "trace-lib-pids",
	.test_cases	= pids_cases,
};

/* sequences */

static int seq_test_init(struct kunit *test)
{
	struct trace_seq *s = kunit_kmalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	trace_seq_init(s);
	test->priv = s;
	return 0;
}

static void seq_appends(struct kunit *test)
{
	static const unsigned long mask = 0xa5;
	struct trace_seq *s = test->priv;
	char *room;

	trace_seq_puts(s, "a=");
	trace_seq_printf(s, "%d ", 42);
	trace_seq_putc(s, 'x');
	trace_seq_putmem(s, "yz", 2);
	trace_seq_putc(s, ' ');
	trace_seq_bitmask(s, &mask, 8);
	room = trace_seq_acquire(s, 3);
	KUNIT_ASSERT_NOT_NULL(test, room);
	memcpy(room, " ok", 3);
	trace_seq_putc(s, 0);
	KUNIT_EXPECT_FALSE(test, trace_seq_has_overflowed(s));
	KUNIT_EXPECT_STREQ(test, s->buffer, "a=42 xyz a5 ok");
}

static void seq_hex(struct kunit *test)
{
	struct trace_seq *s = test->priv;
	u32 number = 0x12345678;

	trace_seq_putmem_hex(s, &number, sizeof(number));
	trace_seq_putc(s, 0);
	KUNIT_EXPECT_STREQ(test, s->buffer, "12345678 ");
}

static void seq_fill(struct trace_seq *s, unsigned int left)
{
	unsigned int len = TRACE_SEQ_BUFFER_SIZE - left - trace_seq_used(s);

	memset(trace_seq_acquire(s, len), '.', len);
}

/* A text that does not fit leaves no part of it, and no text follows. */
static void seq_all_or_nothing(struct kunit *test)
{
	static const u32 number = 0x12345678;
	struct trace_seq *s = test->priv;
	unsigned int used;
	char *room;
	int i;

	for (i = 0; i < 8; i++) {
		trace_seq_init(s);
		seq_fill(s, 4);
		used = trace_seq_used(s);
		switch (i) {
		case 0:
			trace_seq_puts(s, "12345");
			break;
		case 1:
			trace_seq_printf(s, "%d", 12345);
			break;
		case 2:
			trace_seq_putmem(s, "12345", 5);
			break;
		case 3:
			trace_seq_putmem_hex(s, &number, sizeof(number));
			break;
		case 4:
			room = trace_seq_acquire(s, 5);
			KUNIT_ASSERT_NOT_NULL(test, room);
			memset(room, 'x', 5);
			break;
		case 5:
			KUNIT_EXPECT_EQ(test, trace_seq_hex_dump(s, "", DUMP_PREFIX_NONE, 16,
								 1, "12345", 5, false), 0);
			break;
		case 6:
			trace_seq_bprintf(s, "12345", &number);
			break;
		case 7:
			KUNIT_EXPECT_NULL(test, trace_seq_acquire(s, sizeof(*s)));
			break;
		}
		KUNIT_EXPECT_EQ_MSG(test, trace_seq_used(s), used, "case %d", i);
		KUNIT_EXPECT_TRUE_MSG(test, trace_seq_has_overflowed(s), "case %d", i);
		trace_seq_putc(s, 'x');
		KUNIT_EXPECT_EQ_MSG(test, trace_seq_used(s), used, "case %d", i);
	}
	trace_seq_init(s);
	seq_fill(s, 4);
	trace_seq_puts(s, "1234");
	KUNIT_EXPECT_FALSE(test, trace_seq_has_overflowed(s));
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), TRACE_SEQ_BUFFER_SIZE);
}

static void seq_user(struct kunit *test)
{
	struct trace_seq *s = test->priv;
	char __user *ubuf;
	char back[8] = {};
	unsigned long addr;

	addr = kunit_vm_mmap(test, NULL, 0, UBUF_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, addr, 0UL);
	ubuf = (char __user *)addr;

	KUNIT_EXPECT_EQ(test, trace_seq_to_user(s, ubuf, 4), -EBUSY);
	trace_seq_puts(s, "hello!");
	KUNIT_EXPECT_EQ(test, trace_seq_to_user(s, ubuf, 0), 0);
	KUNIT_EXPECT_EQ(test, trace_seq_to_user(s, ubuf, 4), 4);
	KUNIT_EXPECT_EQ(test, trace_seq_to_user(s, ubuf + 4, 4), 2);
	KUNIT_EXPECT_EQ(test, trace_seq_to_user(s, ubuf, 4), -EBUSY);
	KUNIT_ASSERT_EQ(test, copy_from_user(back, ubuf, 6), 0UL);
	KUNIT_EXPECT_STREQ(test, back, "hello!");

	trace_seq_puts(s, "more");
	KUNIT_EXPECT_EQ(test, trace_seq_to_user(s, (char __user *)8, 4), -EFAULT);
	KUNIT_EXPECT_EQ(test, trace_seq_to_user(s, ubuf, 4), 4);
}

static struct kunit_case seq_cases[] = {
	KUNIT_CASE(seq_appends),
	KUNIT_CASE(seq_hex),
	KUNIT_CASE(seq_all_or_nothing),
	KUNIT_CASE(seq_user),
	{}
};

static struct kunit_suite seq_suite = {
	.name		= "trace-lib-seq",
	.init		= seq_test_init,
	.test_cases	= seq_cases,
};

/* the clock */

static bool clock_is_between(void)
{
	u64 before = trace_clock_called(), quick = trace_clock_quick();

	return before <= quick && quick <= trace_clock_called();
}

/* It is the clock that it copies: where no copy may be made, where one is, and behind that. */
static void clock_quick(struct kunit *test)
{
	bool without, copying, copied;
	unsigned long flags;

	preempt_disable();
	local_irq_save(flags);
	without = clock_is_between();
	local_irq_restore(flags);
	copying = clock_is_between();
	local_irq_save(flags);
	copied = clock_is_between();
	local_irq_restore(flags);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, without);
	KUNIT_EXPECT_TRUE(test, copying);
	KUNIT_EXPECT_TRUE(test, copied);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(clock_quick),
	{}
};

static struct kunit_suite clock_suite = {
	.name		= "trace-lib-clock",
	.test_cases	= clock_cases,
};

kunit_test_suites(&words_suite, &glob_suite, &pids_suite, &seq_suite, &clock_suite);

MODULE_DESCRIPTION("KUnit tests of the trace helpers");
MODULE_LICENSE("GPL");
