// SPDX-License-Identifier: GPL-2.0
/*
 * The users of an event of probes: the instances that have it on, and perf. The probes are armed
 * as long as there is a user.
 */
#include <linux/errno.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "events/calls.h"
#include "probes/hit.h"
#include "probes/internal.h"

static struct trace_probe_users *users_of(struct trace_probe_event *event)
{
	return rcu_dereference_protected(event->users, trace_events_locked());
}

/* Copy @old, which may be NULL, with room for @nr instances. */
static struct trace_probe_users *users_copy(const struct trace_probe_users *old, unsigned int nr,
					    gfp_t gfp)
{
	struct trace_probe_users *users = kzalloc(struct_size(users, file, nr), gfp);

	if (!users)
		return NULL;
	users->nr = nr;
	if (old) {
		users->perf = old->perf;
		for (unsigned int i = 0; i < min(nr, old->nr); i++)
			users->file[i] = old->file[i];
	}
	return users;
}

/* The set of all probes of an event that stay. */
static void users_collect(struct trace_probe_event *event, struct list_head *probes)
{
	struct trace_probe *probe;

	list_for_each_entry(probe, &event->probes, sibling) {
		if (!probe->left)
			list_add_tail(&probe->set, probes);
	}
}

static int users_arm(struct trace_probe_event *event)
{
	LIST_HEAD(probes);

	users_collect(event, &probes);
	return event->kind->arm(&probes);
}

static void users_disarm(struct trace_probe_event *event)
{
	LIST_HEAD(probes);

	users_collect(event, &probes);
	event->kind->disarm(&probes);
}

/* There is a new user beside others. */
static int users_widen(struct trace_probe_event *event)
{
	LIST_HEAD(probes);

	if (!event->kind->widen)
		return 0;
	users_collect(event, &probes);
	return event->kind->widen(&probes);
}

/*
 * Add a user: an instance by its file, or perf if @file is NULL. A hit finds the users from the
 * moment on when the first probe is armed.
 */
static int users_add(struct trace_probe_event *event, struct trace_event_file *file)
{
	struct trace_probe_users *old = users_of(event), *users;
	unsigned int nr = old ? old->nr : 0;
	int ret;

	users = users_copy(old, nr + !!file, GFP_KERNEL);
	if (!users)
		return -ENOMEM;
	if (file)
		users->file[nr] = file;
	else
		users->perf = true;
	trace_probe_users_settle(users, event->fields);
	rcu_assign_pointer(event->users, users);
	ret = old ? users_widen(event) : users_arm(event);
	if (ret) {
		/* Some of the probes may have been armed for a while. */
		rcu_assign_pointer(event->users, old);
		old = users;
	}
	if (old)
		kfree_rcu(old, rcu);
	return ret;
}

/* Take a user away, which cannot fail. Hits may find it for a grace period. */
static void users_del(struct trace_probe_event *event, struct trace_event_file *file)
{
	struct trace_probe_users *old = users_of(event), *users = NULL;
	unsigned int kept = 0;

	if (WARN_ON_ONCE(!old))
		return;
	if (old->nr + old->perf > 1) {
		users = users_copy(old, old->nr - !!file, GFP_KERNEL | __GFP_NOFAIL);
		for (unsigned int i = 0; i < old->nr; i++) {
			if (old->file[i] != file && !WARN_ON_ONCE(kept == users->nr))
				users->file[kept++] = old->file[i];
		}
		if (!file)
			users->perf = false;
		trace_probe_users_settle(users, event->fields);
	} else {
		users_disarm(event);
	}
	rcu_assign_pointer(event->users, users);
	kfree_rcu(old, rcu);
}

#ifdef CONFIG_PERF_EVENTS
/* Undo users_open(). Any task that may sleep; mmap_lock may be held. */
static void users_close(struct trace_probe_event *event, struct perf_event *perf)
{
	if (!event->kind->widen)
		return;
	guard(write_lock)(&event->scope_lock);
	if (perf->hw.target)
		list_del(&perf->hw.tp_list);
	else
		event->everywhere--;
}

/* A perf event, of a task or of a CPU, wants records of @event. */
static int users_open(struct trace_probe_event *event, struct perf_event *perf)
{
	int ret;

	if (!event->kind->widen)
		return 0;
	scoped_guard(write_lock, &event->scope_lock) {
		if (perf->hw.target)
			list_add(&perf->hw.tp_list, &event->targets);
		else
			event->everywhere++;
	}
	ret = users_widen(event);
	if (ret)
		users_close(event, perf);
	return ret;
}
#endif

/**
 * trace_probe_reg - the reg() of events of probes
 * @call: the event
 * @type: what to do
 * @data: TRACE_REG_(UN)REGISTER: the event of an instance; TRACE_REG_PERF_OPEN and _CLOSE: the
 *	perf event
 *
 * Context: task, may sleep; the events mutex is held, but for TRACE_REG_PERF_CLOSE.
 * Return: 0, -ENOMEM, or what the kind's arm() or reg() says.
 */
int trace_probe_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_probe_event *event = container_of(call, struct trace_probe_event, call);

	if (event->kind->reg)
		return event->kind->reg(event, type, data);
	switch (type) {
	case TRACE_REG_REGISTER:
		return users_add(event, data);
	case TRACE_REG_UNREGISTER:
		users_del(event, data);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return users_add(event, NULL);
	case TRACE_REG_PERF_UNREGISTER:
		users_del(event, NULL);
		return 0;
	case TRACE_REG_PERF_OPEN:
		return users_open(event, data);
	case TRACE_REG_PERF_CLOSE:
		users_close(event, data);
		return 0;
	default:
		return 0;
#endif
	}
	return 0;
}
