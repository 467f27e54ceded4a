# SPDX-License-Identifier: GPL-2.0
"""The stack usage of each path through zswap and the swap cache, in C and in Rust.

Reads the kernels in build/plain-c and build/plain-rust. A path starts where the kernel enters one of the two and
ends where that calls a function of the kernel again; its usage is the sum of the frames between,
including return addresses. Of several paths between the two, the deepest counts. The kernel's
scripts/checkstack.pl isn't usable here: it omits pushed registers, and counts a frame that clang
releases by "add" twice.

Paths combine into chains: a fault that charges a page enters reclaim, which stores, which
writes back, which decompresses. Fails if Rust's largest chain takes more than 10 % more than C's
largest. "measure.py stack -n -v" prints the functions on each path and their frames as well.
"""

import os
import re
import subprocess

from results import table

# The functions counted as their own: in Rust also generic code that they instantiate.
OWN = {
    "c": ["mm/zswap.o", "mm/swap_state.o"],
    "rust": ["samples/rust/zswap_rs/zswap_rs.o", "samples/rust/zswap_rs/glue.o",
             "samples/rust/swap_cache_rs/swap_cache_rs.o", "mm/swap_state.o", "rust/kernel.o", "rust/core.o", "rust/helpers/helpers.o"],
}

CHARGE = "mem_cgroup_swapin_charge_folio"

# A path: its purpose, its start (in C; in Rust, if named differently), its end.
PATHS = [
    ("store, to compress", "zswap_store", None, "crypto_acomp_compress"),
    ("store, to allocate", "zswap_store", None, "zs_malloc"),
    ("store, to the tree", "zswap_store", None, "__xa_store|xa_store|__xa_insert"),
    ("store, to its cgroup's LRU", "zswap_store", None, "list_lru_walk_one"),
    ("store of eight pages at once, to compress", "zswap_store", None, "crypto_acomp_compress"),
    ("store of eight pages at once, to allocate", "zswap_store", None, "zs_malloc"),
    ("load, to decompress", "zswap_load", None, "crypto_acomp_decompress"),
    ("invalidate, to free", "zswap_invalidate", None, "zs_free"),
    ("shrinker, to the LRU", "zswap_shrinker_scan", r"shrinker::.*scan", "list_lru_walk_one"),
    ("limit worker, to the LRU", "shrink_worker", "zswap_rs_shrink$", "list_lru_walk_one"),
    ("writeback, to add the folio", "shrink_memcg_cb", r"lru::.*visit.*shrink::walk", "swap_cache_alloc_folio"),
    ("writeback, to decompress", "shrink_memcg_cb", r"lru::.*visit.*shrink::walk", "crypto_acomp_decompress"),
    ("writeback, to the device", "shrink_memcg_cb", r"lru::.*visit.*shrink::walk", "__swap_writepage"),
    ("add, to charge", "swap_cache_alloc_folio", None, CHARGE),
    ("swapin, to charge", "swapin_sync", None, CHARGE),
    ("swapin, to read", "swapin_sync", None, "swap_read_folio"),
    ("single-page readahead, to charge", "read_swap_cache_async", None, CHARGE),
    ("readahead, to charge", "swapin_readahead", None, CHARGE),
    ("readahead, to read", "swapin_readahead", None, "swap_read_folio"),
    ("cluster readahead, to charge", "swap_cluster_readahead", None, CHARGE),
    ("delete, to free", "swap_cache_del_folio", None, "__swap_cluster_free_entries"),
]

# The functions that start paths which the kernel's functions at a path's end may call on the same stack.
# Reclaim doesn't enter reclaim again (PF_MEMALLOC), so it occurs once in a chain.
RECLAIM = "reclaim"
NEXT = {
    CHARGE: RECLAIM,
    "list_lru_walk_one": "shrink_memcg_cb",
    "swap_cache_alloc_folio": "swap_cache_alloc_folio",
    "swap_read_folio": "zswap_load",
    "__swap_cluster_free_entries": "zswap_invalidate",
}
IN_RECLAIM = ("zswap_store", "zswap_shrinker_scan")
LIMIT = 1.1

