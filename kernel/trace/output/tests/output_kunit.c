// SPDX-License-Identifier: GPL-2.0
/*
 * Records as text: every kind in every mode, the columns, the header lines and
 * what the print formats of trace events call. The expected lines are what
 * users of the trace file know.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "instance/option.h"
#include "instance/tracer.h"
#include "output/output.h"
#include "record/kind.h"
#include "record/text.h"

#define OPTS (TRACE_OPT_CONTEXT_INFO | TRACE_OPT_IRQ_INFO | TRACE_OPT_PRINT_PARENT | \
	      TRACE_OPT_PRINTK | TRACE_OPT_HASH_PTR)

/* Two functions that every kernel has. */
#define IP	((unsigned long)schedule)
#define PARENT	((unsigned long)seq_printf)

/* A kind of record for these tests, with every mode but a message. */
struct line_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	unsigned long		parent_ip;
};

static enum print_line_t line_text(struct trace_iterator *iter,
				   const struct trace_printer *printer)
{
	const struct line_entry *entry = trace_kind_record(iter, struct line_entry);

	printer->ip(iter, entry->ip);
	if (entry->parent_ip) {
		trace_seq_puts(&iter->seq, " <-");
		printer->ip(iter, entry->parent_ip);
	}
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t line_raw(struct trace_iterator *iter,
				  const struct trace_printer *printer)
{
	const struct line_entry *entry = trace_kind_record(iter, struct line_entry);

	trace_seq_printf(&iter->seq, "%lx %lx\n", entry->ip, entry->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t line_hex(struct trace_iterator *iter,
				  const struct trace_printer *printer)
{
	trace_seq_putmem_hex(&iter->seq, &trace_kind_record(iter, struct line_entry)->ip,
			     sizeof(unsigned long));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t line_bin(struct trace_iterator *iter,
				  const struct trace_printer *printer)
{
	trace_seq_putmem(&iter->seq, &trace_kind_record(iter, struct line_entry)->ip,
			 2 * sizeof(unsigned long));
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field line_fields[] = {
	TRACE_KIND_FIELD(struct line_entry, unsigned long, ip),
	TRACE_KIND_FIELD(struct line_entry, unsigned long, parent_ip),
	{ }
};

static struct trace_kind line_kind = {
	.size		= sizeof(struct line_entry),
	.name		= "kunit_line",
	.fields		= line_fields,
	.print_fmt	= "\"%ps\", (void *)REC->ip",
	.print		= {
		[TRACE_MODE_TEXT]	= line_text,
		[TRACE_MODE_RAW]	= line_raw,
		[TRACE_MODE_HEX]	= line_hex,
		[TRACE_MODE_BIN]	= line_bin,
	},
};

#define LINE	(line_kind.type)

struct output_ctx {
	struct trace_iterator		iter;
	struct trace_print_state	state;
	struct trace_array		tr;
	struct tracer			tracer;
	union {
		struct trace_entry		ent;
		struct line_entry		line;
		struct trace_print_entry	print;
		char				bytes[512];
	} rec;
};

static int output_test_init(struct kunit *test)
{
	struct output_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	for (line_kind.type = TRACE_FIRST_EVENT - 1; trace_kind_by_type(LINE); line_kind.type--)
		;
	KUNIT_ASSERT_EQ(test, trace_kind_register(&line_kind), 0);
	ctx->tracer.name = "nop";
	ctx->tr.options = OPTS;
	ctx->tr.current_trace = &ctx->tracer;
	ctx->tr.array_buffer.tr = &ctx->tr;
	ctx->tr.array_buffer.data = alloc_percpu(struct trace_array_cpu);
	KUNIT_ASSERT_NOT_NULL(test, ctx->tr.array_buffer.data);
	ctx->iter.tr = &ctx->tr;
	ctx->iter.trace = &ctx->tracer;
	ctx->iter.array_buffer = &ctx->tr.array_buffer;
	ctx->iter.cpu_file = RING_BUFFER_ALL_CPUS;
	ctx->iter.private = &ctx->state;
	ctx->iter.iter_flags = TRACE_FILE_TIME_IN_NS;
	ctx->iter.ent = &ctx->rec.ent;
	ctx->iter.cpu = 3;
	ctx->iter.ts = 17284993652000ULL;
	trace_seq_init(&ctx->iter.seq);
	trace_seq_init(&ctx->iter.tmp_seq);
	trace_print_state_init(&ctx->state);
	KUNIT_ASSERT_NOT_NULL(test, ctx->state.symbols);
	test->priv = ctx;
	return 0;
}

static void output_test_exit(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;

	if (trace_kind_by_type(LINE) == &line_kind)
		trace_kind_unregister(&line_kind);
	if (!ctx)
		return;
	kfree(ctx->iter.fmt);
	free_percpu(ctx->tr.array_buffer.data);
	trace_print_state_free(&ctx->state);
}

/* A record of @type by the idle task, with interrupts off in a hard interrupt. */
static void *line_record(struct output_ctx *ctx, int type, size_t size)
{
	memset(&ctx->rec, 0, sizeof(ctx->rec));
	ctx->rec.ent.type = type;
	ctx->rec.ent.flags = TRACE_FLAG_IRQS_OFF | TRACE_FLAG_HARDIRQ;
	ctx->rec.ent.preempt_count = 1;
	ctx->iter.ent_size = size;
	return &ctx->rec;
}

#define RECORD(ctx, type, member) line_record(ctx, type, sizeof((ctx)->rec.member))

static const char *line_text_of(struct output_ctx *ctx, u32 opts)
{
	struct trace_seq *s = &ctx->iter.seq;

	ctx->tr.options = opts;
	trace_seq_init(s);
	if (trace_print_record(&ctx->iter) != TRACE_TYPE_HANDLED)
		return "not handled";
	s->buffer[trace_seq_used(s)] = '\0';
	return s->buffer;
}

static __printf(2, 0) char *vtext_of(struct kunit *test, const char *fmt, va_list args)
{
	char *text = kunit_kzalloc(test, 1024, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, text);
	vsnprintf(text, 1024, fmt, args);
	return text;
}

static __printf(2, 3) char *text_of(struct kunit *test, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = vtext_of(test, fmt, args);
	va_end(args);
	return text;
}

/* The record as the options in @opts print it. */
static __printf(3, 4) void expect_line(struct kunit *test, u32 opts, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	KUNIT_EXPECT_STREQ(test, line_text_of(test->priv, opts), vtext_of(test, fmt, args));
	va_end(args);
}

#define COLUMNS "          <idle>-0       [003] d.h1. 17284.993652: "

static void columns_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = RECORD(ctx, LINE, line);

	entry->ip = IP;
	entry->parent_ip = PARENT;
	expect_line(test, OPTS, COLUMNS "%ps <-%ps\n", schedule, seq_printf);
	expect_line(test, OPTS & ~TRACE_OPT_IRQ_INFO,
		    "          <idle>-0       [003]  17284.993652: %ps <-%ps\n",
		    schedule, seq_printf);
	expect_line(test, OPTS | TRACE_OPT_RECORD_TGID,
		    "          <idle>-0       (-------) [003] d.h1. 17284.993652: %ps <-%ps\n",
		    schedule, seq_printf);
	expect_line(test, OPTS & ~TRACE_OPT_CONTEXT_INFO, "%ps <-%ps\n",
		    schedule, seq_printf);

	ctx->iter.ts = 1500;	/* rounds to the next microsecond */
	entry->parent_ip = 0;
	expect_line(test, OPTS,
		    "          <idle>-0       [003] d.h1.     0.000002: %ps\n", schedule);
	ctx->iter.iter_flags = 0;
	expect_line(test, OPTS,
		    "          <idle>-0       [003] d.h1.         1500: %ps\n", schedule);

	ctx->iter.cpu = 1234;
	entry->ent.pid = 123456789;	/* never seen */
	expect_line(test, OPTS,
		    "           <...>-123456789 [1234] d.h1.         1500: %ps\n", schedule);
}

static void letters_test(struct kunit *test)
{
	static const struct {
		u8		flags, count;
		const char	*letters;
	} cases[] = {
		{ 0, 0, "....." },
		{ TRACE_FLAG_IRQS_OFF, 0x0f, "d..f." },
		{ TRACE_FLAG_BH_OFF, 0x20, "b...2" },
		{ TRACE_FLAG_IRQS_OFF | TRACE_FLAG_BH_OFF, 0xff, "D..ff" },
		{ TRACE_FLAG_NEED_RESCHED, 0, ".n..." },
		{ TRACE_FLAG_PREEMPT_RESCHED, 0, ".p..." },
		{ TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED, 0, ".N..." },
		{ TRACE_FLAG_SOFTIRQ, 0, "..s.." },
		{ TRACE_FLAG_SOFTIRQ | TRACE_FLAG_HARDIRQ, 0, "..H.." },
		{ TRACE_FLAG_HARDIRQ, 0, "..h.." },
		{ TRACE_FLAG_NMI, 0, "..z.." },
		{ TRACE_FLAG_NMI | TRACE_FLAG_HARDIRQ, 0, "..Z.." },
	};
	struct output_ctx *ctx = test->priv;
	struct trace_seq *s = &ctx->iter.seq;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ctx->rec.ent.flags = cases[i].flags;
		ctx->rec.ent.preempt_count = cases[i].count;
		trace_seq_init(s);
		trace_print_flags_letters(s, &ctx->rec.ent);
		KUNIT_EXPECT_EQ(test, trace_seq_used(s), 5);
		KUNIT_EXPECT_MEMEQ(test, s->buffer, cases[i].letters, 5);
	}
}

static u64 in_200_us(struct trace_iterator *iter)
{
	return iter->ts + 200 * NSEC_PER_USEC;
}

static void latency_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = RECORD(ctx, LINE, line);

	entry->ip = IP;
	ctx->iter.iter_flags |= TRACE_FILE_LAT_FMT;
	ctx->iter.idx = 0x2a;
	ctx->tr.array_buffer.time_start = ctx->iter.ts - 259 * NSEC_PER_USEC;
	expect_line(test, OPTS, "  <idle>-0         3d.h1.  259us : %ps\n", schedule);
	ctx->state.next_ts = in_200_us;
	expect_line(test, OPTS, "  <idle>-0         3d.h1.  259us!: %ps\n", schedule);
	expect_line(test, OPTS | TRACE_OPT_VERBOSE,
		    "          <idle>       0   3 9 00000001 0000002a [406441274] 0.259ms (+0.200ms): %ps\n",
		    schedule);
	ctx->iter.iter_flags &= ~TRACE_FILE_TIME_IN_NS;
	expect_line(test, OPTS, "  <idle>-0         3d.h1. 259000: %ps\n", schedule);
}

static void symbol_options_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = RECORD(ctx, LINE, line);
	u32 opts = OPTS & ~TRACE_OPT_CONTEXT_INFO;
	int i;

	entry->ip = IP;
	entry->parent_ip = PARENT;
	/* The second time from the cache, the third without one. */
	for (i = 0; i < 3; i++) {
		expect_line(test, opts, "%ps <-%ps\n", schedule, seq_printf);
		expect_line(test, opts, "%ps <-%ps\n", schedule, seq_printf);
		expect_line(test, opts | TRACE_OPT_SYM_OFFSET, "%pS <-%pS\n",
			    schedule, seq_printf);
		expect_line(test, opts | TRACE_OPT_SYM_ADDR, "%ps <%016lx> <-%ps <%016lx>\n",
			    schedule, IP, seq_printf, PARENT);
		if (i == 1)
			ctx->iter.private = NULL;
	}
	entry->ip = 0;
	entry->parent_ip = 0x10;
	expect_line(test, opts, "0 <-0x00000010\n");
}

/* The line is what it is without anything kept of lines before. */
static void expect_as_anew(struct kunit *test, u32 opts)
{
	struct output_ctx *ctx = test->priv;
	const char *text = text_of(test, "%s", line_text_of(ctx, opts));

	ctx->iter.private = NULL;
	KUNIT_EXPECT_STREQ(test, text, line_text_of(ctx, opts));
	ctx->iter.private = &ctx->state;
}

/*
 * The columns are those of this record, no matter which of them differ from the record before.
 */
static void columns_again_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = RECORD(ctx, LINE, line);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 1);
	for (int i = 0; i < 1000; i++) {
		u32 opts = OPTS, bits = prandom_u32_state(&rnd);

		switch (bits % 8) {
		case 0:
			entry->ent.pid = bits >> 4 & 1 ? current->pid : bits >> 8;
			break;
		case 1:
			entry->ent.flags = bits >> 8;
			break;
		case 2:
			entry->ent.preempt_count = bits >> 8;
			break;
		case 3:
			ctx->iter.cpu = bits >> 8 & 0xfff;
			break;
		case 4:
			opts ^= TRACE_OPT_IRQ_INFO;
			break;
		case 5:
			opts |= TRACE_OPT_RECORD_TGID;
			break;
		case 6:
			ctx->iter.ts += bits;
			break;
		case 7:
			ctx->iter.ts = bits;
			break;
		}
		expect_as_anew(test, opts);
	}
}

