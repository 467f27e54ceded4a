#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""vanished.py BUILD PATCH...: whether each function that the patches add to C is in the kernel that was built in BUILD.

In another kernel a hunk can land in a branch of the preprocessor that is not compiled, without a word. A function is there if
the debug information of its file defines it, inlined or not. If the file has several definitions, such as one for another
configuration, it must be the first. A function in a header is there if any patched file defines it, or if it is a symbol of
vmlinux: the one in Rust. Not checked: functions that Rust replaces (scripts/drift.tsv), those for rust/, without which Rust does not
link, and files that are not compiled. The kernel must have all of the project, with CONFIG_ZSWAP_LARGE_SWAPIN and CONFIG_SHMEM.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def text_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def added(patches):
    """The functions that the patches define, by file."""
    replaced = {line.split("\t")[1] for line in text_of("scripts/drift.tsv").splitlines() if "\t" in line}
    found = {}
    for patch in patches:
        for part in re.split(r"^\+\+\+ b/", text_of(patch), flags=re.M)[1:]:
            name = part.split("\n")[0]
            if re.match(r"(?!rust/|samples/).*\.[ch]$", name):
                # A line at the margin, its parameters, and the body. Only the first line must be new.
                lines = re.sub(r"^-.*\n", "", part, flags=re.M)
                names = re.findall(r"^\+[a-z_][^;{}()=#\n]*?\b(\w+)\([^;{}]*\)\n[+ ]\{", lines, re.M)
                if names:
                    found[name] = found.get(name, set()) | set(names) - replaced
    return found


def defined(build, name):
    """The functions that a C file defines in this configuration, each with its line, by debug information: it is compiled
    again with it. And the file's text."""
    command = text_of(pathlib.Path(build, re.sub(r"([^/]*)\.c$", r".\1.o.cmd", name))).split("\n")[0]
    command = shlex.split(command.split(":= ", 1)[1].split(" ; ")[0])
    with tempfile.NamedTemporaryFile(suffix=".o") as out:
        # Neither its output nor its note of dependencies is where make expects them.
        command = [word for word in command if not word.startswith("-Wp,-MMD,")]
        command[command.index("-o") + 1] = out.name
        subprocess.run([*command, "-g"], cwd=build, check=True)
        text = subprocess.run(["llvm-dwarfdump", out.name], check=True, capture_output=True, text=True).stdout
    found = {}
    for part in text.split("DW_TAG_")[1:]:
        if part.startswith("subprogram") and "DW_AT_declaration" not in part:
            function, line = re.search(r'DW_AT_name\t\("(\w+)"\)', part), re.search(r"DW_AT_decl_line\t\((\d+)\)", part)
            if function and line:
                found[function[1]] = int(line[1])
    return found, text_of(pathlib.Path(build, command[-1]))


def first_line(text, function):
    start = re.search(rf"^[a-z_][^;{{}}()=#\n]*?\b{function}\([^;{{}}]*\)\n\{{", text, re.M)
    return start and text.count("\n", 0, start.end(0) - len(start[0].split(function, 1)[1])) + 1


def main(build, *patches):
    functions = added(patches)
    missing, there = [], set()
    for name, names in sorted(functions.items()):
        if name.endswith(".c") and pathlib.Path(build, name).with_suffix(".o").exists():
            lines, text = defined(build, name)
            there |= set(lines)
            missing += [(name, function) for function in sorted(names) if lines.get(function) != first_line(text, function)
                        or function not in lines]
    symbols = subprocess.run(["llvm-nm", f"{build}/vmlinux"], check=True, capture_output=True, text=True).stdout
    there |= {line.split()[-1] for line in symbols.splitlines()}
    missing += [(name, function) for name, names in sorted(functions.items()) if name.endswith(".h") for function in sorted(names - there)]
    for name, function in missing:
        print(f"{name}: {function}() of the patches is not in the kernel: it is not compiled here, or no code calls it")
    if not missing:
        print(f"{sum(map(len, functions.values()))} functions of the patches are in the kernel")
    return bool(missing)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: vanished.py BUILD PATCH...")
    sys.exit(main(*sys.argv[1:]))
