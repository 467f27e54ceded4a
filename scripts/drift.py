#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""drift.py KSRC [update]: is the C still what the Rust was written from?

docs/c-to-rust.md has a table for each C file and header, headed by its path. Its rows
name what the file defines: functions, types, DEFINE_*; one row is the rest. (Of a
header, in which most is C's own, also what has no row.) Each
ends with a hash of the C text, comments above it included. Prints what has changed,
appeared or vanished in KSRC, and fails if anything has. With "update", writes the
hashes of the rows anew, once the changes were reviewed.
"""

import hashlib
import re
import sys

TABLE = "docs/c-to-rust.md"
REST = "the rest"

# What the end of a top-level item is looked for in: a comment, a string, a character, a
# preprocessor line with its continuations, or any one character.
TOKEN = re.compile(r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
                   | (?<![^\n])[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])* | .""", re.S | re.X)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def items(text):
    """The top-level items of a C file: each comment, preprocessor line and definition."""
    start, depth, body = None, 0, False
    for token in TOKEN.finditer(text):
        token_text = token.group()
        if start is None:
            if token_text.isspace():
                continue
            if token_text.lstrip().startswith(("/*", "//", "#")):
                yield token_text
                continue
            start, body = token.start(), False
        if token_text in "({[":
            # A body follows a parameter list, so that no "=" precedes it.
            body |= token_text == "{" and depth == 0 and "=" not in text[start:token.start()]
            depth += 1
        elif token_text in ")}]":
            depth -= 1
        if depth == 0 and (token_text == ";" or token_text == "}" and body
                           and is_function(text[start:token.start()])):
            yield text[start:token.end()]
            start = None
    if start is not None:
        yield text[start:]


def head(item):
    """What precedes the first brace, without comments and attributes."""
    bare = COMMENT.sub(" ", item).split("{")[0]
    return re.sub(r"__(attribute__|printf|scanf|acquires|releases|must_hold)\s*\((\([^()]*\)|[^()])*\)", " ", bare)


def is_function(item):
    return "(" in head(item)


def name_of(item):
    """What an item is called in the table, or None if it is part of the rest."""
    bare = COMMENT.sub(" ", item).strip()
    macro = re.match(r"(?:static\s+)?((?:DEFINE|LIST)_\w+)\s*\(\s*(?:CONFIG_\w+\s*,\s*)?(\w+)[^()]*\)\s*;$", bare)
    if macro:
        return "%s(%s)" % macro.groups()
    if item.endswith("}"):
        function = re.search(r"(\w+)\s*\(", head(item))
        return function.group(1) if function else None
    kind = re.match(r"(?:typedef\s+)?((?:struct|union|enum)\s+\w+)\s*\{", bare)
    return re.sub(r"\s+", " ", kind.group(1)) if kind else None


def texts(source):
    """The text of each named item, in order, and of the rest."""
    source = re.sub(r"[ \t\r]+$", "", source, flags=re.M)
    named, rest, at, above = {}, "", 0, ""
    for item in items(source):
        begin = source.index(item, at)
        gap, at = source[at:begin], begin + len(item)
        # A comment belongs to what it is right above of.
        if above and gap != "\n":
            rest += above
            above = ""
        if item.startswith(("/*", "//")):
            above += item + "\n"
            continue
        name = name_of(item)
        if name is None:
            rest += above + item + "\n"
        else: # twice, if there is an #else
            named[name] = named.get(name, "") + above + item + "\n"
        above = ""
    named[REST] = rest + above
    return named


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def tables(lines):
    """The rows of each table, by the path above it: what they name, the known hash, the line."""
    rows, path = {}, None
    for number, line in enumerate(lines):
        heading = re.match(r"## `(\S+\.[ch])`$", line)
        if heading:
            path = heading.group(1)
            rows[path] = {}
        elif line.startswith("## "):
            path = None
        row = re.match(r"\| `([^`]+)` \|.*\| `([0-9a-f]*)` \|$", line) if path else None
        if row:
            rows[path][row.group(1)] = (row.group(2), number)
    return rows


def main():
    ksrc, update = sys.argv[1], sys.argv[2:] == ["update"]
    with open(TABLE, encoding="utf-8") as table:
        lines = table.read().splitlines()
    drift = []
    for path, rows in tables(lines).items():
        with open(f"{ksrc}/{path}", encoding="utf-8") as source:
            found = texts(source.read())
        if path.endswith(".h"):
            for name in [name for name in found if name not in rows]:
                found[REST] += found.pop(name)
        for name, (known, number) in rows.items():
            if name not in found:
                drift.append(f"{path}: {name} vanished")
            elif digest(found[name]) != known:
                drift.append(f"{path}: {name} changed")
                line = lines[number]
                lines[number] = f"{line[:line.rindex('| `')]}| `{digest(found[name])}` |"
        drift += [f"{path}: {name} appeared" for name in found if name not in rows]
    if update:
        with open(TABLE, "w", encoding="utf-8") as table:
            table.write("\n".join(lines) + "\n")
        drift = [change for change in drift if not change.endswith(" changed")]
    print("\n".join(drift))
    return bool(drift)


if __name__ == "__main__":
    sys.exit(main())
