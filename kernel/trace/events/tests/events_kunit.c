// SPDX-License-Identifier: GPL-2.0
/*
 * Events without filters: numbers, fields and format text, switching by name,
 * numbers for names in print formats, recording into an instance, pids.
 */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/trace.h>

#include "events/filter/apply.h"
#include "events/tests/fake_event.h"
#include "events/tests/pretend.h"
#include "instance/buffers.h"
#include "instance/snapshot.h"
#include "lib/one_cpu.h"
#include "lib/wait.h"

static void format_text(struct kunit *test)
{
	static const char tail[] =
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		"\tfield:char name[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:u8 a;\toffset:24;\tsize:1;\tsigned:0;\n"
		"\tfield:u8 b;\toffset:25;\tsize:1;\tsigned:0;\n"
		"\tfield:u8 c;\toffset:26;\tsize:1;\tsigned:0;\n"
		"\tfield:u8 d;\toffset:27;\tsize:1;\tsigned:0;\n"
		"\tfield:s32 num;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 wide;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long ip;\toffset:40;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * str;\toffset:48;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] loc;\toffset:56;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc char rel[];\toffset:60;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc cpumask_t cpus;\toffset:64;\tsize:4;\tsigned:0;\n"
		"\n"
		"print fmt: \"%s\", REC->name\n";
	struct fake_event *fake = fake_add(test, "kunit_format", "shown");
	struct seq_file m = { .size = 4096 };
	char *want;

	if (!IS_ENABLED(CONFIG_64BIT))
		kunit_skip(test, "the text is that of 64-bit machines");
	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	want = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	KUNIT_ASSERT_NOT_NULL(test, want);
	snprintf(want, m.size, "name: shown\nID: %d\n%s", fake->call.event.type, tail);

	scoped_guard(trace_events)
		trace_event_format_show(&m, &fake->call);
	KUNIT_EXPECT_STREQ(test, m.buf, want);
	KUNIT_EXPECT_EQ(test, trace_event_get_offsets(&fake->call), 68);
}

static void event_numbers(struct kunit *test)
{
	struct fake_event *one = fake_add(test, "kunit_numbers", "one");
	struct fake_event *two = fake_add(test, "kunit_numbers", "two");
	struct fake_event *three;
	int type;

	KUNIT_EXPECT_GE(test, one->call.event.type, (int)TRACE_FIRST_EVENT);
	KUNIT_EXPECT_LE(test, one->call.event.type, TRACE_EVENT_TYPE_MAX);
	KUNIT_EXPECT_NE(test, one->call.event.type, two->call.event.type);
	KUNIT_EXPECT_PTR_EQ(test, trace_event_by_type(one->call.event.type), &one->call.event);

	/* A number that becomes free is not given to the next event. */
	type = one->call.event.type;
	kunit_release_action(test, fake_remove, one);
	KUNIT_EXPECT_NULL(test, trace_event_by_type(type));
	three = fake_add(test, "kunit_numbers", "three");
	KUNIT_EXPECT_NE(test, three->call.event.type, type);
}

/* The first events of an instance that are of the system, "NAME NAME ". */
static void expect_order(struct kunit *test, struct trace_array *tr, const char *system,
			 const char *want)
{
	struct trace_event_file *file;
	char text[32] = "";

	guard(trace_events)();
	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		if (strcmp(file->event_call->class->system, system))
			continue;
		strlcat(text, trace_event_name(file->event_call), sizeof(text));
		strlcat(text, " ", sizeof(text));
	}
	KUNIT_EXPECT_STREQ(test, text, want);
}

/*
 * set_event and available_events list an event that comes late before all others, but an
 * instance that comes later has it behind them.
 */
static void late_events_are_first(struct kunit *test)
{
	struct trace_array *tr = fake_instance(test), *later;
	struct trace_event_file *file;

	fake_add(test, "kunit_order", "one");
	fake_add(test, "kunit_order", "two");
	expect_order(test, tr, "kunit_order", "two one ");
	scoped_guard(trace_events) {
		file = list_first_entry(&trace_events_of(tr)->files, typeof(*file), list);
		KUNIT_EXPECT_STREQ(test, trace_event_name(file->event_call), "two");
	}
	later = trace_array_get_by_name("kunit_order", NULL);
	KUNIT_ASSERT_NOT_NULL(test, later);
	expect_order(test, later, "kunit_order", "one two ");
	trace_array_put(later);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(later), 0);
}

struct parse_case {
	const char	*text;
	int		ret;
	const char	*on;	/* which of a:xx, a:yy, b:xx */
};

