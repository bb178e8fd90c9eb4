// SPDX-License-Identifier: GPL-2.0
/*
 * The index of the names of a set: how it is built, and how an exact name is found in it.
 *
 * The names stand one behind the other in the order of the sites, without anything in between.
 * A byte for each site tells how long its name is, and a word for each group of eight where the
 * names of the group begin. The hash of exact names is built later, as listings do without it.
 *
 * The symbols of the kernel are in the order of addresses, as the sites are. kallsyms has them
 * compressed: each byte stands for a token of one or more characters, of which the first one of
 * a symbol is its type. The walk runs along the sites and expands only the names of sites.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/module_symbol.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "sites/internal.h"

#include "../../kallsyms_internal.h"

/* A pool grows by this much. */
#define INDEX_STEP	SZ_64K

/* A name is about as long, or shorter. */
#define INDEX_USUAL	24

/* Tokens are copied eight bytes at a time. */
#define INDEX_CHUNK	8

/* A token may be as long as a symbol, and so may what stands before it in a symbol. */
#define INDEX_ROOM	(2 * KSYM_NAME_LEN + INDEX_CHUNK)

/* Characters that are appended to. */
struct index_pool {
	char	*text;
	size_t	used;
	size_t	size;
};

/**
 * struct index_tokens - the tokens of kallsyms
 * @head: the first chunk of each of them, and anything behind those that are shorter
 * @len: how long each of them is
 * @sure: so many of them make no longer symbol than there may be, whichever they are
 * @text: kallsyms_token_table, and room for the last chunk behind it
 */
struct index_tokens {
	u64	head[256];
	u8	len[256];
	u32	sure;
	char	text[];
};

/**
 * struct index_builder - the index of a set while it is built
 * @set: the set
 * @lens: as in struct site_names
 * @names: what will be struct site_names::pool
 * @strings: what will be struct site_names::strings
 * @aliases: as in struct site_names
 * @nr_aliases: how many there are
 * @max_aliases: how many there is memory for
 * @tokens: of kallsyms, for a set of the kernel
 * @next: the walk over the symbols has come to this site
 * @named: address of the symbol that gave the last name
 * @found: strings with the names of a module's symbols, which come in any order
 * @text: 1 + where @found has the name of each site of a module, 0: no name yet
 */
struct index_builder {
	struct site_set		*set;
	u8			*lens;
	struct index_pool	names;
	struct index_pool	strings;
	struct site_alias	*aliases;
	unsigned int		nr_aliases;
	unsigned int		max_aliases;
	struct index_tokens	*tokens;
	unsigned long		next;
	unsigned long		named;
	struct index_pool	found;
	u32			*text;
};

/* Memory that is rounded up to pages, and not to a power of two as kvmalloc() would. */
static void *index_alloc(size_t size)
{
	return size < PAGE_SIZE ? kmalloc(size, GFP_KERNEL) : vmalloc(size);
}

static noinline char *index_grow(struct index_pool *pool, size_t more)
{
	size_t size = pool->size + max_t(size_t, more, min_t(size_t, pool->size + SZ_1K,
							     INDEX_STEP));
	char *text = kvrealloc(pool->text, size, GFP_KERNEL);

	if (!text)
		return NULL;
	pool->text = text;
	pool->size = size;
	return text + pool->used;
}

/* Make room for @more bytes. Return where they go, NULL: no memory. */
static __always_inline char *index_room(struct index_pool *pool, size_t more)
{
	if (likely(pool->used + more <= pool->size))
		return pool->text + pool->used;
	return index_grow(pool, more);
}

/* Add a string to a pool. Return where it is, negative: no memory. */
static long index_add_string(struct index_pool *pool, const char *name, size_t len)
{
	char *at = index_room(pool, len + 1);
	long where = pool->used;

	if (!at)
		return -ENOMEM;
	memcpy(at, name, len);
	at[len] = 0;
	pool->used += len + 1;
	return where;
}

