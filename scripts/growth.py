#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""growth.py DOC DIR: how the cost of swapping grows, in C and in Rust.

DIR has c.1 and rust.1, with lines as bench.py reads them, whose first word is AXIS-VALUE. Writes the table into
DOC, between its marks.
"""

import os
import statistics
import sys

import measured

AXES = {"order": "folios of, KiB", "cgroups": "other cgroups", "stored": "other pages in zswap"}
WAYS = {"out": "swap out", "in": "swap in", "free": "free"}


def read(path):
    """{(axis, value, way): instructions a page} of a boot."""
    rows = {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            axis, _, value = fields[0].partition("-")
            if len(fields) != 6 or axis not in AXES or not value.isdecimal():
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the guest went wrong")
            _, _, _, way, per, rounds = fields
            if way in WAYS:
                rows[axis, int(value), way] = statistics.median(map(int, rounds.split())) / int(per)
    return rows


def main():
    doc, folder = sys.argv[1:]
    boots = measured.by_kernel([os.path.join(folder, file) for file in sorted(os.listdir(folder))], read)
    (c, *_), (rust, *_) = boots["c"], boots["rust"]
    if set(c) != set(rust):
        sys.exit(f"{folder}: C and Rust have different rows")
    head = " | ".join(f"{name}: C | Rust | ratio" for name in WAYS.values())
    lines = [f"| | | {head} |", "|---|---:|" + "---:|" * 3 * len(WAYS)]
    for axis, name in AXES.items():
        for value in sorted({value for one, value, _ in c if one == axis}):
            cells = []
            for way in WAYS:
                theirs, ours = c[axis, value, way], rust[axis, value, way]
                cells += [f"{theirs:.0f}", f"{ours:.0f}", f"{ours / theirs:.3f}"]
            lines.append(f"| {name} | {value} | {' | '.join(cells)} |")
    measured.put_output(doc, "make growth", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
