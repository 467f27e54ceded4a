#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes build/compare.html, the C beside the Rust, which a browser shows from disk. check.py has it find each function of C without
Rust, and each item of Rust without C, that has no reason in docs/c-to-rust.md.

What belongs together is found here: a C function and the items of Rust that docs/c-to-rust.md names or that say "Mirrors
`name()`"; mutants, by the lines that they change; race points, by their names; tests, attacks and past bugs, by the names that
they contain. scripts/compare.html draws it."""

import collections
import functools
import html
import json
import pathlib
import re
import time

import drift
import sources

OUT, TEMPLATE = pathlib.Path("build/compare.html"), pathlib.Path("scripts/compare.html")
C, SRC = pathlib.Path("build/overlay/c"), pathlib.Path("build/src")  # the C as the kernel has it; the kernel with the project
MAP, ATOMICS, RACES = map(pathlib.Path, ("docs/c-to-rust.md", "docs/atomics.tsv", "docs/races.md"))
# Where the files without a folder in a table of MAP are.
CRATES = {"mm/zswap.c": "samples/rust/zswap_rs/", "mm/swap_state.c": "samples/rust/swap_cache_rs/"}
REPLACED = ("mm/zswap.c", "mm/swap_state.c")


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def line_at(text, at):
    return 1 + text.count("\n", 0, at)


# --- Code: items with their lines -------------------------------------------------------


@functools.cache
def rust():
    """{path: items} of the project's Rust, without tests."""
    return {str(path): sources.items(text) for path, text in sources.sources() if not str(path).startswith("patches/")}


def place(path, name):
    """Where an item is, as (path, name, first line, last line); None if it isn't there, or if several have the name."""
    if not pathlib.Path(path).exists():
        return None
    if not path.endswith(".rs"):
        text = read(path)
        for found, begin, end in drift.spans(text):
            # A helper has the name by which Rust calls it.
            if found and found.removeprefix("rust_helper_") == name.removeprefix("rust_helper_"):
                return path, name, line_at(text, begin), line_at(text, end - 1)
        found = re.search(rf"^.*\b{name}\b.*$", drift.COMMENT.sub(lambda comment: " " * len(comment[0]), text), re.M)
        return found and (path, name, *[line_at(text, found.start())] * 2)
    items, (scope, _, last) = rust().get(path, ()), name.rpartition("::")
    found = [item for item in items if item.name == name] or [item for item in items if not scope and item.name.endswith(f"::{name}")]
    # A variant of an enum, or a field of a struct.
    found = found or [item for item in items if item.kind in ("enum" if scope else "struct",) and item.name in (scope or item.name,)
                      and re.search(rf"^\s+(?:pub(?:\(.*?\))? )?{last}\b(?:[,({{]|: )", body(path, item), re.M)]
    return (path, found[0].name, found[0].above, found[0].last) if len(found) == 1 else None


