/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of reader/ need of each other. From the bottom:
 *
 *	merge.c		records of several CPUs in the order of time
 *	reader.c	who reads what: a reader's life
 *	exclude.c	which consumers may be there at the same time
 *	wait.c		how they wait for records
 *	listing.c	all records in place, as a seq_file
 *	*_file.c	the files, each by itself
 *	file.c		the reader's part of an instance: all files
 *	dump.c, kdb.c	the records on a console
 *
 * Letters beside members tell what protects them:
 *
 *	I  nothing: they stay as they are made
 *	F  the open file's own lock: the seq_file's, trace_iterator::mutex of a
 *	   pipe, trace_raw::mutex; a dump has dump_running, kdb all CPUs
 *	N  trace_instances_lock()
 *	R  RCU, for who reads
 *	A  atomic
 */
#ifndef _TRACE_READER_INTERNAL_H
#define _TRACE_READER_INTERNAL_H

#include <linux/container_of.h>
#include <linux/poll.h>
#include <linux/rwsem.h>

#include "instance/component.h"
#include "reader/reader.h"

/* One CPU's next record. */
struct trace_source {
	struct ring_buffer_iter		*iter;	/* I; NULL: it is consumed */
	struct ring_buffer_event	*event;	/* F; stays if @iter keeps it */
	u64				ts;	/* F */
	unsigned long			lost;	/* F */
	u64				lost_since;	/* F */
	int				cpu;	/* I */
};

/*
 * An open file, or a dump: the public iterator and how it gets its records.
 *
 * @order lists the sources: the first @nr_live of them have a record and form
 * a heap by time, the rest have none as far as known; they are looked at again
 * in turn, beginning at @next_idle. @handed_out tells that the heap's first
 * was given to the caller, and has to move on before the next one is taken.
 */
struct trace_reader {
	struct trace_iterator		iter;		/* F */
	struct trace_print_state	print;		/* F */
	struct trace_source		*sources;	/* I, but for its elements */
	unsigned int			*order;		/* I, but for its elements */
	unsigned int			nr;		/* F */
	unsigned int			nr_live;	/* F */
	unsigned int			next_idle;	/* F */
	bool				handed_out;	/* F */
	struct trace_buffer		*consumed;	/* F, whose records the heap has */
	u64				time_start;	/* F, of what is iterated over */

	/* listing.c */
	void (*print_empty)(struct seq_file *m, struct trace_iterator *iter);	/* I */
	bool				attached;	/* I, see trace_tracer_attach() */
	bool				paused;		/* I, pause-on-trace */

	/* pipe_file.c */
	bool				has_read;	/* F, something came out of it */
};

static inline struct trace_reader *trace_reader_of(struct trace_iterator *iter)
{
	return container_of(iter, struct trace_reader, iter);
}

/* merge.c */
u64 trace_reader_next_ts(struct trace_iterator *iter);
void trace_reader_rewind(struct trace_reader *reader);

/* reader.c */
struct trace_reader *trace_reader_alloc(struct trace_array *tr, int cpu);
void trace_reader_free(struct trace_reader *reader);
int trace_reader_reserve(struct trace_reader *reader);
unsigned int trace_reader_iterate(struct trace_reader *reader, gfp_t gfp);
void trace_reader_finish(struct trace_reader *reader);
void trace_reader_select(struct trace_reader *reader, struct trace_array *tr, int cpu);
void trace_reader_update(struct trace_reader *reader);

/*
 * The readers of an instance. Who consumes records of a CPU and needs them to
 * stay where they are meanwhile holds its @cpu_locks and @all_lock for reading,
 * who does so on all CPUs holds @all_lock for writing.
 */
struct trace_readers {
	struct list_head	list;		/* N; R for dumps */
	struct trace_array	*tr;		/* I */
	cpumask_var_t		pipe_cpus;	/* N, that have an open trace_pipe */
	struct rw_semaphore	all_lock;
	struct mutex		*cpu_locks;	/* I */
};

/* exclude.c */
int trace_readers_init(struct trace_readers *readers);
void trace_readers_exit(struct trace_readers *readers);
void trace_reader_lock(struct trace_array *tr, int cpu);
void trace_reader_unlock(struct trace_array *tr, int cpu);
int trace_reader_claim_pipe(struct trace_array *tr, int cpu);
void trace_reader_release_pipe(struct trace_array *tr, int cpu);

/*
 * One call of a consumer that may have to wait, on its stack. Who waits looks
 * at @stop again after each ring_buffer_wake_waiters(); true ends the wait.
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
loff_t trace_listing_lseek(struct file *file, loff_t offset, int whence);

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

static inline struct trace_readers *trace_readers_of(struct trace_array *tr)
{
	return trace_component_data(tr, &trace_reader_component);
}

#endif /* _TRACE_READER_INTERNAL_H */
