// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the core of probe events, with a pretended kind whose places are numbers and whose
 * carriers are hit by the test.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/mman.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/uaccess.h>

#include "events/calls.h"
#include "events/field.h"
#include "events/value.h"
#include "instance/buffers.h"
#include "instance/instance.h"
#include "lib/wait.h"
#include "probes/hit.h"
#include "probes/internal.h"
#include "probes/probe.h"

#define PROBE_TEXT	1024
#define PROBE_COUNTS	150	/* more than come in one block */

/* A probe of the pretended kind. */
struct probe_pretended {
	struct trace_probe	probe;
	unsigned int		number;		/* of its place */
	bool			joined;
	bool			armed;
};

/* The calls that the core has made of the kind's functions. */
static struct {
	unsigned int	joins, arms, disarms, leaves, frees;
	unsigned int	left;			/* probes that left, of all sets */
	unsigned int	settles;
	unsigned int	settled;		/* probes, of all sets */
	unsigned int	settles_locked;		/* under a lock that others need */
	unsigned int	settles_armed;		/* probes that were armed meanwhile */
	const char	*switches;		/* the group that is switched on meanwhile */
	unsigned int	refuse_join;		/* the place that refuses, 0: none */
	unsigned int	refuse_arm;
	enum trace_probe_error	error;		/* the last one of a line */
	unsigned int		pos;
} probe_asked;

static struct probe_pretended *probe_last;	/* that was made */

static struct probe_pretended *probe_pretended_of(const struct trace_probe *probe)
{
	return container_of((struct trace_probe *)probe, struct probe_pretended, probe);
}

static int probe_pretend_join(struct trace_probe *probe, struct trace_probe_line *line)
{
	struct probe_pretended *p = probe_pretended_of(probe);

	probe_asked.joins++;
	if (p->number == probe_asked.refuse_join)
		return trace_probe_error(&line->log, line->place, PROBE_FAIL_REG_PROBE);
	p->joined = true;
	return 0;
}

static int probe_pretend_arm(struct list_head *probes)
{
	struct trace_probe *probe;

	probe_asked.arms++;
	for_each_trace_probe(probe, probes) {
		if (probe_pretended_of(probe)->number == probe_asked.refuse_arm)
			return -EIO;
	}
	for_each_trace_probe(probe, probes)
		probe_pretended_of(probe)->armed = true;
	return 0;
}

static void probe_pretend_disarm(struct list_head *probes)
{
	struct trace_probe *probe;

	probe_asked.disarms++;
	for_each_trace_probe(probe, probes)
		probe_pretended_of(probe)->armed = false;
}

static void probe_pretend_leave(struct list_head *probes)
{
	struct trace_probe *probe;

	probe_asked.leaves++;
	for_each_trace_probe(probe, probes) {
		probe_asked.left++;
		probe_pretended_of(probe)->joined = false;
	}
}

/* No lock is held, so users come and go. They do not arm the probes any more. */
static void probe_pretend_settle(struct list_head *probes)
{
	struct trace_probe *probe;

	if (probe_asked.switches) {
		trace_array_set_clr_event(trace_top_instance(), probe_asked.switches, NULL, true);
		for_each_trace_probe(probe, probes)
			probe_asked.settles_armed += probe_pretended_of(probe)->armed;
		trace_array_set_clr_event(trace_top_instance(), probe_asked.switches, NULL, false);
	}
	probe_asked.settles++;
	probe_asked.settles_locked += trace_wait_is_forbidden();
	for_each_trace_probe(probe, probes)
		probe_asked.settled += probe->left && probe->event;
}

static void probe_pretend_free(struct trace_probe *probe)
{
	probe_asked.frees++;
	kfree(probe_pretended_of(probe));
}

static void probe_pretend_missed(const struct trace_probe *probe,
				 struct trace_probe_counts *counts)
{
	counts->missed[TRACE_PROBE_MISS_RETURN] += 3;
}

static int probe_pretend_create(const char *text);

