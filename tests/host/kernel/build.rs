// SPDX-License-Identifier: GPL-2.0

//! The simulated kernel's configuration, and variants of the kernel's `acompress.rs`
//! for models.

use std::{env, fs, path::Path};

const ACOMPRESS: &str = "../../../rust/kernel/crypto/acompress.rs";

/// Fewer requests, so that one is reused while another is in flight.
const SHORT_QUEUE: (&str, &str) = ("QUEUE_DEPTH: usize = 8;", "QUEUE_DEPTH: usize = 2;");

/// The name of a variant with a queue of two, and its other replacements: each a seeded bug, except the
/// first.
const VARIANTS: &[(&str, &str, &str)] = &[
    ("short_queue", SHORT_QUEUE.1, SHORT_QUEUE.1),
    (
        "returns_early",
        "result = each(request, started, report);",
        "result = Ok(each(request, started, report)?);",
    ),
    (
        "does_not_wait",
        "crypto_wait_req(started,",
        "crypto_wait_req(0,",
    ),
    (
        "transform_goes_first",
        "    request: KBox<Request>,\n    queue: KVec<KBox<Request>>,\n    _transform: Transform,",
        "    _transform: Transform,\n    request: KBox<Request>,\n    queue: KVec<KBox<Request>>,",
    ),
    ("no_backlog", "bindings::CRYPTO_TFM_REQ_MAY_BACKLOG,", "0,"),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for config in [
        "CONFIG_SWAP",
        "CONFIG_ZSWAP",
        "CONFIG_ZSWAP_RUST",
        "CONFIG_ZSWAP_LARGE_SWAPIN",
        "CONFIG_DEBUG_VM",
    ] {
        println!("cargo:rustc-cfg={config}");
    }
    let source = read(ACOMPRESS);
    let source = replace(&source, SHORT_QUEUE.0, SHORT_QUEUE.1);
    for (name, from, to) in VARIANTS {
        write(name, &replace(&source, from, to));
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
