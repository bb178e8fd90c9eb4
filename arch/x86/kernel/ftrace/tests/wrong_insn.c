// SPDX-License-Identifier: GPL-2.0
/* For the suite ftrace_fault: how a site gets bytes that its record does not know. */
#include <linux/memory.h>
#include <linux/mutex.h>

#include <asm/text-patching.h>

#include "hooks/tests/support.h"

/* Not the NOP that the kernel has of this length. */
const u8 site_wrong_insn[MCOUNT_INSN_SIZE] = { 0x66, 0x66, 0x66, 0x66, 0x90 };

void site_write(const struct dyn_ftrace *site, const u8 *insn)
{
	guard(mutex)(&text_mutex);
	text_poke((void *)ftrace_site_ip(site), insn, MCOUNT_INSN_SIZE);
	text_poke_sync();
}
