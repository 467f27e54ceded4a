// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of zsmalloc, and reading them.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{alloc::NumaNode, mm::swapops::SwapEntry, prelude::*};
use zswap_core::{object::Object, pool::Pool, pool_table::PoolRef};

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
        object.read(|input| {
            //~[object_freed_while_read]^ E0505
            #[cfg(object_freed_while_read)]
            drop(object);
            core::mem::size_of_val(&input)
        })
    }
}

// The object is read after zs_obj_read_sg_end(), when it may have moved (docs/races.md: 19).
#[cfg(any(control, input_kept))]
pub mod input_kept {
    use super::*;

    pub(crate) fn attack(object: &Object) -> bool {
        let input = object.read(|input| {
            #[cfg(input_kept)]
            return input; //~[input_kept] ERROR: lifetime may not live long enough
            #[cfg(control)]
            core::mem::size_of_val(&input)
        });
        core::mem::size_of_val(&input) > 0
    }
}

// A handle is a number, which is freed twice, or in another pool. An object's handle is its own.
#[cfg(any(control, handle_by_itself))]
pub mod handle_by_itself {
    use super::*;

    pub(crate) fn attack(mut object: Object, other: Object) -> usize {
        #[cfg(handle_by_itself)]
        {
            object.handle = other.handle; //~[handle_by_itself] E0616
                                          //~[handle_by_itself]^ E0616
        }
        #[cfg(handle_by_itself)]
        drop(object.clone()); //~[handle_by_itself] E0599
        drop(other);
        object.len()
    }
}

// An object is stored in a pool that goes before it: the object takes a reference to its pool.
#[cfg(any(control, object_by_hand))]
pub mod object_by_hand {
    use super::*;

    pub(crate) fn attack(pool: PoolRef, slot: SwapEntry, nid: NumaNode) -> Result<Object> {
        #[cfg(object_by_hand)]
        let pool: &Pool = &pool;
        Object::from_bytes(pool, b"bytes", slot, GFP_KERNEL, nid) //~[object_by_hand] E0308
    }
}

// An object is made of parts: its handle is of another pool than its word says, or has another length.
#[cfg(any(control, object_of_its_parts))]
pub mod object_of_its_parts {
    use super::*;

    pub(crate) fn attack(pool: PoolRef, slot: SwapEntry, old: Object) -> Result<Object> {
        #[cfg(object_of_its_parts)]
        return Object::store(pool, 9, slot, GFP_KERNEL, NumaNode::NO_NODE, |_, _| ()); //~[object_of_its_parts] E0624
        #[cfg(control)]
        let _ = (pool, slot);
        Ok(old)
    }
}
