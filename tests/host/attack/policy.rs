// SPDX-License-Identifier: GPL-2.0-or-later
// The policy of zswap: its own types, and functions that C's callers reach through the C ABI.
//@[control] check-pass
//@[load_for_ever] error-in-other-file: `call` does not live long enough
//@[store_for_ever] error-in-other-file: lifetime may not live long enough
//@[freed_for_ever] error-in-other-file: `call` does not live long enough
//@[freed_for_ever] error-in-other-file: `call` does not live long enough
//@[freed_for_ever] error-in-other-file: `call` does not live long enough
//@[freed_for_ever] error-in-other-file: `call` does not live long enough
#![deny(unsafe_code)]
use kernel::{
    mm::{call::Call, folio::CachedFolio, memcontrol::MemCgroup},
    prelude::*,
    slab::UninitBox,
    sync::SetOnce,
};
use zswap_core::{
    entry,
    index,
    object::Object,
    slots::Slots,
    stats,
    store_batch::{Published, StoreBatch}, //
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[path = "../../../samples/rust/zswap_rs/age.rs"]
mod age;
#[path = "../../../samples/rust/zswap_rs/compress.rs"]
mod compress;
#[cfg(not(freed_for_ever))]
#[path = "../../../samples/rust/zswap_rs/device.rs"]
mod device;
#[cfg(freed_for_ever)]
use freed_for_ever as device;
#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/exports.rs"]
mod exports;
#[path = "../../../samples/rust/zswap_rs/limits.rs"]
mod limits;
#[cfg(not(load_for_ever))]
#[path = "../../../samples/rust/zswap_rs/load.rs"]
mod load;
#[cfg(load_for_ever)]
use load_for_ever as load;
#[path = "../../../samples/rust/zswap_rs/runs.rs"]
mod runs;
#[path = "../../../samples/rust/zswap_rs/setup.rs"]
mod setup;
#[path = "../../../samples/rust/zswap_rs/shrink.rs"]
mod shrink;
#[path = "../../../samples/rust/zswap_rs/state.rs"]
mod state;
#[cfg(not(store_for_ever))]
#[path = "../../../samples/rust/zswap_rs/store.rs"]
mod store;
#[cfg(store_for_ever)]
use store_for_ever as store;
#[path = "../../../samples/rust/zswap_rs/trace.rs"]
mod trace;
#[path = "../../../samples/rust/zswap_rs/whole.rs"]
mod whole;
#[path = "../../../samples/rust/zswap_rs/writeback.rs"]
mod writeback;
#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// Writeback keeps an entry's address across the dropped lock, and dereferences it: "only when this
// is successful can the entry be dereferenced".
#[cfg(any(control, identity_is_no_entry))]
pub mod identity_is_no_entry {
    use super::*;

    pub(crate) fn attack(kept: entry::Identity, now: &entry::Entry) -> bool {
        #[cfg(identity_is_no_entry)]
        let object = kept.object(); //~[identity_is_no_entry] E0599
        #[cfg(identity_is_no_entry)]
        let address = kept.address; //~[identity_is_no_entry] E0616
        #[cfg(control)]
        let (object, address) = (now.object(), kept.swap());
        let (_, _) = (object, address);
        kept == now.identity()
    }
}

// The policy keeps a cgroup that C lends only during the call: `mem_cgroup_css_offline()` gives up
// its own reference afterwards. The policy can't choose the lifetime.
#[cfg(any(control, memcg_kept))]
pub mod memcg_kept {
    use super::*;

    static KEPT: SetOnce<&'static MemCgroup> = SetOnce::new();

    #[cfg(control)]
    fn offline(memcg: &MemCgroup) -> bool {
        memcg.is_online()
    }

    #[cfg(memcg_kept)]
    fn offline(memcg: &'static MemCgroup) -> bool {
        KEPT.populate(memcg)
    }

    #[allow(unsafe_code)]
    pub(crate) fn attack(memcg: *mut kernel::bindings::mem_cgroup) -> bool {
        let call = Call::new();
        // SAFETY: Stands for zswap_memcg_offline_cleanup(), whose caller has a reference to the cgroup.
        let memcg = unsafe { MemCgroup::from_raw_or_null(memcg, &call) }; //~[memcg_kept] E0597
        memcg.is_some_and(offline)
    }
}

// The static key is reset, or read as memory, although its state is in patched code. Or the policy has its own
// idea of whether anything was ever stored: zswap_load() would read the device, which has an older page.
#[cfg(any(control, ever_enabled_key))]
pub mod ever_enabled_key {
    use super::*;

    pub(crate) fn attack() -> bool {
        #[cfg(ever_enabled_key)]
        let _ = &raw mut index::zswap_ever_enabled; //~[ever_enabled_key] E0603
        #[cfg(ever_enabled_key)]
        index::zswap_set_ever_enabled(); //~[ever_enabled_key] E0603
        index::never_opened()
    }
}

// An entry is published first and initialised later, "while it's already in xarray".
#[cfg(any(control, entry_half_made))]
pub mod entry_half_made {
    use super::*;

    pub(crate) fn attack(
        batch: &mut StoreBatch<'_>,
        memory: UninitBox<entry::Entry>,
        object: Object,
    ) {
        #[cfg(entry_half_made)]
        batch.push(memory); //~[entry_half_made] E0061
        #[cfg(control)]
        batch.push(memory, object);
    }
}

// zswap_store() says that a folio is stored after it has emptied its slots, or without having filled any: C
// doesn't write it to the device, and its pages are lost. "Stored" takes the proof that a store returns, in a
// folio all of whose pages have the zero mark, too.
#[cfg(any(control, stored_unproved))]
pub mod stored_unproved {
    use super::*;

    pub(crate) fn attack<'f>(folio: &'f mut CachedFolio<'f>, how: u32) -> store::Store<'f> {
        #[cfg(stored_unproved)]
        if how == 1 {
            Slots::new(folio).clear();
            return Ok(()); //~[stored_unproved] E0308
        } else if how == 2 {
            Slots::new(folio).mark_zeroes(0..1);
            return Ok(Published(folio)); //~[stored_unproved] E0423
        }
        Err(Slots::new(folio).clear())
    }
}

// A folio is stored, and another one is reported as stored: C drops the only copy of its pages.
#[cfg(any(control, published_of_another))]
pub mod published_of_another {
    use super::*;

    pub(crate) fn attack<'a, 'b>(ours: Published<'a>, others: Published<'b>) -> store::Store<'a> {
        #[cfg(published_of_another)]
        let ours = others;
        Ok(ours) //~[published_of_another] ERROR: lifetime may not live long enough
                 //~[published_of_another]^ ERROR: lifetime may not live long enough
    }
}

