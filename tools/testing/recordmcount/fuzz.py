#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Damaged objects for recordmcount: it may refuse them, never crash or spoil them.

usage: fuzz.py [--count N] [--seed S] RECORDMCOUNT-WITH-SANITIZERS WORKDIR

Compiles a sample for every architecture that there is a compiler for, makes N
objects by damaging these, and runs recordmcount over some hundred a process. A file must afterwards be byte for byte what it was, or
a whole object whose pointers are its calls; never the former without a reason
when the latter was due, and never changed when an error was told. The seed is
printed; the same seed and compilers make the same files.
"""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time

from elfread import Bad, Elf, SHF_ALLOC, SHF_EXEC, SHT_GROUP, SHT_SYMTAB, SHT_SYMTAB_SHNDX

BATCH = 250
NUMBERS = [0, 1, 2, 3, 4, 7, 8, 15, 16, 24, 0x7f, 0x80, 0xff, 0x100, 0xfeff, 0xff00, 0xfff1,
           0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, 1 << 32,
           (1 << 63) - 1, 1 << 63, (1 << 64) - 8, (1 << 64) - 1]
IGNORED = re.compile(r"(\.exit\.text|\.discard|\.noinstr\.text|\.entry\.text|"
                     r"\.altinstr_replacement|\.altinstr_aux)(\.|$)")
SHF_EXCLUDE = 0x80000000

# What recordmcount has to tell apart, in little.
SAMPLE = r"""
int elsewhere(int x);

static int __attribute__((noinline)) helper(int x)
{
	return elsewhere(x) + 1;
}

int __attribute__((weak)) weak_one(int x)
{
	return helper(x) * 2;
}

int __attribute__((weak, alias("weak_one"))) weak_two(int x);

int __attribute__((section(".init.text"))) init_one(int x)
{
	return helper(x) + elsewhere(x + 1);
}

int __attribute__((section(".exit.text"))) exit_one(int x)
{
	return helper(x) - elsewhere(x + 1);
}

int global_one(int x)
{
	return helper(x) + 3;
}

#if defined(__x86_64__)
asm(".section .text.inline, \"axG\", @progbits, inline_one, comdat\n"
    ".weak inline_one\n"
    ".type inline_one, @function\n"
    "inline_one: call __fentry__\n"
    "ret\n"
    ".size inline_one, . - inline_one\n"
    ".text\n");
#endif
"""
COMPILERS = [
    ["gcc", "-mfentry"],
    ["gcc", "-mfentry", "-ffunction-sections"],
    ["gcc", "-m32"],
    ["aarch64-linux-gnu-gcc"],
    ["aarch64-linux-gnu-gcc", "-mbig-endian"],
    ["arm-linux-gnueabi-gcc"],
]


def make_samples(where):
    """Compile the sample; returns the objects' paths."""
    src, out = os.path.join(where, "sample.c"), []
    with open(src, "w") as f:
        f.write(SAMPLE)
    for i, cc in enumerate(c for c in COMPILERS if shutil.which(c[0])):
        out.append(os.path.join(where, f"{i}.o"))
        subprocess.run([*cc, "-c", "-O2", "-pg", "-fno-pie", "-ffreestanding",
                        "-fno-asynchronous-unwind-tables", "-o", out[-1], src], check=True)
    # no symbols for its sections: recordmcount adds them
    out.append(os.path.join(where, "stripped.o"))
    subprocess.run(["strip", "--strip-unneeded", "-o", out[-1], out[1]], check=True)
    return out


