// SPDX-License-Identifier: GPL-2.0
/* Synthetic events: definitions, records, removal, and the functions for code of the kernel. */
#include <kunit/test.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/trace_events.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "events/field.h"
#include "events/synth/event.h"
#include "events/value.h"
#include "instance/buffers.h"
#include "instance/instance.h"

/* A line of dynamic_events. */
static int synth_run(const char *text)
{
	char *line = kstrdup(text, GFP_KERNEL);
	int ret = line ? trace_dyn_run(line) : -ENOMEM;

	kfree(line);
	return ret;
}

/* The number of synthetic events. */
static unsigned int synth_count(void)
{
	unsigned int nr = 0;

	guard(trace_events)();
	while (trace_dyn_event_nth(&trace_synth_kind, nr))
		nr++;
	return nr;
}

static int synth_switch(const char *name, bool on)
{
	return trace_array_set_clr_event(trace_top_instance(), "synthetic", name, on);
}

static void synth_test_exit(struct kunit *test)
{
	trace_array_set_clr_event(trace_top_instance(), "synthetic", NULL, false);
	KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&trace_synth_kind), 0);
}

static int synth_test_init(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, trace_array_expand(trace_top_instance()), 0);
	return 0;
}

static const char synth_all[] =
	"s:all u8 a; s8 b; u16 c; s16 d; u32 e; s32 f; u64 g; s64 h; char i; "
	"unsigned char j; int k; unsigned int l; long m; unsigned long n; bool o; pid_t p; gfp_t q; "
	"char r[10]; char s[]; unsigned long[] t; long[] u";

static const struct synth_line {
	const char	*line;
	int		ret;
} synth_lines[] = {
	{ synth_all },
	{ "s:synthetic/e u64 a" },
	{ "s:e u64 a u64 b" },
	{ "s:e u64 a u64 b; u64 c" },
	{ "s:e u64 a;; u64 b;" },
	{ "s:e char[8] a" },
	{ "s:e char a[256]" },
	{ "s:e char a[0x10]", -EINVAL },
	{ "s:e unsigned long a[]" },
	{ "s:e u64 _a" },
	{ "s:e char a[257]", -EINVAL },
	{ "s:e char a[-1]", -EINVAL },
	{ "s:e char a[4]x", -EINVAL },
	{ "s:e char a[4", -EINVAL },
	{ "s:e char[8] a[4]", -EINVAL },
	{ "s:e char [4]", -EINVAL },
	{ "s:e u32 a[4]", -EINVAL },
	{ "s:e u64 a[]", -EINVAL },
	{ "s:e unsigned a", -EINVAL },
	{ "s:e unsigned", -EINVAL },
	{ "s:e unsigned pid_t a", -EINVAL },
	{ "s:e u64", -EINVAL },
	{ "s:e u64 a u64", -EINVAL },
	{ "s:e u64 a b", -EINVAL },
	{ "s:e u64 1a", -EINVAL },
	{ "s:e u64 a-b", -EINVAL },
	{ "s:1e u64 a", -EINVAL },
	{ "s:e; u64 a", -EINVAL },
	{ "s:e/f u64 a", -EINVAL },
	{ "s:junk/e u64 a", -EINVAL },
	{ "s:synthetic/ u64 a", -EINVAL },
	{ "s: u64 a", -EINVAL },
	{ "s:", -EINVAL },
	{ "s", -EINVAL },
	{ "s e u64 a", -EINVAL },
	{ "x:e u64 a", -EINVAL },
	/* Since there are dynamic fields, one stands between semicolons. */
	{ "s:e char a[] u64 b", -EINVAL },
	{ "s:e char a[]; u64 b u64 c", -EINVAL },
	{ "-:nosuch", -ENOENT },
	{ "-:junk/nosuch", -ENOENT },
	{ "!s:nosuch", -ENOENT },
	{ "-nosuch", -EINVAL },
	{ "-:", -EINVAL },
	{ "-", -EINVAL },
	{ "!", -EINVAL },
	{ "!s", -EINVAL },
};

static void lines_are_taken_or_refused(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(synth_lines); i++) {
		const struct synth_line *l = &synth_lines[i];

		KUNIT_EXPECT_EQ_MSG(test, synth_run(l->line), l->ret, "%s", l->line);
		KUNIT_EXPECT_EQ_MSG(test, synth_count(), !l->ret, "%s", l->line);
		KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&trace_synth_kind), 0);
	}
}

