// SPDX-License-Identifier: GPL-2.0
/*
 * Reading whole pages, for splice() and raw readers.  A complete sub-buffer takes the
 * caller's memory and gives its own away, so that nothing is copied.  Events are copied
 * out of a sub-buffer that is read in part, is still being written, or does not fit.
 *
 * Static functions with a struct rb_cpu are called inside of guard(rb_reading), unless they
 * begin it.
 *
 * Also the text that tells user space how a page and an event look.
 */
#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/trace_seq.h>

#include "buffer/internal.h"

/**
 * struct buffer_data_read_page - a page to read into
 * @order: of its memory
 * @data: the memory
 */
struct buffer_data_read_page {
	unsigned int		order;
	struct buffer_data_page	*data;
};

/* Memory for a sub-buffer, or for a page that takes its place; NULL: there is none. */
struct buffer_data_page *rb_page_alloc(unsigned int order, int cpu)
{
	struct page *page;

	page = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_RETRY_MAYFAIL |
				__GFP_NOWARN | __GFP_COMP | __GFP_ZERO, order);
	return page ? page_address(page) : NULL;
}

/* Free the pages that are kept, which have @order.  No reader has @cb: it is being freed. */
void rb_drop_free_pages(struct rb_cpu *cb, unsigned int order)
{
	while (cb->nr_free_pages)
		free_pages((unsigned long)cb->free_pages[--cb->nr_free_pages], order);
}

/* Give @page the memory of a page that is kept, if there is one.  Takes reader_lock. */
static void rb_page_take_free(struct rb_cpu *cb, struct buffer_data_read_page *page)
{
	guard(rb_reading)(cb);
	page->order = cb->order;
	if (cb->nr_free_pages)
		page->data = cb->free_pages[--cb->nr_free_pages];
}

/* Keep the memory of @page for the next one, if there is room and it fits.  Takes reader_lock. */
static void rb_page_keep_free(struct rb_cpu *cb, struct buffer_data_read_page *page)
{
	guard(rb_reading)(cb);
	if (page->order == cb->order && cb->nr_free_pages < RB_FREE_PAGES) {
		cb->free_pages[cb->nr_free_pages++] = page->data;
		page->data = NULL;
	}
}

/**
 * ring_buffer_alloc_read_page - a page for ring_buffer_read_page()
 * @buffer: the ring buffer
 * @cpu: whose pages will be read
 * @rpage: set to the page
 *
 * Context: task, may sleep.
 * Return: 0, -ENODEV if @cpu has no buffer, or -ENOMEM.
 */
int ring_buffer_alloc_read_page(struct trace_buffer *buffer, int cpu,
				struct buffer_data_read_page **rpage)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	struct buffer_data_read_page *page;

	*rpage = NULL;
	if (!cb)
		return -ENODEV;
	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	rb_page_take_free(cb, page);
	if (!page->data)
		page->data = rb_page_alloc(page->order, cpu);
	if (!page->data) {
		kfree(page);
		return -ENOMEM;
	}
	local_set(&page->data->commit, 0);
	*rpage = page;
	return 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_alloc_read_page);

/**
 * ring_buffer_free_read_page - free what ring_buffer_alloc_read_page() gave
 * @buffer: the ring buffer
 * @cpu: as there
 * @page: the page
 *
 * Context: any but NMI.
 */
void ring_buffer_free_read_page(struct trace_buffer *buffer, int cpu,
				struct buffer_data_read_page *page)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	/* If somebody else, a pipe perhaps, still has a reference, the memory is not used again. */
	if (cb && page_ref_count(virt_to_page(page->data)) == 1)
		rb_page_keep_free(cb, page);
	if (page->data)
		free_pages((unsigned long)page->data, page->order);
	kfree(page);
}
EXPORT_SYMBOL_GPL(ring_buffer_free_read_page);

