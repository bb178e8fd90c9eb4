/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of reader/ need of each other. */
#ifndef _TRACE_READER_INTERNAL_H
#define _TRACE_READER_INTERNAL_H

#include <linux/container_of.h>

#include "reader/reader.h"

/* One CPU's next record. */
struct trace_source {
	struct ring_buffer_iter		*iter;	/* NULL: the reader consumes */
	struct ring_buffer_event	*event;
	u64				ts;
	unsigned long			lost;
	u64				lost_since;
	int				cpu;
};

/*
 * An open file, or a dump: the public iterator and how it gets its records.
 *
 * @order lists the sources: the first @nr_live of them have a record and form
 * a heap by time, the rest have none as far as known; they are looked at again
 * in turn, beginning at @next_idle. @handed_out tells that the heap's first
 * was given to the caller, and has to move on before the next one is taken.
 *
 * Everything is protected by who may use the iterator: the seq_file's lock,
 * iter.mutex of a pipe, or the one dump at a time.
 */
struct trace_reader {
	struct trace_iterator		iter;
	struct trace_print_state	print;
	struct trace_source		*sources;
	unsigned int			*order;
	unsigned int			nr;
	unsigned int			nr_live;
	unsigned int			next_idle;
	bool				handed_out;
	u64				time_start;	/* of what is iterated over */
	unsigned int			exchanges;	/* the instance's, when waiting began */
	bool				paused;		/* pause-on-trace */
	bool				has_read;	/* trace_pipe gave something */
};

static inline struct trace_reader *trace_reader_of(struct trace_iterator *iter)
{
	return container_of(iter, struct trace_reader, iter);
}

/* In merge.c. @cpu may be RING_BUFFER_ALL_CPUS. May sleep. */
struct trace_reader *trace_reader_alloc(struct trace_array *tr, int cpu);
/* Another instance or CPU, for a reader that was made for all CPUs. */
void trace_reader_select(struct trace_reader *reader, struct trace_array *tr, int cpu);
void trace_reader_free(struct trace_reader *reader);
/* Start all over: from the oldest records, or from what was not consumed yet. */
void trace_reader_rewind(struct trace_reader *reader);
/* Follow the instance's tracer and clock. */
void trace_reader_update(struct trace_reader *reader);

/* In trace_file.c, pipe_file.c, raw_file.c. */
extern const struct file_operations trace_fops;
extern const struct file_operations trace_pipe_fops;
extern const struct file_operations trace_raw_fops;
/* The common part of trace and snapshot: a seq_file over all records. */
int trace_file_open_for_read(struct trace_array *tr, int cpu, struct file *file, bool snapshot);
void trace_file_release_read(struct inode *inode, struct file *file);
loff_t trace_file_lseek(struct file *file, loff_t offset, int whence);

/* In snapshot_file.c. */
#ifdef CONFIG_TRACER_SNAPSHOT
extern const struct file_operations trace_snapshot_raw_fops;
int trace_snapshot_create_files(struct trace_array *tr, struct dentry *dir);
void trace_snapshot_print_help(struct seq_file *m, struct trace_iterator *iter);
#else
static inline int trace_snapshot_create_files(struct trace_array *tr, struct dentry *dir)
{
	return 0;
}

static inline void trace_snapshot_print_help(struct seq_file *m, struct trace_iterator *iter) { }
#endif

/* The reader's part of an instance. */
struct trace_reader_instance {
	struct list_head	list;		/* dump.c */
	struct trace_array	*tr;
	cpumask_var_t		pipe_cpus;	/* trace_instances_lock(): open pipes */
	struct rw_semaphore	all_lock;	/* see trace_reader_lock() */
	struct mutex		*cpu_locks;
};

/* In dump.c. Adding and removing: trace_instances_lock(). */
int trace_dump_init(void);
void trace_dump_add(struct trace_reader_instance *ri);
void trace_dump_remove(struct trace_reader_instance *ri);

static inline struct trace_reader_instance *trace_reader_instance(struct trace_array *tr)
{
	return trace_component_data(tr, &trace_reader_component);
}

/*
 * Who consumes records of @cpu (or RING_BUFFER_ALL_CPUS) and looks at them in
 * place keeps other consumers out. Task context, may sleep.
 */
void trace_reader_lock(struct trace_array *tr, int cpu);
void trace_reader_unlock(struct trace_array *tr, int cpu);

#endif /* _TRACE_READER_INTERNAL_H */
