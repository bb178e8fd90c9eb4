/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of functions/ share. */
#ifndef _TRACE_FUNCTIONS_INTERNAL_H
#define _TRACE_FUNCTIONS_INTERNAL_H

#include "functions/functions.h"
#include "functions/judge.h"
#include "instance/component.h"
#include "tasks/pid_filter.h"

/**
 * struct trace_functions - an instance's function hooks
 * @tr:		the instance
 * @ops:	calls the instance's tracer; its filters are those of set_ftrace_filter and
 *		set_ftrace_notrace
 * @pids:	which tasks are traced
 * @judge:	predicates on the arguments of functions of set_ftrace_filter
 * @judged:	called when @judge has predicates from now on, or has none; or NULL
 * @func:	the tracer's callback; @ops calls it, or function_pid_call() or
 *		function_pid_judge(), which do
 * @fregs:	@func looks at the registers
 * @running:	@ops is registered
 * @ran:	it was: callbacks may still be running
 * @probes:	function commands, see command.c
 * @no_commands: set_ftrace_filter's commands are refused
 * @pending:	words that wait for modules, of set_ftrace_filter and of
 *		set_ftrace_notrace
 * @node:	in all_functions of edit.c
 */
struct trace_functions {
	struct trace_array		*tr;		/* constant */
	struct ftrace_ops		ops;		/* ftrace_lock(); func: filter's lock */
	struct trace_pid_filter		pids;
	struct trace_judge		judge;
	void				(*judged)(struct trace_array *tr); /* constant */
	ftrace_func_t			func;		/* filter's lock */
	bool				fregs;		/* filter's lock */
	bool				running;	/* filter's lock */
	bool				ran;		/* filter's lock */
	struct list_head		probes;		/* command_mutex */
	bool				no_commands;	/* constant */
	struct list_head		pending[2];	/* pending_mutex */
	struct list_head		node;		/* pending_mutex */
};

extern struct trace_slot trace_functions_slot;	/* pid.c */

static inline struct trace_functions *trace_functions_of(struct trace_array *tr)
{
	return trace_slot_data(tr, &trace_functions_slot);
}

/* pid.c */
int trace_functions_pids_create(struct trace_functions *fns);
void trace_functions_entry_update(struct trace_functions *fns);

/* hook.c */
int trace_functions_judge_changed(struct trace_functions *fns);

/* edit.c */
struct trace_pending;

/**
 * struct trace_filter_edit - a copy of a filter that is being changed; it has one user
 * @fns:	whose filter
 * @exclude:	that of set_ftrace_notrace, not that of set_ftrace_filter
 * @hash:	the sites
 * @rules:	functions with predicates
 * @pending:	the words that wait for modules
 */
struct trace_filter_edit {
	struct trace_functions	*fns;
	bool			exclude;
	struct ftrace_hash	*hash;
	struct trace_judge_edit	rules;
	struct list_head	pending;
};

int trace_filter_edit_begin(struct trace_filter_edit *edit, struct trace_functions *fns,
			    bool exclude, bool empty);
int trace_filter_edit_take(struct trace_filter_edit *edit, char *word);
int trace_filter_edit_commit(struct trace_filter_edit *edit);
void trace_filter_edit_cancel(struct trace_filter_edit *edit);
struct trace_pending *trace_filter_edit_nth(struct trace_filter_edit *edit, unsigned long n);
bool trace_filter_edit_empty(const struct trace_filter_edit *edit);

int trace_filter_set_text(struct trace_functions *fns, char *text, bool exclude);

void trace_pending_lock(void);
void trace_pending_unlock(void);
struct trace_pending *trace_pending_nth(struct trace_functions *fns, bool exclude,
					unsigned long n);
void trace_pending_show(struct seq_file *m, const struct trace_pending *p);

