// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers in memory that survives a reboot: where things lie in it, and what
 * the last boot left there. All of a CPU's buffer is there, struct rb_cpu
 * included, so that the writer works as in any other buffer.
 *
 * Nothing that is found is believed. Of the old rb_cpu only two numbers are
 * used; a descriptor counts if the ring has it where it says to be; and a
 * sub-buffer is kept if its events lead exactly to its end. A sub-buffer that is not kept is
 * counted, and its events are told as lost where they would have been.
 *
 * Layout: struct rb_persist_head, then an area for each possible CPU: rb_cpu,
 * the slots, the descriptors, and at a page boundary the sub-buffers.
 */
#include <linux/jhash.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/utsname.h>

#include <asm/sections.h>

#include "buffer/internal.h"

#define RB_PERSIST_MAGIC	0x7262703161636574ULL

/**
 * struct rb_persist_head - the first page
 * @magic: RB_PERSIST_MAGIC
 * @kernel: hash of the kernel's banner; another kernel has other events
 * @cpus: areas
 * @nr: slots of each
 * @order: of the sub-buffers
 * @cpu_size: size of struct rb_cpu
 * @area: bytes of an area
 * @text: address of _stext
 * @data: address of _sdata
 * @sum: hash of all before
 */
struct rb_persist_head {
	u64	magic;
	u32	kernel;
	u32	cpus;
	u32	nr;
	u32	order;
	u64	cpu_size;
	u64	area;
	u64	text;
	u64	data;
	u32	sum;
};

/**
 * struct rb_persist - memory of a persistent buffer, and what was in it
 * @start: its begin
 * @head: what its first page says now
 * @old: the head of the last boot is valid, and so are the areas
 * @text_delta: what the kernel's text has moved since
 * @data_delta: what its data has moved since
 * @kept: sub-buffers that are to be read
 * @dropped: sub-buffers that had data, but not valid
 */
struct rb_persist {
	void			*start;
	struct rb_persist_head	head;
	bool			old;
	long			text_delta;
	long			data_delta;
	unsigned int		kept;
	unsigned int		dropped;
};

/* Where the parts of a CPU's area lie. */
struct rb_area {
	struct rb_cpu		*cb;
	atomic_long_t		*slots;
	struct rb_sub		*subs;
	void			*pages;
};

static size_t persist_meta_size(unsigned int nr)
{
	return ALIGN(sizeof(struct rb_cpu), cache_line_size()) +
	       ALIGN(nr * sizeof(atomic_long_t), cache_line_size()) +
	       (nr + 1) * sizeof(struct rb_sub);
}

static struct rb_area persist_area_of(struct rb_persist *persist, int cpu)
{
	const struct rb_persist_head *head = &persist->head;
	void *start = persist->start + PAGE_SIZE + cpu * head->area;
	struct rb_area area;

	area.cb = start;
	area.slots = start + ALIGN(sizeof(struct rb_cpu), cache_line_size());
	area.subs = (void *)area.slots +
		    ALIGN(head->nr * sizeof(atomic_long_t), cache_line_size());
	area.pages = PTR_ALIGN(start + persist_meta_size(head->nr), PAGE_SIZE << head->order);
	return area;
}

static u32 persist_head_sum(const struct rb_persist_head *head)
{
	return jhash(head, offsetof(struct rb_persist_head, sum), 0);
}

