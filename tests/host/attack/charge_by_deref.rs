// SPDX-License-Identifier: GPL-2.0-or-later
// An item is added to one cgroup's list, and removed from another's, under the other's lock: the
// list gets corrupted. The charged object must be a field of the item.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    list_lru::{Links, ListLru},
    memcontrol::ZswapCharged,
    zsmalloc::{Object, Pool},
};

pub struct Owner {
    zs: Pool,
}
kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

pub struct Item {
    lru: Links,
    #[cfg(control)]
    object: Charged,
    #[cfg(attack)]
    any: [Inner; 2],
}
type Charged = ZswapCharged<Object<Owner>>;
static LRU: ListLru<Item> = ListLru::new();

kernel::impl_list_lru_item! {
    impl Item for Item { links: self.lru, charged: self.object: Charged, lru: LRU } //~[attack] E0026
}

#[cfg(attack)]
pub struct Inner {
    object: Charged,
}
#[cfg(attack)]
impl core::ops::Deref for Item {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.any[0]
    }
}
