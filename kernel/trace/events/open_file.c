// SPDX-License-Identifier: GPL-2.0
/*
 * open() and release() of the files of an event and of a system. An open file has a
 * reference of its instance and one of its trace_event_file or system. The event may be
 * removed meanwhile; then the file answers ENODEV. Files that only tell what an event is
 * have no reference of the instance, which may be removed as well.
 */
#include <linux/fs.h>

#include "events/internal.h"

/* Files of one event: i_private is the trace_event_file. */

/*
 * The directory has a reference of the file but none of the instance, so rmdir may free the
 * instance at any time, and a new one may get its address. After a reference of the instance
 * was taken, a file that is not gone proves that the instance is the file's own.
 */
int trace_event_file_open(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = inode->i_private;
	struct trace_array *tr;
	int ret;

	scoped_guard(trace_events) {
		if (trace_event_file_is_gone(file))
			return -ENODEV;
		trace_event_file_get(file);
		tr = file->tr;
	}
	ret = trace_array_open(tr);
	if (ret)
		goto put_file;
	scoped_guard(trace_events)
		ret = trace_event_file_is_gone(file) ? -ENODEV : 0;
	if (ret)
		goto put_array;
	filp->private_data = file;
	return 0;

put_array:
	trace_array_put(tr);
put_file:
	trace_event_file_put(file);
	return ret;
}

int trace_event_file_release(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = inode->i_private;

	trace_array_put(file->tr);
	trace_event_file_put(file);
	return 0;
}

/*
 * Open a file that needs nothing of the instance. It tells what an event looks like, and
 * nothing of what the kernel does, so it can be opened in a kernel that is locked down, too,
 * and in one whose tracing has given up.
 */
int trace_event_file_open_alone(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = inode->i_private;

	guard(trace_events)();
	if (trace_event_file_is_gone(file))
		return -ENODEV;
	trace_event_file_get(file);
	filp->private_data = file;
	return 0;
}

int trace_event_file_release_alone(struct inode *inode, struct file *filp)
{
	trace_event_file_put(inode->i_private);
	return 0;
}

/* Files of a system: i_private is the trace_subsystem_dir. */

/* As trace_event_file_open(): while the system has events, its instance is there. */
int trace_event_system_open(struct inode *inode, struct file *filp)
{
	struct trace_subsystem_dir *system = inode->i_private;
	struct trace_array *tr;
	int ret;

	scoped_guard(trace_events) {
		if (!system->nr_events)
			return -ENODEV;
		refcount_inc(&system->ref);
		tr = system->tr;
	}
	ret = trace_array_open(tr);
	if (ret)
		goto put_system;
	scoped_guard(trace_events)
		ret = system->nr_events ? 0 : -ENODEV;
	if (ret)
		goto put_array;
	filp->private_data = system;
	return 0;

put_array:
	trace_array_put(tr);
put_system:
	trace_event_system_put(system);
	return ret;
}

int trace_event_system_release(struct inode *inode, struct file *filp)
{
	struct trace_subsystem_dir *system = inode->i_private;

	trace_array_put(system->tr);
	trace_event_system_put(system);
	return 0;
}
