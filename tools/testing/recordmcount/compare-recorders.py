#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do all recorders find the same call sites in a kernel build?

usage: compare-recorders.py [--objects N] [--seed N] [--against BUILD] RECORDMCOUNT BUILD WORKDIR

BUILD is a finished x86_64 kernel build with any recorder, or an arm64 one; nothing in it
is changed. For x86_64, from copies of its objects without __mcount_loc, function by function:

- what RECORDMCOUNT records is what the calls' relocations say,
- what the build's own recorder recorded,
- what `objtool --mcount` records,
- what `gcc -mrecord-mcount` records, compiling again from the saved commands:
  N objects that the seed chooses (0: none; 100 and seed 1, if not given).

For arm64, where the compiler leaves room for the tracer at the entry of functions and
lists the entries (if the build has it), each of the listed ones is what RECORDMCOUNT makes
of it. N objects are compiled again with -pg, chosen likewise: what is recorded is every
`bl _mcount`, and the functions that have one are those that have an entry.

For x86_64 then each module, vmlinux.o and vmlinux: their tables are their calls, and no
pointer of vmlinux leads out of the functions. With --against the functions of
both builds' vmlinux and modules are compared by name.
"""
import argparse
import bisect
import collections
import concurrent.futures
import os
import random
import re
import shlex
import subprocess
import sys

from elfread import Bad, Elf, SHF_EXEC, STT_FUNC

results = collections.Counter()
IGNORED = (".exit.text", ".discard.text")
ROOM = "-fpatchable-function-entry="
ROOM_USED = "-DCC_USING_PATCHABLE_FUNCTION_ENTRY"  # what notrace is depends on it


def say(ok, name, text):
    results[ok] += 1
    print(f"{'ok  ' if ok else 'FAIL'} compare/{name}: {text}", flush=True)


def saved_command(obj):
    """(command, source) that made obj, or None."""
    d, f = os.path.split(obj)
    try:
        with open(os.path.join(d, f".{f}.cmd")) as c:
            text = c.read()
    except OSError:
        return None
    cmd = re.search(r"^savedcmd_\S+ := (.*)$", text, re.M)
    src = re.search(r"^source_\S+ := (.*\.c)$", text, re.M)
    return (cmd.group(1), src.group(1)) if cmd and src else None


def find_objects(build, flag):
    """Objects of the build that were compiled with a flag, as paths below it."""
    out = []
    for d, _, files in os.walk(build):
        for f in files:
            if not f.endswith(".o"):
                continue
            path = os.path.join(d, f)
            saved = saved_command(path)
            if saved and f" {flag}" in saved[0]:
                out.append(os.path.relpath(path, build))
    return sorted(out)


def functions_at(elf, pairs):
    """The functions of sites, one for each site."""
    return [name.rsplit("+", 1)[0] for name in sites_of(elf, pairs)]


def sites_of(elf, pairs):
    return elf.name_sites([p for p in set(pairs) if elf.sections[p[0]].name not in IGNORED])


def tool(*cmd, **kw):
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
    if r.returncode:
        raise Bad(f"{cmd[0]}: status {r.returncode}: {r.stdout[-400:]}")


def difference(a, b):
    one, two = sorted(set(a) - set(b)), sorted(set(b) - set(a))
    return f"only here: {one[:3]}, only there: {two[:3]}"


class Compare:
    def __init__(self, rmc, build, work):
        self.rmc, self.build, self.work = os.path.abspath(rmc), build, work
        self.objtool = os.path.join(os.path.abspath(build), "tools/objtool/objtool")
        self.sites = {}         # of objects, as name_sites() has them
        self.entries = {}       # of objects: the functions that the compiler lists
        self.bad = collections.defaultdict(list)
        self.done = collections.Counter()

    def check(self, what, obj, got):
        self.done[what] += 1
        if got != self.sites[obj]:
            self.bad[what].append(f"{obj}: {difference(self.sites[obj], got)}")

    def one_object(self, obj):
        """Compare what needs no compiling."""
        path = os.path.join(self.build, obj)
        try:
            elf = Elf(path)
            if not elf.calls() and not elf.section("__mcount_loc"):
                return
            tmp = os.path.join(self.work, obj.replace("/", ":"))
            tool("objcopy", "--remove-section=__mcount_loc",
                 "--remove-section=.rela__mcount_loc", path, tmp)
            bare = Elf(tmp)
            tool("cp", tmp, tmp + ".objtool")
            tool(self.rmc, tmp)
            ours = Elf(tmp)
            self.sites[obj] = sites_of(ours, ours.loc_set())
            self.check("relocations", obj, sites_of(bare, bare.calls()))
            if elf.section("__mcount_loc"):
                self.check("build", obj, sites_of(elf, elf.loc_set()))
            if os.path.exists(self.objtool):
                tool(self.objtool, "--mcount", tmp + ".objtool")
                other = Elf(tmp + ".objtool")
                self.check("objtool", obj, sites_of(other, other.loc_set()))
            os.unlink(tmp)
            os.unlink(tmp + ".objtool")
        except Bad as e:
            self.bad["objects"].append(f"{obj}: {e}")

    def compile(self, obj, flag):
        """Compile obj once more with another flag; returns the object."""
        cmd, _ = saved_command(os.path.join(self.build, obj))
        out = os.path.join(self.work, obj.replace("/", ":") + ".cc.o")
        words = shlex.split(cmd.split(" ; ")[0])
        words = [w for w in words if not w.startswith("-Wp,-MMD,") and
                 (flag != "-pg" or not w.startswith((ROOM, ROOM_USED)))]
        words[words.index("-o") + 1] = out
        tool(*words, flag, cwd=self.build)
        return out

    def with_compiler(self, obj):
        """Compare with what gcc -mrecord-mcount records."""
        try:
            out = self.compile(obj, "-mrecord-mcount")
            elf = Elf(out)
            self.check("compiler", obj, sites_of(elf, elf.loc_set()))
            os.unlink(out)
        except Bad as e:
            self.bad["compiler"].append(f"{obj}: {e}")

    def with_entries(self, obj):
        """arm64: what the build has made of each entry that the compiler lists."""
        try:
            room = re.search(re.escape(ROOM) + r"\d+(?:,(\d+))?",
                             saved_command(os.path.join(self.build, obj))[0])
            elf = Elf(os.path.join(self.build, obj))
            entries = elf.entries(4 * int(room[1] or 0))
            # mov x9, x30; nop
            bad = [e for e in entries if (elf.word(*e), elf.word(e[0], e[1] + 4)) !=
                   (0xaa1e03e9, 0xd503201f)]
            self.done["entries"] += 1
            if bad:
                self.bad["entries"].append(f"{obj}: {sites_of(elf, bad)[:3]}")
            self.entries[obj] = functions_at(elf, entries)
        except Bad as e:
            self.bad["entries"].append(f"{obj}: {e}")

    def with_mcount(self, obj):
        """arm64: compile with -pg, compare what we record with the calls."""
        try:
            out = self.compile(obj, "-pg")
            elf = Elf(out)
            self.sites[obj] = sites_of(elf, elf.calls())
            if obj in self.entries:
                calls = functions_at(elf, elf.calls())
                self.done["functions"] += 1
                if calls != self.entries[obj]:
                    self.bad["functions"].append(
                        f"{obj}: {difference(calls, self.entries[obj])}")
            tool(self.rmc, out)
            ours = Elf(out)
            self.check("mcount", obj, sites_of(ours, ours.loc_set()))
            os.unlink(out)
        except Bad as e:
            self.bad["mcount"].append(f"{obj}: {e}")

    def report(self, what, name, text):
        if not self.done[what] and not self.bad[what]:
            print(f"skip compare/{name}: nothing to compare with")
            return
        for line in self.bad[what][:5]:
            print(f"     {line}")
        say(not self.bad[what], name, f"{text}: {self.done[what]} objects, "
            f"{len(self.bad[what])} differ")


def for_some(func, objects, n, seed):
    """Call func for n objects that the seed chooses."""
    some = random.Random(seed).sample(objects, min(n, len(objects)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(func, some))


def compare_arm64(c, objects, n, seed, written):
    if written:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(c.with_entries, objects))
        total = sum(len(f) for f in c.entries.values())
        c.report("entries", "entries", f"{total} entries that the compiler lists are written")
        if not total:
            say(False, "entries", "there are none")
    for_some(c.with_mcount, objects, n, seed)
    total = sum(len(s) for s in c.sites.values())
    c.report("mcount", "arm64", f"{total} sites compiled with -pg (seed {seed})")
    c.report("functions", "functions", "and their functions are those with an entry")
    return not total


def compare_objects(c, objects, n, seed):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(c.one_object, objects))
    total = sum(len(s) for s in c.sites.values())
    for line in c.bad["objects"][:5]:
        print(f"     {line}")
    say(not c.bad["objects"] and total > 0, "objects",
        f"{len(objects)} objects compiled for tracing, {len(c.sites)} with calls, {total} sites")
    c.report("relocations", "relocations", "what we record is every relocated call")
    c.report("build", "build", "and what the build's recorder recorded")
    c.report("objtool", "objtool", "and what objtool --mcount records")
    if not n:
        print("skip compare/compiler: no objects asked for (--objects)")
        return
    for_some(c.with_compiler, sorted(c.sites), n, seed)
    c.report("compiler", "compiler", f"and what gcc -mrecord-mcount records (seed {seed})")


def functions_of(elf):
    """Sorted (start, end, name) of a linked file's functions."""
    return sorted((y.value, y.value + y.size, y.name) for y in elf.symbols
                  if y.type == STT_FUNC and y.shndx and y.size)


