// SPDX-License-Identifier: GPL-2.0
/*
 * trace_printk() and its kin, markers, and how their records are read. They run
 * on instances of their own; the destination of trace_printk() is put back.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/trace.h>
#include <linux/trace_clock.h>
#include <linux/uaccess.h>

#include "instance/option.h"
#include "lib/one_cpu.h"
#include "output/output.h"
#include "printk/internal.h"

#define OPTS (TRACE_OPT_CONTEXT_INFO | TRACE_OPT_IRQ_INFO | TRACE_OPT_PRINTK | TRACE_OPT_HASH_PTR)

static struct trace_array *tr;

static int printk_test_init(struct kunit *test)
{
	test_on_one_cpu(test);
	tr = trace_array_get_by_name("kunit_printk", NULL);
	return tr ? trace_array_init_printk(tr) : -ENOMEM;
}

static void printk_test_exit(struct kunit *test)
{
	if (!tr)
		return;
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	tr = NULL;
}

static int set_option(u32 opt, bool on)
{
	guard(trace_instances)();
	return trace_option_set(tr, opt, on);
}

/* The next record of any CPU. Nobody else writes into this instance. */
static void *printk_consume(unsigned int *len)
{
	struct ring_buffer_event *event;
	int cpu;

	for_each_online_cpu(cpu) {
		event = ring_buffer_consume(tr->array_buffer.buffer, cpu, NULL, NULL);
		if (!event)
			continue;
		*len = ring_buffer_event_length(event);
		return ring_buffer_event_body(event);
	}
	return NULL;
}

static void expect_text(struct kunit *test, const char *text)
{
	struct trace_print_entry *entry;
	unsigned int len;

	entry = printk_consume(&len);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->ent.type, TRACE_PRINT);
	KUNIT_EXPECT_EQ(test, entry->ent.pid, current->pid);
	KUNIT_EXPECT_STREQ(test, entry->buf, text);
}

static void printk_strings(struct kunit *test)
{
	unsigned int len;

	KUNIT_EXPECT_EQ(test, trace_array_puts(tr, "no newline"), 10);
	KUNIT_EXPECT_EQ(test, trace_array_puts(tr, "newline\n"), 8);
	KUNIT_EXPECT_EQ(test, trace_array_puts(tr, ""), 0);
	KUNIT_EXPECT_EQ(test, trace_array_printk(tr, _THIS_IP_, "%d of %s", 7, "nine"), 9);
	KUNIT_EXPECT_EQ(test, trace_array_printk(tr, _THIS_IP_, "%d\n", 7), 2);
	expect_text(test, "no newline\n");
	expect_text(test, "newline\n");
	expect_text(test, "\n");
	expect_text(test, "7 of nine");
	expect_text(test, "7\n");
	KUNIT_EXPECT_NULL(test, printk_consume(&len));

	KUNIT_EXPECT_EQ(test, trace_array_printk(trace_top_instance(), _THIS_IP_, "top"), 0);
	KUNIT_EXPECT_EQ(test, trace_array_printk(NULL, _THIS_IP_, "none"), -ENOENT);
	KUNIT_EXPECT_EQ(test, set_option(TRACE_OPT_PRINTK, false), 0);
	KUNIT_EXPECT_EQ(test, trace_array_puts(tr, "off"), 0);
	KUNIT_EXPECT_EQ(test, trace_array_printk(tr, _THIS_IP_, "off"), 0);
	KUNIT_EXPECT_NULL(test, printk_consume(&len));
}

static __printf(3, 4) int call_vprintk(bool words, unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = words ? trace_vbprintk(ip, fmt, args) : trace_vprintk(ip, fmt, args);
	va_end(args);
	return ret;
}

