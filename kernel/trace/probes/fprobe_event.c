// SPDX-License-Identifier: GPL-2.0
/*
 * fprobe events: the lines "f[MAXACTIVE][:[GROUP/][EVENT]] [MODULE:]FUNCTION[%return]", which
 * probe the entries and the returns of functions. FUNCTION may be a glob.
 *
 * While the event is on, the probe has a struct fprobe of its own. When it is switched off, the
 * fprobe is unregistered without a wait, and freed after a grace period of hooks; until then its
 * handlers may hit. So switching on and off costs a change of the functions' sites each, and
 * defining an event costs nothing there.
 *
 * The functions are looked up each time the event is switched on. The functions of a module that
 * goes are lost, and not found again before the event is switched on again. A line that names the
 * module says more: its probe waits for the module, as long as there is none, and has its
 * functions whenever it comes.
 */
#include <linux/ctype.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "events/calls.h"
#include "graph/graph.h"
#include "hooks/hooks.h"
#include "probes/hit.h"
#include "probes/internal.h"
#include "probes/probes.h"

/* The most calls that may await their return. */
#define FPROBE_EVENT_ACTIVE_MAX	4096

/**
 * struct fprobe_event - a probe whose carrier is an fprobe
 * @probe:	the probe
 * @function:	the name of the function, or a glob
 * @module:	the name of the module that has it; NULL: any, and the kernel
 * @max_active:	how many calls may await their return; 0: as many as fprobes can have
 * @list:	of probes that name a module; events mutex
 * @use:	what hits; NULL: the event is off, or the module is not there; events mutex
 * @ended:	earlier ones that may hit still; fprobe_event_lock
 * @missed_before: misses that earlier ones have counted; events mutex
 *
 * Members without a lock are constant.
 */
struct fprobe_event {
	struct trace_probe	probe;
	char			*function;
	char			*module;
	unsigned int		max_active;
	struct list_head	list;
	struct fprobe_use	*use;
	struct list_head	ended;
	unsigned long		missed_before[TRACE_PROBE_MISSES];
};

/**
 * struct fprobe_use - the carrier of an event that is on
 * @fp:		the fprobe
 * @event:	the probe that it is of
 * @retired:	until no handler runs
 * @ended:	of @event->ended; empty: the event does not know it; fprobe_event_lock
 */
struct fprobe_use {
	struct fprobe		fp;
	struct fprobe_event	*event;
	struct ftrace_retired	retired;
	struct list_head	ended;
};

static DEFINE_SPINLOCK(fprobe_event_lock);
static LIST_HEAD(fprobe_event_of_modules);	/* events mutex; by @list */

static struct trace_probe_kind fprobe_event_kind;

static struct fprobe_event *fprobe_event_of(const struct trace_probe *probe)
{
	return container_of((struct trace_probe *)probe, struct fprobe_event, probe);
}

static bool fprobe_event_is_return(const struct fprobe_event *event)
{
	return event->probe.shape == TRACE_PROBE_RETURN;
}

/* The entry of a function whose entries are probed. */
static int fprobe_event_enter(struct fprobe *fp, unsigned long ip, unsigned long ret,
			      struct pt_regs *regs, void *data)
{
	struct fprobe_use *use = container_of(fp, struct fprobe_use, fp);
	const struct trace_probe_hit hit = {
		.probe	= &use->event->probe,
		.regs	= regs,
		.source	= { .regs = regs },
		.at	= { ip },
	};

	trace_probe_hit(&hit);
	return 0;
}

NOKPROBE_SYMBOL(fprobe_event_enter);

/* The entry of a function whose returns are probed: keep the arguments that the return shows. */
static int fprobe_event_keep(struct fprobe *fp, unsigned long ip, unsigned long ret,
			     struct pt_regs *regs, void *data)
{
	struct fprobe_use *use = container_of(fp, struct fprobe_use, fp);
	const struct trace_fetch_source source = { .regs = regs };

	trace_fetch_store_entry(use->event->probe.args, &source, data);
	return 0;
}

NOKPROBE_SYMBOL(fprobe_event_keep);