def vmlinux_table(path):
    """(names of functions with a site, pointers that lead to no call, pointers)"""
    elf = Elf(path)
    at = {y.name: y.value for y in elf.symbols if y.name.endswith("_mcount_loc")}
    start, stop = at["__start_mcount_loc"], at["__stop_mcount_loc"]
    s = next(s for s in elf.sections if s.flags & 2 and s.addr <= start < s.addr + s.size)
    data = elf.data[s.off + start - s.addr:s.off + stop - s.addr]
    words = [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]
    # the paths of sources are no addresses
    ptrs = [w for w in words if w >> 63]
    hooks = {y.value for y in elf.symbols if y.name in ("__fentry__", "mcount")}
    code = [s for s in elf.sections if s.flags & SHF_EXEC]
    funcs, names, lost, i = functions_of(elf), [], 0, 0
    for p in sorted(set(ptrs)):
        text = next((s for s in code if s.addr <= p < s.addr + s.size - 4), None)
        off = text.off + p - text.addr if text else 0
        d = elf.data[off:off + 5] if text else b""
        to = (p + 5 + int.from_bytes(d[1:], "little", signed=True)) % (1 << 64)
        call = d[:1] == b"\xe8" and to in hooks or d == bytes.fromhex("0f1f440000")
        while i < len(funcs) and funcs[i][1] <= p:
            i += 1
        inside = i < len(funcs) and funcs[i][0] <= p
        if call and inside:
            names.append(funcs[i][2])
        else:
            lost += 1
    return collections.Counter(names), lost, len(ptrs)


