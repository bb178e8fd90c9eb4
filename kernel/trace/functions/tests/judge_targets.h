/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FUNCTIONS_TESTS_JUDGE_TARGETS_H
#define _TRACE_FUNCTIONS_TESTS_JUDGE_TARGETS_H

/* Functions with call sites, and with arguments. */
void judge_target_one(unsigned long size, int delta, const char *name);
void judge_target_two(int delta, unsigned long size, const char *name);

#endif /* _TRACE_FUNCTIONS_TESTS_JUDGE_TARGETS_H */
