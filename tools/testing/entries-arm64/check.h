/* SPDX-License-Identifier: GPL-2.0 */
/* Checks, patching and unwinding in a program without a library. */
#ifndef _ENTRIES_CHECK_H
#define _ENTRIES_CHECK_H

#include "entries.h"
#include "shim.h"

/* Only its numbers. */
#define __ASSEMBLY__
#include "layout.h"
#undef __ASSEMBLY__

/* Of the text, for mprotect(): read, write, execute; 0x10 stands for landing pads. */
#ifndef PROTECTION
#define PROTECTION	7
#endif

static int checks, failures;

static long syscall3(long nr, long a, long b, long c)
{
	register long x8 asm("x8") = nr, x0 asm("x0") = a, x1 asm("x1") = b, x2 asm("x2") = c;

	asm volatile("svc 0" : "+r" (x0) : "r" (x8), "r" (x1), "r" (x2) : "memory");
	return x0;
}

static void say(const char *text)
{
	long len = 0;

	while (text[len])
		len++;
	syscall3(64, 1, (long)text, len);
}

static void say_number(int n)
{
	char text[12];
	int at = sizeof(text) - 1;

	text[at] = 0;
	do {
		text[--at] = '0' + n % 10;
		n /= 10;
	} while (n);
	say(text + at);
}

#define CHECK(what)						\
	do {							\
		checks++;					\
		if (!(what)) {					\
			failures++;				\
			say("failed: " #what "\n");		\
		}						\
	} while (0)

static inline int check_end(void)
{
	say_number(checks);
	say(" checks\n");
	return failures;
}

/* The first 64 KiB of the text are those of @function. */
static inline void text_writable(int (*function)(void))
{
	long error = syscall3(226, (long)function & ~0xffffL, 0x10000, PROTECTION);

	CHECK(!error);
}

static void flush(char *from)
{
	asm volatile("dc cvau, %0; dsb ish; ic ivau, %0; dsb ish; isb" :: "r" (from) : "memory");
}

/* Frame records from that of the caller on: where each returns to, and the next one. */
static ulong record_lr[4], record_fp[4];

static __attribute__((noipa)) void walk(void)
{
	ulong *record = *(ulong **)__builtin_frame_address(0);
	int i;

	for (i = 0; i < 4 && record; i++, record = (ulong *)record[0]) {
		register ulong lr asm("x30") = record[1];

		/* xpaclri: without a signature */
		asm volatile("hint #7" : "+r" (lr));
		record_lr[i] = lr;
		record_fp[i] = record[0];
	}
}

/* The last call of callback(). */
static int hits;
static ulong seen_ip, seen_parent;
static void *seen_ops;
static struct fregs *seen_at, seen;

static void callback(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs)
{
	hits++;
	seen_ip = ip;
	seen_parent = parent_ip;
	seen_ops = ops;
	seen_at = fregs;
	if (fregs)
		seen = *fregs;
	walk();
	clobber();
}

static int is_within(ulong addr, void (*code)(void))
{
	return addr - (ulong)code < 0x80;
}

#endif /* _ENTRIES_CHECK_H */
