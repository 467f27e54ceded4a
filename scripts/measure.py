#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""measure.py NAME [-n] [ARGUMENT...]: reduces the rows of an experiment's guests to build/results/NAME.tsv (results.py).

scripts/measure.sh NAME has put the rows into the folder that is the first argument, mostly a file for each boot, c.N and
rust.N. The function of that name, here or in another room (plugins, stack, coverage, verdicts), returns the lines of tables,
what else is printed, and whether a limit is exceeded: then the exit status is 1, and the last that is printed says why. With
-n nothing is written.
"""

import os
import re
import statistics
import sys

import results
from measured import in_folder, median_interval, percentile, reasons, rows
from results import table

# --- bench, growth, profile ------------------------------------------------------------------

# Of bench/swapbench.c.
WAYS = {
    "out": "swap out",
    "in": "swap in, by a fault",
    "again": "swap out what came back",
    "round": "out, in and out again",
    "sparse": "swap in one page in sixteen",
    "free": "free, swapped",
    "scatter": "free, one slot at a time, random order",
    "split": "free, one page in sixteen loaded before",
    "gone": "exit, all swapped",
    "ahead": "read into the swap cache",
    "cached": "fault on a cached folio",
    "drop": "free, swapped and cached",
    "miss": "look up: not there",
    "hit": "look up: there",
    "exit": "exit, never swapped",
    "unmap": "free, never swapped",
    "new": "first write to a page",
}
WHATS = {
    "cache": "zswap never on",
    "zswap": "in zswap",
    "virtio": "in zswap, on virtio-blk",
    "off": "zswap off, empty",
    "beside": "other pages in zswap",
}


def swapped(path, right):
    """((WAY, WHAT, KIB, CONTENT), instructions per page) of a boot's lines WHAT KIB CONTENT WAY PER INSTRUCTIONS...: the
    median of its rounds, which are of PER pages."""
    for what, kib, content, way, per, rounds in rows(path, lambda fields: len(fields) == 6 and right(fields)):
        yield (way, what, int(kib), content), statistics.median(map(int, rounds.split())) / int(per)

# --- bench -----------------------------------------------------------------------------------


LIMIT = 1.0  # percent
ONE = 1.0  # instruction a page: boots that differ by no more say the same


def bench_name(key):
    way, what, kib, content = key
    return f"{WAYS[way]}, {WHATS[what]}, {kib} KiB, {content}"


def bench(page, folder):
    """The cost of swapping; a row's figure is the median of the boots. A row for which Rust takes over LIMIT more, and more
    than boots differ, must be in the page's table of reasons. Fails also if boots differ so much that the result depends
    on them."""
    boots = in_folder(folder, lambda path: dict(swapped(path, lambda fields: fields[0] in WHATS and fields[3] in WAYS)))
    keys = set(boots["c"][0])
    for boot in boots["c"] + boots["rust"]:
        if set(boot) != keys:
            sys.exit(f"{folder}: the boots have different rows: {bench_name(min(set(boot) ^ keys))}")
    listed = reasons(page, "REASONS")

    judged, bad, used, worst = [], 0, set(), 0.0
    order = list(WAYS), list(WHATS)
    for key in sorted(keys, key=lambda key: (order[0].index(key[0]), order[1].index(key[1]), key[3], key[2])):
        values = {impl: [boot[key] for boot in boots[impl]] for impl in boots}
        c, rust = (statistics.median(values[impl]) for impl in ("c", "rust"))
        spread = max(max(values[impl]) - min(values[impl]) for impl in values)
        percent = (rust / c - 1) * 100
        wobble = spread / c * 100
        worst = max(worst, wobble)
        verdict = "less" if percent < -LIMIT else "MORE" if percent > LIMIT and rust - c > spread else "same"
        if verdict == "MORE":
            why = [row for row in listed if re.fullmatch(row, bench_name(key))]
            used.update(why)
            bad += not why
            verdict = "listed" if why else verdict
        # Within the limit, but only with these boots.
        hidden_by_spread = percent > LIMIT and rust - c <= spread
        if (percent <= LIMIT < percent + wobble or hidden_by_spread) and spread > ONE:
            verdict += ", DOESN'T REPEAT"
            bad += 1
        judged.append([WAYS[key[0]], WHATS[key[1]], *key[2:], f"{c:.1f}", f"{rust:.1f}", f"{percent:+.2f}", f"{wobble:.2f}", verdict])

    verdicts = [row[-1].split(",")[0] for row in judged]
    lines = table("instructions per page", ["operation", "zswap", "folio, KiB", "content", ">C", ">Rust", ">change, %", ">spread, %", "verdict"], judged)
    less, same = map(verdicts.count, ("less", "same"))
    lines += [f"# {less} rows are less in Rust, {same} the same, {len(judged) - less - same} more. Boots: {len(boots['c'])} of C, "
              f"{len(boots['rust'])} of Rust; the largest spread of a row is {worst:.2f} %."]
    notes = [f"stale: {page} lists `{row}`, which takes no more" for row in sorted(set(listed) - used)]
    if bad:
        notes.append(f"bench: {bad} rows take over {LIMIT:.0f} % more, or don't repeat, and {page} has no reason for them")
    return lines, notes, bad > 0

# --- growth ----------------------------------------------------------------------------------


AXES = {"order": "KiB per folio", "cgroups": "other cgroups", "stored": "other pages in zswap"}
GROWING = {"out": "swap out", "in": "swap in", "free": "free"}


def growth(_page, folder):
    """How the cost of swapping grows. The first word of a boot's rows is AXIS-VALUE."""
    def read(path):
        def right(fields):
            axis, _, value = fields[0].partition("-")
            return axis in AXES and value.isdecimal()
        return {(*what.split("-"), way): cost for (way, what, *_), cost in swapped(path, right) if way in GROWING}

    boots = in_folder(folder, read)
    (c, *_), (rust, *_) = boots["c"], boots["rust"]
    if set(c) != set(rust):
        sys.exit(f"{folder}: C and Rust have different rows")
    cells = []
    for axis, name in AXES.items():
        for value in sorted({value for one, value, _ in c if one == axis}, key=int):
            for way, said in GROWING.items():
                there, here = c[axis, value, way], rust[axis, value, way]
                cells.append([name, value, said, f"{there:.0f}", f"{here:.0f}", f"{here / there:.3f}"])
    return table("instructions per page", ["by", "value", "operation", ">C", ">Rust", ">Rust / C"], cells), [], False

