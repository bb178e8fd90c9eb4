// SPDX-License-Identifier: GPL-2.0
/*
 * Synthetic events that code of the kernel makes and removes: the functions of
 * <linux/trace_events.h>. They put the text together that a user would write.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/slab.h>

#include "events/synth/event.h"

static int synth_command_run(struct dynevent_cmd *cmd)
{
	const char *text = seq_buf_str(&cmd->seq);

	return trace_synth_event_create(text, text, cmd->private_data);
}

/**
 * synth_event_cmd_init - begin to define an event
 * @cmd: the definition
 * @buf: memory for its text; the caller frees it
 * @maxlen: size of @buf; MAX_DYNEVENT_CMD_LEN is enough for most
 *
 * Context: any.
 */
void synth_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen)
{
	trace_dyn_command_init(cmd, buf, maxlen, DYNEVENT_TYPE_SYNTH, synth_command_run);
}
EXPORT_SYMBOL_GPL(synth_event_cmd_init);

/* One more field may follow. */
static int synth_command_count(struct dynevent_cmd *cmd)
{
	if (cmd->type != DYNEVENT_TYPE_SYNTH || cmd->n_fields >= TRACE_SYNTH_FIELDS_MAX)
		return -EINVAL;
	cmd->n_fields++;
	return 0;
}

/**
 * synth_event_add_field - add a field to a definition
 * @cmd: the definition
 * @type: its type; a length may stand there or behind the name
 * @name: its name
 *
 * Context: any.
 * Return: 0; -EINVAL: there is no type or name, or there are too many fields; -E2BIG: the text
 * is too long.
 */
int synth_event_add_field(struct dynevent_cmd *cmd, const char *type, const char *name)
{
	int ret = type && name ? synth_command_count(cmd) : -EINVAL;

	return ret ?: trace_dyn_command_add(cmd, " %s %s;", type, name);
}
EXPORT_SYMBOL_GPL(synth_event_add_field);

/**
 * synth_event_add_field_str - add a field to a definition, as one text
 * @cmd: the definition
 * @type_name: type and name, without a semicolon
 *
 * Context: any.
 * Return: as synth_event_add_field().
 */
int synth_event_add_field_str(struct dynevent_cmd *cmd, const char *type_name)
{
	int ret = type_name ? synth_command_count(cmd) : -EINVAL;

	return ret ?: trace_dyn_command_add(cmd, " %s;", type_name);
}
EXPORT_SYMBOL_GPL(synth_event_add_field_str);

/**
 * synth_event_add_fields - add fields to a definition
 * @cmd: the definition
 * @fields: types and names
 * @n_fields: how many
 *
 * Context: any.
 * Return: as synth_event_add_field().
 */
int synth_event_add_fields(struct dynevent_cmd *cmd, struct synth_field_desc *fields,
			   unsigned int n_fields)
{
	int ret = 0;

	for (unsigned int i = 0; i < n_fields && !ret; i++)
		ret = synth_event_add_field(cmd, fields[i].type, fields[i].name);
	return ret;
}
EXPORT_SYMBOL_GPL(synth_event_add_fields);

static int synth_command_begin(struct dynevent_cmd *cmd, const char *name, struct module *mod)
{
	if (cmd->type != DYNEVENT_TYPE_SYNTH || !name)
		return -EINVAL;
	cmd->event_name = name;
	cmd->private_data = mod;
	return trace_dyn_command_add(cmd, "%s", name);
}

/**
 * __synth_event_gen_cmd_start - name an event, and add its first fields
 * @cmd: the definition, of synth_event_cmd_init()
 * @name: the event's name
 * @mod: the module that makes it; NULL: the kernel
 *
 * Types and names of fields follow in turn, and behind them NULL, which the macro
 * synth_event_gen_cmd_start() adds.
 *
 * Context: any.
 * Return: as synth_event_add_field().
 */
int __synth_event_gen_cmd_start(struct dynevent_cmd *cmd, const char *name,
				struct module *mod, ...)
{
	int ret = synth_command_begin(cmd, name, mod);
	const char *type;
	va_list args;

	va_start(args, mod);
	while (!ret && (type = va_arg(args, const char *)))
		ret = synth_event_add_field(cmd, type, va_arg(args, const char *));
	va_end(args);
	return ret;
}
EXPORT_SYMBOL_GPL(__synth_event_gen_cmd_start);

/**
 * synth_event_gen_cmd_array_start - name an event, and add its first fields
 * @cmd: the definition, of synth_event_cmd_init()
 * @name: the event's name
 * @mod: the module that makes it; NULL: the kernel
 * @fields: types and names
 * @n_fields: how many
 *
 * Context: any.
 * Return: as synth_event_add_field().
 */
int synth_event_gen_cmd_array_start(struct dynevent_cmd *cmd, const char *name,
				    struct module *mod, struct synth_field_desc *fields,
				    unsigned int n_fields)
{
	int ret = synth_command_begin(cmd, name, mod);

	return ret ?: synth_event_add_fields(cmd, fields, n_fields);
}
EXPORT_SYMBOL_GPL(synth_event_gen_cmd_array_start);

/**
 * synth_event_create - make a synthetic event
 * @name: its name
 * @fields: types and names of its fields
 * @n_fields: how many
 * @mod: the module that makes it; NULL: the kernel. The module cannot be unloaded while the event
 *	is on, and an event that it leaves behind goes with it
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EEXIST: there is one; -EINVAL, -E2BIG: the definition is none; -ENOMEM, -ENODEV.
 */
int synth_event_create(const char *name, struct synth_field_desc *fields,
		       unsigned int n_fields, struct module *mod)
{
	char *buf __free(kfree) = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	struct dynevent_cmd cmd;
	int ret;

	if (!buf)
		return -ENOMEM;
	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	ret = synth_event_gen_cmd_array_start(&cmd, name, mod, fields, n_fields);
	return ret ?: dynevent_create(&cmd);
}
EXPORT_SYMBOL_GPL(synth_event_create);

/**
 * synth_event_delete - remove a synthetic event
 * @name: its name
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -ENOENT: there is none; -EBUSY: somebody uses it.
 */
int synth_event_delete(const char *name)
{
	return trace_synth_event_remove(name);
}
EXPORT_SYMBOL_GPL(synth_event_delete);
