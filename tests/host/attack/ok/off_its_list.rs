// SPDX-License-Identifier: GPL-2.0-or-later
// Memory is held, not excluded: an entry is in its slot, and on no list, so that it is never written back. One that
// is put there by replace() isn't charged either: no limit counts it. A load or a store that looks at an entry can
// take it off its list. Loads find it, and freeing the slot frees it.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::CachedFolio,
        list_lru::ListLru,
        swap::{Load, UnreadFolio},
        swap_slots::{Leaves, Listed, Slots},
    },
    prelude::*,
    slab::{Managed, Object},
};

pub fn replaced<T: Listed>(
    slots: &mut Slots<'_, '_, T>,
    object: Object<T>,
    leaves: &'static Leaves<T>,
) -> Result {
    slots.replace(0, object, leaves, GFP_KERNEL).map(drop)
}

pub fn removed<T: Listed>(folio: UnreadFolio<'_>) -> Load<'_, T> {
    folio.load_exclusively::<T>(|entry, _| {
        ListLru::remove(entry);
        Err(EIO)
    })
}

pub fn before_drop<T: Listed>(folio: &mut CachedFolio<'_>) {
    if let Some(slot) = folio.slots::<T>().occupied(0) {
        T::before_drop(slot.get());
    }
}
