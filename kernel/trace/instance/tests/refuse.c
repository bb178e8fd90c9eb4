// SPDX-License-Identifier: GPL-2.0
/*
 * For a test of booting without a top instance: with refuse.top=1 on the command line,
 * this component fails as if there were no memory for it. It is the last one of the
 * table, so all others are created and destroyed again.
 */
#include <linux/cache.h>
#include <linux/moduleparam.h>

#include "instance/component.h"

static bool refuse_top __ro_after_init;
module_param_named(top, refuse_top, bool, 0);

/* The top instance is created at boot, the others have names. */
static int refuse_create(struct trace_array *tr)
{
	return !tr->name && refuse_top ? -ENOMEM : 0;
}

struct trace_component trace_refusing_component __ro_after_init = {
	.name	= "memory, as the test wants",
	.create	= refuse_create,
};
