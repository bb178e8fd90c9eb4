/* SPDX-License-Identifier: GPL-2.0 */
/* Write what the caches have of a piece of memory back, so that it is there after a reset. */
#ifndef _TRACE_LIB_WRITE_BACK_H
#define _TRACE_LIB_WRITE_BACK_H

#include <linux/types.h>

#ifdef CONFIG_HAVE_TRACE_WRITE_BACK
#include <asm/trace_write_back.h>

static inline void trace_write_back(void *start, size_t size)
{
	arch_trace_write_back(start, size);
}
#else
#include <linux/libnvdimm.h>

/* Does nothing on an architecture that has no such instruction. */
static inline void trace_write_back(void *start, size_t size)
{
	arch_wb_cache_pmem(start, size);
}
#endif

#endif /* _TRACE_LIB_WRITE_BACK_H */
