// SPDX-License-Identifier: GPL-2.0
/*
 * Finding trampolines by address, for the unwinder, for faults, for
 * /proc/kallsyms and for perf. The architecture knows what is inside of one;
 * dispatch.c makes and frees them.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>

#include "hooks/dispatch.h"
#include "hooks/internal.h"

#define TRAMP_SYMBOL	"ftrace_trampoline"
/* /proc/kallsyms shows this in place of a module. */
#define TRAMP_MODULE	"__builtin__ftrace"

/* By address. Under RCU: lookups run in NMI, too. */
static struct latch_tree_root tramps;

/* Under RCU, in the order of creation. */
static LIST_HEAD(tramp_list);

/* Under RCU: all trampolines lie between these, so most lookups end here. They only widen. */
static unsigned long tramps_start = ULONG_MAX, tramps_end;

static struct ftrace_tramp *trampoline_tramp_of(struct latch_tree_node *node)
{
	return container_of(node, struct ftrace_tramp, node);
}

static bool trampoline_tramp_less(struct latch_tree_node *a, struct latch_tree_node *b)
{
	return trampoline_tramp_of(a)->ops.trampoline < trampoline_tramp_of(b)->ops.trampoline;
}

static int trampoline_tramp_comp(void *key, struct latch_tree_node *node)
{
	struct ftrace_ops *ops = &trampoline_tramp_of(node)->ops;
	unsigned long addr = (unsigned long)key;

	if (addr < ops->trampoline)
		return -1;
	return addr - ops->trampoline >= ops->trampoline_size;
}

static const struct latch_tree_ops tramp_tree_ops = {
	.less = trampoline_tramp_less,
	.comp = trampoline_tramp_comp,
};

/* Make a trampoline known, before a site can call it. */
void ftrace_tramp_add(struct ftrace_tramp *tramp)
{
	struct ftrace_ops *ops = &tramp->ops;

	ftrace_assert_locked();
	WRITE_ONCE(tramps_start, min(tramps_start, ops->trampoline));
	WRITE_ONCE(tramps_end, max(tramps_end, ops->trampoline + ops->trampoline_size));
	latch_tree_insert(&tramp->node, &tramps, &tramp_tree_ops);
	list_add_tail_rcu(&tramp->list, &tramp_list);

	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, ops->trampoline, ops->trampoline_size,
			   false, TRAMP_SYMBOL);
	/* perf's symbol has no bytes; this record has them, for decoders of traces. */
	perf_event_text_poke((void *)ops->trampoline, NULL, 0, (void *)ops->trampoline,
			     ops->trampoline_size);
}

/* Remove a trampoline. A lookup that has begun may still return it. */
void ftrace_tramp_remove(struct ftrace_tramp *tramp)
{
	struct ftrace_ops *ops = &tramp->ops;

	ftrace_assert_locked();
	latch_tree_erase(&tramp->node, &tramps, &tramp_tree_ops);
	list_del_rcu(&tramp->list);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, ops->trampoline, ops->trampoline_size,
			   true, TRAMP_SYMBOL);
}

/**
 * ftrace_ops_trampoline - whose trampoline is at an address?
 * @addr: any address
 *
 * The ops tells what the trampoline is (flags, trampoline, trampoline_size);
 * it is not the one that is called from there.
 *
 * Context: any, NMI included, preemption off as long as the result is used.
 * Return: the ops, or NULL.
 */
struct ftrace_ops *ftrace_ops_trampoline(unsigned long addr)
{
	struct latch_tree_node *node;

	if (addr < READ_ONCE(tramps_start) || addr >= READ_ONCE(tramps_end))
		return NULL;
	node = latch_tree_find((void *)addr, &tramps, &tramp_tree_ops);
	return node ? &trampoline_tramp_of(node)->ops : NULL;
}

/**
 * is_ftrace_trampoline - is an address inside of a trampoline?
 * @addr: any address
 *
 * Context: any, NMI included.
 */
bool is_ftrace_trampoline(unsigned long addr)
{
	guard(preempt_notrace)();
	return ftrace_ops_trampoline(addr);
}

static struct ftrace_tramp *trampoline_tramp_nth(unsigned int n)
{
	struct list_head *pos = rcu_dereference(list_next_rcu(&tramp_list));

	for (; pos != &tramp_list; pos = rcu_dereference(list_next_rcu(pos))) {
		if (!n--)
			return list_entry(pos, struct ftrace_tramp, list);
	}
	return NULL;
}

/**
 * ftrace_tramp_kallsym - the symbols of trampolines, for /proc/kallsyms
 * @n: which, from 0
 * @value: set to the address
 * @type: set to the letter of the symbol's kind
 * @name: filled, KSYM_NAME_LEN bytes
 * @module_name: filled, MODULE_NAME_LEN bytes
 * @exported: set to 0
 *
 * Context: task.
 * Return: 0, or -ERANGE past the last.
 */
int ftrace_tramp_kallsym(unsigned int n, unsigned long *value, char *type, char *name,
			 char *module_name, int *exported)
{
	struct ftrace_tramp *tramp;

	guard(rcu)();
	tramp = trampoline_tramp_nth(n);
	if (!tramp)
		return -ERANGE;
	strscpy(name, TRAMP_SYMBOL, KSYM_NAME_LEN);
	strscpy(module_name, TRAMP_MODULE, MODULE_NAME_LEN);
	*value = tramp->ops.trampoline;
	*type = 't';
	*exported = 0;
	return 0;
}
