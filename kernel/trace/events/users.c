// SPDX-License-Identifier: GPL-2.0
/*
 * The users of an event of an instance. They decide whether the event's probe is registered,
 * with the trace_event_file as its data, and whether the probe records. user.h tells the rules.
 *
 * Three flags of the trace_event_file say it to the probe and to other parts
 * of the kernel:
 *
 *	ENABLED		the probe is in place: there is a user of any kind
 *	SOFT_MODE	there is a soft user
 *	SOFT_DISABLED	the probe returns without a record. It is meaningful while
 *			SOFT_MODE is set, and the soft switch flips it in any
 *			context; the others change under the events mutex only.
 */
#include <linux/err.h>

#include "events/batch.h"
#include "events/internal.h"
#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/option.h"

static struct trace_event_state *event_user_state(struct trace_event_file *file)
{
	return container_of(file, struct trace_event_state, file);
}

static bool event_user_is_used(const struct trace_event_state *state)
{
	return state->users[TRACE_EVENT_USER_HARD] || state->users[TRACE_EVENT_USER_SOFT];
}

/*
 * Task names are wanted as long as an event's probe is in place whose instance
 * records names or thread groups.
 */
static void event_user_comm_update(struct trace_event_file *file)
{
	bool want = (file->flags & EVENT_FILE_FL_ENABLED) &&
		    trace_option(file->tr, TRACE_OPT_RECORD_CMD | TRACE_OPT_RECORD_TGID);

	trace_instances_assert_locked();
	trace_events_assert_locked();

	if (want == !!(file->flags & EVENT_FILE_FL_RECORDED_CMD))
		return;
	if (want) {
		set_bit(EVENT_FILE_FL_RECORDED_CMD_BIT, &file->flags);
		trace_comm_get();
	} else {
		clear_bit(EVENT_FILE_FL_RECORDED_CMD_BIT, &file->flags);
		trace_comm_put();
	}
}

static int event_user_probe_register(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;
	int ret = trace_array_expand(file->tr);

	if (ret)
		return ret;
	/* Where it fails, parts of the probe may have hit, and may still do. */
	set_bit(EVENT_FILE_FL_WAS_ENABLED_BIT, &file->flags);
	ret = call->class->reg(call, TRACE_REG_REGISTER, file);
	if (ret) {
		pr_info("trace events: could not enable %s: %d\n", trace_event_name(call), ret);
		return ret;
	}
	set_bit(EVENT_FILE_FL_ENABLED_BIT, &file->flags);
	event_user_comm_update(file);
	return 0;
}

/* The probe may run on other CPUs for a grace period of the tracepoints. */
static void event_user_probe_unregister(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;

	/* See trace_event_file_register_again(). */
	if (!test_and_clear_bit(EVENT_FILE_FL_ENABLED_BIT, &file->flags))
		return;
	event_user_comm_update(file);
	call->class->reg(call, TRACE_REG_UNREGISTER, file);
	if (call->flags & TRACE_EVENT_FL_DYNAMIC) {
		event_user_state(file)->left = start_poll_synchronize_rcu();
		event_user_state(file)->left_srcu = start_poll_synchronize_srcu(&tracepoint_srcu);
	}
}

/*
 * Have the last hits of an event ended that was taken out? It is asked for events that were built
 * at run time: they are often removed a while after they were switched off.
 */
bool trace_event_file_has_ended(struct trace_event_file *file)
{
	const struct trace_event_state *state = event_user_state(file);

	return file->event_call->flags & TRACE_EVENT_FL_DYNAMIC &&
	       poll_state_synchronize_rcu(state->left) &&
	       poll_state_synchronize_srcu(&tracepoint_srcu, state->left_srcu);
}

static int event_user_add(struct trace_event_state *state, enum trace_event_use kind)
{
	struct trace_event_file *file = &state->file;
	int ret;

	if (!event_user_is_used(state)) {
		/* The probe may run before its registration returns. */
		assign_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags,
			   kind == TRACE_EVENT_USER_SOFT);
		ret = event_user_probe_register(file);
		if (ret)
			return ret;
	}
	state->users[kind]++;
	if (kind == TRACE_EVENT_USER_SOFT)
		set_bit(EVENT_FILE_FL_SOFT_MODE_BIT, &file->flags);
	else
		clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
	return 0;
}

/*
 * The last soft user has gone, so nobody changes SOFT_DISABLED any more. The user's
 * switch becomes what the file "enable" shows now, "1" or "0", whatever was written there
 * before.
 */
