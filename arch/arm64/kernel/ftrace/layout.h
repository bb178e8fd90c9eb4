/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Constants that the entries and the files in C have to agree upon.
 */
#ifndef _ARM64_FTRACE_LAYOUT_H
#define _ARM64_FTRACE_LAYOUT_H

/* Where a struct ftrace_target has its members. */
#define TARGET_ENTRY		0
#define TARGET_FUNC		16
#define TARGET_OPS		24
#define TARGET_PAIR		48

/* The bytes of a struct ftrace_call: the function and the ops. */
#define CALL_SIZE		16

/*
 * The literal is the 8 bytes right before the function. After the BL, x30 is the function's
 * address plus 8, or plus 12 if it begins with a BTI. Functions are 8-byte aligned, so x30
 * rounded down to 8 bytes is always address + 8, and the literal is 16 below that.
 */
#define LITERAL_ALIGN		8
#define LITERAL_BEHIND_LINK	16

/* mov x9, x30: the instruction right before every site; it is always the same. */
#define SITE_MOVE		0xaa1e03e9

/* A slot has its code first, then two words: the target, and where the code goes on. */
#define SLOTS			1024
#define SLOT_CODE		12
#define SLOT_TARGET		16
#define SLOT_CONTINUE		24
#define SLOT_SIZE		32

#ifdef __ASSEMBLER__
/* Where a branch through a register may lead. */
.macro landing_pad
#ifdef CONFIG_ARM64_BTI_KERNEL
	bti	c
#endif
.endm

/*
 * BR x17 leads here, so there is a landing pad. No kprobes: a handler may call a traced
 * function, which enters here again.
 */
.macro entry_start name
SYM_CODE_START(\name)
	landing_pad
.endm

.macro entry_end name
SYM_CODE_END(\name)
NOKPROBE(\name)
.endm
#endif

#ifndef __ASSEMBLY__

struct ftrace_target;

/*
 * Assembly entry points, reached from a site through ftrace_caller or a slot, with the target
 * in x16. Not callable from C.
 */
void ftrace_args_entry(void);
void ftrace_inside_entry(void);
void ftrace_mcount_entry(void);
void ftrace_pair_entry(void);
void ftrace_plain_entry(void);

/*
 * Sites are at the beginning of functions, so their arguments are still in registers. Without
 * this, sites are behind the prologue, and all of them call ftrace_mcount_entry().
 */
#define HAVE_ARGS	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)

/* There is room for a literal in front of each function. Without it, each target has a slot. */
#define HAVE_LITERALS	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)

/* An array of SLOTS slots of SLOT_SIZE bytes each, in the text of the kernel. */
extern char ftrace_slots[];
extern const struct ftrace_target ftrace_far_target;
extern const struct ftrace_target ftrace_nop_target;

void ftrace_slot_get(struct ftrace_target *target, unsigned long code);
void ftrace_slot_put(struct ftrace_target *target);

#endif

#endif /* _ARM64_FTRACE_LAYOUT_H */
