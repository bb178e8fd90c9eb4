// SPDX-License-Identifier: GPL-2.0
/* See fake_event.h. */
#include <kunit/test.h>
#include <linux/preempt.h>
#include <linux/trace.h>

#include "events/tests/fake_event.h"
#include "instance/buffers.h"

#define FAKE_LOC(_type, _name) {					\
	.type = _type, .name = #_name, .size = 4, .align = 4 }

struct trace_event_fields fake_fields[] = {
	{ .type = "char[TASK_COMM_LEN]", .name = "name", .size = 16, .align = 1, .len = 16 },
	FAKE_FIELD(u8, a),
	FAKE_FIELD(u8, b),
	FAKE_FIELD(u8, c),
	FAKE_FIELD(u8, d),
	FAKE_FIELD_NUM,
	FAKE_FIELD(u64, wide),
	FAKE_FIELD(unsigned long, ip),
	FAKE_FIELD(const char *, str),
	FAKE_LOC("__data_loc char[]", loc),
	FAKE_LOC("__rel_loc char[]", rel),
	FAKE_LOC("__data_loc cpumask_t", cpus),
	{ }
};

static int fake_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct fake_event *fake = container_of(call, struct fake_event, call);

	if (fake->error && fake->early && type == TRACE_REG_REGISTER)
		fake_record(data, 0);
	if (fake->error)
		return fake->error;
	fake->file = data;
	if (type == TRACE_REG_REGISTER)
		fake->on++;
	else if (type == TRACE_REG_UNREGISTER)
		fake->on--;
	/* A probe that runs already when it is unregistered still writes its record. */
	if (type == TRACE_REG_UNREGISTER && fake->late)
		fake_record(data, 0);
	return 0;
}

static struct trace_event_functions fake_funcs = { };

/* Takes the event back; fake_add() has it done when the test ends. */
void fake_remove(void *data)
{
	struct fake_event *fake = data;

	fake->error = 0;
	trace_array_set_clr_event(trace_top_instance(), fake->class.system, NULL, false);
	trace_remove_event_call(&fake->call);
}

struct fake_event *fake_add_fields(struct kunit *test, const char *system, const char *name,
				   struct trace_event_fields *fields)
{
	struct fake_event *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	INIT_LIST_HEAD(&fake->class.fields);
	fake->class.system = system;
	fake->class.fields_array = fields;
	fake->class.raw_init = trace_event_raw_init;
	fake->class.reg = fake_reg;
	fake->call.class = &fake->class;
	fake->call.name = name;
	fake->call.event.funcs = &fake_funcs;
	fake->call.print_fmt = "\"%s\", REC->name";
	KUNIT_ASSERT_EQ(test, trace_add_event_call(&fake->call), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fake_remove, fake), 0);
	return fake;
}

struct fake_event *fake_add(struct kunit *test, const char *system, const char *name)
{
	return fake_add_fields(test, system, name, fake_fields);
}

/* As the probe of an event does it. */
bool fake_record(struct trace_event_file *file, int num)
{
	struct trace_event_buffer fbuffer;
	struct fake_record *rec;

	guard(preempt_notrace)();
	if (trace_trigger_soft_disabled(file))
		return false;
	rec = trace_event_buffer_reserve(&fbuffer, file, sizeof(*rec));
	if (!rec)
		return false;
	rec->num = num;
	trace_event_buffer_commit(&fbuffer);
	return true;
}

/* The top instance, with nothing in its buffer. */
struct trace_array *fake_instance(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_NOT_NULL(test, tr);
	scoped_guard(trace_instances)
		KUNIT_ASSERT_EQ(test, trace_array_expand(tr), 0);
	trace_array_reset(tr);
	return tr;
}
