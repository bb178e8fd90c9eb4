/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of record/ share with each other and with their tests.
 */
#ifndef _TRACE_RECORD_INTERNAL_H
#define _TRACE_RECORD_INTERNAL_H

#include "record/kind.h"
#include "record/record.h"

#define TRACE_USER_STACK_DEPTH	8

struct trace_stack_entry {
	struct trace_entry	ent;
	int			size;
	unsigned long		caller[];
};

struct trace_userstack_entry {
	struct trace_entry	ent;
	unsigned int		tgid;
	unsigned long		caller[TRACE_USER_STACK_DEPTH];
};

/* User space is told of eight callers, however many there are. */
#define TRACE_STACK_PRINT_FMT						\
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "			\
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "			\
	"\"\\t=> %ps\\n\\t=> %ps\\n\", "					\
	"(void *)REC->caller[0], (void *)REC->caller[1], "		\
	"(void *)REC->caller[2], (void *)REC->caller[3], "		\
	"(void *)REC->caller[4], (void *)REC->caller[5], "		\
	"(void *)REC->caller[6], (void *)REC->caller[7]"

extern const struct trace_kind trace_stack_kind;
extern const struct trace_kind trace_user_stack_kind;
extern const struct trace_kind trace_print_kind;

#endif /* _TRACE_RECORD_INTERNAL_H */
