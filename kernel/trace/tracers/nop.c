// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer that records nothing: events, markers and trace_printk() are all
 * that is in the buffer.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/printk.h>

#include "instance/buffers.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "record/take.h"
#include "tracers/tracers.h"

/*
 * With these options, a program that switches options can be tested: the tracer accepts one and
 * refuses the other.
 */
enum {
	NOP_ACCEPT	= BIT(0),
	NOP_REFUSE	= BIT(1),
};

static const struct tracer_option nop_options[] = {
	{ "test_nop_accept", NOP_ACCEPT },
	{ "test_nop_refuse", NOP_REFUSE },
	{ }
};

static int nop_set_option(struct trace_array *tr, u32 bit, bool on)
{
	int ret = bit == NOP_REFUSE ? -EINVAL : 0;

	pr_info("tracing: nop is asked to switch test_nop_%s %s: %s\n",
		ret ? "refuse" : "accept", on ? "on" : "off", ret ? "no" : "yes");
	return ret;
}

/* The buffer has the record that trace_array_note() writes, and nothing else. */
static int nop_selftest(struct trace_array *tr)
{
	struct trace_records records;
	int ret;

	scoped_guard(trace_instances)
		ret = trace_option_set(tr, TRACE_OPT_PRINTK, true);
	trace_array_note(tr, _THIS_IP_, "Testing tracer nop\n");
	ret = ret ?: trace_records_take(tr->array_buffer.buffer, TRACE_PRINT, &records);
	if (ret)
		return ret;
	return records.wanted == 1 && !records.others ? 0 : -EINVAL;
}

DEFINE_TRACER(nop) = {
	.name			= "nop",
	.set_option		= nop_set_option,
	.selftest		= TRACER_SELFTEST(nop_selftest),
	.options		= nop_options,
	.allow_instances	= true,
};
