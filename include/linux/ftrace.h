/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of ftrace for the rest of the kernel: hooks on function entries (struct
 * ftrace_ops), calls from boot and from the module loader, and a few helpers of tracing that
 * history put here.
 *
 * kernel/trace/sites/ records and patches call sites, kernel/trace/hooks/ calls
 * their hooks. Nothing here depends on how they do it.
 */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/linkage.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/trace_clock.h>
#include <linux/trace_recursion.h>
#include <linux/types.h>

#include <asm/ftrace.h>

struct ftrace_dispatch;
struct ftrace_hash;
struct seq_file;
struct ftrace_ops;
struct ftrace_regs;
struct module;

#ifdef CONFIG_FUNCTION_TRACER

#include <linux/ftrace_regs.h>

/*
 * Registers at the entry of a function.
 *
 * The struct that a callback gets has no members: the architecture decides which registers are
 * saved, and where, and only the accessors of <linux/ftrace_regs.h> and the helpers below know
 * it. Arguments, stack pointer and instruction pointer are always there with
 * CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS; all registers only for an ops with
 * FTRACE_OPS_FL_SAVE_REGS.
 */
struct ftrace_regs { };

#define ftrace_regs_size()	sizeof(struct __arch_ftrace_regs)

#ifndef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
/* Such an architecture saves all registers or passes no ftrace_regs at all. */
#define arch_ftrace_get_regs(fregs)	(&arch_ftrace_regs(fregs)->regs)
#define ftrace_regs_set_instruction_pointer(fregs, ip)	do { } while (0)
#endif

/* All registers, or NULL when not all were saved. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return fregs ? arch_ftrace_get_regs(fregs) : NULL;
}

/* May the accessors of arguments be used? Even so, ftrace_get_regs() can be NULL. */
static __always_inline bool ftrace_regs_has_args(struct ftrace_regs *fregs)
{
	return IS_ENABLED(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS) || ftrace_get_regs(fregs);
}

#ifndef arch_ftrace_partial_regs
#define arch_ftrace_partial_regs(regs)		do { } while (0)
#endif
#ifndef arch_ftrace_fill_perf_regs
#define arch_ftrace_fill_perf_regs(fregs, regs)	do { } while (0)
#endif

#if defined(CONFIG_HAVE_FTRACE_REGS_HAVING_PT_REGS) || \
	!defined(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS)
/*
 * View the saved registers as pt_regs; the other registers hold garbage. @regs is for
 * architectures that have no pt_regs inside of their ftrace_regs.
 */
static __always_inline struct pt_regs *
ftrace_partial_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	struct pt_regs *inside = &arch_ftrace_regs(fregs)->regs;

	arch_ftrace_partial_regs(inside);
	return inside;
}
#endif

/* As perf_arch_fetch_caller_regs(), from what the trampoline saved. */
static __always_inline struct pt_regs *
ftrace_fill_perf_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
#ifdef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
	arch_ftrace_fill_perf_regs(fregs, regs);
	return regs;
#else
	return &arch_ftrace_regs(fregs)->regs;
#endif
}

/*
 * Callback of an ops. @ip is the call site, @parent_ip where the function
 * returns to. Runs in any context, NMI and the idle loop included; preemption
 * is as the traced code left it unless FTRACE_OPS_FL_RECURSION is set. @fregs
 * is on the stack of this call.
 */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs);

/* Requests of ftrace to the owner of an ops with a direct call, see below. */
enum ftrace_ops_cmd {
	/*
	 * register_ftrace_direct() found an IPMODIFY ops on the function. 0:
	 * the direct trampoline gets along with it; -EAGAIN: call again.
	 * With the lock of direct calls and ftrace_lock() held.
	 */
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF,
	/*
	 * An IPMODIFY ops is about to join, or has left. The lock of direct
	 * calls is held: modify_ftrace_direct_nolock() may be called. After
	 * -EAGAIN the question is asked again.
	 */
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER,
	FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER,
};
typedef int (*ftrace_ops_func_t)(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd);

/* Set by the owner, before the first registration: */

