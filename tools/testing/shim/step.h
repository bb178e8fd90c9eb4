/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processor's trace flag, in a program: with it the processor makes a SIGTRAP after each
 * instruction, until it is taken away, or the handler of the signal ends it for the code that
 * it has interrupted.
 */
#ifndef _SHIM_STEP_H
#define _SHIM_STEP_H

#include <signal.h>
#include <ucontext.h>

#ifdef __x86_64__
/* The stack has a red zone below its pointer. */
# define STEP_ON	"lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq;" \
			"lea 128(%%rsp), %%rsp"
# define STEP_OFF	"lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq;" \
			"lea 128(%%rsp), %%rsp"
#elif defined(__i386__)
# define STEP_ON	"pushfl; orl $0x100, (%%esp); popfl"
# define STEP_OFF	"pushfl; andl $~0x100, (%%esp); popfl"
#endif

#ifdef STEP_ON
# define shim_step_on()		__asm__ __volatile__(STEP_ON : : : "memory", "cc")
# define shim_step_off()	__asm__ __volatile__(STEP_OFF : : : "memory", "cc")

/* In the handler of SIGTRAP: the code that was interrupted goes on without. */
static inline void shim_step_end(void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
}
#endif

#endif /* _SHIM_STEP_H */
