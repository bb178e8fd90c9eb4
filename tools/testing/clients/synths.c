// SPDX-License-Identifier: GPL-2.0
/* Synthetic events, made by functions and by SQL. The library makes them in the top instance. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tracefs.h"

/* Each event has another name, as the library keeps the number that a name had at first. */
static char name[32];
#define ENTER	"sys_enter_umask"
#define EXIT	"sys_exit_umask"

/* The records of the synthetic event, and those of them with wrong fields. */
static struct {
	long	number, wrong;
} pairs;

/* umask() gives what the call before it was given, which "first" begins with. */
static int look_at_pair(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	unsigned long long pid, mask, ret, lat;

	(void)cpu;
	(void)data;
	if (strcmp(event->name, name))
		return 0;
	if (tep_get_field_val(NULL, event, "pid", record, &pid, 0) ||
	    tep_get_field_val(NULL, event, "lat", record, &lat, 0)) {
		pairs.wrong++;
		return 0;
	}
	if (pid != (unsigned long long)self)
		return 0;
	/* Not every one has them. */
	if (tep_find_any_field(event, "mask") &&
	    (tep_get_field_val(NULL, event, "mask", record, &mask, 0) ||
	     tep_get_field_val(NULL, event, "ret", record, &ret, 0) ||
	     (mask ? ret != mask - 1 : ret > 0777)))
		pairs.wrong++;
	if (lat > 1000000000000ULL)
		pairs.wrong++;
	pairs.number++;
	return 0;
}

static void next_name(void)
{
	static int number;

	snprintf(name, sizeof(name), "tracefs_pair_%d", ++number);
}

static struct tracefs_synth *new_pair(void)
{
	struct tracefs_synth *synth;

	next_name();
	synth = tracefs_synth_alloc(tep, name, "syscalls", ENTER, "syscalls", EXIT, "common_pid",
				    "common_pid", "pid");
	if (!synth) {
		fail("it cannot be allocated: %m");
		return NULL;
	}
	text_is("its name", tracefs_synth_get_name(synth), name);
	succeeds("lat", tracefs_synth_add_compare_field(synth, TRACEFS_TIMESTAMP, TRACEFS_TIMESTAMP,
							TRACEFS_SYNTH_DELTA_END, "lat"));
	return synth;
}

static bool create_pair(struct tracefs_synth *synth)
{
	char *text;

	expect("it is complete", tracefs_synth_complete(synth), true);
	if (succeeds("create", tracefs_synth_create(synth)))
		return true;
	text = tracefs_error_last(NULL);
	fail("it is refused: %s", text ?: "no error");
	free(text);
	tracefs_synth_free(synth);
	return false;
}

static void end_pair(struct tracefs_synth *synth)
{
	char *text;

	succeeds("destroy", tracefs_synth_destroy(synth));
	expect("it is gone", tracefs_event_file_exists(NULL, "synthetic", name, "format"), false);
	text = tracefs_event_file_read(NULL, "syscalls", EXIT, "trigger", NULL);
	text_has("no trigger", text, "# Available triggers:");
	free(text);
	tracefs_synth_free(synth);
}

/* Let the event see the calls, and count its records. It ends afterwards. */
static void try_pair(struct tracefs_synth *synth, const char *what, long want)
{
	struct tep_event *event;

	if (!synth || !create_pair(synth))
		return;
	memset(&pairs, 0, sizeof(pairs));
	event = tracefs_synth_get_event(tep, synth);
	if (!event)
		fail("%s: its format is not known", what);
	succeeds("enable", tracefs_event_enable(NULL, "synthetic", name));
	do_calls();
	succeeds("iterating", tracefs_iterate_raw_events(tep, NULL, NULL, 0, look_at_pair, NULL));
	expect(what, pairs.number, want);
	expect("wrong records", pairs.wrong, 0);
	succeeds("disable", tracefs_event_disable(NULL, "synthetic", name));
	end_pair(synth);
}

static void test_synth(struct tracefs_instance *instance)
{
	struct tracefs_synth *synth = new_pair();
	struct tracefs_hist *hist;
	struct trace_seq seq;

	(void)instance;
	if (!synth)
		return;
	succeeds("start", tracefs_synth_add_start_field(synth, "mask", "mask"));
	succeeds("end", tracefs_synth_add_end_field(synth, "ret", "ret"));
	trace_seq_init(&seq);
	succeeds("echo", tracefs_synth_echo_cmd(&seq, synth));
	trace_seq_terminate(&seq);
	text_has("its commands", seq.buffer, "onmatch(syscalls." ENTER ")");
	trace_seq_destroy(&seq);
	hist = tracefs_synth_get_start_hist(synth);
	text_is("its first histogram", tracefs_hist_get_event(hist), ENTER);
	tracefs_hist_free(hist);
	try_pair(synth, "pairs", CALLS);
}

static void test_synth_filters(struct tracefs_instance *instance)
{
	struct tracefs_synth *synth = new_pair();

	(void)instance;
	if (!synth)
		return;
	succeeds("start", tracefs_synth_add_start_field(synth, "mask", "mask"));
	succeeds("end", tracefs_synth_add_end_field(synth, "ret", "ret"));
	succeeds("calls", tracefs_synth_append_start_filter(synth, TRACEFS_FILTER_COMPARE, "mask",
							    TRACEFS_COMPARE_GE, "4"));
	succeeds("results", tracefs_synth_append_end_filter(synth, TRACEFS_FILTER_COMPARE, "ret",
							    TRACEFS_COMPARE_GT, "9"));
	/* The results are 10 and 11 there: those of 11 and 12. */
	try_pair(synth, "pairs of both filters", 2);
}