/* Why a word is refused with -EINVAL. error_log has the texts of edit.c. */
enum trace_filter_error {
	TRACE_FILTER_NO_FUNCTION,
	TRACE_FILTER_NOT_THERE,
	TRACE_FILTER_NO_COMMAND,
	TRACE_FILTER_NOT_HERE,
	TRACE_FILTER_COMMAND_IS_THERE,
	TRACE_FILTER_COMMAND_NOT_THERE,
	TRACE_FILTER_NAMES_ONLY,
	TRACE_FILTER_TOLD,		/* the judge has told what is wrong with a predicate */
};

/* command.c: "PATTERN:ACTION" does something when a function is called */
struct trace_func_probe;

int trace_func_command_apply(struct trace_functions *fns, char *pattern, char *text,
			     enum trace_filter_error *error);

#ifdef CONFIG_DYNAMIC_FTRACE
bool trace_func_commands_stop(struct trace_functions *fns);
void trace_func_commands_destroy(struct trace_functions *fns);
#else
static inline bool trace_func_commands_stop(struct trace_functions *fns) { return false; }
static inline void trace_func_commands_destroy(struct trace_functions *fns) { }
#endif

/* For listings, which take trace_func_commands_lock() and then ftrace_lock(). */
void trace_func_commands_lock(void);
void trace_func_commands_unlock(void);
struct trace_func_probe *trace_func_probe_nth(struct trace_functions *fns, unsigned int n);
bool trace_func_probe_has(struct trace_func_probe *probe, const struct dyn_ftrace *site);
int trace_func_probe_show(struct seq_file *m, struct trace_func_probe *probe,
			  const struct dyn_ftrace *site);

/* files */
int trace_pid_create_files(struct trace_functions *fns, struct dentry *dir);

#ifdef CONFIG_FTRACE_RECORD_RECURSION
int trace_recursed_create_file(struct trace_array *top);
#else
static inline int trace_recursed_create_file(struct trace_array *top) { return 0; }
#endif

#ifdef CONFIG_DYNAMIC_FTRACE
void trace_filter_init(struct trace_functions *fns);
void trace_filter_destroy(struct trace_functions *fns);
int trace_filter_create_files(struct trace_functions *fns, struct dentry *dir);
int trace_filter_create_stack_file(struct trace_array *top, struct dentry *dir);
int trace_list_create_files(struct trace_array *top);
int trace_untraceable_create_file(struct dentry *dir);
#else
static inline void trace_filter_init(struct trace_functions *fns) { }
static inline void trace_filter_destroy(struct trace_functions *fns) { }
static inline int trace_filter_create_files(struct trace_functions *fns, struct dentry *dir)
{
	return 0;
}

static inline int trace_list_create_files(struct trace_array *top) { return 0; }
static inline int trace_untraceable_create_file(struct dentry *dir) { return 0; }
#endif

/* stack.c: the deepest stack */
#define TRACE_STACK_CALLS	500

/**
 * struct trace_stack_record - a stack
 * @nr:		its calls
 * @depths:	how many bytes of the stack were in use within each of them, innermost first
 * @ips:	addresses in them
 */
struct trace_stack_record {
	unsigned int	nr;
	unsigned int	depths[TRACE_STACK_CALLS];
	unsigned long	ips[TRACE_STACK_CALLS];
};

struct trace_functions *trace_stack_functions(void);
void trace_stack_copy(struct trace_stack_record *copy);
unsigned long trace_stack_limit(void);
void trace_stack_set_limit(unsigned long limit);

#ifdef CONFIG_STACK_TRACER
int trace_stack_create_files(struct trace_array *top, struct dentry *dir);
#else
static inline int trace_stack_create_files(struct trace_array *top, struct dentry *dir)
{
	return 0;
}
#endif

int trace_list_put_name(struct seq_file *m, const struct dyn_ftrace *site);
int trace_list_show_name(struct seq_file *m, const struct dyn_ftrace *site);

#endif /* _TRACE_FUNCTIONS_INTERNAL_H */
