#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the statistics in scripts/measured.py, against all choices counted one by one and against
figures of tables; of what parity() of verdicts.py makes of runs that are shifted on purpose; of the means of contention;
and of the chains that stack.py adds up. Prints TAP."""

import contextlib
import io
import itertools
import math
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../scripts"))
sys.dont_write_bytecode = True

import measured  # noqa: E402
import plugins  # noqa: E402
import results  # noqa: E402
import stack  # noqa: E402
import verdicts  # noqa: E402
import drawn  # noqa: E402


def counted(a, b):
    """The same p by its definition, from U and not from ranks."""
    def u(chosen):
        ours = [values[i] for i in chosen]
        others = [values[i] for i in range(len(values)) if i not in chosen]
        return sum((x > y) + (x == y) / 2 for x in ours for y in others)
    values = a + b
    mean = len(a) * len(b) / 2
    far = abs(u(range(len(a))) - mean)
    all_of_them = list(itertools.combinations(range(len(values)), len(a)))
    return sum(abs(u(set(chosen)) - mean) >= far for chosen in all_of_them) / len(all_of_them)


def near(got, want):
    return "" if math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12) else f"got {got}, want {want}"


def against_counting():
    luck = random.Random(1)
    for _ in range(60):
        a, b = ([luck.randrange(luck.choice((2, 4, 50))) for _ in range(luck.randint(1, 5))] for _ in "ab")
        problem = near(measured.rank_test(a, b), counted(a, b))
        if problem:
            return f"{a} {b}: {problem}"
    return ""


def false_alarms():
    """Of one distribution, no more than the limit allows."""
    luck = random.Random(2)
    ps = [measured.rank_test(*([luck.randrange(9) for _ in range(10)] for _ in "ab")) for _ in range(1000)]
    found = sum(p < 0.05 for p in ps)
    return "" if 20 <= found <= 70 else f"{found} of 1000 below 0.05"


def outside_interval():
    """No more often than the limit allows: 3.5 % with fifteen values."""
    luck = random.Random(4)
    outside = 0
    for _ in range(2000):
        low, high = measured.median_interval([luck.expovariate(1) for _ in range(15)])
        outside += not low <= math.log(2) <= high
    return "" if 45 <= outside <= 100 else f"{outside} of 2000"


def verdict(c, rust, others=30, reasons=""):
    """Its status and text for one row in so many that are alike."""
    luck = random.Random(3)
    with tempfile.TemporaryDirectory() as work:
        doc = os.path.join(work, "doc.md")
        with open(doc, "w", encoding="utf-8") as file:
            file.write("<!-- DIFFERENCES: BEGIN -->\n" + reasons + "<!-- DIFFERENCES: END -->\n")
        paths = []
        for impl, values in ("c", c), ("rust", rust):
            for n, value in enumerate(values):
                paths.append(os.path.join(work, f"{impl}.{n}"))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write("exact\tlog\tsame\n" + f"moved\tit\t{value}\n")
                    file.writelines(f"moved\tother{i}\t{luck.randrange(100)}\n" for i in range(others))
        lines, _, status = verdicts.compared(doc, paths)
    return int(status), next((line for line in lines if "\tit\t" in line), "the same")


def judged(c, rust, status, text, others=30, reasons=""):
    got, said = verdict(c, rust, others, reasons)
    return "" if got == status and text in said else f"status {got}:\n{said}"


def seeded():
    """The tables of make mutants: one is missed, and one survives."""
    all_of_them = {name: ("a.patch", "core", "7" if name == "b" else "", f"What {name} is.") for name in "abc"}
    lines = verdicts.lines_of(all_of_them, {"a": ("caught by abi.sh x", "1 s"), "b": ("MISSED by abi.sh x|y", "1 s"), "c": ("survives: no", "1 s")})
    want = ["all\t1\t1\t1", "b\ta.patch\tcore\t7\tWhat b is.\tMISSED by abi.sh x|y\t1 s", "c\ta.patch\tcore\t-\tWhat c is.\tsurvives: no\t1 s",
            "a\ta.patch\tcore\t-\tWhat a is.\tcaught by abi.sh x\t1 s", "# failed: 1 are missed by their tests"]
    return "" if [line for line in lines if line in want] == want else "\n".join(lines)


def drawn_ones():
    """The tables of drawn mutants: a survivor with a reason, one without, and a reason for what is caught."""
    put = []
    with tempfile.TemporaryDirectory() as work:
        page, drawn_of, caught, left_out = (os.path.join(work, name) for name in ("page.md", "drawn", "results", "left-out"))
        for path, text in ((page, "<!-- SURVIVORS: BEGIN -->\n| mutant | why |\n|---|---|\n| `drawn-01` | Equivalent. |\n"
                            "| `drawn-04` | Not seen. |\n<!-- SURVIVORS: END -->\n"),
                           (drawn_of, "".join(f"drawn-0{n}\tsamples/rust/zswap_rs/core/a.rs\t{n}\tf\t`a \\| b`\n" for n in range(1, 7))),
                           (caught, "drawn-01\tsurvives\ndrawn-02\tsurvives\ndrawn-03\thost models a::b\ndrawn-04\tzswap_twins.a, operation 12\n"
                            "drawn-06\thost a::b\n"), (left_out, "drawn-05\n")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        was = drawn.PAGE, results.put
        drawn.PAGE, results.put = page, lambda _name, lines: put.extend(lines)
        try:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                failed = drawn.table(drawn_of, caught, left_out, "1")
        finally:
            drawn.PAGE, results.put = was
    for want in ("# Of 5 mutants drawn with SEED=1, 3 are caught (60 %), 2 survive. 1 more were drawn that don't compile.",
                 "the quick host tests\t1\t1", "the models\t1\t1", "the comparison with C\t1\t1", "nothing\t2\t2",
                 "drawn-01\tsamples/rust/zswap_rs/core/a.rs:1\tf\t`a \\| b`\tsurvives\tEquivalent."):
        if want not in put:
            return "\n".join([f"no line {want!r}", *map(str, put)])
    said = said.getvalue().splitlines()
    well = failed and len(said) == 2 and said[0].startswith("drawn-02 survives, and ") and said[1].endswith("a reason for drawn-04, which doesn't survive")
    return "" if well else f"{failed}: {said}"


def chained():
    """A fault enters reclaim, once; a store walks its own list; what is written back is added, and charged."""
    got = sorted(stack.chains([("fault", "swapin_sync", stack.CHARGE), ("store", "zswap_store", "list_lru_walk_one"),
                               ("back", "shrink_memcg_cb", "swap_cache_alloc_folio"), ("other", "other", "zs_malloc"),
                               ("add", "swap_cache_alloc_folio", stack.CHARGE)]))
    tail = ("store", "back", "add")
    want = sorted([("fault", *tail), tail, ("back", "add", *tail), ("add", *tail), ("other",)])
    return "" if got == want else f"got {got}\nwant {want}"


def contended(want, calls=128, reason=""):
    """Two rounds of each row of contention: Rust has half the transfers of C, but three times as many for a folio that it
    loads whole, in so many calls."""
    with tempfile.TemporaryDirectory() as work:
        page = os.path.join(work, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write(f"<!-- CONTENTION: BEGIN -->\n| rows | why |\n|---|---|\n{reason}<!-- CONTENTION: END -->\n")
        for impl in "c", "rust":
            rows, counts = ["prove\tx\t0+\t0+\t0+"] * plugins.PROOFS, ["window 8 1 0 0 0 0 0 0 0 0"] * plugins.PROOFS
            for kib, content, cgroups, way in 2 * list(itertools.product((4, 64), ("same", "random", "kernel"), ("own", "one"), plugins.WAYS)):
                whole = impl == "rust" and (way, kib) == ("in", 64)
                transfers = 60000 if whole else 10000 if impl == "rust" else 20000
                rows.append(f"{way}\t{kib}\t{content}\t{cgroups}\t2048")
                counts.append(f"window 8 1 9999 {transfers} 9999 0 9 9 9 0")
                of_way = {"in": ("2000", calls if whole else 2048), "out": ("1000", 2048 * 4 // kib)}
                if way in of_way:
                    counts.append("{} 0 0 0 {} 0 0 0 0".format(*of_way[way]))
            for name, text in (("1", rows), ("1.counts", counts), ("symbols", ["1000 T zswap_store", "2000 T zswap_load", "3000 T end"])):
                with open(os.path.join(work, f"{impl}.{name}"), "w", encoding="ascii") as file:
                    file.writelines(f"{line}\n" for line in text)
        try:
            lines, _, bad = plugins.contention(page, work)
        except SystemExit as said:
            lines, bad = [str(said)], True
    said = [line for line in lines if want in line]
    return "" if len(said) == 1 and bad != bool(reason) else "\n".join([f"bad: {bad}", *lines])


TEN = [3, 9, 4, 7, 5, 5, 8, 6, 4, 7]


POINTS = [
    ("rank test: as all choices counted one by one, with ties", against_counting),
    ("rank test: ten against ten that are all greater: 2 of 184756", lambda: near(
        measured.rank_test(list(range(10)), list(range(10, 20))), 2 / 184756)),
    ("rank test: equal samples: 1", lambda: near(measured.rank_test(TEN, TEN), 1)),
    ("rank test: one distribution is seldom taken for two", false_alarms),
    ("Holm: 0.01, 0.02, 0.03 of three are 0.03, 0.04, 0.04", lambda: near(sum(
        abs(x - y) for x, y in zip(measured.holm({"b": 0.02, "a": 0.01, "c": 0.03}).values(), (0.03, 0.04, 0.04))), 0)),
    ("median: the interval's ranks are those of tables", lambda: "" if [
        measured.median_interval(list(range(n, 0, -1))) for n in (5, 6, 8, 9, 15, 20, 25)] == [
            None, (1, 6), (1, 8), (2, 8), (4, 12), (6, 15), (8, 18)] else "they aren't"),
    ("median: seldom outside its interval", outside_interval),
    ("percentile: the nearest rank, of values in any order", lambda: "" if [
        measured.percentile(list(range(200, 0, -1)), share) for share in (0, 50, 99, 99.5, 100)] == [
            1, 100, 198, 199, 200] and measured.percentile([7], 50) == 7 else "it isn't"),
    ("parity: a reason with the numbers that both may have", lambda: judged(
        [5] * 10, [5] * 9 + [6], 0, "listed", reasons="- `other`, `it`: 5 or 6 on both, at times.\n")),
    ("parity: another number than in the reason", lambda: judged(
        [5] * 10, [5] * 9 + [7], 1, "OUTSIDE", reasons="- `it`: 5 or 6 on both, at times.\n")),
    ("mutants: counts by layer, and what isn't caught", seeded),
    ("drawn: survivors need a reason, and others have none", drawn_ones),
    ("parity: the same distribution passes", lambda: judged(TEN, TEN[::-1], 0, "same ranks")),
    ("parity: one run beyond C's range is shown, and passes", lambda: judged(TEN, TEN[:9] + [23], 0, "3..23")),
    ("parity: shifted data fails", lambda: judged(TEN, [value + 6 for value in TEN], 1, "SHIFTED")),
    ("parity: data shifted within C's range fails", lambda: judged(
        [0, 100] + [50] * 8, [60 + i for i in range(10)], 1, "SHIFTED", others=3)),
    ("parity: a number that never varies on C may not on Rust", lambda: judged([5] * 10, [5] * 9 + [6], 1, "OUTSIDE")),
    ("parity: what doesn't vary in three runs on C may all the same", lambda: judged([5] * 3, [6] * 3, 0, "too few runs")),
    ("parity: three runs are too few to judge, and it says so", lambda: judged(TEN[:3], [99, 98, 97], 0, "too few runs")),
    ("contention: small folios don't hide what a large one takes", lambda: contended(
        "swap in of 64 KiB, by a fault\tremote-dirty transfers\t3.000\t0.000\t3.00 to 3.00\tMORE")),
    ("contention: nor does it hide what they save", lambda: contended(
        "swap in of 4 KiB, by a fault\tremote-dirty transfers\t0.500\t0.000\t0.50 to 0.50\tless")),
    ("contention: what takes more may have a reason", lambda: contended(
        "transfers\t3.000\t0.000\t3.00 to 3.00\tlisted", reason="| `transfers, swap in of 64 KiB, by a fault` | x |\n")),
    ("contention: a folio that isn't loaded whole fails", lambda: contended("2048 calls of zswap_load, not 128", calls=2048)),
    ("stack: paths are chained, reclaim once", chained),
]


def main():
    print(f"1..{len(POINTS)}")
    bad = False
    for n, (name, check) in enumerate(POINTS, 1):
        problem = check()
        bad |= bool(problem)
        print(f"{'not ok' if problem else 'ok'} {n} - {name}")
        for line in problem.splitlines():
            print(f"# {line}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
