// SPDX-License-Identifier: GPL-2.0
/* The KUnit suite ftrace_fault writes this into a call site of x86; see hooks/tests/support.h. */
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include <asm/insn.h>
#include <asm/text-patching.h>

#include "hooks/tests/support.h"

/* A NOP of five bytes. The kernel uses another encoding for those. */
const u8 site_wrong_insn[MCOUNT_INSN_SIZE] = { 0x66, 0x66, 0x66, 0x66, 0x90 };

void site_write(const struct dyn_ftrace *site, const u8 *insn)
{
	guard(mutex)(&text_mutex);
	text_poke((void *)ftrace_site_ip(site), insn, MCOUNT_INSN_SIZE);
	text_poke_sync();
}

/* Is a function there that stands for a return or an indirect jump? It has no kprobe handler. */
static bool insn_is_thunk(unsigned long addr)
{
	unsigned long size, offset;
	char name[KSYM_NAME_LEN];

	return kallsyms_lookup(addr, &size, &offset, NULL, name) && str_has_prefix(name, "__x86_");
}

unsigned long insn_branch_target(unsigned long at, unsigned int *len)
{
	struct insn insn;
	unsigned long to;
	bool branch;

	*len = 0;
	if (insn_decode_kernel(&insn, (void *)at) < 0)
		return 0;
	*len = insn.length;
	branch = insn.opcode.bytes[0] == CALL_INSN_OPCODE ||
		 insn.opcode.bytes[0] == JMP32_INSN_OPCODE ||
		 /* A jump on a condition, with four bytes of distance. */
		 (insn.opcode.bytes[0] == 0x0f && (insn.opcode.bytes[1] & 0xf0) == 0x80);
	if (!branch)
		return 0;
	to = at + insn.length + insn.immediate.value;
	return insn_is_thunk(to) ? 0 : to;
}

bool site_write_literal(const struct dyn_ftrace *site, unsigned long literal, unsigned long *old)
{
	return false;
}
