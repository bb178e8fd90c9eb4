/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dynamic events: events that users make at run time with a line of text, and remove with
 * another. This layer has the list of all of them, the file dynamic_events, and what the files
 * of each kind share. A kind, such as synthetic events, says what its lines mean.
 *
 * The list changes under trace_instances_lock() and the events mutex, and is read under the
 * events mutex. The kinds are registered at boot.
 */
#ifndef _TRACE_EVENTS_DYN_H
#define _TRACE_EVENTS_DYN_H

#include <linux/list.h>
#include <linux/trace_events.h>

struct seq_file;
struct task_struct;
struct trace_dyn_kind;

/**
 * struct trace_dyn_event - a dynamic event, part of what its kind has
 * @list:	of trace_dyn_event_add(); events mutex
 * @kind:	the kind; constant
 * @call:	its event; those of a kind may share one; constant
 * @goes:	it is being removed; events mutex
 * @number:	counts the events that were added; events mutex
 * @maker:	the task that has added it, and may be gone; events mutex
 * @owner:	goes, and the event with it; NULL: nobody; events mutex
 */
struct trace_dyn_event {
	struct list_head		list;
	const struct trace_dyn_kind	*kind;
	struct trace_event_call		*call;
	bool				goes;
	u64				number;
	const struct task_struct	*maker;
	const void			*owner;
};

/**
 * struct trace_dyn_kind - a kind of dynamic events
 * @list:	of all kinds; constant after boot
 * @create:	makes an event of a line of dynamic_events, and takes the locks itself. -ECANCELED:
 *		the line is of another kind
 * @expect:	many lines are about to come, see trace_dyn_expect(). NULL: it does not matter
 * @show:	prints the line that makes the event; the events mutex is held
 * @has_args:	does the line of an event that is to be removed tell of this one? It is asked for
 *		what stands behind the name, if anything does. NULL: nobody looks at that
 * @keeps:	the event that this one keeps, by trace_event_call_keep(). The list gives it back
 *		when this one is removed, and both can be removed together. NULL: none is kept
 * @leave:	called once for all events of the kind that are removed together, beside events
 *		of other kinds on the list @gone. They are on no other list any more;
 *		trace_instances_lock() and the events mutex are held. NULL: nothing to do
 * @settle:	called behind it without a lock: waits until nothing uses them. NULL: nothing does
 * @free:	frees an event, and its call if no other event has it; trace_instances_lock() and
 *		the events mutex are held
 */
struct trace_dyn_kind {
	struct list_head	list;
	int			(*create)(const char *line);
	void			(*expect)(const char *line, unsigned long lines);
	void			(*show)(struct seq_file *m, const struct trace_dyn_event *event);
	bool			(*has_args)(const struct trace_dyn_event *event, const char *args);
	struct trace_event_call	*(*keeps)(const struct trace_dyn_event *event);
	void			(*leave)(const struct trace_dyn_kind *kind, struct list_head *gone);
	void			(*settle)(const struct trace_dyn_kind *kind,
					  struct list_head *gone);
	void			(*free)(struct trace_dyn_event *event);
};

/**
 * typedef trace_dyn_chooser_t - choose dynamic events
 * @event: an event; the events mutex is held
 * @data: from the caller
 *
 * Return: true for an event that is meant.
 */
typedef bool (*trace_dyn_chooser_t)(const struct trace_dyn_event *event, const void *data);

/* dyn.c */
void trace_dyn_kind_register(struct trace_dyn_kind *kind);
int trace_dyn_event_add(struct trace_dyn_event *event);
u64 trace_dyn_events_number(void);
void trace_dyn_events_take_back(u64 number);
int trace_dyn_events_remove(trace_dyn_chooser_t is_meant, const void *data);
int trace_dyn_events_end(trace_dyn_chooser_t is_meant, const void *data);
int trace_dyn_events_clear(const struct trace_dyn_kind *kind);
struct trace_dyn_event *trace_dyn_event_next(const struct trace_dyn_kind *kind,
					     struct trace_dyn_event *event);
struct trace_dyn_event *trace_dyn_event_nth(const struct trace_dyn_kind *kind, loff_t n);
int trace_dyn_remove(const struct trace_dyn_kind *kind, char *line);
void trace_dyn_expect(const char *line, unsigned long lines);
int trace_dyn_run(char *line);

/* owner.c */
void trace_dyn_events_own(u64 number, const void *owner);
void trace_dyn_owner_end(const void *owner);

/* dyn_file.c */
int trace_dyn_open(struct inode *inode, struct file *file, const struct seq_operations *ops,
		   const struct trace_dyn_kind *kind);
ssize_t trace_dyn_write(const char __user *ubuf, size_t count, loff_t *ppos,
			int (*run)(char *line));
void *trace_dyn_list_start(const struct trace_dyn_kind *kind, loff_t *pos);
void *trace_dyn_list_next(const struct trace_dyn_kind *kind, void *v, loff_t *pos);
void trace_dyn_list_stop(struct seq_file *m, void *v);

/* command.c: a line that code of the kernel puts together */
void trace_dyn_command_init(struct dynevent_cmd *cmd, char *buf, int size,
			    enum dynevent_type type, dynevent_create_fn_t run);
__printf(2, 3) int trace_dyn_command_add(struct dynevent_cmd *cmd, const char *fmt, ...);

#endif /* _TRACE_EVENTS_DYN_H */
