// SPDX-License-Identifier: GPL-2.0
/*
 * Instances, their files, tracers, options, filters of functions and of tasks, clocks, sizes,
 * CPUs, and the log of errors.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tracefs.h"

static int count_named(const char *name, void *data)
{
	if (!strcmp(name, "tracefs-other"))
		++*(int *)data;
	return 0;
}

static void test_instances(struct tracefs_instance *instance)
{
	struct tracefs_instance *other = tracefs_instance_create("tracefs-other"), *again;
	char **names;
	int seen = 0, fd;

	(void)instance;
	if (!other) {
		fail("none is made: %m");
		return;
	}
	expect("it is new", tracefs_instance_is_new(other), true);
	text_is("its name", tracefs_instance_get_name(other), "tracefs-other");
	expect("it is there", tracefs_instance_exists("tracefs-other"), true);
	expect("its folder of events", tracefs_dir_exists(other, "events"), true);
	expect("its file", tracefs_file_exists(other, "trace_pipe"), true);
	expect("no such file", tracefs_file_exists(other, "kprobe_events"), false);
	succeeds("walk", tracefs_instances_walk(count_named, &seen));
	expect("the walk sees it", seen, 1);
	names = tracefs_instances("^tracefs-o");
	expect("the list has it and the one of the cases", tracefs_list_size(names), 2);
	tracefs_list_free(names);
	again = tracefs_instance_create("tracefs-other");
	expect("the second one is new", again ? tracefs_instance_is_new(again) : -1, false);
	tracefs_instance_free(again);
	/* It stays as long as one of its files is open. */
	fd = tracefs_instance_file_open(other, "trace_pipe", O_RDONLY | O_NONBLOCK);
	succeeds("trace_pipe", fd);
	refused("destroying one in use", tracefs_instance_destroy(other), EBUSY);
	close(fd);
	succeeds("destroy", tracefs_instance_destroy(other));
	expect("it is gone", tracefs_instance_exists("tracefs-other"), false);
	refused("destroying it again", tracefs_instance_destroy(other), ENOENT);
	tracefs_instance_free(other);
}

static void test_files(struct tracefs_instance *instance)
{
	char *dir = tracefs_instance_get_dir(instance), *path, *text;
	long long number = -1;
	int size = 0;

	path = tracefs_instance_get_file(instance, "tracing_on");
	expect("a file is in the folder", !strncmp(path, dir, strlen(dir)), true);
	tracefs_put_tracing_file(path);
	tracefs_put_tracing_file(dir);
	succeeds("a number", tracefs_instance_file_read_number(instance, "tracing_on", &number));
	expect("tracing_on", number, 1);
	text = tracefs_instance_file_read(instance, "current_tracer", &size);
	text_is("current_tracer", text, "nop\n");
	expect("its size", size, 4);
	free(text);
	succeeds("a mark", tracefs_instance_file_write(instance, "trace_marker", "hello"));
	text = file_text(instance, "trace");
	text_has("trace", text, "tracing_mark_write: hello");
	free(text);
	succeeds("trace", tracefs_instance_file_clear(instance, "trace"));
	text = file_text(instance, "trace");
	expect("marks in a trace that was cleared", text_lines(text, "hello"), 0);
	free(text);
	refused("a file that is not there",
		tracefs_instance_file_open(instance, "no_such_file", O_RDONLY), ENOENT);
}

static void test_on_off(struct tracefs_instance *instance)
{
	int fd = tracefs_trace_on_get_fd(instance);
	char *text;

	expect("on", tracefs_trace_is_on(instance), 1);
	succeeds("off", tracefs_trace_off(instance));
	expect("off", tracefs_trace_is_on(instance), 0);
	tracefs_instance_file_write(instance, "trace_marker", "lost");
	succeeds("on by descriptor", tracefs_trace_on_fd(fd));
	expect("on by descriptor", tracefs_trace_is_on(instance), 1);
	succeeds("a mark", tracefs_instance_file_write(instance, "trace_marker", "kept"));
	succeeds("off by descriptor", tracefs_trace_off_fd(fd));
	expect("off by descriptor", tracefs_trace_is_on(instance), 0);
	close(fd);
	text = file_text(instance, "trace");
	expect("marks while it was on", text_lines(text, "kept"), 1);
	expect("marks while it was off", text_lines(text, "lost"), 0);
	free(text);
}