def reads(row):
    """The cells of a row of a table in Markdown."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


@functools.cache
def mapped():
    """{path: {name of C: (cells with files and names, difference)}} of MAP, and {(path, name): reason} of what is only in Rust."""
    found, alone, path = {}, {}, None
    for line in read(MAP).splitlines():
        if line.startswith("## "):
            title = re.match(r"## `(\S+\.[ch])`$", line)
            path = title[1] if title else "Rust" if line == "## Rust without C" else None
        elif path == "Rust" and line.startswith("| `"):
            file, names, reason = reads(line)
            alone |= {(file.strip("`"), name): reason for name in re.findall("`([^`]+)`", names)}
        elif path and line.startswith("| `"):
            names, where, difference = reads(line)
            found.setdefault(path, {}).update(dict.fromkeys(re.findall("`([^`]+)`", names), (where, difference)))
    return found, alone


def named(path, where):
    """(file, name) of each place that a cell of MAP names."""
    for file, names in re.findall(r"`([\w/]+\.(?:rs|c))`: ((?:`[^`]+`(?:, )?)+)", where):
        if file.split("/")[0] not in ("rust", "samples"):
            file = CRATES.get(path, CRATES["mm/zswap.c"]) + file
        yield from ((file, name) for name in re.findall("`([^`]+)`", names))


@functools.cache
def mirrors():
    """{function of C: [(path, item)]} of the items that say so."""
    found = collections.defaultdict(list)
    for path, items in rust().items():
        for item in items:
            for sentence in re.findall(r"Mirrors\b.*?(?:\.\s|\.$|$)", re.sub(r"\s*\n\s*//[/!]?\s*", " ", item.doc), re.S):
                for name in re.findall(r"`([a-z_]\w+)(?:\(\))?`", sentence):
                    found[name].append((path, item))
    return found


def beside(path, name):
    """The places of the Rust, or of the C that replaces it, for an item of C."""
    where = mapped()[0].get(path, {}).get(name, ("", ""))[0]
    found = [place(*key) for key in named(path, where)]
    found += [(file, item.name, item.above, item.last) for file, item in mirrors().get(name, ())]
    return list(dict.fromkeys(filter(None, found)))


def unmatched():
    """What has neither a counterpart nor a reason."""
    known, alone = mapped()
    for path in known:
        for where in {where for where, _ in known[path].values()}:
            yield from (f"{MAP}: {file} has no {name}, or several: name it as TYPE::{name}" for file, name in named(path, where) if not place(file, name))
    there = set(re.findall(r"\w+", "".join(read(file) for folder in ("mm", "include/linux", "include/crypto", "crypto", "lib", "kernel", "block")
                                           for file in SRC.glob(f"{folder}/*.[ch]"))))
    for name, places in mirrors().items():
        if name not in there:
            yield f"{places[0][0]}: \"Mirrors `{name}`\": no file of C has that name"
    for path in REPLACED:
        for name in drift.texts(read(C / path)):
            where, difference = known[path].get(name, ("", ""))
            if name != drift.REST and not beside(path, name) and not (where == "stays C" and difference):
                yield f"{path}: {name} has no Rust: no place in {MAP}, no item that says \"Mirrors `{name}()`\", and no reason there"
    matched = {(file, name) for path in known for c in known[path] for file, name, *_ in beside(path, c)}
    names = {name.split()[-1] for path in known for name in known[path]}
    unused, words = dict(alone), set(re.findall(r"\w+", "".join(read(C / path) for path in REPLACED)))
    for file, items in rust().items():
        types = {name.split("::")[0] for other, name in matched if other == file}
        types |= {item.name.split("::")[0] for item in items if "Mirrors `" in item.doc}
        for item in items:
            top = item.name.split("::")[0]
            in_function = any(other.kind == "fn" and other.first < item.first and item.last < other.last for other in items)
            # A declaration of what C has, too.
            if in_function or item.kind == "const" or item.kind == "static" and item.name.islower() and item.name in words or item.trait or "lz4" in file or top in types or item.name.rpartition("::")[2] in names:
                continue
            unused.pop((file, top), None)
            if (file, top) not in alone and item.name == top:
                yield f"{file}: {top} has no C: it says \"Mirrors\" nothing, and has no reason in {MAP}, \"Rust without C\""
    yield from (f"{MAP}: {file}: {name} has C, or is gone: no row is needed" for file, name in unused)


# --- What tests have of it ----------------------------------------------------------------


@functools.cache
def mutants():
    """[(name, what, tests that catch it, path, lines of the unchanged file)]"""
    found = []
    for patch in sorted(pathlib.Path("tests/mutants").glob("*.patch")):
        headers, diff = read(patch).split("\n---\n", 1)
        path = re.search(r"^\+\+\+ b/(\S+)", diff, re.M)[1]
        lines, at = collections.defaultdict(set), 0
        for line in diff.splitlines():
            if hunk := re.match(r"@@ -(\d+)", line):
                at = int(hunk[1])
            elif line.startswith("+"):
                for name in re.findall(r'::mutant!\("([^"]+)"\)', line):
                    lines[name].add(at)
            elif line[:1] in (" ", "-") and not line.startswith("---"):
                at += 1
        for header in re.split(r"^mutant: ", headers, flags=re.M)[1:]:
            name, *rest = header.strip().split("\n")
            caught = [line.split(": ", 1)[1] for line in rest if line.startswith("caught-by: ")]
            what = " ".join(line for line in rest if not re.match(r"[a-z-]+: ", line)) + "".join(
                f" Survives: {line.split(': ', 1)[1]}" for line in rest if line.startswith("survives: "))
            found.append((name, what, caught, path, lines[name]))
    return found


@functools.cache
def cases():
    """{KUnit case: (path, first line, last line, text)}, in C and in Rust."""
    found = {}
    for path in sorted(pathlib.Path("tests/kunit").glob("*.c")):
        text = read(path)
        for name, begin, end in drift.spans(text):
            if name and re.search(rf"\b{name}\(struct kunit \*test\)\s*\n\{{", text[begin:end]):
                found[name] = (str(path), line_at(text, begin), line_at(text, end - 1), text[begin:end])
    for path in rust():
        text = read(path)
        tests = sources.TESTS.search(text)
        for item in sources.items(text) if tests else ():
            if item.first > line_at(text, tests.start()) and "#[test]" in item.doc:
                found[item.name] = (path, item.above, item.last, "\n".join(text.split("\n")[item.above - 1:item.last]))
    return found


@functools.cache
def points_of_cases():
    """{race point: cases that hold a task there}"""
    tables = {name: re.findall(r'{ "([^"]+)"', body) for name, body in
              re.findall(r"^const struct point (\w+)\[\] = \{(.*?)^\};", read("tests/kunit/races_helpers.c"), re.M | re.S)}
    found = collections.defaultdict(list)
    for case, (*_, text) in cases().items():
        held = re.findall(r'"([a-z]+:[a-z_]+)"', text)
        held += [point for name, points in tables.items() if re.search(rf"\b{name}\b", text) for point in points]
        for point in dict.fromkeys(held):
            found[point].append(case)
    return found


@functools.cache
def attacks():
    """[(name, room, first line, last line, text, error)] of the programs that must not compile."""
    found = []
    for path in sorted(pathlib.Path(sources.ATTACK).glob("*.rs")):
        text = read(path)
        for module in re.finditer(r"((?:^//[^\n]*\n)*)^#\[cfg\(any\(control, \w+\)\)\]\n(?:#\[[^\n]*\n)*pub mod (\w+) \{\n.*?^\}", text, re.M | re.S):
            errors = re.findall(rf"//~\[{module[2]}\]\^* (?:ERROR: )?(.*)", module[0])
            errors += re.findall(rf"^//@\[{module[2]}\] error-in-other-file: (.*)", text, re.M)
            found.append((module[2], str(path), line_at(text, module.start()), line_at(text, module.end()), module[0],
                          "; ".join(dict.fromkeys(map(sources.called, errors)))))
    return found


def bugs():
    """[(number, the bug, what excludes it, the tests)] of RACES, in Markdown."""
    for line in read(RACES).splitlines():
        if row := re.match(r'\| <a id="bug-([\w-]+)"></a>', line):
            _, bug, what, tests = reads(line)
            yield row[1], bug, what, tests


def coverage():
    """{path: {line: whether it was reached}} of the last make measure ONLY=coverage."""
    found = collections.defaultdict(dict)
    log = pathlib.Path("build/log/coverage.tsv")
    # Its lines are those of the sources as they were.
    fresh = log.exists() and all(pathlib.Path(path).stat().st_mtime < log.stat().st_mtime for path in rust())
    for row in read(log).splitlines() if fresh else ():
        path, line, hit = row.split("\t")
        found[path][int(line)] = hit == "1"
    return found


def races():
    """The log of the last run of the suite zswap_races that has steps, and its cases: {name, ok, steps}. A step is seconds, task, what it did, and how
    often in succession."""
    logs = [*pathlib.Path("build/log").glob("*.console"), *pathlib.Path("build/kunit").glob("*.log")]
    for log in sorted(logs, key=lambda log: -log.stat().st_mtime):
        found, steps, before, text = [], [], None, log.read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            step = re.search(r"(?:\[ *([\d.]+)\] )?(?:\w+: )?race: (\d+): (.*)", line)
            case = re.search(r"^(?:\[[^]]*\] )? +(ok|not ok) \d+ (\w+)", line)
            if step:
                what = step[2], re.sub(r"\d+", "", step[3].strip())
                if what == before:
                    steps[-1][3] += 1
                else:
                    steps.append([float(step[1] or 0), int(step[2]), step[3].strip(), 1])
                before = what
            elif case:
                if steps:
                    found.append({"name": case[2], "ok": case[1] == "ok", "steps": steps})
                steps, before = [], None
        if found:
            # A console that is too slow loses lines.
            return f"{log} of {time.strftime('%F %R', time.localtime(log.stat().st_mtime))}{', which has lost messages' if 'messages dropped' in text else ''}", found
    return None, []


# --- The trust boundary, and atomics --------------------------------------------------------


def prose(text):
    """A comment as text."""
    return re.sub(r"\s+", " ", re.sub(r"^\s*//[/!]? ?", "", text, flags=re.M)).strip()


def linked(text):
    """Documentation as HTML, without its links."""
    return inline(re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", text))


def body(path, item):
    return "\n".join(read(path).split("\n")[item.first - 1:item.last])


def callers(names):
    """{name: [(file, function)]} of the kernel's C in mm/ and fs/proc/ as it is patched, of the project's C, and of Rust. Declarations
    don't count."""
    found = collections.defaultdict(list)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")

    def add(name, path, function):
        if function != name and (path, function) not in found[name]:
            found[name].append((path, function))

    for file in sorted([*SRC.glob("mm/*.c"), *SRC.glob("fs/proc/*.c"), *pathlib.Path("samples/rust").glob("*/*.c"), *pathlib.Path("rust/helpers").glob("*.c")]):
        path, text = str(file).removeprefix(f"{SRC}/"), read(file)
        if path == "mm/zswap.c" or not pattern.search(text):
            continue
        rows, blank = mapped()[0].get(path, {}), drift.COMMENT.sub(lambda comment: " " * len(comment[0]), text)
        for name, begin, end in drift.spans(text):
            # Not what Rust replaces.
            if name and (path not in REPLACED or rows.get(name, ("stays C",))[0] == "stays C"):
                for use in pattern.findall(blank[begin:end]):
                    add(use, path, name)
        for use in re.findall(rf"^(?:\w+_initcall|(?:static )?DECLARE_WORK)\(.*?{pattern.pattern}\)", text, re.M):
            add(use, path, "at boot, or as work")
    for path, items in rust().items():
        for item in items:
            if item.kind == "fn" and not path.endswith("/trace.rs"):
                for use in re.findall(rf"{pattern.pattern}\(", sources.bare(body(path, item))):
                    add(use, path, item.name) if f"fn {use}" not in body(path, item) else None
    return found


