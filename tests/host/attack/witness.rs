// SPDX-License-Identifier: GPL-2.0-or-later
// Witnesses: what C's callers lend for a call, and only they can make.
//@[control] check-pass
#![deny(unsafe_code)]
use core::{
    marker::PhantomData,
    ptr::{null_mut, NonNull},
};
use kernel::{
    bindings,
    mm::{
        folio::{CachedFolio, Contents, Filled, Folio, FolioPage},
        list_lru::{Item, Links, Next, Unlocked, Visit},
        memcontrol::{LruVec, MemCgroup},
        mempolicy::VmaPolicy,
        swap::{
            Abandoned, Completed, Load, NewFolio, NotStored, Reads, SwapDevice, UnreadFolio,
            WritebackFolio, ZeroMarked,
        },
        swap_cache::{Charged, Entered, Fault, FreshFolio, Origin, Pinned, Slot, Splittable},
        swap_slots::{Cleared, DeadDevice, FilledSlots, FreedSlots, Occupied, Slots},
        swap_table::Shadow,
        swapops::SwapEntry,
        virt::VmaRef,
        zsmalloc::{HasPool, View},
    },
    module_param::runtime::ParamLock,
    prelude::*,
    slab,
    sync::{generations::Ref, lock::mutex::MutexGuard, rcu, Mutex},
};

include!("note.in");

// C relies on comments for what a pointer is. Here such a claim requires `unsafe`.
#[cfg(any(control, evidence_of_a_pointer))]
pub mod evidence_of_a_pointer {
    use super::*;

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
        #[cfg(evidence_of_a_pointer)]
        {
            let lent = CachedFolio::from_raw(null_mut()); //~[evidence_of_a_pointer] E0133
            let _ = UnreadFolio::with_raw(null_mut(), never); //~[evidence_of_a_pointer] E0133
            CachedFolio::with_raw(null_mut(), |_| ()); //~[evidence_of_a_pointer] E0133
            let _ = Folio::with_raw(null_mut(), |_| ()); //~[evidence_of_a_pointer] E0133
            FreedSlots::<Note>::with_raw(entry, 1, |_| ()); //~[evidence_of_a_pointer] E0133
            let _ = DeadDevice::with_raw(0, |_| Ok(())); //~[evidence_of_a_pointer] E0133
            let _ = Slot::with_raw(entry, |_| ()); //~[evidence_of_a_pointer] E0133
            let _ = Pinned::from_raw(lent, cluster); //~[evidence_of_a_pointer] E0133
            let _ = Origin::with_raw(null_mut(), null_mut(), 0, |_| ()); //~[evidence_of_a_pointer] E0133
            let _ = Fault::with_raw(NonNull::dangling(), |_| ()); //~[evidence_of_a_pointer] E0133
            let _ = Reads::with_raw(null_mut(), |_| ()); //~[evidence_of_a_pointer] E0133
            let _ = Shadow::from_ptr(null_mut()); //~[evidence_of_a_pointer] E0133
            let _ = MemCgroup::with_raw(null_mut(), |_| ()); //~[evidence_of_a_pointer] E0133
            let _ = LruVec::with_raw(null_mut(), |_| ()); //~[evidence_of_a_pointer] E0133
        }
    }
}

// Any caller can claim what a comment requires. Here a value is the proof, and the
// policy can't construct the value. (A SwapEntry proves that there can be a device of its number.)
#[cfg(any(control, evidence_of_its_fields))]
pub mod evidence_of_its_fields {
    use super::*;

    pub fn attack<'f>(
        entry: SwapEntry,
        _: Option<(Filled<'f>, Completed<'f>, Abandoned<'f>, Cleared<'f, ()>)>,
        _: PhantomData<()>,
    ) -> SwapEntry {
        #[cfg(evidence_of_its_fields)]
        {
            let _ = Filled(PhantomData); //~[evidence_of_its_fields] E0423
            let _ = Completed(PhantomData); //~[evidence_of_its_fields] E0423
            let _ = Abandoned(PhantomData); //~[evidence_of_its_fields] E0423
            let _ = Cleared(PhantomData, PhantomData); //~[evidence_of_its_fields] E0423
            let _ = SwapEntry(entry.0); //~[evidence_of_its_fields] E0616
                                        //~[evidence_of_its_fields]^ E0423
        }
        entry
    }
}

