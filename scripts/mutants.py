#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""mutants.py RESULTS [all]: the block of make mutants in docs/testing.md, and docs/mutants.tsv, for scripts/figures.py.

A line of the file RESULTS is a mutant, its result and its time, with tabs between them. The results of all mutants replace
the table, those of some replace their rows. A mutant that the patches no longer have loses its row. The page has the counts
by layer, and each mutant that its test didn't catch or that has no result.
"""

import collections
import pathlib
import re
import sys

import figures
import sources
from measured import table

HEAD = ["mutant", "patch", "layer", "reintroduces", "the bug", "result", "time", "commit"]
TITLES = {"policy": "policy", "core": "core", "abstractions": "abstractions", "abi": "C ABI"}


def seeded():
    """{mutant: (patch, layer, the bugs of docs/races.md, description)}, in the order of the patches."""
    layers, found = sources.mutants(), {}
    for patch in sorted(pathlib.Path("tests/mutants").glob("*.patch")):
        text = patch.read_text(encoding="utf-8").split("\n---\n")[0]
        for name, header in re.findall(r"^mutant: (\S+)\n((?:.+\n?)*)", text, re.M):
            history = re.search(r"^history: (.*)$", header, re.M)
            what = " ".join(line for line in header.splitlines() if not re.match(r"[a-z-]+: ", line))
            found[name] = patch.name, layers[name], history[1] if history else "", what
    return found


def before(text):
    """{mutant: (result, time, commit)} of the table."""
    rows = [line.split("\t") for line in text.splitlines()]
    return {row[0]: tuple(row[-3:]) for row in rows[1:]}


def is_caught(result):
    return result.startswith("caught ")


def here():
    """The commit, with a plus sign if the tree has changes."""
    return (figures.git("describe", "--always", "--dirty=+", "--exclude=*") or b"").decode().strip() or "-"


def block(mutants, results):
    """The lines. A result is (result, time, commit)."""
    rows = [[name, patch, layer, history or "-", what, *results[name]] for name, (patch, layer, history, what) in mutants.items() if name in results]
    count = collections.Counter()
    for name, (_, layer, _, _) in mutants.items():
        result = results[name][0] if name in results else ""
        kind = "none" if not result else "caught" if is_caught(result) else "survives" if result.startswith("survives: ") else "missed"
        count[layer, kind] += 1
        count["all", kind] += 1
    kinds = ("caught", "missed", "survives", "none")
    cells = [[TITLES[layer], sum(count[layer, kind] for kind in kinds), *(count[layer, kind] for kind in kinds)] for layer in TITLES]
    cells.append(["**all**", len(mutants), *(count["all", kind] for kind in kinds)])
    commits = collections.Counter(results[name][2] for name in mutants if name in results)
    lines = [f"{len(rows)} results of {len(mutants)} mutants: {count['all', 'caught']} caught. "
             f"Results by commit: {', '.join(f'{number} at `{commit}`' for commit, number in commits.items())}.", "",
             *table(["layer", ">all", ">caught", ">missed", ">survive", ">no result"], cells)]
    odd = [[f"[`{name}`](../tests/mutants/{patch})", what,
            re.sub(r"\w{20,}", lambda word: word[0].replace("_", "_<wbr>"), results[name][0].replace("|", "\\|")) if name in results else "no result yet"]
           for name, (patch, _, _, what) in mutants.items() if name not in results or not is_caught(results[name][0])]
    if odd:
        lines += ["", *table(["not caught by the test that was named", "the bug", "result"], odd)]
    return lines + ["\t".join(row) for row in [HEAD, *rows]]


def main(path, which=""):
    mutants, results = seeded(), {} if which == "all" else before(figures.table()["mutants"].read_rows())
    commit = here()
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, result, time = line.rstrip("\n").split("\t")
            results[name] = result, time, commit
    print("\n".join(block(mutants, results)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
