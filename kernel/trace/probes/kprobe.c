// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe events: the lines "p" and "r[MAXACTIVE]", which probe instructions of the kernel and the
 * returns of its functions.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probes/kprobe_site.h"

/* A place is kept for each return that is awaited at the same time. */
#define KPROBE_MAXACTIVE_MAX	4096

/* The number behind the letter, 0 if there is none. */
static int kprobe_maxactive(struct trace_probe_line *line, unsigned int *maxactive)
{
	const char *number = line->head + 1;
	size_t len = line->head_len - 1;
	char text[TRACE_PROBE_NAME_MAX];

	*maxactive = 0;
	if (!len)
		return 0;
	if (*line->head != 'r' && isdigit(*number))
		return trace_probe_error(&line->log, number, PROBE_BAD_MAXACT_TYPE);
	if (*line->head != 'r')
		return -ECANCELED;
	if (len >= sizeof(text))
		return trace_probe_error(&line->log, number, PROBE_BAD_MAXACT);
	memcpy(text, number, len);
	text[len] = '\0';
	if (kstrtouint(text, 0, maxactive) || !*maxactive)
		return trace_probe_error(&line->log, number, PROBE_BAD_MAXACT);
	if (*maxactive > KPROBE_MAXACTIVE_MAX)
		return trace_probe_error(&line->log, number, PROBE_MAXACT_TOO_BIG);
	return 0;
}

static void kprobe_free(struct trace_probe *probe)
{
	struct trace_kprobe *kprobe = trace_kprobe_of(probe);

	/* The place may be the symbol alone, and is freed already. */
	if (kprobe->rp.kp.symbol_name != probe->place)
		kfree(kprobe->rp.kp.symbol_name);
	kfree(kprobe);
}

/* The place as the list shows it, or the symbol itself; NULL: no memory. */
static char *kprobe_place_text(const struct trace_kprobe_place *place)
{
	if (!place->symbol)
		return kasprintf(GFP_KERNEL, "0x%lx", place->addr);
	if (place->offset)
		return kasprintf(GFP_KERNEL, "%s+%lu", place->symbol, place->offset);
	return place->symbol;
}

/* The head as the list shows it; NULL: no memory. */
static const char *kprobe_head_text(const struct trace_kprobe_place *place, unsigned int maxactive)
{
	if (maxactive)
		return kasprintf(GFP_KERNEL, "r%u", maxactive);
	return kstrdup_const(place->is_return ? "r" : "p", GFP_KERNEL);
}

/**
 * trace_kprobe_make - make a probe
 * @place: where it will be, whose symbol the probe has from now on
 * @maxactive: how many returns may be awaited; 0: as kprobes sees fit
 *
 * Context: task, may sleep.
 * Return: the probe, without arguments; NULL: no memory.
 */
struct trace_kprobe *trace_kprobe_make(struct trace_kprobe_place *place, unsigned int maxactive)
{
	struct trace_kprobe *kprobe = kzalloc(sizeof(*kprobe), GFP_KERNEL);
	struct kprobe *kp;
	int ret;

	if (!kprobe)
		return NULL;
	kp = &kprobe->rp.kp;
	INIT_LIST_HEAD(&kprobe->waits);
	kprobe->found = place->site;
	ret = trace_probe_init(&kprobe->probe, &trace_kprobe_kind,
			       place->is_return ? TRACE_PROBE_RETURN : TRACE_PROBE_AT);
	kprobe->probe.head = kprobe_head_text(place, maxactive);
	kprobe->probe.place = kprobe_place_text(place);
	kp->symbol_name = place->symbol;
	if (place->symbol)
		kp->offset = place->offset;
	else
		kp->addr = (kprobe_opcode_t *)place->addr;
	kprobe->rp.maxactive = maxactive;
	place->symbol = NULL;
	if (!ret && kprobe->probe.head && kprobe->probe.place)
		return kprobe;
	trace_probe_free(&kprobe->probe);
	return NULL;
}

