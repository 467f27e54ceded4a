#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""docs.py WHAT [check]: writes what README.md, the pages of docs/ and their pictures have from elsewhere; with check only
compares, and fails if a page differs.

  readme         figures, and the lists of commands. In a page, <!--= NAME -->...<!--/--> holds the figure of that name, on
                 one line. README.md also has a table between the marks FIGURES: BEGIN and END, docs/performance.md one
                 between SUMMARY: BEGIN and END. Figures are taken from the measured blocks of docs/ and their files of
                 rows, or counted in the sources. Between the marks COMMANDS are lists of the Makefile's
                 "##" comments. Also writes into each measured block how many files have changed since, which check does
                 not compare: a stale figure fails nothing
  list           prints all figures
  safety         the report of unsafe code: docs/unsafe.tsv, and its sums in docs/safety.md
  review         the code that docs/review.md shows, its quotations and tables
  pictures       the figures and the style of the pictures that are drawn by hand. In these <tspan data-count="NAME"> holds
                 the figure of that name, <rect data-bar="NAME"> is as wide as it says, of data-full pixels for the largest
                 of those in the picture that end alike, and <style> is scripts/pictures.css
  plot NAME...   draws docs/NAME.svg anew, from the measured figures: performance, compressors
"""

import functools
import pathlib
import re
import statistics
import subprocess
import sys

import drift
import figures
import measure
import sources

# Not in code, where one is explained.
MARK = re.compile(r"(?<!`)(<!--= (\S+) -->)((?:(?!<!--=).)*?)(<!--/-->)")


def block(mark):
    return re.compile(f"(<!-- {mark}: BEGIN -->\n)(.*?)(<!-- {mark}: END -->)", re.S)


# How stale a command's figures are, behind its name in README.md.
SINCE = re.compile(r" \((?:(?:\d+ )?files? changed since|measured with [^)]*)\)")
KIBS = (4, 64, 2048)
# An operation of the measurement timing in the name of a figure.
TIMED = {name: name.replace("free, ", "free-").replace("one slot", "one").replace("a range", "range") for name in measure.OPERATIONS}


def number(value):
    """A whole number, in groups of three."""
    return f"{value:,.0f}".replace(",", "\N{NO-BREAK SPACE}")


def percent(value):
    return f"{value:+.1f} %".replace("-", "\N{MINUS SIGN}").replace(" ", "\N{NO-BREAK SPACE}")


def more(c, rust):
    return percent(100 * rust / c - 100)


@functools.cache
def blocks():
    return figures.table()


def rows(name):
    """The rows of a measured block, each as its cells; none if it has not been measured yet."""
    text = blocks()[name].read() if name in blocks() else None
    for line in (text or "").splitlines():
        if line.startswith("| ") and not line.startswith("|--"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def keyed(name, keys):
    """The same, of a block whose first column has so many keys, each in a cell of its own here."""
    for cells in rows(name):
        parts = cells[0].rsplit(", ", keys - 1)
        if len(parts) == keys:
            yield parts + cells[1:]


def file_rows(name):
    """The rows of a command's file of rows, without the first, which names the columns."""
    text = blocks()[name].read_rows() if name in blocks() else ""
    return [line.split("\t") for line in text.splitlines()[1:]]


def instructions():
    """{(way, where, content, kib): (C, Rust, verdict)} of make bench, by the words that its rows begin with."""
    ways, wheres = ({text: name for name, text in names.items()} for names in (measure.WAYS, measure.WHATS))
    return {(ways[cells[0]], wheres[cells[1]], cells[3], int(cells[2])): (float(cells[4]), float(cells[5]), cells[8]) for cells in file_rows("bench")}


def beside_one(interval):
    """What "0.9 to 1.1" says about a ratio: less, more, or the same."""
    low, high = map(float, interval.split(" to "))
    return "less" if high < 1 else "more" if low > 1 else "same"


def times():
    """{(operation, content): (C, Rust, ratio, verdict)} of the measurement timing."""
    said = {"less": "faster", "more": "slower", "same": "same"}
    return {(cells[0], cells[1]): (*cells[2:5], said[beside_one(cells[5])]) for cells in keyed("timing", 2) if len(cells) == 6 and " to " in cells[5]}


def bugs():
    """How many bugs of the history a type excludes, the construction, or neither, since their code is C."""
    found = {"type": 0, "construction": 0, "in-c": 0}
    for row in re.findall(r"^\| <a [^>]*></a>\d{1,2} \|.*", pathlib.Path("docs/races.md").read_text(encoding="utf-8"), re.M):
        how = row.split(" | ")[2]
        found["type" if how.startswith("**type**") else "in-c" if how.startswith("in C") else "construction"] += 1
    return found


