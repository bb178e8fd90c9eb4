/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's records of call sites, made when it is linked: the last step of
 * recordmcount, which changes nothing but the kernel's text and tables.
 *
 * The table that the objects brought (__mcount_loc) becomes records in the room
 * that they brought too, in order, without duplicates and without the pointers
 * that lead to no call; the NOPs that marked the calls become those that the
 * kernel writes itself. Nothing of that is left to boot.
 */
#ifndef _SCRIPTS_RECORDMCOUNT_LINK_H
#define _SCRIPTS_RECORDMCOUNT_LINK_H

/* What recordmcount leaves at a call: no compiler and no patching writes it. */
#define X86_64_MARK { 0x0f, 0x1f, 0x44, 0x00, 0x8f }

/* struct dyn_ftrace of kernel/trace/sites/sites.h; struct built_sites of its table.c */
#define RECORD_SIZE	8
#define RECORD_INIT	0x400000

enum link_sym {
	STEXT, LOC, LOC_END, SITES, SITES_END, INIT, INIT_END, INIT_TEXT, INIT_TEXT_END, BUILT,
	NR_LINK_SYMS
};

static const char * const link_syms[NR_LINK_SYMS] = {
	"_stext", "__start_mcount_loc", "__stop_mcount_loc", "__start_ftrace_sites",
	"__stop_ftrace_sites", "__start_ftrace_init_sites", "__stop_ftrace_init_sites",
	"_sinittext", "_einittext", "ftrace_built_sites",
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

static int link_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Fill @room with the records of those @addrs that are in [@from, @to). */
static int link_fill(const struct elf_obj *o, const u64 *addrs, size_t n, const u64 *sym,
		     bool init, u32 *count, u32 *sum)
{
	u64 room_end = sym[init ? INIT_END : SITES_END];
	u64 at = sym[init ? INIT : SITES];
	size_t i;

	for (i = 0; i < n; i++) {
		bool is_init = addrs[i] >= sym[INIT_TEXT] && addrs[i] < sym[INIT_TEXT_END];
		u8 *record;

		if (is_init != init)
			continue;
		record = at < room_end ? link_bytes(o, at, RECORD_SIZE) : NULL;
		if (!record)
			return elf_fail(o, "no room for the record of a call at %llx", addrs[i]);
		elf_wr(o, record, 4, addrs[i] - sym[STEXT]);
		elf_wr(o, record + 4, 4, init ? RECORD_INIT : 0);
		at += RECORD_SIZE;
		++*count;
		*sum += elf_rd(o, link_bytes(o, addrs[i], 4), 4);
	}
	return 0;
}

/* Sort, drop what is no call, make the kernel's NOPs. Returns how many are left. */
static size_t link_calls(const struct elf_obj *o, u64 *addrs, size_t n)
{
	static const u8 mark[] = X86_64_MARK;
	size_t i, kept = 0;

	qsort(addrs, n, sizeof(*addrs), link_cmp);
	for (i = 0; i < n; i++) {
		u8 *insn = link_bytes(o, addrs[i], sizeof(mark));

		if (!insn || memcmp(insn, mark, sizeof(mark)))
			continue;
		insn[sizeof(mark) - 1] = 0;
		addrs[kept++] = addrs[i];
	}
	return kept;
}

/**
 * link_sites() - make the records of a linked kernel
 * @o: the kernel, parsed
 *
 * Return: 0, or -1 with the reason on stderr.
 */
static int link_sites(struct elf_obj *o)
{
	u64 sym[NR_LINK_SYMS], *addrs;
	u32 count[2] = { 0, 0 }, sum = 0;
	size_t i, n;
	u8 *p;
	int ret;

	if (!o->native || o->machine != EM_X86_64)
		return elf_fail(o, "records are made for x86_64 only");
	if (!o->symtab || link_find_syms(o, sym))
		return elf_fail(o, "the symbols of the tables are missing");
	n = (sym[LOC_END] - sym[LOC]) / sizeof(u64);
	p = link_bytes(o, sym[LOC], n * sizeof(u64));
	if (!p)
		return elf_fail(o, "the table of calls lies outside the file");
	addrs = elf_alloc(o, n, sizeof(*addrs));
	if (!addrs)
		return -1;
	for (i = 0; i < n; i++)
		addrs[i] = elf_rd(o, p + i * sizeof(u64), sizeof(u64));
	n = link_calls(o, addrs, n);
	ret = link_fill(o, addrs, n, sym, false, &count[0], &sum) ||
	      link_fill(o, addrs, n, sym, true, &count[1], &sum);
	free(addrs);
	if (ret)
		return -1;
	p = link_bytes(o, sym[BUILT], 3 * sizeof(u32));
	if (!p)
		return elf_fail(o, "no place for the number of records");
	elf_wr(o, p, 4, count[0]);
	elf_wr(o, p + 4, 4, count[1]);
	elf_wr(o, p + 8, 4, sum);
	return 0;
}

#endif /* _SCRIPTS_RECORDMCOUNT_LINK_H */
