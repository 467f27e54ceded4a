// SPDX-License-Identifier: GPL-2.0-or-later
// The links aren't embedded in the item: the walk would compute a wrong item address.
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
    object: ZswapCharged<Object<Owner>>,
}
static LRU: ListLru<Item> = ListLru::new();

kernel::impl_list_lru_item! {
//~[attack]^ E0308
//~[attack]^^ E0308
    impl Item for Item {
        links: self.lru, charged: self.object: ZswapCharged<Object<Owner>>, lru: LRU
    }
}
