/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One relocatable ELF object in memory, for recordmcount: bounds-checked
 * reading of sections and symbols, and appending of new ones.
 *
 * It reads ELF32 and ELF64 in either byte order through one set of accessors
 * and trusts no offset, size or index of the file. It knows nothing of call
 * sites and opens no file. All of it is static in this header because kbuild
 * builds recordmcount from one source file.
 */
#ifndef _SCRIPTS_RECORDMCOUNT_H
#define _SCRIPTS_RECORDMCOUNT_H

#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

struct elf_sec {
	u32 name, type, link, info;
	u64 flags, addr, off, size, align, entsize;
};

struct elf_sym {
	const char *name;	/* NULL if it lies outside the strings */
	u8 bind, type;
	u32 shndx;		/* 0 unless defined in a section */
	u64 value, size;
};

struct elf_obj {
	const char *path;
	u8 *buf;
	size_t len, cap;
	bool is64, big;
	u16 machine;
	u32 shnum, shstrndx;
	u32 symtab, shndx;	/* sections; 0 if there is none */
	u32 nsyms;
	struct elf_sec *sec;
};

/* Say why this object cannot be handled; returns -1 for the caller to return. */
static int elf_fail(const struct elf_obj *o, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "recordmcount: %s: ", o->path);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

/* Read @size (1, 2, 4 or 8) bytes of the file as a number. */
static inline u64 elf_rd(const struct elf_obj *o, const u8 *p, unsigned int size)
{
	bool swap = o->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	u16 v16;
	u32 v32;
	u64 v64;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&v16, p, 2);
		return swap ? __builtin_bswap16(v16) : v16;
	case 4:
		memcpy(&v32, p, 4);
		return swap ? __builtin_bswap32(v32) : v32;
	default:
		memcpy(&v64, p, 8);
		return swap ? __builtin_bswap64(v64) : v64;
	}
}

static inline void elf_wr(const struct elf_obj *o, u8 *p, unsigned int size, u64 v)
{
	bool swap = o->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	u16 v16 = v;
	u32 v32 = v;

	switch (size) {
	case 1:
		*p = v;
		break;
	case 2:
		v16 = swap ? __builtin_bswap16(v16) : v16;
		memcpy(p, &v16, 2);
		break;
	case 4:
		v32 = swap ? __builtin_bswap32(v32) : v32;
		memcpy(p, &v32, 4);
		break;
	default:
		v = swap ? __builtin_bswap64(v) : v;
		memcpy(p, &v, 8);
		break;
	}
}

