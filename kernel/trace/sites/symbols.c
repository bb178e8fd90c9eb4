// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the symbols of the kernel that have an exact name, in the tables of kallsyms. A search
 * halves the symbols, which are numbered by their names, too. Two things make it cheaper than
 * kallsyms' own, which is for anybody:
 *
 * - Tokens are compared as they come, and names differ mostly in the first ones.
 * - A symbol stands behind up to 255 others of different lengths, and a walk along them takes
 *   longer than all else. All searches begin with the same halves, so it is noted where the
 *   symbols of the first halves are.
 */
#include <linux/bits.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "sites/internal.h"

#include "../../kallsyms_internal.h"

/* The first so many halves are noted; memory for the last one is as much as for all others. */
#define SYMBOL_HALVES		10

/* So many symbols are walked along at a time. */
#define SYMBOL_STRIDE		8

/*
 * Of each half, by its number: 1 + where the symbol in its middle is; 0: nobody knows. The halves
 * of number N have the numbers 2 * N and 2 * N + 1. Anybody may write what all would.
 */
static u32 symbol_halves[BIT(SYMBOL_HALVES)];

/* The next symbol behind that at @sym, whose length is a byte, or two. */
static __always_inline const u8 *symbol_next(const u8 *sym)
{
	unsigned int len = *sym;

	if (unlikely(len & 0x80))
		len = ((len & 0x7f) | sym[1] << 7) + 1;
	return sym + len + 1;
}

/* Where the symbol of a number is. Each 256th is marked. */
static const u8 *symbol_walk(unsigned int seq)
{
	const u8 *sym = kallsyms_names + kallsyms_markers[seq >> 8];
	unsigned int left = seq & 0xff;

	for (; left >= SYMBOL_STRIDE; left -= SYMBOL_STRIDE) {
#pragma GCC unroll 8
		for (int i = 0; i < SYMBOL_STRIDE; i++)
			sym = symbol_next(sym);
	}
	while (left--)
		sym = symbol_next(sym);
	return sym;
}

/* The number of the symbol that has place @index in the order of names. */
static unsigned int symbol_seq(unsigned int index)
{
	const u8 *seq = kallsyms_seqs_of_names + 3 * index;

	return seq[0] << 16 | seq[1] << 8 | seq[2];
}

/* The symbol in the middle of a half, whose place is @index. */
static const u8 *symbol_middle(unsigned int half, unsigned int index)
{
	const u8 *sym;
	u32 known;

	if (half >= ARRAY_SIZE(symbol_halves))
		return symbol_walk(symbol_seq(index));
	known = READ_ONCE(symbol_halves[half]);
	if (known)
		return kallsyms_names + known - 1;
	sym = symbol_walk(symbol_seq(index));
	WRITE_ONCE(symbol_halves[half], sym - kallsyms_names + 1);
	return sym;
}

/* Compare a name with that of a symbol, as strcmp() does. The first character is its type. */
static int symbol_compare(const char *name, const u8 *sym)
{
	const u8 *end = symbol_next(sym);
	const char *token;

	sym += *sym & 0x80 ? 2 : 1;
	token = kallsyms_token_table + kallsyms_token_index[*sym] + 1;
	for (;;) {
		for (; *token; token++, name++) {
			if (*name != *token)
				return (u8)*name - (u8)*token;
		}
		if (++sym == end)
			return (u8)*name;
		token = kallsyms_token_table + kallsyms_token_index[*sym];
	}
}

/* The first place in the order of names that has the name; false: there is none. */
static bool symbol_first(const char *name, unsigned int *index)
{
	unsigned int low = 0, high = kallsyms_num_syms, half = 1, middle;
	bool found = false;
	int differ;

	while (low < high) {
		middle = low + (high - low) / 2;
		differ = symbol_compare(name, symbol_middle(half, middle));
		half *= 2;
		if (differ > 0) {
			low = middle + 1;
			half++;
		} else {
			high = middle;
			found = !differ;
		}
	}
	*index = low;
	return found;
}

/**
 * site_symbols_match - find the symbols of the kernel that have a name
 * @name: the name
 * @fn: called with the address of each; a value that is not 0 stops
 * @data: for @fn
 *
 * Context: task, may sleep.
 * Return: 0, or the value of @fn that stopped.
 */
int site_symbols_match(const char *name, int (*fn)(void *data, unsigned long addr), void *data)
{
	unsigned int index;
	bool found = *name && symbol_first(name, &index);
	int ret = 0;

	while (found && !ret) {
		unsigned int seq = symbol_seq(index++);

		ret = fn(data, kallsyms_sym_address(seq));
		found = index < kallsyms_num_syms &&
			!symbol_compare(name, symbol_walk(symbol_seq(index)));
		cond_resched();
	}
	return ret;
}
