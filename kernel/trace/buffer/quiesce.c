// SPDX-License-Identifier: GPL-2.0
/*
 * Changes that need the writers of a CPU out: a function runs on that CPU in
 * hard irq, at a moment when no writer is active there.
 *
 * CLOSING: the interrupt that carries the function may come in the midst of a write each time.
 * So it does where reading the clock traps into a hypervisor, which lets interrupts in then.
 * After some tries the CPU is therefore closed to writers: RB_CPU_QUIESCED stays set between the
 * tries, so the writer that is active comes to its end, and no other begins.  Events that are
 * turned away meanwhile are counted as dropped.  A swap is refused while the bit is set, so the
 * buffer of the CPU stays the one that is closed.  ring_buffer_swap_call() closes both buffers
 * in the same way, and opens them for its own swap.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "buffer/internal.h"
#include "lib/cpu_call.h"

/**
 * struct rb_quiesced - a function that needs the CPU's writers out
 * @buffer: the ring buffer
 * @cpu: the CPU
 * @func: the function
 * @arg: its argument
 * @close: turn writers away from the next try on
 * @closed: RB_CPU_QUIESCED was left set
 * @done: it ran
 */
struct rb_quiesced {
	struct trace_buffer	*buffer;
	int			cpu;
	rb_quiesced_func	func;
	void			*arg;
	bool			close;
	bool			closed;
	bool			done;
};

/*
 * Runs on the CPU in hard irq, or on any if the CPU does not run.  A writer
 * of this CPU can only be one that is interrupted (then try again) or an NMI,
 * which is turned away by RB_CPU_QUIESCED, and counted.
 */
static void rb_quiesce_try(void *data)
{
	struct rb_quiesced *call = data;
	struct rb_cpu *cb = rb_cpu_at(call->buffer, call->cpu);

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&cb->reader_lock);
	if (!call->closed)
		atomic_add(RB_CPU_QUIESCED, &cb->w.disabled);
	barrier();
	if (rb_no_writer(cb)) {
		call->func(cb, call->arg);
		call->done = true;
	}
	barrier();
	call->closed = call->close && !call->done;
	if (!call->closed)
		atomic_sub(RB_CPU_QUIESCED, &cb->w.disabled);
	raw_spin_unlock(&cb->reader_lock);
}

/**
 * rb_quiesced_call - call a function with a CPU's writers and readers out
 * @buffer: the ring buffer
 * @cpu: the CPU
 * @func: the function; gets what @buffer has for @cpu at that moment, and is short
 * @arg: its argument
 *
 * The caller keeps CPUs as they are. So a CPU that is not online stays dead, or has never
 * run, and a function on any other CPU has its ring for itself: see RB_CPU_DEAD.
 *
 * Context: task, or early boot; the caller holds cpus_read_lock() and rb_object::mutex.
 * Return: 0; -EBUSY if a writer does not come to its end, since somebody forgot to
 * commit.
 */
int rb_quiesced_call(struct trace_buffer *buffer, int cpu, rb_quiesced_func func, void *arg)
{
	struct rb_quiesced call = { .buffer = buffer, .cpu = cpu, .func = func, .arg = arg };
	unsigned long end = jiffies + RB_QUIESCE_TICKS, flags;
	unsigned int tries = 0;
	bool last;

	lockdep_assert_cpus_held();
	lockdep_assert_held(&rb_object(buffer)->mutex);
	do {
		/* The time in which the CPU, or this task, stood still is none for writers. */
		last = ++tries > 2 * RB_QUIESCE_OPEN_TRIES && time_after(jiffies, end);
		call.close = tries > RB_QUIESCE_OPEN_TRIES && !last;
		/* In early boot there is one CPU, and nothing to interrupt it. */
		if (early_boot_irqs_disabled || !cpu_online(cpu)) {
			local_irq_save(flags);
			rb_quiesce_try(&call);
			local_irq_restore(flags);
		} else {
			WARN_ON_ONCE(trace_cpu_call(cpu, rb_quiesce_try, &call));
		}
		if (call.done)
			return 0;
		if (early_boot_irqs_disabled)
			break;
		/* Writers are not preempted, so the next try is not far. */
		cond_resched();
	} while (!last);
	pr_warn_ratelimited("ring buffer: CPU %d: somebody does not commit an event\n", cpu);
	return -EBUSY;
}
