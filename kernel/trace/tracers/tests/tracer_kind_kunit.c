// SPDX-License-Identifier: GPL-2.0
/*
 * A tracer in one file: with a record kind, options, a file and a maximum of its
 * own, from public headers only. It comes at run time, shows wherever a tracer
 * shows, and goes without a trace.
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "instance/buffers.h"
#include "instance/file.h"
#include "instance/instance.h"
#include "instance/latency.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "record/kind.h"
#include "record/record.h"

/* The kind. No kind of the kernel has this number. */
#define KIND_PROBE	2

struct probe_record {
	struct trace_entry	ent;
	u32			number;
	char			letter;
};

static enum print_line_t probe_text(struct trace_iterator *iter,
				    const struct trace_printer *printer)
{
	const struct probe_record *record = trace_kind_record(iter, struct probe_record);

	trace_seq_printf(&iter->seq, "probe %u%c\n", record->number, record->letter);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t probe_raw(struct trace_iterator *iter,
				   const struct trace_printer *printer)
{
	const struct probe_record *record = trace_kind_record(iter, struct probe_record);

	trace_seq_printf(&iter->seq, "%x %d\n", record->number, record->letter);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t probe_bin(struct trace_iterator *iter,
				   const struct trace_printer *printer)
{
	const struct probe_record *record = trace_kind_record(iter, struct probe_record);

	trace_seq_putmem(&iter->seq, &record->number, sizeof(record->number));
	trace_seq_putmem(&iter->seq, &record->letter, sizeof(record->letter));
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field probe_fields[] = {
	TRACE_KIND_FIELD(struct probe_record, u32, number),
	TRACE_KIND_FIELD(struct probe_record, char, letter),
	{}
};

static const struct trace_kind probe_kind = {
	.type		= KIND_PROBE,
	.size		= sizeof(struct probe_record),
	.name		= "kunit_probe",
	.fields		= probe_fields,
	.print_fmt	= "\"probe %u%c\", REC->number, REC->letter",
	.print		= {
		[TRACE_MODE_TEXT]	= probe_text,
		[TRACE_MODE_RAW]	= probe_raw,
		[TRACE_MODE_BIN]	= probe_bin,
	},
};

/* The tracer. */
enum {
	PROBE_LOUD	= BIT(0),
	PROBE_REFUSED	= BIT(1),
};

/* How often each callback was called. */
static struct {
	unsigned int	open, close, pipe_open, pipe_close, freed, print_line;
} calls;

static const struct tracer probe_tracer;

static int probe_init(struct trace_array *tr)
{
	u32 *data;

	if (trace_tracer_data(tr, &probe_tracer))
		return 0;
	data = kzalloc(sizeof(*data), GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	*data = 7;
	trace_tracer_set_data(tr, &probe_tracer, data);
	return 0;
}

static void probe_free_data(void *data)
{
	calls.freed++;
	kfree(data);
}

static int probe_set_option(struct trace_array *tr, u32 bit, bool on)
{
	return bit == PROBE_REFUSED ? -EPERM : 0;
}

static void probe_open(struct trace_iterator *iter)
{
	calls.open++;
}

static void probe_close(struct trace_iterator *iter)
{
	calls.close++;
}

static void probe_pipe_open(struct trace_iterator *iter)
{
	calls.pipe_open++;
}

static void probe_pipe_close(struct trace_iterator *iter)
{
	calls.pipe_close++;
}

/* The first read of a pipe gets a greeting. */
static ssize_t probe_read(struct trace_iterator *iter, struct iov_iter *to)
{
	static const char hello[] = "hello\n";

	if (iter->pos)
		return 0;
	iter->pos = 1;
	return copy_to_iter(hello, sizeof(hello) - 1, to);
}

static enum print_line_t probe_print_line(struct trace_iterator *iter)
{
	const struct probe_record *record = trace_kind_record(iter, struct probe_record);

	calls.print_line++;
	if (iter->ent->type != KIND_PROBE || !(READ_ONCE(iter->tr->tracer_options) & PROBE_LOUD))
		return TRACE_TYPE_UNHANDLED;
	trace_seq_printf(&iter->seq, "PROBE %u!\n", record->number);
	return trace_handle_return(&iter->seq);
}

static const struct tracer_option probe_options[] = {
	{ "probe-loud", PROBE_LOUD },
	{ "probe-refused", PROBE_REFUSED },
	{ }
};

static int probe_number_show(struct seq_file *m, void *v)
{
	u32 *data;

	guard(trace_instances)();
	data = trace_tracer_data(trace_seq_file_tr(m), &probe_tracer);
	if (!data)
		return -ENODEV;
	seq_printf(m, "%u\n", *data);
	return 0;
}

DEFINE_TRACE_FILE_RO(probe_number);

static const struct tracer_file probe_files[] = {
	{ "probe_number", 0444, &probe_number_fops },
	{ }
};

static const struct trace_kind * const probe_kinds[] = {
	&probe_kind,
	NULL
};

static const struct tracer probe_tracer = {
	.name			= "kunit_probe",
	.init			= probe_init,
	.set_option		= probe_set_option,
	.open			= probe_open,
	.close			= probe_close,
	.pipe_open		= probe_pipe_open,
	.pipe_close		= probe_pipe_close,
	.read			= probe_read,
	.print_line		= probe_print_line,
	.free_data		= probe_free_data,
	.options		= probe_options,
	.kinds			= probe_kinds,
	.files			= probe_files,
	.allow_instances	= true,
	.use_max		= IS_ENABLED(CONFIG_TRACER_SNAPSHOT),
};

static void probe_write(struct trace_array *tr, u32 number, char letter)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct probe_record *record;

	record = trace_record_reserve(buffer, KIND_PROBE, sizeof(*record), tracing_gen_ctx(),
				      &event);
	if (!record)
		return;
	record->number = number;
	record->letter = letter;
	trace_record_commit(buffer);
}

/* Each test has tracefs, an instance, and the tracer and its kind registered. */
struct probe_ctx {
	struct vfsmount		*mnt;
	struct trace_array	*tr;
	bool			has_tracer;
	char			text[PAGE_SIZE];
};

#define INSTANCE	"instances/kunit_probe/"

static struct file *probe_file_open(struct kunit *test, const char *name)
{
	struct probe_ctx *ctx = test->priv;

	return file_open_root_mnt(ctx->mnt, name, O_RDONLY, 0);
}

/* Bytes of an open file into ctx->text, up to its size or the end. */
static ssize_t probe_file_read(struct kunit *test, struct file *file)
{
	struct probe_ctx *ctx = test->priv;
	struct kvec vec = { ctx->text, sizeof(ctx->text) - 1 };
	struct kiocb kiocb;
	struct iov_iter to;
	ssize_t ret;

	memset(ctx->text, 0, sizeof(ctx->text));
	init_sync_kiocb(&kiocb, file);
	kiocb.ki_flags |= IOCB_NOWAIT;
	kiocb.ki_pos = file->f_pos;
	iov_iter_kvec(&to, ITER_DEST, &vec, 1, vec.iov_len);
	/* A seq_file whose operations have read() alone. */
	if (file->f_op->read_iter)
		ret = file->f_op->read_iter(&kiocb, &to);
	else
		ret = seq_read_iter(&kiocb, &to);
	file->f_pos = kiocb.ki_pos;
	return ret;
}

/* The text of a file that fits into a page; NULL: there is no such file. */
static const char *probe_text_of(struct kunit *test, const char *name)
{
	struct file *file = probe_file_open(test, name);
	struct probe_ctx *ctx = test->priv;
	ssize_t ret;

	if (IS_ERR(file)) {
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(file), -ENOENT, "%s", name);
		return NULL;
	}
	ret = probe_file_read(test, file);
	KUNIT_EXPECT_GE_MSG(test, ret, 0, "%s", name);
	__fput_sync(file);
	return ctx->text;
}

static bool probe_file_exists(struct kunit *test, const char *name)
{
	struct file *file = probe_file_open(test, name);

	if (IS_ERR(file))
		return false;
	__fput_sync(file);
	return true;
}

#define EXPECT_IN_FILE(test, name, part)				\
do {									\
	const char *__text = probe_text_of(test, name);			\
									\
	KUNIT_EXPECT_NOT_NULL(test, __text);				\
	if (__text)							\
		KUNIT_EXPECT_TRUE_MSG(test, strstr(__text, part),	\
				      "%s:\n%s", name, __text);		\
} while (0)

static __printf(2, 3) const char *probe_fmt(struct kunit *test, const char *fmt, ...)
{
	char *text = kunit_kzalloc(test, 64, GFP_KERNEL);
	va_list args;

	KUNIT_ASSERT_NOT_NULL(test, text);
	va_start(args, fmt);
	vsnprintf(text, 64, fmt, args);
	va_end(args);
	return text;
}

static void probe_option(struct kunit *test, const char *word)
{
	struct probe_ctx *ctx = test->priv;
	char text[32];

	guard(trace_instances)();
	strscpy(text, word);
	KUNIT_EXPECT_EQ_MSG(test, trace_option_parse(ctx->tr, text), 0, "%s", word);
}

static void probe_become(struct kunit *test, const char *name)
{
	struct probe_ctx *ctx = test->priv;

	guard(trace_instances)();
	KUNIT_ASSERT_EQ(test, trace_set_tracer(ctx->tr, name), 0);
}

/* A tracer with a maximum is read for that: put aside what was written. */
static void probe_keep(struct kunit *test)
{
	struct trace_latency found = {
		.ns	= 77000,
		.from	= (unsigned long)seq_puts,
		.to	= (unsigned long)seq_printf,
	};
	struct probe_ctx *ctx = test->priv;

	if (!probe_tracer.use_max)
		return;
	guard(irq)();
	KUNIT_EXPECT_EQ(test, trace_latency_keep(ctx->tr, current, &found, false), 0);
}

static int probe_test_init(struct kunit *test)
{
	struct probe_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	struct file_system_type *type = get_fs_type("tracefs");

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_NOT_NULL(test, type);
	test->priv = ctx;
	memset(&calls, 0, sizeof(calls));
	ctx->mnt = kern_mount(type);
	put_filesystem(type);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx->mnt));
	KUNIT_ASSERT_EQ(test, trace_tracer_register(&probe_tracer), 0);
	ctx->has_tracer = true;
	ctx->tr = trace_array_get_by_name("kunit_probe", NULL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->tr);
	return 0;
}