def witnesses(path, code, seen=()):
    """The witnesses that a function makes, or one that it calls in its crate's core: (witness, the core's file)."""
    code = sources.bare(code)
    made = [(name, "") for name in re.findall(r"\b((?:[A-Z]\w+)::(?:from_raw\w*|held|of_\w+|freed)|Call::new)\(", code)]
    made = [one for one in made if not re.match("Flags|SwapEntry", one[0])]
    for file, name in re.findall(r"\b(?:(\w+)::)?(\w+)\(", code):
        core = f"{path.rpartition('/')[0].removesuffix('/core')}/core/{file}.rs" if file else path
        for item in rust().get(core, ()):
            if item.name == name and (core, name) not in seen:
                made += [(other, core if core != path else "") for other, _ in witnesses(core, body(core, item), (*seen, (core, name)))]
    return list(dict.fromkeys(made))


def guarantees(path, item):
    """What an item's documentation says, and its section "Safety". If that is "As for [`other`]", also the other's."""
    doc = prose("\n".join(line for line in item.doc.split("\n") if line.strip().startswith("///")))
    what, _, safety = (part.strip() for part in doc.partition("# Safety"))
    if other := re.match(r"As for \[?`(?:Self::)?(\w+)`", safety):
        for found in rust()[path]:
            if found.name.rpartition("::")[2] == other[1] and found != item:
                safety += f" ({guarantees(path, found)[1]})"
    return what, safety


