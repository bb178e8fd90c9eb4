/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of tasks/ share with each other, and with their tests. */
#ifndef _TRACE_TASKS_INTERNAL_H
#define _TRACE_TASKS_INTERNAL_H

#include "tasks/comm.h"

/* comm_table.c: names by pid */
void trace_comm_store(int pid, const char *comm);
bool trace_comm_copy(int pid, char comm[TASK_COMM_LEN]);
bool trace_comm_is(int pid, const char *comm);

/* The steps of trace_comm_resize(): begin, step until it is false, end. */
int trace_comm_resize_begin(unsigned long nr);
bool trace_comm_resize_step(void);
void trace_comm_resize_end(void);

/* comm.c: the body of the probe of sched_switch */
void trace_comm_switch(struct task_struct *prev, struct task_struct *next);

#endif /* _TRACE_TASKS_INTERNAL_H */
