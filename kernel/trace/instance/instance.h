/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instance/: a trace_array and all that belongs to one: buffer, clock,
 * options, on/off switch, current tracer, markers and trace_printk(), the
 * error log; and the task names that all instances share.
 *
 * It does not know how a record is printed or read, nor events or functions:
 * layers above join an instance as a struct trace_component.
 */
#ifndef _TRACE_INSTANCE_H
#define _TRACE_INSTANCE_H

#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/spinlock_types.h>
#include <linux/trace.h>
#include <linux/trace_events.h>

#include "buffer/buffer.h"
#include "lib/lib.h"
#include "record/kind.h"
#include "record/record.h"
#include "tasks/comm.h"
#include "tasks/pid_filter.h"

struct cond_snapshot;
struct trace_array;
struct tracer;

/*
 * Options of an instance: bit, name in trace_options. Options of layers that
 * do not exist yet are absent.
 */
#define TRACE_OPTIONS(X)				\
	X(PRINT_PARENT,		"print-parent")		\
	X(SYM_OFFSET,		"sym-offset")		\
	X(SYM_ADDR,		"sym-addr")		\
	X(VERBOSE,		"verbose")		\
	X(RAW,			"raw")			\
	X(HEX,			"hex")			\
	X(BIN,			"bin")			\
	X(BLOCK,		"block")		\
	X(FIELDS,		"fields")		\
	X(PRINTK,		"trace_printk")		\
	X(ANNOTATE,		"annotate")		\
	X(USERSTACKTRACE,	"userstacktrace")	\
	X(SYM_USEROBJ,		"sym-userobj")		\
	X(PRINTK_MSGONLY,	"printk-msg-only")	\
	X(CONTEXT_INFO,		"context-info")		\
	X(LATENCY_FMT,		"latency-format")	\
	X(RECORD_CMD,		"record-cmd")		\
	X(RECORD_TGID,		"record-tgid")		\
	X(OVERWRITE,		"overwrite")		\
	X(STOP_ON_FREE,		"disable_on_free")	\
	X(IRQ_INFO,		"irq-info")		\
	X(MARKERS,		"markers")		\
	X(EVENT_FORK,		"event-fork")		\
	X(PRINTK_DEST,		"trace_printk_dest")	\
	X(PAUSE_ON_TRACE,	"pause-on-trace")	\
	X(HASH_PTR,		"hash-ptr")		\
	X(FUNCTION,		"function-trace")	\
	X(FUNC_FORK,		"function-fork")	\
	X(STACKTRACE,		"stacktrace")

enum {
#define X(bit, name) TRACE_OPT_##bit##_BIT,
	TRACE_OPTIONS(X)
#undef X
	TRACE_OPT_COUNT
};
static_assert(TRACE_OPT_COUNT <= 32);

enum {
#define X(bit, name) TRACE_OPT_##bit = 1U << TRACE_OPT_##bit##_BIT,
	TRACE_OPTIONS(X)
#undef X
};

/**
 * struct trace_component - a part of every instance
 * @name:	names the component in messages
 * @create:	allocates the component's data; for the top instance, this is in
 *		early boot and no files exist yet
 * @create_files: makes its files in @dir; tracefs is up. @dir is NULL for the
 *		top instance, which tracefs takes for its root
 * @destroy:	undoes both; nobody uses the instance any more
 * @option_changed: is told that an option of the instance was changed
 * @slot:	the place of its data in an instance: its place in the table of
 *		setup.c, counted from 1. trace_components_set() sets it. 0: the
 *		component is not in the table, its data are NULL
 *
 * Every callback may be NULL. They are called in the order of the table,
 * @destroy in reverse order.
 *
 * A component is defined with __ro_after_init, because it learns its slot at boot.
 *
 * Context of all callbacks: task, may sleep; trace_instances_lock() is held.
 */
struct trace_component {
	const char	*name;
	int		(*create)(struct trace_array *tr);
	int		(*create_files)(struct trace_array *tr, struct dentry *dir);
	void		(*destroy)(struct trace_array *tr);
	void		(*option_changed)(struct trace_array *tr, u32 opt, bool on);
	unsigned int	slot;
};

/* Per CPU state of an instance's buffer. */
struct trace_array_cpu {
	atomic_t	disabled;	/* > 0: function tracers stay silent here */
};

