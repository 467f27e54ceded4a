// SPDX-License-Identifier: GPL-2.0-or-later

//! Making room: writing back what hasn't been used for longest.
//!
//! Asked for by memory pressure ([`Pressure`]), by a store that has hit its cgroup's limit
//! ([`shrink_memcg`]) or that of all zswap ([`LimitWork`]).

use super::{
    age,
    entry::Entry,
    exports::zswap_stored_pages,
    params::SHRINKER_ENABLED,
    setup::{
        zswap,
        Zswap, //
    },
    stats,
    writeback::write_back, //
};
use kernel::{
    alloc::NumaNode,
    error::code::{
        EAGAIN,
        EEXIST,
        ENOENT, //
    },
    impl_has_work,
    mm::{
        list_lru::{
            ListLru,
            Next,
            Visit, //
        },
        memcontrol::{
            LruVec,
            MemCgroup, //
        },
    },
    new_work,
    nodemask::memory_nodes,
    page::PAGE_SHIFT,
    prelude::*,
    race_point,
    shrinker::{
        Request,
        Scanned,
        Shrink, //
    },
    sync::{
        aref::ARef,
        atomic::ordering::{
            Full,
            Relaxed, //
        },
        Arc,
    },
    task::cond_resched,
    workqueue::{
        Work,
        WorkItem, //
    },
};

/// How many entries a shrinker looks at on each node for one page that is to be stored.
///
/// `SWAP_CLUSTER_MAX`
const BATCH: usize = 32;

/// How often the limit's worker fails before it gives up: `MAX_RECLAIM_RETRIES`.
const MAX_FAILURES: u32 = 16;

/// What a walk over a list has found.
#[derive(Default)]
struct Found {
    /// Entries that were freed.
    freed: usize,
    /// To go no further than to a page that is in use.
    careful: bool,
    /// There was one.
    in_use: bool,
}

/// Walks the list of a node and cgroup; if `careful`, no further than to a page that is in use.
#[inline]
fn walk(nid: NumaNode, memcg: Option<&MemCgroup>, nr_to_walk: &mut usize, careful: bool) -> Found {
    let mut found = Found {
        careful,
        ..Found::default()
    };
    ListLru::walk(nid, memcg, nr_to_walk, |visit| {
        visit_entry(visit, &mut found)
    });
    found
}

/// Decides on an entry. Called with the list's lock held, which it drops to write back.
fn visit_entry<'v>(visit: Visit<'v, Entry>, found: &mut Found) -> Next<'v> {
    if visit.object().use_second_chance() {
        return visit.rotate();
    }
    // The entry can't be taken off the list while it is written back, as there would be no telling
    // later whether it is still there to be put back. So it goes to the end: if it is written back,
    // it leaves the list when it is freed; if not, the end is where it belongs.
    let identity = visit.object().identity();
    race_point!(atomic "shrink:visiting");
    let unlocked = visit.rotate_and_unlock();

    match write_back(identity) {
        Ok(()) => found.freed = found.freed.saturating_add(1),
        Err(error) => {
            stats::RejectReclaimFail::hit();
            // A page that is in use is a sign of getting among the warm ones.
            if error == EEXIST && found.careful {
                found.in_use = true;
                return unlocked.stop();
            }
        }
    }
    unlocked.restart()
}

/// Writes back some pages of `memcg`.
///
/// Fails with `EAGAIN` if none of those it came to could be written back, with `ENOENT` if there is
/// none, if they may not be, or if the cgroup was removed. May sleep.
#[inline]
pub(crate) fn shrink_memcg(memcg: Option<&MemCgroup>) -> Result {
    if !MemCgroup::zswap_writeback_enabled(memcg) {
        return Err(ENOENT);
    }
    // The entries of one that was removed are its parent's now.
    if memcg.is_some_and(|memcg| !memcg.is_online()) {
        return Err(ENOENT);
    }
    let (mut freed, mut scanned) = (false, false);
    for nid in memory_nodes() {
        let mut nr_to_walk = BATCH;
        freed |= walk(nid, memcg, &mut nr_to_walk, false).freed > 0;
        scanned |= nr_to_walk != BATCH;
    }
    match (scanned, freed) {
        (false, _) => Err(ENOENT),
        (_, false) => Err(EAGAIN),
        _ => Ok(()),
    }
}

/// What zswap does under memory pressure.
pub(crate) struct Pressure;

