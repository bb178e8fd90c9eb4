// SPDX-License-Identifier: GPL-2.0
/*
 * Event probes: the lines "e[:[GROUP/][EVENT]] SYSTEM.EVENT [ARGUMENT]... [if FILTER]", which
 * probe other events: their fields are what a probe can fetch.
 *
 * In each instance that has the event of the probe on, there is a trigger on the probed event,
 * which puts its records before the probe, whether they are recorded or not.
 *
 * The probed event may be of any kind, another event probe too. It is there before the probe and
 * stays as long as the probe does: a dynamic event cannot be removed, a module not be unloaded.
 * An event has no more than one event probe. So nothing can probe itself, not by others either.
 * A hit of a probe is made inside of the hit below it, so not too many stand on each other.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/filter/filter.h"
#include "events/trigger.h"
#include "events/user.h"
#include "instance/instance.h"
#include "lib/wait.h"
#include "output/output.h"
#include "probes/hit.h"
#include "probes/internal.h"
#include "probes/probes.h"

/**
 * struct eprobe - a probe of an event
 * @probe:	the probe, whose place is "SYSTEM.EVENT"
 * @source:	the probed event, which the probe keeps; constant
 * @depth:	how many event probes stand on each other up to this one; constant
 * @uses:	for each instance that has the event of the probe on, and perf; events mutex
 * @has_hit:	it may have a hit that goes on; events mutex
 * @missed_before: misses of earlier ones; events mutex
 */
struct eprobe {
	struct trace_probe	probe;
	struct trace_event_call	*source;
	unsigned int		depth;
	struct list_head	uses;
	bool			has_hit;
	unsigned long		missed_before;
};

/**
 * struct eprobe_use - the event of a probe is on in an instance, or perf has it
 * @list:	of the probe's; events mutex
 * @eprobe:	the probe; constant
 * @user:	has the probed event in place
 * @trigger:	is shown the records of the probed event
 * @filter:	lets some pass; NULL: all pass; constant
 * @rcu:	frees it
 * @users:	the event of the instance alone, or perf alone
 */
struct eprobe_use {
	struct list_head		list;
	struct eprobe			*eprobe;
	struct trace_event_user		user;
	struct trace_event_trigger	trigger;
	struct event_filter		*filter;
	struct rcu_head			rcu;
	struct trace_probe_users	users;
};

static struct trace_probe_kind eprobe_kind;

static struct eprobe *eprobe_of(const struct trace_probe *probe)
{
	return container_of((struct trace_probe *)probe, struct eprobe, probe);
}

/* An event has one event probe. */
static struct eprobe *eprobe_of_event(const struct trace_probe_event *event)
{
	return eprobe_of(list_first_entry(&event->probes, struct trace_probe, sibling));
}

/* Preemption is off. */
static bool eprobe_hit(struct trace_event_trigger *trigger, struct trace_event_hit *from)
{
	struct eprobe_use *use = container_of(trigger, struct eprobe_use, trigger);

	if (!use->filter || filter_match_preds(use->filter, (void *)from->record))
		trace_probe_hit_record(&use->eprobe->probe, &use->users, from->regs, from->record);
	return false;
}

/*
 * A hit whose record is a draft, as only probes want it (events/draft.h): the probed event is
 * never reserved in the buffer. A probe that may raise an event is kept from recursing, as
 * eprobe_hit() is by its caller. Preemption is off.
 */
static void eprobe_count(struct trace_event_trigger *trigger, struct trace_event_hit *from)
{
	struct eprobe_use *use = container_of(trigger, struct eprobe_use, trigger);
	struct trace_probe *probe = &use->eprobe->probe;
	struct trace_event_trigger_call *call;

	if (likely(trace_probe_hit_record_copies(probe, &use->users, from->record)))
		return;
	call = trace_event_trigger_enter(trigger);
	if (!call)
		return;
	trace_probe_hit_record(probe, &use->users, NULL, from->record);
	trace_event_trigger_leave(call);
}

/*
 * Does a draft have all that the probe wants? Arguments are of the event's own fields, which a
 * draft has. A filter may ask for the header. Registers come with the events of other probes.
 */
