// SPDX-License-Identifier: GPL-2.0
/*
 * An instance has the names of the tasks kept that write into its buffer, if its options
 * record-cmd and record-tgid say so. tasks/ keeps the names, once for all instances.
 */
#include <linux/slab.h>
#include <linux/smp.h>

#include "instance/component.h"
#include "instance/internal.h"
#include "instance/option.h"

struct instance_comm {
	struct trace_comm_source	source;
	struct trace_array		*tr;	/* constant */
};

static unsigned long instance_comm_written(struct trace_comm_source *source)
{
	struct trace_array *tr = container_of(source, struct instance_comm, source)->tr;

	return ring_buffer_written_cpu(READ_ONCE(tr->array_buffer.buffer), smp_processor_id());
}

static unsigned int instance_comm_kinds(const struct trace_array *tr)
{
	return (trace_option(tr, TRACE_OPT_RECORD_CMD) ? TRACE_RECORD_CMDLINE : 0) |
	       (trace_option(tr, TRACE_OPT_RECORD_TGID) ? TRACE_RECORD_TGID : 0);
}

static DEFINE_TRACE_SLOT(comm_slot);

static int instance_comm_create(struct trace_array *tr)
{
	struct instance_comm *comm = kzalloc(sizeof(*comm), GFP_KERNEL);

	if (!comm)
		return -ENOMEM;
	comm->tr = tr;
	comm->source.written = instance_comm_written;
	comm->source.kinds = instance_comm_kinds(tr);
	trace_slot_set_data(tr, &comm_slot, comm);
	trace_comm_source_add(&comm->source);
	return 0;
}

/* The probe of context switches may still use it, with preemption off. */
static bool instance_comm_retreat(struct trace_array *tr)
{
	struct instance_comm *comm = trace_slot_data(tr, &comm_slot);

	trace_comm_source_remove(&comm->source);
	return false;
}

static void instance_comm_destroy(struct trace_array *tr)
{
	kfree(trace_slot_data(tr, &comm_slot));
	trace_slot_set_data(tr, &comm_slot, NULL);
}

static int instance_comm_option_changing(struct trace_array *tr, u32 opt, bool on)
{
	return opt == TRACE_OPT_RECORD_TGID && on ? trace_tgid_enable() : 0;
}

static void instance_comm_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	struct instance_comm *comm = trace_slot_data(tr, &comm_slot);

	if (opt & (TRACE_OPT_RECORD_CMD | TRACE_OPT_RECORD_TGID))
		trace_comm_source_set(&comm->source, instance_comm_kinds(tr));
}

struct trace_component trace_comm_component __ro_after_init = {
	.name			= "task names",
	.slot			= &comm_slot,
	.readme			=
		"\n"
		"Tasks\n"
		"  saved_cmdlines\t- task names by pid; saved_cmdlines_size: how many\n"
		"  saved_tgids\t\t- thread groups by pid, see options/record-tgid\n",
	.create			= instance_comm_create,
	.create_files		= trace_comm_create_files,
	.retreat		= instance_comm_retreat,
	.destroy		= instance_comm_destroy,
	.option_changing	= instance_comm_option_changing,
	.option_changed		= instance_comm_option_changed,
};
