// SPDX-License-Identifier: GPL-2.0
/*
 * All tables of a histogram, read at one moment. A table that is closed changes no more, but for
 * hits that had begun when it was closed.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/ring_buffer.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "events/file.h"
#include "events/hist/ring.h"
#include "events/hist/tables.h"
#include "instance/buffers.h"

/* A table with its interval. @begin: HIST_RING_UNSET: no hit has come. */
struct tables_one {
	struct hist_table	*table;
	u64			begin;
	u64			end;
};

/**
 * struct hist_tables - the tables
 * @ht:		a trigger of the histogram
 * @ring:	with a reference, or NULL: there is one table, without an interval
 * @held:	tables of the ring
 * @sum:	the books of those of its tables that are not shown; then of all
 * @in_ns:	stamps are ns
 * @nr:		tables that are shown
 * @one:	these
 */
struct hist_tables {
	const struct hist_trigger	*ht;
	struct hist_ring		*ring;
	struct hist_ring_table		**held;
	struct hist_ring_sum		sum;
	bool				in_ns;
	unsigned int			nr;
	struct tables_one		one[];
};

static int tables_read(struct hist_tables *tables, struct trace_map *map)
{
	struct hist_table *table = trace_hist_table_make(tables->ht, map);

	if (IS_ERR(table))
		return PTR_ERR(table);
	tables->one[tables->nr++].table = table;
	return 0;
}

/* A table that is not kept any more counts in the sum only. */
static int tables_add_going(struct hist_tables *tables, struct trace_map *map)
{
	struct trace_map_reading *reading = trace_map_read(map);

	if (IS_ERR(reading))
		return PTR_ERR(reading);
	trace_map_books_add(&tables->sum.books, reading);
	trace_map_reading_free(reading);
	tables->sum.tables++;
	return 0;
}

static int tables_read_held(struct hist_tables *tables, struct hist_ring_table *t)
{
	struct tables_one *one = &tables->one[tables->nr];
	int ret = tables_read(tables, t->map);

	if (ret)
		return ret;
	one->begin = atomic64_read(&t->begin);
	one->end = trace_hist_ring_end(tables->ring, t);
	trace_map_books_add(&tables->sum.books, trace_hist_table_reading(one->table));
	return 0;
}

/* Read all tables of the ring. */
static struct hist_tables *tables_of_ring(const struct hist_trigger *ht, struct hist_ring *ring,
					  struct trace_array *tr)
{
	u64 now = ring_buffer_time_stamp(tr->array_buffer.buffer);
	unsigned int nr = 0, going = 0;
	struct hist_tables *tables;
	struct hist_ring_table **held;
	struct hist_ring_sum sum;
	int ret = 0;

	held = trace_hist_ring_hold(ring, now, &sum, &going);
	if (IS_ERR(held)) {
		trace_hist_ring_put(ring);
		return ERR_CAST(held);
	}
	while (held[nr])
		nr++;
	tables = kvzalloc(struct_size(tables, one, nr), GFP_KERNEL);
	if (!tables) {
		trace_hist_ring_release(held);
		trace_hist_ring_put(ring);
		return ERR_PTR(-ENOMEM);
	}
	tables->ht = ht;
	tables->ring = ring;
	tables->held = held;
	tables->sum = sum;
	tables->in_ns = trace_clock_in_ns(tr);
	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = i < going ? tables_add_going(tables, held[i]->map) :
				  tables_read_held(tables, held[i]);
	if (!ret)
		return tables;
	trace_hist_tables_free(tables);
	return ERR_PTR(ret);
}

/**
 * trace_hist_tables_make - read a histogram
 * @ht: a trigger of it; the caller has a reference, until trace_hist_tables_free()
 * @tr: the instance, whose clock tells whether an interval is over
 *
 * Context: task, may sleep; waits for hits that have begun.
 * Return: the tables; ERR_PTR(-ENOMEM).
 */
struct hist_tables *trace_hist_tables_make(const struct hist_trigger *ht, struct trace_array *tr)
{
	struct hist_ring *ring = trace_hist_ring_get(&ht->hist->ring);
	struct hist_tables *tables;
	int ret;

	if (ring)
		return tables_of_ring(ht, ring, tr);
	tables = kvzalloc(struct_size(tables, one, 1), GFP_KERNEL);
	if (!tables)
		return ERR_PTR(-ENOMEM);
	tables->ht = ht;
	ret = tables_read(tables, ht->hist->map);
	if (!ret)
		return tables;
	trace_hist_tables_free(tables);
	return ERR_PTR(ret);
}

/**
 * trace_hist_tables_free - undo trace_hist_tables_make()
 * @tables: the tables
 *
 * Context: task, may sleep.
 */
