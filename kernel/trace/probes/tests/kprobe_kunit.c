// SPDX-License-Identifier: GPL-2.0
/* KUnit: kprobe events in the kernel's own text. */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/batch.h"
#include "events/calls.h"
#include "events/field.h"
#include "events/file.h"
#include "events/user.h"
#include "events/value.h"
#include "instance/buffers.h"
#include "instance/instance.h"
#include "probes/hit.h"
#include "probes/kprobe_site.h"
#include "probes/tests/targets.h"
#include "sites/sites.h"

/* So many probes go together in one test, more than there is room for on a stack. */
#define KPROBE_MANY	40

/* So many sites are more than a table has room for at first. */
#define KPROBE_SITES	200

static int kprobe_run(const char *text)
{
	char *line = kstrdup(text, GFP_KERNEL);
	int ret = line ? trace_kprobe_run(line) : -ENOMEM;

	kfree(line);
	return ret;
}

static int kprobe_switch(const char *name, bool on)
{
	return trace_array_set_clr_event(trace_top_instance(), KPROBE_SYSTEM, name, on);
}

/* The kprobe event of this name; NULL: there is none. */
static struct trace_event_call *kprobe_call(const char *name)
{
	guard(trace_events)();
	return trace_event_call_find(KPROBE_SYSTEM, name);
}

/* The first probe of an event. */
static struct trace_probe *kprobe_probe(struct kunit *test, const char *name)
{
	struct trace_dyn_event *dyn;

	guard(trace_events)();
	for (loff_t i = 0; (dyn = trace_dyn_event_nth(&trace_kprobe_kind.dyn, i)); i++) {
		if (!strcmp(trace_event_name(dyn->call), name))
			return container_of(dyn, struct trace_probe, dyn);
	}
	kunit_skip(test, "no probe %s", name);
}

/* How many records of an event there are, and, in @copy, the last one. */
static unsigned int kprobe_records(const char *name, void *copy, size_t size)
{
	struct trace_array *tr = trace_top_instance();
	struct trace_event_call *call = kprobe_call(name);
	const struct trace_entry *entry;
	struct ring_buffer_event *event;
	unsigned int nr = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(tr->array_buffer.buffer, cpu, NULL, NULL))) {
			entry = ring_buffer_event_data(event);
			if (!call || entry->type != call->event.type)
				continue;
			memcpy(copy, entry, min_t(size_t, size, ring_buffer_event_length(event)));
			nr++;
		}
	}
	return nr;
}

static u64 kprobe_value(struct kunit *test, const char *name, const char *field,
			const void *record)
{
	const struct trace_event_field *f;
	u64 val = 0;

	f = trace_event_field_find(kprobe_call(name), field, strlen(field));
	KUNIT_ASSERT_NOT_NULL_MSG(test, f, "no field %s", field);
	KUNIT_EXPECT_TRUE(test, trace_event_value_number(f, record, &val));
	return val;
}

static unsigned long kprobe_missed(struct trace_probe *probe, enum trace_probe_miss why)
{
	struct trace_probe_counts counts;

	guard(trace_events)();
	trace_probe_count(probe, &counts);
	return counts.missed[why];
}

/* Which places there are; the cases of ftracetest have the errors with their carets. */
static void kprobe_places(struct kunit *test)
{
	static const struct {
		const char	*line;
		int		ret;
	} tries[] = {
		{ "p:ev kunit_probe_sum", 0 },
		{ "p:ev kunit_probe_sum+0", 0 },
		{ "r:ev kunit_probe_sum", 0 },
		{ "r:ev kunit_probe_sum+0", 0 },
		{ "r16:ev kunit_probe_sum", 0 },
		{ "p:ev kunit_probe_sum%return", 0 },
		{ "p:ev no_such_module:function", 0 },
		{ "r:ev no_such_module:function $retval", 0 },
		{ "p:ev no_such_function", -EINVAL },
		{ "p:ev kunit_probe_sum-1", -EINVAL },
		{ "p:ev kunit_probe_sum+1x", -EINVAL },
		{ "p:ev kunit_probe_sum+4294967296", -EINVAL },
		{ "p:ev +x", -EINVAL },
		{ "p:ev 1", -ENOENT },
		{ "p:ev kunit_probe_sum%other", -EINVAL },
		{ "r:ev kunit_probe_sum+1", -EINVAL },
		{ "p16:ev kunit_probe_sum", -EINVAL },
		{ "r0:ev kunit_probe_sum", -EINVAL },
		{ "r4097:ev kunit_probe_sum", -EINVAL },
		{ "r1x:ev kunit_probe_sum", -EINVAL },
		{ "px:ev kunit_probe_sum", -EINVAL },
		{ "p:ev", -EINVAL },
		{ "p:ev /bin/sh:100", -EINVAL },
		/* Data, the blacklist, and what records a hit. */
		{ "p:ev linux_banner", -EINVAL },
		{ "p:ev kprobe_ftrace_handler", -EINVAL },
		{ "p:ev trace_probe_hit", -EINVAL },
		{ "p:ev ring_buffer_lock_reserve", -EINVAL },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++) {
		KUNIT_EXPECT_EQ_MSG(test, kprobe_run(tries[i].line), tries[i].ret, "%s",
				    tries[i].line);
		KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&trace_kprobe_kind.dyn), 0);
	}
}

