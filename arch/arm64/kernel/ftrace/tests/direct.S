/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The target of a direct call of the tests of hooks/, as small as one gets. The function goes
 * on with its return address in the link register.
 */
#include <linux/linkage.h>

#include <asm/assembler.h>

.macro direct name
SYM_FUNC_START(\name)
	adr_l	x10, \name\()_hits
	ldr	w11, [x10]
	add	w11, w11, #1
	str	w11, [x10]
	mov	x10, x30
	mov	x30, x9
	ret	x10
SYM_FUNC_END(\name)

	.pushsection .data, "aw"
	.balign 4
SYM_DATA(\name\()_hits, .long 0)
	.popsection
.endm

	.text
	direct	hooks_direct_a
	direct	hooks_direct_b
