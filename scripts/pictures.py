#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""pictures.py [check]: puts the figures into the pictures of docs/ that are drawn by hand, and their style.

In such a picture <tspan data-count="NAME"> holds the figure of that name, <rect data-bar="NAME"> is as wide
as it says, of data-full pixels for the largest of those in the picture that end alike, and <style> is
scripts/pictures.css. Figures are counted here, from the sources. "check" only compares.

pictures.py rows performance|growth|compressors: the rows of scripts/bench.gp, growth.gp or compressors.gp, from
the tables of docs/performance.md or docs/compressors.md. pictures.py plot FILE TITLE: what gnuplot has made of them
becomes a picture of the same style. scripts/pictures.sh does both.
"""

import pathlib
import re
import statistics
import sys

import bench
import growth as grown
import safety

CSS = pathlib.Path("scripts/pictures.css")
LAYERS = ("abi", "policy", "abstractions")


def lines(text):
    """Of code: no blank lines, no comments."""
    return sum(bool(line.strip()) for line in safety.code(re.sub(r"/\*.*?\*/", "", text, flags=re.S)).splitlines())


def layer(path):
    """Of a source: a path, or a patch and a path."""
    path = str(path)
    if not path.startswith("samples/"):
        return "abstractions"
    return "abi" if path.endswith("/exports.rs") else "policy"


def files(pattern):
    return [path.read_text() for path in sorted(pathlib.Path().glob(pattern))]


def suites():
    """The names of the project's KUnit suites in C and in Rust, without the one that only make timing runs."""
    c = re.findall(r'^static struct kunit_suite .*?\.name = "(\w+)"', "".join(files("tests/kunit/*.c")), re.M | re.S)
    rust = re.findall(r"^\+?#\[.*\bkunit_tests\((\w+)\)", "".join(files("rust/kernel/**/*.rs") + files("patches/*.patch")), re.M)
    return set(c) - {"zswap_time"}, set(rust)


def mutants():
    """The mutants, in the order of a run, and the layer that the mistake of each is in."""
    found = {}
    for patch in files("tests/mutants/*.patch"):
        path = re.search(r"^\+\+\+ b/(\S+\.rs)$", patch, re.M)[1]
        found |= dict.fromkeys(re.findall(r"^mutant: (\S+)$", patch, re.M), layer(path))
    return found


def counts():
    found = dict.fromkeys((f"{layer}.{what}" for layer in LAYERS for what in ("lines", "unsafe")), 0)
    for path, text in safety.sources():
        found[f"{layer(path)}.lines"] += lines(text)
        found[f"{layer(path)}.unsafe"] += len(re.findall(r"\bunsafe\s*\{", safety.code(text)))
    found["c.functions"] = len(safety.trusted())
    found["c.lines"] = sum(map(lines, files("rust/helpers/*.c")))

    found["kunit.c"], found["kunit.rust"] = map(len, suites())
    rooms = "".join(text for text in files("tests/host/attack/*.rs") if "\n//@[control] check-pass\n" in text)
    found["attacks"] = len(re.findall(r"^pub mod \w+ \{$", rooms, re.M))
    litmus = files("tests/litmus/*.litmus")
    found["litmus"] = len(litmus) + sum(len(re.findall(r"^ \*     sed: ", text, re.M)) for text in litmus)
    found["vm"] = sum(bool(re.search(r"^plan \d+$", text, re.M)) for text in files("tests/vm/*.sh"))
    seeded = mutants()
    found["mutants"] = len(seeded)
    for name in LAYERS:
        found[f"mutants.{name}"] = list(seeded.values()).count(name)
    return found


def filled(text, figures):
    """A picture with its figures and its style."""
    bars = re.findall(r'data-bar="([\w.]+)"', text)

    def width(match):
        name = match["name"]
        most = max(figures[bar] for bar in bars if bar.rpartition(".")[2] == name.rpartition(".")[2])
        return f'{match["head"]} width="{int(match["full"]) * figures[name] / most:.1f}"'

    # A thin space would be missing from many fonts.
    text = re.sub(r'(<tspan data-count="([\w.]+)">)[^<]*', lambda match: match[1] + f"{figures[match[2]]:,}".replace(",", "\u00a0"), text)
    text = re.sub(r'(?P<head>data-bar="(?P<name>[\w.]+)" data-full="(?P<full>\d+)") width="[^"]*"', width, text)
    return re.sub(r"<style>.*?</style>", lambda _: style(), text, flags=re.S)