/* Names that events have by default. */
static void kprobe_default_names(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kprobe_run("p kunit_probe_sum"), 0);
	KUNIT_EXPECT_NOT_NULL(test, kprobe_call("p_kunit_probe_sum_0"));
	KUNIT_EXPECT_EQ(test, kprobe_run("r kunit_probe_sum"), 0);
	KUNIT_EXPECT_NOT_NULL(test, kprobe_call("r_kunit_probe_sum_0"));
	KUNIT_EXPECT_EQ(test, kprobe_run("p no_such_module:function+4"), 0);
	KUNIT_EXPECT_NOT_NULL(test, kprobe_call("p_no_such_module_function_4"));
}

/* Arguments of a function at its entry, where a site is or a breakpoint. */
static void kprobe_entry(struct kunit *test)
{
	long record[16];

	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_sum a=$arg1 b=$arg2"), 0);
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", true), 0);
	KUNIT_EXPECT_EQ(test, kunit_probe_sum(3, 4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "a", record), 3);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "b", record), 4);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "__probe_ip", record),
			(unsigned long)trace_kprobe_of(kprobe_probe(test, "ev"))->rp.kp.addr);
	KUNIT_EXPECT_EQ(test, kprobe_run("-:ev"), -EBUSY);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", false), 0);
	kunit_probe_sum(5, 6);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 0);
	KUNIT_EXPECT_EQ(test, kprobe_run("-:ev"), 0);
}

/* The value that a function returns, and its argument, kept from the entry. */
static void kprobe_return(struct kunit *test)
{
	long record[16];

	KUNIT_ASSERT_EQ(test, kprobe_run("r:ev kunit_probe_sum ret=$retval b=$arg2"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", true), 0);
	KUNIT_EXPECT_EQ(test, kunit_probe_sum(30, 4), 34);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "ret", record), 34);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "b", record), 4);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "__probe_func", record),
			(unsigned long)trace_kprobe_of(kprobe_probe(test, "ev"))->rp.kp.addr);
}

/* Places that are addresses, of returns as well. */
static void kprobe_address(struct kunit *test)
{
	char line[80];
	long record[16];

	snprintf(line, sizeof(line), "p:entry 0x%lx", (unsigned long)kunit_probe_sum);
	KUNIT_ASSERT_EQ(test, kprobe_run(line), 0);
	snprintf(line, sizeof(line), "r:ret %lu ret=$retval", (unsigned long)kunit_probe_sum);
	KUNIT_ASSERT_EQ(test, kprobe_run(line), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch(NULL, true), 0);
	kunit_probe_sum(50, 5);
	KUNIT_ASSERT_EQ(test, kprobe_switch("entry", false), 0);
	KUNIT_EXPECT_EQ(test, kprobe_records("ret", record, sizeof(record)), 1);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ret", "ret", record), 55);
	snprintf(line, sizeof(line), "-:entry 0x%lx", (unsigned long)kunit_probe_sum);
	KUNIT_EXPECT_EQ(test, kprobe_run(line), 0);
	snprintf(line, sizeof(line), "r:ret2 0x%lx", (unsigned long)kunit_probe_sum + 1);
	KUNIT_EXPECT_EQ(test, kprobe_run(line), -EINVAL);
}

/* Several probes in one event, which is one record each. */
static void kprobe_several(struct kunit *test)
{
	long record[16];

	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_sum a=$arg1"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_other a=$arg1"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", true), 0);
	kunit_probe_sum(1, 2);
	kunit_probe_other(9);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 2);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "a", record), 9);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", false), 0);
	KUNIT_EXPECT_EQ(test, kprobe_run("-:ev kunit_probe_sum"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", true), 0);
	kunit_probe_sum(1, 2);
	kunit_probe_other(8);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "a", record), 8);
}

