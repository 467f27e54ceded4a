// SPDX-License-Identifier: GPL-2.0-or-later
// Evidence that owns nothing: to forget it does nothing, as dropping it does. What was taken out of
// a slot is leaked with its memory, which is more than an entry has after a bug in C.
// Of what is in a closure only (View, ParamLock, Reads, and what NewFolio and UnreadFolio lend)
// there is no value to forget: see view_forgotten. Who forgets a Visit or an Unlocked has no Next
// to end the callback with: see visit_without_end.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::forget;
use kernel::{
    alloc::KBox,
    mm::{
        folio::{Abandoned, CachedFolio, Completed, Contents, Filled},
        list_lru::{Item, Next, Prepared},
        swap::{Cleared, DeadDevice, FreedSlot, Occupied, Slots, Taken},
        swap_cache::Pinned,
    },
};

type Owned = KBox<u32>;

pub fn cached(folio: CachedFolio<'_>, pinned: Pinned<'_, '_>, contents: Contents<'_>) {
    forget((folio, pinned, contents));
}

pub fn slots(
    slots: Slots<'_, '_, Owned>,
    slot: Occupied<'_, '_, Owned>,
    freed: FreedSlot<'_, Owned>,
) {
    forget((slots, slot, freed));
}

pub fn results(filled: Filled<'_>, taken: Taken<'_, Owned>, cleared: Cleared<'_, Owned>) {
    forget((filled, taken, cleared));
}

pub fn others<T: Item>(
    device: DeadDevice<'_>,
    ends: (Completed<'_>, Abandoned<'_>, Next<'_>),
    lists: Prepared<'_, T>,
) {
    forget((device, ends, lists));
}