static void switching_by_name(struct kunit *test)
{
	static const struct parse_case cases[] = {
		{ "kunit_a:kunit_xx",	0,		"100" },
		{ "kunit_a:*",		0,		"110" },
		{ "kunit_a:",		0,		"110" },
		{ "kunit_a",		0,		"110" },
		{ "kunit_xx",		0,		"101" },
		{ "*:kunit_xx",		0,		"101" },
		{ ":kunit_xx",		0,		"101" },
		{ "kunit_?:kunit_yy",	0,		"010" },
		{ "*unit_b:*",		0,		"001" },
		{ "kunit_[ab]:kunit_x*", 0,		"101" },
		{ "kunit_a:kunit_x",	-EINVAL,	"000" },
		{ "kunit_a:kunit_xx:z",	-EINVAL,	"000" },
		{ "kunit_c:*",		-EINVAL,	"000" },
		{ "kunit_a:!kunit_xx",	-EINVAL,	"000" },
		{ "!kunit_a",		-EINVAL,	"000" },
		{ "",			-EINVAL,	"000" },
	};
	struct trace_array *tr = trace_top_instance();
	struct fake_event *fakes[3];
	char text[64], on[4] = "";

	fakes[0] = fake_add(test, "kunit_a", "kunit_xx");
	fakes[1] = fake_add(test, "kunit_a", "kunit_yy");
	fakes[2] = fake_add(test, "kunit_b", "kunit_xx");

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct parse_case *c = &cases[i];

		strscpy(text, c->text);
		KUNIT_EXPECT_EQ_MSG(test, ftrace_set_clr_event(tr, text, true), c->ret,
				    "%s", c->text);
		for (int j = 0; j < 3; j++)
			on[j] = '0' + fakes[j]->on;
		KUNIT_EXPECT_STREQ_MSG(test, on, c->on, "%s", c->text);
		trace_set_clr_event("kunit_a", NULL, false);
		trace_set_clr_event("kunit_b", NULL, false);
	}
}

static char enabled_char(const char *system)
{
	guard(trace_events)();
	return trace_event_enabled_char(trace_top_instance(), system);
}

static void enable_states(struct kunit *test)
{
	struct fake_event *one = fake_add(test, "kunit_state", "one");
	struct fake_event *two = fake_add(test, "kunit_state", "two");

	KUNIT_EXPECT_EQ(test, enabled_char("kunit_state"), '0');
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_state", "one", true), 0);
	KUNIT_EXPECT_EQ(test, enabled_char("kunit_state"), 'X');
	/* On twice is on once. */
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_state", "one", true), 0);
	KUNIT_EXPECT_EQ(test, one->on, 1U);
	/* An event whose reg() fails stays off; the others are switched on. */
	one->error = 0;
	two->error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_state", NULL, true), -ENOSPC);
	KUNIT_EXPECT_EQ(test, enabled_char("kunit_state"), 'X');
	two->error = 0;
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_state", NULL, true), 0);
	KUNIT_EXPECT_EQ(test, enabled_char("kunit_state"), '1');
	KUNIT_EXPECT_EQ(test, enabled_char("kunit_nothing"), '?');

	KUNIT_EXPECT_EQ(test, trace_remove_event_call(&one->call), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_state", NULL, false), 0);
	KUNIT_EXPECT_EQ(test, one->on + two->on, 0U);
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_state", "three", true), -EINVAL);
}

static char enabled_in(struct trace_array *tr, const char *system)
{
	guard(trace_events)();
	return trace_event_enabled_char(tr, system);
}

/* All events are all but those of the tracer itself, which have to be named. */
static void all_but_the_tracers_own(struct kunit *test)
{
	static const char * const all[] = { "*:*", "*", "*:", ":*", ":", "**:*" };
	static const char * const named[] = { "tracer:*", "tracer", "lost", "*:lost", "trac*:*" };
	struct trace_array *tr = fake_instance(test);
	char text[16];

	fake_add(test, "kunit_all", "one");
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, NULL, NULL, true), 0);
	KUNIT_EXPECT_EQ(test, enabled_in(tr, "kunit_all"), '1');
	KUNIT_EXPECT_EQ(test, enabled_in(tr, "tracer"), '0');
	KUNIT_EXPECT_EQ(test, enabled_in(tr, NULL), '1');
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		strscpy(text, all[i]);
		KUNIT_EXPECT_EQ_MSG(test, ftrace_set_clr_event(tr, text, true), 0, "%s", all[i]);
		KUNIT_EXPECT_EQ_MSG(test, enabled_in(tr, "tracer"), '0', "%s", all[i]);
	}
	/* Off is off for all of them. */
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "tracer", NULL, true), 0);
	KUNIT_EXPECT_EQ(test, enabled_in(tr, "tracer"), '1');
	KUNIT_EXPECT_EQ(test, enabled_in(tr, NULL), '1');
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, NULL, NULL, false), 0);
	KUNIT_EXPECT_EQ(test, enabled_in(tr, "tracer"), '0');
	KUNIT_EXPECT_EQ(test, enabled_in(tr, NULL), '0');
	for (unsigned int i = 0; i < ARRAY_SIZE(named); i++) {
		strscpy(text, named[i]);
		KUNIT_EXPECT_EQ(test, ftrace_set_clr_event(tr, text, true), 0);
		KUNIT_EXPECT_NE_MSG(test, enabled_in(tr, "tracer"), '0', "%s", named[i]);
		KUNIT_EXPECT_EQ_MSG(test, enabled_in(tr, NULL), 'X', "%s", named[i]);
		KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "tracer", NULL, false), 0);
	}
}

