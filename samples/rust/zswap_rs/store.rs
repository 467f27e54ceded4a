// SPDX-License-Identifier: GPL-2.0-or-later

//! Storing a folio that is on its way to the swap device.

use super::{
    compress::{
        compress_each,
        Refused, //
    },
    entry::{
        Entry,
        Freeing,
        Making, //
    },
    pool::Pool,
    runs::Runs,
    shrink::{
        queue_work,
        shrink_memcg, //
    },
    state::{
        zswap,
        Zswap, //
    },
    stats,
    tunables::{
        ENABLED,
        SKIP_INCOMPRESSIBLE, //
    },
};
use kernel::{
    mm::{
        folio::CachedFolio,
        list_lru::{
            Batch,
            ListLru,
            Prepared, //
        },
        memalloc,
        memcontrol::ObjCgroup,
        swap_slots::{
            Cleared,
            Indices,
            Slots, //
        },
        trace::{
            self,
            Outcome, //
        },
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point,
    sync::{
        atomic::Atomic,
        generations::Ref, //
    },
};

/// Pages that are compressed one after the other, at most, before a load on the same CPU can have the
/// compressor. As many entries, at most, are allocated at a time.
const TOGETHER: usize = 16;

/// What came of storing a folio.
pub(crate) enum Store<'f> {
    /// All its pages are in zswap, or their slots are marked as those of zeroes: nothing need be written
    /// to the device.
    Stored,
    /// None of its pages is in zswap, nor anything older for its slots, which would be written
    /// over newer data on the device some day. The folio has to go to the device.
    Refused(Cleared<'f, Entry>),
}

/// Stores `folio`, or refuses to. The folio stays locked.
///
/// Runs in reclaim (`PF_MEMALLOC`), in a task that may sleep. Mirrors `zswap_store()`.
pub(crate) fn store<'f>(folio: &'f mut CachedFolio<'f>) -> Store<'f> {
    let zswap = if ENABLED.is_on() { zswap() } else { None };
    let outcome = zswap.map_or(Outcome::Disabled, |zswap| store_pages(zswap, folio));
    trace::store(|| (folio.swap(), folio.nr_pages(), outcome));
    if outcome == Outcome::Stored {
        return Store::Stored;
    }
    if zswap.is_some_and(Zswap::reached_full) {
        queue_work();
    }
    race_point!("store:before_clear");
    // Stale entries of an earlier store may be left: writeback could overwrite newer data with them.
    Store::Refused(clear(folio))
}

/// Drops what is kept for the folio's slots.
///
/// Apart: its loop would have [`store`] save registers that it doesn't need to store.
#[inline(never)]
fn clear<'f>(folio: &'f mut CachedFolio<'f>) -> Cleared<'f, Entry> {
    Freeing::together(|freeing| {
        folio
            .slots::<Entry>()
            .clear_listed(|entry| freeing.free(entry))
    })
}

/// Makes room in the folio's cgroup if need be, and stores all pages of `folio`. If it fails, some may
/// be stored.
///
/// Mirrors `zswap_store()`, from where it has seen that zswap is enabled to where it cleans up.
#[inline]
fn store_pages(zswap: &'static Zswap, folio: &mut CachedFolio<'_>) -> Outcome {
    let objcg = ObjCgroup::of_folio(folio);
    if let Some(objcg) = &objcg {
        // A cgroup at its limit makes room itself, by a few of its own pages.
        if !objcg.may_zswap() && shrink_own(objcg).is_err() {
            return Outcome::CgroupLimit;
        }
    }
    match store_all(zswap, folio, objcg.as_deref()) {
        Ok(()) => Outcome::Stored,
        Err(Refused(why)) => why,
    }
}

/// Stores all pages of `folio`, charged to `objcg`. If it fails, some may be stored.
///
/// Apart, so that its frame isn't there while the cgroup makes room, which goes deepest.
#[inline(never)]
fn store_all(
    zswap: &'static Zswap,
    folio: &mut CachedFolio<'_>,
    objcg: Option<&ObjCgroup>,
) -> Result<(), Refused> {
    if zswap.check_limits() {
        return Err(Refused(Outcome::PoolLimit));
    }
    let pool = zswap.pools().current().ok_or(Refused(Outcome::NoPool))?;
    let lists = ListLru::prepare(objcg, GFP_KERNEL).map_err(|_| Refused(Outcome::NoMemory))?;
    race_point!("store:after_prepare");

    let mut slots = folio.slots::<Entry>();
    let mut entries = Batch::new();
    // A page that isn't compressed costs its memory: that is for those who can write it back.
    let skips =
        slots.len() > 1 && SKIP_INCOMPRESSIBLE.is_on() && slots.folio().zswap_writeback_enabled();
    let mut runs = Runs::new(skips);
    // Each turn comes to a later page, or fails.
    while entries.len() < slots.len() {
        make_entries(zswap, &pool, &mut slots, &mut runs, &mut entries)?;
    }
    publish(zswap, &lists, &mut slots, &mut entries)
}

/// Writes back some pages of the cgroup that `objcg` stands for. Apart for its stack.
#[cold]
fn shrink_own(objcg: &ObjCgroup) -> Result {
    shrink_memcg(objcg.memcg().as_deref())
}

/// Nothing was refused: charges the entries of a folio, puts them where others find them, and counts them.
///
/// Apart for its stack.
#[inline(never)]
fn publish(
    zswap: &'static Zswap,
    lists: &Prepared<'_, Entry>,
    slots: &mut Slots<'_, '_, Entry>,
    entries: &mut Batch<Entry>,
) -> Result<(), Refused> {
    // The charge is forced, as in reclaim, which is such a scope already; not all who store are in it.
    let entries = memalloc::scope(move |scope| entries.charge(lists, scope));
    let stored = slots
        .publish(entries, zswap.leaves(), GFP_KERNEL)
        .map_err(not_published)?;
    count(lists.objcg(), Event::ZSWPOUT, stored);
    let zeroes = slots.len().wrapping_sub(stored);
    if zeroes != 0 {
        count_zeroes(lists.objcg(), zeroes);
    }
    Ok(())
}

/// Counts pages whose slots are marked, as C does. Apart: most folios have none.
#[cold]
#[inline(never)]
fn count_zeroes(objcg: Option<&ObjCgroup>, nr: usize) {
    count(objcg, Event::SWPOUT_ZERO, nr);
}

/// Counts an event of `nr` pages, for the cgroup and for all.
#[inline]
fn count(objcg: Option<&ObjCgroup>, event: Event, nr: usize) {
    if let Some(objcg) = objcg {
        objcg.count(event, nr);
    }
    vmstat::count(event, nr);
}

/// Counts that there was no memory to keep entries.
#[cold]
#[inline(never)]
fn not_published(error: Error) -> Refused {
    kernel::warn_on_once!(error != ENOMEM);
    refused(&stats::zswap_reject_alloc_fail)
}

/// Makes entries of the next pages of a folio, up to [`TOGETHER`]. May sleep, and reclaim.
///
/// A page of a large folio that is all zeroes becomes no entry: its slot is marked. (C has seen before that
/// a folio of one page isn't, but marks a large one only if all its pages are.)
///
/// Apart for its stack. Mirrors `zswap_store_page()` of each, up to where C publishes the entry.
#[inline(never)]
fn make_entries(
    zswap: &'static Zswap,
    pool: &Ref<Pool>,
    slots: &mut Slots<'_, '_, Entry>,
    runs: &mut Runs,
    entries: &mut Batch<Entry>,
) -> Result<(), Refused> {
    let first = entries.len();
    let Some((_, page)) = slots.get(first) else {
        return Ok(());
    };
    let last = first.saturating_add(TOGETHER).min(slots.len());
    let others = if slots.len() > 1 {
        slots.mark_zeroes(first..last)
    } else {
        Indices::new(first..last)
    };
    if others.len() != 0 {
        // Before the compressor's mutex is taken: this may reclaim, and so come to compress.
        let mut vacant = zswap
            .entry_cache()
            .alloc_many(others.len(), GFP_KERNEL, page.nid())
            .map_err(|_| refused(&stats::zswap_reject_kmemcache_fail))?;

        let mut making = Making::new();
        compress_each(pool, slots, others, runs, |index, object| {
            // There is memory for each.
            if let Some(vacant) = vacant.pop() {
                entries.skip_to(index);
                entries.push(vacant.write(making.entry(object)));
            }
        })?;
    }
    entries.skip_to(last);
    Ok(())
}

/// Counts why a page is refused, for which there was no memory.
#[cold]
#[inline(never)]
fn refused(counter: &'static Atomic<u64>) -> Refused {
    stats::inc(counter);
    Refused(Outcome::NoMemory)
}
