#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""check.py WHAT...: checks of scripts/check.sh. Each prints a line for each thing that is wrong, and fails if there is one.

  unsafe        no file of the policy has unsafe code: only exports.rs, the C ABI, and zswap's core may. The root of each
                crate denies it, forbids it in each module of the policy, and allows it in these two. Nothing else in a root
                overrides that, or defines a macro. No file of the policy has the usual shape of two bugs of rustc
  circles       the files of each crate, and those that the project adds to rust/kernel, have no import cycle. A file
                imports another if it names it after "super::", "crate::" or "kernel::", in a "use" or elsewhere,
                including tests
  floors        draws the floors: the C kernel, the abstractions in rust/kernel, zswap's core, the policy, the C ABI. No
                file imports one of a floor above, nor one that its root lists below it. No abstraction names zswap
                without a reason in ZSWAP, or imports one that is built for zswap only, and no crate has an option of the
                other
  single        a trait with one implementor, or a macro with one user, says why it stays: "One implementor: ..." or "One
                user: ..." in a comment above it. Prints those. Tests and examples don't count
  lengths       a file of more than 700 lines says why: "Over 700 lines: ..." in a comment. README.md has at most 100 lines,
                and 750 words with its marks; a line of its code has at most 95 characters
  success       each function of tests/paths.tsv is in its file. Prints the number of files of each success path
  mirrors       docs/c-to-rust.md and the code agree. Each "`file`: `name`, `name`" in the second column of its tables must be
                in that file. A C function that has become one of the policy is named in that file's documentation
                ("Mirrors `zswap_store_page()`"), unless it has kept its name. Each function of C has its Rust there, and each item
                of Rust its C, or a reason why not; each access to an atomic has a reason for its order in docs/atomics.tsv; docs/review.md names what is there
  words         no retired term of scripts/words.txt. A name in code is found as well, if it is a word by itself
  links         the relative links of the Markdown pages lead to files, and their anchors to headings or to <a id="...">
  size          the words of README.md, CONTRIBUTING.md and docs/, outside of code and generated blocks: no page has more than its
                budget. No generated table of a page has more than 40 rows
  targets       "make help" and docs/commands.md have the targets of the Makefile, and no page names another. The table of
                variables in docs/commands.md has those of scripts/input.sh, with the same targets
  clippy LOG    clippy's findings in the project's files, including patched ones
  panics BUILD  the panic functions that the project's Rust code, and lz4_flex, refer to: docs/panics.tsv has a reason for
                each caller
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

import compare
import sources


def text_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def line_of(text, at):
    return 1 + text.count("\n", 0, at)


COMMENT = re.compile(r"//[^\n]*")
SAMPLES = pathlib.Path("samples/rust")


# forbid(unsafe_code) does not see these in a policy file.
BESIDE_FORBID = [
    (r"unsafe(?!_code)", "unsafe"),  # also in a macro's name: kunit_unsafe_test_suite!
    (r"\bbitfield\b", "bitfield!, which makes a zero of any type,"),
    (r"\binclude\b|\bpath\s*=(?! \"core/mod\.rs\"\])", "a file that is not checked"),
    (r"&'\w+\s+\(?\s*&'|for\s*<[^>]*>\s*fn\s*\(\s*_", "a shape by which rustc's bug 25860 extends a lifetime"),
    (r"\?\s*Sized", "?Sized, by which rustc's bug 57893 transmutes,"),
]
# A root's modules are forbidden to have unsafe code, but not the root: there "deny" can be overridden. A macro that it
# defines can replace one of the same name in core/.
NOT_IN_ROOT = r"unsafe|\b(?:mod|paste|macro_rules|macro_use)\b"


