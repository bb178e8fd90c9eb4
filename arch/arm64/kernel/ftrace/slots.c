// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: sites call them if there is no room for a literal in front of functions, as with kCFI,
 * which has a hash there, with functions that are not aligned to eight bytes, or where sites
 * are calls of _mcount(). A target has a slot for itself; see slot_entry.S. Only its two words
 * are written, which a CPU loads as data, so nothing has to be done about caches of
 * instructions:
 *
 * - They are written before a site calls the slot: site_queue_flush() has a barrier before it
 *   writes the BL.
 * - They are cleared, and may be another target's, when nobody is inside any more.
 *
 * A target that finds all slots taken is called by way of ftrace_caller, as it is from
 * modules that cannot reach its slot.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bug.h>

#include <asm/patching.h>

#include "layout.h"
#include "sites/arch.h"

/* A bit is set before the slot's words are, and cleared after them. */
static DECLARE_BITMAP(slots_used, SLOTS);

/*
 * arch_ftrace_ops_list_func() looks the site up by its address and calls what it should
 * call, direct calls included.
 */
const struct ftrace_target ftrace_far_target = {
	.func = arch_ftrace_ops_list_func,
};

static unsigned int slot_take(void)
{
	unsigned int n;

	do {
		n = find_first_zero_bit(slots_used, SLOTS);
	} while (n < SLOTS && test_and_set_bit(n, slots_used));
	return n;
}

/* The kernel's own text: it is there, and no one else writes these words. */
static void slot_write(char *slot, unsigned long target, unsigned long code)
{
	const struct aarch64_text_word words[] = {
		{ .addr = slot + SLOT_TARGET, .literal = target },
		{ .addr = slot + SLOT_CONTINUE, .literal = code },
	};

	WARN_ON_ONCE(aarch64_text_write(words, ARRAY_SIZE(words), sizeof(u64)));
}

/*
 * Give @target a slot whose code jumps to @code. If all slots are taken, calls of @target
 * lead to ftrace_caller.
 */
void ftrace_slot_get(struct ftrace_target *target, unsigned long code)
{
	unsigned int n = slot_take();
	char *slot = ftrace_slots + n * SLOT_SIZE;

	target->entry = FTRACE_ADDR;
	target->size = 0;
	if (n == SLOTS)
		return;
	slot_write(slot, (unsigned long)target, code);
	target->entry = (unsigned long)slot;
	target->size = SLOT_CODE;
}

/* Take the slot of @target back. No CPU executes it any more. */
void ftrace_slot_put(struct ftrace_target *target)
{
	char *slot = (char *)target->entry;

	if (!target->size)
		return;
	slot_write(slot, 0, 0);
	clear_bit_unlock((slot - ftrace_slots) / SLOT_SIZE, slots_used);
}