struct array_buffer {
	struct trace_buffer		*buffer;
	u64				time_start;	/* of what the buffer holds */
	struct trace_array_cpu __percpu	*data;
	struct trace_array		*tr;
	int				cpu;		/* RING_BUFFER_ALL_CPUS */
};

/*
 * struct trace_array - an instance
 *
 * Letters: I immutable after creation, T under trace_instances_lock(),
 * O written under it and read by anybody at any time, A atomic, S under
 * snapshot_mutex, R written under it and read at any time; see snapshot.c.
 */
struct trace_array {
	struct list_head	list;			/* T */
	const char		*name;			/* I; NULL: the top instance */
	char			*systems;		/* I; of its events; NULL: all */
	struct array_buffer	array_buffer;
	struct array_buffer	snapshot;		/* no buffer: it cannot have one */
	struct trace_buffer	*buffers[2];		/* I, of both, whoever has which */
	void			*memory;		/* I, kept over a reboot; NULL */
	long			text_delta;		/* O, what the last boot's addresses */
	long			data_delta;		/*    are off by, see boot.c */
	arch_spinlock_t		snapshot_lock;		/* the exchange of both */
	struct mutex		snapshot_mutex;
	struct irq_work		snapshot_wake;
	unsigned int		exchanges;		/* under snapshot_lock, read anywhere */
	atomic_t		pinned;			/* A, see trace_buffers_pin() */
	unsigned int		snapshot_users;		/* S */
	bool			snapshot_allocated;	/* R */
	bool			snapshot_has_max;	/* R, a tracer's, see use_max */
	bool			snapshot_shrinks;	/* R, once nobody reads it */
	struct cond_snapshot	*cond_snapshot;		/* R */
	u32			options;		/* O, TRACE_OPT_* */
	unsigned int		clock_id;		/* O */
	atomic_t		stop_count;		/* A */
	bool			buffer_disabled;	/* O, the shadow of tracing_on */
	bool			expanded;		/* T, not the boot-time minimum */
	bool			files;			/* T, the files exist */
	bool			comm_held;		/* T, see trace_comm_get() */
	int			ref;			/* T */
	unsigned int		pipe_readers;		/* T, open trace_pipe files */
	cpumask_var_t		tracing_cpumask;	/* T */
	unsigned int		buffer_percent;		/* O, when to wake who wants pages */
	unsigned long		thresh_ns;		/* O, tracing_thresh (top only) */
	const struct tracer	*current_trace;		/* T */
	u32			tracer_options;		/* O, of current_trace */
	void			*tracer_data;		/* O, of current_trace */
	struct list_head	tracer_states;		/* T */
	struct list_head	err_log;		/* own lock, see error.c */
	unsigned int		n_err_log;
	struct dentry		*dir;			/* T, NULL: the root */
	struct dentry		*options_dir;		/* T */
	struct dentry		*percpu_dir;		/* T */
	struct dentry		**cpu_dirs;		/* T, by CPU */
	struct option_node	*option_nodes;		/* T, see option_file.c */
	void			*component_data[];	/* O, by trace_component::slot */
};

/**
 * trace_component_data - a component's data in an instance
 * @tr: the instance
 * @component: the component
 *
 * Context: any.
 * Return: what trace_component_set_data() has set, NULL before.
 */
static inline void *trace_component_data(struct trace_array *tr,
					 const struct trace_component *component)
{
	return READ_ONCE(tr->component_data[component->slot]);
}

void trace_component_set_data(struct trace_array *tr, const struct trace_component *component,
			      void *data);

/* Life of instances. The lock is a mutex, the outermost one of tracing. */
void trace_instances_lock(void);
void trace_instances_unlock(void);
void trace_instances_assert_locked(void);

DEFINE_LOCK_GUARD_0(trace_instances, trace_instances_lock(), trace_instances_unlock())

struct trace_array *trace_top_instance(void);	/* NULL before early init */
struct list_head *trace_instances(void);	/* T */
#define for_each_trace_array(tr) list_for_each_entry(tr, trace_instances(), list)