def unsafe():
    for path in sorted(SAMPLES.rglob("*.rs")):
        allowed = re.fullmatch(r"\w+_rs/exports\.rs|zswap_rs/core/\w+\.rs", str(path.relative_to(SAMPLES)))
        for number, line in enumerate(() if allowed else text_of(path).splitlines(), 1):
            # Not in the rest of a line, where the slashes may be in a string.
            line = re.sub(r"^\s*//.*", "", line)
            yield from (f"{path}:{number}: {what} in a policy file" for shape, what in BESIDE_FORBID if re.search(shape, line))
    module = re.compile(r"^((?:#\[[^\n]*\]\n)*)mod (\w+);\n", re.M)
    for root in sorted(pathlib.Path("samples/rust").glob("*_rs/*_rs.rs")):
        text = re.sub(r"^//.*\n", "", text_of(root), flags=re.M)
        if "\n#![deny(unsafe_code)]\n" not in text:
            yield f"{root}: lacks #![deny(unsafe_code)]"
        for attributes, name in module.findall(text):
            wanted = f"#[{'allow' if name in ('exports', 'zswap_core') else 'forbid'}(unsafe_code)]"
            others = [line for line in attributes.splitlines() if not re.fullmatch(r'#\[(cfg\(\w+\)|path = "core/mod\.rs")\]', line)]
            if others != [wanted]:
                yield f"{root}: mod {name} needs {wanted} and no other attribute but cfg"
        rest = module.sub("", text.replace("\n#![deny(unsafe_code)]\n", "\n", 1))
        yield from (f"{root}: {found} in a crate's root" for found in sorted(set(re.findall(NOT_IN_ROOT, rest))))


# From here on a file has only tests.
TESTS = re.compile(r"^#\[cfg\(CONFIG_\w+_KUNIT_TEST\)\]\n", re.M)
PATH = re.compile(r"(?<![\w:])\$?(?:crate|kernel|super)::")


def code_of(path, tests=True):
    text = COMMENT.sub("", text_of(path))
    return text if tests else TESTS.split(text)[0]


def paths(text):
    """Each path that begins with crate, kernel or super, as a list of names. A tree of paths counts as its leaves."""
    for start in PATH.finditer(text):
        stack, path, after = [], [], True
        for token in re.compile(r"\w+|::|[{},]|\S").findall(text[start.start():start.start() + 4000].lstrip("$")):
            if re.match(r"\w", token) and after:
                path.append(token)
            elif token == "{" and after and path:
                stack.append(path[:])
            elif token in ",}" and stack:
                yield path
                path = stack.pop()[:] if token == "}" else stack[-1][:]
            elif token != "::" and not stack:
                break
            after = token in ("::", "{", ",")
            if token == "}" and not stack:
                break
        yield path


def modules():
    """The project's modules, by their path of names, and the macros that they export."""
    found, macros = {}, {}
    for path in [*pathlib.Path("rust/kernel").rglob("*.rs"), *SAMPLES.glob("*_rs/*.rs"), *SAMPLES.glob("*_rs/core/*.rs")]:
        names = path.with_suffix("").parts[1 if path.parts[0] == "rust" else 2:]
        # crypto.rs has the modules crypto::*; mod.rs and a crate's root only name the files of their folder.
        if path.stem != "mod" and path.stem != path.parent.name:
            found[tuple("zswap_core" if name == "core" else name for name in names)] = path
        for macro in re.findall(r"#\[macro_export\]\nmacro_rules! (\w+)", text_of(path)):
            macros[macro] = path
    return found, macros


def imports():
    """For each of the project's files the others that it names, wherever it does, including tests."""
    found, macros = modules()
    graph = {}
    for module, path in found.items():
        graph[path] = set()
        for names in paths(code_of(path)):
            ups = names.count("super")
            rest = [name for name in names if name not in ("crate", "kernel", "super")]
            roots = [module[:-up] for up in range(1, ups + 1)] or [("kernel",) if "kernel" in names else module[:1]]
            known = [found[key] for root in roots for end in range(len(rest), 0, -1) if (key := (*root, *rest[:end])) in found]
            known += [macros[rest[0]]] if not ups and rest and rest[0] in macros else []
            graph[path].update(known[:1])
        graph[path].discard(path)
    return graph


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
    graph = imports()
    for folder in sorted({path.parts[:3] if path.parts[0] == "samples" else path.parts[:2] for path in graph}):
        files = {path for path in graph if path.parts[:len(folder)] == folder}
        found = circle({path: graph[path] & files for path in files})
        if found:
            yield f"{'/'.join(folder)}: an import cycle: " + " -> ".join(map(str, found))


