// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of libtracefs, in the top instance and in one of its own. Each is called as a
 * program would, and what it says is held against what this task has done: CALLS calls of
 * getppid(), and as many of umask().
 *
 * usage: tracefs FOLDER [--left-out] [CASE...]
 *
 * FOLDER: where tracefs is mounted. All that is traced there ends, and what was set is lost.
 * --left-out: one call of each kind is left out. All cases that count calls have to fail.
 * The last line counts: "tracefs: N passed, N failed".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tracefs.h"

struct tep_handle *tep;
pid_t self;

static const char *running, *place;
static int failures, left_out;

void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("    %s, %s: ", running, place);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	failures++;
}

bool expect(const char *what, long long got, long long want)
{
	if (got != want)
		fail("%s: %lld instead of %lld", what, got, want);
	return got == want;
}

bool succeeds(const char *what, int ret)
{
	if (ret < 0)
		fail("%s: %m", what);
	return ret >= 0;
}

/* The library gives -1, and the errno of the kernel is still there. */
bool refused(const char *what, int ret, int err)
{
	if (ret >= 0)
		fail("%s: is taken", what);
	else if (errno != err)
		fail("%s: %m instead of %s", what, strerror(err));
	return ret < 0 && errno == err;
}

bool text_is(const char *what, const char *got, const char *want)
{
	bool same = got && !strcmp(got, want);

	if (!same)
		fail("%s: \"%s\" instead of \"%s\"", what, got ?: "(nothing)", want);
	return same;
}

bool text_has(const char *what, const char *text, const char *part)
{
	bool has = text && strstr(text, part);

	if (!has)
		fail("%s: no \"%s\" in \"%s\"", what, part, text ?: "(nothing)");
	return has;
}

void do_calls(void)
{
	int i;

	for (i = 0; i < CALLS - left_out; i++)
		syscall(SYS_getppid);
	for (i = 0; i < CALLS - left_out; i++)
		umask(i);
}

void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("no CPU %d: %m", cpu);
}

/* Nothing is traced, no file restricts what will be, and the buffer is empty. */
void idle(struct tracefs_instance *instance)
{
	static const char *const lists[] = {
		"set_ftrace_filter", "set_ftrace_notrace", "set_ftrace_pid",
		"set_ftrace_notrace_pid", "set_event_pid", "set_event_notrace_pid",
	};
	unsigned int i;

	tracefs_trace_off(instance);
	succeeds("tracer nop", tracefs_tracer_clear(instance));
	succeeds("events", tracefs_instance_file_write(instance, "events/enable", "0"));
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		succeeds(lists[i], tracefs_instance_file_clear(instance, lists[i]));
	succeeds("trace_clock", tracefs_instance_file_write(instance, "trace_clock", "local"));
	succeeds("trace", tracefs_instance_file_clear(instance, "trace"));
	tracefs_error_clear(instance);
	on_cpu(0);
	succeeds("tracing_on", tracefs_trace_on(instance));
}

/* The text of a file, which is never NULL. The caller frees it. */
char *file_text(struct tracefs_instance *instance, const char *file)
{
	char *text = tracefs_instance_file_read(instance, file, NULL);

	if (!text)
		fail("%s: cannot be read: %m", file);
	return text ?: strdup("");
}

/* The number behind the first @key in a text, -1 without it. */
long text_number(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? atol(at + strlen(key)) : -1;
}

long file_number(struct tracefs_instance *instance, const char *file, const char *key)
{
	char *text = file_text(instance, file);
	long number = text_number(text, key);

	free(text);
	return number;
}

/* How often @part is in a text. */
long text_lines(const char *text, const char *part)
{
	long n = 0;

	while (text && (text = strstr(text, part))) {
		text += strlen(part);
		n++;
	}
	return n;
}

struct taking {
	const char	*system, *event;
	long		number;
};

static int take_record(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	struct taking *taking = data;

	(void)cpu;
	if (!strcmp(event->system, taking->system) && !strcmp(event->name, taking->event) &&
	    tep_data_pid(event->tep, record) == self)
		taking->number++;
	return 0;
}

/* Read all records, and count those of an event of this task. */
long taken(struct tracefs_instance *instance, const char *system, const char *event)
{
	struct taking taking = { .system = system, .event = event };

	if (!tep_find_event_by_name(tep, system, event))
		fail("%s:%s is not known", system, event);
	succeeds("iterating", tracefs_iterate_raw_events(tep, instance, NULL, 0, take_record,
							 &taking));
	return taking.number;
}

static bool run_case(const struct test_case *test, struct tracefs_instance *instance)
{
	bool planted = left_out && test->counts;

	running = test->name;
	place = instance ? "instance" : "top";
	failures = 0;
	idle(instance);
	test->run(instance);
	idle(instance);
	printf("%s %s, %s%s\n", failures ? "not ok" : "ok", test->name, place,
	       planted ? ", a call was left out" : "");
	fflush(stdout);
	return planted ? failures > 0 : !failures;
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++) {
		if (!strcmp(name, *names))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	static const struct test_case *const groups[] = {
		control_cases, record_cases, raw_cases, hist_cases, synth_cases, probe_cases,
	};
	struct tracefs_instance *own;
	const struct test_case *test;
	int passed = 0, failed = 0;
	unsigned int i;

	if (argc < 2 || tracefs_set_tracing_dir(argv[1])) {
		printf("tracefs: where is tracefs mounted?\n");
		return 2;
	}
	argv++;
	if (argv[1] && !strcmp(argv[1], "--left-out")) {
		left_out = 1;
		argv++;
	}
	prctl(PR_SET_NAME, "tracefs");
	self = getpid();
	tep = tracefs_local_events(NULL);
	own = tracefs_instance_create("tracefs-own");
	if (!tep || !own) {
		printf("tracefs: no events, or no instance: %m\n");
		return 2;
	}
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (test = groups[i]; test->name; test++) {
			if (!wanted(test->name, argv + 1) || (left_out && !test->counts))
				continue;
			*(run_case(test, NULL) ? &passed : &failed) += 1;
			if (!test->top)
				*(run_case(test, own) ? &passed : &failed) += 1;
		}
	}
	if (tracefs_instance_destroy(own)) {
		printf("tracefs: the instance stays: %m\n");
		failed++;
	}
	tracefs_instance_free(own);
	printf("tracefs: %d passed, %d failed\n", passed, failed);
	return !!failed;
}
