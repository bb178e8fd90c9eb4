/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sites/ inside: the index of the names of a set. index.c tells how it is made.
 */
#ifndef _TRACE_SITES_INDEX_H
#define _TRACE_SITES_INDEX_H

#include <linux/types.h>
#include <linux/unaligned.h>

struct site_set;

/* A name of a site; site_names::strings has it at @text. @own: site_names::pool has its begin. */
struct site_alias {
	u32	text;
	u32	site : 31;
	u32	own : 1;
};

/**
 * struct site_hash - where exact names are
 * @ids: 1 + the first id of each bucket, or 0; then, for each id, 1 + the next one of its bucket,
 *	or 0. An id is the number of a site or, above these, that of an alias
 * @bits: of the number of a bucket
 * @wide: @ids has words of 32 bits, not 16
 */
struct site_hash {
	void	*ids;
	u8	bits;
	bool	wide;
};

/* A search for an exact name; @next: 1 + the next id that it looks at, 0: there is none. */
struct site_search {
	const char	*name;
	size_t		len;
	unsigned long	next;
};

/* So many names at most have ids of 16 bits, which have 1 added. */
#define SITE_HASH_NARROW	U16_MAX

/* The length in site_names::lens of a name that is as long or longer, which is an alias, too. */
#define SITE_NAME_LONG		255

/* So many sites share a word of site_names::starts. */
#define SITE_NAME_GROUP		8

/**
 * struct site_names - the names of a set
 * @lens: how long the name of each site is in @pool, 0: it has none
 * @starts: where the names of each group of sites begin in @pool
 * @pool: the names, of long ones the begin
 * @strings: the aliases
 * @aliases: the other names of sites. A site's own name comes first in the symbol table, so that
 *	kallsyms shows it
 * @nr_aliases: how many there are
 * @hash: of all names and aliases; made when it is needed
 *
 * The first four are one piece of memory.
 */
struct site_names {
	u8			*lens;
	u32			*starts;
	char			*pool;
	char			*strings;
	struct site_alias	*aliases;
	unsigned int		nr_aliases;
	struct site_hash	hash;
};

int site_names_collect(struct site_set *set, struct site_names *names);
int site_names_add_hash(struct site_names *names, unsigned long count, unsigned long narrow);
void site_names_free(struct site_names *names);
void site_names_search(const struct site_names *names, const char *name, size_t len,
		       struct site_search *search);
long site_names_found(const struct site_names *names, unsigned long count,
		      struct site_search *search);
const char *site_names_long(const struct site_names *names, unsigned long index, size_t *len);

/* Add up lengths, each a byte of @lens. */
static inline unsigned int site_names_sum(u64 lens)
{
	const u64 odd = 0x00ff00ff00ff00ffULL;

	return ((lens & odd) + (lens >> 8 & odd)) * 0x0001000100010001ULL >> 48;
}

/* The own name of a site, NULL: it has none. There is no NUL behind it. */
static inline const char *site_names_get(const struct site_names *names, unsigned long index,
					 size_t *len)
{
	unsigned long group = index / SITE_NAME_GROUP;
	u64 before = get_unaligned_le64(names->lens + group * SITE_NAME_GROUP);

	before &= BIT_ULL(index % SITE_NAME_GROUP * 8) - 1;
	*len = names->lens[index];
	if (unlikely(*len - 1 >= SITE_NAME_LONG - 1))
		return *len ? site_names_long(names, index, len) : NULL;
	return names->pool + names->starts[group] + site_names_sum(before);
}

/*
 * As site_names_get(), for one site after the other: *@next begins as @pool and is moved on.
 * Where there is no name, @len is set to 0.
 */
static inline const char *site_names_next(const struct site_names *names, unsigned long index,
					  const char **next, size_t *len)
{
	const char *name = *next;

	*len = names->lens[index];
	*next += *len;
	return likely(*len != SITE_NAME_LONG) ? name : site_names_long(names, index, len);
}

#endif /* _TRACE_SITES_INDEX_H */
