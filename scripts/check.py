#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""check.py WHAT...: checks of scripts/check.sh. Each prints a line for each thing that is wrong, and fails if there is one.

  unsafe        no file of the policy has unsafe code: exports.rs is the C ABI, the only file of a crate that may
  circles       the files of each crate of the policy have no import cycle, and none imports exports.rs. A file imports
                another if it names it after "super::" or "crate::", in a "use" or elsewhere, including tests
  mirrors       docs/c-to-rust.md and the code agree. Each "`file`: `name`, `name`" in the second column of its tables must be
                in that file. A C function that has become one of the policy is named in that file's documentation
                ("Mirrors `zswap_store_page()`"), unless it has kept its name
  words         no retired term of scripts/words.txt. A name in code is found as well, if it is a word by itself
  links         the relative links of the Markdown pages lead to files, and their anchors to headings or to <a id="...">
  targets       docs/commands.md and docs/machines.md name the targets that the Makefile has; README.md names no other
  clippy LOG    clippy's findings in the project's files, including patched ones
  panics BUILD  the panic functions that the project's Rust code, and lz4_flex, refer to: docs/design.md has a reason for
                each caller
"""

import os
import pathlib
import re
import subprocess
import sys


def text_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def line_of(text, at):
    return 1 + text.count("\n", 0, at)


def unsafe():
    for path in sorted(pathlib.Path("samples/rust").rglob("*.rs")):
        allowed = path.name == "exports.rs" or path.parent.name == "core"
        for number, line in enumerate(() if allowed else text_of(path).splitlines(), 1):
            # The root says where it is allowed.
            if re.search(r"\bunsafe\b", re.sub("//.*|unsafe_code", "", line)):
                yield f"{path}:{number}: unsafe in a policy file"


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
    text, found = COMMENT.sub("", text_of(path)), set()
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


def circles():
    for crate in sorted([*pathlib.Path("samples/rust").glob("*_rs"), *pathlib.Path("samples/rust").glob("*_rs/core")]):
        files = {path.stem: path for path in crate.glob("*.rs") if path.stem not in (crate.name, "mod")}
        graph = {name: imports(path) & set(files) - {name} for name, path in files.items()}
        found = circle(graph)
        if found:
            yield f"{crate}: an import cycle: " + " -> ".join(f"{name}.rs" for name in found)
        yield from (f"{crate}/{name}.rs: imports exports.rs, which only C calls" for name in sorted(graph) if "exports" in graph[name])
        if crate.name == "core":
            policy = {path.stem for path in crate.parent.glob("*.rs")} - set(files)
            for path in sorted(files.values()):
                named = set(re.findall(r"\b(?:super::super|crate)::(?:\w+::)*?(\w+)", COMMENT.sub("", text_of(path))))
                yield from (f"{path}: imports {name}.rs, which is policy" for name in sorted(named & policy))


CRATES = {"mm/zswap.c": "samples/rust/zswap_rs", "mm/swap_state.c": "samples/rust/swap_cache_rs"}


def mirrors():
    crate = None
    for line in text_of("docs/c-to-rust.md").splitlines():
        heading = re.match(r"#+ `(\S+\.c)`$", line)
        if heading or line.startswith("## "):
            # Below "What C says in comments" there are other tables.
            crate = CRATES.get(heading.group(1)) if heading and line.startswith("## ") else None
        row = re.match(r"\| `([^`]+)` \| ([^|]*) \|", line) if crate else None
        if not row:
            continue
        function, places = row.groups()
        documented, policy = False, False
        for place in re.finditer(r"`([\w/]+\.(?:rs|c))`: ((?:`[^`]+`(?:, )?)+)", places):
            path, names = place.groups()
            path = path if "/" in path else f"{crate}/{path}"
            if not os.path.exists(path):
                yield f"{function}: there is no {path}"
                continue
            text = text_of(path)
            code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
            for name in re.findall(r"`([^`]+)`", names):
                if not re.search(rf"\b{re.escape(name.split('::')[-1])}\b", code):
                    yield f"{function}: {path} has no {name}"
            if path.startswith(crate) and path.endswith(".rs"):
                policy = True
                documented |= bool(re.search(rf"//[/!].*`{re.escape(function)}(\(\))?`|\bfn {re.escape(function)}\b", text))
        if policy and not documented and re.fullmatch(r"\w+|(struct|enum) \w+", function):
            yield f"{function}: no file of the policy that the map names has it in its documentation"


def words():
    """A space in a term also matches a line break, with the comment marker after it. "A(*SKIP)(*FAIL)|B" is B outside of A."""
    terms, gap = [], r"(?:[ \t]+|[ \t]*\n[ \t]*(?://[/!]?|\*|#)?[ \t]*)"
    for line in text_of("scripts/words.txt").splitlines():
        if not line.startswith("#"):
            term, instead = line.split("\t")
            skipped, _, wanted = term.rpartition("(*SKIP)(*FAIL)|")
            pattern = f"(?P<skipped>{skipped})|(?:{wanted})" if skipped else f"(?P<skipped>(?!))|(?:{wanted})"
            terms.append((re.compile(pattern.replace(" ", gap), re.I), instead))
    places = [*pathlib.Path().glob("*.md"), pathlib.Path("Kconfig"), pathlib.Path("Makefile")]
    for folder in "docs", "rust", "samples", "tests", "scripts", "include", "bench", "patches":
        places += [path for path in pathlib.Path(folder).rglob("*") if "target" not in path.parts and path.is_file() and (
            path.suffix in (".md", ".rs", ".c", ".h", ".sh", ".py", ".svg", ".tsv", ".litmus") or path.name in ("Kconfig", "Makefile"))]
    for path in sorted(places):
        text = text_of(path)
        for term, instead in terms:
            for found in term.finditer(text):
                if found["skipped"] is None:
                    shown = re.sub(r"\s*\n\s*(?://[/!]?|\*|#)?\s*", " ", found[0])
                    yield f'{path}:{line_of(text, found.start())}: "{shown}": write {instead}'


def page(path):
    """A page, whose code blocks are blank."""
    return re.sub(r"^```.*?^```$", lambda code: "\n" * code[0].count("\n"), text_of(path), flags=re.M | re.S)


def anchors(path):
    seen, found = {}, set()
    for line in page(path).splitlines():
        found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1])).lower().replace(" ", "-")
            found.add(f"{name}-{seen[name]}" if seen.get(name) else name)
            seen[name] = seen.get(name, 0) + 1
    return found


def links():
    pages = [*pathlib.Path().glob("*.md")]
    for folder in "docs", "bench", "patches", "samples", "tests":
        pages += [path for path in pathlib.Path(folder).rglob("*.md") if "target" not in path.parts]
    known = {}
    for path in sorted(pages):
        text = page(path)
        for found in re.finditer(r"\]\(([^)\s]+)\)", text):
            if re.match("[a-z]+:", found[1]):
                continue
            file, _, anchor = found[1].partition("#")
            to = pathlib.Path(os.path.normpath(path.parent / file)) if file else path
            if not to.exists():
                yield f"{path}:{line_of(text, found.start())}: ({found[1]}): there is no such file"
            elif anchor and anchor not in known.setdefault(to, anchors(to) if to.is_file() else ()):
                yield f"{path}:{line_of(text, found.start())}: ({found[1]}): there is no such heading"


def listed(text):
    """The targets of "make a", and of "make a`, `b`, `c": the names that follow in the same list."""
    for found in re.finditer(r"`(?:IMPL=c )?make (?:-s )?([a-z-]+)[^`]*`((?:,? (?:and )?`[a-z-]+`)*)", re.sub(r"\s+", " ", text)):
        yield from (found[1], *re.findall("`([a-z-]+)`", found[2]))


def targets():
    def differ(where, has, wants):
        yield from (f"{where} lacks make {name}" for name in sorted(wants - has))
        yield from (f"{where} has make {name}, which the Makefile hasn't" for name in sorted(has - wants))

    makefile, docs = text_of("Makefile"), text_of("docs/commands.md")
    variables = {name: value.split() for name, value in re.findall(r"^(\w+) := (.*)", makefile, re.M)}
    rules = {name for names in re.findall(r"^([a-z -]+):(?!=)", makefile, re.M) for name in names.split() if not name.endswith("-input")}
    rules |= set(variables["experiments"])
    yield from differ("make help", set(re.findall("^## ([a-z-]+): ", makefile, re.M)), rules)
    prose = docs.split("\n## Every day")[1].split("\n## Variables")[0]
    yield from differ("docs/commands.md", {"help", *re.findall(r"\*\*`make (?:-s )?([a-z-]+)`\*\*", prose)}, rules)
    x86 = {*variables["experiments"], *re.search(r"^of_x86 := \$\(filter \$\(experiments\) (.*),", makefile, re.M)[1].split()}
    machines = re.search(r"^- Targets that exist for x86-64 only.*?(?=They refuse)", text_of("docs/machines.md"), re.M | re.S)
    yield from differ("docs/machines.md", set(listed(machines[0])), x86)
    yield from (f"README.md has make {name}, which the Makefile hasn't" for name in sorted(set(listed(text_of("README.md"))) - rules))
    table = docs.split("\n## Variables")[1].split("\n## ")[0]
    yield from (f"the table of variables in docs/commands.md lacks {name}" for line in re.findall("^##= (.*?): ", makefile, re.M)
                for name in re.findall(r"([A-Z_]+)=", line) if f"{name}=" not in table)


def clippy(log):
    ours, what = set(text_of("build/overlay/manifest").splitlines()), ""
    for line in pathlib.Path(log).read_text(encoding="utf-8", errors="replace").splitlines():
        if re.match("warning|error", line):
            what = line
        place = re.match(r" +--> (?:\S*?build/src/)?(\S+?):(\d+)", line)
        if place and what and place[1] in ours:
            yield f"{place[1]}:{place[2]}: {what}"
            what = ""


def callers(path, ours):
    """The pairs of a function for which ours() holds and a panic function."""
    text = subprocess.run(["llvm-objdump", "-dr", "--demangle", "--no-show-raw-insn", path],
                          check=True, capture_output=True, text=True).stdout
    caller = ""
    for line in text.splitlines():
        start = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if start:
            caller = start.group(1)
        panic = re.search(r"R_\S+\s+(core::\S*(?:panic|_fail)\S*?|\S*unwrap_failed|\S*expect_failed|rust_panic\S*)([-+]0x\w+)?$", line)
        if panic and ours(caller):
            yield caller, panic.group(1)


def panics(build):
    # The project's modules of the kernel crate, as in symbol names: each file, and the XArray, which a patch changes.
    names = ["xarray", *("::".join(path.relative_to("rust/kernel").with_suffix("").parts) for path in pathlib.Path("rust/kernel").rglob("*.rs"))]
    modules = re.compile(r"kernel::(" + "|".join(map(re.escape, names)) + r")::")
    found = set(callers(f"{build}/rust/kernel.o", modules.search))
    for path in "zswap_rs/zswap_rs", "swap_cache_rs/swap_cache_rs", "lz4_rs/lz4_rs", "lz4_rs/lz4_flex":
        found |= set(callers(f"{build}/samples/rust/{path}.o", lambda f: True))
    found = {pair for pair in found if "::tests::" not in pair[0]}
    reasons = set(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", text_of("docs/design.md"), re.M))
    yield from (f"{caller} reaches {panic}: not in docs/design.md" for caller, panic in sorted(found - reasons))
    yield from (f"{caller} no longer reaches {panic}: take it out of docs/design.md" for caller, panic in sorted(reasons - found))


def main(what="", *arguments):
    checks = {"unsafe": unsafe, "circles": circles, "mirrors": mirrors, "words": words, "links": links, "targets": targets, "clippy": clippy,
              "panics": panics}
    if what not in checks:
        sys.exit(f"usage: check.py {' | '.join(checks)}")
    wrong = list(checks[what](*arguments))
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
