# SPDX-License-Identifier: GPL-2.0
"""What the plugins of bench/plugin counted in the guests of contention and profile (measure.py)."""

import bisect
import collections
import math
import os
import re
import statistics
import sys

from measured import Symbols, in_folder, reasons
from results import table

# --- contention ------------------------------------------------------------------------------

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
COUNTED = ["locked instructions", "remote-dirty transfers", "invalidations"]
COUNTS = 2 * ZSWAP
LIMIT = 1.01
# Standard errors of a mean of so many that 19 of 20 times have the true one between them, by Student's t.
ERRORS = {6: 2.57, 12: 2.20}
PROOFS = 5
FEW = 20


def place(symbols, address):
    """The function at an address."""
    return symbols.names[bisect.bisect(symbols.at, address) - 1] if address else "user"


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
    """That zswap is called as often as it has to be: for each folio that is stored or loaded. C loads single pages."""
    way, kib = row[:2]
    if way not in ("out", "in"):
        return
    name, want = ("zswap_store" if way == "out" else "zswap_load"), nr * 4 // kib
    if way == "in" and os.path.basename(path).startswith("c."):
        want = nr
    got = sum(counts[CALLS] for address, counts in sites.items() if place(symbols, address) == name)
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


def functions(boots, folder):
    """Writes a row for each function and row of the table: counts per page, the means of all rounds but the first."""
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
                            of = total[place(symbols, address)]
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
    error = ERRORS[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(statistics.mean(logs)), math.exp(error)


def verdict(ratio, error):
    if ratio > LIMIT and ratio / error > 1:
        return "MORE"
    return "less" if ratio * LIMIT < 1 and ratio * error < 1 else "same"


def means_of(keys):
    """{operation: its rows}. Rust loads a page of a folio of 4 KiB as C does, and a larger folio whole: two operations."""
    found = collections.defaultdict(list)
    for row in keys:
        way, kib = row[:2]
        found[WAYS[way].replace(",", f" of {kib} KiB,") if way == "in" else WAYS[way]].append(row)
    return found


def span(boots, rows, kind):
    """The least and the largest ratio of these rows."""
    ratios = [figure(boots["rust"], row, kind) / figure(boots["c"], row, kind) for row in rows]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def counted_rows(boots, keys):
    """All rows, with what C and Rust count a page."""
    cells = []
    for row in keys:
        for where, offset in (("", 0), (" in zswap", ZSWAP)):
            for i, kind in enumerate(KINDS):
                c, rust = (figure(boots[impl], row, i + offset) for impl in ("c", "rust"))
                cells.append([WAYS[row[0]], row[1], row[2], CGROUPS[row[3]], f"{kind}{where}", f"{c:.2f}", f"{rust:.2f}", f"{rust / c:.3f}" if c else "-"])
    return table("counts per page", ["operation", "folio, KiB", "content", "cgroup", "count", ">C", ">Rust", ">Rust / C"], cells)


def contention(page, folder):
    """What makes CPUs wait for each other when they swap. DIR has of each boot what its guest printed, c.N and rust.N (rows of
    bench/contention.c), and what the plugin counted, c.N.counts and rust.N.counts: a window for each row, in the same order;
    and of both kernels the symbols, c.symbols and rust.symbols. The windows of which it is known what is to be counted come
    first: if one has another count, nothing else is worth looking at; nor is it if zswap isn't called for each folio or
    page. A boot's figure is the median of its rounds, a row's the median of the boots, an operation's ratio the geometric
    mean of its rows'. An operation of which Rust has more than LIMIT allows, and more than its rows differ by, has to be
    in the page's table of reasons."""
    boots = in_folder(folder, read)
    order = list(WAYS)
    keys = set(boots["c"][0][0])
    if any(set(rows) != keys for runs in boots.values() for rows, _ in runs):
        sys.exit(f"{folder}: the boots have different rows")
    keys = sorted(keys, key=lambda row: (order.index(row[0]), row[1], row[2] != "same", row[3] != "own"))
    functions(boots, folder)
    listed, used, bad, means = reasons(page, "CONTENTION"), set(), 0, []
    for operation, rows in means_of(keys).items():
        if len(rows) not in ERRORS:
            sys.exit(f"{folder}: {operation} has {len(rows)} rows: the guest went wrong")
        for kind in (LOCKED, TRANSFERS, INVALIDATIONS):
            ratio, error = mean_ratio(boots, rows, kind)
            said = verdict(ratio, error)
            if said == "MORE" and kind != INVALIDATIONS:
                why = [reason for reason in listed if re.fullmatch(reason, f"{KINDS[kind]}, {operation}")]
                used.update(why)
                bad += not why
                said = "listed" if why else said
            means.append([operation, COUNTED[kind], f"{ratio:.3f}", f"{ratio * (error - 1):.3f}", span(boots, rows, kind), said])
    widest = {kind: max(spread(runs, row, kind) for runs in boots.values() for row in keys) for kind in (LOCKED, TRANSFERS)}
    lines = [*table("means of the rows of an operation", ["operation", "count", ">Rust / C", ">±", ">its rows", "verdict"], means),
             f"# Boots: {len(boots['c'])} of C, {len(boots['rust'])} of Rust. A row's rounds differ by at most {widest[LOCKED] * 100:.1f} % in locked "
             f"instructions and {widest[TRANSFERS] * 100:.1f} % in transfers, so the ratio of a mean is more reliable than the ratio of a row.",
             *counted_rows(boots, keys)]
    notes = [f"function by function: {folder}/functions.tsv"]
    notes += [f"stale: {page} lists `{row}`, which has no more" for row in sorted(set(listed) - used)]
    if bad:
        notes.append(f"contention: {bad} means are over 1 % more, and {page} has no reason for them")
    return lines, notes, bad > 0

# --- profile ---------------------------------------------------------------------------------


PAGES = 512  # of a round of swapbench
LOOKS = {"miss": 8, "hit": 8, "sparse": 1 / 16}  # at each page
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


def executed(folder, impl, looks):
    """{function: instructions per page}"""
    symbols, found = Symbols(os.path.join(folder, f"{impl}.symbols")), collections.Counter()
    with open(os.path.join(folder, f"{impl}.1.counts"), encoding="ascii") as file:
        count_of = int(file.readline().split()[1])
        if not count_of:
            sys.exit(f"{folder}: no window of {impl} was marked")
        for line in file:
            pc, count = line.split()
            at = bisect.bisect(symbols.at, int(pc, 16)) - 1
            found[name_of(symbols.names[at]) if at >= 0 else "?"] += int(count)
    return {name: count / count_of / (PAGES * looks) for name, count in found.items()}


def profile(_page, folder, way):
    """Where the instructions of a row of make bench are executed: DIR has c.1.counts and rust.1.counts of
    bench/plugin/profile.c, and c.symbols and rust.symbols. The functions that take most are in the table; all of them, first
    those that differ most, in DIR/functions.tsv."""
    c, rust = (executed(folder, impl, LOOKS.get(way, 1)) for impl in ("c", "rust"))
    both_of = [(name, c.get(name, 0), rust.get(name, 0)) for name in sorted(c.keys() | rust.keys())]
    both_of.sort(key=lambda row: -abs(row[2] - row[1]))
    with open(os.path.join(folder, "functions.tsv"), "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{there:.2f}\t{here:.2f}\n" for name, there, here in both_of)
    both_of.sort(key=lambda row: -max(row[1], row[2]))
    rest = both_of[SHOWN:]
    total = sum(c.values()), sum(rust.values())
    cells = [[name, f"{there:.1f}", f"{here:.1f}"] for name, there, here in both_of[:SHOWN]]
    cells += [["others", *(f"{sum(row[i] for row in rest):.1f}" for i in (1, 2))],
              ["all", f"{total[0]:.1f}", f"{total[1]:.1f}"]]
    lines = table(f"instructions per page, {way}", ["function", ">C", ">Rust"], cells)
    return [*lines, f"# Rust / C of all: {total[1] / total[0]:.3f}. {len(rest)} others.", "# without *: the functions that take most"], [], False