FLOORS = ["rust/kernel", "core", "policy", "C ABI"]
# What of zswap files of rust/kernel name, and why.
ZSWAP = [
    (".*", r"CONFIG_ZSWAP_RUST_KUNIT_TEST", "one option for the suites of all files"),
    ("crypto", r"CONFIG_ZSWAP_RUST", "a module that is built with its only user"),
    ("race", r"CONFIG_ZSWAP_RACE_POINTS|zswap_race_\w+", "what C's tests define"),
    ("mm/swap_cluster", r"Zswap|swap_slots_in_zswap", "the one backing of slots that isn't their device"),
    ("mm/swap_cluster", r"CONFIG_ZSWAP_LARGE_SWAPIN|zswap_\w+|seems_in_zswap", "what the swap cache asks of zswap alone"),
    ("mm/swap_add", r"Zswap|fill_from_zswap|swap_fill_from_zswap", "a folio for such slots"),
    ("mm/memcontrol", r"\w+", "C's memory cgroups have functions and counters for zswap alone"),
    ("mm/vmstat", r"CONFIG_ZSWAP", "C has these events only with it"),
    ("mm/folio", r"CONFIG_ZSWAP_RUST", "methods that only zswap calls: dead code without it"),
]


def floor(path):
    return 0 if path.parts[0] == "rust" else 1 if path.parent.name == "core" else 3 if path.stem == "exports" else 2


def gates():
    """The option under which each module of rust/kernel is compiled, of those that the patches add with one."""
    found = {}
    for patch in sorted(pathlib.Path("patches").glob("0*.patch")):
        for part in re.split(r"^\+\+\+ b/", text_of(patch), flags=re.M)[1:]:
            folder = pathlib.Path(part.split("\n")[0].removesuffix("lib.rs").removesuffix(".rs"))
            for option, name in re.findall(r"^[ +]#\[cfg\((CONFIG_\w+)\)\]\n\+pub mod (\w+);", part, re.M):
                found[folder / f"{name}.rs"] = option
    return found


def drawn(graph):
    """Prints the floors, from the top. "<" is between files that import some before it and those."""
    for level in reversed(range(len(FLOORS))):
        for crate in sorted({path.parts[:3] for path in graph if floor(path) == level and level}) or [("rust", "kernel")]:
            files = {path for path in graph if floor(path) == level and path.parts[:len(crate)] == crate}
            rows, left = [], set(files)
            while left:
                row = {path for path in left if not graph[path] & left} or left
                rows.append(" ".join(sorted(path.stem for path in row)))
                left -= row
            print(f"{FLOORS[level]:<12} {crate[-1]}: " + " < ".join(rows))
    print(f"{'C':<12} kernel")


