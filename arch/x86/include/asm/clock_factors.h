/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The computation of sched_clock() from the time stamp counter, in parts, for readers that keep
 * a copy of the factors: kernel/trace/lib/clock.h.
 *
 * Each CPU has factors. They change when the frequency is measured anew or changes,
 * and when the machine resumes; each change makes cyc2ns.seq another.
 */
#ifndef _ASM_X86_CLOCK_FACTORS_H
#define _ASM_X86_CLOCK_FACTORS_H

#include <linux/percpu.h>
#include <linux/seqlock.h>

#include <asm/timer.h>
#include <asm/tsc.h>

/* Tells one set of this CPU's factors from another; never above 31 bits. */
static __always_inline u32 arch_clock_generation(void)
{
	return this_cpu_read(cyc2ns.seq.seqcount.sequence);
}

/*
 * The counter's cycles * @mul >> 32: of the product's 128 bits the 64 that sched_clock()
 * has. They are counted from 0. With a type of 128 bits the compiler would align the stack.
 */
static __always_inline u64 arch_clock_scaled(u64 mul, u64 epoch)
{
	u64 scaled;

	asm volatile("rdtsc\n\t"
		     "shlq $32, %%rdx\n\t"
		     "orq %%rdx, %%rax\n\t"
		     "mulq %[mul]\n\t"
		     "shrdq $32, %%rdx, %%rax"
		     : "=&a" (scaled) : [mul] "rm" (mul) : "rdx", "cc");
	return scaled;
}

/*
 * The factors of generation @seq: cycles * *mul >> *shift, plus *offset, are
 * nanoseconds. The caller compares the generation afterwards: they may have changed.
 *
 * Context: any, with preemption off.
 * Return: false if sched_clock() does not come from the counter.
 */
static inline bool arch_clock_factors(u32 seq, u32 *mul, u32 *shift, u64 *offset, u64 *epoch)
{
	const struct cyc2ns_data *data = &this_cpu_ptr(&cyc2ns)->data[seq & 1];

	*mul = READ_ONCE(data->cyc2ns_mul);
	*shift = READ_ONCE(data->cyc2ns_shift);
	*offset = READ_ONCE(data->cyc2ns_offset);
	*epoch = 0;
	return *mul && using_native_sched_clock();
}

#endif /* _ASM_X86_CLOCK_FACTORS_H */