static void event_user_soft_end(struct trace_event_state *state)
{
	struct trace_event_file *file = &state->file;
	bool on = !(file->flags & EVENT_FILE_FL_SOFT_DISABLED);

	clear_bit(EVENT_FILE_FL_SOFT_MODE_BIT, &file->flags);
	if (on && !state->users[TRACE_EVENT_USER_HARD]) {
		state->switched = true;
		state->users[TRACE_EVENT_USER_HARD] = 1;
	} else if (!on && state->switched) {
		state->switched = false;
		state->users[TRACE_EVENT_USER_HARD]--;
	}
	/* Hard users other than the user's switch want records whatever the switch says. */
	if (state->users[TRACE_EVENT_USER_HARD])
		clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
}

static void event_user_del(struct trace_event_state *state, enum trace_event_use kind)
{
	struct trace_event_file *file = &state->file;

	if (WARN_ON_ONCE(!state->users[kind]) || --state->users[kind])
		return;
	if (kind == TRACE_EVENT_USER_SOFT)
		event_user_soft_end(state);
	else if (state->users[TRACE_EVENT_USER_SOFT])
		set_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
	if (!event_user_is_used(state))
		event_user_probe_unregister(file);
}

/**
 * trace_event_pin - find an event of an instance and keep it
 * @tr: the instance; the caller keeps it until trace_event_unpin()
 * @system: name of the system; NULL: any
 * @name: name of the event
 *
 * The file of the event stays until trace_event_unpin(), and so does the module that has
 * the event.
 *
 * Context: task; the events mutex is held.
 * Return: the event of the instance, or ERR_PTR: -EINVAL (there is none of that name), -EBUSY
 * (its module is not ready, or is going).
 */
struct trace_event_file *trace_event_pin(struct trace_array *tr, const char *system,
					 const char *name)
{
	struct trace_event_file *file = trace_event_file_find(tr, system, name);
	int ret;

	if (!file)
		return ERR_PTR(-EINVAL);
	ret = trace_event_call_keep(file->event_call);
	if (ret)
		return ERR_PTR(ret);
	trace_event_file_get(file);
	return file;
}

/**
 * trace_event_unpin - undo trace_event_pin()
 * @file: the event of an instance
 *
 * An event that went nevertheless, as one that no module has may, took its reference along.
 *
 * Context: task; the events mutex is held.
 */
void trace_event_unpin(struct trace_event_file *file)
{
	/* The module may be unloaded after this, but its events go under the events mutex. */
	if (!trace_event_file_is_gone(file))
		trace_event_call_unkeep(file->event_call);
	trace_event_file_put(file);
}

/**
 * trace_event_user_join - become a user of an event of an instance
 * @user: the user; TRACE_EVENT_USER_HARD: records are wanted; TRACE_EVENT_USER_SOFT: the
 *	probe only, records as trace_event_soft_switch() says
 * @file: the event
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 * Return: 0; -ENODEV (the event is gone), -ENOMEM or what the event's reg() says: the caller
 * is no user.
 */
int trace_event_user_join(struct trace_event_user *user, struct trace_event_file *file)
{
	int ret;

	trace_instances_assert_locked();
	if (trace_event_file_is_gone(file))
		return -ENODEV;
	ret = event_user_add(event_user_state(file), user->use);
	if (ret)
		return ret;
	trace_event_file_get(file);
	user->file = file;
	user->counted = true;
	list_add_tail(&user->list, &event_user_state(file)->user_list);
	return 0;
}

/**
 * trace_event_user_leave - undo trace_event_user_join()
 * @user: the user; its event may have gone
 *
 * A soft user makes sure that nobody calls trace_event_soft_switch() on its
 * behalf any more. The probe may run for a grace period of the tracepoints.
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 */
void trace_event_user_leave(struct trace_event_user *user)
{
	struct trace_event_file *file = user->file;

	trace_instances_assert_locked();
	trace_events_assert_locked();

	/* An event that is gone has no users, see trace_event_file_end_use(). */
	list_del_init(&user->list);
	if (user->counted)
		event_user_del(event_user_state(file), user->use);
	user->counted = false;
	user->file = NULL;
	trace_event_file_put(file);
}

/**
 * trace_event_soft_switch - let an event record, or not
 * @file: the event; the caller is a soft user of it
 * @on: record
 *
 * Context: any, NMI included.
 */
void trace_event_soft_switch(struct trace_event_file *file, bool on)
{
	/* Most hits change nothing, and a test is cheaper than an atomic operation. */
	if (trace_event_soft_is_on(file) != on)
		assign_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags, !on);
}

