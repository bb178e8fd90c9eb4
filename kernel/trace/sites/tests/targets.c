// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the tests of the index look for. Unlike the rest of kernel/trace this file is
 * compiled with call sites.
 */
#include <linux/compiler.h>
#include <linux/stringify.h>

#include "sites/tests/targets.h"

#define TARGET(name, n)						\
	noinline int name(int x)				\
	{							\
		OPTIMIZER_HIDE_VAR(x);				\
		return x + (n);					\
	}

TARGET(SITE_INDEX_254, 254)
TARGET(SITE_INDEX_255, 255)
TARGET(SITE_INDEX_256, 256)
TARGET(site_index_short, 0)

int SITE_INDEX_300(int x) __alias(site_index_short);
