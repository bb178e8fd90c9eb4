// SPDX-License-Identifier: GPL-2.0
/*
 * Changing what sites call, in a transaction, and what happens when the text
 * is not what its record says: a report, and no patching any more. How the
 * instructions are written is the architecture's.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/bug.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "sites/internal.h"

/* Under ftrace_lock(). */
static unsigned long nr_hooked;

/* The transaction; under ftrace_lock(). */
static struct {
	bool			open;	/* between begin and end */
	bool			held;	/* the architecture is prepared */
	int			err;	/* the first error */
	struct dyn_ftrace	*site;	/* and where */
	unsigned long		old;
	unsigned long		new;
} patch;

unsigned long sites_hooked(void)
{
	ftrace_assert_locked();
	return nr_hooked;
}

/* The text of @set goes away as it is. */
void sites_forget_hooked(const struct site_set *set)
{
	unsigned long i;

	ftrace_assert_locked();
	for (i = 0; i < set->count; i++) {
		if (ftrace_site_dispatch(&set->sites[i]))
			nr_hooked--;
	}
}

static const char *bug_kind(int err)
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

static void bug_print_insn(const char *what, unsigned long ip, unsigned long target)
{
	u8 insn[MCOUNT_INSN_SIZE];

	if (arch_ftrace_insn(ip, target, insn))
		pr_info(" %-9s nothing, %pS is too far away\n", what, (void *)target);
	else if (target)
		pr_info(" %-9s %*phC (call %pS)\n", what, MCOUNT_INSN_SIZE, insn,
			(void *)target);
	else
		pr_info(" %-9s %*phC (NOP)\n", what, MCOUNT_INSN_SIZE, insn);
}

/* Say what is wrong at the site, and let nothing be patched from now on. */
static void ftrace_bug(int err, const struct dyn_ftrace *site, unsigned long old,
		       unsigned long new)
{
	unsigned long ip = ftrace_site_ip(site);
	u8 found[MCOUNT_INSN_SIZE];

	pr_info("------------[ ftrace bug ]------------\n");
	pr_info("%s (%d)\n", bug_kind(err), err);
	print_ip_sym(KERN_INFO, ip);
	if (copy_from_kernel_nofault(found, (void *)ip, sizeof(found)))
		pr_info(" actual:   unreadable\n");
	else
		pr_info(" actual:   %*phC\n", MCOUNT_INSN_SIZE, found);
	bug_print_insn("expected:", ip, old);
	bug_print_insn("wanted:", ip, new);
	pr_info(" record:   dispatch %u, flags %#lx\n", ftrace_site_dispatch(site),
		site->state & ~FTRACE_SITE_DISPATCH);
	ftrace_kill();
	WARN(1, "ftrace: no site is patched from now on\n");
}

/**
 * ftrace_patch_begin - begin to change sites
 *
 * Context: task, ftrace_lock().
 */
void ftrace_patch_begin(void)
{
	ftrace_assert_locked();
	WARN_ON_ONCE(patch.open);
	patch.open = true;
	patch.site = NULL;
	patch.err = ftrace_sites_dead() ? -ENODEV : 0;
	patch.held = !patch.err;
	if (patch.held)
		arch_ftrace_patch_prepare();
}

/**
 * ftrace_patch_site - let a site call a dispatch
 * @site: the record
 * @dispatch: what it is to call, 0: it becomes a NOP
 *
 * Errors are told by ftrace_patch_end().
 *
 * Context: task, ftrace_lock(), between ftrace_patch_begin() and
 * ftrace_patch_end().
 */
void ftrace_patch_site(struct dyn_ftrace *site, u32 dispatch)
{
	u32 old = ftrace_site_dispatch(site), state;
	unsigned long ip = ftrace_site_ip(site), from, to;

	ftrace_assert_locked();
	if (WARN_ON_ONCE(!patch.open || dispatch & ~FTRACE_SITE_DISPATCH))
		return;
	if (patch.err || dispatch == old)
		return;

	from = old ? ftrace_dispatch_target(old, ip) : 0;
	to = dispatch ? ftrace_dispatch_target(dispatch, ip) : 0;
	patch.err = arch_ftrace_patch(ip, from, to);
	if (patch.err) {
		patch.site = site;
		patch.old = from;
		patch.new = to;
		return;
	}

	state = (site->state & ~FTRACE_SITE_DISPATCH) | dispatch;
	if (dispatch)
		state |= FTRACE_SITE_TOUCHED;
	WRITE_ONCE(site->state, state);
	nr_hooked += !!dispatch - !!old;
}

/**
 * ftrace_patch_end - write the rest of the changes
 *
 * Context: task, ftrace_lock().
 * Return: 0; -ENODEV when patching had stopped before; -EFAULT, -EINVAL or
 * -ERANGE when a site could not be patched: it was reported, and patching has
 * stopped for good. The sites that were passed before it are patched, that
 * one and those after it are as before, as their records say.
 */
int ftrace_patch_end(void)
{
	ftrace_assert_locked();
	if (WARN_ON_ONCE(!patch.open))
		return -EINVAL;
	if (patch.held)
		arch_ftrace_patch_finish();
	patch.open = false;
	if (patch.site)
		ftrace_bug(patch.err, patch.site, patch.old, patch.new);
	return patch.err;
}