def entries():
    """The functions that C calls: exported, or passed to C by address."""
    found = []
    for path, items in rust().items():
        for item in items:
            code = body(path, item)
            if item.kind == "fn" and re.match(r'\s*(?:pub(?:\(\w+\))? )?(?:unsafe )?extern "C" fn', code):
                what, safety = guarantees(path, item)
                claims = [prose(claim) for claim in re.findall(r"^\s*// SAFETY:.*\n(?:\s*//.*\n)*", code, re.M)]
                found.append({"name": item.name, "file": path, "from": item.above, "to": item.last, "what": linked(what),
                              "exported": bool(re.search(r"#\[(?:export|no_mangle)\]", item.doc)), "locks": linked(safety), "made": witnesses(path, code, ((path, item.name),)), "claims": list(map(linked, claims))})
    called = callers([entry["name"] for entry in found if entry["exported"]])
    for entry in found:
        entry["callers"] = called.get(entry["name"], [])
    return sorted(found, key=lambda entry: not entry["exported"])


def calls():
    """The C functions that Rust calls, by what they are trusted for: [(functions, what, [(function, path, line, item)])]."""
    uses, rows = collections.defaultdict(list), []
    named = re.compile(rf"(?<![\w.])(?:bindings::)?({'|'.join(sources.trusted())})\b(?= ?[(,)])")
    for path, items in rust().items():
        for item in items:
            for at, line in enumerate(sources.bare(body(path, item)).split("\n") if item.kind in ("fn", "static") else ()):
                for name in named.findall(re.sub(r"\bfn \w+", "", line)):
                    uses[name].append((name, path, item.first + at, item.name))
    for path, text in sources.patched():
        for name in named.findall(re.sub(r"\bfn \w+", "", sources.bare(text)) if path.endswith(".rs") else ""):
            uses[name].append((name, path, 0, ""))
    together = collections.defaultdict(list)
    for name, what in sources.trusted().items():
        together[what].append(name)
    for what, names in together.items():
        rows.append((names, what, [use for name in names for use in uses.get(name, ())]))
    return rows


