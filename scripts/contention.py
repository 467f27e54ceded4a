#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""contention.py DOC DIR: compare what makes CPUs wait for each other when they swap, in C and in Rust.

DIR has of each boot what its guest said, c.N and rust.N (rows of bench/contention.c), and what the plugin
counted, c.N.counts and rust.N.counts: a window for each row, in the same order. Of both kernels it has the symbols,
c.symbols and rust.symbols. The windows of which it is known what is to be counted come first: if one has another
count, nothing else is worth looking at; nor is it if zswap isn't called for each folio or page. A boot's figure is
the median of its rounds, a row's the median of the boots, an operation's ratio the geometric mean of its rows'. Writes
the tables into DOC, between its marks, and what each function of the kernel did into DIR/functions.tsv. An operation of
which Rust has more than LIMITS allow, and more than its rows differ by, has to be in DOC's table of reasons: else the
exit status is 1.
"""

import bisect
import collections
import math
import os
import re
import statistics
import sys

import measured

WAYS = {
    "out": "swap out",
    "in": "swap in, by a fault",
    "free": "free, swapped",
    "gone": "exit, all swapped",
}
CGROUPS = {"own": "each its own", "one": "one"}
# Each also for what happens between the call of a function of zswap's and its return, from ZSWAP on.
LOCKED, TRANSFERS, INVALIDATIONS, CALLS, ZSWAP = range(5)
KINDS = "locked", "transfers", "invalidations"
COUNTS = 2 * ZSWAP
LIMIT = 1.01
# Standard errors of a mean of eight that 19 of 20 times have the true one between them, by Student's t.
ERRORS = 2.36
PROOFS = 5
FEW = 20


def windows(path):
    """[(counts, {address: counts}), ...] that the plugin has counted."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file:
            fields = line.split()
            counts = tuple(map(int, fields[-COUNTS:]))
            if fields[0] == "window":
                found.append((counts, {}))
            else:
                found[-1][1][int(fields[0], 16)] = counts
    return found


def prove(path, fields, counted):
    """That a window whose counts are known has these; or up to FEW more of what has a +, in which the kernel may
    have done something else as well."""
    name, *wanted = fields
    for kind, want, got in zip(KINDS, wanted, counted):
        least = int(want.rstrip("+"))
        if not least <= got <= least + (FEW if want.endswith("+") else 0):
            sys.exit(f"{path}: the plugin doesn't count what it should: {name}: {got} {kind}, not {want}")


