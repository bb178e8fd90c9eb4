// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks that an instance can stamp its records with: their table, and the choice of
 * one. The clocks themselves are in lib/ and in timekeeping. A new instance has the first
 * one of the table, which is also that of a new ring buffer. The top instance has the
 * global clock instead if the local clocks of CPUs disagree.
 *
 * The choice is the user's, or that of histograms with stamps (trace_clock_use()). With the last of
 * these, the instance goes back to the clock that it had, as each clock but the local one makes
 * writers take the long way. But records that are stamped by it stay, and so does the clock, until
 * the user empties the trace. @clock_back of an instance is one more than the id of the clock to go
 * back to, 0 if there is none. A choice of the user ends that.
 */
#include <linux/init.h>
#include <linux/sched/clock.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "instance/buffers.h"
#include "instance/internal.h"
#include "lib/wait.h"

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

/* Records of two clocks cannot be compared, so all there are go. No exchange can happen. */
static void clock_change(struct trace_array *tr, unsigned int id)
{
	lockdep_assert_held(&tr->buffers_mutex);
	WRITE_ONCE(tr->clock_id, id);
	trace_array_restamp(tr, clocks[id].func);
}

/* Choose a clock, with the one to go back to as @clock_back has it. */
static void clock_choose(struct trace_array *tr, unsigned int id, unsigned int back)
{
	trace_exchange_hold(tr);
	clock_change(tr, id);
	WRITE_ONCE(tr->clock_back, back);
	trace_exchange_release(tr);
}

/**
 * trace_array_set_clock - choose a clock
 * @tr: the instance; its records are thrown away, those of the snapshot or of a tracer's maximum,
 *	too
 * @name: as in trace_clock
 *
 * Context: task, may sleep, as trace_buffers_lock_killable(). It calls each CPU.
 * Return: 0, -EINVAL for an unknown clock, -EINTR.
 */
int trace_array_set_clock(struct trace_array *tr, const char *name)
{
	int id = clock_find(name), ret;

	if (id < 0)
		return id;
	ret = trace_buffers_lock_killable(tr);
	if (ret)
		return ret;
	clock_choose(tr, id, 0);
	trace_buffers_unlock(tr);
	return 0;
}

/* Was a record written, or lost, since the buffer was emptied? */
static bool clock_buffer_was_used(struct trace_buffer *buffer)
{
	int cpu;

	if (ring_buffer_entries(buffer) || ring_buffer_overruns(buffer))
		return true;
	for_each_possible_cpu(cpu) {
		if (ring_buffer_read_events_cpu(buffer, cpu) ||
		    ring_buffer_dropped_events_cpu(buffer, cpu))
			return true;
	}
	return false;
}

/* Has no record a stamp of the clock? @emptied: those of the first buffer do not matter. */
static bool clock_is_unused(struct trace_array *tr, bool emptied)
{
	struct trace_buffer **buffer;

	for_each_trace_buffer(tr, buffer) {
		if (!(emptied && *buffer == tr->array_buffer.buffer) &&
		    clock_buffer_was_used(*buffer))
			return false;
	}
	return true;
}

/* Go back, if nobody needs the clock. False: it stays, and so do the records. */
static bool clock_go_back(struct trace_array *tr, bool emptied)
{
	unsigned int back = tr->clock_back;

	lockdep_assert_held(&tr->buffers_mutex);
	if (atomic_read(&tr->clock_users) || !back)
		return false;
	/* A snapshot that comes before this is seen, and one that comes behind it has nothing. */
	trace_exchange_hold(tr);
	if (clock_is_unused(tr, emptied)) {
		clock_change(tr, back - 1);
		WRITE_ONCE(tr->clock_back, 0);
	}
	trace_exchange_release(tr);
	return !tr->clock_back;
}

static void clock_go_back_later(struct trace_array *tr)
{
	guard(trace_buffers)(tr);
	clock_go_back(tr, false);
}

/**
 * trace_clock_use - have a clock as long as it is needed
 * @tr: the instance
 * @name: of a clock that trace_clock_is_known()
 *
 * If the clock is another one than before, records are thrown away as by trace_array_set_clock().
 * trace_clock_unuse() must follow.
 *
 * Context: task, may sleep, as trace_buffers_lock(). It calls each CPU.
 */
void trace_clock_use(struct trace_array *tr, const char *name)
{
	int id = clock_find(name);

	guard(trace_buffers)(tr);
	/* The first user may be the first to leave. */
	if (!tr->clock_later.make)
		trace_later_init(&tr->clock_later, tr, clock_go_back_later);
	atomic_inc(&tr->clock_users);
	if (WARN_ON_ONCE(id < 0))
		return;
	/* Without one to go back to, it was the user who has chosen the last one. */
	if (id != tr->clock_id)
		clock_choose(tr, id, tr->clock_back ?: tr->clock_id + 1);
}

/**
 * trace_clock_unuse - undo trace_clock_use()
 * @tr: the instance
 *
 * A task that has a lock that others need does not change the clock. It is changed later, see
 * trace_buffers_settle(), but not in an instance that goes: nobody looks at the clock there.
 *
 * Context: task, may sleep; without such a lock, as trace_clock_use().
 */
void trace_clock_unuse(struct trace_array *tr)
{
	int left = atomic_dec_return(&tr->clock_users);

	if (WARN_ON_ONCE(left < 0) || left)
		return;
	if (trace_wait_is_forbidden())
		trace_later_ask(&tr->clock_later);
	else if (READ_ONCE(tr->ref) != INSTANCE_GOES)
		clock_go_back_later(tr);
}

/**
 * trace_array_empty - throw away the trace, as its user wants
 * @tr: the instance
 *
 * Context: task, may sleep, as trace_buffers_lock_killable(); waits for writers without it.
 * Return: 0; -EINTR: nothing has changed.
 */
int trace_array_empty(struct trace_array *tr)
{
	bool emptied = false;
	int ret;

	if (READ_ONCE(tr->clock_back)) {
		ret = trace_buffers_lock_killable(tr);
		if (ret)
			return ret;
		emptied = clock_go_back(tr, true);
		trace_buffers_unlock(tr);
	}
	if (!emptied)
		trace_array_reset(tr);
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

	if (!*boot_clock)
		return;
	if (trace_array_set_clock(tr, boot_clock))
		pr_warn("Trace clock %s not defined, going back to default\n", boot_clock);
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