static void probe_test_exit(struct kunit *test)
{
	struct probe_ctx *ctx = test->priv;

	if (!ctx)
		return;
	if (ctx->tr) {
		trace_array_put(ctx->tr);
		KUNIT_EXPECT_EQ(test, trace_array_destroy(ctx->tr), 0);
	}
	if (ctx->has_tracer)
		KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&probe_tracer), 0);
	if (!IS_ERR_OR_NULL(ctx->mnt))
		kern_unmount(ctx->mnt);
}

static void probe_is_listed(struct kunit *test)
{
	EXPECT_IN_FILE(test, "available_tracers", "kunit_probe");
	EXPECT_IN_FILE(test, INSTANCE "available_tracers", "kunit_probe");
	EXPECT_IN_FILE(test, "events/ftrace/kunit_probe/format", "name: kunit_probe\nID: 2\n");
	EXPECT_IN_FILE(test, "events/ftrace/kunit_probe/format", "field:u32 number;");
	EXPECT_IN_FILE(test, "events/ftrace/kunit_probe/format",
		       "print fmt: \"probe %u%c\", REC->number, REC->letter\n");
	/* The file with the number is for what perf can open. */
	KUNIT_EXPECT_FALSE(test, probe_file_exists(test, "events/ftrace/kunit_probe/id"));
	KUNIT_EXPECT_TRUE(test, probe_file_exists(test, "options/probe-loud"));
	KUNIT_EXPECT_TRUE(test, probe_file_exists(test, INSTANCE "options/probe-refused"));
	EXPECT_IN_FILE(test, "current_tracer", "nop\n");

	probe_become(test, "kunit_probe");
	EXPECT_IN_FILE(test, INSTANCE "current_tracer", "kunit_probe\n");
	EXPECT_IN_FILE(test, INSTANCE "trace_options", "noprobe-loud\n");
	EXPECT_IN_FILE(test, INSTANCE "probe_number", "7\n");
}

