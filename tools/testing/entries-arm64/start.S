/* SPDX-License-Identifier: GPL-2.0 */
/* Where the program begins, and what C cannot say. */

	.text
	.globl	_start
_start:
	bti	c
	mov	x29, xzr
	bl	entries_test
	mov	x8, #93
	svc	#0

/* A direct call: it counts, and goes on with the function. */
	.globl	direct
direct:
	bti	c
	adrp	x10, direct_calls
	add	x10, x10, :lo12:direct_calls
	ldr	w11, [x10]
	add	w11, w11, #1
	str	w11, [x10]
	mov	x10, x30
	mov	x30, x9
	ret	x10

/* As much as a function written in C may change. */
	.globl	clobber
clobber:
	bti	c
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	mov	x\n, #(0x100 + \n)
	.endr
	ret
