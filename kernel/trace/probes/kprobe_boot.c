// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe events at boot: those of the command line, "kprobe_event=LINE[;LINE]...", where commas
 * stand for blanks, are made and switched on when kprobes work, before there are files. The
 * parameter may be given more than once.
 */
#include <linux/init.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include <asm/setup.h>

#include "events/calls.h"
#include "instance/instance.h"
#include "lib/lib.h"
#include "probes/kprobe_site.h"
#include "probes/probes.h"

static char boot_lines[COMMAND_LINE_SIZE] __initdata;

static int __init kprobe_boot_setup(char *text)
{
	if (!trace_words_join(boot_lines, sizeof(boot_lines), ';', text))
		pr_warn("trace probes: no room for kprobe_event=%s\n", text);
	return 1;
}
__setup("kprobe_event=", kprobe_boot_setup);

/* Switch the events on that are on the list now: the command line has made all of them. */
static void __init kprobe_boot_enable(void)
{
	struct trace_dyn_event *dyn;
	struct trace_array *tr = trace_top_instance();

	if (!tr)
		return;
	for (loff_t i = 0;; i++) {
		scoped_guard(trace_events)
			dyn = trace_dyn_event_nth(&trace_kprobe_kind.dyn, i);
		if (!dyn)
			return;
		/* Nobody removes events yet. */
		if (trace_array_set_clr_event(tr, dyn->call->class->system,
					      trace_event_name(dyn->call), true))
			pr_warn("trace probes: cannot enable %s\n", trace_event_name(dyn->call));
	}
}

/**
 * trace_kprobes_init - have kprobe events
 *
 * Context: an initcall before there are modules and files.
 * Return: 0, or the errno of register_module_notifier().
 */
int __init trace_kprobes_init(void)
{
	trace_probe_kind_register(&trace_kprobe_kind);
	trace_kprobe_site_init();
	return trace_kprobe_modules_init();
}

/**
 * trace_kprobes_boot - make the events of the command line
 *
 * Context: an initcall, after trace_kprobes_init(), when kprobes work.
 */
void __init trace_kprobes_boot(void)
{
	char *rest = boot_lines, *line;
	int ret;

	if (!*boot_lines)
		return;
	strreplace(boot_lines, ',', ' ');
	while ((line = strsep(&rest, ";"))) {
		line = skip_spaces(line);
		ret = *line ? trace_kprobe_run(line) : 0;
		if (ret)
			pr_warn("trace probes: kprobe_event=%s: %d\n", line, ret);
	}
	kprobe_boot_enable();
}
