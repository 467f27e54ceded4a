# SPDX-License-Identifier: GPL-2.0
"""Which lines of the policy and of zswap's core were executed.

  coverage.py ranges VMLINUX            the addresses for QEMU to log, for -dfilter
  measure.py coverage VMLINUX LOG...    the table, and the lines that are never reached

VMLINUX has line tables of its Rust code. A LOG is from QEMU's -d in_asm: QEMU logs each piece of code when
it first executes, and so translates, it.
"""

import bisect
import collections
import pathlib
import re
import subprocess
import sys

from results import table

POLICY = re.compile(r"samples/rust/((?:zswap_rs|zswap_rs/core|swap_cache_rs)/\w+\.rs)$")
DOC = pathlib.Path("docs/testing.md")


def output_of(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def uncalled(vmlinux):
    """(first address, address after the last) of each function of the policy that nothing can call.

    The compiler emits such a function for a method that it has inlined into all callers. Other objects
    can't refer to it by its Rust name, and an object refers to its own global functions by name.
    """
    named, made = set(), set()
    for name in "zswap_rs", "swap_cache_rs":
        rust = pathlib.Path(vmlinux).parent / "samples/rust" / name / f"{name}.o"
        named |= set(re.findall(r" (_R\w+)", output_of("llvm-readelf", "-r", "-W", rust)))
        made |= set(re.findall(r" T (_R\w+)", output_of("llvm-nm", rust)))
    for line in output_of("llvm-nm", "--print-size", vmlinux).splitlines():
        if (match := re.match(r"(\w+) (\w+) T (_R\w+)$", line)) and match[3] in made - named:
            yield int(match[1], 16), int(match[1], 16) + int(match[2], 16)


def line_table(vmlinux):
    """(first address, address after the last, lines) of each piece of the policy's objects.

    An inlined piece belongs to its own line, and to all lines that it was inlined into.
    """
    pieces, units, last = [], [], None
    text = output_of("llvm-dwarfdump", "--debug-line", vmlinux)
    for line in text.splitlines():
        if line.startswith("debug_line["):
            units.append([False, []])
            last = None
        elif match := re.match(r'include_directories\[ *\d+\] = ".*/samples/rust/\w+_rs(?:/core)?"', line):
            units[-1][0] = True
        elif match := re.match(r"0x([0-9a-f]{16}) +\d+ .* \d+ +(.*)", line):
            address = int(match[1], 16)
            if last is not None and address > last:
                units[-1][1].append((last, address))
            last = None if "end_sequence" in match[2] else address
    for policy, unit in units:
        pieces += unit if policy else []
    dead = list(uncalled(vmlinux))
    pieces = sorted(piece for piece in pieces
                    if not any(first <= piece[0] < after for first, after in dead))
    symbols = output_of("llvm-symbolizer", "--inlines", "--obj", vmlinux,
                        input="\n".join(f"{first:#x}" for first, _ in pieces))
    for (first, after), frames in zip(pieces, symbols.split("\n\n")):
        lines = set()
        for frame in frames.splitlines():
            if match := re.match(r"(.*):(\d+):\d+$", frame):
                policy = POLICY.search(match[1])
                if policy and match[2] != "0":
                    lines.add((policy[1], int(match[2])))
        yield first, after, lines


def ranges(vmlinux):
    """Merges adjacent pieces into ranges: QEMU checks every range for each piece that it translates."""
    merged = []
    for first, after, _ in line_table(vmlinux):
        if merged and first - merged[-1][1] < 4096:
            merged[-1][1] = max(after, merged[-1][1])
        else:
            merged.append([first, after])
    print(",".join(f"{first:#x}..{after - 1:#x}" for first, after in merged))


def executed(logs):
    """The addresses of the instructions that QEMU has translated."""
    seen = set()
    for log in logs:
        with open(log, errors="replace") as lines:
            for line in lines:
                if line.startswith("0x"):
                    seen.add(int(line[2:18].rstrip(":").split(":")[0], 16))
    return sorted(seen)


def explained():
    """For each file, the lines with a reason in docs/testing.md, with their number of occurrences."""
    lines = collections.defaultdict(collections.Counter)
    for name, sources in re.findall(r"^- `(\w+/(?:core/)?\w+\.rs)`, (.*?`): ", DOC.read_text(), re.M):
        lines[name].update(re.findall("`(.*?)`", sources))
    return lines


def coverage(_page, vmlinux, *logs):
    seen = executed(logs)
    reached = {}
    for first, after, lines in line_table(vmlinux):
        at = bisect.bisect_left(seen, first)
        hit = at < len(seen) and seen[at] < after
        for key in lines:
            reached[key] = reached.get(key, False) or hit

    # For make compare.
    pathlib.Path("build/log/coverage.tsv").write_text("".join(f"samples/rust/{name}\t{line}\t{hit:d}\n" for (name, line), hit in sorted(reached.items())))
    count = collections.defaultdict(lambda: [0, 0])
    reasons, unexplained, notes = explained(), 0, []
    for (name, line), hit in sorted(reached.items()):
        count[name][0] += 1
        count[name][1] += hit
        if not hit:
            source = pathlib.Path("samples/rust", name).read_text().splitlines()[line - 1].strip()
            why = reasons[name][source] > 0
            reasons[name][source] -= 1
            if "exports" not in name:
                unexplained += not why
            notes.append(f"{name}:{line}: {source}{'' if why else '   <- without a reason'}")
    for name, sources in reasons.items():
        notes += [f"{name}: {source}   <- reached, or removed: {DOC} still lists it" for source in (+sources).elements()]

    def shown(title, found):
        lines, hits = (sum(column) for column in zip(*found))
        return title, lines, hits, hits * 1000 // lines / 10

    policy = {name: row for name, row in count.items() if "exports" not in name}
    cells = [shown(name, [row]) for name, row in sorted(policy.items())]
    cells.append(shown("policy and core", policy.values()))
    cells += [shown(name, [row]) for name, row in sorted(count.items()) if name not in policy]
    _, lines, hits, _ = shown("", policy.values())
    failed = hits * 100 < lines * 95 or unexplained > 0
    if failed:
        notes.append(f"zswap_rs: {hits} of {lines} lines reached; {DOC} gives no reason for {unexplained}")
    return table("lines", ["module", ">lines", ">reached", ">%"], cells), notes, failed


if __name__ == "__main__":
    ranges(sys.argv[2])