def floors():
    graph, options = imports(), gates()
    drawn(graph)
    for path, named in sorted(graph.items()):
        for other in sorted(named):
            if floor(other) > floor(path) or floor(path) == floor(other) == 3:
                yield f"{path}: imports {other}, of the floor above: {FLOORS[floor(other)]}"
            if options.get(other) == "CONFIG_ZSWAP_RUST" != options.get(path, "CONFIG_ZSWAP_RUST"):
                yield f"{path}: imports {other}, which only zswap is built with"
        code = code_of(path)
        if floor(path) == 0:
            name = str(path.relative_to("rust/kernel").with_suffix(""))
            allowed = [words for where, words, _ in ZSWAP if re.fullmatch(where, name)]
            found = {word for word in re.findall(r"\w*zswap\w*", code, re.I) if not any(re.fullmatch(words, word) for words in allowed)}
            if found:
                yield f"{path}: no reason in scripts/check.py for {', '.join(sorted(found))}"
        elif other := re.search("CONFIG_SWAP_CACHE_RUST" if path.parts[2] == "zswap_rs" else r"CONFIG_ZSWAP(?!_LARGE_SWAPIN\b)\w*", code):
            if path.parts[2] in ("zswap_rs", "swap_cache_rs"):
                yield f"{path}: {other[0]} is an option of the other crate"
    # "Files, bottom up" of a root's documentation is the order.
    for root in sorted([*SAMPLES.glob("*_rs/*_rs.rs"), *SAMPLES.glob("*_rs/core/mod.rs")]):
        if "//! # Files, bottom up\n" not in text_of(root):
            continue
        lines = text_of(root).split("//! # Files, bottom up\n")[1].split("\n//! # ")[0]
        order = [name for line in re.findall(r"^//! - (.*?):", lines, re.M) for name in re.findall(r"`(\w+)`", line)]
        files = {path.stem: path for path in graph if path.parent == root.parent}
        for name in sorted({*files, *(["zswap_core"] if (root.parent / "core").exists() else [])} ^ set(order)):
            yield f"{root}: its list of files lacks {name}" if name in files else f"{root}: its list has {name}, which is no file"
        for name, path in files.items():
            below = {"zswap_core" if other.parent != root.parent else other.stem for other in graph[path] if root.parent in other.parents}
            yield from (f"{path}: imports {other}, which is not above it in the list of {root}" for other in sorted(below)
                        if {name, other} <= set(order) and order.index(other) > order.index(name))


def reason(text, at, mark):
    """What a comment with this mark says, in those right above."""
    above = []
    for line in reversed(text[:at].splitlines()):
        if not re.match(r"\s*(//|#\[)", line):
            break
        above.insert(0, re.sub(r"^\s*//[/!]? ?", "", line))
    found = re.search(mark + r" (.*?)(?:\n#|\n\n|\Z)", "\n".join(above), re.S)
    return found and " ".join(found[1].split())


def single():
    sources = sorted([*pathlib.Path("rust").rglob("*.rs"), *SAMPLES.rglob("*.rs")])
    code = {path: re.sub(r'"[^"\n]*"', "", code_of(path, tests=False)) for path in sources}
    for path in sources:
        text = text_of(path)
        for found in re.finditer(r"^[ \t]*(?:pub(?:\(\w+\))? )?(?:unsafe )?(trait|macro_rules!) (\w+)", text, re.M):
            kind, name = found.groups()
            use = rf"(?<!\w){name}!" if kind != "trait" else rf"\bimpl\b[^{{;]*\b{name}(?:<[^{{;]*>)?\s+for\b"
            mark = "One implementor:" if kind == "trait" else "One user:"
            if sum(len(re.findall(use, other)) for other in code.values()) > 1:
                continue
            why = reason(text, found.start(), mark)
            print(f"{path}: {name}: {why}" if why else "", end="\n" if why else "")
            if not why:
                yield f'{path}: {kind} {name} has at most one {"implementor" if kind == "trait" else "user"}: a comment "{mark} ..." says why it stays'


def lengths():
    for path in sorted(path for folder in ("rust", "samples") for path in pathlib.Path(folder).rglob("*.[rch]*")):
        lines = text_of(path).splitlines()
        why = next((line for line in lines if re.match(r"\W*Over 700 lines: ", line)), None)
        if len(lines) > 700 and not why:
            yield f'{path}: {len(lines)} lines: split it, or a comment "Over 700 lines: ..." says why not'
        elif len(lines) <= 700 and why:
            yield f'{path}: {len(lines)} lines: "{why.strip()}" is no longer true'
    text = text_of("README.md")
    code = "".join(re.findall(r"^```.*?\n(.*?)^```$", text, re.M | re.S))
    for what, found, most in (("lines", text.count("\n"), 100), ("words", len(text.split()), 750),
                              ("characters in a line of code", max(map(len, code.splitlines()), default=0), 95)):
        if found > most:
            yield f"README.md: {found} {what}, more than {most}"