/* Copy events that fit in @len bytes.  False if not even the first does. */
static bool rb_page_copy_fitting(struct rb_cpu *cb, struct buffer_data_page *to,
				 unsigned int committed, size_t len)
{
	void *from = rb_reader_event(cb);
	u64 stamp = cb->reader_stamp;
	unsigned int bytes = rb_consume(cb, committed, len);

	if (!bytes)
		return false;
	memcpy(to->data, from, bytes);
	to->time_stamp = stamp;
	local_set(&to->commit, bytes);
	return true;
}

/*
 * How much of @len leaves room for the number of lost events behind.  A gap should be told
 * with its number, even if the events need one more page for that.
 */
static size_t rb_page_room_beside_lost(struct rb_cpu *cb, size_t len)
{
	size_t room = cb->size - RB_HDR;

	return cb->lost_events ? min(len, room - sizeof(cb->lost_events)) : len;
}

/* Copy events, with room for the number of lost ones if possible.  False if none fits. */
static bool rb_page_copy_events(struct rb_cpu *cb, struct buffer_data_page *to,
				unsigned int committed, size_t len)
{
	return rb_page_copy_fitting(cb, to, committed, rb_page_room_beside_lost(cb, len)) ||
	       rb_page_copy_fitting(cb, to, committed, len);
}

/* Give the memory of the reader's sub-buffer, which is complete and unread, away for @page. */
static struct buffer_data_page *rb_page_swap(struct rb_cpu *cb, struct buffer_data_page *page,
					     unsigned int committed)
{
	struct buffer_data_page *full = cb->reader->page;

	local_set(&page->commit, 0);
	cb->reader->page = page;
	rb_consume_closed(cb, committed);
	return full;
}

/* Tell @lost in the page as header_page says.  Returns the bytes in use. */
static unsigned int rb_page_tell_lost(struct buffer_data_page *page, unsigned int room,
				      unsigned long lost)
{
	unsigned int len = rb_page_len(page);
	unsigned long commit = len;

	if (!lost)
		return len;
	commit |= RB_MISSED_EVENTS;
	if (room - len >= sizeof(lost)) {
		memcpy(&page->data[len], &lost, sizeof(lost));
		commit |= RB_MISSED_STORED;
		len += sizeof(lost);
	}
	local_set(&page->commit, commit);
	return len;
}

/* ring_buffer_read_page(), and takes reader_lock.  Returns the bytes in use, or an errno. */
static int rb_page_read(struct rb_cpu *cb, struct buffer_data_read_page *page, size_t len,
			bool full)
{
	unsigned int committed, left, used;
	bool open;

	guard(rb_reading)(cb);
	if (page->order != cb->order)
		return -ESTALE;
	if (!rb_reader_has_data(cb))
		return -EAGAIN;
	committed = rb_reader_committed(cb, &open);
	left = committed - rb_reader_off(cb);

	/*
	 * The memory of a mapped or a persistent buffer must not be given away.  A swap may
	 * replace the buffer now, but one that is persistent takes part in none.
	 */
	if (rb_reader_off(cb) || len < left || open || cb->meta ||
	    rb_object(READ_ONCE(cb->w.buffer))->persist || left > rb_page_room_beside_lost(cb,
											   left)) {
		if (full && (open || len < left))
			return -EAGAIN;
		if (!rb_page_copy_events(cb, page->data, committed, min_t(size_t, len, left)))
			return -EAGAIN;
	} else {
		page->data = rb_page_swap(cb, page->data, committed);
	}
	used = rb_page_tell_lost(page->data, cb->size - RB_HDR, cb->lost_events);
	cb->lost_events = 0;
	return used;
}

/**
 * ring_buffer_read_page - consume a page of events
 * @buffer: the ring buffer
 * @data_page: page to fill, from ring_buffer_alloc_read_page()
 * @len: bytes that the caller wants, page header included
 * @cpu: whose
 * @full: give complete sub-buffers only
 *
 * Context: any but NMI.
 * Return: 0 if @data_page holds events now; -EAGAIN if there is nothing, or
 * nothing that fits; -ESTALE if @data_page has not the size of a sub-buffer by now;
 * -EINVAL if @len has no room, or @cpu has no buffer.
 */
