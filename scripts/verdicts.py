#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges what tests printed. parity is a function of measure.py; and

verdicts.py mutants RESULTS: writes build/results/mutants.tsv (results.py). A line of the file RESULTS is a mutant, its result
and its time, with tabs between them.
verdicts.py selftests TABLE CLOSE LIST OUT...: prints the results of make selftests, for results.py; "selftests" below has the arguments.
verdicts.py kunit "SUITE..." build/kunit/um build/kunit/x86_64: the suites that kunit.py ran, from its JSON: how many cases
of each passed on each machine. Fails if a case of a suite fails or is skipped, if a suite of this project ran nowhere, or
if a suite ran on one machine and not on another. Lists a case that one machine has and another lacks: Kconfig leaves it
out there.
"""

import collections
import json
import math
import os
import pathlib
import re
import statistics
import sys

import results
import sources
from measured import by_kernel, holm, rank_test, reasons
from results import table

# --- parity ----------------------------------------------------------------------------------

ABSENT = "(none)"
LIMIT = 0.01
# How the reason of a row begins that may have only these numbers.
EITHER = re.compile(r"(\d+(?:, \d+)* or \d+) on both\b")


def read(path):
    """{name: (kind, value)} of the rows KIND NAME VALUE of a file; the second row of a name is "NAME, 2"."""
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
    """The differences of the document's table: {name: reason}. A line may have several names, "`a`, `b`"."""
    found = {name: reason for names, reason in reasons(path, "DIFFERENCES").items() for name in names.split("`, `")}
    for name, reason in found.items():
        if "on both" in reason and not EITHER.match(reason):
            sys.exit(f"{path}: `{name}` has 'on both', and not the numbers first")
    return found


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
    either = EITHER.match(reason)
    if not either:
        return True
    # Rarely differs from C: not in most runs.
    return (set(c + rust) <= set(re.findall(r"\d+", either[1])) and
            str(statistics.median_low(map(int, rust))) in c)


def compared(doc, paths, verbose=False):
    """The lines of tables, of rows that aren't the same in all runs, with verbose of all; what else is to be said; and whether
    anything is wrong.

    An exact row must be the same in all runs; a law must also be 0, and data correct. A moved row is a number. Where C's
    are all the same, Rust's must be, too. Where C's vary, a rank test compares the runs: a row fails (SHIFTED) if its p is
    below LIMIT after the correction for the number of rows tested. A difference must be in the document's table of
    differences, by its name and with a reason. If the reason begins with "N, N or N on both", all runs must have one of these
    numbers, and Rust's median one that C has had. With too few runs for the rank test to find anything, moved rows aren't
    judged. A listed exact row that doesn't differ is reported, too.
    """
    runs = by_kernel(paths, read)
    why = listed(doc)
    kinds = {}
    for run in runs["c"] + runs["rust"]:
        for name, (kind, _) in run.items():
            if kinds.setdefault(name, kind) != kind:
                sys.exit(f"parity: {name} is an exact row in one run and a moved one in another")
    values = {name: tuple([run.get(name, (kind, ABSENT))[1] for run in runs[impl]] for impl in ("c", "rust"))
              for name, kind in kinds.items()}
    ps = holm({name: rank_test([int(value) for value in c], [int(value) for value in rust])
               for name, (c, rust) in values.items() if is_tested(kinds[name], c, rust)})
    # The smallest p possible with that many runs, all on one side.
    sizes = len(runs["c"]), len(runs["rust"])
    enough = max(1, len(ps)) * rank_test(list(range(sizes[0])), list(range(sizes[0], sum(sizes)))) < LIMIT

    counts, bad, used, cells = collections.Counter(), 0, set(), []
    for name, kind in kinds.items():
        c, rust, verdict = judge(kind, name, *values[name], ps.get(name), enough)
        if verdict.isupper():
            used.add(name)
            if verdict != "BROKEN" and name in why and in_bounds(why[name], *values[name]):
                verdict = "listed"
            else:
                bad += 1
        counts[kind, verdict] += 1
        if verdict != "same" or verbose:
            beyond, p = "", ""
            if name in ps:
                low, high = min(map(int, values[name][0])), max(map(int, values[name][0]))
                beyond = sum(not low <= int(value) <= high for value in values[name][1])
                p = f"{ps[name]:.3f}" if ps[name] >= 0.0005 else f"{ps[name]:.0e}"
            cells.append([kind, name, c, rust, str(beyond), p, verdict])

    lines = [f"# {sizes[0]} runs on C, {sizes[1]} on Rust, {len(kinds)} rows.",
             *table("verdicts", ["kind", "verdict", ">rows"], [(*key, number) for key, number in sorted(counts.items())]),
             *table("rows that are not the same in all runs", ["kind", "row", ">C", ">Rust", ">beyond C's range", ">p", "verdict"],
                    sorted(cells, key=lambda row: row[-1] in ("same", "same ranks"))),
             "# without *: rows that were the same in all runs"]
    # A listed moved row may be the same in these runs.
    notes = [f"stale: {doc} lists `{name}`, which doesn't differ" for name in sorted(set(why) - used) if kinds.get(name) != "moved"]
    few = counts["moved", "too few runs"]
    if few:
        notes.append(f"parity: too few runs to judge {few} moved rows")
    if bad:
        notes.append(f"parity: {bad} rows differ, and {doc} has no reason for them")
    return lines, notes, bad > 0


