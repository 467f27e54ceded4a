// SPDX-License-Identifier: GPL-2.0-or-later
// C relies on comments for what a pointer is. Here such a claim requires `unsafe`.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::ptr::{null_mut, NonNull};
use kernel::{
    bindings,
    mm::{
        folio::{CachedFolio, Folio},
        memcontrol::{LruVec, MemCgroup},
        swap::{Load, Reads, UnreadFolio},
        swap_cache::{Fault, Origin, Pinned, Slot},
        swap_slots::{DeadDevice, FreedSlots},
        swap_table::Shadow,
    },
};

include!("note.in");

pub fn never(folio: UnreadFolio<'_>) -> Load<'_, Note> {
    folio.load_exclusively(|_, _| Err(EIO))
}

pub fn attack(entry: bindings::swp_entry_t, cluster: NonNull<bindings::swap_cluster_info>) {
    #[cfg(control)]
    {
        let _ = (CachedFolio::from_raw, entry, cluster);
        let _ = (Pinned::from_raw, Shadow::from_ptr);
        let _ = (
            MemCgroup::disabled,
            LruVec::of,
            null_mut::<()>,
            NonNull::<()>::dangling,
        );
    }
    #[cfg(attack)]
    {
        let lent = CachedFolio::from_raw(null_mut()); //~[attack] E0133
        let _ = UnreadFolio::with_raw(null_mut(), never); //~[attack] E0133
        CachedFolio::with_raw(null_mut(), |_| ()); //~[attack] E0133
        let _ = Folio::with_raw(null_mut(), |_| ()); //~[attack] E0133
        FreedSlots::<Note>::with_raw(entry, 1, |_| ()); //~[attack] E0133
        let _ = DeadDevice::with_raw(0, |_| Ok(())); //~[attack] E0133
        let _ = Slot::with_raw(entry, |_| ()); //~[attack] E0133
        let _ = Pinned::from_raw(lent, cluster); //~[attack] E0133
        let _ = Origin::with_raw(null_mut(), null_mut(), 0, |_| ()); //~[attack] E0133
        let _ = Fault::with_raw(NonNull::dangling(), |_| ()); //~[attack] E0133
        let _ = Reads::with_raw(null_mut(), |_| ()); //~[attack] E0133
        let _ = Shadow::from_ptr(null_mut()); //~[attack] E0133
        let _ = MemCgroup::with_raw(null_mut(), |_| ()); //~[attack] E0133
        let _ = LruVec::with_raw(null_mut(), |_| ()); //~[attack] E0133
    }
}
