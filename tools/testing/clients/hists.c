// SPDX-License-Identifier: GPL-2.0
/* Histograms. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tracefs.h"

#define EVENT	"sys_enter_umask"

static char *table_of(struct tracefs_instance *instance, struct tracefs_hist *hist)
{
	char *text = tracefs_event_file_read(instance, tracefs_hist_get_system(hist),
					     tracefs_hist_get_event(hist), "hist", NULL);

	if (!text)
		fail("hist cannot be read: %m");
	return text ?: strdup("");
}

/* The table has so many hits, in so many lines. */
static void expect_table(struct tracefs_instance *instance, struct tracefs_hist *hist,
			 const char *what, long hits, long entries)
{
	char *text = table_of(instance, hist), name[80];

	snprintf(name, sizeof(name), "%s: hits", what);
	expect(name, text_number(text, "Hits: "), hits);
	snprintf(name, sizeof(name), "%s: entries", what);
	expect(name, text_number(text, "Entries: "), entries);
	snprintf(name, sizeof(name), "%s: lines", what);
	expect(name, text_lines(text, "\n{ "), entries);
	expect("dropped", text_number(text, "Dropped: "), 0);
	free(text);
}

static struct tracefs_hist *hist_of(const char *event, const char *key,
				    enum tracefs_hist_key_type type)
{
	struct tracefs_hist *hist = tracefs_hist_alloc(tep, "syscalls", event, key, type);

	if (!hist)
		fail("no histogram of %s: %m", key);
	return hist;
}

static void one_filter(struct tracefs_hist *hist)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", self);
	succeeds("filter", tracefs_hist_append_filter(hist, TRACEFS_FILTER_COMPARE, "common_pid",
						      TRACEFS_COMPARE_EQ, pid));
}

/* Begin a histogram of this task, let it see the calls, look at it, and end it. */
static void try_hist(struct tracefs_instance *instance, struct tracefs_hist *hist,
		     const char *what, long entries, const char *line)
{
	char *text;

	one_filter(hist);
	if (!succeeds(what, tracefs_hist_start(instance, hist))) {
		text = tracefs_error_last(instance);
		fail("%s: %s", what, text ?: "");
		free(text);
		return;
	}
	do_calls();
	expect_table(instance, hist, what, CALLS, entries);
	if (line) {
		text = table_of(instance, hist);
		text_has(what, text, line);
		free(text);
	}
	succeeds(what, tracefs_hist_destroy(instance, hist));
	text = tracefs_event_file_read(instance, "syscalls", EVENT, "trigger", NULL);
	text_has("no trigger", text, "# Available triggers:");
	free(text);
	tracefs_hist_free(hist);
}

/* Histograms by one field, each in another form. */
static const struct {
	const char			*key;
	enum tracefs_hist_key_type	type;
	const char			*what;
	long				entries;
	const char			*line;
} one_key[] = {
	{ "mask", TRACEFS_HIST_KEY_NORMAL, "numbers", CALLS,
	  "\n{ mask:         12 } hitcount:          1\n" },
	{ "mask", TRACEFS_HIST_KEY_HEX, "hexadecimal", CALLS,
	  "\n{ mask: c } hitcount:          1\n" },
	/* Up to 1, 2, up to 4, up to 8, more. */
	{ "mask", TRACEFS_HIST_KEY_LOG, "powers of two", 5, "\n{ mask: ~ 2^4 " },
	{ "mask", TRACEFS_HIST_KEY_SYM, "symbols", CALLS, "\n{ mask: [c] 0xc " },
	{ "mask", TRACEFS_HIST_KEY_SYM_OFFSET, "offsets", CALLS, "\n{ mask: [c] 0xc " },
	{ "__syscall_nr", TRACEFS_HIST_KEY_SYSCALL, "calls", 1, "\n{ __syscall_nr: sys_umask " },
	{ "common_pid", TRACEFS_HIST_KEY_EXECNAME, "names", 1, "\n{ common_pid: tracefs " },
};

