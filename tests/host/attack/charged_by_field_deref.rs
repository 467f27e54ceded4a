// SPDX-License-Identifier: GPL-2.0-or-later
// A field that dereferences to one charge when the item is charged and listed, and to another when
// it is removed: from another cgroup's list, under its lock. The field must be the charge itself.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::ops::{Deref, DerefMut};
use kernel::mm::{
    list_lru::{Links, ListLru},
    memcontrol::ZswapCharged,
    zsmalloc::{Object, Pool},
};

pub struct Owner {
    zs: Pool,
}
kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

type Charged = ZswapCharged<Object<Owner>>;
pub struct Two([Charged; 2]);

impl Deref for Two {
    type Target = Charged;
    fn deref(&self) -> &Charged {
        &self.0[0]
    }
}
impl DerefMut for Two {
    fn deref_mut(&mut self) -> &mut Charged {
        &mut self.0[1]
    }
}

pub struct Item {
    lru: Links,
    #[cfg(control)]
    object: Charged,
    #[cfg(attack)]
    object: Two,
}
static LRU: ListLru<Item> = ListLru::new();

kernel::impl_list_lru_item! {
//~[attack]^ E0308
//~[attack]^^ E0308
    impl Item for Item { links: self.lru, charged: self.object: Charged, lru: LRU }
}
