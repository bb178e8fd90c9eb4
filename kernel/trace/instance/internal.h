/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of instance/ share with each other and with no other folder.
 */
#ifndef _TRACE_INSTANCE_INTERNAL_H
#define _TRACE_INSTANCE_INTERNAL_H

#include <linux/lockdep.h>
#include <linux/seq_file.h>

#include "instance/instance.h"

/* A tracer as one instance knows it. */
struct tracer_state {
	struct list_head	list;		/* see trace_tracer_states(), instances lock */
	const struct tracer	*tracer;	/* constant */
	u32			options;	/* instances lock, READ_ONCE() */
	void			*data;		/* instances lock, see trace_tracer_set_data() */
	struct dentry		**files;	/* instances lock; NULL: none yet */
};

/* news.c */
void trace_news_snapshot(struct trace_array *tr);

/* kept.c */
int trace_kept_alloc(struct trace_array *tr, unsigned int flags);
void trace_kept_free(struct trace_array *tr);

/* exchange.c */
#ifdef CONFIG_TRACER_SNAPSHOT
int trace_exchange_init(struct trace_array *tr);
void trace_exchange_destroy(struct trace_array *tr);
void trace_exchange_lock(struct trace_array *tr);
void trace_exchange_unlock(struct trace_array *tr);
void trace_exchange_hold(struct trace_array *tr);
void trace_exchange_release(struct trace_array *tr);
void trace_exchange_allow(struct trace_array *tr);
int trace_exchange_forbid(struct trace_array *tr);
int trace_exchange_claim(struct trace_array *tr, bool max);
void trace_exchange_unclaim(struct trace_array *tr, bool max);
int trace_exchange_all(struct trace_array *tr, enum trace_exchange_by by);
int trace_exchange_this_cpu(struct trace_array *tr, enum trace_exchange_by by);
#else
static inline int trace_exchange_init(struct trace_array *tr) { return 0; }
static inline void trace_exchange_destroy(struct trace_array *tr) { }
static inline void trace_exchange_lock(struct trace_array *tr) { }
static inline void trace_exchange_unlock(struct trace_array *tr) { }
static inline void trace_exchange_hold(struct trace_array *tr) { }
static inline void trace_exchange_release(struct trace_array *tr) { }
static inline void trace_exchange_allow(struct trace_array *tr) { }
static inline int trace_exchange_forbid(struct trace_array *tr) { return 0; }
#endif

/* Is the second buffer as large as the first? Until buffers_mutex is released, if it is held. */
static inline bool trace_exchange_allowed(const struct trace_array *tr)
{
	return READ_ONCE(tr->exchange.allowed);
}

/* Does somebody need snapshots, a tracer for its maximum included? It may change at any time. */
static inline bool trace_exchange_is_claimed(const struct trace_array *tr)
{
	return READ_ONCE(tr->exchange.users) || READ_ONCE(tr->exchange.has_max);
}

static inline bool trace_buffers_are_pinned(const struct trace_array *tr)
{
	return READ_ONCE(tr->exchange.pins);
}

/* buffers.c; outside of the instances lock, see there */
void trace_buffers_lock(struct trace_array *tr);
int trace_buffers_lock_killable(struct trace_array *tr);
void trace_buffers_unlock(struct trace_array *tr);

DEFINE_GUARD(trace_buffers, struct trace_array *, trace_buffers_lock(_T), trace_buffers_unlock(_T))

/* buffers.c: the second buffer; under buffers_mutex */
int trace_second_buffer_grow(struct trace_array *tr);
void trace_second_buffer_shrink(struct trace_array *tr);
void trace_second_buffer_reset(struct trace_array *tr, int cpu);

/* switch.c; under the instances lock */
void trace_array_switch(struct trace_array *tr, bool on);
void trace_array_set_cpumask(struct trace_array *tr, const struct cpumask *mask);

/* option.c */
const char *trace_option_strip_no(const char *text, bool *on);
char *trace_option_next_boot(const char **pos, char *word, size_t size);

/* tracer_option.c; under the instances lock */
int trace_tracer_option_set(struct trace_array *tr, struct tracer_state *state,
			    u32 bit, bool on);
void trace_tracer_options_boot(struct trace_array *tr, struct tracer_state *state);

/* option_file.c; under the instances lock */
void trace_option_create_tracer_files(struct trace_array *tr, struct tracer_state *state);
void trace_option_remove_tracer_files(struct trace_array *tr, struct tracer_state *state);

/* tracer_file.c; under the instances lock */
void trace_tracer_create_files(struct trace_array *tr, struct tracer_state *state);
void trace_tracer_remove_files(struct tracer_state *state);

/* clock.c; the order of members is that of ARCH_TRACE_CLOCKS */
struct trace_clock_entry {
	u64		(*func)(void);
	const char	*name;
	int		in_ns;
};

const struct trace_clock_entry *trace_clock_in_use(struct trace_array *tr);
void trace_clocks_show(struct seq_file *m, struct trace_array *tr);

/* tracer.c; under the instances lock */
struct list_head *trace_tracer_states(struct trace_array *tr);
struct tracer_state *trace_tracer_state(struct trace_array *tr, const struct tracer *tracer);
int trace_tracer_add_state(struct trace_array *tr, const struct tracer *tracer);
void trace_tracer_remove_state(struct trace_array *tr, const struct tracer *tracer);
const struct tracer *trace_tracer_find(const char *name);
int trace_tracer_list(const struct tracer *tracer);
int trace_tracer_unlist(const struct tracer *tracer);
int trace_tracer_start_nop(struct trace_array *tr);
void trace_tracers_show(struct seq_file *m, struct trace_array *tr);

/* comm_file.c */
int trace_comm_create_files(struct trace_array *tr, struct dentry *dir);

/* error.c */
void trace_error_log_show(struct seq_file *m, struct trace_array *tr);
void trace_error_log_clear(struct trace_array *tr);

/* Readers of pages are woken when the buffer is this full, unless told otherwise. */
#define TRACE_BUFFER_PERCENT	50

#endif /* _TRACE_INSTANCE_INTERNAL_H */
