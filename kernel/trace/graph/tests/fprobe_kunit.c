// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: probes of functions, as their handlers are called.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/poison.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "graph/internal.h"
#include "graph/tests/targets.h"
#include "graph/tests/watch.h"
#include "hooks/hooks.h"

#define HITS	64

/* A probe that writes down how its handlers are called. */
struct probe {
	struct fprobe	fp;
	int		decline;		/* result of the entry handler */
	unsigned int	nr;
	struct hit {
		unsigned long	ip, ret_ip;
		struct pt_regs	regs;
		bool		exit;
		u32		frames;		/* of current, NULL being none */
		u32		seq;		/* among the calls of all probes */
	}		hits[HITS];
	unsigned int	data_wrong;
};

static u32 probes_seq;

static void probe_hit(struct probe *probe, unsigned long ip, unsigned long ret_ip,
		      struct pt_regs *regs, bool exit)
{
	struct hit *hit = &probe->hits[probe->nr++ % HITS];

	*hit = (struct hit) {
		.ip = ip, .ret_ip = ret_ip, .regs = *regs, .exit = exit,
		.frames = current->graph_stack ? current->graph_stack->nr : 0,
		.seq = probes_seq++,
	};
}

/* The byte that fills the data of a call. */
static int data_byte(const struct probe *probe, unsigned long sp)
{
	return (u8)((unsigned long)probe / 64 + sp / 8);
}

static int probe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	struct probe *probe = container_of(fp, struct probe, fp);

	probe_hit(probe, ip, ret_ip, regs, false);
	if (data)
		memset(data, data_byte(probe, kernel_stack_pointer(regs)), fp->entry_data_size);
	else
		probe->data_wrong += fp->exit_handler && fp->entry_data_size;
	return probe->decline;
}

static void probe_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	struct probe *probe = container_of(fp, struct probe, fp);
	int byte = data_byte(probe, kernel_stack_pointer(regs) - ARCH_FTRACE_CALL_SIZE);

	probe_hit(probe, ip, ret_ip, regs, true);
	if (!data)
		probe->data_wrong += !!fp->entry_data_size;
	else if (memchr_inv(data, byte, fp->entry_data_size))
		probe->data_wrong++;
}

static void probe_end(void *data)
{
	struct probe *probe = data;

	unregister_fprobe(&probe->fp);
}

static struct probe *probe_alloc(struct kunit *test, bool exits)
{
	struct probe *probe = kunit_kzalloc(test, sizeof(*probe), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, probe);
	probe->fp.entry_handler = probe_entry;
	probe->fp.exit_handler = exits ? probe_exit : NULL;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, probe_end, probe));
	return probe;
}

static void probe_begin(struct kunit *test, struct probe *probe, const char *filter)
{
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(&probe->fp, filter, NULL));
	KUNIT_EXPECT_TRUE(test, fprobe_is_registered(&probe->fp));
}

static void expect_hit(struct kunit *test, const struct probe *probe, unsigned int at,
		       void *func, bool exit)
{
	KUNIT_ASSERT_LT(test, at, probe->nr);
	KUNIT_EXPECT_EQ_MSG(test, probe->hits[at].ip, graph_watch_site(func), "hit %u", at);
	KUNIT_EXPECT_EQ_MSG(test, probe->hits[at].exit, exit, "hit %u", at);
}

/* Every reason is counted on its own, and all together. */
static void expect_missed(struct kunit *test, struct probe *probe, int reason,
			  unsigned long times)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < FPROBE_MISS_NR; i++)
		sum += fprobe_missed(&probe->fp, i);
	KUNIT_EXPECT_EQ(test, times, fprobe_missed(&probe->fp, reason));
	KUNIT_EXPECT_EQ(test, sum, probe->fp.nmissed);
}

