// SPDX-License-Identifier: GPL-2.0-or-later
// An I/O error is reported as success: a page that couldn't be decompressed becomes visible.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap::Load;

pub fn attack<T>(load: Load<'_, T>) -> Load<'_, T> {
    match load {
        #[cfg(attack)]
        Load::Failed(_, done) => Load::Loaded(done), //~[attack] E0308
        load => load,
    }
}
