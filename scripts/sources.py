# SPDX-License-Identifier: GPL-2.0
"""What the pages show of the sources: counts, items, the report of unsafe code, and what attacks are refused with.
Run by itself it prints the lines of code that a reviewer reads, and the unsafe blocks in them."""

import collections
import functools
import pathlib
import re

# --- Sources and counts --------------------------------------------------------------

LAYERS = ("abi", "policy", "core", "abstractions")
TITLES = {"policy": "policy", "abi": "C ABI: `exports.rs`", "core": "core: `core/`", "abstractions": "abstractions: `rust/kernel/`"}
TESTS = re.compile(r"^#\[cfg\(CONFIG_\w*KUNIT\w*\)\]\n(?:#\[.*\]\n)*(?:pub\(\w+\) )?mod tests", re.M)


@functools.cache
def sources():
    """(path, or patch and path; text without tests) of the project's Rust."""
    return list(rust_sources())


def rust_sources():
    for path in sorted([*pathlib.Path("rust/kernel").rglob("*.rs"), *pathlib.Path("samples/rust").rglob("*.rs")]):
        yield path, TESTS.split(path.read_text())[0]
    for path, added in patched():
        if re.search(r", rust/kernel/.*\.rs$", path):
            yield path, TESTS.split(added)[0]


def patched():
    """(patch and path, added lines) of the files that patches/*.patch change."""
    for patch in sorted(pathlib.Path("patches").glob("*.patch")):
        for diff in re.split(r"^diff ", patch.read_text(), flags=re.M)[1:]:
            path = re.search(r"^\+\+\+ b/(\S+)", diff, re.M)[1]
            yield f"{patch}, {path}", "".join(line + "\n" for line in re.findall(r"^\+(?!\+\+)(.*)", diff, re.M))


def bare(text):
    """Of code: without comments."""
    return re.sub(r"//[^\n]*", "", text)


def lines(text):
    """Of code: no blank lines, no comments."""
    return sum(bool(line.strip()) for line in bare(re.sub(r"/\*.*?\*/", "", text, flags=re.S)).splitlines())


def layer(path):
    """Of a source: a path, or a patch and a path."""
    path = str(path)
    if not path.startswith("samples/"):
        return "abstractions"
    return "core" if "/core/" in path else "abi" if path.endswith("/exports.rs") else "policy"


PARTS = {**TITLES, "helpers": "C helpers: `rust/helpers/`", "component": "C: `glue.c`, `trace.c`, trace events", "patches": "C that `patches/` adds",
         "build": "Kconfig, make and scripts that `patches/` adds", "lz4": "LZ4, with all that is only for it"}


@functools.cache
def parts():
    """{part: (lines of code, unsafe blocks)} of what a reviewer reads: Rust without tests, C, and what patches add. Without
    documentation, and the project's own Kconfig and Makefiles."""
    read = [(layer(path), path, text) for path, text in sources()]
    for part, pattern in ("helpers", "rust/helpers/*.c"), ("component", "samples/rust/*/*.c"), ("component", "include/**/*.h"):
        read += [(part, path, path.read_text()) for path in pathlib.Path().glob(pattern)]
    for path, text in patched():
        if path.endswith((".c", ".h")):
            read.append(("patches", path, text))
        elif not re.search(r", (?:Documentation|rust/kernel)/", path):
            read.append(("build", path, re.sub(r"^\s*#.*", "", text, flags=re.M)))
    found = {part: [0, 0] for part in PARTS}
    for part, path, text in read:
        count = found["lz4" if re.search("lz4|scompress", str(path)) else part]
        count[0] += lines(text)
        count[1] += len(re.findall(UNSAFE[0], bare(text)))
    return found


Item = collections.namedtuple("Item", "kind name trait above first last doc")
HEAD = re.compile(r"^( *)(?:pub(?:\([\w: ]+\))? |unsafe |safe |const (?!\w+:)|extern \"C\" )*(?:(fn|struct|enum|union|type|static|const|macro_rules!) (?:mut )?(\w+)|(impl|trait)\b([^{;]*))[^\n]*", re.M)


