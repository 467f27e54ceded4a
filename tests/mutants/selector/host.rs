// SPDX-License-Identifier: GPL-2.0

//! Which mistake is made: one of those of tests/mutants, that `ZSWAP_MUTANT` names, or none.
//!
//! For the host tests of `make mutants` only; kernel.rs is what the kernel has for it.

extern crate std;

use std::{env, string::String, sync::OnceLock};

/// Whether that mistake is made.
pub fn is(name: &str) -> bool {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| env::var("ZSWAP_MUTANT").unwrap_or_default()) == name
}

/// Whether the mistake of that name is made.
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        $crate::mutant::is($name)
    };
}
