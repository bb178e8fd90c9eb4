// SPDX-License-Identifier: GPL-2.0
/*
 * Show a histogram: its text, as it can be written again, and its table. A table is
 * a reading of the map, so its rows and sums belong together while hits go on.
 */
#include <linux/kallsyms.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "events/filter/filter.h"
#include "events/hist/handler.h"
#include "events/syscalls/syscalls.h"

#define SHOW_BAR	20	/* characters of a full bar */

static void show_field(struct seq_file *m, const struct hist_field *f)
{
	if (!f) {
		seq_puts(m, "hitcount");
		return;
	}
	if (f->source == HIST_VAR)
		seq_putc(m, '$');
	seq_puts(m, f->name);
	if (f->modifier)
		seq_printf(m, ".%s", trace_hist_modifier(f->modifier));
	if (f->modifier == HIST_BUCKETS)
		seq_printf(m, "=%llu", f->width);
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
	if (spec->no_hitcount)
		seq_puts(m, ":nohitcount");
	for (unsigned int i = 0; i < spec->nr_actions; i++)
		seq_printf(m, ":%s", spec->actions[i]->text);
	if (filter)
		seq_printf(m, " if %s", filter);
	seq_puts(m, test_bit(HIST_STOP_PAUSED, &ht->stopped) ? " [paused]\n" : " [active]\n");
}

/* A table that is being shown. */
struct show {
	struct seq_file				*m;
	const struct hist_spec			*spec;
	const struct trace_map_reading		*reading;
	u64					*copy;		/* of a cell */
	u64					totals[HIST_VALUES];
	u64					maxima[HIST_VALUES];
};

static int show_compare_numbers(u64 a, u64 b, bool is_signed)
{
	if (a == b)
		return 0;
	return (is_signed ? (s64)a < (s64)b : a < b) ? -1 : 1;
}

/* A field of two rows; NULL: the number of hits. */
static int show_compare_field(const struct hist_field *f, const struct trace_map_row *a,
			      const struct trace_map_row *b)
{
	if (!f)
		return show_compare_numbers(a->sums[0], b->sums[0], false);
	if (!f->size)
		return show_compare_numbers(a->sums[f->sum], b->sums[f->sum], false);
	if (f->kind != HIST_NUMBER)
		return memcmp(a->key + f->offset, b->key + f->offset, f->size);
	return show_compare_numbers(*(u64 *)(a->key + f->offset), *(u64 *)(b->key + f->offset),
				    f->is_signed);
}

/* No two rows are equal: the one that came first is first then. */
static int show_compare(const void *p, const void *q, const void *data)
{
	const struct trace_map_row *a = p, *b = q;
	const struct hist_spec *spec = data;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < spec->nr_sorts; i++) {
		ret = show_compare_field(spec->sorts[i].field, a, b);
		if (spec->sorts[i].descending)
			ret = -ret;
	}
	return ret ?: show_compare_numbers((unsigned long)a->key, (unsigned long)b->key, false);
}

static void show_stack(struct seq_file *m, const unsigned long *stack)
{
	char text[KSYM_SYMBOL_LEN];

	for (unsigned int i = 0; i < HIST_STACK && stack[i]; i++) {
		sprint_symbol(text, stack[i]);
		seq_printf(m, "         %s\n", text);
	}
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
		seq_printf(m, "%s: %10llu", f->name, number);
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

static void show_value(const struct show *s, unsigned int i, const struct trace_map_row *row)
{
	static const char bar[] = "####################";
	const struct hist_field *f = &s->spec->values[i];
	u64 value = row->sums[f->sum], share;

	static_assert(sizeof(bar) == SHOW_BAR + 1);
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
		seq_printf(s->m, " %s: %10llu", f->name, value);
	}
}

