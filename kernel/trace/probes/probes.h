/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/: probes that users put into the kernel by lines of text, and the events that they
 * record. setup.c calls this at boot.
 */
#ifndef _TRACE_PROBES_H
#define _TRACE_PROBES_H

#include "instance/component.h"

struct trace_event_call;

/* In the order of setup.c's table: README tells of arguments behind the kinds of lines. */
extern struct trace_component trace_kprobes_component;
extern struct trace_component trace_fprobe_events_component;	/* its lines of README alone */
extern struct trace_component trace_eprobes_component;		/* likewise */
extern struct trace_component trace_uprobes_component;
extern struct trace_component trace_probes_component;

/* kprobe_boot.c */
#ifdef CONFIG_KPROBE_EVENTS
int trace_kprobes_init(void);
void trace_kprobes_boot(void);
#else
static inline int trace_kprobes_init(void) { return 0; }
static inline void trace_kprobes_boot(void) { }
#endif

/* For an initcall before there are files: fprobe_event.c, tprobe.c, eprobe.c */
#ifdef CONFIG_FPROBE_EVENTS
void trace_fprobe_events_init(void);
void trace_tprobes_init(void);
#else
static inline void trace_fprobe_events_init(void) { }
static inline void trace_tprobes_init(void) { }
#endif
#ifdef CONFIG_PROBE_EVENTS
void trace_eprobes_init(void);
#else
static inline void trace_eprobes_init(void) { }
#endif

/* uprobe.c */
#ifdef CONFIG_UPROBE_EVENTS
void trace_uprobes_init(void);
#else
static inline void trace_uprobes_init(void) { }
#endif

/* bpf_get_func_ip() finds it at the task's utask->vaddr while the programs of a uprobe run. */
struct uprobe_dispatch_data {
	unsigned long	bp_addr;
};

/* kprobe_perf.c, for BPF. The caller keeps the event. */
#ifdef CONFIG_KPROBE_EVENTS
bool trace_kprobe_on_func_entry(struct trace_event_call *call);
bool trace_kprobe_error_injectable(struct trace_event_call *call);
#else
static inline bool trace_kprobe_on_func_entry(struct trace_event_call *call) { return false; }
static inline bool trace_kprobe_error_injectable(struct trace_event_call *call) { return false; }
#endif

#endif /* _TRACE_PROBES_H */
