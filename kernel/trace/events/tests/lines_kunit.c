// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: dynamic_events, dynamic_events_owned and synthetic_events as programs of users write them:
 * lines and their pieces, texts that are refused, and what they leave.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/trace.h>

#include "events/dyn/dyn.h"
#include "instance/buffers.h"
#include "instance/file.h"
#include "lib/user_files.h"

#define LINES_MAX	4094	/* letters of a line, its end is one more */

struct lines_env {
	struct user_files	*files;
	char			text[USER_FILES_TEXT];
};

static void lines_clean(void *data)
{
	trace_array_set_clr_event(trace_top_instance(), "synthetic", NULL, false);
	trace_dyn_events_clear(NULL);
}

static int lines_init(struct kunit *test)
{
	struct lines_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	test->priv = env;
	KUNIT_ASSERT_EQ(test, trace_array_expand(trace_top_instance()), 0);
	KUNIT_ASSERT_EQ(test, trace_dyn_events_clear(NULL), 0);
	env->files = user_files_mount(test, "tracefs");
	return kunit_add_action_or_reset(test, lines_clean, NULL);
}

static void lines_reads(struct kunit *test, const char *name, const char *text)
{
	struct lines_env *env = test->priv;

	user_files_expect(env->files, name, text);
}

static void lines_has(struct kunit *test, const char *name, const char *text)
{
	struct lines_env *env = test->priv;

	user_files_expect_part(env->files, name, text);
}

/* @ret: 0 or the errno of the write. */
static void lines_write(struct kunit *test, const char *name, const char *text, int ret)
{
	struct lines_env *env = test->priv;

	user_files_expect_write(env->files, name, text, ret);
}

static void lines_are_run(struct kunit *test)
{
	lines_write(test, "dynamic_events",
		    "s:lines_a u64 x # y\n\n  # a comment\ns:lines_b u32 y", 0);
	lines_reads(test, "dynamic_events",
		    "s:synthetic/lines_a\tu64 x\ns:synthetic/lines_b\tu32 y\n");
	lines_reads(test, "synthetic_events", "lines_a\tu64 x\nlines_b\tu32 y\n");
	lines_write(test, "synthetic_events", "!lines_a u64 of something\nlines_c char z[]\n", 0);
	lines_reads(test, "synthetic_events", "lines_b\tu32 y\nlines_c\tchar[] z\n");
	/* A line that removes is not undone, and one that adds is. */
	lines_write(test, "synthetic_events", "!lines_b\nlines_d u64 x\nlines_e nosuch x\n",
		    -EINVAL);
	lines_reads(test, "synthetic_events", "lines_c\tchar[] z\n");
	lines_write(test, "synthetic_events", "lines_c u64 x", -EEXIST);
	lines_write(test, "dynamic_events", "-:synthetic/nosuch", -ENOENT);
	lines_write(test, "dynamic_events", "-:synthetic/", 0);
	lines_reads(test, "dynamic_events", "");
}

/* Events that are in use stay, and so do all with them. */
static void used_events_stay(struct kunit *test)
{
	struct lines_env *env = test->priv;

	lines_write(test, "synthetic_events", "lines_a u64 x\nlines_b u64 x", 0);
	lines_write(test, "events/synthetic/lines_a/enable", "1", 0);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "synthetic_events"), -EBUSY);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "dynamic_events"), -EBUSY);
	lines_write(test, "synthetic_events", "!lines_a", -EBUSY);
	lines_reads(test, "synthetic_events", "lines_a\tu64 x\nlines_b\tu64 x\n");
	lines_write(test, "events/synthetic/lines_a/enable", "0", 0);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "synthetic_events"), 0);
	lines_reads(test, "dynamic_events", "");
}

/* A text of several pieces is one change. */
static void long_texts_are_cut_at_lines(struct kunit *test)
{
	struct lines_env *env = test->priv;
	size_t len = 0;
	unsigned int nr;

	for (nr = 0; len < 3 * LINES_MAX; nr++)
		len += snprintf(env->text + len, sizeof(env->text) - len,
				"lines_%u u64 a_field_with_a_name\n", nr);
	lines_write(test, "synthetic_events", env->text, 0);
	snprintf(env->text, sizeof(env->text), "lines_%u\tu64 a_field_with_a_name\n", nr - 1);
	lines_has(test, "synthetic_events", env->text);
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "synthetic_events"), 0);

	/* The longest line, and one that is longer, behind a line that is taken back. */
	len = sprintf(env->text, "lines_a u64 x\n");
	memset(env->text + len, ' ', LINES_MAX + 1);
	memcpy(env->text + len, "lines_b u64 x", 13);
	env->text[len + LINES_MAX] = '\n';
	env->text[len + LINES_MAX + 1] = '\0';
	lines_write(test, "synthetic_events", env->text, 0);
	lines_reads(test, "synthetic_events", "lines_a\tu64 x\nlines_b\tu64 x\n");
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "synthetic_events"), 0);
	env->text[len + LINES_MAX] = ' ';
	env->text[len + LINES_MAX + 1] = '\n';
	env->text[len + LINES_MAX + 2] = '\0';
	lines_write(test, "synthetic_events", env->text, -EINVAL);
	lines_reads(test, "synthetic_events", "");
}

/* As if SIGKILL had come. */
static void lines_kill(bool begin)
{
	if (begin) {
		sigaddset(&current->pending.signal, SIGKILL);
		set_thread_flag(TIF_SIGPENDING);
	} else {
		sigdelset(&current->pending.signal, SIGKILL);
		clear_thread_flag(TIF_SIGPENDING);
	}
}