/* Fill in the head for @size bytes at @start; false: that is too little. */
static bool rb_persist_plan_layout(struct rb_persist_head *head, unsigned long start,
				   unsigned long size,
				   int order)
{
	unsigned long sub = PAGE_SIZE << order, area, nr;

	if (size <= PAGE_SIZE)
		return false;
	/* Each area begins where a sub-buffer may begin. */
	area = ALIGN_DOWN((size - PAGE_SIZE) / nr_cpu_ids, sub);
	for (nr = min(area / sub, RB_SLOT_ID - 1); nr > RB_MIN_SUBS; nr--) {
		/* Aligning the sub-buffers takes up to one of them. */
		if (persist_meta_size(nr) + sub + (nr + 1) * sub <= area)
			break;
	}
	if (persist_meta_size(nr) + sub + (nr + 1) * sub > area)
		return false;
	*head = (struct rb_persist_head) {
		.magic		= RB_PERSIST_MAGIC,
		.kernel		= jhash(linux_banner, strlen(linux_banner), 0),
		.cpus		= nr_cpu_ids,
		.nr		= nr,
		.order		= order,
		.cpu_size	= sizeof(struct rb_cpu),
		.area		= area,
		.text		= (unsigned long)_stext,
		.data		= (unsigned long)_sdata,
	};
	head->sum = persist_head_sum(head);
	return true;
}

/* Did a kernel with the same layout leave a buffer of the same layout here? */
static bool persist_same_layout(const struct rb_persist_head *old,
				const struct rb_persist_head *now)
{
	return old->magic == now->magic && old->sum == persist_head_sum(old) &&
	       old->kernel == now->kernel && old->cpus == now->cpus && old->nr == now->nr &&
	       old->order == now->order && old->cpu_size == now->cpu_size &&
	       old->area == now->area;
}

/* No area holds anything. */
static void persist_forget_all(struct rb_persist *persist)
{
	unsigned int cpu;

	for (cpu = 0; cpu < persist->head.cpus; cpu++)
		memset(persist_area_of(persist, cpu).cb, 0, persist_meta_size(persist->head.nr));
}

/**
 * rb_persist_open - take memory over, and look what it is
 * @start: the memory
 * @size: its size
 * @order: of the sub-buffers to have there
 *
 * Context: task.
 * Return: NULL if it is too little, or memory is short.
 */
struct rb_persist *rb_persist_open(unsigned long start, unsigned long size, int order)
{
	const struct rb_persist_head *old = (void *)start;
	struct rb_persist *persist;

	/*
	 * rb_write_find_sub() finds the start of a sub-buffer by masking an event's address, so
	 * the memory must be aligned to the size of the sub-buffers.
	 */
	if (!IS_ALIGNED(start, PAGE_SIZE << order))
		return NULL;
	persist = kzalloc(sizeof(*persist), GFP_KERNEL);
	if (!persist)
		return NULL;
	persist->start = (void *)start;
	if (!rb_persist_plan_layout(&persist->head, start, size, order)) {
		kfree(persist);
		return NULL;
	}
	persist->old = persist_same_layout(old, &persist->head);
	if (persist->old) {
		persist->text_delta = persist->head.text - old->text;
		persist->data_delta = persist->head.data - old->data;
	} else {
		persist_forget_all(persist);
	}
	/* A CPU's area is looked at when the CPU comes up; until then it stays as it is. */
	memcpy(persist->start, &persist->head, sizeof(persist->head));
	return persist;
}

/* A sub-buffer of the last boot. */
struct rb_found {
	unsigned long	base;		/* there */
	unsigned long	first;
	unsigned int	id;
	unsigned int	len;		/* committed */
	unsigned int	events;
	u64		stamp;		/* of the header */
};

/*
 * Size of an event in memory that is not believed; 0 if no writer makes such a
 * one.  All that has a word for its length has at least that word.
 */
static unsigned int rb_persist_walk_size(struct ring_buffer_event *event, unsigned int room)
{
	bool small = event->type_len && event->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
	unsigned int size;

	if (!small && room < RB_STAMP_LEN)
		return 0;
	/* Other readers of the format take such padding for all the rest of the page. */
	if (event->type_len == RINGBUF_TYPE_PADDING && !event->time_delta)
		return 0;
	size = rb_event_size(event);
	if (size > room || !IS_ALIGNED(size, sizeof(u32)) || (!small && size < RB_STAMP_LEN))
		return 0;
	/* An event has data: readers take a length of 0 for none being there. */
	if (!event->type_len && size == RB_STAMP_LEN)
		return 0;
	return size;
}

