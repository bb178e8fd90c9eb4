// SPDX-License-Identifier: GPL-2.0
/* The lines of system calls in "trace": the name of the call stands for that of the event. */
#include <linux/ctype.h>
#include <linux/fcntl.h>
#include <linux/unistd.h>

#include "events/syscalls/internal.h"
#include "instance/option.h"

static const struct syscall_metadata *syscall_print_meta(struct trace_event *event)
{
	return container_of(event, struct trace_event_call, event)->data;
}

/* The bytes of a buffer: all of them as numbers, and those that can be printed as characters. */
static void syscall_print_bytes(struct trace_seq *s, const u8 *data, unsigned int len, bool cut)
{
	trace_seq_puts(s, " (");
	for (unsigned int i = 0; i < len; i++)
		trace_seq_printf(s, "%s%02x", i ? ":" : "", data[i]);
	trace_seq_printf(s, "%s) \"", cut ? ":..." : "");
	for (unsigned int i = 0; i < len; i++)
		trace_seq_putc(s, isascii(data[i]) && isprint(data[i]) ? data[i] : '.');
	trace_seq_printf(s, "\"%s", cut ? "..." : "");
}

/* A text, in which what would change a terminal is left out. */
static void syscall_print_text(struct trace_seq *s, const char *text, unsigned int len)
{
	trace_seq_puts(s, " \"");
	for (unsigned int i = 0; i < len && text[i]; i++)
		trace_seq_putc(s, iscntrl(text[i]) ? '.' : text[i]);
	trace_seq_puts(s, "\"");
}

/* The memory behind argument @arg, if it was recorded. */
static void syscall_print_user(struct trace_iterator *iter, const struct syscall_metadata *meta,
			       int arg)
{
	const struct syscall_user *user = trace_syscall_users[meta->syscall_nr];
	const struct syscall_user_arg *ua = trace_syscall_user_arg(user, arg);
	const struct syscall_enter_record *rec = (const void *)iter->ent;
	const u32 *word = (const u32 *)&rec->args[meta->nb_args];
	unsigned int len, at;

	if (!ua)
		return;
	word += ua - user->arg;
	/* The buffer may be one that was kept over a reboot. */
	if ((void *)(word + 1) - (void *)rec > iter->ent_size)
		return;
	at = *word & 0xffff;
	len = *word >> 16;
	if (at + len > iter->ent_size)
		return;
	if (ua->text)
		syscall_print_text(&iter->seq, (const void *)rec + at, len);
	else if (len)
		syscall_print_bytes(&iter->seq, (const void *)rec + at, len,
				    rec->args[ua->size] > len);
}

/* Of openat(). A flag of several bits stands before those that have some of them. */
static const struct trace_print_flags syscall_open_flags[] = {
	{ O_TMPFILE,	"O_TMPFILE" },	{ O_SYNC,	"O_SYNC" },
	{ O_CREAT,	"O_CREAT" },	{ O_EXCL,	"O_EXCL" },
	{ O_NOCTTY,	"O_NOCTTY" },	{ O_TRUNC,	"O_TRUNC" },
	{ O_APPEND,	"O_APPEND" },	{ O_NONBLOCK,	"O_NONBLOCK" },
	{ O_DSYNC,	"O_DSYNC" },	{ O_DIRECT,	"O_DIRECT" },
	{ O_LARGEFILE,	"O_LARGEFILE" }, { O_DIRECTORY,	"O_DIRECTORY" },
	{ O_NOFOLLOW,	"O_NOFOLLOW" },	{ O_NOATIME,	"O_NOATIME" },
	{ O_CLOEXEC,	"O_CLOEXEC" },	{ O_PATH,	"O_PATH" },
	{ FASYNC,	"O_ASYNC" },
};

static void syscall_print_open(struct trace_seq *s, unsigned long flags)
{
	static const char * const access[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };

	trace_seq_puts(s, access[flags & O_ACCMODE]);
	flags &= ~(unsigned long)O_ACCMODE;
	for (int i = 0; i < ARRAY_SIZE(syscall_open_flags); i++) {
		unsigned long mask = syscall_open_flags[i].mask;

		if (!mask || (flags & mask) != mask)
			continue;
		trace_seq_printf(s, "|%s", syscall_open_flags[i].name);
		flags &= ~mask;
	}
	if (flags)
		trace_seq_printf(s, "|0x%lx", flags);
}

/* The value of an argument. The last two of openat() are flags and permissions. */
static void syscall_print_value(struct trace_seq *s, const struct syscall_metadata *meta, int arg,
				unsigned long val)
{
	bool open = arg > 1 && meta->syscall_nr == __NR_openat;

	if (open && arg == 2)
		syscall_print_open(s, val);
	else if (open)
		trace_seq_printf(s, "0%03lo", val);
	else
		trace_seq_printf(s, val < 10 ? "%lu" : "0x%lx", val);
}

/*
 * sys_write(fd: 3, buf: 0x7ffd2a8c (68:69:0a) "hi.", count: 3), and with the option verbose the
 * types as well.
 */
static enum print_line_t syscall_print_enter(struct trace_iterator *iter, int flags,
					     struct trace_event *event)
{
	const struct syscall_enter_record *rec = (const void *)iter->ent;
	const struct syscall_metadata *meta = syscall_print_meta(event);
	bool types = trace_option(iter->tr, TRACE_OPT_VERBOSE);
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s(", meta->name);
	for (int i = 0; i < meta->nb_args; i++) {
		trace_seq_printf(s, "%s%s%s%s: ", i ? ", " : "", types ? meta->types[i] : "",
				 types ? " " : "", meta->args[i]);
		syscall_print_value(s, meta, i, rec->args[i]);
		syscall_print_user(iter, meta, i);
	}
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