# Without a counterpart in C, and only for asynchronous compressors: these paths go through it, no others do.
TOGETHER = "compress_in_queue"
TOGETHER_LIMIT = 16384 // 10  # bytes, of the stack

# The rows of the table of sizes. The functions of KUnit suites in Rust, and what is generic over their types, have the
# module "tests" in their names; their strings have no names.
CODE, UNTESTED, READ_ONLY, DATA, ZEROED = IMAGE = (
    "code", "code without KUnit suites in Rust", "constants and tables, read-only", "data", "zeroed data")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Kernel:
    """The frames of zswap's own functions, and their callees."""

    def __init__(self, impl):
        build = f"build/plain-{impl}"
        self.own = set()
        for path in OWN[impl]:
            if os.path.exists(f"{build}/{path}"):  # helpers.o is not, if helpers are inlined
                self.own |= set(re.findall(r" [tTwW] (\S+)$", run("nm", f"{build}/{path}"), re.M))
        self.frames, self.calls = {}, {}
        name = None
        for line in run("objdump", "-d", "--no-show-raw-insn", f"{build}/vmlinux").splitlines():
            start = re.match(r"[0-9a-f]+ <(.*)>:$", line)
            if start:
                name = start.group(1)
                if name in self.own:
                    parts, self.calls[name] = {}, {}
                    self.frames[name] = 8  # the return address
            if name not in self.own:
                continue
            # Each register once, and the locals once: a function may have several prologues.
            part = re.search(r"\t(?:push +(%\w+)|sub +\$(0x\w+),(%rsp)|add +\$(0xf{8}\w+),%rsp)", line)
            if part:
                register, down, _, up = part.groups()
                size = 8 if register else int(down, 16) if down else (1 << 64) - int(up, 16)
                parts[register or "room"] = max(size, parts.get(register or "room", 0))
                self.frames[name] = 8 + sum(parts.values())
            call = re.search(r"\t(call|jmp) +[0-9a-f]+ <([^>+]+)>", line)
            if call and call.group(2) != name:
                # A jump to another function is a tail call: the frame is released by then.
                self.calls[name][call.group(2)] = call.group(1) == "call" or self.calls[name].get(call.group(2), False)

    def deepest(self, begin, end, avoid, above=()):
        """The largest usage of the paths from begin to end, and the functions on that path with their frames."""
        best = None
        for callee, stays in self.calls.get(begin, {}).items():
            if re.fullmatch(end, callee):
                path = (0, ())
            elif callee in self.own and callee not in above and not (avoid and avoid in callee):
                path = self.deepest(callee, end, avoid, (*above, begin))
            else:
                continue
            if path:
                frame = stays * self.frames[begin]
                path = (path[0] + frame, ((begin, frame), *path[1]))
                best = max(best or path, path)
        return best

    def find(self, name, pattern):
        """The function of that name, or else by its demangled name."""
        if name in self.own or not pattern:
            return name
        nice = dict(zip(run("llvm-cxxfilt", *sorted(self.own)).splitlines(), sorted(self.own)))
        return next((nice[full] for full in nice if re.search(pattern, full)), name)


def chains(paths, begin=None, reclaim=False):
    """All maximal chains of nested paths that start with the function begin."""
    for path in paths:
        name, first, end = path
        if begin is not None and first not in (IN_RECLAIM if begin == RECLAIM else (begin,)):
            continue
        inside = reclaim or begin == RECLAIM or first in IN_RECLAIM
        after = NEXT.get(end)
        # A charge in reclaim goes no further.
        further = list(chains(paths, after, inside)) if after and not (inside and after == RECLAIM) else []
        yield from ((name, *rest) for rest in further or [()])


def share(c, rust):
    return f"{100 * rust / c - 100:+.1f}"


