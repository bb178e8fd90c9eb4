/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: probes of functions' entries and returns that are hooked at the functions'
 * sites, without a kprobe. For files of kprobes.
 */
#ifndef _TRACE_PROBES_KPROBE_SITE_H
#define _TRACE_PROBES_KPROBE_SITE_H

#include "probes/kprobe.h"

/* The events mutex is held, but for trace_kprobe_site_settle(). */
#ifdef CONFIG_KPROBES_ON_FTRACE
int trace_kprobe_site_join(struct trace_kprobe *kprobe);
int trace_kprobe_site_arm(struct list_head *probes);
void trace_kprobe_site_disarm(struct list_head *probes);
void trace_kprobe_site_leave(struct list_head *probes);
void trace_kprobe_site_settle(struct list_head *probes);
void trace_kprobe_site_module_goes(const struct module *mod, bool init);
void trace_kprobe_site_init(void);
#else
static inline int trace_kprobe_site_join(struct trace_kprobe *kprobe) { return -ENOENT; }
static inline int trace_kprobe_site_arm(struct list_head *probes) { return 0; }
static inline void trace_kprobe_site_disarm(struct list_head *probes) { }
static inline void trace_kprobe_site_leave(struct list_head *probes) { }
static inline void trace_kprobe_site_settle(struct list_head *probes) { }
static inline void trace_kprobe_site_module_goes(const struct module *mod, bool init) { }
static inline void trace_kprobe_site_init(void) { }
#endif

#endif /* _TRACE_PROBES_KPROBE_SITE_H */
