// SPDX-License-Identifier: GPL-2.0
/* Which of the hits of a trigger count; pace.h tells the words. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "events/trigger/pace.h"

static const struct pace_unit {
	const char	*name;
	u64		ns;
} pace_units[] = {
	/* A time is shown in the first of them that divides it. */
	{ "s",	NSEC_PER_SEC },
	{ "ms",	NSEC_PER_MSEC },
	{ "us",	NSEC_PER_USEC },
	{ "ns",	1 },
};

/* A number with its unit, greater than 0. */
static int pace_parse_time(const char *text, u64 *ns)
{
	char digits[21];
	size_t len = strspn(text, "0123456789");
	u64 number;

	if (!len || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (kstrtou64(digits, 10, &number) || !number)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(pace_units); i++) {
		if (strcmp(text + len, pace_units[i].name))
			continue;
		if (number > div64_u64(S64_MAX / 2, pace_units[i].ns))
			return -ERANGE;
		*ns = number * pace_units[i].ns;
		return 0;
	}
	return -EINVAL;
}

static int pace_parse_number(const char *text, unsigned long *number)
{
	int ret = kstrtoul(text, 0, number);

	if (!ret && *number > LONG_MAX / 2)
		ret = -ERANGE;
	return ret ?: (*number ? 0 : -EINVAL);
}

/* 1: it is one of the words, each of which may be given once. 0: it is another. */
static int pace_parse_word(struct trace_pace *pace, const char *word)
{
	const char *value = strchrnul(word, '=');
	int ret;

	value += *value == '=';
	if (str_has_prefix(word, "after="))
		ret = pace->after ? -EINVAL : pace_parse_number(value, &pace->after);
	else if (str_has_prefix(word, "every="))
		ret = pace->every ? -EINVAL : pace_parse_number(value, &pace->every);
	else if (str_has_prefix(word, "ratelimit="))
		ret = pace->gap ? -EINVAL : pace_parse_time(value, &pace->gap);
	else if (str_has_prefix(word, "delay="))
		ret = pace->delay ? -EINVAL : pace_parse_time(value, &pace->delay);
	else
		return 0;
	return ret ?: 1;
}

/**
 * trace_pace_parse - take the words of a pace off the end of a trigger's parameters
 * @pace: the pace
 * @text: words with colons between them; those of the pace are cut off
 *
 * Context: any.
 * Return: 1: nothing is left of @text; 0; -EINVAL, -ERANGE.
 */
int trace_pace_parse(struct trace_pace *pace, char *text)
{
	char *word;
	int ret;

	*pace = (struct trace_pace){ };
	for (;;) {
		word = strrchr(text, ':');
		ret = pace_parse_word(pace, word ? word + 1 : text);
		if (ret <= 0)
			return ret;
		if (!word)
			return 1;
		*word = '\0';
	}
}

/**
 * trace_pace_take - does a hit count?
 * @pace: the pace
 * @now: the time, ns by any clock that all CPUs share
 *
 * Hits on several CPUs at a time count as if one came behind the other.
 *
 * Context: any, NMI included.
 * Return: true if it does.
 */
bool trace_pace_take(struct trace_pace *pace, u64 now)
{
	unsigned long nr = atomic_long_inc_return(&pace->seen) - 1;
	s64 next;

	if (nr < pace->after)
		return false;
	if (pace->every > 1 && (nr - pace->after) % pace->every)
		return false;
	if (!pace->gap)
		return true;
	next = atomic64_read(&pace->next);
	/* If another hit moves it on meanwhile, that one is the action of this time. */
	return (s64)now >= next && atomic64_try_cmpxchg(&pace->next, &next, now + pace->gap);
}

static void pace_show_time(struct seq_file *m, const char *name, u64 ns)
{
	const struct pace_unit *unit = pace_units;
	u64 number, rest;

	if (!ns)
		return;
	/* Nanoseconds divide all of them. */
	for (number = div64_u64_rem(ns, unit->ns, &rest); rest;
	     number = div64_u64_rem(ns, unit->ns, &rest))
		unit++;
	seq_printf(m, ":%s=%llu%s", name, number, unit->name);
}

/**
 * trace_pace_show - the words of a pace as they can be written, each with a ':' before it
 * @m: where to
 * @pace: the pace
 *
 * Context: task.
 */
void trace_pace_show(struct seq_file *m, const struct trace_pace *pace)
{
	if (pace->after)
		seq_printf(m, ":after=%lu", pace->after);
	if (pace->every)
		seq_printf(m, ":every=%lu", pace->every);
	pace_show_time(m, "ratelimit", pace->gap);
	pace_show_time(m, "delay", pace->delay);
}
