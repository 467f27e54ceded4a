#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""workloads-data.py DIR: the input of the guests' programs, and what they must answer, always the same.

  sort.in, sort.sum           log lines, nearly in order as a log of many threads is, and the checksum of them sorted
  valkey.set, .get, .want     commands that set each key to a text of its own, that read all in random order, and
                              what that prints
"""

import hashlib
import pathlib
import random
import sys

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


def main():
    folder = pathlib.Path(sys.argv[1])
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


if __name__ == "__main__":
    main()