void trace_hist_tables_free(struct hist_tables *tables)
{
	for (unsigned int i = 0; i < tables->nr; i++)
		trace_hist_table_free(tables->one[i].table);
	if (tables->held)
		trace_hist_ring_release(tables->held);
	if (tables->ring)
		trace_hist_ring_put(tables->ring);
	kvfree(tables);
}

static void tables_show_stamp(struct seq_file *m, const struct hist_tables *tables, u64 stamp)
{
	u32 ns;

	if (tables->in_ns) {
		stamp = div_u64_rem(stamp, NSEC_PER_SEC, &ns);
		seq_printf(m, "%llu.%09u", stamp, ns);
	} else {
		seq_printf(m, "%llu", stamp);
	}
}

/* "# interval BEGIN to END", and whether it is still open. */
static void tables_show_interval(struct seq_file *m, const struct hist_tables *tables,
				 unsigned int i)
{
	const struct tables_one *one = &tables->one[i];

	if (i)
		seq_putc(m, '\n');
	if (one->begin == HIST_RING_UNSET) {
		seq_puts(m, "# interval: none yet\n");
		return;
	}
	seq_puts(m, "# interval ");
	tables_show_stamp(m, tables, one->begin);
	seq_puts(m, " to ");
	tables_show_stamp(m, tables, one->end);
	seq_puts(m, i + 1 < tables->nr ? "\n" : " (open)\n");
}

static void tables_show_all(struct seq_file *m, const struct hist_tables *tables)
{
	const struct trace_map_reading *r = &tables->sum.books;

	seq_printf(m, "\nAll intervals:\n    Hits: %llu\n", r->counted);
	seq_printf(m, "    Tables: %u closed, %llu gone, %zu bytes\n", tables->nr - 1,
		   tables->sum.tables, tables->sum.bytes);
	trace_hist_books_show(m, r, r->books[HIST_NESTED] + trace_hist_missed(tables->ht));
}

/* The table that has a part; *@part becomes that of the table. The number of tables: none. */
static unsigned int tables_at(const struct hist_tables *tables, unsigned int *part)
{
	unsigned int i;

	for (i = 0; i < tables->nr; i++) {
		unsigned int parts = trace_hist_table_parts(tables->one[i].table);

		if (*part < parts)
			break;
		*part -= parts;
	}
	return i;
}

/**
 * trace_hist_tables_show - show a part of a histogram
 * @m: the file
 * @tables: the tables
 * @part: 0 is the text of the trigger; the others are those of one table after the other
 * @filter: the text of the trigger's filter, NULL: it has none
 *
 * Context: task, may sleep.
 * Return: true if there is such a part, and it was shown.
 */
bool trace_hist_tables_show(struct seq_file *m, struct hist_tables *tables, unsigned int part,
			    const char *filter)
{
	unsigned int i = tables_at(tables, &part);
	struct hist_table *table;
	bool last;

	if (i == tables->nr)
		return false;
	table = tables->one[i].table;
	last = i + 1 == tables->nr;
	if (!part && !i) {
		seq_puts(m, "# event histogram\n#\n# trigger info: ");
		trace_hist_spec_show(m, tables->ht, filter);
		seq_puts(m, "#\n\n");
	}
	if (!part && tables->ring)
		tables_show_interval(m, tables, i);
	trace_hist_table_show(m, table, part, last);
	if (tables->ring && last && part + 1 == trace_hist_table_parts(table))
		tables_show_all(m, tables);
	return true;
}

/**
 * trace_hist_tables_parts - how many parts has a histogram to be shown?
 * @tables: the tables
 *
 * Context: any.
 * Return: the number.
 */
unsigned int trace_hist_tables_parts(const struct hist_tables *tables)
{
	unsigned int parts = 0;

	for (unsigned int i = 0; i < tables->nr; i++)
		parts += trace_hist_table_parts(tables->one[i].table);
	return parts;
}

/* Hits that a histogram has seen so far. Task. */
u64 trace_hist_seen(const struct hist *hist)
{
	struct hist_ring *ring = trace_hist_ring_get(&hist->ring);
	u64 seen;

	if (!ring)
		return trace_map_seen(hist->map);
	seen = trace_hist_ring_seen(ring);
	trace_hist_ring_put(ring);
	return seen;
}

/* The memory of a table, and with intervals of all that there may be. Task. */
size_t trace_hist_bytes(const struct hist *hist)
{
	struct hist_ring *ring = trace_hist_ring_get(&hist->ring);
	size_t bytes;

	if (!ring)
		return trace_map_bytes(hist->map);
	bytes = trace_hist_ring_bytes(ring);
	trace_hist_ring_put(ring);
	return bytes;
}
