// SPDX-License-Identifier: GPL-2.0
/* The lines of system calls in "trace": the name of the call stands for that of the event. */
#include "events/syscalls/internal.h"
#include "instance/option.h"

static const struct syscall_metadata *syscall_print_meta(struct trace_event *event)
{
	return container_of(event, struct trace_event_call, event)->data;
}

/* sys_read(fd: 3, buf: 7ffd2a8c, count: 400), and with the option verbose the types as well */
static enum print_line_t syscall_print_enter(struct trace_iterator *iter, int flags,
					     struct trace_event *event)
{
	const struct syscall_enter_record *rec = (const void *)iter->ent;
	const struct syscall_metadata *meta = syscall_print_meta(event);
	bool types = trace_option(iter->tr, TRACE_OPT_VERBOSE);
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s(", meta->name);
	for (int i = 0; i < meta->nb_args; i++)
		trace_seq_printf(s, "%s%s%s%s: %lx", i ? ", " : "", types ? meta->types[i] : "",
				 types ? " " : "", meta->args[i], rec->args[i]);
	trace_seq_puts(s, ")\n");
	return trace_handle_return(s);
}

/* sys_read -> 0x400 */
static enum print_line_t syscall_print_exit(struct trace_iterator *iter, int flags,
					    struct trace_event *event)
{
	const struct syscall_exit_record *rec = (const void *)iter->ent;
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s -> 0x%lx\n", syscall_print_meta(event)->name, rec->ret);
	return trace_handle_return(s);
}

struct trace_event_functions enter_syscall_print_funcs = { .trace = syscall_print_enter };
struct trace_event_functions exit_syscall_print_funcs = { .trace = syscall_print_exit };