# --- latency ---------------------------------------------------------------------------------


FAULTS = {"fault": "fault", "response": "timer to page"}
STORING = {"0": "none", "64": "64 KiB", "2048": "2048 KiB"}
COMPRESSORS = ["lz4", "zstd"]
SHOWN = {"p50": 50, "p99": 99, "max": 100}


def latency(_page, folder):
    """How long a fault takes on a CPU that stores: of all boots of a kernel together. Rows: COMPRESSOR KIB WHAT NS...,
    of bench/latency.sh. Judges no time."""
    def read(path):
        found = {(what, compressor, kib): list(map(int, times.split())) for compressor, kib, what, times in rows(path, lambda fields: (
            len(fields) == 4 and fields[0] in COMPRESSORS and fields[1] in STORING and fields[2] in FAULTS))}
        if len(found) != len(FAULTS) * len(STORING) * len(COMPRESSORS):
            sys.exit(f"{path}: has {len(found)} rows: the guest went wrong")
        return found

    boots = in_folder(folder, read)
    lines = []
    for what, title in FAULTS.items():
        for compressor in COMPRESSORS:
            for kib, folios in STORING.items():
                times = {impl: [time for boot in boots[impl] for time in boot[what, compressor, kib]] for impl in boots}
                for name, share in SHOWN.items():
                    c, rust = (percentile(times[impl], share) / 1000 for impl in ("c", "rust"))
                    lines.append([title, compressor, folios, name, f"{c:.1f}", f"{rust:.1f}", f"{rust / c:.3f}"])
    lines = table("thousands of instructions", ["time of", "compressor", "folios", "percentile", ">C", ">Rust", ">Rust / C"], lines)
    count = len(boots["c"][0]["fault", COMPRESSORS[0], "0"])
    return [*lines, f"# Each row is of {count} faults per boot; boots: {len(boots['c'])} of C, {len(boots['rust'])} of Rust."], [], False

