// SPDX-License-Identifier: GPL-2.0
/*
 * Records of system calls in the buffers of instances.
 *
 * An instance that has the event of an entry on has a probe at sys_enter, and a table of files
 * by number that the probe looks into; sys_exit has the same. The tracepoint has each task take
 * the slow way into system calls as long as it has a probe, so the probe is there only while
 * one of its events is on, and is counted after its registration has succeeded.
 *
 * The probes run with preemption off, which keeps the files: an event that went is freed after
 * tracepoint_synchronize_unregister(), and so is the table, which goes with the instance.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <trace/events/syscalls.h>

#include "events/calls.h"
#include "events/syscalls/internal.h"
#include "events/syscalls/syscalls.h"
#include "instance/component.h"

/* The events of entries, or of exits, that an instance has on. */
struct syscall_files {
	unsigned int			nr_on;			/* events mutex */
	struct trace_event_file __rcu	*file[NR_syscalls];	/* events mutex, RCU */
};

/* The data of an instance, from its first event of a system call on. */
struct syscall_instance {
	struct syscall_files	enter;
	struct syscall_files	exit;
	unsigned int		user_size;	/* READ_ONCE(); trace_syscall_user_size() */
};

/* Record an entry with what its arguments point to. Preemption is off. */
static noinline void syscall_record_enter_user(struct trace_event_file *file,
					       const struct syscall_user *user,
					       struct pt_regs *regs, unsigned int nr,
					       unsigned int limit)
{
	unsigned long args[SYSCALL_DEFINE_MAXARGS] __uninitialized;
	struct trace_event_buffer fbuffer __uninitialized;
	unsigned int nr_args = trace_syscall_numbers[nr]->nb_args;
	unsigned int fixed = trace_syscall_enter_size(nr_args);
	const struct syscall_user_data *data;
	struct syscall_enter_record *rec;

	syscall_get_arguments(current, regs, args);
	data = trace_syscall_user_read(user, args, limit);
	rec = trace_event_buffer_reserve(&fbuffer, file, fixed + data->len);
	if (!rec)
		return;
	trace_syscall_fill_enter(rec, nr, nr_args, args);
	trace_syscall_user_fill(rec, fixed, user, data);
	trace_event_buffer_commit(&fbuffer);
}

static void syscall_record_enter(void *data, struct pt_regs *regs, long id)
{
	unsigned int nr = trace_syscall_number(regs);
	unsigned long args[SYSCALL_DEFINE_MAXARGS] __uninitialized;
	struct trace_event_buffer fbuffer __uninitialized;
	struct syscall_files *files = data;
	struct syscall_instance *instance;
	struct syscall_enter_record *rec;
	struct trace_event_file *file;
	unsigned int nr_args;

	if (nr == NR_syscalls)
		return;
	file = rcu_dereference_sched(files->file[nr]);
	if (!file || trace_trigger_soft_disabled(file))
		return;
	if (trace_syscall_users[nr]) {
		instance = container_of(files, struct syscall_instance, enter);
		syscall_record_enter_user(file, trace_syscall_users[nr], regs, nr,
					  READ_ONCE(instance->user_size));
		return;
	}
	nr_args = trace_syscall_numbers[nr]->nb_args;
	rec = trace_event_buffer_reserve(&fbuffer, file, trace_syscall_enter_size(nr_args));
	if (!rec)
		return;
	if (nr_args)
		syscall_get_arguments(current, regs, args);
	trace_syscall_fill_enter(rec, nr, nr_args, args);
	trace_event_buffer_commit(&fbuffer);
}

static void syscall_record_exit(void *data, struct pt_regs *regs, long ret)
{
	unsigned int nr = trace_syscall_number(regs);
	struct trace_event_buffer fbuffer __uninitialized;
	struct syscall_files *files = data;
	struct syscall_exit_record *rec;
	struct trace_event_file *file;

	if (nr == NR_syscalls)
		return;
	file = rcu_dereference_sched(files->file[nr]);
	if (!file || trace_trigger_soft_disabled(file))
		return;
	rec = trace_event_buffer_reserve(&fbuffer, file, sizeof(*rec));
	if (!rec)
		return;
	trace_syscall_fill_exit(rec, nr, ret);
	trace_event_buffer_commit(&fbuffer);
}

