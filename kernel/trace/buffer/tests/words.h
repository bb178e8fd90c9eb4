/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A writer of the short way, as the function tracer is one, for KUnit and for
 * tools/testing/ring-buffer.
 */
#ifndef _TRACE_BUFFER_TESTS_WORDS_H
#define _TRACE_BUFFER_TESTS_WORDS_H

#include "buffer/short.h"

/*
 * Write three words of data the short way, and the long one where that is not open. With
 * preemption off.
 */
static inline int test_write_words(struct trace_buffer *buffer, u64 head,
				   unsigned long a, unsigned long b)
{
	struct words {
		u64		head;
		unsigned long	a, b;
	} __packed __aligned(4);
	const unsigned int size = rb_size_of(sizeof(struct words));
	struct rb_writer *w = rb_this_writer(buffer);
	struct ring_buffer_event *event;
	unsigned long end;

	if (rb_short_enter(buffer, w, false)) {
		if (rb_short_reserve(w, size, rb_short_clock(w, false), &event, &end)) {
			*(struct words *)rb_small_body(event) =
				(struct words){ head, a, b };
			if (!rb_short_commit(w, end))
				rb_short_leave(w);
			return 0;
		}
		event = rb_short_reserve_any(buffer, &w, sizeof(struct words));
		if (!event)
			return -EBUSY;
		*(struct words *)ring_buffer_event_body(event) = (struct words){ head, a, b };
		rb_short_leave(w);
		return 0;
	}
	event = ring_buffer_reserve_nopreempt(buffer, sizeof(struct words));
	if (!event)
		return -EBUSY;
	*(struct words *)ring_buffer_event_body(event) = (struct words){ head, a, b };
	ring_buffer_commit_nopreempt(buffer);
	return 0;
}

#endif /* _TRACE_BUFFER_TESTS_WORDS_H */
