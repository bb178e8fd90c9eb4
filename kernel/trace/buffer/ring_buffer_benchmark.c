// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIG_RING_BUFFER_BENCHMARK: a producer that writes as fast as it can for
 * ten seconds and rests for ten, a consumer beside it, and figures of each round
 * in the kernel's log.  It has a ring buffer of its own.  Speed of the same
 * code without a consumer, and against other kernels: harness/bench/ring_buffer.
 * Its functions begin with bench_.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <uapi/linux/sched/types.h>

#define ROUND_SECONDS	10
#define BUFFER_BYTES	1000000UL

static bool disable_reader;
module_param(disable_reader, bool, 0644);
MODULE_PARM_DESC(disable_reader, "only write");

static unsigned int write_iteration = 50;
module_param(write_iteration, uint, 0644);
MODULE_PARM_DESC(write_iteration, "events between two looks at the time");

static int producer_nice = MAX_NICE;
module_param(producer_nice, int, 0644);
MODULE_PARM_DESC(producer_nice, "nice value of the producer");

static int consumer_nice = MAX_NICE;
module_param(consumer_nice, int, 0644);
MODULE_PARM_DESC(consumer_nice, "nice value of the consumer");

static int producer_fifo;
module_param(producer_fifo, int, 0644);
MODULE_PARM_DESC(producer_fifo, "real time: 0 no, 1 low, 2 as drivers have it");

static int consumer_fifo;
module_param(consumer_fifo, int, 0644);
MODULE_PARM_DESC(consumer_fifo, "real time: 0 no, 1 low, 2 as drivers have it");

struct payload {
	u64	cpu;
	u64	number;
};

/**
 * struct round - what is counted in ten seconds
 * @hit: events written
 * @missed: events refused
 * @ns: time it took
 * @read: events consumed; the consumer's
 * @bad: events with another content; the consumer's
 * @by_page: the consumer reads whole pages
 * @unread: there is no consumer
 */
static struct round {
	u64		hit;
	u64		missed;
	u64		ns;
	unsigned long	read;
	unsigned long	bad;
	bool		by_page;
	bool		unread;
} now;

static struct trace_buffer *buffer;
static bool producing;

static void bench_write_some(unsigned int n)
{
	while (n--) {
		struct ring_buffer_event *event;
		struct payload *payload;

		event = ring_buffer_lock_reserve(buffer, sizeof(*payload));
		if (!event) {
			now.missed++;
			continue;
		}
		payload = ring_buffer_event_data(event);
		payload->cpu = raw_smp_processor_id();
		payload->number = now.hit++;
		ring_buffer_unlock_commit(buffer);
	}
}

static void bench_check(struct ring_buffer_event *event, int cpu)
{
	struct payload *payload = ring_buffer_event_data(event);

	now.bad += payload->cpu != cpu;
	now.read++;
}

static bool bench_read_events(int cpu)
{
	struct ring_buffer_event *event;
	int n;

	for (n = 0; n < 1000; n++) {
		event = ring_buffer_consume(buffer, cpu, NULL, NULL);
		if (!event)
			break;
		bench_check(event, cpu);
	}
	return n;
}

/* The words of a page as header_page describes it. */
static bool bench_read_page(int cpu)
{
	struct buffer_data_read_page *page;
	unsigned int off, len;
	bool found = false;
	void *data;

	if (ring_buffer_alloc_read_page(buffer, cpu, &page))
		return false;
	if (!ring_buffer_read_page(buffer, page, ring_buffer_read_page_size(page), cpu, 0)) {
		found = true;
		data = ring_buffer_read_page_data(page) + sizeof(u64);
		len = *(unsigned long *)data & GENMASK(29, 0);
		data += sizeof(long);
		for (off = 0; off < len;) {
			struct ring_buffer_event *event = data + off;

			if (event->type_len >= RINGBUF_TYPE_TIME_EXTEND) {
				off += 2 * sizeof(u32);
				continue;
			}
			if (event->type_len == RINGBUF_TYPE_PADDING) {
				off += event->array[0] + sizeof(u32);
				continue;
			}
			bench_check(event, cpu);
			off += sizeof(u32) + (event->type_len ? event->type_len * sizeof(u32) :
					      event->array[0]);
		}
	}
	ring_buffer_free_read_page(buffer, cpu, page);
	return found;
}

