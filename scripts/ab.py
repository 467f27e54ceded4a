#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""ab.py DOC DIR: compares what storing, loading and freeing of a page cost in C and in Rust, in one kernel.

DIR has ab-N.1 of each order of the two in the image, with lines IMPLEMENTATION<tab>OPERATION<tab>CONTENT<tab>
INSTRUCTIONS<tab>PAGES: what tests/kunit/time.c printed. Writes the table into DOC, between its marks.
"""

import os
import sys

import measured
import timing


def main():
    doc, folder = sys.argv[1:]
    orders = [timing.read_both(os.path.join(folder, f"ab-{order}.1")) for order in range(3)]
    lines = ["| operation | content | C | Rust | Rust / C | in the three orders |",
             "|---|---|---:|---:|---:|---:|"]
    for operation in timing.OPERATIONS:
        for content in timing.CONTENTS:
            costs = [[order[impl][operation, content] for impl in ("c", "rust")] for order in orders]
            ratios = [ours / theirs for theirs, ours in costs]
            middle = sorted(range(3), key=lambda order: ratios[order])[1]
            lines.append(f"| {operation} | {content} | {costs[middle][0]:.1f} | {costs[middle][1]:.1f} | "
                         f"{ratios[middle]:.4f} | {min(ratios):.4f} to {max(ratios):.4f} |")
    measured.put_output(doc, "make ab", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