def c_lines():
    """Lines of C that have a counterpart in Rust: mm/zswap.c, and what docs/c-to-rust.md has of mm/swap_state.c."""
    folder, found = pathlib.Path("build/overlay/c"), {}
    if not folder.is_dir():
        sys.exit("docs.py: build/overlay has no copy of the C: run make overlay")
    for path in ("mm/zswap.c", "mm/swap_state.c"):
        texts = drift.texts((folder / path).read_text(encoding="utf-8"))
        there = [name for name, rust in drift.tables()[path].items() if name != drift.REST and not rust.startswith("stays C")]
        found[path.removeprefix("mm/").removesuffix(".c")] = sum(sources.lines(texts[name]) for name in there if name in texts)
    return found


def selftests():
    """The counts of the block of make selftests: test cases of all programs, of some, and those that are skipped."""
    text = (blocks()["selftests"].read() or "") if "selftests" in blocks() else ""
    found = {match[1]: (int(match[2]), int(match[3])) for match in
             re.finditer(r"^(\S.*?) +(\d+) \| +\d+ +\d+ +\d+ +(\d+) .*\|", text, re.M)}
    # One more for each program: whether it ends normally.
    cases = {name: number(tests - 1) for name, (tests, _) in found.items()}
    return {"selftests.cases": number(sum(tests - 1 for tests, _ in found.values())) if found else None,
            "selftests.cow": cases.get("cow"), "selftests.zswap": cases.get("test_zswap"),
            "selftests.skipped": number(sum(skipped for _, skipped in found.values())) if found else None}


def measured(name):
    block = blocks().get(name)
    stamp = block and block.stamped()
    return re.sub(r"^Measured by `make [^`]*`(?: at)?,? (.*)\.$", r"\1", stamp[1]) if stamp else None


def found_in(name, pattern):
    match = re.search(pattern, (blocks()[name].read() or "") if name in blocks() else "")
    return match[1] if match else None


