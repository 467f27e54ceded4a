// SPDX-License-Identifier: GPL-2.0

//! A value for each CPU, at its API.

use crate::{
    alloc::{AllocError, Flags, KBox, NumaNode},
    cpu::CpuId,
    sim::{cpu, NR_CPUS},
};
use core::mem::MaybeUninit;
use pin_init::PinInit;

pub struct PerCpu<T>(KBox<[MaybeUninit<T>; NR_CPUS]>);

unsafe impl<T: Send> Send for PerCpu<T> {}
unsafe impl<T: Sync> Sync for PerCpu<T> {}

pub fn node_of(_: CpuId) -> NumaNode {
    NumaNode::NO_NODE
}

impl<T> PerCpu<T> {
    pub fn new<I: PinInit<T>>(mut init: impl FnMut() -> I, gfp: Flags) -> Result<Self, AllocError> {
        let mut values = KBox::new([const { MaybeUninit::uninit() }; NR_CPUS], gfp)?;
        for value in values.iter_mut() {
            unsafe { pin_init::raw_init(value.as_mut_ptr(), init()) };
        }
        Ok(Self(values))
    }

    pub fn get(&self, cpu: CpuId) -> Option<&T> {
        self.0
            .get(cpu.0)
            .map(|value| unsafe { value.assume_init_ref() })
    }

    pub fn this_cpu(&self) -> &T {
        self.get(CpuId(cpu())).unwrap()
    }
}

impl<T> Drop for PerCpu<T> {
    fn drop(&mut self) {
        self.0
            .iter_mut()
            .for_each(|value| unsafe { value.assume_init_drop() });
    }
}
