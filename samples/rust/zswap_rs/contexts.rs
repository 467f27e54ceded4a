// SPDX-License-Identifier: GPL-2.0-or-later

//! What each CPU needs to compress: made when the CPU first comes up.

use kernel::{
    cpu::CpuId,
    cpuhotplug,
    crypto::acompress::{
        Algorithm,
        Compressor, //
    },
    error::code::EINVAL,
    new_mutex,
    page::PAGE_SIZE,
    percpu::{
        node_of,
        PerCpu, //
    },
    prelude::*,
    race_point,
    str::BStr,
    sync::{
        atomic::{
            ordering::Relaxed,
            Atomic, //
        },
        Mutex, //
    },
};

/// What a CPU needs to compress. Mirrors `struct crypto_acomp_ctx`.
pub(crate) struct Context {
    /// The compressor.
    pub(crate) compressor: Compressor,
    /// What it compresses into: on the heap and on the CPU's node, since hardware writes to it.
    pub(crate) buffer: KBox<[u8; PAGE_SIZE]>,
}

/// The contexts of all CPUs for one algorithm.
///
/// A CPU's context is made before it first comes up, and stays until the pool goes, so that a task
/// which has moved to another CPU meanwhile can go on using it.
pub(crate) struct Contexts {
    algorithm: Algorithm,
    is_async: Atomic<bool>,
    cpus: PerCpu<Mutex<Option<Context>>>,
}

impl Contexts {
    /// No contexts yet. May sleep.
    pub(crate) fn new(algorithm: Algorithm) -> Result<Self> {
        let cpus = PerCpu::new(|| new_mutex!(None, "&acomp_ctx->mutex"), GFP_KERNEL)
            .inspect_err(|_| pr_err!("percpu alloc failed\n"))?;
        Ok(Self {
            algorithm,
            is_async: Atomic::new(false),
            cpus,
        })
    }

    /// The algorithm that they are for.
    pub(crate) fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// Whether several pages at a time are worth handing to a compressor. So it is from the first CPU on
    /// whose compressor has lanes for them; another's may have none.
    #[inline]
    pub(crate) fn is_async(&self) -> bool {
        self.is_async.load(Relaxed)
    }

    /// The context of the CPU that the task runs on, which may change: hence the mutex.
    #[inline]
    pub(crate) fn this_cpu(&self) -> &Mutex<Option<Context>> {
        self.cpus.this_cpu()
    }
}

impl cpuhotplug::Prepare for Contexts {
    const SLOT: cpuhotplug::Slot = cpuhotplug::Slot::MmZswapPoolPrepare;

    /// Makes the context of a CPU that comes up. Mirrors `zswap_cpu_comp_prepare()`.
    fn prepare(&self, cpu: CpuId) -> Result {
        let context = self.cpus.get(cpu).ok_or(EINVAL)?;
        // The CPU has been up before.
        if context.lock().is_some() {
            return Ok(());
        }
        // Not under the mutex: this may reclaim, and so come to compress.
        let node = node_of(cpu);
        let buffer = KBox::zeroed_node(GFP_KERNEL, node)?;
        let compressor = Compressor::new(&self.algorithm, node).inspect_err(|error| {
            let algorithm = &self.algorithm;
            match error.name() {
                Some(name) => {
                    let name = BStr::from_bytes(name.to_bytes());
                    pr_err!("could not alloc crypto acomp {algorithm} : -{name}\n");
                }
                None => {
                    let errno = error.to_errno();
                    pr_err!("could not alloc crypto acomp {algorithm} : {errno}\n");
                }
            }
        })?;
        race_point!("prepare:after_alloc");
        if compressor.is_async() {
            self.is_async.store(true, Relaxed);
        }
        *context.lock() = Some(Context { compressor, buffer });
        Ok(())
    }
}
