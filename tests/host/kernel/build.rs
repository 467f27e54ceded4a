// SPDX-License-Identifier: GPL-2.0

//! The simulated kernel's configuration, and variants of the kernel's `acompress.rs` for models.

use std::{env, fs, path::Path};

const ACOMPRESS: &str = "../../../rust/kernel/crypto/acompress.rs";

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
        "    request: Request,\n    lanes: KVec<KBox<Lane>>,\n    _transform: Transform,",
        "    _transform: Transform,\n    request: Request,\n    lanes: KVec<KBox<Lane>>,",
    ),
    ("no_backlog", "bindings::CRYPTO_TFM_REQ_MAY_BACKLOG,", "0,"),
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
    println!("cargo:rerun-if-changed={ACOMPRESS}");
    let source = fs::read_to_string(ACOMPRESS).unwrap();
    // An included file can't have module documentation.
    let source: String = source
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("//!"))
        .collect();
    let replace = |source: &str, from, to| {
        assert_eq!(source.matches(from).count(), 1, "{ACOMPRESS}: {from}");
        source.replace(from, to)
    };
    let source = replace(&source, TWO_LANES.0, TWO_LANES.1);
    let out = env::var("OUT_DIR").unwrap();
    for (name, from, to) in VARIANTS {
        let path = Path::new(&out).join(format!("{name}.rs"));
        fs::write(path, replace(&source, from, to)).unwrap();
    }
}
