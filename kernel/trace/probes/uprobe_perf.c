// SPDX-License-Identifier: GPL-2.0
/*
 * perf's own uprobes: a perf event of the PMU "uprobe" brings a probe of its own, whose event is
 * on no list. It also answers what BPF asks of uprobe events.
 */
#include <linux/bpf.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/namei.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/perf.h"
#include "probes/internal.h"
#include "probes/probes.h"
#include "probes/uprobe.h"

/**
 * bpf_get_uprobe_info - what a link of BPF shows of a uprobe event
 * @event: the perf event
 * @fd_type: set to the kind
 * @filename: set to the file
 * @probe_offset: set to the offset in it
 * @probe_addr: set to the offset of the counter
 * @perf_type_tracepoint: the perf event is one of a uprobe event of tracefs
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0; -EINVAL: it is no uprobe event.
 */
int bpf_get_uprobe_info(const struct perf_event *event, u32 *fd_type, const char **filename,
			u64 *probe_offset, u64 *probe_addr, bool perf_type_tracepoint)
{
	struct trace_probe_event *of;
	struct trace_uprobe *uprobe;

	guard(trace_events)();
	of = trace_probe_event_of(event->tp_event);
	if (!of || of->kind != &trace_uprobe_kind)
		return -EINVAL;
	uprobe = trace_uprobe_of(list_first_entry(&of->probes, struct trace_probe, sibling));
	*fd_type = uprobe->at.is_return ? BPF_FD_TYPE_URETPROBE : BPF_FD_TYPE_UPROBE;
	*filename = uprobe->at.name;
	*probe_offset = uprobe->at.offset;
	*probe_addr = uprobe->at.counter;
	return 0;
}

/* The path that a perf event names; or an ERR_PTR. */
static char *uprobe_perf_name(const struct perf_event *event)
{
	char *name;

	if (!event->attr.uprobe_path)
		return ERR_PTR(-EINVAL);
	name = strndup_user(u64_to_user_ptr(event->attr.uprobe_path), PATH_MAX);
	if (IS_ERR(name))
		return name == ERR_PTR(-EINVAL) ? ERR_PTR(-E2BIG) : name;
	if (*name)
		return name;
	kfree(name);
	return ERR_PTR(-EINVAL);
}

/* Make the probe of a perf event; or an ERR_PTR. */
static struct trace_uprobe *uprobe_perf_make(const struct trace_uprobe_place *place,
					     const struct path *path)
{
	struct trace_fetch_context ctx = { .at = TRACE_FETCH_UPROBE };
	struct trace_probe_line line = { .group = UPROBE_SYSTEM };
	struct trace_uprobe *uprobe;
	int ret;

	if (!d_is_reg(path->dentry))
		return ERR_PTR(-EINVAL);
	uprobe = trace_uprobe_make(place, path);
	if (!uprobe)
		return ERR_PTR(-ENOMEM);
	line.args = "";
	line.end = line.args;
	strscpy(line.event, kbasename(place->name));
	ret = trace_probe_parse_args(&uprobe->probe, &line, &ctx);
	ret = ret ?: trace_probe_add_alone(&uprobe->probe, &line);
	if (!ret)
		return uprobe;
	trace_probe_free(&uprobe->probe);
	return ERR_PTR(ret);
}

static int uprobe_perf_attach(struct perf_event *event, const struct trace_uprobe_place *place,
			      const struct path *path)
{
	struct trace_uprobe *uprobe = uprobe_perf_make(place, path);
	struct trace_event_call *call;
	int ret;

	if (IS_ERR(uprobe))
		return PTR_ERR(uprobe);
	call = &uprobe->probe.event->call;
	ret = trace_event_perf_attach(call, event);
	if (ret)
		trace_probe_remove_alone(call);
	return ret;
}

/**
 * perf_uprobe_init - give a perf event of the PMU "uprobe" its probe
 * @event: the perf event; its attr has the path and the offset
 * @ref_ctr_offset: offset of a counter in the file; 0: there is none
 * @is_retprobe: the returns of a function are probed
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0; -E2BIG: the path is too long; -EFAULT; -EINVAL: it is no regular file, or the place
 * cannot be probed; another errno of kern_path() or of uprobes; -ENOMEM.
 */
int perf_uprobe_init(struct perf_event *event, unsigned long ref_ctr_offset, bool is_retprobe)
{
	struct trace_uprobe_place place = {
		.offset		= event->attr.probe_offset,
		.counter	= ref_ctr_offset,
		.is_return	= is_retprobe,
	};
	struct path path;
	int ret;

	place.name = uprobe_perf_name(event);
	if (IS_ERR(place.name))
		return PTR_ERR(place.name);
	ret = kern_path(place.name, LOOKUP_FOLLOW, &path);
	if (!ret) {
		ret = uprobe_perf_attach(event, &place, &path);
		path_put(&path);
	}
	kfree(place.name);
	return ret;
}

/**
 * perf_uprobe_destroy - undo perf_uprobe_init()
 * @event: the perf event, active nowhere
 *
 * Context: task, may sleep; mmap_lock may be held.
 */
void perf_uprobe_destroy(struct perf_event *event)
{
	trace_event_perf_detach(event, trace_probe_remove_alone);
}
