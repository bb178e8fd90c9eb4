// SPDX-License-Identifier: GPL-2.0
/* Events, their filters and triggers, marks, and records as the library iterates over them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tracefs.h"

#define ENTER	"sys_enter_getppid"
#define EXIT	"sys_exit_getppid"

static void test_lists(struct tracefs_instance *instance)
{
	char *dir = tracefs_instance_get_dir(instance), **systems, **events, *text;
	long seen = 0;
	int i;

	systems = tracefs_event_systems(dir);
	for (i = 0; systems && systems[i]; i++) {
		events = tracefs_system_events(dir, systems[i]);
		/* These cannot be enabled, and are in no list of those that can, but for some. */
		if (strcmp(systems[i], "ftrace"))
			seen += tracefs_list_size(events);
		tracefs_list_free(events);
	}
	tracefs_list_free(systems);
	text = file_text(NULL, "available_events");
	expect("events by folders and by the file", seen,
	       text_lines(text, "\n") - text_lines(text, "\nftrace:") -
	       !strncmp(text, "ftrace:", 7));
	free(text);
	tracefs_put_tracing_file(dir);
	expect("a format", tracefs_event_file_exists(instance, "syscalls", ENTER, "format"), true);
	expect("no format", tracefs_event_file_exists(instance, "syscalls", "nosuch", "format"),
	       false);
}

static void test_enable(struct tracefs_instance *instance)
{
	expect("none", tracefs_event_is_enabled(instance, "syscalls", NULL), TRACEFS_ALL_DISABLED);
	succeeds("two", tracefs_event_enable(instance, "syscalls", "sys_e.*_getppid"));
	expect("two", tracefs_event_is_enabled(instance, "syscalls", "sys_e.*_getppid"),
	       TRACEFS_ALL_ENABLED);
	expect("one", tracefs_event_is_enabled(instance, "syscalls", ENTER), TRACEFS_ALL_ENABLED);
	expect("some", tracefs_event_is_enabled(instance, "syscalls", NULL), TRACEFS_SOME_ENABLED);
	succeeds("one less", tracefs_event_disable(instance, "syscalls", EXIT));
	expect("one less", tracefs_event_is_enabled(instance, "syscalls", EXIT),
	       TRACEFS_ALL_DISABLED);
	expect("no such", tracefs_event_is_enabled(instance, "syscalls", "nosuch"), TRACEFS_ERROR);
	do_calls();
	succeeds("a system", tracefs_event_enable(instance, "task", NULL));
	expect("a system", tracefs_event_is_enabled(instance, "task", NULL), TRACEFS_ALL_ENABLED);
	succeeds("all", tracefs_event_disable(instance, NULL, NULL));
	expect("all", tracefs_event_is_enabled(instance, "task", NULL), TRACEFS_ALL_DISABLED);
	do_calls();
	expect("calls while it was enabled", taken(instance, "syscalls", ENTER), CALLS);
}

/* The numbers of records that test_records() has looked at. */
static struct {
	long			enters, exits, wrong, others;
	unsigned long long	last;
} seen;

static int look(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	unsigned long long result;

	(void)data;
	if (tep_data_pid(event->tep, record) != self)
		return 0;
	if (record->ts < seen.last || cpu || record->cpu)
		seen.wrong++;
	seen.last = record->ts;
	if (!strcmp(event->name, ENTER)) {
		if (seen.enters++ != seen.exits)
			seen.wrong++;
	} else if (!strcmp(event->name, EXIT)) {
		if (seen.exits++ != seen.enters - 1 ||
		    tep_get_field_val(NULL, event, "ret", record, &result, 1) ||
		    result != (unsigned long long)getppid())
			seen.wrong++;
	} else {
		seen.others++;
	}
	return 0;
}

static int stop_at_second(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	(void)cpu;
	if (tep_data_pid(event->tep, record) != self || ++*(int *)data < 2)
		return 0;
	return 1;
}

