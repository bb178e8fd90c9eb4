// SPDX-License-Identifier: GPL-2.0
/*
 * A module with 512 functions, as many as a small driver has. A ftracetest loads it while all
 * functions are traced, and counts how often that interrupts the CPUs.
 */
#include <linux/compiler.h>
#include <linux/module.h>

/* The numbers are octal. */
#define ONE(n)							\
	noinline int hooks_module_many_##n(int x);		\
	noinline int hooks_module_many_##n(int x)		\
	{							\
		return x + 0##n;				\
	}

#define EIGHT(n)						\
	ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3)			\
	ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7)

#define SIXTY_FOUR(n)						\
	EIGHT(n##0) EIGHT(n##1) EIGHT(n##2) EIGHT(n##3)		\
	EIGHT(n##4) EIGHT(n##5) EIGHT(n##6) EIGHT(n##7)

SIXTY_FOUR(0)
SIXTY_FOUR(1)
SIXTY_FOUR(2)
SIXTY_FOUR(3)
SIXTY_FOUR(4)
SIXTY_FOUR(5)
SIXTY_FOUR(6)
SIXTY_FOUR(7)

MODULE_DESCRIPTION("Many functions that tests of ftrace hook in a module");
MODULE_LICENSE("GPL");