int ring_buffer_read_page(struct trace_buffer *buffer,
			  struct buffer_data_read_page *data_page,
			  size_t len, int cpu, int full)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	int used;

	if (!cb || !data_page || !data_page->data || len <= RB_HDR)
		return -EINVAL;
	used = rb_page_read(cb, data_page, len - RB_HDR, full);
	if (used < 0)
		return used;
	/* Clear what the page held before.  It belongs to the caller now: no lock is needed. */
	memset(&data_page->data->data[used], 0,
	       ring_buffer_read_page_size(data_page) - RB_HDR - used);
	return 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_page);

/**
 * ring_buffer_read_page_data - the memory of a page
 * @page: from ring_buffer_alloc_read_page()
 *
 * Context: any; each ring_buffer_read_page() may give @page other memory.
 * Return: the page header, with the events behind it.
 */
void *ring_buffer_read_page_data(struct buffer_data_read_page *page)
{
	return page->data;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_page_data);

/**
 * ring_buffer_read_page_size - the size of a page
 * @page: from ring_buffer_alloc_read_page()
 *
 * Context: any.
 * Return: bytes of its memory, the page header included.
 */
unsigned int ring_buffer_read_page_size(struct buffer_data_read_page *page)
{
	return PAGE_SIZE << page->order;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_page_size);

/**
 * ring_buffer_print_entry_header - describe an event's header
 * @s: where to
 *
 * The text of tracefs' events/header_event.
 *
 * Context: any.
 * Return: non-zero if @s had room.
 */
int ring_buffer_print_entry_header(struct trace_seq *s)
{
	trace_seq_printf(s,
			 "# compressed entry header\n"
			 "\ttype_len    :    5 bits\n"
			 "\ttime_delta  :   27 bits\n"
			 "\tarray       :   32 bits\n"
			 "\n"
			 "\tpadding     : type == %d\n"
			 "\ttime_extend : type == %d\n"
			 "\ttime_stamp : type == %d\n"
			 "\tdata max type_len  == %d\n",
			 RINGBUF_TYPE_PADDING, RINGBUF_TYPE_TIME_EXTEND,
			 RINGBUF_TYPE_TIME_STAMP, RINGBUF_TYPE_DATA_TYPE_LEN_MAX);

	return !trace_seq_has_overflowed(s);
}

static void rb_page_print_field(struct trace_seq *s, const char *decl, size_t offset,
				size_t size, bool is_signed)
{
	trace_seq_printf(s, "\tfield: %s;\toffset:%zu;\tsize:%zu;\tsigned:%u;\n",
			 decl, offset, size, is_signed);
}

/**
 * ring_buffer_print_page_header - describe a page's header
 * @buffer: the ring buffer, for the size of its sub-buffers
 * @s: where to
 *
 * The text of tracefs' events/header_page.
 *
 * Context: any.
 * Return: non-zero if @s had room.
 */
int ring_buffer_print_page_header(struct trace_buffer *buffer, struct trace_seq *s)
{
	size_t commit = offsetof(struct buffer_data_page, commit);

	rb_page_print_field(s, "u64 timestamp", offsetof(struct buffer_data_page, time_stamp),
			    sizeof_field(struct buffer_data_page, time_stamp), is_signed_type(u64));
	rb_page_print_field(s, "local_t commit", commit,
			    sizeof_field(struct buffer_data_page, commit), is_signed_type(long));
	rb_page_print_field(s, "int overwrite", commit, 1, is_signed_type(long));
	rb_page_print_field(s, "char data", RB_HDR, ring_buffer_subbuf_size_get(buffer) - RB_HDR,
			    is_signed_type(char));

	return !trace_seq_has_overflowed(s);
}