def all_figures():
    """{name: text}; a figure that has not been measured yet is None."""
    out = {}
    bench_rows = instructions()
    for (way, where, content, kib), (c, rust, _) in bench_rows.items():
        name = f"bench.{way}.{where}.{content}.{kib}"
        out |= {name: more(c, rust), f"{name}.c": number(c), f"{name}.rust": number(rust)}
    for way, where in {key[:2] for key in bench_rows}:
        ratios = [100 * rust / c - 100 for key, (c, rust, _) in bench_rows.items() if key[:2] == (way, where)]
        out |= {f"bench.least.{way}.{where}": percent(min(ratios)), f"bench.most.{way}.{where}": percent(max(ratios))}
    if bench_rows:
        out["bench.most"] = percent(max(100 * rust / c - 100 for c, rust, _ in bench_rows.values()))
        out["bench.rows"] = number(len(bench_rows))
        small = [100 * rust / c - 100 for (way, _, _, kib), (c, rust, _) in bench_rows.items() if (way, kib) == ("out", 4)]
        out |= {"bench.out.4.least": percent(min(small)), "bench.out.4.most": percent(max(small))}
    stores = [100 * float(cells[4]) - 100 for cells in keyed("ab", 2) if cells[0] == "store"]
    if stores:
        out |= {"ab.store.least": percent(min(stores)), "ab.store.most": percent(max(stores))}

    timed = times()
    for (operation, content), (c, rust, ratio, said) in timed.items():
        name = f"timing.{TIMED[operation]}.{content}"
        out |= {name: ratio, f"{name}.c": c, f"{name}.rust": rust, f"{name}.said": ratio if said == "same" else f"{ratio} {said}"}
    for verdict in ("faster", "slower", "same"):
        out[f"timing.{verdict}"] = number(sum(row[3] == verdict for row in timed.values()))
    if timed:
        by_ratio = sorted(timed, key=lambda row: float(timed[row][2]))
        out |= {"timing.rows": number(len(timed)), "timing.best": timed[by_ratio[0]][2], "timing.best.row": ", ".join(by_ratio[0]),
                "timing.worst": timed[by_ratio[-1]][2], "timing.worst.row": ", ".join(by_ratio[-1])}

    boots = {}
    for name, cost, _, *kinds in file_rows("whole"):
        for kind, value in zip(measure.KINDS, kinds):
            boots.setdefault(f"whole.{name}.{cost.split()[-1]}", {}).setdefault(kind, []).append(int(value))
    for name, kinds in boots.items():
        if name.endswith((".instructions", ".faults")):
            out[f"{name}.boots"] = percent(100 * max(max(values) / min(values) for values in kinds.values()) - 100).strip("+")
        if name.endswith(".instructions"):
            c, on = (statistics.median(kinds[kind]) for kind in ("c", "on"))
            out |= {name: more(c, on), f"{name}.c": number(c / 1e6), f"{name}.rust": number(on / 1e6)}

    for cells in keyed("metadata", 2):
        if cells[1] == "**sum**":
            out |= {f"memory.{cells[0]}.c": number(float(cells[2])), f"memory.{cells[0]}.rust": number(float(cells[3])),
                    f"memory.{cells[0]}.more": more(float(cells[2]), float(cells[3]))}
    for cells in rows("stack"):
        name = {"**largest chain**": "stack", "**largest chain with an asynchronous compressor**": "stack.async"}.get(cells[0])
        if cells[0] == "code without KUnit suites in Rust":
            out |= {"image.untested.c": number(int(cells[1])), "image.untested.rust": number(int(cells[2])),
                    "image.untested.more": more(int(cells[1]), int(cells[2]))}
            out |= {"image.untested.kb.c": number(int(cells[1]) / 1000), "image.untested.kb.rust": number(int(cells[2]) / 1000),
                    "image.untested.kb.more": out["image.untested.more"]}
        if cells[0] == "constants and tables, read-only":
            out |= {"image.constants.kb.c": number(int(cells[1]) / 1000), "image.constants.kb.rust": number(int(cells[2]) / 1000),
                    "image.constants.kb.more": more(int(cells[1]), int(cells[2]))}
        if name:
            out |= {f"{name}.c": cells[1], f"{name}.rust": cells[2], f"{name}.more": more(int(cells[1]), int(cells[2]))}
    # What Rust's deepest chain takes in C, where another may be the deepest.
    chains = [cells for cells in file_rows("stack") if not cells[1]]
    for name, some in (("stack", [cells for cells in chains if "eight pages" not in cells[0]]), ("stack.async", chains)):
        if some:
            out[f"{name}.same.c"] = max(some, key=lambda cells: int(cells[3]))[2]
    for cells in keyed("contention", 2):
        name = cells[0].split(",")[0].replace(" ", "-")
        out[f"contention.{name}.{cells[1].split()[-1]}"] = f"{float(cells[2].split()[0]):.2f}"
    corpora = set()
    for cells in rows("compressors"):
        if cells[0].startswith("memory, "):
            corpora = {*cells[1:], "zeros", "**mean**"}
        elif cells[0] in corpora:
            corpus = "" if cells[0] == "**mean**" else f".{cells[0]}"
            out |= {f"lz4.{what}{corpus}": text for what, text in zip(("store", "load", "compress", "decompress"), cells[1:]) if text}
    for cells in keyed("latency", 3):
        if cells[0] != "time of":
            name = f"latency.{cells[0].replace(' ', '-')}.{cells[1]}.{cells[2].split()[0]}"
            for i, what in enumerate(("p50", "p99", "max")):
                c, rust = cells[3 + i].split(" / ")
                out |= {f"{name}.{what}.c": c, f"{name}.{what}.rust": rust, f"{name}.{what}.more": more(float(c), float(rust))}

    counted, c = sources.counts(), c_lines()
    for layer in sources.LAYERS:
        out |= {f"unsafe.{layer}": number(counted[f"{layer}.unsafe"]), f"lines.{layer}": number(counted[f"{layer}.lines"])}
    out["unsafe.all"] = number(sum(counted[f"{layer}.unsafe"] for layer in sources.LAYERS))
    out["unsafe.files"] = number(len({str(path).split(", ")[-1] for path, text in sources.sources() if re.search(r"\bunsafe\s*\{", sources.bare(text))}))
    out["unsafe.functions"] = number(sum(len(re.findall(r'\bunsafe (?:extern "C" )?fn\b', sources.bare(text))) for _, text in sources.sources()))
    out["lines.helpers"] = number(counted["c.lines"])
    out["lines.rust"] = number(sum(counted[f"{layer}.lines"] for layer in sources.LAYERS) + counted["c.lines"])
    out |= {"lines.c.zswap": number(c["zswap"]), "lines.c.swap_state": number(c["swap_state"]), "lines.c": number(sum(c.values()))}
    of_history = bugs()
    out |= {f"bugs.{name}": number(count) for name, count in of_history.items()}
    out["bugs"] = number(sum(of_history.values()))

    upstream = re.findall(r"^\| (?!what \|)(?!---)(.*) \|$", pathlib.Path("docs/upstream/README.md").read_text(encoding="utf-8").split("\n## ")[0], re.M)
    where = [row.split(" | ")[1] for row in upstream]
    out |= {"upstream.defects": number(len(upstream)), "upstream.rust": number(sum(cell.startswith("Rust") for cell in where)),
            "upstream.selftests": number(where.count("selftests")), "upstream.c": number(where.count("C")),
            "upstream.patched": number(sum(row.split(" | ")[-1].startswith(("<code>patches/", "[<code>patches/")) for row in upstream))}
    out |= {name: number(counted[name]) for name in ("attacks", "mutants", "litmus")}
    out["attacks.compile"] = number(sum(len(re.findall(r"^pub mod \w+ \{$", text, re.M)) for text in sources.files("tests/host/attack/ok.rs")))
    out["series.commits"] = number(len(re.findall(r'^    \("', pathlib.Path("scripts/series.py").read_text(encoding="utf-8").split("\nCOMMITS = [")[1].split("\n]\n")[0], re.M)))
    cases = sum(len(re.findall(r"\bKUNIT_CASE\w*\(", text)) for text in sources.files("tests/kunit/*.c") if "zswap_time" not in text)
    in_rust = [text for text in (*sources.files("rust/**/*.rs"), *sources.files("samples/rust/**/*.rs"), *sources.files("patches/*.patch")) if "kunit_tests(" in text]
    out["kunit.cases"] = number(cases + sum(len(re.findall(r"^\+?\s*#\[test\]", text, re.M)) for text in in_rust))
    out |= {"vm.files": number(counted["vm"]), "kunit.suites": number(counted["kunit.c"] + counted["kunit.rust"]),
            "trusted": number(counted["c.functions"]), "configs": number(len(sources.files("scripts/configs/*.config"))),
            "vm.points": number(sum(int(plan) for text in sources.files("tests/vm/*.sh") for plan in re.findall(r"^plan (\d+)$", text, re.M)))}

    for name, block in blocks().items():
        stamp = block.stamped()
        out[f"measured.{name}"] = measured(name)
        changed = block.changed() if stamp and block.since() else []
        out[f"changed.{name}"] = None if changed is None or not stamp else number(len(changed)) if changed else "no"
    results = set(re.findall(r"^([\w-]+)\t", blocks()["mutants"].read_rows(), re.M)) if "mutants" in blocks() else set()
    unlisted = [f"`{name}`" for name in sources.mutants() if name not in results]
    out |= {"mutants.unlisted": ", ".join(unlisted) or "none"} | selftests()
    out |= {"parity.rows": found_in("parity", r"(\d+) rows"), "selftests.tests": found_in("selftests", r"\n(\d+) tests"),
            "coverage.percent": found_in("coverage", r"\*\*(?:all policy files|policy and core)\*\* .* ([\d.]+) \|"),
            "mutants.ran": found_in("mutants", r"(\d+) results of"), "mutants.caught": found_in("mutants", r"(\d+) caught"),
            "latency.boots": found_in("latency", r"boots: (\d+) of C, \d+ of Rust")}
    return out


