// SPDX-License-Identifier: GPL-2.0
/*
 * The columns before a record's text: task, tgid, CPU, flag letters and time,
 * in the usual and in the latency format. Their widths are what users' scripts
 * parse. It does not print records.
 */
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/time64.h>

#include "instance/option.h"
#include "output/format.h"
#include "output/output.h"

#define COMM_WIDTH	16
#define LETTERS		5
/* Task, tgid, CPU and letters with every number at its longest. */
#define COLUMNS_MAX	(COMM_WIDTH + 12 + 14 + 14 + LETTERS)
#define COLUMNS_OPTS	(TRACE_OPT_IRQ_INFO | TRACE_OPT_RECORD_TGID)
static_assert(COLUMNS_MAX <= TRACE_COLUMNS_MAX);
/* The time in nanoseconds at its longest, with the colon. */
#define TIME_MAX	(2 * TRACE_TEXT_DEC_MAX + 6)

static char context_irqs_letter(unsigned int flags)
{
	bool bh_off = flags & TRACE_FLAG_BH_OFF;

	if (flags & TRACE_FLAG_IRQS_OFF)
		return bh_off ? 'D' : 'd';
	if (bh_off)
		return 'b';
	return IS_ENABLED(CONFIG_TRACE_IRQFLAGS_SUPPORT) ? '.' : 'X';
}

static char context_resched_letter(unsigned int flags)
{
	static const char letters[] = { '.', 'n', 'p', 'N' };

	return letters[!!(flags & TRACE_FLAG_NEED_RESCHED) +
		       2 * !!(flags & TRACE_FLAG_PREEMPT_RESCHED)];
}

static char context_interrupt_letter(unsigned int flags)
{
	bool hardirq = flags & TRACE_FLAG_HARDIRQ;

	if (flags & TRACE_FLAG_NMI)
		return hardirq ? 'Z' : 'z';
	if (flags & TRACE_FLAG_SOFTIRQ)
		return hardirq ? 'H' : 's';
	return hardirq ? 'h' : '.';
}

static char context_depth_letter(unsigned int depth)
{
	return depth ? "0123456789abcdef"[depth] : '.';
}

static char *context_put_letters(char *p, const struct trace_entry *ent)
{
	*p++ = context_irqs_letter(ent->flags);
	*p++ = context_resched_letter(ent->flags);
	*p++ = context_interrupt_letter(ent->flags);
	*p++ = context_depth_letter(ent->preempt_count & 0xf);
	*p++ = context_depth_letter(ent->preempt_count >> 4);	/* migrate-disable */
	return p;
}

/**
 * trace_print_flags_letters - where the record was written: "d.h1."
 * @s: where to
 * @ent: the record
 *
 * Context: any.
 */
void trace_print_flags_letters(struct trace_seq *s, const struct trace_entry *ent)
{
	char *p = trace_text_begin(s, LETTERS);

	if (p)
		trace_text_end(s, context_put_letters(p, ent));
}

/* Nanoseconds in microseconds, to the nearest. */
static u64 context_us(u64 ns)
{
	return div_u64(ns + NSEC_PER_USEC / 2, NSEC_PER_USEC);
}

/* A time up to its point, TRACE_SECOND_MAX bytes at most. */
static char *context_put_second(char *p, unsigned long secs)
{
	*p++ = ' ';
	p = trace_text_dec(p, secs, 5, ' ');
	*p++ = '.';
	return p;
}

/* Print the microseconds behind the decimal point. */
static char *context_put_fraction(char *p, u32 us)
{
	p = trace_text_two_digits(p, us / 10000);
	p = trace_text_two_digits(p, us / 100 % 100);
	return trace_text_two_digits(p, us % 100);
}

static char *context_put_ns(char *p, u64 ns)
{
	u32 rest;
	unsigned long secs = div_u64_rem(context_us(ns), USEC_PER_SEC, &rest);

	return context_put_fraction(context_put_second(p, secs), rest);
}

