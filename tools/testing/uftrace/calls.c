// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of umask(), which uftrace sees as functions of this program and of the kernel.
 *
 * usage: calls NUMBER
 */
#include <stdlib.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	int i;

	for (i = 0; argc > 1 && i < atoi(argv[1]); i++)
		umask(i);
	return 0;
}
