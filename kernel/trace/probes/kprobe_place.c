// SPDX-License-Identifier: GPL-2.0
/*
 * Places of kprobes: "[MODULE:]SYMBOL[+OFFSET][%return]" or an address. A symbol has to stand for
 * one address only, or else nobody would know what is probed. The functions of a module that is
 * not there yet are looked up when it comes.
 */
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "probes/kprobe.h"
#include "sites/names.h"

static int kprobe_place_refuse(struct trace_probe_line *line, const char *at,
			       enum trace_probe_error error)
{
	return trace_probe_error(&line->log, at, error);
}

static int kprobe_place_count_one(void *data, unsigned long addr)
{
	++*(unsigned int *)data;
	return 0;
}

/* A search for a symbol of modules. */
struct place_search {
	const char	*name;
	unsigned int	nr;
};

static int kprobe_place_count_named(void *data, const char *name, unsigned long addr)
{
	struct place_search *search = data;

	if (!strcmp(name, search->name))
		search->nr++;
	return 0;
}

/* How many symbols have this name in @module, or, if it is NULL, in the kernel and all modules? */
static unsigned int kprobe_place_count(const char *module, const char *name)
{
	struct place_search search = { .name = name };

	if (!module)
		kallsyms_on_each_match_symbol(kprobe_place_count_one, name, &search.nr);
	module_kallsyms_on_each_symbol(module, kprobe_place_count_named, &search);
	return search.nr;
}

/* The name of a symbol's module, copied to @module; NULL: it names none. */
static const char *kprobe_place_module(const char *symbol, char module[MODULE_NAME_LEN])
{
	const char *colon = strchr(symbol, ':');

	if (!colon)
		return NULL;
	strscpy(module, symbol, min_t(size_t, MODULE_NAME_LEN, colon - symbol + 1));
	return module;
}

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Functions of a name. */
struct place_sites {
	unsigned long	ip;	/* of one of them */
	unsigned int	nr;
};

static int kprobe_place_count_site(struct dyn_ftrace *site, void *data)
{
	struct place_sites *sites = data;

	sites->ip = ftrace_site_ip(site);
	sites->nr++;
	return 0;
}

/*
 * How many functions that can be hooked have the name? *@ip is set to the site of one. It comes
 * from the index of sites, which walks no symbols.
 */
static unsigned int kprobe_place_count_sites(const char *symbol, bool is_plain, unsigned long *ip)
{
	struct place_sites sites = { };
	struct trace_glob of = { .type = TRACE_GLOB_EXACT }, name = { .type = TRACE_GLOB_EXACT };
	char module[MODULE_NAME_LEN];

	name.text = symbol;
	of.text = is_plain ? NULL : kprobe_place_module(symbol, module);
	if (of.text) {
		of.len = strlen(of.text);
		name.text = strchr(symbol, ':') + 1;
	}
	name.len = strlen(name.text);
	if (ftrace_names_prepare(&name))
		return 0;
	scoped_guard(ftrace_lock)
		ftrace_sites_match(&name, of.text ? &of : NULL, NULL, kprobe_place_count_site,
				   &sites);
	*ip = sites.ip;
	return sites.nr;
}

/**
 * trace_kprobe_place_expect - many probes are about to come
 * @line: the line of the first one
 * @lines: about how many
 *
 * Context: task, may sleep.
 */
void trace_kprobe_place_expect(const char *line, unsigned long lines)
{
	if (*line != 'p' && *line != 'r')
		return;
	/* A place in a file is none in the kernel. */
	if (*skip_spaces(line + strcspn(line, " \t\n")) != '/')
		ftrace_names_expect(lines);
}

/* The site at an address, or behind the landing pad that the function there begins with; or 0. */
static unsigned long kprobe_place_site_at(unsigned long addr)
{
	unsigned long ip = ftrace_location(addr);

	return ip - addr <= FTRACE_MCOUNT_MAX_OFFSET ? ip : 0;
}

/**
 * trace_kprobe_find_site - the site of the function whose entry is probed
 * @kprobe: the probe
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: the site; 0: there is none, or not one alone.
 */
