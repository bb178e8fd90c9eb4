// SPDX-License-Identifier: GPL-2.0
/*
 * perf's own kprobes: a perf event of the PMU "kprobe" brings a probe of its own, whose event is
 * on no list. BPF asks here about kprobe events, too.
 */
#include <linux/bpf.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/limits.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/perf.h"
#include "probes/internal.h"
#include "probes/kprobe.h"
#include "probes/probes.h"

/* The first probe of an event of kprobes; the events mutex is held, or perf has the event. */
static struct trace_kprobe *kprobe_perf_first(struct trace_event_call *call)
{
	struct trace_probe_event *event = trace_probe_event_of(call);

	if (!event || event->kind != &trace_kprobe_kind)
		return NULL;
	return trace_kprobe_of(list_first_entry(&event->probes, struct trace_probe, sibling));
}

/**
 * trace_kprobe_on_func_entry - does an event probe the first instruction of a function?
 * @call: the event, which the caller keeps
 *
 * Context: task, may sleep.
 * Return: true if it does.
 */
bool trace_kprobe_on_func_entry(struct trace_event_call *call)
{
	struct trace_kprobe *kprobe = kprobe_perf_first(call);

	return kprobe && kprobe->rp.kp.addr &&
	       !kprobe_on_func_entry(kprobe->rp.kp.addr, NULL, 0);
}

/**
 * trace_kprobe_error_injectable - may what the probed function returns be replaced?
 * @call: the event, which the caller keeps
 *
 * Context: task, may sleep.
 * Return: true if the function says so.
 */
bool trace_kprobe_error_injectable(struct trace_event_call *call)
{
	struct trace_kprobe *kprobe = kprobe_perf_first(call);

	return kprobe && within_error_injection_list((unsigned long)kprobe->rp.kp.addr);
}

#ifdef CONFIG_PERF_EVENTS
/**
 * bpf_get_kprobe_info - what a link of BPF shows of a kprobe event
 * @event: the perf event
 * @fd_type: set to the kind
 * @symbol: set to the symbol; NULL: there is only an address
 * @probe_offset: set to the offset from the symbol
 * @probe_addr: set to the address; 0: the task must not know it
 * @missed: set to how many hits were missed; may be NULL
 * @perf_type_tracepoint: the perf event is one of a kprobe event of tracefs
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0; -EINVAL: it is no kprobe event.
 */
int bpf_get_kprobe_info(const struct perf_event *event, u32 *fd_type, const char **symbol,
			u64 *probe_offset, u64 *probe_addr, unsigned long *missed,
			bool perf_type_tracepoint)
{
	struct trace_probe_counts counts;
	struct trace_kprobe *kprobe;

	guard(trace_events)();
	kprobe = kprobe_perf_first(event->tp_event);
	if (!kprobe)
		return -EINVAL;
	*fd_type = trace_kprobe_is_return(kprobe) ? BPF_FD_TYPE_KRETPROBE : BPF_FD_TYPE_KPROBE;
	*symbol = kprobe->rp.kp.symbol_name;
	*probe_offset = kprobe->rp.kp.offset;
	*probe_addr = 0;
	if (kallsyms_show_value(current_cred()))
		*probe_addr = (unsigned long)kprobe->rp.kp.addr;
	if (!missed)
		return 0;
	trace_probe_count(&kprobe->probe, &counts);
	*missed = trace_probe_counts_missed(&counts) - counts.missed[TRACE_PROBE_MISS_OFF];
	return 0;
}

/* The symbol that a perf event names, NULL: none; or an ERR_PTR. */
static char *kprobe_perf_symbol(const struct perf_event *event)
{
	char *symbol;

	if (!event->attr.kprobe_func)
		return NULL;
	symbol = strndup_user(u64_to_user_ptr(event->attr.kprobe_func), KSYM_NAME_LEN);
	if (IS_ERR(symbol))
		return symbol == ERR_PTR(-EINVAL) ? ERR_PTR(-E2BIG) : symbol;
	if (*symbol)
		return symbol;
	kfree(symbol);
	return NULL;
}

/* Make the probe of a perf event, and put it into place. NULL: no memory. */
static struct trace_kprobe *kprobe_perf_make(struct trace_kprobe_place *place)
{
	struct trace_fetch_context ctx = { .at = TRACE_FETCH_KPROBE };
	struct trace_probe_line line = { .group = KPROBE_SYSTEM };
	struct trace_kprobe *kprobe = trace_kprobe_make(place, 0);
	int ret;

	if (!kprobe)
		return ERR_PTR(-ENOMEM);
	line.args = "";
	line.end = line.args;
	strscpy(line.event, kprobe->rp.kp.symbol_name ?: "kprobe");
	ret = trace_probe_parse_args(&kprobe->probe, &line, &ctx);
	if (!ret) {
		trace_kprobe_carrier_init(kprobe);
		ret = trace_probe_add_alone(&kprobe->probe, &line);
	}
	if (!ret)
		return kprobe;
	trace_probe_free(&kprobe->probe);
	return ERR_PTR(ret);
}

static int kprobe_perf_attach(struct perf_event *event, struct trace_kprobe_place *place)
{
	struct trace_kprobe *kprobe = kprobe_perf_make(place);
	struct trace_event_call *call;
	int ret;

	if (IS_ERR(kprobe))
		return PTR_ERR(kprobe);
	call = &kprobe->probe.event->call;
	ret = trace_event_perf_attach(call, event);
	if (ret)
		trace_probe_remove_alone(call);
	return ret;
}

/**
 * perf_kprobe_init - give a perf event of the PMU "kprobe" its probe
 * @event: the perf event; its attr has the symbol and offset, or the address
 * @is_retprobe: the returns of a function are probed
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0; -E2BIG: the symbol is too long; -EFAULT; -ENOENT: there is no such symbol;
 * -EADDRNOTAVAIL: there are several; -EINVAL, -EILSEQ: nothing can be probed there; -EPERM;
 * -ENOMEM.
 */
int perf_kprobe_init(struct perf_event *event, bool is_retprobe)
{
	struct trace_kprobe_place place = {
		.offset		= event->attr.probe_offset,
		.addr		= event->attr.kprobe_addr,
		.is_return	= is_retprobe,
	};
	int ret = 0;

	place.symbol = kprobe_perf_symbol(event);
	if (IS_ERR(place.symbol))
		return PTR_ERR(place.symbol);
	/* Without a symbol, the same word of attr is the address. */
	if (place.symbol && place.offset > UINT_MAX)
		ret = -EINVAL;
	else if (place.symbol)
		ret = trace_kprobe_check_symbol(place.symbol);
	ret = ret ?: kprobe_perf_attach(event, &place);
	kfree(place.symbol);
	return ret;
}

/**
 * perf_kprobe_destroy - undo perf_kprobe_init()
 * @event: the perf event, active nowhere
 *
 * Context: task, may sleep; mmap_lock may be held.
 */
void perf_kprobe_destroy(struct perf_event *event)
{
	trace_event_perf_detach(event, trace_probe_remove_alone);
}
#endif
