// SPDX-License-Identifier: GPL-2.0-or-later

//! The C ABI: the functions of `mm/swap.h` that mm/swap_state.c would define.
//!
//! Each turns what its C callers guarantee into witnesses and calls the policy. This is the only
//! file of this crate with `unsafe` in it. The callers guarantee, by mm/swap.h, that an entry is
//! valid and that its device is kept: by a reference, by the lock of a folio in the swap cache, or
//! by a lock of whatever refers to the entry. Otherwise the caller is swapoff, which alone could
//! remove the device; or something that swapoff waits for: its own work and, for a shadow only, an
//! RCU reader (`filemap_cachestat()`); or the allocator, which holds the device's slots.

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

/// Called at boot, once. The log names the implementation, as it does for zswap.
#[no_mangle]
extern "C" fn swap_cache_rs_init() -> c_int {
    pr_info!("Rust implementation\n");
    0
}

/// Calls `f` with a slot and the origin of the request to swap it in.
///
/// # Safety
///
/// During the call the entry must be valid and its device be kept; `vmf` must be null or a fault
/// that is being handled; `mpol` must be null or a policy that stays alive.
#[inline]
unsafe fn with_slot_for<R>(
    entry: bindings::swp_entry_t,
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
    f: impl for<'s, 'o> FnOnce(Slot<'s>, &Origin<'o>) -> R,
) -> R {
    // SAFETY: The entry is valid and its device kept, the fault is being handled and the policy stays alive,
    // during this call, as this function's callers have ensured.
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

/// Looks up a slot's folio. Returns it with a reference, or null.
///
/// # Safety
///
/// The entry must be valid, and its device be kept.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_folio(
    entry: bindings::swp_entry_t,
) -> *mut bindings::folio {
    // SAFETY: The caller has ensured that the entry is valid and its device kept.
    or_null(unsafe { Slot::with_raw(entry, |slot| slot.folio()) })
}

/// Whether a slot currently has a folio.
///
/// # Safety
///
/// The entry must be valid, and its device be kept.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_has_folio(entry: bindings::swp_entry_t) -> bool {
    // SAFETY: The caller has ensured that the entry is valid and its device kept.
    let word = unsafe { Slot::with_raw(entry, |slot| slot.word()) };
    matches!(word, SlotWord::Folio(..))
}

/// The shadow of a slot without a folio; null if the slot has a folio, or is free.
///
/// # Safety
///
/// The entry must be valid, and its device be kept.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_shadow(entry: bindings::swp_entry_t) -> *mut c_void {
    // SAFETY: The caller has ensured that the entry is valid and its device kept.
    match unsafe { Slot::with_raw(entry, |slot| slot.word()) } {
        SlotWord::Shadow(shadow, _) => shadow.as_ptr(),
        _ => core::ptr::null_mut(),
    }
}

/// Adds a folio to the swap cache, for slots that were just allocated for it.
///
/// # Safety
///
/// Only for `__swap_cluster_alloc_entries()`: `ci` is locked, and the slots belong to it; the folio
/// is locked and isn't in the swap cache.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_add_folio(
    ci: *mut bindings::swap_cluster_info,
    folio: *mut bindings::folio,
    entry: bindings::swp_entry_t,
) {
    // SAFETY: `__swap_cluster_alloc_entries()` has locked the cluster and the folio, neither of which is null.
    // `cluster_scan_range()` has found the slots free, under this lock.
    unsafe {
        swap_cache::add_from_c(
            NonNull::new_unchecked(ci),
            NonNull::new_unchecked(folio),
            entry,
        )
    }
}

/// Removes a folio from the swap cache, and leaves the swap cache's references to the caller.
///
/// # Safety
///
/// The folio must be locked and in the swap cache; `ci` must be the cluster of its slots, and
/// locked. With `swapout`, the caller must be reclaim, with interrupts disabled. The folio's
/// reference count may be frozen. `entry` must be the folio's own. `shadow` must be null or come
/// from the workingset code.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_del_folio(
    ci: *mut bindings::swap_cluster_info,
    folio: *mut bindings::folio,
    entry: bindings::swp_entry_t,
    shadow: *mut c_void,
    swapout: bool,
) {
    // SAFETY: The folio is locked and in the swap cache, so that its field names its slots.
    let its = unsafe { bindings::folio_swap(folio) };
    kernel::vm_warn_on_once!(its.val != entry.val);
    // SAFETY: The folio is locked and in the swap cache, and `ci`, which isn't null, is its slots' cluster,
    // which is locked. The caller owns the folio, and with `swapout` is reclaim, with interrupts disabled.
    // Nobody is given the `CachedFolio`, and so no page.
    unsafe {
        Pinned::from_raw(CachedFolio::from_raw(folio), NonNull::new_unchecked(ci))
            .delete(Shadow::from_ptr(shadow), swapout)
    }
}

