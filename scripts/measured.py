# SPDX-License-Identifier: GPL-2.0
"""Shared by measure.py and its rooms: the rows of guests, the reasons in documents, and the statistics for comparing runs.
tests/host/measured.py tests the latter.
"""

import math
import os
import re
import sys


def rows(path, right, who="guest"):
    """The rows of a file, each as its fields, for which right() must hold."""
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if not right(fields):
                sys.exit(f"{path}:{number}: no row: {line.strip()!r}: the {who} went wrong")
            yield fields


def by_kernel(paths, read):
    """{"c": [read(path), ...], "rust": [...]} of files c.N and rust.N."""
    runs = {impl: [read(path) for path in paths if re.fullmatch(impl + r"\.\d+", os.path.basename(path))]
            for impl in ("c", "rust")}
    for impl, found in runs.items():
        if not found:
            sys.exit(f"no run of {impl}: needs files c.N and rust.N")
    return runs


def in_folder(folder, read):
    """The same of all files of a folder."""
    return by_kernel([os.path.join(folder, file) for file in sorted(os.listdir(folder))], read)


def reasons(path, mark):
    """The table or list between the marks "MARK: BEGIN" and "MARK: END" of a document: {row: reason}."""
    with open(path, encoding="utf-8") as file:
        part = re.search(f"<!-- {mark}: BEGIN -->(.*?)<!-- {mark}: END -->", file.read(), re.S)
    if not part:
        sys.exit(f"{path}: no table between the marks {mark}: BEGIN and END")
    found = {}
    lines = part.group(1).strip().splitlines()
    for line in lines[2:] if lines and lines[0].startswith("|") else lines:
        cells = re.fullmatch(r"\| `(.+?)` \| (.*\S) \|", line) or re.fullmatch("- `(.+?)`: (.*\\S)", line)
        if not cells:
            sys.exit(f"{path}: no `row` and reason in: {line}")
        found[cells.group(1)] = cells.group(2)
    return found


class Symbols:
    """The functions of a kernel by address, of nm's output."""

    def __init__(self, path):
        self.at, self.names = [], []
        with open(path, encoding="utf-8") as file:
            for line in file:
                address, kind, name = line.rstrip("\n").split(" ", 2)
                if kind in "tTwW":
                    self.at.append(int(address, 16))
                    self.names.append(name)


def percentile(values, share):
    """The least of the values that is at least as great as share percent of them (nearest rank)."""
    values = sorted(values)
    return values[max(math.ceil(len(values) * share / 100), 1) - 1]


def rank_test(a, b):
    """The two-sided p of the rank-sum test (Mann-Whitney), exact, with ties.

    That is the share of all choices of len(a) values whose rank sum is at least as far from the mean as
    that of a. The number of choices with each sum is counted in the fields of one long number for each
    size of a choice: adding a value shifts the fields by its rank.
    """
    values = sorted(a + b)
    # Twice the mean rank of equal values, which is whole.
    rank = {value: 2 * values.index(value) + values.count(value) + 1 for value in set(values)}
    width = len(values) // 8 + 1  # bytes: there are fewer than 2**len(values) choices
    choices = [1] + [0] * len(a)
    for value in values:
        for size in range(len(a), 0, -1):
            choices[size] += choices[size - 1] << (8 * width * rank[value])
    sums = choices[len(a)].to_bytes(width * (2 * len(values) * len(a) + 2), "little")
    mean = len(a) * (len(values) + 1)
    far = abs(sum(rank[value] for value in a) - mean)
    counts = [int.from_bytes(sums[at:at + width], "little") for at in range(0, len(sums), width)]
    return sum(count for i, count in enumerate(counts) if abs(i - mean) >= far) / sum(counts)


def holm(ps):
    """Holm's correction: {name: p}. With a limit of x on these, the chance of any false positive is at
    most x, however the rows depend on one another."""
    adjusted, least = {}, 0.0
    for i, name in enumerate(sorted(ps, key=ps.get)):
        least = max(least, min(1.0, (len(ps) - i) * ps[name]))
        adjusted[name] = least
    return adjusted


def median_interval(values, limit=0.05):
    """Two of the values, which enclose the median of their distribution, whatever its shape, except with a
    probability of at most the limit. None if there are too few values.

    How many of the values are below the median is binomial. So the k-th lowest and k-th highest will do if
    the chance of fewer than k is at most half the limit: the largest such k is taken.
    """
    values, k, chance = sorted(values), 0, 1
    while 2 * chance <= limit * 2 ** len(values):
        k += 1
        chance += math.comb(len(values), k)
    return (values[k - 1], values[-k]) if k else None
