// SPDX-License-Identifier: GPL-2.0
/*
 * Changing what sites call, in a transaction, and what happens when the text
 * is not what its record says: a report, and no patching any more. How the
 * instructions are written is the architecture's business (sites/arch.h).
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/bug.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>

#include <asm/sections.h>

#include "sites/arch.h"
#include "sites/internal.h"

/* Sites that call something. Under ftrace_lock(). */
static unsigned long nr_hooked;

/* Does any site call something? */
bool sites_hooked(void)
{
	ftrace_assert_locked();
	return nr_hooked;
}

/* Do not count the sites of @set any more, whose text goes away as it is. */
void sites_forget_hooked(const struct site_set *set)
{
	unsigned long i;

	ftrace_assert_locked();
	for (i = 0; i < set->count; i++) {
		if (ftrace_site_dispatch(&set->sites[i]))
			nr_hooked--;
	}
}

static const char *patch_bug_kind(int err)
{
	switch (err) {
	case -EFAULT:
		return "faulted on reading";
	case -EINVAL:
		return "found an unexpected instruction";
	case -ERANGE:
		return "cannot reach its target from";
	default:
		return "failed to patch";
	}
}

static void patch_bug_print_insn(const char *what, const struct dyn_ftrace *site,
				 const struct ftrace_target *target)
{
	u8 insn[MCOUNT_INSN_SIZE];

	if (arch_ftrace_site_insn(site, target, insn))
		pr_info(" %-9s nothing, %pS is too far away\n", what, (void *)target->entry);
	else if (target)
		pr_info(" %-9s %*phC (call %pS)\n", what, MCOUNT_INSN_SIZE, insn,
			(void *)target->entry);
	else
		pr_info(" %-9s %*phC (NOP)\n", what, MCOUNT_INSN_SIZE, insn);
}

/* Report what is wrong at the site, and stop all patching. */
static void patch_report_bug(const struct ftrace_patch *patch)
{
	const struct dyn_ftrace *site = patch->site;
	unsigned long ip = ftrace_site_ip(site);
	u8 found[MCOUNT_INSN_SIZE];

	pr_info("------------[ ftrace bug ]------------\n");
	pr_info("%s (%d)\n", patch_bug_kind(patch->err), patch->err);
	print_ip_sym(KERN_INFO, ip);
	if (copy_from_kernel_nofault(found, (void *)ip, sizeof(found)))
		pr_info(" actual:   unreadable\n");
	else
		pr_info(" actual:   %*phC\n", MCOUNT_INSN_SIZE, found);
	patch_bug_print_insn("expected:", site, patch->from);
	arch_ftrace_site_report(site, patch->from);
	patch_bug_print_insn("wanted:", site, patch->to);
	pr_info(" record:   dispatch %u, flags %#lx\n", ftrace_site_dispatch(site),
		site->state & ~FTRACE_SITE_DISPATCH);
	ftrace_kill();
	WARN(1, "ftrace: no site is patched from now on\n");
}

/**
 * ftrace_patch_begin - begin to change sites
 * @patch: the transaction, its content does not matter
 *
 * Context: task, ftrace_lock(); one transaction at a time. The architecture may
 * take text_mutex until ftrace_patch_end().
 */
void ftrace_patch_begin(struct ftrace_patch *patch)
{
	ftrace_assert_locked();
	*patch = (struct ftrace_patch){ .err = ftrace_sites_dead() ? -ENODEV : 0 };
	patch->held = !patch->err;
	if (patch->held)
		arch_ftrace_patch_begin();
}

/**
 * ftrace_patch_forced - begin to change sites after patching has stopped
 * @patch: the transaction, its content does not matter
 *
 * It takes back what a transaction that failed has done, or takes away what must not be
 * called any more. The text of each site is compared with its record before it is written.
 * A site whose text differs stays as it is, and the other sites of the transaction are patched.
 *
 * Context: as ftrace_patch_begin(); ftrace_patch_end() has to follow, and reports nothing: the
 * error that stopped patching was reported.
 */
