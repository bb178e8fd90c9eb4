// SPDX-License-Identifier: GPL-2.0
/*
 * The next boot does not trust the memory that it finds.
 */
#include "cases.h"

static void persist_image(void (*spoil)(u32 *event))
{
	size_t range = 16 * PAGE_SIZE * SHIM_CPUS;
	void *memory = aligned_alloc(PAGE_SIZE, range), *copy = aligned_alloc(PAGE_SIZE, range);
	struct buffer_data_read_page *page;
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	unsigned int kept, dropped;
	int i;

	memset(memory, 0, range);
	shim_now = 1000;
	buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)memory, range);
	for (i = 0; i < 50; i++)
		test_put(buffer, BYTES);
	spoil((u32 *)(cpu0(buffer)->w.tail->page->data + 2 * (BYTES + RB_EVENT_HDR)));
	memcpy(copy, memory, range);
	ring_buffer_free(buffer);

	buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)copy, range);
	CHECK(ring_buffer_persist_stats(buffer, &kept, &dropped));
	CHECK_EQ(kept, 0);
	CHECK_EQ(dropped, 1);
	ring_buffer_alloc_read_page(buffer, 0, &page);
	ring_buffer_read_page(buffer, page, PAGE_SIZE, 0, 0);
	ring_buffer_free_read_page(buffer, 0, page);
	while ((event = ring_buffer_consume(buffer, 0, NULL, NULL)))
		CHECK(ring_buffer_event_length(event) < PAGE_SIZE);
	ring_buffer_free(buffer);
	free(memory);
	free(copy);
}

static void spoil_padding(u32 *event)
{
	event[0] = RINGBUF_TYPE_PADDING;
	event[1] = -RB_EVENT_HDR;
}

static void spoil_padding_to_end(u32 *event)
{
	event[0] = RINGBUF_TYPE_PADDING;
	event[1] = 16;
}

static void spoil_length(u32 *event)
{
	/* An event of four bytes, and one of all that is behind. */
	event[0] = 0;
	event[1] = 0;
	event[2] = 12;
}

static void spoil_without_data(u32 *event)
{
	/* An event of no bytes, and one of all that is behind. */
	event[0] = 0;
	event[1] = 4;
	event[2] = 2;
}

static void persist_padding(void)
{
	persist_image(spoil_padding);
}

static void persist_padding_to_end(void)
{
	persist_image(spoil_padding_to_end);
}

static void persist_length(void)
{
	persist_image(spoil_length);
}

static void persist_without_data(void)
{
	persist_image(spoil_without_data);
}

/* The next boot goes on where there is room: each event is read once, in the order of writing. */
static void persist_goes_on(void)
{
	size_t range = 16 * PAGE_SIZE * SHIM_CPUS;
	void *memory = aligned_alloc(PAGE_SIZE, range), *copy = aligned_alloc(PAGE_SIZE, range);
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	u32 i, *data;

	memset(memory, 0, range);
	shim_now = 1000;
	buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)memory, range);
	for (i = 0; i < 10; i++)
		CHECK_EQ(ring_buffer_write(buffer, sizeof(i), &i), 0);
	memcpy(copy, memory, range);
	ring_buffer_free(buffer);

	buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)copy, range);
	for (; i < 20; i++)
		CHECK_EQ(ring_buffer_write(buffer, sizeof(i), &i), 0);
	for (i = 0; (event = ring_buffer_consume(buffer, 0, NULL, NULL)); i++) {
		data = ring_buffer_event_data(event);
		CHECK_EQ(*data, i);
	}
	CHECK_EQ(i, 20);
	ring_buffer_free(buffer);
	free(memory);
	free(copy);
}

const struct test_case persist_cases[] = {
	{ "persist-padding", persist_padding },
	{ "persist-padding-to-end", persist_padding_to_end },
	{ "persist-length", persist_length },
	{ "persist-without-data", persist_without_data },
	{ "persist-goes-on", persist_goes_on },
	{}
};
