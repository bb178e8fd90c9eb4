// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the function_graph tracer as lines of a tree, in trace and in trace_pipe.
 * The records are written here, at times that the cases say, so no function is hooked.
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/prandom.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>

#include <asm/sections.h>

#include "instance/instance.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "record/kind.h"
#include "record/record.h"
#include "tracers/graph/internal.h"

#define FOLDER	"instances/kunit_tree/"
#define TEXT	SZ_512K
#define SEED	20241117

/* A pid that no task has, so its name is not known. */
#define PID	INT_MAX

/* Functions that have names. */
#define OUTER	((unsigned long)seq_puts)
#define INNER	((unsigned long)seq_putc)

static u64 tree_time;

static u64 tree_clock(void)
{
	return tree_time;
}

static const struct tracer_option tree_options[] = {
	{ "tree-overrun", GRAPH_OVERRUN },
	{ "tree-cpu", GRAPH_CPU },
	{ "tree-overhead", GRAPH_OVERHEAD },
	{ "tree-proc", GRAPH_PROC },
	{ "tree-duration", GRAPH_DURATION },
	{ "tree-abstime", GRAPH_ABSTIME },
	{ "tree-irqs", GRAPH_IRQS },
	{ "tree-tail", GRAPH_TAIL },
	{ "tree-retval", GRAPH_RETVAL },
	{ "tree-retval-hex", GRAPH_RETVAL_HEX },
	{ "tree-retaddr", GRAPH_RETADDR },
	{ "tree-selftime", GRAPH_SELF_TIME },
	{ "tree-irqtime", GRAPH_IRQ_TIME },
	{ }
};

static void tree_header(struct seq_file *m)
{
	struct trace_iterator *iter = m->private;

	trace_graph_tree_restart(iter);
	trace_graph_put_header(m, READ_ONCE(iter->tr->tracer_options));
}

static enum print_line_t tree_line(struct trace_iterator *iter)
{
	return trace_graph_print(iter, READ_ONCE(iter->tr->tracer_options));
}

/* A tracer that prints as function_graph does, and hooks nothing. */
#define TREE_TRACER(_kinds) {						\
	.name			= "kunit_tree",				\
	.open			= trace_graph_tree_open,		\
	.close			= trace_graph_tree_close,		\
	.pipe_open		= trace_graph_tree_open,		\
	.pipe_close		= trace_graph_tree_close,		\
	.print_header		= tree_header,				\
	.print_line		= tree_line,				\
	.options		= tree_options,				\
	.default_options	= GRAPH_OPTIONS,			\
	.kinds			= _kinds,				\
	.allow_instances	= true,					\
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static const struct tracer tree_tracer = TREE_TRACER(NULL);
#else
static const struct tracer tree_tracer = TREE_TRACER(trace_graph_kinds);
#endif

struct tree_ctx {
	struct vfsmount		*mnt;
	struct trace_array	*tr;
	bool			registered;
	cpumask_t		cpus;		/* of this task, before */
	char			*text, *other;
};

/*
 * The column of CPUs is as wide as the highest number of one. Make it one digit wide, as the trees
 * below have it, which are of CPU 0.
 */
static void narrow_cpus(char *text)
{
	int digits = snprintf(NULL, 0, "%u", nr_cpu_ids - 1);
	char wide[16];

	snprintf(wide, sizeof(wide), " %*d) ", digits, 0);
	for (text = strstr(text, wide); text && digits > 1; text = strstr(text + 1, wide))
		memmove(text, text + digits - 1, strlen(text + digits - 1) + 1);
}

/* Read a file to its end, @step bytes at a time. Returns where its tree begins. */
static char *read_tree(struct kunit *test, const char *name, char *text, size_t step)
{
	struct tree_ctx *ctx = test->priv;
	struct file *file = file_open_root_mnt(ctx->mnt, name, O_RDONLY, 0);
	size_t len = 0;
	ssize_t ret;
	char *body;

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s", name);
	do {
		struct kvec vec = { text + len, min(step, TEXT - len - 1) };
		struct kiocb kiocb;
		struct iov_iter to;

		init_sync_kiocb(&kiocb, file);
		kiocb.ki_flags |= IOCB_NOWAIT;
		kiocb.ki_pos = file->f_pos;
		iov_iter_kvec(&to, ITER_DEST, &vec, 1, vec.iov_len);
		if (file->f_op->read_iter)
			ret = file->f_op->read_iter(&kiocb, &to);
		else
			ret = seq_read_iter(&kiocb, &to);
		file->f_pos = kiocb.ki_pos;
		len += ret > 0 ? ret : 0;
	} while (ret > 0 && len < TEXT - 1);
	text[len] = '\0';
	narrow_cpus(text);
	__fput_sync(file);
	body = strstr(text, "|   |   |   |\n");
	return body ? strchr(body, '\n') + 1 : text;
}

