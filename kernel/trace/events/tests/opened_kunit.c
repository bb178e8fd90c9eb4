// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the files of events as programs of users open, read and write them. They take texts and
 * refuse others, and say so when their event or their instance has gone.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/poll.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/filter/apply.h"
#include "events/tests/pretend.h"
#include "instance/buffers.h"
#include "instance/file.h"
#include "lib/one_cpu.h"
#include "lib/user_files.h"

#define SYSTEM	"events/kunit_files/"
#define ONE	SYSTEM "one/"
#define TWO	SYSTEM "two/"

struct opened_env {
	struct user_files	*files;
	struct pretended	*one, *two;
};

static void opened_clean(void *data)
{
	struct trace_array *tr = trace_top_instance();

	trace_array_set_clr_event(tr, "kunit_files", NULL, false);
	trace_array_reset(tr);
}

static int opened_init(struct kunit *test)
{
	struct opened_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	test->priv = env;
	test_on_one_cpu(test);
	KUNIT_ASSERT_EQ(test, trace_array_expand(trace_top_instance()), 0);
	env->one = pretend_added(test, "kunit_files", "one");
	env->two = pretend_added(test, "kunit_files", "two");
	env->files = user_files_mount(test, "tracefs");
	return kunit_add_action_or_reset(test, opened_clean, NULL);
}

static void opened_reads(struct kunit *test, const char *name, const char *text)
{
	struct opened_env *env = test->priv;

	user_files_expect(env->files, name, text);
}

static void opened_has(struct kunit *test, const char *name, const char *text)
{
	struct opened_env *env = test->priv;

	user_files_expect_part(env->files, name, text);
}

/* @ret: 0 or the errno of the write. */
static void opened_write(struct kunit *test, const char *name, const char *text, int ret)
{
	struct opened_env *env = test->priv;

	user_files_expect_write(env->files, name, text, ret);
}

/* A text of @size letters. */
static const char *opened_long(struct kunit *test, size_t size)
{
	char *text = kunit_kmalloc(test, size + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'x', size);
	text[size] = '\0';
	return text;
}

static void events_are_switched(struct kunit *test)
{
	static const char * const wrong[] = { "", "2", "x", "-1", "1 0" };

	opened_reads(test, ONE "enable", "0\n");
	opened_reads(test, SYSTEM "enable", "0\n");
	opened_write(test, ONE "enable", "1\n", 0);
	opened_reads(test, ONE "enable", "1\n");
	opened_reads(test, SYSTEM "enable", "X\n");
	opened_has(test, "events/enable", "X\n");
	opened_has(test, "set_event", "kunit_files:one\n");
	opened_write(test, SYSTEM "enable", "1", 0);
	opened_reads(test, TWO "enable", "1\n");
	opened_reads(test, SYSTEM "enable", "1\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		opened_write(test, ONE "enable", wrong[i], -EINVAL);
		opened_write(test, SYSTEM "enable", wrong[i], -EINVAL);
		opened_write(test, "events/enable", wrong[i], -EINVAL);
	}
	opened_reads(test, SYSTEM "enable", "1\n");
	opened_write(test, SYSTEM "enable", "0", 0);
	opened_reads(test, ONE "enable", "0\n");
	opened_reads(test, SYSTEM "enable", "0\n");
	opened_write(test, "events/kunit_files/nosuch/enable", "1", -ENOENT);
}

static void events_are_described(struct kunit *test)
{
	struct opened_env *env = test->priv;

	opened_has(test, ONE "format", "name: one\nID: ");
	opened_has(test, ONE "format", "\tfield:int num;\t");
	opened_has(test, ONE "format", "print fmt: \"%d\", REC->num\n");
	opened_has(test, "events/header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;");
	opened_has(test, "events/header_event", "# compressed entry header\n");
	/* The file is longer than what the helper reads: the first part. */
	KUNIT_EXPECT_NOT_NULL(test, strchr(user_files_read(env->files, "available_events"), ':'));
	KUNIT_EXPECT_NOT_NULL(test, strchr(user_files_read(env->files, "eval_map"), '('));
	/* Root may open them, and cannot write. */
	opened_write(test, ONE "format", "x", -EINVAL);
	opened_write(test, "available_events", "x", -EINVAL);
}

