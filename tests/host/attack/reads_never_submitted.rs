// SPDX-License-Identifier: GPL-2.0-or-later
// swap_read_submit() forgotten: the folios that were begun stay locked, and who waits for them
// waits for ever.
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