static void fprobe_event_return(struct fprobe *fp, unsigned long ip, unsigned long ret,
				struct pt_regs *regs, void *data)
{
	struct fprobe_use *use = container_of(fp, struct fprobe_use, fp);
	const struct trace_probe_hit hit = {
		.probe	= &use->event->probe,
		.regs	= regs,
		.source	= { .regs = regs, .entry = data },
		.at	= { ip, ret },
	};

	trace_probe_hit(&hit);
}

NOKPROBE_SYMBOL(fprobe_event_return);

static void fprobe_event_use_free(struct ftrace_retired *retired)
{
	struct fprobe_use *use = container_of(retired, struct fprobe_use, retired);

	scoped_guard(spinlock, &fprobe_event_lock)
		list_del(&use->ended);
	kfree(use);
}

static struct fprobe_use *fprobe_event_use_make(struct fprobe_event *event)
{
	const struct trace_fetch *args = event->probe.args;
	struct fprobe_use *use = kzalloc(sizeof(*use), GFP_KERNEL);

	if (!use)
		return NULL;
	use->event = event;
	use->retired.free = fprobe_event_use_free;
	INIT_LIST_HEAD(&use->ended);
	if (!fprobe_event_is_return(event)) {
		use->fp.entry_handler = fprobe_event_enter;
		return use;
	}
	use->fp.exit_handler = fprobe_event_return;
	use->fp.nr_maxactive = event->max_active;
	if (args->entry_size) {
		use->fp.entry_handler = fprobe_event_keep;
		use->fp.entry_data_size = args->entry_size;
	}
	return use;
}

/* Is the module there, or coming or going? */
static bool fprobe_event_module_exists(const char *name)
{
#ifdef CONFIG_MODULES
	/* Where preemption is off, the list of modules stays as it is. */
	guard(preempt)();
	return find_module(name);
#else
	return false;
#endif
}

/* Let a probe hit; if its module is not there, it goes on to wait for it. */
static int fprobe_event_start(struct fprobe_event *event)
{
	struct fprobe_use *use;
	int ret;

	trace_events_assert_locked();

	if (event->use)
		return 0;
	use = fprobe_event_use_make(event);
	if (!use)
		return -ENOMEM;
	ret = fprobe_register_in(&use->fp, event->function, event->module);
	if (!ret) {
		event->use = use;
		return 0;
	}
	kfree(use);
	if (event->module && !fprobe_event_module_exists(event->module))
		return 0;
	return ret;
}

/* Add what an fprobe has missed. */
static void fprobe_event_add_missed(struct fprobe *fp, unsigned long *missed)
{
	static const enum trace_probe_miss why[FPROBE_MISS_NR] = {
		[FGRAPH_MISS_NO_STACK]	= TRACE_PROBE_MISS_RETURN,
		[FGRAPH_MISS_FULL]	= TRACE_PROBE_MISS_RETURN,
		[FGRAPH_MISS_RECURSION]	= TRACE_PROBE_MISS_NESTED,
		[FGRAPH_MISS_PAUSED]	= TRACE_PROBE_MISS_RETURN,
		[FGRAPH_MISS_LEFT]	= TRACE_PROBE_MISS_RETURN,
		[FPROBE_MISS_ACTIVE]	= TRACE_PROBE_MISS_RETURN,
		[FPROBE_MISS_KPROBE]	= TRACE_PROBE_MISS_NESTED,
	};

	for (int i = 0; i < FPROBE_MISS_NR; i++)
		missed[why[i]] += fprobe_missed(fp, i);
}

/* Let a probe hit no more. Handlers that have begun end within a grace period of hooks. */
static void fprobe_event_stop(struct fprobe_event *event)
{
	struct fprobe_use *use = event->use;

	trace_events_assert_locked();

	if (!use)
		return;
	event->use = NULL;
	fprobe_event_add_missed(&use->fp, event->missed_before);
	scoped_guard(spinlock, &fprobe_event_lock)
		list_add(&use->ended, &event->ended);
	fprobe_unregister_later(&use->fp, &use->retired);
}

