// SPDX-License-Identifier: GPL-2.0-or-later
// Two types, one a subtype of the other, have different lists: an object on the first type's list,
// dropped as the second type, would be removed from the wrong list, and its memory freed while on
// the right one. Nor does preparing the lists of one type prepare those of the other.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
#![allow(coherence_leak_check)]
use kernel::{
    mm::{
        list_lru::{Links, ListLru, Prepared},
        memcontrol::ObjCgroup,
    },
    slab::Object,
    sync::aref::ARef,
};

pub struct Item<F> {
    links: Links,
    objcg: Option<ARef<ObjCgroup>>,
    _f: F,
}
type First = Item<for<'a> fn(&'a u8)>;
type Second = Item<fn(&'static u8)>;

static FIRST: ListLru<First> = ListLru::new();
static SECOND: ListLru<Second> = ListLru::new();

kernel::impl_list_lru_item! {
    impl Item for First { links: self.links, charged: self.objcg, lru: FIRST }
}
kernel::impl_list_lru_item! {
    impl Item for Second { links: self.links, charged: self.objcg, lru: SECOND }
}

#[cfg(control)]
type Ready<'p> = Prepared<'p, First>;
#[cfg(attack)]
type Ready<'p> = Prepared<'p, Second>;

pub fn attack(object: Object<First>, prepared: Ready<'_>) {
    ListLru::<First>::add(object.borrow(), &prepared); //~[attack] E0308
    #[cfg(attack)]
    let object: Object<Second> = object; //~[attack] E0308
    drop(object);
}
