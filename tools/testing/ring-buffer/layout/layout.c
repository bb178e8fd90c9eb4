// SPDX-License-Identifier: GPL-2.0
/*
 * How an event looks in memory, where the bytes of a word or its length are others than here. The
 * compiler works this out, so no machine of that kind is needed: a check that is not true calls a
 * function that must not be called.
 */
#include "shim.h"
#include "buffer/format.h"

void layout_differs(void) __attribute__((error("an event has another layout")));

#define HOLDS(condition)						\
do {									\
	if (!(condition))						\
		layout_differs();					\
} while (0)

static_assert(sizeof(struct ring_buffer_event) == RB_EVENT_HDR);
static_assert(sizeof(u64) + sizeof(long) == RB_HDR);
static_assert(sizeof(local_t) == sizeof(long));

/* The word that a writer stores has the two bit fields that the interface tells. */
void layout_header(void)
{
	struct ring_buffer_event event;
	u32 header;

	rb_set_header(&event, 21, 0x2345678);
	header = *(u32 *)&event;
	HOLDS(event.type_len == 21 && event.time_delta == 0x2345678);
	HOLDS(rb_header_type(header) == 21 && rb_header_delta(header) == 0x2345678);
	rb_set_header(&event, RINGBUF_TYPE_TIME_STAMP, RB_DELTA_MASK);
	HOLDS(event.type_len == RINGBUF_TYPE_TIME_STAMP && event.time_delta == RB_DELTA_MASK);
	rb_set_header(&event, RINGBUF_TYPE_PADDING, 0);
	HOLDS(event.type_len == RINGBUF_TYPE_PADDING && !event.time_delta);
}

/* User space shifts the word, as libtraceevent does. */
void layout_bytes(void)
{
	union {
		struct ring_buffer_event	event;
		u8				bytes[4];
	} u;

	rb_set_header(&u.event, 3, 5);
#ifdef CONFIG_CPU_BIG_ENDIAN
	HOLDS(u.bytes[0] == 3 << 3 && !u.bytes[1] && !u.bytes[2] && u.bytes[3] == 5);
#else
	HOLDS(u.bytes[0] == (3 | (5 & 7) << 5) && !u.bytes[1] && !u.bytes[2] && !u.bytes[3]);
#endif
}
