// SPDX-License-Identifier: GPL-2.0
/*
 * The source files of sites. scripts/recordmcount writes the path of its source
 * into the table of each object file, between the pointers; other recorders do
 * not. As the sites of an object are neighbours, a set keeps which of its sites
 * begins a run of which path. The kernel's runs are part of its image where the
 * build made the records.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <asm/sections.h>

#include "sites/internal.h"
#include "sites/table.h"

/*
 * Words of a table that are no addresses; scripts/recordmcount-link.h has them
 * too. After the first comes the path of the source of the pointers that follow,
 * with zeros up to the next word, one at least. weak_mark precedes one pointer that
 * was made from a weak symbol. If a strong function replaced it, the pointer may lead
 * into another source file: if that file's own pointer to the same address exists,
 * its path is used.
 */
static const char source_mark[8] = ":src:", weak_mark[8] = ":weak:";

/*
 * A site and its path: the order of keys is that of addresses, and of several
 * for one address the first is right.
 */
#define KEY_PATH	GENMASK(30, 0)
#define KEY_WEAK	BIT(31)
#define KEY_SITE_SHIFT	32
#define KEY_SITE_SIGN	BIT(31)

static bool source_is_mark(unsigned long word, const char *mark)
{
	return !memcmp(&word, mark, sizeof(word));
}

/* How many words the path at @ips takes, 0: it does not end. */
static unsigned long source_path_words(const unsigned long *ips, unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++) {
		if (!((const char *)&ips[i])[sizeof(*ips) - 1])
			return i + 1;
	}
	return 0;
}

/* Prepare to read a table. Without memory, or without paths in it, no source is known. */
void table_sources_begin(struct table_sources *src, const unsigned long *ips,
			 unsigned long count)
{
	unsigned long words = 0, i;

	*src = (struct table_sources){};
	for (i = 0; i < count; i++) {
		if (source_is_mark(ips[i], source_mark))
			words += source_path_words(&ips[i + 1], count - i - 1);
	}
	if (!words)
		return;
	src->keys = kmalloc_array(count, sizeof(*src->keys), GFP_KERNEL | __GFP_NOWARN);
	src->pool = kmalloc_array(words, sizeof(*ips), GFP_KERNEL | __GFP_NOWARN);
	if (!src->keys || !src->pool)
		table_sources_end(src);
}

void table_sources_end(struct table_sources *src)
{
	kfree(src->keys);
	kfree(src->pool);
	src->keys = NULL;
	src->pool = NULL;
}

/* How many words at @ips, in front of @count, are not a pointer but about sources. */
unsigned long table_sources_read(struct table_sources *src, const unsigned long *ips,
				 unsigned long count)
{
	unsigned long words;

	if (source_is_mark(*ips, weak_mark)) {
		src->weak = true;
		return 1;
	}
	if (!source_is_mark(*ips, source_mark))
		return 0;
	words = source_path_words(ips + 1, count - 1);
	if (words) {
		strscpy(src->pool + src->pool_len, (const char *)(ips + 1), words * sizeof(*ips));
		src->path = 1 + src->pool_len;
		src->pool_len += strlen(src->pool + src->pool_len) + 1;
	}
	return 1 + words;
}

/* The next pointer leads to a site at @ip. */
void table_sources_add(struct table_sources *src, unsigned long ip)
{
	u32 site = (u32)(ip - (unsigned long)_stext) ^ KEY_SITE_SIGN;

	src->keys[src->count++] = (u64)site << KEY_SITE_SHIFT |
				  (src->weak ? KEY_WEAK : 0) | src->path;
	src->weak = false;
}

static s32 source_key_text(u64 key)
{
	return (u32)(key >> KEY_SITE_SHIFT) ^ KEY_SITE_SIGN;
}

static int source_cmp_keys(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* All pointers were added: put them in order, in @ips too. */
void table_sources_sort(struct table_sources *src, unsigned long *ips)
{
	unsigned long i;

	sort(src->keys, src->count, sizeof(*src->keys), source_cmp_keys, NULL);
	for (i = 0; i < src->count; i++)
		ips[i] = (unsigned long)_stext + source_key_text(src->keys[i]);
}

/* Fill @runs unless it is NULL; returns how many there are. */
static unsigned int source_make_runs(const struct table_sources *src, const struct site_set *set,
				     struct site_source *runs)
{
	unsigned long i, k = 0;
	unsigned int n = 0;
	u32 path = 0;

	for (i = 0; i < set->count; i++) {
		while (source_key_text(src->keys[k]) != set->sites[i].text)
			k++;
		if ((src->keys[k] & KEY_PATH) == path)
			continue;
		path = src->keys[k] & KEY_PATH;
		if (runs)
			runs[n] = (struct site_source){ .first = i, .path = path };
		n++;
	}
	return n;
}

/* Let a set made of the table know its sources; without memory it will not. */
void site_set_add_sources(struct site_set *set, const struct table_sources *src)
{
	struct site_source *runs;
	unsigned int n;
	char *pool;

	if (!src->keys)
		return;
	n = source_make_runs(src, set, NULL);
	if (!n)
		return;
	runs = kmalloc(n * sizeof(*runs) + src->pool_len, GFP_KERNEL | __GFP_NOWARN);
	if (!runs)
		return;
	source_make_runs(src, set, runs);
	pool = (char *)(runs + n);
	memcpy(pool, src->pool, src->pool_len);
	set->sources = runs;
	set->nr_sources = n;
	set->source_pool = pool;
}

/* The path of the source of a site, NULL: not known. */
const char *site_set_source(const struct site_set *set, unsigned long index)
{
	unsigned int low = 0, high = set->nr_sources;

	/* The last run that does not begin behind it. */
	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (set->sources[mid].first <= index)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || !set->sources[low - 1].path)
		return NULL;
	return set->source_pool + set->sources[low - 1].path - 1;
}
