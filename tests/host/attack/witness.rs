// SPDX-License-Identifier: GPL-2.0-or-later
// Witnesses: what C's callers lend for a call, and only they can make.
//@[control] check-pass
#![deny(unsafe_code)]
use core::{
    marker::PhantomData,
    ptr::{null_mut, NonNull},
};
use kernel::{
    alloc::NumaNode,
    bindings,
    crypto::acompress::Input,
    mm::{
        call::Call,
        fault::{AllocContext, Fault, Vma},
        folio::{CachedFolio, Folio, FolioPage, NotUptodate, Uptodate},
        memcontrol::{disk_swapins, MemCgroup},
        swap_add::{self, NewFolio},
        swap_cache::{Reads, SwapDevice},
        swap_cluster::{LockedCluster, Slot},
        swap_table::Shadow,
        swapops::SwapEntry,
    },
    prelude::*,
    slab,
    sync::{lock::mutex::MutexGuard, rcu, Mutex, SetOnce},
};
use zswap_core::{
    entry::Entry,
    free::StoredEntry,
    glue::ParamLock,
    load,
    lru::{Lists, Next, Unlocked, Visit},
    object::Object,
    pool_table::PoolRef,
    slots::{self, Slots},
    store::{Group, SlotPages, Store},
    whole::{self, EntryPages},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// C relies on comments for what a pointer is. Here such a claim requires `unsafe`.
#[cfg(any(control, evidence_of_a_pointer))]
pub mod evidence_of_a_pointer {
    use super::*;

    pub(crate) fn attack(
        entry: bindings::swp_entry_t,
        cluster: *mut bindings::swap_cluster_info,
        (mut one, call): (Call, Call),
    ) {
        let lent = &mut one;
        #[cfg(evidence_of_a_pointer)]
        {
            let _ = CachedFolio::from_raw(null_mut(), lent); //~[evidence_of_a_pointer] E0133
            let _ = load::load(null_mut(), |_, _| None); //~[evidence_of_a_pointer] E0133
            let _ = whole::fill(null_mut(), |_, _| Err(EIO)); //~[evidence_of_a_pointer] E0133
            let _ = whole::take_over(null_mut()); //~[evidence_of_a_pointer] E0133
            let _ = slots::count_filled(entry, 1, 0); //~[evidence_of_a_pointer] E0133
            let _ = slots::attach(0, 1); //~[evidence_of_a_pointer] E0133
            slots::detach(0); //~[evidence_of_a_pointer] E0133
            let _ = Folio::from_raw(null_mut(), &call); //~[evidence_of_a_pointer] E0133
            let _ = Slots::freed(entry, 1, &call); //~[evidence_of_a_pointer] E0133
            let _ = Slot::from_raw(entry, &call); //~[evidence_of_a_pointer] E0133
            let _ = LockedCluster::from_raw(cluster, &call); //~[evidence_of_a_pointer] E0133
            let _ = AllocContext::from_raw(0, null_mut(), null_mut(), 0, &call); //~[evidence_of_a_pointer] E0133
            let _ = Fault::from_raw(NonNull::dangling(), &call); //~[evidence_of_a_pointer] E0133
            let _ = Vma::from_raw_or_null(null_mut(), &call); //~[evidence_of_a_pointer] E0133
            let _ = Reads::from_raw(null_mut(), &call); //~[evidence_of_a_pointer] E0133
            let _ = Shadow::from_ptr(null_mut()); //~[evidence_of_a_pointer] E0133
            let _ = MemCgroup::from_raw_or_null(null_mut(), &call); //~[evidence_of_a_pointer] E0133
            let _ = disk_swapins(null_mut()); //~[evidence_of_a_pointer] E0133
            let _ = SwapEntry::from_raw(entry); //~[evidence_of_a_pointer] E0133
        }
    }
}

// What rust/kernel has for zswap's mechanism, in core/, is called by its policy, without the witness that
// it asks for: a page past a folio's end, a second view of its contents, an entry on two lists.
#[cfg(any(control, mechanism_called))]
pub mod mechanism_called {
    use super::*;

    pub(crate) fn folios(
        mut cached: CachedFolio<'_>,
        mut new: NewFolio,
        contents: NotUptodate<'_>,
        cluster: &LockedCluster,
        shadow: Shadow,
    ) {
        #[cfg(mechanism_called)]
        {
            let _ = cached.swap().after(1); //~[mechanism_called] E0133
            let _ = cached.page(1); //~[mechanism_called] E0133
            let _ = cached.split(); //~[mechanism_called] E0133
            let _ = new.split(); //~[mechanism_called] E0133
            let _ = contents.assume_written(); //~[mechanism_called] E0133
            cached.replace_by(cluster, NonNull::dangling()); //~[mechanism_called] E0133
            let entry = cached.swap().as_raw();
            swap_add::add_from_c(cluster, NonNull::dangling(), entry); //~[mechanism_called] E0133
            match new.has_zero_mark() {
                true => cached.delete(), //~[mechanism_called] E0133
                false => cached.delete_locked(cluster, shadow, true), //~[mechanism_called] E0133
            }
        }
    }

    pub(crate) fn memory(kept: slab::Box<u64>, input: Option<Input<'_>>) {
        let ptr = slab::Box::into_raw(kept);
        #[cfg(mechanism_called)]
        {
            let _ = slab::nid_of(ptr.as_ptr()); //~[mechanism_called] E0133
            let _ = slab::Box::from_raw(ptr); //~[mechanism_called] E0133
            let _ = Input::from_raw(null_mut(), 1); //~[mechanism_called] E0133
        }
        drop(input);
    }
}

// Any caller can claim what a comment requires. Here a value is the witness, and the
// policy can't construct the value. (A SwapEntry proves that there can be a device of its number.)
#[cfg(any(control, evidence_of_its_fields))]
pub mod evidence_of_its_fields {
    use super::*;

    pub(crate) fn attack<'f>(
        entry: SwapEntry,
        _: Option<(Uptodate<'f>, Unlocked<'f>, Lists<'f>)>,
        _: PhantomData<()>,
    ) -> SwapEntry {
        #[cfg(evidence_of_its_fields)]
        {
            let _ = Uptodate(PhantomData); //~[evidence_of_its_fields] E0423
            let _ = Unlocked(PhantomData, kernel::types::NotThreadSafe); //~[evidence_of_its_fields] E0423
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

    fn copied<T: Clone>() {}

    pub(crate) fn attack() {
        copied::<SwapEntry>();
        #[cfg(evidence_copied)]
        {
            copied::<CachedFolio<'_>>(); //~[evidence_copied] E0277
            copied::<NotUptodate<'_>>(); //~[evidence_copied] E0277
            copied::<Uptodate<'_>>(); //~[evidence_copied] E0277
            copied::<Slots<'_>>(); //~[evidence_copied] E0277
            copied::<Store<'_, '_>>(); //~[evidence_copied] E0277
            copied::<Group<'_, '_>>(); //~[evidence_copied] E0277
            copied::<EntryPages<'_, '_, '_>>(); //~[evidence_copied] E0277
            copied::<SwapDevice>(); //~[evidence_copied] E0277
            copied::<NewFolio>(); //~[evidence_copied] E0277
            copied::<Visit<'_>>(); //~[evidence_copied] E0277
            copied::<Unlocked<'_>>(); //~[evidence_copied] E0277
            copied::<Next<'_>>(); //~[evidence_copied] E0277
            copied::<Entry>(); //~[evidence_copied] E0277
            copied::<StoredEntry>(); //~[evidence_copied] E0277
            copied::<Object>(); //~[evidence_copied] E0277
            copied::<slab::Box<Entry>>(); //~[evidence_copied] E0277
            copied::<Call>(); //~[evidence_copied] E0277
        }
    }
}

// A lock that one task holds is released, or relied on, by another.
#[cfg(any(control, guard_sent))]
pub mod guard_sent {
    use super::*;

    fn sent<T: Send>() {}

    pub(crate) fn attack() {
        sent::<Mutex<Object>>();
        #[cfg(guard_sent)]
        {
            sent::<Call>(); //~[guard_sent] E0277
            sent::<CachedFolio<'_>>(); //~[guard_sent] E0277
                                       //~[guard_sent]^ E0277
            sent::<NewFolio>(); //~[guard_sent] E0277
                                //~[guard_sent]^ E0277
            sent::<FolioPage<'_>>(); //~[guard_sent] E0277
                                     //~[guard_sent]^ E0277
            sent::<Slots<'_>>(); //~[guard_sent] E0277
            sent::<SlotPages<'_, '_>>(); //~[guard_sent] E0277
                                         //~[guard_sent]^ E0277
            sent::<Store<'_, '_>>(); //~[guard_sent] E0277
                                     //~[guard_sent]^ E0277
            sent::<Group<'_, '_>>(); //~[guard_sent] E0277
                                     //~[guard_sent]^ E0277
                                     //~[guard_sent]^^ E0277
                                     //~[guard_sent]^^^ E0277
            sent::<EntryPages<'_, '_, '_>>(); //~[guard_sent] E0277
                                              //~[guard_sent]^ E0277
                                              //~[guard_sent]^^ E0277
                                              //~[guard_sent]^^^ E0277
            sent::<&LockedCluster>(); //~[guard_sent] E0277
            sent::<Visit<'_>>(); //~[guard_sent] E0277
                                 //~[guard_sent]^ E0277
                                 //~[guard_sent]^^ E0277
            sent::<Next<'_>>(); //~[guard_sent] E0277
            sent::<Unlocked<'_>>(); //~[guard_sent] E0277
            sent::<Input<'_>>(); //~[guard_sent] E0277
            sent::<AllocContext<'_>>(); //~[guard_sent] E0277
                                        //~[guard_sent]^ E0277
            sent::<ParamLock>(); //~[guard_sent] E0277
            sent::<rcu::Guard>(); //~[guard_sent] E0277
            sent::<MutexGuard<'_, Object>>(); //~[guard_sent] E0277
        }
    }
}

// A C caller's folio, locked for the call, is lent twice: what is branded with one would be taken for the
// other's.
#[cfg(any(control, two_folios_of_a_call))]
pub mod two_folios_of_a_call {
    use super::*;

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn exports(one: *mut bindings::folio, two: *mut bindings::folio) -> bool {
        let mut call = Call::new();
        #[cfg(control)]
        let mut other = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        let one = unsafe { CachedFolio::from_raw(one, &mut call) };
        #[cfg(two_folios_of_a_call)]
        // SAFETY: The caller of this function guarantees the same.
        let two = unsafe { CachedFolio::from_raw(two, &mut call) }; //~[two_folios_of_a_call] E0499
        #[cfg(control)]
        // SAFETY: The caller of this function guarantees the same.
        let two = unsafe { CachedFolio::from_raw(two, &mut other) };
        one.nr_pages() == two.nr_pages()
    }
}

// What C lends outlives the call: it is returned to a caller in Rust, or kept by it.
#[cfg(any(control, call_outlived))]
pub mod call_outlived {
    use super::*;

    #[cfg(control)]
    type Returned<'a> = bool;
    #[cfg(call_outlived)]
    type Returned<'a> = &'a Folio;

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn exports<'a>(ptr: *mut bindings::folio) -> Returned<'a> {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        let folio = unsafe { Folio::from_raw(ptr, &call) };
        #[cfg(control)]
        let folio = folio.is_large();
        folio //~[call_outlived] E0515
    }

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn kept(ptr: *mut bindings::folio) -> usize {
        let kept;
        {
            let mut call = Call::new();
            // SAFETY: The caller of this function guarantees the same.
            kept = unsafe { CachedFolio::from_raw(ptr, &mut call) }; //~[call_outlived] E0597
            #[cfg(control)]
            return kept.nr_pages();
        }
        #[cfg(call_outlived)]
        kept.nr_pages()
    }
}

// A call that never ends: a constant, or a static.
#[cfg(any(control, call_for_ever))]
pub mod call_for_ever {
    use super::*;

    #[cfg(call_for_ever)]
    static CALL: Call = Call::new(); //~[call_for_ever] E0277
                                     //~[call_for_ever]^ E0015

    #[cfg(control)]
    pub(crate) fn attack() -> Call {
        Call::new()
    }
}

// A call is a temporary that the compiler makes a static of.
#[cfg(any(control, call_promoted))]
pub mod call_promoted {
    use super::*;

    #[cfg(control)]
    pub(crate) fn attack() -> bool {
        let _: &Call = &Call::new();
        true
    }

    #[cfg(call_promoted)]
    pub(crate) fn attack() -> &'static Call {
        &Call::new() //~[call_promoted] E0515
    }

    pub(crate) fn lent(lend: impl FnOnce(&Call)) {
        #[cfg(call_promoted)]
        let call: &'static Call = &Call::new(); //~[call_promoted] E0716
        #[cfg(control)]
        let call = &Call::new();
        lend(call);
    }
}

// The policy keeps a witness in a static, beyond the call.
#[cfg(any(control, kept_in_a_static))]
pub mod kept_in_a_static {
    use super::*;

    static KEPT: SetOnce<&'static MemCgroup> = SetOnce::new();

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn exports(memcg: *mut bindings::mem_cgroup) -> bool {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        let memcg = unsafe { MemCgroup::from_raw_or_null(memcg, &call) }; //~[kept_in_a_static] E0597
        #[cfg(control)]
        return memcg.is_some_and(MemCgroup::is_online);
        #[cfg(kept_in_a_static)]
        memcg.is_some_and(|memcg| KEPT.populate(memcg))
    }
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
    pub(crate) unsafe fn exports(raw: bindings::swp_entry_t) {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        policy(unsafe { Slot::from_raw(raw, &call) }) //~[slot_kept] E0597
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
    pub(crate) unsafe fn exports(raw: *mut bindings::swap_io_ctx) {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        policy(unsafe { Reads::from_raw(raw, &call) }) //~[reads_kept] E0597
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
    pub(crate) unsafe fn exports(raw: NonNull<bindings::vm_fault>) {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        policy(unsafe { Fault::from_raw(raw, &call) }) //~[fault_kept] E0597
    }
}

// The policy keeps a VMA beyond the call, when the caller may have unlocked it.
#[cfg(any(control, vma_kept))]
pub mod vma_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: Option<Vma<'_>>) {}
    #[cfg(vma_kept)]
    fn policy(_: Option<Vma<'static>>) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn exports(raw: *mut bindings::vm_area_struct) {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        policy(unsafe { Vma::from_raw_or_null(raw, &call) }) //~[vma_kept] E0597
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
    pub(crate) unsafe fn exports(raw: *mut bindings::folio) {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        policy(unsafe { Folio::from_raw(raw, &call) }) //~[lent_folio_kept] E0597
    }
}