static int fprobe_event_arm(struct list_head *probes)
{
	struct trace_probe *probe;
	int ret;

	for_each_trace_probe(probe, probes) {
		ret = fprobe_event_start(fprobe_event_of(probe));
		if (!ret)
			continue;
		list_for_each_entry_continue_reverse(probe, probes, set)
			fprobe_event_stop(fprobe_event_of(probe));
		return ret;
	}
	return 0;
}

static void fprobe_event_disarm(struct list_head *probes)
{
	struct trace_probe *probe;

	for_each_trace_probe(probe, probes)
		fprobe_event_stop(fprobe_event_of(probe));
}

static int fprobe_event_join(struct trace_probe *probe, struct trace_probe_line *line)
{
	struct fprobe_event *event = fprobe_event_of(probe);
	int ret = security_locked_down(LOCKDOWN_KPROBES);

	if (ret) {
		trace_probe_error(&line->log, line->place, PROBE_FAIL_REG_PROBE);
		return ret;
	}
	if (event->module)
		list_add(&event->list, &fprobe_event_of_modules);
	return 0;
}

/* May handlers of the event run? Then they do not know it any more after a grace period. */
static bool fprobe_event_forget_ended(struct fprobe_event *event)
{
	struct fprobe_use *use, *next;
	bool some = false;

	guard(spinlock)(&fprobe_event_lock);
	list_for_each_entry_safe(use, next, &event->ended, ended) {
		list_del_init(&use->ended);
		some = true;
	}
	return some;
}

/* All probes wait for one grace period together, if any was on a moment ago. */
static void fprobe_event_leave(struct list_head *probes)
{
	struct trace_probe *probe;
	bool some = false;

	for_each_trace_probe(probe, probes) {
		struct fprobe_event *event = fprobe_event_of(probe);

		list_del_init(&event->list);
		fprobe_event_stop(event);
		some |= fprobe_event_forget_ended(event);
	}
	if (some)
		ftrace_hooks_synchronize();
}

static void fprobe_event_free(struct trace_probe *probe)
{
	struct fprobe_event *event = fprobe_event_of(probe);

	kfree(event->function);
	kfree(event->module);
	kfree(event);
}

static void fprobe_event_missed(const struct trace_probe *probe, struct trace_probe_counts *counts)
{
	const struct fprobe_event *event = fprobe_event_of(probe);

	for (int i = 0; i < TRACE_PROBE_MISSES; i++)
		counts->missed[i] += event->missed_before[i];
	if (event->use)
		fprobe_event_add_missed(&event->use->fp, counts->missed);
}

/* Is it one name, and no pattern? */
static bool fprobe_event_is_name(const char *text)
{
	while (isalnum(*text) || *text == '_' || *text == '.')
		text++;
	return !*text;
}

/* Take "[MODULE:]FUNCTION[%return]" apart. */
static int fprobe_event_read_place(struct fprobe_event *event, bool *is_return,
				   struct trace_probe_line *line)
{
	const char *end = line->place + line->place_len;
	const char *percent = memchr(line->place, '%', line->place_len);
	const char *colon = memchr(line->place, ':', line->place_len);
	const char *function = line->place;

	if (percent && (end - percent != strlen("%return") ||
			strncmp(percent, "%return", end - percent)))
		return trace_probe_error(&line->log, percent, PROBE_BAD_ADDR_SUFFIX);
	*is_return = percent || trace_probe_line_has(line, "$retval");
	if (percent)
		end = percent;
	if (colon && colon < end) {
		event->module = kmemdup_nul(function, colon - function, GFP_KERNEL);
		if (!event->module)
			return -ENOMEM;
		if (!*event->module || !fprobe_event_is_name(event->module))
			return trace_probe_error(&line->log, line->place, PROBE_BAD_PROBE_ADDR);
		function = colon + 1;
	}
	event->function = kmemdup_nul(function, end - function, GFP_KERNEL);
	return event->function ? 0 : -ENOMEM;
}

/*
 * Which sites have the names? Returns how many, or an errno; @module is set to the name of the
 * module of one of them, for kfree(), NULL: the kernel.
 */
