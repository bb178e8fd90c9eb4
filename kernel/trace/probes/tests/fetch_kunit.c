// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of probes where no architecture is needed: a tracepoint's arguments and the memory
 * that they lead to, records of events, memory of user space, and what an event has of them.
 */
#include <kunit/test.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>
#include <linux/uaccess.h>

#include "events/field.h"
#include "probes/fetch.h"
#include "probes/fetch_program.h"

#define HEADER	16
#define ROOM	512

/* Memory that the arguments of the pretended tracepoint lead to. */
struct fetch_kunit_data {
	u64		number;
	void		*self;
	u32		half[4];
	const char	*text[3];
	char		chars[8];
};

static struct fetch_kunit_data fetch_data = {
	.number	= 0x8899aabbccddeeffULL,
	.self	= &fetch_data,
	.half	= { 1, 0x80000002, 3, 4 },
	.text	= { "one", "", "three" },
	.chars	= "abcdefg",
};

static struct dentry fetch_dentry;
static struct file fetch_file;

/* $arg1 and so on */
static unsigned long fetch_args[] = {
	0x8899aabbccddeeffUL, (unsigned long)&fetch_data, (unsigned long)"text", 'x',
	(unsigned long)&fetch_dentry, (unsigned long)&fetch_file, (unsigned long)&schedule,
};

/* The state of a test. */
struct fetch_kunit {
	struct trace_probe_log		log;
	struct trace_fetch_context	ctx;
	struct trace_fetch_source	source;
	struct trace_seq		*seq;
	u8				record[ROOM];
};

static void fetch_kunit_put(void *fetch)
{
	trace_fetch_put(fetch);
}

static struct trace_fetch *fetch_kunit_parse(struct kunit *test, const char *words)
{
	struct fetch_kunit *k = test->priv;
	struct trace_fetch *fetch;

	k->log.line = words;
	fetch = trace_fetch_parse(&k->ctx, words, words + strlen(words));
	KUNIT_ASSERT_NOT_ERR_OR_NULL_MSG(test, fetch, "%s: error %d at %u", words, k->log.error,
					 k->log.pos);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fetch_kunit_put, fetch), 0);
	return fetch;
}

/* Store in a room of the given size, with bytes of another pattern behind it. */
static unsigned int fetch_kunit_store(struct kunit *test, const struct trace_fetch *fetch,
				      unsigned int room, u8 pattern)
{
	struct fetch_kunit *k = test->priv;
	unsigned int size;

	KUNIT_ASSERT_LE(test, room, ROOM);
	memset(k->record, pattern, ROOM);
	scoped_guard(preempt)
		size = trace_fetch_store(fetch, &k->source, k->record, room);
	KUNIT_EXPECT_LE(test, size, room);
	KUNIT_EXPECT_GE(test, size, fetch->fixed);
	KUNIT_EXPECT_LE(test, size, fetch->max);
	for (unsigned int i = 0; i < HEADER; i++)
		KUNIT_EXPECT_EQ(test, k->record[i], pattern);
	for (unsigned int i = room; i < ROOM; i++)
		KUNIT_EXPECT_EQ(test, k->record[i], pattern);
	return size;
}

static const char *fetch_kunit_print(struct kunit *test, const struct trace_fetch *fetch)
{
	struct fetch_kunit *k = test->priv;

	trace_seq_init(k->seq);
	trace_fetch_print(fetch, k->seq, k->record);
	trace_seq_putc(k->seq, '\0');
	return k->seq->buffer;
}

/* Words, and the text of a record of theirs. */
struct fetch_case {
	const char	*words;
	const char	*want;
};

static void fetch_kunit_expect(struct kunit *test, const char *words, const char *want)
{
	struct trace_fetch *fetch = fetch_kunit_parse(test, words);
	struct fetch_kunit *k = test->priv;
	unsigned int size = fetch_kunit_store(test, fetch, ROOM, 0x55);
	u8 *before = kunit_kmalloc(test, ROOM, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, before);
	memcpy(before, k->record, ROOM);
	KUNIT_EXPECT_STREQ_MSG(test, fetch_kunit_print(test, fetch), want, "%s", words);
	/* All bytes of the record are stored. */
	KUNIT_EXPECT_EQ(test, fetch_kunit_store(test, fetch, ROOM, 0xaa), size);
	KUNIT_EXPECT_MEMEQ_MSG(test, k->record + HEADER, before + HEADER, size - HEADER,
			       "%s", words);
}

