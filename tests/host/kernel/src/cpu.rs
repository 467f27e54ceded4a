// SPDX-License-Identifier: GPL-2.0

//! CPUs: as many as a model has threads.

#[derive(Clone, Copy)]
pub struct CpuId(pub(crate) usize);

impl CpuId {
    pub fn from_u32(id: u32) -> Option<Self> {
        (id < nr_cpu_ids()).then_some(Self(id as usize))
    }
}

pub fn nr_cpu_ids() -> u32 {
    crate::sim::NR_CPUS as u32
}
