#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""circles.py: the files of each crate of the policy have no import cycle.

Fails if files of zswap_rs or of swap_cache_rs form a cycle, which it prints, or if one
imports exports.rs, the crate's C ABI. A file imports another if it names it after
"super::" or "crate::", in a "use" or elsewhere, including tests.
"""

import glob
import os
import re
import sys

COMMENT = re.compile(r"//[^\n]*")
# The first names of a path or of a tree of paths that begins at the crate's root.
PATH = re.compile(r"\b(?:super|crate)::(?:(\w+)|\{)")


def names(tree):
    """The first name of each path in a "{...}" of a "use", of which tree is what follows the brace."""
    depth, first, found = 0, True, []
    for token in re.finditer(r"\w+|[{},]|\S", tree):
        text = token.group()
        if text == "{":
            depth += 1
        elif text == "}":
            if depth == 0:
                break
            depth -= 1
        elif text == "," and depth == 0:
            first = True
            continue
        elif depth == 0 and first and re.match(r"\w", text):
            found.append(text)
        first = False
    return found


def imports(path):
    with open(path, encoding="utf-8") as source:
        text = COMMENT.sub("", source.read())
    found = set()
    for use in PATH.finditer(text):
        found.update([use.group(1)] if use.group(1) else names(text[use.end():]))
    return found


def circle(graph):
    """A shortest cycle, as a list of names that ends with the first one again."""
    best = None
    for start in sorted(graph):
        paths, seen = [[start]], {start}
        while paths:
            path = paths.pop(0)
            if start in graph[path[-1]]:
                if best is None or len(path) < len(best):
                    best = path
                break
            for name in sorted(graph[path[-1]] - seen):
                seen.add(name)
                paths.append(path + [name])
    return best and best + best[:1]


def main():
    bad = 0
    for crate in sorted(glob.glob("samples/rust/*_rs")):
        files = {os.path.basename(path)[:-3]: path for path in glob.glob(f"{crate}/*.rs")}
        root = os.path.basename(crate)
        files.pop(root, None)
        graph = {name: imports(path) & set(files) - {name} for name, path in files.items()}
        found = circle(graph)
        if found:
            print(f"{crate}: an import cycle: " + " -> ".join(f"{name}.rs" for name in found))
            bad += 1
        for name in sorted(name for name in graph if "exports" in graph[name]):
            print(f"{crate}/{name}.rs: imports exports.rs, which only C calls")
            bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
