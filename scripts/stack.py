#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""stack.py: the stack that zswap and the swap cache take on each way through them, in C and in Rust.

Reads the kernels in build/c and build/rust. A way begins where the kernel enters
one of the two and ends where it calls a function of the kernel's again; what it takes is
the sum of the frames between, return addresses included. If there are several ways
between the two, the deepest counts. The kernel's scripts/checkstack.pl is no judge
here: it leaves pushed registers out, and counts a frame that clang gives back by
"add" twice.

Fails if Rust takes more than 10 % more for what comes to lie on one another: a store, in
reclaim, and the shrinker, which writes back, which decompresses. "-v" shows the functions on each way.
"""

import os
import re
import subprocess
import sys

# What is counted as their own: in Rust also what they are instantiated from.
OWN = {
    "c": ["mm/zswap.o", "mm/swap_state.o"],
    "rust": ["samples/rust/zswap_rs/zswap_rs.o", "samples/rust/zswap_rs/glue.o",
             "samples/rust/swap_cache_rs/swap_cache_rs.o", "mm/swap_state.o", "rust/kernel.o", "rust/core.o", "rust/helpers/helpers.o"],
}

CHARGE = "mem_cgroup_swapin_charge_folio"

# A way: what it is for, where it begins (in C; in Rust, if called otherwise), where it ends.
WAYS = [
    ("store, to compress", "zswap_store", None, "crypto_acomp_compress"),
    ("store, to memory for it", "zswap_store", None, "zs_malloc"),
    ("store, to the tree", "zswap_store", None, "__xa_store|xa_store"),
    ("store, to its cgroup's own pages", "zswap_store", None, "list_lru_walk_one"),
    ("load, to decompress", "zswap_load", None, "crypto_acomp_decompress"),
    ("invalidate, to free", "zswap_invalidate", None, "zs_free"),
    ("pressure, to the list", "zswap_shrinker_scan", r"shrinker::.*scan", "list_lru_walk_one"),
    ("limit, to the list", "shrink_worker", r"LimitWork.*run|run.*LimitWork", "list_lru_walk_one"),
    ("writeback, to win the slot", "shrink_memcg_cb", r"list_lru::.*(callback|isolate|visit)", "swap_cache_alloc_folio"),
    ("writeback, to decompress", "shrink_memcg_cb", r"list_lru::.*(callback|isolate|visit)", "crypto_acomp_decompress"),
    ("writeback, to the device", "shrink_memcg_cb", r"list_lru::.*(callback|isolate|visit)", "__swap_writepage"),
    ("add, to charge", "swap_cache_alloc_folio", None, CHARGE),
    ("swapin, to charge", "swapin_sync", None, CHARGE),
    ("swapin, to read", "swapin_sync", None, "swap_read_folio"),
    ("one page ahead, to charge", "read_swap_cache_async", None, CHARGE),
    ("readahead, to charge", "swapin_readahead", None, CHARGE),
    ("readahead, to read", "swapin_readahead", None, "swap_read_folio"),
    ("cluster readahead, to charge", "swap_cluster_readahead", None, CHARGE),
    ("delete, to free", "swap_cache_del_folio", None, "__swap_cluster_free_entries"),
]

# What can come to lie on one another.
TOGETHER = ("store, to compress", "pressure, to the list", "writeback, to decompress")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Kernel:
    """The frames of zswap's own functions, and what they call."""

    def __init__(self, impl):
        build = f"build/{impl}"
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
            # Each register once, and the room once: a function may have several prologues.
            part = re.search(r"\t(?:push +(%\w+)|sub +\$(0x\w+),(%rsp)|add +\$(0xf{8}\w+),%rsp)", line)
            if part:
                register, down, _, up = part.groups()
                size = 8 if register else int(down, 16) if down else (1 << 64) - int(up, 16)
                parts[register or "room"] = max(size, parts.get(register or "room", 0))
                self.frames[name] = 8 + sum(parts.values())
            call = re.search(r"\t(call|jmp) +[0-9a-f]+ <([^>+]+)>", line)
            if call and call.group(2) != name:
                # A jump to another function is a last call: the frame is gone by then.
                self.calls[name][call.group(2)] = call.group(1) == "call" or self.calls[name].get(call.group(2), False)

    def deepest(self, begin, end, above=()):
        """The most that ways from begin to end take, and the functions on that one."""
        best = None
        for callee, stays in self.calls.get(begin, {}).items():
            if re.fullmatch(end, callee):
                way = (0, ())
            elif callee in self.own and callee not in above:
                way = self.deepest(callee, end, (*above, begin))
            else:
                continue
            if way:
                way = (way[0] + stays * self.frames[begin], (begin, *way[1]))
                best = max(best or way, way)
        return best

    def find(self, name, pattern):
        """The function called name, or else by what its name demangled looks like."""
        if name in self.own or not pattern:
            return name
        nice = dict(zip(run("llvm-cxxfilt", *sorted(self.own)).splitlines(), sorted(self.own)))
        return next((nice[full] for full in nice if re.search(pattern, full)), name)


def row(what, end, c, rust):
    more = f"{100 * rust / c - 100:+.1f} %" if c and rust else "no way"
    print(f"| {what} | {end} | {c} | {rust} | {more} |")


def main():
    c, rust = Kernel("c"), Kernel("rust")
    print("| way | ends at | C | Rust | more |")
    print("|---|---|---:|---:|---:|")
    lost = False
    together = {"C": 0, "Rust": 0}
    for what, begin, pattern, end in WAYS:
        there = c.deepest(begin, end)
        here = rust.deepest(rust.find(begin, pattern), end)
        lost |= not there or not here
        row(what, "`" + end.replace("|", "` or `") + "`", there and there[0], here and here[0])
        if what in TOGETHER and there and here:
            together["C"] += there[0]
            together["Rust"] += here[0]
        if "-v" in sys.argv:
            print(f"C {there}\nRust {here}")
    row("store, shrink, write back and decompress", "together", *together.values())
    return lost or together["Rust"] > 1.1 * together["C"]


if __name__ == "__main__":
    sys.exit(main())