/* A probe without an exit handler has an ops like any other, and no frame. */
static void test_entry(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, false);
	u32 frames = current->graph_stack ? current->graph_stack->nr : 0;

	probe->fp.entry_data_size = 8;
	probe_begin(test, probe, "graph_target_add");
	KUNIT_EXPECT_EQ(test, 43, graph_target_add(42));
	KUNIT_ASSERT_EQ(test, 1, probe->nr);
	expect_hit(test, probe, 0, graph_target_add, false);
	KUNIT_EXPECT_EQ(test, frames, probe->hits[0].frames);
	KUNIT_EXPECT_EQ(test, 42, regs_get_kernel_argument(&probe->hits[0].regs, 0));
	KUNIT_EXPECT_TRUE(test, kernel_text_address(probe->hits[0].ret_ip));
	/* The result of its entry handler is ignored. */
	probe->decline = 1;
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 2, probe->nr);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(&probe->fp));
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 2, probe->nr);
	KUNIT_EXPECT_EQ(test, 0, probe->fp.nmissed);
}

static void test_exit(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);
	struct graph_pair pair;

	probe_begin(test, probe, "graph_target_*");
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	pair = graph_target_pair(10, 20);
	KUNIT_EXPECT_EQ(test, 11, pair.low);
	KUNIT_EXPECT_EQ(test, 21, pair.high);
	KUNIT_ASSERT_EQ(test, 6, probe->nr);
	expect_hit(test, probe, 0, graph_target_nested, false);
	expect_hit(test, probe, 1, graph_target_add, false);
	expect_hit(test, probe, 2, graph_target_add, true);
	expect_hit(test, probe, 3, graph_target_nested, true);
	expect_hit(test, probe, 5, graph_target_pair, true);
	KUNIT_EXPECT_EQ(test, 21, regs_return_value(&probe->hits[2].regs));
	KUNIT_EXPECT_EQ(test, 42, regs_return_value(&probe->hits[3].regs));
	KUNIT_EXPECT_EQ(test, 11, regs_return_value(&probe->hits[5].regs));
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
	KUNIT_EXPECT_EQ(test, 0, probe->fp.nmissed);

	/* Returns alone. */
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
	probe->fp.entry_handler = NULL;
	probe->nr = 0;
	probe_begin(test, probe, "graph_target_add");
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_ASSERT_EQ(test, 1, probe->nr);
	expect_hit(test, probe, 0, graph_target_add, true);

	/* Nothing at all. */
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
	probe->fp.exit_handler = NULL;
	probe_begin(test, probe, "graph_target_add");
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 1, probe->nr);
}

/* At the return, the registers tell where it returns to. */
static void test_registers(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);
	struct pt_regs *in = &probe->hits[0].regs, *out = &probe->hits[1].regs;

	probe_begin(test, probe, "graph_target_nested");
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_ASSERT_EQ(test, 2, probe->nr);
	KUNIT_EXPECT_EQ(test, probe->hits[0].ret_ip, probe->hits[1].ret_ip);
	KUNIT_EXPECT_EQ(test, instruction_pointer(out), probe->hits[0].ret_ip);
	KUNIT_EXPECT_EQ(test, kernel_stack_pointer(out),
			kernel_stack_pointer(in) + ARCH_FTRACE_CALL_SIZE);
	KUNIT_EXPECT_EQ(test, 42, regs_return_value(out));
	KUNIT_EXPECT_FALSE(test, user_mode(out));
}

static void decline(struct kunit *test, size_t data_size)
{
	struct probe *probe = probe_alloc(test, true);

	probe->decline = 1;
	probe->fp.nr_maxactive = 1;
	probe->fp.entry_data_size = data_size;
	probe_begin(test, probe, "graph_target_add");
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 2, probe->nr);
	KUNIT_EXPECT_FALSE(test, probe->hits[1].exit);
	expect_missed(test, probe, FPROBE_MISS_ACTIVE, 0);
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
	KUNIT_EXPECT_EQ(test, GRAPH_STACK_SIZE, current->graph_stack->data);
	probe_end(probe);
}

static void test_decline(struct kunit *test)
{
	decline(test, 0);
	decline(test, 8);
}

/*
 * Probes and another user of returns on one function: they share a frame, and the last one at
 * the entry is the first one at the return. The user comes before the probes at the return.
 */
