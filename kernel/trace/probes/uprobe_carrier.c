// SPDX-License-Identifier: GPL-2.0
/*
 * The carrier of uprobe events: uprobes calls back at breakpoints in user space.
 *
 * A hit is in a task that may sleep. It fetches the arguments into memory of its own, on its
 * stack if there is room, and makes the records of that. So a task that waits for a page keeps
 * no other one from hitting.
 *
 * The breakpoints are in the memory of tasks that a user of the event wants records of: of all,
 * if an instance has the event on. A user that goes leaves breakpoints behind where no user
 * wants them any more. A hit there removes them from the memory of the task.
 */
#include <linux/bpf.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate_trace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include <linux/workqueue.h>

#include "events/calls.h"
#include "lib/wait.h"
#include "probes/probes.h"
#include "probes/uprobe.h"

/* A record of this size is made on the stack. */
#define CARRIER_SMALL	256

/**
 * struct uprobe_use - what uprobes know of a probe while it is armed
 * @consumer:	of uprobes
 * @uprobe:	of uprobes
 * @owner:	the probe, which stays as long as it hits
 * @ended:	of the uses that have ended; events mutex
 *
 * A hit that is on its way through a place's list of consumers may be at this one when it has been
 * taken off, so a probe that is armed again has another one. All members but @ended are constant.
 */
struct uprobe_use {
	struct uprobe_consumer	consumer;
	struct uprobe		*uprobe;
	struct trace_uprobe	*owner;
	struct list_head	ended;
};

static LIST_HEAD(uprobe_uses_ended);	/* events mutex */

static struct trace_uprobe *uprobe_carrier_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct uprobe_use, consumer)->owner;
}

/* Does perf want hits in this memory? */
static bool uprobe_carrier_perf_wants(struct trace_probe_event *event, const struct mm_struct *mm)
{
	const struct perf_event *perf;

	guard(read_lock)(&event->scope_lock);
	if (event->everywhere)
		return true;
	list_for_each_entry(perf, &event->targets, hw.tp_list) {
		if (READ_ONCE(perf->hw.target->mm) == mm)
			return true;
	}
	return false;
}

/* Does any user want hits in this memory? */
static bool uprobe_carrier_filter(struct uprobe_consumer *self, struct mm_struct *mm)
{
	struct trace_probe_event *event = uprobe_carrier_of(self)->probe.event;
	const struct trace_probe_users *users;

	guard(rcu)();
	users = rcu_dereference(event->users);
	return users && (users->nr || uprobe_carrier_perf_wants(event, mm));
}

/* Run the programs of BPF, which may sleep. False: perf is to have no record. */
static bool uprobe_carrier_run_programs(struct trace_event_call *call, struct pt_regs *regs)
{
	bool pass = true;

#ifdef CONFIG_BPF_EVENTS
	if (bpf_prog_array_valid(call)) {
		rcu_read_lock_trace();
		pass = bpf_prog_run_array_uprobe(rcu_dereference_check(call->prog_array,
								       rcu_read_lock_trace_held()),
						 regs, bpf_prog_run);
		rcu_read_unlock_trace();
	}
#endif
	return pass;
}

/* Fetch, and give the record away. @record has @room bytes. */
static void uprobe_carrier_fetch(const struct trace_probe_hit *hit, void *record, unsigned int room)
{
	unsigned int len = trace_probe_hit_fetch(hit, record, room);
	bool perf = uprobe_carrier_run_programs(&hit->probe->event->call, hit->regs);

	guard(preempt_notrace)();
	trace_probe_hit_made(hit, record, len, perf);
}

static noinline void uprobe_carrier_fetch_large(const struct trace_probe_hit *hit,
						unsigned int room)
{
	void *record = kmalloc(room, GFP_KERNEL);

	if (!record) {
		trace_probe_missed(hit->probe, TRACE_PROBE_MISS_ROOM);
		return;
	}
	uprobe_carrier_fetch(hit, record, room);
	kfree(record);
}

static noinline void uprobe_carrier_fetch_small(const struct trace_probe_hit *hit,
						unsigned int room)
{
	u8 record[CARRIER_SMALL] __aligned(8) __uninitialized;

	uprobe_carrier_fetch(hit, record, room);
}

/* A hit at @ip, which is the first instruction of the function if it returns. */
static void uprobe_carrier_hit(struct trace_probe_hit *hit, unsigned long ip)
{
	const struct trace_uprobe *uprobe = trace_uprobe_of(hit->probe);
	unsigned int room = min_t(unsigned int, hit->probe->args->max, TRACE_PROBE_RECORD_MAX);
	struct uprobe_dispatch_data data = { .bp_addr = ip };

	hit->at[0] = ip;
	hit->source.base = ip - uprobe->at.offset;
	scoped_guard(preempt_notrace) {
		if (trace_probe_hit_copies(hit))
			return;
	}
	/* bpf_get_func_ip() looks here. The task single-steps later. */
	current->utask->vaddr = (unsigned long)&data;
	if (room <= CARRIER_SMALL)
		uprobe_carrier_fetch_small(hit, room);
	else
		uprobe_carrier_fetch_large(hit, room);
}

