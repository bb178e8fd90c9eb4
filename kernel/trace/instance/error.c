// SPDX-License-Identifier: GPL-2.0
/*
 * error_log: what was wrong with the last commands that an instance refused,
 * in the words of the layer that refused them, with a caret under the place.
 */
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "instance/internal.h"

#define ERRORS_MAX	8
#define LOC_MAX		64

struct trace_error {
	struct list_head	list;
	u64			ts;
	char			loc[LOC_MAX];
	const char * const	*texts;
	unsigned int		type;
	u16			pos;
	char			*cmd;
};

/* All logs; taken with and without trace_instances_lock() held. */
static DEFINE_MUTEX(error_mutex);

/* A new entry, or the oldest one when the log is full. */
static struct trace_error *take_entry(struct trace_array *tr)
{
	struct trace_error *error;

	lockdep_assert_held(&error_mutex);
	if (tr->n_err_log < ERRORS_MAX) {
		error = kzalloc(sizeof(*error), GFP_KERNEL);
		if (error)
			tr->n_err_log++;
		return error;
	}
	error = list_first_entry(&tr->err_log, struct trace_error, list);
	list_del(&error->list);
	kfree(error->cmd);
	return error;
}

/**
 * trace_error_log - remember why a command was refused
 * @tr: the instance; NULL: the top one
 * @loc: the subsystem, "ftrace" for example
 * @cmd: the command as the user wrote it
 * @errors: what can be wrong, constant
 * @type: which of @errors it is
 * @pos: where in @cmd, in characters from 0
 *
 * Nothing is remembered without memory.
 *
 * Context: task, may sleep; takes a lock that is inside all others.
 */
void trace_error_log(struct trace_array *tr, const char *loc, const char *cmd,
		     const char * const *errors, unsigned int type, u16 pos)
{
	char *copy = kstrdup(cmd, GFP_KERNEL);
	struct trace_error *error;

	tr = tr ?: trace_top_instance();
	if (!copy || !tr) {
		kfree(copy);
		return;
	}

	guard(mutex)(&error_mutex);
	error = take_entry(tr);
	if (!error) {
		kfree(copy);
		return;
	}
	error->ts = local_clock();
	strscpy(error->loc, loc);
	error->texts = errors;
	error->type = type;
	error->pos = pos;
	error->cmd = copy;
	list_add_tail(&error->list, &tr->err_log);
}

/* Forget all errors. */
void trace_error_log_clear(struct trace_array *tr)
{
	struct trace_error *error, *next;

	guard(mutex)(&error_mutex);
	list_for_each_entry_safe(error, next, &tr->err_log, list) {
		list_del(&error->list);
		kfree(error->cmd);
		kfree(error);
	}
	tr->n_err_log = 0;
}

/* All errors, the oldest first. */
void trace_error_log_show(struct seq_file *m, struct trace_array *tr)
{
	struct trace_error *error;
	u32 rem;
	u64 sec;

	guard(mutex)(&error_mutex);
	list_for_each_entry(error, &tr->err_log, list) {
		sec = div_u64_rem(error->ts, NSEC_PER_SEC, &rem);
		seq_printf(m, "[%5llu.%06u] %s: error: %s\n", sec,
			   rem / (u32)NSEC_PER_USEC, error->loc, error->texts[error->type]);
		seq_printf(m, "  Command: %s\n", error->cmd);
		/* The caret stands under a character of the command. */
		seq_printf(m, "%*s^\n", (int)strlen("  Command: ") + error->pos, "");
	}
}
