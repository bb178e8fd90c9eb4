// SPDX-License-Identifier: GPL-2.0
/*
 * Show a histogram: its text, as it can be written again, and its table. A table is
 * a reading of the map, so its rows and sums belong together while hits go on. It may have more
 * than a hundred thousand rows with a stack each, so it is made once, and shown row by row.
 */
#include <linux/bits.h>
#include <linux/kallsyms.h>
#include <linux/list_sort.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "events/filter/filter.h"
#include "events/hist/fold.h"
#include "events/hist/handler.h"
#include "events/hist/tables.h"
#include "events/syscalls/syscalls.h"

#define SHOW_BAR	20	/* characters of a full bar */
#define SHOW_RESCHED	4096	/* rows that are compared, and more */
#define SHOW_TRIES	1000	/* of reading a cell that hits store all the time */

static void show_field(struct seq_file *m, const struct hist_field *f)
{
	char modifier[40];

	if (!f) {
		seq_puts(m, "hitcount");
		return;
	}
	if (f->source == HIST_VAR)
		seq_putc(m, '$');
	trace_hist_modifier_text(f, modifier, sizeof(modifier));
	seq_printf(m, "%s%s", f->name, modifier);
}

/**
 * trace_hist_spec_show - show a trigger as it can be written
 * @m: the file
 * @ht: the trigger; the caller has a reference, or the events mutex
 * @filter: the text of its filter, NULL: it has none
 *
 * Context: task.
 */
void trace_hist_spec_show(struct seq_file *m, const struct hist_trigger *ht, const char *filter)
{
	const struct hist_spec *spec = &ht->spec;
	const char *between = ":vals=";

	seq_puts(m, "hist:");
	if (spec->name)
		seq_printf(m, "name=%s:", spec->name);
	seq_puts(m, "keys=");
	for (unsigned int i = 0; i < spec->nr_keys; i++) {
		if (i)
			seq_putc(m, ',');
		show_field(m, &spec->keys[i]);
	}
	if (!spec->no_hitcount) {
		seq_puts(m, ":vals=hitcount");
		between = ",";
	}
	for (unsigned int i = 0; i < spec->nr_values; i++) {
		seq_puts(m, i ? "," : between);
		show_field(m, &spec->values[i]);
	}
	for (unsigned int i = 0; i < spec->nr_vars; i++)
		seq_printf(m, "%c%s=%s", i ? ',' : ':', spec->vars[i]->name, spec->vars[i]->text);
	seq_puts(m, ":sort=");
	for (unsigned int i = 0; i < spec->nr_sorts; i++) {
		if (i)
			seq_putc(m, ',');
		show_field(m, spec->sorts[i].field);
		if (spec->sorts[i].descending)
			seq_puts(m, ".descending");
	}
	seq_printf(m, ":size=%u", spec->size);
	if (spec->stamps)
		seq_printf(m, ":clock=%s", spec->clock);
	trace_hist_interval_show(m, spec);
	if (spec->no_hitcount)
		seq_puts(m, ":nohitcount");
	for (unsigned int i = 0; i < spec->nr_actions; i++)
		seq_printf(m, ":%s", spec->actions[i]->text);
	if (filter)
		seq_printf(m, " if %s", filter);
	seq_puts(m, test_bit(HIST_STOP_PAUSED, &ht->stopped) ? " [paused]\n" : " [active]\n");
}

/* A value of a row that is not added up, and how many hits a percentile does not know. */
struct show_folded {
	u64	value;
	u64	left_out;
};

/* A table that is being shown. */
struct show {
	struct seq_file				*m;
	const struct hist_spec			*spec;
	const struct trace_map_reading		*reading;
	u64					*copy;		/* of a cell */
	u64					totals[HIST_VALUES];
	u64					maxima[HIST_VALUES];
	struct show_folded			*folded;	/* NULL: all values are added up */
	size_t					bytes;		/* of the map */
};

struct hist_table {
	struct show			s;
	const struct hist_trigger	*ht;
	struct trace_map_reading	*reading;
	const struct trace_map_row	**rows;		/* of the reading, in their order */
};

/* A row on its way into the order of the table. @order: numbers that the sorts compare. */
struct show_line {
	struct list_head		list;
	const struct trace_map_row	*row;
	u64				order[HIST_SORTS];
};

/* For the order of rows. */
struct show_sorting {
	const struct hist_spec		*spec;
	unsigned int			compared;
};

/* Value @i of a row, if it is not added up; NULL: it is. */
static const struct show_folded *show_folded(const struct show *s, unsigned int i,
					     const struct trace_map_row *row)
{
	return s->spec->values[i].fold ?
	       &s->folded[(row - s->reading->rows) * s->spec->nr_values + i] : NULL;
}