static long fprobe_event_find(const struct fprobe_event *event, char **module)
{
	char *text __free(kfree) = kstrdup(event->function, GFP_KERNEL);
	char *of __free(kfree) = kstrdup(event->module, GFP_KERNEL);
	struct ftrace_hash *hash = ftrace_hash_alloc();
	const char *name = NULL;
	unsigned long i = 0, ip;
	struct dyn_ftrace *site;
	long nr;

	if (!hash || !text || (event->module && !of)) {
		ftrace_hash_free(hash);
		return -ENOMEM;
	}
	nr = ftrace_hash_apply(hash, text, of, NULL);
	scoped_guard(ftrace_lock) {
		ip = nr > 0 ? ftrace_hash_next(hash, &i) : 0;
		site = ip ? ftrace_site_find(ip) : NULL;
		if (site)
			ftrace_site_name(site, &name);
		*module = kstrdup(name, GFP_KERNEL);
	}
	ftrace_hash_free(hash);
	return name && !*module ? -ENOMEM : nr;
}

/* Do the functions exist, or may they with their module? @module: as above. */
static int fprobe_event_look(const struct fprobe_event *event, char **module,
			     struct trace_probe_line *line)
{
	long nr = 0;

	*module = NULL;
	/* A filter of functions takes these for the number of a line, and for a removal. */
	if (!isdigit(*event->function) && *event->function != '!' && *event->function)
		nr = fprobe_event_find(event, module);
	if (nr > 0)
		return 0;
	if (!nr && event->module && *event->function && IS_ENABLED(CONFIG_MODULES) &&
	    !fprobe_event_module_exists(event->module)) {
		*module = kstrdup(event->module, GFP_KERNEL);
		return *module ? 0 : -ENOMEM;
	}
	if (nr == -ENOMEM)
		return nr;
	return trace_probe_error(&line->log, line->place, PROBE_BAD_PROBE_ADDR);
}

static int fprobe_event_parse_args(struct fprobe_event *event, struct trace_probe_line *line)
{
	struct trace_fetch_context ctx = {
		.at = fprobe_event_is_return(event) ? TRACE_FETCH_FPROBE_RETURN :
						      TRACE_FETCH_FPROBE_ENTRY,
	};
	char *module __free(kfree) = NULL;
	int ret = fprobe_event_look(event, &module, line);

	if (ret)
		return ret;
	/* BTF may know the function. */
	ctx.function = fprobe_event_is_name(event->function) ? event->function : NULL;
	ctx.module = module;
	ret = trace_probe_parse_args(&event->probe, line, &ctx);
	if (!ret && event->probe.args->entry_size > FPROBE_MAX_DATA_SIZE)
		return trace_probe_error(&line->log, line->args, PROBE_EVENT_TOO_BIG);
	return ret;
}

/* The head and the place as the list shows them. */
static int fprobe_event_name(struct fprobe_event *event)
{
	struct trace_probe *probe = &event->probe;
	bool is_return = fprobe_event_is_return(event);

	if (event->max_active)
		probe->head = kasprintf(GFP_KERNEL, "f%u", event->max_active);
	else
		probe->head = kstrdup("f", GFP_KERNEL);
	probe->place = kasprintf(GFP_KERNEL, "%s%s%s%s", event->module ?: "",
				 event->module ? ":" : "", event->function,
				 is_return ? "%return" : "");
	return probe->head && probe->place ? 0 : -ENOMEM;
}

static int fprobe_event_add(struct fprobe_event *event, struct trace_probe_line *line)
{
	unsigned int max_active;
	bool is_return;
	int ret;

	INIT_LIST_HEAD(&event->list);
	INIT_LIST_HEAD(&event->ended);
	ret = trace_probe_init(&event->probe, &fprobe_event_kind, TRACE_PROBE_AT);
	ret = ret ?: trace_probe_line_number(line, FPROBE_EVENT_ACTIVE_MAX, &max_active);
	ret = ret ?: fprobe_event_read_place(event, &is_return, line);
	if (ret)
		return ret;
	if (max_active && !is_return)
		return trace_probe_error(&line->log, line->head + 1, PROBE_BAD_MAXACT_TYPE);
	event->max_active = max_active;
	if (is_return)
		event->probe.shape = TRACE_PROBE_RETURN;
	ret = trace_probe_line_name(line, "%s__%s", event->function,
				    is_return ? "exit" : "entry");
	ret = ret ?: fprobe_event_name(event);
	ret = ret ?: fprobe_event_parse_args(event, line);
	return ret ?: trace_probe_add(&event->probe, line);
}

