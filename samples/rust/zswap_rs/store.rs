// SPDX-License-Identifier: GPL-2.0-or-later

//! Storing a folio that is being swapped out:
//!
//! 1. [`make`] asks whether zswap is enabled, and keeps to the cgroup's limit.
//! 2. [`make_all`] keeps to the pool's limit, takes the current pool, prepares the LRU lists, and makes the entries of
//!    all pages, group by group. `Store::fill` puts them into their slots, charges them, and adds them to the LRU.
//! 3. If a step refuses, `store` of the core frees what is in the slots (`check_old` in C), and [`report`] queues the
//!    worker if zswap is full.

use super::{
    compress::{
        compress_each,
        Refused, //
    },
    runs::SkipIncompressible,
    shrink::shrink_memcg,
    state::{
        zswap,
        Zswap, //
    },
    stats,
    trace::{
        self,
        Outcome, //
    },
    zswap_core::{
        glue::{
            never_enabled,
            zswap_enabled,
            zswap_queue_shrink_work,
            zswap_skip_incompressible, //
        },
        lru,
        pool_table::POOLS,
        store::Store, //
    },
};
use kernel::{
    mm::{
        folio::CachedFolio,
        memcontrol::ObjCgroup,
        vmstat::Event, //
    },
    prelude::*,
    race_point,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// The maximum number of pages whose entries are allocated together, and for which the mutex of an
/// asynchronous compressor is held.
const TOGETHER: usize = 16;

/// Makes the entries of all pages of the folio, or refuses to.
///
/// May sleep. Not all callers of `swap_writeout()` are in reclaim (`PF_MEMALLOC`), as most are. Mirrors `zswap_store()`, up
/// to `check_old`.
pub(crate) fn make(store: &mut Store<'_, '_>) -> Result<(), Refused> {
    let zswap = zswap().filter(|_| zswap_enabled.load(Relaxed));
    let zswap = zswap.ok_or(Refused(Outcome::Disabled))?;
    let objcg = ObjCgroup::of_folio(store.folio());
    if let Some(objcg) = &objcg {
        // A cgroup at its limit writes back some of its own pages.
        if !objcg.may_zswap() && shrink_own(objcg).is_err() {
            return Err(Refused(Outcome::CgroupLimit));
        }
    }
    make_all(zswap, store, objcg.as_deref())
}

/// Makes the entries of all pages of the folio, charged to `objcg`. May enter reclaim.
///
/// Mirrors `zswap_store_page()` of each page.
#[inline(never)] // stack: its frame is not on the stack during shrink_own()
fn make_all(
    zswap: &'static Zswap,
    store: &mut Store<'_, '_>,
    objcg: Option<&ObjCgroup>,
) -> Result<(), Refused> {
    if zswap.check_limits() {
        return Err(Refused(Outcome::PoolLimit));
    }
    let pool = POOLS.current().ok_or_else(no_pool)?;
    let lists = lru::prepare(objcg, GFP_KERNEL).map_err(|_| Refused(Outcome::NoMemory))?;
    race_point!("store:after_prepare");

    let (nr, nid) = (store.folio().nr_pages(), store.folio().nid());
    // Storing a page uncompressed saves no memory: skip compression only if the cgroup allows writeback.
    let mut skip = SkipIncompressible::new(
        nr > 1
            && zswap_skip_incompressible.load(Relaxed)
            && store.folio().zswap_writeback_enabled(),
    );
    while let Some(nr) = store.next_group(TOGETHER) {
        // Allocate before taking the compressor's mutex: the allocation may enter reclaim, which may store another folio
        // and take this mutex.
        let memory = zswap
            .entry_cache
            .alloc_bulk(nr, GFP_KERNEL, nid)
            .map_err(|_| refused(&stats::zswap_reject_kmemcache_fail))?;
        store.fill(memory, lists, &zswap.leaves, |group| {
            compress_each(&pool, group.pages(), &mut skip, |object| group.push(object))
        })?;
    }

    stats::count(objcg, Event::ZSWPOUT, store.entries());
    if store.zeroes() != 0 {
        stats::count(objcg, Event::SWPOUT_ZERO, store.zeroes()); // as in C
    }
    Ok(())
}

/// Reports the outcome of a store: the number of zero-filled pages, or the refusal. Queues the worker if zswap is full
/// and has refused the folio, after the folio's older entries were freed; C before.
pub(crate) fn report(folio: &CachedFolio<'_>, zeroes: &Result<usize, Refused>) {
    trace::store(|| {
        let (zeroes, outcome) = match zeroes {
            Ok(zeroes) => (*zeroes, Outcome::Stored),
            Err(Refused(why)) => (folio.zero_marks(), *why),
        };
        (folio.swap(), folio.nr_pages(), zeroes, outcome)
    });
    // Not while zswap is disabled: no store clears `reached_full` then.
    let refused = matches!(zeroes, Err(Refused(why)) if *why != Outcome::Disabled);
    if refused && zswap().is_some_and(Zswap::reached_full) {
        zswap_queue_shrink_work();
    }
}

/// Writes back some pages of the cgroup that `objcg` refers to.
#[cold] // stack: keeps the walk's locals out of zswap_store()'s frame
fn shrink_own(objcg: &ObjCgroup) -> Result {
    shrink_memcg(objcg.memcg().as_deref())
}

impl From<Error> for Refused {
    /// Counts a failure of the core as a failed allocation, which it is unless a check failed, as that warns.
    fn from(error: Error) -> Self {
        kernel::warn_on_once!(error != ENOMEM);
        refused(&stats::zswap_reject_alloc_fail)
    }
}

/// Refuses a folio since there is no pool, which should mean that none was ever created.
///
/// Mirrors the warning of `__zswap_pool_current()`.
fn no_pool() -> Refused {
    kernel::warn_on_once!(!never_enabled());
    Refused(Outcome::NoPool)
}

/// Increments the counter of a failed allocation.
fn refused(counter: &'static Atomic<u64>) -> Refused {
    stats::inc(counter);
    Refused(Outcome::NoMemory)
}
