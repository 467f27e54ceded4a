// SPDX-License-Identifier: GPL-2.0

//! CPU hotplug, replaced at its API. All CPUs are up from the start.

use crate::{
    cpu::CpuId,
    error::{Error, Result},
    sim::NR_CPUS,
    str::CStr,
};
use core::{marker::PhantomData, ops::Deref};
use pin_init::PinInit;

pub enum Slot {
    PrepareDyn,
    MmZswapPoolPrepare,
}

pub trait Prepare: Send + Sync + 'static {
    const SLOT: Slot;
    fn prepare(&self, cpu: CpuId) -> Result;
}

pub struct State<T>(PhantomData<fn(T) -> T>);

impl<T: Prepare> State<T> {
    pub fn new(_: &'static CStr) -> Result<Self> {
        Ok(Self(PhantomData))
    }
}

#[macro_export]
macro_rules! builtin_cpu_state {
    ($name:expr) => {
        $crate::cpuhotplug::State::new($name)
    };
}

pub struct Instance<T>(T);

impl<T: Prepare> Instance<T> {
    pub fn new(_: &'static State<T>, inner: T) -> impl PinInit<Self, Error> {
        // SAFETY: The whole slot is written; on a later failure it is dropped, see below.
        unsafe {
            pin_init::pin_init_from_closure(move |slot: *mut Self| {
                slot.write(Self(inner));
                let prepared = (0..NR_CPUS).try_for_each(|cpu| (*slot).0.prepare(CpuId(cpu)));
                prepared.inspect_err(|_| slot.drop_in_place())
            })
        }
    }
}

impl<T> Deref for Instance<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
