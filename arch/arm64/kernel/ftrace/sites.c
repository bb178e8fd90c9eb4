// SPDX-License-Identifier: GPL-2.0
/*
 * Call sites of arm64: the part of sites/arch.h that makes and patches them. The
 * compiler leaves two NOPs in front of a function, if there is room for a literal, and
 * two at its beginning, behind a BTI if there is one:
 *
 *	function - 8	nop; nop	as compiled
 *	function	[bti c]
 *			nop
 *	site		nop
 *
 *	function - 8	<anything>	nothing is hooked, and nothing was
 *	function	[bti c]
 *			mov x9, x30	from the build on, or from boot on
 *	site		nop
 *
 *	function - 8	<target>	the literal: eight bytes, aligned
 *	function	[bti c]
 *			mov x9, x30
 *	site		bl ftrace_caller
 *
 *	function - 8	<ftrace_nop_target>	nothing is hooked any more
 *	function	[bti c]
 *			mov x9, x30
 *	site		nop
 *
 *	function	[bti c]		without a literal, or to a direct call in reach
 *			mov x9, x30
 *	site		bl <slot>
 *
 * With CONFIG_ARM64_FTRACE_MCOUNT the compiler calls _mcount() behind the prologue:
 *
 *	site		bl _mcount	as compiled
 *	site		nop		nothing is hooked
 *	site		bl <slot>
 *
 * The kinds of text that may be written while other CPUs execute it, and the way by which they
 * come to see it:
 *
 * - A NOP and a BL may become each other, and a BL one that leads elsewhere, at any
 *   time: a CPU executes one of the two.
 *   Then caches_clean_inval_pou() cleans the data cache and invalidates the
 *   instruction caches of all CPUs to the point of unification. A CPU goes on with the
 *   instructions that it has fetched by then until its next exception or ISB, so
 *   arch_ftrace_patch_end() has every other CPU take an interrupt, and its own execute an ISB.
 * - The literal is data, read by a load of eight aligned bytes. The target is complete before
 *   the literal is written, and that is written before the BL, with a barrier after each. A CPU
 *   that executes the BL loads the literal after it has fetched that, so it finds this target
 *   or a later one, and by the address what is in it.
 * - When the BL becomes a NOP, the literal becomes ftrace_nop_target, which stays. A CPU that
 *   executes the BL still finds the old target, or this one. That a CPU which executes a later
 *   BL cannot load the literal from before is a property of instruction fetch alone. If it does
 *   not hold, the CPU calls nothing.
 * - The MOV is written while nobody executes the function.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/cacheflush.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/patching.h>

#include "layout.h"
#include "sites/arch.h"

/* So many sites are written at a time, a page after the other. */
#define QUEUE_MAX	256

/**
 * struct site_queue - what is to be written, in the order of addresses; under text_mutex
 * @literals: in front of functions, which are written before @insns
 * @insns: at sites
 * @nr_literals: so many
 * @nr_insns: so many
 * @last: the last site
 * @written: instructions were written since arch_ftrace_patch_begin()
 */
static struct site_queue {
	struct aarch64_text_word	literals[QUEUE_MAX], insns[QUEUE_MAX];
	unsigned int			nr_literals, nr_insns;
	unsigned long			last;
	bool				written;
} queue;

static unsigned long site_literal(unsigned long ip)
{
	return ((ip + MCOUNT_INSN_SIZE) & ~(LITERAL_ALIGN - 1UL)) - LITERAL_BEHIND_LINK;
}

/**
 * ftrace_call_adjust - the site of a function
 * @addr: the address that the build recorded: of the compiler's first NOP, or of its call
 *	of _mcount()
 *
 * Context: any in which the text can be read.
 * Return: the site's address, or 0 if the function is not aligned for a literal.
 */
