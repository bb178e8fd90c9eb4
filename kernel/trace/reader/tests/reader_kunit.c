// SPDX-License-Identifier: GPL-2.0
/*
 * The merge by time: order, CPUs that fall silent and speak again, consuming
 * and not, losses. Machines with one CPU can run it: each "CPU" that is merged
 * without being consumed is a ring buffer of its own.
 */
#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/poll.h>
#include <linux/prandom.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/trace_seq.h>

#include "instance/tracer.h"
#include "lib/one_cpu.h"
#include "output/output.h"
#include "reader/internal.h"

#define CPUS	9
#define SEED	20241117

static u64 test_time;

static u64 test_clock(void)
{
	return test_time;
}

/* A record as the reader takes it, with its time, its number and its CPU. */
struct note {
	struct trace_entry	ent;
	u64			ts;
	unsigned int		nr;
	int			cpu;
};

struct merge_ctx {
	struct trace_array	tr;
	struct tracer		tracer;
	struct trace_buffer	*buffers[CPUS];
	u64			time_start[CPUS];
	struct trace_reader	*reader;
};

static void free_reader(struct merge_ctx *ctx)
{
	if (ctx->reader)
		trace_reader_free(ctx->reader);
	ctx->reader = NULL;
}

static int merge_test_init(struct kunit *test)
{
	struct merge_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	test->priv = ctx;
	/* Records are written where the iterators look. */
	test_on_one_cpu(test);
	ctx->tr.current_trace = &ctx->tracer;
	ctx->tr.array_buffer.tr = &ctx->tr;
	test_time = 1000;
	for (i = 0; i < CPUS; i++) {
		ctx->buffers[i] = ring_buffer_alloc(16 * PAGE_SIZE, RB_FL_OVERWRITE);
		KUNIT_ASSERT_NOT_NULL(test, ctx->buffers[i]);
		ring_buffer_set_clock(ctx->buffers[i], test_clock);
	}
	ctx->tr.array_buffer.buffer = ctx->buffers[0];
	return 0;
}

static void merge_test_exit(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	int i;

	if (!ctx)
		return;
	free_reader(ctx);
	for (i = 0; i < CPUS; i++) {
		if (ctx->buffers[i])
			ring_buffer_free(ctx->buffers[i]);
	}
}

static void write_note(struct kunit *test, int cpu, unsigned int nr)
{
	struct merge_ctx *ctx = test->priv;
	struct note note = { .ts = test_time, .nr = nr, .cpu = cpu };

	/* All buffers are written on the CPU that runs this. */
	KUNIT_ASSERT_EQ(test, ring_buffer_write(ctx->buffers[cpu], sizeof(note), &note), 0);
}

/* A reader over all buffers that leaves the records in place. */
static struct trace_iterator *reader_iterate(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	struct trace_reader *reader;
	int i;

	reader = trace_reader_alloc(&ctx->tr, RING_BUFFER_ALL_CPUS);
	KUNIT_ASSERT_NOT_NULL(test, reader);
	ctx->reader = reader;
	kvfree(reader->sources);
	kvfree(reader->order);
	reader->sources = kvcalloc(CPUS, sizeof(*reader->sources), GFP_KERNEL);
	reader->order = kvcalloc(CPUS, sizeof(*reader->order), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, reader->sources);
	KUNIT_ASSERT_NOT_NULL(test, reader->order);
	for (i = 0; i < CPUS; i++) {
		reader->sources[i].cpu = i;
		reader->sources[i].iter = ring_buffer_read_start(ctx->buffers[i],
								 raw_smp_processor_id(),
								 GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, reader->sources[i].iter);
		reader->sources[i].time_start = ctx->time_start[i];
		reader->order[i] = i;
	}
	reader->nr = CPUS;
	trace_reader_rewind(reader);
	return &reader->iter;
}

/* A reader that takes the records out of the first buffer. */
static struct trace_iterator *reader_consume(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;

	ctx->reader = trace_reader_alloc(&ctx->tr, RING_BUFFER_ALL_CPUS);
	KUNIT_ASSERT_NOT_NULL(test, ctx->reader);
	return &ctx->reader->iter;
}