/* Do the events of @len bytes end where they should?  Counts them. */
static bool rb_persist_walk_events(struct buffer_data_page *page, unsigned int len,
				   unsigned int *events)
{
	unsigned int off = 0, size;

	for (*events = 0; off < len; off += size) {
		struct ring_buffer_event *event = (void *)page->data + off;

		if (len - off < RB_EVENT_HDR)
			return false;
		size = rb_persist_walk_size(event, len - off);
		if (!size)
			return false;
		*events += rb_is_data(event);
	}
	return true;
}

/**
 * struct rb_harvest - what a CPU's area held
 * @subs: valid sub-buffers, oldest first
 * @nr: how many
 * @dropped: how many were not valid
 * @reader_off: bytes of the first that were consumed
 */
struct rb_harvest {
	struct rb_found	*subs;
	unsigned int	nr;
	unsigned int	dropped;
	unsigned int	reader_off;
};

static int persist_by_base(const void *a, const void *b)
{
	const struct rb_found *x = a, *y = b;
	long diff = x->base - y->base;

	return diff < 0 ? -1 : diff > 0;
}

/*
 * Collect what claims to be there: the sub-buffers that are in their slots with
 * data, and the reader's, which is in none.  Returns the id of that.
 */
static unsigned int rb_persist_collect_subs(const struct rb_area *area,
					    const struct rb_persist_head *head,
					    unsigned long *seen, struct rb_harvest *harvest)
{
	unsigned int shift = PAGE_SHIFT + head->order, i, id;

	for (i = 0; i < head->nr; i++) {
		unsigned long word = atomic_long_read(&area->slots[i]);
		unsigned long base;

		id = word & RB_SLOT_ID;
		if (id > head->nr || __test_and_set_bit(id, seen)) {
			harvest->dropped++;
			continue;
		}
		if (!(word & RB_SLOT_DATA))
			continue;
		base = area->subs[id].base;
		if (word == ((base >> shift) << RB_SLOT_GEN_SHIFT | RB_SLOT_DATA | id) &&
		    IS_ALIGNED(base, 1UL << shift))
			harvest->subs[harvest->nr++] = (struct rb_found) { base, .id = id };
		else
			harvest->dropped++;
	}
	id = find_first_zero_bit(seen, head->nr + 1);
	if (id <= head->nr)
		harvest->subs[harvest->nr++] = (struct rb_found) { area->subs[id].base, .id = id };
	return id;
}

/*
 * Is what @found says to be there valid?  @pos is where the last commit was: the
 * sub-buffer with it is open, those before are closed.
 */
static bool persist_is_valid(const struct rb_area *area, unsigned int size, unsigned long pos,
			     struct rb_found *found)
{
	struct buffer_data_page *page = area->pages + (unsigned long)found->id * size;
	unsigned long len = local_read(&page->commit);

	found->first = area->subs[found->id].first;
	found->stamp = page->time_stamp;
	if ((long)(pos - found->base) < (long)RB_HDR)
		len = 0;
	else if (pos - found->base <= size)
		len = pos - found->base - RB_HDR;
	found->len = min(len, size);
	return len <= size - RB_HDR && rb_persist_walk_events(page, len, &found->events);
}

static void persist_find_subs(struct rb_persist *persist, const struct rb_area *area,
			      struct rb_harvest *harvest)
{
	const struct rb_persist_head *head = &persist->head;
	unsigned int size = PAGE_SIZE << head->order, reader, i, nr = 0;
	unsigned long *seen, pos = area->cb->w.commit_pos, last;
	struct rb_found *subs = harvest->subs;

	/* The CPU was never up. */
	if (!area->cb->size)
		return;
	seen = bitmap_zalloc(head->nr + 1, GFP_KERNEL);
	if (!seen)
		return;
	reader = rb_persist_collect_subs(area, head, seen, harvest);
	bitmap_free(seen);
	if (!harvest->nr)
		return;
	sort(subs, harvest->nr, sizeof(*subs), persist_by_base, NULL);

