/* SPDX-License-Identifier: GPL-2.0 */
/*
 * filter/: expressions over an event's fields that decide which records are
 * kept, for the files "filter" and for perf. For the other files of events/.
 */
#ifndef _TRACE_EVENTS_FILTER_H
#define _TRACE_EVENTS_FILTER_H

#include "events/internal.h"

/* Longest text that is taken, with its NUL. */
#define TRACE_EVENT_FILTER_MAX	PAGE_SIZE

/*
 * Under the events mutex; they wait for a grace period when a filter was in
 * force. "0" takes the filter away. -ENOMEM or an error of filter_error(), which
 * the error log explains: nothing has changed.
 */
int trace_event_filter_set(struct trace_event_file *file, char *text);
int trace_event_system_filter_set(struct trace_subsystem_dir *system, char *text);

/* The text in force, NULL: none. Under the events mutex. */
const char *trace_event_filter_text(struct trace_event_file *file);

/* The probe of @file has left. */
void trace_event_filter_destroy(struct trace_event_file *file);

/* filter_file.c */
extern const struct file_operations trace_event_filter_fops;
extern const struct file_operations trace_event_system_filter_fops;

#endif /* _TRACE_EVENTS_FILTER_H */
