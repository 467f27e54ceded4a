#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""attack.py [NAME...]: compiles the programs of tests/host/attack against the built kernel crate, with the policy's flags. Prints
TAP. A NAME selects the programs that have it in their name, or in that of their file. KERNEL is the kernel's build folder.

A file is a room: programs that attack one thing, each a module behind #[cfg(any(control, NAME))]. As "control" all are compiled
without the attacking lines, and must compile, so that no attack can fail for another reason. With these lines each must fail:
with exactly the errors that the file names, at those lines; with another rustc than 1.85, which may word or place these
otherwise, with any in the program. The programs of ok.rs do what the types don't exclude, and must compile.

To run rustc less often, the programs of a room attack together, and an error belongs to the program that has its line. One with
exactly the errors that it names has passed. rustc leaves out its last checks (private fields, lints) if it has found errors, so
the programs without an error are then compiled again, without the others. A program is compiled by itself
- if other lines of the room mention it, as a cfg or for an error in another file, or if it has an impl, which holds in the whole
  crate: these may change what rustc says of other programs;
- if it names a lint: rustc goes on after such an error, but not after one of another program;
- if it has not passed together with others, or a NAME selects it. So what fails has failed by itself.
"""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("KERNEL", TOP / "build/rust"))
NAMES = sys.argv[1:]
# Lints about style only.
STYLE = ("dead_code", "dropping_copy_types", "missing_docs", "unreachable_code", "unused_imports", "unused_mut", "unused_variables")
PROGRAM = re.compile(r"^#\[cfg\(any\(control, (\w+)\)\)\]\n(?:#\[.*\n)*pub mod \1 \{\n(?:.*\n)*?\}$", re.M)
HEAD = re.compile(r"^(?:#\[cfg\(any\(control, (?=\w+\)\)\]$)|pub mod (?=\w+ \{$))(\w+)", re.M)
# At a line, or as many above (^) or below (v): the code of an error, or a part of its message. At the top: such a part, or flags.
MARK = re.compile(r"//~\[(\w+)\](\^*|v*) (?:ERROR: (.+)|(\w+))|//@\[(\w+)\] (?:error-in-other-file: (.+)|compile-flags: (.+))")

Error = collections.namedtuple("Error", "line code message rendered")


class Program:
    def __init__(self, name, first, last):
        self.name, self.lines = name, range(first, last + 1)
        self.named, self.flags = [], []

    def wrong(self, errors):
        """What is wrong with its errors: nothing if they are those that it names."""
        # An error of no line, as of an unknown flag, counts only if the program names one in another file.
        lines = {*self.lines, *(line for line, _, _ in self.named)}
        if errors and not EXACT and all(error.message and error.line in lines for error in errors):
            return []
        left, wrong = list(errors), []
        for line, code, part in self.named:
            found = next((error for error in left if error.line == line and (error.code == code if code else part in error.message)), None)
            if found:
                left.remove(found)
            else:
                wrong.append(f"there is no {code or part} {f'at line {line}' if line else 'in another file'}")
        return wrong + [f"it doesn't name this error:\n{error.rendered}" for error in left] if errors else ["it compiles"]


class Room:
    def __init__(self, path):
        self.path, self.name, self.malformed, self.by_itself = path, path.stem, [], set()
        text = path.read_text(encoding="utf-8")
        self.compiles = "\n//@ check-pass\n" in text
        if self.compiles:
            self.programs = dict.fromkeys(HEAD.findall(text))
            return
        found = [(found[1], *(text.count("\n", 0, end) + 1 for end in found.span())) for found in PROGRAM.finditer(text)]
        self.programs = {name: Program(name, first, last) for name, first, last in found}
        self.malformed += [f"{self.name}.rs: {name} isn't a module behind #[cfg(any(control, {name}))]"
                           for name in dict.fromkeys(HEAD.findall(text)) if name not in self.programs]
        for number, line in enumerate(text.splitlines(), 1):
            for name, program in self.programs.items():
                if re.match(r"\s*(unsafe )?impl\b", line) if number in program.lines else re.search(rf"\b{name}\b", line):
                    self.by_itself.add(name)
            for mark in re.findall(r"//[~@].*", line):
                self.mark(number, mark)

    def mark(self, number, mark):
        found = MARK.fullmatch(mark)
        program = found and self.programs.get(found[1] or found[5])
        if mark == "//@[control] check-pass":
            return
        if not program:
            self.malformed.append(f"{self.name}.rs:{number}: {mark} names no program of the file, or has no form of an error: see CONTRIBUTING.md")
        elif found[7]:
            program.flags += found[7].split()
        else:
            line = number - found[2].count("^") + found[2].count("v") if found[1] else None
            program.named.append((line, found[4], found[3] or found[6]))
            if found[4] and not re.fullmatch(r"E\d+", found[4]):
                self.by_itself.add(program.name)

    def line(self, spans):
        """The line in this room: of the error itself, of the macro's use that it comes from, or of what it points to."""
        for span in sorted(spans, key=lambda span: not span["is_primary"]):
            while span:
                if span["file_name"] == str(self.path):
                    return span["line_start"]
                span = span["expansion"] and span["expansion"]["span"]
        return None

    def errors(self, cfgs, flags=()):
        run = subprocess.run([*RUSTC, *flags, *(f"--cfg={cfg}" for cfg in cfgs), str(self.path)], cwd=BUILD, env=ENV,
                             stderr=subprocess.PIPE, text=True, check=False)
        said = [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]
        errors = [Error(self.line(one["spans"]), (one["code"] or {}).get("code"), one["message"], one["rendered"])
                  for one in said if one["level"].startswith("error") and not one["message"].startswith("aborting due to")]
        if run.returncode != (1 if errors else 0):
            errors.append(Error(None, None, "", f"rustc ended with {run.returncode}: {run.stderr}"))
        return errors

    def together(self, programs):
        """Those that have passed."""
        passed = []
        while len(programs) > 1 and (errors := self.errors(one.name for one in programs)):
            found = {one: [] for one in programs}
            for error in errors:
                of = [one for one in programs if error.line in one.lines]
                if not of:
                    return passed
                found[of[0]].append(error)
            passed += [one for one in programs if not one.wrong(found[one])]
            programs = [one for one in programs if not found[one]]
        return passed

    def wanted(self):
        return [name for name in self.programs if not NAMES or any(part in name or part in self.name for part in NAMES)]

    def attack(self):
        """The points: (name, what is wrong)."""
        if self.compiles:
            return [(self.name, [error.rendered for error in self.errors([])])]
        programs = [self.programs[name] for name in self.wanted()]
        passed = [] if NAMES else self.together([one for one in programs if one.name not in self.by_itself])
        return [(f"{self.name} control", [error.rendered for error in self.errors(["control"])])] + [
            (f"{self.name} {one.name}", [] if one in passed else one.wrong(self.errors([one.name], one.flags))) for one in programs]