/* Is this the tree, in both files? Records are consumed by this. */
static void expect_tree(struct kunit *test, const char *want)
{
	struct tree_ctx *ctx = test->priv;

	KUNIT_EXPECT_STREQ(test, want, read_tree(test, FOLDER "trace", ctx->text, PAGE_SIZE));
	KUNIT_EXPECT_STREQ(test, want, read_tree(test, FOLDER "trace_pipe", ctx->text, PAGE_SIZE));
}

static void expect_in(struct kunit *test, const char *name, const char *part)
{
	struct tree_ctx *ctx = test->priv;

	read_tree(test, name, ctx->text, PAGE_SIZE);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(ctx->text, part), "%s:\n%s", name, ctx->text);
}

static void option(struct kunit *test, const char *word)
{
	struct tree_ctx *ctx = test->priv;
	char text[32];

	guard(trace_instances)();
	strscpy(text, word);
	KUNIT_EXPECT_EQ_MSG(test, trace_option_parse(ctx->tr, text), 0, "%s", word);
}

static void enter_as(struct kunit *test, int pid, unsigned long func, int depth)
{
	struct tree_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct graph_entry_record *entry;
	struct ring_buffer_event *event;

	tree_time += 1000;
	entry = trace_record_reserve(buffer, TRACE_GRAPH_ENT, sizeof(*entry), 0, &event);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	entry->ent.pid = pid;
	entry->func = func;
	entry->depth = depth;
	trace_record_commit(buffer);
}

static void leave_as(struct kunit *test, int pid, unsigned long func, int depth, u64 ns,
		     unsigned long retval)
{
	struct tree_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct graph_exit_record *exit;

	tree_time += 1000;
	exit = trace_record_reserve(buffer, TRACE_GRAPH_RET, sizeof(*exit), 0, &event);
	KUNIT_ASSERT_NOT_NULL(test, exit);
	exit->ent.pid = pid;
	exit->func = func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	exit->retval = retval;
#endif
	exit->depth = depth;
	exit->overrun = 3;
	exit->calltime = tree_time;
	exit->rettime = tree_time + ns;
	trace_record_commit(buffer);
}

static void enter(struct kunit *test, unsigned long func, int depth)
{
	enter_as(test, PID, func, depth);
}

static void leave(struct kunit *test, unsigned long func, int depth, u64 ns)
{
	leave_as(test, PID, func, depth, ns, 0);
}

static void leave_timed(struct kunit *test, unsigned long func, int depth, u64 self, u64 irq,
			u64 sleep)
{
	struct tree_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct graph_times_record *record;
	struct ring_buffer_event *event;

	tree_time += 1000;
	record = trace_record_reserve(buffer, TRACE_GRAPH_RET_TIMES, sizeof(*record), 0, &event);
	KUNIT_ASSERT_NOT_NULL(test, record);
	memset((void *)record + sizeof(record->exit.ent), 0,
	       sizeof(*record) - sizeof(record->exit.ent));
	record->exit.ent.pid = PID;
	record->exit.func = func;
	record->exit.depth = depth;
	record->exit.rettime = 2000;
	record->self = self;
	record->irq = irq;
	record->sleep = sleep;
	trace_record_commit(buffer);
}

#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
static void enter_from(struct kunit *test, unsigned long func, int depth, unsigned long retaddr)
{
	struct tree_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct graph_caller_record *entry;
	struct ring_buffer_event *event;

	tree_time += 1000;
	entry = trace_record_reserve(buffer, TRACE_GRAPH_RETADDR_ENT, sizeof(*entry), 0, &event);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	entry->ent.pid = PID;
	entry->func = func;
	entry->depth = depth;
	entry->retaddr = retaddr;
	trace_record_commit(buffer);
}
#endif