/* Copy a cell, zeros if nothing has been stored. Stores are short. */
static bool show_cell(const struct show *s, struct hist_cell *cell, unsigned int size)
{
	enum hist_cell_result ret;

	while ((ret = hist_cell_read(cell, s->copy, size, 1, 0)) == HIST_CELL_IN_USE)
		cond_resched();
	if (ret == HIST_CELL_UNSET)
		memset(s->copy, 0, size);
	return ret == HIST_CELL_DONE;
}

/* Show the cell that an onmax() or onchange() has at a key. */
static void show_tracked(const struct show *s, const struct hist_action *action, void *data)
{
	show_cell(s, data + action->at, action->size);
	seq_printf(s->m, "\n\t%s: %10llu", action->handler == HIST_ONMAX ? "max" : "changed",
		   s->copy[0]);
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
	if (!show_cell(s, action->shot.cell, action->shot.size))
		return;
	seq_puts(s->m, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
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
		seq_printf(s->m, " hitcount: %10llu", row->sums[0]);
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
			u64 sum = s->reading->rows[i].sums[s->spec->values[v].sum];

			s->totals[v] += sum;
			s->maxima[v] = max(s->maxima[v], sum);
		}
	}
}

/* Hits that the table does not have are told by their reasons, if there are any. */
static void show_totals(const struct show *s, const struct hist_trigger *ht)
{
	static const char * const reasons[] = {
		[HIST_UNMATCHED]	= "Unmatched",
		[HIST_BUSY]		= "Busy",
		[HIST_LOST]		= "Variables lost",
		[HIST_MISSED]		= "Actions missed",
	};
	const struct trace_map_reading *r = s->reading;
	u64 nested = r->books[HIST_NESTED] + atomic_long_read(&ht->trigger.hook.missed);

	seq_printf(s->m, "\nTotals:\n    Hits: %llu\n    Entries: %u\n    Dropped: %llu\n",
		   r->counted, r->nr, r->full + nested);
	if (r->full)
		seq_printf(s->m, "        full: %llu, at least %u keys\n", r->full, r->refused);
	if (nested)
		seq_printf(s->m, "        nested: %llu\n", nested);
	for (unsigned int i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i] && r->books[i])
			seq_printf(s->m, "    %s: %llu\n", reasons[i], r->books[i]);
	}
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
		seq_printf(s->m, "    Pairs of %s: %llu opened, ",
			   s->spec->vars[i]->name, stored);
		seq_printf(s->m, "%llu matched, %llu overwritten, %llu open\n", taken,
			   stored - min(stored, taken + open), open);
	}
}

/**
 * trace_hist_show - show a histogram
 * @m: the file
 * @ht: a trigger of it; the caller has a reference
 * @filter: the text of the trigger's filter, NULL: it has none
 *
 * Context: task, may sleep; waits for hits that have begun.
 * Return: 0 or -ENOMEM.
 */
int trace_hist_show(struct seq_file *m, const struct hist_trigger *ht, const char *filter)
{
	struct trace_map_reading *reading = trace_map_read(ht->hist->map);
	struct show s = { .m = m, .spec = &ht->spec, .reading = reading };

	if (IS_ERR(reading))
		return PTR_ERR(reading);
	s.copy = kmalloc(HIST_ROOM, GFP_KERNEL);
	if (!s.copy) {
		trace_map_reading_free(reading);
		return -ENOMEM;
	}
	seq_puts(m, "# event histogram\n#\n# trigger info: ");
	trace_hist_spec_show(m, ht, filter);
	seq_puts(m, "#\n\n");
	sort_r(reading->rows, reading->nr, sizeof(*reading->rows), show_compare, NULL, s.spec);
	show_sum_up(&s);
	for (unsigned int i = 0; i < reading->nr; i++)
		show_row(&s, &reading->rows[i]);
	for (unsigned int i = 0; i < s.spec->nr_actions; i++) {
		if (s.spec->actions[i]->deed == HIST_SNAPSHOT)
			show_shot(&s, s.spec->actions[i]);
	}
	show_totals(&s, ht);
	show_pairs(&s, ht);
	kfree(s.copy);
	trace_map_reading_free(reading);
	return 0;
}
