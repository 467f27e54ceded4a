// SPDX-License-Identifier: GPL-2.0-or-later

//! The C ABI: the functions of `mm/swap.h` that mm/swap_state.c would define.
//!
//! Each function turns the guarantees of its C callers into witnesses and calls the policy. This is
//! the only file of this crate that contains `unsafe`.
//!
//! By mm/swap.h, the callers guarantee that a swap entry is valid and that its device is not swapped
//! off. They hold a reference to the device, the lock of a folio in the swap cache, or the lock of the
//! page table or mapping that refers to the swap entry. The other callers are swapoff, which alone
//! removes the device; the allocator, which holds slots of the device; and, for a shadow only, an RCU
//! reader (`filemap_cachestat()`), which swapoff waits for.

#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use super::large;
use super::{
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
            Fault,
            Vma, //
        },
        folio::{
            CachedFolio,
            Folio,
            FolioRef, //
        },
        swap_add::{
            add_from_c,
            NewFolio, //
        },
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
        swapops::SwapEntry, //
    },
    prelude::*, //
};

/// Called once at boot. Logs which implementation is in use, as zswap does.
#[no_mangle]
extern "C" fn swap_cache_rs_init() -> c_int {
    pr_info!("Rust implementation\n");
    0
}

/// Looks up the folio of a slot. Returns it with a reference, or null.
///
/// # Safety
///
/// The swap entry must be valid, and its device must not be swapped off.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_folio(
    entry: bindings::swp_entry_t,
) -> *mut bindings::folio {
    let call = Call::new();
    // SAFETY: The caller guarantees that the swap entry is valid and its device not swapped off.
    let slot = unsafe { Slot::from_raw(entry, &call) };
    or_null(slot.folio())
}

/// Whether a slot currently has a folio.
///
/// # Safety
///
/// The swap entry must be valid, and its device must not be swapped off.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_has_folio(entry: bindings::swp_entry_t) -> bool {
    let call = Call::new();
    // SAFETY: The caller guarantees that the swap entry is valid and its device not swapped off.
    let slot = unsafe { Slot::from_raw(entry, &call) };
    matches!(slot.table_entry(), SwapTableEntry::Folio(..))
}

/// Returns the shadow of a slot without a folio; null if the slot has a folio, or is free.
///
/// # Safety
///
/// The swap entry must be valid, and its device must not be swapped off.
#[export]
pub(crate) unsafe extern "C" fn swap_cache_get_shadow(entry: bindings::swp_entry_t) -> *mut c_void {
    let call = Call::new();
    // SAFETY: The caller guarantees that the swap entry is valid and its device not swapped off.
    let slot = unsafe { Slot::from_raw(entry, &call) };
    match slot.table_entry() {
        SwapTableEntry::Shadow(shadow, _) => shadow.as_ptr(),
        _ => core::ptr::null_mut(),
    }
}

/// Adds a folio to the swap cache for slots that were just allocated for it.
///
/// # Safety
///
/// Only for `__swap_cluster_alloc_entries()`: `ci` is locked and contains the slots; the folio is
/// locked and isn't in the swap cache.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_add_folio(
    ci: *mut bindings::swap_cluster_info,
    folio: *mut bindings::folio,
    entry: bindings::swp_entry_t,
) {
    let call = Call::new();
    // SAFETY: `__swap_cluster_alloc_entries()` has locked the cluster and the folio, neither of which is null.
    // `cluster_scan_range()` found the slots free under the cluster's lock.
    unsafe {
        let cluster = LockedCluster::from_raw(ci, &call);
        add_from_c(cluster, NonNull::new_unchecked(folio), entry)
    }
}

