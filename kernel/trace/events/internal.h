/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of events/ share with each other and with their tests, and that
 * the layers inside events/ (filter/ and those above it) do not use.
 *
 * setup.c has all locks in their order, and tells what the words beside members mean.
 */
#ifndef _TRACE_EVENTS_INTERNAL_H
#define _TRACE_EVENTS_INTERNAL_H

#include <linux/fs.h>
#include <linux/trace_events.h>

#include "events/calls.h"
#include "events/events.h"
#include "events/field.h"
#include "events/file.h"
#include "events/user.h"
#include "instance/component.h"
#include "tasks/pid_filter.h"

struct module;
struct seq_file;
struct trace_marker_text;

#define TRACE_EVENTS_WORD_MAX	127	/* longest word that set_event takes */

/*
 * The state of an event of an instance, around the part that its probe uses. The user's switch
 * is a hard user, see user.h.
 */
struct trace_event_state {
	struct trace_event_file	file;
	struct hlist_node	of_call;	/* events mutex; see trace_event_file_of() */
	struct trace_pid_filter	*pids;				/* constant; the instance's */
	unsigned int		users[TRACE_EVENT_USERS];	/* events mutex; with the switch */
	struct list_head	user_list;	/* events mutex; struct trace_event_user */
	/* events mutex, READ_ONCE(); the only trigger, if it has a count(), or NULL */
	struct trace_event_trigger *counter;
	bool			switched;			/* events mutex; by the user */
	bool			again;				/* events mutex; see boot.c */
	bool			fresh;				/* events mutex; see enable.c */
	/* Its last hits have ended when these grace periods are over: of RCU, and of tracepoints */
	unsigned long		left;				/* events mutex */
	unsigned long		left_srcu;			/* events mutex */
};

/* The events' data in an instance. */
struct trace_events {
	struct list_head		files;		/* events mutex; struct trace_event_file */
	struct list_head		systems;	/* events mutex; trace_subsystem_dir */
	struct list_head		pending;	/* events mutex; see pending.c */
	struct eventfs_inode		*dir;		/* events mutex; NULL: no files yet */
	struct trace_pid_filter		pids;		/* its lock comes before the events mutex */
	/* Instances lock: of the last removal that took an event which was on. */
	unsigned long			removal;
};

static inline struct trace_events *trace_events_of(struct trace_array *tr)
{
	return trace_component_data(tr, &trace_events_component);
}

/*
 * Does the instance leave out the events of the running task? Any context, with preemption
 * off, which keeps the lists of pids.
 */
static inline bool trace_event_pid_ignored(struct trace_event_file *file)
{
	struct trace_event_state *state = container_of(file, struct trace_event_state, file);

	return trace_pid_filter_ignores_event(state->pids);
}

/* names.c */
void trace_event_names_add(struct trace_event_call *call);
void trace_event_names_del(const struct trace_event_call *call);

/* calls.c */
struct trace_event_evals;

int trace_event_call_add_of(struct trace_event_call *call, struct module *mod,
			    struct trace_event_evals *evals, bool late);

/* fields.c */
int trace_event_fields_create(struct trace_event_call *call);
void trace_event_fields_destroy(struct trace_event_call *call);

/* evals.c */
struct trace_event_evals {
	struct trace_eval_map	**maps;		/* of the kernel or a module */
	unsigned int		nr;
	/* The maps of the last event's system; events come system by system. */
	const char		*system;
	struct trace_eval_map	**part;
	unsigned int		nr_part;
};

void trace_event_evals_apply(struct trace_event_call *call, struct trace_event_evals *evals);
void trace_event_evals_forget(struct trace_event_call *call);

/* eval_map_file.c */
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
extern const struct seq_operations trace_event_eval_map_ops;
void trace_event_evals_keep(struct module *mod, const struct trace_event_evals *evals);
void trace_event_evals_drop(struct module *mod);
#else
static inline void trace_event_evals_keep(struct module *mod,
					  const struct trace_event_evals *evals) { }
static inline void trace_event_evals_drop(struct module *mod) { }
#endif

/* format.c */
void trace_event_format_show(struct seq_file *m, struct trace_event_call *call);

/* kinds.c */
void trace_event_kinds_init(void);
struct trace_event_call *trace_event_of_kind(unsigned int type);

/* perf.c; the events mutex is held */
#ifdef CONFIG_PERF_EVENTS
bool trace_event_perf_had(const struct trace_event_call *call);
void trace_event_perf_forget(struct trace_event_call *call);
#else
static inline bool trace_event_perf_had(const struct trace_event_call *call) { return false; }
static inline void trace_event_perf_forget(struct trace_event_call *call) { }
#endif

/* perf_function.c */
#if defined(CONFIG_FUNCTION_TRACER) && defined(CONFIG_PERF_EVENTS)
void trace_event_perf_function_offer(struct trace_event_call *call);
#else
static inline void trace_event_perf_function_offer(struct trace_event_call *call) { }
#endif

/* marker.c */
bool trace_event_marker(void *data, const struct trace_marker_text *text);

/* print.c */
extern const struct trace_fields_ops trace_event_fields_ops;

/* pointers.c */
unsigned int trace_event_find_pointers(struct trace_event_call *call);

/* files.c */
struct trace_event_file *trace_event_file_create(struct trace_array *tr,
						 struct trace_event_call *call);
void trace_event_file_take(struct trace_event_file *file);

/* users.c */
#define TRACE_EVENT_STATE_LEN	3	/* "1*" */

int trace_event_file_switch(struct trace_event_file *file, bool on);
void trace_event_file_state(struct trace_event_file *file, char *text);
void trace_event_file_end_use(struct trace_event_file *file);
bool trace_event_file_has_ended(struct trace_event_file *file);
void trace_event_file_register_again(struct trace_event_file *file, bool on);
void trace_events_disable_all(struct trace_array *tr);

/* at_once.c */
int trace_events_switch_at_once(struct trace_array *tr, const char *system, bool on);

/* enable.c */
char trace_event_enabled_char(struct trace_array *tr, const char *system);
int trace_events_parse(struct trace_array *tr, char *text, bool on);
void trace_events_fulfill(struct trace_array *tr, const char *module);

/* pending.c; the events mutex is held */
int trace_event_pending_set(struct trace_events *events, const char *text, const char *module,
			    bool on);
char *trace_event_pending_take(struct trace_events *events, const char *module);
void trace_event_pending_clear(struct trace_events *events);
void trace_event_pending_show(struct seq_file *m, const struct list_head *entry);

/* console.c: tp_printk */
void trace_events_console_init(void);
void trace_events_console(struct trace_event_buffer *fbuffer);

/* inject_file.c */
#ifdef CONFIG_TRACE_EVENT_INJECT
void trace_event_inject_init(void);
int trace_event_inject(struct trace_event_file *file, char *text);
#else
static inline void trace_event_inject_init(void) { }
#endif

/* action.c */
void trace_event_actions_init(void);

/* dir_file.c, set_file.c, pids_file.c */
void trace_event_dirs_init(void);
int trace_event_set_files_create(struct trace_array *tr, struct dentry *dir);
int trace_event_pid_files_create(struct trace_array *tr, struct dentry *dir);

#endif /* _TRACE_EVENTS_INTERNAL_H */
