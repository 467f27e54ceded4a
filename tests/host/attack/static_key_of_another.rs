// SPDX-License-Identifier: GPL-2.0-or-later
// The key is tested through a reference: the jump table gets its address, and C patches by that.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    jump_label::static_key::StaticKeyFalse,
    static_key_enabled_unlikely, //
};

static KEY: StaticKeyFalse = StaticKeyFalse::new();
#[cfg(attack)]
static REF: &StaticKeyFalse = &KEY;
#[cfg(control)]
use KEY as REF;

pub fn attack() -> bool {
    static_key_enabled_unlikely!(REF) //~[attack] E0308
}