def compare_linked(build, own):
    """Modules and vmlinux.o: the table is the calls."""
    mods = sorted(os.path.join(d, f) for d, _, fs in os.walk(build) for f in fs
                  if f.endswith(".ko"))
    bad = sites = 0
    for path in mods:
        elf = Elf(path)
        want = {c for c in elf.calls() if elf.sections[c[0]].name not in IGNORED}
        sites += len(want)
        if set(elf.loc_set()) != want:
            bad += 1
            print(f"     {path}: {difference(sites_of(elf, elf.loc_set()), sites_of(elf, want))}")
    if mods:
        say(not bad, "modules", f"{len(mods)} modules, {sites} sites, {bad} differ")
    else:
        print("skip compare/modules: the build has none")
    names, lost, n = vmlinux_table(os.path.join(build, "vmlinux"))
    text = f"{n} pointers, {sum(names.values())} sites, {lost} pointers to no call"
    if own:
        elf = Elf(os.path.join(build, "vmlinux.o"))
        funcs = elf.functions()
        live = {(s, o) for s, o in elf.calls() if elf.sections[s].name not in IGNORED and
                any(a <= o < a + size for a, size, _ in funcs_near(funcs, s, o))}
        got = set(elf.loc_set()) & set(elf.calls())
        say(got == live, "vmlinux.o", f"{len(got)} sites are the calls in functions" if got == live
            else difference(sites_of(elf, got), sites_of(elf, live)))
        dead = len(got - live)
        say(not dead and len(names) > 0, "vmlinux", text + f", {dead} to functions that lost")
    else:
        print(f"     vmlinux of another recorder: {text}")
    return names


