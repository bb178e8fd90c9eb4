// SPDX-License-Identifier: GPL-2.0
/* The two classes of events that SYSCALL_DEFINEx() uses, all entries and all exits. */
#include "events/syscalls/internal.h"

static int syscall_class_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	switch (type) {
	case TRACE_REG_REGISTER:
		return trace_syscall_record_on(data);
	case TRACE_REG_UNREGISTER:
		trace_syscall_record_off(data);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return trace_syscall_perf_on(call);
	case TRACE_REG_PERF_UNREGISTER:
		trace_syscall_perf_off(call);
		return 0;
#endif
	default:
		return 0;
	}
}

/* A call that no number leads to has no events: -ENOSYS. */
static int syscall_class_raw_init(struct trace_event_call *call)
{
	const struct syscall_metadata *meta = call->data;
	int ret;

	if (meta->syscall_nr < 0)
		return -ENOSYS;
	ret = trace_syscall_print_fmt_create(call);
	if (ret)
		return ret;
	ret = trace_event_raw_init(call);
	if (ret)
		trace_syscall_print_fmt_free(call);
	return ret;
}

/* Each entry has arguments of its own. */
static struct list_head *syscall_class_enter_fields(struct trace_event_call *call)
{
	struct syscall_metadata *meta = call->data;

	return &meta->enter_fields;
}

#define CLASS_FIELD(_type, _name) {						\
	.type = #_type, .name = _name, .size = sizeof(_type),			\
	.align = __alignof__(_type), .is_signed = true, .filter_type = FILTER_OTHER }

static struct trace_event_fields class_enter_array[] = {
	CLASS_FIELD(int, "__syscall_nr"),
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = trace_syscall_define_args },
	{ }
};

static struct trace_event_fields class_exit_array[] = {
	CLASS_FIELD(int, "__syscall_nr"),
	CLASS_FIELD(long, "ret"),
	{ }
};

struct trace_event_class event_class_syscall_enter = {
	.system		= "syscalls",
	.reg		= syscall_class_reg,
	.fields_array	= class_enter_array,
	.get_fields	= syscall_class_enter_fields,
	.raw_init	= syscall_class_raw_init,
};

struct trace_event_class event_class_syscall_exit = {
	.system		= "syscalls",
	.reg		= syscall_class_reg,
	.fields_array	= class_exit_array,
	.fields		= LIST_HEAD_INIT(event_class_syscall_exit.fields),
	.raw_init	= syscall_class_raw_init,
};