def listed_suites():
    """Where the table of suites in docs/kunit.md differs from the sources."""
    text = pathlib.Path("docs/kunit.md").read_text(encoding="utf-8").split("\n## The suites\n")[-1].split("\n## ")[0]
    text = re.sub("</?code>", "`", text.replace("<wbr>", "").replace("\\_", "_"))
    for language, suites in zip(("C", "Rust"), sources.suites()):
        there = {name for cells in re.findall(r"^\| (`.*?) \| " + language + r" \| ", text, re.M) for name in re.findall(r"`(\w+)`", cells)}
        yield from (f"docs/kunit.md: the table of suites has no {name} in {language}" for name in sorted(suites - there))
        yield from (f"docs/kunit.md: no suite in {language} is named {name}" for name in sorted(there - suites))


def summary(figure):
    """README's table, of the figures that there are: at most 20 lines."""
    lines = ["| | C | Rust | |", "|---|---:|---:|---:|"]

    def row(title, names, heads=("{}.c", "{}.rust", "{}.more")):
        cells = [[figure.get(head.format(name)) for name in names] for head in heads]
        if None not in cells[0] + cells[1]:
            lines.append(f"| {title} | {' | '.join(' / '.join(filter(None, cell)) for cell in cells)} |")

    def cost(title, way, rows):
        row(title, [f"bench.{way}.zswap.{content}.{kib}" for content, kib in rows], ("{}.c", "{}.rust", "{}"))

    for content in ("text", "same"):
        cost(f"[Instructions](docs/performance.md#instructions) for a page: swap-out of *{content}*, in folios of 4 / 64 / 2048 KiB", "out", [(content, kib) for kib in KIBS])
    for title, way, kib in (("swap-in by a fault", "in", 4), ("the same in folios of 64 KiB, whole in Rust", "in", 64),
                            ("out, in and out again, in folios of 64 KiB", "round", 64), ("free, a range", "free", 4),
                            (measure.WAYS.get("scatter"), "scatter", 4)):
        cost(f"{title}: *text* / *random*", way, [("text", kib), ("random", kib)])
    row("At a memory limit, in folios of 64 KiB ([swapped in whole](docs/performance.md#swapped-in-whole)), million instructions: "
        "gcc / reader: sequential / strided / random", [f"whole.{name}.instructions" for name in measure.RUNNING], ("{}.c", "{}.rust", "{}"))
    for operation in measure.OPERATIONS:
        row(f"[Time](docs/performance.md#time) for a page, ns: {operation}: *same* / *text* / *random*",
            [f"timing.{TIMED[operation]}.{content}" for content in measure.CONTENTS], ("{}.c", "{}.rust", "{}.said"))
    boots = " of one boot" if figure.get("latency.boots") == "1" else ""
    row("[Latency](docs/performance.md#latency) while the CPU stores folios of 2 MiB, from the timer that wakes the task to its page, "
        f"99th percentile{boots}, thousand instructions: lz4 / zstd",
        [f"latency.timer-to-page.{compressor}.2048.p99" for compressor in ("lz4", "zstd")])
    row("[Kernel memory](docs/performance.md#metadata) for a page beside its data, bytes: all slots in use / one in 64",
        ["memory.dense", "memory.sparse"])
    row("[Stack](docs/performance.md#stack) of each kernel's own deepest chain, bytes: compressor synchronous / async "
        f"(in C, the chains that are deepest in Rust take {figure.get('stack.same.c')} / {figure.get('stack.async.same.c')})", ["stack", "stack.async"])
    row("[Image](docs/performance.md#image-size), thousand bytes: code without the KUnit suites in Rust / read-only data with them",
        ["image.untested.kb", "image.constants.kb"])
    lines.append("| Lines of code, without comments, blank lines and tests: zswap + the replaced part of swap_state.c / "
                 f"policy + C ABI + core + abstractions + new helpers in C | {figure['lines.c.zswap']} + {figure['lines.c.swap_state']} = {figure['lines.c']} | "
                 f"{' + '.join(figure[f'lines.{name}'] for name in ('policy', 'abi', 'core', 'abstractions', 'helpers'))} = {figure['lines.rust']} | |")
    lines.append(f"| [`unsafe` blocks](docs/safety.md), without those of the crate lz4_flex: policy / C ABI / core / abstractions / all | – | "
                 f"{' / '.join(figure[f'unsafe.{name}'] for name in ('policy', 'abi', 'core', 'abstractions', 'all'))} | |")
    lines.append(f"| [{figure['bugs']} past bugs](docs/races.md): excluded by a type / avoided by construction / in code that is still C | – | "
                 f"{' / '.join(figure[f'bugs.{name}'] for name in ('type', 'construction', 'in-c'))} | |")
    when = {}
    for name in ("bench", "whole", "timing", "latency", "metadata", "stack"):
        if figure.get(f"measured.{name}"):
            since = blocks()[name].since()
            when.setdefault(figure[f"measured.{name}"], {})[name] = f" ({since})" if since else ""
    boots = {None: "", "1": ""}.get(figure.get("latency.boots"), f" Latency is of {figure.get('latency.boots')} boots of each kernel.")
    said = "; ".join("`make " + ", `".join(f"{name}`{since}" for name, since in names.items()) + f" at {at}" for at, names in when.items())
    return lines + ["", f"Measured by {said}.{boots} Ratios of times are medians of pairs of boots; without 'faster' or 'slower' the 95 % interval of the ratio includes 1."]


