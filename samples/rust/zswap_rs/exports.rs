// SPDX-License-Identifier: GPL-2.0-or-later

//! What C sees: the functions of `include/linux/zswap.h`.
//!
//! Each turns what its C callers promise into witnesses, and asks the policy. This is the only file
//! here with `unsafe` in it.

use super::{
    device, load, setup, shrink,
    state::zswap,
    store, tunables,
    zswap_core::{
        index,
        load_states::{
            Load,
            UnreadFolio, //
        },
        slots::{
            Cleared,
            FreedSlots, //
        },
        store_batch::Published,
        trees::{
            Attached,
            DeadDevice, //
        },
    },
};
use kernel::{
    bindings,
    mm::{
        call::Call,
        folio::CachedFolio,
        memcontrol::{
            LruVec,
            MemCgroup, //
        },
    },
    prelude::*,
    sync::{
        atomic::Relaxed,
        rcu, //
    },
};

/// Called late at boot, once.
#[no_mangle]
extern "C" fn zswap_rs_init() -> c_int {
    match setup::init() {
        Ok(()) => 0,
        Err(error) => error.to_errno(),
    }
}

/// Pages of memory that zswap takes.
///
/// # Safety
///
/// None: it is C's prototype that makes this `unsafe`.
#[export]
pub(crate) unsafe extern "C" fn zswap_total_pages() -> c_ulong {
    zswap().map_or(0, |zswap| zswap.total_pages())
}

/// The worker's queue, or null before zswap is set up. For tests that wait for the worker.
#[cfg(CONFIG_ZSWAP_TWINS_KUNIT_TEST)]
#[no_mangle]
extern "C" fn zswap_shrink_queue() -> *mut bindings::workqueue_struct {
    shrink::queue().map_or(core::ptr::null_mut(), |queue| queue.as_ptr())
}

/// Whether pages are stored.
///
/// # Safety
///
/// None: it is C's prototype that makes this `unsafe`.
#[export]
pub(crate) unsafe extern "C" fn zswap_is_enabled() -> bool {
    tunables::ENABLED.is_on()
}

/// Whether nothing was ever stored, nor could be: until there is a pool. Costs a no-op as long as that is true.
///
/// The key belongs to the index of slots, which is empty before it is enabled.
#[inline]
fn never_enabled() -> bool {
    // `DEFINE_STATIC_KEY_MAYBE()` defines a key that is on by default then.
    !cfg!(CONFIG_ZSWAP_DEFAULT_ON) && index::never_opened()
}

/// Whether there has never been a pool: until zswap is enabled for the first time.
///
/// # Safety
///
/// None: it is C's prototype that makes this `unsafe`.
#[export]
pub(crate) unsafe extern "C" fn zswap_never_enabled() -> bool {
    never_enabled()
}

/// Whether all pages of the folio are stored, which the policy has to prove, as well as that none is.
fn is_stored<'f>(folio: &'f mut CachedFolio<'f>) -> bool {
    let stored: Result<Published<'f>, Cleared<'f>> = store::store(folio);
    stored.is_ok()
}

/// Stores a folio; if it says no, the folio has to be written to the device.
///
/// No slot of the folio may have the zero mark. Those whose page is all zeroes may have it afterwards, whatever
/// this returns.
///
/// # Safety
///
/// Only for `swap_writeout()`: `folio` is locked and in the swap cache, and stays so. No lock of a cluster is
/// held.
#[export]
pub(crate) unsafe extern "C" fn zswap_store(folio: *mut bindings::folio) -> bool {
    let mut call = Call::new();
    // SAFETY: `swap_writeout()` has the folio locked, from its caller until it unlocks it or
    // submits it to be written, after this returns, and filled, as it is to be written. To take it out
    // of the swap cache meanwhile would take the lock. It leaves the slots' zswap data and marks to us, which
    // `swap_zeromap_folio_clear()` has removed, and holds no spin lock.
    // The call has no other witness of a folio.
    let mut folio = unsafe { CachedFolio::from_raw(folio, &mut call) };
    is_stored(&mut folio)
}

/// Loads a folio. Returns 0, with the folio uptodate and unlocked; `-ENOENT` if it isn't in zswap,
/// with the folio still locked; another error, with the folio unlocked but not uptodate.
///
/// # Safety
///
/// Only for `swap_read_folio()`: `folio` is locked, in the swap cache and not uptodate.
#[export]
pub(crate) unsafe extern "C" fn zswap_load(folio: *mut bindings::folio) -> c_int {
    // Not asked of the policy: of a folio that it hasn't looked up it can't say that it isn't stored.
    if never_enabled() {
        return ENOENT.to_errno();
    }
    let mut call = Call::new();
    // SAFETY: Both callers of `swap_read_folio()`, `swap_cache_read_folio()` and `swapin_sync()`,
    // or `NewFolio::read()` in Rust, have just added the folio: new, locked, and in the swap cache.
    // It leaves the lock to us, unless we say `-ENOENT`; nobody looks at the content of a folio
    // that isn't uptodate. They have a reference until after we have returned.
    let folio = unsafe { UnreadFolio::from_raw(folio, &mut call) };
    let loaded = load::load(folio);
    match loaded {
        Load::Loaded(_) => 0,
        Load::NotStored(folio) => {
            folio.into_c_locked();
            ENOENT.to_errno()
        }
        Load::Failed(error, _) => error.to_errno(),
    }
}

