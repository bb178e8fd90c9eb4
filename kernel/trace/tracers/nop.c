// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer that records nothing: events, markers and trace_printk() are all
 * that is in the buffer.
 */
#include "instance/tracer.h"
#include "tracers/tracers.h"

DEFINE_TRACER(nop) = {
	.name			= "nop",
	.allow_instances	= true,
};
