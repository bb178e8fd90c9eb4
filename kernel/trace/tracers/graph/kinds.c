// SPDX-License-Identifier: GPL-2.0
/*
 * The records of the function_graph tracer: a function was entered, a function has
 * returned. With another tracer as the current one they are printed one by one, as what
 * a tree would need is known to an open file of this tracer only.
 *
 * A call has two records, even if it calls nothing that is recorded. One record for both,
 * written at the return, would be cheaper. But the entry would be missing while the function
 * runs, when it is looked for after a hang or a crash, and records of interrupts and other tasks
 * would stand before an older entry: tools expect the order of times.
 */
#include "tracers/graph/internal.h"

static enum print_line_t graph_kind_text(struct trace_iterator *iter,
					 const struct trace_printer *printer)
{
	return trace_graph_print_alone(iter, GRAPH_OPTIONS);
}

static const struct trace_kind_field entry_fields[] = {
	TRACE_KIND_FIELD(struct graph_entry_record, unsigned long, func),
	TRACE_KIND_FIELD(struct graph_entry_record, int, depth),
#ifdef CONFIG_FUNCTION_TRACE_ARGS
	TRACE_KIND_TAIL(struct graph_entry_record, unsigned long, args),
#endif
	{ }
};

static const struct trace_kind entry_kind = {
	.type		= TRACE_GRAPH_ENT,
	.size		= sizeof(struct graph_entry_record),
	.name		= "funcgraph_entry",
	.fields		= entry_fields,
	.print_fmt	= "\"--> %ps (%d)\", (void *)REC->func, REC->depth",
	.print		= { [TRACE_MODE_TEXT] = graph_kind_text },
};

#ifdef CONFIG_FUNCTION_GRAPH_RETADDR

static const struct trace_kind_field caller_fields[] = {
	TRACE_KIND_FIELD(struct graph_caller_record, unsigned long, func),
	TRACE_KIND_FIELD(struct graph_caller_record, int, depth),
	TRACE_KIND_FIELD(struct graph_caller_record, unsigned long, retaddr),
#ifdef CONFIG_FUNCTION_TRACE_ARGS
	TRACE_KIND_TAIL(struct graph_caller_record, unsigned long, args),
#endif
	{ }
};

#define CALLER_ARGS	"(void *)REC->func, REC->depth, (void *)REC->retaddr"

static const struct trace_kind caller_kind = {
	.type		= TRACE_GRAPH_RETADDR_ENT,
	.size		= sizeof(struct graph_caller_record),
	.name		= "fgraph_retaddr_entry",
	.fields		= caller_fields,
	.print_fmt	= "\"--> %ps (%d) <- %ps\", " CALLER_ARGS,
	.print		= { [TRACE_MODE_TEXT] = graph_kind_text },
};

#endif

static const struct trace_kind_field exit_fields[] = {
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long, func),
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long, retval),
#endif
	TRACE_KIND_FIELD(struct graph_exit_record, int, depth),
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned int, overrun),
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long long, calltime),
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long long, rettime),
	{ }
};

/* Tools have compiled formats in which "over" is the depth, so it stays that. */
#define EXIT_FORMAT	"<-- %ps (%d) (start: %llx  end: %llx) over: %d"
#define EXIT_ARGS	"(void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth"

static const struct trace_kind exit_kind = {
	.type		= TRACE_GRAPH_RET,
	.size		= sizeof(struct graph_exit_record),
	.name		= "funcgraph_exit",
	.fields		= exit_fields,
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	.print_fmt	= "\"" EXIT_FORMAT " retval: %lx\", " EXIT_ARGS ", REC->retval",
#else
	.print_fmt	= "\"" EXIT_FORMAT "\", " EXIT_ARGS,
#endif
	.print		= { [TRACE_MODE_TEXT] = graph_kind_text },
};

/* struct graph_times_record begins with a struct graph_exit_record. */
static const struct trace_kind_field times_fields[] = {
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long, func),
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long, retval),
#endif
	TRACE_KIND_FIELD(struct graph_exit_record, int, depth),
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned int, overrun),
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long long, calltime),
	TRACE_KIND_FIELD(struct graph_exit_record, unsigned long long, rettime),
	TRACE_KIND_FIELD(struct graph_times_record, unsigned long long, self),
	TRACE_KIND_FIELD(struct graph_times_record, unsigned long long, irq),
	TRACE_KIND_FIELD(struct graph_times_record, unsigned long long, sleep),
	{ }
};

static_assert(offsetof(struct graph_times_record, exit) == 0);

#define TIMES_FORMAT	"<-- %ps (%d) took: %llu self: %llu irq: %llu sleep: %llu"
#define TIMES_ARGS	"(void *)REC->func, REC->depth, REC->rettime - REC->calltime, " \
			"REC->self, REC->irq, REC->sleep"

static const struct trace_kind times_kind = {
	.type		= TRACE_GRAPH_RET_TIMES,
	.size		= sizeof(struct graph_times_record),
	.name		= "funcgraph_exit_times",
	.fields		= times_fields,
	.print_fmt	= "\"" TIMES_FORMAT "\", " TIMES_ARGS,
	.print		= { [TRACE_MODE_TEXT] = graph_kind_text },
};

const struct trace_kind * const trace_graph_kinds[] = {
	&entry_kind,
	&exit_kind,
	&times_kind,
#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
	&caller_kind,
#endif
	NULL
};
