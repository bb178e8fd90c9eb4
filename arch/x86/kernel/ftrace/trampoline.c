// SPDX-License-Identifier: GPL-2.0
/*
 * Trampolines of x86: the part of sites/arch.h that makes targets. A trampoline is
 * a copy of ftrace_caller or its like (entry_64.S) with the ops and the call of
 * its callback written in. The unwinder takes the stack layout at an address of
 * the copy from the same place of the original, so nothing may be inserted or
 * left out.
 */
#include <linux/bitmap.h>
#include <linux/execmem.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/alternative.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "layout.h"
#include "sites/arch.h"

#define MOV_IMM64_OFFSET	2
#define MOV_IMM64_OPCODE	0xba48		/* REX.W mov $imm64, %rdx */

/* The code that a trampoline is a copy of, and the places in it that are filled in. */
struct trampoline_kind {
	void				(*code)(void);
	const struct trampoline_layout	*layout;
};

enum {
	KIND_ARGS,
	KIND_REGS,
	KIND_DIRECT,
	KIND_DIRECT_REGS,
	KIND_PLAIN,
	KIND_VIEW,
	KIND_VIEW_REGS,
	KIND_INSIDE,
	KIND_PAIR,
	KIND_PAIR_PLAIN,
	KIND_PAIR_VIEW,
};

static const struct trampoline_kind trampoline_kinds[] = {
	[KIND_ARGS]	 = { ftrace_caller, &ftrace_caller_layout },
	[KIND_REGS]	 = { ftrace_regs_caller, &ftrace_regs_caller_layout },
	[KIND_DIRECT]	 = { ftrace_direct_caller, &ftrace_direct_caller_layout },
	[KIND_DIRECT_REGS] = { ftrace_direct_regs_caller, &ftrace_direct_regs_caller_layout },
	[KIND_PLAIN]	 = { ftrace_plain_caller, &ftrace_plain_caller_layout },
	[KIND_VIEW]	 = { ftrace_view_caller, &ftrace_view_caller_layout },
	[KIND_VIEW_REGS] = { ftrace_view_regs_caller, &ftrace_view_regs_caller_layout },
#ifdef CONFIG_FTRACE_GRAPH
	[KIND_INSIDE]	 = { ftrace_inside_caller, &ftrace_inside_caller_layout },
#endif
	[KIND_PAIR]	 = { ftrace_pair_caller, &ftrace_pair_caller_layout },
	[KIND_PAIR_PLAIN] = { ftrace_pair_plain_caller, &ftrace_pair_plain_caller_layout },
	[KIND_PAIR_VIEW] = { ftrace_pair_view_caller, &ftrace_pair_view_caller_layout },
};

/* The calls of a pair that is rare are made by the function of its target. */
static const struct trampoline_kind *trampoline_kind(unsigned long flags)
{
	bool view = flags & FTRACE_OPS_FL_VIEW, regs = flags & FTRACE_OPS_FL_SAVE_REGS;
	bool pair = flags & FTRACE_OPS_FL_PAIR;
	int kind;

	if (flags & FTRACE_OPS_FL_DIRECT)
		kind = regs ? KIND_DIRECT_REGS : KIND_DIRECT;
	else if (regs)
		kind = view ? KIND_VIEW_REGS : KIND_REGS;
	else if (IS_ENABLED(CONFIG_FTRACE_GRAPH) && flags & FTRACE_OPS_FL_INSIDE)
		kind = KIND_INSIDE;
	else if (flags & FTRACE_OPS_FL_NO_FREGS)
		kind = pair ? KIND_PAIR_PLAIN : KIND_PLAIN;
	else if (view)
		kind = pair ? KIND_PAIR_VIEW : KIND_VIEW;
	else
		kind = pair ? KIND_PAIR : KIND_ARGS;
	return &trampoline_kinds[kind];
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
	return (unsigned long)trampoline_kind(ops->flags)->code;
}

/* How many calls does the code make? */
static int trampoline_calls(const struct trampoline_layout *layout)
{
	return layout->call[1] ? 2 : 1;
}

