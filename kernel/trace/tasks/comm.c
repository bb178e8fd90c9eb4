// SPDX-License-Identifier: GPL-2.0
/*
 * Keep the names of the tasks that left a record behind. A context switch asks the buffers
 * whether this CPU has written into one since the switch before; if so, the name of the task
 * that leaves goes into the table. A task that recorded nothing takes no place there, and the
 * writers of records do not have to call us.
 *
 * A record that a task writes between our probe and the end of its last switch counts for the
 * next task on this CPU.
 *
 * Each CPU also notes its current task, for readers that ask for a name before that task
 * leaves.
 */
#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/threads.h>
#include <linux/trace_events.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "lib/cpu_call.h"
#include "tasks/internal.h"

#define COMM_PROBE_LINGERS	HZ

/**
 * struct comm_cpu - the task that runs on a CPU
 * @written:	the sum of what the buffers said at the last switch
 * @seq:	@pid and @comm are being changed
 * @pid:	0: not known, or the idle task
 * @comm:	its name when it began to run
 *
 * Own CPU: written on it only, with interrupts off; others read under @seq.
 */
struct comm_cpu {
	unsigned long	written;		/* own CPU */
	seqcount_t	seq;			/* own CPU */
	int		pid;			/* own CPU */
	char		comm[TASK_COMM_LEN];	/* own CPU */
};

static DEFINE_PER_CPU(struct comm_cpu, comm_cpus);

/*
 * The mutex of task names. It comes after trace_instances_lock() and the
 * events mutex.
 */
static DEFINE_MUTEX(comm_mutex);

static LIST_HEAD(comm_sources);		/* comm_mutex, RCU */
static unsigned int comm_users;		/* comm_mutex */
static bool comm_probe_on;		/* comm_mutex */
static unsigned int comm_kinds;		/* comm_mutex; what the probe keeps now, which it reads */

/* Thread groups by pid. The map is allocated when it is first wanted, and never freed. */
static int *tgids;			/* comm_mutex; any context reads it */
static unsigned int nr_tgids;		/* constant, once there is a map */

/*
 * After the last probe was taken from a tracepoint, it takes a new one only when a grace
 * period has passed, which users who switch tracers off and on would wait for. So the probe
 * stays registered for COMM_PROBE_LINGERS, with nothing to do.
 */
static void comm_probe_drop(struct work_struct *work);
static DECLARE_DELAYED_WORK(comm_probe_drop_work, comm_probe_drop);

static void comm_keep(struct task_struct *task)
{
	/* Usually the table has the name, and its lock is not needed. */
	if (task->pid && !trace_comm_is(task->pid, task->comm))
		trace_comm_store(task->pid, task->comm);
}

static void comm_tgid_keep(struct task_struct *task)
{
	/* TG: pairs with the release in trace_tgid_enable(): the map has its size. */
	int *map = smp_load_acquire(&tgids);

	if (map && task->pid && task->pid < nr_tgids)
		WRITE_ONCE(map[task->pid], task->tgid);
}

/* Has this CPU written into a buffer since this was asked here last? */
static bool comm_cpu_recorded(struct comm_cpu *cc)
{
	struct trace_comm_source *source;
	unsigned long written = 0, before = cc->written;

	list_for_each_entry_rcu(source, &comm_sources, node, rcu_read_lock_sched_held()) {
		if (READ_ONCE(source->kinds) & TRACE_RECORD_CMDLINE)
			written += source->written(source);
	}
	cc->written = written;
	return written != before;
}

static void comm_cpu_note(struct comm_cpu *cc, struct task_struct *task)
{
	raw_write_seqcount_begin(&cc->seq);
	cc->pid = task->pid;
	memcpy(cc->comm, task->comm, TASK_COMM_LEN);
	cc->comm[TASK_COMM_LEN - 1] = '\0';
	raw_write_seqcount_end(&cc->seq);
}

/* The body of the probe of sched_switch. Interrupts are off. */
void trace_comm_switch(struct task_struct *prev, struct task_struct *next)
{
	struct comm_cpu *cc = this_cpu_ptr(&comm_cpus);
	unsigned int kinds = READ_ONCE(comm_kinds);

	if (kinds & TRACE_RECORD_CMDLINE) {
		if (comm_cpu_recorded(cc))
			comm_keep(prev);
		comm_cpu_note(cc, next);
	}
	if (kinds & TRACE_RECORD_TGID) {
		comm_tgid_keep(prev);
		comm_tgid_keep(next);
	}
}

static void comm_switch_probe(void *data, bool preempt, struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
	trace_comm_switch(prev, next);
}