def items(text):
    """The items of Rust, by how rustfmt indents them: kind, name (or type::name), the trait that it is implemented for, the first line
    with what stands above it, without that, the last line, and what stands above."""
    lines, found, scopes = text.split("\n"), [], []
    for start in HEAD.finditer(text):
        indent, kind, name, block, scope = start.groups()
        end = re.compile(rf"(?:[^\n]*[;}}]$|(?s:.*?)^{indent}(?:\}}|[)}}\]]+[^\n{{]*;)$)", re.M).match(text, start.start())
        first = 1 + text.count("\n", 0, start.start())
        last = 1 + text.count("\n", 0, end.end()) if end else first
        if block:
            while (inner := re.sub(r"<[^<>]*>|->", "", scope)) != scope:
                scope = inner
            trait, _, of = re.split(r"\bwhere\b|(?<!:):(?!:)", scope)[0].rpartition(" for ")
            scopes.append((first, last, of.split("::")[-1].strip(" &\n"), trait.strip() or None))
            kind, name = (block, scopes[-1][2]) if block == "trait" else (None, None)
        if name and name != "_":
            inside = [scope for scope in scopes if scope[0] < first and last < scope[1]][-1:]
            above = first
            while above > 1 and re.match(rf"{indent}(?://|#!?\[)", lines[above - 2]):
                above -= 1
            found.append(Item(kind, "::".join([*(scope[2] for scope in inside), name]), inside[0][3] if inside else None,
                              above, first, last, "\n".join(lines[above - 1:first - 1])))
    return found


def inside(text):
    """The lines of code that are wholly or partly in unsafe blocks."""
    text, found = bare(text), set()
    for start in re.finditer(UNSAFE[0], text):
        depth, at = 1, start.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        first = text.count("\n", 0, start.start())
        found |= {first + n for n, line in enumerate(text[start.start():at].split("\n")) if line.strip()}
    return len(found)


def functions(path):
    """[(name or type::name, first line, last line)] of a file; of a patch, those that it adds. A helper in C has the name by which
    Rust calls it."""
    text = pathlib.Path(path).read_text()
    if str(path).endswith(".patch"):
        text = "\n".join(re.findall(r"^\+(.*)", text, re.M))
    yield from ((item.name, item.first, item.last) for item in items(text) if item.kind == "fn")
    yield from ((name, 0, 0) for name in re.findall(r"\brust_helper_(\w+)\(", text))


def files(pattern):
    return [path.read_text() for path in sorted(pathlib.Path().glob(pattern))]


def suites():
    """The names of the project's KUnit suites in C and in Rust, without those that only measurements run."""
    c = re.findall(r'^static struct kunit_suite .*?\.name = "(\w+)"', "".join(files("tests/kunit/*.c")), re.M | re.S)
    rust = re.findall(r"^\+?#\[.*\bkunit_tests\((\w+)\)", "".join(files("rust/kernel/**/*.rs") + files("samples/rust/**/*.rs") + files("patches/*.patch")), re.M)
    return set(c) - {"zswap_time", "zswap_scale"}, set(rust)


def mutants():
    """The mutants, in the order of a run, and the layer that the mistake of each is in."""
    found = {}
    for patch in files("tests/mutants/*.patch"):
        path = re.search(r"^\+\+\+ b/(\S+\.rs)$", patch, re.M)[1]
        found |= dict.fromkeys(re.findall(r"^mutant: (\S+)$", patch, re.M), layer(path))
    return found