/* The data of the instance; NULL: no memory. */
static struct syscall_instance *syscall_record_instance(struct trace_array *tr)
{
	struct syscall_instance *instance;

	trace_events_assert_locked();

	instance = trace_component_data(tr, &trace_event_syscalls_component);
	if (instance)
		return instance;
	instance = kvzalloc(sizeof(*instance), GFP_KERNEL);
	if (!instance)
		return NULL;
	instance->user_size = CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT;
	trace_component_set_data(tr, &trace_event_syscalls_component, instance);
	return instance;
}

/**
 * trace_syscall_user_size - how much of user space do entries of an instance record?
 * @tr: the instance
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: bytes of an argument, up to SYSCALL_USER_MAX.
 */
unsigned int trace_syscall_user_size(struct trace_array *tr)
{
	struct syscall_instance *instance;

	guard(trace_events)();
	instance = trace_component_data(tr, &trace_event_syscalls_component);
	return instance ? instance->user_size : CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT;
}

/**
 * trace_syscall_set_user_size - change how much of user space entries of an instance record
 * @tr: the instance
 * @size: bytes of an argument, up to SYSCALL_USER_MAX; 0: nothing
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0 or -ENOMEM.
 */
int trace_syscall_set_user_size(struct trace_array *tr, unsigned int size)
{
	struct syscall_instance *instance;

	guard(trace_events)();
	instance = syscall_record_instance(tr);
	if (!instance)
		return -ENOMEM;
	WRITE_ONCE(instance->user_size, size);
	return 0;
}

/* Record the calls of an event of an instance. 0, -ENOMEM, or the errno of the tracepoint. */
int trace_syscall_record_on(struct trace_event_file *file)
{
	struct syscall_instance *instance = syscall_record_instance(file->tr);
	const struct syscall_metadata *meta = file->event_call->data;
	bool is_exit = trace_syscall_is_exit(file->event_call);
	struct syscall_files *files;
	int ret = 0;

	if (!instance)
		return -ENOMEM;
	files = is_exit ? &instance->exit : &instance->enter;
	if (!files->nr_on)
		ret = is_exit ? register_trace_sys_exit(syscall_record_exit, files) :
				register_trace_sys_enter(syscall_record_enter, files);
	if (ret)
		return ret;
	files->nr_on++;
	rcu_assign_pointer(files->file[meta->syscall_nr], file);
	return 0;
}

/* Undo trace_syscall_record_on(). The probe may still run for a grace period. */
void trace_syscall_record_off(struct trace_event_file *file)
{
	struct syscall_instance *instance = syscall_record_instance(file->tr);
	const struct syscall_metadata *meta = file->event_call->data;
	bool is_exit = trace_syscall_is_exit(file->event_call);
	struct syscall_files *files = is_exit ? &instance->exit : &instance->enter;

	RCU_INIT_POINTER(files->file[meta->syscall_nr], NULL);
	if (--files->nr_on)
		return;
	if (is_exit)
		unregister_trace_sys_exit(syscall_record_exit, files);
	else
		unregister_trace_sys_enter(syscall_record_enter, files);
}

/* The users of the events have gone, and their probes have returned. */
static void syscall_record_instance_destroy(struct trace_array *tr)
{
	struct syscall_instance *instance;

	instance = trace_component_data(tr, &trace_event_syscalls_component);
	WARN_ON_ONCE(instance && (instance->enter.nr_on || instance->exit.nr_on));
	trace_component_set_data(tr, &trace_event_syscalls_component, NULL);
	kvfree(instance);
}

struct trace_component trace_event_syscalls_component __ro_after_init = {
	.name		= "syscalls",
	.readme		=
		"  events/syscalls/\t- sys_enter_<name> with the arguments of a system call,\n"
		"\t\t\t  sys_exit_<name> with what it returns\n"
		"  syscall_user_buf_size\t- bytes of a text or buffer of user space in these, up to 165\n",
	.destroy	= syscall_record_instance_destroy,
};