static bool bench_end_of_round(void *unused)
{
	return !READ_ONCE(producing) || kthread_should_stop();
}

static int bench_consumer_thread(void *unused)
{
	while (!kthread_should_stop()) {
		bool found = false;
		int cpu;

		if (!READ_ONCE(producing)) {
			msleep(20);
			continue;
		}
		for_each_online_cpu(cpu)
			found |= now.by_page ? bench_read_page(cpu) : bench_read_events(cpu);
		if (!found)
			ring_buffer_wait(buffer, RING_BUFFER_ALL_CPUS, 0, bench_end_of_round, NULL);
		cond_resched();
	}
	return 0;
}

static void bench_one_round(void)
{
	u64 start = ktime_get_ns(), end = start + (u64)ROUND_SECONDS * NSEC_PER_SEC;

	now = (struct round) { .by_page = !now.by_page, .unread = now.unread };
	ring_buffer_reset(buffer);
	WRITE_ONCE(producing, true);
	do {
		bench_write_some(max(1U, READ_ONCE(write_iteration)));
		cond_resched();
		now.ns = ktime_get_ns() - start;
	} while (start + now.ns < end && !kthread_should_stop());
	WRITE_ONCE(producing, false);
	ring_buffer_wake_waiters(buffer, RING_BUFFER_ALL_CPUS);
}

static void bench_report(void)
{
	u64 ms = max(1ULL, div_u64(now.ns, NSEC_PER_MSEC));

	pr_info("%llu events in %llu ms, %llu refused\n", now.hit, ms, now.missed);
	pr_info("%lu overwritten, %lu to be read\n", ring_buffer_overruns(buffer),
		ring_buffer_entries(buffer));
	if (!now.unread)
		pr_info("%lu read by %s, %lu of them wrong\n", now.read,
			now.by_page ? "page" : "event", now.bad);
	if (now.hit)
		pr_info("%llu events a ms, %llu ns an event\n", div64_u64(now.hit, ms),
			div64_u64(now.ns, now.hit));
	WARN_ON_ONCE(now.bad);
}

static int bench_producer_thread(void *unused)
{
	while (!kthread_should_stop()) {
		int i;

		bench_one_round();
		bench_report();
		for (i = 0; i < ROUND_SECONDS * 10 && !kthread_should_stop(); i++)
			msleep(100);
	}
	return 0;
}

/* The threads, in the order in which they begin. */
static struct bench_thread {
	const char		*name;
	int			(*func)(void *unused);
	const int		*nice;
	const int		*fifo;
	struct task_struct	*task;
} threads[] = {
	{ "rb_consumer", bench_consumer_thread, &consumer_nice, &consumer_fifo },
	{ "rb_producer", bench_producer_thread, &producer_nice, &producer_fifo },
};

static int bench_begin(struct bench_thread *thread)
{
	struct task_struct *task = kthread_create(thread->func, NULL, "%s", thread->name);

	if (IS_ERR(task))
		return PTR_ERR(task);
	if (*thread->fifo >= 2)
		sched_set_fifo(task);
	else if (*thread->fifo)
		sched_set_fifo_low(task);
	else
		set_user_nice(task, *thread->nice);
	thread->task = task;
	wake_up_process(task);
	return 0;
}

/* Stop the threads that have started, although others may be missing. */
static void bench_end(void)
{
	int i = ARRAY_SIZE(threads);

	while (i--) {
		if (threads[i].task)
			kthread_stop(threads[i].task);
	}
	ring_buffer_free(buffer);
}

static int __init bench_init(void)
{
	int i = disable_reader ? 1 : 0, ret = 0;

	now.unread = disable_reader;
	buffer = ring_buffer_alloc(BUFFER_BYTES, RB_FL_OVERWRITE);
	if (!buffer)
		return -ENOMEM;
	while (i < ARRAY_SIZE(threads) && !ret)
		ret = bench_begin(&threads[i++]);
	if (ret)
		bench_end();
	return ret;
}

module_init(bench_init);
module_exit(bench_end);

MODULE_DESCRIPTION("Benchmark of the ring buffer");
MODULE_LICENSE("GPL");