/* A task that has another name since is shown with that by the next part of a listing. */
static void columns_renewed_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = RECORD(ctx, LINE, line);
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	task->pid = 100001;
	entry->ent.pid = task->pid;
	strscpy(task->comm, "before", sizeof(task->comm));
	tracing_record_cmdline(task);
	KUNIT_EXPECT_NOT_NULL(test, strstr(line_text_of(ctx, OPTS), "before-100001"));
	strscpy(task->comm, "after", sizeof(task->comm));
	tracing_record_cmdline(task);
	trace_print_state_renew(&ctx->state);
	KUNIT_EXPECT_NOT_NULL(test, strstr(line_text_of(ctx, OPTS), " after-100001"));
}

/* Addresses all over some functions have the names that they have without a cache. */
static void symbol_inside_test(struct kunit *test)
{
	static const u32 opts[] = { 0, TRACE_OPT_SYM_OFFSET, 0, TRACE_OPT_SYM_ADDR, 0 };
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = RECORD(ctx, LINE, line);
	unsigned long ip = IP, parent_ip = PARENT;

	/* objtool shall not see addresses in the middle of them, which nobody may call. */
	OPTIMIZER_HIDE_VAR(ip);
	OPTIMIZER_HIDE_VAR(parent_ip);
	for (int i = 0; i < ARRAY_SIZE(opts); i++) {
		for (unsigned int at = 0; at < 3000; at += 7) {
			entry->ip = ip + at;
			entry->parent_ip = parent_ip + 3000 - at;
			expect_as_anew(test, opts[i]);
		}
	}
}

