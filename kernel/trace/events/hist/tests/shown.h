/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of histograms: the texts of the files "hist" and "trigger" of an event.
 */
#ifndef _TRACE_EVENTS_HIST_TESTS_SHOWN_H
#define _TRACE_EVENTS_HIST_TESTS_SHOWN_H

#include <linux/types.h>

struct trace_event_file;

const char *shown_hist(struct trace_event_file *file, char *text, size_t size);
const char *shown_triggers(struct trace_event_file *file, char *text, size_t size);

#endif /* _TRACE_EVENTS_HIST_TESTS_SHOWN_H */
