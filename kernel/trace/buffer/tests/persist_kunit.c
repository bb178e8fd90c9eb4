// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of persistent buffers: a "reboot" is a second buffer in a copy of
 * the memory of the first, taken while that is alive, so at a moment as good
 * as that of a crash.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/trace_clock.h>
#include <linux/vmalloc.h>

#include "buffer/internal.h"
#include "buffer/tests/support.h"

/* Each CPU has room for more sub-buffers than a test fills. */
#define RANGE		(max(96, 1 + 24 * nr_cpu_ids) * PAGE_SIZE)
/* Events of 8 bytes, with their headers. */
#define EVENT		(TEST_ALIGN == 8 ? 16 : 12)
#define PER_SUB		((PAGE_SIZE - RB_HDR) / EVENT)

struct persist_ctx {
	void			*mem[2];
	struct trace_buffer	*buffer;	/* of this boot */
	int			cpu;
	unsigned int		now;		/* which mem[] is its */
};

static struct trace_buffer *boot(struct kunit *test, void *mem)
{
	struct trace_buffer *buffer;

	buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)mem, RANGE);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	/* However long a machine stands still, no event has a time record in front of it. */
	ring_buffer_set_clock(buffer, trace_clock_counter);
	return buffer;
}

static int persist_test_init(struct kunit *test)
{
	struct persist_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	test->priv = ctx;
	for (i = 0; i < 2; i++) {
		ctx->mem[i] = vzalloc(RANGE);
		KUNIT_ASSERT_NOT_NULL(test, ctx->mem[i]);
	}
	ctx->cpu = raw_smp_processor_id();
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(ctx->cpu)), 0);
	/* Memory that holds no buffer is not read as one. */
	memset(ctx->mem[0], 0xa5, RANGE);
	ctx->buffer = boot(test, ctx->mem[0]);
	return 0;
}

static void persist_test_exit(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	int i;

	if (ctx->buffer)
		ring_buffer_free(ctx->buffer);
	for (i = 0; i < 2; i++)
		vfree(ctx->mem[i]);
}

/* The copy that the next boot will find. */
static void *image(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;

	memcpy(ctx->mem[!ctx->now], ctx->mem[ctx->now], RANGE);
	return ctx->mem[!ctx->now];
}

static void reboot(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;

	ring_buffer_free(ctx->buffer);
	ctx->buffer = NULL;
	ctx->now = !ctx->now;
	ctx->buffer = boot(test, ctx->mem[ctx->now]);
}

static struct rb_cpu *cb_of(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;

	return rb_cpu_at(ctx->buffer, ctx->cpu);
}

static void put(struct kunit *test, u64 from, u64 to)
{
	struct persist_ctx *ctx = test->priv;

	for (; from <= to; from++)
		KUNIT_ASSERT_EQ(test, ring_buffer_write(ctx->buffer, sizeof(from), &from), 0);
}

/* The next event, 0: there is none. */
static u64 get(struct kunit *test, unsigned long *lost)
{
	struct persist_ctx *ctx = test->priv;
	struct ring_buffer_event *event;

	event = ring_buffer_consume(ctx->buffer, ctx->cpu, NULL, lost);
	return event ? *(u64 *)ring_buffer_event_data(event) : 0;
}

/* All from @from to @to and nothing else, with no gap. */
static void expect(struct kunit *test, u64 from, u64 to)
{
	unsigned long lost;

	for (; from <= to; from++) {
		KUNIT_ASSERT_EQ(test, get(test, &lost), from);
		KUNIT_ASSERT_EQ(test, lost, 0);
	}
	KUNIT_EXPECT_EQ(test, get(test, NULL), 0);
}

static void expect_stats(struct kunit *test, unsigned int kept, unsigned int dropped)
{
	struct persist_ctx *ctx = test->priv;
	unsigned int have_kept, have_dropped;

	KUNIT_ASSERT_TRUE(test, ring_buffer_persist_stats(ctx->buffer, &have_kept, &have_dropped));
	KUNIT_EXPECT_EQ(test, have_kept, kept);
	KUNIT_EXPECT_EQ(test, have_dropped, dropped);
}

static void empty(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	long text, data;

	expect_stats(test, 0, 0);
	KUNIT_EXPECT_FALSE(test, ring_buffer_last_boot_delta(ctx->buffer, &text, &data));
	image(test);
	reboot(test);
	expect_stats(test, 0, 0);
	put(test, 1, 3);
	expect(test, 1, 3);
}