static void fields_have_a_limit(struct kunit *test)
{
	char *line = kunit_kzalloc(test, 1024, GFP_KERNEL);
	int len = sprintf(line, "s:many");

	for (int i = 0; i < TRACE_SYNTH_FIELDS_MAX; i++)
		len += sprintf(line + len, " u8 f%d;", i);
	KUNIT_EXPECT_EQ(test, synth_run(line), 0);
	KUNIT_EXPECT_EQ(test, synth_run("-:many"), 0);
	sprintf(line + len, " u8 over");
	KUNIT_EXPECT_EQ(test, synth_run(line), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_count(), 0);
}

/* A record has to fit into the smallest sub-buffer, so a definition that cannot is refused. */
static void records_have_a_limit(struct kunit *test)
{
	static const struct {
		const char	*text;
		int		ret;
	} ends[] = {
		{ "" },
		{ " char g[216]" },
		{ " char g[216]; u8 over", -EINVAL },
		/* A location word, and a word of data. */
		{ " char g[204]; char t[]" },
		{ " char g[205]; char t[]", -EINVAL },
	};
	char *line = kunit_kzalloc(test, 1024, GFP_KERNEL);
	int len = sprintf(line, "s:long");

	for (int i = 0; i < 15; i++)
		len += sprintf(line + len, " char f%d[256];", i);
	for (int i = 0; i < ARRAY_SIZE(ends); i++) {
		strscpy(line + len, ends[i].text, 1024 - len);
		KUNIT_EXPECT_EQ_MSG(test, synth_run(line), ends[i].ret, "%s", ends[i].text);
		KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&trace_synth_kind), 0);
	}
	KUNIT_EXPECT_EQ(test, synth_count(), 0);
}

/* A name is taken once; the line that removes it need not tell the fields. */
static void names_are_taken_once(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, synth_run("s:e u64 a"), 0);
	KUNIT_EXPECT_EQ(test, synth_run("s:e u64 a"), -EEXIST);
	KUNIT_EXPECT_EQ(test, synth_run("s:e u32 b"), -EEXIST);
	KUNIT_EXPECT_EQ(test, synth_run("!s:e u32 b"), 0);
	KUNIT_EXPECT_EQ(test, synth_run("s:e u32 b"), 0);
	KUNIT_EXPECT_EQ(test, synth_run("-:junk/e"), -ENOENT);
	KUNIT_EXPECT_EQ(test, synth_run("-:synthetic/e"), 0);
	KUNIT_EXPECT_EQ(test, synth_run("s:e u32 b"), 0);
	KUNIT_EXPECT_EQ(test, trace_synth_event_remove("e"), 0);
	KUNIT_EXPECT_EQ(test, trace_synth_event_remove("e"), -ENOENT);
	KUNIT_EXPECT_EQ(test, synth_count(), 0);
}

/* Each field has its place, and the format file tells of it. */
static void fields_have_their_places(struct kunit *test)
{
	struct trace_synth_event *event;
	const struct trace_event_field *f;
	unsigned int end = sizeof(struct trace_entry);

	KUNIT_ASSERT_EQ(test, synth_run(synth_all), 0);
	guard(trace_events)();
	event = trace_synth_event_find("all");
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, trace_synth_event_fields(event), 21);
	KUNIT_EXPECT_NULL(test, trace_synth_event_field(event, 21));
	for (int i = 0; i < 21; i++) {
		const struct trace_synth_field *field = trace_synth_event_field(event, i);

		KUNIT_EXPECT_GE_MSG(test, field->offset, end, "%s", field->name);
		end = field->offset + field->size;
		f = trace_event_field_find(&event->call, field->name, strlen(field->name));
		KUNIT_ASSERT_NOT_NULL(test, f);
		KUNIT_EXPECT_EQ(test, f->offset, field->offset);
		KUNIT_EXPECT_EQ(test, f->size, field->size);
		KUNIT_EXPECT_EQ_MSG(test, trace_event_field_is_located(f), field->is_dynamic,
				    "%s", f->type);
	}
	KUNIT_EXPECT_LE(test, end, event->fixed);
	f = trace_event_field_find(&event->call, "r", 1);
	KUNIT_EXPECT_EQ(test, f->filter_type, FILTER_STATIC_STRING);
	f = trace_event_field_find(&event->call, "s", 1);
	KUNIT_EXPECT_EQ(test, f->filter_type, FILTER_DYN_STRING);
	f = trace_event_field_find(&event->call, "t", 1);
	KUNIT_EXPECT_EQ(test, f->elem_size, (int)sizeof(long));
	KUNIT_EXPECT_STREQ(test, f->type, "__data_loc unsigned long[]");
}