static void note(struct kunit *test, const char *text)
{
	struct tree_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	size_t len = strlen(text) + 1;
	struct {
		struct trace_entry	ent;
		unsigned long		ip;
		char			text[];
	} *record;
	struct ring_buffer_event *event;

	tree_time += 1000;
	record = trace_record_reserve(buffer, TRACE_PRINT, sizeof(*record) + len, 0, &event);
	KUNIT_ASSERT_NOT_NULL(test, record);
	record->ent.pid = PID;
	record->ip = OUTER;
	memcpy(record->text, text, len);
	trace_record_commit(buffer);
}

static int tree_test_init(struct kunit *test)
{
	struct tree_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	struct file_system_type *type = get_fs_type("tracefs");

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_NOT_NULL(test, type);
	test->priv = ctx;
	/* The cases name CPU 0. */
	cpumask_copy(&ctx->cpus, current->cpus_ptr);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	ctx->text = vmalloc(TEXT);
	ctx->other = vmalloc(TEXT);
	KUNIT_ASSERT_NOT_NULL(test, ctx->text);
	KUNIT_ASSERT_NOT_NULL(test, ctx->other);
	ctx->mnt = kern_mount(type);
	put_filesystem(type);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx->mnt));
	KUNIT_ASSERT_EQ(test, trace_tracer_register(&tree_tracer), 0);
	ctx->registered = true;
	ctx->tr = trace_array_get_by_name("kunit_tree", NULL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->tr);
	scoped_guard(trace_instances)
		KUNIT_ASSERT_EQ(test, trace_set_tracer(ctx->tr, "kunit_tree"), 0);
	tree_time = ctx->tr->array_buffer.time_start + NSEC_PER_SEC;
	ring_buffer_set_clock(ctx->tr->array_buffer.buffer, tree_clock);
	return 0;
}

static void tree_test_exit(struct kunit *test)
{
	struct tree_ctx *ctx = test->priv;

	if (!ctx)
		return;
	if (ctx->tr) {
		trace_array_put(ctx->tr);
		KUNIT_EXPECT_EQ(test, trace_array_destroy(ctx->tr), 0);
	}
	if (ctx->registered)
		KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&tree_tracer), 0);
	if (!IS_ERR_OR_NULL(ctx->mnt))
		kern_unmount(ctx->mnt);
	vfree(ctx->text);
	vfree(ctx->other);
	set_cpus_allowed_ptr(current, &ctx->cpus);
}

static void tree_nests(struct kunit *test)
{
	enter(test, OUTER, 0);
	enter(test, INNER, 1);
	leave(test, INNER, 1, 308);
	enter(test, OUTER, 1);
	enter(test, INNER, 2);
	leave(test, INNER, 2, 50);
	leave(test, OUTER, 1, 9999);
	leave(test, OUTER, 0, 12345);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   0.308 us    |    seq_putc();\n"
		    " 0)               |    seq_puts() {\n"
		    " 0)   0.050 us    |      seq_putc();\n"
		    " 0)   9.999 us    |    }\n"
		    " 0) + 12.345 us   |  }\n");
}

/* The mark, and so many decimals as make seven digits. */
static void tree_durations(struct kunit *test)
{
	static const u64 ns[] = {
		0, 999, 1000, 99999, 100001, 1000001, 12345678, 123456789, 1234567890,
		12345678901,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(ns); i++) {
		enter(test, INNER, 0);
		leave(test, INNER, 0, ns[i]);
	}
	expect_tree(test,
		    " 0)   0.000 us    |  seq_putc();\n"
		    " 0)   0.999 us    |  seq_putc();\n"
		    " 0)   1.000 us    |  seq_putc();\n"
		    " 0) + 99.999 us   |  seq_putc();\n"
		    " 0) ! 100.001 us  |  seq_putc();\n"
		    " 0) # 1000.001 us |  seq_putc();\n"
		    " 0) * 12345.67 us |  seq_putc();\n"
		    " 0) @ 123456.7 us |  seq_putc();\n"
		    " 0) $ 1234567 us  |  seq_putc();\n"
		    " 0) $ 12345678 us |  seq_putc();\n");
}

