#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""bench.py DOC DIR: compares the cost of swapping in C and in Rust.

DIR has a file for each boot, c.N and rust.N, with lines WHAT<tab>KIB<tab>CONTENT<tab>WAY<tab>PER<tab>
INSTRUCTIONS...: the instructions of each of the boot's rounds for PER pages. A boot's figure is the median
of its rounds, a row's the median of the boots. Writes the table into DOC, between its marks. A row for which Rust takes over 1 % more, and more than boots differ,
must be in DOC's table of reasons: otherwise the exit status is 1, as it is if the boots differ so much that
the result depends on them.
"""

import os
import re
import statistics
import sys

import measured

LIMIT = 1.0  # percent
ONE = 1.0  # instruction a page: boots that differ by no more say the same

WAYS = {
    "out": "swap out",
    "in": "swap in, by a fault",
    "free": "free, swapped",
    "scatter": "free, one slot at a time, random order",
    "split": "free, one page in sixteen loaded before",
    "gone": "exit, all swapped",
    "ahead": "read into the swap cache",
    "cached": "fault on a cached folio",
    "drop": "free, swapped and cached",
    "miss": "look up: not there",
    "hit": "look up: there",
    "exit": "exit, never swapped",
    "unmap": "free, never swapped",
    "new": "first write to a page",
}
WHATS = {
    "cache": "zswap never on",
    "zswap": "in zswap",
    "off": "zswap off, empty",
    "beside": "other pages in zswap",
}
# Rows that don't depend on zswap, or on the contents, are shown once; all are judged.
ONCE = {"cached", "drop", "miss", "hit"}
PLAIN = {"exit", "unmap", "new"}
# Rows that are shown for the pages that zswap has.
ZSWAP = {"scatter", "split"}


def read(path):
    """{(way, what, kib, content): instructions a page} of a boot."""
    rows = {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 6 or fields[0] not in WHATS or fields[3] not in WAYS:
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the guest went wrong")
            what, kib, content, way, per, rounds = fields
            rows[way, what, int(kib), content] = statistics.median(map(int, rounds.split())) / int(per)
    return rows


def name(key):
    way, what, kib, content = key
    return f"{WAYS[way]}, {WHATS[what]}, {kib} KiB, {content}"


def is_shown(key):
    way, what, kib, content = key
    if way in PLAIN | ONCE:
        return what == "cache" and content == "random" and (way in PLAIN or kib == 4)
    if way in ZSWAP:
        return what == "zswap" and content != "holes"
    return way != "ahead" or kib == 4


def stands_for(key):
    """The row that stands for one that isn't shown."""
    way, what, kib, content = key
    if way in ONCE:
        return way, "cache", 4, "random"
    if way in ZSWAP:
        return way, "zswap", kib, "same"
    return (way, "cache", kib, "random") if way in PLAIN else (way, what, 4, content)


# The picture: groups of rows, each with its label, way, where the page is, content. scripts/pictures.py
# takes them from the table.
GROUPS = [
    ("Swap-out", [
        ("in zswap, random", "out", "zswap", "random"), ("in zswap, same", "out", "zswap", "same"),
        ("in zswap, text", "out", "zswap", "text"), ("zswap never on", "out", "cache", "random")]),
    ("Swap-in, by a fault", [
        ("in zswap, random", "in", "zswap", "random"), ("in zswap, same", "in", "zswap", "same"),
        ("in zswap, text", "in", "zswap", "text"), ("zswap never on", "in", "cache", "random")]),
    ("Freeing", [
        ("in zswap, same", "free", "zswap", "same"), ("exit, in zswap, same", "gone", "zswap", "same")]),
    ("Swap cache", [
        ("readahead, same", "ahead", "zswap", "same"), ("fault, cached folio", "cached", "cache", "random"),
        ("lookup: there", "hit", "cache", "random"), ("lookup: not there", "miss", "cache", "random")]),
]


def main():
    doc, folder = sys.argv[1:]
    boots = measured.by_kernel([os.path.join(folder, file) for file in sorted(os.listdir(folder))], read)
    keys = set(boots["c"][0])
    for boot in boots["c"] + boots["rust"]:
        if set(boot) != keys:
            sys.exit(f"{folder}: the boots have different rows: {name(min(set(boot) ^ keys))}")
    reasons = measured.reasons(doc, "REASONS")

    table, bad, used, worst = [], 0, set(), 0.0
    hidden = {"no": 0, "as": 0}  # that take over the limit more: none, or as the row that stands for them
    over = set()
    order = list(WAYS), list(WHATS)
    for key in sorted(keys, key=lambda key: (not is_shown(key), order[0].index(key[0]), order[1].index(key[1]), key[3], key[2])):
        values = {impl: [boot[key] for boot in boots[impl]] for impl in boots}
        c, rust = (statistics.median(values[impl]) for impl in ("c", "rust"))
        spread = max(max(values[impl]) - min(values[impl]) for impl in values)
        percent = (rust / c - 1) * 100
        wobble = spread / c * 100
        worst = max(worst, wobble)
        verdict = "less" if percent < -LIMIT else "MORE" if percent > LIMIT and rust - c > spread else "same"
        if verdict == "MORE":
            why = [row for row in reasons if re.fullmatch(row, name(key))]
            used.update(why)
            bad += not why
            verdict = "listed" if why else verdict
        # Within the limit, but only with these boots.
        hidden_by_spread = percent > LIMIT and rust - c <= spread
        if (percent <= LIMIT < percent + wobble or hidden_by_spread) and spread > ONE:
            verdict += ", DOESN'T REPEAT"
            bad += 1
        if verdict in ("MORE", "listed"):
            over.add(key)
        if is_shown(key):
            pass
        elif verdict in ("less", "same"):
            hidden["no"] += 1
            continue
        elif verdict in ("MORE", "listed") and stands_for(key) in over:
            hidden["as"] += 1
            continue
        way, what, kib, content = key
        table.append(f"| {WAYS[way]} | {WHATS[what]} | {kib} KiB | {content} | {c:.1f} | {rust:.1f} | "
                     f"{rust - c:+.1f} | {percent:+.2f} % | {wobble:.2f} % | {verdict} |")

    lines = ["| operation | zswap | folio | content | C | Rust | difference | | spread | verdict |",
             "|---|---|---:|---|---:|---:|---:|---:|---:|---|", *table, "",
             f"{sum(hidden.values())} more rows have other content, folio sizes or states of zswap: "
             f"{hidden['no']} take no more{', and %d more for the same reason' % hidden['as'] if hidden['as'] else ''}. Boots: {len(boots['c'])} of C, "
             f"{len(boots['rust'])} of Rust; the largest spread of all is {worst:.2f} %."]
    measured.put_output(doc, "make bench", lines, bad > 0)

    print("\n".join(lines))
    for row in sorted(set(reasons) - used):
        print(f"stale: {doc} lists `{row}`, which takes no more")
    if bad:
        print(f"bench: {bad} rows take over {LIMIT:.0f} % more, or don't repeat, and {doc} has no reason for them")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
