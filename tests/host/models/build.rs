// SPDX-License-Identifier: GPL-2.0-or-later

//! Texts of zswap_rs's core for models: as they are, and variants of the index.

use std::{env, fs, path::Path};

const CORE: &str = "../../../samples/rust/zswap_rs/core";

/// Variants of the index of slots: names, and replacements, each a seeded bug, except the first.
const INDEX_VARIANTS: &[(&str, &str, &str)] = &[
    (
        "as_it_is",
        "pub(crate) struct Leaf {",
        "pub(crate) struct Leaf {",
    ),
    (
        "gets_what_is_removed",
        "        while refs != 0 {",
        "        while refs != usize::MAX {",
    ),
    (
        "put_unseen",
        "if self.leaf().refs.fetch_sub(self.n, Full) != self.n {",
        "if self.leaf().refs.fetch_sub(self.n, Full) == 0 {",
    ),
    ("frees_at_once", "Leaf::free_rcu(leaf);", "drop(leaf);"),
    (
        "puts_what_it_has_not",
        ".try_get(n).then(|| Self {",
        ".try_get(n).then_some(Self {",
    ),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cfg=CONFIG_ZSWAP_LARGE_SWAPIN");
    let index = read("index.rs");
    for (name, from, to) in INDEX_VARIANTS {
        write(name, &replace(&index, from, to));
    }
    for name in ["slots", "page_mask"] {
        write(name, &read(&format!("{name}.rs")));
    }
}

/// A file of the core, to be included: without module documentation and attributes, which an included file
/// can't have.
fn read(name: &str) -> String {
    let path = format!("{CORE}/{name}");
    println!("cargo:rerun-if-changed={path}");
    let source = fs::read_to_string(path).unwrap();
    source
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
        .collect()
}

fn replace(source: &str, from: &str, to: &str) -> String {
    assert_eq!(source.matches(from).count(), 1, "{from}");
    source.replace(from, to)
}

fn write(name: &str, source: &str) {
    let out = env::var("OUT_DIR").unwrap();
    fs::write(Path::new(&out).join(format!("{name}.rs")), source).unwrap();
}
