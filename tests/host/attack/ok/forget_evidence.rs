// SPDX-License-Identifier: GPL-2.0-or-later
// A witness that owns nothing: forgetting it has no effect, nor has dropping it. A witness that is
// only lent to a closure (View, ParamLock, Reads, Uncharges, and what NewFolio and UnreadFolio lend) can't be
// forgotten: see view_forgotten. A caller that forgets a Visit or an Unlocked has no Next to end
// the callback with: see visit_without_end.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::forget;
use kernel::mm::{
    folio::{CachedFolio, Contents, Filled},
    list_lru::{Item, Next, Prepared},
    swap::{Abandoned, Completed},
    swap_cache::Pinned,
    swap_slots::{Cleared, DeadDevice, FilledSlots, FreedSlots, Kept, Occupied, Slots},
};

pub fn cached(folio: CachedFolio<'_>, pinned: Pinned<'_, '_>, contents: Contents<'_>) {
    forget((folio, pinned, contents));
}

pub fn slots<T: Kept>(slots: Slots<'_, '_, T>, slot: Occupied<'_, T>) {
    forget((slots, slot));
}

pub fn freed<T: Kept>(freed: FreedSlots<'_, T>, filled: FilledSlots<'_, T>) {
    forget((freed, filled));
}

pub fn results<T: Kept>(filled: Filled<'_>, cleared: Cleared<'_, T>) {
    forget((filled, cleared));
}

pub fn others<T: Item>(
    device: DeadDevice<'_>,
    ends: (Completed<'_>, Abandoned<'_>, Next<'_>),
    lists: Prepared<'_, T>,
) {
    forget((device, ends, lists));
}
