// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints irq_enable and irq_disable, and lockdep's view of the
 * interrupt flag. The compiler's and entry code's calls come here when
 * CONFIG_TRACE_IRQFLAGS is set.
 *
 * A per-CPU flag remembers what was said last, so that nested calls give one
 * tracepoint per change. It is touched with interrupts off only.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#define CREATE_TRACE_POINTS
#include <trace/events/preemptirq.h>

static DEFINE_PER_CPU(bool, irqs_said_off);

#ifdef CONFIG_ARCH_WANTS_NO_INSTR
#define tell(point, ip, parent)	trace_##point(ip, parent)
#else
/* Here RCU may not be watching, and its wake-up is not safe in NMI. */
#define tell(point, ip, parent)	\
	do { if (!in_nmi()) trace_##point##_rcuidle(ip, parent); } while (0)
#endif

static __always_inline void tell_on(unsigned long ip, unsigned long parent)
{
	if (!this_cpu_read(irqs_said_off))
		return;
	tell(irq_enable, ip, parent);
	this_cpu_write(irqs_said_off, false);
}

static __always_inline void tell_off(unsigned long ip, unsigned long parent)
{
	if (this_cpu_read(irqs_said_off))
		return;
	this_cpu_write(irqs_said_off, true);
	tell(irq_disable, ip, parent);
}

/**
 * trace_hardirqs_on_prepare - interrupts go on: the part before RCU stops watching
 *
 * The caller calls lockdep_hardirqs_on_prepare() and lockdep_hardirqs_on() itself.
 * Context: interrupts off, entry code.
 */
void trace_hardirqs_on_prepare(void)
{
	tell_on(CALLER_ADDR0, CALLER_ADDR1);
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
	tell_on(CALLER_ADDR0, CALLER_ADDR1);
	lockdep_hardirqs_on_prepare();
	lockdep_hardirqs_on(CALLER_ADDR0);
}
EXPORT_SYMBOL(trace_hardirqs_on);
NOKPROBE_SYMBOL(trace_hardirqs_on);

/**
 * trace_hardirqs_off_finish - interrupts went off: the part after RCU watches again
 *
 * The caller has called lockdep_hardirqs_off() itself.
 * Context: interrupts off, entry code.
 */
void trace_hardirqs_off_finish(void)
{
	tell_off(CALLER_ADDR0, CALLER_ADDR1);
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
	tell_off(CALLER_ADDR0, CALLER_ADDR1);
}
EXPORT_SYMBOL(trace_hardirqs_off);
NOKPROBE_SYMBOL(trace_hardirqs_off);