def compared():
    """The table at the top of docs/performance.md: how many figures are less, more and the same, by command."""
    lines = []

    def row(name, title, less="", more="", same=""):
        stamp = blocks()[name].stamped()
        if stamp:
            since, at = blocks()[name].since(), measured(name).replace(" with changes", "")
            lines.append([title, less or "–", more or "–", same or "–", f"{at}{f' ({since})' if since else ''}"])

    def by_percent(pairs):
        """Ratios that are over 1 % less, over 1 % more, and between."""
        ratios = [rust / c for c, rust in pairs]
        return [[ratio for ratio in ratios if ratio < 0.99], [ratio for ratio in ratios if ratio > 1.01], [ratio for ratio in ratios if 0.99 <= ratio <= 1.01]]

    def spans(ratios):
        """How many there are, and their range."""
        ends = list(dict.fromkeys((min(ratios, key=float), max(ratios, key=float)))) if ratios else []
        return f"{len(ratios)} ({' to '.join(ends)})" if ratios else ""

    def counted(name, title, pairs, digits=2):
        row(name, title, *(spans([f"{ratio:.{digits}f}" for ratio in ratios]) for ratios in by_percent(pairs)))

    counted("bench", "[Instructions](#instructions) per page", [pair[:2] for pair in instructions().values()])
    counted("ab", "[Instructions](#both-in-one-kernel), both in one kernel", [(float(cells[2]), float(cells[3])) for cells in keyed("ab", 2) if cells[0] in TIMED])
    grown = [cells[i:i + 2] for cells in file_rows("growth") for i in range(2, len(cells), 2)]
    counted("growth", "[Instructions](#growth), by folio size, cgroups, stored pages", [map(float, pair) for pair in grown])
    for what in ("locked instructions", "remote-dirty transfers"):
        found = [cells for cells in keyed("contention", 2) if cells[1] == what]
        row("contention", f"[{what.capitalize()}](#contention), simulated, means",
            *(", ".join(f"{cells[2].split()[0]} {cells[0].split(',')[0]}" for cells in found if cells[4] in said) for said in (("less",), ("MORE", "listed"), ("same",))))
    timed = list(times().values())
    row("timing", "[Time](#time), by 95 % intervals", *(
        spans([ratio for _, _, ratio, verdict in timed if verdict == said]) for said in ("faster", "slower", "same")))
    late = [tuple(map(float, cell.split(" / "))) for cells in keyed("latency", 3) if cells[0] != "time of" for cell in cells[3:5]]
    counted("latency", "[Latency](#latency), p50 and p99, of one boot", late)
    moved = [cells for cells in keyed("workloads", 2) if cells[0] in measure.WORKLOADS and len(cells) == 6]
    row("workloads", "[Workloads](#workloads), instructions per page moved, by range", *(
        ", ".join(f"{cells[4]} {cells[0]} {cells[1]}" for cells in moved if beside_one(cells[5]) == said) for said in ("less", "more", "same")))
    sums = [cells for cells in keyed("metadata", 2) if cells[1] == "**sum**"]
    row("metadata", "[Kernel memory per page](#metadata)", *(", ".join(
        f"{cells[4]} {cells[0]}" for cells in sums if (float(cells[4]) > 1) == more_of) for more_of in (False, True)))
    paths = [tuple(map(int, cells[2:])) for cells in file_rows("stack") if cells[1]]
    counted("stack", "[Stack](#stack), paths", paths)
    for title, name in (("Stack, deepest chain", "largest chain"), ("Stack, with an asynchronous compressor", "largest chain with an asynchronous compressor")):
        counted("stack", title, [tuple(map(int, cells[1:3])) for cells in rows("stack") if cells[0] == f"**{name}**"])
    counted("stack", "[Image](#image-size), code", [tuple(map(int, cells[1:3])) for cells in rows("stack") if cells[0] == "code without KUnit suites in Rust"], 3)
    return measure.table(["Rust / C of", "less", "more", "same", "measured at"], lines)


