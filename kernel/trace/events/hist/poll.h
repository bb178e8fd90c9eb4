/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: tasks that wait in poll() for hits of histograms. While there are none, a
 * hit reads one word for them.
 */
#ifndef _TRACE_EVENTS_HIST_POLL_H
#define _TRACE_EVENTS_HIST_POLL_H

#include <linux/atomic.h>
#include <linux/poll.h>

struct hist_section;
struct seq_file;
struct trace_event_file;

/**
 * struct hist_open_file - a file "hist" that is open
 * @file:	the event of an instance
 * @read:	hits of its histograms when they were read; E
 * @told:	the same when poll() looked the last time, or when they were read or opened; E
 * @polled:	it counts in trace_hist_polled; E
 * @sections:	the histograms as they were when the file was read from its beginning; its reader
 */
struct hist_open_file {
	struct trace_event_file	*file;
	u64			read;
	u64			told;
	bool			polled;
	struct hist_section	*sections;
};

/* Open files "hist" that have been polled. */
extern atomic_t trace_hist_polled;

/* hist_file.c; they take the events mutex. */
void trace_hist_file_told(struct hist_open_file *open, bool read);
int trace_hist_file_begin(struct hist_open_file *open);
bool trace_hist_file_show(struct seq_file *m, const struct hist_open_file *open, loff_t part);
void trace_hist_file_end(struct hist_open_file *open);
__poll_t trace_hist_file_poll(struct hist_open_file *open, struct file *filp, poll_table *wait);

/* poll.c */
void trace_hist_poll_wake(void);
void trace_hist_poll_wake_later(void);
void trace_hist_poll_wait(struct file *filp, poll_table *wait);
int trace_hist_poll_init(void);

/* A hit has been seen. In any context, preemption is off. */
static inline void trace_hist_poll_hit(void)
{
	if (unlikely(atomic_read(&trace_hist_polled)))
		trace_hist_poll_wake_later();
}

#endif /* _TRACE_EVENTS_HIST_POLL_H */