int trace_array_get(struct trace_array *tr);	/* -ENODEV when it is gone */
/* trace_array_put() is in <linux/trace.h>; this one is for holders of the lock. */
void trace_array_put_locked(struct trace_array *tr);
/* Was it made for the events of some systems only, and not of @system? */
bool trace_array_has_system(const struct trace_array *tr, const char *system);
/* For open(): lockdown, tracing disabled for good, and a reference. */
int trace_array_open(struct trace_array *tr);
/* Generic open/release for files whose data is the trace_array. */
int trace_array_generic_open(struct inode *inode, struct file *file);
int trace_array_generic_release(struct inode *inode, struct file *file);

/*
 * Files of one CPU: their inode tells the CPU, RING_BUFFER_ALL_CPUS for others.
 * The folder per_cpu/cpuN is trace_array_cpu_dir(); i_private is @tr.
 */
struct dentry *trace_array_cpu_dir(struct trace_array *tr, int cpu);	/* T */
struct dentry *trace_create_cpu_file(const char *name, umode_t mode, struct trace_array *tr,
				     int cpu, const struct file_operations *fops);
int trace_inode_cpu(const struct inode *inode);

/* Names of tasks as its options want them kept. */
extern struct trace_component trace_comm_component;

/* setup.c hands over the table once, before the top instance is created. */
void trace_components_set(struct trace_component * const *table, unsigned int nr);
int trace_instance_early_init(void);	/* top instance, from early_trace_init() */
int trace_instance_init_files(void);	/* its files, when tracefs is up */
/* Those of the command line. @enable_events: trace_events_boot_enable() */
void trace_instances_boot(void (*enable_events)(struct trace_array *tr, char *events));

/* Switches */
static inline bool trace_option(const struct trace_array *tr, u32 opt)
{
	return READ_ONCE(tr->options) & opt;
}

int trace_option_set(struct trace_array *tr, u32 opt, bool on);	/* T */
int trace_option_parse(struct trace_array *tr, char *text);	/* "noNAME" clears; T */
void trace_array_on(struct trace_array *tr);	/* any context */
void trace_array_off(struct trace_array *tr);	/* any context */
bool trace_array_is_on(struct trace_array *tr);
/* A nesting pause beside tracing_on (pause-on-trace, dumps). Any context. */
void trace_array_stop(struct trace_array *tr);
void trace_array_start(struct trace_array *tr);
bool trace_disabled_for_good(void);
void trace_disable_for_good(void);

/* For a switch that a snapshot must not undo: do it to both buffers. */
#define for_each_trace_buffer(tr, p)					\
	for ((p) = (tr)->buffers; (p) < (tr)->buffers + 2 && *(p); (p)++)

/*
 * Snapshot. Who takes it from where it cannot sleep has it allocated before.
 * tracing_snapshot() and its kin in <linux/kernel.h> are the top instance's;
 * the cond calls: a snapshot is taken when @update says so.
 */
typedef bool (*trace_snapshot_cond_t)(struct trace_array *tr, void *cond_data);

#ifdef CONFIG_TRACER_SNAPSHOT
int trace_snapshot_get(struct trace_array *tr);
void trace_snapshot_put(struct trace_array *tr);
void trace_snapshot_take(struct trace_array *tr);
int trace_snapshot_max(struct trace_array *tr, bool this_cpu);
int trace_snapshot_take_cpu(struct trace_array *tr, int cpu);
int trace_snapshot_free(struct trace_array *tr);
int trace_snapshot_clear(struct trace_array *tr, int cpu);
void trace_snapshot_reader_left(struct trace_array *tr);
/* Who maps a buffer pins it: no snapshot then. Any context but NMI. */
int trace_buffers_pin(struct trace_array *tr);
void trace_buffers_unpin(struct trace_array *tr);
#else
static inline void trace_snapshot_reader_left(struct trace_array *tr) { }
static inline int trace_buffers_pin(struct trace_array *tr) { return 0; }
static inline void trace_buffers_unpin(struct trace_array *tr) { }
#endif
int tracing_alloc_snapshot(void);
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 trace_snapshot_cond_t update);
int tracing_snapshot_cond_disable(struct trace_array *tr);
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data);
void *tracing_cond_snapshot_data(struct trace_array *tr);

