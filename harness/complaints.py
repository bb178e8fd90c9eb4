#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Find what a build complains of in its log, and have the next build tell it again.

usage: complaints.py LOG TREE OBJ
       complaints.py --self-test

LOG   what make printed, or some of it, if the build was interrupted
TREE  the composed tree
OBJ   the folder of the objects

Prints the warnings in files of the series, and those of objtool and modpost anywhere,
and fails when there are some. Each is told once, when its object is made: what was
made with a warning is removed. Who overwrites a log looks at the old one first, as a
build that was interrupted or failed elsewhere has left such objects, too.
"""
import os
import re
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OF_OBJECT = re.compile(r"(\S+): warning: objtool: |"
                       r"(?:WARNING|ERROR): modpost: (\S+?)(?:\.o)?: ")
OF_SOURCE = re.compile(r"(\S+?):\d+(?::\d+)?: [Ww]arning: ")


def in_tree(path, tree):
    """The name in the tree of a file that a compiler named, or None.

    ccache repeats the warnings of another checkout, with paths of that.
    """
    name = os.path.relpath(path, tree)
    while name.startswith("../") or not os.path.exists(os.path.join(tree, name)):
        name = name.partition("/")[2]
        if not name:
            return None
    return name


def complaints(log, tree, obj, everywhere=False, top=TOP):
    """The lines of the file log that complain; everywhere: of files of the base tree, too."""
    out, of, objects = [], set(), set()
    for line in open(log, errors="replace") if os.path.exists(log) else ():
        if m := OF_OBJECT.match(line):
            objects.add(os.path.join(obj, m[1] or m[2] + ".o"))
        elif m := OF_SOURCE.match(line):
            name = in_tree(os.path.normpath(os.path.join(obj, m[1])), tree)
            if not name or not (everywhere or os.path.exists(os.path.join(top, name))):
                continue
            of.add(os.path.join(tree, name))
        else:
            continue
        out.append(line.strip())
    for d, _, names in os.walk(obj) if of else ():
        for n in names:
            if n.endswith(".o.cmd"):
                words = open(os.path.join(d, n), errors="replace").read().split()
                if any(os.path.normpath(os.path.join(obj, w)) in of for w in words):
                    objects.add(os.path.join(d, n[1:-4]))
    for made in filter(os.path.exists, objects):
        os.unlink(made)
    return out


SELF_TEST = [
    # a line of the log, complaints, those everywhere, objects that go, those everywhere
    ("  CC      kernel/trace/a.o", 0, 0, "", ""),
    ("{tree}/kernel/trace/a.c:3:5: warning: unused variable 'x' [-W]", 1, 1, "a", "a"),
    ("../tree/kernel/trace/a.c:3: Warning: no type", 1, 1, "a", "a"),
    ("{tree}/kernel/b.c:3:5: warning: unused variable 'x' [-W]", 0, 1, "", "b"),
    ("{tree}/kernel/trace/a.h:3:5: warning: 'f' is not used", 1, 1, "ab", "ab"),
    ("{other}/kernel/trace/a.c:3:5: warning: unused variable 'x' [-W]", 1, 1, "a", "a"),
    ("{other}/kernel/b.c:3:5: warning: unused variable 'x' [-W]", 0, 1, "", "b"),
    ("kernel/b.o: warning: objtool: f+0x1: unreachable instruction", 1, 1, "b", "b"),
    ("WARNING: modpost: vmlinux: section mismatch", 1, 1, "v", "v"),
    ("ERROR: modpost: kernel/b.o: missing MODULE_LICENSE()", 1, 1, "b", "b"),
]


def self_test():
    failed = 0
    for line, *want in SELF_TEST:
        for everywhere in (False, True):
            with tempfile.TemporaryDirectory() as top:
                tree, other, obj, log = (os.path.join(top, n)
                                         for n in ("tree", "elsewhere/tree", "obj", "log"))
                header = os.path.join(tree, "kernel/trace/a.h")
                for path, text in {
                        log: line.format(tree=tree, other=other) + "\n",
                        **{os.path.join(of, name): "" for of in (tree, other)
                           for name in ("kernel/trace/a.c", "kernel/trace/a.h", "kernel/b.c")},
                        os.path.join(top, "kernel/trace/a.c"): "",
                        os.path.join(top, "kernel/trace/a.h"): "",
                        os.path.join(obj, "kernel/trace/a.o"): "",
                        os.path.join(obj, "kernel/trace/.a.o.cmd"):
                            f"deps := {tree}/kernel/trace/a.c \\\n {header}\n",
                        os.path.join(obj, "kernel/b.o"): "",
                        os.path.join(obj, "kernel/.b.o.cmd"):
                            f"deps := ../tree/kernel/b.c \\\n {header}\n",
                        os.path.join(obj, "vmlinux.o"): ""}.items():
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "w") as f:
                        f.write(text)
                got = len(complaints(log, tree, obj, everywhere, top))
                gone = "".join(name for name, path in
                               (("a", "kernel/trace/a.o"), ("b", "kernel/b.o"), ("v", "vmlinux.o"))
                               if not os.path.exists(os.path.join(obj, path)))
            if (got, gone) != (want[everywhere], want[2 + everywhere]):
                print(f"complaints: self-test: {line}: {got} complaints, '{gone}' went")
                failed += 1
    print(f"complaints: {2 * len(SELF_TEST) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    log, tree, obj = (os.path.abspath(path) for path in sys.argv[1:])
    out = complaints(log, tree, obj)
    print("\n".join(out), end="\n" if out else "")
    return 1 if out else 0


if __name__ == "__main__":
    sys.exit(main())
