// SPDX-License-Identifier: GPL-2.0
/*
 * Trampolines of x86: what kernel/trace/hooks/ asks of an architecture. A
 * trampoline is a copy of ftrace_caller or its like (entry_64.S) with the ops
 * and the call of its callback written in. The unwinder takes the
 * stack layout at an address of the copy from the same place of the original,
 * so nothing may be inserted or left out.
 */
#include <linux/execmem.h>
#include <linux/memory.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/text-patching.h>

#include "hooks/hooks.h"
#include "layout.h"

#define MOV_IMM64_OFFSET	2
#define MOV_IMM64_OPCODE	0xba48		/* REX.W mov $imm64, %rdx */

static const struct trampoline_layout *trampoline_layout(const struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
		return &ftrace_regs_caller_layout;
	return ops->flags & FTRACE_OPS_FL_NO_FREGS ? &ftrace_plain_caller_layout :
						     &ftrace_caller_layout;
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
	if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
		return (unsigned long)ftrace_regs_caller;
	return (unsigned long)(ops->flags & FTRACE_OPS_FL_NO_FREGS ? ftrace_plain_caller :
								     ftrace_caller);
}

/* Fill @buf with the code for @ops that will run at @addr. */
static int trampoline_fill(u8 *buf, u8 *addr, const struct trampoline_layout *layout,
			   const struct ftrace_ops *ops, ftrace_func_t func)
{
	void *code = (void *)arch_ftrace_trampoline_code(ops);
	unsigned long call = (unsigned long)addr + layout->call;

	memcpy(buf, code, layout->size);
	if (WARN_ON_ONCE(*(u16 *)(buf + layout->ops) != MOV_IMM64_OPCODE ||
			 buf[layout->call] != CALL_INSN_OPCODE))
		return -EINVAL;
	/* What leaves the code (the return thunk, per-CPU data) is relative. */
	text_poke_apply_relocation(buf, addr, layout->size, code, layout->size);
	memcpy(buf + layout->ops + MOV_IMM64_OFFSET, &ops, sizeof(ops));
	return arch_ftrace_insn(call, (unsigned long)func, buf + layout->call);
}

/**
 * arch_ftrace_trampoline_create - make a trampoline
 * @ops: gets trampoline and trampoline_size; SAVE_REGS and NO_FREGS in its
 *	 flags tell which registers are saved
 * @func: what the trampoline calls, with @ops as the third argument
 *
 * Context: task; may sleep.
 * Return: 0; -ENOMEM; -ERANGE when @func is too far away.
 */
int arch_ftrace_trampoline_create(struct ftrace_ops *ops, ftrace_func_t func)
{
	const struct trampoline_layout *layout = trampoline_layout(ops);
	unsigned int nr_pages = DIV_ROUND_UP(layout->size, PAGE_SIZE);
	u8 *addr = execmem_alloc(EXECMEM_FTRACE, layout->size);
	u8 *buf;
	int err;

	if (!addr)
		return -ENOMEM;
	set_vm_flush_reset_perms(addr);
	buf = kmalloc(layout->size, GFP_KERNEL);
	err = buf ? trampoline_fill(buf, addr, layout, ops, func) : -ENOMEM;
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
	ops->trampoline_size = layout->size;
	ops->trampoline = (unsigned long)addr;
	return 0;
}

/**
 * arch_ftrace_trampoline_retarget - let a trampoline call something else
 * @ops: its ops
 * @func: what it calls from now on
 *
 * Who is between the trampoline and the old callback calls that one still.
 *
 * Context: task; takes text_mutex.
 */
void arch_ftrace_trampoline_retarget(struct ftrace_ops *ops, ftrace_func_t func)
{
	unsigned long call = ops->trampoline + trampoline_layout(ops)->call;
	u8 insn[CALL_INSN_SIZE];

	if (WARN_ON_ONCE(!ops->trampoline ||
			 arch_ftrace_insn(call, (unsigned long)func, insn)))
		return;
	mutex_lock(&text_mutex);
	if (memcmp((void *)call, insn, CALL_INSN_SIZE))
		text_poke_bp((void *)call, insn, CALL_INSN_SIZE, NULL);
	mutex_unlock(&text_mutex);
}

/**
 * arch_ftrace_trampoline_free - give a trampoline back
 * @ops: its ops
 *
 * No site calls it, and a grace period of tasks RCU has passed since.
 *
 * Context: task.
 */
void arch_ftrace_trampoline_free(struct ftrace_ops *ops)
{
	if (!ops->trampoline)
		return;
	execmem_free((void *)ops->trampoline);
	ops->trampoline = 0;
	ops->trampoline_size = 0;
}