static void several(struct kunit *test, bool own)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);
	struct probe *probes[3];
	unsigned int i, which;

	for (i = 0; i < 3; i++) {
		probes[i] = probe_alloc(test, true);
		probes[i]->fp.entry_data_size = own && !i ? 0 : 4 + i;
	}
	/* The user that registered last is told of an entry first, and of the return last. */
	probe_begin(test, probes[2], "graph_target_add");
	probe_begin(test, probes[1], "graph_target_add");
	graph_watch_begin(test, watch);
	probe_begin(test, probes[0], "graph_target_add");
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, 2, probes[i]->nr);
		KUNIT_EXPECT_EQ(test, 1, probes[i]->hits[0].frames);
		KUNIT_EXPECT_EQ(test, 1, probes[i]->hits[1].frames);
		KUNIT_EXPECT_EQ(test, probes[0]->hits[0].ret_ip, probes[i]->hits[0].ret_ip);
		KUNIT_EXPECT_EQ(test, probes[0]->hits[0].ret_ip, probes[i]->hits[1].ret_ip);
		KUNIT_EXPECT_EQ(test, probes[0]->hits[0].seq + i, probes[i]->hits[0].seq);
		KUNIT_EXPECT_EQ(test, probes[0]->hits[1].seq - i, probes[i]->hits[1].seq);
	}
	KUNIT_EXPECT_EQ(test, 2, watch->nr);

	/* One of them does not want the return: the first, one in the midst, the last. */
	for (which = 0; which < 3; which++) {
		probes[which]->decline = 1;
		for (i = 0; i < 3; i++)
			probes[i]->nr = 0;
		KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
		for (i = 0; i < 3; i++)
			KUNIT_EXPECT_EQ_MSG(test, i == which ? 1 : 2, probes[i]->nr,
					    "%u of %u", i, which);
		probes[which]->decline = 0;
	}
	KUNIT_EXPECT_EQ(test, 8, watch->nr);

	/* One goes from under the others. */
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probes[1]->fp));
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 4, probes[0]->nr);
	/* This one had declined last. */
	KUNIT_EXPECT_EQ(test, 3, probes[2]->nr);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, 0, probes[i]->data_wrong);
		KUNIT_EXPECT_EQ(test, 0, probes[i]->fp.nmissed);
	}
	KUNIT_EXPECT_EQ(test, GRAPH_STACK_SIZE, current->graph_stack->data);
	graph_watch_end(watch);
	for (i = 0; i < 3; i++)
		probe_end(probes[i]);
}

static void test_several(struct kunit *test)
{
	several(test, false);
	several(test, true);
}

/* A probe that is called before a user, or behind it, changes neither depth nor room. */
static void beside(struct kunit *test, bool probe_last, unsigned int *fit)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_nested, graph_target_add,
						      graph_target_recurse, NULL);
	struct probe *probe = probe_alloc(test, true);

	if (!probe_last)
		probe_begin(test, probe, "graph_target_*");
	graph_watch_begin(test, watch);
	if (probe_last)
		probe_begin(test, probe, "graph_target_*");
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_ASSERT_EQ(test, 4, watch->nr);
	graph_watch_expect(test, watch, 0, graph_target_nested, false, 0);
	graph_watch_expect(test, watch, 1, graph_target_add, false, 1);
	graph_watch_expect(test, watch, 2, graph_target_add, true, 1);
	graph_watch_expect(test, watch, 3, graph_target_nested, true, 0);
	KUNIT_EXPECT_EQ(test, GRAPH_FRAMES, graph_target_recurse(GRAPH_FRAMES - 1));
	*fit = watch->nr;
	graph_watch_end(watch);
	probe_end(probe);
}

static void test_beside(struct kunit *test)
{
	unsigned int fit[2];

	beside(test, false, &fit[0]);
	beside(test, true, &fit[1]);
	/* 40 bytes of a frame and 24 of data, or one call less, whose probe's data do not fit. */
	KUNIT_EXPECT_LE(test, abs((int)(fit[0] - fit[1])), 4);
	KUNIT_EXPECT_GE(test, fit[1], 4 + 2 * 58);
}

