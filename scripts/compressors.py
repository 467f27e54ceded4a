#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compressors.py DOC DIR: the cost and ratio of each compressor.

DIR has the results of scripts/compressors.sh: guest (rows of tests/vm/codecs.sh), time (of
tests/host/lz4/examples/time.rs), accelerator.c and accelerator.rust (rows of tests/vm/accel-time.sh).
Writes the tables into DOC, between its marks.
"""

import statistics
import sys

import measured

PAGE = 4096
NS = 2  # an instruction, in the guest that counts


def rows(path, fields):
    """The guest's rows, split into words."""
    with open(path, encoding="ascii") as file:
        found = [line.split()[1:] for line in file if line.startswith("row ")]
    if not found or any(len(row) != fields for row in found):
        sys.exit(f"{path}: no rows of {fields} words: the guest went wrong")
    return found


def table(head, lines):
    return [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1), *(f"| {' | '.join(line)} |" for line in lines), ""]


def main():
    doc, folder = sys.argv[1:]
    corpora, stored, loaded, taken = [], {}, {}, {}
    for name, corpus, pages, _raw, size, out_ns, in_ns in rows(f"{folder}/guest", 7):
        if corpus not in corpora:
            corpora.append(corpus)
        stored[name, corpus] = int(out_ns) / NS / int(pages)
        loaded[name, corpus] = int(in_ns) / NS / int(pages)
        taken[name, corpus] = int(size) / int(pages) / PAGE * 100
    names = list(dict.fromkeys(name for name, _ in stored))
    if any((name, corpus) not in stored for name in names for corpus in corpora):
        sys.exit(f"{folder}/guest: not each compressor has each corpus: the guest went wrong")
    lines = []
    for what, figures, form in (
            ("memory, % of a page", taken, "{:.1f}"), ("store, instructions per page", stored, "{:.0f}"),
            ("load, instructions per page", loaded, "{:.0f}")):
        lines += table([what, *corpora], [[f"`{name}`", *(form.format(figures[name, corpus]) for corpus in corpora)] for name in names])

    lines += ["Both LZ4 implementations, C = 1.00: instructions of the whole store and load in the guest; nanoseconds of native "
              "compression and decompression.", ""]
    with open(f"{folder}/time", encoding="ascii") as file:
        times = [line.split() for line in file][1:]
    both = []
    for corpus, c_out, rust_out, ratio_out, c_in, rust_in, ratio_in, size, copy in times:
        counted = corpus in corpora
        both.append([corpus, f"{stored['lz4-rust', corpus] / stored['lz4', corpus]:.2f}" if counted else "–",
                     f"{loaded['lz4-rust', corpus] / loaded['lz4', corpus]:.2f}" if counted else "–",
                     ratio_out, ratio_in.replace("-", "–"), f"{c_out}, {rust_out}", f"{c_in}, {rust_in}".replace("-, -", "–"), size, copy])
    mean = statistics.mean(stored["lz4-rust", corpus] / stored["lz4", corpus] for corpus in corpora)
    mean_time = statistics.mean(float(row[3]) for row in times)
    both.append(["**mean**", f"{mean:.2f}", f"{statistics.mean(loaded['lz4-rust', c] / loaded['lz4', c] for c in corpora):.2f}",
                 f"{mean_time:.2f}", "", "", "", "", ""])
    lines += table(["corpus", "store", "load", "compress", "decompress", "ns per page, compress", "ns per page, decompress", "size",
                    "of Rust's ns: copy of a page"], both)

    accelerated = {}
    for impl in ("c", "rust"):
        for kib, latency, pages, out_ns, in_ns, most in rows(f"{folder}/accelerator.{impl}", 6):
            accelerated[impl, int(kib), int(latency)] = int(out_ns) / int(pages) / 1000, int(in_ns) / int(pages) / 1000, most
    lines += ["Stores with the simulated accelerator of the tests, in microseconds per page, at one nanosecond per instruction:", ""]
    lines += table(["folio", "latency, us", "C", "Rust", "speedup", "requests in flight"],
                   [[f"{kib} KiB", str(latency), f"{c:.2f}", f"{rust:.2f}", f"{c / rust:.2f}", most]
                    for (impl, kib, latency), (c, _, _) in accelerated.items() if impl == "c"
                    for rust, _, most in [accelerated["rust", kib, latency]]])
    measured.put_output(doc, "make compressors", lines[:-1])
    print("\n".join(lines[:-1]))


if __name__ == "__main__":
    sys.exit(main())