static void test_records(struct tracefs_instance *instance)
{
	cpu_set_t set;
	int stopped = 0;

	memset(&seen, 0, sizeof(seen));
	succeeds("events", tracefs_event_enable(instance, "syscalls", "sys_e.*_getppid"));
	do_calls();
	succeeds("off", tracefs_trace_off(instance));
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	tracefs_iterate_raw_events(tep, instance, &set, sizeof(set), look, NULL);
	expect("entries on another CPU", seen.enters, 0);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	tracefs_iterate_raw_events(tep, instance, &set, sizeof(set), look, NULL);
	expect("entries", seen.enters, CALLS);
	expect("exits", seen.exits, CALLS);
	expect("others", seen.others, 0);
	expect("wrong fields or order", seen.wrong, 0);
	expect("entries once more", taken(instance, "syscalls", ENTER), 0);

	succeeds("on", tracefs_trace_on(instance));
	do_calls();
	tracefs_iterate_raw_events(tep, instance, NULL, 0, stop_at_second, &stopped);
	expect("records until it is stopped", stopped, 2);
}

static int count_one(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	(void)cpu;
	if (tep_data_pid(event->tep, record) == self)
		++*(long *)data;
	return 0;
}

static int count_missed(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	(void)event;
	(void)cpu;
	/* The page of the record may have no room for their number. */
	if (record->missed_events)
		++*(long *)data;
	return 0;
}

/*
 * An event that is followed, and records that were overwritten. The library has no way to end it,
 * so its data is static.
 */
static void test_follow(struct tracefs_instance *instance)
{
	static long follows[2], missed[2];
	int top = !instance, i;
	long calls = 20000, got;

	succeeds("follow", tracefs_follow_event(tep, instance, "syscalls", ENTER, count_one,
						&follows[top]));
	succeeds("missed", tracefs_follow_missed_events(instance, count_missed, &missed[top]));
	expect("no such event", tracefs_follow_event(tep, instance, "syscalls", "nosuch", count_one,
						     &follows[top]), -1);
	succeeds("events", tracefs_event_enable(instance, "syscalls", "sys_e.*_getppid"));
	do_calls();
	succeeds("off", tracefs_trace_off(instance));
	succeeds("iterating", tracefs_iterate_raw_events(tep, instance, NULL, 0, NULL, NULL));
	expect("followed", follows[top], CALLS);
	expect("missed", missed[top], 0);

	succeeds("a small buffer", tracefs_instance_set_buffer_size(instance, 64, 0));
	succeeds("event", tracefs_event_disable(instance, "syscalls", EXIT));
	succeeds("on", tracefs_trace_on(instance));
	follows[top] = 0;
	for (i = 0; i < calls; i++)
		syscall(SYS_getppid);
	succeeds("off", tracefs_trace_off(instance));
	got = taken(instance, "syscalls", ENTER);
	expect("followed and counted", follows[top], got);
	expect("times that records were missed", missed[top], 1);
	expect("got and overwritten",
	       got + file_number(instance, "per_cpu/cpu0/stats", "\noverrun: "), calls);
	succeeds("size", tracefs_instance_set_buffer_size(instance, 1408, -1));
}

static char *filter_of(struct tep_event *event, const char *field, enum tracefs_compare compare,
		       const char *value, const char *and_below)
{
	char *filter = NULL;

	succeeds("filter", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_COMPARE,
							field, compare, value));
	if (and_below) {
		succeeds("and", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_AND,
							     NULL, 0, NULL));
		succeeds("below", tracefs_filter_string_append(event, &filter,
							       TRACEFS_FILTER_COMPARE, field,
							       TRACEFS_COMPARE_LT, and_below));
	}
	return filter;
}

