/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recordmcount: entries of functions that are no calls. With -fpatchable-function-entry the
 * compiler leaves NOPs and lists where they begin: in front of the function if there is room
 * for something else there, otherwise at its entry, behind a landing pad. Of the two at the
 * entry the second is the site, and the first becomes what every function executes before
 * its site is called.
 */
#ifndef _SCRIPTS_RECORDMCOUNT_ENTRIES_H
#define _SCRIPTS_RECORDMCOUNT_ENTRIES_H

#define ENTRIES_SECTION	"__patchable_function_entries"
#define ENTRY_INSN	4

/* Instructions are little endian, whatever the data are. */
struct entry_form {
	u16 machine;
	u32 abs;		/* relocation of a pointer */
	u32 nop;
	u32 pad_mask, pad;	/* insn & @pad_mask == @pad: a landing pad */
	u32 first;		/* replaces the first NOP */
};

static const struct entry_form entry_forms[] = {
	/* nop; bti and bti c, j, jc; mov x9, x30 */
	{ EM_AARCH64, R_AARCH64_ABS64, 0xd503201f, 0xffffff3f, 0xd503241f, 0xaa1e03e9 },
};

static u32 entry_insn(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

static void entry_put_insn(u8 *p, u32 insn)
{
	int i;

	for (i = 0; i < ENTRY_INSN; i++)
		p[i] = insn >> (8 * i);
}

/*
 * Write the entry whose NOPs begin at @off of section @text. An entry that has been written
 * already, or that has something else there, stays as it is. Returns whether it was written, or
 * -1.
 */
static int write_entry(const struct elf_obj *o, const struct entry_form *form, u32 text, u64 off,
		       unsigned int room)
{
	const u64 size = o->sec[text].size;
	u8 *p;

	if (!elf_within(off, room + 2 * ENTRY_INSN, size))
		return elf_fail(o, "an entry lies outside its section %s", elf_sec_name(o, text));
	off += room;
	p = elf_data(o, text) + off;
	if (room && (entry_insn(p) & form->pad_mask) == form->pad) {
		off += ENTRY_INSN;
		p += ENTRY_INSN;
	}
	if (!elf_within(off, 2 * ENTRY_INSN, size) || entry_insn(p) != form->nop ||
	    entry_insn(p + ENTRY_INSN) != form->nop)
		return 0;
	entry_put_insn(p, form->first);
	return 1;
}

/* Write the entries that relocation section @r has pointers to. */
static int write_entries_of(struct elf_obj *o, const struct entry_form *form, u32 r,
			    unsigned int room, bool *changed)
{
	const struct elf_sec *s = &o->sec[r];
	const struct elf_syms syms = elf_syms(o);
	u8 *p = elf_data(o, r), *end = p + s->size;
	int ret;

	for (; p < end; p += s->entsize) {
		u64 info = elf_get_info(o, p);
		struct elf_sym sym;

		if (elf_rel_type(o, info) != form->abs || elf_rel_sym(o, info) >= o->nsyms)
			return elf_fail(o, "an unknown relocation in %s", elf_sec_name(o, r));
		sym = elf_sym(&syms, elf_rel_sym(o, info));
		if (!sym.shndx || sym.shndx >= o->shnum ||
		    o->sec[sym.shndx].type != SHT_PROGBITS)
			return elf_fail(o, "an entry is in no section of text");
		ret = write_entry(o, form, sym.shndx, sym.value + ELF_GET(o, p, Rela, r_addend),
				  room);
		if (ret < 0)
			return ret;
		*changed |= ret;
	}
	return 0;
}

/* Write the entries of an object in memory, with @room bytes of NOPs in front of functions. */
static int write_entries(struct elf_obj *o, unsigned int room, bool *changed)
{
	const struct entry_form *form = NULL;
	size_t i;

	if (elf_parse(o))
		return -1;
	for (i = 0; i < ARRAY_SIZE(entry_forms); i++) {
		if (entry_forms[i].machine == o->machine && o->is64)
			form = &entry_forms[i];
	}
	if (!form)
		return elf_fail(o, "no entries are known on machine %u", o->machine);
	for (i = 1; i < o->shnum; i++) {
		const struct elf_sec *s = &o->sec[i];

		if (s->type == SHT_RELA && s->link == o->symtab && o->symtab &&
		    elf_same(elf_sec_name(o, s->info), ENTRIES_SECTION) &&
		    write_entries_of(o, form, i, room, changed))
			return -1;
	}
	return 0;
}

#endif /* _SCRIPTS_RECORDMCOUNT_ENTRIES_H */
