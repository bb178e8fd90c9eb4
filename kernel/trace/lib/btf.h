/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/btf.h: look up the prototype of a function by name in BTF, the kernel's description of
 * its own types, and print the arguments of a call as text.
 */
#ifndef _TRACE_LIB_BTF_H
#define _TRACE_LIB_BTF_H

#include <linux/types.h>

struct btf;
struct btf_type;
struct trace_seq;

/**
 * struct trace_btf_func - a function that BTF knows
 * @btf: the BTF that @proto belongs to, of the kernel or of a module
 * @proto: a BTF_KIND_FUNC_PROTO
 *
 * Both are there as long as RCU is held in the section in which they were found.
 */
struct trace_btf_func {
	const struct btf	*btf;
	const struct btf_type	*proto;
};

/**
 * struct trace_btf_abi - what of the rules for arguments depends on the architecture
 * @copies: a structure that is larger than two registers is copied, and the copy's address
 *	passed instead; otherwise it is on the stack
 * @even_pairs: a number of 128 bits, and a structure with one, begins in a register with an
 *	even number; otherwise in the next one
 */
struct trace_btf_abi {
	bool	copies;
	bool	even_pairs;
};

#ifdef CONFIG_FUNCTION_TRACE_ARGS

int trace_btf_need(void);
bool trace_btf_find(const char *name, const char *module, struct trace_btf_func *func);
void trace_btf_put_args(struct trace_seq *s, const struct trace_btf_func *func,
			const struct trace_btf_abi *abi, const unsigned long *regs,
			unsigned int nr);
int trace_btf_init(void);

#else

static inline int trace_btf_init(void)
{
	return 0;
}

#endif

#endif /* _TRACE_LIB_BTF_H */
