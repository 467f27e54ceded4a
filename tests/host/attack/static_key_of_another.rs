// SPDX-License-Identifier: GPL-2.0-or-later
// The key is looked at through a reference: the jump table gets the address of that, and C writes beside it.
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