static void eval_maps(struct kunit *test)
{
	static struct trace_eval_map one = { "kunit_eval", "ONE", 1 };
	static struct trace_eval_map minus = { "kunit_eval", "MINUS", -7 };
	static struct trace_eval_map size = { "kunit_eval", "sizeof(struct foo)", 24 };
	static struct trace_eval_map wide = { "kunit_eval", "W", 1234567 };
	static struct trace_eval_map other = { "kunit_other", "OTHER", 5 };
	static struct trace_eval_map *maps[] = { &other, &one, &minus, &other, &size, &wide };
	static const char * const cases[][2] = {
		{ "\"%d\", ONE", "\"%d\", 1" },
		{ "\"ONE %d\", REC->ONE", "\"ONE %d\", REC->ONE" },
		{ "\"%d\", ONE + ONE_MORE + NONE", "\"%d\", 1 + ONE_MORE + NONE" },
		{ "\"%s\", f(x, { ONE, \"ONE\" }, { MINUS, \"a\\\"ONE\" })",
		  "\"%s\", f(x, { 1, \"ONE\" }, { -7, \"a\\\"ONE\" })" },
		{ "\"%d\", sizeof(struct foo) + sizeof(struct bar)",
		  "\"%d\", 24 + sizeof(struct bar)" },
		{ "\"%d\", W", "\"%d\", 1234567" },
		{ "\"%d\", OTHER", "\"%d\", OTHER" },
		{ "\"%d\", 0xONE", "\"%d\", 0xONE" },
		{ "\"%d\", REC -> ONE . ONE", "\"%d\", REC -> ONE . ONE" },
		{ "\"unterminated ONE", "\"unterminated ONE" },
	};
	struct trace_event_class class = { .system = "kunit_eval" };

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_event_evals evals = { .maps = maps, .nr = ARRAY_SIZE(maps) };
		struct trace_event_call call = { .class = &class };

		call.print_fmt = kunit_kstrdup(test, cases[i][0], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, call.print_fmt);
		guard(trace_events)();
		trace_event_evals_apply(&call, &evals);
		KUNIT_EXPECT_STREQ(test, call.print_fmt, cases[i][1]);
		/* A second time changes nothing: classes share formats. */
		trace_event_evals_apply(&call, &evals);
		KUNIT_EXPECT_STREQ(test, call.print_fmt, cases[i][1]);
		trace_event_evals_forget(&call);
	}
}

#ifdef CONFIG_TRACE_EVAL_MAP_FILE
/* Lines of eval_map, of which there are *nr, that begin with @text. */
static unsigned int eval_map_lines(struct kunit *test, const char *text, unsigned int *nr)
{
	const struct seq_operations *ops = &trace_event_eval_map_ops;
	char *buf = kunit_kzalloc(test, 256, GFP_KERNEL);
	unsigned int hits = 0;
	loff_t pos = 0;
	void *v;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	*nr = 0;
	for (v = ops->start(NULL, &pos); v; v = ops->next(NULL, v, &pos)) {
		struct seq_file m = { .buf = buf, .size = 256 };

		ops->show(&m, v);
		buf[m.count] = '\0';
		hits += str_has_prefix(buf, text) ? 1 : 0;
		++*nr;
	}
	ops->stop(NULL, v);
	return hits;
}

