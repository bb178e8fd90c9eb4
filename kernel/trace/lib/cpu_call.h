/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/: call a function on another CPU with interrupts off, and sleep until it has returned.
 *
 * smp_call_function_single() and on_each_cpu() spin with preemption disabled instead. A virtual CPU
 * that its host does not let run, or one that has interrupts disabled for long, would then stop the
 * caller's CPU as well, and with it all tasks there.
 */
#ifndef _TRACE_LIB_CPU_CALL_H
#define _TRACE_LIB_CPU_CALL_H

int trace_cpu_call(int cpu, void (*func)(void *data), void *data);
void trace_cpu_call_each(void (*func)(void *data), void *data);

#endif /* _TRACE_LIB_CPU_CALL_H */