# --- metadata --------------------------------------------------------------------------------


PAGE = 4096
BEFORE = "before"
LIMITS = {"dense": 0.82, "sparse": 1.05}  # of what C takes
CACHES = {
    "c": ["zswap_entry", "radix_tree_node", "zs_handle", "zspage"],
    "rust": ["zswap_entry", "zswap_leaf", "radix_tree_node", "zs_handle", "zspage"],
}
# The caches of what has the pointers of 64 slots.
OF_SLOTS = {"c": "radix_tree_node", "rust": "zswap_leaf"}


def slabs(path):
    """{state: {cache: bytes for each page}} of a boot's rows STATE PAGES CACHE OBJECTS PER_SLAB SLAB_PAGES: the growth of
    its objects since nothing was stored, each with its share of a full slab. (What a slab holds of freed neighbours depends
    on the order in which they were freed, not on the layout.)"""
    impl, states = os.path.basename(path).split(".")[0], {}
    for state, pages, cache, objects, per_slab, slab_pages in rows(
            path, lambda fields: len(fields) == 6 and fields[0] in (BEFORE, *LIMITS)):
        states.setdefault(state, (int(pages), {}))[1][cache] = int(objects), int(slab_pages) * PAGE / int(per_slab)
    if any(sorted(states.get(state, (0, {}))[1]) != sorted(CACHES[impl]) for state in (BEFORE, *LIMITS)):
        sys.exit(f"{path}: each state needs the caches {', '.join(CACHES[impl])}")
    before = states.pop(BEFORE)[1]
    # Else the slots weren't in the order of the pages.
    pages, caches = states["sparse"]
    more = caches[OF_SLOTS[impl]][0] - before[OF_SLOTS[impl]][0]
    if more < pages:
        sys.exit(f"{path}: {pages} pages, but {more} more of {OF_SLOTS[impl]}: the state isn't sparse")
    return {state: {cache: (objects - before[cache][0]) * size / pages for cache, (objects, size) in caches.items()}
            for state, (pages, caches) in states.items()}


def metadata(_page, folder):
    """The kernel memory that a page in zswap takes beside its data. Fails if a state takes more than LIMITS of C."""
    boots, lines, bad = in_folder(folder, slabs), [], []
    for state, limit in LIMITS.items():
        taken = [boots[impl][0][state] for impl in ("c", "rust")]
        lines += [[state, cache, *(f"{of[cache]:.2f}" if cache in of else "-" for of in taken), "-"] for cache in CACHES["rust"]]
        c, rust = (sum(of.values()) for of in taken)
        lines.append([state, "sum", f"{c:.2f}", f"{rust:.2f}", f"{rust / c:.3f}"])
        if rust > limit * c:
            bad.append(f"metadata: {state} takes {rust / c:.3f} of C, more than {limit}")
    return table("bytes per page", ["state", "cache", ">C", ">Rust", ">Rust / C"], lines), bad, bool(bad)

# --- ab, timing ------------------------------------------------------------------------------


# Of tests/kunit/time.c, whose rows are IMPLEMENTATION OPERATION CONTENT COST PAGES.
OPERATIONS = ["store", "load", "free, one slot", "free, a range"]
CONTENTS = ["same", "text", "random"]
TIMED = [(operation, content) for operation in OPERATIONS for content in CONTENTS]


def timed(path, *impls):
    """{implementation: {(operation, content): cost of a page}} of a boot with these, or with any one."""
    costs = {}
    for impl, operation, content, cost, pages in rows(
            path, lambda fields: len(fields) == 5 and (fields[3] + fields[4]).isdecimal() and int(fields[4]) != 0, "boot"):
        costs.setdefault(impl, {})[operation, content] = int(cost) / int(pages)
    for impl, found in costs.items():
        if set(found) != set(TIMED):
            sys.exit(f"{path}: needs a row of {impl} for each operation and content, has {len(found)}")
    if impls and set(costs) != set(impls):
        sys.exit(f"{path}: needs C and Rust, has {', '.join(costs) or 'none'}")
    if not impls and len(costs) != 1:
        sys.exit(f"{path}: needs one implementation, has {len(costs)}")
    return costs


