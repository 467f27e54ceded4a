// SPDX-License-Identifier: GPL-2.0-or-later

//! Storing a folio that is being swapped out:
//!
//! 1. [`store`] asks whether zswap is enabled.
//! 2. [`store_pages`] keeps to the cgroup's limit.
//! 3. [`make_all`], which `store_batch::store` calls, keeps to the pool's limit, takes the current pool, prepares the
//!    LRU lists, and makes the entries and objects of all pages.
//! 4. `StoreBatch::publish` charges them, puts them into their slots, and adds them to the LRU.
//! 5. [`store_all`] counts events.
//! 6. If a step refuses, dropping the batch frees what was not published. Then [`clear`] frees what is in the slots
//!    (`check_old` in C).

use super::{
    compress::{
        compress_each,
        compress_one,
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
            zswap_enabled,
            zswap_queue_shrink_work,
            zswap_skip_incompressible, //
        },
        index,
        lru::{
            self,
            Prepared, //
        },
        page_mask::PageMask,
        pool_list::PoolRef,
        slots::{
            Cleared,
            Slots, //
        },
        store_batch::{
            self,
            Published,
            StoreBatch, //
        },
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

/// The outcome of storing a folio.
///
/// `Ok`: each of its slots has an entry, or its zeromap bit is set. The folio need not be written to the device.
/// `Err`: none of its slots has an entry, not even a stale one, whose writeback could overwrite newer data on the
/// device. The folio must be written to the device.
pub(crate) type Store<'f> = Result<Published<'f>, Cleared<'f>>;

/// Stores `folio`, or refuses to. The folio stays locked.
///
/// Runs in reclaim (`PF_MEMALLOC`), in a task that may sleep. Mirrors `zswap_store()`.
pub(crate) fn store<'f>(folio: &'f mut CachedFolio<'f>) -> Store<'f> {
    match zswap().filter(|_| zswap_enabled.load(Relaxed)) {
        Some(zswap) => store_pages(zswap, folio),
        None => refuse(None, folio, Refused(Outcome::Disabled)),
    }
}

/// Refuses to store `folio`, before any of its slots was filled.
#[inline(never)] // stack: keeps its locals out of zswap_store()'s frame
fn refuse<'f>(
    zswap: Option<&'static Zswap>,
    folio: &'f mut CachedFolio<'f>,
    why: Refused,
) -> Store<'f> {
    clear(zswap, Slots::new(folio), why)
}

/// Refuses to store the folio, some of whose slots may have been filled, and frees the entries of all its slots.
/// Entries of an earlier store are stale: their writeback could overwrite newer data on the device.
fn clear<'f>(
    zswap: Option<&'static Zswap>,
    slots: Slots<'f, 'f>,
    Refused(why): Refused,
) -> Store<'f> {
    let folio = slots.folio();
    trace::store(|| (folio.swap(), folio.nr_pages(), folio.zero_marks(), why));
    if zswap.is_some_and(Zswap::reached_full) {
        zswap_queue_shrink_work();
    }
    race_point!("store:before_clear");
    Err(slots.clear())
}

/// Shrinks the cgroup of `folio` if it is at its limit, and stores all pages of `folio`.
///
/// Mirrors `zswap_store()`, after the check that zswap is enabled.
fn store_pages<'f>(zswap: &'static Zswap, folio: &'f mut CachedFolio<'f>) -> Store<'f> {
    let objcg = ObjCgroup::of_folio(folio);
    if let Some(objcg) = &objcg {
        // A cgroup at its limit writes back some of its own pages.
        if !objcg.may_zswap() && shrink_own(objcg).is_err() {
            return refuse(Some(zswap), folio, Refused(Outcome::CgroupLimit));
        }
    }
    store_all(zswap, folio, objcg.as_deref())
}

/// Stores all pages of `folio`, charged to `objcg`.
#[inline(never)] // stack: its frame is not on the stack during shrink_own()
fn store_all<'f>(
    zswap: &'static Zswap,
    folio: &'f mut CachedFolio<'f>,
    objcg: Option<&ObjCgroup>,
) -> Store<'f> {
    let make = |batch: &mut StoreBatch<'f>| make_all(zswap, batch, objcg);
    match store_batch::store(folio, zswap.leaves(), make, not_published) {
        Ok((stored, published)) => {
            let folio = published.folio();
            let zeroes = folio.nr_pages().wrapping_sub(stored);
            stats::count(objcg, Event::ZSWPOUT, stored);
            if zeroes != 0 {
                count_zeroes(objcg, zeroes);
            }
            trace::store(|| (folio.swap(), folio.nr_pages(), zeroes, Outcome::Stored));
            Ok(published)
        }
        Err((unpublished, why)) => clear(Some(zswap), unpublished.slots(), why),
    }
}