/* All functions that write where the option trace_printk_dest says. */
static void printk_destination(struct kunit *test)
{
	const char *fmt = "%d and %s\n", *string = "constant\n";
	struct trace_bprint_entry *bprint;
	struct trace_bputs_entry *bputs;
	unsigned int len;

	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, true), 0);
	KUNIT_EXPECT_FALSE(test, trace_option(trace_top_instance(), TRACE_OPT_PRINTK_DEST));

	KUNIT_EXPECT_EQ(test, __trace_puts(_THIS_IP_, "puts", 4), 4);
	expect_text(test, "puts\n");
	KUNIT_EXPECT_EQ(test, __trace_printk(_THIS_IP_, "%s", "made"), 4);
	expect_text(test, "made");
	KUNIT_EXPECT_EQ(test, call_vprintk(false, _THIS_IP_, "%s", "vprintk"), 7);
	expect_text(test, "vprintk");

	KUNIT_EXPECT_EQ(test, __trace_bputs(1, string), 1);
	bputs = printk_consume(&len);
	KUNIT_ASSERT_NOT_NULL(test, bputs);
	KUNIT_EXPECT_EQ(test, bputs->ent.type, TRACE_BPUTS);
	KUNIT_EXPECT_PTR_EQ(test, bputs->str, string);

	for (int i = 0; i < 2; i++) {
		if (i)
			KUNIT_EXPECT_GT(test, call_vprintk(true, 1, fmt, 7, "text"), 1);
		else
			KUNIT_EXPECT_GT(test, __trace_bprintk(1, fmt, 7, "text"), 1);
		bprint = printk_consume(&len);
		KUNIT_ASSERT_NOT_NULL(test, bprint);
		KUNIT_EXPECT_EQ(test, bprint->ent.type, TRACE_BPRINT);
		KUNIT_EXPECT_PTR_EQ(test, bprint->fmt, fmt);
		KUNIT_EXPECT_EQ(test, bprint->buf[0], 7);
	}
	KUNIT_EXPECT_EQ(test, __trace_bprintk(1, NULL), 0);
	KUNIT_EXPECT_EQ(test, __trace_bputs(1, NULL), 0);
	KUNIT_EXPECT_NULL(test, printk_consume(&len));

	KUNIT_EXPECT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, false), 0);
	KUNIT_EXPECT_TRUE(test, trace_option(trace_top_instance(), TRACE_OPT_PRINTK_DEST));
	__trace_puts(_THIS_IP_, "not here", 8);
	KUNIT_EXPECT_NULL(test, printk_consume(&len));
}

/* The instance that trace_printk() writes into is removed. */
static void printk_destination_gone(struct kunit *test)
{
	struct trace_array *top = trace_top_instance();

	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, true), 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	tr = NULL;
	KUNIT_EXPECT_TRUE(test, trace_option(top, TRACE_OPT_PRINTK_DEST));
	guard(preempt_notrace)();
	KUNIT_EXPECT_PTR_EQ(test, trace_printk_target(NULL),
			    trace_option(top, TRACE_OPT_PRINTK) ? top : NULL);
}

/* The preemption count of a record is that of the caller. */
static void printk_context(struct kunit *test)
{
	struct trace_print_entry *entry;
	unsigned int len, want;

	want = tracing_gen_ctx() & 0xff;
	trace_array_puts(tr, "x");
	entry = printk_consume(&len);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->ent.preempt_count, want);
}

static unsigned int clock_preempt;

/* The clock of the instance's buffer: notes how often preemption is disabled. */
static u64 clock_notes_preempt(void)
{
	clock_preempt = preempt_count();
	return trace_clock_local();
}

/*
 * All ways to write text or a stack keep preemption off from before the instance is chosen
 * until the record is written, as a removal of the instance waits for that: when the buffer
 * reads the time, preemption is disabled once more than by the buffer alone, or twice when
 * what writes stacks has disabled it, too.
 */
static void printk_keeps_target(struct kunit *test)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int alone, word = 0;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kunit_skip(test, "nothing is preempted");
	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, true), 0);
	ring_buffer_set_clock(buffer, clock_notes_preempt);
	KUNIT_EXPECT_EQ(test, ring_buffer_write(buffer, sizeof(word), &word), 0);
	alone = clock_preempt;
	for (int i = 0; i < 8; i++) {
		clock_preempt = 0;
		switch (i) {
		case 0:
			trace_array_puts(tr, "text");
			break;
		case 1:
			__trace_puts(_THIS_IP_, "text", 4);
			break;
		case 2:
			__trace_bputs(_THIS_IP_, "text");
			break;
		case 3:
			__trace_bprintk(_THIS_IP_, "%d\n", 7);
			break;
		case 4:
			__trace_printk(_THIS_IP_, "%d\n", 7);
			break;
		case 5:
			trace_array_printk(tr, _THIS_IP_, "%d\n", 7);
			break;
		case 6:
			call_vprintk(true, _THIS_IP_, "%d\n", 7);
			break;
		case 7:
			trace_dump_stack(0);
			break;
		}
		KUNIT_EXPECT_EQ_MSG(test, clock_preempt, alone + (i < 7 ? 1 : 2) * PREEMPT_OFFSET,
				    "%d", i);
	}
	ring_buffer_set_clock(buffer, trace_clock_local);
}

