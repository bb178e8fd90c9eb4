// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's calls for snapshots in a kernel without CONFIG_TRACER_SNAPSHOT:
 * they do nothing, and say so when somebody relies on them.
 */
#include <linux/export.h>
#include <linux/kernel.h>

#include "instance/component.h"
#include "instance/internal.h"
#include "instance/snapshot.h"

/* See snapshot.c for all of them. */
void tracing_snapshot(void)
{
	WARN_ONCE(1, "tracing: a snapshot without CONFIG_TRACER_SNAPSHOT\n");
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

int tracing_alloc_snapshot(void)
{
	WARN_ONCE(1, "tracing: a snapshot without CONFIG_TRACER_SNAPSHOT\n");
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(tracing_alloc_snapshot);

void tracing_snapshot_alloc(void)
{
	tracing_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);

int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 trace_snapshot_cond_t update)
{
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_enable);

int tracing_snapshot_cond_disable(struct trace_array *tr)
{
	return -ENODEV;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_disable);

void tracing_snapshot_cond(struct trace_array *tr, void *cond_data)
{
	WARN_ONCE(1, "tracing: a snapshot without CONFIG_TRACER_SNAPSHOT\n");
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond);

void *tracing_cond_snapshot_data(struct trace_array *tr)
{
	return NULL;
}
EXPORT_SYMBOL_GPL(tracing_cond_snapshot_data);

/* An instance has no second buffer. */
struct trace_component trace_snapshot_component __ro_after_init = {
	.name		= "snapshot",
};