static struct trace_probe_kind probe_pretend_kind = {
	.dyn	= { .create = probe_pretend_create },
	.group	= "pretended",
	.log	= "pretended_probe",
	.join	= probe_pretend_join,
	.arm	= probe_pretend_arm,
	.disarm	= probe_pretend_disarm,
	.leave	= probe_pretend_leave,
	.settle	= probe_pretend_settle,
	.free	= probe_pretend_free,
	.missed	= probe_pretend_missed,
};

static int probe_pretend_fill(struct probe_pretended *p, struct trace_probe_line *line)
{
	struct trace_fetch_context ctx = { .at = TRACE_FETCH_KPROBE };
	struct trace_probe *probe = &p->probe;
	bool is_return = *line->head == 'o';
	int ret;

	ret = trace_probe_init(probe, &probe_pretend_kind,
			       is_return ? TRACE_PROBE_RETURN : TRACE_PROBE_AT);
	probe->head = kstrdup_const(is_return ? "o" : "i", GFP_KERNEL);
	probe->place = kstrndup(line->place, line->place_len, GFP_KERNEL);
	if (kstrtouint(probe->place, 0, &p->number))
		return trace_probe_error(&line->log, line->place, PROBE_BAD_PROBE_ADDR);
	ret = ret ?: trace_probe_line_name(line, "%c_%u", *line->head, p->number);
	return ret ?: trace_probe_parse_args(probe, line, &ctx);
}

/* "i[:[GROUP/][EVENT]] NUMBER [ARGUMENTS]", or "o" for a return. */
static int probe_pretend_create(const char *text)
{
	struct trace_probe_line line;
	struct probe_pretended *p;
	int ret;

	if ((*text != 'i' && *text != 'o') ||
	    !trace_probe_line_read(&line, text, &probe_pretend_kind))
		return -ECANCELED;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	ret = probe_pretend_fill(p, &line);
	ret = ret ?: trace_probe_add(&p->probe, &line);
	probe_asked.error = line.log.error;
	probe_asked.pos = line.log.pos;
	if (ret)
		trace_probe_free(&p->probe);
	else
		probe_last = p;
	return ret;
}

static int probe_run(const char *text)
{
	char *line = kstrdup(text, GFP_KERNEL);
	int ret;

	if (!line)
		return -ENOMEM;
	if (*line == '-')
		ret = trace_dyn_remove(&probe_pretend_kind.dyn, line);
	else
		ret = probe_pretend_create(line);
	kfree(line);
	return ret;
}

static unsigned int probe_count(void)
{
	unsigned int nr = 0;

	guard(trace_events)();
	while (trace_dyn_event_nth(&probe_pretend_kind.dyn, nr))
		nr++;
	return nr;
}

static int probe_switch_in(struct trace_array *tr, const char *name, bool on)
{
	return trace_array_set_clr_event(tr, "pretended", name, on);
}

static int probe_switch(const char *name, bool on)
{
	return probe_switch_in(trace_top_instance(), name, on);
}

/* The lines of all probes of the kind. */
static char *probe_list(struct kunit *test)
{
	char *text = kunit_kzalloc(test, PROBE_TEXT, GFP_KERNEL);
	struct seq_file m = { .buf = text, .size = PROBE_TEXT };
	struct trace_dyn_event *dyn;

	KUNIT_ASSERT_NOT_NULL(test, text);
	guard(trace_events)();
	for (loff_t i = 0; (dyn = trace_dyn_event_nth(&probe_pretend_kind.dyn, i)); i++)
		probe_pretend_kind.dyn.show(&m, dyn);
	KUNIT_ASSERT_LT(test, m.count, m.size);
	return text;
}

/* Hit a probe if it is armed. */
static void probe_hit(struct probe_pretended *p)
{
	struct trace_probe_hit hit = {
		.probe	= &p->probe,
		.at	= { (unsigned long)probe_hit, (unsigned long)probe_count },
	};

	if (!p->armed)
		return;
	preempt_disable();
	trace_probe_hit(&hit);
	preempt_enable();
}

