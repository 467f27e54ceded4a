// SPDX-License-Identifier: GPL-2.0-or-later
// Links that aren't in the item: the walk would find an item that isn't around them.
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
    #[cfg(control)]
    lru: Links,
    #[cfg(attack)]
    lru: kernel::alloc::KBox<Links>,
    object: ZswapCharged<Object<Owner, ()>>,
}
static LRU: ListLru<Item> = ListLru::new();

kernel::impl_list_lru_item! {
//~[attack]^ E0308
    impl Item for Item { links: self.lru, charged: self.object, lru: LRU }
}