/* Call @i of the code for @target. */
static struct ftrace_call trampoline_call(const struct trampoline_layout *layout,
					  const struct ftrace_target *target, int i)
{
	if (trampoline_calls(layout) == 2)
		return target->pair[i];
	return (struct ftrace_call) { .func = target->func, .ops = target->ops };
}

/* Let call @i of the trampoline at @addr, whose code is in @buf, be @made. */
static int trampoline_set_call(u8 *buf, const u8 *addr, const struct trampoline_layout *layout,
			       int i, struct ftrace_call made)
{
	const u8 *call = addr + layout->call[i];
	u8 *ops = buf + layout->ops[i];
	long disp = (unsigned long)made.func - (unsigned long)(call + CALL_INSN_SIZE);

	if (WARN_ON_ONCE(*(u16 *)ops != MOV_IMM64_OPCODE ||
			 buf[layout->call[i]] != CALL_INSN_OPCODE))
		return -EINVAL;
	if (disp != (s32)disp)
		return -ERANGE;
	memcpy(ops + MOV_IMM64_OFFSET, &made.ops, sizeof(made.ops));
	__text_gen_insn(buf + layout->call[i], CALL_INSN_OPCODE, call, made.func, CALL_INSN_SIZE);
	return 0;
}

/*
 * Write a RET that will run at @addr. Alternatives may not have been applied to the
 * original yet, and where they were, the choice was made for its address.
 */
static void trampoline_set_ret(u8 *insn, u8 *addr)
{
	if (!IS_ENABLED(CONFIG_MITIGATION_RETHUNK))
		return;
	if (cpu_wants_rethunk_at(addr)) {
		__text_gen_insn(insn, JMP32_INSN_OPCODE, addr, x86_return_thunk, JMP32_INSN_SIZE);
		return;
	}
	memset(insn, INT3_INSN_OPCODE, JMP32_INSN_SIZE);
	insn[0] = RET_INSN_OPCODE;
}

/* Fill @buf with the code for @target that will run at @addr. */
static int trampoline_fill(u8 *buf, u8 *addr, const struct trampoline_kind *kind,
			   const struct ftrace_target *target)
{
	const struct trampoline_layout *layout = kind->layout;
	void *code = (void *)kind->code;
	int i, ret = 0;

	memcpy(buf, code, layout->size);
	/* References out of the code (to per-CPU data) are relative. */
	text_poke_apply_relocation(buf, addr, layout->size, code, layout->size);
	for (i = 0; i < ARRAY_SIZE(layout->rets); i++) {
		if (layout->rets[i])
			trampoline_set_ret(buf + layout->rets[i], addr + layout->rets[i]);
	}
	for (i = 0; i < trampoline_calls(layout) && !ret; i++)
		ret = trampoline_set_call(buf, addr, layout, i,
					  trampoline_call(layout, target, i));
	return ret;
}

/*
 * Several trampolines share a page, each in as many units as it needs. Pages are
 * read-only and executable from the beginning, and full of breakpoints where no
 * trampoline is. A page that gets empty is kept for the next trampoline.
 */
#define TRAMPOLINE_UNIT		64
#define TRAMPOLINE_UNITS	(PAGE_SIZE / TRAMPOLINE_UNIT)

struct trampoline_page {
	struct list_head	list;
	u8			*text;
	DECLARE_BITMAP(used, TRAMPOLINE_UNITS);
};

/* The list and what is used; inside of ftrace_lock(), before text_mutex. */
static DEFINE_MUTEX(trampoline_pages_mutex);
static LIST_HEAD(trampoline_pages);

static struct trampoline_page *trampoline_page_alloc(void)
{
	struct trampoline_page *page = kzalloc(sizeof(*page), GFP_KERNEL);

