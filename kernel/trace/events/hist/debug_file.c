// SPDX-License-Identifier: GPL-2.0
/*
 * The file "hist_debug" of an event shows the fields and steps of its histograms. Rows
 * and values are in the file "hist".
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/filter/filter.h"
#include "events/hist/debug.h"
#include "events/hist/handler.h"
#include "events/hist/tables.h"
#include "record/kind.h"

static const char * const debug_sources[] = {
	[HIST_FIELD]		= "field",
	[HIST_HITS]		= "hitcount",
	[HIST_CPU]		= "cpu",
	[HIST_TIME]		= "time stamp",
	[HIST_STACKTRACE]	= "stack",
	[HIST_CONST]		= "number",
	[HIST_VAR]		= "variable",
	[HIST_EXPR]		= "expression",
};

static const char debug_ops[] = {
	[HIST_OP_ADD]	= '+',
	[HIST_OP_SUB]	= '-',
	[HIST_OP_MUL]	= '*',
	[HIST_OP_DIV]	= '/',
	[HIST_OP_NEG]	= '~',
};

static void debug_field(struct seq_file *m, const char *what, const struct hist_field *f)
{
	seq_printf(m, "    %s: %s, %s", what, f->name, debug_sources[f->source]);
	if (f->modifier)
		seq_printf(m, ", .%s", trace_hist_modifier(f->modifier));
	seq_printf(m, ", %u bytes%s", f->bytes, f->is_signed ? ", signed" : "");
	if (f->source == HIST_FIELD)
		seq_printf(m, ", at %d of the record", f->field.offset);
	if (f->size)
		seq_printf(m, ", at %u of the key", f->offset);
	else if (f->source == HIST_VAR || f->kind != HIST_NUMBER)
		seq_printf(m, ", at %u of the room", f->room);
	seq_putc(m, '\n');
	if (f->source != HIST_EXPR)
		return;
	for (unsigned int i = 0; i < f->expr->nr; i++) {
		const struct hist_step *step = &f->expr->step[i];

		if (step->loads)
			debug_field(m, "  load", &step->load);
		if (step->op != HIST_OP_LOAD)
			seq_printf(m, "      %c\n", debug_ops[step->op]);
	}
}

static void debug_spec(struct seq_file *m, const struct hist_spec *spec)
{
	seq_printf(m, "  keys: %u, %u bytes\n", spec->nr_keys, spec->key_size);
	for (unsigned int i = 0; i < spec->nr_keys; i++)
		debug_field(m, "key", &spec->keys[i]);
	seq_printf(m, "  values: %u\n", spec->nr_values);
	for (unsigned int i = 0; i < spec->nr_values; i++)
		debug_field(m, "value", &spec->values[i]);
	seq_printf(m, "  variables: %u, %u bytes\n", spec->nr_vars, spec->cell_size);
	for (unsigned int i = 0; i < spec->nr_vars; i++)
		debug_field(m, spec->vars[i]->name, &spec->vars[i]->value);
	seq_printf(m, "  histograms with variables that are read: %u\n", spec->nr_groups);
	for (unsigned int i = 0; i < spec->nr_groups; i++)
		seq_printf(m, "    wanted: %#x, taken: %#x, %u bytes at %u of the room\n",
			   spec->groups[i].wanted, spec->groups[i].taken, spec->groups[i].size,
			   spec->groups[i].room);
	seq_printf(m, "  actions: %u, %u bytes at each key\n", spec->nr_actions, spec->data_size);
	for (unsigned int i = 0; i < spec->nr_actions; i++) {
		const struct hist_action *action = spec->actions[i];

		seq_printf(m, "    %s\n", action->text);
		if (action->handler != HIST_ONMATCH)
			debug_field(m, "  tracked", &action->tracked);
		for (unsigned int j = 0; j < action->nr_args; j++)
			debug_field(m, "  argument", &action->args[j]);
	}
}

static int debug_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file = m->private;
	struct trace_trigger *trigger;

	guard(trace_events)();
	if (trace_event_file_is_gone(file))
		return -ENODEV;
	for_each_trace_trigger(trigger, file) {
		struct hist_trigger *ht = hist_trigger_of(trigger);

		if (!hist_is_trigger(trigger))
			continue;
		seq_puts(m, "# event histogram\n#\n# trigger info: ");
		trace_hist_spec_show(m, ht, trigger->filter ? trace_filter_text(trigger->filter) :
							      NULL);
		seq_printf(m, "#\n\n  readers of variables: %u\n  map: %zu bytes\n",
			   ht->referrers, trace_hist_bytes(ht->hist));
		debug_spec(m, &ht->spec);
		seq_putc(m, '\n');
	}
	return 0;
}

static int debug_open(struct inode *inode, struct file *filp)
{
	int ret = trace_event_file_open(inode, filp);

	if (ret)
		return ret;
	filp->private_data = NULL;	/* single_open() wants it unused */
	ret = single_open(filp, debug_show, inode->i_private);
	if (ret)
		trace_event_file_release(inode, filp);
	return ret;
}

static int debug_release(struct inode *inode, struct file *filp)
{
	single_release(inode, filp);
	return trace_event_file_release(inode, filp);
}

static const struct file_operations debug_fops = {
	.open		= debug_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= debug_release,
};

static int debug_entry(const char *name, umode_t *mode, void **data,
		       const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0440;
	*fops = &debug_fops;
	return trace_event_has_triggers(file->event_call);
}

/* Boot, once; the events mutex is held. */
void __init trace_hist_debug_init(void)
{
	static const struct eventfs_entry entry __initconst = { "hist_debug", debug_entry };

	WARN_ON(trace_event_dir_add(TRACE_EVENT_DIR_EVENT, &entry));
}
