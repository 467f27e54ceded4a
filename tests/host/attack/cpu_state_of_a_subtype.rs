// SPDX-License-Identifier: GPL-2.0-or-later
// An instance of one state is used as one of another: C calls the wrong state's callback for it, or
// removes it from the wrong state's list.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
#![allow(coherence_leak_check)]
use kernel::{
    cpu::CpuId,
    cpuhotplug::{Instance, Prepare, Slot, State},
    prelude::*,
};

pub struct Buffers<F>(F);
type First = Buffers<for<'a> fn(&'a u8)>;
type Second = Buffers<fn(&'static u8)>;

impl Prepare for First {
    const SLOT: Slot = Slot::PrepareDyn;
    fn prepare(&self, _: CpuId) -> Result {
        Ok(())
    }
}
impl Prepare for Second {
    const SLOT: Slot = Slot::MmZswapPoolPrepare;
    fn prepare(&self, _: CpuId) -> Result {
        Err(EINVAL)
    }
}

pub fn attack(instance: Instance<First>, state: State<Second>) {
    #[cfg(attack)]
    let instance: Instance<Second> = instance; //~[attack] E0308
    drop(instance);
    #[cfg(attack)]
    let state: State<First> = state; //~[attack] E0308
    drop(state);
}
