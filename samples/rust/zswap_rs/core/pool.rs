// SPDX-License-Identifier: GPL-2.0-or-later

//! Pools: a zsmalloc pool with the compressors of one algorithm, one for each possible CPU.

use core::ptr::NonNull;
use kernel::{
    alloc::NumaNode,
    bindings,
    cpu::{
        nr_cpu_ids,
        CpuId, //
    },
    crypto::acompress::{
        Algorithm,
        Compressor,
        Input,
        RequestQueue, //
    },
    mm::folio::{
        FolioPage,
        NotUptodate,
        Uptodate, //
    },
    new_mutex,
    prelude::*,
    race_point,
    str::{
        BStr,
        CString, //
    },
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        Mutex,
        MutexGuard, //
    },
};

/// A pool. Mirrors `struct zswap_pool`, except for its reference count, which is in
/// [`PoolTable`](super::pool_table::PoolTable).
///
/// The compressors of all possible CPUs are created with the pool, and stay until it is destroyed, so that a task that has
/// migrated to another CPU can still use one.
///
/// The fields are dropped in the order of `zswap_pool_destroy()`.
///
/// # Invariants
///
/// `contexts` has an element for each CPU number below `nr_cpu_ids`: `Some` if the CPU is possible.
pub(crate) struct Pool {
    algorithm: Algorithm,
    contexts: KVec<Option<Pin<KBox<Context>>>>,
    zs: ZsPool,
}

/// A CPU's compressor. Mirrors `struct crypto_acomp_ctx`.
// Aligned, so that it shares no cache line with that of another CPU.
#[pin_data]
#[repr(align(64))]
struct Context {
    #[pin]
    compressor: Mutex<Compressor>,
}

impl Context {
    /// Mirrors `zswap_cpu_comp_prepare()`.
    fn new(algorithm: &Algorithm, node: NumaNode) -> Result<Pin<KBox<Self>>> {
        let compressor =
            Compressor::new(algorithm, node).inspect_err(|error| match error.name() {
                Some(name) => {
                    let name = BStr::from_bytes(name.to_bytes());
                    pr_err!("could not alloc crypto acomp {algorithm} : -{name}\n");
                }
                None => {
                    let errno = error.to_errno();
                    pr_err!("could not alloc crypto acomp {algorithm} : {errno}\n");
                }
            })?;
        race_point!("create:after_alloc");
        KBox::pin_init(
            pin_init!(Self {
                compressor <- new_mutex!(compressor, "&acomp_ctx->mutex"),
            }),
            GFP_KERNEL,
        )
    }
}

/// The NUMA node of a CPU, or `None` if the CPU isn't possible. Mirrors `cpu_possible()` and `cpu_to_node()`.
fn node_of(cpu: CpuId) -> Option<NumaNode> {
    let cpu = cpu.as_u32();
    // SAFETY: A `CpuId` is below `nr_cpu_ids`. A possible CPU has the per-CPU data that `cpu_to_node()` reads.
    let nid = unsafe { bindings::cpu_possible(cpu).then(|| bindings::cpu_to_node(cpu as c_int)) }?;
    // A CPU that was never up may have no node.
    Some(NumaNode::new(nid).unwrap_or(NumaNode::NO_NODE))
}

/// The compressor of a CPU, with its mutex held. Lends no `&mut Compressor`, so that the compressors of two pools can't
/// be exchanged.
pub(crate) struct CpuCompressor<'a>(MutexGuard<'a, Compressor>);

impl CpuCompressor<'_> {
    /// As [`Compressor::compress`].
    #[inline(always)] // make bench: otherwise the result is returned through memory
    pub(crate) fn compress(&mut self, page: FolioPage<'_>) -> Result<&[u8]> {
        self.0.compress(page)
    }

    /// As [`Compressor::decompress`].
    pub(crate) fn decompress<'p>(
        &mut self,
        src: Input<'_>,
        dst: NotUptodate<'p>,
    ) -> Result<Uptodate<'p>, usize> {
        self.0.decompress(src, dst)
    }

    /// As [`Compressor::queue`].
    pub(crate) fn queue(&mut self) -> Option<RequestQueue<'_>> {
        self.0.queue()
    }
}

impl Pool {
    /// Creates a pool. May sleep. Mirrors the first half of `zswap_pool_create()`.
    pub(crate) fn new(algorithm: Algorithm) -> Result<Self> {
        // zsmalloc requires a unique name for each pool: C's `zswap_pools_count`.
        static COUNT: Atomic<u32> = Atomic::new(0);
        let n = COUNT.fetch_add(1, Relaxed).wrapping_add(1);
        Self::named(&CString::try_from_fmt(fmt!("zswap{n:x}"))?, algorithm)
    }

    /// Creates a pool whose zsmalloc pool has this name.
    pub(super) fn named(name: &CStr, algorithm: Algorithm) -> Result<Self> {
        let zs = ZsPool::new(name)?;
        let mut contexts = KVec::new();
        for cpu in (0..nr_cpu_ids()).filter_map(CpuId::from_u32) {
            let context = node_of(cpu).map(|node| Context::new(&algorithm, node));
            contexts.push(context.transpose()?, GFP_KERNEL)?;
        }
        // INVARIANT: One for each number was just added, with a compressor if the CPU is possible.
        Ok(Self {
            algorithm,
            contexts,
            zs,
        })
    }

    /// The compressor of the CPU on which the task is running, when its mutex is free. May sleep. The mutex is needed
    /// because the task may migrate to another CPU.
    pub(crate) fn compressor(&self) -> CpuCompressor<'_> {
        let cpu = CpuId::current().as_u32();
        // SAFETY: A `CpuId` is below `nr_cpu_ids`, and a CPU that runs a task is possible: by the type invariant `contexts`
        // has `Some` for it.
        let context = unsafe {
            self.contexts
                .get_unchecked(cpu as usize)
                .as_ref()
                .unwrap_unchecked()
        };
        CpuCompressor(context.compressor.lock())
    }

    /// The algorithm of the compressors.
    pub(crate) fn algorithm(&self) -> &Algorithm {
        &self.algorithm
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
