# SPDX-License-Identifier: GPL-2.0
"""A small reader of relocatable and linked ELF files for recordmcount's tests.

It shares nothing with scripts/recordmcount.*: what the tests expect is worked
out here from the ELF specification alone. ELF32 and ELF64, both byte orders,
REL and RELA, extended section indexes. Damaged files raise Bad.
"""
import bisect
import struct

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_NOBITS, SHT_REL = 1, 2, 3, 4, 8, 9
SHT_GROUP, SHT_SYMTAB_SHNDX = 17, 18
SHF_WRITE, SHF_ALLOC, SHF_EXEC, SHF_GROUP = 1, 2, 4, 0x200
STT_FUNC, STT_SECTION = 2, 3
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
EM_386, EM_ARM, EM_X86_64, EM_AARCH64 = 3, 40, 62, 183
ABS = {EM_386: 1, EM_ARM: 2, EM_X86_64: 1, EM_AARCH64: 257}
# machine: relocation types of calls, bytes from the site to r_offset, hooks
CALLS = {
    EM_X86_64: ((2, 4), 1, ("__fentry__", "mcount")),
    EM_386: ((2, 4), 1, ("__fentry__", "mcount")),
    EM_AARCH64: ((283,), 0, ("_mcount",)),
    EM_ARM: ((1, 28, 10), 0, ("__gnu_mcount_nc", "mcount")),
}


class Bad(Exception):
    pass


class Section:
    __slots__ = ("index", "name", "nameoff", "type", "flags", "addr", "off", "size",
                 "link", "info", "align", "entsize")


class Symbol:
    __slots__ = ("index", "name", "bind", "type", "shndx", "value", "size")