/* Save all registers; -EINVAL at registration where that is not possible... */
#define FTRACE_OPS_FL_SAVE_REGS			BIT(2)
/* ... but with this one ftrace_get_regs() may be NULL instead. */
#define FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED	BIT(3)
/* The callback does not protect itself against recursion. */
#define FTRACE_OPS_FL_RECURSION			BIT(4)
/* A place holder: nothing is called. */
#define FTRACE_OPS_FL_STUB			BIT(5)
/* Changes the instruction pointer; only one such ops on a function (-EBUSY). */
#define FTRACE_OPS_FL_IPMODIFY			BIT(12)
/* Follows set_ftrace_pid of its instance. */
#define FTRACE_OPS_FL_PID			BIT(13)
/* Not to be called where RCU is not watching. */
#define FTRACE_OPS_FL_RCU			BIT(14)
/* ops->private is a struct trace_array. */
#define FTRACE_OPS_FL_TRACE_ARRAY		BIT(15)
/* kernel.ftrace_enabled cannot be turned off while this is registered. */
#define FTRACE_OPS_FL_PERMANENT			BIT(16)

/* Set by ftrace: */

/* Is registered. */
#define FTRACE_OPS_FL_ENABLED			BIT(0)
/* The ops may be freed: unregistering waits for callers. */
#define FTRACE_OPS_FL_DYNAMIC			BIT(1)
/* Was prepared for its first use. */
#define FTRACE_OPS_FL_INITIALIZED		BIT(6)
/* Its owner is going away: it cannot be registered any more (-EINVAL). */
#define FTRACE_OPS_FL_DELETED			BIT(7)
/* Carries a direct call. */
#define FTRACE_OPS_FL_DIRECT			BIT(17)

/* To read arguments, an ops without CONFIG_DYNAMIC_FTRACE_WITH_ARGS needs all registers. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define FTRACE_OPS_FL_SAVE_ARGS			0
#else
#define FTRACE_OPS_FL_SAVE_ARGS			FTRACE_OPS_FL_SAVE_REGS
#endif

/* The sites of an ops: those of @filter_hash (none: all), less those of @notrace_hash. */
struct ftrace_ops_hash {
	struct ftrace_hash __rcu	*filter_hash;
	struct ftrace_hash __rcu	*notrace_hash;
};

/**
 * struct ftrace_ops - a hook on the entries of functions
 * @func:	called at each entry of a function that the filters name
 * @flags:	FTRACE_OPS_FL_*
 * @private:	the owner's
 * @saved_func:	the owner's; the callback behind the one that tests pids
 * @ops_func:	answers FTRACE_OPS_CMD_*, for direct calls
 *
 * The owner zeroes the other members and leaves them alone. It keeps the ops valid
 * until unregister_ftrace_function() has returned, with an error or without. When the ops
 * or its callback lies outside of the kernel's own static data, no CPU runs the callback
 * then. When both are static, the callback may run a while longer: before the owner frees
 * what such a callback uses, it calls synchronize_rcu_tasks() and
 * synchronize_rcu_tasks_rude().
 */
struct ftrace_ops {
	ftrace_func_t			func;
	unsigned long			flags;
	void				*private;
	ftrace_func_t			saved_func;
	ftrace_ops_func_t		ops_func;

#ifdef CONFIG_DYNAMIC_FTRACE
	/* private: to kernel/trace/hooks/ and the architecture */
	struct ftrace_ops_hash		local_hash;
	struct ftrace_ops_hash		*func_hash;
	struct ftrace_dispatch		*dispatch;
	unsigned long			trampoline;
	unsigned long			trampoline_size;
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	unsigned long			direct_call;
#endif
};

/* 0: everything is off, by kernel.ftrace_enabled or for good. */
extern int ftrace_enabled;

/*
 * Hooks. Task context; they sleep and take ftrace_lock(), text_mutex inside of
 * it. -ENODEV: ftrace is dead; -EBUSY: is (not) registered, or a conflict;
 * -EINVAL: flags or sites that do not fit; -ENOMEM.
 */
int register_ftrace_function(struct ftrace_ops *ops);
int unregister_ftrace_function(struct ftrace_ops *ops);

/* A callback that does nothing. */
void ftrace_stub(unsigned long ip, unsigned long parent_ip,
		 struct ftrace_ops *ops, struct ftrace_regs *fregs);

/*
 * A user of returns that is none of struct fgraph_ops begins to hook some, or hooks no more.
 * Until all returns that it has hooked have returned, functions may find a handler's address.
 */
