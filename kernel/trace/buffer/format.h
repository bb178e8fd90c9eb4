/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside: how a sub-buffer and its events look in memory.  User space sees the
 * same: events/header_page and events/header_event describe it.
 */
#ifndef _TRACE_BUFFER_FORMAT_H
#define _TRACE_BUFFER_FORMAT_H

#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/kconfig.h>
#include <linux/ring_buffer.h>
#include <asm/local.h>

/* Header of each sub-buffer. */
struct buffer_data_page {
	u64		time_stamp;
	local_t		commit;
	unsigned char	data[];
};

#define RB_HDR			offsetof(struct buffer_data_page, data)

/* In buffer_data_page::commit of a page that is handed out. */
#define RB_MISSED_EVENTS	BIT(31)
#define RB_MISSED_STORED	BIT(30)
#define RB_COMMIT_MASK		(RB_MISSED_STORED - 1)

/*
 * Set flags of a page that another CPU may be looking at. A local_t is one long
 * on every architecture, but only some have it as an atomic_long_t.
 */
static __always_inline void rb_set_missed(struct buffer_data_page *page, unsigned long flags)
{
	static_assert(sizeof(local_t) == sizeof(atomic_long_t));
	atomic_long_or(flags, (atomic_long_t *)&page->commit);
}

/* Events */
#define RB_EVENT_HDR		4U
#define RB_STAMP_LEN		8U
#define RB_MAX_SMALL		(4U * RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
#define RB_DELTA_BITS		27
#define RB_DELTA_MASK		((1U << RB_DELTA_BITS) - 1)
#define RB_STAMP_MASK		((1ULL << 59) - 1)

#ifdef CONFIG_HAVE_64BIT_ALIGNED_ACCESS
# define RB_ALIGN		8U
# define RB_ALWAYS_LONG		true
#else
# define RB_ALIGN		4U
# define RB_ALWAYS_LONG		false
#endif

static __always_inline void
rb_set_header(struct ring_buffer_event *event, unsigned int type, unsigned int delta)
{
	/* type_len and time_delta: gcc would put the bit fields together on the stack. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		*(u32 *)event = type << RB_DELTA_BITS | delta;
	else
		*(u32 *)event = type | delta << (32 - RB_DELTA_BITS);
}

/* The header of @event, read once: its two parts cost one load. */
static __always_inline u32 rb_header(const struct ring_buffer_event *event)
{
	return READ_ONCE(*(const u32 *)event);
}

/* The ring_buffer_event::type_len in @header. */
static __always_inline unsigned int rb_header_type(u32 header)
{
	return IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? header >> RB_DELTA_BITS :
						   header & ((1U << (32 - RB_DELTA_BITS)) - 1);
}

/* The ring_buffer_event::time_delta in @header. */
static __always_inline unsigned int rb_header_delta(u32 header)
{
	return IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? header & RB_DELTA_MASK :
						   header >> (32 - RB_DELTA_BITS);
}

/* Bytes that @length of data take in the buffer. */
static __always_inline unsigned long rb_size_of(unsigned long length)
{
	if (length > RB_MAX_SMALL || RB_ALWAYS_LONG)
		length += sizeof(u32);
	return ALIGN(length + RB_EVENT_HDR, RB_ALIGN);
}

static __always_inline void
rb_set_event(struct ring_buffer_event *event, unsigned int size, unsigned int delta)
{
	unsigned int length = size - RB_EVENT_HDR;

	if (length > RB_MAX_SMALL || RB_ALWAYS_LONG) {
		rb_set_header(event, 0, delta);
		event->array[0] = length;
	} else {
		rb_set_header(event, length / 4, delta);
	}
}

/* ring_buffer_event_data() of an event of up to RB_MAX_SMALL bytes, without a look. */
static __always_inline void *rb_small_body(struct ring_buffer_event *event)
{
	return &event->array[RB_ALWAYS_LONG];
}

/* Size of @event in the buffer, its own header included. */
static inline unsigned int rb_event_size(struct ring_buffer_event *event)
{
	switch (event->type_len) {
	case 0:
	case RINGBUF_TYPE_PADDING:
		return event->array[0] + RB_EVENT_HDR;
	case RINGBUF_TYPE_TIME_EXTEND:
	case RINGBUF_TYPE_TIME_STAMP:
		return RB_STAMP_LEN;
	default:
		return event->type_len * 4 + RB_EVENT_HDR;
	}
}

/* Is @event data, and no stamp or padding? */
static inline bool rb_is_data(struct ring_buffer_event *event)
{
	return event->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
}

/* Bytes of data in a sub-buffer that its writers have closed. */
static inline unsigned int rb_page_len(struct buffer_data_page *page)
{
	return local_read(&page->commit) & RB_COMMIT_MASK;
}

#endif /* _TRACE_BUFFER_FORMAT_H */
