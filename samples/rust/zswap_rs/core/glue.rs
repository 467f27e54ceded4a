// SPDX-License-Identifier: GPL-2.0-or-later

//! What `glue.c` defines: values of parameters, the lock of parameters, the workqueue.
//!
//! C headers: [`include/linux/moduleparam.h`](srctree/include/linux/moduleparam.h),
//! [`include/linux/workqueue.h`](srctree/include/linux/workqueue.h)

#![allow(non_upper_case_globals)]

use kernel::{
    bindings,
    error::to_result,
    prelude::*,
    static_branch_unlikely,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
    types::NotThreadSafe, //
};

// SAFETY: `glue.c` defines these with these types, and accesses each variable as a whole. What is declared as safe has no
// requirement.
unsafe extern "C" {
    /// Whether pages are stored.
    pub(crate) safe static zswap_enabled: Atomic<bool>;

    /// The share of total memory that the pools may use, in percent.
    pub(crate) safe static zswap_max_pool_percent: Atomic<u32>;

    /// The share of that limit, in percent, to which the pools must shrink before stores are accepted again after the
    /// limit was hit.
    pub(crate) safe static zswap_accept_thr_percent: Atomic<u32>;

    /// Whether memory pressure writes entries back to the swap device.
    pub(crate) safe static zswap_shrinker_enabled: Atomic<bool>;

    /// Whether pages of a folio that follow incompressible pages are stored uncompressed without a try.
    pub(crate) safe static zswap_skip_incompressible: Atomic<bool>;

    /// Whether a large folio may be swapped in as a whole.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(crate) safe static zswap_large_swapin: Atomic<bool>;

    safe static zswap_compressor: Atomic<*mut c_char>;

    static mut zswap_ever_enabled: EverEnabled;

    /// Enables `zswap_ever_enabled`. May sleep; takes `cpus_read_lock()`.
    pub(super) safe fn zswap_set_ever_enabled();

    unsafe fn zswap_set_compressor(name: *const c_char) -> c_int;

    /// Allocates the workqueue of the shrink worker, unless that was done. It is never freed. May sleep. Fails with `ENOMEM`.
    pub(crate) safe fn zswap_alloc_shrink_wq() -> c_int;

    /// Queues the shrink worker, if it has its workqueue and isn't queued already. Any context.
    pub(crate) safe fn zswap_queue_shrink_work();

    /// Whether one more failed decompression may be reported. Any context except NMI.
    pub(crate) safe fn zswap_may_report() -> bool;

    /// Creates the files in debugfs. Called once. May sleep.
    pub(crate) safe fn zswap_debugfs_init();
}

/// `static_branch_unlikely!` requires a field.
#[repr(transparent)]
struct EverEnabled {
    key: bindings::static_key_false,
}

/// Whether no pool has ever existed, so that nothing can have been stored. A no-op as long as that is true.
///
/// Mirrors `zswap_never_enabled()`.
#[inline]
pub(crate) fn never_enabled() -> bool {
    // C defines a key that is true from the start.
    if cfg!(CONFIG_ZSWAP_DEFAULT_ON) {
        return false;
    }
    // SAFETY: `zswap_ever_enabled` is a static key, defined in C.
    !unsafe { static_branch_unlikely!(zswap_ever_enabled, EverEnabled, key) }
}

/// A witness that the lock of built-in code's parameters (`param_lock`) is held. At most one exists at a time.
///
/// The lock is a mutex, and C calls the setters of parameters with it held. Calling [`ParamLock::with`] with the lock held
/// compiles, and deadlocks: types don't prevent taking a lock twice. Also stands for `zswap_init_lock`.
///
/// # Invariants
///
/// `kernel_param_lock(NULL)` is held by this task, and this is its only witness.
pub(crate) struct ParamLock(NotThreadSafe);

impl ParamLock {
    /// # Safety
    ///
    /// `param_lock` must be held by this task as long as the result is used, and no other witness may exist meanwhile.
    pub(crate) unsafe fn held() -> Self {
        // INVARIANT: As the caller guarantees.
        Self(NotThreadSafe)
    }

    /// Calls `f` with the lock held. May sleep. Deadlocks if this task holds the lock already.
    ///
    /// Mirrors `kernel_param_lock()` and `kernel_param_unlock()`.
    pub(crate) fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // SAFETY: No requirement; null stands for built-in code.
        unsafe { bindings::kernel_param_lock(core::ptr::null_mut()) };
        // INVARIANT: The lock was just taken. It is a mutex, so no other witness exists.
        let ret = f(&mut Self(NotThreadSafe));
        // SAFETY: This task has taken the lock above, and holds it until here.
        unsafe { bindings::kernel_param_unlock(core::ptr::null_mut()) };
        ret
    }

    /// The name of the compressor: C's `zswap_compressor`.
    pub(crate) fn compressor(&self) -> &CStr {
        // SAFETY: C's variable has a string at any time. It is replaced, and the old one freed, only under `param_lock`:
        // by C's setter, which runs before or after this witness exists, and by `set_compressor`, which borrows the
        // witness exclusively.
        unsafe { CStr::from_char_ptr(zswap_compressor.load(Relaxed)) }
    }

    /// Sets the name of the compressor. May sleep. Fails with `ENOSPC` if it is too long, and with `ENOMEM`.
    ///
    /// Mirrors `param_set_charp()`.
    pub(crate) fn set_compressor(&mut self, name: &CStr) -> Result {
        // SAFETY: `param_lock` is held by the type invariant. C copies the string.
        to_result(unsafe { zswap_set_compressor(name.as_char_ptr()) })
    }
}