def ab(_page, folder):
    """Instructions to store, to load and to free a page, with both in one kernel: N.1 is of the order N in the image."""
    orders, lines = [timed(os.path.join(folder, f"{order}.1"), "c", "rust") for order in range(3)], []
    for row in TIMED:
        costs = [(order["c"][row], order["rust"][row]) for order in orders]
        ratios = [ours / theirs for theirs, ours in costs]
        middle = sorted(range(3), key=lambda order: ratios[order])[1]
        lines.append([*row, *(f"{cost:.1f}" for cost in costs[middle]), f"{ratios[middle]:.4f}", f"{min(ratios):.4f} to {max(ratios):.4f}"])
    return table("instructions per page", ["operation", "content", ">C", ">Rust", ">Rust / C", ">in the three orders"], lines), [], False


def timing(_page, folder):
    """Nanoseconds to store, to load and to free a page. Boots with the same N ran one right after the other, so the ratio is
    taken of each such pair: what slowed the machine for minutes slowed both. ab-O.N are boots of a kernel with both, in the
    order O in the image. Judges no time."""
    files = sorted(os.listdir(folder), key=lambda name: int(name.split(".")[1]))
    boots = {impl: [timed(os.path.join(folder, file)).popitem()[1] for file in files if file.startswith(f"{impl}.")] for impl in ("c", "rust")}
    for impl, found in boots.items():
        if not found:
            sys.exit(f"no run of {impl}: needs files c.N and rust.N")
    if len(boots["c"]) != len(boots["rust"]):
        sys.exit(f"{folder}: {len(boots['c'])} boots of C, but {len(boots['rust'])} of Rust")
    cells = []
    for row in TIMED:
        c, rust = ([boot[row] for boot in boots[impl]] for impl in ("c", "rust"))
        ratios = [ours / theirs for theirs, ours in zip(c, rust)]
        interval = median_interval(ratios)
        cells.append([*row, *(f"{statistics.median(times):.0f}" for times in (c, rust)),
                      f"{statistics.median(ratios):.3f}", f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "-"])
    lines = table("nanoseconds per page", ["operation", "content", ">C", ">Rust", ">Rust / C", ">95 % interval"], cells)
    lines += [f"# Medians of the boots. Pairs of boots: {len(boots['c'])}."]

    orders, cells = {}, []
    for file in files:
        if file.startswith("ab-"):
            orders.setdefault(file.split(".")[0], []).append(timed(os.path.join(folder, file), "c", "rust"))
    for row in TIMED if orders else []:
        ratios = [statistics.median(boot["rust"][row] / boot["c"][row] for boot in found) for found in orders.values()]
        cells.append([*row, f"{statistics.median(ratios):.3f}", f"{min(ratios):.3f} to {max(ratios):.3f}"])
    if orders:
        lines += [*table("both in one kernel, by turns on the same folios and slots", ["operation", "content", ">Rust / C", ">in the orders in the image"], cells),
                  f"# Orders: {len(orders)}, boots of each: {min(map(len, orders.values()))}; medians of boots."]
    return lines, [], False

# --- scaling ---------------------------------------------------------------------------------


CORES = 16  # that figures of real cores need