// A second witness of one lock is a second view of what it protects.
#[cfg(any(control, evidence_copied))]
pub mod evidence_copied {
    use super::*;

    pub struct Owned;

    kernel::impl_kept! {
        impl Kept for Owned { owned: KBox<Owned>, name: c"attack" }
    }

    fn copied<T: Clone>() {}

    pub fn attack<M: slab::Managed>() {
        copied::<SwapEntry>();
        #[cfg(evidence_copied)]
        {
            copied::<CachedFolio<'_>>(); //~[evidence_copied] E0277
            copied::<UnreadFolio<'_>>(); //~[evidence_copied] E0277
            copied::<Contents<'_>>(); //~[evidence_copied] E0277
            copied::<Filled<'_>>(); //~[evidence_copied] E0277
            copied::<Slots<'_, '_, Owned>>(); //~[evidence_copied] E0277
            copied::<Occupied<'_, Owned>>(); //~[evidence_copied] E0277
            copied::<NotStored<'_, Owned>>(); //~[evidence_copied] E0277
            copied::<Cleared<'_, Owned>>(); //~[evidence_copied] E0277
            copied::<FreedSlots<'_, Owned>>(); //~[evidence_copied] E0277
            copied::<FilledSlots<'_, Owned>>(); //~[evidence_copied] E0277
            copied::<DeadDevice<'_>>(); //~[evidence_copied] E0277
            copied::<SwapDevice>(); //~[evidence_copied] E0277
            copied::<NewFolio>(); //~[evidence_copied] E0277
            copied::<WritebackFolio>(); //~[evidence_copied] E0277
            copied::<ZeroMarked>(); //~[evidence_copied] E0277
            copied::<(FreshFolio, Entered<'_>)>(); //~[evidence_copied] E0277
                                                   //~[evidence_copied]^ E0277
            copied::<(Charged<'_>, Splittable<'_>)>(); //~[evidence_copied] E0277
                                                       //~[evidence_copied]^ E0277
            copied::<(Pinned<'_, '_>, Links)>(); //~[evidence_copied] E0277
                                                 //~[evidence_copied]^ E0277
            copied::<slab::Object<M>>(); //~[evidence_copied] E0277
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
}

// A lock that one task holds is released, or relied on, by another.
#[cfg(any(control, guard_sent))]
pub mod guard_sent {
    use super::*;

    pub struct Owned;

    kernel::impl_kept! {
        impl Kept for Owned { owned: KBox<Owned>, name: c"attack" }
    }

    fn sent<T: Send>() {}

    pub fn attack<I: Item, P: HasPool>() {
        sent::<(Ref<P>, Mutex<Owned>)>();
        #[cfg(guard_sent)]
        {
            sent::<CachedFolio<'_>>(); //~[guard_sent] E0277
                                       //~[guard_sent]^ E0277
            sent::<UnreadFolio<'_>>(); //~[guard_sent] E0277
                                       //~[guard_sent]^ E0277
            sent::<NewFolio>(); //~[guard_sent] E0277
                                //~[guard_sent]^ E0277
            sent::<FolioPage<'_>>(); //~[guard_sent] E0277
            sent::<Slots<'_, '_, Owned>>(); //~[guard_sent] E0277
                                            //~[guard_sent]^ E0277
            sent::<Occupied<'_, Owned>>(); //~[guard_sent] E0277
                                           //~[guard_sent]^ E0277
            sent::<NotStored<'_, Owned>>(); //~[guard_sent] E0277
                                            //~[guard_sent]^ E0277
            sent::<FreedSlots<'_, Owned>>(); //~[guard_sent] E0277
            sent::<FilledSlots<'_, Owned>>(); //~[guard_sent] E0277
                                              //~[guard_sent]^ E0277
            sent::<Pinned<'_, '_>>(); //~[guard_sent] E0277
                                      //~[guard_sent]^ E0277
                                      //~[guard_sent]^^ E0277
            sent::<FreshFolio>(); //~[guard_sent] E0277
            sent::<Entered<'_>>(); //~[guard_sent] E0277
                                   //~[guard_sent]^ E0277
                                   //~[guard_sent]^^ E0277
            sent::<Charged<'_>>(); //~[guard_sent] E0277
                                   //~[guard_sent]^ E0277
                                   //~[guard_sent]^^ E0277
            sent::<Splittable<'_>>(); //~[guard_sent] E0277
                                      //~[guard_sent]^ E0277
                                      //~[guard_sent]^^ E0277
            sent::<Visit<'_, I>>(); //~[guard_sent] E0277
                                    //~[guard_sent]^ E0277
                                    //~[guard_sent]^^ E0277
            sent::<Next<'_>>(); //~[guard_sent] E0277
            sent::<Unlocked<'_>>(); //~[guard_sent] E0277
            sent::<View<'_, P>>(); //~[guard_sent] E0277
            sent::<VmaPolicy<'_>>(); //~[guard_sent] E0277
                                     //~[guard_sent]^ E0277
                                     //~[guard_sent]^^ E0277
            sent::<ParamLock>(); //~[guard_sent] E0277
            sent::<rcu::Guard>(); //~[guard_sent] E0277
            sent::<MutexGuard<'_, Owned>>(); //~[guard_sent] E0277
        }
    }

    #[cfg(control)]
    pub type Imported<'a, I, P> = (
        (
            CachedFolio<'a>,
            UnreadFolio<'a>,
            NewFolio,
            FolioPage<'a>,
            Slots<'a, 'a, Owned>,
            rcu::Guard,
        ),
        (
            Occupied<'a, Owned>,
            NotStored<'a, Owned>,
            FreedSlots<'a, Owned>,
            FilledSlots<'a, Owned>,
            Pinned<'a, 'a>,
            FreshFolio,
        ),
        (
            Entered<'a>,
            Charged<'a>,
            Splittable<'a>,
            Visit<'a, I>,
            Next<'a>,
            Unlocked<'a>,
            ParamLock,
        ),
        (View<'a, P>, VmaPolicy<'a>, MutexGuard<'a, Owned>),
    );
}

// The policy keeps a slot beyond the call, when its device is no longer kept.
#[cfg(any(control, slot_kept))]
pub mod slot_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: Slot<'_>) {}
    #[cfg(slot_kept)]
    fn policy(_: Slot<'static>) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub unsafe fn exports(entry: bindings::swp_entry_t) {
        // SAFETY: By the requirement.
        unsafe { Slot::with_raw(entry, |slot| policy(slot)) } //~[slot_kept] E0521
    }
}

// The policy keeps a C caller's I/O context, which is on that caller's stack.
#[cfg(any(control, reads_kept))]
pub mod reads_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: &mut Reads) {}
    #[cfg(reads_kept)]
    fn policy(_: &'static mut Reads) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub unsafe fn exports(ctx: *mut bindings::swap_io_ctx) {
        // SAFETY: By the requirement.
        unsafe { Reads::with_raw(ctx, |reads| policy(reads)) } //~[reads_kept] E0521
    }
}

