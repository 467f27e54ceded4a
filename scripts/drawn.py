#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""drawn.py COMMAND: for drawn.sh, mutants that a seeded draw picks from all that cargo-mutants makes of the Rust code.

  package DIR                     lays the files out as a package that cargo-mutants can read
  draw LIST SEED N TREE UNVIABLE  draws N of the mutations in LIST (--list --json), and puts them into the files of TREE,
                                  each where mutant!("drawn-NN") enables it. Draws others instead of those in the file
                                  UNVIABLE. Prints a line for each: name, file, line, function, change
  blame TREE LOG                  prints the mutants that the compiler's errors in LOG are about
  hosts TREE CRATE...             prints the files that these crates of the host tests include
  table DRAWN RESULTS UNVIABLE SEED
                                  writes build/results/drawn.tsv (results.py). A line of RESULTS is a name and what caught
                                  it. docs/testing.md must have a reason for each survivor
"""

import collections
import json
import pathlib
import random
import re
import sys

import measured
import results
import sources

# The folders of Rust, by their names in the package. A crate has a root, which names the other files.
FOLDERS = {"zswap_rs": "samples/rust/zswap_rs", "zswap_core": "samples/rust/zswap_rs/core",
           "swap_cache_rs": "samples/rust/swap_cache_rs", "mm": "rust/kernel/mm"}
PAGE = "docs/testing.md"
SURVIVORS = "SURVIVORS"
# A string or a character; a comment; or something else. A lifetime is no character; block comments nest, so that only their
# beginning is found here.
RUST = re.compile(r'''(?P<keep> \b[bc]?r(?P<hashes>\#*)".*?"(?P=hashes) | "(?:\\.|[^"\\])*"
                              | '(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|.)|[^'\\\n])' )
                      | (?P<drop> //[^\n]* ) | (?P<nest> /\* ) | (?P<other> [^"'/bcr]+ | \w+ | . )''', re.S | re.X)


def mask(text):
    """The text with blanks in place of comments, strings and characters."""
    out, at = [], 0
    while at < len(text):
        match = RUST.match(text, at)
        end = match.end()
        if match.lastgroup == "nest":
            depth = 1
            while depth and end < len(text):
                edge = re.compile(r"/\*|\*/").search(text, end)
                end = edge.end() if edge else len(text)
                depth += 0 if not edge else 1 if edge[0] == "/*" else -1
        out.append(text[at:end] if match["other"] else re.sub(r"[^\n]", " ", text[at:end]))
        at = end
    return "".join(out)


def closing(masked, opening):
    """The place behind the brace that closes the one there."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(masked, opening):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.end()
    return len(masked)


class Source:
    """A file, and where in it no mutant can be."""

    def __init__(self, tree, path):
        self.path = path
        self.text = (pathlib.Path(tree) / path).read_text(encoding="utf-8")
        self.masked = mask(self.text)
        self.starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        # Modules of tests: a mutant there would test nothing.
        self.tests = [(match.start(), closing(self.masked, match.end() - 1)) for match in
                      re.finditer(r"#\[[^\n]*(?:kunit_tests|KUNIT|cfg\(test)[^\n]*\]\s*(?:#\[[^\n]*\]\s*)*(?:pub(?:\(\w+\))? )?mod \w+ \{", self.masked)]

    def offset(self, place):
        return self.starts[place["line"] - 1] + place["column"] - 1

    def span(self, span):
        return self.offset(span["start"]), self.offset(span["end"])

    def body(self, begin, end):
        """What is between the braces of the function that is there: from, to."""
        depth = 0
        for at in range(end - 1, begin, -1):
            depth += {"}": 1, "{": -1}.get(self.masked[at], 0)
            if not depth:
                return at + 1, end - 1
        return None


