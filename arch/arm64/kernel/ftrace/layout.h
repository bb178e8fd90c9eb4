/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What entry.S and the files in C have to agree upon.
 */
#ifndef _ARM64_FTRACE_LAYOUT_H
#define _ARM64_FTRACE_LAYOUT_H

/* Where a struct ftrace_target has its members. */
#define TARGET_ENTRY		0
#define TARGET_FUNC		16
#define TARGET_OPS		24

/*
 * The literal of a function is in front of it, in the room for two NOPs. BL sets the link
 * register to 8 bytes behind the function's address, or 12 if that has a BTI. Functions
 * are aligned to 8 bytes: without the lowest bits that is 8 in both cases.
 */
#define LITERAL_ALIGN		8
#define LITERAL_BEHIND_LINK	16

#ifndef __ASSEMBLY__

/* Where ftrace_caller goes on, with the target in x16. They cannot be called from C. */
void ftrace_args_entry(void);
void ftrace_inside_entry(void);
void ftrace_plain_entry(void);

#endif

#endif /* _ARM64_FTRACE_LAYOUT_H */