/* A call that cannot be the entry of the return behind it is no leaf. */
static void tree_knows_leaves(struct kunit *test)
{
	enter(test, OUTER, 0);
	leave(test, INNER, 0, 1);
	enter(test, OUTER, 0);
	leave(test, OUTER, 1, 1);
	enter(test, OUTER, 0);
	note(test, "between\n");
	leave(test, OUTER, 0, 1);
	enter(test, OUTER, 0);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   0.001 us    |  } /* seq_putc */\n"
		    " 0)               |  seq_puts() {\n"
		    " 0)   0.001 us    |    } /* seq_puts */\n"
		    " 0)               |  seq_puts() {\n"
		    " 0)               |  /* between */\n"
		    " 0)   0.001 us    |  }\n"
		    " 0)               |  seq_puts() {\n");
}

/* Records of other kinds stand within the function that runs. */
static void tree_comments(struct kunit *test)
{
	note(test, "first");
	enter(test, OUTER, 0);
	enter(test, OUTER, 1);
	note(test, "deep\n");
	enter(test, INNER, 2);
	leave(test, INNER, 2, 1);
	note(test, "behind a leaf\n");
	leave(test, OUTER, 1, 1);
	note(test, "behind\n");
	leave(test, OUTER, 0, 1);
	expect_tree(test,
		    " 0)               |  /* first */\n"
		    " 0)               |  seq_puts() {\n"
		    " 0)               |    seq_puts() {\n"
		    " 0)               |      /* deep */\n"
		    " 0)   0.001 us    |      seq_putc();\n"
		    " 0)               |      /* behind a leaf */\n"
		    " 0)   0.001 us    |    }\n"
		    " 0)               |  /* behind */\n"
		    " 0)   0.001 us    |  }\n");
}

/* The last entry at a depth on a CPU counts for its returns, no matter which task entered. */
static void tree_switches(struct kunit *test)
{
	enter_as(test, PID, OUTER, 0);
	enter_as(test, PID - 1, INNER, 0);
	leave_as(test, PID - 1, INNER, 0, 1, 0);
	leave_as(test, PID, OUTER, 0, 1, 0);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " ------------------------------------------\n"
		    " 0) <...>-2147483647 => <...>-2147483646\n"
		    " ------------------------------------------\n\n"
		    " 0)   0.001 us    |  seq_putc();\n"
		    " ------------------------------------------\n"
		    " 0) <...>-2147483646 => <...>-2147483647\n"
		    " ------------------------------------------\n\n"
		    " 0)   0.001 us    |  } /* seq_puts */\n");
}

static void tree_call(struct kunit *test)
{
	enter_as(test, PID, OUTER, 0);
	enter_as(test, PID, INNER, 1);
	leave_as(test, PID, INNER, 1, 1, 5);
	leave_as(test, PID, OUTER, 0, 20000, 0xfffffff2);
}

static void tree_has_options(struct kunit *test)
{
	struct tree_ctx *ctx = test->priv;

	tree_call(test);
	option(test, "notree-overhead");
	option(test, "tree-tail");
	option(test, "tree-overrun");
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   0.001 us    |    seq_putc();\n"
		    " 0)   20.000 us   |  } /* seq_puts */\n"
		    " (Overruns: 3)\n");
	option(test, "notree-tail");
	option(test, "notree-overrun");

	tree_call(test);
	option(test, "notree-duration");
	option(test, "notree-cpu");
	expect_tree(test, "seq_puts() {\n  seq_putc();\n}\n");
	tree_call(test);
	option(test, "tree-proc");
	expect_tree(test,
		    "<...>-2147483647 | seq_puts() {\n"
		    "<...>-2147483647 |   seq_putc();\n"
		    "<...>-2147483647 | }\n");

	option(test, "notree-proc");
	option(test, "tree-abstime");
	tree_time = 90012ULL * NSEC_PER_SEC + 345677999;
	enter(test, OUTER, 0);
	tree_time += NSEC_PER_SEC;
	leave(test, OUTER, 0, 1);
	note(test, "late\n");
	expect_tree(test,
		    "90012.345678 |  seq_puts();\n"
		    "90013.345680 |  /* late */\n");
	option(test, "nocontext-info");
	tree_call(test);
	KUNIT_EXPECT_STREQ(test, "seq_puts() {\n  seq_putc();\n}\n",
			   read_tree(test, FOLDER "trace_pipe", ctx->text, PAGE_SIZE));
}

