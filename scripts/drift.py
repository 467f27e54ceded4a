#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""drift.py KSRC [update]: is the C still the C that the Rust mirrors?

docs/c-to-rust.md has a table for each C file and header, headed by its path. Its first
column names the file's definitions: functions, types, the names in DEFINE_*; one row stands
for the rest (which includes definitions of a header that have no row); of a file without that
row, only some definitions matter. scripts/drift.tsv has
a hash of each one's text, including the comments above it. Prints what has changed,
appeared or vanished in KSRC, and fails if anything has. With "update", writes the hashes
anew, after the changes were reviewed.
"""

import hashlib
import re
import sys

TABLE = "docs/c-to-rust.md"
HASHES = "scripts/drift.tsv"
HEAD = """\
# The C that the Rust mirrors or relies on: file, definition, and a hash of its text. "scripts/drift.py KSRC update" writes this.
"""
REST = "the rest"

# The tokens among which to find the end of a top-level item: a comment, a string, a
# character, a preprocessor line with its continuations, or any other character.
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
    """The text before the first brace, without comments and attributes."""
    bare = COMMENT.sub(" ", item).split("{")[0]
    return re.sub(r"__(attribute__|printf|scanf|acquires|releases|must_hold)\s*\((\([^()]*\)|[^()])*\)", " ", bare)


def is_function(item):
    return "(" in head(item)


def name_of(item):
    """An item's name in the table, or None if it is part of the rest."""
    bare = COMMENT.sub(" ", item).strip()
    macro = re.match(r"(?:static\s+)?(?:DEFINE|LIST)_\w+\s*\(\s*(?:CONFIG_\w+\s*,\s*)?(\w+)[^()]*\)\s*;$", bare)
    if macro:
        return macro.group(1)
    if item.endswith("}"):
        function = re.search(r"(\w+)\s*\(", head(item))
        return function.group(1) if function else None
    kind = re.match(r"(?:typedef\s+)?((?:struct|union|enum)\s+\w+)\s*\{", bare)
    return re.sub(r"\s+", " ", kind.group(1)) if kind else None


def spans(source):
    """(name, or None for a part of the rest; where it begins; where it ends) of the items, with the comment right above each."""
    at, above = 0, None
    for item in items(source):
        begin = source.index(item, at)
        # A comment belongs to the item right below it.
        if above and source[above[1]:begin] != "\n":
            yield None, *above
            above = None
        at = begin + len(item)
        first = above[0] if above else begin
        if item.startswith(("/*", "//")):
            above = first, at
            continue
        yield name_of(item), first, at
        above = None
    if above:
        yield None, *above


def texts(source):
    """The text of each named item, in order, and of the rest."""
    source = re.sub(r"[ \t\r]+$", "", source, flags=re.M)
    named, rest = {}, ""
    for name, begin, end in spans(source):
        if name is None:
            rest += source[begin:end] + "\n"
        else: # twice, if there is an #else
            named[name] = named.get(name, "") + source[begin:end] + "\n"
    named[REST] = rest
    return named


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def tables():
    """{path: {name of C: the cell with its Rust}}, of docs/c-to-rust.md."""
    found, path = {}, None
    with open(TABLE, encoding="utf-8") as table:
        for line in table:
            line = re.sub("</?code>", "`", line.replace("<wbr>", "").replace("\\_", "_"))
            heading = re.match(r"## `(\S+\.[ch])`$", line)
            if heading:
                path = heading.group(1)
                found[path] = {}
            elif line.startswith("## "):
                path = None
            row = re.match(r"\| ((?:`[^`]+`(?:, )?)+) \| ([^|]*) \|", line) if path else None
            for name in re.findall(r"`([^`]+)`", row.group(1)) if row else ():
                found[path][name] = row.group(2)
    return found


def hashes():
    with open(HASHES, encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if not line.startswith("#")]
    return {(path, name): known for path, name, known in rows}


def main():
    ksrc, update = sys.argv[1], sys.argv[2:] == ["update"]
    known, now, drift = hashes(), {}, []
    for path, rows in tables().items():
        with open(f"{ksrc}/{path}", encoding="utf-8") as source:
            found = texts(source.read())
        if REST not in rows:
            found = {name: text for name, text in found.items() if name in rows}
        elif path.endswith(".h"):
            for name in [name for name in found if name not in rows]:
                found[REST] += found.pop(name)
        for name in rows:
            if name not in found:
                drift.append(f"{path}: {name} vanished")
                continue
            now[path, name] = digest(found[name])
            if known.get((path, name)) != now[path, name]:
                drift.append(f"{path}: {name} changed")
        drift += [f"{path}: {name} appeared" for name in found if name not in rows]
    drift += [f"{path}: {name} has a hash, but no row in {TABLE}" for path, name in known if name not in tables().get(path, ())]
    if update:
        with open(HASHES, "w", encoding="utf-8") as table:
            table.write(HEAD + "".join("\t".join((*key, text)) + "\n" for key, text in now.items()))
        drift = [change for change in drift if change.endswith((" vanished", " appeared"))]
    print("\n".join(drift))
    return bool(drift)


if __name__ == "__main__":
    sys.exit(main())
