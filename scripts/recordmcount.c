// SPDX-License-Identifier: GPL-2.0
/*
 * recordmcount: collect the calls that the compiler put at function entries.
 *
 * usage: recordmcount [-n] [-p] [-s] [-w] OBJECT...
 *	  recordmcount -e ROOM [-w] OBJECT...
 *	  recordmcount -l VMLINUX
 *
 * For each object it finds the relocated calls of the architecture's entry
 * hook and adds a section __mcount_loc with one relocated pointer for each, so
 * that the linker leaves a table of call sites for the kernel to patch. An
 * object is replaced as a whole or, on any error, not at all. Entries that are
 * not calls (-fpatchable-function-entry) are listed by the compiler.
 *
 *	-n	the calls become NOPs, without a relocation
 *	-p	the table names the source of the calls, see source_mark
 *	-s	room is made for the kernel's records of the sites
 *	-w	tell of calls in sections that are never traced
 *	-e	write what entries that are not calls begin with, see
 *		recordmcount-entries.h; ROOM is how many bytes of NOPs there are in front
 *		of functions
 *	-l	the kernel is linked: make its records, see recordmcount-link.h
 */
#include "recordmcount.h"
#include "recordmcount-entries.h"
#include "recordmcount-file.h"
#include "recordmcount-link.h"
#include "recordmcount-arch.h"

#define LOC_SECTION	"__mcount_loc"
#define SITES_SECTION	"__ftrace_sites"
#define INIT_SITES_SECTION "__ftrace_init_sites"
#define MAX_HOOKS	4

/* SHT_LLVM_ADDRSIG: a list of symbol numbers that linkers skip when it has no sh_link */
#define LLVM_ADDRSIG	0x6fff4c03

/*
 * Code that is discarded, or runs where it must not be traced. Its calls
 * become NOPs here, as nothing will patch them at run time. A name stands for
 * itself and for itself followed by a dot and anything.
 */
static const char * const ignored[] = {
	".exit.text", ".discard", ".noinstr.text", ".entry.text",
	".altinstr_replacement", ".altinstr_aux",
};

struct site {
	u64 off;
	u32 sec;
};

/* A pointer of the new section: symbol (0: @sec's section symbol) + addend. */
struct loc {
	u64 addend;
	u32 sym, sec;
	u32 weak;		/* @sym is a weak function: the pointer may lead elsewhere */
	u32 group, order;	/* sort keys, if there are groups */
};

/* A section with sites. */
struct text {
	u32 nsites, group, sym;
	u64 value;		/* of @sym */
	bool weak;		/* the section holds weak functions */
};

struct func {
	u64 start, size;
	u32 sym;
	bool weak;
};

struct job {
	struct elf_obj o;
	const struct arch *arch;
	struct {
		u32 sym, raw;	/* raw: as ELF64 relocations hold it */
		const char *name;
	} hook[MAX_HOOKS];
	unsigned int nhooks;
	const struct call_form *form;	/* of relocations of this kind */
	u32 form_sym, form_type;
	u32 reltype;	/* SHT_REL or SHT_RELA, as the calls have it */
	struct site *site;
	size_t nsites, max_sites;
	struct loc *loc;
	size_t nlocs, max_locs;
	struct func *func;	/* of the section last listed */
	size_t max_funcs;
	struct text *text;	/* by section index */
	size_t max_text;
	u32 nameless;		/* sections with sites, but so far no symbol for them */
	u64 shstr_rel;	/* name of the new relocation section */
	bool changed;
	bool weak;		/* there are weak symbols */
	size_t nweak;		/* pointers by weak functions */
	size_t nrecords, ninit;	/* records of sites that may stay, or go with init text */
	const char *name;	/* the object, as the user named it */
	size_t stem;		/* the length of that without .o */
	size_t path_words;	/* words that the path of its source takes in the table */
};

static bool warn_ignored, make_nops, make_room, make_paths, make_entries;
static unsigned int entry_room;

static bool section_ignored(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ignored); i++) {
		const char *rest = elf_after(name, ignored[i]);

		if (rest && (!*rest || *rest == '.'))
			return true;
	}
	return false;
}

