/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recordmcount: how the functions of each architecture call the entry hook. It needs
 * X86_64_MARK of recordmcount-link.h.
 */
#ifndef _SCRIPTS_RECORDMCOUNT_ARCH_H
#define _SCRIPTS_RECORDMCOUNT_ARCH_H

/*
 * One way to call a hook. The site is the call instruction, @back bytes before
 * r_offset. Bytes below are in little endian; where instructions follow the
 * byte order of the data, @unit is the size in which they are swapped.
 */
struct call_form {
	const char *hook;
	u32 rtype[2];
	u8 back, len, unit;
	u8 at, mask, val;	/* byte @at & mask == val: it is a call */
	u8 nop[5];
};

/* An architecture joins with one entry. */
struct arch {
	u16 machine;
	u8 class;
	bool odd_code;		/* odd symbol values mark another instruction set */
	u32 abs;		/* relocation of a pointer */
	const struct call_form *forms;
	unsigned int nforms;
	const u8 *mark;		/* a NOP of @len of the calls, that nobody else writes */
};

static const u8 x86_64_mark[] = X86_64_MARK;

static const struct call_form x86_64_forms[] = {
	{ "__fentry__", { R_X86_64_PC32, R_X86_64_PLT32 }, 1, 5, 1, 0, 0xff, 0xe8,
	  { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ "mcount", { R_X86_64_PC32, R_X86_64_PLT32 }, 1, 5, 1, 0, 0xff, 0xe8,
	  { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
};

static const struct call_form i386_forms[] = {
	{ "__fentry__", { R_386_PC32, R_386_PLT32 }, 1, 5, 1, 0, 0xff, 0xe8,
	  { 0x3e, 0x8d, 0x74, 0x26, 0x00 } },
	{ "mcount", { R_386_PC32, R_386_PLT32 }, 1, 5, 1, 0, 0xff, 0xe8,
	  { 0x3e, 0x8d, 0x74, 0x26, 0x00 } },
};

static const struct call_form arm64_forms[] = {
	{ "_mcount", { R_AARCH64_CALL26 }, 0, 4, 1, 3, 0xfc, 0x94,
	  { 0x1f, 0x20, 0x03, 0xd5 } },
};

/* __gnu_mcount_nc takes LR off the stack: its NOP is pop {lr} */
static const struct call_form arm_forms[] = {
	{ "__gnu_mcount_nc", { R_ARM_CALL, R_ARM_PC24 }, 0, 4, 4, 3, 0x0f, 0x0b,
	  { 0x00, 0x40, 0xbd, 0xe8 } },
	{ "__gnu_mcount_nc", { R_ARM_THM_PC22 }, 0, 4, 2, 1, 0xf8, 0xf0,
	  { 0x5d, 0xf8, 0x04, 0xeb } },
	{ "mcount", { R_ARM_CALL, R_ARM_PC24 }, 0, 4, 4, 3, 0x0f, 0x0b,
	  { 0x00, 0x00, 0xa0, 0xe1 } },
	{ "mcount", { R_ARM_THM_PC22 }, 0, 4, 2, 1, 0xf8, 0xf0,
	  { 0xaf, 0xf3, 0x00, 0x80 } },
};

static const struct arch archs[] = {
	{ EM_X86_64, ELFCLASS64, false, R_X86_64_64, x86_64_forms, ARRAY_SIZE(x86_64_forms),
	  x86_64_mark },
	{ EM_386, ELFCLASS32, false, R_386_32, i386_forms, ARRAY_SIZE(i386_forms), NULL },
	{ EM_AARCH64, ELFCLASS64, false, R_AARCH64_ABS64, arm64_forms, ARRAY_SIZE(arm64_forms),
	  NULL },
	{ EM_ARM, ELFCLASS32, true, R_ARM_ABS32, arm_forms, ARRAY_SIZE(arm_forms), NULL },
};

#endif /* _SCRIPTS_RECORDMCOUNT_ARCH_H */
