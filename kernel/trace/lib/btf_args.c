// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of a call as text, from the registers that it was made with:
 *
 *	(dfd=-100, path=0xffff888004c3d000, how=0xffffc900000f7ef0, type=PIDTYPE_PID)
 *
 * The registers are those of ftrace_regs_get_argument(), in the order in which numbers and
 * pointers go into them. The bits of a register above the size of the type are not part of the
 * argument.
 *
 * A structure lies in one register or in two if it fits, and so does a number of 128 bits. The
 * rules that depend on the architecture are in struct trace_btf_abi. The list ends before the
 * first argument that does not fit into the registers that are left: this file does not know
 * where that argument lies, nor any argument behind it. BTF does not tell either whether a type
 * was aligned by hand.
 */
#include <linux/bitops.h>
#include <linux/btf.h>
#include <linux/ctype.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "lib/btf.h"

const struct trace_btf_abi trace_btf_abi = {
#ifdef ARCH_FTRACE_ARG_COPIES
	.copies		= ARCH_FTRACE_ARG_COPIES,
	.even_pairs	= ARCH_FTRACE_ARG_EVEN_PAIRS,
	.in_order	= ARCH_FTRACE_ARG_IN_ORDER,
#endif
};

/**
 * struct btf_regs - the registers that are left
 * @s: where the text goes
 * @btf: of the types
 * @abi: how they lie in registers
 * @regs: all registers
 * @next: the number of the next one
 * @nr: how many there are
 */
struct btf_regs {
	struct trace_seq		*s;
	const struct btf		*btf;
	const struct trace_btf_abi	*abi;
	const unsigned long		*regs;
	unsigned int			next, nr;
};

static long btf_arg_signed(unsigned long value, u32 size)
{
	return size < sizeof(value) ? sign_extend64(value, size * BITS_PER_BYTE - 1) : value;
}

static unsigned long btf_arg_unsigned(unsigned long value, u32 size)
{
	return size < sizeof(value) ? value & (BIT(size * BITS_PER_BYTE) - 1) : value;
}

static void btf_arg_put_number(struct trace_seq *s, unsigned long value, u32 size, bool is_signed)
{
	if (is_signed)
		trace_seq_printf(s, "%ld", btf_arg_signed(value, size));
	else
		trace_seq_printf(s, "0x%lx", btf_arg_unsigned(value, size));
}

/* BTF tells a char by its name only. */
static bool btf_arg_is_char(const struct btf *btf, const struct btf_type *t)
{
	return t->size == 1 && !strcmp(btf_name_by_offset(btf, t->name_off), "char");
}

static void btf_arg_put_int(struct trace_seq *s, const struct btf *btf, const struct btf_type *t,
			    unsigned long value)
{
	u8 encoding = btf_int_encoding(t);

	if (encoding & BTF_INT_BOOL)
		trace_seq_puts(s, (u8)value ? "true" : "false");
	else if (btf_arg_is_char(btf, t) && isascii((u8)value) && isprint((u8)value))
		trace_seq_printf(s, "'%c'", (u8)value);
	else
		btf_arg_put_number(s, value, t->size, encoding & BTF_INT_SIGNED);
}

/* The name of a number, NULL: it has none. */
static const char *btf_arg_enum_name(const struct btf *btf, const struct btf_type *t,
				     unsigned long value)
{
	bool wide = btf_is_enum64(t);
	u32 i, name;
	u64 number;

	for (i = 0; i < btf_type_vlen(t); i++) {
		number = wide ? btf_enum64_value(&btf_enum64(t)[i]) : (u32)btf_enum(t)[i].val;
		name = wide ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;
		if (btf_arg_unsigned(number, t->size) == btf_arg_unsigned(value, t->size))
			return btf_name_by_offset(btf, name);
	}
	return NULL;
}

static void btf_arg_put_enum(struct trace_seq *s, const struct btf *btf, const struct btf_type *t,
			     unsigned long value)
{
	const char *name = btf_arg_enum_name(btf, t, value);

	if (name)
		trace_seq_puts(s, name);
	else
		btf_arg_put_number(s, value, t->size, btf_type_kflag(t));
}

/* Print a type that has one register. */
static void btf_arg_put_value(struct trace_seq *s, const struct btf *btf, const struct btf_type *t,
			      unsigned long value)
{
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		btf_arg_put_int(s, btf, t, value);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		btf_arg_put_enum(s, btf, t, value);
		break;
	default:
		trace_seq_printf(s, "0x%lx", value);
	}
}

