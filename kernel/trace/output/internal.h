/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of output/ share. */
#ifndef _TRACE_OUTPUT_INTERNAL_H
#define _TRACE_OUTPUT_INTERNAL_H

#include <linux/kernel.h>

#include "output/output.h"
#ifdef CONFIG_FUNCTION_TRACER
#include "sites/sites.h"
#endif

int trace_symbols_init(void);
void trace_print_user_ips(struct trace_iterator *iter, unsigned int tgid,
			  const unsigned long *ips, unsigned int nr);

/* An address of the last boot, when the kernel was somewhere else, as one of this boot. */
static __always_inline unsigned long trace_ip_now(const struct trace_iterator *iter,
						  unsigned long ip)
{
	long delta = READ_ONCE(iter->tr->text_delta);

	return unlikely(delta && core_kernel_text(ip + delta)) ? ip + delta : ip;
}

/* Did patching a call site fail? Records of functions may be missing then. Any context. */
static inline bool trace_output_sites_dead(void)
{
#ifdef CONFIG_FUNCTION_TRACER
	return ftrace_sites_dead();
#else
	return false;
#endif
}

#endif /* _TRACE_OUTPUT_INTERNAL_H */