/// Removes a folio from the swap cache. The caller must put the swap cache's references.
///
/// # Safety
///
/// The folio must be locked and in the swap cache; `ci` must be the cluster of its slots, and
/// locked. With `swapout`, the caller must be reclaim, with interrupts disabled. The folio's
/// reference count may be frozen. `entry` must be the folio's swap entry. `shadow` must be null or
/// come from the workingset code.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_del_folio(
    ci: *mut bindings::swap_cluster_info,
    folio: *mut bindings::folio,
    entry: bindings::swp_entry_t,
    shadow: *mut c_void,
    swapout: bool,
) {
    let (call, mut folio_call) = (Call::new(), Call::new());
    // SAFETY: The caller guarantees that the folio is locked and in the swap cache, and that `ci`, which isn't null,
    // is the cluster of its slots, and locked. The caller owns the folio; with `swapout` it is reclaim, with
    // interrupts disabled. The `CachedFolio` is consumed here, and lends no page.
    unsafe {
        let cluster = LockedCluster::from_raw(ci, &call);
        let folio = CachedFolio::from_raw(folio, &mut folio_call);
        kernel::vm_warn_on_once!(folio.swap().as_raw().val != entry.val);
        folio.delete_locked(cluster, Shadow::from_ptr(shadow), swapout)
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
    // SAFETY: The caller guarantees that the folio is locked and in the swap cache, and that it owns a reference. The
    // caller has no witness for the folio's slots: Rust code passes a `NewFolio`, which is no longer borrowed.
    unsafe { CachedFolio::from_raw(folio, &mut call).delete() }
}

/// Replaces a folio by another one.
///
/// # Safety
///
/// Both folios must be locked and have the swap-cache flag; `new` must have a reference for each of
/// its pages. `ci` must be the cluster of their slots, and locked. `new->swap` must name slots of
/// `old`, whose reference count may be frozen. The locking of `new` must be ordered before this
/// call: shmem marks it uptodate in between, a split has a barrier, and migration freezes the
/// reference count of `old`.
#[export]
pub(crate) unsafe extern "C" fn __swap_cache_replace_folio(
    ci: *mut bindings::swap_cluster_info,
    old: *mut bindings::folio,
    new: *mut bindings::folio,
) {
    let (call, mut folio_call) = (Call::new(), Call::new());
    // SAFETY: The caller guarantees that both folios are locked and have the swap-cache flag, that `new` has a
    // reference for each page and names slots of `old`, that `ci` is their cluster, and locked, and that the locking
    // of `new` is ordered before this call. The `CachedFolio` is used only here, and lends no page.
    unsafe {
        let cluster = LockedCluster::from_raw(ci, &call);
        CachedFolio::from_raw(old, &mut folio_call).replace_by(cluster, NonNull::new_unchecked(new))
    }
}

/// The slot and the context of an allocation, of a C caller.
///
/// # Safety
///
/// During `call`, the swap entry must be valid, and its device must not be swapped off; `vmf` must be null or a fault
/// that is being handled, with its VMA locked; `mpol` must be null or a policy that stays alive; with
/// `CONFIG_NUMA` not both null. The context must permit allocations with these flags.
#[inline]
unsafe fn arguments<'a>(
    entry: bindings::swp_entry_t,
    gfp: bindings::gfp_t,
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
    call: &'a Call,
) -> (Slot<'a>, AllocContext<'a>) {
    // SAFETY: The caller guarantees that the swap entry is valid and its device not swapped off, that the fault is
    // null or being handled, with its VMA locked, that the policy is null or alive, that with `CONFIG_NUMA` one of
    // both isn't null, and that it may allocate with the flags.
    unsafe {
        let context = AllocContext::from_raw(gfp, vmf, mpol, ilx, call);
        (Slot::from_raw(entry, call), context)
    }
}

/// An error of adding a folio, for C callers, which know only those of `swap_cache_alloc_folio()`.
///
/// Any other error becomes `ENOMEM`. For example, shmem takes `EIO` as the error of a read, and drops the page.
fn err_ptr(error: Error) -> *mut bindings::folio {
    match error {
        EEXIST | ENOENT | EBUSY | EINVAL => error,
        _ => ENOMEM,
    }
    .to_ptr()
}

