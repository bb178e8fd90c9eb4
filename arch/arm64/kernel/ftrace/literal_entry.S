/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entry that all sites call where there is room for a literal in front of functions. It
 * finds the target there. entry.S tells what the registers hold.
 */
#include <linux/linkage.h>

#include <asm/assembler.h>

#include "layout.h"

	.text

/*
 * The link register points behind the site. Modules that are far away have a jump
 * here, which uses x16.
 */
SYM_CODE_START(ftrace_caller)
	landing_pad
	and	x16, x30, #~(LITERAL_ALIGN - 1)
	ldur	x16, [x16, #-LITERAL_BEHIND_LINK]
	ldr	x17, [x16, #TARGET_ENTRY]
	br	x17
SYM_CODE_END(ftrace_caller)
NOKPROBE(ftrace_caller)
