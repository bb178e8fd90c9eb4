/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that entries.c, start.S and arch/arm64/kernel/ftrace/ share. */
#ifndef _ENTRIES_H
#define _ENTRIES_H

typedef unsigned long ulong;

struct fregs {
	ulong	fp, lr, sp, pc, regs[9], direct_tramp;
};

/* As struct ftrace_call and struct ftrace_target of kernel/trace/sites/target.h. */
struct call {
	void	(*func)(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs);
	void	*ops;
};

struct target {
	ulong	entry, size;
	void	(*func)(ulong ip, ulong parent_ip, void *ops, struct fregs *fregs);
	void	*ops;
	ulong	direct, flags;
	const struct call	*pair;
};

void ftrace_caller(void);
void _mcount(ulong parent_ip);
extern char ftrace_slots[];
extern struct target ftrace_far_target;
void ftrace_args_entry(void);
void ftrace_inside_entry(void);
void ftrace_mcount_entry(void);
void ftrace_pair_entry(void);
void ftrace_plain_entry(void);
void ftrace_stub(void);
void ftrace_stub_direct_tramp(void);
void return_to_handler(void);
void ftrace_return_to_handler(struct fregs *fregs);
void direct(void);
void clobber(void);
int entries_test(void);

#endif /* _ENTRIES_H */
