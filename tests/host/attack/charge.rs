// SPDX-License-Identifier: GPL-2.0-or-later
// Charging objects to a cgroup, in a batch or one by one.
//@[control] check-pass
#![deny(unsafe_code)]
use core::ops::{Deref, DerefMut};
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        list_lru::{Batch, Charged, Item, Links, ListLru, Prepared, Visit},
        memalloc::{self, Memalloc},
        memcontrol::{charge_all, ObjCgroup, Uncharges, ZswapCharged, ZswapObject},
        swap_slots::{Leaves, Listed, Published, Slots, Unpublished},
        zsmalloc::{HasPool, Pool},
    },
    prelude::*,
    slab::{Object, ObjectRef},
    sync::aref::ARef,
};

// Objects are put on a cgroup's list and charged to another cgroup, or to none: they are removed
// from another list, under its lock. Only charging them gives what can be published.
#[cfg(any(control, publish_uncharged))]
pub mod publish_uncharged {
    use super::*;

    type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

    pub fn attack<'f, T: Listed>(
        slots: Slots<'f, 'f, T>,
        one: Batch<T>,
        other: Charged<'_, T>,
        leaves: &'static Leaves<T>,
    ) -> Stored<'f, T> {
        #[cfg(publish_uncharged)]
        slots.publish(one, leaves, GFP_KERNEL)?; //~[publish_uncharged] E0308
        slots.publish(other, leaves, GFP_KERNEL)
    }
}

// An item that only refers to a cgroup is published as if it were charged to the cgroup for which
// the lists were prepared.
#[cfg(any(control, publish_of_a_group))]
pub mod publish_of_a_group {
    use super::*;

    use kernel::mm::zsmalloc::Object;

    pub struct Owner {
        zs: Pool,
    }
    kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

    #[cfg(control)]
    type Of = ZswapCharged<Object<Owner>>;
    #[cfg(publish_of_a_group)]
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
        batch.charge(prepared, memalloc) //~[publish_of_a_group] E0271
    }
}

// Struct literals forge what says that objects are charged, that their lists are there, that an
// object is in slab memory, or what a cgroup is to be uncharged by.
#[cfg(any(control, charged_of_its_fields))]
pub mod charged_of_its_fields {
    use super::*;

    pub fn attack<'a, T: Item>(
        (batch, charged, prepared): (&'a mut Batch<T>, Charged<'a, T>, Prepared<'a, T>),
        (one, other): (&'a T, &'a Object<T>),
        objcg: Option<&'a ObjCgroup>,
        uncharges: Uncharges,
    ) -> (Charged<'a, T>, Prepared<'a, T>, ObjectRef<'a, T>) {
        let object = other.borrow();
        #[cfg(charged_of_its_fields)]
        let charged = Charged { batch, objcg }; //~[charged_of_its_fields] E0451
                                                //~[charged_of_its_fields]^ E0451
        #[cfg(charged_of_its_fields)]
        let prepared = Prepared { objcg, ..prepared }; //~[charged_of_its_fields] E0451
                                                       //~[charged_of_its_fields]^ E0451
        #[cfg(charged_of_its_fields)]
        #[rustfmt::skip]
        let object = ObjectRef { object: one, ..object }; //~[charged_of_its_fields] E0451
                                                          //~[charged_of_its_fields]^ E0451
        #[cfg(charged_of_its_fields)]
        #[rustfmt::skip]
        let uncharges = Uncharges { objcg: None, ..uncharges }; //~[charged_of_its_fields] E0451
                                                                //~[charged_of_its_fields]^ E0451
        (charged, prepared, object)
    }
}

// A batch drops its objects, or hands them to another owner, after they were charged and before
// they are published: the slots and the lists get memory that was freed.
#[cfg(any(control, charged_past_batch))]
pub mod charged_past_batch {
    use super::*;

    type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

