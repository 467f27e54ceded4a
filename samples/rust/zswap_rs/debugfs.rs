// SPDX-License-Identifier: GPL-2.0-or-later

//! The files in `/sys/kernel/debug/zswap`.

use super::{
    state::zswap,
    stats, //
    zswap_core::counts::{
        zswap_stored_incompressible_pages,
        zswap_stored_pages, //
    },
};
use kernel::{
    debugfs::attribute::Attribute,
    page::PAGE_SIZE,
    prelude::*,
    sync::atomic::Relaxed, //
};

/// The memory that the pools use, in bytes. Mirrors `debugfs_get_total_size()` and `total_size_fops`.
struct PoolTotalSize;

impl Attribute for PoolTotalSize {
    fn get(&self) -> u64 {
        (zswap().map_or(0, |zswap| zswap.total_pages()) as u64).wrapping_mul(PAGE_SIZE as u64)
    }
}

/// Mirrors `debugfs_get_stored_pages()` and `stored_pages_fops`.
struct StoredPages;

impl Attribute for StoredPages {
    fn get(&self) -> u64 {
        zswap_stored_pages.load(Relaxed) as u64
    }
}

/// Mirrors `debugfs_get_stored_incompressible_pages()` and `stored_incompressible_pages_fops`.
struct StoredIncompressiblePages;

impl Attribute for StoredIncompressiblePages {
    fn get(&self) -> u64 {
        zswap_stored_incompressible_pages.load(Relaxed) as u64
    }
}

/// Creates the files. Fails with `ENODEV` if debugfs is not initialised. May sleep.
///
/// Mirrors `zswap_debugfs_init()`.
pub(crate) fn init() -> Result {
    let dir = kernel::static_debugfs_dir!(c"zswap")?;
    dir.file(c"pool_limit_hit", &stats::zswap_pool_limit_hit);
    dir.file(c"reject_reclaim_fail", &stats::zswap_reject_reclaim_fail);
    dir.file(c"reject_alloc_fail", &stats::zswap_reject_alloc_fail);
    dir.file(
        c"reject_kmemcache_fail",
        &stats::zswap_reject_kmemcache_fail,
    );
    dir.file(c"reject_compress_fail", &stats::zswap_reject_compress_fail);
    dir.file(c"reject_compress_poor", &stats::zswap_reject_compress_poor);
    dir.file(c"decompress_fail", &stats::zswap_decompress_fail);
    dir.file(c"written_back_pages", &stats::zswap_written_back_pages);
    dir.file(c"pool_total_size", &PoolTotalSize);
    dir.file(c"stored_pages", &StoredPages);
    dir.file(c"stored_incompressible_pages", &StoredIncompressiblePages);
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    {
        dir.file(c"large_loads", &stats::zswap_large_loads);
        dir.file(c"large_load_fail", &stats::zswap_large_load_fail);
    }
    Ok(())
}
