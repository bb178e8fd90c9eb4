/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers by chance that a seed repeats, for programs that write generated texts.
 */
#ifndef _TOOLS_TESTING_FILTERS_CHANCE_H
#define _TOOLS_TESTING_FILTERS_CHANCE_H

#include <stdint.h>

static uint64_t state;		/* the seed at first, which is not 0 */

/* A number below a limit, by xorshift64*. */
static uint32_t chance(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 2685821657736338717ULL) >> 32) % below;
}

#endif /* _TOOLS_TESTING_FILTERS_CHANCE_H */
