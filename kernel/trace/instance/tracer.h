/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracers: plug-ins for current_tracer. One is a filled struct tracer at the end
 * of its file.
 */
#ifndef _TRACE_INSTANCE_TRACER_H
#define _TRACE_INSTANCE_TRACER_H

#include <linux/trace_events.h>
#include <linux/uio.h>

#include "instance/instance.h"

struct tracer_option {
	const char	*name;
	u32		bit;
};

/* A file that a tracer has in the folder of each instance that it may run in. */
struct tracer_file {
	const char			*name;
	umode_t				mode;
	const struct file_operations	*fops;	/* i_private is the instance, see file.h */
};

/**
 * struct tracer - a plug-in for current_tracer
 * @name:	as in available_tracers
 * @init:	switches it on in @tr; when it fails, it leaves nothing behind
 * @reset:	switches it off; what it recorded stays in the buffer
 * @start:	tracing_on became 1
 * @stop:	tracing_on became 0
 * @update_thresh: tracing_thresh was written. It may give trace_instances_lock() back meanwhile;
 *		the instance stays
 * @set_option:	@bit of its own options is about to change; an errno refuses it. If
 *		it is the current tracer of @tr, tr->tracer_options still has the old
 *		bits; if it is not, tr->tracer_options and tr->tracer_data are another
 *		tracer's, and @init will find what was chosen before
 * @exports_changed: trace_export_function_key may have changed while it is the
 *		current tracer
 * @open:	somebody begins to read the file trace or snapshot: @iter is new, and
 *		what its private member points to has room for data of the tracer
 * @close:	undoes @open: the file is closed, or another tracer is the current one
 *		and its @open follows
 * @pipe_open:	as @open, for trace_pipe, which lets no other tracer come
 * @pipe_close:	undoes @pipe_open
 * @read:	a read of trace_pipe: it may put text of its own into @to and return
 *		how much, or an errno; 0: the next records are read as usual
 * @print_header: prints the header lines of the trace file its own way; @m's
 *		private member is the iterator
 * @print_line:	prints the record @iter->ent its own way; TRACE_TYPE_UNHANDLED:
 *		it is printed the usual way
 * @free_data:	frees what trace_tracer_set_data() was given, when the instance
 *		goes or the tracer is unregistered; it does not run any more. Not
 *		NULL if the tracer sets any
 * @selftest:	checks, before user space runs, that it does what it is for: @tr has
 *		the tracer "nop", and need not have it again at the end. An errno, after
 *		a message that tells what is wrong: the tracer is unregistered
 * @options:	its own options; the last one has no name
 * @default_options: their bits in a new instance
 * @kinds:	the kinds of records that it alone writes; ends with NULL
 * @files:	its own files; the last one has no name. A task that has one open when the
 *		tracer is unregistered goes on to use @fops, and finds that trace_tracer_data()
 *		is NULL
 * @allow_instances: it may run outside the top instance
 * @use_max:	it keeps its maximum with trace_latency_keep(): nobody else may use
 *		the snapshot meanwhile, and the file trace shows the maximum
 * @noboot:	it must not be started by ftrace=
 *
 * All but @name may be NULL.
 *
 * Context of @init to @exports_changed, and @free_data: task, may sleep;
 * trace_instances_lock() is held.
 *
 * Context of @open to @read: task, may sleep; the open file's own lock (F) is held,
 * trace_instances_lock() is not: the tracer is registered, but need not be the
 * current one any more.
 *
 * Context of @selftest: task, may sleep; no lock is held.
 *
 * Context of the print callbacks: any context of a reader, ftrace_dump() from NMI included,
 * which has not called @open. They do not sleep.
 */
struct tracer {
	const char			*name;

	int	(*init)(struct trace_array *tr);
	void	(*reset)(struct trace_array *tr);
	void	(*start)(struct trace_array *tr);
	void	(*stop)(struct trace_array *tr);
	void	(*update_thresh)(struct trace_array *tr);
	int	(*set_option)(struct trace_array *tr, u32 bit, bool on);
	void	(*exports_changed)(struct trace_array *tr);

	void	(*open)(struct trace_iterator *iter);
	void	(*close)(struct trace_iterator *iter);
	void	(*pipe_open)(struct trace_iterator *iter);
	void	(*pipe_close)(struct trace_iterator *iter);
	ssize_t	(*read)(struct trace_iterator *iter, struct iov_iter *to);

	void			(*print_header)(struct seq_file *m);
	enum print_line_t	(*print_line)(struct trace_iterator *iter);

	void	(*free_data)(void *data);
	int	(*selftest)(struct trace_array *tr);

	const struct tracer_option	*options;
	u32				default_options;
	const struct trace_kind * const	*kinds;
	const struct tracer_file	*files;
	bool				allow_instances;
	bool				use_max;
	bool				noboot;
};

int trace_tracer_register(const struct tracer *tracer);
int trace_tracer_unregister(const struct tracer *tracer);
int trace_tracer_register_boot(const struct tracer *tracer);

int trace_set_tracer(struct trace_array *tr, const char *name);		/* instances lock */
void trace_set_thresh(struct trace_array *tr, unsigned long ns);	/* instances lock */
void trace_tracer_set_data(struct trace_array *tr, const struct tracer *tracer,
			   void *data);					/* instances lock */
void *trace_tracer_data(struct trace_array *tr, const struct tracer *tracer);	/* instances lock */

/* A module has registered or unregistered an export, see record/export.h. */
void trace_tracers_exports_changed(void);

/* An open trace_pipe or trace_pipe_raw: the current tracer stays the current one. */
void trace_tracer_pin(struct trace_array *tr);
void trace_tracer_unpin(struct trace_array *tr);

/* Called by readers: while a reader is attached, iter->trace is a tracer that stays. */
void trace_tracer_attach(struct trace_iterator *iter, bool pipe);
void trace_tracer_follow(struct trace_iterator *iter);
void trace_tracer_detach(struct trace_iterator *iter, bool pipe);

#endif /* _TRACE_INSTANCE_TRACER_H */