def success():
    files, named = collections.Counter(), {}
    for line in text_of("tests/paths.tsv").splitlines():
        if line.startswith("#"):
            continue
        path, file, names = line.split("\t")
        files[path] += 1
        if file not in named:
            named[file] = {name for name, _, _ in sources.functions(file)} if pathlib.Path(file).exists() else set()
        yield from (f"tests/paths.tsv: {path}: {file} has no {name}()" for name in names.split() if name not in named[file])
    print(", ".join(f"{path} {count}" for path, count in files.items()))


def mirrors():
    yield from compare.unmatched()
    yield from compare.unreasoned()
    yield from compare.missing()
    for source, crate in compare.CRATES.items():
        for function, (where, _) in compare.mapped()[0][source].items():
            texts = [text_of(file) for file in {file for file, _ in compare.named(source, where)}
                     if file.startswith(crate) and file.endswith(".rs") and os.path.exists(file)]
            documented = any(re.search(rf"//[/!].*`{re.escape(function)}(\(\))?`|\bfn {re.escape(function)}\b", text) for text in texts)
            if texts and not documented and re.fullmatch(r"\w+|(struct|enum) \w+", function):
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
            path.suffix in (".md", ".rs", ".c", ".h", ".sh", ".py", ".svg", ".tsv", ".litmus", ".patch") or path.name in ("Kconfig", "Makefile"))]
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


# Generated parts of a page, code, and comments: not counted as words, but looked at for long tables. A page without a budget is
# all generated, or a letter about a bug.
GENERATED = re.compile(r"<!-- ([^>]*): BEGIN -->\n.*?<!-- \1: END -->", re.S)
ROWS, LETTER, GENERATED_PAGES = 40, 250, ("results.md", "attacks.md")
BUDGET = {"README.md": 750, "CONTRIBUTING.md": 900, "docs/c-to-rust.md": 2200, "docs/commands.md": 1810, "docs/compressors.md": 700,
          "docs/design.md": 2400, "docs/differences.md": 1800, "docs/kunit.md": 1650, "docs/large-swapins.md": 600, "docs/own-kernel.md": 700, "docs/performance.md": 1645,
          "docs/races.md": 1400, "docs/review.md": 1650, "docs/safety.md": 1300, "docs/status.md": 1200, "docs/testing.md": 1400,
          "docs/tracing.md": 500, "docs/upstream/README.md": 1250}
PAGES = [pathlib.Path("README.md"), pathlib.Path("CONTRIBUTING.md"), *sorted(pathlib.Path("docs").rglob("*.md"))]


def size():
    total = 0
    for path in PAGES:
        if path.name in GENERATED_PAGES:
            continue
        most = BUDGET.get(str(path), LETTER if path.parent.name == "upstream" else 0)
        text = text_of(path)
        prose = re.sub(r"<!--.*?-->", "", re.sub(r"^ *```.*?^ *```$", "", GENERATED.sub("", text), flags=re.S | re.M), flags=re.S)
        words = len(re.findall(r"\w[^\s|]*", prose))
        total += words
        print(f"{words:6} of {most:4}  {path}")
        if words > most:
            yield f"{path}: {words} words, more than its {most}" + (": give it a budget in scripts/check.py" if not most else "")
        for block in GENERATED.finditer(text):
            for table in re.finditer(r"(?:^\|.*\n)+", block[0], re.M):
                rows = table[0].count("\n") - 2
                if rows > ROWS:
                    yield f"{path}:{line_of(text, block.start() + table.start())}: a generated table of {rows} rows, more than {ROWS}"
    print(f"{total:6}  words outside of code and generated blocks, in {len(PAGES)} pages")


def listed(text):
    """The targets of "make a", and of "make a`, `b`, `c": the names that follow in the same list; and those in blocks of code."""
    for found in re.finditer(r"`(?:IMPL=c )?make (?:-s )?([a-z][a-z-]*)[^`]*`((?:,? (?:and )?`[a-z-]+`)*)", re.sub(r"\s+", " ", text)):
        yield from (found[1], *re.findall("`([a-z][a-z-]*)`", found[2]))
    for code in re.findall("^```.*?^```", text, re.M | re.S):
        yield from re.findall(r"^(?:[A-Z_]+=\S+ )*make (?:-s )?([a-z][a-z-]*)", code, re.M)