static void fetch_kunit_expect_all(struct kunit *test, const struct fetch_case *cases,
				   unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		fetch_kunit_expect(test, cases[i].words, cases[i].want);
}

static const struct fetch_case fetch_numbers[] = {
	{ "", "" },
	{ "$arg1", " arg1=0x8899aabbccddeeff" },
	{ "$arg1:u8 $arg1:u16 $arg1:u32 $arg1:u64",
	  " arg1=255 arg2=61183 arg3=3437096703 arg4=9843086184167632639" },
	{ "$arg1:s8 $arg1:s16 $arg1:s32 $arg1:s64",
	  " arg1=-1 arg2=-4353 arg3=-857870593 arg4=-8603657889541918977" },
	{ "$arg1:x8 $arg1:x16 $arg1:x32 $arg1:x64",
	  " arg1=0xff arg2=0xeeff arg3=0xccddeeff arg4=0x8899aabbccddeeff" },
	{ "c=$arg4:char d=$arg4:u8", " c='x' d=120" },
	{ "\\1 \\-1:s32 \\0x10:u8 \\+7:u16 \\-0x10:s64",
	  " arg1=0x1 arg2=-1 arg3=16 arg4=7 arg5=-16" },
	{ " \t a=\\1:u8 \t b=\\2:u8\t", " a=1 b=2" },
	{ "$arg1:b4@4/8 $arg1:b4@4/64 $arg1:b64@0/64 $arg1:b1@63/64 $arg1:b7@0/8",
	  " arg1=15 arg2=15 arg3=9843086184167632639 arg4=1 arg5=127" },
	{ "$arg1:b8@8/16 $arg1:b8@8/32 $arg1:b16@16/32",
	  " arg1=238 arg2=238 arg3=52445" },
};

static void fetch_numbers_have_their_types(struct kunit *test)
{
	fetch_kunit_expect_all(test, fetch_numbers, ARRAY_SIZE(fetch_numbers));
}

static const struct fetch_case fetch_memory[] = {
	{ "+0($arg2) -0($arg2):u8", " arg1=0x8899aabbccddeeff arg2=255" },
	{ "+16($arg2):u32 +0x14($arg2):s32", " arg1=1 arg2=-2147483646" },
	{ "+16(+8($arg2)):u32 -0(+8($arg2)):u8[0x1] +-0($arg2):u8", " arg1=1 arg2={255} arg3=255" },
	{ "+16(+8(+8(+8(+8(+8(+8(+8(+8($arg2))))))))):u32", " arg1=1" },
	{ "+16($arg2):x32[4]", " arg1={0x1,0x80000002,0x3,0x4}" },
	{ "+16($arg2):u32[1] +16($arg2):u32", " arg1={1} arg2=1" },
	{ "+16($arg2):b31@1/32[2]", " arg1={0,1073741825}" },
	{ "+0($arg2):b4@4/8[2] +56($arg2):char[3]", " arg1={15,14} arg2={'a','b','c'}" },
};

static void fetch_memory_is_followed(struct kunit *test)
{
	static_assert(offsetof(struct fetch_kunit_data, half) == 16);
	static_assert(offsetof(struct fetch_kunit_data, text) == 32);
	static_assert(offsetof(struct fetch_kunit_data, chars) == 56);
	fetch_kunit_expect_all(test, fetch_memory, ARRAY_SIZE(fetch_memory));
}

static const struct fetch_case fetch_strings[] = {
	{ "+0($arg3):string", " arg1=\"text\"" },
	{ "+1($arg3):string +4($arg3):string", " arg1=\"ext\" arg2=\"\"" },
	{ "+0(+32($arg2)):string +56($arg2):string", " arg1=\"one\" arg2=\"abcdefg\"" },
	{ "+32($arg2):string[3]", " arg1={\"one\",\"\",\"three\"}" },
	{ "a=+0($arg3):string b=$arg4:u8 c=+0($arg3):string", " a=\"text\" b=120 c=\"text\"" },
	{ "\\\"text\" b=\\\"\" c=\\\"a=b:c\":string", " arg1=\"text\" b=\"\" c=\"a=b:c\"" },
	{ "$arg5:%pd n=$arg5:%pd", " arg1=\"dentry\" n=\"dentry\"" },
	{ "$arg6:%pD n=$arg6:%pD +0($arg2):u8", " arg1=\"dentry\" n=\"dentry\" arg3=255" },
};

