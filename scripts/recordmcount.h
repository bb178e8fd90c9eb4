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

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __packed __attribute__((packed))
#define noinline __attribute__((noinline))

/* A test defines this as 0, so that no file is treated as one of this machine's kind. */
#ifndef ELF_NATIVE
#define ELF_NATIVE 1
#endif

/* Entries of a file of this machine's kind, wherever they lie. */
struct elf_native_sym {
	Elf64_Sym e;
} __packed __attribute__((may_alias));

struct elf_native_rela {
	Elf64_Rela e;
} __packed __attribute__((may_alias));

struct elf_native_shdr {
	Elf64_Shdr e;
} __packed __attribute__((may_alias));

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

/* More than these, and all headers are written anew. */
#define ELF_MAX_CHANGED 8

struct elf_obj {
	const char *path;
	u8 *buf;
	size_t len, cap;
	bool linked;		/* not an object file, but the kernel */
	bool is64, big;
	bool native;		/* ELF64 in the byte order of this machine */
	bool extended, grouped;	/* has extended section indexes, section groups */
	u16 machine;
	u32 shnum, shstrndx;
	u32 symtab, shndx;	/* sections; 0 if there is none */
	u64 low, high, high_end; /* see elf_place_sec() */
	bool disordered;
	u32 nsyms;
	struct elf_sec *sec;
	size_t max_sec;
	u32 shnum_old;		/* headers that the file had */
	u8 *shdr_old;		/* and a copy of them */
	size_t shdr_cap;
	u32 changed[ELF_MAX_CHANGED];	/* of these, the ones that differ by now */
	u32 nchanged;
};

/* Return the rest of @s behind @prefix, or NULL if @s begins with something else. */
static inline const char *elf_after(const char *s, const char *prefix)
{
	for (; *prefix; s++, prefix++) {
		if (*s != *prefix)
			return NULL;
	}
	return s;
}

/* The two strings, when most differ in their first bytes. */
static inline bool elf_same(const char *a, const char *b)
{
	for (; *a == *b; a++, b++) {
		if (!*a)
			return true;
	}
	return false;
}

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

/* Where symbols are, for a walk over them. Valid until something is appended. */
struct elf_syms {
	const struct elf_obj *o;
	const u8 *sym;
	const char *str;
	u64 str_size;
	bool native;
};

static struct elf_syms elf_syms(const struct elf_obj *o)
{
	const struct elf_sec *s = &o->sec[o->symtab];

	return (struct elf_syms){
		.o = o,
		.sym = o->buf + s->off,
		.str = (const char *)elf_data(o, s->link),
		.str_size = o->sec[s->link].size,
		.native = o->native,
	};
}

static noinline
void elf_sym_foreign(const struct elf_syms *t, u32 i, struct elf_native_sym *raw)
{
	const struct elf_obj *o = t->o;
	const u8 *p = t->sym + i * ELF_SIZE(o, Sym);

	raw->e.st_name = ELF_GET(o, p, Sym, st_name);
	raw->e.st_info = ELF_GET(o, p, Sym, st_info);
	raw->e.st_shndx = ELF_GET(o, p, Sym, st_shndx);
	raw->e.st_value = ELF_GET(o, p, Sym, st_value);
	raw->e.st_size = ELF_GET(o, p, Sym, st_size);
}

/* The section of a symbol whose st_shndx is none. */
static noinline
u32 elf_sym_shndx(const struct elf_obj *o, u32 i, u32 shndx)
{
	if (shndx == SHN_XINDEX && o->shndx)
		return elf_rd(o, elf_data(o, o->shndx) + 4 * (size_t)i, 4);
	return 0;
}

/*
 * Read symbol @i (< nsyms). Symbols of no section (undefined, absolute,
 * common) have shndx 0. The caller checks that the name and section are there.
 */
static inline __attribute__((always_inline))
struct elf_sym elf_sym(const struct elf_syms *t, u32 i)
{
	struct elf_native_sym foreign;
	const struct elf_native_sym *raw = (const void *)t->sym;
	struct elf_sym sym;