static const struct note *next_note(struct kunit *test, struct trace_iterator *iter)
{
	const struct note *note;

	if (!trace_iter_next(iter))
		return NULL;
	note = container_of(iter->ent, struct note, ent);
	KUNIT_EXPECT_GE(test, iter->ent_size, (int)sizeof(*note));
	KUNIT_EXPECT_EQ(test, iter->ts, note->ts);
	return note;
}

static void order_test(struct kunit *test)
{
	struct trace_iterator *iter;
	const struct note *note;
	struct rnd_state rnd;
	unsigned int nr;
	u64 last = 0;
	int last_cpu = 0, pass;

	prandom_seed_state(&rnd, SEED);
	for (nr = 0; nr < 1000; nr++) {
		/* Often the same time as before. */
		test_time += prandom_u32_state(&rnd) % 3;
		write_note(test, prandom_u32_state(&rnd) % CPUS, nr);
	}

	iter = reader_iterate(test);
	for (pass = 0; pass < 2; pass++) {
		for (nr = 0; (note = next_note(test, iter)); nr++) {
			KUNIT_EXPECT_EQ(test, iter->cpu, note->cpu);
			KUNIT_EXPECT_EQ(test, iter->lost_events, 0);
			KUNIT_EXPECT_GE(test, note->ts, last);
			if (note->ts == last)
				KUNIT_EXPECT_GE(test, note->cpu, last_cpu);
			last = note->ts;
			last_cpu = note->cpu;
		}
		KUNIT_EXPECT_EQ(test, nr, 1000);
		KUNIT_EXPECT_FALSE(test, trace_iter_next(iter));
		trace_reader_rewind(trace_reader_of(iter));
		last = 0;
	}
}

static void late_test(struct kunit *test)
{
	struct trace_iterator *iter = reader_iterate(test);
	unsigned int nr;

	KUNIT_EXPECT_NULL(test, next_note(test, iter));
	for (nr = 0; nr < 5 * CPUS; nr++) {
		test_time += 10;
		write_note(test, nr % CPUS, nr);
	}
	/* A record that is written after the iteration began is not part of it. */
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
	trace_reader_rewind(trace_reader_of(iter));
	for (nr = 0; nr < 5 * CPUS; nr++) {
		const struct note *note = next_note(test, iter);

		KUNIT_ASSERT_NOT_NULL(test, note);
		KUNIT_EXPECT_EQ(test, note->nr, nr);
		KUNIT_EXPECT_EQ(test, iter->cpu, nr % CPUS);
	}
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
}

/* Readers leave out the records of a CPU that are older than its entry of cpu_start. */
static void old_records_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	struct trace_iterator *iter;
	const struct note *note;

	write_note(test, 1, 0);
	write_note(test, 2, 1);
	test_time += 10;
	ctx->time_start[1] = test_time;
	write_note(test, 1, 2);
	iter = reader_iterate(test);
	for (unsigned int nr = 1; nr <= 2; nr++) {
		note = next_note(test, iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		KUNIT_EXPECT_EQ(test, note->nr, nr);
	}
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
	/* And tell the header how many these are. */
	KUNIT_EXPECT_EQ(test, ctx->reader->print.left_out(iter, 1), 1);
	KUNIT_EXPECT_EQ(test, ctx->reader->print.left_out(iter, 2), 0);
	KUNIT_EXPECT_EQ(test, ctx->reader->print.left_out(iter, CPUS), 0);
}

/* A listing ends with what was there when it began, and goes on if it is told to. */
static void extend_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	struct trace_iterator *iter;
	const struct note *note;

	write_note(test, 1, 0);
	iter = reader_iterate(test);
	KUNIT_EXPECT_NOT_NULL(test, next_note(test, iter));
	for (unsigned int nr = 1; nr <= 4; nr++) {
		test_time++;
		write_note(test, nr % 2, nr);
		KUNIT_EXPECT_NULL(test, next_note(test, iter));
		trace_reader_extend(ctx->reader);
		note = next_note(test, iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		KUNIT_EXPECT_EQ(test, note->nr, nr);
	}
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
}

