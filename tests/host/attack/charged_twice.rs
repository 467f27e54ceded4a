// SPDX-License-Identifier: GPL-2.0-or-later
// One object is charged twice by one call, and uncharged once; or its charge ends while it is on
// the list of its cgroup: it would be removed from another.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        list_lru::{Item, Visit},
        memalloc::Memalloc,
        memcontrol::{charge_all, ObjCgroup, Uncharges, ZswapCharged, ZswapObject},
    },
    slab::Object,
};

pub fn charged<O: ZswapObject>(
    one: &mut ZswapCharged<O>,
    other: &mut ZswapCharged<O>,
    objcg: Option<&ObjCgroup>,
    memalloc: &Memalloc,
) {
    #[cfg(attack)]
    let other = &mut *one;
    charge_all(objcg, [one, other].into_iter(), memalloc); //~[attack] E0505
}

pub fn listed<T: Item<Charged = ZswapCharged<O>>, O: ZswapObject>(
    object: Object<T>,
    visit: &Visit<'_, T>,
    uncharges: &mut Uncharges,
) {
    #[cfg(attack)]
    visit.object().charged_mut().uncharge(uncharges); //~[attack] E0596
    #[cfg(attack)]
    visit.object().charged().uncharge(uncharges); //~[attack] E0596
    #[cfg(attack)]
    object.borrow().charged_mut().uncharge(uncharges); //~[attack] E0596
    object.drop_after(|object| object.charged_mut().uncharge(uncharges));
}
