// SPDX-License-Identifier: GPL-2.0

//! The configuration that the simulated kernel has.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for config in ["CONFIG_SWAP", "CONFIG_ZSWAP", "CONFIG_ZSWAP_RUST", "CONFIG_DEBUG_VM"] {
        println!("cargo:rustc-cfg={config}");
    }
}
