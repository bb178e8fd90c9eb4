/* SPDX-License-Identifier: GPL-2.0 */
/* events/hist/ inside: values of which minima, maxima and percentiles are shown, see fold.c. */
#ifndef _TRACE_EVENTS_HIST_FOLD_H
#define _TRACE_EVENTS_HIST_FOLD_H

#include "events/hist/spec.h"
#include "lib/map.h"

struct hist_parse;

int trace_hist_fold_read(const struct hist_parse *p, struct hist_field *f, char *word);
int trace_hist_fold_made(const struct hist_parse *p, const struct hist_field *f, const char *word);
void trace_hist_fold_text(const struct hist_field *f, char *text, size_t size);
int trace_hist_folds_plan(struct hist_spec *spec);
u64 trace_hist_fold_value(const struct hist_spec *spec, const struct trace_map_reading *reading,
			  const struct trace_map_row *row, const struct hist_field *f,
			  u64 *left_out);

#endif /* _TRACE_EVENTS_HIST_FOLD_H */