/* Add a name of a site. @own: it is the site's own name, which the pool has a part of. */
static int index_add_alias(struct index_builder *b, unsigned long site, const char *name,
			   size_t len, bool own)
{
	long text;

	if (b->nr_aliases == b->max_aliases) {
		unsigned int max = 2 * b->max_aliases + 8;
		struct site_alias *aliases = krealloc_array(b->aliases, max, sizeof(*aliases),
							    GFP_KERNEL);

		if (!aliases)
			return -ENOMEM;
		b->aliases = aliases;
		b->max_aliases = max;
	}
	text = index_add_string(&b->strings, name, len);
	if (text < 0)
		return text;
	b->aliases[b->nr_aliases++] = (struct site_alias){ .site = site, .own = own, .text = text };
	return 0;
}

/*
 * The name of the next site of those that have one stands at the end of the pool. The pool keeps
 * of a name what the byte for its length can tell. A longer name is an alias as well.
 */
static int index_end_name(struct index_builder *b, unsigned long site, const char *name,
			  size_t len)
{
	b->lens[site] = min_t(size_t, len, SITE_NAME_LONG);
	b->names.used += b->lens[site];
	return likely(len < SITE_NAME_LONG) ? 0 : index_add_alias(b, site, name, len, true);
}

/* A symbol that is nearer to the site has another name for it: this one becomes an alias. */
static int index_replace_name(struct index_builder *b, unsigned long site)
{
	size_t len = b->lens[site];
	unsigned int i = b->nr_aliases;

	b->names.used -= len;
	b->lens[site] = 0;
	if (len == SITE_NAME_LONG) {
		while (i--) {
			if (b->aliases[i].site == site && b->aliases[i].own)
				break;
		}
		b->aliases[i].own = false;
		return 0;
	}
	if (SITES_BEHIND_PROLOGUES)
		return 0;
	return index_add_alias(b, site, b->names.text + b->names.used, len, false);
}

static struct index_tokens *index_get_tokens(void)
{
	const u16 *at = kallsyms_token_index;
	size_t last = strlen(kallsyms_token_table + at[255]), i;
	size_t size = at[255] + last + 1;
	struct index_tokens *tokens;
	u8 longest = 1;

	tokens = kmalloc(struct_size(tokens, text, size + INDEX_CHUNK), GFP_KERNEL);
	if (!tokens)
		return NULL;
	memcpy(tokens->text, kallsyms_token_table, size);
	for (i = 0; i < 256; i++) {
		tokens->head[i] = get_unaligned((const u64 *)(tokens->text + at[i]));
		tokens->len[i] = i < 255 ? at[i + 1] - at[i] - 1 : last;
		longest = max(longest, tokens->len[i]);
	}
	tokens->sure = KSYM_NAME_LEN / longest;
	return tokens;
}

/* Copy @len bytes, and up to a chunk of anything behind them. */
static __always_inline void index_copy(char *to, const char *from, size_t len)
{
	for (;;) {
		put_unaligned(get_unaligned((const u64 *)from), (u64 *)to);
		if (likely(len <= INDEX_CHUNK))
			return;
		to += INDEX_CHUNK;
		from += INDEX_CHUNK;
		len -= INDEX_CHUNK;
	}
}

/* Append a token. Return where the next one goes. */
static __always_inline char *index_append(const struct index_tokens *tokens, u8 token, char *at)
{
	unsigned int size = tokens->len[token];

	put_unaligned(tokens->head[token], (u64 *)at);
	if (unlikely(size > INDEX_CHUNK))
		index_copy(at, tokens->text + kallsyms_token_index[token], size);
	return at + size;
}

/*
 * Expand the symbol of @len bytes at @sym to @to, where there are INDEX_ROOM bytes, without its
 * type. Return the length of the name, which kallsyms cuts as well.
 */
static size_t index_expand(const struct index_tokens *tokens, const u8 *sym, unsigned int len,
			   char *to)
{
	const char *end = to + KSYM_NAME_LEN;
	const u8 *last = sym + len;
	char *at = to;

	/* The type goes where the first character of the name will be. */
	if (sym < last) {
		index_copy(at, tokens->text + kallsyms_token_index[*sym] + 1,
			   tokens->len[*sym]);
		at += tokens->len[*sym] - 1;
		sym++;
	}
	if (likely(len <= tokens->sure)) {
		while (sym < last)
			at = index_append(tokens, *sym++, at);
		return at - to;
	}
	while (sym < last && at < end)
		at = index_append(tokens, *sym++, at);
	return min_t(size_t, at - to, KSYM_NAME_LEN - 1);
}