#ifdef CONFIG_KPROBES
/**
 * struct removal - a task that removes the instance while text is being written
 * @task: the task
 * @wait: hit when it begins to wait for a grace period
 * @free: hit when it frees the buffer of the instance
 * @buffer: the buffer
 * @waits: it waits, and trace_printk() has another destination
 * @freed: it frees the buffer
 * @left: who writes the text is about to enable preemption
 * @freed_late: it frees the buffer when @left was set
 */
static struct removal {
	struct task_struct	*task;
	struct kprobe		wait, free;
	struct trace_buffer	*buffer;
	bool			waits, freed, left, freed_late;
} removal;

static int removal_waits(struct kprobe *kp, struct pt_regs *regs)
{
	if (current == removal.task && trace_printk_target(NULL) != tr)
		WRITE_ONCE(removal.waits, true);
	return 0;
}

static int removal_frees(struct kprobe *kp, struct pt_regs *regs)
{
	if ((void *)regs_get_kernel_argument(regs, 0) == removal.buffer) {
		removal.freed_late = READ_ONCE(removal.left);
		WRITE_ONCE(removal.freed, true);
	}
	return 0;
}

static int removal_main(void *unused)
{
	trace_array_put(tr);
	return trace_array_destroy(tr);
}

/*
 * With preemption off, load the instance and have it removed: the removal comes to wait for
 * this CPU, or frees the instance too early. If it does neither, it waits for something else.
 */
static void removal_run(struct kunit *test)
{
	u64 start = local_clock();

	preempt_disable();
	KUNIT_EXPECT_PTR_EQ(test, trace_printk_target(NULL), tr);
	wake_up_process(removal.task);
	while (!READ_ONCE(removal.waits) && !READ_ONCE(removal.freed) &&
	       local_clock() - start < 2ULL * NSEC_PER_SEC)
		cpu_relax();
	WRITE_ONCE(removal.left, true);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, kthread_stop(removal.task), 0);
	tr = NULL;
	KUNIT_EXPECT_TRUE(test, removal.waits);
	KUNIT_EXPECT_TRUE(test, removal.freed);
	KUNIT_EXPECT_TRUE(test, removal.freed_late);
}

/*
 * The instance that trace_printk() has loaded stays until the text was written,
 * whoever removes it meanwhile.
 */
static void printk_target_stays(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "nobody can remove it meanwhile");
	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, true), 0);
	removal = (struct removal) {
		.wait = { .symbol_name = "synchronize_rcu", .pre_handler = removal_waits },
		.free = { .symbol_name = "ring_buffer_free", .pre_handler = removal_frees },
		.buffer = tr->array_buffer.buffer,
	};
	removal.task = kthread_create(removal_main, NULL, "kunit_removal");
	KUNIT_ASSERT_FALSE(test, IS_ERR(removal.task));
	kthread_bind(removal.task, cpumask_any_but(cpu_online_mask, raw_smp_processor_id()));
	get_task_struct(removal.task);
	KUNIT_EXPECT_EQ(test, register_kprobe(&removal.wait), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&removal.free), 0);
	removal_run(test);
	unregister_kprobe(&removal.free);
	unregister_kprobe(&removal.wait);
	put_task_struct(removal.task);
	guard(preempt)();
	KUNIT_EXPECT_PTR_EQ(test, trace_printk_target(NULL), trace_top_instance());
}
#endif

/* Modules that ask for events get trace events only, not text. */
static unsigned int nr_exported;

static void export_write(struct trace_export *export, const void *data, unsigned int len)
{
	nr_exported++;
}

static struct trace_export export = {
	.write	= export_write,
	.flags	= TRACE_EXPORT_EVENT,
};

static void printk_not_exported(struct kunit *test)
{
	static const char fmt[] = "%d\n";

	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, true), 0);
	nr_exported = 0;
	KUNIT_ASSERT_EQ(test, register_ftrace_export(&export), 0);
	trace_array_puts(tr, "text");
	__trace_bputs(1, fmt);
	__trace_bprintk(1, fmt, 7);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_export(&export), 0);
	KUNIT_EXPECT_EQ(test, nr_exported, 0);
}

