// SPDX-License-Identifier: GPL-2.0-or-later

//! Storing a folio that is on its way to the swap device.

use super::{
    compress::compress,
    entry::{
        Entry,
        StoredEntry,
        TREES, //
    },
    params,
    pool::Pool,
    setup::{
        zswap,
        Zswap, //
    },
    shrink::shrink_memcg,
    stats, //
};
use kernel::{
    mm::{
        folio::CachedFolio,
        list_lru::{
            ListLru,
            Prepared, //
        },
        memalloc::{
            self,
            Memalloc, //
        },
        memcontrol::ObjCgroup,
        swap::{
            Cleared,
            Slots, //
        },
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point,
    sync::{
        aref::ARef,
        generations::Ref, //
    },
};

/// What came of storing a folio.
pub(crate) enum Store<'f> {
    /// All its pages are in zswap: nothing need be written to the device.
    Stored,
    /// None of its pages is in zswap, nor anything older for its slots, which would be written
    /// over newer data on the device some day. The folio has to go to the device.
    Refused(Cleared<'f, StoredEntry>),
}

/// A folio, or a page of it, was refused: there is nothing to say to anybody that isn't counted yet.
pub(crate) struct Refused;

/// Stores `folio`, or refuses to.
///
/// Runs in reclaim (`PF_MEMALLOC`), in a task that may sleep. The folio stays locked.
pub(crate) fn store<'f>(folio: &'f mut CachedFolio<'f>) -> Store<'f> {
    match try_store(folio) {
        Ok(()) => Store::Stored,
        Err(Refused) => {
            race_point!("store:refused");
            Store::Refused(folio.slots(&TREES).clear())
        }
    }
}

fn try_store(folio: &mut CachedFolio<'_>) -> Result<(), Refused> {
    if !params::ENABLED.is_on() {
        return Err(Refused);
    }
    let zswap = zswap().ok_or(Refused)?;
    store_in(zswap, folio).inspect_err(|_| zswap.make_room())
}

fn store_in(zswap: &'static Zswap, folio: &mut CachedFolio<'_>) -> Result<(), Refused> {
    let objcg = ObjCgroup::of_folio(folio);
    if let Some(objcg) = &objcg {
        if !objcg.may_zswap() {
            make_own_room(objcg)?;
        }
    }
    if zswap.is_full() {
        return Err(Refused);
    }
    let pool = zswap.pools().current().ok_or(Refused)?;
    let lists = ListLru::prepare(objcg.as_deref(), GFP_KERNEL).map_err(|_| Refused)?;
    race_point!("store:prepared");

    let mut slots = folio.slots(&TREES);
    // Reclaim is such a scope already, and nobody else stores: this is for charging to rely on.
    memalloc::scope(|memalloc| {
        for index in 0..slots.len() {
            store_page(zswap, &pool, &lists, &mut slots, index, memalloc)?;
        }
        Ok(())
    })?;

    if let Some(objcg) = &objcg {
        objcg.count(Event::ZSWPOUT, slots.len());
    }
    vmstat::count(Event::ZSWPOUT, slots.len());
    Ok(())
}

/// A cgroup at its limit makes room itself, by a few of its own pages.
#[cold]
fn make_own_room(objcg: &ObjCgroup) -> Result<(), Refused> {
    shrink_memcg(objcg.memcg().as_deref()).map_err(|_| Refused)
}

fn store_page(
    zswap: &'static Zswap,
    pool: &Ref<Pool>,
    lists: &Prepared<'_, Entry>,
    slots: &mut Slots<'_, '_, StoredEntry>,
    index: usize,
    memalloc: &Memalloc,
) -> Result<(), Refused> {
    let (swap, page) = slots.get(index).ok_or(Refused)?;
    let vacant = zswap
        .entry_cache()
        .alloc(GFP_KERNEL, page.nid())
        .map_err(|_| stats::RejectKmemcacheFail::refused())?;

    let folio = slots.folio();
    let object = compress(pool, page, || folio.zswap_writeback_enabled())?;

    let objcg = lists.objcg().map(ARef::from);
    let entry = vacant.write(Entry::new(swap, object, objcg, memalloc));
    let (entry, old) = slots.replace(index, entry, GFP_KERNEL).map_err(|failed| {
        kernel::warn_on_once!(failed.error != ENOMEM);
        stats::RejectAllocFail::refused()
    })?;
    // There is an older one if the folio was stored before, and changed while it stayed in the
    // swap cache.
    drop(old);
    race_point!("store:published");
    // Last: from here on the shrinker can find it.
    ListLru::add(entry, lists);
    Ok(())
}
