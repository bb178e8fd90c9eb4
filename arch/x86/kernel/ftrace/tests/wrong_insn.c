// SPDX-License-Identifier: GPL-2.0
/* What the KUnit suite ftrace_fault writes into a call site of x86; see hooks/tests/support.h. */
#include <linux/memory.h>
#include <linux/mutex.h>

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