/* The stack behind a text begins with the function that wrote it. */
static void printk_stack(struct kunit *test)
{
	static const char fmt[] = "%d\n";
	unsigned long calls[4];

	if (!stack_trace_save(calls, ARRAY_SIZE(calls), 0))
		kunit_skip(test, "no callers known");
	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, true), 0);
	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_STACKTRACE, true), 0);
	for (int i = 0; i < 6; i++) {
		struct trace_entry *entry;
		unsigned long first;
		unsigned int len;

		switch (i) {
		case 0:
			trace_array_puts(tr, "text");
			break;
		case 1:
			__trace_puts(_THIS_IP_, "text", 4);
			break;
		case 2:
			__trace_bputs(_THIS_IP_, fmt);
			break;
		case 3:
			__trace_bprintk(_THIS_IP_, fmt, 7);
			break;
		case 4:
			__trace_printk(_THIS_IP_, "%d\n", 7);
			break;
		case 5:
			trace_array_printk(tr, _THIS_IP_, "%d\n", 7);
			break;
		}
		KUNIT_ASSERT_NOT_NULL(test, printk_consume(&len));
		entry = printk_consume(&len);
		KUNIT_ASSERT_NOT_NULL(test, entry);
		KUNIT_ASSERT_EQ(test, entry->type, TRACE_STACK);
		/* Behind the header: the number of callers, and the first of them. */
		first = *(unsigned long *)((void *)entry + 2 * sizeof(u64));
		KUNIT_EXPECT_LT_MSG(test, first - (unsigned long)printk_stack, 4096UL,
				    "%d: %pS", i, (void *)first);
	}
}

static noinline void dump_stack_at_depth_1(int skip)
{
	trace_dump_stack(skip);
	/* This is no tail call, so that the frame is there. */
	barrier();
}

/* trace_dump_stack() writes where trace_printk() does, whatever the option trace_printk says. */
static void printk_dump_stack(struct kunit *test)
{
	unsigned long calls[4], first;
	struct trace_entry *entry;
	unsigned int len;

	KUNIT_ASSERT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, true), 0);
	for (int skip = 0; skip < 2; skip++) {
		unsigned long from = skip ? (unsigned long)printk_dump_stack :
					    (unsigned long)dump_stack_at_depth_1;

		dump_stack_at_depth_1(skip);
		entry = printk_consume(&len);
		KUNIT_ASSERT_NOT_NULL(test, entry);
		KUNIT_EXPECT_EQ(test, entry->type, TRACE_STACK);
		KUNIT_EXPECT_NULL(test, printk_consume(&len));
		if (!stack_trace_save(calls, ARRAY_SIZE(calls), 0))
			continue;
		/* Behind the header: the number of callers, and the first of them. */
		first = *(unsigned long *)((void *)entry + 2 * sizeof(u64));
		KUNIT_EXPECT_LT_MSG(test, first - from, skip ? 4096UL : 64UL, "%d: %pS", skip,
				    (void *)first);
	}
	KUNIT_EXPECT_EQ(test, set_option(TRACE_OPT_PRINTK, false), 0);
	trace_dump_stack(0);
	KUNIT_EXPECT_NOT_NULL(test, printk_consume(&len));

	KUNIT_EXPECT_EQ(test, set_option(TRACE_OPT_PRINTK_DEST, false), 0);
	trace_dump_stack(0);
	KUNIT_EXPECT_NULL(test, printk_consume(&len));
}

static struct kunit_case printk_cases[] = {
	KUNIT_CASE(printk_strings),
	KUNIT_CASE(printk_destination),
	KUNIT_CASE(printk_destination_gone),
	KUNIT_CASE(printk_context),
	KUNIT_CASE(printk_keeps_target),
#ifdef CONFIG_KPROBES
	KUNIT_CASE(printk_target_stays),
#endif
	KUNIT_CASE(printk_not_exported),
	KUNIT_CASE(printk_stack),
	KUNIT_CASE(printk_dump_stack),
	{}
};

static struct kunit_suite printk_suite = {
	.name		= "trace_printk",
	.init		= printk_test_init,
	.exit		= printk_test_exit,
	.test_cases	= printk_cases,
};

/* markers */

static char __user *user_memory(struct kunit *test)
{
	unsigned long at = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					 MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	KUNIT_ASSERT_NE(test, at, 0UL);
	return (char __user *)at;
}

/* A text in the last bytes of a page of user memory, behind which nothing is mapped. */
static char __user *user_text(struct kunit *test, const char *text, size_t len)
{
	char __user *at = user_memory(test) + PAGE_SIZE - len;

	KUNIT_ASSERT_EQ(test, copy_to_user(at, text, len), 0UL);
	return at;
}

