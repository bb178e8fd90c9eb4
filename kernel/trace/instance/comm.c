// SPDX-License-Identifier: GPL-2.0
/*
 * Task names: a record holds a pid, people want a name, and the task may be
 * long gone. The names of the tasks that ran last are kept in a table, taken
 * at context switches while somebody traces; thread groups likewise.
 *
 * The table: a ring of entries, the oldest is recycled, and a hash of them
 * chained by index. One writer at a time (a writer that finds another gives
 * up: the task will switch again). Readers hold nothing and watch a sequence
 * count: they run in NMI too, where the writer may be the one interrupted, so
 * they give up after some tries.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/threads.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "instance/internal.h"

#define COMM_DEFAULT	2048
#define COMM_NONE	UINT_MAX
#define FIND_TRIES	64
#define PROBES_LINGER	HZ

struct comm_entry {
	int		pid;		/* 0: never used; the idle task has no entry */
	unsigned int	next;		/* in the chain, COMM_NONE ends it */
	char		comm[TASK_COMM_LEN];
};

struct comm_table {
	unsigned int		nr;
	unsigned int		oldest;		/* to be recycled next */
	unsigned int		hash_bits;
	unsigned int		*heads;
	struct comm_entry	*entries;
};

static struct comm_table __rcu *table;	/* replaced under comm_lock */
static DEFINE_RAW_SPINLOCK(comm_lock);
static seqcount_raw_spinlock_t comm_seq = SEQCNT_RAW_SPINLOCK_ZERO(comm_seq, &comm_lock);

/* Thread group by pid; made when it is first wanted, stays. */
static int *tgids;
static unsigned int nr_tgids;

static unsigned int comm_users;		/* T */
static bool probes_on;			/* T */
static unsigned int comm_kinds;		/* TRACE_RECORD_*, what probes record */

/*
 * A tracepoint whose last probe has gone takes a new one only after a grace
 * period. Who switches tracers off and on would wait for it, so the probes
 * stay for a while, with nothing to record.
 */
static void probes_drop_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(probes_drop, probes_drop_fn);

static void free_table(struct comm_table *t)
{
	if (!t)
		return;
	kvfree(t->heads);
	kvfree(t->entries);
	kfree(t);
}

static struct comm_table *alloc_table(unsigned int nr)
{
	struct comm_table *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->nr = nr;
	t->hash_bits = max(ilog2(roundup_pow_of_two(nr)), 1);
	t->heads = kvmalloc_array(1U << t->hash_bits, sizeof(*t->heads), GFP_KERNEL);
	t->entries = kvcalloc(nr, sizeof(*t->entries), GFP_KERNEL);
	if (!t->heads || !t->entries) {
		free_table(t);
		return NULL;
	}
	/* COMM_NONE in all heads. */
	memset(t->heads, 0xff, sizeof(*t->heads) << t->hash_bits);
	return t;
}

static unsigned int *head_of(struct comm_table *t, int pid)
{
	return &t->heads[hash_32(pid, t->hash_bits)];
}

/* A chain that is being changed may look endless: no more steps than entries. */
static struct comm_entry *find_entry(struct comm_table *t, int pid)
{
	unsigned int i = READ_ONCE(*head_of(t, pid));
	unsigned int steps = t->nr;

	while (i < t->nr && steps--) {
		struct comm_entry *entry = &t->entries[i];

		if (READ_ONCE(entry->pid) == pid)
			return entry;
		i = READ_ONCE(entry->next);
	}
	return NULL;
}

static void unchain(struct comm_table *t, unsigned int index)
{
	struct comm_entry *entry = &t->entries[index];
	unsigned int *link;

	if (!entry->pid)
		return;
	for (link = head_of(t, entry->pid); *link != COMM_NONE;
	     link = &t->entries[*link].next) {
		if (*link == index) {
			WRITE_ONCE(*link, entry->next);
			return;
		}
	}
}

static struct comm_entry *recycle_entry(struct comm_table *t, int pid)
{
	unsigned int index = t->oldest;
	struct comm_entry *entry = &t->entries[index];
	unsigned int *head = head_of(t, pid);

	t->oldest = index + 1 == t->nr ? 0 : index + 1;
	unchain(t, index);
	WRITE_ONCE(entry->pid, pid);
	WRITE_ONCE(entry->next, *head);
	WRITE_ONCE(*head, index);
	return entry;
}

