// SPDX-License-Identifier: GPL-2.0-or-later
// Generations of objects, of which one is current: zswap's pools.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::zsmalloc::{HasPool, Object, Pool, TAG_BITS},
    prelude::*,
    sync::{
        atomic::{ordering::Relaxed, Atomic},
        generations::{Detached, Generation, Generations, Numbers, Ref},
        SetOnce,
    },
};

// A pool is put on the list twice: "this func expects the caller to always add
// the new pool as the current pool".
#[cfg(any(control, current_twice))]
pub mod current_twice {
    use super::*;

    pub fn attack<T: Send + Sync>(pool: Detached<T>) {
        #[cfg(current_twice)]
        pool.make_current();
        pool.make_current(); //~[current_twice] E0382
    }
}

// A pool is created, and neither made current nor destroyed: a leak in C.
#[cfg(any(control, pool_forgotten))]
pub mod pool_forgotten {
    use super::*;

    pub fn attack<T: Generation>(
        pools: &'static Generations<T>,
        init: impl PinInit<T, Error>,
    ) -> Result {
        #[cfg(pool_forgotten)]
        pools.create(init)?; //~[pool_forgotten] unused_must_use
        #[cfg(control)]
        drop(pools.create(init)?);
        Ok(())
    }
}

// A generation is added to a list that is coerced to another type: the list's owner would call,
// with a reference to a local, code that needs a 'static one.
#[cfg(any(control, list_takes_a_local))]
pub mod list_takes_a_local {
    use super::*;

    #[cfg(control)]
    type Callback = Any;
    #[cfg(list_takes_a_local)]
    type Callback = fn(&'static u8);
    type Any = for<'a> fn(&'a u8);

    pub struct Config<F> {
        call: F,
    }
    kernel::impl_generation! { impl Generation for Config<Callback> }
    static KEPT: SetOnce<&'static u8> = SetOnce::new();

    #[cfg(control)]
    fn keep(_: &u8) {}
    #[cfg(list_takes_a_local)]
    fn keep(forever: &'static u8) {
        KEPT.populate(forever);
    }

    fn configure(list: &'static Generations<Config<Callback>>) -> Result {
        let config = init!(Config { call: keep as Callback }? Error);
        list.create(config)?.make_current();
        Ok(())
    }

    pub fn attack(list: &'static Generations<Config<Any>>) -> Result<bool> {
        configure(list)?; //~[list_takes_a_local] E0308
        let local = 7;
        if let Some(config) = list.current() {
            (config.call)(&local);
        }
        Ok(KEPT.as_ref().is_some())
    }
}

// The list is dropped while its pools still have to unlink themselves from it.
#[cfg(any(control, list_that_goes))]
pub mod list_that_goes {
    use super::*;

    pub fn attack<T: Generation>(
        pools: Pin<KBox<Generations<T>>>,
        stays: &'static Generations<T>,
        init: impl PinInit<T, Error>,
    ) -> Result<Detached<T>> {
        #[cfg(list_that_goes)]
        let stays = pools.as_ref().get_ref(); //~[list_that_goes] E0597
        stays.create(init)
    }
}

// An object says itself where its type's numbers are, and says something else each time: a number
// leads to no object, or to another. Or it says which pool it has: one to make its objects in, and
// another to free them in.
#[cfg(any(control, generation_by_hand))]
pub mod generation_by_hand {
    use super::*;

    pub struct Owner {
        one: Pool,
        other: Pool,
    }

    #[cfg(control)]
    kernel::impl_has_zs_pool! { impl HasPool for Owner { self.one } }

    #[cfg(generation_by_hand)]
    static CALLS: Atomic<usize> = Atomic::new(0);
    #[cfg(generation_by_hand)]
    static NUMBERS: [Numbers<Owner>; 2] = [const { Numbers::new() }; 2];

    #[cfg(generation_by_hand)]
    impl Generation for Owner {
        //~[generation_by_hand]^ E0200
        fn numbers() -> &'static Numbers<Self> {
            &NUMBERS[CALLS.fetch_add(1, Relaxed) % 2]
        }
    }

    #[cfg(generation_by_hand)]
    impl HasPool for Owner {
        //~[generation_by_hand]^ E0200
        fn zs_pool(&self) -> &Pool {
            if self.one.total_pages() == 0 {
                &self.one
            } else {
                &self.other
            }
        }
    }

    pub fn pages<P: HasPool>(owner: &P) -> usize {
        owner.zs_pool().total_pages()
    }

    pub fn attack(owner: &Owner) -> usize {
        pages(owner)
    }
}

// An object of a type whose objects have no numbers: what takes a number for a reference to it
// finds nothing.
#[cfg(any(control, generation_without_numbers))]
pub mod generation_without_numbers {
    use super::*;

    pub struct Config {
        limit: u32,
    }
    #[cfg(control)]
    kernel::impl_generation! { impl Generation for Config }

