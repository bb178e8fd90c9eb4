/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters in force on events of instances, and the files that show them. For
 * the other files of events/.
 */
#ifndef _TRACE_EVENTS_FILTER_APPLY_H
#define _TRACE_EVENTS_FILTER_APPLY_H

#include <linux/fs.h>

struct trace_event_file;
struct trace_subsystem_dir;

/* Longest text that the files take, with its NUL. */
#define TRACE_EVENT_FILTER_MAX	PAGE_SIZE

/* apply.c */
int trace_event_filter_set(struct trace_event_file *file, char *text);
int trace_event_system_filter_set(struct trace_subsystem_dir *system, char *text);
const char *trace_event_filter_text(struct trace_event_file *file);
void trace_event_filter_destroy(struct trace_event_file *file);

/* filter_file.c */
extern const struct file_operations trace_event_filter_fops;
extern const struct file_operations trace_event_system_filter_fops;

#endif /* _TRACE_EVENTS_FILTER_APPLY_H */