static void eval_map_lists_what_is_kept(struct kunit *test)
{
	static struct trace_eval_map one = { "kunit_eval", "KUNIT_ONE", 1 };
	static struct trace_eval_map minus = { "kunit_eval", "KUNIT_MINUS", -7 };
	static struct trace_eval_map *maps[] = { &one, &minus };
	struct trace_event_evals evals = { .maps = maps, .nr = ARRAY_SIZE(maps) };
	/* An address that stands for a module, which is never dereferenced. */
	struct module *mod = (void *)maps;
	unsigned int before, nr;

	KUNIT_EXPECT_EQ(test, eval_map_lines(test, "KUNIT_", &before), 0U);
	scoped_guard(trace_events)
		trace_event_evals_keep(mod, &evals);
	KUNIT_EXPECT_EQ(test, eval_map_lines(test, "KUNIT_ONE 1 (kunit_eval)\n", &nr), 1U);
	KUNIT_EXPECT_EQ(test, eval_map_lines(test, "KUNIT_MINUS -7 (kunit_eval)\n", &nr), 1U);
	KUNIT_EXPECT_EQ(test, nr, before + 2);
	scoped_guard(trace_events)
		trace_event_evals_drop(mod);
	KUNIT_EXPECT_EQ(test, eval_map_lines(test, "KUNIT_", &nr), 0U);
	KUNIT_EXPECT_EQ(test, nr, before);
}
#endif

static void pointers_found(struct kunit *test)
{
	static const struct {
		char	*fmt;
		bool	found;
	} cases[] = {
		{ "\"%d, %s\", REC->num, REC->str", true },
		{ "\"%s, %d\", REC->num, REC->str", false },
		{ "\"%p\", REC->str", false },
		{ "\"%%s %*pbl %s\", 3, f(REC->str, 1), REC->str", true },
		{ "\"%s\", f(REC->str)", false },
		{ "\"%.*s %s\", 1, \"a,b\", REC->str ", true },
		{ "\"%s\", REC->st", false },
		{ "\"%s\"", false },
		{ "\"%c %s\", ',', REC->str", true },
		{ "\"%c %s\", REC->str, ','", false },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fake_event *fake = fake_add(test, "kunit_pointers", "one");

		fake->call.print_fmt = cases[i].fmt;
		scoped_guard(trace_events)
			trace_event_find_pointers(&fake->call);
		KUNIT_EXPECT_EQ_MSG(test, !!(fake->call.flags & TRACE_EVENT_FL_TEST_STR),
				    cases[i].found, "%s", cases[i].fmt);
		kunit_release_action(test, fake_remove, fake);
	}
}

/* Which argument of a print format is a pointer out of the record that is followed? */
static void unsafe_arguments(struct kunit *test)
{
	static const struct {
		char		*fmt;
		unsigned int	nr;
	} cases[] = {
		{ "\"%pM\", REC->str", 1 },
		{ "\"%pM\", (REC->ip)", 1 },
		{ "\"%d %pM\", REC->num, (u8 *)REC->wide", 2 },
		{ "\"%*pbl\", 8, REC->str", 2 },
		{ "\"%.8s %*ph %pI4c %pM\", REC->name, 3, REC->name, REC->str, REC->ip", 4 },
		{ "\"%-6pd\", &REC->str->member", 1 },
		{ "\"%pUb\", uuid_of(REC->str)", 1 },
		{ "\"%pM\", REC->ptrs[REC->num]", 1 },
		{ "\"%pM\", REC->num ? REC->str : REC->name", 1 },
		{ "\"%pM\", REC->num ? REC->name : REC->str", 1 },
		{ "\"%pM\", REC->num && 1 ? (REC->str) : &REC->wide", 1 },
		/* These lead into the record, or come from elsewhere. */
		{ "\"%pM\", REC->name", 0 },
		{ "\"%*ph\", (int)sizeof(REC->str), REC->name + 2", 0 },
		{ "\"%pad %pM\", &REC->wide, (void *)&(REC->str)", 0 },
		{ "\"%*ph\", 16, REC->ptrs", 0 },
		{ "\"%*pbl\", 8, __get_dynamic_array(cpus)", 0 },
		{ "\"%pM\", REC->num ? REC->name : (u8 *)&REC->wide", 0 },
		{ "\"%pM %pM\", table[REC->num], &table[REC->num]", 0 },
		{ "\"%pM %s\", \"REC->str\", REC->str", 0 },
		/* These print the pointer itself. */
		{ "\"%p %px %pK %pS\", REC->ip, REC->ip, REC->ip, REC->ip", 0 },
		{ "\"%ps %pB\", REC->ip, REC->ip", 0 },
		{ "\"%pe %%pM %llx\", REC->str, REC->wide", 0 },
		{ "\"%pM\"", 0 }, { "\"%p\", REC->str", 0 }, { "REC->str", 0 },
	};
	struct fake_event *fake = fake_add(test, "kunit_pointers", "one");

	KUNIT_ASSERT_EQ(test, trace_define_field(&fake->call, "void *[4]", "ptrs", 0, 32, 0,
						 FILTER_OTHER), 0);
	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		fake->call.print_fmt = cases[i].fmt;
		guard(trace_events)();
		KUNIT_EXPECT_EQ_MSG(test, trace_event_find_pointers(&fake->call), cases[i].nr,
				    "%s", cases[i].fmt);
	}
}

