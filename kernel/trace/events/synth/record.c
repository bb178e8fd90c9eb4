// SPDX-License-Identifier: GPL-2.0
/*
 * Records of synthetic events. The instances that have an event on, and perf, are probes of its
 * tracepoint, each of which makes a record of the values. Code of the kernel may also write a
 * record into the buffer of one instance.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "events/record.h"
#include "events/synth/event.h"

/* How many bytes of the data of dynamic fields a record has. */
struct synth_sizes {
	unsigned int	len;				/* of the record */
	u16		field[TRACE_SYNTH_FIELDS_MAX];	/* of dynamic fields */
};

typedef void (*synth_probe_t)(void *data, const struct trace_synth_event *event,
			      const u64 *vals);

static unsigned int synth_record_stack_len(const unsigned long *ips)
{
	unsigned int nr = 0;

	while (ips && nr < TRACE_SYNTH_STACK_MAX && ips[nr])
		nr++;
	return nr * sizeof(*ips);
}

static const char *synth_record_text(u64 val)
{
	return (const char *)(unsigned long)val ?: "";
}

/*
 * Measure once what is copied later, as it may change meanwhile. A text or a stack for which the
 * record has no room is cut, so that those behind it have a word at least.
 */
static void synth_record_measure(const struct trace_synth_event *event, const u64 *vals,
				 struct synth_sizes *sizes)
{
	unsigned int room = TRACE_SYNTH_RECORD_MAX - event->nr_dynamic * sizeof(long), len;

	sizes->len = event->fixed;
	if (!event->nr_dynamic)
		return;
	for (unsigned int i = 0; i < event->nr; i++) {
		const struct trace_synth_field *f = &event->field[i];

		if (!f->is_dynamic)
			continue;
		if (f->value == TRACE_SYNTH_STACK)
			len = synth_record_stack_len((void *)(unsigned long)vals[i]);
		else
			len = strnlen(synth_record_text(vals[i]), TRACE_SYNTH_TEXT_MAX - 1) + 1;
		room += sizeof(long);
		sizes->field[i] = min(len, room - sizes->len);
		sizes->len += ALIGN(sizes->field[i], sizeof(long));
	}
}

/* Store a number in a field of 1, 2, 4 or 8 bytes. */
static __always_inline void synth_record_number(void *to, unsigned int size, u64 val)
{
	if (likely(size == sizeof(u64)))
		*(u64 *)to = val;
	else if (size == sizeof(u32))
		*(u32 *)to = val;
	else if (size == sizeof(u16))
		*(u16 *)to = val;
	else
		*(u8 *)to = val;
}

/* Store the value of a field that is no dynamic one. */
static __always_inline void synth_record_value(void *record, const struct trace_synth_field *f,
					       u64 val)
{
	void *to = record + f->offset;

	if (f->value == TRACE_SYNTH_NUMBER)
		synth_record_number(to, f->size, val);
	else
		strscpy_pad((char *)to, synth_record_text(val), f->size);
}

/* Let no bytes of what was there before be seen. */
static void synth_record_clear(const struct trace_synth_event *event, void *record)
{
	memset(record + sizeof(struct trace_entry), 0, event->fixed - sizeof(struct trace_entry));
}

static void synth_record_fill(const struct trace_synth_event *event, void *record,
			      const u64 *vals, const struct synth_sizes *sizes)
{
	unsigned int at = event->fixed;

	if (event->has_gaps)
		synth_record_clear(event, record);
	for (unsigned int i = 0; i < event->nr; i++) {
		const struct trace_synth_field *f = &event->field[i];
		unsigned int len;

		if (!f->is_dynamic) {
			synth_record_value(record, f, vals[i]);
			continue;
		}
		len = sizes->field[i];
		*(u32 *)(record + f->offset) = len << 16 | at;
		/* The NUL of a string is not copied, since the string may have grown. */
		memset(record + at, 0, ALIGN(len, sizeof(long)));
		if (f->value == TRACE_SYNTH_STACK)
			memcpy(record + at, (void *)(unsigned long)vals[i], len);
		else
			memcpy(record + at, synth_record_text(vals[i]), len - 1);
		at += ALIGN(len, sizeof(long));
	}
}

/* Of an instance; @data is its trace_event_file. */
static void synth_record_probe(void *data, const struct trace_synth_event *event,
			       const u64 *vals)
{
	struct trace_event_file *file = data;
	struct trace_event_buffer fbuffer __uninitialized;
	struct synth_sizes sizes __uninitialized;
	void *record;

	if (trace_trigger_soft_disabled(file))
		return;
	synth_record_measure(event, vals, &sizes);
	record = trace_event_buffer_reserve(&fbuffer, file, sizes.len);
	if (!record)
		return;
	synth_record_fill(event, record, vals, &sizes);
	trace_event_buffer_commit(&fbuffer);
}

