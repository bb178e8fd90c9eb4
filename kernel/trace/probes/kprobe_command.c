// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe events that code of the kernel makes and removes: the functions of
 * <linux/trace_events.h>. They put the text together that a user would write.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probes/kprobe.h"

/**
 * trace_kprobe_run - do what a line of kprobe_events says
 * @line: the line, which is changed
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EINVAL: it is no such line; -ENOENT, -EBUSY of an event to be removed; or another
 * errno, and the error is logged.
 */
int trace_kprobe_run(char *line)
{
	int ret;

	if (*line == '-')
		return trace_dyn_remove(&trace_kprobe_kind.dyn, line);
	ret = trace_kprobe_create(line);
	return ret == -ECANCELED ? -EINVAL : ret;
}

static int kprobe_command_run(struct dynevent_cmd *cmd)
{
	return trace_kprobe_run((char *)seq_buf_str(&cmd->seq));
}

/**
 * kprobe_event_cmd_init - begin to define an event
 * @cmd: the definition
 * @buf: memory for its text; the caller frees it
 * @maxlen: size of @buf; MAX_DYNEVENT_CMD_LEN is enough for most
 *
 * Context: any.
 */
void kprobe_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen)
{
	trace_dyn_command_init(cmd, buf, maxlen, DYNEVENT_TYPE_KPROBE, kprobe_command_run);
}
EXPORT_SYMBOL_GPL(kprobe_event_cmd_init);

/* Add arguments up to a NULL. */
static int kprobe_command_add(struct dynevent_cmd *cmd, va_list args)
{
	const char *arg;
	int ret = 0;

	while (!ret && (arg = va_arg(args, const char *))) {
		if (++cmd->n_fields > TRACE_FETCH_ARGS_MAX)
			return -EINVAL;
		ret = trace_dyn_command_add(cmd, " %s", arg);
	}
	return ret;
}

/**
 * __kprobe_event_gen_cmd_start - name an event and its place, and add its first arguments
 * @cmd: the definition, of kprobe_event_cmd_init()
 * @kretprobe: the returns of a function are probed
 * @name: the event's name
 * @loc: the place
 *
 * Arguments follow, and behind them NULL, which kprobe_event_gen_cmd_start() and
 * kretprobe_event_gen_cmd_start() add.
 *
 * Context: any.
 * Return: 0; -EINVAL: there is no place, or there are too many arguments; -E2BIG: the text is too
 * long.
 */
int __kprobe_event_gen_cmd_start(struct dynevent_cmd *cmd, bool kretprobe, const char *name,
				 const char *loc, ...)
{
	va_list args;
	int ret;

	if (cmd->type != DYNEVENT_TYPE_KPROBE || !loc)
		return -EINVAL;
	ret = trace_dyn_command_add(cmd, "%c:" KPROBE_SYSTEM "/%s %s", kretprobe ? 'r' : 'p',
				    name, loc);
	va_start(args, loc);
	ret = ret ?: kprobe_command_add(cmd, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__kprobe_event_gen_cmd_start);

/**
 * __kprobe_event_add_fields - add arguments to a definition
 * @cmd: the definition, of __kprobe_event_gen_cmd_start()
 *
 * Arguments follow, and behind them NULL, which the macros add.
 *
 * Context: any.
 * Return: as __kprobe_event_gen_cmd_start().
 */
int __kprobe_event_add_fields(struct dynevent_cmd *cmd, ...)
{
	va_list args;
	int ret;

	if (cmd->type != DYNEVENT_TYPE_KPROBE)
		return -EINVAL;
	va_start(args, cmd);
	ret = kprobe_command_add(cmd, args);
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__kprobe_event_add_fields);

/**
 * kprobe_event_delete - remove a kprobe event
 * @name: its name, with its group before it or not
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -ENOENT: there is none; -EBUSY: somebody uses it; -ENOMEM.
 */
int kprobe_event_delete(const char *name)
{
	char *line __free(kfree) = kasprintf(GFP_KERNEL, "-:%s", name);

	return line ? trace_kprobe_run(line) : -ENOMEM;
}
EXPORT_SYMBOL_GPL(kprobe_event_delete);
