#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""readme.py [check | list]: fills figures into README.md and the pages of docs/.

In a page, <!--= NAME -->...<!--/--> holds the figure of that name, on one line. README.md also has a table between
the marks FIGURES: BEGIN and FIGURES: END. Figures are taken from the measured blocks of docs/, or counted in the
sources; "list" prints them all. Also writes into each measured block how many files have changed since. "check" only
compares, and fails if a page has another figure, or a name that there is none of. How many files have changed since a
measurement is not compared: a stale figure fails nothing.
"""

import functools
import pathlib
import re
import sys

import bench
import drift
import figures
import pictures
import safety
import timing

# Not in code, where one is explained.
MARK = re.compile(r"(?<!`)(<!--= (\S+) -->)((?:(?!<!--=).)*?)(<!--/-->)")
TABLE = re.compile(r"(<!-- FIGURES: BEGIN -->\n)(.*?)(<!-- FIGURES: END -->)", re.S)
# How stale a command's figures are, behind its name in README.md.
SINCE = re.compile(r" \((?:(?:\d+ )?files? changed since|measured with [^)]*)\)")
KIBS = (4, 64, 2048)
# An operation of make timing in the name of a figure.
TIMED = {name: name.replace("free, ", "free-").replace("one slot", "one").replace("a range", "range") for name in timing.OPERATIONS}


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


def instructions():
    """{(way, where, content, kib): (C, Rust)} of make bench, by the words that its rows begin with."""
    ways, wheres = ({text: name for name, text in names.items()} for names in (bench.WAYS, bench.WHATS))
    return {(ways[cells[0]], wheres[cells[1]], cells[3], int(cells[2].split()[0])): (float(cells[4]), float(cells[5]))
            for cells in rows("bench") if cells[0] in ways and len(cells) == 10}


def times():
    """{(operation, content): (C, Rust, ratio, verdict)} of make timing."""
    found = {}
    for cells in rows("timing"):
        interval = re.fullmatch(r"([\d.]+) to ([\d.]+)", cells[9]) if len(cells) == 10 else None
        if interval:
            low, high = map(float, interval.groups())
            found[cells[0], cells[1]] = cells[3], cells[6], cells[8], "faster" if high < 1 else "slower" if low > 1 else "same"
    return found


def bugs():
    """How many bugs of the history a type excludes, the construction, or neither, since their code is C."""
    found = {"type": 0, "construction": 0, "in-c": 0}
    for row in re.findall(r"^\| \d{1,2} \|.*", pathlib.Path("docs/races.md").read_text(encoding="utf-8"), re.M):
        how = row.split(" | ")[2]
        found["type" if how.startswith("**type**") else "in-c" if how.startswith("in C") else "construction"] += 1
    return found


def c_lines():
    """Lines of C that have a counterpart in Rust: mm/zswap.c, and what docs/c-to-rust.md has of mm/swap_state.c."""
    folder, found = pathlib.Path("build/overlay/c"), {}
    if not folder.is_dir():
        sys.exit("readme.py: build/overlay has no copy of the C: run make overlay")
    table = pathlib.Path(drift.TABLE).read_text(encoding="utf-8").splitlines()
    for path in ("mm/zswap.c", "mm/swap_state.c"):
        texts = drift.texts((folder / path).read_text(encoding="utf-8"))
        there = [name for name, (_, line) in drift.tables(table)[path].items()
                 if name != drift.REST and not table[line].split(" | ")[1].startswith("stays C")]
        found[path.removeprefix("mm/").removesuffix(".c")] = sum(pictures.lines(texts[name]) for name in there if name in texts)
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
    for (way, where, content, kib), (c, rust) in bench_rows.items():
        name = f"bench.{way}.{where}.{content}.{kib}"
        out |= {name: more(c, rust), f"{name}.c": number(c), f"{name}.rust": number(rust)}
    for way, where in {key[:2] for key in bench_rows}:
        ratios = [100 * rust / c - 100 for key, (c, rust) in bench_rows.items() if key[:2] == (way, where)]
        out |= {f"bench.least.{way}.{where}": percent(min(ratios)), f"bench.most.{way}.{where}": percent(max(ratios))}
    if bench_rows:
        out["bench.most"] = percent(max(100 * rust / c - 100 for c, rust in bench_rows.values()))
        out["bench.rows"] = number(len(bench_rows) + int(found_in("bench", r"\n(\d+) more rows") or 0))

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

    for cells in rows("metadata"):
        if cells[1] == "**sum**":
            out |= {f"memory.{cells[0]}.c": number(float(cells[2])), f"memory.{cells[0]}.rust": number(float(cells[3])),
                    f"memory.{cells[0]}.more": more(float(cells[2]), float(cells[3]))}
    for cells in rows("stack"):
        name = {"**largest chain**": "stack", "**largest chain with an asynchronous compressor**": "stack.async"}.get(cells[0])
        if cells[0] == "code without KUnit suites in Rust":
            out |= {"image.untested.c": number(int(cells[1])), "image.untested.rust": number(int(cells[2])),
                    "image.untested.more": more(int(cells[1]), int(cells[2]))}
        if name:
            out |= {f"{name}.c": cells[1], f"{name}.rust": cells[2], f"{name}.more": more(int(cells[1]), int(cells[2]))}
    names = {text: name for name, text in bench.WAYS.items()}
    for cells in rows("contention"):
        if len(cells) == 6 and "±" in cells[1]:
            out |= {f"contention.{names[cells[0]]}.locked": f"{float(cells[1].split()[0]):.2f}",
                    f"contention.{names[cells[0]]}.transfers": f"{float(cells[3].split()[0]):.2f}"}
    for cells in rows("compressors"):
        if len(cells) == 9 and cells[0] != "corpus":
            corpus = "" if cells[0] == "**mean**" else f".{cells[0]}"
            out |= {f"lz4.{what}{corpus}": text for what, text in zip(("store", "load", "compress", "decompress"), cells[1:]) if text}
    for cells in rows("latency"):
        if len(cells) == 9 and cells[0] != "time of":
            name = f"latency.{cells[0].replace(' ', '-')}.{cells[1]}.{cells[2].split()[0]}"
            for i, what in enumerate(("p50", "p99", "max")):
                c, rust = cells[3 + i], cells[6 + i]
                out |= {f"{name}.{what}.c": c, f"{name}.{what}.rust": rust, f"{name}.{what}.more": more(float(c), float(rust))}

    counted, c = pictures.counts(), c_lines()
    for layer in pictures.LAYERS:
        out |= {f"unsafe.{layer}": number(counted[f"{layer}.unsafe"]), f"lines.{layer}": number(counted[f"{layer}.lines"])}
    out["unsafe.all"] = number(sum(counted[f"{layer}.unsafe"] for layer in pictures.LAYERS))
    out["unsafe.files"] = number(len({str(path).split(", ")[-1] for path, text in safety.sources()
                                      if pictures.layer(path) == "abstractions" and re.search(r"\bunsafe\s*\{", safety.code(text))}))
    out["unsafe.functions"] = number(sum(len(re.findall(r'\bunsafe (?:extern "C" )?fn\b', safety.code(text))) for _, text in safety.sources()))
    out["lines.helpers"] = number(counted["c.lines"])
    out["lines.rust"] = number(sum(counted[f"{layer}.lines"] for layer in pictures.LAYERS) + counted["c.lines"])
    out |= {"lines.c.zswap": number(c["zswap"]), "lines.c.swap_state": number(c["swap_state"]), "lines.c": number(sum(c.values()))}
    of_history = bugs()
    out |= {f"bugs.{name}": number(count) for name, count in of_history.items()}
    out["bugs"] = number(sum(of_history.values()))

    upstream = re.findall(r"^\| (?!what \|)(?!---)(.*) \|$", pathlib.Path("docs/upstream/README.md").read_text(encoding="utf-8").split("\n## ")[0], re.M)
    where = [row.split(" | ")[1] for row in upstream]
    out |= {"upstream.defects": number(len(upstream)), "upstream.rust": number(sum(cell.startswith("Rust") for cell in where)),
            "upstream.selftests": number(where.count("selftests")), "upstream.c": number(where.count("C")),
            "upstream.patched": number(sum(row.split(" | ")[-1].startswith(("`patches/", "[`patches/")) for row in upstream))}
    out |= {name: number(counted[name]) for name in ("attacks", "mutants", "litmus")}
    out |= {"vm.files": number(counted["vm"]), "kunit.suites": number(counted["kunit.c"] + counted["kunit.rust"]),
            "trusted": number(counted["c.functions"]), "configs": number(len(pictures.files("scripts/configs/*.config"))),
            "vm.points": number(sum(int(plan) for text in pictures.files("tests/vm/*.sh") for plan in re.findall(r"^plan (\d+)$", text, re.M)))}

    for name, block in blocks().items():
        stamp = block.stamped()
        out[f"measured.{name}"] = measured(name)
        changed = block.changed() if stamp and block.since() else []
        out[f"changed.{name}"] = None if changed is None or not stamp else number(len(changed)) if changed else "no"
    listed = pathlib.Path("docs/mutants.md").read_text(encoding="utf-8")
    # Without the mark itself.
    listed = MARK.sub("", listed)
    unlisted = [f"`{name}`" for name in pictures.mutants() if f"`{name}`" not in listed]
    out |= {"mutants.unlisted": ", ".join(unlisted) or "none"} | selftests()
    out |= {"parity.rows": found_in("parity", r"(\d+) rows"), "selftests.tests": found_in("selftests", r"\n(\d+) tests"),
            "coverage.percent": found_in("coverage", r"\*\*all policy files\*\* .* ([\d.]+) \|"),
            "mutants.ran": found_in("mutants", r"(\d+) mutants:"), "mutants.caught": found_in("mutants", r"(\d+) caught"),
            "latency.boots": found_in("latency", r"boots: (\d+) of C, \d+ of Rust")}
    return out


def listed_suites():
    """Where the table of suites in docs/kunit.md differs from the sources."""
    text = pathlib.Path("docs/kunit.md").read_text(encoding="utf-8").split("\n## The suites\n")[-1].split("\n## ")[0]
    for language, suites in zip(("C", "Rust"), pictures.suites()):
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
        cost(f"[Instructions](docs/performance.md) for a page: swap-out of *{content}*, in folios of 4 / 64 / 2048 KiB", "out", [(content, kib) for kib in KIBS])
    for title, way in (("swap-in by a fault", "in"), ("free, a range", "free"), (bench.WAYS.get("scatter"), "scatter"), (bench.WAYS.get("split"), "split")):
        cost(f"{title}: *text* / *random*", way, [("text", 4), ("random", 4)])
    for operation in timing.OPERATIONS:
        row(f"[Time](docs/performance.md#time) for a page, ns: {operation}: *same* / *text* / *random*",
            [f"timing.{TIMED[operation]}.{content}" for content in timing.CONTENTS], ("{}.c", "{}.rust", "{}.said"))
    for title, name in (("fault", "fault"), ("from the timer that wakes the task to its page", "timer-to-page")):
        row(f"[Latency](docs/performance.md#latency-of-a-fault-while-its-cpu-stores) while the CPU stores folios of 2 MiB, {title}, "
            "99th percentile, thousand instructions: lz4 / zstd",
            [f"latency.{name}.{compressor}.2048.p99" for compressor in ("lz4", "zstd")])
    row("[Kernel memory](docs/performance.md#metadata) for a page beside its data, bytes: all slots in use / one in 64",
        ["memory.dense", "memory.sparse"])
    row("[Stack](docs/stack.md) of each kernel's own deepest chain (which may differ), bytes: synchronous / asynchronous compressor",
        ["stack", "stack.async"])
    row("[Image](docs/stack.md#image-size): code without the KUnit suites in Rust, bytes", ["image.untested"])
    lines.append("| Lines of code, without comments, blank lines and tests: zswap + the replaced part of `swap_state.c` / "
                 f"policy / C ABI / abstractions / new helpers in C | {figure['lines.c.zswap']} + {figure['lines.c.swap_state']} | "
                 f"{' / '.join(figure[f'lines.{name}'] for name in ('policy', 'abi', 'abstractions', 'helpers'))} | |")
    lines.append(f"| [`unsafe` blocks](docs/safety.md), without those of the crate lz4_flex: policy / C ABI / abstractions / all | – | "
                 f"{' / '.join(figure[f'unsafe.{name}'] for name in ('policy', 'abi', 'abstractions', 'all'))} | |")
    lines.append(f"| [{figure['bugs']} past bugs](docs/races.md): ruled out by a type / by construction / in code that is still C | – | "
                 f"{' / '.join(figure[f'bugs.{name}'] for name in ('type', 'construction', 'in-c'))} | |")
    when = {}
    for name in ("bench", "timing", "latency", "metadata", "stack"):
        if figure.get(f"measured.{name}"):
            since = blocks()[name].since()
            when.setdefault(figure[f"measured.{name}"], {})[name] = f" ({since})" if since else ""
    boots = {None: "", "1": " Latency is of one boot of each kernel."}.get(
        figure.get("latency.boots"), f" Latency is of {figure.get('latency.boots')} boots of each kernel.")
    said = "; ".join("`make " + ", `".join(f"{name}`{since}" for name, since in names.items()) + f" at {at}" for at, names in when.items())
    return lines + ["", f"Measured by {said}.{boots} Ratios of times are medians of pairs of boots; without 'faster' or 'slower' the 95 % interval of the ratio includes 1."]


def main():
    figure, wrong = all_figures(), []
    if sys.argv[1:] == ["list"]:
        for name, text in sorted(figure.items()):
            print(f"{name}\t{text if text is not None else '(not measured yet)'}")
        return False
    writes = sys.argv[1:] != ["check"]
    if writes:
        figures.main("refresh")
        figure = all_figures()
    for page in [pathlib.Path("README.md"), pathlib.Path("CONTRIBUTING.md"), *sorted(pathlib.Path("docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")

        def filled(match):
            name = match[2]
            if figure.get(name) is None:
                wrong.append(f"{page}: there is no figure '{name}'" if name not in figure else f"{page}: '{name}' has not been measured yet")
                return match[0]
            if not writes and match[3] != figure[name]:
                wrong.append(f"{page}: {name} is {figure[name]}, not {match[3]}: run make readme")
            return match[1] + figure[name] + match[4]

        new = MARK.sub(filled, text)
        if page.name == "README.md":
            table = "\n".join(summary(figure)) + "\n"
            new = TABLE.sub(lambda match: match[1] + table + match[3], new)
            ours, theirs = (SINCE.sub("", TABLE.search(part)[2]).splitlines() for part in (new, text)) if TABLE.search(text) else ([], [])
            if not writes and ours != theirs:
                line = next((line for line in ours if line not in theirs), None) or next((line for line in theirs if line not in ours), "their order")
                wrong.append(f"{page}: the table of figures differs from its sources: run make readme: {line}")
        for mark in re.findall(r"(?<!`)<!--= .*", MARK.sub("", text)):
            wrong.append(f"{page}: a mark without its end on the same line: {mark[:60]}")
        if writes and new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{page}: figures filled in")
    wrong += listed_suites()
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
