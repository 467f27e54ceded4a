// SPDX-License-Identifier: GPL-2.0-or-later
// A variable that C reads by name is placed in memory that is freed after boot, or renamed.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
#[cfg(control)]
kernel::exported_atomic_long! {
    /// Pages.
    pub static zswap_stored_pages;
}
#[cfg(attack)]
kernel::exported_atomic_long! {
    #[link_section = ".init.data"] //~[attack] ERROR: no rules expected
    pub static zswap_stored_pages;
}
