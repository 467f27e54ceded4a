// SPDX-License-Identifier: GPL-2.0-or-later
// The static key is reset, or read as memory, although its state is in patched code.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::jump_label::static_key::StaticKeyFalse;

static KEY: StaticKeyFalse = StaticKeyFalse::new();

pub(crate) fn attack() -> bool {
    #[cfg(attack)]
    let _ = &raw mut KEY.key; //~[attack] E0616
    #[cfg(attack)]
    let _ = &raw mut tunables::EVER_ENABLED; //~[attack] E0603
    KEY.enable();
    kernel::static_key_enabled_unlikely!(KEY) && tunables::never_enabled()
}
