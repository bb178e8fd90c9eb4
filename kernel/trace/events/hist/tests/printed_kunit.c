// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: texts of "hist", "hist_debug" and "trace" for histograms and synthetic events with all
 * kinds of keys, values and fields.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/hist/internal.h"
#include "events/tests/pretend.h"
#include "instance/buffers.h"
#include "lib/one_cpu.h"
#include "lib/user_files.h"

#define ONE	"events/kunit_printed/one/"
#define TWO	"events/kunit_printed/two/"
#define SYNTH	"events/synthetic/kunit_printed/"

struct printed_env {
	struct user_files	*files;
	struct trace_event_file	*one, *two;
};

static void printed_clean(void *data)
{
	struct trace_array *tr = trace_top_instance();
	struct printed_env *env = data;

	/* Triggers that a failed test has left. */
	trace_trigger_truncate(env->two);
	trace_trigger_truncate(env->one);
	trace_array_set_clr_event(tr, "synthetic", NULL, false);
	synth_event_delete("kunit_printed");
	trace_array_reset(tr);
}

static int printed_init(struct kunit *test)
{
	struct printed_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_NOT_NULL(test, env);
	test->priv = env;
	test_on_one_cpu(test);
	KUNIT_ASSERT_EQ(test, trace_array_expand(tr), 0);
	trace_array_on(tr);
	trace_array_reset(tr);
	env->one = pretended_file(tr, pretend_added(test, "kunit_printed", "one"));
	env->two = pretended_file(tr, pretend_added(test, "kunit_printed", "two"));
	env->files = user_files_mount(test, "tracefs");
	return kunit_add_action_or_reset(test, printed_clean, env);
}

static void printed_write(struct kunit *test, const char *name, const char *text)
{
	struct printed_env *env = test->priv;

	KUNIT_ASSERT_EQ_MSG(test, user_files_write(env->files, name, text), 0, "%s", text);
}

static void printed_has(struct kunit *test, const char *name, const char *text)
{
	struct printed_env *env = test->priv;

	user_files_expect_part(env->files, name, text);
}

static const struct {
	const char	*text, *shown;
} printed_numbers[] = {
	{ "hist:keys=num.hex", "{ num: 1e } hitcount:          2\n" },
	{ "hist:keys=num.sym", "{ num: [1e] 0x1e " },
	{ "hist:keys=num.sym-offset", "{ num: [1e] 0x1e " },
	{ "hist:keys=num.syscall", "[ 30] }" },
	{ "hist:keys=num.log2", "{ num: ~ 2^5  }" },
	{ "hist:keys=num.buckets=8", "{ num: ~ 24-31 }" },
	{ "hist:keys=common_pid.execname", "{ common_pid: kunit_try_catch [" },
	{ "hist:keys=common_cpu", "{ common_cpu: " },
	{ "hist:keys=text", "{ text: xxx " },
	{ "hist:keys=common_stacktrace", "{ common_stacktrace:\n" },
	{ "hist:keys=num:vals=num.hex", " hitcount:          2  num:         3c\n" },
	{ "hist:keys=num:vals=num.percent", " num (%): 100.00\n" },
	{ "hist:keys=num:vals=num.graph", " num: ####################\n" },
	{ "hist:keys=num:vals=hitcount.percent", " hitcount (%): 100.00\n" },
	{ "hist:keys=num:vals=num.max,num.min", "num.max:         30 " },
	{ "hist:keys=text,num:sort=text,num.descending", "{ text: xxx " },
};

static void numbers_are_shown(struct kunit *test)
{
	struct printed_env *env = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(printed_numbers); i++) {
		unsigned int hits = 2;

		printed_write(test, ONE "trigger", printed_numbers[i].text);
		/* From one place, so that both have the same stack. */
		OPTIMIZER_HIDE_VAR(hits);
		while (hits--)
			KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, 30, 4));
		printed_has(test, ONE "hist", printed_numbers[i].shown);
		printed_has(test, ONE "hist", "\n    Hits: 2\n    Entries: 1\n    Dropped: 0\n");
		KUNIT_EXPECT_EQ(test, user_files_empty(env->files, ONE "trigger"), 0);
	}
	printed_has(test, ONE "trigger", "# Available triggers:");
}

