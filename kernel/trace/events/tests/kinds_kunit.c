// SPDX-License-Identifier: GPL-2.0
/*
 * The formats in events/ftrace of the kinds of records that tracing writes, as
 * user space knows them, and the coming and going of a kind there.
 */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "events/internal.h"
#include "record/kind.h"

struct known_format {
	unsigned int	type;
	const char	*name;
	const char	*fields;
	const char	*print_fmt;
};

/* Arguments are at the end of a record. */
#ifdef CONFIG_FUNCTION_TRACE_ARGS
#define ARGS_FIELD	"\tfield:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;\n"
#else
#define ARGS_FIELD	""
#endif

static const struct known_format known[] = {
#ifdef CONFIG_FUNCTION_TRACER
	{ 1, "function",
	  "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	  "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	  ARGS_FIELD,
	  "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip" },
#endif
	{ 4, "kernel_stack",
	  "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n",
	  "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> "
	  "%ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void "
	  "*)REC->caller[1], (void *)REC->caller[2], (void *)REC->caller[3], (void "
	  "*)REC->caller[4], (void *)REC->caller[5], (void *)REC->caller[6], (void "
	  "*)REC->caller[7]" },
	{ 5, "print",
	  "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	  "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n",
	  "\"%ps: %s\", (void *)REC->ip, REC->buf" },
	{ 6, "bprint",
	  "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	  "\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n",
	  "\"%ps: %s\", (void *)REC->ip, REC->fmt" },
	{ 12, "user_stack",
	  "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n",
	  "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> "
	  "%ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void "
	  "*)REC->caller[1], (void *)REC->caller[2], (void *)REC->caller[3], (void "
	  "*)REC->caller[4], (void *)REC->caller[5], (void *)REC->caller[6], (void "
	  "*)REC->caller[7]" },
	{ 14, "bputs",
	  "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	  "\tfield:const char * str;\toffset:16;\tsize:8;\tsigned:0;\n",
	  "\"%ps: %s\", (void *)REC->ip, REC->str" },
	{ 18, "raw_data",
	  "\tfield:unsigned int id;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:char buf[];\toffset:12;\tsize:0;\tsigned:0;\n",
	  "\"id:%04x %08x\", REC->id, (int)REC->buf[0]" },
#ifdef CONFIG_FUNCTION_TRACER
	{ 19, "func_repeats",
	  "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	  "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:u16 count;\toffset:24;\tsize:2;\tsigned:0;\n"
	  "\tfield:u16 top_delta_ts;\toffset:26;\tsize:2;\tsigned:0;\n"
	  "\tfield:u32 bottom_delta_ts;\toffset:28;\tsize:4;\tsigned:0;\n",
	  "\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", (void *)REC->ip, (void "
	  "*)REC->parent_ip, REC->count, (((u64)(REC)->top_delta_ts << 32) | "
	  "(REC)->bottom_delta_ts)" },
#endif
};

static const char common_text[] =
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n";

static void expect_format(struct kunit *test, const struct known_format *want)
{
	struct trace_event_call *call = trace_event_of_kind(want->type);
	struct seq_file m = { .size = 4096 };
	char *text;

	KUNIT_ASSERT_NOT_NULL_MSG(test, call, "%s", want->name);
	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	text = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	KUNIT_ASSERT_NOT_NULL(test, text);
	snprintf(text, m.size, "name: %s\nID: %u\n%s%s\nprint fmt: %s\n", want->name,
		 want->type, common_text, want->fields, want->print_fmt);
	scoped_guard(trace_events)
		trace_event_format_show(&m, call);
	KUNIT_EXPECT_STREQ(test, m.buf, text);
}

static void kinds_known(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_64BIT))
		kunit_skip(test, "the text is that of 64-bit machines");
	for (int i = 0; i < ARRAY_SIZE(known); i++)
		expect_format(test, &known[i]);
}

struct kunit_entry {
	struct trace_entry	ent;
	u8			a;
	s64			b;
	char			text[];
};

