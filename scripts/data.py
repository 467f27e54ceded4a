#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Data that guests swap, in the toolchain root.

  data.py corpus OUT KERNEL_SOURCE VMLINUX PAGE_KIB
      The disk of real data that the demonstration swaps. Page 0 is the index, a line "NAME FIRST_PAGE PAGES" for each
      corpus; the corpora follow.
  data.py workloads DIR
      The input of the programs of the measurement workloads, and what they must answer, always the same:
        sort.in, sort.sum           log lines, nearly in order as a log of many threads is, and the checksum of them sorted
        valkey.set, .get, .want     commands that set each key to a text of its own, that read all in random order, and
                                    what that prints
"""

import ast
import glob
import hashlib
import os
import pathlib
import random
import sys

# --- compressors -----------------------------------------------------------------------------

SIZE = 16 << 20  # of a corpus


def sources(tree):
    """Kernel C, mm/ first, file after file."""
    data = bytearray()
    for folder in ("mm", "kernel", "fs"):
        for path in sorted(glob.glob(f"{tree}/{folder}/**/*.c", recursive=True)):
            if len(data) >= SIZE:
                return data
            with open(path, "rb") as file:
                data += file.read()
    return data


def middle(path, page):
    """The middle of a file: code, past the headers and symbol tables. A shorter file is repeated."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        if size < SIZE:
            return file.read() * (SIZE // size + 1)
        file.seek(max(0, (size - SIZE) // 2) // page * page)
        return file.read(SIZE)


def library(page):
    """The largest shared library of this system."""
    return middle(max(glob.glob("/usr/lib/*/lib*.so*"), key=os.path.getsize), page)


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
            data += memory.read(min(end - start, SIZE))
            if len(data) >= SIZE:
                break
    return data


def corpus(out, tree, vmlinux, page_kib):
    page = int(page_kib) * 1024
    corpora = {
        "source": sources(tree),
        "vmlinux": middle(vmlinux, page),
        "library": library(page),
        "heap": heap(),
        "zeros": bytes(SIZE),
        "random": random.Random(1).randbytes(SIZE),
    }
    with open(out + ".new", "wb") as file:
        index = "".join(f"{name} {1 + SIZE // page * at} {SIZE // page}\n" for at, name in enumerate(corpora))
        file.write(index.encode().ljust(page, b"\0"))
        for name, data in corpora.items():
            if len(data) < SIZE:
                sys.exit(f"data.py: {name} has only {len(data)} bytes")
            file.write(data[:SIZE])
    os.rename(out + ".new", out)

# --- workloads -------------------------------------------------------------------------------


LINES = 30_000
KEYS = 8_000
AT_ONCE = 50
WORDS = ("page folio swap cache entry lock device slot cluster reclaim writeback fault memory limit cgroup read write "
         "object pool buffer length offset index tree leaf table shadow order node zone list batch").split()


def text(source, least):
    """Words and numbers of at least so many characters."""
    words = []
    while least > 0:
        words.append(source.choice(WORDS) if source.random() < 0.7 else format(source.getrandbits(24), "x"))
        least -= len(words[-1]) + 1
    return " ".join(words)


def workloads(folder):
    folder = pathlib.Path(folder)
    source = random.Random(1)
    lines = [f"{1_700_000_000_000 + 20 * i + source.randrange(2_000_000)} {text(source, 180)}\n" for i in range(LINES)]
    (folder / "sort.in").write_text("".join(lines), encoding="ascii")
    lines.sort()
    (folder / "sort.sum").write_text(hashlib.sha256("".join(lines).encode()).hexdigest() + "\n", encoding="ascii")

    keys = {f"key:{i}": text(source, 1000 + source.randrange(1000)) for i in range(KEYS)}
    with open(folder / "valkey.set", "w", encoding="ascii", newline="") as file:
        for key, value in keys.items():
            file.write(f"*3\r\n$3\r\nSET\r\n${len(key)}\r\n{key}\r\n${len(value)}\r\n{value}\r\n")
    order = list(keys)
    source.shuffle(order)
    (folder / "valkey.get").write_text(
        "".join(f"MGET {' '.join(order[at:at + AT_ONCE])}\n" for at in range(0, KEYS, AT_ONCE)), encoding="ascii")
    (folder / "valkey.want").write_text("".join(keys[key] + "\n" for key in order), encoding="ascii")

# --- Both ------------------------------------------------------------------------------------


if __name__ == "__main__":
    {"corpus": corpus, "workloads": workloads}[sys.argv[1]](*sys.argv[2:])