def commands(text):
    """The Makefile's lists: [(group, [(name, what)])]."""
    groups = []
    for mark, line in re.findall(r"^##(@|=|) (.*)", text, re.M):
        if mark == "@":
            groups.append((line, []))
        else:
            groups[-1][1].append(tuple(line.split(": ", 1)))
    return groups


def lists():
    """{page: the list of commands there}."""
    *groups, _variables = commands(pathlib.Path("Makefile").read_text(encoding="utf-8"))
    full = []
    for title, found in groups:
        lines = [[f"`make {name}`", re.sub(r"\b([A-Z_]+=(?:\"[^\"]*\"|[\w/]+))", r"`\1`", what)] for name, what in found]
        full += ([""] if full else []) + [f"**{title}**", "", *measure.table(["Command", "What it does"], lines)]
    return {"docs/commands.md": full}


def page_of(page, figure, wrong, writes):
    """A page with its figures and lists, of which those that differ go to wrong."""
    text = page.read_text(encoding="utf-8")

    def filled_in(match):
        name = match[2]
        if figure.get(name) is None:
            wrong.append(f"{page}: there is no figure '{name}'" if name not in figure else f"{page}: '{name}' has not been measured yet")
            return match[0]
        if not writes and match[3] != figure[name]:
            wrong.append(f"{page}: {name} is {figure[name]}, not {match[3]}: run make pages")
        return match[1] + figure[name] + match[4]

    new = MARK.sub(filled_in, text)
    for mark in re.findall(r"(?<!`)<!--= .*", MARK.sub("", text)):
        wrong.append(f"{page}: a mark without its end on the same line: {mark[:60]}")
    for mark in re.findall(r"^ *(<!--= .*)", text, re.M):
        wrong.append(f"{page}: a mark that begins a line, which ends the paragraph: {mark[:60]}")
    tables = {"COMMANDS": lists().get(str(page))}
    if page.name == "README.md":
        tables["FIGURES"] = summary(figure)
    if page.name == "performance.md":
        tables["SUMMARY"] = compared()
    for mark, lines in tables.items():
        place = block(mark).search(new)
        if not lines or not place:
            continue
        new = new[:place.start(2)] + "\n".join(lines) + "\n" + new[place.end(2):]
        ours, theirs = (SINCE.sub("", part).splitlines() for part in ("\n".join(lines), place[2]))
        if not writes and ours != theirs:
            line = next((line for line in ours if line not in theirs), None) or next((line for line in theirs if line not in ours), "their order")
            what = "commands" if mark == "COMMANDS" else "figures"
            wrong.append(f"{page}: the table of {what} differs from its sources: run make pages: {line}")
    return text, new


