// SPDX-License-Identifier: GPL-2.0-or-later
// A debugfs file shows a number on a function's stack.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::debugfs::attribute::{Attribute, StaticDir};

pub fn attack(dir: StaticDir, number: u64) {
    struct Shown;
    impl Attribute for Shown {
        fn get() -> u64 {
            #[cfg(attack)]
            return number; //~[attack] E0434
            #[cfg(control)]
            0
        }
    }
    dir.file::<Shown>(c"attack");
    let _ = number;
}
