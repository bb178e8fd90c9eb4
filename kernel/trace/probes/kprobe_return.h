/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: probes of functions' returns that are awaited on the tasks' shadow stacks,
 * without a kretprobe. For kprobe_site.c.
 */
#ifndef _TRACE_PROBES_KPROBE_RETURN_H
#define _TRACE_PROBES_KPROBE_RETURN_H

#include "probes/kprobe.h"

/* Is the return of a function that can be hooked awaited without a kretprobe? */
#define TRACE_KPROBE_RETURNS	(IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) && IS_ENABLED(CONFIG_FPROBE))

/* kprobe_return.c; the events mutex is held, but for hits. */
#if defined(CONFIG_KPROBES_ON_FTRACE) && defined(CONFIG_FPROBE)
int trace_kprobe_return_begin(struct trace_kprobe *kprobe);
void trace_kprobe_return_end(struct trace_kprobe *kprobe);
void trace_kprobe_return_entered(struct trace_kprobe *kprobe, unsigned long ip,
				 unsigned long parent_ip, struct ftrace_regs *fregs);
bool trace_kprobe_return_is_forbidden(unsigned long ip);
#else
static inline int trace_kprobe_return_begin(struct trace_kprobe *kprobe) { return -EINVAL; }
static inline void trace_kprobe_return_end(struct trace_kprobe *kprobe) { }
static inline void trace_kprobe_return_entered(struct trace_kprobe *kprobe, unsigned long ip,
					       unsigned long parent_ip,
					       struct ftrace_regs *fregs) { }
static inline bool trace_kprobe_return_is_forbidden(unsigned long ip) { return true; }
#endif

#endif /* _TRACE_PROBES_KPROBE_RETURN_H */
