#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""mirrors.py: docs/c-to-rust.md and the code agree.

Each "`file`: `name`, `name`" in the second column of its tables must be in that file. A
C function that has become one of the policy is named in that file's documentation
("Mirrors `zswap_store_page()`"), unless it has kept its name. Prints what disagrees, and
fails if anything does.
"""

import os
import re
import sys

TABLE = "docs/c-to-rust.md"
CRATES = {"mm/zswap.c": "samples/rust/zswap_rs", "mm/swap_state.c": "samples/rust/swap_cache_rs"}


def main():
    bad, crate = [], None
    with open(TABLE, encoding="utf-8") as table:
        lines = table.read().splitlines()
    for line in lines:
        heading = re.match(r"#+ `(\S+\.c)`$", line)
        if heading or line.startswith("## "):
            # Below "What C says in comments" there are other tables.
            crate = CRATES.get(heading.group(1)) if heading and line.startswith("## ") else None
        row = re.match(r"\| `([^`]+)` \| ([^|]*) \|", line) if crate else None
        if not row:
            continue
        function, places = row.groups()
        documented, policy = False, False
        for place in re.finditer(r"`([\w/]+\.(?:rs|c))`: ((?:`[^`]+`(?:, )?)+)", places):
            path, names = place.groups()
            path = path if "/" in path else f"{crate}/{path}"
            if not os.path.exists(path):
                bad.append(f"{function}: there is no {path}")
                continue
            with open(path, encoding="utf-8") as source:
                text = source.read()
            code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
            for name in re.findall(r"`([^`]+)`", names):
                if not re.search(rf"\b{re.escape(name.split('::')[-1])}\b", code):
                    bad.append(f"{function}: {path} has no {name}")
            if path.startswith(crate) and path.endswith(".rs"):
                policy = True
                documented |= bool(re.search(rf"//[/!].*`{re.escape(function)}(\(\))?`|\bfn {re.escape(function)}\b", text))
        if policy and not documented and re.fullmatch(r"\w+|(struct|enum) \w+", function):
            bad.append(f"{function}: no file of the policy that the map names has it in its documentation")
    print("\n".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