/* The last record of an event in an instance; NULL: there is none. */
static const void *probe_record(struct trace_array *tr, const struct probe_pretended *p)
{
	struct ring_buffer_event *event;
	const struct trace_entry *entry, *last = NULL;
	int cpu;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(tr->array_buffer.buffer, cpu, NULL, NULL))) {
			entry = ring_buffer_event_data(event);
			if (entry->type == p->probe.event->call.event.type)
				last = entry;
		}
	}
	return last;
}

static u64 probe_value(struct kunit *test, const struct probe_pretended *p, const void *record,
		       const char *name)
{
	const struct trace_event_field *f;
	u64 val = 0;

	f = trace_event_field_find(&p->probe.event->call, name, strlen(name));
	KUNIT_ASSERT_NOT_NULL_MSG(test, f, "no field %s", name);
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(f, record, &val));
	return val;
}

/* Names of groups and events, and what is wrong with them. */
static void probe_names(struct kunit *test)
{
	static const struct {
		const char	*line;
		const char	*listed;	/* NULL: it is refused */
		enum trace_probe_error error;
		unsigned int	pos;
	} tries[] = {
		{ "i 1", "i:pretended/i_1 1\n" },
		{ "i:ev 1", "i:pretended/ev 1\n" },
		{ "i:grp/ev 1", "i:grp/ev 1\n" },
		{ "i:grp.ev 1", "i:grp/ev 1\n" },
		{ "i:grp/ 1", "i:grp/i_1 1\n" },
		{ "i:a-group/ev 1", "i:a-group/ev 1\n" },
		{ "  i:ev\t 1 ", NULL, PROBE_NO_EVENT_NAME, 2 },
		{ "i: 1", NULL, PROBE_NO_EVENT_NAME, 2 },
		{ "i:/ev 1", NULL, PROBE_NO_GROUP_NAME, 2 },
		{ "i:a.group/ev 1", NULL, PROBE_BAD_GROUP_NAME, 2 },
		{ "i:1/ev 1", NULL, PROBE_BAD_GROUP_NAME, 2 },
		{ "i:grp/e-v 1", NULL, PROBE_BAD_EVENT_NAME, 6 },
		{ "i:grp/1 1", NULL, PROBE_BAD_EVENT_NAME, 6 },
		{ "i:ev x", NULL, PROBE_BAD_PROBE_ADDR, 5 },
		{ "i:e234567890123456789012345678901234567890123456789012345678901234 1", NULL,
		  PROBE_EVENT_TOO_LONG, 2 },
		{ "i:g234567890123456789012345678901234567890123456789012345678901234/ev 1", NULL,
		  PROBE_GROUP_TOO_LONG, 2 },
		{ "i:e23456789012345678901234567890123456789012345678901234567890123 1",
		  "i:pretended/"
		  "e23456789012345678901234567890123456789012345678901234567890123 1\n" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++) {
		int ret = probe_run(tries[i].line);

		if (tries[i].listed) {
			KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%s", tries[i].line);
			KUNIT_EXPECT_STREQ(test, probe_list(test), tries[i].listed);
			KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&probe_pretend_kind.dyn), 0);
		} else if (*tries[i].line == ' ') {
			/* Blanks before a line are not for the kinds. */
			KUNIT_EXPECT_EQ(test, ret, -ECANCELED);
		} else {
			KUNIT_EXPECT_EQ_MSG(test, ret, -EINVAL, "%s", tries[i].line);
			KUNIT_EXPECT_EQ_MSG(test, probe_asked.error, tries[i].error, "%s",
					    tries[i].line);
			KUNIT_EXPECT_EQ_MSG(test, probe_asked.pos, tries[i].pos, "%s",
					    tries[i].line);
		}
	}
	KUNIT_EXPECT_EQ(test, probe_run("i:ev"), -ECANCELED);
	KUNIT_EXPECT_EQ(test, probe_count(), 0);
}