class Mutation:
    """One of cargo-mutants' list."""

    def __init__(self, found, sources, tree):
        folder, _, name = found["file"].removeprefix("src/").partition("/")
        path = f"{FOLDERS[folder]}/{name}" if name else f"{FOLDERS[folder.removesuffix('.rs')]}/{folder}"
        self.source = source = sources.setdefault(path, Source(tree, path)) if path in sources or (pathlib.Path(tree) / path).exists() else None
        self.path, self.genre, self.replacement = path, found["genre"], found["replacement"]
        self.function = (found["function"] or {}).get("function_name", "")
        self.line = found["span"]["start"]["line"]
        self.inside = None
        if source and self.function:
            self.span = source.span(found["span"])
            self.whole = source.span(found["function"]["span"])
            self.inside = source.body(*self.whole)

    def possible(self):
        """Whether the selector, which is a test when the function runs, can enable it."""
        if not self.inside or self.function.endswith("::fmt"):
            return False
        head = self.source.masked[self.whole[0]:self.inside[0]]
        body = self.source.masked[slice(*self.inside)]
        # A const fn runs when the kernel is built; and then build_assert!() needs to know what it is about.
        return not re.search(r"\bconst (?:unsafe )?fn\b", head) and "build_assert!" not in body and \
            not any(begin <= self.whole[0] < end for begin, end in self.source.tests)

    def key(self):
        return self.path, self.line, self.span, self.replacement

    def change(self):
        """What is changed, for a reader."""
        text = self.source.text
        old, new = text[slice(*self.span)], self.replacement
        line = text[self.source.starts[self.line - 1]:self.source.starts[self.line]].strip()
        if self.genre == "FnValue":
            return "does nothing" if new == "()" else f"only returns `{new}`"
        if self.genre == "MatchArm":
            return f"without `{' '.join(old.split())}`"
        if self.genre == "MatchArmGuard":
            return f"`{' '.join(old.split())}` is `{new}`"
        return f"`{old}` becomes `{new}` in `{line}`" if new else f"without `{old}` in `{line}`"

    def mutated(self):
        """The mutated body."""
        begin, end = self.inside
        return self.source.text[begin:self.span[0]] + self.replacement + self.source.text[self.span[1]:end]


def draw(path, seed, number, tree, unviable):
    sources = {}
    found = [Mutation(one, sources, tree) for one in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))]
    found = sorted((one for one in found if one.possible()), key=Mutation.key)
    all_found = len(found)
    random.Random(int(seed)).shuffle(found)
    without = pathlib.Path(unviable).read_text(encoding="utf-8").split()
    taken = {}
    for place, one in enumerate(found, 1):
        name = f"drawn-{place:02}"
        # One function within another: only one of the two is wrapped.
        nested = any(one.path == other.path and one.whole != other.whole and
                     one.whole[0] < other.whole[1] and other.whole[0] < one.whole[1] for other in taken.values())
        if nested:
            continue
        print("\t".join([name, one.path, str(one.line), one.function, one.change()]))
        if name not in without:
            taken[name] = one
        if len(taken) == int(number):
            break
    print(f"of {all_found}", file=sys.stderr)
    for source in sources.values():
        by_function = {}
        for name, one in taken.items():
            if one.source is source:
                by_function.setdefault(one.inside, {})[name] = one
        text = source.text
        crate = "crate" if source.path.startswith("rust/kernel") else "kernel"
        for (begin, end), ones in sorted(by_function.items(), reverse=True):
            body, start = text[begin:end], next(iter(ones.values())).whole[0]
            for name, one in ones.items():
                body = f'if {crate}::mutant!("{name}") {{\n{one.mutated()}\n}} else {{ // {name}\n{body}\n}} // of {name}'
            # Code that can't be reached, values that aren't used: warnings are errors.
            text = f"{text[:start]}#[allow(warnings)] {text[start:begin]}\n{body}\n{text[end:]}"
        if by_function:
            (pathlib.Path(tree) / source.path).write_text(text, encoding="utf-8")


def blame(tree, log):
    found = set()
    error = False
    for line in pathlib.Path(log).read_text(encoding="utf-8", errors="replace").splitlines():
        if re.match(r"(error|warning)\b", line):
            error = line.startswith("error")
        place = error and re.match(r" *(?:-->|:::) (\S+?\.rs):(\d+):", line)
        if not place:
            continue
        part = re.search("|".join(FOLDERS.values()), place[1])
        file = part and pathlib.Path(tree) / place[1][part.start():]
        if not file or not file.exists():
            continue
        lines, at = file.read_text(encoding="utf-8").splitlines(), int(place[2])
        # The mutated body that it is in; else all mutants of that function.
        mutated, function = [], []
        for number, text in enumerate(lines, 1):
            begin = re.search(r'if (?:crate|kernel)::mutant!\("(drawn-\d+)"\) \{$', text)
            other = re.search(r"^\} else \{ // (drawn-\d+)$", text)
            end = re.search(r"^\} // of (drawn-\d+)$", text)
            if begin and number < at:
                mutated.append(begin[1])
                function.append(begin[1])
            elif number >= at:
                break
            elif other and other[1] in mutated:
                mutated.remove(other[1])
            elif end and end[1] in function:
                function.remove(end[1])
        found.update(mutated[-1:] or function)
    print("\n".join(sorted(found)))
    return not found