/* Take the oldest record of the top instance. NULL: there is none. */
static const void *synth_take(unsigned int *len)
{
	struct trace_buffer *buffer = trace_top_instance()->array_buffer.buffer;
	struct ring_buffer_event *event;
	int cpu;

	for_each_online_cpu(cpu) {
		event = ring_buffer_consume(buffer, cpu, NULL, NULL);
		if (!event)
			continue;
		*len = ring_buffer_event_length(event);
		return ring_buffer_event_data(event);
	}
	return NULL;
}

static const unsigned long synth_stack[] = { 0x1111, 0x2222, 0x3333, 0 };

static void synth_record_one(const char *name, const u64 *vals)
{
	struct trace_synth_event *event;

	guard(trace_events)();
	event = trace_synth_event_find(name);
	guard(preempt_notrace)();
	trace_synth_record(event, vals);
}

static void synth_expect_string(struct kunit *test, const struct trace_event_call *call,
				const void *record, const char *name, const char *want)
{
	const struct trace_event_field *f;
	char text[32];

	f = trace_event_field_find((struct trace_event_call *)call, name, strlen(name));
	trace_event_value_string(f, record, text, sizeof(text), false);
	KUNIT_EXPECT_STREQ(test, text, want);
}

static void records_have_their_values(struct kunit *test)
{
	const u64 vals[] = { -5, (unsigned long)"a name that is cut", (unsigned long)"dynamic",
			     (unsigned long)synth_stack, 1ULL << 40 };
	const struct trace_event_field *f;
	struct trace_event_call *call;
	unsigned int len;
	const void *record;
	u64 val;

	KUNIT_ASSERT_EQ(test, synth_run("s:e s8 n; char r[8]; char s[]; long[] t; u64 w"), 0);
	trace_array_reset(trace_top_instance());
	/* Nobody listens. */
	synth_record_one("e", vals);
	KUNIT_EXPECT_NULL(test, synth_take(&len));
	KUNIT_ASSERT_EQ(test, synth_switch("e", true), 0);
	synth_record_one("e", vals);
	record = synth_take(&len);
	KUNIT_ASSERT_NOT_NULL(test, record);

	guard(trace_events)();
	call = trace_event_call_find("synthetic", "e");
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(trace_event_field_find(call, "n", 1),
							 record, &val));
	KUNIT_EXPECT_EQ(test, (s64)val, -5);
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(trace_event_field_find(call, "w", 1),
							 record, &val));
	KUNIT_EXPECT_EQ(test, val, 1ULL << 40);
	synth_expect_string(test, call, record, "r", "a name ");
	synth_expect_string(test, call, record, "s", "dynamic");
	f = trace_event_field_find(call, "t", 1);
	KUNIT_EXPECT_EQ(test, trace_event_value_elements(f, record), 3);
	KUNIT_EXPECT_TRUE(test, trace_event_value_element(f, record, 2, &val));
	KUNIT_EXPECT_EQ(test, val, 0x3333);
	KUNIT_EXPECT_NULL(test, synth_take(&len));
}

/* Bytes of a record that belong to no field are 0, whatever was there before. */
static void records_have_no_other_bytes(struct kunit *test)
{
	static const char * const lines[] = { "s:whole u64 a; s64 b", "s:gap u8 a; u64 b",
					      "s:tail u64 a; u8 b" };
	static const char * const names[] = { "whole", "gap", "tail" };
	const u64 vals[] = { U64_MAX, U64_MAX };
	unsigned int len, zeros;
	const u8 *record;

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		KUNIT_ASSERT_EQ(test, synth_run(lines[i]), 0);
		KUNIT_ASSERT_EQ(test, synth_switch(names[i], true), 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		trace_array_reset(trace_top_instance());
		/* A record that has no other bytes is where the next one will be. */
		synth_record_one("whole", vals);
		KUNIT_ASSERT_NOT_NULL(test, synth_take(&len));
		trace_array_reset(trace_top_instance());
		synth_record_one(names[i], vals);
		record = synth_take(&len);
		KUNIT_ASSERT_NOT_NULL(test, record);
		zeros = 0;
		for (unsigned int at = sizeof(struct trace_entry); at < len; at++)
			zeros += !record[at];
		KUNIT_EXPECT_EQ(test, zeros, i ? 7 : 0);
	}
}

