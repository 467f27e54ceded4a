// SPDX-License-Identifier: GPL-2.0-or-later

//! The C ABI: the functions of `include/linux/zswap.h`, those of zswap in `mm/swap.h`, and those that `glue.c` calls.
//!
//! Each function turns the guarantees of its C callers into witnesses and calls the policy. This and the core are the
//! only code of this crate that contains `unsafe`.

use super::{
    load, setup, shrink, store, trace,
    zswap_core::{
        self,
        glue::{
            never_enabled,
            zswap_enabled,
            ParamLock, //
        },
        pool_table::POOLS,
        slots::{
            self,
            Slots, //
        },
    },
};
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use super::{
    whole,
    zswap_core::glue::zswap_large_swapin, //
};
use kernel::{
    bindings,
    error::from_result,
    mm::{
        call::Call,
        folio::CachedFolio,
        memcontrol::{
            disk_swapins,
            MemCgroup, //
        },
    },
    prelude::*,
    sync::atomic::Relaxed, //
};

/// The initcall. Called once.
#[no_mangle]
extern "C" fn zswap_rs_init() -> c_int {
    from_result(|| setup::init().map(|()| 0))
}

/// The number of pages of memory that zswap uses.
///
/// # Safety
///
/// None. The function is `unsafe` only because its C prototype is.
#[export]
pub(crate) unsafe extern "C" fn zswap_total_pages() -> c_ulong {
    POOLS.total_pages()
}

/// Sets zswap up. Returns 0 if it can be enabled.
///
/// # Safety
///
/// Only for the setter of a parameter in `glue.c`: the caller holds `param_lock`.
#[no_mangle]
unsafe extern "C" fn zswap_rs_prepare() -> c_int {
    // SAFETY: The caller guarantees that this task holds `param_lock`. This function creates no other witness.
    let mut lock = unsafe { ParamLock::held() };
    from_result(|| setup::prepare(&mut lock).map(|()| 0))
}

/// Sets the compressor, after boot.
///
/// # Safety
///
/// Only for the setter of a parameter in `glue.c`: the caller holds `param_lock`, and `name` is a string.
#[no_mangle]
unsafe extern "C" fn zswap_rs_set_compressor(name: *const c_char) -> c_int {
    // SAFETY: The caller guarantees that this task holds `param_lock`, and that `name` is a string. This function creates
    // no other witness.
    let (mut lock, name) = unsafe { (ParamLock::held(), CStr::from_char_ptr(name)) };
    from_result(|| setup::set_compressor(&mut lock, name).map(|()| 0))
}

/// The shrink worker. May sleep.
#[no_mangle]
extern "C" fn zswap_rs_shrink(_work: *mut bindings::work_struct) {
    shrink::shrink_worker();
}

/// Whether pages are stored.
///
/// # Safety
///
/// None. The function is `unsafe` only because its C prototype is.
#[export]
pub(crate) unsafe extern "C" fn zswap_is_enabled() -> bool {
    zswap_enabled.load(Relaxed)
}

/// Whether no pool has ever existed, because zswap was never enabled.
///
/// # Safety
///
/// None. The function is `unsafe` only because its C prototype is.
#[export]
pub(crate) unsafe extern "C" fn zswap_never_enabled() -> bool {
    never_enabled()
}

/// Whether a large folio may be swapped in as a whole: `zswap.large_swapin`.
///
/// # Safety
///
/// None. The function is `unsafe` only because its C prototype is.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn zswap_large_swapin_enabled() -> bool {
    zswap_large_swapin.load(Relaxed)
}

/// Stores a folio. If this returns false, the caller must write the folio to the device.
///
/// The zeromap bits of the folio's slots must be clear. Afterwards those of zero-filled pages may be set, whatever
/// this returns.
///
/// # Safety
///
/// Only for `swap_writeout()`: `folio` is locked and in the swap cache, and stays so. No lock of a cluster is
/// held.
#[export]
pub(crate) unsafe extern "C" fn zswap_store(folio: *mut bindings::folio) -> bool {
    let mut call = Call::new();
    // SAFETY: `swap_writeout()` is called with the folio locked, and unlocks it or submits it for writing only after
    // this returns. The folio is filled, as it is to be written. It stays in the swap cache, since removing it requires
    // its lock. `swap_writeout()` has cleared the zeromap bits of its slots (`swap_zeromap_folio_clear()`), does not
    // access these or the slots' entries meanwhile, and holds no spin lock. This function creates no other witness.
    let mut folio = unsafe { CachedFolio::from_raw(folio, &mut call) };
    let zeroes = zswap_core::store::store(&mut folio, store::make);
    store::report(&folio, &zeroes);
    zeroes.is_ok()
}

