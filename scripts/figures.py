#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""figures.py COMMAND: which measured figures in docs/ are of older sources than those here.

A block between the marks of a command ends with the commit and the day that it was measured at, and with a stamp: a
hash of the files that can change its figures (scripts/figures.txt), without comments and blank lines (strip.py), and
a hash of the block itself. The first decides whether the block is stale; the commit is for the reader. A command may
also have a file of rows, docs/NAME.tsv, too many for the page: the second hash includes it.

  check                lists stale blocks. Fails if a block was changed by hand, has no stamp, or is of a command
                       that failed
  wanted [NAME...]     a line for each of these, or for all counts: NAME, its state, the hash of its files, its variables
  put NAME [failed]    puts standard input into the block of NAME, and a stamp below it; its rows stay as they are
  restore NAME         puts the block there that was measured with the files as they are here, from build/figures.kept
  refresh              writes into each block how many files have changed since
  amend NAME           as put, with the stamp of before: some of the results are newer
  runs [NAME...]       as wanted, for these commands of make release, or for all
  ran NAME FILES STATUS SECONDS RESULT
                       records how a command of make release ended, with files of this hash, in docs/release.tsv

If a command has a file of rows, lines of its standard input with a tab are those.
"""

import datetime
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys

import strip

TABLE = pathlib.Path("scripts/figures.txt")
STORE = pathlib.Path("build/figures.kept")
RUNS = pathlib.Path("docs/release.tsv")
RUNS_PAGE = pathlib.Path("docs/testing.md")
STAMP = re.compile(r"\n(Measured by `make [^\n]*)\n<!-- STAMP files (\w+) block (\w+)( failed)? -->\n\Z")
SECTION = re.compile(r"^# --- (.*?) -+\n", re.M)
SINCE = re.compile(r"(?:; [^;]* since)?\.$")
NO_BLOCK = "no place between the marks of make %s: BEGIN and END"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def git(*command, data=None):
    """What git prints; None if there is no git, no repository, or no such object."""
    try:
        # The folder may belong to another user than root's in a namespace.
        found = subprocess.run(["git", "-c", "safe.directory=*", *command], input=data, capture_output=True, check=False)
    except OSError:
        return None
    return found.stdout if found.returncode == 0 else None


@functools.cache
def here():
    """The paths of all files of the project."""
    found = []
    for folder, folders, files in os.walk("."):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in ("build", "target", "__pycache__")]
        found += [os.path.join(folder, name)[2:] for name in files if (not name.startswith(".") or name == ".kunitconfig") and not name.endswith(("~", ".orig", ".rej"))]
    return found


@functools.cache
def here_text(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


@functools.cache
def code(path, text):
    return strip.code(path, text)


@functools.cache
def listed(commit):
    """{path: blob} of a commit; None if it isn't in this repository."""
    out = git("ls-tree", "-r", "-z", commit)
    if out is None:
        return None
    lines = (line.split("\t", 1) for line in out.decode().split("\0") if line)
    return {path: head.split()[2] for head, path in lines}


BLOBS = {}


def texts(commit, paths):
    """{path: text} of files of a commit."""
    blobs = listed(commit)
    new = [path for path in paths if (path, blobs[path]) not in BLOBS]
    out, at = git("cat-file", "--batch", data="".join(blobs[path] + "\n" for path in new).encode()) or b"", 0
    for path in new:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        BLOBS[path, blobs[path]] = out[end + 1:end + 1 + size].decode()
        at = end + size + 2
    return {path: BLOBS[path, blobs[path]] for path in paths}


