// SPDX-License-Identifier: GPL-2.0-or-later

//! Shrinking: writes back the least recently used entries.
//!
//! Three events cause it: memory pressure ([`ZswapShrinker`]); a store that hits the limit of its cgroup
//! ([`shrink_memcg`]); a store that hits the global limit, which queues the worker ([`shrink_worker`]).

use super::{
    age,
    state::{
        accept_pages,
        zswap,
        Zswap, //
    },
    stats, trace,
    writeback::write_back,
    zswap_core::{
        charge::zswap_stored_pages,
        glue::zswap_shrinker_enabled,
        lru::{
            self,
            Next,
            Visit, //
        },
        pool_table::POOLS,
        writeback::WrittenBack,
    },
};
use kernel::{
    alloc::NumaNode,
    mm::memcontrol::MemCgroup,
    nodemask::memory_nodes,
    page::PAGE_SHIFT,
    prelude::*,
    race_point,
    shrinker::{
        Request,
        Scanned,
        Shrink,
        MAX_RECLAIM_RETRIES,
        SWAP_CLUSTER_MAX, //
    },
    sync::{
        aref::ARef,
        atomic::{
            Atomic,
            Full,
            Relaxed, //
        },
    },
    task::cond_resched, //
};

/// The outcome of a walk over a list.
#[derive(Default)]
struct WalkResult {
    /// The number of entries freed.
    freed: usize,
    /// Whether the walk must stop at a page in the swap cache.
    stop_at_swap_cache: bool,
    /// Whether it stopped at one: C's `encountered_page_in_swapcache`.
    in_swap_cache: bool,
}

/// Walks the list of a node and cgroup. If `stop_at_swap_cache`, stops at a page in the swap cache.
#[inline] // stack: a chain has one frame less
fn walk(
    nid: NumaNode,
    memcg: Option<&MemCgroup>,
    nr_to_walk: &mut usize,
    stop_at_swap_cache: bool,
) -> WalkResult {
    let mut found = WalkResult {
        stop_at_swap_cache,
        ..WalkResult::default()
    };
    lru::walk(nid, memcg, nr_to_walk, |visit| {
        visit_entry(visit, &mut found)
    });
    trace::shrink(|| (nid, memcg, *nr_to_walk, found.freed, found.in_swap_cache));
    found
}

/// Handles one entry. Called with the list's lock held; drops the lock to write back.
///
/// Mirrors `shrink_memcg_cb()`.
fn visit_entry<'v>(visit: Visit<'v>, found: &mut WalkResult) -> Next<'v> {
    if visit.entry().use_second_chance() {
        return visit.rotate();
    }
    // The entry must stay on the list during writeback: it may be freed meanwhile, and could not be
    // added again then. Therefore it is rotated to the tail. If it is written back, it is removed from
    // the list when it is freed; if not, it stays at the tail.
    let identity = visit.entry().identity();
    race_point!(atomic "shrink:before_lru_unlock");
    let unlocked = visit.rotate_and_unlock();

    let written = write_back(identity);
    if written != Ok(WrittenBack::Stale) {
        trace::writeback(|| (identity.swap(), written.err()));
    }
    match written {
        Ok(_) => found.freed = found.freed.saturating_add(1),
        Err(error) => {
            stats::inc(&stats::zswap_reject_reclaim_fail);
            // A page in the swap cache shows that the walk has reached warmer entries.
            if error == EEXIST && found.stop_at_swap_cache {
                found.in_swap_cache = true;
                return unlocked.stop();
            }
        }
    }
    unlocked.restart()
}

/// Scans up to `SWAP_CLUSTER_MAX` entries on each node's list of `memcg`, and writes some back.
///
/// Fails with `EAGAIN` if entries were scanned but none could be written back, and with `ENOENT` if
/// `memcg` has no entries, was removed, or has writeback disabled. May sleep. Mirrors
/// `shrink_memcg()`.
#[inline] // stack: a chain has one frame less
pub(crate) fn shrink_memcg(memcg: Option<&MemCgroup>) -> Result {
    if !MemCgroup::zswap_writeback_enabled(memcg) {
        return Err(ENOENT);
    }
    // Skip offline cgroups: their lists are reparented, and the parent's entries would be written back.
    if memcg.is_some_and(|memcg| !memcg.is_online()) {
        return Err(ENOENT);
    }

    let (mut shrunk, mut scanned) = (false, false);
    for nid in memory_nodes() {
        let mut nr_to_walk = SWAP_CLUSTER_MAX;
        shrunk |= walk(nid, memcg, &mut nr_to_walk, false).freed > 0;
        scanned |= nr_to_walk != SWAP_CLUSTER_MAX;
    }

    // Nothing was scanned: every list of `memcg` was empty.
    if !scanned {
        return Err(ENOENT);
    }
    if shrunk {
        Ok(())
    } else {
        Err(EAGAIN)
    }
}

/// Memory pressure: zswap's shrinker. Mirrors the settings of `zswap_alloc_shrinker()`.
pub(crate) struct ZswapShrinker;

