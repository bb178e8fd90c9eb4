// SPDX-License-Identifier: GPL-2.0
/*
 * Actions on an instance as a whole: switch it on or off, take a stack or a snapshot,
 * dump what it has.
 */
#include <linux/kernel.h>
#include <linux/trace_events.h>

#include "actions/internal.h"
#include "instance/buffers.h"
#include "instance/instance.h"
#include "instance/snapshot.h"

static bool action_tracing_is_on(const struct trace_action_use *use)
{
	return trace_array_is_on(use->tr);
}

static bool action_tracing_is_off(const struct trace_action_use *use)
{
	return !trace_array_is_on(use->tr);
}

static void action_tracing_switch_on(const struct trace_action_use *use,
				     const struct trace_action_hit *hit)
{
	trace_array_on(use->tr);
}

static void action_tracing_switch_off(const struct trace_action_use *use,
				      const struct trace_action_hit *hit)
{
	trace_array_off(use->tr);
}

static void action_tracing_take_stack(const struct trace_action_use *use,
				      const struct trace_action_hit *hit)
{
	unsigned int trace_ctx = hit->file ? hit->trace_ctx : tracing_gen_ctx();

	trace_stack_write_at(use->tr->array_buffer.buffer, trace_ctx, hit->from, hit->place);
}

static void action_tracing_dump_all(const struct trace_action_use *use,
				    const struct trace_action_hit *hit)
{
	ftrace_dump(DUMP_ALL);
}

static void action_tracing_dump_cpu(const struct trace_action_use *use,
				    const struct trace_action_hit *hit)
{
	ftrace_dump(DUMP_ORIG);
}

#ifdef CONFIG_TRACER_SNAPSHOT
/* The action got memory for snapshots, but a user may have freed it meanwhile. */
static bool action_tracing_has_snapshot(const struct trace_action_use *use)
{
	return trace_snapshot_is_allocated(use->tr);
}

static void action_tracing_take_snapshot(const struct trace_action_use *use,
					 const struct trace_action_hit *hit)
{
	trace_snapshot_take(use->tr);
}

static int action_tracing_snapshot_get(struct trace_action_use *use, char *param)
{
	return trace_snapshot_get(use->tr);
}

static void action_tracing_snapshot_put(struct trace_action_use *use)
{
	trace_snapshot_put(use->tr);
}
#endif

#define ACTION_ANYWHERE	(TRACE_ACTION_AT_FUNCTION | TRACE_ACTION_AT_EVENT)

/* The record of the event that stops the trace, or is put aside with it, is its last one. */
struct trace_action trace_actions_of_tracing[] = {
	{ .name = "traceon",	.where = ACTION_ANYWHERE,
	  .due = action_tracing_is_off,	.hit = action_tracing_switch_on },
	{ .name = "traceoff",	.where = ACTION_ANYWHERE,	.after = true,
	  .due = action_tracing_is_on,	.hit = action_tracing_switch_off },
	{ .name = "stacktrace",	.where = ACTION_ANYWHERE,	.after = true,	.uses_hit = true,
	  .due = action_tracing_is_on,	.hit = action_tracing_take_stack },
	{ .name = "dump",	.where = TRACE_ACTION_AT_FUNCTION,
	  .once = true,		.hit = action_tracing_dump_all },
	{ .name = "cpudump",	.where = TRACE_ACTION_AT_FUNCTION,
	  .once = true,		.hit = action_tracing_dump_cpu },
#ifdef CONFIG_TRACER_SNAPSHOT
	{ .name = "snapshot",	.where = ACTION_ANYWHERE,	.after = true,
	  .due = action_tracing_has_snapshot,	.hit = action_tracing_take_snapshot,
	  .get = action_tracing_snapshot_get,	.put = action_tracing_snapshot_put },
#endif
	{}
};
