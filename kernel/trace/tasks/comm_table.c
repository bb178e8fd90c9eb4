// SPDX-License-Identifier: GPL-2.0
/*
 * The table of names by pid: a ring of entries, of which the oldest is used again,
 * and a hash of them, chained by index.
 *
 * Writers hold names_lock with interrupts off, for a few dozen instructions. Readers
 * hold nothing: they run in NMI too, where the writer may be the one they have
 * interrupted. They watch a sequence count and give up after some tries.
 *
 * A new size means a new table. It is put into force empty and knows the old one,
 * which nobody writes from then on, so that readers who miss a name look there. The
 * places that the old names will have are left free, and the names are moved a few at
 * a time, so that interrupts are never off for long however many there are.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/threads.h>
#include <linux/workqueue.h>

#include "tasks/internal.h"

#define NAMES_DEFAULT	2048
#define NAMES_END	UINT_MAX	/* of a chain */
#define NAMES_TRIES	64
#define NAMES_BATCH	32

struct comm_name {
	int		pid;		/* 0: never used; the idle tasks have no name here */
	unsigned int	next;		/* in its chain, or NAMES_END */
	char		comm[TASK_COMM_LEN];
};

/**
 * struct comm_table - names of tasks
 * @nr:		how many there can be
 * @oldest:	the entry that is used next
 * @hash_bits:	binary logarithm of the number of chains
 * @heads:	first entry of each chain, or NAMES_END
 * @names:	the entries
 * @older:	the table that this one replaces, while names are moved
 * @nr_moved:	entries of @older that were looked at
 * @nr_kept:	entries of @older that have a place here: the youngest ones
 * @free:	frees it when readers have ended
 *
 * "names_lock": written under that and read by anybody under names_seq.
 */
struct comm_table {
	unsigned int			nr;		/* constant */
	unsigned int			hash_bits;	/* constant */
	unsigned int			oldest;		/* names_lock */
	unsigned int			*heads;		/* names_lock */
	struct comm_name			*names;		/* names_lock */
	struct comm_table __rcu		*older;		/* names_lock */
	unsigned int			nr_moved;	/* resize_mutex */
	unsigned int			nr_kept;	/* constant */
	struct rcu_work			free;
};

static struct comm_table __rcu *name_table;
static DEFINE_RAW_SPINLOCK(names_lock);
static seqcount_raw_spinlock_t names_seq = SEQCNT_RAW_SPINLOCK_ZERO(names_seq, &names_lock);
static DEFINE_MUTEX(resize_mutex);

static void comm_table_free(struct comm_table *t)
{
	if (!t)
		return;
	kvfree(t->heads);
	kvfree(t->names);
	kfree(t);
}

static void comm_table_free_fn(struct work_struct *work)
{
	comm_table_free(container_of(to_rcu_work(work), struct comm_table, free));
}

static struct comm_table *comm_table_alloc(unsigned int nr)
{
	struct comm_table *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->nr = nr;
	t->hash_bits = max(ilog2(roundup_pow_of_two(nr)), 1);
	t->heads = kvmalloc_array(1U << t->hash_bits, sizeof(*t->heads), GFP_KERNEL);
	t->names = kvcalloc(nr, sizeof(*t->names), GFP_KERNEL);
	if (!t->heads || !t->names) {
		comm_table_free(t);
		return NULL;
	}
	/* All heads are NAMES_END. */
	memset(t->heads, 0xff, sizeof(*t->heads) << t->hash_bits);
	return t;
}

static struct comm_table *comm_table_locked(void)
{
	return rcu_dereference_protected(name_table, lockdep_is_held(&names_lock));
}

static unsigned int *comm_table_name_head(struct comm_table *t, int pid)
{
	return &t->heads[hash_32(pid, t->hash_bits)];
}

/* A chain that is being changed may look endless: no more steps than entries. */
static struct comm_name *comm_table_name_find(struct comm_table *t, int pid)
{
	unsigned int i = READ_ONCE(*comm_table_name_head(t, pid));
	unsigned int steps = t->nr;

	while (i < t->nr && steps--) {
		struct comm_name *name = &t->names[i];

		if (READ_ONCE(name->pid) == pid)
			return name;
		i = READ_ONCE(name->next);
	}
	return NULL;
}