#define ELF_SIZE(o, type) \
	((o)->is64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

#define ELF_GET(o, p, type, field)					\
	((o)->is64 ?							\
	 elf_rd(o, (p) + offsetof(Elf64_##type, field),			\
		sizeof(((Elf64_##type *)0)->field)) :			\
	 elf_rd(o, (p) + offsetof(Elf32_##type, field),			\
		sizeof(((Elf32_##type *)0)->field)))

#define ELF_PUT(o, p, type, field, v)					\
	((o)->is64 ?							\
	 elf_wr(o, (p) + offsetof(Elf64_##type, field),			\
		sizeof(((Elf64_##type *)0)->field), v) :		\
	 elf_wr(o, (p) + offsetof(Elf32_##type, field),			\
		sizeof(((Elf32_##type *)0)->field), v))

static inline unsigned int elf_ptr_size(const struct elf_obj *o)
{
	return o->is64 ? 8 : 4;
}

/* Does [off, off + size) lie within the first @end bytes? */
static inline bool elf_within(u64 off, u64 size, u64 end)
{
	return off <= end && size <= end - off;
}

static inline u8 *elf_data(const struct elf_obj *o, u32 sec)
{
	return o->buf + o->sec[sec].off;
}

/* The string at @off of string table @sec, or NULL. */
static const char *elf_str(const struct elf_obj *o, u32 sec, u64 off)
{
	const struct elf_sec *s = &o->sec[sec];
	const char *str = (const char *)elf_data(o, sec);

	return off < s->size ? str + off : NULL;
}

/* Is section @sec a string table that ends with its last string? */
static bool elf_is_strtab(const struct elf_obj *o, u32 sec)
{
	const struct elf_sec *s = &o->sec[sec];

	return s->type == SHT_STRTAB && (!s->size || !elf_data(o, sec)[s->size - 1]);
}

static const char *elf_sec_name(const struct elf_obj *o, u32 sec)
{
	return elf_str(o, o->shstrndx, o->sec[sec].name);
}

/*
 * Read symbol @i (< nsyms). Symbols of no section (undefined, absolute,
 * common) have shndx 0. The caller checks that the name and section are there.
 */
static struct elf_sym elf_sym(const struct elf_obj *o, u32 i)
{
	const u8 *p = elf_data(o, o->symtab) + i * ELF_SIZE(o, Sym);
	u8 info = ELF_GET(o, p, Sym, st_info);
	struct elf_sym sym = {
		.name = elf_str(o, o->sec[o->symtab].link, ELF_GET(o, p, Sym, st_name)),
		.bind = ELF64_ST_BIND(info),
		.type = ELF64_ST_TYPE(info),
		.shndx = ELF_GET(o, p, Sym, st_shndx),
		.value = ELF_GET(o, p, Sym, st_value),
		.size = ELF_GET(o, p, Sym, st_size),
	};

	if (sym.shndx == SHN_XINDEX && o->shndx)
		sym.shndx = elf_rd(o, elf_data(o, o->shndx) + 4 * (size_t)i, 4);
	else if (sym.shndx >= SHN_LORESERVE)
		sym.shndx = 0;
	return sym;
}

static inline bool elf_is_rel(const struct elf_sec *s)
{
	return s->type == SHT_REL || s->type == SHT_RELA;
}

static inline u32 elf_rel_sym(const struct elf_obj *o, u64 info)
{
	return o->is64 ? info >> 32 : info >> 8;
}

static inline u32 elf_rel_type(const struct elf_obj *o, u64 info)
{
	return o->is64 ? info & 0xffffffff : info & 0xff;
}

static inline u64 elf_rel_info(const struct elf_obj *o, u32 sym, u32 type)
{
	return o->is64 ? (u64)sym << 32 | type : sym << 8 | type;
}

static void *elf_alloc(const struct elf_obj *o, size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		elf_fail(o, "out of memory");
	return p;
}

/* Check what every user of section @i relies on: its bytes and its links. */
static int elf_check_sec(struct elf_obj *o, u32 i)
{
	const struct elf_sec *s = &o->sec[i];
	bool info = s->type == SHT_REL || s->type == SHT_RELA || s->flags & SHF_INFO_LINK;
	u64 entsize = 0;

	if (!i || s->type == SHT_NULL)
		return 0;
	/* an index past the end would name a section that is added later */
	if (s->link >= o->shnum || (info && s->info >= o->shnum))
		return elf_fail(o, "section %u refers to sections that are not there", i);
	if (s->type == SHT_NOBITS)
		return 0;
	if (!elf_within(s->off, s->size, o->len))
		return elf_fail(o, "section %u lies outside the file", i);
	switch (s->type) {
	case SHT_SYMTAB:
		entsize = ELF_SIZE(o, Sym);
		break;
	case SHT_REL:
		entsize = ELF_SIZE(o, Rel);
		break;
	case SHT_RELA:
		entsize = ELF_SIZE(o, Rela);
		break;
	case SHT_GROUP:
	case SHT_SYMTAB_SHNDX:
		entsize = 4;
		break;
	}
	if (entsize && (s->entsize != entsize || s->size % entsize))
		return elf_fail(o, "section %u has odd entries", i);
	return 0;
}

/* Find the symbol table with its strings and extended section indexes. */
static int elf_find_symtab(struct elf_obj *o)
{
	const struct elf_sec *s;
	u32 i;

	for (i = 1; i < o->shnum && !o->symtab; i++) {
		if (o->sec[i].type == SHT_SYMTAB)
			o->symtab = i;
	}
	if (!o->symtab)
		return 0;
	s = &o->sec[o->symtab];
	if (s->size / s->entsize > UINT32_MAX || !s->link || !elf_is_strtab(o, s->link))
		return elf_fail(o, "the symbol table has no strings");
	o->nsyms = s->size / s->entsize;
	if (s->info > o->nsyms)
		return elf_fail(o, "%u local symbols of %u", s->info, o->nsyms);
	for (i = 1; i < o->shnum && !o->shndx; i++) {
		if (o->sec[i].type == SHT_SYMTAB_SHNDX && o->sec[i].link == o->symtab)
			o->shndx = i;
	}
	if (o->shndx && o->sec[o->shndx].size / 4 < o->nsyms)
		return elf_fail(o, "too few extended section indexes");
	return 0;
}

static void elf_read_shdr(const struct elf_obj *o, const u8 *p, struct elf_sec *s)
{
	s->name = ELF_GET(o, p, Shdr, sh_name);
	s->type = ELF_GET(o, p, Shdr, sh_type);
	s->flags = ELF_GET(o, p, Shdr, sh_flags);
	s->addr = ELF_GET(o, p, Shdr, sh_addr);
	s->off = ELF_GET(o, p, Shdr, sh_offset);
	s->size = ELF_GET(o, p, Shdr, sh_size);
	s->link = ELF_GET(o, p, Shdr, sh_link);
	s->info = ELF_GET(o, p, Shdr, sh_info);
	s->align = ELF_GET(o, p, Shdr, sh_addralign);
	s->entsize = ELF_GET(o, p, Shdr, sh_entsize);
}

static int elf_read_sections(struct elf_obj *o)
{
	u64 shoff = ELF_GET(o, o->buf, Ehdr, e_shoff);
	u64 shnum = ELF_GET(o, o->buf, Ehdr, e_shnum);
	size_t entsize = ELF_SIZE(o, Shdr);
	struct elf_sec first;
	u32 i;

	if (!shoff)
		return 0;
	if (ELF_GET(o, o->buf, Ehdr, e_shentsize) != entsize ||
	    !elf_within(shoff, entsize, o->len))
		return elf_fail(o, "the section headers are damaged or cut off");
	elf_read_shdr(o, o->buf + shoff, &first);
	if (!shnum)
		shnum = first.size;
	if (shnum > (o->len - shoff) / entsize || shnum > INT32_MAX)
		return elf_fail(o, "the section headers are damaged or cut off");
	o->shstrndx = ELF_GET(o, o->buf, Ehdr, e_shstrndx);
	if (o->shstrndx == SHN_XINDEX)
		o->shstrndx = first.link;
	o->sec = elf_alloc(o, shnum, sizeof(*o->sec));
	if (!o->sec)
		return -1;
	o->shnum = shnum;
	for (i = 0; i < o->shnum; i++) {
		elf_read_shdr(o, o->buf + shoff + i * entsize, &o->sec[i]);
		if (elf_check_sec(o, i))
			return -1;
	}
	if (!o->shstrndx || o->shstrndx >= o->shnum || !elf_is_strtab(o, o->shstrndx))
		return elf_fail(o, "the sections have no names");
	for (i = 1; i < o->shnum; i++) {
		if (!elf_sec_name(o, i))
			return elf_fail(o, "the name of section %u is damaged", i);
	}
	return elf_find_symtab(o);
}

/**
 * elf_parse() - read the headers of the object in @o->buf
 * @o: object with path, buf, len and cap filled in
 *
 * On success every section's bytes lie in the buffer, tables have whole
 * entries and valid links, and sec, symtab, shndx, nsyms are set. An object
 * without sections has shnum 0.
 *
 * Return: 0, or -1 with the reason on stderr.
 */
static int elf_parse(struct elf_obj *o)
{
	if (o->len < EI_NIDENT || memcmp(o->buf, ELFMAG, SELFMAG))
		return elf_fail(o, "not an ELF file");
	if ((o->buf[EI_CLASS] != ELFCLASS32 && o->buf[EI_CLASS] != ELFCLASS64) ||
	    (o->buf[EI_DATA] != ELFDATA2LSB && o->buf[EI_DATA] != ELFDATA2MSB))
		return elf_fail(o, "ELF class %u, data %u: not known", o->buf[EI_CLASS],
				o->buf[EI_DATA]);
	o->is64 = o->buf[EI_CLASS] == ELFCLASS64;
	o->big = o->buf[EI_DATA] == ELFDATA2MSB;
	if (o->len < ELF_SIZE(o, Ehdr))
		return elf_fail(o, "the ELF header is cut off");
	if (ELF_GET(o, o->buf, Ehdr, e_type) != ET_REL)
		return elf_fail(o, "not a relocatable object");
	o->machine = ELF_GET(o, o->buf, Ehdr, e_machine);
	return elf_read_sections(o);
}

/*
 * Append @size bytes (zeroes if @data is NULL) at the next multiple of @align.
 * Returns where, or 0 (never a valid place) after saying that memory ran out.
 */
static u64 elf_append(struct elf_obj *o, const void *data, size_t size, size_t align)
{
	size_t off = (o->len + align - 1) / align * align;
	size_t need = off + size;

	if (need > o->cap) {
		size_t cap = need + need / 4;
		u8 *buf = realloc(o->buf, cap);

		if (!buf) {
			elf_fail(o, "out of memory");
			return 0;
		}
		o->buf = buf;
		o->cap = cap;
	}
	memset(o->buf + o->len, 0, off - o->len);
	if (data)
		memcpy(o->buf + off, data, size);
	else
		memset(o->buf + off, 0, size);
	o->len = need;
	return off;
}

/* Add a section header (its bytes are appended already). Returns its index, or 0. */
static u32 elf_add_sec(struct elf_obj *o, const struct elf_sec *s)
{
	struct elf_sec *sec = realloc(o->sec, (o->shnum + 1UL) * sizeof(*sec));

	if (!sec) {
		elf_fail(o, "out of memory");
		return 0;
	}
	o->sec = sec;
	o->sec[o->shnum] = *s;
	return o->shnum++;
}

/*
 * Let new bytes take the place of the old section headers when these end the
 * file, as assemblers lay it out, and no section reaches into them.
 */
static void elf_drop_headers(struct elf_obj *o)
{
	u64 shoff = ELF_GET(o, o->buf, Ehdr, e_shoff);
	u32 i;

	if (shoff < ELF_SIZE(o, Ehdr) || shoff + o->shnum * ELF_SIZE(o, Shdr) != o->len)
		return;
	for (i = 1; i < o->shnum; i++) {
		const struct elf_sec *s = &o->sec[i];

		if (s->type != SHT_NOBITS && s->size && s->off + s->size > shoff)
			return;
	}
	o->len = shoff;
}

static void elf_write_shdr(const struct elf_obj *o, u8 *p, const struct elf_sec *s)
{
	ELF_PUT(o, p, Shdr, sh_name, s->name);
	ELF_PUT(o, p, Shdr, sh_type, s->type);
	ELF_PUT(o, p, Shdr, sh_flags, s->flags);
	ELF_PUT(o, p, Shdr, sh_addr, s->addr);
	ELF_PUT(o, p, Shdr, sh_offset, s->off);
	ELF_PUT(o, p, Shdr, sh_size, s->size);
	ELF_PUT(o, p, Shdr, sh_link, s->link);
	ELF_PUT(o, p, Shdr, sh_info, s->info);
	ELF_PUT(o, p, Shdr, sh_addralign, s->align);
	ELF_PUT(o, p, Shdr, sh_entsize, s->entsize);
}

/* Append the section headers and point the ELF header at them. */
static int elf_write_headers(struct elf_obj *o)
{
	size_t entsize = ELF_SIZE(o, Shdr);
	u64 shoff;
	u32 i;

	/* e_shnum is 16 bits: a larger count goes to the first header */
	o->sec[0].size = o->shnum >= SHN_LORESERVE ? o->shnum : 0;
	shoff = elf_append(o, NULL, o->shnum * entsize, elf_ptr_size(o));
	if (!shoff)
		return -1;
	if (!o->is64 && o->len > UINT32_MAX)
		return elf_fail(o, "too large for ELF32");
	for (i = 0; i < o->shnum; i++)
		elf_write_shdr(o, o->buf + shoff + i * entsize, &o->sec[i]);
	ELF_PUT(o, o->buf, Ehdr, e_shoff, shoff);
	ELF_PUT(o, o->buf, Ehdr, e_shnum, o->shnum >= SHN_LORESERVE ? 0 : o->shnum);
	return 0;
}

/* Move section @sec's bytes to the end of the file, with @gap zero bytes put in at @at. */
static int elf_open_gap(struct elf_obj *o, u32 sec, u64 at, size_t gap)
{
	struct elf_sec *s = &o->sec[sec];
	u64 off;

	off = elf_append(o, NULL, s->size + gap, 8);
	if (!off)
		return -1;
	memcpy(o->buf + off, o->buf + s->off, at);
	memcpy(o->buf + off + at + gap, o->buf + s->off + at, s->size - at);
	s->off = off;
	s->size += gap;
	return 0;
}

/* Move references to symbols from @from on up by @n, in every section that has them. */
static int elf_shift_syms(struct elf_obj *o, u32 from, u32 n)
{
	u32 i;

	for (i = 1; i < o->shnum; i++) {
		struct elf_sec *s = &o->sec[i];
		u64 k;

		if (s->link != o->symtab || s->type == SHT_SYMTAB_SHNDX || s->type == SHT_NULL)
			continue;
		if (s->type == SHT_GROUP) {
			s->info += s->info >= from ? n : 0;
			continue;
		}
		if (!elf_is_rel(s))
			return elf_fail(o, "section %s names symbols in an unknown way",
					elf_sec_name(o, i));
		for (k = 0; k < s->size; k += s->entsize) {
			u8 *p = elf_data(o, i) + k;
			u64 info = ELF_GET(o, p, Rel, r_info);
			u32 sym = elf_rel_sym(o, info);

			if (sym < from)
				continue;
			info = elf_rel_info(o, sym + n, elf_rel_type(o, info));
			ELF_PUT(o, p, Rel, r_info, info);
		}
	}
	return 0;
}

/**
 * elf_add_section_syms() - give sections a section symbol
 * @o: object with a symbol table
 * @secs: the sections' indexes
 * @n: how many
 *
 * Local symbols come before the others, so the new ones are put at the end of
 * the local ones (the first new index is the table's old sh_info) and all
 * references to symbols behind them move up by @n.
 *
 * Return: 0, or -1 with the reason on stderr.
 */
static int elf_add_section_syms(struct elf_obj *o, const u32 *secs, u32 n)
{
	struct elf_sec *symtab = &o->sec[o->symtab];
	u32 first = symtab->info, i;
	size_t size = ELF_SIZE(o, Sym);

	if (o->nsyms > (o->is64 ? INT32_MAX : 0xffffffU >> 1))
		return elf_fail(o, "too many symbols");
	if (elf_shift_syms(o, first, n) ||
	    elf_open_gap(o, o->symtab, first * size, n * size) ||
	    (o->shndx && elf_open_gap(o, o->shndx, first * 4UL, n * 4UL)))
		return -1;
	symtab->info += n;
	o->nsyms += n;
	for (i = 0; i < n; i++) {
		u8 *p = elf_data(o, o->symtab) + (first + i) * size;
		bool ext = secs[i] >= SHN_LORESERVE;

		if (ext && !o->shndx)
			return elf_fail(o, "no table for extended section indexes");
		if (ext)
			elf_wr(o, elf_data(o, o->shndx) + 4 * (size_t)(first + i), 4, secs[i]);
		ELF_PUT(o, p, Sym, st_info, ELF64_ST_INFO(STB_LOCAL, STT_SECTION));
		ELF_PUT(o, p, Sym, st_shndx, ext ? SHN_XINDEX : secs[i]);
	}
	return 0;
}

#endif /* _SCRIPTS_RECORDMCOUNT_H */
