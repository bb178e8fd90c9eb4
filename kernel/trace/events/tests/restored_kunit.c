// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests: records that another boot left in memory, and that do not fit the event
 * which has their number now.
 */
#include <kunit/test.h>

#include "events/tests/fake_event.h"

#define RESTORED_TEXT	8	/* bytes behind the fixed part */
#define RESTORED_SIZE	((int)offsetof(struct fake_record, data) + RESTORED_TEXT)

struct restored_ctx {
	struct fake_event	*fake;
	struct trace_array	tr;
	struct trace_iterator	iter;
	struct fake_record	*rec;
};

static int restored_init(struct kunit *test)
{
	struct restored_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	struct fake_record *rec;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	rec = kunit_kzalloc(test, sizeof(*rec) + 64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	test->priv = ctx;
	ctx->fake = fake_add(test, "kunit_restored", "fake");
	ctx->rec = rec;
	ctx->tr.memory = ctx;
	ctx->iter.tr = &ctx->tr;
	ctx->iter.ent = &rec->ent;
	ctx->iter.ent_size = RESTORED_SIZE;

	/* A record as the event writes it: two strings, "one" and "two". */
	strscpy(rec->name, "name", sizeof(rec->name));
	memcpy(rec->data, "one\0two", RESTORED_TEXT);
	rec->loc = 4 << 16 | offsetof(struct fake_record, data);
	rec->rel = 4 << 16 | (offsetof(struct fake_record, data) + 4 -
			      offsetof(struct fake_record, cpus));
	rec->cpus = offsetof(struct fake_record, data);
	rec->str = "text";
	return 0;
}

static bool restored_is_refused(struct kunit *test)
{
	struct restored_ctx *ctx = test->priv;

	trace_seq_init(&ctx->iter.seq);
	return trace_event_fields_ops.refuse(&ctx->iter, &ctx->fake->call.event);
}

static void restored_size(struct kunit *test)
{
	struct restored_ctx *ctx = test->priv;

	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	ctx->iter.ent_size = offsetof(struct fake_record, cpus);
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	KUNIT_EXPECT_STREQ(test, ctx->iter.seq.buffer,
			   "[fake of 64 bytes, which is no record of it]\n");

	/* This boot's own buffers have what the events wrote. */
	ctx->tr.memory = NULL;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
}

static void restored_locations(struct kunit *test)
{
	struct restored_ctx *ctx = test->priv;
	struct fake_record *rec = ctx->rec;

	/* Longer than the record, the word's own length and the place alike. */
	rec->loc += 5 << 16;
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	rec->loc -= 5 << 16;
	rec->rel += 1;
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	rec->rel -= 1;
	rec->cpus = 1 << 16 | RESTORED_SIZE;
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	rec->cpus = 8 << 16 | offsetof(struct fake_record, data);
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
}

#define OF_LEN	"__get_dynamic_array_len(loc)"

/* A string without an end is refused where the format prints it as a string. */
static void restored_strings(struct kunit *test)
{
	char *of_loc = "\"%s %d\", __get_str(loc), REC->num";
	char *of_rel = "\"%s\", __get_rel_str( rel )";
	char *of_others = "\"%s %s\", __get_str(location), my__get_str(loc)";
	char *of_bytes = "\"%s\", __print_hex(__get_dynamic_array(loc), " OF_LEN ")";
	struct restored_ctx *ctx = test->priv;
	struct fake_record *rec = ctx->rec;
	struct trace_event_call *call = &ctx->fake->call;

	call->print_fmt = of_loc;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	/* Bytes behind the end do not matter. */
	memcpy(rec->data, "o\0ex", 4);
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	memcpy(rec->data, "onex", 4);
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	call->print_fmt = of_rel;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	call->print_fmt = of_others;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	call->print_fmt = of_bytes;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	call->print_fmt = NULL;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));

	memcpy(rec->data, "one\0twox", 8);
	call->print_fmt = of_rel;
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	call->print_fmt = of_loc;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	/* An empty array has no NUL, so a string there is refused, and bytes are not. */
	rec->loc = offsetof(struct fake_record, data);
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	call->print_fmt = of_bytes;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
}

