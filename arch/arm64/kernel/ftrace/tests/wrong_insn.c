// SPDX-License-Identifier: GPL-2.0
/*
 * The KUnit suite ftrace_fault writes this into a call site of arm64; see
 * hooks/tests/support.h.
 */
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/unaligned.h>

#include <asm/insn.h>
#include <asm/patching.h>

#include "hooks/tests/support.h"
#include "layout.h"

/* YIELD. It is a hint instruction like NOP, and does nothing here. */
const u8 site_wrong_insn[MCOUNT_INSN_SIZE] = { 0x3f, 0x20, 0x03, 0xd5 };

void site_write(const struct dyn_ftrace *site, const u8 *insn)
{
	guard(mutex)(&text_mutex);
	WARN_ON(aarch64_insn_patch_text_nosync((void *)ftrace_site_ip(site),
					       get_unaligned_le32(insn)));
}

unsigned long insn_branch_target(unsigned long at, unsigned int *len)
{
	u32 insn = le32_to_cpup((__le32 *)at);

	*len = AARCH64_INSN_SIZE;
	if (!aarch64_insn_is_b(insn) && !aarch64_insn_is_bl(insn))
		return 0;
	return at + aarch64_get_branch_offset(insn);
}

bool site_write_literal(const struct dyn_ftrace *site, unsigned long literal, unsigned long *old)
{
	unsigned long link = ftrace_site_ip(site) + MCOUNT_INSN_SIZE;
	const struct aarch64_text_word word = {
		.addr = (void *)ALIGN_DOWN(link, LITERAL_ALIGN) - LITERAL_BEHIND_LINK,
		.literal = literal,
	};

	if (!HAVE_LITERALS)
		return false;
	*old = *(unsigned long *)word.addr;
	guard(mutex)(&text_mutex);
	return !WARN_ON(aarch64_text_write(&word, 1, sizeof(u64)));
}
