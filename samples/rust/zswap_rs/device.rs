// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap devices and their slots: they come, are freed, and go.

use super::entry::Entry;
use kernel::{
    mm::{
        swap_slots::{
            Attached,
            DeadDevice,
            FreedSlot, //
        },
        trace,
    },
    prelude::*,
    static_lock_class, //
};

/// A device is about to be put into use. May sleep.
///
/// Whether zswap is enabled, or ever will be, doesn't matter.
///
/// Mirrors `zswap_swapon()`.
pub(crate) fn swapon(device: DeadDevice<'_>) -> Result<Attached<'_, Entry>> {
    device.attach(static_lock_class!())
}

/// A device was taken out of use. May sleep.
///
/// Mirrors `zswap_swapoff()`.
pub(crate) fn swapoff(mut device: DeadDevice<'_>) {
    // All slots were freed before, and their entries with them.
    kernel::warn_on_once!(!device.detach::<Entry>());
}

/// A slot is being freed: drop its entry. Runs under spin locks, perhaps with interrupts off.
///
/// Mirrors `zswap_invalidate()`.
pub(crate) fn invalidate(slot: FreedSlot<'_, Entry>) {
    if let Some(entry) = slot.take() {
        trace::invalidate(|| entry.borrow().get().swap());
    }
}