static void test_tracers(struct tracefs_instance *instance)
{
	char *dir = tracefs_instance_get_dir(instance), **tracers, *text;
	char want[64];
	int i;

	tracers = tracefs_tracers(dir);
	if (tracefs_list_size(tracers) < 2)
		fail("only %d tracers", tracefs_list_size(tracers));
	for (i = 0; tracers && tracers[i]; i++) {
		if (!tracefs_tracer_available(dir, tracers[i]))
			fail("%s is not available", tracers[i]);
		if (!succeeds(tracers[i], tracefs_tracer_set(instance, TRACEFS_TRACER_CUSTOM,
							     tracers[i])))
			continue;
		snprintf(want, sizeof(want), "%s\n", tracers[i]);
		text = file_text(instance, "current_tracer");
		text_is("current_tracer", text, want);
		free(text);
		succeeds("no tracer", tracefs_tracer_clear(instance));
		text = file_text(instance, "current_tracer");
		text_is("current_tracer", text, "nop\n");
		free(text);
	}
	tracefs_list_free(tracers);
	succeeds("by number", tracefs_tracer_set(instance, TRACEFS_TRACER_FUNCTION_GRAPH));
	text = file_text(instance, "current_tracer");
	text_is("current_tracer", text, "function_graph\n");
	free(text);
	expect("no such tracer is available", tracefs_tracer_available(dir, "nosuch"), false);
	expect("no such tracer", tracefs_tracer_set(instance, TRACEFS_TRACER_CUSTOM, "nosuch"), -1);
	text = file_text(instance, "current_tracer");
	text_is("after one that is refused", text, "function_graph\n");
	free(text);
	tracefs_put_tracing_file(dir);
}

static void test_options(struct tracefs_instance *instance)
{
	const struct tracefs_options_mask *mask = tracefs_options_get_supported(instance);
	int id, found = 0;

	for (id = TRACEFS_OPTION_INVALID + 1; id < TRACEFS_OPTION_MAX; id++) {
		const char *name = tracefs_option_name(id);
		bool was;

		if (!tracefs_option_mask_is_set(mask, id))
			continue;
		found++;
		expect(name, tracefs_option_id(name), id);
		expect(name, tracefs_option_is_supported(instance, id), true);
		was = tracefs_option_is_enabled(instance, id);
		if (!succeeds(name, was ? tracefs_option_disable(instance, id) :
					  tracefs_option_enable(instance, id)))
			continue;
		expect(name, tracefs_option_is_enabled(instance, id), !was);
		expect(name, tracefs_option_mask_is_set(tracefs_options_get_enabled(instance), id),
		       !was);
		succeeds(name, was ? tracefs_option_enable(instance, id) :
				     tracefs_option_disable(instance, id));
		expect(name, tracefs_option_is_enabled(instance, id), was);
	}
	/* All but those of tracers that are not there. */
	if (found < 20)
		fail("only %d options are supported", found);
	succeeds("no marks", tracefs_option_disable(instance, TRACEFS_OPTION_MARKERS));
	refused("a mark", tracefs_instance_file_write(instance, "trace_marker", "no"), EINVAL);
	succeeds("marks", tracefs_option_enable(instance, TRACEFS_OPTION_MARKERS));
	succeeds("a mark", tracefs_instance_file_write(instance, "trace_marker", "yes"));
}

/* The functions of a filter's file, without the line that says there is none. */
static long filtered(struct tracefs_instance *instance, const char *file)
{
	char *text = file_text(instance, file);
	long n = text[0] == '#' ? 0 : text_lines(text, "\n");

	free(text);
	return n;
}

static void filter(struct tracefs_instance *instance, const char *functions, int flags)
{
	expect(functions, tracefs_function_filter(instance, functions, NULL, flags), 0);
}

static void test_lists_of_functions(struct tracefs_instance *instance)
{
	char **list = NULL, *text;

	(void)instance;
	expect("all of them", tracefs_filter_functions("*", NULL, &list), 0);
	text = file_text(NULL, "available_filter_functions");
	expect("functions by the library and by the file", tracefs_list_size(list),
	       text_lines(text, "\n"));
	free(text);
	tracefs_list_free(list);
	list = NULL;
	expect("some", tracefs_filter_functions("^" SYSCALL "set[ug]id$", NULL, &list), 0);
	expect("setuid and setgid", tracefs_list_size(list), 2);
	tracefs_list_free(list);
}