/// Adds a new folio for a slot. Returns it, locked; or an error: `EEXIST` if the slot has a folio.
///
/// # Safety
///
/// As for [`arguments`].
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
    // SAFETY: The caller guarantees what `arguments()` requires.
    let (slot, context) = unsafe { arguments(targ_entry, gfp, vmf, mpol, ilx, &call) };
    swapin::add(slot, orders, &context)
        .and_then(|folio| folio.requested(slot, orders))
        .map_or_else(err_ptr, NewFolio::into_c_locked)
}

/// Swaps in without readahead. Returns the folio, with a reference, or an error.
///
/// # Safety
///
/// As for [`arguments`].
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
    // SAFETY: The caller guarantees what `arguments()` requires.
    let (slot, context) = unsafe { arguments(entry, flag, vmf, mpol, ilx, &call) };
    swapin::swapin_sync(slot, orders, &context).map_or_else(err_ptr, FolioRef::into_c)
}

/// Those of `orders` that may be tried for a fault; 0 for none other than a single page. Orders are sets of
/// bits. `thp_swapin_suitable_orders()` calls it if large swap-ins are on or zswap was never enabled, with orders
/// that settings, alignment and VMA allow.
///
/// # Safety
///
/// Only for `do_swap_page()`: the swap entry must be valid, and its device must not be swapped off; `vmf`
/// must be a fault that is being handled, with its VMA locked, and its `pmd` the one of its address.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn swapin_large_orders(
    vmf: *mut bindings::vm_fault,
    entry: bindings::swp_entry_t,
    orders: c_ulong,
) -> c_ulong {
    let Some(vmf) = NonNull::new(vmf) else {
        return 0;
    };
    let call = Call::new();
    // SAFETY: The caller guarantees that the swap entry is valid and its device not swapped off, and that the fault
    // is being handled: `do_swap_page()` holds a reference to the device and the VMA's lock, and `vmf->pmd` is the one
    // of its address.
    let (slot, fault) = unsafe { (Slot::from_raw(entry, &call), Fault::from_raw(vmf, &call)) };
    // C computes addresses and slots from the order, and trusts that it has offered it.
    large::orders(slot, fault, orders) & orders
}

/// The orders, as a set of bits, that may be tried for a page of shared memory; `sequential` if the page
/// before it is in the page cache. C tries none but the order of the page's swap entry.
///
/// # Safety
///
/// Only for `shmem_swapin_folio()`: the swap entry must be valid, and its device must not be swapped off;
/// `vmf` must be null, or a fault that is being handled, with its VMA locked, and its `pmd` the one of its
/// address.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn swapin_large_orders_shmem(
    vmf: *mut bindings::vm_fault,
    entry: bindings::swp_entry_t,
    sequential: bool,
) -> c_ulong {
    let call = Call::new();
    // SAFETY: The caller guarantees that the swap entry is valid and its device not swapped off: it holds a
    // reference to the device.
    let slot = unsafe { Slot::from_raw(entry, &call) };
    // SAFETY: The caller guarantees that the fault is being handled: `shmem_fault()` is called with the VMA's lock,
    // and `vmf->pmd` is the one of its address.
    let fault = NonNull::new(vmf).map(|vmf| unsafe { Fault::from_raw(vmf, &call) });
    large::orders_of_file(slot, fault, sequential)
}

/// Swaps in a large folio that zswap has, of one of `orders` (a bit for each order). Returns the folio, with
/// a reference, or null.
///
/// # Safety
///
/// As for [`arguments`].
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn swapin_zswap(
    entry: bindings::swp_entry_t,
    flag: bindings::gfp_t,
    orders: c_ulong,
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
) -> *mut bindings::folio {
    let call = Call::new();
    // SAFETY: The caller guarantees what `arguments()` requires.
    let (slot, context) = unsafe { arguments(entry, flag, vmf, mpol, ilx, &call) };
    or_null(swapin::swapin_whole(slot, orders, &context).ok())
}

/// Returns a folio to C, with its reference; null for `None`.
fn or_null(folio: Option<FolioRef>) -> *mut bindings::folio {
    folio.map_or(core::ptr::null_mut(), FolioRef::into_c)
}