/* The next symbol of the kernel, compressed. Return 1 behind the last site. */
static int index_kernel_symbol(struct index_builder *b, unsigned long addr, const u8 *sym,
			       unsigned int len)
{
	const struct site_set *set = b->set;
	unsigned long i = b->next;
	bool alias;
	char *to;
	int ret;

	while (i < set->count && ftrace_site_ip(&set->sites[i]) < addr)
		i++;
	b->next = i;
	if (i == set->count)
		return 1;
	if (ftrace_site_ip(&set->sites[i]) > addr + FTRACE_MCOUNT_MAX_OFFSET)
		return 0;
	/* The nearest symbol counts, and the first of its aliases. */
	alias = b->lens[i] && b->named == addr;
	if (!alias && b->lens[i]) {
		ret = index_replace_name(b, i);
		if (ret)
			return ret;
	}
	to = index_room(&b->names, INDEX_ROOM);
	if (!to)
		return -ENOMEM;
	len = index_expand(b->tokens, sym, len, to);
	if (alias)
		return index_add_alias(b, i, to, len, false);
	b->named = addr;
	return index_end_name(b, i, to, len);
}

/* Walk over the symbols of the kernel, which come in order of addresses. */
static int index_kernel(struct index_builder *b)
{
	const unsigned long first = b->set->first - FTRACE_MCOUNT_MAX_OFFSET;
	const u8 *sym = kallsyms_names;
	unsigned int i, len;
	int ret = 0;

	b->tokens = index_get_tokens();
	if (!b->tokens)
		return -ENOMEM;
	/* A pool that grows is copied. Without memory for all at once, it grows. */
	index_room(&b->names, b->set->count * INDEX_USUAL + INDEX_ROOM);
	for (i = 0; !ret && i < kallsyms_num_syms; i++, sym += len) {
		unsigned long addr = kallsyms_sym_address(i);

		len = *sym++;
		if (unlikely(len & 0x80))
			len = (len & 0x7f) | *sym++ << 7;
		if (addr >= first)
			ret = index_kernel_symbol(b, addr, sym, len);
		if (!(i % 256))
			cond_resched();
	}
	kfree(b->tokens);
	return min(ret, 0);
}

/* All symbols of a module that name a site are kept: the first as its name, others as aliases. */
static int index_module_symbol(void *data, const char *name, unsigned long addr)
{
	struct index_builder *b = data;
	struct dyn_ftrace *site;
	unsigned long i;
	long text;

	site = site_set_find_range(b->set, addr, addr + FTRACE_MCOUNT_MAX_OFFSET);
	if (!site || !*name || is_mapping_symbol(name) || !site_is_of_symbol(site, addr))
		return 0;
	i = site - b->set->sites;
	if (b->text[i])
		return index_add_alias(b, i, name, strlen(name), false);
	text = index_add_string(&b->found, name, strlen(name));
	b->text[i] = text + 1;
	return text < 0 ? text : 0;
}

static int index_module(struct index_builder *b)
{
	unsigned long i;
	int ret;

	b->text = kvcalloc(b->set->count, sizeof(*b->text), GFP_KERNEL);
	if (!b->text)
		return -ENOMEM;
	ret = module_kallsyms_on_each_symbol(site_set_module(b->set), index_module_symbol, b);
	for (i = 0; !ret && i < b->set->count; i++) {
		const char *name = b->found.text + b->text[i] - 1;
		size_t len = b->text[i] ? strlen(name) : 0;
		char *to = index_room(&b->names, len);

		if (!to)
			ret = -ENOMEM;
		else if (len)
			ret = index_end_name(b, i, memcpy(to, name, len), len);
	}
	kvfree(b->text);
	kvfree(b->found.text);
	return ret;
}