static void one_sub(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	long text = 1, data = 1;

	put(test, 1, 10);
	image(test);
	reboot(test);
	expect_stats(test, 1, 0);
	KUNIT_EXPECT_TRUE(test, ring_buffer_last_boot_delta(ctx->buffer, &text, &data));
	KUNIT_EXPECT_EQ(test, text, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(ctx->buffer), 10);
	/* This boot's come behind, and a third boot finds them all. */
	put(test, 11, 20);
	image(test);
	reboot(test);
	expect_stats(test, 2, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(ctx->buffer), 20);
	expect(test, 1, 20);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(ctx->buffer), 0);
	put(test, 1, 5 * PER_SUB);
	expect(test, 1, 5 * PER_SUB);
}

/* Times are what they were, those of the very first sub-buffer too. */
static void times(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	struct ring_buffer_event *event;
	u64 oldest, before, ts, last = 0;
	unsigned int events = 0;

	before = ring_buffer_time_stamp(ctx->buffer);
	put(test, 1, 3 * PER_SUB);
	oldest = ring_buffer_oldest_event_ts(ctx->buffer, ctx->cpu);
	KUNIT_ASSERT_GE(test, oldest, before);
	image(test);
	reboot(test);
	KUNIT_EXPECT_EQ(test, ring_buffer_oldest_event_ts(ctx->buffer, ctx->cpu), oldest);
	while ((event = ring_buffer_consume(ctx->buffer, ctx->cpu, &ts, NULL))) {
		KUNIT_ASSERT_GE(test, ts, last ?: oldest);
		last = ts;
		events++;
	}
	KUNIT_EXPECT_EQ(test, events, 3 * PER_SUB);
	KUNIT_EXPECT_LE(test, last, ring_buffer_time_stamp(ctx->buffer));
}

/* Around the ring more than once; the last boot's overwritten are not lost now. */
static void full(struct kunit *test)
{
	u64 last, first;

	put(test, 1, 3 * cb_of(test)->nr * PER_SUB + 7);
	last = 3 * cb_of(test)->nr * PER_SUB + 7;
	image(test);
	reboot(test);
	expect_stats(test, cb_of(test)->nr, 0);
	first = get(test, NULL);
	KUNIT_EXPECT_GT(test, first, last - (cb_of(test)->nr + 1) * PER_SUB);
	KUNIT_EXPECT_LT(test, first, last - (cb_of(test)->nr - 2) * PER_SUB);
	expect(test, first + 1, last);
}

/* Events that were consumed before the reboot stay consumed, in the midst of a sub-buffer, too. */
static void partly_read(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	u64 i;

	put(test, 1, 4 * PER_SUB);
	for (i = 1; i <= PER_SUB + 5; i++)
		KUNIT_ASSERT_EQ(test, get(test, NULL), i);
	image(test);
	reboot(test);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(ctx->buffer), 3 * PER_SUB - 5);
	expect(test, PER_SUB + 6, 4 * PER_SUB);
	/* And all of it. */
	image(test);
	reboot(test);
	expect_stats(test, 0, 0);
	expect(test, 1, 0);
}

/* After a crash within a reservation, the event that was not committed is not there. */
static void uncommitted(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	struct ring_buffer_event *event;

	put(test, 1, 5);
	event = ring_buffer_lock_reserve(ctx->buffer, 8);
	KUNIT_ASSERT_NOT_NULL(test, event);
	memset(ring_buffer_event_data(event), 0xff, 8);
	image(test);
	ring_buffer_unlock_commit(ctx->buffer);
	reboot(test);
	expect_stats(test, 1, 0);
	expect(test, 1, 5);
}

static void noise(struct kunit *test, void *at, size_t size)
{
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 4711 + (unsigned long)size);
	prandom_bytes_state(&rnd, at, size);
}

/* The memory in the image of the sub-buffer that has event number @nr. */
static void *sub_in_image(struct kunit *test, void *image, unsigned long nr)
{
	struct persist_ctx *ctx = test->priv;
	struct rb_cpu *cb = cb_of(test);
	unsigned int i;

	for (i = 0; i <= cb->nr; i++) {
		struct rb_sub *sub = cb->subs[i];

		if (sub->first <= nr && nr < sub->first + rb_sub_entries(sub))
			return image + ((void *)sub->page - ctx->mem[ctx->now]);
	}
	KUNIT_FAIL_AND_ABORT(test, "no event %lu", nr);
	return NULL;
}