/* A probe whose module is not there is as any other, but has no carrier. */
static void kprobe_waits(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev no_such_module:function"), 0);
	KUNIT_EXPECT_FALSE(test, trace_kprobe_of(kprobe_probe(test, "ev"))->joined);
	KUNIT_EXPECT_EQ(test, kprobe_switch("ev", true), 0);
	KUNIT_EXPECT_EQ(test, kprobe_run("-:ev"), -EBUSY);
	KUNIT_EXPECT_EQ(test, kprobe_switch("ev", false), 0);
	KUNIT_EXPECT_EQ(test, kprobe_run("-:ev"), 0);
}

/* Many probes are switched and removed together. */
static void kprobe_many(struct kunit *test)
{
	long record[16];
	char line[64];

	for (int i = 0; i < KPROBE_MANY; i++) {
		snprintf(line, sizeof(line), "%c:many%d kunit_probe_sum", i % 2 ? 'r' : 'p', i);
		KUNIT_ASSERT_EQ(test, kprobe_run(line), 0);
	}
	KUNIT_ASSERT_EQ(test, kprobe_switch(NULL, true), 0);
	KUNIT_EXPECT_EQ(test, kunit_probe_sum(1, 2), 3);
	KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&trace_kprobe_kind.dyn), -EBUSY);
	KUNIT_ASSERT_EQ(test, kprobe_switch(NULL, false), 0);
	KUNIT_EXPECT_EQ(test, kprobe_records("many39", record, sizeof(record)), 1);
	KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&trace_kprobe_kind.dyn), 0);
	KUNIT_EXPECT_EQ(test, kunit_probe_sum(1, 2), 3);
}

static int kprobe_nest(struct kprobe *kp, struct pt_regs *regs)
{
	kunit_probe_nested(1);
	return 0;
}

static void kprobe_collect_ev(const struct module *mod, struct list_head *leaving)
{
	struct trace_dyn_event *dyn = trace_dyn_event_nth(&trace_kprobe_kind.dyn, 0);

	list_add(&trace_kprobe_of(container_of(dyn, struct trace_probe, dyn))->leaving, leaving);
}

/* A hit while another probe is at work is a miss, and kept when the carrier is another one. */
static void kprobe_misses(struct kunit *test)
{
	static struct kprobe outer;
	struct trace_probe *probe;
	long record[16];

	outer = (struct kprobe){ .symbol_name = "kunit_probe_sum", .pre_handler = kprobe_nest };
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_nested"), 0);
	probe = kprobe_probe(test, "ev");
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", true), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
	kunit_probe_sum(1, 2);
	unregister_kprobe(&outer);
	KUNIT_EXPECT_EQ(test, kprobe_missed(probe, TRACE_PROBE_MISS_NESTED), 1);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 0);
	kunit_probe_nested(1);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);

	/* As when its module goes and comes. */
	trace_kprobe_module_goes(NULL, kprobe_collect_ev);
	scoped_guard(trace_events) {
		KUNIT_EXPECT_EQ(test, trace_kprobe_join(trace_kprobe_of(probe)), 0);
		KUNIT_EXPECT_EQ(test, trace_probe_arm(probe), 0);
	}
	KUNIT_EXPECT_EQ(test, kprobe_missed(probe, TRACE_PROBE_MISS_NESTED), 1);
	kunit_probe_nested(1);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
}

/* The entry and the return of a function with a site are hooked there, and have no kprobe. */
static void kprobe_site(struct kunit *test)
{
	unsigned long offset;

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "kprobes have no sites");
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_sum"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_run("r:back kunit_probe_sum"), 0);
	KUNIT_EXPECT_NE(test, trace_kprobe_of(kprobe_probe(test, "ev"))->site, 0);
	if (IS_ENABLED(CONFIG_FPROBE))
		KUNIT_EXPECT_NE(test, trace_kprobe_of(kprobe_probe(test, "back"))->site, 0);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe(trace_kprobe_of(kprobe_probe(test, "ev"))->rp.kp.addr),
			    NULL);
	/* A probe behind the entry has one. */
	for (offset = 6; offset < 32; offset++) {
		char line[64];

		snprintf(line, sizeof(line), "p:within kunit_probe_sum+%lu", offset);
		if (!kprobe_run(line))
			break;
	}
	KUNIT_EXPECT_EQ(test, trace_kprobe_of(kprobe_probe(test, "within"))->site, 0);
}

