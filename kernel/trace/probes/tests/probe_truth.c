// SPDX-License-Identifier: GPL-2.0
/*
 * A module with functions that are called with known arguments, for test.d/probes/truth.tc, which
 * holds the records of probes of each kind against them.
 *
 * A write of a number to parameters/call calls each function once, with this number as the last
 * argument; a write to parameters/change has another task change a string meanwhile, for as many
 * calls. parameters/places tells addresses.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#define CREATE_TRACE_POINTS
#include "probes/tests/probe_truth_events.h"

#define TRUTH_NUMBER	0x8899aabbccddeeffUL
#define TRUTH_OPEN	8
#define TRUTH_CHANGING	64
#define TRUTH_ENDLESS	(4 * PATH_MAX)
#define TRUTH_CALLS_MAX	100000

/* The case has these offsets. */
static_assert(offsetof(struct probe_truth, self) == 8);
static_assert(offsetof(struct probe_truth, small) == 16);
static_assert(offsetof(struct probe_truth, letter) == 17);
static_assert(offsetof(struct probe_truth, half) == 18);
static_assert(offsetof(struct probe_truth, minus) == 20);
static_assert(offsetof(struct probe_truth, words) == 24);
static_assert(offsetof(struct probe_truth, text) == 40);
static_assert(offsetof(struct probe_truth, texts) == 48);
static_assert(offsetof(struct probe_truth, name) == 72);
static_assert(offsetof(struct probe_truth, open) == 88);
static_assert(offsetof(struct probe_truth, fault) == 96);
static_assert(offsetof(struct probe_truth, func) == 104);
static_assert(offsetof(struct probe_truth, user) == 112);
static_assert(offsetof(struct probe_truth, left) == 128);
static_assert(offsetof(struct probe_truth, state) == 132);
static_assert(offsetof(struct probe_truth, file) == 136);
static_assert(offsetof(struct probe_truth, dentry) == 144);
static_assert(offsetof(struct probe_truth, changing) == 152);
static_assert(offsetof(struct probe_truth, endless) == 160);

u64 probe_truth_number[2] = { 0x0123456789abcdefULL, 77 };

static struct dentry truth_dentry;
static struct file truth_file;
static char *truth_open, *truth_endless;
static char truth_changing[TRUTH_CHANGING];

static struct probe_truth truth_data = {
	.number		= TRUTH_NUMBER,
	.self		= &truth_data,
	.small		= -2,
	.letter		= 'z',
	.half		= 0xfedc,
	.minus		= -3,
	.words		= { 1, 0x80000002, 3, 4 },
	.text		= "kernel text",
	.texts		= { "one", "", "three" },
	.name		= "in place",
	.a		= 5,
	.b		= 100,
	.c		= 0x3abcde,
	.d		= -7,
	.right		= -9,
	.file		= &truth_file,
	.dentry		= &truth_dentry,
	.changing	= truth_changing,
};

/* A call of one function at a time; it guards truth_data. */
static DEFINE_MUTEX(truth_mutex);

long probe_truth_enter(struct probe_truth *data, unsigned long number, const char *text, s32 minus,
		       u8 letter, unsigned long user, unsigned long func, long eighth,
		       unsigned long ninth, long pid)
{
	trace_probe_truth_call(data, number, text, minus, letter, user, func, pid);
	WRITE_ONCE(data->state, 2);
	return eighth - (long)ninth;
}

const char *probe_truth_text(struct probe_truth *data)
{
	barrier();
	return READ_ONCE(data->text);
}

s32 probe_truth_minus(struct probe_truth *data)
{
	barrier();
	return READ_ONCE(data->minus);
}

u8 probe_truth_letter(struct probe_truth *data)
{
	barrier();
	return READ_ONCE(data->letter);
}

struct probe_truth *probe_truth_self(struct probe_truth *data)
{
	barrier();
	return READ_ONCE(data->self);
}

void probe_truth_watch(struct probe_truth *data)
{
	barrier_data(data);
}