#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
static void tree_retvals(struct kunit *test)
{
	option(test, "tree-retval");
	tree_call(test);
	enter_as(test, PID, INNER, 0);
	leave_as(test, PID, INNER, 0, 1, -EIO);
	enter_as(test, PID, INNER, 0);
	leave_as(test, PID, INNER, 0, 1, 0);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   0.001 us    |    seq_putc(); /* = 0x5 */\n"
		    " 0) + 20.000 us   |  } /* seq_puts = -14 */\n"
		    " 0)   0.001 us    |  seq_putc(); /* = -5 */\n"
		    " 0)   0.001 us    |  seq_putc(); /* = 0x0 */\n");
	option(test, "tree-retval-hex");
	tree_call(test);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   0.001 us    |    seq_putc(); /* = 0x5 */\n"
		    " 0) + 20.000 us   |  } /* seq_puts = 0xfffffff2 */\n");
}
#endif

#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
/* Callers have their offsets whatever the options say. */
static void tree_callers(struct kunit *test)
{
	const size_t size = 1024;
	char *want = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, want);
	option(test, "tree-retaddr");
	enter_from(test, OUTER, 0, INNER + 1);
	enter_from(test, INNER, 1, OUTER + 2);
	leave(test, INNER, 1, 1);
	/* A call that was recorded without the option. */
	enter(test, INNER, 1);
	leave(test, INNER, 1, 1);
	enter_from(test, INNER, 1, 0);
	leave(test, INNER, 1, 1);
	leave(test, OUTER, 0, 1);
	scnprintf(want, size,
		  " 0)               |  seq_puts() { /* <-%pS */\n"
		  " 0)   0.001 us    |    seq_putc(); /* <-%pS */\n"
		  " 0)   0.001 us    |    seq_putc();\n"
		  " 0)   0.001 us    |    seq_putc();\n"
		  " 0)   0.001 us    |  }\n", (void *)(INNER + 1), (void *)(OUTER + 2));
	expect_tree(test, want);

	option(test, "sym-offset");
	enter_from(test, INNER, 0, OUTER + 2);
	leave(test, INNER, 0, 1);
	scnprintf(want, size, " 0)   0.001 us    |  seq_putc(); /* <-%pS */\n",
		  (void *)(OUTER + 2));
	expect_tree(test, want);
	option(test, "nosym-offset");
	option(test, "sym-addr");
	enter_from(test, INNER, 0, OUTER + 2);
	scnprintf(want, size, " 0)               |  seq_putc() { /* <-%pS <%0*lx> */\n",
		  (void *)(OUTER + 2), (int)(2 * sizeof(long)), OUTER + 2);
	expect_tree(test, want);
	option(test, "nosym-addr");
	option(test, "notree-retaddr");
	enter_from(test, INNER, 0, OUTER + 2);
	expect_tree(test, " 0)               |  seq_putc() {\n");
}

#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
static void tree_callers_and_retvals(struct kunit *test)
{
	char want[128];

	option(test, "tree-retaddr");
	option(test, "tree-retval");
	enter_from(test, INNER, 0, OUTER + 2);
	leave_as(test, PID, INNER, 0, 1, 5);
	scnprintf(want, sizeof(want), " 0)   0.001 us    |  seq_putc(); /* <-%pS = 0x5 */\n",
		  (void *)(OUTER + 2));
	expect_tree(test, want);
}
#endif
#endif

static void tree_timed_call(struct kunit *test)
{
	enter(test, OUTER, 0);
	enter(test, INNER, 1);
	leave_timed(test, INNER, 1, 0, 1234, 5678901);
	leave_timed(test, OUTER, 0, 10, 0, 0);
}

