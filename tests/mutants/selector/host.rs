// SPDX-License-Identifier: GPL-2.0

//! Selects the active mutant: one of tests/mutants, named by `ZSWAP_MUTANT`, or none.
//!
//! Only for the host tests of `make mutants`; kernel.rs is its counterpart in the kernel.

extern crate std;

use std::{env, string::String, sync::OnceLock};

/// Whether that mutant is active.
pub fn is(name: &str) -> bool {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| env::var("ZSWAP_MUTANT").unwrap_or_default()) == name
}

/// Whether the mutant of that name is active.
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        $crate::mutant::is($name)
    };
}
