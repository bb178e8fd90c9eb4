// SPDX-License-Identifier: GPL-2.0
/*
 * Probes in modules: those of a module that comes get their carriers, and are armed if their
 * events are on; those of one that goes lose them.
 *
 * The notifier is called behind those of jump labels, of static calls and of kprobes, which have
 * priorities of 0 and more: they say which addresses of the module cannot be probed.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "events/batch.h"
#include "events/calls.h"
#include "probes/kprobe_site.h"

/* Is the probe in a function of this module, by its name? */
static bool kprobe_module_has(const struct module *mod, const struct trace_kprobe *kprobe)
{
	const char *symbol = kprobe->rp.kp.symbol_name;
	size_t len = strlen(mod->name);

	return symbol && !strncmp(symbol, mod->name, len) && symbol[len] == ':';
}

/* The probe behind @kprobe on the list, or the first one, that is of a module. */
static struct trace_kprobe *kprobe_module_next(const struct module *mod,
					       struct trace_kprobe *kprobe)
{
	struct trace_dyn_event *dyn = kprobe ? &kprobe->probe.dyn : NULL;

	while ((dyn = trace_dyn_event_next(&trace_kprobe_kind.dyn, dyn))) {
		kprobe = trace_kprobe_of(container_of(dyn, struct trace_probe, dyn));
		if (kprobe_module_has(mod, kprobe))
			return kprobe;
	}
	return NULL;
}

static void kprobe_module_came(const struct module *mod)
{
	struct trace_kprobe *kprobe = NULL;
	int ret;

	while ((kprobe = kprobe_module_next(mod, kprobe))) {
		if (kprobe->joined)
			continue;
		ret = trace_kprobe_check_symbol(kprobe->rp.kp.symbol_name);
		ret = ret ?: trace_kprobe_join(kprobe);
		ret = ret ?: trace_probe_arm(&kprobe->probe);
		if (ret)
			pr_warn("trace probes: cannot probe %s: %d\n", kprobe->probe.place, ret);
	}
}

static void kprobe_module_collect(const struct module *mod, struct list_head *leaving)
{
	struct trace_kprobe *kprobe = NULL;

	while ((kprobe = kprobe_module_next(mod, kprobe))) {
		if (kprobe->joined && !kprobe->site)
			list_add_tail(&kprobe->leaving, leaving);
	}
}

static int kprobe_module_changed(struct notifier_block *nb, unsigned long what, void *mod)
{
	if (what == MODULE_STATE_GOING)
		trace_kprobe_module_goes(mod, kprobe_module_collect);
	guard(trace_events)();
	if (what == MODULE_STATE_COMING) {
		trace_event_batch_begin();
		kprobe_module_came(mod);
		if (trace_event_batch_end())
			pr_warn("trace probes: cannot probe functions of %s\n",
				((const struct module *)mod)->name);
	} else {
		trace_kprobe_site_module_goes(mod, what == MODULE_STATE_LIVE);
	}
	return NOTIFY_OK;
}

static struct notifier_block module_probes = {
	.notifier_call	= kprobe_module_changed,
	.priority	= -1,
};

/**
 * trace_kprobe_modules_init - be told of modules
 *
 * Context: an initcall before there are modules, without our locks.
 * Return: 0, or the errno of register_module_notifier().
 */
int __init trace_kprobe_modules_init(void)
{
	return register_module_notifier(&module_probes);
}
