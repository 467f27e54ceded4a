#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""parity.py DOC ROWS...: compare what the workload of parity.sh gave on C and on Rust.

ROWS are files c.N and rust.N of lines KIND<tab>NAME<tab>VALUE. An exact row has to be the same in
all of them; a law has to be 0 as well, and data right. A moved row is a number, and that of Rust
(the median, if there are several runs) has to lie between C's least and largest; all of them, where
C's are all the same. What doesn't has to be in DOC's table of differences, by its name and with a
reason. If the reason gives a bound, the numbers have to be within it: a "median of at most N" of Rust's
runs; "each has N, N or N," of all runs, and then Rust's median has to be a number that C has had. Else
the exit status is 1. An exact row listed that is no difference is said, too.
"-v" shows all rows, not only those that aren't the same everywhere.
"""

import os
import re
import statistics
import sys

ABSENT = "(none)"


def read(path):
    """{name: (kind, value)} of a file; the second row of a name is "NAME, 2"."""
    rows, seen = {}, {}
    with open(path, encoding="utf-8", errors="backslashreplace") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 3 or fields[0] not in ("exact", "moved"):
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the guest's workload went wrong")
            kind, name, value = fields
            seen[name] = seen.get(name, 0) + 1
            rows[name if seen[name] == 1 else f"{name}, {seen[name]}"] = (kind, value)
    if not rows:
        sys.exit(f"{path}: no rows: remove it and run again")
    return rows


def listed(path):
    """The differences of the document's table: {name: reason}."""
    with open(path, encoding="utf-8") as file:
        part = re.search(r"<!-- DIFFERENCES: BEGIN -->(.*?)<!-- DIFFERENCES: END -->", file.read(), re.S)
    if not part:
        sys.exit(f"{path}: its table of differences isn't between the marks DIFFERENCES: BEGIN and END")
    table = {}
    for line in part.group(1).strip().splitlines()[2:]:
        cells = re.fullmatch(r"\| `(.+?)` \| (.*\S) \|", line)
        if not cells:
            sys.exit(f"{path}: no `row` and reason in: {line}")
        for words, bound in (("median of at most", r"median of at most \d"), ("each has", r"each has \d+(, \d+)* or \d+, ")):
            if words in cells.group(2) and not re.search(bound, cells.group(2)):
                sys.exit(f"{path}: `{cells.group(1)}` has '{words}', and not the number or numbers")
        table[cells.group(1)] = cells.group(2)
    return table


def spread(values):
    """5, or 3..7."""
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low}..{high}"


def judge(kind, name, c, rust):
    """What C gave, what Rust did, and what that is."""
    if any("law: " in name and value != "0" or re.search(r"WRONG|\bended ", value) for value in c + rust):
        return " / ".join(sorted(set(c))), " / ".join(sorted(set(rust))), "BROKEN"
    if kind == "moved" and ABSENT not in c + rust:
        c, rust = [int(value) for value in c], [int(value) for value in rust]
        # Where C never varies, nothing else will do.
        inside = set(rust) == set(c) if len(set(c)) == 1 else min(c) <= statistics.median_low(rust) <= max(c)
        same = len(set(c + rust)) == 1
        return spread(c), spread(rust), "same" if same else "within" if inside else "OUTSIDE"
    if len(set(c)) > 1:
        return " / ".join(sorted(set(c))), " / ".join(sorted(set(rust))), "C DIFFERS"
    return c[0], " / ".join(sorted(set(rust))), "same" if set(rust) == set(c) else "DIFFERS"


def in_bounds(reason, c, rust):
    """Whether the numbers are within the bounds that the reason gives, if it gives any."""
    if ("median of at most" in reason or "each has" in reason) and not all(
            value.isdigit() for value in c + rust):
        return False
    most = re.search(r"median of at most (\d+)", reason)
    if most and statistics.median_low(map(int, rust)) > int(most.group(1)):
        return False
    each = re.search(r"each has (\d+(?:, \d+)* or \d+),", reason)
    if each:
        # Seldom another than C: not so in most runs.
        return (set(c + rust) <= set(re.findall(r"\d+", each.group(1))) and
                str(statistics.median_low(map(int, rust))) in c)
    return True


def main():
    arguments = [word for word in sys.argv[1:] if word != "-v"]
    doc, paths = arguments[0], arguments[1:]
    runs = {impl: [read(path) for path in paths if os.path.basename(path).startswith(impl + ".")]
            for impl in ("c", "rust")}
    if not runs["c"] or not runs["rust"]:
        sys.exit("parity.py: needs rows of both: files c.N and rust.N")
    reasons = listed(doc)
    kinds = {}
    for run in runs["c"] + runs["rust"]:
        for name, (kind, _) in run.items():
            if kinds.setdefault(name, kind) != kind:
                sys.exit(f"parity.py: {name} is an exact row in one run and a moved one in another")

    counts, bad, used, table = {}, 0, set(), []
    for name, kind in kinds.items():
        values = {impl: [run.get(name, (kind, ABSENT))[1] for run in runs[impl]] for impl in runs}
        c, rust, verdict = judge(kind, name, values["c"], values["rust"])
        if verdict.isupper():
            used.add(name)
            if name in reasons and in_bounds(reasons[name], values["c"], values["rust"]):
                verdict = "listed"
            else:
                bad += 1
        counts[kind, verdict] = counts.get((kind, verdict), 0) + 1
        if verdict != "same" or "-v" in sys.argv:
            shown = [text.replace("|", "\\|") for text in (name, c, rust)]
            table.append(f"| {kind} | `{shown[0]}` | {shown[1]} | {shown[2]} | {verdict} |")

    print(f"{len(runs['c'])} runs on C, {len(runs['rust'])} on Rust, {len(kinds)} rows")
    if table:
        print("\n| kind | row | C | Rust | verdict |\n|---|---|---:|---:|---|")
        print("\n".join(table))
    print()
    for (kind, verdict), number in sorted(counts.items()):
        print(f"{number} {kind} rows: {verdict}")
    # A moved row that is listed may well be inside in this run.
    for name in sorted(name for name in set(reasons) - used if kinds.get(name) != "moved"):
        print(f"stale: {doc} lists `{name}`, which is no difference")
    if bad:
        print(f"parity: {bad} rows differ, and {doc} has no reason for them")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