static void comm_table_name_unchain(struct comm_table *t, unsigned int index)
{
	struct comm_name *name = &t->names[index];
	unsigned int *link;

	if (!name->pid)
		return;
	for (link = comm_table_name_head(t, name->pid); *link != NAMES_END;
	     link = &t->names[*link].next) {
		if (*link == index) {
			WRITE_ONCE(*link, name->next);
			return;
		}
	}
}

/* Let entry @index be of @pid. */
static struct comm_name *comm_table_name_use(struct comm_table *t, unsigned int index, int pid)
{
	struct comm_name *name = &t->names[index];
	unsigned int *head = comm_table_name_head(t, pid);

	comm_table_name_unchain(t, index);
	WRITE_ONCE(name->pid, pid);
	WRITE_ONCE(name->next, *head);
	WRITE_ONCE(*head, index);
	return name;
}

static void comm_table_name_write(struct comm_name *name, const char *comm)
{
	memcpy(name->comm, comm, TASK_COMM_LEN);
	name->comm[TASK_COMM_LEN - 1] = '\0';
}

static unsigned int comm_table_name_index_next(struct comm_table *t, unsigned int index)
{
	return index + 1 == t->nr ? 0 : index + 1;
}

/* Let the table have @comm for @pid, instead of its oldest name if @pid has none. */
void trace_comm_store(int pid, const char *comm)
{
	struct comm_table *t;
	unsigned long flags;
	struct comm_name *name;

	raw_spin_lock_irqsave(&names_lock, flags);
	t = comm_table_locked();
	if (t) {
		write_seqcount_begin(&names_seq);
		name = comm_table_name_find(t, pid);
		if (!name) {
			name = comm_table_name_use(t, t->oldest, pid);
			t->oldest = comm_table_name_index_next(t, t->oldest);
		}
		comm_table_name_write(name, comm);
		write_seqcount_end(&names_seq);
	}
	raw_spin_unlock_irqrestore(&names_lock, flags);
}

/* Is @comm the name that the table has for @pid? Interrupts are off. */
bool trace_comm_is(int pid, const char *comm)
{
	struct comm_table *t = rcu_dereference_sched(name_table);
	struct comm_name *name = t ? comm_table_name_find(t, pid) : NULL;

	/* data_race: a name that is changing looks like another one, and is stored again. */
	return name && !data_race(memcmp(name->comm, comm, TASK_COMM_LEN - 1));
}

/* A stable copy of a name. Any context. False: there is none, or it keeps changing. */
bool trace_comm_copy(int pid, char comm[TASK_COMM_LEN])
{
	struct comm_table *t, *older;
	int tries = NAMES_TRIES;
	bool found, stable;
	unsigned int seq;
	struct comm_name *name;

	preempt_disable_notrace();
	do {
		/* Does not wait for a writer: it may be below us. */
		seq = raw_seqcount_begin(&names_seq);
		t = rcu_dereference_sched(name_table);
		older = t ? rcu_dereference_sched(t->older) : NULL;
		name = t ? comm_table_name_find(t, pid) : NULL;
		if (!name && older)
			name = comm_table_name_find(older, pid);
		found = name;
		if (found) {
			/* data_race: a torn name is thrown away, the count has moved on. */
			data_race(memcpy(comm, name->comm, TASK_COMM_LEN));
		}
		stable = !read_seqcount_retry(&names_seq, seq);
	} while (!stable && --tries);
	preempt_enable_notrace();
	return found && stable;
}

/**
 * trace_comm_size - how many names can there be?
 *
 * Context: any.
 * Return: the number; 0 without a table.
 */
unsigned int trace_comm_size(void)
{
	struct comm_table *t;
	unsigned int nr;

	rcu_read_lock_sched();
	t = rcu_dereference_sched(name_table);
	nr = t ? t->nr : 0;
	rcu_read_unlock_sched();
	return nr;
}

/**
 * trace_comm_entry - a name by its place, for listings
 * @index:	from 0 for the oldest to trace_comm_size() less one
 * @pid:	result
 * @comm:	result
 *
 * Context: any but NMI.
 * Return: false when this place has no name.
 */
