// SPDX-License-Identifier: GPL-2.0
/*
 * Values that are not added up: VALUE.min, VALUE.max, and percentiles: VALUE.p50, VALUE.p99. The
 * digits of a percentile are those behind the decimal point of a share, two at least, so .p999 is
 * the number that 99.9 % of the hits do not exceed. All percentiles of a value are told from one
 * spread of the map (lib/spread.h), and all of its maxima are one.
 *
 * The map keeps the largest number without a sign. FLIPPED, a smaller number is a larger one, and
 * numbers with a sign have their order.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "events/hist/fold.h"
#include "events/hist/parse.h"

#define FOLD_DIGITS	6	/* of a millionth */

/* Is it 'p' and digits? */
static bool fold_is_percentile(const char *word)
{
	return *word == 'p' && isdigit(word[1]) && !word[1 + strspn(word + 1, "0123456789")];
}

/* Two digits or more, and no zeros behind the second, so that .p100 does not mean .p10. */
static int fold_percentile(const char *digits, u32 *ppm)
{
	size_t len = strlen(digits);

	if (len < 2 || len > FOLD_DIGITS || (len > 2 && digits[len - 1] == '0'))
		return -EINVAL;
	*ppm = 0;
	for (unsigned int i = 0; i < FOLD_DIGITS; i++)
		*ppm = 10 * *ppm + (i < len ? digits[i] - '0' : 0);
	return *ppm ? 0 : -EINVAL;
}

/**
 * trace_hist_fold_read - find how a value is folded, behind the last '.' of its text
 * @p: the text
 * @f: gets it
 * @word: the text of the value, which is cut there
 *
 * Context: task.
 * Return: 0; -EINVAL: it is no percentile, as has been told.
 */
int trace_hist_fold_read(const struct hist_parse *p, struct hist_field *f, char *word)
{
	char *dot = strrchr(word, '.'), *fold = dot ? dot + 1 : NULL;

	if (!dot)
		return 0;
	if (!strcmp(fold, "min"))
		f->fold = HIST_MIN;
	else if (!strcmp(fold, "max"))
		f->fold = HIST_MAX;
	else if (fold_is_percentile(fold))
		f->fold = HIST_QUANTILE;
	else
		return 0;
	if (f->fold == HIST_QUANTILE && fold_percentile(fold + 1, &f->ppm))
		return trace_hist_parse_fail(p, HIST_ERR_PERCENTILE, fold);
	*dot = '\0';
	return 0;
}

/* How a value is folded, with the '.', as it can be written. */
void trace_hist_fold_text(const struct hist_field *f, char *text, size_t size)
{
	size_t len;

	*text = '\0';
	if (f->fold == HIST_MIN || f->fold == HIST_MAX) {
		strscpy(text, f->fold == HIST_MIN ? ".min" : ".max", size);
	} else if (f->fold == HIST_QUANTILE) {
		len = scnprintf(text, size, ".p%0*u", FOLD_DIGITS, f->ppm);
		while (len > strlen(".p99") && text[len - 1] == '0')
			text[--len] = '\0';
	}
}

/* A value has been parsed, which trace_hist_fold_read() has looked at. 0 or an errno. */
int trace_hist_fold_made(const struct hist_parse *p, const struct hist_field *f, const char *word)
{
	if (f->fold && (f->source == HIST_HITS || (f->modifier && f->modifier != HIST_HEX &&
						   f->modifier != HIST_USECS)))
		return trace_hist_parse_fail(p, HIST_ERR_MODIFIER, word);
	return 0;
}

/* Do two values get the same number of each hit? */
static bool fold_same_value(const struct hist_field *a, const struct hist_field *b)
{
	return a->source == b->source && a->modifier == b->modifier && a->width == b->width &&
	       a->room == b->room && !strcmp(a->name, b->name);
}

/*
 * Give a value its place in what the map gets. If a value before it is folded in the same way, both
 * have one place; otherwise the value gets the next place, @at.
 */
static void fold_place(struct hist_spec *spec, unsigned int i, unsigned int first,
		       unsigned int *at)
{
	struct hist_folds *folds = spec->folds;
	struct hist_field *f = &spec->values[i];

	for (unsigned int j = 0; j < i; j++) {
		const struct hist_field *before = &spec->values[j];

		if (f->fold && before->fold == f->fold && fold_same_value(before, f)) {
			f->sum = before->sum;
			return;
		}
	}
	if (f->is_signed && f->fold == HIST_QUANTILE)
		folds->signed_spreads |= BIT(*at - first);
	if (f->fold == HIST_MIN || f->fold == HIST_MAX)
		folds->flip[*at] = (f->fold == HIST_MIN ? U64_MAX : 0) ^
				   (f->is_signed ? BIT_ULL(63) : 0);
	folds->load[*at] = f;
	f->sum = *at - first;
	++*at;
}

/*
 * All values have been parsed, and some are folded: choose what the map gets, first what is added
 * up, then maxima, then spreads. 0 or -ENOMEM.
 */
int trace_hist_folds_plan(struct hist_spec *spec)
{
	struct hist_folds *folds;
	unsigned int at = 0;
	bool some = false;

	for (unsigned int i = 0; i < spec->nr_values; i++)
		some |= spec->values[i].fold;
	if (!some)
		return 0;
	folds = trace_hist_alloc(spec, sizeof(*folds));
	if (!folds)
		return -ENOMEM;
	spec->folds = folds;
	for (unsigned int i = 0; i < spec->nr_values; i++) {
		if (!spec->values[i].fold && spec->values[i].source != HIST_HITS)
			fold_place(spec, i, 0, &at);
	}
	folds->sums = at;
	for (unsigned int i = 0; i < spec->nr_values; i++) {
		if (spec->values[i].fold == HIST_MIN || spec->values[i].fold == HIST_MAX)
			fold_place(spec, i, 0, &at);
	}
	folds->maxima = at - folds->sums;
	/* In a row, the number of hits stands before sums and maxima. */
	for (unsigned int i = 0; i < spec->nr_values; i++) {
		if (spec->values[i].fold != HIST_QUANTILE && spec->values[i].source != HIST_HITS)
			spec->values[i].sum++;
	}
	folds->nr = at;
	for (unsigned int i = 0; i < spec->nr_values; i++) {
		if (spec->values[i].fold == HIST_QUANTILE)
			fold_place(spec, i, folds->nr, &at);
	}
	folds->spreads = at - folds->nr;
	folds->nr = at;
	return 0;
}

/**
 * trace_hist_fold_value - a value of a row
 * @spec: the text
 * @reading: of its map
 * @row: of the reading
 * @f: the value
 * @left_out: how many hits a percentile does not know
 *
 * Context: task.
 * Return: the number.
 */
u64 trace_hist_fold_value(const struct hist_spec *spec, const struct trace_map_reading *reading,
			  const struct trace_map_row *row, const struct hist_field *f,
			  u64 *left_out)
{
	u64 value, nr;

	*left_out = 0;
	if (f->fold == HIST_QUANTILE) {
		value = trace_map_quantile(reading, row, f->sum, f->ppm, &nr);
		*left_out = row->sums[0] - nr;
		return value;
	}
	value = row->sums[f->sum];
	return f->fold ? value ^ spec->folds->flip[f->sum - 1] : value;
}
