// SPDX-License-Identifier: GPL-2.0-or-later
// Without swap_read_submit(), folios whose reads were started stay locked, and tasks
// that wait for them wait forever.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap::Reads;

pub fn attack() {
    #[cfg(attack)]
    let mut kept = None;
    Reads::together(|reads| {
        #[cfg(attack)]
        kept.replace(reads); //~[attack] E0521
        #[cfg(control)]
        let _ = reads;
    });
    #[cfg(attack)]
    drop(kept);
}