/* Put all that @b has into one piece of memory. */
static int index_pack(const struct index_builder *b, struct site_names *names)
{
	unsigned long count = b->set->count, groups = DIV_ROUND_UP(count, SITE_NAME_GROUP), i;
	size_t lens = groups * SITE_NAME_GROUP, starts = groups * sizeof(*names->starts);
	u32 at = 0;

	names->lens = index_alloc(lens + starts + b->names.used + b->strings.used);
	if (!names->lens)
		return -ENOMEM;
	names->starts = (void *)names->lens + lens;
	names->pool = (void *)names->starts + starts;
	names->strings = names->pool + b->names.used;
	memcpy(names->lens, b->lens, count);
	memset(names->lens + count, 0, lens - count);
	memcpy(names->pool, b->names.text, b->names.used);
	memcpy(names->strings, b->strings.text, b->strings.used);
	for (i = 0; i < groups; i++) {
		names->starts[i] = at;
		at += site_names_sum(get_unaligned_le64(names->lens + i * SITE_NAME_GROUP));
	}
	return 0;
}

/**
 * site_names_collect - make the index of a set, without the hash
 * @set: the set
 * @names: is filled
 *
 * Context: task. For a set of a module under ftrace_lock(), else not.
 * Return: 0 or -ENOMEM.
 */
int site_names_collect(struct site_set *set, struct site_names *names)
{
	struct index_builder b = { .set = set };
	int ret = -ENOMEM;

	*names = (struct site_names){};
	b.lens = kvzalloc(set->count, GFP_KERNEL);
	if (b.lens)
		ret = set->mod ? index_module(&b) : index_kernel(&b);
	if (!ret)
		ret = index_pack(&b, names);
	if (ret) {
		kfree(b.aliases);
	} else {
		names->aliases = b.aliases;
		names->nr_aliases = b.nr_aliases;
	}
	kvfree(b.lens);
	kvfree(b.names.text);
	kvfree(b.strings.text);
	return ret;
}

void site_names_free(struct site_names *names)
{
	kvfree(names->lens);
	kvfree(names->hash.ids);
	kfree(names->aliases);
	*names = (struct site_names){};
}

static const char *index_alias(const struct site_names *names, unsigned long alias, size_t *len)
{
	const char *name = names->strings + names->aliases[alias].text;

	*len = strlen(name);
	return name;
}

/* The whole of a name that is too long for the pool. */
const char *site_names_long(const struct site_names *names, unsigned long index, size_t *len)
{
	unsigned int i;

	for (i = 0; i < names->nr_aliases; i++) {
		if (names->aliases[i].site == index && names->aliases[i].own)
			return index_alias(names, i, len);
	}
	*len = 0;
	return NULL;
}

/* As index_alias(), for the hash, which finds the own name of a site by the site. */
static const char *index_other_name(const struct site_names *names, unsigned long alias,
				    size_t *len)
{
	const char *name = index_alias(names, alias, len);

	if (names->aliases[alias].own)
		*len = 0;
	return name;
}

/*
 * Add all characters of a name to a hash, eight at a time. The last eight overlap those before, so
 * that nothing behind the name is read.
 */
static __always_inline u64 index_hash(const char *name, size_t len)
{
	u64 hash = len;
	size_t i;

	if (len < sizeof(u64)) {
		for (i = 0; i < len; i++)
			hash = hash * 31 + (u8)name[i];
		return hash;
	}
	for (i = 0; i < len - sizeof(u64); i += sizeof(u64)) {
		hash ^= get_unaligned((const u64 *)(name + i));
		hash = ror64(hash * GOLDEN_RATIO_64, 32);
	}
	return hash ^ get_unaligned((const u64 *)(name + len - sizeof(u64)));
}

static __always_inline u32 index_bucket(const struct site_hash *hash, const char *name,
					size_t len)
{
	u64 bits = index_hash(name, len) * GOLDEN_RATIO_64;

	/* There may be no bit at all, so this is not hash_64(). */
	return bits >> 32 & (BIT(hash->bits) - 1);
}

