#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""attacks.py [check]: writes docs/attacks.md, the programs of tests/host/attack that must not compile; with check only compares,
and fails if the page differs, or lacks a program.

compare.py finds the programs. A file's comment becomes its heading, and that of a program its row: one sentence, or two that are
short. A past bug is linked if the comment names it ("docs/races.md: N"), or if docs/races.md names the program.
"""

import collections
import pathlib
import re
import sys

import compare
import sources

PAGE = pathlib.Path("docs/attacks.md")
HEAD = """<!-- SPDX-License-Identifier: GPL-2.0 -->
<!-- Made by make pages, of tests/host/attack: not to be edited. -->
# Programs that must not compile

<!-- ATTACKS: BEGIN -->
Each of these {count} programs breaks a rule in safe code, and must not compile. (`unsafe` in some stands for the C ABI.) `make
test` compiles each of them: first without the lines that break the rule, which must succeed, then with them, which must fail
with exactly the errors that the program marks. The second column is from the comment in the program: what it does, and what
would go wrong, here or in C. The third column has rustc's errors: a code with its meaning, or a message. Programs that do
compile are in [safety.md](safety.md#what-does-compile).
"""
# Two sentences together, in characters.
SHORT = 260
# What is code in a comment: paths, names with an underscore, calls.
CODE = re.compile(r"(`[^`]+`)|(?:\w+::)+\w+(?:\(\))?|\w+_\w+!?(?:\(\))?|\w+\(\)")


def marked(text):
    """A comment as Markdown."""
    return CODE.sub(lambda found: found[1] or f"`{found[0]}`", text.replace("|", "\\|"))


def row(name, text, error, bugs):
    comment = compare.prose(re.match(r"(?://.*\n)*", text)[0])
    named = [number for numbers in re.findall(r"docs/races\.md: ([\d, ]+)", comment) for number in numbers.split(", ")]
    comment = re.sub(r" \(docs/races\.md: [\d, ]+\)|docs/races\.md: [\d, ]+: | \(docs/(?!races)[^)]*\)", "", comment)
    first, *more = re.split(r'(?<=[.)]) (?=[A-Z"(])', comment)
    what = " ".join([first, *more[:1]] if more and len(first) + len(more[0]) < SHORT else [first])
    links = [f"[{number.replace('-', ' ')}](races.md#bug-{number})" for number in sorted({*named, *bugs}, key=lambda number: (len(number), number))]
    return marked(what) + (f" Bug{'s' if links[1:] else ''} {', '.join(links)}." if links else ""), marked(error)


def page():
    """The page, and how many programs it has."""
    bugs, rooms = collections.defaultdict(list), collections.defaultdict(list)
    for number, *_, tests in compare.bugs():
        for names in re.findall(r"\battacks? ((?:`\w+`(?:, )?)+)", tests):
            for name in re.findall(r"\w+", names):
                bugs[name].append(number)
    for name, path, *_, text, error in compare.attacks():
        rooms[path].append((name, *row(name, text, error, bugs[name])))
    lines = HEAD.format(count=sum(map(len, rooms.values()))).splitlines()
    for path, rows in rooms.items():
        comment = compare.prose(re.match(r"// SPDX.*\n((?://(?!@).*\n)+)", compare.read(path))[1])
        title, _, rest = comment.rstrip(".").partition(": ")
        lines += ["", f"## {title}", "", f"[{pathlib.Path(path).name}](../{path})" + (f": {rest}." if rest else ""), "",
                  "| program | what it tries | error |", "|---|---|---|"]
        lines += [f"| [`{name}`](../{path}) | {what} | {error} |" for name, what, error in rows]
    return "\n".join([*lines, "<!-- ATTACKS: END -->", ""]), sum(map(len, rooms.values()))


def main(check=None):
    text, count = page()
    lacks = sources.counts()["attacks"] - count
    if lacks:
        print(f"{PAGE} lacks {lacks} programs of tests/host/attack, which compare.attacks() doesn't find")
    elif check and (not PAGE.exists() or compare.read(PAGE) != text):
        print(f"{PAGE} is out of date: run make pages")
        return True
    if not check:
        PAGE.write_text(text, encoding="utf-8")
    return bool(lacks)


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["check"]):
        sys.exit("usage: attacks.py [check]")
    sys.exit(main(*sys.argv[1:]))