impl Shrink for ZswapShrinker {
    /// Mirrors `zswap_shrinker_count()`.
    fn count(request: &Request<'_>) -> usize {
        if !zswap_shrinker_enabled.load(Relaxed)
            || !MemCgroup::zswap_writeback_enabled(request.memcg)
        {
            return 0;
        }
        // Writeback does I/O, possibly through a file system.
        if !request.may_do_io() {
            return 0;
        }

        // The counters of a cgroup are not per node: use its totals.
        let usage = match request.memcg {
            Some(memcg) if !MemCgroup::disabled() => memcg.zswap_usage(),
            _ => None,
        };
        let (backing, stored) = match usage {
            Some((bytes, pages)) => (bytes >> PAGE_SHIFT, pages),
            None => (
                POOLS.total_pages(),
                zswap_stored_pages.load(Relaxed) as usize,
            ),
        };
        if stored == 0 {
            return 0;
        }
        let freeable = lru::count(request.nid, request.memcg);
        if freeable == 0 {
            return 0;
        }
        let swapins = MemCgroup::disk_swapins(request.memcg, request.nid);
        age::scale(discount_swapins(freeable, swapins), backing, stored)
    }

    /// Mirrors `zswap_shrinker_scan()`.
    fn scan(request: &Request<'_>, nr_to_scan: &mut usize) -> Scanned {
        if !zswap_shrinker_enabled.load(Relaxed)
            || !MemCgroup::zswap_writeback_enabled(request.memcg)
        {
            return Scanned::Refused;
        }
        let found = walk(request.nid, request.memcg, nr_to_scan, true);
        if found.in_swap_cache || found.freed == 0 {
            Scanned::Stop
        } else {
            Scanned::Freed(found.freed)
        }
    }
}

/// Spares one entry for each page that was swapped in from the device, and subtracts the spared entries
/// from `nr_disk_swapins`.
///
/// Mirrors the loop over `nr_disk_swapins` in `zswap_shrinker_count()`.
fn discount_swapins(freeable: usize, swapins: &Atomic<isize>) -> usize {
    let mut current = swapins.load(Relaxed);
    loop {
        let (left, unspent) = age::spare(freeable, current as usize);
        match swapins.cmpxchg(current, unspent as isize, Full) {
            Ok(_) => return left,
            Err(now) => current = now,
        }
    }
}

/// If the worker's cursor is at `memcg`, which goes offline, advances it to the next online cgroup.
///
/// Mirrors `zswap_memcg_offline_cleanup()`.
pub(crate) fn memcg_offline(memcg: &MemCgroup) {
    let Some(zswap) = zswap() else { return };
    let mut cursor = zswap.next_shrink.lock();
    if !cursor.get().is_some_and(|here| core::ptr::eq(here, memcg)) {
        return;
    }
    loop {
        cursor.advance();
        if cursor.get().is_none_or(MemCgroup::is_online) {
            return;
        }
    }
}

/// The worker: writes back some pages of each cgroup in turn, until the pools have shrunk to the threshold.
///
/// Gives up after `MAX_RECLAIM_RETRIES` failures. A failure is a round over all cgroups in which none
/// had a candidate for writeback, or a cgroup with candidates of which none could be written back.
/// The cursor keeps its position between runs, so that no cgroup is starved.
///
/// Mirrors `shrink_worker()`.
pub(crate) fn shrink_worker() {
    let Some(zswap) = zswap() else { return };
    let threshold = accept_pages();
    let (mut attempts, mut failures) = (0u32, 0u32);
    loop {
        let memcg = next_memcg(zswap);
        race_point!("shrink:after_next_memcg");
        if memcg.is_none() && !MemCgroup::disabled() {
            // The end of a round. (With cgroups disabled, `next_memcg` always returns `None`.)
            if attempts == 0 {
                failures = failures.saturating_add(1);
            }
            attempts = 0;
        } else {
            let shrunk = shrink_memcg(memcg.as_deref());
            drop(memcg);
            // A cgroup without candidates is no failure if another cgroup has some.
            if shrunk != Err(ENOENT) {
                attempts = attempts.saturating_add(1);
                if shrunk.is_err() {
                    failures = failures.saturating_add(1);
                }
            }
        }
        if failures == MAX_RECLAIM_RETRIES {
            return;
        }
        cond_resched();
        if POOLS.total_pages() <= threshold {
            return;
        }
    }
}

/// Returns the next online cgroup of the round, or `None` at the end. The result owns a reference,
/// since [`memcg_offline`] may put the cursor's.
///
/// Mirrors the loop over `mem_cgroup_iter()` in `shrink_worker()`.
fn next_memcg(zswap: &Zswap) -> Option<ARef<MemCgroup>> {
    let mut cursor = zswap.next_shrink.lock();
    loop {
        cursor.advance();
        cursor.get()?;
        // The cursor must not stay at an offline cgroup, which it would pin until the next run:
        // `memcg_offline` is called only once, possibly before.
        if let Some(memcg) = cursor.tryget_online() {
            return Some(memcg);
        }
    }
}