/* A line of the list makes the same probe again. */
static void probe_listed(struct kunit *test)
{
	const char *line = "o:grp/ev 7 a=\\1 b=\\-2:s16 comm=$comm";
	char *text;

	KUNIT_ASSERT_EQ(test, probe_run(line), 0);
	text = probe_list(test);
	KUNIT_EXPECT_TRUE(test, str_has_prefix(text, line));
	KUNIT_EXPECT_EQ(test, probe_run("-:grp/ev"), 0);
	text[strlen(text) - 1] = '\0';
	KUNIT_EXPECT_EQ(test, probe_run(text), 0);
	KUNIT_EXPECT_TRUE(test, str_has_prefix(probe_list(test), line));
}

/* The forms of lines that remove probes. */
static void probe_removed(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, probe_run("i:one/ev 1 a=\\1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:one/ev 2 a=\\1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:one/ev 2 a=\\2"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:one/other 1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:two/ev 1"), 0);

	KUNIT_EXPECT_EQ(test, probe_run("-:one/none"), -ENOENT);
	KUNIT_EXPECT_EQ(test, probe_run("-:one/ev 3"), -ENOENT);
	KUNIT_EXPECT_EQ(test, probe_run("-:one/ev 2 a=\\3"), -ENOENT);
	KUNIT_EXPECT_EQ(test, probe_run("-:one/ev 2 a=\\2 b=\\2"), -ENOENT);
	KUNIT_EXPECT_EQ(test, probe_run("-:/"), -ENOENT);
	KUNIT_EXPECT_EQ(test, probe_run("-"), -EINVAL);
	KUNIT_EXPECT_EQ(test, probe_count(), 5);
	probe_asked.switches = "one";
	KUNIT_EXPECT_EQ(test, probe_run("-:one/ev 2 a=\\2"), 0);
	probe_asked.switches = NULL;
	KUNIT_EXPECT_EQ(test, probe_asked.settles_armed, 0);
	KUNIT_EXPECT_EQ(test, probe_count(), 4);
	KUNIT_EXPECT_EQ(test, probe_run("-:one/ev 1"), 0);
	KUNIT_EXPECT_EQ(test, probe_count(), 3);
	/* Without a group, it is any; and all of a group go together. */
	KUNIT_EXPECT_EQ(test, probe_run("-:ev"), 0);
	KUNIT_EXPECT_STREQ(test, probe_list(test), "i:one/other 1\n");
	KUNIT_ASSERT_EQ(test, probe_run("i:one/third 1"), 0);
	probe_asked.leaves = 0;
	probe_asked.settles = 0;
	probe_asked.settled = 0;
	KUNIT_EXPECT_EQ(test, probe_run("-:one/"), 0);
	KUNIT_EXPECT_EQ(test, probe_count(), 0);
	KUNIT_EXPECT_EQ(test, probe_asked.leaves, 1);
	KUNIT_EXPECT_EQ(test, probe_asked.settles, 1);
	KUNIT_EXPECT_EQ(test, probe_asked.settled, 2);
	KUNIT_EXPECT_EQ(test, probe_asked.settles_locked, 0);
}

/* An event that is on gives probes, but not its last one. */
static void probe_removed_while_on(struct kunit *test)
{
	struct trace_array *top = trace_top_instance();

	if (!top)
		kunit_skip(test, "there is no top instance");
	KUNIT_ASSERT_EQ(test, probe_run("i:on/ev 1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:on/ev 2"), 0);
	KUNIT_ASSERT_EQ(test, trace_array_set_clr_event(top, "on", "ev", true), 0);
	KUNIT_EXPECT_EQ(test, probe_run("-:on/ev"), -EBUSY);
	KUNIT_EXPECT_EQ(test, probe_run("-:on/ev 1"), 0);
	KUNIT_EXPECT_STREQ(test, probe_list(test), "i:on/ev 2\n");
	KUNIT_EXPECT_EQ(test, probe_run("-:on/ev 2"), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(top, "on", "ev", false), 0);
	KUNIT_EXPECT_EQ(test, probe_run("-:on/ev 2"), 0);
	KUNIT_EXPECT_EQ(test, probe_count(), 0);
}

/* Which probes may share an event. */
static void probe_shared(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, probe_run("i:ev 1 a=\\1 b=\\2:u8"), 0);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 1 a=\\1 b=\\2:u8"), -EEXIST);
	KUNIT_EXPECT_EQ(test, probe_asked.error, PROBE_SAME_PROBE);
	KUNIT_EXPECT_EQ(test, probe_asked.pos, 0);
	KUNIT_EXPECT_EQ(test, probe_run("o:ev 1 a=\\1 b=\\2:u8"), -EEXIST);
	KUNIT_EXPECT_EQ(test, probe_asked.error, PROBE_DIFF_PROBE_TYPE);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 2 a=\\1 c=\\2:u8"), -EEXIST);
	KUNIT_EXPECT_EQ(test, probe_asked.error, PROBE_DIFF_ARG_TYPE);
	KUNIT_EXPECT_EQ(test, probe_asked.pos, 12);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 2 a=\\1 b=\\2:u16"), -EEXIST);
	/* A word that is missing would stand behind a blank. */
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 2 a=\\1"), -EEXIST);
	KUNIT_EXPECT_EQ(test, probe_asked.error, PROBE_DIFF_ARG_TYPE);
	KUNIT_EXPECT_EQ(test, probe_asked.pos, 12);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 2 a=\\1 "), -EEXIST);
	KUNIT_EXPECT_EQ(test, probe_asked.pos, 12);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 2 a=\\1 b=\\2:u8"), 0);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 1 a=\\1 b=\\3:u8"), 0);
	KUNIT_EXPECT_EQ(test, probe_run("i:sched/sched_switch 1"), -EEXIST);
	KUNIT_EXPECT_EQ(test, probe_asked.error, PROBE_EVENT_EXIST);
	KUNIT_EXPECT_EQ(test, probe_count(), 3);
}

