/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/: hooks on the returns of functions. The interface for the rest of the kernel is
 * <linux/ftrace.h>; this header is for the layers of kernel/trace above.
 */
#ifndef _TRACE_GRAPH_H
#define _TRACE_GRAPH_H

#include <linux/container_of.h>
#include <linux/ftrace.h>

struct fprobe;
struct ftrace_retired;
struct graph_short;
struct seq_file;

/**
 * struct fgraph_call - an entry, as entryfunc is told of it
 * @ent: what is known to all
 * @calltime: when it began, in the local clock
 */
struct fgraph_call {
	struct ftrace_graph_ent	ent;
	u64			calltime;
};

/* When did the call begin of which entryfunc is told? */
static __always_inline u64 fgraph_calltime(const struct ftrace_graph_ent *call)
{
	return container_of_const(call, struct fgraph_call, ent)->calltime;
}

int fgraph_register_as(struct fgraph_ops *gops, struct ftrace_ops *roots,
		       const struct graph_short *way);
bool fgraph_unregister_nowait(struct fgraph_ops *gops);
void fgraph_forget_calls(struct fgraph_ops *gops);
void fgraph_show_missed(struct seq_file *m, struct fgraph_ops *gops);
void fgraph_set_inside(const struct fgraph_ops *gops, bool inside);
unsigned long fgraph_caller(const struct ftrace_graph_ent *call);
struct ftrace_regs *fgraph_call_regs(const struct ftrace_graph_ent *call);
unsigned int fgraph_calls_around(const struct fgraph_ops *gops, int depth, unsigned int max);
void *fgraph_data_around(const struct fgraph_ops *gops, const void *data, int size_bytes);

/* Wait until the numbers are free that register_ftrace_graph() could not have without waiting. */
#ifdef CONFIG_FTRACE_GRAPH
int fgraph_numbers_wait(void);
#else
static inline int fgraph_numbers_wait(void) { return 0; }
#endif

/* For fprobes that come and go often: of one module's functions, and without a wait. */
int fprobe_register_in(struct fprobe *fp, const char *filter, const char *module);
void fprobe_unregister_later(struct fprobe *fp, struct ftrace_retired *retired);

/*
 * For a user that hooks functions by an ops of its own, and tells a probe of each call. It has set
 * fprobe.entered, where the calls are counted.
 */
int fprobe_begin_alone(struct fprobe *fp);
void fprobe_end_alone(struct fprobe *fp, struct ftrace_retired *retired);
void fprobe_hit_alone(struct fprobe *fp, unsigned long ip, unsigned long parent_ip,
		      struct ftrace_regs *fregs);

/* How long current was not running, as far as somebody wants to know. */
int fgraph_sleep_get(void);
void fgraph_sleep_put(void);
u64 fgraph_slept(void);

/* How long current was interrupted, in the same way, and whether it is interrupted now. */
int fgraph_interrupts_get(void);
void fgraph_interrupts_put(void);
u64 fgraph_interrupted(u64 *until);
u64 fgraph_interrupted_at_entry(void);
unsigned int fgraph_interrupt_level(void);

#endif /* _TRACE_GRAPH_H */
