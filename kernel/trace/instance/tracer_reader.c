// SPDX-License-Identifier: GPL-2.0
/*
 * Tracers and the files that show what they print: an open file has a tracer, which cannot
 * be unregistered meanwhile, and which is told when the file is opened and closed.
 */
#include "instance/internal.h"
#include "instance/tracer.h"

/**
 * trace_tracer_attach - a file is opened: it gets the current tracer
 * @iter: of the file; its trace member is set
 * @pipe: the file is a trace_pipe
 *
 * Context: open(), may sleep; trace_instances_lock() is not held.
 */
void trace_tracer_attach(struct trace_iterator *iter, bool pipe)
{
	const struct tracer *tracer = trace_tracer_get(iter->tr);
	void (*open)(struct trace_iterator *iter);

	iter->trace = (struct tracer *)tracer;
	if (!tracer)
		return;
	open = pipe ? tracer->pipe_open : tracer->open;
	if (open)
		open(iter);
}

/**
 * trace_tracer_detach - undo trace_tracer_attach()
 * @iter: of the file
 * @pipe: as there
 *
 * Context: release(), may sleep; trace_instances_lock() is not held.
 */
void trace_tracer_detach(struct trace_iterator *iter, bool pipe)
{
	const struct tracer *tracer = iter->trace;
	void (*close)(struct trace_iterator *iter);

	if (!tracer)
		return;
	close = pipe ? tracer->pipe_close : tracer->close;
	if (close)
		close(iter);
	iter->trace = NULL;
	trace_tracer_put(tracer);
}

/**
 * trace_tracer_follow - a file is read: another tracer may be the current one
 * @iter: of the file, which is no trace_pipe
 *
 * Context: task, may sleep; the file's lock is held, trace_instances_lock() is not.
 */
void trace_tracer_follow(struct trace_iterator *iter)
{
	if (iter->trace == READ_ONCE(iter->tr->current_trace))
		return;
	trace_tracer_detach(iter, false);
	trace_tracer_attach(iter, false);
}
