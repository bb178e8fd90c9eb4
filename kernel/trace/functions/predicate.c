// SPDX-License-Identifier: GPL-2.0
/*
 * A predicate on the arguments of a function: a filter whose record is the registers that
 * functions have arguments in, in their order.
 *
 * BTF tells the names of a function's arguments, their types, and which register has which. The
 * first argument is also arg1, or $arg1, and so on. If BTF does not know the function, there are
 * these names alone: argN is the whole of register N, a number without a sign.
 *
 * An argument on the stack is not known here, nor one that is a structure or lies in two
 * registers.
 */
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "events/field.h"
#include "functions/predicate.h"
#include "lib/btf.h"

#define PREDICATE_REGS	ARCH_FTRACE_ARG_REGS

/* The record that a filter is asked about. */
struct predicate_record {
	unsigned long	regs[PREDICATE_REGS];
};

/**
 * struct predicate_names - the names of a function's arguments, for the filter's compiler
 * @fields:	finds them
 * @maker:	remembers them; NULL: has them already
 * @function:	the function's name
 * @module:	that of its module; empty: the kernel
 * @field:	of each register
 */
struct predicate_names {
	struct trace_filter_fields	fields;
	struct trace_predicate_maker	*maker;
	char				function[KSYM_NAME_LEN];
	char				module[MODULE_NAME_LEN];
	struct trace_event_field	field[PREDICATE_REGS];
};

static const struct trace_event_field *predicate_field(struct predicate_names *names,
						       unsigned int reg, unsigned int size,
						       bool is_signed, bool is_text)
{
	struct trace_event_field *field = &names->field[reg];

	*field = (struct trace_event_field){
		.name		= "",
		.type		= "",
		.filter_type	= is_text ? FILTER_PTR_STRING : FILTER_OTHER,
		.offset		= offsetof(struct predicate_record, regs) + reg * sizeof(long),
		.size		= size,
		.is_signed	= is_signed,
	};
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		field->offset += sizeof(long) - size;
	return field;
}

/* The number N, from 0, of "argN" or "$argN"; < 0: it is another name. */
static int predicate_number(const char *name, size_t len)
{
	unsigned int n = 0;

	if (*name == '$') {
		name++;
		len--;
	}
	if (len < 4 || len > 5 || memcmp(name, "arg", 3) || name[3] == '0')
		return -ENOENT;
	for (size_t i = 3; i < len; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -ENOENT;
		n = n * 10 + name[i] - '0';
	}
	return n - 1;
}

#ifdef CONFIG_TRACE_BTF

/*
 * Find an argument by BTF. False: BTF does not know the function. A pointer to char is a text by
 * its name, and a number as argN: it may be an address of user space, or none of a text.
 */
static bool predicate_find_typed(struct predicate_names *names, const char *name, size_t len,
				 const struct trace_event_field **found)
{
	bool named = true;
	struct trace_btf_scalar scalar;
	struct trace_btf_place place;
	struct trace_btf_func func;
	int n;

	guard(rcu)();
	if (!trace_btf_find(names->function, *names->module ? names->module : NULL, &func))
		return false;
	*found = NULL;
	n = trace_btf_param(&func, name, len);
	if (n < 0) {
		n = predicate_number(name, len);
		named = false;
	}
	if (n >= 0 && trace_btf_scalar(&func, n, &scalar) &&
	    trace_btf_place(&func, &trace_btf_abi, PREDICATE_REGS, n, &place) && !place.on_stack)
		*found = predicate_field(names, place.at, scalar.size, scalar.is_signed,
					 named && scalar.is_text);
	return true;
}

static int predicate_need_names(void)
{
	return trace_btf_need();
}

#else

static bool predicate_find_typed(struct predicate_names *names, const char *name, size_t len,
				 const struct trace_event_field **found)
{
	return false;
}

static int predicate_need_names(void)
{
	return 0;
}

#endif

/* Find an argument by its name, NULL: the function has none that can be compared. */
static const struct trace_event_field *predicate_find(struct predicate_names *names,
						      const char *name, size_t len)
{
	const struct trace_event_field *found;
	int n;

	if (predicate_find_typed(names, name, len, &found))
		return found;
	n = predicate_number(name, len);
	return n >= 0 && n < PREDICATE_REGS ?
	       predicate_field(names, n, sizeof(long), false, false) : NULL;
}

/* trace_filter_fields::find */
static const struct trace_event_field *predicate_ask(const struct trace_filter_fields *fields,
						     const char *name, size_t len)
{
	/* The compiler keeps its hands off, but the names are noted. */
	struct predicate_names *names = (void *)container_of(fields, struct predicate_names,
							     fields);
	struct trace_predicate_maker *maker = names->maker;

	if (maker->nr < ARRAY_SIZE(maker->names)) {
		maker->names[maker->nr].text = name;
		maker->names[maker->nr].len = len;
	}
	maker->nr++;
	return predicate_find(names, name, len);
}

static int predicate_names_init(struct predicate_names *names, struct trace_predicate_maker *maker,
				unsigned long ip)
{
	const char *name;
	char *module = NULL;

	names->fields.find = predicate_ask;
	names->fields.dollars = true;
	names->maker = maker;
	guard(rcu)();
	name = kallsyms_lookup(ip, NULL, NULL, &module, names->function);
	if (!name)
		return -ENOENT;
	strscpy(names->module, module ?: "");
	return 0;
}

