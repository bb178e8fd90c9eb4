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

#include "probes/probes.h"
#include "probes/uprobe.h"

/* A record of this size is made on the stack. */
#define CARRIER_SMALL	256

static struct trace_uprobe *uprobe_carrier_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct trace_uprobe, consumer);
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
	u8 record[CARRIER_SMALL] __aligned(8);

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

/**
 * trace_uprobe_carrier_init - give a probe its carrier
 * @uprobe: the probe, whose shape is set
 *
 * Context: any.
 */
void trace_uprobe_carrier_init(struct trace_uprobe *uprobe)
{
	uprobe->consumer.filter = uprobe_carrier_filter;
	uprobe->consumer.handler = uprobe_carrier_handler;
	if (uprobe->probe.shape != TRACE_PROBE_RETURN)
		return;
	uprobe->consumer.handler = uprobe_carrier_entry_handler;
	uprobe->consumer.ret_handler = uprobe_carrier_return_handler;
}

/* Wait until no hit is on its way through the places of disarmed probes. */
static void uprobe_carrier_await(struct list_head *probes)
{
	struct trace_probe *probe;
	bool is_awaited = false;

	for_each_trace_probe(probe, probes)
		is_awaited |= trace_uprobe_of(probe)->is_awaited;
	if (!is_awaited)
		return;
	uprobe_unregister_sync();
	for_each_trace_probe(probe, probes)
		trace_uprobe_of(probe)->is_awaited = false;
}

/**
 * trace_uprobe_disarm - let probes hit no more
 * @probes: the probes
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_uprobe_disarm(struct list_head *probes)
{
	struct trace_probe *probe;

	for_each_trace_probe(probe, probes) {
		struct trace_uprobe *uprobe = trace_uprobe_of(probe);

		if (!uprobe->uprobe)
			continue;
		uprobe_unregister_nosync(uprobe->uprobe, &uprobe->consumer);
		uprobe->uprobe = NULL;
		uprobe->is_awaited = true;
	}
}

/**
 * trace_uprobe_arm - let probes hit
 * @probes: the probes
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0; or an errno of uprobe_register(), and none of them is armed.
 */
int trace_uprobe_arm(struct list_head *probes)
{
	struct trace_probe *probe;

	uprobe_carrier_await(probes);
	for_each_trace_probe(probe, probes) {
		struct trace_uprobe *uprobe = trace_uprobe_of(probe);
		struct uprobe *armed;

		armed = uprobe_register(d_real_inode(uprobe->path.dentry), uprobe->at.offset,
					uprobe->at.counter, &uprobe->consumer);
		if (IS_ERR(armed)) {
			trace_uprobe_disarm(probes);
			return PTR_ERR(armed);
		}
		uprobe->uprobe = armed;
	}
	return 0;
}

/**
 * trace_uprobe_leave - probes go
 * @probes: the probes
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_uprobe_leave(struct list_head *probes)
{
	trace_uprobe_disarm(probes);
	uprobe_carrier_await(probes);
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
		struct trace_uprobe *uprobe = trace_uprobe_of(probe);

		if (uprobe->uprobe && !ret)
			ret = uprobe_apply(uprobe->uprobe, &uprobe->consumer, true);
	}
	return ret;
}