/**
 * trace_event_soft_is_on - does an event with a soft user record?
 * @file: the event
 *
 * Context: any, NMI included.
 * Return: as trace_event_soft_switch() or the file "enable" left it.
 */
bool trace_event_soft_is_on(const struct trace_event_file *file)
{
	return !(READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED);
}

/*
 * The user's switch: the files "enable" and set_event, and the functions for
 * the rest of the kernel that do the same. Switching off what is off, or on
 * what is on, changes nothing. 0, -ENOMEM or what the event's reg() says.
 */
int trace_event_file_switch(struct trace_event_file *file, bool on)
{
	struct trace_event_state *state = event_user_state(file);
	int ret;

	trace_instances_assert_locked();
	trace_events_assert_locked();

	if (on == state->switched) {
		/* A soft switch may have said something else meanwhile. */
		if (on)
			clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
		else if (state->users[TRACE_EVENT_USER_SOFT] &&
			 !state->users[TRACE_EVENT_USER_HARD])
			set_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
		return 0;
	}
	if (on) {
		ret = event_user_add(state, TRACE_EVENT_USER_HARD);
		if (ret)
			return ret;
	} else {
		event_user_del(state, TRACE_EVENT_USER_HARD);
	}
	state->switched = on;
	state->fresh = on;
	return 0;
}

/*
 * Take away the users of an event that is going, or whose instance is, and tell them. A user
 * without gone() may call trace_event_soft_switch() and trace_event_user_leave() as before, to
 * no effect: it has the memory of the file until it leaves. trace_instances_lock() and the
 * events mutex are held.
 */
void trace_event_file_end_use(struct trace_event_file *file)
{
	struct trace_event_state *state = event_user_state(file);
	struct trace_event_user *user;
	LIST_HEAD(gone);

	trace_event_file_switch(file, false);
	if (!event_user_is_used(state))
		return;
	memset(state->users, 0, sizeof(state->users));
	clear_bit(EVENT_FILE_FL_SOFT_MODE_BIT, &file->flags);
	event_user_probe_unregister(file);
	/* None of them is counted any more when the first is told, as it may make others leave. */
	list_for_each_entry(user, &state->user_list, list)
		user->counted = false;
	list_splice_init(&state->user_list, &gone);
	while (!list_empty(&gone)) {
		user = list_first_entry(&gone, struct trace_event_user, list);
		list_del_init(&user->list);
		if (user->gone)
			user->gone(user);
	}
}

/*
 * At boot, take the probe of an event out, whose users stay, or put it in again. If that fails,
 * its users go as if the event did. trace_instances_lock() and the events mutex are held.
 */
void __init trace_event_file_register_again(struct trace_event_file *file, bool on)
{
	if (!on)
		event_user_probe_unregister(file);
	else if (event_user_probe_register(file))
		trace_event_file_end_use(file);
}

/* Write the text of the file "enable", TRACE_EVENT_STATE_LEN bytes with the NUL. */
void trace_event_file_state(struct trace_event_file *file, char *text)
{
	bool on = (file->flags & EVENT_FILE_FL_ENABLED) && trace_event_soft_is_on(file);

	trace_events_assert_locked();

	*text++ = on ? '1' : '0';
	if (file->flags & EVENT_FILE_FL_SOFT_MODE)
		*text++ = '*';
	*text = '\0';
}

/* Switch off what the user has switched on. */
void trace_events_disable_all(struct trace_array *tr)
{
	struct trace_event_file *file;

	trace_events_assert_locked();

	trace_event_batch_begin();
	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		trace_event_file_switch(file, false);
	trace_event_batch_end();
}

/* The options record-cmd and record-tgid decide whether events want names of tasks. */
static void event_users_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	struct trace_event_file *file;

	if (!(opt & (TRACE_OPT_RECORD_CMD | TRACE_OPT_RECORD_TGID)))
		return;
	guard(trace_events)();
	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		event_user_comm_update(file);
}

/*
 * Unregister all probes of the instance's events. Modules that come find the instance until it is
 * destroyed, and switch nothing on any more.
 */
static bool event_users_retreat(struct trace_array *tr)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_event_file *file;

	guard(trace_events)();
	trace_event_pending_clear(events);
	trace_event_batch_begin();
	list_for_each_entry(file, &events->files, list)
		trace_event_file_end_use(file);
	trace_event_batch_end();
	return false;
}

struct trace_component trace_event_users_component __ro_after_init = {
	.name		= "event users",
	.retreat	= event_users_retreat,
	.option_changed	= event_users_option_changed,
};