static void test_keys(struct tracefs_instance *instance)
{
	struct tracefs_hist_axis axes[] = {
		{ "common_pid", TRACEFS_HIST_KEY_NORMAL }, { "mask", TRACEFS_HIST_KEY_HEX }, {},
	};
	struct tracefs_hist_axis_cnt counted[] = {
		{ "mask", TRACEFS_HIST_KEY_BUCKETS, 5 }, { TRACEFS_HIST_CPU, 0, 0 }, {},
	};
	struct tracefs_hist *hist;

	for (unsigned int i = 0; i < ARRAY_SIZE(one_key); i++)
		try_hist(instance, hist_of(EVENT, one_key[i].key, one_key[i].type),
			 one_key[i].what, one_key[i].entries, one_key[i].line);
	try_hist(instance, tracefs_hist_alloc_nd(tep, "syscalls", EVENT, axes), "two keys", CALLS,
		 ", mask: c } hitcount:          1\n");
	try_hist(instance, tracefs_hist_alloc_nd_cnt(tep, "syscalls", EVENT, counted), "buckets",
		 3, "\n{ mask: ~ 10-14,");
	try_hist(instance, tracefs_hist_alloc_2d(tep, "syscalls", EVENT, "common_pid", 0, "mask",
						 TRACEFS_HIST_KEY_LOG), "two and two", 5, NULL);
	hist = hist_of(EVENT, "common_pid", TRACEFS_HIST_KEY_NORMAL);
	succeeds("one more key", tracefs_hist_add_key(hist, "mask", TRACEFS_HIST_KEY_NORMAL));
	succeeds("a third", tracefs_hist_add_key_cnt(hist, "__syscall_nr",
						     TRACEFS_HIST_KEY_BUCKETS, 10));
	try_hist(instance, hist, "three keys", CALLS, NULL);
	/* The library asks the kernel. */
	hist = hist_of(EVENT, "nosuch", TRACEFS_HIST_KEY_NORMAL);
	refused("a field that is not there", tracefs_hist_start(instance, hist), EINVAL);
	tracefs_hist_free(hist);
}

static void test_values(struct tracefs_instance *instance)
{
	struct tracefs_hist *hist = hist_of(EVENT, "common_pid", TRACEFS_HIST_KEY_NORMAL);
	char line[80];

	succeeds("value", tracefs_hist_add_value(hist, "mask"));
	snprintf(line, sizeof(line), "{ common_pid: %10d } hitcount: %10d  mask: %10d\n", self,
		 CALLS, CALLS * (CALLS - 1) / 2);
	try_hist(instance, hist, "the sum of masks", 1, line);
}

/* The masks of the lines, one after the other. */
static void expect_order(struct tracefs_instance *instance, struct tracefs_hist *hist,
			 const char *what, long first, long last)
{
	char *text = table_of(instance, hist), *at, *next;

	expect(what, text_number(text, "{ mask:"), first);
	for (at = text; (next = strstr(at, "{ mask:")); at = next + 1)
		;
	expect(what, at == text ? -1 : atol(at - 1 + strlen("{ mask:")), last);
	free(text);
}

static void test_sort(struct tracefs_instance *instance)
{
	struct tracefs_hist *hist = hist_of(EVENT, "mask", TRACEFS_HIST_KEY_NORMAL);

	succeeds("a value", tracefs_hist_add_value(hist, "__syscall_nr"));
	one_filter(hist);
	succeeds("sort", tracefs_hist_add_sort_key(hist, "mask"));
	succeeds("start", tracefs_hist_start(instance, hist));
	do_calls();
	expect_order(instance, hist, "ascending", 0, CALLS - 1);
	succeeds("end", tracefs_hist_destroy(instance, hist));
	succeeds("direction", tracefs_hist_sort_key_direction(hist, "mask",
							      TRACEFS_HIST_SORT_DESCENDING));
	succeeds("start", tracefs_hist_start(instance, hist));
	do_calls();
	expect_order(instance, hist, "descending", CALLS - 1, 0);
	succeeds("end", tracefs_hist_destroy(instance, hist));
	succeeds("sort by two", tracefs_hist_set_sort_key(hist, TRACEFS_HIST_HITCOUNT,
							  "__syscall_nr", NULL));
	succeeds("start", tracefs_hist_start(instance, hist));
	do_calls();
	expect_table(instance, hist, "by two", CALLS, CALLS);
	succeeds("end", tracefs_hist_destroy(instance, hist));
	tracefs_hist_free(hist);
}

