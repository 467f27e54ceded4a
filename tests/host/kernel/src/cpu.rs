// SPDX-License-Identifier: GPL-2.0

//! CPUs: as many as a model has threads.

#[derive(Clone, Copy)]
pub struct CpuId(pub(crate) usize);