/* A record whose string may be gone has a line that names the event, as any other has. */
static void pointer_refused(struct kunit *test)
{
	struct fake_event *fake = fake_add(test, "kunit_pointers", "one");
	struct trace_iterator *iter = kunit_kzalloc(test, sizeof(*iter), GFP_KERNEL);
	struct fake_record *rec = kunit_kzalloc(test, sizeof(*rec), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	fake->call.print_fmt = "\"%s\", REC->str";
	scoped_guard(trace_events)
		trace_event_find_pointers(&fake->call);
	iter->tr = trace_top_instance();
	iter->ent = &rec->ent;
	iter->ent_size = sizeof(*rec);
	trace_seq_init(&iter->seq);
	rec->str = "constant";
	KUNIT_EXPECT_FALSE(test, trace_event_fields_ops.refuse(iter, &fake->call.event));
	KUNIT_EXPECT_EQ(test, trace_seq_used(&iter->seq), 0);
	rec->str = (char *)iter;
	KUNIT_EXPECT_TRUE(test, trace_event_fields_ops.refuse(iter, &fake->call.event));
	trace_seq_putc(&iter->seq, '\0');
	KUNIT_EXPECT_STREQ(test, iter->seq.buffer,
			   "one: EVENT one: HAS UNSAFE POINTER FIELD 'str'\n");
}

static void event_recording(struct kunit *test)
{
	struct fake_event *fake = fake_add(test, "kunit_record", "one");
	struct trace_array *tr = fake_instance(test);
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event = NULL;
	struct trace_event_file *file;
	struct fake_record *rec;
	u64 ts;
	int cpu;

	file = trace_get_event_file(NULL, "kunit_record", "one");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(trace_get_event_file(NULL, "none", "one")));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			PTR_ERR(trace_get_event_file("kunit_none", "kunit_record", "one")));
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "kunit_record", "one", true), 0);
	KUNIT_EXPECT_PTR_EQ(test, fake->file, file);

	KUNIT_EXPECT_TRUE(test, fake_record(file, -3));
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 1UL);
	for_each_possible_cpu(cpu)
		event = event ?: ring_buffer_consume(buffer, cpu, &ts, NULL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	rec = ring_buffer_event_data(event);
	KUNIT_EXPECT_EQ(test, rec->ent.type, fake->call.event.type);
	KUNIT_EXPECT_EQ(test, rec->ent.pid, current->pid);
	KUNIT_EXPECT_EQ(test, rec->num, -3);

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "kunit_record", "one", false), 0);
	trace_put_event_file(file);
}

/* An event that cannot be registered leaves no field in its class. */
static int raw_init_fails(struct trace_event_call *call)
{
	return -ENODEV;
}

static void failing_init_leaves_nothing(struct kunit *test)
{
	struct fake_event *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	INIT_LIST_HEAD(&fake->class.fields);
	fake->class.system = "kunit_init";
	fake->class.fields_array = fake_fields;
	fake->class.raw_init = raw_init_fails;
	fake->call.class = &fake->class;
	fake->call.name = "one";
	KUNIT_EXPECT_EQ(test, trace_add_event_call(&fake->call), -ENODEV);
	KUNIT_EXPECT_TRUE(test, list_empty(&fake->class.fields));
}

/* Events of one class share its fields, until the last one goes. */
static void fields_of_a_class(struct kunit *test)
{
	struct fake_event *one = fake_add(test, "kunit_class", "one");
	struct trace_event_call two = {
		.class = &one->class, .name = "two", .event.funcs = one->call.event.funcs,
	};

	KUNIT_ASSERT_EQ(test, trace_add_event_call(&two), 0);
	KUNIT_EXPECT_EQ(test, trace_remove_event_call(&two), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&one->class.fields));
	kunit_release_action(test, fake_remove, one);
	KUNIT_EXPECT_TRUE(test, list_empty(&one->class.fields));
}

static unsigned long entries_of(struct trace_array *tr)
{
	struct trace_buffer **buffer;
	unsigned long nr = 0;

	for_each_trace_buffer(tr, buffer)
		nr += ring_buffer_entries(*buffer);
	return nr;
}

static bool event_is(struct trace_event_call *call, void *data)
{
	return call == data;
}

/* Remove an event that is on, as the unloading of its module does. */
static void remove_while_on(struct kunit *test, struct fake_event *fake)
{
	trace_event_calls_remove(event_is, &fake->call);
	kunit_remove_action(test, fake_remove, fake);
}