static void test_synth_two_keys(struct tracefs_instance *instance)
{
	struct tracefs_synth *synth = new_pair();

	(void)instance;
	if (!synth)
		return;
	succeeds("a second key", tracefs_synth_add_match_field(synth, "__syscall_nr",
							       "__syscall_nr", "number"));
	succeeds("a sum", tracefs_synth_add_compare_field(synth, "common_pid", "common_pid",
							  TRACEFS_SYNTH_ADD, "sum"));
	try_pair(synth, "pairs of two keys", CALLS);
}

/* The pid of this task is the greatest, and another one, only once. */
static void test_synth_actions(struct tracefs_instance *instance)
{
	struct tracefs_synth *synth = new_pair();
	char *text;

	(void)instance;
	if (!synth)
		return;
	succeeds("trace", tracefs_synth_trace(synth, TRACEFS_SYNTH_HANDLE_MAX, "pid"));
	succeeds("snapshot", tracefs_synth_snapshot(synth, TRACEFS_SYNTH_HANDLE_CHANGE, "pid"));
	if (!create_pair(synth))
		return;
	succeeds("enable", tracefs_event_enable(NULL, "synthetic", name));
	do_calls();
	text = tracefs_event_file_read(NULL, "syscalls", EXIT, "hist", NULL);
	expect("hits", text_number(text, "Hits: "), CALLS);
	expect("the greatest", text_number(text, "max: "), self);
	expect("the last that changed", text_number(text, "changed: "), self);
	text_has("the snapshot", text, "Snapshot taken (see tracing/snapshot)");
	free(text);
	/* The snapshot was taken behind it. */
	text = file_text(NULL, "snapshot");
	expect("records in the snapshot", text_lines(text, name), 1);
	free(text);
	text = file_text(NULL, "trace");
	expect("records in the buffer", text_lines(text, name), 0);
	free(text);
	succeeds("disable", tracefs_event_disable(NULL, "synthetic", name));
	end_pair(synth);
	tracefs_instance_file_write(NULL, "snapshot", "0");
}

static struct tracefs_synth *sql(const char *text)
{
	struct tracefs_synth *synth;
	char *error = NULL;

	next_name();
	synth = tracefs_sql(tep, name, text, &error);
	if (!synth)
		fail("SQL: %s: %s", text, error ?: strerror(errno));
	free(error);
	return synth;
}

static void test_sql(struct tracefs_instance *instance)
{
	char *error = NULL;

	(void)instance;
	try_pair(sql("SELECT start.common_pid AS pid, start.mask, end.ret AS ret, "
		     "(end.common_timestamp.usecs - start.common_timestamp.usecs) AS lat "
		     "FROM " ENTER " AS start JOIN syscalls." EXIT " AS end "
		     "ON start.common_pid = end.common_pid"), "pairs by SQL", CALLS);
	try_pair(sql("SELECT start.common_pid AS pid, start.mask AS mask, end.ret AS ret, "
		     "(end.common_timestamp - start.common_timestamp) AS lat "
		     "FROM " ENTER " AS start JOIN " EXIT " AS end "
		     "ON start.common_pid = end.common_pid "
		     "WHERE start.mask > 9 && end.ret != 11"),
		 "pairs of filters by SQL", 2);
	if (tracefs_sql(tep, name, "SELECT start.nosuch FROM " ENTER " AS start JOIN " EXIT
			" AS end ON start.common_pid = end.common_pid", &error))
		fail("SQL takes a field that is not there");
	text_has("the error of SQL", error, "nosuch");
	free(error);
}

/* One event is a histogram. */
static void test_sql_hist(struct tracefs_instance *instance)
{
	struct tracefs_synth *synth;
	struct tracefs_hist *hist;
	char *text;

	synth = sql("SELECT mask, CAST(common_pid AS _COUNTER_) FROM syscalls." ENTER
		    " WHERE mask >= 4");
	if (!synth)
		return;
	expect("it is complete", tracefs_synth_complete(synth), false);
	hist = tracefs_synth_get_start_hist(synth);
	if (!hist) {
		fail("there is no histogram");
		return;
	}
	succeeds("start", tracefs_hist_start(instance, hist));
	do_calls();
	text = tracefs_event_file_read(instance, "syscalls", ENTER, "hist", NULL);
	expect("hits", text_number(text, "Hits: "), CALLS - 4);
	expect("entries", text_number(text, "Entries: "), CALLS - 4);
	expect("the sum of pids in a line", text_number(text, "common_pid: "), self);
	free(text);
	succeeds("end", tracefs_hist_destroy(instance, hist));
	tracefs_hist_free(hist);
	tracefs_synth_free(synth);
}

const struct test_case synth_cases[] = {
	{ .name = "synth", .run = test_synth, .top = true, .counts = true },
	{ .name = "synth-filters", .run = test_synth_filters, .top = true, .counts = true },
	{ .name = "synth-two-keys", .run = test_synth_two_keys, .top = true, .counts = true },
	{ .name = "synth-actions", .run = test_synth_actions, .top = true, .counts = true },
	{ .name = "sql", .run = test_sql, .top = true, .counts = true },
	{ .name = "sql-hist", .run = test_sql_hist, .counts = true },
	{}
};
