#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""panics.py BUILD: lists the panic functions that the project's Rust code, and lz4_flex, refer to.

Prints a line for each caller, and fails if docs/design.md has no reason for one.
"""

import pathlib
import re
import subprocess
import sys

# The project's modules of the kernel crate, as in symbol names: each file, and the XArray, which a
# patch changes.
FILES = pathlib.Path("rust/kernel").rglob("*.rs")
NAMES = ["xarray", *("::".join(path.relative_to("rust/kernel").with_suffix("").parts) for path in FILES)]
MODULES = re.compile(r"kernel::(" + "|".join(map(re.escape, NAMES)) + r")::")


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


def main():
    build = sys.argv[1]
    found = set()
    for path in "zswap_rs/zswap_rs", "swap_cache_rs/swap_cache_rs", "lz4_rs/lz4_rs", "lz4_rs/lz4_flex":
        found |= set(callers(f"{build}/samples/rust/{path}.o", lambda f: True))
    found |= set(callers(f"{build}/rust/kernel.o", MODULES.search))
    found = {pair for pair in found if "::tests::" not in pair[0]}
    with open("docs/design.md", encoding="utf-8") as design:
        listed = set(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", design.read(), re.M))
    for pair in sorted(found):
        print("%s reaches %s%s" % (*pair, "" if pair in listed else ": not in docs/design.md"))
    for pair in sorted(listed - found):
        print("%s no longer reaches %s: take it out of docs/design.md" % pair)
    return found != listed


sys.exit(main())