def parity(page, folder, runs):
    """The results of tests/vm/parity.sh on both, of the first RUNS files c.N and rust.N. Every row goes to rows.tsv beside the folder."""
    paths = [os.path.join(folder, f"{impl}.{n}") for impl in ("c", "rust") for n in range(1, int(runs) + 1)]
    pathlib.Path(folder).with_name("rows.tsv").write_text("\n".join(compared(page, paths, True)[0]), encoding="utf-8")
    return compared(page, paths)

# --- selftests -------------------------------------------------------------------------------


LOST, CLOSE = 0.01, 0.25


def worse(c, of_c, rust, of_rust):
    """The one-sided p of Fisher's exact test: the chance of at most that many passes on Rust, if the two kernels don't
    differ."""
    both = c + rust
    ways = sum(math.comb(of_rust, x) * math.comb(of_c, both - x) for x in range(max(0, both - of_c), rust + 1))
    return ways / math.comb(of_c + of_rust, both)


class Runs:
    """What the guests of one kernel printed, by program and number of a test."""

    def __init__(self):
        self.runs, self.ended = collections.Counter(), collections.Counter()
        self.ok, self.skip = collections.Counter(), collections.Counter()
        self.sums = collections.defaultdict(lambda: [0.0] * 3)  # seconds, pages stored and loaded


class Tests:
    """The tests that there are: the last number of each program, names, and why they are skipped."""

    def __init__(self):
        self.last, self.name, self.why = {}, {}, {}

    def line(self, of, program, text):
        """Takes a line of a program's output in a run."""
        if plan := re.match(r"1\.\.(\d+)", text):
            self.last[program] = max(self.last.get(program, 0), int(plan[1]))
        elif said := re.match(r"(not )?ok (\d+) *(?:- )?(.*)", text):
            failed, number, text = said[1], int(said[2]), said[3]
            key = program, number
            self.last[program] = max(self.last.get(program, 0), number)
            skipped = None
            if mark := re.search(r"\s*# SKIP\s*(.*)", text):
                text, skipped = text[:mark.start()], mark[1]
                # Some have the reason after the mark, some the name, some both.
                if not text:
                    text, skipped = re.fullmatch(r"(.*?)(?: \((.*)\))?", skipped).groups()
                of.skip[key] += 1
                if skipped:
                    self.why[key] = skipped
            elif not failed:
                of.ok[key] += 1
            text = text.removeprefix("# XFAIL ")
            # The name from a passed run: some print the failure instead.
            if key not in self.name or not failed and not mark:
                self.name[key] = text
        elif end := re.fullmatch(r"end (\d+) (\S+) (\d+) (\d+)", text):
            self.name[program, 0] = "comes to its end"
            # A status above 4, which means skipped: killed by a signal, or timed out.
            of.ok[program, 0] += int(end[1]) <= 4
            of.ended[program] += 1
            of.sums[program] = [was + float(more) for was, more in zip(of.sums[program], end.groups()[1:])]


