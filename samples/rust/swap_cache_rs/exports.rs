// SPDX-License-Identifier: GPL-2.0-or-later

//! The C ABI: the functions of `mm/swap.h` that mm/swap_state.c would define.
//!
//! Each turns what its C callers guarantee into witnesses and calls the policy. This is the only
//! file of this crate with `unsafe` in it. The callers guarantee, by mm/swap.h, that an entry is
//! valid and that its device isn't swapped off: by a reference, by the lock of a folio in the swap cache, or
//! by a lock of whatever refers to the entry. Otherwise the caller is swapoff, which alone could
//! remove the device; or something that swapoff waits for: its own work and, for a shadow only, an
//! RCU reader (`filemap_cachestat()`); or the allocator, which holds the device's slots.

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
        call::Call,
        fault::{
            AllocContext,
            Fault, //
        },
        folio::{
            CachedFolio,
            Folio, //
        },
        mempolicy::VmaPolicy,
        swap_add::add_from_c,
        swap_cache::{
            Reads,
            SwapDevice, //
        },
        swap_cluster::{
            LockedCluster,
            Slot, //
        },
        swap_table::{
            Shadow,
            SwapTableEntry, //
        },
        swapops::SwapEntry,
        virt::VmaRef, //
    },
    prelude::*,
    sync::aref::ARef, //
};

/// Called at boot, once. The log names the implementation, as it does for zswap.
#[no_mangle]
extern "C" fn swap_cache_rs_init() -> c_int {
    pr_info!("Rust implementation\n");
    0
}

/// An `ERR_PTR()`.
fn err_ptr<T>(error: Error) -> *mut T {
    error.to_ptr()
}

/// Looks up a slot's folio. Returns it with a reference, or null.
///
/// # Safety
///
/// The entry must be valid, and its device not be swapped off.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_folio(
    entry: bindings::swp_entry_t,
) -> *mut bindings::folio {
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off.
    let slot = unsafe { Slot::from_raw(entry, &call) };
    or_null(slot.folio())
}

/// Whether a slot currently has a folio.
///
/// # Safety
///
/// The entry must be valid, and its device not be swapped off.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_has_folio(entry: bindings::swp_entry_t) -> bool {
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off.
    let slot = unsafe { Slot::from_raw(entry, &call) };
    matches!(slot.table_entry(), SwapTableEntry::Folio(..))
}

/// The shadow of a slot without a folio; null if the slot has a folio, or is free.
///
/// # Safety
///
/// The entry must be valid, and its device not be swapped off.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_shadow(entry: bindings::swp_entry_t) -> *mut c_void {
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off.
    let slot = unsafe { Slot::from_raw(entry, &call) };
    match slot.table_entry() {
        SwapTableEntry::Shadow(shadow, _) => shadow.as_ptr(),
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
    let call = Call::new();
    // SAFETY: `__swap_cluster_alloc_entries()` has locked the cluster and the folio, neither of which is null.
    // `cluster_scan_range()` has found the slots free, under this lock.
    unsafe {
        let cluster = LockedCluster::from_raw(NonNull::new_unchecked(ci), &call);
        add_from_c(cluster, NonNull::new_unchecked(folio), entry)
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
    let own = unsafe { bindings::folio_swap(folio) };
    kernel::vm_warn_on_once!(own.val != entry.val);
    let (call, mut folio_call) = (Call::new(), Call::new());
    // SAFETY: The folio is locked and in the swap cache, and `ci`, which isn't null, is its slots' cluster,
    // which is locked. The caller owns the folio, and with `swapout` is reclaim, with interrupts disabled.
    // The `CachedFolio` is consumed here, and asked for no page.
    unsafe {
        let cluster = LockedCluster::from_raw(NonNull::new_unchecked(ci), &call);
        CachedFolio::from_raw(folio, &mut folio_call).delete_locked(
            cluster,
            Shadow::from_ptr(shadow),
            swapout,
        )
    }
}

/// Removes a folio from the swap cache.
///
/// # Safety
///
/// The folio must be locked and in the swap cache, and the caller must own a reference to it.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_del_folio(folio: *mut bindings::folio) {
    let mut call = Call::new();
    // SAFETY: The folio is locked and in the swap cache, and the caller owns a reference. It uses no witness
    // for the folio's slots: a caller in Rust passes a `NewFolio`, of which no borrow is left.
    unsafe { CachedFolio::from_raw(folio, &mut call).delete() }
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
    let (call, mut folio_call) = (Call::new(), Call::new());
    // SAFETY: Both folios are locked and marked as in the swap cache, `new` with a reference for each page
    // and a name of slots of `old`; `ci` is their cluster, and locked; the locking of `new` is ordered
    // before. The `CachedFolio` is used here only, and asked for no page.
    unsafe {
        let cluster = LockedCluster::from_raw(NonNull::new_unchecked(ci), &call);
        CachedFolio::from_raw(old, &mut folio_call).replace_by(cluster, NonNull::new_unchecked(new))
    }
}

