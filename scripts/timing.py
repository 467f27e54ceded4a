#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""timing.py DOC DIR: compares how long storing, loading and freeing of a page take in zswap, in C and Rust.

DIR has c.N and rust.N, with lines OPERATION<tab>CONTENT<tab>NANOSECONDS<tab>PAGES of a boot: what
tests/kunit/time.c printed. Boots with the same N ran one right after the other, so the ratio is taken of
each such pair: what slowed the machine for minutes slowed both. Writes the table into DOC, between its
marks. Judges no time.
"""

import os
import re
import statistics
import sys

import measured

OPERATIONS = ["store", "load", "free, one slot", "free, a range"]
CONTENTS = ["same", "text", "random"]


def read(path):
    """{(operation, content): nanoseconds for a page} of a boot."""
    times = {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 4 or not (fields[2] + fields[3]).isdecimal() or int(fields[3]) == 0:
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the boot went wrong")
            times[fields[0], fields[1]] = int(fields[2]) / int(fields[3])
    if set(times) != {(operation, content) for operation in OPERATIONS for content in CONTENTS}:
        sys.exit(f"{path}: needs a row for each operation and content, has {len(times)}")
    return times


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    return found[1].strip() if found else "an unknown CPU"


def main():
    doc, folder = sys.argv[1:]
    files = sorted(os.listdir(folder), key=lambda name: int(name.split(".")[1]))
    boots = measured.by_kernel([os.path.join(folder, file) for file in files], read)
    if len(boots["c"]) != len(boots["rust"]):
        sys.exit(f"{folder}: {len(boots['c'])} boots of C, but {len(boots['rust'])} of Rust")
    lines = ["| operation | content | C, min | median | max | Rust, min | median | max "
             "| Rust / C | 95 % interval |",
             "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for operation in OPERATIONS:
        for content in CONTENTS:
            c, rust = ([boot[operation, content] for boot in boots[impl]] for impl in ("c", "rust"))
            ratios = [ours / theirs for theirs, ours in zip(c, rust)]
            cells = [f"{of(times):.0f}" for times in (c, rust) for of in (min, statistics.median, max)]
            interval = measured.median_interval(ratios)
            cells.append(f"{statistics.median(ratios):.3f}")
            cells.append(f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "-")
            lines.append(f"| {operation} | {content} | {' | '.join(cells)} |")
    lines += ["", f"Pairs of boots: {len(boots['c'])}, on {machine()}, {os.cpu_count()} CPUs."]
    measured.put_output(doc, "make timing", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