static int fprobe_event_create(const char *text)
{
	struct trace_probe_line *line __free(kfree) = NULL;
	struct fprobe_event *event;
	int ret;

	if (*text != 'f')
		return -ECANCELED;
	line = kmalloc(sizeof(*line), GFP_KERNEL);
	event = kzalloc(sizeof(*event), GFP_KERNEL);
	if (!line || !event) {
		kfree(event);
		return -ENOMEM;
	}
	if (!trace_probe_line_read(line, text, &fprobe_event_kind)) {
		kfree(event);
		return -ECANCELED;
	}
	ret = fprobe_event_add(event, line);
	if (ret)
		trace_probe_free(&event->probe);
	return ret;
}

/* A line that removes a probe of a return may say "FUNCTION" alone, as 6.12 wants it. */
static bool fprobe_event_has_args(const struct trace_dyn_event *dyn, const char *args)
{
	char *text __free(kfree) = NULL;
	int len = strcspn(args, " \t");

	if (trace_probe_has_args(dyn, args))
		return true;
	if (!fprobe_event_is_return(fprobe_event_of(trace_probe_of(dyn))))
		return false;
	text = kasprintf(GFP_KERNEL, "%.*s%%return%s", len, args, args + len);
	return text && trace_probe_has_args(dyn, text);
}

static struct trace_probe_kind fprobe_event_kind = {
	.dyn	= { .create = fprobe_event_create, .has_args = fprobe_event_has_args },
	.group	= "fprobes",
	.log	= "trace_fprobe",
	.flags	= TRACE_EVENT_FL_FPROBE,
	.join	= fprobe_event_join,
	.arm	= fprobe_event_arm,
	.disarm	= fprobe_event_disarm,
	.leave	= fprobe_event_leave,
	.free	= fprobe_event_free,
	.missed	= fprobe_event_missed,
};

#ifdef CONFIG_MODULES
static void fprobe_event_module_came(struct fprobe_event *event)
{
	int ret = trace_probe_arm(&event->probe);

	if (ret)
		pr_warn("trace probes: cannot probe %s: %d\n", event->probe.place, ret);
}

static int fprobe_event_module_changed(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct module *mod = data;
	struct fprobe_event *event;

	if (what != MODULE_STATE_COMING && what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(trace_events)();
	list_for_each_entry(event, &fprobe_event_of_modules, list) {
		if (strcmp(event->module, mod->name))
			continue;
		if (what == MODULE_STATE_COMING)
			fprobe_event_module_came(event);
		else
			fprobe_event_stop(event);
	}
	return NOTIFY_OK;
}

static struct notifier_block fprobe_event_modules = {
	.notifier_call = fprobe_event_module_changed,
};
#endif

struct trace_component trace_fprobe_events_component __ro_after_init = {
	.name		= "fprobe events",
	.readme		=
		"\t           f[:[<group>/][<event>]] <func-name>[%return] [<args>]\n"
		"\t           f[maxactive][:[<group>/][<event>]] <func-name>%return [<args>]\n"
		"\t           t[:[<group>/][<event>]] <tracepoint> [<args>]\n"
		"\t           <func-name>: [<module>:]<function>, or a pattern of functions\n",
};

/**
 * trace_fprobe_events_init - have fprobe events
 *
 * Context: boot, before there are files.
 */
void __init trace_fprobe_events_init(void)
{
	trace_probe_kind_register(&fprobe_event_kind);
#ifdef CONFIG_MODULES
	register_module_notifier(&fprobe_event_modules);
#endif
}
