// SPDX-License-Identifier: GPL-2.0-or-later

//! What C sees: the functions of `mm/swap.h` that mm/swap_state.c would define.
//!
//! Each turns what its C callers promise into evidence, and asks the policy. This is the only file
//! here with `unsafe` in it. The callers promise this, in mm/swap.h: an entry is valid, and its device
//! is kept by a reference, by the lock of a folio in the swap cache, or by a lock of what refers to
//! the entry; or they are swapoff, which alone could end it, or
//! what it waits for: work of its own, and for a shadow only, RCU (`filemap_cachestat()`); or the
//! allocator, with the device's slots.

#![allow(unsafe_code)]

use super::{
    add,
    readahead,
    swapin, //
};
use core::ptr::NonNull;
use kernel::{
    alloc::Flags,
    bindings,
    mm::{
        folio::{
            CachedFolio,
            Folio, //
        },
        mempolicy::VmaPolicy,
        swap::{
            Reads,
            SwapDevice, //
        },
        swap_cache::{
            self,
            Fault,
            Origin,
            Pinned,
            Slot,
            SlotWord, //
        },
        swap_table::Shadow,
        swapops::SwapEntry,
        virt::VmaRef,
    },
    prelude::*,
    sync::aref::ARef,
};

/// Calls `f` with a slot, and on whose behalf its page is swapped in.
///
/// # Safety
///
/// During the call the entry must be valid, and its device be kept; `vmf` must be null or a fault that is
/// being handled, `mpol` null or a policy that stays.
#[inline]
unsafe fn with_slot_for<R>(
    entry: bindings::swp_entry_t,
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
    f: impl for<'s, 'o> FnOnce(Slot<'s>, &Origin<'o>) -> R,
) -> R {
    // SAFETY: By the requirement.
    unsafe {
        Slot::with_raw(entry, |slot| {
            Origin::with_raw(vmf, mpol, ilx, |origin| f(slot, origin))
        })
    }
}

/// An `ERR_PTR()`.
fn err_ptr<T>(error: Error) -> *mut T {
    error.to_ptr()
}

/// Looks up the folio that a slot has. Returns it with a reference, or null.
///
/// # Safety
///
/// The entry must be valid, and its device be kept.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_folio(
    entry: bindings::swp_entry_t,
) -> *mut bindings::folio {
    // SAFETY: By the requirement.
    or_null(unsafe { Slot::with_raw(entry, |slot| slot.folio()) })
}

/// Whether a slot has a folio at this moment.
///
/// # Safety
///
/// The entry must be valid, and its device be kept.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_has_folio(entry: bindings::swp_entry_t) -> bool {
    // SAFETY: By the requirement.
    let word = unsafe { Slot::with_raw(entry, |slot| slot.word()) };
    matches!(word, SlotWord::Folio(..))
}

/// What a slot without a folio says about when its page was evicted; null if it has one, or is free.
///
/// # Safety
///
/// The entry must be valid, and its device be kept.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_shadow(entry: bindings::swp_entry_t) -> *mut c_void {
    // SAFETY: By the requirement.
    match unsafe { Slot::with_raw(entry, |slot| slot.word()) } {
        SlotWord::Shadow(shadow, _) => shadow.as_ptr(),
        _ => core::ptr::null_mut(),
    }
}

/// Puts a folio into the swap cache, for slots that were just allocated for it.
///
/// # Safety
///
/// Only for `__swap_cluster_alloc_entries()`: `ci` is locked, and the slots are its; the folio is
/// locked, and not in the swap cache.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_add_folio(
    ci: *mut bindings::swap_cluster_info,
    folio: *mut bindings::folio,
    entry: bindings::swp_entry_t,
) {
    // SAFETY: By the requirement; `cluster_scan_range()` has found them free, under this lock.
    unsafe {
        swap_cache::add_from_c(
            NonNull::new_unchecked(ci),
            NonNull::new_unchecked(folio),
            entry,
        )
    }
}