/// Removes a folio from the swap cache.
///
/// # Safety
///
/// The folio must be locked and in the swap cache, and the caller must own a reference to it.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_del_folio(folio: *mut bindings::folio) {
    // SAFETY: The folio is locked and in the swap cache, and the caller owns a reference. It uses no witness
    // for the folio's slots: a caller in Rust passes a `NewFolio`, of which no borrow is left.
    unsafe { CachedFolio::from_raw(folio).delete() }
}

/// Replaces a folio by another one.
///
/// # Safety
///
/// Both folios must be locked and marked as in the swap cache; `new` must have a reference for each
/// of its pages. `ci` must be the cluster of their slots, and locked. `new` must name the slots of
/// `old`, whose reference count may be frozen. The locking of `new` must be ordered before this
/// call: shmem has marked it uptodate since, a split has a barrier, and migration has frozen the
/// reference count of `old`.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_replace_folio(
    ci: *mut bindings::swap_cluster_info,
    old: *mut bindings::folio,
    new: *mut bindings::folio,
) {
    // SAFETY: Both folios are locked and marked as in the swap cache, `new` with a reference for each page
    // and a name of slots of `old`; `ci` is their cluster, and locked; the locking of `new` is ordered
    // before. Nobody is given the `CachedFolio`.
    unsafe {
        Pinned::from_raw(CachedFolio::from_raw(old), NonNull::new_unchecked(ci))
            .replace_by(NonNull::new_unchecked(new))
    }
}

/// Adds a new folio for a slot. Returns it, locked; or an error: `EEXIST` if the slot has a folio.
///
/// # Safety
///
/// The entry must be valid, and its device be kept. `vmf` must be null or a fault that is being
/// handled; `mpol` must be null or a policy that stays alive. The caller must be allowed to
/// allocate with the flags.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_alloc_folio(
    targ_entry: bindings::swp_entry_t,
    gfp: bindings::gfp_t,
    orders: c_ulong,
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
) -> *mut bindings::folio {
    // SAFETY: The caller, which these flags come from, may allocate with them.
    let gfp = unsafe { Flags::from_raw(gfp) };
    let add = |slot: Slot<'_>, origin: &Origin<'_>| add::add(slot, gfp, orders, origin);
    // SAFETY: The caller has ensured that the entry is valid and its device kept. The fault
    // is null or being handled, the policy null or alive.
    let added = unsafe { with_slot_for(targ_entry, vmf, mpol, ilx, add) };
    added.into_c(targ_entry, orders)
}

/// Swaps in without readahead. Returns the folio, with a reference, or an error.
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
    // SAFETY: The caller, which these flags come from, may allocate with them.
    let flag = unsafe { Flags::from_raw(flag) };
    let swapin =
        |slot: Slot<'_>, origin: &Origin<'_>| swapin::swapin_sync(slot, flag, orders, origin);
    // SAFETY: The caller has ensured that the entry is valid and its device kept. The fault
    // is null or being handled, the policy null or alive.
    unsafe { with_slot_for(entry, vmf, mpol, ilx, swapin) }.map_or_else(err_ptr, Folio::into_c)
}

/// Hands a slot's folio to C, or null.
fn or_null(folio: Option<ARef<Folio>>) -> *mut bindings::folio {
    folio.map_or(core::ptr::null_mut(), Folio::into_c)
}