def readme(writes):
    figure, wrong = all_figures(), []
    if writes:
        figures.main("refresh")
        figure = all_figures()
    for page in [pathlib.Path("README.md"), pathlib.Path("CONTRIBUTING.md"), *sorted(pathlib.Path("docs").rglob("*.md"))]:
        text, new = page_of(page, figure, wrong, writes)
        if writes and new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{page}: figures filled in")
    return [*wrong, *listed_suites()]


def safety(writes):
    page = pathlib.Path("docs/safety.md")
    lines, tsv, wrong, said = sources.safety()
    text = page.read_text(encoding="utf-8")
    place = block("MADE BY make pages").search(text)
    new = {page: text[:place.start(2)] + "\n".join(lines) + "\n" + text[place.end(2):], pathlib.Path("docs/unsafe.tsv"): "\n".join(tsv) + "\n"}
    for path, text in new.items():
        if writes:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(f"{path} is out of date: run make pages")
    if writes:
        print(said)
    return wrong


def review(writes):
    """Of the C that the toolchain root sees: the copies of pristine files that the overlay has made."""
    page = sources.REVIEW.read_text(encoding="utf-8")
    new, bad, stale = sources.review("build/overlay/c", page)
    if writes and not bad:
        sources.REVIEW.write_text(new, encoding="utf-8")
    return bad if writes else bad + stale

# --- Pictures -------------------------------------------------------------------------


CSS = pathlib.Path("scripts/pictures.css")


def filled(text, counts):
    """A picture with its figures and its style."""
    bars = re.findall(r'data-bar="([\w.]+)"', text)

    def width(match):
        name = match["name"]
        most = max(counts[bar] for bar in bars if bar.rpartition(".")[2] == name.rpartition(".")[2])
        return f'{match["head"]} width="{int(match["full"]) * counts[name] / most:.1f}"'

    # A thin space would be missing from many fonts.
    text = re.sub(r'(<tspan data-count="([\w.]+)">)[^<]*', lambda match: match[1] + f"{counts[match[2]]:,}".replace(",", "\u00a0"), text)
    text = re.sub(r'(?P<head>data-bar="(?P<name>[\w.]+)" data-full="(?P<full>\d+)") width="[^"]*"', width, text)
    return re.sub(r"<style>.*?</style>", lambda _: style(), text, flags=re.S)


def style():
    return "<style>\n" + "".join("    " + line.expandtabs(2) + "\n" for line in CSS.read_text().splitlines()[1:]) + "  </style>"


def pictures(writes):
    counts, wrong = sources.counts(), []
    for path in sorted(pathlib.Path("docs").glob("*.svg")):
        text = path.read_text(encoding="utf-8")
        # A plot gets its style when it is drawn.
        new = text if "gnuplot" in text else filled(text, counts)
        if new == text:
            continue
        if writes:
            path.write_text(new, encoding="utf-8")
            print(f"{path}: figures put in")
        else:
            wrong.append(f"{path} is out of date: run make pages")
    return wrong