static void modes_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = RECORD(ctx, LINE, line);
	unsigned long bin[2] = { IP, PARENT };
	struct trace_seq *s = &ctx->iter.seq;

	entry->ip = IP;
	entry->parent_ip = PARENT;
	entry->ent.pid = 77;
	expect_line(test, OPTS | TRACE_OPT_RAW, "77 3 17284993652000 %lx %lx\n", IP, PARENT);
	expect_line(test, TRACE_OPT_RAW, "%lx %lx\n", IP, PARENT);

	line_text_of(ctx, TRACE_OPT_HEX);
	KUNIT_EXPECT_NOT_NULL(test, strstr(s->buffer, text_of(test, "%016lx", IP)));
	KUNIT_EXPECT_EQ(test, s->buffer[trace_seq_used(s) - 1], '\n');

	line_text_of(ctx, TRACE_OPT_BIN);
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), (int)sizeof(bin));
	KUNIT_EXPECT_MEMEQ(test, s->buffer, (char *)bin, sizeof(bin));
	line_text_of(ctx, TRACE_OPT_BIN | TRACE_OPT_CONTEXT_INFO);
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), (int)(4 + 4 + 8 + sizeof(bin)));
	KUNIT_EXPECT_EQ(test, *(int *)s->buffer, 77);
	KUNIT_EXPECT_EQ(test, *(int *)(s->buffer + 4), 3);
}