static int find_arch(struct job *j)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(archs); i++) {
		if (archs[i].machine == j->o.machine &&
		    archs[i].class == j->o.buf[EI_CLASS]) {
			j->arch = &archs[i];
			return 0;
		}
	}
	return elf_fail(&j->o, "unsupported machine %u (ELF%u)", j->o.machine,
			j->o.is64 ? 64 : 32);
}

static bool already_recorded(const struct elf_obj *o)
{
	const char *names = (const char *)elf_data(o, o->shstrndx);
	u32 i;

	for (i = 1; i < o->shnum; i++) {
		if (elf_same(names + o->sec[i].name, LOC_SECTION))
			return true;
	}
	return false;
}

/* The first symbol that is not local. */
static u32 first_global(const struct elf_obj *o)
{
	u32 first = o->sec[o->symtab].info;

	return first ? first : 1;
}

/* Find the symbols that are the entry hook, among those that are not local. */
static int find_hooks(struct job *j)
{
	const struct elf_obj *o = &j->o;
	const struct elf_syms syms = elf_syms(o);
	u32 i, f;

	for (i = first_global(o); i < o->nsyms; i++) {
		struct elf_sym sym = elf_sym(&syms, i);

		if (!sym.name)
			return elf_fail(o, "the name of symbol %u is damaged", i);
		j->weak |= sym.bind == STB_WEAK;
		if (sym.name[0] != '_' && sym.name[0] != 'm')
			continue;
		for (f = 0; f < j->arch->nforms; f++) {
			const char *hook = j->arch->forms[f].hook;

			if (!elf_same(sym.name, hook) || sym.bind == STB_LOCAL)
				continue;
			if (j->nhooks == MAX_HOOKS)
				return elf_fail(o, "too many symbols %s", hook);
			j->hook[j->nhooks].sym = i;
			elf_wr(o, (u8 *)&j->hook[j->nhooks].raw, 4, i);
			j->hook[j->nhooks++].name = hook;
			break;
		}
	}
	return 0;
}

/* The form of call that a relocation of @type to @sym stands for; NULL if not of a hook. */
static const struct call_form *call_of_hook(struct job *j, u32 sym, u32 type)
{
	unsigned int h, f;

	/* mostly as the one before */
	if (j->form && sym == j->form_sym && type == j->form_type)
		return j->form;
	for (h = 0; h < j->nhooks; h++) {
		if (j->hook[h].sym != sym)
			continue;
		for (f = 0; f < j->arch->nforms; f++) {
			const struct call_form *form = &j->arch->forms[f];

			if (!elf_same(form->hook, j->hook[h].name) || !type ||
			    (type != form->rtype[0] && type != form->rtype[1]))
				continue;
			j->form = form;
			j->form_sym = sym;
			j->form_type = type;
			return form;
		}
	}
	return NULL;
}

/*
 * The first relocation from @p on that has @raw_sym as its symbol, as ELF64 holds
 * it @at bytes into an entry. Most relocations are not of a hook.
 */
static inline u8 *next_of_sym(u8 *p, const u8 *end, size_t entsize, size_t at, u32 raw_sym)
{
	u32 raw;

	for (; p < end; p += entsize) {
		memcpy(&raw, p + at, 4);
		if (raw == raw_sym)
			break;
	}
	return p;
}

/* Position of byte @at of an instruction, stored little endian, in this object. */
static unsigned int insn_byte(const struct elf_obj *o, const struct call_form *form,
			      unsigned int at)
{
	return o->big ? at ^ (form->unit - 1) : at;
}

/*
 * Turn a call into a NOP and its relocation, at @rel, into none (type 0 everywhere). That
 * keeps its symbol, by which kpatch recognises traced functions.
 */