def not_told(rooms):
    """Each program must be in docs/attacks.md, or, if it compiles, in docs/safety.md, and vice versa."""
    text = "".join((TOP / "docs" / page).read_text(encoding="utf-8") for page in ("attacks.md", "safety.md"))
    told = {(room, name) for name, room in re.findall(r"\[`(\w+)`\]\(\.\./tests/host/attack/(\w+)\.rs\)", text)}
    there = {(room.name, name) for room in rooms for name in room.programs}
    return ([f"{name} of {room}.rs isn't in docs/attacks.md or docs/safety.md" for room, name in sorted(there - told)] +
            [f"docs/attacks.md or docs/safety.md tells of {name} in {room}.rs, which isn't there" for room, name in sorted(told - there)])


make = BUILD / "samples/rust/zswap_rs/.zswap_rs.o.cmd"
if not (BUILD / "rust/libkernel.rmeta").exists() or not make.exists():
    sys.exit(f"error: no Rust kernel to attack in {BUILD}: run make kernel")
words = shlex.split(make.read_text(encoding="utf-8").split(":= ", 1)[1].split(" --out-dir ", 1)[0])
rustc = words.index("rustc")
ENV = {**os.environ, **dict(word.split("=", 1) for word in words[:rustc]), "RUSTC_BOOTSTRAP": "1"}

EXACT = subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.startswith("rustc 1.85.")

rooms = [Room(path) for path in sorted((TOP / "tests/host/attack").glob("*.rs"))]
attacked = [room for room in rooms if room.wanted()]
if not attacked:
    sys.exit(f"error: {' '.join(NAMES)} is in no name of a program or file in tests/host/attack")
checks = [] if NAMES else [("each program has its revision", [one for room in rooms for one in room.malformed]),
                           ("docs/attacks.md or docs/safety.md lists each program", not_told(rooms))]
print(f"1..{len(checks) + sum(1 if room.compiles else 1 + len(room.wanted()) for room in attacked)}")
failed = False
with tempfile.TemporaryDirectory() as out, concurrent.futures.ThreadPoolExecutor(int(os.environ["JOBS"])) as pool:
    RUSTC = [*words[rustc:], "--error-format=json", "--emit=metadata", "--out-dir", out, *(f"-A{lint}" for lint in STYLE)]
    points = itertools.chain(checks, itertools.chain.from_iterable(pool.map(Room.attack, attacked)))
    for number, (name, wrong) in enumerate(points, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - attack: {name}", *"\n".join(wrong).splitlines(), sep="\n# ", flush=True)
        failed |= bool(wrong)
sys.exit(failed)
