// SPDX-License-Identifier: GPL-2.0

//! Selects the active mutant: one of tests/mutants, by its name, or none.
//!
//! Only for the kernel of `make mutants`. The seeded bugs test it with `mutant!`;
//! `zswap_mutant=NAME` sets it, at boot or in `/sys/module/kernel/parameters`.

use crate::sync::atomic::{
    ordering::Relaxed,
    Atomic, //
};

/// The [`id`] of the active mutant. `mutant.c` writes to it.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static zswap_mutant: Atomic<u64> = Atomic::new(0);

/// A name's hash: FNV-1a, as in `mutant.c`.
pub const fn id(name: &str) -> u64 {
    let name = name.as_bytes();
    let mut id = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < name.len() {
        id = (id ^ name[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    id
}

/// Whether that mutant is active.
#[inline]
pub fn is(id: u64) -> bool {
    zswap_mutant.load(Relaxed) == id
}

/// Whether the mutant of that name is active.
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        $crate::mutant::is(const { $crate::mutant::id($name) })
    };
}
