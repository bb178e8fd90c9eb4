// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of probes by the names that BTF knows: the functions of this file are in the kernel's
 * BTF, and nobody calls them. The registers are filled with what a call would have passed.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "probes/fetch.h"
#include "probes/fetch_program.h"
#include "probes/fetch_regs.h"

#define HEADER	24
#define ROOM	512

enum fetch_kunit_sign { FETCH_KUNIT_MINUS = -1, FETCH_KUNIT_PLUS = 1 };

struct fetch_kunit_inner {
	u8	first;
	union {
		s16	half;
		u16	other;
	};
	struct {
		u32	low : 3;
		u32: 5;
		s32	mid : 6;
		u32	high : 18;
	};
	char	name[8];
};

struct fetch_kunit_outer {
	long				number;
	struct fetch_kunit_outer	*next;
	const char			*text;
	struct fetch_kunit_inner	in;
	enum fetch_kunit_sign		sign;
	bool				flag;
	u64				wide : 40;
	const char			*texts[2];
};

/* "used" keeps the compiler from changing the arguments that these are called with. */

static noinline __used long fetch_takes_pointer(struct fetch_kunit_outer *outer, const char *text,
						int count, u8 small)
{
	return outer->number + count + small + *text;
}

static noinline __used void fetch_takes_many(long a, long b, long c, long d, long e, long f,
					     long g, long h, int i, s8 j, long k, long l)
{
}

static noinline __used struct fetch_kunit_outer *fetch_returns_pointer(enum fetch_kunit_sign sign)
{
	return NULL;
}

static noinline __used void fetch_takes_data(void *data, unsigned long second, void *untyped)
{
}

static struct fetch_kunit_outer fetch_last = {
	.number	= -5,
	.text	= "last",
	.in	= { .first = 9, .half = -2, .low = 5, .mid = -3, .high = 0x2abcd, .name = "inner" },
	.sign	= FETCH_KUNIT_MINUS,
	.flag	= true,
	.wide	= 0xff12345678ULL,
	.texts	= { "one", "two" },
};

static struct fetch_kunit_outer fetch_first = { .number = 7, .next = &fetch_last };

struct fetch_kunit {
	struct trace_probe_log		log;
	struct trace_fetch_context	ctx;
	struct pt_regs			regs;
	struct trace_seq		seq;
	unsigned long			entry[32];
	u8				record[ROOM];
	char				line[512];
};

/* Set argument @n, from 0, if it has a register. */
static bool fetch_kunit_set(struct fetch_kunit *k, unsigned int n, unsigned long val)
{
	int place = fetch_regs_argument(false, n);

	if (place >= 0)
		*(unsigned long *)((void *)&k->regs + place) = val;
	return place >= 0;
}

/*
 * Parse the words of @line behind a first word, with a '^' in front of the place of the error. If
 * there is none, store the arguments, and expect the text @want.
 */
static void fetch_kunit_expect(struct kunit *test, const char *words, const char *want,
			       enum trace_probe_error error)
{
	struct fetch_kunit *k = test->priv;
	struct trace_fetch_source source = { .regs = &k->regs, .entry = k->entry };
	char *args = k->line + 4, *caret;
	struct trace_fetch *fetch;
	long place = -1;

	snprintf(k->line, sizeof(k->line), "f f %s", words);
	caret = strchr(args, '^');
	if (caret) {
		place = caret - k->line;
		memmove(caret, caret + 1, strlen(caret));
	}
	fetch = trace_fetch_parse(&k->ctx, args, args + strlen(args));
	if (caret) {
		KUNIT_EXPECT_TRUE_MSG(test, IS_ERR(fetch), "%s", words);
		KUNIT_EXPECT_EQ_MSG(test, k->log.error, error, "%s", words);
		KUNIT_EXPECT_EQ_MSG(test, (long)k->log.pos, place, "%s", words);
	} else {
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(fetch), "%s: error %d at %u", words,
				       k->log.error, k->log.pos);
	}
	if (IS_ERR(fetch))
		return;
	scoped_guard(preempt) {
		trace_fetch_store_entry(fetch, &source, k->entry);
		trace_fetch_store(fetch, &source, k->record, ROOM);
	}
	trace_seq_init(&k->seq);
	trace_fetch_print(fetch, &k->seq, k->record);
	trace_seq_putc(&k->seq, '\0');
	KUNIT_EXPECT_STREQ_MSG(test, k->seq.buffer, want, "%s", words);
	trace_fetch_put(fetch);
}

