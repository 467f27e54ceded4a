// SPDX-License-Identifier: GPL-2.0-or-later
// sysfs frees a parameter's old text during a read without kernel_param_lock().
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::module_param::runtime::{ParamLock, ParamLocked, Text};

static TEXT: Text = Text::new(c"lzo");
static DATA: ParamLocked<u32> = ParamLocked::new(0);

pub fn attack() -> usize {
    #[cfg(attack)]
    let _ = (TEXT.get(), DATA.get()); //~[attack] E0061
                                      //~[attack]^ E0061
    ParamLock::with(|lock| TEXT.get(lock).len() + *DATA.get(lock) as usize)
}