void ftrace_returns_hooked(bool on);

/* Nothing is patched or called any more until the next boot. Any context. */
void ftrace_kill(void);

#else /* !CONFIG_FUNCTION_TRACER */

/* Macros: the ops need not exist. */
#define register_ftrace_function(ops)				({ 0; })
#define unregister_ftrace_function(ops)				({ 0; })

static inline void ftrace_returns_hooked(bool on) { }
static inline void ftrace_kill(void) { }

#endif /* CONFIG_FUNCTION_TRACER */

/*
 * Sites: which of them an ops is called at, where they are, and how they come
 * and go. Without CONFIG_DYNAMIC_FTRACE every function calls every ops.
 */
#ifdef CONFIG_DYNAMIC_FTRACE

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset);
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset);
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);
void ftrace_set_global_filter(unsigned char *buf, int len, int reset);
void ftrace_set_global_notrace(unsigned char *buf, int len, int reset);
void ftrace_ops_set_global_filter(struct ftrace_ops *ops);
void ftrace_free_filter(struct ftrace_ops *ops);

/* Sites by address: any context. 0: there is none. */
unsigned long ftrace_location(unsigned long ip);
unsigned long ftrace_location_range(unsigned long start, unsigned long end);
int ftrace_text_reserved(const void *start, const void *end);
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs);

/* Return the ops whose trampoline is at this address, or NULL. Any context, under RCU. */
struct ftrace_ops *ftrace_ops_trampoline(unsigned long addr);
bool is_ftrace_trampoline(unsigned long addr);

/* The architecture's entries, of which the trampolines are copies. */
void ftrace_caller(void);
void ftrace_regs_caller(void);

/* Text that is freed once its initialization is over. */
void ftrace_free_init_mem(void);
void ftrace_free_mem(struct module *mod, void *start, void *end);

/* The module loader's calls: sites are known, may be patched, go away. */
void ftrace_module_init(struct module *mod);
void ftrace_module_enable(struct module *mod);
void ftrace_release_mod(struct module *mod);

/* Names for kallsyms: init functions that are gone, trampolines. */
int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type, char *name,
			   char *module_name, int *exported);

#else /* !CONFIG_DYNAMIC_FTRACE */

/* Macros: the ops need not exist. */
#define ftrace_set_filter_ip(ops, ip, remove, reset)		({ -ENODEV; })
#define ftrace_set_filter_ips(ops, ips, cnt, remove, reset)	({ -ENODEV; })
#define ftrace_set_filter(ops, buf, len, reset)			({ -ENODEV; })
#define ftrace_set_notrace(ops, buf, len, reset)		({ -ENODEV; })
#define ftrace_ops_set_global_filter(ops)			do { } while (0)
#define ftrace_free_filter(ops)					do { } while (0)

static inline unsigned long ftrace_location(unsigned long ip) { return 0; }
static inline int ftrace_text_reserved(const void *start, const void *end) { return 0; }
static inline int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs)
{
	return -EOPNOTSUPP;
}

static inline bool is_ftrace_trampoline(unsigned long addr) { return false; }
static inline void ftrace_free_init_mem(void) { }
static inline void ftrace_free_mem(struct module *mod, void *start, void *end) { }
static inline void ftrace_module_init(struct module *mod) { }
static inline void ftrace_module_enable(struct module *mod) { }
static inline void ftrace_release_mod(struct module *mod) { }
static inline int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
					 char *name, char *module_name, int *exported)
{
	return -1;
}

#endif /* CONFIG_DYNAMIC_FTRACE */

#if defined(CONFIG_DYNAMIC_FTRACE) && defined(CONFIG_MODULES)
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size, unsigned long *off,
			      char **modname, const unsigned char **modbuildid, char *sym);
#else
static inline int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size,
					    unsigned long *off, char **modname,
					    const unsigned char **modbuildid, char *sym)
{
	return 0;
}
#endif

/*
 * Direct calls: the sites of an ops call @addr, code of the owner's that looks
 * like a trampoline; with other ops on the same function, their trampoline
 * goes on to @addr. One direct call a function (-EBUSY). @addr may still be
 * entered for a grace period of tasks RCU after it was taken away.
 */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
