/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the entries and the files in C have to agree upon.
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
 * The literal of a function is in front of it, in the room for two NOPs. BL sets the link
 * register to 8 bytes behind the function's address, or 12 if that has a BTI. Functions
 * are aligned to 8 bytes: without the lowest bits that is 8 in both cases.
 */
#define LITERAL_ALIGN		8
#define LITERAL_BEHIND_LINK	16

/* mov x9, x30: what is in front of each site, and is not made anew for each. */
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

/* Jumps lead here by way of x17 or x16. A kprobe would have callbacks in turn. */
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

/* What sites call leads here, with the target in x16. They cannot be called from C. */
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

void ftrace_slot_get(struct ftrace_target *target, unsigned long code);
void ftrace_slot_put(struct ftrace_target *target);

#endif

#endif /* _ARM64_FTRACE_LAYOUT_H */
