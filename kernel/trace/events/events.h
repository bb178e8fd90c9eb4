/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/: the kernel's trace events: which exist, their fields and formats,
 * switching them on per instance, and recording them. Also perf's side.
 *
 * The functions that the macros of <trace/trace_events.h> and the rest of the kernel call are
 * declared in <linux/trace_events.h>; this header is for the layers of kernel/trace above and
 * for setup.c.
 */
#ifndef _TRACE_EVENTS_H
#define _TRACE_EVENTS_H

#include "instance/component.h"
#include "instance/instance.h"
#include "output/output.h"

/*
 * The components of events, in the order of setup.c's table. The first has the events of
 * an instance; the others use them, and are destroyed before it.
 */
extern struct trace_component trace_events_component;
extern struct trace_component trace_event_filters_component;
extern struct trace_component trace_event_filter_files_component;
extern struct trace_component trace_event_pids_component;
extern struct trace_component trace_event_users_component;
extern struct trace_component trace_event_triggers_component;
extern struct trace_component trace_event_trigger_files_component;
extern struct trace_component trace_event_hists_component;
extern struct trace_component trace_event_dirs_component;
extern struct trace_component trace_event_dyn_component;
extern struct trace_component trace_event_dyn_owned_component;
extern struct trace_component trace_event_synth_component;	/* behind that for README */
extern struct trace_component trace_event_eval_map_component;	/* its file alone */
extern struct trace_component trace_event_inject_component;	/* its lines of README alone */

/* boot.c, for trace_init() */
void trace_events_init_early(void);
void trace_events_boot_enable(struct trace_array *tr, char *events);

/* module.c, for an initcall behind early_initcall() */
#ifdef CONFIG_MODULES
int trace_event_modules_init(void);
void trace_trigger_modules_init(void);		/* trigger/module.c, likewise */
#else
static inline int trace_event_modules_init(void) { return 0; }
static inline void trace_trigger_modules_init(void) { }
#endif

/* For the startup tests: each event of the kernel itself that can be switched. */
struct trace_event_call *trace_event_next_usable(struct trace_event_call *call);
bool trace_events_are_on(struct trace_array *tr);	/* instances lock; any of them */

#endif /* _TRACE_EVENTS_H */
