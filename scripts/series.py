#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes the project as a series of patches to be mailed, by git format-patch.

usage, in the toolchain root: series.py PRISTINE OVERLAY OUT, where OVERLAY is the source with the project laid on
it and PRISTINE the one without.

Moves files from their paths in the overlay to their upstream paths. Splits files that several commits touch (a
list of modules, Kconfig): each commit has only the lines whose files already exist.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

# The upstream path of a file of the overlay, by its path's prefix.
HOMES = [
    ("samples/rust/zswap_rs/kunit/", "mm/tests/zswap/"),
    ("samples/rust/zswap_rs/", "mm/zswap/"),
    ("samples/rust/swap_cache_rs/", "mm/swap_cache/"),
]
# LZ4 in Rust needs a crate from outside: it would have to be vendored.
WITHOUT = re.compile(r"samples/rust/lz4_rs/|kernel/crypto/scompress|kunit/(?:lz4\.c|scale\.c|time\.)|^crypto/|^Kbuild$"
                     # Support for KCSAN is a series of its own.
                     r"|^scripts/|^lib/|^Documentation/dev-tools/")

# The commits: subject, body, and the files (as the overlay has them) that are new or complete with it.
COMMITS = [
    ("rust: xarray: Plain arrays, and access without a guard", "patches/0003",
     r"rust/kernel/xarray\.rs|rust/helpers/xarray\.c"),
    ("rust: alloc: Zeroed boxes on a node, possible nodes, and three flags", "patches/0004",
     r"rust/kernel/alloc\.rs|rust/kernel/alloc/.*"),
    ("rust: workqueue, task, mm: Add what zswap needs in reclaim", "patches/0005",
     r"rust/kernel/(task|workqueue)\.rs|rust/helpers/(mm|task|workqueue)\.c"),
    ("rust: bug: Add warn_on_once!", "patches/0006",
     r"rust/kernel/bug\.rs"),
    ("rust: print: Check the prefix and the format at compile time", "patches/0011",
     r"rust/kernel/print\.rs"),
    ("rust: Add abstractions for a cache that is used in reclaim",
     """Objects of a slab cache, nodes,
and plugs.

They are built into the kernel crate only with their users, since all
functions of the crate are exported to modules.""",
     r"rust/kernel/(block/|nodemask|race|slab).*"
     r"|rust/helpers/(kmem_cache|nodemask|percpu_refcount|topology)\.c"),
    ("rust: mm: Folios, memory cgroups and swap entries",
     """A folio's state is a type: locked, in the swap cache, not uptodate. A call
from C is a scope: everything that C lends borrows from a value that lives
in the called function, so it can't outlive the call.""",
     r"rust/kernel/mm/(call|debug|folio|memalloc|memcontrol|swapops|vmstat)\.rs"
     r"|rust/kernel/shrinker\.rs|rust/helpers/(folio|list_lru|memcontrol|swap|vmstat)\.c"),
    ("rust: crypto: Compressors",
     """Transforms of acomp with their requests, up to eight of them in flight: a
call can't return before all have completed.""",
     r"rust/kernel/crypto\.rs|rust/kernel/crypto/.*|rust/helpers/(acompress|sg)\.c"),
    ("rust: mm: The swap cache, its table and readahead",
     """Swap-table entries are a type that takes its layout from mm/swap_table.h.
Tracepoints take closures: a disabled event evaluates none of its fields.

swap_range_free() invalidates a range of freed slots in zswap. In C that is
the loop that it had.""",
     r"rust/kernel/mm/(fault|swap_(?:add|cache|cluster|readahead|table)|trace_event)\.rs|rust/helpers/swap_cache\.c|mm/swap(file)?\.[ch]"
     r"|include/trace/events/zswap\.h|samples/rust/zswap_rs/trace\.c"),
    ("mm: zswap: An implementation in Rust, by Kconfig",
     """With CONFIG_ZSWAP_RUST, the Rust implementation is built instead of
mm/zswap.o and defines the same functions. User space and callers in the
kernel see the same interfaces and behaviour, except for documented fixes.

The core, in core/, has zswap's mechanism: entries, the index of slots, the
LRU lists, charges and pools. Access to the entry of a swap slot requires a
witness that the slot can't be freed: a locked folio in the swap cache, or
the slot being freed under the lock of its cluster. The policy above the
core has no unsafe code; the C ABI is in exports.rs.""",
     r"samples/rust/zswap_rs/(core/)?[a-z_]+\.(rs|c)|mm/zswap\.c"),
    ("mm: swap_state: An implementation in Rust of its hot half, by Kconfig", "patches/0007",
     r"samples/rust/swap_cache_rs/.*|mm/swap_state\.c"),
    ("mm: Swap in large folios from zswap as a whole",
     """Once zswap was enabled, do_swap_page() swaps in no large folio from any
device, and shmem swaps in none either: some slots may be in zswap, and
others on the device. With zswap and the swap cache in Rust, the orders to
try come from swapin_large_orders(). Whether zswap, or the device, can
provide each page of such an order is decided under the lock of their
cluster, in the critical section in which the folio is added to the swap
cache.

zswap fills the folio and leaves the entries in their slots, so that the
folio is clean until its first mapping. zswap_folio_mapped() then makes it
dirty and frees the entries. Until then it can be deleted from the swap
cache if it can't be mapped: because its slots are shared by now, because
a page of it is hardware-poisoned, or because the page table has changed.

shmem tries the order that was swapped out, also on a device with
readahead, and marks the folio dirty when it is in the page cache.

vm.page-cluster does not limit such folios, as it never limited those of
synchronous devices.

Without CONFIG_ZSWAP_LARGE_SWAPIN the checks are those that were there.""",
     r"mm/(memory|shmem)\.c|Documentation/.*"),
    ("mm: zswap, swap_state: KUnit tests of what their callers rely on",
     """For either implementation: they call the functions that the rest of the
kernel calls. Race points, at which a test holds a task, force races.""",
     r"samples/rust/zswap_rs/kunit/.*"),
    ("MAINTAINERS: Add zswap and the swap cache in Rust",
     """In addition to the maintainers of the C, who decide what both must do.""",
     r"MAINTAINERS"),
]