static void filters_are_written(struct kunit *test)
{
	opened_reads(test, ONE "filter", "none\n");
	opened_write(test, ONE "filter", opened_long(test, TRACE_EVENT_FILTER_MAX), -EINVAL);
	opened_write(test, SYSTEM "filter", opened_long(test, TRACE_EVENT_FILTER_MAX), -EINVAL);
	opened_reads(test, ONE "filter", "none\n");
	opened_write(test, ONE "filter", "num == 3\n", 0);
	opened_reads(test, ONE "filter", "num == 3\n");
	opened_has(test, "show_event_filters", "kunit_files:one\tnum == 3\n");
	opened_write(test, ONE "filter", "nosuch == 3", -EINVAL);
	opened_has(test, ONE "filter", "nosuch == 3\n      ^\nparse_error: Field not found\n");
	opened_has(test, ONE "filter", "### in force ###\nnum == 3\n");
	opened_has(test, "error_log", "event filter parse error: error: Field not found\n"
	    "  Command: nosuch == 3\n                  ^\n");
	opened_write(test, ONE "filter", "0", 0);
	opened_reads(test, ONE "filter", "none\n");

	opened_has(test, SYSTEM "filter", "### global filter ###\n");
	opened_write(test, SYSTEM "filter", "num > 5", 0);
	opened_reads(test, TWO "filter", "num > 5\n");
	opened_write(test, SYSTEM "filter", "nosuch > 5", -EINVAL);
	opened_has(test, SYSTEM "filter", "nosuch > 5\n");
	opened_reads(test, TWO "filter", "num > 5\n");
	opened_write(test, SYSTEM "filter", "0", 0);
	opened_has(test, SYSTEM "filter", "### global filter ###\n");
	opened_reads(test, TWO "filter", "none\n");
}

static void triggers_are_written(struct kunit *test)
{
	struct opened_env *env = test->priv;
	struct file *file;

	opened_has(test, ONE "trigger", "# Available triggers:\n# ");
	opened_write(test, ONE "trigger", "", 0);
	opened_write(test, ONE "trigger", opened_long(test, PAGE_SIZE), -EINVAL);
	opened_write(test, ONE "trigger", " \ttraceoff:3\n", 0);
	opened_reads(test, ONE "trigger", "traceoff:count=3\n");
	opened_has(test, "show_event_triggers", "kunit_files:one\ttraceoff:count=3\n");
	opened_write(test, ONE "trigger", "traceon:2", -EEXIST);
	opened_write(test, ONE "trigger", "stacktrace if", -EINVAL);
	opened_reads(test, ONE "trigger", "traceoff:count=3\n");

	file = user_files_open(env->files, ONE "trigger", O_WRONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, vfs_llseek(file, 5, SEEK_SET), 0);
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, file, "!traceoff"), 9);
	KUNIT_EXPECT_EQ(test, vfs_llseek(file, 5, SEEK_SET), 9);
	user_files_close(file);
	file = user_files_open(env->files, ONE "trigger", O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_GT(test, user_file_read(env->files, file), 10);
	KUNIT_EXPECT_EQ(test, vfs_llseek(file, 2, SEEK_SET), 2);
	KUNIT_EXPECT_GT(test, user_file_read(env->files, file), 8);
	KUNIT_EXPECT_TRUE(test, strstarts(env->files->text, "Available"));
	user_files_close(file);
}

static void records_are_injected(struct kunit *test)
{
	unsigned long before = pretended_records(trace_top_instance());

	opened_reads(test, ONE "inject", "-EPERM");
	opened_write(test, ONE "inject", opened_long(test, PAGE_SIZE), -EINVAL);
	opened_write(test, ONE "inject", "nosuch=3", -ENOENT);
	opened_write(test, ONE "inject", "num=3x", -EINVAL);
	opened_write(test, ONE "inject", "num=\"3\"", -EINVAL);
	KUNIT_EXPECT_EQ(test, pretended_records(trace_top_instance()), before);
	opened_write(test, ONE "inject", "num=3 text=\"abc\"\n", 0);
	KUNIT_EXPECT_EQ(test, pretended_records(trace_top_instance()), before + 1);
}

/* The list of set_event, and what a write to it leaves for the next one. */
static void set_event_is_a_list(struct kunit *test)
{
	struct opened_env *env = test->priv;
	struct file *file;

	KUNIT_ASSERT_EQ(test, user_files_empty(env->files, "set_event"), 0);
	opened_reads(test, "set_event", "");
	file = user_files_open(env->files, "set_event", O_WRONLY | O_APPEND);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	/* A word a call. */
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, file, "kunit_files:one kunit_files:two"),
			16);
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, file, ""), 0);
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, file, "kunit_files:nosuch"), -EINVAL);
	KUNIT_EXPECT_LT(test, user_file_write(env->files, file, opened_long(test, 1000)), 0);
	user_files_close(file);
	opened_reads(test, "set_event", "kunit_files:one\n");
	opened_write(test, "set_event", ":mod:kunit_no_module", 0);
	opened_reads(test, "set_event", "kunit_files:one\n*:*:mod:kunit_no_module\n");
	opened_write(test, "set_event", "!:mod:kunit_no_module", 0);
	opened_write(test, "set_event", "kunit_files:", 0);
	file = user_files_open(env->files, "set_event", O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, vfs_llseek(file, 16, SEEK_SET), 16);
	KUNIT_EXPECT_EQ(test, user_file_read(env->files, file), 16);
	/* The event that came last is the first. */
	KUNIT_EXPECT_STREQ(test, env->files->text, "kunit_files:one\n");
	user_files_close(file);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "set_event"), 0);
	opened_reads(test, TWO "enable", "0\n");
}