/*
 * The probe of an event has recorded before its registration failed, as that of the first of some
 * places does. The event was never on, and its record goes with it all the same.
 */
static void records_of_a_failed_switch_go(struct kunit *test)
{
	struct fake_event *fake = fake_add(test, "kunit_going", "one");
	struct trace_array *tr = fake_instance(test);

	fake->error = -ENOSPC;
	fake->early = true;
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "kunit_going", "one", true), -ENOSPC);
	fake->error = 0;
	KUNIT_EXPECT_EQ(test, entries_of(tr), 1UL);
	KUNIT_EXPECT_EQ(test, trace_remove_event_call(&fake->call), 0);
	kunit_remove_action(test, fake_remove, fake);
	KUNIT_EXPECT_EQ(test, entries_of(tr), 0UL);
}

/*
 * When an event goes, the instances that had it on lose all their records, those
 * of the snapshot too. Other instances keep theirs.
 */
static void records_go_with_their_event(struct kunit *test)
{
	struct fake_event *fake = fake_add(test, "kunit_going", "one");
	struct fake_event *late = fake_add(test, "kunit_going", "two");
	struct fake_event *stays = fake_add(test, "kunit_staying", "one");
	struct trace_array *tr = fake_instance(test), *other;

	other = trace_array_get_by_name("kunit_going", NULL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(other, "kunit_staying", "one", true), 0);
	KUNIT_EXPECT_TRUE(test, fake_record(stays->file, 1));

	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_going", "one", true), 0);
	KUNIT_EXPECT_TRUE(test, fake_record(fake->file, 1));
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_ASSERT_EQ(test, tracing_alloc_snapshot(), 0);
	tracing_snapshot();
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->snapshot.buffer), 1UL);
#endif
	KUNIT_EXPECT_TRUE(test, fake_record(fake->file, 2));
	/* It was on, and is off when it goes. */
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "kunit_going", "one", false), 0);
	KUNIT_EXPECT_NE(test, entries_of(tr), 0UL);
	KUNIT_EXPECT_EQ(test, trace_remove_event_call(&fake->call), 0);
	kunit_remove_action(test, fake_remove, fake);
	KUNIT_EXPECT_EQ(test, entries_of(tr), 0UL);
	KUNIT_EXPECT_EQ(test, entries_of(other), 1UL);

	/* Records that its probe writes until it is gone are thrown away as well. */
	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_going", "two", true), 0);
	late->late = true;
	remove_while_on(test, late);
	KUNIT_EXPECT_EQ(test, late->on, 0U);
	KUNIT_EXPECT_EQ(test, entries_of(tr), 0UL);
	KUNIT_EXPECT_EQ(test, entries_of(other), 1UL);

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(other, "kunit_staying", "one", false), 0);
	trace_array_put(other);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(other), 0);
}

static int set_filter(struct trace_event_file *file, const char *text)
{
	char copy[32];

	strscpy(copy, text);
	guard(trace_events)();
	return trace_event_filter_set(file, copy);
}

static void event_filtering(struct kunit *test)
{
	struct fake_event *fake = fake_add(test, "kunit_filtering", "one");
	struct trace_array *tr = fake_instance(test);
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	u64 ts;

	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_filtering", "one", true), 0);
	KUNIT_ASSERT_EQ(test, set_filter(fake->file, "num > 5 && num != 8"), 0);
	for (int i = 0; i < 10; i++)
		fake_record(fake->file, i);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 3UL);
	/* An error leaves the filter as it is. */
	KUNIT_EXPECT_EQ(test, set_filter(fake->file, "num >"), -EINVAL);
	fake_record(fake->file, 1);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 3UL);
	KUNIT_EXPECT_EQ(test, set_filter(fake->file, "0"), 0);
	fake_record(fake->file, 1);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 4UL);

	for (int i = 0; i < 4; i++) {
		static const int nums[] = { 6, 7, 9, 1 };
		struct fake_record *rec;

		event = NULL;
		for (int cpu = 0; cpu < nr_cpu_ids && !event; cpu++)
			event = ring_buffer_consume(buffer, cpu, &ts, NULL);
		KUNIT_ASSERT_NOT_NULL(test, event);
		rec = ring_buffer_event_data(event);
		KUNIT_EXPECT_EQ(test, rec->ent.type, fake->call.event.type);
		KUNIT_EXPECT_EQ(test, rec->num, nums[i]);
	}
	trace_array_set_clr_event(tr, "kunit_filtering", "one", false);
}

static int set_system_filter(struct trace_event_file *file, const char *text)
{
	char copy[32];

	strscpy(copy, text);
	guard(trace_events)();
	return trace_event_system_filter_set(file->system, copy);
}

