/* SPDX-License-Identifier: GPL-2.0 */
/* See graph/tests/left.h. x18 may be the pointer of a shadow call stack. */
#include <linux/linkage.h>

SYM_FUNC_START(graph_left_set)
	mov	x1, sp
	stp	x19, x20, [x0]
	stp	x21, x22, [x0, #16]
	stp	x23, x24, [x0, #32]
	stp	x25, x26, [x0, #48]
	stp	x27, x28, [x0, #64]
	stp	x29, x30, [x0, #80]
	stp	x18, x1, [x0, #96]
	mov	w0, #0
	ret
SYM_FUNC_END(graph_left_set)

SYM_FUNC_START(graph_left_jump)
	ldp	x19, x20, [x0]
	ldp	x21, x22, [x0, #16]
	ldp	x23, x24, [x0, #32]
	ldp	x25, x26, [x0, #48]
	ldp	x27, x28, [x0, #64]
	ldp	x29, x30, [x0, #80]
	ldp	x18, x1, [x0, #96]
	mov	sp, x1
	mov	w0, #1
	ret
SYM_FUNC_END(graph_left_jump)