static void lost_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;

	RECORD(ctx, LINE, line);
	ctx->iter.lost_events = 11745;
	expect_line(test, TRACE_OPT_RAW, "CPU:3 [LOST 11745 EVENTS]\n0 0\n");
	/* The line shows the times of the records around the gap if they are known. */
	ctx->iter.ts = 5000000600;
	ctx->state.lost_since = 3000000400;
	expect_line(test, TRACE_OPT_RAW,
		    "CPU:3 [LOST 11745 EVENTS]     3.000000 -     5.000001\n0 0\n");
}

/* A record that is shorter than its kind is not given to a printer. */
static void short_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct line_entry *entry = line_record(ctx, LINE, sizeof(*entry) - 4);
	struct trace_seq *s = &ctx->iter.seq;
	u32 opts = OPTS & ~TRACE_OPT_CONTEXT_INFO;
	struct trace_print_entry *print;

	entry->ip = IP;
	expect_line(test, OPTS, COLUMNS "[kunit_line of 20 bytes, not of 24]\n");
	expect_line(test, OPTS | TRACE_OPT_FIELDS, COLUMNS "[kunit_line of 20 bytes, not of 24]\n");
	expect_line(test, TRACE_OPT_RAW, "[kunit_line of 20 bytes, not of 24]\n");
	expect_line(test, TRACE_OPT_HEX, "[kunit_line of 20 bytes, not of 24]\n\n");
	line_text_of(ctx, TRACE_OPT_BIN);
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), 0);

	print = line_record(ctx, TRACE_PRINT, offsetof(struct trace_print_entry, buf) - 1);
	print->buf[0] = '!';
	expect_line(test, opts | TRACE_OPT_PRINTK_MSGONLY, "[print of 15 bytes, not of 16]\n");
	line_record(ctx, TRACE_STACK, sizeof(struct trace_entry));
	expect_line(test, opts, "[kernel_stack of 8 bytes, not of 16]\n");
	/* The shortest event of a ring buffer. */
	line_record(ctx, LINE, 4);
	expect_line(test, OPTS, "[record of 4 bytes]\n");
}