bool trace_comm_entry(unsigned int index, int *pid, char comm[TASK_COMM_LEN])
{
	struct comm_table *t;
	bool used = false;

	guard(raw_spinlock_irqsave)(&names_lock);
	t = comm_table_locked();
	if (t && index < t->nr) {
		struct comm_name *name = &t->names[(t->oldest + index) % t->nr];

		used = name->pid;
		*pid = name->pid;
		memcpy(comm, name->comm, TASK_COMM_LEN);
	}
	return used;
}

/*
 * The names of the old table get the first places, oldest first, and the next new
 * name gets the place behind them.
 */
int trace_comm_resize_begin(unsigned long nr)
{
	struct comm_table *new, *old;

	/* More names than there can be tasks would be a mistake. */
	if (!nr || nr > PID_MAX_LIMIT)
		return -EINVAL;
	new = comm_table_alloc(nr);
	if (!new)
		return -ENOMEM;
	mutex_lock(&resize_mutex);
	raw_spin_lock_irq(&names_lock);
	old = comm_table_locked();
	if (old) {
		new->nr_kept = min(old->nr, nr);
		new->oldest = new->nr_kept == nr ? 0 : new->nr_kept;
		rcu_assign_pointer(new->older, old);
	}
	rcu_assign_pointer(name_table, new);
	raw_spin_unlock_irq(&names_lock);
	return 0;
}

/* Move a name to the place that was left for it, unless a newer one is there already. */
static void comm_table_name_move(struct comm_table *t, unsigned int index, struct comm_name *from)
{
	if (!from->pid || t->names[index].pid || comm_table_name_find(t, from->pid))
		return;
	write_seqcount_begin(&names_seq);
	comm_table_name_write(comm_table_name_use(t, index, from->pid), from->comm);
	write_seqcount_end(&names_seq);
}

/* Move some names. False: there are no more. */
bool trace_comm_resize_step(void)
{
	struct comm_table *t, *older;
	unsigned int i, end;

	lockdep_assert_held(&resize_mutex);
	guard(raw_spinlock_irq)(&names_lock);
	t = comm_table_locked();
	older = rcu_dereference_protected(t->older, lockdep_is_held(&names_lock));
	if (!older)
		return false;
	end = min(t->nr_moved + NAMES_BATCH, t->nr_kept);
	for (i = t->nr_moved; i < end; i++) {
		/* In the order of age, behind those that have no place. */
		unsigned int age = older->oldest + older->nr - t->nr_kept + i;

		comm_table_name_move(t, i, &older->names[age % older->nr]);
	}
	t->nr_moved = end;
	return end < t->nr_kept;
}

/* All names have moved: the old table goes. */
void trace_comm_resize_end(void)
{
	struct comm_table *t, *older;

	lockdep_assert_held(&resize_mutex);
	scoped_guard(raw_spinlock_irq, &names_lock) {
		t = comm_table_locked();
		older = rcu_dereference_protected(t->older, lockdep_is_held(&names_lock));
		RCU_INIT_POINTER(t->older, NULL);
	}
	mutex_unlock(&resize_mutex);
	if (!older)
		return;
	/* Readers have preemption off. The caller may hold locks, so it does not wait for them. */
	INIT_RCU_WORK(&older->free, comm_table_free_fn);
	queue_rcu_work(system_unbound_wq, &older->free);
}

/**
 * trace_comm_resize - another number of names
 * @nr: how many there can be
 *
 * The youngest names that fit are kept.
 * Context: task, may sleep.
 * Return: 0, -EINVAL for none or more than tasks, -ENOMEM.
 */
int trace_comm_resize(unsigned long nr)
{
	int ret = trace_comm_resize_begin(nr);

	if (ret)
		return ret;
	while (trace_comm_resize_step())
		cond_resched();
	trace_comm_resize_end();
	return 0;
}

/**
 * trace_comm_init - make the table
 *
 * Context: boot, once, when memory is up.
 * Return: 0 or -ENOMEM; then there are no names.
 */
int __init trace_comm_init(void)
{
	struct comm_table *t = comm_table_alloc(NAMES_DEFAULT);

	if (!t)
		return -ENOMEM;
	rcu_assign_pointer(name_table, t);
	return 0;
}
