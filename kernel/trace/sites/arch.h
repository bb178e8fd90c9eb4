/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of an architecture: everything that sites/ and hooks/ ask of
 * arch/ARCH/kernel/ftrace/ with CONFIG_DYNAMIC_FTRACE. Its files include this
 * header, which includes target.h, and no other one of kernel/trace/.
 *
 * <asm/ftrace.h> defines, for the rest of the kernel as well:
 *
 *   MCOUNT_INSN_SIZE		bytes of the instruction that is patched
 *   FTRACE_MCOUNT_MAX_OFFSET	the greatest distance of a site behind its symbol; no more than
 *				two of these instructions, if no other symbol can be between
 *   ftrace_call_adjust()	the site's address from what the recorder wrote down
 *   arch_ftrace_get_regs(), arch_ftrace_fill_perf_regs(),
 *   ftrace_regs_set_instruction_pointer(), arch_ftrace_set_direct_caller()
 *				what callbacks do with their struct ftrace_regs
 *   arch_ftrace_partial_regs()	for ftrace_partial_regs(), if there is a struct pt_regs in it:
 *				completes that where it was saved in part
 *   HAVE_ARCH_FTRACE_REGS	there is none in it: here are struct __arch_ftrace_regs,
 *				arch_ftrace_regs(), ftrace_partial_regs() itself, and the
 *				accessors that <linux/ftrace_regs.h> has for others,
 *				ftrace_override_function_with_return() among them
 *   arch_ftrace_retp()		where the return address is at the entry of a function;
 *				return_to_handler() has put it back there before it
 *				calls ftrace_return_to_handler(), and goes on where it
 *				says then
 *   arch_ftrace_entry_regs()	for callbacks at the entry of a function: the registers that
 *				are saved there, by the call's arch_ftrace_place(); where this
 *				cannot be told there is no CONFIG_FUNCTION_TRACE_ARGS
 *   ARCH_FTRACE_ARG_REGS, _COPIES, _EVEN_PAIRS, _IN_ORDER
 *				with it, the rules for arguments: struct trace_btf_abi
 *   ARCH_FTRACE_ARG_STACK	how far above the stack pointer the arguments on the stack begin
 *   arch_ftrace_return_regs()	turns the registers that return_to_handler() has saved, in
 *				place, into pt_regs of the moment after the return;
 *				arch_ftrace_fill_return_regs() fills others, without
 *				CONFIG_DYNAMIC_FTRACE_WITH_REGS
 *   arch_ftrace_get_symaddr()	the function of a site, where there is more than a landing pad
 *				in front of it
 *   arch_ftrace_place()	if the return address is in a register at the entry, and
 *				nobody knows yet where the function will save it: an address
 *				that an unwinder which finds it there knows of the call, and
 *				that return_to_handler() knows as well. Only calls that one function
 *				has jumped to from the end of another have the same; that
 *				of an inner call is below that of an outer one. By default
 *				it is arch_ftrace_retp()
 *   ARCH_FTRACE_CALL_SIZE	with CONFIG_HAVE_FTRACE_SAVED_RETURN: how much of the stack a
 *				call takes by itself, before the function's first instruction
 *   arch_ftrace_saved_return(), arch_ftrace_saved_place()
 *				as well, if a function has saved its return address at @p: that
 *				address without a signature, or return_to_handler(); and the
 *				call's arch_ftrace_place(), behind which, by the size above,
 *				is its caller's stack. If it has not, they may return anything
 *   arch_ftrace_trampoline_code()
 *				which code a trampoline is a copy of, for unwinders
 *
 * Its assembly has, besides return_to_handler():
 *
 *   ftrace_stub()		a callback that does nothing, without a call site
 *   ftrace_stub_direct_tramp()	with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS: a direct call
 *				that goes on in the function at once
 *
 * target.h tells what a site calls.
 *
 * Without CONFIG_DYNAMIC_FTRACE an architecture has one function that the
 * compiler's calls lead to. It looks whether the pointer ftrace_static_set is
 * NULL, and calls arch_ftrace_ops_list_func() when it is not.
 */
#ifndef _TRACE_SITES_ARCH_H
#define _TRACE_SITES_ARCH_H

#include <linux/ftrace.h>

#include "sites/sites.h"
#include "sites/target.h"

/*
 * Calls all ops that have the site: from an entry that does not know the target, or,
 * without sites, from every function. @list is unused. The linker script refers to this name.
 */
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *list, struct ftrace_regs *fregs);