ORDERED = re.compile(r"\.(\w+)\(((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*?)\b(Relaxed|Acquire|Release|Full),?\s*\)")


def atomics():
    """[(path, line, atomic, operation, order, item)] of each access, the atomic as the source names it."""
    found = []
    for path, items in rust().items():
        if "lz4" in path:
            continue
        text = sources.bare(sources.TESTS.split(read(path))[0])
        for use in ORDERED.finditer(text):
            before = re.sub(r"\s*\n\s*", "", text[:use.start()][-160:])
            while (inner := re.sub(r"\((?:[^()])*\)|\[[^\[\]]*\]|(?:::)?<[^<>]*>", "", before)) != before:
                before = inner
            atomic = re.search(r"(\w+)\W*$", re.sub(r"\.cast\W*$", "", before))
            line = line_at(text, use.start())
            inside = [item.name for item in items if item.first <= line <= item.last and item.kind == "fn"]
            found.append((path, line, atomic[1] if atomic else "?", use[1], use[3], (inside or ["?"])[-1]))
    return found


def reasons():
    """{(path, atomic, order, function): reason} of ATOMICS."""
    rows = [line.split("\t") for line in read(ATOMICS).splitlines() if not line.startswith("#")]
    return {(path, atomic, order, function): reason for path, names, orders, functions, reason in rows
            for atomic in names.split() for order in orders.split() for function in functions.split()}


def missing():
    """Names in docs/review.md that are not in the code."""
    text = read("docs/review.md")
    there = {attack[0] for attack in attacks()}
    yield from (f"docs/review.md: {file} has no {name}" for file, name in named("mm/zswap.c", text)
                if not place(file, name) or not re.search(rf"\b{name.rpartition('::')[2]}\b", read(file)))
    yield from (f"docs/review.md: there is no attack {name}" for line in re.findall(r"^Attacks: (.*)", text, re.M)
                for name in re.findall("`([^`]+)`", line) if name not in there)
    known = {name for rows in mapped()[0].values() for name in rows}
    yield from (f"docs/review.md: {name}() is no function of docs/c-to-rust.md" for line in re.findall(r"^C: (.*?)\.(?: Rust|$)", text, re.M)
                for name in re.findall(r"`(\w+)\(\)`", line) if name not in known)