/* Two registers. */
#define PAIR	(2 * sizeof(long))

/* A structure whose address is passed. */
static bool btf_arg_is_copied(const struct btf_regs *left, const struct btf_type *t)
{
	return left->abi->copies && btf_type_is_struct(t) && t->size > PAIR;
}

/* How many registers a type lies in; -1: it is elsewhere. */
static int btf_arg_regs(const struct btf_regs *left, const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		return 1;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (btf_arg_is_copied(left, t))
			return 1;
		return t->size <= PAIR ? DIV_ROUND_UP(t->size, sizeof(long)) : -1;
	default:
		return -1;
	}
}

/* Is it a number of two registers, or something of their size that consists of one? */
static bool btf_arg_is_pair(const struct btf *btf, const struct btf_type *t)
{
	const struct btf_member *member;
	u32 i;

	if (btf_type_is_int(t))
		return t->size == PAIR;
	if (!btf_type_is_struct(t) || t->size != PAIR)
		return false;
	for_each_member(i, t, member)
		if (btf_arg_is_pair(btf, btf_type_skip_modifiers(btf, member->type, NULL)))
			return true;
	return false;
}

static void btf_arg_put_struct(struct btf_regs *left, const struct btf_type *t,
			       const unsigned long *reg, unsigned int regs)
{
	unsigned int i;

	trace_seq_printf(left->s, "(%s)", btf_type_str(t));
	if (btf_arg_is_copied(left, t)) {
		trace_seq_printf(left->s, "*0x%lx", *reg);
		return;
	}
	trace_seq_putc(left->s, '[');
	for (i = 0; i < regs; i++)
		trace_seq_printf(left->s, i ? ":0x%lx" : "0x%lx", reg[i]);
	trace_seq_putc(left->s, ']');
}

/* The lower half of a number is in the first register of two. */
static void btf_arg_put_pair(struct btf_regs *left, const unsigned long *reg)
{
	if (reg[1])
		trace_seq_printf(left->s, "0x%lx%016lx", reg[1], reg[0]);
	else
		trace_seq_printf(left->s, "0x%lx", reg[0]);
}

/* False: it is not in the registers that are left. */
static bool btf_arg_put(struct btf_regs *left, const struct btf_param *param)
{
	const struct btf_type *t = btf_type_skip_modifiers(left->btf, param->type, NULL);
	const char *name = btf_name_by_offset(left->btf, param->name_off);
	int regs = btf_arg_regs(left, t);
	const unsigned long *reg;

	if (left->abi->even_pairs && btf_arg_is_pair(left->btf, t))
		left->next = round_up(left->next, 2);
	if (regs < 0 || left->next + regs > left->nr)
		return false;
	reg = &left->regs[left->next];
	left->next += regs;
	if (name && *name)
		trace_seq_printf(left->s, "%s=", name);
	if (btf_type_is_struct(t))
		btf_arg_put_struct(left, t, reg, regs);
	else if (btf_arg_is_pair(left->btf, t))
		btf_arg_put_pair(left, reg);
	else
		btf_arg_put_value(left->s, left->btf, t, *reg);
	return true;
}

/**
 * trace_btf_put_args - arguments of a call as text
 * @s: where to
 * @func: the function
 * @abi: how types lie in registers
 * @regs: registers that functions have arguments in, in their order
 * @nr: how many there are
 *
 * "(name=value, ...)": three dots stand for what is not in registers, and for what a function
 * takes beyond its parameters.
 *
 * Context: any, NMI included, under RCU as trace_btf_find().
 */
void trace_btf_put_args(struct trace_seq *s, const struct trace_btf_func *func,
			const struct trace_btf_abi *abi, const unsigned long *regs,
			unsigned int nr)
{
	struct btf_regs left = { .s = s, .btf = func->btf, .abi = abi, .regs = regs, .nr = nr };
	const struct btf_param *param = btf_params(func->proto);
	u32 i, params = btf_type_vlen(func->proto);

	trace_seq_putc(s, '(');
	for (i = 0; i < params; i++) {
		if (i)
			trace_seq_puts(s, ", ");
		/* The last one has no type if there may be more. */
		if (!param[i].type || !btf_arg_put(&left, &param[i])) {
			trace_seq_puts(s, "...");
			break;
		}
	}
	trace_seq_putc(s, ')');
}

