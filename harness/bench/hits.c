// SPDX-License-Identifier: GPL-2.0
/*
 * Count what it costs when an event is hit that has a filter, a trigger or a histogram, or that
 * perf samples; and what it costs to attach and to read these.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "guest.h"

#define EVENT		"events/raw_syscalls/sys_enter/"
#define HIST_ROWS	2000

/* The calls, all of which hit the event. */
static double calls(void)
{
	double t = now();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return now() - t;
}

/* The number behind @key in a file; -1: it is not there. */
static double told(const char *file, const char *key)
{
	char path[256], line[4096];
	double n = -1;
	FILE *f;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, key);

		if (at)
			sscanf(at + strlen(key), "%lf", &n);
	}
	if (f)
		fclose(f);
	return n;
}

/* Write a trigger, and remove it: it begins with '!' then. */
static int trigger(const char *text, bool attach)
{
	char removal[256];

	snprintf(removal, sizeof(removal), "!%s", text);
	return put_len(EVENT "trigger", O_APPEND, attach ? text : removal,
		       strlen(text) + !attach);
}

/* A hit of the event with a trigger, above the same call with nothing on. */
static double triggered(const char *text, double untraced)
{
	double cost, hits = CALLS;

	if (trigger(text, true))
		return -1;
	calls();
	cost = calls() / CALLS - untraced;
	if (!strncmp(text, "hist", 4))
		hits = told(EVENT "hist", "Hits:");
	trigger(text, false);
	return hits < CALLS ? -1 : cost;
}

/* A hit that the filter of the event refuses. */
static double filtered(double untraced)
{
	double cost = -1;

	if (put(EVENT "filter", "id == 99999"))
		return -1;
	must("trace", "");
	if (!put(EVENT "enable", "1")) {
		calls();
		cost = calls() / CALLS - untraced;
		must(EVENT "enable", "0");
		if (drain("trace").lines)
			cost = -1;
	}
	must(EVENT "filter", "0");
	return cost;
}

/* A record of an event of one system call. */
static double recorded_call(double untraced)
{
	double cost = -1;

	if (!has("events/syscalls/sys_enter_getppid/enable"))
		return -1;
	must("trace", "");
	if (!put("events/syscalls/sys_enter_getppid/enable", "1")) {
		calls();
		must("trace", "");
		cost = calls() / CALLS - untraced;
		must("events/syscalls/sys_enter_getppid/enable", "0");
		if (drain("trace").lines < CALLS)
			cost = -1;
	}
	must("trace", "");
	return cost;
}

/*
 * The cost of a change, and for how much of that the CPU was idle. It begins when no grace
 * period of what was done before is pending: a change that comes sooner may have to wait for that.
 */
struct span {
	double	cost;
	double	waits;
};

static struct span span_begin(void)
{
	struct span span;

	sleep(1);
	span.waits = idle();
	span.cost = now();
	return span;
}

static void span_end(struct span *span, bool done)
{
	span->cost = done ? now() - span->cost : -1;
	span->waits = idle() - span->waits;
}

static bool append(const char *file, const char *text)
{
	return !put_len(file, O_APPEND, text, strlen(text));
}

/* Attaching a histogram, removing it, and a row in reading it. */
static void rows_hist(void)
{
	static const char file[] = "events/syscalls/sys_enter_getpgid/hist";
	static const char trigger_file[] = "events/syscalls/sys_enter_getpgid/trigger";
	struct span on = span_begin(), off = { .cost = -1 };
	double row_cost = -1;
	struct text text = {};

	span_end(&on, append(trigger_file, "hist:keys=pid"));
	if (on.cost >= 0) {
		for (int i = 0; i < HIST_ROWS; i++)
			syscall(SYS_getpgid, 1000000 + i);
		text = drain(file);
		if (text.lines > HIST_ROWS)
			row_cost = drain_cost(file) / HIST_ROWS;
		off = span_begin();
		span_end(&off, append(trigger_file, "!hist:keys=pid"));
	}
	row_of("hist-attach", on.cost, "waits %.0f", on.waits);
	row_of("hist-remove", off.cost, "waits %.0f", off.waits);
	row_of("hist-row", row_cost, "%d rows, %ld bytes", HIST_ROWS, text.bytes);
}

#define MATCHED		"events/synthetic/bench_matched/"
#define MATCH		"onmatch(raw_syscalls.sys_enter).bench_matched($lat,id)"

/*
 * A call that two histograms match, which makes a synthetic event of it. It is recorded, or nobody
 * listens.
 */
static double matched(double untraced, bool listen)
{
	static const char starts[] = "hist:keys=common_pid:start=common_timestamp.usecs";
	static const char ends[] = "hist:keys=common_pid:lat=common_timestamp.usecs-$start:" MATCH;
	static const char file[] = "events/raw_syscalls/sys_exit/trigger";
	char removal[sizeof(ends) + 1] = "!";
	double cost = -1;

	if (!append("synthetic_events", "bench_matched u64 lat; long id"))
		return -1;
	if (!trigger(starts, true) && append(file, ends)) {
		if (listen)
			must(MATCHED "enable", "1");
		calls();
		must("trace", "");
		cost = calls() / CALLS - untraced;
		if (listen)
			must(MATCHED "enable", "0");
		if (told("events/raw_syscalls/sys_exit/hist", "Hits:") < 2 * CALLS ||
		    (drain("trace").lines < CALLS) == listen)
			cost = -1;
	}
	append(file, strcat(removal, ends));
	trigger(starts, false);
	append("synthetic_events", "!bench_matched u64 lat; long id");
	must("trace", "");
	return cost;
}

/* All events on and off. */
static void rows_all(void)
{
	long events = drain("available_events").lines;
	struct span on = span_begin(), off;

	span_end(&on, !put("events/enable", "1"));
	off = span_begin();
	span_end(&off, !put("events/enable", "0"));
	must("trace", "");
	row_of("events-on", on.cost, "%ld events, waits %.0f", events, on.waits);
	row_of("events-off", off.cost, "%ld events, waits %.0f", events, off.waits);
}

/* A sample of the event by perf. */
static double sampled(double untraced)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID,
		.wakeup_events = 1000000,
	};
	enum { PAGES = 1024 };
	struct perf_event_mmap_page *meta;
	double cost = -1, id = told(EVENT "id", "");
	int fd;

	attr.config = id;
	fd = id < 0 ? -1 : syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		return -1;
	meta = mmap(NULL, (1 + PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (meta != MAP_FAILED) {
		calls();
		meta->data_tail = meta->data_head;
		cost = calls() / CALLS - untraced;
		/* A sample has its header, three words at least, and the record. */
		if (meta->data_head - meta->data_tail < CALLS * 32)
			cost = -1;
		munmap(meta, (1 + PAGES) * PAGE);
	}
	close(fd);
	return cost;
}

/* @untraced: what the system call costs with nothing on. */
void rows_hits(double untraced)
{
	must("tracing_on", "1");
	row("event-filtered", filtered(untraced));
	row("event-syscall", recorded_call(untraced));
	row("trigger-stacktrace", triggered("stacktrace", untraced));
	must("trace", "");
	row("hist-one-key", triggered("hist:keys=id", untraced));
	row("hist-pid-sum", triggered("hist:keys=common_pid:vals=id", untraced));
	row("hist-match-unheard", matched(untraced, false));
	row("hist-match-recorded", matched(untraced, true));
	rows_hist();
	rows_all();
	row("perf-sample", sampled(untraced));
}