static void kind_goes_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct trace_kind kind = line_kind;

	KUNIT_EXPECT_EQ(test, trace_kind_register(&kind), -EBUSY);
	line_record(ctx, LINE, sizeof(struct line_entry));
	expect_line(test, OPTS, COLUMNS "0\n");
	trace_kind_unregister(&line_kind);
	KUNIT_EXPECT_NULL(test, trace_kind_by_type(LINE));
	expect_line(test, OPTS, COLUMNS "Unknown type %d\n", LINE);
	expect_line(test, TRACE_OPT_RAW, "%d ?\n", LINE);
	expect_line(test, TRACE_OPT_HEX, "\n");

	kind.print[TRACE_MODE_RAW] = NULL;
	KUNIT_ASSERT_EQ(test, trace_kind_register(&kind), 0);
	expect_line(test, TRACE_OPT_RAW, "type: %d\n", LINE);
	trace_kind_unregister(&kind);

	/* A kind that lacks something is refused. */
	kind.print[TRACE_MODE_TEXT] = NULL;
	KUNIT_EXPECT_EQ(test, trace_kind_register(&kind), -EINVAL);
	kind = line_kind;
	kind.type = TRACE_FIRST_EVENT;
	KUNIT_EXPECT_EQ(test, trace_kind_register(&kind), -EINVAL);
	kind = line_kind;
	kind.size = sizeof(struct trace_entry) - 1;
	KUNIT_EXPECT_EQ(test, trace_kind_register(&kind), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_kind_register(&line_kind), 0);
}

static void message_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct trace_print_entry *print;
	u32 msg_only = OPTS | TRACE_OPT_PRINTK_MSGONLY;
	struct line_entry *entry;

	print = line_record(ctx, TRACE_PRINT, sizeof(*print) + sizeof("hello\n"));
	print->ip = IP;
	memcpy(print->buf, "hello\n", sizeof("hello\n"));
	expect_line(test, OPTS, COLUMNS "%ps: hello\n", schedule);
	expect_line(test, TRACE_OPT_RAW, "# %lx hello\n", IP);
	expect_line(test, msg_only, "hello\n");
	expect_line(test, msg_only & ~TRACE_OPT_PRINTK, COLUMNS "%ps: hello\n", schedule);
	/* Text without a NUL ends with the record. */
	memcpy(print->buf, "hello\n and more", sizeof("hello\n and more"));
	expect_line(test, msg_only, "hello\n ");
	/* A record without a message is printed like any other. */
	entry = RECORD(ctx, LINE, line);
	entry->ip = IP;
	expect_line(test, msg_only, COLUMNS "%ps\n", schedule);
}

static enum print_line_t type_text(struct trace_iterator *iter, int flags,
				   struct trace_event *event)
{
	trace_seq_puts(&iter->seq, "by type\n");
	return trace_handle_return(&iter->seq);
}

