#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""strip.py: a source without its comments, blank lines and trailing spaces, by its language.

scripts/figures.py compares sources by it. Where a language can't be told for sure (an unfinished string, a here-document),
text is left in: a comment that stays only makes a figure stale that isn't, a string that is lost would hide a change.
tests/host/figures.py tests it. "strip.py FILE..." prints what is left.
"""

import io
import pathlib
import re
import sys
import token
import tokenize

# A string or a character, which stays; a comment; or something else.
C = re.compile(r'''(?P<keep> "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\\n])+' )
                   | (?P<drop> //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) ) | (?P<other> [^"'/]+ | . )''', re.S | re.X)
# A lifetime is no character; block comments nest, so that only their beginning is found here.
RUST = re.compile(r'''(?P<keep> \b[bc]?r(?P<hashes>\#*)".*?"(?P=hashes) | "(?:\\.|[^"\\])*"
                              | '(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|.)|[^'\\\n])' )
                      | (?P<drop> //[^\n]* ) | (?P<nest> /\* ) | (?P<other> [^"'/bcr]+ | \w+ | . )''', re.S | re.X)


def kept(text):
    """Of a string: so that code() leaves its blank lines, and spaces at the end of its lines."""
    return text.replace("\n", "\0\n\0")


def without(pattern, text):
    """Without what the pattern drops; a space stays in its place, as for the compiler."""
    out, at = [], 0
    while at < len(text):
        match = pattern.match(text, at)
        at = match.end()
        if match.lastgroup == "nest":
            depth = 1
            while depth and at < len(text):
                edge = re.compile(r"/\*|\*/").search(text, at)
                at = edge.end() if edge else len(text)
                depth += 0 if not edge else 1 if edge[0] == "/*" else -1
        out.append(kept(match[0]) if match["keep"] else match[0] if match["other"] else " ")
    return "".join(out)


def python(text):
    """Without comments and docstrings, which a tokenizer finds."""
    lines, starts = text.splitlines(keepends=True), [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    changes, first, formats = [], True, []  # whether a string here would be a docstring; where f-strings begin
    try:
        for one in tokenize.generate_tokens(io.StringIO(text).readline):
            begin, end = (starts[row - 1] + column for row, column in (one.start, one.end))
            # From Python 3.12 on an f-string has tokens of its own.
            kind = token.tok_name[one.type]
            if kind == "FSTRING_START":
                formats.append(begin)
            elif kind == "FSTRING_END":
                begin = formats.pop()
                if not formats:
                    changes.append((begin, end, kept(text[begin:end])))
            if formats or kind == "FSTRING_END":
                pass
            elif one.type == tokenize.COMMENT or one.type == token.STRING and first:
                changes.append((begin, end, ""))
            elif one.type == token.STRING:
                changes.append((begin, end, kept(text[begin:end])))
            if one.type in (token.INDENT, token.NEWLINE):
                first = True
            elif one.type not in (tokenize.NL, tokenize.COMMENT, token.DEDENT):
                first = False
    except (tokenize.TokenError, IndentationError, IndexError):
        return text
    for begin, end, new in reversed(changes):
        text = text[:begin] + new + text[end:]
    return text


def shell(text):
    """Without comments: "#" at the start of a word, outside of quotes and here-documents.

    The stack has what is open: '"', "'", "`", "$(", "${", "(", "$((". If something is still open in the end, it was
    not understood, and everything stays.
    """
    out, stack, here, at = [], [], [], 0
    while at < len(text):
        char, top = text[at], stack[-1] if stack else ""
        if top == "'":
            if char == "'":
                stack.pop()
        elif char == "\\":
            out.append(text[at:at + 2])
            at += 2
            continue
        elif top == '"' and char == '"' or top == "`" and char == "`":
            stack.pop()
        elif text.startswith("$((", at):
            stack.append("$((")
            out.append("$((")
            at += 3
            continue
        elif text.startswith("$(", at) or text.startswith("${", at):
            stack.append(text[at:at + 2])
            out.append(text[at:at + 2])
            at += 2
            continue
        elif char == "}" and top == "${":
            stack.pop()
        elif top == "$((":
            if text.startswith("))", at):
                stack.pop()
                out.append("))")
                at += 2
                continue
            if char == "(":
                stack.append("((")
        elif top == "((":
            if char == ")":
                stack.pop()
            elif char == "(":
                stack.append("((")
        elif char in "\"`" or char == "'" and top not in ('"', "${"):
            stack.append(char)
        elif top in ('"', "${"):
            pass
        elif char == "(":
            stack.append("(")
        elif char == ")" and top in ("(", "$("):
            stack.pop()  # else the end of a pattern of case
        elif text.startswith("<<", at) and not text.startswith("<<<", at) and (text[at - 1:at] != "<"):
            word = re.compile(r"<<(-?)[ \t]*(['\"\\]?)([A-Za-z_]\w*)\2").match(text, at)
            if word:
                here.append((word[3], bool(word[1])))
        elif char == "#" and (at == 0 or text[at - 1] in " \t\n;&|()"):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if char == "\n" and here and top not in ("'", '"'):
            end, out_of = at + 1, None
            for name, tabs in here:
                out_of = re.compile(r"^%s%s$" % (r"\t*" if tabs else "", name), re.M).search(text, end)
                if not out_of:
                    return text
                end = out_of.end()
            out.append("\n" + kept(text[at + 1:end]))
            here, at = [], end
            continue
        out.append(kept(char) if top in ("'", '"') else char)
        at += 1
    return text if stack else "".join(out)


def hashes(text):
    """Lines that begin with "#" go, and what follows it if no quote precedes. An option that isn't set is no comment."""
    lines = [line for line in text.splitlines() if not re.match(r"\s*#(?! CONFIG_\w+ is not set$)", line)]
    return "\n".join(re.sub(r"^([^'\"\n]*[^'\"\n\s\\$(])\s+#(?!\w).*$", r"\1", line) for line in lines)


