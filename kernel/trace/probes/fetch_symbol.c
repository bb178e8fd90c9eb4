// SPDX-License-Identifier: GPL-2.0
/*
 * The symbols that arguments name, "@SYM". Their addresses are in the steps of programs. A module
 * that comes brings addresses, and they go with it, while hits run: a step has 0 then, and what
 * it leads to is not there. An address of a module that has just gone may be read once more; that
 * does not fault.
 */
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "probes/fetch_program.h"

/**
 * struct fetch_symbol - a symbol in a program
 * @insn: the step that has its address
 * @name: the symbol
 * @offset: from there
 */
struct fetch_symbol {
	struct fetch_insn	*insn;
	char			*name;
	long			offset;
};

/**
 * struct fetch_symbols - the symbols of a probe's arguments
 * @list: of all of them, under fetch_symbol_mutex
 * @nr: how many there are
 * @max: how many there is room for
 * @symbol: does not change once @list has it, but for the values in the steps, which change under
 *	fetch_symbol_mutex
 */
struct fetch_symbols {
	struct list_head	list;
	unsigned int		nr, max;
	struct fetch_symbol	symbol[] __counted_by(max);
};

/* The symbols of arguments in use. The holder of the mutex takes no other lock of tracing. */
static LIST_HEAD(fetch_symbol_list);
static DEFINE_MUTEX(fetch_symbol_mutex);

static void fetch_symbol_resolve(const struct fetch_symbol *symbol)
{
	unsigned long addr = kallsyms_lookup_name(symbol->name);

	/* Pairs with the load of fetch_store_value(). */
	WRITE_ONCE(symbol->insn->n, addr ? addr + symbol->offset : 0);
}

/* Make room for the symbols of a probe. NULL: no memory. */
struct fetch_symbols *fetch_symbols_alloc(unsigned int nr)
{
	struct fetch_symbols *symbols = kzalloc(struct_size(symbols, symbol, nr), GFP_KERNEL);

	if (symbols) {
		INIT_LIST_HEAD(&symbols->list);
		symbols->max = nr;
	}
	return symbols;
}

/* @insn wants the address @offset bytes behind the symbol of @len letters. 0 or -ENOMEM. */
int fetch_symbols_add(struct fetch_symbols *symbols, struct fetch_insn *insn, const char *name,
		      size_t len, long offset)
{
	struct fetch_symbol *symbol = &symbols->symbol[symbols->nr];

	symbol->name = kmemdup_nul(name, len, GFP_KERNEL);
	if (!symbol->name)
		return -ENOMEM;
	symbol->insn = insn;
	symbol->offset = offset;
	symbols->nr++;
	return 0;
}

/* Find the symbols, from now on whenever a module comes or goes. */
void fetch_symbols_start(struct fetch_symbols *symbols)
{
	guard(mutex)(&fetch_symbol_mutex);
	list_add(&symbols->list, &fetch_symbol_list);
	for (unsigned int i = 0; i < symbols->nr; i++)
		fetch_symbol_resolve(&symbols->symbol[i]);
}

/* @symbols may be NULL, and need not have started. */
void fetch_symbols_free(struct fetch_symbols *symbols)
{
	if (!symbols)
		return;
	scoped_guard(mutex, &fetch_symbol_mutex)
		list_del(&symbols->list);
	for (unsigned int i = 0; i < symbols->nr; i++)
		kfree(symbols->symbol[i].name);
	kfree(symbols);
}

/**
 * trace_fetch_missing_symbol - find a symbol that is not there
 * @fetch: the arguments of a probe
 *
 * Context: task, may sleep; takes fetch_symbol_mutex.
 * Return: the first symbol that neither the kernel nor a module has now; NULL: there are all.
 */
const char *trace_fetch_missing_symbol(const struct trace_fetch *fetch)
{
	const struct fetch_symbols *symbols = fetch->symbols;

	guard(mutex)(&fetch_symbol_mutex);
	for (unsigned int i = 0; symbols && i < symbols->nr; i++) {
		if (!symbols->symbol[i].insn->n)
			return symbols->symbol[i].name;
	}
	return NULL;
}

#ifdef CONFIG_MODULES

static void fetch_symbol_module_comes(void)
{
	struct fetch_symbols *symbols;

	list_for_each_entry(symbols, &fetch_symbol_list, list) {
		for (unsigned int i = 0; i < symbols->nr; i++) {
			if (!symbols->symbol[i].insn->n)
				fetch_symbol_resolve(&symbols->symbol[i]);
		}
	}
}

static void fetch_symbol_module_goes(const struct module *module)
{
	struct fetch_symbols *symbols;

	list_for_each_entry(symbols, &fetch_symbol_list, list) {
		for (unsigned int i = 0; i < symbols->nr; i++) {
			const struct fetch_symbol *symbol = &symbols->symbol[i];

			/* The address with its offset may be outside. */
			if (within_module(symbol->insn->n - symbol->offset, module))
				WRITE_ONCE(symbol->insn->n, 0);
		}
	}
}

static int fetch_symbol_module_event(struct notifier_block *nb, unsigned long action, void *data)
{
	guard(mutex)(&fetch_symbol_mutex);
	if (action == MODULE_STATE_COMING)
		fetch_symbol_module_comes();
	else if (action == MODULE_STATE_GOING)
		fetch_symbol_module_goes(data);
	return NOTIFY_DONE;
}

/* A probe that is armed when its module comes finds the symbols of that module. */
static struct notifier_block fetch_symbol_module_nb = {
	.notifier_call	= fetch_symbol_module_event,
	.priority	= INT_MAX,
};

/**
 * trace_fetch_init - follow the symbols of modules
 *
 * Context: once, task, before there are modules.
 * Return: 0, or the errno of register_module_notifier().
 */
int __init trace_fetch_init(void)
{
	return register_module_notifier(&fetch_symbol_module_nb);
}

#else

int __init trace_fetch_init(void)
{
	return 0;
}

#endif