def unreasoned():
    """Accesses without a reason, and reasons without an access."""
    known, unused = reasons(), {key[:3] for key in reasons()} | {(key[0], key[3]) for key in reasons()}
    for path, line, atomic, operation, order, function in atomics():
        unused -= {(path, atomic, order), (path, function)}
        if (path, atomic, order, function) not in known:
            yield f"{path}:{line}: {atomic}.{operation}({order}) in {function} has no reason in {ATOMICS}"
    yield from (f"{ATOMICS}: {path}: there is no access {' '.join(rest)}" for path, *rest in sorted(unused))


# --- The page --------------------------------------------------------------------------------


def inline(text):
    """One line of Markdown as HTML. Its links are those of a page of docs/."""
    text = html.escape(text.replace("<wbr>", "").replace("<code>", "`").replace("</code>", "`").replace("\\_", "_"), quote=False)
    text = re.sub("`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", lambda link: f'<a href="{link[2] if ":" in link[2] else "../docs/" + link[2]}">{link[1]}</a>', text)


def lined(path, text):
    """The lines of a file as HTML, and the lines with an unsafe block or a SAFETY comment."""
    import pygments
    import pygments.formatters
    import pygments.lexers
    lexer = (pygments.lexers.RustLexer if path.endswith(".rs") else pygments.lexers.CLexer)(stripnl=False, ensurenl=False)
    lines = pygments.highlight(text, lexer, pygments.formatters.HtmlFormatter(nowrap=True))
    lines = re.sub(r'<span class="(?:w|p|n)">([^<]*)</span>', r"\1", lines).split("\n")
    marked, safety, inside = {}, False, None
    for at, line in enumerate(text.split("\n") if path.endswith(".rs") else (), 1):
        comment = re.match(r"\s*//", line)
        safety = bool(comment) and ("SAFETY:" in line or safety)
        if safety:
            marked[at] = "s"
        elif inside or re.search(r"\bunsafe\b", re.sub("//.*", "", line)):
            marked[at] = "u"
            # Down to the brace that closes the block.
            opened = re.search(r"\bunsafe \{$", line)
            inside = re.match(r"\s*", line)[0] + "}" if opened else None if inside and line.startswith(inside) else inside
    return {"lines": lines, "marked": marked}


def related(path, name, places):
    """What of the tests names an item of C or its Rust."""
    inside = [(file, first, last) for file, _, first, last in places]
    def within(file, line):
        return any(file == other and first <= line <= last for other, first, last in inside)
    # In tests, only names that can't be others: the C function's, types, "Type::name".
    words = {name.split()[-1], *(other for file, other, *_ in places if file.endswith(".rs") and ("::" in other or other[0].isupper()))}
    wanted = re.compile(rf"(?<![\w:])(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})\b")
    mine = [mutant for mutant in mutants() if any(within(mutant[3], line) for line in mutant[4])]
    points = [point for file, first, last in inside if file.endswith(".rs")
              for point in re.findall(r'race_point!\("([^"]+)"', "\n".join(read(file).split("\n")[first - 1:last]))]
    held = list(dict.fromkeys(case for point in points for case in points_of_cases().get(point, ())))
    caught = {test.split()[1] for mutant in mine for test in mutant[2] if len(test.split()) > 1}
    found = {"mutants": [mutant[:4] for mutant in mine], "points": points, "races": held}
    found["kunit"] = [case for case, (*_, text) in cases().items() if case not in held and (case in caught or wanted.search(text))]
    found["bugs"] = [(number, inline(bug), inline(what), inline(tests)) for number, bug, what, tests in bugs()
                     if wanted.search(re.sub("<wbr>", "", what)) or any(f"`{mutant[0]}`" in tests for mutant in mine)]
    excluded = {attack for _, _, what, tests in found["bugs"] for attack in re.findall(r"<code>(\w+)</code>", tests)}
    found["attacks"] = [attack[0] for attack in attacks() if attack[0] in excluded or wanted.search(attack[4])]
    return found