static void fetch_strings_are_copied(struct kunit *test)
{
	fetch_kunit_expect_all(test, fetch_strings, ARRAY_SIZE(fetch_strings));
}

static void fetch_task_has_a_name(struct kunit *test)
{
	char *want = kunit_kzalloc(test, 256, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, want);
	snprintf(want, 256, " arg1=\"%s\" arg2=\"%s\" arg3=0x%lx", current->comm, current->comm,
		 (unsigned long)current);
	fetch_kunit_expect(test, "$comm $COMM:string $current", want);
}

static void fetch_address_is_followed(struct kunit *test)
{
	char words[96];

	snprintf(words, sizeof(words), "@0x%lx:x64 @%lu:u8 +16(@0x%lx):u32",
		 (unsigned long)&fetch_data.number, (unsigned long)&fetch_data.number,
		 (unsigned long)&fetch_data.self);
	fetch_kunit_expect(test, words, " arg1=0x8899aabbccddeeff arg2=255 arg3=1");
}

static void fetch_symbols_are_printed(struct kunit *test)
{
	char *want = kunit_kzalloc(test, 2 * KSYM_SYMBOL_LEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, want);
	snprintf(want, 2 * KSYM_SYMBOL_LEN, " arg1=%pS arg2=\"%pS\" arg3=\"%pS\"", &schedule,
		 &schedule, (void *)fetch_args[0]);
	fetch_kunit_expect(test, "$arg7:symbol $arg7:symstr +0($arg2):symstr", want);
}

static const struct fetch_case fetch_faults[] = {
	{ "@no_such_symbol:u8 @no_such_symbol+8 @no_such_symbol-0x10:s32[2] $arg4:u8",
	  " arg1=0 arg2=0x0 arg3={0,0} arg4=120" },
	{ "@no_such_symbol:string @no_such_symbol:string[3] +0($arg3):string",
	  " arg1=(fault) arg2={(fault),(fault),(fault)} arg3=\"text\"" },
	{ "+8(+0(@no_such_symbol)):b4@0/8 +0(@no_such_symbol):symstr", " arg1=0 arg2=(fault)" },
};

static const struct fetch_case fetch_bad_pointers[] = {
	{ "+0($arg4) +8(+0($arg4)):u8[3] +0($arg4):string +0($arg4):string[2] $arg4:u8",
	  " arg1=0x0 arg2={0,0,0} arg3=(fault) arg4={(fault),(fault)} arg5=120" },
	{ "+u0($arg4) +0($arg4):ustring +u0($arg4):string[1]",
	  " arg1=0x0 arg2=(fault) arg3={(fault)}" },
	/* No memory of the kernel is taken for one of user space. */
	{ "+u0($arg2) +0($arg3):ustring +32($arg2):ustring[1]",
	  " arg1=0x0 arg2=(fault) arg3={(fault)}" },
};

static void fetch_faults_are_told(struct kunit *test)
{
	struct trace_fetch *fetch;

	fetch_kunit_expect_all(test, fetch_faults, ARRAY_SIZE(fetch_faults));
	fetch = fetch_kunit_parse(test, "$arg1 @no_such_symbol+4:u8");
	KUNIT_EXPECT_STREQ(test, trace_fetch_missing_symbol(fetch), "no_such_symbol");
	fetch = fetch_kunit_parse(test, "$arg1");
	KUNIT_EXPECT_NULL(test, trace_fetch_missing_symbol(fetch));
	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "UML has no fault handler for kernel pointers");
	fetch_kunit_expect_all(test, fetch_bad_pointers, ARRAY_SIZE(fetch_bad_pointers));
}

