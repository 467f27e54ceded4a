#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""profile.py DIR WAY [DOC]: where the instructions of a row of make bench are executed, function by function.

DIR has c.1.counts and rust.1.counts of bench/plugin/profile.c, and c.symbols and rust.symbols of nm. Prints the functions
that take most, and writes them into DOC between its marks; all of them, first those that differ most, are in
DIR/functions.tsv.
"""

import bisect
import collections
import os
import re
import sys

import measured

PAGES = 512  # of a round of swapbench
LOOKS = {"miss": 8, "hit": 8}  # at each page
SHOWN = 24


def name_of(symbol):
    """A short name: without a hash, arguments of types, and what the compiler split off."""
    symbol = re.sub(r"::h[0-9a-f]{16}$|\.(constprop|isra|part|cold|llvm)\.?[0-9]*", "", symbol)
    short = None
    while short != symbol:
        short = symbol
        # Arguments first, then what a method is of.
        symbol = re.sub(r"(?<=\w)<[^<>]*>|::<[^<>]*>", "", symbol)
        symbol = re.sub(r"<([\w:]+)(?: as [\w:]+(?:\([^()]*\))?)?>", r"\1", symbol)
    return symbol


def read(folder, impl, looks):
    """{function: instructions a page}"""
    with open(os.path.join(folder, f"{impl}.symbols"), encoding="utf-8") as file:
        symbols = [(int(address, 16), name) for address, kind, name in (line.rstrip("\n").split(" ", 2) for line in file)
                   if kind in "tTwW"]
    starts = [address for address, _ in symbols]
    found = collections.Counter()
    with open(os.path.join(folder, f"{impl}.1.counts"), encoding="ascii") as file:
        windows = int(file.readline().split()[1])
        if not windows:
            sys.exit(f"{folder}: no window of {impl} was marked")
        for line in file:
            pc, count = line.split()
            at = bisect.bisect_right(starts, int(pc, 16)) - 1
            found[name_of(symbols[at][1]) if at >= 0 else "?"] += int(count)
    return {name: count / windows / (PAGES * looks) for name, count in found.items()}


def main():
    folder, way, doc = sys.argv[1], sys.argv[2], sys.argv[3:]
    c, rust = (read(folder, impl, LOOKS.get(way, 1)) for impl in ("c", "rust"))
    names = sorted(c.keys() | rust.keys(), key=lambda name: -abs(rust.get(name, 0) - c.get(name, 0)))
    with open(os.path.join(folder, "functions.tsv"), "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{c.get(name, 0):.2f}\t{rust.get(name, 0):.2f}\n" for name in names)
    both = [(name, c.get(name, 0), rust.get(name, 0)) for name in names]
    both.sort(key=lambda row: -max(row[1], row[2]))
    shown, rest = both[:SHOWN], both[SHOWN:]
    lines = ["| function | C | Rust |", "|---|---:|---:|"]
    lines += [f"| `{name}` | {there:.1f} | {here:.1f} |" for name, there, here in shown]
    lines.append(f"| {len(rest)} others | {sum(row[1] for row in rest):.1f} | {sum(row[2] for row in rest):.1f} |")
    total = sum(c.values()), sum(rust.values())
    lines.append(f"| **all**, Rust / C {total[1] / total[0]:.3f} | {total[0]:.1f} | {total[1]:.1f} |")
    if doc:
        measured.put_output(doc[0], "make profile", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
