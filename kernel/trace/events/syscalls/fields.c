// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of system calls and their print formats. An argument is an unsigned long, whatever
 * its type. The memory that it points to, where that is recorded (user.h), has a field of its
 * own, behind all arguments. User space (libtraceevent, perf trace) knows the texts.
 */
#include <linux/seq_buf.h>
#include <linux/slab.h>

#include "events/syscalls/internal.h"

/* The longest print format, with the NUL: six arguments with long names. */
#define FIELDS_FMT_MAX	1024

/* Programs that read trace.dat and perf.data have known these words for long. */
#define FIELDS_FMT_BYTES ", __print_hex(__get_dynamic_array(%s), __get_dynamic_array_len(%s))"

static const struct syscall_user *syscall_fields_user(const struct syscall_metadata *meta)
{
	return meta->syscall_nr < 0 ? NULL : trace_syscall_users[meta->syscall_nr];
}

/* A field for each argument behind the number, and those of user space. 0 or -ENOMEM. */
int trace_syscall_define_args(struct trace_event_call *call)
{
	const struct syscall_metadata *meta = call->data;
	const struct syscall_user *user = syscall_fields_user(meta);
	unsigned int at = offsetof(struct syscall_enter_record, args[meta->nb_args]);
	int ret = 0;

	for (int i = 0; i < meta->nb_args && !ret; i++)
		ret = trace_define_field(call, meta->types[i], meta->args[i],
					 offsetof(struct syscall_enter_record, args[i]),
					 sizeof(unsigned long), false, FILTER_OTHER);
	for (int i = 0; user && i < user->nr && !ret; i++, at += sizeof(u32))
		ret = trace_define_field(call, user->arg[i].text ? "__data_loc char[]" :
								   "__data_loc u8[]",
					 user->arg[i].name, at, sizeof(u32), false, FILTER_OTHER);
	return ret;
}

static void syscall_fields_fmt_args(struct seq_buf *s, const struct syscall_metadata *meta)
{
	const struct syscall_user *user = syscall_fields_user(meta);
	const struct syscall_user_arg *ua;
	const char *comma = "";

	seq_buf_puts(s, "\"");
	for (int i = 0; i < meta->nb_args; i++) {
		/* As many digits as a long has bytes: that is how users know it. */
		seq_buf_printf(s, "%s%s: 0x%%0%zulx", comma, meta->args[i], sizeof(long));
		ua = trace_syscall_user_arg(user, i);
		if (ua)
			seq_buf_puts(s, ua->text ? " \\\"%s\\\"" : " (%s)");
		comma = ", ";
	}
	seq_buf_puts(s, "\"");
	for (int i = 0; i < meta->nb_args; i++) {
		seq_buf_printf(s, ", ((unsigned long)(REC->%s))", meta->args[i]);
		ua = trace_syscall_user_arg(user, i);
		if (ua && ua->text)
			seq_buf_printf(s, ", __get_str(%s)", ua->name);
		else if (ua)
			seq_buf_printf(s, FIELDS_FMT_BYTES, ua->name, ua->name);
	}
}

/* Set the print format of an event. 0, -ENOMEM, or -E2BIG: it is too long. */
int trace_syscall_print_fmt_create(struct trace_event_call *call)
{
	struct seq_buf s;
	char *text;

	if (trace_syscall_is_exit(call)) {
		call->print_fmt = "\"0x%lx\", REC->ret";
		return 0;
	}
	text = kmalloc(FIELDS_FMT_MAX, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	seq_buf_init(&s, text, FIELDS_FMT_MAX);
	syscall_fields_fmt_args(&s, call->data);
	call->print_fmt = kstrdup(seq_buf_str(&s), GFP_KERNEL);
	kfree(text);
	if (!call->print_fmt)
		return -ENOMEM;
	if (WARN_ON_ONCE(seq_buf_has_overflowed(&s))) {
		trace_syscall_print_fmt_free(call);
		return -E2BIG;
	}
	return 0;
}

/* Undo trace_syscall_print_fmt_create(). */
void trace_syscall_print_fmt_free(struct trace_event_call *call)
{
	if (!trace_syscall_is_exit(call))
		kfree(call->print_fmt);
	call->print_fmt = NULL;
}