def scaling(_page, folder):
    """How many pages threads on 1, 2, 4... CPUs store, load and free. Rows of tests/kunit/scale.c: rate IMPLEMENTATION SETUP
    THREADS OPERATION CONTENT PAGES-A-SECOND, and classes CONTENT NUMBER PERCENT...; the boots of an implementation have
    the same. Judges no time."""
    classes = []

    def read(path):
        found = {}
        classes.clear()
        for kind, *fields in rows(path, lambda fields: fields[0] == "classes" or fields[0] == "rate" and len(fields) == 7, "boot"):
            if kind == "classes":
                classes.append(fields)
            else:
                _, setup, threads, operation, content, rate = fields
                found[setup, operation, content, int(threads)] = int(rate)
        if not found:
            sys.exit(f"{path}: has no rates: the boot went wrong")
        return found

    boots = in_folder(folder, read)
    if len({frozenset(boot) for found in boots.values() for boot in found}) != 1:
        sys.exit(f"{folder}: the boots have different rows")
    rates = {impl: {key: statistics.median(boot[key] for boot in found) for key in found[0]} for impl, found in boots.items()}
    cells, most = [], max(key[3] for key in rates["c"])
    for *row, threads in rates["c"]:
        if threads > 1:
            cells.append([*row, threads])
            for impl, found in boots.items():
                alone = rates[impl].get((*row, 1))
                # A thread alone can't free what another has stored.
                ratios = [boot[*row, threads] / boot[*row, 1] for boot in found] if alone else []
                cells[-1] += [f"{1e9 / alone:.0f}" if alone else "-", f"{threads * 1e9 / rates[impl][*row, threads]:.0f}",
                              f"{statistics.median(ratios):.2f}" if ratios else "-", f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "-"]
    lines = table("nanoseconds per page in a thread, and the throughput of all threads, that of one = 1", [
        "setup", "operation", "content", ">threads", ">C, alone", ">together", ">throughput", ">its boots", ">Rust, alone", ">together", ">throughput", ">its boots"], cells)
    lines += table("classes of zsmalloc", ["content", ">classes", ">% of pages in the fullest, the next..."],
                   classes)
    lines += [f"# Medians of {len(boots['c'])} boots of each kernel, on {most} cores."]
    if most < CORES:
        lines += [f"# Figures of {CORES} cores are missing: this machine has {most}."]
    return lines, [], False

# --- compressors -----------------------------------------------------------------------------


NS = 2  # an instruction, in the guest that counts


def words(path, fields):
    """The rows of tests/vm/codecs.sh or accel-time.sh, split into words."""
    with open(path, encoding="ascii") as file:
        found = [line.split()[1:] for line in file if line.startswith("row ")]
    if not found or any(len(row) != fields for row in found):
        sys.exit(f"{path}: no rows of {fields} words: the guest went wrong")
    return found


def compressors(_page, folder):
    """Cost and ratio of each compressor, of DIR/codecs, both LZ4s' time of tests/host/lz4/examples/time.rs, of DIR/time, and
    an accelerator's gain, of DIR/c.1 and rust.1."""
    def numbers(title, head, lines_of):
        return table(title, [head[0], *(f">{cell}" for cell in head[1:])], lines_of)

    corpora, stored, loaded, taken = [], {}, {}, {}
    for name, corpus, pages, _raw, size, out_ns, in_ns in words(f"{folder}/codecs", 7):
        if corpus not in corpora:
            corpora.append(corpus)
        stored[name, corpus] = int(out_ns) / NS / int(pages)
        loaded[name, corpus] = int(in_ns) / NS / int(pages)
        taken[name, corpus] = int(size) / int(pages) / 4096 * 100
    names = list(dict.fromkeys(name for name, _ in stored))
    if any((name, corpus) not in stored for name in names for corpus in corpora):
        sys.exit(f"{folder}/codecs: not each compressor has each corpus: the guest went wrong")
    lines = []
    for what, costs, form in (
            ("memory, % of a page", taken, "{:.1f}"), ("store, instructions per page", stored, "{:.0f}"),
            ("load, instructions per page", loaded, "{:.0f}")):
        lines += numbers(what, ["compressor", *corpora], [[name, *(form.format(costs[name, corpus]) for corpus in corpora)] for name in names])

    with open(f"{folder}/time", encoding="ascii") as file:
        times = [line.split() for line in file][1:]
    both = []
    for corpus, _c_out, _rust_out, ratio_out, _c_in, _rust_in, ratio_in, size, _copy in times:
        ratios = [f"{of['lz4-rust', corpus] / of['lz4', corpus]:.2f}" if corpus in corpora else "-" for of in (stored, loaded)]
        both.append([corpus, *ratios, ratio_out, ratio_in, size])
    means = [statistics.mean(of["lz4-rust", corpus] / of["lz4", corpus] for corpus in corpora) for of in (stored, loaded)]
    means.append(statistics.mean(float(row[3]) for row in times))
    both.append(["mean", *(f"{mean:.2f}" for mean in means), "-", "-"])
    lines += numbers("lz4-rust, lz4 = 1", ["corpus", "store", "load", "compress", "decompress", "size"], both)
    lines += ["# Store and load: instructions of the whole in the guest. Compress and decompress: time on this machine. Size: compressed."]

    accelerated = {}
    for impl in ("c", "rust"):
        for kib, delay, pages, out_ns, _in_ns, most in words(f"{folder}/{impl}.1", 6):
            accelerated[impl, kib, delay] = int(out_ns) / int(pages) / 1000, most
    lines += table("stores with an accelerator, microseconds per page", ["folio, KiB", "latency, us", ">C", ">Rust", ">speedup", ">in flight"],
                   [[kib, delay, f"{c:.2f}", f"{rust:.2f}", f"{c / rust:.2f}", most]
                    for (impl, kib, delay), (c, _) in accelerated.items() if impl == "c"
                    for rust, most in [accelerated["rust", kib, delay]]])
    return [*lines, "# The accelerator is the simulated one of the tests. An instruction takes a nanosecond. In flight: the most requests."], [], False

