// SPDX-License-Identifier: GPL-2.0
/*
 * Entries of system calls record texts and buffers of user space; user.h tells how.
 *
 * The types of arguments tell which: a "const char *" is a text, unless the next argument is a
 * size_t, as in write(), which makes it a buffer. Calls that are spelled otherwise are in a table.
 * A call is asked for what it is given, not for what it returns.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "events/syscalls/internal.h"
#include "events/value.h"

/* Calls whose types do not tell. The type of the argument is "char *" if it is a text. */
struct user_special {
	const char	*call;
	const char	*arg;
	const char	*size;		/* NULL: a NUL ends it */
};

static const struct user_special user_specials[] __initconst = {
	{ "sys_mount",		"dev_name" },
	{ "sys_mount",		"dir_name" },
	{ "sys_mount",		"type" },
	{ "sys_umount",		"name" },
	{ "sys_sethostname",	"name",		"len" },
	{ "sys_setdomainname",	"name",		"len" },
	{ "sys_sendto",		"buff",		"len" },
	{ "sys_kexec_file_load", "cmdline_ptr",	"cmdline_len" },
};

/* "const char *", with or without attributes of the compiler; no pointer to pointers. */
static bool __init user_is_text(const char *type)
{
	const char *star = strchr(type, '*');

	return str_has_prefix(type, "const char ") && star && !star[1];
}

static int __init user_arg_find(const struct syscall_metadata *meta, const char *name)
{
	for (int i = 0; name && i < meta->nb_args; i++) {
		if (!strcmp(meta->args[i], name))
			return i;
	}
	return -1;
}

/* Is the memory behind an argument recorded? Then *@ua says how. */
static bool __init user_arg_set(const struct syscall_metadata *meta, int arg,
				struct syscall_user_arg *ua)
{
	ua->arg = arg;
	for (int i = 0; i < ARRAY_SIZE(user_specials); i++) {
		const struct user_special *s = &user_specials[i];

		if (strcmp(s->call, meta->name) || strcmp(s->arg, meta->args[arg]))
			continue;
		ua->size = user_arg_find(meta, s->size);
		ua->text = strstr(meta->types[arg], "char");
		return ua->text || ua->size >= 0;
	}
	if (!user_is_text(meta->types[arg]))
		return false;
	ua->text = arg + 1 == meta->nb_args || strcmp(meta->types[arg + 1], "size_t");
	ua->size = ua->text ? -1 : arg + 1;
	return true;
}

/**
 * trace_syscall_user_make - find out what a call's entry records of user space
 * @meta: the call
 *
 * Context: boot, once for each call.
 * Return: the arguments, for good; NULL: none, or there is no memory.
 */
struct syscall_user * __init trace_syscall_user_make(const struct syscall_metadata *meta)
{
	struct syscall_user user = { }, *copy;

	for (int i = 0; i < meta->nb_args && user.nr < SYSCALL_USER_ARGS; i++) {
		struct syscall_user_arg *ua = &user.arg[user.nr];

		if (!user_arg_set(meta, i, ua))
			continue;
		ua->name = kasprintf(GFP_KERNEL, "__%s_val", meta->args[i]);
		if (ua->name)
			user.nr++;
	}
	copy = user.nr ? kmemdup(&user, sizeof(user), GFP_KERNEL) : NULL;
	return copy;
}

/* Where the probes of this CPU read. They run in tasks, with preemption off, so one at a time. */
static DEFINE_PER_CPU(struct syscall_user_data, user_data);

/* Behind a text that was cut stand dots. Returns its bytes, with the NUL. */
static unsigned int user_end_text(char *to, unsigned int len, unsigned int limit)
{
	if (len <= limit) {
		to[len] = '\0';
		return len + 1;
	}
	memcpy(to + limit, SYSCALL_USER_CUT, sizeof(SYSCALL_USER_CUT));
	return limit + sizeof(SYSCALL_USER_CUT);
}

/* A text that a NUL ends. */
static unsigned int user_read_text(char *to, unsigned long from, unsigned int limit)
{
	/* One byte more than can be recorded tells that it is longer. */
	long len = trace_value_copy_string(to, limit + 2, (const void *)from, true);

	if (len < 0)
		return user_end_text(to, strscpy(to, "(fault)", SYSCALL_USER_ROOM), U8_MAX);
	return user_end_text(to, len, limit);
}

/* A buffer, or a text, whose length is an argument. */
static unsigned int user_read_sized(char *to, unsigned long from, unsigned long size, bool text,
				    unsigned int limit)
{
	unsigned int len = min_t(unsigned long, size, limit);

	if (copy_from_user_nofault(to, (const void __user *)from, len))
		return text ? user_end_text(to, strscpy(to, "(fault)", SYSCALL_USER_ROOM), U8_MAX) :
			      0;
	return text ? user_end_text(to, size > limit ? limit + 1 : len, limit) : len;
}

/**
 * trace_syscall_user_read - read what an entry records of user space
 * @user: the arguments
 * @args: their values
 * @limit: bytes of each; 0: nothing is read, and texts are ""
 *
 * Context: a probe of sys_enter: a task with preemption off; does not fault.
 * Return: the data, until the probe ends.
 */
const struct syscall_user_data *trace_syscall_user_read(const struct syscall_user *user,
							const unsigned long *args,
							unsigned int limit)
{
	struct syscall_user_data *data = this_cpu_ptr(&user_data);

	data->len = user->nr * sizeof(u32);
	for (unsigned int i = 0; i < user->nr; i++) {
		const struct syscall_user_arg *ua = &user->arg[i];
		unsigned long from = args[ua->arg];
		char *to = data->data[i];

		if (!limit)
			data->size[i] = ua->text ? user_end_text(to, 0, 0) : 0;
		else if (ua->size < 0)
			data->size[i] = user_read_text(to, from, limit);
		else
			data->size[i] = user_read_sized(to, from, args[ua->size], ua->text, limit);
		data->len += data->size[i];
	}
	return data;
}

/**
 * trace_syscall_user_fill - put what was read into a record
 * @rec: the record, which has room for @data
 * @fixed: bytes of it before the location words
 * @user: the arguments
 * @data: what was read
 *
 * Context: as trace_syscall_user_read().
 */
void trace_syscall_user_fill(struct syscall_enter_record *rec, unsigned int fixed,
			     const struct syscall_user *user,
			     const struct syscall_user_data *data)
{
	unsigned int at = fixed + user->nr * sizeof(u32);
	u32 *word = (void *)rec + fixed;

	for (unsigned int i = 0; i < user->nr; i++) {
		word[i] = data->size[i] << 16 | at;
		memcpy((void *)rec + at, data->data[i], data->size[i]);
		at += data->size[i];
	}
}

/* How the memory behind an argument is recorded; NULL: the record has its value only. */
const struct syscall_user_arg *trace_syscall_user_arg(const struct syscall_user *user,
						      unsigned int arg)
{
	for (unsigned int i = 0; user && i < user->nr; i++) {
		if (user->arg[i].arg == arg)
			return &user->arg[i];
	}
	return NULL;
}