unsigned long ftrace_find_rec_direct(unsigned long ip);
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters);
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr);
void ftrace_stub_direct_tramp(void);
#else
/* Without direct calls none is ever found, and every request fails. */
static inline unsigned long ftrace_find_rec_direct(unsigned long ip) { return 0; }

#define __ftrace_no_direct(name, ...)					\
static inline int name(struct ftrace_ops *ops, unsigned long addr, ##__VA_ARGS__) \
{									\
	return -ENODEV;							\
}
__ftrace_no_direct(register_ftrace_direct)
__ftrace_no_direct(unregister_ftrace_direct, bool free_filters)
__ftrace_no_direct(modify_ftrace_direct)
__ftrace_no_direct(modify_ftrace_direct_nolock)
#undef __ftrace_no_direct
#endif

/* kexec: off and back on, on the last CPU, without a lock. */
static inline int __ftrace_enabled_save(void)
{
#ifdef CONFIG_FUNCTION_TRACER
	return xchg(&ftrace_enabled, 0);
#else
	return 0;
#endif
}

static inline void __ftrace_enabled_restore(int enabled)
{
#ifdef CONFIG_FUNCTION_TRACER
	ftrace_enabled = enabled;
#endif
}

static inline void tracer_disable(void)
{
	__ftrace_enabled_restore(0);
}

/* Boot. */
#ifdef CONFIG_FTRACE_MCOUNT_RECORD
void ftrace_init(void);
#else
static inline void ftrace_init(void) { }
#endif

#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
#define FTRACE_CALLSITE_SECTION	"__patchable_function_entries"
#else
#define FTRACE_CALLSITE_SECTION	"__mcount_loc"
#endif

#ifdef CONFIG_TRACING
void early_trace_init(void);
void trace_init(void);
#else
static inline void early_trace_init(void) { }
static inline void trace_init(void) { }
#endif

/* Controls of the trace buffer that sysctl and WARN() use. */
#ifdef CONFIG_TRACING
#define MAX_TRACER_SIZE		100
extern char ftrace_dump_on_oops[];
extern int tracepoint_printk;
extern int __disable_trace_on_warning;

int ftrace_dump_on_oops_enabled(void);
void disable_trace_on_warning(void);
int tracepoint_printk_sysctl(const struct ctl_table *table, int write, void *buffer,
			     size_t *lenp, loff_t *ppos);
#else
static inline void disable_trace_on_warning(void) { }
#endif

#ifdef CONFIG_FTRACE_SYSCALLS
unsigned long arch_syscall_addr(int nr);
#endif

/*
 * Returns of functions: a user (struct fgraph_ops) is called at the entry of the
 * functions that its filters name, and again when they return if it said so at the
 * entry. kernel/trace/graph/ keeps a frame for each such call on a stack that belongs
 * to the task.
 */
struct fgraph_ops;

/* The argument of entryfunc. @depth: frames of the task below this one. */
struct ftrace_graph_ent {
	unsigned long		func;
	int			depth;
} __packed;

/*
 * The argument of retfunc. @overrun: calls of this task that found its stack full; the times
 * are of the local clock.
 */
struct ftrace_graph_ret {
	unsigned long		func;
	unsigned long		retval;
	int			depth;
	unsigned int		overrun;
	unsigned long long	calltime;
	unsigned long long	rettime;
} __packed;

/* Callbacks run in any context, NMI included, with preemption off. */
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace, struct fgraph_ops *gops);
/* 0: the return is not wanted, and data that were reserved are gone. */
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace, struct fgraph_ops *gops);

/* Why the return of a call was missed. */
enum fgraph_miss {
	/* No spare stack was left for a task that had none. */
	FGRAPH_MISS_NO_STACK,
	/* The task's stack is full. */
	FGRAPH_MISS_FULL,
	/* The call, or its return, came from within a callback in the same context. */
	FGRAPH_MISS_RECURSION,
	/* Between pause_graph_tracing() and unpause_graph_tracing(). */
	FGRAPH_MISS_PAUSED,
	/* The call was left without a return, as by bpf_throw(). */
	FGRAPH_MISS_LEFT,
	FGRAPH_MISS_NR
};