# --- workloads, whole ------------------------------------------------------------------------


SIZES = ["4", "64"]


def is_row_of(names):
    """Of rows WORKLOAD KIB OUT IN ZERO DISK WHOLE SWAPPED INSTRUCTIONS FAULTS PEAK LOADS CHECKED of bench/workloads.sh."""
    return lambda fields: len(fields) == 13 and fields[0] in names and fields[1] in SIZES

# --- workloads -------------------------------------------------------------------------------


IMPLS = {"c": "C", "rust": "Rust"}
WORKLOADS = ["usemem", "sort", "valkey", "gcc", "stress-ng", "memtester", "postgresql"]
is_workload = is_row_of(WORKLOADS)


def workloads(_page, folder, counts=None):
    """The results of programs that people run: DIR has IMPL.WORKLOAD.KIB of each guest, its row or what is wrong; COUNTS a file
    for each guest that counted instructions. Fails if anything is wrong. Judges no count."""
    lines, wrong = [], 0
    for name in WORKLOADS:
        for kib in SIZES:
            cells, problems, checked = [], [], ""
            for impl, title in IMPLS.items():
                path = os.path.join(folder, f"{impl}.{name}.{kib}")
                if not os.path.exists(path):
                    continue
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read().strip()
                fields = text.split("\t")
                if is_workload(fields):
                    checked = fields[-1]
                    cells += fields[2:4]
                else:
                    cells += ["wrong", "-"]
                    problems.append(f"{title}: {text or 'the guest printed nothing'}")
            if cells:
                wrong += len(problems)
                lines.append([name, kib, *cells, "; ".join(problems) or f"right: {checked}"])
    lines = table("pages", ["workload", "folio, KiB", ">out, C", ">in, C", ">out, Rust", ">in, Rust", "result"], lines)

    if counts and os.listdir(counts):
        # Zeroes as well: the swap cache of either kernel handles these without zswap.
        boots = in_folder(counts, lambda path: {(fields[0], fields[1]): int(fields[8]) / sum(map(int, fields[2:6]))
                                                for fields in rows(path, is_workload)})
        pairs, cells = min(map(len, boots.values())), []
        for key in boots["c"][0]:
            values = {impl: [boot[key] for boot in boots[impl]] for impl in IMPLS}
            ratios = [rust / c for c, rust in zip(values["c"], values["rust"])]
            cells.append([*key, *(round(statistics.median(values[impl])) for impl in IMPLS),
                          f"{statistics.median(ratios):.3f}", f"{min(ratios):.3f} to {max(ratios):.3f}"])
        lines += [*table("instructions per page moved", ["workload", "folio, KiB", ">C", ">Rust", ">Rust / C", ">least to most"], cells),
                  f"# Instructions of the cgroup's processes for each page moved: medians of {pairs} guest"
                  f"{'' if pairs == 1 else 's'} of each kernel, and the ratios of pairs of them."]
    return lines, [f"workloads: {wrong} went wrong"] if wrong else [], wrong > 0

