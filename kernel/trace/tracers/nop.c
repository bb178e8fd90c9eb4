// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer that records nothing: events, markers and trace_printk() are all
 * that is in the buffer.
 */
#include "instance/buffers.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "record/take.h"
#include "tracers/tracers.h"

/* What others write is there, and nothing else. */
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
	.selftest		= TRACER_SELFTEST(nop_selftest),
	.allow_instances	= true,
};