/* Keeping of names begins on this CPU: its earlier records do not count. */
static void comm_cpu_begin(void *unused)
{
	comm_cpu_recorded(this_cpu_ptr(&comm_cpus));
	trace_comm_switch(current, current);
}

/*
 * The probe is about to keep something else, or nothing. It keeps a task when the task
 * leaves its CPU; do so now for the one that runs.
 */
static void comm_cpu_look(void *unused)
{
	trace_comm_switch(current, current);
}

/**
 * tracing_record_taskinfo - keep a task's name and thread group
 * @task: the task
 * @flags: TRACE_RECORD_CMDLINE, TRACE_RECORD_TGID
 *
 * Context: any but NMI.
 */
void tracing_record_taskinfo(struct task_struct *task, int flags)
{
	guard(irqsave)();
	if (flags & TRACE_RECORD_CMDLINE)
		comm_keep(task);
	if (flags & TRACE_RECORD_TGID)
		comm_tgid_keep(task);
}

/**
 * tracing_record_taskinfo_sched_switch - the same for both tasks of a switch
 * @prev: the task that leaves
 * @next: the task that comes
 * @flags: TRACE_RECORD_CMDLINE, TRACE_RECORD_TGID
 *
 * Context: any but NMI.
 */
void tracing_record_taskinfo_sched_switch(struct task_struct *prev,
					  struct task_struct *next, int flags)
{
	tracing_record_taskinfo(prev, flags);
	tracing_record_taskinfo(next, flags);
}

/**
 * tracing_record_cmdline - keep a task's name
 * @task: the task
 *
 * Context: any but NMI.
 */
void tracing_record_cmdline(struct task_struct *task)
{
	tracing_record_taskinfo(task, TRACE_RECORD_CMDLINE);
}

/**
 * tracing_record_tgid - keep a task's thread group
 * @task: the task
 *
 * Context: any but NMI.
 */
void tracing_record_tgid(struct task_struct *task)
{
	tracing_record_taskinfo(task, TRACE_RECORD_TGID);
}

/* Is @pid running on some CPU, or was it when names were kept last? Any context. */
static bool comm_find_running(int pid, char comm[TASK_COMM_LEN])
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct comm_cpu *cc = per_cpu_ptr(&comm_cpus, cpu);
		/* Odd when its writer is at work, whom we may have interrupted. */
		unsigned int seq = raw_read_seqcount(&cc->seq);

		/* data_race: a value that is read while it changes is thrown away. */
		if (data_race(cc->pid) != pid || seq & 1)
			continue;
		/* data_race: as above, read_seqcount_retry() tells. */
		data_race(memcpy(comm, cc->comm, TASK_COMM_LEN));
		if (!read_seqcount_retry(&cc->seq, seq))
			return true;
	}
	return false;
}

/**
 * trace_find_cmdline - the name that belongs to a pid
 * @pid: from a record
 * @comm: result; "<idle>", "<...>" when it is not known, "<XXX>" for a pid
 *	that no task can have
 *
 * Context: any.
 */
void trace_find_cmdline(int pid, char comm[TASK_COMM_LEN])
{
	if (!pid)
		strscpy(comm, "<idle>", TASK_COMM_LEN);
	else if (pid < 0)
		strscpy(comm, "<XXX>", TASK_COMM_LEN);
	else if (!trace_comm_copy(pid, comm) && !comm_find_running(pid, comm))
		strscpy(comm, "<...>", TASK_COMM_LEN);
}

/**
 * trace_find_tgid - the thread group that belongs to a pid
 * @pid: from a record
 *
 * Context: any.
 * Return: its id, 0 when it is not known.
 */
int trace_find_tgid(int pid)
{
	return pid > 0 ? trace_tgid_entry(pid) : 0;
}

/**
 * trace_tgid_max - which pids have a place in the map of thread groups?
 *
 * Context: any.
 * Return: they are below this; 0 when there is no map.
 */
unsigned int trace_tgid_max(void)
{
	/* TG: pairs with the release in trace_tgid_enable(): the map has its size. */
	return smp_load_acquire(&tgids) ? nr_tgids : 0;
}

/**
 * trace_tgid_entry - the thread group of a pid, for listings
 * @pid: the pid
 *
 * Context: any.
 * Return: its id, 0 when it is not known.
 */
int trace_tgid_entry(unsigned int pid)
{
	return pid < trace_tgid_max() ? READ_ONCE(tgids[pid]) : 0;
}

