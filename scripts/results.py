#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""results.py COMMAND: the files of results/, each of one command, from which pages quote figures by name (docs.py).

  stamp            prints of which commit, day, machine and tree a result is that is begun now (stamp in lib.sh)
  put NAME [-n]    prints lines on standard input as tables, and writes them to build/results/NAME.tsv, unless -n
  take [NAME...]   copies these, or all, from build/results to results
  page [check]     writes docs/results.md, or fails if it differs from results
  diff OLD NEW     the rows that have other numbers in the file NEW, those that grew most first. COMMIT:PATH is a file as well

The first line of a file says what it is of. A table is "## TITLE", a line that names its columns, with ">" before those of
numbers, and rows, with tabs between cells. The cells before the first number name a row; without numbers only the first does.
"# " begins a line of text: "# failed: WHY"; or "# without PATTERN: WHY" for rows that an earlier file has and this one need not.
"""

import datetime
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

MEASURED = re.findall(r"^(\w+) \d+ \d+[\w ]*:", pathlib.Path("scripts/measure.sh").read_text(encoding="utf-8"), re.M)  # of its table
COMMANDS = {**{name: f"make measure ONLY={name}" for name in MEASURED}, "bench": "make bench", "mutants": "make mutants",
            "drawn": "make mutants DRAWN=48", "kcsan": "make sanitize SEEDED=10", "selftests": "make selftests", "release": "make release"}
BUILD, RESULTS, PAGE = map(pathlib.Path, ("build/results", "results", "docs/results.md"))
# What no result depends on: it is not in the tree of a stamp.
PROSE = "docs results README.md CONTRIBUTING.md LICENSE .ci .editorconfig .gitignore".split()
FIRST = re.compile(r"# (\w+) (.*?)commit (\w+)( with changes)?, ([\w-]+), (.*), tree (\w+)\n")
# The columns that say what is worst: the largest value. A table without one keeps its order.
WORST = "Rust / C", "change, %", "on / off"
MOST = 30  # rows of a table on the page
INTRODUCTION = """\
<!-- SPDX-License-Identifier: GPL-2.0 -->
<!-- Made by make pages, of results/: not to be edited. -->
# Results

What was measured and judged. The command of a section repeats it, and `make results` takes over what it found. A figure is of
the commit beside it; the code may be another by now. Where a table has ratios or changes, Rust's worst row comes first.
"""


def git(*command, text=None):
    """What git prints; None if there is no git, or it fails. The folder may be another user's than root's in a namespace."""
    try:
        found = subprocess.run(["git", "--no-optional-locks", "-c", "safe.directory=*", *command], input=text, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return found.stdout.strip() if found.returncode == 0 else None


def changes(*but):
    """What of the checkout is not committed, other than these; None without a repository."""
    return git("status", "--porcelain", "--", ".", *(f":!{name}" for name in but))


def tree(commit="HEAD"):
    """The id of a git tree with all that a result can depend on."""
    lines = (git("ls-tree", commit) or "").splitlines()
    return (git("mktree", text="".join(line + "\n" for line in lines if line.split("\t")[1] not in PROSE)) or "none")[:12]


def stamp():
    model = re.search(r"^model name\s*: (.*\S)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    dirty = " with changes" if changes(*PROSE) else ""
    return (f"commit {git('rev-parse', '--short', 'HEAD') or 'none'}{dirty}, {datetime.date.today()}, "
            f"{model[1] if model else 'an unknown CPU'}, {os.cpu_count()} CPUs, tree {tree()}")


def table(title, head, rows):
    """The lines of a table."""
    return [f"## {title}", *("\t".join(" ".join(str(cell).split()) for cell in cells) for cells in (head, *rows))]


def read(text):
    """The parts of a file after its first line: a text, or (title, head, rows)."""
    for part in re.findall(r"^# .*|^## .*(?:\n[^#\n].*)*", text.partition("\n")[2], re.M):
        title, *lines = part.split("\n")
        head, *cells = [line.split("\t") for line in lines] or [[]]
        yield part[2:] if part.startswith("# ") else (title[3:], head, cells)


def text_of(name, folder=RESULTS):
    path = folder / f"{name}.tsv"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def rows(name, title):
    """The rows of a table in results; none if there are no results."""
    return next((part[2] for part in read(text_of(name)) if part[0] == title), [])


def named(text):
    """{(title, name of a row): {column: cell}}"""
    tables = [(*part, next((at for at, cell in enumerate(part[1]) if cell.startswith(">")), 1)) for part in read(text) if not isinstance(part, str)]
    return {(title, ", ".join(row[:key])): dict(zip(head, row)) for title, head, cells, key in tables for row in cells}


def number(cell):
    return float(cell) if re.fullmatch(r"[+-]?\d+(\.\d+)?", cell) else None


def shown(head, cells):
    """The first rows, from the worst on."""
    at = next((head.index(f">{name}") for name in WORST if f">{name}" in head), None)
    return (cells if at is None else sorted(cells, key=lambda row: -(number(row[at]) or 0)))[:MOST]


def put(name, lines, dry=False):
    """Prints lines of a file, and writes it, unless dry. If the code is no longer as it was when the command began, the file says so."""
    begun = os.environ.get("STAMP") or stamp()
    if begun.split(" tree ")[1] != tree() or changes(*PROSE):
        begun = re.sub(r"(commit \w+),", r"\1 with changes,", begun)
    text = "\n".join([f"# {name} {begun}", *lines, ""])
    if not dry:
        save(BUILD / f"{name}.tsv", text)
    print("\n".join(section(name, text)))


def save(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def refused(name):
    """Why a file of build/results isn't taken."""
    path = BUILD / f"{name}.tsv"
    text = text_of(name, BUILD)
    first = FIRST.match(text)
    if not first:
        return [f"{path} is missing: run {COMMANDS[name]}"]
    if first[4] or first[3] == "none":
        return [f"{path} is of code that is in no commit: commit it, and run {COMMANDS[name]}"]
    if text_of(name) and FIRST.match(text_of(name))[5] > first[5]:
        return [f"{path} is of {first[5]}, older than what results has: run {COMMANDS[name]}"]
    wrong = [f"{path}: {COMMANDS[name]} failed: {why}" for why in re.findall("^# failed: (.*)", text, re.M)]
    for other in COMMANDS.keys() - {name} if name == "release" else ():
        found = FIRST.match(text_of(other, BUILD))
        if not found or found[7] != first[7] or set(found[2].split()) - set(COMMANDS[other].split()):
            wrong.append(f"{path} is of tree {first[7]}, build/results/{other}.tsv of another or of other variables: run make release")
    patterns = re.findall("^# without (.*?): (.*)", text, re.M)
    for title, row in sorted(named(text_of(name)).keys() - named(text).keys()):
        why = next((why for pattern, why in patterns if fnmatch.fnmatchcase(row, pattern)), None)
        wrong += [] if why else [f"{path} lacks '{row}' of '{title}', which results has: measure it, or add '# without {row}: WHY' to the file"]
        print(f"{name}: without '{row}' of '{title}': {why}\n" if why else "", end="")
    return wrong