/* A task that is being killed runs one line, and none of its text stays. */
static void killed_writers_leave_nothing(struct kunit *test)
{
	struct lines_env *env = test->priv;
	struct file *file = user_files_open(env->files, "synthetic_events", O_WRONLY | O_APPEND);
	ssize_t one, two;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	lines_kill(true);
	one = user_file_write(env->files, file, "lines_a u64 x");
	two = user_file_write(env->files, file, "lines_b u64 x\nlines_c u64 x");
	lines_kill(false);
	user_files_close(file);
	KUNIT_EXPECT_EQ(test, one, 13);
	KUNIT_EXPECT_EQ(test, two, -EINTR);
	lines_reads(test, "synthetic_events", "lines_a\tu64 x\n");
}

static void bad_memory_is_refused(struct kunit *test)
{
	static const char * const names[] = {
		"dynamic_events", "dynamic_events_owned", "synthetic_events", "set_event",
		"set_event_pid", "set_event_at_once", "events/enable",
		"events/synthetic/lines_a/trigger", "events/synthetic/lines_a/filter",
		"events/synthetic/lines_a/enable", "events/synthetic/lines_a/inject",
		"events/synthetic/filter", "events/synthetic/enable",
	};
	struct lines_env *env = test->priv;

	lines_write(test, "synthetic_events", "lines_a u64 x", 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		struct file *file = user_files_open(env->files, names[i], O_WRONLY | O_APPEND);
		loff_t pos = 0;

		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s", names[i]);
		/* Nothing is mapped at zero. */
		KUNIT_EXPECT_EQ_MSG(test, vfs_write(file, NULL, 16, &pos), -EFAULT, "%s",
				    names[i]);
		KUNIT_EXPECT_EQ(test, pos, 0);
		user_files_close(file);
	}
	lines_reads(test, "synthetic_events", "lines_a\tu64 x\n");
}

static const struct {
	const char	*line;
	int		ret;
	const char	*log;
} owned_lines[] = {
	{ "i:", -EINVAL, "Instance name is not specified" },
	{ "i: kunit_lines", -EINVAL, "Instance name is not specified" },
	{ "i:kunit/lines", -EINVAL, "Instance name must be that of a folder, without blanks" },
	{ "i:kunit_lines x", -EINVAL, "Instance name must be that of a folder, without blanks" },
	{ "i:.", -EINVAL, "Instance name must be that of a folder, without blanks" },
	{ "i:..", -EINVAL, "Instance name must be that of a folder, without blanks" },
	{ "i:kunit_lines", -EEXIST, "Given instance name is already used" },
	{ "x:kunit_lines", -EINVAL, NULL },
};

static void owned_lines_are_refused(struct kunit *test)
{
	struct lines_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_instance_mkdir("kunit_lines"), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(owned_lines); i++) {
		KUNIT_EXPECT_EQ(test, user_files_empty(env->files, "error_log"), 0);
		lines_write(test, "dynamic_events_owned", owned_lines[i].line, owned_lines[i].ret);
		if (owned_lines[i].log)
			lines_has(test, "error_log", owned_lines[i].log);
	}
	memset(env->text, 'x', NAME_MAX + 3);
	memcpy(env->text, "i:", 2);
	env->text[NAME_MAX + 3] = '\0';
	lines_write(test, "dynamic_events_owned", env->text, -ENAMETOOLONG);
	lines_has(test, "error_log", "dynamic_events_owned: error: Instance name is too long\n");
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_instance_remove("kunit_lines"), 0);
}

/* Closing a file removes all that it has made, and a refused text leaves nothing at once. */
static void owned_goes_with_its_file(struct kunit *test)
{
	static const char dir[] = "instances/kunit_lines/tracing_on";
	static const char text[] = "i:kunit_lines\ns:lines_a u64 x\n";
	struct lines_env *env = test->priv;
	struct file *file = user_files_open(env->files, "dynamic_events_owned", O_RDWR | O_TRUNC);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	lines_write(test, "synthetic_events", "lines_other u64 x", 0);
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, file,
					      "i:kunit_lines\ns:lines_a u64 x\ns:lines_b no x\n"),
			-EINVAL);
	lines_reads(test, dir, "-ENOENT");
	lines_reads(test, "synthetic_events", "lines_other\tu64 x\n");
	KUNIT_EXPECT_EQ(test, user_file_write(env->files, file, text), strlen(text));
	lines_reads(test, "synthetic_events", "lines_other\tu64 x\nlines_a\tu64 x\n");
	KUNIT_EXPECT_EQ(test, vfs_llseek(file, 0, SEEK_SET), 0);
	KUNIT_EXPECT_GT(test, user_file_read(env->files, file), 0);
	KUNIT_EXPECT_STREQ(test, env->files->text, "i:kunit_lines\ns:synthetic/lines_a\tu64 x\n");
	lines_write(test, "instances/kunit_lines/events/synthetic/lines_a/enable", "1", 0);
	/* Others own nothing of it. */
	lines_reads(test, "dynamic_events_owned", "");
	user_files_close(file);
	lines_reads(test, dir, "-ENOENT");
	lines_reads(test, "synthetic_events", "lines_other\tu64 x\n");
}

static struct kunit_case lines_cases[] = {
	KUNIT_CASE(lines_are_run),
	KUNIT_CASE(used_events_stay),
	KUNIT_CASE(long_texts_are_cut_at_lines),
	KUNIT_CASE(killed_writers_leave_nothing),
	KUNIT_CASE(bad_memory_is_refused),
	KUNIT_CASE(owned_lines_are_refused),
	KUNIT_CASE(owned_goes_with_its_file),
	{}
};

static struct kunit_suite lines_suite = {
	.name		= "trace_event_lines",
	.init		= lines_init,
	.test_cases	= lines_cases,
};

kunit_test_suite(lines_suite);

MODULE_DESCRIPTION("KUnit tests of the files of dynamic events");
MODULE_LICENSE("GPL");
