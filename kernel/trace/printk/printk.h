/* SPDX-License-Identifier: GPL-2.0 */
/*
 * printk/: text and bytes that the kernel (trace_printk() and its kin, declared in
 * <linux/kernel.h>) and user space (trace_marker, trace_marker_raw) put into the
 * trace of an instance.
 */
#ifndef _TRACE_PRINTK_H
#define _TRACE_PRINTK_H

#include <linux/stdarg.h>

#include "instance/component.h"
#include "instance/instance.h"

extern struct trace_component trace_printk_component;

/* trace_printk() with its arguments in a va_list; declared nowhere else. */
__printf(2, 0) int trace_vbprintk(unsigned long ip, const char *fmt, va_list args);
__printf(2, 0) int trace_vprintk(unsigned long ip, const char *fmt, va_list args);

void trace_printk_early_init(void);
int trace_printk_init(void);

#endif /* _TRACE_PRINTK_H */