static void test_commands(struct tracefs_instance *instance)
{
	struct tracefs_hist *hist = hist_of(EVENT, "mask", TRACEFS_HIST_KEY_NORMAL);
	struct trace_seq seq;
	char *text;

	succeeds("filter", tracefs_hist_append_filter(hist, TRACEFS_FILTER_COMPARE, "mask",
						      TRACEFS_COMPARE_GE, "9"));
	succeeds("and", tracefs_hist_append_filter(hist, TRACEFS_FILTER_AND, NULL, 0, NULL));
	one_filter(hist);
	succeeds("start", tracefs_hist_start(instance, hist));
	do_calls();
	expect_table(instance, hist, "started", 4, 4);
	succeeds("pause", tracefs_hist_pause(instance, hist));
	do_calls();
	expect_table(instance, hist, "paused", 4, 4);
	text = tracefs_event_file_read(instance, "syscalls", EVENT, "trigger", NULL);
	text_has("trigger", text, " [paused]");
	free(text);
	succeeds("continue", tracefs_hist_continue(instance, hist));
	do_calls();
	expect_table(instance, hist, "continued", 8, 4);
	succeeds("reset", tracefs_hist_reset(instance, hist));
	expect_table(instance, hist, "reset", 0, 0);
	do_calls();
	expect_table(instance, hist, "after the reset", 4, 4);
	succeeds("end", tracefs_hist_destroy(instance, hist));
	succeeds("the end of one that is over", tracefs_hist_destroy(instance, hist));
	trace_seq_init(&seq);
	succeeds("echo", tracefs_hist_echo_cmd(&seq, instance, hist, TRACEFS_HIST_CMD_START));
	trace_seq_terminate(&seq);
	text_has("the command", seq.buffer, "hist:keys=mask");
	text_has("the command", seq.buffer, "mask >= 9");
	trace_seq_destroy(&seq);
	tracefs_hist_free(hist);
}

/* One table for two events. */
static void test_named(struct tracefs_instance *instance)
{
	struct tracefs_hist *one = hist_of(EVENT, "common_pid", TRACEFS_HIST_KEY_NORMAL);
	struct tracefs_hist *two = hist_of("sys_enter_getppid", "common_pid",
					   TRACEFS_HIST_KEY_NORMAL);

	one_filter(one);
	one_filter(two);
	succeeds("name", tracefs_hist_add_name(one, "tracefs_both"));
	succeeds("name", tracefs_hist_add_name(two, "tracefs_both"));
	text_is("name", tracefs_hist_get_name(one), "tracefs_both");
	succeeds("start", tracefs_hist_start(instance, one));
	succeeds("start", tracefs_hist_start(instance, two));
	do_calls();
	expect_table(instance, one, "the first", 2 * CALLS, 1);
	expect_table(instance, two, "the second", 2 * CALLS, 1);
	succeeds("end", tracefs_hist_destroy(instance, one));
	succeeds("end", tracefs_hist_destroy(instance, two));
	tracefs_hist_free(one);
	tracefs_hist_free(two);
}

const struct test_case hist_cases[] = {
	{ .name = "hist-keys", .run = test_keys, .counts = true },
	{ .name = "hist-values", .run = test_values, .counts = true },
	{ .name = "hist-sort", .run = test_sort, .counts = true },
	{ .name = "hist-commands", .run = test_commands, .counts = true },
	{ .name = "hist-named", .run = test_named, .counts = true },
	{}
};