    pub fn dropped<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
        slots: Slots<'f, 'f, T>,
        mut batch: Batch<T>,
        prepared: &Prepared<'_, T>,
        memalloc: &Memalloc,
        leaves: &'static Leaves<T>,
    ) -> Stored<'f, T> {
        let charged = batch.charge(prepared, memalloc);
        #[cfg(charged_past_batch)]
        drop(batch); //~[charged_past_batch] E0505
        slots.publish(charged, leaves, GFP_KERNEL)
    }

    pub fn replaced<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
        slots: Slots<'f, 'f, T>,
        batch: &mut Batch<T>,
        prepared: &Prepared<'_, T>,
        memalloc: &Memalloc,
        leaves: &'static Leaves<T>,
    ) -> Stored<'f, T> {
        let charged = batch.charge(prepared, memalloc);
        #[cfg(charged_past_batch)]
        drop(core::mem::replace(batch, Batch::new())); //~[charged_past_batch] E0499
        slots.publish(charged, leaves, GFP_KERNEL)
    }

    #[cfg(charged_past_batch)]
    pub fn returned<'a, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
        mut batch: Batch<T>,
        prepared: &Prepared<'a, T>,
        memalloc: &Memalloc,
    ) -> Charged<'a, T> {
        batch.charge(prepared, memalloc) //~[charged_past_batch] E0515
    }
}

// Objects are charged, and then their batch takes an object that isn't, or they are charged to
// another cgroup: what is published goes to the list of a cgroup that it isn't charged to.
#[cfg(any(control, push_while_charged))]
pub mod push_while_charged {
    use super::*;

    type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

    pub fn attack<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
        slots: Slots<'f, 'f, T>,
        (batch, object): (&mut Batch<T>, Object<T>),
        (prepared, other): (&Prepared<'_, T>, &Prepared<'_, T>),
        memalloc: &Memalloc,
        leaves: &'static Leaves<T>,
    ) -> Stored<'f, T> {
        #[cfg(control)]
        batch.push(object);
        #[cfg(control)]
        batch.charge(other, memalloc);
        let charged = batch.charge(prepared, memalloc);
        #[cfg(push_while_charged)]
        batch.push(object); //~[push_while_charged] E0499
        #[cfg(push_while_charged)]
        batch.charge(other, memalloc); //~[push_while_charged] E0499
        slots.publish(charged, leaves, GFP_KERNEL)
    }
}

// list_lru_add() of an object that is on a list already: an object is in one batch, once, and is
// published once.
#[cfg(any(control, batched_twice))]
pub mod batched_twice {
    use super::*;

    type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

    pub fn batched<T: Item>(one: &mut Batch<T>, other: &mut Batch<T>, object: Object<T>) {
        #[cfg(batched_twice)]
        one.push(object);
        other.push(object); //~[batched_twice] E0382
    }

    pub fn published<'f, T: Listed>(
        (slots, others): (Slots<'f, 'f, T>, Slots<'f, 'f, T>),
        charged: Charged<'_, T>,
        leaves: &'static Leaves<T>,
    ) -> Stored<'f, T> {
        #[cfg(batched_twice)]
        others.publish(charged, leaves, GFP_KERNEL)?;
        slots.publish(charged, leaves, GFP_KERNEL) //~[batched_twice] E0382
    }

    #[cfg(batched_twice)]
    pub fn copied<T: Listed>(batch: &Batch<T>, charged: &Charged<'_, T>) {
        drop::<Batch<T>>(batch.clone()); //~[batched_twice] E0308
        drop::<Charged<'_, T>>(charged.clone()); //~[batched_twice] E0308
    }
}

// "PF_MEMALLOC context, charging must succeed": elsewhere a failed charge is uncharged.
#[cfg(any(control, charge_outside_reclaim))]
pub mod charge_outside_reclaim {
    use super::*;

    fn sent<T: Send>(_: T) {}