static void next_time_test(struct kunit *test)
{
	struct trace_iterator *iter;
	struct trace_reader *reader;
	const struct note *note;
	unsigned int nr;

	for (nr = 0; nr < 10; nr++) {
		test_time += nr;
		write_note(test, nr % 2, nr);
	}
	iter = reader_iterate(test);
	reader = trace_reader_of(iter);
	for (nr = 0; nr < 10; nr++) {
		note = next_note(test, iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		KUNIT_EXPECT_EQ(test, reader->print.next_ts(iter) - iter->ts,
				nr < 9 ? nr + 1 : 0);
		/* Asked again, it stays, and so does the record. */
		KUNIT_EXPECT_EQ(test, reader->print.next_ts(iter) - iter->ts,
				nr < 9 ? nr + 1 : 0);
		note = container_of(iter->ent, struct note, ent);
		KUNIT_EXPECT_EQ(test, note->nr, nr);
	}
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
}

static void consume_test(struct kunit *test)
{
	struct trace_iterator *iter = reader_consume(test);
	unsigned long read = 0, lost = 0;
	unsigned int nr, expected = 0;
	const struct note *note;

	KUNIT_EXPECT_FALSE(test, trace_iter_next(iter));

	for (nr = 0; nr < 20000; nr++) {
		test_time++;
		write_note(test, 0, nr);
		/* Slower than the writer, so that records are overwritten. */
		if (nr % 4 || nr < 10000)
			continue;
		note = next_note(test, iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		expected += iter->lost_events;
		KUNIT_EXPECT_EQ(test, note->nr, expected);
		lost += iter->lost_events;
		/* A record that was not consumed comes again. */
		note = next_note(test, iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		trace_iter_consume(iter);
		read++;
		expected++;
	}
	while ((note = next_note(test, iter))) {
		lost += iter->lost_events;
		read++;
		trace_iter_consume(iter);
	}
	KUNIT_EXPECT_GT(test, lost, 0);
	KUNIT_EXPECT_EQ(test, read + lost, 20000);
}

/* The line about the loss before the current record: how many, and the times around them. */
static void expect_lost_line(struct kunit *test, struct trace_iterator *iter, unsigned int nr,
			     u64 since)
{
	unsigned int from = div_u64(since, NSEC_PER_MSEC), to = div_u64(iter->ts, NSEC_PER_MSEC);
	char line[80];
	int len;

	len = scnprintf(line, sizeof(line), "CPU:%d [LOST %u EVENTS] %5u.%03u000 - %5u.%03u000\n",
			iter->cpu, nr, from / 1000, from % 1000, to / 1000, to % 1000);
	trace_seq_init(&iter->seq);
	trace_print_record(iter);
	KUNIT_ASSERT_GT(test, trace_seq_used(&iter->seq), len);
	iter->seq.buffer[len] = '\0';
	KUNIT_EXPECT_STREQ(test, iter->seq.buffer, line);
}

static void write_notes(struct kunit *test, unsigned int nr, unsigned int end)
{
	for (; nr < end; nr++) {
		test_time += NSEC_PER_MSEC;
		write_note(test, 0, nr);
	}
}

/* A loss is told once, before the record that follows it, with the times around it. */
static void loss_test(struct kunit *test)
{
	struct trace_iterator *iter = reader_consume(test);
	unsigned int next, told = 0;
	const struct note *note;
	u64 last = 0;

	test_time = 0;
	write_notes(test, 1, 100);
	for (next = 1; next < 50; next++) {
		note = next_note(test, iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		KUNIT_EXPECT_EQ(test, note->nr, next);
		KUNIT_EXPECT_EQ(test, iter->lost_events, 0);
		last = iter->ts;
		trace_iter_consume(iter);
	}
	/* More than the buffer holds, behind the page that is being read. */
	write_notes(test, 100, 5000);
	while ((note = next_note(test, iter))) {
		KUNIT_EXPECT_EQ(test, iter->lost_events, note->nr - next);
		if (iter->lost_events) {
			expect_lost_line(test, iter, note->nr - next, last);
			told++;
		}
		next = note->nr + 1;
		last = iter->ts;
		trace_iter_consume(iter);
	}
	KUNIT_EXPECT_EQ(test, next, 5000);
	KUNIT_EXPECT_EQ(test, told, 1);
}

static const struct note *peek_note(struct trace_iterator *iter)
{
	const struct trace_entry *ent;
	unsigned int size;

	ent = trace_iter_peek(iter, &size);
	return ent && size >= sizeof(struct note) ? container_of(ent, struct note, ent) : NULL;
}

/* The next record of the same CPU is seen, and may be skipped, whatever is between. */
static void peek_test(struct kunit *test)
{
	const unsigned int notes = 300;
	struct trace_iterator *iter;
	const struct note *note;
	struct rnd_state rnd;
	unsigned int nr, seen = 0, skips = 0;
	int cpu, last[CPUS], *next;
	bool *skipped;

	prandom_seed_state(&rnd, SEED);
	next = kunit_kcalloc(test, notes, sizeof(*next), GFP_KERNEL);
	skipped = kunit_kcalloc(test, notes, sizeof(*skipped), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, next);
	KUNIT_ASSERT_NOT_NULL(test, skipped);
	memset(last, 0xff, sizeof(last));
	for (nr = 0; nr < notes; nr++) {
		test_time += prandom_u32_state(&rnd) % 3;
		cpu = prandom_u32_state(&rnd) % 5;
		write_note(test, cpu, nr);
		next[nr] = -1;
		if (last[cpu] >= 0)
			next[last[cpu]] = nr;
		last[cpu] = nr;
	}
	iter = reader_iterate(test);
	while ((note = next_note(test, iter))) {
		nr = note->nr;
		KUNIT_EXPECT_FALSE(test, skipped[nr]);
		seen++;
		if (nr % 3)
			continue;
		note = peek_note(iter);
		KUNIT_EXPECT_EQ(test, note ? (int)note->nr : -1, next[nr]);
		KUNIT_EXPECT_EQ(test, container_of(iter->ent, struct note, ent)->nr, nr);
		if (!note || nr % 2)
			continue;
		skipped[next[nr]] = true;
		skips++;
		trace_iter_skip(iter);
	}
	KUNIT_EXPECT_GT(test, skips, 10);
	KUNIT_EXPECT_EQ(test, seen + skips, notes);
}

/* A reader that consumes sees behind a record, and still has that one. */
static void peek_consume_test(struct kunit *test)
{
	struct trace_iterator *iter = reader_consume(test);
	const struct note *note;
	unsigned int nr;
	int again;

	for (nr = 0; nr < 5; nr++) {
		test_time++;
		write_note(test, 0, nr);
	}
	for (again = 0; again < 2; again++) {
		/* It is the current one until it is consumed, even if others rewind. */
		note = next_note(test, iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		KUNIT_EXPECT_EQ(test, note->nr, 0);
		note = peek_note(iter);
		KUNIT_ASSERT_NOT_NULL(test, note);
		KUNIT_EXPECT_EQ(test, note->nr, 1);
		/* The skipped record is consumed with the current one, and not before. */
		trace_iter_skip(iter);
		trace_reader_rewind(trace_reader_of(iter));
	}
	next_note(test, iter);
	peek_note(iter);
	trace_iter_consume(iter);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 1);
	note = peek_note(iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	trace_iter_skip(iter);
	trace_iter_consume(iter);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 3);
	trace_iter_consume(iter);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 4);
	KUNIT_EXPECT_NULL(test, peek_note(iter));
	trace_iter_consume(iter);
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
}

/*
 * The record that is being printed stays while the buffer is cleared, and is the only one to be
 * consumed.
 */
static void reset_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	struct trace_iterator *iter = reader_consume(test);
	const struct note *note;

	write_note(test, 0, 1);
	test_time++;
	write_note(test, 0, 2);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);

	ring_buffer_reset(ctx->buffers[0]);
	test_time++;
	write_note(test, 0, 3);
	KUNIT_EXPECT_EQ(test, note->nr, 1);
	trace_iter_consume(iter);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 3);
	trace_iter_consume(iter);
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
}

