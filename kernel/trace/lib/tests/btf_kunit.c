// SPDX-License-Identifier: GPL-2.0
/*
 * Functions in BTF: the functions of this file are found in the kernel's BTF, and given
 * registers are printed as the types of the parameters want it.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "lib/btf.h"

/* Fill the bits of a register above a number with a pattern. */
#define ABOVE_8(x)	(0xdeadbeefcafe5500UL | (u8)(x))
#define ABOVE_16(x)	(0xdeadbeefcafe0000UL | (u16)(x))
#define ABOVE_32(x)	(0xdeadbeef00000000UL | (u32)(x))
#define REGS		6

enum btf_kunit_sign { KUNIT_MINUS = -1, KUNIT_NONE, KUNIT_PLUS };
enum btf_kunit_flag { KUNIT_LOW = 1, KUNIT_HIGH = 0x80000000 };

struct btf_kunit_one {
	u32	a;
};

struct btf_kunit_two {
	void	*a;
	u8	b;
};

struct btf_kunit_three {
	long	a[3];
};

struct btf_kunit_number {
	union {
		u64		a;
		__int128	b;
	};
};

union btf_kunit_either {
	u64	a;
	void	*b;
};

/* Nobody calls these. "used" keeps the compiler from changing what they are called with. */

static noinline __used void btf_takes_none(void)
{
}

static noinline __used void btf_takes_signed(signed char a, short b, int c, long d)
{
}

static noinline __used void btf_takes_unsigned(u8 a, u16 b, u32 c, u64 d)
{
}

static noinline __used void btf_takes_small(bool a, bool b, char c, char d)
{
}

static noinline __used void btf_takes_pointers(const char *a, int (*b)(void), void *c)
{
}

static noinline __used void btf_takes_enums(enum btf_kunit_sign a, const enum btf_kunit_sign b,
					    enum btf_kunit_sign c, enum btf_kunit_flag d,
					    enum btf_kunit_flag e)
{
}

static noinline __used void btf_takes_structs(struct btf_kunit_one a, struct btf_kunit_two b,
					      union btf_kunit_either c, int d)
{
}

static noinline __used void btf_takes_large(int a, struct btf_kunit_three b, int c)
{
}

static noinline __used void btf_takes_pairs(int a, unsigned __int128 b,
					    struct btf_kunit_number c, int d)
{
}

static noinline __used void btf_takes_split(long a, long b, long c, long d, long e,
					    struct btf_kunit_two f)
{
}

static noinline __used void btf_takes_many(int a, int b, int c, int d, int e, int f, int g)
{
}

static noinline __used void btf_takes_more(const char *a, ...)
{
}

struct btf_case {
	const char	*func;
	unsigned long	regs[REGS + 1];
	unsigned int	nr;
	const char	*want;
	const struct trace_btf_abi *abi;
};

/* The rules of x86_64, and an ABI in which each rule is the opposite. */
static const struct trace_btf_abi plain;
static const struct trace_btf_abi other = { .copies = true, .even_pairs = true };

static const struct btf_case cases[] = {
	{ "btf_takes_none", { 1, 2 }, REGS, "()" },
	{ "btf_takes_signed", { ABOVE_8(-1), ABOVE_16(-2), ABOVE_32(-3), -4 }, REGS,
	  "(a=-1, b=-2, c=-3, d=-4)" },
	{ "btf_takes_signed", { ABOVE_8(127), ABOVE_16(32767), ABOVE_32(INT_MAX), 0 }, REGS,
	  "(a=127, b=32767, c=2147483647, d=0)" },
	{ "btf_takes_unsigned", { ABOVE_8(255), ABOVE_16(0xfffe), ABOVE_32(~0), ~0UL }, REGS,
	  "(a=0xff, b=0xfffe, c=0xffffffff, d=0xffffffffffffffff)" },
	{ "btf_takes_small", { ABOVE_8(0), ABOVE_8(1), ABOVE_8('x'), ABOVE_8('\n') }, REGS,
	  "(a=false, b=true, c='x', d=0xa)" },
	{ "btf_takes_small", { 0, 0, ABOVE_8(-1), 0 }, REGS,
	  "(a=false, b=false, c=0xff, d=0x0)" },
	{ "btf_takes_pointers", { 0, 0xffffffff81000000, 0x1234 }, REGS,
	  "(a=0x0, b=0xffffffff81000000, c=0x1234)" },
	{ "btf_takes_enums", { ABOVE_32(-1), 1, ABOVE_32(-2), ABOVE_32(0x80000000), 3 }, REGS,
	  "(a=KUNIT_MINUS, b=KUNIT_PLUS, c=-2, d=KUNIT_HIGH, e=0x3)" },
	{ "btf_takes_structs", { 1, 2, 3, 4, ABOVE_32(-5) }, REGS,
	  "(a=(STRUCT)[0x1], b=(STRUCT)[0x2:0x3], c=(UNION)[0x4], d=-5)" },
	{ "btf_takes_large", { 1, 2, 3, 4, 5, 6 }, REGS, "(a=1, ...)" },
	{ "btf_takes_large", { 1, 2, 3, 4, 5, 6 }, REGS, "(a=1, b=(STRUCT)*0x2, c=3)", &other },
	{ "btf_takes_large", { 1, 2, 3 }, 1, "(a=1, ...)", &other },
	{ "btf_takes_structs", { 1, 2, 3, 4, ABOVE_32(-5) }, REGS,
	  "(a=(STRUCT)[0x1], b=(STRUCT)[0x2:0x3], c=(UNION)[0x4], d=-5)", &other },
	{ "btf_takes_pairs", { 1, 2, 3, 4, 5, 6 }, REGS,
	  "(a=1, b=0x30000000000000002, c=(STRUCT)[0x4:0x5], d=6)" },
	{ "btf_takes_pairs", { 1, 2, 3, 4, 5, 6, 7 }, REGS + 1,
	  "(a=1, b=0x40000000000000003, c=(STRUCT)[0x5:0x6], d=7)", &other },
	{ "btf_takes_pairs", { 1, 2 }, 3, "(a=1, b=0x2, ...)" },
	{ "btf_takes_pairs", { 1, 2, 3 }, 3, "(a=1, ...)", &other },
	{ "btf_takes_split", { 1, 2, 3, 4, 5, 6 }, REGS, "(a=1, b=2, c=3, d=4, e=5, ...)" },
	{ "btf_takes_many", { 1, 2, 3, 4, 5, 6 }, REGS, "(a=1, b=2, c=3, d=4, e=5, f=6, ...)" },
	{ "btf_takes_many", { 1, 2, 3 }, 3, "(a=1, b=2, c=3, ...)" },
	{ "btf_takes_more", { 1, 2, 3 }, REGS, "(a=0x1, ...)" },
};