struct fetch_kunit_case {
	const char		*words;
	const char		*want;
	enum trace_probe_error	error;
};

static void fetch_kunit_expect_all(struct kunit *test, const struct fetch_kunit_case *cases,
				   unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		fetch_kunit_expect(test, cases[i].words, cases[i].want, cases[i].error);
}

/* outer, text, count, small */
static const struct fetch_kunit_case fetch_names[] = {
	{ "count small", " count=-9 small=200" },
	{ "a=count:x32 b=small:s8", " a=0xfffffff7 b=-56" },
	{ "outer->number n=outer->next->number", " arg1=7 n=-5" },
	{ "a=outer->next->text:string b=outer->next->in.name:string",
	  " a=\"last\" b=\"inner\"" },
	{ "a=outer->next->in.first b=outer->next->in.half c=outer->next->in.other",
	  " a=9 b=-2 c=65534" },
	{ "a=outer->next->in.low b=outer->next->in.mid c=outer->next->in.high",
	  " a=5 b=-3 c=175053" },
	{ "a=outer->next->wide b=outer->next->wide:x8", " a=1095522080376 b=0x78" },
	{ "a=outer->next->sign b=outer->next->flag", " a=-1 b=1" },
	{ "a=outer->next->in.name:char[3]", " a={'i','n','n'}" },
	{ "+0(outer):s64 a=+0(outer->next):s64 b=+0(text):string", " arg1=7 a=-5 b=\"text\"" },
	{ "$arg3", " count=-9" },
};

static const struct fetch_kunit_case fetch_name_errors[] = {
	{ "^hoge", NULL, PROBE_NO_BTFARG },
	{ "^hoge->number", NULL, PROBE_NO_BTFARG },
	{ "outer->^foo", NULL, PROBE_NO_BTF_FIELD },
	{ "outer->in.^foo", NULL, PROBE_NO_BTF_FIELD },
	{ "outer->number.^foo", NULL, PROBE_NO_BTF_FIELD },
	{ "outer->in.^", NULL, PROBE_NO_BTF_FIELD },
	{ "outer->^", NULL, PROBE_NO_BTF_FIELD },
	{ "outer^-.number", NULL, PROBE_BAD_HYPHEN },
	{ "outer^-", NULL, PROBE_BAD_HYPHEN },
	{ "outer->next^-number", NULL, PROBE_BAD_HYPHEN },
	{ "outer.^number", NULL, PROBE_NOSUP_DAT_ARG },
	{ "count->^foo", NULL, PROBE_NO_PTR_STRCT },
	{ "text->^foo", NULL, PROBE_NO_PTR_STRCT },
	{ "outer->number->^foo", NULL, PROBE_NO_PTR_STRCT },
	{ "^outer:string", NULL, PROBE_BAD_TYPE4STR },
	{ "^count:string", NULL, PROBE_BAD_TYPE4STR },
	{ "outer->^number:string", NULL, PROBE_BAD_TYPE4STR },
	{ "count:^u8[2]", NULL, PROBE_BAD_STRING },
	{ "^$arg5", NULL, PROBE_NO_BTFARG },
	{ "$arg* ^$arg*", NULL, PROBE_DOUBLE_ARGS },
	{ "^$retval", NULL, PROBE_RETVAL_ON_PROBE },
};