/* A function that ends with a jump to another, or to one that is probed by others. */
static void test_jump(struct kunit *test)
{
	struct probe *both = probe_alloc(test, true), *add = probe_alloc(test, true);
	struct probe *entry = probe_alloc(test, false);

	probe_begin(test, both, "graph_target_[aj]*");
	probe_begin(test, add, "graph_target_add");
	probe_begin(test, entry, "graph_target_add");
	KUNIT_EXPECT_EQ(test, 42, graph_target_jump(40));
	KUNIT_ASSERT_EQ(test, 4, both->nr);
	KUNIT_ASSERT_EQ(test, 2, add->nr);
	expect_hit(test, both, 0, graph_target_jump, false);
	expect_hit(test, both, 1, graph_target_add, false);
	expect_hit(test, both, 2, graph_target_add, true);
	expect_hit(test, both, 3, graph_target_jump, true);
	KUNIT_EXPECT_EQ(test, 42, regs_return_value(&add->hits[1].regs));
	/*
	 * The handlers get the real return address, although the stack held another one
	 * meanwhile.
	 */
	KUNIT_EXPECT_TRUE(test, kernel_text_address(add->hits[0].ret_ip));
	KUNIT_EXPECT_NE(test, (unsigned long)return_to_handler, add->hits[0].ret_ip);
	KUNIT_EXPECT_EQ(test, add->hits[0].ret_ip, add->hits[1].ret_ip);
	KUNIT_ASSERT_EQ(test, 1, entry->nr);
	KUNIT_EXPECT_EQ(test, add->hits[0].ret_ip, entry->hits[0].ret_ip);
}

/* A function that jumps to itself is called twice, and returns twice at the same place. */
static void test_self(struct kunit *test)
{
	struct probe *first = probe_alloc(test, true), *second = probe_alloc(test, true);

	probe_begin(test, first, "graph_target_again");
	probe_begin(test, second, "graph_target_again");
	KUNIT_EXPECT_EQ(test, 42, graph_target_again(42, 3));
	KUNIT_EXPECT_EQ(test, 8, first->nr);
	KUNIT_EXPECT_EQ(test, 8, second->nr);
	KUNIT_EXPECT_EQ(test, first->hits[0].ret_ip, first->hits[7].ret_ip);
	KUNIT_EXPECT_EQ(test, first->hits[0].ret_ip, second->hits[7].ret_ip);
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
}

static void test_data(struct kunit *test)
{
	static const size_t sizes[] = { 1, 8, 13, 200, FPROBE_MAX_DATA_SIZE };
	struct probe *probe = probe_alloc(test, true), *other = probe_alloc(test, true);
	unsigned int i;

	other->fp.entry_data_size = 4;
	probe_begin(test, other, "graph_target_recurse");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		probe->fp.entry_data_size = sizes[i];
		probe->nr = 0;
		other->nr = 0;
		probe_begin(test, probe, "graph_target_recurse");
		KUNIT_EXPECT_EQ(test, 3, graph_target_recurse(2));
		KUNIT_EXPECT_EQ(test, 6, probe->nr);
		KUNIT_EXPECT_EQ(test, 6, other->nr);
		KUNIT_EXPECT_EQ(test, 0, probe->fp.nmissed);
		KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
	}
	KUNIT_EXPECT_EQ(test, 0, probe->data_wrong);
	KUNIT_EXPECT_EQ(test, 0, other->data_wrong);
	probe->fp.entry_data_size = FPROBE_MAX_DATA_SIZE + 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, register_fprobe(&probe->fp, "graph_target_add", NULL));
}

/* More calls than may await their returns. */
static void test_active(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);
	unsigned int round;

	probe->fp.nr_maxactive = 2;
	probe_begin(test, probe, "graph_target_recurse");
	for (round = 1; round <= 3; round++) {
		KUNIT_EXPECT_EQ(test, 5, graph_target_recurse(4));
		KUNIT_EXPECT_EQ(test, 4 * round, probe->nr);
		expect_missed(test, probe, FPROBE_MISS_ACTIVE, 3 * round);
	}
}

