// SPDX-License-Identifier: GPL-2.0
/*
 * The boot parameters ftrace_filter= and ftrace_notrace=, for the top instance. Each may stand
 * on the command line more than once.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/string.h>
#include <asm/setup.h>

#include "functions/internal.h"
#include "lib/lib.h"

static char boot_filter[COMMAND_LINE_SIZE] __initdata;
static char boot_notrace[COMMAND_LINE_SIZE] __initdata;

static int __init boot_filter_setup(char *text)
{
	trace_words_append(boot_filter, sizeof(boot_filter), text);
	return 1;
}
__setup("ftrace_filter=", boot_filter_setup);

static int __init boot_notrace_setup(char *text)
{
	trace_words_append(boot_notrace, sizeof(boot_notrace), text);
	return 1;
}
__setup("ftrace_notrace=", boot_notrace_setup);

static void __init boot_filter_apply(struct trace_functions *fns, char *text, bool exclude)
{
	const char *name = exclude ? "notrace" : "filter";
	int ret = *text ? trace_filter_set_text(fns, text, exclude) : 0;

	if (ret < 0)
		pr_warn("ftrace: ftrace_%s= is not in force: error %d\n", name, ret);
	else if (ret)
		pr_warn("ftrace: no function matches a pattern of ftrace_%s=\n", name);
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