static void systems_are_switched_at_once(struct kunit *test)
{
	opened_write(test, "set_event_at_once", "nosuch", -EINVAL);
	opened_write(test, "set_event_at_once", "", -EINVAL);
	opened_write(test, "set_event_at_once", opened_long(test, 1000), -EINVAL);
	opened_write(test, "set_event_at_once", " kunit_files\n", 0);
	opened_reads(test, SYSTEM "enable", "1\n");
	opened_has(test, "trace", "events of kunit_files: begin\n");
	opened_has(test, "trace", "events of kunit_files: are on\n");
	opened_write(test, "set_event_at_once", "!kunit_files", 0);
	opened_reads(test, SYSTEM "enable", "0\n");
	opened_has(test, "trace", "events of kunit_files: end\n");
	opened_has(test, "trace", "events of kunit_files: are off\n");
	opened_reads(test, "set_event_at_once", "-EINVAL");
}

static void pids_are_written(struct kunit *test)
{
	struct opened_env *env = test->priv;

	opened_write(test, "set_event_pid", "3 1\n", 0);
	opened_reads(test, "set_event_pid", "1\n3\n");
	opened_write(test, "set_event_pid", "5 x", -EINVAL);
	opened_reads(test, "set_event_pid", "1\n3\n");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "set_event_pid"), 0);
	opened_reads(test, "set_event_pid", "");
}

static const char * const files_of_event[] = {
	ONE "enable", ONE "filter", ONE "trigger", ONE "format", ONE "hist", ONE "hist_debug",
	ONE "inject",
};

/* Files that are open when their event goes. */
static void files_of_events_that_go(struct kunit *test)
{
	struct file *file[ARRAY_SIZE(files_of_event)];
	struct opened_env *env = test->priv;
	struct poll_table_struct wait = { };

	for (unsigned int i = 0; i < ARRAY_SIZE(file); i++) {
		const char *name = files_of_event[i];

		file[i] = user_files_open(env->files, name, O_RDWR);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file[i]), "%s", name);
	}
	KUNIT_EXPECT_EQ(test, vfs_poll(file[4], &wait), 0);
	KUNIT_ASSERT_EQ(test, pretend_remove(env->one), 0);
	KUNIT_EXPECT_EQ(test, vfs_poll(file[4], &wait), EPOLLERR);
	for (unsigned int i = 0; i < ARRAY_SIZE(file); i++) {
		bool writes = file[i]->f_op->write;

		KUNIT_EXPECT_EQ_MSG(test, user_file_read(env->files, file[i]),
				    i == 6 ? -EPERM : -ENODEV, "%s", files_of_event[i]);
		KUNIT_EXPECT_EQ_MSG(test, user_file_write(env->files, file[i], "1"),
				    writes ? -ENODEV : -EINVAL, "%s", files_of_event[i]);
		user_files_close(file[i]);
		opened_reads(test, files_of_event[i], "-ENOENT");
	}
}

/* The files of a system that goes with its last event. */
static void files_of_systems_that_go(struct kunit *test)
{
	struct opened_env *env = test->priv;
	struct file *enable = user_files_open(env->files, SYSTEM "enable", O_RDWR);
	struct file *filter = user_files_open(env->files, SYSTEM "filter", O_RDWR);

	KUNIT_ASSERT_FALSE(test, IS_ERR(enable));
	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	opened_write(test, SYSTEM "filter", "nosuch", -EINVAL);
	KUNIT_ASSERT_EQ(test, pretend_remove(env->one), 0);
	KUNIT_ASSERT_EQ(test, pretend_remove(env->two), 0);
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, filter, "num > 1"), -ENODEV);
	KUNIT_EXPECT_GT(test, user_file_read(env->files, filter), 0);
	KUNIT_EXPECT_TRUE(test, strstarts(env->files->text, "### global filter ###"));
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, enable, "1"), -EINVAL);
	user_files_close(enable);
	user_files_close(filter);
	opened_reads(test, SYSTEM "enable", "-ENOENT");
}

