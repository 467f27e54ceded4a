#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""kcsan.py BUILD LOG...: judges KCSAN's reports in the logs of guests of the kernel that was built in BUILD.

Every report with a frame of the project, of an object of rust/ or samples/, must be in scripts/kcsan.tsv, which gives its
cause. Prints those by their two accesses, and the number of the others, which are C's alone. Exits with 1, and shows the
first report of each, if one isn't there; with 2 if it can't judge. Runs in the toolchain root.
"""

import collections
import fnmatch
import pathlib
import re
import subprocess
import sys

BEGIN = re.compile(r"BUG: KCSAN: .* in (.*)")
ACCESS = re.compile(r"^(?:race at unknown origin, with )?([a-z][a-z -]*)( \([a-z, ]+\))? to 0x[0-9a-f]+ of (\d+) bytes by ")
FRAME = re.compile(r"^ ([A-Za-z_][\w.$]*)\+0x[0-9a-f]+/0x[0-9a-f]+")
RULER = "=" * 66


def fail(why):
    print(f"zswap_rs: {why}", file=sys.stderr)
    sys.exit(2)


def llvm(tool, *arguments, text=None):
    return subprocess.run([f"llvm-{tool}", *arguments], input=text, check=True, capture_output=True, text=True).stdout


def ours(build):
    """The functions of the kernel's objects of rust/ and samples/."""
    objects = [name for name in llvm("ar", "t", f"{build}/vmlinux.a").split() if name.startswith((f"{build}/rust/", f"{build}/samples/"))]
    for name in objects:
        if name.endswith("_rs.o") and "__tsan_" not in llvm("nm", "--undefined-only", name):
            fail(f"{name} isn't instrumented: see patches/*-kcsan.patch")
    return set(llvm("nm", "--defined-only", "--format=just-symbols", *objects).split()) if objects else set()


def reports(log):
    """The lines of each report of a log."""
    lines = None
    for line in pathlib.Path(log).read_text(errors="replace").splitlines():
        if "messages dropped" in line:
            fail(f"{log} lacks messages: {line}")
        line = re.sub(r"^\[ *[0-9.]+\] ?", "", line.rstrip("\r"))
        begins = BEGIN.search(line)
        if lines and (begins or RULER in line):
            yield lines
            lines = None
        if begins:
            lines = []
        if lines is not None:
            lines.append(line)
    if lines:
        yield lines


def accesses(lines):
    """The accesses of a report, each with its size and function, in order: "read (marked) 8 zswap_load"."""
    found = []
    for line, after in zip(lines, lines[1:]):
        access, frame = ACCESS.match(line), FRAME.match(after)
        if access:
            found.append(f"{access[1]}{access[2] or ''} {access[3]} {frame[1] if frame else '?'}")
    return " / ".join(sorted(found, key=lambda access: access.split()[-1])) or lines[0]


def cause_of(pair, causes):
    """Of two accesses, as kcsan.tsv gives it, in either order."""
    turned = " / ".join(reversed(pair.split(" / ")))
    return next((cause for known, cause in causes if fnmatch.fnmatchcase(pair, known) or fnmatch.fnmatchcase(turned, known)), None)


def main():
    if len(sys.argv) < 3:
        fail("usage: kcsan.py BUILD LOG...")
    causes = [line.split("\t") for line in pathlib.Path("scripts/kcsan.tsv").read_text().splitlines() if not line.startswith("#")]
    functions = ours(sys.argv[1])
    count, first, others = collections.Counter(), {}, collections.Counter()
    for log in sys.argv[2:]:
        for lines in reports(log):
            pair = accesses(lines)
            if functions.isdisjoint(frame[1] for line in lines if (frame := FRAME.match(line))):
                others[pair] += 1
            else:
                count[pair] += 1
                first.setdefault(pair, lines)
    new = []
    for pair, n in count.most_common():
        name = llvm("cxxfilt", text=pair).strip()
        cause = cause_of(name, causes)
        print(f"kcsan: {n:5}  {name}: {cause or 'NEW'}")
        if not cause:
            new.append(pair)
    print(f"kcsan: {count.total() + others.total()} reports in all; with a frame of the project {count.total()}, of {len(count)} pairs "
          f"of accesses, {len(new)} of them new; without {others.total()}, of {len(others)}")
    for pair in new:
        print(llvm("cxxfilt", text="\n".join(["---", *first[pair], ""])))
    sys.exit(1 if new else 0)


main()