/* The heap holds a record's time only: its sub-buffer may be freed at any time. */
static void subbuf_size_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	struct trace_iterator *iter = reader_consume(test);
	const struct note *note;
	void *poison;

	write_note(test, 0, 1);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_ASSERT_EQ(test, ring_buffer_subbuf_order_set(ctx->buffers[0], 2), 0);
	/* Some of this memory was the buffer's. */
	poison = kunit_kmalloc(test, 64 * PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, poison);
	memset(poison, 0xa5, 64 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, note->nr, 1);
	trace_iter_consume(iter);
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
	test_time++;
	write_note(test, 0, 2);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 2);
}

/* A record that needs more room than there is waits for trace_reader_reserve(). */
static void long_record_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	unsigned int len = 2 * PAGE_SIZE;
	struct trace_iterator *iter = reader_consume(test);
	const struct note *note;
	struct note *text;

	text = kunit_kzalloc(test, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_EQ(test, ring_buffer_subbuf_order_set(ctx->buffers[0], 2), 0);
	*text = (struct note) { .ts = test_time, .nr = 1 };
	KUNIT_ASSERT_EQ(test, ring_buffer_write(ctx->buffers[0], len, text), 0);
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
	KUNIT_ASSERT_EQ(test, trace_reader_reserve(ctx->reader), 0);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 1);
	KUNIT_EXPECT_EQ(test, iter->ent_size, (int)len);
}

