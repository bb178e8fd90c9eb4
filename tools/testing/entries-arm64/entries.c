// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with sites, callbacks, and what must hold before, in and after a call. It
 * patches its own text as arch/arm64/kernel/ftrace/sites.c does.
 */
#include "check.h"
#include "entries.h"

int direct_calls;
unsigned short task[4];

/*
 * Functions that are hooked
 */

#ifdef LITERALS_USED
#define HOOKED __attribute__((noipa, patchable_function_entry(4, 2), aligned(8)))
#else
#define HOOKED __attribute__((noipa, patchable_function_entry(2)))
#endif

struct pair {
	long	a, b;
};

struct large {
	long	x[4];
};

HOOKED long eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

/* Returned where x8 points to. */
HOOKED struct large large(long a)
{
	return (struct large) { { a, a + 1, a + 2, a + 3 } };
}

/* Returned in x0 and x1. */
HOOKED struct pair pair(long a)
{
	return (struct pair) { a, 2 * a };
}

HOOKED long inner(long a)
{
	return a + 1;
}

HOOKED long outer(long a)
{
	long ret = 2 * inner(a);

	asm volatile("" : "+r" (ret));
	return ret;
}

HOOKED long factorial(long n)
{
	long ret = n > 1 ? factorial(n - 1) : 1;

	asm volatile("" : "+r" (ret));
	return ret * n;
}

HOOKED long jumped_to(long a)
{
	return a + 100;
}

HOOKED __attribute__((optimize("optimize-sibling-calls"))) long jumps(long a)
{
	return jumped_to(a + 1);
}

__attribute__((noipa)) long replacement(long a)
{
	return a - 1;
}

/*
 * Patching
 */

static unsigned int *site_of(void *function)
{
	unsigned int *insn = function;

	/* BTI */
	return (*insn & 0xffffff3f) == 0xd503241f ? insn + 2 : insn + 1;
}

static __attribute__((noipa)) void hook_by(void *function, const void *way)
{
	unsigned int *site = site_of(function);
	long distance = (long)way - (long)site;

	site[-1] = SITE_MOVE;
	site[0] = 0x94000000 | (distance >> 2 & 0x3ffffff);
	flush((char *)site);
}

#ifdef LITERALS_USED
static __attribute__((noipa)) void hook(void *function, struct target *target)
{
	((struct target **)function)[-1] = target;
	hook_by(function, ftrace_caller);
}

static void aim_slot(struct target *target)
{
	(void)target;
}
#else
/* The first slot and the last one are not the target's. */
#define SLOT	(ftrace_slots + (SLOTS - 2) * SLOT_SIZE)

static __attribute__((noipa)) void hook(void *function, struct target *target)
{
	(void)target;
	hook_by(function, SLOT);
}

static void aim_slot(struct target *target)
{
	ulong *slot = (ulong *)SLOT;

	slot[SLOT_TARGET / sizeof(*slot)] = (ulong)target;
	slot[SLOT_CONTINUE / sizeof(*slot)] = target->entry;
}
#endif

static __attribute__((noipa)) void unhook(void *function)
{
	site_of(function)[0] = 0xd503201f;
	flush((char *)site_of(function));
}

/*
 * Callbacks that change something
 */

static void callback_replace(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs)
{
	fregs->pc = (ulong)replacement;
	callback(ip, parent_ip, ops, fregs);
}

static void callback_override(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs)
{
	fregs->regs[0] = 77;
	fregs->pc = fregs->lr;
	callback(ip, parent_ip, ops, fregs);
}

static void callback_argument(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs)
{
	fregs->regs[0] = 5;
	callback(ip, parent_ip, ops, fregs);
}

static void callback_direct(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs)
{
	callback(ip, parent_ip, ops, fregs);
	fregs->direct_tramp = (ulong)direct;
}

/* Calls whose returns are awaited. */
static struct fregs calls[32];
static int depth, deepest, strays;

