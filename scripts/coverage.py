# SPDX-License-Identifier: GPL-2.0
"""Which lines of the policy were executed.

  coverage.py ranges VMLINUX            what QEMU is to log, for -dfilter
  coverage.py report VMLINUX LCOV LOG...  the table, and the lines that nothing reaches

VMLINUX has line tables of its Rust code. A LOG is QEMU's -d in_asm: it translates a piece of code when
that is first executed, and says so. LCOV is what llvm-cov exports of the host's tests.
"""

import bisect
import collections
import pathlib
import re
import subprocess
import sys

POLICY = re.compile(r"samples/rust/((?:zswap_rs|swap_cache_rs)/\w+\.rs)$")
DOC = pathlib.Path("docs/coverage.md")
BEGIN, END = "<!-- MADE BY make coverage: BEGIN -->", "<!-- MADE BY make coverage: END -->"


def line_table(vmlinux):
    """(first address, address after the last, lines) of each piece of the policy's objects.

    A piece that was inlined belongs to the line that it is from, and to all that it was inlined into.
    """
    pieces, units, last = [], [], None
    text = subprocess.run(["llvm-dwarfdump", "--debug-line", vmlinux],
                          check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        if line.startswith("debug_line["):
            units.append([False, []])
            last = None
        elif match := re.match(r'include_directories\[ *\d+\] = ".*/samples/rust/\w+_rs"', line):
            units[-1][0] = True
        elif match := re.match(r"0x([0-9a-f]{16}) +\d+ .* \d+ +(.*)", line):
            address = int(match[1], 16)
            if last is not None and address > last:
                units[-1][1].append((last, address))
            last = None if "end_sequence" in match[2] else address
    for policy, unit in units:
        pieces += unit if policy else []
    pieces.sort()
    symbols = subprocess.run(["llvm-symbolizer", "--inlines", "--obj", vmlinux],
                             input="\n".join(f"{first:#x}" for first, _ in pieces),
                             check=True, capture_output=True, text=True).stdout
    for (first, after), frames in zip(pieces, symbols.split("\n\n")):
        lines = set()
        for frame in frames.splitlines():
            if match := re.match(r"(.*):(\d+):\d+$", frame):
                policy = POLICY.search(match[1])
                if policy and match[2] != "0":
                    lines.add((policy[1], int(match[2])))
        yield first, after, lines


def ranges(vmlinux):
    """Pieces close to each other are one range: QEMU looks at each for each piece that it translates."""
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


def on_the_host(lcov):
    """Lines with code, and whether they were reached."""
    lines, name = {}, None
    for line in open(lcov):
        if line.startswith("SF:"):
            match = POLICY.search(line.strip())
            name = match and match[1]
        elif name and line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            key = name, int(number)
            lines[key] = lines.get(key, False) or int(count) > 0
    return lines


def report(vmlinux, lcov, logs):
    seen = executed(logs)
    kernel = {}
    for first, after, lines in line_table(vmlinux):
        at = bisect.bisect_left(seen, first)
        hit = at < len(seen) and seen[at] < after
        for key in lines:
            kernel[key] = kernel.get(key, False) or hit
    host = on_the_host(lcov)

    count = collections.defaultdict(lambda: [0, 0, 0, 0])
    missed = []
    for name, line in sorted(kernel.keys() | host.keys()):
        row = count[name]
        row[0] += 1
        row[1] += kernel.get((name, line), False)
        row[2] += host.get((name, line), False)
        if kernel.get((name, line)) or host.get((name, line)):
            row[3] += 1
        else:
            missed.append((name, line))

    def shown(title, row):
        return f"| {title} | {row[0]} | {row[1]} | {row[2]} | {row[3] * 1000 // row[0] / 10} |"

    table = ["| module | lines with code | reached in the kernel | on the host | by either, % |",
             "|---|---:|---:|---:|---:|"]
    table += [shown(f"`{name}`", row) for name, row in sorted(count.items())]
    table.append(shown("**all**", [sum(column) for column in zip(*count.values())]))
    print("\n".join(table))

    text = DOC.read_text()
    reasons = set(re.findall(r"^\| `(\S+)` \| `(.*?)` \|", text, re.M))
    unexplained = 0
    for name, line in missed:
        source = pathlib.Path("samples/rust", name).read_text().splitlines()[line - 1].strip()
        explained = (name, source.replace("|", "\\|")) in reasons
        unexplained += not explained
        print(f"{name}:{line}: {source}{'' if explained else '   <- nobody has said why'}")
    DOC.write_text(text[: text.index(BEGIN)] + BEGIN + "\n" + "\n".join(table) + "\n" + text[text.index(END):])
    low = [name for name, row in count.items() if row[3] * 100 < row[0] * 95]
    if low or unexplained:
        sys.exit(f"zswap_rs: {unexplained} lines that no test reaches are not in docs/coverage.md; below 95 %: {', '.join(low) or 'none'}")


if sys.argv[1] == "ranges":
    ranges(sys.argv[2])
else:
    report(sys.argv[2], sys.argv[3], sys.argv[4:])
