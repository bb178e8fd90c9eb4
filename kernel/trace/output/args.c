// SPDX-License-Identifier: GPL-2.0
/*
 * The arguments of a call, behind the name of its function. BTF tells their names and
 * types, but not of every function.
 */
#include <linux/kallsyms.h>
#include <linux/rcupdate.h>

#include "lib/btf.h"
#include "output/internal.h"
#include "output/output.h"

/* All registers that there may be arguments in, as nobody knows how many there are. */
static void args_put_regs(struct trace_seq *s, const unsigned long *regs, unsigned int nr)
{
	unsigned int i;

	trace_seq_putc(s, '(');
	for (i = 0; i < nr; i++)
		trace_seq_printf(s, i ? ", 0x%lx" : "0x%lx", regs[i]);
	trace_seq_putc(s, ')');
}

/**
 * trace_print_args - what a function was called with
 * @iter: where to
 * @func: an address in the function
 * @regs: registers that functions have arguments in, in their order
 * @nr: how many there are
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 */
void trace_print_args(struct trace_iterator *iter, unsigned long func,
		      const unsigned long *regs, unsigned int nr)
{
	char text[KSYM_NAME_LEN], *module = NULL;
	struct trace_btf_func known;
	const char *name;

	guard(rcu)();
	name = kallsyms_lookup(trace_ip_now(iter, func), NULL, NULL, &module, text);
	if (name && trace_btf_find(name, module, &known))
		trace_btf_put_args(&iter->seq, &known, &trace_btf_abi, regs, nr);
	else
		args_put_regs(&iter->seq, regs, nr);
}
