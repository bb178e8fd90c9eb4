#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make a folder for the objects of a composed tree; empty it if they are of another base.

usage: objects.py OBJ TREE
       objects.py --self-test

OBJ   the folder of the objects, made if it is not there
TREE  a tree that harness/tree composed

The files of a composed tree have the time stamps of its base. Those of another base may be
older than the objects of the one before, and make would keep these.
"""
import json
import os
import shutil
import sys
import tempfile

MARK = ".base"      # in OBJ: of which base its objects are


def fresh(obj, tree):
    """Return whether objects of another base had to go."""
    with open(os.path.join(tree, ".series")) as f:
        base = json.load(f)["base"]
    mark = os.path.join(obj, MARK)
    old = open(mark).read() if os.path.exists(mark) else ""
    other = old != base and any(os.path.exists(os.path.join(obj, n)) for n in (MARK, ".config"))
    if other:
        shutil.rmtree(obj)
    os.makedirs(obj, exist_ok=True)
    with open(mark, "w") as f:
        f.write(base)
    return other


def self_test():
    failed = []
    with tempfile.TemporaryDirectory() as tmp:
        obj, tree = os.path.join(tmp, "a/obj"), os.path.join(tmp, "tree")
        kept = os.path.join(obj, "kernel.o")
        os.mkdir(tree)
        for name, base, before, want in (("a new folder", "1", False, (False, False)),
                                         ("the same base", "1", True, (False, True)),
                                         ("another base", "2", True, (True, False)),
                                         ("the same again", "2", True, (False, True)),
                                         ("nobody knows", None, True, (True, False)),
                                         ("no objects", None, False, (False, False))):
            if base:
                with open(os.path.join(tree, ".series"), "w") as f:
                    json.dump({"base": base, "files": []}, f)
            else:
                os.unlink(os.path.join(obj, MARK))
            for name in (".config", "kernel.o") if before else ():
                open(os.path.join(obj, name), "w").close()
            got = fresh(obj, tree), os.path.exists(kept)
            if got != want:
                failed.append(f"{name}: wanted {want}, got {got}")
    print("\n".join(["objects: self-test: " + f for f in failed]
                    + [f"objects: {6 - len(failed)} passed, {len(failed)} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if fresh(*sys.argv[1:]):
        print(f"objects: {sys.argv[1]}: the base tree changed, starting over")
