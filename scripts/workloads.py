#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""workloads.py [-n] DOC ROWS [COUNTS]: what came of the programs of bench/workloads.sh, on C and on Rust.

ROWS has a file IMPL.WORKLOAD.KIB for each guest: its row, or what is wrong. COUNTS has a file for each guest that counted
instructions, c.N and rust.N. Writes the tables into DOC, between its marks; with -n only prints them. Fails if
anything is wrong. Judges no count.
"""

import os
import statistics
import sys

import measured

IMPLS = {"c": "C", "rust": "Rust"}
NAMES = ["usemem", "sort", "valkey", "gcc", "stress-ng", "memtester", "postgresql"]
SIZES = ["4", "64"]
FIELDS = 10


def row(line):
    """The fields of a line of a guest: WORKLOAD KIB OUT IN ZERO DISK WHOLE SWAPPED INSTRUCTIONS CHECKED. None if it is no row."""
    fields = line.rstrip("\n").split("\t")
    if len(fields) != FIELDS or fields[0] not in NAMES or fields[1] not in SIZES:
        return None
    return [*fields[:2], *map(int, fields[2:-1]), fields[-1]]


def grouped(number):
    return f"{number:,}".replace(",", " ")


def results(folder):
    """The lines of the first table, and how many results are wrong."""
    lines = ["| workload | folios | C: pages out, in | Rust: pages out, in | result |", "|---|---|---:|---:|---|"]
    wrong = 0
    for name in NAMES:
        for kib in SIZES:
            cells, problems, checked = [], [], ""
            for impl, title in IMPLS.items():
                path = os.path.join(folder, f"{impl}.{name}.{kib}")
                if not os.path.exists(path):
                    continue
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read().strip()
                found = row(text)
                if found:
                    checked = found[-1]
                    cells.append(", ".join(map(grouped, found[2:4])))
                else:
                    cells.append("wrong")
                    problems.append(f"{title}: {' '.join(text.replace('|', '/').split()) or 'the guest printed nothing'}")
            if cells:
                wrong += len(problems)
                lines.append(f"| {name} | {kib} KiB | {' | '.join(cells)} | {'; '.join(problems) or f'right: {checked}'} |")
    return lines, wrong


def read_counts(path):
    """{(workload, kib): instructions for each page moved} of a guest."""
    found = {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = row(line)
            if not fields:
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the guest went wrong")
            # Zeroes as well: the swap cache of either kernel handles these without zswap.
            found[fields[0], fields[1]] = fields[8] / sum(fields[2:6])
    return found


def counts(folder):
    boots = measured.by_kernel([os.path.join(folder, file) for file in sorted(os.listdir(folder))], read_counts)
    pairs = min(map(len, boots.values()))
    lines = ["| workload | folios | C | Rust | Rust / C | least to most |", "|---|---|---:|---:|---:|---:|"]
    for key in boots["c"][0]:
        values = {impl: [boot[key] for boot in boots[impl]] for impl in IMPLS}
        ratios = [rust / c for c, rust in zip(values["c"], values["rust"])]
        medians = [grouped(round(statistics.median(values[impl]))) for impl in IMPLS]
        lines.append(f"| {key[0]} | {key[1]} KiB | {' | '.join(medians)} | {statistics.median(ratios):.3f} "
                     f"| {min(ratios):.3f} to {max(ratios):.3f} |")
    return [*lines, "", f"Instructions of the cgroup's processes for each page moved: medians of {pairs} guest"
                        f"{'' if pairs == 1 else 's'} of each kernel, and the ratios of pairs of them."]


def main():
    arguments = sys.argv[1:]
    dry = arguments[0] == "-n"
    doc, rows, *count = arguments[dry:]
    lines, wrong = results(rows)
    if count and os.listdir(count[0]):
        lines += ["", *counts(count[0])]
    print("\n".join(lines))
    if not dry:
        measured.put_output(doc, "make workloads", lines, bool(wrong))
    if wrong:
        sys.exit(f"workloads: {wrong} went wrong")


if __name__ == "__main__":
    main()
