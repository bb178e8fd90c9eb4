/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/filter/ inside: filters in force on events of instances, and the files that show them.
 */
#ifndef _TRACE_EVENTS_FILTER_APPLY_H
#define _TRACE_EVENTS_FILTER_APPLY_H

#include <linux/mm.h>

struct dentry;
struct trace_filter_error;
struct trace_array;
struct trace_event_file;
struct trace_subsystem_dir;

/* Longest text that the files take, with its NUL. */
#define TRACE_EVENT_FILTER_MAX	PAGE_SIZE

/* apply.c */
int trace_event_filter_set(struct trace_event_file *file, char *text);
int trace_event_system_filter_set(struct trace_subsystem_dir *system, char *text);
const char *trace_event_filter_text(struct trace_event_file *file);
char *trace_event_filter_shown(struct trace_event_file *file);
char *trace_event_system_filter_shown(struct trace_subsystem_dir *system);
void trace_event_filter_part_add(void);

/* refused.c; the events mutex is held. @of: the event of an instance, or its system */
void trace_filter_refused_note(const void *of, const char *text,
			       const struct trace_filter_error *error);
void trace_filter_refused_drop(const void *of);
const char *trace_filter_refused_text(const void *of);

#endif /* _TRACE_EVENTS_FILTER_APPLY_H */
