/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's records of call sites, made when it is linked: the last step of
 * recordmcount, which changes nothing but the kernel's text and tables.
 *
 * The table that the objects brought (__mcount_loc) becomes records in the room
 * that they brought too, in order, without duplicates and without the pointers
 * that lead to no call; the NOPs that marked the calls become those that the
 * kernel writes itself. Nothing of that is left to boot.
 *
 * Behind the records is which of them are of which source: the index of the
 * first of each run, and 1 + where the pool, which comes next, has its path.
 */
#ifndef _SCRIPTS_RECORDMCOUNT_LINK_H
#define _SCRIPTS_RECORDMCOUNT_LINK_H

#include "recordmcount-file.h"

/* The mark that recordmcount leaves at a call: no compiler and no patching writes it. */
#define X86_64_MARK { 0x0f, 0x1f, 0x44, 0x00, 0x8f }

/*
 * Words of the table that are no pointers; kernel/trace/sites/sources.c has them
 * too. After the first comes the path of the source of the pointers that follow,
 * with zeros up to the next word, one at least. weak_mark precedes one pointer that
 * was made from a weak symbol. If a strong function replaced it, the pointer may lead
 * into another source file: if that file's own pointer to the same address exists,
 * its path is used.
 */
static const char source_mark[8] = ":src:", weak_mark[8] = ":weak:";

/* struct dyn_ftrace of kernel/trace/sites/sites.h, struct site_source of its internal.h */
#define RECORD_SIZE	8
#define RECORD_INIT	0x400000

/* The members of struct built_sites. */
enum link_built {
	COUNT, INIT_COUNT, SUM, RUNS, INIT_RUNS,
	NR_BUILT
};

enum link_sym {
	STEXT, LOC, LOC_END, SITES, SITES_END, INIT, INIT_END, INIT_TEXT, INIT_TEXT_END, BUILT,
	HOOK, NR_LINK_SYMS
};

static const char * const link_syms[NR_LINK_SYMS] = {
	"_stext", "__start_mcount_loc", "__stop_mcount_loc", "__start_ftrace_sites",
	"__stop_ftrace_sites", "__start_ftrace_init_sites", "__stop_ftrace_init_sites",
	"_sinittext", "_einittext", "ftrace_built_sites",
	"__fentry__",
};

/* The bytes of the file that are [@addr, @addr + @size) of the kernel, or NULL. */
static u8 *link_bytes(const struct elf_obj *o, u64 addr, u64 size)
{
	static u32 last;
	u32 i;

	for (i = 0; i <= o->shnum; i++) {
		const struct elf_sec *s = &o->sec[i ? i - 1 : last];

		if (s->type == SHT_PROGBITS && s->flags & SHF_ALLOC && addr >= s->addr &&
		    elf_within(addr - s->addr, size, s->size)) {
			last = s - o->sec;
			return o->buf + s->off + (addr - s->addr);
		}
	}
	return NULL;
}

static int link_find_syms(const struct elf_obj *o, u64 *value)
{
	const struct elf_syms syms = elf_syms(o);
	bool found[NR_LINK_SYMS] = { false };
	u32 i, k;

	for (i = 1; i < o->nsyms; i++) {
		struct elf_sym sym = elf_sym(&syms, i);

		if (!sym.name)
			return elf_fail(o, "the name of symbol %u is damaged", i);
		if (sym.name[0] != '_' && sym.name[0] != 'f')
			continue;
		for (k = 0; k < NR_LINK_SYMS; k++) {
			if (strcmp(sym.name, link_syms[k]))
				continue;
			value[k] = sym.value;
			found[k] = true;
		}
	}
	for (k = 0; k < NR_LINK_SYMS; k++) {
		if (!found[k])
			return elf_fail(o, "no symbol %s", link_syms[k]);
	}
	return 0;
}

struct link_site {
	u64 addr;
	u32 path;		/* 1 + where the pool has it, 0: not known */
	bool weak;
};

/* The content of the table. */
struct link_table {
	struct link_site *site;
	size_t n;
	char *pool;
	size_t pool_len;
};

/*
 * If several pointers lead to one call, one is kept: a pointer from a strong symbol before
 * one from a weak symbol, and among equals the one whose source comes first in the table.
 */