/**
 * struct ftrace_ret_stack - a call whose return is awaited
 * @ret:	where the function returns to
 * @func:	its call site
 * @retp:	its place, by which unwinders find it: where the stack says
 *		return_to_handler() instead, or what arch_ftrace_place() has in place of
 *		that; NULL: nothing yet
 * @calltime:	of the local clock
 * @epoch:	users that were registered later do not know of the call
 * @users:	who wants the return
 * @data:	offset of the end of the users' data in the task's stack
 */
struct ftrace_ret_stack {
	unsigned long		ret;
	unsigned long		func;
	unsigned long		*retp;
	u64			calltime;
	u32			epoch;
	u16			users;
	u16			data;
};

/* The most bytes that a user may reserve for a call. */
#define FGRAPH_MAX_DATA_SIZE	128

/* The architecture's: hooked functions return to it. */
void return_to_handler(void);

#ifdef CONFIG_FTRACE_GRAPH

/* The value that tells the calls of a task apart; unwinders name it as retp. */
#ifndef arch_ftrace_place
#define arch_ftrace_place(fregs)	arch_ftrace_retp(fregs)
#endif

struct graph_short;
struct graph_stack;

/**
 * struct fgraph_ops - a user of the returns of functions
 * @entryfunc:	called at the entry of a function
 * @retfunc:	called at its return, if @entryfunc returned something else than 0
 * @ops:	its filters say which functions; @ops.func and @ops.flags are graph's
 * @private:	the owner's
 *
 * The owner zeroes the other members and leaves them alone. It keeps all valid until
 * unregister_ftrace_graph() has returned. When it and the callbacks lie in the kernel's
 * own static data and text, callbacks may run a while longer, as those of an ftrace_ops.
 */
struct fgraph_ops {
	struct ftrace_ops	ops;
	trace_func_graph_ent_t	entryfunc;
	trace_func_graph_ret_t	retfunc;
	void			*private;

	/* private: to kernel/trace/graph/ */
	u16			idx;
	u16			bit;
	u32			since;
	void			(*sole_return)(struct ftrace_regs *fregs,
					       struct graph_stack *stack,
					       struct fgraph_ops *gops,
					       struct ftrace_ret_stack *frame);
	struct ftrace_ops	*roots;
	const struct graph_short *way;
	atomic_long_t		missed[FGRAPH_MISS_NR];
};

/*
 * Task context; they take ftrace_lock(). -EINVAL: a callback is missing; -EBUSY: is
 * registered already; -ENOSPC: there are as many users as there can be; -ENOMEM; -ENODEV:
 * ftrace is dead; -EINTR: the task is being killed, and had to wait for one that has left.
 */
int register_ftrace_graph(struct fgraph_ops *gops);
void unregister_ftrace_graph(struct fgraph_ops *gops);

/* Since it was registered. */
static inline unsigned long fgraph_missed(struct fgraph_ops *gops, enum fgraph_miss reason)
{
	return atomic_long_read(&gops->missed[reason]);
}

/*
 * For callbacks, @idx being gops->idx. A call's data are there from the entry to the
 * return; NULL: no room, too large, or none was reserved. A task's variable begins as 0.
 */
void *fgraph_reserve_data(int idx, int size_bytes);
void *fgraph_retrieve_data(int idx, int *size_bytes);
unsigned long *fgraph_get_task_var(struct fgraph_ops *gops);

/* For unwinders, in any context; the task is current or does not run. */
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				    unsigned long *retp);
struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task, int skip);

/* Called by return_to_handler(). */
void ftrace_return_to_handler(struct ftrace_regs *fregs);

/*
 * No call is hooked any more until the next boot. Users are still told of the returns that are
 * awaited. Any context.
 */
void ftrace_graph_stop(void);
bool ftrace_graph_is_dead(void);

/* The life of a task. An idle task is forked like others, and begins anew with its CPU. */
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_new_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);
void ftrace_graph_begin_idle(void);
static inline void ftrace_graph_init_idle_task(struct task_struct *t, int cpu) { }

/* While current executes what does not return the way that it was called. They nest. */
static inline void pause_graph_tracing(void)
{
	WRITE_ONCE(current->graph_pause, current->graph_pause + 1);
	barrier();
}

static inline void unpause_graph_tracing(void)
{
	barrier();
	WRITE_ONCE(current->graph_pause, current->graph_pause - 1);
}

/* For a function that is entered by one task and left by another. */
#define __notrace_funcgraph		notrace

