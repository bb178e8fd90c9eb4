// SPDX-License-Identifier: GPL-2.0
/*
 * The ring buffer under chance: writers nest in all contexts, wrap, lose and
 * discard; a reader consumes by event, by page, or iterates; sizes change.
 * Each event has a sequence number of its writer and a checksum.
 *
 *	each event read is whole, in its writer's order, and not before the last
 *	read + overrun = written, dropped + commit overrun = refused
 *	what the reader was told to be lost covers each gap it has seen, and in the end
 *	is what was overwritten or refused, no more and no less
 *
 * One case does it in one task, which is fast, and the same for the same seed but
 * for its timer; the others with a task a CPU, and two readers elsewhere, of
 * which one iterates.  Sub-buffers of another size empty the buffer: there the
 * events must be whole and in order, and the sums are those of each size.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "buffer/tests/support.h"
#include "buffer/tests/words.h"

#define SEED		0x6f66
#define LOCAL_ROUNDS	20
#define ORDERS		4
#define RESIZES		5
#define TIMER_US	100
#define WORDS_MAX	64

static unsigned long events_wanted = 10000000;
module_param_named(events, events_wanted, ulong, 0444);
MODULE_PARM_DESC(events, "events of one task, and of all CPUs in overwrite mode a tenth");

static unsigned int seconds = 3;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "time for all CPUs, at least");

/* Writers of a CPU: emulated levels, and a timer's real interrupt. */
#define TIMER_WRITER	LEVELS
#define WRITERS		(LEVELS + 1)

/**
 * struct record - an event
 * @writer: who wrote it
 * @seq: how many it had written before
 * @words: length of @data
 * @sum: of all the others
 * @data: follows from @seq
 */
struct record {
	u32	writer;
	u32	seq;
	u32	words;
	u32	sum;
	u32	data[];
};

/**
 * struct stress - one CPU's writers and reader
 * @buffer: the ring buffer
 * @cpu: the CPU
 * @rnd: of the writers
 * @read_rnd: of the reader
 * @timer: real interrupt
 * @seq: events written, by writer
 * @refused: events not written
 * @next: sequence number that the reader expects, by writer
 * @read: events read
 * @gaps: sequence numbers skipped
 * @lost: events that the reader was told to be lost
 * @ts: time of the last event read
 * @page: to read into
 * @emptied: the buffer is emptied now and then, so there are gaps nobody tells
 * @broken: what was found wrong first, or NULL
 */
struct stress {
	struct trace_buffer		*buffer;
	int				cpu;
	struct rnd_state		rnd;
	struct rnd_state		read_rnd;
	struct hrtimer			timer;
	u32				seq[WRITERS];
	unsigned long			refused[WRITERS];
	u32				next[WRITERS];
	unsigned long			read;
	unsigned long			gaps;
	unsigned long			lost;
	u64				ts;
	struct buffer_data_read_page	*page;
	bool				emptied;
	const char			*broken;
};

static u32 record_sum(const struct record *record)
{
	u32 sum = record->writer * 31 + record->seq * 7 + record->words;
	unsigned int i;

	for (i = 0; i < record->words; i++)
		sum = rol32(sum, 5) ^ record->data[i];
	return sum;
}

static void write_nested(struct stress *s, enum test_level outer);

#ifdef CONFIG_64BIT
/* Write an event with two words of data, without a reservation. */
static void write_words(struct stress *s, unsigned int writer)
{
	union {
		u8	bytes[sizeof(struct record) + 2 * sizeof(u32)];
		u64	words[3];
	} event;
	struct record *record = (void *)event.bytes;
	int ret;

	record->writer = writer;
	record->seq = s->seq[writer];
	record->words = 2;
	record->data[0] = record->seq;
	record->data[1] = record->seq + 1;
	record->sum = record_sum(record);
	preempt_disable();
	ret = test_write_words(s->buffer, event.words[0], event.words[1], event.words[2]);
	preempt_enable();
	if (!ret)
		s->seq[writer]++;
	else
		s->refused[writer]++;
}
#else
static void write_words(struct stress *s, unsigned int writer) { }
#endif

