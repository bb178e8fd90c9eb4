// SPDX-License-Identifier: GPL-2.0
/*
 * Mutate the memory of a persistent buffer before the next boot: with any content, restoring
 * it, reading it in each way and writing behind it neither hangs nor leaves the memory. The
 * area has a page at its end that is not to be touched.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

#define SUBS	5
#define RANGE	((1 + SHIM_CPUS) * PAGE_SIZE * (SUBS + 3))
#define BASES	16

static void *memory;		/* of the boot */
static void *bases[BASES];	/* left by some boots */
static size_t area, used;

static struct trace_buffer *boot(void)
{
	return ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)memory, RANGE);
}

/* Events of all lengths, stamps and padding, some of them read. */
static void make_base(unsigned int nr)
{
	struct trace_buffer *buffer;
	unsigned int i;

	memset(memory, 0, RANGE);
	shim_now = 1000;
	buffer = boot();
	for (i = 0; i < (nr % 4) * 200 + nr; i++) {
		unsigned int length = test_random() % 16 ? 1 + test_random() % 60 :
							   1 + test_random() % 1500;
		struct ring_buffer_event *event, *inner;

		shim_now += test_random() % 32 ? test_random() % 1000 : 1ULL << 30;
		event = ring_buffer_lock_reserve(buffer, length);
		memset(ring_buffer_event_data(event), nr, length);
		if (test_random() % 8) {
			ring_buffer_unlock_commit(buffer);
			continue;
		}
		shim_preempt_count += NMI_OFFSET;
		inner = ring_buffer_lock_reserve(buffer, 8);
		if (inner)
			ring_buffer_unlock_commit(buffer);
		shim_preempt_count -= NMI_OFFSET;
		ring_buffer_discard_commit(buffer, event);
	}
	for (i = 0; i < nr * 7; i++)
		ring_buffer_consume(buffer, 0, NULL, NULL);
	area = rb_object(buffer)->persist ? (void *)rb_cpu_at(buffer, 1) -
					    (void *)rb_cpu_at(buffer, 0) : 0;
	used = (void *)rb_cpu_at(buffer, 0)->subs[SUBS - 1] - (void *)rb_cpu_at(buffer, 0);
	memcpy(bases[nr], memory, RANGE);
	ring_buffer_free(buffer);
}

/* A few bytes, words or bits, mostly where it matters. */
static void mutate(void)
{
	unsigned int n = 1 + test_random() % 8;

	while (n--) {
		/* The head has a sum; the rest of CPU 0: how it is described, or its pages. */
		size_t at = PAGE_SIZE + test_random() % (test_random() % 2 ? used : area);
		u32 *word = memory + ALIGN_DOWN(at, 4);
		static const u32 special[] = {
			0, 1, 4, 8, 12, -1, -4, -8, 29, 30, 31, 4096, 4080, 0x7fffffff,
			0x80000000, 0x8000,
		};

		switch (test_random() % 5) {
		case 0:
			*(u8 *)(memory + at) = test_random();
			break;
		case 1:
			*(u8 *)(memory + at) ^= 1 << test_random() % 8;
			break;
		case 2:
			*word = test_random();
			break;
		case 3:
			*word = special[test_random() % ARRAY_SIZE(special)];
			break;
		case 4:
			*word += (s32)(test_random() % 65) - 32;
			break;
		}
	}
}

static void use(struct trace_buffer *buffer)
{
	struct buffer_data_read_page *page;
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	unsigned int i, length, sum = 0;
	unsigned long lost;
	u64 ts;

	iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	for (i = 0; (event = ring_buffer_iter_peek(iter, &ts)) && i < 100000; i++) {
		length = ring_buffer_event_length(event);
		if (CHECK(length && length < PAGE_SIZE))
			sum += *((u8 *)ring_buffer_event_data(event) + length - 1);
		ring_buffer_iter_advance(iter);
	}
	CHECK(i < 100000);
	ring_buffer_read_finish(iter);
	for (i = 0; i < 3; i++) {
		event = ring_buffer_consume(buffer, 0, &ts, &lost);
		if (!event)
			continue;
		length = ring_buffer_event_length(event);
		if (CHECK(length && length < PAGE_SIZE))
			sum += *(u8 *)ring_buffer_event_data(event);
	}
	ring_buffer_alloc_read_page(buffer, 0, &page);
	for (i = 0; i < 100 && !ring_buffer_read_page(buffer, page, PAGE_SIZE, 0, 0); i++)
		CHECK(rb_page_len(ring_buffer_read_page_data(page)) <= PAGE_SIZE - RB_HDR);
	CHECK(i < 100);
	ring_buffer_free_read_page(buffer, 0, page);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 0), 0);
	ring_buffer_oldest_event_ts(buffer, 0);
	/* It is a buffer as any other now. */
	shim_now = 1ULL << 40;
	for (i = 0; i < 30; i++)
		CHECK_EQ(test_put(buffer, 300), 0);
	for (i = 0; ring_buffer_consume(buffer, 0, NULL, &lost); i++)
		;
	CHECK_EQ(i, 30);
	(void)*(volatile unsigned int *)&sum;
}

int test_fuzz(u64 seed, unsigned long images)
{
	unsigned long n, kept_all = 0, dropped_all = 0;
	unsigned int kept, dropped, i;
	struct trace_buffer *buffer;

	shim_init(SHIM_CPUS);
	test_seed = seed;
	memory = mmap(NULL, RANGE + PAGE_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	mprotect(memory + RANGE, PAGE_SIZE, PROT_NONE);
	for (i = 0; i < BASES; i++) {
		bases[i] = malloc(RANGE);
		make_base(i);
	}
	for (n = 0; n < images && !test_failures; n++) {
		/* If it does not come back, the seed and this number tell what it was. */
		alarm(20);
		test_seed = seed + n * 1000003;
		memcpy(memory, bases[test_random() % BASES], PAGE_SIZE + 2 * area);
		mutate();
		buffer = boot();
		if (!CHECK(buffer))
			break;
		ring_buffer_persist_stats(buffer, &kept, &dropped);
		kept_all += kept;
		dropped_all += dropped;
		use(buffer);
		ring_buffer_free(buffer);
		if (test_failures)
			fprintf(stderr, "fuzz: image %lu of seed %llu\n", n, seed);
	}
	alarm(0);
	for (i = 0; i < BASES; i++)
		free(bases[i]);
	printf("fuzz: %lu images, %lu sub-buffers kept, %lu dropped, %d warnings\n", n,
	       kept_all, dropped_all, shim_warnings);
	return test_failures || shim_warnings || !kept_all || !dropped_all;
}