// The policy keeps a fault beyond its end, when its VMA may be gone.
#[cfg(any(control, fault_kept))]
pub mod fault_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: Fault<'_>) {}
    #[cfg(fault_kept)]
    fn policy(_: Fault<'static>) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub unsafe fn exports(vmf: core::ptr::NonNull<bindings::vm_fault>) {
        // SAFETY: By the requirement.
        unsafe { Fault::with_raw(vmf, |fault| policy(fault)) } //~[fault_kept] E0521
    }
}

// The policy keeps a VMA beyond the call, when the caller may have unlocked it.
#[cfg(any(control, vma_kept))]
pub mod vma_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: Option<&VmaRef>) {}
    #[cfg(vma_kept)]
    fn policy(_: Option<&'static VmaRef>) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub unsafe fn exports(vma: *mut bindings::vm_area_struct) {
        // SAFETY: By the requirement.
        unsafe { VmaRef::with_raw(vma, |vma| policy(vma)) } //~[vma_kept] E0521
    }
}

// The policy keeps a folio beyond the call, when its caller may have put the reference.
#[cfg(any(control, lent_folio_kept))]
pub mod lent_folio_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: &Folio) {}
    #[cfg(lent_folio_kept)]
    fn policy(_: &'static Folio) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub unsafe fn exports(folio: *mut bindings::folio) {
        // SAFETY: By the requirement.
        unsafe { Folio::with_raw(folio, |folio| policy(folio)) } //~[lent_folio_kept] E0521
    }
}