static void test_filters(struct tracefs_instance *instance)
{
	char *text;

	/* The library finds the functions, and writes their places in the list of all. */
	filter(instance, "^" SYSCALL "set[ug]id$", TRACEFS_FL_RESET);
	expect("those of the expression", filtered(instance, "set_ftrace_filter"), 2);
	filter(instance, GETPPID, 0);
	text = file_text(instance, "set_ftrace_filter");
	expect("all together", text_lines(text, "\n"), 3);
	text_has("the filter", text, GETPPID "\n");
	text_has("the filter", text, SYSCALL "setuid\n");
	text_has("the filter", text, SYSCALL "setgid\n");
	free(text);
	/* The file stays open, and takes what comes when it is closed. */
	filter(instance, GETPPID, TRACEFS_FL_RESET | TRACEFS_FL_CONTINUE);
	filter(instance, SYSCALL "umask", 0);
	expect("two at once", filtered(instance, "set_ftrace_filter"), 2);
	expect("none such", tracefs_function_filter(instance, "^no_such_function$", NULL, 0), 1);
	expect("after one that is refused", filtered(instance, "set_ftrace_filter"), 2);

	expect("the inverse", tracefs_function_notrace(instance, "^" SYSCALL "umask$", NULL,
						       TRACEFS_FL_RESET), 0);
	expect("those of the inverse", filtered(instance, "set_ftrace_notrace"), 1);
	succeeds("function", tracefs_tracer_set(instance, TRACEFS_TRACER_FUNCTION));
	do_calls();
	succeeds("off", tracefs_trace_off(instance));
	expect("calls of the filter without the inverse", taken(instance, "ftrace", "function"),
	       CALLS);
	expect("a module to come",
	       tracefs_function_filter(instance, "tracefs_test_*", "nosuchmodule",
				       TRACEFS_FL_RESET | TRACEFS_FL_FUTURE), 0);
	text = file_text(instance, "set_ftrace_filter");
	text_has("a module to come", text, "tracefs_test_*:mod:nosuchmodule");
	free(text);
	succeeds("no module", tracefs_instance_file_write(instance, "set_ftrace_filter",
							  "!tracefs_test_*:mod:nosuchmodule"));
}

static void test_graph(struct tracefs_instance *instance)
{
	filter(instance, GETPPID, TRACEFS_FL_RESET);
	filter(instance, SYSCALL "umask", 0);
	succeeds("graph", tracefs_tracer_set(instance, TRACEFS_TRACER_FUNCTION_GRAPH));
	do_calls();
	succeeds("off", tracefs_trace_off(instance));
	expect("returns", taken(instance, "ftrace", "funcgraph_exit"), 2 * CALLS);
}

/* Count the records that @file leaves of the calls of this task if it has the pid. */
static void try_pid(struct tracefs_instance *instance, const char *file, const char *pid,
		    const char *event, long want)
{
	succeeds(file, tracefs_instance_file_write(instance, file, pid));
	do_calls();
	expect(file, taken(instance, "ftrace", event), want);
	succeeds(file, tracefs_instance_file_clear(instance, file));
}

static void test_function_pids(struct tracefs_instance *instance)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", self);
	filter(instance, GETPPID, TRACEFS_FL_RESET);
	succeeds("function", tracefs_tracer_set(instance, TRACEFS_TRACER_FUNCTION));
	try_pid(instance, "set_ftrace_pid", pid, "function", CALLS);
	try_pid(instance, "set_ftrace_pid", "1", "function", 0);
	try_pid(instance, "set_ftrace_notrace_pid", pid, "function", 0);
	try_pid(instance, "set_ftrace_notrace_pid", "1", "function", CALLS);
	refused("no number", tracefs_instance_file_write(instance, "set_ftrace_pid", "one"),
		EINVAL);
}

static void try_event_pid(struct tracefs_instance *instance, const char *file, const char *pid,
			  long want)
{
	char *text;

	succeeds(file, tracefs_instance_file_write(instance, file, pid));
	text = file_text(instance, file);
	expect(file, atoi(text), atoi(pid));
	free(text);
	do_calls();
	expect(file, taken(instance, "syscalls", "sys_enter_getppid"), want);
	succeeds(file, tracefs_instance_file_clear(instance, file));
}

