#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Is recordmcount at least as fast as the base tree's, over all objects of a build?

usage: speed.py [--rounds N] [--limit RATIO] RECORDMCOUNT BASE-RECORDMCOUNT BUILD WORKDIR

Both programs run over copies of the build's traced objects (without
__mcount_loc), in turns, one process an object as kbuild does it and all
objects in one process, which leaves out the process start. What counts is the
least processor time of N rounds, and neither ratio may be above the limit (one
process an object: 0.05 above it, as most of that is the kernel's exec). Both
programs must have recorded as many objects.
"""
import argparse
import concurrent.futures
import os
import resource
import shutil
import subprocess
import sys

from elfread import Bad, Elf


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


def cpu_seconds(cmds):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for c in cmds:
        subprocess.run(c, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=9)
    ap.add_argument("--limit", type=float, default=1.5)
    ap.add_argument("rmc")
    ap.add_argument("base")
    ap.add_argument("build")
    ap.add_argument("work")
    a = ap.parse_args()
    bare, run = os.path.join(a.work, "bare"), os.path.join(a.work, "run")
    names = prepare(a.build, bare)
    if not names:
        print("skip speed: no traced objects in the build")
        return 0
    progs, best, recorded = {"ours": a.rmc, "base": a.base}, {}, {}
    for r in range(a.rounds):
        for who in sorted(progs, reverse=r % 2 == 0):
            for way in ("each", "all"):
                if way == "each" and r >= 5:
                    continue
                shutil.copytree(bare, run)
                paths = [os.path.join(run, n) for n in names]
                prog = os.path.abspath(progs[who])
                cmds = [[prog, p] for p in paths] if way == "each" else [[prog, *paths]]
                t = cpu_seconds(cmds)
                best[who, way] = min(t, best.get((who, way), t))
                if r == 0:
                    recorded[who, way] = sum(bool(Elf(p).section("__mcount_loc")) for p in paths)
                shutil.rmtree(run)
    shutil.rmtree(bare)
    if len(set(recorded.values())) != 1:
        print(f"FAIL speed: objects recorded: {recorded}")
        return 1
    ratio = {w: best["ours", w] / best["base", w] for w in ("each", "all")}
    ok = ratio["all"] <= a.limit and ratio["each"] <= a.limit + 0.05
    print(f"{'ok  ' if ok else 'FAIL'} speed: {len(names)} objects, base "
          f"{best['base', 'all'] * 1000:.0f} ms, ours {best['ours', 'all'] * 1000:.0f} ms, ratio "
          f"{ratio['all']:.2f}; one process an object: base {best['base', 'each'] * 1000:.0f} ms, "
          f"ours {best['ours', 'each'] * 1000:.0f} ms, ratio {ratio['each']:.2f}")
    return not ok


if __name__ == "__main__":
    sys.exit(main())