static int link_cmp(const void *a, const void *b)
{
	const struct link_site *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->weak != y->weak)
		return x->weak ? 1 : -1;
	return x->path < y->path ? -1 : x->path > y->path;
}

/* Read the table of @n words at @p; the caller frees it. */
static int link_read(const struct elf_obj *o, const u8 *p, size_t n, struct link_table *t)
{
	const u8 *end = p + n * sizeof(u64);
	u32 path = 0, old;
	bool weak = false;

	t->site = elf_alloc(o, n, sizeof(*t->site));
	t->pool = elf_alloc(o, n, sizeof(u64));
	if (!t->site || !t->pool)
		return -1;
	for (; p < end; p += sizeof(u64)) {
		if (!memcmp(p, source_mark, sizeof(u64))) {
			old = path;
			path = 1 + t->pool_len;
			do {
				p += sizeof(u64);
				if (p == end)
					return elf_fail(o, "the path of a source is cut off");
				memcpy(t->pool + t->pool_len, p, sizeof(u64));
				t->pool_len += strnlen((const char *)p, sizeof(u64));
			} while (p[sizeof(u64) - 1]);
			t->pool_len++;
			/* an object may have several such sections */
			if (old && !strcmp(t->pool + path - 1, t->pool + old - 1)) {
				t->pool_len = path - 1;
				path = old;
			}
		} else if (!memcmp(p, weak_mark, sizeof(u64))) {
			weak = true;
		} else {
			t->site[t->n++] = (struct link_site){
				.addr = elf_rd(o, p, sizeof(u64)), .path = path, .weak = weak,
			};
			weak = false;
		}
	}
	return 0;
}

/* Where the next 8 bytes of room are. */
static u8 *link_room(const struct elf_obj *o, u64 *at, u64 end)
{
	u8 *p = *at < end ? link_bytes(o, *at, RECORD_SIZE) : NULL;

	*at += RECORD_SIZE;
	if (!p)
		elf_fail(o, "no room for the records of calls and their sources");
	return p;
}

static bool link_is_init(const struct link_site *site, const u64 *sym)
{
	return site->addr >= sym[INIT_TEXT] && site->addr < sym[INIT_TEXT_END];
}

/* The runs of sites of one source, of those that are init text or not. */
static int link_fill_runs(const struct elf_obj *o, const struct link_table *t, const u64 *sym,
			  bool init, u64 *at, u32 *runs)
{
	u64 end = sym[init ? INIT_END : SITES_END];
	u32 path = 0, index = 0;
	size_t i;

	for (i = 0; i < t->n; i++) {
		u8 *run;

		if (link_is_init(&t->site[i], sym) != init)
			continue;
		if (t->site[i].path != path) {
			run = link_room(o, at, end);
			if (!run)
				return -1;
			path = t->site[i].path;
			elf_wr(o, run, 4, index);
			elf_wr(o, run + 4, 4, path);
			++*runs;
		}
		index++;
	}
	return 0;
}

/* The records of those sites that are init text or not. */
static int link_fill(const struct elf_obj *o, const struct link_table *t, const u64 *sym,
		     bool init, u64 *at, u32 *count, u32 *sum)
{
	u64 end = sym[init ? INIT_END : SITES_END];
	size_t i;

	for (i = 0; i < t->n; i++) {
		u8 *record;

		if (link_is_init(&t->site[i], sym) != init)
			continue;
		record = link_room(o, at, end);
		if (!record)
			return -1;
		elf_wr(o, record, 4, t->site[i].addr - sym[STEXT]);
		elf_wr(o, record + 4, 4, init ? RECORD_INIT : 0);
		++*count;
		*sum += elf_rd(o, link_bytes(o, t->site[i].addr, 4), 4);
	}
	return 0;
}

static int link_fill_pool(const struct elf_obj *o, const struct link_table *t, u64 at, u64 end)
{
	u8 *pool = t->pool_len <= end - at ? link_bytes(o, at, t->pool_len) : NULL;

	if (!pool)
		return elf_fail(o, "no room for the paths of sources");
	memcpy(pool, t->pool, t->pool_len);
	return 0;
}

