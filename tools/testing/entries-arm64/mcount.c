// SPDX-License-Identifier: GPL-2.0
/*
 * Sites that are calls of _mcount(): check the registers in a callback and after it. The sites
 * are as compiled, as boot leaves them, and hooked by a slot or by the way that all sites can
 * go.
 */
#include "check.h"
#include "mcount_functions.h"

#define SLOT	(ftrace_slots + (SLOTS - 2) * SLOT_SIZE)

/* start.S has a direct call, that nobody makes here. */
int direct_calls;
struct target ftrace_far_target;

/* A BL from @site to @way. */
static unsigned int branch(const unsigned int *site, const void *way)
{
	return 0x94000000 | (((long)way - (long)site) >> 2 & 0x3ffffff);
}

static __attribute__((noipa)) void set_site(unsigned int *site, unsigned int insn)
{
	*site = insn;
	flush((char *)site);
}

/* The first BL, as compiled. */
static unsigned int *site_of(void *function)
{
	unsigned int *site = function;

	while ((*site & 0xfc000000) != 0x94000000)
		site++;
	CHECK(*site == branch(site, _mcount));
	return site;
}

static struct target target = {
	.entry = (ulong)ftrace_mcount_entry,
	.func = callback,
	.ops = &target,
};

static __attribute__((noipa)) void test_hooked(unsigned int *site, const void *way, void *ops)
{
	ulong frame = (ulong)__builtin_frame_address(0);

	set_site(site, branch(site, way));
	hits = 0;
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	CHECK(hits == 1 && seen_ip == (ulong)site && seen_ops == ops && !seen_at);
	CHECK(seen_parent - (ulong)test_hooked < 0x200);
	/* An unwinder finds the entry, the function, its caller, and the caller's frame. */
	CHECK(is_within(record_lr[0], ftrace_mcount_entry));
	CHECK(record_lr[1] == (ulong)site + 4);
	CHECK(record_lr[2] == seen_parent && record_fp[2] == frame);
}

int entries_test(void)
{
	unsigned int *eights = site_of(eight), *larges = site_of(large),
		     *factorials = site_of(factorial);
	ulong *slot = (ulong *)SLOT;

	text_writable(entries_test);
	slot[SLOT_TARGET / sizeof(*slot)] = (ulong)&target;
	slot[SLOT_CONTINUE / sizeof(*slot)] = target.entry;
	ftrace_far_target.func = callback;

	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204);
	set_site(eights, 0xd503201f);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204 && !hits);
	test_hooked(eights, SLOT, &target);
	test_hooked(eights, ftrace_caller, 0);
	set_site(eights, 0xd503201f);
	CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8) == 204 && hits == 1);

	set_site(larges, branch(larges, SLOT));
	CHECK(large(10).x[3] == 13 && large(10).x[0] == 10 && hits == 3);
	set_site(factorials, branch(factorials, SLOT));
	CHECK(factorial(10) == 3628800 && hits == 13);
	CHECK(seen_parent - (ulong)factorial < 0x80);
	target.func = (void (*)(ulong, ulong, void *, struct fregs *))ftrace_stub;
	CHECK(factorial(5) == 120 && large(10).x[1] == 11 && hits == 13);
	return check_end();
}