static void try_filter(struct tracefs_instance *instance, struct tep_event *event,
		       const char *filter, long want)
{
	char *error = NULL, *text;

	if (tracefs_filter_string_verify(event, filter, &error))
		fail("\"%s\" is wrong: %s", filter, error ?: "");
	free(error);
	if (!succeeds(filter, tracefs_event_filter_apply(instance, event, filter)))
		return;
	text = tracefs_event_file_read(instance, event->system, event->name, "filter", NULL);
	if (text)
		text[strcspn(text, "\n")] = 0;
	text_is("the filter", text, filter);
	free(text);
	do_calls();
	expect(filter, taken(instance, event->system, event->name), want);
}

static void test_event_filters(struct tracefs_instance *instance)
{
	struct tep_event *event = tep_find_event_by_name(tep, "syscalls", "sys_enter_umask");
	char *filter, *error = NULL, *text;

	succeeds("event", tracefs_event_enable(instance, "syscalls", "sys_enter_umask"));
	filter = filter_of(event, "mask", TRACEFS_COMPARE_GE, "9", NULL);
	try_filter(instance, event, filter, 4);
	free(filter);
	filter = filter_of(event, "mask", TRACEFS_COMPARE_GT, "2", "7");
	try_filter(instance, event, filter, 4);
	free(filter);
	filter = filter_of(event, "mask", TRACEFS_COMPARE_EQ, "12", NULL);
	try_filter(instance, event, filter, 1);
	free(filter);
	filter = filter_of(event, "mask", TRACEFS_COMPARE_AND, "8", NULL);
	try_filter(instance, event, filter, 5);
	free(filter);
	filter = filter_of(event, "common_pid", TRACEFS_COMPARE_NE, "1", NULL);
	try_filter(instance, event, filter, CALLS);
	free(filter);
	filter = NULL;
	/* (mask < 2 || !(mask < 11)) */
	succeeds("(", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_OPEN_PAREN,
						   NULL, 0, NULL));
	succeeds("<", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_COMPARE, "mask",
						   TRACEFS_COMPARE_LT, "2"));
	succeeds("||", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_OR, NULL, 0,
						    NULL));
	succeeds("!", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_NOT, NULL, 0,
						   NULL));
	succeeds("(", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_OPEN_PAREN,
						   NULL, 0, NULL));
	succeeds("<", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_COMPARE, "mask",
						   TRACEFS_COMPARE_LT, "11"));
	succeeds(")", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_CLOSE_PAREN,
						   NULL, 0, NULL));
	succeeds(")", tracefs_filter_string_append(event, &filter, TRACEFS_FILTER_CLOSE_PAREN,
						   NULL, 0, NULL));
	try_filter(instance, event, filter, 4);
	free(filter);

	expect("a field that is not there",
	       tracefs_filter_string_verify(event, "nosuch == 1", &error), -1);
	text_has("the library's error", error, "nosuch");
	free(error);
	refused("the kernel's", tracefs_event_filter_apply(instance, event, "nosuch == 1"), EINVAL);
	succeeds("no filter", tracefs_event_filter_clear(instance, event));
	text = tracefs_event_file_read(instance, "syscalls", "sys_enter_umask", "filter", NULL);
	text_is("no filter", text, "none\n");
	free(text);
}

/* Strings, and patterns of them. */
static void test_string_filters(struct tracefs_instance *instance)
{
	struct tep_event *event = tep_find_event_by_name(tep, "task", "task_rename");
	static const struct {
		enum tracefs_compare	compare;
		const char		*value;
		long			want;
	} tries[] = {
		{ TRACEFS_COMPARE_EQ, "\"two\"", 1 }, { TRACEFS_COMPARE_NE, "\"two\"", 3 },
		{ TRACEFS_COMPARE_RE, "\"t*\"", 3 }, { TRACEFS_COMPARE_RE, "\"*hre*\"", 1 },
		{ TRACEFS_COMPARE_RE, "\"*e\"", 2 }, { TRACEFS_COMPARE_RE, "\"t[wh]*e\"", 1 },
	};
	unsigned int i;

	succeeds("event", tracefs_event_enable(instance, "task", "task_rename"));
	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		char *filter = filter_of(event, "newcomm", tries[i].compare, tries[i].value, NULL);

		if (!succeeds(filter, tracefs_event_filter_apply(instance, event, filter)))
			continue;
		prctl(PR_SET_NAME, "one");
		prctl(PR_SET_NAME, "two");
		prctl(PR_SET_NAME, "three");
		prctl(PR_SET_NAME, "tracefs");
		expect(filter, taken(instance, "task", "task_rename"), tries[i].want);
		free(filter);
	}
	succeeds("no filter", tracefs_event_filter_clear(instance, event));
}

