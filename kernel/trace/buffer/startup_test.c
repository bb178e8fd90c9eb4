// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIG_RING_BUFFER_STARTUP_TEST: ten seconds at the end of booting a thread on
 * each CPU writes, and interrupts from another thread write into the midst of
 * that.  Then everything is read and must add up; if it does not, no ring
 * buffer records anything any more.  The suites in tests/ say more precisely
 * what is wrong.
 */
#define pr_fmt(fmt) "ring_buffer: " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "buffer/internal.h"
#include "buffer/reserve.h"
#include "lib/cpu_call.h"

#define SECONDS		10
#define BUFFER_BYTES	BIT(20)
#define LONGEST		200

DEFINE_STATIC_KEY_FALSE(rb_broken);

enum writer { IN_TASK, IN_IRQ, WRITERS };

/*
 * An event: its writer, the number of events that this writer wrote before, and bytes that
 * follow.
 */
struct item {
	u32	writer;
	u32	number;
	u32	length;
	u8	data[];
};

/**
 * struct cpu_test - a CPU's writers, and what was found
 * @thread: the writer that is a task
 * @written: events, by writer
 * @bytes: their data, by writer
 * @refused: events not written, by writer
 * @read: events found
 * @lost: events that reading said to be lost
 * @longest: longest event found
 */
struct cpu_test {
	struct task_struct	*thread;
	unsigned long		written[WRITERS];
	unsigned long		bytes[WRITERS];
	unsigned long		refused[WRITERS];
	unsigned long		read;
	unsigned long		lost;
	unsigned int		longest;
};

static struct trace_buffer *buffer __initdata;
static struct cpu_test __percpu *tests __initdata;

static u8 startup_test_byte_of(u32 number, u32 i)
{
	return number * 31 + i;
}

/* Preemption is off, so that the CPU stays. */
static void startup_test_write_item(struct trace_buffer *to, struct cpu_test *t, enum writer writer)
{
	u32 number = t->written[writer], length = number * 7 % LONGEST, i;
	struct ring_buffer_event *event;
	struct item *item;

	event = ring_buffer_lock_reserve(to, struct_size(item, data, length));
	if (!event) {
		t->refused[writer]++;
		return;
	}
	item = ring_buffer_event_data(event);
	item->writer = writer;
	item->number = number;
	item->length = length;
	for (i = 0; i < length; i++)
		item->data[i] = startup_test_byte_of(number, i);
	ring_buffer_unlock_commit(to);
	t->written[writer]++;
	t->bytes[writer] += struct_size(item, data, length);
}

static int __init startup_test_write_thread(void *unused)
{
	while (!kthread_should_stop()) {
		int n;

		for (n = 0; n < 500; n++) {
			preempt_disable();
			startup_test_write_item(buffer, this_cpu_ptr(tests), IN_TASK);
			preempt_enable();
		}
		usleep_range(20, 200);
	}
	return 0;
}

static void __init startup_test_write_in_irq(void *unused)
{
	startup_test_write_item(buffer, this_cpu_ptr(tests), IN_IRQ);
}

static int __init startup_test_hammer_thread(void *unused)
{
	while (!kthread_should_stop()) {
		trace_cpu_call_each(startup_test_write_in_irq, NULL);
		usleep_range(20, 50);
	}
	return 0;
}

/* Is this event what was written, and not older than the last one? */
static bool __init startup_test_item_is_good(struct ring_buffer_event *event, u32 *next)
{
	struct item *item = ring_buffer_event_data(event);
	u32 i;

	if (item->writer >= WRITERS || item->length >= LONGEST ||
	    item->length != item->number * 7 % LONGEST ||
	    ring_buffer_event_length(event) < struct_size(item, data, item->length))
		return false;
	for (i = 0; i < item->length; i++) {
		if (item->data[i] != startup_test_byte_of(item->number, i))
			return false;
	}
	if ((s32)(item->number - next[item->writer]) < 0)
		return false;
	next[item->writer] = item->number + 1;
	return true;
}

static bool __init startup_test_check_cpu(int cpu)
{
	struct cpu_test *t = per_cpu_ptr(tests, cpu);
	unsigned long written = t->written[IN_TASK] + t->written[IN_IRQ];
	unsigned long refused = t->refused[IN_TASK] + t->refused[IN_IRQ];
	struct ring_buffer_event *event;
	unsigned long lost, bad = 0;
	u32 next[WRITERS] = { 0 };
	u64 ts, last = 0;

	while ((event = ring_buffer_consume(buffer, cpu, &ts, &lost))) {
		bad += !startup_test_item_is_good(event, next) || ts < last;
		last = ts;
		t->read++;
		t->lost += lost;
		t->longest = max(t->longest, ring_buffer_event_length(event));
	}
	pr_info("CPU %d: %lu written by the task, %lu by interrupts, %lu bytes; %lu refused\n",
		cpu, t->written[IN_TASK], t->written[IN_IRQ],
		t->bytes[IN_TASK] + t->bytes[IN_IRQ], refused);
	pr_info("CPU %d: %lu read, %lu lost, longest %u; %lu bad\n",
		cpu, t->read, t->lost, t->longest, bad);
	return !bad && t->read && t->read + t->lost == written &&
	       t->lost == ring_buffer_overrun_cpu(buffer, cpu) &&
	       refused == ring_buffer_dropped_events_cpu(buffer, cpu) +
			  ring_buffer_commit_overrun_cpu(buffer, cpu) &&
	       next[IN_TASK] == t->written[IN_TASK];
}

static int __init startup_test_run_writers(void)
{
	struct task_struct *hammer;
	int cpu, ret = 0;

	for_each_online_cpu(cpu) {
		struct task_struct *thread;

		thread = kthread_run_on_cpu(startup_test_write_thread, NULL, cpu, "rb_test/%u");
		if (IS_ERR(thread)) {
			ret = PTR_ERR(thread);
			break;
		}
		per_cpu_ptr(tests, cpu)->thread = thread;
	}
	hammer = kthread_run(startup_test_hammer_thread, NULL, "rb_hammer");
	if (!ret)
		ssleep(SECONDS);
	if (!IS_ERR(hammer))
		kthread_stop(hammer);
	for_each_possible_cpu(cpu) {
		if (per_cpu_ptr(tests, cpu)->thread)
			kthread_stop(per_cpu_ptr(tests, cpu)->thread);
	}
	return ret ?: PTR_ERR_OR_ZERO(hammer);
}

static int __init startup_test(void)
{
	bool ok = true;
	int cpu, ret;

	buffer = ring_buffer_alloc(BUFFER_BYTES, RB_FL_OVERWRITE);
	tests = alloc_percpu(struct cpu_test);
	ret = buffer && tests ? 0 : -ENOMEM;
	if (!ret) {
		pr_info("testing the ring buffer for %d seconds\n", SECONDS);
		cpus_read_lock();
		ret = startup_test_run_writers();
		for_each_online_cpu(cpu)
			ok = ok && (ret || startup_test_check_cpu(cpu));
		cpus_read_unlock();
	}
	if (WARN_ON(!ok))
		static_branch_enable(&rb_broken);
	else if (!ret)
		pr_info("ring buffer test passed\n");
	if (buffer)
		ring_buffer_free(buffer);
	free_percpu(tests);
	return ret;
}
late_initcall(startup_test);
