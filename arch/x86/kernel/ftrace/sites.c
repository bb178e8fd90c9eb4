// SPDX-License-Identifier: GPL-2.0
/*
 * Call sites of x86: the part of sites/arch.h that makes and patches them. A site
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

#include "sites/arch.h"

static_assert(MCOUNT_INSN_SIZE == CALL_INSN_SIZE);

static const u8 *site_nop_insn(void)
{
	return x86_nops[MCOUNT_INSN_SIZE];
}

/* The instruction at @ip that calls @entry. */
static int site_call_insn(unsigned long ip, unsigned long entry, union text_poke_insn *insn)
{
	long disp = entry - (ip + CALL_INSN_SIZE);

	if (disp != (s32)disp)
		return -ERANGE;
	insn->opcode = CALL_INSN_OPCODE;
	insn->disp = disp;
	return 0;
}

static int site_insn(unsigned long ip, const struct ftrace_target *target,
		     union text_poke_insn *insn)
{
	if (target)
		return site_call_insn(ip, target->entry, insn);
	memcpy(insn->text, site_nop_insn(), MCOUNT_INSN_SIZE);
	return 0;
}

/* See sites/arch.h. */
int arch_ftrace_site_insn(const struct dyn_ftrace *site, const struct ftrace_target *target,
			  u8 insn[MCOUNT_INSN_SIZE])
{
	union text_poke_insn made;
	int ret = site_insn(ftrace_site_ip(site), target, &made);

	if (!ret)
		memcpy(insn, made.text, MCOUNT_INSN_SIZE);
	return ret;
}

/* See sites/arch.h. Each target has a trampoline, and a direct call is in reach. */
bool arch_ftrace_site_by_literal(const struct dyn_ftrace *site,
				 const struct ftrace_target *target)
{
	return false;
}

/* See sites/arch.h. A site is its instruction. */
void arch_ftrace_site_report(const struct dyn_ftrace *site, const struct ftrace_target *target)
{
}

/* copy_from_kernel_nofault() for an address that is in the kernel. */
static __always_inline bool site_insn_read(unsigned long ip, union text_poke_insn *insn)
{
	const union text_poke_insn *at = (const void *)ip;

	pagefault_disable();
	__get_kernel_nofault(&insn->opcode, &at->opcode, u8, fault);
	__get_kernel_nofault(&insn->disp, &at->disp, s32, fault);
	pagefault_enable();
	return true;
fault:
	pagefault_enable();
	return false;
}

static __always_inline int site_check(unsigned long ip, const struct ftrace_target *target)
{
	/* Here and below: CONFIG_INIT_STACK_ALL_* would clear them at each of all sites. */
	union text_poke_insn found __uninitialized, made __uninitialized;

	if (!site_insn_read(ip, &found))
		return -EFAULT;
	if (site_insn(ip, target, &made) || memcmp(&found, &made, MCOUNT_INSN_SIZE))
		return -EINVAL;
	return 0;
}

/* See sites/arch.h. While a site is being patched, its first byte is a breakpoint. */
int arch_ftrace_site_check(const struct dyn_ftrace *site, const struct ftrace_target *target)
{
	return site_check(ftrace_site_ip(site), target);
}

/*
 * See sites/arch.h. The build may have replaced the call by a NOP. objtool writes the
 * kernel's own NOP. recordmcount writes a marked one (last byte 8f); in vmlinux the link
 * step has turned it into the kernel's NOP, in modules it is still marked.
 */
int arch_ftrace_site_init(unsigned long ip, struct module *mod)
{
	/* scripts/recordmcount-link.h has it too. */
	static const u8 mark[MCOUNT_INSN_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x8f };
	bool built = IS_ENABLED(CONFIG_FTRACE_MCOUNT_NOPS) && !mod;
	unsigned long compiler_entry = MCOUNT_ADDR;
	union text_poke_insn compiled;

	/*
	 * It is in text, so it can be read. The table's pointer to a weak function that
	 * lost may lead into the winner instead, where a static branch may have put a
	 * NOP of the same bytes: that is no site.
	 */
	if (!memcmp((void *)ip, site_nop_insn(), MCOUNT_INSN_SIZE))
		return IS_ENABLED(CONFIG_FTRACE_MCOUNT_USE_OBJTOOL) || built ? 0 : -ENOENT;
	if (!IS_ENABLED(CONFIG_FTRACE_MCOUNT_NOPS) || memcmp((void *)ip, mark, sizeof(mark))) {
		/* Otherwise the text has an address some bytes before it, which objtool forbids. */
		OPTIMIZER_HIDE_VAR(compiler_entry);
		if (site_call_insn(ip, compiler_entry, &compiled) ||
		    memcmp((void *)ip, &compiled, MCOUNT_INSN_SIZE))
			return -ENOENT;
	}
	memcpy((void *)ip, site_nop_insn(), MCOUNT_INSN_SIZE);
	return 0;
}

/* See sites/arch.h. The text that runs was written as data, by the only CPU: let it see that. */
void __init arch_ftrace_sites_ready(void)
{
	lockdep_assert_irqs_disabled();
	sync_core();
}

/* See sites/arch.h. */
void arch_ftrace_patch_begin(void)
{
	mutex_lock(&text_mutex);
}

/*
 * See sites/arch.h. text_poke_queue() writes when its queue is full or addresses stop
 * growing: all sites of the queue get a breakpoint, then the tails, then the first
 * bytes, with the other CPUs told in between; who runs into the breakpoint is sent to
 * the new entry.
 */
int arch_ftrace_patch(const struct dyn_ftrace *site, const struct ftrace_target *from,
		      const struct ftrace_target *to)
{
	unsigned long ip = ftrace_site_ip(site);
	union text_poke_insn insn __uninitialized;
	int err;

	lockdep_assert_held(&text_mutex);
	err = site_check(ip, from) ?: site_insn(ip, to, &insn);
	if (!err)
		text_poke_queue((void *)ip, insn.text, MCOUNT_INSN_SIZE, NULL);
	return err;
}

/* See sites/arch.h. */
void arch_ftrace_patch_end(void)
{
	text_poke_finish();
	mutex_unlock(&text_mutex);
}