unsigned long ftrace_call_adjust(unsigned long addr)
{
	unsigned long ip = addr + sizeof(u64);

	if (!HAVE_ARGS)
		return addr;
	/* Those NOPs are behind the BTI already. */
	if (!HAVE_LITERALS)
		return addr + AARCH64_INSN_SIZE;
	if (!IS_ALIGNED(addr, LITERAL_ALIGN))
		return 0;
	if (aarch64_insn_is_bti(le32_to_cpup((__le32 *)ip)))
		ip += AARCH64_INSN_SIZE;
	return ip + AARCH64_INSN_SIZE;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/*
 * Is the instruction at @addr a BTI? A kprobe may have replaced it by a breakpoint, and the
 * address may not be mapped.
 */
static bool site_has_bti(void *addr)
{
	struct kprobe *kprobe;
	u32 insn;

	if (aarch64_insn_read(addr, &insn))
		return false;
	if (insn == BRK64_OPCODE_KPROBES) {
		guard(preempt_notrace)();
		kprobe = get_kprobe(addr);
		if (kprobe)
			insn = kprobe->opcode;
		/* The kprobe was removed after the first read: the BTI is back. */
		else if (aarch64_insn_read(addr, &insn))
			return false;
	}
	return aarch64_insn_is_bti(insn);
}

/**
 * arch_ftrace_get_symaddr - the function of a site
 * @ip: the site's address
 *
 * Context: any.
 * Return: the address where the function begins. That is the MOV before the site, or the BTI
 * before the MOV, if there is one.
 */
unsigned long arch_ftrace_get_symaddr(unsigned long ip)
{
	unsigned long move = ip - AARCH64_INSN_SIZE, bti = move - AARCH64_INSN_SIZE;

	if (HAVE_LITERALS)
		return move & ~(LITERAL_ALIGN - 1UL);
	return IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && site_has_bti((void *)bti) ? bti : move;
}
#endif

/* A BL at @ip reaches as far as 128 MiB. */
static bool site_reaches(unsigned long ip, unsigned long addr)
{
	long offset = addr - ip;

	return offset >= -(long)SZ_128M && offset < (long)SZ_128M;
}

#ifdef CONFIG_MODULES
/* The jump to ftrace_caller in the text that has @ip; 0: this is no module's text. */
static unsigned long site_module_jump(unsigned long ip)
{
	struct plt_entry *jumps = NULL;
	struct module *mod;

	/* The module stays, but the list that it stands in changes. */
	guard(preempt)();
	mod = __module_text_address(ip);
	if (mod)
		jumps = within_module_init(ip, mod) ? mod->arch.init_ftrace_trampolines :
						      mod->arch.ftrace_trampolines;
	return jumps ? (unsigned long)&jumps[FTRACE_PLT_IDX] : 0;
}
#else
static unsigned long site_module_jump(unsigned long ip)
{
	return 0;
}
#endif

/* Does the BL at @ip lead to the direct call of @target, without an entry in between? */
static bool site_goes_direct(unsigned long ip, const struct ftrace_target *target)
{
	return target->direct && site_reaches(ip, target->direct);
}

/* Where the site at @ip calls @target; 0: no way leads there. */
static unsigned long site_way(unsigned long ip, const struct ftrace_target *target)
{
	unsigned long to = HAVE_LITERALS ? FTRACE_ADDR : target->entry;

	if (site_goes_direct(ip, target))
		return target->direct;
	if (!site_reaches(ip, to))
		to = site_module_jump(ip);
	return to && site_reaches(ip, to) ? to : 0;
}

/* The instruction that the site at @ip has if it calls @target. */
static int site_insn(unsigned long ip, const struct ftrace_target *target, u32 *insn)
{
	unsigned long to;

	if (!target) {
		*insn = aarch64_insn_gen_nop();
		return 0;
	}
	to = site_way(ip, target);
	if (!to)
		return -ERANGE;
	*insn = aarch64_insn_gen_branch_imm(ip, to, AARCH64_INSN_BRANCH_LINK);
	return 0;
}

/*
 * Returns the target that the literal of @site should be when the site calls @target. NULL: it
 * may be anything. The compiler's NOPs are there until the site is hooked for the first time.
 */
static const struct ftrace_target *site_literal_target(const struct dyn_ftrace *site,
						       const struct ftrace_target *target)
{
	if (!HAVE_LITERALS)
		return NULL;
	if (!target && READ_ONCE(site->state) & FTRACE_SITE_TOUCHED)
		return &ftrace_nop_target;
	return target;
}

/* Read the literal of @site. */
static int site_read_literal(const struct dyn_ftrace *site, unsigned long *literal)
{
	const void *at = (void *)site_literal(ftrace_site_ip(site));

	return copy_from_kernel_nofault(literal, at, sizeof(*literal));
}

static int site_check_literal(const struct dyn_ftrace *site, const struct ftrace_target *target)
{
	const struct ftrace_target *expected = site_literal_target(site, target);
	unsigned long literal;

	if (!expected)
		return 0;
	if (site_read_literal(site, &literal))
		return -EFAULT;
	return literal == (unsigned long)expected ? 0 : -EINVAL;
}

/* See sites/arch.h. */
void arch_ftrace_site_report(const struct dyn_ftrace *site, const struct ftrace_target *target)
{
	const struct ftrace_target *expected = site_literal_target(site, target);
	unsigned long literal;

	if (!expected)
		return;
	if (site_read_literal(site, &literal))
		pr_info("literal at %#lx: unreadable\n", site_literal(ftrace_site_ip(site)));
	else
		pr_info("literal at %#lx: %#lx, expected %#lx%s\n",
			site_literal(ftrace_site_ip(site)), literal, (unsigned long)expected,
			literal == (unsigned long)expected ? "" : " (differs)");
}

/* See sites/arch.h. */
int arch_ftrace_site_insn(const struct dyn_ftrace *site, const struct ftrace_target *target,
			  u8 insn[MCOUNT_INSN_SIZE])
{
	u32 made;
	int ret = site_insn(ftrace_site_ip(site), target, &made);
	__le32 bytes;

	if (ret)
		return ret;
	bytes = cpu_to_le32(made);
	memcpy(insn, &bytes, MCOUNT_INSN_SIZE);
	return 0;
}

/* See sites/arch.h. */
bool arch_ftrace_site_by_literal(const struct dyn_ftrace *site,
				 const struct ftrace_target *target)
{
	return HAVE_LITERALS && !site_goes_direct(ftrace_site_ip(site), target);
}

/* See sites/arch.h. */
int arch_ftrace_site_check(const struct dyn_ftrace *site, const struct ftrace_target *target)
{
	unsigned long ip = ftrace_site_ip(site);
	u32 found, made;

	if (aarch64_insn_read((void *)ip, &found))
		return -EFAULT;
	if (site_insn(ip, target, &made) || found != made)
		return -EINVAL;
	return site_check_literal(site, target);
}

/* See sites/arch.h. The sites are in text, so they can be read. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
int arch_ftrace_site_init(unsigned long ip, struct module *mod)
{
	u32 nop = aarch64_insn_gen_nop(), first;
	__le32 *code = (__le32 *)ip;

	first = le32_to_cpu(code[-1]);
	if (le32_to_cpu(code[0]) != nop)
		return -ENOENT;
	/* With CONFIG_FTRACE_MCOUNT_ENTRIES the build has written it. */
	if (first == SITE_MOVE)
		return 0;
	return first != nop || aarch64_insn_patch_text_nosync(&code[-1], SITE_MOVE) ? -ENOENT : 0;
}
#else
/*
 * Does the code at @addr do nothing but jump to _mcount()? The linker adds such veneers, and
 * modules have them in their PLTs. Both use x16.
 */