static inline void kill_call(struct job *j, const struct call_form *form, const u8 *nop,
			     u8 *insn, u8 *rel, bool rela, u32 sym)
{
	const struct elf_obj *o = &j->o;
	unsigned int i;

	if (o->native && rela && form->len == sizeof(form->nop)) {
		struct elf_native_rela *raw = (struct elf_native_rela *)rel;

		memcpy(insn, nop, sizeof(form->nop));
		raw->e.r_info = elf_rel_info(o, sym, 0);
		raw->e.r_addend = 0;
		return;
	}
	for (i = 0; i < form->len; i++)
		insn[insn_byte(o, form, i)] = nop[i];
	ELF_PUT(o, rel, Rel, r_info, elf_rel_info(o, sym, 0));
	if (rela)
		ELF_PUT(o, rel, Rela, r_addend, 0);
}

/* Note @calls sites in section @sec. */
static void count_sites(struct job *j, u32 sec, u32 reltype, unsigned long calls)
{
	const char *name = elf_sec_name(&j->o, sec);

	j->nameless += !j->text[sec].nsites;
	j->nsites += calls;
	j->text[sec].nsites += calls;
	j->reltype = reltype;
	if (elf_after(name, ".init.text"))
		j->ninit += calls + make_paths;
	else
		j->nrecords += calls + make_paths;
}

/* Collect the calls of relocation section @r; those of an ignored section become NOPs. */
static int scan_relocs(struct job *j, u32 r, bool ignore)
{
	const struct elf_obj *o = &j->o;
	const struct elf_sec *s = &o->sec[r], *text = &o->sec[s->info];
	u8 *p = elf_data(o, r), *end = p + s->size, *code = elf_data(o, s->info);
	const bool quick = o->is64 && j->nhooks == 1, nops = ignore || make_nops;
	const size_t at = offsetof(Elf64_Rel, r_info) + (o->big ? 0 : 4);
	const size_t entsize = s->entsize;
	const u32 hook = j->hook[0].raw;
	unsigned long calls = 0;
	struct site *site;

	if (!ignore && make_nops && !j->arch->mark)
		return elf_fail(o, "no NOPs are known that mark calls on this machine");
	if (elf_grow(o, &j->site, &j->max_sites, j->nsites + s->size / entsize, sizeof(*site)))
		return -1;
	site = &j->site[j->nsites];
	for (;; p += entsize) {
		const struct call_form *form;
		u64 info, off;
		u8 *insn;

		if (quick)
			p = next_of_sym(p, end, entsize, at, hook);
		if (p >= end)
			break;
		info = elf_get_info(o, p);
		form = call_of_hook(j, elf_rel_sym(o, info), elf_rel_type(o, info));
		if (!form)
			continue;
		off = elf_get_offset(o, p) - form->back;
		if (!elf_within(off, form->len, text->size))
			return elf_fail(o, "a relocation lies outside its section %s",
					elf_sec_name(o, s->info));
		insn = code + off;
		if ((insn[insn_byte(o, form, form->at)] & form->mask) != form->val)
			continue;
		site[calls].off = off;
		site[calls++].sec = s->info;
		if (nops)
			kill_call(j, form, ignore ? form->nop : j->arch->mark, insn, p,
				  s->type == SHT_RELA, elf_rel_sym(o, info));
	}
	if (calls && ignore)
		j->changed = true;
	else if (calls)
		count_sites(j, s->info, s->type, calls);
	if (ignore && calls && warn_ignored)
		fprintf(stderr, "recordmcount: %s: warning: %lu calls ignored in section %s\n",
			o->path, calls, elf_sec_name(o, s->info));
	return 0;
}

static int find_sites(struct job *j)
{
	const struct elf_obj *o = &j->o;
	u32 i;

	for (i = 1; i < o->shnum; i++) {
		const struct elf_sec *s = &o->sec[i], *text;

		if (!elf_is_rel(s) || s->link != o->symtab)
			continue;
		text = &o->sec[s->info];
		if (text->type != SHT_PROGBITS || !(text->flags & SHF_EXECINSTR))
			continue;
		if (scan_relocs(j, i, !(text->flags & SHF_ALLOC) ||
				(text->flags & SHF_EXCLUDE) ||
				section_ignored(elf_sec_name(o, s->info))))
			return -1;
	}
	return 0;
}