static void probe_is_printed(struct kunit *test)
{
	static const char moon[] = { 'M', 'O', 'O', 'N' };
	struct probe_ctx *ctx = test->priv;
	u32 number;

	probe_become(test, "kunit_probe");
	memcpy(&number, moon, sizeof(number));
	probe_write(ctx->tr, number, 'x');
	probe_keep(test);
	EXPECT_IN_FILE(test, INSTANCE "trace", probe_fmt(test, "probe %ux\n", number));
	probe_option(test, "raw");
	EXPECT_IN_FILE(test, INSTANCE "trace", probe_fmt(test, " %x 120\n", number));
	probe_option(test, "bin");
	probe_option(test, "nocontext-info");
	KUNIT_EXPECT_NOT_NULL(test, probe_text_of(test, INSTANCE "trace"));
	KUNIT_EXPECT_TRUE_MSG(test, strstr(ctx->text, "MOONx"), "%s", ctx->text);
	probe_option(test, "nobin");
	probe_option(test, "noraw");
	probe_option(test, "probe-loud");
	EXPECT_IN_FILE(test, INSTANCE "trace", probe_fmt(test, "PROBE %u!\n", number));
	KUNIT_EXPECT_GT(test, calls.print_line, 0);
	scoped_guard(trace_instances) {
		char refused[] = "probe-refused";

		KUNIT_EXPECT_EQ(test, trace_option_parse(ctx->tr, refused), -EPERM);
	}
}

