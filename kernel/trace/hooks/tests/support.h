/* SPDX-License-Identifier: GPL-2.0 */
/* An ops that counts, and what the suites of hooks/ have in common. */
#ifndef _TRACE_HOOKS_TESTS_SUPPORT_H
#define _TRACE_HOOKS_TESTS_SUPPORT_H

#include <kunit/test.h>

#include "hooks/change.h"
#include "hooks/internal.h"
#include "hooks/tests/targets.h"

/* All registers, where an ops can have them: then @regs of a counter says that they came. */
#define HAVE_REGS	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define FL_REGS		(HAVE_REGS ? FTRACE_OPS_FL_SAVE_REGS : 0)

/* The @arg that a counter records for a first argument of @n: -1 where hooks see none. */
#define HAVE_ARGS	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define ARG(n)		(HAVE_ARGS ? (n) : -1L)

/* Order of calls over all counters of a test. */
extern unsigned int counter_turn;

struct counter {
	struct ftrace_ops	ops;
	unsigned int		hits;
	unsigned int		turn;		/* counter_turn at the last hit */
	unsigned long		ip;
	unsigned long		parent_ip;
	long			arg;		/* the first, see ARG() */
	bool			regs;		/* all registers were there */
};

void counter_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		  struct ftrace_regs *fregs);

/* Filter on targets [first, first + nr), not registered. */
void counter_init(struct kunit *test, struct counter *counter, unsigned long flags,
		  unsigned int first, unsigned int nr);
void counter_done(struct kunit *test, struct counter *counter);
/* Call all targets. How many of these calls did the counter see? */
unsigned int counter_hit_all(struct counter *counter);

struct dyn_ftrace *target_site(unsigned int target);
struct ftrace_site_info target_info(unsigned int target);
u32 target_dispatch(unsigned int target);

/* Has the architecture code for each target, or one entry for all? */
bool targets_have_code(void);

/*
 * Defined in arch/ARCH/kernel/ftrace/tests/wrong_insn.c. The instruction does nothing, like the
 * NOP of a site, but has another encoding. site_write() writes an instruction into the text of a
 * site and does not change what the site's record says.
 */
extern const u8 site_wrong_insn[MCOUNT_INSN_SIZE];
void site_write(const struct dyn_ftrace *site, const u8 *insn);

/*
 * Defined there, too: replaces the literal that tells what a site calls. False: there is none.
 * @old becomes what it was.
 */
bool site_write_literal(const struct dyn_ftrace *site, unsigned long literal, unsigned long *old);

/*
 * Defined there, too: where the instruction at @at calls or jumps to, 0: neither, or through a
 * register. @len becomes its length, 0: it cannot be decoded.
 */
unsigned long insn_branch_target(unsigned long at, unsigned int *len);

/* How many sites have text that is not what their record says? */
unsigned long sites_wrong(void);
unsigned long sites_hooked_by(struct ftrace_ops *ops);

#endif /* _TRACE_HOOKS_TESTS_SUPPORT_H */
