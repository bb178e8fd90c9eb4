// SPDX-License-Identifier: GPL-2.0
/*
 * A table of the functions that recursed, each of them once. It is written in any
 * context, NMI included, so there is no lock: a place belongs to who puts an address
 * into its @ip first. An address is looked for from the place that its hash tells,
 * through the whole table if need be. When the table is full, what is new is not
 * noted.
 *
 * Clearing may run at the same time as writers. A function that was noted meanwhile
 * may be lost or have two places then; the caller beside it may be one from before.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/trace_recursion.h>

#include "lib/recursion.h"

#define RECURSIONS_MAX	CONFIG_FTRACE_RECORD_RECURSION_SIZE

static struct trace_recursion recursions[RECURSIONS_MAX];

/**
 * ftrace_record_recursion - note that a function recursed
 * @ip: the function
 * @parent_ip: its caller
 *
 * Context: any; current->trace_recursion keeps it from calling itself.
 */
void ftrace_record_recursion(unsigned long ip, unsigned long parent_ip)
{
	unsigned int place = hash_long(ip, 32) % RECURSIONS_MAX, i;

	for (i = 0; i < RECURSIONS_MAX; i++) {
		struct trace_recursion *entry = &recursions[(place + i) % RECURSIONS_MAX];
		unsigned long was = READ_ONCE(entry->ip) ?: cmpxchg(&entry->ip, 0, ip);

		if (!was)
			WRITE_ONCE(entry->parent_ip, parent_ip);
		if (!was || was == ip)
			return;
	}
}
EXPORT_SYMBOL_GPL(ftrace_record_recursion);

/**
 * trace_recursion_nth - a place of the table
 * @n: counted from 0
 *
 * Context: any.
 * Return: the place, which may be free; NULL behind the last one.
 */
const struct trace_recursion *trace_recursion_nth(unsigned long n)
{
	return n < RECURSIONS_MAX ? &recursions[n] : NULL;
}

/**
 * trace_recursions_clear - forget all functions
 *
 * Context: any.
 */
void trace_recursions_clear(void)
{
	unsigned int i;

	for (i = 0; i < RECURSIONS_MAX; i++) {
		WRITE_ONCE(recursions[i].parent_ip, 0);
		WRITE_ONCE(recursions[i].ip, 0);
	}
}