	/* If the position belongs to none of them, keep each that says it is closed. */
	last = subs[harvest->nr - 1].base;
	if ((long)(pos - subs[0].base) < (long)RB_HDR || (long)(pos - last) > (long)size)
		pos = last + 2 * size;
	for (i = 0; i < harvest->nr; i++) {
		bool twice = nr && subs[nr - 1].base == subs[i].base;

		if (twice || !persist_is_valid(area, size, pos, &subs[i])) {
			harvest->dropped++;
			continue;
		}
		/* Empty, or all was consumed. */
		if (!subs[i].len ||
		    (subs[i].id == reader && rb_reader_off(area->cb) >= subs[i].len))
			continue;
		subs[nr++] = subs[i];
	}
	harvest->nr = nr;
	if (nr && subs[0].id == reader)
		harvest->reader_off = rb_reader_off(area->cb);
}

/* Time and number of events in the first @off bytes; false: no event ends there. */
static bool rb_persist_walk_consumed(struct buffer_data_page *page, unsigned int len,
				     unsigned int off,
				     u64 *stamp, unsigned int *events)
{
	unsigned int at = 0;

	*stamp = page->time_stamp;
	*events = 0;
	while (at < off && at < len) {
		struct ring_buffer_event *event = (void *)page->data + at;

		*stamp = rb_stamp_after(event, *stamp);
		*events += rb_is_data(event);
		at += rb_event_size(event);
	}
	return at == off;
}

/* Events that are missing between what ends with number @end and @next. */
static unsigned long rb_persist_missing_events(const struct rb_cpu *cb, const struct rb_found *prev,
					       const struct rb_found *next, unsigned long end)
{
	unsigned long subs = ((next->base - prev->base) >> cb->shift) - 1;

	if (!subs)
		return 0;
	/* These numbers come from memory that is not believed, so a difference is bounded. */
	subs = min(subs, cb->nr);
	return clamp(next->first - end, 1UL, subs * (cb->size / RB_EVENT_HDR));
}

/* Descriptor @sub of an adopted ring, and the header of its memory. */
static void rb_persist_place_sub(struct rb_cpu *cb, const struct rb_area *area, struct rb_sub *sub,
				 unsigned int slot, unsigned int len, u64 stamp)
{
	sub->id = sub - area->subs;
	sub->page = area->pages + ((unsigned long)sub->id << cb->shift);
	sub->slot = slot;
	sub->page->time_stamp = stamp;
	local_set(&sub->page->commit, len);
	sub->end = len;
}

/* The sub-buffers with data.  Returns the number of the event behind them. */
static unsigned long persist_adopt_data(struct rb_cpu *cb, const struct rb_harvest *harvest,
					const struct rb_area *area)
{
	unsigned long first = 0, end = 0;
	unsigned int i;

	for (i = 0; i < harvest->nr; i++) {
		const struct rb_found *found = &harvest->subs[i];
		struct rb_sub *sub = &area->subs[found->id];
		unsigned long lost = i ? rb_persist_missing_events(cb, found - 1, found, end) : 0;

		end = found->first + found->events;
		rb_persist_place_sub(cb, area, sub, i ? i - 1 : cb->nr - 1, found->len,
				     found->stamp);
		sub->base = (unsigned long)cb->size * ((long)i - 1);
		sub->first = first + lost;
		local_set(&sub->entries, found->events);
		if (i)
			atomic_long_set(&cb->slots[i - 1], rb_slot_word(cb, sub->id, sub->base));
		local_add(lost, &cb->w.overrun);
		first += lost + found->events;
		cb->w.closed_bytes += found->len;
	}
	return first;
}

