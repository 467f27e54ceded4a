// SPDX-License-Identifier: GPL-2.0-or-later
// A second evidence of one lock is a second view of what it protects.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::{CachedFolio, Contents, Filled, UnreadFolio},
        list_lru::Links,
        swap::{Cleared, DeadDevice, FreedSlot, NewFolio, Occupied, Slots, SwapDevice},
        swap::{SwapEntry, Taken},
        swap_cache::{Charged, Entered, FreshFolio, Pinned, Splittable},
    },
    prelude::*,
    slab,
};

type Owned = KBox<u32>;
fn copied<T: Clone>() {}

pub fn attack<M: slab::Managed>() {
    copied::<SwapEntry>();
    #[cfg(attack)]
    {
        copied::<CachedFolio<'_>>(); //~[attack] E0277
        copied::<UnreadFolio<'_>>(); //~[attack] E0277
        copied::<Contents<'_>>(); //~[attack] E0277
        copied::<Filled<'_>>(); //~[attack] E0277
        copied::<Slots<'_, '_, Owned>>(); //~[attack] E0277
        copied::<Occupied<'_, '_, Owned>>(); //~[attack] E0277
        copied::<Taken<'_, Owned>>(); //~[attack] E0277
        copied::<Cleared<'_, Owned>>(); //~[attack] E0277
        copied::<FreedSlot<'_, Owned>>(); //~[attack] E0277
        copied::<DeadDevice<'_>>(); //~[attack] E0277
        copied::<SwapDevice>(); //~[attack] E0277
        copied::<NewFolio>(); //~[attack] E0277
        copied::<(FreshFolio, Entered<'_>)>(); //~[attack] E0277
                                               //~[attack]^ E0277
        copied::<(Charged<'_>, Splittable<'_>)>(); //~[attack] E0277
                                                   //~[attack]^ E0277
        copied::<(Pinned<'_, '_>, Links)>(); //~[attack] E0277
                                             //~[attack]^ E0277
        copied::<slab::Object<M>>(); //~[attack] E0277
    }
}

#[cfg(control)]
pub type Imported<'a, M> = (
    (
        CachedFolio<'a>,
        UnreadFolio<'a>,
        Contents<'a>,
        Filled<'a>,
        Slots<'a, 'a, Owned>,
        Links,
    ),
    (
        Occupied<'a, 'a, Owned>,
        Taken<'a, Owned>,
        Cleared<'a, Owned>,
        FreedSlot<'a, Owned>,
        DeadDevice<'a>,
    ),
    (
        SwapDevice,
        NewFolio,
        FreshFolio,
        Entered<'a>,
        Charged<'a>,
        Splittable<'a>,
        Pinned<'a, 'a>,
    ),
    slab::Object<M>,
);