/* Tell minima, maxima and percentiles of all rows. 0 or -ENOMEM. */
static int show_fold(struct show *s)
{
	unsigned int nr = s->spec->nr_values;

	if (!s->spec->folds)
		return 0;
	s->folded = kvcalloc(s->reading->nr + 1, nr * sizeof(*s->folded), GFP_KERNEL);
	if (!s->folded)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->reading->nr; i++) {
		for (unsigned int j = 0; j < nr; j++) {
			struct show_folded *to = &s->folded[i * nr + j];

			to->value = trace_hist_fold_value(s->spec, s->reading,
							  &s->reading->rows[i],
							  &s->spec->values[j], &to->left_out);
		}
		cond_resched();
	}
	return 0;
}

/* A number by which rows come in the order of a sort, as far as a number can tell. */
static u64 show_order(const struct show *s, const struct hist_sort *sort,
		      const struct trace_map_row *row)
{
	const struct hist_field *f = sort->field;
	u64 order;

	if (!f)
		order = row->sums[0];
	else if (f->fold)
		order = show_folded(s, f - s->spec->values, row)->value;
	else if (!f->size)
		order = row->sums[f->sum];
	else if (f->kind == HIST_NUMBER)
		order = *(u64 *)(row->key + f->offset);
	else
		order = get_unaligned_be64(row->key + f->offset);
	if (f && f->kind == HIST_NUMBER && f->is_signed)
		order ^= BIT_ULL(63);
	return sort->descending ? ~order : order;
}

/* Two rows whose numbers are the same may differ behind the first bytes of a text or a stack. */
static int show_compare_rest(const struct hist_sort *sort, const struct trace_map_row *a,
			     const struct trace_map_row *b)
{
	const struct hist_field *f = sort->field;
	int ret;

	if (!f || f->kind == HIST_NUMBER)
		return 0;
	ret = memcmp(a->key + f->offset, b->key + f->offset, f->size);
	return sort->descending ? -ret : ret;
}

/* Rows of which none comes before the other stay in the order in which they came. */
static int show_compare(void *data, const struct list_head *p, const struct list_head *q)
{
	const struct show_line *a = list_entry(p, struct show_line, list);
	const struct show_line *b = list_entry(q, struct show_line, list);
	struct show_sorting *sorting = data;
	const struct hist_spec *spec = sorting->spec;
	int ret = 0;

	if (!(++sorting->compared % SHOW_RESCHED))
		cond_resched();
	for (unsigned int i = 0; !ret && i < spec->nr_sorts; i++) {
		if (a->order[i] != b->order[i])
			return a->order[i] < b->order[i] ? -1 : 1;
		ret = show_compare_rest(&spec->sorts[i], a->row, b->row);
	}
	return ret;
}

/* The rows in their order, for kvfree(); NULL: there is no memory. */
static const struct trace_map_row **show_sort(const struct show *s)
{
	const struct trace_map_reading *reading = s->reading;
	const struct hist_spec *spec = s->spec;
	struct show_sorting sorting = { .spec = spec };
	const struct trace_map_row **rows;
	struct show_line *lines, *line;
	unsigned int nr = 0;
	LIST_HEAD(head);

	rows = kvmalloc_array(reading->nr + 1, sizeof(*rows), GFP_KERNEL);
	lines = kvmalloc_array(reading->nr + 1, sizeof(*lines), GFP_KERNEL);
	if (!rows || !lines) {
		kvfree(lines);
		kvfree(rows);
		return NULL;
	}
	for (unsigned int i = 0; i < reading->nr; i++) {
		lines[i].row = &reading->rows[i];
		for (unsigned int j = 0; j < spec->nr_sorts; j++)
			lines[i].order[j] = show_order(s, &spec->sorts[j], lines[i].row);
		list_add_tail(&lines[i].list, &head);
	}
	list_sort(&sorting, &head, show_compare);
	list_for_each_entry(line, &head, list)
		rows[nr++] = line->row;
	kvfree(lines);
	return rows;
}

static void show_stack(struct seq_file *m, const unsigned long *stack)
{
	char text[KSYM_SYMBOL_LEN];

	for (unsigned int i = 0; i < HIST_STACK && stack[i]; i++) {
		sprint_symbol(text, stack[i]);
		seq_printf(m, "         %s\n", text);
	}
}

/* "NAME: NUMBER", with the number in ten columns. Most of a table is made of these. */
static void show_number(struct seq_file *m, const char *name, u64 number)
{
	seq_puts(m, name);
	seq_put_decimal_ull_width(m, ": ", number, 10);
}