static void add_trigger(struct tracefs_instance *instance, const char *event, const char *trigger)
{
	succeeds(trigger, tracefs_event_file_append(instance, "syscalls", event, "trigger",
						    trigger));
}

static void test_triggers(struct tracefs_instance *instance)
{
	char *text;

	add_trigger(instance, "sys_enter_umask", "enable_event:syscalls:" ENTER ":1 if mask == 12");
	do_calls();
	expect("before it is enabled", taken(instance, "syscalls", ENTER), 0);
	do_calls();
	expect("after it is enabled", taken(instance, "syscalls", ENTER), CALLS);
	text = tracefs_event_file_read(instance, "syscalls", "sys_enter_umask", "trigger", NULL);
	text_has("what is left", text, "enable_event:syscalls:" ENTER ":count=0 if mask == 12");
	free(text);
	refused("twice", tracefs_event_file_append(instance, "syscalls", "sys_enter_umask",
						   "trigger", "enable_event:syscalls:" ENTER),
		EEXIST);
	add_trigger(instance, "sys_enter_umask", "!enable_event:syscalls:" ENTER ":1");
	succeeds("event", tracefs_event_disable(instance, "syscalls", ENTER));

	add_trigger(instance, "sys_enter_umask", "stacktrace if mask >= 10");
	do_calls();
	expect("stacks", taken(instance, "ftrace", "kernel_stack"), 3);
	add_trigger(instance, "sys_enter_umask", "!stacktrace");

	add_trigger(instance, "sys_enter_umask", "traceoff if mask == 12");
	do_calls();
	expect("after traceoff", tracefs_trace_is_on(instance), 0);
	add_trigger(instance, "sys_enter_umask", "!traceoff");
	add_trigger(instance, "sys_enter_umask", "traceon:2 if mask == 12");
	do_calls();
	expect("after traceon", tracefs_trace_is_on(instance), 1);
	add_trigger(instance, "sys_enter_umask", "!traceon");
	text = tracefs_event_file_read(instance, "syscalls", "sys_enter_umask", "trigger", NULL);
	text_has("no trigger", text, "# Available triggers:");
	free(text);
}

static void test_snapshot(struct tracefs_instance *instance)
{
	char *text;

	succeeds("event", tracefs_event_enable(instance, "syscalls", ENTER));
	succeeds("room", tracefs_instance_file_write(instance, "snapshot", "1"));
	succeeds("empty", tracefs_instance_file_write(instance, "snapshot", "2"));
	do_calls();
	succeeds("take", tracefs_instance_file_write(instance, "snapshot", "1"));
	text = file_text(instance, "snapshot");
	expect("calls in the snapshot", text_lines(text, ": sys_getppid("), CALLS);
	free(text);
	expect("calls in the buffer", taken(instance, "syscalls", ENTER), 0);
	succeeds("empty", tracefs_instance_file_write(instance, "snapshot", "2"));
	text = file_text(instance, "snapshot");
	expect("calls in one that was emptied", text_lines(text, ": sys_getppid("), 0);
	free(text);
	/* Once, at the first call with such a mask. */
	add_trigger(instance, "sys_enter_umask", "snapshot:1 if mask == 12");
	do_calls();
	text = file_text(instance, "snapshot");
	expect("calls before the trigger", text_lines(text, ": sys_getppid("), CALLS);
	free(text);
	add_trigger(instance, "sys_enter_umask", "!snapshot");
	succeeds("free", tracefs_instance_file_write(instance, "snapshot", "0"));
	text = file_text(instance, "snapshot");
	text_has("it is free", text, "Snapshot is freed");
	free(text);
}

