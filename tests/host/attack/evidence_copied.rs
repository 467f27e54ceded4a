// SPDX-License-Identifier: GPL-2.0-or-later
// A second witness of one lock is a second view of what it protects.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::{CachedFolio, Contents, Filled},
        list_lru::Links,
        swap::{NewFolio, NotStored, SwapDevice, UnreadFolio, WritebackFolio, ZeroMarked},
        swap_cache::{Charged, Entered, FreshFolio, Pinned, Splittable},
        swap_slots::{Cleared, DeadDevice, FilledSlots, FreedSlots, Occupied, Slots},
        swapops::SwapEntry,
    },
    prelude::*,
    slab,
};

pub struct Owned;

kernel::impl_kept! {
    impl Kept for Owned { owned: KBox<Owned>, name: c"attack" }
}

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
        copied::<Occupied<'_, Owned>>(); //~[attack] E0277
        copied::<NotStored<'_, Owned>>(); //~[attack] E0277
        copied::<Cleared<'_, Owned>>(); //~[attack] E0277
        copied::<FreedSlots<'_, Owned>>(); //~[attack] E0277
        copied::<FilledSlots<'_, Owned>>(); //~[attack] E0277
        copied::<DeadDevice<'_>>(); //~[attack] E0277
        copied::<SwapDevice>(); //~[attack] E0277
        copied::<NewFolio>(); //~[attack] E0277
        copied::<WritebackFolio>(); //~[attack] E0277
        copied::<ZeroMarked>(); //~[attack] E0277
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
        Occupied<'a, Owned>,
        NotStored<'a, Owned>,
        Cleared<'a, Owned>,
        FreedSlots<'a, Owned>,
        FilledSlots<'a, Owned>,
        DeadDevice<'a>,
    ),
    (
        SwapDevice,
        NewFolio,
        WritebackFolio,
        ZeroMarked,
        FreshFolio,
        Entered<'a>,
        Charged<'a>,
        Splittable<'a>,
        Pinned<'a, 'a>,
    ),
    slab::Object<M>,
);
