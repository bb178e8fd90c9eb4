// SPDX-License-Identifier: GPL-2.0
/*
 * A module that makes synthetic events in each way that code of the kernel has, and records
 * them in each way. After
 *
 *	modprobe synth_event_gen_test
 *	cat /sys/kernel/tracing/trace
 *
 * there are records of gen_synth_test, empty_synth_test and create_synth_test. The events go
 * when the module is unloaded. Its functions begin with synth_gen_.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/trace_events.h>

static struct synth_field_desc gen_fields[] = {
	{ .type = "pid_t",		.name = "pid" },
	{ .type = "char[16]",		.name = "comm" },
	{ .type = "u64",		.name = "ns" },
	{ .type = "u64",		.name = "ms" },
	{ .type = "unsigned int",	.name = "cpu" },
	{ .type = "char[64]",		.name = "text" },
	{ .type = "int",		.name = "number" },
};

/* The values of all three events, which have the same fields. */
#define GEN_VALUES {							\
	1234, (u64)(unsigned long)"clackers", 1000000, 1000,		\
	raw_smp_processor_id(), (u64)(unsigned long)"Thneed", 598 }

static const char * const gen_names[] = {
	"gen_synth_test", "empty_synth_test", "create_synth_test",
};

static struct trace_event_file *gen_file[ARRAY_SIZE(gen_names)];
static unsigned int gen_made;	/* of gen_names, the first of which are ours */

/* Name the event with some of its fields, add the others, and make it. */
static int synth_gen_define(struct dynevent_cmd *cmd, const char *name)
{
	int ret = synth_event_gen_cmd_start(cmd, name, THIS_MODULE,
					    gen_fields[0].type, gen_fields[0].name,
					    gen_fields[1].type, gen_fields[1].name);

	ret = ret ?: synth_event_add_field(cmd, gen_fields[2].type, gen_fields[2].name);
	ret = ret ?: synth_event_add_field_str(cmd, "u64 ms");
	ret = ret ?: synth_event_add_fields(cmd, &gen_fields[4], 3);
	return ret ?: synth_event_gen_cmd_end(cmd);
}

/* Name the event without a field, and add all. */
static int synth_gen_define_empty(struct dynevent_cmd *cmd, const char *name)
{
	int ret = synth_event_gen_cmd_array_start(cmd, name, THIS_MODULE, NULL, 0);

	ret = ret ?: synth_event_add_fields(cmd, gen_fields, ARRAY_SIZE(gen_fields));
	return ret ?: synth_event_gen_cmd_end(cmd);
}

static int synth_gen_define_all(void)
{
	char *buf = kzalloc(MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	struct dynevent_cmd cmd;
	int ret;

	if (!buf)
		return -ENOMEM;
	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	ret = synth_gen_define(&cmd, gen_names[0]);
	gen_made += !ret;
	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	ret = ret ?: synth_gen_define_empty(&cmd, gen_names[1]);
	gen_made += !ret;
	kfree(buf);
	ret = ret ?: synth_event_create(gen_names[2], gen_fields, ARRAY_SIZE(gen_fields),
					THIS_MODULE);
	gen_made += !ret;
	return ret;
}

/* Record one value after the other, in their order or by the names of their fields. */
static int synth_gen_record_pieces(struct trace_event_file *file, bool named)
{
	const u64 vals[] = GEN_VALUES;
	struct synth_event_trace_state state;
	int ret = synth_event_trace_start(file, &state);

	for (int i = 0; i < ARRAY_SIZE(vals) && !ret; i++)
		ret = named ? synth_event_add_val(gen_fields[i].name, vals[i], &state) :
			      synth_event_add_next_val(vals[i], &state);
	return synth_event_trace_end(&state) ?: ret;
}

static int synth_gen_record_all(void)
{
	u64 vals[] = GEN_VALUES;
	int ret;

	ret = synth_event_trace_array(gen_file[0], vals, ARRAY_SIZE(vals));
	ret = ret ?: synth_gen_record_pieces(gen_file[0], false);
	ret = ret ?: synth_gen_record_pieces(gen_file[1], true);
	return ret ?: synth_event_trace(gen_file[2], 7, (u64)1234, vals[1], vals[2], vals[3],
					vals[4], vals[5], vals[6]);
}

/* Undo what was done of it. An event that a user has made under one of the names stays. */
static void synth_gen_end(void)
{
	for (unsigned int i = 0; i < gen_made; i++) {
		if (gen_file[i]) {
			trace_array_set_clr_event(gen_file[i]->tr, "synthetic", gen_names[i],
						  false);
			trace_put_event_file(gen_file[i]);
		}
		synth_event_delete(gen_names[i]);
	}
}

static int synth_gen_begin(int i)
{
	struct trace_event_file *file = trace_get_event_file(NULL, "synthetic", gen_names[i]);

	if (IS_ERR(file))
		return PTR_ERR(file);
	gen_file[i] = file;
	return trace_array_set_clr_event(file->tr, "synthetic", gen_names[i], true);
}

static int __init synth_gen_init(void)
{
	int ret = synth_gen_define_all();

	for (int i = 0; i < ARRAY_SIZE(gen_names) && !ret; i++)
		ret = synth_gen_begin(i);
	ret = ret ?: synth_gen_record_all();
	/* The module can be unloaded while the events are off. */
	for (int i = 0; i < ARRAY_SIZE(gen_names) && !ret; i++)
		ret = trace_array_set_clr_event(gen_file[i]->tr, "synthetic", gen_names[i], false);
	if (ret)
		synth_gen_end();
	return ret;
}

static void __exit synth_gen_exit(void)
{
	synth_gen_end();
}

module_init(synth_gen_init)
module_exit(synth_gen_exit)

MODULE_DESCRIPTION("Test of synthetic events that are made and recorded in the kernel");
MODULE_LICENSE("GPL");