    pub fn attack(list: &'static Generations<Config>) -> Result<Detached<Config>> {
        list.create(init!(Config { limit: 1 }? Error)) //~[generation_without_numbers] E0277
    }
}

// A type's objects are numbered twice: a number leads to one object or another, as it was made by
// one code or another. Or a pool's owner is numbered once more than its macro does.
#[cfg(any(control, generation_numbered_twice))]
pub mod generation_numbered_twice {
    use super::*;

    pub struct Config(u32);
    kernel::impl_generation! { impl Generation for Config } //~[generation_numbered_twice] E0119
    #[cfg(generation_numbered_twice)]
    kernel::impl_generation! { impl Generation for Config }

    pub struct Owner {
        zs: Pool,
    }
    kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } } //~[generation_numbered_twice] E0119
    #[cfg(generation_numbered_twice)]
    kernel::impl_generation! { impl Generation for Owner }
}

// Numbers are a static: they would outlive an object that borrows, and lead to it after that.
#[cfg(any(control, generation_of_a_local))]
pub mod generation_of_a_local {
    use super::*;

    pub struct Borrows<'a>(&'a u8);

    #[cfg(control)]
    kernel::impl_generation! { impl Generation for Borrows<'static> }
    #[cfg(generation_of_a_local)]
    kernel::impl_generation! { impl Generation for Borrows<'_> } //~[generation_of_a_local] E0478
                                                                 //~[generation_of_a_local]^ E0495
}

// A static in generic code is one for all types: a number of one type's object would lead to an
// object of another type.
#[cfg(any(control, generation_of_all))]
pub mod generation_of_all {
    use super::*;

    pub struct Any<T>(T);

    kernel::impl_generation! { impl Generation for Any<u8> }
    kernel::impl_generation! { impl Generation for Any<u16> }
    #[cfg(generation_of_all)]
    kernel::impl_generation! { impl Generation for Any<T> } //~[generation_of_all] E0412

    impl<T: Send + Sync + 'static> Any<T> {
        pub fn attack() {
            #[cfg(generation_of_all)]
            kernel::impl_generation! { impl Generation for Any<(T,)> } //~[generation_of_all] E0401
            #[cfg(generation_of_all)]
            kernel::impl_generation! { impl Generation for Self } //~[generation_of_all] E0401
                                                                  //~[generation_of_all]^ ERROR: `Self` is not valid
        }
    }
}

// A number is a reference that can be copied: the pool is put twice. Nor can it be looked up
// without a reference, or changed in an object, whose tag is next to it.
#[cfg(any(control, number_by_itself))]
pub mod number_by_itself {
    use super::*;

    pub fn attack<P: HasPool>(pool: Ref<P>, object: &Object<P>) -> u64 {
        #[cfg(number_by_itself)]
        {
            let number = pool.into_number(); //~[number_by_itself] E0624
            drop(Ref::<P>::from_number(number)); //~[number_by_itself] E0624
            let _: &P = Ref::borrow_number(number); //~[number_by_itself] E0624
            let _ = P::numbers().take(); //~[number_by_itself] E0624
            let _ = P::numbers().node(0); //~[number_by_itself] E0624
            let _ = &P::numbers().nodes; //~[number_by_itself] E0616
            let _ = &object.word; //~[number_by_itself] E0616
            let _ = object.number(); //~[number_by_itself] E0624
        }
        #[cfg(control)]
        let _ = pool;
        object.change_tag(|tag| !tag | 1 << TAG_BITS);
        object.tag()
    }
}

// The pool is used after zswap_pool_put().
#[cfg(any(control, object_past_ref))]
pub mod object_past_ref {
    use super::*;

    pub fn attack<T: Send + Sync + Copy>(pool: Ref<T>) -> T {
        let object: &T = &pool;
        #[cfg(object_past_ref)]
        drop(pool); //~[object_past_ref] E0505
        *object
    }
}

// zswap_pool_get(): "the caller must already have a reference". A Ref comes only
// from a list or from another Ref.
#[cfg(any(control, ref_made_up))]
pub mod ref_made_up {
    use super::*;

    pub fn attack<T: Send + Sync>(object: &T, pool: &Ref<T>) -> Ref<T> {
        #[cfg(ref_made_up)]
        return Ref::from(object); //~[ref_made_up] E0308
        let _ = object;
        pool.clone()
    }
}

// A pool found on the list under RCU is kept beyond the read section.
#[cfg(any(control, reader_keeps_object))]
pub mod reader_keeps_object {
    use super::*;

    pub fn attack<T: Send + Sync + Copy>(pools: &Generations<T>) -> Option<T> {
        let kept = core::cell::Cell::new(None);
        pools.for_each(|pool| {
            #[cfg(reader_keeps_object)]
            kept.set(Some(pool)); //~[reader_keeps_object] E0521
            #[cfg(control)]
            kept.set(Some(*pool));
        });
        #[cfg(reader_keeps_object)]
        let kept = core::cell::Cell::new(kept.get().copied());
        kept.get()
    }
}
