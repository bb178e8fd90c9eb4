// SPDX-License-Identifier: GPL-2.0
/*
 * "interval=T:keep=N": a table for each interval of T that has hits, of which N closed ones are
 * kept. T is a time with its unit, or a number of what the clock counts.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "events/hist/parse.h"
#include "events/hist/ring.h"

/* A time is shown in the first of them that divides it. */
static const struct interval_unit {
	const char	*name;
	u64		ns;
} interval_units[] = {
	{ "s",	NSEC_PER_SEC },
	{ "ms",	NSEC_PER_MSEC },
	{ "us",	NSEC_PER_USEC },
	{ "ns",	1 },
};

/* 0 or -EINVAL. An interval is less than a quarter of the times that there are. */
static int interval_parse(const char *text, u64 *interval, bool *has_unit)
{
	size_t len = strspn(text, "0123456789");
	char digits[20] = "";
	u64 number;

	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	if (kstrtou64(digits, 10, &number) || !number)
		return -EINVAL;
	*has_unit = text[len];
	for (unsigned int i = 0; i < ARRAY_SIZE(interval_units); i++) {
		const struct interval_unit *unit = &interval_units[i];

		if (*has_unit && strcmp(text + len, unit->name))
			continue;
		*interval = *has_unit ? number * unit->ns : number;
		return number > div64_u64(S64_MAX / 2, *has_unit ? unit->ns : 1) ? -EINVAL : 0;
	}
	return -EINVAL;
}

/* Parse what was written. 0 or an errno. */
int trace_hist_interval(struct hist_parse *p)
{
	struct hist_spec *spec = p->spec;

	if (!p->interval && p->keep)
		return trace_hist_parse_fail(p, HIST_ERR_KEEP_ALONE, p->keep - strlen("keep="));
	if (!p->interval)
		return 0;
	if (interval_parse(p->interval, &spec->interval, &spec->interval_unit))
		return trace_hist_parse_fail(p, HIST_ERR_INTERVAL, p->interval);
	spec->keep = HIST_KEEP;
	if (p->keep && (kstrtouint(p->keep, 10, &spec->keep) || !spec->keep ||
			spec->keep > HIST_KEEP_MAX))
		return trace_hist_parse_fail(p, HIST_ERR_KEEP, p->keep);
	/* Hits have stamps of the clock. */
	spec->stamps = true;
	return 0;
}

/*
 * Refuse a variable @name of a number, which @text says, as "-1" does. The number is shown without
 * a sign: the text that is shown would have an interval or a keep, if the variable stands first.
 */
int trace_hist_interval_var(struct hist_parse *p, const char *name, const char *text)
{
	if (p->spec->nr_vars)
		return 0;
	if (!strcmp(name, "interval"))
		return trace_hist_parse_fail(p, HIST_ERR_INTERVAL, text);
	return strcmp(name, "keep") ? 0 : trace_hist_parse_fail(p, HIST_ERR_KEEP, text);
}

/* As it can be written. */
void trace_hist_interval_show(struct seq_file *m, const struct hist_spec *spec)
{
	const struct interval_unit *unit = interval_units;
	u64 rest;

	if (!spec->interval)
		return;
	for (; div64_u64_rem(spec->interval, unit->ns, &rest), rest; unit++)
		;
	if (spec->interval_unit)
		seq_printf(m, ":interval=%llu%s", div64_u64(spec->interval, unit->ns), unit->name);
	else
		seq_printf(m, ":interval=%llu", spec->interval);
	seq_printf(m, ":keep=%u", spec->keep);
}