MAINTAINERS = """ZSWAP AND SWAP CACHE [RUST]
M:	THE SENDER
L:	linux-mm@kvack.org
L:	rust-for-linux@vger.kernel.org
S:	Maintained
F:	include/trace/events/zswap.h
F:	mm/swap_cache/
F:	mm/tests/zswap/
F:	mm/zswap/
F:	rust/kernel/crypto/acompress.rs
F:	rust/kernel/mm/

"""


def home(path):
    for begin, to in HOMES:
        if path.startswith(begin):
            return to + path[len(begin):]
    return path


def rehome(text):
    for begin, to in HOMES:
        text = text.replace(begin, to)
    return text


def message(commit):
    subject, body, _ = commit
    if body.startswith("patches/"):
        text = next(pathlib.Path("patches").glob(body.removeprefix("patches/") + "-*.patch")).read_text()
        body = text.split("\n---\n")[0].split("\n\n", 1)[1]
    return f"{subject}\n\n{rehome(body).strip()}\n"


def filtered(path, text, present):
    """The text of a split file, limited to lines whose files exist."""
    at = pathlib.PurePath(path)
    if path == "rust/kernel/lib.rs" or re.fullmatch(r"rust/kernel/\w+\.rs", path):
        folder = at.parent if at.name == "lib.rs" else at.with_suffix("")

        def keep(match):
            name = match["name"]
            return match[0] if any(f in present for f in (f"{folder}/{name}.rs", f"{folder}/{name}/mod.rs")) else ""
        return re.sub(r"(?:^#\[cfg\([^\n]*\)\]\n)?^pub mod (?P<name>\w+);\n", keep, text, flags=re.M)
    if path == "rust/helpers/helpers.c":
        text = re.sub(r'^#include "(\w+\.c)"\n', lambda m: m[0] if f"rust/helpers/{m[1]}" in present else "", text, flags=re.M)
        return re.sub(r"\n#ifdef CONFIG_\w+\n#endif\n", "", text)
    if path == "rust/bindings/bindings_helper.h":
        text = re.sub(r"\n#ifdef CONFIG_RUST_CRYPTO_SCOMPRESS\n.*?#endif\n", "", text, flags=re.S)
        if "rust/kernel/slab.rs" not in present:
            text = re.sub(r"\n(/\* For swap in Rust\. \*/\n)?#ifdef CONFIG_(RUST_SWAP_ABSTRACTIONS|ZSWAP_RUST)\n.*?#endif\n", "", text, flags=re.S)
            return text
        if "include/trace/events/zswap.h" not in present:
            text = text.replace("#include <trace/events/zswap.h>\n", "")
        if "rust/kernel/mm/swap_table.rs" not in present:
            text = text.replace("#include <../../mm/swap_table.h>\n", "")
            text = re.sub(r"\n/\*\n \* The layout of a swap table's.*?#pragma pop_macro\(\"min\"\)\n", "", text, flags=re.S)
        return text
    return text


