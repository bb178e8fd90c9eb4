/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: probe events. A line of text, "HEAD[:[GROUP/][EVENT]] PLACE [ARGUMENT]...",
 * puts a probe somewhere, and names an event that each hit of the probe records.
 *
 * A front end (kprobe.c is one) knows the head, which is a letter and perhaps a number, and the
 * place, and has a carrier that hits. struct trace_probe is a part of its own struct. The core
 * has all the rest: the event, its number, fields and format, the lists, the files of instances,
 * perf, BPF programs, and the counts. fetch.h has the arguments, error.h the texts of errors.
 *
 * A front end makes a probe of a line without a lock:
 *
 *	if (*text != 'p' || !trace_probe_line_read(&line, text, &my_kind))
 *		return -ECANCELED;
 *	read what is at line.head and line.place; trace_probe_error(&line.log, ...) refuses it
 *	ret = trace_probe_line_name(&line, "p_%s_%ld", symbol, offset);
 *	ret = ret ?: trace_probe_init(probe, &my_kind, TRACE_PROBE_AT);
 *	probe->head = kstrdup("p"), probe->place = the place for the list
 *	ret = ret ?: trace_probe_parse_args(probe, &line, &ctx);
 *	ret = ret ?: trace_probe_add(probe, &line);
 *	if (ret)
 *		trace_probe_free(probe), which calls my_kind.free()
 *
 * and calls trace_probe_hit() of hit.h at each hit. Several probes of one kind and shape may have
 * one event; then all have the same fields. The event keeps the description of its fields until
 * its last probe has gone.
 *
 * An event that is on has a struct trace_probe_users, which does not change: another one takes
 * its place. So a hit sees all users, or all users of a moment ago.
 */
#ifndef _TRACE_PROBES_PROBE_H
#define _TRACE_PROBES_PROBE_H

#include <linux/rcupdate.h>
#include <linux/trace_events.h>

#include "events/dyn/dyn.h"
#include "probes/counts.h"
#include "probes/error.h"
#include "probes/fetch.h"
#include "probes/line.h"

struct trace_probe_users;

/* The addresses of a record, which stand before the arguments. */
enum trace_probe_shape {
	TRACE_PROBE_NOWHERE,	/* none: another event was hit */
	TRACE_PROBE_AT,		/* __probe_ip */
	TRACE_PROBE_RETURN,	/* __probe_func, __probe_ret_ip */
};

/**
 * struct trace_probe_event - an event of one or more probes
 * @call:	the event
 * @class:	of this event alone
 * @description: of its fields, for the class
 * @kind:	of all of its probes
 * @shape:	of all of its probes
 * @fields:	the arguments of its first probe, which may have gone
 * @probes:	its probes, by their @sibling; events mutex
 * @users:	NULL: it is off; events mutex, RCU
 * @scope_lock:	of the members below, which are for kinds that widen
 * @everywhere:	perf events that are of no single task
 * @targets:	perf events of single tasks, by their hw.tp_list
 * @names:	of group and event
 *
 * Members without a lock are constant.
 */
struct trace_probe_event {
	struct trace_event_call			call;
	struct trace_event_class		class;
	struct trace_event_fields		description[2];
	const struct trace_probe_kind		*kind;
	enum trace_probe_shape			shape;
	struct trace_fetch			*fields;
	struct list_head			probes;
	struct trace_probe_users __rcu		*users;
	rwlock_t				scope_lock;
	unsigned int				everywhere;
	struct list_head			targets;
	char					names[];
};

/**
 * struct trace_probe - a probe, part of what its front end has
 * @dyn:	of the list of dynamic events
 * @event:	its event, from trace_probe_add() on
 * @sibling:	of the event's probes; events mutex
 * @set:	of a set that the core gives to the front end; events mutex, unless it has @left
 * @left:	it goes, and is not armed any more; events mutex
 * @kind:	its kind
 * @shape:	its shape
 * @head:	the head of its line, for kfree_const(); the front end sets it
 * @place:	the place in its line, for kfree(); the front end sets it
 * @filter:	the text behind "if", for kfree(); NULL: there is none; the front end sets it
 * @args:	its arguments
 * @counts:	its hits and misses
 * @uses:	by fprobes, of use.h; use_lock
 * @past:	the counts of those that have ended; use_lock
 *
 * Members without a lock are constant.
 */