static unsigned int kprobe_beside_hits;

static void kprobe_beside_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	kprobe_beside_hits++;
}

/* An ops that may change where the function goes on is at the same site. */
static void kprobe_beside(struct kunit *test)
{
	static struct ftrace_ops ops;
	long record[16];

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "kprobes have no sites");
	ops = (struct ftrace_ops){
		.func = kprobe_beside_hit, .flags = FTRACE_OPS_FL_SAVE_REGS,
	};
	kprobe_beside_hits = 0;
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_sum ip=%ip"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", true), 0);
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&ops, (unsigned long)kunit_probe_sum, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&ops), 0);
	KUNIT_EXPECT_EQ(test, kunit_probe_sum(1, 2), 3);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&ops), 0);
	ftrace_free_filter(&ops);
	KUNIT_EXPECT_EQ(test, kprobe_beside_hits, 1);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
	/* The probe finds what it would at a breakpoint. */
	KUNIT_EXPECT_EQ(test, kprobe_value(test, "ev", "ip", record),
			(unsigned long)trace_kprobe_of(kprobe_probe(test, "ev"))->rp.kp.addr + 1);
}

/* All functions that kprobes must not probe are refused, from their first byte to their last. */
static void kprobe_refused(struct kunit *test)
{
	unsigned long size, offset, seen = 0, missed = 0;

	for (unsigned long *entry = __start_kprobe_blacklist; entry < __stop_kprobe_blacklist;
	     entry++) {
		if (!core_kernel_text(*entry) ||
		    !kallsyms_lookup_size_offset(*entry, &size, &offset))
			continue;
		seen++;
		missed += !ftrace_kprobes_refuse(*entry);
		missed += !ftrace_kprobes_refuse(*entry + size - 1);
	}
	KUNIT_EXPECT_GT(test, seen, 10);
	KUNIT_EXPECT_EQ(test, missed, 0);
	KUNIT_EXPECT_FALSE(test, ftrace_kprobes_refuse((unsigned long)kunit_probe_sum));
}

/* Many sites have probes, and a probe that was on before is found among them. */
static void kprobe_sites(struct kunit *test)
{
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	unsigned long *ips;
	unsigned int nr = 0;
	long record[16];
	char line[64];

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "kprobes have no sites");
	ips = kunit_kcalloc(test, KPROBE_SITES, sizeof(*ips), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ips);
	scoped_guard(ftrace_lock) {
		for_each_ftrace_site(site, &iter) {
			if (!within_kprobe_blacklist(ftrace_site_ip(site)))
				ips[nr++] = ftrace_site_ip(site);
			if (nr == KPROBE_SITES)
				break;
		}
	}
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_sum"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("ev", true), 0);
	for (unsigned int i = 0; i < nr; i++) {
		snprintf(line, sizeof(line), "p:many%u 0x%lx", i, ips[i]);
		KUNIT_ASSERT_EQ(test, kprobe_run(line), 0);
		snprintf(line, sizeof(line), "many%u", i);
		KUNIT_ASSERT_EQ(test, kprobe_switch(line, true), 0);
	}
	kprobe_records("ev", record, sizeof(record));
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
	for (unsigned int i = 0; i < nr; i++) {
		snprintf(line, sizeof(line), "many%u", i);
		KUNIT_ASSERT_EQ(test, kprobe_switch(line, false), 0);
	}
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);

	/* Another probe of the same site comes and goes. */
	KUNIT_ASSERT_EQ(test, kprobe_run("p:again kunit_probe_sum"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("again", true), 0);
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, kprobe_records("again", record, sizeof(record)), 1);
	KUNIT_ASSERT_EQ(test, kprobe_switch("again", false), 0);
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
}

/* Events that are switched together are switched at the end of that. */
static void kprobe_batch(struct kunit *test)
{
	struct trace_event_user user = { .use = TRACE_EVENT_USER_HARD };
	struct trace_event_file *file;
	unsigned long hits;
	long record[16];

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "kprobes have no sites");
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_sum"), 0);
	scoped_guard(trace_instances) {
		guard(trace_events)();
		file = trace_event_file_find(trace_top_instance(), KPROBE_SYSTEM, "ev");
		trace_event_batch_begin();
		KUNIT_EXPECT_EQ(test, trace_event_user_join(&user, file), 0);
		kunit_probe_sum(1, 2);
		KUNIT_EXPECT_EQ(test, trace_event_batch_end(), 0);
	}
	hits = kprobe_records("ev", record, sizeof(record));
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, hits, 0);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 1);
	guard(trace_instances)();
	guard(trace_events)();
	trace_event_user_leave(&user);
}