static void test_event_pids(struct tracefs_instance *instance)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", self);
	succeeds("event", tracefs_event_enable(instance, "syscalls", "sys_enter_getppid"));
	try_event_pid(instance, "set_event_pid", pid, CALLS);
	try_event_pid(instance, "set_event_pid", "1", 0);
	try_event_pid(instance, "set_event_notrace_pid", pid, 0);
	try_event_pid(instance, "set_event_notrace_pid", "1", CALLS);
}

static unsigned long long first_ts, last_ts;
static long backwards;

static int look_at_time(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	(void)event;
	(void)cpu;
	(void)data;
	if (!first_ts)
		first_ts = record->ts;
	if (record->ts < last_ts)
		backwards++;
	last_ts = record->ts;
	return 0;
}

static unsigned long long now_of(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The times of records are those of a clock that the program reads, too. */
static void try_clock(struct tracefs_instance *instance, const char *name, clockid_t id)
{
	unsigned long long before, after;

	first_ts = 0;
	last_ts = 0;
	backwards = 0;
	succeeds(name, tracefs_instance_file_write(instance, "trace_clock", name));
	before = now_of(id);
	succeeds("a mark", tracefs_instance_file_write(instance, "trace_marker", "one"));
	succeeds("a mark", tracefs_instance_file_write(instance, "trace_marker", "two"));
	after = now_of(id);
	tracefs_iterate_raw_events(tep, instance, NULL, 0, look_at_time, NULL);
	expect(name, backwards, 0);
	if (first_ts < before || last_ts > after)
		fail("%s: %llu to %llu, not in %llu to %llu", name, first_ts, last_ts, before,
		     after);
}

static void test_clocks(struct tracefs_instance *instance)
{
	char *clocks = file_text(instance, "trace_clock"), *name, *rest, *now;
	int n = 0;

	for (name = strtok_r(clocks, "\n ", &rest); name; name = strtok_r(NULL, "\n ", &rest)) {
		if (*name == '[') {
			name++;
			name[strcspn(name, "]")] = 0;
		}
		succeeds(name, tracefs_instance_file_write(instance, "trace_clock", name));
		now = tracefs_get_clock(instance);
		text_is("the clock", now, name);
		free(now);
		n++;
	}
	free(clocks);
	if (n < 8)
		fail("only %d clocks", n);
	refused("no such clock", tracefs_instance_file_write(instance, "trace_clock", "nosuch"),
		EINVAL);
	try_clock(instance, "mono", CLOCK_MONOTONIC);
	try_clock(instance, "mono_raw", CLOCK_MONOTONIC_RAW);
	try_clock(instance, "boot", CLOCK_BOOTTIME);
	try_clock(instance, "tai", CLOCK_TAI);
}

/* At least the size that was asked for; pages have less room than they have bytes. */
static void expect_size(struct tracefs_instance *instance, int cpu, long want, int pages)
{
	long got = tracefs_instance_get_buffer_size(instance, cpu);

	if (got < want || got >= want + 4 * pages)
		fail("%ld KiB instead of %ld on CPU %d", got, want, cpu);
}

static void test_sizes(struct tracefs_instance *instance)
{
	ssize_t was = tracefs_instance_get_buffer_size(instance, 0);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char *text;

	succeeds("all", tracefs_instance_set_buffer_size(instance, 64, -1));
	expect_size(instance, 0, 64, 1);
	expect_size(instance, cpus - 1, 64, 1);
	expect_size(instance, -1, 64 * cpus, cpus);
	succeeds("one", tracefs_instance_set_buffer_size(instance, 128, 0));
	expect_size(instance, 0, 128, 1);
	expect_size(instance, -1, 64 * cpus + 64, cpus);
	if (cpus > 1) {
		expect_size(instance, cpus - 1, 64, 1);
		text = file_text(instance, "buffer_size_kb");
		text_is("sizes that differ", text, "X\n");
		free(text);
	}
	refused("none", tracefs_instance_set_buffer_size(instance, 0, 0), EINVAL);
	succeeds("as before", tracefs_instance_set_buffer_size(instance, was ?: 1408, -1));

	succeeds("events", tracefs_event_enable(instance, "syscalls", "sys_enter_getppid"));
	do_calls();
	succeeds("off", tracefs_trace_off(instance));
	expect("entries", file_number(instance, "per_cpu/cpu0/stats", "entries: "), CALLS);
	expect("overrun", file_number(instance, "per_cpu/cpu0/stats", "\noverrun: "), 0);
	expect("taken", taken(instance, "syscalls", "sys_enter_getppid"), CALLS);
	expect("read", file_number(instance, "per_cpu/cpu0/stats", "read events: "), CALLS);
	succeeds("trace", tracefs_instance_file_clear(instance, "trace"));
}

static void test_cpus(struct tracefs_instance *instance)
{
	char *mask = tracefs_instance_get_affinity_raw(instance), *text;
	int last = sysconf(_SC_NPROCESSORS_CONF) - 1;
	char cpu[16];
	cpu_set_t set;

	if (!last) {
		fail("there is one CPU only");
		return;
	}
	succeeds("event", tracefs_event_enable(instance, "syscalls", "sys_enter_getppid"));
	snprintf(cpu, sizeof(cpu), "%d", last);
	succeeds("the last CPU", tracefs_instance_set_affinity(instance, cpu));
	text = tracefs_instance_get_affinity(instance);
	text_is("the CPUs", text, cpu);
	free(text);
	CPU_ZERO(&set);
	succeeds("the set", tracefs_instance_get_affinity_set(instance, &set, sizeof(set)));
	expect("CPUs in the set", CPU_COUNT(&set), 1);
	expect("it is the last one", !!CPU_ISSET(last, &set), 1);
	do_calls();
	expect("calls on another CPU", taken(instance, "syscalls", "sys_enter_getppid"), 0);
	on_cpu(last);
	do_calls();
	expect("calls on this CPU", taken(instance, "syscalls", "sys_enter_getppid"), CALLS);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	succeeds("a set", tracefs_instance_set_affinity_set(instance, &set, sizeof(set)));
	text = tracefs_instance_get_affinity(instance);
	text_is("the CPUs", text, "0");
	free(text);
	succeeds("a mask", tracefs_instance_set_affinity_raw(instance, mask));
	text = tracefs_instance_get_affinity_raw(instance);
	text_is("the mask", text, mask);
	free(text);
	free(mask);
}

static void test_errors(struct tracefs_instance *instance)
{
	char *text = tracefs_error_last(instance);

	if (text)
		fail("there is an error before any: %s", text);
	free(text);
	refused("a filter", tracefs_event_file_write(instance, "syscalls", "sys_enter_umask",
						     "filter", "nosuch == 1"), EINVAL);
	text = tracefs_error_last(instance);
	text_has("the error", text, "] event filter parse error: error: Field not found\n");
	text_has("the error", text, "\n  Command: nosuch == 1\n");
	text_has("the error", text, "^");
	free(text);
	refused("a trigger", tracefs_event_file_append(instance, "syscalls", "sys_enter_umask",
						       "trigger", "hist:keys=nosuch"), EINVAL);
	text = tracefs_error_last(instance);
	text_has("the last error", text, "hist:syscalls:sys_enter_umask: error:");
	expect("of the error before it", text_lines(text, "filter parse error"), 0);
	free(text);
	text = tracefs_error_all(instance);
	expect("errors", text_lines(text, ": error: "), 2);
	text_has("all errors", text, "filter parse error");
	free(text);
	succeeds("clear", tracefs_error_clear(instance));
	text = tracefs_error_all(instance);
	if (text)
		fail("there is an error after the log was cleared: %s", text);
	free(text);
}

const struct test_case control_cases[] = {
	{ .name = "instances", .run = test_instances, .top = true },
	{ .name = "files", .run = test_files },
	{ .name = "on-off", .run = test_on_off },
	{ .name = "tracers", .run = test_tracers },
	{ .name = "options", .run = test_options },
	{ .name = "functions", .run = test_lists_of_functions, .top = true },
	{ .name = "filters", .run = test_filters, .counts = true },
	{ .name = "graph", .run = test_graph, .counts = true },
	{ .name = "function-pids", .run = test_function_pids, .counts = true },
	{ .name = "event-pids", .run = test_event_pids, .counts = true },
	{ .name = "clocks", .run = test_clocks },
	{ .name = "sizes", .run = test_sizes, .counts = true },
	{ .name = "cpus", .run = test_cpus, .counts = true },
	{ .name = "errors", .run = test_errors },
	{}
};
