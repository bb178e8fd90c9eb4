/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of output/ need of each other. */
#ifndef _TRACE_OUTPUT_INTERNAL_H
#define _TRACE_OUTPUT_INTERNAL_H

#include "output/output.h"

struct mm_struct;

int trace_symbols_init(void);
void trace_print_user_ip(struct trace_iterator *iter, struct mm_struct *mm, unsigned long ip);

/* Text of a trace_printk() record alone, without columns and symbol. */
enum print_line_t trace_print_message(struct trace_iterator *iter);
int trace_own_records_init(void);

#endif /* _TRACE_OUTPUT_INTERNAL_H */