/* Noise in three sub-buffers: all others are shown, and each gap is told. */
static void noise_in_three(struct kunit *test)
{
	static const unsigned int hit[] = { 2, 5, 6 };	/* 6 follows 5 */
	struct persist_ctx *ctx = test->priv;
	u64 last = 10 * PER_SUB, i, value;
	unsigned long lost, gaps = 0;
	void *copy;

	put(test, 1, last);
	copy = image(test);
	for (i = 0; i < ARRAY_SIZE(hit); i++)
		noise(test, sub_in_image(test, copy, hit[i] * PER_SUB), PAGE_SIZE);
	reboot(test);
	expect_stats(test, 7, 3);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(ctx->buffer), 7 * PER_SUB);
	KUNIT_EXPECT_EQ(test, ring_buffer_overrun_cpu(ctx->buffer, ctx->cpu), 3 * PER_SUB);
	for (i = 1; (value = get(test, &lost)); i = value + 1) {
		KUNIT_EXPECT_EQ(test, lost, value - i);
		gaps += !!lost;
		if (lost)
			KUNIT_EXPECT_TRUE(test, value == 3 * PER_SUB + 1 ||
					  value == 7 * PER_SUB + 1);
	}
	KUNIT_EXPECT_EQ(test, i, last + 1);
	KUNIT_EXPECT_EQ(test, gaps, 2);
	put(test, 1, 3 * PER_SUB);
	expect(test, 1, 3 * PER_SUB);
}

/* One length is enough. */
static void broken_event(struct kunit *test)
{
	struct ring_buffer_event *event;
	struct buffer_data_page *page;

	put(test, 1, 3 * PER_SUB);
	page = sub_in_image(test, image(test), PER_SUB);
	event = (void *)page->data + 7 * EVENT;
	event->type_len = 0;
	event->array[0] = PAGE_SIZE;
	reboot(test);
	expect_stats(test, 2, 1);
}

/* Noise where the rings are described: nothing bad happens, whatever is kept. */
static void noise_in_meta(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	struct rb_cpu *cb;
	unsigned int round;
	struct rnd_state rnd;
	void *copy, *meta;
	size_t size;

	prandom_seed_state(&rnd, 99);
	for (round = 0; round < 200; round++) {
		put(test, 1, 3 * PER_SUB);
		copy = image(test);
		cb = cb_of(test);
		meta = copy + ((void *)cb - ctx->mem[ctx->now]);
		size = (void *)cb->subs[cb->nr] + sizeof(struct rb_sub) - (void *)cb;
		meta += prandom_u32_state(&rnd) % size;
		prandom_bytes_state(&rnd, meta, 1 + prandom_u32_state(&rnd) % 64);
		reboot(test);
		while (get(test, NULL))
			;
		KUNIT_ASSERT_EQ(test, ring_buffer_entries(ctx->buffer), 0);
	}
	put(test, 1, 3 * PER_SUB);
	expect(test, 1, 3 * PER_SUB);
}

/* Another layout, another kernel, a head with noise: it begins anew. */
static void other_head(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	unsigned int word;
	u32 *copy;

	/* All words of the head, with the sum at its end. */
	for (word = 0; word <= 14; word++) {
		put(test, 1, PER_SUB);
		copy = image(test);
		copy[word]++;
		reboot(test);
		expect_stats(test, 0, 0);
		expect(test, 1, 0);
	}

	put(test, 1, PER_SUB);
	image(test);
	ring_buffer_free(ctx->buffer);
	ctx->buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0,
					      (unsigned long)ctx->mem[!ctx->now],
					      RANGE - 8 * PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, ctx->buffer);
	expect_stats(test, 0, 0);
	expect(test, 1, 0);
	KUNIT_EXPECT_NULL(test, ring_buffer_alloc_range(0, 0, 0, (unsigned long)ctx->mem[ctx->now],
							2 * PAGE_SIZE));
	KUNIT_EXPECT_NULL(test, ring_buffer_alloc_range(0, 0, 0,
							(unsigned long)ctx->mem[ctx->now] + 8,
							RANGE - PAGE_SIZE));
}