static bool site_is_veneer(unsigned long addr)
{
	const enum aarch64_insn_register x16 = AARCH64_INSN_REG_16;
	__le32 found[3];

	if (copy_from_kernel_nofault(found, (void *)addr, sizeof(found)) ||
	    !aarch64_insn_is_adrp(le32_to_cpu(found[0])))
		return false;
	return le32_to_cpu(found[0]) == aarch64_insn_gen_adr(addr, MCOUNT_ADDR, x16,
							     AARCH64_INSN_ADR_TYPE_ADRP) &&
	       le32_to_cpu(found[1]) == aarch64_insn_gen_add_sub_imm(x16, x16,
								     MCOUNT_ADDR % SZ_4K,
								     AARCH64_INSN_VARIANT_64BIT,
								     AARCH64_INSN_ADSB_ADD) &&
	       le32_to_cpu(found[2]) == aarch64_insn_gen_branch_reg(x16,
								    AARCH64_INSN_BRANCH_NOLINK);
}

/*
 * The table's pointer to a weak function that lost leads into the winner, as far behind its
 * beginning as the loser's call was behind its own: the instruction there may be a call of
 * something else.
 */
int arch_ftrace_site_init(unsigned long ip, struct module *mod)
{
	u32 call = le32_to_cpup((__le32 *)ip);
	unsigned long to;

	if (!aarch64_insn_is_bl(call))
		return -ENOENT;
	to = ip + aarch64_get_branch_offset(call);
	if (to != MCOUNT_ADDR && !site_is_veneer(to))
		return -ENOENT;
	return aarch64_insn_patch_text_nosync((void *)ip, aarch64_insn_gen_nop()) ? -ENOENT : 0;
}
#endif