def damage(rng, d, elf):
    """One step of damage to bytearray d, which began as the object elf."""
    def number(at, size):
        if at < 0 or at + size > len(d):
            return
        v = rng.choice(NUMBERS + [len(d), len(d) - 1, len(elf.sections), rng.getrandbits(64)])
        old = int.from_bytes(d[at:at + size], "little")
        v = rng.choice([v, old + v, old - v, old ^ 1 << rng.randrange(8 * size)])
        order = "little" if elf.e == "<" else "big"
        d[at:at + size] = (v % (1 << 8 * size)).to_bytes(size, order)

    shent = 64 if elf.is64 else 40
    kind = rng.randrange(11)
    if kind == 0:
        del d[rng.randrange(len(d) + 1):]
    elif kind == 1:
        for _ in range(rng.randrange(1, 16)):
            if d:
                d[rng.randrange(len(d))] = rng.getrandbits(8)
    elif kind == 2:
        number(rng.randrange(16, 64), rng.choice([2, 4, 8]))
    elif kind in (3, 4, 5):
        at = elf.shoff + rng.randrange(len(elf.sections)) * shent
        size = rng.choice([4, 8]) if elf.is64 else 4
        number(at + rng.randrange(shent // size) * size, size)
    elif kind == 6:
        a, b = (elf.shoff + rng.randrange(len(elf.sections)) * shent for _ in range(2))
        if max(a, b) + shent <= len(d):
            d[a:a + shent], d[b:b + shent] = d[b:b + shent], d[a:a + shent]
    elif kind in (7, 8):
        tables = [s for s in elf.sections[1:] if s.type in (2, 3, 4, 9, 17, 18) and s.size]
        s = rng.choice(tables)
        size = rng.choice([1, 2, 4, 8])
        number(s.off + rng.randrange(s.size) // size * size, size)
    elif kind == 9:
        # the header that stands for no section, and relocations that are of none
        s = elf.shoff + rng.randrange(1, len(elf.sections)) * shent
        rel = elf.shoff + rng.choice(elf.rel_sections()).index * shent + (44 if elf.is64 else 28)
        if max(s, elf.shoff) + shent <= len(d) and rel + 4 <= len(d):
            d[elf.shoff:elf.shoff + shent] = d[s:s + shent]
            if rng.random() < .5:
                d[elf.shoff:elf.shoff + 4] = bytes(4)
            d[rel:rel + 4] = bytes(4)
            number(elf.shoff + shent // 8 * rng.randrange(8), shent // 8)
    else:
        if d:
            at, n = rng.randrange(len(d)), rng.randrange(64)
            src = rng.randrange(len(d))
            d[at:at + n] = d[src:src + n] if rng.random() < .5 else bytes(n)


def due(old):
    """The sites that must be recorded in an object, as a sorted list."""
    tab = next((s.index for s in old.sections[1:] if s.type == SHT_SYMTAB), 0)
    out = []
    for sec, off in calls_of(old, tab):
        s = old.sections[sec]
        if s.flags & SHF_ALLOC and not s.flags & SHF_EXCLUDE and not IGNORED.match(s.name):
            out.append((sec, off))
    return sorted(set(out))


def calls_of(elf, tab):
    """elf.calls() of what a linker looks at: program bytes, relocations of this table."""
    keep = elf.sections
    real = elf.rel_sections
    elf.rel_sections = lambda: [r for r in real() if r.link == tab and r.info < len(keep) and
                                keep[r.info].type == 1]
    try:
        return elf.calls()
    finally:
        del elf.rel_sections


def check_changed(before, after):
    """The object was rewritten: say what is wrong with it, or None."""
    old, new = Elf("before", before), Elf("after", after)
    old.symbols, new.symbols
    want = due(old)
    tab = new.symtab.index if new.symtab else 0
    if not new.section("__mcount_loc"):
        if want:
            return "changed without recording its sites"
        return None if len(before) == len(after) else "length changed, nothing recorded"
    real = new.rel_sections
    new.rel_sections = lambda: [r for r in real() if r.link == tab]
    got = {(s, o) for s, o, _ in new.locs()}
    mask = (1 << (64 if new.is64 else 32)) - 1
    if got != {(s, o & mask) for s, o in want}:
        return f"sites {sorted(got)[:4]}, due {want[:4]}"
    if len(new.sections) < len(old.sections) + 2:
        return "sections are missing"
    for a, b in zip(old.sections[1:], new.sections[1:]):
        moved = a.type in (SHT_GROUP, SHT_SYMTAB, SHT_SYMTAB_SHNDX) or a.index == old.shstr
        if (a.type, a.flags, a.align, a.entsize) != (b.type, b.flags, b.align, b.entsize):
            return f"header of section {a.index} changed"
        if not moved and (a.off, a.size) != (b.off, b.size):
            return f"section {a.index} moved"
    return None


def run_batch(rmc, work, files, flags):
    """Returns a list of (file name, what is wrong)."""
    paths = []
    for i, data in enumerate(files):
        paths.append(os.path.join(work, f"{i}.o"))
        with open(paths[-1], "wb") as f:
            f.write(data)
    env = dict(os.environ, ASAN_OPTIONS="exitcode=99:allocator_may_return_null=1",
               UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:exitcode=99")
    r = subprocess.run([rmc, *flags, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                       timeout=120)
    err = r.stderr.decode("latin1")
    if r.returncode not in (0, 1) or "Sanitizer" in err or "runtime error" in err:
        return [("*", f"status {r.returncode}: {err[-3000:]}")], 0, 0
    told = set(re.findall(r"^recordmcount: (\S+?\.o): ", err, re.M))
    bad, changed = [], 0
    for path, before in zip(paths, files):
        with open(path, "rb") as f:
            after = f.read()
        wrong = None
        if after != before:
            changed += 1
            try:
                wrong = "changed despite an error" if path in told else \
                    check_changed(before, after)
            except Bad as e:
                wrong = f"damaged: {e}"
        elif path not in told:
            wrong = check_untouched(before)
        if wrong:
            bad.append((path, wrong))
        else:
            os.unlink(path)
    left = set(os.listdir(work)) - {os.path.basename(p) for p, _ in bad}
    if left:
        bad.append(("*", f"files left behind: {sorted(left)[:5]}"))
    if (r.returncode == 1) != bool(told):
        bad.append(("*", f"status {r.returncode} with {len(told)} errors"))
    return bad, changed, len(told)


def check_untouched(before):
    """No error was told and nothing was changed: was nothing due?"""
    try:
        elf = Elf("before", before)
        if elf.section("__mcount_loc"):
            return None
        want = due(elf)
    except (Bad, KeyError, struct.error, IndexError) as e:
        return f"no error was told, but: {e!r}"
    return f"sites {want[:4]} are not recorded" if want else None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=20000)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("rmc")
    ap.add_argument("work")
    a = ap.parse_args()
    seed, start = a.seed, time.time()
    rng = random.Random(seed)
    samples, damaged = os.path.join(a.work, "samples"), os.path.join(a.work, "damaged")
    os.makedirs(samples)
    os.makedirs(damaged)
    bases = []
    for o in make_samples(samples):
        elf = Elf(o)
        bases.append((bytes(elf.data), elf))
    print(f"fuzz: seed {seed}, {len(bases)} objects to damage")
    done = changed = told = 0
    while done < a.count:
        files = []
        for _ in range(min(BATCH, a.count - done)):
            data, elf = rng.choice(bases)
            d = bytearray(data)
            for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
                damage(rng, d, elf)
            files.append(bytes(d))
        bad, c, t = run_batch(a.rmc, damaged, files, rng.choice([[], ["-p"]]))
        done, changed, told = done + len(files), changed + c, told + t
        if bad:
            for path, wrong in bad[:8]:
                print(f"FAIL fuzz: seed {seed}, {path}: {wrong}")
            print(f"the files are in {damaged}")
            return 1
        if done % 5000 == 0:
            print(f"fuzz: {done} objects, {changed} recorded, {told} refused, "
                  f"{time.time() - start:.0f} s", flush=True)
    if not changed or not told:
        print("FAIL fuzz: the damage was too weak or too strong to tell anything")
        return 1
    print(f"ok   fuzz: {done} damaged objects: {changed} recorded, {told} refused, "
          f"the others had no calls; {time.time() - start:.0f} s, seed {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
