/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/trigger/ inside: an action that is done some time after the hit, "delay=T", so that a
 * trace or a snapshot has what came before the hit and what came behind it.
 *
 * One action at a time is under way: a hit that comes while one is does nothing, nor does one early
 * in boot, when there are no irq_works. Two actions are a tick apart at least. The hit itself
 * raises an irq_work only, which is possible in any context, NMI and the code of timers included.
 * The irq_work starts a timer, and the timer does the action, in an interrupt.
 *
 * If the trigger is removed in between, or its instance or event, the action is not done any more.
 * Nobody waits for the irq_work or the timer, which have a reference of what they use.
 */
#ifndef _TRACE_EVENTS_TRIGGER_DELAY_H
#define _TRACE_EVENTS_TRIGGER_DELAY_H

#include <linux/types.h>

struct trace_action_use;
struct trace_delay;

struct trace_delay *trace_delay_create(const struct trace_action_use *use, u64 ns);
void trace_delay_end(struct trace_delay *delay);
void trace_delay_destroy(struct trace_delay *delay);
bool trace_delay_take(struct trace_delay *delay);
void trace_delay_give(struct trace_delay *delay);
void trace_delay_arm(struct trace_delay *delay);

#endif /* _TRACE_EVENTS_TRIGGER_DELAY_H */