static void fetch_names_of_arguments(struct kunit *test)
{
	static const unsigned long args[] = {
		(unsigned long)&fetch_first, (unsigned long)"text", -9UL, 200,
	};
	struct fetch_kunit *k = test->priv;
	char want[160];

	k->ctx.function = "fetch_takes_pointer";
	for (unsigned int i = 0; i < ARRAY_SIZE(args); i++)
		KUNIT_ASSERT_TRUE(test, fetch_kunit_set(k, i, args[i]));
	fetch_kunit_expect_all(test, fetch_names, ARRAY_SIZE(fetch_names));
	snprintf(want, sizeof(want), " outer=0x%lx text=0x%lx count=-9 small=200", args[0],
		 args[1]);
	fetch_kunit_expect(test, "$arg*", want, 0);
	snprintf(want, sizeof(want), " a=1 outer=0x%lx text=0x%lx count=-9 small=200 b=2", args[0],
		 args[1]);
	fetch_kunit_expect(test, "a=\\1:u8 $arg* b=\\2:u8", want, 0);
	fetch_kunit_expect(test, "$arg3:x32 b=$arg4:u8 text:string",
			   " count=0xfffffff7 b=200 text=\"text\"", 0);
	fetch_kunit_expect_all(test, fetch_name_errors, ARRAY_SIZE(fetch_name_errors));
}

static const struct fetch_kunit_case fetch_results[] = {
	{ "a=$retval->number b=$retval->text:string", " a=-5 b=\"last\"" },
	{ "$retval->in.mid s=sign t=$arg1", " arg1=-3 s=-1 t=0xffffffffffffffff" },
	{ "$arg*", " sign=-1" },
	{ "$retval->^foo", NULL, PROBE_NO_BTF_FIELD },
	{ "$retval^-foo", NULL, PROBE_BAD_HYPHEN },
	{ "^$retvals", NULL, PROBE_BAD_VAR },
};

static void fetch_names_of_results(struct kunit *test)
{
	struct fetch_kunit *k = test->priv;
	int place = fetch_regs_result(false);

	k->ctx.at = TRACE_FETCH_FPROBE_RETURN;
	k->ctx.function = "fetch_returns_pointer";
	KUNIT_ASSERT_GE(test, place, 0);
	*(unsigned long *)((void *)&k->regs + place) = (unsigned long)&fetch_last;
	/* On some architectures the first argument is in the register of the result. */
	if (place == fetch_regs_argument(false, 0)) {
		fetch_kunit_expect_all(test, fetch_results, 1);
		fetch_kunit_expect_all(test, fetch_results + 3, 3);
	} else {
		fetch_kunit_set(k, 0, -1UL);
		fetch_kunit_expect_all(test, fetch_results, ARRAY_SIZE(fetch_results));
	}
	k->ctx.function = "fetch_takes_data";
	fetch_kunit_expect(test, "^$retval", NULL, PROBE_NO_RETVAL);
	k->ctx.function = "fetch_is_nowhere";
	fetch_kunit_expect(test, "$retval^->foo", NULL, PROBE_NO_BTF_ENTRY);
	fetch_kunit_expect(test, "^foo", NULL, PROBE_NO_BTF_ENTRY);
}

/* Arguments on the stack, by their names and by their numbers. */
static void fetch_names_on_the_stack(struct kunit *test)
{
	struct fetch_kunit *k = test->priv;
	int sp = fetch_regs_stack(false), first = fetch_regs_stack_arguments();
	unsigned long stack[16], *at = stack;

	if (first < 0)
		kunit_skip(test, "nobody knows where arguments on the stack are");
	k->ctx.function = "fetch_takes_many";
	*(unsigned long *)((void *)&k->regs + sp) = (unsigned long)stack;
	at += first / sizeof(long);
	for (unsigned int n = 0; n < 12; n++) {
		if (!fetch_kunit_set(k, n, 100 + n))
			*at++ = 100 + n;
	}
	fetch_kunit_expect(test, "a f g h i j k l",
			   " a=100 f=105 g=106 h=107 i=108 j=109 k=110 l=111", 0);
	fetch_kunit_expect(test, "$arg7 x=$arg9:u8 y=$arg12", " g=106 x=108 y=0x6f", 0);
	k->ctx.function = NULL;
	fetch_kunit_expect(test, "$arg1 $arg7 $arg9 $arg12",
			   " arg1=0x64 arg2=0x6a arg3=0x6c arg4=0x6f", 0);
	k->ctx.at = TRACE_FETCH_FPROBE_RETURN;
	k->ctx.function = "fetch_takes_many";
	fetch_kunit_expect(test, "a l x=+0($arg1):u8 y=$arg12:u8 z=l",
			   " a=100 l=111 x=0 y=111 z=111", 0);
}

