// SPDX-License-Identifier: GPL-2.0-or-later
// What is for built-in code only, and variables that C defines or reads by name.
//@[control] check-pass
//@[in_a_module] compile-flags: --cfg MODULE
//@[in_a_module] error-in-other-file: zswap must be built in
//@[in_a_module] error-in-other-file: builtin_cpu_state! is for built-in code
#![deny(unsafe_code)]
use kernel::{
    cpuhotplug::{Prepare, State, StateSlot},
    debugfs::attribute::StaticDir,
    jump_label::static_key::StaticKeyFalse,
    module_param::runtime::UintParam,
    prelude::*,
    shrinker::Shrinker,
    static_key_enabled_unlikely,
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// Callbacks that C never drops are unloaded with the module: shrinkers, debugfs files, lists of pools,
// parameters and CPU states that are never unregistered are for built-in code.
#[cfg(any(control, in_a_module))]
pub mod in_a_module {
    use super::*;

    static PERCENT: UintParam = UintParam::new(20);
    kernel::builtin_param!("attack.percent", PERCENT: UintParam, 0o644); //~[in_a_module] ERROR: builtin_param! is for built-in code

    pub fn state<T: Prepare>() -> Result<State<T>> {
        kernel::builtin_cpu_state!(StateSlot::PrepareDyn, c"attack") //~[in_a_module] ERROR: builtin_cpu_state! is for built-in code
    }

    pub fn attack(shrinker: Shrinker) -> Result {
        kernel::register_builtin_shrinker!(shrinker); //~[in_a_module] ERROR: register_builtin_shrinker! is for built-in code
        kernel::static_debugfs_dir!(c"attack").map(drop) //~[in_a_module] ERROR: static_debugfs_dir! is for built-in code
    }
}

// A module registers callbacks that C will never drop, without the macros that check for built-in
// code; or an argument of a macro has unsafe code in it.
#[cfg(any(control, around_the_macros))]
pub mod around_the_macros {
    use super::*;

    pub fn state<T: Prepare>() -> Result<State<T>> {
        #[cfg(around_the_macros)]
        return State::new(StateSlot::PrepareDyn, c"attack"); //~[around_the_macros] E0133
        kernel::builtin_cpu_state!(StateSlot::PrepareDyn, c"attack")
    }

    pub fn named<T: Prepare>(bytes: &'static [u8]) -> Result<State<T>> {
        #[cfg(around_the_macros)]
        return kernel::builtin_cpu_state!(
            StateSlot::PrepareDyn,
            CStr::from_bytes_with_nul_unchecked(bytes) //~[around_the_macros] E0133
        );
        #[cfg(control)]
        kernel::builtin_cpu_state!(
            StateSlot::PrepareDyn,
            CStr::from_bytes_with_nul(bytes).map_err(|_| EINVAL)?
        )
    }

    pub fn attack(shrinker: Shrinker) -> Result<StaticDir> {
        #[cfg(around_the_macros)]
        shrinker.register(); //~[around_the_macros] E0133
        #[cfg(control)]
        kernel::register_builtin_shrinker!(shrinker);
        #[cfg(around_the_macros)]
        return StaticDir::new(c"attack"); //~[around_the_macros] E0133
        kernel::static_debugfs_dir!(c"attack")
    }
}

// A variable that C reads by name is placed in memory that is freed after boot, or renamed.
#[cfg(any(control, exported_with_attributes))]
pub mod exported_with_attributes {
    use super::*;

    #[cfg(control)]
    kernel::exported_atomic_long! {
        /// Pages.
        pub static zswap_stored_pages;
    }
    #[cfg(exported_with_attributes)]
    kernel::exported_atomic_long! {
        #[link_section = ".init.data"] //~[exported_with_attributes] ERROR: no rules expected
        pub static zswap_stored_pages;
    }
}

// A function that reports an event is placed in memory that is freed after boot, or gets a name that C calls.
#[cfg(any(control, event_with_attributes))]
pub mod event_with_attributes {
    #[cfg(control)]
    kernel::trace_event! {
        /// A load begins.
        pub fn load_begin(slot: SwapEntry) => zswap_load_begin(slot: c_ulong = slot.as_raw().val);
    }
    #[cfg(event_with_attributes)]
    kernel::trace_event! {
        #[link_section = ".init.text"] //~[event_with_attributes] ERROR: no rules expected
        pub fn load_begin(slot: SwapEntry) => zswap_load_begin(slot: c_ulong = slot.as_raw().val);
    }
    #[cfg(control)]
    use kernel::mm::swapops::SwapEntry;
}

// The key is tested through a reference: the jump table gets its address, and C patches by that.
#[cfg(any(control, static_key_of_another))]
pub mod static_key_of_another {
    use super::*;

    static KEY: StaticKeyFalse = StaticKeyFalse::new();
    #[cfg(static_key_of_another)]
    static REF: &StaticKeyFalse = &KEY;
    #[cfg(control)]
    use KEY as REF;

    pub fn attack() -> bool {
        static_key_enabled_unlikely!(REF) //~[static_key_of_another] E0308
    }
}

// The key is a symbol of C that isn't a key: C patches code and counts users in its memory.
#[cfg(any(control, static_key_of_c))]
pub mod static_key_of_c {
    use super::*;

    #[cfg(control)]
    static KEY: StaticKeyFalse = StaticKeyFalse::new();
    #[cfg(static_key_of_c)]
    extern "C" {
        #[link_name = "jiffies_64"]
        static KEY: StaticKeyFalse;
    }

    pub fn attack() -> bool {
        static_key_enabled_unlikely!(KEY) //~[static_key_of_c] E0133
    }
}