static void expect_shown(struct kunit *test, struct trace_event_file *file, const char *want)
{
	guard(trace_events)();
	char *shown __free(kfree) = trace_event_filter_shown(file);

	KUNIT_EXPECT_STREQ(test, shown, want);
}

static void expect_system_shown(struct kunit *test, struct trace_event_file *file,
				const char *want)
{
	guard(trace_events)();
	char *shown __free(kfree) = trace_event_system_filter_shown(file->system);

	KUNIT_ASSERT_NOT_NULL(test, shown);
	KUNIT_EXPECT_TRUE_MSG(test, strstarts(shown, want), "%s", shown);
}

/* A text that was refused is shown with its error, until a filter is set, also by the system. */
static void refused_filters_are_shown(struct kunit *test)
{
	static const char wrong[] =
		"num >\n     ^\nparse_error: Invalid value (did you forget quotes)?\n";
	struct fake_event *fake = fake_add(test, "kunit_refused", "one");
	struct trace_array *tr = fake_instance(test);
	struct trace_event_file *file;
	char text[128];

	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_refused", "one", true), 0);
	file = fake->file;
	KUNIT_EXPECT_EQ(test, set_filter(file, "num >"), -EINVAL);
	expect_shown(test, file, wrong);
	KUNIT_EXPECT_EQ(test, set_filter(file, "nosuch == 1"), -EINVAL);
	expect_shown(test, file, "nosuch == 1\n      ^\nparse_error: Field not found\n");
	KUNIT_EXPECT_EQ(test, set_filter(file, "num > 5"), 0);
	expect_shown(test, file, "num > 5");
	KUNIT_EXPECT_EQ(test, set_filter(file, "num >"), -EINVAL);
	snprintf(text, sizeof(text), "%s### in force ###\nnum > 5", wrong);
	expect_shown(test, file, text);
	KUNIT_EXPECT_EQ(test, set_filter(file, "0"), 0);
	expect_shown(test, file, "none");
	KUNIT_EXPECT_EQ(test, set_filter(file, "num >"), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_system_filter(file, "num == 1"), 0);
	expect_shown(test, file, "num == 1");

	expect_system_shown(test, file, "### global filter ###\n");
	KUNIT_EXPECT_EQ(test, set_system_filter(file, "nosuch == 1"), -EINVAL);
	expect_system_shown(test, file, "nosuch == 1\n^\nparse_error: Couldn't find or set field");
	expect_shown(test, file, "num == 1");
	KUNIT_EXPECT_EQ(test, set_system_filter(file, "0"), 0);
	expect_system_shown(test, file, "### global filter ###\n");
	trace_array_set_clr_event(tr, "kunit_refused", "one", false);
}

/* Of an event that went, and of its system, nothing is kept for those that come. */
static void refused_filters_go(struct kunit *test)
{
	struct pretended *p = pretend_added(test, "kunit_refused", "goes");
	struct trace_event_file *file = pretended_file(trace_top_instance(), p);
	const void *system = file->system;

	KUNIT_EXPECT_EQ(test, set_filter(file, "num >"), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_system_filter(file, "nosuch == 1"), -EINVAL);
	scoped_guard(trace_events) {
		KUNIT_EXPECT_NOT_NULL(test, trace_filter_refused_text(file));
		KUNIT_EXPECT_NOT_NULL(test, trace_filter_refused_text(system));
	}
	KUNIT_EXPECT_EQ(test, pretend_remove(p), 0);
	guard(trace_events)();
	KUNIT_EXPECT_NULL(test, trace_filter_refused_text(file));
	KUNIT_EXPECT_NULL(test, trace_filter_refused_text(system));
}

static void expect_filter(struct kunit *test, struct trace_event_file *file, const char *want)
{
	guard(trace_events)();
	KUNIT_EXPECT_STREQ(test, trace_event_filter_text(file) ?: "none", want);
}

/*
 * A system's filter is set on the events that have the fields. The others lose
 * theirs, and say why; a text that fits no event changes nothing.
 */