static void types_test(struct kunit *test)
{
	struct trace_event_functions funcs = { .trace = type_text };
	struct trace_event_call first = { .event.funcs = &funcs };
	struct trace_event_call second = { .event.funcs = &funcs };
	struct trace_event taken = { .type = TRACE_PRINT, .funcs = &funcs };
	struct output_ctx *ctx = test->priv;
	int type;

	KUNIT_EXPECT_EQ(test, register_trace_event(&taken), 0);

	type = register_trace_event(&first.event);
	KUNIT_ASSERT_GE(test, type, (int)TRACE_FIRST_EVENT);
	KUNIT_EXPECT_EQ(test, first.event.type, type);
	KUNIT_EXPECT_NE(test, register_trace_event(&second.event), type);
	KUNIT_EXPECT_PTR_EQ(test, trace_event_by_type(type), &first.event);
	KUNIT_EXPECT_PTR_EQ(test, trace_event_by_type(second.event.type), &second.event);

	line_record(ctx, type, sizeof(struct trace_entry));
	expect_line(test, OPTS, COLUMNS "by type\n");
	expect_line(test, TRACE_OPT_RAW, "type: %d\n", type);

	unregister_trace_event(&second.event);
	unregister_trace_event(&first.event);
	KUNIT_EXPECT_NULL(test, trace_event_by_type(type));
	expect_line(test, OPTS, COLUMNS "Unknown type %d\n", type);
	expect_line(test, TRACE_OPT_RAW, "%d ?\n", type);
}

static void full_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct trace_seq *s = &ctx->iter.seq;
	size_t left;

	RECORD(ctx, LINE, line);
	ctx->rec.line.ip = IP;
	ctx->tr.options = OPTS;
	/*
	 * With any room left, the line is whole, or it is reported that the line did not fit.
	 */
	for (left = 0; left < 200; left++) {
		trace_seq_init(s);
		s->seq.len = s->seq.size - left;
		if (trace_print_record(&ctx->iter) == TRACE_TYPE_HANDLED)
			KUNIT_EXPECT_EQ(test, s->buffer[trace_seq_used(s) - 1], '\n');
		else
			KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(s));
		KUNIT_EXPECT_LE(test, s->seq.len, s->seq.size);
	}
}

static void names_test(struct kunit *test)
{
	static const struct trace_print_flags flags[] = {
		{ 1, "one" }, { 2, "two" }, { 0xc, "both" }, { 0x20, "" }, { -1, NULL },
	};
	struct output_ctx *ctx = test->priv;
	struct trace_seq *p = &ctx->iter.tmp_seq;

	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(p, "|", 0, flags), "");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(p, "|", 3, flags), "one|two");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(p, "|", 0x4, flags), "0x4");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(p, "|", 0x1d, flags), "one|both|0x10");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(p, NULL, 3, flags), "onetwo");
	KUNIT_EXPECT_STREQ(test, trace_print_symbols_seq(p, 2, flags), "two");
	KUNIT_EXPECT_STREQ(test, trace_print_symbols_seq(p, 5, flags), "0x5");
	KUNIT_EXPECT_STREQ(test, trace_print_symbols_seq(p, 0x20, flags), "0x20");
}

static void pieces_test(struct kunit *test)
{
	static const u8 bytes[] = { 0x01, 0xab, 0xff };
	static const u16 words[] = { 1, 0xffff };
	static const u64 quads[] = { 1ULL << 40 };
	struct output_ctx *ctx = test->priv;
	struct trace_seq *p = &ctx->iter.tmp_seq;
	unsigned long mask = 0x15;

	KUNIT_EXPECT_STREQ(test, trace_print_hex_seq(p, bytes, 3, false), "01 ab ff");
	KUNIT_EXPECT_STREQ(test, trace_print_hex_seq(p, bytes, 3, true), "01abff");
	KUNIT_EXPECT_STREQ(test, trace_print_hex_seq(p, bytes, 0, true), "");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(p, bytes, 3, 1), "{0x1,0xab,0xff}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(p, words, 2, 2), "{0x1,0xffff}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(p, quads, 1, 8), "{0x10000000000}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(p, quads, 0, 8), "{}");
	KUNIT_EXPECT_NOT_NULL(test, strstr(trace_print_bitmask_seq(p, &mask, sizeof(mask)),
					   "00000015"));
	KUNIT_EXPECT_STREQ(test, trace_print_hex_dump_seq(p, "> ", DUMP_PREFIX_NONE, 16, 1,
							  bytes, 3, false),
			   "\n> 01 ab ff\n");
}

