// SPDX-License-Identifier: GPL-2.0-or-later

//! Pools: memory for compressed pages, and compressors for one algorithm.
//!
//! There is one current pool, which pages are stored in. When the compressor is changed, another
//! pool becomes current; the old one stays until the last page in it is gone.

use super::{
    compress::Contexts,
    setup::Zswap, //
};
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
        generations::Detached,
    },
};

/// A pool.
#[pin_data]
pub(crate) struct Pool {
    #[pin]
    contexts: cpuhotplug::Instance<Contexts>,
    zs: zsmalloc::Pool,
}

kernel::impl_has_zs_pool! {
    impl HasPool for Pool { self.zs }
}

impl Pool {
    /// The compressors.
    pub(crate) fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// What the compressors do.
    pub(crate) fn algorithm(&self) -> &Algorithm {
        self.contexts.algorithm()
    }

    /// Pages of memory that the pool takes.
    fn total_pages(&self) -> usize {
        self.zs.total_pages()
    }
}

impl Zswap {
    /// Creates a pool, which isn't current yet. May sleep.
    pub(crate) fn create_pool(&'static self, algorithm: Algorithm) -> Result<Detached<Pool>> {
        // zsmalloc wants a unique name for each pool.
        static COUNT: Atomic<u32> = Atomic::new(0);
        let n = COUNT.fetch_add(1, Relaxed).wrapping_add(1);
        let zs = zsmalloc::Pool::new(&CString::try_from_fmt(fmt!("zswap{n:x}"))?)?;
        let contexts = Contexts::new(algorithm)?;

        let pool = self.pools().create(try_pin_init!(Pool {
            contexts <- cpuhotplug::Instance::new(self.contexts_state(), contexts),
            zs,
        }? Error))?;
        pr_debug!("created pool {}\n", pool.algorithm());
        Ok(pool)
    }

    /// Pages of memory that all pools take, current or not. Any context but NMI.
    pub(crate) fn total_pages(&self) -> usize {
        let total = core::cell::Cell::new(0usize);
        self.pools()
            .for_each(|pool| total.set(total.get().wrapping_add(pool.total_pages())));
        total.get()
    }
}