/* A file of an event keeps the instance; one that tells what the event is does not. */
static void files_of_instances(struct kunit *test)
{
	static const char * const keep[] = { "enable", "filter", "trigger", "hist" };
	static const char dir[] = "instances/kunit_files/" ONE;
	struct opened_env *env = test->priv;
	struct file *file;
	char name[80];

	KUNIT_ASSERT_EQ(test, trace_instance_mkdir("kunit_files"), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(keep); i++) {
		snprintf(name, sizeof(name), "%s%s", dir, keep[i]);
		file = user_files_open(env->files, name, O_RDONLY);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s", name);
		scoped_guard(trace_instances)
			KUNIT_EXPECT_EQ(test, trace_instance_remove("kunit_files"), -EBUSY);
		user_files_close(file);
	}
	snprintf(name, sizeof(name), "%sformat", dir);
	file = user_files_open(env->files, name, O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_instance_remove("kunit_files"), 0);
	KUNIT_EXPECT_EQ(test, user_file_read(env->files, file), -ENODEV);
	user_files_close(file);
	opened_reads(test, ONE "enable", "0\n");
}

#define NEWS	"instances/kunit_files/"

/* An interrupt tells of it, which comes soon. */
static void opened_comes(struct kunit *test, const char *name, const char *text)
{
	unsigned long end = jiffies + 60 * HZ;
	struct opened_env *env = test->priv;

	while (!strstr(user_files_read(env->files, name), text) && time_before(jiffies, end))
		msleep(20);
	opened_has(test, name, text);
}

/* A buffer tells of its own pages, losses and snapshots by events. */
static void buffers_tell_of_themselves(struct kunit *test)
{
	struct opened_env *env = test->priv;
	const char *text = opened_long(test, 1000);

	KUNIT_ASSERT_EQ(test, trace_instance_mkdir("kunit_files"), 0);
	opened_write(test, NEWS "buffer_size_kb", "16", 0);
	opened_write(test, NEWS "events/tracer/page_full/enable", "1", 0);
	for (int i = 0; i < 6; i++)
		opened_write(test, NEWS "trace_marker", text, 0);
	opened_comes(test, NEWS "trace", " page_full: cpu=");
	opened_write(test, NEWS "events/tracer/enable", "0", 0);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, NEWS "trace"), 0);

	opened_write(test, NEWS "events/tracer/lost/enable", "1", 0);
	for (int i = 0; i < 40; i++)
		opened_write(test, NEWS "trace_marker", text, 0);
	opened_comes(test, NEWS "trace", " lost: cpu=");
	opened_has(test, NEWS "trace", " dropped=0\n");
	opened_write(test, NEWS "events/tracer/lost/enable", "0", 0);
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, NEWS "trace"), 0);
	opened_write(test, NEWS "events/tracer/snapshot/enable", "1", 0);
	opened_write(test, NEWS "snapshot", "1", 0);
	opened_comes(test, NEWS "trace", " snapshot: cpu=");
#endif
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_instance_remove("kunit_files"), 0);
}

/* Words for modules that are not there stand on the list until they are taken back. */
static void pending_events_come_and_go(struct kunit *test)
{
	struct opened_env *env = test->priv;

	opened_write(test, "set_event", "kunit_files:*:mod:kunit_no_module", 0);
	opened_write(test, "set_event", ":mod:kunit_other_module", 0);
	opened_has(test, "set_event", "kunit_files:*:mod:kunit_no_module\n");
	opened_has(test, "set_event", "*:*:mod:kunit_other_module\n");
	opened_write(test, "set_event", "!kunit_files:*:mod:kunit_no_module", 0);
	opened_reads(test, "set_event", "*:*:mod:kunit_other_module\n");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "set_event"), 0);
	opened_reads(test, "set_event", "");
}

static struct kunit_case opened_cases[] = {
	KUNIT_CASE(buffers_tell_of_themselves),
	KUNIT_CASE(pending_events_come_and_go),
	KUNIT_CASE(events_are_switched),
	KUNIT_CASE(events_are_described),
	KUNIT_CASE(filters_are_written),
	KUNIT_CASE(triggers_are_written),
	KUNIT_CASE(records_are_injected),
	KUNIT_CASE(set_event_is_a_list),
	KUNIT_CASE(systems_are_switched_at_once),
	KUNIT_CASE(pids_are_written),
	KUNIT_CASE(files_of_events_that_go),
	KUNIT_CASE(files_of_systems_that_go),
	KUNIT_CASE(files_of_instances),
	{}
};

static struct kunit_suite opened_suite = {
	.name		= "trace_event_files",
	.init		= opened_init,
	.test_cases	= opened_cases,
};

kunit_test_suite(opened_suite);

MODULE_DESCRIPTION("KUnit tests of the files of events");
MODULE_LICENSE("GPL");