/// Takes a folio out of the swap cache; leaves the references that it had there to the caller.
///
/// # Safety
///
/// The folio must be locked and in the swap cache, `ci` the cluster of its slots, and locked. With
/// `swapout`, this must be reclaim, with interrupts disabled. The folio's count may be frozen. `entry`
/// is the folio's own.
/// `shadow` must be null or the workingset code's.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_del_folio(
    ci: *mut bindings::swap_cluster_info,
    folio: *mut bindings::folio,
    entry: bindings::swp_entry_t,
    shadow: *mut c_void,
    swapout: bool,
) {
    // SAFETY: By the requirement the folio is locked and in the swap cache.
    let its = unsafe { bindings::folio_swap(folio) };
    kernel::vm_warn_on_once!(its.val != entry.val);
    // SAFETY: By the requirement.
    unsafe {
        Pinned::from_raw(CachedFolio::from_raw(folio), NonNull::new_unchecked(ci))
            .delete(Shadow::from_ptr(shadow), swapout)
    }
}

/// Takes a folio out of the swap cache.
///
/// # Safety
///
/// The folio must be locked and in the swap cache, with a reference of the caller's.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_del_folio(folio: *mut bindings::folio) {
    // SAFETY: By the requirement. The caller has no evidence in use for its slots: where that is
    // Rust, the `NewFolio` that comes here has lent none any more.
    unsafe { CachedFolio::from_raw(folio).delete() }
}

/// Puts one folio in another's place.
///
/// # Safety
///
/// Both must be locked, and marked as in the swap cache; `new` with a reference for each of its pages.
/// `ci` must be the cluster of their slots, and locked. The slots that `new` says are its must be those
/// of `old`, whose count may be frozen.
/// That `new` is locked must have been ordered before this: shmem has marked it as up to date since, a
/// split has a barrier, and migration has frozen the count of `old`.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_replace_folio(
    ci: *mut bindings::swap_cluster_info,
    old: *mut bindings::folio,
    new: *mut bindings::folio,
) {
    // SAFETY: By the requirement.
    unsafe {
        Pinned::from_raw(CachedFolio::from_raw(old), NonNull::new_unchecked(ci))
            .replace_by(NonNull::new_unchecked(new))
    }
}

/// Gives a slot a new folio. Returns it, locked; or an error, `EEXIST` if it has one.
///
/// # Safety
///
/// The entry must be valid, and its device be kept. `vmf` must be null or a fault that is being
/// handled, `mpol` null or a policy that stays. The flags must be some that the caller may allocate with.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_alloc_folio(
    targ_entry: bindings::swp_entry_t,
    gfp: bindings::gfp_t,
    orders: c_ulong,
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
) -> *mut bindings::folio {
    // SAFETY: By the requirement.
    let gfp = unsafe { Flags::from_raw(gfp) };
    let add = |slot: Slot<'_>, origin: &Origin<'_>| add::add(slot, gfp, orders, origin);
    // SAFETY: By the requirement.
    unsafe { with_slot_for(targ_entry, vmf, mpol, ilx, add) }.into_c()
}

/// Swaps in without reading ahead. Returns the folio, with a reference, or an error.
///
/// # Safety
///
/// As for [`swap_cache_alloc_folio`].
#[export]
pub(crate) unsafe extern "C" fn swapin_sync(
    entry: bindings::swp_entry_t,
    flag: bindings::gfp_t,
    orders: c_ulong,
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
) -> *mut bindings::folio {
    // SAFETY: By the requirement.
    let flag = unsafe { Flags::from_raw(flag) };
    let swapin =
        |slot: Slot<'_>, origin: &Origin<'_>| swapin::swapin_sync(slot, flag, orders, origin);
    // SAFETY: By the requirement.
    unsafe { with_slot_for(entry, vmf, mpol, ilx, swapin) }.map_or_else(err_ptr, Folio::into_c)
}

/// The folio that a slot has, or one that is being read.
fn or_null(folio: Option<ARef<Folio>>) -> *mut bindings::folio {
    folio.map_or(core::ptr::null_mut(), Folio::into_c)
}

