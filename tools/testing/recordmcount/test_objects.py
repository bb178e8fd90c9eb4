#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""recordmcount on small objects of every architecture, before and after linking.

usage: test_objects.py RECORDMCOUNT WORKDIR

Prints one line a case; exit status 1 if one failed. What is expected comes
from elfread.py and the linker, never from recordmcount.
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import traceback

from elfread import (Bad, Elf, EM_X86_64, EM_386, EM_AARCH64, EM_ARM, SHF_ALLOC, SHF_EXEC,
                     SHT_GROUP, STB_WEAK, STT_FUNC, STT_SECTION)

RMC, WORK = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
passed = failed = skipped = 0

SAMPLE = r"""
#define SEC(s) __attribute__((section(s), noinline, used))
int data = 1;
static __attribute__((noinline)) int helper(int x) { return x * data; }
int first(int x) { return helper(x) + 1; }
int second(int x) { return first(x) - helper(x + 3); }
SEC(".init.text") int start_up(int x) { return second(x); }
SEC(".sched.text") int sched(int x) { return helper(x ^ 5); }
SEC(".text.unlikely") int rare(int x) { return helper(x | 9); }
SEC(".exit.text") int tear_down(int x) { return second(x) + data; }
SEC(".exit.text") int tear_down_more(int x) { return second(x) * data; }
SEC(".discard.text") int gone(int x) { return second(x) - 12; }
__attribute__((no_instrument_function)) int silent(int x) { return second(x); }
void *pointers[] = { first, second, start_up, sched, rare };
__attribute__((no_instrument_function)) void _start(void) { silent(1); }
"""
SAMPLE_SITES = {"helper", "first", "second", "start_up", "sched", "rare"}
HOOKS = """
__attribute__((no_instrument_function)) void __fentry__(void) {}
__attribute__((no_instrument_function)) void mcount(void) {}
__attribute__((no_instrument_function)) void _mcount(void) {}
__attribute__((no_instrument_function)) void __gnu_mcount_nc(void) {}
"""
KERNEL = ["-c", "-O2", "-ffreestanding", "-fno-pie", "-fno-asynchronous-unwind-tables",
          "-fno-unwind-tables", "-fno-stack-protector", "-w"]


def have(*tools):
    return all(shutil.which(t) for t in tools)


class Skip(Exception):
    pass


class Chain:
    """A compiler and linker for one target."""

    def __init__(self, name, cc, ld, machine, nop, flags=(), need=()):
        self.name, self.cc, self.ld, self.machine = name, cc, ld, machine
        self.nop, self.flags, self.need = nop, list(flags), need

    def ready(self):
        return have(self.cc[0], *self.need)

    def compile(self, name, text, flags=(), lang="c", record=True):
        src = os.path.join(WORK, name + ("" if lang == "c" else "-asm") + "." + lang)
        out = os.path.join(WORK, f"{self.name}-{name}.o")
        with open(src, "w") as f:
            f.write(text)
        pg = self.flags if lang == "c" and record else \
            [f for f in self.flags if f not in ("-pg", "-mfentry")]
        run([*self.cc, *KERNEL, *pg, *flags, "-o", out, src])
        return out

    def link(self, out, *args):
        if not have(self.ld[0]):
            raise Skip(f"no {self.ld[0]}")
        out = os.path.join(WORK, f"{self.name}-{out}")
        run([*self.ld, "-o", out, *args])
        return out


X86_NOP, I386_NOP = bytes.fromhex("0f1f440000"), bytes.fromhex("3e8d742600")
ARM64_NOP = bytes.fromhex("1f2003d5")
GNU64 = ["aarch64-linux-gnu-gcc"]
ARMCL = ["clang", "--target=arm-linux-gnueabi", "-march=armv7-a", "-meabi", "gnu"]
CHAINS = [
    Chain("x86_64-fentry", ["gcc"], ["ld"], EM_X86_64, X86_NOP,
          ["-pg", "-mfentry", "-fcf-protection=branch", "-mcmodel=kernel"]),
    Chain("x86_64-mcount", ["gcc"], ["ld"], EM_X86_64, X86_NOP, ["-pg", "-fcf-protection=none"]),
    Chain("x86_64-clang", ["clang"], ["ld"], EM_X86_64, X86_NOP, ["-pg", "-mfentry"]),
    Chain("i386-fentry", ["gcc", "-m32"], ["ld", "-m", "elf_i386"], EM_386, I386_NOP,
          ["-pg", "-mfentry"]),
    Chain("i386-mcount", ["gcc", "-m32"], ["ld", "-m", "elf_i386"], EM_386, I386_NOP, ["-pg"]),
    Chain("arm64", GNU64, ["aarch64-linux-gnu-ld"], EM_AARCH64, ARM64_NOP, ["-pg"]),
    Chain("arm64-big", [*GNU64, "-mbig-endian"], ["aarch64-linux-gnu-ld", "-EB", "-m",
          "aarch64linuxb"], EM_AARCH64, ARM64_NOP, ["-pg"]),
    Chain("arm", ["arm-linux-gnueabi-gcc", "-marm"], ["arm-linux-gnueabi-ld"], EM_ARM,
          bytes.fromhex("0040bde8"), ["-pg"]),
    Chain("arm-thumb", ["arm-linux-gnueabi-gcc", "-mthumb", "-march=armv7-a"],
          ["arm-linux-gnueabi-ld"], EM_ARM, bytes.fromhex("5df804eb"), ["-pg"]),
    Chain("arm-clang", [*ARMCL, "-marm"], ["ld.lld"], EM_ARM, bytes.fromhex("0040bde8"), ["-pg"]),
    Chain("arm-clang-thumb", [*ARMCL, "-mthumb"], ["ld.lld"], EM_ARM,
          bytes.fromhex("5df804eb"), ["-pg"]),
    Chain("arm-clang-big", ["clang", "--target=armeb-linux-gnueabi", "-march=armv7-a", "-marm",
          "-meabi", "gnu"], ["arm-linux-gnueabi-ld", "-EB", "-m", "armelfb_linux_eabi"], EM_ARM,
          bytes.fromhex("e8bd4000"), ["-pg"]),
]
X86 = CHAINS[0]