impl Shrink for Pressure {
    fn count(request: &Request<'_>) -> usize {
        if !SHRINKER_ENABLED.is_on() || !MemCgroup::zswap_writeback_enabled(request.memcg) {
            return 0;
        }
        // Writing back does I/O, perhaps through a file system.
        if !request.may_do_io() {
            return 0;
        }
        let Some(zswap) = zswap() else { return 0 };

        // There are no counts for a cgroup on one node: take those of all nodes.
        let usage = match request.memcg {
            Some(memcg) if !MemCgroup::disabled() => memcg.zswap_usage(),
            _ => None,
        };
        let (backing, stored) = match usage {
            Some(usage) => (usage.bytes >> PAGE_SHIFT, usage.pages),
            None => (
                zswap.total_pages(),
                zswap_stored_pages.load(Relaxed) as usize,
            ),
        };
        if stored == 0 {
            return 0;
        }
        let freeable = ListLru::<Entry>::count(request.nid, request.memcg);
        if freeable == 0 {
            return 0;
        }
        let freeable = match LruVec::of(request.memcg, request.nid) {
            Some(lruvec) => spare(freeable, lruvec),
            None => freeable,
        };
        age::scale(freeable, backing, stored)
    }

    #[inline]
    fn scan(request: &Request<'_>, nr_to_scan: &mut usize) -> Scanned {
        if !SHRINKER_ENABLED.is_on() || !MemCgroup::zswap_writeback_enabled(request.memcg) {
            return Scanned::Refused;
        }
        let found = walk(request.nid, request.memcg, nr_to_scan, true);
        if found.in_use || found.freed == 0 {
            Scanned::Stop
        } else {
            Scanned::Freed(found.freed)
        }
    }
}

/// Spares entries for the pages that came from the device, and takes those off their number.
fn spare(freeable: usize, lruvec: &LruVec) -> usize {
    let swapins = lruvec.nr_disk_swapins();
    let mut current = swapins.load(Relaxed);
    loop {
        let (left, unspent) = age::spare(freeable, current as usize);
        match swapins.cmpxchg(current, unspent as isize, Full) {
            Ok(_) => return left,
            Err(now) => current = now,
        }
    }
}

/// What is done when the limit was hit: write back until pages are accepted again.
#[pin_data]
pub(crate) struct LimitWork {
    #[pin]
    work: Work<LimitWork>,
}

impl_has_work! {
    impl HasWork<LimitWork> for LimitWork { self.work }
}

impl LimitWork {
    /// Work that isn't queued.
    pub(crate) fn new() -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Self { work <- new_work!("zswap_shrink_work") }),
            GFP_KERNEL,
        )
    }
}

impl WorkItem for LimitWork {
    type Pointer = Arc<Self>;

    fn run(_this: Arc<Self>) {
        if let Some(zswap) = zswap() {
            zswap.shrink_to_threshold();
        }
    }
}

impl Zswap {
    /// Has room made, by a worker: for a store that was refused.
    pub(crate) fn make_room(&self) {
        if self.was_full() {
            // If it is queued already, so be it.
            let _ = self.shrink_queue().enqueue(self.limit_work());
        }
    }

    /// Goes round all cgroups and writes back some pages of each, until the pools have shrunk to the
    /// threshold, or it has failed too often: because there was no page in a whole round that could
    /// be written back, or because none could of a cgroup that has some.
    ///
    /// Where it has got to is kept for the next time, so that each cgroup has its turn.
    fn shrink_to_threshold(&self) {
        let threshold = self.accept_pages();
        let (mut failures, mut attempted) = (0u32, false);
        loop {
            let memcg = self.next_memcg();
            race_point!("shrink:memcg");
            let failed = if memcg.is_none() && !MemCgroup::disabled() {
                // A round is over. (With cgroups disabled there is only what isn't in one.)
                !core::mem::replace(&mut attempted, false)
            } else {
                match shrink_memcg(memcg.as_deref()) {
                    // Not this cgroup's fault, as long as there is another.
                    Err(ENOENT) => false,
                    shrunk => {
                        attempted = true;
                        shrunk.is_err()
                    }
                }
            };
            drop(memcg);
            if failed {
                failures = failures.saturating_add(1);
            }
            if failures == MAX_FAILURES {
                return;
            }
            cond_resched();
            if self.total_pages() <= threshold {
                return;
            }
        }
    }

    /// The cgroup whose turn it is, if the round isn't over: one that is online, kept by a reference
    /// of its own, as [`Zswap::memcg_offline`] may take away the cursor's.
    fn next_memcg(&self) -> Option<ARef<MemCgroup>> {
        let mut cursor = self.shrink_cursor().lock();
        loop {
            cursor.advance();
            cursor.get()?;
            // One that is offline must not stay at the cursor, where it would be kept until the
            // next time: whoever takes it offline may have looked already.
            if let Some(memcg) = cursor.tryget_online() {
                return Some(memcg);
            }
        }
    }

    /// A cgroup goes offline: keep it no longer.
    pub(crate) fn memcg_offline(&self, memcg: &MemCgroup) {
        let mut cursor = self.shrink_cursor().lock();
        let at = |memcg: &MemCgroup, here: Option<&MemCgroup>| {
            here.is_some_and(|here| core::ptr::eq(here, memcg))
        };
        if !at(memcg, cursor.get()) {
            return;
        }
        loop {
            cursor.advance();
            if cursor.get().is_none_or(MemCgroup::is_online) {
                return;
            }
        }
    }
}