/* A share of nothing. */
static void no_total_is_an_error(struct kunit *test)
{
	struct printed_env *env = test->priv;

	printed_write(test, ONE "trigger", "hist:keys=text:vals=num.percent,num.graph");
	KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, 0, 4));
	printed_has(test, ONE "hist", " num (%):[ERROR]  num:                     \n");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, ONE "trigger"), 0);
}

#ifdef CONFIG_TRACER_SNAPSHOT
/* A snapshot tells which hit has taken it; a smaller value takes none. */
static void snapshots_are_told(struct kunit *test)
{
	static const char * const handlers[] = { "onmax", "onchange" };
	struct printed_env *env = test->priv;
	char text[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(handlers); i++) {
		const char *value = i ? "onchange($y) }:          5" : "onmax($y) }:          9";

		snprintf(text, sizeof(text), "hist:keys=common_cpu:y=num:%s($y).snapshot()",
			 handlers[i]);
		printed_write(test, ONE "trigger", text);
		printed_has(test, ONE "hist", "    Hits: 0\n");
		for (int num = 1; num < 10; num += 4) {
			KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, num, 0));
			KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, num, 0));
		}
		KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, 5, 0));
		printed_has(test, ONE "hist", "\nSnapshot taken (see tracing/snapshot).  Details:\n"
			    "\ttriggering value { ");
		printed_has(test, ONE "hist", value);
		printed_has(test, ONE "hist", "\ttriggered by event with key: { common_cpu: ");
		KUNIT_EXPECT_EQ(test, user_files_empty(env->files, ONE "trigger"), 0);
	}
	printed_write(test, "snapshot", "0");
}
#endif

/* All types of fields, as numbers and texts. */
static void synthetic_records_are_printed(struct kunit *test)
{
	struct printed_env *env = test->priv;

	printed_write(test, "synthetic_events",
		      "kunit_printed u64 a; s32 b; gfp_t c; char d[8]; char e[]; long[] f; bool g");
	printed_has(test, SYNTH "format",
		    "print fmt: \"a=%llu, b=%d, c=%x, d=%s, e=%s, f=%s, g=%d\", REC->a, REC->b, "
		    "REC->c, REC->d, __get_str(e), __get_stacktrace(f), REC->g\n");
	printed_write(test, SYNTH "inject", "a=0x10 b=-3 c=0x400 d=\"abc\" e='text' g=1");
	printed_has(test, "trace", "kunit_printed: a=16 b=-3 c=400 (__GFP_DIRECT_RECLAIM) d=abc"
		    " e=text f=STACK:\ng=1\n");
	printed_write(test, "trace_options", "verbose");
	printed_has(test, "trace", "kunit_printed: %llu a=16 %d b=-3 ");
	printed_write(test, "trace_options", "noverbose");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "trace"), 0);
}

/* A stack goes from a hit into a record, and is a key of that. UML may know no stack. */
static void stacks_are_passed_on(struct kunit *test)
{
	struct printed_env *env = test->priv;

	printed_write(test, "synthetic_events", "kunit_printed s32 n; unsigned long[] stack");
	printed_write(test, ONE "trigger", "hist:keys=num:n=num,s=common_stacktrace:"
		      "onmax($n).trace(kunit_printed,$n,$s)");
	printed_write(test, SYNTH "trigger", "hist:keys=stack.stacktrace:vals=n");
	printed_write(test, SYNTH "enable", "1");
	KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, 7, 0));
	printed_has(test, "trace", "kunit_printed: n=7 stack=STACK:\n");
	printed_has(test, SYNTH "hist", "{ stack:\n");
	printed_has(test, SYNTH "hist", "} hitcount:          1  n:          7\n");
	printed_write(test, SYNTH "enable", "0");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, SYNTH "trigger"), 0);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, ONE "trigger"), 0);
}

