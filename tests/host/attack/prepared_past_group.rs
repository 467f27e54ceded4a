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
        swap_slots::{Leaves, Listed, Published, Slots, Unpublished},
    },
    prelude::*,
    sync::aref::ARef,
};

type Stored<'f, T> = Result<(usize, Published<'f, T>)>;

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

pub fn publish<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
    slots: Slots<'f, 'f, T>,
    mut batch: Batch<T>,
    leaves: &'static Leaves<T>,
    objcg: ARef<ObjCgroup>,
) -> Stored<'f, T> {
    let prepared = match ListLru::<T>::prepare(Some(&objcg), GFP_KERNEL) {
        Ok(prepared) => prepared,
        Err(error) => return Err(error),
    };
    let charged = memalloc::scope(|memalloc| batch.charge(&prepared, memalloc));
    #[cfg(attack)]
    drop(objcg); //~[attack] E0505
    slots
        .publish(charged, leaves, GFP_KERNEL)
        .map_err(|(_, error)| error)
}
