// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap devices and their slots: they come, are freed, and go.

use super::entry::{
    StoredEntry,
    TREES, //
};
use kernel::{
    mm::swap::{
        DeadDevice,
        FreedSlot, //
    },
    prelude::*,
    static_lock_class, //
};

/// A device is about to be put into use, with that many slots. May sleep.
///
/// Whether zswap is enabled, or ever will be, doesn't matter.
pub(crate) fn swapon(device: &mut DeadDevice<'_>, nr_slots: usize) -> Result {
    TREES.attach(device, nr_slots, static_lock_class!())
}

/// A device was taken out of use. May sleep.
pub(crate) fn swapoff(device: &mut DeadDevice<'_>) {
    // All slots were freed before, and their entries with them.
    kernel::warn_on_once!(!TREES.detach(device));
}

/// A slot is being freed: forget what is kept for it. Runs under spin locks, perhaps with interrupts off.
pub(crate) fn invalidate(slot: FreedSlot<'_, StoredEntry>) {
    slot.clear();
}