def styled(text, title):
    """What gnuplot has drawn, with a title and the style, which finds colours by how they are written."""
    text = re.sub(r"'?rgb\( *(\d+), *(\d+), *(\d+)\)'?", lambda match: "#%02x%02x%02x" % tuple(map(int, match.groups())), text)
    text = re.sub(r"((?:fill|stroke|color)\s*=\s*)\"?(#[0-9A-Fa-f]{6})\"?", lambda match: match[1].replace(" ", "") + f'"{match[2].lower()}"', text)
    text = re.sub(r"<desc>.*?</desc>\n", "", text, flags=re.S)
    text = re.sub(r'<rect x="0" y="0"( .*?) fill="#f6f8fa"/>', r'<rect class="panel"\1 rx="8"/>', text, count=1)
    text = re.sub(r"<title>(?:gnuplot_plot_|rows using )[^<]*</title>", "", text)  # a tooltip
    head = f"<!-- SPDX-License-Identifier: GPL-2.0 -->\n<title>{title}</title>\n{style()}"
    return re.sub(r"<title>.*?</title>", lambda _: head, text, count=1)


# The picture of performance: groups of rows, each with its label, way, where the page is, content.
GROUPS = [
    ("Swap-out", [
        ("in zswap, random", "out", "zswap", "random"), ("in zswap, same", "out", "zswap", "same"),
        ("in zswap, text", "out", "zswap", "text"), ("zswap never on", "out", "cache", "random")]),
    ("Swap-in, by a fault", [
        ("in zswap, random", "in", "zswap", "random"), ("in zswap, same", "in", "zswap", "same"),
        ("in zswap, text", "in", "zswap", "text"), ("zswap never on", "in", "cache", "random")]),
    ("Freeing", [
        ("in zswap, same", "free", "zswap", "same"), ("single slots, same", "scatter", "zswap", "same")]),
    ("Swap cache", [
        ("readahead, same", "ahead", "zswap", "same"), ("fault, cached folio", "cached", "cache", "random"),
        ("lookup: there", "hit", "cache", "random"), ("lookup: not there", "miss", "cache", "random")]),
]


def performance():
    """Rust's instructions for C's 1, for folios of 4, 64 and 2048 KiB."""
    found = instructions()
    for group, rows_of in GROUPS:
        yield [group, *["nan"] * 3]
        for label, way, what, content in rows_of:
            costs = [found.get((way, what, content, kib)) for kib in KIBS]
            if costs == [None] * 3:
                sys.exit(f"{blocks()['bench'].rows} has no row for '{group}, {label}'")
            yield [label, *(f"{cost[1] / cost[0]:.4f}" if cost else "nan" for cost in costs)]


def compressors():
    """Instructions to store and to load a page, and memory in % of it: means of what compresses."""
    found, corpora, what = {}, [], None
    for cells in rows("compressors"):
        if cells[0] in ("memory, % of a page", "store, instructions per page", "load, instructions per page"):
            what, corpora = cells[0].split(",")[0], cells[1:]
        elif cells[0].startswith("`"):
            some = [float(cell) for cell, corpus in zip(cells[1:], corpora) if corpus != "random"]
            found.setdefault(cells[0].strip("`"), {}).setdefault(what, statistics.mean(some))
    for name, of in found.items():
        yield [name, *(f"{of[what]:.2f}" for what in ("store", "load", "memory"))]


def plot(*names):
    """What gnuplot makes of the rows becomes a picture of the same style."""
    plots = {
        "performance": (performance, "bench", "Instructions per page in Rust, C = 1.00"),
        "compressors": (compressors, "compressors", "Memory and instructions of each compressor"),
    }
    out = pathlib.Path("build/pictures")
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        if name not in plots:
            sys.exit(f"there is no plot '{name}': {', '.join(plots)}")
        rows_of, script, title = plots[name]
        (out / f"{name}.tsv").write_text("".join("\t".join(row) + "\n" for row in rows_of()), encoding="utf-8")
        subprocess.run(["gnuplot", "-e", f"rows='{out}/{name}.tsv'; limit=1.01; heading='{title}'; set output '{out}/{name}.svg'", f"scripts/{script}.gp"], check=True)
        pathlib.Path(f"docs/{name}.svg").write_text(styled((out / f"{name}.svg").read_text(encoding="utf-8"), title), encoding="utf-8")

# --- All ------------------------------------------------------------------------------


def main(what="", *arguments):
    if what == "list":
        for name, text in sorted(all_figures().items()):
            print(f"{name}\t{text if text is not None else '(not measured yet)'}")
        return False
    if what == "plot":
        plot(*arguments)
        return False
    makers = {"readme": readme, "safety": safety, "review": review, "pictures": pictures}
    if what not in makers or arguments not in ((), ("check",)):
        sys.exit("usage: docs.py readme | safety | review | pictures [check]; docs.py list | plot NAME...")
    wrong = makers[what](not arguments)
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
