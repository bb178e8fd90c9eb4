// SPDX-License-Identifier: GPL-2.0
/*
 * Printers of ftrace's own records: function, stacks, printk and its kin, raw
 * data, repeats. In the modes raw, hex and bin a kind that has no such form
 * prints its bare type.
 */
#include <linux/pid.h>
#include <linux/sched/mm.h>

#include "output/format.h"
#include "output/internal.h"
#include "output/output.h"

/* The record behind its common header. */
#define own_record(iter, type) container_of((iter)->ent, struct type, ent)

/* How much text a record of this layout can hold. */
#define text_room(iter, type) \
	((int)((iter)->ent_size - offsetof(struct type, buf)))

static void put_call(struct trace_iterator *iter, unsigned long ip,
		     unsigned long parent_ip, int flags)
{
	trace_print_ip(iter, ip);
	if (flags & TRACE_OPT_PRINT_PARENT && parent_ip) {
		trace_seq_putmem(&iter->seq, " <-", 3);
		trace_print_ip(iter, parent_ip);
	}
}

static enum print_line_t fn_text(struct trace_iterator *iter, int flags,
				 struct trace_event *event)
{
	const struct trace_function_entry *fn = own_record(iter, trace_function_entry);

	put_call(iter, fn->ip, fn->parent_ip, flags);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_raw(struct trace_iterator *iter, int flags,
				struct trace_event *event)
{
	const struct trace_function_entry *fn = own_record(iter, trace_function_entry);

	trace_seq_printf(&iter->seq, "%lx %lx\n", fn->ip, fn->parent_ip);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_hex(struct trace_iterator *iter, int flags,
				struct trace_event *event)
{
	const struct trace_function_entry *fn = own_record(iter, trace_function_entry);

	trace_seq_putmem_hex(&iter->seq, &fn->ip, sizeof(fn->ip));
	trace_seq_putmem_hex(&iter->seq, &fn->parent_ip, sizeof(fn->parent_ip));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t fn_bin(struct trace_iterator *iter, int flags,
				struct trace_event *event)
{
	const struct trace_function_entry *fn = own_record(iter, trace_function_entry);

	trace_seq_putmem(&iter->seq, &fn->ip, sizeof(fn->ip));
	trace_seq_putmem(&iter->seq, &fn->parent_ip, sizeof(fn->parent_ip));
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions fn_funcs = {
	.trace = fn_text, .raw = fn_raw, .hex = fn_hex, .binary = fn_bin,
};

/* A writer may have ended the list early with ULONG_MAX. */
static enum print_line_t stack_text(struct trace_iterator *iter, int flags,
				    struct trace_event *event)
{
	const struct trace_stack_entry *stack = own_record(iter, trace_stack_entry);
	int i, room = (iter->ent_size - (int)sizeof(*stack)) / (int)sizeof(stack->caller[0]);

	trace_seq_puts(&iter->seq, "<stack trace>\n");
	for (i = 0; i < min(stack->size, room) && stack->caller[i] != ULONG_MAX; i++) {
		trace_seq_puts(&iter->seq, " => ");
		trace_print_ip(iter, stack->caller[i]);
		trace_seq_putc(&iter->seq, '\n');
		if (trace_seq_has_overflowed(&iter->seq))
			break;
	}
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions stack_funcs = {
	.trace = stack_text,
};

static struct mm_struct *tgid_mm(unsigned int tgid)
{
	struct task_struct *task;

	guard(rcu)();
	task = find_task_by_pid_ns(tgid, &init_pid_ns);
	return task ? get_task_mm(task) : NULL;
}

static enum print_line_t user_stack_text(struct trace_iterator *iter, int flags,
					 struct trace_event *event)
{
	const struct trace_userstack_entry *stack = own_record(iter, trace_userstack_entry);
	const struct trace_print_state *state = iter->private;
	struct mm_struct *mm = NULL;
	int i;

	/* Looking into the mm sleeps; only a reader with a file may. */
	if (trace_option(iter->tr, TRACE_OPT_SYM_USEROBJ) && state && !state->dump)
		mm = tgid_mm(stack->tgid);

	trace_seq_puts(&iter->seq, "<user stack trace>\n");
	for (i = 0; i < TRACE_USER_STACK_DEPTH && stack->caller[i]; i++) {
		trace_seq_puts(&iter->seq, " => ");
		trace_print_user_ip(iter, mm, stack->caller[i]);
		trace_seq_putc(&iter->seq, '\n');
		if (trace_seq_has_overflowed(&iter->seq))
			break;
	}
	if (mm)
		mmput(mm);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions user_stack_funcs = {
	.trace = user_stack_text,
};

static enum print_line_t print_text(struct trace_iterator *iter, int flags,
				    struct trace_event *event)
{
	const struct trace_print_entry *print = own_record(iter, trace_print_entry);

	trace_print_ip(iter, print->ip);
	trace_seq_printf(&iter->seq, ": %.*s", text_room(iter, trace_print_entry), print->buf);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_raw(struct trace_iterator *iter, int flags,
				   struct trace_event *event)
{
	const struct trace_print_entry *print = own_record(iter, trace_print_entry);