    pub fn attack<O: ZswapObject>(objects: &mut [ZswapCharged<O>], objcg: Option<&ObjCgroup>) {
        #[cfg(charge_outside_reclaim)]
        charge_all(objcg, objects.iter_mut()); //~[charge_outside_reclaim] E0061
        #[cfg(charge_outside_reclaim)]
        let made = &Memalloc(kernel::types::NotThreadSafe); //~[charge_outside_reclaim] E0423
        #[cfg(charge_outside_reclaim)]
        memalloc::scope(|memalloc| sent(memalloc)); //~[charge_outside_reclaim] E0277
        memalloc::scope(|memalloc| charge_all(objcg, objects.iter_mut(), memalloc));
    }
}

// The witness for PF_MEMALLOC is used after its scope has ended.
#[cfg(any(control, memalloc_kept))]
pub mod memalloc_kept {
    use super::*;

    pub fn attack<O: ZswapObject>(objects: &mut [ZswapCharged<O>], objcg: Option<&ObjCgroup>) {
        #[cfg(memalloc_kept)]
        {
            let mut kept: Option<&Memalloc> = None;
            memalloc::scope(|memalloc| kept = Some(memalloc)); //~[memalloc_kept] E0521
            if let Some(memalloc) = kept {
                charge_all(objcg, objects.iter_mut(), memalloc);
            }
        }
        memalloc::scope(|memalloc| charge_all(objcg, objects.iter_mut(), memalloc));
    }
}

// The uncharged size differs from the charged one, since a subtype returns another size for the
// object. (Each of the two types always returns the same size, as required.)
#[cfg(any(control, charge_of_a_subtype))]
#[allow(coherence_leak_check)]
#[allow(unsafe_code)]
pub mod charge_of_a_subtype {
    use super::*;

    pub struct Bytes<F>(F);
    type First = Bytes<for<'a> fn(&'a u8)>;
    type Second = Bytes<fn(&'static u8)>;

    // SAFETY: It is a constant.
    unsafe impl ZswapObject for First {
        fn bytes(&self) -> usize {
            17
        }
    }
    // SAFETY: It is a constant.
    unsafe impl ZswapObject for Second {
        fn bytes(&self) -> usize {
            4096
        }
    }

    pub fn attack(charged: ZswapCharged<First>) {
        #[cfg(charge_of_a_subtype)]
        let charged: ZswapCharged<Second> = charged; //~[charge_of_a_subtype] E0308
        drop(charged);
    }
}

// The uncharged size differs from the charged one: counters underflow (docs/races.md: 6). The trait
// that returns an object's size is unsafe, and requires a constant.
#[cfg(any(control, size_that_changes))]
pub mod size_that_changes {
    use super::*;

    pub struct Liar(core::cell::Cell<usize>);

    #[cfg(size_that_changes)]
    impl ZswapObject for Liar {
        //~[size_that_changes]^ E0200
        fn bytes(&self) -> usize {
            self.0.replace(self.0.get() * 2)
        }
    }

    #[cfg(control)]
    pub fn lies(liar: Liar) -> usize {
        liar.0.get()
    }

    pub fn bytes<O: ZswapObject>(charged: &ZswapCharged<O>) -> usize {
        charged.bytes()
    }
}

// The object is moved out of its charge and freed alone: the cgroup stays charged forever.
#[cfg(any(control, charge_without_object))]
pub mod charge_without_object {
    use super::*;

    use kernel::mm::zsmalloc::Object;

    pub fn attack<P: HasPool>(charged: ZswapCharged<Object<P>>) -> usize {
        #[cfg(charge_without_object)]
        let object = charged.object; //~[charge_without_object] E0616
        #[cfg(charge_without_object)]
        drop(*charged);
        #[cfg(control)]
        let object = charged;
        object.len()
    }
}

// One object is charged twice by one call, and uncharged once; or its charge ends while it is on
// the list of its cgroup: it would be removed from another.
#[cfg(any(control, charged_twice))]
pub mod charged_twice {
    use super::*;

