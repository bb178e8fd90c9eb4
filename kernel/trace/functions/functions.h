/* SPDX-License-Identifier: GPL-2.0 */
/*
 * functions/: an instance's view of the kernel's functions: which of them it
 * traces (set_ftrace_filter, set_ftrace_notrace), for which tasks
 * (set_ftrace_pid, set_ftrace_notrace_pid), and the lists of all functions.
 * A tracer decides what is done when a function is called.
 */
#ifndef _TRACE_FUNCTIONS_H
#define _TRACE_FUNCTIONS_H

#include "instance/component.h"
#include "instance/instance.h"

#ifdef CONFIG_FUNCTION_TRACER

#include "functions/judge.h"
#include "hooks/hooks.h"
#include "tasks/pid_filter.h"

extern struct trace_component trace_functions_component;

int trace_functions_start(struct trace_array *tr, ftrace_func_t func, bool fregs);
void trace_functions_stop(struct trace_array *tr);
void trace_functions_set_func(struct trace_array *tr, ftrace_func_t func);
const struct trace_judge *trace_functions_judge(struct trace_array *tr);
void trace_functions_on_judged(struct trace_array *tr, void (*judged)(struct trace_array *tr));
void trace_functions_share(struct trace_array *tr, struct ftrace_ops *ops);
struct trace_pid_filter *trace_functions_pids(struct trace_array *tr);
void trace_functions_tell_unknown(struct trace_array *tr, char *word, size_t len, bool known);

#endif /* CONFIG_FUNCTION_TRACER */

#ifdef CONFIG_DYNAMIC_FTRACE
void trace_functions_boot_filters(void);
#else
static inline void trace_functions_boot_filters(void) { }
#endif

#ifdef CONFIG_STACK_TRACER
void trace_stack_init(void);
#else
static inline void trace_stack_init(void) { }
#endif

#endif /* _TRACE_FUNCTIONS_H */
