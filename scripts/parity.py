#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""parity.py DOC ROWS...: compares the results of the workload of parity.sh on C and on Rust.

ROWS are files c.N and rust.N of lines KIND<tab>NAME<tab>VALUE. An exact row must be the same in all of
them; a law must also be 0, and data correct. A moved row is a number. Where C's are all the same, Rust's
must be, too. Where C's vary, a rank test compares the runs: a row fails (SHIFTED) if its p is below 0.01
after the correction for the number of rows tested. A difference must be in DOC's table of differences, by
its name and with a reason. If the reason says "each has N, N or N," all runs must have one of these
numbers, and Rust's median one that C has had. Otherwise the exit status is 1. With too few runs for the
rank test to find anything, moved rows aren't judged. A listed exact row that doesn't differ is reported,
too. "-v" shows all rows, not only those that aren't the same everywhere.
"""

import re
import statistics
import sys

import measured

ABSENT = "(none)"
LIMIT = 0.01


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
    table = measured.reasons(path, "DIFFERENCES")
    for name, reason in table.items():
        if "each has" in reason and not re.search(r"each has \d+(, \d+)* or \d+, ", reason):
            sys.exit(f"{path}: `{name}` has 'each has', and not the numbers")
    return table


def spread(values):
    """5, or 3..7."""
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low}..{high}"


def texts(values):
    return " / ".join(sorted(set(values)))


def is_tested(kind, c, rust):
    """Whether comparing these requires a rank test: a number that varies on C."""
    return kind == "moved" and ABSENT not in c + rust and len(set(c)) > 1


def judge(kind, name, c, rust, p, enough):
    """C's values, Rust's values, and the verdict."""
    if any("law: " in name and value != "0" or re.search(r"WRONG|\bended ", value) for value in c + rust):
        return texts(c), texts(rust), "BROKEN"
    if p is not None:
        return (spread([int(value) for value in c]), spread([int(value) for value in rust]),
                "too few runs" if not enough else "SHIFTED" if p < LIMIT else "same ranks")
    same = "same" if set(rust) == set(c) else "OUTSIDE" if kind == "moved" else "DIFFERS"
    if kind == "moved" and ABSENT not in c + rust:
        # Few runs can't show that C's never varies.
        return c[0], spread([int(value) for value in rust]), same if enough or same == "same" else "too few runs"
    return texts(c), texts(rust), "C DIFFERS" if len(set(c)) > 1 else same


def in_bounds(reason, c, rust):
    """Whether the numbers are those in the reason, if it has any."""
    each = re.search(r"each has (\d+(?:, \d+)* or \d+),", reason)
    if not each:
        return True
    # Rarely differs from C: not in most runs.
    return (set(c + rust) <= set(re.findall(r"\d+", each.group(1))) and
            str(statistics.median_low(map(int, rust))) in c)


def main(arguments):
    verbose = "-v" in arguments
    doc, *paths = [word for word in arguments if word != "-v"]
    runs = measured.by_kernel(paths, read)
    reasons = listed(doc)
    kinds = {}
    for run in runs["c"] + runs["rust"]:
        for name, (kind, _) in run.items():
            if kinds.setdefault(name, kind) != kind:
                sys.exit(f"parity.py: {name} is an exact row in one run and a moved one in another")
    values = {name: tuple([run.get(name, (kind, ABSENT))[1] for run in runs[impl]] for impl in ("c", "rust"))
              for name, kind in kinds.items()}
    ps = measured.holm({name: measured.rank_test([int(value) for value in c], [int(value) for value in rust])
                        for name, (c, rust) in values.items() if is_tested(kinds[name], c, rust)})
    # The smallest p possible with that many runs, all on one side.
    sizes = len(runs["c"]), len(runs["rust"])
    enough = max(1, len(ps)) * measured.rank_test(list(range(sizes[0])), list(range(sizes[0], sum(sizes)))) < LIMIT

    counts, bad, used, table = {}, 0, set(), []
    for name, kind in kinds.items():
        c, rust, verdict = judge(kind, name, *values[name], ps.get(name), enough)
        if verdict.isupper():
            used.add(name)
            if verdict != "BROKEN" and name in reasons and in_bounds(reasons[name], *values[name]):
                verdict = "listed"
            else:
                bad += 1
        counts[kind, verdict] = counts.get((kind, verdict), 0) + 1
        if verdict != "same" or verbose:
            shown = [text.replace("|", "\\|") for text in (name, c, rust)]
            beyond, p = "", ""
            if name in ps:
                low, high = min(map(int, values[name][0])), max(map(int, values[name][0]))
                beyond = sum(not low <= int(value) <= high for value in values[name][1])
                p = f"{ps[name]:.3f}" if ps[name] >= 0.0005 else f"{ps[name]:.0e}"
            table.append(f"| {kind} | `{shown[0]}` | {shown[1]} | {shown[2]} | {beyond} | {p} | {verdict} |")

    print(f"{sizes[0]} runs on C, {sizes[1]} on Rust, {len(kinds)} rows")
    if table:
        print("\n| kind | row | C | Rust | beyond C's range | p | verdict |\n|---|---|---:|---:|---:|---:|---|")
        print("\n".join(table))
    print()
    for (kind, verdict), number in sorted(counts.items()):
        print(f"{number} {kind} rows: {verdict}")
    # A listed moved row may be the same in these runs.
    for name in sorted(name for name in set(reasons) - used if kinds.get(name) != "moved"):
        print(f"stale: {doc} lists `{name}`, which doesn't differ")
    few = counts.get(("moved", "too few runs"))
    if few:
        print(f"parity: too few runs to judge {few} moved rows")
    if bad:
        print(f"parity: {bad} rows differ, and {doc} has no reason for them")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