/* The strings of three arguments in a room that is too small for them. */
static void fetch_strings_are_cut(struct kunit *test)
{
	static const char *const want[] = {
		" a=\"\" b=\"\" c=\"\"", " a=\"t\" b=\"\" c=\"\"", " a=\"te\" b=\"\" c=\"\"",
		" a=\"tex\" b=\"\" c=\"\"", " a=\"text\" b=\"\" c=\"\"",
		" a=\"text\" b=\"t\" c=\"\"",
	};
	struct trace_fetch *fetch = fetch_kunit_parse(test,
		"a=+0($arg3):string b=\\\"text\" c=+0($arg3):string");
	unsigned int size, room;

	KUNIT_EXPECT_EQ(test, fetch->fixed, HEADER + 12);
	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++) {
		room = fetch->fixed + 3 + i;
		size = fetch_kunit_store(test, fetch, room, 0x55);
		KUNIT_EXPECT_EQ(test, size, room);
		KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch), want[i]);
	}
	/* No room for any */
	size = fetch_kunit_store(test, fetch, fetch->fixed, 0x55);
	KUNIT_EXPECT_EQ(test, size, fetch->fixed);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch), " a=(fault) b=(fault) c=(fault)");
}

static void fetch_symbol_name_is_cut(struct kunit *test)
{
	struct trace_fetch *fetch = fetch_kunit_parse(test, "$arg7:symstr");
	unsigned int size = fetch_kunit_store(test, fetch, fetch->fixed + 4, 0x55);
	struct fetch_kunit *k = test->priv;

	KUNIT_EXPECT_EQ(test, size, fetch->fixed + 4);
	KUNIT_EXPECT_EQ(test, strlen(k->record + fetch->fixed), 3);
}

/* Longer than any string in a record, with a room that has more than a location word tells. */
static void fetch_long_string_is_cut(struct kunit *test)
{
	const unsigned int room = 2 * PATH_MAX;
	char *text = kunit_kmalloc(test, room, GFP_KERNEL);
	u8 *record = kunit_kmalloc(test, room, GFP_KERNEL);
	struct trace_fetch *fetch = fetch_kunit_parse(test, "+0($arg1):string");
	unsigned long args[] = { (unsigned long)text };
	struct trace_fetch_source source = { .args = args };
	unsigned int size;

	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_NOT_NULL(test, record);
	memset(text, 'x', room);
	text[room - 1] = '\0';
	KUNIT_EXPECT_EQ(test, fetch->max, fetch->fixed + PATH_MAX);
	scoped_guard(preempt)
		size = trace_fetch_store(fetch, &source, record, room);
	KUNIT_EXPECT_EQ(test, size, fetch->fixed + PATH_MAX);
	KUNIT_EXPECT_EQ(test, strlen(record + fetch->fixed), PATH_MAX - 1);
}

/* A record of an event that is the source, with text behind it. */
struct fetch_kunit_record {
	struct trace_entry	ent;
	char			name[8];
	s8			small;
	u16			half;
	s32			minus;
	const char		*pointer;
	u32			loc;
	u32			rel;
	u32			none;
	s32			array[3];
	char			data[16];
};

static struct fetch_kunit_record fetch_record = {
	.name	= "name",
	.small	= -2,
	.half	= 0xfedc,
	.minus	= -3,
	.pointer = "pointed",
	.array	= { 5, -6, 7 },
	.data	= "located\0other",
};

#define FETCH_FIELD_OF(call, type, member, is_signed)					\
	trace_define_field(call, type, #member, offsetof(struct fetch_kunit_record, member), \
			   sizeof_field(struct fetch_kunit_record, member), is_signed,	\
			   FILTER_OTHER)

static void fetch_kunit_free_fields(void *data)
{
	struct trace_event_class *class = data;
	struct trace_event_field *f, *next;

	list_for_each_entry_safe(f, next, &class->fields, list) {
		list_del(&f->list);
		kfree(f);
	}
}

static struct trace_event_call *fetch_kunit_call(struct kunit *test)
{
	struct trace_event_class *class = kunit_kzalloc(test, sizeof(*class), GFP_KERNEL);
	struct trace_event_call *call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, class);
	KUNIT_ASSERT_NOT_NULL(test, call);
	INIT_LIST_HEAD(&class->fields);
	call->class = class;
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fetch_kunit_free_fields, class), 0);
	return call;
}

static struct trace_event_call *fetch_kunit_source_call(struct kunit *test)
{
	struct trace_event_call *call = fetch_kunit_call(test);