/* A call is counted as missed if its frame or its data do not fit on the stack. */
static void test_full(struct kunit *test)
{
	const unsigned int calls = GRAPH_FRAMES + 20;
	struct probe *small = probe_alloc(test, true), *large = probe_alloc(test, true);
	unsigned long fit;

	large->fp.entry_data_size = 100;
	probe_begin(test, small, "graph_target_recurse");
	KUNIT_EXPECT_EQ(test, calls, graph_target_recurse(calls - 1));
	fit = small->nr / 2;
	KUNIT_EXPECT_GE(test, fit, 50);
	expect_missed(test, small, FGRAPH_MISS_FULL, calls - fit);

	/* The other one comes second, and so is the one without room, not the only one. */
	probe_begin(test, large, "graph_target_recurse");
	KUNIT_EXPECT_EQ(test, calls, graph_target_recurse(calls - 1));
	expect_missed(test, large, FGRAPH_MISS_FULL, calls - large->nr / 2);
	expect_missed(test, small, FGRAPH_MISS_FULL, 2 * calls - small->nr / 2);
	KUNIT_EXPECT_EQ(test, 0, large->data_wrong);
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
	KUNIT_EXPECT_EQ(test, GRAPH_STACK_SIZE, current->graph_stack->data);
}

static void test_disable(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);

	probe_begin(test, probe, "graph_target_add");
	disable_fprobe(&probe->fp);
	KUNIT_EXPECT_TRUE(test, fprobe_disabled(&probe->fp));
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 0, probe->nr);
	enable_fprobe(&probe->fp);
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 2, probe->nr);
	KUNIT_EXPECT_EQ(test, 0, probe->fp.nmissed);
}

static int disable_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	disable_fprobe(fp);
	return 0;
}

/* Between the entry and the return. */
static void test_disable_inside(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);

	probe->fp.entry_handler = disable_entry;
	probe->fp.nr_maxactive = 1;
	probe_begin(test, probe, "graph_target_add");
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 0, probe->nr);
	enable_fprobe(&probe->fp);
	graph_target_add(1);
	expect_missed(test, probe, FPROBE_MISS_ACTIVE, 0);
}

/* A handler calls what is probed. */
static int recurse_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	probe_entry(fp, ip, ret_ip, regs, data);
	graph_target_add(1);
	return 0;
}

static void recurse_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	probe_exit(fp, ip, ret_ip, regs, data);
	graph_target_add(1);
}

static void test_recursion(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);
	int size;

	probe->fp.entry_handler = recurse_entry;
	probe->fp.exit_handler = recurse_exit;
	/* First with a frame of the probe's own, then with data. */
	for (size = 0; size <= 8; size += 8) {
		probe->fp.entry_data_size = size;
		probe->nr = 0;
		probe_begin(test, probe, "graph_target_add");
		KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
		/* As for all callbacks: see test_callback_recursion of the suite ftrace_graph. */
		KUNIT_EXPECT_EQ(test, 6, probe->nr);
		expect_missed(test, probe, FGRAPH_MISS_RECURSION, 4);
		KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
	}
	KUNIT_EXPECT_EQ(test, 0, probe->data_wrong);
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
}

/* Take both levels of recursion that a context allows, so that no handler may run. */
static long recursion_begin(void *arg)
{
	int *bits = arg;

	bits[0] = ftrace_test_recursion_trylock(0, 0);
	bits[1] = ftrace_test_recursion_trylock(0, 0);
	return 41;
}

static long recursion_nothing(void *arg)
{
	return 41;
}