/*
 * A count that is garbage ends with the room for text. Behind the memory there is a page that
 * nobody may read, so a function that goes on faults.
 */
static void pieces_count_test(struct kunit *test)
{
	const size_t bytes = PAGE_ALIGN(TRACE_SEQ_BUFFER_SIZE / strlen("0x0,") * sizeof(u64));
	struct output_ctx *ctx = test->priv;
	struct trace_seq *p = &ctx->iter.tmp_seq;
	void *data = vzalloc(bytes);
	size_t size;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (size = 1; size <= sizeof(u64); size *= 2) {
		trace_seq_init(p);
		trace_print_array_seq(p, data, 1 << 30, size);
		KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(p));
	}
	trace_seq_init(p);
	trace_print_hex_seq(p, data, 1 << 30, true);
	KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(p));
	trace_seq_init(p);
	trace_print_hex_dump_seq(p, "", DUMP_PREFIX_NONE, 16, 1, data, 1 << 30, false);
	KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(p));
	trace_seq_init(p);
	vfree(data);
}

static void event_printf_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct trace_iterator *iter = &ctx->iter;
	struct trace_seq *s = &iter->seq;
	void *ptr = &ctx->rec;

	ctx->tr.options = OPTS & ~TRACE_OPT_HASH_PTR;
	trace_event_printf(iter, "%p %%p %ps %d\n", ptr, schedule, 5);
	s->buffer[trace_seq_used(s)] = '\0';
	KUNIT_EXPECT_STREQ(test, s->buffer,
			   text_of(test, "%016lx %%p %ps 5\n", (unsigned long)ptr, schedule));

	/* A pointer is hashed: the address is not shown, and no format is copied. */
	trace_seq_init(s);
	ctx->tr.options = OPTS;
	trace_event_printf(iter, "%p\n", ptr);
	s->buffer[trace_seq_used(s)] = '\0';
	KUNIT_EXPECT_STRNEQ(test, s->buffer, text_of(test, "%016lx\n", (unsigned long)ptr));

	/* A dump must not allocate room for the changed format. */
	kfree(iter->fmt);
	iter->fmt = NULL;
	iter->fmt_size = 0;
	ctx->state.dump = true;
	trace_seq_init(s);
	ctx->tr.options = OPTS & ~TRACE_OPT_HASH_PTR;
	trace_event_printf(iter, "%p\n", ptr);
	s->buffer[trace_seq_used(s)] = '\0';
	KUNIT_EXPECT_STRNEQ(test, s->buffer, text_of(test, "%016lx\n", (unsigned long)ptr));
	KUNIT_EXPECT_NULL(test, iter->fmt);

	trace_seq_init(s);
	KUNIT_EXPECT_EQ(test, trace_output_call(iter, "name", "%d\n", 3), TRACE_TYPE_HANDLED);
	s->buffer[trace_seq_used(s)] = '\0';
	KUNIT_EXPECT_STREQ(test, s->buffer, "name: 3\n");
}

static const char *header_text(struct kunit *test, u32 opts)
{
	struct output_ctx *ctx = test->priv;
	struct seq_file m = { .size = PAGE_SIZE, .private = &ctx->iter };

	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	ctx->tr.options = opts;
	trace_print_header(&m, &ctx->iter);
	return m.buf;
}

#define COUNT "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:%u\n#\n"

/* The latency that a tracer has noted for the CPU of the buffer. */
static void header_latency_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	struct trace_latency *latency = &per_cpu_ptr(ctx->tr.array_buffer.data, 0)->longest;
	const char *text, *want;

	*latency = (struct trace_latency) {
		.ns = 1234567, .pid = 42, .nice = -3, .policy = 1, .rt_priority = 7,
		.comm = "longest",
	};
	text = header_text(test, OPTS);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "# latency: 1234 us, #1/1, CPU#0"));
	want = "#    | task: longest-42 (uid:0 nice:-3 policy:1 rt_prio:7)\n"
	       "#    -----------------\n#\n#";
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, want));
	KUNIT_EXPECT_NULL(test, strstr(text, "started at"));

	latency->from = (unsigned long)seq_puts;
	latency->to = (unsigned long)seq_printf;
	want = "#  => started at: seq_puts\n#  => ended at:   seq_printf\n#\n#\n";
	KUNIT_EXPECT_NOT_NULL(test, strstr(header_text(test, OPTS), want));
}

