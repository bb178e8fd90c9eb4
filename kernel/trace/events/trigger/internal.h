/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/trigger/ inside: declarations that its files share with each other and their tests.
 */
#ifndef _TRACE_EVENTS_TRIGGER_INTERNAL_H
#define _TRACE_EVENTS_TRIGGER_INTERNAL_H

#include "events/trigger/trigger.h"

/* command.c; the events mutex is held */
void trace_trigger_commands_show(struct seq_file *m);
void trace_triggers_show(struct seq_file *m, struct trace_event_file *file);
void trace_triggers_show_all(struct seq_file *m, struct trace_array *tr);

/* action_trigger.c, trigger_file.c: boot, once; the events mutex is held */
void trace_trigger_actions_init(void);
void trace_trigger_files_init(void);

#endif /* _TRACE_EVENTS_TRIGGER_INTERNAL_H */
