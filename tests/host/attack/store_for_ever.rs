// SPDX-License-Identifier: GPL-2.0-or-later
// A store keeps the witness of the folio's lock forever: a change of the policy alone, which is
// safe code. The C ABI lends to closures, which can't choose a lifetime.
//@[attack]error-in-other-file: lifetime may not live long enough
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[path = "../../../samples/rust/zswap_rs/age.rs"]
mod age;
#[path = "../../../samples/rust/zswap_rs/compress.rs"]
mod compress;
#[path = "../../../samples/rust/zswap_rs/contexts.rs"]
mod contexts;
#[path = "../../../samples/rust/zswap_rs/debugfs.rs"]
mod debugfs;
#[path = "../../../samples/rust/zswap_rs/device.rs"]
mod device;
#[path = "../../../samples/rust/zswap_rs/entry.rs"]
mod entry;
#[path = "../../../samples/rust/zswap_rs/exports.rs"]
mod exports;
#[path = "../../../samples/rust/zswap_rs/limits.rs"]
mod limits;
#[path = "../../../samples/rust/zswap_rs/load.rs"]
mod load;
#[path = "../../../samples/rust/zswap_rs/params.rs"]
mod params;
#[path = "../../../samples/rust/zswap_rs/pool.rs"]
mod pool;
#[path = "../../../samples/rust/zswap_rs/runs.rs"]
mod runs;
#[path = "../../../samples/rust/zswap_rs/setup.rs"]
mod setup;
#[path = "../../../samples/rust/zswap_rs/shrink.rs"]
mod shrink;
#[path = "../../../samples/rust/zswap_rs/state.rs"]
mod state;
#[path = "../../../samples/rust/zswap_rs/stats.rs"]
mod stats;
#[cfg(control)]
#[path = "../../../samples/rust/zswap_rs/store.rs"]
mod store;
#[cfg(attack)]
mod store {
    use crate::entry::Entry;
    use kernel::mm::{
        folio::CachedFolio,
        swap_slots::{Cleared, Published},
    };

    type Store = Result<Published<'static, Entry>, Cleared<'static, Entry>>;

    pub(crate) fn store(folio: &'static mut CachedFolio<'static>) -> Store {
        Err(folio.slots().clear(drop))
    }
}
#[path = "../../../samples/rust/zswap_rs/tag.rs"]
mod tag;
#[path = "../../../samples/rust/zswap_rs/tunables.rs"]
mod tunables;
#[path = "../../../samples/rust/zswap_rs/writeback.rs"]
mod writeback;