def package(folder):
    src = pathlib.Path(folder) / "src"
    src.mkdir(parents=True)
    (src.parent / "Cargo.toml").write_text('[package]\nname = "drawn"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n', encoding="utf-8")
    (src / "lib.rs").write_text("".join(f"mod {name};\n" for name in FOLDERS), encoding="utf-8")
    for name, path in FOLDERS.items():
        (src / name).mkdir()
        for file in sorted(pathlib.Path(path).glob("*.rs")):
            to = src / f"{name}.rs" if file.stem in (name, "mod") else src / name / file.name
            # The core has a folder of its own here. No line moves.
            text = re.sub(r'^#\[path = .*\]\nmod \w+;$', "\n", file.read_text(encoding="utf-8"), flags=re.M)
            to.write_text(text, encoding="utf-8")
        root = src / f"{name}.rs"
        if not root.exists():
            root.write_text("".join(f"mod {file.stem};\n" for file in sorted((src / name).iterdir())), encoding="utf-8")


def hosts(tree, *crates):
    todo = [pathlib.Path(tree) / "tests/host" / crate / "src/lib.rs" for crate in crates]
    seen = set()
    while todo:
        file = todo.pop().resolve()
        if file in seen or not file.exists():
            continue
        seen.add(file)
        text = file.read_text(encoding="utf-8")
        todo += [file.parent / path for path in re.findall(r'#\[path = "(.*)"\]', text)]
        within = file.parent if file.stem in ("lib", "mod", file.parent.name) else file.parent / file.stem
        for name in re.findall(r"^\s*(?:pub(?:\(\w+\))? )?mod (\w+);", text, re.M):
            todo += [within / f"{name}.rs", within / name / "mod.rs"]
    top = pathlib.Path(tree).resolve()
    print("\n".join(sorted(str(file.relative_to(top)) for file in seen if file.is_relative_to(top))))


CAUGHT = [("the quick host tests", r"host (?!models)"), ("the models", r"host models"), ("the comparison with C", r".*_twins\b"),
          ("other tests in a guest", r"(?!survives)")]


def table(drawn, path, unviable, seed):
    mutants = {line.split("\t")[0]: line.rstrip("\n").split("\t")[1:] for line in open(drawn, encoding="utf-8")}
    caught = dict(line.rstrip("\n").split("\t", 1) for line in open(path, encoding="utf-8"))
    left_out = pathlib.Path(unviable).read_text(encoding="utf-8").split()
    why = measured.reasons(PAGE, SURVIVORS)
    rows, odd, survivors = [], [], 0
    count = collections.Counter()
    for name, (path, line, function, change) in mutants.items():
        if name in left_out:
            continue
        by = caught[name]
        count[sources.layer(path), next((what for what, pattern in CAUGHT if re.match(pattern, by)), "nothing")] += 1
        rows.append([name, f"{path}:{line}", function, change, by, why.get(name, "")])
        if by == "survives":
            survivors += 1
            if name not in why:
                odd.append(f"{name} survives, and {PAGE} gives no reason: {path}:{line} {function}: {change}")
    odd += [f"{PAGE} has a reason for {name}, which doesn't survive" for name in why if caught.get(name) != "survives"]
    number = len(rows) - survivors
    layers = [layer for layer in ("policy", "core", "abstractions", "abi") if any(key[0] == layer for key in count)]
    cells = [[what, *(count[layer, what] for layer in layers), sum(count[layer, what] for layer in layers)]
             for what in [*(what for what, _ in CAUGHT), "nothing"]]
    results.put("drawn", [
        f"# Of {len(rows)} mutants drawn with SEED={seed}, {number} are caught ({100 * number // len(rows)} %), {survivors} survive. "
        f"{len(left_out)} more were drawn that don't compile.",
        *results.table("caught by", ["by", *(">C ABI" if layer == "abi" else f">{layer}" for layer in layers), ">all"], cells),
        *results.table("mutants", ["mutant", "line", "function", "change", "caught by", "why it survives"], sorted(rows, key=lambda row: row[4] != "survives")),
        "# without drawn-*: drawn from other code", *(f"# failed: {line}" for line in odd)])
    print("\n".join(odd), end="\n" if odd else "")
    return bool(odd)


if __name__ == "__main__":
    commands = {"package": package, "draw": draw, "blame": blame, "hosts": hosts, "table": table}
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