/* An event whose records have one length: another one is of another event. */
static void restored_longer(struct kunit *test)
{
	static struct trace_event_fields fields[] = { FAKE_FIELD_NUM, { } };
	struct restored_ctx *ctx = test->priv;

	ctx->fake = fake_add_fields(test, "kunit_restored", "short", fields);
	ctx->iter.ent_size = 12;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	ctx->iter.ent_size = 16;
	KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	ctx->iter.ent_size = 20;
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
	ctx->iter.ent_size = 8;
	KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
}

/*
 * A format is not used if it takes a length from a field, or reads so many bytes of a field as it
 * likes: the fields are printed.
 */
static void restored_lengths(struct kunit *test)
{
	static char * const by_field[] = {
		"\"%s\", __print_hex(__get_dynamic_array(loc), REC->num)",
		"\"%s\", __print_array(REC->name, (REC->num) + 1, 1)",
		"\"%s\", __print_hex_dump(\"\", 0, 16, 1, __get_dynamic_array(loc), REC->num, 0)",
		"\"%.*s\", REC->num, REC->name",
		"\"%*pE\", REC->num, REC->name",
		"\"%pISpc\", __get_sockaddr(loc)",
		"\"%pI6c\", __get_rel_sockaddr(rel)",
		"\"%pM\", __get_dynamic_array(loc)",
		"\"%pU %d\", (u8 *)__get_rel_dynamic_array(rel), REC->num",
		"\"%u\", *(u32 *)__get_dynamic_array(loc)",
		"\"%s\", __print_hex(__get_dynamic_array(loc), 4)",
		"\"%s\", __print_array(__get_rel_dynamic_array(rel), 2, 2)",
		"\"%s\", __print_hex_dump(\"\", 0, 16, 1, __get_dynamic_array(loc), 16, 0)",
	};
	static char * const by_itself[] = {
		"\"%s\", __print_hex(__get_dynamic_array(loc), __get_dynamic_array_len(loc))",
		"\"%s %d\", __print_array(REC->name, 4, 1), REC->num",
		"\"%d\", my__print_hex(REC->num, REC->num)",
		"\"%s\", __print_hex_dump(\"\", 0, 16, 1, __get_dynamic_array(loc), " OF_LEN ", 0)",
		"\"%pM %pI6c\", REC->name, REC->name",
		"\"%s %s\", __get_str(loc), __get_bitmask(loc)",
	};
	struct restored_ctx *ctx = test->priv;
	struct trace_event_call *call = &ctx->fake->call;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(by_field); i++) {
		call->print_fmt = by_field[i];
		KUNIT_EXPECT_TRUE(test, restored_is_refused(test));
		KUNIT_EXPECT_NOT_NULL(test, strstr(ctx->iter.seq.buffer, "fake: "));
		KUNIT_EXPECT_NOT_NULL(test, strstr(ctx->iter.seq.buffer, " name=name"));
	}
	for (i = 0; i < ARRAY_SIZE(by_itself); i++) {
		call->print_fmt = by_itself[i];
		KUNIT_EXPECT_FALSE(test, restored_is_refused(test));
	}
}

static struct kunit_case restored_cases[] = {
	KUNIT_CASE(restored_size),
	KUNIT_CASE(restored_locations),
	KUNIT_CASE(restored_strings),
	KUNIT_CASE(restored_longer),
	KUNIT_CASE(restored_lengths),
	{}
};

static struct kunit_suite restored_suite = {
	.name		= "trace_events_restored",
	.init		= restored_init,
	.test_cases	= restored_cases,
};

kunit_test_suite(restored_suite);

MODULE_DESCRIPTION("KUnit tests of event records of another boot");
MODULE_LICENSE("GPL");