static void show_key_number(struct seq_file *m, const struct hist_field *f, u64 number,
			    const char *comm)
{
	char text[KSYM_SYMBOL_LEN];

	switch (f->modifier) {
	case HIST_HEX:
		seq_printf(m, "%s: %llx", f->name, number);
		break;
	case HIST_SYM:
		sprint_symbol_no_offset(text, number);
		seq_printf(m, "%s: [%llx] %-45s", f->name, number, text);
		break;
	case HIST_SYM_OFFSET:
		sprint_symbol(text, number);
		seq_printf(m, "%s: [%llx] %-55s", f->name, number, text);
		break;
	case HIST_EXECNAME:
		seq_printf(m, "%s: %-16.16s[%10llu]", f->name, comm, number);
		break;
	case HIST_SYSCALL:
		seq_printf(m, "%s: %-30s[%3llu]", f->name,
			   trace_event_syscall_name(min_t(u64, number, UINT_MAX)) ?:
			   "unknown_syscall", number);
		break;
	case HIST_LOG2:
		seq_printf(m, "%s: ~ 2^%-2llu", f->name, number);
		break;
	case HIST_BUCKETS:
		seq_printf(m, "%s: ~ %llu-%llu", f->name, number, number + f->width - 1);
		break;
	default:
		show_number(m, f->name, number);
	}
}

/* @keys: all keys, and the note behind them */
static void show_keys(const struct show *s, const void *keys)
{
	bool lines = false;

	seq_puts(s->m, "{ ");
	for (unsigned int i = 0; i < s->spec->nr_keys; i++) {
		const struct hist_field *f = &s->spec->keys[i];
		const void *key = keys + f->offset;

		if (i)
			seq_puts(s->m, ", ");
		if (f->kind == HIST_ADDRESSES) {
			seq_printf(s->m, "%s:\n", f->name);
			show_stack(s->m, key);
			lines = true;
		} else if (f->kind == HIST_TEXT) {
			seq_printf(s->m, "%s: %-50s", f->name, (const char *)key);
		} else {
			show_key_number(s->m, f, *(u64 *)key, keys + s->spec->key_size);
		}
	}
	seq_puts(s->m, lines ? "}" : " }");
}

/* Hundredths of a percent. @total is not 0. */
static u64 show_share(u64 value, u64 total)
{
	if (value < U64_MAX / 10000)
		return div64_u64(value * 10000, total);
	return div64_u64(value, div64_u64(total, 10000) ?: 1);
}

static void show_folded_value(struct seq_file *m, const struct hist_field *f,
			      const struct show_folded *folded)
{
	char fold[16];

	trace_hist_fold_text(f, fold, sizeof(fold));
	seq_printf(m, f->modifier == HIST_HEX ? " %s%s: %10llx" : " %s%s: %10llu", f->name, fold,
		   folded->value);
	if (folded->left_out)
		seq_printf(m, " (without %llu)", folded->left_out);
}

static void show_value(const struct show *s, unsigned int i, const struct trace_map_row *row)
{
	static const char bar[] = "####################";
	const struct hist_field *f = &s->spec->values[i];
	const struct show_folded *folded = show_folded(s, i, row);
	u64 value, share;

	static_assert(sizeof(bar) == SHOW_BAR + 1);
	if (folded) {
		show_folded_value(s->m, f, folded);
		return;
	}
	value = row->sums[f->sum];
	switch (f->modifier) {
	case HIST_PERCENT:
		if (!s->totals[i]) {
			seq_printf(s->m, " %s (%%):[ERROR]", f->name);
			break;
		}
		share = show_share(value, s->totals[i]);
		seq_printf(s->m, " %s (%%): %3llu.%02llu", f->name, share / 100, share % 100);
		break;
	case HIST_GRAPH:
		share = s->maxima[i] ? show_share(value, s->maxima[i]) : 0;
		seq_printf(s->m, " %s: %-*.*s", f->name, SHOW_BAR,
			   (int)min_t(u64, share * SHOW_BAR / 10000, SHOW_BAR), bar);
		break;
	case HIST_HEX:
		seq_printf(s->m, " %s: %10llx", f->name, value);
		break;
	default:
		seq_putc(s->m, ' ');
		show_number(s->m, f->name, value);
	}
}

/*
 * Copy a cell, zeros if there is nothing to copy. Stores are short, but there may always be
 * another one, and the CPU of one may not run for a while.
 */