static int look_at_print(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	char (*texts)[64] = data;
	int length, i;
	void *at;

	(void)cpu;
	if (tep_data_pid(event->tep, record) != self)
		return 0;
	for (i = 0; texts[i][0]; i++)
		;
	if (!strcmp(event->name, "print"))
		at = tep_get_field_raw(NULL, event, "buf", record, &length, 1);
	else
		at = tep_get_field_raw(NULL, event, "id", record, &length, 1);
	if (at && i < 6)
		snprintf(texts[i], sizeof(texts[i]), "%s", (char *)at);
	return 0;
}

static int print_list(struct tracefs_instance *instance, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = tracefs_vprintf(instance, fmt, args);
	va_end(args);
	return ret;
}

static void test_marks(struct tracefs_instance *instance)
{
	char texts[8][64] = {}, binary[] = "abcd and more", *text;

	succeeds("print", tracefs_print_init(instance));
	expect("its result", tracefs_printf(instance, "one %d", 1), 0);
	expect("a list's result", print_list(instance, "two %s", "2"), 0);
	tracefs_print_close(instance);
	succeeds("binary", tracefs_binary_init(instance));
	expect("its result", tracefs_binary_write(instance, binary, sizeof(binary)), 0);
	tracefs_binary_close(instance);
	text = file_text(instance, "trace");
	text_has("trace", text, ": tracing_mark_write: one 1\n");
	/* The number in front of what the program has written. */
	text_has("trace", text, "# 64636261 buf: ");
	free(text);
	tracefs_iterate_raw_events(tep, instance, NULL, 0, look_at_print, texts);
	text_is("the first", texts[0], "one 1\n");
	text_is("the second", texts[1], "two 2\n");
	text_is("the third", texts[2], binary);
	text_is("there is no other", texts[3], "");
}

static void test_names(struct tracefs_instance *instance)
{
	struct tep_handle *names = tep_alloc();

	succeeds("event", tracefs_event_enable(instance, "syscalls", ENTER));
	do_calls();
	succeeds("names", tracefs_load_cmdlines(NULL, names));
	text_is("the name of this task", tep_data_comm_from_pid(names, self), "tracefs");
	tep_free(names);
}

static void test_pipe(struct tracefs_instance *instance)
{
	char *text = calloc(1, 65536);
	int ends[2], pos = 0, n;

	succeeds("event", tracefs_event_enable(instance, "syscalls", ENTER));
	do_calls();
	succeeds("off", tracefs_trace_off(instance));
	if (pipe2(ends, O_NONBLOCK)) {
		fail("no pipe: %m");
		return;
	}
	tracefs_trace_pipe_stream(ends[1], instance, O_NONBLOCK);
	close(ends[1]);
	while ((n = read(ends[0], text + pos, 65535 - pos)) > 0)
		pos += n;
	close(ends[0]);
	expect("calls in the stream", text_lines(text, ": sys_getppid("), CALLS);
	free(text);
	expect("calls in the buffer", taken(instance, "syscalls", ENTER), 0);
}

const struct test_case record_cases[] = {
	{ .name = "lists", .run = test_lists },
	{ .name = "enable", .run = test_enable, .counts = true },
	{ .name = "records", .run = test_records, .counts = true },
	{ .name = "follow", .run = test_follow, .counts = true },
	{ .name = "event-filters", .run = test_event_filters, .counts = true },
	{ .name = "string-filters", .run = test_string_filters },
	{ .name = "triggers", .run = test_triggers, .counts = true },
	{ .name = "snapshot", .run = test_snapshot, .counts = true },
	{ .name = "marks", .run = test_marks },
	{ .name = "names", .run = test_names },
	{ .name = "pipe", .run = test_pipe, .counts = true },
	{}
};