static bool eprobe_fits_draft(const struct eprobe *eprobe)
{
	return !eprobe->probe.filter && !trace_probe_event_of(eprobe->source);
}

static void eprobe_use_free(struct eprobe_use *use)
{
	if (use->filter)
		trace_filter_free(use->filter);
	kfree(use);
}

static void eprobe_use_free_rcu(struct rcu_head *head)
{
	eprobe_use_free(container_of(head, struct eprobe_use, rcu));
}

/* A tracepoint holds this SRCU where RCU may not be watching, and RCU elsewhere. */
static void eprobe_use_free_srcu(struct rcu_head *head)
{
	call_rcu(head, eprobe_use_free_rcu);
}

/* @file: the event of the instance; NULL: for perf. */
static struct eprobe_use *eprobe_use_make(struct eprobe *eprobe, struct trace_event_file *file)
{
	struct eprobe_use *use = kzalloc(struct_size(use, users.file, 1), GFP_KERNEL);
	struct trace_filter_error error;

	if (!use)
		return ERR_PTR(-ENOMEM);
	if (eprobe->probe.filter) {
		/* The text was a filter of this event when the probe was made. */
		use->filter = trace_filter_compile(eprobe->source, eprobe->probe.filter, &error);
		if (IS_ERR(use->filter)) {
			int ret = PTR_ERR(use->filter);

			kfree(use);
			return ERR_PTR(ret);
		}
	}
	use->eprobe = eprobe;
	use->user.use = TRACE_EVENT_USER_SOFT;
	use->trigger.hit = eprobe_hit;
	if (eprobe_fits_draft(eprobe))
		use->trigger.count = eprobe_count;
	use->trigger.needs_record = true;
	use->users.perf = !file;
	use->users.nr = !!file;
	if (file)
		use->users.file[0] = file;
	trace_probe_users_settle(&use->users, eprobe->probe.args);
	return use;
}

/*
 * Let a probe hit for an instance, or for perf: then it is shown the records of the top instance.
 * trace_instances_lock() and the events mutex are held.
 */
static int eprobe_start(struct eprobe *eprobe, struct trace_event_file *file)
{
	struct trace_array *tr = file ? file->tr : trace_top_instance();
	struct trace_event_file *source = tr ? trace_event_file_of(tr, eprobe->source) : NULL;
	struct eprobe_use *use;
	int ret;

	/* There was no memory for it when the instance was made. */
	if (!source)
		return -ENOENT;
	use = eprobe_use_make(eprobe, file);
	if (IS_ERR(use))
		return PTR_ERR(use);
	ret = trace_event_user_join(&use->user, source);
	if (!ret) {
		ret = trace_event_trigger_add(&use->trigger, source);
		if (ret)
			trace_event_user_leave(&use->user);
	}
	if (ret) {
		eprobe_use_free(use);
		return ret;
	}
	list_add(&use->list, &eprobe->uses);
	eprobe->has_hit = true;
	return 0;
}

/* Undo eprobe_start(). A hit may go on for a grace period of tracepoints. */
static void eprobe_stop(struct eprobe *eprobe, const struct trace_event_file *file)
{
	struct eprobe_use *use;

	list_for_each_entry(use, &eprobe->uses, list) {
		if (file ? use->users.nr && use->users.file[0] == file : use->users.perf)
			break;
	}
	if (WARN_ON_ONCE(list_entry_is_head(use, &eprobe->uses, list)))
		return;
	list_del(&use->list);
	trace_event_trigger_del(&use->trigger, use->user.file);
	trace_event_user_leave(&use->user);
	eprobe->missed_before += atomic_long_read(&use->trigger.missed);
	call_srcu(&tracepoint_srcu, &use->rcu, eprobe_use_free_srcu);
}

static int eprobe_reg(struct trace_probe_event *event, enum trace_reg type, void *data)
{
	switch (type) {
	case TRACE_REG_REGISTER:
		return eprobe_start(eprobe_of_event(event), data);
	case TRACE_REG_UNREGISTER:
		eprobe_stop(eprobe_of_event(event), data);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return eprobe_start(eprobe_of_event(event), NULL);
	case TRACE_REG_PERF_UNREGISTER:
		eprobe_stop(eprobe_of_event(event), NULL);
		return 0;
#endif
	default:
		return 0;
	}
}

