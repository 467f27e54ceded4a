// SPDX-License-Identifier: GPL-2.0-or-later
// Values and states of CPUs.
//@[control] check-pass
#![forbid(unsafe_code)]
use core::{cell::Cell, mem::MaybeUninit};
use kernel::{
    cpu::CpuId,
    cpuhotplug::{Instance, Prepare, State, StateSlot},
    percpu::PerCpu,
    prelude::*,
    sync::{Arc, Mutex},
};
use pin_init::Wrapper;

// this_cpu() is no lock: a task that has migrated uses another CPU's value (docs/races.md: 4).
#[cfg(any(control, per_cpu_not_locked))]
pub mod per_cpu_not_locked {
    use super::*;

    fn shared<T: Sync>() {}

    pub fn attack() -> Option<(Cell<u32>, Arc<()>)> {
        shared::<PerCpu<Mutex<u32>>>();
        #[cfg(per_cpu_not_locked)]
        shared::<PerCpu<Cell<u32>>>(); //~[per_cpu_not_locked] E0277
        None
    }
}

// The value of an instance is moved while a CPU that comes up uses it. The instance itself may be
// moved: it only owns the memory.
#[cfg(any(control, cpu_instance_moved))]
pub mod cpu_instance_moved {
    use super::*;

    pub fn attack<T: Prepare>(mut one: Instance<T>, mut other: Instance<T>) {
        core::mem::swap(&mut one, &mut other);
        #[cfg(cpu_instance_moved)]
        core::mem::swap(&mut *one, &mut *other); //~[cpu_instance_moved] E0596
                                                 //~[cpu_instance_moved]^ E0596
    }
}

// An instance is pinned in a MaybeUninit, whose memory is freed without a drop: the next CPU that comes
// up calls into freed memory. What lies on the hotplug core's list can't be named, so not initialised.
#[cfg(any(control, cpu_instance_in_place))]
pub mod cpu_instance_in_place {
    use super::*;

    #[cfg(control)]
    use kernel::cpuhotplug::Instance as Registered;
    #[cfg(cpu_instance_in_place)]
    use kernel::cpuhotplug::Registered; //~[cpu_instance_in_place] E0603

    pub fn attack<T: Prepare>(state: &'static State<T>, inner: T) -> Result {
        let init = MaybeUninit::<Registered<T>>::pin_init(Registered::new(state, inner));
        drop(KBox::pin_init(init, GFP_KERNEL)?);
        Ok(())
    }
}

// The state is unregistered while it has instances.
#[cfg(any(control, cpu_state_that_goes))]
pub mod cpu_state_that_goes {
    use super::*;

    pub fn attack<T: Prepare>(stays: &'static State<T>, inner: T) -> Result<Instance<T>> {
        #[cfg(cpu_state_that_goes)]
        let stays = &kernel::builtin_cpu_state!(StateSlot::PrepareDyn, c"attack")?; //~[cpu_state_that_goes] E0716
        Instance::new(stays, inner)
    }
}

// An instance of one state is used as one of another: C calls the wrong state's callback for it, or
// removes it from the wrong state's list.
#[cfg(any(control, cpu_state_of_a_subtype))]
#[allow(coherence_leak_check)]
pub mod cpu_state_of_a_subtype {
    use super::*;

    pub struct Buffers<F>(F);
    type First = Buffers<for<'a> fn(&'a u8)>;
    type Second = Buffers<fn(&'static u8)>;

    impl Prepare for First {
        fn prepare(&self, _: CpuId) -> Result {
            Ok(())
        }
    }
    impl Prepare for Second {
        fn prepare(&self, _: CpuId) -> Result {
            Err(EINVAL)
        }
    }

    pub fn attack(instance: Instance<First>, state: State<Second>) {
        #[cfg(cpu_state_of_a_subtype)]
        let instance: Instance<Second> = instance; //~[cpu_state_of_a_subtype] E0308
        drop(instance);
        #[cfg(cpu_state_of_a_subtype)]
        let state: State<First> = state; //~[cpu_state_of_a_subtype] E0308
        drop(state);
    }
}