/* A return where handlers must not run is missed. The call is no longer active after it. */
static void test_missed_return(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);
	int bits[2], size;

	/* First with a frame of the probe's own, then with data and a limit. */
	for (size = 0; size <= 8; size += 8) {
		probe->fp.nr_maxactive = !!size;
		probe->fp.entry_data_size = size;
		probe->nr = 0;
		probe_begin(test, probe, "graph_target_call");
		KUNIT_EXPECT_EQ(test, 42, graph_target_call(recursion_begin, bits));
		ftrace_test_recursion_unlock(bits[1]);
		ftrace_test_recursion_unlock(bits[0]);
		KUNIT_EXPECT_EQ(test, 1, probe->nr);
		expect_missed(test, probe, FGRAPH_MISS_RECURSION, 1);
		KUNIT_EXPECT_EQ(test, 42, graph_target_call(recursion_nothing, NULL));
		KUNIT_EXPECT_EQ(test, 3, probe->nr);
		KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
	}
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
}

static void test_pause(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);

	probe_begin(test, probe, "graph_target_add");
	pause_graph_tracing();
	graph_target_add(1);
	unpause_graph_tracing();
	KUNIT_EXPECT_EQ(test, 0, probe->nr);
	expect_missed(test, probe, FGRAPH_MISS_PAUSED, 1);
}

#ifdef CONFIG_KPROBES
static int kprobe_calls(struct kprobe *kp, struct pt_regs *regs)
{
	graph_target_add(1);
	return 0;
}

/* Handlers of kprobes do not nest, nor does what is shared with them. */
static void test_kprobe_shared(struct kunit *test)
{
	struct probe *shared[2], *plain = probe_alloc(test, true);
	struct kprobe kp = { .symbol_name = "graph_target_pair", .pre_handler = kprobe_calls };
	int i;

	for (i = 0; i < 2; i++) {
		shared[i] = probe_alloc(test, i);
		shared[i]->fp.flags = FPROBE_FL_KPROBE_SHARED;
		probe_begin(test, shared[i], "graph_target_add");
	}
	probe_begin(test, plain, "graph_target_add");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	graph_target_pair(1, 2);
	unregister_kprobe(&kp);
	KUNIT_EXPECT_EQ(test, 2, plain->nr);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 0, shared[i]->nr);
		expect_missed(test, shared[i], FPROBE_MISS_KPROBE, 1);
	}
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 1, shared[0]->nr);
	KUNIT_EXPECT_EQ(test, 2, shared[1]->nr);
}
#endif

static void test_register(struct kunit *test)
{
	struct probe *probe = probe_alloc(test, true);
	const char *names[] = { "graph_target_pair", "graph_target_add" };
	const char *unknown[] = { "graph_target_add", "graph_target_of_nobody" };
	unsigned long ips[] = { (unsigned long)graph_target_add,
				graph_watch_site(graph_target_pair) };
	unsigned long wrong[] = { (unsigned long)graph_target_add, (unsigned long)names };
	struct fprobe *fp = &probe->fp;

	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(NULL));
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(fp));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(fp));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(NULL, "graph_target_add", NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(fp, NULL, NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(fp, "graph_target_of_nobody", NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(fp, "graph_target_*",
						       "graph_target_of_nobody"));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(NULL, ips, 2));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(fp, NULL, 2));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(fp, ips, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(fp, wrong, 2));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_syms(fp, NULL, 2));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_syms(fp, names, -1));
	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe_syms(fp, unknown, 2));
	fp->nr_maxactive = -1;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(fp, "graph_target_add", NULL));
	fp->nr_maxactive = 0;
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(fp));
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 0, probe->nr);

	/* All but one. */
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(fp, "graph_target_*", "graph_target_a*"));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_fprobe(fp, "graph_target_*", NULL));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_fprobe_ips(fp, ips, 2));
	graph_target_add(1);
	graph_target_pair(1, 2);
	KUNIT_EXPECT_EQ(test, 2, probe->nr);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(fp));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(fp));

	/* Nothing is left of what was asked for before. */
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(fp, ips, 2));
	graph_target_nested(20);
	graph_target_pair(1, 2);
	KUNIT_EXPECT_EQ(test, 6, probe->nr);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(fp));
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_syms(fp, names, 2));
	KUNIT_EXPECT_STREQ(test, "graph_target_pair", names[0]);
	graph_target_nested(20);
	graph_target_pair(1, 2);
	KUNIT_EXPECT_EQ(test, 10, probe->nr);
}

