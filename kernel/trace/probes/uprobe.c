// SPDX-License-Identifier: GPL-2.0
/*
 * uprobe events: the lines "p PATH:OFFSET" and "r PATH:OFFSET", which probe instructions of a file
 * in all programs that map it, and the returns of its functions.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "output/output.h"
#include "probes/internal.h"
#include "probes/probes.h"
#include "probes/uprobe.h"

static void uprobe_let_go(struct trace_uprobe *uprobe)
{
	if (uprobe->path.dentry)
		path_put(&uprobe->path);
	uprobe->path = (struct path){ };
}

/*
 * Let the files of the probes go as well. The last reference of a file may take as long as its file
 * system likes, so it is put here, where no lock is held and a task that is killed does not wait,
 * and before the user looks for the file again.
 */
static void uprobe_settle(struct list_head *probes)
{
	struct trace_probe *probe;

	trace_uprobe_settle(probes);
	for_each_trace_probe(probe, probes)
		uprobe_let_go(trace_uprobe_of(probe));
}

/* A probe that was in its place has let its file go. Others are freed without a lock. */
static void uprobe_free(struct trace_probe *probe)
{
	struct trace_uprobe *uprobe = trace_uprobe_of(probe);

	kfree(uprobe->at.name);
	uprobe_let_go(uprobe);
	kfree(uprobe);
}

/* The place as the list shows it; NULL: no memory. */
static char *uprobe_place_text(const struct trace_uprobe_place *place)
{
	const int digits = 2 * sizeof(long);

	if (place->counter)
		return kasprintf(GFP_KERNEL, "%s:0x%0*lx(0x%lx)", place->name, digits,
				 place->offset, place->counter);
	return kasprintf(GFP_KERNEL, "%s:0x%0*lx", place->name, digits, place->offset);
}

/**
 * trace_uprobe_make - make a probe
 * @place: where it will be; it keeps a copy
 * @path: the file; it takes a reference
 *
 * Context: task, may sleep.
 * Return: the probe, without arguments; NULL: no memory.
 */
struct trace_uprobe *trace_uprobe_make(const struct trace_uprobe_place *place,
				       const struct path *path)
{
	struct trace_uprobe *uprobe = kzalloc(sizeof(*uprobe), GFP_KERNEL);
	int ret;

	if (!uprobe)
		return NULL;
	ret = trace_probe_init(&uprobe->probe, &trace_uprobe_kind,
			       place->is_return ? TRACE_PROBE_RETURN : TRACE_PROBE_AT);
	uprobe->probe.head = kstrdup_const(place->is_return ? "r" : "p", GFP_KERNEL);
	uprobe->probe.place = uprobe_place_text(place);
	uprobe->path = *path;
	path_get(&uprobe->path);
	uprobe->at = *place;
	uprobe->at.name = kstrdup(place->name, GFP_KERNEL);
	if (!ret && uprobe->probe.head && uprobe->probe.place && uprobe->at.name)
		return uprobe;
	trace_probe_free(&uprobe->probe);
	return NULL;
}

/* An event is named after the file by default, up to the first of these characters. */
static int uprobe_name(struct trace_probe_line *line, const struct trace_uprobe_place *place)
{
	const char *file = kbasename(place->name);

	return trace_probe_line_name(line, "p_%.*s_0x%lx", (int)strcspn(file, ".-_"), file,
				     place->offset);
}

static int uprobe_add(struct trace_probe_line *line, const struct trace_uprobe_place *place,
		      const struct path *path)
{
	struct trace_fetch_context ctx = {
		.at = place->is_return ? TRACE_FETCH_UPROBE_RETURN : TRACE_FETCH_UPROBE,
	};
	struct trace_uprobe *uprobe;
	int ret;

	if (!d_is_reg(path->dentry))
		return trace_probe_error(&line->log, line->place, PROBE_NO_REGULAR_FILE);
	ret = uprobe_name(line, place);
	if (ret)
		return ret;
	uprobe = trace_uprobe_make(place, path);
	if (!uprobe)
		return -ENOMEM;
	ret = trace_probe_parse_args(&uprobe->probe, line, &ctx);
	ret = ret ?: trace_probe_add(&uprobe->probe, line);
	if (ret)
		trace_probe_free(&uprobe->probe);
	return ret;
}