static void parts_are_debugged(struct kunit *test)
{
	struct printed_env *env = test->priv;

	printed_write(test, "synthetic_events", "kunit_printed s32 n");
	printed_write(test, ONE "trigger", "hist:keys=num.hex,text:x=num*2-1 if num > 0");
	printed_write(test, TWO "trigger",
		      "hist:keys=num,text:y=$x:onmatch(kunit_printed.one)."
		      "kunit_printed($y):onchange($y).save(common_pid)");
	printed_has(test, ONE "hist_debug",
		    "# event histogram\n#\n# trigger info: hist:keys=num.hex,text:vals=hitcount:"
		    "x=num*2-1:sort=hitcount:size=2048 if num > 0 [active]\n");
	printed_has(test, ONE "hist_debug", "  readers of variables: 1\n");
	printed_has(test, ONE "hist_debug", "    key: num, field, .hex, 4 bytes, signed, at ");
	printed_has(test, ONE "hist_debug", "    x: num*2-1, expression");
	printed_has(test, ONE "hist_debug", "      -\n");
	printed_has(test, TWO "hist_debug", "  histograms with variables that are read: 1\n");
	printed_has(test, TWO "hist_debug", "      tracked: y, ");
	printed_has(test, TWO "hist_debug", "      argument: common_pid, field");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, TWO "trigger"), 0);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, ONE "trigger"), 0);
}

/* poll() of "hist" tells of hits since the last read. */
static void hits_are_told(struct kunit *test)
{
	struct printed_env *env = test->priv;
	struct poll_table_struct wait = { };
	struct file *file;

	printed_write(test, ONE "trigger", "hist:keys=num");
	file = user_files_open(env->files, ONE "hist", O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, vfs_poll(file, &wait), 0);
	KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, 7, 0));
	KUNIT_EXPECT_EQ(test, vfs_poll(file, &wait), EPOLLIN | EPOLLRDNORM | EPOLLPRI);
	KUNIT_EXPECT_EQ(test, vfs_poll(file, &wait), EPOLLIN | EPOLLRDNORM);
	KUNIT_EXPECT_GT(test, user_file_read(env->files, file), 0);
	KUNIT_EXPECT_EQ(test, vfs_poll(file, &wait), 0);
	/* A file that is read again from its beginning has the hits since. */
	KUNIT_EXPECT_TRUE(test, pretended_hit(env->one, 8, 0));
	KUNIT_EXPECT_EQ(test, vfs_llseek(file, 0, SEEK_SET), 0);
	KUNIT_EXPECT_GT(test, user_file_read(env->files, file), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->files->text, "    Hits: 2\n"));
	user_files_close(file);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, ONE "trigger"), 0);
}

/* A text in trace_marker hits the triggers of ftrace:print. */
static void markers_hit_triggers(struct kunit *test)
{
	struct printed_env *env = test->priv;

	printed_write(test, "events/ftrace/print/trigger", "hist:keys=buf");
	printed_write(test, "trace_marker", "a mark");
	printed_has(test, "events/ftrace/print/hist", "{ buf: a mark");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "events/ftrace/print/trigger"), 0);
	printed_write(test, "events/ftrace/print/trigger", "traceoff if buf ~ \"*stop*\"");
	printed_write(test, "trace_marker", "a mark");
	printed_has(test, "tracing_on", "1\n");
	printed_write(test, "trace_marker", "stop here");
	printed_has(test, "tracing_on", "0\n");
	printed_write(test, "events/ftrace/print/trigger", "!traceoff");
	printed_write(test, "tracing_on", "1");
}

#define TRACKS	"hist:keys=num:y=num:onmax($y)."
#define MATCHES	"hist:keys=num:onmatch(kunit_printed.two).kunit_printed"

