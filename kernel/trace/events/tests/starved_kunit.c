// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: changes of events by the files of users, with each of their allocations failing once. A
 * change says ENOMEM and has changed nothing, or it does without and can be undone.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/tests/pretend.h"
#include "instance/buffers.h"
#include "lib/starve.h"
#include "lib/user_files.h"

#define ONE	"events/kunit_starved/one/"
#define TWO	"events/kunit_starved/two/"
#define SYNTH	"events/synthetic/kunit_starved_synth/"

#define INSTANCE_PARTS	3

struct starved_env {
	struct user_files	*files;
	char			before[USER_FILES_TEXT];
};

/* @text is written to @file, and @undo takes it back. @shown: a file that lists it; NULL: @file. */
struct starved_case {
	const char	*file, *text, *undo, *shown;
};

static const struct starved_case starved_triggers[] = {
	{ ONE "trigger", "traceoff:3 if num == 1", "!traceoff" },
	{ ONE "trigger", "traceon:every=2:delay=1s", "!traceon" },
	{ ONE "trigger", "stacktrace", "!stacktrace" },
	{ ONE "trigger", "snapshot", "!snapshot" },
	{ ONE "trigger", "enable_event:kunit_starved:two:5",
	  "!enable_event:kunit_starved:two" },
};

static const struct starved_case starved_filters[] = {
	{ ONE "filter", "num == 1 && (num != 3 || text ~ \"a*b\") && CPU & CPUS{0}", "0" },
	{ ONE "filter", "comm == \"sh\" || !(text == \"abc\")", "0" },
	{ "events/kunit_starved/filter", "num > 3", "0", "show_event_filters" },
};

static const struct starved_case starved_switches[] = {
	{ ONE "enable", "1", "0" },
	{ "events/kunit_starved/enable", "1", "0" },
	{ "set_event", "kunit_starved:one", "!kunit_starved:one" },
	{ "set_event", "kunit_starved", "!kunit_starved" },
	{ "set_event", ":mod:kunit_no_module", "!:mod:kunit_no_module" },
	{ "set_event_at_once", "kunit_starved", "!kunit_starved", "set_event" },
	{ "set_event_pid", "1 2 3", NULL },
	{ "set_event_notrace_pid", "1 2 3", NULL },
};

static const struct starved_case starved_definitions[] = {
	{ "synthetic_events", "kunit_starved_s u64 a; char b[]; long[] c; char d[16]",
	  "!kunit_starved_s" },
	{ "dynamic_events", "s:kunit_starved_s u64 a; char b[]", "-:kunit_starved_s" },
	{ "dynamic_events", "e:kunit_starved_e kunit_starved/one n=$num t=$text:string",
	  "-:kunit_starved_e" },
};

static const struct starved_case starved_hists[] = {
	{ ONE "trigger", "hist:keys=num.log2,common_pid.execname,common_stacktrace:"
	  "vals=hitcount,num.max,num.min,num.p95:sort=num,hitcount.descending:size=128:"
	  "name=kunit_starved if num > 2",
	  "!hist:keys=num.log2,common_pid.execname,common_stacktrace:"
	  "vals=hitcount,num.max,num.min,num.p95:sort=num,hitcount.descending:size=128:"
	  "name=kunit_starved if num > 2" },
	{ ONE "trigger", "hist:keys=num:x=num*2+1,y=$x,s=text",
	  "!hist:keys=num:x=num*2+1,y=$x,s=text" },
	{ ONE "trigger", "hist:keys=num:vals=num:interval=1s:keep=3",
	  "!hist:keys=num:vals=num:interval=1s:keep=3" },
	{ ONE "trigger", "hist:keys=num:t=common_timestamp.usecs:clock=counter",
	  "!hist:keys=num:t=common_timestamp.usecs:clock=counter" },
	{ ONE "trigger", "hist:keys=num:y=num:onmax($y).save(num,text):onchange($y).snapshot()",
	  "!hist:keys=num:y=num:onmax($y).save(num,text):onchange($y).snapshot()" },
	{ ONE "trigger", "enable_hist:kunit_starved:two", "!enable_hist:kunit_starved:two" },
	{ TWO "trigger", "hist:keys=num:z=num-$v:onmatch(kunit_starved.one)."
	  "kunit_starved_synth($z,kunit_starved.one.num)",
	  "!hist:keys=num:z=num-$v:onmatch(kunit_starved.one)."
	  "kunit_starved_synth($z,kunit_starved.one.num)" },
	{ TWO "trigger", "hist:keys=num:z=num-kunit_starved.one.$v:onmatch(kunit_starved.one)."
	  "trace(kunit_starved_synth,$z,num)",
	  "!hist:keys=num:z=num-kunit_starved.one.$v:onmatch(kunit_starved.one)."
	  "trace(kunit_starved_synth,$z,num)" },
};

static void starved_clean(void *data)
{
	struct trace_array *tr = trace_top_instance();

	trace_array_set_clr_event(tr, "kunit_starved", NULL, false);
	trace_array_on(tr);
	trace_array_reset(tr);
}

