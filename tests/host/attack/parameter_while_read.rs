// SPDX-License-Identifier: GPL-2.0-or-later
// The text is set while it is still borrowed.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    error::Result,
    module_param::runtime::{ParamLock, Text},
};

static TEXT: Text = Text::new(c"lzo");

pub fn attack(lock: &mut ParamLock) -> Result<usize> {
    let text = TEXT.get(lock);
    #[cfg(control)]
    let len = text.len();
    TEXT.set(lock, b"lz4")?; //~[attack] E0502
    #[cfg(attack)]
    let len = text.len();
    Ok(len)
}