# --- whole -----------------------------------------------------------------------------------


KINDS = ["c", "off", "on"]  # of boots
RUNNING = ["gcc", "sequential", "strided", "random"]
# The field of a row, and the most that on may take of off.
COSTS = {"major faults": (9, 1.00), "instructions": (8, 1.01), "peak, KiB": (10, 1.01), "pages in": (3, 1.05)}


def ratio(a, b):
    return a / b if b else float(a != b) + 1


def whole(_page, folder):
    """What swapping in whole costs a build and readers: DIR has c.N, off.N and on.N. Fails if the median of the ratios of
    pairs of boots, on / off, exceeds a limit."""
    count = sum(bool(re.fullmatch(r"on\.\d+", file)) for file in os.listdir(folder))
    boots = {kind: [{fields[0]: fields for fields in rows(os.path.join(folder, f"{kind}.{n}"), is_row_of(RUNNING))}
                    for n in range(1, count + 1)] for kind in KINDS}
    if not count or any(set(boot) != set(RUNNING) for found in boots.values() for boot in found):
        sys.exit(f"{folder}: not each boot has each workload: the guest went wrong")
    cells, each, wrong = [], [], []
    for name in RUNNING:
        for cost, (field, limit) in COSTS.items():
            c, off, on = ([int(boot[name][field]) for boot in boots[kind]] for kind in KINDS)
            pairs, before = ([ratio(*pair) for pair in zip(*both)] for both in ((on, off), (off, c)))
            median = statistics.median(pairs)
            if median > limit:
                wrong.append(f"whole: {name}, {cost}: {median:.4f}, more than {limit:.2f}")
            each += [[name, cost, n, *values] for n, values in enumerate(zip(c, off, on), 1)]
            cells.append([name, cost, *(round(statistics.median(values)) for values in (c, off, on)),
                          f"{statistics.median(before):.3f}", f"{median:.3f}", f"{limit:.2f}", " ".join(f"{pair:.3f}" for pair in pairs)])
        each += [[name, "folios filled", n, *(int(boots[kind][n - 1][name][11]) for kind in KINDS)] for n in range(1, count + 1)]
    lines = table("medians", ["workload", "figure", ">C", ">off", ">on", ">off / C", ">on / off", ">limit", "on / off, each pair"], cells)
    filled = ", ".join(f"{round(statistics.median(int(boot[name][11]) for boot in boots['on']))} {name}" for name in RUNNING)
    lines += [f"# Medians of {count} boots of each kind, and of the ratios of pairs. Large folios that zswap filled: {filled}.",
              *table("each boot", ["workload", "figure", "boot", *(f">{kind}" for kind in KINDS)], each)]
    return lines, wrong, bool(wrong)

# --- first -----------------------------------------------------------------------------------


def first(_page, path):
    """How long make run and make test take, from nothing and again. PATH has rows GOAL CCACHE REAL USER SYSTEM RESULT, in seconds."""
    with open(path, encoding="utf-8") as file:
        cells = [line.rstrip("\n").split(" ", 5) for line in file]
    return table("from nothing, and again with what ccache has", ["command", "ccache", ">minutes", ">CPU minutes, user", ">CPU minutes, system", "last line"], [
        [f"make {goal}", ccache, *(f"{float(of) / 60:.1f}" for of in times), said] for goal, ccache, *times, said in cells]), [], False

# --- All -------------------------------------------------------------------------------------


def reducer(name):
    if name in globals():
        return globals()[name]
    room = {"contention": "plugins", "profile": "plugins", "parity": "verdicts"}.get(name, name)
    return getattr(__import__(room), name)


def main(name, *arguments):
    dry = arguments[:1] == ("-n",)
    # Where reasons are.
    page = "docs/differences.md" if name == "parity" else "docs/performance.md"
    lines, notes, failed = reducer(name)(page, *arguments[dry:])
    lines += [f"# failed: {notes[-1]}"] if failed else []
    results.put(name, lines, dry)
    print("\n".join(notes))
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
