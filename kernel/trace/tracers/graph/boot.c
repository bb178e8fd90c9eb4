// SPDX-License-Identifier: GPL-2.0
/*
 * The boot parameters ftrace_graph_filter=, ftrace_graph_notrace= and
 * ftrace_graph_max_depth=, for the top instance.
 */
#include <linux/err.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <asm/setup.h>

#include "hooks/hooks.h"
#include "lib/lib.h"
#include "tracers/graph/graph.h"
#include "tracers/graph/internal.h"

static char boot_sets[GRAPH_SETS][COMMAND_LINE_SIZE] __initdata;
static unsigned int boot_depth __initdata;

static int __init boot_roots_setup(char *text)
{
	trace_words_append(boot_sets[GRAPH_SET_ROOTS], COMMAND_LINE_SIZE, text);
	return 1;
}
__setup("ftrace_graph_filter=", boot_roots_setup);

static int __init boot_muted_setup(char *text)
{
	trace_words_append(boot_sets[GRAPH_SET_MUTED], COMMAND_LINE_SIZE, text);
	return 1;
}
__setup("ftrace_graph_notrace=", boot_muted_setup);

static int __init boot_depth_setup(char *text)
{
	return !kstrtouint(text, 0, &boot_depth);
}
__setup("ftrace_graph_max_depth=", boot_depth_setup);

/* Patterns, by commas. */
static int __init boot_set_apply(struct graph_instance *graph, enum graph_set set, char *text)
{
	struct ftrace_hash *hash = ftrace_hash_alloc();
	char *pattern;
	long found;

	if (!hash)
		return -ENOMEM;
	while ((pattern = strsep(&text, ","))) {
		if (!*pattern)
			continue;
		found = ftrace_hash_apply(hash, pattern, NULL, NULL);
		if (found < 0) {
			ftrace_hash_free(hash);
			return found;
		}
		if (!found)
			pr_warn("ftrace: no function is named by '%s' of ftrace_graph_%s=\n",
				pattern, set == GRAPH_SET_ROOTS ? "filter" : "notrace");
	}
	return trace_graph_set_functions(graph, set, hash);
}

/**
 * trace_graph_boot - apply the boot parameters
 *
 * Context: boot, once, after the top instance was created and before a tracer starts.
 */
void __init trace_graph_boot(void)
{
	struct graph_instance *graph = trace_graph_of(trace_top_instance());
	enum graph_set set;
	int ret;

	guard(trace_instances)();
	for (set = 0; set < GRAPH_SETS; set++) {
		ret = *boot_sets[set] ? boot_set_apply(graph, set, boot_sets[set]) : 0;
		if (ret)
			pr_warn("ftrace: functions of the graph are not limited: error %d\n", ret);
	}
	trace_graph_set_depth(graph, boot_depth);
}