void ftrace_patch_forced(struct ftrace_patch *patch)
{
	ftrace_assert_locked();
	*patch = (struct ftrace_patch){ .held = true, .forced = true };
	arch_ftrace_patch_begin();
}

/* Note that @site cannot be patched. Only the first error of a transaction is reported. */
static void patch_fail(struct ftrace_patch *patch, struct dyn_ftrace *site, int err,
		       const struct ftrace_target *from, const struct ftrace_target *to)
{
	patch->err = err;
	if (patch->forced)
		return;
	patch->site = site;
	patch->from = from;
	patch->to = to;
}

/*
 * Is the site in init text that is about to be freed? Nobody executes that any more:
 * kernel_init() has returned from its last function there and has waited for asynchronous
 * ones. The code that writes text does not accept it as the kernel's from then on, so it stays
 * as it is.
 */
static bool site_patch_text_is_gone(const struct dyn_ftrace *site)
{
	return site->state & FTRACE_SITE_INIT && system_state >= SYSTEM_FREEING_INITMEM &&
	       init_section_contains((void *)ftrace_site_ip(site), 1);
}

/* Write the text of @site. */
static __always_inline int site_patch_text(struct dyn_ftrace *site,
					   const struct ftrace_target *from,
					   const struct ftrace_target *to)
{
	if (unlikely(site_patch_text_is_gone(site)))
		return 0;
	return arch_ftrace_patch(site, from, to);
}

/**
 * ftrace_patch_sites - let sites call something else
 * @patch: the transaction
 * @first: the first record of @nr that stand one behind the other; all call the same now
 * @nr: how many, at least 1
 * @from: the target of the dispatch that the sites call, NULL: they call nothing
 * @dispatch: what they are to call, 0: nothing; the records say so on return
 * @to: the target of @dispatch, NULL: nothing
 *
 * ftrace_patch_end() tells of errors. After the first one sites stay as they are,
 * and so do their records; if the transaction is forced, only the sites with an error do. The
 * text of a site that does not call @from is such an error.
 *
 * Context: task, ftrace_lock(), between ftrace_patch_begin() and
 * ftrace_patch_end().
 * Return: how many records have changed.
 */
unsigned long ftrace_patch_sites(struct ftrace_patch *patch, struct dyn_ftrace *first,
				 unsigned long nr, const struct ftrace_target *from,
				 u32 dispatch, const struct ftrace_target *to)
{
	u32 old = ftrace_site_dispatch(first), bits = dispatch ? dispatch | FTRACE_SITE_TOUCHED : 0;
	struct dyn_ftrace *site, *end = first + nr;
	unsigned long changed = 0;
	int err;

	ftrace_assert_locked();
	if (dispatch == old || (patch->err && !patch->forced))
		return 0;
	if (WARN_ON_ONCE(dispatch & ~FTRACE_SITE_DISPATCH || !dispatch != !to || !old != !from)) {
		patch->err = -EINVAL;
		return 0;
	}
	for (site = first; site < end; site++) {
		err = site_patch_text(site, from, to);
		if (unlikely(err)) {
			patch_fail(patch, site, err, from, to);
			if (!patch->forced)
				break;
			continue;
		}
		/*
		 * Pairs with the acquire in arch_ftrace_ops_list_func(): a CPU that reads the
		 * number finds its slot in the table, and the dispatch complete.
		 */
		smp_store_release(&site->state, (site->state & ~FTRACE_SITE_DISPATCH) | bits);
		changed++;
	}
	nr_hooked += changed * (!!dispatch - !!old);
	return changed;
}

/**
 * ftrace_patch_end - write the rest of the changes
 * @patch: the transaction
 *
 * Context: task, ftrace_lock().
 * Return: 0; -ENODEV when patching had stopped before; -EFAULT, -EINVAL or
 * -ERANGE when a site could not be patched: it was reported, and patching has
 * stopped for good. The sites that were passed before it are patched; that
 * one is as before, and unless the transaction is forced, the sites after it are, too.
 */
int ftrace_patch_end(struct ftrace_patch *patch)
{
	ftrace_assert_locked();
	if (patch->held)
		arch_ftrace_patch_end();
	if (patch->site)
		patch_report_bug(patch);
	return patch->err;
}
