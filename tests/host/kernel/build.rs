// SPDX-License-Identifier: GPL-2.0

//! The simulated kernel's configuration, and variants of the kernel's `acompress.rs` and `swap_slots.rs`
//! for models.

use std::{env, fs, path::Path};

const ACOMPRESS: &str = "../../../rust/kernel/crypto/acompress.rs";

const SWAP_SLOTS: &str = "../../../rust/kernel/mm/swap_slots.rs";

/// Fewer lanes, so that one is reused while another is in flight.
const TWO_LANES: (&str, &str) = ("DEPTH: usize = 8;", "DEPTH: usize = 2;");

/// The name of a variant with two lanes, and its other replacements: each a seeded bug, except the
/// first.
const VARIANTS: &[(&str, &str, &str)] = &[
    ("two_lanes", TWO_LANES.1, TWO_LANES.1),
    (
        "returns_early",
        "result = each(page, compressed);",
        "each(page, compressed)?;",
    ),
    (
        "does_not_wait",
        "self.request.finish(self.started)",
        "self.request.finish(0)",
    ),
    (
        "transform_goes_first",
        "    lane: KBox<Lane>,\n    lanes: KVec<KBox<Lane>>,\n    _transform: Transform,",
        "    _transform: Transform,\n    lane: KBox<Lane>,\n    lanes: KVec<KBox<Lane>>,",
    ),
    ("no_backlog", "bindings::CRYPTO_TFM_REQ_MAY_BACKLOG,", "0,"),
];

/// Variants of the index of slots: names, and replacements, each a seeded bug.
const INDEX_VARIANTS: &[(&str, &str, &str)] = &[
    (
        "joins_what_leaves",
        "        while live != 0 {",
        "        while live != usize::MAX {",
    ),
    (
        "leaves_unseen",
        "if self.leaf().live.fetch_sub(self.n, Full) != self.n {",
        "if self.leaf().live.fetch_sub(self.n, Full) == 0 {",
    ),
    ("frees_at_once", "leaf.free_rcu();", "drop(leaf);"),
    (
        "leaves_unjoined",
        ".join(n).then(|| Self {",
        ".join(n).then_some(Self {",
    ),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for config in [
        "CONFIG_SWAP",
        "CONFIG_ZSWAP",
        "CONFIG_ZSWAP_RUST",
        "CONFIG_DEBUG_VM",
    ] {
        println!("cargo:rustc-cfg={config}");
    }
    let source = read(ACOMPRESS);
    let source = replace(&source, TWO_LANES.0, TWO_LANES.1);
    for (name, from, to) in VARIANTS {
        write(name, &replace(&source, from, to));
    }

    let source = read(SWAP_SLOTS);
    for (name, from, to) in INDEX_VARIANTS {
        let mut source = replace(&source, from, to);
        // A folio has the methods of all variants, and each variant has its macro.
        for (from, to) in [
            ("pub fn swap(", "pub fn NAME_swap("),
            ("pub fn slots<", "pub fn NAME_slots<"),
            ("macro_rules! impl_kept ", "macro_rules! impl_kept_NAME "),
        ] {
            source = replace(&source, from, &to.replace("NAME", name));
        }
        assert!(source.contains("folio.swap()"));
        source = source.replace("folio.swap()", &format!("folio.{name}_swap()"));
        let module = format!("$crate::mm::{name}::");
        write(name, &source.replace("$crate::mm::swap_slots::", &module));
    }
}

/// One of the kernel's files, to be included: without module documentation, which an included file can't
/// have.
fn read(path: &str) -> String {
    println!("cargo:rerun-if-changed={path}");
    let source = fs::read_to_string(path).unwrap();
    source
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("//!"))
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