static void store_comm(struct comm_table *t, int pid, const char *comm)
{
	struct comm_entry *entry;

	lockdep_assert_held(&comm_lock);
	write_seqcount_begin(&comm_seq);
	entry = find_entry(t, pid) ?: recycle_entry(t, pid);
	memcpy(entry->comm, comm, TASK_COMM_LEN);
	entry->comm[TASK_COMM_LEN - 1] = '\0';
	write_seqcount_end(&comm_seq);
}

/* False: not now, or it is known already, which is the usual case. */
static void record_comm(struct task_struct *task)
{
	struct comm_entry *entry;
	struct comm_table *t;
	unsigned long flags;

	if (!task->pid)
		return;

	local_irq_save(flags);
	t = rcu_dereference_sched(table);
	entry = t ? find_entry(t, task->pid) : NULL;
	/* An old name that is read while it changes only costs a store. */
	if (t && (!entry || data_race(memcmp(entry->comm, task->comm, TASK_COMM_LEN))) &&
	    raw_spin_trylock(&comm_lock)) {
		store_comm(rcu_dereference_protected(table, lockdep_is_held(&comm_lock)),
			   task->pid, task->comm);
		raw_spin_unlock(&comm_lock);
	}
	local_irq_restore(flags);
}

static void record_tgid(struct task_struct *task)
{
	/* Pairs with the release in trace_tgid_enable(). */
	int *map = smp_load_acquire(&tgids);

	if (map && task->pid && task->pid < nr_tgids)
		WRITE_ONCE(map[task->pid], task->tgid);
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
	if (flags & TRACE_RECORD_CMDLINE)
		record_comm(task);
	if (flags & TRACE_RECORD_TGID)
		record_tgid(task);
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

/* A stable copy of a name; false when there is none or it keeps changing. */
static bool copy_comm(int pid, char comm[TASK_COMM_LEN])
{
	struct comm_entry *entry;
	struct comm_table *t;
	bool found, stable;
	unsigned int seq;
	int tries = FIND_TRIES;

	preempt_disable_notrace();
	do {
		/* Does not wait for a writer: it may be below us. */
		seq = raw_seqcount_begin(&comm_seq);
		t = rcu_dereference_sched(table);
		entry = t ? find_entry(t, pid) : NULL;
		found = entry;
		if (found) {
			/* A torn name is thrown away: the count has moved on. */
			data_race(memcpy(comm, entry->comm, TASK_COMM_LEN));
		}
		stable = !read_seqcount_retry(&comm_seq, seq);
	} while (!stable && --tries);
	preempt_enable_notrace();
	return found && stable;
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
	else if (!copy_comm(pid, comm))
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

/* Pids are below this. 0: no thread groups were recorded. */
unsigned int trace_tgid_max(void)
{
	/* Pairs with the release in trace_tgid_enable(). */
	return smp_load_acquire(&tgids) ? nr_tgids : 0;
}

int trace_tgid_entry(unsigned int pid)
{
	return pid < trace_tgid_max() ? READ_ONCE(tgids[pid]) : 0;
}

/* Room for the thread groups of all pids that can be; made once. */
int trace_tgid_enable(void)
{
	int *map;

	trace_instances_assert_locked();
	if (tgids)
		return 0;
	nr_tgids = pid_max + 1;
	map = kvcalloc(nr_tgids, sizeof(*map), GFP_KERNEL);
	if (!map)
		return -ENOMEM;
	/* Readers that see the map see its size. */
	smp_store_release(&tgids, map);
	return 0;
}

unsigned int trace_comm_size(void)
{
	struct comm_table *t;
	unsigned int nr;

	rcu_read_lock_sched();
	t = rcu_dereference_sched(table);
	nr = t ? t->nr : 0;
	rcu_read_unlock_sched();
	return nr;
}

/* The entry at @index, youngest last; false when it is not in use. */
bool trace_comm_entry(unsigned int index, int *pid, char comm[TASK_COMM_LEN])
{
	struct comm_table *t;
	bool used = false;

	raw_spin_lock_irq(&comm_lock);
	t = rcu_dereference_protected(table, lockdep_is_held(&comm_lock));
	if (t && index < t->nr) {
		struct comm_entry *entry = &t->entries[(t->oldest + index) % t->nr];

		used = entry->pid;
		*pid = entry->pid;
		memcpy(comm, entry->comm, TASK_COMM_LEN);
	}
	raw_spin_unlock_irq(&comm_lock);
	return used;
}

/* The youngest names of @from that fit into @to, oldest first. */
static void copy_table(struct comm_table *to, struct comm_table *from)
{
	unsigned int i = from->nr > to->nr ? from->nr - to->nr : 0;

	for (; i < from->nr; i++) {
		struct comm_entry *entry = &from->entries[(from->oldest + i) % from->nr];

		if (entry->pid)
			store_comm(to, entry->pid, entry->comm);
	}
}

/* Another number of names; those that fit are kept. */
int trace_comm_resize(unsigned int nr)
{
	struct comm_table *new, *old;

	trace_instances_assert_locked();
	new = alloc_table(nr);
	if (!new)
		return -ENOMEM;

	raw_spin_lock_irq(&comm_lock);
	old = rcu_dereference_protected(table, lockdep_is_held(&comm_lock));
	if (old)
		copy_table(new, old);
	rcu_assign_pointer(table, new);
	raw_spin_unlock_irq(&comm_lock);

	/* Finders and recorders run with preemption off. */
	synchronize_rcu();
	free_table(old);
	return 0;
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	tracing_record_taskinfo_sched_switch(prev, next, READ_ONCE(comm_kinds));
}

static void probe_wakeup(void *data, struct task_struct *woken)
{
	tracing_record_taskinfo(current, READ_ONCE(comm_kinds));
}

static int probes_register(void)
{
	int ret = register_trace_sched_wakeup(probe_wakeup, NULL);

	if (ret)
		return ret;
	ret = register_trace_sched_wakeup_new(probe_wakeup, NULL);
	if (ret)
		goto no_new;
	ret = register_trace_sched_switch(probe_switch, NULL);
	if (ret)
		goto no_switch;
	return 0;

no_switch:
	unregister_trace_sched_wakeup_new(probe_wakeup, NULL);
no_new:
	unregister_trace_sched_wakeup(probe_wakeup, NULL);
	return ret;
}

static void probes_unregister(void)
{
	unregister_trace_sched_switch(probe_switch, NULL);
	unregister_trace_sched_wakeup_new(probe_wakeup, NULL);
	unregister_trace_sched_wakeup(probe_wakeup, NULL);
}

static void probes_drop_fn(struct work_struct *work)
{
	guard(trace_instances)();
	if (probes_on && !comm_kinds) {
		probes_unregister();
		probes_on = false;
	}
}

/* What the instances want to be recorded now. */
void trace_comm_update(void)
{
	struct trace_array *tr;
	unsigned int kinds = 0;
	int ret;

	trace_instances_assert_locked();
	for_each_trace_array(tr) {
		if (trace_option(tr, TRACE_OPT_RECORD_CMD))
			kinds |= TRACE_RECORD_CMDLINE;
		if (trace_option(tr, TRACE_OPT_RECORD_TGID))
			kinds |= TRACE_RECORD_TGID;
	}
	if (!comm_users)
		kinds = 0;
	WRITE_ONCE(comm_kinds, kinds);

	if (kinds && !probes_on) {
		ret = probes_register();
		if (ret)
			pr_warn("tracing: no task names: error %d\n", ret);
		probes_on = !ret;
	}
	/* Who asks for it runs already. */
	tracing_record_taskinfo(current, kinds);
	/* Early in boot there is nobody to drop them: they stay. */
	if (!kinds && probes_on && system_unbound_wq)
		mod_delayed_work(system_unbound_wq, &probes_drop, PROBES_LINGER);
}

/**
 * trace_comm_get - record task names from now on
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_comm_get(void)
{
	trace_instances_assert_locked();
	if (!comm_users++)
		trace_comm_update();
}

/**
 * trace_comm_put - undo one trace_comm_get()
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_comm_put(void)
{
	trace_instances_assert_locked();
	if (!WARN_ON_ONCE(!comm_users) && !--comm_users)
		trace_comm_update();
}

int __init trace_comm_init(void)
{
	struct comm_table *t = alloc_table(COMM_DEFAULT);

	if (!t)
		return -ENOMEM;
	rcu_assign_pointer(table, t);
	return 0;
}
