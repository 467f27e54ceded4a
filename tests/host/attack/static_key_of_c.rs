// SPDX-License-Identifier: GPL-2.0-or-later
// The key is a symbol of C that isn't a key: C patches code and counts users in its memory.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    jump_label::static_key::StaticKeyFalse,
    static_key_enabled_unlikely, //
};

#[cfg(control)]
static KEY: StaticKeyFalse = StaticKeyFalse::new();
#[cfg(attack)]
extern "C" {
    #[link_name = "jiffies_64"]
    static KEY: StaticKeyFalse;
}

pub fn attack() -> bool {
    static_key_enabled_unlikely!(KEY) //~[attack] E0133
}