/* If one of the events that are switched together cannot be, none is. */
static void kprobe_all_or_none(struct kunit *test)
{
	long record[16];

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) || !IS_ENABLED(CONFIG_FPROBE))
		kunit_skip(test, "kretprobes are switched one by one");
	KUNIT_ASSERT_EQ(test, kprobe_run("p:ev kunit_probe_sum"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_run("r:back kunit_probe_sum"), 0);
	/* No line says so. */
	trace_kprobe_of(kprobe_probe(test, "back"))->rp.maxactive = -1;
	KUNIT_EXPECT_NE(test, kprobe_switch(NULL, true), 0);
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, kprobe_records("ev", record, sizeof(record)), 0);
	KUNIT_EXPECT_EQ(test, kprobe_run("-:ev"), 0);
	trace_kprobe_of(kprobe_probe(test, "back"))->rp.maxactive = 0;
	KUNIT_EXPECT_EQ(test, kprobe_switch(NULL, true), 0);
	kunit_probe_sum(1, 2);
	KUNIT_EXPECT_EQ(test, kprobe_records("back", record, sizeof(record)), 1);
}

/* A line says how many returns are awaited at the same time; without, there is no limit. */
static void kprobe_active(struct kunit *test)
{
	long record[16];

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) || !IS_ENABLED(CONFIG_FPROBE))
		kunit_skip(test, "kretprobes have instances");
	KUNIT_ASSERT_EQ(test, kprobe_run("r2:few kunit_probe_deep"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_run("r:all kunit_probe_deep"), 0);
	KUNIT_ASSERT_EQ(test, kprobe_switch("few", true), 0);
	kunit_probe_deep(4);
	KUNIT_EXPECT_EQ(test, kprobe_records("few", record, sizeof(record)), 2);
	KUNIT_EXPECT_EQ(test, kprobe_missed(kprobe_probe(test, "few"), TRACE_PROBE_MISS_RETURN), 3);
	KUNIT_ASSERT_EQ(test, kprobe_switch("few", false), 0);
	/* The misses of before count. */
	KUNIT_EXPECT_EQ(test, kprobe_missed(kprobe_probe(test, "few"), TRACE_PROBE_MISS_RETURN), 3);
	KUNIT_ASSERT_EQ(test, kprobe_switch("all", true), 0);
	kunit_probe_deep(20);
	KUNIT_EXPECT_EQ(test, kprobe_records("all", record, sizeof(record)), 21);
}

static int kprobe_test_init(struct kunit *test)
{
	long record[1];

	KUNIT_ASSERT_EQ(test, trace_array_expand(trace_top_instance()), 0);
	kprobe_records("", record, 0);
	return 0;
}

static void kprobe_test_exit(struct kunit *test)
{
	kprobe_switch(NULL, false);
	KUNIT_EXPECT_EQ(test, trace_dyn_events_clear(&trace_kprobe_kind.dyn), 0);
}

static struct kunit_case kprobe_cases[] = {
	KUNIT_CASE(kprobe_places),
	KUNIT_CASE(kprobe_default_names),
	KUNIT_CASE(kprobe_entry),
	KUNIT_CASE(kprobe_return),
	KUNIT_CASE(kprobe_address),
	KUNIT_CASE(kprobe_several),
	KUNIT_CASE(kprobe_waits),
	KUNIT_CASE(kprobe_many),
	KUNIT_CASE(kprobe_misses),
	KUNIT_CASE(kprobe_site),
	KUNIT_CASE(kprobe_beside),
	KUNIT_CASE(kprobe_refused),
	KUNIT_CASE(kprobe_sites),
	KUNIT_CASE(kprobe_batch),
	KUNIT_CASE(kprobe_all_or_none),
	KUNIT_CASE(kprobe_active),
	{}
};

static struct kunit_suite kprobe_suite = {
	.name		= "trace_kprobes",
	.init		= kprobe_test_init,
	.exit		= kprobe_test_exit,
	.test_cases	= kprobe_cases,
};

kunit_test_suite(kprobe_suite);