/**
 * trace_tgid_enable - make room for the thread groups of all pids that can be
 *
 * Context: task, may sleep; takes comm_mutex.
 * Return: 0, also when there is room; -ENOMEM.
 */
int trace_tgid_enable(void)
{
	int *map;

	guard(mutex)(&comm_mutex);
	if (tgids)
		return 0;
	nr_tgids = pid_max + 1;
	map = kvcalloc(nr_tgids, sizeof(*map), GFP_KERNEL);
	if (!map)
		return -ENOMEM;
	/* TG: pairs with the acquires in comm_tgid_keep() and trace_tgid_max(). */
	smp_store_release(&tgids, map);
	return 0;
}

static void comm_probe_unregister(void)
{
	unregister_trace_sched_switch(comm_switch_probe, NULL);
	comm_probe_on = false;
}

static void comm_probe_drop(struct work_struct *work)
{
	guard(mutex)(&comm_mutex);
	if (comm_probe_on && !comm_kinds)
		comm_probe_unregister();
}

/*
 * Are there other probes, before this one? If one of them goes and this one is left, its removal
 * waits for a grace period; if this one goes first, no removal does.
 */
static bool comm_probe_is_behind(void)
{
	struct tracepoint_func *funcs;

	guard(rcu)();
	funcs = rcu_dereference(__tracepoint_sched_switch.funcs);
	return funcs && funcs->func != comm_switch_probe;
}

/* Keep what the sources want, as long as there are users. */
static void comm_update(void)
{
	unsigned int kinds = 0, before = comm_kinds;
	struct trace_comm_source *source;
	int ret;

	lockdep_assert_held(&comm_mutex);
	list_for_each_entry(source, &comm_sources, node)
		kinds |= source->kinds;
	if (!comm_users)
		kinds = 0;
	if (kinds == before)
		return;
	if (kinds && !comm_probe_on) {
		/*
		 * Run after the probes of events: a record of the switch itself counts for
		 * @prev.
		 */
		ret = register_trace_prio_sched_switch(comm_switch_probe, NULL, INT_MIN);
		if (ret)
			pr_warn("tracing: no names of tasks: error %d\n", ret);
		comm_probe_on = !ret;
	}
	WRITE_ONCE(comm_kinds, kinds | before);
	trace_cpu_call_each(before ? comm_cpu_look : comm_cpu_begin, NULL);
	WRITE_ONCE(comm_kinds, kinds);
	/* Early in boot there is no workqueue: the probe stays registered. */
	if (!kinds && comm_probe_on && comm_probe_is_behind())
		comm_probe_unregister();
	else if (!kinds && comm_probe_on && system_unbound_wq)
		mod_delayed_work(system_unbound_wq, &comm_probe_drop_work, COMM_PROBE_LINGERS);
}

/**
 * trace_comm_source_add - a buffer that records pids has come
 * @source:	the buffer's; @written and @kinds are set
 *
 * Context: task, may sleep; takes comm_mutex.
 */
void trace_comm_source_add(struct trace_comm_source *source)
{
	guard(mutex)(&comm_mutex);
	list_add_tail_rcu(&source->node, &comm_sources);
	comm_update();
}

/**
 * trace_comm_source_remove - undo trace_comm_source_add()
 * @source:	the buffer's; stays alive until a grace period of RCU has passed
 *
 * Context: task, may sleep; takes comm_mutex.
 */
void trace_comm_source_remove(struct trace_comm_source *source)
{
	guard(mutex)(&comm_mutex);
	list_del_rcu(&source->node);
	comm_update();
}

/**
 * trace_comm_source_set - keep something else of the tasks that write into a buffer
 * @source:	the buffer's
 * @kinds:	as struct trace_comm_source says
 *
 * Context: task, may sleep; takes comm_mutex.
 */
void trace_comm_source_set(struct trace_comm_source *source, unsigned int kinds)
{
	guard(mutex)(&comm_mutex);
	WRITE_ONCE(source->kinds, kinds);
	comm_update();
}

/**
 * trace_comm_get - somebody records from now on
 *
 * Names are kept, of all sources that want it, as long as somebody does.
 * Context: task, may sleep; takes comm_mutex.
 */
void trace_comm_get(void)
{
	guard(mutex)(&comm_mutex);
	comm_users++;
	comm_update();
}

/**
 * trace_comm_put - undo one trace_comm_get()
 *
 * Context: task, may sleep; takes comm_mutex.
 */
void trace_comm_put(void)
{
	guard(mutex)(&comm_mutex);
	if (WARN_ON_ONCE(!comm_users))
		return;
	comm_users--;
	comm_update();
}