/* The header tells of the maximum, and the trace is the one that was put aside. */
static void probe_has_maximum(struct kunit *test)
{
	struct probe_ctx *ctx = test->priv;

	if (!probe_tracer.use_max)
		kunit_skip(test, "no snapshots");
	probe_become(test, "kunit_probe");
	probe_option(test, "latency-format");
	probe_write(ctx->tr, 1, 'a');
	EXPECT_IN_FILE(test, INSTANCE "trace", "# tracer: kunit_probe\n");
	KUNIT_EXPECT_NULL(test, strstr(ctx->text, "probe 1a"));
	probe_keep(test);
	probe_write(ctx->tr, 2, 'b');
	EXPECT_IN_FILE(test, INSTANCE "trace", "# latency: 77 us, #1/1,");
	EXPECT_IN_FILE(test, INSTANCE "trace", probe_fmt(test, "task: %s-%d (", current->comm,
							 current->pid));
	EXPECT_IN_FILE(test, INSTANCE "trace", "=> started at: seq_puts\n");
	EXPECT_IN_FILE(test, INSTANCE "trace", "probe 1a\n");
	KUNIT_EXPECT_NULL(test, strstr(ctx->text, "probe 2b"));

	KUNIT_EXPECT_FALSE(test, trace_latency_is_worth(ctx->tr, 77000, 77000));
	KUNIT_EXPECT_TRUE(test, trace_latency_is_worth(ctx->tr, 77001, 77000));

	/* Another tracer knows nothing of it. */
	probe_become(test, "nop");
	probe_write(ctx->tr, 3, 'c');
	EXPECT_IN_FILE(test, INSTANCE "trace", "probe 3c\n");
	probe_become(test, "kunit_probe");
	EXPECT_IN_FILE(test, INSTANCE "trace", "# tracer: kunit_probe\n");
	KUNIT_EXPECT_NULL(test, strstr(ctx->text, "probe 1a"));
}