/* A tracepoint's function has an argument in front of those that users know. */
static void fetch_names_of_a_tracepoint(struct kunit *test)
{
	struct fetch_kunit *k = test->priv;

	k->ctx.at = TRACE_FETCH_TRACEPOINT;
	k->ctx.function = "fetch_takes_data";
	/* The source has the arguments where the test has registers. */
	((unsigned long *)&k->regs)[0] = 11;
	((unsigned long *)&k->regs)[1] = 12;
	fetch_kunit_expect(test, "second untyped a=$arg1", " second=11 untyped=0xc a=0xb", 0);
	fetch_kunit_expect(test, "$arg*", " second=11 untyped=0xc", 0);
	fetch_kunit_expect(test, "^data", NULL, PROBE_NO_BTFARG);
	fetch_kunit_expect(test, "^$arg3", NULL, PROBE_NO_BTFARG);
}

/* outer = &fetch_last.in, text = &fetch_last.in.half, count = &fetch_first */
static const struct fetch_kunit_case fetch_casts[] = {
	{ "a=(fetch_kunit_inner)outer->half b=(fetch_kunit_inner)outer->mid", " a=-2 b=-3" },
	{ "a=(fetch_kunit_inner)outer->name:string", " a=\"inner\"" },
	{ "a=(fetch_kunit_inner)(outer)->half b=(fetch_kunit_inner)$arg1->half", " a=-2 b=-2" },
	{ "a=(fetch_kunit_outer)count->next->number", " a=-5" },
	{ "a=(fetch_kunit_outer)((fetch_kunit_outer)count->next)->number", " a=-5" },
	{ "a=(fetch_kunit_outer)+8(count)->text:string", " a=\"last\"" },
	{ "a=+8((fetch_kunit_outer)count->next):u64", " a=0" },
	{ "a=(fetch_kunit_outer,in)outer->number", " a=-5" },
	{ "a=(fetch_kunit_outer,in)outer->in.half b=(fetch_kunit_outer,in)outer->sign",
	  " a=-2 b=-1" },
	{ "a=(fetch_kunit_outer,in.half)text->wide", " a=1095522080376" },
};

static const struct fetch_kunit_case fetch_cast_errors[] = {
	{ "a=(fetch_kunit_outer)outer^", NULL, PROBE_TYPECAST_REQ_FIELD },
	{ "a=(fetch_kunit_outer)(outer)^", NULL, PROBE_TYPECAST_REQ_FIELD },
	{ "a=(fetch_kunit_outer)(outer)^.number", NULL, PROBE_TYPECAST_REQ_FIELD },
	{ "a=(a)((b)((c)(^(d)outer->d)->c)->b)->a", NULL, PROBE_TOO_MANY_NESTED },
	{ "a=(fetch_kunit_outer,^wide)outer->number", NULL, PROBE_TYPECAST_NOT_ALIGNED },
	{ "a=(fetch_kunit_outer,^foo)outer->number", NULL, PROBE_NO_BTF_FIELD },
	{ "a=(fetch_kunit_outer,in.^foo)outer->number", NULL, PROBE_NO_BTF_FIELD },
	{ "a=(^no_such_struct)outer->number", NULL, PROBE_NO_PTR_STRCT },
	{ "a=(^)outer->number", NULL, PROBE_NO_PTR_STRCT },
	{ "a=(fetch_kunit_outer,in^->half)outer->number", NULL, PROBE_TYPECAST_BAD_ARROW },
	{ "a=(fetch_kunit_outer,^->in)outer->number", NULL, PROBE_NO_BTF_FIELD },
	{ "a=(fetch_kunit_outer,^.in)outer->number", NULL, PROBE_NO_BTF_FIELD },
	{ "a=(fetch_kunit_outer,^.)outer->number", NULL, PROBE_NO_BTF_FIELD },
	{ "a=(fetch_kunit_outer)^@symbol+10->number", NULL, PROBE_TYPECAST_SYM_OFFSET },
	{ "a=(fetch_kunit_outer)outer->^foo", NULL, PROBE_NO_BTF_FIELD },
	{ "a=(fetch_kunit_outer)outer->number->^foo", NULL, PROBE_NO_PTR_STRCT },
	{ "a=(fetch_kunit_outer^", NULL, PROBE_DEREF_OPEN_BRACE },
	{ "a=(fetch_kunit_outer)(outer^", NULL, PROBE_DEREF_OPEN_BRACE },
	{ "a=(fetch_kunit_outer)^hoge->number", NULL, PROBE_NO_BTFARG },
	{ "a=(fetch_kunit_outer)^$comm->number", NULL, PROBE_COMM_CANT_DEREF },
	{ "a=$current^-pid", NULL, PROBE_BAD_HYPHEN },
	{ "a=$current->^no_such_member", NULL, PROBE_NO_BTF_FIELD },
	{ "a=^$currents", NULL, PROBE_BAD_VAR },
	{ "a=this_cpu_read(outer^", NULL, PROBE_DEREF_OPEN_BRACE },
	{ "a=this_cpu_ptr(outer)^x", NULL, PROBE_BAD_FETCH_ARG },
	{ "a=this_cpu_ptr(^$comm)", NULL, PROBE_COMM_CANT_DEREF },
};

