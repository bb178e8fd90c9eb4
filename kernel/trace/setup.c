// SPDX-License-Identifier: GPL-2.0
/*
 * The composition root of kernel/trace: it knows every layer, no layer knows
 * it. It calls each of them once, in order, and holds the table of what an
 * instance is made of. There is no logic here.
 *
 * All locks, outermost first. A task that holds one takes only locks below it. Beside a member
 * of a struct stands the lock that covers it, or one of these words: nobody changes a "constant"
 * one after creation, only one CPU changes an "own CPU" one, one with "RCU" is read under RCU,
 * and one with "READ_ONCE()" is read at any time. buffer/writer.h has more words.
 *
 * A task that holds the lock of instances or the events mutex waits for no grace period, and for
 * nothing else that takes until other CPUs have scheduled or taken an interrupt, but for patched
 * text: see lib/wait.h.
 *
 *   kprobe_leave_mutex (probes/)		kprobes of probes that go are unregistered
 *   console_sysctl_mutex (events/console.c)	the switch of events on the console
 *   an open file's own lock			a seq_file's, iter.mutex, raw->mutex,
 *						ff->lock: the file's position and text
 *   kinds_mutex (record/kind.c)		kinds of records come and go
 *   exports_mutex (record/export.c)		modules that have records exported
 *   buffers_mutex (instance/)			sizes of an instance's buffers, and their clock;
 *						held while each CPU is called, so
 *						trace_buffers_lock() refuses it to holders of
 *						the locks below, down to the events mutex
 *   trace_instances_lock()			instances, their tracer and options
 *   pins_mutex (instance/tracer.c)		an instance's tracer changes, or is kept
 *   stack_mutex (functions/stack.c)		the stack tracer's hook is in place or not
 *   command_mutex (functions/command.c)	function commands and their targets
 *   pending_mutex (functions/edit.c)		filters for modules to come
 *   a pid filter's lock (tasks/)		the lists of pids of one filter
 *   events mutex (events/lock.c)		calls and files of events
 *   types_sem (record/kind.c)			read: records are printed; write: their
 *						printers come and go
 *   actions' mutex (actions/action.c)		the table of actions
 *   comm_mutex (tasks/comm.c)			kinds of names that are kept
 *   resize_mutex (tasks/comm_table.c)		the size of the table of names
 *   filter_strings_mutex (events/filter/)	once, memory for strings of user space
 *   all_lock, then cpu_locks (reader/)		consumers of the records of CPUs
 *   kept_formats_mutex (printk/format.c)	formats of modules
 *   error_mutex (instance/error.c)		error logs
 *   ftrace_direct_mutex (hooks/share.c)	direct calls, while owners are asked
 *   graph_sleep_mutex (graph/sleep.c)		who wants to know how long tasks sleep
 *   graph_interrupt_mutex (graph/interrupt.c)	who wants to know how long they are interrupted
 *   a table's mutex (lib/map.c)		one reading of the table of a map at a time
 *   btf_owners_mutex (lib/btf.c)		indexes of functions in BTF, while they are made
 *   fetch_symbol_mutex (probes/)		symbols that arguments of probes name
 *   counts_mutex (probes/)			memory for the counts of probes
 *   site_names_mutex (sites/names.c)		indexes of names, while they are built
 *   cpus_read_lock()
 *   a ring buffer's mutex (buffer/)		its size, readers and mappings; under
 *						buffers_mutex those of an instance's two buffers
 *						are taken together. mmap_lock, too, may be held
 *						outside of it, and cpus_read_lock() is only
 *						tried then
 *   ftrace_lock()				sites, dispatches, ops and their filters
 *   trampoline_pages_mutex (arch/x86/)		room for trampolines
 *   module_mutex, then text_mutex		symbols of modules, the kernel's text
 *
 * Spinlocks, each the only one of them that its holder has:
 *
 *   instances_refs (instance.c)		references of open files
 *   tracer_users_lock (tracer.c)		readers of what a tracer prints
 *   pipe_cpus_lock (reader/)			CPUs that have a trace_pipe
 *   option_nodes_lock (option_file.c)		the files in options/
 *   use_lock (probes/use.c)			fprobes of probes that are or were on, and counts
 *   ring_lock (events/hist/ring.c)		histograms that have tables by interval
 *   a ring's lock (events/hist/ring.c)		these tables; a map's lock is taken within
 *   a map's lock (lib/map.c)			which table it has
 *   wait_calls_lock (lib/wait.c)		waits that a worker has begun
 *   later_lock (instance/later.c)		changes of buffers that a work item is to make
 *
 * And with interrupts off, in any context; NMIs go without, or try:
 *
 *   a delay's lock (events/trigger/delay.c)	a delayed action is done, or its trigger goes
 *   a condition's lock "asking" (snapshot.c)	one asks for a snapshot at a time
 *   exchange.lock (exchange.c)			the two buffers change places
 *   latencies_lock (latency.c)			the longest latency of each CPU
 *   names_lock, with names_seq (tasks/)	names of tasks
 *   console_event_lock (events/console.c)	the text of an event on the console
 *   a CPU's reader_lock (buffer/)		the sub-buffer that a reader has
 *   stack_lock (functions/stack.c)		the deepest stack
 *   a wait queue's lock			tasks that wait for records
 */
#include <linux/init.h>
#include <linux/ftrace.h>

