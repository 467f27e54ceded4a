#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""latency.py DOC DIR: compares how long a fault takes on a CPU that stores, in C and Rust.

DIR has a file for each boot, c.N and rust.N, with lines COMPRESSOR<tab>KIB<tab>WHAT<tab>NS...: what
bench/latency.sh printed. The faults of all boots of a kernel are taken together. Writes the table into DOC,
between its marks. Judges no time.
"""

import os
import sys

import measured

WHATS = {"fault": "fault", "response": "timer to page"}
FOLIOS = {"0": "none", "64": "64 KiB", "2048": "2048 KiB"}
COMPRESSORS = ["lz4", "zstd"]
SHOWN = (50, 99, 100)


def read(path):
    """{(what, compressor, kib): nanoseconds of each fault} of a boot."""
    rows = {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 4 or fields[0] not in COMPRESSORS or fields[1] not in FOLIOS or fields[2] not in WHATS:
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the guest went wrong")
            compressor, kib, what, times = fields
            rows[what, compressor, kib] = list(map(int, times.split()))
    if len(rows) != len(WHATS) * len(FOLIOS) * len(COMPRESSORS):
        sys.exit(f"{path}: has {len(rows)} rows: the guest went wrong")
    return rows


def main():
    doc, folder = sys.argv[1:]
    boots = measured.by_kernel([os.path.join(folder, file) for file in sorted(os.listdir(folder))], read)
    lines = ["| time of | compressor | folios stored | C: p50 | p99 | max | Rust: p50 | p99 | max |",
             "|---|---|---|---:|---:|---:|---:|---:|---:|"]
    for what, title in WHATS.items():
        for compressor in COMPRESSORS:
            for kib, folios in FOLIOS.items():
                cells = []
                for impl in ("c", "rust"):
                    times = [time for boot in boots[impl] for time in boot[what, compressor, kib]]
                    cells += [f"{measured.percentile(times, share) / 1000:.1f}" for share in SHOWN]
                lines.append(f"| {title} | {compressor} | {folios} | {' | '.join(cells)} |")
    count = len(boots["c"][0]["fault", COMPRESSORS[0], "0"])
    lines += ["", f"In thousands of instructions. Each row is of {count} faults a boot; boots: {len(boots['c'])} of C, "
                  f"{len(boots['rust'])} of Rust."]
    measured.put_output(doc, "make latency", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
