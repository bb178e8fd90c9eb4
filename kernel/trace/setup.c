// SPDX-License-Identifier: GPL-2.0
/*
 * The composition root of kernel/trace: it knows every layer, no layer knows
 * it. It calls each of them once, in order, and holds the table of what an
 * instance is made of. There is no logic here.
 *
 * Lock order, outermost first:
 *
 *   an open filter file	(functions/filter_file.c)
 *   trace_instances_lock()	instances, their tracer and options
 *   trace_func_commands_lock()	function commands
 *   trace_pending_lock()	words in filters that wait for modules
 *   a pid filter's lock	(tasks/pid_filter.h)
 *   events mutex (events/)	calls and files of events
 *   actions' mutex		(actions/action.c)
 *   mutex of task names	(tasks/comm.c), and of their table's size
 *   cpus_read_lock()
 *   site_names_mutex (sites/)	who builds indexes of names; the kernel's sites stay
 *   direct_mutex (hooks/)	direct calls do not come or go, their owners are asked
 *   ftrace_lock()		sites, dispatches, ops and their filters
 *   trampoline_pages_mutex	room for trampolines (arch/x86/kernel/ftrace/)
 *   text_mutex			the kernel's text
 *
 * Who reads an instance takes, outermost first:
 *
 *   the open file's lock	trace, trace_pipe, trace_pipe_raw (reader/)
 *   types_sem (record/)	printers stay; written under the events mutex
 *   trace_readers::all_lock	consumers of all CPUs, or of one (reader/)
 *   trace_readers::cpu_locks	consumers of this CPU
 *
 * Innermost for all:
 *
 *   reader lock of a CPU's buffer (raw spinlock, trylock from NMI)
 *   lock of the table of names (raw spinlock, below the scheduler's)
 */
#include <linux/init.h>
#include <linux/ftrace.h>

#include "events/events.h"
#include "functions/functions.h"
#include "hooks/hooks.h"
#include "instance/instance.h"
#include "output/output.h"
#include "printk/printk.h"
#include "reader/reader.h"
#include "record/record.h"
#include "tracers/tracers.h"

static struct trace_component * const components[] = {
	&trace_comm_component,
	&trace_printk_component,
	&trace_reader_component,
	&trace_events_component,
	&trace_event_filters_component,
	&trace_event_pids_component,
	&trace_event_users_component,
	&trace_event_dirs_component,
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
	&trace_event_eval_map_component,
#endif
#ifdef CONFIG_FUNCTION_TRACER
	&trace_functions_component,
#endif
};

/* Memory is up, one CPU runs, interrupts are off. */
void __init early_trace_init(void)
{
	ftrace_hooks_init();
	trace_components_set(components, ARRAY_SIZE(components));
	trace_record_init();
	trace_output_init();
	trace_printk_early_init();
	trace_instance_early_init();
	trace_functions_boot_filters();
	trace_reader_init();
	trace_tracers_init();
}

/* RCU is up. */
void __init trace_init(void)
{
	trace_events_init_early();
	trace_instances_boot(trace_events_boot_enable);
}

/* The file systems are up; instances ask their components for files. */
static int __init trace_init_files(void)
{
	return trace_instance_init_files() ?: trace_printk_init();
}
fs_initcall(trace_init_files);
