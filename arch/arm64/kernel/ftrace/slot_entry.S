/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slots that sites call where there is no room for a literal in front of functions. A
 * target has a slot: text of the kernel that stays as it is, and two words behind it that
 * slots.c writes while no site calls the slot. entry.S tells what the registers hold.
 */
#include <linux/linkage.h>

#include <asm/assembler.h>

#include "layout.h"

	.text

/* Only a BL leads to one of them. */
	.balign	SLOT_SIZE
SYM_CODE_START(ftrace_slots)
	.rept	SLOTS
	ldr	x16, . + SLOT_TARGET
	ldr	x17, . + SLOT_CONTINUE - 4
	br	x17
	nop
	.quad	0, 0
	.endr
SYM_CODE_END(ftrace_slots)
NOKPROBE(ftrace_slots)

/*
 * A site calls this if a BL does not reach the slot of its target, or if the target has no
 * slot. The callback of ftrace_far_target finds the target by the site's address.
 */
SYM_CODE_START(ftrace_caller)
	landing_pad
	adr_l	x16, ftrace_far_target
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	b	ftrace_args_entry
#else
	b	ftrace_mcount_entry
#endif
SYM_CODE_END(ftrace_caller)
NOKPROBE(ftrace_caller)