static int starved_init(struct kunit *test)
{
	struct starved_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	test->priv = env;
	starve_init(test);
	KUNIT_ASSERT_EQ(test, trace_array_expand(trace_top_instance()), 0);
	pretend_added(test, "kunit_starved", "one");
	pretend_added(test, "kunit_starved", "two");
	env->files = user_files_mount(test, "tracefs");
	return kunit_add_action_or_reset(test, starved_clean, env);
}

static void starved_undo(struct kunit *test, const struct starved_case *c)
{
	struct starved_env *env = test->priv;
	int ret = c->undo ? user_files_write(env->files, c->file, c->undo) :
			    user_files_empty(env->files, c->file);

	KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%s: %s", c->file, c->undo);
}

/* Write the text with the @nth allocation failing. Returns whether it did. */
static bool starved_try(struct kunit *test, const struct starved_case *c, unsigned int nth)
{
	struct starved_env *env = test->priv;
	struct file *file = user_files_open(env->files, c->file, O_WRONLY | O_APPEND);
	const char *shown = c->shown ?: c->file;
	ssize_t ret;
	bool starved;

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s", c->file);
	starve_begin(nth);
	ret = user_file_write(env->files, file, c->text);
	starved = starve_end();
	user_files_close(file);
	if (ret < 0) {
		KUNIT_EXPECT_TRUE_MSG(test, starved, "%s: %pe", c->text, ERR_PTR(ret));
		KUNIT_EXPECT_EQ_MSG(test, ret, -ENOMEM, "%s, allocation %u", c->text, nth);
	} else {
		KUNIT_EXPECT_EQ(test, ret, strlen(c->text));
		KUNIT_EXPECT_STRNEQ(test, user_files_read(env->files, shown), env->before);
		starved_undo(test, c);
	}
	KUNIT_EXPECT_STREQ_MSG(test, user_files_read(env->files, shown), env->before,
			       "%s, allocation %u: %zd", c->text, nth, ret);
	return starved;
}

static void starved_run(struct kunit *test, const struct starved_case *cases, unsigned int nr)
{
	struct starved_env *env = test->priv;
	unsigned int nth, failed = 0;
	bool starved;

	for (unsigned int i = 0; i < nr; i++) {
		const char *shown = cases[i].shown ?: cases[i].file;

		strscpy(env->before, user_files_read(env->files, shown));
		for_each_starved(nth, starved) {
			starved = starved_try(test, &cases[i], nth);
			failed += starved;
		}
		KUNIT_EXPECT_LT(test, nth, STARVE_MOST);
	}
	/* Most of them copy their text, and need more for it. */
	KUNIT_EXPECT_GT(test, failed, nr);
}

static void triggers_without_memory(struct kunit *test)
{
	starved_run(test, starved_triggers, ARRAY_SIZE(starved_triggers));
}

static void filters_without_memory(struct kunit *test)
{
	starved_run(test, starved_filters, ARRAY_SIZE(starved_filters));
}

static void switches_without_memory(struct kunit *test)
{
	starved_run(test, starved_switches, ARRAY_SIZE(starved_switches));
}

static void definitions_without_memory(struct kunit *test)
{
	starved_run(test, starved_definitions, ARRAY_SIZE(starved_definitions));
}

static void hists_without_memory(struct kunit *test)
{
	struct starved_env *env = test->priv;
	static const char synth[] = "kunit_starved_synth u64 lat; s32 num";
	unsigned int own = 6;

	starved_run(test, starved_hists, own);
	KUNIT_ASSERT_EQ(test, user_files_write(env->files, "synthetic_events", synth), 0);
	KUNIT_EXPECT_EQ(test, user_files_write(env->files, ONE "trigger", "hist:keys=num:v=num"),
			0);
	starved_run(test, starved_hists + own, ARRAY_SIZE(starved_hists) - own);
	KUNIT_EXPECT_EQ(test, user_files_write(env->files, ONE "trigger", "!hist:keys=num:v=num"),
			0);
	KUNIT_EXPECT_EQ(test, user_files_write(env->files, "synthetic_events",
					       "!kunit_starved_synth"), 0);
}

/* Removals need memory for the text, and take what it means or say why not. */
static void removals_without_memory(struct kunit *test)
{
	static const char * const texts[] = {
		"traceoff:3", "enable_event:kunit_starved:two", "snapshot",
		"hist:keys=num:x=num*2", "hist:keys=num:name=kunit_starved",
	};
	struct starved_env *env = test->priv;
	unsigned int nth;
	bool starved;
	int ret;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		char undo[64] = "!";

		strlcat(undo, texts[i], sizeof(undo));
		strscpy(env->before, user_files_read(env->files, ONE "trigger"));
		KUNIT_ASSERT_EQ(test, user_files_write(env->files, ONE "trigger", texts[i]), 0);
		for_each_starved(nth, starved) {
			struct file *file = user_files_open(env->files, ONE "trigger", O_WRONLY);

			KUNIT_ASSERT_FALSE(test, IS_ERR(file));
			starve_begin(nth);
			ret = user_file_write(env->files, file, undo);
			starved = starve_end();
			user_files_close(file);
			if (ret > 0)
				break;
			KUNIT_EXPECT_EQ_MSG(test, ret, -ENOMEM, "%s", undo);
			KUNIT_EXPECT_STRNEQ(test, user_files_read(env->files, ONE "trigger"),
					    env->before);
		}
		KUNIT_EXPECT_STREQ_MSG(test, user_files_read(env->files, ONE "trigger"),
				       env->before, "%s, allocation %u", undo, nth);
	}
}

