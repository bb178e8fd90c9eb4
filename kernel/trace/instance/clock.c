// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks that an instance can stamp its records with: their table, and the choice of
 * one. The clocks themselves are in lib/ and in timekeeping. A new instance has the first
 * one of the table, which is also that of a new ring buffer. The top instance has the
 * global clock instead if the local clocks of CPUs disagree.
 */
#include <linux/init.h>
#include <linux/sched/clock.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "instance/buffers.h"
#include "instance/internal.h"

#define CLOCK_ENTRY(word, read, ns)	{ .name = word, .func = read, .in_ns = ns }

static const struct trace_clock_entry clocks[] = {
	CLOCK_ENTRY("local", trace_clock_local, 1),
	CLOCK_ENTRY("global", trace_clock_global, 1),
	CLOCK_ENTRY("counter", trace_clock_counter, 0),
	CLOCK_ENTRY("uptime", trace_clock_jiffies, 0),
	CLOCK_ENTRY("perf", trace_clock, 1),
	CLOCK_ENTRY("mono", ktime_get_mono_fast_ns, 1),
	CLOCK_ENTRY("mono_raw", ktime_get_raw_fast_ns, 1),
	CLOCK_ENTRY("boot", ktime_get_boot_fast_ns, 1),
	CLOCK_ENTRY("tai", ktime_get_tai_fast_ns, 1),
	ARCH_TRACE_CLOCKS
};

static char boot_clock[32] __initdata;

static int __init clock_boot_setup(char *text)
{
	strscpy(boot_clock, text, sizeof(boot_clock));
	return 1;
}
__setup("trace_clock=", clock_boot_setup);

/* Context: any. */
const struct trace_clock_entry *trace_clock_in_use(struct trace_array *tr)
{
	return &clocks[READ_ONCE(tr->clock_id)];
}

/**
 * trace_clock_name - the clock in use
 * @tr: the instance
 *
 * Context: any.
 * Return: its name, as in the file trace_clock.
 */
const char *trace_clock_name(struct trace_array *tr)
{
	return trace_clock_in_use(tr)->name;
}

/**
 * trace_clock_in_ns - does the clock in use count nanoseconds?
 * @tr: the instance
 *
 * Context: any.
 * Return: true if it does; false for a counter or for ticks.
 */
bool trace_clock_in_ns(struct trace_array *tr)
{
	return trace_clock_in_use(tr)->in_ns;
}

static int clock_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcmp(clocks[i].name, name))
			return i;
	}
	return -EINVAL;
}

/* Is there a clock of this name? */
bool trace_clock_is_known(const char *name)
{
	return clock_find(name) >= 0;
}

static void clock_use(struct trace_array *tr, int id)
{
	struct trace_buffer **buffer;

	WRITE_ONCE(tr->clock_id, id);
	for_each_trace_buffer(tr, buffer)
		ring_buffer_set_clock(*buffer, clocks[id].func);
}

/**
 * trace_array_set_clock - choose a clock
 * @tr: the instance; its records are thrown away, those of the snapshot or of a tracer's
 *	maximum, too: they could not be compared with new ones
 * @name: as in trace_clock
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -EINVAL for an unknown clock.
 */
int trace_array_set_clock(struct trace_array *tr, const char *name)
{
	int id = clock_find(name);

	trace_instances_assert_locked();
	if (id < 0)
		return id;
	clock_use(tr, id);
	/* The second buffer becomes the first one, and must not keep a time of the old clock. */
	trace_array_reset_all(tr);
	return 0;
}

/**
 * trace_array_write_clock - choose a clock, as a write to trace_clock does
 * @tr: as of trace_array_set_clock(); the caller has a reference
 * @name: as in trace_clock
 *
 * Emptying the buffers waits for all CPUs, so the lock is given back meanwhile. Of two writers,
 * each empties the buffers behind its own change.
 *
 * Context: task, may sleep; trace_instances_lock() is held, and is given back meanwhile.
 * Return: 0, -EINVAL for an unknown clock.
 */
int trace_array_write_clock(struct trace_array *tr, const char *name)
{
	int id = clock_find(name);

	trace_instances_assert_locked();
	if (id < 0)
		return id;
	clock_use(tr, id);
	trace_instances_unlock();
	trace_array_reset_all(tr);
	trace_instances_lock();
	return 0;
}

/**
 * trace_clock_boot - the top instance takes its clock from the command line
 *
 * Context: boot, after the top instance was made, which has no records yet.
 */
void __init trace_clock_boot(void)
{
	struct trace_array *tr = trace_top_instance();
	int id = clock_find(boot_clock);

	if (!*boot_clock)
		return;
	if (id < 0)
		pr_warn("Trace clock %s not defined, going back to default\n", boot_clock);
	else
		clock_use(tr, id);
}

#ifdef CONFIG_HAVE_UNSTABLE_SCHED_CLOCK
/*
 * After the late initcalls it is known whether the local clocks of all CPUs agree. If they
 * do not, use the global clock. A change of clock empties the buffer, so a buffer that
 * has a trace of the boot keeps the local clock.
 */
static int __init trace_clock_if_unstable(void)
{
	struct trace_array *tr = trace_top_instance();

	if (!tr || *boot_clock || sched_clock_stable() ||
	    security_locked_down(LOCKDOWN_TRACEFS))
		return 0;
	guard(trace_instances)();
	if (!ring_buffer_empty(tr->array_buffer.buffer)) {
		pr_warn("Unstable clock detected, the trace of the boot keeps it: \"global\" in trace_clock orders CPUs, and empties the trace\n");
		return 0;
	}
	pr_warn("Unstable clock detected, switching default tracing clock to \"global\"\n");
	pr_warn("trace_clock=local on the kernel command line keeps the local one\n");
	return trace_array_set_clock(tr, "global");
}
late_initcall_sync(trace_clock_if_unstable);
#endif

/* Print the names of all clocks for the file trace_clock; the one in use is in brackets. */
void trace_clocks_show(struct seq_file *m, struct trace_array *tr)
{
	unsigned int id = READ_ONCE(tr->clock_id);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		seq_printf(m, i == id ? "%s[%s]" : "%s%s", i ? " " : "", clocks[i].name);
	seq_putc(m, '\n');
}
