// SPDX-License-Identifier: GPL-2.0
/*
 * Lines that make dynamic events, put together piece by piece by code of the kernel. The buffer
 * is the caller's. The functions of each kind add what belongs to their lines.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/seq_buf.h>

#include "events/dyn/dyn.h"

/**
 * trace_dyn_command_init - begin a line
 * @cmd: the line
 * @buf: its text
 * @size: of @buf
 * @type: the kind of event
 * @run: makes the event when the line is complete
 *
 * Context: any.
 */
void trace_dyn_command_init(struct dynevent_cmd *cmd, char *buf, int size,
			    enum dynevent_type type, dynevent_create_fn_t run)
{
	*cmd = (struct dynevent_cmd){ .type = type, .run_command = run };
	seq_buf_init(&cmd->seq, buf, size);
}

/**
 * trace_dyn_command_add - add to a line
 * @cmd: the line
 * @fmt: as of printf()
 *
 * Context: any.
 * Return: 0; -E2BIG: the line is too long for its buffer.
 */
int trace_dyn_command_add(struct dynevent_cmd *cmd, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	seq_buf_vprintf(&cmd->seq, fmt, args);
	va_end(args);
	return seq_buf_has_overflowed(&cmd->seq) ? -E2BIG : 0;
}

/**
 * dynevent_create - make the event of a complete line
 * @cmd: the line
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -E2BIG: the line was too long for its buffer; or what the kind of event says.
 */
int dynevent_create(struct dynevent_cmd *cmd)
{
	if (seq_buf_has_overflowed(&cmd->seq))
		return -E2BIG;
	return cmd->run_command(cmd);
}
EXPORT_SYMBOL_GPL(dynevent_create);
