/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside: the tasks that wait for data, and the calls by which writers wake them.
 */
#ifndef _TRACE_BUFFER_WAIT_H
#define _TRACE_BUFFER_WAIT_H

#include <linux/wait.h>
#include <asm/local.h>

#include "lib/tick_call.h"

struct rb_cpu;
struct rb_object;
struct ring_buffer_watch;

/**
 * struct rb_wait - those who wait for data of a CPU, or of any
 * @any: wait for any data
 * @full: wait for a share of the sub-buffers
 * @seq: grows with each explicit wakeup
 * @full_min: smallest share somebody in @full waits for, in percent; 0: none
 * @any_waits: somebody is in @any, or about to
 * @object: whose data
 * @cpu: which CPU's; RING_BUFFER_ALL_CPUS: any
 *
 * A swap leaves it where it is: one waits for a CPU of a ring buffer.
 */
struct rb_wait {
	wait_queue_head_t	any;		/* queue's lock */
	wait_queue_head_t	full;		/* queue's lock */
	atomic_t		seq;		/* atomic */
	atomic_t		full_min;	/* atomic */
	bool			any_waits;	/* atomic */
	struct rb_object	*object;	/* constant */
	int			cpu;		/* constant */
};

/* rb_cpu_wait::asked: the waiters of more than one CPU */
#define RB_ASKED_ALL	(-1)

/**
 * struct rb_cpu_wait - those who wait for data of a CPU, and how this CPU wakes
 * @wait: those who wait for this CPU
 * @look: looks whether there is something for them, or for those who wait for any CPU, and wakes;
 *	with the next tick, so one tick's writes wake once
 * @asked: the waiters that @look is for as well: 0, none; 1 + a CPU, its waiters; RB_ASKED_ALL.
 *	A task that waits, or has changed something, asks for that on the CPU where it runs.
 *
 * Only the CPU itself queues @look. A CPU that stands still keeps what it has queued, and would
 * keep other CPUs from waking if they had the call in common.
 */
struct rb_cpu_wait {
	struct rb_wait		wait;
	struct trace_tick_call	look;		/* atomic */
	atomic_t		asked;		/* atomic */
};

int rb_waits_init(struct rb_object *object);
void rb_waits_exit(struct rb_object *object);
void rb_wait_look_again(struct rb_wait *wait);
void rb_wait_cpu_changed(struct rb_object *object, unsigned int cpu);
void rb_writer_wakes(struct rb_cpu *cb);
void rb_writer_crossed(struct rb_cpu *cb, unsigned long bytes);
size_t rb_dirty_subs(struct rb_cpu *cb);

/* news.c */
void rb_news_crossed(struct rb_cpu *cb, unsigned long bytes);
void rb_news_overwritten(struct rb_cpu *cb, unsigned int events);
void rb_news_dropped(struct rb_cpu *cb, local_t *counter);
struct ring_buffer_watch *rb_news_watch(struct rb_cpu *cb);
void rb_news_cpu_changed(struct rb_object *object, unsigned int cpu);

#endif /* _TRACE_BUFFER_WAIT_H */
