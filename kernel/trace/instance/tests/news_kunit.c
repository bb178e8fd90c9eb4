// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of news: probes are told of sub-buffers, losses and snapshots, and a probe that makes
 * them itself is not called without an end. All is written on one CPU.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/trace.h>

#include "instance/buffers.h"
#include "instance/news.h"
#include "instance/snapshot.h"
#include "lib/one_cpu.h"

/* All that probes were told. */
static struct {
	atomic_t		calls[TRACE_NEWS_KINDS];
	atomic_long_t		number[TRACE_NEWS_KINDS];
	atomic_long_t		dropped;
	struct trace_buffer	*fills;		/* the probe of full sub-buffers fills some here */
	struct trace_array	*takes;		/* the probe of snapshots takes one of this */
} news_seen;

#define NEWS_BYTES	1000

/* Write so much that at least @subs sub-buffers are completed. */
static void news_fill(struct trace_buffer *buffer, unsigned int subs)
{
	static const char data[NEWS_BYTES];
	unsigned int n = subs * (ring_buffer_subbuf_size_get(buffer) / NEWS_BYTES + 1);

	while (n--)
		ring_buffer_write(buffer, sizeof(data), (void *)data);
}

static void news_note(enum trace_news_kind kind, const struct trace_news_told *told)
{
	atomic_long_add(told->number, &news_seen.number[kind]);
	atomic_long_add(told->dropped, &news_seen.dropped);
	atomic_inc(&news_seen.calls[kind]);
}

static void news_page_probe(void *data, const struct trace_news_told *told)
{
	if (news_seen.fills)
		news_fill(news_seen.fills, 2);
	news_note(TRACE_NEWS_PAGE, told);
}

static void news_lost_probe(void *data, const struct trace_news_told *told)
{
	news_note(TRACE_NEWS_LOST, told);
}

static void news_snapshot_probe(void *data, const struct trace_news_told *told)
{
#ifdef CONFIG_TRACER_SNAPSHOT
	if (news_seen.takes)
		trace_snapshot_take(news_seen.takes);
#endif
	news_note(TRACE_NEWS_SNAPSHOT, told);
}

static const trace_news_probe_t news_probe[TRACE_NEWS_KINDS] = {
	[TRACE_NEWS_PAGE]	= news_page_probe,
	[TRACE_NEWS_LOST]	= news_lost_probe,
	[TRACE_NEWS_SNAPSHOT]	= news_snapshot_probe,
};

static void news_set(struct kunit *test, enum trace_news_kind kind, bool on)
{
	trace_news_set_probe(test->priv, kind, news_probe[kind], on ? &news_seen : NULL);
}

static struct trace_buffer *news_buffer(struct kunit *test)
{
	struct trace_array *tr = test->priv;

	return tr->array_buffer.buffer;
}

/* The probe has been called, and some ticks later not again. */
static bool news_called(enum trace_news_kind kind, int calls)
{
	unsigned long end = jiffies + 60 * HZ;

	while (atomic_read(&news_seen.calls[kind]) < calls && time_before(jiffies, end))
		msleep(20);
	msleep(20 + 5 * 1000 / HZ);
	return atomic_read(&news_seen.calls[kind]) == calls;
}

static void news_of_pages(struct kunit *test)
{
	/* Pages from before the probe are not told. */
	news_fill(news_buffer(test), 3);
	news_set(test, TRACE_NEWS_PAGE, true);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_PAGE, 0));
	scoped_guard(irq)
		news_fill(news_buffer(test), 3);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_PAGE, 1));
	KUNIT_EXPECT_GE(test, atomic_long_read(&news_seen.number[TRACE_NEWS_PAGE]), 3);
	KUNIT_EXPECT_LE(test, atomic_long_read(&news_seen.number[TRACE_NEWS_PAGE]), 4);
	news_set(test, TRACE_NEWS_PAGE, false);
	news_fill(news_buffer(test), 3);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_PAGE, 1));
}

/* A probe that fills sub-buffers is not called for them, but they are told with the next one. */
static void news_end(struct kunit *test)
{
	news_set(test, TRACE_NEWS_PAGE, true);
	news_seen.fills = news_buffer(test);
	scoped_guard(irq)
		news_fill(news_buffer(test), 1);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_PAGE, 1));
	scoped_guard(irq)
		news_fill(news_buffer(test), 1);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_PAGE, 2));
	/* Its own two of the first call, and those of the test. */
	KUNIT_EXPECT_GE(test, atomic_long_read(&news_seen.number[TRACE_NEWS_PAGE]), 4);
}

static void news_of_losses(struct kunit *test)
{
	struct trace_buffer *buffer = news_buffer(test);
	int cpu = raw_smp_processor_id();
	unsigned long subs = ring_buffer_size(buffer, cpu) / ring_buffer_subbuf_size_get(buffer);

	news_set(test, TRACE_NEWS_LOST, true);
	ring_buffer_change_overwrite(buffer, false);
	scoped_guard(irq)
		news_fill(buffer, subs + 4);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_LOST, 1));
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&news_seen.number[TRACE_NEWS_LOST]));
	/* Nothing but losses, and no event that could tell of them. */
	scoped_guard(irq)
		news_fill(buffer, 1);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_LOST, 2));
	KUNIT_EXPECT_GT(test, atomic_long_read(&news_seen.dropped), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&news_seen.dropped),
			ring_buffer_dropped_events_cpu(buffer, cpu));
	ring_buffer_change_overwrite(buffer, true);
	scoped_guard(irq)
		news_fill(buffer, 2);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_LOST, 3));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&news_seen.number[TRACE_NEWS_LOST]),
			ring_buffer_overrun_cpu(buffer, cpu));
	KUNIT_EXPECT_GT(test, ring_buffer_overrun_cpu(buffer, cpu), 0);
}

static void news_of_snapshots(struct kunit *test)
{
#ifdef CONFIG_TRACER_SNAPSHOT
	struct trace_array *tr = test->priv;

	KUNIT_ASSERT_EQ(test, 0, trace_snapshot_get(tr));
	news_set(test, TRACE_NEWS_SNAPSHOT, true);
	trace_snapshot_take(tr);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_SNAPSHOT, 1));
	KUNIT_EXPECT_EQ(test, 1, atomic_long_read(&news_seen.number[TRACE_NEWS_SNAPSHOT]));
	/* A probe that takes another one is not called for that. */
	news_seen.takes = tr;
	trace_snapshot_take(tr);
	KUNIT_EXPECT_TRUE(test, news_called(TRACE_NEWS_SNAPSHOT, 2));
	trace_snapshot_put(tr);
#else
	kunit_skip(test, "there are no snapshots");
#endif
}

static int news_test_init(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-news", NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	test->priv = tr;
	memset(&news_seen, 0, sizeof(news_seen));
	test_on_one_cpu(test);
	return 0;
}

static void news_test_exit(struct kunit *test)
{
	struct trace_array *tr = test->priv;

	if (!tr)
		return;
	for (int kind = 0; kind < TRACE_NEWS_KINDS; kind++)
		news_set(test, kind, false);
	synchronize_rcu();
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

static struct kunit_case news_cases[] = {
	KUNIT_CASE(news_of_pages),
	KUNIT_CASE(news_end),
	KUNIT_CASE(news_of_losses),
	KUNIT_CASE(news_of_snapshots),
	{}
};

static struct kunit_suite news_suite = {
	.name		= "trace-instance-news",
	.init		= news_test_init,
	.exit		= news_test_exit,
	.test_cases	= news_cases,
};

kunit_test_suite(news_suite);