	KUNIT_ASSERT_EQ(test, 0,
			FETCH_FIELD_OF(call, "char[8]", name, false) ?:
			FETCH_FIELD_OF(call, "s8", small, true) ?:
			FETCH_FIELD_OF(call, "u16", half, false) ?:
			FETCH_FIELD_OF(call, "int", minus, true) ?:
			FETCH_FIELD_OF(call, "const char *", pointer, false) ?:
			FETCH_FIELD_OF(call, "__data_loc char[]", loc, true) ?:
			FETCH_FIELD_OF(call, "__rel_loc char[]", rel, true) ?:
			FETCH_FIELD_OF(call, "__data_loc char[]", none, true) ?:
			FETCH_FIELD_OF(call, "s32[3]", array, true));
	fetch_record.loc = 8 << 16 | offsetof(struct fetch_kunit_record, data);
	fetch_record.rel = 6 << 16 | (offsetof(struct fetch_kunit_record, data) + 8 -
				      offsetofend(struct fetch_kunit_record, rel));
	fetch_record.none = 0;
	return call;
}

static const struct fetch_case fetch_fields[] = {
	{ "$name $loc $rel $none",
	  " arg1=\"name\" arg2=\"located\" arg3=\"other\" arg4=(fault)" },
	{ "a=$name:string b=$loc:string c=$pointer:string",
	  " a=\"name\" b=\"located\" c=\"pointed\"" },
	{ "$small $half $minus", " arg1=0xfffffffffffffffe arg2=0xfedc arg3=0xfffffffffffffffd" },
	{ "$small:s8 $small:s64 $half:u16 $minus:s32 $minus:s64",
	  " arg1=-2 arg2=-2 arg3=65244 arg4=-3 arg5=-3" },
	{ "+0($pointer):string +1($pointer):char", " arg1=\"pointed\" arg2='o'" },
	{ "+0($name):char[4] +1($loc):string", " arg1={'n','a','m','e'} arg2=\"ocated\"" },
	{ "$array:s32[3] $array:s32", " arg1={5,-6,7} arg2=5" },
	{ "\\5:u8 $half:b4@4/16", " arg1=5 arg2=13" },
};

static void fetch_fields_of_an_event(struct kunit *test)
{
	struct fetch_kunit *k = test->priv;

	k->ctx.at = TRACE_FETCH_EVENT;
	k->ctx.event = fetch_kunit_source_call(test);
	k->source.record = &fetch_record;
	fetch_kunit_expect_all(test, fetch_fields, ARRAY_SIZE(fetch_fields));
}

/* Memory of user space, as uprobes read it: with faults, and without. */
static void fetch_memory_of_user_space(struct kunit *test)
{
	static const char args[] =
		"@+0:string +0(@+8):string @+8:string[1] @+0:char +0(@+8):ustring";
	struct fetch_kunit *k = test->priv;
	unsigned long addr = kunit_vm_mmap(test, NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	struct trace_fetch *fetch;
	unsigned int size;

	if (!addr || IS_ERR_VALUE(addr))
		kunit_skip(test, "no memory of user space");
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)addr, "user", 5), 0);
	KUNIT_ASSERT_EQ(test, put_user(addr, (unsigned long __user *)(addr + 8)), 0);
	k->ctx.at = TRACE_FETCH_UPROBE;
	k->source.base = addr;
	fetch = fetch_kunit_parse(test, args);
	fetch_kunit_store(test, fetch, ROOM, 0x55);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch),
			   " arg1=\"user\" arg2=\"user\" arg3={\"user\"} arg4='u' arg5=\"user\"");
	memset(k->record, 0xaa, ROOM);
	size = trace_fetch_store_faultable(fetch, &k->source, k->record, ROOM);
	KUNIT_EXPECT_EQ(test, size, fetch->fixed + 4 * 5);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch),
			   " arg1=\"user\" arg2=\"user\" arg3={\"user\"} arg4='u' arg5=\"user\"");
	/* A page that is not there yet: only one of them brings it. */
	k->source.base = addr + PAGE_SIZE;
	fetch_kunit_store(test, fetch, ROOM, 0x55);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch),
			   " arg1=(fault) arg2=(fault) arg3={(fault)} arg4='\0' arg5=(fault)");
	trace_fetch_store_faultable(fetch, &k->source, k->record, ROOM);
	fetch = fetch_kunit_parse(test, "@+0:string @+0:u8");
	trace_fetch_store_faultable(fetch, &k->source, k->record, ROOM);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch), " arg1=\"\" arg2=0");
}