def prove_calls(path, row, nr, sites, symbols):
    """That zswap is called as often as it has to be: for each folio that is stored, and for each page that is loaded."""
    way, kib = row[:2]
    if way not in ("out", "in"):
        return
    name, want = ("zswap_store", nr * 4 // kib) if way == "out" else ("zswap_load", nr)
    got = sum(counts[CALLS] for address, counts in sites.items() if symbols.name(address) == name)
    if got != want:
        sys.exit(f"{path}: {row}: {got} calls of {name}, not {want}")


def read(path):
    """Of a boot {row: [(counts, {address: counts}), ...]}, a pair for each round, both for all its pages; and {row: pages}."""
    with open(path, encoding="ascii") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    counted = windows(f"{path}.counts")
    symbols = Symbols(re.sub(r"\.\d+$", ".symbols", path))
    if len(lines) != len(counted):
        sys.exit(f"{path}: {len(lines)} windows, and the plugin counted {len(counted)}: the guest went wrong")
    rows, pages, proofs = collections.defaultdict(list), {}, 0
    for fields, (counts, sites) in zip(lines, counted):
        if fields[0] == "prove":
            prove(path, fields[1:], counts)
            proofs += 1
            continue
        way, kib, content, cgroups, nr = fields
        if way not in WAYS or cgroups not in CGROUPS:
            sys.exit(f"{path}: no row: {fields}: the guest went wrong")
        row = way, int(kib), content, cgroups
        rows[row].append((counts, sites))
        pages[row] = int(nr)
        prove_calls(path, row, int(nr), sites, symbols)
        if not counts[LOCKED] or not counts[ZSWAP + LOCKED]:
            sys.exit(f"{path}: {row}: nothing was counted")
    if proofs != PROOFS:
        sys.exit(f"{path}: {proofs} windows prove what is counted, not {PROOFS}: the guest went wrong")
    return rows, pages


class Symbols:
    """The functions of a kernel, by address."""

    def __init__(self, path):
        self.at, self.names = [], []
        with open(path, encoding="ascii") as file:
            for line in file:
                address, kind, name = line.rstrip().split(" ", 2)
                if kind in "tTwW":
                    self.at.append(int(address, 16))
                    self.names.append(name)

    def name(self, address):
        return self.names[bisect.bisect(self.at, address) - 1] if address else "user"


def functions(boots, folder):
    """Writes a row for each function and row of the table: counts a page, the means of all rounds but the first."""
    with open(f"{folder}/functions.tsv", "w", encoding="ascii") as file:
        file.write("\t".join(["impl", "way", "kib", "content", "cgroups", *KINDS, *(f"{kind} in zswap" for kind in KINDS), "function"]) + "\n")
        for impl, runs in boots.items():
            symbols = Symbols(f"{folder}/{impl}.symbols")
            for row in runs[0][0]:
                total, rounds = collections.defaultdict(lambda: [0] * COUNTS), 0
                for rows, _ in runs:
                    for _, sites in rows[row][1:]:
                        rounds += 1
                        for address, counts in sites.items():
                            of = total[symbols.name(address)]
                            for i, count in enumerate(counts):
                                of[i] += count
                per = rounds * runs[0][1][row]
                for name, counts in sorted(total.items(), key=lambda item: (-item[1][TRANSFERS], -item[1][LOCKED])):
                    counts = [counts[i + j] / per for i in (0, ZSWAP) for j in range(len(KINDS))]
                    if max(counts) >= 0.0005:
                        file.write("\t".join([impl, *map(str, row), *(f"{count:.3f}" for count in counts), name]) + "\n")


def rounds(runs, row, kind):
    """What each boot counted a page, by rounds; without the first round, which gets slabs and the device's memory."""
    return [[counts[kind] / pages[row] for counts, _ in rows[row][1:]] for rows, pages in runs]


def figure(runs, row, kind):
    return statistics.median(map(statistics.median, rounds(runs, row, kind)))


def spread(runs, row, kind):
    """What lies between the rounds of all boots, as a part of what they count."""
    found = sum(rounds(runs, row, kind), [])
    return (max(found) - min(found)) / statistics.median(found) if any(found) else 0.0


def mean_ratio(boots, rows, kind):
    """Rust's by C's, the mean of these rows; and the factor by which it may be off."""
    logs = [math.log(figure(boots["rust"], row, kind) / figure(boots["c"], row, kind)) for row in rows]
    error = ERRORS * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0
    return math.exp(statistics.mean(logs)), math.exp(error)


def verdict(ratio, error):
    if ratio > LIMIT and ratio / error > 1:
        return "MORE"
    return "less" if ratio * LIMIT < 1 and ratio * error < 1 else "same"


def table(boots, rows, what):
    """Rows with C, Rust and their ratio for each (title, kind) of WHAT."""
    lines = [f"| operation | folio | content | cgroup | {' | '.join(f'{title}: C | Rust | ratio' for title, _ in what)} |",
             "|---|---:|---|---|" + "---:|" * 3 * len(what)]
    for row in rows:
        way, kib, content, cgroups = row
        cells = [WAYS[way], f"{kib} KiB", content, CGROUPS[cgroups]]
        for _, kind in what:
            c, rust = (figure(boots[impl], row, kind) for impl in ("c", "rust"))
            cells += [f"{c:.2f}", f"{rust:.2f}", f"{rust / c:.2f}" if c else "–"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines + [""]


def main():
    doc, folder = sys.argv[1:]
    boots = measured.by_kernel([os.path.join(folder, file) for file in sorted(os.listdir(folder))], read)
    order = list(WAYS)
    keys = set(boots["c"][0][0])
    if any(set(rows) != keys for runs in boots.values() for rows, _ in runs):
        sys.exit(f"{folder}: the boots have different rows")
    rows = sorted(keys, key=lambda row: (order.index(row[0]), row[1], row[2] != "same", row[3] != "own"))
    functions(boots, folder)
    reasons, used, bad = measured.reasons(doc, "CONTENTION"), set(), 0
    lines = ["Ratios, the geometric mean of each operation's rows:", "",
             "| operation | locked instructions | verdict | remote-dirty transfers | verdict | invalidations |", "|---|---:|---|---:|---|---:|"]
    for way in WAYS:
        cells = [WAYS[way]]
        for kind in (LOCKED, TRANSFERS, INVALIDATIONS):
            ratio, error = mean_ratio(boots, [row for row in rows if row[0] == way], kind)
            cells.append(f"{ratio:.3f} ± {ratio * (error - 1):.3f}")
            said = verdict(ratio, error)
            if said == "MORE" and kind != INVALIDATIONS:
                why = [reason for reason in reasons if re.fullmatch(reason, f"{KINDS[kind]}, {WAYS[way]}")]
                used.update(why)
                bad += not why
                said = "listed" if why else said
            if kind != INVALIDATIONS:
                cells.append(said)
        lines.append(f"| {' | '.join(cells)} |")
    widest = {kind: max(spread(runs, row, kind) for runs in boots.values() for row in rows) for kind in (LOCKED, TRANSFERS)}
    lines += ["", "Locked instructions a page:", ""]
    lines += table(boots, [row for row in rows if row[3] == "own"], [("all", LOCKED), ("in zswap", ZSWAP + LOCKED)])
    lines += ["Remote-dirty transfers a page, and invalidations:", ""]
    lines += table(boots, rows, [("transfers", TRANSFERS), ("in zswap", ZSWAP + TRANSFERS), ("invalidations", INVALIDATIONS)])
    lines += [f"Boots: {len(boots['c'])} of C, {len(boots['rust'])} of Rust. A row's rounds differ by at most {widest[LOCKED] * 100:.1f} % in locked "
              f"instructions and {widest[TRANSFERS] * 100:.1f} % in transfers: a ratio of the mean says more than one of a row."]
    measured.put_output(doc, "make contention", lines, bad > 0)
    print("\n".join(lines))
    print(f"function by function: {folder}/functions.tsv")
    for row in sorted(set(reasons) - used):
        print(f"stale: {doc} lists `{row}`, which has no more")
    if bad:
        print(f"contention: {bad} means are over 1 % more, and {doc} has no reason for them")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