static int truth_call_set(const char *text, const struct kernel_param *kp)
{
	struct probe_truth *data = &truth_data;
	long pid;
	int ret = kstrtol(text, 0, &pid);

	if (ret)
		return ret;
	guard(mutex)(&truth_mutex);
	data->state = 1;
	data->user = current->mm ? current->mm->env_start : 0;
	probe_truth_enter(data, TRUTH_NUMBER, data->text, data->minus, data->letter, data->user,
			  data->func, -8, 0x9999999999999999UL, pid);
	probe_truth_text(data);
	probe_truth_minus(data);
	probe_truth_letter(data);
	probe_truth_self(data);
	return 0;
}

static const struct kernel_param_ops truth_call_ops = {
	.set = truth_call_set,
};
module_param_cb(call, &truth_call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "the last argument of a call of each function");

/* Change the string until it is told to stop: only "a" and "b", from none to all but the NUL. */
static int truth_change(void *data)
{
	unsigned int n = 0;

	while (!kthread_should_stop()) {
		for (unsigned int i = 0; i < n; i++)
			WRITE_ONCE(truth_changing[i], n & 1 ? 'a' : 'b');
		WRITE_ONCE(truth_changing[n], '\0');
		n = (n * 5 + 7) % TRUTH_CHANGING;
		cond_resched();
	}
	return 0;
}

static int truth_change_set(const char *text, const struct kernel_param *kp)
{
	struct task_struct *task;
	unsigned int calls;
	int ret = kstrtouint(text, 0, &calls);

	if (ret)
		return ret;
	guard(mutex)(&truth_mutex);
	task = kthread_run(truth_change, NULL, "probe_truth");
	if (IS_ERR(task))
		return PTR_ERR(task);
	for (unsigned int i = 0; i < min(calls, TRUTH_CALLS_MAX); i++) {
		probe_truth_watch(&truth_data);
		cond_resched();
	}
	kthread_stop(task);
	return 0;
}

static const struct kernel_param_ops truth_change_ops = {
	.set = truth_change_set,
};
module_param_cb(change, &truth_change_ops, NULL, 0200);
MODULE_PARM_DESC(change, "calls while a string changes");

static int truth_places_get(char *text, const struct kernel_param *kp)
{
	return sysfs_emit(text, "data=%#lx fault=%#lx number=%#lx func=%#lx user=%#lx\n",
			  (unsigned long)&truth_data, (unsigned long)truth_data.fault,
			  (unsigned long)probe_truth_number, truth_data.func, truth_data.user);
}

static const struct kernel_param_ops truth_places_ops = {
	.get = truth_places_get,
};
module_param_cb(places, &truth_places_ops, NULL, 0400);
MODULE_PARM_DESC(places, "addresses");

static int __init truth_init(void)
{
	/* Behind memory of vmalloc() is a page that is not there. */
	truth_open = vmalloc(PAGE_SIZE);
	truth_endless = vmalloc(TRUTH_ENDLESS);
	if (!truth_open || !truth_endless) {
		vfree(truth_open);
		vfree(truth_endless);
		return -ENOMEM;
	}
	memset(truth_open, 'o', PAGE_SIZE);
	memset(truth_endless, 'x', TRUTH_ENDLESS);
	truth_dentry.d_name.name = "known dentry";
	truth_file.f_path.dentry = &truth_dentry;
	truth_data.open = truth_open + PAGE_SIZE - TRUTH_OPEN;
	truth_data.fault = truth_open + PAGE_SIZE;
	truth_data.endless = truth_endless;
	truth_data.func = (unsigned long)probe_truth_enter;
	return 0;
}
module_init(truth_init);

static void __exit truth_exit(void)
{
	vfree(truth_open);
	vfree(truth_endless);
}
module_exit(truth_exit);

MODULE_DESCRIPTION("Functions with known arguments, for tests of probes");
MODULE_LICENSE("GPL");