def kconfig(text):
    """Without comments, and without help, which ends at a line that is indented less than its first."""
    out, depth = [], None
    for line in hashes(text).splitlines():
        indent = len(line.expandtabs()) - len(line.expandtabs().lstrip())
        if depth is not None:
            if not line.strip() or depth < 0 or indent >= depth:
                if line.strip() and depth < 0:
                    depth = indent
                continue
            depth = None
        if line.strip() in ("help", "---help---"):
            depth = -1
            continue
        out.append(line)
    return "\n".join(out)


def patch(text):
    """The files, and each hunk before and after: without the text, the line numbers and comments."""
    out = []
    for part in re.split(r"^(?=--- )", text, flags=re.M)[1:]:
        names = re.match(r"--- (\S+).*\n\+\+\+ (\S+)", part)
        if not names:
            out.append(part)
            continue
        name = names[2] if names[2] != "/dev/null" else names[1]
        out.append(f"{names[1]} {names[2]}")
        for hunk in re.split(r"^@@ .*$", part, flags=re.M)[1:]:
            # git's signature, and the next file's header.
            lines = re.split(r"^(?:-- ?$|diff )", hunk, flags=re.M)[0].splitlines()
            for drop, mark in ("+", "-"), ("-", "+"):
                side = "\n".join(line[1:] for line in lines if line[:1] != drop)
                end, begin = side.find("*/"), side.find("/*")
                if end >= 0 and not 0 <= begin < end and language(name) in (c, rust):
                    side = "/*" + side  # it begins within a comment
                out.append(mark + code(name, side))
    return "\n".join(out)


def c(text):
    return without(C, text)


def rust(text):
    return without(RUST, text)


def language(name):
    """The function for a file's language; None if it isn't known."""
    base = name.rsplit("/", 1)[-1]
    for ends, function in (((".rs",), rust), ((".c", ".h", ".S"), c), ((".py",), python), ((".patch",), patch),
                           ((".config", ".kunitconfig", ".toml", ".lock", ".txt", ".gp", "series", "Makefile", "Kbuild"), hashes)):
        if base.endswith(ends):
            return function
    if base.startswith("Kconfig"):
        return kconfig
    if base.endswith(".sh") or base == "init":
        return shell
    return None


def code(name, text):
    strip = language(name)
    lines = (strip(text) if strip else kept(text)).split("\n")
    return "".join(line.rstrip() + "\n" for line in lines if line.strip()).replace("\0", "")


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(code(path, pathlib.Path(path).read_text(encoding="utf-8")), end="")
