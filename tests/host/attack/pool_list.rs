// SPDX-License-Identifier: GPL-2.0-or-later
// The list of pools, of which one is current: what policy files could do with it.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::prelude::*;
use zswap_core::{
    entry_word::EntryWord,
    object::Object,
    pool::Pool,
    pool_list::{NewPool, PoolList, PoolRef},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// A pool is put on the list twice: "this func expects the caller to always add
// the new pool as the current pool".
#[cfg(any(control, current_twice))]
pub mod current_twice {
    use super::*;

    pub(crate) fn attack(pool: NewPool) {
        #[cfg(current_twice)]
        pool.make_current();
        pool.make_current(); //~[current_twice] E0382
    }
}

// A pool is created, and neither made current nor destroyed: a leak in C.
#[cfg(any(control, pool_forgotten))]
pub mod pool_forgotten {
    use super::*;

    pub(crate) fn attack(pools: &'static PoolList, pool: Pool) -> Result {
        #[cfg(pool_forgotten)]
        pools.create(pool)?; //~[pool_forgotten] unused_must_use
        #[cfg(control)]
        drop(pools.create(pool)?);
        Ok(())
    }
}

// The list is dropped while its pools still have to unlink themselves from it.
#[cfg(any(control, list_that_goes))]
pub mod list_that_goes {
    use super::*;

    pub(crate) fn attack(
        pools: Pin<KBox<PoolList>>,
        stays: &'static PoolList,
        pool: Pool,
    ) -> Result<NewPool> {
        #[cfg(list_that_goes)]
        let stays = pools.as_ref().get_ref(); //~[list_that_goes] E0597
        stays.create(pool)
    }
}

// An id is a reference that can be copied: the pool is put twice. Nor can it be looked up without a
// reference, or be taken or freed by itself.
#[cfg(any(control, id_by_itself))]
pub mod id_by_itself {
    use super::*;

    pub(crate) fn attack(pool: PoolRef, object: &Object) -> EntryWord {
        #[cfg(id_by_itself)]
        let id = pool.into_id(); //~[id_by_itself] E0624
        #[cfg(id_by_itself)]
        drop(PoolRef::from_id(id)); //~[id_by_itself] E0624
        #[cfg(id_by_itself)]
        let _: &Pool = PoolRef::borrow_id(id); //~[id_by_itself] E0624
        #[cfg(id_by_itself)]
        let _ = zswap_core::pool_list::POOL_IDS.take(); //~[id_by_itself] E0603
                                                        //~[id_by_itself]^ E0624
        #[cfg(id_by_itself)]
        let _ = &zswap_core::pool_list::POOL_IDS.nodes; //~[id_by_itself] E0603
                                                        //~[id_by_itself]^ E0616
        #[cfg(control)]
        let _ = pool;
        object.word()
    }
}

// An object's pool id is changed: the object is freed in another pool, and a reference to that one is put.
#[cfg(any(control, id_changed))]
pub mod id_changed {
    use super::*;

    use kernel::sync::atomic::ordering::Relaxed;

    pub(crate) fn attack(object: &Object, id: u8) -> u8 {
        let word = EntryWord::new(id, object.len(), object.word().slot());
        #[cfg(id_changed)]
        object.word.store(word.bits(), Relaxed); //~[id_changed] E0616
        #[cfg(id_changed)]
        object.change_tag(|_| word.bits()); //~[id_changed] E0599
        object.clear_referenced();
        word.pool_id()
    }
}

// The pool is used after zswap_pool_put().
#[cfg(any(control, pool_past_ref))]
pub mod pool_past_ref {
    use super::*;

    pub(crate) fn attack(pool: PoolRef, object: Object, look: fn(&Pool)) {
        let lent: &Pool = &pool;
        let its: &Pool = object.pool();
        #[cfg(control)]
        look(lent);
        #[cfg(control)]
        look(its);
        drop(pool); //~[pool_past_ref] E0505
        drop(object); //~[pool_past_ref] E0505
        #[cfg(pool_past_ref)]
        look(lent);
        #[cfg(pool_past_ref)]
        look(its);
    }
}

// zswap_pool_get(): "the caller must already have a reference". A PoolRef comes only
// from a list or from another PoolRef.
#[cfg(any(control, ref_made_up))]
pub mod ref_made_up {
    use super::*;

    pub(crate) fn attack(found: &Pool, pool: &PoolRef) -> PoolRef {
        #[cfg(ref_made_up)]
        return PoolRef::from(found); //~[ref_made_up] E0308
        let _ = found;
        pool.clone()
    }
}

// A pool found on the list under RCU is kept beyond the read section: only the list reads its nodes.
#[cfg(any(control, reader_keeps_pool))]
pub mod reader_keeps_pool {
    use super::*;

    pub(crate) fn attack(pools: &PoolList) -> Option<PoolRef> {
        #[cfg(reader_keeps_pool)]
        let _ = pools.find_node(|node| Some(core::ptr::from_ref(node))); //~[reader_keeps_pool] E0624
        pools.current()
    }
}

// A pool is moved out of its node and dropped, or exchanged, while it has objects: zsmalloc frees it under them.
#[cfg(any(control, pool_moved_out))]
pub mod pool_moved_out {
    use super::*;

    pub(crate) fn attack(new: NewPool, mut pool: PoolRef, mut other: Pool) {
        #[cfg(pool_moved_out)]
        drop::<Pool>(*new); //~[pool_moved_out] E0507
        #[cfg(pool_moved_out)]
        drop::<Pool>(*pool); //~[pool_moved_out] E0507
        #[cfg(pool_moved_out)]
        core::mem::swap(&mut *pool, &mut other); //~[pool_moved_out] E0596
        drop((new, pool, other));
    }
}

// An object is made in a pool behind the back of its list: nothing pins the pool for it.
#[cfg(any(control, memory_of_a_pool))]
pub mod memory_of_a_pool {
    use super::*;

    pub(crate) fn attack(pool: &Pool) -> usize {
        #[cfg(memory_of_a_pool)]
        let _ = pool.zs(); //~[memory_of_a_pool] E0624
        #[cfg(memory_of_a_pool)]
        let _ = &pool.zs; //~[memory_of_a_pool] E0616
        pool.algorithm().as_bytes().len()
    }
}
