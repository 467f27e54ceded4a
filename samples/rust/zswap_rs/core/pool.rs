// SPDX-License-Identifier: GPL-2.0-or-later

//! Pools: a zsmalloc pool with the compressors of one algorithm.

use super::contexts::Contexts;
use core::ptr::NonNull;
use kernel::{
    bindings, cpuhotplug,
    crypto::acompress::Algorithm,
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
    zs: ZsPool,
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
        let zs = ZsPool::new(name)?;
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
    pub(super) fn zs(&self) -> &ZsPool {
        &self.zs
    }
}

/// A zsmalloc pool. Mirrors `struct zs_pool`.
///
/// # Invariants
///
/// `.0` is a pool, owned by this value. Each object in it is that of an [`Object`](super::object::Object), which has a
/// reference to the [`Pool`].
pub(super) struct ZsPool(NonNull<bindings::zs_pool>);

// SAFETY: A `struct zs_pool` does its own locking, and is bound to no thread.
unsafe impl Send for ZsPool {}
// SAFETY: C's functions on a shared `struct zs_pool` do their own locking.
unsafe impl Sync for ZsPool {}

impl ZsPool {
    /// Creates a pool. Its name must be unique. May sleep. Fails with `ENOMEM`.
    ///
    /// Mirrors `zs_create_pool()`.
    fn new(name: &CStr) -> Result<Self> {
        // SAFETY: C copies the name.
        let pool = unsafe { bindings::zs_create_pool(name.as_char_ptr()) };
        // INVARIANT: The pool was just created, and has no objects.
        Ok(Self(NonNull::new(pool).ok_or(ENOMEM)?))
    }

    /// The pool, for C.
    pub(super) fn as_raw(&self) -> *mut bindings::zs_pool {
        self.0.as_ptr()
    }

    /// The number of pages of memory that the pool uses. Any context. Mirrors `zs_get_total_pages()`.
    pub(super) fn total_pages(&self) -> usize {
        // SAFETY: The pool is alive.
        unsafe { bindings::zs_get_total_pages(self.as_raw()) }
    }
}

impl Drop for ZsPool {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the pool is owned by this value. It has no objects: the `Pool` is dropped, so
        // nothing has a reference to it.
        unsafe { bindings::zs_destroy_pool(self.as_raw()) }
    }
}
