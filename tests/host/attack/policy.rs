// SPDX-License-Identifier: GPL-2.0-or-later
// The policy of zswap: its own types, and functions that C's callers reach through the C ABI.
//@[control] check-pass
//@[load_for_ever] error-in-other-file: is not general enough
//@[store_for_ever] error-in-other-file: is not general enough
//@[store_for_ever] error-in-other-file: is not general enough
//@[store_for_ever] error-in-other-file: is not general enough
//@[whole_for_ever] error-in-other-file: is not general enough
//@[whole_for_ever] error-in-other-file: is not general enough
#![deny(unsafe_code)]
use kernel::{
    mm::{call::Call, memcontrol::MemCgroup},
    prelude::*,
    sync::SetOnce,
};
use zswap_core::{entry, glue, stats};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[path = "../../../samples/rust/zswap_rs/age.rs"]
mod age;
#[path = "../../../samples/rust/zswap_rs/compress.rs"]
mod compress;
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
#[cfg(not(whole_for_ever))]
#[path = "../../../samples/rust/zswap_rs/whole.rs"]
mod whole;
#[cfg(whole_for_ever)]
use whole_for_ever as whole;
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
        let _ = &raw mut glue::zswap_ever_enabled; //~[ever_enabled_key] E0603
        #[cfg(ever_enabled_key)]
        glue::zswap_set_ever_enabled(); //~[ever_enabled_key] E0603
        glue::never_enabled()
    }
}

// A load keeps the folio's entry and its page forever: a change of the policy alone, which is safe code. What the core
// lends ends with the call, so the policy can't choose a lifetime.
#[cfg(any(control, load_for_ever))]
pub mod load_for_ever {
    use crate::zswap_core::entry::Entry;
    use kernel::{
        mm::folio::{NotUptodate, Uptodate},
        prelude::*,
    };

    pub(crate) fn fill(_: &Entry, _: NotUptodate<'static>) -> Option<Uptodate<'static>> {
        None
    }

    pub(crate) fn decompress_entry<'a>(_: &Entry, _: NotUptodate<'a>) -> Result<Uptodate<'a>> {
        Err(EIO)
    }
}

// The same, of a store.
#[cfg(any(control, store_for_ever))]
pub mod store_for_ever {
    use crate::{compress::Refused, trace::Outcome, zswap_core::store::Store};
    use kernel::{error::Error, mm::folio::CachedFolio};

    pub(crate) fn make(_: &'static mut Store<'static, 'static>) -> Result<(), Refused> {
        Err(Refused(Outcome::Disabled))
    }

    pub(crate) fn report(_: &CachedFolio<'_>, _: &Result<usize, Refused>) {}

    #[cfg(store_for_ever)]
    impl From<Error> for Refused {
        fn from(_: Error) -> Self {
            Self(Outcome::NoMemory)
        }
    }
}

// The same, of a folio that is filled as a whole.
#[cfg(any(control, whole_for_ever))]
pub mod whole_for_ever {
    use crate::zswap_core::whole::EntryPages;
    use kernel::{mm::folio::FilledPages, prelude::*};

    pub(crate) fn fill<'f>(
        _: EntryPages<'static, 'static, 'f>,
        _: &'static FilledPages<'f>,
    ) -> Result {
        Err(EIO)
    }
}
