#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""review.py [--check] [KSRC]: docs/review.md shows the code as it is.

Writes what stands between its markers and their END, each time anew:

  <!-- CODE c mm/zswap.c zswap_load "first" "last" ... -->
      a function of KSRC, or with rust and a path of this repository an item of it ("name"
      or "type::name"). Pairs of words choose runs of lines: from the first line that
      has the one to the next that has the other. What is left out becomes "...".
  <!-- RULE mm/zswap.c zswap_load "first" "last" -->
      a quotation from the comments in and above that function, between these words.
  <!-- FACTS attack:name bug:number c:function ... -->
      a table: what the compiler says of a program of tests/host/attack, a row of docs/races.md, what
      docs/trusted.tsv trusts C for.

With --check writes nothing, and fails if the page differs: it names each marker whose text is stale.
KSRC is the pristine source, or a copy of its files; if it isn't given, the one that lib.sh knows.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import textwrap

import drift

DOC = pathlib.Path("docs/review.md")
ATTACK = "tests/host/attack"
BEGIN = re.compile(r"^<!-- ((CODE|RULE|FACTS) .*) -->$", re.M)
MARKER = re.compile(BEGIN.pattern + r"\n((?:(?!<!-- ).*\n)*)<!-- END -->$", re.M)
# What stands above an item: documentation, attributes.
ABOVE = re.compile(r"(?:\s*(?:/\*.*?\*/|//[^\n]*|#\[[^\n]*)\n)*", re.S)
ITEM = r"(?:pub(?:\([\w ]+\))? )?(?:unsafe |const |extern \"C\" )*(?:fn|struct|enum|union|trait|type|static|const)"


# What the compiler's codes stand for.
MEANING = {
    "E0061": "a call with another number of arguments",
    "E0080": "a constant can't be evaluated",
    "E0119": "a second implementation of a trait for the type",
    "E0133": "a call of an unsafe function",
    "E0277": "the type doesn't implement the trait",
    "E0308": "another type is expected",
    "E0382": "use of a value that was moved",
    "E0423": "a struct with private fields is made",
    "E0451": "a private field is set",
    "E0499": "a second mutable borrow",
    "E0500": "a closure needs what is borrowed",
    "E0502": "a mutable borrow of what is borrowed",
    "E0505": "a value is moved while it is borrowed",
    "E0521": "a borrow outlives the function",
    "E0532": "the pattern is of another kind",
    "E0596": "a mutable borrow of what is shared",
    "E0597": "the value is dropped while it is borrowed",
    "E0599": "the type has no such method",
    "E0616": "a private field is read",
    "E0624": "a private function is called",
    "E0716": "a temporary is dropped while it is borrowed",
    "unused_must_use": "the result must be used",
}


class Stale(Exception):
    """A marker that names what isn't there."""


def rust_item(text, name):
    """An item with what stands above it. It ends at a brace that is indented as it is: rustfmt sees to that."""
    scope, _, member = name.rpartition("::")
    head = rf"((?:^ *(?://|#\[)[^\n]*\n)*)^( *){ITEM} {re.escape(member)}\b"
    if scope:
        impls = re.finditer(rf"^( *)(?:unsafe )?impl\b[^\n]*\b{re.escape(scope)}\b.*?^\1\}}$", text, re.M | re.S)
        text = "\n".join(impl.group() for impl in impls)
    found = re.search(rf"{head}(?:[^\n]*[;}}]$|.*?^\2(?:\}}|[)}}\]]+[^\n{{]*;)$)", text, re.M | re.S)
    if not found:
        raise Stale(f"there is no {name}")
    return textwrap.dedent(found.group())


def item(ksrc, path, name):
    """The text of a function of C or an item of Rust, with the comments above it."""
    source = pathlib.Path(path) if path.endswith(".rs") else pathlib.Path(ksrc, path)
    if not source.exists():
        raise Stale(f"there is no {path}")
    text = source.read_text(encoding="utf-8")
    if path.endswith(".rs"):
        return rust_item(text, name)
    named = drift.texts(text)
    if name not in named:
        raise Stale(f"there is no {name}")
    return named[name]


def code(ksrc, language, path, name, *words):
    lines = item(ksrc, path, name).rstrip("\n").split("\n")
    above = ABOVE.match("\n".join(lines)).group().count("\n")
    body = next((at for at in range(above, len(lines)) if lines[at].endswith(("{", ";"))), above)
    runs, at = [], 0
    for first, last in zip(words[::2], words[1::2]):
        begin = next((n for n in range(at, len(lines)) if first in lines[n]), len(lines))
        end = next((n for n in range(begin, len(lines)) if last in lines[n]), None)
        if end is None:
            raise Stale(f"{name} has no lines from \"{first}\" to \"{last}\"")
        runs.append((begin, end))
        at = end + 1
    runs = runs or [(above, len(lines) - 1)]
    # Always with what it is called.
    if runs[0][0] > body:
        runs.insert(0, (above, body))
    out, at = [], runs[0][0]
    for begin, end in [*runs, (len(lines), None)]:
        # What closes a block stays. The rest of what isn't shown is told, unless it is blank.
        while at < begin and re.fullmatch(r"\s*[)}\]]+[;,]?", lines[at]):
            out.append(lines[at])
            at += 1
        hidden = [line for line in lines[at:begin] if line.strip()]
        if hidden:
            out.append(re.match(r"\s*", hidden[0]).group() + "...")
        elif at < begin < len(lines):
            out.append("")
        if end is not None:
            out += lines[begin:end + 1]
            at = end + 1
    where = f"C, `{path}`:" if language == "c" else f"Rust, [`{path}`](../{path}):"
    return "\n".join([where, "", f"```{language}", *out, "```"])