static void callback_return(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs)
{
	callback(ip, parent_ip, ops, fregs);
	calls[depth++] = *fregs;
	if (deepest < depth)
		deepest = depth;
	fregs->lr = (ulong)return_to_handler;
}

void ftrace_return_to_handler(struct fregs *fregs)
{
	const struct fregs *call = &calls[--depth];

	hits++;
	strays += fregs->fp != call->fp || fregs->sp != call->sp ||
		  fregs->lr != (ulong)return_to_handler;
	seen = *fregs;
	walk();
	fregs->lr = call->lr;
	clobber();
}

/*
 * Tests
 */

static struct target target = { .ops = &target };

static void aim(void (*entry)(void), void *func)
{
	target.entry = (ulong)entry;
	target.func = func;
	aim_slot(&target);
	hits = 0;
	deepest = 0;
}

static __attribute__((noipa)) void test_callback(void)
{
	ulong frame = (ulong)__builtin_frame_address(0), site = (ulong)site_of(eight);

	hook(eight, &target);
	aim(ftrace_args_entry, callback);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	CHECK(hits == 1 && seen_ip == site && seen_ops == &target);
	CHECK(seen.regs[0] == 1 && seen.regs[7] == 8 && !seen.direct_tramp);
	CHECK(seen.pc == site + 4 && seen.lr == seen_parent && seen.fp == frame);
	CHECK(seen.sp == (ulong)(seen_at + 1) && seen.sp % 16 == 0);
	CHECK(seen_parent - (ulong)test_callback < 0x400);
	/* An unwinder finds the entry, the function, and its caller. */
	CHECK(is_within(record_lr[0], ftrace_args_entry));
	CHECK(record_lr[1] == site + 4);
	CHECK(record_lr[2] == seen_parent && record_fp[2] == frame);

	aim(ftrace_plain_entry, callback);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	CHECK(hits == 1 && !seen_at);
	CHECK(is_within(record_lr[0], ftrace_plain_entry));
	CHECK(record_lr[1] == site + 4);
	CHECK(record_lr[2] == seen_parent && record_fp[2] == frame);

	aim(ftrace_inside_entry, callback);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	CHECK(hits == 0);
	task[TSK_GRAPH_INSIDE / 2] = 0x8000;
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	CHECK(hits == 1 && seen.pc == site + 4 && seen.regs[7] == 8);

	hook(large, &target);
	aim(ftrace_args_entry, callback);
	CHECK(large(10).x[3] == 13 && hits == 1 && seen.regs[8]);
	aim(ftrace_plain_entry, callback);
	CHECK(large(10).x[0] == 10 && hits == 1);
	aim(ftrace_args_entry, ftrace_stub);
	CHECK(large(10).x[1] == 11);
}

static int firsts;
static struct fregs *first_at;

static void callback_first(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs)
{
	callback(ip, parent_ip, ops, fregs);
	firsts += seen_ops == &firsts && seen_ip == (ulong)site_of(eight);
	first_at = seen_at;
	fregs->regs[1] = 3;
	clobber();
}

/* Two callbacks, of which each may do what one alone may. */
static __attribute__((noipa)) void test_pair(void)
{
	struct call calls[] = { { callback_first, &firsts }, { callback, &target } };
	ulong frame = (ulong)__builtin_frame_address(0), site = (ulong)site_of(eight);

	hook(eight, &target);
	target.pair = calls;
	aim(ftrace_pair_entry, 0);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 206);
	CHECK(hits == 2 && firsts == 1);
	CHECK(seen_ip == site && seen_ops == &target && seen_at == first_at);
	CHECK(seen.regs[0] == 1 && seen.regs[1] == 3 && seen.regs[7] == 8 && !seen.direct_tramp);
	CHECK(seen.pc == site + 4 && seen.lr == seen_parent && seen.fp == frame);
	CHECK(seen.sp > (ulong)(seen_at + 1) && seen.sp % 16 == 0);
	CHECK(seen_parent - (ulong)test_pair < 0x400);
	CHECK(is_within(record_lr[0], ftrace_pair_entry));
	CHECK(record_lr[1] == site + 4);
	CHECK(record_lr[2] == seen_parent && record_fp[2] == frame);

	/* The second is told the real parent when the first has another one return. */
	calls[0].func = callback_override;
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 77 && seen_parent == seen.lr && seen_ip == site);
	calls[0].func = callback_direct;
	direct_calls = 0;
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204 && direct_calls == 1);
	calls[0].func = callback;
	calls[1].func = callback_argument;
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 208);
	direct_calls = 0;
}