/*
 * Making sites
 */

/**
 * arch_ftrace_site_init - make a site of what the compiler and the build left
 * @ip: address of the site
 * @mod: its module, NULL: the kernel
 *
 * Writes everything that a site which calls nothing consists of: a NOP in place
 * of the compiler's call, and what belongs to it beside (on arm64 the move of the
 * link register in front).
 *
 * Context: nobody executes the text yet, and it is writable: the kernel's in
 * ftrace_init() on the only CPU with interrupts off, a module's in task context
 * while that is unformed, when it cannot be found by address.
 * Return: 0, or -ENOENT when the compiler's call is not here (a weak function
 * that lost): the site is dropped in silence.
 */
int arch_ftrace_site_init(unsigned long ip, struct module *mod);

/**
 * arch_ftrace_sites_ready - the kernel's sites are made
 *
 * Context: ftrace_init(): one CPU, interrupts off.
 */
void arch_ftrace_sites_ready(void);

/*
 * Patching
 */

/**
 * arch_ftrace_patch_begin - begin a batch of changes
 *
 * Context: task, ftrace_lock(); may take locks (text_mutex) that
 * arch_ftrace_patch_end() releases.
 */
void arch_ftrace_patch_begin(void);

/**
 * arch_ftrace_patch - change what a site calls
 * @site: the record
 * @from: what it calls, NULL: nothing
 * @to: what it is to call, NULL: nothing
 *
 * Checks that the text is what @from makes of it, and writes, now or by
 * arch_ftrace_patch_end(), what @to makes. CPUs that execute the site meanwhile
 * do what one of the two says. Sites come in order of addresses, mostly. The
 * module of a site can be found by address and stays: its PLT may be used. The kernel's
 * init text is not patched any more when it is about to be freed.
 *
 * Context: task, ftrace_lock(), between arch_ftrace_patch_begin() and _end(); no
 * allocation.
 * Return: 0; -EFAULT: the text cannot be read; -EINVAL: it is not what @from
 * makes; -ERANGE: no way leads from here to @to, which is a bug like the others: patching
 * stops. On an error the site is as before.
 */
int arch_ftrace_patch(const struct dyn_ftrace *site, const struct ftrace_target *from,
		      const struct ftrace_target *to);

/**
 * arch_ftrace_patch_end - end a batch: all is written, and all CPUs see it
 *
 * Context: task, after arch_ftrace_patch_begin().
 */
void arch_ftrace_patch_end(void);

/*
 * Questions
 */

/**
 * arch_ftrace_site_check - does the text of a site say what it should?
 * @site: the record
 * @target: what it should call, NULL: nothing
 *
 * Context: any; ftrace_lock() unless the site cannot be patched meanwhile.
 * Return: 0; -EFAULT: unreadable; -EINVAL: no.
 */
int arch_ftrace_site_check(const struct dyn_ftrace *site, const struct ftrace_target *target);

/**
 * arch_ftrace_site_insn - the instruction that a site should have
 * @site: the record
 * @target: what it calls, NULL: nothing
 * @insn: is filled
 *
 * Context: any, as arch_ftrace_site_check().
 * Return: 0, or -ERANGE when no way leads from the site to @target.
 */
int arch_ftrace_site_insn(const struct dyn_ftrace *site, const struct ftrace_target *target,
			  u8 insn[MCOUNT_INSN_SIZE]);

/**
 * arch_ftrace_site_report - print what a site has beside its instruction
 * @site: the record, at which arch_ftrace_patch() or arch_ftrace_site_check() failed
 * @target: what it should call, NULL: nothing
 *
 * For the report of a bug, below the instructions: with a literal, its value and what it should
 * be. An architecture that has nothing else prints nothing.
 *
 * Context: as arch_ftrace_site_check().
 */
void arch_ftrace_site_report(const struct dyn_ftrace *site, const struct ftrace_target *target);

/**
 * arch_ftrace_site_by_literal - does a literal beside the function say what is called?
 * @site: the record
 * @target: what it calls
 *
 * Context: any, as arch_ftrace_site_check().
 * Return: true if the site calls the entry that all targets share, which loads @target from
 * the literal; false if the site's instruction leads to @target.
 */
bool arch_ftrace_site_by_literal(const struct dyn_ftrace *site,
				 const struct ftrace_target *target);

#endif /* _TRACE_SITES_ARCH_H */