static void fetch_user_string_without_end_is_cut(struct kunit *test)
{
	struct fetch_kunit *k = test->priv;
	unsigned long addr = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	struct trace_fetch *fetch;
	unsigned int size;

	if (!addr || IS_ERR_VALUE(addr))
		kunit_skip(test, "no memory of user space");
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)addr, "abcdefghijkl", 13), 0);
	k->ctx.at = TRACE_FETCH_UPROBE;
	k->source.base = addr;
	fetch = fetch_kunit_parse(test, "@+0:string");
	size = fetch_kunit_store(test, fetch, fetch->fixed + 4, 0x55);
	KUNIT_EXPECT_EQ(test, size, fetch->fixed + 4);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch), " arg1=\"abc\"");
	memset(k->record, 0x55, ROOM);
	size = trace_fetch_store_faultable(fetch, &k->source, k->record, fetch->fixed + 4);
	KUNIT_EXPECT_EQ(test, size, fetch->fixed + 4);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch), " arg1=\"abc\"");
	KUNIT_EXPECT_EQ(test, k->record[fetch->fixed + 4], 0x55);
}

static void fetch_event_has_fields(struct kunit *test)
{
	struct trace_fetch *fetch = fetch_kunit_parse(test,
		"a=$arg1:s8 b=$arg1:x32 c=+0($arg3):string d=+0($arg2):u16[3] e=+32($arg2):string[2] f=$arg1:symbol");
	struct trace_event_call *call = fetch_kunit_call(test);
	static const struct {
		const char	*name, *type;
		int		offset, size;
		bool		is_signed;
	} want[] = {
		{ "a", "s8", HEADER, 1, true },
		{ "b", "u32", HEADER + 1, 4, false },
		{ "c", "__data_loc char[]", HEADER + 5, 4, true },
		{ "d", "u16[3]", HEADER + 9, 6, false },
		{ "e", "__data_loc char[][2]", HEADER + 15, 8, true },
		{ "f", "u64", HEADER + 23, 8, false },
	};
	struct trace_event_field *f;
	unsigned int i = 0;
	char *format;

	KUNIT_EXPECT_EQ(test, fetch->fixed, HEADER + 31);
	KUNIT_ASSERT_EQ(test, trace_fetch_define_fields(fetch, call), 0);
	for_each_trace_event_field(f, call) {
		KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(want));
		KUNIT_EXPECT_STREQ(test, f->name, want[i].name);
		KUNIT_EXPECT_STREQ(test, f->type, want[i].type);
		KUNIT_EXPECT_EQ(test, f->offset, want[i].offset);
		KUNIT_EXPECT_EQ(test, f->size, want[i].size);
		KUNIT_EXPECT_EQ(test, f->is_signed, want[i].is_signed);
		i++;
	}
	KUNIT_EXPECT_EQ(test, i, ARRAY_SIZE(want));
	format = trace_fetch_print_format(fetch, "(%lx)", "REC->__probe_ip");
	KUNIT_EXPECT_STREQ(test, format,
			   "\"(%lx) a=%d b=0x%x c=\\\"%s\\\" d={%u,%u,%u} e={\\\"%s\\\",\\\"%s\\\"} f=%pS\", REC->__probe_ip, REC->a, REC->b, __get_str(c), REC->d[0], REC->d[1], REC->d[2], __get_str(e[0]), __get_str(e[1]), REC->f");
	kfree(format);
	format = trace_fetch_print_format(fetch_kunit_parse(test, ""), "", "");
	KUNIT_EXPECT_STREQ(test, format, "\"\"");
	kfree(format);
}

static void fetch_words_are_listed(struct kunit *test)
{
	struct trace_fetch *fetch = fetch_kunit_parse(test,
		"a=$arg1:s8 +0($arg3):string $arg5:%pd \\\"x=y\"");
	struct seq_file m = { .buf = kunit_kzalloc(test, 256, GFP_KERNEL), .size = 256 };

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	trace_fetch_show(fetch, &m);
	KUNIT_EXPECT_STREQ(test, m.buf,
			   " a=$arg1:s8 arg2=+0($arg3):string arg3=$arg5:%pd arg4=\\\"x=y\"");
	/* The listing makes the same object. */
	KUNIT_EXPECT_TRUE(test, trace_fetch_is_same(fetch, fetch_kunit_parse(test, m.buf)));
}

