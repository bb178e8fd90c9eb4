/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/syscalls/ inside: an entry records the memory of user space that some arguments point
 * to, names of files and buffers that are written.
 *
 * A record has a location word behind its arguments for each such argument, in their order, and
 * the data behind these:
 *
 *	| common | nr | args[] | __filename_val: length and offset | "/etc/hosts" |
 *
 * The probe has preemption off, so it does not wait for memory that is not there, and no task
 * waits for another: such a text is recorded as "(fault)", and of such a buffer nothing is.
 */
#ifndef _TRACE_EVENTS_SYSCALLS_USER_H
#define _TRACE_EVENTS_SYSCALLS_USER_H

#include <linux/kconfig.h>
#include <linux/types.h>

struct syscall_enter_record;
struct syscall_metadata;

#define SYSCALL_USER_ARGS	3	/* the most of a call */
#define SYSCALL_USER_MAX	165	/* bytes of one that are recorded at most */
#define SYSCALL_USER_CUT	"..."	/* behind a text that was longer */
#define SYSCALL_USER_ROOM	(SYSCALL_USER_MAX + sizeof(SYSCALL_USER_CUT))

/**
 * struct syscall_user_arg - an argument whose memory is recorded
 * @name:	of the field that has the data, "__filename_val"
 * @arg:	which argument, from 0
 * @size:	the argument that has the length, -1: a NUL ends it
 * @text:	it is a text; false: bytes
 */
struct syscall_user_arg {
	const char	*name;
	u8		arg;
	s8		size;
	bool		text;
};

/* The arguments of a call that are read, in their order. */
struct syscall_user {
	unsigned int		nr;
	struct syscall_user_arg	arg[SYSCALL_USER_ARGS];
};

/* The memory that was read for a record. */
struct syscall_user_data {
	unsigned int	len;			/* all, with the location words */
	u16		size[SYSCALL_USER_ARGS];
	char		data[SYSCALL_USER_ARGS][SYSCALL_USER_ROOM];
};

/* user.c */
struct syscall_user *trace_syscall_user_make(const struct syscall_metadata *meta);
const struct syscall_user_data *trace_syscall_user_read(const struct syscall_user *user,
							const unsigned long *args,
							unsigned int limit);
void trace_syscall_user_fill(struct syscall_enter_record *rec, unsigned int fixed,
			     const struct syscall_user *user,
			     const struct syscall_user_data *data);
const struct syscall_user_arg *trace_syscall_user_arg(const struct syscall_user *user,
						      unsigned int arg);

#endif /* _TRACE_EVENTS_SYSCALLS_USER_H */