/* Write one event, maybe with others inside, and maybe discard it. */
static void write_one(struct stress *s, unsigned int writer, u32 dice)
{
	unsigned int words = dice % (dice & BIT(20) ? WORDS_MAX : 6);
	struct ring_buffer_event *event;
	struct record *record;
	unsigned int i;

	if (IS_ENABLED(CONFIG_64BIT) && dice & BIT(21)) {
		write_words(s, writer);
		return;
	}
	event = ring_buffer_lock_reserve(s->buffer, struct_size(record, data, words));
	if (!event) {
		s->refused[writer]++;
		return;
	}
	record = ring_buffer_event_data(event);
	record->writer = writer;
	record->seq = s->seq[writer];
	record->words = words;
	if (writer < LEVEL_NMI)
		write_nested(s, writer);
	for (i = 0; i < words; i++)
		record->data[i] = record->seq + i;
	record->sum = record_sum(record);
	if (!(dice & GENMASK(27, 24))) {
		record->sum++;
		ring_buffer_discard_commit(s->buffer, event);
		return;
	}
	s->seq[writer]++;
	ring_buffer_unlock_commit(s->buffer);
}

/* Writers that interrupt that of level @outer. */
static void write_nested(struct stress *s, enum test_level outer)
{
	unsigned long flags;
	u32 dice;

	local_irq_save(flags);
	dice = prandom_u32_state(&s->rnd);
	if (dice % 4 == 0) {
		enum test_level level = outer + 1 + (dice >> 4) % (LEVEL_NMI - outer);
		unsigned int i;

		test_enter(level);
		for (i = 0; i <= (dice >> 8) % 3; i++)
			write_one(s, level, prandom_u32_state(&s->rnd));
		test_leave(level);
	}
	local_irq_restore(flags);
}

static enum hrtimer_restart write_in_irq(struct hrtimer *timer)
{
	struct stress *s = container_of(timer, struct stress, timer);

