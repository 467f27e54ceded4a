// SPDX-License-Identifier: GPL-2.0-or-later
// list_lru_add() for a cgroup without lists fails, or adds to a list where list_lru_del() doesn't
// look: memcg_list_lru_alloc() has to come first.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    list_lru::{Batch, Charged, Item, Prepared},
    memalloc::Memalloc,
    memcontrol::{ZswapCharged, ZswapObject},
};

pub fn attack<'a, T: Item<Charged = ZswapCharged<O>>, U: Item, O: ZswapObject>(
    (one, two, three): (&mut Batch<T>, &mut Batch<T>, &'a mut Batch<T>),
    (prepared, others): (&Prepared<'a, T>, &Prepared<'a, U>),
    memalloc: &Memalloc,
) -> Charged<'a, T> {
    #[cfg(attack)]
    one.charge(memalloc); //~[attack] E0061
    #[cfg(attack)]
    two.charge(others, memalloc); //~[attack] E0308
    three.charge(prepared, memalloc)
}