static enum print_line_t kunit_text(struct trace_iterator *iter,
				    const struct trace_printer *printer)
{
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field kunit_fields[] = {
	TRACE_KIND_FIELD(struct kunit_entry, u8, a),
	TRACE_KIND_FIELD(struct kunit_entry, s64, b),
	TRACE_KIND_TAIL(struct kunit_entry, char, text),
	{ }
};

static struct trace_kind kunit_kind = {
	.size		= offsetof(struct kunit_entry, text),
	.name		= "kunit_kind",
	.fields		= kunit_fields,
	.print_fmt	= "\"%d\", REC->a",
	.print		= { [TRACE_MODE_TEXT] = kunit_text },
};

/* A number that no kind has; the last ones are not used yet. */
static unsigned int kind_type_unused(void)
{
	unsigned int type = TRACE_FIRST_EVENT - 1;

	while (trace_kind_by_type(type))
		type--;
	return type;
}

/* How often an instance has the event of a kind. */
static unsigned int files_of(struct trace_array *tr, const char *name)
{
	struct trace_event_file *file;
	unsigned int nr = 0;

	guard(trace_events)();
	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		nr += !strcmp(trace_event_name(file->event_call), name) &&
		      !strcmp(file->event_call->class->system, "ftrace");
	return nr;
}

static void kind_comes_and_goes(struct kunit *test)
{
	static const char fields[] =
		"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
		"\tfield:s64 b;\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:char text[];\toffset:24;\tsize:0;\tsigned:0;\n";
	struct trace_array *top = trace_top_instance();
	struct trace_array *tr = trace_array_get_by_name("kunit_kinds", NULL);
	struct known_format want = { .name = "kunit_kind", .fields = fields };

	KUNIT_ASSERT_NOT_NULL(test, tr);
	kunit_kind.type = kind_type_unused();
	want.type = kunit_kind.type;
	want.print_fmt = kunit_kind.print_fmt;
	for (int i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, trace_kind_register(&kunit_kind), 0);
		KUNIT_EXPECT_EQ(test, trace_kind_register(&kunit_kind), -EBUSY);
		KUNIT_EXPECT_EQ(test, files_of(top, "kunit_kind"), 1);
		KUNIT_EXPECT_EQ(test, files_of(tr, "kunit_kind"), 1);
		if (IS_ENABLED(CONFIG_64BIT))
			expect_format(test, &want);
		trace_kind_unregister(&kunit_kind);
		KUNIT_EXPECT_NULL(test, trace_event_of_kind(want.type));
		KUNIT_EXPECT_EQ(test, files_of(top, "kunit_kind"), 0);
		KUNIT_EXPECT_EQ(test, files_of(tr, "kunit_kind"), 0);
	}
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

/* A field of each sort that the mode "fields" knows. */
struct fields_entry {
	struct trace_entry	ent;
	u8			letter;
	s8			small;
	u16			half;
	int			word;
	s64			wide;
	unsigned long		func;
	const char		*name;
	const char		*gone;
	u8			bytes[3];
	char			text[];
};

static const struct trace_kind_field fields_fields[] = {
	TRACE_KIND_FIELD(struct fields_entry, u8, letter),
	TRACE_KIND_FIELD(struct fields_entry, s8, small),
	TRACE_KIND_FIELD(struct fields_entry, u16, half),
	TRACE_KIND_FIELD(struct fields_entry, int, word),
	TRACE_KIND_FIELD(struct fields_entry, s64, wide),
	TRACE_KIND_FIELD(struct fields_entry, unsigned long, func,
			 .filter_type = FILTER_TRACE_FN),
	TRACE_KIND_FIELD(struct fields_entry, const char *, name),
	TRACE_KIND_FIELD(struct fields_entry, const char *, gone),
	TRACE_KIND_ARRAY(struct fields_entry, u8, bytes, 3),
	TRACE_KIND_TAIL(struct fields_entry, char, text),
	{ }
};

static struct trace_kind fields_kind = {
	.size		= offsetof(struct fields_entry, text),
	.name		= "kunit_fields",
	.fields		= fields_fields,
	.print_fmt	= "\"%d\", REC->word",
	.print		= { [TRACE_MODE_TEXT] = kunit_text },
};

static void fields_mode(struct kunit *test)
{
	struct trace_iterator *iter = kunit_kzalloc(test, sizeof(*iter), GFP_KERNEL);
	struct fields_entry *entry = kunit_kzalloc(test, sizeof(*entry) + 4, GFP_KERNEL);
	char *want = kunit_kzalloc(test, 512, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_ASSERT_NOT_NULL(test, want);
	fields_kind.type = kind_type_unused();
	entry->ent.type = fields_kind.type;
	entry->letter = 'x';
	entry->small = -128;
	entry->half = 0xffff;
	entry->word = -2;
	entry->wide = -3;
	entry->func = (unsigned long)kfree;
	entry->name = "a name";
	/* UML does not survive a pointer that leads nowhere. */
	entry->gone = IS_ENABLED(CONFIG_UML) ? entry->name : (const char *)1;
	memcpy(entry->bytes, "\x01\x02\xff", 3);
	memcpy(entry->text, "end", 4);
	iter->ent = &entry->ent;
	iter->ent_size = offsetof(struct fields_entry, text) + 4;
	trace_seq_init(&iter->seq);

	KUNIT_ASSERT_EQ(test, trace_kind_register(&fields_kind), 0);
	KUNIT_EXPECT_EQ(test, trace_event_fields_ops.print(iter, NULL), TRACE_TYPE_HANDLED);
	trace_kind_unregister(&fields_kind);
	iter->seq.buffer[trace_seq_used(&iter->seq)] = '\0';
	snprintf(want, 512, "kunit_fields: letter='x'(120) small=(128) half=0xffff (65535) "
		 "word=0xfffffffe (-2) wide=0xfffffffffffffffd (-3) func=%pS "
		 "name=(0x%0*lx:a name) gone=(0x%0*lx%s) bytes=01,02,ff text=end\n", kfree,
		 (int)(2 * sizeof(long)), (unsigned long)entry->name,
		 (int)(2 * sizeof(long)), (unsigned long)entry->gone,
		 IS_ENABLED(CONFIG_UML) ? ":a name" : "");
	KUNIT_EXPECT_STREQ(test, iter->seq.buffer, want);
	/* Its fields are not known any more. */
	KUNIT_EXPECT_EQ(test, trace_event_fields_ops.print(iter, NULL), TRACE_TYPE_UNHANDLED);
}

static struct kunit_case kinds_cases[] = {
	KUNIT_CASE(kinds_known),
	KUNIT_CASE(kind_comes_and_goes),
	KUNIT_CASE(fields_mode),
	{}
};

static struct kunit_suite kinds_suite = {
	.name		= "trace_events_kinds",
	.test_cases	= kinds_cases,
};

kunit_test_suite(kinds_suite);