/* A task in a probed function. */
struct sleeper {
	struct task_struct	*task;
	struct completion	inside, go_on;
	bool			dies;
};

static long sleeper_wait(void *arg)
{
	struct sleeper *sleeper = arg;

	complete(&sleeper->inside);
	if (sleeper->dies)
		kthread_exit(0);
	wait_for_completion(&sleeper->go_on);
	return 41;
}

/* For a call that does not wait. */
static long sleeper_nothing(void *arg)
{
	return 0;
}

static int sleeper_main(void *arg)
{
	return graph_target_call(sleeper_wait, arg);
}

static void sleeper_start(struct kunit *test, struct sleeper *sleeper)
{
	init_completion(&sleeper->inside);
	init_completion(&sleeper->go_on);
	sleeper->task = kthread_create(sleeper_main, sleeper, "fprobe_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(sleeper->task));
	get_task_struct(sleeper->task);
	wake_up_process(sleeper->task);
	wait_for_completion(&sleeper->inside);
}

static int sleeper_stop(struct sleeper *sleeper)
{
	int ret;

	complete(&sleeper->go_on);
	ret = kthread_stop(sleeper->task);
	put_task_struct(sleeper->task);
	return ret;
}

/* A probe goes, with its memory, while a call waits; another one takes its place. */
static void unregister_inside(struct kunit *test, bool comes_first)
{
	struct probe *stays = probe_alloc(test, true), *next = probe_alloc(test, true), *probe;
	struct sleeper sleeper = { };
	struct fprobe_hook *hook;

	probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, probe);
	probe->fp.entry_handler = probe_entry;
	probe->fp.exit_handler = probe_exit;
	if (comes_first)
		probe_begin(test, probe, "graph_target_call");
	probe_begin(test, stays, "graph_target_call");
	if (!comes_first)
		probe_begin(test, probe, "graph_target_call");
	hook = probe->fp.hook;
	sleeper_start(test, &sleeper);
	KUNIT_EXPECT_EQ(test, 1, probe->nr);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
	memset(probe, POISON_FREE, sizeof(*probe));
	kfree(probe);
	ftrace_hooks_drain();
	probe_begin(test, next, "graph_target_call");
	KUNIT_EXPECT_PTR_EQ(test, hook, next->fp.hook);
	KUNIT_EXPECT_EQ(test, 42, sleeper_stop(&sleeper));
	KUNIT_EXPECT_EQ(test, 2, stays->nr);
	KUNIT_EXPECT_EQ(test, 0, next->nr);
	probe_end(stays);
	probe_end(next);
}

static void test_unregister(struct kunit *test)
{
	/* The first one has a frame of its own, the second one data. */
	unregister_inside(test, true);
	unregister_inside(test, false);
}

/*
 * A probe is unregistered while a task sleeps in its function, and no other probe gets its hook.
 * First the call has a frame of the probe's own, then data.
 */
static void test_gone(struct kunit *test)
{
	static const size_t sizes[] = { 0, 8 };
	struct probe *probe = probe_alloc(test, true);
	struct sleeper sleeper;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		sleeper = (struct sleeper) { };
		probe->fp.entry_data_size = sizes[i];
		probe->nr = 0;
		probe_begin(test, probe, "graph_target_call");
		sleeper_start(test, &sleeper);
		KUNIT_EXPECT_EQ(test, 1, probe->nr);
		KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probe->fp));
		KUNIT_EXPECT_EQ(test, 42, sleeper_stop(&sleeper));
		KUNIT_EXPECT_EQ(test, 1, probe->nr);
	}
}

