/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/cfi_types.h>
#include <linux/linkage.h>

#include <asm/assembler.h>

	.text

/* A callback that does nothing. */
SYM_TYPED_FUNC_START(ftrace_stub)
	ret
SYM_FUNC_END(ftrace_stub)
NOKPROBE(ftrace_stub)