def funcs_near(funcs, sec, off):
    """The functions of a section that may hold an offset: the last few before it."""
    f = funcs.get(sec, [])
    i = bisect.bisect_right(f, (off, 1 << 64, ""))
    return f[max(0, i - 4):i]


def compare_builds(build, other, names):
    theirs, _, _ = vmlinux_table(os.path.join(other, "vmlinux"))
    say(names == theirs, "vmlinux-against", f"{sum(names.values())} traced functions of vmlinux"
        + (" are those of the other build" if names == theirs else
           f": {difference(names.elements(), theirs.elements())}"))
    bad = n = 0
    for d, _, fs in os.walk(build):
        for f in fs:
            path = os.path.join(other, os.path.relpath(os.path.join(d, f), build))
            if f.endswith(".ko") and os.path.exists(path):
                a, b = Elf(os.path.join(d, f)), Elf(path)
                n += 1
                if sites_of(a, a.loc_set()) != sites_of(b, b.loc_set()):
                    bad += 1
                    print(f"     {path} differs")
    if n:
        say(not bad, "modules-against", f"{n} modules, {bad} differ from the other build's")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--objects", type=int, default=100)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--against")
    ap.add_argument("rmc")
    ap.add_argument("build")
    ap.add_argument("work")
    a = ap.parse_args()
    os.makedirs(a.work, exist_ok=True)
    with open(os.path.join(a.build, ".config")) as f:
        config = f.read().splitlines()
    arm64 = "CONFIG_ARM64=y" in config
    objects = find_objects(a.build, ROOM if arm64 else "-pg ")
    if arm64 and not objects:
        objects = find_objects(a.build, "-D__KERNEL__")
    if "CONFIG_FTRACE_MCOUNT_USE_OBJTOOL=y" in config:
        print(f"skip compare: objtool left no calls in {a.build}; it can be given --against")
        return 0
    if not objects:
        print(f"skip compare: no objects compiled for tracing in {a.build}")
        return 0
    c = Compare(a.rmc, a.build, os.path.abspath(a.work))
    if arm64:
        return compare_arm64(c, objects, a.objects, a.seed,
                             "CONFIG_FTRACE_MCOUNT_ENTRIES=y" in config) or results[False] != 0
    compare_objects(c, objects, a.objects, a.seed)
    if os.path.exists(os.path.join(a.build, "vmlinux")):
        own = "CONFIG_FTRACE_MCOUNT_USE_RECORDMCOUNT=y" in config
        names = compare_linked(a.build, own)
        if a.against:
            compare_builds(a.build, a.against, names)
    return results[False] != 0


if __name__ == "__main__":
    sys.exit(main())