/// Frees the entries of `nr` slots from `swp` on, of one cluster, that are being freed.
///
/// # Safety
///
/// Only for `swap_range_free()`, which runs with the cluster locked, after the slots' entries in the swap
/// table were cleared; and for the suite `zswap_time`, which has locked the cluster, and the folios that the
/// slots still have.
#[export]
pub(crate) unsafe extern "C" fn zswap_invalidate_range(swp: bindings::swp_entry_t, nr: c_uint) {
    let call = Call::new();
    // SAFETY: `swap_range_free()` is called by `__swap_cluster_free_entries()` only, for slots of one
    // cluster, with its lock held and the slots' table entries set to NULL just before; where the folios
    // are locked instead, their locks keep others from the slots. The device is in use: it has an
    // allocated slot until now, and `swapon()` has failed if `zswap_swapon()` did,
    // which has succeeded only if `DeadDevice::attach()` did, with as many slots as it has.
    device::invalidate(unsafe { FreedSlots::from_raw(swp, nr as usize, &call) });
}

/// Frees the entry of a slot whose page is about to be swapped out another way.
///
/// # Safety
///
/// For callers that have locked the slot's folio, which is in the swap cache:
/// `swap_zeromap_folio_set()`, where patches/zero calls it, and tests.
#[export]
pub(crate) unsafe extern "C" fn zswap_invalidate(swp: bindings::swp_entry_t) {
    let call = Call::new();
    // SAFETY: The slot isn't free, but the folio's lock makes it the caller's, which has no other witness
    // for it in use. The device is in use, since a folio is in the swap cache for the slot; so `zswap_swapon()`
    // has succeeded for it, and with it `DeadDevice::attach()`.
    device::invalidate(unsafe { FreedSlots::from_raw(swp, 1, &call) });
}

/// Gets ready for a swap device's slots.
///
/// # Safety
///
/// Only for `swapon()`, before the device can be used.
#[export]
pub(crate) unsafe extern "C" fn zswap_swapon(type_: c_int, nr_pages: c_ulong) -> c_int {
    let mut call = Call::new();
    // SAFETY: `swapon()` has the device's `swap_info_struct` to itself, and publishes it later.
    let device = unsafe { DeadDevice::from_raw(type_, nr_pages, &mut call) };
    // The proof is for exactly this device, as the call has no other.
    match device.and_then(device::swapon) {
        Ok(Attached { .. }) => 0,
        Err(error) => {
            pr_err!("alloc failed, zswap disabled for swap type {type_}\n");
            error.to_errno()
        }
    }
}

/// Forgets a swap device.
///
/// # Safety
///
/// Only for `swapoff()`, after the last user of the device is gone, and for `swapon()` that fails.
#[export]
pub(crate) unsafe extern "C" fn zswap_swapoff(type_: c_int) {
    let mut call = Call::new();
    // SAFETY: `swapoff()` has freed all slots (`try_to_unuse()`), killed the device's reference and
    // waited for its users and for RCU readers. `swapon()` hasn't published the device.
    if let Ok(device) = unsafe { DeadDevice::from_raw(type_, 0, &mut call) } {
        device::swapoff(device);
    }
}

/// A cgroup goes offline.
///
/// # Safety
///
/// Only for `mem_cgroup_css_offline()`, with the group that it is called for.
#[export]
pub(crate) unsafe extern "C" fn zswap_memcg_offline_cleanup(memcg: *mut bindings::mem_cgroup) {
    let call = Call::new();
    // SAFETY: The cgroup core has a reference to the group whose callback this is.
    if let Some(memcg) = unsafe { MemCgroup::from_raw_or_null(memcg, &call) } {
        shrink::memcg_offline(memcg);
    }
}

/// Initialises zswap's part of a `struct lruvec`.
///
/// # Safety
///
/// Only for `lruvec_init()`, with the `lruvec` that it is called for.
#[export]
pub(crate) unsafe extern "C" fn zswap_lruvec_state_init(lruvec: *mut bindings::lruvec) {
    let call = Call::new();
    // SAFETY: `lruvec_init()` has zeroed the `lruvec`, whose owner keeps it during the call.
    let lruvec = unsafe { LruVec::from_c(lruvec, &call) };
    lruvec.nr_disk_swapins().store(0, Relaxed);
}

/// Takes note that a folio comes from the device.
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
    // SAFETY: `swap_read_folio()` still has the folio locked, in the swap cache: `zswap_load()` has
    // just handed it back. It isn't filled, and is only asked for its cgroup's state.
    let folio = unsafe { CachedFolio::from_raw(folio, &mut call) };
    let rcu = rcu::read_lock();
    LruVec::of_folio(&folio, &rcu)
        .nr_disk_swapins()
        .fetch_add(1, Relaxed);
}