static int btf_init(struct kunit *test)
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	test->priv = s;
	return s ? trace_btf_need() : -ENOMEM;
}

static void btf_arguments(struct kunit *test)
{
	struct trace_seq *s = test->priv;
	struct trace_btf_func func;
	bool found;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		trace_seq_init(s);
		scoped_guard(rcu) {
			found = trace_btf_find(cases[i].func, NULL, &func);
			if (found)
				trace_btf_put_args(s, &func, cases[i].abi ?: &plain,
						   cases[i].regs, cases[i].nr);
		}
		KUNIT_EXPECT_TRUE_MSG(test, found, "%s", cases[i].func);
		trace_seq_putc(s, '\0');
		KUNIT_EXPECT_STREQ_MSG(test, s->buffer, cases[i].want, "%s", cases[i].func);
	}
}

/*
 * If the text does not fit, the sequence is marked as full, so the caller does not print a half
 * of it.
 */
static void btf_does_not_fit(struct kunit *test)
{
	const unsigned long regs[REGS] = { };
	struct trace_seq *s = test->priv;
	struct trace_btf_func func;

	trace_seq_init(s);
	while (s->seq.len < s->seq.size - 10)
		trace_seq_putc(s, '.');
	guard(rcu)();
	if (trace_btf_find("btf_takes_signed", NULL, &func))
		trace_btf_put_args(s, &func, &plain, regs, REGS);
	KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(s));
}

static void btf_unknown(struct kunit *test)
{
	struct trace_btf_func func;

	guard(rcu)();
	KUNIT_EXPECT_FALSE(test, trace_btf_find("btf_takes_nothing", NULL, &func));
	KUNIT_EXPECT_FALSE(test, trace_btf_find("", NULL, &func));
	/* A type that is no function. */
	KUNIT_EXPECT_FALSE(test, trace_btf_find("btf_kunit_one", NULL, &func));
	KUNIT_EXPECT_FALSE(test, trace_btf_find("btf_takes_none", "no_module", &func));
	KUNIT_EXPECT_TRUE(test, trace_btf_find("btf_takes_none", NULL, &func));
}

static bool btf_finds(const struct btf *btf, const struct btf_type *t)
{
	struct trace_btf_func func;

	guard(rcu)();
	return trace_btf_find(btf_name_by_offset(btf, t->name_off), NULL, &func) &&
	       func.btf == btf;
}

/* Many functions have the slot of another one's name, and are found behind it. */
static void btf_all(struct kunit *test)
{
	const struct btf *btf = bpf_get_btf_vmlinux();
	unsigned int found = 0, missing = 0;
	const struct btf_type *t;
	u32 id;

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(btf));
	for (id = 1; id < btf_nr_types(btf); id++) {
		t = btf_type_by_id(btf, id);
		if (!btf_type_is_func(t))
			continue;
		if (btf_finds(btf, t))
			found++;
		else
			missing++;
		cond_resched();
	}
	KUNIT_EXPECT_GT(test, found, 1000);
	KUNIT_EXPECT_EQ(test, missing, 0);
}

static struct kunit_case btf_cases[] = {
	KUNIT_CASE(btf_arguments),
	KUNIT_CASE(btf_does_not_fit),
	KUNIT_CASE(btf_unknown),
	KUNIT_CASE(btf_all),
	{ }
};

static struct kunit_suite btf_suite = {
	.name		= "trace_args_btf",
	.init		= btf_init,
	.test_cases	= btf_cases,
};

kunit_test_suite(btf_suite);
