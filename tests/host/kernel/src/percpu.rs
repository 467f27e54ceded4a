// SPDX-License-Identifier: GPL-2.0

//! Per-CPU values, replaced at their API.

use crate::{
    alloc::{AllocError, Flags, KBox, NumaNode},
    cpu::CpuId,
    sim::{cpu, NR_CPUS},
};
use core::mem::MaybeUninit;
use pin_init::PinInit;

/// # Invariants
///
/// Every value is initialised. They are pinned: nothing moves them, or lends one mutably.
pub struct PerCpu<T>(KBox<[MaybeUninit<T>; NR_CPUS]>);

pub fn node_of(_: CpuId) -> NumaNode {
    NumaNode::NO_NODE
}

impl<T> PerCpu<T> {
    pub fn new<I: PinInit<T>>(mut init: impl FnMut() -> I, gfp: Flags) -> Result<Self, AllocError> {
        let mut values = KBox::new([const { MaybeUninit::uninit() }; NR_CPUS], gfp)?;
        for value in values.iter_mut() {
            // SAFETY: Memory for a `T` that is ours, in a box: it doesn't move until `drop`.
            unsafe { pin_init::raw_init(value.as_mut_ptr(), init()) };
        }
        // INVARIANT: Each was just initialised: none can fail.
        Ok(Self(values))
    }

    pub fn get(&self, cpu: CpuId) -> Option<&T> {
        let value = self.0.get(cpu.0)?;
        // SAFETY: By the type invariant.
        Some(unsafe { value.assume_init_ref() })
    }

    pub fn this_cpu(&self) -> &T {
        self.get(CpuId(cpu())).unwrap()
    }
}

impl<T> Drop for PerCpu<T> {
    fn drop(&mut self) {
        for value in self.0.iter_mut() {
            // SAFETY: By the type invariant; and it isn't accessed after this.
            unsafe { value.assume_init_drop() };
        }
    }
}
