/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/syscalls/ inside: the records of system calls, and what the probes of instances and of
 * perf share.
 */
#ifndef _TRACE_EVENTS_SYSCALLS_INTERNAL_H
#define _TRACE_EVENTS_SYSCALLS_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/nospec.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>

#include <asm/ftrace.h>
#include <asm/syscall.h>

#include "events/syscalls/user.h"

struct dentry;
struct trace_array;
struct trace_event_file;

/*
 * The records. User space has their layout from the format files. Programs of BPF read a record
 * as their context, with a pointer to registers in the place of @ent, so that both begin with
 * eight bytes.
 */
struct syscall_enter_record {
	struct trace_entry	ent;
	int			nr;
	unsigned long		args[];		/* as many as the call has, then see user.h */
};

struct syscall_exit_record {
	struct trace_entry	ent;
	int			nr;
	long			ret;
};

static_assert(sizeof(struct trace_entry) == sizeof(u64));
static_assert(offsetof(struct syscall_enter_record, args) ==
	      offsetof(struct syscall_exit_record, ret));

#ifndef ARCH_HAS_SYSCALL_MATCH_SYM_NAME
/* Is @sym the function of the system call @name, "sys_NAME"? */
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	return !strcmp(sym + strlen("sys"), name + strlen("sys"));
}
#endif

/* The number of a call that may have 32 bits, and is then of another table. */
static inline int trace_syscall_number_any(struct pt_regs *regs)
{
#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	if (unlikely(arch_trace_is_compat_syscall(regs)))
		return -1;
#endif
	return syscall_get_nr(current, regs);
}

/**
 * trace_syscall_number - the number of the system call that the current task makes
 * @regs: its registers
 *
 * User space has chosen the number, so an index that is out of bounds is not even used
 * speculatively.
 *
 * Context: probes of sys_enter and sys_exit.
 * Return: the number, below NR_syscalls; NR_syscalls: it has no events.
 */
static inline unsigned int trace_syscall_number(struct pt_regs *regs)
{
	unsigned int nr = trace_syscall_number_any(regs);

	return likely(nr < NR_syscalls) ? array_index_nospec(nr, NR_syscalls) : NR_syscalls;
}

/* Bytes of an entry with its arguments, of which a call has SYSCALL_DEFINE_MAXARGS at most. */
static __always_inline unsigned int trace_syscall_enter_size(unsigned int nr_args)
{
	return offsetof(struct syscall_enter_record, args) + nr_args * sizeof(unsigned long);
}

/* Fill in the fields of an entry. @rec has room for @nr_args. */
static __always_inline void trace_syscall_fill_enter(struct syscall_enter_record *rec,
						     unsigned int nr, unsigned int nr_args,
						     const unsigned long *args)
{
	/* Nothing else stands between the number and the arguments. */
	memset_startat(rec, 0, nr);
	rec->nr = nr;
	for (unsigned int i = 0; i < nr_args; i++)
		rec->args[i] = args[i];
}

static __always_inline void trace_syscall_fill_exit(struct syscall_exit_record *rec,
						    unsigned int nr, long ret)
{
	memset_startat(rec, 0, nr);
	rec->nr = nr;
	rec->ret = ret;
}

static inline bool trace_syscall_is_exit(const struct trace_event_call *call)
{
	const struct syscall_metadata *meta = call->data;

	return meta->exit_event == call;
}

/* numbers.c: the description of each number, NULL: it has no events. Constant after boot. */
extern struct syscall_metadata *trace_syscall_numbers[NR_syscalls];
/* The memory of user space that the entry of each records, NULL: none. Constant after boot. */
extern struct syscall_user *trace_syscall_users[NR_syscalls];

/* fields.c */
int trace_syscall_define_args(struct trace_event_call *call);
int trace_syscall_print_fmt_create(struct trace_event_call *call);
void trace_syscall_print_fmt_free(struct trace_event_call *call);

/* record.c; the events mutex is held. */
int trace_syscall_record_on(struct trace_event_file *file);
void trace_syscall_record_off(struct trace_event_file *file);

/* record.c: bytes of user space that entries of an instance record of an argument */
unsigned int trace_syscall_user_size(struct trace_array *tr);
int trace_syscall_set_user_size(struct trace_array *tr, unsigned int size);

/* perf.c; the events mutex is held. */
int trace_syscall_perf_on(struct trace_event_call *call);
void trace_syscall_perf_off(struct trace_event_call *call);

#endif /* _TRACE_EVENTS_SYSCALLS_INTERNAL_H */