def counts():
    found = dict.fromkeys((f"{layer}.{what}" for layer in LAYERS for what in ("lines", "unsafe")), 0)
    for path, text in sources():
        found[f"{layer(path)}.lines"] += lines(text)
        found[f"{layer(path)}.unsafe"] += len(re.findall(r"\bunsafe\s*\{", bare(text)))
    found["c.functions"] = len(trusted())
    found["c.lines"] = sum(map(lines, files("rust/helpers/*.c")))

    found["kunit.c"], found["kunit.rust"] = map(len, suites())
    rooms = "".join(text for text in files("tests/host/attack/*.rs") if "\n//@[control] check-pass\n" in text)
    found["attacks"] = len(re.findall(r"^pub mod \w+ \{$", rooms, re.M))
    litmus = files("tests/litmus/*.litmus")
    found["litmus"] = len(litmus) + sum(len(re.findall(r"^ \*     sed: ", text, re.M)) for text in litmus)
    found["vm"] = sum(bool(re.search(r"^plan \d+$", text, re.M)) for text in files("tests/vm/*.sh"))
    seeded = mutants()
    found["mutants"] = len(seeded)
    for name in LAYERS:
        found[f"mutants.{name}"] = list(seeded.values()).count(name)
    return found


@functools.cache
def trusted():
    """{function of C: what it is trusted for}"""
    table = {}
    for line in pathlib.Path("docs/trusted.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        names, what = line.split("\t")
        for name in names.split():
            table[name] = what
    return table

# --- The report of unsafe code --------------------------------------------------------


def declared(text):
    """The functions of C that blocks of Rust declare, with what is safe to call."""
    return [name for block in re.findall(r'^unsafe extern "C" \{$(.*?)^\}$', text, re.M | re.S) for name in re.findall(r"\bfn (\w+)\(", block)]


UNSAFE = (r"\bunsafe\s*\{", r"\bunsafe (?:extern \"C\" )?fn\b", r"\bunsafe impl\b")


def undocumented(path, text):
    """Lines with an unsafe block or impl without a SAFETY comment above."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        bare = re.sub(r"//.*", "", line)
        if not re.search(r"\bunsafe\s*(\{|impl\b|extern \"C\" \{)", bare):
            continue
        above = i - 1
        # The comment is above the statement, which may start some lines earlier.
        while above >= 0 and i - above < 12 and "SAFETY:" not in lines[above]:
            above -= 1
        if "SAFETY:" not in lines[above] and "SAFETY:" not in line:
            yield f"{path}:{i + 1}"


def safety():
    """The unsafe blocks, functions and impls, without tests: the table of docs/safety.md, by layer, and docs/unsafe.tsv, by file, or
    patch and file. Also what is wrong: a C function called that has no line in docs/trusted.tsv, a line that has no function, a
    block without a SAFETY comment."""
    wrong = []
    used = collections.defaultdict(set)
    counts = []
    for path, text in sources():
        stripped = bare(text)
        count = [*(len(re.findall(pattern, stripped)) for pattern in UNSAFE), inside(text)]
        if any(count):
            counts.append((path, *count))
        wrong += [f"{where}: unsafe without a SAFETY comment" for where in undocumented(path, text)]
        for name in re.findall(r"\bbindings::([a-z_]\w*)", stripped) + declared(stripped):
            used[name].add(path)
    table = trusted()
    # C's types and constants are named like functions: a function is followed by a parenthesis, or passed by name.
    called = {name for path, text in sources() for name in re.findall(r"\bbindings::([a-z_]\w*)\s*[,(]", bare(text))}
    called = {name for name in called if not re.fullmatch(r".*_t|__GFP_.*|vm_event_item.*|mthp_stat_item.*|memcg_stat_item.*|lru_status|cpuhp_state.*|system_states.*", name)}
    types = {"acomp_req", "blk_plug", "crypto_acomp", "crypto_alg", "crypto_scomp", "crypto_wait", "folio", "hlist_node",
             "kmem_cache", "kmem_cache_args", "list_head", "list_lru", "list_lru_one",
             "lruvec", "mem_cgroup", "mempolicy", "obj_cgroup", "page", "percpu_ref", "scatterlist", "scomp_alg", "shrink_control",
             "shrinker", "static_key_false", "swap_cluster_info", "swap_info_struct", "swap_io_ctx", "vm_area_struct", "vm_fault", "zs_pool"}
    called |= {name for _, text in sources() for name in declared(bare(text))}
    called -= types
    through_xarray = {name for name in table if name.startswith("xa_")}
    wrong += [f"{name} is called, and has no line in docs/trusted.tsv" for name in sorted(called - set(table))]
    wrong += [f"{name} has a line in docs/trusted.tsv, and isn't used" for name in sorted(set(table) - set(used) - through_xarray)]

    tsv = ["# The unsafe code of each file, without tests. Written by make pages.", "layer\tfile\tblocks\tfunctions\timpls\tlines in blocks"]
    tsv += ["\t".join(map(str, [name, *count])) for name in LAYERS for count in counts if layer(count[0]) == name]

    # Lines without LZ4, blocks with it: the row "LZ4" says how many of them are its own.
    code, total = parts(), [sum(of[at] for name, of in parts().items() if name != "lz4") for at in (0, 1)]
    out = ["| part | lines, without LZ4 | unsafe blocks | functions | impls | lines in blocks |", "|---|---:|---:|---:|---:|---:|"]
    for name, title in PARTS.items():
        mine = [count for count in counts if layer(count[0]) == name]
        if name == "lz4":
            out.append(f"| {title} (its blocks are above, too) | {code[name][0]} | {code[name][1]} | | | |")
        else:
            out.append(f"| {title} | {code[name][0]} |" + (f" {' | '.join(str(sum(of[at] for of in mine)) for at in (1, 2, 3, 4))} |" if name in TITLES else " | | | |"))
    out.append(f"| all, without LZ4 | {total[0]} | {total[1]} | | | |")
    out.append(f"| all, in {sum(bool(of[1]) for of in counts)} files with a block | | {' | '.join(str(sum(of[at] for of in counts)) for at in (1, 2, 3, 4))} |")
    out += ["", "Lines are those of code: not blank, no comments, no tests. For C, README counts what Rust replaces in `mm/zswap.c` and `mm/swap_state.c`."]
    total = [sum(column) for column in list(zip(*counts))[1:]]
    said = f"{total[0]} unsafe blocks in {len(counts)} files, {len(table)} C functions trusted: docs/safety.md"
    return out, tsv, wrong, said

# --- Attacks ------------------------------------------------------------------------


ATTACK = "tests/host/attack"
# What the compiler's codes stand for.
MEANING = {
    "E0015": "a constant calls a function that isn't const",
    "E0061": "a call with another number of arguments",
    "E0080": "a constant can't be evaluated",
    "E0119": "a second implementation of a trait for the type",
    "E0133": "a call of an unsafe function",
    "E0277": "the type doesn't implement the trait",
    "E0308": "another type is expected",
    "E0382": "use of a value that was moved",
    "E0423": "a struct with private fields is made",
    "E0451": "a private field is set",
    "E0499": "a second mutable borrow",
    "E0500": "a closure needs what is borrowed",
    "E0502": "a mutable borrow of what is borrowed",
    "E0505": "a value is moved while it is borrowed",
    "E0507": "a value is moved out of a borrow",
    "E0515": "a borrow of a local variable is returned",
    "E0521": "a borrow outlives the function",
    "E0532": "the pattern is of another kind",
    "E0596": "a mutable borrow of what is shared",
    "E0597": "the value is dropped while it is borrowed",
    "E0599": "the type has no such method",
    "E0603": "a private item is named",
    "E0614": "a dereference of what is no pointer",
    "E0616": "a private field is read",
    "E0624": "a private function is called",
    "E0716": "a temporary is dropped while it is borrowed",
    "unused_must_use": "the result must be used",
}


def called(error):
    """A code with what it stands for, a text as it is."""
    return f"{error}, {MEANING[error]}" if error in MEANING else error


def main():
    rows = [(title, *parts()[part]) for part, title in PARTS.items()]
    rows.insert(-1, ("without LZ4", *(sum(row[at] for row in rows[:-1]) for at in (1, 2))))
    rows.append(("all", *(rows[-1][at] + rows[-2][at] for at in (1, 2))))
    for title, count, blocks in [("", "lines", "unsafe"), *rows]:
        print(f"{title:<48}{count:>7}{blocks:>8}")


if __name__ == "__main__":
    main()
