// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that are left without a return, as by bpf_throw(): the functions around them return to
 * where they were called from, their users are told, and what was left is counted. A return that
 * is preempted while it has its frame in hand finds that frame where it was. And a call that an
 * fprobe and others have hooked has one frame, whoever came first.
 */
#include "test.h"

#define WORDS	(THREAD_SIZE / sizeof(unsigned long))

/* The stack of the task: return addresses of outer calls stand further up. */
unsigned long shim_stack[WORDS];

static unsigned long real_at(unsigned int at)
{
	return 0x10000 + at;
}

static unsigned int returned, depth;

static int user_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	depth = trace->depth;
	return 1;
}

static void user_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	returned++;
}

static struct fgraph_ops user = {
	.entryfunc = user_entry, .retfunc = user_return, .sole_return = graph_return_user,
	.idx = 0, .bit = BIT(0), .since = 1,
};

static unsigned int probe_returned;

static void probe_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	probe_returned++;
}

static struct fprobe probe = { .exit_handler = probe_exit, .nr_maxactive = GRAPH_FRAMES };
/* Its calls are counted where they are entered. */
static unsigned long second_entered;
static struct fprobe second = { .exit_handler = probe_exit, .entered = &second_entered };

static void hook_user(unsigned int at, struct ftrace_regs *fregs)
{
	graph_hook_entry(0x20000 + at, *fregs->retp, &user.ops, fregs);
}

static void hook_probe(struct fprobe *fp, unsigned int at, struct ftrace_regs *fregs)
{
	graph_fprobe_func(fp)(0x20000 + at, *fregs->retp, &fp->ops, fregs);
}

/* A call whose return address is at word @at, of which the user is told. */
static void enter(unsigned int at)
{
	struct ftrace_regs fregs = { .retp = &shim_stack[at] };

	shim_stack[at] = real_at(at);
	hook_user(at, &fregs);
}

/* It returns.  Does it go on where it was called from? */
static bool leave(unsigned int at)
{
	struct ftrace_regs fregs = { .retp = &shim_stack[at] };

	if (shim_stack[at] == (unsigned long)return_to_handler)
		ftrace_return_to_handler(&fregs);
	return shim_stack[at] == real_at(at);
}

static unsigned int nr_frames(void)
{
	return current->graph_stack ? current->graph_stack->nr : 0;
}

/* The task ends, and is begun anew. */
static void begin(void)
{
	test_task_anew();
	memset(user.missed, 0, sizeof(user.missed));
	memset(probe.missed, 0, sizeof(probe.missed));
	second_entered = 0;
	returned = 0;
	probe_returned = 0;
	depth = 0;
	expect(!graph_ahead_want());
}

static void end(void)
{
	expect(!nr_frames());
	expect(current->graph_stack->data == GRAPH_STACK_SIZE);
	expect(!current->trace_recursion);
	expect(!ftrace_graph_is_dead());
	graph_spares_unwant();
}

static unsigned int preempted_below;

/* Preemption is enabled, and the scheduler calls functions that are nested in each other. */
void shim_preempted(void)
{
	unsigned int i, below = preempted_below;

	preempted_below = 0;
	if (!below)
		return;
	for (i = 1; i <= 8; i++)
		enter(below - i);
	while (--i)
		expect(leave(below - i));
}

/* The stack is full when a return is preempted, and some of the outer calls were left. */
static void test_preempted(void)
{
	static const unsigned int left[] = { 0, 1, 3, 20, GRAPH_FRAMES - 1 };
	unsigned int round, at, i;

	for (round = 0; round < ARRAY_SIZE(left); round++) {
		begin();
		for (i = 0; i < left[round]; i++)
			enter(1000 + i);
		for (at = WORDS - 10; i < GRAPH_FRAMES; i++)
			enter(--at);
		expect(nr_frames() == GRAPH_FRAMES);
		preempted_below = at;
		expect(leave(at));
		expect(!preempted_below);
		while (++at < WORDS - 10)
			expect(leave(at));
		/* A function around all of them. */
		expect(nr_frames() == left[round]);
		enter(WORDS - 1);
		expect(leave(WORDS - 1));
		while (nr_frames())
			graph_stack_pop(current->graph_stack);
		end();
	}
}

/* A function goes on in which some were called, and returns. */
static void test_thrown(void)
{
	struct ftrace_regs fregs = { .retp = &shim_stack[50] };
	unsigned int i;

	begin();
	enter(100);
	enter(90);
	for (i = 0; i < 5; i++)
		enter(80 - i);
	shim_stack[50] = real_at(50);
	hook_probe(&probe, 50, &fregs);
	hook_probe(&second, 50, &fregs);
	expect(leave(90));
	expect(returned == 1);
	expect(fgraph_missed(&user, FGRAPH_MISS_LEFT) == 5);
	expect(fprobe_missed(&probe, FGRAPH_MISS_LEFT) == 1);
	expect(nr_frames() == 1);
	enter(95);
	expect(depth == 1);
	expect(leave(95));
	expect(leave(100));
	expect(returned == 3 && !probe_returned);
	expect(second_entered == 1);
	end();
}

