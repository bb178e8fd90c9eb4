/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The target of a direct call of the tests of hooks/, as small as a trampoline gets. All
 * registers stay, and the return goes on with the function.
 */
#include <linux/linkage.h>

#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

.macro direct name
SYM_FUNC_START(\name)
	ENDBR
	pushfq
	incl	\name\()_hits(%rip)
	popfq
	RET
SYM_FUNC_END(\name)

	.pushsection .data, "aw"
	.balign 4
SYM_DATA(\name\()_hits, .long 0)
	.popsection
.endm

	.text
	direct	hooks_direct_a
	direct	hooks_direct_b