/* Do the bytes at @addr still call the hook? */
static bool link_is_call(const struct elf_obj *o, const u8 *insn, u64 addr, u64 hook)
{
	return insn[0] == 0xe8 && addr + 5 + (int32_t)elf_rd(o, insn + 1, 4) == hook;
}

/*
 * Sort, drop what is no call, make the kernel's NOPs. These pointers are dropped: pointers that
 * the linker discarded, a second pointer to a call, and pointers by the name of a weak function
 * to a winner that has no call. Any other pointer to something that is no call is counted and
 * reported.
 */
static int link_calls(const struct elf_obj *o, struct link_table *t, u64 hook)
{
	static const u8 mark[] = X86_64_MARK;
	size_t i, kept = 0, lost = 0;

	qsort(t->site, t->n, sizeof(*t->site), link_cmp);
	for (i = 0; i < t->n; i++) {
		const struct link_site *site = &t->site[i];
		u8 *insn = link_bytes(o, site->addr, sizeof(mark));

		if (!insn || (kept && t->site[kept - 1].addr == site->addr))
			continue;
		if (link_is_call(o, insn, site->addr, hook))
			return elf_fail(o, "the call at %#llx was not made a NOP",
					(unsigned long long)site->addr);
		if (memcmp(insn, mark, sizeof(mark))) {
			lost += !site->weak;
			continue;
		}
		insn[sizeof(mark) - 1] = 0;
		t->site[kept++] = *site;
	}
	t->n = kept;
	if (lost)
		fprintf(stderr, "recordmcount: %s: warning: %zu pointers lead to no call\n",
			o->path, lost);
	return 0;
}

/**
 * link_sites() - make the records of a linked kernel
 * @o: the kernel, parsed
 *
 * Return: 0, or -1 with the reason on stderr.
 */
static int link_sites(struct elf_obj *o)
{
	u64 sym[NR_LINK_SYMS], at[2];
	u32 built[NR_BUILT] = { 0 };
	struct link_table t = { 0 };
	size_t i, n;
	u8 *p;
	int ret;

	if (!o->is64 || o->big || o->machine != EM_X86_64)
		return elf_fail(o, "records are made for x86_64 only");
	if (!o->symtab || link_find_syms(o, sym))
		return elf_fail(o, "the symbols of the tables are missing");
	n = (sym[LOC_END] - sym[LOC]) / sizeof(u64);
	p = link_bytes(o, sym[LOC], n * sizeof(u64));
	if (!p)
		return elf_fail(o, "the table of calls lies outside the file");
	ret = link_read(o, p, n, &t) || link_calls(o, &t, sym[HOOK]);
	if (!ret) {
		at[false] = sym[SITES];
		at[true] = sym[INIT];
		ret = link_fill(o, &t, sym, false, &at[false], &built[COUNT], &built[SUM]) ||
		      link_fill(o, &t, sym, true, &at[true], &built[INIT_COUNT], &built[SUM]) ||
		      link_fill_runs(o, &t, sym, false, &at[false], &built[RUNS]) ||
		      link_fill_runs(o, &t, sym, true, &at[true], &built[INIT_RUNS]);
	}
	if (!ret && built[RUNS] + built[INIT_RUNS])
		ret = link_fill_pool(o, &t, at[false], sym[SITES_END]);
	free(t.site);
	free(t.pool);
	if (ret)
		return -1;
	p = link_bytes(o, sym[BUILT], sizeof(built));
	if (!p)
		return elf_fail(o, "no place for the number of records");
	for (i = 0; i < NR_BUILT; i++)
		elf_wr(o, p + 4 * i, 4, built[i]);
	return 0;
}

/* Make the records of the linked kernel. */
static int link_kernel(struct elf_obj *o, const char *path)
{
	struct stat st;
	int ret;

	*o = (struct elf_obj){ .path = path, .linked = true };
	umask(0);
	ret = read_object(o, &st);
	if (!ret)
		ret = elf_parse(o);
	if (!ret)
		ret = link_sites(o);
	if (!ret)
		ret = replace_object(o, st.st_mode);
	return ret;
}

#endif /* _SCRIPTS_RECORDMCOUNT_LINK_H */