def image(impl):
    """{what: bytes} of vmlinux. The linker gives .rodata the flag of writable sections, so size(1) counts it as data."""
    vmlinux, found = f"build/plain-{impl}/vmlinux", dict.fromkeys(IMAGE, 0)
    for name, kind, size, flags in re.findall(r"\] (\S+) +(\S+) +\w{16} \w+ (\w+) \S+ +(\w*A\w*) ", run("readelf", "-S", "-W", vmlinux)):
        what = CODE if "X" in flags else ZEROED if kind == "NOBITS" else DATA if "W" in flags and name != ".rodata" else READ_ONLY
        found[what] += int(size, 16)
    symbols = re.findall(r"^\w+ (\w+) [tT] (_R\S+)$", run("nm", "-S", vmlinux), re.M)
    names = run("llvm-cxxfilt", *(name for _, name in symbols)).splitlines()
    found[UNTESTED] = found[CODE] - sum(int(size, 16) for (size, _), name in zip(symbols, names) if "::tests::" in name)
    return found


def stack(_page, *options):
    kernels = {"C": Kernel("c"), "Rust": Kernel("rust")}
    taken, lost, cells, frames = {}, False, [], []
    for what, begin, pattern, end in PATHS:
        avoid = None if "at once" in what else TOGETHER
        there = kernels["C"].deepest(begin, end, avoid)
        here = kernels["Rust"].deepest(kernels["Rust"].find(begin, pattern), end, avoid)
        lost |= not there or not here
        lost |= not avoid and here is not None and not any(TOGETHER in name for name, _ in here[1])
        taken[what] = {"C": there[0] if there else 0, "Rust": here[0] if here else 0}
        cells.append([what, end.replace("|", " or "), taken[what]["C"], taken[what]["Rust"], share(there[0], here[0]) if there and here else "no path"])
        for impl, path in (("C", there), ("Rust", here)) if "-v" in options else ():
            frames.append(f"{what}, {impl}: " + ", ".join(f"{name} {frame}" for name, frame in (path[1] if path else ())))
    lines = table("paths, bytes", ["path", "ends at", ">C", ">Rust", ">change, %"], cells)

    # Of chains that differ only in their end, the deepest.
    deepest, begins = {}, {what: begin for what, begin, *_ in PATHS}
    for chain in chains([(what, begin, end) for what, begin, _, end in PATHS]):
        if begins[chain[0]] in NEXT.values():
            continue  # the end of longer ones, and of nothing else
        sums = {impl: sum(taken[what][impl] for what in chain) for impl in kernels}
        key = *chain[:-1], chain[-1].split(",")[0]
        if len(chain) > 1 and (key not in deepest or sums["Rust"] > deepest[key][1]["Rust"]):
            deepest[key] = chain, sums
    all_chains = [("; ".join(chain), *sums.values()) for chain, sums in sorted(deepest.values(), key=lambda item: -item[1]["Rust"])]
    # Rust's deepest chain, in both kernels; and the deepest of each. In C no chain depends on the compressor.
    cells, of_c, most = [], max(c for _, c, _ in all_chains), {}
    for kind, found in (("synchronous", [row for row in all_chains if "at once" not in row[0]]), ("asynchronous", all_chains)):
        cells += [(f"{kind} compressor, deepest in Rust", *found[0][1:]), (f"{kind} compressor, deepest of each", of_c, found[0][2])]
        most[kind] = found[0][2]
    sizes = {impl: image(impl) for impl in ("c", "rust")}
    for title, name, found in (("deepest chains, bytes", "chain", cells), ("chains, bytes", "chain", all_chains),
                               ("image (vmlinux), bytes", "what", [(what, sizes["c"][what], sizes["rust"][what]) for what in IMAGE])):
        lines += table(title, [name, ">C", ">Rust", ">change, %"], [(*row, share(*row[1:])) for row in found])
    lines.append("# without *; *: of chains that differ only in their end, the deepest in Rust")
    wrong = []
    if lost:
        wrong.append("stack: a path wasn't found: its function has another name now")
    if most["synchronous"] > LIMIT * of_c:
        wrong.append(f"stack: Rust's largest chain takes over {LIMIT * 100 - 100:.0f} % more than C's")
    if most["asynchronous"] > TOGETHER_LIMIT:
        wrong.append(f"stack: an asynchronous compressor's largest chain takes over {TOGETHER_LIMIT} bytes")
    return lines, frames + wrong, bool(wrong)