/* The fields that probes share stay when the first of them goes. */
static void probe_fields_stay(struct kunit *test)
{
	const void *record;

	KUNIT_ASSERT_EQ(test, probe_run("i:ev 1 first=\\1 second=\\2:u8"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:ev 2 first=\\3 second=\\4:u8"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("-:ev 1"), 0);
	KUNIT_ASSERT_EQ(test, probe_switch("ev", true), 0);
	probe_hit(probe_last);
	record = probe_record(trace_top_instance(), probe_last);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, probe_value(test, probe_last, record, "first"), 3);
	KUNIT_EXPECT_EQ(test, probe_value(test, probe_last, record, "second"), 4);
	KUNIT_EXPECT_EQ(test, probe_value(test, probe_last, record, "__probe_ip"),
			(unsigned long)probe_hit);
}

/* The names of an event's own fields, each behind a blank. */
static void probe_field_names(const struct probe_pretended *p, char *text, size_t size)
{
	struct trace_event_call *call = &p->probe.event->call;
	struct trace_event_field *f;

	*text = '\0';
	for_each_trace_event_field(f, call) {
		strlcat(text, " ", size);
		strlcat(text, f->name, size);
	}
}

/*
 * Events without arguments share their fields, which stay when one of them goes. Lines that remove
 * one are followed by a look at the last that was made.
 */
static void probe_fields_of_many(struct kunit *test)
{
	static const struct {
		const char	*line, *fields, *format;
	} tries[] = {
		{ "i:one 1", " __probe_ip", "\"(%lx)\", REC->__probe_ip" },
		{ "i:two 2", " __probe_ip", "\"(%lx)\", REC->__probe_ip" },
		{ "-:one", " __probe_ip", "\"(%lx)\", REC->__probe_ip" },
		{ "o:one 1", " __probe_func __probe_ret_ip",
		  "\"(%lx <- %lx)\", REC->__probe_func, REC->__probe_ret_ip" },
		{ "i:three 3 a=\\1:u8", " __probe_ip a",
		  "\"(%lx) a=%u\", REC->__probe_ip, REC->a" },
		{ "i:four 4", " __probe_ip", "\"(%lx)\", REC->__probe_ip" },
		{ "-:two", " __probe_ip", "\"(%lx)\", REC->__probe_ip" },
		{ "-:four" },
		{ "i:four 4", " __probe_ip", "\"(%lx)\", REC->__probe_ip" },
	};
	char text[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++) {
		KUNIT_ASSERT_EQ(test, probe_run(tries[i].line), 0);
		if (!tries[i].fields)
			continue;
		probe_field_names(probe_last, text, sizeof(text));
		KUNIT_EXPECT_STREQ(test, text, tries[i].fields);
		KUNIT_EXPECT_STREQ(test, probe_last->probe.event->call.print_fmt,
				   tries[i].format);
	}
}

/* A return has two addresses, and a string stands behind the fields. */
static void probe_return_record(struct kunit *test)
{
	const struct trace_event_field *f;
	char comm[TASK_COMM_LEN];
	const void *record;

	KUNIT_ASSERT_EQ(test, probe_run("o:ev 1 a=\\5 comm=$comm b=\\6:u16"), 0);
	KUNIT_ASSERT_EQ(test, probe_switch("ev", true), 0);
	probe_hit(probe_last);
	record = probe_record(trace_top_instance(), probe_last);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, probe_value(test, probe_last, record, "__probe_func"),
			(unsigned long)probe_hit);
	KUNIT_EXPECT_EQ(test, probe_value(test, probe_last, record, "__probe_ret_ip"),
			(unsigned long)probe_count);
	KUNIT_EXPECT_EQ(test, probe_value(test, probe_last, record, "a"), 5);
	KUNIT_EXPECT_EQ(test, probe_value(test, probe_last, record, "b"), 6);
	f = trace_event_field_find(&probe_last->probe.event->call, "comm", strlen("comm"));
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_GE(test, trace_event_value_string(f, record, comm, sizeof(comm), false), 0);
	KUNIT_EXPECT_STREQ(test, comm, current->comm);
}

