/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reader/: records of all CPUs merged by time, and the files that show them:
 * trace, trace_pipe, per_cpu/cpuN/{trace,trace_pipe,stats}; ftrace_dump().
 */
#ifndef _TRACE_READER_H
#define _TRACE_READER_H

#include "instance/component.h"
#include "output/output.h"

extern struct trace_component trace_reader_component;

/*
 * The next record in time order over @iter->cpu_file (or all CPUs): fills
 * @iter's ent, ent_size, cpu, ts, lost_events. False at the end; a later call
 * looks again. Consuming readers call trace_iter_consume() when the line was
 * taken. Only for iterators that reader/ made: what the print callbacks of a
 * tracer get. Reader's context, ftrace_dump() from NMI included.
 */
bool trace_iter_next(struct trace_iterator *iter);
void trace_iter_consume(struct trace_iterator *iter);

int trace_reader_init(void);

#endif /* _TRACE_READER_H */
