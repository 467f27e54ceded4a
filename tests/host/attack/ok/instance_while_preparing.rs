// SPDX-License-Identifier: GPL-2.0-or-later
// A callback for a CPU that comes up adds another instance: the task waits for cpu_hotplug_lock, which
// it holds. No instance is used half made.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    cpu::CpuId,
    cpuhotplug::{Instance, Prepare, Slot, State},
    prelude::*,
    sync::SetOnce, //
};

static STATE: SetOnce<State<Nested>> = SetOnce::new();

pub struct Nested;

impl Prepare for Nested {
    const SLOT: Slot = Slot::PrepareDyn;

    fn prepare(&self, _: CpuId) -> Result {
        Instance::new(STATE.as_ref().ok_or(EINVAL)?, Nested).map(drop)
    }
}
