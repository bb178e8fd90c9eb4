/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of reader/ share. The files, from the bottom:
 *
 *	merge.c		records of several CPUs in the order of time
 *	reader.c	makes readers, and chooses the instance and the CPUs they read
 *	exclude.c	which consumers may be there at the same time
 *	wait.c		how they wait for records
 *	listing.c	all records in place, as a seq_file
 *	*_file.c	the files, each by itself
 *	file.c		the component: all files of an instance, and what they share
 *	dump.c, kdb.c	the records on a console
 *
 * Members are under the open file's own lock, if nothing else stands beside them: the seq_file's,
 * trace_iterator::mutex of a pipe, trace_raw::mutex. A dump owns its reader while dump_running
 * is set, and kdb's is used with all other CPUs stopped.
 */
#ifndef _TRACE_READER_INTERNAL_H
#define _TRACE_READER_INTERNAL_H

#include <linux/container_of.h>
#include <linux/poll.h>
#include <linux/rwsem.h>

#include "instance/component.h"
#include "reader/reader.h"

/* The longest record that a reader that consumes can see behind another one. */
#define TRACE_AHEAD_MAX	128

/* One CPU's next record. */
struct trace_source {
	struct ring_buffer_iter		*iter;	/* constant; NULL: records are consumed */
	struct ring_buffer_event	*event;	/* a copy of @iter's, or in the buffer */
	u64				ts;
	unsigned long			lost;
	u64				lost_since;
	u64				time_start;	/* constant; @iter skips older records */
	unsigned long			left_out;	/* how many of them there were */
	int				cpu;	/* constant */
};

/*
 * An open file, or a dump: the public iterator and how it gets its records.
 *
 * @order lists the sources. The first @nr_live of them have a record and form a heap
 * by time. The rest had none when they were asked last; merge_heap_poll_idle() asks them
 * again in turn, beginning at @next_idle. @handed_out tells that the caller was given
 * the record of the heap's first source, which has to move on before the next one.
 *
 * @taken tells that the current record, which is in iter.temp, is in no buffer any more,
 * because trace_iter_peek() looked behind it. It is handed out again, as @kept says, until
 * trace_iter_consume() is called.
 */
struct trace_reader {
	struct trace_iterator		iter;
	struct trace_print_state	print;
	struct trace_source		*sources;	/* the array itself is constant */
	unsigned int			*order;		/* the array itself is constant */
	unsigned int			nr;
	unsigned int			nr_live;
	unsigned int			next_idle;
	bool				handed_out;
	unsigned int			current_source;	/* of the current record */
	bool				taken;
	bool				skipped;	/* @ahead goes with the current record */
	struct trace_source		kept;		/* of the current record, when @taken */
	u64				ahead_ts;
	u64				ahead[TRACE_AHEAD_MAX / sizeof(u64)];
	struct trace_buffer		*consumed;	/* the buffer that the heap is about */

	/* listing.c */
	void (*print_empty)(struct seq_file *m, struct trace_iterator *iter);	/* constant */
	bool				attached;	/* constant; by trace_tracer_attach() */
	bool				paused;		/* constant; recording is stopped */
	bool				ended;		/* the last read() has come to the end */

	/* pipe_file.c */
	bool				has_read;	/* a read() has returned text */
};

static inline struct trace_reader *trace_reader_of(struct trace_iterator *iter)
{
	return container_of(iter, struct trace_reader, iter);
}

/* merge.c */
u64 trace_reader_next_ts(struct trace_iterator *iter);
unsigned long trace_reader_left_out(struct trace_iterator *iter, int cpu);
void trace_reader_rewind(struct trace_reader *reader);
void trace_reader_extend(struct trace_reader *reader);

/* reader.c */
struct trace_reader *trace_reader_alloc(struct trace_array *tr, int cpu);
void trace_reader_free(struct trace_reader *reader);
int trace_reader_reserve(struct trace_reader *reader);
unsigned int trace_reader_iterate(struct trace_reader *reader, gfp_t gfp);
void trace_reader_finish(struct trace_reader *reader);
void trace_reader_select(struct trace_reader *reader, struct trace_array *tr, int cpu);
void trace_reader_update(struct trace_reader *reader);

/*
 * The readers of an instance. A consumer of one CPU's records that needs them to stay
 * where they are holds @all_lock for reading and the CPU's of @cpu_locks; a consumer of
 * all CPUs' records holds @all_lock for writing. See trace_reader_lock().
 */
struct trace_readers {
	struct list_head	list;		/* instances lock; RCU for dumps */
	struct trace_array	*tr;		/* constant */
	cpumask_var_t		pipe_cpus;	/* pipe_cpus_lock; those with an open trace_pipe */
	struct rw_semaphore	all_lock;
	struct mutex		*cpu_locks;	/* constant */
};

/* exclude.c */
int trace_readers_init(struct trace_readers *readers);
void trace_readers_exit(struct trace_readers *readers);
void trace_reader_lock(struct trace_array *tr, int cpu);
void trace_reader_unlock(struct trace_array *tr, int cpu);
int trace_reader_claim_pipe(struct trace_array *tr, int cpu);
void trace_reader_release_pipe(struct trace_array *tr, int cpu);

/*
 * One call of a consumer that may have to wait, on its stack. The wait ends when @stop
 * returns true; it is called again after each ring_buffer_wake_waiters().
 */
struct trace_wait {
	struct array_buffer	*from;		/* of the instance */
	int			cpu;
	bool			(*stop)(void *data);
	void			*data;		/* of @stop */
	unsigned int		exchanges;	/* of buffers, when the round began */
};

/* wait.c */
void trace_wait_prepare(struct trace_wait *wait);
int trace_wait_for_records(struct trace_wait *wait, int full);
__poll_t trace_wait_poll(struct array_buffer *from, int cpu, struct file *file,
			 poll_table *poll);

/* listing.c */
int trace_listing_open(struct array_buffer *from, int cpu, struct file *file,
		       void (*print_empty)(struct seq_file *m, struct trace_iterator *iter));
void trace_listing_release(struct inode *inode, struct file *file);

/* *_file.c */
extern const struct file_operations trace_fops;
extern const struct file_operations trace_pipe_fops;
extern const struct file_operations trace_raw_fops;
extern const struct file_operations trace_stats_fops;
extern const struct file_operations trace_meta_fops;
#ifdef CONFIG_TRACER_SNAPSHOT
extern const struct file_operations trace_snapshot_raw_fops;
int trace_snapshot_create_files(struct trace_array *tr, struct dentry *dir);
#else
static inline int trace_snapshot_create_files(struct trace_array *tr, struct dentry *dir)
{
	return 0;
}
#endif

/* dump.c */
int trace_dump_init(void);
void trace_dump_add(struct trace_readers *readers);
void trace_dump_remove(struct trace_readers *readers);

extern struct trace_slot trace_reader_slot;	/* exclude.c */

static inline struct trace_readers *trace_readers_of(struct trace_array *tr)
{
	return trace_slot_data(tr, &trace_reader_slot);
}

#endif /* _TRACE_READER_INTERNAL_H */