/* A string that is longer than a record takes is cut. NULL counts as an empty string. */
static void long_values_are_cut(struct kunit *test)
{
	unsigned long *stack = kunit_kcalloc(test, 2 * TRACE_SYNTH_STACK_MAX, sizeof(long),
					     GFP_KERNEL);
	char *text = kunit_kzalloc(test, 2 * TRACE_SYNTH_TEXT_MAX, GFP_KERNEL);
	u64 vals[] = { (unsigned long)text, (unsigned long)stack };
	struct trace_event_call *call;
	const void *record;
	unsigned int len;

	memset(text, 'x', 2 * TRACE_SYNTH_TEXT_MAX - 1);
	memset(stack, 'x', 2 * TRACE_SYNTH_STACK_MAX * sizeof(long));
	KUNIT_ASSERT_EQ(test, synth_run("s:e char s[]; long[] t"), 0);
	KUNIT_ASSERT_EQ(test, synth_switch("e", true), 0);
	trace_array_reset(trace_top_instance());
	synth_record_one("e", vals);
	record = synth_take(&len);
	KUNIT_ASSERT_NOT_NULL(test, record);
	scoped_guard(trace_events) {
		const struct trace_event_field *f;

		call = trace_event_call_find("synthetic", "e");
		f = trace_event_field_find(call, "t", 1);
		KUNIT_EXPECT_EQ(test, trace_event_value_elements(f, record),
				TRACE_SYNTH_STACK_MAX);
		f = trace_event_field_find(call, "s", 1);
		trace_event_value_bytes(f, record, len, &len);
		KUNIT_EXPECT_EQ(test, len, TRACE_SYNTH_TEXT_MAX);
	}
	memset(vals, 0, sizeof(vals));
	synth_record_one("e", vals);
	record = synth_take(&len);
	KUNIT_ASSERT_NOT_NULL(test, record);
	synth_expect_string(test, call, record, "s", "");
}

/* Values that are too long for a record together are cut, the last ones to a word at least. */
static void long_records_are_cut(struct kunit *test)
{
	const char *line = "s:e char a[]; char b[]; char c[]; char d[]; char f[]; u64 g";
	char *text = kunit_kzalloc(test, TRACE_SYNTH_TEXT_MAX, GFP_KERNEL);
	struct trace_event_call *call;
	const void *record;
	unsigned int len;
	u64 vals[6];

	memset(text, 'x', TRACE_SYNTH_TEXT_MAX - 1);
	for (int i = 0; i < ARRAY_SIZE(vals); i++)
		vals[i] = (unsigned long)text;
	KUNIT_ASSERT_EQ(test, synth_run(line), 0);
	vals[5] = 77;
	KUNIT_ASSERT_EQ(test, synth_switch("e", true), 0);
	trace_array_reset(trace_top_instance());
	synth_record_one("e", vals);
	record = synth_take(&len);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_LE(test, len, TRACE_SYNTH_RECORD_MAX);
	guard(trace_events)();
	call = trace_event_call_find("synthetic", "e");
	trace_event_value_bytes(trace_event_field_find(call, "c", 1), record, len, &len);
	KUNIT_EXPECT_EQ(test, len, TRACE_SYNTH_TEXT_MAX);
	trace_event_value_bytes(trace_event_field_find(call, "f", 1), record, len, &len);
	KUNIT_EXPECT_EQ(test, len, sizeof(long));
	synth_expect_string(test, call, record, "f", "xxxxxxx");
	KUNIT_EXPECT_NULL(test, synth_take(&len));
}

/* An event that somebody uses stays, and so do all that would go with it. */
static void used_events_stay(struct kunit *test)
{
	struct trace_event_call *call;
	struct trace_array *tr;

	KUNIT_ASSERT_EQ(test, synth_run("s:one u64 a"), 0);
	KUNIT_ASSERT_EQ(test, synth_run("s:two u64 a"), 0);
	scoped_guard(trace_events) {
		call = trace_synth_event_call(trace_synth_event_find("two"));
		KUNIT_EXPECT_EQ(test, trace_event_call_keep(call), 0);
	}
	KUNIT_EXPECT_EQ(test, synth_run("-:two"), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, synth_count(), 2);
	scoped_guard(trace_events)
		trace_event_call_unkeep(call);

	tr = trace_array_get_by_name("kunit_synth", NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "synthetic", "one", true), 0);
	KUNIT_EXPECT_EQ(test, synth_run("-:one"), -EBUSY);
	/* An event that is free comes behind one that is in use. */
	KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, synth_count(), 2);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_EQ(test, synth_run("-:one"), 0);
	/* Without a name, all events of the system are meant. */
	KUNIT_EXPECT_EQ(test, synth_run("-:synthetic/"), 0);
	KUNIT_EXPECT_EQ(test, synth_count(), 0);
}

