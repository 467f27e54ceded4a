// SPDX-License-Identifier: GPL-2.0-or-later

//! swap_table.rs, to be included once for each layout: with the bindings of the including module.

use std::{env, fs, path::Path};

const SWAP_TABLE: &str = "../../../rust/kernel/mm/swap_table.rs";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SWAP_TABLE}");
    let source = fs::read_to_string(SWAP_TABLE).unwrap();
    assert_eq!(source.matches("use crate::bindings;\n").count(), 1);
    // Without module documentation, which an included file can't have.
    let text: String = source
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("//!") && *line != "use crate::bindings;\n")
        .collect();
    let out = env::var("OUT_DIR").unwrap();
    fs::write(Path::new(&out).join("swap_table.rs"), text).unwrap();
}