/* Its size and its pages are not to be had. */
static void fixed(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	struct buffer_data_read_page *page;
	struct rb_cpu *cb = cb_of(test);
	struct buffer_data_page *mine;

	KUNIT_EXPECT_EQ(test, ring_buffer_resize(ctx->buffer, PAGE_SIZE, RING_BUFFER_ALL_CPUS),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(ctx->buffer, 1), -EBUSY);
	put(test, 1, 3 * PER_SUB);
	KUNIT_ASSERT_EQ(test, ring_buffer_alloc_read_page(ctx->buffer, ctx->cpu, &page), 0);
	mine = ring_buffer_read_page_data(page);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(ctx->buffer, page, PAGE_SIZE, ctx->cpu, 1), 0);
	KUNIT_EXPECT_PTR_EQ(test, ring_buffer_read_page_data(page), (void *)mine);
	KUNIT_EXPECT_GT(test, (unsigned long)cb->reader->page, (unsigned long)ctx->mem[ctx->now]);
	KUNIT_EXPECT_LT(test, (unsigned long)cb->reader->page,
			(unsigned long)ctx->mem[ctx->now] + RANGE);
	ring_buffer_free_read_page(ctx->buffer, ctx->cpu, page);
	expect(test, PER_SUB + 1, 3 * PER_SUB);
	ring_buffer_reset(ctx->buffer);
	put(test, 1, 2);
	image(test);
	reboot(test);
	expect_stats(test, 1, 0);
	expect(test, 1, 2);
}

/* Each sub-buffer has one place, and the numbers say which is whose. */
static void places(struct kunit *test)
{
	struct persist_ctx *ctx = test->priv;
	struct ring_buffer_places *places;
	struct trace_buffer *plain;
	struct rb_cpu *cb = cb_of(test);
	unsigned long *seen;
	unsigned int i;

	seen = kunit_kcalloc(test, BITS_TO_LONGS(cb->nr + 1), sizeof(*seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	/* Into the third sub-buffer, and read into the second. */
	put(test, 1, 2 * PER_SUB + 1);
	for (i = 0; i < PER_SUB + 1; i++)
		KUNIT_ASSERT_EQ(test, get(test, NULL), i + 1);

	places = ring_buffer_persist_places(ctx->buffer, ctx->cpu);
	KUNIT_ASSERT_NOT_NULL(test, places);
	KUNIT_EXPECT_EQ(test, places->size, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, places->nr, cb->nr + 1);
	for (i = 0; i < places->nr; i++) {
		KUNIT_ASSERT_LT(test, places->ids[i], places->nr);
		KUNIT_EXPECT_FALSE(test, __test_and_set_bit(places->ids[i], seen));
	}
	KUNIT_EXPECT_EQ(test, places->ids[0], cb->reader->id);
	KUNIT_EXPECT_EQ(test, places->commit, cb->w.tail->id);
	/* Behind the reader's comes the one that is written to. */
	KUNIT_EXPECT_EQ(test, places->head, places->commit);
	KUNIT_EXPECT_NE(test, places->head, places->ids[0]);
	kvfree(places);

	KUNIT_EXPECT_NULL(test, ring_buffer_persist_places(ctx->buffer, nr_cpu_ids));
	plain = ring_buffer_alloc(4 * PAGE_SIZE, 0);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_EXPECT_NULL(test, ring_buffer_persist_places(plain, ctx->cpu));
	ring_buffer_free(plain);
}

/* User space is told that such a buffer is none to be mapped. */
static void unmappable(struct kunit *test)
{
	struct vm_area_struct vma = { .vm_flags = VM_READ | VM_MAYREAD | VM_MAYSHARE };
	struct persist_ctx *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, ring_buffer_map(ctx->buffer, ctx->cpu, &vma), -ENODEV);
	KUNIT_EXPECT_FALSE(test, ring_buffer_mapped(ctx->buffer, ctx->cpu));
}

static struct kunit_case persist_cases[] = {
	KUNIT_CASE(places),
	KUNIT_CASE(unmappable),
	KUNIT_CASE(empty),
	KUNIT_CASE(one_sub),
	KUNIT_CASE(times),
	KUNIT_CASE(full),
	KUNIT_CASE(partly_read),
	KUNIT_CASE(uncommitted),
	KUNIT_CASE(noise_in_three),
	KUNIT_CASE(broken_event),
	KUNIT_CASE(noise_in_meta),
	KUNIT_CASE(other_head),
	KUNIT_CASE(fixed),
	{}
};

static struct kunit_suite persist_suite = {
	.name		= "trace-buffer-persist",
	.init		= persist_test_init,
	.exit		= persist_test_exit,
	.test_cases	= persist_cases,
};

kunit_test_suite(persist_suite);

MODULE_DESCRIPTION("KUnit tests of persistent ring buffers");
MODULE_LICENSE("GPL");
