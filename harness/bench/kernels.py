# SPDX-License-Identifier: GPL-2.0
"""The kernels whose instructions are counted: built, and booted with a program."""
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "harness"))
from objects import fresh           # noqa: E402

# Configurations, and the ends of their flavours' names.
CONFIGURATIONS = {"plain": "", "distribution": "-distribution"}

# The programs of the guest, and what they are made of.
PROGRAMS = {"bench": ["bench.c", "hits.c", "probes.c", "guest.c"],
            "scale": ["scale.c", "guest.c"]}


class Arch:
    """How one architecture's kernels and programs are made, and run."""

    def __init__(self, name, configuration="plain"):
        cross = name != "x86_64"
        self.name = name
        self.flavours = {kind: (f"{name}-" if cross else "") + kind + CONFIGURATIONS[configuration]
                         for kind in ("stock", "bench")}
        self.flavours["untraced"] = f"{name}-untraced" if cross else "untraced"
        prefix = "aarch64-linux-gnu-" if cross else ""
        self.gcc = prefix + "gcc"
        self.packages = ["libc6-dev-arm64-cross"] if cross else []
        self.make = [f"ARCH={name}", f"CROSS_COMPILE={prefix}"] if cross else []
        # That of the figures which were the goal; it signs no addresses. Of a distribution's
        # kernel, one whose returns have to go through a thunk.
        self.cpu = ["--cpu", "cortex-a72"] if cross else \
            ["--cpu", "EPYC"] if configuration == "distribution" else []


def tool(name, *args):
    r = subprocess.run([os.path.join(TOP, "harness", name), *args])
    if r.returncode:
        sys.exit(f"bench: tools/{name} failed")


def bench_modules(arch, out, kind):
    """Build our modules against one kernel; return their paths."""
    tree = os.path.join(out, "tree-stock" if kind == "stock" else "tree")
    flavour = arch.flavours[kind]
    work = os.path.join(out, "bench-modules", flavour)
    fresh(work, tree)
    for path in [os.path.join(HERE, "ring_buffer_work.h"),
                 *glob.glob(os.path.join(HERE, "modules/*"))]:
        shutil.copy(path, work)
    r = subprocess.run(["make", "-C", tree, "O=" + os.path.join(out, "obj", flavour),
                        "M=" + work, "CC=ccache " + arch.gcc, *arch.make, "modules"],
                       capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"bench: the modules of {flavour}: {(r.stdout + r.stderr)[-2000:]}")
    return [os.path.join(work, name + ".ko") for name in ("returns", "ring_events")]


def make_kernel(arch, out, kind):
    """Build one kernel, and a root file system with the programs and modules."""
    flavour = arch.flavours[kind]
    if kind == "stock":
        tool("tree", "--stock", "--cache", out, os.path.join(out, "tree-stock"))
    tool("build", "--out", out, flavour)
    tool("need", *arch.packages)
    add = []
    for name, files in PROGRAMS.items():
        program = os.path.join(out, f"{name}-program-{arch.name}")
        # Debian's headers do not have trace_mmap.h yet.
        subprocess.run([arch.gcc, "-O2", "-Wall", "-static", "-o", program, "-idirafter",
                        os.path.join(out, "tree/include/uapi"),
                        *(os.path.join(HERE, file) for file in files)], check=True)
        add.append(f"{program}={name}")
    if kind != "untraced":
        modules = os.path.join(out, flavour, "modules/lib/modules/*/kernel")
        for path in [*glob.glob(os.path.join(modules, "samples/ftrace/ftrace-ops.ko")),
                     *bench_modules(arch, out, kind)]:
            add.append(path + "=" + os.path.basename(path))
    tool("vm/rootfs", "--arch", arch.name, "--cache", out,
         *(w for a in add for w in ("--add", a)), os.path.join(out, flavour, "rootfs.cpio.gz"))


def run_guest(arch, out, kind, name, options, command):
    """Run a program in a guest; return its lines, as lists of words between tabs."""
    flavour = arch.flavours[kind]
    log = os.path.join(out, "log", f"bench-{flavour}{name}.log")
    results = os.path.join(out, f"bench-{flavour}{name}")
    # What an earlier run left is not of this one.
    shutil.rmtree(results, ignore_errors=True)
    r = subprocess.run(
        [os.path.join(TOP, "harness/vm/run"), flavour, "--quiet", *arch.cpu, *options,
         "--no-warnings", "--timeout", "3600", "--log", log,
         "--kernel", os.path.join(out, flavour, "kernel"),
         "--rootfs", os.path.join(out, flavour, "rootfs.cpio.gz"),
         "--out", results, "--", f"mkdir -p /out; {command} > /out/rows"])
    if r.returncode:
        sys.exit(f"bench: no figures of {flavour}{name}; see {log}")
    return [line.rstrip("\n").split("\t") for line in open(os.path.join(results, "rows"))]