unsigned long trace_kprobe_find_site(const struct trace_kprobe *kprobe)
{
	const struct kprobe *kp = &kprobe->rp.kp;
	unsigned long ip;

	trace_events_assert_locked();

	if (!kp->symbol_name)
		return kprobe_place_site_at((unsigned long)kp->addr);
	if (kp->offset)
		return 0;
	/* The kernel stays as it was when the line was read. */
	if (kprobe->found && core_kernel_text(kprobe->found))
		return kprobe->found;
	return kprobe_place_count_sites(kp->symbol_name, false, &ip) == 1 ? ip : 0;
}
#else
static unsigned int kprobe_place_count_sites(const char *symbol, bool is_plain, unsigned long *ip)
{
	return 0;
}

void trace_kprobe_place_expect(const char *line, unsigned long lines)
{
}
#endif

#ifdef CONFIG_MODULES
static bool kprobe_place_module_is_there(const char *name)
{
	bool is_there;

	rcu_read_lock_sched();
	is_there = find_module(name);
	rcu_read_unlock_sched();
	return is_there;
}
#else
static bool kprobe_place_module_is_there(const char *name)
{
	return false;
}
#endif

/**
 * trace_kprobe_awaits_module - is a symbol one of a module that is not there?
 * @symbol: the symbol; NULL: there is only an address
 *
 * Context: task.
 * Return: true if it names a module that is not there.
 */
bool trace_kprobe_awaits_module(const char *symbol)
{
	char name[MODULE_NAME_LEN];

	return symbol && kprobe_place_module(symbol, name) && !kprobe_place_module_is_there(name);
}

/**
 * trace_kprobe_check_symbol - does a symbol stand for one address?
 * @symbol: the symbol
 *
 * Context: task, may sleep.
 * Return: 0; -EADDRNOTAVAIL: it stands for more than one; -ENOENT: it is not known.
 */
int trace_kprobe_check_symbol(const char *symbol)
{
	char name[MODULE_NAME_LEN];
	const char *module = kprobe_place_module(symbol, name);
	unsigned int nr;

	nr = kprobe_place_count(module, module ? strchr(symbol, ':') + 1 : symbol);
	if (nr > 1)
		return -EADDRNOTAVAIL;
	return nr ? 0 : -ENOENT;
}

/* Cut the suffix off @text, which is the place. */
static int kprobe_place_suffix(struct trace_kprobe_place *place, struct trace_probe_line *line,
			       char *text)
{
	char *suffix = strchr(text, '%');

	if (!suffix)
		return 0;
	if (strcmp(suffix, "%return"))
		return kprobe_place_refuse(line, line->place + (suffix - text),
					   PROBE_BAD_ADDR_SUFFIX);
	*suffix = '\0';
	place->is_return = true;
	return 0;
}

/* Cut the offset off @text. False: it is no offset. */
static bool kprobe_place_offset(struct trace_kprobe_place *place, char *text)
{
	char *sign = strpbrk(text, "+-");
	unsigned long offset;

	place->offset = 0;
	if (!sign)
		return true;
	if (*sign == '-' || kstrtoul(sign + 1, 0, &offset) || offset > UINT_MAX)
		return false;
	place->offset = offset;
	*sign = '\0';
	return true;
}

/* Is it the first instruction of a function? An unknown symbol may come later. */
static int kprobe_place_check_entry(struct trace_kprobe_place *place, struct trace_probe_line *line)
{
	int ret;

	if (place->site)
		ret = 0;
	else if (place->symbol)
		ret = kprobe_on_func_entry(NULL, place->symbol, place->offset);
	else
		ret = kprobe_on_func_entry((kprobe_opcode_t *)place->addr, NULL, 0);
	place->at_entry = !ret;
	if (place->is_return && ret == -EINVAL)
		return kprobe_place_refuse(line, line->place, PROBE_BAD_RETPROBE);
	return 0;
}

