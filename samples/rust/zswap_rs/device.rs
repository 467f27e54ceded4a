// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap devices and their slots: they come, are freed, and go.

use super::entry::{
    Entry,
    Freeing, //
};
use kernel::{
    mm::{
        swap_slots::{
            Attached,
            DeadDevice,
            FilledSlots,
            FreedSlots, //
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

/// Slots are being freed: free their entries. Runs under spin locks, perhaps with interrupts off.
///
/// Mirrors `zswap_invalidate()` of each.
#[inline]
pub(crate) fn invalidate(slots: FreedSlots<'_, Entry>) {
    // Often zswap has nothing at all.
    if !slots.have_nothing() {
        look_and_free(slots);
    }
}

/// Apart, so that callers with nothing to look for save no registers for it.
#[inline(never)]
fn look_and_free(slots: FreedSlots<'_, Entry>) {
    if let Some(filled) = slots.filled() {
        free_entries(filled);
    }
}

/// Apart, so that callers with nothing to free save no registers for it.
#[inline(never)]
fn free_entries(filled: FilledSlots<'_, Entry>) {
    Freeing::together(|freeing| {
        filled.take_listed(|entry| {
            trace::invalidate(|| entry.borrow().get().swap());
            freeing.free(entry);
        })
    });
}
