// SPDX-License-Identifier: GPL-2.0-or-later

//! Swapon, swapoff, and the freeing of slots.

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

/// Prepares a swap device for use, also while zswap is disabled. May sleep.
///
/// Mirrors `zswap_swapon()`.
pub(crate) fn swapon(device: DeadDevice<'_>) -> Result<Attached<'_>> {
    device.attach()
}

/// Frees the trees of a swap device that is out of use. May sleep.
///
/// Mirrors `zswap_swapoff()`.
pub(crate) fn swapoff(device: DeadDevice<'_>) {
    // swapoff has freed all slots, and with them their entries.
    kernel::warn_on_once!(!device.detach());
}

/// Frees the entries of slots that are being freed. Runs under spin locks, possibly with interrupts disabled.
///
/// Mirrors `zswap_invalidate()` of each slot.
#[inline] // make bench: with an empty tree it is a test and a jump
pub(crate) fn invalidate(slots: FreedSlots<'_>) {
    // Often the tree of the slots is empty.
    if !slots.have_nothing() {
        invalidate_range(slots);
    }
}

/// Frees the entries of slots in a tree that isn't empty.
fn invalidate_range(slots: FreedSlots<'_>) {
    if let Some(filled) = slots.filled() {
        free_entries(filled);
    }
}

/// Frees the entries of slots of which one has an entry.
fn free_entries(filled: FilledSlots<'_>) {
    filled.free_each(|entry| trace::invalidate(|| entry.swap()));
}
