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
        folio::{
            CachedFolio,
            FolioPage, //
        },
        list_lru::{
            ListLru,
            Prepared, //
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
    sync::{
        aref::ARef,
        percpu_ref::Ref, //
    },
};

/// What came of storing a folio.
pub(crate) enum Store {
    /// All its pages are in zswap: nothing need be written to the device.
    Stored,
    /// None of its pages is in zswap, nor anything older for its slots, which would be written
    /// over newer data on the device some day. The folio has to go to the device.
    Refused(Cleared),
}

/// Why a page was refused.
pub(crate) enum Reject {
    /// No memory for the entry.
    KmemcacheFail,
    /// The compressor failed.
    CompressFail,
    /// The compressed page was too large.
    CompressPoor,
    /// No memory for the object or in the tree.
    AllocFail,
}

impl Reject {
    fn count(self) {
        match self {
            Self::KmemcacheFail => stats::RejectKmemcacheFail::hit(),
            Self::CompressFail => stats::RejectCompressFail::hit(),
            Self::CompressPoor => stats::RejectCompressPoor::hit(),
            Self::AllocFail => stats::RejectAllocFail::hit(),
        }
    }
}

/// Why a folio was refused: there is nothing to say to anybody that isn't counted yet.
struct Refused;

/// Stores `folio`, or refuses to.
///
/// Runs in reclaim (`PF_MEMALLOC`), in a task that may sleep. The folio stays locked.
pub(crate) fn store(folio: &mut CachedFolio<'_>) -> Store {
    match try_store(folio) {
        Ok(()) => Store::Stored,
        Err(Refused) => Store::Refused(folio.slots(&TREES).clear()),
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
        // A cgroup at its limit makes room itself, by a few of its own pages.
        if !objcg.may_zswap() {
            shrink_memcg(objcg.memcg().as_deref()).map_err(|_| Refused)?;
        }
    }
    if zswap.is_full() {
        return Err(Refused);
    }
    let pool = zswap.pools().current().ok_or(Refused)?;
    let lists = ListLru::prepare(objcg.as_deref(), GFP_KERNEL).map_err(|_| Refused)?;

    let nr_pages = folio.nr_pages();
    let mut slots = folio.slots(&TREES);
    for (index, page) in slots.folio().pages().enumerate() {
        store_page(
            zswap,
            &pool,
            objcg.as_ref(),
            &lists,
            &mut slots,
            index,
            page,
        )
        .map_err(|reject| {
            reject.count();
            Refused
        })?;
    }

    if let Some(objcg) = &objcg {
        objcg.count(Event::ZSWPOUT, nr_pages);
    }
    vmstat::count(Event::ZSWPOUT, nr_pages);
    Ok(())
}

fn store_page(
    zswap: &'static Zswap,
    pool: &Ref<Pool>,
    objcg: Option<&ARef<ObjCgroup>>,
    lists: &Prepared<'_, Entry>,
    slots: &mut Slots<'_, StoredEntry>,
    index: usize,
    page: FolioPage<'_>,
) -> Result<(), Reject> {
    let vacant = zswap
        .entry_cache()
        .alloc(GFP_KERNEL, page.nid())
        .map_err(|_| Reject::KmemcacheFail)?;

    let folio = slots.folio();
    let object = compress(pool, page, || folio.zswap_writeback_enabled())?;

    let swap = slots.entry(index).ok_or(Reject::AllocFail)?;
    let entry = vacant.write(Entry::new(swap, object, objcg.cloned()));
    let (entry, old) = slots.replace(index, entry, GFP_KERNEL).map_err(|failed| {
        kernel::warn_on_once!(failed.error != ENOMEM);
        Reject::AllocFail
    })?;
    // There is an older one if the folio was stored before, and changed while it stayed in the
    // swap cache.
    drop(old);
    // Last: from here on the shrinker can find it.
    ListLru::add(entry, lists);
    Ok(())
}
