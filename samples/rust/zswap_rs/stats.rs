// SPDX-License-Identifier: GPL-2.0-or-later

//! Counters, and the files in debugfs that show them.

use super::{
    compress::Form,
    exports::zswap_stored_pages,
    setup::zswap,
    store::Refused, //
};
use kernel::{
    debugfs::attribute::{
        Attribute,
        StaticDir, //
    },
    page::PAGE_SIZE,
    prelude::*,
    sync::atomic::{
        ordering::Relaxed,
        Atomic, //
    },
};

static STORED_INCOMPRESSIBLE_PAGES: Atomic<isize> = Atomic::new(0);

/// Counts a page that is kept in the given form.
pub(crate) fn stored(form: Form) {
    zswap_stored_pages.fetch_add(1, Relaxed);
    if form == Form::Raw {
        STORED_INCOMPRESSIBLE_PAGES.fetch_add(1, Relaxed);
    }
}

/// Counts a page that is no longer kept.
pub(crate) fn forgotten(form: Form) {
    zswap_stored_pages.fetch_sub(1, Relaxed);
    if form == Form::Raw {
        STORED_INCOMPRESSIBLE_PAGES.fetch_sub(1, Relaxed);
    }
}

/// Makes counters that only grow, with a file of the same name for each.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident: $file:literal,)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;

            impl $name {
                /// Counts one.
                pub(crate) fn hit() {
                    Self::counter().fetch_add(1, Relaxed);
                }

                /// Counts one, for which a folio is refused.
                #[cold]
                #[inline(never)]
                #[allow(dead_code)]
                pub(crate) fn refused() -> Refused {
                    Self::hit();
                    Refused
                }

                fn counter() -> &'static Atomic<u64> {
                    static COUNTER: Atomic<u64> = Atomic::new(0);
                    &COUNTER
                }
            }

            impl Attribute for $name {
                fn get() -> u64 {
                    Self::counter().load(Relaxed)
                }
            }
        )*

        fn make_counter_files(dir: StaticDir) {
            $(dir.file::<$name>(kernel::c_str!($file));)*
        }
    };
}

counters! {
    /// The pool limit was hit.
    PoolLimitHit: "pool_limit_hit",
    /// An entry could not be written back.
    RejectReclaimFail: "reject_reclaim_fail",
    /// A store was refused since zsmalloc, or the tree, had no memory.
    RejectAllocFail: "reject_alloc_fail",
    /// A store was refused since there was no memory for the entry.
    RejectKmemcacheFail: "reject_kmemcache_fail",
    /// A store was refused since the compressor failed.
    RejectCompressFail: "reject_compress_fail",
    /// A store was refused since the compressed page was too large.
    RejectCompressPoor: "reject_compress_poor",
    /// A load failed since the decompressor did.
    DecompressFail: "decompress_fail",
    /// Pages written to the swap device.
    WrittenBackPages: "written_back_pages",
}

struct PoolTotalSize;

impl Attribute for PoolTotalSize {
    fn get() -> u64 {
        (zswap().map_or(0, |zswap| zswap.total_pages()) as u64).wrapping_mul(PAGE_SIZE as u64)
    }
}

struct StoredPages;

impl Attribute for StoredPages {
    fn get() -> u64 {
        zswap_stored_pages.load(Relaxed) as u64
    }
}

struct StoredIncompressiblePages;

impl Attribute for StoredIncompressiblePages {
    fn get() -> u64 {
        STORED_INCOMPRESSIBLE_PAGES.load(Relaxed) as u64
    }
}

/// Makes the files in `/sys/kernel/debug/zswap`.
pub(crate) fn make_files() -> Result {
    let dir = kernel::static_debugfs_dir!(c"zswap")?;
    make_counter_files(dir);
    dir.file::<PoolTotalSize>(c"pool_total_size");
    dir.file::<StoredPages>(c"stored_pages");
    dir.file::<StoredIncompressiblePages>(c"stored_incompressible_pages");
    Ok(())
}
