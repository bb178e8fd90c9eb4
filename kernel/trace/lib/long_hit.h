/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/: for tests, a hit that goes on for as long as the test likes, and two minutes at most. It is
 * in a task of its own, as the waits for probes of tracepoints see it. There is one at a time.
 */
#ifndef _TRACE_LIB_LONG_HIT_H
#define _TRACE_LIB_LONG_HIT_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>

static struct long_hit {
	struct completion	began, may_end, ended;
} long_hit;

static int long_hit_fn(void *data)
{
	int idx = srcu_read_lock(&tracepoint_srcu);

	complete(&long_hit.began);
	wait_for_completion_timeout(&long_hit.may_end, 120 * HZ);
	srcu_read_unlock(&tracepoint_srcu, idx);
	complete(&long_hit.ended);
	return 0;
}

static inline void long_hit_begin(struct kunit *test)
{
	init_completion(&long_hit.began);
	init_completion(&long_hit.may_end);
	init_completion(&long_hit.ended);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(long_hit_fn, NULL, "kunit_long_hit")));
	wait_for_completion(&long_hit.began);
}

static inline bool long_hit_goes_on(void)
{
	return !completion_done(&long_hit.ended);
}

static inline void long_hit_end(void)
{
	complete(&long_hit.may_end);
	wait_for_completion(&long_hit.ended);
}

#endif /* _TRACE_LIB_LONG_HIT_H */