/* Records go with their event, before another event gets the number. */
static void records_go_with_the_event(struct kunit *test)
{
	const u64 vals[] = { 1 };
	unsigned int len;

	KUNIT_ASSERT_EQ(test, synth_run("s:old u64 a"), 0);
	KUNIT_ASSERT_EQ(test, synth_switch("old", true), 0);
	synth_record_one("old", vals);
	KUNIT_ASSERT_EQ(test, synth_switch("old", false), 0);
	KUNIT_ASSERT_EQ(test, synth_run("-:old"), 0);
	KUNIT_ASSERT_EQ(test, synth_run("s:new char a[]"), 0);
	KUNIT_EXPECT_NULL(test, synth_take(&len));
}

static struct synth_field_desc synth_desc[] = {
	{ .type = "pid_t",	.name = "pid" },
	{ .type = "char[16]",	.name = "comm" },
	{ .type = "u64",	.name = "ts" },
};

static void kernel_makes_events(struct kunit *test)
{
	char *buf = kunit_kzalloc(test, MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	struct dynevent_cmd cmd;

	KUNIT_EXPECT_EQ(test, synth_event_create("k", synth_desc, 3, NULL), 0);
	KUNIT_EXPECT_EQ(test, synth_event_create("k", synth_desc, 3, NULL), -EEXIST);
	KUNIT_EXPECT_EQ(test, synth_event_delete("k"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_delete("k"), -ENOENT);
	KUNIT_EXPECT_EQ(test, synth_event_create("k", synth_desc, 0, NULL), -EINVAL);

	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_start(&cmd, "k", NULL, "pid_t", "pid",
							"u64", "ts"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_field(&cmd, "int", "i"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_field_str(&cmd, "char text[]"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_fields(&cmd, synth_desc, 2), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_field(&cmd, "int", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_end(&cmd), 0);
	scoped_guard(trace_events)
		KUNIT_EXPECT_EQ(test, trace_synth_event_fields(trace_synth_event_find("k")), 6);

	synth_event_cmd_init(&cmd, buf, 16);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_array_start(&cmd, "k2", NULL, synth_desc, 3),
			-E2BIG);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_end(&cmd), -E2BIG);
	KUNIT_EXPECT_EQ(test, synth_count(), 1);
}

static void kernel_records_events(struct kunit *test)
{
	struct synth_event_trace_state state;
	struct trace_event_file *file;
	u64 vals[] = { 7, (unsigned long)"seven", 77 };
	unsigned int len;

	KUNIT_ASSERT_EQ(test, synth_event_create("k", synth_desc, 3, NULL), 0);
	file = trace_get_event_file(NULL, "synthetic", "k");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, synth_event_delete("k"), -EBUSY);
	trace_array_reset(trace_top_instance());
	KUNIT_EXPECT_EQ(test, synth_event_trace_array(file, vals, 3), 0);
	KUNIT_EXPECT_NULL(test, synth_take(&len));
	KUNIT_EXPECT_EQ(test, synth_switch("k", true), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace_array(file, vals, 3), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace_array(file, vals, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_trace(file, 3, (u64)8, (u64)(unsigned long)"eight",
						(u64)88), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace_start(file, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val(9, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val((unsigned long)"nine", &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_val("ts", 99, &state), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val(99, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val(1, &state), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_trace_end(&state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace_start(file, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_val("ts", 99, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_val("comm", (unsigned long)"ten", &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_val("none", 1, &state), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_trace_end(&state), 0);
	for (int i = 0; i < 4; i++)
		KUNIT_EXPECT_NOT_NULL(test, synth_take(&len));
	KUNIT_EXPECT_NULL(test, synth_take(&len));
	KUNIT_EXPECT_EQ(test, synth_switch("k", false), 0);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, synth_event_delete("k"), 0);
}

static struct kunit_case synth_cases[] = {
	KUNIT_CASE(lines_are_taken_or_refused),
	KUNIT_CASE(fields_have_a_limit),
	KUNIT_CASE(records_have_a_limit),
	KUNIT_CASE(names_are_taken_once),
	KUNIT_CASE(fields_have_their_places),
	KUNIT_CASE(records_have_their_values),
	KUNIT_CASE(records_have_no_other_bytes),
	KUNIT_CASE(long_values_are_cut),
	KUNIT_CASE(long_records_are_cut),
	KUNIT_CASE(used_events_stay),
	KUNIT_CASE(records_go_with_the_event),
	KUNIT_CASE(kernel_makes_events),
	KUNIT_CASE(kernel_records_events),
	{ }
};

static struct kunit_suite synth_suite = {
	.name		= "trace-synth",
	.init		= synth_test_init,
	.exit		= synth_test_exit,
	.test_cases	= synth_cases,
};

kunit_test_suite(synth_suite);
