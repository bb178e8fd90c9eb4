/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of instance/ share with each other and with nobody else.
 */
#ifndef _TRACE_INSTANCE_INTERNAL_H
#define _TRACE_INSTANCE_INTERNAL_H

#include <linux/seq_file.h>

#include "instance/instance.h"

/* A tracer as one instance knows it: its options there. */
struct tracer_state {
	struct list_head	list;		/* tr->tracer_states, T */
	const struct tracer	*tracer;
	u32			options;	/* T */
	void			*data;		/* T, see trace_tracer_set_data() */
	bool			has_files;	/* T */
};

/* instance.c */
void trace_components_option_changed(struct trace_array *tr, u32 opt, bool on);
int trace_components_create_files(struct trace_array *tr);
unsigned long trace_buffer_full_size(void);
void trace_array_clear(struct trace_array *tr);
struct trace_memory;
struct trace_array *trace_instance_create(const char *name, const struct trace_memory *memory);
int trace_instance_mkdir(const char *name);
int trace_instance_rmdir(const char *name);

/* boot.c: memory that the command line gave to a buffer */
struct trace_memory {
	phys_addr_t	start;
	phys_addr_t	size;	/* 0: none */
};

void *trace_memory_map(const struct trace_memory *memory);
void trace_memory_unmap(void *address);
int trace_boot_create_files(struct trace_array *tr);

/* snapshot.c */
#ifdef CONFIG_TRACER_SNAPSHOT
int trace_snapshot_create(struct trace_array *tr);
void trace_snapshot_destroy(struct trace_array *tr);
int trace_snapshot_get_max(struct trace_array *tr);
void trace_snapshot_put_max(struct trace_array *tr);
int trace_snapshot_resize(struct trace_array *tr, unsigned long bytes, int cpu);
int trace_snapshot_set_order(struct trace_array *tr, int order);
void trace_snapshot_boot_alloc(struct trace_array *tr);
#else
static inline int trace_snapshot_create(struct trace_array *tr) { return 0; }
static inline void trace_snapshot_destroy(struct trace_array *tr) { }
static inline int trace_snapshot_get_max(struct trace_array *tr) { return -ENODEV; }
static inline void trace_snapshot_put_max(struct trace_array *tr) { }
static inline int trace_snapshot_clear(struct trace_array *tr, int cpu) { return 0; }
static inline void trace_snapshot_boot_alloc(struct trace_array *tr) { }

static inline int trace_snapshot_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	return ring_buffer_resize(tr->array_buffer.buffer, bytes, cpu);
}

static inline int trace_snapshot_set_order(struct trace_array *tr, int order)
{
	return ring_buffer_subbuf_order_set(tr->array_buffer.buffer, order);
}
#endif

/* option.c */
int trace_tracer_option_set(struct trace_array *tr, struct tracer_state *state,
			    u32 bit, bool on);
void trace_options_apply_boot(struct trace_array *tr);
void trace_options_apply_boot_tracer(struct trace_array *tr, struct tracer_state *state);
extern const char * const trace_option_names[TRACE_OPT_COUNT];

/* option_file.c */
int trace_option_create_files(struct trace_array *tr);
void trace_option_create_tracer_files(struct trace_array *tr, struct tracer_state *state);
void trace_option_free_files(struct trace_array *tr);

/* clock.c */
int trace_clocks_show(struct seq_file *m, struct trace_array *tr);
void trace_clock_init(struct trace_array *tr);

/* tracer.c */
int trace_tracers_create(struct trace_array *tr);
void trace_tracers_destroy(struct trace_array *tr);
int trace_tracers_start(struct trace_array *tr);
void trace_tracers_stop(struct trace_array *tr);
void trace_tracers_exports_changed(void);
void trace_tracers_show(struct seq_file *m, struct trace_array *tr);
struct tracer_state *trace_tracer_state(struct trace_array *tr, const struct tracer *tracer);

/* error.c */
void trace_error_log_show(struct seq_file *m, struct trace_array *tr);
void trace_error_log_clear(struct trace_array *tr);

/* comm_file.c */
int trace_comm_create_files(struct trace_array *tr, struct dentry *dir);

/* *_file.c: the files of each, called by file.c */
int trace_buffer_create_files(struct trace_array *tr);
int trace_readme_create_file(struct trace_array *tr);
int trace_error_create_file(struct trace_array *tr);
int trace_switch_create_files(struct trace_array *tr);
int trace_tracer_create_files(struct trace_array *tr);

/* file.c: all files of an instance */
int trace_instance_create_files(struct trace_array *tr);
void trace_instance_remove_files(struct trace_array *tr);
/* one file of an instance, its i_private is @tr */
int trace_create_file(const char *name, umode_t mode, struct trace_array *tr,
		      const struct file_operations *fops);
/* and files whose text is made by one function */
int trace_file_open(struct inode *inode, struct file *file,
		    int (*show)(struct seq_file *m, void *v));
int trace_file_release(struct inode *inode, struct file *file);
ssize_t trace_file_get_text(char *text, size_t size, const char __user *ubuf, size_t count);

/* In a show function: the instance, and the CPU of a per_cpu/ file. */
static inline struct trace_array *trace_seq_file_tr(struct seq_file *m)
{
	return ((struct inode *)m->private)->i_private;
}

static inline int trace_seq_file_cpu(struct seq_file *m)
{
	return trace_inode_cpu(m->private);
}

static inline struct trace_array *trace_file_tr(struct file *file)
{
	return file_inode(file)->i_private;
}

/* fops of a file with NAME_show() and, for the second, NAME_write(). */
#define DEFINE_TRACE_FILE_FOPS(name, writer)				\
static int name##_open(struct inode *inode, struct file *file)		\
{									\
	return trace_file_open(inode, file, name##_show);		\
}									\
									\
static const struct file_operations name##_fops = {			\
	.open		= name##_open,					\
	.read		= seq_read,					\
	.write		= writer,					\
	.llseek		= seq_lseek,					\
	.release	= trace_file_release,				\
}

#define DEFINE_TRACE_FILE_RO(name)	DEFINE_TRACE_FILE_FOPS(name, NULL)
#define DEFINE_TRACE_FILE_RW(name)	DEFINE_TRACE_FILE_FOPS(name, name##_write)

/* Readers of pages are woken when the buffer is this full, unless told otherwise. */
#define TRACE_BUFFER_PERCENT	50

#endif /* _TRACE_INSTANCE_INTERNAL_H */
