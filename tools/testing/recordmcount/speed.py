#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does recordmcount execute no more than the base tree's, over all objects of a build?

usage: speed.py [--limit RATIO] RECORDMCOUNT BASE-RECORDMCOUNT BUILD WORKDIR

Both programs run over copies of the build's traced objects (without
__mcount_loc), all objects in one process, which leaves out the start of a
process, and one process an object, as kbuild does it, for a sample. What is
compared is the number of instructions that they execute in user mode, which a
busy machine does not change: counted by the processor where perf can, else by
valgrind. Neither ratio may be above the limit. Both programs must have recorded
as many objects.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

from elfread import Bad, Elf

SAMPLE = 40         # objects that get a process of their own
FLAGS = ["-p", "-n", "-s"]      # as kbuild has it for the kernel
PERF = ["perf", "stat", "-x,", "-e", "instructions:u", "--"]
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no",
            "--cachegrind-out-file=/dev/null"]


def traced(build):
    for d, _, files in os.walk(build):
        for f in files:
            cmd = os.path.join(d, f".{f}.cmd")
            if f.endswith(".o") and os.path.exists(cmd):
                with open(cmd) as c:
                    if " -pg " in c.readline():
                        yield os.path.join(d, f)


def prepare(build, bare):
    """Copies of the objects as the compiler left them."""
    os.makedirs(bare)

    def one(item):
        n, path = item
        try:
            if Elf(path).calls():
                subprocess.run(["objcopy", "--remove-section=__mcount_loc", path,
                                os.path.join(bare, f"{n}.o")], check=True)
        except (Bad, KeyError):
            pass

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, enumerate(sorted(traced(build)))))
    return sorted(os.listdir(bare))


def counted(counter, cmd, cwd=None):
    """Instructions of a command, or None."""
    try:
        r = subprocess.run(counter + cmd, capture_output=True, text=True, cwd=cwd)
    except OSError:
        return None
    m = re.search(r"I\s+refs:\s+([\d,]+)|^(\d+),+instructions", r.stderr, re.M)
    if r.returncode or not m:
        return None
    return int((m.group(1) or m.group(2)).replace(",", ""))


def find_counter():
    for counter in PERF, VALGRIND:
        if counted(counter, ["true"]):
            return counter
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--limit", type=float, default=1.0)
    ap.add_argument("rmc")
    ap.add_argument("base")
    ap.add_argument("build")
    ap.add_argument("work")
    a = ap.parse_args()
    counter = find_counter()
    if not counter:
        print("FAIL speed: neither perf nor valgrind counts instructions: "
              "apt-get install valgrind")
        return 1
    bare, run = os.path.join(a.work, "bare"), os.path.join(a.work, "run")
    names = prepare(a.build, bare)
    if not names:
        print("skip speed: no traced objects in the build")
        return 0
    sample = names[::-(-len(names) // SAMPLE)]
    count, recorded = {}, {}
    for who, prog in (("ours", a.rmc), ("base", a.base)):
        for way, some in (("all", names), ("each", sample)):
            shutil.copytree(bare, run)
            # kbuild runs in the folder of the build: paths are short
            cmds = [some] if way == "all" else [[n] for n in some]
            flags = FLAGS if who == "ours" else []
            n = [counted(counter, [os.path.abspath(prog)] + flags + c, run) for c in cmds]
            if None in n:
                print(f"FAIL speed: {prog} failed under {counter[0]}")
                return 1
            count[who, way] = sum(n)
            recorded[who, way] = sum(bool(Elf(os.path.join(run, n)).section("__mcount_loc"))
                                     for n in some)
            shutil.rmtree(run)
    shutil.rmtree(bare)
    for way in "all", "each":
        if recorded["ours", way] != recorded["base", way]:
            print(f"FAIL speed: objects recorded: {recorded}")
            return 1
    ratio = {w: count["ours", w] / count["base", w] for w in ("all", "each")}
    ok = max(ratio.values()) <= a.limit
    print(f"{'ok  ' if ok else 'FAIL'} speed: instructions, counted by {counter[0]}: "
          f"{len(names)} objects, base {count['base', 'all'] / 1e6:.1f} M, ours "
          f"{count['ours', 'all'] / 1e6:.1f} M, ratio {ratio['all']:.2f}; one process an "
          f"object, {len(sample)} of them: base {count['base', 'each'] / 1e6:.1f} M, ours "
          f"{count['ours', 'each'] / 1e6:.1f} M, ratio {ratio['each']:.2f}")
    return not ok


if __name__ == "__main__":
    sys.exit(main())