/* The files say ENOMEM, or what they say with memory. */
static void reading_without_memory(struct kunit *test)
{
	static const char * const names[] = {
		ONE "hist", ONE "hist_debug", ONE "trigger", ONE "filter", ONE "format",
		ONE "enable", "events/kunit_starved/filter", "events/header_page",
		"events/header_event", "events/enable", "set_event", "available_events",
		"set_event_pid", "dynamic_events", "dynamic_events_owned", "synthetic_events",
		"eval_map", "show_event_filters", "show_event_triggers",
	};
	static const char hist[] = "hist:keys=num:x=num:onmax($x).save(text) if num > 2";
	struct starved_env *env = test->priv;
	unsigned int nth;
	bool starved;

	KUNIT_ASSERT_EQ(test, user_files_write(env->files, ONE "trigger", hist), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		strscpy(env->before, user_files_read(env->files, names[i]));
		for_each_starved(nth, starved) {
			struct file *file;

			starve_begin(nth);
			file = user_files_open(env->files, names[i], O_RDONLY);
			if (!IS_ERR(file)) {
				ssize_t ret = user_file_read(env->files, file);

				starved = starve_end();
				user_files_close(file);
				if (ret >= 0)
					KUNIT_EXPECT_STREQ(test, env->files->text, env->before);
				else
					KUNIT_EXPECT_EQ_MSG(test, ret, -ENOMEM, "%s", names[i]);
			} else {
				starved = starve_end();
				KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(file), -ENOMEM, "%s", names[i]);
			}
		}
		KUNIT_EXPECT_LT(test, nth, STARVE_MOST);
		KUNIT_EXPECT_STREQ(test, user_files_read(env->files, names[i]), env->before);
	}
	KUNIT_EXPECT_EQ(test, user_files_empty(env->files, ONE "trigger"), 0);
}

/*
 * An instance is there with all of its events, or is not. It has one system, as each takes time.
 * A case has a part of the allocations, since with KASAN all of them take longer than a case may.
 */
static void instances_starve(struct kunit *test, unsigned int part)
{
	struct starved_env *env = test->priv;
	static const char name[] = "instances/kunit_starved/" TWO "enable";
	struct trace_array *tr = NULL;
	unsigned int nth;
	bool starved;

	for_each_starved(nth, starved) {
		if (nth % INSTANCE_PARTS != part)
			continue;
		starve_begin(nth);
		tr = trace_array_get_by_name("kunit_starved", "kunit_starved");
		starved = starve_end();
		if (tr) {
			KUNIT_EXPECT_STREQ(test, user_files_read(env->files, name), "0\n");
			trace_array_put(tr);
			KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
			continue;
		}
		KUNIT_EXPECT_TRUE_MSG(test, starved, "allocation %u", nth);
		scoped_guard(trace_instances)
			KUNIT_EXPECT_NULL(test, trace_instance_find("kunit_starved"));
		KUNIT_EXPECT_STREQ(test, user_files_read(env->files, name), "-ENOENT");
	}
	KUNIT_EXPECT_NOT_NULL(test, tr);
	KUNIT_EXPECT_LT(test, nth, STARVE_MOST);
}

static void instances_without_memory(struct kunit *test)
{
	instances_starve(test, 0);
}

static void instances_without_memory_1(struct kunit *test)
{
	instances_starve(test, 1);
}

static void instances_without_memory_2(struct kunit *test)
{
	instances_starve(test, 2);
}

static struct kunit_case starved_cases[] = {
	KUNIT_CASE_SLOW(triggers_without_memory),
	KUNIT_CASE(filters_without_memory),
	KUNIT_CASE(switches_without_memory),
	KUNIT_CASE(definitions_without_memory),
	KUNIT_CASE_SLOW(hists_without_memory),
	KUNIT_CASE_SLOW(removals_without_memory),
	KUNIT_CASE(reading_without_memory),
	KUNIT_CASE_SLOW(instances_without_memory),
	KUNIT_CASE_SLOW(instances_without_memory_1),
	KUNIT_CASE_SLOW(instances_without_memory_2),
	{}
};

static struct kunit_suite starved_suite = {
	.name		= "trace_event_starved",
	.init		= starved_init,
	.test_cases	= starved_cases,
};

kunit_test_suite(starved_suite);

MODULE_DESCRIPTION("KUnit tests of events without memory");
MODULE_LICENSE("GPL");