	if (t->native) {
		raw += i;
	} else {
		elf_sym_foreign(t, i, &foreign);
		raw = &foreign;
	}
	sym = (struct elf_sym){
		.name = raw->e.st_name < t->str_size ? t->str + raw->e.st_name : NULL,
		.bind = ELF64_ST_BIND(raw->e.st_info),
		.type = ELF64_ST_TYPE(raw->e.st_info),
		.shndx = raw->e.st_shndx,
		.value = raw->e.st_value,
		.size = raw->e.st_size,
	};
	if (__builtin_expect(sym.shndx >= SHN_LORESERVE, 0))
		sym.shndx = elf_sym_shndx(t->o, i, sym.shndx);
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

static inline u64 elf_get_info(const struct elf_obj *o, const u8 *p)
{
	return o->native ? ((const struct elf_native_rela *)p)->e.r_info :
			   ELF_GET(o, p, Rel, r_info);
}

static inline u64 elf_get_offset(const struct elf_obj *o, const u8 *p)
{
	return o->native ? ((const struct elf_native_rela *)p)->e.r_offset :
			   ELF_GET(o, p, Rel, r_offset);
}

static inline u64 elf_rel_info(const struct elf_obj *o, u32 sym, u32 type)
{
	return o->is64 ? (u64)sym << 32 | type : sym << 8 | type;
}

/* Make room for @n elements of @size in *@array, which has room for *@max and keeps them. */
static inline int elf_grow(const struct elf_obj *o, void *array, size_t *max, size_t n,
			   size_t size)
{
	void *p;

	if (__builtin_expect(n <= *max, 1))
		return 0;
	n += n / 2 + 64;
	memcpy(&p, array, sizeof(p));
	p = realloc(p, n * size);
	if (!p)
		return elf_fail(o, "out of memory");
	memcpy(array, &p, sizeof(p));
	*max = n;
	return 0;
}

static void *elf_alloc(const struct elf_obj *o, size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		elf_fail(o, "out of memory");
	return p;
}

/*
 * A section shares no bytes with those before it when it follows them in one of
 * two rows: the low one begins behind the ELF header and ends at @low; the high
 * one, which assemblers begin with the first relocations, is [high, high_end).
 */
static inline void elf_place_sec(struct elf_obj *o, const struct elf_sec *s)
{
	const u64 end = s->off + s->size;

	if (!s->size)
		return;
	if (o->high_end && s->off >= o->high_end) {
		o->high_end = end;
	} else if (s->off < o->low || (o->high_end && end > o->high)) {
		o->disordered = true;
	} else if (!o->high_end && (s->type == SHT_RELA || s->type == SHT_REL)) {
		o->high = s->off;
		o->high_end = end;
	} else {
		o->low = end;
	}
}

/* Check what every user of section @i relies on: its bytes and its links. */
static int elf_check_sec(struct elf_obj *o, u32 i)
{
	const struct elf_sec *s = &o->sec[i];
	u64 entsize = 0;

	if (s->type == SHT_NULL)
		return 0;
	/* an index past the end would name a section that is added later */
	if (s->link >= o->shnum ||
	    (s->info >= o->shnum && (elf_is_rel(s) || s->flags & SHF_INFO_LINK)))
		return elf_fail(o, "section %u refers to sections that are not there", i);
	if (s->type == SHT_NOBITS)
		return 0;
	if (!elf_within(s->off, s->size, o->len))
		return elf_fail(o, "section %u lies outside the file", i);
	elf_place_sec(o, s);
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
		o->grouped = true;
		entsize = 4;
		break;
	case SHT_SYMTAB_SHNDX:
		o->extended = true;
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
	struct elf_syms syms;
	u32 i;

	if (!o->symtab)
		return 0;
	s = &o->sec[o->symtab];
	if (s->size / s->entsize > UINT32_MAX || !s->link || !elf_is_strtab(o, s->link))
		return elf_fail(o, "the symbol table has no strings");
	o->nsyms = s->size / s->entsize;
	if (s->info > o->nsyms)
		return elf_fail(o, "%u local symbols of %u", s->info, o->nsyms);
	syms = elf_syms(o);
	if (s->info > 1 && elf_sym(&syms, s->info - 1).bind != STB_LOCAL)
		return elf_fail(o, "symbol %u is not local", s->info - 1);
	for (i = 1; o->extended && i < o->shnum && !o->shndx; i++) {
		if (o->sec[i].type == SHT_SYMTAB_SHNDX && o->sec[i].link == o->symtab)
			o->shndx = i;
	}
	if (o->shndx && o->sec[o->shndx].size / 4 < o->nsyms)
		return elf_fail(o, "too few extended section indexes");
	return 0;
}

struct elf_extent {
	u64 off, end;
	u32 sec;		/* 0: headers */
};

static int elf_extent_cmp(const void *a, const void *b)
{
	const struct elf_extent *x = a, *y = b;

	return x->off < y->off ? -1 : x->off > y->off;
}

/*
 * No bytes may be of two sections, or of a section and the headers: a call that
 * becomes a NOP, or its relocation, would change more than itself.
 */
static int elf_check_overlap(const struct elf_obj *o, u64 shoff)
{
	struct elf_extent *ext = elf_alloc(o, o->shnum + 2, sizeof(*ext));
	u32 n = 0, i;
	int ret = 0;

	if (!ext)
		return -1;
	ext[n++].end = ELF_SIZE(o, Ehdr);
	ext[n].off = shoff;
	ext[n++].end = shoff + o->shnum * ELF_SIZE(o, Shdr);
	for (i = 1; i < o->shnum; i++) {
		const struct elf_sec *s = &o->sec[i];

		if (s->type == SHT_NULL || s->type == SHT_NOBITS || !s->size)
			continue;
		ext[n++] = (struct elf_extent){ .off = s->off, .end = s->off + s->size, .sec = i };
	}
	qsort(ext, n, sizeof(*ext), elf_extent_cmp);
	for (i = 1; i < n && !ret; i++) {
		const struct elf_extent *a = &ext[i - 1], *b = &ext[i];

		if (b->off < a->end)
			ret = elf_fail(o, "%s and %s overlap",
				       a->sec ? elf_sec_name(o, a->sec) : "the headers",
				       b->sec ? elf_sec_name(o, b->sec) : "the headers");
	}
	free(ext);
	return ret;
}

static inline __attribute__((always_inline))
void elf_read_shdr(const struct elf_obj *o, const u8 *p, struct elf_sec *s)
{
	const struct elf_native_shdr *raw = (const void *)p;

	if (o->native) {
		s->name = raw->e.sh_name;
		s->type = raw->e.sh_type;
		s->flags = raw->e.sh_flags;
		s->addr = raw->e.sh_addr;
		s->off = raw->e.sh_offset;
		s->size = raw->e.sh_size;
		s->link = raw->e.sh_link;
		s->info = raw->e.sh_info;
		s->align = raw->e.sh_addralign;
		s->entsize = raw->e.sh_entsize;
		return;
	}
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
	struct elf_sec *sec;
	u32 i;

	if (!shoff)
		return 0;
	if (ELF_GET(o, o->buf, Ehdr, e_shentsize) != entsize ||
	    !elf_within(shoff, entsize, o->len))
		return elf_fail(o, "the section headers are damaged or cut off");
	if (!shnum)
		shnum = ELF_GET(o, o->buf + shoff, Shdr, sh_size);
	if (shnum > (o->len - shoff) / entsize || shnum > INT32_MAX)
		return elf_fail(o, "the section headers are damaged or cut off");
	o->shstrndx = ELF_GET(o, o->buf, Ehdr, e_shstrndx);
	if (o->shstrndx == SHN_XINDEX)
		o->shstrndx = ELF_GET(o, o->buf + shoff, Shdr, sh_link);
	if (elf_grow(o, &o->sec, &o->max_sec, shnum, sizeof(*o->sec)))
		return -1;
	o->shnum = shnum;
	o->low = ELF_SIZE(o, Ehdr);
	for (i = 0; i < o->shnum; i++) {
		sec = &o->sec[i];
		elf_read_shdr(o, o->buf + shoff + i * entsize, sec);
		/* it stands for "no section": relocations with sh_info 0 are of none */
		if (!i && (sec->type != SHT_NULL || sec->name))
			return elf_fail(o, "the first section header is damaged");
		if (elf_check_sec(o, i))
			return -1;
		if (sec->type == SHT_SYMTAB && !o->symtab)
			o->symtab = i;
	}
	if (!o->shstrndx || o->shstrndx >= o->shnum || !elf_is_strtab(o, o->shstrndx))
		return elf_fail(o, "the sections have no names");
	for (i = 1; i < o->shnum; i++) {
		if (o->sec[i].name >= o->sec[o->shstrndx].size)
			return elf_fail(o, "the name of section %u is damaged", i);
	}
	if ((o->disordered || shoff < o->low || shoff < o->high_end) &&
	    elf_check_overlap(o, shoff))
		return -1;
	return elf_find_symtab(o);
}

/**
 * elf_parse() - read the headers of the object in @o->buf
 * @o: object with path, buf, len and cap filled in
 *
 * On success every section's bytes lie in the buffer and are of no other
 * section, tables have whole entries and valid links, and sec, symtab, shndx,
 * nsyms are set. An object without sections has shnum 0.
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
	o->native = ELF_NATIVE && o->is64 && o->big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (o->len < ELF_SIZE(o, Ehdr))
		return elf_fail(o, "the ELF header is cut off");
	if (ELF_GET(o, o->buf, Ehdr, e_type) != (o->linked ? ET_EXEC : ET_REL))
		return elf_fail(o, "not a %s", o->linked ? "linked kernel" : "relocatable object");
	o->machine = ELF_GET(o, o->buf, Ehdr, e_machine);
	return elf_read_sections(o);
}

/*
 * Append @size bytes, which the caller fills, at the next multiple of @align.
 * Returns where, or 0 (never a valid place) after saying that memory ran out.
 */
static u64 elf_append(struct elf_obj *o, size_t size, size_t align)
{
	size_t off = (o->len + align - 1) / align * align;

	if (elf_grow(o, &o->buf, &o->cap, off + size, 1))
		return 0;
	memset(o->buf + o->len, 0, off - o->len);
	o->len = off + size;
	return off;
}

/* Add a section header (its bytes are appended already). Returns its index, or 0. */
static u32 elf_add_sec(struct elf_obj *o, const struct elf_sec *s)
{
	if (elf_grow(o, &o->sec, &o->max_sec, o->shnum + 1, sizeof(*o->sec)))
		return 0;
	o->sec[o->shnum] = *s;
	return o->shnum++;
}

/* The header of an old section is not what it was. */
static void elf_change_sec(struct elf_obj *o, u32 sec)
{
	if (o->nchanged < ELF_MAX_CHANGED)
		o->changed[o->nchanged] = sec;
	o->nchanged++;
}

/*
 * Let new bytes take the place of the old section headers when these end the
 * file, as assemblers lay it out.
 */
static int elf_drop_headers(struct elf_obj *o)
{
	u64 shoff = ELF_GET(o, o->buf, Ehdr, e_shoff);
	size_t size = o->shnum * ELF_SIZE(o, Shdr);

	if (elf_grow(o, &o->shdr_old, &o->shdr_cap, size, 1))
		return -1;
	memcpy(o->shdr_old, o->buf + shoff, size);
	o->shnum_old = o->shnum;
	if (shoff + size == o->len)
		o->len = shoff;
	return 0;
}

static inline __attribute__((always_inline))
void elf_write_shdr(const struct elf_obj *o, u8 *p, const struct elf_sec *s)
{
	struct elf_native_shdr *raw = (void *)p;

	if (o->native) {
		raw->e.sh_name = s->name;
		raw->e.sh_type = s->type;
		raw->e.sh_flags = s->flags;
		raw->e.sh_addr = s->addr;
		raw->e.sh_offset = s->off;
		raw->e.sh_size = s->size;
		raw->e.sh_link = s->link;
		raw->e.sh_info = s->info;
		raw->e.sh_addralign = s->align;
		raw->e.sh_entsize = s->entsize;
		return;
	}
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
	shoff = elf_append(o, o->shnum * entsize, elf_ptr_size(o));
	if (!shoff)
		return -1;
	if (!o->is64 && o->len > UINT32_MAX)
		return elf_fail(o, "too large for ELF32");
	/* most are as they were */
	if (o->nchanged < ELF_MAX_CHANGED) {
		memcpy(o->buf + shoff, o->shdr_old, o->shnum_old * entsize);
		elf_change_sec(o, 0);
		for (i = 0; i < o->nchanged; i++)
			elf_write_shdr(o, o->buf + shoff + o->changed[i] * entsize,
				       &o->sec[o->changed[i]]);
		i = o->shnum_old;
	} else {
		i = 0;
	}
	for (; i < o->shnum; i++)
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

	off = elf_append(o, s->size + gap, 8);
	if (!off)
		return -1;
	memcpy(o->buf + off, o->buf + s->off, at);
	memset(o->buf + off + at, 0, gap);
	memcpy(o->buf + off + at + gap, o->buf + s->off + at, s->size - at);
	s->off = off;
	s->size += gap;
	elf_change_sec(o, sec);
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
			elf_change_sec(o, i);
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
	elf_change_sec(o, o->symtab);
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
