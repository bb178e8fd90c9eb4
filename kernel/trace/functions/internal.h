/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of functions/ share. */
#ifndef _TRACE_FUNCTIONS_INTERNAL_H
#define _TRACE_FUNCTIONS_INTERNAL_H

#include "functions/functions.h"

/*
 * Which list of pids: tasks that are traced, or tasks that are not.
 */
enum trace_pid_kind {
	TRACE_PIDS,
	TRACE_NO_PIDS,
	TRACE_PID_KINDS
};

/**
 * struct trace_functions - an instance's function hooks
 * @ops:	what the instance's tracer is called by; its filters are the files
 * @func:	the tracer's callback; ops.func is it, or the one that tests pids
 * @running:	@ops is registered; under trace_functions_pid_mutex
 * @pids:	lists by kind, RCU; NULL: no list. Written under trace_functions_pid_mutex
 * @ignored:	per CPU: the running task is not to be traced
 * @probes:	function commands, see command.c
 * @follows_fork: option function-fork is on; under the instances' lock
 * @pending:	words that wait for modules, of set_ftrace_filter and of
 *		set_ftrace_notrace; trace_pending_lock()
 * @node:	in the list of all, see edit.c
 */
struct trace_functions {
	struct trace_array		*tr;
	struct ftrace_ops		ops;
	ftrace_func_t			func;
	bool				running;
	struct trace_pid_list __rcu	*pids[TRACE_PID_KINDS];
	bool __percpu			*ignored;
	struct list_head		probes;
	bool				follows_fork;
	struct list_head		pending[2];
	struct list_head		node;
};

static inline struct trace_functions *trace_functions_of(struct trace_array *tr)
{
	return trace_component_data(tr, &trace_functions_component);
}

/* pid.c */
extern struct mutex trace_functions_pid_mutex;
ftrace_func_t trace_functions_entry(struct trace_functions *fns);
int trace_functions_replace_pids(struct trace_functions *fns, enum trace_pid_kind kind,
				 struct trace_pid_list *list);
int trace_functions_follow_fork(struct trace_functions *fns, bool follow);
struct trace_pid_list *trace_functions_pids(struct trace_functions *fns,
					    enum trace_pid_kind kind);

/* edit.c */
struct trace_pending;

/* A filter's copy that is being changed. */
struct trace_filter_edit {
	struct trace_functions	*fns;
	bool			exclude;
	struct ftrace_hash	*hash;
	struct list_head	pending;
};

int trace_filter_edit_begin(struct trace_filter_edit *edit, struct trace_functions *fns,
			    bool exclude, bool empty);
bool trace_filter_is_command(const char *word);
int trace_filter_edit_word(struct trace_filter_edit *edit, char *word);
int trace_filter_edit_commit(struct trace_filter_edit *edit);
void trace_filter_edit_cancel(struct trace_filter_edit *edit);

void trace_pending_lock(void);
void trace_pending_unlock(void);
struct trace_pending *trace_pending_nth(struct trace_functions *fns, bool exclude,
					unsigned long n);
void trace_pending_show(struct seq_file *m, const struct trace_pending *p);

/* files */
int trace_pid_create_files(struct trace_functions *fns, struct dentry *dir);

#ifdef CONFIG_DYNAMIC_FTRACE
void trace_filter_init(struct trace_functions *fns);
void trace_filter_destroy(struct trace_functions *fns);
int trace_filter_create_files(struct trace_functions *fns, struct dentry *dir);
int trace_list_create_files(struct dentry *dir);
int trace_untraceable_create_file(struct dentry *dir);
#else
static inline void trace_filter_init(struct trace_functions *fns) { }
static inline void trace_filter_destroy(struct trace_functions *fns) { }
static inline int trace_filter_create_files(struct trace_functions *fns, struct dentry *dir)
{
	return 0;
}

static inline int trace_list_create_files(struct dentry *dir) { return 0; }
static inline int trace_untraceable_create_file(struct dentry *dir) { return 0; }
#endif

int trace_list_show_name(struct seq_file *m, const struct dyn_ftrace *site);

#endif /* _TRACE_FUNCTIONS_INTERNAL_H */