static enum hist_cell_result show_cell(const struct show *s, struct hist_cell *cell,
				       unsigned int size)
{
	enum hist_cell_result ret = HIST_CELL_IN_USE;

	for (unsigned int i = 0; i < SHOW_TRIES && ret == HIST_CELL_IN_USE; i++) {
		if (i && fatal_signal_pending(current))
			break;
		ret = hist_cell_read(cell, s->copy, size, 1, 0);
		cond_resched();
	}
	if (ret != HIST_CELL_DONE)
		memset(s->copy, 0, size);
	return ret;
}

/* Show the cell that an onmax() or onchange() has at a key. */
static void show_tracked(const struct show *s, const struct hist_action *action, void *data)
{
	bool busy = show_cell(s, data + action->at, action->size) == HIST_CELL_IN_USE;

	seq_printf(s->m, "\n\t%s: %10llu", action->handler == HIST_ONMAX ? "max" : "changed",
		   s->copy[0]);
	if (busy)
		seq_puts(s->m, " (busy)");
	if (action->deed != HIST_SAVE)
		return;
	for (unsigned int i = 0; i < action->nr_args; i++) {
		const struct hist_field *f = &action->args[i];
		const u64 *value = &s->copy[f->offset / sizeof(u64)];

		if (f->kind == HIST_TEXT)
			seq_printf(s->m, "  %s: %-32s", f->name, (const char *)value);
		else if (f->kind == HIST_NUMBER)
			seq_printf(s->m, "  %s: %10llu", f->name, *value);
	}
}

static void show_shot(const struct show *s, const struct hist_action *action)
{
	enum hist_cell_result ret = show_cell(s, action->shot.cell, action->shot.size);

	if (ret == HIST_CELL_UNSET)
		return;
	seq_puts(s->m, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
	if (ret == HIST_CELL_IN_USE) {
		seq_puts(s->m, "\t(busy)\n");
		return;
	}
	seq_printf(s->m, "\ttriggering value { %s($%s) }: %10llu",
		   action->handler == HIST_ONMAX ? "onmax" : "onchange", action->tracked.name,
		   s->copy[0]);
	seq_puts(s->m, "\ttriggered by event with key: ");
	show_keys(s, &s->copy[1]);
	seq_putc(s->m, '\n');
}

static void show_row(const struct show *s, const struct trace_map_row *row)
{
	show_keys(s, row->key);
	if (!s->spec->no_hitcount)
		show_number(s->m, " hitcount", row->sums[0]);
	for (unsigned int i = 0; i < s->spec->nr_values; i++) {
		seq_putc(s->m, ' ');
		show_value(s, i, row);
	}
	for (unsigned int i = 0; i < s->spec->nr_actions; i++) {
		if (s->spec->actions[i]->handler != HIST_ONMATCH)
			show_tracked(s, s->spec->actions[i], row->data);
	}
	seq_putc(s->m, '\n');
}

static void show_sum_up(struct show *s)
{
	for (unsigned int i = 0; i < s->reading->nr; i++) {
		for (unsigned int v = 0; v < s->spec->nr_values; v++) {
			u64 sum;

			/* Shares are those of sums. */
			if (s->spec->values[v].fold)
				continue;
			sum = s->reading->rows[i].sums[s->spec->values[v].sum];
			s->totals[v] += sum;
			s->maxima[v] = max(s->maxima[v], sum);
		}
	}
}

/**
 * trace_hist_books_show - tell the hits that a table does not have by their reasons, if any
 * @m: the file
 * @r: the reading of the table
 * @nested: hits that were dropped as they came in others
 *
 * Context: task.
 */
void trace_hist_books_show(struct seq_file *m, const struct trace_map_reading *r, u64 nested)
{
	static const char * const reasons[] = {
		[HIST_UNMATCHED]	= "Unmatched",
		[HIST_BUSY]		= "Busy",
		[HIST_ABSENT]		= "Without an element",
		[HIST_LOST]		= "Variables lost",
		[HIST_MISSED]		= "Actions missed",
	};

	seq_printf(m, "    Dropped: %llu\n", r->full + nested);
	if (r->full)
		seq_printf(m, "        full: %llu, at least %u keys\n", r->full, r->refused);
	if (nested)
		seq_printf(m, "        nested: %llu\n", nested);
	for (unsigned int i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i] && r->books[i])
			seq_printf(m, "    %s: %llu\n", reasons[i], r->books[i]);
	}
	if (r->coarse)
		seq_printf(m, "    Values without a bucket: %llu\n", r->coarse);
}

