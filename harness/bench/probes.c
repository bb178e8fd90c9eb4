// SPDX-License-Identifier: GPL-2.0
/*
 * Count what hits of probes cost, of each kind, and what it costs to make probes, to switch them
 * on and off, and to remove them: one, and a thousand in one write.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define MANY		1000
#define DYNAMIC		"dynamic_events"
#define LINE		256

static bool append(const char *file, const char *text)
{
	return !put_len(file, O_APPEND, text, strlen(text));
}

static void system_calls(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

/* Ten instructions, in which a probe stands. */
__attribute__((noipa)) static int probed(int n)
{
	__asm__ __volatile__("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop" : "+r" (n));
	return n;
}

static void program_calls(void)
{
	for (int i = 0; i < CALLS; i++)
		probed(i);
}

static double timed(void (*calls)(void))
{
	double t = now();

	calls();
	return (now() - t) / CALLS;
}

/* A record of a probe, each of which one of the calls hits, above the same call without it. */
static void row_hit(const char *name, void (*calls)(void), const char *definition)
{
	struct records got = {};
	double without, cost = -1;

	calls();
	without = timed(calls);
	if (append(DYNAMIC, definition) && !put("events/bench/enable", "1")) {
		calls();
		must("trace", "");
		cost = timed(calls) - without;
		must("events/bench/enable", "0");
		got = records();
	}
	/* An event that is still used is not removed. */
	put("events/bench/enable", "0");
	append(DYNAMIC, "-:bench/hit");
	must("trace", "");
	row_of(name, got.nr < CALLS ? -1 : cost, "%.0f records, %.0f bytes", got.nr, got.bytes);
}

/* Where a function of this program is in its file. */
static unsigned long file_offset(void *function)
{
	unsigned long at = (unsigned long)function, start, end, offset, found = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    start <= at && at < end)
			found = at - start + offset;
	}
	if (f)
		fclose(f);
	return found;
}

static void rows_of_hits(void)
{
	static const struct {
		const char *name, *definition;
	} kinds[] = {
		{ "kprobe-event", "p:bench/hit %s" },
		{ "kprobe-event-args", "p:bench/hit %s $arg1 $stack +0($stack)" },
		{ "kretprobe-event", "r:bench/hit %s $retval" },
		{ "fprobe-event", "f:bench/hit %s" },
		{ "fprobe-event-exit", "f:bench/hit %s%%return $retval" },
	};
	char text[LINE], self[128] = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(text, sizeof(text), kinds[i].definition, inner ? inner : "?");
		row_hit(kinds[i].name, system_calls, text);
	}
	row_hit("tracepoint-probe", system_calls, "t:bench/hit sys_enter");
	row_hit("event-probe", system_calls, "e:bench/hit raw_syscalls/sys_enter id=$id");
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0) {
		snprintf(text, sizeof(text), "p:bench/hit %s:0x%lx", self, file_offset(probed));
		row_hit("uprobe-event", program_calls, text);
		text[0] = 'r';
		row_hit("uretprobe-event", program_calls, text);
	}
}

/*
 * The cost of a change; for how much of that the CPU was idle; and the instructions of the next
 * three seconds.
 */
struct span {
	double	cost;
	double	waits;
	double	after;
};

static struct span span_begin(void)
{
	struct span span;

	/* No grace period of what was done before is pending. */
	sleep(1);
	span.waits = idle();
	span.cost = now();
	return span;
}

static void row_span(const char *name, struct span span, bool done)
{
	span.cost = now() - span.cost;
	span.waits = idle() - span.waits;
	span.after = afterwards();
	row_of(name, done ? span.cost : -1, "waits %.0f, after %.0f", span.waits, span.after);
}

/* One probe of a function, made and removed. */
static void rows_one(const char *kind, const char *definition)
{
	char text[LINE], name[64];
	struct span span;
	bool done;

	snprintf(text, sizeof(text), definition, inner ? inner : "?");
	span = span_begin();
	done = append(DYNAMIC, text);
	snprintf(name, sizeof(name), "%s-made", kind);
	row_span(name, span, done);
	span = span_begin();
	done = append(DYNAMIC, "-:bench/one") && done;
	snprintf(name, sizeof(name), "%s-removed", kind);
	row_span(name, span, done);
}

/* A thousand probes in a write; the functions are from all of the text. */
static void rows_many(void)
{
	const char *found[MANY];
	size_t nr = probe_names(found, MANY), made = 0, gone = 0;
	char *definitions = malloc(MANY * LINE), *removals = malloc(MANY * LINE);
	struct span span;
	bool done;

	for (size_t i = 0; i < nr; i++) {
		made += sprintf(definitions + made, "p:bench/many%zu %s\n", i, found[i]);
		gone += sprintf(removals + gone, "-:bench/many%zu\n", i);
	}
	/* Nothing is recorded, as hits of these probes are not to be counted. */
	must("tracing_on", "0");
	span = span_begin();
	done = nr == MANY && !put_len(DYNAMIC, O_APPEND, definitions, made);
	row_span("probes-made", span, done);
	span = span_begin();
	done = !put("events/bench/enable", "1") && done;
	row_span("probes-enabled", span, done);
	span = span_begin();
	done = !put("events/bench/enable", "0") && done;
	row_span("probes-disabled", span, done);
	span = span_begin();
	done = !put_len(DYNAMIC, O_APPEND, removals, gone) && done;
	row_span("probes-removed", span, done);
	must("tracing_on", "1");
	free(definitions);
	free(removals);
}

void rows_probes(void)
{
	must("tracing_on", "1");
	quiet = afterwards();
	rows_of_hits();
	rows_one("probe", "p:bench/one %s");
	rows_one("fprobe", "f:bench/one %s");
	rows_many();
}
