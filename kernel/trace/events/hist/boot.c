// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms at boot, and their lines of the tracefs README.
 */
#include <linux/bug.h>
#include <linux/init.h>

#include "events/events.h"
#include "events/hist/debug.h"
#include "events/hist/hist.h"
#include "events/hist/internal.h"
#include "events/hist/poll.h"
#include "events/hist/ring.h"
#include "instance/component.h"

/**
 * trace_hists_init - let users write histograms, and read them
 *
 * Context: boot, once; the events mutex is held.
 */
void __init trace_hists_init(void)
{
	/* Without memory there are no histograms, and so nobody asks. */
	if (WARN_ON(trace_hist_poll_init() || trace_hist_rings_init()))
		return;
	WARN_ON(trace_trigger_command_add(&trace_hist_command));
	trace_hist_actions_init();
	trace_hist_files_init();
	trace_hist_debug_init();
}

struct trace_component trace_event_hists_component __ro_after_init = {
	.name		= "histograms",
	.readme		=
		"      trigger: hist\t- count the hits of an event by keys, and add up values\n"
		"\t\t\t  hist:keys=<field>[,<field>...][:values=<field>[,<field>...]]\n"
		"\t\t\t  [:<var1>=<field|var_ref|numeric_literal>[,<var2>=...]]\n"
		"\t\t\t  [:sort=<field>[.descending][,<field>]][:size=<entries>]\n"
		"\t\t\t  [:name=<name>][:clock=<clock>][:pause][:continue][:clear]\n"
		"\t\t\t  [:interval=<time>[:keep=<tables>]]\n"
		"\t\t\t  [:nohitcount][:<handler>.<action>][ if <filter>]\n"
		"\t\t\t  Keys\n"
		"\t\t\t  can be any field, or the special string 'common_stacktrace',\n"
		"\t\t\t  common_cpu and common_timestamp; <field>[<n>] is an element of\n"
		"\t\t\t  an array. Behind a field:\n"
		"\t\t\t  .hex .sym .sym-offset .execname .syscall .log2 .buckets=<size>\n"
		"\t\t\t  .usecs .percent .graph; behind a value: .min .max .p<digits>, as\n"
		"\t\t\t  .p50, .p99, .p999: 50, 99 and 99.9 % of the hits have no larger one\n"
		"\t\t\t  With an interval (1s, 10ms, or a number of the clock), each interval\n"
		"\t\t\t  that has hits has a table, and so many closed ones are kept\n"
		"\t\t\t  A value, or what a variable gets, may be an expression of\n"
		"\t\t\t  fields, numbers, $<var> and <system>.<event>.$<var> with + - * /\n"
		"\t\t\t  <handler>:\n"
		"\t\t\t  onmatch(<system>.<event>) - its variables have been found\n"
		"\t\t\t  onmax(var)\t- the variable is larger than before\n"
		"\t\t\t  onchange(var)\t- the variable is another than before\n"
		"\t\t\t  <action>:\n"
		"\t\t\t  trace(<synthetic_event>,param list) - record that event\n"
		"\t\t\t  save(field,...) - keep fields of the hit\n"
		"\t\t\t  snapshot()\t- take a snapshot\n"
		"\t\t\t  enable_hist:<system>:<event>, disable_hist:<system>:<event>:\n"
		"\t\t\t  let the histograms of an event count, or pause them\n"
		"      hist\t\t- the histograms of an event; read only\n",
};