static void tree_times(struct kunit *test)
{
	tree_timed_call(test);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   2.000 us    |    seq_putc();\n"
		    " 0)   2.000 us    |  }\n");
	option(test, "tree-selftime");
	tree_timed_call(test);
	/* A call that was recorded without the option. */
	enter(test, INNER, 0);
	leave(test, INNER, 0, 1);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   2.000 us    |    seq_putc(); /* self 0.000 us */\n"
		    " 0)   2.000 us    |  } /* self 0.010 us */\n"
		    " 0)   0.001 us    |  seq_putc();\n");
	option(test, "tree-irqtime");
	option(test, "notree-cpu");
	option(test, "notree-duration");
	tree_timed_call(test);
	leave_timed(test, INNER, 0, 1, 2, 3);
	expect_tree(test,
		    "seq_puts() {\n"
		    "  seq_putc(); /* self 0.000 us, irq 1.234 us, sleep 5678.901 us */\n"
		    "} /* self 0.010 us, irq 0.000 us, sleep 0.000 us */\n"
		    "} /* seq_putc, self 0.001 us, irq 0.002 us, sleep 0.003 us */\n");
	option(test, "notree-selftime");
	tree_timed_call(test);
	expect_tree(test,
		    "seq_puts() {\n"
		    "  seq_putc(); /* irq 1.234 us, sleep 5678.901 us */\n"
		    "} /* irq 0.000 us, sleep 0.000 us */\n");
}

#define IRQ	((unsigned long)__irqentry_text_start)

/* An interrupt with a call of its own within OUTER. */
static void tree_irq_call(struct kunit *test)
{
	enter(test, OUTER, 0);
	enter(test, IRQ, 1);
	enter(test, INNER, 2);
	leave(test, INNER, 2, 1);
	leave(test, IRQ, 1, 1);
	enter(test, IRQ, 1);
	leave(test, IRQ, 1, 1);
	enter(test, INNER, 1);
	leave(test, INNER, 1, 1);
	leave(test, OUTER, 0, 1);
}

static void tree_irqs(struct kunit *test)
{
	const size_t size = 1024;
	char *want;

	if (IRQ == (unsigned long)__irqentry_text_end)
		kunit_skip(test, "no function is known to begin an interrupt");
	tree_irq_call(test);
	want = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, want);
	scnprintf(want, size,
		  " 0)               |  seq_puts() {\n"
		  " 0)   ==========> |\n"
		  " 0)               |    %ps() {\n"
		  " 0)   0.001 us    |      seq_putc();\n"
		  " 0)   0.001 us    |    }\n"
		  " 0)   <========== |\n"
		  " 0)   ==========> |\n"
		  " 0)   0.001 us    |    %ps();\n"
		  " 0)   <========== |\n"
		  " 0)   0.001 us    |    seq_putc();\n"
		  " 0)   0.001 us    |  }\n", (void *)IRQ, (void *)IRQ);
	expect_tree(test, want);
	option(test, "notree-irqs");
	tree_irq_call(test);
	expect_tree(test,
		    " 0)               |  seq_puts() {\n"
		    " 0)   0.001 us    |    seq_putc();\n"
		    " 0)   0.001 us    |  }\n");
}

static void tree_headers(struct kunit *test)
{
	expect_in(test, FOLDER "trace",
		  "# tracer: kunit_tree\n#\n"
		  "# CPU  DURATION                  FUNCTION CALLS\n"
		  "# |     |   |                     |   |   |   |\n");
	option(test, "tree-abstime");
	option(test, "tree-proc");
	expect_in(test, FOLDER "trace",
		  "#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"
		  "#      |          |     |    |           |   |                     |   |   |   |\n");
	option(test, "latency-format");
	enter(test, OUTER, 0);
	expect_in(test, FOLDER "trace",
		  "\n#                                       _-----=> irqs-off        ");
	expect_in(test, FOLDER "trace",
		  "\n#                                      / _----=> need-resched    ");
	expect_in(test, FOLDER "trace", "#     TIME        CPU  TASK/PID       ||||     DURATION");
	expect_in(test, FOLDER "trace", " |  ..... | ");
}

#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
#define EXIT_FIELDS							\
	"\tfield:unsigned long retval;\toffset:16;\tsize:8;\tsigned:0;\n" \
	"\tfield:int depth;\toffset:24;\tsize:4;\tsigned:1;\n"		\
	"\tfield:unsigned int overrun;\toffset:28;\tsize:4;\tsigned:0;\n" \
	"\tfield:unsigned long long calltime;\toffset:32;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned long long rettime;\toffset:40;\tsize:8;\tsigned:0;\n"
