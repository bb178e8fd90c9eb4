/* SPDX-License-Identifier: GPL-2.0 */
/* For kernel/trace/lib/write_back.h. */
#ifndef _ASM_TRACE_WRITE_BACK_H
#define _ASM_TRACE_WRITE_BACK_H

#include <linux/cacheflush.h>
#include <linux/types.h>

#include <asm/barrier.h>

/*
 * To the point of persistence, or that of coherency where there is none, as arch_wb_cache_pmem()
 * does, which is empty without CONFIG_ARM64_PMEM.
 */
static inline void arch_trace_write_back(void *start, size_t size)
{
	/* Stores of other observers come before. */
	dmb(osh);
	dcache_clean_pop((unsigned long)start, (unsigned long)start + size);
}

#endif /* _ASM_TRACE_WRITE_BACK_H */
