// SPDX-License-Identifier: GPL-2.0

//! CPU hotplug, replaced at its API. All CPUs are up from the start.

use crate::{cpu::CpuId, error::Result, sim::NR_CPUS, str::CStr};
use core::{marker::PhantomData, ops::Deref};

pub enum StateSlot {
    PrepareDyn,
    MmZswapPoolPrepare,
}

pub trait Prepare: Send + Sync + 'static {
    fn prepare(&self, cpu: CpuId) -> Result;
}

pub struct State<T>(PhantomData<fn(T) -> T>);

impl<T: Prepare> State<T> {
    pub fn new(_: StateSlot, _: &'static CStr) -> Result<Self> {
        Ok(Self(PhantomData))
    }
}

#[macro_export]
macro_rules! builtin_cpu_state {
    ($slot:expr, $name:expr) => {
        $crate::cpuhotplug::State::new($slot, $name)
    };
}

pub struct Instance<T>(T);

impl<T: Prepare> Instance<T> {
    pub fn new(_: &'static State<T>, inner: T) -> Result<Self> {
        (0..NR_CPUS).try_for_each(|cpu| inner.prepare(CpuId(cpu)))?;
        Ok(Self(inner))
    }
}

impl<T> Deref for Instance<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