def selftests(full, close, programs, *outs):
    """Judges guests of scripts/selftests.sh. OUT=RUNS[:PROGRAM,...] is of RUNS runs of all programs in the file PROGRAMS, or
    of those with these numbers; OUT is .../selftests-IMPL.out or .../selftests-IMPL-again.out. Every test is a line of the
    file FULL; prints tables of each program's counts, and of the tests that didn't pass in all runs. A missing test, whose program died
    before, has failed. Fails if Rust passes a test less often than C, with p < LOST. The file CLOSE gets the numbers of the
    programs that have a test with p < CLOSE."""
    commands = [line.split(" ", 1)[1] for line in pathlib.Path(programs).read_text(encoding="utf-8").splitlines()]
    impls, tests = {}, Tests()
    for out in outs:
        named = re.fullmatch(r"(.*selftests-(\w+)(?:-again)?\.out)=(\d+)(?::([\d,]+))?", out)
        if not named:
            sys.exit(f"{out}: not the output of a guest, and its runs")
        of = impls.setdefault(named[2], Runs())
        for program in [int(number) - 1 for number in named[4].split(",")] if named[4] else range(len(commands)):
            of.runs[program] += int(named[3])
        with open(named[1], encoding="utf-8", errors="replace") as file:
            for line in file:
                if said := re.match(r"\d+ (\d+) (.*)", line.rstrip()):
                    tests.line(of, int(said[1]) - 1, said[2])

    both = "c" in impls and "rust" in impls
    row = "{:<30} {:>4}  {:<70}" + "  {:>9}" * len(impls) + "  {}"
    every = [row.format("program", "", "test", *impls, "")]
    titles = {"c": "C", "rust": "Rust"}
    lines, lost, total, skipped, odd, near = [], 0, 0, 0, [], []
    for program, command in enumerate(commands):
        sums, is_near = {impl: [0] * 4 for impl in impls}, False
        # A program without a plan or output is still one test.
        for number in [*range(1, tests.last.get(program, 1) + 1), 0]:
            key, cells, always, mark = (program, number), [], True, ""
            for impl, of in impls.items():
                runs, ok, skip = of.runs[program], of.ok[key], of.skip[key]
                cells.append("skipped" if skip == runs else f"{ok}/{runs}" + (f"+{skip} skipped" if skip else ""))
                sums[impl][3 if skip == runs else 0 if ok == runs else 1 if ok else 2] += 1
                always &= runs in (ok, skip)
            p = worse(*(count for impl in ("c", "rust") for count in (impls[impl].ok[key], impls[impl].runs[program]))) if both else 1
            is_near |= p < CLOSE
            if p < LOST:
                lost += 1
                mark = f"LOST, p = {p:.1g}"
            elif len(set(cells)) > 1:
                mark = f"differs, p = {p:.2f}"
            why = tests.why.get(key, "") if "skipped" in " ".join(cells) else ""
            every.append(row.format(command, number or "", tests.name.get(key, "(never came)"), *cells, mark or why))
            if mark or not always:
                odd.append([command, number or "-", tests.name.get(key, "(never came)"), *cells, mark or why])
            total += number > 0
            skipped += number > 0 and set(cells) == {"skipped"}
        if is_near:
            near.append(str(program + 1))
        lines.append([command, 1 + tests.last.get(program, 1), *(cell for impl, of in impls.items() for cell in (
            *sums[impl], *(f"{value / (of.ended[program] or 1):.0f}" for value in of.sums[program])))])
    columns = "all", "some", "none", "skip", "s", "stored", "loaded"
    lines = table("programs", ["program", ">tests", *(f">{titles.get(impl, impl)}: {column}" for impl in impls for column in columns)], lines)
    lines += ["# How many tests passed in all runs, in some, in none, or were always skipped, and whether the program comes to its end; "
              f"seconds and pages that zswap stored and loaded, in a run. Each test, and why it is skipped: {full}"]
    if odd:
        lines += [*table("not passed in each run", ["program", "number", "test", *(f">{titles.get(impl, impl)}" for impl in impls), "why"], odd),
                  "# without *, *: a test that passed in each run"]
    has = {command: tests.last.get(program, 1) for program, command in enumerate(commands)}
    most = sorted(has, key=lambda command: (-has[command], command))
    shown = [most[0], *(command for command in most if "zswap" in command)]
    lines += [f"# {total} tests of {len(commands)} programs, of which {skipped} are skipped; "
                  f"{', '.join(f'{has[command]} are of {command}' for command in shown)}; and of each program, whether it comes to its end"]
    if both:
        lines.append(f"# {'failed: ' if lost else ''}{lost} that Rust passes less often than C (p < {LOST})")
    pathlib.Path(full).write_text("\n".join(every) + "\n", encoding="utf-8")
    pathlib.Path(close).write_text(",".join(near), encoding="utf-8")
    print("\n".join(lines))
    return lost > 0

# --- kunit, twins --------------------------------------------------------------------------------


