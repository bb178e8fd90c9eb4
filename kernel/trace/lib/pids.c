// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of process ids. A set is a table of pages, a page is a bitmap of 32768
 * ids and is made when its first id is set; it stays until the set is freed.
 * So a test is two loads and needs no lock: a page never goes away under it.
 *
 * Setting an id may happen at a fork with preemption off, where memory cannot
 * be had or freed on every kernel: it takes a spare page, and leaves one that
 * it does not need. Ids are handed out in sequence, so a spare is needed once
 * in 32768 forks; a work item, which an irq_work queues, makes the next one.
 */
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/slab.h>
#include <linux/threads.h>
#include <linux/workqueue.h>

#include "lib/irq_work.h"
#include "lib/lib.h"

#define PIDS_PER_PAGE	(PAGE_SIZE * BITS_PER_BYTE)
#define PIDS_NR_PAGES	DIV_ROUND_UP(PID_MAX_LIMIT, PIDS_PER_PAGE)
#define PIDS_NR_SPARES	2

struct trace_pid_list {
	unsigned long	*pages[PIDS_NR_PAGES];	/* set once by cmpxchg() */
	unsigned long	*spares[PIDS_NR_SPARES];	/* taken and put by xchg() */
	struct llist_head unused;		/* pages; in place of their first bits */
	struct irq_work	ask;
	struct work_struct refill;
	struct rcu_work	free;
};

static bool pid_spare_put(struct trace_pid_list *list, unsigned long *page)
{
	int i;

	for (i = 0; i < PIDS_NR_SPARES; i++) {
		if (!cmpxchg(&list->spares[i], NULL, page))
			return true;
	}
	return false;
}

static unsigned long *pid_spare_take(struct trace_pid_list *list)
{
	unsigned long *page = NULL;
	int i;

	for (i = 0; i < PIDS_NR_SPARES && !page; i++)
		page = xchg(&list->spares[i], NULL);
	return page;
}

/* Fill the empty places for spare pages. False: there is no memory. */
static bool pid_spares_fill(struct trace_pid_list *list, gfp_t gfp)
{
	unsigned long *page;

	for (;;) {
		page = (unsigned long *)get_zeroed_page(gfp);
		if (!page)
			return false;
		if (!pid_spare_put(list, page)) {
			free_page((unsigned long)page);
			return true;
		}
	}
}

static void pid_unused_free(struct trace_pid_list *list)
{
	struct llist_node *node = llist_del_all(&list->unused);

	while (node) {
		struct llist_node *next = node->next;

		free_page((unsigned long)node);
		node = next;
	}
}

static void pid_refill_fn(struct work_struct *work)
{
	struct trace_pid_list *list = container_of(work, struct trace_pid_list, refill);

	pid_unused_free(list);
	pid_spares_fill(list, GFP_KERNEL | __GFP_NOWARN);
}

/* The caller of trace_pid_list_set() may hold the lock of a work queue. */
static void pid_ask_fn(struct irq_work *work)
{
	queue_work(system_unbound_wq, &container_of(work, struct trace_pid_list, ask)->refill);
}

/**
 * trace_pid_list_alloc - an empty set
 *
 * Context: task, may sleep.
 * Return: the set, or NULL without memory.
 */
struct trace_pid_list *trace_pid_list_alloc(void)
{
	struct trace_pid_list *list = kzalloc(sizeof(*list), GFP_KERNEL);

	if (!list)
		return NULL;

	trace_irq_work_init(&list->ask, pid_ask_fn);
	INIT_WORK(&list->refill, pid_refill_fn);
	if (!pid_spares_fill(list, GFP_KERNEL)) {
		trace_pid_list_free(list);
		return NULL;
	}
	return list;
}

/**
 * trace_pid_list_free - undo trace_pid_list_alloc()
 * @list: nobody tests or changes it any more; may be NULL
 *
 * Context: task, may sleep.
 */
void trace_pid_list_free(struct trace_pid_list *list)
{
	int i;

	if (!list)
		return;

	/* The irq_work queues the work item, so wait for the irq_work first. */
	trace_irq_work_end(&list->ask);
	cancel_work_sync(&list->refill);
	pid_unused_free(list);
	for (i = 0; i < PIDS_NR_SPARES; i++)
		free_page((unsigned long)list->spares[i]);
	for (i = 0; i < PIDS_NR_PAGES; i++)
		free_page((unsigned long)list->pages[i]);
	kfree(list);
}

static void pid_list_free_fn(struct work_struct *work)
{
	trace_pid_list_free(container_of(to_rcu_work(work), struct trace_pid_list, free));
}

/**
 * trace_pid_list_free_later - free a set that callers with preemption off may be testing
 * @list: nobody finds it any more; may be NULL
 *
 * Context: task.
 */
void trace_pid_list_free_later(struct trace_pid_list *list)
{
	if (!list)
		return;
	INIT_RCU_WORK(&list->free, pid_list_free_fn);
	queue_rcu_work(system_unbound_wq, &list->free);
}