class Sources:
    """A line of the table: a command, its variables, and the files that can change its result."""

    names = set()  # of all

    def __init__(self, name, more, paths):
        self.name = name
        self.variables = dict(word.split("=") for word in more if "=" in word)
        self.paths = [*paths, f"scripts/{name}.sh", f"scripts/{name}.py", str(TABLE)]
        self.matches = re.compile("|".join(
            re.escape(path).replace(r"\*", "[^/]*") + (".*" if path.endswith("/") else "") for path in self.paths)).fullmatch

    def codes(self, commit=None):
        """{path: code} of its files, here or at a commit. None if that isn't in this repository."""
        if commit is None:
            found = {path: here_text(path) for path in here() if self.matches(path)}
        elif listed(commit) is None:
            return None
        else:
            found = texts(commit, [path for path in listed(commit) if self.matches(path)])
        found = {path: code(path, self.part(path, text)) for path, text in found.items()}
        return {path: text for path, text in found.items() if text}

    def part(self, path, text):
        """What can change this block: of the table its guests, of a file with sections not those of other blocks."""
        if path == str(TABLE):
            return "".join(re.findall(rf"^guest {re.escape(self.name)} .*\n", text, re.M))
        if not path.startswith("scripts/") or not SECTION.search(text):
            return text
        first, *rest = SECTION.split(text)
        others = [set(names.split(", ")) for names in rest[::2]]
        return first + "".join(section for names, section in zip(others, rest[1::2]) if self.name in names or not names <= self.names)

    def files(self, commit=None):
        """The hash of its files."""
        found = self.codes(commit)
        return None if found is None else digest("".join(f"{path}\0{digest(found[path])}\n" for path in sorted(found)))

    def changed(self):
        """The files that have changed since its commit(); None if that isn't there to compare with."""
        was = self.commit() and self.codes(self.commit())
        if not was:
            return None
        now = self.codes()
        return [path for path in sorted({*was, *now}) if was.get(path) != now.get(path)]

    def changes(self):
        """How many. The change may be in no commit, or have been undone."""
        changed = self.changed()
        number = "files" if not changed else "1 file" if len(changed) == 1 else f"{len(changed)} files"
        return f"{number} changed since"


class Run(Sources):
    """A command of make release without a block of its own: only how it ended is kept."""

    @staticmethod
    def all():
        """{name: [command, commit, day, seconds, hash, result]}"""
        lines = RUNS.read_text(encoding="utf-8").splitlines()[1:] if RUNS.exists() else []
        return {line.split("\t")[0].split()[1]: line.split("\t") for line in lines}

    def commit(self):
        return self.all()[self.name][1].split()[0]

    def state(self):
        line = self.all().get(self.name)
        fresh = line and line[0] == self.command() and line[4] == self.files() and not line[5].startswith("failed")
        return "fresh" if fresh else "stale"

    def command(self):
        return " ".join(["make", self.name, *(f"{name}={value}" for name, value in self.variables.items())])

    def put(self, files, status, seconds, result):
        commit = (git("rev-parse", "--short", "HEAD") or b"").decode().strip()
        if commit and self.codes() != self.codes(commit):
            commit += " with changes"
        if files != self.files():
            status, result = "1", "its sources changed meanwhile"
        result = result if status == "0" else f"failed: {result}"
        lines = self.all() | {self.name: [self.command(), commit, str(datetime.date.today()), seconds, files, result]}
        new = RUNS.with_suffix(".new")
        new.write_text("".join("\t".join(line) + "\n" for line in [
            ["command", "commit", "day", "seconds", "hash of the code", "result"], *lines.values()]), encoding="utf-8")
        new.replace(RUNS)


def show_runs(runs, write=True):
    """Writes the table of the page. Returns whether it was another one, other than by what has changed since."""
    if not RUNS_PAGE.exists():
        return False
    lines = ["| command | result | minutes | code |", "|---|---|---:|---|"]
    for name, run in runs.items():
        line = run.all().get(name)
        if line:
            command, commit, day, seconds, files, result = line
            since = "" if files == run.files() else f"; {run.changes()}"
            lines.append(f"| `{command}` | {result} | {int(seconds) / 60:.0f} | `{commit}`, {day}{since} |")
        else:
            lines.append(f"| `make {name}` | not run | | |")
    page = RUNS_PAGE.read_text(encoding="utf-8")
    mark = "<!-- MADE BY make release: "
    new = re.sub(f"({mark}BEGIN -->\n).*?({mark}END -->)", lambda it: it[1] + "\n".join(lines) + "\n" + it[2], page, flags=re.S)
    if write:
        RUNS_PAGE.write_text(new, encoding="utf-8")
    return re.sub("; [^;|]* since", "", new) != re.sub("; [^;|]* since", "", page)