def groups_of(file):
    """{suite: {case: status}} of a run; none if it has no results."""
    try:
        groups = json.loads(file.read_text())["sub_groups"]
    except (OSError, ValueError, KeyError):
        return {}
    return {group["name"]: {case["name"]: case["status"] for case in group["test_cases"]} for group in groups}


def cell(cases):
    if cases is None:
        return "didn't run"
    passed = sum(status == "PASS" for status in cases.values())
    bad = [f"{sum(status == word for status in cases.values())} {said}"
           for word, said in (("FAIL", "failed"), ("ERROR", "crashed"), ("SKIP", "skipped"))
           if word in cases.values()]
    return ", ".join([f"{passed} passed", *bad])


# Suites that Kconfig leaves out on some machines, and the option that they need.
NEEDS = {"zswap_large": "CONFIG_THP_SWAP"}


def left_out(suite, results_of):
    """Whether the kernel of build/kunit/MACHINE lacks the option that the suite needs."""
    config = pathlib.Path(str(results_of).replace("build/kunit/", "build/kunit-", 1)) / ".config"
    return suite in NEEDS and config.exists() and f"{NEEDS[suite]}=y" not in config.read_text().splitlines()


def kunit(suites_wanted, *arguments):
    wanted = set(suites_wanted.split())
    ran = {pathlib.Path(arg).name: groups_of(pathlib.Path(arg + ".json")) for arg in arguments}
    others = sorted({name for suites in ran.values() for name in suites} - wanted)
    wrong = []
    if not ran:
        sys.exit("zswap_rs: kunit: no machine to run on")
    width = max(map(len, [*wanted, *others, "suite"]))
    print(f"{'suite':{width}}  " + "  ".join(f"{arch:>24}" for arch in ran))
    for name in [*sorted(wanted), *others]:
        print(f"{name:{width}}  " + "  ".join(f"{cell(suites.get(name)):>24}" for suites in ran.values()))
    for name in sorted(wanted):
        for arg, (arch, suites) in zip(arguments, ran.items()):
            if not suites.get(name) and left_out(name, arg):
                print(f"not on {arch}: {name}, without {NEEDS[name]}")
            elif not suites.get(name):
                wrong.append(f"{name} didn't run on {arch}")
    for arch, suites in ran.items():
        for name, cases in suites.items():
            wrong += [f"{name}.{case} {status.lower()} on {arch}" for case, status in cases.items() if status != "PASS"]
    for name in sorted(wanted):
        cases = {arch: set(suites.get(name) or ()) for arch, suites in ran.items()}
        for arch, has in cases.items():
            for case in sorted(set().union(*cases.values()) - has):
                if has:
                    print(f"not on {arch}: {name}.{case}")
    every = [status for suites in ran.values() for cases in suites.values() for status in cases.values()]
    passed, skipped = every.count("PASS"), every.count("SKIP")
    print(f"{passed} passed, {len(every) - passed - skipped} failed, {skipped} skipped")
    if wrong:
        sys.exit("zswap_rs: kunit: " + "; ".join(wrong[:8]) + ("; ..." if len(wrong) > 8 else ""))


# --- mutants ---------------------------------------------------------------------------------

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


def is_caught(result):
    return result.startswith("caught ")


def lines_of(mutants, found):
    """The tables. A result is (result, time)."""
    rows, count = [], collections.Counter()
    for name, (patch, layer, history, what) in mutants.items():
        result, time = found[name]
        count[layer, "caught" if is_caught(result) else "survives" if result.startswith("survives: ") else "missed"] += 1
        rows.append([name, patch, layer, history or "-", what, result, time])
    kinds = ("caught", "missed", "survives")
    cells = [[title, *(count[layer, kind] for kind in kinds)] for layer, title in TITLES.items()]
    cells.append(["all", *(sum(count[layer, kind] for layer in TITLES) for kind in kinds)])
    return [*table("by layer", ["layer", ">caught", ">missed", ">survive"], cells),
            *table("mutants", ["mutant", "patch", "layer", "reintroduces", "the bug", "result", "time"], sorted(rows, key=lambda row: is_caught(row[5]))),
            *([f"# failed: {cells[-1][2]} are missed by their tests"] if cells[-1][2] else [])]


def mutants(path):
    with open(path, encoding="utf-8") as file:
        found = {name: of for name, *of in (line.rstrip("\n").split("\t") for line in file)}
    results.put("mutants", lines_of(seeded(), found))


def main(what, *arguments):
    return {"kunit": kunit, "mutants": mutants, "selftests": selftests}[what](*arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