static void show_totals(const struct show *s, const struct hist_trigger *ht)
{
	const struct trace_map_reading *r = s->reading;
	u64 nested = r->books[HIST_NESTED];

	/* Nobody knows at which time a hit came that has not reached the trigger. */
	if (!s->spec->interval)
		nested += trace_hist_missed(ht);
	seq_printf(s->m, "\nTotals:\n    Hits: %llu\n    Entries: %u\n", r->counted, r->nr);
	trace_hist_books_show(s->m, r, nested);
	if (s->spec->folds && s->spec->folds->spreads)
		seq_printf(s->m, "    Buckets: %u of %u groups, %zu bytes\n", r->groups,
			   s->spec->folds->spreads * s->spec->size * HIST_GROUPS_OF_KEY, s->bytes);
}

/*
 * Show the accounts of the variables that only one reader gets: a value that was stored has been
 * taken, or overwritten, or is still there. Stores that go on while the table is read may be
 * missing.
 */
static void show_pairs(const struct show *s, const struct hist_trigger *ht)
{
	const struct trace_map_reading *r = s->reading;
	u64 stored = r->counted - min(r->counted, r->books[HIST_LOST]);

	for (unsigned int i = 0; i < s->spec->nr_vars; i++) {
		u64 taken = r->books[HIST_BOOKS + i], open = 0;

		if (!(READ_ONCE(ht->taken) & BIT(i)))
			continue;
		for (unsigned int j = 0; j < r->nr; j++) {
			const struct hist_cell *cell = r->rows[j].data;

			open += !!(atomic64_read(&cell->state) & BIT(i));
		}
		cond_resched();
		seq_printf(s->m, "    Pairs of %s: %llu opened, ",
			   s->spec->vars[i]->name, stored);
		seq_printf(s->m, "%llu matched, %llu overwritten, %llu open\n", taken,
			   stored - min(stored, taken + open), open);
	}
}

/**
 * trace_hist_table_make - read a table of a histogram
 * @ht: a trigger of it; the caller has a reference, until trace_hist_table_free()
 * @map: the table's sums, which stay as well
 *
 * Context: task, may sleep; waits for hits that have begun.
 * Return: the table; ERR_PTR(-ENOMEM).
 */
struct hist_table *trace_hist_table_make(const struct hist_trigger *ht, struct trace_map *map)
{
	struct hist_table *table = kzalloc(sizeof(*table), GFP_KERNEL);
	struct trace_map_reading *reading;

	if (!table)
		return ERR_PTR(-ENOMEM);
	table->ht = ht;
	table->s.spec = &ht->spec;
	table->s.copy = kmalloc(HIST_ROOM, GFP_KERNEL);
	table->s.bytes = trace_map_bytes(map);
	reading = table->s.copy ? trace_map_read(map) : ERR_PTR(-ENOMEM);
	if (IS_ERR(reading)) {
		trace_hist_table_free(table);
		return ERR_CAST(reading);
	}
	/* There may be many of them. */
	if (ht->spec.interval)
		trace_map_reading_trim(reading);
	table->reading = reading;
	table->s.reading = reading;
	if (!show_fold(&table->s))
		table->rows = show_sort(&table->s);
	if (!table->rows) {
		trace_hist_table_free(table);
		return ERR_PTR(-ENOMEM);
	}
	show_sum_up(&table->s);
	return table;
}

/**
 * trace_hist_table_free - undo trace_hist_table_make()
 * @table: the table
 *
 * Context: task, may sleep.
 */
void trace_hist_table_free(struct hist_table *table)
{
	if (table->reading)
		trace_map_reading_free(table->reading);
	kvfree(table->rows);
	kvfree(table->s.folded);
	kfree(table->s.copy);
	kfree(table);
}

/**
 * trace_hist_table_show - show a part of a table
 * @m: the file
 * @table: the table
 * @part: below trace_hist_table_parts(): 0 is nothing, then come the rows, and the last one has the
 *	totals
 * @last: the table is the last one of its histogram
 *
 * Context: task, may sleep.
 */
void trace_hist_table_show(struct seq_file *m, struct hist_table *table, unsigned int part,
			   bool last)
{
	struct show *s = &table->s;

	s->m = m;
	if (!part)
		return;
	if (part <= table->reading->nr) {
		show_row(s, table->rows[part - 1]);
		cond_resched();
		return;
	}
	for (unsigned int i = 0; i < s->spec->nr_actions && last; i++) {
		if (s->spec->actions[i]->deed == HIST_SNAPSHOT)
			show_shot(s, s->spec->actions[i]);
	}
	show_totals(s, table->ht);
	show_pairs(s, table->ht);
}

/* How many parts has a table to be shown? */
unsigned int trace_hist_table_parts(const struct hist_table *table)
{
	return table->reading->nr + 2;
}

const struct trace_map_reading *trace_hist_table_reading(const struct hist_table *table)
{
	return table->reading;
}
