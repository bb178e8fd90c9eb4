#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Find what a kernel complains about in its log.

usage: warned.py [--bare] LOG
       warned.py --self-test

--bare  the kernel puts no time before its lines (UML)

Prints the lines and fails when there are some, or when the log is empty.
"""
import os
import re
import subprocess
import sys

STAMP = r"\[ *\d+\.\d+\](?:\[[^]]*\])? .*?"
COMPLAINT = (r"(WARNING: |BUG: |BUG [\w-]+ \(|Oops|kernel BUG at|Kernel panic|"
             r"general protection fault|INFO: (?:rcu|task|trying)|UBSAN: |"
             r"Slab corruption|DEBUG_LOCKS_WARN_ON|\[ ftrace bug \]|"
             r"kmemleak: \d+ new suspected|cut here|"
             r"(?:possible|inconsistent|suspicious|Invalid) .*"
             r"(?:lock|RCU|dependency|context))")
STAMPED = re.compile(STAMP + COMPLAINT)
BARE = re.compile(r"(?:-*\[ |\s*)" + COMPLAINT)
# What the cases look for in the log is the same.
CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "../../tools/testing/selftests/ftrace/test.d/sites/agree.sh")
# UML has no PCI device and says so; of a processor's weakness the kernel warns by its name.
KNOWN = re.compile(r"\barch/um/drivers/virt-pci\.c:\d+ um_pci_init|"
                   r"(?:RETBleed|Speculative Return Stack Overflow|Spectre V2) ?: WARNING: ")


def complaints(text, bare=False):
    """The lines of a log in which the kernel complains."""
    lines = text.replace("\r", "").splitlines()
    out = []
    for no, line in enumerate(lines):
        around = line + (lines[no + 1] if no + 1 < len(lines) else "")
        if (BARE.match if bare else STAMPED.search)(line) and not KNOWN.search(around):
            out.append(line)
    return out


SELF_TEST = [
    # a line, complaints with a stamp before it, complaints of a bare log
    ("Linux version 6.12", 0, 0),
    ("WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2", 1, 1),
    ("BUG: sleeping function called from invalid context", 1, 1),
    ("BUG kmalloc-64 (Not tainted): Right Redzone overwritten", 1, 1),
    ("UBSAN: shift-out-of-bounds in x.c:1:2", 1, 1),
    ("------------[ cut here ]------------", 1, 1),
    ("WARNING: possible circular locking dependency detected", 1, 1),
    ("kmemleak: 3 new suspected memory leaks", 1, 1),
    ("INFO: rcu_preempt self-detected stall on CPU", 1, 1),
    ("INFO: task sh:1 blocked for more than 120 seconds.", 1, 1),
    ("general protection fault, probably for non-canonical address 0x1: 0000 [#1]", 1, 1),
    ("[ ftrace bug ]", 1, 1),
    ("WARNING: suspicious RCU usage", 1, 1),
    ("    ok 1 BUG_is_no_word", 0, 0),
    ("RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable", 0, 0),
    ("WARNING: CPU: 0 PID: 1 at ../arch/um/drivers/virt-pci.c:1005 um_pci_init+0x1", 0, 0),
    ("WARNING: CPU: 0 PID: 1 at arch/um/drivers/virt-pci.c:1005 um_pci_init+0x1", 0, 0),
    ("WARNING: CPU: 0 PID: 1 at arch/um/drivers/virt-pci.c:1005 um_pci_exit+0x1", 1, 1),
]


def complaints_of_cases(lines):
    """Those of @lines in which the cases of ftracetest see a complaint."""
    return subprocess.run(["sh", "-c", f'. "{CASES}"; grep -E "$complaints"'], text=True,
                          input="".join(line + "\n" for line in lines),
                          stdout=subprocess.PIPE, check=False).stdout.splitlines()


def self_test():
    failed = 0
    # The cases make no exceptions, as those complaints come from the boot.
    want = [line for line, stamped, _ in SELF_TEST if stamped or KNOWN.search(line)]
    if complaints_of_cases(line for line, _, _ in SELF_TEST) != want:
        print(f"warned: self-test: {CASES} looks for others")
        failed += 1
    for line, stamped, bare in SELF_TEST:
        got = (len(complaints("[    1.000000] " + line + "\r\n")), len(complaints(line)),
               len(complaints(line, True)))
        # A program's words are no complaint of a kernel that stamps its lines.
        if got != (stamped, 0, bare):
            print(f"warned: self-test: {line}: got {got}")
            failed += 1
    print(f"warned: {len(SELF_TEST) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    args = sys.argv[1:]
    if args == ["--self-test"]:
        return self_test()
    text = open(args[-1], errors="replace").read()
    bad = complaints(text, "--bare" in args) if text.strip() else [args[-1] + " is empty"]
    if bad:
        print("the kernel complained:\n    " + "\n    ".join(bad[:20]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
