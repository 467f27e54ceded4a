// SPDX-License-Identifier: GPL-2.0-or-later

//! Storing a folio that is on its way to the swap device.

use super::{
    compress::{
        compress,
        compress_each,
        Object,
        Refused, //
    },
    entry::Entry,
    pool::Pool,
    shrink::{
        queue_work,
        shrink_memcg, //
    },
    state::{
        zswap,
        Zswap, //
    },
    stats,
    tunables::ENABLED, //
};
use kernel::{
    crypto::acompress::DEPTH,
    mm::{
        folio::{
            CachedFolio,
            FolioPage, //
        },
        list_lru::{
            ListLru,
            Prepared, //
        },
        memalloc,
        memcontrol::ObjCgroup,
        swap_slots::{
            Cleared,
            Slots, //
        },
        swapops::SwapEntry,
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
    slab::Vacant,
    sync::{
        aref::ARef,
        atomic::Atomic,
        generations::Ref, //
    },
};

/// What came of storing a folio.
pub(crate) enum Store<'f> {
    /// All its pages are in zswap: nothing need be written to the device.
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
    folio.slots::<Entry>().clear()
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
    if slots.len() > 1 && pool.contexts().is_async() {
        for first in (0..slots.len()).step_by(DEPTH) {
            store_together(zswap, &pool, &lists, &mut slots, first)?;
        }
    } else {
        for index in 0..slots.len() {
            store_page(zswap, &pool, &lists, &mut slots, index)?;
        }
    }

    if let Some(objcg) = objcg {
        objcg.count(Event::ZSWPOUT, slots.len());
    }
    vmstat::count(Event::ZSWPOUT, slots.len());
    Ok(())
}

/// Writes back some pages of the cgroup that `objcg` stands for. Apart for its stack.
#[cold]
fn shrink_own(objcg: &ObjCgroup) -> Result {
    shrink_memcg(objcg.memcg().as_deref())
}

/// Stores one page of a folio.
///
/// Mirrors `zswap_store_page()`, but for what C does after publication: [`Entry::new`] has done it.
fn store_page(
    zswap: &'static Zswap,
    pool: &Ref<Pool>,
    lists: &Prepared<'_, Entry>,
    slots: &mut Slots<'_, '_, Entry>,
    index: usize,
) -> Result<(), Refused> {
    let (swap, page) = slots.get(index).ok_or(Refused(Outcome::NoMemory))?;
    let vacant = alloc(zswap, page)?;
    let folio = slots.folio();
    let object = compress(pool, page, || folio.zswap_writeback_enabled())?;
    publish(lists, slots, (index, swap), vacant, object)
}

/// Stores up to [`DEPTH`] pages of a folio, from `first` on, whose compressor works on all of them at
/// once.
///
/// Each becomes what it does in [`store_page`], and if one is refused, those before it are stored or
/// will be missed by nobody: the folio's slots are cleared. C has no counterpart.
///
/// Apart for its stack.
#[inline(never)]
fn store_together(
    zswap: &'static Zswap,
    pool: &Ref<Pool>,
    lists: &Prepared<'_, Entry>,
    slots: &mut Slots<'_, '_, Entry>,
    first: usize,
) -> Result<(), Refused> {
    // Before the compressor's mutex is taken: this may reclaim, and so come to compress.
    let mut vacant = [const { None }; DEPTH];
    for (vacant, index) in vacant.iter_mut().zip(first..slots.len()) {
        if let Some((_, page)) = slots.get(index) {
            *vacant = Some(alloc(zswap, page)?);
        }
    }
    let mut objects = [const { None }; DEPTH];
    compress_together(pool, slots, first, &mut objects)?;
    let indices = first..slots.len();
    for (index, (vacant, object)) in indices.zip(vacant.iter_mut().zip(&mut objects)) {
        // As nothing was refused, each page has both. Without them it mustn't count as stored.
        let (Some(vacant), Some(object)) = (vacant.take(), object.take()) else {
            return Err(Refused(Outcome::NoMemory));
        };
        publish_one(lists, slots, index, vacant, object)?;
    }
    Ok(())
}

/// Makes `objects` of up to [`DEPTH`] pages of a folio, from `first` on. Apart for its stack.
#[inline(never)]
fn compress_together(
    pool: &Ref<Pool>,
    slots: &mut Slots<'_, '_, Entry>,
    first: usize,
    objects: &mut [Option<Object>; DEPTH],
) -> Result<(), Refused> {
    let mut free = objects.iter_mut();
    let pages = (first..slots.len()).map_while(|index| Some(slots.get(index)?.1));
    let folio = slots.folio();
    compress_each(
        pool,
        pages.take(DEPTH),
        || folio.zswap_writeback_enabled(),
        |object| {
            if let Some(free) = free.next() {
                *free = Some(object);
            }
        },
    )
}

/// As [`publish`]. Apart for its stack.
#[inline(never)]
fn publish_one(
    lists: &Prepared<'_, Entry>,
    slots: &mut Slots<'_, '_, Entry>,
    index: usize,
    vacant: Vacant<Entry>,
    object: Object,
) -> Result<(), Refused> {
    let (swap, _) = slots.get(index).ok_or(Refused(Outcome::NoMemory))?;
    publish(lists, slots, (index, swap), vacant, object)
}

/// Memory for the entry of `page`. May sleep, and reclaim.
#[inline]
fn alloc(zswap: &'static Zswap, page: FolioPage<'_>) -> Result<Vacant<Entry>, Refused> {
    zswap
        .entry_cache()
        .alloc(GFP_KERNEL, page.nid())
        .map_err(|_| refused(&stats::zswap_reject_kmemcache_fail))
}

/// Makes an entry of `object` for slot `index`, which is `swap`, in place of an older one. May sleep.
#[inline(always)] // in what stores page by page
fn publish(
    lists: &Prepared<'_, Entry>,
    slots: &mut Slots<'_, '_, Entry>,
    (index, swap): (usize, SwapEntry),
    vacant: Vacant<Entry>,
    object: Object,
) -> Result<(), Refused> {
    let objcg = lists.objcg().map(ARef::from);
    // The charge is forced, as in reclaim, which is such a scope already; not all who store are in it.
    let entry = memalloc::scope(|scope| vacant.write(Entry::new(swap, object, objcg, scope)));
    let (entry, old) = slots.replace(index, entry, GFP_KERNEL).map_err(|failed| {
        kernel::warn_on_once!(failed.error != ENOMEM);
        refused(&stats::zswap_reject_alloc_fail)
    })?;
    // An older entry is stale: the folio was stored before, and was redirtied in the swap cache.
    drop(old);
    race_point!("store:before_lru_add");
    // Last: from here on the shrinker can find it.
    ListLru::add(entry, lists);
    Ok(())
}

/// Counts why a page is refused, for which there was no memory.
#[cold]
#[inline(never)]
fn refused(counter: &'static Atomic<u64>) -> Refused {
    stats::inc(counter);
    Refused(Outcome::NoMemory)
}