/// Loads a folio. Returns 0, with the folio uptodate and unlocked; `-ENOENT` if it isn't in zswap,
/// with the folio still locked; another error, with the folio unlocked but not uptodate.
///
/// # Safety
///
/// Only for `swap_read_folio()`: `folio` is locked, in the swap cache, and not uptodate.
#[export]
pub(crate) unsafe extern "C" fn zswap_load(folio: *mut bindings::folio) -> c_int {
    if never_enabled() {
        return ENOENT.to_errno();
    }
    // SAFETY: The callers of `swap_read_folio()`, which are `swap_cache_read_folio()` and `swapin_sync()`, or
    // `NewFolio::read()` in Rust, have just added the folio: it is new, locked, and in the swap cache. They hold a
    // reference until this has returned. `swap_read_folio()` hands over the lock, unless this returns `-ENOENT`. No other
    // task accesses the content of a folio that isn't uptodate, or, without the folio's lock, the entries of its slots.
    from_result(|| unsafe { zswap_core::load::load(folio, load::fill) }.map(|()| 0))
}

/// Whether a slot seems to have an entry. The result may be stale at once.
///
/// # Safety
///
/// The device of `entry` must not be swapped off during the call.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn zswap_seems_to_hold(entry: bindings::swp_entry_t) -> bool {
    // SAFETY: The caller guarantees that the device is not swapped off.
    !never_enabled() && unsafe { slots::count_filled(entry, 1, 0) } != 0
}

/// The number of slots that have an entry, of `nr` slots starting at `first`, all in one cluster. Slots whose bit in
/// `zeroes` is set (bit 0 for the first slot) are not counted: they are zero-marked.
///
/// # Safety
///
/// Only for the swap cache, which has locked the slots' cluster: the slots are in use, and have no folio.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn zswap_holds(
    first: bindings::swp_entry_t,
    nr: c_uint,
    zeroes: c_ulong,
) -> c_uint {
    if never_enabled() {
        return 0;
    }
    // SAFETY: A device with a slot in use is not swapped off.
    unsafe { slots::count_filled(first, nr as usize, zeroes) as c_uint }
}

/// Fills a large folio from the entries of its slots, which stay in their slots. Returns 0, with the folio uptodate and
/// clean; or an error, after which the caller must discard the folio. It is still locked in either case.
///
/// # Safety
///
/// Only for the swap cache, which has just added the folio, after [`zswap_holds`] has counted all slots that are not
/// zero-marked: `folio` is locked, in the swap cache, and not uptodate.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn zswap_fill(folio: *mut bindings::folio) -> c_int {
    // SAFETY: The caller guarantees that the folio is locked, in the swap cache, and not uptodate. It has just added
    // it: no other task accesses its contents. The caller holds a reference, and unlocks the folio only after this
    // returns.
    from_result(|| unsafe { zswap_core::whole::fill(folio, whole::fill) }.map(|()| 0))
}

/// Whether a slot of a large folio has an entry.
///
/// # Safety
///
/// As for [`zswap_folio_mapped`].
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn zswap_has_folio(folio: *mut bindings::folio) -> bool {
    if never_enabled() {
        return false;
    }
    let mut call = Call::new();
    // SAFETY: `do_swap_page()` has locked the folio, and verified that it is uptodate and in the swap cache. It does
    // not access the slots' entries meanwhile, and this function creates no other witness.
    let mut folio = unsafe { CachedFolio::from_raw(folio, &mut call) };
    Slots::of_folio(&mut folio).are_filled()
}

/// Marks a large folio dirty and frees the entries of its slots, if there are any; returns whether there were.
///
/// # Safety
///
/// Only for `do_swap_page()`, which maps the folio for the first time: `folio` is locked, uptodate, and in the swap
/// cache.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[export]
pub(crate) unsafe extern "C" fn zswap_folio_mapped(folio: *mut bindings::folio) -> bool {
    if never_enabled() {
        return false;
    }
    // SAFETY: `do_swap_page()` has locked the folio, and verified that it is uptodate and in the swap cache. It does
    // not access the slots' entries meanwhile. It holds the lock of the page table, but not that of the slots' cluster.
    unsafe { zswap_core::whole::take_over(folio) }
}

