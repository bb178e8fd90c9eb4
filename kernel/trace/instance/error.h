/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The error log of an instance: why commands were refused.
 */
#ifndef _TRACE_INSTANCE_ERROR_H
#define _TRACE_INSTANCE_ERROR_H

#include <linux/types.h>

struct trace_array;

void trace_error_log(struct trace_array *tr, const char *loc, const char *cmd,
		     const char * const *errors, unsigned int type, u16 pos);

#endif /* _TRACE_INSTANCE_ERROR_H */