/* Where the reader is in its sub-buffer, which is the first of those found. */
static void persist_adopt_reader(struct rb_cpu *cb, struct rb_harvest *harvest,
				 const struct rb_area *area)
{
	unsigned int took, len = harvest->subs[0].len;
	struct rb_sub *sub = &area->subs[harvest->subs[0].id];

	if (!rb_persist_walk_consumed(sub->page, len, harvest->reader_off, &cb->reader_stamp,
				      &took)) {
		harvest->reader_off = 0;
		rb_persist_walk_consumed(sub->page, len, 0, &cb->reader_stamp, &took);
	}
	cb->reader_first = 0;
	cb->read_events = took;
	cb->read_bytes = harvest->reader_off;
	rb_reader_begin(cb, sub, harvest->reader_off);
}

/*
 * Put what was found into the new, empty ring of @cb: the first becomes the
 * reader's, the others follow in slots 0, 1, ..., and the writer begins in one
 * that is empty.  There is one: of the nr + 1 descriptors at most nr are here.
 */
static void rb_persist_adopt_ring(struct rb_cpu *cb, struct rb_harvest *harvest,
				  const struct rb_area *area)
{
	unsigned int i, slot = harvest->nr - 1;
	struct rb_sub *sub;

	for (i = 0; i <= cb->nr; i++)
		area->subs[i].page = NULL;
	cb->w.closed_events = persist_adopt_data(cb, harvest, area);
	persist_adopt_reader(cb, harvest, area);
	cb->w.tail = NULL;
	for (i = 0; i <= cb->nr; i++) {
		sub = &area->subs[i];
		if (sub->page)
			continue;
		rb_persist_place_sub(cb, area, sub, slot, 0, 0);
		if (!cb->w.tail) {
			sub->base = (unsigned long)slot << cb->shift;
			sub->first = cb->w.closed_events;
			cb->w.tail = sub;
			atomic_long_set(&cb->slots[slot], rb_slot_word(cb, sub->id, sub->base));
		} else {
			atomic_long_set(&cb->slots[slot], sub->id);
		}
		slot++;
	}
	cb->w.limit = rb_writer_settle(cb, cb->w.tail);
	cb->w.commit_sub = cb->w.tail;
	cb->w.commit_pos = cb->w.tail->base + RB_HDR;
	WRITE_ONCE(cb->w.pos, cb->w.commit_pos);
}

/* Give @cb a new and empty ring. */
static void persist_init_fresh(struct trace_buffer *buffer, int cpu, const struct rb_area *area,
			       struct rb_sub **subs)
{
	const struct rb_persist_head *head = &rb_object(buffer)->persist->head;
	struct rb_cpu *cb = area->cb;
	unsigned int i;

	memset(cb, 0, persist_meta_size(head->nr));
	cb->cpu = cpu;
	cb->w.buffer = buffer;
	cb->slots = area->slots;
	cb->subs = subs;
	cb->nr = head->nr;
	cb->ids = head->nr + 1;
	cb->order = head->order;
	cb->shift = PAGE_SHIFT + head->order;
	cb->size = 1U << cb->shift;
	/* The area has a fixed size. */
	atomic_set(&cb->resize_disabled, 1);
	for (i = 0; i <= cb->nr; i++) {
		subs[i] = &area->subs[i];
		subs[i]->page = area->pages + ((unsigned long)i << cb->shift);
		subs[i]->id = i;
		rb_sub_reset(subs[i]);
		if (i < cb->nr)
			atomic_long_set(&cb->slots[i], i);
	}
	rb_cpu_restart(cb, subs[0], 0, subs[cb->nr]);
}

/**
 * rb_persist_cpu - the buffer of a CPU, with what the last boot left
 * @buffer: a persistent ring buffer
 * @cpu: the CPU
 *
 * Context: task.
 * Return: the buffer; its locks and waiters are to be set up.  NULL if memory
 * is short.
 */