/* A record that waits for room goes, and another one comes instead, at another time. */
static void long_record_gone_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	unsigned int len = 2 * PAGE_SIZE;
	struct trace_iterator *iter = reader_consume(test);
	const struct note *note;
	struct note *text;

	text = kunit_kzalloc(test, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_EQ(test, ring_buffer_subbuf_order_set(ctx->buffers[0], 2), 0);
	*text = (struct note) { .ts = test_time, .nr = 1 };
	KUNIT_ASSERT_EQ(test, ring_buffer_write(ctx->buffers[0], len, text), 0);
	KUNIT_EXPECT_NULL(test, next_note(test, iter));
	ring_buffer_reset(ctx->buffers[0]);
	test_time++;
	write_note(test, 0, 2);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 2);
}

/*
 * A snapshot exchanges the buffers: from then on the reader returns all records of the new
 * buffer, and none of the old one.
 */
static void exchange_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	struct trace_iterator *iter = reader_consume(test);
	const struct note *note;

	write_note(test, 0, 1);
	test_time++;
	write_note(test, 1, 2);
	test_time++;
	write_note(test, 1, 3);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 1);

	ctx->tr.array_buffer.buffer = ctx->buffers[1];
	trace_iter_consume(iter);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 2);
	trace_iter_consume(iter);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 3);
}

static void overtaken_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	unsigned int nr, seen = 0, told = 0;
	struct trace_iterator *iter;
	const struct note *note;
	u64 last;

	for (nr = 0; nr < 1500; nr++) {
		test_time++;
		write_note(test, 4, nr);
	}
	iter = reader_iterate(test);
	note = next_note(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, note);
	KUNIT_EXPECT_EQ(test, note->nr, 0);
	last = iter->ts;
	/* More than the buffer holds: the iterator's place is overwritten. */
	for (; nr < 2500; nr++) {
		test_time++;
		write_note(test, 4, nr);
	}
	for (nr = 1; (note = next_note(test, iter)); nr = note->nr + 1) {
		/* A gap is reported in its place, with its size and the times around it. */
		KUNIT_EXPECT_EQ(test, note->nr - nr, iter->lost_events);
		if (iter->lost_events) {
			KUNIT_EXPECT_EQ(test, ctx->reader->print.lost_since, last);
			told++;
		}
		last = iter->ts;
		seen++;
	}
	KUNIT_EXPECT_EQ(test, nr, 1500);
	KUNIT_EXPECT_GT(test, seen, 0);
	KUNIT_EXPECT_EQ(test, told, 1);
}