/* Where an argument is, and its type, as one number that is not 0. */
static u32 predicate_layout(const struct trace_event_field *field)
{
	return BIT(31) | field->offset << 16 | field->size << 8 | field->is_signed << 1 |
	       (field->filter_type == FILTER_PTR_STRING);
}

/* Lay out the names of the text in a function. False: it has not all of them. */
static bool predicate_lay(struct predicate_names *names, u32 *layout)
{
	const struct trace_predicate_maker *maker = names->maker;
	const struct trace_event_field *field;

	for (unsigned int i = 0; i < maker->nr; i++) {
		field = predicate_find(names, maker->names[i].text, maker->names[i].len);
		if (!field)
			return false;
		layout[i] = predicate_layout(field);
	}
	return true;
}

static bool predicate_can_share(const struct trace_predicate_maker *maker)
{
	return maker->nr <= ARRAY_SIZE(maker->names);
}

/* A predicate that was made for a function with these names in these places, or NULL. */
static struct trace_predicate *predicate_shared(struct trace_predicate_maker *maker,
						const u32 *layout)
{
	struct trace_predicate *predicate;

	list_for_each_entry(predicate, &maker->made, made) {
		if (!memcmp(predicate->layout, layout, maker->nr * sizeof(*layout)))
			return predicate;
	}
	return NULL;
}

/* Compile the text. The predicate is in the maker's list. */
static struct trace_predicate *predicate_compile(struct predicate_names *names,
						 struct trace_filter_error *error)
{
	struct trace_predicate_maker *maker = names->maker;
	struct trace_predicate *predicate = kzalloc(sizeof(*predicate), GFP_KERNEL);
	struct event_filter *filter;

	if (!predicate)
		return ERR_PTR(-ENOMEM);
	maker->nr = 0;
	filter = trace_filter_compile_of(&names->fields, maker->text, error);
	if (IS_ERR(filter)) {
		kfree(predicate);
		return ERR_CAST(filter);
	}
	refcount_set(&predicate->refs, 1);
	predicate->filter = filter;
	if (predicate_can_share(maker))
		predicate_lay(names, predicate->layout);
	list_add(&predicate->made, &maker->made);
	return predicate;
}

static struct trace_predicate *predicate_for(struct predicate_names *names,
					     struct trace_filter_error *error)
{
	struct trace_predicate_maker *maker = names->maker;
	u32 layout[TRACE_PREDICATE_NAMES] = { };
	struct trace_predicate *predicate;

	/* Names are known once a function had all of them. */
	if (list_empty(&maker->made) || !predicate_can_share(maker))
		return predicate_compile(names, error);
	if (!predicate_lay(names, layout))
		return ERR_PTR(-EINVAL);
	predicate = predicate_shared(maker, layout);
	return predicate ?: predicate_compile(names, error);
}

/**
 * trace_predicate_maker_init - begin to make the predicates of a text
 * @maker:	is filled
 * @text:	the text, which stays until trace_predicate_maker_end()
 *
 * Context: task, may sleep; takes btf_owners_mutex.
 */
void trace_predicate_maker_init(struct trace_predicate_maker *maker, const char *text)
{
	*maker = (struct trace_predicate_maker){ .text = text };
	INIT_LIST_HEAD(&maker->made);
	/* Without memory for an index of BTF, there are no names but argN. */
	predicate_need_names();
}

/**
 * trace_predicate_maker_end - make no more predicates of a text
 * @maker:	has no list any more
 *
 * Context: task, may sleep.
 */
void trace_predicate_maker_end(struct trace_predicate_maker *maker)
{
	struct trace_predicate *predicate, *next;

	list_for_each_entry_safe(predicate, next, &maker->made, made) {
		list_del_init(&predicate->made);
		trace_predicate_put(predicate);
	}
}

/**
 * trace_predicate_make - make the predicate of a function
 * @maker:	has the text
 * @ip:		the function's site
 * @error:	what is wrong with the text, and where, if no function had a predicate before
 *
 * Context: task, may sleep.
 * Return: the predicate, with a reference; ERR_PTR: -ENOMEM, or as trace_filter_compile_of().
 */
struct trace_predicate *trace_predicate_make(struct trace_predicate_maker *maker,
					     unsigned long ip, struct trace_filter_error *error)
{
	struct predicate_names *names = kzalloc(sizeof(*names), GFP_KERNEL);
	struct trace_predicate *predicate;
	int ret;

	if (!names)
		return ERR_PTR(-ENOMEM);
	ret = predicate_names_init(names, maker, ip);
	predicate = ret ? ERR_PTR(ret) : predicate_for(names, error);
	if (!IS_ERR(predicate))
		refcount_inc(&predicate->refs);
	kfree(names);
	return predicate;
}

/**
 * trace_predicate_put - give a reference back
 * @predicate:	nobody asks it any more if that is the last one
 *
 * Context: task.
 */
void trace_predicate_put(struct trace_predicate *predicate)
{
	if (!refcount_dec_and_test(&predicate->refs))
		return;
	trace_filter_free(predicate->filter);
	kfree(predicate);
}

/**
 * trace_predicate_is_true - does a call have such arguments?
 * @predicate:	of the function that is called
 * @fregs:	what it is called with
 *
 * Context: any, NMI included, with preemption off. It may call traced functions, so the caller is
 * protected against recursion.
 */
bool trace_predicate_is_true(const struct trace_predicate *predicate, struct ftrace_regs *fregs)
{
	struct predicate_record record;

	for (unsigned int i = 0; i < PREDICATE_REGS; i++)
		record.regs[i] = ftrace_regs_get_argument(fregs, i);
	return filter_match_preds(predicate->filter, &record);
}