/* Values that are taken for the addresses of structures, and of members of these. */
static void fetch_casts_of_values(struct kunit *test)
{
	struct fetch_kunit *k = test->priv;
	char want[40];

	k->ctx.function = "fetch_takes_pointer";
	fetch_kunit_set(k, 0, (unsigned long)&fetch_last.in);
	fetch_kunit_set(k, 1, (unsigned long)&fetch_last.in.half);
	fetch_kunit_set(k, 2, (unsigned long)&fetch_first);
	fetch_kunit_expect_all(test, fetch_casts, ARRAY_SIZE(fetch_casts));
	snprintf(want, sizeof(want), " a=%d b=%d", current->pid, current->pid);
	fetch_kunit_expect(test, "a=$current->pid b=(task_struct)$current->pid", want, 0);
	fetch_kunit_expect_all(test, fetch_cast_errors, ARRAY_SIZE(fetch_cast_errors));
}

static DEFINE_PER_CPU(long, fetch_kunit_percpu);
static DEFINE_PER_CPU(struct fetch_kunit_outer, fetch_kunit_percpu_outer);

/* Variables that each CPU has of its own. */
static void fetch_of_this_cpu(struct kunit *test)
{
	struct fetch_kunit *k = test->priv;
	int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(fetch_kunit_percpu, cpu) = -4711;
		per_cpu(fetch_kunit_percpu_outer, cpu).number = -4712;
	}
	k->ctx.function = "fetch_takes_pointer";
	fetch_kunit_set(k, 1, (unsigned long)&fetch_kunit_percpu);
	fetch_kunit_set(k, 2, (unsigned long)&fetch_kunit_percpu_outer);
	fetch_kunit_expect(test, "a=this_cpu_read(text):s64 b=+0(this_cpu_ptr(text)):s32",
			   " a=-4711 b=-4711", 0);
	fetch_kunit_expect(test, "a=(fetch_kunit_outer)this_cpu_ptr(count)->number", " a=-4712", 0);
	if (IS_ENABLED(CONFIG_KALLSYMS_ALL))
		fetch_kunit_expect(test, "a=this_cpu_read(@fetch_kunit_percpu):s64", " a=-4711", 0);
}

static int fetch_btf_init(struct kunit *test)
{
	struct fetch_kunit *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	k->log.subsystem = "fetch_kunit";
	k->log.line = k->line;
	k->ctx.log = &k->log;
	k->ctx.at = TRACE_FETCH_FPROBE_ENTRY;
	k->ctx.header = HEADER;
	fetch_first.text = "first";
	test->priv = k;
	return 0;
}

static struct kunit_case fetch_btf_cases[] = {
	KUNIT_CASE(fetch_names_of_arguments),
	KUNIT_CASE(fetch_names_of_results),
	KUNIT_CASE(fetch_names_on_the_stack),
	KUNIT_CASE(fetch_names_of_a_tracepoint),
	KUNIT_CASE(fetch_casts_of_values),
	KUNIT_CASE(fetch_of_this_cpu),
	{}
};

static struct kunit_suite fetch_btf_suite = {
	.name		= "trace_fetch_btf",
	.init		= fetch_btf_init,
	.test_cases	= fetch_btf_cases,
};

kunit_test_suite(fetch_btf_suite);