class Elf:
    def __init__(self, path, data=None):
        self.path = path
        if data is None:
            with open(path, "rb") as f:
                data = f.read()
        self.data = data
        try:
            self._parse()
        except (struct.error, IndexError) as e:
            raise Bad(f"{path}: {e}")

    def _parse(self):
        d = self.data
        if d[:4] != b"\x7fELF" or d[4] not in (1, 2) or d[5] not in (1, 2):
            raise Bad(f"{self.path}: not ELF")
        self.is64, self.e = d[4] == 2, "<" if d[5] == 1 else ">"
        e = self.e
        self.type, self.machine = struct.unpack_from(e + "HH", d, 16)
        if self.is64:
            shoff, = struct.unpack_from(e + "Q", d, 0x28)
            shent, shnum, shstr = struct.unpack_from(e + "HHH", d, 0x3a)
            fmt = e + "IIQQQQIIQQ"
        else:
            shoff, = struct.unpack_from(e + "I", d, 0x20)
            shent, shnum, shstr = struct.unpack_from(e + "HHH", d, 0x2e)
            fmt = e + "IIIIIIIIII"
        self.shoff, self.sections, self._symbols = shoff, [], None
        if not shoff:
            return
        first = struct.unpack_from(fmt, d, shoff)
        shnum = shnum or first[5]
        shstr = first[6] if shstr == 0xffff else shstr
        if shoff + shnum * shent > len(d):
            raise Bad(f"{self.path}: section headers cut off")
        self.shstr = shstr
        for i in range(shnum):
            s = Section()
            (s.nameoff, s.type, s.flags, s.addr, s.off, s.size, s.link, s.info, s.align,
             s.entsize) = struct.unpack_from(fmt, d, shoff + i * shent)
            s.index = i
            if i and s.type not in (0, SHT_NOBITS) and s.off + s.size > len(d):
                raise Bad(f"{self.path}: section {i} cut off")
            self.sections.append(s)
        for s in self.sections:
            s.name = self.string(self.sections[shstr], s.nameoff)

    def string(self, table, off):
        if off >= table.size:
            return ""
        end = self.data.find(b"\0", table.off + off, table.off + table.size)
        return self.data[table.off + off:end].decode("latin1") if end >= 0 else ""

    def bytes(self, s):
        return b"" if s.type == SHT_NOBITS else self.data[s.off:s.off + s.size]

    def section(self, name):
        return [s for s in self.sections[1:] if s.name == name]

    @property
    def symbols(self):
        if self._symbols is not None:
            return self._symbols
        self._symbols = out = []
        tab = next((s for s in self.sections[1:] if s.type == SHT_SYMTAB), None)
        self.symtab = tab
        if not tab:
            return out
        ext = next((s for s in self.sections[1:]
                    if s.type == SHT_SYMTAB_SHNDX and s.link == tab.index), None)
        strings = self.sections[tab.link]
        fmt = self.e + ("IBBHQQ" if self.is64 else "IIIBBH")
        size = struct.calcsize(fmt)
        for i in range(tab.size // size):
            f = struct.unpack_from(fmt, self.data, tab.off + i * size)
            y = Symbol()
            if self.is64:
                name, info, _, y.shndx, y.value, y.size = f
            else:
                name, y.value, y.size, info, _, y.shndx = f
            y.index, y.name = i, self.string(strings, name)
            y.bind, y.type = info >> 4, info & 15
            if y.shndx == 0xffff and ext:
                y.shndx, = struct.unpack_from(self.e + "I", self.data, ext.off + 4 * i)
            elif y.shndx >= 0xff00:
                y.shndx = 0
            out.append(y)
        return out

    def relocs(self, s):
        """(offset, type, symbol index, addend or None) of relocation section s."""
        rela = s.type == SHT_RELA
        fmt = self.e + ("QQ" if self.is64 else "II")
        if rela:
            fmt += "q" if self.is64 else "i"
        for f in struct.iter_unpack(fmt, self.data[s.off:s.off + s.size]):
            if self.is64:
                yield f[0], f[1] & 0xffffffff, f[1] >> 32, f[2] if rela else None
            else:
                yield f[0], f[1] & 0xff, f[1] >> 8, f[2] if rela else None

    def rel_sections(self):
        return [s for s in self.sections[1:] if s.type in (SHT_REL, SHT_RELA)]

    def is_call(self, text, off, typ):
        d = self.data[text.off + off:text.off + off + 4]
        if self.machine in (EM_X86_64, EM_386):
            return d[0] == 0xe8
        if self.machine == EM_AARCH64:
            return d[3] & 0xfc == 0x94
        if self.machine == EM_ARM:
            word, = struct.unpack(self.e + "I", d)
            half, = struct.unpack_from(self.e + "H", d)
            return half >> 11 == 0x1e if typ == 10 else word >> 24 & 15 == 0xb
        return False

    def calls(self):
        """All calls of the entry hook: list of (section index, offset of the call)."""
        types, back, hooks = CALLS[self.machine]
        hook = {y.index for y in self.symbols if y.bind != STB_LOCAL and y.name in hooks}
        out = []
        for r in self.rel_sections():
            text = self.sections[r.info]
            if not text.flags & SHF_EXEC:
                continue
            for off, typ, sym, _ in self.relocs(r):
                if sym in hook and typ in types and self.is_call(text, off - back, typ):
                    out.append((text.index, off - back))
        return out

    def locs(self):
        """What __mcount_loc points to: list of (section index, offset, symbol).

        Checks on the way that every pointer has exactly one relocation of the
        right kind.
        """
        return [at for at, _, _ in self.sources()]

    def sources(self):
        """What __mcount_loc says: list of (what locs() has, source path, by a weak name)."""
        ptr = 8 if self.is64 else 4
        out = []
        for s in self.section("__mcount_loc"):
            found = {}
            seen = set()
            for r in self.rel_sections():
                if r.info != s.index:
                    continue
                for off, typ, sym, add in self.relocs(r):
                    if off % ptr or off in seen or off >= s.size:
                        raise Bad(f"{self.path}: odd offset {off} in __mcount_loc")
                    if typ != ABS[self.machine]:
                        raise Bad(f"{self.path}: relocation type {typ} in __mcount_loc")
                    seen.add(off)
                    if add is None:
                        add = int.from_bytes(self.data[s.off + off:s.off + off + ptr],
                                             "little" if self.e == "<" else "big")
                    y = self.symbols[sym]
                    found[off] = (y.shndx, (y.value + add) % (1 << 8 * ptr), y)
            out += self.with_sources(s, ptr, found)
        return out

    def with_sources(self, s, ptr, found):
        """sources() of a section whose words at offsets found are pointers."""
        out, path, weak, off, d = [], None, False, 0, self.bytes(s)
        while off < s.size:
            word = d[off:off + ptr]
            if off in found:
                out.append((found[off], path, weak))
                weak = False
            elif word == b":weak:\0\0"[:ptr]:
                weak = True
            elif word == b":src:\0\0\0"[:ptr]:
                end = d.index(b"\0", off + ptr) if b"\0" in d[off + ptr:] else s.size
                path = d[off + ptr:end].decode("latin1")
                off = end // ptr * ptr
                if any(o in found for o in range(off - len(path) // ptr * ptr, off + 1, ptr)) or \
                        d[end:off + ptr].strip(b"\0") or off >= s.size:
                    raise Bad(f"{self.path}: odd path {path!r} in __mcount_loc")
            else:
                raise Bad(f"{self.path}: neither pointer nor mark at {off} of __mcount_loc")
            off += ptr
        return out

    def loc_set(self):
        return sorted({(sec, off) for sec, off, _ in self.locs()})

    def entries(self, room):
        """Where the compiler says that it left NOPs, for arm64: list of (section index, offset
        of the first NOP of two at the function's entry), behind @room bytes and a landing pad.
        """
        out = []
        for r in self.rel_sections():
            if self.sections[r.info].name != "__patchable_function_entries":
                continue
            for _, typ, sym, add in self.relocs(r):
                y = self.symbols[sym]
                at = y.value + add + room
                if typ != ABS[self.machine] or not y.shndx:
                    raise Bad(f"{self.path}: odd relocation in {self.sections[r.info].name}")
                # bti, bti c, bti j, bti jc
                if room and self.word(y.shndx, at) & 0xffffff3f == 0xd503241f:
                    at += 4
                out.append((y.shndx, at))
        return out

    def word(self, section, off):
        """The instruction of arm64 at an offset."""
        s = self.sections[section]
        if off < 0 or off + 4 > s.size:
            raise Bad(f"{self.path}: an entry outside of {s.name}")
        return int.from_bytes(self.data[s.off + off:s.off + off + 4], "little")

    def functions(self):
        """section index -> sorted list of (start, size, name) of its functions."""
        out = {}
        for y in self.symbols:
            if y.type == STT_FUNC and y.shndx:
                start = y.value & ~1 if self.machine == EM_ARM else y.value
                out.setdefault(y.shndx, []).append((start, y.size, y.name))
        for v in out.values():
            v.sort()
        return out

    def name_sites(self, sites):
        """[(section, offset)] -> sorted list of 'section: function+offset'."""
        funcs, out = self.functions(), []
        for sec, off in sites:
            f = funcs.get(sec, [])
            i = bisect.bisect_right(f, (off, 1 << 64, "")) - 1
            where = f"{f[i][2]}+{off - f[i][0]:#x}" if i >= 0 else f"{off:#x}"
            out.append(f"{self.sections[sec].name}: {where}")
        return sorted(out)
