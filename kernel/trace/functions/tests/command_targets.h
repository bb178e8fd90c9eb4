/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FUNCTIONS_TESTS_COMMAND_TARGETS_H
#define _TRACE_FUNCTIONS_TESTS_COMMAND_TARGETS_H

/* A function with a call site. */
void command_target(void);

#endif /* _TRACE_FUNCTIONS_TESTS_COMMAND_TARGETS_H */
