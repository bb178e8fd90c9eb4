/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: probes whose carrier is a kprobe or a kretprobe.
 */
#ifndef _TRACE_PROBES_KPROBE_H
#define _TRACE_PROBES_KPROBE_H

#include <linux/kprobes.h>

#include "probes/hit.h"

#define KPROBE_SYSTEM	"kprobes"

struct trace_probe_use;

/**
 * struct trace_kprobe_place - where a kprobe is put
 * @symbol:	the symbol, with its module as "MODULE:SYMBOL"; NULL: there is only @addr
 * @is_plain:	@symbol is known to name no module
 * @offset:	bytes from @symbol
 * @addr:	the address, if there is no symbol
 * @site:	the site of the function, if @symbol is one that can be hooked; or 0
 * @is_return:	the returns of the function are probed
 * @at_entry:	it is known to be a function's first instruction
 */
struct trace_kprobe_place {
	char		*symbol;
	bool		is_plain;
	unsigned long	offset;
	unsigned long	addr;
	unsigned long	site;
	bool		is_return;
	bool		at_entry;
};

/**
 * struct trace_kprobe - a probe whose carrier is a kprobe
 * @probe:	the probe
 * @rp:		the carrier; only @rp.kp if it is no return that is probed. Its symbol and the
 *		offset are constant; kprobes has the rest
 * @before:	what the carrier had counted when it was registered last; events mutex
 * @found:	the site of its function, when the line was read; or 0; constant
 * @joined:	the carrier is registered, or the site is known; events mutex
 * @leaving:	of those that are unregistered together; kprobe_leave_mutex
 * @site:	the function's site, which is hooked instead of registering the carrier; 0: the
 *		carrier is registered. Constant while @joined
 *
 * Members for kprobe_site.c:
 *
 * @modify:	programs of BPF may replace the function; constant while @joined
 * @others:	of all probes with a site; events mutex
 * @armed:	the table has it; events mutex
 * @waits:	to be switched on or off; events mutex
 * @next:	of the probes at the site that the table has; RCU
 * @back:	awaits its returns, while it is armed and there are any; RCU
 * @left:	it is in no hit any more when this grace period is over; events mutex
 */
struct trace_kprobe {
	struct trace_probe	probe;
	struct kretprobe	rp;
	struct trace_probe_counts before;
	unsigned long		found;
	bool			joined;
	struct list_head	leaving;
	bool			modify;
	bool			armed;
	unsigned long		site;
	struct list_head	others;
	struct list_head	waits;
	struct trace_kprobe	*next;
	struct trace_probe_use	*back;
	unsigned long		left;
};

static inline struct trace_kprobe *trace_kprobe_of(const struct trace_probe *probe)
{
	return container_of((struct trace_probe *)probe, struct trace_kprobe, probe);
}

static inline bool trace_kprobe_is_return(const struct trace_kprobe *kprobe)
{
	return kprobe->probe.shape == TRACE_PROBE_RETURN;
}

/* kprobe_place.c */
void trace_kprobe_place_expect(const char *line, unsigned long lines);
int trace_kprobe_place_read(struct trace_kprobe_place *place, struct trace_probe_line *line);
bool trace_kprobe_is_forbidden(const struct trace_kprobe *kprobe);
bool trace_kprobe_awaits_module(const char *symbol);
int trace_kprobe_check_symbol(const char *symbol);
unsigned long trace_kprobe_find_site(const struct trace_kprobe *kprobe);

/* kprobe_carrier.c */
int trace_kprobe_join(struct trace_kprobe *kprobe);
int trace_kprobe_arm(struct list_head *probes);
void trace_kprobe_disarm(struct list_head *probes);
void trace_kprobe_settle(struct list_head *probes);
void trace_kprobe_module_goes(const struct module *mod,
			      void (*collect)(const struct module *mod, struct list_head *leaving));
void trace_kprobe_missed(const struct trace_probe *probe, struct trace_probe_counts *counts);
void trace_kprobe_carrier_init(struct trace_kprobe *kprobe);

/* kprobe.c */
extern struct trace_probe_kind trace_kprobe_kind;
struct trace_kprobe *trace_kprobe_make(struct trace_kprobe_place *place, unsigned int maxactive);
int trace_kprobe_create(const char *text);

/* kprobe_command.c */
int trace_kprobe_run(char *line);

/* kprobe_module.c */
#ifdef CONFIG_MODULES
int trace_kprobe_modules_init(void);
#else
static inline int trace_kprobe_modules_init(void) { return 0; }
#endif

#endif /* _TRACE_PROBES_KPROBE_H */