/* One CPU's file is readable when buffer_percent is there, that of all with a record. */
static void poll_test(struct kunit *test)
{
	struct merge_ctx *ctx = test->priv;
	struct array_buffer *from = &ctx->tr.array_buffer;
	int cpu = raw_smp_processor_id();
	unsigned int nr;

	ctx->tr.buffers[0] = ctx->buffers[0];
	ctx->tr.buffer_percent = 50;
	KUNIT_EXPECT_EQ(test, trace_wait_poll(from, cpu, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, trace_wait_poll(from, RING_BUFFER_ALL_CPUS, NULL, NULL), 0);
	write_note(test, 0, 0);
	KUNIT_EXPECT_EQ(test, trace_wait_poll(from, cpu, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, trace_wait_poll(from, RING_BUFFER_ALL_CPUS, NULL, NULL),
			EPOLLIN | EPOLLRDNORM);
	ctx->tr.buffer_percent = 0;
	KUNIT_EXPECT_EQ(test, trace_wait_poll(from, cpu, NULL, NULL), EPOLLIN | EPOLLRDNORM);
	ctx->tr.buffer_percent = 50;
	/* Half of its sixteen pages and more. */
	for (nr = 1; nr < 10 * PAGE_SIZE / sizeof(struct note); nr++)
		write_note(test, 0, nr);
	KUNIT_EXPECT_EQ(test, trace_wait_poll(from, cpu, NULL, NULL), EPOLLIN | EPOLLRDNORM);
}

/* Text that was printed and not read yet makes the file readable. */
static void poll_text_test(struct kunit *test)
{
	struct trace_iterator *iter = reader_consume(test);
	struct merge_ctx *ctx = test->priv;
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, file);
	ctx->tr.buffers[0] = ctx->buffers[0];
	file->private_data = ctx->reader;
	KUNIT_EXPECT_EQ(test, trace_pipe_fops.poll(file, NULL), 0);
	trace_seq_puts(&iter->seq, "half a line");
	iter->seq.readpos = 5;
	KUNIT_EXPECT_EQ(test, trace_pipe_fops.poll(file, NULL), EPOLLIN | EPOLLRDNORM);
	iter->seq.readpos = trace_seq_used(&iter->seq);
	KUNIT_EXPECT_EQ(test, trace_pipe_fops.poll(file, NULL), 0);
}

static struct kunit_case merge_cases[] = {
	KUNIT_CASE(order_test),
	KUNIT_CASE(late_test),
	KUNIT_CASE(old_records_test),
	KUNIT_CASE(extend_test),
	KUNIT_CASE(next_time_test),
	KUNIT_CASE(consume_test),
	KUNIT_CASE(loss_test),
	KUNIT_CASE(peek_test),
	KUNIT_CASE(peek_consume_test),
	KUNIT_CASE(reset_test),
	KUNIT_CASE(subbuf_size_test),
	KUNIT_CASE(long_record_test),
	KUNIT_CASE(long_record_gone_test),
	KUNIT_CASE(exchange_test),
	KUNIT_CASE(overtaken_test),
	KUNIT_CASE(poll_test),
	KUNIT_CASE(poll_text_test),
	{}
};

static struct kunit_suite merge_suite = {
	.name		= "trace_reader",
	.init		= merge_test_init,
	.exit		= merge_test_exit,
	.test_cases	= merge_cases,
};

kunit_test_suite(merge_suite);

MODULE_DESCRIPTION("KUnit tests of the trace reader");
MODULE_LICENSE("GPL");
