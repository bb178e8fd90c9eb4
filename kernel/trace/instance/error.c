// SPDX-License-Identifier: GPL-2.0
/*
 * error_log: the errors in the last commands that an instance refused, in the words of the
 * layer that refused them, with a caret under the place.
 */
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "instance/component.h"
#include "instance/error.h"
#include "instance/internal.h"

#define ERRORS_MAX	8
#define LOC_MAX		128

/**
 * struct trace_error - an entry of a log; constant while it is on the list
 * @list:	in trace_errors.list
 * @ts:		when the command was refused, by local_clock()
 * @loc:	the subsystem that refused it
 * @texts:	what can be wrong there; never freed
 * @type:	which of @texts it is
 * @pos:	where in @cmd, in characters from 0
 * @cmd:	a copy of the command, which belongs to the entry
 */
struct trace_error {
	struct list_head	list;
	u64			ts;
	char			loc[LOC_MAX];
	const char * const	*texts;
	unsigned int		type;
	u16			pos;
	char			*cmd;
};

/* The log of an instance. */
struct trace_errors {
	struct list_head	list;	/* of struct trace_error; under error_mutex */
	unsigned int		nr;	/* entries of @list; under error_mutex */
};

/* The mutex of all error logs. Its holder takes no other lock of tracing. */
static DEFINE_MUTEX(error_mutex);

static DEFINE_TRACE_SLOT(error_slot);

static struct trace_errors *errors_of(const struct trace_array *tr)
{
	return trace_slot_data(tr, &error_slot);
}

/* A new entry, or the oldest one when the log is full; NULL without memory. It is on no list. */
static struct trace_error *error_take_entry(struct trace_errors *errors)
{
	struct trace_error *error;

	lockdep_assert_held(&error_mutex);
	if (errors->nr < ERRORS_MAX) {
		error = kzalloc(sizeof(*error), GFP_KERNEL);
		if (error)
			errors->nr++;
		return error;
	}
	error = list_first_entry(&errors->list, struct trace_error, list);
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
 * Without memory for the entry, the error is forgotten.
 *
 * Context: task, may sleep; takes error_mutex, which may be taken
 * inside of all other mutexes of tracing.
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
	error = error_take_entry(errors_of(tr));
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
	list_add_tail(&error->list, &errors_of(tr)->list);
}

/* Forget all errors of an instance. Takes error_mutex. */
void trace_error_log_clear(struct trace_array *tr)
{
	struct trace_errors *errors = errors_of(tr);
	struct trace_error *error, *next;

	guard(mutex)(&error_mutex);
	list_for_each_entry_safe(error, next, &errors->list, list) {
		list_del(&error->list);
		kfree(error->cmd);
		kfree(error);
	}
	errors->nr = 0;
}

/* Print all errors of an instance, the oldest first. Takes error_mutex. */
void trace_error_log_show(struct seq_file *m, struct trace_array *tr)
{
	struct trace_error *error;
	u32 rem;
	u64 sec;

	guard(mutex)(&error_mutex);
	list_for_each_entry(error, &errors_of(tr)->list, list) {
		sec = div_u64_rem(error->ts, NSEC_PER_SEC, &rem);
		seq_printf(m, "[%5llu.%06u] %s: error: %s\n", sec,
			   rem / (u32)NSEC_PER_USEC, error->loc, error->texts[error->type]);
		seq_printf(m, "  Command: %s\n", error->cmd);
		/* The caret stands under a character of the command. */
		seq_printf(m, "%*s^\n", (int)strlen("  Command: ") + error->pos, "");
	}
}

static int error_create(struct trace_array *tr)
{
	struct trace_errors *errors = kzalloc(sizeof(*errors), GFP_KERNEL);

	if (!errors)
		return -ENOMEM;
	INIT_LIST_HEAD(&errors->list);
	trace_slot_set_data(tr, &error_slot, errors);
	return 0;
}

static void error_destroy(struct trace_array *tr)
{
	trace_error_log_clear(tr);
	kfree(errors_of(tr));
	trace_slot_set_data(tr, &error_slot, NULL);
}

struct trace_component trace_error_component __ro_after_init = {
	.name		= "error log",
	.slot		= &error_slot,
	.create		= error_create,
	.destroy	= error_destroy,
};