#else /* !CONFIG_FTRACE_GRAPH */

#define __notrace_funcgraph

static inline void ftrace_graph_init_task(struct task_struct *t) { }
static inline void ftrace_graph_new_task(struct task_struct *t) { }
static inline void ftrace_graph_exit_task(struct task_struct *t) { }
static inline void ftrace_graph_begin_idle(void) { }
static inline void ftrace_graph_init_idle_task(struct task_struct *t, int cpu) { }
static inline void pause_graph_tracing(void) { }
static inline void unpause_graph_tracing(void) { }
static inline unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx,
						  unsigned long ret, unsigned long *retp)
{
	return ret;
}

#endif /* CONFIG_FTRACE_GRAPH */

#ifdef CONFIG_STACK_TRACER

/* kernel.stack_tracer_enabled */
extern int stack_tracer_enabled;
int stack_trace_sysctl(const struct ctl_table *table, int write, void *buffer, size_t *lenp,
		       loff_t *ppos);

DECLARE_PER_CPU(int, disable_stack_tracer);

/**
 * stack_tracer_disable - keep the stack tracer from looking at stacks on this CPU
 *
 * For code that cannot bear it, as unwinding uses RCU.
 *
 * Context: any, not to be preempted until stack_tracer_enable().
 */
static inline void stack_tracer_disable(void)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_DEBUG_PREEMPT) && preemptible());
	__this_cpu_inc(disable_stack_tracer);
}

/**
 * stack_tracer_enable - undo stack_tracer_disable()
 *
 * Context: that of stack_tracer_disable().
 */
static inline void stack_tracer_enable(void)
{
	__this_cpu_dec(disable_stack_tracer);
}

#else
static inline void stack_tracer_disable(void) { }
static inline void stack_tracer_enable(void) { }
#endif

/*
 * Addresses of callers: level 0 works everywhere, others where the
 * architecture says so or the kernel keeps frame pointers.
 */
#ifndef ftrace_return_address0
#define ftrace_return_address0		__builtin_return_address(0)
#endif
#ifndef ftrace_return_address
#ifdef CONFIG_FRAME_POINTER
#define ftrace_return_address(n)	__builtin_return_address(n)
#else
#define ftrace_return_address(n)	0UL
#endif
#endif

#define __CALLER_ADDR(n)	((unsigned long)ftrace_return_address(n))
#define CALLER_ADDR0		((unsigned long)ftrace_return_address0)
#define CALLER_ADDR1		__CALLER_ADDR(1)
#define CALLER_ADDR2		__CALLER_ADDR(2)
#define CALLER_ADDR3		__CALLER_ADDR(3)
#define CALLER_ADDR4		__CALLER_ADDR(4)
#define CALLER_ADDR5		__CALLER_ADDR(5)
#define CALLER_ADDR6		__CALLER_ADDR(6)

/* The first caller that is not part of a lock function. */
static __always_inline unsigned long get_lock_parent_ip(void)
{
	if (!in_lock_functions(CALLER_ADDR0))
		return CALLER_ADDR0;
	return in_lock_functions(CALLER_ADDR1) ? CALLER_ADDR2 : CALLER_ADDR1;
}

/*
 * Probes of events that are hooked at functions' sites instead of being kprobes, for
 * kernel/kprobes.c: switch all of them, and show those that are there in its list.
 *
 * ftrace_kprobes_refuse() is there: must kprobes not probe an address? It does not know the parts
 * that the compiler has split off such a function.
 */
bool ftrace_kprobes_refuse(unsigned long addr);
#if defined(CONFIG_KPROBES_ON_FTRACE) && defined(CONFIG_KPROBE_EVENTS)
void ftrace_kprobes_switch(bool on);
void ftrace_kprobes_show(struct seq_file *m);
#else
static inline void ftrace_kprobes_switch(bool on) { }
static inline void ftrace_kprobes_show(struct seq_file *m) { }
#endif

#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
void trace_preempt_on(unsigned long a0, unsigned long a1);
void trace_preempt_off(unsigned long a0, unsigned long a1);
#else
/* Macros: finding the caller's address is code on some architectures. */
#define trace_preempt_on(a0, a1)	do { } while (0)
#define trace_preempt_off(a0, a1)	do { } while (0)
#endif

#endif /* _LINUX_FTRACE_H */
