// SPDX-License-Identifier: GPL-2.0
/* See pretend.h. */
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/tests/pretend.h"
#include "instance/buffers.h"

static struct list_head *pretended_fields(struct trace_event_call *call)
{
	return &container_of(call, struct pretended, call)->fields;
}

static int pretended_define(struct trace_event_call *call)
{
	int ret;

	ret = trace_define_field(call, "int", "num", offsetof(struct pretended_record, num),
				 sizeof(s32), true, FILTER_OTHER);
	return ret ?: trace_define_field(call, "__data_loc char[]", "text",
					 offsetof(struct pretended_record, text), sizeof(u32),
					 false, FILTER_OTHER);
}

static struct trace_event_fields pretended_fields_array[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = pretended_define },
	{ }
};

static int pretended_init(struct trace_event_call *call)
{
	int error = container_of(call, struct pretended, call)->init_error;

	return error ?: trace_event_raw_init(call);
}

static int pretended_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct pretended *p = container_of(call, struct pretended, call);

	if (type == TRACE_REG_REGISTER)
		p->on++;
	else if (type == TRACE_REG_UNREGISTER)
		p->on--;
	return 0;
}

static struct trace_event_functions pretended_funcs = { };

void pretend(struct pretended *p, const char *system, const char *name)
{
	*p = (struct pretended){
		.class = {
			.system		= system,
			.fields_array	= pretended_fields_array,
			.get_fields	= pretended_fields,
			.raw_init	= pretended_init,
			.reg		= pretended_reg,
		},
		.call = {
			.name		= name,
			.event.funcs	= &pretended_funcs,
			.print_fmt	= "\"%d\", REC->num",
			.flags		= TRACE_EVENT_FL_DYNAMIC,
		},
	};
	p->call.class = &p->class;
	INIT_LIST_HEAD(&p->class.fields);
	INIT_LIST_HEAD(&p->fields);
}

int pretend_add(struct pretended *p)
{
	guard(trace_instances)();
	guard(trace_events)();
	if (trace_event_call_find(p->class.system, p->call.name))
		return -EEXIST;
	return trace_event_call_add(&p->call);
}

/* For trace_event_calls_remove(). @data: the call of the one that goes. */
bool pretended_goes(struct trace_event_call *call, void *data)
{
	return call == data;
}

int pretend_remove(struct pretended *p)
{
	struct trace_event_removal removal;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		if (trace_event_call_find(p->class.system, p->call.name) != &p->call)
			return -ENOENT;
		if (trace_event_call_is_busy(&p->call))
			return -EBUSY;
		trace_event_calls_take(&removal, pretended_goes, &p->call);
	}
	trace_event_calls_drop(&removal);
	return 0;
}

static void pretended_end(void *data)
{
	struct pretended *p = data;

	pretended_switch(p, false);
	pretend_remove(p);
}

/* An event that is removed when the test ends. */
struct pretended *pretend_added(struct kunit *test, const char *system, const char *name)
{
	struct pretended *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	pretend(p, system, name);
	KUNIT_ASSERT_EQ(test, pretend_add(p), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, pretended_end, p), 0);
	return p;
}

struct trace_event_file *pretended_file(struct trace_array *tr, struct pretended *p)
{
	guard(trace_events)();
	return trace_event_file_of(tr, &p->call);
}

int pretended_switch(struct pretended *p, bool on)
{
	return trace_array_set_clr_event(trace_top_instance(), p->class.system, p->call.name, on);
}

/* As the probe of a tracepoint does it. @size: bytes of text. False: there is no record. */
bool pretended_hit(struct trace_event_file *file, int num, size_t size)
{
	struct trace_event_buffer fbuffer;
	struct pretended_record *rec;

	guard(preempt_notrace)();
	if (trace_trigger_soft_disabled(file))
		return false;
	rec = trace_event_buffer_reserve(&fbuffer, file, sizeof(*rec) + size);
	if (!rec)
		return false;
	rec->num = num;
	rec->text = size << 16 | offsetof(struct pretended_record, data);
	memset(rec->data, 'x', size);
	if (size)
		rec->data[size - 1] = '\0';
	trace_event_buffer_commit(&fbuffer);
	return true;
}

unsigned long pretended_records(struct trace_array *tr)
{
	return ring_buffer_entries(tr->array_buffer.buffer);
}
