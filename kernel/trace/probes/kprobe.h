/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: probes whose carrier is a kprobe or a kretprobe.
 */
#ifndef _TRACE_PROBES_KPROBE_H
#define _TRACE_PROBES_KPROBE_H

#include <linux/kprobes.h>

#include "probes/hit.h"

#define KPROBE_SYSTEM	"kprobes"

/**
 * struct trace_kprobe_place - where a kprobe is put
 * @symbol:	the symbol, with its module as "MODULE:SYMBOL"; NULL: there is only @addr
 * @offset:	bytes from @symbol
 * @addr:	the address, if there is no symbol
 * @is_return:	the returns of the function are probed
 * @at_entry:	it is known to be a function's first instruction
 */
struct trace_kprobe_place {
	char		*symbol;
	unsigned long	offset;
	unsigned long	addr;
	bool		is_return;
	bool		at_entry;
};

/**
 * struct trace_kprobe - a probe whose carrier is a kprobe
 * @probe:	the probe
 * @rp:		the carrier; only @rp.kp if it is no return that is probed. Its symbol and the
 *		offset are constant; kprobes has the rest
 * @missed_before: misses that the carrier had counted when it was registered last; events mutex
 * @joined:	the carrier is registered; events mutex
 */
struct trace_kprobe {
	struct trace_probe	probe;
	struct kretprobe	rp;
	unsigned long		missed_before[TRACE_PROBE_MISSES];
	bool			joined;
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
int trace_kprobe_place_read(struct trace_kprobe_place *place, struct trace_probe_line *line);
bool trace_kprobe_is_forbidden(const struct trace_kprobe *kprobe);
bool trace_kprobe_awaits_module(const char *symbol);
int trace_kprobe_check_symbol(const char *symbol);

/* kprobe_carrier.c */
int trace_kprobe_join(struct trace_kprobe *kprobe);
int trace_kprobe_arm(struct list_head *probes);
void trace_kprobe_disarm(struct list_head *probes);
void trace_kprobe_leave(struct list_head *probes);
void trace_kprobe_missed(const struct trace_probe *probe, struct trace_probe_counts *counts);
void trace_kprobe_carrier_init(struct trace_kprobe *kprobe);

/* kprobe.c */
extern struct trace_probe_kind trace_kprobe_kind;
struct trace_kprobe *trace_kprobe_make(const struct trace_kprobe_place *place,
				       unsigned int maxactive);
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
