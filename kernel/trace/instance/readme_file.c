// SPDX-License-Identifier: GPL-2.0
/*
 * README: the files of the tracing folder in a line or two each. It tells of
 * files that exist, so configured ones have their own paragraph.
 */
#include <linux/fs.h>

#include "instance/internal.h"

static const char intro[] =
	"Tracing the kernel: a short guide\n"
	"\n"
	" # mount -t tracefs [-o [mount options]] nodev /sys/kernel/tracing\n"
	"     options: [gid=<gid>] [uid=<uid>] [mode=<octal mode>]\n"
	"\n"
	" # echo 0 > tracing_on : stop recording\n"
	" # echo 1 > tracing_on : go on recording\n"
	"\n"
	"Reading\n"
	"  trace\t\t\t- the records, time order; reading keeps them\n"
	"\t\t\t  # echo > trace : throw all records away\n"
	"  trace_pipe\t\t- the records, taken out as they are read; waits for more\n"
	"  per_cpu/cpuN/\t\t- the same files, and stats, for one CPU\n"
	"  saved_cmdlines\t- task names by pid; saved_cmdlines_size: how many\n"
	"  saved_tgids\t\t- thread groups by pid, see options/record-tgid\n"
	"  printk_formats\t- formats of trace_printk() by address\n"
	"  instances/\t\t- mkdir makes a buffer with files of its own; rmdir removes it\n"
	"  last_boot_info\t- of an instance whose buffer is kept over a reboot\n"
	"\t\t\t  (trace_instance=NAME@MEMORY): what the last boot left in it\n"
	"  error_log\t\t- what was wrong with the last refused commands\n"
	"\t\t\t  # echo > error_log : forget them\n"
	"\n"
	"Writing\n"
	"  trace_marker\t\t- text written here becomes a record\n"
	"  trace_marker_raw\t- bytes written here become a record; 4 bytes of tag first\n"
	"\n"
	"Tracers and options\n"
	"  available_tracers\t- tracers of this kernel\n"
	"  current_tracer\t- the one in use; nop: none\n"
	"  trace_options\t\t- all options; write NAME or noNAME\n"
	"  options/\t\t- a file for each option, 0 or 1\n"
	"  tracing_cpumask\t- record on these CPUs only, hexadecimal\n"
	"  tracing_thresh\t- for tracers of latencies: microseconds worth a record\n"
	"\n"
	"Buffer\n"
	"  buffer_size_kb\t- size of each CPU's buffer; also in per_cpu/cpuN\n"
	"  buffer_total_size_kb\t- size of all together\n"
	"  buffer_subbuf_size_kb - size of the pieces that a buffer is made of\n"
	"  buffer_percent - how full a CPU's buffer is when a reader of pages is woken\n"
	"  free_buffer\t\t- the buffer shrinks when this file is closed\n"
	"  trace_clock\t\t- clock of the time stamps; the one in [] is in use\n"
	"  timestamp_mode\t- how time stamps are stored\n";

static const char snapshot[] =
	"\n"
	"Snapshot\n"
	"  snapshot\t\t- what the trace was when the snapshot was taken\n"
	"\t\t\t  # echo 1 > snapshot : take one, allocate it if needed\n"
	"\t\t\t  # echo 2 > snapshot : clear it\n"
	"\t\t\t  # echo 0 > snapshot : free it\n"
	"  per_cpu/cpuN/snapshot - the same for one CPU; snapshot_raw: as pages\n";

static const char functions[] =
	"\n"
	"Functions\n"
	"  set_ftrace_pid\t- trace these tasks only\n"
	"  set_ftrace_notrace_pid - do not trace these tasks\n";

static const char sites[] =
	"  available_filter_functions\t- functions that can be traced\n"
	"  available_filter_functions_addrs - the same with addresses\n"
	"  set_ftrace_filter\t- trace these functions only\n"
	"  set_ftrace_notrace\t- do not trace these functions\n"
	"\t\taccepts: func_full_name or glob-matching-pattern\n"
	"\t\t\t <pattern>:mod:<module>, which may be loaded later\n"
	"\t\t\t [<pattern>]:src:<path>, the source file, as :src:kernel/sched/*\n"
	"\t\tset_ftrace_filter also: <function>:<command>[:<count>]\n"
	"\t\tcommands: traceon traceoff stacktrace dump cpudump snapshot\n"
	"\t\t\t enable_event:<system>:<event> disable_event:<system>:<event>\n"
	"  enabled_functions\t- functions that something is attached to\n"
	"  touched_functions\t- functions that something ever was attached to\n"
	"  untraceable_functions\t- functions of the kernel that cannot be traced, and why\n"
	"  dyn_ftrace_total_info\t- how many functions, and their memory\n";

static const char events[] =
	"\n"
	"Events\n"
	"  available_events\t- events of this kernel\n"
	"  set_event\t\t- those that are on; write <system>:<event>, ! before it: off\n"
	"  set_event_pid\t\t- events of these tasks only\n"
	"  set_event_notrace_pid\t- no events of these tasks\n"
	"  events/\t\t- a folder for each system, in it one for each event:\n"
	"\t\t\t  enable, filter, format, id\n";

static int readme_show(struct seq_file *m, void *v)
{
	seq_puts(m, intro);
	if (IS_ENABLED(CONFIG_TRACER_SNAPSHOT))
		seq_puts(m, snapshot);
	if (IS_ENABLED(CONFIG_FUNCTION_TRACER))
		seq_puts(m, functions);
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		seq_puts(m, sites);
	if (IS_ENABLED(CONFIG_EVENT_TRACING))
		seq_puts(m, events);
	return 0;
}

DEFINE_TRACE_FILE_RO(readme);

int trace_readme_create_file(struct trace_array *tr)
{
	return trace_create_file("README", 0440, tr, &readme_fops);
}