def page():
    began = time.time()
    texts = {path: re.sub(r"[ \t\r]+$", "", read(C / path), flags=re.M) for path in mapped()[0]}
    reached, files, groups = coverage(), {}, []
    for path, rows in mapped()[0].items():
        listed, spans = [], collections.defaultdict(list)
        for name, begin, end in drift.spans(texts[path]):
            spans[name or drift.REST].append((line_at(texts[path], begin), line_at(texts[path], end - 1)))
        for name in sorted((name for name in spans if name in rows), key=lambda name: (name == drift.REST, spans[name][0])):
            where, difference = rows[name]
            places = beside(path, name)
            lines = [hit for file, _, first, last in places for line, hit in reached.get(file, {}).items() if first <= line <= last]
            listed.append({
                "name": name, "c": spans[name], "rust": places, "difference": inline(difference), "where": inline(where),
                "unsafe": sum(len(re.findall(sources.UNSAFE[0], sources.bare("\n".join(read(file).split("\n")[first - 1:last]))))
                              for file, _, first, last in places if file.endswith(".rs")),
                "coverage": [sum(lines), len(lines)] if lines else None, **(related(path, name, places) if name != drift.REST else dict.fromkeys(("mutants", "points", "races", "kunit", "bugs", "attacks"), []))})
        groups.append({"path": path, "items": listed})
    log, run = races()
    shown = {path: texts[path] for path in texts} | {path: read(path) for path in rust()}
    for group in groups:
        shown |= {file: read(file) for item in group["items"] for file, *_ in item["rust"]}
    shown |= {path: read(path) for path, *_ in cases().values()} | {attack[1]: read(attack[1]) for attack in attacks()}
    for path, text in shown.items():
        files[path] = lined(path, text)
    # Of a large file of which only some definitions matter, only these.
    for group in groups:
        wanted = {line for item in group["items"] for first, last in item["c"] for line in range(first, last + 1)}
        if group["path"] not in REPLACED and group["path"].endswith(".c"):
            lines = files[group["path"]]["lines"]
            files[group["path"]] = {"lines": [line if at in wanted else "" for at, line in enumerate(lines, 1)], "marked": {}}
    why = reasons()
    counted = [item for group in groups if group["path"] in REPLACED for item in group["items"] if item["name"] != drift.REST]
    kinds = ["Rust" if any(file.endswith(".rs") for file, *_ in item["rust"]) else "C here" if item["rust"] else "C" for item in counted]
    data = {
        "groups": groups, "files": files, "log": log, "runs": run, "measured": bool(reached),
        "cases": {name: row[:3] for name, row in cases().items()}, "points": points_of_cases(),
        "attacks": {name: [*row[:3], row[4]] for name, *row in attacks()},
        "entries": entries(), "calls": calls(), "alone": [[*key, inline(reason)] for key, reason in mapped()[1].items()],
        "atomics": [[*use, inline(why.get((use[0], use[2], use[4], use[5]), ""))] for use in atomics()],
        "counts": [len(counted), *(sum(kind == of for of in kinds) for kind in ("Rust", "C here", "C"))],
    }
    import pygments.formatters
    styles = [pygments.formatters.HtmlFormatter(style=style).get_style_defs(".code") for style in ("friendly", "github-dark")]
    text = read(TEMPLATE).replace("/*LIGHT*/", styles[0]).replace("/*DARK*/", styles[1])
    OUT.parent.mkdir(exist_ok=True)
    new = OUT.with_suffix(".new")
    new.write_text(text.replace("/*DATA*/", json.dumps(data, separators=(",", ":")).replace("</", "<\\/")), encoding="utf-8")
    new.replace(OUT)
    print("{} definitions of C: {} in Rust, {} in other C here, {} as they are; ".format(*data["counts"]) + f"{len(data['alone'])} of Rust without C; "
          f"{len(data['entries'])} functions that C calls, {sum(len(row[0]) for row in data['calls'])} that Rust calls; "
          f"{len(run)} races; {len(data['atomics'])} accesses to atomics ({time.time() - began:.1f} s)")
    if not run:
        print("no log of races: run make races first to see their steps")
    if not reached:
        print("no coverage: run make measure ONLY=coverage first to see it")
    print(OUT)


if __name__ == "__main__":
    page()
