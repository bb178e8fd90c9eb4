/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users of an event in an instance. An event's probe is in place as long as it
 * has a user, and users are of two kinds:
 *
 *	hard	wants the records. The file "enable" and set_event hold one of
 *		these together, the user's switch.
 *	soft	wants the probe in place, so that its records can be switched on
 *		and off where the event cannot be registered: enable_event and
 *		disable_event, triggers. As long as there is one, the file
 *		"enable" shows "0*" or "1*".
 *
 * An event with users of both kinds records until a soft switch is set to off: disable_event is
 * an order of the user, and silences hard users of the kernel as well, until the last soft user
 * goes. The last change counts, whether it is of a soft switch or of the user's. When the last
 * soft user goes, the user's switch is set to what the event did then: record, or not.
 *
 * A user does not keep the event. If the user must not lose it, as the target of enable_event,
 * it pins the event, and the module of the event cannot be unloaded. Otherwise the event may go
 * at any time, and takes the user along by its gone(), as it takes a trigger.
 *
 * All functions but the soft switch are called with the events mutex held, in task context.
 */
#ifndef _TRACE_EVENTS_USER_H
#define _TRACE_EVENTS_USER_H

#include <linux/list.h>
#include <linux/types.h>

struct trace_action_use;
struct trace_array;
struct trace_event_file;

enum trace_event_use {
	TRACE_EVENT_USER_HARD,
	TRACE_EVENT_USER_SOFT,
	TRACE_EVENT_USERS
};

/**
 * struct trace_event_user - a user of an event of an instance
 * @use:	what it wants; the user sets it before trace_event_user_join()
 * @gone:	the event goes, or the instance, and the user does not have it any more. The probe
 *		may still run for a grace period of the tracepoints. The user calls
 *		trace_event_user_leave() here or later, and has @file until then.
 *		trace_instances_lock() and the events mutex are held. NULL: nothing to do
 * @counted:	the event has it as a user, and has not gone; E
 * @list:	of the event's users; E
 * @file:	the event of the instance; its memory stays until trace_event_user_leave(); E
 */
struct trace_event_user {
	enum trace_event_use	use;
	void			(*gone)(struct trace_event_user *user);
	bool			counted;
	struct list_head	list;
	struct trace_event_file	*file;
};

struct trace_event_file *trace_event_pin(struct trace_array *tr, const char *system,
					 const char *name);
void trace_event_unpin(struct trace_event_file *file);

int trace_event_user_join(struct trace_event_user *user, struct trace_event_file *file);
void trace_event_user_leave(struct trace_event_user *user);

/* action.c */
int trace_event_action_get(struct trace_action_use *use, char *param);
void trace_event_action_put(struct trace_action_use *use);

/* In any context. */
void trace_event_soft_switch(struct trace_event_file *file, bool on);
bool trace_event_soft_is_on(const struct trace_event_file *file);

#endif /* _TRACE_EVENTS_USER_H */
