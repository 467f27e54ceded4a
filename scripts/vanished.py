#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""vanished.py BUILD PATCH...: whether each function that the patches add to C is in the kernel that was built in BUILD.

In another kernel a hunk can land in a branch of the preprocessor that is not compiled, without a word. A function is there if
the debug information of a patched file defines it, inlined or not, or if it is a symbol of vmlinux: in a header, C's
definition may be the one for kernels without Rust. Not checked: functions that Rust replaces (scripts/drift.tsv), and those
for rust/, without which Rust does not link. The kernel must have all of the project, with CONFIG_ZSWAP_LARGE_SWAPIN.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def added(patches):
    """The functions that the patches define, by file."""
    replaced = {line.split("\t")[1] for line in pathlib.Path("scripts/drift.tsv").read_text(encoding="utf-8").splitlines() if "\t" in line}
    found = {}
    for patch in patches:
        for part in re.split(r"^\+\+\+ b/", pathlib.Path(patch).read_text(encoding="utf-8"), flags=re.M)[1:]:
            name = part.split("\n")[0]
            if re.match(r"(?!rust/|samples/).*\.[ch]$", name):
                # A line at the margin, its parameters, and the body. Only the first line must be new.
                lines = re.sub(r"^-.*\n", "", part, flags=re.M)
                names = re.findall(r"^\+[a-z][^;{}()=#\n]*?\b(\w+)\([^;{}]*\)\n[+ ]\{", lines, re.M)
                if names:
                    found[name] = found.get(name, set()) | set(names) - replaced
    return found


def defined(build, name):
    """The functions that a C file defines in this configuration, by debug information: it is compiled again with it."""
    command = pathlib.Path(build, re.sub(r"([^/]*)\.c$", r".\1.o.cmd", name)).read_text(encoding="utf-8").split("\n")[0]
    command = shlex.split(command.split(":= ", 1)[1].split(" ; ")[0])
    with tempfile.NamedTemporaryFile(suffix=".o") as out:
        # Neither its output nor its note of dependencies is where make expects them.
        command = [word for word in command if not word.startswith("-Wp,-MMD,")]
        command[command.index("-o") + 1] = out.name
        subprocess.run([*command, "-g"], cwd=build, check=True)
        text = subprocess.run(["llvm-dwarfdump", out.name], check=True, capture_output=True, text=True).stdout
    found = set()
    for part in text.split("DW_TAG_")[1:]:
        if part.startswith("subprogram") and "DW_AT_declaration" not in part:
            found.update(re.findall(r'DW_AT_name\t\("(\w+)"\)', part))
    return found


def main(build, *patches):
    functions = added(patches)
    there = set()
    for name in sorted(functions):
        # A file that this configuration doesn't compile has nothing to say.
        if name.endswith(".c") and pathlib.Path(build, name).with_suffix(".o").exists():
            there |= defined(build, name)
    symbols = subprocess.run(["llvm-nm", f"{build}/vmlinux"], check=True, capture_output=True, text=True).stdout
    there |= {line.split()[-1] for line in symbols.splitlines()}
    missing = [f"{name}: {function}() of the patches is not in the kernel: it is not compiled here, or no code calls it"
               for name, names in sorted(functions.items()) for function in sorted(names - there)]
    print("\n".join(missing) or f"{sum(map(len, functions.values()))} functions of the patches are in the kernel")
    return bool(missing)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: vanished.py BUILD PATCH...")
    sys.exit(main(*sys.argv[1:]))
