/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of an instance: a struct trace_event_file for each event, and its directory
 * events/SYSTEM/EVENT. A layer inside events/ has a part in both: it is told when a file comes
 * and goes, and adds its own entries to the directories.
 */
#ifndef _TRACE_EVENTS_FILE_H
#define _TRACE_EVENTS_FILE_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/trace_events.h>

struct eventfs_entry;
struct eventfs_inode;
struct trace_array;

/*
 * A directory events/SYSTEM of an instance. It lives as long as one of its
 * events does or a file of it is open.
 */
struct trace_subsystem_dir {
	struct list_head	list;		/* events mutex */
	struct trace_array	*tr;		/* constant */
	char			*name;		/* constant */
	struct eventfs_inode	*ei;		/* events mutex */
	unsigned int		nr_events;	/* events mutex */
	refcount_t		ref;		/* atomic; of the directory and of open files */
};

/* files.c; the events mutex is held. */
struct list_head *trace_event_files(struct trace_array *tr);
struct trace_event_file *trace_event_file_of(struct trace_array *tr,
					     struct trace_event_call *call);
struct trace_event_file *trace_event_file_find(struct trace_array *tr, const char *system,
					       const char *name);
struct trace_event_file *trace_event_file_find_hit(struct trace_array *tr, const char *system,
						   const char *name);
bool trace_event_file_is_gone(struct trace_event_file *file);

/* The events of an instance that has some; the events mutex is held. */
#define for_each_trace_event_file(file, tr)				\
	list_for_each_entry(file, trace_event_files(tr), list)

/* References, in task context with or without the events mutex. */
void trace_event_file_get(struct trace_event_file *file);
void trace_event_file_put(struct trace_event_file *file);
void trace_event_system_put(struct trace_subsystem_dir *system);

/**
 * struct trace_event_part - what a layer has at each event of each instance
 * @list:	of trace_event_part_add(); E
 * @came:	an instance has an event more. Other layers may not have their part of it yet
 * @goes:	the event goes, from one instance or for good. Its probe has returned for the last
 *		time, and it has no users; the file has not been marked as gone
 *
 * Either may be NULL. An instance that is removed removes its files after all components that
 * are above the events have been destroyed.
 *
 * Context of both: task, may sleep; the events mutex is held, and in @came
 * trace_instances_lock() as well.
 */
struct trace_event_part {
	struct list_head	list;
	void			(*came)(struct trace_event_file *file);
	void			(*goes)(struct trace_event_file *file);
};

void trace_event_part_add(struct trace_event_part *part);
void trace_event_part_del(struct trace_event_part *part);

/* Directories, and the data that their entries get. */
enum trace_event_dir {
	TRACE_EVENT_DIR_EVENT,		/* events/SYSTEM/EVENT: struct trace_event_file */
	TRACE_EVENT_DIR_SYSTEM,		/* events/SYSTEM: struct trace_subsystem_dir */
	TRACE_EVENT_DIR_ALL,		/* events: struct trace_array */
	TRACE_EVENT_DIRS
};

/* dir_file.c: boot, before the first directory is made. */
int trace_event_dir_add(enum trace_event_dir dir, const struct eventfs_entry *entry);

/* open_file.c: open() and release() of an event's and a system's files */
int trace_event_file_open(struct inode *inode, struct file *filp);
int trace_event_file_release(struct inode *inode, struct file *filp);
int trace_event_file_open_alone(struct inode *inode, struct file *filp);
int trace_event_file_release_alone(struct inode *inode, struct file *filp);
int trace_event_system_open(struct inode *inode, struct file *filp);
int trace_event_system_release(struct inode *inode, struct file *filp);

#endif /* _TRACE_EVENTS_FILE_H */
