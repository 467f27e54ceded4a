#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""timing.py DOC DIR: compares how long storing, loading and freeing of a page take in zswap, in C and Rust.

DIR has c.N and rust.N, with lines IMPLEMENTATION<tab>OPERATION<tab>CONTENT<tab>NANOSECONDS<tab>PAGES of a boot:
what tests/kunit/time.c printed. Boots with the same N ran one right after the other, so the ratio is taken of
each such pair: what slowed the machine for minutes slowed both. ab-O.N are boots of a kernel with both, in the
order O in the image. Writes the tables into DOC, between its marks. Judges no time.
"""

import os
import re
import statistics
import sys

import measured

OPERATIONS = ["store", "load", "free, one slot", "free, a range"]
CONTENTS = ["same", "text", "random"]


def read_all(path):
    """{implementation: {(operation, content): nanoseconds for a page}} of a boot."""
    times = {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5 or not (fields[3] + fields[4]).isdecimal() or int(fields[4]) == 0:
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the boot went wrong")
            times.setdefault(fields[0], {})[fields[1], fields[2]] = int(fields[3]) / int(fields[4])
    for impl, rows in times.items():
        if set(rows) != {(operation, content) for operation in OPERATIONS for content in CONTENTS}:
            sys.exit(f"{path}: needs a row of {impl} for each operation and content, has {len(rows)}")
    return times


def read(path):
    """{(operation, content): nanoseconds for a page} of a boot with one implementation."""
    times = read_all(path)
    if len(times) != 1:
        sys.exit(f"{path}: needs one implementation, has {len(times)}")
    return times.popitem()[1]


def read_both(path):
    """{"c": {(operation, content): nanoseconds for a page}, "rust": ...} of a boot with both."""
    times = read_all(path)
    if set(times) != {"c", "rust"}:
        sys.exit(f"{path}: needs C and Rust, has {', '.join(times) or 'none'}")
    return times


def both(folder, files):
    """The table of the kernels that have both."""
    orders = {}
    for file in files:
        orders.setdefault(file.split(".")[0], []).append(read_both(os.path.join(folder, file)))
    lines = ["", "Both in one kernel, by turns on the same folios and slots:", "",
             "| in one kernel | content | Rust / C | in the orders in the image |", "|---|---|---:|---:|"]
    for operation in OPERATIONS:
        for content in CONTENTS:
            ratios = [statistics.median(boot["rust"][operation, content] / boot["c"][operation, content] for boot in boots)
                      for boots in orders.values()]
            lines.append(f"| {operation} | {content} | {statistics.median(ratios):.3f} | {min(ratios):.3f} to {max(ratios):.3f} |")
    return lines + ["", f"Orders: {len(orders)}, boots of each: {min(map(len, orders.values()))}; medians of boots."]


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    return found[1].strip() if found else "an unknown CPU"


def main():
    doc, folder = sys.argv[1:]
    files = sorted(os.listdir(folder), key=lambda name: int(name.split(".")[1]))
    mixed = [file for file in files if file.startswith("ab-")]
    boots = measured.by_kernel([os.path.join(folder, file) for file in files if file not in mixed], read)
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
    if mixed:
        lines += both(folder, mixed)
    measured.put_output(doc, "make timing", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