/* Names that can stand for a function: not labels and not what assemblers mark code with. */
static bool names_function(const struct elf_sym *sym)
{
	return sym->type == STT_FUNC || (sym->type == STT_NOTYPE && sym->bind != STB_LOCAL);
}

/* Symbol @i may be what its section is referred to by. */
static inline int consider_ref(struct job *j, const struct elf_syms *syms, u32 i)
{
	struct elf_sym sym = elf_sym(syms, i);
	struct text *text;

	if (sym.shndx >= j->o.shnum)
		return elf_fail(&j->o, "symbol %u is in a section that is not there", i);
	text = &j->text[sym.shndx];
	if (!sym.shndx || !text->nsites)
		return 0;
	if (sym.bind == STB_WEAK) {
		text->weak |= names_function(&sym);
		return 0;
	}
	if (text->sym)
		return 0;
	if (sym.type != STT_SECTION &&
	    (!names_function(&sym) || (j->arch->odd_code && sym.value & 1)))
		return 0;
	text->sym = i;
	text->value = sym.value;
	j->nameless--;
	return 0;
}

/*
 * Find what each section with sites can be referred to by: its section symbol
 * or, as assemblers may leave that out, a function that no other object can
 * override. The choice is the first local, else the first global one. No local
 * symbol is weak.
 */
static int find_section_refs(struct job *j)
{
	const struct elf_obj *o = &j->o;
	const struct elf_syms syms = elf_syms(o);
	u32 globals = first_global(o), i;

	for (i = 1; i < globals && i < o->nsyms && j->nameless; i++) {
		if (consider_ref(j, &syms, i))
			return -1;
	}
	for (i = globals; i < o->nsyms && (j->nameless || j->weak); i++) {
		if (!j->nameless && elf_sym(&syms, i).bind != STB_WEAK)
			continue;
		if (consider_ref(j, &syms, i))
			return -1;
	}
	return 0;
}

static inline int add_loc(struct job *j, const struct site *site, u32 sym, u64 value, bool weak)
{
	struct loc *loc;

	if (elf_grow(&j->o, &j->loc, &j->max_locs, j->nlocs + 1, sizeof(*j->loc)))
		return -1;
	loc = &j->loc[j->nlocs++];
	loc->addend = site->off - value;
	loc->sym = sym;
	loc->sec = site->sec;
	loc->weak = weak;
	return 0;
}

/* Merge the ascending runs [a, b) and [b, end) of @from into @to. */
static void merge_runs(const struct func *from, size_t a, size_t b, size_t end, struct func *to)
{
	size_t x = a, y = b, i;

	for (i = a; i < end; i++) {
		bool left = y == end || (x < b && from[x].start <= from[y].start);

		to[i] = from[left ? x++ : y++];
	}
}

/* Where the run that begins at @at ends. */
static size_t run_end(const struct func *func, size_t at, size_t n)
{
	for (at++; at < n && func[at - 1].start <= func[at].start; at++)
		;
	return at < n ? at : n;
}

/*
 * Sort functions by address; returns where they are then, @func or @spare.
 * Symbol tables have few runs: the local and the global functions of each
 * section come in order as a rule.
 */
static struct func *sort_funcs(struct func *func, struct func *spare, size_t n)
{
	struct func *from = func, *to = spare, *swap;
	size_t a, b, end;

	while (run_end(from, 0, n) < n) {
		for (a = 0; a < n; a = end) {
			b = run_end(from, a, n);
			end = b < n ? run_end(from, b, n) : n;
			merge_runs(from, a, b, end, to);
		}
		swap = from;
		from = to;
		to = swap;
	}
	return from;
}

