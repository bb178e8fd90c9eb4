/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of functions: a handler for the entries, and one for the returns, of all the
 * functions that a pattern, a list of addresses or a list of names tells.
 *
 * kernel/trace/graph/ has the code. A probe without exit_handler is a plain ftrace_ops;
 * one with it keeps a frame for each call on a stack that belongs to the task.
 */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/types.h>

/* The function whose site is at @ip, where more than a landing pad may be in between. */
#ifndef arch_ftrace_get_symaddr
#define arch_ftrace_get_symaddr(ip)	(ip)
#endif

struct fprobe;
struct fprobe_hook;
struct pt_regs;

/*
 * Called at the entry of a function, in any context, with preemption off. @entry_ip is
 * the call site, @ret_ip where the function returns to, @entry_data NULL or the probe's
 * entry_data_size bytes for this call, which hold anything. @regs are all registers, or,
 * without CONFIG_DYNAMIC_FTRACE_WITH_REGS, those of arguments, frame and stack. Changing
 * them has no effect.
 * Return: 0, or something else: exit_handler is not called for this call.
 */
typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip,
			       unsigned long ret_ip, struct pt_regs *regs,
			       void *entry_data);

/*
 * Called at the function's return, in the same context as the entry handler. @regs are those of
 * the moment after the return: the result, and the registers that a function preserves or,
 * without CONFIG_DYNAMIC_FTRACE_WITH_REGS, only the frame pointer and the stack pointer of
 * those. The others are 0.
 */
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip,
			       unsigned long ret_ip, struct pt_regs *regs,
			       void *entry_data);

/* Besides enum fgraph_miss, why a call was missed. */
enum fprobe_miss {
	/* nr_maxactive others had not returned yet. */
	FPROBE_MISS_ACTIVE = FGRAPH_MISS_NR,
	/* A kprobe's handler was running, with FPROBE_FL_KPROBE_SHARED. */
	FPROBE_MISS_KPROBE,
	FPROBE_MISS_NR
};

/* The most that entry_data_size can be. */
#define FPROBE_MAX_DATA_SIZE	1024

/**
 * struct fprobe - a probe of functions
 * @ops: its hook on the entries; the owner leaves it alone
 * @nmissed: calls for which entry_handler, exit_handler or both were not called, though
 *	nobody had said so
 * @flags: FPROBE_FL_*
 * @entry_data_size: bytes for each call, from entry to return
 * @nr_maxactive: how many calls may wait for their return at a time; 0: as many as there
 *	is room for on the tasks' stacks
 * @entry_handler: called at entries, or NULL
 * @exit_handler: called at returns, or NULL
 *
 * The owner zeroes what is private, and changes nothing between registering and
 * unregistering but the flag that disable_fprobe() sets. The count of what was missed
 * begins with the registration.
 */
struct fprobe {
#ifdef CONFIG_FUNCTION_TRACER
	/* Without, the structure may be part of others still. */
	struct ftrace_ops	ops;
#endif
	union {
		unsigned long	nmissed;
		/* private: nmissed, for those who count */
		atomic_long_t	missed_all;
	};
	unsigned int		flags;
	size_t			entry_data_size;
	int			nr_maxactive;

	fprobe_entry_cb		entry_handler;
	fprobe_exit_cb		exit_handler;

	/*
	 * private: to kernel/trace/graph/. @entered: where calls are counted, hits and misses
	 * alike; NULL: nowhere. kernel/trace/probes/ sets it before registering.
	 */
	struct fprobe_hook	*hook;
	unsigned long __percpu	*entered;
	u32			since;
	atomic_long_t		missed[FPROBE_MISS_NR];
};

/* Handlers are not called, though functions are hooked; set by disable_fprobe(). */
#define FPROBE_FL_DISABLED	1

/*
 * entry_handler is a kprobe's, too, and not called while a handler of a kprobe is running
 * on this CPU. To be set before registering.
 */
#define FPROBE_FL_KPROBE_SHARED	2

static inline bool fprobe_disabled(struct fprobe *fp)
{
	return fp && READ_ONCE(fp->flags) & FPROBE_FL_DISABLED;
}

static inline bool fprobe_shared_with_kprobes(struct fprobe *fp)
{
	return fp && fp->flags & FPROBE_FL_KPROBE_SHARED;
}

/* How often, since it was registered, for a reason of enum fgraph_miss or fprobe_miss. */
static inline unsigned long fprobe_missed(struct fprobe *fp, int reason)
{
	return atomic_long_read(&fp->missed[reason]);
}

#ifdef CONFIG_FPROBE

/*
 * Task context; they sleep and take ftrace_lock(). -EINVAL: nothing is asked for, a pattern
 * names no function, an address is none; -ENOENT: a name is unknown; -E2BIG: of the data;
 * -EBUSY: is registered already; -ENODEV: ftrace is dead; -ENOMEM.
 */
int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter);
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num);
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num);

/* When it returns 0, no handler runs any more. -EINVAL: is not registered. */
int unregister_fprobe(struct fprobe *fp);
bool fprobe_is_registered(struct fprobe *fp);

#else /* !CONFIG_FPROBE: none is ever registered */

static inline bool fprobe_is_registered(struct fprobe *fp) { return false; }
static inline int unregister_fprobe(struct fprobe *fp) { return -EOPNOTSUPP; }

static inline int register_fprobe_syms(struct fprobe *fp, const char **syms, int num)
{
	return unregister_fprobe(fp);
}

static inline int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	return unregister_fprobe(fp);
}

static inline int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
	return unregister_fprobe(fp);
}

#endif /* CONFIG_FPROBE */

/* Call no handlers, for a while. Functions stay hooked; handlers that run go on. */
static inline void disable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags | FPROBE_FL_DISABLED);
}

/* Undo disable_fprobe(). */
static inline void enable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags & ~FPROBE_FL_DISABLED);
}

#endif /* _LINUX_FPROBE_H */