/*
 * As context_put_ns(), but copy the text of the seconds from the last record if its second was
 * the same.
 */
static char *context_copy_ns(char *p, struct trace_columns *last, u64 ns)
{
	u64 us = context_us(ns);
	u32 rest;

	if (unlikely(!last->second_len || us - last->second_us >= USEC_PER_SEC)) {
		unsigned long secs = div_u64_rem(us, USEC_PER_SEC, &rest);

		last->second_us = us - rest;
		last->second_len = context_put_second(last->second, secs) - last->second;
	}
	memcpy(p, last->second, TRACE_SECOND_MAX);
	return context_put_fraction(p + last->second_len, us - last->second_us);
}

/**
 * trace_print_time - the time column, without the colon
 * @iter: where to; its flags tell whether the clock counts nanoseconds
 * @ts: time stamp
 *
 * Context: any.
 */
void trace_print_time(struct trace_iterator *iter, u64 ts)
{
	char *p;

	if (unlikely(!(iter->iter_flags & TRACE_FILE_TIME_IN_NS))) {
		trace_seq_printf(&iter->seq, " %12llu", ts);
		return;
	}
	p = trace_text_begin(&iter->seq, TIME_MAX);
	if (p)
		trace_text_end(&iter->seq, context_put_ns(p, ts));
}

static char *context_put_tgid(char *p, int pid)
{
	unsigned int tgid = trace_find_tgid(pid);

	*p++ = '(';
	p = tgid ? trace_text_dec(p, tgid, 7, ' ') : trace_text_fill(p, '-', 7);
	*p++ = ')';
	*p++ = ' ';
	return p;
}

/* Task, tgid, CPU and letters. */
static char *context_put_columns(char *p, const struct trace_iterator *iter, u32 opts)
{
	const struct trace_entry *ent = iter->ent;
	char comm[TASK_COMM_LEN];
	size_t len;

	trace_find_cmdline(ent->pid, comm);
	len = strnlen(comm, sizeof(comm));
	p = trace_text_fill(p, ' ', COMM_WIDTH - (int)len);
	p = trace_text_mem(p, comm, len);
	*p++ = '-';
	p = trace_text_dec_left(p, ent->pid, 7);
	*p++ = ' ';
	if (opts & TRACE_OPT_RECORD_TGID)
		p = context_put_tgid(p, ent->pid);
	*p++ = '[';
	p = trace_text_dec(p, iter->cpu, 3, '0');
	*p++ = ']';
	*p++ = ' ';
	if (opts & TRACE_OPT_IRQ_INFO)
		p = context_put_letters(p, ent);
	return p;
}

/*
 * As context_put_columns(), but copy the text of the last record if its columns were the same.
 * @p has room for TRACE_COLUMNS_MAX bytes: a copy of fixed length is cheap.
 */
static char *context_copy_columns(char *p, struct trace_columns *last,
				  const struct trace_iterator *iter, u32 opts)
{
	const struct trace_entry *ent = iter->ent;
	u32 where = ent->flags | ent->preempt_count << 8 | iter->cpu << 16;

	if (unlikely(!last->len || last->pid != ent->pid || last->where != where ||
		     last->opts != opts)) {
		last->len = context_put_columns(last->text, iter, opts) - last->text;
		last->pid = ent->pid;
		last->where = where;
		last->opts = opts;
	}
	memcpy(p, last->text, TRACE_COLUMNS_MAX);
	return p + last->len;
}