struct trace_probe {
	struct trace_dyn_event			dyn;
	struct trace_probe_event		*event;
	struct list_head			sibling;
	struct list_head			set;
	bool					left;
	const struct trace_probe_kind		*kind;
	enum trace_probe_shape			shape;
	const char				*head;
	char					*place;
	char					*filter;
	struct trace_fetch			*args;
	struct trace_probe_counts __percpu	*counts;
	struct list_head			uses;
	struct trace_probe_counts		past;
};

/* The probes of a set. */
#define for_each_trace_probe(probe, probes)	list_for_each_entry(probe, probes, set)

/**
 * struct trace_probe_kind - a kind of probes
 * @dyn:	what the list of dynamic events knows of it. The front end sets @dyn.create, and
 *		trace_probe_kind_init() the rest
 * @group:	of events whose lines name none
 * @log:	the name of the kind in the error log
 * @flags:	TRACE_EVENT_FL_* of its events. Programs of BPF run for kprobes and uprobes
 * @counts_entries: of functions whose returns are probed, by the law of counts.h
 * @reg:	the reg() of its events. NULL: the first user arms all probes of an event, and the
 *		last one disarms them
 * @join:	put a new probe into its place, where it does not hit yet. A place that comes
 *		later, as with its module, is no error. Errors are logged. NULL: nothing to do
 * @arm:	let the probes of a set hit, all of them or none
 * @disarm:	let the probes of a set hit no more. They may do for a grace period
 * @leave:	undo @join for a set, whose probes may hit until @settle has returned. NULL: nothing
 *		to do
 * @settle:	return when none of a set hits any more. They have @left, and no lock is held.
 *		NULL: that is after a grace period of the tracepoints
 * @widen:	let the probes of a set hit where a new user of their event wants it, too. NULL:
 *		they hit everywhere
 * @free:	free the front end's struct, which nobody has any more
 * @missed:	add the misses that the carrier counts. NULL: it counts none
 * @print_at:	print the addresses of a record, or what stands in their place. NULL: symbols
 *
 * Context: task, may sleep. The events mutex is held in @join, @arm, @disarm, @leave, @widen and
 * @missed. @print_at: any that prints.
 */
struct trace_probe_kind {
	struct trace_dyn_kind	dyn;
	const char		*group;
	const char		*log;
	unsigned int		flags;
	bool			counts_entries;
	int			(*reg)(struct trace_probe_event *event, enum trace_reg type,
				       void *data);
	int			(*join)(struct trace_probe *probe, struct trace_probe_line *line);
	int			(*arm)(struct list_head *probes);
	void			(*disarm)(struct list_head *probes);
	void			(*leave)(struct list_head *probes);
	void			(*settle)(struct list_head *probes);
	int			(*widen)(struct list_head *probes);
	void			(*free)(struct trace_probe *probe);
	void			(*missed)(const struct trace_probe *probe,
					  struct trace_probe_counts *counts);
	void			(*print_at)(struct trace_iterator *iter,
					    const struct trace_probe_event *event,
					    const unsigned long *at);
};

/* probe.c; no lock. trace_probe_add() takes trace_instances_lock() and the events mutex. */
void trace_probe_kind_init(struct trace_probe_kind *kind);
void trace_probe_kind_register(struct trace_probe_kind *kind);
int trace_probe_init(struct trace_probe *probe, const struct trace_probe_kind *kind,
		     enum trace_probe_shape shape);
int trace_probe_parse_args(struct trace_probe *probe, struct trace_probe_line *line,
			   struct trace_fetch_context *ctx);
int trace_probe_add(struct trace_probe *probe, struct trace_probe_line *line);
void trace_probe_free(struct trace_probe *probe);

/* Add and remove a probe whose event is on no list: perf has such events. */
int trace_probe_add_alone(struct trace_probe *probe, struct trace_probe_line *line);
void trace_probe_remove_alone(struct trace_event_call *call);

/* The events mutex is held. */
int trace_probe_arm(struct trace_probe *probe);
int trace_probes_start(struct list_head *probes, int (*start)(struct trace_probe *probe),
		       void (*stop)(struct trace_probe *probe));
void trace_probes_stop(struct list_head *probes, void (*stop)(struct trace_probe *probe));

#endif /* _TRACE_PROBES_PROBE_H */
