// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of the system preemptirq: where interrupts, or preemption, go
 * off and come on again. Entry code and the macros of <linux/irqflags.h> tell
 * about interrupts when CONFIG_TRACE_IRQFLAGS is set, the scheduler's count of
 * preemption about its first and last step when CONFIG_TRACE_PREEMPT_TOGGLE is.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#define CREATE_TRACE_POINTS
#include <trace/events/preemptirq.h>

/*
 * Where entry code keeps out of instrumentation, RCU watches whenever somebody
 * comes here. Elsewhere RCU is woken for the tracepoint, which NMIs must not do.
 */
#ifdef CONFIG_ARCH_WANTS_NO_INSTR
#define preemptirq_event(point, ip, parent)	trace_##point(ip, parent)
#else
#define preemptirq_event(point, ip, parent)				\
do {									\
	if (!in_nmi())							\
		trace_##point##_rcuidle(ip, parent);			\
} while (0)
#endif

#ifdef CONFIG_TRACE_IRQFLAGS
/*
 * The tracepoints have reported interrupts of this CPU as off. Read and written with interrupts
 * off; an NMI leaves it as it found it.
 */
static DEFINE_PER_CPU(bool, preemptirq_irqs_off);

/*
 * Masking interrupts that are masked already is not reported. Masking by a probe is not
 * reported either: while a probe runs, the flag says off. The callers are looked for when
 * somebody wants to know them: CALLER_ADDR1 is a walk of the stack on some architectures, by
 * code that cannot run while KASAN's shadow is being made.
 */
static __always_inline void preemptirq_irqs(bool off)
{
	const bool was_off = raw_cpu_read(preemptirq_irqs_off);

	raw_cpu_write(preemptirq_irqs_off, true);
	if (off && !was_off && trace_irq_disable_enabled())
		preemptirq_event(irq_disable, CALLER_ADDR0, CALLER_ADDR1);
	if (!off && was_off && trace_irq_enable_enabled())
		preemptirq_event(irq_enable, CALLER_ADDR0, CALLER_ADDR1);
	raw_cpu_write(preemptirq_irqs_off, off);
}

/**
 * trace_hardirqs_on_prepare - interrupts go on: the part before RCU stops watching
 *
 * The caller calls lockdep_hardirqs_on_prepare() and lockdep_hardirqs_on() itself.
 *
 * Context: interrupts off, entry code.
 */
void trace_hardirqs_on_prepare(void)
{
	preemptirq_irqs(false);
}
EXPORT_SYMBOL(trace_hardirqs_on_prepare);
NOKPROBE_SYMBOL(trace_hardirqs_on_prepare);

/**
 * trace_hardirqs_on - interrupts are about to go on
 *
 * Context: interrupts off.
 */
void trace_hardirqs_on(void)
{
	preemptirq_irqs(false);
	lockdep_hardirqs_on_prepare();
	lockdep_hardirqs_on(CALLER_ADDR0);
}
EXPORT_SYMBOL(trace_hardirqs_on);
NOKPROBE_SYMBOL(trace_hardirqs_on);

/**
 * trace_hardirqs_off_finish - interrupts went off: the part after RCU watches again
 *
 * The caller has called lockdep_hardirqs_off() itself.
 *
 * Context: interrupts off, entry code.
 */
void trace_hardirqs_off_finish(void)
{
	preemptirq_irqs(true);
}
EXPORT_SYMBOL(trace_hardirqs_off_finish);
NOKPROBE_SYMBOL(trace_hardirqs_off_finish);

/**
 * trace_hardirqs_off - interrupts have gone off
 *
 * Context: interrupts off.
 */
void trace_hardirqs_off(void)
{
	lockdep_hardirqs_off(CALLER_ADDR0);
	preemptirq_irqs(true);
}
EXPORT_SYMBOL(trace_hardirqs_off);
NOKPROBE_SYMBOL(trace_hardirqs_off);
#endif /* CONFIG_TRACE_IRQFLAGS */

#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
/**
 * trace_preempt_on - preemption is about to be possible again
 * @a0: who lets it
 * @a1: who called that, outside of lock functions
 *
 * Context: any, with a preemption count of one.
 */
void trace_preempt_on(unsigned long a0, unsigned long a1)
{
	preemptirq_event(preempt_enable, a0, a1);
}

/**
 * trace_preempt_off - preemption is not possible from here on
 * @a0: who forbids it
 * @a1: who called that, outside of lock functions
 *
 * Context: any, with a preemption count of one.
 */
void trace_preempt_off(unsigned long a0, unsigned long a1)
{
	preemptirq_event(preempt_disable, a0, a1);
}
#endif /* CONFIG_TRACE_PREEMPT_TOGGLE */
