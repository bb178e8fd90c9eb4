// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoint probes: the lines "t[:[GROUP/][EVENT]] TRACEPOINT", which probe tracepoints, whether
 * they have an event or not.
 *
 * The tracepoint calls the probe while the event is on (tprobe.h), which takes what is passed as
 * words. A tracepoint of a module need not be there: then the probe waits for a module
 * that has one of this name, and waits again when that module goes. It does not keep the module.
 *
 *	tp == NULL	the probe waits for a module
 *	tp, !hits	the tracepoint is there, and the event is off
 *	tp, hits	the tracepoint calls the probe
 *
 * These change under the events mutex. A module that comes or goes holds the list of tracepoints
 * of modules locked, and takes the events mutex inside of that. So the list is not walked under
 * the events mutex: a new probe is put on our list first, as one that waits, and then the
 * tracepoints of modules are offered to it.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/calls.h"
#include "probes/probes.h"
#include "probes/tprobe.h"

static LIST_HEAD(tprobes);	/* events mutex; by @list */

static struct trace_probe_kind tprobe_kind;

static struct tprobe *tprobe_of(const struct trace_probe *probe)
{
	return container_of((struct trace_probe *)probe, struct tprobe, probe);
}

/* Let a probe hit, if its tracepoint is there. */
static int tprobe_start(struct trace_probe *probe)
{
	struct tprobe *tprobe = tprobe_of(probe);
	int ret;

	if (tprobe->hits || !tprobe->tp)
		return 0;
	tprobe->at = (unsigned long)tprobe->tp->probestub;
	/* Where it fails, the probe may have been in its place for a moment. */
	tprobe->has_hit = true;
	ret = trace_tprobe_register(tprobe);
	tprobe->hits = !ret;
	return ret;
}

/* Let a probe hit no more. It may do for a grace period of the tracepoints. */
static void tprobe_stop(struct trace_probe *probe)
{
	struct tprobe *tprobe = tprobe_of(probe);

	if (!tprobe->hits)
		return;
	trace_tprobe_unregister(tprobe);
	tprobe->hits = false;
}

static int tprobe_arm(struct list_head *probes)
{
	return trace_probes_start(probes, tprobe_start, tprobe_stop);
}

static void tprobe_disarm(struct list_head *probes)
{
	trace_probes_stop(probes, tprobe_stop);
}

static int tprobe_join(struct trace_probe *probe, struct trace_probe_line *line)
{
	int ret = security_locked_down(LOCKDOWN_KPROBES);

	if (ret) {
		trace_probe_error(&line->log, line->place, PROBE_FAIL_REG_PROBE);
		return ret;
	}
	list_add(&tprobe_of(probe)->list, &tprobes);
	return 0;
}

static void tprobe_leave(struct list_head *probes)
{
	struct trace_probe *probe;

	for_each_trace_probe(probe, probes)
		list_del(&tprobe_of(probe)->list);
	tprobe_disarm(probes);
}

static void tprobe_settle(struct list_head *probes)
{
	struct trace_probe *probe;
	bool some = false;

	for_each_trace_probe(probe, probes)
		some |= tprobe_of(probe)->has_hit;
	if (some)
		trace_tprobe_synchronize();
}

static void tprobe_free(struct trace_probe *probe)
{
	kfree(tprobe_of(probe));
}

/* A tracepoint has come: it is that of the probes that wait for one of its name. */
static void tprobe_came(struct tracepoint *tp)
{
	struct tprobe *tprobe;
	int ret;

	list_for_each_entry(tprobe, &tprobes, list) {
		if (tprobe->tp || strcmp(tprobe->probe.place, tp->name))
			continue;
		tprobe->tp = tp;
		ret = trace_probe_arm(&tprobe->probe);
		if (ret)
			pr_warn("trace probes: cannot probe tracepoint %s: %d\n", tp->name, ret);
	}
}

/* A search among the tracepoints. */
struct tprobe_search {
	char			*name;		/* for kfree() */
	struct tracepoint	*tp;
	char			*module;	/* for kfree() */
	bool			no_memory;
};

static void tprobe_search_kernel(struct tracepoint *tp, void *data)
{
	struct tprobe_search *search = data;

	if (!search->tp && !strcmp(tp->name, search->name))
		search->tp = tp;
}

#ifdef CONFIG_MODULES
/* Note the name of the module, as the module may go. */
static void tprobe_search_module(struct tracepoint *tp, struct module *mod, void *data)
{
	struct tprobe_search *search = data;

	if (search->module || strcmp(tp->name, search->name))
		return;
	search->module = kstrdup(mod->name, GFP_KERNEL);
	search->no_memory = !search->module;
}

/* Offer a tracepoint to the probes of this name; the list of those of modules is locked. */
static void tprobe_offer(struct tracepoint *tp, struct module *mod, void *name)
{
	if (strcmp(tp->name, name))
		return;
	guard(trace_events)();
	tprobe_came(tp);
}

/* The events mutex is held. */
static void tprobe_module_came(struct tracepoint *tp, struct module *mod, void *data)
{
	tprobe_came(tp);
}

static void tprobe_module_goes(struct tracepoint *tp, struct module *mod, void *data)
{
	struct tprobe *tprobe;

	list_for_each_entry(tprobe, &tprobes, list) {
		if (tprobe->tp != tp)
			continue;
		tprobe_stop(&tprobe->probe);
		tprobe->tp = NULL;
	}
}