/* The functions of section @sec, sorted, until this is called again; NULL on error. */
static const struct func *list_funcs(struct job *j, u32 sec, size_t *n)
{
	const struct elf_obj *o = &j->o;
	const struct elf_syms syms = elf_syms(o);
	u32 i;

	*n = 0;
	for (i = 1; i < o->nsyms; i++) {
		struct elf_sym sym = elf_sym(&syms, i);

		if (sym.shndx != sec || !names_function(&sym))
			continue;
		/* twice, as sorting needs as much again */
		if (elf_grow(o, &j->func, &j->max_funcs, 2 * (*n + 1), sizeof(*j->func)))
			return NULL;
		/* an odd symbol relocates to an odd address, which is no site */
		j->func[(*n)++] = (struct func){
			.start = j->arch->odd_code ? sym.value & ~1ULL : sym.value,
			.size = sym.size,
			.sym = i,
			.weak = sym.bind == STB_WEAK &&
				!(j->arch->odd_code && sym.value & 1),
		};
	}
	return sort_funcs(j->func, j->func + *n, *n);
}

/*
 * Refer to a site of a weak function by the weak name. Should a strong
 * function win at the link, the pointer follows the name to the winner and
 * none is left to the dead copy. A function with several weak names gets a
 * pointer by each, as any of them may lose. Returns 1 if the site is in no
 * weak function, or in one that has a strong name too.
 */
static int add_weak_locs(struct job *j, const struct site *site, const struct func *func,
			 size_t n)
{
	size_t lo = 0, hi = n, first, i;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (func[mid].start <= site->off)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (first = lo; first && func[first - 1].start == func[lo - 1].start; first--) {
		const struct func *f = &func[first - 1];

		if (!f->weak || (f->size && site->off - f->start >= f->size))
			return 1;
	}
	/* a function has one entry: more pointers than this are no compiler's work */
	if (j->nlocs + (lo - first) > j->nsites + j->o.nsyms)
		return elf_fail(&j->o, "too many calls in functions with several weak names");
	/*
	 * The winner may be in init text or not, and between sites of another file. So
	 * reserve room in both sections, and with paths two more records for the runs that
	 * this splits.
	 */
	j->nrecords += (lo - first) * (make_paths ? 3 : 1);
	j->ninit += (lo - first) * (make_paths ? 3 : 1);
	j->nweak += lo - first;
	for (i = first; i < lo; i++) {
		if (add_loc(j, site, func[i].sym, func[i].start, true))
			return -1;
	}
	return first == lo;
}

/* Turn sites into pointers: find a symbol and an addend for each. */
static int find_locs(struct job *j)
{
	const struct func *func = NULL;
	u32 listed = 0;
	size_t i, n = 0;
	int ret = 0;

	if (find_section_refs(j))
		return -1;
	if (j->nsites + j->o.nsyms >= UINT32_MAX)
		return elf_fail(&j->o, "too many sites");
	for (i = 0; i < j->nsites && ret >= 0; i++) {
		const struct site *site = &j->site[i];
		const struct text *text = &j->text[site->sec];

		ret = 1;
		if (text->weak) {
			if (listed != site->sec) {
				func = list_funcs(j, site->sec, &n);
				listed = site->sec;
			}
			ret = func ? add_weak_locs(j, site, func, n) : -1;
		}
		if (ret > 0)
			ret = add_loc(j, site, text->sym, text->value, false);
	}
	return ret;
}

/* Sections that no symbol stands for get a section symbol. */
static int name_sections(struct job *j)
{
	struct elf_obj *o = &j->o;
	u32 first = o->sec[o->symtab].info, n = 0, i;
	u32 *secs;
	int ret = 0;

	if (!j->nameless)
		return 0;
	secs = elf_alloc(o, o->shnum, sizeof(*secs));
	if (!secs)
		return -1;
	for (i = 0; i < j->nlocs; i++) {
		struct text *text = &j->text[j->loc[i].sec];

		if (j->loc[i].sym)
			continue;
		if (!text->sym) {
			text->sym = first + n;
			secs[n++] = j->loc[i].sec;
		}
	}
	for (i = 1; n && i < o->shnum; i++) {
		if (o->sec[i].type != LLVM_ADDRSIG || o->sec[i].link != o->symtab)
			continue;
		o->sec[i].link = 0;
		elf_change_sec(o, i);
	}
	if (n)
		ret = elf_add_section_syms(o, secs, n);
	for (i = 0; n && i < j->nlocs; i++) {
		struct loc *loc = &j->loc[i];

		if (!loc->sym)
			loc->sym = j->text[loc->sec].sym;
		else if (loc->sym >= first)
			loc->sym += n;
	}
	free(secs);
	return ret;
}