static const struct {
	const char	*file, *text;
	int		ret;
	const char	*log;
} printed_wrong[] = {
	{ ONE "trigger", TRACKS "save(num,)", -EINVAL, "Invalid action param" },
	{ ONE "trigger", TRACKS "save($)", -EINVAL, "Invalid action param" },
	{ ONE "trigger", TRACKS "save(num)x", -EINVAL, "No action found" },
	{ ONE "trigger", TRACKS "(num)", -EINVAL, "No action found" },
	{ ONE "trigger", TRACKS "save(num", -EINVAL, "No closing paren found" },
	{ ONE "trigger", "hist:keys=num:y=-(num", -EINVAL, "Couldn't find field" },
	{ ONE "trigger", "hist:keys=num:y=-(num)x", -EINVAL,
	  "Unary minus not supported in sub-expressions" },
	{ ONE "trigger", "hist:keys=num.long=3", -EINVAL, "Invalid field modifier" },
	{ ONE "trigger", "hist:keys=num.buckets=0", -EINVAL, "Invalid field modifier" },
	{ ONE "trigger", "hist:keys=num.buckets", -EINVAL, "Invalid field modifier" },
	{ ONE "trigger", "hist:keys=num:vals=num.sym", -EINVAL, "Invalid field modifier" },
	{ ONE "trigger", "hist:keys=num:vals=text", -EINVAL,
	  "String type can not be an operand in expression" },
	{ ONE "trigger", "hist:keys=num:vals=common_stacktrace", -EINVAL, "Couldn't find field" },
	{ ONE "trigger", MATCHES "(kunit_printed.none.num)", -EINVAL, "Event file not found" },
	{ ONE "trigger", MATCHES "(kunit_printed.two.nosuch)", -EINVAL,
	  "Couldn't create histogram for field" },
	{ ONE "trigger", MATCHES "(num,num)", -EINVAL,
	  "Param type doesn't match synthetic event field type" },
	{ ONE "trigger", MATCHES "(text)", -EINVAL,
	  "Param type doesn't match synthetic event field type" },
	{ ONE "filter", "num == 1)", -EPERM, "Too few '('" },
	{ ONE "filter", "(num == 1", -ENOENT, "Too many '('" },
	{ ONE "filter", "text == \"abc", -ESRCH, "Missing matching quote" },
	{ ONE "filter", "num == \"abc\"", -EINVAL, "Expecting numeric field" },
	{ ONE "filter", "num ~ \"1\"", -EINVAL, "Expecting numeric field" },
	{ ONE "filter", "text > \"1\"", -EINVAL, "Illegal operation for field type" },
	{ ONE "filter", "num.function == 1", -EINVAL, "Illegal operation for field type" },
	{ ONE "filter", "num & CPUS{x}", -EINVAL, "Invalid cpulist" },
	{ ONE "filter", "num & CPUS 1", -EINVAL, "Missing '{'" },
	{ ONE "filter", "num & CPUS{1", -EINVAL, "Missing '}'" },
	{ ONE "filter", "num == 1 num == 2", -EPERM, "Too many terms in predicate expression" },
};

/* A text with an error has its errno and a line in error_log, and changes nothing. */
static void wrong_texts_are_explained(struct kunit *test)
{
	static const char * const listed[] = {
		ONE "trigger", ONE "filter", TWO "trigger", "synthetic_events",
	};
	struct printed_env *env = test->priv;
	char *before[ARRAY_SIZE(listed)];

	printed_write(test, "synthetic_events", "kunit_printed s32 n");
	printed_write(test, TWO "trigger", "hist:keys=num");
	for (unsigned int i = 0; i < ARRAY_SIZE(listed); i++) {
		before[i] = kunit_kstrdup(test, user_files_read(env->files, listed[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, before[i]);
	}
	/* The file "filter" shows what was refused, with the filter in force. */
	printed_write(test, ONE "filter", "num == 77");
	for (unsigned int i = 0; i < ARRAY_SIZE(printed_wrong); i++) {
		const char *text = printed_wrong[i].text;

		KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "error_log"), 0);
		KUNIT_EXPECT_EQ_MSG(test, user_files_write(env->files, printed_wrong[i].file, text),
				    printed_wrong[i].ret, "%s", text);
		printed_has(test, "error_log", printed_wrong[i].log);
		printed_has(test, "show_event_filters", "kunit_printed:one\tnum == 77\n");
	}
	printed_write(test, ONE "filter", "0");
	for (unsigned int i = 0; i < ARRAY_SIZE(listed); i++)
		KUNIT_EXPECT_STREQ(test, user_files_read(env->files, listed[i]), before[i]);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, TWO "trigger"), 0);
}

static struct kunit_case printed_cases[] = {
	KUNIT_CASE(wrong_texts_are_explained),
	KUNIT_CASE(numbers_are_shown),
	KUNIT_CASE(no_total_is_an_error),
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_CASE(snapshots_are_told),
#endif
	KUNIT_CASE(synthetic_records_are_printed),
	KUNIT_CASE(stacks_are_passed_on),
	KUNIT_CASE(parts_are_debugged),
	KUNIT_CASE(hits_are_told),
	KUNIT_CASE(markers_hit_triggers),
	{}
};

static struct kunit_suite printed_suite = {
	.name		= "trace_event_printed",
	.init		= printed_init,
	.test_cases	= printed_cases,
};

kunit_test_suite(printed_suite);

MODULE_DESCRIPTION("KUnit tests of what readers see of histograms and synthetic events");
MODULE_LICENSE("GPL");
