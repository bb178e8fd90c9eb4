/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users of an event in an instance. An event's probe is in place as long as it
 * has a user, and users are counted by kind:
 *
 *	hard	wants the records. The file "enable" and set_event hold one of
 *		these together, the user's switch.
 *	soft	wants the probe in place, so that its records can be switched on
 *		and off where the event cannot be registered: enable_event and
 *		disable_event, triggers. As long as there is one, the file
 *		"enable" shows "0*" or "1*".
 *
 * An event with users of both kinds records until a soft switch is set to off. The last
 * change counts, whether it is of a soft switch or of the user's. When the last soft user
 * goes, the user's switch is set to what the event did then: record, or not.
 */
#ifndef _TRACE_EVENTS_USER_H
#define _TRACE_EVENTS_USER_H

#include <linux/types.h>

struct trace_array;
struct trace_event_file;

enum trace_event_user {
	TRACE_EVENT_USER_HARD,
	TRACE_EVENT_USER_SOFT,
	TRACE_EVENT_USERS
};

struct trace_event_file *trace_event_pin(struct trace_array *tr, const char *system,
					 const char *name);
void trace_event_unpin(struct trace_event_file *file);

int trace_event_user_get(struct trace_event_file *file, enum trace_event_user kind);
void trace_event_user_put(struct trace_event_file *file, enum trace_event_user kind);

void trace_event_soft_switch(struct trace_event_file *file, bool on);
bool trace_event_soft_is_on(const struct trace_event_file *file);

#endif /* _TRACE_EVENTS_USER_H */