/* Nothing around them is hooked, again and again: there is room for others all the same. */
static void test_thrown_often(void)
{
	unsigned int i;

	begin();
	/* At the same place each time, or further in than a function that comes later. */
	for (i = 0; i < 3 * GRAPH_FRAMES; i++)
		enter(100);
	expect(nr_frames() == GRAPH_FRAMES);
	expect(!fgraph_missed(&user, FGRAPH_MISS_FULL));
	expect(fgraph_missed(&user, FGRAPH_MISS_LEFT) == 2 * GRAPH_FRAMES);
	enter(200);
	enter(150);
	expect(fgraph_missed(&user, FGRAPH_MISS_LEFT) == 3 * GRAPH_FRAMES);
	expect(!fgraph_missed(&user, FGRAPH_MISS_FULL));
	expect(nr_frames() == 2 && depth == 1);
	expect(leave(150) && leave(200));
	expect(returned == 2);
	end();
}

/* A call in an interrupt finds the stack full of such calls. None is dropped. */
static void interrupted_call(void)
{
	enter(200);
	expect(nr_frames() == GRAPH_FRAMES);
	expect(leave(200));
	expect(nr_frames() == GRAPH_FRAMES);
}

/*
 * An interrupt leaves them to the task, which may be about to drop one itself: before
 * preempt_count() shows the interrupt, and when interrupts are enabled again in a soft one.
 */
static void test_interrupted(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < GRAPH_FRAMES; i++)
		enter(100);
	shim_irqs_off = true;
	interrupted_call();
	shim_irqs_off = false;
	shim_level = 1;
	interrupted_call();
	shim_level = 0;
	expect(fgraph_missed(&user, FGRAPH_MISS_FULL) == 2);
	expect(!fgraph_missed(&user, FGRAPH_MISS_LEFT) && !returned);
	enter(200);
	expect(fgraph_missed(&user, FGRAPH_MISS_LEFT) == GRAPH_FRAMES);
	expect(nr_frames() == 1);
	expect(leave(200) && returned == 1);
	end();
}

/* No call that is alive is taken for one that was left. */
static void test_alive(void)
{
	static unsigned long other_stack[2 * GRAPH_FRAMES];
	struct ftrace_regs fregs = { .retp = &shim_stack[100] };
	unsigned int i;

	begin();
	for (i = 0; i < GRAPH_FRAMES; i++)
		enter(1000 - i);
	/* Further in; on another stack; in a function that the innermost one has jumped to. */
	enter(100);
	fregs.retp = &other_stack[0];
	hook_user(0, &fregs);
	fregs.retp = &shim_stack[1001 - GRAPH_FRAMES];
	hook_user(3000, &fregs);
	expect(fgraph_missed(&user, FGRAPH_MISS_FULL) == 3);
	expect(!fgraph_missed(&user, FGRAPH_MISS_LEFT));
	for (i = GRAPH_FRAMES; i--;)
		expect(leave(1000 - i));
	end();
	expect(returned == GRAPH_FRAMES);
}

/* Calls of a function that an fprobe, a user and perhaps another fprobe have hooked. */
static void call_joined(bool both)
{
	unsigned int i, calls = (GRAPH_STACK_SIZE - sizeof(struct graph_stack)) / (40 + 24 + 24);

	begin();
	for (i = 0; i < calls; i++) {
		struct ftrace_regs fregs = { .retp = &shim_stack[1000 - i] };

		shim_stack[1000 - i] = real_at(1000 - i);
		hook_probe(&probe, 1000 - i, &fregs);
		hook_user(1000 - i, &fregs);
		if (both)
			hook_probe(&second, 1000 - i, &fregs);
		expect(nr_frames() == i + 1);
		expect(depth == i);
	}
	while (i--)
		expect(leave(1000 - i));
	expect(returned == calls && probe_returned == (both ? 2 : 1) * calls);
	expect(second_entered == (both ? calls : 0));
	for (i = 0; i < FGRAPH_MISS_NR; i++)
		expect(!fgraph_missed(&user, i) && !fprobe_missed(&probe, i));
	end();
}

static void test_joined(void)
{
	call_joined(false);
	call_joined(true);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*func)(void);
	} tests[] = {
		{ "a return is preempted, and the stack is full", test_preempted },
		{ "a function goes on whose callees were left", test_thrown },
		{ "calls are left, and nothing around them is hooked", test_thrown_often },
		{ "an interrupt drops none of the calls that were left", test_interrupted },
		{ "calls that are alive stay", test_alive },
		{ "a call has one frame", test_joined },
	};
	unsigned int i, passed = 0, before;

	graph_state.epoch = 1;
	graph_users[0] = &user;
	expect(!graph_fprobe_get(&probe));
	expect(!graph_fprobe_get(&second));
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		before = test_failures;
		tests[i].func();
		printf("graph: %s%s\n", test_failures == before ? "" : "FAIL: ", tests[i].name);
		passed += test_failures == before;
	}
	printf("graph: %u passed, %u failed\n", passed, i - passed);
	return 0;
}
