// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap devices and their slots: they come, are freed, and go.

use super::{
    trace,
    zswap_core::{
        slots::{
            FilledSlots,
            FreedSlots, //
        },
        trees::{
            Attached,
            DeadDevice, //
        },
    },
};
use kernel::prelude::*;

/// A device is about to be put into use. May sleep.
///
/// Whether zswap is enabled, or ever will be, doesn't matter.
///
/// Mirrors `zswap_swapon()`.
pub(crate) fn swapon(device: DeadDevice<'_>) -> Result<Attached<'_>> {
    device.attach()
}

/// A device was taken out of use. May sleep.
///
/// Mirrors `zswap_swapoff()`.
pub(crate) fn swapoff(device: DeadDevice<'_>) {
    // All slots were freed before, and their entries with them.
    kernel::warn_on_once!(!device.detach());
}

/// Slots are being freed: free their entries. Runs under spin locks, perhaps with interrupts off.
///
/// Mirrors `zswap_invalidate()` of each.
#[inline]
pub(crate) fn invalidate(slots: FreedSlots<'_>) {
    // Often zswap has nothing at all.
    if !slots.have_nothing() {
        invalidate_range(slots);
    }
}

/// Apart, so that callers with nothing to look for save no registers for it.
#[inline(never)]
fn invalidate_range(slots: FreedSlots<'_>) {
    if let Some(filled) = slots.filled() {
        free_entries(filled);
    }
}

/// Apart, so that callers with nothing to free save no registers for it.
#[inline(never)]
fn free_entries(filled: FilledSlots<'_>) {
    filled.free_each(|entry| trace::invalidate(|| entry.swap()));
}
