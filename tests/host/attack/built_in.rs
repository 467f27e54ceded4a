// SPDX-License-Identifier: GPL-2.0-or-later
// What is for built-in code only, and functions that C knows by name.
//@[control] check-pass
//@[in_a_module] compile-flags: --cfg MODULE
//@[in_a_module] error-in-other-file: zswap must be built in
#![deny(unsafe_code)]
use core::mem::MaybeUninit;
use kernel::{prelude::*, shrinker::Shrinker};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// Callbacks that C never drops are unloaded with the module: shrinkers and pools that are never
// unregistered are for built-in code.
#[cfg(any(control, in_a_module))]
pub mod in_a_module {
    use super::*;

    pub fn attack(shrinker: Shrinker) {
        kernel::register_builtin_shrinker!(shrinker); //~[in_a_module] ERROR: register_builtin_shrinker! is for built-in code
    }
}

// A module registers callbacks that C will never drop, without the macros that check for built-in
// code; or an argument of a macro has unsafe code in it.
#[cfg(any(control, around_the_macros))]
pub mod around_the_macros {
    use super::*;

    pub fn argument(shrinker: Shrinker) {
        #[cfg(around_the_macros)]
        let shrinker = MaybeUninit::new(shrinker);
        #[cfg(around_the_macros)]
        kernel::register_builtin_shrinker!(shrinker.assume_init()); //~[around_the_macros] E0133
        #[cfg(control)]
        kernel::register_builtin_shrinker!(shrinker);
    }

    pub fn attack(shrinker: Shrinker) {
        #[cfg(around_the_macros)]
        shrinker.register(); //~[around_the_macros] E0133
        #[cfg(control)]
        kernel::register_builtin_shrinker!(shrinker);
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