def run(cmd, **kw):
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
    if r.returncode:
        raise AssertionError(f"{' '.join(cmd)}: status {r.returncode}: {r.stdout.strip()}")
    return r.stdout


def record(*files, flags=(), status=0, **kw):
    """Run recordmcount, return stderr."""
    r = subprocess.run([RMC, *flags, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True, **kw)
    assert r.returncode == status, f"status {r.returncode}, expected {status}: {r.stderr}"
    assert not r.stdout, "output on stdout: " + r.stdout
    return r.stderr


def read(path):
    with open(path, "rb") as f:
        return f.read()


def expect(what, got, want):
    assert got == want, f"{what}: got {got!r}, expected {want!r}"


def names(elf, sites):
    """Names of the functions that hold these sites."""
    out, funcs = set(), elf.functions()
    for sec, off in sites:
        hit = [n for start, size, n in funcs.get(sec, []) if start <= off < start + size]
        assert hit, f"site {sec}+{off:#x} is in no function"
        out.add(hit[0])
    return out


def reloc_view(elf, rel, dead, back):
    """Relocations with symbols by name, to compare across renumbering; no dead calls."""
    out = []
    for off, typ, sym, add in elf.relocs(elf.sections[rel]):
        y = elf.symbols[sym]
        if off - back not in dead:
            out.append((off, typ, y.name, y.type, y.shndx, y.value, add))
    return out


def check_rest(old, new, killed):
    """Nothing but the new sections, section names, groups and killed calls may differ."""
    dead = {}
    for sec, off in killed:
        dead.setdefault(sec, set()).add(off)
    for s in old.sections[1:]:
        n = new.sections[s.index]
        expect(f"section {s.name}", (n.name, n.type, n.flags, n.align, n.entsize),
               (s.name, s.type, s.flags, s.align, s.entsize))
        if s.type == 1:
            a, b = bytearray(old.bytes(s)), bytearray(new.bytes(n))
            size = 5 if old.machine in (EM_X86_64, EM_386) else 4
            for off in dead.get(s.index, ()):
                a[off:off + size] = b[off:off + size] = bytes(size)
            assert a == b, f"bytes of {s.name} differ"
        if s.type in (4, 9):
            back = {EM_X86_64: 1, EM_386: 1}.get(old.machine, 0)
            gone = dead.get(s.info, ())
            expect(f"relocations of {s.name}", reloc_view(new, s.index, gone, back),
                   reloc_view(old, s.index, gone, back))
    key = [(y.name, y.bind, y.type, y.shndx, y.value, y.size) for y in old.symbols]
    have_now = [(y.name, y.bind, y.type, y.shndx, y.value, y.size) for y in new.symbols]
    added = len(have_now) - len(key)
    first = old.symtab.info if old.symbols else 0
    expect("symbols", have_now[:first] + have_now[first + added:], key)
    for y in new.symbols[first:first + added]:
        expect("added symbol", (y.bind, y.type), (0, STT_SECTION))
    return added


def recorded(path, ignored=(".exit.text", ".discard.text"), nop=None, added=None):
    """Run recordmcount on path; check the object; return (old, new)."""
    old = Elf(path)
    old.symbols  # noqa: B018 (parse before the file is replaced)
    calls = old.calls()
    want = [c for c in calls if old.sections[c[0]].name not in ignored]
    kill = [c for c in calls if old.sections[c[0]].name in ignored]
    record(path)
    new = Elf(path)
    expect("sites", new.loc_set(), sorted(want))
    n = check_rest(old, new, kill)
    if added is not None:
        expect("added section symbols", n, added)
    for s in new.section("__mcount_loc"):
        expect("flags of __mcount_loc", s.flags & 0xff, 3)
        expect("alignment of __mcount_loc", s.align, 8 if new.is64 else 4)
    for sec, off in kill:
        if nop:
            got = new.bytes(new.sections[sec])[off:off + len(nop)]
            expect(f"call at {off:#x} of {new.sections[sec].name}", got, nop)
    live = {c for c in new.calls()}
    expect("calls left", sorted(live), sorted(want))
    return old, new


def pointers(elf):
    """The addresses in a linked file's __mcount_loc."""
    ptr, out = (8 if elf.is64 else 4), []
    for s in elf.section("__mcount_loc"):
        d = elf.bytes(s)
        out += [int.from_bytes(d[i:i + ptr], "little" if elf.e == "<" else "big")
                for i in range(0, len(d), ptr)]
    return out


def hook_of(elf, addr):
    """Name of the function that the call instruction at addr goes to, or None."""
    text = next((s for s in elf.sections if s.flags & SHF_EXEC and
                 s.addr <= addr < s.addr + s.size), None)
    if text is None:
        return None
    d = elf.bytes(text)[addr - text.addr:][:5]
    if elf.machine in (EM_X86_64, EM_386) and d[0] == 0xe8:
        to = addr + 5 + int.from_bytes(d[1:5], "little", signed=True)
        to &= (1 << 64) - 1 if elf.is64 else (1 << 32) - 1
    elif elf.machine == EM_AARCH64 and d[3] & 0xfc == 0x94:
        to = int.from_bytes(d[:4], "little") & 0x3ffffff
        to = addr + 4 * (to - (1 << 26) if to & 1 << 25 else to)
    else:
        return None
    return next((y.name for y in elf.symbols if y.value == to and y.type == STT_FUNC), None)


def functions_at(elf, addrs):
    out = set()
    for a in addrs:
        hit = [y.name for y in elf.symbols if y.type == STT_FUNC and y.shndx and
               y.value <= a < y.value + y.size]
        assert hit, f"{a:#x} is in no function"
        out.add(hit[0])
    return out


def check_linked(path, want):
    elf = Elf(path)
    ptrs = pointers(elf)
    if elf.machine != EM_ARM:
        for p in ptrs:
            assert hook_of(elf, p) in ("__fentry__", "mcount", "_mcount"), \
                f"no call of the hook at {p:#x}"
    expect("functions with a site", functions_at(elf, ptrs), want)
    expect("number of pointers", len(set(ptrs)), len(want))
    return elf


# Cases. Each takes a directory of its own through WORK and the chain, if it wants one.
def case_sample(chain):
    """sites, ignored sections, ld -r and final link"""
    for variant in ([], ["-ffunction-sections"], ["-O0"], ["-g"]):
        obj = chain.compile("sample", SAMPLE, variant)
        assert len(Elf(obj).calls()) == len(SAMPLE_SITES) + 3, "the sample has other calls"
        _, new = recorded(obj, nop=chain.nop)
        expect("functions", names(new, new.loc_set()), SAMPLE_SITES)
        hooks = chain.compile("hooks", HOOKS, record=False)
        if not have(chain.ld[0]):
            continue
        part = chain.link("part.o", "-r", obj)
        elf = Elf(part)
        expect("sites after ld -r", elf.loc_set(), sorted(elf.calls()))
        again = chain.link("part2.o", "-r", part, hooks)
        expect("sites after ld -r twice", Elf(again).loc_set(), sorted(Elf(again).calls()))
        check_linked(chain.link("final", again), SAMPLE_SITES)
        check_linked(chain.link("final", obj, hooks), SAMPLE_SITES)


def case_ld_discards_locals(chain):
    """ld -r -x keeps the pointers"""
    obj = chain.compile("sample", SAMPLE)
    recorded(obj)
    elf = Elf(chain.link("x.o", "-r", "-x", obj))
    expect("sites", elf.loc_set(), sorted(elf.calls()))


def case_no_section_symbols(chain):
    """the assembler left section symbols out: another symbol stands in"""
    obj = chain.compile("plain", "int plain(int x) { return x; }\n"
                        "static __attribute__((section(\".other\"), used)) int o(int x)"
                        " { return x + 2; }")
    elf = Elf(obj)
    codes = {s.index for s in elf.sections if s.flags & SHF_EXEC and s.size}
    symbols = {y.shndx for y in elf.symbols if y.type == STT_SECTION}
    if codes <= symbols:
        raise Skip("this assembler writes all section symbols")
    recorded(obj, added=0)
    hooks = chain.compile("hooks", HOOKS, record=False)
    check_linked(chain.link("final", "-e", "plain", obj, hooks), {"plain", "o"})


def case_stripped(chain):
    """no symbol at all in a section: a section symbol is added"""
    strip = "aarch64-linux-gnu-strip" if chain.machine == EM_AARCH64 else "strip"
    if chain.machine == EM_ARM or not have(strip):
        raise Skip("no strip for this target")
    for flags in ([], ["-ffunction-sections"]):
        obj = chain.compile("bare", """
            int glob(int x) { return x + 1; }
            extern int other(int);
            __attribute__((section(".a.text"), used)) static int a(int x) { return other(x); }
            __attribute__((section(".b.text"), used)) static int b(int x) { return other(x+1); }
            __attribute__((weak)) int w(int x) { return other(x + 9); }
            """, flags)
        run([strip, "--strip-unneeded", obj])
        old = Elf(obj)
        bare = {s.index for s in old.sections if s.name in (".a.text", ".b.text")}
        assert not bare & {y.shndx for y in old.symbols if y.name[:1] != "$"}, \
            "strip left symbols"
        recorded(obj, added=2)
        part = Elf(chain.link("part.o", "-r", obj))
        expect("sites after ld -r", part.loc_set(), sorted(part.calls()))


def case_weak(chain):
    """a weak function that loses leaves no site of its own"""
    weak = chain.compile("weak", """
        __attribute__((weak, noinline)) int f(int x) { return x + 100; }
        __attribute__((weak, noinline)) int silent_f(int x) { return x + 101; }
        int user(int x) { return f(x) + silent_f(x) * 3; }
        __attribute__((weak, noinline)) int stays(int x) { return x + 102; }
        """)
    strong = chain.compile("strong", """
        int before(int x) { return x + 2; }
        int f(int x, int y) { return before(x) * 200 + y; }
        __attribute__((no_instrument_function)) int silent_f(int x) { return x * 7; }
        """)
    hooks = chain.compile("hooks", HOOKS, record=False)
    _, elf = recorded(weak)
    by = {y.name for _, _, y in elf.locs() if y.bind == STB_WEAK}
    expect("weak names used", by, {"f", "silent_f", "stays"})
    recorded(strong)
    for final in (chain.link("final", "-e", "user", weak, strong, hooks),
                  chain.link("final2", "-e", "user",
                             chain.link("part.o", "-r", weak, strong), hooks)):
        elf = Elf(final)
        ptrs = pointers(elf)
        good = {p for p in ptrs if hook_of(elf, p)}
        expect("functions with a site", functions_at(elf, good),
               {"user", "f", "stays", "before"})
        # the rest follows a name to a winner that has no call there; were one a
        # call in what a loser left behind, it would be in no function above
        expect("pointers", len(ptrs), 6)
        # the call is behind the prologue, which is a longer one in the f that won: the
        # pointer from the other f leads to something else, and the kernel has to see that
        if chain.machine == EM_AARCH64:
            expect("pointers to no call", len([p for p in ptrs if p not in good]), 2)


def case_aliases(chain):
    """weak aliases: a strong name keeps the site, each of several weak names has one"""
    if "thumb" in chain.name:
        raise Skip("Thumb names relocate to odd addresses, so its sites go by section")
    obj = chain.compile("alias", """
        int strong_name(int x) { return x + 1; }
        __attribute__((weak, alias("strong_name"))) int weak_name(int x);
        __attribute__((weak)) int w1(int x) { return x + 2; }
        __attribute__((weak, alias("w1"))) int w2(int x);
        int user(int x) { return weak_name(x) + w1(x) * w2(x); }
        """)
    over = chain.compile("over", "int weak_name(int x) { return x; } int w1(int x) { return -x; }")
    hooks = chain.compile("hooks", HOOKS, record=False)
    _, elf = recorded(obj)
    weak = [y.name for _, _, y in elf.locs() if y.bind == STB_WEAK]
    expect("weak references", sorted(weak), ["w1", "w2"])
    recorded(over)
    final = Elf(chain.link("final", "-e", "user", obj, over, hooks))
    expect("functions", functions_at(final, set(pointers(final))),
           {"strong_name", "weak_name", "w1", "w2", "user"})


def case_gc(chain):
    """--gc-sections with the kernel's KEEP: every pointer still leads to its call"""
    obj = chain.compile("sample", SAMPLE, ["-ffunction-sections"])
    recorded(obj)
    hooks = chain.compile("hooks", HOOKS, record=False)
    script = os.path.join(WORK, "keep.lds")
    with open(script, "w") as f:
        f.write("SECTIONS { .text : { *(.text .text.* .init.text .sched.text) }\n"
                ".data : { *(.data .data.*) }\n"
                "__mcount_loc : { KEEP(*(__mcount_loc)) } }\n")
    check_linked(chain.link("final", "--gc-sections", "-T", script, obj, hooks), SAMPLE_SITES)


COMDAT = """
	.section .text.{name},"axG",{at}progbits,group_{name},comdat
	.globl {name}
	.type {name}, {at}function
{name}:	{call}
	{ret}
	.size {name}, .-{name}
	.text
	.type local_{tag}, {at}function
local_{tag}: {call}
	{ret}
	.size local_{tag}, .-local_{tag}
"""


def case_comdat(chain):
    """a discarded group takes its pointers with it"""
    call = {EM_AARCH64: "bl _mcount", EM_ARM: None}.get(chain.machine, "call __fentry__")
    if not call:
        raise Skip("not written for this target")
    objs = []
    for tag in "ab":
        text = "".join(COMDAT.format(name=n, tag=tag + n, call=call, ret="ret", at="@"
                                     if call[0] == "c" else "%") for n in ("shared", tag + "own"))
        obj = chain.compile("comdat" + tag, text, lang="s")
        old, new = recorded(obj)
        expect("__mcount_loc sections", len(new.section("__mcount_loc")), 3)
        for s in new.sections:
            if s.type == SHT_GROUP:
                words = new.bytes(s)
                ids = [int.from_bytes(words[i:i + 4], "little" if new.e == "<" else "big")
                       for i in range(4, len(words), 4)]
                # code, its relocations, the pointers, their relocations
                expect("group members", len(ids), 4)
                assert all(new.sections[i].flags & 0x200 for i in ids), "member without flag"
        objs.append(obj)
    hooks = chain.compile("hooks", HOOKS, record=False)
    want = {"shared", "aown", "bown", "local_ashared", "local_aaown", "local_bshared",
            "local_bbown"}
    check_linked(chain.link("final", "-e", "shared", *objs, hooks), want)
    part = chain.link("part.o", "-r", *objs)
    elf = Elf(part)
    expect("sites after ld -r", elf.loc_set(), sorted(elf.calls()))
    check_linked(chain.link("final", "-e", "shared", part, hooks), want)


def many_sections(count, extra=0):
    lines = []
    for i in range(count):
        lines.append(f'.section .text.f{i},"ax",@progbits\n.globl f{i}\n.type f{i},@function\n'
                     f'f{i}: call __fentry__\nret\n.size f{i},.-f{i}\n')
    lines += [f'.section .data.d{i},"aw",@progbits\n.byte 1\n' for i in range(extra)]
    return "".join(lines)


def case_many_sections():
    """more than 65,280 sections, and an object that gets there by its new ones"""
    obj = X86.compile("many", many_sections(33000), lang="s")
    assert len(Elf(obj).sections) > 0xff00
    recorded(obj)
    # 0xfeff sections: the two new ones cross the limit
    obj = X86.compile("many", many_sections(32000), lang="s")
    extra = 0xfeff - len(Elf(obj).sections)
    obj = X86.compile("many", many_sections(32000, extra), lang="s")
    expect("sections", len(Elf(obj).sections), 0xfeff)
    recorded(obj)
    elf = Elf(obj)
    expect("sections now", len(elf.sections), 0xff01)
    part = Elf(X86.link("part.o", "-r", obj))
    expect("sites after ld -r", part.loc_set(), sorted(part.calls()))
    run(["readelf", "-SW", obj])


def case_many_sections_without_symbols():
    """section symbols for sections above 65,280"""
    obj = X86.compile("many", many_sections(33000).replace(".globl", "#"), lang="s")
    run(["strip", "--strip-unneeded", obj])
    if any(y.shndx for y in Elf(obj).symbols):
        raise Skip("strip keeps symbols")
    old = Elf(obj)
    if not old.section(".symtab_shndx"):
        err = record(obj, status=1)
        assert "extended section indexes" in err, err
        expect("the object", read(obj), old.data)
        return
    recorded(obj, added=33000)


def case_not_calls():
    """jumps to the hook, its address, and calls of other functions are no sites"""
    obj = X86.compile("notcalls", """
        .text
        .globl f
        .type f, @function
f:      jmp __fentry__
        lea __fentry__(%rip), %rax
        call elsewhere
        ret
        .size f, .-f
        .data
        .quad __fentry__
        """, lang="s")
    before, stat = read(obj), os.stat(obj)
    record(obj)
    expect("the object", read(obj), before)
    expect("the file", (os.stat(obj).st_ino, os.stat(obj).st_mtime_ns),
           (stat.st_ino, stat.st_mtime_ns))


def case_idempotent():
    """an object that has __mcount_loc is left alone"""
    obj = X86.compile("sample", SAMPLE)
    record(obj)
    before, stat = read(obj), os.stat(obj)
    record(obj)
    expect("the object", read(obj), before)
    expect("the file", os.stat(obj).st_ino, stat.st_ino)
    obj = X86.compile("sample", SAMPLE, ["-mrecord-mcount"])
    before = read(obj)
    record(obj)
    expect("gcc's own", read(obj), before)


def case_hard_link():
    """another hard link keeps its bytes"""
    obj = X86.compile("sample", SAMPLE)
    other = os.path.join(WORK, "other-name.o")
    os.link(obj, other)
    before = read(other)
    recorded(obj)
    expect("the other name", read(other), before)
    expect("links of the object", os.stat(obj).st_nlink, 1)
    assert read(obj) != before


def case_symbolic_link():
    """a symbolic link stays one"""
    obj = X86.compile("sample", SAMPLE)
    link = os.path.join(WORK, "link.o")
    os.symlink(os.path.basename(obj), link)
    recorded(link)
    assert os.path.islink(link), "the link was replaced"
    assert Elf(obj).section("__mcount_loc")


def case_mode():
    """the file's mode stays"""
    obj = X86.compile("sample", SAMPLE)
    for mode in (0o600, 0o755, 0o664):
        copy = shutil.copy(obj, os.path.join(WORK, f"mode{mode:o}.o"))
        os.chmod(copy, mode)
        recorded(copy)
        expect("mode", os.stat(copy).st_mode & 0o7777, mode)


def case_warnings():
    """-w names the ignored sections, without it there is silence"""
    obj = X86.compile("sample", SAMPLE)
    copy = shutil.copy(obj, obj + ".copy")
    expect("stderr", record(obj), "")
    err = record(copy, flags=["-w"]).splitlines()
    expect("warnings", len(err), 2)
    assert copy in err[0] and ".exit.text" in err[0] and "2 calls" in err[0], err
    assert ".discard.text" in err[1] and "1 calls" in err[1], err
    expect("the object", read(obj), read(copy))


MARK = bytes.fromhex("0f1f44008f")
KERNEL_LDS = """
SECTIONS {
	. = 0xffffffff81000000;
	.text : { _stext = .; *(.text .text.* .sched.text) }
	.init.text : { _sinittext = .; *(.init.text) _einittext = .; }
	.data : {
		*(.data .data.*)
		. = ALIGN(8); __start_ftrace_sites = .; *(__ftrace_sites)
		__stop_ftrace_sites = .;
	}
	.init.data : {
		*(.init.data)
		. = ALIGN(8); __start_mcount_loc = .; *(__mcount_loc) __stop_mcount_loc = .;
		__start_ftrace_init_sites = .; *(__ftrace_init_sites)
		__stop_ftrace_init_sites = .;
	}
	/DISCARD/ : { *(.exit.text) *(.discard.text) *(.eh_frame) *(.note*) *(.comment) }
}
"""
BUILT = """
__attribute__((section(".init.data"))) unsigned int ftrace_built_sites[5];
int weak_one(void) { return 1; }
"""
LOSERS = """
__attribute__((weak)) int weak_one(void) { return 2; }
__attribute__((weak)) int weak_two(void) { return 3; }
__attribute__((weak, section(".init.text"))) int weak_start(void) { return 4; }
"""


def case_nops():
    """-n -s: NOPs that no one else writes, no relocations left, room for the records"""
    obj = X86.compile("nops", SAMPLE)
    old = Elf(obj)
    want = [c for c in old.calls() if old.sections[c[0]].name not in (".exit.text",
                                                                      ".discard.text")]
    record(obj, flags=["-n", "-s"])
    new = Elf(obj)
    expect("sites", new.loc_set(), sorted(want))
    expect("calls left", new.calls(), [])
    killed = {(r.info, off - 1): sym for r in new.rel_sections()
              for off, typ, sym, addend in new.relocs(r) if not typ and not addend}
    names = {y.index: y.name for y in new.symbols}
    expect("the symbols of relocations that are none",
           [names[killed[c]] for c in want], ["__fentry__"] * len(want))
    for sec, off in want:
        expect(f"site at {off:#x}", new.bytes(new.sections[sec])[off:off + 5], MARK)
    init = sum(old.sections[c[0]].name == ".init.text" for c in want)
    rooms = {s.name: s.size for s in new.sections if s.name.startswith("__ftrace")}
    expect("room", rooms, {"__ftrace_sites": 8 * (len(want) - init),
                           "__ftrace_init_sites": 8 * init})
    before = read(obj)
    record(obj, flags=["-n", "-s"])
    expect("a second run", read(obj), before)
    other = CHAINS[5]
    if other.ready():
        obj = other.compile("nops", SAMPLE)
        before = read(obj)
        assert "no NOPs are known" in record(obj, flags=["-n"], status=1)
        expect("the object of another machine", read(obj), before)


WEAK = """
static __attribute__((noinline, used)) int inner(int x) { return x + 1; }
__attribute__((weak)) int maybe(int x) { return inner(x); }
int sure(int x) { return inner(x) + 3; }
__attribute__((weak, section(".init.text"))) int maybe_init(int x) { return x + 5; }
"""


def case_paths(chain):
    """-p: the path of the source, and which pointers may lead elsewhere"""
    obj = chain.compile("weak", WEAK)
    plain = shutil.copy(obj, os.path.join(WORK, "plain.o"))
    record(plain)
    want = [(loc[:2], None, False) for loc in Elf(plain).locs()]
    sub = os.path.join(WORK, "a", "dir")
    os.makedirs(sub)
    for name, path in (("o.o", "o.c"), ("exactly.o", "exactly.c"), ("a/dir/f.o", "a/dir/f.c"),
                       ("./a/dir/f.o", "a/dir/f.c"), ("a/./f-g_2.x.o", "a/./f-g_2.x.c"),
                       ("o.obj", None), ("a b.o", None), ("\xfc.o", None), (".o", None),
                       (os.path.join(sub, "f.o"), os.path.join(sub, "f.c"))):
        shutil.copy(obj, os.path.join(WORK, name))
        record(name, flags=["-p"], cwd=WORK)
        elf = Elf(os.path.join(WORK, name))
        got = elf.sources()
        expect(f"pointers of {name}", [loc[:2] for loc, _, _ in got], [w[0] for w in want])
        expect(f"path of {name}", {p for _, p, _ in got}, {path})
        weak = {loc[2].name for loc, _, weak in got if weak}
        strong = {loc[2].name for loc, _, weak in got if not weak}
        # Thumb's weak names relocate to odd addresses, so its sites go by section
        expect("weak", weak, set() if chain.name.endswith("thumb") else {"maybe", "maybe_init"})
        assert not strong & {"maybe", "maybe_init"}, strong
        os.unlink(os.path.join(WORK, name))
    if have(chain.ld[0]):
        objs = [shutil.copy(obj, os.path.join(WORK, n)) for n in ("one.o", "two.o")]
        record("one.o", "two.o", flags=["-p"], cwd=WORK)
        part = Elf(chain.link("part.o", "-r", "-z", "muldefs", *objs))
        got = part.sources()
        expect("paths after ld -r", [p for _, p, _ in got],
               ["one.c"] * len(want) + ["two.c"] * len(want))


def case_paths_of_groups():
    """-p: the pointers of each group have their path"""
    text = COMDAT.format(name="shared", tag="x", call="call __fentry__", ret="ret", at="@")
    obj = X86.compile("comdat", text, lang="s")
    record(os.path.basename(obj), flags=["-p", "-n", "-s"], cwd=WORK)
    elf = Elf(obj)
    expect("sections", len(elf.section("__mcount_loc")), 2)
    expect("paths", [p for _, p, _ in elf.sources()], ["x86_64-fentry-comdat.c"] * 2)


def case_link():
    """-l: records in order, no duplicates, none without a call; text with the kernel's NOPs"""
    sample, losers = X86.compile("link", SAMPLE), X86.compile("losers", LOSERS)
    built = X86.compile("built", BUILT, record=False)
    hooks = X86.compile("hooks", HOOKS, record=False)
    for obj in sample, losers:
        record(os.path.relpath(obj, WORK), flags=["-n", "-s", "-p"], cwd=WORK)
    lds = os.path.join(WORK, "kernel.lds")
    with open(lds, "w") as f:
        f.write(KERNEL_LDS)
    vmlinux = X86.link("vmlinux", "-T", lds, losers, sample, built, hooks)
    os.chmod(vmlinux, 0o751)
    record("-l", vmlinux)
    expect("the mode", os.stat(vmlinux).st_mode & 0o777, 0o751)
    elf = Elf(vmlinux)
    value = {y.name: y.value for y in elf.symbols}

    def load(addr, size):
        s = next(s for s in elf.sections if s.flags & SHF_ALLOC and s.type == 1 and
                 s.addr <= addr and addr + size <= s.addr + s.size)
        return elf.bytes(s)[addr - s.addr:][:size]

    def word(addr):
        return int.from_bytes(load(addr, 4), "little")
    count = [word(value["ftrace_built_sites"] + 4 * i) for i in range(5)]
    found, total, sources = [], 0, {}
    pool = value["__start_ftrace_sites"] + 8 * (count[0] + count[3])
    for kind, n, runs in (("", count[0], count[3]), ("init_", count[1], count[4])):
        at = value[f"__start_ftrace_{kind}sites"]
        ips = [value["_stext"] + word(at + 8 * i) for i in range(n)]
        expect("flags", {word(at + 8 * i + 4) for i in range(n)}, {1 << 22 if kind else 0})
        expect("the order", ips, sorted(set(ips)))
        for ip in ips:
            expect(f"text at {ip:#x}", load(ip, 5), X86_NOP)
            total += word(ip)
        found.append(functions_at(elf, ips))
        first = [word(at + 8 * (n + i)) for i in range(runs)] + [n]
        expect("the first run", first[0], 0)
        for i in range(runs):
            path = pool + word(at + 8 * (n + i) + 4) - 1
            text = bytes(load(path, 1)[0] for path in range(path, path + 40)).split(b"\0")[0]
            for ip in ips[first[i]:first[i + 1]]:
                sources.setdefault(text.decode(), set()).update(functions_at(elf, [ip]))
    expect("sites", found[0], SAMPLE_SITES - {"start_up"} | {"weak_two"})
    expect("sites of init text", found[1], {"start_up", "weak_start"})
    expect("the sum", count[2], total & 0xffffffff)
    expect("sources", sources, {"x86_64-fentry-link.c": SAMPLE_SITES,
                                "x86_64-fentry-losers.c": {"weak_two", "weak_start"}})
    # a mark that something overwrote is told, a call that is still there is an error
    again = X86.link("again", "-T", lds, losers, sample, built, hooks)
    data, ip = read(again), value["first"]
    ip += 4 * load(ip, 4).startswith(b"\xf3\x0f\x1e")      # endbr64
    text = next(s for s in elf.sections if s.addr <= ip < s.addr + s.size)
    at = text.off + ip - text.addr
    expect("the mark of a call", data[at:at + 5], MARK)
    with open(again, "wb") as f:
        f.write(data[:at] + b"\x90" * 5 + data[at + 5:])
    assert "1 pointers lead to no call" in record("-l", again)
    call = b"\xe8" + (value["__fentry__"] - ip - 5).to_bytes(4, "little", signed=True)
    with open(again, "wb") as f:
        f.write(data[:at] + call + data[at + 5:])
    before = read(again)
    assert "was not made a NOP" in record("-l", again, status=1)
    expect("the kernel with a call", read(again), before)
    plain = X86.link("plain", sample, hooks, "-e", "_start")
    before = read(plain)
    assert "no symbol" in record("-l", plain, status=1)
    expect("a file that is no kernel", read(plain), before)
    assert "not a linked kernel" in record("-l", sample, status=1)


ENTRIES = r"""
#define SEC(s) __attribute__((section(s), noinline, used))
int leaf(int x);
int calls(int x) { return leaf(x) + 1; }
SEC(".init.text") int start_up(int x) { return leaf(x) * 2; }
__attribute__((weak)) int weak(int x) { return leaf(x) * 3; }
static SEC(".text.local") int local(int x) { return leaf(x) * 5; }
__attribute__((patchable_function_entry(0))) int plain(int x)
{ __asm__("nop; nop"); return local(x); }
"""
MOVE, BTI = bytes.fromhex("e9031eaa"), bytes.fromhex("5f2403d5")


def entries_of(elf):
    """(section, offset of the first instruction behind a landing pad) of all functions."""
    out = {}
    for sec, funcs in elf.functions().items():
        code = elf.bytes(elf.sections[sec])
        for start, _, name in funcs:
            pad = 4 if code[start:start + 4] == BTI else 0
            out[name] = sec, start + pad
    return out


def case_entries():
    """entries that are not calls: the first NOP becomes what functions begin with"""
    chain = next(c for c in CHAINS if c.name == "arm64")
    if not chain.ready():
        raise Skip("no " + chain.cc[0])
    room = ["-fpatchable-function-entry=4,2", "-falign-functions=8"]
    bare = ["-fpatchable-function-entry=2"]
    pads = ["-mbranch-protection=bti"]
    for n, (back, flags) in enumerate(((8, room), (8, room + pads), (0, bare), (0, bare + pads),
                                       (8, room + ["-mbig-endian"]))):
        obj = chain.compile(f"entries{n}", ENTRIES, flags, record=False)
        old, before = Elf(obj), read(obj)
        entries = entries_of(old)
        expect("functions", sorted(entries), ["calls", "local", "plain", "start_up", "weak"])
        want = bytearray(before)
        for name, (sec, off) in entries.items():
            at = old.sections[sec].off + off
            if name == "plain":
                continue
            expect(f"{name} before", before[at:at + 8], ARM64_NOP * 2)
            want[at:at + 4] = MOVE
        expect("stderr", record(obj, flags=["-e", str(back)]), "")
        expect(f"the object of {flags}", read(obj), bytes(want))
        stat = os.stat(obj)
        record(obj, flags=["-e", str(back)])
        expect("the file, again", os.stat(obj).st_ino, stat.st_ino)

    # An entry that is not there, and one of another machine.
    obj = chain.compile("entries", ENTRIES, room, record=False)
    rel = Elf(obj).section(".rela__patchable_function_entries")[0]
    for addend, word in ((1 << 20, "outside"), ((1 << 64) - 8, "outside")):
        data = bytearray(read(obj))
        data[rel.off + 16:rel.off + 24] = addend.to_bytes(8, "little")
        path = os.path.join(WORK, "far.o")
        with open(path, "wb") as f:
            f.write(data)
        unchanged(path, word, flags=["-e", "8"])
    data = bytearray(read(obj))
    data[rel.off + 8:rel.off + 12] = (258).to_bytes(4, "little")
    with open(path, "wb") as f:
        f.write(data)
    unchanged(path, "unknown relocation", flags=["-e", "8"])
    unchanged(X86.compile("sample", SAMPLE), "no entries are known", flags=["-e", "8"])


def case_usage():
    """no object, unknown options"""
    for room in "", "x", "-4", "7", "68", "8x":
        assert "usage" in record("x.o", flags=["-e", room], status=2)
    assert "usage" in record("-e", "8", status=2)
    assert "usage" in record(status=2)
    record("-q", "x.o", status=2)


def unchanged(path, word, **kw):
    before = read(path)
    err = record(path, status=1, **kw)
    assert path in err and word in err, f"stderr was {err!r}"
    expect("the object", read(path), before)


def case_bad_files():
    """missing, directory, fifo, empty, text, executable, foreign machine"""
    assert "No such file" in record(os.path.join(WORK, "missing.o"), status=1)
    sub = os.path.join(WORK, "dir.o")
    os.mkdir(sub)
    err = record(sub, status=1)
    assert "directory" in err, err
    fifo = os.path.join(WORK, "fifo.o")
    os.mkfifo(fifo)
    assert "regular" in record(fifo, status=1, timeout=10)
    for name, text, word in (("empty.o", b"", "not an ELF"), ("text.o", b"hello\n" * 30, "ELF"),
                             ("magic.o", b"\x7fELF", "ELF"),
                             ("short.o", b"\x7fELF\2\1\1" + b"\0" * 20, "cut off"),
                             ("class.o", b"\x7fELF\7\1\1" + b"\0" * 90, "class 7")):
        path = os.path.join(WORK, name)
        with open(path, "wb") as f:
            f.write(text)
        unchanged(path, word)
    obj = X86.compile("sample", SAMPLE)
    hooks = X86.compile("hooks", HOOKS, record=False)
    unchanged(X86.link("final", obj, hooks), "relocatable")
    for machine in (8, 20, 999):
        data = bytearray(read(obj))
        data[18:20] = machine.to_bytes(2, "little")
        path = os.path.join(WORK, "foreign.o")
        with open(path, "wb") as f:
            f.write(data)
        unchanged(path, f"unsupported machine {machine}")
    x32 = os.path.join(WORK, "x32.o")
    run(["gcc", "-mx32", *KERNEL, "-pg", "-mfentry", "-o", x32, os.path.join(WORK, "sample.c")])
    unchanged(x32, "unsupported machine 62 (ELF32)")


def move_section(obj, name, off, size=None):
    """A copy of an x86_64 object that says a section's bytes lie at off."""
    elf, data = Elf(obj), bytearray(read(obj))
    at = elf.shoff + 64 * elf.section(name)[0].index
    data[at + 24:at + 32] = off.to_bytes(8, "little")
    if size is not None:
        data[at + 32:at + 40] = size.to_bytes(8, "little")
    path = os.path.join(WORK, "moved.o")
    with open(path, "wb") as f:
        f.write(data)
    return path


def case_overlap():
    """sections that share bytes: what is ignored in one would be lost in the other"""
    obj = X86.compile("sample", SAMPLE)
    elf = Elf(obj)
    sec = {s.name: s for s in elf.sections}
    gone, text = sec[".rela.exit.text"], sec[".rela.text"]
    for flags in [], ["-n", "-s"]:
        for name, off, word in (
                (".rela.exit.text", text.off, ".rela.exit.text"),
                (".rela.exit.text", text.off + 24, ".rela.text and .rela.exit.text overlap"),
                (".rela.text", gone.off + gone.size - 24, "overlap"),
                (".exit.text", sec[".text"].off, "overlap"),
                (".exit.text", text.off, "overlap"),
                (".exit.text", 40, "the headers and .exit.text overlap"),
                (".rela.exit.text", elf.shoff, "overlap"),
                (".symtab", sec[".strtab"].off - 24, "overlap")):
            unchanged(move_section(obj, name, off), word, flags=flags)
    # in another order, but nothing is in two sections
    data = read(obj)
    for name in ".rela.text", ".exit.text", ".symtab":
        away = os.path.join(WORK, "away.o")
        with open(away, "wb") as f:
            f.write(data + bytes(-len(data) % 8) + elf.bytes(sec[name]))
        moved = move_section(away, name, len(data) + -len(data) % 8)
        record(moved)
        expect("sites", Elf(moved).loc_set(),
               sorted(c for c in elf.calls()
                      if elf.sections[c[0]].name not in (".exit.text", ".discard.text")))
    # no bytes are nowhere
    empty = move_section(obj, ".comment", sec[".text"].off + 1, 0)
    record(empty)
    assert Elf(empty).section("__mcount_loc")


def case_first_header():
    """the first section header stands for no section: it has neither a type nor a name"""
    obj = X86.compile("sample", SAMPLE)
    elf, data = Elf(obj), read(obj)
    text, rela = elf.section(".text")[0], elf.section(".rela.text")[0]
    header = bytearray(data[elf.shoff + 64 * text.index:][:64])
    # the relocations of .text are said to be of section 0, which lies anywhere
    header[0:4] = bytes(4)
    header[24:32] = (1 << 44).to_bytes(8, "little")
    named = (0xfffffff0).to_bytes(4, "little") + bytes(60)
    path = os.path.join(WORK, "first.o")
    for first, info in ((bytes(header), 0), (named, text.index)):
        new = bytearray(data)
        new[elf.shoff:elf.shoff + 64] = first
        at = elf.shoff + 64 * rela.index + 44
        new[at:at + 4] = info.to_bytes(4, "little")
        with open(path, "wb") as f:
            f.write(new)
        for flags in [], ["-n", "-s"]:
            unchanged(path, "the first section header", flags=flags)


def case_one_bad_of_three():
    """a bad file stops neither the one before nor the one after it"""
    good = X86.compile("sample", SAMPLE)
    objs = [shutil.copy(good, os.path.join(WORK, f"{i}.o")) for i in (1, 3)]
    bad = os.path.join(WORK, "2.o")
    with open(bad, "wb") as f:
        f.write(read(good)[:300])
    err = record(objs[0], bad, objs[1], status=1)
    expect("lines", len(err.splitlines()), 1)
    assert bad in err
    for o in objs:
        assert Elf(o).section("__mcount_loc")


def as_nobody():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def case_not_writable():
    """an object or a directory that may not be written"""
    obj = X86.compile("sample", SAMPLE)
    private = os.path.join("/tmp", f"recordmcount-test-{os.getpid()}")
    os.mkdir(private, 0o755)
    try:
        rmc = shutil.copy(RMC, os.path.join(private, "recordmcount"))
        for mode, word in ((0o444, "Permission denied"), (0o666, "cannot write")):
            copy = shutil.copy(obj, os.path.join(private, "o.o"))
            os.chmod(copy, mode)
            os.chmod(private, 0o555)
            before = read(copy)
            r = subprocess.run([rmc, copy], stderr=subprocess.PIPE, text=True,
                               preexec_fn=as_nobody)
            os.chmod(private, 0o755)
            expect("status", r.returncode, 1)
            assert word in r.stderr and copy in r.stderr, r.stderr
            expect("the object", read(copy), before)
            expect("files", sorted(os.listdir(private)), ["o.o", "recordmcount"])
            os.unlink(copy)
    finally:
        os.chmod(private, 0o755)
        shutil.rmtree(private)


def case_disk_full():
    """a write that fails half way leaves the old object and nothing else"""
    obj = X86.compile("sample", SAMPLE, ["-g"])
    files = sorted(os.listdir(WORK))

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    unchanged(obj, "cannot write", preexec_fn=limit)
    expect("files", sorted(os.listdir(WORK)), files)


def case_no_symbols():
    """an object without symbols or sections has nothing to record"""
    obj = X86.compile("nothing", "", lang="s")
    before = read(obj)
    record(obj)
    expect("the object", read(obj), before)
    data = bytearray(before[:64])
    data[0x28:0x30] = bytes(8)
    data[0x3c:0x40] = bytes(4)
    path = os.path.join(WORK, "nosections.o")
    with open(path, "wb") as f:
        f.write(data)
    record(path)
    expect("the object", read(path), bytes(data))


EVERY_CHAIN = (case_sample, case_ld_discards_locals, case_no_section_symbols, case_stripped,
               case_weak, case_aliases, case_gc, case_comdat, case_paths)
ONCE = (case_many_sections, case_many_sections_without_symbols, case_not_calls,
        case_idempotent, case_hard_link, case_symbolic_link, case_mode, case_warnings,
        case_usage, case_bad_files, case_overlap, case_first_header, case_one_bad_of_three,
        case_not_writable, case_disk_full, case_no_symbols, case_nops, case_entries, case_link, case_paths_of_groups)


def do(name, func, *args):
    global passed, failed, skipped, WORK
    top, WORK = WORK, os.path.join(WORK, name.replace("/", "-"))
    os.makedirs(WORK)
    try:
        func(*args)
        passed += 1
        print(f"ok   {name}: {func.__doc__}")
    except Skip as e:
        skipped += 1
        print(f"skip {name}: {e}")
    except (AssertionError, Bad, subprocess.SubprocessError, OSError) as e:
        failed += 1
        print(f"FAIL {name}: {func.__doc__}: {e}")
        if not str(e):
            traceback.print_exc()
    shutil.rmtree(WORK)
    WORK = top
    sys.stdout.flush()


def main():
    for chain in CHAINS:
        if not chain.ready():
            print(f"skip {chain.name}: no {chain.cc[0]}")
            continue
        for func in EVERY_CHAIN:
            # ARM's linked code is not decoded here, the pointers' functions are
            if chain.machine == EM_ARM and func in (case_weak, case_comdat):
                continue
            do(f"{chain.name}/{func.__name__[5:]}", func, chain)
    for func in ONCE:
        do(func.__name__[5:], func)
    print(f"objects: {passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
