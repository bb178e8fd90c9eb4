// SPDX-License-Identifier: GPL-2.0
/*
 * Writers, with NMIs and readers in between.
 */
#include "steps.h"

#define STEP(op, hook) \
	static void op##_##hook(void) { steps_at_each(op, hook, false); }

STEP(op_write, in_nmi_write)
STEP(op_write, in_nmi_words)
STEP(op_write, in_nmi_discard)
STEP(op_write, in_nmi_many)
STEP(op_write, in_nmi_flood)
STEP(op_write, hook_consume)
STEP(op_write, hook_consume_all)
STEP(op_write, hook_iterate)
STEP(op_words, in_nmi_write)
STEP(op_words, in_nmi_words)
STEP(op_words, in_nmi_discard)
STEP(op_words, in_nmi_many)
STEP(op_words, in_nmi_flood)
STEP(op_words, hook_consume_all)
STEP(op_words, hook_iterate)
STEP(op_discard, in_nmi_write)
STEP(op_discard, in_nmi_discard)
STEP(op_discard, in_nmi_many)
STEP(op_discard, hook_consume_all)
STEP(op_late, in_nmi_write)
STEP(op_late, in_nmi_many)
STEP(op_late, hook_consume_all)

const struct test_case write_steps[] = {
	STEPS_CASE(op_write_in_nmi_write), STEPS_CASE(op_write_in_nmi_words),
	STEPS_CASE(op_write_in_nmi_discard), STEPS_CASE(op_write_in_nmi_many),
	STEPS_CASE(op_write_in_nmi_flood), STEPS_CASE(op_write_hook_consume),
	STEPS_CASE(op_write_hook_consume_all), STEPS_CASE(op_write_hook_iterate),
	STEPS_CASE(op_words_in_nmi_write), STEPS_CASE(op_words_in_nmi_words),
	STEPS_CASE(op_words_in_nmi_discard), STEPS_CASE(op_words_in_nmi_many),
	STEPS_CASE(op_words_in_nmi_flood), STEPS_CASE(op_words_hook_consume_all),
	STEPS_CASE(op_words_hook_iterate), STEPS_CASE(op_discard_in_nmi_write),
	STEPS_CASE(op_discard_in_nmi_discard), STEPS_CASE(op_discard_in_nmi_many),
	STEPS_CASE(op_discard_hook_consume_all), STEPS_CASE(op_late_in_nmi_write),
	STEPS_CASE(op_late_in_nmi_many), STEPS_CASE(op_late_hook_consume_all), {}
};