/// Starts reading a page that may be needed. Returns its folio, with a reference, or null.
///
/// # Safety
///
/// The entry must come from a page table or mapping; `vma` must be locked, or null; `ctx` must be
/// initialised, and the caller must submit it. The caller must be allowed to allocate with the
/// flags.
#[export]
pub(crate) unsafe extern "C" fn read_swap_cache_async(
    ctx: *mut bindings::swap_io_ctx,
    entry: bindings::swp_entry_t,
    gfp_mask: bindings::gfp_t,
    vma: *mut bindings::vm_area_struct,
    addr: c_ulong,
) -> *mut bindings::folio {
    // SAFETY: An entry of a page table or mapping was once allocated to a page, and so names a device that can be.
    let Some(device) = SwapDevice::get(unsafe { SwapEntry::from_raw(entry) }) else {
        return core::ptr::null_mut();
    };
    // SAFETY: The caller, which these flags come from, may allocate with them.
    let gfp = unsafe { Flags::from_raw(gfp_mask) };
    let read = |vma: &VmaRef, reads: &mut Reads| {
        let policy = VmaPolicy::of(vma, addr);
        swapin::read(device.slot(), gfp, &policy.origin(), reads, false)
    };
    // SAFETY: The VMA is null or locked; the caller has initialised `ctx`, uses it alone, and submits it.
    or_null(unsafe {
        VmaRef::with_raw(vma, |vma| {
            vma.and_then(|vma| Reads::with_raw(ctx, |reads| read(vma, reads)))
        })
    })
}

/// Starts reading a page: called from C's walk over a page table.
///
/// # Safety
///
/// As for [`swap_cache_alloc_folio`]; `ctx` must be initialised, and the caller must submit it.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_read_folio(
    ctx: *mut bindings::swap_io_ctx,
    entry: bindings::swp_entry_t,
    gfp: bindings::gfp_t,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
    readahead: bool,
) -> *mut bindings::folio {
    // SAFETY: The caller, which these flags come from, may allocate with them.
    let gfp = unsafe { Flags::from_raw(gfp) };
    let read = |slot: Slot<'_>, origin: &Origin<'_>, reads: &mut Reads| {
        swapin::read(slot, gfp, origin, reads, readahead)
    };
    // SAFETY: The caller has ensured that the entry is valid and its device kept. The policy
    // is null or alive. The caller has initialised `ctx`, uses it alone, and submits it.
    or_null(unsafe {
        with_slot_for(entry, core::ptr::null_mut(), mpol, ilx, |slot, origin| {
            Reads::with_raw(ctx, |reads| read(slot, origin, reads))
        })
    })
}

/// Swaps in with physical readahead. Returns the folio, with a reference, or null.
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
    // SAFETY: The caller, which these flags come from, may allocate with them.
    let flag = unsafe { Flags::from_raw(flag) };
    let read =
        |slot: Slot<'_>, origin: &Origin<'_>| readahead::cluster_readahead(slot, flag, origin);
    // SAFETY: The caller has ensured that the entry is valid and its device kept. The policy
    // is null or alive.
    or_null(unsafe { with_slot_for(entry, core::ptr::null_mut(), mpol, ilx, read) })
}

/// Swaps in for a fault, with readahead. Returns the folio, with a reference, or null.
///
/// # Safety
///
/// The entry must be valid, and its device be kept; `vmf` must be a fault that is being handled.
/// The caller must be allowed to allocate with the flags.
#[export]
pub(crate) unsafe extern "C" fn swapin_readahead(
    entry: bindings::swp_entry_t,
    flag: bindings::gfp_t,
    vmf: *mut bindings::vm_fault,
) -> *mut bindings::folio {
    let Some(vmf) = NonNull::new(vmf) else {
        return core::ptr::null_mut();
    };
    // SAFETY: The caller, which these flags come from, may allocate with them.
    let flag = unsafe { Flags::from_raw(flag) };
    let read = |slot: Slot<'_>, fault: Fault<'_>| readahead::swapin_readahead(slot, flag, fault);
    // SAFETY: The caller has ensured that the entry is valid and its device kept. The fault
    // is being handled.
    or_null(unsafe {
        Slot::with_raw(entry, |slot| {
            Fault::with_raw(vmf, |fault| read(slot, fault))
        })
    })
}

/// Updates the readahead state after a folio was found in the swap cache.
///
/// # Safety
///
/// The caller must own a reference to `folio`; `vma` must be locked, or null.
#[export]
pub(crate) unsafe extern "C" fn swap_update_readahead(
    folio: *mut bindings::folio,
    vma: *mut bindings::vm_area_struct,
    addr: c_ulong,
) {
    let found = |folio: &Folio, vma: Option<&VmaRef>| readahead::found(folio, vma, addr);
    // SAFETY: The caller owns a reference to the folio, and the VMA is null or locked.
    unsafe {
        Folio::with_raw(folio, |folio| {
            VmaRef::with_raw(vma, |vma| found(folio, vma))
        })
    }
}
