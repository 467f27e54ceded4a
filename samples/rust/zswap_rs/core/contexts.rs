// SPDX-License-Identifier: GPL-2.0-or-later

//! The per-CPU compression contexts, created when a CPU first comes up.

use kernel::{
    cpu::CpuId,
    cpuhotplug,
    crypto::acompress::{
        Algorithm,
        Compressor, //
    },
    new_mutex,
    percpu::{
        node_of,
        PerCpu, //
    },
    prelude::*,
    race_point,
    str::BStr,
    sync::Mutex, //
};

/// The compressors of all CPUs for one algorithm. Mirrors `struct crypto_acomp_ctx` of each CPU.
///
/// A CPU's compressor is created before the CPU first comes up, and stays until the pool is destroyed,
/// so that a task that has migrated to another CPU can still use it.
pub(crate) struct Contexts {
    algorithm: Algorithm,
    cpus: PerCpu<Mutex<Option<Compressor>>>,
}

impl Contexts {
    /// Creates the contexts, without compressors. May sleep.
    pub(crate) fn new(algorithm: Algorithm) -> Result<Self> {
        let cpus = PerCpu::new(|| new_mutex!(None, "&acomp_ctx->mutex"), GFP_KERNEL)
            .inspect_err(|_| pr_err!("percpu alloc failed\n"))?;
        Ok(Self { algorithm, cpus })
    }

    /// The algorithm of the compressors.
    pub(crate) fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }

    /// The compressor of the CPU on which the task is running. The mutex is needed because the task
    /// may migrate to another CPU.
    pub(crate) fn this_cpu(&self) -> &Mutex<Option<Compressor>> {
        self.cpus.this_cpu()
    }
}

impl cpuhotplug::Prepare for Contexts {
    /// Creates the compressor of a CPU that comes up. Mirrors `zswap_cpu_comp_prepare()`.
    fn prepare(&self, cpu: CpuId) -> Result {
        let context = self.cpus.get(cpu).ok_or(EINVAL)?;
        // The CPU has been up before: it has a compressor.
        if context.lock().is_some() {
            return Ok(());
        }
        // Allocate without the mutex: the allocation may enter reclaim, which may store a folio and take
        // the mutex.
        let node = node_of(cpu);
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
        *context.lock() = Some(compressor);
        Ok(())
    }
}
