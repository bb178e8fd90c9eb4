/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function commands: "PATTERN:COMMAND[:COUNT]" in set_ftrace_filter does
 * something when a function is called, whatever the tracer.
 */
#ifndef _TRACE_FUNCTIONS_COMMAND_H
#define _TRACE_FUNCTIONS_COMMAND_H

#include "functions/internal.h"

struct trace_func_probe;

/**
 * struct trace_func_command - what a command does
 * @name:	as it is written
 * @due:	is there anything to do? A count goes down only then; may be NULL
 * @hit:	do it
 * @get:	before the first function carries it; may refuse, may be NULL
 * @put:	after the last one did; may be NULL
 * @once:	a command that is done once a function, whatever its count says
 *
 * @due and @hit: any context, NMI included, recursion is already prevented.
 * @get and @put: task context, may sleep, trace_func_commands_lock() is held.
 */
struct trace_func_command {
	const char	*name;
	bool		(*due)(struct trace_array *tr);
	void		(*hit)(struct trace_array *tr);
	int		(*get)(struct trace_array *tr);
	void		(*put)(struct trace_array *tr);
	bool		once;
};

int trace_func_command_apply(struct trace_functions *fns, char *pattern,
			     const char *name, char *param);

#ifdef CONFIG_DYNAMIC_FTRACE
void trace_func_commands_destroy(struct trace_functions *fns);
#else
static inline void trace_func_commands_destroy(struct trace_functions *fns) { }
#endif

/* For listings, under trace_func_commands_lock(), then ftrace_lock(). */
void trace_func_commands_lock(void);
void trace_func_commands_unlock(void);
struct trace_func_probe *trace_func_probe_nth(struct trace_functions *fns, unsigned int n);
bool trace_func_probe_has(struct trace_func_probe *probe, const struct dyn_ftrace *site);
int trace_func_probe_show(struct seq_file *m, struct trace_func_probe *probe,
			  const struct dyn_ftrace *site);

#endif /* _TRACE_FUNCTIONS_COMMAND_H */