static int eprobe_join(struct trace_probe *probe, struct trace_probe_line *line)
{
	if (list_is_singular(&probe->event->probes))
		return 0;
	return trace_probe_error(&line->log, line->log.line, PROBE_EVENT_EXIST);
}

/* No use is left that could begin a hit. */
static void eprobe_settle(struct list_head *probes)
{
	struct trace_probe *probe;
	bool some = false;

	for_each_trace_probe(probe, probes)
		some |= eprobe_of(probe)->has_hit;
	if (some)
		trace_wait_probes();
}

static void eprobe_free(struct trace_probe *probe)
{
	kfree(eprobe_of(probe));
}

static void eprobe_missed(const struct trace_probe *probe, struct trace_probe_counts *counts)
{
	const struct eprobe *eprobe = eprobe_of(probe);
	const struct eprobe_use *use;

	counts->missed[TRACE_PROBE_MISS_NESTED] += eprobe->missed_before;
	list_for_each_entry(use, &eprobe->uses, list)
		counts->missed[TRACE_PROBE_MISS_NESTED] += atomic_long_read(&use->trigger.missed);
}

/* The event that a probe of the list of dynamic events keeps. */
static struct trace_event_call *eprobe_keeps(const struct trace_dyn_event *dyn)
{
	return eprobe_of(trace_probe_of(dyn))->source;
}

/* The event has its probe until nobody prints its records any more. */
static void eprobe_print_at(struct trace_iterator *iter, const struct trace_probe_event *event,
			    const unsigned long *at)
{
	trace_seq_printf(&iter->seq, "(%s)", eprobe_of_event(event)->probe.place);
}

/* How many event probes stand on each other up to one on this event? The events mutex is held. */
static unsigned int eprobe_depth(struct trace_event_call *source)
{
	const struct trace_probe_event *event = trace_probe_event_of(source);

	return event && event->kind == &eprobe_kind ? eprobe_of_event(event)->depth + 1 : 1;
}

/* Find and keep the event at "SYSTEM.EVENT" or "SYSTEM/EVENT". */
static int eprobe_find(struct eprobe *eprobe, struct trace_probe_line *line)
{
	const char *dot = memchr(line->place, '/', line->place_len) ?:
			  memchr(line->place, '.', line->place_len);
	const char *end = line->place + line->place_len;
	struct trace_event_call *call;
	char *place;

	if (!dot || dot == line->place || dot + 1 == end)
		return trace_probe_error(&line->log, line->place, PROBE_NO_EVENT_INFO);
	place = kmemdup_nul(line->place, line->place_len, GFP_KERNEL);
	if (!place)
		return -ENOMEM;
	eprobe->probe.place = place;
	place[dot - line->place] = '\0';
	scoped_guard(trace_events) {
		call = trace_event_call_find(place, place + (dot - line->place) + 1);
		if (call && trace_event_usable(call) && !trace_event_call_keep(call)) {
			eprobe->source = call;
			eprobe->depth = eprobe_depth(call);
		}
	}
	place[dot - line->place] = '.';
	if (!eprobe->source)
		return trace_probe_error(&line->log, line->place, PROBE_BAD_ATTACH_EVENT);
	if (eprobe->depth > TRACE_EPROBE_DEPTH_MAX)
		return trace_probe_error(&line->log, line->place, PROBE_EP_TOO_DEEP);
	return 0;
}

/* Find the word "if"; NULL: there is none. */
static const char *eprobe_find_if(struct trace_probe_line *line)
{
	const char *p = line->args;
	size_t len;

	for (; *p; p = skip_spaces(p + len)) {
		len = strcspn(p, " \t\n");
		if (len == strlen("if") && !strncmp(p, "if", len))
			return p;
	}
	return NULL;
}

