// SPDX-License-Identifier: GPL-2.0

//! Which mistake is made: one of those of tests/mutants, by its name, or none.
//!
//! For the kernel of `make mutants` only. It is asked with `mutant!`, wherever a mistake is to be
//! made, and set by `zswap_mutant=NAME`, when booting or in `/sys/module/kernel/parameters`.

use crate::sync::atomic::{
    ordering::Relaxed,
    Atomic, //
};

/// The one that is made, as [`id`] has it. `mutant.c` writes to it.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static zswap_mutant: Atomic<u64> = Atomic::new(0);

/// A name in one word: FNV-1a, as in `mutant.c`.
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

/// Whether that mistake is made.
#[inline]
pub fn is(id: u64) -> bool {
    zswap_mutant.load(Relaxed) == id
}

/// Whether the mistake of that name is made.
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        $crate::mutant::is(const { $crate::mutant::id($name) })
    };
}
