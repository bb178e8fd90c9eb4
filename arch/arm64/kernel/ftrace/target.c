// SPDX-License-Identifier: GPL-2.0
/*
 * Targets of arm64: the part of sites/arch.h that decides where their calls lead. A site
 * has a BL to a direct call in reach. Otherwise it calls ftrace_caller, which loads the target
 * from the literal, or the target's slot; both continue at the target's code. So a direct call
 * may be at any address.
 */
#include <linux/build_bug.h>
#include <linux/stddef.h>

#include "layout.h"
#include "sites/arch.h"

static_assert(offsetof(struct ftrace_target, entry) == TARGET_ENTRY);
static_assert(offsetof(struct ftrace_target, func) == TARGET_FUNC);
static_assert(offsetof(struct ftrace_target, ops) == TARGET_OPS);
static_assert(offsetof(struct ftrace_target, pair) == TARGET_PAIR);
static_assert(offsetof(struct ftrace_call, func) == 0);
static_assert(offsetof(struct ftrace_call, ops) == 8);
static_assert(sizeof(struct ftrace_call) == CALL_SIZE);

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* entry.S writes both with one instruction. */
static_assert(offsetof(struct __arch_ftrace_regs, direct_tramp) ==
	      offsetof(struct __arch_ftrace_regs, regs[9]));
/* The stack pointer is a multiple of this. */
static_assert(sizeof(struct __arch_ftrace_regs) % 16 == 0);
#endif

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
/* The literal of a site that calls nothing any more: on to the function at once. */
const struct ftrace_target ftrace_nop_target = {
	.entry = (unsigned long)ftrace_stub_direct_tramp,
	.func = ftrace_stub,
};
#endif

static unsigned long target_code(const struct ftrace_target *target)
{
	if (!HAVE_ARGS)
		return (unsigned long)ftrace_mcount_entry;
	if (IS_ENABLED(CONFIG_FTRACE_GRAPH) && target->flags & FTRACE_OPS_FL_INSIDE)
		return (unsigned long)ftrace_inside_entry;
	if (target->flags & FTRACE_OPS_FL_NO_FREGS)
		return (unsigned long)ftrace_plain_entry;
	return (unsigned long)(target->pair ? ftrace_pair_entry : ftrace_args_entry);
}

/* See sites/arch.h. */
int arch_ftrace_target_init(struct ftrace_target *target)
{
	unsigned long code = target->direct ?: target_code(target);

	if (HAVE_LITERALS)
		target->entry = code;
	else
		ftrace_slot_get(target, code);
	return 0;
}

/* See sites/arch.h. The next call reads the new function. */
void arch_ftrace_target_retarget(struct ftrace_target *target)
{
}

/* See sites/arch.h. */
void arch_ftrace_target_exit(struct ftrace_target *target)
{
	if (!HAVE_LITERALS)
		ftrace_slot_put(target);
}