static __always_inline u32 index_get(const struct site_hash *hash, unsigned long at)
{
	return hash->wide ? ((u32 *)hash->ids)[at] : ((u16 *)hash->ids)[at];
}

static __always_inline void index_set(struct site_hash *hash, unsigned long at, u32 value)
{
	if (hash->wide)
		((u32 *)hash->ids)[at] = value;
	else
		((u16 *)hash->ids)[at] = value;
}

/* Put an id in front of the others of its bucket. */
static __always_inline void index_chain(struct site_hash *hash, const char *name, size_t len,
					unsigned long id)
{
	u32 bucket = index_bucket(hash, name, len);

	index_set(hash, BIT(hash->bits) + id, index_get(hash, bucket));
	index_set(hash, bucket, id + 1);
}

/*
 * Fill the hash, whose buckets are empty, from the last name on, so that the ids of a bucket go
 * up. The pool ends where the strings begin. @wide is that of the hash.
 */
static __always_inline void index_fill(const struct site_names *names, unsigned long count,
				       const bool wide)
{
	struct site_hash hash = { .ids = names->hash.ids, .bits = names->hash.bits, .wide = wide };
	const char *name = names->strings, *text;
	unsigned long i;
	size_t len;

	for (i = names->nr_aliases; i--;) {
		text = index_other_name(names, i, &len);
		if (len)
			index_chain(&hash, text, len, count + i);
	}
	for (i = count; i--;) {
		len = names->lens[i];
		name -= len;
		text = likely(len != SITE_NAME_LONG) ? name : site_names_long(names, i, &len);
		if (len)
			index_chain(&hash, text, len, i);
	}
}

/**
 * site_names_add_hash - make exact names quick to find
 * @names: of a set
 * @count: number of its sites
 * @narrow: with this many names and aliases at most, an id has 16 bits
 *
 * Context: task. Nobody uses the hash yet.
 * Return: 0 or -ENOMEM.
 */
int site_names_add_hash(struct site_names *names, unsigned long count, unsigned long narrow)
{
	unsigned long all = count + names->nr_aliases;
	struct site_hash *hash = &names->hash;
	size_t size;

	/* Two or three names in a bucket. */
	hash->bits = max(ilog2(all), 1) - 1;
	hash->wide = all > narrow;
	size = hash->wide ? sizeof(u32) : sizeof(u16);
	hash->ids = index_alloc((BIT(hash->bits) + all) * size);
	if (!hash->ids)
		return -ENOMEM;
	memset(hash->ids, 0, BIT(hash->bits) * size);
	if (hash->wide)
		index_fill(names, count, true);
	else
		index_fill(names, count, false);
	return 0;
}

/**
 * site_names_search - begin to look for the sites that have an exact name
 * @names: of a set, with a hash
 * @name: a string, which has to live as long as @search is used
 * @len: its length
 * @search: is filled in for site_names_found()
 */
void site_names_search(const struct site_names *names, const char *name, size_t len,
		       struct site_search *search)
{
	const struct site_hash *hash = &names->hash;

	search->name = name;
	search->len = len;
	search->next = index_get(hash, index_bucket(hash, name, len));
}

/**
 * site_names_found - the next site that has the name
 * @names: as for site_names_search()
 * @count: number of the set's sites
 * @search: is moved on
 *
 * Return: the number of the site, or -1.
 */
long site_names_found(const struct site_names *names, unsigned long count,
		      struct site_search *search)
{
	const size_t len = search->len, in_pool = min_t(size_t, len, SITE_NAME_LONG);
	size_t found_len;

	while (search->next) {
		unsigned long id = search->next - 1;
		const char *found;

		search->next = index_get(&names->hash, BIT(names->hash.bits) + id);
		if (id >= count)
			found = index_alias(names, id - count, &found_len);
		else if (names->lens[id] == in_pool)
			found = site_names_get(names, id, &found_len);
		else
			continue;
		if (found_len == len && !memcmp(found, search->name, len))
			return id < count ? id : names->aliases[id - count].site;
	}
	return -1;
}
