/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/syscalls/: an event for the entry and one for the exit of each system call. They are
 * made of the tracepoints sys_enter and sys_exit, which all system calls have in common: the
 * first event that is on registers a probe there, and the probe looks at the number of the call.
 *
 * SYSCALL_DEFINEx() of <linux/syscalls.h> defines the events and describes the arguments.
 */
#ifndef _TRACE_EVENTS_SYSCALLS_SYSCALLS_H
#define _TRACE_EVENTS_SYSCALLS_SYSCALLS_H

#include "instance/component.h"

#ifdef CONFIG_FTRACE_SYSCALLS
/* Its place in setup.c's table is before the users of events, whose end it waits for. */
extern struct trace_component trace_event_syscalls_component;
extern struct trace_component trace_event_syscall_files_component;

void trace_event_syscalls_init(void);
const char *trace_event_syscall_name(unsigned int nr);
#else
static inline void trace_event_syscalls_init(void) { }
static inline const char *trace_event_syscall_name(unsigned int nr) { return NULL; }
#endif

#endif /* _TRACE_EVENTS_SYSCALLS_SYSCALLS_H */
