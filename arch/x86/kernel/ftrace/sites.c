// SPDX-License-Identifier: GPL-2.0
/*
 * Call sites of x86: what kernel/trace/sites/ asks of an architecture. A site
 * is the five bytes that the compiler put at the entry of a function, behind
 * an ENDBR if there is one:
 *
 *	e8 <rel32>	call __fentry__		as compiled
 *	0f 1f 44 00 00	nopl 0(%rax,%rax,1)	nothing is hooked
 *	e8 <rel32>	call trampoline
 */
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/memory.h>
#include <linux/string.h>
#include <linux/sync_core.h>
#include <linux/uaccess.h>

#include <asm/nops.h>
#include <asm/text-patching.h>

#include "sites/sites.h"

static_assert(MCOUNT_INSN_SIZE == CALL_INSN_SIZE);

/**
 * arch_ftrace_insn - the instruction of a site
 * @ip: address of the site
 * @target: what it calls, 0: it is a NOP
 * @insn: is filled
 *
 * Context: any.
 * Return: 0, or -ERANGE when @target is too far away.
 */
int arch_ftrace_insn(unsigned long ip, unsigned long target, u8 insn[MCOUNT_INSN_SIZE])
{
	long disp = target - (ip + CALL_INSN_SIZE);

	if (!target) {
		memcpy(insn, x86_nops[MCOUNT_INSN_SIZE], MCOUNT_INSN_SIZE);
		return 0;
	}
	if (disp != (s32)disp)
		return -ERANGE;
	__text_gen_insn(insn, CALL_INSN_OPCODE, (void *)ip, (void *)target, CALL_INSN_SIZE);
	return 0;
}

/* What an instruction at @ip calls; 0: it is a NOP. */
static int insn_decode_site(unsigned long ip, const union text_poke_insn *insn,
			    unsigned long *target)
{
	if (!memcmp(insn->text, x86_nops[MCOUNT_INSN_SIZE], MCOUNT_INSN_SIZE)) {
		*target = 0;
		return 0;
	}
	if (insn->opcode != CALL_INSN_OPCODE)
		return -EINVAL;
	*target = ip + CALL_INSN_SIZE + insn->disp;
	return 0;
}

/**
 * arch_ftrace_read_site - what a site calls at this moment
 * @ip: address of the site
 * @target: is set to what it calls, 0: it is a NOP
 *
 * While the site is being patched its first byte is a breakpoint; hold
 * ftrace_lock().
 *
 * Context: any.
 * Return: 0; -EFAULT: unreadable; -EINVAL: neither a NOP nor a call.
 */
int arch_ftrace_read_site(unsigned long ip, unsigned long *target)
{
	union text_poke_insn insn;

	if (copy_from_kernel_nofault(&insn, (void *)ip, CALL_INSN_SIZE))
		return -EFAULT;
	return insn_decode_site(ip, &insn, target);
}

/**
 * arch_ftrace_init_site - make a NOP of the compiler's call
 * @ip: address of the site
 * @mod: its module, NULL: the kernel
 *
 * A recorder that leaves NOPs has made it one already: objtool the same as the
 * kernel, recordmcount one that it tells from others, which the link has made
 * the kernel's own.
 *
 * Context: nobody executes the text yet, and it is writable: the kernel's in
 * ftrace_init(), a module's while that is unformed.
 * Return: 0, or -ENOENT when the compiler's call is not here.
 */
int arch_ftrace_init_site(unsigned long ip, struct module *mod)
{
	/* scripts/recordmcount-link.h has it too. */
	static const u8 mark[MCOUNT_INSN_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x8f };
	bool built = IS_ENABLED(CONFIG_FTRACE_MCOUNT_NOPS) && !mod;
	unsigned long target;

	/* It is in text, so it can be read. */
	if (IS_ENABLED(CONFIG_FTRACE_MCOUNT_NOPS) && !memcmp((void *)ip, mark, sizeof(mark))) {
		memcpy((void *)ip, x86_nops[MCOUNT_INSN_SIZE], MCOUNT_INSN_SIZE);
		return 0;
	}
	if (insn_decode_site(ip, (void *)ip, &target))
		return -ENOENT;
	/*
	 * The pointer of a weak function that lost is to the winner, which may
	 * have a NOP of its own there: a static branch, say.
	 */
	if (!target)
		return IS_ENABLED(CONFIG_FTRACE_MCOUNT_USE_OBJTOOL) || built ? 0 : -ENOENT;
	if (target != MCOUNT_ADDR)
		return -ENOENT;
	memcpy((void *)ip, x86_nops[MCOUNT_INSN_SIZE], MCOUNT_INSN_SIZE);
	return 0;
}

/**
 * arch_ftrace_init_finish - the kernel's sites are all NOPs
 *
 * The text that runs was written as data, on the only CPU; let it see that.
 *
 * Context: ftrace_init(), interrupts off.
 */
void __init arch_ftrace_init_finish(void)
{
	lockdep_assert_irqs_disabled();
	sync_core();
}

/**
 * arch_ftrace_patch_prepare - begin a batch of changes
 *
 * Context: task, ftrace_lock(); takes text_mutex.
 */
void arch_ftrace_patch_prepare(void)
{
	mutex_lock(&text_mutex);
}

/**
 * arch_ftrace_patch - change what a site calls
 * @ip: address of the site
 * @old: what it calls now, 0: it is a NOP
 * @new: what it is to call, 0: it becomes a NOP
 *
 * The change is queued. text_poke_queue() writes when its queue is full or
 * addresses stop growing: all sites of the queue get a breakpoint, then the
 * tails, then the first bytes, with the other CPUs told in between; who runs
 * into the breakpoint is sent to @new.
 *
 * Context: task, between arch_ftrace_patch_prepare() and _finish().
 * Return: 0; -EFAULT: unreadable; -EINVAL: the site does not call @old;
 * -ERANGE: @new is too far away.
 */
int arch_ftrace_patch(unsigned long ip, unsigned long old, unsigned long new)
{
	u8 insn[MCOUNT_INSN_SIZE];
	unsigned long found;
	int err;

	lockdep_assert_held(&text_mutex);
	err = arch_ftrace_read_site(ip, &found);
	if (err)
		return err;
	if (found != old)
		return -EINVAL;
	if (old == new)
		return 0;
	err = arch_ftrace_insn(ip, new, insn);
	if (err)
		return err;
	text_poke_queue((void *)ip, insn, MCOUNT_INSN_SIZE, NULL);
	return 0;
}

/**
 * arch_ftrace_patch_finish - end a batch: all is written on return
 *
 * Context: task, after arch_ftrace_patch_prepare().
 */
void arch_ftrace_patch_finish(void)
{
	text_poke_finish();
	mutex_unlock(&text_mutex);
}
