/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: probes whose carrier is a uprobe, a breakpoint in user space.
 */
#ifndef _TRACE_PROBES_UPROBE_H
#define _TRACE_PROBES_UPROBE_H

#include <linux/path.h>
#include <linux/types.h>

#include "probes/hit.h"

#define UPROBE_SYSTEM	"uprobes"

/**
 * struct trace_uprobe_place - where a uprobe is put
 * @name:	the file, as the user wrote it
 * @offset:	in the file
 * @counter:	offset in the file of a counter that is raised as long as the probe is armed; 0
 * @is_return:	the returns of the function that begins at @offset are probed
 */
struct trace_uprobe_place {
	char		*name;
	unsigned long	offset;
	unsigned long	counter;
	bool		is_return;
};

/**
 * struct trace_uprobe - a probe whose carrier is a uprobe
 * @probe:	the probe
 * @path:	the file; has a reference. Constant, until the probe has left and settled
 * @at:		where it is; constant
 * @use:	the carrier, NULL: it is not armed; events mutex
 * @has_hit:	it was armed; events mutex, unless it has left
 */
struct trace_uprobe {
	struct trace_probe		probe;
	struct path			path;
	struct trace_uprobe_place	at;
	struct uprobe_use		*use;
	bool				has_hit;
};

static inline struct trace_uprobe *trace_uprobe_of(const struct trace_probe *probe)
{
	return container_of((struct trace_probe *)probe, struct trace_uprobe, probe);
}

/* uprobe.c */
extern struct trace_probe_kind trace_uprobe_kind;
struct trace_uprobe *trace_uprobe_make(const struct trace_uprobe_place *place,
				       const struct path *path);
int trace_uprobe_run(char *line);

/* uprobe_place.c */
int trace_uprobe_place_read(struct trace_uprobe_place *place, struct trace_probe_line *line);

/* uprobe_carrier.c */
int trace_uprobe_arm(struct list_head *probes);
void trace_uprobe_disarm(struct list_head *probes);
void trace_uprobe_settle(struct list_head *probes);
int trace_uprobe_widen(struct list_head *probes);

#endif /* _TRACE_PROBES_UPROBE_H */