def git(repo, *args, **kwargs):
    env = dict(os.environ, GIT_AUTHOR_NAME="THE SENDER", GIT_AUTHOR_EMAIL="sender@example.org",
               GIT_COMMITTER_NAME="THE SENDER", GIT_COMMITTER_EMAIL="sender@example.org",
               GIT_AUTHOR_DATE="2026-01-01T00:00:00Z", GIT_COMMITTER_DATE="2026-01-01T00:00:00Z",
               GIT_CONFIG_GLOBAL="/dev/null")
    return subprocess.run(["git", "-C", repo, "-c", "core.abbrev=12", "-c", "init.defaultBranch=main", *args],
                          check=True, env=env, text=True, capture_output=True, **kwargs).stdout


def kconfig_of(text, present):
    """The blocks of the project's Kconfig whose files exist at this commit."""
    blocks = re.findall(r"(?:^#[^\n]*\n)*^choice\n.*?^endchoice\n|(?:^#[^\n]*\n)*^config \w+\n(?:[ \t][^\n]*\n|\n(?=[ \t]))*", text, re.M | re.S)
    tests = any(p.startswith("mm/tests/zswap/") for p in present)
    zswap, cache = "mm/zswap/zswap_rs.rs" in present, "mm/swap_cache/swap_cache_rs.rs" in present
    out = ["# SPDX-License-Identifier: GPL-2.0\n"]
    for block in blocks:
        name = re.search(r"^config (\w+)", block, re.M)[1]
        if name == "ZSWAP_C" and not zswap or name == "SWAP_CACHE_C" and not cache:
            continue
        if name == "ZSWAP_RUST_KUNIT_TEST" and not zswap:
            continue
        if "LZ4" in name or "_AB_" in name or name in ("ZSWAP_TIME_KUNIT_TEST", "ZSWAP_SCALE_KUNIT_TEST"):
            continue
        if name == "ZSWAP_LARGE_SWAPIN" and "mm/memory.c" not in present:
            continue
        if name not in ("ZSWAP_C", "SWAP_CACHE_C", "RUST_SWAP_ABSTRACTIONS", "ZSWAP_LARGE_SWAPIN", "ZSWAP_RUST_KUNIT_TEST") and not tests:
            continue
        if not block.startswith("choice") and "\nchoice" in block:
            sys.exit("series.py: can't split Kconfig")
        out.append(block.rstrip("\n") + "\n")
    return "\n".join(out)


def mm_makefile(text, present):
    """The lines for C's Makefile, in place of the top one."""
    lines = []
    if "mm/zswap/trace.c" in present:
        lines.append("obj-$(CONFIG_SWAP)\t+= zswap/\n")
    if "mm/swap_cache/swap_cache_rs.rs" in present:
        lines.append("obj-$(CONFIG_SWAP_CACHE_RUST)\t+= swap_cache/\n")
    if any(p.startswith("mm/tests/zswap/") for p in present):
        lines.append("obj-$(CONFIG_SWAP)\t+= tests/zswap/\n")
    at = "obj-$(CONFIG_SWAP)\t+= page_io.o swap_state.o swapfile.o\n"
    if at not in text:
        sys.exit("series.py: mm/Makefile isn't what this was written for")
    text = text.replace(at, at + "".join(lines))
    if "mm/zswap/zswap_rs.rs" in present:
        text = text.replace("obj-$(CONFIG_ZSWAP)\t+= zswap.o\n",
                            "ifndef CONFIG_ZSWAP_RUST\nobj-$(CONFIG_ZSWAP)\t+= zswap.o\nendif\n")
    return text


def zswap_makefile(text, present):
    text = re.sub(r"^(obj-[^\n]* \+= kunit/|# Where a comparison [^\n]*)\n", "", text, flags=re.M).rstrip("\n") + "\n"
    if "mm/zswap/zswap_rs.rs" not in present:
        text = re.sub(r"^(obj-\$\(CONFIG_ZSWAP_RUST\)|# The composite|# Rust calls|zswap-y|CFLAGS_glue)[^\n]*\n", "", text, flags=re.M)
    return text