// zswap_store() refuses, and an older entry stays: its writeback will
// overwrite newer data (docs/races.md: 12).
#[cfg(any(control, refused_not_cleared))]
pub mod refused_not_cleared {
    use super::*;

    pub(crate) fn attack<'f>(folio: &'f mut CachedFolio<'f>) -> store::Store<'f> {
        #[cfg(refused_not_cleared)]
        return Err(()); //~[refused_not_cleared] E0308
        #[cfg(control)]
        Err(Slots::new(folio).clear())
    }
}

// The cleared slots belong to another folio than the refused one.
#[cfg(any(control, refused_other_cleared))]
pub mod refused_other_cleared {
    use super::*;

    pub(crate) fn attack<'a, 'b>(
        one: &'a mut CachedFolio<'a>,
        other: &'b mut CachedFolio<'b>,
    ) -> store::Store<'a> {
        #[cfg(refused_other_cleared)]
        let one = other;
        Err(Slots::new(one).clear()) //~[refused_other_cleared] ERROR: lifetime may not live long enough
                                     //~[refused_other_cleared]^ ERROR: lifetime may not live long enough
    }
}

// A load keeps the folio's lock forever: a change of the policy alone, which is safe code. What the C ABI
// lends ends with the call, so it can't choose a lifetime.
#[cfg(any(control, load_for_ever))]
pub mod load_for_ever {
    use crate::zswap_core::{
        entry::Entry,
        load_states::{Load, UnreadFolio},
    };
    use kernel::{
        mm::folio::{NotUptodate, Uptodate},
        prelude::*,
    };

    pub(crate) fn load(folio: UnreadFolio<'static>) -> Load<'static> {
        folio.load_exclusively(|_, _| None)
    }

    pub(crate) fn decompress_entry<'a>(_: &Entry, _: NotUptodate<'a>) -> Result<Uptodate<'a>> {
        Err(EIO)
    }
}

// A store keeps the witness of the folio's lock forever: a change of the policy alone, which is
// safe code. What the C ABI lends ends with the call, so it can't choose a lifetime.
#[cfg(any(control, store_for_ever))]
pub mod store_for_ever {
    use crate::zswap_core::{
        slots::{Cleared, Slots},
        store_batch::Published,
    };
    use kernel::mm::folio::CachedFolio;

    pub(crate) type Store<'f> = Result<Published<'f>, Cleared<'f>>;

    pub(crate) fn store(folio: &'static mut CachedFolio<'static>) -> Store<'static> {
        Err(Slots::new(folio).clear())
    }
}

// Freeing slots, or swapon, keeps its witness forever: a change of the policy alone, which is safe
// code. What the C ABI lends ends with the call, so it can't choose a lifetime.
#[cfg(any(control, freed_for_ever))]
pub mod freed_for_ever {
    use crate::zswap_core::{
        slots::FreedSlots,
        trees::{Attached, DeadDevice},
    };
    use kernel::prelude::*;

    pub(crate) fn swapon(_: DeadDevice<'static>) -> Result<Attached<'static>> {
        Err(EINVAL)
    }

    pub(crate) fn swapoff(_: DeadDevice<'static>) {}

    pub(crate) fn invalidate(_: FreedSlots<'static>) {}
}
