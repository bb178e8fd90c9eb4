// SPDX-License-Identifier: GPL-2.0
/*
 * Count what tracing costs at several sizes, inside the guest: see guest.h. A row is its name,
 * a tab, the size, a tab, and the count; without a count: the size is more than this machine
 * has, or what would take too long.
 *
 * usage: scale [--cpus]
 *
 * --cpus: on as many CPUs as there are. Else on one, where time in which it was idle does not
 * count.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define MOST	6e9		/* instructions that a size may be expected to take */

static double asking;		/* the instructions that a call of idle() takes */

/* Work that was done until now. */
static double work(void)
{
	double slept = idle();

	return now() - slept;
}

static double worked(double since)
{
	double cost = work() - since - asking;

	return cost > 0 ? cost : 0;
}

static void size_row(const char *name, long size, double count)
{
	if (count < 0)
		printf("%s\t%ld\t-\n", name, size);
	else
		printf("%s\t%ld\t%.0f\n", name, size, count);
	fflush(stdout);
}

/* Sizes 1, 10, 100 ... below most, and most. Two that are about the same tell of no growth. */
static long next_size(long size, long most)
{
	return size < most && 15 * size > most ? most : 10 * size;
}

/* Would the next size take too long, if its cost grows as the size? */
static bool too_much(double cost, long size, long next)
{
	return cost > 0 && cost / size * next > MOST;
}

static double most_of(double a, double b)
{
	return a > b ? a : b;
}

static size_t join(char *text, char **words, size_t nr, size_t of)
{
	size_t len = 0;

	for (size_t i = 0; i < nr; i++)
		len += sprintf(text + len, "%s\n", words[i * (of / nr)]);
	return len;
}

/* A write of so many names to set_ftrace_filter. */
static void scale_names(void)
{
	char *text = malloc(nr_names * 128);
	double cost = 0;
	size_t last = 1;

	/* The first use of all costs more. */
	put("set_ftrace_filter", "*sched*");
	for (size_t nr = 1; nr <= nr_names; nr = next_size(nr, nr_names)) {
		size_t len = join(text, names, nr, nr_names);
		bool skip = too_much(cost, last, nr);
		double t = work();

		cost = skip || put_len("set_ftrace_filter", O_TRUNC, text, len) ? -1 : worked(t);
		size_row("names-in-a-filter", nr, cost);
		if (cost < 0)
			break;
		last = nr;
	}
	put("set_ftrace_filter", "");
	free(text);
}

/* How long the base's sample takes to register so many ops of a function, and to go. */
static double ops_registered(int nr)
{
	int fd = open("/ftrace-ops.ko", O_RDONLY | O_CLOEXEC);
	char text[64];
	double t;

	if (fd < 0)
		return -1;
	snprintf(text, sizeof(text), "nr_function_calls=1 nr_ops_relevant=%d", nr);
	t = work();
	syscall(SYS_finit_module, fd, text, 0);
	t = worked(t);
	close(fd);
	return t;
}

static void scale_ops(void)
{
	double call = 0, all = 0, none = ops_call(0), load = ops_registered(0);

	for (long nr = 1, last = 1; nr <= 1000; last = nr, nr *= 10) {
		bool skip = too_much(all, last, nr) || too_much(call * CALLS, last, nr);

		call = skip ? -1 : ops_call(nr);
		all = skip ? -1 : ops_registered(nr);
		size_row("call-of-ops", nr, call < 0 ? -1 : call - none);
		size_row("ops-registered", nr, all < 0 ? -1 : all - load);
		if (skip)
			break;
	}
}

static bool all_instances(long nr, int (*change)(const char *path))
{
	char path[64];

	for (long i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), TRACEFS "instances/scale%ld", i);
		if (change(path))
			return false;
	}
	return true;
}

static int make_instance(const char *path)
{
	return mkdir(path, 0755);
}

/* Memory that is left, of which pages of buffers are part, too. */
static double available(void)
{
	kernel_bytes();		/* it brings counters up to date */
	return memory("MemAvailable");
}

static void scale_instances(void)
{
	double made = 0, gone, bytes;

	for (long nr = 1, last = 1; nr <= 1000; last = nr, nr *= 10) {
		bool skip = too_much(made, last, nr);
		double t;

		bytes = available();
		t = work();
		made = skip || !all_instances(nr, make_instance) ? -1 : worked(t);
		bytes -= available();
		t = work();
		gone = made < 0 || !all_instances(nr, rmdir) ? -1 : worked(t);
		size_row("instances-made", nr, made);
		size_row("instances-gone", nr, gone);
		size_row("instances-bytes", nr, made < 0 ? -1 : bytes > 0 ? bytes : 0);
		if (made < 0)
			break;
	}
}

static char **events;
static size_t nr_events;

static void load_events(void)
{
	FILE *f = fopen(TRACEFS "available_events", "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		events = realloc(events, (nr_events + 1) * sizeof(*events));
		events[nr_events++] = strdup(line);
	}
	if (f)
		fclose(f);
}

static void scale_events(void)
{
	char *text = malloc(nr_events * 256 + 1);
	double on = 0, off;

	for (size_t nr = 1, last = 1; nr <= nr_events; last = nr, nr = next_size(nr, nr_events)) {
		size_t len = join(text, events, nr, nr_events);
		bool skip = too_much(on, last, nr);
		double t;

		must("tracing_on", "0");
		t = work();
		on = skip || put_len("set_event", O_APPEND, text, len) ? -1 : worked(t);
		t = work();
		off = put("set_event", "") ? -1 : worked(t);
		size_row("events-on", nr, on);
		size_row("events-off", nr, on < 0 ? -1 : off);
		if (on < 0)
			break;
	}
	must("tracing_on", "1");
	must("trace", "");
	free(text);
}

