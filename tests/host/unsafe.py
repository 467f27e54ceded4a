#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests that "check.py unsafe" finds unsafe code that forbid(unsafe_code) does not see. Prints TAP."""

import os
import pathlib
import shutil
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))
sys.dont_write_bytecode = True

import check  # noqa: E402

ROOT, POLICY = "zswap_rs/zswap_rs.rs", "zswap_rs/age.rs"
# A file, a text to replace (its end if it is empty, and None in a new file), the text instead, and part of what check.py says.
SEEDS = [
    (POLICY, "", "unsafe fn f() {}\n", "unsafe in a policy file"),
    (POLICY, "", "kernel::kunit_unsafe_test_suite!(x, Y);\n", "unsafe in a policy file"),
    (POLICY, "", "kernel::sync::global_lock! { unsafe(uninit) static L: Mutex<u32> = 0; }\n", "unsafe in a policy file"),
    (POLICY, "", "fn f<'a, 'b>(_: &'a &'b (), v: &'b u8) -> &'a u8 { v }\n", "25860"),
    (POLICY, "", "impl<T: ?Sized, U> Object<U> for T { type Output = U; }\n", "57893"),
    (ROOT, "#[forbid(unsafe_code)]\nmod age;", "mod age;", "mod age needs #[forbid(unsafe_code)]"),
    (ROOT, "#[forbid(unsafe_code)]\nmod age;", "#[allow(unsafe_code)]\nmod age;", "mod age needs"),
    (ROOT, "#[forbid(unsafe_code)]\nmod age;", "#[macro_use]\n#[forbid(unsafe_code)]\nmod age;", "mod age needs"),
    (ROOT, "#[forbid(unsafe_code)]\nmod age;", "pub(crate) mod age;", "mod in a crate's root"),
    (ROOT, "#![deny(unsafe_code)]", "#![allow(unsafe_code)]", "lacks #![deny(unsafe_code)]"),
    (ROOT, "", "#[allow(dead_code, unsafe_code)]\nfn f() {}\n", "unsafe in a crate's root"),
    (ROOT, "", "kernel::macros::paste! { [<un safe>] fn f() {} }\n", "paste in a crate's root"),
    (ROOT, "", "macro_rules! cfg { ($x:tt) => { true } }\n", "macro_rules in a crate's root"),
    (ROOT, "", 'include!("f.in");\n', "a file that is not checked"),
    (ROOT, "", 'const _: &str = "//"; #[allow(unsafe_code)] mod evil {}\n', "unsafe in a crate's root"),
    (ROOT, "", "/* // */ #[allow(unsafe_code)] fn f() {}\n", "unsafe in a crate's root"),
    (POLICY, "", 'const _: &str = "//"; kernel::kunit_unsafe_test_suite!(x, Y);\n', "unsafe in a policy file"),
    (POLICY, "", "kernel::bitfield! { struct Null(&'static Memory) {} }\n", "bitfield!"),
    (POLICY, "", 'include!("age.in");\n', "a file that is not checked"),
    (POLICY, "", '#[path="core/f.rs"]\nmod f;\n', "a file that is not checked"),
    (POLICY, "", "fn f<'a, 'b>(_: &'a (&'b (),), v: &'b u8) -> &'a u8 { v }\n", "25860"),
    (POLICY, "", "type F = for<'x> fn(_, &'x u8) -> &'static u8;\n", "25860"),
    (POLICY, "", "fn f<T: ? Sized>(_: &T) {}\n", "57893"),
    ("zswap_rs/age/exports.rs", None, "unsafe fn f() {}\n", "unsafe in a policy file"),
    ("zswap_rs/age/core/f.rs", None, "unsafe fn f() {}\n", "unsafe in a policy file"),
]


def said(name, old, new):
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(TOP / "samples", f"{work}/samples")
        path = pathlib.Path(work, "samples/rust", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "" if old is None else path.read_text(encoding="utf-8")
        assert (old or "") in text, old
        path.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")
        os.chdir(work)
        try:
            return list(check.unsafe())
        finally:
            os.chdir(TOP)


print(f"1..{len(SEEDS) + 1}")
failed = False
tests = [("the code as it is", (POLICY, "", ""), "")] + [(new.strip().replace("\n", " "), (name, old, new), what) for name, old, new, what in SEEDS]
for number, (what, seed, wanted) in enumerate(tests, 1):
    lines = said(*seed)
    ok = any(f"samples/rust/{seed[0]}" in line and wanted in line for line in lines) if wanted else not lines
    failed |= not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {what}")
    if not ok:
        print(f"#   got  {lines}\n#   want {wanted or 'nothing'}")
sys.exit(failed)
