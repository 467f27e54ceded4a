// SPDX-License-Identifier: GPL-2.0-or-later
// A cgroup's lists are prepared, the cgroup is freed, and then the lists are used: to charge
// objects, or to publish them.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        list_lru::{Batch, ListLru},
        memalloc,
        memcontrol::{ObjCgroup, ZswapCharged, ZswapObject},
        swap_slots::{Leaves, Listed, Slots},
    },
    prelude::*,
    sync::aref::ARef,
};

pub fn charge<T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
    mut batch: Batch<T>,
    objcg: ARef<ObjCgroup>,
) -> Result {
    let prepared = ListLru::<T>::prepare(Some(&objcg), GFP_KERNEL)?;
    #[cfg(attack)]
    drop(objcg); //~[attack] E0505
    memalloc::scope(|memalloc| drop(batch.charge(&prepared, memalloc)));
    Ok(())
}

pub fn publish<T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
    slots: &mut Slots<'_, '_, T>,
    mut batch: Batch<T>,
    leaves: &'static Leaves<T>,
    objcg: ARef<ObjCgroup>,
) -> Result<usize> {
    let prepared = ListLru::<T>::prepare(Some(&objcg), GFP_KERNEL)?;
    let charged = memalloc::scope(|memalloc| batch.charge(&prepared, memalloc));
    #[cfg(attack)]
    drop(objcg); //~[attack] E0505
    slots.publish(charged, leaves, GFP_KERNEL)
}
