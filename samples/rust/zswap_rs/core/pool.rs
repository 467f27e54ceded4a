// SPDX-License-Identifier: GPL-2.0-or-later

//! Pools: a zsmalloc pool with the compressors of one algorithm.

use super::contexts::Contexts;
use kernel::{
    cpuhotplug,
    crypto::acompress::Algorithm,
    mm::zsmalloc,
    prelude::*,
    str::CString,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// A pool. Mirrors `struct zswap_pool`, except for its links and reference count, which are in
/// [`PoolList`](super::pool_list::PoolList).
///
/// The fields are dropped in the order of `zswap_pool_destroy()`: the CPU hotplug instance is removed,
/// the compressors are freed, and the zsmalloc pool is destroyed.
pub(crate) struct Pool {
    contexts: cpuhotplug::Instance<Contexts>,
    zs: zsmalloc::Pool,
}

impl Pool {
    /// Creates a pool. May sleep. Mirrors the first half of `zswap_pool_create()`.
    pub(crate) fn new(
        state: &'static cpuhotplug::State<Contexts>,
        algorithm: Algorithm,
    ) -> Result<Self> {
        // zsmalloc requires a unique name for each pool: C's `zswap_pools_count`.
        static COUNT: Atomic<u32> = Atomic::new(0);
        let n = COUNT.fetch_add(1, Relaxed).wrapping_add(1);
        Self::named(
            &CString::try_from_fmt(fmt!("zswap{n:x}"))?,
            state,
            algorithm,
        )
    }

    /// Creates a pool whose zsmalloc pool has this name.
    pub(super) fn named(
        name: &CStr,
        state: &'static cpuhotplug::State<Contexts>,
        algorithm: Algorithm,
    ) -> Result<Self> {
        let zs = zsmalloc::Pool::new(name)?;
        let contexts = Contexts::new(algorithm)?;
        Ok(Self {
            contexts: cpuhotplug::Instance::new(state, contexts)?,
            zs,
        })
    }

    /// The compressors.
    pub(crate) fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The algorithm of the compressors.
    pub(crate) fn algorithm(&self) -> &Algorithm {
        self.contexts.algorithm()
    }

    /// The zsmalloc pool.
    pub(super) fn zs(&self) -> &zsmalloc::Pool {
        &self.zs
    }
}
