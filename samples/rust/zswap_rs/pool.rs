// SPDX-License-Identifier: GPL-2.0-or-later

//! Pools: memory for compressed pages, with the compressors of one algorithm.
//!
//! Stores go to the current pool. When the compressor is changed, another pool becomes current; the
//! old one stays until its last page is gone.

use super::contexts::Contexts;
use kernel::{
    cpuhotplug,
    crypto::acompress::Algorithm,
    mm::zsmalloc,
    prelude::*,
    str::CString,
    sync::{
        atomic::{
            ordering::Relaxed,
            Atomic, //
        },
        generations::{
            Detached,
            Generations, //
        },
    },
};

/// A pool. Mirrors `struct zswap_pool`.
///
/// The order of its fields mirrors `zswap_pool_destroy()`: first no CPU gets a compressor any more,
/// then the compressors are freed, then the memory.
pub(crate) struct Pool {
    contexts: cpuhotplug::Instance<Contexts>,
    zs: zsmalloc::Pool,
}

kernel::impl_has_zs_pool! {
    impl HasPool for Pool { self.zs }
}

impl Pool {
    /// The compressors.
    #[inline]
    pub(crate) fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The algorithm of the compressors.
    pub(crate) fn algorithm(&self) -> &Algorithm {
        self.contexts.algorithm()
    }
}

/// Creates a pool that isn't current yet. May sleep.
///
/// Mirrors `zswap_pool_create()`.
pub(crate) fn create(
    pools: &'static Generations<Pool>,
    contexts_state: &'static cpuhotplug::State<Contexts>,
    algorithm: Algorithm,
) -> Result<Detached<Pool>> {
    // zsmalloc requires a unique name for each pool: C's `zswap_pools_count`.
    static COUNT: Atomic<u32> = Atomic::new(0);
    let n = COUNT.fetch_add(1, Relaxed).wrapping_add(1);
    let zs = zsmalloc::Pool::new(&CString::try_from_fmt(fmt!("zswap{n:x}"))?)?;
    let contexts = Contexts::new(algorithm)?;

    let pool = pools.create(Ok(Pool {
        contexts: cpuhotplug::Instance::new(contexts_state, contexts)?,
        zs,
    }))?;
    pr_debug!("created pool {}\n", pool.algorithm());
    Ok(pool)
}

/// The memory that all pools use, in pages, current or not. Any context but NMI.
///
/// Mirrors `zswap_total_pages()`. Apart for the stack of its callers.
#[inline(never)]
pub(crate) fn total_pages(pools: &Generations<Pool>) -> usize {
    let total = core::cell::Cell::new(0usize);
    pools.for_each(|pool| total.set(total.get().wrapping_add(pool.zs.total_pages())));
    total.get()
}