def style():
    return "<style>\n" + "".join("    " + line.expandtabs(2) + "\n" for line in CSS.read_text().splitlines()[1:]) + "  </style>"


def plot(text, title):
    """What gnuplot has drawn, with a title and the style, which finds colours by how they are written."""
    text = re.sub(r"'?rgb\( *(\d+), *(\d+), *(\d+)\)'?", lambda match: "#%02x%02x%02x" % tuple(map(int, match.groups())), text)
    text = re.sub(r"((?:fill|stroke|color)\s*=\s*)\"?(#[0-9A-Fa-f]{6})\"?", lambda match: match[1].replace(" ", "") + f'"{match[2].lower()}"', text)
    text = re.sub(r"<desc>.*?</desc>\n", "", text, flags=re.S)
    text = re.sub(r'<rect x="0" y="0"( .*?) fill="#f6f8fa"/>', r'<rect class="panel"\1 rx="8"/>', text, count=1)
    text = re.sub(r"<title>gnuplot_plot_\d+</title>", "", text) # a tooltip
    head = f"<!-- SPDX-License-Identifier: GPL-2.0 -->\n<title>{title}</title>\n{style()}"
    return re.sub(r"<title>.*?</title>", lambda _: head, text, count=1)


def tables(doc):
    """The rows of a document's tables, each as its cells."""
    for line in pathlib.Path(doc).read_text().splitlines():
        if line.startswith("| ") and not line.startswith("|--"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def performance():
    """Rust's instructions for C's 1, for folios of 4, 64 and 2048 KiB."""
    percents = {}
    for cells in tables("docs/performance.md"):
        if len(cells) == 10 and cells[7].endswith(" %"):
            percents[cells[0], cells[1], int(cells[2].split()[0]), cells[3]] = float(cells[7].split()[0])
    for group, rows in bench.GROUPS:
        yield [group, *["nan"] * 3]
        for label, way, what, content in rows:
            found = [percents.get((bench.WAYS[way], bench.WHATS[what], kib, content)) for kib in (4, 64, 2048)]
            if found == [None] * 3:
                sys.exit(f"docs/performance.md has no row for '{group}, {label}'")
            yield [label, *("nan" if percent is None else f"{1 + percent / 100:.4f}" for percent in found)]


def growth():
    """Instructions in C and in Rust, for each axis and value."""
    axes = {name: axis for axis, name in grown.AXES.items()}
    for cells in tables("docs/performance.md"):
        if cells[0] in axes:
            yield [axes[cells[0]].replace("order", "folios"), cells[1], *(cell for i, cell in enumerate(cells[2:]) if i % 3 != 2)]


def compressors():
    """Instructions to store and to load a page, and memory in % of it: means of what compresses."""
    figures, corpora, what = {}, [], None
    for cells in tables("docs/compressors.md"):
        if cells[0] in ("memory, % of a page", "store, instructions per page", "load, instructions per page"):
            what, corpora = cells[0].split(",")[0], cells[1:]
        elif what and cells[0].startswith("`") and len(cells) == len(corpora) + 1:
            some = [float(cell) for cell, corpus in zip(cells[1:], corpora) if corpus != "random"]
            figures.setdefault(cells[0].strip("`"), {}).setdefault(what, statistics.mean(some))
        else:
            what = None
    for name, of in figures.items():
        yield [name, *(f"{of[what]:.2f}" for what in ("store", "load", "memory"))]


def main():
    if sys.argv[1:2] == ["plot"]:
        print(plot(pathlib.Path(sys.argv[2]).read_text(), sys.argv[3]), end="")
        return False
    if sys.argv[1:2] == ["rows"]:
        for row in {"performance": performance, "growth": growth, "compressors": compressors}[sys.argv[2]]():
            print("\t".join(row))
        return False
    figures, stale = counts(), []
    for path in sorted(pathlib.Path("docs").glob("*.svg")):
        text = path.read_text()
        # A plot gets its style when it is drawn.
        new = text if "gnuplot" in text else filled(text, figures)
        if new == text:
            continue
        stale.append(path)
        if sys.argv[1:] == ["check"]:
            print(f"{path} is out of date: run make safety-report")
        else:
            path.write_text(new)
            print(f"{path}: figures put in")
    return bool(stale) and sys.argv[1:] == ["check"]


if __name__ == "__main__":
    sys.exit(main())