static int uprobe_carrier_handler(struct uprobe_consumer *self, struct pt_regs *regs)
{
	struct trace_probe_hit hit = {
		.probe = &uprobe_carrier_of(self)->probe, .regs = regs, .source.regs = regs,
	};

	if (!uprobe_carrier_filter(self, current->mm))
		return UPROBE_HANDLER_REMOVE;
	uprobe_carrier_hit(&hit, instruction_pointer(regs));
	return 0;
}

/* The entry of a function whose return is probed. */
static int uprobe_carrier_entry_handler(struct uprobe_consumer *self, struct pt_regs *regs)
{
	return uprobe_carrier_filter(self, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

static int uprobe_carrier_return_handler(struct uprobe_consumer *self, unsigned long func,
					 struct pt_regs *regs)
{
	struct trace_probe_hit hit = {
		.probe = &uprobe_carrier_of(self)->probe, .regs = regs, .source.regs = regs,
		.at[1] = instruction_pointer(regs),
	};

	if (uprobe_carrier_filter(self, current->mm))
		uprobe_carrier_hit(&hit, func);
	return 0;
}

/* A carrier that is not registered. NULL: no memory. */
static struct uprobe_use *uprobe_carrier_new(struct trace_uprobe *uprobe)
{
	struct uprobe_use *use = kzalloc(sizeof(*use), GFP_KERNEL);

	if (!use)
		return NULL;
	use->owner = uprobe;
	use->consumer.filter = uprobe_carrier_filter;
	use->consumer.handler = uprobe_carrier_handler;
	if (uprobe->probe.shape == TRACE_PROBE_RETURN) {
		use->consumer.handler = uprobe_carrier_entry_handler;
		use->consumer.ret_handler = uprobe_carrier_return_handler;
	}
	return use;
}

/* Free the uses that have ended, when no hit is on its way through their places. */
static void uprobe_carrier_free_ended(struct work_struct *work)
{
	struct uprobe_use *use, *next;
	LIST_HEAD(ended);

	scoped_guard(trace_events)
		list_splice_init(&uprobe_uses_ended, &ended);
	trace_may_wait();
	uprobe_unregister_sync();
	list_for_each_entry_safe(use, next, &ended, ended)
		kfree(use);
}

static DECLARE_WORK(uprobe_carrier_free_work, uprobe_carrier_free_ended);

static void uprobe_carrier_stop(struct trace_probe *probe)
{
	struct trace_uprobe *uprobe = trace_uprobe_of(probe);

	if (!uprobe->use)
		return;
	uprobe_unregister_nosync(uprobe->use->uprobe, &uprobe->use->consumer);
	list_add(&uprobe->use->ended, &uprobe_uses_ended);
	uprobe->use = NULL;
	trace_wait_queue(&uprobe_carrier_free_work);
}

/**
 * trace_uprobe_disarm - let probes hit no more
 * @probes: the probes
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_uprobe_disarm(struct list_head *probes)
{
	trace_probes_stop(probes, uprobe_carrier_stop);
}

static int uprobe_carrier_start(struct trace_probe *probe)
{
	struct trace_uprobe *uprobe = trace_uprobe_of(probe);
	struct uprobe_use *use = uprobe_carrier_new(uprobe);

	uprobe->has_hit = true;
	if (!use)
		return -ENOMEM;
	use->uprobe = uprobe_register(d_real_inode(uprobe->path.dentry), uprobe->at.offset,
				      uprobe->at.counter, &use->consumer);
	if (IS_ERR(use->uprobe)) {
		int ret = PTR_ERR(use->uprobe);

		/* The uprobe may have been registered for a moment. */
		list_add(&use->ended, &uprobe_uses_ended);
		trace_wait_queue(&uprobe_carrier_free_work);
		return ret;
	}
	uprobe->use = use;
	return 0;
}

/**
 * trace_uprobe_arm - let probes hit
 * @probes: the probes
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0; -ENOMEM; or an errno of uprobe_register(): none of them is armed.
 */
int trace_uprobe_arm(struct list_head *probes)
{
	return trace_probes_start(probes, uprobe_carrier_start, uprobe_carrier_stop);
}

/**
 * trace_uprobe_settle - wait until probes that have left hit no more
 * @probes: the probes
 *
 * Context: task, may sleep.
 */
void trace_uprobe_settle(struct list_head *probes)
{
	struct trace_probe *probe;
	bool some = false;

	for_each_trace_probe(probe, probes)
		some |= trace_uprobe_of(probe)->has_hit;
	if (!some)
		return;
	trace_may_wait();
	uprobe_unregister_sync();
}

/**
 * trace_uprobe_widen - let armed probes hit in the memory that a new user wants
 * @probes: the probes of an event
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or an errno of uprobe_apply().
 */
int trace_uprobe_widen(struct list_head *probes)
{
	struct trace_probe *probe;
	int ret = 0;

	for_each_trace_probe(probe, probes) {
		struct uprobe_use *use = trace_uprobe_of(probe)->use;

		if (use && !ret)
			ret = uprobe_apply(use->uprobe, &use->consumer, true);
	}
	return ret;
}
