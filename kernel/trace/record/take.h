/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/take.h: the startup tests count the records of a buffer.
 */
#ifndef _TRACE_RECORD_TAKE_H
#define _TRACE_RECORD_TAKE_H

struct trace_buffer;

/**
 * struct trace_records - how many records a buffer had
 * @wanted:	of the type that was asked for
 * @others:	of all other types
 */
struct trace_records {
	unsigned long	wanted;
	unsigned long	others;
};

int trace_records_take(struct trace_buffer *buffer, unsigned int type,
		       struct trace_records *records);

#endif /* _TRACE_RECORD_TAKE_H */
