/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: all tables of a histogram, as a reader of the file "hist" gets them: one, or
 * one for each interval.
 */
#ifndef _TRACE_EVENTS_HIST_TABLES_H
#define _TRACE_EVENTS_HIST_TABLES_H

#include "events/hist/internal.h"

struct hist_table;
struct hist_tables;

/* show.c: one table. Part 0 is nothing, then a row each, and the last part has the totals. */
struct hist_table *trace_hist_table_make(const struct hist_trigger *ht, struct trace_map *map);
void trace_hist_table_free(struct hist_table *table);
void trace_hist_table_show(struct seq_file *m, struct hist_table *table, unsigned int part,
			   bool last);
unsigned int trace_hist_table_parts(const struct hist_table *table);
const struct trace_map_reading *trace_hist_table_reading(const struct hist_table *table);
void trace_hist_books_show(struct seq_file *m, const struct trace_map_reading *r, u64 nested);

/* tables.c */
struct hist_tables *trace_hist_tables_make(const struct hist_trigger *ht, struct trace_array *tr);
void trace_hist_tables_free(struct hist_tables *tables);
bool trace_hist_tables_show(struct seq_file *m, struct hist_tables *tables, unsigned int part,
			    const char *filter);
unsigned int trace_hist_tables_parts(const struct hist_tables *tables);
u64 trace_hist_seen(const struct hist *hist);
size_t trace_hist_bytes(const struct hist *hist);

#endif /* _TRACE_EVENTS_HIST_TABLES_H */
