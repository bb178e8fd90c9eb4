/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel as kernel/trace/graph/ needs it, in a process with one task. An interrupt is
 * a call of the test's, after an instruction (steps.c). Each header of the kernel that the
 * sources include becomes this one, but for <linux/trace_recursion.h>; "run" makes them,
 * and takes structures from <linux/ftrace.h> and <linux/fprobe.h>.
 */
#ifndef _GRAPH_SHIM_H
#define _GRAPH_SHIM_H

#include "shim/kernel.h"

#define CONFIG_TRACING 1
#define CONFIG_FUNCTION_TRACER 1
#define CONFIG_FTRACE_GRAPH 1
#define CONFIG_FPROBE 1
#define CONFIG_DYNAMIC_FTRACE_WITH_REGS 1
#include <linux/kconfig.h>

#define THREAD_SIZE		16384

/* complaints */
#define pr_crit(...)		fprintf(stderr, __VA_ARGS__)
#define BUG()			abort()
#define WARN(cond, ...)		({ fprintf(stderr, __VA_ARGS__); abort(); })
#define WARN_ON_ONCE(cond)	({ bool _c = (cond); if (_c) abort(); _c; })
#define WARN_ONCE(cond, ...)	WARN_ON_ONCE(cond)

/* tasks and contexts: 0 a task's, 1 a soft interrupt's, 3 an NMI's */
struct task_struct {
	struct graph_stack	*graph_stack;
	int			graph_pause;
	u16			graph_inside;
	unsigned long		trace_recursion;
	const char		*comm;
};

extern struct task_struct *current;

extern int shim_level;
extern bool shim_irqs_off;
extern unsigned int shim_irq_works;

#define task_pid_nr(task)	1
#ifdef SHIM_STACK
extern unsigned long shim_stack[];
#define task_stack_page(task)	((void *)shim_stack)
#else
#define task_stack_page(task)	NULL
#endif
#define raw_smp_processor_id()	0
#define this_cpu_inc(count)	((void)(count)++)
#define cpu_online(cpu)		((cpu) == 0)
#define SYSTEM_SCHEDULING	1
#define system_state		SYSTEM_SCHEDULING
#define interrupt_context_level() shim_level
#define irqs_disabled()		(shim_irqs_off || shim_level > 1)
/* As low bits that are one mask. */
#define NMI_MASK		0xff
#define HARDIRQ_MASK		0
#define SOFTIRQ_OFFSET		0
#define preempt_count()		shim_level
#define preempt_disable_notrace() barrier()
#ifdef SHIM_STACK
void shim_preempted(void);
#define preempt_enable_notrace() shim_preempted()
#else
#define preempt_enable_notrace() barrier()
#endif

/* memory, and work that is done later */
struct llist_node {
	struct llist_node	*next;
};

struct llist_head {
	struct llist_node	*first;
};

struct work_struct {
	void	(*func)(struct work_struct *work);
};

struct irq_work {
	void	(*func)(struct irq_work *irq);
	int	queued;
};

#define LLIST_HEAD(name)	struct llist_head name
#define DECLARE_DELAYED_WORK(name, fn) struct work_struct name = { .func = fn }
#define IRQ_WORK_INIT(fn)	((struct irq_work){ .func = (fn) })
#define IRQ_WORK_INIT_LAZY(fn)	IRQ_WORK_INIT(fn)
#define IRQ_WORK_INIT_HARD(fn)	IRQ_WORK_INIT(fn)
#define llist_for_each_safe(pos, next_pos, list) \
	for ((pos) = (list); (pos) && ((next_pos) = (pos)->next, 1); (pos) = (next_pos))
#define HZ			100
#define system_unbound_wq	NULL
#define queue_delayed_work(wq, work, delay) ((work)->func(work))
#define irq_work_queue(irq)	((irq)->queued = 1, shim_irq_works++)
#define irq_work_queue_on(irq, cpu) irq_work_queue(irq)
#define cpumask_first(mask)	0
#define kzalloc(size, gfp)	calloc(1, size)
#define kfree(ptr)		free(ptr)

struct list_head {
	struct list_head	*next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define list_first_entry_or_null(head, type, member) \
	((head)->next == (head) ? NULL : container_of((head)->next, type, member))

static inline void list_add(struct list_head *node, struct list_head *head)
{
	*node = (struct list_head) { .next = head->next, .prev = head };
	head->next->prev = node;
	head->next = node;
}

static inline void list_del(struct list_head *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	return xchg(&head->first, NULL);
}

static inline void llist_add(struct llist_node *node, struct llist_head *head)
{
	node->next = head->first;
	while (cmpxchg(&head->first, node->next, node) != node->next)
		node->next = head->first;
}

/* kprobes, which never run, and hook no return */
#define kprobe_running()	NULL
#define kprobe_busy_begin()	barrier()
#define kprobe_busy_end()	barrier()
#define is_kretprobe_trampoline(addr) false
#define kretprobe_find_ret_addr(task, frame, cur) ((void)(cur), 0UL)

/* hooks/: one task changes what is registered, and nobody else sees it */
struct ftrace_retired {
	struct list_head list;
	void		(*free)(struct ftrace_retired *retired);
};

#define ftrace_parents_hide(ops)	((void)0)
#define ftrace_parents_show()	barrier()
#define ftrace_is_return_handler(ret)	((ret) == (unsigned long)return_to_handler)

#define guard(lock)		shim_lock
#define ftrace_retire(retired)	((retired)->free(retired))

static inline void shim_lock(void)
{
}

/* <linux/ftrace.h>, and what an architecture has of it */
struct ftrace_ops {
	unsigned long	flags;
	void		*private;
};

static inline bool ftrace_ops_traces(struct ftrace_ops *ops, unsigned long ip)
{
	return true;
}

struct pt_regs {
	unsigned long	ip;
};

struct ftrace_regs {
	unsigned long	*retp;
	unsigned long	retval;
	struct pt_regs	regs;
};

typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs);

static inline void ftrace_stub(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

#define arch_ftrace_regs(fregs)	(fregs)
#define arch_ftrace_return_regs(fregs, at) ((fregs)->regs.ip = (at), &(fregs)->regs)
#define arch_ftrace_retp(fregs)	((fregs)->retp)
#define arch_ftrace_place(fregs)	((fregs)->retp)
#define ftrace_regs_get_return_value(fregs) ((fregs)->retval)
#define trace_clock_called()	0
#define trace_clock_quick()	0

struct ftrace_ret_stack;
struct fgraph_ops;
struct fprobe;
struct fprobe_hook;

#include "interface.h"

static inline unsigned long fgraph_missed(struct fgraph_ops *gops, enum fgraph_miss reason)
{
	return atomic_long_read(&gops->missed[reason]);
}

int register_ftrace_graph(struct fgraph_ops *gops);
void *fgraph_reserve_data(int idx, int size_bytes);
void *fgraph_retrieve_data(int idx, int *size_bytes);
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				    unsigned long *retp);
struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task, int skip);
void return_to_handler(void);
void ftrace_return_to_handler(struct ftrace_regs *fregs);
void ftrace_graph_stop(void);
bool ftrace_graph_is_dead(void);
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);

#include <linux/trace_recursion.h>

#endif /* _GRAPH_SHIM_H */