static int tprobe_modules_changed(struct notifier_block *nb, unsigned long what, void *data)
{
	struct tp_module *tp_mod = data;

	guard(trace_events)();
	if (list_empty(&tprobes))
		return NOTIFY_DONE;
	if (what == MODULE_STATE_COMING)
		for_each_tracepoint_in_module(tp_mod->mod, tprobe_module_came, NULL);
	else if (what == MODULE_STATE_GOING)
		for_each_tracepoint_in_module(tp_mod->mod, tprobe_module_goes, NULL);
	return NOTIFY_OK;
}

static struct notifier_block tprobe_modules = {
	.notifier_call = tprobe_modules_changed,
};

static void tprobe_search_modules(struct tprobe_search *search)
{
	for_each_module_tracepoint(tprobe_search_module, search);
}

static void tprobe_offer_modules(char *name)
{
	for_each_module_tracepoint(tprobe_offer, name);
}
#else
static void tprobe_search_modules(struct tprobe_search *search)
{
}

static void tprobe_offer_modules(char *name)
{
}
#endif

/* Read the name of the tracepoint, which becomes the place of the probe. */
static int tprobe_read_place(struct tprobe *tprobe, struct trace_probe_line *line)
{
	const char *end = line->place + line->place_len, *p = line->place;
	const char *percent = memchr(p, '%', line->place_len), *retval;

	if (percent)
		return trace_probe_error(&line->log, percent, PROBE_BAD_ADDR_SUFFIX);
	while (p < end && (isalnum(*p) || *p == '_'))
		p++;
	if (p < end)
		return trace_probe_error(&line->log, p, PROBE_BAD_TP_NAME);
	retval = trace_probe_line_has(line, "$retval");
	if (retval)
		return trace_probe_error(&line->log, retval, PROBE_RETVAL_ON_PROBE);
	tprobe->probe.head = kstrdup_const("t", GFP_KERNEL);
	tprobe->probe.place = kmemdup_nul(line->place, line->place_len, GFP_KERNEL);
	return tprobe->probe.head && tprobe->probe.place ? 0 : -ENOMEM;
}

/* @search tells which module has the tracepoint, for BTF. */
static int tprobe_parse_args(struct tprobe *tprobe, struct trace_probe_line *line,
			     const struct tprobe_search *search)
{
	struct trace_fetch_context ctx = {
		.at	= TRACE_FETCH_TRACEPOINT,
		.module	= search->module,
	};
	char *function __free(kfree) = kasprintf(GFP_KERNEL, "__probestub_%s", search->name);

	if (!function)
		return -ENOMEM;
	ctx.function = function;
	return trace_probe_parse_args(&tprobe->probe, line, &ctx);
}

/* Find the tracepoint, or who has it. */
static int tprobe_look(struct tprobe_search *search, struct trace_probe_line *line)
{
	for_each_kernel_tracepoint(tprobe_search_kernel, search);
	if (!search->tp)
		tprobe_search_modules(search);
	if (search->no_memory)
		return -ENOMEM;
	if (!search->tp && !IS_ENABLED(CONFIG_MODULES))
		return trace_probe_error(&line->log, line->place, PROBE_NO_TRACEPOINT);
	return 0;
}

static int tprobe_add(struct tprobe *tprobe, struct trace_probe_line *line,
		      struct tprobe_search *search)
{
	int ret = trace_probe_init(&tprobe->probe, &tprobe_kind, TRACE_PROBE_AT);

	/* The probe may go as soon as others can see it, and its place with it. */
	search->name = kmemdup_nul(line->place, line->place_len, GFP_KERNEL);
	if (!search->name)
		return -ENOMEM;
	if (!ret && line->head_len > 1)
		ret = trace_probe_error(&line->log, line->head + 1, PROBE_BAD_MAXACT_TYPE);
	ret = ret ?: tprobe_read_place(tprobe, line);
	ret = ret ?: trace_probe_line_name(line, "%s%s", isdigit(*search->name) ? "_" : "",
					   search->name);
	ret = ret ?: tprobe_look(search, line);
	ret = ret ?: tprobe_parse_args(tprobe, line, search);
	if (ret)
		return ret;
	/* A tracepoint of the kernel stays, one of a module is offered later. */
	tprobe->tp = search->tp;
	return trace_probe_add(&tprobe->probe, line);
}

static int tprobe_create(const char *text)
{
	struct trace_probe_line *line __free(kfree) = NULL;
	struct tprobe_search search = { };
	struct tprobe *tprobe;
	int ret;

	if (*text != 't')
		return -ECANCELED;
	line = kmalloc(sizeof(*line), GFP_KERNEL);
	tprobe = kzalloc(sizeof(*tprobe), GFP_KERNEL);
	if (!line || !tprobe || !trace_probe_line_read(line, text, &tprobe_kind)) {
		kfree(tprobe);
		return line && tprobe ? -ECANCELED : -ENOMEM;
	}
	ret = tprobe_add(tprobe, line, &search);
	if (ret)
		trace_probe_free(&tprobe->probe);
	else if (!search.tp)
		tprobe_offer_modules(search.name);
	kfree(search.name);
	kfree(search.module);
	return ret;
}

static struct trace_probe_kind tprobe_kind = {
	.dyn	= { .create = tprobe_create },
	.group	= "tracepoints",
	.log	= "trace_fprobe",
	.flags	= TRACE_EVENT_FL_FPROBE,
	.join	= tprobe_join,
	.arm	= tprobe_arm,
	.disarm	= tprobe_disarm,
	.leave	= tprobe_leave,
	.settle	= tprobe_settle,
	.free	= tprobe_free,
};

/**
 * trace_tprobes_init - have tracepoint probes
 *
 * Context: boot, before there are files.
 */
void __init trace_tprobes_init(void)
{
	trace_probe_kind_register(&tprobe_kind);
#ifdef CONFIG_MODULES
	register_tracepoint_module_notifier(&tprobe_modules);
#endif
}