def targets():
    def differ(where, what, has, wants):
        yield from (f"{where} lacks {what}{name}" for name in sorted(wants - has))
        yield from (f"{where} has {what}{name}, which the Makefile or scripts/input.sh hasn't" for name in sorted(has - wants))

    makefile, docs = text_of("Makefile"), text_of("docs/commands.md")
    rules = {name for names in re.findall(r"^([a-z -]+):(?!=)", makefile, re.M) for name in names.split()} - {"input"}
    phony = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)", makefile, re.M)[1].replace("\\", "").split()
    yield from differ(".PHONY", "", {*phony} - {"input"}, rules)
    yield from differ("make help", "make ", {*re.findall("^## ([a-z-]+): ", makefile, re.M)}, rules)
    block = re.search("<!-- COMMANDS: BEGIN -->(.*?)<!-- COMMANDS: END -->", docs, re.S)[1]
    yield from differ("docs/commands.md", "make ", {*re.findall(r"^\| `make ([a-z-]+)`", block, re.M)}, rules)
    for path in PAGES:
        yield from differ(path, "make ", {*listed(text_of(path))} | rules, rules)

    takes, shown = {}, set()
    for line in subprocess.run("scripts/input.sh", check=True, capture_output=True, text=True).stdout.splitlines():
        goal, *names = line.split()
        for name in names:
            takes.setdefault(name, set()).add(goal)
    table = docs.split("\n## Variables")[1].split("\n## ")[0].replace("<wbr>", "")
    for variables, goals in re.findall(r"^\| (.*?) \| .* \| (.*?) \|$", table, re.M):
        names, goals = re.findall(r"([A-Z_]+)=", variables), {*re.findall("`([a-z-]+)[ `]", goals)}
        shown |= {*names}
        if goals:
            yield from differ(f"docs/commands.md: the row of {' '.join(names)}", "", goals, set().union(*(takes.get(name, set()) for name in names)))
    yield from differ("the table of variables in docs/commands.md", "", shown, {*takes})
    yield from differ("make help", "", {*re.findall(r"([A-Z_]+)=", "\n".join(re.findall("^##=? (.*)", makefile, re.M)))}, {*takes})


def clippy(log):
    ours, what = set(text_of("build/overlay/manifest").splitlines()), ""
    for line in pathlib.Path(log).read_text(encoding="utf-8", errors="replace").splitlines():
        if re.match("warning|error", line):
            what = line
        place = re.match(r" +--> (?:\S*?build/src/)?(\S+?):(\d+)", line)
        # An unsafe extern block has something to justify, whatever clippy says.
        if place and what and place[1] in ours and "extern block has unnecessary safety" not in what:
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
    # The callers of core's own functions are listed themselves.
    found = {pair for pair in found if "::tests::" not in pair[0] and not pair[0].startswith("core::panicking::")}
    reasons = {tuple(line.split("\t")[:2]) for line in text_of("docs/panics.tsv").splitlines() if not line.startswith("#")}
    yield from (f"{caller} reaches {panic}: not in docs/panics.tsv" for caller, panic in sorted(found - reasons))
    yield from (f"{caller} no longer reaches {panic}: take it out of docs/panics.tsv" for caller, panic in sorted(reasons - found))


CHECKS = {function.__name__: function for function in (unsafe, circles, floors, single, lengths, success, mirrors, words, links, targets, size)}
WITH_ARGUMENT = {"clippy": clippy, "panics": panics}


def main(*what):
    if len(what) == 2 and what[0] in WITH_ARGUMENT:
        wrong = list(WITH_ARGUMENT[what[0]](what[1]))
    elif what and set(what) <= set(CHECKS):
        wrong = [line for name in what for line in CHECKS[name]()]
    else:
        sys.exit(f"usage: check.py {'|'.join(CHECKS)}... or {'|'.join(WITH_ARGUMENT)} FILE")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
