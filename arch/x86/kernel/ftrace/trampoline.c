// SPDX-License-Identifier: GPL-2.0
/*
 * Trampolines of x86: the part of sites/arch.h that makes targets. A trampoline is
 * a copy of ftrace_caller or its like (entry_64.S) with the ops and the call of
 * its callback written in. The unwinder takes the stack layout at an address of
 * the copy from the same place of the original, so nothing may be inserted or
 * left out.
 */
#include <linux/execmem.h>
#include <linux/memory.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/text-patching.h>

#include "layout.h"
#include "sites/arch.h"

#define MOV_IMM64_OFFSET	2
#define MOV_IMM64_OPCODE	0xba48		/* REX.W mov $imm64, %rdx */

static const struct trampoline_layout *trampoline_layout(unsigned long flags)
{
	if (flags & FTRACE_OPS_FL_SAVE_REGS)
		return &ftrace_regs_caller_layout;
	return flags & FTRACE_OPS_FL_NO_FREGS ? &ftrace_plain_caller_layout :
						&ftrace_caller_layout;
}

static unsigned long trampoline_code(unsigned long flags)
{
	if (flags & FTRACE_OPS_FL_SAVE_REGS)
		return (unsigned long)ftrace_regs_caller;
	return (unsigned long)(flags & FTRACE_OPS_FL_NO_FREGS ? ftrace_plain_caller :
								ftrace_caller);
}

/**
 * arch_ftrace_trampoline_code - what a trampoline is a copy of
 * @ops: its ops, as ftrace_ops_trampoline() tells
 *
 * Context: any, NMI included.
 * Return: address of the first instruction.
 */
unsigned long arch_ftrace_trampoline_code(const struct ftrace_ops *ops)
{
	return trampoline_code(ops->flags);
}

/* Let the call of the trampoline at @addr, whose code is in @buf, lead to @func. */
static int trampoline_set_call(u8 *buf, const u8 *addr, const struct trampoline_layout *layout,
			       ftrace_func_t func)
{
	const u8 *call = addr + layout->call;
	long disp = (unsigned long)func - (unsigned long)(call + CALL_INSN_SIZE);

	if (disp != (s32)disp)
		return -ERANGE;
	__text_gen_insn(buf + layout->call, CALL_INSN_OPCODE, call, func, CALL_INSN_SIZE);
	return 0;
}

/* Fill @buf with the code for @target that will run at @addr. */
static int trampoline_fill(u8 *buf, u8 *addr, const struct trampoline_layout *layout,
			   const struct ftrace_target *target)
{
	void *code = (void *)trampoline_code(target->flags);

	memcpy(buf, code, layout->size);
	if (WARN_ON_ONCE(*(u16 *)(buf + layout->ops) != MOV_IMM64_OPCODE ||
			 buf[layout->call] != CALL_INSN_OPCODE))
		return -EINVAL;
	/* What leaves the code (the return thunk, per-CPU data) is relative. */
	text_poke_apply_relocation(buf, addr, layout->size, code, layout->size);
	memcpy(buf + layout->ops + MOV_IMM64_OFFSET, &target->ops, sizeof(target->ops));
	return trampoline_set_call(buf, addr, layout, target->func);
}

/* Sites and modules are in the last 2 GiB: from one end of them a call reaches the other. */
static int direct_check(unsigned long addr)
{
	return addr >= __START_KERNEL_map ? 0 : -ERANGE;
}

/* See sites/arch.h. The sites of a direct call lead there, those of others to a trampoline. */
int arch_ftrace_target_init(struct ftrace_target *target)
{
	const struct trampoline_layout *layout = trampoline_layout(target->flags);
	unsigned int nr_pages = DIV_ROUND_UP(layout->size, PAGE_SIZE);
	u8 *addr, *buf;
	int err;

	if (target->direct) {
		target->entry = target->direct;
		return direct_check(target->direct);
	}
	addr = execmem_alloc(EXECMEM_FTRACE, layout->size);
	if (!addr)
		return -ENOMEM;
	set_vm_flush_reset_perms(addr);
	buf = kmalloc(layout->size, GFP_KERNEL);
	err = buf ? trampoline_fill(buf, addr, layout, target) : -ENOMEM;
	if (!err) {
		memset(addr, INT3_INSN_OPCODE, nr_pages * PAGE_SIZE);
		memcpy(addr, buf, layout->size);
		err = set_memory_rox((unsigned long)addr, nr_pages);
	}
	kfree(buf);
	if (err) {
		execmem_free(addr);
		return err;
	}
	target->size = layout->size;
	target->entry = (unsigned long)addr;
	return 0;
}

/* See sites/arch.h. */
void arch_ftrace_target_retarget(struct ftrace_target *target)
{
	const struct trampoline_layout *layout = trampoline_layout(target->flags);
	u8 *addr = (u8 *)target->entry, *call = addr + layout->call;
	u8 insn[CALL_INSN_SIZE];

	__text_gen_insn(insn, CALL_INSN_OPCODE, call, target->func, CALL_INSN_SIZE);
	guard(mutex)(&text_mutex);
	if (memcmp(call, insn, CALL_INSN_SIZE))
		text_poke_bp(call, insn, CALL_INSN_SIZE, NULL);
}

/* See sites/arch.h. */
void arch_ftrace_target_exit(struct ftrace_target *target)
{
	if (target->size)
		execmem_free((void *)target->entry);
}