static int kprobe_place_symbol(struct trace_kprobe_place *place, struct trace_probe_line *line,
			       char *text)
{
	unsigned int nr;
	int ret;

	nr = place->offset ? 0 : kprobe_place_count_sites(text, place->is_plain, &place->site);
	if (nr > 1)
		return kprobe_place_refuse(line, line->place, PROBE_NON_UNIQ_SYMBOL);
	if (nr || trace_kprobe_awaits_module(text))
		return 0;
	ret = trace_kprobe_check_symbol(text);
	if (ret)
		return kprobe_place_refuse(line, line->place, ret == -EADDRNOTAVAIL ?
				    PROBE_NON_UNIQ_SYMBOL : PROBE_BAD_PROBE_ADDR);
	return 0;
}

/* Is it a symbol, with nothing beside it? */
static bool kprobe_place_is_symbol(const char *text)
{
	if (isdigit(*text))
		return false;
	while (isalnum(*text) || *text == '_' || *text == '.')
		text++;
	return !*text;
}

/* Cut all that may stand beside a symbol off @text, or read the address that there is instead. */
static int kprobe_place_cut(struct trace_kprobe_place *place, struct trace_probe_line *line,
			    char *text)
{
	int ret;

	if (strchr(text, '/') && strchr(text, ':'))
		return -ECANCELED;
	ret = kprobe_place_suffix(place, line, text);
	if (ret)
		return ret;
	if (!kstrtoul(text, 0, &place->addr)) {
		kfree(text);
		place->symbol = NULL;
	} else if (!kprobe_place_offset(place, text) || !*text) {
		return kprobe_place_refuse(line, line->place, PROBE_BAD_PROBE_ADDR);
	}
	return 0;
}

/**
 * trace_kprobe_place_read - read the place of a line
 * @place: is filled in; @is_return is set before if the head of the line says so. The caller
 *	frees @symbol, whatever is returned
 * @line: the line
 *
 * Context: task, may sleep.
 * Return: 0; -ECANCELED: it is the place of a uprobe; -ENOMEM; or another errno, and the error
 * is logged.
 */
int trace_kprobe_place_read(struct trace_kprobe_place *place, struct trace_probe_line *line)
{
	char *text = kmemdup_nul(line->place, line->place_len, GFP_KERNEL);
	int ret = 0;

	place->symbol = text;
	if (!text)
		return -ENOMEM;
	place->is_plain = kprobe_place_is_symbol(text);
	if (!place->is_plain)
		ret = kprobe_place_cut(place, line, text);
	if (!ret && place->symbol)
		ret = kprobe_place_symbol(place, line, text);
	return ret ?: kprobe_place_check_entry(place, line);
}

#if defined(CONFIG_DYNAMIC_FTRACE) && !defined(CONFIG_KPROBE_EVENTS_ON_NOTRACE)
/*
 * May a function be traced? The record of a hit in one without a site could be made of a hit in
 * making it. An address outside of functions is left to kprobes.
 */
static bool kprobe_place_is_traced(unsigned long addr)
{
	unsigned long size, offset;

	return !kallsyms_lookup_size_offset(addr, &size, &offset) ||
	       ftrace_site_find_range(addr - offset, addr - offset + size - 1);
}

/* The function that the compiler has split a part off, as "NAME.cold"; 0: there is none. */
static unsigned long kprobe_place_whole(unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	char *dot = lookup_symbol_name(addr, name) ? NULL : strchr(name, '.');

	if (!dot)
		return 0;
	*dot = '\0';
	return kallsyms_lookup_name(name);
}

/**
 * trace_kprobe_is_forbidden - is a probe in a function that must not be traced?
 * @kprobe: the probe
 *
 * Context: task, may sleep.
 * Return: true if it is.
 */
bool trace_kprobe_is_forbidden(const struct trace_kprobe *kprobe)
{
	const struct kprobe *kp = &kprobe->rp.kp;
	unsigned long addr = (unsigned long)kp->addr, whole;

	if (kp->symbol_name) {
		addr = kallsyms_lookup_name(kp->symbol_name);
		if (addr)
			addr += kp->offset;
	}
	if (!addr || kprobe_place_is_traced(addr))
		return false;
	whole = kprobe_place_whole(addr);
	return !whole || !kprobe_place_is_traced(whole);
}
#else
bool trace_kprobe_is_forbidden(const struct trace_kprobe *kprobe)
{
	return false;
}
#endif