/// Creates the entries of all pages of the folio, to be charged to `objcg`. Returns the proof that they can be put on
/// their LRU lists.
fn make_all<'a>(
    zswap: &'static Zswap,
    batch: &mut StoreBatch<'_>,
    objcg: Option<&'a ObjCgroup>,
) -> Result<Prepared<'a>, Refused> {
    if zswap.check_limits() {
        return Err(Refused(Outcome::PoolLimit));
    }
    let pool = zswap.pools().current().ok_or_else(no_pool)?;
    let lists = lru::prepare(objcg, GFP_KERNEL).map_err(|_| Refused(Outcome::NoMemory))?;
    race_point!("store:after_prepare");

    let nr = batch.slots().len();
    if nr == 1 {
        make_entry(zswap, &pool, batch)?;
        return Ok(lists);
    }
    // Storing a page uncompressed saves no memory: skip compression only if the cgroup allows writeback.
    let folio = batch.slots().folio();
    let mut skip = SkipIncompressible::new(
        zswap_skip_incompressible.load(Relaxed) && folio.zswap_writeback_enabled(),
    );
    let mut first = 0;
    while first < nr {
        let last = first.saturating_add(TOGETHER).min(nr);
        // A zero-filled page gets no entry, but its zeromap bit is set. (C sets it only if the whole folio is
        // zero-filled.)
        let others = batch.mark_zeroes(first..last);
        if others.len() != 0 {
            make_entries(zswap, &pool, batch, others, &mut skip)?;
        }
        first = last;
    }
    Ok(lists)
}

/// Writes back some pages of the cgroup that `objcg` refers to.
#[cold] // stack: keeps the walk's locals out of zswap_store()'s frame
fn shrink_own(objcg: &ObjCgroup) -> Result {
    shrink_memcg(objcg.memcg().as_deref())
}

/// Counts pages whose zeromap bits were set, as in C.
fn count_zeroes(objcg: Option<&ObjCgroup>, nr: usize) {
    stats::count(objcg, Event::SWPOUT_ZERO, nr);
}

/// Counts a failed publication as a failed allocation, which it is unless a check failed, as that warns.
fn not_published(error: Error) -> Refused {
    kernel::warn_on_once!(error != ENOMEM);
    refused(&stats::zswap_reject_alloc_fail)
}

/// Creates the entry of a folio of one page, which is not zero-filled: C has checked that. May sleep, and may enter
/// reclaim.
///
/// Mirrors `zswap_store_page()`, up to the publication of the entry.
#[inline(never)] // stack: keeps its locals out of store_all()'s frame
fn make_entry(
    zswap: &'static Zswap,
    pool: &PoolRef,
    batch: &mut StoreBatch<'_>,
) -> Result<(), Refused> {
    let (slot, folio) = (batch.slots().first_page(), batch.slots().folio());
    // Allocate before taking the compressor's mutex: the allocation may enter reclaim, which may store another folio
    // and take this mutex.
    let memory = zswap
        .entry_cache()
        .alloc(GFP_KERNEL, folio.nid())
        .map_err(|_| refused(&stats::zswap_reject_kmemcache_fail))?;
    batch.push(memory, compress_one(pool, slot, folio)?);
    Ok(())
}

/// Creates the entries of these pages of a large folio. May sleep, and may enter reclaim.
///
/// Mirrors `zswap_store_page()` of each page, up to the publication of the entry.
#[inline(never)] // stack: keeps its locals out of store_all()'s frame
fn make_entries(
    zswap: &'static Zswap,
    pool: &PoolRef,
    batch: &mut StoreBatch<'_>,
    pages: PageMask,
    skip: &mut SkipIncompressible,
) -> Result<(), Refused> {
    // Allocate before taking the compressor's mutex: the allocation may enter reclaim, which may store another folio
    // and take this mutex.
    let nid = batch.slots().folio().nid();
    let mut memory = zswap
        .entry_cache()
        .alloc_bulk(pages.len(), GFP_KERNEL, nid)
        .map_err(|_| refused(&stats::zswap_reject_kmemcache_fail))?;

    compress_each(pool, batch.slots().pages(pages), skip, |object| {
        // Never `None`: memory for all pages was allocated above.
        if let Some(memory) = memory.pop() {
            batch.push(memory, object);
        }
    })
}

/// Refuses a folio since there is no pool, which should mean that none was ever created.
///
/// Mirrors the warning of `__zswap_pool_current()`.
fn no_pool() -> Refused {
    kernel::warn_on_once!(!index::never_opened());
    Refused(Outcome::NoPool)
}

/// Increments the counter of a failed allocation.
fn refused(counter: &'static Atomic<u64>) -> Refused {
    stats::inc(counter);
    Refused(Outcome::NoMemory)
}
