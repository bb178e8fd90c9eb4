// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a task that is being killed reads on for no more than a moment. The files are those of an
 * instance; SIGKILL is made pending in the task of the case, and taken back before the case ends.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/instruction_pointer.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/thread_info.h>

#include "buffer/short.h"
#include "instance/buffers.h"
#include "instance/instance.h"
#include "lib/one_cpu.h"
#include "reader/internal.h"

#define NAME	"kunit_killed"
#define NOTES	300
#define MOMENT	64	/* records that are read between two looks at signals */

struct killed_ctx {
	struct trace_array	*tr;
	struct vfsmount		*mnt;
	char __user		*ubuf;	/* a page */
	struct file		*file;
};

/* As if SIGKILL had come. */
static void kill_begin(void)
{
	sigaddset(&current->pending.signal, SIGKILL);
	set_thread_flag(TIF_SIGPENDING);
}

static void kill_end(void)
{
	sigdelset(&current->pending.signal, SIGKILL);
	clear_thread_flag(TIF_SIGPENDING);
}

static int killed_test_init(struct kunit *test)
{
	struct killed_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	struct file_system_type *type = get_fs_type("tracefs");

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_NOT_NULL(test, type);
	test->priv = ctx;
	test_on_one_cpu(test);
	ctx->ubuf = (char __user *)kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
						 MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NOT_NULL(test, (void __force *)ctx->ubuf);
	ctx->mnt = kern_mount(type);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx->mnt));
	ctx->tr = trace_array_get_by_name(NAME, NULL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->tr);
	return 0;
}

static void killed_test_exit(struct kunit *test)
{
	struct killed_ctx *ctx = test->priv;

	if (!ctx)
		return;
	if (!IS_ERR_OR_NULL(ctx->file))
		__fput_sync(ctx->file);
	if (ctx->tr) {
		trace_array_put(ctx->tr);
		KUNIT_EXPECT_EQ(test, trace_array_destroy(ctx->tr), 0);
	}
	if (!IS_ERR_OR_NULL(ctx->mnt))
		kern_unmount(ctx->mnt);
}

static void open_file(struct kunit *test, const char *name)
{
	struct killed_ctx *ctx = test->priv;

	ctx->file = file_open_root_mnt(ctx->mnt, name, O_RDONLY, 0);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(ctx->file), "%s: %ld", name, PTR_ERR(ctx->file));
}

static struct seq_file *open_listing(struct kunit *test)
{
	struct killed_ctx *ctx = test->priv;

	for (int i = 0; i < NOTES; i++)
		trace_array_note(ctx->tr, _THIS_IP_, "a note");
	open_file(test, "instances/" NAME "/trace");
	return ctx->file->private_data;
}

/* A listing goes on for some tens of records. */
static void listing_killed(struct kunit *test)
{
	struct seq_file *m = open_listing(test);
	unsigned int nr = 0;
	loff_t pos = 0;
	void *v;

	v = m->op->start(m, &pos);
	while (v && pos < NOTES / 3)
		v = m->op->next(m, v, &pos);
	KUNIT_EXPECT_NOT_NULL(test, v);
	kill_begin();
	for (; v; nr++)
		v = m->op->next(m, v, &pos);
	kill_end();
	m->op->stop(m, v);
	KUNIT_EXPECT_LE(test, nr, MOMENT);

	/* Nothing has happened to others, nor to this file. */
	pos = 0;
	v = m->op->start(m, &pos);
	for (nr = 0; v; nr++)
		v = m->op->next(m, v, &pos);
	m->op->stop(m, v);
	KUNIT_EXPECT_EQ(test, nr, NOTES + 1);
}

/* The search for the place where a read begins goes on for as many. */
static void listing_search_killed(struct kunit *test)
{
	struct seq_file *m = open_listing(test);
	struct trace_iterator *iter = m->private;
	loff_t pos = NOTES - 10;

	kill_begin();
	m->op->stop(m, m->op->start(m, &pos));
	kill_end();
	KUNIT_EXPECT_NE(test, iter->pos, pos);
	m->op->stop(m, m->op->start(m, &pos));
	KUNIT_EXPECT_EQ(test, iter->pos, pos);
	KUNIT_EXPECT_NOT_NULL(test, iter->ent);
}

/*
 * A reader of pages whose page is too small takes another one, again and again while the size of
 * sub-buffers changes.
 */
static void raw_killed(struct kunit *test)
{
	struct killed_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	char name[64];
	loff_t pos = 0;
	ssize_t killed;

	snprintf(name, sizeof(name), "instances/" NAME "/per_cpu/cpu%d/trace_pipe_raw",
		 raw_smp_processor_id());
	open_file(test, name);
	trace_array_note(ctx->tr, _THIS_IP_, "in a small page");
	KUNIT_EXPECT_EQ(test, ctx->file->f_op->read(ctx->file, ctx->ubuf, PAGE_SIZE, &pos),
			PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, trace_array_set_order(ctx->tr, 1), 0);
	trace_array_note(ctx->tr, _THIS_IP_, "in a large page");
	/* As in the midst of the change, when the CPU has the new size already. */
	WRITE_ONCE(buffer->order, 0);
	kill_begin();
	killed = ctx->file->f_op->read(ctx->file, ctx->ubuf, PAGE_SIZE, &pos);
	kill_end();
	WRITE_ONCE(buffer->order, 1);
	KUNIT_EXPECT_EQ(test, killed, -ERESTARTSYS);
	KUNIT_EXPECT_GT(test, ctx->file->f_op->read(ctx->file, ctx->ubuf, PAGE_SIZE, &pos), 0);
}

static struct kunit_case killed_cases[] = {
	KUNIT_CASE(listing_killed),
	KUNIT_CASE(listing_search_killed),
	KUNIT_CASE(raw_killed),
	{}
};

static struct kunit_suite killed_suite = {
	.name		= "trace_reader_killed",
	.init		= killed_test_init,
	.exit		= killed_test_exit,
	.test_cases	= killed_cases,
};

kunit_test_suite(killed_suite);

MODULE_DESCRIPTION("KUnit tests of readers that are killed");
MODULE_LICENSE("GPL");
