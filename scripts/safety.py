#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""safety.py: the report of unsafe code, and of what C is trusted for, in docs/safety.md.

Counts the unsafe blocks, functions and impls of the abstractions and of the C ABI, without their tests,
and in what patches/ adds to upstream's files; and lists every C function called, with what docs/trusted.tsv
trusts it for. Fails if a function has no line there, if a line has no function, or if a block has no SAFETY
comment. "check" only compares with docs/safety.md.
"""

import collections
import pathlib
import re
import sys

DOC = pathlib.Path("docs/safety.md")
BEGIN, END = "<!-- MADE BY make safety-report: BEGIN -->\n", "<!-- MADE BY make safety-report: END -->\n"


TESTS = re.compile(r"^#\[cfg\(CONFIG_\w*KUNIT\w*\)\]\n(?:#\[.*\]\n)*mod tests", re.M)


def sources():
    for path in sorted([*pathlib.Path("rust/kernel").rglob("*.rs"), *pathlib.Path("samples/rust").rglob("*.rs")]):
        yield path, TESTS.split(path.read_text())[0]
    for patch in sorted(pathlib.Path("patches").glob("*.patch")):
        for diff in re.split(r"^diff ", patch.read_text(), flags=re.M)[1:]:
            path = re.search(r"^\+\+\+ b/(\S+)", diff, re.M)[1]
            if path.startswith("rust/kernel/") and path.endswith(".rs"):
                added = "".join(line + "\n" for line in re.findall(r"^\+(?!\+\+)(.*)", diff, re.M))
                yield f"{patch}, {path}", TESTS.split(added)[0]


def code(text):
    """Without comments."""
    return re.sub(r"//[^\n]*", "", text)


def undocumented(path, text):
    """Lines with an unsafe block or impl without a SAFETY comment above."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        bare = re.sub(r"//.*", "", line)
        if not re.search(r"\bunsafe\s*(\{|impl\b)", bare):
            continue
        above = i - 1
        # The comment is above the statement, which may start some lines earlier.
        while above >= 0 and i - above < 12 and "SAFETY:" not in lines[above]:
            above -= 1
        if "SAFETY:" not in lines[above] and "SAFETY:" not in line:
            yield f"{path}:{i + 1}"


def trusted():
    table = {}
    for line in pathlib.Path("docs/trusted.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        names, what = line.split("\t")
        for name in names.split():
            table[name] = what
    return table


def main():
    wrong = []
    used = collections.defaultdict(set)
    counts = []
    for path, text in sources():
        bare = code(text)
        count = [len(re.findall(pattern, bare)) for pattern in (r"\bunsafe\s*\{", r"\bunsafe (?:extern \"C\" )?fn\b", r"\bunsafe impl\b")]
        if any(count):
            counts.append((path, *count))
        wrong += [f"{where}: unsafe without a SAFETY comment" for where in undocumented(path, text)]
        for name in re.findall(r"\bbindings::([a-z_]\w*)", bare):
            used[name].add(path)
    table = trusted()
    # C's types and constants are named like functions: a function is followed by a parenthesis, or passed by name.
    called = {name for path, text in sources() for name in re.findall(r"\bbindings::([a-z_]\w*)\s*[,(]", code(text))}
    called = {name for name in called if not re.fullmatch(r".*_t|vm_event_item.*|mthp_stat_item.*|memcg_stat_item.*|lru_status|cpuhp_state.*|system_states.*", name)}
    types = {"acomp_req", "blk_plug", "crypto_acomp", "crypto_alg", "crypto_scomp", "crypto_wait", "dentry", "file", "file_operations", "folio", "hlist_node",
             "inode", "kernel_param", "kernel_param_ops", "kmem_cache", "kmem_cache_args", "list_head", "list_lru", "list_lru_one",
             "lruvec", "mem_cgroup", "mempolicy", "obj_cgroup", "page", "percpu_ref", "ratelimit_state", "scatterlist", "scomp_alg", "shrink_control",
             "shrinker", "static_key_false", "swap_cluster_info", "swap_info_struct", "swap_io_ctx", "vm_area_struct", "vm_fault", "zs_pool"}
    called -= types
    through_xarray = {name for name in table if name.startswith("xa_")}
    wrong += [f"{name} is called, and has no line in docs/trusted.tsv" for name in sorted(called - set(table))]
    wrong += [f"{name} has a line in docs/trusted.tsv, and isn't used" for name in sorted(set(table) - set(used) - through_xarray)]

    out = ["| file | unsafe blocks | unsafe functions | unsafe impls |", "|---|---:|---:|---:|"]
    out += [f"| `{path}` | {blocks} | {functions} | {impls} |" for path, blocks, functions, impls in counts]
    total = [sum(column) for column in list(zip(*counts))[1:]]
    out += ["| **all** | **%d** | **%d** | **%d** |" % tuple(total), ""]
    out += ["| C functions | trusted for |", "|---|---|"]
    groups = collections.defaultdict(list)
    for name, what in table.items():
        groups[what].append(name)
    out += ["| %s | %s |" % (", ".join(f"`{name}`" for name in names), what) for what, names in groups.items()]
    made = "\n".join(out) + "\n"

    text = DOC.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if sys.argv[1:] == ["check"]:
        if text[begin:end] != made:
            wrong.append("docs/safety.md is out of date: run make safety-report")
    else:
        DOC.write_text(text[:begin] + made + text[end:])
        print(f"{total[0]} unsafe blocks in {len(counts)} files, {len(table)} C functions trusted: docs/safety.md")
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
