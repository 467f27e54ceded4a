// SPDX-License-Identifier: GPL-2.0-or-later
// The static key is reset, or read as memory, although its state is in patched code. Or the policy has its own
// idea of whether anything was ever stored: zswap_load() would read the device, which has an older page.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::{jump_label::static_key::StaticKeyFalse, mm::swap_slots};

static KEY: StaticKeyFalse = StaticKeyFalse::new();

pub(crate) fn attack() -> bool {
    #[cfg(attack)]
    let _ = &raw mut KEY.key; //~[attack] E0616
    #[cfg(attack)]
    let _ = &raw const swap_slots::EVER_KEPT; //~[attack] E0603
    KEY.enable();
    kernel::static_key_enabled_unlikely!(KEY) && swap_slots::nothing_was_ever_kept()
}