/// Adds a new folio for a slot. Returns it, locked; or an error: `EEXIST` if the slot has a folio.
///
/// # Safety
///
/// The entry must be valid, and its device not be swapped off. `vmf` must be null or a fault that is being
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
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off. The fault
    // is null or being handled, the policy null or alive. The caller may allocate with the flags.
    let (slot, context) = unsafe {
        (
            Slot::from_raw(targ_entry, &call),
            AllocContext::from_raw(gfp, vmf, mpol, ilx, &call),
        )
    };
    add::add(slot, orders, &context).into_c(targ_entry, orders)
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
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off. The fault
    // is null or being handled, the policy null or alive. The caller may allocate with the flags.
    let (slot, context) = unsafe {
        (
            Slot::from_raw(entry, &call),
            AllocContext::from_raw(flag, vmf, mpol, ilx, &call),
        )
    };
    swapin::swapin_sync(slot, orders, &context).map_or_else(err_ptr, Folio::into_c)
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
    let call = Call::new();
    // SAFETY: The VMA is null or locked. The caller has initialised `ctx`, uses it alone, and submits it.
    let (vma, reads) = unsafe {
        (
            VmaRef::from_raw_or_null(vma, &call),
            Reads::from_raw(ctx, &call),
        )
    };
    or_null(vma.and_then(|vma| {
        let policy = VmaPolicy::of(vma, addr);
        swapin::read(device.slot(), &policy.alloc_context(gfp), reads, false)
    }))
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
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off. The policy
    // is null or alive. The caller has initialised `ctx`, uses it alone, and submits it. The caller may allocate with the flags.
    let (slot, context, reads) = unsafe {
        (
            Slot::from_raw(entry, &call),
            AllocContext::from_raw(gfp, core::ptr::null_mut(), mpol, ilx, &call),
            Reads::from_raw(ctx, &call),
        )
    };
    or_null(swapin::read(slot, &context, reads, readahead))
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
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off. The policy
    // is null or alive. The caller may allocate with the flags.
    let (slot, context) = unsafe {
        (
            Slot::from_raw(entry, &call),
            AllocContext::from_raw(flag, core::ptr::null_mut(), mpol, ilx, &call),
        )
    };
    or_null(readahead::cluster_readahead(slot, &context))
}

/// Swaps in for a fault, with readahead. Returns the folio, with a reference, or null.
///
/// # Safety
///
/// The entry must be valid, and its device not be swapped off; `vmf` must be a fault that is being handled.
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
    let call = Call::new();
    // SAFETY: The caller has ensured that the entry is valid and its device not swapped off. The fault
    // is being handled.
    let (slot, fault) = unsafe { (Slot::from_raw(entry, &call), Fault::from_raw(vmf, &call)) };
    or_null(readahead::swapin_readahead(slot, flag, fault))
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
    let call = Call::new();
    // SAFETY: The caller owns a reference to the folio, and the VMA is null or locked.
    let (folio, vma) = unsafe {
        (
            Folio::from_raw(folio, &call),
            VmaRef::from_raw_or_null(vma, &call),
        )
    };
    readahead::update(folio, vma, addr)
}