/* Bytes that a type takes on the stack; 0: nobody knows. */
static unsigned int btf_arg_stack_size(const struct btf_regs *left, const struct btf_type *t)
{
	if (btf_type_is_ptr(t) || btf_arg_is_copied(left, t))
		return sizeof(long);
	if (btf_type_is_int(t) || btf_is_any_enum(t) || btf_type_is_struct(t))
		return round_up(t->size, sizeof(long));
	return 0;
}

/* Place the next argument; *stack is where it would be on the stack, and moves on. */
static bool btf_arg_lay(struct btf_regs *left, const struct btf_type *t, unsigned int *stack,
			struct trace_btf_place *place)
{
	bool is_pair = btf_arg_is_pair(left->btf, t);
	int regs = btf_arg_regs(left, t);

	if (left->abi->even_pairs && is_pair)
		left->next = round_up(left->next, 2);
	place->size = btf_arg_stack_size(left, t);
	place->on_stack = regs < 0 || left->next + regs > left->nr;
	if (!place->on_stack) {
		place->at = left->next;
		left->next += regs;
		return true;
	}
	if (left->abi->in_order)
		left->next = left->nr;
	place->at = is_pair ? round_up(*stack, PAIR) : *stack;
	*stack = place->at + place->size;
	return place->size;
}

/**
 * trace_btf_place - find where an argument is at the entry of a function
 * @func: the function
 * @abi: how types lie in registers
 * @nr: how many registers functions have arguments in
 * @n: the argument, from 0
 * @place: filled
 *
 * Context: any, NMI included, under RCU as trace_btf_find().
 * Return: false: BTF has no such argument, or nobody knows where it is.
 */
bool trace_btf_place(const struct trace_btf_func *func, const struct trace_btf_abi *abi,
		     unsigned int nr, unsigned int n, struct trace_btf_place *place)
{
	struct btf_regs left = { .btf = func->btf, .abi = abi, .nr = nr };
	const struct btf_param *param = btf_params(func->proto);
	unsigned int stack = 0;

	if (n >= btf_type_vlen(func->proto))
		return false;
	for (u32 i = 0; i <= n; i++) {
		if (!param[i].type ||
		    !btf_arg_lay(&left, btf_type_skip_modifiers(func->btf, param[i].type, NULL),
				 &stack, place))
			return false;
	}
	return true;
}

/**
 * trace_btf_param - find a parameter by its name
 * @func: the function
 * @name: need not end with a NUL
 * @len: letters of the name
 *
 * Context: any, NMI included, under RCU as trace_btf_find().
 * Return: its number, from 0; -ENOENT: the function has none of that name.
 */
int trace_btf_param(const struct trace_btf_func *func, const char *name, size_t len)
{
	const struct btf_param *param = btf_params(func->proto);
	const char *known;

	for (u32 i = 0; i < btf_type_vlen(func->proto); i++) {
		known = btf_name_by_offset(func->btf, param[i].name_off);
		if (len && known && strlen(known) == len && !memcmp(known, name, len))
			return i;
	}
	return -ENOENT;
}

static bool btf_arg_is_text(const struct btf *btf, const struct btf_type *t)
{
	if (!btf_type_is_ptr(t))
		return false;
	t = btf_type_skip_modifiers(btf, t->type, NULL);
	return t && btf_type_is_int(t) && btf_arg_is_char(btf, t);
}

/**
 * trace_btf_scalar - tell the type of an argument that is a number or an address
 * @func: the function
 * @n: the argument, from 0
 * @scalar: filled
 *
 * Context: any, NMI included, under RCU as trace_btf_find().
 * Return: false: BTF has no such argument, or it is neither.
 */
bool trace_btf_scalar(const struct trace_btf_func *func, unsigned int n,
		      struct trace_btf_scalar *scalar)
{
	const struct btf_param *param = btf_params(func->proto);
	const struct btf_type *t;

	if (n >= btf_type_vlen(func->proto) || !param[n].type)
		return false;
	t = btf_type_skip_modifiers(func->btf, param[n].type, NULL);
	*scalar = (struct trace_btf_scalar){ .size = sizeof(long) };
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		scalar->is_text = btf_arg_is_text(func->btf, t);
		return true;
	case BTF_KIND_INT:
		scalar->size = t->size;
		scalar->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		scalar->size = t->size;
		scalar->is_signed = btf_type_kflag(t);
		break;
	default:
		return false;
	}
	return scalar->size <= sizeof(long);
}
