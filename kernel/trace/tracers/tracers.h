/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracers/: the plug-ins of current_tracer, one file each. Adding one is a
 * file, a line here and a line in tracers.c.
 */
#ifndef _TRACE_TRACERS_H
#define _TRACE_TRACERS_H

#include "instance/instance.h"

extern const struct tracer trace_nop_tracer;
extern const struct tracer trace_function_tracer;

void trace_tracers_init(void);

#endif /* _TRACE_TRACERS_H */