/* Read the arguments of a probe, and say what its hits are for. */
static int kprobe_parse_args(struct trace_kprobe *kprobe, struct trace_probe_line *line,
			     const struct trace_kprobe_place *place)
{
	struct trace_fetch_context ctx = { .at = TRACE_FETCH_KPROBE };
	char *module __free(kfree) = NULL;
	const char *symbol = kprobe->rp.kp.symbol_name;
	const char *colon = symbol && !place->is_plain ? strchr(symbol, ':') : NULL;
	int ret;

	if (place->is_return)
		ctx.at = TRACE_FETCH_KPROBE_RETURN;
	else if (place->at_entry)
		ctx.at = TRACE_FETCH_KPROBE_ENTRY;
	ctx.function = symbol;
	if (colon) {
		module = kstrndup(symbol, colon - symbol, GFP_KERNEL);
		if (!module)
			return -ENOMEM;
		ctx.module = module;
		ctx.function = colon + 1;
	}
	ret = trace_probe_parse_args(&kprobe->probe, line, &ctx);
	if (!ret)
		trace_kprobe_carrier_init(kprobe);
	return ret;
}

static int kprobe_add(struct trace_probe_line *line, struct trace_kprobe_place *place,
		      unsigned int maxactive)
{
	char letter = place->is_return ? 'r' : 'p';
	struct trace_kprobe *kprobe;
	int ret;

	if (place->symbol)
		ret = trace_probe_line_name(line, "%c_%s_%lu", letter, place->symbol,
					    place->offset);
	else
		ret = trace_probe_line_name(line, "%c_0x%lx", letter, place->addr);
	if (ret)
		return ret;
	kprobe = trace_kprobe_make(place, maxactive);
	if (!kprobe)
		return -ENOMEM;
	ret = kprobe_parse_args(kprobe, line, place);
	ret = ret ?: trace_probe_add(&kprobe->probe, line);
	if (ret)
		trace_probe_free(&kprobe->probe);
	return ret;
}

/**
 * trace_kprobe_create - make a probe of a line
 * @text: the line
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -ECANCELED: it is a line of another kind; or an errno, and the error is logged.
 */
int trace_kprobe_create(const char *text)
{
	struct trace_kprobe_place place = { .is_return = *text == 'r' };
	struct trace_probe_line line;
	unsigned int maxactive;
	int ret;

	if ((*text != 'p' && *text != 'r') ||
	    !trace_probe_line_read(&line, text, &trace_kprobe_kind))
		return -ECANCELED;
	ret = kprobe_maxactive(&line, &maxactive);
	ret = ret ?: trace_kprobe_place_read(&place, &line);
	ret = ret ?: kprobe_add(&line, &place, maxactive);
	kfree(place.symbol);
	return ret;
}

/*
 * Register the carrier, or wait for the module that has the symbol. Errors of a line are logged;
 * the probe of a perf event has none.
 */
static int kprobe_join(struct trace_probe *probe, struct trace_probe_line *line)
{
	struct trace_kprobe *kprobe = trace_kprobe_of(probe);
	enum trace_probe_error error = PROBE_FAIL_REG_PROBE;
	int ret = trace_kprobe_join(kprobe);

	if (!ret || ret == -ENOMEM || !line->log.line)
		return ret;
	if (ret == -ENOENT && trace_kprobe_awaits_module(kprobe->rp.kp.symbol_name)) {
		pr_info("trace probes: %s waits for its module\n", probe->place);
		return 0;
	}
	if (ret == -ENOENT)
		error = PROBE_BAD_PROBE_ADDR;
	else if (ret == -EILSEQ)
		error = PROBE_BAD_INSN_BNDRY;
	trace_probe_error(&line->log, line->place, error);
	return ret;
}

struct trace_probe_kind trace_kprobe_kind = {
	.dyn	= { .create = trace_kprobe_create, .expect = trace_kprobe_place_expect },
	.group	= KPROBE_SYSTEM,
	.log	= "trace_kprobe",
	.flags	= TRACE_EVENT_FL_KPROBE,
	.join	= kprobe_join,
	.counts_entries = true,
	.arm	= trace_kprobe_arm,
	.disarm	= trace_kprobe_disarm,
	.leave	= trace_kprobe_site_leave,
	.settle	= trace_kprobe_settle,
	.free	= kprobe_free,
	.missed	= trace_kprobe_missed,
};
