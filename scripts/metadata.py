#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""metadata.py DOC DIR: compares the kernel memory that a page in zswap takes beside its data, in C and in Rust.

DIR has c.1 and rust.1, with lines STATE<tab>PAGES<tab>CACHE<tab>OBJECTS<tab>PER SLAB<tab>SLAB PAGES: what /proc/slabinfo
said while PAGES pages were in zswap. A cache's figure is the growth of its objects since nothing was stored, each with
its share of a full slab, divided by PAGES. (What a slab holds of freed neighbours depends on the order in which they were
freed, not on the layout.) Writes the table into DOC, between its marks. Fails if a state takes more than LIMITS of C.
"""

import os
import sys

import measured

PAGE = 4096
BEFORE = "before"
LIMITS = {"dense": 0.82, "sparse": 1.05}  # of what C takes
CACHES = {
    "c": ["zswap_entry", "radix_tree_node", "zs_handle", "zspage"],
    "rust": ["zswap_entry", "zswap_leaf", "radix_tree_node", "zs_handle", "zspage"],
}
# The caches of what has the pointers of 64 slots.
OF_SLOTS = {"c": "radix_tree_node", "rust": "zswap_leaf"}


def read(path):
    """{state: (pages, {cache: (objects more than before, bytes of a slab for each)})} of a boot."""
    states = {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 6 or fields[0] not in (BEFORE, *LIMITS):
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the guest went wrong")
            state, pages, cache, objects, per_slab, slab_pages = fields
            states.setdefault(state, (int(pages), {}))[1][cache] = int(objects), int(slab_pages) * PAGE / int(per_slab)
    impl = os.path.basename(path).split(".")[0]
    if any(sorted(states.get(state, (0, {}))[1]) != sorted(CACHES[impl]) for state in (BEFORE, *LIMITS)):
        sys.exit(f"{path}: each state needs the caches {', '.join(CACHES[impl])}")
    before = states.pop(BEFORE)[1]
    grown = {state: (pages, {cache: (objects - before[cache][0], size) for cache, (objects, size) in caches.items()})
             for state, (pages, caches) in states.items()}
    # Else the slots weren't in the order of the pages.
    pages, caches = grown["sparse"]
    if caches[OF_SLOTS[impl]][0] < pages:
        sys.exit(f"{path}: {pages} pages, but {caches[OF_SLOTS[impl]][0]} more of {OF_SLOTS[impl]}: the state isn't sparse")
    return grown


def main():
    doc, folder = sys.argv[1:]
    boots = measured.by_kernel([os.path.join(folder, file) for file in sorted(os.listdir(folder))], read)
    lines, bad = ["| state | cache | C | Rust | ratio |", "|---|---|---:|---:|---:|"], []
    for state, limit in LIMITS.items():
        taken = {}
        for impl, (boot, *_) in boots.items():
            pages, caches = boot[state]
            taken[impl] = {cache: objects * size / pages for cache, (objects, size) in caches.items()}
        for cache in CACHES["rust"]:
            cells = (f"{taken[impl][cache]:.2f}" if cache in taken[impl] else "-" for impl in ("c", "rust"))
            lines.append(f"| {state} | `{cache}` | {' | '.join(cells)} | |")
        c, rust = (sum(taken[impl].values()) for impl in ("c", "rust"))
        lines.append(f"| {state} | **sum** | {c:.2f} | {rust:.2f} | {rust / c:.3f} |")
        if rust > limit * c:
            bad.append(f"metadata: {state} takes {rust / c:.3f} of C, more than {limit}")
    measured.put_output(doc, "make metadata", lines, len(bad) > 0)
    print("\n".join(lines + bad))
    return len(bad) > 0


if __name__ == "__main__":
    sys.exit(main())