static double first_read(void)
{
	char page[PAGE];
	double t = work();
	int fd = open(TRACEFS "trace", O_RDONLY);

	if (fd < 0)
		return -1;
	if (read(fd, page, sizeof(page)) <= 0)
		t = 0;
	close(fd);
	return t ? worked(t) : -1;
}

/* Has the buffer been full? */
static bool overwritten(void)
{
	FILE *f = fopen(TRACEFS "per_cpu/cpu0/stats", "r");
	double n, overrun = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "overrun: %lf", &n) == 1)
			overrun = n;
	}
	if (f)
		fclose(f);
	return overrun > 0;
}

static void scale_buffers(void)
{
	char text[32];

	for (long kb = 64; kb <= 65536; kb *= 16) {
		double size;

		snprintf(text, sizeof(text), "%ld", kb);
		size = work();
		if (put("buffer_size_kb", text))
			size = -1;
		else
			size = worked(size);
		must("tracing_on", "1");
		if (put("current_tracer", "function"))
			break;
		for (int i = 0; i < 1000 && !overwritten(); i++) {
			for (int k = 0; k < CALLS; k++)
				syscall(SYS_getppid);
		}
		must("tracing_on", "0");
		size_row("buffer-kb-resized", kb, size);
		size_row("buffer-kb-first-read", kb, overwritten() ? first_read() : -1);
		must("current_tracer", "nop");
	}
	must("trace", "");
	must("tracing_on", "1");
	put("buffer_size_kb", "1408");
}

/* Probes, each number of them made, switched on and off, and removed by one write each. */
static void scale_probes(void)
{
	enum { MOST_PROBES = 10000 };
	const char **found = malloc(MOST_PROBES * sizeof(*found));
	char *text = malloc(MOST_PROBES * 256);
	double made, on, off, gone, worst = 0, bytes;

	must("tracing_on", "0");
	for (size_t nr = 1, last = 1; nr <= MOST_PROBES; last = nr, nr *= 10) {
		bool skip = too_much(worst, last, nr) || probe_names(found, nr) < nr;
		size_t len = 0;
		double t;

		if (skip) {
			size_row("probes-made", nr, -1);
			break;
		}
		for (size_t i = 0; i < nr; i++)
			len += sprintf(text + len, "p:scale/p%zu %s\n", i, found[i]);
		bytes = kernel_bytes() + memory("Percpu");
		t = work();
		made = put_len("dynamic_events", O_APPEND, text, len) ? -1 : worked(t);
		bytes = kernel_bytes() + memory("Percpu") - bytes;
		t = work();
		on = put("events/scale/enable", "1") ? -1 : worked(t);
		t = work();
		off = put("events/scale/enable", "0") ? -1 : worked(t);
		len = 0;
		for (size_t i = 0; i < nr; i++)
			len += sprintf(text + len, "-:scale/p%zu\n", i);
		t = work();
		gone = put_len("dynamic_events", O_APPEND, text, len) ? -1 : worked(t);
		size_row("probes-made", nr, made);
		size_row("probes-bytes", nr, bytes > 0 ? bytes : 0);
		size_row("probes-enabled", nr, on);
		size_row("probes-disabled", nr, off);
		size_row("probes-removed", nr, gone);
		worst = most_of(most_of(made, on), most_of(off, gone));
	}
	must("tracing_on", "1");
	free(found);
	free(text);
}

/* Calls on each CPU, with one function traced. */
static void call_everywhere(long cpus)
{
	cpu_set_t set;

	for (long cpu = 0; cpu < cpus; cpu++) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			continue;
		for (int i = 0; i < 200; i++)
			syscall(SYS_getppid);
	}
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static double timed(const char *file, const char *text)
{
	double t = now();

	return put(file, text) ? -1 : now() - t;
}

static void scale_cpus(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char page[PAGE];
	double t;
	int fd;

	call_everywhere(1);
	size_row("cpus-function-on", cpus, timed("current_tracer", "function"));
	size_row("cpus-function-off", cpus, timed("current_tracer", "nop"));
	if (inner && !put("set_ftrace_filter", inner) && !put("current_tracer", "function")) {
		call_everywhere(cpus);
		t = now();
		fd = open(TRACEFS "trace", O_RDONLY);
		if (fd < 0 || read(fd, page, sizeof(page)) <= 0)
			t = -1;
		close(fd);
		size_row("cpus-first-read", cpus, t < 0 ? -1 : now() - t);
		size_row("cpus-snapshot-first", cpus, timed("snapshot", "1"));
		call_everywhere(cpus);
		size_row("cpus-snapshot", cpus, timed("snapshot", "1"));
		size_row("cpus-cleared", cpus, timed("trace", ""));
		must("current_tracer", "nop");
	}
	t = now();
	size_row("cpus-instance", cpus, mkdir(TRACEFS "instances/scale", 0755) ? -1 : now() - t);
	rmdir(TRACEFS "instances/scale");
}

int main(int argc, char **argv)
{
	double t;

	if (!has("trace")) {
		fprintf(stderr, "scale: no tracefs at " TRACEFS "\n");
		return 1;
	}
	load_names();
	if (argc > 1 && !strcmp(argv[1], "--cpus")) {
		scale_cpus();
		return 0;
	}
	t = work();
	asking = work() - t;
	load_events();
	scale_names();
	scale_ops();
	scale_instances();
	scale_events();
	scale_buffers();
	scale_probes();
	return 0;
}
