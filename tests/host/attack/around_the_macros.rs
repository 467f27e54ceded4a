// SPDX-License-Identifier: GPL-2.0-or-later
// A module registers what C will call for ever, without the macros that ask whether this is built
// in.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{debugfs::attribute::StaticDir, prelude::*, shrinker::Shrinker};

pub fn attack(shrinker: Shrinker) -> Result<StaticDir> {
    #[cfg(attack)]
    shrinker.register(); //~[attack] E0133
    #[cfg(control)]
    kernel::register_builtin_shrinker!(shrinker);
    #[cfg(attack)]
    return StaticDir::new(c"attack"); //~[attack] E0133
    kernel::static_debugfs_dir!(c"attack")
}