#ifdef CONFIG_PERF_EVENTS
/* Of perf; @data is the call. */
static void synth_record_perf_probe(void *data, const struct trace_synth_event *event,
				    const u64 *vals)
{
	struct trace_event_call *call = data;
	struct hlist_head *active = this_cpu_ptr(call->perf_events);
	struct synth_sizes sizes;
	struct pt_regs *regs;
	void *record;
	int size, rctx;

	if (!bpf_prog_array_valid(call) && hlist_empty(active))
		return;
	synth_record_measure(event, vals, &sizes);
	size = ALIGN(sizes.len + sizeof(u32), sizeof(u64)) - sizeof(u32);
	if (size > PERF_MAX_TRACE_SIZE)
		return;
	record = perf_trace_buf_alloc(size, &regs, &rctx);
	if (!record)
		return;
	perf_fetch_caller_regs(regs);
	synth_record_fill(event, record, vals, &sizes);
	perf_trace_run_bpf_submit(record, size, rctx, call, 1, regs, active, NULL);
}
#endif

/**
 * trace_synth_event_is_on - does anybody want records of an event?
 * @event: the event, which the caller keeps
 *
 * Context: any.
 * Return: true if trace_synth_record() has something to do.
 */
bool trace_synth_event_is_on(const struct trace_synth_event *event)
{
	return rcu_access_pointer(event->tp.funcs);
}

/**
 * trace_synth_record - record a synthetic event wherever it is on
 * @event: the event, which the caller keeps
 * @vals: a value for each field; synth.h tells of what
 *
 * Context: any, NMI included, with preemption off: in a probe of a tracepoint, or where RCU is
 * watching.
 */
void trace_synth_record(struct trace_synth_event *event, const u64 *vals)
{
	/* Tracepoints free the array after a grace period of those who run probes. */
	struct tracepoint_func *func = rcu_dereference_raw(event->tp.funcs);

	for (; func && func->func; func++)
		((synth_probe_t)func->func)(func->data, event, vals);
}

/*
 * The reg() of synthetic events. The module that has made an event expects to be there as long
 * as somebody uses the event.
 */
static int synth_record_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_synth_event *event = container_of(call, struct trace_synth_event, call);
	bool comes = type == TRACE_REG_REGISTER, goes = type == TRACE_REG_UNREGISTER;
	int ret;

#ifdef CONFIG_PERF_EVENTS
	comes |= type == TRACE_REG_PERF_REGISTER;
	goes |= type == TRACE_REG_PERF_UNREGISTER;
#endif
	if (comes && !try_module_get(event->owner))
		return -ENODEV;
	ret = trace_event_reg(call, type, data);
	if (goes || (comes && ret))
		module_put(event->owner);
	return ret;
}

/**
 * trace_synth_record_init - let a class record synthetic events
 * @class: the class
 *
 * Context: any.
 */
void trace_synth_record_init(struct trace_event_class *class)
{
	class->probe = synth_record_probe;
#ifdef CONFIG_PERF_EVENTS
	class->perf_probe = synth_record_perf_probe;
#endif
	class->reg = synth_record_reg;
	class->raw_init = trace_event_raw_init;
}

/* The synthetic event of an event of an instance; NULL: it is not a synthetic one. */
static struct trace_synth_event *synth_record_event(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;

	return call->class->reg == synth_record_reg ?
	       container_of(call, struct trace_synth_event, call) : NULL;
}

/**
 * synth_event_trace_array - record a synthetic event in one instance
 * @file: the event of the instance, from trace_get_event_file()
 * @vals: a value for each field: a number, or the address of a string or a stack
 * @n_vals: how many
 *
 * Context: any, NMI included.
 * Return: 0, also if the event is off; -EINVAL: it is no synthetic event, or has another number
 * of fields.
 */
int synth_event_trace_array(struct trace_event_file *file, u64 *vals, unsigned int n_vals)
{
	struct trace_synth_event *event = synth_record_event(file);
	struct trace_event_buffer fbuffer;
	struct synth_sizes sizes;
	void *record;

	if (!event || n_vals != event->nr)
		return -EINVAL;
	if (!(READ_ONCE(file->flags) & EVENT_FILE_FL_ENABLED))
		return 0;
	synth_record_measure(event, vals, &sizes);
	record = trace_event_reserve_preemptible(&fbuffer, file, sizes.len);
	if (!record)
		return 0;
	synth_record_fill(event, record, vals, &sizes);
	trace_event_commit_preemptible(&fbuffer);
	return 0;
}
EXPORT_SYMBOL_GPL(synth_event_trace_array);