#include "events/events.h"
#include "events/syscalls/syscalls.h"
#include "functions/functions.h"
#include "hooks/hooks.h"
#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/file.h"
#include "instance/instance.h"
#include "instance/news.h"
#include "instance/option.h"
#include "instance/snapshot.h"
#include "instance/tracer.h"
#include "lib/btf.h"
#include "output/output.h"
#include "printk/printk.h"
#include "probes/fetch.h"
#include "probes/probes.h"
#include "profile/profile.h"
#include "reader/reader.h"
#include "record/export.h"
#include "record/record.h"
#include "selftest/selftest.h"
#include "tasks/comm.h"
#include "tracers/graph/graph.h"
#include "tracers/tracers.h"

/*
 * The parts of an instance, in the order of creation; they are destroyed in reverse order. The
 * options come before the parts that look at them, the files after the data that they show, and
 * the tracers last: they use all the rest.
 */
static struct trace_component * const components[] = {
	&trace_folder_component,
	&trace_option_component,
	&trace_buffers_component,
	&trace_news_component,
	&trace_switch_component,
	&trace_snapshot_component,
	&trace_error_component,
	&trace_comm_component,
	&trace_printk_component,
	&trace_switch_files_component,
	&trace_reader_component,
	&trace_tracer_files_component,
	&trace_option_files_component,
	&trace_buffer_files_component,
	&trace_clock_component,
	&trace_error_file_component,
	&trace_events_component,
#ifdef CONFIG_TRACE_EVENT_INJECT
	&trace_event_inject_component,
#endif
#ifdef CONFIG_FTRACE_SYSCALLS
	&trace_event_syscalls_component,
	&trace_event_syscall_files_component,
#endif
	&trace_event_filters_component,
	&trace_event_filter_files_component,
	&trace_event_pids_component,
	&trace_event_users_component,
	&trace_event_triggers_component,
	&trace_event_trigger_files_component,
#ifdef CONFIG_HIST_TRIGGERS
	&trace_event_hists_component,
#endif
	&trace_event_dirs_component,
#ifdef CONFIG_DYNAMIC_EVENTS
	&trace_event_dyn_component,
	&trace_event_dyn_owned_component,
#endif
#ifdef CONFIG_SYNTH_EVENTS
	&trace_event_synth_component,
#endif
#ifdef CONFIG_KPROBE_EVENTS
	&trace_kprobes_component,
#endif
#ifdef CONFIG_FPROBE_EVENTS
	&trace_fprobe_events_component,
#endif
#ifdef CONFIG_UPROBE_EVENTS
	&trace_uprobes_component,
#endif
#ifdef CONFIG_PROBE_EVENTS
	&trace_eprobes_component,
	&trace_probes_component,
#endif
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
	&trace_event_eval_map_component,
#endif
#ifdef CONFIG_FUNCTION_TRACER
	&trace_functions_component,
	&trace_function_component,
#endif
#ifdef CONFIG_FUNCTION_PROFILER
	&trace_profile_component,
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	&trace_graph_component,
#endif
	&trace_readme_component,
	&trace_tracer_component,
#ifdef CONFIG_TRACING_KUNIT_TEST
	&trace_refusing_component,
#endif
};

/* Initialize the layers that the top instance needs, and create the top instance. */
static int __init setup_early_init(void)
{
	int ret;

	trace_components_set(components, ARRAY_SIZE(components));
	trace_record_init();
	trace_printk_early_init();
	ret = trace_output_init();
	ret = ret ?: trace_comm_init();
	ret = ret ?: trace_buffers_init();
	ret = ret ?: trace_instances_init();
	return ret ?: trace_reader_init();
}

/* Memory is up, one CPU runs, interrupts are off. */
void __init early_trace_init(void)
{
	int ret;

	/* Sites may be patched with or without instances. */
	ftrace_hooks_init();
	ret = setup_early_init();
	/* All that follows is for the top instance. */
	if (ret) {
		trace_disable_for_good();
		pr_err("tracing: no tracing until the next boot: error %d\n", ret);
		return;
	}
	trace_clock_boot();
	trace_options_boot();
	trace_snapshots_boot_alloc();
	trace_export_listen(trace_tracers_exports_changed);
	trace_functions_boot_filters();
	trace_graph_boot();
	trace_tracers_init();
}

/* RCU is up. */
void __init trace_init(void)
{
	trace_events_init_early();
	trace_instances_boot(trace_events_boot_enable);
	trace_snapshots_boot_alloc();
}

/* The file systems are up; instances ask their components for files. */
static int __init trace_setup_init_files(void)
{
	int ret;

	if (trace_event_modules_init())
		pr_warn("tracing: modules will have no events\n");
	trace_trigger_modules_init();
	if (trace_btf_init())
		pr_warn("tracing: names of arguments in modules will not be known\n");
	if (IS_ENABLED(CONFIG_PROBE_EVENTS) && trace_fetch_init())
		pr_warn("tracing: probes will not find symbols of modules\n");
	if (trace_kprobes_init())
		pr_warn("tracing: probes will not wait for modules\n");
	trace_fprobe_events_init();
	trace_tprobes_init();
	trace_eprobes_init();
	trace_uprobes_init();
	/* Before there is a file that shows it. */
	trace_stack_init();
	trace_kprobes_boot();
	ret = trace_files_init();

	/* Modules bring formats, with files or without. */
	return trace_printk_init() ?: ret;
}
fs_initcall(trace_setup_init_files);

/* Before user space traces, and after all that brings tracers and events. */
static int __init trace_setup_run_selftests(void)
{
	trace_selftests_run();
	return 0;
}
late_initcall(trace_setup_run_selftests);