/* Instances have an event on and off, each by itself. */
static void probe_users(struct kunit *test)
{
	struct trace_array *top = trace_top_instance(), *tr;
	struct trace_probe_counts counts;

	tr = trace_array_get_by_name("kunit_probe", NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, probe_run("i:ev 1 a=\\1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:ev 2 a=\\1"), 0);
	probe_hit(probe_last);
	KUNIT_EXPECT_EQ(test, probe_switch_in(top, "ev", true), 0);
	KUNIT_EXPECT_EQ(test, probe_asked.arms, 1);
	KUNIT_EXPECT_EQ(test, probe_switch_in(tr, "ev", true), 0);
	KUNIT_EXPECT_EQ(test, probe_asked.arms, 1);
	probe_hit(probe_last);
	KUNIT_EXPECT_NOT_NULL(test, probe_record(top, probe_last));
	KUNIT_EXPECT_NOT_NULL(test, probe_record(tr, probe_last));

	KUNIT_EXPECT_EQ(test, probe_switch_in(top, "ev", false), 0);
	KUNIT_EXPECT_EQ(test, probe_asked.disarms, 0);
	KUNIT_EXPECT_EQ(test, probe_run("-:ev"), -EBUSY);
	probe_hit(probe_last);
	KUNIT_EXPECT_NULL(test, probe_record(top, probe_last));
	KUNIT_EXPECT_NOT_NULL(test, probe_record(tr, probe_last));
	KUNIT_EXPECT_EQ(test, probe_switch_in(tr, "ev", false), 0);
	KUNIT_EXPECT_EQ(test, probe_asked.disarms, 1);
	KUNIT_EXPECT_FALSE(test, probe_last->armed);

	scoped_guard(trace_events)
		trace_probe_count(&probe_last->probe, &counts);
	KUNIT_EXPECT_EQ(test, counts.hits, 2);
	KUNIT_EXPECT_EQ(test, trace_probe_counts_missed(&counts), 3);
	KUNIT_EXPECT_EQ(test, probe_run("-:ev"), 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

/* A carrier that cannot be armed leaves the event off; a new probe of one that is on is armed. */
static void probe_arm_fails(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, probe_run("i:ev 1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:ev 2"), 0);
	probe_asked.refuse_arm = 2;
	KUNIT_EXPECT_EQ(test, probe_switch("ev", true), -EIO);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(probe_last->probe.event->users));
	probe_asked.refuse_arm = 0;
	KUNIT_EXPECT_EQ(test, probe_switch("ev", true), 0);
	KUNIT_EXPECT_TRUE(test, probe_last->armed);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 3"), 0);
	KUNIT_EXPECT_TRUE(test, probe_last->armed);
	probe_asked.refuse_arm = 4;
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 4"), -EIO);
	KUNIT_EXPECT_EQ(test, probe_asked.error, PROBE_FAIL_REG_PROBE);
	KUNIT_EXPECT_EQ(test, probe_asked.left, 1);
	KUNIT_EXPECT_EQ(test, probe_asked.settled, 1);
	KUNIT_EXPECT_EQ(test, probe_asked.settles_locked, 0);
	KUNIT_EXPECT_EQ(test, probe_count(), 3);
}