/**
 * trace_print_context - "            bash-1977    [000] d..1. 17284.993652: "
 * @iter: where to, and whose record
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 */
void trace_print_context(struct trace_iterator *iter)
{
	u32 opts = READ_ONCE(iter->tr->options) & COLUMNS_OPTS;
	struct trace_print_state *state = iter->private;
	struct trace_seq *s = &iter->seq;
	char *p = trace_text_begin(s, TRACE_COLUMNS_MAX + TIME_MAX);

	if (!p)
		return;
	p = state ? context_copy_columns(p, &state->columns, iter, opts) :
		    context_put_columns(p, iter, opts);
	if (likely(iter->iter_flags & TRACE_FILE_TIME_IN_NS)) {
		p = state ? context_copy_ns(p, &state->columns, iter->ts) :
			    context_put_ns(p, iter->ts);
		trace_text_end(s, trace_text_mem(p, ": ", 2));
	} else {
		trace_text_end(s, p);
		trace_print_time(iter, iter->ts);
		trace_seq_puts(s, ": ");
	}
}

/**
 * trace_time_mark - the letter that stands for how long something took
 * @ns: nanoseconds
 *
 * Context: any.
 * Return: one of "$@*#!+", or a blank.
 */
char trace_time_mark(u64 ns)
{
	static const struct {
		u32	ns;
		char	mark;
	} marks[] = {
		{ 1000 * NSEC_PER_MSEC,	'$' },
		{ 100 * NSEC_PER_MSEC,	'@' },
		{ 10 * NSEC_PER_MSEC,	'*' },
		{ 1 * NSEC_PER_MSEC,	'#' },
		{ 100 * NSEC_PER_USEC,	'!' },
		{ 10 * NSEC_PER_USEC,	'+' },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		if (ns > marks[i].ns)
			return marks[i].mark;
	}
	return ' ';
}

/* @abs: nanoseconds since the start of the trace; @rel: until the next record. */
static void context_latency_print_time(struct trace_iterator *iter, bool verbose, u64 abs, u64 rel)
{
	bool in_ns = iter->iter_flags & TRACE_FILE_TIME_IN_NS;
	struct trace_seq *s = &iter->seq;
	u32 abs_us, rel_us;
	u64 abs_ms, rel_ms;

	if (verbose && in_ns) {
		abs_ms = div_u64_rem(context_us(abs), USEC_PER_MSEC, &abs_us);
		rel_ms = div_u64_rem(context_us(rel), USEC_PER_MSEC, &rel_us);
		trace_seq_printf(s, "[%08llx] %llu.%03ums (+%llu.%03ums): ",
				 context_us(iter->ts), abs_ms, abs_us, rel_ms, rel_us);
	} else if (verbose) {
		trace_seq_printf(s, "[%016llx] %llu (+%llu): ", iter->ts, abs, rel);
	} else if (in_ns) {
		trace_seq_printf(s, " %4lluus%c: ", context_us(abs), trace_time_mark(rel));
	} else {
		trace_seq_printf(s, " %4llu: ", abs);
	}
}

/**
 * trace_print_lat_context - "    bash-1977    0d..1.   259us+: "
 * @iter: where to, and whose record; @iter->ent may move to a copy
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 */
void trace_print_lat_context(struct trace_iterator *iter)
{
	const struct trace_print_state *state = iter->private;
	bool verbose = trace_option(iter->tr, TRACE_OPT_VERBOSE);
	struct trace_seq *s = &iter->seq;
	u64 next = iter->ts;
	const struct trace_entry *ent;
	char comm[TASK_COMM_LEN];

	if (state && state->next_ts)
		next = state->next_ts(iter);
	ent = iter->ent;

	trace_find_cmdline(ent->pid, comm);
	if (verbose) {
		trace_seq_printf(s, "%16s %7d %3d %d %08x %08lx ", comm, ent->pid, iter->cpu,
				 ent->flags, ent->preempt_count & 0xf, iter->idx);
	} else {
		trace_seq_printf(s, "%8.8s-%-7d %3d", comm, ent->pid, iter->cpu);
		trace_print_flags_letters(s, ent);
	}
	context_latency_print_time(iter, verbose, iter->ts - iter->array_buffer->time_start,
				   next - iter->ts);
}