    pub fn charged<O: ZswapObject>(
        one: &mut ZswapCharged<O>,
        other: &mut ZswapCharged<O>,
        objcg: Option<&ObjCgroup>,
        memalloc: &Memalloc,
    ) {
        #[cfg(charged_twice)]
        let other = &mut *one;
        charge_all(objcg, [one, other].into_iter(), memalloc); //~[charged_twice] E0505
    }

    pub fn listed<T: Item<Charged = ZswapCharged<O>>, O: ZswapObject>(
        object: Object<T>,
        visit: &Visit<'_, T>,
        uncharges: &mut Uncharges,
    ) {
        #[cfg(charged_twice)]
        visit.object().charged_mut().uncharge(uncharges); //~[charged_twice] E0596
        #[cfg(charged_twice)]
        visit.object().charged().uncharge(uncharges); //~[charged_twice] E0596
        #[cfg(charged_twice)]
        object.borrow().charged_mut().uncharge(uncharges); //~[charged_twice] E0596
        object.drop_after(|object| object.charged_mut().uncharge(uncharges));
    }
}

// Charges are collected for one call of C, and that call never comes, or comes twice: what collects
// them is only lent.
#[cfg(any(control, uncharges_kept))]
pub mod uncharges_kept {
    use super::*;

    fn sent<T: Send>(_: T) {}

    pub fn kept<O: ZswapObject>(mut object: ZswapCharged<O>) {
        #[cfg(uncharges_kept)]
        {
            let mut kept = None;
            Uncharges::together(|uncharges| kept = Some(uncharges)); //~[uncharges_kept] E0521
            let _ = Uncharges::together(|uncharges| uncharges); //~[uncharges_kept] ERROR: lifetime may not live long enough
            Uncharges::together(|uncharges| core::mem::forget(*uncharges)); //~[uncharges_kept] E0507
        }
        Uncharges::together(|uncharges| object.uncharge(uncharges));
    }

    #[cfg(uncharges_kept)]
    pub fn attack() {
        Uncharges::together(|uncharges| drop(uncharges.clone())); //~[uncharges_kept] E0599
        Uncharges::together(|uncharges| drop(core::mem::take(uncharges))); //~[uncharges_kept] E0277
        Uncharges::together(|uncharges| sent(uncharges)); //~[uncharges_kept] E0277
    }
}

// An item is added to one cgroup's list, and removed from another's, under the other's lock: the
// list gets corrupted. The charged object must be a field of the item.
#[cfg(any(control, charge_by_deref))]
pub mod charge_by_deref {
    use super::*;

    use kernel::mm::zsmalloc::Object;

    pub struct Owner {
        zs: Pool,
    }
    kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

    pub struct Item {
        lru: Links,
        #[cfg(control)]
        object: Charged,
        #[cfg(charge_by_deref)]
        any: [Inner; 2],
    }
    type Charged = ZswapCharged<Object<Owner>>;
    static LRU: ListLru<Item> = ListLru::new();

    kernel::impl_list_lru_item! {
        impl Item for Item { links: self.lru, charged: self.object: Charged, lru: LRU } //~[charge_by_deref] E0026
    }

    #[cfg(charge_by_deref)]
    pub struct Inner {
        object: Charged,
    }
    #[cfg(charge_by_deref)]
    impl core::ops::Deref for Item {
        type Target = Inner;
        fn deref(&self) -> &Inner {
            &self.any[0]
        }
    }
}

// A field that dereferences to one charge when the item is charged and listed, and to another when
// it is removed: from another cgroup's list, under its lock. The field must be the charge itself.
#[cfg(any(control, charged_by_field_deref))]
pub mod charged_by_field_deref {
    use super::*;

    use kernel::mm::zsmalloc::Object;

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
        #[cfg(charged_by_field_deref)]
        object: Two,
    }
    static LRU: ListLru<Item> = ListLru::new();

    kernel::impl_list_lru_item! {
    //~[charged_by_field_deref]^ E0308
    //~[charged_by_field_deref]^^ E0308
        impl Item for Item { links: self.lru, charged: self.object: Charged, lru: LRU }
    }
}