def rule(ksrc, path, name, first, last):
    for comment in drift.COMMENT.findall(item(ksrc, path, name)):
        text = re.sub(r"\s+", " ", re.sub(r"^\s*(/\*+|\*/|\*|//)|\*/$", " ", comment, flags=re.M))
        found = re.search(rf"{re.escape(first)}.*?{re.escape(last)}", text)
        if found:
            where = f"`{path}`" if name == drift.REST else f"`{name}()`"
            return textwrap.fill(f"\"{found.group()}\" ({where})", 108, initial_indent="> ", subsequent_indent="> ",
                                 break_on_hyphens=False)
    raise Stale(f"{name} has no comment from \"{first}\" to \"{last}\"")


def attack(name):
    """The first line at which a program fails to compile, and the error there."""
    found = [path for path in sorted(pathlib.Path(ATTACK).glob("*.rs")) if f"\npub mod {name} {{\n" in path.read_text(encoding="utf-8")]
    if len(found) != 1:
        raise Stale(f"{len(found)} rooms of {ATTACK} have {name}")
    lines = found[0].read_text(encoding="utf-8").splitlines()
    error = None
    for at, line in enumerate(lines):
        here = re.match(rf"(.*)//~\[{name}\](\^*) (?:ERROR: )?(.*)", line)
        other = re.match(rf"//@\[{name}\] error-in-other-file: (.*)", line)
        if here:
            code = lines[at - len(here[2])] if here[2] else here[1]
            error = f"`{re.sub('//~.*', '', code).strip()}`: {called(here[3])}"
            break
        if other and not error:
            error = f"in a file of the policy: {called(other[1])}"
    if not error:
        raise Stale(f"{found[0]} has no error of {name}")
    return f"[`{name}`](../{found[0]})", error


def called(error):
    """A code with what it stands for, a text as it is."""
    return f"error[{error}]: {MEANING[error]}" if error in MEANING else f"error: {error}"


def bug(number):
    races = pathlib.Path("docs/races.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {re.escape(number)} \| ([^|]*) \|", races, re.M)
    if not row:
        raise Stale(f"docs/races.md has no row {number}")
    return f"[bug {number}](races.md)" if number.isdigit() else f"[{number}](races.md)", row.group(1)


def trusted(functions):
    """What C is trusted for, of each line of the table that names some of the functions."""
    rows = []
    for line in pathlib.Path("docs/trusted.tsv").read_text(encoding="utf-8").splitlines():
        names, _, what = line.partition("\t")
        here = [name for name in names.split() if name in functions and not line.startswith("#")]
        functions = [name for name in functions if name not in here]
        if here:
            rows.append((", ".join(f"`{name}`" for name in here), what))
    if functions:
        raise Stale(f"docs/trusted.tsv has no {functions[0]}")
    return rows


def facts(_ksrc, *names):
    kinds = {"attack": [], "bug": [], "c": []}
    for name in names:
        kind, _, name = name.partition(":")
        if kind not in kinds:
            raise Stale(f"there is no kind of fact {kind}")
        kinds[kind].append(name)
    out = []
    for title, rows in (("fails to compile", [attack(name) for name in kinds["attack"]]),
                        ("bug in history", [bug(name) for name in kinds["bug"]]),
                        ("C is trusted", trusted(kinds["c"]))):
        for what, said in rows:
            said = re.sub(r"(?<!\\)\|", r"\\|", said)
            out.append(f"| {title} | {what} | {said} |")
            title = ""
    return "\n".join(["| | | |", "|---|---|---|", *out])


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    ksrc = next((argument for argument in arguments if argument != "--check"), None)
    if ksrc is None:
        ask = ["bash", "-c", ". scripts/lib.sh; pristine"]
        asked = subprocess.run(ask, stdout=subprocess.PIPE, text=True, check=False)
        if asked.returncode:
            return 1
        ksrc = asked.stdout.strip()
    makers, bad = {"CODE": code, "RULE": rule, "FACTS": facts}, []

    def made(marker):
        whole, kind, now = marker.groups()
        try:
            text = makers[kind](ksrc, *shlex.split(whole)[1:])
        except Stale as stale:
            bad.append(f"{DOC}: <!-- {whole} -->: {stale}")
            return marker.group()
        if check and now != text + "\n":
            bad.append(f"{DOC}: stale: <!-- {whole} -->: run make review")
        return f"<!-- {whole} -->\n{text}\n<!-- END -->"

    page = DOC.read_text(encoding="utf-8")
    new = MARKER.sub(made, page)
    ended = [whole for whole, _, _ in MARKER.findall(page)]
    bad += [f"{DOC}: <!-- {whole} -->: has no END" for whole, _ in BEGIN.findall(page) if whole not in ended]
    if not check and not bad:
        DOC.write_text(new, encoding="utf-8")
    if bad:
        print("\n".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