	trace_seq_printf(&iter->seq, "# %lx %.*s", print->ip,
			 text_room(iter, trace_print_entry), print->buf);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions print_funcs = {
	.trace = print_text, .raw = print_raw,
};

/* A pointer that was found in memory of the last boot is not followed. */
static const char *text_at(const struct trace_iterator *iter, const char *text)
{
	return iter->tr->memory ? "[text of another boot]\n" : text;
}

static enum print_line_t bprint_text(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	const struct trace_bprint_entry *print = own_record(iter, trace_bprint_entry);

	trace_print_ip(iter, print->ip);
	trace_seq_puts(&iter->seq, ": ");
	trace_seq_bprintf(&iter->seq, text_at(iter, print->fmt), print->buf);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t bprint_raw(struct trace_iterator *iter, int flags,
				    struct trace_event *event)
{
	const struct trace_bprint_entry *print = own_record(iter, trace_bprint_entry);

	trace_seq_printf(&iter->seq, ": %lx : ", print->ip);
	trace_seq_bprintf(&iter->seq, text_at(iter, print->fmt), print->buf);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions bprint_funcs = {
	.trace = bprint_text, .raw = bprint_raw,
};

static enum print_line_t bputs_text(struct trace_iterator *iter, int flags,
				    struct trace_event *event)
{
	const struct trace_bputs_entry *puts = own_record(iter, trace_bputs_entry);

	trace_print_ip(iter, puts->ip);
	trace_seq_puts(&iter->seq, ": ");
	trace_seq_puts(&iter->seq, text_at(iter, puts->str));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t bputs_raw(struct trace_iterator *iter, int flags,
				   struct trace_event *event)
{
	const struct trace_bputs_entry *puts = own_record(iter, trace_bputs_entry);

	trace_seq_printf(&iter->seq, ": %lx : ", puts->ip);
	trace_seq_puts(&iter->seq, text_at(iter, puts->str));
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions bputs_funcs = {
	.trace = bputs_text, .raw = bputs_raw,
};

static enum print_line_t raw_data_text(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	const struct trace_raw_data_entry *data = own_record(iter, trace_raw_data_entry);
	int i, len = text_room(iter, trace_raw_data_entry);

	trace_seq_printf(&iter->seq, "# %x buf:", data->id);
	for (i = 0; i < len; i++)
		trace_seq_printf(&iter->seq, " %02x", (unsigned char)data->buf[i]);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions raw_data_funcs = {
	.trace = raw_data_text, .raw = raw_data_text,
};

static u64 repeats_delta(const struct trace_func_repeats_entry *repeats)
{
	return (u64)repeats->top_delta_ts << 32 | repeats->bottom_delta_ts;
}

static enum print_line_t repeats_text(struct trace_iterator *iter, int flags,
				      struct trace_event *event)
{
	const struct trace_func_repeats_entry *repeats =
		own_record(iter, trace_func_repeats_entry);

	put_call(iter, repeats->ip, repeats->parent_ip, flags);
	trace_seq_printf(&iter->seq, " (repeats: %u, last_ts:", repeats->count);
	trace_print_time(iter, iter->ts - repeats_delta(repeats));
	trace_seq_puts(&iter->seq, ")\n");
	return trace_handle_return(&iter->seq);
}

static enum print_line_t repeats_raw(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	const struct trace_func_repeats_entry *repeats =
		own_record(iter, trace_func_repeats_entry);

	trace_seq_printf(&iter->seq, "%lu %lu %u %llu\n", repeats->ip, repeats->parent_ip,
			 repeats->count, repeats_delta(repeats));
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions repeats_funcs = {
	.trace = repeats_text, .raw = repeats_raw,
};

enum print_line_t trace_print_message(struct trace_iterator *iter)
{
	struct trace_seq *s = &iter->seq;

	switch (iter->ent->type) {
	case TRACE_PRINT:
		trace_seq_printf(s, "%.*s", text_room(iter, trace_print_entry),
				 own_record(iter, trace_print_entry)->buf);
		break;
	case TRACE_BPRINT:
		trace_seq_puts(s, text_at(iter, own_record(iter, trace_bprint_entry)->fmt));
		break;
	case TRACE_BPUTS:
		trace_seq_puts(s, own_record(iter, trace_bputs_entry)->str);
		break;
	default:
		return TRACE_TYPE_UNHANDLED;
	}
	return trace_handle_return(s);
}

static struct trace_event own_events[] = {
	{ .type = TRACE_FN,		.funcs = &fn_funcs },
	{ .type = TRACE_STACK,		.funcs = &stack_funcs },
	{ .type = TRACE_PRINT,		.funcs = &print_funcs },
	{ .type = TRACE_BPRINT,		.funcs = &bprint_funcs },
	{ .type = TRACE_USER_STACK,	.funcs = &user_stack_funcs },
	{ .type = TRACE_BPUTS,		.funcs = &bputs_funcs },
	{ .type = TRACE_RAW_DATA,	.funcs = &raw_data_funcs },
	{ .type = TRACE_FUNC_REPEATS,	.funcs = &repeats_funcs },
};

int __init trace_own_records_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(own_events); i++) {
		if (WARN_ON(!register_trace_event(&own_events[i])))
			return -EBUSY;
	}
	return 0;
}