	if (!page)
		return NULL;
	page->text = execmem_alloc(EXECMEM_FTRACE, PAGE_SIZE);
	if (!page->text) {
		kfree(page);
		return NULL;
	}
	set_vm_flush_reset_perms(page->text);
	memset(page->text, INT3_INSN_OPCODE, PAGE_SIZE);
	if (set_memory_rox((unsigned long)page->text, 1)) {
		execmem_free(page->text);
		kfree(page);
		return NULL;
	}
	return page;
}

/* Room for a trampoline, NULL: no memory. */
static u8 *trampoline_alloc(size_t size)
{
	unsigned long units = DIV_ROUND_UP(size, TRAMPOLINE_UNIT), at;
	struct trampoline_page *page;

	guard(mutex)(&trampoline_pages_mutex);
	list_for_each_entry(page, &trampoline_pages, list) {
		at = bitmap_find_next_zero_area(page->used, TRAMPOLINE_UNITS, 0, units, 0);
		if (at < TRAMPOLINE_UNITS)
			goto found;
	}
	page = trampoline_page_alloc();
	if (!page)
		return NULL;
	list_add(&page->list, &trampoline_pages);
	at = 0;
found:
	bitmap_set(page->used, at, units);
	return page->text + at * TRAMPOLINE_UNIT;
}

/* Give it back; nobody executes it any more. */
static void trampoline_free(u8 *addr, size_t size)
{
	unsigned long units = DIV_ROUND_UP(size, TRAMPOLINE_UNIT);
	struct trampoline_page *page;

	guard(mutex)(&trampoline_pages_mutex);
	list_for_each_entry(page, &trampoline_pages, list) {
		if (page->text == (u8 *)((unsigned long)addr & PAGE_MASK))
			break;
	}
	bitmap_clear(page->used, (addr - page->text) / TRAMPOLINE_UNIT, units);
	if (!bitmap_empty(page->used, TRAMPOLINE_UNITS) ||
	    list_is_singular(&trampoline_pages)) {
		text_poke_set(addr, INT3_INSN_OPCODE, units * TRAMPOLINE_UNIT);
		return;
	}
	list_del(&page->list);
	execmem_free(page->text);
	kfree(page);
}

/* Sites and modules are in the last 2 GiB: from one end of them a call reaches the other. */
static int trampoline_direct_check(unsigned long addr)
{
	return addr >= __START_KERNEL_map ? 0 : -ERANGE;
}

/* See sites/arch.h. The sites of a direct call lead there, those of others to a trampoline. */
int arch_ftrace_target_init(struct ftrace_target *target)
{
	const struct trampoline_kind *kind = trampoline_kind(target->flags);
	size_t size = kind->layout->size;
	u8 *addr, *buf;
	int err;

	if (target->direct) {
		target->entry = target->direct;
		return trampoline_direct_check(target->direct);
	}
	buf = kmalloc(size, GFP_KERNEL);
	addr = buf ? trampoline_alloc(size) : NULL;
	err = addr ? trampoline_fill(buf, addr, kind, target) : -ENOMEM;
	if (!err) {
		text_poke_copy(addr, buf, size);
		target->size = size;
		target->entry = (unsigned long)addr;
	} else if (addr) {
		trampoline_free(addr, size);
	}
	kfree(buf);
	return err;
}

/* See sites/arch.h. */
void arch_ftrace_target_retarget(struct ftrace_target *target)
{
	const struct trampoline_layout *layout = trampoline_kind(target->flags)->layout;
	u8 insn[CALL_INSN_SIZE];
	int i;

	guard(mutex)(&text_mutex);
	for (i = 0; i < trampoline_calls(layout); i++) {
		u8 *call = (u8 *)target->entry + layout->call[i];

		__text_gen_insn(insn, CALL_INSN_OPCODE, call,
				trampoline_call(layout, target, i).func, CALL_INSN_SIZE);
		if (memcmp(call, insn, CALL_INSN_SIZE))
			text_poke_bp(call, insn, CALL_INSN_SIZE, NULL);
	}
}

/* See sites/arch.h. */
void arch_ftrace_target_exit(struct ftrace_target *target)
{
	if (target->size)
		trampoline_free((u8 *)target->entry, target->size);
}
