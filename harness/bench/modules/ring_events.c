// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of ring_buffer_work.h, counted while the module loads. That ends with an
 * error, and nothing is loaded. Built against the base tree and ours alike.
 */
#include <linux/module.h>

#include "ring_buffer_work.h"

static unsigned int events = 20000;
module_param(events, uint, 0);

static int __init ring_events_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ring_works); i++) {
		/* The first round finds caches of the kernel empty. */
		s64 ns = ring_work_ns(&ring_works[i], events, 3);

		if (ns > 0)
			pr_info("ring_events: %s %u events in %lld ns\n", ring_works[i].name,
				events, ns);
		else
			pr_err("ring_events: %s: error %lld\n", ring_works[i].name, ns);
	}
	return -EINVAL;
}
module_init(ring_events_init);

MODULE_DESCRIPTION("Count what events of the ring buffer cost");
MODULE_LICENSE("GPL");