/**
 * synth_event_trace - record a synthetic event in one instance
 * @file: the event of the instance, from trace_get_event_file()
 * @n_vals: how many values follow
 *
 * The values are of type u64, as synth_event_trace_array() takes them.
 *
 * Context: any, NMI included.
 * Return: as synth_event_trace_array().
 */
int synth_event_trace(struct trace_event_file *file, unsigned int n_vals, ...)
{
	u64 vals[TRACE_SYNTH_FIELDS_MAX];
	va_list args;

	if (n_vals > ARRAY_SIZE(vals))
		return -EINVAL;
	va_start(args, n_vals);
	for (unsigned int i = 0; i < n_vals; i++)
		vals[i] = va_arg(args, u64);
	va_end(args);
	return synth_event_trace_array(file, vals, n_vals);
}
EXPORT_SYMBOL_GPL(synth_event_trace);

/**
 * synth_event_trace_start - begin a record whose values come one by one
 * @file: the event of an instance, from trace_get_event_file()
 * @state: for the functions that follow
 *
 * Values that are not added are 0. Preemption is off until synth_event_trace_end().
 *
 * Context: any, NMI included.
 * Return: 0, also if the event is off: then the functions that follow do nothing; -EINVAL: it
 * is no synthetic event.
 */
int synth_event_trace_start(struct trace_event_file *file, struct synth_event_trace_state *state)
{
	struct trace_synth_event *event;
	void *record = NULL;

	if (!state)
		return -EINVAL;
	memset(state, 0, sizeof(*state));
	/* Nothing to be ended, if the caller does not look at what this returns. */
	state->disabled = true;
	event = synth_record_event(file);
	if (!event)
		return -EINVAL;
	state->event = (struct synth_event *)event;
	if (READ_ONCE(file->flags) & EVENT_FILE_FL_ENABLED)
		record = trace_event_reserve_preemptible(&state->fbuffer, file, event->fixed);
	if (!record)
		return 0;
	state->disabled = false;
	state->entry = record;
	synth_record_clear(event, record);
	return 0;
}
EXPORT_SYMBOL_GPL(synth_event_trace_start);

/* The fields that are added are named, or all come in their order. */
static const struct trace_synth_field *
synth_record_next_field(struct synth_event_trace_state *state, const char *name)
{
	const struct trace_synth_event *event = (void *)state->event;

	if (!name)
		return state->cur_field < event->nr ? &event->field[state->cur_field++] : NULL;
	for (unsigned int i = 0; i < event->nr; i++) {
		if (!strcmp(event->field[i].name, name))
			return &event->field[i];
	}
	return NULL;
}

static int synth_record_add(struct synth_event_trace_state *state, const char *name, u64 val)
{
	const struct trace_synth_field *f;

	if (!state || (name ? state->add_next : state->add_name))
		return -EINVAL;
	if (name)
		state->add_name = true;
	else
		state->add_next = true;
	if (state->disabled)
		return 0;
	f = synth_record_next_field(state, name);
	/* The record was reserved without room for a value of any length. */
	if (!f || f->is_dynamic || (f->value == TRACE_SYNTH_STRING && !val))
		return -EINVAL;
	synth_record_value(state->entry, f, val);
	return 0;
}

/**
 * synth_event_add_next_val - add the value of the next field
 * @val: a number, or the address of a string
 * @state: of synth_event_trace_start()
 *
 * Context: that of synth_event_trace_start().
 * Return: 0; -EINVAL: all fields have a value, or it is one of a dynamic field, or values were
 * added by name before.
 */
int synth_event_add_next_val(u64 val, struct synth_event_trace_state *state)
{
	return synth_record_add(state, NULL, val);
}
EXPORT_SYMBOL_GPL(synth_event_add_next_val);

/**
 * synth_event_add_val - add the value of a field
 * @field_name: the field
 * @val: a number, or the address of a string
 * @state: of synth_event_trace_start()
 *
 * Context: that of synth_event_trace_start().
 * Return: 0; -EINVAL: there is no such field, or it is a dynamic one, or values were added
 * without a name before.
 */
int synth_event_add_val(const char *field_name, u64 val, struct synth_event_trace_state *state)
{
	return field_name ? synth_record_add(state, field_name, val) : -EINVAL;
}
EXPORT_SYMBOL_GPL(synth_event_add_val);

/**
 * synth_event_trace_end - end a record
 * @state: of synth_event_trace_start()
 *
 * Context: that of synth_event_trace_start().
 * Return: 0; -EINVAL: there is no @state.
 */
int synth_event_trace_end(struct synth_event_trace_state *state)
{
	if (!state)
		return -EINVAL;
	if (!state->disabled)
		trace_event_commit_preemptible(&state->fbuffer);
	state->disabled = true;
	return 0;
}
EXPORT_SYMBOL_GPL(synth_event_trace_end);