/// Begins to read a page that may be wanted. Returns its folio, with a reference, or null.
///
/// # Safety
///
/// The entry must come from a page table or mapping; `vma` must be locked, or null; `ctx` must be
/// initialised, and submitted by the caller. The flags must be some that the caller may allocate with.
#[export]
pub(crate) unsafe extern "C" fn read_swap_cache_async(
    ctx: *mut bindings::swap_io_ctx,
    entry: bindings::swp_entry_t,
    gfp_mask: bindings::gfp_t,
    vma: *mut bindings::vm_area_struct,
    addr: c_ulong,
) -> *mut bindings::folio {
    // SAFETY: By the requirement it was given to a page once.
    let Some(device) = SwapDevice::get(unsafe { SwapEntry::from_raw(entry) }) else {
        return core::ptr::null_mut();
    };
    // SAFETY: By the requirement.
    let gfp = unsafe { Flags::from_raw(gfp_mask) };
    let read = |vma: &VmaRef, reads: &mut Reads| {
        let policy = VmaPolicy::of(vma, addr);
        swapin::read(device.slot(), gfp, &policy.origin(), reads, false)
    };
    // SAFETY: By the requirement.
    or_null(unsafe {
        VmaRef::with_raw(vma, |vma| {
            vma.and_then(|vma| Reads::with_raw(ctx, |reads| read(vma, reads)))
        })
    })
}

/// Begins to read a page: for C's walk over a page table.
///
/// # Safety
///
/// As for [`swap_cache_alloc_folio`]; `ctx` must be initialised, and submitted by the caller.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_read_folio(
    ctx: *mut bindings::swap_io_ctx,
    entry: bindings::swp_entry_t,
    gfp: bindings::gfp_t,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
    readahead: bool,
) -> *mut bindings::folio {
    // SAFETY: By the requirement.
    let gfp = unsafe { Flags::from_raw(gfp) };
    let read = |slot: Slot<'_>, origin: &Origin<'_>, reads: &mut Reads| {
        swapin::read(slot, gfp, origin, reads, readahead)
    };
    // SAFETY: By the requirement.
    or_null(unsafe {
        with_slot_for(entry, core::ptr::null_mut(), mpol, ilx, |slot, origin| {
            Reads::with_raw(ctx, |reads| read(slot, origin, reads))
        })
    })
}

/// Swaps in, and reads ahead by places on the device. Returns the folio, with a reference, or null.
///
/// # Safety
///
/// As for [`swap_cache_alloc_folio`].
#[export]
pub(crate) unsafe extern "C" fn swap_cluster_readahead(
    entry: bindings::swp_entry_t,
    flag: bindings::gfp_t,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
) -> *mut bindings::folio {
    // SAFETY: By the requirement.
    let flag = unsafe { Flags::from_raw(flag) };
    let read =
        |slot: Slot<'_>, origin: &Origin<'_>| readahead::cluster_readahead(slot, flag, origin);
    // SAFETY: By the requirement.
    or_null(unsafe { with_slot_for(entry, core::ptr::null_mut(), mpol, ilx, read) })
}

/// Swaps in for a fault, and reads ahead. Returns the folio, with a reference, or null.
///
/// # Safety
///
/// The entry must be valid, and its device be kept; `vmf` must be a fault that is being handled. The flags
/// must be some that the caller may allocate with.
#[export]
pub(crate) unsafe extern "C" fn swapin_readahead(
    entry: bindings::swp_entry_t,
    flag: bindings::gfp_t,
    vmf: *mut bindings::vm_fault,
) -> *mut bindings::folio {
    let Some(vmf) = NonNull::new(vmf) else {
        return core::ptr::null_mut();
    };
    // SAFETY: By the requirement.
    let flag = unsafe { Flags::from_raw(flag) };
    let read = |slot: Slot<'_>, fault: Fault<'_>| readahead::swapin_readahead(slot, flag, fault);
    // SAFETY: By the requirement.
    or_null(unsafe {
        Slot::with_raw(entry, |slot| {
            Fault::with_raw(vmf, |fault| read(slot, fault))
        })
    })
}

/// Takes note that a folio was found in the swap cache.
///
/// # Safety
///
/// The caller must have a reference to `folio`; `vma` must be locked, or null.
#[export]
pub(crate) unsafe extern "C" fn swap_update_readahead(
    folio: *mut bindings::folio,
    vma: *mut bindings::vm_area_struct,
    addr: c_ulong,
) {
    let found = |folio: &Folio, vma: Option<&VmaRef>| readahead::found(folio, vma, addr);
    // SAFETY: By the requirement.
    unsafe {
        Folio::with_raw(folio, |folio| {
            VmaRef::with_raw(vma, |vma| found(folio, vma))
        })
    }
}