/// Starts reading a page that may be needed. Returns its folio, with a reference, or null.
///
/// # Safety
///
/// The swap entry must come from a page table or mapping; `vma` must be locked, or null; `ctx` must
/// be initialised, and the caller must submit it. The context must permit allocations with these
/// flags.
#[export]
pub(crate) unsafe extern "C" fn read_swap_cache_async(
    ctx: *mut bindings::swap_io_ctx,
    entry: bindings::swp_entry_t,
    gfp_mask: bindings::gfp_t,
    vma: *mut bindings::vm_area_struct,
    addr: c_ulong,
) -> *mut bindings::folio {
    // SAFETY: The swap entry comes from a page table or mapping: it was once allocated, so its type is below
    // `MAX_SWAPFILES`.
    let Some(device) = SwapDevice::get(unsafe { SwapEntry::from_raw(entry) }) else {
        return core::ptr::null_mut();
    };
    // SAFETY: The caller guarantees that it may allocate with these flags.
    let gfp = unsafe { Flags::from_raw(gfp_mask) };
    let call = Call::new();
    // SAFETY: The caller guarantees that the VMA is null or locked, and that it has initialised `ctx`, to which it has
    // exclusive access, and will submit it.
    let (vma, reads) = unsafe {
        (
            Vma::from_raw_or_null(vma, &call),
            Reads::from_raw(ctx, &call),
        )
    };
    or_null(vma.and_then(|vma| {
        AllocContext::with_policy_of(vma, addr, gfp, |context| {
            swapin::read(device.slot(), context, reads, false)
        })
    }))
}

/// Starts reading a page. Called by C's walk over a page table.
///
/// # Safety
///
/// As for [`arguments`]; `ctx` must be initialised, and the caller must submit it.
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
    // SAFETY: The caller guarantees what `arguments()` requires, that it has initialised `ctx`, to which it has
    // exclusive access, and that it will submit it.
    let ((slot, context), reads) = unsafe {
        let null = core::ptr::null_mut();
        (
            arguments(entry, gfp, null, mpol, ilx, &call),
            Reads::from_raw(ctx, &call),
        )
    };
    or_null(swapin::read(slot, &context, reads, readahead))
}

/// Swaps in with physical readahead. Returns the folio, with a reference, or null.
///
/// # Safety
///
/// As for [`arguments`].
#[export]
pub(crate) unsafe extern "C" fn swap_cluster_readahead(
    entry: bindings::swp_entry_t,
    flag: bindings::gfp_t,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
) -> *mut bindings::folio {
    let call = Call::new();
    // SAFETY: The caller guarantees what `arguments()` requires.
    let (slot, context) =
        unsafe { arguments(entry, flag, core::ptr::null_mut(), mpol, ilx, &call) };
    or_null(readahead::cluster_readahead(slot, &context))
}

/// Swaps in for a fault, with readahead. Returns the folio, with a reference, or null.
///
/// # Safety
///
/// The swap entry must be valid, and its device must not be swapped off; `vmf` must be a fault that is being handled,
/// with the lock of its VMA held, and its `pmd` the one of its address. The context must permit allocations with these
/// flags.
#[export]
pub(crate) unsafe extern "C" fn swapin_readahead(
    entry: bindings::swp_entry_t,
    flag: bindings::gfp_t,
    vmf: *mut bindings::vm_fault,
) -> *mut bindings::folio {
    let Some(vmf) = NonNull::new(vmf) else {
        return core::ptr::null_mut();
    };
    // SAFETY: The caller guarantees that it may allocate with these flags.
    let flag = unsafe { Flags::from_raw(flag) };
    let call = Call::new();
    // SAFETY: The caller guarantees that the swap entry is valid and its device not swapped off, and what `Fault`
    // requires.
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
    // SAFETY: The caller guarantees that it owns a reference to the folio, and that the VMA is null or locked.
    let (folio, vma) = unsafe {
        (
            Folio::from_raw(folio, &call),
            Vma::from_raw_or_null(vma, &call),
        )
    };
    readahead::update(folio, vma, addr)
}