#else
#define EXIT_FIELDS							\
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"		\
	"\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n" \
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n"
#endif

/* Arguments are at the end of a record. */
#ifdef CONFIG_FUNCTION_TRACE_ARGS
#define ARGS_FIELD	"\tfield:unsigned long args[];\toffset:20;\tsize:0;\tsigned:0;\n"
#else
#define ARGS_FIELD	""
#endif

static void tree_formats(struct kunit *test)
{
	expect_in(test, "events/ftrace/funcgraph_entry/format",
		  "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		  "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
		  ARGS_FIELD "\n"
		  "print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n");
	expect_in(test, "events/ftrace/funcgraph_entry/format", "ID: 11\n");
	expect_in(test, "events/ftrace/funcgraph_exit/format", "ID: 10\n");
	expect_in(test, "events/ftrace/funcgraph_exit/format", EXIT_FIELDS);
	expect_in(test, "events/ftrace/funcgraph_exit_times/format", EXIT_FIELDS);
	expect_in(test, "events/ftrace/funcgraph_exit_times/format",
		  "\tfield:unsigned long long self;\t");
#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
	expect_in(test, "events/ftrace/fgraph_retaddr_entry/format",
		  "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		  "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
		  "\tfield:unsigned long retaddr;\toffset:20;\tsize:8;\tsigned:0;\n");
#endif
}

/* Tasks switch at every fourth record, so some of the lines that do not fit are such. */
static void tree_at_random(struct kunit *test)
{
	struct rnd_state rnd;
	int i, depth = 0;

	prandom_seed_state(&rnd, SEED);
	for (i = 0; i < 4000; i++) {
		u32 dice = prandom_u32_state(&rnd) % 16;
		int pid = PID - prandom_u32_state(&rnd) % 4 / 3;
		unsigned long func = dice & 4 ? OUTER : INNER;

		if (dice == 15)
			note(test, "note\n");
		else if (dice < 8 && depth < 20)
			enter_as(test, pid, func, depth++);
		else if (depth)
			leave_as(test, pid, func, --depth, dice * 10000, 0);
	}
}

/*
 * A reader that consumes prints the same, whether its lines end a read or fill a sequence: a
 * line that did not fit is printed again, with the task that it switched to and its return.
 */
static void tree_is_consumed(struct kunit *test)
{
	static const size_t steps[] = { 3000, 2 * TRACE_SEQ_BUFFER_SIZE };
	struct tree_ctx *ctx = test->priv;
	char *want, *got;
	int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		tree_at_random(test);
		want = read_tree(test, FOLDER "trace", ctx->text, PAGE_SIZE);
		KUNIT_EXPECT_GT(test, strlen(want), 2 * TRACE_SEQ_BUFFER_SIZE);
		got = read_tree(test, FOLDER "trace_pipe", ctx->other, steps[i]);
		KUNIT_EXPECT_TRUE_MSG(test, !strcmp(want, got), "%zu bytes a read", steps[i]);
	}
}

static struct kunit_case tree_cases[] = {
	KUNIT_CASE(tree_nests),
	KUNIT_CASE(tree_durations),
	KUNIT_CASE(tree_knows_leaves),
	KUNIT_CASE(tree_comments),
	KUNIT_CASE(tree_switches),
	KUNIT_CASE(tree_has_options),
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	KUNIT_CASE(tree_retvals),
#endif
#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
	KUNIT_CASE(tree_callers),
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	KUNIT_CASE(tree_callers_and_retvals),
#endif
#endif
	KUNIT_CASE(tree_times),
	KUNIT_CASE(tree_irqs),
	KUNIT_CASE(tree_headers),
	KUNIT_CASE(tree_formats),
	KUNIT_CASE(tree_is_consumed),
	{}
};

static struct kunit_suite tree_suite = {
	.name		= "trace_graph_tree",
	.init		= tree_test_init,
	.exit		= tree_test_exit,
	.test_cases	= tree_cases,
};

kunit_test_suite(tree_suite);

MODULE_DESCRIPTION("KUnit test of the tree of the function_graph tracer");
MODULE_LICENSE("GPL");