/* The page that holds @pid, NULL when none of its ids was ever set. */
static unsigned long *pid_page_find(struct trace_pid_list *list, unsigned int pid)
{
	/* PP: pairs with the cmpxchg() in pid_page_install(): the page is seen zeroed. */
	return READ_ONCE(list->pages[pid / PIDS_PER_PAGE]);
}

NOKPROBE_SYMBOL(pid_page_find);

/*
 * Put @page where the bit of @pid is, unless there is a page. Returns the one that is there: if
 * that is another one, @page is still the caller's.
 */
static unsigned long *pid_page_install(struct trace_pid_list *list, unsigned int pid,
				       unsigned long *page)
{
	/* PP: the page is zeroed before pid_page_find() on another CPU returns it. */
	return cmpxchg(&list->pages[pid / PIDS_PER_PAGE], NULL, page) ?: page;
}

/*
 * As pid_page_install(), and @page is the caller's no more. Preemption may be off. If the spares
 * have been filled meanwhile, the next work item frees @page, or trace_pid_list_free() does.
 */
VISIBLE_IF_KUNIT unsigned long *
trace_pid_page_give(struct trace_pid_list *list, unsigned int pid, unsigned long *page)
{
	unsigned long *there = pid_page_install(list, pid, page);

	if (there != page && !pid_spare_put(list, page))
		llist_add((struct llist_node *)page, &list->unused);
	return there;
}

/* A page for @pid in any context but NMI, NULL when there is no spare one. */
static unsigned long *pid_page_make(struct trace_pid_list *list, unsigned int pid)
{
	unsigned long *page = pid_spare_take(list);

	/* Only forks and execs ask, which no interrupt does. The next one asks again. */
	trace_irq_work_queue(&list->ask);
	return page ? trace_pid_page_give(list, pid, page) : NULL;
}

/**
 * trace_pid_list_prepare - get the memory for an id
 * @list: the set
 * @pid: the id
 *
 * trace_pid_list_set() does not fail for this id any more.
 * Context: task, may sleep.
 * Return: 0, -EINVAL when no process can have the id, -ENOMEM.
 */
int trace_pid_list_prepare(struct trace_pid_list *list, unsigned int pid)
{
	unsigned long *page;

	if (pid >= PID_MAX_LIMIT)
		return -EINVAL;
	if (pid_page_find(list, pid))
		return 0;
	page = (unsigned long *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	if (pid_page_install(list, pid, page) != page)
		free_page((unsigned long)page);
	return 0;
}

/**
 * trace_pid_list_set - add an id
 * @list: the set
 * @pid: the id, added already or not
 *
 * Context: any but NMI; callers of the same set need not exclude each other. A caller that may
 * sleep calls trace_pid_list_prepare() before.
 * Return: 0, -EINVAL when no process can have the id, -ENOMEM when no memory
 * was at hand.
 */
int trace_pid_list_set(struct trace_pid_list *list, unsigned int pid)
{
	unsigned long *page;

	if (pid >= PID_MAX_LIMIT)
		return -EINVAL;

	page = pid_page_find(list, pid) ?: pid_page_make(list, pid);
	if (!page)
		return -ENOMEM;

	set_bit(pid % PIDS_PER_PAGE, page);
	return 0;
}

/**
 * trace_pid_list_clear - remove an id
 * @list: the set
 * @pid: the id, in the set or not
 *
 * Context: any.
 * Return: 0, -EINVAL when no process can have the id.
 */
int trace_pid_list_clear(struct trace_pid_list *list, unsigned int pid)
{
	unsigned long *page;

	if (pid >= PID_MAX_LIMIT)
		return -EINVAL;

	page = pid_page_find(list, pid);
	if (page)
		clear_bit(pid % PIDS_PER_PAGE, page);
	return 0;
}

/**
 * trace_pid_list_is_set - is an id in the set?
 * @list: the set
 * @pid: the id
 *
 * Context: any, NMI included.
 * Return: true when it is.
 */
bool trace_pid_list_is_set(struct trace_pid_list *list, unsigned int pid)
{
	unsigned long *page;

	if (pid >= PID_MAX_LIMIT)
		return false;

	page = pid_page_find(list, pid);
	return page && test_bit(pid % PIDS_PER_PAGE, page);
}

NOKPROBE_SYMBOL(trace_pid_list_is_set);

/**
 * trace_pid_list_next - walk the set in rising order
 * @list: the set
 * @pid: where to look from, itself included
 * @next: the smallest id in the set that is not below @pid
 *
 * Context: any.
 * Return: 0, or -ENOENT when there is none.
 */
int trace_pid_list_next(struct trace_pid_list *list, unsigned int pid,
			unsigned int *next)
{
	unsigned long *page;
	unsigned int bit;

	while (pid < PID_MAX_LIMIT) {
		page = pid_page_find(list, pid);
		if (page) {
			bit = find_next_bit(page, PIDS_PER_PAGE, pid % PIDS_PER_PAGE);
			if (bit < PIDS_PER_PAGE) {
				*next = round_down(pid, PIDS_PER_PAGE) + bit;
				return 0;
			}
		}
		pid = round_down(pid, PIDS_PER_PAGE) + PIDS_PER_PAGE;
	}
	return -ENOENT;
}
