/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of tasks: a record holds a pid, people want a name, and the task may be gone
 * when they read. The names of tasks that left records are kept, and the ids of their
 * thread groups.
 */
#ifndef _TRACE_TASKS_COMM_H
#define _TRACE_TASKS_COMM_H

#include <linux/list.h>
#include <linux/sched.h>

/**
 * struct trace_comm_source - a buffer whose records hold pids
 * @node:	in the list of all sources
 * @kinds:	what is kept of the tasks that write into it: TRACE_RECORD_CMDLINE for
 *		names, TRACE_RECORD_TGID for thread groups
 * @written:	a number that is another one after this CPU has written into the
 *		buffer. Called with interrupts off, under the scheduler's locks
 *
 * Comm_mutex is in comm.c.
 */
struct trace_comm_source {
	struct list_head	node;		/* comm_mutex, RCU */
	unsigned int		kinds;		/* comm_mutex, RCU */
	unsigned long		(*written)(struct trace_comm_source *source);	/* constant */
};

void trace_comm_source_add(struct trace_comm_source *source);
void trace_comm_source_remove(struct trace_comm_source *source);
void trace_comm_source_set(struct trace_comm_source *source, unsigned int kinds);

void trace_comm_get(void);
void trace_comm_put(void);

void trace_find_cmdline(int pid, char comm[TASK_COMM_LEN]);
int trace_find_tgid(int pid);

/* The table of names, for who lists it or changes its size. */
int trace_comm_init(void);
unsigned int trace_comm_size(void);
int trace_comm_resize(unsigned long nr);
bool trace_comm_entry(unsigned int index, int *pid, char comm[TASK_COMM_LEN]);

/* Thread groups by pid, once trace_tgid_enable() has made room for them. */
int trace_tgid_enable(void);
unsigned int trace_tgid_max(void);
int trace_tgid_entry(unsigned int pid);

#endif /* _TRACE_TASKS_COMM_H */
