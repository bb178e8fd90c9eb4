// SPDX-License-Identifier: GPL-2.0
/* Functions that begin with a call of _mcount(). */
#include "mcount_functions.h"

HOOKED long eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

HOOKED struct large large(long a)
{
	return (struct large) { { a, a + 1, a + 2, a + 3 } };
}

HOOKED long factorial(long n)
{
	long ret = n > 1 ? factorial(n - 1) : 1;

	asm volatile("" : "+r" (ret));
	return ret * n;
}