/*
 * A place in a file has one counter, or none: uprobes keep one for all probes of a place. Probes
 * of perf, which no line tells of, are refused when they are armed.
 */
static int uprobe_join(struct trace_probe *probe, struct trace_probe_line *line)
{
	const struct trace_uprobe *uprobe = trace_uprobe_of(probe);
	const struct inode *inode = d_real_inode(uprobe->path.dentry);
	struct trace_dyn_event *dyn = NULL;

	if (!line->log.line)
		return 0;
	while ((dyn = trace_dyn_event_next(&trace_uprobe_kind.dyn, dyn))) {
		const struct trace_uprobe *other = trace_uprobe_of(trace_probe_of(dyn));

		if (!other->probe.left && other->at.offset == uprobe->at.offset &&
		    other->at.counter != uprobe->at.counter &&
		    d_real_inode(other->path.dentry) == inode)
			return trace_probe_error(&line->log, line->place, PROBE_BAD_REFCNT);
	}
	return 0;
}

/* Only the letter may stand in front of the colon. */
static bool uprobe_is_head(const struct trace_probe_line *line)
{
	return line->head_len == 1;
}

/* Make a probe of a line. -ECANCELED: it is of another kind. */
static int uprobe_create(const char *text)
{
	struct trace_uprobe_place place = { .is_return = *text == 'r' };
	struct trace_probe_line line;
	struct path path;
	int ret;

	if ((*text != 'p' && *text != 'r') ||
	    !trace_probe_line_read(&line, text, &trace_uprobe_kind) || !uprobe_is_head(&line))
		return -ECANCELED;
	ret = trace_uprobe_place_read(&place, &line);
	if (!ret) {
		ret = kern_path(place.name, LOOKUP_FOLLOW, &path);
		if (ret)
			trace_probe_error(&line.log, line.place, PROBE_FILE_NOT_FOUND);
	}
	if (!ret) {
		ret = uprobe_add(&line, &place, &path);
		path_put(&path);
	}
	kfree(place.name);
	return ret;
}

/**
 * trace_uprobe_run - do what a line of uprobe_events says
 * @line: the line, which is changed
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EINVAL: it is no such line; -ENOENT, -EBUSY of an event to be removed; or another
 * errno, and the error is logged.
 */
int trace_uprobe_run(char *line)
{
	int ret;

	if (*line == '-')
		return trace_dyn_remove(&trace_uprobe_kind.dyn, line);
	ret = uprobe_create(line);
	return ret == -ECANCELED ? -EINVAL : ret;
}

/* Addresses of user space have no symbols here. */
static void uprobe_print_at(struct trace_iterator *iter, const struct trace_probe_event *event,
			    const unsigned long *at)
{
	if (event->shape == TRACE_PROBE_RETURN)
		trace_seq_printf(&iter->seq, "(0x%lx <- 0x%lx)", at[1], at[0]);
	else
		trace_seq_printf(&iter->seq, "(0x%lx)", at[0]);
}

struct trace_probe_kind trace_uprobe_kind = {
	.dyn	= { .create = uprobe_create },
	.group	= UPROBE_SYSTEM,
	.log	= "trace_uprobe",
	.flags	= TRACE_EVENT_FL_UPROBE,
	.join	= uprobe_join,
	.arm	= trace_uprobe_arm,
	.disarm	= trace_uprobe_disarm,
	.leave	= trace_uprobe_disarm,
	.settle	= uprobe_settle,
	.widen	= trace_uprobe_widen,
	.free	= uprobe_free,
	.print_at = uprobe_print_at,
};

/**
 * trace_uprobes_init - have uprobe events
 *
 * Context: an initcall before there are files.
 */
void __init trace_uprobes_init(void)
{
	trace_probe_kind_register(&trace_uprobe_kind);
}
