// SPDX-License-Identifier: GPL-2.0-or-later
// An item that only refers to a cgroup is published as if it were charged to the cgroup for which
// the lists were prepared.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        list_lru::{Batch, Charged, Links, ListLru, Prepared},
        memalloc::Memalloc,
        memcontrol::{ObjCgroup, ZswapCharged},
        zsmalloc::{Object, Pool},
    },
    sync::aref::ARef,
};

pub struct Owner {
    zs: Pool,
}
kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

#[cfg(control)]
type Of = ZswapCharged<Object<Owner>>;
#[cfg(attack)]
type Of = Option<ARef<ObjCgroup>>;

pub struct Item {
    links: Links,
    of: Of,
}
static LRU: ListLru<Item> = ListLru::new();
kernel::impl_list_lru_item! {
    impl Item for Item { links: self.links, charged: self.of: Of, lru: LRU }
}

pub fn attack<'a>(
    batch: &'a mut Batch<Item>,
    prepared: &Prepared<'a, Item>,
    memalloc: &Memalloc,
) -> Charged<'a, Item> {
    batch.charge(prepared, memalloc) //~[attack] E0271
}
