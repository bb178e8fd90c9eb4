/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MCOUNT_FUNCTIONS_H
#define _MCOUNT_FUNCTIONS_H

#define HOOKED __attribute__((noipa))

struct large {
	long	x[4];
};

long eight(long a, long b, long c, long d, long e, long f, long g, long h);
struct large large(long a);
long factorial(long n);

#endif /* _MCOUNT_FUNCTIONS_H */