/* Read the filter behind "if", and let the arguments end there. */
static int eprobe_read_filter(struct eprobe *eprobe, struct trace_probe_line *line)
{
	const char *word = eprobe_find_if(line), *text;
	struct trace_filter_error error;
	struct event_filter *filter;

	if (!word)
		return 0;
	text = skip_spaces(word + strlen("if"));
	line->end = word;
	if (!*text)
		return trace_probe_error(&line->log, isspace(text[-1]) ? text : text + 1,
					 PROBE_NO_EP_FILTER);
	eprobe->probe.filter = kstrdup(text, GFP_KERNEL);
	if (!eprobe->probe.filter)
		return -ENOMEM;
	strim(eprobe->probe.filter);
	filter = trace_filter_compile(eprobe->source, eprobe->probe.filter, &error);
	if (IS_ERR(filter)) {
		if (PTR_ERR(filter) != -ENOMEM)
			trace_filter_error_log(trace_top_instance(), eprobe->probe.filter, &error);
		return PTR_ERR(filter);
	}
	trace_filter_free(filter);
	return 0;
}

static int eprobe_add(struct eprobe *eprobe, struct trace_probe_line *line)
{
	struct trace_fetch_context ctx = { .at = TRACE_FETCH_EVENT };
	int ret;

	ret = trace_probe_init(&eprobe->probe, &eprobe_kind, TRACE_PROBE_NOWHERE);
	if (ret)
		return ret;
	eprobe->probe.head = kstrdup_const("e", GFP_KERNEL);
	if (!eprobe->probe.head)
		return -ENOMEM;
	if (line->head_len > 1)
		return trace_probe_error(&line->log, line->head + 1, PROBE_BAD_MAXACT_TYPE);
	ret = trace_probe_line_name(line, "%s", "");
	ret = ret ?: eprobe_find(eprobe, line);
	if (ret)
		return ret;
	if (!*line->event)
		strscpy(line->event, trace_event_name(eprobe->source));
	ctx.event = eprobe->source;
	ret = eprobe_read_filter(eprobe, line);
	ret = ret ?: trace_probe_parse_args(&eprobe->probe, line, &ctx);
	return ret ?: trace_probe_add(&eprobe->probe, line);
}

static int eprobe_create(const char *text)
{
	struct trace_probe_line *line __free(kfree) = NULL;
	struct eprobe *eprobe;
	int ret;

	if (*text != 'e')
		return -ECANCELED;
	line = kmalloc(sizeof(*line), GFP_KERNEL);
	eprobe = kzalloc(sizeof(*eprobe), GFP_KERNEL);
	if (!line || !eprobe || !trace_probe_line_read(line, text, &eprobe_kind)) {
		kfree(eprobe);
		return line && eprobe ? -ECANCELED : -ENOMEM;
	}
	INIT_LIST_HEAD(&eprobe->uses);
	ret = eprobe_add(eprobe, line);
	if (!ret)
		return 0;
	if (eprobe->source) {
		guard(trace_events)();
		trace_event_call_unkeep(eprobe->source);
	}
	trace_probe_free(&eprobe->probe);
	return ret;
}

/* "SYSTEM/EVENT" is another way to write the place. */
static bool eprobe_has_args(const struct trace_dyn_event *dyn, const char *args)
{
	char *text __free(kfree) = kstrdup(args, GFP_KERNEL);
	size_t len = strcspn(args, " \t/");

	if (!text)
		return false;
	if (text[len] == '/')
		text[len] = '.';
	return trace_probe_has_args(dyn, text);
}

static struct trace_probe_kind eprobe_kind = {
	.dyn		= {
		.create		= eprobe_create,
		.has_args	= eprobe_has_args,
		.keeps		= eprobe_keeps,
	},
	.group		= "eprobes",
	.log		= "event_probe",
	.flags		= TRACE_EVENT_FL_EPROBE,
	.reg		= eprobe_reg,
	.join		= eprobe_join,
	.settle		= eprobe_settle,
	.free		= eprobe_free,
	.missed		= eprobe_missed,
	.print_at	= eprobe_print_at,
};

struct trace_component trace_eprobes_component __ro_after_init = {
	.name		= "event probes",
	.readme		=
		"\t           e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]\n"
		"\t           event probes on events of any kind, which stay as long as they are probed\n",
};

/**
 * trace_eprobes_init - have event probes
 *
 * Context: boot, before there are files.
 */
void __init trace_eprobes_init(void)
{
	trace_probe_kind_register(&eprobe_kind);
}