struct rb_cpu *rb_persist_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_persist *persist = rb_object(buffer)->persist;
	struct rb_area area = persist_area_of(persist, cpu);
	unsigned int nr = persist->head.nr;
	struct rb_harvest harvest = {};
	struct rb_sub **subs;

	subs = kvcalloc(nr + 1, sizeof(*subs), GFP_KERNEL);
	harvest.subs = kvcalloc(nr + 1, sizeof(*harvest.subs), GFP_KERNEL);
	if (!subs || !harvest.subs) {
		kvfree(subs);
		kvfree(harvest.subs);
		return NULL;
	}
	if (persist->old)
		persist_find_subs(persist, &area, &harvest);
	/* If all descriptors have data, the reader's included, the oldest is dropped. */
	if (harvest.nr > nr) {
		memmove(harvest.subs, harvest.subs + 1, nr * sizeof(*harvest.subs));
		harvest.nr--;
		harvest.reader_off = 0;
	}

	persist_init_fresh(buffer, cpu, &area, subs);
	if (harvest.nr)
		rb_persist_adopt_ring(area.cb, &harvest, &area);
	if (harvest.nr || harvest.dropped)
		pr_info("ring buffer: CPU %d: %u sub-buffers of the last boot, %u more not valid\n",
			cpu, harvest.nr, harvest.dropped);
	persist->kept += harvest.nr;
	persist->dropped += harvest.dropped;
	kvfree(harvest.subs);
	return area.cb;
}

/* Nobody uses @cb any more; what is in it may be read after the next boot. */
void rb_persist_cpu_free(struct rb_cpu *cb)
{
	kvfree(cb->subs);
}

/**
 * ring_buffer_persist_stats - what was found in a persistent buffer
 * @buffer: the ring buffer
 * @kept: set to the number of sub-buffers that can be read
 * @dropped: set to the number of those that were not valid
 *
 * Context: task.
 * Return: false if @buffer is not persistent.
 */
bool ring_buffer_persist_stats(struct trace_buffer *buffer, unsigned int *kept,
			       unsigned int *dropped)
{
	if (!rb_object(buffer)->persist)
		return false;
	*kept = rb_object(buffer)->persist->kept;
	*dropped = rb_object(buffer)->persist->dropped;
	return true;
}

/**
 * ring_buffer_last_boot_delta - how far the kernel has moved since the last boot
 * @buffer: the ring buffer
 * @text: set to the distance of its text
 * @data: set to the distance of its data
 *
 * The addresses in the records of the last boot are to be shifted by that.
 *
 * Context: task.
 * Return: false if @buffer is not persistent or has nothing of the last boot.
 */
bool ring_buffer_last_boot_delta(struct trace_buffer *buffer, long *text, long *data)
{
	struct rb_persist *persist = rb_object(buffer)->persist;

	if (!persist || !persist->kept)
		return false;
	*text = persist->text_delta;
	*data = persist->data_delta;
	return true;
}

/**
 * ring_buffer_persist_places - which piece of the memory is used for what
 * @buffer: the ring buffer
 * @cpu: whose part of it
 *
 * A moment's view: the sub-buffers change places as they are written and read.
 *
 * Context: task, may sleep.
 * Return: the places, to be freed with kvfree(); NULL if @buffer is not persistent, @cpu has no
 * part of it, or memory is short.
 */
struct ring_buffer_places *ring_buffer_persist_places(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	struct ring_buffer_places *places;
	unsigned int slot, i;
	unsigned long base;

	if (!cb || !rb_object(buffer)->persist)
		return NULL;
	places = kvmalloc(struct_size(places, ids, cb->nr + 1), GFP_KERNEL);
	if (!places)
		return NULL;
	places->size = cb->size;
	places->nr = cb->nr + 1;
	for (i = 0; i < cb->nr; i++)
		places->ids[i + 1] = atomic_long_read(&cb->slots[i]) & RB_SLOT_ID;

	guard(rb_reading)(cb);
	base = cb->reader->base + cb->size;
	slot = rb_next_slot(cb, cb->reader->slot);
	places->ids[0] = cb->reader->id;
	places->commit = READ_ONCE(cb->w.commit_sub)->id;
	places->head = places->commit;
	if (rb_oldest_after(cb, &base, &slot))
		places->head = atomic_long_read(&cb->slots[slot]) & RB_SLOT_ID;
	return places;
}
