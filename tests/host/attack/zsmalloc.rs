// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of zsmalloc, and views of them.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::zsmalloc::{HasPool, Object, Pool},
    prelude::*,
};

// zs_free() during a read of the object, whose memory is then reused.
#[cfg(any(control, object_freed_while_read))]
pub mod object_freed_while_read {
    use super::*;

    pub fn attack<P: HasPool>(object: Object<P>) -> usize {
        object.read(|view| {
            //~[object_freed_while_read]^ E0505
            #[cfg(object_freed_while_read)]
            drop(object);
            view.len()
        })
    }
}

// The object is read after zs_obj_read_sg_end(), when it may have moved (docs/races.md: 19).
#[cfg(any(control, view_kept))]
pub mod view_kept {
    use super::*;

    pub fn attack<P: HasPool>(object: &Object<P>) -> bool {
        let input = object.read(|view| {
            #[cfg(view_kept)]
            return view.as_input(); //~[view_kept] ERROR: lifetime may not live long enough
                                    //~[view_kept]^ ERROR: lifetime may not live long enough
            #[cfg(control)]
            view.len()
        });
        core::mem::size_of_val(&input) > 0
    }
}

// zs_obj_read_sg_end() is never called: the object can't be moved any more, and on 32 bits a
// mapping leaks (docs/races.md: 19). A view is only lent, and so can't be forgotten.
#[cfg(any(control, view_forgotten))]
pub mod view_forgotten {
    use super::*;

    pub fn attack<P: HasPool>(object: &Object<P>) -> usize {
        object.read(|view| {
            #[cfg(view_forgotten)]
            core::mem::forget(*view); //~[view_forgotten] E0507
            view.len()
        })
    }
}

// A copied handle is freed twice, or in another pool.
#[cfg(any(control, handle_by_itself))]
pub mod handle_by_itself {
    use super::*;

    pub fn attack<P: HasPool>(object: &Object<P>) -> usize {
        #[cfg(handle_by_itself)]
        return object.handle; //~[handle_by_itself] E0616
        object.len()
    }
}

// Two pools, selected by the owner's type: after a coercion an object is freed in the wrong one.
#[cfg(any(control, pool_of_a_subtype))]
#[allow(coherence_leak_check)]
pub mod pool_of_a_subtype {
    use super::*;

    pub struct Owner<F> {
        one: Pool,
        other: Pool,
        _f: F,
    }
    type First = Owner<for<'a> fn(&'a u8)>;
    type Second = Owner<fn(&'static u8)>;

    kernel::impl_has_zs_pool! { impl HasPool for First { self.one } }
    kernel::impl_has_zs_pool! { impl HasPool for Second { self.other } }

    pub fn attack(object: Object<First>) {
        #[cfg(pool_of_a_subtype)]
        let object: Object<Second> = object; //~[pool_of_a_subtype] E0308
        drop(object);
    }
}

// zs_free() of a handle in another pool: an owner must always have the same pool, so the pool must
// be its field, and not what a field dereferences to.
#[cfg(any(control, pool_by_deref))]
pub mod pool_by_deref {
    use super::*;

    pub struct Owner {
        #[cfg(pool_by_deref)]
        zs: KBox<Pool>,
        #[cfg(control)]
        zs: Pool,
    }

    kernel::impl_has_zs_pool! {
    //~[pool_by_deref]^ E0308
        impl HasPool for Owner { self.zs }
    }

    pub fn pages(owner: Owner) -> usize {
        KBox::new(owner, GFP_KERNEL).map_or(0, |owner| owner.zs_pool().total_pages())
    }
}
