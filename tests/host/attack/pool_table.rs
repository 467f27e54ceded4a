// SPDX-License-Identifier: GPL-2.0-or-later
// The table of pools, of which one is current: what policy files could do with it.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{prelude::*, sync::rcu};
use zswap_core::{
    entry_word::EntryWord,
    glue::ParamLock,
    object::Object,
    pool::Pool,
    pool_table::{PoolRef, PoolTable, POOLS},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// The current pool is changed without param_lock, while another task changes it: two pools have the initial
// reference, or one is killed twice.
#[cfg(any(control, pool_without_lock))]
pub mod pool_without_lock {
    use super::*;

    pub(crate) fn attack(lock: &mut ParamLock, other: &ParamLock, pool: Pool) -> Result {
        #[cfg(control)]
        let _ = other;
        #[cfg(pool_without_lock)]
        let lock = other;
        let pool = POOLS.create(lock, pool)?; //~[pool_without_lock] E0308
        pool.make_current(lock); //~[pool_without_lock] E0308
        Ok(())
    }
}

// The table is dropped while its pools still have to leave it.
#[cfg(any(control, table_that_goes))]
pub mod table_that_goes {
    use super::*;

    pub(crate) fn attack(
        table: PoolTable,
        stays: &'static PoolTable,
        lock: &mut ParamLock,
        pool: Pool,
    ) -> Result<PoolRef> {
        #[cfg(table_that_goes)]
        let stays = &table; //~[table_that_goes] E0597
        let _ = &table;
        stays.create(lock, pool)
    }
}

// An id is a reference that can be copied: the pool is put twice. Nor can it be looked up without a
// reference, or be freed by itself.
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
        let _ = &POOLS.nodes; //~[id_by_itself] E0616
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
// from the table or from another PoolRef.
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

// A pool found in the table under RCU is kept beyond the read section: only the table reads its nodes.
#[cfg(any(control, reader_keeps_pool))]
pub mod reader_keeps_pool {
    use super::*;

    pub(crate) fn attack(_rcu: &rcu::Guard) -> Option<PoolRef> {
        #[cfg(reader_keeps_pool)]
        let _ = POOLS.nodes(_rcu).next(); //~[reader_keeps_pool] E0624
        POOLS.current()
    }
}

// A pool is moved out of its node and dropped, or exchanged, while it has objects: zsmalloc frees it under them.
#[cfg(any(control, pool_moved_out))]
pub mod pool_moved_out {
    use super::*;

    pub(crate) fn attack(mut pool: PoolRef, mut other: Pool) {
        #[cfg(pool_moved_out)]
        drop::<Pool>(*pool); //~[pool_moved_out] E0507
        #[cfg(pool_moved_out)]
        core::mem::swap(&mut *pool, &mut other); //~[pool_moved_out] E0596
        drop((pool, other));
    }
}

// An object is made in a pool behind the back of its table: nothing pins the pool for it.
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