/* A place that refuses a probe leaves nothing of it, nor of its event. */
static void probe_join_fails(struct kunit *test)
{
	probe_asked.refuse_join = 2;
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 2 a=\\1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, probe_asked.frees, 1);
	scoped_guard(trace_events)
		KUNIT_EXPECT_NULL(test, trace_event_call_find("pretended", "ev"));
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 1 a=\\1"), 0);
	KUNIT_EXPECT_EQ(test, probe_run("i:ev 2 a=\\1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, probe_count(), 1);
}

/* The events that a task has added are taken back, and no others. */
static void probe_taken_back(struct kunit *test)
{
	u64 before;

	KUNIT_ASSERT_EQ(test, probe_run("i:old 1"), 0);
	before = trace_dyn_events_number();
	KUNIT_ASSERT_EQ(test, probe_run("i:new 1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:old 2"), 0);
	trace_dyn_events_take_back(before);
	KUNIT_EXPECT_STREQ(test, probe_list(test), "i:pretended/old 1\n");
	KUNIT_EXPECT_EQ(test, probe_asked.leaves, 1);
	trace_dyn_events_take_back(trace_dyn_events_number());
	KUNIT_EXPECT_EQ(test, probe_count(), 1);
}

static struct probe_pretended *probe_nth(loff_t n)
{
	struct trace_dyn_event *dyn;

	guard(trace_events)();
	dyn = trace_dyn_event_nth(&probe_pretend_kind.dyn, n);
	return dyn ? probe_pretended_of(container_of(dyn, struct trace_probe, dyn)) : NULL;
}

/* Events by their places, in any order, and with others coming and going in between. */
static void probe_places(struct kunit *test)
{
	char line[16];

	for (int i = 0; i < 6; i++) {
		snprintf(line, sizeof(line), "i:p%d %d", i, i + 1);
		KUNIT_ASSERT_EQ(test, probe_run(line), 0);
		KUNIT_ASSERT_NOT_NULL(test, probe_nth(i));
		KUNIT_EXPECT_EQ(test, probe_nth(i)->number, i + 1);
	}
	KUNIT_EXPECT_EQ(test, probe_nth(2)->number, 3);
	KUNIT_EXPECT_NULL(test, probe_nth(6));
	KUNIT_EXPECT_EQ(test, probe_nth(4)->number, 5);
	KUNIT_ASSERT_EQ(test, probe_run("-:p4"), 0);
	KUNIT_EXPECT_EQ(test, probe_nth(4)->number, 6);
	KUNIT_EXPECT_EQ(test, probe_nth(3)->number, 4);
	KUNIT_ASSERT_EQ(test, probe_run("-:p0"), 0);
	KUNIT_EXPECT_EQ(test, probe_nth(3)->number, 6);
	KUNIT_EXPECT_NULL(test, probe_nth(4));
}

/* Run a line, and be killed meanwhile. */
static int probe_run_killed(char *line)
{
	int ret = probe_run(line);

	send_sig(SIGKILL, current, 1);
	return ret;
}

/* A task that is killed runs no other line of a write, and takes back what it has added. */
static void probe_lines_killed(struct kunit *test)
{
	static const char text[] = "-:keep\n-:other\ni:new 3\n";
	char __user *lines = (char __user *)kunit_vm_mmap(test, NULL, 0, PAGE_SIZE,
							  PROT_READ | PROT_WRITE,
							  MAP_ANONYMOUS | MAP_PRIVATE, 0);
	loff_t pos = 0;

	KUNIT_ASSERT_NOT_NULL(test, lines);
	KUNIT_ASSERT_EQ(test, probe_run("i:keep 1"), 0);
	KUNIT_ASSERT_EQ(test, probe_run("i:other 2"), 0);
	KUNIT_ASSERT_EQ(test, copy_to_user(lines, text, sizeof(text) - 1), 0);
	allow_signal(SIGKILL);
	KUNIT_EXPECT_EQ(test, trace_dyn_write(lines, sizeof(text) - 1, &pos, probe_run_killed),
			-EINTR);
	disallow_signal(SIGKILL);
	flush_signals(current);
	KUNIT_EXPECT_EQ(test, pos, 0);
	KUNIT_EXPECT_STREQ(test, probe_list(test), "i:pretended/other 2\n");
}

static unsigned long probe_hits_of(const struct trace_probe_counts __percpu *counts)
{
	unsigned long hits = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		hits += per_cpu_ptr(counts, cpu)->hits;
	return hits;
}

/* Each probe has counts of its own, which begin at 0, however many come and go. */
static void probe_counts(struct kunit *test)
{
	struct trace_probe_counts __percpu **counts;

	counts = kunit_kcalloc(test, PROBE_COUNTS, sizeof(*counts), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, counts);
	for (int i = 0; i < PROBE_COUNTS; i++) {
		counts[i] = trace_probe_counts_alloc();
		KUNIT_ASSERT_NOT_NULL(test, (void __force *)counts[i]);
		raw_cpu_add(counts[i]->hits, i + 1);
	}
	/* The hits are one CPU's, or several ones' if the test moved. */
	for (int i = 0; i < PROBE_COUNTS; i++)
		KUNIT_EXPECT_EQ(test, probe_hits_of(counts[i]), i + 1);
	for (int i = 0; i < PROBE_COUNTS; i += 2) {
		trace_probe_counts_free(counts[i]);
		counts[i] = trace_probe_counts_alloc();
		KUNIT_EXPECT_EQ(test, probe_hits_of(counts[i]), 0);
	}
	for (int i = 1; i < PROBE_COUNTS; i += 2)
		KUNIT_EXPECT_EQ(test, probe_hits_of(counts[i]), i + 1);
	for (int i = 0; i < PROBE_COUNTS; i++)
		trace_probe_counts_free(counts[i]);
}

static int probe_test_init(struct kunit *test)
{
	memset(&probe_asked, 0, sizeof(probe_asked));
	probe_last = NULL;
	trace_probe_kind_init(&probe_pretend_kind);
	KUNIT_ASSERT_EQ(test, trace_array_expand(trace_top_instance()), 0);
	return 0;
}

static void probe_test_exit(struct kunit *test)
{
	trace_array_set_clr_event(trace_top_instance(), "pretended", NULL, false);
	KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&probe_pretend_kind.dyn), 0);
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(probe_names),
	KUNIT_CASE(probe_listed),
	KUNIT_CASE(probe_removed),
	KUNIT_CASE(probe_removed_while_on),
	KUNIT_CASE(probe_shared),
	KUNIT_CASE(probe_fields_stay),
	KUNIT_CASE(probe_fields_of_many),
	KUNIT_CASE(probe_return_record),
	KUNIT_CASE(probe_users),
	KUNIT_CASE(probe_arm_fails),
	KUNIT_CASE(probe_join_fails),
	KUNIT_CASE(probe_taken_back),
	KUNIT_CASE(probe_places),
	KUNIT_CASE(probe_lines_killed),
	KUNIT_CASE(probe_counts),
	{}
};

static struct kunit_suite probe_suite = {
	.name		= "trace_probes",
	.init		= probe_test_init,
	.exit		= probe_test_exit,
	.test_cases	= probe_cases,
};

kunit_test_suite(probe_suite);