static void probe_is_told(struct kunit *test)
{
	struct probe_ctx *ctx = test->priv;
	struct file *file;

	probe_become(test, "kunit_probe");
	file = probe_file_open(test, INSTANCE "trace");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, calls.open, 1);
	/* Another tracer comes while the file is open: it is closed at the next read. */
	probe_become(test, "nop");
	KUNIT_EXPECT_EQ(test, calls.close, 0);
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&probe_tracer), -EBUSY);
	KUNIT_EXPECT_GE(test, probe_file_read(test, file), 0);
	KUNIT_EXPECT_EQ(test, calls.close, 1);
	__fput_sync(file);
	KUNIT_EXPECT_EQ(test, calls.open, 1);
	KUNIT_EXPECT_EQ(test, calls.close, 1);

	probe_become(test, "kunit_probe");
	file = probe_file_open(test, INSTANCE "trace_pipe");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, calls.pipe_open, 1);
	KUNIT_EXPECT_EQ(test, probe_file_read(test, file), 6);
	KUNIT_EXPECT_STREQ(test, ctx->text, "hello\n");
	probe_write(ctx->tr, 4, 'd');
	KUNIT_EXPECT_GT(test, probe_file_read(test, file), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ctx->text, "probe 4d\n"));
	KUNIT_EXPECT_EQ(test, probe_file_read(test, file), -EAGAIN);
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_set_tracer(ctx->tr, "nop"), -EBUSY);
	__fput_sync(file);
	KUNIT_EXPECT_EQ(test, calls.pipe_close, 1);
	KUNIT_EXPECT_EQ(test, calls.open, 1);
}

static void probe_goes_away(struct kunit *test)
{
	struct probe_ctx *ctx = test->priv;
	struct file *file, *option;

	probe_become(test, "kunit_probe");
	KUNIT_EXPECT_EQ(test, trace_tracer_register(&probe_tracer), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&probe_tracer), -EBUSY);
	probe_write(ctx->tr, 5, 'e');
	probe_become(test, "nop");
	probe_write(ctx->tr, 6, 'f');

	file = probe_file_open(test, INSTANCE "probe_number");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	option = probe_file_open(test, "options/probe-loud");
	KUNIT_ASSERT_FALSE(test, IS_ERR(option));
	KUNIT_EXPECT_EQ(test, calls.freed, 0);
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&probe_tracer), 0);
	ctx->has_tracer = false;
	KUNIT_EXPECT_EQ(test, calls.freed, 1);
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&probe_tracer), -ENODEV);
	/* A file that is still open returns -ENODEV. */
	KUNIT_EXPECT_EQ(test, probe_file_read(test, file), -ENODEV);
	__fput_sync(file);
	__fput_sync(option);

	KUNIT_EXPECT_FALSE(test, probe_file_exists(test, INSTANCE "probe_number"));
	KUNIT_EXPECT_FALSE(test, probe_file_exists(test, "options/probe-loud"));
	KUNIT_EXPECT_FALSE(test, probe_file_exists(test, INSTANCE "options/probe-loud"));
	KUNIT_EXPECT_FALSE(test, probe_file_exists(test, "events/ftrace/kunit_probe/format"));
	KUNIT_EXPECT_NOT_NULL(test, probe_text_of(test, "available_tracers"));
	KUNIT_EXPECT_NULL(test, strstr(ctx->text, "kunit_probe"));
	/* A record of a kind that has gone is printed without its fields. */
	EXPECT_IN_FILE(test, INSTANCE "trace", "nknown type 2\n");
}

/* A tracer that must not be started by the command line: not before user space runs. */
static void probe_not_at_boot(struct kunit *test)
{
	static const struct tracer late = {
		.name			= "kunit_late",
		.allow_instances	= true,
		.noboot			= true,
	};
	int refused = system_state < SYSTEM_RUNNING ? -EINVAL : 0;
	struct probe_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, trace_tracer_register(&late), 0);
	scoped_guard(trace_instances)
		KUNIT_EXPECT_EQ(test, trace_set_tracer(ctx->tr, "kunit_late"), refused);
	EXPECT_IN_FILE(test, INSTANCE "current_tracer", refused ? "nop\n" : "kunit_late\n");
	probe_become(test, "nop");
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&late), 0);
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(probe_is_listed),
	KUNIT_CASE(probe_is_printed),
	KUNIT_CASE(probe_has_maximum),
	KUNIT_CASE(probe_is_told),
	KUNIT_CASE(probe_not_at_boot),
	KUNIT_CASE(probe_goes_away),
	{}
};

static struct kunit_suite probe_suite = {
	.name		= "trace_tracer_kind",
	.init		= probe_test_init,
	.exit		= probe_test_exit,
	.test_cases	= probe_cases,
};

kunit_test_suite(probe_suite);

MODULE_DESCRIPTION("KUnit test of a tracer with a record kind of its own");
MODULE_LICENSE("GPL");