class Block(Sources):
    """A command whose figures are a block of a page."""

    def __init__(self, kind, name, page, more, paths):
        super().__init__(name, more, paths)
        self.kind, self.page = kind, pathlib.Path(page)
        self.rows = next((pathlib.Path(word) for word in more if "=" not in word), None)
        mark = rf"<!-- (?:OUTPUT OF|MADE BY) make {re.escape(name)}: "
        self.place = re.compile(rf"({mark}BEGIN -->\n)(.*?)({mark}END -->\n)", re.S)

    def amend(self, lines, rows=None):
        """Puts lines and rows there with the stamp of before."""
        stamp = self.stamped()
        if not stamp:
            sys.exit(f"{self.page}: the block of make {self.name} has no stamp: measure it by make {self.name}")
        if rows is not None:
            self.rows.write_text(rows, encoding="utf-8")
        _, sentence, _, files, _, failed = stamp
        text = "\n".join(lines).rstrip("\n") + "\n"
        is_digest = digest(text + sentence + self.read_rows())
        self.write(f"{text}\n{sentence}\n<!-- STAMP files {files} block {is_digest}{failed or ''} -->\n")
        self.refresh()

    def read(self):
        """What is between the marks; None if there are none."""
        found = self.place.search(self.page.read_text(encoding="utf-8"))
        return found and found[2]

    def read_rows(self):
        """Its rows that are too many for the page; empty if it has none."""
        return self.rows.read_text(encoding="utf-8") if self.rows and self.rows.exists() else ""

    def write(self, text):
        page = self.page.read_text(encoding="utf-8")
        new, found = self.place.subn(lambda match: match[1] + text + match[3], page)
        if found != 1:
            sys.exit(f"{self.page}: {NO_BLOCK % self.name}")
        if new != page:
            self.page.write_text(new, encoding="utf-8")

    def stamped(self):
        """The stamp of the block: the block without it, its sentence and what follows; None if it has none."""
        text = self.read()
        stamp = text and STAMP.search(text)
        return stamp and (text[:stamp.start()], SINCE.sub(".", stamp[1]), *stamp.groups())

    def commit(self):
        """The commit that it was measured at; None if there was no git."""
        found = re.search(r" at `(\w+)`", self.stamped()[1])
        return found and found[1]

    def since(self):
        """How it is stale; empty if it isn't."""
        _, sentence, _, files, _, _ = self.stamped()
        given = dict(re.findall(r"(\w+)=(\w+)", re.search("`make ([^`]*)`", sentence)[1]))
        other = " ".join(f"{name}={value}" for name, value in given.items() if value != self.variables.get(name, value))
        if files == self.files():
            return f"measured with {other}" if other else ""
        return self.changes()

    def state(self):
        """fresh, stale, or kept: stale, but build/figures.kept has it."""
        if not self.wrong() and not self.since():
            return "fresh"
        return "kept" if all(path.exists() for path in self.kept()) else "stale"

    def kept(self, files=None):
        """Where build/figures.kept has the block of these files, and its rows."""
        path = STORE / f"{self.name}-{files or self.files()}"
        return [path, path.with_name(f"{path.name}.tsv")] if self.rows else [path]

    def wrong(self):
        """What is wrong with the block, other than being stale."""
        if self.read() is None:
            return NO_BLOCK % self.name
        stamp = self.stamped()
        if not stamp:
            return f"the block of make {self.name} has no stamp: measure it by make {self.name}"
        block, sentence, _, _, is_digest, failed = stamp
        if digest(block + sentence + self.read_rows()) != is_digest:
            return f"the block of make {self.name}{f' or {self.rows}' if self.rows else ''} was changed by hand: make figures restores it"
        return f"make {self.name} failed when it measured this" if failed else None

    def put(self, lines, failed=False, rows=None):
        """Puts lines into the block, stamped with what is here, and the text of its rows into their file."""
        commit = (git("rev-parse", "--short", "HEAD") or b"").decode().strip()
        dirty = commit and self.codes() != self.codes(commit)
        # As they were when the command began, if make figures runs it.
        files = os.environ.get("FIGURES_FILES") or self.files()
        variables = "".join(f" {name}={os.environ[name]}" for name in self.variables if os.environ.get(name))
        text = "\n".join(lines).rstrip("\n") + "\n"
        at = f" at `{commit}`{' with changes' if dirty else ''}" if commit else ""
        sentence = f"Measured by `make {self.name}{variables}`{at}, {datetime.date.today()}."
        if rows is not None:
            self.rows.write_text(rows, encoding="utf-8")
        is_digest = digest(text + sentence + self.read_rows())
        stamped = f"{text}\n{sentence}\n<!-- STAMP files {files} block {is_digest}{' failed' if failed else ''} -->\n"
        self.write(stamped)
        if not failed and not self.since():
            STORE.mkdir(parents=True, exist_ok=True)
            for path, kept in zip(self.kept(files), (stamped, self.read_rows())):
                path.write_text(kept, encoding="utf-8")

    def restore(self):
        block, *rows = self.kept()
        self.write(block.read_text(encoding="utf-8"))
        for path in rows:
            self.rows.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")

    def refresh(self):
        """Writes how many files have changed since. Returns whether that is another number than before."""
        stamp = self.stamped()
        if not stamp:
            return False
        since = self.since() if stamp[3] != self.files() else ""
        text = self.read()
        new = text.replace(f"\n{stamp[2]}\n<!-- STAMP", f"\n{SINCE.sub(f'; {since}.' if since else '.', stamp[1])}\n<!-- STAMP")
        self.write(new)
        return new != text