def main():
    pristine, overlay, out = map(pathlib.Path, sys.argv[1:])
    repo = out / "tree"
    shutil.rmtree(out, ignore_errors=True)
    repo.mkdir(parents=True)
    git(repo, "init", "-q")

    manifest = [p for p in pathlib.Path("build/overlay/manifest").read_text().split() if not WITHOUT.search(p)]
    touched = {"mm/Kconfig", "mm/Makefile", "MAINTAINERS", *[p for p in manifest if (pristine / p).exists()]}
    for path in touched:
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(pristine / path, repo / path)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Linux")

    whole = set()  # of the overlay, by its paths
    base = {str(p.relative_to(pristine)) for folder in ("rust/kernel", "rust/helpers")
            for p in (pristine / folder).rglob("*.[rc]*")}
    parted = {"rust/kernel/lib.rs", "rust/kernel/mm.rs", "rust/kernel/block.rs",
              "rust/kernel/crypto.rs", "rust/helpers/helpers.c", "rust/bindings/bindings_helper.h"}
    left = set(manifest) - {"mm/Kconfig", "mm/Makefile", "samples/rust/zswap_rs/Kconfig", "samples/rust/zswap_rs/Makefile",
                            "samples/rust/swap_cache_rs/Makefile", "samples/rust/zswap_rs/kunit/Makefile"} - parted
    begun = False
    for number, commit in enumerate(COMMITS):
        files = {path for path in left if re.fullmatch(commit[2], path)}
        left -= files
        whole |= files
        # The new abstractions begin with the fifth.
        begun = begun or number == 4
        present = {home(path) for path in whole} | base
        if "rust/kernel/crypto/acompress.rs" in present:
            whole.add("rust/kernel/crypto.rs")
            present.add("rust/kernel/crypto.rs")
        for path in files:
            to = repo / home(path)
            to.parent.mkdir(parents=True, exist_ok=True)
            text = rehome((overlay / path).read_text())
            if home(path).startswith("mm/tests/"):
                text = text.replace('"../../../../mm/', '"../../')
            to.write_text(re.sub(r"^.*LZ4_RUST.*\n", "", text, flags=re.M) if path.endswith(".kunitconfig") else text)
        if "rust/kernel/alloc.rs" in whole and not begun:
            path = "rust/bindings/bindings_helper.h" # for flags
            (repo / path).write_text(filtered(path, (overlay / path).read_text(), present))
        if begun:
            for path in parted:
                if path == "rust/kernel/crypto.rs" and path not in present:
                    continue
                (repo / path).write_text(filtered(path, (overlay / path).read_text(), present))
            (repo / "mm/zswap").mkdir(exist_ok=True)
            (repo / "mm/zswap/Kconfig").write_text(
                kconfig_of((overlay / "samples/rust/zswap_rs/Kconfig").read_text(), present))
            text = (pristine / "mm/Kconfig").read_text()
            at = text.index("config ZSMALLOC\n")
            (repo / "mm/Kconfig").write_text(text[:at] + 'source "mm/zswap/Kconfig"\n\n' + text[at:])
            (repo / "mm/Makefile").write_text(mm_makefile((pristine / "mm/Makefile").read_text(), present))
        if "mm/zswap/trace.c" in present:
            text = (overlay / "samples/rust/zswap_rs/Makefile").read_text()
            (repo / "mm/zswap/Makefile").write_text(zswap_makefile(text, present))
        if "mm/swap_cache/swap_cache_rs.rs" in present:
            shutil.copy(overlay / "samples/rust/swap_cache_rs/Makefile", repo / "mm/swap_cache/Makefile")
        if any(p.startswith("mm/tests/zswap/") for p in present):
            text = (overlay / "samples/rust/zswap_rs/kunit/Makefile").read_text()
            text = re.sub(r"^[^\n]*(LZ4|lz4|zswap_time|zswap_scale|_AB_)[^\n]*\n", "", text, flags=re.M)
            (repo / "mm/tests/zswap/Makefile").write_text(text)
        if commit[2] == "MAINTAINERS":
            text = (pristine / "MAINTAINERS").read_text()
            at = text.index("ZSWAP COMPRESSED SWAP CACHING\n")
            (repo / "MAINTAINERS").write_text(text[:at] + MAINTAINERS + text[at:])
        git(repo, "add", "-A")
        if not git(repo, "status", "--porcelain"):
            sys.exit(f"series.py: nothing in '{commit[0]}'")
        git(repo, "commit", "-q", "-F", "-", input=message(commit))
    if left:
        sys.exit(f"series.py: no commit has {' '.join(sorted(left))}")
    git(repo, "format-patch", "-q", "--cover-letter", "-o", str((out / "zswap-in-rust").absolute()), f"HEAD~{len(COMMITS)}")


main()