const char *trace_clock_name(struct trace_array *tr);
bool trace_clock_in_ns(struct trace_array *tr);
int trace_array_set_clock(struct trace_array *tr, const char *name);
int trace_array_resize(struct trace_array *tr, unsigned long bytes, int cpu);
/* The boot-time minimum becomes the full size on first use. T */
int trace_array_expand(struct trace_array *tr);
void trace_array_reset(struct trace_array *tr);
void trace_array_reset_all(struct trace_array *tr);
void trace_array_reset_cpu(struct trace_array *tr, int cpu);

/*
 * What tracing says about a trace, in it. Any context; dropped where the option
 * trace_printk is off.
 */
void trace_array_note(struct trace_array *tr, unsigned long ip, const char *text);

void trace_commit_stack(struct trace_array *tr, struct trace_buffer *buffer,
			unsigned int trace_ctx, int skip, struct pt_regs *regs);

/**
 * struct trace_pid_files - two files of an instance with the lists of a pid filter
 * @filter_of:	the filter
 * @none:	the line of a file without a list; NULL: an empty file
 */
struct trace_pid_files {
	struct trace_pid_filter	*(*filter_of)(struct trace_array *tr);
	const char		*none;
};

int trace_pid_file_open(struct inode *inode, struct file *file,
			const struct trace_pid_files *files, enum trace_pid_kind kind);
ssize_t trace_pid_file_write(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos);
int trace_pid_file_release(struct inode *inode, struct file *file);

/* error_log: @loc subsystem, @cmd the command, @pos the caret's column. */
void trace_error_log(struct trace_array *tr, const char *loc, const char *cmd,
		     const char * const *errors, unsigned int type, u16 pos);

struct tracer_option {
	const char	*name;
	u32		bit;
};

/**
 * struct tracer - a plug-in for current_tracer
 * @name:	as in available_tracers
 * @init:	switch it on in @tr; may fail, nothing is left behind then
 * @reset:	switch it off; all that it recorded may stay in the buffer
 * @start:	tracing_on became 1; may be NULL
 * @stop:	tracing_on became 0; may be NULL
 * @update_thresh: tracing_thresh was written; may be NULL
 * @print_line:	print a record its own way, TRACE_TYPE_UNHANDLED: the usual way
 * @print_header: the header lines of the trace file; NULL: the usual ones
 * @set_option:	@bit of its own options is about to change while it is the
 *		current tracer; errno refuses it. tr->tracer_options still holds
 *		the old bits; in @init it holds what was chosen before
 * @option_changing: an instance option is about to change; errno refuses it
 * @exports_changed: trace_export_function_key may have changed while it is the
 *		current tracer; may be NULL
 * @options:	names of its own options, ends with a NULL name; may be NULL
 * @kinds:	the kinds of records that it alone writes, ends with NULL; may be NULL
 * @default_options: their bits in a new instance
 * @free_data:	frees what trace_tracer_set_data() was given, when the instance
 *		goes; the tracer does not run any more. May be NULL if it sets none
 * @allow_instances: may run outside the top instance
 * @use_max:	keeps its maximum with trace_snapshot_max(), nobody else may use
 *		the snapshot meanwhile
 * @noboot:	must not be started by ftrace=
 *
 * All callbacks: task context, trace_instances_lock() held, may sleep; the
 * print callbacks: reader's context, dump from NMI included, must not sleep.
 */
struct tracer {
	const char			*name;
	int				(*init)(struct trace_array *tr);
	void				(*reset)(struct trace_array *tr);
	void				(*start)(struct trace_array *tr);
	void				(*stop)(struct trace_array *tr);
	int				(*update_thresh)(struct trace_array *tr);
	enum print_line_t		(*print_line)(struct trace_iterator *iter);
	void				(*print_header)(struct seq_file *m);
	int				(*set_option)(struct trace_array *tr, u32 bit,
						      bool on);
	int				(*option_changing)(struct trace_array *tr, u32 opt,
							   bool on);
	void				(*exports_changed)(struct trace_array *tr);
	const struct tracer_option	*options;
	const struct trace_kind * const	*kinds;
	u32				default_options;
	void				(*free_data)(void *data);
	bool				allow_instances;
	bool				use_max;
	bool				noboot;
};

int trace_tracer_register(const struct tracer *tracer);
void trace_tracer_set_data(struct trace_array *tr, const struct tracer *tracer, void *data);
int trace_set_tracer(struct trace_array *tr, const char *name);	/* T */

#endif /* _TRACE_INSTANCE_H */
