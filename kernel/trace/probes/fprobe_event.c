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
#include <linux/string.h>

#include "events/calls.h"
#include "graph/graph.h"
#include "hooks/hooks.h"
#include "probes/hit.h"
#include "probes/internal.h"
#include "probes/probes.h"
#include "probes/use.h"
#include "sites/names.h"

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
 *
 * Members without a lock are constant.
 */
struct fprobe_event {
	struct trace_probe	probe;
	char			*function;
	char			*module;
	unsigned int		max_active;
	struct list_head	list;
	struct trace_probe_use	*use;
};

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
	trace_probe_hit_at(&trace_probe_use_of(fp)->probe, regs, ip);
	return 0;
}

NOKPROBE_SYMBOL(fprobe_event_enter);

static void fprobe_event_return(struct fprobe *fp, unsigned long ip, unsigned long ret,
				struct pt_regs *regs, void *data)
{
	const struct trace_probe_hit hit = {
		.probe	= &trace_probe_use_of(fp)->probe,
		.regs	= regs,
		.source	= { .regs = regs, .entry = data },
		.at	= { ip, ret },
	};

	trace_probe_hit(&hit);
}

NOKPROBE_SYMBOL(fprobe_event_return);

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
static int fprobe_event_start(struct trace_probe *probe)
{
	struct fprobe_event *event = fprobe_event_of(probe);
	struct trace_probe_use *use;
	int ret;

	if (event->use)
		return 0;
	use = trace_probe_use_make(&event->probe, event->max_active);
	if (!use)
		return -ENOMEM;
	if (fprobe_event_is_return(event))
		use->fp.exit_handler = fprobe_event_return;
	else
		use->fp.entry_handler = fprobe_event_enter;
	ret = fprobe_register_in(&use->fp, event->function, event->module);
	if (!ret) {
		event->use = use;
		return 0;
	}
	trace_probe_use_drop(use);
	if (event->module && !fprobe_event_module_exists(event->module))
		return 0;
	return ret;
}

/* Let a probe hit no more. Handlers that have begun end within a grace period of hooks. */
static void fprobe_event_stop(struct trace_probe *probe)
{
	struct fprobe_event *event = fprobe_event_of(probe);
	struct trace_probe_use *use = event->use;

	if (!use)
		return;
	event->use = NULL;
	fprobe_unregister_later(&use->fp, &use->retired);
}

static int fprobe_event_arm(struct list_head *probes)
{
	return trace_probes_start(probes, fprobe_event_start, fprobe_event_stop);
}

static void fprobe_event_disarm(struct list_head *probes)
{
	trace_probes_stop(probes, fprobe_event_stop);
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

static void fprobe_event_leave(struct list_head *probes)
{
	struct trace_probe *probe;

	for_each_trace_probe(probe, probes)
		list_del_init(&fprobe_event_of(probe)->list);
	fprobe_event_disarm(probes);
}

/* All probes wait for one grace period together, if any was on a moment ago. */
static void fprobe_event_settle(struct list_head *probes)
{
	struct trace_probe *probe;
	bool some = false;

	for_each_trace_probe(probe, probes)
		some |= trace_probe_uses_forget(probe);
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
		probe->head = kstrdup_const("f", GFP_KERNEL);
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

static void fprobe_event_expect(const char *line, unsigned long lines)
{
	if (*line == 'f')
		ftrace_names_expect(lines);
}

static struct trace_probe_kind fprobe_event_kind = {
	.dyn	= {
		.create		= fprobe_event_create,
		.expect		= fprobe_event_expect,
		.has_args	= fprobe_event_has_args,
	},
	.group	= "fprobes",
	.log	= "trace_fprobe",
	.flags	= TRACE_EVENT_FL_FPROBE,
	.join	= fprobe_event_join,
	.counts_entries = true,
	.arm	= fprobe_event_arm,
	.disarm	= fprobe_event_disarm,
	.leave	= fprobe_event_leave,
	.settle	= fprobe_event_settle,
	.free	= fprobe_event_free,
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
			fprobe_event_stop(&event->probe);
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
