// SPDX-License-Identifier: GPL-2.0
/* Files that a layer above adds to the directories in events/, at boot. From public headers. */
#include <kunit/test.h>
#include <linux/init.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "events/calls.h"
#include "events/file.h"

/* A layer adds its files at boot. Events other than the tests' do not show this one. */
static int pretended_entry(const char *name, umode_t *mode, void **data,
			   const struct file_operations **fops)
{
	return 0;
}

static void pretended_release(const char *name, void *data)
{
}

static const struct {
	struct eventfs_entry	entry;
	int			ret;
} dir_tries[] = {
	{ { "kunit_pretended",	pretended_entry },				0 },
	{ { "kunit_pretended",	pretended_entry },				-EEXIST },
	{ { "enable",		pretended_entry },				-EEXIST },
	{ { "filter",		pretended_entry },				-EEXIST },
	{ { "kunit_release",	pretended_entry, pretended_release },		-EINVAL },
};

static int dir_results[TRACE_EVENT_DIRS][ARRAY_SIZE(dir_tries)];

static int __init dir_try_all(void)
{
	guard(trace_events)();
	for (int dir = 0; dir < TRACE_EVENT_DIRS; dir++)
		for (int i = 0; i < ARRAY_SIZE(dir_tries); i++)
			dir_results[dir][i] = trace_event_dir_add(dir, &dir_tries[i].entry);
	return 0;
}
early_initcall(dir_try_all);

static void directories_are_open_at_boot(struct kunit *test)
{
	for (int dir = 0; dir < TRACE_EVENT_DIRS; dir++) {
		for (int i = 0; i < ARRAY_SIZE(dir_tries); i++) {
			/* events/ itself has no file "filter". */
			if (dir == TRACE_EVENT_DIR_ALL &&
			    !strcmp(dir_tries[i].entry.name, "filter"))
				continue;
			KUNIT_EXPECT_EQ_MSG(test, dir_results[dir][i], dir_tries[i].ret,
					    "%d: %s", dir, dir_tries[i].entry.name);
		}
	}
}

static struct kunit_case dir_cases[] = {
	KUNIT_CASE(directories_are_open_at_boot),
	{ }
};

static struct kunit_suite dir_suite = {
	.name		= "trace-event-dir",
	.test_cases	= dir_cases,
};

kunit_test_suite(dir_suite);