/* A task dies in a function, and its call is none of those that may wait any more. */
static void die_inside(struct kunit *test, size_t data_size)
{
	struct probe *probe = probe_alloc(test, true);
	struct sleeper sleeper = { .dies = true };
	unsigned int tries;

	probe->fp.nr_maxactive = 1;
	probe->fp.entry_data_size = data_size;
	probe_begin(test, probe, "graph_target_call");
	sleeper_start(test, &sleeper);
	graph_target_call(sleeper_nothing, NULL);
	KUNIT_EXPECT_EQ(test, 1, probe->nr);
	expect_missed(test, probe, FPROBE_MISS_ACTIVE, 1);
	KUNIT_EXPECT_EQ(test, 0, sleeper_stop(&sleeper));
	/* The task is freed by somebody else, who has to get at it first. */
	for (tries = 0; probe->nr < 3 && tries < 1000; tries++) {
		rcu_barrier();
		graph_target_call(sleeper_nothing, NULL);
		fsleep(10000);
	}
	KUNIT_EXPECT_EQ(test, 3, probe->nr);
	probe_end(probe);
}

static void test_death(struct kunit *test)
{
	die_inside(test, 0);
	die_inside(test, 8);
}

/* The entry handler stores these for each call, and the exit handler has to find the same. */
struct all_data {
	struct fprobe	*fp;
	unsigned long	ip, ret_ip, sp;
};

static atomic_long_t all_entries, all_exits, all_wrong;

static int all_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		     struct pt_regs *regs, void *data)
{
	struct all_data *call = data;

	atomic_long_inc(&all_entries);
	*call = (struct all_data) {
		.fp = fp, .ip = ip, .ret_ip = ret_ip,
		.sp = kernel_stack_pointer(regs) + ARCH_FTRACE_CALL_SIZE,
	};
	return 0;
}

static void all_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		     struct pt_regs *regs, void *data)
{
	struct all_data *call = data;

	atomic_long_inc(&all_exits);
	if (call->fp != fp || call->ip != ip || call->ret_ip != ret_ip ||
	    call->sp != kernel_stack_pointer(regs))
		atomic_long_inc(&all_wrong);
}

/* Every function of the kernel is probed, by several. */
static void test_all(struct kunit *test)
{
	struct probe *probes[3];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i] = probe_alloc(test, true);
		probes[i]->fp.entry_handler = all_entry;
		probes[i]->fp.exit_handler = all_exit;
		probes[i]->fp.entry_data_size = sizeof(struct all_data);
	}
	atomic_long_set(&all_entries, 0);
	atomic_long_set(&all_exits, 0);
	atomic_long_set(&all_wrong, 0);
	probe_begin(test, probes[0], "*");
	probe_begin(test, probes[1], "*");
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probes[0]->fp));
	probe_begin(test, probes[2], "graph_target_*");
	msleep(20);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probes[1]->fp));
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&probes[2]->fp));
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&all_wrong));
	/* graph_target_nested() and graph_target_add() have returned to two probes. */
	KUNIT_EXPECT_GE(test, atomic_long_read(&all_exits), 2 * 2);
	/* Some calls had not returned by the end. */
	KUNIT_EXPECT_LE(test, atomic_long_read(&all_exits), atomic_long_read(&all_entries));
}

static struct kunit_case fprobe_cases[] = {
	KUNIT_CASE(test_entry),
	KUNIT_CASE(test_exit),
	KUNIT_CASE(test_registers),
	KUNIT_CASE(test_decline),
	KUNIT_CASE(test_several),
	KUNIT_CASE(test_beside),
	KUNIT_CASE(test_jump),
	KUNIT_CASE(test_self),
	KUNIT_CASE(test_data),
	KUNIT_CASE(test_active),
	KUNIT_CASE(test_full),
	KUNIT_CASE(test_disable),
	KUNIT_CASE(test_disable_inside),
	KUNIT_CASE(test_recursion),
	KUNIT_CASE(test_missed_return),
	KUNIT_CASE(test_pause),
#ifdef CONFIG_KPROBES
	KUNIT_CASE(test_kprobe_shared),
#endif
	KUNIT_CASE(test_register),
	KUNIT_CASE(test_unregister),
	KUNIT_CASE(test_gone),
	KUNIT_CASE(test_death),
	KUNIT_CASE_SLOW(test_all),
	{}
};

static struct kunit_suite fprobe_suite = {
	.name = "ftrace_fprobe",
	.init = graph_watch_init,
	.test_cases = fprobe_cases,
};

kunit_test_suite(fprobe_suite);
