// SPDX-License-Identifier: GPL-2.0
/* The boot parameters ftrace_filter= and ftrace_notrace=. */
#include <linux/init.h>
#include <linux/string.h>
#include <asm/setup.h>

#include "functions/internal.h"

static char boot_filter[COMMAND_LINE_SIZE] __initdata;
static char boot_notrace[COMMAND_LINE_SIZE] __initdata;

static int __init boot_filter_setup(char *text)
{
	strscpy(boot_filter, text, sizeof(boot_filter));
	return 1;
}
__setup("ftrace_filter=", boot_filter_setup);

static int __init boot_notrace_setup(char *text)
{
	strscpy(boot_notrace, text, sizeof(boot_notrace));
	return 1;
}
__setup("ftrace_notrace=", boot_notrace_setup);

/* A comma-separated list of patterns; what matches nothing is named. */
static void __init boot_filter_apply(struct trace_functions *fns, char *text, bool exclude)
{
	struct trace_filter_edit edit;
	char *pattern;

	if (!*text || trace_filter_edit_begin(&edit, fns, exclude, false))
		return;
	while ((pattern = strsep(&text, ","))) {
		if (!*pattern)
			continue;
		if (trace_filter_is_command(pattern) || trace_filter_edit_word(&edit, pattern))
			pr_warn("ftrace: no function matches a pattern of ftrace_%s=\n",
				exclude ? "notrace" : "filter");
	}
	trace_filter_edit_commit(&edit);
}

/**
 * trace_functions_boot_filters - apply ftrace_filter= and ftrace_notrace=
 *
 * Context: boot, once, after the top instance was created and before a tracer
 * starts.
 */
void __init trace_functions_boot_filters(void)
{
	struct trace_functions *fns = trace_functions_of(trace_top_instance());

	boot_filter_apply(fns, boot_filter, false);
	boot_filter_apply(fns, boot_notrace, true);
}
