// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of zsmalloc, and views of them.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::zsmalloc::{Handle, Pool},
    prelude::*,
};
use zswap_core::object::Object;

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// zs_free() during a read of the object, whose memory is then reused.
#[cfg(any(control, object_freed_while_read))]
pub mod object_freed_while_read {
    use super::*;

    pub(crate) fn attack(object: Object) -> usize {
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

    pub(crate) fn attack(object: &Object) -> bool {
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

    pub(crate) fn attack(object: &Object) -> usize {
        object.read(|view| {
            #[cfg(view_forgotten)]
            core::mem::forget(*view); //~[view_forgotten] E0507
            view.len()
        })
    }
}

// A copied handle is freed twice, or in another pool: an object's handle is its own, and a handle isn't a number.
#[cfg(any(control, handle_by_itself))]
pub mod handle_by_itself {
    use super::*;

    pub(crate) fn attack(object: &Object, handle: Handle) -> usize {
        #[cfg(handle_by_itself)]
        let _ = &object.handle; //~[handle_by_itself] E0616
        #[cfg(handle_by_itself)]
        let _ = Handle(handle.0); //~[handle_by_itself] E0423
                                  //~[handle_by_itself]^ E0616
        #[cfg(handle_by_itself)]
        drop(handle.clone()); //~[handle_by_itself] E0599
        drop(handle);
        object.len()
    }

    pub(crate) fn twice(handle: Handle) -> (Handle, Option<Handle>) {
        #[cfg(handle_by_itself)]
        return (handle, Some(handle)); //~[handle_by_itself] E0382
        (handle, None)
    }
}

// An object is stored in a pool that goes before it, read with another length, or freed in another pool: what is
// only a thin layer over C is `unsafe`.
#[cfg(any(control, object_by_hand))]
pub mod object_by_hand {
    use super::*;

    pub(crate) fn attack(pool: &Pool, other: &Pool, one: Handle, two: Handle) -> usize {
        #[cfg(object_by_hand)]
        let _ = pool.store(b"bytes", GFP_KERNEL, NumaNode::NO_NODE); //~[object_by_hand] E0133
        #[cfg(object_by_hand)]
        pool.read(&one, 4096, |view| view.len()); //~[object_by_hand] E0133
        #[cfg(object_by_hand)]
        other.free(one); //~[object_by_hand] E0133
        pool.total_pages()
    }
}

// An object is made of parts: its handle is of another pool than its word says, or has another length.
#[cfg(any(control, object_of_its_parts))]
pub mod object_of_its_parts {
    use super::*;

    use kernel::mm::swapops::SwapEntry;
    use zswap_core::pool_list::PoolRef;

    pub(crate) fn attack(pool: PoolRef, slot: SwapEntry, handle: Handle, old: Object) -> Object {
        #[cfg(object_of_its_parts)]
        return Object::new(pool, 4096, slot, handle); //~[object_of_its_parts] E0624
        #[cfg(control)]
        let _ = (pool, slot, handle);
        old
    }
}