static void system_filters(struct kunit *test)
{
	static const char why[] = "Couldn't find or set field in one of a subsystem's events";
	static struct trace_event_fields few[] = { FAKE_FIELD_NUM, { } };
	struct fake_event *full = fake_add(test, "kunit_sys", "full");
	struct fake_event *part = fake_add_fields(test, "kunit_sys", "part", few);
	struct trace_array *tr = fake_instance(test);
	char text[128];

	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_sys", NULL, true), 0);
	KUNIT_EXPECT_EQ(test, set_system_filter(full->file, " num == 1 "), 0);
	expect_filter(test, full->file, " num == 1");
	expect_filter(test, part->file, " num == 1");
	KUNIT_EXPECT_EQ(test, set_system_filter(full->file, "nosuch == 1"), -EINVAL);
	expect_filter(test, full->file, " num == 1");

	KUNIT_EXPECT_EQ(test, set_system_filter(full->file, "wide == 1"), 0);
	expect_filter(test, full->file, "wide == 1");
	snprintf(text, sizeof(text), "wide == 1\n^\nparse_error: %s\n", why);
	expect_filter(test, part->file, text);
	fake_record(full->file, 2);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 0UL);
	fake_record(part->file, 2);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1UL);

	KUNIT_EXPECT_EQ(test, set_system_filter(full->file, "0"), 0);
	expect_filter(test, full->file, "none");
	expect_filter(test, part->file, "none");
	trace_array_set_clr_event(tr, "kunit_sys", NULL, false);
}

static struct trace_pid_list *pid_list(struct kunit *test, unsigned int pid)
{
	struct trace_pid_list *list = trace_pid_list_alloc();

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_EQ(test, trace_pid_list_set(list, pid), 0);
	return list;
}

static void set_pids(struct kunit *test, struct trace_array *tr, bool never,
		     struct trace_pid_list *list)
{
	struct trace_pid_filter *filter = &trace_events_of(tr)->pids;

	guard(mutex)(&filter->lock);
	KUNIT_EXPECT_EQ(test, trace_pid_filter_replace(filter, never, list), 0);
}

static void event_pids(struct kunit *test)
{
	struct fake_event *fake = fake_add(test, "kunit_pids", "one");
	struct trace_array *tr = fake_instance(test);
	unsigned int me = current->pid;
	struct trace_event_file *file;

	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(tr, "kunit_pids", "one", true), 0);
	file = fake->file;
	KUNIT_EXPECT_TRUE(test, fake_record(file, 1));
	set_pids(test, tr, false, pid_list(test, me + 1));
	KUNIT_EXPECT_FALSE(test, fake_record(file, 2));
	set_pids(test, tr, false, pid_list(test, me));
	KUNIT_EXPECT_TRUE(test, fake_record(file, 3));
	set_pids(test, tr, true, pid_list(test, me));
	KUNIT_EXPECT_FALSE(test, fake_record(file, 4));
	set_pids(test, tr, false, NULL);
	KUNIT_EXPECT_FALSE(test, fake_record(file, 5));
	set_pids(test, tr, true, NULL);
	KUNIT_EXPECT_TRUE(test, fake_record(file, 6));
	KUNIT_EXPECT_FALSE(test, file->flags & EVENT_FILE_FL_PID_FILTER);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 3UL);
	trace_array_set_clr_event(tr, "kunit_pids", "one", false);
}

/* Users of all files need the two locks, so their holder does not wait for all CPUs. */
static void locks_forbid_waits(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, trace_wait_is_forbidden());
	scoped_guard(trace_instances)
		KUNIT_EXPECT_TRUE(test, trace_wait_is_forbidden());
	KUNIT_EXPECT_FALSE(test, trace_wait_is_forbidden());
	scoped_guard(trace_events)
		KUNIT_EXPECT_TRUE(test, trace_wait_is_forbidden());
	KUNIT_EXPECT_FALSE(test, trace_wait_is_forbidden());
}

static struct kunit_case events_cases[] = {
	KUNIT_CASE(format_text),
	KUNIT_CASE(event_numbers),
	KUNIT_CASE(late_events_are_first),
	KUNIT_CASE(locks_forbid_waits),
	KUNIT_CASE(failing_init_leaves_nothing),
	KUNIT_CASE(fields_of_a_class),
	KUNIT_CASE(records_go_with_their_event),
	KUNIT_CASE(records_of_a_failed_switch_go),
	KUNIT_CASE(switching_by_name),
	KUNIT_CASE(enable_states),
	KUNIT_CASE(all_but_the_tracers_own),
	KUNIT_CASE(eval_maps),
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
	KUNIT_CASE(eval_map_lists_what_is_kept),
#endif
	KUNIT_CASE(pointers_found),
	KUNIT_CASE(unsafe_arguments),
	KUNIT_CASE(pointer_refused),
	KUNIT_CASE(event_recording),
	KUNIT_CASE(event_filtering),
	KUNIT_CASE(refused_filters_are_shown),
	KUNIT_CASE(refused_filters_go),
	KUNIT_CASE(system_filters),
	KUNIT_CASE(event_pids),
	{ }
};

static int events_init(struct kunit *test)
{
	test_on_one_cpu(test);
	return 0;
}

static struct kunit_suite events_suite = {
	.name		= "trace-events",
	.init		= events_init,
	.test_cases	= events_cases,
};

kunit_test_suite(events_suite);
