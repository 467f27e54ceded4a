// SPDX-License-Identifier: GPL-2.0-or-later
// The text is read after the lock was released.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::module_param::runtime::{ParamLock, Text};

static TEXT: Text = Text::new(c"lzo");

pub fn attack() -> bool {
    let text = ParamLock::with(|lock| {
        #[cfg(attack)]
        return TEXT.get(lock); //~[attack] ERROR: lifetime may not live long enough
        #[cfg(control)]
        TEXT.get(lock).len()
    });
    core::mem::size_of_val(&text) > 0
}