static void fetch_probes_of_an_event_are_alike(struct kunit *test)
{
	static const struct {
		const char	*words;
		int		differ;
		bool		is_same;
	} others[] = {
		{ "a=$arg1 b=+0($arg2):u8", 0, true },
		{ "a=$arg1:x64  b=+0($arg2):u8", 0, false },
		{ "a=$arg2 b=$arg3:u8", 0, false },
		{ "c=$arg1 b=+0($arg2):u8", 1, false },
		{ "a=$arg1:u64 b=+0($arg2):u8", 1, false },
		{ "a=$arg1 b=+0($arg2):u8[1]", 2, false },
		{ "a=$arg1 b=+0($arg3):string", 2, false },
		{ "a=$arg1", 2, false },
		{ "a=$arg1 b=+0($arg2):u8 c=$arg3", 3, false },
		{ "", 1, false },
	};
	struct trace_fetch *fetch = fetch_kunit_parse(test, "a=$arg1 b=+0($arg2):u8");

	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		struct trace_fetch *other = fetch_kunit_parse(test, others[i].words);

		KUNIT_EXPECT_EQ_MSG(test, trace_fetch_differ(fetch, other), others[i].differ,
				    "%s", others[i].words);
		if (!others[i].differ)
			KUNIT_EXPECT_EQ(test, trace_fetch_is_same(fetch, other),
					others[i].is_same);
	}
}

static void fetch_places_are_found(struct kunit *test)
{
	static const char words[] = "  a=$arg1\tb=$arg2  c=$arg3 ";
	const char *end = words + strlen(words);
	struct trace_fetch *fetch = fetch_kunit_parse(test, words);

	KUNIT_EXPECT_PTR_EQ(test, trace_fetch_place(fetch, words, end, 0), words + 2);
	KUNIT_EXPECT_PTR_EQ(test, trace_fetch_place(fetch, words, end, 1), words + 10);
	KUNIT_EXPECT_PTR_EQ(test, trace_fetch_place(fetch, words, end, 2), words + 19);
	KUNIT_EXPECT_PTR_EQ(test, trace_fetch_place(fetch, words, end, 3), end);
}

static void fetch_reference_keeps_it(struct kunit *test)
{
	struct trace_fetch *fetch = fetch_kunit_parse(test, "a=$arg1");

	trace_fetch_put(trace_fetch_get(fetch));
	fetch_kunit_store(test, fetch, ROOM, 0x55);
	KUNIT_EXPECT_STREQ(test, fetch_kunit_print(test, fetch), " a=0x8899aabbccddeeff");
	trace_fetch_put(NULL);
}

static int fetch_test_init(struct kunit *test)
{
	struct fetch_kunit *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	k->seq = kunit_kzalloc(test, sizeof(*k->seq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, k->seq);
	k->log.subsystem = "fetch_kunit";
	k->ctx.log = &k->log;
	k->ctx.at = TRACE_FETCH_TRACEPOINT;
	k->ctx.header = HEADER;
	k->source.args = fetch_args;
	fetch_dentry.d_name.name = "dentry";
	*(struct dentry **)&fetch_file.f_path.dentry = &fetch_dentry;
	test->priv = k;
	return 0;
}

static struct kunit_case fetch_cases[] = {
	KUNIT_CASE(fetch_numbers_have_their_types),
	KUNIT_CASE(fetch_memory_is_followed),
	KUNIT_CASE(fetch_strings_are_copied),
	KUNIT_CASE(fetch_task_has_a_name),
	KUNIT_CASE(fetch_address_is_followed),
	KUNIT_CASE(fetch_symbols_are_printed),
	KUNIT_CASE(fetch_faults_are_told),
	KUNIT_CASE(fetch_strings_are_cut),
	KUNIT_CASE(fetch_symbol_name_is_cut),
	KUNIT_CASE(fetch_long_string_is_cut),
	KUNIT_CASE(fetch_fields_of_an_event),
	KUNIT_CASE(fetch_memory_of_user_space),
	KUNIT_CASE(fetch_user_string_without_end_is_cut),
	KUNIT_CASE(fetch_event_has_fields),
	KUNIT_CASE(fetch_words_are_listed),
	KUNIT_CASE(fetch_probes_of_an_event_are_alike),
	KUNIT_CASE(fetch_places_are_found),
	KUNIT_CASE(fetch_reference_keeps_it),
	{}
};

static struct kunit_suite fetch_suite = {
	.name		= "trace_fetch",
	.init		= fetch_test_init,
	.test_cases	= fetch_cases,
};

kunit_test_suite(fetch_suite);
