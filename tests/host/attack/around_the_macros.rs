// SPDX-License-Identifier: GPL-2.0-or-later
// A module registers callbacks that C will never drop, without the macros that check for built-in
// code; or an argument of a macro has unsafe code in it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    cpuhotplug::{Prepare, State},
    debugfs::attribute::StaticDir,
    prelude::*,
    shrinker::Shrinker,
    sync::generations::Generations,
};

pub fn state<T: Prepare>() -> Result<State<T>> {
    #[cfg(attack)]
    return State::new(c"attack"); //~[attack] E0133
    kernel::builtin_cpu_state!(c"attack")
}

pub fn named<T: Prepare>(bytes: &'static [u8]) -> Result<State<T>> {
    #[cfg(attack)]
    return kernel::builtin_cpu_state!(CStr::from_bytes_with_nul_unchecked(bytes)); //~[attack] E0133
    #[cfg(control)]
    kernel::builtin_cpu_state!(CStr::from_bytes_with_nul(bytes).map_err(|_| EINVAL)?)
}

pub fn list<T: Send + Sync + 'static>() -> impl PinInit<Generations<T>> {
    #[cfg(attack)]
    return Generations::new(c"list", kernel::static_lock_class!()); //~[attack] E0133
    #[cfg(control)]
    kernel::builtin_generations!()
}

pub fn attack(shrinker: Shrinker) -> Result<StaticDir> {
    #[cfg(attack)]
    shrinker.register(); //~[attack] E0133
    #[cfg(control)]
    kernel::register_builtin_shrinker!(shrinker);
    #[cfg(attack)]
    return StaticDir::new(c"attack"); //~[attack] E0133
    kernel::static_debugfs_dir!(c"attack")
}
