/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The computation of sched_clock() from the generic timer's counter, in parts, for readers that
 * keep a copy of the factors: kernel/trace/lib/clock.h.
 *
 * All CPUs have the same factors. They change when a counter is registered, each time
 * before a product would have more than 64 bits, and when the machine suspends and resumes;
 * each change makes sched_clock_seq another.
 */
#ifndef __ASM_CLOCK_FACTORS_H
#define __ASM_CLOCK_FACTORS_H

#include <linux/math64.h>
#include <linux/sched_clock.h>
#include <linux/seqlock.h>

#include <asm/arch_timer.h>
#include <asm/virt.h>

/* Tells one set of factors from another; never above 31 bits in the life of a machine. */
static __always_inline u32 arch_clock_generation(void)
{
	return READ_ONCE(sched_clock_seq.seqcount.sequence);
}

/*
 * The counter's cycles since @epoch * @mul >> 32, of a product of 128 bits. The counter is
 * read as sched_clock() does it, neither before what stands in front nor after what follows.
 */
static __always_inline u64 arch_clock_scaled(u64 mul, u64 epoch)
{
	u64 cycles = __arch_counter_get_cntvct() - epoch;

	return mul_u64_u64_shr(cycles, mul, 32);
}

/* Does sched_clock() read the counter that is read above? */
static inline bool arch_clock_is_counter(const struct clock_read_data *data)
{
	/* At EL2 the virtual counter is the physical one. */
	return data->read_sched_clock == arch_counter_get_cntvct ||
	       (data->read_sched_clock == arch_counter_get_cntpct && is_kernel_in_hyp_mode());
}

/*
 * The factors of generation @seq: (cycles - *epoch) * *mul >> *shift, plus *offset, are
 * nanoseconds. The caller compares the generation afterwards: they may have changed.
 *
 * Context: any, with preemption off.
 * Return: false if sched_clock() does not come from the counter, or that wraps within days.
 */
static inline bool arch_clock_factors(u32 seq, u32 *mul, u32 *shift, u64 *offset, u64 *epoch)
{
	const struct clock_read_data *data;
	unsigned int now;

	data = sched_clock_read_begin(&now);
	*mul = READ_ONCE(data->mult);
	*shift = READ_ONCE(data->shift);
	*offset = READ_ONCE(data->epoch_ns);
	*epoch = READ_ONCE(data->epoch_cyc);
	return now == seq && arch_clock_is_counter(data) &&
	       data->sched_clock_mask - *epoch > BIT_ULL(48);
}

#endif /* __ASM_CLOCK_FACTORS_H */