/* Note for each section with sites the group it belongs to. */
static int find_groups(struct job *j)
{
	const struct elf_obj *o = &j->o;
	u32 i;
	u64 k;

	for (i = 1; o->grouped && i < o->shnum; i++) {
		const struct elf_sec *s = &o->sec[i];

		if (s->type != SHT_GROUP)
			continue;
		for (k = 4; k < s->size; k += 4) {
			u32 member = elf_rd(o, elf_data(o, i) + k, 4);

			if (member >= o->shnum)
				return elf_fail(o, "group %u has members not there", i);
			if (o->sec[member].flags & SHF_GROUP)
				j->text[member].group = i;
		}
	}
	return 0;
}

static int loc_cmp(const void *a, const void *b)
{
	const struct loc *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_locs(struct job *j)
{
	size_t i;

	for (i = 0; i < j->nlocs; i++) {
		j->loc[i].group = j->text[j->loc[i].sec].group;
		j->loc[i].order = i;
	}
	qsort(j->loc, j->nlocs, sizeof(*j->loc), loc_cmp);
}

/* Behind the name of the other new sections, where they are wanted. */
#define ROOM_NAMES "\0" SITES_SECTION "\0" INIT_SITES_SECTION

/* Append the names of the new sections to the section names. */
static int add_names(struct job *j)
{
	static const char rela[] = ".rela" LOC_SECTION ROOM_NAMES;
	static const char rel[] = ".rel" LOC_SECTION ROOM_NAMES;
	struct elf_obj *o = &j->o;
	struct elf_sec *s = &o->sec[o->shstrndx];
	const char *name = j->reltype == SHT_RELA ? rela : rel;
	size_t size = (j->reltype == SHT_RELA ? sizeof(rela) : sizeof(rel)) -
		      (make_room ? 0 : sizeof(ROOM_NAMES) - 1);

	if (s->size > UINT32_MAX - size)
		return elf_fail(o, "the section names are too long");
	j->shstr_rel = s->size;
	if (elf_open_gap(o, o->shstrndx, s->size, size))
		return -1;
	memcpy(elf_data(o, o->shstrndx) + j->shstr_rel, name, size);
	return 0;
}

/*
 * The source of an object is called like the object, and ".c". The table has its
 * path in front of the pointers, as words: source_mark, and the path with zeros
 * behind it. It has none when the path could not be written in a filter.
 */
static void find_path(struct job *j)
{
	unsigned int ptr = elf_ptr_size(&j->o);
	size_t len;

	j->name = elf_after(j->name, "./") ?: j->name;
	for (len = 0; (u8)(j->name[len] - '!') <= '~' - '!'; len++)
		;
	if (j->name[len] || len <= 2 || !elf_same(j->name + len - 2, ".o"))
		return;
	j->stem = len - 2;
	j->path_words = 1 + len / ptr + 1;
}

static void put_path(const struct job *j, u8 *data)
{
	unsigned int ptr = elf_ptr_size(&j->o);

	memcpy(data, source_mark, ptr);
	memcpy(data + ptr, j->name, j->stem);
	memcpy(data + ptr + j->stem, ".c", 2);
}

/*
 * Fill the pointers at @data, which is zeros, and their relocations at @rel. With
 * paths, weak_mark comes before each pointer that may lead to another source.
 */
static void fill_locs(const struct job *j, const struct loc *loc, size_t n,
		      u8 *data, u8 *rel)
{
	const struct elf_obj *o = &j->o;
	unsigned int ptr = elf_ptr_size(o);
	bool rela = j->reltype == SHT_RELA;
	const bool marks = make_paths && j->nweak;
	size_t native = o->native && rela ? n : 0, at = 0, i;

	if (j->path_words)
		put_path(j, data);
	at = j->path_words * ptr;
	for (i = 0; i < native; i++, at += sizeof(u64)) {
		struct elf_native_rela *raw = (struct elf_native_rela *)rel + i;

		if (marks && loc[i].weak) {
			memcpy(data + at, weak_mark, sizeof(u64));
			at += sizeof(u64);
		}
		raw->e.r_offset = at;
		raw->e.r_info = ELF64_R_INFO((u64)loc[i].sym, j->arch->abs);
		raw->e.r_addend = loc[i].addend;
	}
	for (; i < n; i++, at += ptr) {
		if (marks && loc[i].weak) {
			memcpy(data + at, weak_mark, ptr);
			at += ptr;
		}
		ELF_PUT(o, rel, Rel, r_offset, at);
		ELF_PUT(o, rel, Rel, r_info, elf_rel_info(o, loc[i].sym, j->arch->abs));
		if (rela)
			ELF_PUT(o, rel, Rela, r_addend, loc[i].addend);
		else
			elf_wr(o, data + at, ptr, loc[i].addend);
		rel += rela ? ELF_SIZE(o, Rela) : ELF_SIZE(o, Rel);
	}
}

/* Add __mcount_loc and its relocations for @n pointers, all of one group. */
static int add_loc_section(struct job *j, const struct loc *loc, size_t n)
{
	struct elf_obj *o = &j->o;
	unsigned int ptr = elf_ptr_size(o);
	bool rela = j->reltype == SHT_RELA;
	u32 group = j->text[loc->sec].group;
	u64 flags = group ? SHF_GROUP : 0;
	struct elf_sec data = {
		.name = j->shstr_rel + (rela ? strlen(".rela") : strlen(".rel")),
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_WRITE | flags,
		.size = (n + j->path_words) * ptr,
		.align = ptr,
	};
	struct elf_sec rel = {
		.name = j->shstr_rel,
		.type = j->reltype,
		.flags = SHF_INFO_LINK | flags,
		.link = o->symtab,
		.align = ptr,
		.entsize = rela ? ELF_SIZE(o, Rela) : ELF_SIZE(o, Rel),
	};
	size_t i;

	for (i = 0; make_paths && j->nweak && i < n; i++)
		data.size += loc[i].weak ? ptr : 0;
	rel.size = n * rel.entsize;
	data.off = elf_append(o, data.size, ptr);
	if (!data.off)
		return -1;
	rel.off = elf_append(o, rel.size, ptr);
	if (!rel.off)
		return -1;
	memset(o->buf + data.off, 0, data.size);
	fill_locs(j, loc, n, o->buf + data.off, o->buf + rel.off);
	rel.info = elf_add_sec(o, &data);
	if (!rel.info || !elf_add_sec(o, &rel))
		return -1;
	if (!group)
		return 0;
	/* members of one group stay or go together */
	if (elf_open_gap(o, group, o->sec[group].size, 8))
		return -1;
	elf_wr(o, elf_data(o, group) + o->sec[group].size - 8, 4, rel.info);
	elf_wr(o, elf_data(o, group) + o->sec[group].size - 4, 4, rel.info + 1);
	return 0;
}

/* Room for @n records, which the link brings together. */
static int add_room(struct job *j, size_t name, size_t n)
{
	struct elf_sec room = {
		.name = j->shstr_rel + (j->reltype == SHT_RELA ? strlen(".rela") : strlen(".rel")) +
			sizeof(LOC_SECTION) + name,
		.type = SHT_NOBITS,
		.flags = SHF_ALLOC | SHF_WRITE,
		.off = j->o.len,
		.size = n * RECORD_SIZE,
		.align = RECORD_SIZE,
	};

	return n && !elf_add_sec(&j->o, &room) ? -1 : 0;
}

static int add_sections(struct job *j)
{
	size_t i, n, paths;

	if (elf_drop_headers(&j->o) || name_sections(j) || add_names(j))
		return -1;
	if (j->o.grouped)
		sort_locs(j);
	if (make_paths)
		find_path(j);
	for (i = 0; i < j->nlocs; i += n) {
		n = j->o.grouped ? 1 : j->nlocs;
		while (i + n < j->nlocs && j->loc[i + n].group == j->loc[i].group)
			n++;
		if (add_loc_section(j, &j->loc[i], n))
			return -1;
	}
	/* the path, without its mark, comes behind the records that stay */
	paths = j->path_words ? j->path_words - 1 : 0;
	if (make_room && (add_room(j, 0, j->nrecords + paths) ||
			  add_room(j, sizeof(SITES_SECTION), j->ninit)))
		return -1;
	j->changed = true;
	return elf_write_headers(&j->o);
}

static int alloc_text(struct job *j)
{
	u32 n = j->o.shnum;

	if (elf_grow(&j->o, &j->text, &j->max_text, n, sizeof(*j->text)))
		return -1;
	memset(j->text, 0, n * sizeof(*j->text));
	return 0;
}

/* Change the object in memory. */
static int record_object(struct job *j)
{
	struct elf_obj *o = &j->o;

	if (elf_parse(o) || find_arch(j))
		return -1;
	if (!o->symtab || already_recorded(o))
		return 0;
	if (find_hooks(j))
		return -1;
	if (!j->nhooks)
		return 0;
	if (alloc_text(j) || find_sites(j))
		return -1;
	if (!j->nsites)
		return 0;
	return find_groups(j) || find_locs(j) ? -1 : add_sections(j);
}

/* Memory stays for the next object. */
static void next_job(struct job *j, const char *path)
{
	struct job old = *j;

	*j = (struct job){
		.name = path,
		.o = { .path = path, .buf = old.o.buf, .cap = old.o.cap,
		       .sec = old.o.sec, .max_sec = old.o.max_sec,
		       .shdr_old = old.o.shdr_old, .shdr_cap = old.o.shdr_cap },
		.site = old.site, .max_sites = old.max_sites,
		.loc = old.loc, .max_locs = old.max_locs,
		.func = old.func, .max_funcs = old.max_funcs,
		.text = old.text, .max_text = old.max_text,
	};
}

static int do_object(struct job *j, const char *path)
{
	struct stat st;
	int ret;

	next_job(j, path);
	ret = read_object(&j->o, &st);
	if (!ret)
		ret = make_entries ? write_entries(&j->o, entry_room, &j->changed) :
				     record_object(j);
	if (!ret && j->changed)
		ret = replace_object(&j->o, st.st_mode);
	return ret;
}

/* The program's status. */
static int do_objects(struct job *j, char **paths, int n)
{
	int ret = 0, i;

	/* a new object has the old one's mode, whatever the umask */
	umask(0);
	for (i = 0; i < n; i++) {
		if (do_object(j, paths[i]))
			ret = 1;
	}
	return ret;
}

static int wrong_use(void)
{
	fprintf(stderr, "usage: recordmcount [-n] [-p] [-s] [-w] OBJECT...\n"
			"       recordmcount -e ROOM [-w] OBJECT...\n"
			"       recordmcount -l VMLINUX\n");
	return 2;
}

/* The number that -e comes with: of bytes, by whole instructions. */
static bool read_room(const char *text)
{
	char *end;

	entry_room = strtoul(text, &end, 10);
	make_entries = true;
	return *text >= '0' && *text <= '9' && !*end && entry_room <= 64 &&
	       entry_room % ENTRY_INSN == 0;
}

int main(int argc, char **argv)
{
	static struct job job;
	int i;

	if (argc == 3 && elf_same(argv[1], "-l"))
		return link_kernel(&job.o, argv[2]) ? 1 : 0;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (elf_same(argv[i], "-n"))
			make_nops = true;
		else if (elf_same(argv[i], "-p"))
			make_paths = true;
		else if (elf_same(argv[i], "-s"))
			make_room = true;
		else if (elf_same(argv[i], "-w"))
			warn_ignored = true;
		else if (elf_same(argv[i], "-e") && i + 1 < argc && read_room(argv[i + 1]))
			i++;
		else
			return wrong_use();
	}
	return i < argc ? do_objects(&job, argv + i, argc - i) : wrong_use();
}
