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

/* For the print callbacks of tracers, whose iterators reader/ has made. */
bool trace_iter_next(struct trace_iterator *iter);
void trace_iter_consume(struct trace_iterator *iter);
const struct trace_entry *trace_iter_peek(struct trace_iterator *iter, unsigned int *size);
void trace_iter_skip(struct trace_iterator *iter);

int trace_reader_init(void);

#endif /* _TRACE_READER_H */
