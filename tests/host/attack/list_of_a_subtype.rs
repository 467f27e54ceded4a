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
        list_lru::{Batch, Charged, Links, ListLru, Prepared},
        memalloc::Memalloc,
        memcontrol::ZswapCharged,
        zsmalloc::{Object, Pool},
    },
    slab,
};

pub struct Owner {
    zs: Pool,
}
kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

type Bytes = ZswapCharged<Object<Owner>>;
pub struct Item<F> {
    links: Links,
    object: Bytes,
    _f: F,
}
type First = Item<for<'a> fn(&'a u8)>;
type Second = Item<fn(&'static u8)>;

static FIRST: ListLru<First> = ListLru::new();
static SECOND: ListLru<Second> = ListLru::new();

kernel::impl_list_lru_item! {
    impl Item for First { links: self.links, charged: self.object: Bytes, lru: FIRST }
}
kernel::impl_list_lru_item! {
    impl Item for Second { links: self.links, charged: self.object: Bytes, lru: SECOND }
}

#[cfg(control)]
type To = First;
#[cfg(attack)]
type To = Second;

pub fn prepared<'p>(
    batch: &'p mut Batch<First>,
    prepared: Prepared<'p, To>,
    memalloc: &Memalloc,
) -> Charged<'p, First> {
    batch.charge(&prepared, memalloc) //~[attack] E0308
}

pub fn object(object: slab::Object<First>) -> slab::Object<To> {
    object //~[attack] E0308
}

pub fn pushed(batch: &mut Batch<To>, object: slab::Object<First>) {
    batch.push(object); //~[attack] E0308
}

pub fn batch(batch: Batch<First>) -> Batch<To> {
    batch //~[attack] E0308
}

pub fn batch_back(batch: Batch<To>) -> Batch<First> {
    batch //~[attack] E0308
}

pub fn charged<'p>(charged: Charged<'p, First>) -> Charged<'p, To> {
    charged //~[attack] E0308
}

pub fn charged_back<'p>(charged: Charged<'p, To>) -> Charged<'p, First> {
    charged //~[attack] E0308
}
