/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the programs of this folder share: the one task, and what is expected of it.
 */
#ifndef _GRAPH_TEST_H
#define _GRAPH_TEST_H

#include "graph/internal.h"

extern unsigned long test_failures, test_checks;

/* The program says what is wrong, and goes on. */
bool test_expect(bool ok, const char *file, int line, const char *what);
#define expect(condition)	test_expect(condition, __FILE__, __LINE__, #condition)

/* Current ends, and is begun anew. */
void test_task_anew(void);

#endif /* _GRAPH_TEST_H */