def table():
    """{name: Block} of all."""
    return parsed()[0]


@functools.cache
def parsed():
    """{name: Block} and {name: Run} of all."""
    groups, found, runs = {}, {}, {}

    def paths(words):
        return [path for word in words for path in (groups[word[1:]] if word.startswith("@") else [word])]

    text = re.sub(r"\n[ \t]+", " ", re.sub(r"^#.*\n", "", TABLE.read_text(encoding="utf-8"), flags=re.M))
    for line in text.splitlines():
        if not line.strip():
            continue
        head, _, tail = line.partition(":")
        kind, name, *more = head.split()
        if kind == "guest":
            continue
        if kind == "group":
            groups[name] = paths(tail.split())
        elif kind == "run":
            runs[name] = Run(name, more, paths(tail.split()))
        elif kind in ("count", "verdict") and more:
            found[name] = Block(kind, name, more[0], more[1:], paths(tail.split()))
        else:
            sys.exit(f"{TABLE}: no group, count, verdict, run or guest: {line}")
    Sources.names = {*found, *runs}
    return found, runs


def check(blocks, runs):
    wrong = []
    for name, run in runs.items():
        line = run.all().get(name)
        if line and line[5].startswith("failed"):
            wrong.append(f"{RUNS}: make {name} {line[5]}")
        elif line and run.state() != "fresh":
            print(f"stale: {RUNS}: make {name}: {run.changes()} {run.commit()}")
    if show_runs(runs, write=False):
        wrong.append(f"{RUNS_PAGE}: the table of make release differs from {RUNS}: run make readme")
    for block in blocks.values():
        problem = block.wrong()
        if problem:
            wrong.append(f"{block.page}: {problem}")
        stamp = block.stamped()
        since = stamp and block.since()
        if since:
            commit = block.commit()
            said = "" if since in stamp[2] or block.kind == "count" else " (the page has another number: make readme)"
            print(f"stale: {block.page}: make {block.name}: {since}{f' {commit}' if commit and since.endswith('since') else ''}{said}")
    for page in sorted(pathlib.Path("docs").glob("*.md")):
        for name in re.findall(r"^<!-- (?:OUTPUT OF|MADE BY) make (\S+): BEGIN -->$", page.read_text(encoding="utf-8"), re.M):
            # What docs.py counts, it checks as well.
            if name not in blocks and name not in ("safety-report", "release"):
                wrong.append(f"{page}: {TABLE} has no line for make {name}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


def main(command="", *arguments):
    blocks, runs = parsed()
    if command == "runs":
        unknown = [name for name in arguments if name not in runs]
        if unknown:
            sys.exit(f"ONLY={unknown[0]} is unknown: use {' '.join(runs)}")
        for name in arguments or runs:
            print(name, runs[name].state(), runs[name].files(), *(f"{key}={value}" for key, value in runs[name].variables.items()))
        return False
    if command == "ran":
        runs[arguments[0]].put(*arguments[1:])
        show_runs(runs)
        return False
    unknown = [name for name in arguments if name not in blocks and name != "failed"]
    if unknown:
        sys.exit(f"{TABLE} has no figures '{unknown[0]}': it has {', '.join(blocks)}")
    if command == "check":
        return check(blocks, runs)
    if command == "wanted":
        for name in arguments or [name for name, block in blocks.items() if block.kind == "count"]:
            print(name, blocks[name].state(), blocks[name].files(), *(f"{key}={value}" for key, value in blocks[name].variables.items()))
    elif command in ("put", "amend"):
        block, lines = blocks[arguments[0]], sys.stdin.read().splitlines()
        rows = "".join(line + "\n" for line in lines if "\t" in line and block.rows) or None
        lines = [line for line in lines if "\t" not in line or not block.rows]
        if command == "put":
            block.put(lines, "failed" in arguments, rows)
        else:
            block.amend(lines, rows)
    elif command == "restore":
        blocks[arguments[0]].restore()
    elif command == "refresh":
        for block in blocks.values():
            if block.refresh():
                print(f"{block.page}: make {block.name}: {block.since() or 'fresh'}")
        show_runs(runs)
    else:
        sys.exit("usage: figures.py check | wanted [NAME...] | put NAME [failed] | amend NAME | restore NAME | refresh | "
                 "runs [NAME...] | ran NAME FILES STATUS SECONDS RESULT")
    return False


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