/*
 * See sites/arch.h. Nothing is left to do: arch_ftrace_site_init() did the cache maintenance
 * for what it wrote.
 */
void __init arch_ftrace_sites_ready(void)
{
}

/* See sites/arch.h. */
void arch_ftrace_patch_begin(void)
{
	mutex_lock(&text_mutex);
	queue.written = false;
}

/*
 * Clean and invalidate the caches for the words from @first to @last, one page at a time:
 * pages in between may be unmapped.
 */
static void site_queue_clean(const struct aarch64_text_word *first,
			     const struct aarch64_text_word *last)
{
	const struct aarch64_text_word *end = first;

	for (; first <= last; first = end) {
		while (end <= last && PTR_ALIGN_DOWN(end->addr, PAGE_SIZE) ==
				      PTR_ALIGN_DOWN(first->addr, PAGE_SIZE))
			end++;
		caches_clean_inval_pou((unsigned long)first->addr,
				       (unsigned long)end[-1].addr + AARCH64_INSN_SIZE);
	}
}

/* Write what is queued. It was read when it came into the queue, so it can be written. */
static void site_queue_flush(void)
{
	lockdep_assert_held(&text_mutex);
	/* The targets are there when a CPU loads the literals: see above. */
	smp_wmb();
	WARN_ON(aarch64_text_write(queue.literals, queue.nr_literals, sizeof(u64)));
	/* The literals are there when a CPU executes the BLs: see above. */
	smp_wmb();
	if (queue.nr_insns) {
		WARN_ON(aarch64_text_write(queue.insns, queue.nr_insns, sizeof(__le32)));
		site_queue_clean(queue.insns, &queue.insns[queue.nr_insns - 1]);
		queue.written = true;
	}
	queue.nr_literals = 0;
	queue.nr_insns = 0;
	queue.last = 0;
	cond_resched();
}

static void site_queue_add(struct aarch64_text_word *words, unsigned int *nr,
			   struct aarch64_text_word word)
{
	words[(*nr)++] = word;
}

/*
 * See sites/arch.h. When the targets @from and @to are called by the same instruction,
 * only the literal changes.
 */
int arch_ftrace_patch(const struct dyn_ftrace *site, const struct ftrace_target *from,
		      const struct ftrace_target *to)
{
	unsigned long ip = ftrace_site_ip(site), literal;
	u32 old, new;
	int err;

	lockdep_assert_held(&text_mutex);
	/* The text of a site that is in the queue is not yet as @from says. */
	if (ip <= queue.last || queue.nr_literals == QUEUE_MAX || queue.nr_insns == QUEUE_MAX)
		site_queue_flush();
	err = arch_ftrace_site_check(site, from) ?: site_insn(ip, from, &old) ?:
	      site_insn(ip, to, &new);
	if (err)
		return err;
	literal = (unsigned long)(to ?: &ftrace_nop_target);
	if (HAVE_LITERALS)
		site_queue_add(queue.literals, &queue.nr_literals, (struct aarch64_text_word) {
			.addr = (void *)site_literal(ip), .literal = literal });
	if (old != new)
		site_queue_add(queue.insns, &queue.nr_insns, (struct aarch64_text_word) {
			.addr = (void *)ip, .insn = cpu_to_le32(new) });
	queue.last = ip;
	return 0;
}

/* See sites/arch.h. */
void arch_ftrace_patch_end(void)
{
	site_queue_flush();
	if (queue.written) {
		/*
		 * The task may have migrated since it did the cache maintenance, and the
		 * interrupts of kick_all_cpus_sync() go to the other CPUs only.
		 */
		guard(preempt)();
		kick_all_cpus_sync();
		isb();
	}
	mutex_unlock(&text_mutex);
}
