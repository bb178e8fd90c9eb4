/* SPDX-License-Identifier: GPL-2.0 */
/*
 * instance/: a trace_array and all that belongs to one. This header has its life,
 * and what its layers share of it. Others have a subject each: component.h what an
 * instance is made of, buffers.h, exchange.h, snapshot.h, latency.h, option.h, tracer.h,
 * error.h, file.h, pid_file.h.
 *
 * It does not know how a record is printed or read, nor events or functions: layers
 * above join an instance as a struct trace_component.
 */
#ifndef _TRACE_INSTANCE_H
#define _TRACE_INSTANCE_H

#include <linux/cpumask_types.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/trace.h>
#include <linux/trace_events.h>

#include "buffer/buffer.h"
#include "instance/exchange.h"
#include "instance/latency.h"
#include "instance/later.h"
#include "lib/lib.h"
#include "record/kind.h"
#include "record/record.h"
#include "tasks/comm.h"

struct dentry;
struct seq_file;
struct tracer;

/* The data of an instance for each CPU. */
struct trace_array_cpu {
	atomic_t		disabled;	/* > 0: function tracers record nothing here */
	struct trace_latency	longest;	/* latencies_lock, see latency.c */
};

struct array_buffer {
	struct trace_buffer		*buffer;	/* exchange.lock */
	/* Under exchange.lock and buffers_mutex: records that are older are left out. */
	u64				time_start;
	u64				*cpu_start;
	struct trace_array_cpu __percpu	*data;		/* constant, of both buffers */
	struct trace_array		*tr;		/* constant */
	int				cpu;		/* constant, RING_BUFFER_ALL_CPUS */
};

/* Memory that the command line gave to a buffer, see boot.c. */
struct trace_memory {
	phys_addr_t	start;
	phys_addr_t	size;	/* 0: none */
};

#define INSTANCE_GOES	(-1)

/*
 * struct trace_array - an instance, with the data that several layers share. The data of a
 * single layer are those of its component.
 *
 * "instances lock" beside a member is trace_instances_lock(), "instances_refs" the lock of
 * references in instance.c. READ_ONCE(): changed with WRITE_ONCE() under the lock beside it, and
 * read at any time.
 */
struct trace_array {
	struct list_head	list;			/* N and H to change */
	const char		*name;			/* constant; NULL: the top instance */
	char			*systems;		/* constant; of its events; NULL: all */
	int			ref;			/* instances_refs; see INSTANCE_GOES */
	unsigned int		holds;			/* instances_refs; trace_array_hold() */
	const struct task_struct *maker;		/* constant; may be gone */
	/*
	 * It goes when its owner does; NULL: nobody. Instances lock and instances_refs to
	 * change, either to read.
	 */
	const void		*owner;

	/* buffers.c, kept.c, exchange.c, switch.c, clock.c */
	struct array_buffer	array_buffer;
	struct array_buffer	snapshot;		/* no buffer: it cannot have one */
	struct trace_buffer	*buffers[2];		/* constant, both, in a fixed order */
	struct mutex		buffers_mutex;		/* see trace_buffers_lock() */
	struct trace_exchange	exchange;
	struct trace_memory	boot_memory;		/* constant; of the first buffer */
	void			*memory;		/* constant; kept over a reboot */
	struct notifier_block	memory_panic;		/* constant; writes it back in a panic */
	long			text_delta;		/* buffers_mutex, READ_ONCE() */
	long			data_delta;		/* buffers_mutex, READ_ONCE() */
	/* Unless exchanges are allowed. Set under exchange.lock or buffers_mutex, READ_ONCE(). */
	bool			second_shrinks;
	struct trace_later	shrink_later;
	/* Not as at boot. Under buffers_mutex, READ_ONCE(). */
	bool			expanded;
	struct trace_later	expand_later;
	unsigned int		buffer_percent;		/* READ_ONCE(); wakes readers of pages */
	unsigned int		clock_id;		/* buffers_mutex, READ_ONCE() */
	atomic_t		clock_users;		/* atomic; see clock.c */
	unsigned int		clock_back;		/* buffers_mutex, READ_ONCE(); likewise */
	struct trace_later	clock_later;
	atomic_t		stop_count;		/* atomic */
	cpumask_var_t		tracing_cpumask;	/* instances lock */

	u32			options;		/* instances lock, READ_ONCE() */

	/* tracer.c */
	/* Under the instances lock, READ_ONCE(). */
	const struct tracer	*current_trace;
	u32			tracer_options;		/* of current_trace */
	void			*tracer_data;		/* of current_trace */
	unsigned long		thresh_ns;		/* tracing_thresh */

	struct dentry		*dir;			/* instances lock; NULL: the root */
	void			*slots[];	/* READ_ONCE(), by trace_slot::nr */
};

/* Life of instances. The lock is a mutex; setup.c tells its place among the others. */
void trace_instances_lock(void);
void trace_instances_unlock(void);
void trace_instances_assert_locked(void);

DEFINE_LOCK_GUARD_0(trace_instances, trace_instances_lock(), trace_instances_unlock())

struct trace_array *trace_top_instance(void);	/* NULL before early init */
struct list_head *trace_instances(void);	/* instances lock */
#define for_each_trace_array(tr) list_for_each_entry(tr, trace_instances(), list)

/* Each instance, held, which the next call or trace_array_unhold() ends. */
struct trace_array *trace_instance_next(struct trace_array *tr);		/* takes the lock */
struct trace_array *trace_instance_find(const char *name);			/* instances lock */
struct trace_array *trace_instance_create(const char *name,
					  const struct trace_memory *memory);	/* instances lock */
int trace_instance_remove(const char *name);					/* instances lock */

/* Owners; the instances lock is taken. */
void trace_instance_own(const char *name, const void *owner);
bool trace_instances_own(const void *owner, const void *next);
void trace_instances_print(struct seq_file *m, const char *prefix, const void *owner);
void trace_instances_end(const void *owner);

/* References; trace_array_put() is in <linux/trace.h>. */
int trace_array_get(struct trace_array *tr);	/* -ENODEV when it is gone */
int trace_array_hold(struct trace_array *tr);
void trace_array_unhold(struct trace_array *tr);
/* For open(): lockdown, tracing disabled for good, and for the second a reference. */
int trace_array_open(struct trace_array *tr);

/* Was it made for the events of some systems only, and not of @system? */
bool trace_array_has_system(const struct trace_array *tr, const char *system);

bool trace_disabled_for_good(void);
void trace_disable_for_good(void);

int trace_instances_init(void);		/* the top instance, from early_trace_init() */
int trace_instances_init_files(void);	/* instances lock; when tracefs is up */
bool trace_instances_have_files(void);	/* instances lock */
/* Create the instances of the command line. @enable_events: trace_events_boot_enable() */
void trace_instances_boot(void (*enable_events)(struct trace_array *tr, char *events));

/*
 * Write a remark of tracing itself into the trace that it is about. Any context; dropped where
 * the option trace_printk is off.
 */
void trace_array_note(struct trace_array *tr, unsigned long ip, const char *text);

void trace_commit_stack(struct trace_array *tr, struct trace_buffer *buffer,
			unsigned int trace_ctx, int skip, struct pt_regs *regs);

#endif /* _TRACE_INSTANCE_H */
