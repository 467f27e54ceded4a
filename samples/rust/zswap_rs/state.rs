// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap's global state: slab caches, the shrink worker's cursor, and whether zswap is full. The pools are in
//! [`POOLS`].

use super::{
    limits::{
        Fullness,
        Limits, //
    },
    stats,
    zswap_core::{
        entry::Entry,
        glue::{
            zswap_accept_thr_percent,
            zswap_alloc_shrink_wq,
            zswap_max_pool_percent, //
        },
        index::Leaf,
        pool_table::POOLS, //
    },
};
use kernel::{
    error::to_result,
    mm::{
        memcontrol::Cursor,
        totalram_pages, //
    },
    new_spinlock,
    prelude::*,
    slab,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        SetOnce,
        SpinLock, //
    },
};

/// zswap's global state. Never freed.
#[pin_data]
pub(crate) struct Zswap {
    /// The slab cache of entries: C's `zswap_entry_cache`.
    pub(crate) entry_cache: slab::Cache<Entry>,
    /// The slab cache of the index's leaves, where C uses XArray nodes.
    pub(crate) leaves: slab::Cache<Leaf>,
    reached_full: Atomic<bool>,
    /// The position of the shrink worker: C's `zswap_next_shrink` and `zswap_shrink_lock`.
    #[pin]
    pub(crate) next_shrink: SpinLock<Cursor>,
}

static ZSWAP: SetOnce<Pin<KBox<Zswap>>> = SetOnce::new();

/// zswap's global state, or `None` before setup.
pub(crate) fn zswap() -> Option<&'static Zswap> {
    ZSWAP.as_ref().map(|zswap| &**zswap)
}

fn limits() -> Limits {
    Limits {
        max_pool_percent: zswap_max_pool_percent.load(Relaxed),
        accept_threshold_percent: zswap_accept_thr_percent.load(Relaxed),
    }
}

/// The number of pages that the pools should shrink to after the limit was hit.
///
/// Mirrors `zswap_accept_thr_pages()`.
pub(crate) fn accept_pages() -> usize {
    limits().accept_pages(totalram_pages())
}

impl Zswap {
    /// Creates the state, without a pool. May sleep.
    pub(crate) fn new() -> Result<Pin<KBox<Self>>> {
        let entry_cache = slab::Cache::new(c"zswap_entry")
            .inspect_err(|_| pr_err!("entry cache creation failed\n"))?;
        let leaves = slab::Cache::new(c"zswap_leaf")
            .inspect_err(|_| pr_err!("leaf cache creation failed\n"))?;
        to_result(zswap_alloc_shrink_wq())?;
        KBox::pin_init(
            pin_init!(Self {
                entry_cache,
                leaves,
                reached_full: Atomic::new(false),
                next_shrink <- new_spinlock!(Cursor::new(), "zswap_shrink_lock"),
            }),
            GFP_KERNEL,
        )
    }

    /// Publishes the state, for [`zswap`]. Called once.
    pub(crate) fn publish(this: Pin<KBox<Self>>) {
        ZSWAP.populate(this);
    }

    /// Whether zswap was full at the last check: C's `zswap_pool_reached_full`.
    pub(crate) fn reached_full(&self) -> bool {
        self.reached_full.load(Relaxed)
    }

    /// Whether stores must be refused because of the memory that the pools use.
    ///
    /// Mirrors `zswap_check_limits()`.
    pub(crate) fn check_limits(&self) -> bool {
        let was_full = self.reached_full();
        let fullness = limits().check(was_full, POOLS.total_pages(), totalram_pages());
        if fullness == Fullness::Hit {
            stats::inc(&stats::zswap_pool_limit_hit);
        }
        let is_full = fullness != Fullness::Accepting;
        if is_full != was_full {
            self.reached_full.store(is_full, Relaxed);
        }
        is_full
    }
}
