#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""docs.py WHAT [check]: writes what README.md, the pages of docs/ and their pictures have from elsewhere; with check only
compares, and fails if a page differs.

  readme         figures, and the lists of commands. In a page, <!--= NAME -->...<!--/--> holds the figure of that name, on
                 one line. Figures are taken from results/ (results.py), or counted in the sources. Between the marks
                 COMMANDS are lists of the Makefile's "##" comments
  list           prints all figures
  safety         the report of unsafe code: docs/unsafe.tsv, and its sums in docs/safety.md
  pictures       the figures and the style of the pictures that are drawn by hand. In these <tspan data-count="NAME"> holds
                 the figure of that name, <rect data-bar="NAME"> is as wide as it says, of data-full pixels for the largest
                 of those in the picture that end alike, and <style> is scripts/pictures.css
  plot NAME...   draws docs/NAME.svg anew, from the measured figures: performance, compressors
"""

import pathlib
import re
import statistics
import subprocess
import sys

import drift
import measure
import results
import sources

# Not in code, where one is explained.
MARK = re.compile(r"(?<!`)(<!--= (\S+) -->)((?:(?!<!--=).)*?)(<!--/-->)")


def block(mark):
    return re.compile(f"(<!-- {mark}: BEGIN -->\n)(.*?)(<!-- {mark}: END -->)", re.S)


KIBS = (4, 64, 2048)
# An operation of the measurement timing in the name of a figure.
TIMED = {name: name.replace("free, ", "free-").replace("one slot", "one").replace("a range", "range") for name in measure.OPERATIONS}


def number(value):
    """A whole number, in groups of three."""
    return f"{value:,.0f}".replace(",", "\N{NO-BREAK SPACE}")


def percent(value):
    return f"{round(value, 1) + 0.0:+.1f} %".replace("+0.0", "0.0").replace("-", "\N{MINUS SIGN}").replace(" ", "\N{NO-BREAK SPACE}")


def more(c, rust):
    return percent(100 * rust / c - 100)


def instructions():
    """{(way, where, content, kib): (C, Rust)} of make bench, by the words that its rows begin with."""
    ways, wheres = ({text: name for name, text in names.items()} for names in (measure.WAYS, measure.WHATS))
    return {(ways[cells[0]], wheres[cells[1]], cells[3], int(cells[2])): (float(cells[4]), float(cells[5]))
            for cells in results.rows("bench", "instructions per page")}


def beside_one(interval):
    """What "0.9 to 1.1" says about a ratio: less, more, or the same."""
    low, high = map(float, interval.split(" to "))
    return "less" if high < 1 else "more" if low > 1 else "same"


def times():
    """{(operation, content): (C, Rust, ratio, verdict)} of the measurement timing."""
    said = {"less": "faster", "more": "slower", "same": "same"}
    return {(cells[0], cells[1]): (*cells[2:5], said[beside_one(cells[5])]) for cells in results.rows("timing", "nanoseconds per page") if " to " in cells[5]}


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
    """The counts of make selftests: test cases of all programs, of some, and those that are skipped."""
    # One more for each program: whether it ends normally.
    cases = {cells[0]: int(cells[1]) - 1 for cells in results.rows("selftests", "programs")}
    skipped = sum(int(cells[5]) for cells in results.rows("selftests", "programs"))
    return {"selftests.cases": number(sum(cases.values())), "selftests.skipped": number(skipped),
            "selftests.cow": number(cases["cow"]), "selftests.zswap": number(cases["test_zswap"])} if cases else {}


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
        out["bench.rows"] = number(len(bench_rows))
        small = [100 * rust / c - 100 for (way, _, _, kib), (c, rust) in bench_rows.items() if (way, kib) == ("out", 4)]
        out |= {"bench.out.4.least": percent(min(small)), "bench.out.4.most": percent(max(small))}
    stores = [100 * float(cells[4]) - 100 for cells in results.rows("ab", "instructions per page") if cells[0] == "store"]
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
    for name, cost, _, *kinds in results.rows("whole", "each boot"):
        for kind, value in zip(measure.KINDS, kinds):
            boots.setdefault(f"whole.{name}.{cost.split()[-1]}", {}).setdefault(kind, []).append(int(value))
    for name, kinds in boots.items():
        if name.endswith((".instructions", ".faults")):
            out[f"{name}.boots"] = percent(100 * max(max(values) / min(values) for values in kinds.values()) - 100).strip("+")
        if name.endswith(".instructions"):
            c, on = (statistics.median(kinds[kind]) for kind in ("c", "on"))
            out |= {name: more(c, on), f"{name}.c": number(c / 1e6), f"{name}.rust": number(on / 1e6)}

    for cells in results.rows("metadata", "bytes per page"):
        if cells[1] == "sum":
            out |= {f"memory.{cells[0]}.c": number(float(cells[2])), f"memory.{cells[0]}.rust": number(float(cells[3])),
                    f"memory.{cells[0]}.more": more(float(cells[2]), float(cells[3]))}
    for what, c, rust, _ in results.rows("stack", "image (vmlinux), bytes"):
        name = {"code without KUnit suites in Rust": "image.untested", "constants and tables, read-only": "image.constants"}.get(what)
        if name:
            out |= {f"{name}.kb.c": number(int(c) / 1000), f"{name}.kb.rust": number(int(rust) / 1000),
                    f"{name}.kb.more": more(int(c), int(rust)), f"{name}.more": more(int(c), int(rust))}
    # Of each kernel its deepest chain; and "same", Rust's deepest chain in both.
    for what, c, rust, _ in results.rows("stack", "deepest chains, bytes"):
        name = ("stack.async" if what.startswith("asynchronous") else "stack") + (".same" if what.endswith("deepest in Rust") else "")
        out |= {f"{name}.c": c, f"{name}.rust": rust, f"{name}.more": more(int(c), int(rust))}
    for operation, kind, ratio, *_ in results.rows("contention", "means of the rows of an operation"):
        out[f"contention.{operation.split(',')[0].replace(' ', '-')}.{kind.split()[-1]}"] = f"{float(ratio):.2f}"
    for corpus, *cells in results.rows("compressors", "lz4-rust, lz4 = 1"):
        name = "" if corpus == "mean" else f".{corpus}"
        out |= {f"lz4.{what}{name}": text for what, text in zip(("store", "load", "compress", "decompress"), cells) if text != "-"}
    for what, compressor, folios, share, c, rust, _ in results.rows("latency", "thousands of instructions"):
        name = f"latency.{what.replace(' ', '-')}.{compressor}.{folios.split()[0]}.{share}"
        out |= {f"{name}.c": c, f"{name}.rust": rust, f"{name}.more": more(float(c), float(rust))}

    for cells in results.rows("first", "from nothing, and again with what ccache has"):
        out[f"first.{cells[0].replace(' ', '.')}.{cells[1]}"] = number(float(cells[2]))

    counted, c = sources.counts(), c_lines()
    for layer in sources.LAYERS:
        out[f"unsafe.{layer}"] = number(counted[f"{layer}.unsafe"])
    out["unsafe.all"] = number(sum(counted[f"{layer}.unsafe"] for layer in sources.LAYERS))
    out["unsafe.files"] = number(len({str(path).split(", ")[-1] for path, text in sources.sources() if re.search(r"\bunsafe\s*\{", sources.bare(text))}))
    out["unsafe.functions"] = number(sum(len(re.findall(r'\bunsafe (?:extern "C" )?fn\b', sources.bare(text))) for _, text in sources.sources()))
    parts = sources.parts()
    out |= {f"lines.{part}": number(count) for part, (count, _) in parts.items()}
    out |= {f"{what}.rust": number(sum(part[at] for name, part in parts.items() if name != "lz4")) for at, what in enumerate(("lines", "unsafe"))}
    out |= {"lines.c.zswap": number(c["zswap"]), "lines.c.swap_state": number(c["swap_state"]), "lines.c": number(sum(c.values()))}
    of_history = bugs()
    out |= {f"bugs.{name}": number(count) for name, count in of_history.items()}
    out["bugs"] = number(sum(of_history.values()))

    upstream = re.findall(r"^\| (?!what \|)(?!---)(.*) \|$", pathlib.Path("docs/upstream/README.md").read_text(encoding="utf-8").split("\n## ")[0], re.M)
    where = [row.split(" | ")[1] for row in upstream]
    out |= {"upstream.defects": number(len(upstream)), "upstream.rust": number(sum(cell.startswith("Rust") for cell in where)),
            "upstream.selftests": number(where.count("selftests")), "upstream.c": number(where.count("C")),
            "upstream.patched": number(sum(row.split(" | ")[-1].startswith(("`patches/", "[<code>patches/")) for row in upstream))}
    out |= {name: number(counted[name]) for name in ("attacks", "mutants", "litmus")}
    out["attacks.compile"] = number(sum(len(re.findall(r"^pub mod \w+ \{$", text, re.M)) for text in sources.files("tests/host/attack/ok.rs")))
    out["series.commits"] = number(len(re.findall(r'^    \("', pathlib.Path("scripts/series.py").read_text(encoding="utf-8").split("\nCOMMITS = [")[1].split("\n]\n")[0], re.M)))
    cases = sum(len(re.findall(r"\bKUNIT_CASE\w*\(", text)) for text in sources.files("tests/kunit/*.c") if not re.search("zswap_(time|scale)_suite", text))
    in_rust = [text for text in (*sources.files("rust/**/*.rs"), *sources.files("samples/rust/**/*.rs"), *sources.files("patches/*.patch")) if "kunit_tests(" in text]
    out["kunit.cases"] = number(cases + sum(len(re.findall(r"^\+?\s*#\[test\]", text, re.M)) for text in in_rust))
    out |= {"vm.files": number(counted["vm"]), "kunit.suites": number(counted["kunit.c"] + counted["kunit.rust"]),
            "trusted": number(counted["c.functions"]), "configs": number(len(sources.files("scripts/configs/*.config"))),
            "vm.points": number(sum(int(plan) for text in sources.files("tests/vm/*.sh") for plan in re.findall(r"^plan (\d+)$", text, re.M)))}

    for name in results.COMMANDS:
        first = results.FIRST.match(results.text_of(name))
        out[f"measured.{name}"] = first and f"`{first[3]}`{first[4] or ''}, {first[5]}"
    rows = re.search(r"(\d+) rows\.", results.text_of("parity"))
    layers = {cells[0]: cells for cells in results.rows("mutants", "by layer")}
    out |= selftests() | {"parity.rows": rows and rows[1], "mutants.caught": layers["all"][1] if layers else None}
    return out


def listed_suites():
    """Where the table of suites in docs/kunit.md differs from the sources."""
    text = pathlib.Path("docs/kunit.md").read_text(encoding="utf-8").split("\n## The suites\n")[-1].split("\n## ")[0]
    text = re.sub("</?code>", "`", text.replace("<wbr>", "").replace("\\_", "_"))
    for language, suites in zip(("C", "Rust"), sources.suites()):
        there = {name for cells in re.findall(r"^\| (`.*?) \| " + language + r" \| ", text, re.M) for name in re.findall(r"`(\w+)`", cells)}
        yield from (f"docs/kunit.md: the table of suites has no {name} in {language}" for name in sorted(suites - there))
        yield from (f"docs/kunit.md: no suite in {language} is named {name}" for name in sorted(there - suites))


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
        full += ([""] if full else []) + [f"**{title}**", "", *results.markdown(["Command", "What it does"], lines)]
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
    lines, place = lists().get(str(page)), block("COMMANDS").search(new)
    if lines and place:
        new = new[:place.start(2)] + "\n".join(lines) + "\n" + new[place.end(2):]
        ours, theirs = lines, place[2].splitlines()
        if not writes and ours != theirs:
            line = next((line for line in ours if line not in theirs), None) or next((line for line in theirs if line not in ours), "their order")
            wrong.append(f"{page}: the table of commands differs from the Makefile: run make pages: {line}")
    return text, new


def readme(writes):
    figure, wrong = all_figures(), []
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
                sys.exit(f"results/bench.tsv has no row for '{group}, {label}'")
            yield [label, *(f"{cost[1] / cost[0]:.4f}" if cost else "nan" for cost in costs)]


def compressors():
    """Instructions to store and to load a page, and memory in % of it: means of what compresses."""
    found = {}
    for title in ("store, instructions per page", "load, instructions per page", "memory, % of a page"):
        for name, *cells in results.rows("compressors", title):
            # The last corpus is random.
            found.setdefault(name, {})[title.split(",")[0]] = statistics.mean(map(float, cells[:-1]))
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
    makers = {"readme": readme, "safety": safety, "pictures": pictures}
    if what not in makers or arguments not in ((), ("check",)):
        sys.exit("usage: docs.py readme | safety | pictures [check]; docs.py list | plot NAME...")
    wrong = makers[what](not arguments)
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