def take(*names):
    if unknown := {*names} - COMMANDS.keys():
        sys.exit(f"there are no results '{min(unknown)}': use {', '.join(COMMANDS)}")
    if changes(*(name for name in PROSE if name != "results")) != "":
        sys.exit("the checkout has changes, or is no repository: commit code and results first; git status shows them")
    wrong = []
    for name in names or COMMANDS:
        wrong += (problems := refused(name))
        if not problems:
            save(RESULTS / f"{name}.tsv", text := text_of(name, BUILD))
            print(f"results/{name}.tsv: {text.splitlines()[0][2:]}")
    print("\n".join(wrong or ["Next: make pages, and commit results with them"]))
    return bool(wrong)


def markdown(head, cells):
    def escaped(cell):
        # Not in code.
        return re.sub(r"(`[^`]+`)|[\\*<[~`]|(?<![^\W_])_|_(?![^\W_])", lambda found: found[1] or f"\\{found[0]}", cell).replace("|", "\\|")
    titles, *lines = (f"| {' | '.join(map(escaped, row))} |" for row in [[title.lstrip(">") for title in head], *cells])
    return [titles, "|" + "|".join("---:" if title.startswith(">") else "---" for title in head) + "|", *lines]


def section(name, text):
    """Of the page, and for a terminal."""
    if not text:
        return [f"## {name}", "", f"No figures: `{COMMANDS[name]}`, then `make results`.", ""]
    _, variables, commit, changed, day, machine, of = FIRST.match(text).groups("")
    lines = [f"## {name}", "", f"`{' '.join(dict.fromkeys([*COMMANDS[name].split(), *variables.split()]))}` at commit `{commit}`{changed}, {day}; machine: {machine}; tree of the code: `{of}`.", ""]
    for part in read(text):
        if isinstance(part, str):
            lines += [] if part.startswith("without ") else [part, ""]
            continue
        title, head, cells = part
        more = [f"{len(cells) - MOST} more rows in [results/{name}.tsv](../results/{name}.tsv).", ""] if len(cells) > MOST else []
        lines += [f"**{title}**", "", *markdown(head, shown(head, cells)), "", *more]
    return lines


def page(*check):
    text = "\n".join([INTRODUCTION, *(line for name in COMMANDS for line in section(name, text_of(name)))])
    if not check:
        return save(PAGE, text)
    same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
    return None if same else f"{PAGE} differs from results/: run make pages, and don't edit it"


def diff(old, new):
    def numbers(path):
        text = git("show", path) if ":" in path else pathlib.Path(path).exists() and pathlib.Path(path).read_text(encoding="utf-8")
        if not text:
            sys.exit(f"there is no {path}")
        return {key: {column[1:]: number(cell) for column, cell in row.items() if column.startswith(">")} for key, row in named(text).items()}

    was, now, lines = numbers(old), numbers(new), []
    for key in was.keys() & now.keys():
        pairs = {column: (was[key].get(column), value) for column, value in now[key].items()}
        pairs = {column: pair for column, pair in pairs.items() if None not in pair and pair[0] != pair[1]}
        # A change in percent is none of a size.
        grown = max((b / a for column, (a, b) in pairs.items() if a > 0 and column not in WORST), default=1)
        lines += [(-grown, f"{grown:.4f}  {', '.join(key)}: " + ", ".join(f"{column} {a:g} -> {b:g}" for column, (a, b) in pairs.items()))] if pairs else []
    print("\n".join([*(line for _, line in sorted(lines)), *(f"only in one: {', '.join(key)}" for key in sorted(was.keys() ^ now.keys())),
                     f"{len(lines)} of {len(was.keys() & now.keys())} rows have other numbers"]))


def main(what="", *arguments):
    if what == "put" and arguments and arguments[0] in COMMANDS:
        return put(arguments[0], sys.stdin.read().splitlines(), arguments[1:])
    if what == "stamp":
        return print(stamp())
    if what == "take" or what == "page" and arguments in ((), ("check",)) or what == "diff" and len(arguments) == 2:
        return globals()[what](*arguments)
    return sys.exit("usage: results.py stamp | put NAME [-n] | take [NAME...] | page [check] | diff OLD NEW")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
