#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the disk of real data that the demonstration swaps.

usage, in the toolchain root: scripts/corpus.py OUT KERNEL_SOURCE VMLINUX PAGE_KIB

Page 0 is the index, a line "NAME FIRST_PAGE PAGES" for each corpus; the corpora follow.
"""

import ast
import glob
import os
import random
import sys

PAGE = int(sys.argv[4]) * 1024
PAGES = (16 << 20) // PAGE


def source(tree):
    """Kernel C, mm/ first, file after file."""
    data = bytearray()
    for folder in ("mm", "kernel", "fs"):
        for path in sorted(glob.glob(f"{tree}/{folder}/**/*.c", recursive=True)):
            if len(data) >= PAGES * PAGE:
                return data
            with open(path, "rb") as file:
                data += file.read()
    return data


def middle(path):
    """The middle of a file: code, past the headers and symbol tables. A shorter file is repeated."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        if size < PAGES * PAGE:
            return file.read() * (PAGES * PAGE // size + 1)
        file.seek(max(0, (size - PAGES * PAGE) // 2) // PAGE * PAGE)
        return file.read(PAGES * PAGE)


def library():
    """The largest shared library of this system."""
    return middle(max(glob.glob("/usr/lib/*/lib*.so*"), key=os.path.getsize))


def heap():
    """The anonymous memory of this process, after it has parsed much Python."""
    trees = []
    data = bytearray()
    for path in sorted(glob.glob(os.path.dirname(ast.__file__) + "/*.py"))[:60]:
        with open(path, encoding="utf-8") as file:
            trees.append(ast.parse(file.read()))
    with open("/proc/self/maps", encoding="ascii") as maps:
        areas = [line.split() for line in maps]
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for area in areas:
            if area[1] != "rw-p" or area[4] != "0" or area[5:] not in ([], ["[heap]"]):
                continue
            start, end = (int(address, 16) for address in area[0].split("-"))
            memory.seek(start)
            data += memory.read(min(end - start, PAGES * PAGE))
            if len(data) >= PAGES * PAGE:
                break
    return data


def main():
    out, tree, vmlinux = sys.argv[1:4]
    corpora = {
        "source": source(tree),
        "vmlinux": middle(vmlinux),
        "library": library(),
        "heap": heap(),
        "zeros": bytes(PAGES * PAGE),
        "random": random.Random(1).randbytes(PAGES * PAGE),
    }
    with open(out + ".new", "wb") as file:
        index = "".join(
            f"{name} {1 + PAGES * at} {PAGES}\n" for at, name in enumerate(corpora)
        )
        file.write(index.encode().ljust(PAGE, b"\0"))
        for name, data in corpora.items():
            if len(data) < PAGES * PAGE:
                sys.exit(f"corpus.py: {name} has only {len(data)} bytes")
            file.write(data[: PAGES * PAGE])
    os.rename(out + ".new", out)


main()