static void marker_text(struct kunit *test)
{
	char __user *text = user_text(test, "hello", 5), *tagged;
	unsigned int len;

	KUNIT_EXPECT_EQ(test, tracing_mark_write(tr, text, 5), 5);
	expect_text(test, "hello\n");
	/* Some machines take the top byte of an address for a tag. */
	tagged = (char __user *)((unsigned long)text | 0x5aUL << (BITS_PER_LONG - 8));
	if (untagged_addr(tagged) == text && access_ok(tagged, 5)) {
		KUNIT_EXPECT_EQ(test, tracing_mark_write(tr, tagged, 5), 5);
		expect_text(test, "hello\n");
	}
	/* One byte of it cannot be read, which a record tells. */
	KUNIT_EXPECT_EQ(test, tracing_mark_write(tr, text, 6), -EFAULT);
	expect_text(test, "<faulted>\n");
	KUNIT_EXPECT_EQ(test, tracing_mark_write(tr, NULL, 3), -EFAULT);
	expect_text(test, "<faulted>\n");
	KUNIT_EXPECT_NULL(test, printk_consume(&len));

	KUNIT_EXPECT_EQ(test, set_option(TRACE_OPT_MARKERS, false), 0);
	KUNIT_EXPECT_EQ(test, tracing_mark_write(tr, text, 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_marker_write_raw(tr, text, 5), -EINVAL);
	KUNIT_EXPECT_NULL(test, printk_consume(&len));
}

static void marker_raw(struct kunit *test)
{
	char __user *text = user_text(test, "\x07\0\0\0xyz", 7);
	struct trace_raw_data_entry *data;
	unsigned int len;

	KUNIT_EXPECT_EQ(test, trace_marker_write_raw(tr, text, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_marker_write_raw(tr, text, 7), 7);
	data = printk_consume(&len);
	KUNIT_ASSERT_NOT_NULL(test, data);
	KUNIT_EXPECT_EQ(test, data->ent.type, TRACE_RAW_DATA);
	KUNIT_EXPECT_MEMEQ(test, (char *)&data->id, "\x07\0\0\0xyz", 7);

	KUNIT_EXPECT_EQ(test, trace_marker_write_raw(tr, text, 8), -EFAULT);
	data = printk_consume(&len);
	KUNIT_ASSERT_NOT_NULL(test, data);
	KUNIT_EXPECT_EQ(test, data->id, ~0U);
	KUNIT_EXPECT_MEMEQ(test, data->buf, "<faulted>", 9);
	KUNIT_EXPECT_NULL(test, printk_consume(&len));
}

static void marker_exported(struct kunit *test)
{
	char __user *text = user_text(test, "\x07\0\0\0xyz", 7);

	nr_exported = 0;
	export.flags = TRACE_EXPORT_MARKER;
	KUNIT_ASSERT_EQ(test, register_ftrace_export(&export), 0);
	KUNIT_EXPECT_EQ(test, trace_marker_write_raw(tr, text, 7), 7);
	KUNIT_EXPECT_EQ(test, nr_exported, 0);
	KUNIT_EXPECT_EQ(test, tracing_mark_write(tr, text + 4, 3), 3);
	KUNIT_EXPECT_EQ(test, nr_exported, 1);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_export(&export), 0);
	export.flags = TRACE_EXPORT_EVENT;
}

static struct kunit_case marker_cases[] = {
	KUNIT_CASE(marker_text),
	KUNIT_CASE(marker_raw),
	KUNIT_CASE(marker_exported),
	{}
};

static struct kunit_suite marker_suite = {
	.name		= "trace_marker",
	.init		= printk_test_init,
	.exit		= printk_test_exit,
	.test_cases	= marker_cases,
};

/* how the records are read */

struct line {
	struct trace_iterator			iter;
	union {
		struct trace_entry		ent;
		struct trace_bprint_entry	bprint;
		struct trace_bputs_entry	bputs;
		struct trace_raw_data_entry	raw_data;
		char				bytes[128];
	} rec;
	char					want[256];
};

static struct line *line_of(struct kunit *test, unsigned int type, unsigned int size)
{
	struct line *line = kunit_kzalloc(test, sizeof(*line), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, line);
	line->iter.tr = tr;
	line->iter.array_buffer = &tr->array_buffer;
	line->iter.iter_flags = TRACE_FILE_TIME_IN_NS;
	line->iter.ts = 17284993652000ULL;
	line->iter.cpu = 3;
	line->iter.ent = &line->rec.ent;
	line->iter.ent_size = size;
	line->rec.ent.type = type;
	return line;
}

static __printf(4, 5) void expect_line(struct kunit *test, struct line *line, u32 opts,
				       const char *fmt, ...)
{
	struct trace_seq *s = &line->iter.seq;
	u32 options = tr->options;
	va_list args;

	va_start(args, fmt);
	vsnprintf(line->want, sizeof(line->want), fmt, args);
	va_end(args);
	tr->options = opts;
	trace_seq_init(s);
	KUNIT_EXPECT_EQ(test, trace_print_record(&line->iter), TRACE_TYPE_HANDLED);
	s->buffer[trace_seq_used(s)] = '\0';
	KUNIT_EXPECT_STREQ(test, s->buffer, line->want);
	tr->options = options;
}

#define COLUMNS "          <idle>-0       [003] ..... 17284.993652: "

static void read_words(struct kunit *test)
{
	static const char fmt[] = "number %d\n";
	struct line *line = line_of(test, TRACE_BPRINT, sizeof(line->rec));
	unsigned long ip = (unsigned long)schedule;

	line->rec.bprint.ip = ip;
	line->rec.bprint.fmt = fmt;
	line->rec.bprint.buf[0] = 42;
	expect_line(test, line, OPTS, COLUMNS "%ps: number 42\n", schedule);
	expect_line(test, line, TRACE_OPT_RAW, ": %lx : number 42\n", ip);
	expect_line(test, line, OPTS | TRACE_OPT_PRINTK_MSGONLY, "number 42\n");
	line->iter.ent_size = offsetof(struct trace_bprint_entry, buf) - 1;
	expect_line(test, line, 0, "[bprint of 23 bytes, not of 24]\n");
}

static void read_strings(struct kunit *test)
{
	struct line *line = line_of(test, TRACE_BPUTS, sizeof(line->rec.bputs));
	unsigned long ip = (unsigned long)schedule;

	line->rec.bputs.ip = ip;
	line->rec.bputs.str = "a string\n";
	expect_line(test, line, OPTS, COLUMNS "%ps: a string\n", schedule);
	expect_line(test, line, TRACE_OPT_RAW, ": %lx : a string\n", ip);
	expect_line(test, line, OPTS | TRACE_OPT_PRINTK_MSGONLY, "a string\n");
	line->iter.ent_size--;
	expect_line(test, line, 0, "[bputs of 23 bytes, not of 24]\n");
}

/* Records of an earlier boot have pointers that are not valid in this one. */
static void read_another_boot(struct kunit *test)
{
	struct line *line = line_of(test, TRACE_BPUTS, sizeof(line->rec.bputs));

	line->rec.bputs.str = (const char *)1;
	tr->memory = line;
	expect_line(test, line, OPTS | TRACE_OPT_PRINTK_MSGONLY, "[text of another boot]\n");
	line->rec.ent.type = TRACE_BPRINT;
	line->iter.ent_size = sizeof(line->rec);
	expect_line(test, line, OPTS | TRACE_OPT_PRINTK_MSGONLY, "[text of another boot]\n");
	tr->memory = NULL;
}

static void read_raw_data(struct kunit *test)
{
	struct line *line = line_of(test, TRACE_RAW_DATA,
				    offsetof(struct trace_raw_data_entry, buf) + 3);

	line->rec.raw_data.id = 0x7b;
	memcpy(line->rec.raw_data.buf, "\x01\xff\x20", 3);
	expect_line(test, line, OPTS, COLUMNS "# 7b buf: 01 ff 20\n");
	expect_line(test, line, TRACE_OPT_RAW, "# 7b buf: 01 ff 20\n");
	/* It has no message: the columns are printed. */
	expect_line(test, line, OPTS | TRACE_OPT_PRINTK_MSGONLY, COLUMNS "# 7b buf: 01 ff 20\n");
	line->iter.ent_size = 11;
	expect_line(test, line, 0, "[raw_data of 11 bytes, not of 12]\n");
}

static struct kunit_case read_cases[] = {
	KUNIT_CASE(read_words),
	KUNIT_CASE(read_strings),
	KUNIT_CASE(read_another_boot),
	KUNIT_CASE(read_raw_data),
	{}
};

static struct kunit_suite read_suite = {
	.name		= "trace_printk_read",
	.init		= printk_test_init,
	.exit		= printk_test_exit,
	.test_cases	= read_cases,
};

kunit_test_suites(&printk_suite, &marker_suite, &read_suite);

MODULE_DESCRIPTION("KUnit tests of trace_printk() and markers");
MODULE_LICENSE("GPL");
