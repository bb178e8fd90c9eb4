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
 * @in_order: behind an argument that is on the stack, all are; otherwise those that fit into the
 *	registers that are left are there
 */
struct trace_btf_abi {
	bool	copies;
	bool	even_pairs;
	bool	in_order;
};

#ifdef CONFIG_TRACE_BTF
/* The rules of this architecture; all false where it does not tell them. */
extern const struct trace_btf_abi trace_btf_abi;
#endif

/**
 * struct trace_btf_place - where an argument is at the entry of a function
 * @on_stack: it is on the stack, and not in a register
 * @at: bytes from the first argument on the stack, or the number of the register
 * @size: bytes
 */
struct trace_btf_place {
	bool		on_stack;
	unsigned int	at;
	unsigned int	size;
};

/**
 * struct trace_btf_scalar - the type of an argument that is a number or an address
 * @size: bytes
 * @is_signed: it is a number with a sign
 * @is_text: it is the address of characters
 */
struct trace_btf_scalar {
	unsigned int	size;
	bool		is_signed;
	bool		is_text;
};

#ifdef CONFIG_TRACE_BTF

int trace_btf_need(void);
bool trace_btf_find(const char *name, const char *module, struct trace_btf_func *func);
const struct btf_type *trace_btf_find_struct(const char *name, const char *module,
					     const struct btf **btf);
void trace_btf_put_args(struct trace_seq *s, const struct trace_btf_func *func,
			const struct trace_btf_abi *abi, const unsigned long *regs,
			unsigned int nr);
int trace_btf_param(const struct trace_btf_func *func, const char *name, size_t len);
bool trace_btf_scalar(const struct trace_btf_func *func, unsigned int n,
		      struct trace_btf_scalar *scalar);
bool trace_btf_place(const struct trace_btf_func *func, const struct trace_btf_abi *abi,
		     unsigned int nr, unsigned int n, struct trace_btf_place *place);
int trace_btf_init(void);

#else

static inline int trace_btf_init(void)
{
	return 0;
}

#endif

#endif /* _TRACE_LIB_BTF_H */