/* A record of each CPU is older than the trace. */
static unsigned long leave_out_one(struct trace_iterator *iter, int cpu)
{
	return 1;
}

static void header_test(struct kunit *test)
{
	struct output_ctx *ctx = test->priv;
	unsigned int cpus = num_online_cpus();
	struct trace_buffer *buffer = ring_buffer_alloc(PAGE_SIZE, 0);
	const char *want;

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	ctx->tr.array_buffer.buffer = buffer;
	KUNIT_EXPECT_STREQ(test, header_text(test, OPTS), text_of(test, COUNT
		"#                                _-----=> irqs-off/BH-disabled\n"
		"#                               / _----=> need-resched\n"
		"#                              | / _---=> hardirq/softirq\n"
		"#                              || / _--=> preempt-depth\n"
		"#                              ||| / _-=> migrate-disable\n"
		"#                              |||| /     delay\n"
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		"#              | |         |   |||||     |         |\n", cpus));
	KUNIT_EXPECT_STREQ(test, header_text(test, OPTS & ~TRACE_OPT_IRQ_INFO),
			   text_of(test, COUNT
		"#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n"
		"#              | |         |         |         |\n", cpus));
	KUNIT_EXPECT_STREQ(test, header_text(test, (OPTS | TRACE_OPT_RECORD_TGID) &
						   ~TRACE_OPT_IRQ_INFO),
			   text_of(test, COUNT
		"#           TASK-PID       TGID    CPU#     TIMESTAMP  FUNCTION\n"
		"#              | |           |       |         |         |\n", cpus));
	KUNIT_EXPECT_STREQ(test, header_text(test, OPTS & ~TRACE_OPT_CONTEXT_INFO),
			   "# tracer: nop\n#\n");
	/* The latency format says nothing about an empty buffer. */
	ctx->iter.iter_flags |= TRACE_FILE_LAT_FMT;
	KUNIT_EXPECT_STREQ(test, header_text(test, OPTS), "# tracer: nop\n#\n");
	KUNIT_EXPECT_EQ(test, ring_buffer_write(buffer, 4, "abc"), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(header_text(test, OPTS),
					   "# latency: 0 us, #1/1, CPU#0"));
	want = "#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)\n"
	       "#    -----------------\n#\n#";
	KUNIT_EXPECT_NOT_NULL(test, strstr(header_text(test, OPTS), want));
	KUNIT_EXPECT_NOT_NULL(test, strstr(header_text(test, OPTS),
					   text_of(test, "\n#%-44s\n",
						   "     \\   /        ||||||  \\    |    /")));
	header_latency_test(test);
	/* A record that is left out is not counted. */
	ctx->state.left_out = leave_out_one;
	KUNIT_EXPECT_NOT_NULL(test, strstr(header_text(test, OPTS),
					   "# latency: 1234 us, #0/0, CPU#0"));
	ring_buffer_free(buffer);
}

static struct kunit_case output_cases[] = {
	KUNIT_CASE(columns_test),
	KUNIT_CASE(letters_test),
	KUNIT_CASE(latency_test),
	KUNIT_CASE(symbol_options_test),
	KUNIT_CASE(columns_again_test),
	KUNIT_CASE(columns_renewed_test),
	KUNIT_CASE(symbol_inside_test),
	KUNIT_CASE(modes_test),
	KUNIT_CASE(short_test),
	KUNIT_CASE(kind_goes_test),
	KUNIT_CASE(message_test),
	KUNIT_CASE(lost_test),
	KUNIT_CASE(types_test),
	KUNIT_CASE(full_test),
	KUNIT_CASE(names_test),
	KUNIT_CASE(pieces_test),
	KUNIT_CASE(pieces_count_test),
	KUNIT_CASE(event_printf_test),
	KUNIT_CASE(header_test),
	{}
};

static struct kunit_suite output_suite = {
	.name		= "trace_output",
	.init		= output_test_init,
	.exit		= output_test_exit,
	.test_cases	= output_cases,
};

kunit_test_suite(output_suite);

MODULE_DESCRIPTION("KUnit tests of the trace output");
MODULE_LICENSE("GPL");