/// Frees the entries of `nr` slots starting at `swp`, all in one cluster, that are being freed.
///
/// # Safety
///
/// Only for `swap_range_free()`, which runs with the cluster locked, after the slots' swap-table entries were set to
/// NULL; and for the KUnit suite `zswap_time`, which has locked the cluster, and the folios that the slots still have.
#[export]
pub(crate) unsafe extern "C" fn zswap_invalidate_range(swp: bindings::swp_entry_t, nr: c_uint) {
    let call = Call::new();
    // SAFETY: `swap_range_free()` is called only by `__swap_cluster_free_entries()`, for slots of one cluster, with its
    // lock held and the slots' swap-table entries set to NULL just before. If the folios are locked instead (`zswap_time`),
    // no other task can access the slots. This function creates no other witness. The device is in use, since the slots
    // were allocated until now. So `zswap_swapon()` has succeeded, and with it `slots::attach()`, with the number of slots
    // of the device.
    let slots = unsafe { Slots::freed(swp, nr as usize, &call) };
    slots.clear(|entry| trace::invalidate(|| entry.swap()));
}

/// Frees the entry of a slot whose page is swapped out without zswap.
///
/// # Safety
///
/// The caller must hold the lock of the slot's folio, which must be in the swap cache, or be the only task that uses the
/// slot, and must have no other witness for it. The callers are tests, and `swap_zeromap_folio_set()` if it invalidates
/// slots of zero-filled pages.
#[export]
pub(crate) unsafe extern "C" fn zswap_invalidate(swp: bindings::swp_entry_t) {
    let call = Call::new();
    // SAFETY: The caller guarantees that no other task accesses the slot: it holds the lock of the slot's folio, or alone
    // uses the slot. It has no other witness. The device is in use, since the slot has a folio in the swap cache, or a
    // user. So `zswap_swapon()` has succeeded, and with it `slots::attach()`.
    let slots = unsafe { Slots::freed(swp, 1, &call) };
    slots.clear(|entry| trace::invalidate(|| entry.swap()));
}

/// Prepares zswap for the slots of a swap device.
///
/// # Safety
///
/// Only for `swapon()`, before the device can be used.
#[export]
pub(crate) unsafe extern "C" fn zswap_swapon(type_: c_int, nr_pages: c_ulong) -> c_int {
    // SAFETY: `swapon()` has exclusive access to the device's `swap_info_struct`, and publishes it later.
    let attached = unsafe { slots::attach(type_, nr_pages) };
    from_result(|| {
        attached
            .inspect_err(|_| pr_err!("alloc failed, zswap disabled for swap type {type_}\n"))
            .map(|()| 0)
    })
}

/// Frees what zswap holds for a swap device.
///
/// # Safety
///
/// Only for `swapoff()`, after it has waited for the last user of the device, and for `swapon()` on failure.
#[export]
pub(crate) unsafe extern "C" fn zswap_swapoff(type_: c_int) {
    // SAFETY: The caller is `swapoff()` or a `swapon()` that fails. `swapoff()` has freed all slots (`try_to_unuse()`),
    // killed the device's reference, and waited for its users and for RCU readers. `swapon()` hasn't published the
    // device, so no task uses it.
    unsafe { slots::detach(type_) };
}

/// Drops the references to a cgroup that goes offline.
///
/// # Safety
///
/// Only for `mem_cgroup_css_offline()`, with the cgroup that goes offline.
#[export]
pub(crate) unsafe extern "C" fn zswap_memcg_offline_cleanup(memcg: *mut bindings::mem_cgroup) {
    let call = Call::new();
    // SAFETY: The cgroup core holds a reference to the cgroup during its callback.
    if let Some(memcg) = unsafe { MemCgroup::from_raw_or_null(memcg, &call) } {
        shrink::memcg_offline(memcg);
    }
}

/// Initialises zswap's part of a `struct lruvec`.
///
/// # Safety
///
/// Only for `lruvec_init()`, with the `lruvec` that it initialises.
#[export]
pub(crate) unsafe extern "C" fn zswap_lruvec_state_init(lruvec: *mut bindings::lruvec) {
    // SAFETY: `lruvec_init()` has zeroed the `lruvec`, which its owner does not free during the call.
    unsafe { disk_swapins(lruvec) }.store(0, Relaxed);
}

/// Increments `nr_disk_swapins` for a folio that is read from the device.
///
/// # Safety
///
/// Only for `swap_read_folio()`: `folio` is locked and in the swap cache, or null.
#[export]
pub(crate) unsafe extern "C" fn zswap_folio_swapin(folio: *mut bindings::folio) {
    if folio.is_null() {
        return;
    }
    let mut call = Call::new();
    // SAFETY: `swap_read_folio()` holds the folio's lock, and the folio is in the swap cache: `zswap_load()` has just
    // handed it back. It isn't filled, and lends no page: only its cgroup's state is accessed.
    let folio = unsafe { CachedFolio::from_raw(folio, &mut call) };
    folio.count_disk_swapin();
}