	write_one(s, TIMER_WRITER, hash_32(s->seq[TIMER_WRITER], 28) | BIT(25));
	hrtimer_forward_now(timer, ns_to_ktime(TIMER_US * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void start_timer(struct stress *s)
{
	hrtimer_start(&s->timer, ns_to_ktime(TIMER_US * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void write_many(struct stress *s, unsigned int n)
{
	while (n--) {
		unsigned long flags;
		u32 dice;

		local_irq_save(flags);
		dice = prandom_u32_state(&s->rnd);
		local_irq_restore(flags);
		write_one(s, LEVEL_TASK, dice);
	}
}

static void wrong(struct stress *s, const char *what)
{
	if (!s->broken)
		s->broken = what;
}

/* Check one event; @next has the sequence numbers expected. */
static void check(struct stress *s, struct ring_buffer_event *event, u32 *next,
		  unsigned long *gaps)
{
	struct record *record = ring_buffer_event_data(event);
	unsigned int length = ring_buffer_event_length(event);
	u32 gap;

	if (length < sizeof(*record) || record->words > WORDS_MAX ||
	    length != ALIGN(struct_size(record, data, record->words), TEST_ALIGN) ||
	    record->writer >= WRITERS) {
		wrong(s, "event's form");
		return;
	}
	if (record->sum != record_sum(record))
		wrong(s, "checksum");
	gap = record->seq - next[record->writer];
	if ((s32)gap < 0)
		wrong(s, "sequence");
	*gaps += gap;
	next[record->writer] = record->seq + 1;
}

static bool consume_one(struct stress *s)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	/* Somebody may change the size of the sub-buffers. */
	guard(preempt)();
	event = ring_buffer_consume(s->buffer, s->cpu, &ts, &lost);
	if (!event)
		return false;
	s->lost += lost;
	s->read++;
	check(s, event, s->next, &s->gaps);
	if (s->gaps > s->lost && !s->emptied)
		wrong(s, "gap not told");
	if (ts < s->ts)
		wrong(s, "time");
	s->ts = ts;
	return true;
}

/* As a user of raw pages does it. */
static bool consume_page(struct stress *s)
{
	unsigned int off, len;
	unsigned long commit;
	u64 *header, ts;
	u8 *data;

	int ret;

	ret = ring_buffer_read_page(s->buffer, s->page, ring_buffer_read_page_size(s->page),
				    s->cpu, 0);
	if (ret == -EINVAL) {
		/* Sub-buffers have another size. */
		ring_buffer_free_read_page(s->buffer, s->cpu, s->page);
		ret = ring_buffer_alloc_read_page(s->buffer, s->cpu, &s->page);
		if (WARN_ON(ret))
			wrong(s, "no page");
		return false;
	}
	if (ret)
		return false;
	header = ring_buffer_read_page_data(s->page);
	ts = header[0];
	commit = *(unsigned long *)&header[1];
	data = (u8 *)header + sizeof(u64) + sizeof(long);
	len = commit & (BIT(30) - 1);
	if (commit & BIT(31)) {
		unsigned long lost;

		/* No event is so long that there is no room for the number. */
		if (!(commit & BIT(30)))
			wrong(s, "number not told");
		memcpy(&lost, data + len, sizeof(lost));
		s->lost += lost;
	}
	for (off = 0; off < len;) {
		struct ring_buffer_event *event = (void *)data + off;

		ts += event->time_delta;
		switch (event->type_len) {
		case RINGBUF_TYPE_PADDING:
			off += event->array[0] + 4;
			continue;
		case RINGBUF_TYPE_TIME_STAMP:
			ts = event->time_delta;
			fallthrough;
		case RINGBUF_TYPE_TIME_EXTEND:
			ts += (u64)event->array[0] << 27;
			off += 8;
			continue;
		}
		s->read++;
		check(s, event, s->next, &s->gaps);
		if (ts < s->ts)
			wrong(s, "time in page");
		s->ts = ts;
		off += event->type_len ? event->type_len * 4 + 4 : event->array[0] + 4;
	}
	if (off != len)
		wrong(s, "page's length");
	if (s->gaps > s->lost && !s->emptied)
		wrong(s, "gap not told in page");
	return true;
}

/* Events that somebody tried to write, and did not discard. */
static unsigned long tried(struct stress *s)
{
	return ring_buffer_written_cpu(s->buffer, s->cpu) +
	       ring_buffer_dropped_events_cpu(s->buffer, s->cpu) +
	       ring_buffer_commit_overrun_cpu(s->buffer, s->cpu);
}

/*
 * Look at up to @n events; they may vanish meanwhile, but not be damaged. This task is the
 * consumer, so the events that were consumed, looked at or reported as lost are all events up
 * to the iterator's place: no more than were tried, and at the end no less than were written
 * when the iterator began. That is known on the writers' CPU, where none is in the midst of an
 * event now.
 */
static void iterate_some(struct stress *s, unsigned int n)
{
	unsigned long gaps = 0, all = s->read + s->lost, lost = s->lost, written = 0;
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	u32 next[WRITERS];
	u64 since;

	if (s->cpu == raw_smp_processor_id())
		written = ring_buffer_written_cpu(s->buffer, s->cpu);
	iter = ring_buffer_read_start(s->buffer, s->cpu, GFP_KERNEL);
	if (!iter)
		return;
	memcpy(next, s->next, sizeof(next));
	for (; n && (event = ring_buffer_iter_peek(iter, NULL)); n--) {
		lost += ring_buffer_iter_lost(iter, &since);
		all += ring_buffer_iter_lost(iter, &since) + 1;
		check(s, event, next, &gaps);
		if (s->gaps + gaps > lost && !s->emptied)
			wrong(s, "gap not told to an iterator");
		ring_buffer_iter_advance(iter);
	}
	if (all > tried(s) && !s->emptied)
		wrong(s, "iterator told of what was not lost");
	/* The last loss is reported with an event that the iterator does not reach. */
	if (n && all + ring_buffer_iter_lost(iter, &since) < written && !s->emptied)
		wrong(s, "iterator not told");
	ring_buffer_read_finish(iter);
}

static void read_some(struct stress *s)
{
	u32 dice = prandom_u32_state(&s->read_rnd);
	unsigned int n = (dice >> 8) % 1000;

	switch (dice % 8) {
	case 0:
		iterate_some(s, n);
		break;
	case 1: case 2: case 3:
		while (n-- && consume_one(s))
			;
		break;
	case 4: case 5:
		while (n > 100 && consume_page(s))
			n -= 100;
		break;
	}
}

static void stress_start(struct kunit *test, struct stress *s, struct trace_buffer *buffer,
			 int cpu, u32 seed)
{
	memset(s, 0, sizeof(*s));
	s->buffer = buffer;
	s->cpu = cpu;
	prandom_seed_state(&s->rnd, seed);
	prandom_seed_state(&s->read_rnd, seed + 1);
	hrtimer_init(&s->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	s->timer.function = write_in_irq;
	KUNIT_ASSERT_EQ(test, ring_buffer_alloc_read_page(buffer, cpu, &s->page), 0);
}

/*
 * The last refused events are reported as lost before the next event. All others are read, so
 * there is room for an event that nothing interrupts.
 */
static long write_last(void *data)
{
	struct stress *s = data;
	struct record record = { .writer = LEVEL_TASK, .seq = s->seq[LEVEL_TASK] };

	record.sum = record_sum(&record);
	s->seq[LEVEL_TASK]++;
	return ring_buffer_write(s->buffer, sizeof(record), &record);
}

/* The writers are done: read the rest, and all must add up. */
static void stress_finish(struct kunit *test, struct stress *s, unsigned long *events)
{
	unsigned long written = 0, refused = 0, end = 0;
	int i;

	while (consume_one(s))
		;
	KUNIT_EXPECT_EQ(test, work_on_cpu(s->cpu, write_last, s), 0);
	while (consume_one(s))
		;
	for (i = 0; i < WRITERS; i++) {
		written += s->seq[i];
		refused += s->refused[i];
		end += s->seq[i] - s->next[i];
	}
	KUNIT_EXPECT_STREQ(test, s->broken ?: "nothing", "nothing");
	KUNIT_EXPECT_EQ(test, s->read + ring_buffer_overrun_cpu(s->buffer, s->cpu), written);
	KUNIT_EXPECT_EQ(test, s->gaps + end, ring_buffer_overrun_cpu(s->buffer, s->cpu));
	KUNIT_EXPECT_EQ(test, s->gaps + end + refused, s->lost);
	KUNIT_EXPECT_EQ(test, ring_buffer_dropped_events_cpu(s->buffer, s->cpu) +
			ring_buffer_commit_overrun_cpu(s->buffer, s->cpu), refused);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_events_cpu(s->buffer, s->cpu), s->read);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries_cpu(s->buffer, s->cpu), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(s->buffer, s->cpu), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_written_cpu(s->buffer, s->cpu), written);
	ring_buffer_free_read_page(s->buffer, s->cpu, s->page);
	*events += written + refused;
}

static void one_task(struct kunit *test)
{
	unsigned long events = 0, lost = 0, refused = 0;
	struct stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int round;

	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	for (round = 0; round < LOCAL_ROUNDS; round++) {
		struct trace_buffer *buffer;
		unsigned long goal = events_wanted / LOCAL_ROUNDS;

		buffer = ring_buffer_alloc((2 + round) * PAGE_SIZE,
					   round % 4 ? RB_FL_OVERWRITE : 0);
		KUNIT_ASSERT_NOT_NULL(test, buffer);
		ring_buffer_set_time_stamp_abs(buffer, round % 5 == 4);
		stress_start(test, s, buffer, 0, SEED + round);
		start_timer(s);
		while (ring_buffer_written_cpu(buffer, 0) < goal && !s->broken) {
			u32 dice = prandom_u32_state(&s->read_rnd);

			write_many(s, dice % 700);
			read_some(s);
			if (dice >> 24 == 0) {
				u32 pages = (dice >> 8) % 40;

				KUNIT_EXPECT_EQ(test, 0,
						ring_buffer_resize(buffer, pages * PAGE_SIZE, 0));
			}
			cond_resched();
		}
		hrtimer_cancel(&s->timer);
		lost += ring_buffer_overrun_cpu(buffer, 0);
		refused += ring_buffer_dropped_events_cpu(buffer, 0);
		stress_finish(test, s, &events);
		ring_buffer_free(buffer);
	}
	KUNIT_EXPECT_GE(test, events, events_wanted);
	KUNIT_EXPECT_GT(test, lost, 0);
	KUNIT_EXPECT_GT(test, refused, 0);
	kunit_info(test, "%lu events, %lu overwritten, %lu refused\n", events, lost, refused);
}

static int writer_thread(void *data)
{
	struct stress *s = data;

	start_timer(s);
	while (!kthread_should_stop()) {
		write_many(s, 200);
		cond_resched();
	}
	hrtimer_cancel(&s->timer);
	return 0;
}

static bool should_stop(void *unused)
{
	return kthread_should_stop();
}

static int reader_thread(void *data)
{
	struct stress *s = data;

	while (!kthread_should_stop()) {
		read_some(s);
		if (prandom_u32_state(&s->read_rnd) % 64 == 0)
			usleep_range(100, 2000);
		else if (prandom_u32_state(&s->read_rnd) % 4 == 0)
			ring_buffer_wait(s->buffer, s->cpu, 0, should_stop, NULL);
		cond_resched();
	}
	return 0;
}

/*
 * Iterate beside the consumer. The events must be whole, and in the order of their writers.
 * Events between them may have been consumed or lost, so the number of lost events is not
 * checked.
 */
static int iterator_thread(void *data)
{
	struct stress *s = data;

	while (!kthread_should_stop()) {
		struct ring_buffer_event *event;
		struct ring_buffer_iter *iter;
		u32 next[WRITERS] = { 0 };
		unsigned long gaps = 0;

		iter = ring_buffer_read_start(s->buffer, s->cpu, GFP_KERNEL);
		while (iter && (event = ring_buffer_iter_peek(iter, NULL))) {
			check(s, event, next, &gaps);
			ring_buffer_iter_advance(iter);
		}
		if (iter)
			ring_buffer_read_finish(iter);
		/* Sizes do not change while there is an iterator. */
		usleep_range(1000, 5000);
	}
	return 0;
}

static struct task_struct *thread_on(int (*func)(void *), struct stress *s, int cpu)
{
	struct task_struct *task = kthread_create(func, s, "rb_stress/%d", cpu);

	if (!IS_ERR(task)) {
		kthread_bind(task, cpu);
		wake_up_process(task);
	}
	return task;
}

/* Threads of a CPU. */
enum { WRITER, READER, ITERATOR, THREADS };

static void start_threads(struct kunit *test, struct task_struct **tasks, struct stress *s)
{
	static int (*const funcs[THREADS])(void *) = {
		[WRITER] = writer_thread,
		[READER] = reader_thread,
		[ITERATOR] = iterator_thread,
	};
	int next = cpumask_next_wrap(s->cpu, cpu_online_mask, s->cpu, false), i;

	for (i = 0; i < THREADS; i++) {
		int cpu = i == WRITER || next >= nr_cpu_ids ? s->cpu : next;

		tasks[i] = thread_on(funcs[i], s, cpu);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
	}
}

/**
 * struct all - a stress with all CPUs
 * @flags: of the buffer
 * @order: of sub-buffers at the beginning
 * @orders: change the size of sub-buffers while it runs
 * @goal: events at least
 * @time: in jiffies, at least
 * @resizes: at least, in all
 * @events: result
 * @resized: result
 */
struct all {
	unsigned int	flags;
	unsigned int	order;
	bool		orders;
	unsigned long	goal;
	unsigned long	time;
	unsigned long	resizes;
	unsigned long	events;
	unsigned long	resized;
};

static unsigned long written_so_far(struct stress *all)
{
	unsigned long sum = 0;
	int cpu, i;

	for_each_online_cpu(cpu) {
		for (i = 0; i < WRITERS; i++)
			sum += READ_ONCE(all[cpu].seq[i]);
	}
	return sum;
}

/* Change sizes until it is enough. */
static void change_sizes(struct kunit *test, struct all *a, struct stress *all)
{
	struct trace_buffer *buffer = all[cpumask_first(cpu_online_mask)].buffer;
	unsigned long end = jiffies + a->time, size = 1, n;
	int ret;

	for (n = 1; time_before(jiffies, end) || written_so_far(all) < a->goal ||
	     a->resized < a->resizes; n++) {
		if (a->orders && n % 8 == 0)
			ret = ring_buffer_subbuf_order_set(buffer, n / 8 % ORDERS);
		else
			ret = ring_buffer_resize(buffer, size * PAGE_SIZE,
						 size % 2 ? RING_BUFFER_ALL_CPUS : 0);
		size = size * 7 % 41;
		KUNIT_EXPECT_TRUE(test, !ret || ret == -EBUSY);
		a->resized += !ret;
		usleep_range(1000, 5000);
	}
}

/* The buffer was emptied, so counters tell nothing; but nothing was damaged. */
static void finish_emptied(struct kunit *test, struct stress *s, unsigned long *events)
{
	int i;

	while (consume_one(s))
		;
	KUNIT_EXPECT_STREQ(test, s->broken ?: "nothing", "nothing");
	KUNIT_EXPECT_GT(test, s->read, 0);
	for (i = 0; i < WRITERS; i++)
		*events += s->seq[i] + s->refused[i];
	ring_buffer_free_read_page(s->buffer, s->cpu, s->page);
}

/* A writer on each CPU, its readers on the next, and sizes that change. */
static void all_cpus(struct kunit *test, struct all *a)
{
	struct task_struct **tasks;
	struct trace_buffer *buffer;
	struct stress *all;
	int cpu, i;

	all = kunit_kcalloc(test, nr_cpu_ids, sizeof(*all), GFP_KERNEL);
	tasks = kunit_kcalloc(test, THREADS * nr_cpu_ids, sizeof(*tasks), GFP_KERNEL);
	buffer = ring_buffer_alloc(8 * PAGE_SIZE, a->flags);
	KUNIT_ASSERT_TRUE(test, all && tasks && buffer);
	KUNIT_ASSERT_EQ(test, ring_buffer_subbuf_order_set(buffer, a->order), 0);
	for_each_online_cpu(cpu) {
		stress_start(test, &all[cpu], buffer, cpu, SEED + cpu + a->order);
		all[cpu].emptied = a->orders;
		start_threads(test, &tasks[THREADS * cpu], &all[cpu]);
	}
	change_sizes(test, a, all);
	for (i = 0; i < THREADS; i++) {
		for_each_online_cpu(cpu)
			kthread_stop(tasks[THREADS * cpu + i]);
	}
	for_each_online_cpu(cpu) {
		if (a->orders)
			finish_emptied(test, &all[cpu], &a->events);
		else
			stress_finish(test, &all[cpu], &a->events);
	}
	ring_buffer_free(buffer);
}

/* Each size of sub-buffers takes its part of the time. */
static void each_order(struct kunit *test, unsigned int flags, unsigned long goal)
{
	struct all a = {
		.flags = flags,
		.goal = goal / ORDERS,
		.time = seconds * HZ / ORDERS,
	};

	for (a.order = 0; a.order < ORDERS; a.order++) {
		a.resizes += RESIZES;
		all_cpus(test, &a);
	}
	KUNIT_EXPECT_GE(test, a.events, goal);
	kunit_info(test, "%lu events, resized %lu times\n", a.events, a.resized);
}

static void all_cpus_overwrite(struct kunit *test)
{
	each_order(test, RB_FL_OVERWRITE, events_wanted / 10);
}

static void all_cpus_discard(struct kunit *test)
{
	each_order(test, 0, 0);
}

static void all_cpus_orders(struct kunit *test)
{
	struct all a = {
		.flags = RB_FL_OVERWRITE,
		.orders = true,
		.time = seconds * HZ,
		.resizes = 2 * RESIZES,
	};

	all_cpus(test, &a);
	KUNIT_EXPECT_GT(test, a.events, 0);
	kunit_info(test, "%lu events, resized %lu times\n", a.events, a.resized);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE_SLOW(one_task),
	KUNIT_CASE_SLOW(all_cpus_overwrite),
	KUNIT_CASE_SLOW(all_cpus_discard),
	KUNIT_CASE_SLOW(all_cpus_orders),
	{}
};

static struct kunit_suite stress_suite = {
	.name = "ring-buffer-stress",
	.suite_init = test_suite_init,
	.suite_exit = test_suite_exit,
	.test_cases = stress_cases,
};

kunit_test_suite(stress_suite);

MODULE_DESCRIPTION("KUnit stress of the ring buffer");
MODULE_LICENSE("GPL");
