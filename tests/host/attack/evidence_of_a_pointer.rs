// SPDX-License-Identifier: GPL-2.0-or-later
// C takes any pointer for what its comment says it is. Here whoever says so has to be unsafe.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::ptr::{null_mut, NonNull};
use kernel::{
    bindings,
    mm::{
        folio::{CachedFolio, Folio, UnreadFolio},
        memcontrol::{LruVec, MemCgroup},
        swap::{DeadDevice, Reads, SlotTrees},
        swap_cache::{Fault, Origin, Pinned, Slot},
        swap_table::Shadow,
    },
};

type Owned = kernel::alloc::KBox<u32>;

pub fn attack(
    trees: &SlotTrees<Owned>,
    entry: bindings::swp_entry_t,
    cluster: NonNull<bindings::swap_cluster_info>,
) {
    #[cfg(control)]
    {
        let _ = (
            CachedFolio::from_raw,
            UnreadFolio::from_raw,
            Folio::borrow_raw,
            entry,
            cluster,
        );
        let _ = (
            SlotTrees::<Owned>::freed_slot,
            DeadDevice::from_raw,
            trees,
            Slot::from_raw,
            Pinned::from_raw,
        );
        let _ = (
            Origin::from_raw,
            Fault::from_raw,
            Reads::from_raw,
            Shadow::from_ptr,
        );
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
        let _ = UnreadFolio::from_raw(null_mut()); //~[attack] E0133
        let _ = Folio::borrow_raw(null_mut()); //~[attack] E0133
        let _ = trees.freed_slot(entry); //~[attack] E0133
        let _ = DeadDevice::from_raw(0); //~[attack] E0133
        let _ = Slot::from_raw(entry); //~[attack] E0133
        let _ = Pinned::from_raw(lent, cluster); //~[attack] E0133
        let _ = Origin::from_raw(null_mut(), null_mut(), 0); //~[attack] E0133
        let _ = Fault::from_raw(NonNull::dangling()); //~[attack] E0133
        let _ = Reads::from_raw(null_mut()); //~[attack] E0133
        let _ = Shadow::from_ptr(null_mut()); //~[attack] E0133
        let _ = MemCgroup::with_raw(null_mut(), |_| ()); //~[attack] E0133
        let _ = LruVec::with_raw(null_mut(), |_| ()); //~[attack] E0133
    }
}