static __attribute__((noipa)) void test_changes(void)
{
	hook(inner, &target);
	aim(ftrace_args_entry, callback_replace);
	CHECK(inner(10) == 9);
	aim(ftrace_args_entry, callback_override);
	CHECK(inner(10) == 77);
	aim(ftrace_args_entry, callback_argument);
	CHECK(inner(10) == 6);

	aim(direct, 0);
	CHECK(inner(10) == 11 && direct_calls == 1);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204 && direct_calls == 2);
	aim(ftrace_args_entry, callback_direct);
	CHECK(inner(10) == 11 && hits == 1 && direct_calls == 3);
	CHECK(large(10).x[2] == 12 && direct_calls == 4);
	aim(ftrace_stub_direct_tramp, 0);
	CHECK(inner(10) == 11);
}

#ifdef SLOTS_USED
/* By the way that all sites can go: to whatever the kernel finds by the site's address. */
struct target ftrace_far_target;

static __attribute__((noipa)) void test_far(void)
{
	ulong site = (ulong)site_of(eight);

	ftrace_far_target.func = callback;
	hits = 0;
	hook_by(eight, ftrace_caller);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	CHECK(hits == 1 && seen_ip == site && !seen_ops && seen.pc == site + 4);
	CHECK(seen.lr == seen_parent && seen_parent - (ulong)test_far < 0x200);
	ftrace_far_target.func = callback_direct;
	direct_calls = 0;
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	CHECK(hits == 2 && direct_calls == 1);
	hook(eight, &target);
}
#else
static void test_far(void)
{
}
#endif

static __attribute__((noipa)) void test_returns(void)
{
	ulong frame = (ulong)__builtin_frame_address(0);

	aim(ftrace_args_entry, callback_return);
	CHECK(inner(10) == 11 && hits == 2 && seen.regs[0] == 11 && !depth);
	/* An unwinder finds the handler's address beside the caller's frame. */
	CHECK(is_within(record_lr[0], return_to_handler));
	CHECK(record_lr[1] == (ulong)return_to_handler && record_fp[1] == frame);
	CHECK(seen.fp == frame);

	hook(pair, &target);
	CHECK(pair(21).a == 21 && pair(21).b == 42);
	CHECK(large(3).x[2] == 5);
	hook(outer, &target);
	hook(factorial, &target);
	aim(ftrace_args_entry, callback_return);
	CHECK(outer(4) == 10 && hits == 4 && deepest == 2);
	CHECK(calls[1].fp < calls[0].fp);
	aim(ftrace_args_entry, callback_return);
	CHECK(factorial(10) == 3628800 && deepest == 10);

	/* A jump: both calls have the place of the first, and return one after the other. */
	hook(jumps, &target);
	hook(jumped_to, &target);
	aim(ftrace_args_entry, callback_return);
	CHECK(jumps(1) == 102 && hits == 4 && deepest == 2);
	CHECK(calls[0].fp == calls[1].fp && calls[1].lr == (ulong)return_to_handler);
	CHECK(!strays && !depth);

	unhook(inner);
	aim(ftrace_args_entry, callback_return);
	CHECK(inner(1) == 2 && !hits);
}

int entries_test(void)
{
	text_writable(entries_test);
	test_callback();
	test_pair();
	test_changes();
	test_far();
	test_returns();
	return check_end();
}
